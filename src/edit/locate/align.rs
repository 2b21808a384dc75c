//! The two most tolerant levels of finding a block.
//!
//! They allow for context lines that the reply left out, and for one wrong letter in a context line.

use std::ops::Range;

use super::file_text::key;
use super::{FileText, Level, Placed, write};
use crate::budget;
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::{Refusal, line};
use crate::text::ident;

/// The maximum number of the file's lines that a block may leave out.
const MOST_SKIPPED: usize = 4;

/// The cost of a letter-by-letter comparison of two lines, in comparisons of equal lines.
const UNITS_A_LINE: usize = 8;

/// Places a block whose context differs slightly from the file's.
///
/// It is an error if no location or several match.
pub(super) fn place(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Result<Placed, Refusal> {
    let skipping = with_lines_skipped(target, lines);
    match skipping.as_slice() {
        [] => {}
        [aligned] => {
            let placed = aligned.lines.iter().any(|line| line.role != Role::Keep);
            let edits = write(target, block, &aligned.lines, Level::Exact, &aligned.at)?;
            debug_assert!(placed);
            return Ok(Placed { edits, level: Level::Aligned, ..Placed::default() });
        }
        several => {
            let lines = several.iter().map(|aligned| aligned.at.first().map_or(1, |at| at + 1)).collect();
            return Err(Refusal::Ambiguous { block: block.number, lines });
        }
    }
    let start = with_one_typo(target, block, lines)?;
    let count = lines.iter().filter(|line| line.is_old()).count();
    let at: Vec<usize> = (start..start + count).collect();
    let edits = write(target, block, lines, Level::Exact, &at)?;
    Ok(Placed { edits, level: Level::ContextTypo, lines: Some(start..start + count), ..Placed::default() })
}

/// A block's lines, without blank ones that the file does not have.
///
/// `at` holds the file's line for each old one.
struct Aligned {
    lines: Vec<Line>,
    at: Vec<usize>,
}

/// All ways to align the block with the file if lines of the file are missing.
///
/// Only blank lines and comments may be missing.
fn with_lines_skipped(target: &FileText<'_>, lines: &[Line]) -> Vec<Aligned> {
    let telling = lines.iter().filter(|line| line.is_old() && !line::is_blank(&line.text)).count();
    let Some(first) = lines.iter().find(|line| line.is_old() && !line::is_blank(&line.text)) else {
        return Vec::new();
    };
    let is_known =
        |line: &&Line| line::is_blank(&line.text) || target.has_line(&line.text) || line.raw.is_some();
    if telling < 2 || !lines.iter().filter(|line| line.is_old()).all(|line| is_known(&line)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for start in target.find(Level::TrailingBlanks, std::slice::from_ref(first)) {
        if let Some(aligned) = lay(target, lines, start) {
            found.push(aligned);
        }
    }
    found
}

fn lay(target: &FileText<'_>, lines: &[Line], start: usize) -> Option<Aligned> {
    let mut laid: Vec<Line> = Vec::new();
    let mut at: Vec<usize> = Vec::new();
    let mut next = start;
    let mut skipped = 0;
    for (number, one) in lines.iter().enumerate() {
        if !one.is_old() {
            laid.push(one.clone());
            continue;
        }
        budget::charge(UNITS_A_LINE);
        let same = |number: usize| {
            let wanted = key(Level::TrailingBlanks, &one.text);
            let raw = one.raw.as_deref().map(|raw| key(Level::TrailingBlanks, raw));
            target.lines.get(number).is_some_and(|line| {
                let line = key(Level::TrailingBlanks, line);
                line == wanted || raw.as_ref() == Some(&line)
            })
        };
        let mut here = next;
        while !same(here) {
            if line::is_blank(&one.text) && one.role == Role::Keep {
                break;
            }
            let passed = target.lines.get(here).filter(|line| may_be_left_out(target, line))?;
            debug_assert!(!passed.is_empty());
            here += 1;
            skipped += 1;
            if skipped > MOST_SKIPPED || at.is_empty() {
                return None;
            }
        }
        if !same(here) {
            // A blank line that the file does not have. It is ambiguous if an adjacent blank line is deleted.
            if goes_beside(lines, number) {
                return None;
            }
            skipped += 1;
            continue;
        }
        if here > next
            && (is_unclear(lines, number) || is_part_of_what_goes(target, lines, number, next..here))
        {
            return None;
        }
        laid.push(one.clone());
        at.push(here);
        next = here + 1;
    }
    (skipped > 0 && !at.is_empty()).then_some(Aligned { lines: laid, at })
}

/// Whether a deleted blank line adjoins this blank line, among the old ones.
fn goes_beside(lines: &[Line], number: usize) -> bool {
    let blank = |line: &&Line| line::is_blank(&line.text);
    let old = |line: &&Line| line.is_old();
    let above = lines[..number].iter().rev().filter(old).take_while(blank);
    let below = lines[number..].iter().filter(old).take_while(blank);
    above.chain(below).any(|line| line.role == Role::Delete)
}

/// Whether lines are added right where the file has a line that the block left out.
///
/// They may then belong before it or after it.
fn is_unclear(lines: &[Line], number: usize) -> bool {
    let before = &lines[..number];
    let added = before.iter().rev().take_while(|line| line.role == Role::Add).count();
    let last_old = before.iter().rev().find(|line| line.is_old()).map(|line| line.role);
    let deletes = |role: Option<Role>| role == Some(Role::Delete);
    if added > 0 {
        // Next to a deleted line, on one side only, they replace that line.
        return deletes(last_old) == deletes(Some(lines[number].role));
    }
    // A line is left out amid lines that are replaced as a whole.
    let after = lines[number..].iter().take_while(|line| line.role != Role::Keep);
    deletes(last_old)
        && deletes(Some(lines[number].role))
        && after.into_iter().any(|line| line.role == Role::Add)
}

/// Whether a comment that the block left out continues a deleted comment.
///
/// The block then shows a part of that comment, and it is not known whether the rest is deleted too.
fn is_part_of_what_goes(target: &FileText<'_>, lines: &[Line], number: usize, passed: Range<usize>) -> bool {
    let is_comment = |text: &str| !line::is_blank(text) && may_be_left_out(target, text);
    let goes = |line: &&Line| line.role == Role::Delete && is_comment(&line.text);
    let above = lines[..number].iter().rev().find(|line| line.is_old());
    let (first, last) = (passed.start, passed.end - 1);
    above.filter(goes).is_some() && is_comment(target.lines[first])
        || Some(&lines[number]).filter(goes).is_some() && is_comment(target.lines[last])
}

/// Whether models tend to leave out such a line: a blank one or a whole-line comment.
fn may_be_left_out(target: &FileText<'_>, line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() {
        return true;
    }
    match target.grammar {
        Some(grammar) => {
            let comments = grammar.comments();
            comments.line.iter().any(|token| text.starts_with(token.as_str()))
                || comments
                    .block
                    .iter()
                    .any(|(open, close)| text.starts_with(open.as_str()) && text.ends_with(close.as_str()))
        }
        None => {
            text.starts_with("//")
                || text.starts_with("# ")
                || text.starts_with("-- ")
                || (text.starts_with("/*") && text.ends_with("*/"))
                || (text.starts_with("<!--") && text.ends_with("-->"))
        }
    }
}

/// The location where all lines match exactly but a kept one, which differs in a single letter.
///
/// The misspelt line must not occur anywhere in the file: else it means another location, and this one is a
/// near copy. Any other location with all the other lines is as good, however its line differs: the block's
/// line may be a former version of it, so a single letter does not decide between them.
///
/// It is an error if no location or several match.
fn with_one_typo(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Result<usize, Refusal> {
    let none = || target.not_found(block, lines);
    let old: Vec<&Line> = lines.iter().filter(|line| line.is_old()).collect();
    let mut strange = (0..old.len())
        .filter(|&number| !line::is_blank(&old[number].text) && !target.has_line(&old[number].text));
    let (Some(typo), None) = (strange.next(), strange.next()) else { return Err(none()) };
    let certain = old.iter().filter(|line| line.text.chars().any(char::is_alphanumeric)).count();
    if old[typo].role != Role::Keep || certain < 3 {
        return Err(none());
    }
    let found = target.find_but(Level::Exact, lines, Some(typo));
    // A last line without its final letter was cut off rather than misspelt.
    let wanted = old[typo].text.as_str();
    let is_slip = |start: usize| {
        let file = line::body(target.lines[start + typo]);
        one_letter_apart(file, wanted)
            && !(typo + 1 == old.len() && file.starts_with(wanted))
            && !is_other_name(target, file, wanted)
    };
    match found.as_slice() {
        [start] if is_slip(*start) => Ok(*start),
        several if several.len() > 1 && several.iter().any(|start| is_slip(*start)) => {
            Err(Refusal::Ambiguous {
                block: block.number,
                lines: several.iter().map(|start| start + 1).collect(),
            })
        }
        _ => Err(none()),
    }
}

/// Whether lines that differ in one letter rather differ in a name: the line declares it or opens a block, the word
/// is short, or it differs in its first letter, in a capital one or by a plural, or is another word of the file.
fn is_other_name(target: &FileText<'_>, file: &str, wanted: &str) -> bool {
    const DECLARING: [&str; 18] = [
        "class",
        "const",
        "def",
        "enum",
        "fn",
        "func",
        "function",
        "impl",
        "import",
        "interface",
        "let",
        "mod",
        "struct",
        "trait",
        "type",
        "use",
        "val",
        "var",
    ];
    const SHORTEST: usize = 5;
    let at = file.char_indices().zip(wanted.chars()).find(|((_, a), b)| a != b);
    let at = at.map_or(file.len().min(wanted.len()), |((at, _), _)| at);
    let [own, other] = [file, wanted].map(|line| &line[ident::around(line, at)]);
    let declares = ident::words(file).any(|word| DECLARING.contains(&word))
        || file.trim_end().ends_with(['{', ':', '(']);
    let letters = |word: &str| word.chars().filter(|it| it.is_alphabetic()).count();
    let has_capital = |word: &str, other: &str| {
        word.chars().filter(|it| it.is_uppercase()).ne(other.chars().filter(|it| it.is_uppercase()))
    };
    declares
        || letters(own).max(letters(other)) < SHORTEST
        || own.chars().next() != other.chars().next()
        || own.contains(char::is_lowercase) && has_capital(own, other)
        || own.strip_suffix('s') == Some(other)
        || other.strip_suffix('s') == Some(own)
        || ident::has_word(target.text, other)
}

/// Whether two lines differ in one letter.
///
/// It is replaced, added or missing, or two are swapped. Digits and punctuation do not count as typos.
fn one_letter_apart(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > 'ﬀ'.len_utf8() {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let prefix = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let suffix = a[prefix..].iter().rev().zip(b[prefix..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
    let letters = a.iter().chain(b).all(|letter| letter.is_alphabetic());
    letters
        && match (a, b) {
            ([_], [_] | []) | ([], [_]) => true,
            ([first, second], [third, fourth]) => first == fourth && second == third,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter() {
        assert!(one_letter_apart("return total", "return totla"));
        assert!(one_letter_apart("return total", "return totel"));
        assert!(one_letter_apart("return total", "return totall"));
        assert!(one_letter_apart("retrn total", "return total"));
        assert!(!one_letter_apart("case 1", "case 2"));
        assert!(!one_letter_apart("a + b", "a - b"));
        assert!(!one_letter_apart("same", "same"));
        assert!(!one_letter_apart("read_user", "load_user"));
    }
}
