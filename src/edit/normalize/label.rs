//! Removes a label above or below the code: a line with the name of the file or of its language, or a comment about the
//! reply.

use super::extract::Code;
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::parse::path::{is_file_name, means, of_line, plain};
use crate::edit::{Refusal, Request, line};
use crate::grammar::{self, Grammar};
use crate::text::ident;

/// Returns the code without a leading comment that names the file, if it is clearly a label.
///
/// The comment is kept if the old text has it, too, or begins with another name of the file.
///
/// The error is [`Refusal::OtherFile`] if the comment names another file, [`Refusal::Malformed`] if it names
/// this file where the request is about such a comment, or if the first line is the name of a language.
pub(in crate::edit) fn strip_label(code: Code, request: &Request<'_>) -> Result<Code, Refusal> {
    let visible = |text| line::split_iter(text).filter(|line: &&str| !line::is_blank(line));
    let range = request.range.clone().unwrap_or(0..request.text.len());
    let (above, old) = (&request.text[..range.start], &request.text[range]);
    let code = without_arrows(without_remarks(code, old, request), old);
    let Some(first) = visible(&code.text).next() else { return Ok(code) };
    let refuse =
        |what: &str| Err(Refusal::malformed(format!("it begins with the name of {what}, which is no code")));
    if let Some(grammar) = request.grammar
        && names_language(first.trim_end(), grammar)
        && visible(&code.text).nth(1).is_some()
        && !visible(old).any(|line| line.trim() == first.trim())
    {
        return refuse("a language");
    }
    // An interpreter is named above everything else.
    let leads = |line: &&str| line.starts_with("#!") || line.trim_end() == "<?php";
    let label = visible(&code.text).find(|line| !leads(line)).and_then(Label::of);
    let Some((label, own)) = label.zip(request.path) else { return Ok(code) };
    if visible(old).any(|line| line.trim() == label.line.trim()) {
        return Ok(code);
    }
    let is_at_start = line::is_blank(above.trim_start_matches('\u{feff}'));
    if !means(label.path, own) {
        return match is_at_start && is_file_name(label.path) || label.is_explicit {
            true => Err(Refusal::OtherFile { path: label.path.to_owned() }),
            false => Ok(code),
        };
    }
    if visible(old).next().is_some_and(|line| Label::of(line).is_some()) {
        return Ok(code);
    }
    if is_at_start && asks_for_one(request) {
        return refuse("the file");
    }
    Ok(Code { text: code.text.replacen(label.line, "", 1), ..code })
}

/// Whether the instruction may be about a comment with the name of the file.
fn asks_for_one(request: &Request<'_>) -> bool {
    const WORDS: [&str; 7] = ["comment", "comments", "header", "path", "name", "filename", "file's"];
    WORDS.iter().any(|word| ident::has_word(&request.instruction.to_lowercase(), word))
}

/// Removes a comment with the name of the file from the beginning of a block's new lines, if the block adds others.
///
/// The error is [`Refusal::Malformed`] where the request is about such a comment.
pub(in crate::edit) fn strip_from_block(block: &mut Block, request: &Request<'_>) -> Result<(), Refusal> {
    let Some(own) = request.path else { return Ok(()) };
    let is_label = |text: &str| Label::of(text).is_some_and(|label| means(label.path, own));
    for lines in &mut block.readings {
        let first = lines.iter().position(|line| line.role != Role::Delete);
        let at = first.filter(|at| lines[*at].role == Role::Add && is_label(&lines[*at].text));
        let is_known = |text: &str| line::split_iter(request.text).any(|line| line.trim() == text.trim());
        let is_other = |line: &Line| line.role != Role::Keep && !line::is_blank(&line.text);
        let Some(at) = at.filter(|at| !is_known(&lines[*at].text)) else { continue };
        if !lines.iter().enumerate().any(|(number, line)| number != at && is_other(line)) {
            continue;
        }
        if asks_for_one(request) {
            return Err(Refusal::malformed(
                "its new lines begin with the name of the file, which may be no code",
            ));
        }
        lines.remove(at);
        block.inline = None;
    }
    Ok(())
}

/// Returns the code without first and last lines that only say to the reader what the code is.
fn without_remarks(code: Code, old: &str, request: &Request<'_>) -> Code {
    let lines: Vec<&str> = line::split_iter(&code.text).collect();
    let is_prose = request.grammar.is_some_and(Grammar::is_prose);
    let is_remark = |at: Option<usize>| {
        let line = at.map(|at| lines[at].trim()).unwrap_or_default();
        let is_comment = !is_prose || line.starts_with("<!--");
        let is_about = is_about_reply(line, request.path) || repeats(line, request.instruction);
        is_comment && is_about && !line::split_iter(old).any(|it| it.trim() == line)
    };
    let first = lines.iter().position(|line| !line::is_blank(line));
    let last = lines.iter().rposition(|line| !line::is_blank(line));
    let start = if is_remark(first) { first.map_or(0, |at| at + 1) } else { 0 };
    let end = if is_remark(last) { last.unwrap_or(lines.len()) } else { lines.len() };
    if start >= end || (start, end) == (0, lines.len()) {
        return code;
    }
    Code { text: lines[start..end].concat(), ..code }
}

/// Returns the code without comments that point at a line: `a = 1  # <-- changed`, `# <<< NEW`.
fn without_arrows(code: Code, old: &str) -> Code {
    const ARROWS: [&str; 3] = ["<--", "<<<", "←"];
    let has_arrow = |text: &str| ARROWS.iter().any(|arrow| text.contains(arrow));
    if !has_arrow(&code.text) || has_arrow(old) {
        return code;
    }
    let text = line::split_iter(&code.text).map(|line| match arrow_comment(line) {
        Some(at) => [line[..at].trim_end(), &line[line::body(line).len()..]].concat(),
        None => line.to_owned(),
    });
    let text = text.collect();
    Code { text, ..code }
}

/// Where a comment behind code begins that is an arrow and a word of what the model did.
fn arrow_comment(line: &str) -> Option<usize> {
    const MARKS: [&str; 6] = ["#", "//", "--", ";", "/*", "<!--"];
    const SAID: [&str; 8] = ["add", "change", "edit", "fix", "here", "new", "this", "update"];
    let arrow = [" <--", " <<<", " ←", "#<--", "/<--"].iter().filter_map(|it| line.rfind(it)).max()?;
    let before = line[..=arrow].trim_end();
    let at = MARKS.iter().filter_map(|mark| Some(before.strip_suffix(mark)?.len())).min()?;
    let said = line[arrow..].to_lowercase();
    (!line::is_blank(&line[..at]) && SAID.iter().any(|it| said.contains(it))).then_some(at)
}

/// Whether a comment says that it is the instruction, or repeats one of several words.
fn repeats(line: &str, instruction: &str) -> bool {
    const LEAST_WORDS: usize = 3;
    const SAYING: [&str; 2] = ["instruction: ", "request: "];
    let said = instruction.trim().trim_end_matches('.').to_lowercase();
    let Some(inside) = comment_text(line).map(str::to_lowercase) else { return false };
    SAYING.iter().any(|it| inside.starts_with(it))
        || said.split_whitespace().count() >= LEAST_WORDS && inside.contains(&said)
}

/// Whether a line is a comment about the reply: "Updated code", "lines 3-9", "replace it with:", "end of changes".
fn is_about_reply(line: &str, path: Option<&str>) -> bool {
    const NEW: [&str; 8] =
        ["changed", "corrected", "fixed", "improved", "modified", "new", "revised", "updated"];
    const CODE: [&str; 9] =
        ["change", "changes", "class", "code", "function", "implementation", "method", "section", "version"];
    const MOST_WORDS: usize = 5;
    let Some(inside) = comment_text(line) else { return false };
    let own = inside.split_whitespace().next().unwrap_or_default();
    if ["BEGIN", "BEGIN:", "END", "END:"].contains(&own) && inside.split_whitespace().count() <= 2 {
        return true;
    }
    let said = inside.to_lowercase();
    let words: Vec<&str> = said.split_whitespace().map(|it| it.trim_matches([',', '.', ':'])).collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(word));
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    let places = match words.as_slice() {
        [_, rest @ ..] if is_file_name(own) && path.is_some_and(|path| means(own, path)) => rest,
        all => all,
    };
    match words.as_slice() {
        _ if matches!(places, ["line" | "lines", number, ..] if is_number(number)) => places.len() <= 4,
        ["here", "is", ..] | ["here's", ..] | ["below", "is", ..] => has(&NEW) && has(&CODE),
        ["end", "of", ..] | ["end", _] => {
            has(&CODE) && words.len() <= MOST_WORDS && !has(&["class", "function", "method"])
        }
        [first, ..] if NEW.contains(first) && words.len() <= 3 => has(&CODE),
        _ => said.ends_with(':') && has(&["replace", "change", "update"]) && has(&["with", "by", "to"]),
    }
}

/// The text of a comment of one line.
fn comment_text(line: &str) -> Option<&str> {
    const OPENING: [&str; 10] = ["#", "//", "--", ";", "/*", "<!--", "%", "(*", "{{!--", "\"\"\""];
    let text = line.trim();
    OPENING.iter().find(|it| text.starts_with(**it))?;
    let inside = text.trim_start_matches("(*").trim_end_matches("*)");
    Some(inside.trim_matches(|sign: char| "/#*-=;<!%{}>\"".contains(sign) || sign.is_whitespace()))
}

/// A comment that consists of a file's name.
struct Label<'c> {
    line: &'c str,
    path: &'c str,
    /// Whether the comment says that this is the name of the file, as `// File: src/a.ts` does.
    is_explicit: bool,
}

impl<'c> Label<'c> {
    fn of(line: &'c str) -> Option<Self> {
        let inside = comment_text(line)?;
        let tagged = inside.strip_prefix("@file ").or_else(|| inside.strip_prefix("@filename "));
        let path = of_line(tagged.unwrap_or(inside))?;
        Some(Self { line, path, is_explicit: tagged.is_some() || path.len() < plain(inside).len() })
    }
}

/// Whether a word is a fence's language name: the file's own, or any other unless the file is prose.
fn names_language(word: &str, grammar: &Grammar) -> bool {
    let facts = grammar.facts();
    let is_own = || facts.editor_ids.iter().chain(&facts.extensions).any(|name| name == word);
    let is_other = || !grammar.is_prose() && grammar::by_language_id(word).is_some();
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()) && (is_own() || is_other())
}

#[cfg(test)]
mod tests {
    use crate::edit::parse::read;
    use crate::edit::{Request, apply};
    use crate::grammar;

    /// Checks what a reply makes of the range after `above`, in a file called `src/main.rs`.
    #[track_caller]
    fn check(language: &str, (above, range): (&str, &str), reply: &str, expected: &str) {
        let text = [above, range].concat();
        let request = Request {
            text: &text,
            path: Some("src/main.rs"),
            range: Some(above.len()..text.len()),
            grammar: grammar::by_language_id(language),
            ..Request::default()
        };
        let outcome = match read(request, reply) {
            Ok(outcome) => apply(&text, &outcome.edits.0)[above.len()..].to_owned(),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected, "{reply}");
    }

    #[test]
    fn names_of_the_file() {
        let inside = ("use a;\n", "b();\n");
        for label in ["// src/main.rs", "# main.rs", "/* src/main.rs */"] {
            check("rust", inside, &format!("```\n{label}\nc();\n```\n"), "c();\n");
            check("rust", ("", "b();\n"), &format!("```\n{label}\nc();\n```\n"), "c();\n");
        }
        let named =
            ["// lib.rs", "// File: lib.rs", "/* lib.rs */", "# path: src/lib.rs", "// lib.rs (new file)"];
        for label in named.into_iter().chain([
            "// === lib.rs ===",
            "--- lib.rs ---",
            "/** @file lib.rs */",
            "//lib.rs",
        ]) {
            check("rust", ("", "b();\n"), &format!("```\n{label}\nc();\n```\n"), "refused: other-file");
            check(
                "rust",
                ("", "b();\n"),
                &format!("```\n#!/bin/x\n{label}\nc();\n```\n"),
                "refused: other-file",
            );
        }
        check("rust", inside, "```\n// File: lib.rs\nc();\n```\n", "refused: other-file");
        for line in ["// See lib.rs", "// lib.rs has it", "// User.save", "// e.g."] {
            check("rust", ("", "b();\n"), &format!("```\n{line}\nc();\n```\n"), &format!("{line}\nc();\n"));
        }
        check("rust", inside, "```\n// lib.rs\nc();\n```\n", "// lib.rs\nc();\n");
        let own = ("use a;\n", "// src/main.rs\nb();\n");
        check("rust", own, "```\n// src/main.rs\nc();\n```\n", "// src/main.rs\nc();\n");
    }

    #[test]
    fn names_of_languages() {
        let inside = ("use a;\n", "b();\n");
        for label in ["rust", "rs", "python"] {
            check("rust", inside, &format!("```\n{label}\nc();\n```\n"), "refused: malformed");
            check("rust", inside, &format!("{label}\nc();\n"), "refused: malformed");
            check("rust", inside, &format!("```\n{label}();\nc();\n```\n"), &format!("{label}();\nc();\n"));
        }
        check("rust", ("use a;\n", "rs\n+ 1\n"), "```\nrs\n+ 2\n```\n", "rs\n+ 2\n");
        check("markdown", ("# T\n", "words\n"), "```\nrust\nmore\n```\n", "rust\nmore\n");
    }

    #[test]
    fn arrows_and_instructions() {
        let range = ("use a;\n", "b();\n");
        for mark in ["// <-- changed", "// <<< NEW", "/* <-- updated */", "// ← this"] {
            check("rust", range, &format!("```\nc();  {mark}\n```\n"), "c();\n");
        }
        for kept in ["x <-- 0;", "c(); // see <-- above", "// <-- new\nc();"] {
            check("rust", range, &format!("```\n{kept}\n```\n"), &format!("{kept}\n"));
        }
        check("rust", ("use a;\n", "b(); // <-- new\n"), "```\nc(); // <-- new\n```\n", "c(); // <-- new\n");
        check("rust", range, "```\n// Instruction: call c\nc();\n```\n", "c();\n");
    }

    #[test]
    fn comments_about_the_reply() {
        let range = "fn a() {\n    b();\n}\n";
        let new = "fn a() {\n    c();\n}\n";
        for remark in [
            "// lines 3-5",
            "// main.rs lines 3-5",
            "// Updated code",
            "// Here is the updated function",
            "// In main.rs, replace the function with:",
            "// BEGIN: ed8c6549bwf9",
        ] {
            check("rust", ("d();\n", range), &format!("```rust\n{remark}\n{new}```\n"), new);
        }
        check("rust", ("d();\n", range), &format!("```rust\n{new}// end of changes\n```\n"), new);
        for comment in ["// Here is the loop", "// Updated by b", "// End of it", "// Replaces a to c"] {
            let code = format!("{comment}\n{new}");
            check("rust", ("d();\n", range), &format!("```rust\n{code}```\n"), &code);
        }
    }
}
