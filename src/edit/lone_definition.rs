//! A reply that is one or several definitions of a file, where the whole file was asked for.

use std::ops::Range;

use similar::DiffTag;

use super::check::{Definition, asks_for_less, definitions, is_comment, is_elision};
use super::normalize::extract::{self, Code};
use super::normalize::label::strip_label;
use super::parse::{fence, prose};
use super::runs::{has_word_chars, visible};
use super::{Request, diff, line, without_thinking};
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
/// The code must be definitions alone, but for imports that the file has, and the file must have exactly one that
/// [each can be a version of](is_version), or one with the same first line. The words before and behind it on its lines
/// must be the same. Attributes and comments above it stay where the reply shows none; the first that it shows must be
/// there.
pub(super) fn replacements(request: &Request<'_>, reply: &str, types: Types) -> Option<Vec<Replacement>> {
    let grammar = request.grammar.filter(|it| request.range.is_none() && !it.is_prose())?;
    let reply = without_thinking(reply).ok()?;
    let blocks = fence::blocks(reply);
    if blocks.len() > extract::MOST_FENCES || blocks.iter().any(|it| !it.closed) {
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
    let is_most = matches!(codes.as_slice(), [only] if visible(only).len() * 2 > visible(request.text).len());
    let own = definitions_in(grammar, "", request.text, "");
    let mut found = Vec::new();
    for text in codes {
        let code = strip_label(Code { text, has_end: true }, request).ok()?.text;
        let code = without_elisions(grammar, code, types)?;
        let code = if is_most { &code } else { without_known_imports(&code, request.text) };
        found.extend(in_code(request, grammar, &own, code, types)?);
    }
    found.sort_by_key(|it| it.lines.start);
    let are_disjoint = found.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start);
    // Most of the file in one fence is meant as all of it.
    (are_disjoint && found.len() <= MOST && !(is_most && found.len() > 1)).then_some(found)
}

/// Code without the comments that stand for other definitions; `None` if one stands for a part of a new one.
fn without_elisions(grammar: &Grammar, code: String, types: Types) -> Option<String> {
    if !line::split_iter(&code).any(is_elision) {
        return Some(code);
    }
    let [open, close] = &grammar.facts().class_lines;
    let read = [("", ""), (open, close)].map(|(open, close)| definitions_in(grammar, open, &code, close));
    let (mut rest, mut start) = (String::with_capacity(code.len()), 0);
    for line in line::split_iter(&code) {
        let is_part =
            |it: &Definition| (types == Types::Whole || it.is_callable()) && it.span.contains(&start);
        match is_elision(line) {
            true if read.iter().flatten().any(is_part) => return None,
            true => {}
            false => rest.push_str(line),
        }
        start += line.len();
    }
    Some(rest)
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
    request: &Request<'_>,
    grammar: &Grammar,
    own: &[Definition],
    code: &str,
    types: Types,
) -> Option<Vec<Replacement>> {
    // A method alone is no code in some languages.
    let [open, close] = &grammar.facts().class_lines;
    [("", ""), (open, close)].into_iter().find_map(|(open, close)| {
        let (mut found, mut start) = (Vec::new(), 0);
        // The types around the next definition: their ends in the code, and their bytes in the file.
        let mut around = vec![(usize::MAX, 0..request.text.len())];
        for new in definitions_in(grammar, open, code, close) {
            while around.pop_if(|(end, _)| *end <= new.span.start).is_some() {}
            // A member is replaced with its type.
            if new.span.start < start {
                continue;
            }
            if types == Types::Around && !new.is_callable() {
                let (span, end) = head_of_type(request.text, own, code, &new, start)?;
                around.push((new.span.end, span));
                start = end;
                continue;
            }
            let end = whole_lines(code, &new.span).end;
            let new = new.shifted(-(start as isize));
            let (_, within) = around.last()?;
            found.push(in_place(request, own, within, &code[start..end], &new)?);
            start = end;
        }
        let is_closer = |word: &str| word == "end" || word.chars().all(|sign| "};)".contains(sign));
        let mut rest = code[start..].split_whitespace();
        let is_end = if types == Types::Around { rest.all(is_closer) } else { rest.next().is_none() };
        (!found.is_empty() && is_end).then_some(found)
    })
}

/// The bytes of the only type of the file with the first line of a type in some code, and the end of what opens it there.
///
/// A brace or a label such as `public:` may be below the first line, if the file's type has it, too.
fn head_of_type(
    file: &str,
    own: &[Definition],
    code: &str,
    new: &Definition,
    start: usize,
) -> Option<(Range<usize>, usize)> {
    let lines = whole_lines(code, &new.span);
    let head = line::split_iter(&code[lines.start..]).next()?;
    let is_same = |it: &&Definition| {
        it.kind == new.kind
            && it.name == new.name
            && line::first_partial(&file[whole_lines(file, &it.span).start..]).trim() == head.trim()
    };
    let mut same = own.iter().filter(is_same);
    let old = same.next().filter(|_| same.next().is_none())?;
    let is_known = |line: &str| line::split_iter(&file[old.span.clone()]).any(|it| it.trim() == line);
    let mut end = lines.start + head.len();
    for line in line::split_iter(&code[end..lines.end]) {
        let text = line.trim();
        let is_label = || text.strip_suffix(':').is_some_and(|label| label.chars().all(ident::is_part));
        if !(text.is_empty() || (text == "{" || is_label()) && is_known(text)) {
            break;
        }
        end += line.len();
    }
    ["", "<?php"].contains(&code[start..lines.start].trim()).then(|| (old.span.clone(), end))
}

/// The lines of the definition within some bytes of which some code is another version.
fn in_place(
    request: &Request<'_>,
    own: &[Definition],
    within: &Range<usize>,
    code: &str,
    new: &Definition,
) -> Option<Replacement> {
    let file = request.text;
    let is_inside = |it: &&Definition| within.start <= it.span.start && it.span.end <= within.end;
    // The types that may be meant, unless the code says it.
    let types = if *within == (0..file.len()) { own } else { &[] };
    let is_same = |it: &&Definition| is_inside(it) && is_version(request, types, it, code, new);
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
    let is_cut = stops_early(&file[lines.clone()], &code[new_lines], request);
    (!is_cut).then(|| Replacement { lines: start..lines.end, code: code.to_owned() })
}

/// Whether a new version of a definition ends in the middle of the old one: its last lines are old ones, and all old
/// lines below them would go, though the instruction names nothing in them and asks for no less code.
///
/// Where indentation ends a block, a part of a definition is whole code.
fn stops_early(old: &str, new: &str, request: &Request<'_>) -> bool {
    let [old, new] = [old, new].map(visible);
    let ops = diff::ops(&old, &new);
    let Some(last) = ops.last().filter(|last| ops.len() > 1 && last.tag() == DiffTag::Delete) else {
        return false;
    };
    let gone = &old[last.old_range()];
    let is_said = |name: &str| {
        let is_keyword = request.grammar.is_some_and(|grammar| grammar.is_keyword(name));
        !is_keyword && ident::has_word(request.instruction, name)
    };
    let is_named = |line: &&str| ident::names(line).any(is_said);
    gone.iter().any(|line| has_word_chars(line))
        && !gone.iter().any(is_named)
        && !asks_for_less(request.instruction)
}

/// The definitions of some code, which may be parsed between two lines.
fn definitions_in(grammar: &Grammar, open: &str, code: &str, close: &str) -> Vec<Definition> {
    let text = if open.is_empty() { code.to_owned() } else { format!("{open}\n{code}\n{close}") };
    let start = if open.is_empty() { 0 } else { open.len() + 1 };
    let document = Document::new(DocumentId::new(""), grammar.id(), 0, &text);
    let found = definitions(&document, &text, &(start..start + code.len()));
    found.into_iter().map(|it| it.shifted(-(start as isize))).collect()
}

/// Whether some code can be another version of a definition: no other implementation, accessor, overload or method of
/// another type.
///
/// Its text up to the end of its name must be the same but for modifiers. Its parameters may change where the language
/// has no overloads and no other type may have the method, or where the instruction is about them.
fn is_version(
    request: &Request<'_>,
    types: &[Definition],
    old: &Definition,
    code: &str,
    new: &Definition,
) -> bool {
    let file = request.text;
    if old.kind != new.kind
        || has_object(old, file) != has_object(new, code)
        || head(file, old) != head(code, new)
    {
        return false;
    }
    let types: Vec<&Definition> =
        types.iter().filter(|it| !it.is_callable() && it.span != old.span).collect();
    let is_around = |it: &&Definition| it.span.start <= old.span.start && old.span.end <= it.span.end;
    let is_named = |it: &&Definition| ident::has_word(request.instruction, &it.name);
    if types.iter().any(is_named) && types.iter().any(is_around) {
        let mut named = types.iter().filter(|it| is_named(it));
        if !named.any(is_around) {
            return false;
        }
    }
    let is_overloaded = request.grammar.is_some_and(|it| it.facts().overloads);
    let others = || types.iter().any(is_around) && !types.iter().all(is_around);
    !old.is_callable()
        || parameters(file, old) == parameters(code, new)
        || !is_overloaded && !others()
        || asks_to_change(request.instruction, &new.name)
}

/// The words of a definition up to the end of its name, without its annotations and modifiers.
fn head<'t>(text: &'t str, definition: &Definition) -> Vec<&'t str> {
    const MODIFIERS: [&str; 16] = [
        "async",
        "const",
        "export",
        "final",
        "inline",
        "internal",
        "local",
        "override",
        "private",
        "protected",
        "pub",
        "pub(crate)",
        "pub(super)",
        "public",
        "unsafe",
        "virtual",
    ];
    let start = without_annotations(text, &definition.span).start.min(definition.name_span.start);
    let words = text[start..definition.name_span.end].split_whitespace();
    words.filter(|word| !MODIFIERS.contains(word)).collect()
}

/// The words between the parentheses behind a definition's name.
fn parameters<'t>(text: &'t str, definition: &Definition) -> Vec<&'t str> {
    let behind = &text[definition.name_span.end..definition.span.end];
    let Some(start) = behind.find('(') else { return Vec::new() };
    let mut depth = 0;
    let is_end = |sign: char| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth == 0
    };
    let end = behind[start..].find(is_end).unwrap_or_default();
    let inside = behind[start..start + end].trim_start_matches('(');
    inside.trim_end().trim_end_matches(',').split_whitespace().collect()
}

/// Whether an instruction is about a function, and does not ask for another one of that name.
///
/// "Add a limit parameter to `fetch`" is about it, "Add a `fetch` with a limit parameter" is not.
fn asks_to_change(instruction: &str, name: &str) -> bool {
    const ADDING: [&str; 9] =
        ["add", "another", "create", "define", "implement", "introduce", "new", "second", "write"];
    const PARTS: [&str; 6] = ["argument", "option", "param", "parameter", "arguments", "parameters"];
    let has = |text: &str, words: &[&str]| {
        ident::words(text).any(|word| words.contains(&word.to_lowercase().as_str()))
    };
    let Some(at) = ident::occurrences(instruction, name).next() else { return false };
    let overloads = instruction.to_lowercase().contains("overload");
    !overloads && (!has(instruction, &ADDING) || has(&instruction[..at], &PARTS))
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
