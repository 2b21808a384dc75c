//! Removes a label above the code: a first line with the name of the file or of its language.

use super::extract::Code;
use crate::edit::parse::path::{is_file_name, means, of_line, plain};
use crate::edit::{Refusal, Request, line};
use crate::grammar::{self, Grammar};

/// Returns the code without a leading comment that names the file, if it is clearly a label.
///
/// The comment is kept if the old text has it, too, or begins with another name of the file.
///
/// # Errors
///
/// [`Refusal::OtherFile`] if the comment names another file. [`Refusal::Malformed`] if it names this file where the
/// request is about such a comment, or if the first line is the name of a language.
pub(in crate::edit) fn strip_label(code: Code, request: &Request<'_>) -> Result<Code, Refusal> {
    let visible = |text| line::split_iter(text).filter(|line: &&str| !line::is_blank(line));
    let range = request.range.clone().unwrap_or(0..request.text.len());
    let (above, old) = (&request.text[..range.start], &request.text[range]);
    let Some(first) = visible(&code.text).next() else { return Ok(code) };
    let refuse = |what: &str| {
        Err(Refusal::Malformed { detail: format!("it begins with the name of {what}, which is no code") })
    };
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
    let asks_for_one =
        ["comment", "header", "path", "name"].iter().any(|it| request.instruction.contains(it));
    if is_at_start && asks_for_one {
        return refuse("the file");
    }
    Ok(Code { text: code.text.replacen(label.line, "", 1), ..code })
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
        const OPENING: [&str; 10] = ["#", "//", "--", ";", "/*", "<!--", "%", "(*", "{{!--", "\"\"\""];
        let text = line.trim();
        OPENING.iter().find(|it| text.starts_with(**it))?;
        let inside = text.trim_start_matches("(*").trim_end_matches("*)");
        let inside =
            inside.trim_matches(|sign: char| "/#*-=;<!%{}>\"".contains(sign) || sign.is_whitespace());
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
}
