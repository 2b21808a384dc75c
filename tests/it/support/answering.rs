//! A model that answers each prompt with tagged blocks from a script: correctly, or in the ways that models err.

use futures_util::StreamExt as _;
use tandem::edit::span;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::prompt::{self, ParsedPrompt};

/// The kind of reply.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reply {
    /// States that no edit is needed.
    NoEdits,
    /// The blocks with these texts replaced, each between its tags.
    Blocks(&'static [(&'static str, &'static str)]),
    /// Like [`Reply::Blocks`], with prose around and a fence inside.
    Chatty(&'static [(&'static str, &'static str)]),
    /// Like [`Reply::Blocks`], with tags in capitals and spaces around them.
    Shouting(&'static [(&'static str, &'static str)]),
    /// As search and replace blocks.
    Search(&'static [(&'static str, &'static str)]),
    /// As a patch with the lines of the change.
    Patch(&'static [(&'static str, &'static str)]),
    /// The second tag is made up.
    MadeUpTag(&'static [(&'static str, &'static str)]),
    /// The second tag does not exist.
    Reversed(&'static [(&'static str, &'static str)]),
    /// The tags are in the wrong order.
    Cut(&'static [(&'static str, &'static str)]),
    /// Verbatim text.
    Words(&'static str),
}

/// A model that gives this reply.
#[derive(Debug)]
pub(crate) struct Answering(pub(crate) Reply);

impl Model for Answering {
    fn name(&self) -> String {
        "answering".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let window = match prompt::read(&request.input) {
            Some(ParsedPrompt::NextEdit { window, .. } | ParsedPrompt::Fix { window, .. }) => window,
            other => panic!("a prompt for something else: {other:?}"),
        };
        let reply = self.0.to(&window);
        // One character at a time is the hardest stream for a reader.
        let chunks: Vec<_> = reply.chars().map(|it| Ok(Chunk::Text(it.to_string()))).collect();
        futures_util::stream::iter(chunks.into_iter().chain([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

impl Reply {
    /// The reply to this window.
    pub(crate) fn to(self, window: &str) -> String {
        let open = |tag: &str| format!("<@{tag}>\n");
        match self {
            Self::NoEdits => "NO_EDITS".to_owned(),
            Self::Words(words) => words.to_owned(),
            Self::Blocks(edits) => changed(window, edits)
                .iter()
                .map(|(tag, text, next)| open(tag) + text + &open(next))
                .collect(),
            Self::Chatty(edits) => {
                let blocks = changed(window, edits);
                let blocks = blocks
                    .iter()
                    .map(|(tag, text, next)| format!("{}```\n{text}```\n{}", open(tag), open(next)));
                format!("Here is the change:\n\n{}\nLet me know!\n", blocks.collect::<String>())
            }
            Self::Shouting(edits) => {
                let blocks = changed(window, edits);
                let loud = |tag: &str| format!(" <@{}> \n", tag.to_uppercase());
                blocks.iter().map(|(tag, text, next)| loud(tag) + text + &loud(next)).collect()
            }
            Self::Search(edits) => edits
                .iter()
                .map(|(old, new)| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"))
                .collect(),
            Self::Patch(edits) => {
                let signed = |sign: char, text: &str| -> String {
                    text.lines().map(|line| format!("{sign}{line}\n")).collect()
                };
                let hunks =
                    edits.iter().map(|(old, new)| format!("@@\n{}{}", signed('-', old), signed('+', new)));
                format!(
                    "*** Begin Patch\n*** Update File: src/a\n{}*** End Patch\n",
                    hunks.collect::<String>()
                )
            }
            Self::MadeUpTag(edits) => changed(window, edits)
                .iter()
                .map(|(tag, text, _)| open(tag) + text + "<@zzzz>\n<@0000>\n")
                .collect(),
            Self::Reversed(edits) => changed(window, edits)
                .iter()
                .map(|(tag, text, next)| open(next) + text + &open(tag))
                .collect(),
            Self::Cut(edits) => {
                let (tag, text, _) = changed(window, edits).remove(0);
                let half = text.char_indices().nth(text.chars().count() * 2 / 3).map_or(0, |(at, _)| at);
                open(&tag) + &text[..half]
            }
        }
    }
}

/// The new text of the blocks that the edits change: each with its tag and the one after it.
fn changed(window: &str, edits: &[(&str, &str)]) -> Vec<(String, String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for line in window.split_inclusive('\n') {
        match span::of_line(line) {
            Some(tag) => blocks.push((tag.to_owned(), String::new())),
            None => blocks.last_mut().unwrap().1.push_str(line),
        }
    }
    let mut new = blocks.clone();
    for (old, text) in edits {
        let block = new.iter_mut().find(|(_, block)| block.contains(old));
        let (_, block) = block.unwrap_or_else(|| panic!("{old:?} is not in the window:\n{window}"));
        *block = block.replacen(old, text, 1);
    }
    let pairs = blocks.iter().zip(&new).enumerate().filter(|(_, (old, new))| old != new);
    pairs.map(|(at, (_, (tag, text)))| (tag.clone(), text.clone(), blocks[at + 1].0.clone())).collect()
}
