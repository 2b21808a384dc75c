//! A reply that is one or several definitions of a file, where the whole file was asked for.

use std::ops::Range;

use super::check::{Definition, definitions, is_comment};
use super::normalize::extract::{self, Code};
use super::normalize::label::strip_label;
use super::parse::{fence, prose};
use super::{Request, line, without_thinking};
use crate::document::{Document, DocumentId};
use crate::grammar::Grammar;
use crate::text::ident;

/// The most definitions in one reply: each is judged in its file.
const MOST: usize = 20;

/// A definition of the file and the code that takes its place.
pub(super) struct Replacement {
    /// The whole lines of the old version (bytes of the file).
    pub(super) lines: Range<usize>,
    pub(super) code: String,
}

/// Whether a type in a reply is its whole new text, or only encloses the members to replace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    Whole,
    Around,
}

/// Returns the definitions of the file of which all new code in a reply is other versions, in the file's order.
///
/// The code must be definitions alone, but for imports that the file has, and the file must have exactly one of the same
/// kind and name as each, or with the same first line. The words before and behind it on its lines must be the same.
/// Attributes and comments above it stay where the reply shows none; the first that it shows must be there.
pub(super) fn replacements(request: &Request<'_>, reply: &str, types: Types) -> Option<Vec<Replacement>> {
    let grammar = request.grammar.filter(|it| request.range.is_none() && !it.is_prose())?;
    let reply = without_thinking(reply).ok()?;
    if fence::blocks(reply).iter().any(|it| !it.closed) {
        return None;
    }
    let fences = extract::offered(reply, request.text, request.grammar);
    let mut codes: Vec<String> = fences.iter().map(|it| it.text(reply)).collect();
    if codes.len() > 1 {
        // Quotes of the old code. What follows the new code and is in the file may be the rest of it.
        let is_quote = |code: &String| request.text.contains(code.trim());
        if codes.last().is_some_and(is_quote) {
            return None;
        }
        codes.retain(|code| !is_quote(code));
    }
    if codes.is_empty() && fence::blocks(reply).is_empty() {
        codes.push(reply.to_owned());
    }
    if codes.is_empty() || codes.len() > MOST || codes.len() > 1 && prose::has_choice(reply) {
        return None;
    }
    let visible = |text: &str| line::split_iter(text).filter(|line| !line::is_blank(line)).count();
    let is_most = matches!(codes.as_slice(), [only] if visible(only) * 2 > visible(request.text));
    let own = definitions_in(grammar, "", request.text, "");
    let mut found = Vec::new();
    for text in codes {
        let code = strip_label(Code { text, has_end: true }, request).ok()?.text;
        let code = if is_most { &code } else { without_known_imports(&code, request.text) };
        found.extend(in_code(request.text, grammar, &own, code, types)?);
    }
    found.sort_by_key(|it| it.lines.start);
    let are_disjoint = found.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start);
    // Most of the file in one fence is meant as all of it.
    (are_disjoint && found.len() <= MOST && !(is_most && found.len() > 1)).then_some(found)
}

/// Code below the imports that it begins with, if the file has each of them.
fn without_known_imports<'c>(code: &'c str, file: &str) -> &'c str {
    const WORDS: [&str; 6] = ["#include ", "from ", "import ", "package ", "use ", "using "];
    let mut rest = code;
    while let Some(line) = line::split_iter(rest).next() {
        let is_import = WORDS.iter().any(|word| line.starts_with(word));
        let is_known = || line::split_iter(file).any(|it| it.trim_end() == line.trim_end());
        if !(line::is_blank(line) || is_import && is_known()) {
            break;
        }
        rest = &rest[line.len()..];
    }
    rest
}

/// The replacements in some code, if it holds nothing else.
fn in_code(
    file: &str,
    grammar: &Grammar,
    own: &[Definition],
    code: &str,
    types: Types,
) -> Option<Vec<Replacement>> {
    // A method alone is no code in some languages.
    let [open, close] = &grammar.facts().class_lines;
    [("", ""), (open, close)].into_iter().find_map(|(open, close)| {
        let (mut found, mut start) = (Vec::new(), 0);
        for new in definitions_in(grammar, open, code, close) {
            // A member is replaced with its type.
            if new.span.start < start {
                continue;
            }
            if types == Types::Around && !new.is_callable() {
                start = head_of_type(file, own, code, &new, start)?;
                continue;
            }
            let end = whole_lines(code, &new.span).end;
            let span = new.span.start - start..new.span.end - start;
            let (code, name) = (&code[start..end], new.name);
            found.push(in_place(file, own, code, &Definition { name, kind: new.kind, span })?);
            start = end;
        }
        let rest = code[start..].trim();
        let is_end =
            rest.is_empty() || types == Types::Around && rest.chars().all(|sign| "};) \n\r\t".contains(sign));
        (!found.is_empty() && is_end).then_some(found)
    })
}

/// The end of the first line of a type in some code, if the file has exactly one type with that line.
fn head_of_type(file: &str, own: &[Definition], code: &str, new: &Definition, start: usize) -> Option<usize> {
    let lines = whole_lines(code, &new.span);
    let head = line::split_iter(&code[lines.start..]).next()?;
    let is_same = |it: &&Definition| {
        it.kind == new.kind
            && it.name == new.name
            && line::first_partial(&file[it.span.clone()]).trim() == head.trim()
    };
    let has_one = own.iter().filter(is_same).count() == 1;
    (has_one && line::is_blank(&code[start..lines.start])).then_some(lines.start + head.len())
}

/// The lines of the definition of which some code is another version.
fn in_place(file: &str, own: &[Definition], code: &str, new: &Definition) -> Option<Replacement> {
    let is_method = has_object(new, code);
    let is_same =
        |it: &&Definition| it.kind == new.kind && it.name == new.name && has_object(it, file) == is_method;
    let old = only_like(own.iter().filter(is_same).collect(), file, &code[new.span.clone()])?;
    // In some languages, annotations belong to the definition.
    let has_annotation = is_annotation(&code[new.span.clone()]);
    let span = if has_annotation { old.span.clone() } else { without_annotations(file, &old.span) };
    let (lines, new_lines) = (whole_lines(file, &span), whole_lines(code, &new.span));
    let beside = |text: &str, lines: &Range<usize>, span: &Range<usize>| {
        [text[lines.start..span.start].trim().to_owned(), text[span.end..lines.end].trim().to_owned()]
    };
    if beside(file, &lines, &span) != beside(code, &new_lines, &new.span) {
        return None;
    }
    let above = line::split_iter(&code[..new_lines.start]).map(str::trim);
    let leading: Vec<&str> = above.filter(|line| !line.is_empty()).collect();
    if !leading.iter().all(|line| is_leading(line)) {
        return None;
    }
    let start = match leading.first() {
        None => lines.start,
        Some(first) => start_of_leading(&file[..lines.start], first)?,
    };
    Some(Replacement { lines: start..lines.end, code: code.to_owned() })
}

/// The definitions of some code, which may be parsed between two lines.
fn definitions_in(grammar: &Grammar, open: &str, code: &str, close: &str) -> Vec<Definition> {
    let text = if open.is_empty() { code.to_owned() } else { format!("{open}\n{code}\n{close}") };
    let start = if open.is_empty() { 0 } else { open.len() + 1 };
    let document = Document::new(DocumentId::new(""), grammar.id(), 0, &text);
    let mut found = definitions(&document, &text, &(start..start + code.len()));
    for it in &mut found {
        it.span = it.span.start - start..it.span.end - start;
    }
    found
}

/// The only one of some definitions of a name, or the only one that begins with the same line as the new code.
fn only_like<'d>(mut same: Vec<&'d Definition>, text: &str, new: &str) -> Option<&'d Definition> {
    if same.len() > 1 {
        same.retain(|it| line::first_partial(&text[it.span.clone()]) == line::first_partial(new));
    }
    <[_; 1]>::try_from(same).ok().map(|[only]| only)
}

/// Whether a callable names its object among its parameters. A function without is no other version of a method.
fn has_object(definition: &Definition, text: &str) -> bool {
    let head = text[definition.span.clone()].split_once(')').map_or("", |(head, _)| head);
    definition.is_callable() && ident::has_word(head, "self")
}

fn whole_lines(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    start..span.end + line::first_partial(&text[span.end..]).len()
}

/// Whether a line above a definition belongs to it: a comment, or an attribute.
fn is_leading(line: &str) -> bool {
    let is_string = line.starts_with(['"', '\'']);
    !is_string && (is_comment(line) || line.starts_with(['@', '#', '[', '*']))
}

fn is_annotation(line: &str) -> bool {
    line.starts_with(['@', '#'])
}

/// The bytes of a definition below the annotations that it begins with, each on a line.
fn without_annotations(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = span.start;
    while is_annotation(&text[start..span.end]) {
        let line = line::first_partial(&text[start..span.end]);
        let next = start + line.len();
        let rest = &text[next..span.end];
        if !line.trim_end().ends_with([')', ']']) && line.trim_end().contains(['(', '[']) || rest.is_empty() {
            break;
        }
        start = span.end - rest.trim_start().len();
    }
    start..span.end
}

/// The start of the attributes and comments directly above a definition, if `first` begins them.
///
/// A comment above a definition without any is new.
fn start_of_leading(above: &str, first: &str) -> Option<usize> {
    let mut start = above.len();
    for line in line::split(above).into_iter().rev() {
        let text = line.trim();
        if !is_leading(text) {
            return (start == above.len() && is_comment(first)).then_some(start);
        }
        start -= line.len();
        if text == first {
            return Some(start);
        }
    }
    None
}

#[cfg(test)]
mod tests;
