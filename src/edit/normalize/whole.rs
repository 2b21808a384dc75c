//! Reads an answer that is a whole file.
//!
//! The answer may elide parts of the old text with a comment.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::extract::Code;
use super::surroundings::{Surroundings, with_ends_of};
use super::{indent_unit, preserve, wrapping};
use crate::edit::check::is_elision;
use crate::edit::check::repetition;
use crate::edit::runs::{has_word_chars, runs, visible};
use crate::edit::{Refusal, line, strings};
use crate::grammar::Grammar;
use crate::text::counts;

/// Returns the new text of a file from code that is the whole file.
///
/// A byte-order mark belongs to neither. `is_elsewhere` reports whether the reply moves a line to another
/// file.
///
/// It is an error if the answer is only a part of the file, is cut off, or leaves out lines that cannot be
/// restored.
pub(in crate::edit) fn file(
    code: &Code,
    old: &str,
    is_elsewhere: &dyn Fn(&str) -> bool,
    grammar: Option<&Grammar>,
) -> Result<String, Refusal> {
    let has_end = code.has_end;
    let code = wrapping::unwrap_code(code.text.trim_start_matches('\u{feff}'), old)?;
    if line::is_blank(&code) && !line::is_blank(old) {
        return Err(Refusal::Empty);
    }
    if repetition::loops(&code) && !repetition::loops(old) {
        return Err(Refusal::Repetition);
    }
    let place = Surroundings::none(old);
    let first_indent = |text: &str| text.trim_start_matches(['\n', '\r']).starts_with([' ', '\t']);
    let code = match first_indent(&code) && !first_indent(old) {
        true => {
            let all = strings::OneLine::of(grammar, &code, place);
            outdented(&all.code, all.place().range).map(strings::split).unwrap_or(code)
        }
        false => code,
    };
    let code = rebuild(&code, old, &[])?.unwrap_or(code);
    // Strings hide the unit of the code around them, and are looked for only where there is another one.
    let code = match indent_unit::convert_indent_unit(&code, old, &[]) {
        Ok(None) => code,
        _ => {
            let all = strings::OneLine::of(grammar, &code, place);
            let new = indent_unit::convert_indent_unit(&all.code, all.place().range, &[])?;
            new.map(strings::split).unwrap_or(code)
        }
    };
    complete(&code, old, has_end, is_elsewhere)?;
    preserve::spelled(old, &with_ends_of(&code, place))
}

/// Returns a whole file without the indentation that all its lines have and the old ones lack.
fn outdented(code: &str, old: &str) -> Option<String> {
    let shared = |text| {
        let mut blanks = line::split_iter(text).filter(|line| !line::is_blank(line)).map(line::indent);
        let first = blanks.next().unwrap_or_default();
        blanks.fold(first, |shared, own| {
            let same = shared.chars().zip(own.chars()).take_while(|(a, b)| a == b);
            &shared[..same.map(|(letter, _)| letter.len_utf8()).sum()]
        })
    };
    let column = Some(shared(code)).filter(|column| !column.is_empty() && shared(old).is_empty())?;
    Some(line::split_iter(code).map(|line| line.strip_prefix(column).unwrap_or(line)).collect())
}

/// Number of missing final lines that indicate a cut reply, if they are a third of the file.
const LONG_END: usize = 8;

/// Refuses code that cannot be the whole file.
///
/// This is so if too few of the old lines remain, or if the last third is missing: a list of settings has no
/// bracket that would show the cut.
///
/// Lines that the reply moves to another file are not lost if they are distinctive. A file of similar length
/// with the same beginning and end is another version, not a part. So is one line for another.
fn complete(new: &str, old: &str, has_end: bool, is_elsewhere: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
    let (old, new) = (visible(old), visible(new));
    let mut left = counts(new.iter().copied());
    // The number of lines lost since the last line that remains.
    let (mut kept, mut moved, mut gone) = (0, 0, 0_isize);
    for line in &old {
        match left.get_mut(line).filter(|count| **count > 0) {
            Some(count) => (*count, kept, gone) = (*count - 1, kept + 1, 0),
            // Moved lines may have lines between them that are too short to be recognized in the other file.
            None if is_telling(line) && is_elsewhere(line) => (moved, gone) = (moved + 1, gone - 1),
            None => gone += 1,
        }
    }
    let lost = usize::try_from(gone).unwrap_or_default().saturating_sub(new.len() - kept);
    if lost >= LONG_END && lost * 3 >= old.len() {
        return Err(Refusal::TooMuchRemoved { before: old.len(), after: kept });
    }
    let is_line = old.len() == 1 && new.len() == 1;
    if (kept + moved) * 2 < old.len() && !is_line && !is_another_version(&new, &old) {
        return Err(Refusal::TooMuchRemoved { before: old.len(), after: kept });
    }
    // Without an end mark, only the old last line shows that the answer was not cut.
    if !has_end && old.last() != new.last() {
        return Err(Refusal::Truncated { inside: "the file" });
    }
    Ok(())
}

/// Whether a line is distinctive enough to be recognized.
pub(super) fn is_telling(line: &str) -> bool {
    line.chars().filter(|letter| letter.is_alphanumeric()).count() >= 8
}

/// Whether two lists of lines may be versions of one text.
///
/// They have similar lengths and the same lines at the beginning and at the end. Both ends include a line
/// that is unique in the old list.
fn is_another_version(new: &[&str], old: &[&str]) -> bool {
    let times = counts(old.iter().copied());
    let once = |line: &str| is_telling(line) && times.get(line) == Some(&1);
    let (head, tail) = (new.iter().zip(old), new.iter().rev().zip(old.iter().rev()));
    let begins = head.take_while(|(new, old)| new == old).any(|(line, _)| once(line));
    let ends = tail.take_while(|(new, old)| new == old).any(|(line, _)| once(line));
    begins && ends && new.len() * 4 >= old.len() * 3
}

/// Restores the lines that comments such as `// ... existing code ...` elide.
///
/// `None` if there are no such comments. A comment that also occurs in the texts `around` belongs to the
/// file, and the answer only repeats it.
///
/// The error is [`Refusal::Elision`] unless each gap is between lines that are unique in the old text and in
/// the same order, and lines outside the gaps are only removed in exchange for others: an answer that marks
/// one omission may leave out other lines without a marker.
pub(in crate::edit) fn rebuild(answer: &str, old: &str, around: &[&str]) -> Result<Option<String>, Refusal> {
    let old_lines: Vec<&str> = line::split_iter(old).collect();
    let new_lines: Vec<&str> = line::split_iter(answer).collect();
    let known = Unique::of(&old_lines, &new_lines);
    let lines_around = OnceCell::new();
    let stands_around = |line: &str| {
        let lines =
            || around.iter().flat_map(|text| line::split_iter(text)).map(str::trim).collect::<HashSet<_>>();
        lines_around.get_or_init(lines).contains(line.trim())
    };
    let gap = |line: &str| is_elision(line) && !known.has_old(line) && !stands_around(line);
    if !new_lines.iter().any(|line| gap(line)) {
        return Ok(None);
    }
    let refuse = |line: &str| Refusal::Elision { line: line.trim().to_owned() };
    let mut gaps = new_lines.iter().filter(|line| gap(line));
    let mut result = String::with_capacity(old.len() + answer.len());
    let mut done = 0;
    let mut after_gap = false;
    for (number, line) in new_lines.iter().enumerate() {
        if !gap(line) {
            // Blank lines next to a gap were restored with it.
            if after_gap && line::is_blank(line) {
                continue;
            }
            after_gap = false;
            result.push_str(line);
            if line::ending(line).is_empty() && number + 1 < new_lines.len() {
                result.push('\n');
            }
            continue;
        }
        let visible = |line: &&&str| !line::is_blank(line);
        let above = new_lines[..number].iter().rev().find(visible);
        let below = new_lines[number + 1..].iter().find(visible);
        let start = match above {
            Some(above) => known.place(above).ok_or_else(|| refuse(line))? + 1,
            None => 0,
        };
        let end = match below {
            Some(below) => known.place(below).ok_or_else(|| refuse(line))?,
            None => old_lines.len(),
        };
        if start < done || end < start || end == start {
            return Err(refuse(line));
        }
        after_gap = true;
        result.truncate(trimmed_end(&result));
        let filled = old_lines[start..end].concat();
        result.push_str(&filled);
        if !filled.ends_with(['\n', '\r']) && below.is_some() {
            result.push('\n');
        }
        done = end;
    }
    match gaps.next().filter(|_| loses_lines(old, &result)) {
        Some(gap) => Err(refuse(gap)),
        None => Ok(Some(result)),
    }
}

/// Whether lines are removed without replacement: the first or last of all, or several.
fn loses_lines(old: &str, new: &str) -> bool {
    const SEVERAL: usize = 2;
    let (old, new) = (visible(old), visible(new));
    runs(&old, &new).iter().any(|run| {
        let count = |lines: &[&str]| lines.iter().filter(|line| has_word_chars(line)).count();
        let lost = count(&run.old).saturating_sub(count(&run.new));
        lost >= SEVERAL || lost > 0 && (run.at == 0 || run.at + run.old.len() == old.len())
    })
}

/// Finds lines that occur once in the old text and once in the answer.
struct Unique<'a> {
    /// The positions of each line in the old text.
    places: HashMap<&'a str, Vec<usize>>,
    /// The number of occurrences of each line in the answer.
    times: HashMap<&'a str, usize>,
}

impl<'a> Unique<'a> {
    fn of(old: &[&'a str], new: &[&'a str]) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        old.iter().enumerate().for_each(|(number, line)| places.entry(line.trim()).or_default().push(number));
        Self { places, times: counts(new.iter().map(|line| line.trim())) }
    }

    fn has_old(&self, line: &str) -> bool {
        self.places.contains_key(line.trim())
    }

    /// Returns the line number of such a line in the old text.
    fn place(&self, line: &str) -> Option<usize> {
        let once = self.times.get(line.trim()) == Some(&1);
        match self.places.get(line.trim()).map(Vec::as_slice) {
            Some([place]) if once => Some(*place),
            _ => None,
        }
    }
}

/// The length of a text without its trailing blank lines.
fn trimmed_end(text: &str) -> usize {
    let kept = text.trim_end().len();
    kept + if kept == 0 { 0 } else { line::first_end(&text[kept..]) }
}

#[cfg(test)]
mod tests {
    use super::super::extract;
    use super::*;

    #[track_caller]
    fn check(old: &str, answer: &str, expected: &str) {
        let outcome = extract::of(answer, old, None).and_then(|code| file(&code, old, &|_| false, None));
        let outcome = outcome.unwrap_or_else(|refusal| format!("refused: {}", refusal.code()));
        assert_eq!(outcome, expected);
    }

    #[test]
    fn whole_files() {
        check("aa\nbb\ncc\n", "```\naa\nxx\ncc\n```", "aa\nxx\ncc\n");
        check("aa\r\nbb\r\ncc", "```\naa\nxx\ncc\n```", "aa\r\nxx\r\ncc");
        check("aa\nbb\ncc\n", "aa\nxx\ncc\n", "aa\nxx\ncc\n");
    }

    #[test]
    fn parts_are_refused() {
        check("aa\nbb\ncc\ndd\n", "```\nxx\n```", "refused: too-much-removed");
        check("aa\nbb\ncc\n", "```\naa\nbb\n", "refused: truncated");
        check("aa\nbb\ncc\n", "aa\nbb\n", "refused: truncated");
        check("aa\nbb\n", "```\n\n```", "refused: empty");
    }

    #[test]
    fn a_missing_end_is_no_whole() {
        let lines = |count: usize| (0..count).map(|at| format!("  key_{at}: {at}\n")).collect::<String>();
        check(&lines(24), &format!("```\n{}```\n", lines(15)), "refused: too-much-removed");
        check(&lines(24), &format!("```\n{}```\n", lines(17)), &lines(17));
        let other = lines(15) + &lines(9).replace("key", "other");
        check(&lines(24), &format!("```\n{other}```\n"), &other);
    }

    #[test]
    fn lines_that_move_to_another_file_are_kept() {
        let old =
            "import all_of_it\n\nfirst_test(1)\nfirst_test(2)\nsecond_test(1)\nsecond_test(2)\n)\n)\n)\n";
        let code = || Code { text: "import all_of_it\n\nfirst_test(1)\n".to_owned(), has_end: true };
        let judged = |is_elsewhere: &dyn Fn(&str) -> bool| {
            file(&code(), old, is_elsewhere, None).map_err(|refusal| refusal.code())
        };
        assert_eq!(judged(&|_| false), Err("too-much-removed"));
        assert_eq!(judged(&|line| line.starts_with("second") || line.starts_with("first")), Ok(code().text));
        assert_eq!(judged(&|line| line == ")"), Err("too-much-removed"));
    }

    #[test]
    fn a_version_with_the_same_ends_is_whole() {
        let body = |name: &str| (0..9).map(|at| format!("{name}({at})\n")).collect::<String>();
        let text = |name: &str| format!("package generated\n{}return the_last_one\n}}\n", body(name));
        let fenced = |text: &str| format!("```\n{text}```\n");
        check(&text("old_call"), &fenced(&text("new_call")), &text("new_call"));
        check(&text("old_call"), &fenced(&body("new_call")), "refused: too-much-removed");
        let shorter = text("new_call").replace("new_call(4)\n", "").replace("new_call(5)\n", "");
        let shorter = shorter.replace("new_call(6)\n", "").replace("new_call(7)\n", "");
        check(&text("old_call"), &fenced(&shorter), "refused: too-much-removed");
        let other_end = text("new_call").replace("return the_last_one", "return another_one");
        check(&text("old_call"), &fenced(&other_end), "refused: too-much-removed");
    }

    #[test]
    fn gaps_are_put_back() {
        let old = "use a;\n\nfn f() {\n    one();\n    two();\n}\n\nfn g() {\n    three();\n}\n";
        let answer = "```\nuse a;\n// ... existing code ...\nfn g() {\n    four();\n}\n```";
        check(old, answer, &old.replace("three", "four"));
        let answer = "```\nuse b;\n// ... existing code ...\nfn g() {\n    four();\n}\n```";
        check(old, answer, "refused: elision");
        // The lines before the first line shown are removed, or left out without a marker.
        let services = "services:\n  a:\n    image: one\n    tag: x\n  b:\n    image: two\n    port: 80\n  c:\n    image: four\n";
        for head in ["services:\n", ""] {
            let answer = format!("```\n{head}  b:\n    image: three\n    port: 80\n# rest unchanged\n```");
            check(services, &answer, "refused: elision");
        }
        let answer = "```\nservices:\n  # ... existing ...\n    tag: x\n  b:\n    image: three\n    port: 80\n# rest unchanged\n```";
        check(services, answer, &services.replace("two", "three"));
        let answer = "```\nuse a;\nuse b;\n\nfn f() {\n// ... rest unchanged\n```";
        check(old, answer, &old.replace("use a;\n", "use a;\nuse b;\n"));
    }
}
