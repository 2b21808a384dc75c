mod any;
mod lines;
mod other_files;
mod places;
mod renames;
mod words;

use super::*;
use crate::document::DocumentId;
use crate::edit::apply;

/// A step whose new lines are at a byte of a text.
fn step_in<'a>(text: &'a str, old: &'a str, new: &'a str, at: usize) -> EditStep<'a> {
    let above = text[..at].trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
    EditStep {
        old,
        new,
        at: Some(at),
        above: &text[above..at],
        below: &text[at + new.len()..],
        is_of_definition: false,
    }
}

/// Each `«old|new»` is a step that was made, in this order.
///
/// `expected` is the text after all offered edits; `None` if there is no offer.
#[track_caller]
fn check(language: &str, marked: &str, expected: Option<&str>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once('«') {
        let (inner, after) = after.split_once('»').expect("a mark is closed");
        let (old, new) = inner.split_once('|').expect("old and new");
        text.push_str(before);
        places.push((text.len(), old, new));
        text.push_str(new);
        rest = after;
    }
    text.push_str(rest);
    let steps: Vec<(String, String, usize)> = places
        .iter()
        .map(|(at, old, new)| {
            let start = text[..*at].rfind('\n').map_or(0, |at| at + 1);
            let end = at + new.len();
            let end = text[end..].find('\n').map_or(text.len(), |next| end + next + 1);
            let line = text[start..end].to_owned();
            let before = [&text[start..*at], old, &text[at + new.len()..end]].concat();
            (before, line, start)
        })
        .collect();
    let done: Vec<EditStep<'_>> = steps.iter().map(|(old, new, at)| step_in(&text, old, new, *at)).collect();
    let cursor = places.last().map_or(0, |(at, _, new)| at + new.len());
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
    let mut edits = repeat(&document, &done, cursor).edits;
    edits.sort_by_key(|edit| edit.span.start);
    let result = (!edits.is_empty()).then(|| apply(&text, &edits));
    assert_eq!(result.as_deref(), expected);
    let Some(result) = result else { return };
    // Once all edits are applied, the same steps lead to no more.
    let moved = |at: usize| {
        let before = edits.iter().filter(|edit| edit.span.start < at);
        at.saturating_add_signed(before.map(Edit::growth).sum())
    };
    let old_lines: Vec<(String, String, usize)> = steps
        .into_iter()
        .map(|(old, new, at)| {
            let (start, end) = (moved(at), moved(at + new.len()));
            let inside = edits.iter().any(|edit| edit.span.start >= at && edit.span.end <= at + new.len());
            // The rest of the line changed as well.
            (old, if inside { result[start..end].to_owned() } else { new }, start)
        })
        .collect();
    let done: Vec<EditStep<'_>> =
        old_lines.iter().map(|(old, new, at)| step_in(&result, old, new, *at)).collect();
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &result);
    assert_eq!(repeat(&document, &done, 0).edits, [], "after {result}");
}

/// Checks the text of another file after the steps, each given as the lines before and after.
#[track_caller]
fn check_other(language: &str, steps: &[(&str, &str)], text: &str, expected: Option<&str>) {
    check_other_file("untitled:b", language, steps, text, expected);
}

/// Like [`check_other`], for a file of this name.
#[track_caller]
fn check_other_file(name: &str, language: &str, steps: &[(&str, &str)], text: &str, expected: Option<&str>) {
    let steps: Vec<EditStep<'_>> = steps
        .iter()
        .map(|(old, new)| EditStep { old, new, at: None, above: "", below: "", is_of_definition: false })
        .collect();
    let document = Document::new(DocumentId::new(name), language, 0, text);
    let edits = repeat_elsewhere(std::iter::once(&document), &steps).map_or_else(Vec::new, |it| it.1.edits);
    let result = (!edits.is_empty()).then(|| apply(text, &edits));
    assert_eq!(result.as_deref(), expected);
}
