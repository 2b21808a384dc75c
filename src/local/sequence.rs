//! Going on with a series: after the lines for `red` and `green` comes the line for `blue`.

use super::{
    analogy::is_alike,
    page::{Line, Page},
    words::{Kind, Mapping, Token, new_part, same_but_for_style, with_part},
};

/// How far apart two neighbours of a list may stand, in tokens.
const FARTHEST: usize = 6;

/// The continuation of the current line as the next one of a series that the two lines above began.
///
/// The two lines must differ in words only. What comes next is told by the numbers in them, or by a list elsewhere in
/// the text which has the same words in the same order.
pub(super) fn next_line(page: &Page<'_>) -> Option<String> {
    let current = page.current;
    let (first, second) = (&page.lines[current.checked_sub(2)?], &page.lines[current.checked_sub(1)?]);
    if first.indent != second.indent || !second.has_words() {
        return None;
    }
    let mut step = Mapping::default();
    if !is_alike(first, second, &mut step) {
        return None;
    }
    let mut next = Mapping::default();
    let elsewhere = list_tokens(page);
    for (before, last) in step.changes() {
        if next.apply(last).is_none() {
            next.learn(last, successor(&elsewhere, before, last)?);
        }
    }
    next.changes().next()?;
    let line = next_line_text(second, &next);
    let is_there = page.lines.iter().any(|known| known.text == line);
    let continuation = line.strip_prefix(page.typed().text)?;
    let indent = if page.typed().is_blank() { second.indent.strip_prefix(page.typed().indent)? } else { "" };
    (!is_there && !continuation.is_empty()).then(|| format!("{indent}{continuation}"))
}

fn next_line_text(line: &Line<'_>, next: &Mapping<'_>) -> String {
    super::analogy::carry(&line.tokens, next).0
}

/// What follows `last` in a series that has it after `before`.
fn successor(elsewhere: &[Token<'_>], before: &str, last: &str) -> Option<String> {
    if let (Some(from), Some(to)) = (new_part(last, before), new_part(before, last))
        && let (Ok(from), Ok(number)) = (from.parse::<i64>(), to.parse::<i64>())
    {
        let next = number.checked_add(number.checked_sub(from)?).filter(|next| *next >= 0)?;
        return with_part(last, to, &format!("{next:0width$}", width = to.len()));
    }
    let words = |from: usize| {
        let near = elsewhere[from..].iter().enumerate().take(FARTHEST + 1).skip(1);
        near.filter(|(_, token)| token.kind == Kind::Word).map(move |(distance, _)| from + distance).next()
    };
    let starts = elsewhere.iter().enumerate();
    let mut found = starts.filter_map(|(a, token)| {
        if token.kind != Kind::Word || !same_but_for_style(token.text, before) {
            return None;
        }
        let b = words(a)?;
        let c = words(b)?;
        let alike = elsewhere[a + 1..b].iter().zip(&elsewhere[b + 1..c]).all(|(one, other)| {
            one.kind == other.kind && (one.kind == Kind::Space || one.text == other.text)
        });
        let is_list = b - a == c - b && elsewhere[a + 1..b].iter().any(|token| token.kind == Kind::Mark);
        (alike && is_list && same_but_for_style(elsewhere[b].text, last))
            .then_some((elsewhere[b].text, elsewhere[c].text))
    });
    let (there, next) = found.next()?;
    let mut style = Mapping::default();
    style.learn(there, next);
    style.apply(last)
}

/// The tokens of all lines but those of the series itself, one after the other with white space between them.
fn list_tokens<'a>(page: &Page<'a>) -> Vec<Token<'a>> {
    let own = page.current - 2..=page.current;
    let others = page.lines.iter().enumerate().filter(|(index, _)| !own.contains(index));
    let line_end = Token { kind: Kind::Space, text: "\n" };
    others.flat_map(|(_, line)| line.tokens.iter().copied().chain([line_end])).collect()
}
