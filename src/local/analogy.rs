//! Continues a line by analogy with a similar line.
//!
//! The line being typed is aligned with every other line of the text. Where another line begins alike, token by
//! token, the words that differ define a change (`width` is now `height`), and the rest of that line with the
//! same change applied is a candidate. The lines above both are compared too: they support the analogy, and may
//! contribute changes that the line itself does not show yet.

use std::cmp::Reverse;

use super::limits::{
    CHANGE_POINTS, CHANGED_WORD_POINTS, COMPARED_LINES, COMPARED_LINES_ABOVE, INDENT_POINTS,
    LINE_ABOVE_POINTS, RIVAL_POINTS, TOKEN_POINTS, TYPED_LINE_BYTES,
};
use super::{
    mapping::Mapping,
    sequence,
    token_lines::{PageWords, TokenLine, TokenPage},
    words::{PieceKind, new_part},
};
use crate::text::ident;

/// Continues the line at the cursor, between `before` and `after`, by a series or by analogy.
///
/// `None` if no line of the text is analogous, if analogous lines disagree, or if the candidate is already
/// there. Deterministic for a given text. While real code is typed, a fifth of its candidates are right to the
/// end of the line: enough for an explicit request, too little for any other.
pub fn complete(before: &str, after: &str) -> Option<String> {
    continue_line(before, after, |page| sequence::next_line(page).or_else(|| by_analogy(page, |_| true)))
}

/// Finishes the line at the cursor with a word that is evident from the line above: below `self.width = width`,
/// `self.height = ` continues with `height`. While real code is typed, more than half of its candidates are
/// right.
pub fn complete_surely(before: &str, after: &str) -> Option<String> {
    continue_line(before, after, |page| {
        let is_at_word = page.typed().unfinished_word().is_none() && !page.typed().is_blank();
        if is_at_word { by_analogy(page, |analog| analog.is_evident(page)) } else { None }
    })
}

fn continue_line(
    before: &str,
    after: &str,
    continuation: impl FnOnce(&TokenPage<'_>) -> Option<String>,
) -> Option<String> {
    let typed_len = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let is_inside_a_word = after.starts_with(ident::is_part) && before.ends_with(ident::is_part);
    if typed_len > TYPED_LINE_BYTES || is_inside_a_word {
        return None;
    }
    let page = TokenPage::new(before, after);
    let above = page.current.checked_sub(1).map(|index| &page.lines[index]);
    if page.typed().is_comment() || (page.typed().is_blank() && above.is_some_and(TokenLine::is_comment)) {
        return None;
    }
    // An empty line starts something new.
    if page.typed().is_blank() && above.is_some_and(TokenLine::is_blank) {
        return None;
    }
    let completion = continuation(&page)?;
    if invents_a_path(&page, &completion, before, after) {
        return None;
    }
    let completion = fit(&completion, page.rest)?;
    let repeats_next_line = page.rest.trim().is_empty()
        && page.next_line().is_some_and(|next| is_same_line(&page, &completion, next.text));
    (!repeats_next_line && !after.starts_with(&completion)).then_some(completion)
}

/// Whether a completion would name a part of a path or an import that does not occur in the text: analogy
/// cannot reveal the contents of a folder or a module.
fn invents_a_path(page: &TokenPage<'_>, completion: &str, before: &str, after: &str) -> bool {
    const IMPORTS: [&str; 8] =
        ["use ", "import ", "from ", "#include", "require", "mod ", "package ", "using "];
    let typed = page.typed().text;
    let line = format!("{typed}{}", completion.lines().next().unwrap_or_default());
    let start = line.trim_start();
    let is_import = IMPORTS.iter().any(|word| start.starts_with(word)) || start.contains("require(");
    let mut end = 0;
    let mut words = line.split(|it: char| !ident::is_part(it)).map(|word| {
        let start = line[end..].find(word).map_or(end, |at| end + at);
        end = start + word.len();
        (start, word)
    });
    words.any(|(start, word)| {
        let end = start + word.len();
        let sign = |it: char| matches!(it, '/' | '\\');
        // In a path, the part must occur with its separator.
        let piece = match (line[..start].ends_with(sign), line[end..].starts_with(sign)) {
            (true, _) => Some(&line[start - 1..end]),
            (false, true) => Some(&line[start..=end]),
            (false, false) => None,
        };
        let is_known = match piece {
            Some(piece) => before.contains(piece) || after.contains(piece),
            None => !is_import || ident::has_word(before, word) || ident::has_word(after, word),
        };
        end > typed.len() && !word.is_empty() && !is_known
    })
}

/// Whether the completed line would equal another one.
fn is_same_line(page: &TokenPage<'_>, completion: &str, other: &str) -> bool {
    let first = completion.lines().next().unwrap_or_default();
    other.strip_prefix(page.typed().text).is_some_and(|tail| tail == first.trim_end())
}

/// Fits a completion to the text after the cursor on its line: closing brackets stay where they are, and before
/// anything else the result is `None`.
fn fit(completion: &str, rest: &str) -> Option<String> {
    let completion = completion.trim_end();
    if completion.is_empty() || rest.trim().is_empty() {
        return (!completion.trim().is_empty()).then(|| completion.to_owned());
    }
    let is_closing = |c: char| matches!(c, ')' | ']' | '}' | '"' | '\'' | '`' | ';' | ',' | ' ' | '>');
    if !rest.chars().all(is_closing) || completion.contains('\n') {
        return None;
    }
    let at = completion.rfind(rest.trim())?;
    let (fitting, tail) = completion.split_at(at);
    let ends_there = tail.chars().all(is_closing);
    (ends_there && !fitting.trim().is_empty()).then(|| fitting.to_owned())
}

/// A line analogous to the current one.
struct Analog<'a> {
    index: usize,
    alignment: PrefixAlignment<'a>,
    /// The rest of the current line according to this analog.
    rest: String,
    /// The number of lines above that match and have words.
    above: usize,
    /// Whether the change applied to words after the cursor, or completed the word being typed.
    carries_change: bool,
    strength: i64,
}

impl Analog<'_> {
    /// Whether the typed part differs from the line above, and the same change yields the only remaining word.
    fn is_evident(&self, page: &TokenPage<'_>) -> bool {
        let words = ident::words(&self.rest).count();
        self.index + 1 == page.current && self.carries_change && self.alignment.differs && words == 1
    }
}

/// The best continuation that is trusted and satisfies `is_wanted`, if any.
fn by_analogy(page: &TokenPage<'_>, is_wanted: impl Fn(&Analog<'_>) -> bool) -> Option<String> {
    let vocabulary = PageWords::of(page);
    let mut indices: Vec<usize> = (0..page.lines.len()).filter(|index| *index != page.current).collect();
    indices.sort_by_key(|index| (index.abs_diff(page.current), *index));
    let analogs = indices.into_iter().filter_map(|index| analog(page, &vocabulary, index));
    let analogs: Vec<Analog<'_>> = analogs.take(COMPARED_LINES).collect();
    let nearest = |analog: &Analog<'_>| Reverse((analog.index.abs_diff(page.current), analog.index));
    let best = analogs.iter().max_by_key(|analog| (analog.strength, nearest(analog)))?;
    if !is_wanted(best) || !is_trusted(page, best, &analogs) {
        return None;
    }
    Some(best.rest.clone())
}

/// Whether there is enough evidence to offer an analog.
fn is_trusted(page: &TokenPage<'_>, analog: &Analog<'_>, all: &[Analog<'_>]) -> bool {
    let line = format!("{}{}", page.typed().text, analog.rest);
    let is_new = |back: usize| {
        let above = page.current.checked_sub(back).map(|index| page.lines[index].text);
        above != Some(line.as_str())
    };
    let is_rival =
        |other: &Analog<'_>| other.rest != analog.rest && other.strength + RIVAL_POINTS > analog.strength;
    if all.iter().any(is_rival) {
        return false;
    }
    if page.typed().is_blank() {
        return analog.carries_change
            && analog.above >= 2
            && (1..=3).all(is_new)
            && analog.rest.contains(ident::is_part);
    }
    let is_neighbour = analog.index + 1 == page.current;
    if analog.carries_change {
        return analog.alignment.alike >= if analog.above > 0 || is_neighbour { 2 } else { 3 };
    }
    // The rest would be copied unchanged: that requires other analogs that agree, or matching lines above.
    let agreeing = all.iter().filter(|other| other.rest == analog.rest).count();
    let agreed = agreeing >= 2 && agreeing * 3 >= all.len() * 2;
    let vouched = analog.above > 0 && !analog.alignment.differs;
    analog.alignment.alike >= 3 && (agreed || vouched) && is_new(1)
}

/// Aligns the line being typed with another line.
fn analog<'a>(page: &TokenPage<'a>, vocabulary: &PageWords<'a>, index: usize) -> Option<Analog<'a>> {
    let (typed, line) = (page.typed(), &page.lines[index]);
    if !may_begin_like(typed, line) {
        return None;
    }
    let above = lines_above(page, index);
    // A single word, or none, is not evidence on its own.
    if typed.tokens.len() <= 1 && above.lines == 0 {
        return None;
    }
    let (alignment, above) = match begin(page, vocabulary, line, above.mapping) {
        Some(alignment) => (alignment, above.lines),
        // The lines above may contradict the line itself, which takes precedence.
        None => (begin(page, vocabulary, line, Mapping::default())?, 0),
    };
    let (rest, changed) = alignment.mapping.carry(&line.tokens[typed.tokens.len()..]);
    let rest = format!("{}{rest}", alignment.completion);
    if rest.trim().is_empty() {
        return None;
    }
    let carries_change = changed > 0 || alignment.is_found_by_change;
    let strength = LINE_ABOVE_POINTS * above as i64
        + TOKEN_POINTS * alignment.alike as i64
        + if carries_change { CHANGE_POINTS } else { 0 }
        + if line.indent == typed.indent { INDENT_POINTS } else { 0 }
        - CHANGED_WORD_POINTS * alignment.mapping.changes().count() as i64;
    Some(Analog { index, alignment, rest, above, carries_change, strength })
}

/// A cheap check whether two lines may begin alike.
fn may_begin_like(typed: &TokenLine<'_>, line: &TokenLine<'_>) -> bool {
    let Some(there) = line.tokens.first() else { return false };
    let first = typed.tokens.first();
    first.is_none_or(|first| {
        first.kind == there.kind && (first.kind == PieceKind::Word || first.text == there.text)
    })
}

/// The evidence of the lines above for an analogy.
#[derive(Default)]
struct Above<'a> {
    mapping: Mapping<'a>,
    /// The number of lines that match and have words.
    lines: usize,
}

fn lines_above<'a>(page: &TokenPage<'a>, index: usize) -> Above<'a> {
    let mut above = Above::default();
    for back in 1..=COMPARED_LINES_ABOVE {
        let (Some(here), Some(there)) = (page.current.checked_sub(back), index.checked_sub(back)) else {
            break;
        };
        let (here, there) = (&page.lines[here], &page.lines[there]);
        let mut mapping = above.mapping.clone();
        if !there.becomes(here, &mut mapping) {
            break;
        }
        above.mapping = mapping;
        above.lines += usize::from(here.has_words());
    }
    above
}

/// The alignment of the line being typed with an analogous line.
struct PrefixAlignment<'a> {
    mapping: Mapping<'a>,
    /// The amount of matching text: one for each punctuation character, two for each word.
    alike: usize,
    /// Whether any word differs.
    differs: bool,
    /// The completion of the word being typed.
    completion: String,
    /// Whether that took more than copying the other line's word.
    is_found_by_change: bool,
}

fn begin<'a>(
    page: &TokenPage<'a>,
    vocabulary: &PageWords<'a>,
    line: &TokenLine<'a>,
    mapping: Mapping<'a>,
) -> Option<PrefixAlignment<'a>> {
    let typed = page.typed();
    if typed.tokens.len() > line.tokens.len() {
        return None;
    }
    let unfinished = typed.unfinished_word();
    let ends = typed.tokens.len() - usize::from(unfinished.is_some());
    let mut alignment = PrefixAlignment {
        mapping,
        alike: 0,
        differs: false,
        completion: String::new(),
        is_found_by_change: false,
    };
    for (typed, there) in typed.tokens[..ends].iter().zip(&line.tokens) {
        match (typed.kind, there.kind) {
            (PieceKind::Word, PieceKind::Word) if alignment.mapping.learn(there.text, typed.text) => {
                alignment.alike += if typed.text == there.text { 2 } else { 0 };
                alignment.differs |= typed.text != there.text;
            }
            (PieceKind::Space, PieceKind::Space) => {}
            (PieceKind::Mark, PieceKind::Mark) if typed.text == there.text => alignment.alike += 1,
            _ => return None,
        }
    }
    match (unfinished, line.tokens.get(ends)) {
        (None, _) => Some(alignment),
        (Some(stem), Some(there)) if there.kind == PieceKind::Word => {
            finish_word(alignment, vocabulary, stem, there.text)
        }
        (Some(_), _) => None,
    }
}

/// Completes the word being typed, for which the analogous line has `there`.
fn finish_word<'a>(
    mut alignment: PrefixAlignment<'a>,
    vocabulary: &PageWords<'a>,
    stem: &'a str,
    there: &'a str,
) -> Option<PrefixAlignment<'a>> {
    if let Some(expected) = alignment.mapping.apply(there) {
        let rest = expected.strip_prefix(stem)?;
        alignment.is_found_by_change = expected != there && !rest.is_empty();
        alignment.alike += 2;
        alignment.completion = rest.to_owned();
        return Some(alignment);
    }
    if let Some(rest) = there.strip_prefix(stem) {
        alignment.mapping.learn(there, there);
        alignment.alike += 2;
        alignment.completion = rest.to_owned();
        return Some(alignment);
    }
    let word =
        if is_known(vocabulary, stem, there) { stem.to_owned() } else { extend(vocabulary, stem, there)? };
    alignment.differs = true;
    alignment.is_found_by_change = word != stem;
    alignment.completion = word[stem.len()..].to_owned();
    alignment.mapping.learn(there, word).then_some(alignment)
}

/// Whether a word is complete: the text has the word, or the part in which it differs from `there`.
fn is_known(vocabulary: &PageWords<'_>, word: &str, there: &str) -> bool {
    let has_part = |part: &str| vocabulary.has(part) || vocabulary.has(&part.to_lowercase());
    vocabulary.has(word)
        || word.chars().all(char::is_numeric)
        || new_part(there, word).is_some_and(|range| has_part(&word[range]))
}

/// The unique completion of a partial word by a word of the text, whole or in the part that differs from
/// `there`: with `height` in the text, `set_hei` beside `set_width` becomes `set_height`.
fn extend(vocabulary: &PageWords<'_>, stem: &str, there: &str) -> Option<String> {
    if let Some(word) = vocabulary.only_one_after(stem) {
        return Some(word.to_owned());
    }
    let part = &stem[new_part(there, stem).filter(|range| range.end == stem.len())?];
    let small = part.to_lowercase();
    let word = vocabulary.only_one_after(part).or_else(|| vocabulary.only_one_after(&small))?;
    Some(format!("{stem}{}", word.get(part.len()..)?))
}
