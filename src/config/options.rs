//! The configuration as users write it. The doc comments are the descriptions in the JSON schema.
//!
//! Values are only read here; [`resolve`](super::resolve) checks and combines them.

mod values;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::node::Node;
use super::read::{Merge, Read, Reading};
use super::{CommentOrString, ContextScope, Eagerness, FimDialect, Secret, Wire};
pub(super) use values::{Checked, CommandLine, EditDialectName, Globs, Header, Profiles};

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
pub(super) use tables;

tables! {
    /// The configuration as written.
    Options {
        /// The active profile: the values of the table `profiles.NAME` override the others.
        profile: Option<String>,
        /// Named sets of settings; `profile` selects one.
        profiles: Profiles,
        /// The providers of models, by a name of your choice.
        providers: BTreeMap<String, Checked<Provider>>,
        /// The models for ghost text, next edits, fixes and rewrites.
        fast: FastRole,
        /// The models for work that needs reasoning or touches several files.
        deep: Role,
        /// The size of the largest file that is worked on, in bytes.
        max_file_bytes: Option<usize>,
        /// The maximum number of lines in one suggestion. A block that begins in it may have up to three times as many.
        max_ghost_lines: Option<NonZeroUsize>,
        /// How readily suggestions appear automatically.
        eagerness: Option<Eagerness>,
        /// Only indicate that there is a suggestion, and show it on request.
        indicator_only: Option<bool>,
        /// Request the continuation of a suggestion before it is accepted.
        speculate: Option<bool>,
        /// Suggest next edits.
        next_edit: Option<bool>,
        /// Have the fast model make fixes for the nearest diagnostics before you ask for them. Switch it off to save
        /// power or tokens.
        background_fixes: Option<bool>,
        /// The diagnostics whose fixes `source.fixAll.tandem` takes from a model, if they are ready: a source such as
        /// `rustc`, or a source and a code such as `rustc:E0425`.
        model_fixes_on_save: Option<Vec<String>>,
        /// Have the ready fixes made before each save, in editors that ask servers then (`willSaveWaitUntil`). Read at
        /// the start.
        fix_before_save: Option<bool>,
        /// Allow edits that add invisible characters: control characters, zero-width ones, changes of direction.
        allow_invisible_characters: Option<bool>,
        /// Overrides for a language, by the editor's `languageId`.
        languages: BTreeMap<String, Language>,
        /// The parts of code in which nothing is suggested automatically.
        disable_in: Option<Vec<CommentOrString>>,
        /// What may be sent to models.
        privacy: Privacy,
        /// How changes of many files are made.
        plan: Plan,
        /// The command that checks whether a change of many files works. Only read in the configuration file.
        verify: Verify,
        /// Limits on spending; once one is reached, no more requests are sent.
        budget: Budget,
        /// The prices of tokens, by model, in US dollars per million.
        prices: BTreeMap<String, Price>,
        /// Record what is typed, asked and suggested in files of your own, which never leave the machine by themselves
        /// (`tandem record`).
        record: Option<bool>,
        /// A collector of your own to which requests are reported over OpenTelemetry's protocol (OTLP), without any
        /// text. Only read in the configuration file.
        telemetry: Telemetry,
        /// Where the usage of each finished day goes, by user, job and model, without any text. Only read in the
        /// configuration file.
        bill: Bill,
        /// How code should be written, in your own words; part of every prompt.
        style: Option<String>,
        /// The proxy for all providers that are not on this machine, `http://[user:password@]host:port`; `none` ignores
        /// the environment's proxy too.
        proxy: Option<Secret>,
        /// A file of PEM certificates to trust in addition to the default ones.
        ca_file: Option<PathBuf>,
        /// Whether the editor may set everything that this file may. If not, its settings are restricted like a
        /// project's. Only read in the configuration file.
        trust_editor: Option<bool>,
        /// Whether the project is trusted. If not, its `.tandem.toml` is ignored, and the editor's settings are
        /// restricted like a project's. Only read in the editor's settings.
        trusted: Option<bool>,
    }

    /// A collector of telemetry.
    Telemetry {
        /// The base URL for OTLP over HTTP, such as `http://localhost:4318`. Unset, nothing is reported.
        endpoint: Option<Secret>,
        /// Additional headers for every report.
        headers: BTreeMap<String, Option<Header>>,
    }

    /// Where the usage of each finished day goes.
    Bill {
        /// The file to which its lines are appended.
        file: Option<PathBuf>,
        /// The URL to which its lines are posted: over HTTPS unless it is on this machine.
        url: Option<Secret>,
        /// Additional headers for the URL.
        headers: BTreeMap<String, Option<Header>>,
        /// The name of the user. The default is that of `budget.lease`, and then that of the account.
        user: Option<String>,
        /// The name of the team. The default is that of `budget.lease`.
        team: Option<String>,
    }

    /// A provider of models.
    Provider {
        /// The base URL of the API, such as `https://api.openai.com/v1`; the wire adds its path.
        base_url: Option<Secret>,
        /// The environment variable that holds the key.
        api_key_env: Option<String>,
        /// The command that prints the key on its first line, such as `pass show openai`. Runs without a shell.
        api_key_command: Option<CommandLine>,
        /// The command that prints a token which ends, such as `az account get-access-token`. Runs without a shell and
        /// without a terminal, ahead of the token's end. Only read in the configuration file.
        token_command: Option<CommandLine>,
        /// The exchange of a token of yours for one of the provider, which ends (RFC 8693). Only read in the
        /// configuration file.
        token_exchange: Option<TokenExchange>,
        /// The command that starts a language server, with `wire = "lsp"`, such as
        /// `copilot-language-server --stdio`. Runs without a shell, in the folder of the configuration file. Only read
        /// in the configuration file.
        command: Option<CommandLine>,
        /// The API, and the transport it is used over.
        wire: Option<Wire>,
        /// The shape of a fill-in-the-middle request, with `wire = "fim"`.
        fim_dialect: Option<FimDialect>,
        /// Additional headers for every request. In a text, `{user}`, `{team}`, `{session}`, `{job}`,
        /// `{file}` and `{traceparent}` identify who asks.
        headers: BTreeMap<String, Option<Header>>,
        /// The entries of the field `metadata` in every request, by name, with the same placeholders.
        metadata: BTreeMap<String, Option<Header>>,
        /// What requests have in common whose beginnings a cache may share, with the same placeholders. The default is
        /// `{file}` where the API has the field.
        prompt_cache_key: Option<String>,
        /// The claim of the provider's token, a JSON Web Token, that names your team, or a JSON pointer to it such as
        /// `/realm/team`. It comes before `bill.team`.
        team_claim: Option<String>,
        /// The proxy for this provider; `none` for no proxy.
        proxy: Option<Secret>,
        /// A file of PEM certificates to trust for this provider, in addition to the default ones.
        ca_file: Option<PathBuf>,
        /// Offer to compress the messages on a WebSocket. The default is to do so unless the provider is on this machine.
        deflate: Option<bool>,
    }

    /// An exchange of a token of yours for one of the provider (RFC 8693). Only read in the configuration file.
    TokenExchange {
        /// The token endpoint: over HTTPS unless it is on this machine.
        url: Option<Secret>,
        /// The file that holds your token. It is read for each exchange.
        subject_token_file: Option<PathBuf>,
        /// The environment variable that holds your token.
        subject_token_env: Option<String>,
        /// The kind of your token; by default `urn:ietf:params:oauth:token-type:jwt`.
        subject_token_type: Option<String>,
        /// The service that the new token is for.
        audience: Option<String>,
        /// The rights that the new token is to have, with blanks between them.
        scope: Option<String>,
        /// What else the endpoint wants, by name.
        parameters: BTreeMap<String, Option<String>>,
        /// Send JSON instead of the form of the standard.
        json: Option<bool>,
        /// The name of the client, where the endpoint wants one.
        client_id: Option<String>,
        /// The environment variable that holds the client's secret.
        client_secret_env: Option<String>,
    }

    /// The models for one kind of work.
    Role {
        /// The models, the preferred one first.
        candidates: Option<Vec<Candidate>>,
        /// Milliseconds without an answer after which a second request is sent, to another place. Unset, none is sent.
        hedge_ms: Option<u64>,
    }

    /// The models for ghost text, next edits, fixes and rewrites.
    FastRole {
        /// The models, the preferred one first.
        candidates: Option<Vec<Candidate>>,
        /// Milliseconds without an answer after which a second request is sent, to another place. Unset, none is sent.
        hedge_ms: Option<u64>,
        /// A model on trial: at a share of the pauses it is asked, too, and a coin decides whose ghost text is shown.
        canary: Canary,
    }

    /// A model on trial beside the fast ones.
    Canary {
        /// The model, and what it falls back on.
        candidates: Option<Vec<Candidate>>,
        /// The share of the pauses at which both are asked, above 0 and up to 1.
        share: Option<f64>,
        /// The share of its requests that may fail before it is no longer asked.
        max_refused: Option<f64>,
        /// Milliseconds that 19 of 20 of its answers have to take less than.
        max_p95_ms: Option<u64>,
        /// US dollars that its answers may take.
        dollars: Option<f64>,
    }

    /// One model.
    Candidate {
        /// The provider's name in `providers`.
        provider: Option<String>,
        /// The provider's name for the model.
        model: Option<String>,
        /// The effort that a reasoning model spends.
        reasoning_effort: Option<String>,
        /// The service tier to request.
        service_tier: Option<String>,
        /// Milliseconds that an explicit request for ghost text waits for the model; an automatic one waits a fifth of
        /// it. What the model is shown is cut to what it can read in that time.
        wait_ms: Option<NonZeroUsize>,
        /// Tokens that the model takes in and gives out together, if the built-in table or the provider's list is wrong.
        window: Option<NonZeroUsize>,
        /// How long the provider is to keep what it caches, such as `12h`. Unset, it is the provider's choice.
        cache_ttl: Option<String>,
        /// Experimental. The form in which a model that was trained for edits predicts them; `none` for a model that was
        /// not. Unset, the built-in table knows it by the model's name.
        edit_dialect: Option<EditDialectName>,
    }

    /// Overrides for one language.
    Language {
        /// Whether Tandem works in files of the language.
        enabled: Option<bool>,
        /// How readily suggestions appear automatically.
        eagerness: Option<Eagerness>,
        /// Suggest next edits.
        next_edit: Option<bool>,
    }

    /// What may be sent to models.
    Privacy {
        /// Globs of files that are never sent to a model, in addition to the built-in ones. Every source adds to them.
        deny: Globs,
        /// Globs of files that may be sent although a built-in glob or an ignore file matches them.
        allow: Option<Vec<String>>,
        /// Redact what looks like a key in everything that is sent.
        redact: Option<bool>,
        /// Which files a model may be shown beside the one that you work in: `file` for none, `open` for those open in
        /// the editor, `workspace` for all of the project. A project can only narrow it.
        context: Option<ContextScope>,
    }

    /// How changes of many files are made.
    Plan {
        /// Answers that are requested at once for each step that the fast model does; the smallest sound one is taken.
        candidates: Option<NonZeroUsize>,
    }

    /// The command that checks whether a change of many files works. Only read in the configuration file.
    Verify {
        /// The command, such as `cargo test`. It runs without a shell, in a copy of the workspace.
        command: Option<CommandLine>,
        /// Seconds after which it is killed.
        timeout_seconds: Option<NonZeroUsize>,
        /// Folders of projects in which it runs without asking, although a model wrote what it runs.
        without_asking: Option<Vec<PathBuf>>,
        /// Environment variables that it gets besides those that builds need.
        variables: Option<Vec<String>>,
        /// Confine it where the system has `bwrap`, `unshare` or `sandbox-exec`. On by default.
        sandbox: Option<bool>,
        /// Let it use the network there. Off by default.
        network: Option<bool>,
        /// Files and folders below your home folder that it may read there besides the usual toolchains.
        readable: Option<Vec<PathBuf>>,
        /// Files and folders that it may write there besides the copy, such as a build cache.
        writable: Option<Vec<PathBuf>>,
    }

    /// Limits on spending; once one is reached, no more requests are sent.
    Budget {
        /// US dollars per run of the server.
        session_dollars: Option<f64>,
        /// US dollars per day.
        day_dollars: Option<f64>,
        /// Input and output tokens per run of the server.
        session_tokens: Option<u64>,
        /// Input and output tokens per day.
        day_tokens: Option<u64>,
        /// Leases of a company's budget, which is in a PostgreSQL database.
        lease: Lease,
    }

    /// Leases of a company's budget, which is in a PostgreSQL database.
    Lease {
        /// The URL of the database, such as `postgres://tandem@db.example.com/budgets`. Unset, nothing is leased.
        database: Option<Secret>,
        /// The environment variable that holds the password.
        password_env: Option<String>,
        /// The command that prints the password on its first line. Runs without a shell.
        password_command: Option<CommandLine>,
        /// The team whose budget is spent.
        team: Option<String>,
        /// The name of the user within the team. The default is that of the account.
        user: Option<String>,
        /// US dollars that may be spent beyond a lease while the database does not answer. By default none.
        away_dollars: Option<f64>,
        /// A file of PEM certificates to trust for the database, in addition to the default ones.
        ca_file: Option<PathBuf>,
    }

    /// The price of a model, in US dollars per million tokens.
    Price {
        /// Input tokens.
        input: Option<f64>,
        /// Input tokens that the provider had cached; the same as `input` if unset.
        cached: Option<f64>,
        /// Output tokens.
        output: Option<f64>,
        /// Input tokens that the provider writes to its cache; by default what is known of the model.
        cache_write: Option<f64>,
        /// The same where the cache is kept for long (`cache_ttl`).
        retained: Option<f64>,
        /// Tokens of input above which a request costs more.
        long_above: Option<u64>,
        /// The factor on all of its input then.
        long_input: Option<f64>,
        /// The factor on its output then.
        long_output: Option<f64>,
        /// The factor on the whole price for each service tier.
        tiers: BTreeMap<String, Option<f64>>,
    }
}
