//! Inserts a missing bracket, semicolon, colon or comma.

use std::ops::Range;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::continued_line::goes_on_below;
use super::expected_token::{OPENERS, sign};
use super::file_view::FileView;
use super::other_token::{
    doubles_opener, ends_head, ends_statement, has_open_quote, may_lack_operator, takes_statement_below,
};
use super::problem::Problem;
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::Modules;
use crate::local::limits::{FIX_LINES_ABOVE, FIX_LINES_BELOW, FIXED_FILE_BYTES};
use crate::local::syntax::{is_function, node_at, nodes_at};
use crate::text::ident;

/// The kinds of nodes whose entries are separated by commas.
const LISTS: [&str; 12] = [
    "argument_list",
    "arguments",
    "array",
    "array_initializer",
    "dictionary",
    "formal_parameters",
    "initializer_list",
    "list",
    "object",
    "parameters",
    "set",
    "tuple",
];
/// Maximum size in bytes of a line in which a closing token is tried at each position.
pub(super) const TRIED_LINE_BYTES: usize = 160;

/// Inserts the missing token that a message names, where it fixes the syntax and is not ambiguous.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let span = &problem.span;
    let sign = sign(problem.message)?;
    // The parser does not show where a block ends.
    if sign == "}" {
        return None;
    }
    if file.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    file.errors().filter(|errors| *errors > 0)?;
    // The first position that fixes the syntax is the one that the message is about.
    let place = places(file, span, sign).into_iter().find(|at| mends(file, *at, sign));
    let (at, sign) = match place {
        Some(at) => (at, sign),
        // If an opening token is expected, the message does not indicate what else may be missing.
        // Where a statement should end, an operator may be missing: `return a b;`.
        None if sign == "(" || sign == ";" => return None,
        None => {
            let at = span.start.min(file.text().len_bytes());
            let begins_line = file.slice(file.line_start(at)..at).trim().is_empty();
            let signs = [")", "]", ",", ":"].into_iter().filter(|sign| mends(file, at, sign));
            let mut signs = signs.filter(|it| *it != sign && !begins_line);
            let found = signs.next().filter(|_| signs.next().is_none())?;
            // Where a list may continue, the colon before a type may be missing as well.
            if !(found == "," || sign == ",") {
                return None;
            }
            let sign = found;
            let line = file.line_start(at);
            let behind = line + file.slice(line..at).trim_end().len();
            (if sign == "," || sign == ":" { behind } else { at }, sign)
        }
    };
    let is_closer = OPENERS.iter().any(|(_, close)| *close == sign);
    if has_open_quote(file, at)
        || sign == ";" && !ends_statement(file, at)
        || sign == ":" && !ends_head(file, at)
    {
        return None;
    }
    if is_closer && (doubles_opener(file, at) || is_before_other_closer(file, at, sign)) {
        return None;
    }
    if is_closer && (goes_on_below(file, at) || takes_statement_below(file, at, sign)) {
        return None;
    }
    let is_ambiguous = match sign {
        // `body? any` may be an entry with its type, or two entries.
        "," => mends(file, at, ":") || may_lack_operator(file, at) || joins_statements(file, at),
        "(" => is_behind_joined_name(file, at),
        _ => is_closer && has_other_place(file, at, sign),
    };
    if is_ambiguous {
        return None;
    }
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![Edit::new(at..at, sign)]))
}

/// Whether a token inserted at a byte leaves its definition without syntax errors, and the file with fewer.
pub(super) fn mends(file: &FileView<'_>, at: usize, sign: &str) -> bool {
    let Some(tried) = file.tried(at, sign) else { return false };
    let Some(before) = file.errors() else { return false };
    tried.syntax_errors().is_some_and(|after| {
        after == 0
            || after < before && nodes_at(&tried, at).iter().rev().nth(1).is_some_and(|it| !it.has_error())
    })
}

/// Whether a comma at the end of a line would join it to a statement below, or to the end of a block: JavaScript needs no
/// `;`, and a parenthesis that is left open makes arguments of all that follows.
fn joins_statements(file: &FileView<'_>, at: usize) -> bool {
    let next = file.next_line_start(at);
    let below = file.slice(next..file.next_line_start(next));
    let assigned = below.split_once(" = ").map(|(left, _)| left.trim());
    let is_statement = assigned.is_some_and(|left| left.chars().all(|it| ident::is_part(it) || it == '.'));
    let is_script = file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::Javascript));
    let is_line_end = file.slice(at..next).trim().is_empty();
    is_script && is_line_end && (is_statement || below.trim_start().starts_with('}'))
}

/// Whether another closing token follows that no token of the line opens, and that may be the wrong one: `f(a}`.
fn is_before_other_closer(file: &FileView<'_>, at: usize, sign: &str) -> bool {
    let line = file.slice(file.line_start(at)..file.next_line_start(at));
    let behind = &line[at - file.line_start(at)..];
    let closes = |(_, close): &&(char, &str)| *close != sign && behind.starts_with(close);
    OPENERS
        .iter()
        .find(closes)
        .is_some_and(|(open, close)| line.matches(*open).count() < line.matches(close).count())
}

/// Whether a `(` between a name and `)` may belong inside the name: `def joinm):` may be `def join(m):`.
fn is_behind_joined_name(file: &FileView<'_>, at: usize) -> bool {
    let before = file.slice(file.line_start(at)..at);
    let behind = file.slice(at..file.next_line_start(at));
    let name = ident::last_partial(&before);
    behind.starts_with(')') && file.only_place_of(name).is_some()
}

/// Whether a closing token can also be elsewhere, with another meaning: in its line, or between the line of its opening
/// token and its own.
///
/// Also where the file's trials are used up.
fn has_other_place(file: &FileView<'_>, at: usize, sign: &str) -> bool {
    let Some(start) = opener(file, at, sign).map(|it| file.line_start(it)) else { return true };
    let text = file.slice(start..file.next_line_start(at));
    let mended = [&text[..at - start], sign, &text[at - start..]].concat();
    let mut others = ends(&text).filter(|other| start + other != at).filter(|other| {
        // Another position in `))` makes no difference, and `str(a)` is one call.
        [&text[..*other], sign, &text[*other..]].concat() != mended && !text[*other..].starts_with('(')
    });
    let is_other = others.any(|other| {
        let is_rest_unused = || drops_rest(file, start + other, sign) && !drops_rest(file, at, sign);
        mends(file, start + other, sign) && !is_rest_unused()
    });
    is_other || !file.has_trials()
}

/// The position of the token that a closing one opens at a byte.
fn opener(file: &FileView<'_>, at: usize, sign: &str) -> Option<usize> {
    let (open, _) = OPENERS.iter().find(|(_, close)| *close == sign)?;
    let tried = file.tried(at, sign)?;
    let around = nodes_at(&tried, at);
    let is_opener = |node: &Node<'_>| tried.slice(node.byte_range()).ends_with(*open);
    around.iter().skip(1).find_map(|node| {
        let mut cursor = node.walk();
        let before = node.children(&mut cursor).take_while(|it| it.start_byte() < at);
        before.filter(is_opener).last().map(|it| it.start_byte())
    })
}

/// Whether a token at a byte parts a list so that its other entries are values that nothing uses, or variables
/// that are there already: `f(a), b;` for `f(a, b);`.
fn drops_rest(file: &FileView<'_>, at: usize, sign: &str) -> bool {
    let behind = file.slice(at..file.next_line_start(at));
    let Some(rest) = behind.trim_start().strip_prefix(',') else { return false };
    let Some(tried) = file.tried(at, sign) else { return false };
    let nodes = nodes_at(&tried, at);
    // Two operands are one expression in C and JavaScript, whose first value is lost.
    if nodes.iter().any(|it| ["comma_expression", "sequence_expression"].contains(&it.kind())) {
        return true;
    }
    let is_declaration = nodes.iter().any(|it| it.kind().ends_with("declaration"));
    let name = ident::first_partial(rest.trim_start());
    let body = nodes_at(file, at).into_iter().find(|it| is_function(*it));
    let is_there = |body: Node<'_>| file.count_in(name, &(body.start_byte()..at)) > 0;
    is_declaration && ident::is_name(name) && body.is_some_and(is_there)
}

/// The positions in a text right behind a name, a number, a string or a closing token.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().map(|(at, _)| at).filter(|at| {
        let (before, behind) = (text[..*at].chars().next_back(), text[*at..].chars().next());
        let ends = before.is_some_and(|it| ident::is_part(it) || ")]}\"'`".contains(it));
        ends && !behind.is_some_and(ident::is_part)
    })
}

/// Completes a list at the end of its last line: adds a comma before the closing token, or that token.
pub(super) fn end_of_list(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let closer = problem.message.trim_end().chars().next_back().filter(|it| ")]}".contains(*it))?;
    let at = problem.span.start.min(file.text().len_bytes());
    let line = file.line_start(at);
    let end = line + file.slice(line..file.next_line_start(at)).trim_end().len();
    let below = file.slice(file.next_line_start(at)..file.text().len_bytes());
    let sign = if below.trim_start().starts_with(closer) { ",".to_owned() } else { closer.to_string() };
    let is_elsewhere = sign != "," && (has_other_place(file, end, &sign) || doubles_opener(file, end));
    if is_elsewhere || has_open_quote(file, end) {
        return None;
    }
    if goes_on_below(file, end) || file.tried(end, &sign)?.syntax_errors() != Some(0) {
        return None;
    }
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![Edit::new(end..end, sign)]))
}

/// Adds the comma between two entries in brackets that a parser takes for two statements, or the colon of an entry.
pub(super) fn between_entries(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let before = &file.contents()[..problem.span.start.min(file.text().len_bytes())];
    let at = before.trim_end().len();
    if file.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    let is_label = |sign: &str| {
        let tried = (sign == ":").then(|| file.tried(at, sign)).flatten();
        tried.is_some_and(|it| nodes_at(&it, at).iter().any(|node| node.kind().starts_with("label")))
    };
    let is_fix = |sign: &&str| mends(file, at, sign) && !is_label(sign);
    let mut found = [",", ":", "[", ")", "]", "}"].into_iter().filter(is_fix);
    // A second token would also fix the syntax, with another meaning.
    let sign = found.next().filter(|it| [",", ":"].contains(it) && found.next().is_none())?;
    let tried = file.tried(at, sign)?;
    let list = node_at(&tried, at).and_then(|it| it.parent())?;
    // The names that a statement declares or assigns.
    let is_left = || list.parent().and_then(|it| it.child_by_field_name("left")) == Some(list);
    let is_listed = LISTS.contains(&list.kind()) || list.kind() == "expression_list" && is_left();
    let is_pair = sign == ":" && list.kind() == "pair";
    let is_entry = is_listed && (is_left() || !may_lack_operator(file, at));
    (sign == "," && is_entry || is_pair).then(|| {
        Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![Edit::new(at..at, sign)])
    })
}

/// Adds the colon between a key and its value, if one position in the line takes it and a comma fits nowhere.
pub(super) fn between_key_and_value(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let line = file.line_start(problem.span.start);
    let text = file.slice(line..file.next_line_start(line));
    if file.text().len_bytes() > FIXED_FILE_BYTES || text.len() > TRIED_LINE_BYTES {
        return None;
    }
    let places = ends(&text).filter(|at| text[*at..].starts_with(' ')).map(|at| line + at);
    let places: Vec<usize> = places.collect();
    let mut found = places.iter().copied().filter(|at| mends(file, *at, ":"));
    let at = found.next().filter(|_| found.next().is_none())?;
    let is_pair = !places.iter().any(|at| mends(file, *at, ","));
    is_pair
        .then(|| Fix::new(Kind::MissingToken, "add the missing `:`".to_owned(), vec![Edit::new(at..at, ":")]))
}

/// Adds the closing parenthesis of an empty list in front of a body or the end of a statement: `Order( {`.
pub(super) fn empty_list(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = problem.span.start.min(file.text().len_bytes());
    let line = file.line_start(start);
    let text = file.slice(line..file.next_line_start(start));
    let is_body = |(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with(['{', ';']);
    let mut places = text.match_indices('(').filter(is_body).map(|(at, _)| line + at + 1);
    let at = places.next().filter(|_| places.next().is_none())?;
    mends(file, at, ")")
        .then(|| Fix::new(Kind::MissingToken, "add the missing `)`".to_owned(), vec![Edit::new(at..at, ")")]))
}

/// Where a token may be missing: at the problem, at nearby line ends, and at the file's end.
fn places(document: &Document, span: &Range<usize>, sign: &str) -> Vec<usize> {
    let end = document.text().len_bytes();
    let (first, last) = (span.start.min(end), span.end.min(end));
    if sign == "(" {
        return vec![first];
    }
    let line = document.line_start(first);
    let code_end = |line: usize| {
        let text = document.slice(line..document.next_line_start(line));
        let comments = document.grammar().map(|grammar| grammar.comments());
        let tokens = comments.iter().flat_map(|it| &it.line);
        let comment = tokens.filter_map(|token| text.find(&format!(" {token}"))).min();
        let code = text[..comment.unwrap_or(text.len())].trim_end();
        (!code.is_empty()).then_some(line + code.len())
    };
    // A parser often reports a missing token on the next line.
    let mut above = line;
    let before = std::iter::from_fn(|| {
        above = (above > 0).then(|| document.line_start(above - 1))?;
        Some(code_end(above))
    });
    let before = before.take(FIX_LINES_ABOVE).flatten().next();
    let begins_line = document.slice(line..first).trim().is_empty();
    let mut places: Vec<usize> = before.filter(|_| begins_line).into_iter().collect();
    // Behind the code before it, not behind the blanks.
    places.extend((!begins_line).then(|| line + document.slice(line..first).trim_end().len()));
    places.extend([first, last]);
    places.extend(code_end(line));
    places.extend(before);
    // A bracket opened here may be closed at the end of any line below.
    let mut below = document.next_line_start(last);
    for _ in 0..FIX_LINES_BELOW {
        if below >= end {
            break;
        }
        places.extend(code_end(below));
        below = document.next_line_start(below);
    }
    let here = document.slice(line..document.next_line_start(line));
    if OPENERS.iter().any(|(_, close)| *close == sign) && here.len() <= TRIED_LINE_BYTES {
        places.extend(ends(&here).map(|at| line + at));
    }
    let text = document.text();
    places.retain(|at| text.char_to_byte(text.byte_to_char(*at)) == *at);
    if sign == ";" {
        // A statement ends with its line, or before the end of its block. A head with a body below lacks `{`.
        let ends_block =
            |at: usize| document.slice(at..document.next_line_start(at)).trim_start().starts_with('}');
        places.retain(|at| {
            ends_block(*at) || code_end(document.line_start(*at)) == Some(*at) && !is_head(document, *at)
        });
    }
    let mut seen = std::collections::HashSet::new();
    places.retain(|at| seen.insert(*at));
    places
}

/// Whether a line ends at a byte with `)`, and the next line of code is indented deeper.
fn is_head(document: &Document, at: usize) -> bool {
    let line = document.line_start(at);
    let text = document.slice(line..at);
    if !text.ends_with(')') {
        return false;
    }
    let indented = |text: &str| text.len() - text.trim_start().len();
    let mut below = document.next_line_start(at);
    while below < document.text().len_bytes() {
        let next = document.next_line_start(below);
        let code = document.slice(below..next);
        if !code.trim().is_empty() {
            return indented(&code) > indented(&text);
        }
        below = next;
    }
    false
}

/// Adds the parentheses of a call to a `print` statement of Python 2: `print "a"`.
pub(super) fn print_call(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = file.line_start(problem.span.start);
    let line = file.slice(start..file.next_line_start(start));
    let code = line.trim();
    let rest = code.strip_prefix("print ")?;
    // A comma at the end, or a file to print to, has a special meaning.
    if rest.ends_with([',', '\\']) || rest.starts_with(">>") || rest.contains(['#', ';']) {
        return None;
    }
    let at = start + line.len() - line.trim_start().len() + "print".len();
    let end = start + line.trim_end().len();
    let edits = vec![Edit::new(at..at + 1, "("), Edit::new(end..end, ")")];
    Some(Fix::new(Kind::MissingToken, "call `print`".to_owned(), edits))
}
