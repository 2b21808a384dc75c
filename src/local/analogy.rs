//! Continuing a line the way that a similar line went on.
//!
//! The line being typed is laid beside every other line of the text. Where one begins in the same way, word by word and
//! sign by sign, the words that differ say what has changed (`width` is now `height`), and the rest of that line, with
//! the same change made, is what may come next. The lines above both are compared too: they vouch for the analogy, and
//! may know of changes that the line itself does not show yet.

use std::collections::BTreeSet;

use super::{
    page::{Line, Page},
    sequence,
    words::{Kind, Mapping, Token, is_word, same_parts},
};

/// A line longer than this is not code that somebody types, in bytes.
const LONGEST_LINE: usize = 1000;
/// How many lines above are compared.
const ABOVE: usize = 4;
/// The longest block that is offered with a line.
const BODY: usize = 24;
/// The shortest beginning of a word that is completed from the text's vocabulary, in bytes.
const SHORTEST_STEM: usize = 2;

/// Continues the text at the cursor, which stands between `before` and `after`.
///
/// None if no line of the text is analogous, if analogous lines disagree, or if what would be offered stands there
/// already. The same text always gets the same answer.
pub fn complete(before: &str, after: &str) -> Option<String> {
    let typed_len = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let is_inside_a_word = after.starts_with(is_word) && before.ends_with(is_word);
    if typed_len > LONGEST_LINE || is_inside_a_word {
        return None;
    }
    let page = Page::new(before, after);
    if page.typed().is_comment() {
        return None;
    }
    let completion = sequence::next_line(&page).or_else(|| Some(best_analog(&page)?.completion))?;
    let completion = fit(&completion, page.rest)?;
    let repeats_next_line = page.rest.trim().is_empty()
        && page.next_line().is_some_and(|next| is_same_line(&page, &completion, next.text));
    (!repeats_next_line && !after.starts_with(&completion)).then_some(completion)
}

/// Whether the current line would read the same as another one.
fn is_same_line(page: &Page<'_>, completion: &str, other: &str) -> bool {
    let first = completion.lines().next().unwrap_or_default();
    other.strip_prefix(page.typed().text).is_some_and(|tail| tail == first.trim_end())
}

/// Makes a completion fit before what stands after the cursor on the line: closing signs stay where they are, and
/// before anything else nothing is offered.
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

/// A line that the current one may go on like.
struct Analog {
    completion: String,
    /// The whole line, as it would read.
    line: String,
    /// Whether words of the completion were changed, or the word being typed was found by the change.
    carries_change: bool,
    /// Whether any of the words before the cursor differ.
    differs: bool,
    /// How much of the lines above is alike.
    above: Above,
    /// How much before the cursor is alike: one for each sign, two for each word.
    alike: usize,
    /// Whether the analogous line is the one right above.
    is_neighbour: bool,
    score: i64,
}

/// What the lines above say for an analogy.
#[derive(Debug, Clone, Default)]
struct Above {
    mapping: Mapping,
    /// How many of them are alike and have words.
    lines: usize,
}

fn best_analog(page: &Page<'_>) -> Option<Analog> {
    let vocabulary: BTreeSet<&str> = page.words().collect();
    let indices = (0..page.lines.len()).filter(|index| *index != page.current);
    let analogs: Vec<Analog> = indices.filter_map(|index| analog(page, &vocabulary, index)).collect();
    let trusted = analogs.iter().enumerate().filter(|(_, analog)| is_trusted(page, analog, &analogs));
    // Of equals the last one before the cursor, then the first one after it, is the nearest: it has the higher score.
    let best = trusted.max_by_key(|(index, analog)| (analog.score, std::cmp::Reverse(*index)))?.0;
    analogs.into_iter().nth(best)
}

/// Whether there is reason enough to offer an analog.
fn is_trusted(page: &Page<'_>, analog: &Analog, all: &[Analog]) -> bool {
    let is_new = |back: usize| {
        let above = page.current.checked_sub(back).map(|index| page.lines[index].text);
        above != Some(analog.line.as_str())
    };
    if page.typed().is_blank() {
        let vouched = analog.above.lines >= 2 || (analog.above.lines == 1 && analog.carries_change);
        return vouched && (1..=3).all(is_new) && analog.completion.contains(is_word);
    }
    if analog.carries_change {
        return analog.alike >= if analog.above.lines > 0 || analog.is_neighbour { 2 } else { 3 };
    }
    // The rest would be copied as it is: that needs others who agree, or lines above that agree.
    let agreeing = all.iter().filter(|other| other.completion == analog.completion).count();
    let agreed = agreeing >= 2 && agreeing * 3 >= all.len() * 2;
    let vouched = analog.above.lines > 0 && !analog.differs;
    analog.alike >= 3 && (agreed || vouched) && is_new(1)
}

/// Lays the line being typed beside another one.
fn analog(page: &Page<'_>, vocabulary: &BTreeSet<&str>, index: usize) -> Option<Analog> {
    let (typed, line) = (page.typed(), &page.lines[index]);
    if line.is_blank() || line.is_comment() {
        return None;
    }
    if let Some(first) = typed.tokens.first()
        && (first.kind != line.tokens[0].kind || (first.kind == Kind::Mark && first.text != line.tokens[0].text))
    {
        return None;
    }
    let above = lines_above(page, index);
    let (begun, above) = match begin(page, vocabulary, line, above.mapping.clone()) {
        Some(begun) => (begun, above),
        // The lines above may contradict the line itself, which knows better.
        None => (begin(page, vocabulary, line, Mapping::default())?, Above::default()),
    };
    let tail = &line.tokens[typed.tokens.len()..];
    let (rest, changed) = carry(tail, &begun.mapping);
    let mut completion = format!("{}{}", begun.completion, rest);
    let whole = format!("{}{}", typed.text, completion);
    completion.push_str(&body(page, index, &begun.mapping).unwrap_or_default());
    if completion.trim().is_empty() {
        return None;
    }
    let carries_change = changed > 0 || begun.is_found_by_change || completion.contains('\n');
    let distance = index.abs_diff(page.current) as i64;
    let score = 20 * above.lines as i64 + 2 * begun.alike as i64
        + if carries_change { 15 } else { 0 }
        + if line.indent == typed.indent { 6 } else { 0 }
        - 3 * begun.mapping.changes().count() as i64
        - distance.min(40) / 4;
    Some(Analog {
        completion,
        line: whole,
        carries_change,
        differs: begun.differs,
        above,
        alike: begun.alike,
        is_neighbour: index + 1 == page.current,
        score,
    })
}

/// Compares the lines above the current one with those above another one.
fn lines_above(page: &Page<'_>, index: usize) -> Above {
    let mut above = Above::default();
    for back in 1..=ABOVE {
        let (Some(here), Some(there)) = (page.current.checked_sub(back), index.checked_sub(back)) else { break };
        let (here, there) = (&page.lines[here], &page.lines[there]);
        let mut mapping = above.mapping.clone();
        if !is_alike(there, here, &mut mapping) {
            break;
        }
        above.mapping = mapping;
        above.lines += usize::from(here.has_words());
    }
    above
}

/// Whether one line becomes another by exchanging words. What was exchanged is added to the mapping.
pub(super) fn is_alike(from: &Line<'_>, to: &Line<'_>, mapping: &mut Mapping) -> bool {
    from.tokens.len() == to.tokens.len()
        && from.tokens.iter().zip(&to.tokens).all(|(from, to)| match (from.kind, to.kind) {
            (Kind::Word, Kind::Word) => mapping.learn(from.text, to.text),
            (Kind::Space, Kind::Space) => true,
            _ => from == to,
        })
}

/// The common beginning of the line being typed and an analogous line.
struct Begun {
    mapping: Mapping,
    alike: usize,
    differs: bool,
    /// What completes the word that is being typed.
    completion: String,
    is_found_by_change: bool,
}

fn begin(
    page: &Page<'_>,
    vocabulary: &BTreeSet<&str>,
    line: &Line<'_>,
    mapping: Mapping,
) -> Option<Begun> {
    let typed = page.typed();
    if typed.tokens.len() > line.tokens.len() {
        return None;
    }
    let unfinished = typed.unfinished_word();
    let ends = typed.tokens.len() - usize::from(unfinished.is_some());
    let mut begun =
        Begun { mapping, alike: 0, differs: false, completion: String::new(), is_found_by_change: false };
    for (typed, there) in typed.tokens[..ends].iter().zip(&line.tokens) {
        match (typed.kind, there.kind) {
            (Kind::Word, Kind::Word) if begun.mapping.learn(there.text, typed.text) => {
                begun.alike += if typed.text == there.text { 2 } else { 0 };
                begun.differs |= typed.text != there.text;
            }
            (Kind::Space, Kind::Space) => {}
            (Kind::Mark, Kind::Mark) if typed.text == there.text => begun.alike += 1,
            _ => return None,
        }
    }
    match (unfinished, line.tokens.get(ends)) {
        (None, _) => Some(begun),
        (Some(stem), Some(there)) if there.kind == Kind::Word => {
            finish_word(begun, vocabulary, stem, there.text)
        }
        (Some(_), _) => None,
    }
}

/// Finds what the word being typed is going to be, where the analogous line has `there`.
fn finish_word(mut begun: Begun, vocabulary: &BTreeSet<&str>, stem: &str, there: &str) -> Option<Begun> {
    if let Some(expected) = begun.mapping.apply(there) {
        let rest = expected.strip_prefix(stem)?;
        begun.is_found_by_change = expected != there && !rest.is_empty();
        begun.alike += 2;
        begun.completion = rest.to_owned();
        return Some(begun);
    }
    if let Some(rest) = there.strip_prefix(stem) {
        begun.mapping.learn(there, there);
        begun.alike += 2;
        begun.completion = rest.to_owned();
        return Some(begun);
    }
    let word = if is_known(vocabulary, stem, there) { stem.to_owned() } else { extend(vocabulary, stem, there)? };
    if !begun.mapping.learn(there, &word) {
        return None;
    }
    begun.differs = true;
    begun.is_found_by_change = word != stem;
    begun.completion = word[stem.len()..].to_owned();
    Some(begun)
}

/// Whether a word is complete as it stands: the text has it, or has what it is made of where it differs from `there`.
fn is_known(vocabulary: &BTreeSet<&str>, word: &str, there: &str) -> bool {
    vocabulary.contains(word)
        || word.chars().all(char::is_numeric)
        || Mapping::new_part(there, word).is_some_and(|part| vocabulary.iter().any(|known| same_parts(known, part)))
}

/// The one word of the text that a word being typed can become, by itself or in the part in which it differs from
/// `there`: with `height` in the text, `set_hei` beside `set_width` becomes `set_height`.
fn extend(vocabulary: &BTreeSet<&str>, stem: &str, there: &str) -> Option<String> {
    let only = |start: &str| {
        let mut words = vocabulary.iter().filter(|word| word.len() > start.len() && word.starts_with(start));
        let first = words.next()?;
        words.next().is_none().then_some(*first)
    };
    if stem.len() < SHORTEST_STEM {
        return None;
    }
    if let Some(word) = only(stem) {
        return Some(word.to_owned());
    }
    let part = Mapping::new_part(there, stem).filter(|part| part.len() >= SHORTEST_STEM && part.len() < stem.len())?;
    let small = part.to_lowercase();
    let word = only(part).or_else(|| only(&small))?;
    stem.ends_with(part).then(|| format!("{stem}{}", &word[part.len()..]))
}

/// The text of tokens with the words changed, and how many were.
pub(super) fn carry(tokens: &[Token<'_>], mapping: &Mapping) -> (String, usize) {
    let mut text = String::new();
    let mut changed = 0;
    for token in tokens {
        match mapping.apply(token.text).filter(|_| token.kind == Kind::Word) {
            Some(word) => {
                changed += usize::from(word != token.text);
                text.push_str(&word);
            }
            None => text.push_str(token.text),
        }
    }
    (text, changed)
}

/// The block that a line opens, with the words changed, if the current line would open one and none is there yet.
fn body(page: &Page<'_>, index: usize, mapping: &Mapping) -> Option<String> {
    let (typed, opener) = (page.typed(), &page.lines[index]);
    let opens = opener.text.ends_with(['{', '(', '[', ':']) || opener.text.ends_with(" do");
    let is_inner = |line: &Line<'_>, than: &Line<'_>| line.indent.len() > than.indent.len();
    let next = page.next_line();
    if !opens || !page.rest.trim().is_empty() || next.is_some_and(|next| is_inner(next, typed)) {
        return None;
    }
    let below = &page.lines[index + 1..];
    // The analog's own block must not run into the line being typed.
    let until = page.current.checked_sub(index + 1).unwrap_or(below.len());
    let inner = below[..until].iter().take_while(|line| line.is_blank() || is_inner(line, opener)).count();
    let blank = below[..inner].iter().rev().take_while(|line| line.is_blank()).count();
    let mut block: Vec<&Line<'_>> = below[..inner - blank].iter().collect();
    let is_closer = |line: &Line<'_>| line.text.starts_with(['}', ')', ']']) || line.text == "end";
    let is_closed = next.is_some_and(|next| next.indent == typed.indent && is_closer(next));
    if block.is_empty() || block.len() > BODY {
        return None;
    }
    match below[..until].get(inner).filter(|line| is_closer(line) && line.indent == opener.indent) {
        Some(closer) if !is_closed => block.push(closer),
        Some(_) => {}
        // A block that needs a closing sign and has none here is not whole.
        None if opener.text.ends_with(':') => {}
        None => return None,
    }
    let mut text = String::new();
    for line in block {
        text.push_str(page.line_end);
        if let Some(deeper) = line.indent.strip_prefix(opener.indent)
            && !line.is_blank()
        {
            text.push_str(typed.indent);
            text.push_str(deeper);
        }
        text.push_str(&carry(&line.tokens, mapping).0);
    }
    Some(text)
}
