//! Renaming whole words.

use std::ops::Range;

use super::repeat::rename::{Ambiguous, within};
use crate::document::Document;
use crate::edit::{Edit, apply};
use crate::text::ident::{is_part, is_part_or_dollar};

/// Words that may appear between `rename` and the name: `rename the field a to b`.
const NOUNS: [&str; 16] = [
    "the",
    "variable",
    "local",
    "function",
    "method",
    "field",
    "property",
    "parameter",
    "argument",
    "constant",
    "struct",
    "enum",
    "class",
    "type",
    "symbol",
    "identifier",
];

/// Renames every whole word `from` in a text to `to`.
///
/// A word is a run of letters, digits and `_`, and of `$` if `from` has one. Words in strings and comments are
/// renamed too: the text is not parsed.
pub fn rename(range: &str, from: &str, to: &str) -> String {
    substitute(range, &[(from, to)])
}

/// Whether [`rewrite`] can follow an instruction.
pub fn understands(instruction: &str) -> bool {
    renames(instruction).is_some()
}

/// Follows an instruction like [`rewrite`], in a range of a document: a name with several meanings there is
/// renamed only where it refers to what is declared there.
///
/// # Errors
///
/// [`Ambiguous`] if it is not certain which occurrences are meant.
pub fn rewrite_within(
    document: &Document,
    range: &Range<usize>,
    instruction: &str,
) -> Result<Option<String>, Ambiguous> {
    let code = document.slice(range.clone()).to_string();
    let Some(renames) = renames(instruction) else { return Ok(None) };
    let mut edits = Vec::new();
    for (from, to) in &renames {
        edits.push(within(document, range, from, to)?);
    }
    match (edits.pop(), edits.iter().all(Option::is_none)) {
        // Several renames may swap names: they are made only where each name has one meaning.
        (Some(Some(edits)), true) if renames.len() == 1 => {
            let moved = edits
                .into_iter()
                .map(|edit| Edit::new(edit.span.start - range.start..edit.span.end - range.start, edit.text));
            let mut moved: Vec<Edit> = moved.collect();
            moved.sort_by_key(|edit| edit.span.start);
            Ok(Some(apply(&code, &moved)))
        }
        (Some(None), true) => Ok(rewrite(&code, instruction)),
        _ => Err(Ambiguous),
    }
}

/// Follows `rename A to B`: names may be in quotes or backticks, and several renames may be joined by `and` or
/// by a comma; they are simultaneous, so that two names can be swapped.
///
/// `None` if the instruction is, or contains, anything else, or if none of the names occurs in the text.
pub fn rewrite(range: &str, instruction: &str) -> Option<String> {
    let renamed = substitute(range, &renames(instruction)?);
    (renamed != range).then_some(renamed)
}

fn substitute(text: &str, renames: &[(&str, &str)]) -> String {
    let dollar = renames.iter().any(|(from, _)| from.contains('$'));
    let is_word = if dollar { is_part_or_dollar } else { is_part };
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (gap, tail) = rest.split_at(start);
        let (word, tail) = tail.split_at(tail.find(|c| !is_word(c)).unwrap_or(tail.len()));
        let rename = renames.iter().find(|(from, _)| *from == word);
        renamed.push_str(gap);
        renamed.push_str(rename.map_or(word, |(_, to)| to));
        rest = tail;
    }
    renamed + rest
}

/// The renames that an instruction asks for, if it asks for nothing else.
fn renames(instruction: &str) -> Option<Vec<(&str, &str)>> {
    let spaced: Vec<&str> = instruction.split_whitespace().flat_map(parts).collect();
    let is = |word: &&str, expected: &str| word.eq_ignore_ascii_case(expected);
    let mut words = spaced.iter().peekable();
    words.next_if(|word| is(word, "please"));
    let mut renames = Vec::new();
    loop {
        if words.next_if(|word| is(word, "rename")).is_none() && renames.is_empty() {
            return None;
        }
        let mut from = words.next()?;
        while words.peek().is_some_and(|word| !is(word, "to")) && NOUNS.iter().any(|noun| is(from, noun)) {
            from = words.next()?;
        }
        words.next_if(|word| is(word, "to"))?;
        renames.push((name(from)?, name(words.next()?)?));
        let mut joined = false;
        while words.next_if(|word| is(word, "and") || **word == ",").is_some() {
            joined = true;
        }
        match (words.peek(), joined) {
            (None, _) => return Some(renames),
            (Some(_), true) => {}
            (Some(_), false) => return None,
        }
    }
}

/// Separates trailing commas from words.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let (word, comma) = match word.strip_suffix([',', ';']) {
        Some(word) => (word, Some(",")),
        None => (word, None),
    };
    (!word.is_empty()).then_some(word).into_iter().chain(comma)
}

/// The name in a word, without quotes and a trailing full stop.
fn name(word: &str) -> Option<&str> {
    let bare = word.trim_end_matches('.').trim_matches(['`', '\'', '"']);
    (!bare.is_empty() && bare.chars().all(is_part_or_dollar)).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn renames_whole_words_only() {
        let check = |range: &str, from: &str, to: &str, expected: &str| {
            assert_eq!(rename(range, from, to), expected);
        };
        check("a.b(a, ab, a_b, ba); a", "a", "x", "x.b(x, ab, a_b, ba); x");
        check("größe + größer", "größe", "n", "n + größer");
        check("$a = $ab + a;", "$a", "$x", "$x = $ab + a;");
        check("no such word", "such_word", "x", "no such word");
        check("anything", "", "x", "anything");
    }

    #[test]
    fn name_that_means_several_things_is_renamed_where_it_is_declared() {
        let check = |language: &str, marked: &str, expected: &str| {
            let parts: Vec<&str> = marked.split('ˇ').collect();
            let range = parts[0].len()..parts[0].len() + parts[1].len();
            let document = Document::new(DocumentId::new("a"), language, 0, &parts.concat());
            let made = rewrite_within(&document, &range, "rename width to w");
            assert_eq!(
                made.map_or_else(|it| it.to_string(), Option::unwrap_or_default),
                expected,
                "{marked}"
            );
        };
        let ambiguous = Ambiguous.to_string();
        let class = |body: &str| format!("class Box {{\n{body}}}\n");
        let js = "ˇconstructor(width) {\n  this.width = width;\n}\nˇ";
        check("javascript", &class(js), "constructor(w) {\n  this.width = w;\n}\n");
        let python = "class Box:\nˇ    def __init__(self, width):\n        self.width = width * 2\nˇ";
        check("python", python, "    def __init__(self, w):\n        self.width = w * 2\n");
        let rust = "ˇfn new(width: u32) -> Self {\n    Self { width, depth: width }\n}\nˇ";
        check("rust", rust, "fn new(w: u32) -> Self {\n    Self { width: w, depth: w }\n}\n");
        // The instruction does not state which one.
        check("rust", "fn f(width: u32) {\nˇ    self.width = width;\nˇ}\n", &ambiguous);
        // A single kind, with its noun.
        check(
            "rust",
            "ˇfn f(width: u32) -> u32 {\n    width // width\n}\nˇ",
            "fn f(w: u32) -> u32 {\n    w // w\n}\n",
        );
        check("rust", "fn f() {\nˇ    a.width + b.width;\nˇ}\n", "    a.w + b.w;\n");
        check("", "ˇthe width of widthsˇ", "the w of widths");
    }

    #[test]
    fn obeys_instructions_to_rename() {
        let check = |range: &str, instruction: &str, expected: Option<&str>| {
            assert_eq!(rewrite(range, instruction).as_deref(), expected, "{instruction}");
        };
        check("let n = n + 1;", "rename n to count", Some("let count = count + 1;"));
        check("let n = 1;", "Please rename `n` to `count`.", Some("let count = 1;"));
        check("let n = 1;", "rename the variable \"n\" to 'count'", Some("let count = 1;"));
        check("let type_ = to;", "rename to to target", Some("let type_ = target;"));
        check("x(type)", "rename type to kind", Some("x(kind)"));
        check("a, b, c", "rename a to x, b to y and rename c to z", Some("x, y, z"));
        check("a, b", "rename a to b and b to a", Some("b, a"));
        check("let n = 1;", "rename n to count and add a comment", None);
        check("let n = 1;", "rename n", None);
        check("let n = 1;", "rename m to count", None);
        check("let n = 1;", "make it faster", None);
        check("let n = 1;", "", None);
    }
}
