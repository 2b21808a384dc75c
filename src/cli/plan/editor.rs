//! Lets the user change a plan in an editor.

use std::io::Write as _;

use anyhow::{Context as _, anyhow, bail};

use super::super::limits::FILE_BYTES;
use crate::assist::plan::{Plan, text};
use crate::disk::{self, Links};

/// What is said above the plan.
const NOTES: &str = "\
> Change, add or delete steps, then save and close. Without steps nothing is done.\n\
> `gear` is fast or deep; `after` names the steps that come before. A line behind `>` means nothing.\n\n";

/// Opens a plan in the user's editor; `None` if it is empty afterwards.
///
/// # Errors
///
/// No editor can be run, or what was saved is no plan. Then it is kept, and its path said.
pub(super) async fn edit(plan: &Plan) -> anyhow::Result<Option<Plan>> {
    let mut file = tempfile::Builder::new().prefix("tandem-plan-").suffix(".md").tempfile()?;
    file.write_all(format!("{NOTES}{}", text::write(plan)).as_bytes())?;
    file.flush()?;
    let path = file.into_temp_path();
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok());
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let words = shlex::split(&editor)
        .ok_or_else(|| anyhow!("`{editor}` is not a command; set VISUAL or EDITOR to one"))?;
    let (program, arguments) =
        words.split_first().context("EDITOR is empty; set it to an editor's command")?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(&*path);
    let status = tokio::task::spawn_blocking(move || command.status()).await?;
    let status = status.with_context(|| format!("cannot run {program}"))?;
    if !status.success() {
        bail!("{program} failed ({status}); nothing was done");
    }
    let saved = disk::text(&path, FILE_BYTES, Links::Refuse).context("cannot read the plan")?;
    match text::read(&saved) {
        Ok(plan) => Ok((!plan.steps.is_empty()).then_some(plan)),
        Err(error) => {
            let kept = path.keep().context("cannot keep the plan")?;
            Err(anyhow!("{error}; the plan is kept in {}", kept.display()))
        }
    }
}
