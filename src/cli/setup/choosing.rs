//! The steps from a provider to a working configuration: its key, a model, a test, the file.

use std::sync::Arc;

use super::arguments::Arguments;
use super::questions::Questions;
use super::report::{SetupReport, Status};
use crate::cli::config_file::ConfigFile;
use crate::cli::config_text::{self, Choice, Key};
use crate::cli::doctor::Problem;
use crate::cli::settings;
use crate::config::providers::{self, Provider};
use crate::config::{self, Endpoint, Keys, Secret, Sources, is_on_this_machine};
use crate::disk::Readers;
use crate::model::usage::{Meter, Terms, cost, known_price};
use crate::model::{ErrorKind, Model, ModelError, Usage, connect_to, identity, probe};

/// The gear for which the requests of setup are counted.
const GEAR: &str = "fast";

/// The choices so far.
pub(super) struct Setup {
    file: ConfigFile,
    pub(super) provider: &'static Provider,
    pub(super) choice: Choice,
    pub(super) report: SetupReport,
    /// A typed key, which is stored once the model has answered.
    pub(super) typed: Option<Secret>,
    /// The models that the provider lists.
    pub(super) listed: Vec<String>,
}

impl Setup {
    /// Starts with a provider at `base_url`.
    pub(super) fn new(
        provider: &'static Provider,
        base_url: String,
        arguments: &Arguments,
        file: ConfigFile,
        report: SetupReport,
    ) -> anyhow::Result<Self> {
        let name = match &arguments.name {
            Some(name) => name.clone(),
            None => name_in(&file, provider, &base_url)?,
        };
        let is_asked_for = arguments.key_variable.is_some() || arguments.key_stdin;
        let keeps_key = !is_asked_for && file.checked(|text| config_text::has_key(text, &name))?;
        let usual = provider.key_variable.as_deref();
        let usual = usual.filter(|_| is_asked_for || (!keeps_key && provider.needs_key()));
        let variable = arguments.key_variable.as_deref().or(usual);
        let choice = Choice {
            provider: name,
            base_url,
            wire: provider.wire.clone(),
            fim_dialect: provider.fim_dialect.clone(),
            key: variable.map_or(Key::None, |it| Key::Variable(it.to_owned())),
            model: arguments.model.clone().unwrap_or_default(),
            roles: if arguments.deep { vec!["fast", "deep"] } else { vec!["fast"] },
        };
        Ok(Self { file, provider, choice, report, typed: None, listed: Vec::new() })
    }

    /// Switches to another URL of the same provider.
    fn go_to(&mut self, base_url: String) -> anyhow::Result<()> {
        self.choice.provider = name_in(&self.file, self.provider, &base_url)?;
        self.choice.base_url = base_url;
        Ok(())
    }

    /// Finds the model, or asks for it. Returns false if there is none, which has been reported.
    pub(super) async fn take_model(
        &mut self,
        arguments: &Arguments,
        mut questions: Option<&mut Questions>,
    ) -> anyhow::Result<bool> {
        if arguments.model.is_some() {
            return Ok(true);
        }
        if !self.list(questions.as_deref_mut()).await? {
            return Ok(false);
        }
        let preferred = self.provider.preferred(&self.listed);
        let model = match (questions, preferred) {
            (Some(questions), preferred) => questions.model(&self.listed, preferred.as_deref())?,
            (None, Some(model)) => model,
            (None, None) => {
                self.report.wrong(format_args!(
                    "{} lists no models; correct the URL, which often ends in /v1, or name a model with --model",
                    self.choice.base_url
                ));
                return Ok(false);
            }
        };
        self.choice.model = model;
        Ok(true)
    }

    /// Fetches the provider's list of models. Returns false if it does not answer, which has been reported.
    ///
    /// On a terminal, a key or URL that turns out to be wrong is asked for again.
    pub(super) async fn list(&mut self, mut questions: Option<&mut Questions>) -> anyhow::Result<bool> {
        loop {
            let endpoint = self.endpoint()?;
            let error = match probe::models(&endpoint).await {
                Ok(models) => {
                    self.listed = models.unwrap_or_default();
                    return Ok(true);
                }
                Err(error) => error,
            };
            self.say_failure(&error, questions.is_some());
            let Some(questions) = questions.as_deref_mut() else { return Ok(false) };
            let is_mended = match error.kind() {
                kind if kind.is_of_key() => self.take_other_key(questions)?,
                ErrorKind::Offline if self.provider.base_url.is_empty() => {
                    let url = questions.url(&self.provider.example)?;
                    self.go_to(url)?;
                    self.offer_key(questions)?;
                    true
                }
                _ => false,
            };
            if !is_mended {
                return Ok(false);
            }
        }
    }

    /// Reports why the provider or the model does not answer.
    fn say_failure(&mut self, error: &ModelError, on_terminal: bool) {
        self.report.outcome.key_refused = error.kind().is_of_key();
        let problem = self.problem(error, on_terminal);
        self.report.bad(problem);
    }

    /// The problem, with a next step that suits a configuration that is not written yet.
    fn problem(&self, error: &ModelError, on_terminal: bool) -> Problem {
        let problem = Problem::of(error, &self.choice.provider, &self.listed);
        let is_elsewhere = self.choice.base_url != self.provider.base_url;
        let next_step = match error.kind() {
            kind if kind.is_of_key() => self.how_to_give_other_key(on_terminal),
            ErrorKind::Offline if self.provider.is_local() && !is_elsewhere => {
                format!("start it; to install it: {}", self.provider.key_page)
            }
            ErrorKind::Offline if is_elsewhere && !error.to_string().contains("certificate") => {
                "check the URL, the server, and the network or `proxy`".to_owned()
            }
            ErrorKind::NotFound if is_elsewhere => {
                "nothing at this URL serves models as OpenAI's API does; correct it: it often ends in /v1"
                    .to_owned()
            }
            // The list of models cannot be had, and nothing is configured yet that could be at fault.
            ErrorKind::Offline if self.choice.model.is_empty() => {
                "check the network or `proxy`, or name the model with --model".to_owned()
            }
            _ => problem.next_step,
        };
        Problem { next_step, ..problem }
    }

    /// The model to suggest from the list.
    pub(super) fn preferred(&self) -> Option<String> {
        self.provider.preferred(&self.listed)
    }

    /// The endpoint that the server would use.
    fn endpoint(&self) -> anyhow::Result<Endpoint> {
        Ok(self.loaded()?.0)
    }

    /// Loads the new configuration as the server does. Returns the endpoint that it would use, and what counts its
    /// requests.
    fn loaded(&self) -> anyhow::Result<(Endpoint, Arc<Meter>)> {
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
        let policy = settings::policy_files();
        let sources = Sources {
            policy: Some(&policy),
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
            let meter = Arc::new(settings::meter(loaded.settings.everywhere()));
            return Ok((endpoint.clone(), meter));
        }
        let why = fast.left_out.iter().find(|it| is_it(&it.provider, &it.model)).map(|it| it.why.clone());
        let why = why.unwrap_or_else(|| {
            let profile =
                "the active profile has candidates of its own; switch it off with `tandem profile --none`";
            let problem = loaded.problems.first().map(ToString::to_string);
            problem.unwrap_or_else(|| profile.to_owned())
        });
        match self.choice.model.as_str() {
            "" => anyhow::bail!("{} cannot be used: {why}", choice.provider),
            model => anyhow::bail!("{model} at {} cannot be used: {why}", choice.provider),
        }
    }

    /// Sends one small request. Returns false if the model does not answer and the user does not want it anyway.
    pub(super) async fn test(&mut self, mut questions: Option<&mut Questions>) -> anyhow::Result<bool> {
        let name = format!("{} at {}", identity::shown(&self.choice.model), self.choice.provider);
        loop {
            let (endpoint, meter) = self.loaded()?;
            self.report.line(format_args!("Sending one small request to {name} …"));
            let model = connect_to(endpoint.clone(), Arc::new(|_| {}));
            meter.asked(GEAR, probe::JOB, &endpoint);
            let error = match probe::ask(&*model).await {
                Ok(usage) => {
                    meter.answered(GEAR, probe::JOB, &endpoint, &usage);
                    self.say_answer(&name, &usage);
                    if self.provider.is_local() {
                        self.say_speed(&*model, &endpoint, &meter).await;
                    }
                    return Ok(true);
                }
                Err(error) => error,
            };
            self.say_failure(&error, questions.is_some());
            let Some(questions) = questions.as_deref_mut() else {
                if !self.report.is_json {
                    self.report.wrong("nothing was written; --no-test writes it anyway");
                }
                return Ok(false);
            };
            // Some servers list their models without checking the key.
            let is_mended = error.kind().is_of_key() && self.take_other_key(questions)?;
            if !is_mended {
                return questions.confirm("Write the configuration anyway?", false);
            }
        }
    }

    fn say_answer(&mut self, name: &str, usage: &Usage) {
        let first =
            usage.first_token.map_or_else(String::new, |it| format!(", first token {} ms", it.as_millis()));
        let total = usage.total.as_millis();
        self.report.outcome.answered_ms = u64::try_from(total).ok();
        self.report.good(format_args!("{name} answered in {total} ms{first}."));
    }

    /// Measures the speed of a local model, which is free of charge, and reports what to expect.
    async fn say_speed(&mut self, model: &dyn Model, endpoint: &Endpoint, meter: &Arc<Meter>) {
        self.report.line("Measuring how fast it reads and writes …");
        meter.asked(GEAR, probe::JOB, endpoint);
        match probe::pace(model, endpoint).await {
            Ok((pace, usage)) => {
                meter.answered(GEAR, probe::JOB, endpoint, &usage);
                self.report.line(format_args!("It {}.", pace.expectation()));
            }
            Err(error) => self.report.line(format_args!(
                "Its speed is not known: {error}. It may be too slow for ghost text; `tandem doctor` measures it again."
            )),
        }
    }

    /// Stores the key, writes the file, and reports cost and privacy.
    pub(super) fn write(mut self) -> anyhow::Result<SetupReport> {
        let line = self.store_key();
        let text = self.file.checked(|text| config_text::with(text, &self.choice))?;
        let path = self.file.path.display().to_string();
        let status = match self.file.text() {
            None => Status::Written,
            Some(before) if before == text => Status::Unchanged,
            Some(_) => Status::Changed,
        };
        match status {
            Status::Unchanged => self.report.good(format_args!("{path} has all of it already.")),
            _ => {
                self.file.write(text)?;
                let done = if status == Status::Changed { "changed" } else { "written" };
                self.report.good(format_args!("{path} was {done}."));
            }
        }
        if let Some(line) = &line {
            let where_to = if cfg!(windows) { "Run" } else { "Add to your shell's profile" };
            self.report
                .line(format_args!("\n{where_to}, with your key, and start the editor from a new shell:\n"));
            self.report.line(format_args!("  {line}"));
        }
        self.report.line("");
        self.say_price();
        self.say_privacy();
        if self.endpoint().is_ok_and(|it| it.edit_dialect.is_some()) {
            self.report.note(
                "Experimental: it was trained for edits, and no reply of such a model has been read in a test yet.",
            );
        }
        let follow = if line.is_some() { "" } else { "Running editors follow at once. " };
        self.report.line(format_args!("\n{follow}`tandem doctor` checks everything, plugins included."));
        let outcome = &mut self.report.outcome;
        (outcome.status, outcome.path, outcome.profile_line) = (status, path, line);
        Ok(self.report)
    }

    /// Whether the model itself runs on this machine; a local gateway may forward requests.
    fn stays_here(&self) -> bool {
        self.provider.is_local() && is_on_this_machine(&self.choice.base_url)
    }

    fn say_price(&mut self) {
        if self.stays_here() {
            return self.report.note("It costs nothing.");
        }
        // A window of about 8 KB, half of it in the provider's cache, and one statement of output.
        let request =
            Usage { input_tokens: 2_000, cached_tokens: 1_000, output_tokens: 40, ..Usage::default() };
        match known_price(&self.choice.base_url, &self.choice.model) {
            Some(price) => {
                let provider = providers::of_url(&self.choice.base_url);
                let source = provider.map(|it| format!(" by {} of {}", it.source, it.noted));
                self.report.note(format_args!(
                    "A request for ghost text costs about ${:.4}{}; `budget.day_dollars` sets a cap.",
                    cost(&request, &price, Terms::default()),
                    source.unwrap_or_default()
                ));
            }
            None if is_on_this_machine(&self.choice.base_url) => self.report.note(format_args!(
                "Counted as free. If that server forwards to a paid API, add its price to the file, in a table `[prices.\"{}\"]`.",
                self.choice.model
            )),
            None => {
                let why = self.provider.unpriced.as_ref().map(|why| format!(", since {why}"));
                self.report.note(format_args!(
                    "Its price is not known here{}: write it into the file, in a table `[prices.\"{}\"]`, or set a cap with `budget.day_tokens`.",
                    why.unwrap_or_default(),
                    self.choice.model
                ));
            }
        }
    }

    fn say_privacy(&mut self) {
        if self.stays_here() {
            self.report.note("Nothing leaves this machine.");
        } else {
            self.report.note(format_args!(
                "Code around the cursor is sent to {} while you type; `tandem context FILE:LINE:COL` shows exactly what.",
                self.choice.base_url
            ));
        }
    }
}

fn name_in(file: &ConfigFile, provider: &Provider, base_url: &str) -> anyhow::Result<String> {
    provider.name_of(base_url, |name| file.checked(|text| config_text::is_free(text, name, base_url)))
}
