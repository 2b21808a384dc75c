//! Reads a reply that is about several files.
//!
//! Every line of it is accounted for: it belongs to the change of some file, or it is prose around the changes. A
//! change that names no file refuses the reply.

use std::collections::HashMap;

use super::block::{Block, Role};
use super::event::Event;
use super::extract::Code;
use super::fence::Mark;
use super::parser::Parser;
use super::region::NO_EDITS;
use super::{json, patch, path, search, suspect, tags, thinking, whole};
use crate::edit::locate::FileText;
use crate::edit::{Edit, Refusal, diff, line};
use crate::grammar::Grammar;
use crate::text::hash;

/// The longest line (bytes) that may be the name of a file.
const LONGEST_NAME: usize = 300;

/// A reply about several files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesReply {
    /// What is to become of each file, in the reply's order.
    pub changes: Vec<FileChange>,
    /// Code between fences that names no file. It can only be a quote of what a file has before or afterwards.
    pub quotes: Vec<String>,
}

/// What a reply wants with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path as the reply states it. It is not checked yet.
    pub path: String,
    /// What is to become of it.
    pub operation: Operation,
}

/// An operation on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Change its text, and its path if there is a new one.
    Edit {
        /// The blocks to place in its text.
        blocks: Blocks,
        /// Its path afterwards.
        move_to: Option<String>,
    },
    /// Give it this text, whether it is there or not.
    Write(WholeFile),
    /// Create it with this text.
    Create(String),
    /// Delete it. The reply may show lines of it, which must be there, and adds none.
    Delete(Blocks),
}

/// Changes of one file that are not placed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks(Vec<Block>);

impl Blocks {
    /// Places all blocks in a file's text, whose language may be known.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when one of them has no certain place, or two contradict each other.
    pub fn place(&self, text: &str, grammar: Option<&Grammar>) -> Result<Vec<Edit>, Refusal> {
        let target = FileText::new(text, None, grammar);
        let mut changes = super::reader::Changes::default();
        for block in &self.0 {
            changes.place(&target, block)?;
        }
        let edits = changes.sorted(&target)?;
        if edits.iter().any(|edit| suspect::loops(&edit.text)) && !suspect::loops(text) {
            return Err(Refusal::Repetition);
        }
        Ok(edits)
    }

    /// The text of the file if it is not there yet: one search/replace block whose search is empty makes it.
    ///
    /// # Errors
    ///
    /// [`Refusal::Repetition`].
    pub(in crate::edit) fn new_file(&self) -> Result<Option<String>, Refusal> {
        let [block] = self.0.as_slice() else { return Ok(None) };
        let [lines] = block.readings.as_slice() else { return Ok(None) };
        if block.is_hunk || lines.is_empty() || !only_adds(block) {
            return Ok(None);
        }
        new_text(lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()).map(Some)
    }
}

/// A file's whole text as a reply has it, between two fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile(String);

impl WholeFile {
    /// The edits that make a file's text this one. `is_elsewhere` tells whether the reply puts a line into another file.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when it is only a part of the file, or leaves lines out that cannot be put back.
    pub(in crate::edit) fn edits(
        &self,
        old: &str,
        is_elsewhere: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Edit>, Refusal> {
        // A byte-order mark stays, and is no text.
        let text = old.trim_start_matches('\u{feff}');
        let new = whole::file(&Code { text: self.0.clone(), has_end: true }, text, is_elsewhere)?;
        let mark = old.len() - text.len();
        let shifted = |edit: Edit| Edit::new(edit.span.start + mark..edit.span.end + mark, edit.text);
        Ok(diff::minimal(text, &new).into_iter().map(shifted).collect())
    }

    /// The text as that of a file which is not there yet.
    ///
    /// # Errors
    ///
    /// [`Refusal::Repetition`].
    pub(in crate::edit) fn new_file(self) -> Result<String, Refusal> {
        new_text(self.0)
    }
}

/// Which lines a reply gives to which of its files as a whole.
#[derive(Debug, Default)]
pub(in crate::edit) struct WholeLines(HashMap<u64, Owner>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    One(usize),
    Several,
}

impl WholeLines {
    pub(in crate::edit) fn of(changes: &[FileChange]) -> Self {
        let mut owners: HashMap<u64, Owner> = HashMap::new();
        for (number, change) in changes.iter().enumerate() {
            let (Operation::Write(WholeFile(text)) | Operation::Create(text)) = &change.operation else {
                continue;
            };
            for line in line::split_iter(text) {
                let own = Owner::One(number);
                let owner = owners.entry(hash::in_process(line.trim())).or_insert(own);
                if *owner != own {
                    *owner = Owner::Several;
                }
            }
        }
        Self(owners)
    }

    /// Whether another file than that of the change with this number gets a line.
    pub(in crate::edit) fn are_beside(&self, number: usize, line: &str) -> bool {
        self.0.get(&hash::in_process(line.trim())).is_some_and(|owner| *owner != Owner::One(number))
    }
}

fn only_adds(block: &Block) -> bool {
    block.readings.iter().flatten().all(|line| line.role == Role::Add)
}

fn adds(block: &Block) -> bool {
    block.readings.iter().flatten().any(|line| line.role == Role::Add)
}

fn new_text(text: String) -> Result<String, Refusal> {
    if suspect::loops(&text) { Err(Refusal::Repetition) } else { Ok(text) }
}

/// Reads the changes that a reply asks for, file by file, in the reply's order. `is_file` tells whether a path is that
/// of a file which is there. The answer that nothing is to change has no files.
///
/// # Errors
///
/// [`Refusal`] when the reply is cut off, cannot be read, or has a change that names no file.
pub fn files(reply: &str, is_file: &dyn Fn(&str) -> bool) -> Result<FilesReply, Refusal> {
    let reply = reply.trim_start_matches('\u{feff}');
    if line::is_blank(reply) {
        return Err(Refusal::Empty);
    }
    let mut reading = Reading::new(is_file);
    let mut rest = reply;
    while let Some(line) = rest.split_inclusive('\n').next() {
        rest = &rest[reading.take(line, rest)?..];
    }
    if reading.ends_in_name(reply) {
        return Err(Refusal::Truncated { inside: "the name of a file" });
    }
    let read = reading.finish()?;
    if !read.changes.is_empty() {
        return Ok(read);
    }
    let says_none = |line: &str| line.trim().trim_matches(['*', '`', '.']) == NO_EDITS;
    if line::split_iter(thinking::skip(reply)?).any(says_none) { Ok(read) } else { Err(Refusal::Prose) }
}

/// A reply while its lines are read.
struct Reading<'a> {
    is_file: &'a dyn Fn(&str) -> bool,
    parser: Parser,
    /// What the parser was given: all but the files in fences.
    given: String,
    /// The path on the last visible line, if it names a file.
    above: Option<String>,
    /// The last path of a file that is there on a line of its own, since the last change. Prose may follow it.
    heading: Option<String>,
    changes: Vec<FileChange>,
    /// The file of the last change.
    current: Option<usize>,
    /// Whether a file stands between fences.
    has_whole_files: bool,
    /// Code between fences that names no file, other than commands.
    quotes: Vec<String>,
    /// Whether the last line belongs to no change.
    is_talk: bool,
}

impl<'a> Reading<'a> {
    fn new(is_file: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            is_file,
            parser: Parser::default(),
            given: String::new(),
            above: None,
            heading: None,
            changes: Vec::new(),
            current: None,
            has_whole_files: false,
            quotes: Vec::new(),
            is_talk: false,
        }
    }

    /// Takes the first line of what is left of the reply, or the file that it opens; returns how many bytes that is.
    fn take(&mut self, line: &str, rest: &str) -> Result<usize, Refusal> {
        self.is_talk = false;
        if !self.parser.is_outside() || self.parser.json.is_some() {
            self.give(line, false)?;
            return Ok(line.len());
        }
        if let Some(mark) = Mark::of(line).filter(|_| !self.parser.is_in_fence()) {
            return self.fence(mark, line, rest);
        }
        let opens_block = search::opens(line).is_some() || tags::opens(line);
        if !opens_block && !line::is_blank(line) && thinking::opened(line).is_none() {
            self.above = self.path_of(line);
            if let Some(path) = self.above.as_deref().filter(|path| (self.is_file)(path)) {
                self.heading = Some(path.to_owned());
            }
        }
        if self.has_whole_files && thinking::closes(line.trim_start()) {
            return Err(Refusal::Malformed { detail: "files stand in its thinking".to_owned() });
        }
        self.give(line, opens_block)?;
        self.is_talk = self.parser.is_outside() && Mark::of(line).is_none();
        Ok(line.len())
    }

    /// Takes a fence: all of it if it holds a file or a quote, and only its opening line if it holds changes.
    fn fence(&mut self, mark: Mark<'_>, line: &str, rest: &str) -> Result<usize, Refusal> {
        let inside = &rest[line.len()..];
        let end = closing(mark, inside);
        let content = &inside[..end.map_or(inside.len(), |(start, _)| start)];
        let named = self.path_of_info(mark.info).or_else(|| self.above.take());
        if holds_changes(mark, content, named.is_some()) {
            self.above = named;
            self.give(line, false)?;
            return Ok(line.len());
        }
        let Some((_, behind)) = end else { return Err(Refusal::Truncated { inside: "a code fence" }) };
        match named {
            Some(path) => {
                self.heading = None;
                self.has_whole_files = true;
                let operation = Operation::Write(WholeFile(mark.text_of(content)));
                if self.changes.iter().any(|change| change.path == path) {
                    return Err(twice(&path));
                }
                self.current = Some(self.changes.len());
                self.changes.push(FileChange { path, operation });
            }
            None if is_commands(mark) => {}
            None => self.quotes.push(mark.text_of(content)),
        }
        Ok(line.len() + behind)
    }

    /// Hands a line to the parser, and keeps what is complete with it.
    fn give(&mut self, line: &str, opens_block: bool) -> Result<(), Refusal> {
        let was_outside = self.parser.is_outside();
        let mut events = Vec::new();
        self.given.push_str(line);
        self.parser.push(line, &mut events);
        if was_outside && (opens_block || !self.parser.is_outside()) {
            if let Some(path) = self.above.take().or(self.heading.take()) {
                self.open(path)?;
                // The parser knows fewer names than stand here.
                events.retain(|event| !opens_block || !matches!(event, Event::File(_)));
            }
            self.heading = None;
        }
        events.into_iter().try_for_each(|event| self.add(event))
    }

    /// Whether the reply ends, within a line, in what may be the beginning of the next file's name: in one word behind the
    /// changes that ends no sentence.
    fn ends_in_name(&self, reply: &str) -> bool {
        const FAREWELLS: [&str; 4] = ["Done", "done", "OK", "Finished"];
        let last = line::split_iter(reply).last().unwrap_or_default();
        if self.changes.is_empty() || !self.is_talk || !line::ending(last).is_empty() {
            return false;
        }
        let name = path::without_label(last);
        let is_sentence = name.contains(char::is_whitespace) || name.ends_with(['.', '!', '?']);
        !is_sentence && !FAREWELLS.contains(&name) && !last.trim().starts_with("- ")
    }

    fn finish(mut self) -> Result<FilesReply, Refusal> {
        if let Some(start) = self.parser.json
            && let Some(answer) = json::read(&self.given[start..])
        {
            if self.has_whole_files {
                return Err(Refusal::Malformed { detail: "it has both files and JSON".to_owned() });
            }
            self.changes.clear();
            self.current = None;
            match answer? {
                json::Answer::Events(events) => events.into_iter().try_for_each(|event| self.add(event))?,
                json::Answer::Wrapped(inner) => return files(&inner, self.is_file),
            }
        } else {
            let mut events = Vec::new();
            let mut parser = std::mem::take(&mut self.parser);
            parser.finish(&mut events)?;
            // More files may have been to come.
            if parser.is_in_fence() {
                return Err(Refusal::Truncated { inside: "a code fence" });
            }
            events.into_iter().try_for_each(|event| self.add(event))?;
        }
        // A file that was only mentioned is none of the answer's business.
        self.changes.retain(|change| {
            !matches!(&change.operation, Operation::Edit { blocks: Blocks(blocks), move_to: None } if blocks.is_empty())
        });
        // Beside whole files it may be the rest of one that a fence of its own has cut.
        if !self.quotes.is_empty() && (self.has_whole_files || self.changes.is_empty()) {
            return Err(nameless());
        }
        Ok(FilesReply { changes: self.changes, quotes: self.quotes })
    }

    /// Makes a file the one that changes are for. A file that goes has one section, which says so.
    fn open(&mut self, path: String) -> Result<(), Refusal> {
        let known = self.changes.iter().position(|change| change.path == path);
        if known.is_some_and(|at| matches!(self.changes[at].operation, Operation::Delete(_))) {
            return Err(twice(&path));
        }
        self.current = Some(known.unwrap_or(self.changes.len()));
        if known.is_none() {
            let operation = Operation::Edit { blocks: Blocks::default(), move_to: None };
            self.changes.push(FileChange { path, operation });
        }
        Ok(())
    }

    fn add(&mut self, event: Event) -> Result<(), Refusal> {
        if let Event::File(path) = event {
            return self.open(path);
        }
        let Some(change) = self.current.and_then(|at| self.changes.get_mut(at)) else {
            return Err(Refusal::Malformed {
                detail: "a change does not say which file it is for".to_owned(),
            });
        };
        extend(change, event)
    }

    /// The path of a line that names a file and nothing else: by its looks, or since such a file is there.
    fn path_of(&self, line: &str) -> Option<String> {
        let text = path::without_label(line);
        let is_known = !text.is_empty() && text.len() <= LONGEST_NAME && (self.is_file)(text);
        if is_known || is_dot_file(text) {
            Some(text.to_owned())
        } else {
            path::of_line(line).map(str::to_owned)
        }
    }

    /// The path in a fence's info string: behind the language, or instead of it.
    fn path_of_info(&self, info: &str) -> Option<String> {
        let parts = || info.split([' ', ':', '=', '{', '}', ',']).filter(|part| !part.is_empty());
        let rest = info.split_once([' ', ':', '=']).map_or("", |(_, rest)| path::plain(rest));
        if !rest.is_empty() && rest.len() <= LONGEST_NAME && (self.is_file)(rest) {
            return Some(rest.to_owned());
        }
        let first = parts().next().map(path::plain);
        let instead =
            first.filter(|it| (self.is_file)(it) || it.contains('/') && path::of_line(it).is_some());
        let behind = || {
            let mut others = parts().skip(1).map(path::plain);
            others.find(|it| (self.is_file)(it) || is_dot_file(it) || path::of_line(it).is_some())
        };
        instead.or_else(behind).map(str::to_owned)
    }
}

/// Whether a word is a name such as `.editorconfig`, where one such as `.5` is none.
fn is_dot_file(word: &str) -> bool {
    let name = word.strip_prefix('.').filter(|name| name.starts_with(|it: char| it.is_ascii_alphabetic()));
    name.is_some_and(|name| {
        name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.'))
    })
}

/// Where the fence that `open` opened ends in the text behind that line: the start and the end of the closing line. A
/// fence with an info string inside opens one of its own.
fn closing(open: Mark<'_>, inside: &str) -> Option<(usize, usize)> {
    let mut opened = vec![open];
    let mut at = 0;
    for line in inside.split_inclusive('\n') {
        if let (Some(mark), Some(last)) = (Mark::of(line), opened.last()) {
            if mark.closes(last) {
                opened.pop();
                if opened.is_empty() {
                    return Some((at, at + line.len()));
                }
            } else if mark.opens_within(last) {
                opened.push(mark);
            }
        }
        at += line.len();
    }
    None
}

/// Whether a fence holds changes in some format. In one that is named only the first line tells, or the second below a
/// path or a command: further down such a line may be text of the file.
fn holds_changes(mark: Mark<'_>, content: &str, is_named: bool) -> bool {
    let language = mark.info.split([' ', ':', '{']).next().unwrap_or_default();
    let opens = |line: &str| {
        search::opens(line).is_some()
            || tags::opens(line)
            || patch::opens(line)
            || ["diff --git ", "@@ -", "--- a/", "--- /dev/null"].iter().any(|it| line.starts_with(it))
    };
    let mut lines = line::split_iter(content).filter(|line| !line::is_blank(line));
    let looked_at = if is_named { 2 } else { usize::MAX };
    let is_json = !is_named && content.trim_start().starts_with(['{', '[']);
    is_json || ["diff", "patch", "udiff"].contains(&language) || lines.by_ref().take(looked_at).any(opens)
}

/// Whether a fence holds commands to run.
fn is_commands(mark: Mark<'_>) -> bool {
    let language = mark.info.split_whitespace().next().unwrap_or_default();
    ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"].contains(&language)
}

/// The refusal of code that may be a file's, and does not say which one's.
pub(in crate::edit) fn nameless() -> Refusal {
    Refusal::Malformed { detail: "a block of code does not say which file it is for".to_owned() }
}

fn twice(path: &str) -> Refusal {
    Refusal::Malformed { detail: format!("it wants two different things of `{path}`") }
}

fn extend(change: &mut FileChange, event: Event) -> Result<(), Refusal> {
    let path = &change.path;
    let untouched = matches!(&change.operation, Operation::Edit { blocks: Blocks(blocks), move_to: None } if blocks.is_empty());
    match (event, &mut change.operation) {
        (Event::Block(block), Operation::Edit { blocks: Blocks(blocks), .. }) => blocks.push(block),
        (Event::Block(block), Operation::Create(text)) if text.is_empty() && only_adds(&block) => {
            let lines = block.readings.iter().flatten().flat_map(|line| [line.text.as_str(), "\n"]);
            *text = new_text(lines.collect())?;
            if block.final_newline == Some(false) {
                text.pop();
            }
        }
        (Event::MoveTo(to), Operation::Edit { move_to, .. }) if move_to.is_none() => *move_to = Some(to),
        (Event::Create, _) if untouched => change.operation = Operation::Create(String::new()),
        (Event::Whole(text), _) if untouched => change.operation = Operation::Create(new_text(text)?),
        (Event::Delete, _) if untouched => change.operation = Operation::Delete(Blocks::default()),
        (Event::Block(block), Operation::Delete(Blocks(blocks))) if !adds(&block) => blocks.push(block),
        (Event::Span(_), _) => {
            return Err(Refusal::Malformed {
                detail: "marked spans do not say which file they are for".to_owned(),
            });
        }
        _ => return Err(twice(path)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    #[test]
    fn a_patch_of_several_files() {
        let reply = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+new\n*** Delete File: c.rs\n\
            *** Update File: d.rs\n*** Move to: e.rs\n@@\n-1\n+2\n*** End Patch\n";
        let changes = files(reply, &|_| false).unwrap().changes;
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "b.rs", "c.rs", "d.rs"]);
        let Operation::Edit { blocks, move_to: None } = &changes[0].operation else { panic!("{changes:?}") };
        assert_eq!(apply("x\n", &blocks.place("x\n", None).unwrap()), "y\n");
        assert_eq!(changes[1].operation, Operation::Create("new\n".to_owned()));
        assert_eq!(changes[2].operation, Operation::Delete(Blocks::default()));
        assert!(matches!(&changes[3].operation, Operation::Edit { move_to: Some(to), .. } if to == "e.rs"));
    }

    #[test]
    fn a_diff_of_several_files() {
        let reply = "```diff\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y.c\n@@ -0,0 +1,2 @@\n+one\n+two\n```\n";
        let changes = files(reply, &|_| false).unwrap().changes;
        assert_eq!(changes.len(), 2);
        assert_eq!(
            changes[1],
            FileChange { path: "y.c".to_owned(), operation: Operation::Create("one\ntwo\n".to_owned()) }
        );
    }

    #[test]
    fn a_diff_that_renames() {
        let reply = "diff --git a/x.c b/y.c\nsimilarity index 90%\nrename from x.c\nrename to y.c\n--- a/x.c\n+++ b/y.c\n@@ -1 +1 @@\n-a\n+b\n";
        let [change] = files(reply, &|_| false).unwrap().changes.try_into().unwrap();
        assert_eq!(change.path, "x.c");
        let Operation::Edit { blocks, move_to: Some(to) } = change.operation else { panic!("no move") };
        assert_eq!((to.as_str(), blocks.place("a\n", None).unwrap().len()), ("y.c", 1));
    }

    #[track_caller]
    fn check_diff(reply: &str, expected: &str) {
        let shown = match files(reply, &|_| false) {
            Ok(read) => {
                let changes = read.changes.iter().map(|change| match &change.operation {
                    Operation::Create(text) => format!("create {}: {text:?}", change.path),
                    Operation::Delete(_) => format!("delete {}", change.path),
                    Operation::Edit { move_to: Some(to), .. } => format!("move {} to {to}", change.path),
                    _ => format!("edit {}", change.path),
                });
                changes.collect::<Vec<_>>().join("; ")
            }
            Err(refusal) => format!("{}: {refusal}", refusal.code()),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn files_without_lines_come_and_go() {
        let new = "diff --git a/my e.txt b/my e.txt\nnew file mode 100644\nindex 0000000..e69de29\n";
        let old = "diff --git a/o.txt b/o.txt\ndeleted file mode 100644\nindex e69de29..0000000\n";
        check_diff(&format!("{new}{old}"), "create my e.txt: \"\"; delete o.txt");
        let quoted =
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\nindex 0000000..e69de29\n";
        check_diff(quoted, "create ä: \"\"");
    }

    #[test]
    fn headers_that_are_cut_are_no_change() {
        let head = |reply| check_diff(reply, "truncated: the reply was cut off inside a file's header");
        head("diff --git ");
        head("diff --git a");
        head("diff --git a/x b/x\nnew file mode 100644\n");
        head("diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n");
        head("diff --git a/x b/yes\nsimilarity index 100%\nrename from x\nrename to y");
        check_diff("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "move x to y");
        let hunk = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+be";
        check_diff(hunk, "truncated: the reply was cut off inside a hunk");
        let hunk = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9";
        check_diff(hunk, "truncated: the reply was cut off inside a hunk");
        let next = hunk.replace("@@ -9", " d\ndif");
        check_diff(&next, "truncated: the reply was cut off inside a hunk");
        head("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x");
        let block = "a.c\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        check_diff(&format!("{block}`src/b"), "truncated: the reply was cut off inside the name of a file");
        check_diff(&format!("{block}src"), "truncated: the reply was cut off inside the name of a file");
        check_diff(&format!("{block}Make"), "truncated: the reply was cut off inside the name of a file");
        for end in ["Done.", "Done", "Both are renamed", "src\n", "```sh\nmake\n```"] {
            check_diff(&format!("{block}{end}"), "edit a.c");
        }
        check_diff(block.trim_end(), "edit a.c");
    }

    #[test]
    fn a_file_that_goes_is_not_edited() {
        let delete = "*** Delete File: a\n";
        let update = "*** Update File: a\n@@\n-x\n+y\n";
        let detail = "malformed: the reply cannot be read: it wants two different things of `a`";
        for sections in [[delete, update], [update, delete], [delete, delete]] {
            check_diff(&format!("*** Begin Patch\n{}*** End Patch\n", sections.concat()), detail);
        }
        // `hooks` has no looks of a path and no file has that name, so the block below is for `a`.
        let block = "hooks\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
        check_diff(&format!("*** Begin Patch\n{delete}*** End Patch\n{block}"), detail);
        let gone = "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        check_diff(&format!("diff --git a/x b/x\ndeleted file mode 100644\n{gone}"), "delete x");
    }

    #[test]
    fn changes_that_are_none_of_text_are_refused() {
        let file = "diff --git a/x b/x\n";
        let refused = |body: &str, what: &str| {
            let expected = format!("file-operation: the reply would {what}, where an edit was asked for");
            check_diff(&format!("{file}{body}"), &expected);
        };
        refused("index 1..2 100644\nBinary files a/x and b/x differ\n", "change a binary file");
        refused("new file mode 100644\nindex 0..2\nGIT binary patch\nliteral 3\n", "change a binary file");
        refused(
            "new file mode 120000\nindex 0..2\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n",
            "change a link or a submodule",
        );
        refused("similarity index 100%\ncopy from y\ncopy to x\n", "copy a file");
    }

    #[test]
    fn changes_need_a_file() {
        let code = |reply| files(reply, &|_| false).map_err(|refusal| refusal.code());
        assert_eq!(code("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), Err("malformed"));
        assert_eq!(code("I would rename it."), Err("prose"));
        assert_eq!(code("*** Begin Patch\n*** Update File: a\n-x\n"), Err("truncated"));
    }
}
