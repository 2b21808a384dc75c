//! Definitions that a reply adds a second time: next to the existing one, or nested in itself.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::document::Document;
use crate::edit::{Edit, Refusal, apply, edited, line};
use crate::grammar::{Match, QueryKind};
use crate::text::counts;

/// Marks above definitions of which several have one first line: alternatives of a build, overloads.
const ALTERNATIVES: [&str; 5] = ["#[cfg", "#if", "#el", "overload", ".register"];

/// How many of the definitions around one are looked at.
const MOST_AROUND: usize = 50;

/// Refuses edits after which a place has two definitions with the same first line, or one is within one of its name.
///
/// A reply with the next function behind the asked one, and one with the type around a method, would end so. Only
/// definitions whose first line is new are judged, by what is around them.
///
/// The error is [`Refusal::DefinedTwice`] with the line.
pub(in crate::edit) fn doubled_definition(document: &Document, edits: &[Edit]) -> Result<(), Refusal> {
    let before = document.text().to_string();
    let after = apply(&before, edits);
    let doubled = doubled_lines(&before, &after);
    if doubled.is_empty() || document.grammar().is_none_or(|it| it.is_prose()) {
        return Ok(());
    }
    let result = edited(document, edits);
    let known = repeated(document, &before, &doubled);
    let mut found: Vec<(&str, usize)> = repeated(&result, &after, &doubled).into_iter().collect();
    found.retain(|(head, count)| known.get(head).is_none_or(|known| known < count));
    found.sort_unstable();
    match found.first() {
        Some((head, _)) => Err(Refusal::DefinedTwice { name: (*head).to_owned() }),
        None => Ok(()),
    }
}

/// The visible lines that a new text has twice, and more often than the old one.
fn doubled_lines<'t>(before: &'t str, after: &'t str) -> HashSet<&'t str> {
    let count = |text: &'t str| counts(line::split_iter(text).map(str::trim));
    let (old, new) = (count(before), count(after));
    let is_doubled = |(line, count): &(&str, usize)| {
        *count > 1 && line.contains(char::is_alphabetic) && old.get(line).is_none_or(|old| old < count)
    };
    new.into_iter().filter(is_doubled).map(|(line, _)| line).collect()
}

/// The first lines, of those given, that more than one definition in the same place has, or one within another of its
/// name, with how often.
fn repeated<'t>(document: &Document, text: &'t str, lines: &HashSet<&'t str>) -> HashMap<&'t str, usize> {
    let mut places: HashMap<(usize, &str), usize> = HashMap::new();
    let mut found: HashMap<&str, usize> = HashMap::new();
    let mut around: Vec<(Match<'_>, &str)> = Vec::new();
    for it in document.matches(QueryKind::Definitions, 0..text.len()) {
        let Some(name) = it.name.map(|name| name.byte_range()) else { continue };
        let start = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
        let head = line::first_partial(&text[start..]).trim();
        while around.pop_if(|(outer, _)| outer.node.end_byte() <= it.node.start_byte()).is_some() {}
        let above = text[..start].trim_end().rsplit('\n').next().unwrap_or_default();
        let has_alternatives = ALTERNATIVES.iter().any(|mark| above.contains(mark));
        if lines.contains(head) && text[it.node.byte_range()].contains('\n') && !has_alternatives {
            let place = places.entry((container(it.node), head)).or_default();
            *place += 1;
            let is_within = around.iter().rev().take(MOST_AROUND).any(|(outer, name_around)| {
                outer.kind == it.kind && *name_around == &text[name.clone()] && outer.node != it.node
            });
            if *place > 1 || is_within {
                *found.entry(head).or_default() += 1;
            }
        }
        around.push((it, &text[name]));
    }
    found
}

/// The node that a definition is in, beyond those that begin on its line, such as that of an `export`.
fn container(definition: Node<'_>) -> usize {
    let row = definition.start_position().row;
    let mut around = definition.parent();
    while let Some(node) = around.filter(|node| node.start_position().row == row && node.parent().is_some()) {
        around = node.parent();
    }
    around.map_or(0, |node| node.id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::edit::diff;

    #[track_caller]
    fn check(language: &str, before: &str, [old, new]: [&str; 2], expected: &str) {
        assert!(before.contains(old), "{old}");
        let after = before.replacen(old, new, 1);
        let document = Document::new(DocumentId::new(""), language, 0, before);
        let judged = doubled_definition(&document, &diff::minimal(before, &after));
        let said = judged.err().map(|it| it.to_string()).unwrap_or_default();
        let twice = |head: &str| format!("`{head}` would be defined twice in one place");
        assert_eq!(said, if expected.is_empty() { String::new() } else { twice(expected) }, "{after}");
    }

    const RUST: &str = "impl A {\n    fn b(&self) {\n        c()\n    }\n\n    fn d(&self) {\n        e()\n    }\n}\n\nimpl F {\n    fn g(&self) {\n        h()\n    }\n}\n";

    #[test]
    fn definition_is_repeated_beside_the_old_one() {
        let next = "        c()\n    }\n\n    fn d(&self) {\n        i()\n    }\n";
        check("rust", RUST, ["        c()\n    }\n", next], "fn d(&self) {");
        check("rust", RUST, ["fn b(", "fn d("], "fn d(&self) {");
        check("rust", RUST, ["fn g(", "fn d("], "");
        check("rust", RUST, ["    fn b(", "    #[cfg(unix)]\n    fn d("], "");
        let java = "class A {\n    void b(int c) {\n        d();\n    }\n\n    void e() {\n    }\n}\n";
        check("java", java, ["void e() {", "void b() {"], "");
        check("java", java, ["void e() {", "void b(int c) {"], "void b(int c) {");
    }

    #[test]
    fn definition_is_within_itself() {
        let python = "def a():\n    b()\n    if c:\n        d()\n    return e\n";
        check("python", python, ["    if c:\n", "    def a():\n        if c:\n"], "def a():");
        check("python", python, ["    if c:\n", "    def f():\n        if c:\n"], "");
        let exported = "export function a() {\n  b();\n}\n\nexport function c() {\n  d();\n}\n";
        check("typescript", exported, ["function c(", "function a("], "export function a() {");
        let class = "class A {\n  b() {\n    c();\n  }\n}\n";
        check("typescript", class, ["  b() {", "  class A {\n    b() {"], "");
    }
}
