//! Repeats a new argument of several calls in the remaining calls.

use super::change::Change;
use super::place::onward;
use crate::document::Document;
use crate::edit::Edit;
use crate::local::limits::ARGUMENT_PLACES;
use crate::local::syntax::{is_prose, node_at};
use crate::text::ident::{last_partial, occurrences};

/// A new argument of a call.
#[derive(Debug, PartialEq, Eq)]
struct Added<'a> {
    callee: &'a str,
    /// The added argument, without its comma.
    argument: &'a str,
    /// The number of arguments before it …
    index: usize,
    /// … and the previous number of arguments.
    count: usize,
}

/// The edits that add the argument to the calls that lack it.
pub(super) fn find(
    document: &Document,
    text: &str,
    newest: &Change<'_>,
    all: &[Change<'_>],
) -> Option<Vec<Edit>> {
    let added = added(newest)?;
    let same = || all.iter().filter(|change| self::added(change).as_ref() == Some(&added));
    if same().count() < ARGUMENT_PLACES {
        return None;
    }
    let mut edits = Vec::new();
    for at in occurrences(text, added.callee) {
        let open = at + added.callee.len();
        if !text[open..].starts_with('(') || is_prose(document, at) || is_definition(document, at) {
            continue;
        }
        let Some(arguments) = arguments(&text[open + 1..]) else { continue };
        if arguments.len() != added.count {
            continue;
        }
        let place = |end: usize| open + 1 + end;
        edits.push(match (arguments.get(added.index), arguments.last()) {
            (_, None) => Edit::new(place(0)..place(0), added.argument),
            (Some((start, _)), _) => Edit::new(place(*start)..place(*start), format!("{}, ", added.argument)),
            (None, Some((_, end))) => Edit::new(place(*end)..place(*end), format!(", {}", added.argument)),
        });
    }
    onward(edits, &same().filter_map(|change| change.at).collect::<Vec<_>>())
}

/// The argument that a change adds, if it adds one.
fn added<'a>(change: &Change<'a>) -> Option<Added<'a>> {
    let argument = change.new.trim_matches(|letter: char| letter == ',' || letter.is_whitespace());
    if !change.old.is_empty() || argument.is_empty() || arguments(&[argument, ")"].concat())?.len() != 1 {
        return None;
    }
    let open = opening(change.before)?;
    let callee = last_partial(&change.before[..open]);
    if callee.is_empty() {
        return None;
    }
    let inside = &change.before[open + 1..];
    let before = arguments(&[inside, ")"].concat())?;
    let after = arguments(change.after.trim_start_matches([',', ' ']))?;
    // It must be between two arguments, or at an end.
    let stands_alone = change.new.contains(',') || (before.is_empty() && after.is_empty());
    let at_edge = inside.trim_end().ends_with(',')
        || inside.trim().is_empty()
        || change.new.trim_start().starts_with(',');
    (stands_alone && at_edge).then_some(Added {
        callee,
        argument,
        index: before.len(),
        count: before.len() + after.len(),
    })
}

/// The byte of the innermost open bracket.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// The start and end of each argument up to the closing bracket.
///
/// `None` if they cannot be determined.
fn arguments(text: &str) -> Option<Vec<(usize, usize)>> {
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    let mut quote = None;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if let Some(open) = quote {
            if letter == open && !escaped {
                quote = None;
            }
            escaped = letter == '\\' && !escaped;
            continue;
        }
        match letter {
            '"' | '`' => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                push(&mut arguments, text, start, at);
                return Some(arguments);
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                push(&mut arguments, text, start, at);
                start = at + 1;
            }
            ';' => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

fn push(arguments: &mut Vec<(usize, usize)>, text: &str, start: usize, end: usize) {
    let part = &text[start..end];
    let (lead, tail) = (part.len() - part.trim_start().len(), part.trim_end().len());
    if !part.trim().is_empty() {
        arguments.push((start + lead, start + tail));
    }
}

/// Whether `at` is in the callee's own definition.
fn is_definition(document: &Document, at: usize) -> bool {
    node_at(document, at).is_some_and(|node| {
        let called =
            node.parent().is_some_and(|it| it.kind().contains("call") || it.kind().contains("invocation"));
        !called && crate::edit::names::declares(node)
    })
}
