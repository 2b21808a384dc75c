use std::collections::BTreeSet;

use tree_sitter::Query;

use super::builtin::BUILTIN;
use super::registry::read_entries;
use super::{QueryKind, all};

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
    #[cfg(feature = "common")]
    assert_eq!(linked, 20);
}

#[test]
fn every_query_compiles_and_captures_what_its_readers_know() {
    let definitions = [
        "class",
        "constant",
        "element",
        "enum",
        "field",
        "function",
        "heading",
        "implementation",
        "interface",
        "key",
        "macro",
        "method",
        "module",
        "rule",
        "struct",
        "table",
        "type",
        "variable",
    ];
    for grammar in all() {
        for kind in QueryKind::ALL {
            let Some(source) = grammar.query_source(kind) else { continue };
            let query = Query::new(&grammar.language, &source)
                .unwrap_or_else(|error| panic!("{} of {}: {error}", kind.name(), grammar.id()));
            for capture in query.capture_names() {
                let known = match (kind, capture.split_once('.')) {
                    (QueryKind::Definitions, Some(("definition", what))) => definitions.contains(&what),
                    (QueryKind::Definitions, None) => ["name", "body", "doc"].contains(capture),
                    (QueryKind::References, Some(("reference", what))) => ["call", "type"].contains(&what),
                    (QueryKind::References, None) => *capture == "name",
                    (QueryKind::Scopes, None) => *capture == "scope",
                    (QueryKind::Imports, _) => ["import", "import.path", "import.name"].contains(capture),
                    _ => false,
                };
                // A capture with an underscore serves a predicate of its own query.
                let private = kind != QueryKind::Scopes && capture.starts_with('_');
                assert!(known || private, "{} of {}: unknown @{capture}", kind.name(), grammar.id());
            }
        }
    }
}

/// What [`super::Grammar::is_scope`] relies on: a pattern names kinds of nodes, and neither children nor text.
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
