//! Project code that is relevant to a question in natural language.
//!
//! The order is: signatures of the definitions that the question may be about, the bodies of the most likely
//! ones, uses of names in the question, and more signatures. Each line is shown with its number, so that an
//! answer can cite it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::related::without_secrets;
use crate::grammar;
use crate::privacy::{self, TextKind};
use crate::snapshot::{RelatedKind, RelatedPart, heading_bytes};
use crate::text::{floor_boundary, ident};
use crate::workspace::{Answer, Workspace};

/// Maximum number of definitions considered.
const MOST_ANSWERS: usize = 80;
/// Definitions whose signatures come before all else.
const FIRST_SIGNATURES: usize = 16;
/// Maximum number of definitions whose bodies are shown.
const MOST_BODIES: usize = 8;
/// Maximum number of lines of one definition.
const BODY_LINES: usize = 50;
/// Share of the budget for bodies, together with the first signatures.
const BODY_SHARE: f32 = 0.6;
/// Share of the budget for uses, together with everything before them.
const USE_SHARE: f32 = 0.8;
/// Maximum number of names whose uses are searched for: each search reads files.
const MOST_NAMES: usize = 3;
/// Maximum number of uses of one name.
const MOST_USES: usize = 24;
/// Maximum length of a line in bytes; longer lines, usually data, are truncated.
const LINE_BYTES: usize = 240;
/// Maximum size in bytes of the list of other paths.
const PATH_BYTES: usize = 4 * 1024;

/// A question, and the files to search.
pub struct Question<'a> {
    /// The text of the question.
    pub text: &'a str,
    /// The workspace to search.
    pub workspace: &'a Workspace,
    /// Whether a file may be shown to a model.
    pub may_show: &'a dyn Fn(&Path) -> bool,
    /// Returns the displayed form of a path.
    pub shown: &'a dyn Fn(&Path) -> Arc<str>,
    /// The budget in bytes.
    pub room: usize,
    /// Returns true if the search must stop.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// The context found for a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The lines to show, file by file.
    pub parts: Vec<RelatedPart>,
    /// The paths of other files, one per line.
    pub paths: String,
}

/// Gathers the context for a question. Blocks on the disk.
pub fn gather(question: &Question<'_>) -> Found {
    let Question { workspace, may_show, room, .. } = *question;
    let answers: Vec<Answer> = workspace
        .search(question.text, MOST_ANSWERS)
        .into_iter()
        .filter(|it| may_show(it.place.path()))
        .collect();
    let mut lines = Lines { question, room, spent: 0, order: Vec::new(), files: HashMap::new() };
    for answer in answers.iter().take(FIRST_SIGNATURES) {
        lines.signature(answer);
    }
    lines.room = share(room, BODY_SHARE);
    for answer in answers.iter().take(MOST_BODIES) {
        lines.body(answer);
    }
    lines.room = share(room, USE_SHARE);
    lines.uses();
    lines.room = room;
    for answer in answers.iter().skip(FIRST_SIGNATURES) {
        lines.signature(answer);
    }
    let left = room.saturating_sub(lines.spent).min(PATH_BYTES);
    let parts = without_secrets(lines.into_parts()).0;
    let paths = other_paths(question, &parts, left);
    Found { parts, paths }
}

fn share(room: usize, share: f32) -> usize {
    (room as f32 * share) as usize
}

/// The paths of files without shown lines, those near the roots first.
fn other_paths(question: &Question<'_>, parts: &[RelatedPart], room: usize) -> String {
    let shown: HashSet<&str> = parts.iter().map(|part| &*part.path).collect();
    let mut paths = question.workspace.paths();
    paths.retain(|path| (question.may_show)(path));
    paths.sort_by_key(|path| path.components().count());
    let mut text = String::new();
    for path in paths {
        let path = (question.shown)(&path).replace(['\n', '\r'], " ");
        if shown.contains(path.as_str()) {
            continue;
        }
        if text.len() + path.len() >= room {
            break;
        }
        text.push_str(&path);
        text.push('\n');
    }
    text
}

/// The selected lines.
struct Lines<'a> {
    question: &'a Question<'a>,
    /// The budget of the current step, in bytes.
    room: usize,
    spent: usize,
    /// The files, in the order of their first line.
    order: Vec<(Arc<Path>, BTreeMap<usize, Line>)>,
    /// The files read; `None` for an unreadable file.
    files: HashMap<Arc<Path>, Option<FileLines>>,
}

/// A selected line.
struct Line {
    kind: RelatedKind,
    text: String,
    why: Arc<str>,
}

struct FileLines {
    lines: Vec<String>,
    /// The byte offsets of the lines.
    starts: Vec<usize>,
    /// The lines that contain something like a key.
    secret: HashSet<usize>,
}

impl FileLines {
    fn new(path: &Path, text: &str) -> Self {
        let (mut lines, mut starts, mut start) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let end = floor_boundary(line, LINE_BYTES.min(line.len()));
            lines.push(line[..end].trim_end().to_owned());
            starts.push(start);
            start += line.len();
        }
        let of = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
        let kind = TextKind::of(&path.to_string_lossy(), "");
        let secrets = privacy::find_in(text, kind).into_iter().map(|secret| secret.span);
        let secret = secrets
            .flat_map(|span| of(span.start)..=of(span.end.saturating_sub(1).max(span.start)))
            .collect();
        Self { lines, starts, secret }
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }
}

impl Lines<'_> {
    /// Adds a line (0-based); false if there is no room.
    fn add(&mut self, path: &Arc<Path>, line: usize, text: String, kind: RelatedKind, why: &str) -> bool {
        let known = self.order.iter().position(|(it, _)| it == path);
        let heading = if known.is_some() { 0 } else { heading_bytes(&(self.question.shown)(path)) };
        // The line number, a colon, a space and the line end.
        let bytes = heading + text.len() + (line + 1).ilog10() as usize + 4;
        if self.spent + bytes > self.room {
            return false;
        }
        self.spent += bytes;
        let at = known.unwrap_or_else(|| {
            self.order.push((Arc::clone(path), BTreeMap::new()));
            self.order.len() - 1
        });
        if let Some((_, lines)) = self.order.get_mut(at)
            && let Some(Line { text: before, .. }) = lines.insert(line, Line { kind, text, why: why.into() })
        {
            // The line replaces the earlier one.
            self.spent -= before.len();
        }
        true
    }

    fn has(&self, path: &Arc<Path>, line: usize) -> bool {
        self.order.iter().any(|(it, lines)| it == path && lines.contains_key(&line))
    }

    fn file(&mut self, path: &Arc<Path>) -> Option<&FileLines> {
        let workspace = self.question.workspace;
        let read = || workspace.text(path).ok().map(|text| FileLines::new(path, &text));
        self.files.entry(Arc::clone(path)).or_insert_with(read).as_ref()
    }

    fn signature(&mut self, answer: &Answer) {
        let definition = answer.place.definition();
        let mut text = definition.signature.to_owned();
        if !definition.doc.is_empty() {
            text.push_str("  // ");
            text.push_str(definition.doc);
        }
        let why = format!("found by {}", answer.words.join(", "));
        let path = answer.place.path();
        if !self.has(path, definition.line) {
            self.add(path, definition.line, text, RelatedKind::Signatures, &why);
        }
    }

    fn body(&mut self, answer: &Answer) {
        let (path, definition) = (answer.place.path(), answer.place.definition());
        let why = format!("the lines of `{}`", definition.name);
        let Some(file) = self.file(path) else { return };
        let first = file.line_of(definition.start);
        let last = file.line_of(definition.end.saturating_sub(1).max(definition.start));
        let shown = first..=last.min(first + BODY_LINES - 1);
        let wanted: Vec<(usize, String)> = shown
            .filter(|line| !file.secret.contains(line))
            .filter_map(|line| Some((line, file.lines.get(line)?.clone())))
            .filter(|(line, text)| !text.is_empty() && *line != definition.line)
            .collect();
        for (line, text) in wanted {
            if !self.has(path, line) && !self.add(path, line, text, RelatedKind::Excerpt, &why) {
                return;
            }
        }
    }

    /// Adds uses of the question's names that are defined in the workspace.
    fn uses(&mut self) {
        let Question { workspace, text, may_show, cancelled, .. } = *self.question;
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in ident::words_with_dollars(text) {
            // An ordinary word may be a function's name by chance.
            if ident::parts(name).len() > 1 && !names.contains(&name) && names.len() < MOST_NAMES {
                names.push(name);
            }
        }
        for name in names {
            let mut families: HashSet<&str> = HashSet::new();
            let grammars = grammar::all().filter(|it| families.insert(it.family()));
            let grammars: Vec<_> =
                grammars.filter(|it| !workspace.definitions(it, name).is_empty()).collect();
            let why = format!("it uses `{name}`");
            for grammar in grammars {
                let found = workspace.references(grammar, name, cancelled);
                let found = found.into_iter().filter(|it| may_show(&it.path));
                for it in found.take(MOST_USES) {
                    let Some(file) = self.file(&it.path).filter(|file| !file.secret.contains(&it.line))
                    else {
                        continue;
                    };
                    let Some(text) = file.lines.get(it.line).cloned() else { continue };
                    if !self.has(&it.path, it.line)
                        && !self.add(&it.path, it.line, text, RelatedKind::Excerpt, &why)
                    {
                        return;
                    }
                }
            }
        }
    }

    fn into_parts(self) -> Vec<RelatedPart> {
        let shown = self.question.shown;
        let of_file = |(path, lines): (Arc<Path>, BTreeMap<usize, Line>)| {
            let path = shown(&path);
            lines.into_iter().map(move |(line, Line { kind, text, why })| RelatedPart {
                path: Arc::clone(&path),
                line: line + 1,
                text: text + "\n",
                kind,
                why,
                needs: 0,
            })
        };
        self.order.into_iter().flat_map(of_file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const FILES: [(&str, &str); 3] = [
        (
            "src/load.rs",
            "use a;\n\n/// Reads the settings.\npub fn load_settings(path: &str) -> Settings {\n    parse(path)\n}\n",
        ),
        ("src/main.rs", "mod load;\n\nfn main() {\n    load::load_settings(\"x\");\n}\n"),
        ("src/other.rs", "pub fn unrelated() {}\n"),
    ];

    /// Checks the context for a question within a budget of bytes.
    fn check(
        files: &[(&str, &str)],
        question: &str,
        room: usize,
        may_show: &dyn Fn(&Path) -> bool,
        expect: Expect,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::default();
        for (name, text) in files {
            workspace.read_again(0, &crate::folder::write(folder.path(), name, text));
        }
        let shown = |path: &Path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().into();
        let found = gather(&Question {
            text: question,
            workspace: &workspace,
            may_show,
            shown: &shown,
            room,
            cancelled: &|| false,
        });
        let parts: String =
            found.parts.iter().map(|it| format!("{}:{}: {}", it.path, it.line, it.text)).collect();
        let bytes: usize = found.parts.iter().map(|it| it.text.len()).sum();
        assert!(bytes <= room);
        expect.assert_eq(&format!("{parts}--\n{}", found.paths));
    }

    #[test]
    fn definition_body_uses_and_other_paths_are_shown() {
        check(
            &FILES,
            "what does load_settings do?",
            4_000,
            &|_| true,
            expect![[r#"
                src/load.rs:4: pub fn load_settings(path: &str) -> Settings  // Reads the settings.
                src/load.rs:5:     parse(path)
                src/load.rs:6: }
                src/main.rs:1: mod load
                src/main.rs:3: fn main()
                src/main.rs:4:     load::load_settings("x");
                src/main.rs:5: }
                --
                src/other.rs
            "#]],
        );
    }

    #[test]
    fn what_must_not_be_shown_is_not() {
        check(
            &FILES,
            "load_settings",
            4_000,
            &|path| !path.ends_with("main.rs"),
            expect![[r#"
                src/load.rs:4: pub fn load_settings(path: &str) -> Settings  // Reads the settings.
                src/load.rs:5:     parse(path)
                src/load.rs:6: }
                --
                src/other.rs
            "#]],
        );
    }

    #[test]
    fn lines_with_keys_are_left_out() {
        let key = format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2));
        let text = format!("fn load_settings() {{\n    let a = \"{key}\";\n    b();\n}}\n");
        check(
            &[("a.rs", &text)],
            "load_settings",
            4_000,
            &|_| true,
            expect![[r#"
                a.rs:1: fn load_settings()
                a.rs:3:     b();
                a.rs:4: }
                --
            "#]],
        );
    }

    #[test]
    fn little_room_holds_the_signature_alone() {
        check(
            &FILES,
            "load_settings",
            120,
            &|_| true,
            expect![[r#"
                src/load.rs:4: pub fn load_settings(path: &str) -> Settings  // Reads the settings.
                src/main.rs:1: mod load
                --
            "#]],
        );
    }
}
