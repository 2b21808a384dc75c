//! Keeps the file's bytes for unchanged lines of an answer.
//!
//! Changed lines keep the file's line ends.

use std::collections::{HashMap, HashSet};

use similar::DiffTag;

use crate::edit::locate::{Level, key};
use crate::edit::{Refusal, diff, line};

/// Returns `new` as spelled by [`bytes_of`].
///
/// The error is [`Refusal::Malformed`] if it differs from `old` only in look-alike characters: they may be
/// the requested change, or the answer may be unable to spell the file's characters.
pub(super) fn spelled(old: &str, new: &str) -> Result<String, Refusal> {
    let spelled = bytes_of(old, new);
    let bodies =
        |text: &'_ str| line::split_iter(text).map(|it| it.trim_end().to_owned()).collect::<Vec<_>>();
    if spelled == old && bodies(new) != bodies(old) {
        return Err(Refusal::malformed("it differs from the file in look-alike signs alone"));
    }
    Ok(spelled)
}

/// Returns `old` without white space at the ends of its lines, for an answer without any that was asked for just that.
pub(in crate::edit) fn stripped(old: &str, answer: &str, instruction: &str) -> Option<String> {
    let said = instruction.to_lowercase();
    let is_asked = said.contains("trailing") && (said.contains("space") || said.contains("blank"));
    let strip = |text: &str| -> String {
        line::split_iter(text).flat_map(|it| [line::body(it).trim_end(), line::ending(it)]).collect()
    };
    (is_asked && strip(answer) == answer).then(|| strip(old))
}

/// Returns `new` with each line that is also in `old` spelled as in `old`.
///
/// Look-alike characters and trailing whitespace are ignored. A changed line ends like the line it replaces,
/// a new line like its neighbor.
///
/// If the answer keeps a character in another line, it can spell it, so a look-alike of it is a change. Otherwise new
/// lines get the file's characters, too, [in place of those that look alike](substitutes).
fn bytes_of(old: &str, new: &str) -> String {
    let (old_lines, new_lines) = (line::split(old), line::split(new));
    let keys =
        |lines: &[&str]| lines.iter().map(|line| key(Level::Folded, line).into_owned()).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(&old_lines), keys(&new_lines));
    let ops = diff::ops(&old_keys, &new_keys);
    let equal = ops.iter().filter(|op| op.tag() == DiffTag::Equal);
    let pairs = || equal.clone().flat_map(|op| op.old_range().zip(op.new_range()));
    let bodies = |(a, b): (usize, usize)| (old_lines[a].trim_end(), new_lines[b].trim_end());
    let spelled: HashSet<char> = match pairs().map(bodies).any(|(old, new)| old != new) {
        true => {
            let kept = pairs().map(bodies).filter(|(old, new)| old == new);
            kept.flat_map(|(old, _)| old.chars()).filter(|sign| !sign.is_alphanumeric()).collect()
        }
        false => HashSet::new(),
    };
    let substitutes = substitutes(pairs().map(bodies), old, &spelled);
    let mut result = String::with_capacity(new.len());
    for op in &ops {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            for (number, new) in new_lines[new_range].iter().enumerate() {
                let own = |sign: char| substitutes.get(&sign).copied().unwrap_or(sign);
                result.extend(line::body(new).chars().map(own));
                let ending = || line::ending_for(&old_lines, &old_range, number).unwrap_or(line::ending(new));
                result.push_str(if line::ending(new).is_empty() { "" } else { ending() });
            }
            continue;
        }
        for (old, new) in old_lines[old_range].iter().zip(&new_lines[new_range]) {
            let (own, came) = (line::body(old), new.trim_end());
            match is_respelled(own.trim_end(), came, &spelled) {
                true => result.extend([came, &own[own.trim_end().len()..]]),
                false => result.push_str(own),
            }
            // A line may have become the last line, or ceased to be it.
            result.push_str(match (line::ending(old), line::ending(new)) {
                ("", new) => new,
                (_, "") => "",
                (old, _) => old,
            });
        }
    }
    result
}

/// The characters that the answer writes for similar ones of the file, by the lines that it does not change otherwise.
///
/// A character that the file has is replaced by no other, and one that is `spelled` correctly elsewhere replaces none.
fn substitutes<'l>(
    pairs: impl Iterator<Item = (&'l str, &'l str)>,
    old: &str,
    spelled: &HashSet<char>,
) -> HashMap<char, char> {
    let signs = |(own, came): (&'l str, &'l str)| {
        let is_even = own != came && own.chars().count() == came.chars().count();
        own.chars().zip(came.chars()).filter(move |_| is_even)
    };
    let differs = |(own, came): &(char, char)| own != came && !spelled.contains(own) && !old.contains(*came);
    pairs.flat_map(signs).filter(differs).map(|(own, came)| (came, own)).collect()
}

/// Whether a line deliberately changes to other characters.
///
/// All characters that occur less often in the new line must be known to be `spelled` correctly.
fn is_respelled(old: &str, new: &str, spelled: &HashSet<char>) -> bool {
    if old == new {
        return false;
    }
    let mut balance: HashMap<char, isize> = HashMap::new();
    for sign in old.chars() {
        *balance.entry(sign).or_default() += 1;
    }
    for sign in new.chars() {
        *balance.entry(sign).or_default() -= 1;
    }
    let mut lost = balance.into_iter().filter(|(_, times)| *times > 0).map(|(sign, _)| sign).peekable();
    lost.peek().is_some() && lost.all(|sign| spelled.contains(&sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_keep_their_bytes() {
        assert_eq!(bytes_of("“a”  \nb\n", "\"a\"\nc\n"), "“a”  \nc\n");
        assert_eq!(bytes_of("a \"b\"\n", "a “b”\nc “d”\n"), "a \"b\"\nc \"d\"\n");
        assert_eq!(bytes_of("a 'b'\n“\n", "a 'b'\n“\nc “d”\n"), "a 'b'\n“\nc “d”\n");
        assert_eq!(bytes_of("a\r\nb\nc", "a\nx\nb\nc"), "a\r\nx\r\nb\nc");
        assert_eq!(bytes_of("a", "a\nb"), "a\nb");
    }

    #[test]
    fn signs_that_the_answer_can_spell_are_meant() {
        assert_eq!(bytes_of("a – b  \nc – d\n", "a - b\nc – d\n"), "a - b  \nc – d\n");
        assert_eq!(bytes_of("a - b\nc - d\n", "a – b\nc - d\n"), "a – b\nc - d\n");
        for old in ["a – b\nc “d”\n", "a – b\nc - d\n", "e\u{301}\nf\n"] {
            let plain = old.replace('–', "-").replace(['“', '”'], "\"").replace("e\u{301}", "é");
            assert_eq!(bytes_of(old, &plain), old);
        }
    }

    #[test]
    fn white_space_at_line_ends_goes_if_asked() {
        let check = |answer, instruction| stripped("a  \r\n  b\t\n", answer, instruction);
        assert_eq!(check("a\n  b\n", "Remove trailing whitespace").as_deref(), Some("a\r\n  b\n"));
        assert_eq!(check("a  \n  b\n", "Remove trailing whitespace"), None);
        assert_eq!(check("a\n  b\n", "Remove trailing commas"), None);
    }

    #[test]
    fn another_spelling_alone_is_refused() {
        let check = |old, new| spelled(old, new).map_err(|refusal| refusal.code());
        assert_eq!(check("a — b\nc\n", "a - b\nc\n"), Err("malformed"));
        assert_eq!(check("a — b\nc\n", "a - b\nd\n"), Ok("a — b\nd\n".to_owned()));
        assert_eq!(check("a  \r\nb\r\n", "a\nb\n"), Ok("a  \r\nb\r\n".to_owned()));
    }

    #[test]
    fn changed_lines_keep_their_ends() {
        assert_eq!(bytes_of("a\r\nb\nc\r\n", "a\nx\nc\n"), "a\r\nx\nc\r\n");
        assert_eq!(bytes_of("a\nb\r\nc\n", "a\nx\nc\n"), "a\nx\r\nc\n");
        assert_eq!(bytes_of("a\r\nb\n", "x\ny\n"), "x\r\ny\n");
        assert_eq!(bytes_of("a\nb\r\nc\n", "a\nb\nx\ny\nc\n"), "a\nb\r\nx\r\ny\r\nc\n");
        assert_eq!(bytes_of("b\r\nc\n", "x\nb\nc\n"), "x\r\nb\r\nc\n");
        assert_eq!(bytes_of("a\r\nb", "a\nx\ny"), "a\r\nx\r\ny");
    }
}
