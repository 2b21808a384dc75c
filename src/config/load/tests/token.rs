//! Token sources and information about the requester, in valid and invalid configurations.

use super::*;
use crate::config::{Endpoint, Token, TokenSource};

/// Checks the tokens and askers of the candidates, and why some candidates are left out.
fn check(provider: &str, editor: Value, expect: Expect) {
    let fast = "[fast]\ncandidates = [{ provider = \"p\", model = \"m\" }]\n";
    let file = format!("[providers.p]\nbase_url = \"https://p.test\"\n{provider}\n{fast}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, file).unwrap();
    let variable = |name: &str| match name {
        "TOKEN" | "SECRET" => Some(format!("canary-of-{name}")),
        "BLANK" => Some("canary with blanks".to_owned()),
        "USER" => Some("me".to_owned()),
        _ => None,
    };
    let readers = Readers::default();
    let sources = Sources { editor: &[editor], variable: &variable, ..of_file(&path, &readers) };
    let mut keys = Keys::default();
    keys.set_session("session-1".to_owned());
    let loaded = super::load(&sources, &mut keys, false);
    let fast = &loaded.settings.everywhere().fast;
    let mut shown: String = fast.candidates.iter().map(shown).collect();
    for problem in &loaded.problems {
        shown += &format!("! {problem}\n").replace(&format!("{}/", folder.path().display()), "");
    }
    assert!(!shown.contains("canary"), "a key was printed: {shown}");
    expect.assert_eq(&shown.replace(&format!("{}/", folder.path().display()), "FOLDER/"));
}

fn shown(endpoint: &Endpoint) -> String {
    let mut shown = match endpoint.token.as_ref().map(Token::source) {
        None => format!("no token, key {:?}\n", endpoint.key),
        Some(TokenSource::Command(command)) => format!("command {command:?}\n"),
        Some(TokenSource::Exchange(exchange)) => format!(
            "exchange at {} of {:?} ({}), JSON {}, {:?}, {:?}\n",
            exchange.url,
            exchange.subject,
            exchange.subject_type.rsplit(':').next().unwrap(),
            exchange.is_json,
            exchange.parameters,
            exchange.headers
        ),
    };
    let requester = &endpoint.requester;
    for (kind, named) in [("header", &requester.headers), ("metadata", &requester.metadata)] {
        for (name, template) in named {
            let text = template.filled(|it| Some(format!("<{it:?}>"))).unwrap().replace("canary", "***");
            shown += &format!("{kind} {name}: {text}\n");
        }
    }
    shown
}

#[test]
fn tokens_come_from_a_command_or_an_exchange() {
    check("token_command = \"az canary\"", json!({}), expect!["command az\n"]);
    check(
        r#"
            [providers.p.token_exchange]
            url = "https://id.test/token?key=canary"
            subject_token_file = "identity"
            audience = "https://p.test"
            scope = "a b"
            parameters = { resource = "r" }
            client_id = "me"
        "#,
        json!({}),
        expect![[r#"
            exchange at https://id.test/token of File("FOLDER/identity") (jwt), JSON false, {"audience": "https://p.test", "client_id": "me", "resource": "r", "scope": "a b"}, []
        "#]],
    );
    check(
        r#"
            [providers.p.token_exchange]
            url = "http://127.0.0.1:80/token"
            subject_token_env = "TOKEN"
            subject_token_type = "urn:ietf:params:oauth:token-type:id_token"
            client_id = "me"
            client_secret_env = "SECRET"
            json = true
        "#,
        json!({}),
        expect![[r#"
            exchange at http://127.0.0.1:80/token of Text(***) (id_token), JSON true, {}, [("Authorization", ***)]
        "#]],
    );
}

#[test]
fn mistakes_with_tokens_leave_the_model_out() {
    check(
        "token_command = []",
        json!({}),
        expect![[r#"
            ! config.toml:3:1: providers.p.token_command: expected a command; is there a quote without its end?
            ! fast.candidates.0: left out: there is a mistake in providers.p
        "#]],
    );
    check(
        "token_command = \"a\"\napi_key_env = \"TOKEN\"",
        json!({}),
        expect![[r#"
            ! fast.candidates.0: left out: providers.p has a key and `token_command`; remove one of them
        "#]],
    );
    let exchange = |settings: &str, expect: Expect| {
        check(&format!("[providers.p.token_exchange]\n{settings}"), json!({}), expect);
    };
    exchange("", expect!["! fast.candidates.0: left out: providers.p.token_exchange has no `url`\n"]);
    exchange(
        "url = \"https://id.test\"\naudiense = \"x\"",
        expect![[r#"
            ! config.toml:5:1: providers.p.token_exchange.audiense: no such setting; did you mean `audience`?
            ! fast.candidates.0: left out: there is a mistake in providers.p
        "#]],
    );
    exchange(
        "url = \"http://id.test/token\"",
        expect![
            "! fast.candidates.0: left out: providers.p.token_exchange.url must begin with https://: your token would go there in the clear\n"
        ],
    );
    let https = "url = \"https://id.test\"\n";
    exchange(
        https,
        expect![
            "! fast.candidates.0: left out: providers.p.token_exchange needs one of `subject_token_file` and `subject_token_env`\n"
        ],
    );
    exchange(
        &format!("{https}subject_token_env = \"NONE\""),
        expect!["! fast.candidates.0: left out: the environment variable NONE holds no token\n"],
    );
    exchange(
        &format!("{https}subject_token_env = \"BLANK\""),
        expect![
            "! fast.candidates.0: left out: the token in BLANK has a blank or another character that no key has\n"
        ],
    );
    exchange(
        &format!("{https}subject_token_env = \"TOKEN\"\nclient_secret_env = \"SECRET\""),
        expect!["! fast.candidates.0: left out: `client_secret_env` needs a `client_id`\n"],
    );
}

/// An editor's settings may come from the project.
#[test]
fn an_editor_makes_no_tokens() {
    let mine = "token_command = \"mine\"";
    check(
        mine,
        json!({ "providers": { "p": { "base_url": "https://q.test", "token_command": "canary" } } }),
        expect![[r#"
            command mine
            ! initializationOptions: providers.p: ignored: `token_command` is set in the configuration file alone
        "#]],
    );
    check(
        mine,
        json!({ "profile": "x", "profiles": { "x": { "providers": { "p": { "token_exchange": {} } } } } }),
        expect![[r#"
            command mine
            ! initializationOptions: profiles.x.providers.p: ignored: `token_exchange` is set in the configuration file alone
        "#]],
    );
}

/// The program of a language server, and where it runs.
#[test]
fn a_language_server_is_a_command_of_the_users_file() {
    let read = |settings: &str, editor: Value| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let text =
            format!("[providers.p]\n{settings}\n[fast]\ncandidates = [{{ provider = 'p', model = 'm' }}]\n");
        std::fs::write(&file, text).unwrap();
        let readers = Readers::default();
        let sources = Sources { editor: &[editor], ..of_file(&file, &readers) };
        let loaded = super::super::load(&sources, &mut Keys::default(), false);
        let shown = |endpoint: &Endpoint| {
            let command = endpoint.command.clone().unwrap();
            let is_there = command.folder.as_deref() == Some(folder.path());
            let hidden = command.hidden_variables.join(" ");
            format!("{} {} {:?} {is_there} {hidden}", endpoint.wire.name(), endpoint.base_url, command.words)
                .trim_end()
                .to_owned()
        };
        let candidates = loaded.settings.everywhere().fast.candidates.iter().map(shown);
        let problems = loaded.problems.iter().map(|it| format!("! {it}"));
        let all: Vec<String> = candidates.chain(problems).collect();
        all.join("\n").replace(folder.path().to_str().unwrap(), "FOLDER")
    };
    let lsp = "wire = 'lsp'\ncommand =";
    assert_eq!(
        read(&format!("{lsp} 'server --stdio'"), json!({})),
        "lsp lsp:server [\"server\", \"--stdio\"] true"
    );
    assert_eq!(read(&format!("{lsp} ['./a b/s']"), json!({})), "lsp lsp:s [\"FOLDER/./a b/s\"] true");
    let beside = "[providers.q]\nbase_url = 'https://q.test'\napi_key_env = 'Q_KEY'\nheaders = { a = { env = 'Q_TEAM' } }";
    assert_eq!(
        read(&format!("{lsp} 'server'\n{beside}"), json!({})),
        "lsp lsp:server [\"server\"] true Q_KEY Q_TEAM"
    );
    let none = "! fast.candidates.0: left out: providers.p has no `command`, which `wire = \"lsp\"` needs";
    assert_eq!(read("wire = 'lsp'", json!({})), none);
    let of_editor = json!({ "providers": { "p": { "command": ["evil"] } } });
    let ignored =
        "! initializationOptions: providers.p: ignored: `command` is set in the configuration file alone";
    assert_eq!(
        read(&format!("{lsp} 'server'"), of_editor),
        format!("lsp lsp:server [\"server\"] true\n{ignored}")
    );
}

#[test]
fn who_asks_is_said_in_templates() {
    check(
        r#"
            headers = { X-User = "u-{user}", X-Plain = "{\"a\": 1}", X-Job = "{job}/{file}" }
            metadata = { team = { env = "TOKEN" }, who = "{session}" }
        "#,
        json!({}),
        expect![[r#"
            no token, key None
            header X-Job: <Job>/<File>
            header X-User: u-me
            metadata team: ***-of-TOKEN
            metadata who: session-1
        "#]],
    );
    // A team is known by each of these settings.
    for known in ["[bill]\nteam = \"core\"", "[budget.lease]\nteam = \"core\"", "team_claim = \"groups\""] {
        check(
            &format!("headers = {{ X-Team = \"{{team}}\" }}\n{known}"),
            json!({}),
            expect!["no token, key None\nheader X-Team: <Team>\n"],
        );
    }
    let refused = |settings: &str, expect: Expect| check(settings, json!({}), expect);
    refused(
        "headers = { X-User = \"{usr}\" }",
        expect![
            "! fast.candidates.0: left out: providers.p.headers.X-User has the unknown placeholder {usr}; did you mean `user`?\n"
        ],
    );
    refused(
        "metadata = { tandem = \"x\" }",
        expect![
            "! fast.candidates.0: left out: providers.p.metadata.tandem is a name of Tandem's own, or too long\n"
        ],
    );
    refused(
        &format!("metadata = {{ a = \"{}\" }}", "x".repeat(513)),
        expect!["! fast.candidates.0: left out: providers.p.metadata.a has more than 512 characters\n"],
    );
    refused(
        "metadata = { a = 1 }",
        expect![[r#"
            ! config.toml:3:14: providers.p.metadata.a: expected a string, found a number
            ! fast.candidates.0: left out: there is a mistake in providers.p
        "#]],
    );
    refused(
        "prompt_cache_key = \"{team}\"",
        expect![[r#"
            ! fast.candidates.0: left out: providers.p.prompt_cache_key has {team}, and no team is known: set `bill.team`, or the provider's `team_claim`
        "#]],
    );
}
