//! A reply about several files below one folder.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Context as _;
use serde_json::json;
use similar::TextDiff;

use super::arguments::Arguments;
use super::failure::Failure;
use super::folder_files::Disk;
use super::input::read_reply;
use super::names::{access_rules, names_of, unknown_names};
use super::report::{UNPRINTED, flags_report, say_written};
use crate::cli::{terminal, write};
use crate::config::Scoped;
use crate::edit::EditSet;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::plan::{self, Permissions};
use crate::edit::reply::Flag;
use crate::grammar;

/// Applies the reply on standard input to the files below `root`: all of it or nothing.
pub(super) fn run(root: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let disk = Disk::new(root)?;
    let settings = access_rules(disk.root(), arguments.config.as_deref());
    let reply = read_reply()?;
    let mut set = plan_below(&disk, &settings, &reply, arguments.allow_invisible)?;
    flag_unknown_names(&disk, &settings, &mut set);
    let effects = effects(&set);
    let diff: String = effects.iter().map(Effect::unified).collect();
    let flags = || set.files().iter().flat_map(|file| file.flags.iter().map(|flag| (&file.path, flag)));
    if arguments.json {
        let files: Vec<_> = effects.iter().map(Effect::report).collect();
        let status = if diff.is_empty() { "unchanged" } else { "applied" };
        let report = json!({ "status": status, "files": files, "diff": diff });
        terminal::json(&report, false).context(UNPRINTED)?;
    } else {
        for (path, flag) in flags() {
            terminal::say(format_args!("{path}: {flag}"));
        }
        if diff.is_empty() {
            terminal::say(Flag::Unchanged);
        }
        if !arguments.write {
            terminal::exact(&diff).context(UNPRINTED)?;
        }
    }
    if arguments.write {
        say_written(self::write(&disk, &set)?);
    }
    Ok(())
}

/// Works out each file's text before anything is touched.
fn plan_below(
    disk: &Disk,
    settings: &Scoped,
    reply: &str,
    allow_invisible: bool,
) -> Result<EditSet, Failure> {
    let access = |real: &str| settings.verdict(&disk.place(real));
    plan::plan(reply, disk, Permissions { access: &access, allow_invisible })
}

/// Carries a plan out; returns how many files changed.
fn write(disk: &Disk, set: &EditSet) -> Result<usize, Failure> {
    let changed: Vec<&FileEdit> = set.files().iter().filter(|file| !file.is_unchanged()).collect();
    let mut changes = Vec::with_capacity(changed.len());
    for file in &changed {
        let path = disk.place(&file.path);
        let text = file.new_text().map(Cow::into_owned);
        match &file.change {
            Change::Create { .. } => changes.push(write::Change { path, text, base: None, like: None }),
            Change::Edit { base, .. } | Change::Delete { base } => {
                changes.push(write::Change { path, text, base: Some(base.revision), like: None });
            }
            Change::Rename { base, to, .. } => {
                let like = Some(path.clone());
                changes.push(write::Change { path: disk.place(to), text, base: None, like });
                changes.push(write::Change { path, text: None, base: Some(base.revision), like: None });
            }
        }
    }
    write::all(&changes).map_err(|error| anyhow::Error::new(error).context("nothing was written"))?;
    Ok(changed.len())
}

/// Flags calls of what neither the folder's code nor another file of the reply has.
fn flag_unknown_names(disk: &Disk, settings: &Scoped, set: &mut EditSet) {
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

/// What becomes of one path: a file that moves is gone in one place and new in another.
struct Effect<'a> {
    path: &'a str,
    old: Option<&'a str>,
    new: Option<Cow<'a, str>>,
    flags: &'a [Flag],
}

/// The effects of a plan, sorted by path.
fn effects(set: &EditSet) -> Vec<Effect<'_>> {
    let mut effects = Vec::new();
    for file in set.files() {
        let (path, flags) = (file.path.as_str(), file.flags.as_slice());
        let (old, new) = (file.old_text(), file.new_text());
        match &file.change {
            Change::Rename { to, .. } => {
                effects.push(Effect { path, old, new: None, flags: &[] });
                effects.push(Effect { path: to, old: None, new, flags });
            }
            _ => effects.push(Effect { path, old, new, flags }),
        }
    }
    effects.sort_by_key(|effect| effect.path);
    effects
}

impl Effect<'_> {
    fn operation(&self) -> &'static str {
        match (self.old, self.new.as_deref()) {
            (None, _) => "create",
            (Some(_), None) => "delete",
            (Some(old), Some(new)) if old == new => "none",
            (Some(_), Some(_)) => "edit",
        }
    }

    /// The effect for machines.
    fn report(&self) -> serde_json::Value {
        json!({ "path": self.path, "operation": self.operation(), "flags": flags_report(self.flags) })
    }

    /// The effect's part of the diff.
    fn unified(&self) -> String {
        let (old, new) = (self.old, self.new.as_deref());
        if old == new {
            return String::new();
        }
        let name = |side: &str, text: Option<&str>| {
            text.map_or("/dev/null".to_owned(), |_| format!("{side}/{}", self.path))
        };
        let diff = TextDiff::from_lines(old.unwrap_or(""), new.unwrap_or(""));
        diff.unified_diff().header(&name("a", old), &name("b", new)).to_string()
    }
}

#[cfg(test)]
mod tests;
