//! Definitions that a reply leaves out.
//!
//! A model that is asked for a whole text may reply with only the definitions that it changed. Taken as the
//! whole, such a reply would delete the others.

mod additive;
mod aside;
mod edges;
mod ends;
mod heads;
mod named_calls;
mod names;
mod parts;
mod slid;
mod used;
mod wording;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::placeholder_comment::{has_word_chars, runs, visible};
use super::syntax::MOST_PARSED;
use crate::document::Document;
use crate::edit::{Edit, Refusal, apply, edited, line};
use crate::text::ident;
pub(in crate::edit) use names::{Asked, Definition, definitions};
use names::{Mentions, WordCounts, declarations, declared};
use wording::{REMOVING, REPLACING, has_stem};

/// Refuses edits that give a range a new text which lacks definitions of the old one.
///
/// Names that are [still used](used), [parts](parts) of what stays and lines [beside](aside) other changes may not go,
/// and if the range is the whole file, neither may its [first and last lines](ends).
///
/// A definition may go if the reply's prose names it, if the instruction asks for a kind of change that removes
/// definitions or names it as one to replace, if the code that used it uses it no longer, if a new one of its kind may
/// replace it, or if most of its lines remain.
///
/// # Errors
///
/// [`Refusal::LeftOut`] with the names; [`Refusal::Malformed`] with a [method](slid) that is none any more.
pub(in crate::edit) fn left_out(
    document: &Document,
    edits: &[Edit],
    range: &Range<usize>,
    asked: Asked<'_>,
) -> Result<(), Refusal> {
    let is_code = document.grammar().is_some_and(|grammar| !grammar.is_prose());
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let is_too_large = document.text().len_bytes() + added > MOST_PARSED;
    if edits.is_empty() || is_too_large {
        return Ok(());
    }
    let refused_if_any = |names: Vec<String>| match names.is_empty() {
        true => Ok(()),
        false => Err(Refusal::LeftOut { names }),
    };
    let before = document.text().to_string();
    let is_whole = *range == (0..before.len());
    let old = if is_code { definitions(document, &before, range) } else { Vec::new() };
    // "in `remove`" asks to remove nothing.
    let names: HashSet<&str> = old.iter().map(|it| it.name.as_str()).collect();
    let is_name = |word: &str| names.contains(word);
    if has_stem(asked.instruction, &REMOVING, &is_name) {
        let after = apply(&before, edits);
        // What is in a definition goes with it.
        if !names.iter().any(|name| ident::has_word(asked.instruction, name)) {
            refused_if_any(named_calls::lost([&before, &after], asked))?;
        }
        return match document.grammar() {
            Some(_) if is_code => left_out_beside(document, edits, range, &old, asked),
            Some(_) => Ok(()),
            None => refused_if_any(heads::lost_but_used([&before, &after], asked)),
        };
    }
    let after = apply(&before, edits);
    let new_range = range.start..after.len() - (before.len() - range.end);
    let (old_part, new_part) = (&before[range.clone()], &after[new_range.clone()]);
    let (old_lines, new_lines) = (visible(old_part), visible(new_part));
    let runs = if is_code { runs(&old_lines, &new_lines) } else { Vec::new() };
    refused_if_any(parts::lost([old_part, new_part], &runs, asked))?;
    refused_if_any(named_calls::lost([old_part, new_part], asked))?;
    match document.grammar() {
        Some(_) if !is_whole && is_code => {
            refused_if_any(edges::lost(&runs, old_lines.len(), new_part, asked))?
        }
        Some(_) => {}
        None => refused_if_any(heads::lost([old_part, new_part], asked))?,
    }
    let rest = || refused_if_any(additive::lost(&runs, new_part, asked));
    if old.is_empty() && !is_whole {
        refused_if_any(aside::lost(&runs, new_part, asked))?;
        return rest();
    }
    let result = edited(document, edits);
    if is_code {
        if let Some(head) = slid::method([document, &result], [&before, &after]) {
            let detail = format!("`{head}` would no longer be in the type that it is a method of");
            return Err(Refusal::Malformed { detail });
        }
        let mut names = used::lost(document, [&before, &after], &result, range, asked);
        names.extend(used::lost_fields(document, [&before, &after], &result, range, asked));
        refused_if_any(names)?;
    }
    if is_whole {
        refused_if_any(ends::lost(document, [&before, &after], &result, asked))?;
    }
    refused_if_any(aside::lost(&runs, new_part, asked))?;
    let new = definitions(&result, &after, &new_range);
    let mut lost = fewer(&old, &new, [&before, &after]);
    // Nearly always so. What follows reads the whole file.
    if lost.is_empty() {
        return rest();
    }
    let defined: HashSet<&str> = new.iter().map(|it| it.name.as_str()).collect();
    let [known, known_before] = [(&result, &after), (document, &before)]
        .map(|(document, text)| WordCounts::of_words(declarations(document, text, |_| true)));
    let lines = [&before, &after].map(|text| line_counts(text));
    // The code of a type or a module does not move to another place when the definitions in it remain.
    let is_container = |outer: &Definition| {
        let first = old.partition_point(|it| it.span.start <= outer.span.start);
        let inner = old[first..].iter().take_while(|it| it.span.end <= outer.span.end);
        !outer.is_callable() && inner.take(MOST_INNER).any(|it| defined.contains(it.name.as_str()))
    };
    let (in_old, in_new) = (WordCounts::of(&before), WordCounts::of(&after));
    let mentions = Mentions::of(asked, new_part);
    let may_go_by_name = has_stem(asked.instruction, &REPLACING, &|_| false);
    lost.retain(|it| {
        let name = it.name.as_str();
        // It is imported, or defined in another way.
        let is_kept = known.count(name) > 0 && known.count(name) >= known_before.count(name)
            || in_new.assigned.contains(name) && !in_old.assigned.contains(name);
        let is_named = mentions.prose_has(name) || may_go_by_name && mentions.instruction_has(name);
        let is_moved = || is_mostly_kept(&before[it.span.clone()], &lines) && !is_container(it);
        !is_named && !is_kept && !is_moved()
    });
    let lost_text = text_of(&lost, &before);
    let in_lost = WordCounts::of(&lost_text);
    // The code that used it remains, and uses it no longer.
    lost.retain(|it| in_old.count(&it.name) == in_lost.count(&it.name) || in_new.count(&it.name) > 0);
    let is_replaced = |callable: bool| {
        let count = lost.iter().filter(|it| it.is_callable() == callable).count();
        let is_new = |it: &&Definition| it.is_callable() == callable && in_old.count(&it.name) == 0;
        count <= new.iter().filter(is_new).count()
    };
    if is_replaced(true) && is_replaced(false) {
        return rest();
    }
    Err(Refusal::LeftOut { names: lost.into_iter().map(|it| it.name.clone()).collect() })
}

/// Refuses edits that remove what is still [used](used) or called, and those that remove a definition which the
/// instruction names and, beside it, one that has nothing to do with it.
///
/// What is in a definition that is named, uses it or is used by it may go with it.
fn left_out_beside(
    document: &Document,
    edits: &[Edit],
    range: &Range<usize>,
    old: &[Definition],
    asked: Asked<'_>,
) -> Result<(), Refusal> {
    let before = document.text().to_string();
    let after = apply(&before, edits);
    let result = edited(document, edits);
    let used = used::lost(document, [&before, &after], &result, range, asked);
    if !used.is_empty() {
        return Err(Refusal::LeftOut { names: used });
    }
    let mentions = Mentions::of(asked, &after);
    let known = declared(&result, &after, |_| true);
    let is_gone = |it: &&Definition| {
        !known.contains(it.name.as_str()) && !mentions.in_new.assigned.contains(it.name.as_str())
    };
    let (named, others): (Vec<&Definition>, Vec<&Definition>) =
        old.iter().filter(is_gone).partition(|it| mentions.instruction_has(&it.name));
    let is_called =
        |it: &&&Definition| it.is_callable() && calls_bare(&after, &it.name) && !mentions.prose_has(&it.name);
    let called: Vec<String> =
        others.iter().take(MOST_INNER).filter(is_called).map(|it| it.name.clone()).collect();
    if !called.is_empty() {
        return Err(Refusal::LeftOut { names: called });
    }
    if named.is_empty() || others.is_empty() {
        return Ok(());
    }
    let named_text = text_of(&named, &before);
    let (in_named, names) = (WordCounts::of(&named_text), named.iter().map(|it| it.name.as_str()));
    let names: HashSet<&str> = names.collect();
    let has_other_reason = |it: &&Definition| {
        in_named.count(&it.name) > 0
            || mentions.has(&it.name)
            || ident::words(&before[it.span.clone()]).take(MOST_WORDS).any(|word| names.contains(word))
    };
    let lost: Vec<String> =
        others.into_iter().filter(|it| !has_other_reason(it)).map(|it| it.name.clone()).collect();
    if lost.is_empty() { Ok(()) } else { Err(Refusal::LeftOut { names: lost }) }
}

/// Whether a text calls a function by its bare name.
fn calls_bare(text: &str, name: &str) -> bool {
    ident::occurrences(text, name)
        .any(|at| text[at + name.len()..].starts_with('(') && !text[..at].ends_with(['.', ':', '>']))
}

/// How many words of a definition are looked at: nested ones would be read once for each level.
const MOST_WORDS: usize = 2000;

/// How many definitions in another are looked at: nested ones would be visited once for each level.
const MOST_INNER: usize = 100;

/// The definitions of whose names the new text has fewer: where it still has some, those that it lacks in their place.
fn fewer<'d>(old: &'d [Definition], new: &[Definition], [before, after]: [&str; 2]) -> Vec<&'d Definition> {
    let mut surplus: HashMap<&str, isize> = HashMap::new();
    old.iter().for_each(|it| *surplus.entry(&it.name).or_default() += 1);
    new.iter().for_each(|it| *surplus.entry(&it.name).or_default() -= 1);
    if surplus.values().all(|count| *count <= 0) {
        return Vec::new();
    }
    let remaining: HashSet<(&str, &str)> = places(new, after).into_iter().collect();
    let old = old.iter().zip(places(old, before)).filter(|(it, _)| surplus[it.name.as_str()] > 0);
    let lost: Vec<_> = old.map(|(it, place)| (it, !remaining.contains(&place))).collect();
    let names: HashSet<&str> = lost.iter().filter(|it| it.1).map(|(it, _)| it.name.as_str()).collect();
    let is_lost = |(it, is_missing): &(&Definition, bool)| *is_missing || !names.contains(it.name.as_str());
    lost.into_iter().filter(is_lost).map(|(it, _)| it).collect()
}

/// The name of the type around each definition, and the line that it begins with.
fn places<'d>(all: &'d [Definition], text: &'d str) -> Vec<(&'d str, &'d str)> {
    let mut around: Vec<&Definition> = Vec::new();
    let place = |it: &'d Definition| {
        while around.pop_if(|outer| outer.span.end <= it.span.start).is_some() {}
        let place = (
            around.last().map_or("", |outer| outer.name.as_str()),
            line::first_partial(&text[it.span.clone()]).trim(),
        );
        around.push(it);
        place
    };
    all.iter().map(place).collect()
}

/// The text of some definitions, in order.
fn text_of(definitions: &[&Definition], text: &str) -> String {
    let (mut parts, mut end) = (Vec::new(), 0);
    for Definition { span, .. } in definitions {
        // A nested definition belongs to the one around it.
        parts.push(&text[span.start.max(end)..span.end.max(end)]);
        end = end.max(span.end);
    }
    parts.join("\n")
}

/// How often each line occurs in a text.
fn line_counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    visible(text).into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

/// Whether a new text has most of the first lines of a definition as often as the old one: its code has moved.
fn is_mostly_kept(definition: &str, [old, new]: &[HashMap<&str, usize>; 2]) -> bool {
    // Without a limit, nested definitions would be read once for each level.
    const MOST: usize = 100;
    let first = line::split_iter(definition).skip(1).take(MOST).map(str::trim);
    let body: Vec<&str> = first.filter(|line| has_word_chars(line)).collect();
    let is_kept = |line: &&&str| new.get(**line).is_some_and(|count| old.get(**line) <= Some(count));
    !body.is_empty() && body.iter().filter(is_kept).count() * 2 > body.len()
}

#[cfg(test)]
mod tests;
