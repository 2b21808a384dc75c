//! Recognizes places where something other than the missing token that a tool reports may be missing.

use tree_sitter::Node;

use super::file_view::FileView;
use super::other_file;
use crate::grammar::Modules;
use crate::local::syntax::{node_at, nodes_at};
use crate::text::{ident, line};

/// Whether something other than a comma may be missing between two entries of a line: an operator, a dot or a keyword.
///
/// Behind one blank, it is a comma between a number or a string and something else, and before a key.
pub(super) fn may_lack_operator(file: &FileView<'_>, at: usize) -> bool {
    let line = file.line_start(at);
    let text = file.slice(line..file.next_line_start(at));
    let (before, behind) = text.split_at(at - line);
    let (before, next) = (before.trim_end(), behind.trim_start());
    if next.is_empty() || is_comment(file, next) {
        return false;
    }
    let blanks = text.len() - before.len() - next.len();
    let is_quote = |it: char| "\"'`".contains(it);
    let is_number = |it: &str| it.starts_with(|it: char| it.is_ascii_digit());
    let (ends, begins) = (before.ends_with(is_quote), next.starts_with(is_quote));
    let is_literal = is_number(ident::last_partial(before)) || is_number(next) || ends || begins;
    let behind_name = next[ident::first_partial(next).len()..].trim_start();
    let value =
        behind_name.strip_prefix(':').filter(|it| !it.starts_with(':') && behind_name.len() < next.len());
    let is_key = value.is_some_and(|it| !it.trim().is_empty());
    // In C's lists of parameters, nothing else can stand between two names.
    let is_parameter = || {
        let parent = file
            .tried(at, ",")
            .and_then(|tried| Some(node_at(&tried, at)?.parent()?.kind() == "parameter_list"));
        file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::C)) && parent == Some(true)
    };
    blanks != 1 || !is_key && !is_parameter() && (!is_literal || ends && begins)
}

/// Whether a text begins with a comment.
fn is_comment(file: &FileView<'_>, text: &str) -> bool {
    let tokens = file.grammar().map(|it| it.comments()).into_iter().flat_map(|it| &it.line);
    tokens.into_iter().any(|token| text.starts_with(token.as_str())) || text.starts_with("/*")
}

/// Whether a line lacks a quote: then everything behind it is read wrongly.
pub(super) fn has_open_quote(file: &FileView<'_>, at: usize) -> bool {
    let line = file.slice(file.line_start(at)..file.next_line_start(at));
    line.replace("\\\"", "").matches('"').count() % 2 == 1
}

/// Whether a `;` at a byte ends a statement that was written to its end.
///
/// A name alone does nothing, a block below belongs to a head whose keyword is missing, and a package in lower case is
/// not the end of an import. JavaScript needs no `;`: where a tool expects one, something else is missing.
pub(super) fn ends_statement(file: &FileView<'_>, at: usize) -> bool {
    let modules = file.grammar().and_then(|it| it.facts().modules);
    let line = file.slice(file.line_start(at)..at);
    let line = line.trim();
    let below = &file.contents()[file.next_line_start(at)..];
    // The variable has no value yet, and a name behind a condition does nothing.
    let (head, last) = line.rsplit_once([' ', ')']).unwrap_or(("", line));
    let is_head = ["const", "else", "let", "let mut", "var"].contains(&head.trim())
        || head.starts_with("if") && head.ends_with(')');
    let code = if is_head && !last.is_empty() { last } else { line };
    let is_name = code.chars().all(|it| ident::is_part(it) || ".->".contains(it));
    let is_jump = ["break", "continue", "return"].contains(&line);
    let is_part_of_path = match line.split_once(' ') {
        Some(("import", path)) => {
            !path.rsplit('.').next().is_some_and(|it| it.starts_with(char::is_uppercase))
        }
        Some(("package", path)) => !other_file::folder(file.id().as_str()).ends_with(&path.replace('.', "/")),
        _ => false,
    };
    let is_of_head = line.ends_with('{') || below.trim_start().starts_with('{');
    let is_begun = is_name && !is_jump || modules == Some(Modules::Java) && is_part_of_path;
    modules != Some(Modules::Javascript) && !is_of_head && !is_begun
}

/// Whether a `:` at a byte ends the head of a block; where languages have it before types, anything may be its place.
pub(super) fn ends_head(file: &FileView<'_>, at: usize) -> bool {
    const HEADS: [&str; 14] = [
        "async", "case", "class", "def", "elif", "else", "except", "finally", "for", "if", "match", "try",
        "while", "with",
    ];
    match file.grammar().and_then(|it| it.facts().modules) {
        Some(Modules::Python) => {}
        // In `for (const a b)`, a keyword is missing, and in a type another sign.
        Some(Modules::Javascript) => {
            let is_parameter = |node: &Node<'_>| node.kind().contains("parameter");
            return file.tried(at, ":").is_some_and(|tried| nodes_at(&tried, at).iter().any(is_parameter));
        }
        _ => return true,
    }
    let before = file.slice(file.line_start(at)..at);
    let behind = file.slice(at..file.next_line_start(at));
    let behind = behind.trim();
    let first = ident::first_partial(before.trim_start());
    (behind.is_empty() || is_comment(file, behind)) && HEADS.contains(&first)
}

/// Whether a closing token at a byte belongs to an opening one that may be one too many, `f()(`, `[["a"]`, `f[(a)`, or
/// to one with which the line ends: the arguments are then still to be written.
pub(super) fn doubles_opener(file: &FileView<'_>, at: usize) -> bool {
    let before = file.slice(file.line_start(at)..at);
    let before = before.trim_end();
    let is_closed = |it: &str| it.ends_with([')', ']', '}', '"', '\'']);
    let is_empty_call = before.strip_suffix(['(', '[', '{']).is_some_and(is_closed);
    let behind = file.slice(at..file.next_line_start(at));
    let is_begun = before.ends_with(['(', '[', '{']) && behind.trim().is_empty();
    let is_index = before.match_indices("[(").any(|(at, _)| before[..at].ends_with(ident::is_part));
    is_empty_call || is_begun || is_index || ["[[", "(("].iter().any(|it| before.contains(it))
}

/// Whether a closing token completes the head of a statement, and the statement below becomes its body although it is
/// not indented: `if (a` above `b();`. The head is then only begun.
pub(super) fn takes_statement_below(file: &FileView<'_>, at: usize, sign: &str) -> bool {
    let Some(tried) = file.tried(at, sign) else { return false };
    let indent =
        |at: usize| line::indent(&tried.slice(tried.line_start(at)..tried.next_line_start(at))).len();
    let is_below = |body: Node<'_>| {
        let start = body.start_byte();
        start >= tried.next_line_start(at)
            && indent(start) <= indent(at)
            && !tried.slice(body.byte_range()).starts_with('{')
    };
    let mut bodies = nodes_at(&tried, at).into_iter().flat_map(|node| {
        ["body", "consequence"].into_iter().filter_map(move |field| node.child_by_field_name(field))
    });
    bodies.any(is_below)
}
