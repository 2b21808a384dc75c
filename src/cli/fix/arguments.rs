//! The command line of `tandem fix`.

use std::path::PathBuf;

/// The tools whose output can be read.
pub(super) const TOOLS: &str = "rustc, cargo, clippy, tsc, eslint, Python, ruff, mypy, pyright, pytest, gcc, clang, go, javac, \
     SARIF, or file:line:column: message";

/// Fix errors that have exactly one right fix: those that a compiler or linter reports, missing brackets and
/// semicolons, and relative imports of files that do not exist
///
/// Prints the changes as a unified diff, and a summary on standard error. Fixes are made by rules, so they
/// are the same on every machine; no model is called without --model. Unfixed errors are listed, by reason.
/// Without --diagnostics, only relative imports, and brackets and semicolons whose position is certain, are
/// fixed: most errors need the compiler's report. Exit codes: 0 done, 1 failed, or --check found something to
/// change, 2 wrong usage, 3 refused for safety.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The files to fix; with --diagnostics, only what is reported for these files is fixed
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The output of a tool
    #[arg(
        long,
        value_name = "FILE",
        help = format!("The output of a tool, in a file or - for standard input: {TOOLS}")
    )]
    pub(super) diagnostics: Option<PathBuf>,
    /// Change nothing, and exit with 1 if anything would change
    #[arg(long, conflicts_with = "write")]
    pub(super) check: bool,
    /// Write the changes: all files or none
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Let the fast model fix what no rule fixes, within its budget
    #[arg(long)]
    pub(super) model: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    pub(super) config: Option<PathBuf>,
    /// Print a report as JSON instead of the diff
    #[arg(long)]
    pub(super) json: bool,
}
