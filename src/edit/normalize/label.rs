//! Removes a label above the code: a first line with the name of the file or of its language.

use super::extract::Code;
use crate::edit::parse::path::{means, of_comment};
use crate::edit::{Refusal, Request, line};
use crate::grammar::{self, Grammar};

/// Returns the code without a leading comment that names the file, if it is clearly a label.
///
/// The comment is kept if the old text begins with such a comment, too.
///
/// # Errors
///
/// [`Refusal::Malformed`] if such a comment is at the start of the file, where it may be intended, or if the
/// first line is the name of a language.
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
    let names_file = of_comment(first).zip(request.path).is_some_and(|(path, own)| means(path, own));
    if !names_file || visible(old).next().is_some_and(|line| of_comment(line).is_some()) {
        return Ok(code);
    }
    if line::is_blank(above.trim_start_matches('\u{feff}')) {
        return refuse("the file");
    }
    Ok(Code { text: code.text.replacen(first, "", 1), ..code })
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
            check("rust", ("", "b();\n"), &format!("```\n{label}\nc();\n```\n"), "refused: malformed");
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
