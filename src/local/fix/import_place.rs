//! Finds the position of a new import statement among those of a file.

use std::ops::Range;

use tree_sitter::Node;

use super::file_view::FileView;
use super::imports::body;
use crate::grammar::{Match, Modules};
use crate::local::syntax::nodes_at;
use crate::text::{ident, line};

/// The position of a new import statement (bytes), the line to insert there, and whether a blank line separates it from
/// the code below: as the first import, or the first of Python's library.
///
/// `None` if it would not reach a use at a byte: only imports above that are considered, and in Rust, a module sees those
/// around it if it imports them.
pub(super) fn place(file: &FileView<'_>, statement: &str, used: usize) -> Option<(usize, String, bool)> {
    let above = &file.imports()[..file.imports().partition_point(|it| it.node.end_byte() <= used)];
    let (at, line, is_first) = match in_group(file, above, statement) {
        Some((at, line)) => (at, line, false),
        None => {
            let (at, is_first) = among_standard(file, above, statement).or_else(|| {
                let at = among_siblings(file, above, statement).or_else(|| behind_last(file, above));
                Some((at?, above.is_empty()))
            })?;
            (at, statement.to_owned(), is_first)
        }
    };
    (at <= used && reaches(file, used)).then_some((at, line, is_first))
}

/// Whether the imports of a file reach a byte: no module of its own is around that, or it imports all that is around it.
fn reaches(file: &FileView<'_>, used: usize) -> bool {
    let modules = nodes_at(file.document(), used).into_iter().filter(|it| it.kind() == "mod_item");
    let modules: Vec<Node<'_>> = modules.collect();
    modules.len() < 2 && modules.iter().all(|it| file.slice(it.byte_range()).contains("use super::*;"))
}

/// The position in a parenthesized list of imports, in the order of its lines, and the line to insert.
fn in_group(file: &FileView<'_>, above: &[Match<'_>], statement: &str) -> Option<(usize, String)> {
    let entry = statement.strip_prefix("import ").filter(|it| it.starts_with('"'))?;
    let mut lines: Vec<_> = above
        .iter()
        .filter(|it| it.node.parent().is_some_and(|parent| parent.kind() == "import_spec_list"))
        .map(|it| (file.line_start(it.node.start_byte()), file.slice(it.node.byte_range())))
        .collect();
    lines.sort();
    let last = lines.last()?;
    let next = lines.iter().find(|(_, text)| text.as_str() > entry);
    let at = next.map_or_else(|| file.next_line_start(last.0), |(start, _)| *start);
    let indent = file.slice(last.0..file.next_line_start(last.0));
    let indent: String = indent.chars().take_while(|it| *it == ' ' || *it == '\t').collect();
    Some((at, format!("{indent}{entry}")))
}

/// The position of an import of Python's library: among the others of the library, in isort's order, or before those
/// of other packages, as the first.
fn among_standard(file: &FileView<'_>, above: &[Match<'_>], statement: &str) -> Option<(usize, bool)> {
    let grammar = file.grammar().filter(|it| it.facts().modules == Some(Modules::Python))?;
    let key = |statement: &str| -> Option<(bool, String)> {
        let mut words = statement.split_whitespace();
        let is_from = words.next()? == "from";
        let module = words.next()?.trim_end_matches(',');
        let is_standard = grammar.provider(&format!("{}.", module.split('.').next()?)).is_some()
            || grammar.provider(&format!("{module}.")).is_some();
        is_standard.then(|| (is_from, module.to_owned()))
    };
    let new = key(statement)?;
    let top = above.iter().map(|it| it.node);
    let top = top.filter(|node| node.parent().is_some_and(|it| it.parent().is_none()));
    let mut known: Vec<(usize, usize, (bool, String))> = top
        .clone()
        .filter_map(|node| Some((node.start_byte(), node.end_byte(), key(&file.slice(node.byte_range()))?)))
        .collect();
    known.dedup_by_key(|it| it.0);
    let next = known.iter().find(|(_, _, key)| *key > new);
    let at = match (next, known.last()) {
        (Some(next), _) => file.line_start(next.0),
        (None, Some(last)) => file.whole_lines(last.1.saturating_sub(1)..last.1).end,
        (None, None) => {
            let others = top.filter(|it| it.kind() != "future_import_statement").map(|it| it.start_byte());
            return Some((file.line_start(others.min()?), true));
        }
    };
    Some((at, false))
}

/// The position of an import among those of the same package, which are in consecutive lines: in their order if they
/// are sorted, else behind them.
fn among_siblings(file: &FileView<'_>, above: &[Match<'_>], statement: &str) -> Option<usize> {
    let package = package(statement)?;
    let body = body(file.syntax()?.root_node());
    let mut known: Vec<Range<usize>> = above
        .iter()
        .filter(|it| it.node.parent().is_none_or(|parent| parent.id() == body.id()))
        .map(|it| file.whole_lines(it.node.byte_range()))
        .collect();
    known.sort_by_key(|it| it.start);
    known.dedup();
    let texts: Vec<String> = known.iter().map(|lines| file.slice(lines.clone())).collect();
    let is_sibling = |at: usize| self::package(&texts[at]) == Some(package);
    let first = (0..known.len()).find(|at| is_sibling(*at))?;
    let goes_on = |at: &usize| is_sibling(*at) && known[at - 1].end == known[*at].start;
    let last = (first + 1..known.len()).take_while(goes_on).last().unwrap_or(first);
    let is_sorted = texts[first..=last].is_sorted();
    let next = (first..=last).find(|at| is_sorted && texts[*at].as_str() > statement);
    // The line above the first may be an attribute of it.
    let is_separate = |at: usize| {
        let start = known[at].start;
        at > first || start == 0 || line::is_blank(&file.slice(file.line_start(start - 1)..start))
    };
    next.filter(|at| is_separate(*at)).map(|at| known[at].start).or(Some(known[last].end))
}

/// An import statement up to the end of its path's first part: `use std`, `import java`, `#include <`.
fn package(statement: &str) -> Option<&str> {
    let path = statement.find(' ')? + 1;
    let first = ident::first_partial(&statement[path..]).len();
    let end = match statement[path..].chars().next()? {
        '<' | '"' | '\'' => 1,
        _ if first > 0 => first,
        _ => return None,
    };
    Some(&statement[..path + end])
}

/// Behind the last import, or before the first code.
fn behind_last(file: &FileView<'_>, above: &[Match<'_>]) -> Option<usize> {
    let body = body(file.syntax()?.root_node());
    let top = |it: &&Match<'_>| it.node.parent().is_none_or(|parent| parent.id() == body.id());
    let last = above.iter().filter(top).map(|it| it.node.end_byte()).max();
    match last {
        Some(end) => Some(file.whole_lines(end.saturating_sub(1)..end).end),
        None => {
            // Before the first code, but behind everything that must be at the start of a file.
            let mut cursor = body.walk();
            let mut first = None;
            for node in body.children(&mut cursor) {
                let kind = node.kind();
                let leads = kind.contains("comment") && !is_documentation(file, node)
                    || kind.contains("package")
                    || kind.contains("inner_attribute")
                    || kind.contains("hash_bang")
                    || kind.contains("shebang")
                    || is_include_guard(file, node)
                    || is_feature(file, node)
                    || is_lone_string(node);
                if !leads {
                    first = Some(node.start_byte());
                    break;
                }
            }
            Some(file.line_start(first.unwrap_or(0)))
        }
    }
}

/// Whether a node is a line that selects what C's library declares: `#define _GNU_SOURCE`.
fn is_feature(file: &FileView<'_>, node: Node<'_>) -> bool {
    let name = node.child_by_field_name("name").filter(|_| node.kind() == "preproc_def");
    name.is_some_and(|it| file.slice(it.byte_range()).starts_with('_'))
}

/// Whether a node is a part of the lines that keep a header from being read twice.
fn is_include_guard(file: &FileView<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "#ifndef" => true,
        "identifier" => node.prev_sibling().is_some_and(|it| it.kind() == "#ifndef"),
        "preproc_def" => node.prev_sibling().is_some_and(|it| it.kind() == "identifier"),
        "preproc_call" => file.slice(node.byte_range()).starts_with("#pragma once"),
        _ => false,
    }
}

/// Whether a comment documents the code in the line below it.
fn is_documentation(file: &FileView<'_>, comment: Node<'_>) -> bool {
    let text = file.slice(comment.byte_range());
    let is_outer = text.starts_with("/**") || text.starts_with("///") && !text.starts_with("////");
    let follower = std::iter::successors(comment.next_sibling(), Node::next_sibling)
        .find(|it| !it.kind().contains("comment"));
    let end = file.text().byte_to_line(comment.byte_range().start + text.trim_end().len());
    // In Go and C, any comment may; at the start of a file, it is the file's.
    let modules = file.grammar().and_then(|it| it.facts().modules);
    let is_plain = matches!(modules, Some(Modules::C | Modules::Go)) && comment.prev_sibling().is_some();
    let is_of_package = follower.is_some_and(|it| it.kind().contains("package"));
    (is_outer || is_plain && !is_of_package) && follower.is_some_and(|it| it.start_position().row == end + 1)
}

/// Whether a statement is only a string: documentation or a directive.
fn is_lone_string(node: Node<'_>) -> bool {
    let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
    node.kind() == "expression_statement" && only.is_some_and(|it| it.kind() == "string")
}
