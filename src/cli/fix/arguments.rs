//! The command line of `tandem fix`.

use std::path::PathBuf;

/// The tools whose output can be read.
pub(super) const TOOLS: &str = "rustc, cargo, clippy, tsc, eslint, ruff, mypy, pyright, pytest, gcc, clang, go, javac, SARIF, \
     or file:line:column: message";

/// Fix errors that have one right answer: those that a compiler or linter reports, missing brackets and
/// semicolons, relative imports that lead to no file
///
/// Prints the changes as a unified diff, and what was done on standard error. The rules that make the fixes
/// are the same on every machine; no model is asked without --model. What is left is listed, by reason.
/// Without --diagnostics, only brackets and semicolons whose place is certain, and relative imports, are
/// looked at: most errors need the report of the compiler. Exit codes: 0 done, 1 failed, or --check found
/// something to change, 2 wrong usage, 3 refused for safety.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The files; with --diagnostics, only what it reports of these is fixed
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// What a tool printed
    #[arg(
        long,
        value_name = "FILE",
        help = format!("What a tool printed, in a file or - for standard input: {TOOLS}")
    )]
    pub(super) diagnostics: Option<PathBuf>,
    /// Change nothing, and exit with 1 if anything would change
    #[arg(long, conflicts_with = "write")]
    pub(super) check: bool,
    /// Write the changes: all files or none
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Let the fast model fix what no rule does, within its budget
    #[arg(long)]
    pub(super) model: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    pub(super) config: Option<PathBuf>,
    /// Print a report as JSON instead of the diff
    #[arg(long)]
    pub(super) json: bool,
}
