//! A name that a list gives twice, where the second one silently replaces the first.

use std::collections::HashMap;

use tree_sitter::Tree;

use crate::budget;
use crate::edit::Refusal;
use crate::grammar::Grammar;

/// Keys that are repeated on purpose: YAML merges several, and JSON has no other comments.
const REPEATED: [&str; 2] = ["<<", "\"//\""];

/// Refuses a result in which a list gives a name more often than any list did before.
///
/// The error is [`Refusal::DefinedTwice`] with the name.
pub(super) fn doubled_name(
    grammar: &Grammar,
    [old, new]: [&Tree; 2],
    [before, after]: [&str; 2],
) -> Result<(), Refusal> {
    let doubled = doubled(grammar, new, after);
    if doubled.is_empty() {
        return Ok(());
    }
    let known = self::doubled(grammar, old, before);
    let mut added: Vec<&str> = doubled
        .iter()
        .filter(|(name, count)| known.get(*name).is_none_or(|old| old < *count))
        .map(|(name, _)| *name)
        .collect();
    added.sort_unstable();
    match added.first() {
        Some(name) => Err(Refusal::DefinedTwice { name: (*name).to_owned() }),
        None => Ok(()),
    }
}

/// The names that a list gives once more, with how often in all lists.
fn doubled<'t>(grammar: &Grammar, tree: &Tree, text: &'t str) -> HashMap<&'t str, usize> {
    let unique = &grammar.facts().unique_names;
    let mut found: HashMap<&str, usize> = HashMap::new();
    if unique.is_empty() {
        return found;
    }
    let mut cursor = tree.walk();
    // Of each list around the node: how often it gave each name.
    let mut lists: Vec<HashMap<&str, usize>> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    loop {
        let node = cursor.node();
        budget::charge(1);
        let entry = unique.iter().find(|[list, entry, _]| {
            node.kind() == entry.as_str() && kinds.last().is_some_and(|kind| kind == list)
        });
        if let Some([.., field]) = entry
            && let (Some(name), Some(list)) = (node.child_by_field_name(field), lists.last_mut())
        {
            let name = &text[name.byte_range()];
            let count = list.entry(name).or_default();
            *count += 1;
            if *count > 1 && !REPEATED.contains(&name) {
                *found.entry(name).or_default() += 1;
            }
        }
        if cursor.goto_first_child() {
            lists.push(HashMap::new());
            kinds.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            lists.pop();
            kinds.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    #[track_caller]
    fn check(language: &str, before: &str, after: &str, is_sound: bool) {
        let grammar = grammar::by_language_id(language).unwrap();
        let trees = [before, after].map(|text| grammar.parse_str(text).unwrap());
        let judged = doubled_name(grammar, [&trees[0], &trees[1]], [before, after]);
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn names_occur_once_in_a_list() {
        check("json", "{\"a\": 1}", "{\"a\": 1, \"a\": 2}", false);
        check("json", "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}, \"b\": 2}", true);
        check("json", "{\"a\": 1, \"a\": 2}", "{\"a\": 1, \"a\": 3}", true);
        check("yaml", "a:\n  b: 1\nc:\n  b: 2\n", "a:\n  b: 1\na:\n  b: 2\n", false);
        check("yaml", "a:\n  b: 1\n", "a:\n  <<: *b\n  <<: *c\n", true);
        check("python", "def a():\n    b()\n", "def a():\n    b()\n\n\ndef a():\n    c()\n", false);
        check(
            "python",
            "def a():\n    b()\n",
            "class A:\n    def a(self):\n        b()\n\n\ndef a():\n    c()\n",
            true,
        );
        check("python", "a()\n", "if a:\n    def b(): ...\nelse:\n    def b(): ...\n", true);
        check("python", "a()\n", "@c\ndef b(): ...\n\n\n@c\ndef b(): ...\n", true);
    }
}
