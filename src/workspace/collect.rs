//! Collects the symbols of one file from its tree.
//!
//! What is defined in the body of a function is not seen from elsewhere, so those bodies are passed over: with
//! them the queries take half as long as the parse, without them a quarter (measured on 400,000 lines of
//! Rust and 100,000 of Python).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::manifest::{self, Entry, Manifest};
use super::symbols::{FileSymbols, Kind, NO_PARENT, StoredDefinition, StoredImport};
use crate::grammar::{Comments, Grammar};
use crate::privacy;
use crate::text;

/// Bytes of a name, a signature, a doc line or an import's path at most. The length of each is one byte.
const MOST_TEXT_BYTES: usize = 200;
/// Definitions of one file at most; a file with more is generated.
const MOST_DEFINITIONS: usize = 20_000;
/// Lines above a definition that are looked through for its documentation.
const MOST_DOC_LINES: usize = 60;
/// The time for the parse of one file, beside that for each of its bytes.
const PARSE_TIME: Duration = Duration::from_millis(200);
/// The time for the queries of one file. Nodes are looked at for about 0.3 µs each.
const QUERY_TIME: Duration = Duration::from_millis(500);
/// Nodes between two looks at the clock.
const NODES_A_LOOK: usize = 4_096;

thread_local! {
    /// Asks about one node and never about its children, so that bodies can be passed over.
    static ONE_NODE: RefCell<QueryCursor> = RefCell::new({
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(0));
        cursor
    });
}

/// What a capture says of its node.
#[derive(Clone, Copy)]
enum Role {
    Definition(Kind),
    Name,
    Body,
    Doc,
    Import,
    Path,
    ImportName,
    Original,
    /// It serves a predicate, or names a kind of data.
    None,
}

impl Role {
    fn of(capture: &str) -> Self {
        match capture {
            "name" => Self::Name,
            "body" => Self::Body,
            "doc" => Self::Doc,
            "import" => Self::Import,
            "import.path" => Self::Path,
            "import.name" | "import.exported" => Self::ImportName,
            "import.original" => Self::Original,
            _ => capture
                .strip_prefix("definition.")
                .and_then(Kind::by_word)
                .map_or(Self::None, Self::Definition),
        }
    }
}

#[derive(Clone, Copy)]
struct FoundDefinition<'tree> {
    kind: Kind,
    node: Node<'tree>,
    name: Node<'tree>,
    body: Option<Node<'tree>>,
    doc: Option<Node<'tree>>,
}

#[derive(Clone)]
struct FoundImport<'tree> {
    node: Node<'tree>,
    /// A nested import has a part of its path at each level.
    path: Vec<Node<'tree>>,
    name: Option<Node<'tree>>,
    original: Option<Node<'tree>>,
}

/// By the node of its name, with the pattern that found it: the last one of the query wins.
type Found<T> = HashMap<usize, (usize, T)>;

/// Parses a text and collects its symbols.
///
/// Empty for a language whose queries define nothing but data, and for what is not parsed in time.
pub(super) fn of_text(grammar: &'static Grammar, text: &str) -> FileSymbols {
    if grammar.facts().manifests {
        return manifest::read(text).map(|it| of_manifest(text, it)).unwrap_or_default();
    }
    let Some((query, roles)) = query(grammar) else { return FileSymbols::default() };
    match grammar.parse_within(text, PARSE_TIME) {
        Some(tree) => run(grammar, query, &roles, &tree, text),
        None => FileSymbols::default(),
    }
}

/// Collects the symbols of a text whose tree is known.
pub(super) fn of_tree(grammar: &'static Grammar, tree: &Tree, text: &str) -> FileSymbols {
    if grammar.facts().manifests {
        return of_text(grammar, text);
    }
    match query(grammar) {
        Some((query, roles)) => run(grammar, query, &roles, tree, text),
        None => FileSymbols::default(),
    }
}

/// What a project's settings say of its modules. A package is a definition; each entry is kept as an import, with its key
/// as the path, its target as the name, and its role as the original.
fn of_manifest(source: &str, manifest: Manifest) -> FileSymbols {
    let mut writer = Writer { source, ..Writer::default() };
    if let Some((name, start)) = manifest.package {
        let text = small(writer.text.len());
        let name_len = writer.add(&name);
        let signature_len = writer.add(&format!("package {name}"));
        let doc_len = writer.add("");
        writer.definitions.push(StoredDefinition {
            start: small(start),
            end: small(start + name.len()),
            name_start: small(start),
            line: small(source.get(..start).map_or(0, |it| it.matches('\n').count())),
            parent: NO_PARENT,
            text,
            name_len,
            signature_len,
            doc_len,
            kind: Kind::Module,
        });
    }
    for Entry { role, key, target } in manifest.entries {
        let text = small(writer.text.len());
        let path_len = writer.add(&key);
        let name_len = writer.add(&target);
        let original_len = writer.add(role.word());
        writer.imports.push(StoredImport { start: 0, text, path_len, name_len, original_len });
    }
    writer.finish()
}

fn run(grammar: &'static Grammar, query: &Query, roles: &[Role], tree: &Tree, text: &str) -> FileSymbols {
    let (definitions, imports) = ONE_NODE.with_borrow_mut(|cursor| find(cursor, query, roles, tree, text));
    let mut definitions: Vec<_> = definitions.into_values().map(|(_, found)| found).collect();
    definitions.sort_by_key(|it| {
        (it.node.start_byte(), std::cmp::Reverse(it.node.end_byte()), it.name.start_byte())
    });
    let mut imports: Vec<_> = imports.into_values().map(|(_, found)| found).collect();
    imports.sort_by_key(|it| (it.node.start_byte(), it.name.map(|name| name.start_byte())));
    let mut writer = Writer { source: text, ..Writer::default() };
    for found in &definitions {
        writer.definition(found, grammar.comments());
    }
    let named: HashSet<usize> =
        imports.iter().filter(|it| it.name.is_some()).map(|it| it.node.id()).collect();
    // Of an import with names, what matches as a whole says nothing more.
    for found in imports.iter().filter(|it| it.name.is_some() || !named.contains(&it.node.id())) {
        writer.import(found);
    }
    writer.finish()
}

fn find<'tree>(
    cursor: &mut QueryCursor,
    query: &Query,
    roles: &[Role],
    tree: &'tree Tree,
    text: &str,
) -> (Found<FoundDefinition<'tree>>, Found<FoundImport<'tree>>) {
    let (mut definitions, mut imports) = (Found::new(), Found::new());
    let mut bodies = HashSet::new();
    let (started, mut nodes) = (Instant::now(), 0_usize);
    let mut at = tree.walk();
    'tree: loop {
        let node = at.node();
        nodes += 1;
        let is_over = definitions.len() >= MOST_DEFINITIONS
            || nodes.is_multiple_of(NODES_A_LOOK) && started.elapsed() > QUERY_TIME;
        if is_over {
            break;
        }
        // Every pattern is of a named node with children.
        if node.is_named() && node.child_count() > 0 && !bodies.contains(&node.id()) {
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
                        let key = found.name.unwrap_or(found.node).id();
                        keep(&mut imports, key, hit.pattern_index, found);
                    }
                    None => {}
                }
            }
            if at.goto_first_child() {
                continue;
            }
        }
        while !at.goto_next_sibling() {
            if !at.goto_parent() {
                break 'tree;
            }
        }
    }
    (definitions, imports)
}

/// The query for a language's symbols, and what its captures mean; `None` if it finds nothing but data.
fn query(grammar: &'static Grammar) -> Option<(&'static Query, Vec<Role>)> {
    let query = grammar.symbols_query()?;
    let roles: Vec<Role> = query.capture_names().iter().map(|it| Role::of(it)).collect();
    roles.iter().any(|role| matches!(role, Role::Definition(_))).then_some((query, roles))
}

fn keep<T>(found: &mut Found<T>, key: usize, pattern: usize, this: T) {
    if found.get(&key).is_none_or(|(known, _)| *known <= pattern) {
        found.insert(key, (pattern, this));
    }
}

enum Hit<'tree> {
    Definition(FoundDefinition<'tree>),
    Import(FoundImport<'tree>),
}

impl<'tree> Hit<'tree> {
    fn new(captures: impl Iterator<Item = (Role, Node<'tree>)>) -> Option<Self> {
        let (mut definition, mut name, mut body, mut doc) = (None, None, None, None);
        let (mut import, mut path, mut import_name, mut original) = (None, Vec::new(), None, None);
        for (role, node) in captures {
            match role {
                Role::Definition(kind) => definition = Some((kind, node)),
                Role::Name => name = Some(node),
                Role::Body => body = Some(node),
                Role::Doc => doc = Some(node),
                Role::Import => import = Some(node),
                Role::Path => path.push(node),
                Role::ImportName => import_name = Some(node),
                Role::Original => original = Some(node),
                Role::None => {}
            }
        }
        match (definition, import) {
            (Some((kind, node)), _) => {
                Some(Self::Definition(FoundDefinition { kind, node, name: name?, body, doc }))
            }
            (None, Some(node)) => Some(Self::Import(FoundImport { node, path, name: import_name, original })),
            (None, None) => None,
        }
    }
}

/// Writes the texts of a file's symbols one after the other.
#[derive(Default)]
struct Writer<'a> {
    source: &'a str,
    text: String,
    definitions: Vec<StoredDefinition>,
    imports: Vec<StoredImport>,
    /// The definitions around the next one, as indices.
    around: Vec<usize>,
}

impl Writer<'_> {
    fn definition(&mut self, found: &FoundDefinition<'_>, comments: &Comments) {
        let source = self.source;
        let name = first_line(source.get(found.name.byte_range()).unwrap_or_default());
        if name.is_empty() {
            return;
        }
        let start = found.node.start_byte();
        let line_start = start.saturating_sub(found.node.start_position().column);
        let doc = match found.doc {
            Some(doc) => docstring(source.get(doc.byte_range()).unwrap_or_default()),
            None => comment_above(source.get(..line_start).unwrap_or_default(), comments),
        };
        let text = small(self.text.len());
        let name_len = self.add(name);
        let signature_len = self.add(&signature(source, line_start, found));
        let doc_len = self.add(doc);
        let ends = |at: &usize| self.definitions.get(*at).is_none_or(|it| (it.end as usize) <= start);
        while self.around.last().is_some_and(ends) {
            self.around.pop();
        }
        let parent = self.around.last().map_or(NO_PARENT, |at| small(*at));
        self.around.push(self.definitions.len());
        self.definitions.push(StoredDefinition {
            start: small(start),
            end: small(found.node.end_byte()),
            name_start: small(found.name.start_byte()),
            line: small(found.name.start_position().row),
            parent,
            text,
            name_len,
            signature_len,
            doc_len,
            kind: found.kind,
        });
    }

    fn import(&mut self, found: &FoundImport<'_>) {
        let part = |node: &Node<'_>| self.source.get(node.byte_range()).unwrap_or_default();
        // Only languages that write `::` nest their imports.
        let mut path = found.path.iter().map(part).collect::<Vec<_>>().join("::");
        let mut name = found.name.as_ref().map(part).unwrap_or_default().to_owned();
        let mut original = found.original.as_ref().map_or(&*name, part).to_owned();
        // `a::b::{self}` is `a::b`.
        if original == "self" && !path.is_empty() {
            let (above, last) = path.rsplit_once("::").unwrap_or(("", &path));
            if name == "self" {
                name = last.to_owned();
            }
            (original, path) = (last.to_owned(), above.to_owned());
        }
        let text = small(self.text.len());
        let path_len = self.add(&path);
        let name_len = self.add(&name);
        let original_len = self.add(&original);
        let start = small(found.node.start_byte());
        self.imports.push(StoredImport { start, text, path_len, name_len, original_len });
    }

    /// Appends a text and the end of a line; returns the bytes that are kept of it.
    fn add(&mut self, text: &str) -> u8 {
        let text = cut(text);
        self.text.push_str(text);
        self.text.push('\n');
        u8::try_from(text.len()).unwrap_or_default()
    }

    fn finish(mut self) -> FileSymbols {
        // A key that stands in a signature is not kept, in memory or on disk. Every place stays where it is.
        for secret in privacy::find(&self.text) {
            let stars: String = self.text[secret.span.clone()]
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { '*' })
                .collect();
            self.text.replace_range(secret.span, &stars);
        }
        FileSymbols {
            text: self.text.into(),
            definitions: self.definitions.into(),
            imports: self.imports.into(),
        }
    }
}

/// A place in a file. Files are limited to sizes far below.
fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn cut(text: &str) -> &str {
    &text[..text::floor_boundary(text, MOST_TEXT_BYTES)]
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}

/// The text up to the body, or to the end of the first line, on one line.
///
/// What stands before it on its line belongs to it, such as `export default`.
fn signature(source: &str, line_start: usize, found: &FoundDefinition<'_>) -> String {
    let start = found.node.start_byte();
    let before = source.get(line_start..start).unwrap_or_default();
    let is_part = before.chars().all(|it| it.is_alphanumeric() || it.is_whitespace());
    let start = if is_part { line_start } else { start };
    let end = found.body.map_or(found.node.end_byte(), |body| body.start_byte());
    // A literal may be long.
    let end = text::floor_boundary(source, end.min(start + 4 * MOST_TEXT_BYTES));
    let head = source.get(start..end).unwrap_or_default();
    let is_whole = found.body.is_some() || found.kind.is_callable();
    let head = if is_whole { head } else { first_line(head) };
    let mut line = String::new();
    for word in head.split_whitespace() {
        if line.len() > MOST_TEXT_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches("=>").trim_end_matches([' ', '{', ';', ',']).len();
    line.truncate(end);
    line
}

/// The first line of a string that documents what it stands in.
fn docstring(literal: &str) -> &str {
    let text = literal.trim_start_matches(|letter: char| letter.is_alphabetic());
    let quotes = text.trim_start_matches(['"', '\'']);
    let text = quotes.trim_end_matches(['"', '\'']);
    first_line(text)
}

/// The first line of the comment that ends right above a line; attributes may stand between.
fn comment_above<'a>(above: &'a str, comments: &Comments) -> &'a str {
    let mut first = "";
    let mut closed_by: Option<&(String, String)> = None;
    for line in above.lines().rev().take(MOST_DOC_LINES).map(str::trim) {
        if let Some((open, _)) = closed_by {
            let begins = line.strip_prefix(open.as_str());
            let text = begins.unwrap_or(line).trim_start_matches(['*', '!']).trim();
            if !text.is_empty() {
                first = text;
            }
            if begins.is_some() {
                return first;
            }
            continue;
        }
        if line.starts_with("#[") && line.ends_with(']') || line.starts_with('@') {
            if first.is_empty() {
                continue;
            }
            return first;
        }
        let token = comments.line.iter().filter(|it| line.starts_with(it.as_str())).max_by_key(|it| it.len());
        if let Some(token) = token {
            let text = line[token.len()..].trim_matches(['/', '*', '-', '#', '=', ' ']);
            if !text.is_empty() {
                first = text;
            }
            continue;
        }
        if !first.is_empty() {
            return first;
        }
        closed_by = comments.block.iter().find(|(_, close)| line.ends_with(close.as_str()));
        let Some((open, close)) = closed_by else { return "" };
        let text = line.strip_suffix(close.as_str()).unwrap_or(line).trim_end();
        let begins = text.strip_prefix(open.as_str());
        let text = begins.unwrap_or(text).trim_matches(['*', '!', ' ']);
        if begins.is_some() {
            return text;
        }
        first = text;
    }
    // A comment that began too far above is a text of its own.
    if closed_by.is_some() { "" } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::by_path;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;
    use std::path::Path;

    fn check(path: &str, text: &str, expect: Expect) {
        let symbols = of_text(by_path(Path::new(path)).unwrap(), text);
        let mut shown = String::new();
        for it in symbols.definitions() {
            let depth = std::iter::successors(it.parent, |at| symbols.definition(*at)?.parent).count();
            let indent = "  ".repeat(depth);
            writeln!(
                shown,
                "{indent}{} {} at {}: `{}` ({})",
                it.kind.word(),
                it.name,
                it.line,
                it.signature,
                it.doc
            )
            .unwrap();
            assert!(text[it.name_start..].starts_with(it.name));
        }
        for it in symbols.imports() {
            writeln!(shown, "import {} as {} from {}", it.original, it.name, it.path).unwrap();
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn rust_definitions_and_imports() {
        check(
            "a.rs",
            "use std::{fmt, io::{self, Read as R}};\nuse crate::a::b as c;\nuse super::x::*;\n\n\
             /// A 猫.\n///\n/// More.\n#[derive(Debug)]\npub struct Cat<'a> {\n    name: &'a str, // a name\n}\n\n\
             impl Cat<'_> {\n    /** Says it. */\n    pub fn meow<T>(\n        &self,\n        times: T,\n    ) -> String {\n        \
             fn inner() {}\n        todo()\n    }\n}\n\n// A key.\nconst KEY: &str = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\";\n",
            expect![[r#"
                struct Cat at 8: `pub struct Cat<'a>` (A 猫.)
                  field name at 9: `name: &'a str` ()
                implementation Cat<'_> at 12: `impl Cat<'_>` ()
                  method meow at 14: `pub fn meow<T>( &self, times: T, ) -> String` (Says it.)
                constant KEY at 24: `const KEY: &str = "****************************************"` (A key.)
                import fmt as fmt from std
                import io as io from std
                import Read as R from std::io
                import c as c from crate::a::b
                import  as  from super::x
            "#]],
        );
    }

    #[test]
    fn python_definitions_and_imports() {
        check(
            "a.py",
            "import os.path as p\nfrom .config import load as l, save\nfrom . import x\n\n\
             LIMIT = 3\n\nclass A(B):\n    \"\"\"\n    An A.\n    \"\"\"\n    @property\n    def f(self, x=1):\n        '''Does.'''\n        def g(): pass\n        return x\n",
            expect![[r#"
                constant LIMIT at 4: `LIMIT = 3` ()
                class A at 6: `class A(B):` (An A.)
                  method f at 11: `def f(self, x=1):` (Does.)
                import p as p from os.path
                import load as l from .config
                import save as save from .config
                import x as x from .
            "#]],
        );
    }

    #[test]
    fn typescript_definitions_and_imports() {
        check(
            "a.ts",
            "import d, { b, c as e } from './x';\nimport * as n from 'y';\nexport { f as g } from './z';\nexport * from './w';\n\n\
             /**\n * A shop.\n */\nexport default class Shop {\n  constructor(private name: string) {}\n  open(day: Day): void {}\n}\n\
             export const make = (n: string) => new Shop(n);\n",
            expect![[r#"
                class Shop at 8: `export default class Shop` (A shop.)
                  method constructor at 9: `constructor(private name: string)` ()
                    field name at 9: `private name: string` ()
                  method open at 10: `open(day: Day): void` ()
                function make at 12: `export const make = (n: string)` ()
                import d as d from ./x
                import b as b from ./x
                import c as e from ./x
                import n as n from y
                import f as g from ./z
                import  as  from ./w
            "#]],
        );
    }

    #[test]
    fn go_definitions_and_imports() {
        check(
            "a.go",
            "package a\n\nimport (\n\t\"fmt\"\n\tx \"example.com/m/pkg\"\n)\n\n// Shop sells.\ntype Shop struct {\n\tname string\n}\n\n\
             // Open opens.\nfunc (s *Shop) Open(day int) error {\n\treturn nil\n}\n",
            expect![[r#"
                struct Shop at 8: `type Shop struct` (Shop sells.)
                  field name at 9: `name string` ()
                method Open at 13: `func (s *Shop) Open(day int) error` (Open opens.)
                import  as  from fmt
                import x as x from example.com/m/pkg
            "#]],
        );
    }

    #[test]
    fn data_has_no_symbols() {
        check("a.json", "{\"a\": 1}", expect![[""]]);
        check(
            "a.md",
            "# Title\n\n## Part\n",
            expect![[r#"
            heading Title at 0: `# Title` ()
              heading Part at 2: `## Part` ()
        "#]],
        );
    }
}
