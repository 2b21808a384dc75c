//! The settings that the rest of the crate reads: plain data, cheap to share.
//!
//! The sources that users write are first merged as [`options`], then [`resolve`]d once. An invalid value is
//! reported by name and position, and the valid ones are kept. A project's settings are [held in bounds](project),
//! since they come with the code. Only [`load`] and [`key`] touch the machine.

mod bill;
mod budget;
mod canary;
mod endpoint;
mod fail_closed;
mod key;
mod keys;
mod lease;
mod limits;
mod load;
pub mod models;
mod network;
mod node;
mod obstacle;
mod options;
pub mod policy;
pub mod prices;
mod project;
pub mod providers;
mod read;
mod resolve;
mod resolve_bill;
mod resolve_lease;
mod resolve_requester;
mod resolve_telemetry;
mod resolve_token;
#[cfg(test)]
mod schema;
mod scoped;
mod secret;
mod template;
mod token;
pub mod token_answer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::policy::PolicyReport;
use crate::disk;
use crate::privacy::PathRules;
use crate::text::named;

pub use bill::BillSettings;
pub use budget::{Budget, LongInput, Price, TierFactor};
pub use canary::Canary;
pub use endpoint::{EditDialect, Endpoint, FimDialect, Role, ServerCommand, UnavailableCandidate, Wire};
pub use key::{KeyCommand, NO_KEY_HAS, is_key};
pub use keys::Keys;
pub use lease::{LeaseDatabase, LeaseSettings};
pub use load::{Loaded, PROJECT_FILE, Sources, load, reload};
pub use network::{complete_url, is_on_this_machine, is_this_machine};
pub use obstacle::is_variable_name;
pub use read::Problem;
pub use scoped::Scoped;
pub use secret::Secret;
pub use template::{Placeholder, RequesterInfo, Template};
pub use token::{Issued, Known, SubjectToken, Token, TokenExchange, TokenSource, WeakToken};

/// All settings, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The place of a mistake that keeps all models from being asked, such as `config.toml:1:21`.
    pub correction: Option<std::sync::Arc<str>>,
    /// The models for ghost text, next edits, fixes and rewrites.
    ///
    /// Without a candidate, the local engine answers.
    pub fast: Role,
    /// The model on trial beside the fast models, if there is one.
    pub canary: Option<Canary>,
    /// The models for work that needs reasoning or touches several files.
    pub deep: Role,
    /// The maximum size of a file that Tandem works in, in bytes.
    pub max_file_bytes: usize,
    /// The maximum number of lines in one ghost text.
    pub max_ghost_lines: usize,
    /// How readily suggestions appear automatically, unless the language overrides it.
    pub eagerness: Eagerness,
    /// Whether a suggestion is only indicated, and shown on request.
    pub indicator_only: bool,
    /// Whether the continuation of a suggestion is requested before it is accepted.
    ///
    /// It takes a second request per suggestion, mostly in vain: one in three or four is accepted.
    pub speculate: bool,
    /// Whether next edits are suggested, unless the language overrides it.
    pub next_edit: bool,
    /// Whether the fast model makes fixes before they are asked for.
    pub background_fixes: bool,
    /// The diagnostics for which a model's ready fixes are applied together with all certain fixes.
    ///
    /// Each is `SOURCE` or `SOURCE:CODE`.
    pub model_fixes_on_save: Vec<String>,
    /// Whether ready fixes are applied before each save, in editors that ask servers then.
    pub fix_before_save: bool,
    /// Whether edits may add invisible characters.
    pub allow_invisible_characters: bool,
    /// Overrides for a language, by the editor's `languageId`.
    pub languages: BTreeMap<String, Language>,
    /// The parts of code in which nothing is suggested automatically.
    pub disable_in: BTreeSet<CommentOrString>,
    /// The rules for the data that is sent to models.
    pub privacy: Privacy,
    /// Answers that are requested at once for each fast step of a plan.
    pub plan_candidates: usize,
    /// The command that checks whether a change of many files works.
    ///
    /// `None` if there is none, or the workspace is not trusted.
    pub verify: Option<Verify>,
    /// Limits on spending.
    pub budget: Budget,
    /// The part of a company's budget that is leased.
    pub lease: Option<std::sync::Arc<LeaseSettings>>,
    /// The prices of tokens that the user set, by model.
    pub prices: BTreeMap<String, Price>,
    /// Whether the flight recorder is on.
    pub record: bool,
    /// The collector to which requests are reported, without any text.
    pub telemetry: Option<Endpoint>,
    /// Where the bill goes, and who is on it.
    pub bill: BillSettings,
    /// How code should be written, in the user's or the project's words.
    pub style: Option<String>,
    /// The company's policy, if this machine has one; its rules are applied.
    pub policy: Option<std::sync::Arc<PolicyReport>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            correction: None,
            fast: Role::default(),
            canary: None,
            deep: Role::default(),
            max_file_bytes: 5 * 1024 * 1024,
            max_ghost_lines: 12,
            eagerness: Eagerness::default(),
            indicator_only: false,
            speculate: false,
            next_edit: true,
            background_fixes: true,
            model_fixes_on_save: Vec::new(),
            fix_before_save: false,
            allow_invisible_characters: false,
            languages: BTreeMap::new(),
            disable_in: BTreeSet::new(),
            privacy: Privacy::default(),
            plan_candidates: 1,
            verify: None,
            budget: Budget::default(),
            lease: None,
            prices: BTreeMap::new(),
            record: false,
            telemetry: None,
            bill: BillSettings::default(),
            style: None,
            policy: None,
        }
    }
}

impl Settings {
    /// Whether Tandem works in files of this `languageId`.
    pub fn is_enabled(&self, language_id: &str) -> bool {
        self.languages.get(language_id).is_none_or(|it| it.enabled)
    }

    /// Whether a model's fix for such a diagnostic may be applied together with all certain fixes.
    pub fn allows_model_fix(&self, source: Option<&str>, code: Option<&str>) -> bool {
        let Some(source) = source else { return false };
        self.model_fixes_on_save.iter().any(|allowed| match allowed.split_once(':') {
            Some((of, wanted)) => of == source && Some(wanted) == code,
            None => allowed == source,
        })
    }

    /// How readily suggestions appear automatically in files of this `languageId`.
    pub fn eagerness(&self, language_id: &str) -> Eagerness {
        self.languages.get(language_id).and_then(|it| it.eagerness).unwrap_or(self.eagerness)
    }

    /// Whether next edits are suggested in files of this `languageId`.
    pub fn next_edit(&self, language_id: &str) -> bool {
        self.languages.get(language_id).and_then(|it| it.next_edit).unwrap_or(self.next_edit)
    }
}

named! {
    /// How readily suggestions appear automatically.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
    #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
    pub enum Eagerness {
        /// Only suggestions that are almost certainly wanted.
        Low = "low",
        /// Suggestions that are likely to be wanted.
        #[default]
        Medium = "medium",
        /// Every suggestion that can be made.
        High = "high",
    }
}

named! {
    /// Which files besides the current one a request may quote, from the narrowest choice to the widest.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
    #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
    pub enum ContextScope {
        /// None.
        File = "file",
        /// Those that are open in the editor.
        Open = "open",
        /// All files of the workspace folders that may be shown at all.
        #[default]
        Workspace = "workspace",
    }
}

/// A command that checks whether a change works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    /// The program and its arguments; not empty.
    pub command: Vec<String>,
    /// The time after which it is killed.
    pub timeout: Duration,
    /// Folders in which it runs without asking.
    pub without_asking: Vec<PathBuf>,
    /// Environment variables that it gets, in addition to those that builds need.
    pub variables: Vec<String>,
    /// Whether it is confined, where the system supports that.
    pub sandbox: bool,
    /// Whether it can use the network when confined.
    pub network: bool,
    /// The user's files and folders that it may read when confined.
    pub readable: Vec<PathBuf>,
    /// Files and folders that it may write when confined.
    pub writable: Vec<PathBuf>,
}

impl Verify {
    /// A command that needs confirmation, is confined where possible, and gets nothing else.
    pub fn new(command: Vec<String>, timeout: Duration) -> Self {
        Self {
            command,
            timeout,
            without_asking: Vec::new(),
            variables: Vec::new(),
            sandbox: true,
            network: false,
            readable: Vec::new(),
            writable: Vec::new(),
        }
    }

    /// Whether the user allows the command to run in a folder without asking.
    ///
    /// Blocks on the disk.
    pub fn runs_unasked(&self, root: &Path) -> bool {
        self.without_asking.iter().any(|it| disk::real(it).is_ok_and(|it| root.starts_with(it)))
    }

    /// The command as a user would write it.
    pub fn shown(&self) -> String {
        shlex::try_join(self.command.iter().map(String::as_str)).unwrap_or_else(|_| self.command.join(" "))
    }
}

/// Overrides for one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// Whether Tandem works in files of the language.
    pub enabled: bool,
    /// How readily suggestions appear automatically; `None` for the general setting.
    pub eagerness: Option<Eagerness>,
    /// Whether next edits are suggested; `None` for the general setting.
    pub next_edit: Option<bool>,
}

impl Default for Language {
    fn default() -> Self {
        Self { enabled: true, eagerness: None, next_edit: None }
    }
}

named! {
    /// A part of a file that is not code.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
    pub enum CommentOrString {
        /// Comments.
        Comment = "comment",
        /// String literals.
        String = "string",
    }
}

/// The rules for the data that is sent to models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// Globs of files that are never sent to a model, in addition to the built-in ones.
    pub deny: Vec<String>,
    /// Globs of files that may be sent although a built-in glob or an ignore file matches them.
    pub allow: Vec<String>,
    /// Whether probable keys are redacted in requests.
    pub redact: bool,
    /// The files that may be shown in addition to the one that is worked in.
    pub context: ContextScope,
    /// The globs and the built-in ones, compiled.
    pub path_rules: PathRules,
}

impl Default for Privacy {
    fn default() -> Self {
        Self {
            deny: Vec::new(),
            allow: Vec::new(),
            redact: true,
            context: ContextScope::default(),
            path_rules: PathRules::default(),
        }
    }
}

/// The path of the configuration file: `TANDEM_CONFIG`, else `tandem/config.toml` in the user's configuration folder
/// (`XDG_CONFIG_HOME`, or `~/.config`).
pub fn default_path() -> Option<PathBuf> {
    // An empty variable counts as unset.
    if let Some(path) = std::env::var_os("TANDEM_CONFIG").filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    Some(disk::configuration_folder()?.join("tandem").join("config.toml"))
}
