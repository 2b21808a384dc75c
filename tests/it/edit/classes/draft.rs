//! An edit before it is written down: rows that a slip changes, and the forms in which they can be written.

use serde_json::json;

use super::Sample;
use super::formats::{block, text};
use crate::edit::corpus::{Case, Hunk, Rng};

/// Formats whose blocks contain old text, by which they are located.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Diff,
    Git,
    Patch,
    Blocks,
    Tags,
    Strings,
    /// JSON with line numbers.
    Numbered,
}
use Form::{Blocks, Diff, Git, Numbered, Patch, Strings, Tags};

pub(super) const ALL: &[Form] = &[Diff, Git, Patch, Blocks, Tags, Strings, Numbered];
/// Forms whose blocks are located by their text.
pub(super) const SEARCHED: &[Form] = &[Diff, Git, Patch, Blocks, Tags, Strings];
/// One form of each kind.
pub(super) const EACH: &[Form] = &[Diff, Patch, Blocks, Strings];
/// Forms whose blocks have no line numbers.
pub(super) const UNNUMBERED: &[Form] = &[Patch, Blocks, Strings];

/// A hunk as rows: a line, with ` `, `-` or `+` before it.
#[derive(Clone, PartialEq)]
pub(super) struct Shown {
    /// The first line in the file, from 0.
    pub(super) at: usize,
    pub(super) rows: Vec<(char, String)>,
}

impl Shown {
    pub(super) fn of(case: &Case, hunk: &Hunk, context: usize) -> Self {
        let (before, after) = case.around(hunk, context);
        let with =
            |mark: char, lines: &[String]| lines.iter().map(|line| (mark, line.clone())).collect::<Vec<_>>();
        let rows = [with(' ', before), with('-', &hunk.old), with('+', &hunk.new), with(' ', after)].concat();
        Self { at: hunk.at - before.len(), rows }
    }

    /// The lines of one half: all but those with the mark of the other half.
    fn half(&self, other: char) -> Vec<String> {
        self.rows.iter().filter(|(mark, _)| *mark != other).map(|(_, line)| line.clone()).collect()
    }

    pub(super) fn old(&self) -> Vec<String> {
        self.half('+')
    }

    pub(super) fn changed(&self) -> Vec<String> {
        self.half('-')
    }

    pub(super) fn marked(&self) -> String {
        self.rows.iter().map(|(mark, line)| format!("{mark}{line}\n")).collect()
    }
}

/// Writes hunks in a form, with the result of `mark` before each hunk of a diff or a patch.
pub(super) fn with_marks(form: Form, path: &str, parts: &[Shown], mark: impl Fn(&Shown) -> String) -> String {
    let marked: String = parts.iter().map(|part| format!("{}\n{}", mark(part), part.marked())).collect();
    match form {
        Git => format!(
            "diff --git a/{path} b/{path}\nindex 3b18e51..a1b2c3d 100644\n--- a/{path}\n+++ b/{path}\n{marked}"
        ),
        Patch => format!("*** Begin Patch\n*** Update File: {path}\n{marked}*** End Patch\n"),
        _ => format!("--- a/{path}\n+++ b/{path}\n{marked}"),
    }
}

/// The header of a hunk with a line number that is `off` too large.
pub(super) fn header(part: &Shown, off: usize) -> String {
    let at = part.at + 1 + off;
    format!("@@ -{at},{} +{at},{} @@", part.old().len(), part.changed().len())
}

pub(super) fn write(form: Form, path: &str, parts: &[Shown]) -> String {
    let each = |write: &dyn Fn(&Shown) -> String| parts.iter().map(write).collect::<String>();
    let edits = |edit: &dyn Fn(&Shown) -> serde_json::Value| {
        json!({ "edits": parts.iter().map(edit).collect::<Vec<_>>() }).to_string()
    };
    match form {
        Diff | Git => with_marks(form, path, parts, |part| header(part, 0)),
        Patch => with_marks(form, path, parts, |_| "@@".to_owned()),
        Blocks => each(&|part| block(&part.old(), &part.changed())),
        Tags => each(&|part| {
            let (old, new) = (text(&part.old()), text(&part.changed()));
            format!("<old_text>\n{old}</old_text>\n<new_text>\n{new}</new_text>\n")
        }),
        Strings => {
            edits(&|part| json!({ "old_text": part.old().join("\n"), "new_text": part.changed().join("\n") }))
        }
        Numbered => edits(&|part| {
            json!({
                "start_line": part.at + 1,
                "end_line": part.at + part.old().len(),
                "old_text": part.old().join("\n"),
                "new_text": part.changed().join("\n"),
            })
        }),
    }
}

/// A true edit, and the form of its reply.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) case: Case,
    pub(super) parts: Vec<Shown>,
    pub(super) form: Form,
}

impl Draft {
    /// Drafts the edit in one of these forms.
    pub(super) fn new(case: &Case, rng: &mut Rng, forms: &[Form]) -> Self {
        let parts = case.hunks.iter().map(|hunk| Shown::of(case, hunk, 3)).collect();
        Self { case: case.clone(), parts, form: rng.of(forms) }
    }

    /// Changes the rows with these marks; `None` if that changes nothing.
    pub(super) fn map(mut self, marks: &str, change: impl Fn(&str) -> String) -> Option<Self> {
        let mut is_changed = false;
        let rows = self.parts.iter_mut().flat_map(|part| &mut part.rows);
        for (_, line) in rows.filter(|(mark, _)| marks.contains(*mark)) {
            let changed = change(line);
            is_changed |= changed != *line;
            *line = changed;
        }
        is_changed.then_some(self)
    }

    /// Whether each hunk has one location even if indentation is ignored.
    pub(super) fn is_unique_loosely(&self) -> bool {
        let bare = |lines: &[String]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        let lines = bare(&self.case.lines);
        self.parts.iter().all(|part| {
            let old = bare(&part.old());
            lines.windows(old.len()).filter(|window| **window == old).count() == 1
        })
    }

    pub(super) fn reply(&self) -> String {
        write(self.form, self.case.path, &self.parts)
    }

    pub(super) fn sample(&self) -> Option<Sample> {
        self.case.sample(self.reply())
    }

    pub(super) fn refused(&self) -> Option<Sample> {
        self.case.refused(self.reply())
    }
}

/// The reply for an edit in one of these forms.
pub(super) fn reply(case: &Case, rng: &mut Rng, forms: &[Form]) -> String {
    Draft::new(case, rng, forms).reply()
}

/// A text in a fence.
pub(super) fn fenced(text: &str, info: &str) -> String {
    format!("~~~~{info}\n{text}{}~~~~\n", if text.ends_with('\n') { "" } else { "\n" })
}
