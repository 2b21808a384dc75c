//! The effects of an [`EditSet`], path by path, for display.

use std::borrow::Cow;

use super::edit_set::Change;
use super::{EditSet, Flag, diff, line};

/// The change at one path. A moved file is deleted at one path and created at another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect<'a> {
    /// The path below the root.
    pub path: &'a str,
    /// The text before; `None` for a new file.
    pub old: Option<&'a str>,
    /// The text afterwards; `None` for a deleted file.
    pub new: Option<Cow<'a, str>>,
    /// Warnings about the change for the user.
    pub flags: &'a [Flag],
}

/// The effects of a set, sorted by path.
pub fn effects(set: &EditSet) -> Vec<Effect<'_>> {
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

/// Renders a set as one unified diff.
pub fn unified(set: &EditSet) -> String {
    effects(set).iter().map(Effect::unified).collect()
}

impl Effect<'_> {
    /// A stable name for the operation: `create`, `delete`, `edit`, or `none`.
    pub fn operation(&self) -> &'static str {
        match (self.old, self.new.as_deref()) {
            (None, _) => "create",
            (Some(_), None) => "delete",
            (Some(old), Some(new)) if old == new => "none",
            (Some(_), Some(_)) => "edit",
        }
    }

    /// The names before and after, as in a diff's header.
    pub fn names(&self) -> [String; 2] {
        let name = |side: &str, is_there: bool| match is_there {
            true => format!("{side}/{}", self.path),
            false => "/dev/null".to_owned(),
        };
        [name("a", self.old.is_some()), name("b", self.new.is_some())]
    }

    /// The effect's part of a unified diff; empty if nothing changes.
    pub fn unified(&self) -> String {
        let (old, new) = (self.old, self.new.as_deref());
        if old == new {
            return String::new();
        }
        let [before, after] = self.names();
        let mut unified = format!("--- {before}\n+++ {after}\n");
        for hunk in diff::hunks(old.unwrap_or(""), new.unwrap_or("")) {
            unified.push_str(&hunk.header);
            unified.push('\n');
            for (sign, line) in hunk.lines {
                unified.push(sign);
                unified.push_str(line);
                if line::ending(line).is_empty() {
                    unified.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        unified
    }

    /// The numbers of added and of deleted lines.
    pub fn lines(&self) -> [usize; 2] {
        let [old, new] = [self.old, self.new.as_deref()].map(|text| line::split(text.unwrap_or("")));
        let changed = diff::ops(&old, &new).into_iter().filter(|op| op.tag() != similar::DiffTag::Equal);
        changed.fold([0, 0], |[more, less], op| [more + op.new_range().len(), less + op.old_range().len()])
    }
}
