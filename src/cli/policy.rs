//! `tandem policy`: checks and signs the policy of a company, for those who write it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, bail};

use super::terminal;
use crate::config::policy::{examine, sign};

/// Check or sign a policy for the machines of a company
///
/// Prints nothing of a policy that a machine would refuse. `editors/companies.md` describes policies.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check a policy, signed or not; its signature is not checked
    Check {
        /// The policy
        file: PathBuf,
    },
    /// Check a policy and print it with its signature; the public key goes to standard error
    Sign {
        /// The policy
        file: PathBuf,
        /// The private key, as `openssl genpkey -algorithm ed25519` writes it
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.action {
        Action::Check { file } => terminal::print(check(file)?.0),
        Action::Sign { file, key } => print_signed(file, key)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What a policy is, and its text without a signature.
fn check(file: &Path) -> anyhow::Result<(String, String)> {
    let text = text(file)?;
    let document = match text.split_once('\n') {
        Some((line, rest)) if line.starts_with("# signature: ") => rest.to_owned(),
        _ => text,
    };
    let (shown, mistakes) =
        examine(&document, SystemTime::now()).map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    match mistakes.as_slice() {
        [] => Ok((shown, document)),
        mistakes => bail!("{}", mistakes.join("\n")),
    }
}

fn print_signed(file: &Path, key: &Path) -> anyhow::Result<()> {
    let (shown, document) = check(file)?;
    let private = zeroize::Zeroizing::new(text(key)?);
    let (signed, public) =
        sign(&document, &private).map_err(|why| anyhow::anyhow!("{}: {why}", key.display()))?;
    terminal::exact(&signed)?;
    terminal::say(format_args!("{shown}\npublic_key = \"{public}\""));
    Ok(())
}

fn text(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}
