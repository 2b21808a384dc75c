//! Programming languages: linked parsers, compiled queries, comment tokens.
//!
//! A language is added in three places, and nothing else has to be read:
//!
//! 1. a folder `grammars/<id>/` with its queries (`definitions.scm`, `references.scm`, `scopes.scm`,
//!    `imports.scm`, each of them optional), a `sample.<extension>` marked with what they find, and where there is one,
//!    the names of its own library (`library.txt`, listed in `src/grammar/library.rs`);
//! 2. an entry in `grammars/languages.toml` that says how editors and file systems name it;
//! 3. a line in the table of `src/grammar/builtin.rs` that links its parser, behind a cargo feature.
//!
//! `cargo test grammar` then says what is missing; `UPDATE_EXPECT=1 cargo test grammar` writes the marks of a
//! new sample, to be read before they are committed.
//!
//! A language without a query loses that kind of context and nothing else. Nothing here runs before it is
//! asked for: the registry is read at the first lookup, a query is compiled at its first use, and a thread's
//! first parse makes that thread's parser.

mod builtin;
mod library;
mod query;
mod registry;
#[cfg(test)]
mod samples;
#[cfg(test)]
#[cfg(feature = "common")] // They name languages; the samples are read with whatever is linked.
mod tests;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

use tree_sitter::{
    Language, Node, ParseOptions, ParseState, Parser, Query, QueryCursor, StreamingIterator, Tree,
};

pub use query::{Match, QueryKind};

/// How long a parse may take that gets nowhere.
///
/// Code takes 0.1 µs a byte, broken or not. Half a megabyte of random signs took 23 s (measured, TypeScript):
/// the parser tries what it could be by leaving any of them out.
const PATIENCE: Duration = Duration::from_secs(2);
/// And how long for each byte that it has read.
const PACE: Duration = Duration::from_micros(2);

/// One language: its parser, its queries and its comment tokens.
///
/// Lives as long as the program.
pub struct Grammar {
    id: &'static str,
    name: &'static str,
    editor_ids: Vec<String>,
    extensions: Vec<String>,
    file_names: Vec<String>,
    comments: Comments,
    errors_reliable: bool,
    prose: bool,
    language: Language,
    /// For each [`QueryKind`], the texts that make up the query: inherited ones first, so that
    /// later patterns refine.
    sources: [Vec<&'static str>; QueryKind::COUNT],
    queries: [OnceLock<Option<Query>>; QueryKind::COUNT],
    refused: Once,
}

/// How a language writes comments; both lists are empty for a language that has none.
#[derive(Debug, Default)]
pub struct Comments {
    /// Tokens that start a comment up to the end of the line; the first is the one to write.
    pub line: Vec<String>,
    /// Tokens that open and close a comment.
    pub block: Vec<(String, String)>,
}

/// Finds the language that an editor means by `editor_id`, the `languageId` of LSP.
///
/// Case does not matter.
pub fn by_language_id(editor_id: &str) -> Option<&'static Grammar> {
    all().find(|grammar| grammar.editor_ids.iter().any(|id| id.eq_ignore_ascii_case(editor_id)))
}

/// Finds the language of a file by its whole name, else by its extension.
///
/// Does not look into the file.
pub fn by_path(path: &Path) -> Option<&'static Grammar> {
    let name = path.file_name()?.to_str()?;
    let named = all().find(|grammar| grammar.file_names.iter().any(|known| known == name));
    named.or_else(|| {
        let extension = path.extension()?.to_str()?;
        all().find(|grammar| grammar.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)))
    })
}

/// All languages that were linked into this program.
pub fn all() -> impl Iterator<Item = &'static Grammar> {
    registry::linked().iter()
}

thread_local! {
    /// This thread's idle parsers.
    ///
    /// A parser serves every language, so this holds one, or two after a nested parse.
    static PARSERS: RefCell<Vec<Parser>> = const { RefCell::new(Vec::new()) };
    /// Asks about a node and never about its children: see [`Grammar::is_scope`].
    static SINGLE_NODE: RefCell<QueryCursor> = RefCell::new({
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(0));
        cursor
    });
}

impl Grammar {
    /// The name used in configuration and in this repository: `rust`, `tsx`, `csharp`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The name for people: `Rust`, `C#`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The tokens that make a comment.
    pub fn comments(&self) -> &Comments {
        &self.comments
    }

    /// Whether a syntax error that the parser sees is one of the code's.
    ///
    /// Macros make the parsers of C and C++ see errors in sound code: 9 of 223 edits that people made add
    /// some.
    pub fn errors_are_reliable(&self) -> bool {
        self.errors_reliable
    }

    /// Whether most of a file is text for people, as in Markdown.
    pub fn is_prose(&self) -> bool {
        self.prose
    }

    /// Parses a text that is read in chunks.
    ///
    /// `read` is given an offset in bytes and returns the text from there on: whole characters, as many as
    /// are at hand, or nothing at the end of the text. It must not panic, since it is called from C. `old` is
    /// the tree of an earlier version, edited to fit this one; a tree of another language is ignored.
    ///
    /// `None` if it takes longer than [`PATIENCE`] and [`PACE`] allow, which only what is no code at all
    /// does, or if the linked parser is not compatible with this program.
    pub fn parse<'text>(
        &self,
        read: &mut dyn FnMut(usize) -> &'text [u8],
        old: Option<&Tree>,
    ) -> Option<Tree> {
        let old = old.filter(|tree| *tree.language() == self.language);
        // The parser is out of the cell while it works, so `read` may itself parse.
        let mut parser = PARSERS.with_borrow_mut(Vec::pop).unwrap_or_default();
        let tree = match parser.set_language(&self.language) {
            Ok(()) => {
                let started = Instant::now();
                let mut look = |state: &ParseState| {
                    let bytes = u32::try_from(state.current_byte_offset()).unwrap_or(u32::MAX);
                    match started.elapsed() > PATIENCE + PACE * bytes {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let options = ParseOptions::new().progress_callback(&mut look);
                let tree = parser.parse_with_options(&mut |offset, _| read(offset), old, Some(options));
                if tree.is_none() {
                    tracing::info!(language = self.id, after = ?started.elapsed(), "a text was not parsed");
                    // Else the next text would be taken for the rest of this one.
                    parser.reset();
                }
                tree
            }
            Err(error) => {
                self.refused.call_once(|| tracing::warn!(language = self.id, %error, "language unavailable"));
                None
            }
        };
        PARSERS.with_borrow_mut(|idle| idle.push(parser));
        tree
    }

    /// Parses a text that is at hand as a whole.
    pub fn parse_str(&self, text: &str) -> Option<Tree> {
        self.parse(&mut |offset| text.as_bytes().get(offset..).unwrap_or_default(), None)
    }

    /// The compiled query of that kind, if the language has one.
    ///
    /// Compiled once, at the first call, which takes from 0.1 ms (JSON) to 150 ms (the definitions of C++),
    /// so it belongs on a thread that may block. A query that does not compile is logged then, and absent
    /// from then on.
    pub fn query(&self, kind: QueryKind) -> Option<&Query> {
        let compile = || {
            let compiled = Query::new(&self.language, &self.query_source(kind)?);
            if let Err(error) = &compiled {
                tracing::warn!(language = self.id, query = kind.name(), %error, "query unavailable");
            }
            compiled.ok()
        };
        self.queries[kind as usize].get_or_init(compile).as_ref()
    }

    /// Whether a suggestion that starts inside `node` must end there, as in a block.
    ///
    /// Takes a tenth of a microsecond whatever the size of the tree, once [`Grammar::query`] has compiled the
    /// query (0.01 to 30 ms). The query is run on this node alone: at a start depth of 0 the cursor tries its
    /// patterns on `node`, and it has no reason to visit children, since a pattern of `scopes.scm` is one
    /// node without children. A test holds every language to that, and another compares this function with
    /// the whole query on every node of every sample.
    pub fn is_scope(&self, node: Node<'_>) -> bool {
        let Some(query) = self.query(QueryKind::Scopes) else { return false };
        // Scopes are told by the kind of node, not by its text.
        let no_text = |_: Node<'_>| std::iter::empty::<&[u8]>();
        SINGLE_NODE.with_borrow_mut(|cursor| cursor.matches(query, node, no_text).next().is_some())
    }

    fn query_source(&self, kind: QueryKind) -> Option<String> {
        let parts = &self.sources[kind as usize];
        (!parts.is_empty()).then(|| parts.join("\n"))
    }
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Grammar").field(&self.id).finish()
    }
}
