//! The command line of `tandem setup`.

use std::path::PathBuf;

use crate::cli::local_servers;

/// Choose a model, test it with one small request, and write the configuration
///
/// Asks questions on a terminal; with --provider it asks none. What you wrote in the configuration file is
/// kept. Exit codes: 0 the model answers and the file is written, 1 it does not answer, 2 wrong usage.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The provider, such as openai, anthropic or ollama; --list names all
    #[arg(long, value_name = "NAME")]
    pub(super) provider: Option<String>,
    /// The model, as the provider spells it (by default one that the provider lists)
    #[arg(long, requires = "provider")]
    pub(super) model: Option<String>,
    /// The provider's base URL, if it is not the usual one
    #[arg(long, value_name = "URL", requires = "provider")]
    pub(super) base_url: Option<String>,
    /// The provider's name in the configuration (by default, that of --provider)
    #[arg(long, requires = "provider")]
    pub(super) name: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "VARIABLE", requires = "provider")]
    pub(super) key_variable: Option<String>,
    /// Read the key from standard input, and store it in the system's keychain
    #[arg(long, requires = "provider")]
    pub(super) key_stdin: bool,
    /// Also use the model for hard tasks (the deep gear)
    #[arg(long)]
    pub(super) deep: bool,
    /// Write the configuration without testing the model
    #[arg(long, requires = "provider")]
    pub(super) no_test: bool,
    /// List the providers, or the models of --provider, and write nothing
    #[arg(long)]
    pub(super) list: bool,
    /// Print the result as one JSON object, and ask nothing
    #[arg(long)]
    pub(super) json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::new_or_existing())]
    pub(super) config: Option<PathBuf>,
    /// Where to look for model servers on this machine
    #[arg(long, value_name = "NAME=PORT", value_delimiter = ',', hide = true, default_value = local_servers::USUAL)]
    pub(super) local: Vec<local_servers::DefaultAddress>,
}
