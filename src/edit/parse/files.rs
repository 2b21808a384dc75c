//! Reads a reply that concerns several files.
//!
//! Every line of it is accounted for: it belongs to a change of some file, or it is prose around the changes.
//! A change without a file name causes the reply to be refused.

mod change;
mod fences;
mod names;
mod whole_lines;

use super::event::Event;
use super::fence::{Mark, is_commands};
use super::parser::Parser;
use super::quote::Quote;
use super::{call, here_document, json, path, prose, search, tags, thinking};
use crate::edit::normalize::region::NO_EDITS;
use crate::edit::{Refusal, line};
use names::Names;

pub(in crate::edit) use change::{Blocks, WholeFile};
pub(in crate::edit) use change::{FileChange, Operation};
pub(in crate::edit) use whole_lines::WholeLines;

/// A reply that concerns several files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::edit) struct FilesReply {
    /// The changes to each file, in the reply's order.
    pub(in crate::edit) changes: Vec<FileChange>,
    /// Fenced code without a file name.
    ///
    /// It can only quote a file as it was before or will be afterwards.
    pub(in crate::edit) quotes: Vec<String>,
    /// Fenced code below edits in JSON.
    pub(in crate::edit) behind: Vec<Quote>,
}

/// Reads the changes in a reply, file by file, in the reply's order.
///
/// `is_file` reports whether a path is that of an existing file. A reply that asks for no changes has no
/// files.
///
/// It is an error if the reply is cut off, cannot be read, or has a change without a file name.
pub(in crate::edit) fn files(reply: &str, is_file: &dyn Fn(&str) -> bool) -> Result<FilesReply, Refusal> {
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

/// The state while a reply is read.
struct Reading<'a> {
    names: Names<'a>,
    parser: Parser<'static>,
    /// The lines passed to the parser: all except fenced files.
    given: String,
    /// The path on the last visible line, if it names a file.
    above: Option<String>,
    /// The last line since the last change that names just an existing file.
    ///
    /// Prose may follow it.
    heading: Option<String>,
    changes: Vec<FileChange>,
    /// The file of the last change.
    current: Option<usize>,
    /// Whether there is a file in a fence.
    has_whole_files: bool,
    /// Fenced code without a file name, except commands.
    quotes: Vec<String>,
    /// Whether the last line belongs to no change.
    is_talk: bool,
}

impl<'a> Reading<'a> {
    fn new(is_file: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            names: Names { is_file },
            parser: Parser::with_calls(call::read),
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

    /// Reads the first line of the rest of the reply, or the whole file that it opens.
    ///
    /// Returns the number of bytes read.
    fn take(&mut self, line: &str, rest: &str) -> Result<usize, Refusal> {
        self.is_talk = false;
        if !self.parser.is_outside() || self.parser.json().is_some() {
            self.give(line, false)?;
            return Ok(line.len());
        }
        if let Some(mark) = Mark::of(line).filter(|_| !self.parser.is_in_fence()) {
            return self.fence(mark, line, rest);
        }
        let opens_block = search::opens(line).is_some() || tags::opens(line);
        let is_telling = !line::is_blank(line) && !path::is_between(line);
        if !opens_block && is_telling && thinking::opened(line).is_none() {
            self.above = self.names.of_line(line);
            let named = self.above.as_deref().filter(|path| (self.names.is_file)(path));
            if let Some(path) = named.or_else(|| prose::file_below(line)) {
                self.heading = Some(path.to_owned());
            }
        }
        if self.has_whole_files && thinking::closes(line.trim_start()) {
            return Err(Refusal::malformed("its thinking contains files"));
        }
        self.give(line, opens_block)?;
        self.is_talk = self.parser.is_outside() && Mark::of(line).is_none();
        Ok(line.len())
    }

    /// Reads a fence with a file or a quote as a whole.
    ///
    /// For a fence with changes, reads only the opening line.
    fn fence(&mut self, mark: Mark<'_>, line: &str, rest: &str) -> Result<usize, Refusal> {
        let inside = &rest[line.len()..];
        let end = fences::closing(mark, inside);
        let content = &inside[..end.map_or(inside.len(), |(start, _)| start)];
        let named = self.names.of_info(mark.info).or_else(|| self.above.take());
        if fences::holds_changes(mark, content, named.is_some()) {
            self.above = named;
            self.give(line, false)?;
            return Ok(line.len());
        }
        let Some((_, behind)) = end else { return Err(Refusal::Truncated { inside: "a code fence" }) };
        // A quote may be one of code that is rejected.
        let is_wanted = self.parser.prose.block(self.changes.is_empty());
        match named {
            Some(path) => is_wanted.and_then(|()| self.whole(path, mark.text_of(content)))?,
            None if is_commands(mark) => {
                let written = here_document::files(content).unwrap_or_default();
                written
                    .into_iter()
                    .try_for_each(|(path, text)| self.whole(path.to_owned(), text.to_owned()))?;
            }
            None => self.quotes.push(mark.text_of(content)),
        }
        Ok(line.len() + behind)
    }

    /// Adds the whole text of a file. The same text may be repeated.
    fn whole(&mut self, path: String, text: String) -> Result<(), Refusal> {
        self.heading = None;
        self.has_whole_files = true;
        let operation = Operation::Write(WholeFile::new(text));
        match self.changes.iter().find(|change| change.path == path) {
            Some(known) if known.operation == operation => {}
            Some(known) => return Err(known.contradicted()),
            None => {
                self.current = Some(self.changes.len());
                self.changes.push(FileChange { path, operation });
            }
        }
        Ok(())
    }

    /// Passes a line to the parser and adds the changes completed by it.
    fn give(&mut self, line: &str, opens_block: bool) -> Result<(), Refusal> {
        let was_outside = self.parser.is_outside();
        let mut events = Vec::new();
        self.given.push_str(line);
        self.parser.push(line, &mut events);
        if was_outside && (opens_block || !self.parser.is_outside()) {
            if let Some(path) = self.above.take().or(self.heading.take()) {
                self.open(path)?;
                // The parser recognizes fewer file names than this reader.
                events.retain(|event| !opens_block || !matches!(event, Event::File(_)));
            }
            self.heading = None;
        }
        events.into_iter().try_for_each(|event| self.add(event))
    }

    /// Whether the reply ends in a line that may be the beginning of a file name.
    ///
    /// Such a line is one word after the changes, ends no sentence, and is not a token such as `<|im_end|>`.
    fn ends_in_name(&self, reply: &str) -> bool {
        const FAREWELLS: [&str; 4] = ["Done", "done", "OK", "Finished"];
        let last = line::split_iter(reply).last().unwrap_or_default();
        if self.changes.is_empty() || !self.is_talk || !line::ending(last).is_empty() {
            return false;
        }
        let name = path::without_label(last);
        let ends_sentence = name.ends_with(['.', '!', '?']) && !name.contains('/');
        let is_sentence = name.contains(char::is_whitespace) || ends_sentence;
        let is_tag = last.trim().starts_with('<') && last.trim().ends_with('>');
        !is_sentence && !is_tag && !FAREWELLS.contains(&name) && !last.trim().starts_with("- ")
    }

    fn finish(mut self) -> Result<FilesReply, Refusal> {
        let mut behind = Vec::new();
        if let Some(start) = self.parser.json()
            && let Some(answer) = json::read(&self.given[start..])
        {
            if self.has_whole_files {
                return Err(Refusal::malformed("it has both files and JSON"));
            }
            self.changes.clear();
            self.current = None;
            behind = std::mem::take(&mut self.parser.quotes);
            match answer? {
                json::Answer::Events(events) => events.into_iter().try_for_each(|event| self.add(event))?,
                json::Answer::Wrapped(inner) => return files(&inner, self.names.is_file),
            }
        } else {
            let mut events = Vec::new();
            let mut parser = std::mem::take(&mut self.parser);
            parser.finish(&mut events)?;
            // More files may have followed.
            if parser.is_in_fence() {
                return Err(Refusal::Truncated { inside: "a code fence" });
            }
            events.into_iter().try_for_each(|event| self.add(event))?;
        }
        if self.has_whole_files {
            self.parser.prose.finish()?;
        }
        // Drops files that were only mentioned.
        self.changes.retain(|change| !change.is_only_named());
        // Next to whole files, the code may be the rest of a file that was cut by a fence inside it.
        if !self.quotes.is_empty() && (self.has_whole_files || self.changes.is_empty()) {
            return Err(nameless());
        }
        Ok(FilesReply { changes: self.changes, quotes: self.quotes, behind })
    }

    /// Sets the current file for the following changes.
    ///
    /// A deleted file has only one section.
    fn open(&mut self, path: String) -> Result<(), Refusal> {
        let known = self.changes.iter().position(|change| change.path == path);
        if let Some(known) = known.map(|at| &self.changes[at])
            && matches!(known.operation, Operation::Delete(_))
        {
            return Err(known.contradicted());
        }
        self.current = Some(known.unwrap_or(self.changes.len()));
        if known.is_none() {
            self.changes.push(FileChange::named(path));
        }
        Ok(())
    }

    fn add(&mut self, event: Event) -> Result<(), Refusal> {
        if let Event::File(path) = event {
            return self.open(path);
        }
        let Some(change) = self.current.and_then(|at| self.changes.get_mut(at)) else {
            return Err(Refusal::malformed("a change does not say which file it is for"));
        };
        change.add(event)
    }
}

/// Returns the refusal of code that may belong to a file but does not name it.
pub(in crate::edit) fn nameless() -> Refusal {
    Refusal::malformed("a block of code does not say which file it is for")
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
        assert_eq!(changes[2].operation, Operation::Delete(change::Blocks::default()));
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
                    Operation::Copy { from, .. } => format!("copy {from} to {}", change.path),
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
        let copy = "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y";
        head(copy);
        check_diff(&format!("{copy}\n"), "copy x to y");
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
        for end in ["Done.", "Done", "Both are renamed", "src\n", "```sh\nmake\n```", "</s>", "<|eot_id|>"] {
            check_diff(&format!("{block}{end}"), "edit a.c");
        }
        check_diff(block.trim_end(), "edit a.c");
    }

    #[test]
    fn files_that_commands_write() {
        let write = "```bash\nmkdir -p src\ncat > src/a.c <<'EOF'\na\nEOF\n```\n";
        let path = |reply: &str| files(reply, &|_| false).map(|read| read.changes.len());
        assert_eq!(path(&write.repeat(2)), Ok(1));
        assert_eq!(path(&(write.to_owned() + &write.replace("src/a", "src/b"))), Ok(2));
        let detail = "malformed: the reply cannot be read: it wants two different things of `src/a.c`";
        check_diff(&(write.to_owned() + &write.replace("\na\n", "\nb\n")), detail);
        check_diff("```bash\nmake\n```\n", "prose: the reply is prose, not code");
    }

    #[test]
    fn a_file_that_goes_is_not_edited() {
        let delete = "*** Delete File: a\n";
        let update = "*** Update File: a\n@@\n-x\n+y\n";
        let detail = "malformed: the reply cannot be read: it wants two different things of `a`";
        for sections in [[delete, update], [update, delete], [delete, delete]] {
            check_diff(&format!("*** Begin Patch\n{}*** End Patch\n", sections.concat()), detail);
        }
        // `hooks` does not look like a path and no file has that name, so the block below is for `a`.
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
    }

    #[test]
    fn changes_need_a_file() {
        let code = |reply| files(reply, &|_| false).map_err(|refusal| refusal.code());
        assert_eq!(code("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), Err("malformed"));
        assert_eq!(code("I would rename it."), Err("prose"));
        assert_eq!(code("*** Begin Patch\n*** Update File: a\n-x\n"), Err("truncated"));
    }
}
