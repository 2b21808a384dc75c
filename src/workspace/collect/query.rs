//! Finds the definitions and imports in a tree, by a language's symbol query.
//!
//! Definitions in a function body are not visible elsewhere, so function bodies are skipped: with them the
//! queries take half as long as the parse, without them a quarter (measured on 400,000 lines of Rust and
//! 100,000 of Python).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::unchanged::{Unchanged, UnchangedNode};
use crate::grammar::Grammar;
use crate::workspace::symbols::Kind;

/// Maximum number of definitions in one file; a file with more is generated.
const MOST_DEFINITIONS: usize = 20_000;
/// Time limit for the queries of one file. A node takes about 0.3 µs.
const QUERY_TIME: Duration = Duration::from_millis(500);
/// Nodes between two checks of the clock.
const NODES_A_LOOK: usize = 4_096;

thread_local! {
    /// Queries a single node without its children, so that bodies can be skipped.
    static ONE_NODE: RefCell<QueryCursor> = RefCell::new({
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(0));
        cursor
    });
}

/// A language's symbol query, and the roles of its captures.
pub(super) struct SymbolQuery {
    query: &'static Query,
    roles: Vec<CaptureRole>,
}

impl SymbolQuery {
    /// The query of a language; `None` if it finds only data.
    pub(super) fn of(grammar: &'static Grammar) -> Option<Self> {
        let query = grammar.symbols_query()?;
        let roles: Vec<CaptureRole> = query.capture_names().iter().map(|it| CaptureRole::of(it)).collect();
        roles.iter().any(|role| matches!(role, CaptureRole::Definition(_))).then_some(Self { query, roles })
    }

    /// The definitions and imports in a tree.
    pub(super) fn find<'tree, 'old>(
        &self,
        tree: &'tree Tree,
        text: &str,
        unchanged: Option<&Unchanged<'old>>,
    ) -> FoundSymbols<'tree, 'old> {
        let Scanned { definitions, imports, paths, unchanged, is_whole } =
            ONE_NODE.with_borrow_mut(|cursor| scan(cursor, self.query, &self.roles, tree, text, unchanged));
        // A pattern of the root also matches what is in unchanged nodes.
        let is_known = |node: Node<'_>| {
            let at = unchanged.partition_point(|it| it.span.end <= node.start_byte());
            unchanged.get(at).is_some_and(|it| it.span.start <= node.start_byte())
        };
        let mut definitions: Vec<_> = definitions.into_values().map(|(_, found)| found).collect();
        definitions
            .sort_by_key(|it| (it.node.start_byte(), Reverse(it.node.end_byte()), it.name.start_byte()));
        let of_lists = |mut found: FoundImport<'tree>| {
            if let Some(list) = found.list {
                found.path.push(*paths.get(&list)?);
            }
            Some(found)
        };
        let mut imports: Vec<_> = imports.into_values().filter_map(|(_, found)| of_lists(found)).collect();
        imports.sort_by_key(|it| (it.node.start_byte(), it.identifying_node().start_byte()));
        // A path whose names matched adds nothing when it also matches whole.
        let from = |it: &FoundImport<'_>| it.path.last().unwrap_or(&it.node).id();
        let named: HashSet<usize> = imports.iter().filter(|it| it.name.is_some()).map(from).collect();
        imports.retain(|it| (it.name.is_some() || !named.contains(&from(it))) && !is_known(it.node));
        definitions.retain(|it| !is_known(it.node));
        FoundSymbols { definitions, imports, unchanged, is_whole }
    }
}

/// The symbols of a tree, each list in text order.
pub(super) struct FoundSymbols<'tree, 'old> {
    pub(super) definitions: Vec<FoundDefinition<'tree>>,
    pub(super) imports: Vec<FoundImport<'tree>>,
    /// The nodes that were not searched, since their symbols are known.
    pub(super) unchanged: Vec<UnchangedNode<'old>>,
    /// Whether the search reached the end of the tree.
    pub(super) is_whole: bool,
}

/// The role of a captured node.
#[derive(Clone, Copy)]
enum CaptureRole {
    Definition(Kind),
    Name,
    Body,
    Doc,
    Import,
    Path,
    ImportName,
    Original,
    /// A node with a list of names, and the path that they share: captured in separate matches.
    List,
    ListPath,
    /// Serves a predicate, or names a kind of data.
    None,
}

impl CaptureRole {
    fn of(capture: &str) -> Self {
        match capture {
            "name" => Self::Name,
            "body" => Self::Body,
            "doc" => Self::Doc,
            "import" => Self::Import,
            "import.path" => Self::Path,
            "import.name" | "import.exported" => Self::ImportName,
            "import.original" => Self::Original,
            "import.list" => Self::List,
            "import.from" => Self::ListPath,
            _ => capture
                .strip_prefix("definition.")
                .and_then(Kind::by_name)
                .map_or(Self::None, Self::Definition),
        }
    }
}

/// A definition, as captured nodes.
#[derive(Clone, Copy)]
pub(super) struct FoundDefinition<'tree> {
    pub(super) kind: Kind,
    pub(super) node: Node<'tree>,
    pub(super) name: Node<'tree>,
    pub(super) body: Option<Node<'tree>>,
    pub(super) doc: Option<Node<'tree>>,
}

/// An import, or one name of it.
#[derive(Clone)]
pub(super) struct FoundImport<'tree> {
    pub(super) node: Node<'tree>,
    /// A nested import has a part of its path at each level.
    pub(super) path: Vec<Node<'tree>>,
    pub(super) name: Option<Node<'tree>>,
    pub(super) original: Option<Node<'tree>>,
    /// The node whose list of names contains it; the path is that of the list.
    list: Option<usize>,
}

impl<'tree> FoundImport<'tree> {
    /// The node that identifies it within its statement: its name, or else the end of its path.
    fn identifying_node(&self) -> Node<'tree> {
        self.name.or(self.path.last().copied()).unwrap_or(self.node)
    }
}

/// Matches by identifying node, with the index of the pattern: the last pattern of the query wins.
type Found<T> = HashMap<usize, (usize, T)>;

/// The symbols found in a tree.
#[derive(Default)]
struct Scanned<'tree, 'old> {
    definitions: Found<FoundDefinition<'tree>>,
    imports: Found<FoundImport<'tree>>,
    /// The paths of lists of names, by the node that has the list.
    paths: HashMap<usize, Node<'tree>>,
    unchanged: Vec<UnchangedNode<'old>>,
    is_whole: bool,
}

/// Walks a tree and queries each of its nodes, up to the limits.
fn scan<'tree, 'old>(
    cursor: &mut QueryCursor,
    query: &Query,
    roles: &[CaptureRole],
    tree: &'tree Tree,
    text: &str,
    earlier: Option<&Unchanged<'old>>,
) -> Scanned<'tree, 'old> {
    let Scanned { mut definitions, mut imports, mut paths, mut unchanged, mut is_whole } = Scanned::default();
    let mut bodies = HashSet::new();
    let (started, mut nodes) = (Instant::now(), 0_usize);
    // A cursor computes its depth from all its ancestors.
    let (mut at, mut depth) = (tree.walk(), 0_usize);
    'tree: loop {
        let node = at.node();
        nodes += 1;
        let is_over = definitions.len() >= MOST_DEFINITIONS
            || nodes.is_multiple_of(NODES_A_LOOK) && started.elapsed() > QUERY_TIME;
        if is_over {
            break;
        }
        let known = earlier.filter(|_| depth == 1).and_then(|it| it.node(node));
        // Every pattern matches a named node with children.
        let can_match = node.is_named() && node.child_count() > 0 && !bodies.contains(&node.id());
        let is_searched = known.is_none() && can_match;
        unchanged.extend(known);
        if is_searched {
            let mut hits = cursor.matches(query, node, text.as_bytes());
            while let Some(hit) = hits.next() {
                let captures = hit.captures().iter().map(|it| (roles[it.index as usize], it.node));
                match Hit::new(captures) {
                    Some(Hit::Definition(found)) => {
                        if found.kind.is_callable() {
                            bodies.extend(found.body.map(|body| body.id()));
                        }
                        keep(&mut definitions, found.name.id(), hit.pattern_index, found);
                    }
                    Some(Hit::Import(found)) => {
                        keep(&mut imports, found.identifying_node().id(), hit.pattern_index, found);
                    }
                    Some(Hit::Path(list, path)) => _ = paths.insert(list, path),
                    None => {}
                }
            }
            if at.goto_first_child() {
                depth += 1;
                continue;
            }
        }
        while !at.goto_next_sibling() {
            if !at.goto_parent() {
                is_whole = true;
                break 'tree;
            }
            depth -= 1;
        }
    }
    Scanned { definitions, imports, paths, unchanged, is_whole }
}

/// Keeps a match, unless a later pattern has matched the same name.
fn keep<T>(found: &mut Found<T>, key: usize, pattern: usize, this: T) {
    if found.get(&key).is_none_or(|(known, _)| *known <= pattern) {
        found.insert(key, (pattern, this));
    }
}

/// A classified match of the query.
enum Hit<'tree> {
    Definition(FoundDefinition<'tree>),
    Import(FoundImport<'tree>),
    /// The path shared by a list of names.
    Path(usize, Node<'tree>),
}

impl<'tree> Hit<'tree> {
    fn new(captures: impl Iterator<Item = (CaptureRole, Node<'tree>)>) -> Option<Self> {
        let (mut definition, mut name, mut body, mut doc) = (None, None, None, None);
        let (mut import, mut path, mut import_name, mut original) = (None, Vec::new(), None, None);
        let (mut list, mut list_path) = (None, None);
        for (role, node) in captures {
            match role {
                CaptureRole::Definition(kind) => definition = Some((kind, node)),
                CaptureRole::Name => name = Some(node),
                CaptureRole::Body => body = Some(node),
                CaptureRole::Doc => doc = Some(node),
                CaptureRole::Import => import = Some(node),
                CaptureRole::Path => path.push(node),
                CaptureRole::ImportName => import_name = Some(node),
                CaptureRole::Original => original = Some(node),
                CaptureRole::List => list = Some(node.id()),
                CaptureRole::ListPath => list_path = Some(node),
                CaptureRole::None => {}
            }
        }
        match (definition, import) {
            (Some((kind, node)), _) => {
                Some(Self::Definition(FoundDefinition { kind, node, name: name?, body, doc }))
            }
            (None, Some(node)) => {
                Some(Self::Import(FoundImport { node, path, name: import_name, original, list }))
            }
            (None, None) => Some(Self::Path(list?, list_path?)),
        }
    }
}
