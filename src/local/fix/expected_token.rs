//! Reads which token a message reports as missing.

use crate::text::ident::has_word;

/// The tokens that can be inserted, and the names that parsers use for them.
const SIGNS: [(&str, &[&str]); 7] = [
    (";", &["semicolon"]),
    (":", &["colon"]),
    (",", &["comma"]),
    ("(", &["l_paren", "opening parenthesis"]),
    (")", &["r_paren", "closing parenthesis", "right parenthesis"]),
    ("]", &["r_brack", "closing bracket", "right bracket"]),
    ("}", &["r_curly", "closing brace", "right brace"]),
];
/// The closing token of each opening one.
pub(super) const OPENERS: [(char, &str); 3] = [('(', ")"), ('[', "]"), ('{', "}")];

/// The only token that a message can report as missing.
pub(super) fn sign(message: &str) -> Option<&'static str> {
    let lower = message.to_lowercase();
    let says = |word: &str| lower.contains(word);
    let misses = says("expected")
        || says("missing")
        || says("unclosed")
        || says("never closed")
        || says("not closed")
        || says("unterminated");
    // A body and the end of a statement leave no parenthesis open.
    if ["unexpected token {", "unexpected token ;"].iter().any(|end| lower.ends_with(end)) {
        return Some(")");
    }
    // The end of Go's message for an unexpected token in a list.
    if lower.ends_with("; possibly missing comma or )") && !says("unexpected newline") {
        return Some(",");
    }
    // Go names a single token only if nothing else can follow.
    if let Some((_, wanted)) = lower.split_once("unexpected newline, expecting ") {
        return SIGNS.iter().map(|(sign, _)| *sign).find(|sign| *sign == wanted);
    }
    if !misses || says("unexpected") && !says("expected `") {
        return None;
    }
    // `expected one of …, found …` names alternatives; the token that was found is not the missing one.
    let wanted = lower.split(" found ").next().unwrap_or(&lower);
    let wanted = wanted.split(", found").next().unwrap_or(wanted);
    let wanted = wanted.split(" before ").next().unwrap_or(wanted);
    if wanted.contains("one of") {
        // Of the tokens that can follow an entry of a list, only a comma allows the one that was found.
        let has = |sign: &str| wanted.contains(sign) && lower.contains(", found `");
        // `{` opens the body that can follow a list of bounds.
        let is_in_list = ["`)`", "`]`", "`}`", "`{`", "`>`"].iter().any(|closer| wanted.contains(closer));
        // A pattern that is a parameter needs a type.
        let is_pattern = wanted.contains("`@`") && wanted.contains("`|`");
        return match is_pattern {
            true => has("`:`").then_some(":"),
            false => (is_in_list && has("`,`")).then_some(","),
        };
    }
    if says("never closed") || says("not closed") || says("unclosed") {
        let opened = OPENERS.iter().filter(|(open, _)| message.contains(*open));
        let mut closers = opened.map(|(_, close)| *close);
        let closer = closers.next();
        return if closers.next().is_none() { closer } else { None };
    }
    let named = SIGNS.iter().filter(|(sign, names)| {
        let pairs = [("'", "'"), ("`", "`"), ("\"", "\""), ("‘", "’")];
        let quoted = pairs.iter().any(|(open, close)| wanted.contains(&format!("{open}{sign}{close}")));
        quoted || names.iter().any(|name| has_word(wanted, name))
    });
    let named: Vec<&str> = named.map(|(sign, _)| *sign).collect();
    match named.as_slice() {
        [one] => Some(one),
        // In a list of parameters.
        [";", ",", ")"] if wanted.contains("‘") => Some(","),
        // javac's words for what follows a parameter or an argument.
        [",", ")"] if wanted.contains('\'') => Some(","),
        // Where a list of declarators may continue, or begin behind a type, usually the `;` is missing.
        [";", "," | "("] if wanted.contains("‘") => Some(";"),
        _ => None,
    }
}
