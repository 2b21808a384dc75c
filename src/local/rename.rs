//! Renaming whole words.

use std::ops::Range;

use super::repeat::{Unrenamed, within};
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

/// Follows an instruction like [`rewrite`], in a range of a document: in code, what the range declares is renamed
/// where it is used there. `None` if the instruction is, or contains, anything else.
///
/// # Errors
///
/// Why the name is not changed.
pub fn rewrite_within(
    document: &Document,
    range: &Range<usize>,
    instruction: &str,
) -> Result<Option<String>, Unrenamed> {
    let code = document.slice(range.clone()).to_string();
    let Some(renames) = renames(instruction) else { return Ok(None) };
    if let Some((from, _)) = renames.iter().find(|(from, to)| from == to) {
        return Err(Unrenamed::Same((*from).to_owned()));
    }
    let Some(grammar) = document.grammar().filter(|it| it.names_functions()) else {
        let absent = renames.iter().find(|it| substitute(&code, &[**it]) == code);
        return match absent {
            Some((from, _)) => Err(Unrenamed::Absent((*from).to_owned())),
            None => Ok(Some(substitute(&code, &renames))),
        };
    };
    let mut edits = Vec::new();
    for (from, to) in renames {
        // These languages mark a variable with `$`, which is no part of its name.
        let is_marking = grammar.facts().isolated_functions || grammar.facts().shell;
        let bare = from.strip_prefix('$').zip(to.strip_prefix('$')).filter(|_| is_marking);
        let (from, to) = bare.unwrap_or((from, to));
        edits.extend(within(document, range, [from, to])?);
    }
    edits.sort_by_key(|edit| edit.span.start);
    if let Some((edit, _)) =
        edits.iter().zip(edits.iter().skip(1)).find(|(one, next)| next.span.start < one.span.end)
    {
        return Err(Unrenamed::Several(document.slice(edit.span.clone()).to_string()));
    }
    let moved = edits
        .into_iter()
        .map(|edit| Edit::new(edit.span.start - range.start..edit.span.end - range.start, edit.text));
    Ok(Some(apply(&code, &moved.collect::<Vec<Edit>>())))
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
    use crate::local::repeat;

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

    /// Checks what becomes of the lines between `ˇ`, or the reason why they stay.
    #[track_caller]
    fn check_within(language: &str, marked: &str, instruction: &str, expected: &str) {
        let parts: Vec<&str> = marked.split('ˇ').collect();
        let range = parts[0].len()..parts[0].len() + parts[1].len();
        let document = Document::new(DocumentId::new("a"), language, 0, &parts.concat());
        let made = rewrite_within(&document, &range, instruction);
        assert_eq!(made.map_or_else(|it| it.to_string(), Option::unwrap_or_default), expected, "{marked}");
    }

    #[test]
    fn what_the_lines_declare_is_renamed_where_it_is_used() {
        let check = |language: &str, marked: &str, expected: &str| {
            check_within(language, marked, "rename width to w", expected);
        };
        let js = "class Box {\nˇconstructor(width) {\n  this.width = width;\n}\nˇ}\n";
        check("javascript", js, "constructor(w) {\n  this.width = w;\n}\n");
        let python = "class Box:\nˇ    def __init__(self, width):\n        self.width = width * 2\nˇ";
        check("python", python, "    def __init__(self, w):\n        self.width = w * 2\n");
        let rust = "ˇfn new(width: u32) -> Self {\n    Self { width, depth: width }\n}\nˇ";
        check("rust", rust, "fn new(w: u32) -> Self {\n    Self { width: w, depth: w }\n}\n");
        check(
            "rust",
            "ˇfn f(width: u32) -> u32 {\n    width // width\n}\nˇ",
            "fn f(w: u32) -> u32 {\n    w // width\n}\n",
        );
        check(
            "python",
            "ˇdef f(width):\n    g(width, width=width, row[\"width\"])\n    return width\nˇ",
            "def f(w):\n    g(w, width=w, row[\"width\"])\n    return w\n",
        );
        check(
            "rust",
            "ˇstruct Box {\n    width: u32,\n}\nˇfn f(it: Box) {}\n",
            "struct Box {\n    w: u32,\n}\n",
        );
        check("python", "ˇwidth = 1\nwidth = width + 1\nˇprint(width)\n", "w = 1\nw = w + 1\n");
        check(
            "python",
            "ˇclass A:\n    def __init__(self):\n        self.width = 1\n    def f(self):\n        return self.width\nˇ",
            "class A:\n    def __init__(self):\n        self.w = 1\n    def f(self):\n        return self.w\n",
        );
        check("", "ˇthe width of widthsˇ", "the w of widths");
        check("yaml", "ˇwidth: 1\nˇheight: width\n", "w: 1\n");
        check_within(
            "php",
            "<?php\nˇfunction f($width) {\n    return $width;\n}\nˇ",
            "rename $width to $w",
            "function f($w) {\n    return $w;\n}\n",
        );
        check_within(
            "rust",
            "ˇfn f(a: u8, b: u8) -> u8 {\n    a - b\n}\nˇ",
            "rename a to x and b to y",
            "fn f(x: u8, y: u8) -> u8 {\n    x - y\n}\n",
        );
    }

    #[test]
    fn rename_that_would_change_what_code_means_is_refused() {
        let check = |language: &str, marked: &str, instruction: &str, expected: &str| {
            let expected = match expected {
                "taken" => {
                    let (from, to) = renames(instruction).unwrap()[0];
                    format!(
                        "`{to}` already has a meaning here: rename `{from}` with your language server, or choose another name"
                    )
                }
                "undeclared" => {
                    let (from, _) = renames(instruction).unwrap()[0];
                    Unrenamed::Undeclared(from.to_owned()).to_string()
                }
                it => it.to_owned(),
            };
            check_within(language, marked, instruction, &expected);
        };
        for (language, taken) in [
            ("python", "ˇdef f(a, b):\n    return a - b\nˇ"),
            ("python", "ˇdef f(b, a):\n    return b - a\nˇ"),
            ("python", "from x import b\n\n\nˇdef f(a):\n    return b(a)\nˇ"),
            ("python", "from x import b\n\n\nˇdef a():\n    passˇ\n"),
            ("python", "ˇdef a():\n    pass\nˇ\n\ndef b():\n    pass\n"),
            ("rust", "ˇfn f(a: u8, b: u8) -> u8 {\n    a - b\n}\nˇ"),
            ("rust", "use x::b;\nˇfn a() {}\nˇ"),
            ("rust", "ˇfn f() {\n    let b = 1;\n    let a = 2;\n    g(a, b);\n}\nˇ"),
            ("rust", "ˇstruct S {\n    a: u8,\n    b: u8,\n}\nˇ"),
            ("rust", "struct S;\nimpl S {\nˇ    fn a() {}\nˇ}\nimpl S {\n    fn b() {}\n}\n"),
            ("go", "package x\n\nˇfunc f(a int) int {\n\tb := 1\n\treturn a + b\n}\nˇ"),
            ("java", "class X {\n    int b;\nˇ    int f(int a) {\n        return a + b;\n    }\nˇ}\n"),
        ] {
            check(language, taken, "rename a to b", "taken");
        }
        check("python", "ˇa, b = 1, 2\nˇ", "rename a to b and b to a", "taken");
        for (language, to) in [
            ("rust", "9"),
            ("rust", "Self"),
            ("rust", "_"),
            ("rust", "fn"),
            ("python", "None"),
            ("python", "class"),
            ("go", "nil"),
            ("java", "this"),
        ] {
            let declares = match language {
                "python" => "ˇa = 1\nˇ",
                "go" => "package x\n\nˇvar a = 1\nˇ",
                "java" => "class X {\nˇ    int a;\nˇ}\n",
                _ => "ˇconst a: u8 = 1;\nˇ",
            };
            let none = format!("`{to}` cannot be a name here; choose another one");
            check(language, declares, &format!("rename a to {to}"), &none);
        }
        check(
            "python",
            "ˇfrom a import load\n\nload()\nˇ",
            "rename load to read",
            &Unrenamed::Imported("load".to_owned()).to_string(),
        );
        check(
            "go",
            "package x\n\nimport \"fmt\"\n\nˇfunc f() {\n\tfmt.Println()\n}\nˇ",
            "rename Println to Print",
            "undeclared",
        );
        check("rust", "ˇfn f() {\n    HashMap::new();\n}\nˇ", "rename new to make", "undeclared");
        check("rust", "fn f() {\nˇ    a.width + b.width;\nˇ}\n", "rename width to w", "undeclared");
        check("python", "ˇdef f():\n    \"width\" # width\nˇ", "rename width to w", "undeclared");
        check(
            "rust",
            "ˇfn f(width: u32) {\nˇ    g(width);\n}\n",
            "rename width to w",
            "line 2, outside of these lines, uses `width` too; choose lines that hold all of its uses",
        );
        let member = "class A:\n    def __init__(self):\nˇ        self.width = 1\nˇ    def f(self):\n        return self.width\n";
        let beyond =
            "line 5, outside of these lines, uses `width` too; choose lines that hold all of its uses";
        check("python", member, "rename width to w", beyond);
        check(
            "rust",
            "ˇfn f(width: u32) {}\nfn g(width: u32) {}\nˇ",
            "rename width to w",
            "these lines declare several things called `width`; choose the lines of one of them",
        );
        let calls = "ˇdef f(width):\n    return width\nˇ\nf(width=1)\n";
        check("python", calls, "rename width to w", &repeat::Unsure::Uses("width".to_owned()).to_string());
        let object = "ˇclass A:\n    def __init__(self, o):\n        self.width = o.width\nˇ";
        check("python", object, "rename width to w", &repeat::Unsure::Uses("width".to_owned()).to_string());
        check("rust", "ˇfn f() {}\nˇ", "rename nosuch to w", "`nosuch` does not occur in these lines");
        check("", "ˇwords\nˇ", "rename nosuch to w", "`nosuch` does not occur in these lines");
        check("rust", "ˇfn f() {}\nˇ", "rename f to f", "`f` has this name already");
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
