//! One language: its parser, its compiled queries and its facts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use tree_sitter::{
    Language, Node, ParseOptions, ParseState, Parser, Query, QueryCursor, StreamingIterator, TextProvider,
    Tree,
};

use super::builtin::{BUILTIN, Builtin};
use super::clock::Clock;
use super::facts::{Comments, Facts};
use super::limits::{CALLBACKS_PER_CLOCK_READ, PARSE_TIME_PER_BYTE, STUCK_PARSE_TIME, UNITS_PER_CALLBACK};
use super::query::{Match, QueryKind};
use crate::budget;

/// One language: its parser, its queries and its facts from `languages.toml`.
///
/// Lives for the whole program.
pub struct Grammar {
    id: &'static str,
    family: &'static str,
    facts: Facts,
    language: Language,
    /// For each [`QueryKind`], the sources of the query: inherited ones first, so that later patterns refine
    /// them.
    sources: [Vec<&'static str>; QueryKind::COUNT],
    queries: [OnceLock<Option<Query>>; QueryKind::COUNT],
    /// See [`Grammar::symbols_query`].
    symbols: OnceLock<Option<Query>>,
    refused: Once,
}

thread_local! {
    /// This thread's idle parsers.
    ///
    /// A parser serves every language, so this holds one, or two after a nested parse.
    static PARSERS: RefCell<Vec<Parser>> = const { RefCell::new(Vec::new()) };
    /// Queries a single node without its children: see [`Grammar::is_scope`].
    static SINGLE_NODE: RefCell<QueryCursor> = RefCell::new({
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(0));
        cursor
    });
}

impl Grammar {
    /// `None` if the parser is not linked into this program.
    pub(super) fn new(builtin: &'static Builtin, facts: Facts) -> Option<Self> {
        let language = Language::new(builtin.language?);
        let ancestors =
            facts.inherits.iter().filter_map(|id| BUILTIN.iter().find(|ancestor| ancestor.id == id));
        let members: Vec<&Builtin> = ancestors.chain([builtin]).collect();
        let sources =
            QueryKind::ALL.map(|kind| members.iter().filter_map(|member| member.source(kind)).collect());
        Some(Self {
            id: builtin.id,
            // Leaked once per language, which lives as long.
            family: facts.family.clone().map_or(builtin.id, |family| family.leak()),
            facts,
            language,
            sources,
            queries: Default::default(),
            symbols: OnceLock::new(),
            refused: Once::new(),
        })
    }

    /// The parser.
    #[cfg(test)]
    pub(super) fn language(&self) -> &Language {
        &self.language
    }

    /// Whether a word is a token of the grammar, at least in some contexts.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.language.id_for_node_kind(word, false) != 0
    }

    /// Whether files define functions, and so are code: in data and markup, a name has no scope.
    pub fn names_functions(&self) -> bool {
        let defines = |kind| {
            let query = self.query(QueryKind::Definitions);
            query.is_some_and(|it| it.capture_index_for_name(kind).is_some())
        };
        defines("definition.function") || defines("definition.method")
    }

    /// The words that are tokens of the grammar, in no particular order.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        let kinds = 0..u16::try_from(self.language.node_kind_count()).unwrap_or(u16::MAX);
        let tokens = kinds.filter(move |id| !self.language.node_kind_is_named(*id));
        let texts = tokens.filter_map(move |id| self.language.node_kind_for_id(id));
        texts.filter(|it| it.bytes().all(|byte| byte.is_ascii_alphabetic()))
    }

    /// The facts from `languages.toml`.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The name used in configuration and in this repository: `rust`, `tsx`, `csharp`.
    ///
    /// For display and configuration only. Code that depends on the language must use its [`Facts`]:
    /// `tests/it/layers.rs` finds language names in other code.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The display name: `Rust`, `C#`.
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    /// The name shared by languages whose files use each other's definitions.
    pub fn family(&self) -> &'static str {
        self.family
    }

    /// The comment tokens.
    pub fn comments(&self) -> &Comments {
        &self.facts.comments
    }

    /// Whether a syntax error from the parser is a real error in the code.
    ///
    /// Macros make the C and C++ parsers report errors in sound code: 9 of 223 real edits add some.
    pub fn errors_are_reliable(&self) -> bool {
        self.facts.errors_reliable
    }

    /// Whether most of a file is prose, as in Markdown.
    pub fn is_prose(&self) -> bool {
        self.facts.prose
    }

    /// Parses a text that is read in chunks.
    ///
    /// `read` gets an offset in bytes and returns text from there on: whole characters, as many as are at hand,
    /// or nothing at the end of the text. It must not panic, since it is called from C. `old` is the tree of an
    /// earlier version, edited to match this one; a tree of another language is ignored.
    ///
    /// The parse stops when the thread's [budget](crate::budget) is used up.
    ///
    /// `None` if it takes more CPU time than [`STUCK_PARSE_TIME`] and [`PARSE_TIME_PER_BYTE`] allow, which only
    /// happens for input that is not code, or if the linked parser is incompatible with this program.
    pub fn parse<'text>(
        &self,
        read: &mut dyn FnMut(usize) -> &'text [u8],
        old: Option<&Tree>,
    ) -> Option<Tree> {
        self.parse_for(read, old, STUCK_PARSE_TIME)
    }

    /// Like [`Grammar::parse_str`], with another limit than [`STUCK_PARSE_TIME`].
    ///
    /// For parsing one of many texts.
    pub fn parse_within(&self, text: &str, time: Duration) -> Option<Tree> {
        self.parse_for(&mut |offset| text.as_bytes().get(offset..).unwrap_or_default(), None, time)
    }

    fn parse_for<'text>(
        &self,
        read: &mut dyn FnMut(usize) -> &'text [u8],
        old: Option<&Tree>,
        time: Duration,
    ) -> Option<Tree> {
        let old = old.filter(|tree| *tree.language() == self.language);
        // The parser is taken out of the cell while in use, so `read` may itself parse.
        let mut parser = PARSERS.with_borrow_mut(Vec::pop).unwrap_or_default();
        let tree = match parser.set_language(&self.language) {
            Ok(()) => {
                let started = Clock::now();
                let mut looks = 0_usize;
                let mut look = |state: &ParseState| {
                    looks += 1;
                    let bytes = u32::try_from(state.current_byte_offset()).unwrap_or(u32::MAX);
                    let is_late = looks.is_multiple_of(CALLBACKS_PER_CLOCK_READ)
                        && started.elapsed() > time + PARSE_TIME_PER_BYTE * bytes;
                    match is_late || budget::is_over(UNITS_PER_CALLBACK) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let options = ParseOptions::new().progress_callback(&mut look);
                let tree = parser.parse_with_options(&mut |offset, _| read(offset), old, Some(options));
                if tree.is_none() {
                    tracing::info!(language = self.id, after = ?started.elapsed(), "a text was not parsed");
                    // Otherwise the next parse would resume this one.
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
        // This may unwind, which must not happen inside the parser, which is C.
        budget::charge(0);
        tree
    }

    /// Parses a contiguous text.
    pub fn parse_str(&self, text: &str) -> Option<Tree> {
        self.parse(&mut |offset| text.as_bytes().get(offset..).unwrap_or_default(), None)
    }

    /// The compiled query of a kind, if the language has it.
    ///
    /// Compiled once, at the first call, which takes from 0.1 ms (JSON) to 150 ms (the definitions of C++) and
    /// thus belongs on a thread that may block. A query that does not compile is logged and treated as absent.
    pub fn query(&self, kind: QueryKind) -> Option<&Query> {
        let compile = || self.compiled(kind.name(), &self.query_source(kind)?);
        self.queries[kind as usize].get_or_init(compile).as_ref()
    }

    /// The definitions and the imports in one query.
    ///
    /// One pass over a tree takes half the time of two passes.
    ///
    /// It has the captures of both. Compiled once, like [`Grammar::query`].
    pub fn symbols_query(&self) -> Option<&Query> {
        self.symbols.get_or_init(|| self.compiled("symbols", &self.symbols_source())).as_ref()
    }

    fn compiled(&self, query: &str, source: &str) -> Option<Query> {
        let compiled = Query::new(&self.language, source);
        compiled
            .inspect_err(|error| tracing::warn!(language = self.id, query, %error, "query unavailable"))
            .ok()
    }

    /// The source of [`Grammar::symbols_query`], which determines the symbols found.
    pub fn symbols_source(&self) -> String {
        let kinds = [QueryKind::Definitions, QueryKind::Imports];
        kinds.into_iter().filter_map(|it| self.query_source(it)).collect::<Vec<_>>().join("\n")
    }

    /// Runs a query below `root` on the nodes that intersect `bytes`; matches are in text order.
    ///
    /// Where several patterns match the same name, the last pattern in the query wins: queries go from general
    /// to specific, and a language's own patterns follow inherited ones. Matches without a name are keyed by
    /// their path, since one statement may import several modules. An empty result may also mean that the
    /// language has no such query.
    pub fn matches<'tree, T, I>(
        &'static self,
        kind: QueryKind,
        root: Node<'tree>,
        bytes: Range<usize>,
        text: T,
    ) -> Vec<Match<'tree>>
    where
        T: TextProvider<I>,
        I: AsRef<[u8]>,
    {
        let Some(query) = self.query(kind) else { return Vec::new() };
        let names = query.capture_names();
        let mut cursor = QueryCursor::new();
        cursor.set_byte_range(bytes);
        // Keyed by the identifying node; each with its pattern's index and its import list.
        let mut found: HashMap<usize, (usize, Match<'tree>, Option<usize>)> = HashMap::new();
        // The module paths of import lists, by list.
        let mut paths: HashMap<usize, Node<'tree>> = HashMap::new();
        let mut matches = cursor.matches(query, root, text);
        while let Some(hit) = matches.next() {
            let captures = hit.captures().iter().map(|capture| (names[capture.index as usize], capture.node));
            let captured = |name| captures.clone().find(|it| it.0 == name).map(|it| it.1);
            let list = captured("import.list").map(|list| list.id());
            if let Some((list, path)) = list.zip(captured("import.from")) {
                paths.insert(list, path);
            }
            let Some(this) = Match::from_captures(captures) else { continue };
            let new = (hit.pattern_index, this, list);
            let known = found.entry(this.identifying_node().id()).or_insert(new);
            if known.0 <= hit.pattern_index {
                *known = new;
            }
        }
        let of_lists = |(_, this, list): (usize, Match<'tree>, Option<usize>)| match list {
            Some(list) => Some(Match { path: Some(*paths.get(&list)?), ..this }),
            None => Some(this),
        };
        let mut found: Vec<_> = found.into_values().filter_map(of_lists).collect();
        found.sort_by_key(|this| {
            let start = |node: Node<'_>| node.start_byte();
            (start(this.node), std::cmp::Reverse(this.node.end_byte()), start(this.identifying_node()))
        });
        found
    }

    /// Whether a suggestion that starts inside `node` must end there, as in a block.
    ///
    /// Takes a tenth of a microsecond whatever the size of the tree, once [`Grammar::query`] has compiled the
    /// query (0.01 to 30 ms). The query runs on this node alone: at a maximum start depth of 0 the cursor tries
    /// its patterns on `node`, and never visits children, since every pattern of `scopes.scm` is one node
    /// without children. A test ensures that for every language, and another compares this function with the
    /// whole query on every node of every sample.
    pub fn is_scope(&self, node: Node<'_>) -> bool {
        let Some(query) = self.query(QueryKind::Scopes) else { return false };
        // Scope patterns depend on the node's kind, not on its text.
        let no_text = |_: Node<'_>| std::iter::empty::<&[u8]>();
        SINGLE_NODE.with_borrow_mut(|cursor| cursor.matches(query, node, no_text).next().is_some())
    }

    pub(super) fn query_source(&self, kind: QueryKind) -> Option<String> {
        let parts = &self.sources[kind as usize];
        (!parts.is_empty()).then(|| parts.join("\n"))
    }
}

impl Eq for Grammar {}

/// Each language has exactly one value.
impl PartialEq for Grammar {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grammar").field(&self.id).finish()
    }
}
