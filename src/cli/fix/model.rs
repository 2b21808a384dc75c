//! Lets the fast model fix what no rule fixes.

use tokio::sync::watch;

use super::arguments::Arguments;
use super::fixed::Fixed;
use crate::assist::{Assist, CertainFix, FixKind, Models, compose_fixes};
use crate::cli::edit::{gears, load, snapshot};
use crate::cli::{spinner, terminal};
use crate::snapshot::Severity;

/// Maximum number of fixes that the model is asked for in one run.
const MODEL_FIXES: usize = 40;

/// Asks the model for a fix of each report without a certain one. The guards are the same as in an editor.
pub(super) async fn fix_rest<'a>(
    arguments: &Arguments,
    fixed: impl Iterator<Item = &'a mut Fixed>,
) -> anyhow::Result<()> {
    let folders = [std::env::current_dir()?];
    let config = arguments.config.clone().or_else(crate::config::default_path);
    let loaded = load(config.as_deref(), &folders);
    let settings = loaded.settings.everywhere();
    let [fast, deep] = gears(settings).models();
    let assist = Assist::new(Models { fast, deep }, &settings.privacy);
    let mut asked = 0;
    for file in fixed {
        let is_open = |at: &usize| {
            file.reported[*at].diagnostic.severity <= Severity::Warning
                && file.fixes.fixes.iter().all(|(of, _)| of != at)
        };
        let open: Vec<usize> = (0..file.reported.len()).filter(is_open).collect();
        if open.is_empty() {
            continue;
        }
        let snapshot = match snapshot(&file.work.path, &file.work.text, loaded.settings.clone(), &folders) {
            Ok(snapshot) => snapshot,
            Err(reason) => {
                terminal::say(format_args!("{}: {reason}", file.work.shown));
                continue;
            }
        };
        for at in open {
            if asked == MODEL_FIXES {
                terminal::say(format_args!(
                    "the model was asked for {MODEL_FIXES} fixes; write these with --write, and run it again for the rest"
                ));
                return Ok(());
            }
            asked += 1;
            let diagnostic = &file.reported[at].diagnostic;
            let (say, said) = watch::channel(String::new());
            let job = assist.fix(&snapshot, diagnostic, Some(&say));
            match spinner::beside(&file.work.shown, said, job).await {
                Ok((rewrite, _)) => {
                    let title = diagnostic.message.lines().next().unwrap_or_default().to_owned();
                    let edits = rewrite.edits;
                    let fix = CertainFix { kind: FixKind::OfModel, title, edits, removes: Vec::new() };
                    file.fixes.fixes.push((at, fix));
                }
                Err(reason) => terminal::say(format_args!("{}: {reason}", file.work.shown)),
            }
        }
        let all: Vec<CertainFix> = file.fixes.fixes.iter().map(|(_, fix)| fix.clone()).collect();
        file.fixes.composed = compose_fixes(&file.work.document, &all);
    }
    Ok(())
}
