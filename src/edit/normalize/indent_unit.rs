//! Converts an answer's indentation unit to the file's, if the answer uses another unit throughout.

use std::collections::HashMap;

use super::reindent::{IndentedLine, Shared, split_indents};
use crate::edit::{Refusal, line};

/// Returns the answer with its indentation scaled to that of the lines it shares with `old`.
///
/// `None` if the answer is in the file's style, or if nothing proves the opposite: wrapping or unwrapping
/// code moves it by one step, not by a factor.
///
/// Lines without indentation have no style. If `old` has only such lines, the lines `around` it define the
/// file's style.
///
/// The error is [`Refusal::Malformed`] if the answer is clearly in another style and cannot be converted to
/// the file's.
pub(super) fn convert_indent_unit(
    answer: &str,
    old: &str,
    around: &[&str],
) -> Result<Option<String>, Refusal> {
    let (ours, theirs) = (split_indents(old), split_indents(answer));
    if !is_indented(&theirs) {
        return Ok(None);
    }
    let styled = match is_indented(&ours) {
        true => ours.clone(),
        false => around.iter().flat_map(|text| split_indents(text)).collect(),
    };
    if !is_indented(&styled) {
        return Ok(None);
    }
    let all = Shared::of(&theirs, &ours);
    let shared: Vec<(&str, &str)> =
        all.pairs().into_iter().filter(|(a, b)| !a.is_empty() || !b.is_empty()).collect();
    let other_sign = kind(&theirs).zip(kind(&styled)).filter(|(theirs, ours)| theirs != ours);
    let sign = match kind(&styled) {
        Some(sign) if kind(&theirs).is_some() => sign,
        // Mixed indentation: there is no style to follow.
        _ => return Ok(None),
    };
    let brackets = brackets(&theirs, &ours);
    let fits = |change: &dyn Fn(&str) -> Option<String>| {
        all.fits(change) && brackets.iter().all(|(a, b)| change(a).as_deref() == Some(*b))
    };
    if fits(&|blanks| Some(blanks.to_owned())) && !(shared.is_empty() && other_sign.is_some()) {
        return Ok(None);
    }
    let least = |lines: &[IndentedLine<'_>]| {
        lines.iter().map(|(blanks, _)| blanks.len()).filter(|len| *len > 0).min()
    };
    let factor = match shared.iter().find(|(a, b)| !a.is_empty() && !b.is_empty()) {
        Some((a, b)) => Some((a.len(), b.len())),
        None => least(&theirs).zip(least(&ours)),
    };
    let refuse = || {
        Refusal::malformed("its lines are indented in another style than the file's, and cannot be converted")
    };
    let evident = other_sign.is_some() || depths(&shared) > 1 || off_unit(&theirs, &ours, around);
    let scales = |(from, to): (usize, usize)| {
        let scaled = |blanks: &str| Some(sign.to_string().repeat(blanks.len() * to / from));
        fits(&|blanks| scaled(blanks).filter(|_| (blanks.len() * to).is_multiple_of(from)))
    };
    let Some((from, to)) = factor.filter(|factor| evident && scales(*factor)) else {
        return if other_sign.is_some() { Err(refuse()) } else { Ok(None) };
    };
    let mut result = String::with_capacity(answer.len() * 2);
    for line in line::split_iter(answer) {
        let blanks = line::indent(line);
        if line::is_blank(line) {
            result.push_str(line);
            continue;
        }
        if !(blanks.len() * to).is_multiple_of(from) {
            return Err(refuse());
        }
        result.extend(std::iter::repeat_n(sign, blanks.len() * to / from));
        result.push_str(&line[blanks.len()..]);
    }
    // If nothing else changes, the new style is the requested edit.
    let same = |text: &str| line::split_iter(text).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    Ok((same(&result) != same(old)).then_some(result))
}

/// Returns the indentations of bracket-only lines in the answer and in the range, paired in order.
///
/// Only brackets that both have equally often, and several times. Where nothing else is indented, a
/// function's closers show the unit.
fn brackets<'t>(theirs: &[IndentedLine<'t>], ours: &[IndentedLine<'t>]) -> Vec<(&'t str, &'t str)> {
    let mut all: HashMap<&str, (Vec<&'t str>, Vec<&'t str>)> = HashMap::new();
    let alone = |(_, text): &&IndentedLine<'t>| !text.contains(char::is_alphanumeric);
    for (blanks, text) in theirs.iter().filter(alone) {
        all.entry(text).or_default().0.push(blanks);
    }
    for (blanks, text) in ours.iter().filter(alone) {
        all.entry(text).or_default().1.push(blanks);
    }
    let as_often = all.into_values().filter(|(a, b)| a.len() == b.len() && a.len() > 1);
    as_often.flat_map(|(a, b)| a.into_iter().zip(b)).collect()
}

fn is_indented(lines: &[IndentedLine<'_>]) -> bool {
    lines.iter().any(|(blanks, _)| !blanks.is_empty())
}

/// The character that all lines are indented with, if there is only one.
fn kind(lines: &[IndentedLine<'_>]) -> Option<char> {
    let mut signs = lines.iter().flat_map(|(blanks, _)| blanks.chars());
    let first = signs.next()?;
    signs.all(|sign| sign == first).then_some(first)
}

/// Counts the distinct depths of the shared lines whose indentation differs.
fn depths(shared: &[(&str, &str)]) -> usize {
    let mut depths: Vec<usize> = shared.iter().filter(|(a, b)| a != b).map(|(a, _)| a.len()).collect();
    depths.sort_unstable();
    depths.dedup();
    depths.len()
}

/// Whether the answer is indented by a fraction of the file's step.
///
/// The file's step must be more than two characters. A range of one depth does not show it, but the lines around do.
fn off_unit(theirs: &[IndentedLine<'_>], ours: &[IndentedLine<'_>], around: &[&str]) -> bool {
    let begins_code = |(_, text): &&IndentedLine<'_>| !text.starts_with('*');
    let step = |from: usize, lines: &[IndentedLine<'_>]| {
        lines.iter().filter(begins_code).fold(from, |step, (blanks, _)| common(step, blanks.len()))
    };
    let (theirs, ours) = (step(0, theirs), step(0, ours));
    let is_off = |ours: usize| ours > 2 && theirs > 0 && theirs < ours && ours.is_multiple_of(theirs);
    is_off(ours) && is_off(around.iter().fold(ours, |own, text| step(own, &split_indents(text))))
}

fn common(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, answer: &str, expected: &str) {
        check_within(&[], old, answer, expected);
    }

    #[track_caller]
    fn check_within(around: &[&str], old: &str, answer: &str, expected: &str) {
        let outcome = match convert_indent_unit(answer, old, around) {
            Ok(Some(text)) => text,
            Ok(None) => "as it is".to_owned(),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn another_unit() {
        let old = "fn f() {\n    if a {\n        b();\n    }\n}\n";
        check(
            old,
            "fn f() {\n  if a {\n    b();\n    é();\n  }\n}\n",
            &old.replace("b();", "b();\n        é();"),
        );
        check(old, "fn f() {\n\tif a {\n\t\tb(1);\n\t}\n}\n", &old.replace("b()", "b(1)"));
        check("\ta\n\t\tb\n", "    a\n        c\n", "\ta\n\t\tc\n");
        check("\ta();\n", "        c();\n", "\tc();\n");
        let old = "            }\n        }\n    }\n}\n\nuse a;\n";
        check(old, "      }\n    }\n  }\n}\n\nuse b;\n", &old.replace('a', "b"));
        check(old, "            }\n        }\n    }\n}\n\nuse b;\n", "as it is");
        check("\ta\n\t\tb\n", "    a\n      c\n", "refused: malformed");
    }

    #[test]
    fn code_that_moved() {
        // Wrapped, unwrapped, and unchanged.
        check("    a\n    b\n", "    if x {\n        a\n        b\n    }\n", "as it is");
        let around = ["fn f() {\n    for y in z {\n", "    }\n}\n"];
        check_within(&around, "        a\n", "        if x {\n            a\n        }\n", "as it is");
        check("    if x {\n        a\n        b\n    }\n", "    a\n    b\n", "as it is");
        check("fn f() {\n    if x {\n        a\n    }\n}\n", "fn f() {\n    a\n}\n", "as it is");
        check("    a\n        b\n", "    a\n        c\n", "as it is");
        check("a\n", "b\n", "as it is");
        check("\t\ta(1);\n\t\tb();\n", "a(2);\nb();\n", "as it is");
    }

    #[test]
    fn lines_without_indentation_are_of_the_files_style() {
        check("", "f {\n\ta\n}\n", "as it is");
        check("}\n", "}\n\nf {\n\ta\n}\n", "as it is");
        check_within(&["g {\n\tb\n"], "}\n", "}\n\nf {\n\ta\n}\n", "as it is");
        check_within(&["g {\n\tb\n"], "}\n", "}\n\nf {\n    a\n}\n", "refused: malformed");
    }

    #[test]
    fn a_new_style_alone_is_what_was_asked_for() {
        check("    a\n        b\n", "\ta\n\t\tb\n", "as it is");
    }
}
