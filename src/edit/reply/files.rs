//! Reads a reply that is about several files.

use super::block::Block;
use super::json;
use super::lines::{Event, Parser};
use crate::edit::place::Target;
use crate::edit::{Edit, Refusal};

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
    /// Create it with this text.
    Create(String),
    /// Delete it. The reply may show lines of it, which must be there.
    Delete(Blocks),
}

/// Changes of one file that are not placed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks(Vec<Block>);

impl Blocks {
    /// Places all blocks in a file's text.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when one of them has no certain place, or two contradict each other.
    pub fn place(&self, text: &str) -> Result<Vec<Edit>, Refusal> {
        let target = Target::new(text, None, None);
        let mut changes = super::reader::Changes::default();
        for block in &self.0 {
            changes.place(&target, block)?;
        }
        changes.sorted(&target)
    }
}

/// Reads the changes that a reply asks for, file by file, in the reply's order.
///
/// # Errors
///
/// [`Refusal`] when the reply is cut off, cannot be read, or has a change that names no file.
pub fn files(reply: &str) -> Result<Vec<FileChange>, Refusal> {
    let mut changes: Vec<FileChange> = Vec::new();
    let mut current: Option<usize> = None;
    for event in events(reply.trim_start_matches('\u{feff}'))? {
        if let Event::File(path) = event {
            let known = changes.iter().position(|change| change.path == path);
            current = Some(known.unwrap_or(changes.len()));
            if known.is_none() {
                let operation = Operation::Edit { blocks: Blocks::default(), move_to: None };
                changes.push(FileChange { path, operation });
            }
            continue;
        }
        let Some(change) = current.and_then(|at| changes.get_mut(at)) else {
            return Err(Refusal::Malformed {
                detail: "a change does not say which file it is for".to_owned(),
            });
        };
        extend(change, event)?;
    }
    // A file that was only mentioned is none of the answer's business.
    changes.retain(|change| {
        !matches!(&change.operation, Operation::Edit { blocks: Blocks(blocks), move_to: None } if blocks.is_empty())
    });
    if changes.is_empty() { Err(Refusal::Prose) } else { Ok(changes) }
}

fn extend(change: &mut FileChange, event: Event) -> Result<(), Refusal> {
    let path = &change.path;
    let twice = || Refusal::Malformed { detail: format!("it wants two different things of `{path}`") };
    let untouched = matches!(&change.operation, Operation::Edit { blocks: Blocks(blocks), move_to: None } if blocks.is_empty());
    match (event, &mut change.operation) {
        (Event::Block(block), Operation::Edit { blocks: Blocks(blocks), .. }) => blocks.push(block),
        (Event::Block(block), Operation::Create(text)) => {
            for line in block.readings.into_iter().flatten() {
                text.push_str(&line.text);
                text.push('\n');
            }
            if block.final_newline == Some(false) {
                text.truncate(text.len().saturating_sub(1));
            }
        }
        (Event::MoveTo(to), Operation::Edit { move_to, .. }) if move_to.is_none() => *move_to = Some(to),
        (Event::Create, _) if untouched => change.operation = Operation::Create(String::new()),
        (Event::Whole(text), _) if untouched => change.operation = Operation::Create(text),
        (Event::Delete, _) if untouched => change.operation = Operation::Delete(Blocks::default()),
        (Event::Block(block), Operation::Delete(Blocks(blocks))) => blocks.push(block),
        (Event::Span(_), _) => {
            return Err(Refusal::Malformed {
                detail: "marked spans do not say which file they are for".to_owned(),
            });
        }
        _ => return Err(twice()),
    }
    Ok(())
}

fn events(reply: &str) -> Result<Vec<Event>, Refusal> {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    parser.push(reply, &mut events);
    if let Some(start) = parser.json
        && let Some(answer) = json::read(&reply[start..])
    {
        return match answer? {
            json::Answer::Events(events) => Ok(events),
            json::Answer::Wrapped(inner) => self::events(&inner),
        };
    }
    parser.finish(&mut events)?;
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    #[test]
    fn a_patch_of_several_files() {
        let reply = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+new\n*** Delete File: c.rs\n\
            *** Update File: d.rs\n*** Move to: e.rs\n@@\n-1\n+2\n*** End Patch\n";
        let changes = files(reply).unwrap();
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "b.rs", "c.rs", "d.rs"]);
        let Operation::Edit { blocks, move_to: None } = &changes[0].operation else { panic!("{changes:?}") };
        assert_eq!(apply("x\n", &blocks.place("x\n").unwrap()), "y\n");
        assert_eq!(changes[1].operation, Operation::Create("new\n".to_owned()));
        assert_eq!(changes[2].operation, Operation::Delete(Blocks::default()));
        assert!(matches!(&changes[3].operation, Operation::Edit { move_to: Some(to), .. } if to == "e.rs"));
    }

    #[test]
    fn a_diff_of_several_files() {
        let reply = "```diff\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y.c\n@@ -0,0 +1,2 @@\n+one\n+two\n```\n";
        let changes = files(reply).unwrap();
        assert_eq!(changes.len(), 2);
        assert_eq!(
            changes[1],
            FileChange { path: "b/y.c".to_owned(), operation: Operation::Create("one\ntwo\n".to_owned()) }
        );
    }

    #[test]
    fn a_diff_that_renames() {
        let reply = "diff --git a/x.c b/y.c\nsimilarity index 90%\nrename from x.c\nrename to y.c\n--- a/x.c\n+++ b/y.c\n@@ -1 +1 @@\n-a\n+b\n";
        let [change] = files(reply).unwrap().try_into().unwrap();
        assert_eq!(change.path, "x.c");
        let Operation::Edit { blocks, move_to: Some(to) } = change.operation else { panic!("no move") };
        assert_eq!((to.as_str(), blocks.place("a\n").unwrap().len()), ("y.c", 1));
    }

    #[test]
    fn changes_need_a_file() {
        let code = |reply| files(reply).map_err(|refusal| refusal.code());
        assert_eq!(code("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), Err("malformed"));
        assert_eq!(code("I would rename it."), Err("prose"));
        assert_eq!(code("*** Begin Patch\n*** Update File: a\n-x\n"), Err("truncated"));
    }
}
