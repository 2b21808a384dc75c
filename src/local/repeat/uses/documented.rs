//! The places where a function's own documentation names a parameter: in tags, and in lists of parameters.

use std::ops::Range;

use tree_sitter::Node;

use super::RenameUses;
use crate::edit::Edit;
use crate::grammar::Modules;
use crate::local::syntax::nodes_at;
use crate::text::ident::occurrences;

/// Parts of the kinds of nodes that begin like a function in them, and so behind its documentation.
const STATEMENTS: [&str; 8] = [
    "assignment",
    "declaration",
    "declarator",
    "export",
    "expression_statement",
    "field_definition",
    "pair",
    "template",
];

impl RenameUses<'_, '_> {
    /// The edits in the documentation of the function whose parameter the declaration is, if it is one.
    pub(super) fn documented(&self) -> Vec<Edit> {
        let nodes = nodes_at(self.document, self.at);
        let Some(list) = nodes.iter().position(|it| it.kind().contains("parameter")) else {
            return Vec::new();
        };
        let own = nodes[list..].iter().find(|it| it.byte_range() == self.definition.scope.around);
        let Some(function) = own else { return Vec::new() };
        let inside = || {
            let statement = function.child_by_field_name("body")?.named_child(0)?;
            statement.named_child(0).filter(|it| it.kind() == "string")
        };
        let text = match inside().filter(|_| self.facts.modules == Some(Modules::Python)) {
            Some(it) => it.byte_range(),
            None => comment_above(*function, self.text),
        };
        let is_named = |at: &usize| {
            let line = self.text[..*at].rfind('\n').map_or(0, |it| it + 1).max(text.start);
            let end = self.text[*at..].find('\n').map_or(text.end, |it| at + it);
            let parts = [&self.text[line..*at], &self.text[at + self.old.len()..end]];
            is_tagged(parts) || is_listed(&self.text[text.start..line], parts)
        };
        let places = occurrences(&self.text[text.clone()], self.old).map(|at| text.start + at);
        places.filter(is_named).map(|at| Edit::new(at..at + self.old.len(), self.new)).collect()
    }
}

/// The range of the comment directly above a function; empty without one.
fn comment_above(function: Node<'_>, text: &str) -> Range<usize> {
    let is_part = |it: &Node<'_>| {
        STATEMENTS.iter().any(|kind| it.kind().contains(kind)) && !it.kind().ends_with("_list")
    };
    let mut outer = function;
    while let Some(parent) = outer.parent().filter(is_part) {
        outer = parent;
    }
    let (mut start, mut range) = (outer.start_byte(), 0..0);
    for above in std::iter::successors(outer.prev_sibling(), Node::prev_sibling) {
        let is_comment = above.kind().contains("comment");
        let is_apart = text[above.end_byte()..start].trim_matches([' ', '\t', '\r']).len() > 1;
        if is_apart || !is_comment && !["attribute", "decorator"].iter().any(|it| above.kind().contains(it)) {
            break;
        }
        start = above.start_byte();
        if is_comment {
            range = start..above.end_byte().max(range.end);
        }
    }
    range
}

/// A line of documentation without what makes it a comment or a string, and how far it is indented.
fn bare(line: &str) -> (&str, usize) {
    let content = line.trim_start_matches(|it: char| it.is_whitespace() || "/*!\"'".contains(it));
    (content.trim_end(), line.len() - content.len())
}

/// Whether a tag such as `@param`, `:param` or `<param name=` names what is between the parts of a line.
fn is_tagged([before, after]: [&str; 2]) -> bool {
    const TAGS: [&str; 7] = ["param", "parameter", "arg", "argument", "key", "keyword", "type"];
    let lead = bare(before).0.trim_start_matches(['-', '#', ' ']);
    if let Some(rest) = lead.strip_prefix("<param ") {
        return rest.trim() == "name=\"" && after.starts_with('"');
    }
    let Some(mark) = lead.chars().next().filter(|it| "@\\:".contains(*it)) else { return false };
    let rest = &lead[1..];
    let (tag, rest) = rest.split_at(rest.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(rest.len()));
    if mark == ':' {
        return TAGS.contains(&tag) && !rest.contains(':') && after.starts_with(':');
    }
    // Doxygen writes the direction right behind its tag; others write the type before the name.
    let ends = rest.trim_start().chars().next().and_then(|it| match it {
        '{' => Some('}'),
        '[' => Some(']'),
        _ => None,
    });
    let behind = ends.and_then(|end| rest.rfind(end)).map_or(rest, |end| &rest[end + 1..]);
    let is_php = behind.ends_with('$');
    TAGS[..4].contains(&tag)
        && (["", "[", "..."].contains(&behind.trim()) || is_php && behind.split_whitespace().count() <= 2)
}

/// Whether a line is an entry of a list of parameters, named between its parts, in the style of Google, numpy or
/// Markdown; `above` is the documentation before that line.
fn is_listed(above: &str, [before, after]: [&str; 2]) -> bool {
    const HEADS: [&str; 7] = [
        "Args",
        "Arguments",
        "Keyword Args",
        "Keyword Arguments",
        "Other Parameters",
        "Parameters",
        "Params",
    ];
    let is_code = before.ends_with('`') && after.starts_with('`');
    let (lead, own) = bare(before);
    let is_item = is_code && ["`", "- `"].contains(&lead);
    // The indentation of the line below the current one.
    let mut first = own;
    let mut lines = above.lines().rev().filter(|line| !bare(line).0.is_empty());
    while let Some(line) = lines.next() {
        let (content, indentation) = bare(line);
        if is_item && content.starts_with('#') {
            return HEADS.contains(&content.trim_matches(['#', ' ']));
        }
        if !is_item && indentation == own && content.len() > 2 && content.bytes().all(|it| it == b'-') {
            let is_name = lead.is_empty() || lead.ends_with(',') && !lead.contains(':');
            let rest = after.trim_start();
            let is_entry = is_name && (rest.is_empty() || rest.starts_with([':', ',']));
            return is_entry && lines.next().is_some_and(|it| HEADS.contains(&bare(it).0));
        }
        if !is_item && indentation < own {
            let rest = after.trim_start();
            let is_entry = lead.is_empty() && (rest.starts_with(':') || rest.starts_with('('));
            let is_head = content.strip_suffix(':').is_some_and(|it| HEADS.contains(&it));
            return is_entry && first == own && is_head;
        }
        first = indentation;
    }
    false
}
