//! Applies a reply to several files below a folder.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Context as _;
use serde_json::json;

use super::arguments::Arguments;
use super::failure::Failure;
use super::input::read_reply;
use super::names::{names_of, unknown_names};
use super::report::{flags_report, say_written};
use crate::cli::limits::FILE_BYTES;
use crate::cli::settings::access_rules;
use crate::cli::{terminal, write};
use crate::config::Scoped;
use crate::edit::EditSet;
use crate::edit::Flag;
use crate::edit::edit_set::Change;
use crate::edit::effect::{Effect, effects};
use crate::edit::plan::{self, Permissions};
use crate::grammar;
use crate::workspace::Folder;

/// Applies the reply on standard input to the files below `root`: all of it or nothing.
pub(super) fn run(root: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let disk = Folder::new(root, FILE_BYTES).with_context(|| format!("cannot open {}", root.display()))?;
    let settings = access_rules(disk.root(), arguments.config.as_deref());
    let reply = read_reply()?;
    let mut set = plan_below(&disk, &settings, &reply, (&arguments.instruction, arguments.allow_invisible))?;
    flag_unknown_names(&disk, &settings, &mut set);
    let effects = effects(&set);
    let diff: String = effects.iter().map(Effect::unified).collect();
    let flags = || set.files().iter().flat_map(|file| file.flags.iter().map(|flag| (&file.path, flag)));
    if arguments.json {
        let files: Vec<_> = effects.iter().map(effect_report).collect();
        let status = if diff.is_empty() { "unchanged" } else { "applied" };
        let report = json!({ "status": status, "files": files, "diff": diff });
        terminal::json(&report, false)?;
    } else {
        for (path, flag) in flags() {
            terminal::say(format_args!("{path}: {flag}"));
        }
        if diff.is_empty() {
            terminal::say(Flag::Unchanged);
        }
        if !arguments.write {
            terminal::exact(&diff)?;
        }
    }
    if arguments.write {
        say_written(write::edit_set(&disk, &set)?);
    }
    Ok(())
}

/// Computes the new text of each file before anything is written.
fn plan_below(
    disk: &Folder,
    settings: &Scoped,
    reply: &str,
    (instruction, allow_invisible): (&str, bool),
) -> Result<EditSet, Failure> {
    let access = |real: &str| settings.verdict(&disk.place(real));
    Ok(plan::plan(reply, disk, Permissions { access: &access, instruction, allow_invisible })?)
}

/// Flags calls of names that neither the folder's code nor another file of the reply contains.
fn flag_unknown_names(disk: &Folder, settings: &Scoped, set: &mut EditSet) {
    if !set.files().iter().any(|file| matches!(file.change, Change::Edit { .. })) {
        return;
    }
    let index = names_of(disk.root(), settings);
    let texts: Vec<(&str, Cow<'_, str>)> =
        set.files().iter().filter_map(|file| Some((file.path.as_str(), file.new_text()?))).collect();
    let found: Vec<(String, Flag)> = set
        .files()
        .iter()
        .filter_map(|file| {
            let Change::Edit { base, edits } = &file.change else { return None };
            let grammar = grammar::by_path(Path::new(&file.path))?;
            let others = texts.iter().filter(|(path, _)| *path != file.path).map(|(_, text)| text);
            let known =
                |name: &str| index.knows(grammar, name) || others.clone().any(|text| text.contains(name));
            let flag = unknown_names(&index, grammar, &base.text, edits, &known)?;
            Some((file.path.clone(), flag))
        })
        .collect();
    for (path, flag) in found {
        set.flag(&path, flag);
    }
}

fn effect_report(effect: &Effect<'_>) -> serde_json::Value {
    json!({ "path": effect.path, "operation": effect.operation(), "flags": flags_report(effect.flags) })
}

#[cfg(test)]
mod tests;
