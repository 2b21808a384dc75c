//! Definitions that a new text lacks.

use std::collections::{HashMap, HashSet};

use super::comparison::{Comparison, Version};
use super::definitions::{Definition, declarations, with_types};
use super::instruction::has_word_of;
use super::mentions::WordCounts;
use super::unrelated::{instruction_stems, is_everywhere, stems};
use crate::edit::check::is_comment;
use crate::edit::line;
use crate::edit::runs::{has_word_chars, visible};
use crate::text::{counts, ident};

/// The definitions of the range that the new text lacks, if nothing gives a reason for it.
///
/// A definition may go if the reply's prose names it, if the instruction names it as one to replace, if the code that
/// used it uses it no longer, if a new one of its kind may replace it, or if most of its lines remain. A
/// function that the result still calls was not replaced.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    let [old, new] = [&compared.before, &compared.after].map(Version::all_definitions);
    let mut lost = fewer([(&old, compared.before.text), (&new, compared.after.text)]);
    // Nearly always so. What follows reads the whole file.
    if lost.is_empty() {
        return Vec::new();
    }
    let (before, after) = (compared.before.text, compared.after.text);
    let (in_old, in_new) = (compared.before.words(), compared.after.words());
    let defined: HashSet<&str> = new.iter().map(|it| it.name.as_str()).collect();
    let [known_before, known] = [&compared.before, &compared.after]
        .map(|it| WordCounts::of_words(declarations(it.document(), it.text, |_| true)));
    let lines = [before, after].map(|text| counts(visible(text)));
    // The code of a type or a module does not move to another place when the definitions in it remain.
    let is_container = |outer: &Definition| {
        let first = old.partition_point(|it| it.span.start <= outer.span.start);
        let inner = old[first..].iter().take_while(|it| it.span.end <= outer.span.end);
        !outer.is_callable() && inner.take(MOST_INNER).any(|it| defined.contains(it.name.as_str()))
    };
    let mentions = compared.mentions();
    let mut moved = Vec::new();
    lost.retain(|it| {
        let name = it.name.as_str();
        // It is imported, or defined in another way.
        let is_kept = known.count(name) > 0 && known.count(name) >= known_before.count(name)
            || in_new.assigned.contains(name) && !in_old.assigned.contains(name);
        let is_named = mentions.prose_has(name) || compared.intent.replaces && mentions.instruction_has(name);
        let is_moved = || is_mostly_kept(&before[it.span.clone()], &lines) && !is_container(it);
        let goes = !is_named && !is_kept;
        if goes && is_moved() {
            moved.push(*it);
            return false;
        }
        goes
    });
    if let Some(name) = renamed(compared, &moved) {
        return vec![name];
    }
    let lost_text = text_of(&lost, before);
    let in_lost = WordCounts::of(&lost_text);
    // The code that used it remains, and uses it no longer.
    lost.retain(|it| in_old.count(&it.name) == in_lost.count(&it.name) || in_new.count(&it.name) > 0);
    // What is in a type that goes, goes with it.
    let mut end = 0;
    lost.retain(|it| {
        let is_inside = it.span.end <= end;
        end = if it.has_lines(before) { end.max(it.span.end) } else { end };
        !is_inside || it.has_lines(before)
    });
    let code = without_comments(after);
    // A member of one line is often renamed in some uses only.
    let is_still_used =
        |it: &&Definition| it.is_callable() && it.has_lines(before) && calls_bare(&code, &it.name);
    let used: Vec<String> = lost.iter().copied().filter(is_still_used).map(|it| it.name.clone()).collect();
    if !used.is_empty() {
        return used;
    }
    let count = |of: &mut dyn Iterator<Item = &Definition>| {
        let mut counts = [0_usize; 2];
        of.for_each(|it| counts[usize::from(!it.is_callable())] += 1);
        counts
    };
    // One that has moved has a new name, too.
    let gone = count(&mut lost.iter().chain(&moved).copied());
    let added = count(&mut new.iter().filter(|it| in_old.count(&it.name) == 0));
    if gone[0] <= added[0] && gone[1] <= added[1] {
        return Vec::new();
    }
    lost.into_iter().map(|it| it.name.clone()).collect()
}

/// The lines of a text that are no comments.
fn without_comments(text: &str) -> String {
    line::split_iter(text).filter(|line| !is_comment(line.trim())).collect()
}

/// The first function whose code only has another name, if the instruction is not about names, about that one, or about
/// all of the code.
fn renamed(compared: &Comparison<'_>, moved: &[&Definition]) -> Option<String> {
    let (mentions, in_old, instruction) =
        (compared.mentions(), compared.before.words(), compared.asked.instruction);
    if instruction.is_empty()
        || compared.intent.replaces
        || asks_for_names(instruction)
        || is_everywhere(instruction)
    {
        return None;
    }
    // In the same place among the functions.
    let [old, new] = [&compared.before, &compared.after].map(|it| -> Vec<&str> {
        it.definitions().iter().filter(|it| it.is_callable()).map(|it| it.name.as_str()).collect()
    });
    if moved.is_empty() || old.len() != new.len() {
        return None;
    }
    let asked = instruction_stems(instruction);
    let is_unasked = |old: &str, new: &str| {
        let known: HashSet<String> = stems(old).collect();
        in_old.count(new) == 0
            && !mentions.has(new)
            && !mentions.prose_has(old)
            && !stems(new).any(|stem| asked.contains(&stem) && !known.contains(&stem))
    };
    let places: HashMap<&str, usize> = old.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut gone = moved.iter().filter(|it| it.is_callable()).map(|it| it.name.as_str());
    let is_renamed = |name: &&str| places.get(name).is_some_and(|at| is_unasked(name, new[*at]));
    gone.find(is_renamed).map(str::to_owned)
}

/// Whether an instruction is about names.
fn asks_for_names(instruction: &str) -> bool {
    const STEMS: [&str; 6] = ["call", "conven", "generic", "nam", "pluri", "snake"];
    has_word_of(instruction, &STEMS)
}

/// The definitions that go though the instruction asks for another removal: those that are still called, and, if it
/// names one, those that have nothing to do with it.
///
/// What is in a definition that is named, uses it or is used by it may go with it.
pub(super) fn lost_beside(compared: &Comparison<'_>) -> Vec<String> {
    if !compared.is_code {
        return Vec::new();
    }
    let (before, after) = (compared.before.text, compared.after.text);
    let (mentions, known) = (compared.mentions(), compared.after.declared());
    let assigned = &compared.after.words().assigned;
    let is_gone =
        |it: &&Definition| !known.contains(it.name.as_str()) && !assigned.contains(it.name.as_str());
    let gone = compared.before.definitions().iter().filter(is_gone);
    let (named, others): (Vec<&Definition>, Vec<&Definition>) =
        gone.partition(|it| mentions.instruction_has(&it.name));
    let is_called =
        |it: &&&Definition| it.is_callable() && calls_bare(after, &it.name) && !mentions.prose_has(&it.name);
    let called: Vec<String> =
        others.iter().take(MOST_INNER).filter(is_called).map(|it| it.name.clone()).collect();
    if !called.is_empty() || named.is_empty() {
        return called;
    }
    let named_text = text_of(&named, before);
    let in_named = WordCounts::of(&named_text);
    let names: HashSet<&str> = named.iter().map(|it| it.name.as_str()).collect();
    let has_other_reason = |it: &&Definition| {
        in_named.count(&it.name) > 0
            || mentions.has(&it.name)
            || ident::words(&before[it.span.clone()]).take(MOST_WORDS).any(|word| names.contains(word))
    };
    others.into_iter().filter(|it| !has_other_reason(it)).map(|it| it.name.clone()).collect()
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
fn fewer<'d>([(old, before), (new, after)]: [(&'d [Definition], &'d str); 2]) -> Vec<&'d Definition> {
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
    let first_line = |it: &Definition| line::first_partial(&text[it.span.clone()]).trim();
    with_types(all).map(|(it, around)| (around, first_line(it))).collect()
}

/// The text of some definitions, in order, each with the annotations on the lines above it: `@limit.setter`.
fn text_of(definitions: &[&Definition], text: &str) -> String {
    let (mut parts, mut end) = (Vec::new(), 0);
    for Definition { span, .. } in definitions {
        let is_annotation = |line: &str| ["@", "#["].iter().any(|sign| line.trim_start().starts_with(sign));
        let mut start = span.start - line::last_partial(&text[..span.start]).len();
        while let Some(above) = line::last(&text[..start], 1).pop().filter(|line| is_annotation(line)) {
            start -= above.len();
        }
        // A nested definition belongs to the one around it.
        parts.push(&text[start.max(end)..span.end.max(end)]);
        end = end.max(span.end);
    }
    parts.join("\n")
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
