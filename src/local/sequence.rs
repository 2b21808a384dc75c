//! Continues a series: after the lines for `red` and `green` comes the line for `blue`.

use super::limits::LIST_STEP_TOKENS;
use super::{
    mapping::Mapping,
    token_lines::TokenPage,
    words::{LinePiece, PieceKind, new_part, same_but_for_style},
};

/// Continues the current line as the next of a series that the two lines above began.
///
/// The two lines must differ in words only. The next words come from the numbers in them, or from a list
/// elsewhere in the text that has the same words in the same order.
pub(super) fn next_line(page: &TokenPage<'_>) -> Option<String> {
    let current = page.current;
    let (first, second) = (&page.lines[current.checked_sub(2)?], &page.lines[current.checked_sub(1)?]);
    if first.indent != second.indent || !second.has_words() {
        return None;
    }
    let mut step = Mapping::default();
    if !first.becomes(second, &mut step) {
        return None;
    }
    let mut next = Mapping::default();
    let elsewhere = list_tokens(page);
    for (before, last) in step.changes() {
        if next.apply(last).is_none() && !next.learn(last, successor(&elsewhere, before, last)?) {
            return None;
        }
    }
    next.changes().next()?;
    // An empty line gives no evidence that the series continues: numbers need a third line as evidence.
    let counts = step.changes().any(|(before, last)| next_number(before, last).is_some());
    let vouched = || {
        let Some(third) = current.checked_sub(3).map(|at| &page.lines[at]) else { return false };
        let mut earlier = Mapping::default();
        // It must lead to the line above in the same way: 1, 3, 4 is not a series.
        let is_even = |(before, last): (&str, &str)| {
            next_number(before, last).is_none_or(|next| step.apply(last).is_none_or(|there| there == next))
        };
        third.indent == first.indent && third.becomes(first, &mut earlier) && earlier.changes().all(is_even)
    };
    if page.typed().is_blank() && counts && !vouched() {
        return None;
    }
    let (line, _) = next.carry(&second.tokens);
    let is_there = page.lines.iter().any(|known| known.text == line);
    let continuation = line.strip_prefix(page.typed().text)?;
    let indent = if page.typed().is_blank() { second.indent.strip_prefix(page.typed().indent)? } else { "" };
    (!is_there && !continuation.is_empty()).then(|| format!("{indent}{continuation}"))
}

/// The word after `last` in a series in which `last` follows `before`.
fn successor(elsewhere: &[LinePiece<'_>], before: &str, last: &str) -> Option<String> {
    next_number(before, last).or_else(|| next_in_list(elsewhere, before, last))
}

/// `x4` after `x2` and `x3`, or `30` after `10` and `20`.
fn next_number(before: &str, last: &str) -> Option<String> {
    if is_size(before) || is_size(last) {
        return None;
    }
    let (there, here) = (new_part(last, before)?, new_part(before, last)?);
    let (from, to): (i64, i64) = (before[there].parse().ok()?, last[here.clone()].parse().ok()?);
    let next = to.checked_add(to.checked_sub(from)?).filter(|next| *next >= 0)?;
    // Numbers with leading zeros keep their width.
    let width = here.len();
    Some(format!("{}{next:0width$}{}", &last[..here.start], &last[here.end..]))
}

/// Whether the number in a word is part of its name: `u32`, `utf8`, `Sha256`.
fn is_size(word: &str) -> bool {
    let digits = word.trim_start_matches(|it: char| !it.is_ascii_digit());
    let name = &word[..word.len() - digits.len()];
    let size: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let known = ["8", "16", "32", "64", "128", "256", "384", "512"].contains(&size.as_str());
    known && name.ends_with(|it: char| it.is_alphabetic()) && name.chars().count() <= 6
}

/// The word after `before` and `last` in a list with the same separators.
fn next_in_list(elsewhere: &[LinePiece<'_>], before: &str, last: &str) -> Option<String> {
    let next_word = |from: usize| {
        let near = elsewhere.iter().enumerate().skip(from + 1).take(LIST_STEP_TOKENS);
        near.filter(|(_, token)| token.kind == PieceKind::Word).map(|(index, _)| index).next()
    };
    let is_first =
        |token: &LinePiece<'_>| token.kind == PieceKind::Word && same_but_for_style(token.text, before);
    let firsts = elsewhere.iter().enumerate().filter(|(_, token)| is_first(token)).map(|(index, _)| index);
    let mut lists = firsts.filter_map(|first| {
        let second = next_word(first)?;
        let third = next_word(second)?;
        let (gap, next_gap) = (&elsewhere[first + 1..second], &elsewhere[second + 1..third]);
        let is_same = |(one, other): (&LinePiece<'_>, &LinePiece<'_>)| {
            one.kind == other.kind && (one.kind == PieceKind::Space || one.text == other.text)
        };
        let is_list = gap.len() == next_gap.len()
            && gap.iter().zip(next_gap).all(is_same)
            && gap.iter().any(|token| token.kind == PieceKind::Mark);
        (is_list && same_but_for_style(elsewhere[second].text, last))
            .then_some((elsewhere[second].text, elsewhere[third].text))
    });
    let (there, next) = lists.next()?;
    let mut mapping = Mapping::default();
    mapping.learn(there, next).then(|| mapping.apply(last))?
}

/// The tokens of all lines outside the series, in order, with white space between them.
fn list_tokens<'a>(page: &TokenPage<'a>) -> Vec<LinePiece<'a>> {
    let own = page.current - 2..=page.current;
    let others = page.lines.iter().enumerate().filter(|(index, _)| !own.contains(index));
    let line_end = LinePiece { kind: PieceKind::Space, text: "\n" };
    others.flat_map(|(_, line)| line.tokens.iter().copied().chain([line_end])).collect()
}
