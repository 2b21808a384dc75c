use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use tree_sitter::{InputEdit, Point, Query};

use super::builtin::{BUILTIN, Builtin};
use super::facts::Facts;
use super::registry::read_entries;
use super::{Grammar, QueryKind, all, by_language_id, by_path};
use crate::document::{Document, DocumentId};
use crate::local::{fix, references};

/// A language added for tests in the usual way.
///
/// It has an entry, queries, and a line that links a parser.
pub(super) fn added() -> impl Iterator<Item = &'static Grammar> {
    static BUILTIN: Builtin = Builtin {
        id: "toy",
        language: Some(tree_sitter_javascript::LANGUAGE),
        queries: &[
            ("definitions", include_str!("../../grammars/javascript/definitions.scm")),
            ("imports", include_str!("../../grammars/javascript/imports.scm")),
        ],
    };
    static ADDED: LazyLock<Option<Grammar>> = LazyLock::new(|| {
        let facts = r#"
            name = "Toy"
            editor-ids = ["toylang"]
            extensions = ["toy"]
            family = "javascript"
            comments = { line = ["//"] }
            stray-closers = ["stop"]
            arrow-members = true
            imports-whole-files = true
            import-forms = { listed = "bring('$name', '$path')$end" }
        "#;
        Grammar::new(&BUILTIN, toml::from_str(facts).unwrap())
    });
    ADDED.iter()
}

#[test]
fn every_listed_language_is_in_the_table_and_in_the_registry() {
    let entries = read_entries().unwrap();
    let table: BTreeSet<&str> = BUILTIN.iter().map(|builtin| builtin.id).collect();
    assert_eq!(table.len(), BUILTIN.len(), "an id is in the table twice");
    assert_eq!(table, entries.keys().map(String::as_str).collect());
    for (id, entry) in &entries {
        for ancestor in &entry.inherits {
            assert!(table.contains(ancestor.as_str()), "{id} inherits from {ancestor}, which does not exist");
        }
    }
    let linked = BUILTIN.iter().filter(|builtin| builtin.language.is_some()).count();
    assert_eq!(all().count(), linked);
    assert_eq!(linked, 20);
}

#[test]
fn every_query_compiles_and_captures_what_its_readers_know() {
    let code = "class constant enum field function implementation interface macro method module struct type variable";
    let data = "element heading key rule table";
    let definitions: BTreeSet<&str> = code.split(' ').chain(data.split(' ')).collect();
    for grammar in all() {
        for kind in QueryKind::ALL {
            let Some(source) = grammar.query_source(kind) else { continue };
            let query = Query::new(grammar.language(), &source)
                .unwrap_or_else(|error| panic!("{} of {}: {error}", kind.name(), grammar.id()));
            for capture in query.capture_names() {
                let known = match (kind, capture.split_once('.')) {
                    (QueryKind::Definitions, Some(("definition", what))) => definitions.contains(what),
                    (QueryKind::Definitions, None) => ["name", "body", "doc"].contains(capture),
                    (QueryKind::References, Some(("reference", what))) => ["call", "type"].contains(&what),
                    (QueryKind::References, None) => *capture == "name",
                    (QueryKind::Scopes, None) => *capture == "scope",
                    (QueryKind::Imports, _) => {
                        let parts = ["path", "name", "original", "exported", "list", "from"];
                        let part = capture.strip_prefix("import").and_then(|it| it.strip_prefix('.'));
                        *capture == "import" || part.is_some_and(|it| parts.contains(&it))
                    }
                    _ => false,
                };
                // A capture with an underscore serves a predicate of its own query.
                let private = kind != QueryKind::Scopes && capture.starts_with('_');
                assert!(known || private, "{} of {}: unknown @{capture}", kind.name(), grammar.id());
            }
        }
    }
}

/// The assumption of [`super::Grammar::is_scope`]: a pattern names node kinds, and neither children nor text.
#[test]
fn scopes_are_told_by_the_kind_of_node_alone() {
    for builtin in BUILTIN {
        for line in builtin.source(QueryKind::Scopes).into_iter().flat_map(str::lines) {
            let plain = match line.trim() {
                "" | "[" | "] @scope" => true,
                line if line.starts_with(';') => true,
                line => line
                    .strip_prefix('(')
                    .and_then(|line| line.strip_suffix(" @scope").unwrap_or(line).strip_suffix(')'))
                    .is_some_and(|kind| kind.chars().all(|c| c.is_ascii_lowercase() || c == '_')),
            };
            assert!(plain, "scopes of {}: {line}", builtin.id);
        }
    }
}

fn entry(text: &str) -> Facts {
    toml::from_str(text).unwrap()
}

#[test]
fn a_query_that_does_not_compile_is_the_only_thing_that_is_lost() {
    static BROKEN: Builtin = Builtin {
        id: "rust",
        language: Some(tree_sitter_rust::LANGUAGE),
        queries: &[("definitions", "(no_such_node) @name"), ("scopes", "(block) @scope")],
    };
    let grammar = Grammar::new(&BROKEN, entry("name = 'Rust'\neditor-ids = []")).unwrap();
    let tree = grammar.parse_str("fn main() {}").unwrap();
    let function = tree.root_node().child(0).unwrap();

    assert!(grammar.query(QueryKind::Definitions).is_none());
    assert!(grammar.query(QueryKind::References).is_none());
    assert!(grammar.query(QueryKind::Scopes).is_some());
    assert!(grammar.is_scope(function.child_by_field_name("body").unwrap()));
    assert!(!grammar.is_scope(function));
}

#[test]
fn a_language_without_scopes_has_none() {
    static BARE: Builtin = Builtin { id: "rust", language: Some(tree_sitter_rust::LANGUAGE), queries: &[] };
    let grammar = Grammar::new(&BARE, entry("name = 'Rust'\neditor-ids = []")).unwrap();
    let tree = grammar.parse_str("fn main() {}").unwrap();
    assert!(!grammar.is_scope(tree.root_node().child(0).unwrap()));
}

#[test]
fn a_language_without_its_parser_is_not_offered() {
    static ABSENT: Builtin = Builtin { id: "rust", language: None, queries: &[] };
    assert!(Grammar::new(&ABSENT, entry("name = 'Rust'\neditor-ids = []")).is_none());
}

#[test]
fn json_has_no_imports_and_still_has_the_rest() {
    let json = by_language_id("json").unwrap();
    let text = r#"{"a": 1}"#;
    let tree = json.parse_str(text).unwrap();
    let matches = |kind| json.matches(kind, tree.root_node(), 0..text.len(), text.as_bytes());

    assert!(json.query(QueryKind::Imports).is_none());
    assert_eq!(matches(QueryKind::Imports), []);
    assert_eq!(matches(QueryKind::Definitions).len(), 1);
    assert_eq!(matches(QueryKind::Scopes).len(), 1);
}

#[test]
fn languages_are_found_by_what_editors_call_them() {
    let check = |editor_id: &str, expected: Option<&str>| {
        assert_eq!(by_language_id(editor_id).map(Grammar::id), expected, "{editor_id}");
    };
    for grammar in all() {
        check(&grammar.facts().editor_ids[0], Some(grammar.id()));
    }
    check("c++", Some("cpp"));
    check("CSharp", Some("csharp"));
    check("dockercompose", Some("yaml"));
    check("javascriptreact", Some("javascript"));
    check("jsonc", Some("json"));
    check("sh", Some("bash"));
    check("shellscript", Some("bash"));
    check("typescript", Some("typescript"));
    check("typescriptreact", Some("tsx"));
    check("plaintext", None);
    check("", None);
}

#[test]
fn languages_are_found_by_path() {
    let check = |path: &str, expected: Option<&str>| {
        assert_eq!(by_path(Path::new(path)).map(Grammar::id), expected, "{path}");
    };
    check("src/main.rs", Some("rust"));
    check("a/b.test.ts", Some("typescript"));
    check("types.d.ts", Some("typescript"));
    check("App.tsx", Some("tsx"));
    check("App.jsx", Some("javascript"));
    check("lib.c", Some("c"));
    check("lib.h", Some("cpp"));
    check("LIB.HPP", Some("cpp"));
    check("Program.cs", Some("csharp"));
    check("/home/me/.bashrc", Some("bash"));
    check("Cargo.lock", Some("toml"));
    check("composer.lock", Some("json"));
    check("Gemfile", Some("ruby"));
    check("naïve/größe.py", Some("python"));
    // Its code is within JSON; the rest is noise.
    check("notebook.ipynb", None);
    check("Makefile", None);
    check(".rs", None);
    check("rs", None);
    check("..", None);
    check("", None);
}

#[test]
fn no_two_languages_claim_the_same_file_or_editor_id() {
    let entries = read_entries().unwrap();
    let mut seen = BTreeSet::new();
    for (id, entry) in &entries {
        let ids = entry.editor_ids.iter().map(|name| ("editor id", name));
        let extensions = entry.extensions.iter().map(|name| ("extension", name));
        let names = entry.file_names.iter().map(|name| ("file name", name));
        for claim in ids.chain(extensions).chain(names) {
            assert!(seen.insert(claim), "{id} claims the {} {} a second time", claim.0, claim.1);
        }
    }
}

#[test]
fn comments_are_those_of_the_registry() {
    let rust = by_language_id("rust").unwrap().comments();
    assert_eq!(rust.line, ["//", "///", "//!"]);
    assert_eq!(rust.block, [("/*".to_owned(), "*/".to_owned())]);
}

#[test]
fn a_text_in_chunks_parses_like_the_whole() {
    let rust = by_language_id("rust").unwrap();
    let text = "fn größe(s: &str) -> usize {\n    s.len() // «Länge»\n}\n".repeat(50);
    let whole = rust.parse_str(&text).unwrap();
    // Chunks of about seven bytes, which end where a character does.
    let mut read = |offset: usize| {
        let end = (offset + 7..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.as_bytes().get(offset..end).unwrap_or_default()
    };
    let chunked = rust.parse(&mut read, None).unwrap();
    assert!(chunked.root_node().to_sexp() == whole.root_node().to_sexp(), "{}", chunked.root_node());
    assert!(!whole.root_node().has_error());
}

#[test]
fn a_tree_follows_an_edit() {
    let rust = by_language_id("rust").unwrap();
    let mut tree = rust.parse_str("fn a() {}").unwrap();
    let text = "fn a() { b(); }";
    tree.edit(&InputEdit {
        start_byte: 8,
        old_end_byte: 8,
        new_end_byte: 14,
        start_position: Point::new(0, 8),
        old_end_position: Point::new(0, 8),
        new_end_position: Point::new(0, 14),
    });
    let edited = rust.parse(&mut |offset| &text.as_bytes()[offset.min(text.len())..], Some(&tree)).unwrap();
    assert_eq!(edited.root_node().to_sexp(), rust.parse_str(text).unwrap().root_node().to_sexp());
}

#[test]
fn a_tree_of_another_language_is_ignored() {
    let (rust, python) = (by_language_id("rust").unwrap(), by_language_id("python").unwrap());
    let text = "x = 1\n";
    let other = rust.parse_str(text).unwrap();
    let tree = python.parse(&mut |offset| &text.as_bytes()[offset..], Some(&other)).unwrap();
    assert_eq!(tree.root_node().to_sexp(), python.parse_str(text).unwrap().root_node().to_sexp());
}

/// Input on which the parser, once in error recovery, tries to skip every line.
#[test]
fn what_leads_nowhere_is_given_up() {
    let lost = format!(
        " ax\0if (a) {{\n  b();\n}}\npassword = \"hun.ass A:\n    def f(self):\n{}",
        "é// ai: add a doc comment\n".repeat(30_000)
    );
    let grammar = by_language_id("typescript").unwrap();
    assert!(grammar.parse_str(&lost).is_none());
    // The thread's next parse does not resume this one.
    let tree = grammar.parse_str("let a = 1;\n").unwrap();
    assert_eq!((tree.root_node().end_byte(), tree.root_node().has_error()), (11, false));
}

/// Other layers follow the facts of a language that they do not know.
#[test]
fn added_language_needs_an_entry_and_a_folder() {
    let document = |name: &str, text: &str| Document::new(DocumentId::new(name), "toylang", 0, text);
    let toy = by_path(Path::new("a.toy")).unwrap();
    assert_eq!((toy.id(), toy.name(), toy.family()), ("toy", "Toy", "javascript"));
    assert_eq!(by_language_id("ToyLang").map(Grammar::id), Some("toy"));

    // The syntax check counts the closing word that the parser takes for a name.
    assert_eq!(document("file:///a.toy", "f();\nstop\n").syntax_errors(), Some(1));
    assert_eq!(document("file:///a.js", "f();\nend\n").syntax_errors(), Some(0));
    // Its files use definitions of each other and of its family through imports that list no names.
    let shape = document("file:///w/shape.toy", "function area() {}\n");
    let main = document("file:///w/main.toy", "import \"shape\";\narea();\nx.area();\n");
    let uses = references::uses(&shape, &main, "area");
    assert_eq!(uses.iter().map(|it| it.at).collect::<Vec<_>>(), [16]);
    // A missing import is written in the language's own form.
    let names = document("file:///w/names.toy", "import { a } from \"lib\";\n");
    let lacking = document("file:///w/b.toy", "a();\n");
    let others = vec![Arc::new(fix::OtherFile::read(&names))];
    let file = fix::FileView::beside(&lacking, |_: &str| others.clone());
    let fix = fix::fix(&file, &fix::Problem::new(0..1, "cannot find `a`")).unwrap();
    assert_eq!(fix.edits[0].text, "bring('a', 'lib');\n\n");
}
