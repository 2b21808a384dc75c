//! Gives an answer for a range the range's indentation: models like to start in column zero.

use std::collections::HashMap;

use crate::edit::line;

/// Returns the answer, moved so that the lines it shares with the range are indented alike.
///
/// Without a shared line, only an answer that starts in column zero is moved. Where the shared lines do not agree on
/// one shift, the answer stays as it is.
pub(super) fn like(answer: &str, range: &str) -> String {
    match shift(answer, range) {
        Shift::None => answer.to_owned(),
        Shift::Right(blanks) => line::split_iter(answer)
            .map(|line| if line::is_blank(line) { line.to_owned() } else { format!("{blanks}{line}") })
            .collect(),
        Shift::Left(blanks) => {
            line::split_iter(answer).map(|line| line.strip_prefix(blanks.as_str()).unwrap_or(line)).collect()
        }
        Shift::FirstLine(blanks) => {
            let start = answer.len() - answer.trim_start_matches(['\n', '\r']).len();
            format!("{}{blanks}{}", &answer[..start], &answer[start..])
        }
    }
}

enum Shift {
    None,
    Right(String),
    Left(String),
    FirstLine(String),
}

/// A line's blanks and what follows them.
pub(super) type Parted<'a> = (&'a str, &'a str);

fn shift(answer: &str, range: &str) -> Shift {
    let (answer, range) = (parted(answer), parted(range));
    let (Some((first, rest)), Some(own)) = (answer.split_first(), range.first()) else {
        return Shift::None;
    };
    let least = |lines: &[Parted<'_>]| lines.iter().map(|(blanks, _)| blanks.len()).min().unwrap_or(0);
    let (least_answer, least_range) = (least(&answer), least(&range));
    let pairs = pairs(&answer, &range);
    if first.0.is_empty()
        && !own.0.is_empty()
        && !rest.is_empty()
        && lost_first_line(first, rest, own, &pairs)
    {
        return Shift::FirstLine(own.0.to_owned());
    }
    if least_answer == least_range || pairs.iter().any(|(answer, own)| answer == own) {
        return Shift::None;
    }
    // Shared lines that agree on a shift decide; a block that was only wrapped or unwrapped moves them too, but not
    // the least indentation, so that must go the same way.
    let agreed = |pick: fn(&(&str, &str)) -> Option<String>| {
        let mut shifts = pairs.iter().map(pick);
        let first = shifts.next().flatten()?;
        shifts.all(|shift| shift.as_deref() == Some(first.as_str())).then_some(first)
    };
    if least_answer < least_range {
        match agreed(|(answer, own)| own.strip_suffix(answer).map(str::to_owned)) {
            Some(blanks) if blanks.len() <= least_range => Shift::Right(blanks),
            _ if pairs.is_empty() && least_answer == 0 => {
                let blanks = range.iter().map(|(blanks, _)| *blanks).min_by_key(|blanks| blanks.len());
                Shift::Right(blanks.unwrap_or_default().to_owned())
            }
            _ => Shift::None,
        }
    } else {
        match agreed(|(answer, own)| answer.strip_suffix(own).map(str::to_owned)) {
            Some(blanks) if answer.iter().all(|(own, _)| own.starts_with(blanks.as_str())) => {
                Shift::Left(blanks)
            }
            _ => Shift::None,
        }
    }
}

pub(super) fn parted(text: &str) -> Vec<Parted<'_>> {
    let lines = line::split_iter(text).filter(|line| !line::is_blank(line));
    lines.map(|line| (line::indent(line), line.trim())).collect()
}

/// The indentation of each line that stands once on either side, here and there.
pub(super) fn pairs<'t>(answer: &[Parted<'t>], range: &[Parted<'t>]) -> Vec<(&'t str, &'t str)> {
    let mut places: HashMap<&str, Vec<&'t str>> = HashMap::new();
    for (blanks, text) in range {
        places.entry(text).or_default().push(blanks);
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (_, text) in answer {
        *seen.entry(text).or_default() += 1;
    }
    let once = answer.iter().filter(|(_, text)| seen.get(text) == Some(&1));
    once.filter_map(|(blanks, text)| match places.get(text).map(Vec::as_slice) {
        Some([own]) => Some((*blanks, *own)),
        _ => None,
    })
    .collect()
}

/// Whether only the first line lost its indentation, and the others are right as they are.
fn lost_first_line(
    first: &Parted<'_>,
    rest: &[Parted<'_>],
    own: &Parted<'_>,
    pairs: &[(&str, &str)],
) -> bool {
    // The range's own first line, above shared ones that are right.
    let moved = pairs.iter().filter(|(answer, own)| answer != own).count();
    if first.1 == own.1 && moved <= 1 && moved < pairs.len() {
        return true;
    }
    if rest.iter().any(|(blanks, _)| blanks.is_empty()) {
        return false;
    }
    let mut others = pairs.iter().filter(|(answer, _)| !answer.is_empty()).peekable();
    if others.peek().is_some() {
        return others.all(|(answer, own)| answer == own);
    }
    // Without shared lines, the second line shows how deep the first one stood.
    let second = rest[0].0.len();
    if first.1.ends_with(['{', '(', '[', ':']) { second > own.0.len() } else { second == own.0.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_move_to_the_ranges_column() {
        assert_eq!(
            like("if a {\n    c();\n}\n", "    if a {\n        b();\n    }\n"),
            "    if a {\n        c();\n    }\n"
        );
        assert_eq!(like("x = 1\n", "    y = 2\n"), "    x = 1\n");
        assert_eq!(like("        a\n        b\n", "    a\n    c\n"), "    a\n    b\n");
        assert_eq!(like("a\n    b\n    d\n", "    a\n    b\n    c\n"), "    a\n    b\n    d\n");
    }

    #[test]
    fn the_first_line_alone_may_have_lost_its_blanks() {
        assert_eq!(like("if a {\n        b();\n    }\n", "    c();\n"), "    if a {\n        b();\n    }\n");
        assert_eq!(like("x = 1\n    y = 2\n", "    z = 3\n"), "    x = 1\n    y = 2\n");
        assert_eq!(like("a()\n\nb:\n    d()\n", "    a()\n\nb:\n    c()\n"), "    a()\n\nb:\n    d()\n");
    }

    #[test]
    fn answers_that_are_right_stay() {
        for answer in ["    a\n    d\n", "    if x:\n        a\n", "    z\n\n"] {
            assert_eq!(like(answer, "    a\n    b\n"), answer);
        }
        assert_eq!(like("b\n  a\n", "a\nc\n"), "b\n  a\n");
    }
}
