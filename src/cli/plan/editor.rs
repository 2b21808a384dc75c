//! Lets the user change a plan in an editor.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use tempfile::TempPath;

use super::super::limits::FILE_BYTES;
use crate::assist::plan::{Plan, text};
use crate::disk::{self, Links};

/// What is said above the plan.
const NOTES: &str = "\
> Change, add or delete steps, then save and close. Without steps nothing is done.\n\
> `gear` is fast or deep; `after` names the steps that come before. A line behind `>` means nothing.\n\n";

/// A plan as the user left it, and the file that holds it.
pub(super) struct Edited {
    pub(super) plan: Plan,
    file: TempPath,
}

impl Edited {
    /// Keeps what the user wrote, since it cannot be carried out; says where it is.
    pub(super) fn kept(self, why: &str) -> String {
        kept(self.file, why)
    }
}

/// Opens a plan in the user's editor; `None` if it is empty afterwards.
///
/// # Errors
///
/// No editor can be run, or what was saved is no plan. Then it is kept, and its path said.
pub(super) async fn edit(plan: &Plan) -> anyhow::Result<Option<Edited>> {
    let mut file = tempfile::Builder::new().prefix("tandem-plan-").suffix(".md").tempfile()?;
    file.write_all(format!("{NOTES}{}", text::write(plan)).as_bytes())?;
    file.flush()?;
    let file = file.into_temp_path();
    match read_edited(&file).await {
        Ok(plan) => Ok((!plan.steps.is_empty()).then_some(Edited { plan, file })),
        // A model was paid for it.
        Err(error) => Err(anyhow!(kept(file, &format!("{error:#}")))),
    }
}

async fn read_edited(path: &Path) -> anyhow::Result<Plan> {
    let editor = command(|name| std::env::var(name).ok());
    let words = shlex::split(&editor)
        .ok_or_else(|| anyhow!("`{editor}` is not a command; set VISUAL or EDITOR to one"))?;
    let (program, arguments) = words.split_first().context("no editor is named")?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(path);
    let status = tokio::task::spawn_blocking(move || command.status()).await?;
    let status = status.with_context(|| format!("cannot run {program}"))?;
    if !status.success() {
        bail!("{program} failed ({status}); nothing was done");
    }
    let saved = disk::text(path, FILE_BYTES, Links::Refuse).context("cannot read the plan")?;
    text::read(&saved).map_err(|error| anyhow!("{error}"))
}

/// The user's editor. A variable without a word in it counts as none.
fn command(variable: impl Fn(&str) -> Option<String>) -> String {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(variable).find(|it| !it.trim().is_empty());
    named.unwrap_or_else(|| "vi".to_owned())
}

/// Keeps the file of a plan; says why, where it is, and how to go on.
fn kept(file: TempPath, why: &str) -> String {
    match file.keep() {
        Ok(path) => {
            let path = path.display();
            format!("{why}; the plan is kept in {path}, and `tandem plan --plan {path}` carries it out")
        }
        Err(error) => format!("{why}; and the plan cannot be kept: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editor_is_the_first_that_is_named() {
        let check = |visual: Option<&str>, editor: Option<&str>, expected: &str| {
            let variable = |name: &str| if name == "VISUAL" { visual } else { editor }.map(str::to_owned);
            assert_eq!(command(variable), expected);
        };
        check(Some("code -w"), Some("ed"), "code -w");
        check(Some(""), Some("ed"), "ed");
        check(Some(" "), Some("ed"), "ed");
        check(None, Some(""), "vi");
        check(None, None, "vi");
    }
}
