//! The entry point of the edit engine: reads, places and checks the edits of one file, or refuses them all.
//!
//! Replies about several files go through [`plan`](super::plan), which runs the same checks.

use std::ops::Range;
use std::path::Path;

use super::check::{self, Asked, CheckContext, Form};
use super::lone_definition::{self, Types};
use super::normalize::recipe;
use super::parse::{self, Format, Outcome, Unchecked};
use super::request::{Exceptions, Request, UnmarkedEnd};
use super::{Edit, Flag, Level, Refusal, apply, diff, line, shifted};
use crate::document::{Document, DocumentId};
use crate::grammar::{self, Grammar};
use crate::text::fence::fenced;

/// The edits of a reply that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Edits of the request's text: sorted, disjoint and minimal.
    pub edits: Vec<Edit>,
    /// Warnings about the edits for the user.
    pub flags: Vec<Flag>,
    /// The format that the reply was in.
    pub format: Format,
    /// The most tolerant level that placing any of the edits required.
    pub level: Level,
}

/// Reads a reply about one file in any format, places its edits and checks them.
///
/// If the new text of the range repeats closing lines that follow the range, they are left out. A reply that is too
/// little for the whole file may be [some definitions](lone_definition) of it.
///
/// # Errors
///
/// [`Refusal`] when the reply is ambiguous, or its edits do harm.
pub fn accept(request: &Request<'_>, reply: &str) -> Result<Accepted, Refusal> {
    match accept_for_range(request, reply) {
        // A method alone is no code in some languages.
        Err(
            refusal @ (Refusal::TooMuchRemoved { .. }
            | Refusal::LeftOut { .. }
            | Refusal::Elision { .. }
            | Refusal::SeveralAnswers { .. }
            | Refusal::Syntax { .. }),
        ) => {
            let accepted = accept_definitions(request, reply, Types::Whole);
            accepted.or_else(|| accept_definitions(request, reply, Types::Around)).ok_or(refusal)
        }
        judged => judged,
    }
}

/// Reads a reply as other versions of definitions of the file.
pub(super) fn accept_definitions(request: &Request<'_>, reply: &str, types: Types) -> Option<Accepted> {
    let accept_one = |lines: &Range<usize>, reply: &str| {
        let request = Request { range: Some(lines.clone()), ..request.clone() };
        let accepted = accept_for_range(&request, reply).ok()?;
        let new = apply(request.text, &accepted.edits);
        // In another column, it would end what is around it.
        let is_in_column = line::indent(&request.text[lines.start..]) == line::indent(&new[lines.start..]);
        is_in_column.then_some(accepted)
    };
    let mut found = lone_definition::replacements(request, reply, types)?;
    if let [only] = found.as_slice()
        && types == Types::Whole
    {
        // The words around the code may say that it is a part. Imports above it are not for these lines.
        let accepted = accept_one(&only.lines, reply)?;
        let alone = accept_one(&only.lines, &fenced("", &only.code))?;
        return Some(Accepted { edits: alone.edits, ..accepted });
    }
    let first = found.remove(0);
    let mut all = accept_one(&first.lines, &fenced("", &first.code))?;
    for it in &found {
        let accepted = accept_one(&it.lines, &fenced("", &it.code))?;
        all.level = all.level.max(accepted.level);
        all.edits.extend(accepted.edits);
        all.flags.extend(accepted.flags);
    }
    let (edits, flags) = check_edits(request, all.edits.into(), false).ok()?;
    left_out(request, &edits, reply, Form::Retyped).ok()?;
    all.flags.extend(flags.into_iter().filter(|flag| !all.flags.contains(flag)).collect::<Vec<_>>());
    // A definition that is repeated as it is says nothing about the others.
    if !edits.is_empty() {
        all.flags.retain(|flag| *flag != Flag::Unchanged);
    }
    Some(Accepted { edits, ..all })
}

fn accept_for_range(request: &Request<'_>, reply: &str) -> Result<Accepted, Refusal> {
    let Outcome { edits, format, level, mut flags } = match (request.shown, &request.range) {
        (Some(shown), Some(range)) => {
            let (before, after) = (&request.text[..range.start], &request.text[range.end..]);
            let text = [before, shown, after].concat();
            let range = range.start..range.start + shown.len();
            let as_shown = Request { text: &text, range: Some(range), ..request.clone() };
            let mut outcome = read(as_shown.clone(), reply)?;
            if matches!(outcome.format, Format::Region | Format::Whole) {
                // Lines that were not shown are left out on purpose.
                left_out(
                    &Request { file: None, document: None, ..as_shown },
                    &outcome.edits.0,
                    reply,
                    Form::Retyped,
                )?;
            }
            if !outcome.edits.is_empty() {
                let new = apply(&text, &outcome.edits.0);
                let new = &new[before.len()..new.len() - after.len()];
                let range = before.len()..request.text.len() - after.len();
                outcome.edits = diff::minimal_within(request.text, &range, new).into();
            }
            outcome
        }
        _ => read(request.clone(), reply)?,
    };
    if matches!(format, Format::Region | Format::Whole) && request.parts.len() > 1 {
        return Err(Refusal::untagged());
    }
    let (edits, found) = check_edits(request, edits, format == Format::Whole)?;
    flags.extend(found);
    check::moved_string(request.grammar, request.text, &edits, reply)?;
    in_file(request, &edits, |document, edits, _| check::doubled_definition(document, edits))?;
    if matches!(format, Format::Region | Format::Whole) {
        check::stub(request.instruction, request.text, &apply(request.text, &edits))?;
        if request.shown.is_none() {
            left_out(request, &edits, reply, Form::Retyped)?;
        }
    } else {
        left_out(request, &edits, reply, Form::Hunks)?;
    }
    Ok(Accepted { edits, flags, format, level })
}

/// Refuses a text that leaves something out; what an excerpt leaves out is looked up in its file.
fn left_out(request: &Request<'_>, edits: &[Edit], reply: &str, form: Form) -> Result<(), Refusal> {
    let reply = if request.is_correction { "" } else { reply };
    let asked = Asked { instruction: request.instruction, reply };
    in_file(request, edits, |document, edits, range| check::left_out(document, edits, range, asked, form))
}

/// Runs a check on the document with a request's text, or the file that it is an excerpt of, with the edits and the
/// range as they are there.
fn in_file(
    request: &Request<'_>,
    edits: &[Edit],
    check: impl FnOnce(&Document, &[Edit], &Range<usize>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let Request { text, file, document, grammar, .. } = *request;
    let Range { start, end } = request.range.clone().unwrap_or(0..text.len());
    match (file, document, grammar) {
        (Some((file, at)), ..) => check(file, &shifted(edits.to_vec(), at), &(start + at..end + at)),
        (None, Some(document), _) => check(document, edits, &(start..end)),
        (None, None, grammar) => {
            let language = grammar.map_or("", Grammar::id);
            check(&Document::new(DocumentId::new(""), language, 0, text), edits, &(start..end))
        }
    }
}

/// Checks edits that are already placed: those of a rule, or of a reply that is still streaming.
///
/// # Errors
///
/// The first check's [`Refusal`].
pub fn accept_edits(
    request: &Request<'_>,
    edits: impl Into<Unchecked>,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    check_edits(request, edits.into(), false)
}

/// Reads a reply that is the text of a new file, and checks that text.
///
/// # Errors
///
/// [`Refusal`] when the reply is ambiguous, or the text does harm.
pub fn accept_new_file(path: &str, reply: &str, allowed: Exceptions) -> Result<Accepted, Refusal> {
    let grammar = grammar::by_path(Path::new(path));
    let request = Request { path: Some(path), range: Some(0..0), grammar, allowed, ..Request::default() };
    let Outcome { edits: Unchecked(edits), format, level, mut flags } = read(request, reply)?;
    let edits = recipe::with_tabs(Some(path), "", edits);
    flags.extend(check::check_new(path, &apply("", &edits), allowed.invisible)?);
    Ok(Accepted { edits, flags, format, level })
}

/// Reads a whole reply, and refuses it if the request does not allow prose alone or a missing end mark.
fn read(request: Request<'_>, reply: &str) -> Result<Outcome, Refusal> {
    let Exceptions { talk, unmarked_end, .. } = request.allowed;
    let mut outcome = parse::read(request, reply)?;
    if !talk && outcome.flags.contains(&Flag::Talk) {
        return Err(Refusal::Prose);
    }
    match unmarked_end {
        UnmarkedEnd::Flagged => {}
        UnmarkedEnd::Allowed => outcome.flags.retain(|flag| *flag != Flag::MayBeCut),
        UnmarkedEnd::Refused if outcome.flags.contains(&Flag::MayBeCut) => return Err(Refusal::MayBeCut),
        UnmarkedEnd::Refused => {}
    }
    Ok(outcome)
}

fn check_edits(
    request: &Request<'_>,
    Unchecked(edits): Unchecked,
    is_whole: bool,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    let Request { text, parts, file, document, allowed, .. } = *request;
    let edits = recipe::with_tabs(request.path, text, edits);
    let is_inside =
        |edit: &&Edit| parts.iter().any(|part| part.start <= edit.span.start && edit.span.end <= part.end);
    if let Some(edit) = edits.iter().find(|edit| !parts.is_empty() && !is_inside(edit)) {
        let above = text[..edit.span.start].matches('\n').count();
        let line = above + file.map_or(0, |(file, start)| file.text().byte_to_line(start)) + 1;
        return Err(Refusal::OutOfScope { line });
    }
    let checks = CheckContext {
        before: text,
        document,
        range: request.range.as_ref(),
        grammar: request.grammar.filter(|_| file.is_none()),
        allow_whitespace_only: allowed.blanks,
        allow_invisible: allowed.invisible,
        is_whole,
    };
    let (edits, mut flags) = check::check_trimming_closers(&checks, edits)?;
    if let Some((file, start)) = file.filter(|_| !edits.is_empty()) {
        flags.extend(check::syntax(file, &shifted(edits.clone(), start))?);
    }
    Ok((edits, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a();\nb();\nc();\n";

    /// Checks the text and flags after a reply, or the refusal's code.
    #[track_caller]
    fn check(request: Request<'_>, reply: &str, expected: &str) {
        let outcome = match accept(&request, reply) {
            Ok(accepted) => {
                let flags: String = accepted.flags.iter().map(|flag| format!("({})", flag.code())).collect();
                apply(request.text, &accepted.edits) + &flags
            }
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected, "{reply}");
    }

    fn replace(old: &str, new: &str) -> String {
        format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
    }

    #[test]
    fn form_of_a_reply_is_let_pass_or_refused() {
        let request = |allowed| Request { text: TEXT, range: Some(0..5), allowed, ..Request::default() };
        let end = |unmarked_end| request(Exceptions { unmarked_end, ..Exceptions::default() });
        check(end(UnmarkedEnd::Flagged), "d();", "d();\nb();\nc();\n(may-be-cut)");
        check(end(UnmarkedEnd::Allowed), "d();", "d();\nb();\nc();\n");
        check(end(UnmarkedEnd::Refused), "d();", "refused: may-be-cut");
        check(end(UnmarkedEnd::Refused), "```\nd();\n```\n", "d();\nb();\nc();\n");
        check(request(Exceptions::default()), "I would call d instead.", "refused: prose");
        let talk = Exceptions { talk: true, ..Exceptions::default() };
        check(request(talk), "I would call d instead.", &format!("{TEXT}(talk)"));
    }

    #[test]
    fn repeating_the_reason_excuses_nothing() {
        let text = "fn a() {\n    one();\n    two();\n    three();\n}\n\nfn b() {\n    four();\n}\n";
        let kept = "fn a() {\n    one();\n    two();\n    five();\n}\n";
        let reply = |said: &str| format!("{said}\n```rust\n{kept}```\n");
        let request = |is_correction| Request {
            text,
            range: Some(0..text.len()),
            grammar: grammar::by_path(Path::new("a.rs")),
            instruction: "call five",
            is_correction,
            ..Request::default()
        };
        check(request(false), &reply("I removed `b`, which is unused."), kept);
        let sorry = reply("Sorry, I removed `b`. Here is the complete code:");
        check(request(false), &sorry, kept);
        check(request(true), &sorry, "refused: left-out");
    }

    #[test]
    fn lines_that_were_not_shown_go_with_the_range() {
        let text = "x();\n// ai: call d\na();\ny();\n";
        let request = || Request { text, range: Some(5..24), shown: Some("a();\n"), ..Request::default() };
        check(request(), "```\nd();\n```\n", "x();\nd();\ny();\n");
        check(request(), "```\na();\n```\n", &format!("{text}(unchanged)"));
    }

    #[test]
    fn only_the_parts_that_were_shown_may_change() {
        let parts = [0..5, 10..15];
        let request = || Request { text: TEXT, parts: &parts, ..Request::default() };
        check(request(), &replace("c();", "d();"), "a();\nb();\nd();\n");
        check(request(), &replace("b();", "d();"), "refused: out-of-scope");
        check(request(), "```\na();\nb();\nd();\n```\n", "refused: malformed");
    }

    #[test]
    fn parser_judges_an_excerpt_in_its_file() {
        let file = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, "fn f() {\n    a();\n}\n");
        let request = || Request { text: "    a();\n}\n", file: Some((&file, 9)), ..Request::default() };
        check(request(), &replace("    a();", "    b();"), "    b();\n}\n");
        check(request(), &replace("    a();", "    b(;"), "refused: syntax");
    }

    #[test]
    fn definition_that_a_diagnostic_names_may_go_from_an_excerpt() {
        let excerpt = "fn a() {\n    one();\n    two();\n    three();\n}\n\nfn b() {\n    four();\n}\n";
        let file = Document::new(DocumentId::new(""), "rust", 0, &format!("use c::d;\n\n{excerpt}"));
        let kept = excerpt.split("\nfn b").next().unwrap();
        let reply = format!("```rust\n{kept}```\n");
        let request = |instruction| Request {
            text: excerpt,
            range: Some(0..excerpt.len()),
            file: Some((&file, 11)),
            grammar: file.grammar(),
            instruction,
            ..Request::default()
        };
        check(request("expected `;`, found `two`"), &reply, "refused: left-out");
        check(request("function `b` is never used"), &reply, kept);
    }
}
