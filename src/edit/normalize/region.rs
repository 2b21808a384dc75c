//! Reads the new text of a range of whole lines.

use std::borrow::Cow;
use std::collections::HashSet;

use super::surroundings::{Surroundings, with_ends_of};
use super::{indent_unit, overlap, partial, preserve, reindent, whole, wrapping};
use crate::edit::check::{is_comment, repetition};
use crate::edit::{Refusal, line, strings};
use crate::grammar::Grammar;
use crate::text::ident;

/// Number of lines around a range that an answer may repeat in another column.
const NEARBY: usize = 3;

/// The marker for a reply without changes.
pub(crate) const NO_EDITS: &str = "NO_EDITS";

/// Converts the code in an answer into the range's new text.
///
/// It is an error if the code leaves lines out, repeats itself, or changes more than the range.
pub(in crate::edit) fn fit(
    code: &str,
    place: Surroundings<'_>,
    grammar: Option<&Grammar>,
) -> Result<String, Refusal> {
    // The byte-order mark belongs to the file, before every range.
    let code = code.trim_start_matches('\u{feff}');
    if line::is_blank(code) && !line::is_blank(place.range) {
        return Err(Refusal::Empty);
    }
    if repetition::loops(code) && ![place.range, place.before, place.after].into_iter().any(repetition::loops)
    {
        return Err(Refusal::Repetition);
    }
    let code = wrapping::unwrap_code(code, place.range)?;
    if let Some(import) = outer_import(&code, place.range) {
        return Err(Refusal::malformed(format!("`{import}` belongs above the range")));
    }
    let code = inner_of_whole_file(&code, place)?;
    let code = without_head_of_file(code, place)?;
    outside_lines(&code, place)?;
    let code = whole::rebuild(&code, place.range, &[place.before, place.after])?.unwrap_or(code);
    let code = in_columns_of_file(&strings::OneLine::of(grammar, &code, place))?;
    partial::too_little(&code, place.range)?;
    let code = with_ends_of(&code, place);
    preserve::spelled(place.range, &code)
}

/// Returns an import above code that is deeper than it, for a range that has no import and is not in the first column.
fn outer_import<'c>(code: &'c str, range: &'c str) -> Option<&'c str> {
    const WORDS: [&str; 5] = ["#include ", "from ", "import ", "use ", "using "];
    let is_import = |line: &&str| WORDS.iter().any(|word| line.trim_start().starts_with(word));
    let visible = |text| line::split_iter(text).filter(|line: &&str| !line::is_blank(line));
    let is_deep = visible(range).all(|line| line.starts_with([' ', '\t']));
    let first = visible(code).next().filter(is_import)?;
    let rest = visible(code).find(|line| !is_import(line))?;
    let is_outer = line::indent(rest).len() > line::indent(first).len();
    (is_deep && is_outer && !visible(range).any(|line| is_import(&line))).then_some(first.trim())
}

/// Code without the package, imports and includes above it that the file has above the range.
///
/// A model that is asked for a function often writes what it needs above it.
///
/// The error is [`Refusal::Malformed`] if the file lacks one of them, and it cannot be in the place of the
/// range: behind a comment or an attribute, or in a language such as Go, whose imports follow the package.
fn without_head_of_file(code: String, place: Surroundings<'_>) -> Result<String, Refusal> {
    let lines: Vec<&str> = line::split_iter(&code).collect();
    let visible = |text: &'_ str| line::split_iter(text).any(|line| !line::is_blank(line));
    let first = lines.iter().find(|line| !line::is_blank(line));
    if !first.is_some_and(|line| heads_file(line))
        || !visible(place.before)
        || line::split_iter(place.range).any(heads_file)
    {
        return Ok(code);
    }
    let (mut end, mut is_open) = (0, false);
    let mut head = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if is_open || heads_file(line) {
            is_open = text.ends_with('(') || is_open && !text.starts_with(')');
            head.push(text);
        } else if !text.is_empty() {
            break;
        }
        end = at + 1;
    }
    let known: HashSet<&str> = line::split_iter(place.before).map(str::trim).collect();
    // The lines above the range, or more of what is above it, are repeated as they are.
    let above = line::split_iter(place.before).map(str::trim).filter(|line| !line.is_empty()).last();
    if above == head.last().copied() || lines.get(end).is_some_and(|line| known.contains(line.trim())) {
        return Ok(code);
    }
    let Some(missing) = head.iter().find(|line| !known.contains(**line)) else {
        return Ok(lines[end..].concat());
    };
    let is_attached =
        above.is_some_and(|line| is_comment(line) || line.starts_with(['@', '*']) || line.starts_with("#["));
    let is_first =
        head.iter().any(|line| ["package ", "from __future__"].iter().any(|it| line.starts_with(it)))
            || known.iter().any(|line| line.starts_with("package ") && !line.ends_with(';'));
    match is_attached || is_first {
        true => Err(Refusal::malformed(format!("`{missing}` belongs above the range"))),
        false => Ok(code),
    }
}

/// Whether a line in the first column is of those that a file begins with.
fn heads_file(line: &str) -> bool {
    const WORDS: [&str; 6] = ["#include ", "from ", "import ", "package ", "use ", "using "];
    // `from` and `use` also begin sentences.
    let ends = |line: &str| !line.trim_end().ends_with(['.', ':']);
    WORDS.iter().any(|word| line.starts_with(word)) && ends(line)
}

/// Refuses code with the first line of the file of which most lines are those around the range: another whole file.
fn outside_lines(code: &str, place: Surroundings<'_>) -> Result<(), Refusal> {
    const SEVERAL: usize = 8;
    let telling = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| whole::is_telling(line));
    if telling(code).nth(SEVERAL).is_none() {
        return Ok(());
    }
    let first = telling(place.before).next();
    if first.is_none() || !telling(code).any(|line| Some(line) == first) {
        return Ok(());
    }
    let own: HashSet<&str> = telling(place.range).collect();
    let around: HashSet<&str> = telling(place.before).chain(telling(place.after)).collect();
    let new: Vec<&str> = telling(code).filter(|line| !own.contains(line)).collect();
    let outside = new.iter().filter(|line| around.contains(**line)).count();
    match outside >= SEVERAL && outside * 2 > telling(code).count() {
        true => Err(Refusal::malformed(format!("{outside} of its lines are outside of the range"))),
        false => Ok(()),
    }
}

/// Converts the code to the file's unit of indentation, and moves it to its place.
fn in_columns_of_file(all: &strings::OneLine<'_>) -> Result<String, Refusal> {
    let place = all.place();
    let around = [place.before, place.after];
    let code = indent_unit::convert_indent_unit(&all.code, place.range, &around)?;
    let code = code.as_deref().unwrap_or(&all.code);
    Ok(strings::split(settle(&with_lines_above(code, place)?, place)))
}

/// Moves code that begins with the lines directly above the range, in another column, to the column of those lines.
///
/// In the column of the range, it would repeat them within themselves, so they have to go.
///
/// The error is [`Refusal::Doubled`] if they cannot go, as code that they open is closed behind them.
fn with_lines_above<'c>(code: &'c str, place: Surroundings<'_>) -> Result<Cow<'c, str>, Refusal> {
    let (lines, above) = (reindent::split_indents(code), line::last(place.before, NEARBY).concat());
    let (above, range) = (reindent::split_indents(&above), reindent::split_indents(place.range));
    let texts = |lines: &[reindent::IndentedLine<'_>]| -> Vec<String> {
        lines.iter().map(|(_, text)| (*text).to_owned()).collect()
    };
    let repeats = |n: &usize| texts(&above).ends_with(&texts(&lines[..*n]));
    let repeated = (1..=lines.len().min(above.len())).rfind(repeats);
    let (Some(count), Some(own)) = (repeated.filter(|count| *count < lines.len()), range.first()) else {
        return Ok(code.into());
    };
    let (first, file) = (lines[0], above[above.len() - count]);
    if first.0 == file.0 || own.1 == first.1 || ident::words(first.1).nth(1).is_none() {
        return Ok(code.into());
    }
    let is_first_alone = lines[count].0 == own.0;
    let mut seen = 0;
    let moved = line::split_iter(code).map(|line| {
        let is_above = seen < count;
        seen += usize::from(!line::is_blank(line));
        match (file.0.strip_suffix(first.0), first.0.strip_suffix(file.0)) {
            _ if line::is_blank(line) || is_first_alone && !is_above => Some(line.to_owned()),
            _ if is_first_alone => {
                Some(format!("{}{}", above[above.len() - count + seen - 1].0, line.trim_start()))
            }
            (Some(put), _) => Some(format!("{put}{line}")),
            (_, Some(cut)) => line.strip_prefix(cut).map(str::to_owned),
            _ => None,
        }
    });
    let doubled = || Refusal::Doubled { line: first.1.to_owned() };
    let moved: String = moved.collect::<Option<_>>().ok_or_else(doubled)?;
    let (text, _) = overlap::drop(&moved, place).ok_or_else(doubled)?;
    let begins = reindent::split_indents(&text).first().map(|line| line.1) == Some(first.1);
    if begins { Err(doubled()) } else { Ok(text.into()) }
}

/// Moves the code to the range's column and drops repeated lines from around the range.
///
/// Chooses the result that changes the range least. Code that repeats its surroundings is also aligned with
/// those lines (the classes `region outdented` and `region overlap`).
fn settle(code: &str, place: Surroundings<'_>) -> String {
    // Code that begins with the very line above is in the file's columns.
    let first = line::split_iter(code).next().map(str::trim_end).filter(|line| !line.is_empty());
    if first.is_some()
        && first == line::last(place.before, 1).first().map(|line| line.trim_end())
        && let Some((text, _)) = overlap::drop(code, place)
    {
        return text;
    }
    let above: String = line::last(place.before, NEARBY).concat();
    let below: String = line::split_iter(place.after).take(NEARBY).collect();
    let code = &*reindent::without_flush(code, place.range, [&above, &below])
        .map_or(Cow::Borrowed(code), Cow::Owned);
    let moved = reindent::reindent_to(code, place.range);
    let among = reindent::reindent_to(code, &[&above, place.range, &below].concat());
    let own = overlap::drop(&moved, place);
    let least = own.as_ref().map_or_else(|| overlap::size(&moved, place.range), |(_, size)| *size);
    let other = overlap::drop(&among, place).filter(|(_, size)| *size < least);
    other.or(own).map_or(moved, |(text, _)| text)
}

/// Returns the range's part if the answer is the whole file.
///
/// The classes are `region as a whole file` and `whole file with a change outside`.
fn inner_of_whole_file(code: &str, place: Surroundings<'_>) -> Result<String, Refusal> {
    // Code that is much shorter than the surroundings does not repeat them.
    if code.len() * 2 < place.before.len() + place.after.len() {
        return Ok(code.to_owned());
    }
    let lines =
        |text: &'_ str| line::split_iter(text).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (before, after, answer) = (lines(place.before), lines(place.after), lines(code));
    let around = before.len() + after.len();
    if around == 0 || answer.len() < around {
        return Ok(code.to_owned());
    }
    let known: HashSet<&String> = before.iter().chain(&after).filter(|line| !line.is_empty()).collect();
    let there: HashSet<&String> = answer.iter().collect();
    // Nearly all lines around the range must recur, not only a few that it shares with them.
    let back = known.iter().filter(|line| there.contains(*line)).count();
    if known.len() < 3 || back * 10 < known.len() * 8 {
        return Ok(code.to_owned());
    }
    if let Some(at) = (0..before.len()).find(|&at| before[at] != answer[at]) {
        return Err(Refusal::OutOfScope { line: at + 1 });
    }
    let tail = &answer[answer.len() - after.len()..];
    if let Some(at) = (0..after.len()).find(|&at| after[at] != tail[at]) {
        let range = line::split_iter(place.range).count();
        return Err(Refusal::OutOfScope { line: before.len() + range + at + 1 });
    }
    let all: Vec<&str> = line::split_iter(code).collect();
    Ok(all[before.len()..all.len() - after.len()].concat())
}

#[cfg(test)]
mod tests {
    use crate::edit::parse::read;
    use crate::edit::{Flag, Request, apply};

    #[track_caller]
    fn check(range: &str, reply: &str, expected: &str) {
        check_in("", range, "", reply, expected);
    }

    #[test]
    fn head_of_the_file_above_a_function() {
        let go = "package a\n\nimport (\n\t\"log\"\n)\n\nfunc b() {\n\tx()\n\ty()\n\tz()\n}\n\n";
        let (old, new) = ("func c() {\n\td()\n}\n", "func c() {\n\te()\n}\n");
        check_in(go, old, "", &format!("package a\n\nimport (\n\t\"log\"\n)\n\n{new}"), new);
        check_in(go, old, "", &format!("import \"fmt\"\n\n{new}"), "refused: malformed");
        let python = "import os\n\n\n# D.\n";
        let (old, new) = ("def c():\n    d()\n", "def c():\n    e()\n");
        check_in(python, old, "", &format!("import os\n\n\n{new}"), new);
        check_in(python, old, "", &format!("import io\n\n\n{new}"), "refused: malformed");
        let c = "#include <a.h>\n#define B 1\n";
        let with_include = "#include <c.h>\n\nint d;\n";
        check_in(c, "int e;\n", "", with_include, with_include);
        let added = format!("import io\n\n\n{new}");
        check_in("import os\n\n\n", old, "", &added, &added);
        let all = format!("import os\n\n\n# D.\n{new}");
        check_in(python, old, "", &all, new);
        check_in("import os\n", "import io\n", "", "import os\nimport re\n", "import re\n");
    }

    #[track_caller]
    fn check_in(before: &str, range: &str, after: &str, reply: &str, expected: &str) {
        let text = [before, range, after].concat();
        let span = before.len()..before.len() + range.len();
        let outcome = match read(Request { text: &text, range: Some(span), ..Request::default() }, reply) {
            Ok(outcome) if outcome.flags.contains(&Flag::Talk) => "talk".to_owned(),
            Ok(outcome) => {
                let new = apply(&text, &outcome.edits.0);
                new[before.len()..new.len() - after.len()].to_owned()
            }
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn fenced_and_bare_code() {
        check("a\n", "```rust\nb\n```\n", "b\n");
        check("a\n", "Here you go:\n\n```\nb\n```\nThat is all.", "b\n");
        check("a\n", "b\n", "b\n");
        check("a\n", "b", "b\n");
        check("a", "```\nb\n```", "b");
        check("a\r\n", "```\nb\nc\n```", "b\r\nc\r\n");
        check("a\r\nb\nc\n", "```\nA\nb\nC\n```", "A\r\nb\nC\n");
        check_in("x\r\n", "a", "", "```\nb\nc\n```", "b\r\nc");
        check("\u{feff}a\nb\n", "```\nx\nb\n```", "\u{feff}x\nb\n");
        check("a\n", "<think>\n```\nno\n```\n</think>\n```\nb\n```", "b\n");
    }

    #[test]
    fn quoted_code_is_not_the_answer() {
        check("a\nb\n", "This line:\n```\na\n```\nbecomes:\n```\nA\nb\n```\n", "A\nb\n");
        check("a\n", "```\nx\n```\nor\n```\ny\n```", "refused: several-answers");
        check("a\n", "```\nx\n```\nagain\n```\nx\n```", "x\n");
        check("a\nb\n", "```\nA\nb\n```\nThe change:\n```\nA\n```\n", "A\nb\n");
    }

    #[test]
    fn fences_inside_the_code() {
        check("# T\n```\nls\n```\n", "```markdown\n# U\n```\nls\n```\n```\n", "# U\n```\nls\n```\n");
    }

    #[test]
    fn code_that_wraps_the_range() {
        let wrapped = |by: &str| format!("```\n{by}if b {{\n{by}    a();\n{by}}}\n```\n");
        let expected = "        if b {\n            a();\n        }\n";
        let check = |reply: &str, expected: &str| {
            check_in("fn f() {\n    if c {\n", "        a();\n", "    }\n}\n", reply, expected);
        };
        check(&wrapped("        "), expected);
        check(&wrapped(""), expected);
        check("```\nif b {\n            a();\n        }\n```\n", expected);
        check("```\n        if b {\n            a();\n        }\n    }\n```\n", expected);
        check("```\n    if c {\n        if b {\n            a();\n        }\n```\n", expected);
        let ruby = "```\nif b\n  a()\nend\n```\n";
        check_in("  def f\n", "    a()\n", "  end\nend\n", ruby, "    if b\n      a()\n    end\n");
    }

    #[test]
    fn code_between_the_lines_around() {
        let (before, after) = ("impl A {\n    fn f() {\n", "    }\n}\n");
        let range = "        if b {\n            a();\n        }\n";
        let reply = "```\n    fn f() {\n        a();\n    }\n```\n";
        check_in(before, range, after, reply, "        a();\n");
        check_in("f()\n{\n", "    a();\n", "    c();\n}\n", "```\n{\n    b();\n```\n", "    b();\n");
    }

    #[test]
    fn lines_above_in_another_column() {
        let (before, range) = ("class A:\n    def add(self, k):\n", "        self.n += k\n");
        let new = "        self.n += abs(k)\n";
        for reply in [
            "def add(self, k):\n    self.n += abs(k)\n",
            "def add(self, k):\n        self.n += abs(k)\n",
            "      def add(self, k):\n          self.n += abs(k)\n",
        ] {
            check_in(before, range, "\n    def b(self):\n        c()\n", &format!("```\n{reply}```\n"), new);
        }
        let (before, after) = ("func f() {\n\tif m[k] == 0 {\n", "\t\ta()\n\t}\n}\n");
        let reply = "```\nif m[k] == 0 {\n\treturn 2\n}\n```\n";
        check_in(before, "\t\treturn 1\n", "\t}\n}\n", reply, "\t\treturn 2\n");
        check_in(before, "\t\treturn 1\n", after, reply, "refused: doubled-line");
        check_in(before, "\t\treturn 1\n", after, &reply.replace("\n}", "\n\ta()\n}"), "\t\treturn 2\n");
    }

    #[test]
    fn whole_files_for_a_range() {
        let (before, after) = ("use a;\nuse b;\n\n", "\nfn g() {}\nfn h() {}\n");
        let reply = "```\nuse a;\nuse b;\n\nfn e() {}\n\nfn g() {}\nfn h() {}\n```\n";
        check_in(before, "fn f() {}\n", after, reply, "fn e() {}\n");
        check_in(&format!("\u{feff}{before}"), "fn f() {}\n", after, reply, "fn e() {}\n");
    }

    #[test]
    fn what_is_no_answer() {
        check("a\n", "", "refused: empty");
        check("a\n", "```\n```", "refused: empty");
        check("a\n", "NO_EDITS\n", "a\n");
        check("a\n", "```\nb\n", "refused: truncated");
        check("a\n", "I am not sure what you mean.", "talk");
        check("a\nb\n", "```\nx\n// ... existing code ...\nb\n```", "refused: elision");
        check("a\n", &"loop();\n".repeat(12), "refused: repetition");
        // Without a fence, the last line must look like an end.
        check("a();\nb();\nc();\nd();\n", "x();\nb();\n", "refused: truncated");
        check("a();\nb();\nc();\nd();\n", "x();\nb();\nc(", "refused: truncated");
        check("  a();\n  b();\n", "  x();\n ", "refused: truncated");
        check("a();\nb();\nc();\n", "a();\n// so that", "refused: truncated");
        check("a();\nb(total);\n", "x();\nb(tot", "refused: truncated");
        check("a();\nb();\nc();\nd();\n", "x();\nd();\n", "x();\nd();\n");
        check("a();\nb();\n", "x();\n", "x();\n");
        check("total + 1\n", "total\n", "total\n");
        check("total + 1\n", "total", "refused: truncated");
        check("Some old words here.\n", "Done.", "talk");
        check(
            "Some words that nobody should change.\n",
            "The code looks correct; no change is needed.",
            "talk",
        );
        check("a\n", "1. Open the file\n2. Save it\n", "talk");
        check("Some old words here.\n", "Words that are new here.", "Words that are new here.\n");
    }
}
