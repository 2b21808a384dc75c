//! Strings of several lines, in which blanks are content: their lines have no indentation.
//!
//! Code that moves to another column leaves them as they are, unless it shows that it moved before with them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Tree;

use super::check::MOST_PARSED;
use super::line;
use super::normalize::surroundings::Surroundings;
use crate::budget;
use crate::grammar::Grammar;

/// The strings of several lines, outermost first, and the code embedded in them; both in order.
#[derive(Default)]
pub(super) struct Strings {
    strings: Vec<Range<usize>>,
    code: Vec<Range<usize>>,
}

impl Strings {
    /// A docstring is prose for people.
    pub(super) fn of(tree: &Tree) -> Self {
        let mut found = Self::default();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            budget::charge(1);
            let (kind, span) = (node.kind(), node.byte_range());
            let has_lines = node.end_position().row > node.start_position().row;
            let is = |parts: &[&str]| parts.iter().any(|it| kind.contains(it));
            let is_docstring = kind == "expression_statement"
                && node.named_child_count() == 1
                && node.named_child(0).is_some_and(|it| it.kind() == "string");
            // Strings side by side, each on a line of its own, are code.
            let is_several = is(&["concatenated", "chained"]);
            if has_lines && !is_several && is(&["string", "heredoc", "nowdoc"]) {
                if found.strings.last().is_none_or(|last| last.end <= span.start) {
                    found.strings.push(span);
                }
            } else if has_lines && is(&["interpolation", "substitution", "expansion"]) {
                found.code.push(span);
            }
            if has_lines && !is_docstring && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    fn of_code(grammar: &Grammar, code: &str) -> Self {
        if code.len() > MOST_PARSED {
            return Self::default();
        }
        grammar.parse_str(code).map(|tree| Self::of(&tree)).unwrap_or_default()
    }

    /// The string that begins above the line at `start` and contains its first character.
    pub(super) fn around(&self, start: usize) -> Option<&Range<usize>> {
        let last =
            |spans: &'_ [Range<usize>]| spans.partition_point(|span| span.start < start).checked_sub(1);
        let string = last(&self.strings).map(|at| &self.strings[at]).filter(|span| start < span.end)?;
        let is_code = last(&self.code).is_some_and(|at| start < self.code[at].end);
        (!is_code).then_some(string)
    }
}

/// Whether the language takes the blanks that all lines of a string begin with away: Ruby's `<<~`.
pub(super) fn loses_indentation(text: &str, string: &Range<usize>) -> bool {
    opener(text, string).contains("<<~")
}

/// The line that a string begins on.
fn opener<'t>(text: &'t str, string: &Range<usize>) -> &'t str {
    let start = text[..string.start].rfind('\n').map_or(0, |at| at + 1);
    line::first_partial(&text[start..])
}

/// The strings of some code that keep their blanks when the code moves, where `old` is the text that it may replace.
///
/// A line that is in the old text as well shows it. Without one, text that is less indented than the statement that it
/// belongs to can hardly have been moved along, and the word that ends a here-document must be in column zero.
pub(super) fn fixed(grammar: Option<&Grammar>, code: &str, old: &str) -> Vec<Range<usize>> {
    let Some(grammar) = grammar.filter(|it| !it.is_prose()) else { return Vec::new() };
    let all = Strings::of_code(grammar, code);
    if all.strings.is_empty() {
        return Vec::new();
    }
    let known: HashSet<&str> = line::split_iter(old).map(str::trim_end).collect();
    let known_texts: HashSet<&str> = known.iter().map(|line| line.trim_start()).collect();
    let text_of = |string: &Range<usize>| {
        let opener = opener(code, string);
        let is_document = code[string.start..].starts_with("<<") || opener.contains("<<");
        let may_close_anywhere = is_document && ["<<-", "<<~", "<<<"].iter().any(|it| opener.contains(it));
        let text = &code[string.clone()];
        let last = text.trim_end().rfind('\n').filter(|_| may_close_anywhere).unwrap_or(text.len());
        let text = string.start..string.start + last;
        is_fixed(&all, code, &text, is_document && !may_close_anywhere, [&known, &known_texts])
            .then_some(text)
    };
    all.strings.iter().filter_map(text_of).collect()
}

/// Whether the lines of a string stay where they are. `ends_in_column` if the last one must be in column zero.
fn is_fixed(
    all: &Strings,
    code: &str,
    string: &Range<usize>,
    ends_in_column: bool,
    [known, known_texts]: [&HashSet<&str>; 2],
) -> bool {
    let (mut kept, mut moved, mut least) = (0, 0, usize::MAX);
    let mut start = string.start + line::first_end(&code[string.start..]);
    while start < string.end {
        let line = line::first_partial(&code[start..]);
        if all.around(start).is_some() && !line::is_blank(line) {
            least = least.min(line::indent(line).len());
            if line.contains(char::is_alphanumeric) {
                let is_kept = known.contains(line.trim_end());
                kept += usize::from(is_kept);
                moved += usize::from(!is_kept && known_texts.contains(line.trim()));
            }
        }
        start += line::first_end(&code[start..]).max(1);
    }
    let is_outside = least < line::indent(opener(code, string)).len() || ends_in_column && least == 0;
    moved == 0 && (kept > 0 || is_outside)
}

/// The signs that stand for line ends inside of strings, which no text has.
const ENDS: [(&str, &str); 3] = [("\r\n", "\u{f8d0}"), ("\n", "\u{f8d1}"), ("\r", "\u{f8d2}")];

/// Some code and its place, in which each fixed string is on one line.
///
/// What looks at indentation then sees the line of code that a string belongs to, and none of its text.
pub(super) struct OneLine<'a> {
    pub(super) code: Cow<'a, str>,
    before: Cow<'a, str>,
    range: Cow<'a, str>,
    after: Cow<'a, str>,
}

impl<'a> OneLine<'a> {
    pub(super) fn of(grammar: Option<&Grammar>, code: &'a str, place: Surroundings<'a>) -> Self {
        let [before, range, after] = [place.before, place.range, place.after].map(Cow::Borrowed);
        let apart = Self { code: Cow::Borrowed(code), before, range, after };
        let strings = fixed(grammar, code, place.range);
        let texts = [code, place.before, place.range, place.after];
        if strings.is_empty() || ENDS.iter().any(|(_, sign)| texts.iter().any(|text| text.contains(sign))) {
            return apart;
        }
        let Some(grammar) = grammar else { return apart };
        let whole = texts[1..].concat();
        let old = Strings::of_code(grammar, &whole).strings;
        let mut start = 0;
        let [before, range, after] = [place.before, place.range, place.after].map(|part| {
            let end = start + part.len();
            let inside = old.iter().filter(|it| start <= it.start && it.end <= end);
            let inside: Vec<_> = inside.map(|it| it.start - start..it.end - start).collect();
            start = end;
            Cow::Owned(joined(part, &inside))
        });
        Self { code: Cow::Owned(joined(code, &strings)), before, range, after }
    }

    pub(super) fn place(&self) -> Surroundings<'_> {
        Surroundings { before: &self.before, range: &self.range, after: &self.after }
    }
}

/// Returns a text with some strings on one line each.
fn joined(text: &str, strings: &[Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 16);
    let mut done = 0;
    for string in strings {
        result.push_str(&text[done..string.start]);
        let [first, second, third] = ENDS;
        let inside = text[string.clone()].replace(first.0, first.1);
        result.push_str(&inside.replace(second.0, second.1).replace(third.0, third.1));
        done = string.end;
    }
    result + &text[done..]
}

/// Returns a text with the line ends of its strings.
pub(super) fn split(text: String) -> String {
    match ENDS.iter().any(|(_, sign)| text.contains(sign)) {
        true => ENDS.iter().fold(text, |text, (end, sign)| text.replace(sign, end)),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept, apply};
    use crate::grammar;

    /// Checks what some code, in a fence or as a block, makes of the range between `«` and `»`: its new text.
    #[track_caller]
    fn check(language: &str, marked: &str, code: &str, expected: &str) {
        let range = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let text = &marked.replace(['«', '»'], "");
        let shown: String =
            text[range.clone()].lines().map(|line| format!("{}\n", line.trim_start())).collect();
        let is_flat = text[range.clone()].lines().count() == 1;
        let block = format!("<<<<<<< SEARCH\n{shown}=======\n{code}>>>>>>> REPLACE\n");
        for reply in
            [Some(format!("```\n{code}```\n")), Some(block).filter(|_| is_flat)].into_iter().flatten()
        {
            let grammar = grammar::by_language_id(language);
            let request = Request { text, range: Some(range.clone()), grammar, ..Request::default() };
            let outcome = match accept(&request, &reply) {
                Ok(accepted) => {
                    let new = apply(text, &accepted.edits);
                    new[range.start..new.len() - (text.len() - range.end)].to_owned()
                }
                Err(refusal) => format!("refused: {}", refusal.code()),
            };
            assert_eq!(outcome, expected, "{reply}");
        }
    }

    #[test]
    fn text_less_indented_than_its_statement_stays() {
        let python = "class A:\n    def f(self):\n«        return 1\n»";
        check(
            "python",
            python,
            "if b:\n    return \"\"\"c\nd\n  e\"\"\"\n",
            "        if b:\n            return \"\"\"c\nd\n  e\"\"\"\n",
        );
        check("python", python, "if b:\n    return \"\"\"c\n      d\n    \"\"\"\n", "refused: malformed");
        let rust = "impl A {\n    fn f() {\n«        g();\n»    }\n}\n";
        check(
            "rust",
            rust,
            "if b {\n    h(r#\"\ni\n  j\n\"#);\n}\n",
            "        if b {\n            h(r#\"\ni\n  j\n\"#);\n        }\n",
        );
        let shell = "f() {\n«  echo done\n»}\n";
        check(
            "bash",
            shell,
            "cat <<END\na\n  b\nEND\necho done\n",
            "  cat <<END\na\n  b\nEND\n  echo done\n",
        );
        let ruby = "class A\n  def f\n«    1\n»  end\nend\n";
        check("ruby", ruby, "g(<<A)\nb\n  c\nA\nd\n", "    g(<<A)\nb\n  c\nA\n    d\n");
        check("ruby", ruby, "g(<<~A)\n  b\n    c\nA\nd\n", "    g(<<~A)\n      b\n        c\n    A\n    d\n");
    }

    #[test]
    fn old_lines_show_whether_a_string_moved() {
        let file = "class A {\n«  f() {\n    return `\n    a\n      b\n`;\n  }\n»}\n";
        check(
            "typescript",
            file,
            "f() {\n  return `\n    a\n      c\n`;\n}\n",
            "  f() {\n    return `\n    a\n      c\n`;\n  }\n",
        );
        let ruby = "class A\n«  def f\n    g(<<-A)\n  b\n    A\n  end\n»end\n";
        check(
            "ruby",
            ruby,
            "def f\n  g(<<-A)\n  b\n  c\n  A\nend\n",
            "  def f\n    g(<<-A)\n  b\n  c\n    A\n  end\n",
        );
    }

    #[test]
    fn strings_hide_no_unit_of_indentation() {
        let go = "package a\n\n«func f() string {\n\tif b {\n\t\treturn `\nc\n   d\n`\n\t}\n\treturn e\n}\n»";
        let reply = "func f() string {\n    if b {\n        return `\nc\n   x\n`\n    }\n    return e\n}\n";
        let expected = "func f() string {\n\tif b {\n\t\treturn `\nc\n   x\n`\n\t}\n\treturn e\n}\n";
        check("go", go, reply, expected);
    }
}
