//! `tandem setup` and `tandem profile` without a terminal, with a simulated provider.

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use tandem::config::providers;
use tandem::simulate::{self, Fault, Options, Simulator};
use tempfile::TempDir;

use crate::support::process::output_of;

async fn provider(options: Options) -> Simulator {
    simulate::start(options).await.unwrap()
}

/// Runs the program and shows its output, with the parts that vary between runs masked, its exit code and the file.
async fn run(folder: &Path, arguments: &[&str], input: &str, simulator: &Simulator) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(arguments).current_dir(folder).env("TANDEM_CONFIG", folder.join("config.toml"));
    command.env("TANDEM_STATE", folder);
    // No keychain of this machine is used, only the programs in the folder.
    command.env("PATH", folder).env("KEY", "sk-canary").env_remove("TANDEM_LOG");
    for name in providers::all().filter_map(|it| it.key_variable.as_ref()) {
        command.env_remove(name);
    }
    let input = input.to_owned();
    let output = tokio::task::spawn_blocking(move || output_of(&mut command, input.as_bytes()));
    let output = output.await.unwrap();
    let mut shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let file = std::fs::read_to_string(folder.join("config.toml")).unwrap_or_else(|_| "(none)\n".to_owned());
    assert!(!shown.contains("canary") && !file.contains("canary"), "a key was printed or written");
    shown += &format!("exit {}\n--\n{file}", output.status.code().unwrap());
    let shown = shown.replace(&simulator.base_url(), "URL").replace(&folder.display().to_string(), "");
    let shown = match shown.split_once("\"answeredMs\":") {
        Some((before, rest)) => {
            format!("{before}\"answeredMs\":N{}", rest.trim_start_matches(|it: char| it.is_ascii_digit()))
        }
        None => shown,
    };
    let figure = |word: &str| word.chars().all(|it| it.is_ascii_digit());
    let lines = shown.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let masked = words.iter().enumerate().map(|(at, word)| {
            let is_time = figure(word) && words.get(at + 1).is_some_and(|it| it.starts_with("ms"));
            if is_time { "N" } else { word }
        });
        masked.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The header of a new configuration.
const HEADER: &str = "# Tandem's configuration. `tandem doctor` checks it; editors/configuration.md explains every setting.\n\
                      # Changes apply at once.\n\n";
/// The last lines of the output where a model is configured.
const LAST: &str = "Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.\n\
                    \nRunning editors follow at once. `tandem doctor` checks everything, plugins included.\n";

/// Checks the output and the file, with [`HEADER`] and [`LAST`] abbreviated.
async fn check(before: Option<&str>, arguments: &[&str], input: &str, options: Options, expect: Expect) {
    expect.assert_eq(&marked(&shown(before, arguments, input, options).await));
}

fn marked(shown: &str) -> String {
    shown.replace(HEADER, "HEADER\n").replace(LAST, "LAST\n")
}

/// The output, and the configuration afterwards.
async fn shown(before: Option<&str>, arguments: &[&str], input: &str, options: Options) -> String {
    let folder = TempDir::new().unwrap();
    let simulator = provider(options).await;
    let url = simulator.base_url();
    if let Some(before) = before {
        std::fs::write(folder.path().join("config.toml"), before.replace("URL", &url)).unwrap();
    }
    let arguments: Vec<&str> = arguments.iter().map(|it| if *it == "URL" { &url } else { *it }).collect();
    run(folder.path(), &arguments, input, &simulator).await
}

fn models(names: &[&str]) -> Options {
    Options { models: names.iter().map(ToString::to_string).collect(), ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_with_a_key_is_tested_and_written() {
    let arguments = ["setup", "--provider", "openai", "--base-url", "URL", "--key-variable", "KEY", "--deep"];
    let shown = shown(None, &arguments, "", models(&["gpt-6-luna", "gpt-6-sol"])).await;
    expect![[r#"
        The key is the one in KEY.
        Sending one small request to gpt-6-luna at openai …
        ✓ gpt-6-luna at openai answered in N ms, first token N ms.
        ✓ /config.toml was written.

        A request for ghost text costs about $0.0001; `budget.day_dollars` sets a cap.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running editors follow at once. `tandem doctor` checks everything, plugins included.
        exit 0
        --
        # Tandem's configuration. `tandem doctor` checks it; editors/configuration.md explains every setting.
        # Changes apply at once.

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_env = "KEY"

        [fast]
        candidates = [{ provider = "openai", model = "gpt-6-luna" }]

        [deep]
        candidates = [{ provider = "openai", model = "gpt-6-luna" }]"#]]
    .assert_eq(&shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_from_standard_input_without_a_keychain_leads_to_a_line_for_the_profile() {
    let arguments =
        ["setup", "--provider", "openai", "--base-url", "URL", "--model", "tandem-simulator", "--key-stdin"];
    check(Some("eagerness = \"low\"\n"), &arguments, "sk-canary\n", Options::default(), expect![[r#"
        Sending one small request to tandem-simulator at openai …
        ✓ tandem-simulator at openai answered in N ms, first token N ms.
        ✓ /config.toml was changed.

        Add to your shell's profile, with your key, and start the editor from a new shell:

          export OPENAI_API_KEY=…

        Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices."tandem-simulator"]`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        `tandem doctor` checks everything, plugins included.
        exit 0
        --
        eagerness = "low"

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_env = "OPENAI_API_KEY"

        [fast]
        candidates = [{ provider = "openai", model = "tandem-simulator" }]"#]]).await;
}

/// With a secret store on the search path, the key is passed to it by standard input, and the file has the command
/// that prints it.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn key_goes_to_the_keychain_where_there_is_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let kept = folder.path().join("kept");
    let program = folder.path().join("secret-tool");
    let script = format!(
        "#!/bin/sh\ncase $1 in\nstore) /bin/cat >'{0}' ;;\nlookup) /bin/cat '{0}' ;;\nesac\n",
        kept.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let simulator = provider(Options::default()).await;
    let url = simulator.base_url();
    let arguments = ["setup", "--provider", "openai", "--base-url", &url, "--model", "m", "--key-stdin"];
    let shown = run(folder.path(), &arguments, "sk-canary\n", &simulator).await;
    expect![[r#"
        Sending one small request to m at openai …
        ✓ m at openai answered in N ms, first token N ms.
        The key is in the system's keychain.
        ✓ /config.toml was written.

        Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices."m"]`.
        LAST
        exit 0
        --
        HEADER
        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_command = ["secret-tool", "lookup", "service", "tandem", "provider", "openai"]

        [fast]
        candidates = [{ provider = "openai", model = "m" }]"#]]
    .assert_eq(&marked(&shown));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "sk-canary");
    // The key that is already configured is kept.
    let again = run(folder.path(), &arguments[..7], "", &simulator).await;
    let file = |shown: &str| shown.split_once("--\n").map(|(_, file)| file.to_owned());
    assert_eq!(file(&again), file(&shown));
    expect![[r#"
        Sending one small request to m at openai …
        ✓ m at openai answered in N ms, first token N ms.
        ✓ /config.toml has all of it already.

        Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices."m"]`.
        LAST
        exit 0
    "#]]
    .assert_eq(marked(&again).split_once("--\n").unwrap().0);
}

/// The sequence of an editor's calls: the providers, a provider's models, and the outcome.
#[tokio::test(flavor = "multi_thread")]
async fn editors_get_json() {
    let config = "[providers.cerebras]\napi_key_env = \"KEY\"\n";
    let list = ["setup", "--list", "--json", "--local", "Ollama=1"];
    check(Some(config), &list, "", Options::default(), expect![[r#"
        {"hasDeep":false,"providers":[{"about":"all jobs, the fastest: about 3,000 tokens per second with gpt-oss-120b","baseUrl":"https://api.cerebras.ai/v1","id":"cerebras","keyPage":"https://cloud.cerebras.ai","keyVariable":"CEREBRAS_API_KEY","name":"Cerebras","state":{"kind":"hasKey"},"wire":"chat"},{"about":"all jobs; gpt-6-luna costs $0.10 per million tokens read, $0.50 written","baseUrl":"https://api.openai.com/v1","id":"openai","keyPage":"https://platform.openai.com/api-keys","keyVariable":"OPENAI_API_KEY","name":"OpenAI","state":{"kind":"needsKey"},"wire":"responses-websocket"},{"about":"all jobs; claude-haiku-5-5: $0.10 per million tokens read, $0.50 written","baseUrl":"https://api.anthropic.com/v1","id":"anthropic","keyPage":"https://platform.claude.com/settings/keys","keyVariable":"ANTHROPIC_API_KEY","name":"Anthropic","state":{"kind":"needsKey"},"wire":"anthropic"},{"about":"all jobs; gemini-3.5-flash-lite: $0.30 per million tokens read, $2.50 written","baseUrl":"https://generativelanguage.googleapis.com/v1beta/openai","id":"google","keyPage":"https://aistudio.google.com/apikey","keyVariable":"GEMINI_API_KEY","name":"Google Gemini","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, fast; mercury-3 costs $0.10 per million tokens read, $0.35 written","baseUrl":"https://api.inceptionlabs.ai/v1","id":"inception","keyPage":"https://inceptionlabs.ai","keyVariable":"INCEPTION_API_KEY","name":"Inception","state":{"kind":"needsKey"},"wire":"chat"},{"about":"free and private; as fast as this machine","baseUrl":"http://127.0.0.1:11434/v1","id":"ollama","keyPage":"https://ollama.com/download, then `ollama pull qwen2.5-coder:7b`","keyVariable":null,"name":"Ollama on this machine","state":{"kind":"absent"},"wire":"chat"},{"about":"any that speaks OpenAI's Chat Completions, such as a gateway of your company","baseUrl":"","id":"other","keyPage":"https://platform.openai.com/docs/api-reference/chat","keyVariable":"TANDEM_API_KEY","name":"Another server","state":{"kind":"elsewhere"},"wire":"chat"},{"about":"all jobs, about 500 tokens per second with gpt-oss-120b","baseUrl":"https://api.groq.com/openai/v1","id":"groq","keyPage":"https://console.groq.com/keys","keyVariable":"GROQ_API_KEY","name":"Groq","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs; grok-4.20-non-reasoning: $1.25 per million tokens read, $2.50 written","baseUrl":"https://api.x.ai/v1","id":"xai","keyPage":"https://console.x.ai","keyVariable":"XAI_API_KEY","name":"xAI","state":{"kind":"needsKey"},"wire":"chat"},{"about":"ghost text only, by a model made for it","baseUrl":"https://codestral.mistral.ai/v1","id":"mistral","keyPage":"https://console.mistral.ai","keyVariable":"CODESTRAL_API_KEY","name":"Mistral Codestral","state":{"kind":"needsKey"},"wire":"fim"},{"about":"all jobs; devstral-small-latest: $0.10 per million tokens read, $0.30 written","baseUrl":"https://api.mistral.ai/v1","id":"mistral-chat","keyPage":"https://console.mistral.ai/api-keys","keyVariable":"MISTRAL_API_KEY","name":"Mistral","state":{"kind":"needsKey"},"wire":"chat"},{"about":"ghost text only, at a low price","baseUrl":"https://api.deepseek.com/beta","id":"deepseek","keyPage":"https://platform.deepseek.com/api_keys","keyVariable":"DEEPSEEK_API_KEY","name":"DeepSeek","state":{"kind":"needsKey"},"wire":"fim"},{"about":"all jobs; deepseek-flash: at most $0.30 per million tokens read, $1.20 written","baseUrl":"https://api.deepseek.com/v1","id":"deepseek-chat","keyPage":"https://platform.deepseek.com/api_keys","keyVariable":"DEEPSEEK_API_KEY","name":"DeepSeek for all jobs","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, with open models","baseUrl":"https://api.together.xyz/v1","id":"together","keyPage":"https://api.together.ai/settings/api-keys","keyVariable":"TOGETHER_API_KEY","name":"Together AI","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, with open models","baseUrl":"https://api.fireworks.ai/inference/v1","id":"fireworks","keyPage":"https://app.fireworks.ai/settings/users/api-keys","keyVariable":"FIREWORKS_API_KEY","name":"Fireworks AI","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, fast, with open models","baseUrl":"https://api.sambanova.ai/v1","id":"sambanova","keyPage":"https://cloud.sambanova.ai/apis","keyVariable":"SAMBANOVA_API_KEY","name":"SambaNova","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, in your own resource; a model is named by its deployment","baseUrl":"","id":"azure","keyPage":"https://portal.azure.com, in the resource below Keys and Endpoint","keyVariable":"AZURE_OPENAI_API_KEY","name":"Azure OpenAI","state":{"kind":"needsKey"},"wire":"responses-websocket"},{"about":"all jobs, with the models of many makers by one key","baseUrl":"https://openrouter.ai/api/v1","id":"openrouter","keyPage":"https://openrouter.ai/settings/keys","keyVariable":"OPENROUTER_API_KEY","name":"OpenRouter","state":{"kind":"needsKey"},"wire":"chat"},{"about":"all jobs, with the models of many makers by one key","baseUrl":"https://ai-gateway.vercel.sh/v1","id":"vercel","keyPage":"https://vercel.com/docs/ai-gateway/authentication-and-byok/authentication","keyVariable":"AI_GATEWAY_API_KEY","name":"Vercel AI Gateway","state":{"kind":"needsKey"},"wire":"chat"},{"about":"free and private; as fast as this machine","baseUrl":"http://127.0.0.1:8080/v1","id":"llama-cpp","keyPage":"https://github.com/ggml-org/llama.cpp, then `llama-server -hf MODEL`","keyVariable":null,"name":"llama.cpp on this machine","state":{"kind":"absent"},"wire":"chat"},{"about":"free and private; as fast as this machine","baseUrl":"http://127.0.0.1:1234/v1","id":"lm-studio","keyPage":"https://lmstudio.ai","keyVariable":null,"name":"LM Studio on this machine","state":{"kind":"absent"},"wire":"chat"},{"about":"free and private; as fast as this machine","baseUrl":"http://127.0.0.1:8000/v1","id":"vllm","keyPage":"https://docs.vllm.ai","keyVariable":null,"name":"vLLM on this machine","state":{"kind":"absent"},"wire":"chat"},{"about":"a gateway of your own, to a hundred providers, Amazon Bedrock among them","baseUrl":"","id":"litellm","keyPage":"https://docs.litellm.ai/docs/proxy/virtual_keys","keyVariable":"LITELLM_API_KEY","name":"LiteLLM","state":{"kind":"elsewhere"},"wire":"chat"},{"about":"a gateway of your own, to many providers, Amazon Bedrock among them","baseUrl":"","id":"bifrost","keyPage":"https://docs.getbifrost.ai/features/governance/virtual-keys","keyVariable":"BIFROST_VIRTUAL_KEY","name":"Bifrost","state":{"kind":"elsewhere"},"wire":"chat"}]}
        exit 0
        --
        [providers.cerebras]
        api_key_env = "KEY""#]]).await;
    let other = ["setup", "--provider", "other", "--base-url", "URL", "--json"];
    let models_of = [&other[..], &["--list"]].concat();
    check(
        None,
        &models_of,
        "",
        models(&["b", "a"]),
        expect![[r#"
        {"models":["tandem-simulator","b","a"],"preferred":"tandem-simulator"}
        exit 0
        --
        (none)"#]],
    )
    .await;
    let chosen = [&other[..], &["--name", "mine", "--model", "a", "--deep"]].concat();
    check(None, &chosen, "", models(&["a"]), expect![[r#"
        {"status":"written","path":"/config.toml","answeredMs":N,"inKeychain":false,"profileLine":null,"notes":["Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices.\"a\"]`.","Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what."],"keyRefused":false,"problem":null}
        exit 0
        --
        HEADER
        [providers.mine]
        base_url = "URL"
        wire = "chat"

        [fast]
        candidates = [{ provider = "mine", model = "a" }]

        [deep]
        candidates = [{ provider = "mine", model = "a" }]"#]]).await;
    let with_a_key = [&chosen[..], &["--key-stdin"]].concat();
    check(None, &with_a_key, "sk-canary\n", models(&["a"]), expect![[r#"
        {"status":"written","path":"/config.toml","answeredMs":N,"inKeychain":false,"profileLine":"export TANDEM_API_KEY=…","notes":["Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices.\"a\"]`.","Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what."],"keyRefused":false,"problem":null}
        exit 0
        --
        HEADER
        [providers.mine]
        base_url = "URL"
        wire = "chat"
        api_key_env = "TANDEM_API_KEY"

        [fast]
        candidates = [{ provider = "mine", model = "a" }]

        [deep]
        candidates = [{ provider = "mine", model = "a" }]"#]]).await;
    let refused = Options { faults: vec![Fault::Refuse401], ..models(&["a"]) };
    check(None, &chosen, "", refused, expect![[r#"
        {"status":"failed","path":"","answeredMs":Nnull,"inKeychain":false,"profileLine":null,"notes":[],"keyRefused":true,"problem":{"what":"mine refused (status 401): Incorrect API key provided. (invalid_api_key)","nextStep":"it needs a key"}}
        exit 1
        --
        (none)"#]]).await;
    check(Some("fast = ["), &chosen, "", models(&["a"]), expect![[r#"
        {"status":"failed","path":"","answeredMs":Nnull,"inKeychain":false,"profileLine":null,"notes":[],"keyRefused":false,"problem":{"what":"/config.toml was left as it is: it is not valid TOML: line 1, column 9: unclosed array, expected `]`","nextStep":""}}
        exit 1
        --
        fast = ["#]]).await;
    check(None, &["setup", "--json"], "", Options::default(), expect![[r#"
        {"status":"failed","path":"","answeredMs":Nnull,"inKeychain":false,"profileLine":null,"notes":[],"keyRefused":false,"problem":{"what":"a provider is missing: name a provider with --provider (ollama, llama-cpp, lm-studio, vllm, openai, anthropic, google, cerebras, inception, groq, xai, mistral, mistral-chat, deepseek, deepseek-chat, together, fireworks, sambanova, azure, openrouter, vercel, litellm, bifrost, other)","nextStep":""}}
        exit 2
        --
        (none)"#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_time_changes_nothing_and_says_so() {
    let config = "[providers.mine]\nbase_url = \"URL\"\nwire = \"chat\"\n\n[fast]\ncandidates = [{ provider = \"mine\", model = \"a\" }]\n";
    let arguments =
        ["setup", "--provider", "other", "--base-url", "URL", "--name", "mine", "--model", "a", "--no-test"];
    check(
        Some(config),
        &arguments,
        "",
        Options::default(),
        expect![[r#"
            ✓ /config.toml has all of it already.

            Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices."a"]`.
            LAST
            exit 0
            --
            [providers.mine]
            base_url = "URL"
            wire = "chat"

            [fast]
            candidates = [{ provider = "mine", model = "a" }]"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_of_a_test_is_counted() {
    let simulator = provider(Options::default()).await;
    let folder = TempDir::new().unwrap();
    let arguments = ["setup", "--provider", "other", "--base-url", &simulator.base_url(), "--model", "a"];
    for count in ["1 request, ", "2 requests, "] {
        let shown = run(folder.path(), &arguments, "", &simulator).await;
        assert!(shown.contains(" answered in N ms"), "{shown}");
        let usage = run(folder.path(), &["usage"], "", &simulator).await;
        assert!(usage.contains(&format!("recorded or not: {count}")), "{usage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_does_not_answer_is_not_written() {
    let options = || Options { faults: vec![Fault::Refuse401], ..Options::default() };
    let arguments =
        ["setup", "--provider", "openai", "--base-url", "URL", "--key-variable", "KEY", "--model", "m"];
    check(
        None,
        &arguments,
        "",
        options(),
        expect![[r#"
            The key is the one in KEY.
            Sending one small request to m at openai …
            ✗ openai refused (status 401): Incorrect API key provided. (invalid_api_key)
              → pass another key with --key-stdin, or set KEY and name it with --key-variable; get one at https://platform.openai.com/api-keys
            tandem: nothing was written; --no-test writes it anyway
            exit 1
            --
            (none)"#]],
    )
    .await;
    let untested = [&arguments[..], &["--no-test"]].concat();
    check(
        None,
        &untested,
        "",
        options(),
        expect![[r#"
            The key is the one in KEY.
            ✓ /config.toml was written.

            Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices."m"]`.
            LAST
            exit 0
            --
            HEADER
            [providers.openai]
            base_url = "URL"
            wire = "responses-websocket"
            api_key_env = "KEY"

            [fast]
            candidates = [{ provider = "openai", model = "m" }]"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_refused_when_models_are_listed_is_said_then() {
    let arguments = ["setup", "--provider", "other", "--base-url", "URL", "--name", "mine"];
    let options = || Options { api_key: Some("sk-right".to_owned()), ..Options::default() };
    check(
        None,
        &arguments,
        "",
        options(),
        expect![[r#"
        ✗ mine refused (status 401): Incorrect API key provided. (invalid_api_key)
          → pass another key with --key-stdin, or set TANDEM_API_KEY and name it with --key-variable
        exit 1
        --
        (none)"#]],
    )
    .await;
    let with_a_blank = [&arguments[..], &["--key-stdin"]].concat();
    check(
        None,
        &with_a_blank,
        "sk canary\n",
        options(),
        expect![[r#"
        tandem: the key on standard input has a blank or another character that no key has
        exit 1
        --
        (none)"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_said() {
    check(None, &["setup"], "", Options::default(), expect![[r#"
        tandem: standard input is not a terminal: name a provider with --provider (ollama, llama-cpp, lm-studio, vllm, openai, anthropic, google, cerebras, inception, groq, xai, mistral, mistral-chat, deepseek, deepseek-chat, together, fireworks, sambanova, azure, openrouter, vercel, litellm, bifrost, other)
        exit 2
        --
        (none)"#]]).await;
    check(None, &["setup", "--provider", "acme"], "", Options::default(), expect![[r#"
        tandem: there is no provider `acme`; there are: ollama, llama-cpp, lm-studio, vllm, openai, anthropic, google, cerebras, inception, groq, xai, mistral, mistral-chat, deepseek, deepseek-chat, together, fireworks, sambanova, azure, openrouter, vercel, litellm, bifrost, other
        exit 2
        --
        (none)"#]]).await;
    check(None, &["setup", "--provider", "openai"], "", Options::default(), expect![[r#"
        tandem: the variable OPENAI_API_KEY holds no key; set it, or pass the key with --key-stdin. Get a key at https://platform.openai.com/api-keys
        exit 1
        --
        (none)"#]]).await;
    check(
        None,
        &["setup", "--provider", "openai", "--key-variable", "sk-canary-9"],
        "",
        Options::default(),
        expect![[r#"
            tandem: --key-variable seems to hold the key itself; name the variable that holds it, or pass the key with --key-stdin
            exit 2
            --
            (none)"#]],
    )
    .await;
    let unreachable = "proxy = \"http://127.0.0.1:1\"\n";
    let listing = ["setup", "--provider", "openai", "--key-variable", "KEY", "--no-test"];
    check(
        Some(unreachable),
        &listing,
        "",
        Options::default(),
        expect![[r#"
        The key is the one in KEY.
        ✗ openai cannot be reached at https://api.openai.com/v1: nothing listens there
          → check the network or `proxy`, or name the model with --model
        exit 1
        --
        proxy = "http://127.0.0.1:1""#]],
    )
    .await;
    check(
        Some("fast = ["),
        &["setup", "--provider", "ollama"],
        "",
        Options::default(),
        expect![[r#"
            tandem: /config.toml was left as it is: it is not valid TOML: line 1, column 9: unclosed array, expected `]`
            exit 1
            --
            fast = ["#]],
    )
    .await;
    check(
        None,
        &["setup", "--provider", "mistral", "--deep"],
        "",
        Options::default(),
        expect![[r#"
            tandem: Mistral Codestral serves ghost text only: leave out --deep
            exit 2
            --
            (none)"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn configured_model_is_put_first() {
    let config = "[fast]\ncandidates = [\n  { provider = \"a\", model = \"one\" },\n  { provider = \"a\", model = \"two\", effort = \"low\" }, # mine\n]\n";
    let check = async |text: &str, arguments: &[&str], expect: Expect| {
        check(Some(text), arguments, "", Options::default(), expect).await;
    };
    check(
        config,
        &["model", "a", "two"],
        expect![[r#"
        fast: two of a is asked first.
        exit 0
        --
        [fast]
        candidates = [
          { provider = "a", model = "two", effort = "low" }, # mine
          { provider = "a", model = "one" },
        ]"#]],
    )
    .await;
    check(
        config,
        &["model", "a", "two", "--deep"],
        expect![[r#"
        tandem: /config.toml was left as it is: `deep.candidates` has no two of `a`; `tandem model` lists the models, and `tandem setup --deep` adds one for hard tasks
        exit 1
        --
        [fast]
        candidates = [
          { provider = "a", model = "one" },
          { provider = "a", model = "two", effort = "low" }, # mine
        ]"#]],
    )
    .await;
    for named in ["two", "a/two"] {
        let text = shown(Some(config), &["model", named], "", Options::default()).await;
        assert!(text.starts_with("fast: two of a is asked first.\n"), "{text}");
    }
    check(
        config,
        &["model", "three"],
        expect![[r#"
        tandem: `fast.candidates` has no `three`; `tandem model` lists the models, and `tandem setup` adds one
        exit 1
        --
        [fast]
        candidates = [
          { provider = "a", model = "one" },
          { provider = "a", model = "two", effort = "low" }, # mine
        ]"#]],
    )
    .await;
    let tables = |models: [&str; 2]| {
        let table = |model| {
            format!(
                "[[profiles.p.fast.candidates]]\nprovider = \"a\"\nmodel = \"{model}\"\neffort = \"low\"\n"
            )
        };
        models.map(table).join("\n")
    };
    let profile = format!("profile = \"p\"\n{config}\n{}", tables(["one", "three"]));
    check(
        &profile,
        &["model", "a", "three"],
        expect![[r#"
        fast: three of a is asked first.
        exit 0
        --
        profile = "p"
        [fast]
        candidates = [
          { provider = "a", model = "one" },
          { provider = "a", model = "two", effort = "low" }, # mine
        ]

        [[profiles.p.fast.candidates]]
        provider = "a"
        model = "three"
        effort = "low"

        [[profiles.p.fast.candidates]]
        provider = "a"
        model = "one"
        effort = "low""#]],
    )
    .await;
    check(
        &profile,
        &["model", "a", "two"],
        expect![[r#"
        tandem: /config.toml was left as it is: `profiles.p.fast.candidates` has no two of `a`; `tandem model` lists the models, and `tandem setup` adds one
        exit 1
        --
        profile = "p"
        [fast]
        candidates = [
          { provider = "a", model = "one" },
          { provider = "a", model = "two", effort = "low" }, # mine
        ]

        [[profiles.p.fast.candidates]]
        provider = "a"
        model = "one"
        effort = "low"

        [[profiles.p.fast.candidates]]
        provider = "a"
        model = "three"
        effort = "low""#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_are_listed_and_switched() {
    let config = "eagerness = \"low\"\n\n[profiles.offline]\nfast = { candidates = [] }\n";
    check(
        Some(config),
        &["profile", "--json"],
        "",
        Options::default(),
        expect![[r#"
        {"active":null,"profiles":["offline"]}
        exit 0
        --
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
    check(
        Some(config),
        &["profile"],
        "",
        Options::default(),
        expect![[r#"
          offline
        exit 0
        --
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
    check(
        Some(config),
        &["profile", "offline"],
        "",
        Options::default(),
        expect![[r#"
        The profile `offline` is active.
        exit 0
        --
        profile = "offline"
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
    check(
        Some(config),
        &["profile", "online"],
        "",
        Options::default(),
        expect![[r#"
            tandem: there is no profile `online`; there are: offline; did you mean `offline`?
            exit 2
            --
            eagerness = "low"

            [profiles.offline]
            fast = { candidates = [] }"#]],
    )
    .await;
}
