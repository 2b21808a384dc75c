//! What users write, field for field, with the words that the JSON schema has for it.
//!
//! Nothing is judged here except whether it can be read.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::node::{Node, RawValue};
use super::read::{Merge, Read, Reading, Word};
use super::{CommentOrString, Eagerness, FimDialect, Secret};

/// Tables whose keys are the names of the fields.
macro_rules! tables {
    ($($(#[$about:meta])* $table:ident { $($(#[$what:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        #[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
        pub(super) struct $table { $($(#[$what])* pub(super) $field: $type,)* }

        impl $table {
            /// The names that may be written here.
            pub(super) const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];
        }

        impl Merge for $table {
            fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
                reading.table(node, Self::NAMES, |name, node, reading| {
                    match name {
                        $(stringify!($field) => self.$field.merge_from(node, reading),)*
                        _ => return false,
                    }
                    true
                });
            }
        }

        impl Read for $table {
            fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
                let mut table = Self::default();
                table.merge_from(node, reading);
                Some(table)
            }
        }
    )*};
}

tables! {
    /// The configuration as written.
    Options {
        /// The profile in force: the values of the table `profiles.NAME` are laid over the rest.
        profile: Option<String>,
        /// Named sets of settings, of which `profile` picks one.
        profiles: Profiles,
        /// Who serves models, by a name of your choice.
        providers: BTreeMap<String, Checked<Provider>>,
        /// The models for ghost text, next edits, fixes and rewrites.
        fast: Role,
        /// The models for work that takes thought or touches several files.
        deep: Role,
        /// Files larger than this many bytes are not followed.
        max_file_bytes: Option<usize>,
        /// Lines of one suggestion at most.
        max_ghost_lines: Option<NonZeroUsize>,
        /// How readily something is suggested unasked.
        eagerness: Option<Eagerness>,
        /// Only show that there is a suggestion, until it is asked for.
        indicator_only: Option<bool>,
        /// Ask for what comes after a suggestion before it is accepted.
        speculate: Option<bool>,
        /// Suggest next edits.
        next_edit: Option<bool>,
        /// Let edits bring in characters that cannot be seen: control characters, zero-width ones, changes of direction.
        allow_invisible_characters: Option<bool>,
        /// What is different for a language, by the editor's `languageId`.
        languages: BTreeMap<String, Language>,
        /// The parts of code in which nothing is suggested unasked.
        disable_in: Option<Vec<CommentOrString>>,
        /// What may leave the machine.
        privacy: Privacy,
        /// Caps; once one is reached no model is asked any more.
        budget: Budget,
        /// What tokens cost, by model, in US dollars per million.
        prices: BTreeMap<String, Price>,
        /// How code is to be written, in your words; part of every prompt.
        style: Option<String>,
        /// The proxy for all providers beyond this machine, `http://[user:password@]host:port`; `none` for no proxy,
        /// whatever the environment says.
        proxy: Option<Secret>,
        /// PEM certificates to trust beside the usual ones.
        ca_file: Option<PathBuf>,
        /// Whether the editor may set everything that this file may; if not, what it sends counts as the project's.
        /// Only read in the configuration file.
        trust_editor: Option<bool>,
        /// Whether the project is trusted; if not, its `.tandem.toml` is ignored and what the editor sends counts as
        /// the project's. Only read in what the editor sends.
        trusted: Option<bool>,
    }

    /// Who serves models.
    Provider {
        /// The API's base, such as `https://api.openai.com/v1`; the wire adds its path.
        base_url: Option<Secret>,
        /// The environment variable that holds the key.
        api_key_env: Option<String>,
        /// The command that prints the key on its first line, such as `pass show openai`. Runs without a shell.
        api_key_command: Option<CommandLine>,
        /// How it is talked to.
        wire: Option<WireName>,
        /// The shape of a fill-in-the-middle request, with `wire = "fim"`.
        fim_dialect: Option<FimDialect>,
        /// Further headers of every request.
        headers: BTreeMap<String, Option<Header>>,
        /// The proxy for this provider; `none` for no proxy.
        proxy: Option<Secret>,
        /// PEM certificates to trust beside the usual ones, for this provider.
        ca_file: Option<PathBuf>,
        /// Whether compression is offered for what goes over a socket; without it, beyond this machine.
        deflate: Option<bool>,
    }

    /// The models that may do one kind of work.
    Role {
        /// The models, the preferred one first.
        candidates: Option<Vec<Candidate>>,
        /// After how many milliseconds without an answer to ask once more elsewhere; never without it.
        hedge_ms: Option<u64>,
    }

    /// One model.
    Candidate {
        /// The provider's name in `providers`.
        provider: Option<String>,
        /// The model's name, as the provider has it.
        model: Option<String>,
        /// How hard a reasoning model is to think.
        reasoning_effort: Option<String>,
        /// The class of service to ask for.
        service_tier: Option<String>,
    }

    /// What is different for one language.
    Language {
        /// Whether anything is done in its files.
        enabled: Option<bool>,
        /// How readily something is suggested unasked.
        eagerness: Option<Eagerness>,
        /// Suggest next edits.
        next_edit: Option<bool>,
    }

    /// What may leave the machine.
    Privacy {
        /// Globs of files that no model is shown, beside the built-in ones. Every source adds to them.
        deny: Globs,
        /// Globs of files that are shown although a built-in glob or an ignore file names them.
        allow: Option<Vec<String>>,
        /// Take what looks like a key out of what is sent.
        redact: Option<bool>,
    }

    /// Caps; once one is reached no model is asked any more.
    Budget {
        /// US dollars from the server's start to its end.
        session_dollars: Option<f64>,
        /// US dollars in one day.
        day_dollars: Option<f64>,
        /// Tokens, read and written, from the server's start to its end.
        session_tokens: Option<u64>,
        /// Tokens, read and written, in one day.
        day_tokens: Option<u64>,
    }

    /// What a model costs, in US dollars per million tokens.
    Price {
        /// Tokens read.
        input: Option<f64>,
        /// Tokens read that came from the provider's cache; as `input` without it.
        cached: Option<f64>,
        /// Tokens written.
        output: Option<f64>,
    }
}

/// A table that is of no use unless all of it can be read: without its proxy, for example, it would mean something else.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub(super) struct Checked<T> {
    pub(super) table: T,
    /// Whether something in it could not be read.
    #[cfg_attr(test, schemars(skip))]
    pub(super) is_broken: bool,
}

impl<T: Merge> Merge for Checked<T> {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        let before = reading.problems();
        self.table.merge_from(node, reading);
        self.is_broken |= reading.problems() > before;
    }
}

/// Sets of settings that are read once it is known which one counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Profiles(pub(super) Vec<(String, Node)>);

impl Merge for Profiles {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        match node.value {
            RawValue::Table(entries) => self.0.extend(entries),
            RawValue::Nothing => {}
            _ => reading.expected("a table", &node),
        }
    }
}

/// Globs that only grow: what one source hides, no other one shows.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub(super) struct Globs(pub(super) Vec<String>);

impl Merge for Globs {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        let mut globs: Option<Vec<String>> = None;
        globs.merge_from(node, reading);
        self.0.extend(globs.unwrap_or_default());
    }
}

/// A command and its arguments: a list, or a string that is split as a shell would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandLine(pub(super) Vec<String>);

impl Read for CommandLine {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let at = node.at;
        let words = match node.value {
            RawValue::Text(line) => shlex::split(&line),
            RawValue::List(_) => Vec::read(node, reading),
            _ => {
                reading.expected("a string or a list of strings", &node);
                return None;
            }
        };
        let words = words.filter(|words| !words.is_empty());
        if words.is_none() {
            reading.wrong(at, "expected a command; is there a quote without its end?");
        }
        words.map(Self)
    }
}

/// A header's value: as written, or from the environment.
#[derive(Debug, Clone)]
pub(super) enum Header {
    Text(Secret),
    Variable(String),
}

impl Read for Header {
    fn read(mut node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        match node.take("env") {
            Some(variable) => String::read(variable, reading).map(Self::Variable),
            None if matches!(node.value, RawValue::Table(_)) => {
                reading.wrong(node.at, "expected a string, or { env = \"VARIABLE\" }");
                None
            }
            None => Secret::read(node, reading).map(Self::Text),
        }
    }
}

/// How a provider is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "kebab-case"))]
pub(super) enum WireName {
    #[default]
    ResponsesWebsocket,
    ResponsesSse,
    Chat,
    Fim,
}

impl Word for WireName {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("responses-websocket", Self::ResponsesWebsocket),
        ("responses-sse", Self::ResponsesSse),
        ("chat", Self::Chat),
        ("fim", Self::Fim),
    ];
}

impl Word for FimDialect {
    const WORDS: &'static [(&'static str, Self)] =
        &[("completions", Self::Completions), ("infill", Self::Infill), ("mistral", Self::Mistral)];
}

impl Word for Eagerness {
    const WORDS: &'static [(&'static str, Self)] =
        &[("low", Self::Low), ("medium", Self::Medium), ("high", Self::High)];
}

impl Word for CommentOrString {
    const WORDS: &'static [(&'static str, Self)] = &[("comment", Self::Comment), ("string", Self::String)];
}
