//! Removes unused imports, and adds missing ones that another open file has.

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::other_file;
use super::problem::{Problem, unknown_name};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::Match;
use crate::local::limits::TITLE_CHARS;
use crate::text::ident;

/// Takes an unused import away: the whole statement, or its name in a list.
pub(super) fn unused(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (span, message) = (&problem.span, problem.message);
    let all = file.imports();
    let at = span.start;
    let statement = all.iter().find(|it| {
        let node = it.node.byte_range();
        node.start <= at && at < node.end.max(node.start + 1)
    })?;
    let siblings: Vec<&Match<'_>> = all.iter().filter(|it| it.node == statement.node).collect();
    let name_of = |it: &Match<'_>| Some(file.slice(it.name.or(it.path)?.byte_range()));
    if siblings.len() == 1 {
        let name = name_of(statement)?;
        let lines = file.whole_lines(statement.node.byte_range());
        // Nothing else on its lines may go.
        let around = file.slice(lines.start..statement.node.start_byte())
            + &file.slice(statement.node.end_byte()..lines.end);
        if !around.trim().trim_matches(';').is_empty() {
            return None;
        }
        let edits = vec![Edit::new(lines, "")];
        let title = format!("remove the unused import `{}`", short(&name));
        return Some(Fix::new(Kind::UnusedImport, title, edits).removing(&name));
    }
    let here = |it: &&&Match<'_>| it.name.is_some_and(|name| span.contains(&name.start_byte()));
    let mut named = siblings.iter().filter(here);
    let mut named_in_words =
        siblings.iter().filter(|it| name_of(it).is_some_and(|name| ident::has_word(message, &name)));
    let one = match (named.next(), named.next()) {
        (Some(one), None) => one,
        _ => match (named_in_words.next(), named_in_words.next()) {
            (Some(one), None) => one,
            _ => return None,
        },
    };
    let name = one.name?;
    let edit = from_list(file, name, statement.node)?;
    let words = file.slice(name.byte_range());
    let title = format!("remove the unused import `{}`", short(&words));
    Some(Fix::new(Kind::UnusedImport, title, vec![edit]).removing(&words))
}

/// Takes an entry of a list away, with the comma that parts it from the others.
fn from_list(document: &Document, name: Node<'_>, statement: Node<'_>) -> Option<Edit> {
    // The entry is the largest node around the name that is not the list itself.
    let mut entry = name;
    while let Some(parent) = entry.parent().filter(|parent| *parent != statement) {
        if parent.named_child_count() > 1 && document.slice(parent.byte_range()).contains(',') {
            break;
        }
        entry = parent;
    }
    let parts = statement.byte_range();
    let after = document.slice(entry.end_byte()..parts.end);
    let tail = after.trim_start();
    if let Some(rest) = tail.strip_prefix(',') {
        let gap = after.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        return Some(Edit::new(entry.start_byte()..entry.end_byte() + gap, ""));
    }
    let before = document.slice(parts.start..entry.start_byte());
    let lead = before.trim_end().strip_suffix(',')?;
    Some(Edit::new(parts.start + lead.len()..entry.end_byte(), ""))
}

/// Adds the import that one other file has for a name that is not known here.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let grammar = file.grammar()?;
    let (name, _) = unknown_name(file, problem)?;
    if has_import(file, &name) {
        return None;
    }
    let folder = other_file::folder(file);
    let mut lines: Vec<String> = file
        .others(&name)
        .iter()
        .filter(|other| other.grammar == Some(grammar))
        .flat_map(|other| other.statements(grammar, &folder, &name))
        .collect();
    lines.sort();
    lines.dedup();
    let [line] = lines.as_slice() else { return None };
    added(file, line)
}

/// Adds the import that the language's own library has for a name that is not known here.
pub(super) fn of_library(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let grammar = file.grammar()?;
    let (name, span) = unknown_name(file, problem)?;
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let before = file.slice(file.line_start(span.start)..span.start);
    // A member is provided by what it is a member of.
    let is_member = before.ends_with("::") && !before.ends_with("std::");
    if before.ends_with('.') || before.ends_with("->") || is_member {
        return None;
    }
    // `std::vector`: what is not known is the namespace, or what it holds.
    let is_space = behind.starts_with("::");
    let key = if is_space {
        format!("{name}::{}", ident::first_partial(&behind[2..]))
    } else if behind.starts_with('.') {
        format!("{name}.")
    } else if before.ends_with("std::") {
        format!("std::{name}")
    } else {
        name.clone()
    };
    let statement = grammar.provider(&key).or_else(|| grammar.provider(&name))?;
    if has_import(file, &name) || file.contents().contains(statement) {
        return None;
    }
    added(file, statement)
}

/// Adds the header that a compiler names.
pub(super) fn of_header(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let said = &problem.said;
    let start = said.find("include ")? + "include ".len();
    let quoted = said[start..].trim_start_matches(['\'', '‘', '"', '`']);
    let name = quoted.strip_prefix('<')?.split_once('>')?.0;
    let is_header =
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_./+-".contains(&it));
    let statement = format!("#include <{name}>");
    if !is_header || file.contents().contains(&statement) {
        return None;
    }
    added(file, &statement)
}

fn has_import(file: &FileView<'_>, name: &str) -> bool {
    file.imports().iter().any(|it| it.name.is_some_and(|node| file.slice(node.byte_range()) == name))
}

/// Adds an import statement in its place.
fn added(file: &FileView<'_>, statement: &str) -> Option<Fix> {
    let ending = if file.text().line(0).to_string().ends_with("\r\n") { "\r\n" } else { "\n" };
    let (at, line) = match in_group(file, statement) {
        Some(place) => place,
        None => (place(file)?, statement.to_owned()),
    };
    // What begins a file stands apart from its imports.
    let is_first = file.imports().is_empty();
    let parted = file.slice(at..file.text().len_bytes()).starts_with(['\n', '\r']);
    let gap = if is_first && !parted { ending } else { "" };
    let edit = Edit::new(at..at, format!("{line}{ending}{gap}"));
    Some(Fix::new(Kind::MissingImport, format!("add `{}`", short(statement)), vec![edit]))
}

/// The place in a list of imports in parentheses, in the order of its lines, and the line that fits there.
fn in_group(file: &FileView<'_>, statement: &str) -> Option<(usize, String)> {
    let entry = statement.strip_prefix("import ").filter(|it| it.starts_with('"'))?;
    let all = file.imports();
    let mut lines: Vec<_> = all
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

/// Where a new import goes: behind the last one.
fn place(file: &FileView<'_>) -> Option<usize> {
    let all = file.imports();
    let top = |it: &&Match<'_>| it.node.parent().is_none_or(|parent| parent.parent().is_none());
    let last = all.iter().filter(top).map(|it| it.node.end_byte()).max();
    match last {
        Some(end) => Some(file.whole_lines(end.saturating_sub(1)..end).end),
        None => {
            // Before the first code, behind what a file must begin with.
            let root = file.syntax()?.root_node();
            let mut cursor = root.walk();
            let mut first = None;
            for node in root.children(&mut cursor) {
                let kind = node.kind();
                let leads = kind.contains("comment")
                    || kind.contains("package")
                    || kind.contains("inner_attribute")
                    || kind.contains("hash_bang")
                    || kind.contains("shebang")
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

/// Whether a statement is nothing but a string: documentation, or a directive.
fn is_lone_string(node: Node<'_>) -> bool {
    let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
    node.kind() == "expression_statement" && only.is_some_and(|it| it.kind() == "string")
}

/// A text as it fits into a title.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(TITLE_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
