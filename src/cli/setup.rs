//! `tandem setup`: from nothing to a model that answers.
//!
//! Looks for what is there, asks for what is missing, sends one small request, and only then writes the
//! configuration. On a terminal it asks questions; everything can be given as an argument instead.

mod keychain;
mod offers;
mod providers;
mod questions;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;

use super::config_file::ConfigFile;
use super::config_text::{self, Choice, Key};
use super::doctor::Problem;
use super::exit::USAGE;
use super::local_servers;
use super::terminal::{Styled, print, say};
use crate::config::{self, Endpoint, Keys, Secret, Sources};
use crate::disk::Readers;
use crate::model::usage::{cost, price_of};
use crate::model::{Usage, connect_to, probe};
use keychain::Keychain;
use offers::Offer;
use providers::{PROVIDERS, Provider};
use questions::Questions;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// Choose a model, test it with one small request, and write the configuration.
///
/// Asks on a terminal; with --provider it asks nothing. What you wrote in the configuration file stays. Exit codes: 0
/// the model answers and the file is written, 1 not, 2 wrong usage.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The provider: ollama, llama-cpp, lm-studio, vllm, openai, cerebras, mistral, deepseek
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The model, as the provider spells it (by default one that the provider lists)
    #[arg(long, requires = "provider")]
    model: Option<String>,
    /// Another base URL for the provider, such as that of a gateway
    #[arg(long, value_name = "URL", requires = "provider")]
    base_url: Option<String>,
    /// The provider's name in the configuration (by default that of --provider)
    #[arg(long, requires = "provider")]
    name: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "VARIABLE", requires = "provider")]
    key_variable: Option<String>,
    /// Read the key from standard input, and store it in the system's keychain
    #[arg(long, requires = "provider")]
    key_stdin: bool,
    /// Use the model for hard tasks, too (the deep gear)
    #[arg(long, requires = "provider")]
    deep: bool,
    /// Write the configuration without a request to the model
    #[arg(long, requires = "provider")]
    no_test: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG")]
    config: Option<PathBuf>,
    /// Where to look for model servers on this machine
    #[arg(long, value_name = "NAME=PORT", value_delimiter = ',', hide = true, default_value = local_servers::USUAL)]
    local: Vec<local_servers::Place>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let file = ConfigFile::read(arguments.config.clone())?;
    // A file with a syntax error is found now, and not after all questions.
    file.checked(config_text::profiles)?;
    let mut questions = match &arguments.provider {
        Some(_) => None,
        None if std::io::stdin().is_terminal() => Some(Questions::new()),
        None => {
            let ids: Vec<&str> = PROVIDERS.iter().map(|it| it.id).collect();
            say(format_args!(
                "standard input is not a terminal: name a provider with --provider ({})",
                ids.join(", ")
            ));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let Some(provider) = provider(&arguments, questions.as_mut()).await? else {
        return Ok(ExitCode::from(USAGE));
    };
    if arguments.deep && provider.wire == "fim" {
        say(format_args!("{} serves ghost text only: leave out --deep", provider.name));
        return Ok(ExitCode::from(USAGE));
    }
    let mut setup = Setup::new(provider, &arguments, file)?;
    if !setup.take_key(&arguments, questions.as_mut())? {
        return Ok(ExitCode::FAILURE);
    }
    if !setup.take_model(&arguments, questions.as_mut()).await? {
        return Ok(ExitCode::FAILURE);
    }
    if let Some(questions) = &mut questions
        && setup.choice.wire != "fim"
        && questions.confirm("Use it for hard tasks too (the deep gear)?", true)?
    {
        setup.choice.roles.push("deep");
    }
    if !arguments.no_test && !setup.test(questions.as_mut()).await? {
        return Ok(ExitCode::FAILURE);
    }
    setup.write()?;
    Ok(ExitCode::SUCCESS)
}

/// The provider that was named or is chosen. `None` if there is none of that name, which was said.
async fn provider(
    arguments: &Arguments,
    questions: Option<&mut Questions>,
) -> anyhow::Result<Option<&'static Provider>> {
    if let Some(id) = &arguments.provider {
        let found = providers::find(id);
        if found.is_none() {
            let ids: Vec<&str> = PROVIDERS.iter().map(|it| it.id).collect();
            say(format_args!("there is no provider `{id}`; there are: {}", ids.join(", ")));
        }
        return Ok(found);
    }
    let Some(questions) = questions else { return Ok(None) };
    print("Looking for model servers on this machine …");
    let servers = local_servers::look(&arguments.local, &[]).await;
    let has = |variable: &str| std::env::var_os(variable).is_some_and(|it| !it.is_empty());
    let offers = offers::sorted(&servers, &has);
    let lines: Vec<String> = offers.iter().map(Offer::line).collect();
    let chosen = questions.choose("Which provider?", &lines)?;
    Ok(offers.get(chosen).map(|it| it.provider))
}

/// What was chosen so far.
struct Setup {
    file: ConfigFile,
    provider: &'static Provider,
    choice: Choice,
    /// A key that is in no variable, to be stored once the model has answered.
    typed: Option<Secret>,
    /// What the provider lists.
    listed: Vec<String>,
}

impl Setup {
    fn new(provider: &'static Provider, arguments: &Arguments, file: ConfigFile) -> anyhow::Result<Self> {
        let name = arguments.name.clone().unwrap_or_else(|| provider.id.to_owned());
        let is_asked_for = arguments.key_variable.is_some() || arguments.key_stdin;
        let keeps_key = !is_asked_for && file.checked(|text| config_text::has_key(text, &name))?;
        let usual = provider.key_variable.filter(|_| !keeps_key);
        let variable = arguments.key_variable.as_deref().or(usual);
        let choice = Choice {
            provider: name,
            base_url: arguments.base_url.clone().unwrap_or_else(|| provider.base_url.to_owned()),
            wire: provider.wire.to_owned(),
            fim_dialect: provider.fim_dialect.map(str::to_owned),
            key: variable.map_or(Key::None, |it| Key::Variable(it.to_owned())),
            model: arguments.model.clone().unwrap_or_default(),
            roles: if arguments.deep { vec!["fast", "deep"] } else { vec!["fast"] },
        };
        Ok(Self { file, provider, choice, typed: None, listed: Vec::new() })
    }

    /// Finds the key, or asks for it. False if there is none, which was said.
    fn take_key(&mut self, arguments: &Arguments, questions: Option<&mut Questions>) -> anyhow::Result<bool> {
        let Key::Variable(variable) = &self.choice.key else { return Ok(true) };
        if arguments.key_stdin {
            let mut line = zeroize::Zeroizing::new(String::new());
            std::io::stdin().read_line(&mut line).context("cannot read the key")?;
            self.typed = Some(Secret::new(line.trim().to_owned()));
        } else if std::env::var_os(variable).is_some_and(|it| !it.is_empty()) {
            print(format_args!("The key is in {variable}."));
        } else if let Some(questions) = questions {
            print(format_args!("A key can be had at {}.", self.provider.key_page));
            self.typed = questions.secret(&format!("Key for {}", self.provider.name))?;
        }
        let has_key = self.typed.is_some() || std::env::var_os(variable).is_some_and(|it| !it.is_empty());
        if !has_key {
            say(format_args!(
                "the variable {variable} holds no key; set it, or pass the key with --key-stdin. A key can be had at {}",
                self.provider.key_page
            ));
        }
        Ok(has_key)
    }

    /// Finds the model, or asks for it. False if there is none, which was said.
    async fn take_model(
        &mut self,
        arguments: &Arguments,
        questions: Option<&mut Questions>,
    ) -> anyhow::Result<bool> {
        if arguments.model.is_some() {
            return Ok(true);
        }
        let endpoint = self.endpoint()?;
        match probe::models(&endpoint).await {
            Ok(models) => self.listed = models.unwrap_or_default(),
            Err(error) => {
                let Problem { what, next_step } = Problem::of(&error, &self.choice.provider, &[]);
                bad(&what, &next_step);
                if self.provider.is_local() {
                    print(format_args!("  {}: {}", self.provider.name, self.provider.key_page));
                }
                return Ok(false);
            }
        }
        let preferred = self.provider.preferred(&self.listed);
        let model = match (questions, preferred) {
            (Some(questions), preferred) => questions.model(&self.listed, preferred.as_deref())?,
            (None, Some(model)) => model,
            (None, None) => {
                say(format_args!("{} lists no model; name one with --model", self.provider.name));
                return Ok(false);
            }
        };
        self.choice.model = model;
        Ok(true)
    }

    /// The model as the server would reach it: the new configuration is loaded as the server loads it.
    fn endpoint(&self) -> anyhow::Result<Endpoint> {
        let mut choice = self.choice.clone();
        if choice.model.is_empty() {
            "unknown".clone_into(&mut choice.model);
        }
        let text = self.file.checked(|text| config_text::with(text, &choice))?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text)?;
        let variable = |name: &str| match (&choice.key, &self.typed) {
            (Key::Variable(it), Some(typed)) if it == name => Some(typed.expose().to_owned()),
            _ => std::env::var(name).ok(),
        };
        let sources = Sources {
            file: Some(&path),
            editor: &[],
            folders: &[],
            variable: &variable,
            readers: &Readers::default(),
        };
        let loaded = config::load(&sources, &mut Keys::default(), true);
        let fast = &loaded.settings.everywhere().fast;
        let is_it = |provider: &str, model: &str| provider == choice.provider && model == choice.model;
        if let Some(endpoint) = fast.candidates.iter().find(|it| is_it(&it.provider, &it.model)) {
            return Ok(endpoint.clone());
        }
        let why = fast.left_out.iter().find(|it| is_it(&it.provider, &it.model)).map(|it| it.why.clone());
        let why = why.unwrap_or_else(|| {
            let profile =
                "the active profile has candidates of its own; switch it off with `tandem profile --none`";
            let problem = loaded.problems.first().map(ToString::to_string);
            problem.unwrap_or_else(|| profile.to_owned())
        });
        anyhow::bail!("{} at {} cannot be used: {why}", choice.model, choice.provider)
    }

    /// Sends one small request. False if the model does not answer and is not wanted all the same.
    async fn test(&self, questions: Option<&mut Questions>) -> anyhow::Result<bool> {
        let endpoint = self.endpoint()?;
        let name = format!("{} at {}", self.choice.model, self.choice.provider);
        print(format_args!("Sending one small request to {name} …"));
        let model = connect_to(endpoint, Arc::new(|_| {}));
        match probe::ask(&*model).await {
            Ok(usage) => {
                let first = usage
                    .first_token
                    .map_or_else(String::new, |it| format!(", first token {} ms", it.as_millis()));
                let answer = format_args!(" {name} answered in {} ms{first}.", usage.total.as_millis());
                Styled::new(GOOD, "✓").plain(answer).print();
                Ok(true)
            }
            Err(error) => {
                let Problem { what, next_step } = Problem::of(&error, &self.choice.provider, &self.listed);
                bad(&what, &next_step);
                match questions {
                    Some(questions) => questions.confirm("Write the configuration all the same?", false),
                    None => {
                        say("nothing was written; --no-test writes it all the same");
                        Ok(false)
                    }
                }
            }
        }
    }

    /// Stores the key and writes the file, and says what follows from it.
    fn write(mut self) -> anyhow::Result<()> {
        let line = self.store_key();
        let text = self.file.checked(|text| config_text::with(text, &self.choice))?;
        self.file.write(text)?;
        let done = if self.file.exists() { "changed" } else { "written" };
        Styled::new(GOOD, "✓").plain(format_args!(" {} was {done}.", self.file.path.display())).print();
        if let Some(line) = line {
            print("\nAdd to your shell's profile, and start the editor from a new shell:\n");
            print(format_args!("  {line}"));
        }
        print("");
        self.say_price();
        self.say_privacy();
        print(
            "\nRunning servers follow at once. Next: README, \"Editors\"; `tandem doctor` checks everything.",
        );
        Ok(())
    }

    /// Puts a typed key into the keychain. Gives a line for the shell's profile where there is none.
    fn store_key(&mut self) -> Option<String> {
        let (Key::Variable(variable), Some(typed)) = (&self.choice.key, &self.typed) else { return None };
        let profile = format!("export {variable}=…    # your key");
        let Some(keychain) = Keychain::find(&std::env::var_os("PATH").unwrap_or_default()) else {
            return Some(profile);
        };
        match keychain.keep(&self.choice.provider, typed) {
            Ok(()) => {
                print("The key is in the system's keychain.");
                self.choice.key = Key::Command(keychain.lookup(&self.choice.provider));
                None
            }
            Err(why) => {
                say(format_args!("the key cannot be stored in the system's keychain: {why}"));
                Some(profile)
            }
        }
    }

    fn say_price(&self) {
        if self.provider.is_local() {
            return print("It costs nothing.");
        }
        // About 8 KB of window, half of it in the provider's cache, and one statement.
        let request =
            Usage { input_tokens: 2_000, cached_tokens: 1_000, output_tokens: 40, ..Usage::default() };
        match price_of(&config::prices(), &self.choice.model) {
            Some(price) => print(format_args!(
                "A request for ghost text costs about ${:.4}; `budget.day_dollars` sets a cap.",
                cost(&request, price)
            )),
            None => print(format_args!(
                "Its price is not known here: name it in `prices.\"{}\"`, or cap it with `budget.day_tokens`.",
                self.choice.model
            )),
        }
    }

    fn say_privacy(&self) {
        if self.provider.is_local() {
            print("Nothing leaves this machine.");
        } else {
            print(format_args!(
                "Code around the cursor is sent to {} while you type; `tandem context FILE:LINE:COL` shows exactly what.",
                self.choice.base_url
            ));
        }
    }
}

fn bad(what: &str, next_step: &str) {
    Styled::new(BAD, "✗").plain(format_args!(" {what}\n  ")).and(DIM, "→ ").plain(next_step).print();
}
