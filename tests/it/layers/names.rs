//! No two types of a layer share a name, so that a search for the name finds the type.

use std::collections::{BTreeMap, BTreeSet};

/// Names shared by several types, and the reason.
const SHARED: &[(&str, &str, &str)] =
    &[("cli", "Arguments", "each command has one, which others name with its module: `ask::Arguments`")];

/// The type that a line declares outside of functions, traits and implementations.
fn declared(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub(") {
        Some(path) => path.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let (kind, rest) = line.split_once(' ')?;
    let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
    ["struct", "enum", "trait", "type"].contains(&kind).then_some(&rest[..end])
}

#[test]
fn no_two_types_of_a_layer_have_one_name() {
    let mut files: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (layer, path) in super::sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        // A file may declare a type once per operating system.
        let names: BTreeSet<&str> = super::without_tests(&source).lines().filter_map(declared).collect();
        for name in names {
            files.entry((layer.clone(), name.to_owned())).or_default().push(path.display().to_string());
        }
    }
    assert!(files.len() > 500, "only {} types were found", files.len());
    let is_shared = |layer: &str, name: &str| SHARED.iter().any(|it| (it.0, it.1) == (layer, name));
    let twice: Vec<String> = files
        .iter()
        .filter(|((layer, name), files)| files.len() > 1 && !is_shared(layer, name))
        .map(|((layer, name), files)| format!("`{name}` is several types of `{layer}`: {}", files.join(", ")))
        .collect();
    assert!(twice.is_empty(), "{}", twice.join("\n"));
    for (layer, name, _) in SHARED {
        let count = files.get(&((*layer).to_owned(), (*name).to_owned())).map_or(0, Vec::len);
        assert!(count > 1, "`{name}` is one type of `{layer}`: take it out of `SHARED`");
    }
}

#[test]
fn declarations_are_found_however_visible_they_are() {
    let lines =
        ["struct A;", "pub enum B {", "pub(super) trait C: D {", "pub(in crate::cli) type E<'a> = F;"];
    assert_eq!(lines.map(declared), [Some("A"), Some("B"), Some("C"), Some("E")]);
    assert_eq!(["    type G = H;", "fn i() {}"].map(declared), [None, None]);
}
