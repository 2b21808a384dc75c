//! Opens a plan in the user's editor.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use tempfile::TempPath;

use super::super::limits::FILE_BYTES;
use crate::assist::plan::{Plan, text};
use crate::disk::{self, Links};

/// The notes above the plan.
const NOTES: &str = "\
> Change, add or delete steps, then save and close. Without steps nothing is done.\n\
> `gear` is fast or deep; `after` names the steps that come before. A line behind `>` means nothing.\n\n";

/// An edited plan, and the temporary file that holds it.
pub(super) struct Edited {
    pub(super) plan: Plan,
    file: TempPath,
}

impl Edited {
    /// Keeps the file of a plan that cannot be carried out; returns a message with its path.
    pub(super) fn kept(self, why: &str) -> String {
        kept(self.file, why)
    }
}

/// Opens a plan in the user's editor; `None` if it has no steps afterwards. After an error the file is kept, and the
/// error names its path.
pub(super) async fn edit(plan: &Plan) -> anyhow::Result<Option<Edited>> {
    let file = write(plan)?;
    match read_edited(&file).await {
        Ok(plan) => Ok((!plan.steps.is_empty()).then_some(Edited { plan, file })),
        // The plan may have cost money, so it is not discarded.
        Err(error) => Err(anyhow!(kept(file, &format!("{error:#}")))),
    }
}

/// Keeps a plan that is not carried out for the reason `why`; returns a message with the path of its file.
pub(super) fn keep(plan: &Plan, why: &str) -> String {
    match write(plan) {
        Ok(file) => kept(file, why),
        Err(error) => format!("{why}; and the plan cannot be kept: {error}"),
    }
}

fn write(plan: &Plan) -> std::io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("tandem-plan-").suffix(".md").tempfile()?;
    file.write_all(format!("{NOTES}{}", text::write(plan)).as_bytes())?;
    file.flush()?;
    Ok(file.into_temp_path())
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

/// The user's editor command. A blank variable counts as unset.
fn command(variable: impl Fn(&str) -> Option<String>) -> String {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(variable).find(|it| !it.trim().is_empty());
    named.unwrap_or_else(|| "vi".to_owned())
}

/// Keeps the file of a plan; returns a message with the reason, the path and the command that carries it out.
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
