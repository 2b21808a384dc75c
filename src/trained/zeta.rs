//! Zed's Zeta 2 and Zeta 2.1, derived from Seed-Coder.
//!
//! The prompt has the fill-in-the-middle form, suffix first: the text after the region, then other
//! files, the recent edits as unified diffs and the current file up to the region, each below its
//! name, then the region. Zeta 2 shows the region as one side of a conflict, writes the other side,
//! and ends with the conflict's last line; `NO_EDITS` means no change. Zeta 2.1 shows it as blocks
//! between numbered markers and rewrites a range of them, from one marker to another; the same
//! marker twice means no change. Both may place the cursor with one more marker.

use super::history;
use super::scene::{Rendered, Scene, ended, free_of, on_one_line, unix, without_cursor};
use crate::edit::{End, Literal};
use crate::edit::{Refusal, Unchecked, span};
use crate::grammar::Grammar;

const SUFFIX: &str = "<[fim-suffix]>";
const PREFIX: &str = "<[fim-prefix]>";
const MIDDLE: &str = "<[fim-middle]>";
const FILE: &str = "<filename>";
const HISTORY: &str = "edit_history\n";
const CURSOR: &str = "<|user_cursor|>";
/// The token that ends a text, as printed by servers that show such tokens.
const END_OF_TEXT: &str = "<[end▁of▁sentence]>";
const CURRENT: &str = "<<<<<<< CURRENT\n";
const DIVIDER: &str = "=======\n";
const UPDATED: &str = ">>>>>>> UPDATED\n";
const NO_EDITS: &str = "NO_EDITS";
const NUMBERED: &str = "<|marker_";
/// Markers that must not occur in any text shown to the model.
const RESERVED: [&str; 8] =
    [SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, END_OF_TEXT, "<<<<<<< CURRENT", ">>>>>>> UPDATED"];

/// How the region is marked in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// As one side of a conflict (Zeta 2).
    Conflict,
    /// With numbered markers (Zeta 2.1).
    Numbered,
}

pub(super) fn render(marks: Marks, scene: &Scene) -> Option<Rendered> {
    if scene.has_one_of(&RESERVED) || scene.has_one_of(&[NUMBERED]) {
        return None;
    }
    let region = match marks {
        Marks::Conflict => {
            // A conflict divider in the region would end it.
            if scene.region.lines().any(|line| line == DIVIDER.trim_end()) {
                return None;
            }
            [CURRENT, &scene.marked(CURSOR), DIVIDER].concat()
        }
        Marks::Numbered => numbered(scene),
    };
    let history = history::write(&scene.steps);
    let history = if history.is_empty() { history } else { format!("{FILE}{HISTORY}{history}\n") };
    let path = on_one_line(&scene.path);
    let tail = format!("{history}{FILE}{path}\n{}{region}{MIDDLE}", unix(&scene.before));
    let head = ended([SUFFIX, &unix(&scene.after)].concat()) + PREFIX;
    // Zeta 2 ends its reply itself, and its end marker has to be part of the reply.
    let stop: &[&str] = if marks == Marks::Numbered { &[END_OF_TEXT] } else { &[] };
    Some(Rendered { head, tail, stop })
}

pub(super) fn quote(files: &[(&str, String)]) -> String {
    let is_free = |text: &str| !RESERVED.iter().chain([&NUMBERED]).any(|mark| text.contains(mark));
    let files = files.iter().filter(|(_, text)| is_free(text));
    // The line of dots shows that the file continues.
    let quoted: String = files
        .map(|(path, text)| format!("{FILE}{}\n{}...\n", on_one_line(path), ended(unix(text))))
        .collect();
    if quoted.is_empty() { quoted } else { quoted + "\n" }
}

/// Formats a numbered marker.
fn mark(number: usize) -> String {
    format!("{NUMBERED}{number}|>")
}

/// Start of each block of a region, and the end of the last one.
fn bounds(region: &str) -> Vec<usize> {
    span::cut(region, 0..region.len()).tags.into_iter().map(|(_, at)| at).collect()
}

/// The region with a marker before each block and one after the last.
fn numbered(scene: &Scene) -> String {
    let region = &scene.region;
    let bounds = bounds(region);
    let mut shown = String::new();
    for (at, start) in bounds.iter().enumerate() {
        shown += &mark(at + 1);
        let Some(end) = bounds.get(at + 1) else { continue };
        let is_here =
            (*start..*end).contains(&scene.cursor) || (*end == region.len() && scene.cursor == *end);
        let cursor = if is_here { scene.cursor } else { *start };
        let (before, after) = region[*start..*end].split_at_checked(cursor - start).unwrap_or_default();
        shown += &unix(before);
        shown += if is_here { CURSOR } else { "" };
        shown += &unix(after);
    }
    ended(shown)
}

/// Reads a reply in the form of one side of a conflict.
pub(super) fn read_conflict(
    scene: &Scene,
    grammar: Option<&Grammar>,
    reply: &str,
) -> Result<Unchecked, Refusal> {
    let reply = unix(reply);
    if reply.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    let is_end = |line: &str| line.trim_end() == UPDATED.trim_end();
    let mut at = 0;
    let end = reply.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        is_end(line).then_some((start, at))
    });
    let Some((end, next)) = end else { return Err(Refusal::Truncated { inside: "the new lines" }) };
    ends_there(&reply[next..])?;
    if reply[..end].trim() == NO_EDITS {
        return Ok(Unchecked::default());
    }
    let new = without_cursor(&reply[..end], CURSOR)?;
    free_of(&new, &RESERVED)?;
    if new.lines().any(|line| line == DIVIDER.trim_end()) {
        return Err(Refusal::Marker { line: DIVIDER.trim_end().to_owned() });
    }
    scene.literal(grammar, End::Mark).edits(&new)
}

/// Refuses text after the end marker.
fn ends_there(rest: &str) -> Result<(), Refusal> {
    match rest.replacen(END_OF_TEXT, "", 1).trim() {
        "" => Ok(()),
        _ => Err(Refusal::malformed("it goes on behind its end mark")),
    }
}

/// A numbered marker in a reply: its position and its number.
struct Found {
    start: usize,
    end: usize,
    number: usize,
}

fn marks_in(reply: &str) -> Vec<Found> {
    let found = reply.match_indices(NUMBERED).filter_map(|(start, _)| {
        let (number, _) = reply[start + NUMBERED.len()..].split_once("|>")?;
        let end = start + NUMBERED.len() + number.len() + 2;
        Some(Found { start, end, number: number.parse().ok()? })
    });
    found.collect()
}

/// Reads a reply in the form of a sequence of blocks between numbered markers.
pub(super) fn read_numbered(
    scene: &Scene,
    grammar: Option<&Grammar>,
    reply: &str,
) -> Result<Unchecked, Refusal> {
    let malformed = |detail: &str| Refusal::malformed(detail);
    let reply = unix(reply);
    if reply.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    let found = marks_in(&reply);
    let (first, last) = match found.as_slice() {
        [] if reply.contains(NUMBERED) => return Err(Refusal::Truncated { inside: "a mark" }),
        [] => return Err(malformed("it has no numbered marks")),
        [_] => return Err(Refusal::Truncated { inside: "a block" }),
        [first, .., last] => (first, last),
    };
    if !reply[..first.start].trim().is_empty() {
        return Err(malformed("there are words before its first mark"));
    }
    let rest = reply[last.end..].replacen(END_OF_TEXT, "", 1);
    if !rest.trim().is_empty() {
        // A block has begun, and its end is missing.
        return Err(Refusal::Truncated { inside: "a block" });
    }
    if first.number == last.number {
        let is_empty = found.len() == 2 && reply[first.end..last.start].trim().is_empty();
        return if is_empty {
            Ok(Unchecked::default())
        } else {
            Err(malformed("it contains a marker twice"))
        };
    }
    if !found.windows(2).all(|pair| pair[1].number == pair[0].number + 1) {
        return Err(malformed("its marks are not one after the other"));
    }
    let bounds = bounds(&scene.region);
    let bound = |number: usize| number.checked_sub(1).and_then(|at| bounds.get(at)).copied();
    let (Some(start), Some(end)) = (bound(first.number), bound(last.number)) else {
        return Err(malformed("one of its marks is not in the region"));
    };
    let mut new = String::new();
    for pair in found.windows(2) {
        let block = &reply[pair[0].end..pair[1].start];
        // Text follows a marker directly, so it is ambiguous whether this line break belongs to it.
        let is_blank = |at: Option<usize>| {
            at.is_some_and(|at| scene.region[at..].starts_with(['\n', '\r']) || at == scene.region.len())
        };
        if block.starts_with('\n') && !is_blank(bound(pair[0].number)) {
            return Err(malformed("a line ends right behind a mark, which the text may have or not"));
        }
        new += block;
    }
    let new = without_cursor(&new, CURSOR)?;
    free_of(&new, &RESERVED)?;
    let (before, after) = (&scene.region[..start], &scene.region[end..]);
    let (before, after) = ([&scene.before, before].concat(), [after, &scene.after].concat());
    let literal = Literal {
        before: &before,
        range: &scene.region[start..end],
        after: &after,
        ..scene.literal(grammar, End::Mark)
    };
    Ok(literal.edits(&new)?.shifted(start))
}

pub(super) fn parse(marks: Marks, prompt: &str) -> Option<Scene> {
    let (after, rest) = prompt.strip_prefix(SUFFIX)?.split_once(PREFIX)?;
    let (rest, current) = rest.strip_suffix(MIDDLE)?.rsplit_once(FILE)?;
    let (path, current) = current.split_once('\n')?;
    let history = rest.rsplit_once(FILE).map_or("", |(_, last)| last);
    let (before, region) = match marks {
        Marks::Conflict => {
            let (before, region) = current.split_once(CURRENT)?;
            (before, region.strip_suffix(DIVIDER)?.to_owned())
        }
        Marks::Numbered => {
            let at = current.find(&mark(1))?;
            let found = marks_in(current);
            let blocks = found.windows(2).map(|pair| &current[pair[0].end..pair[1].start]);
            (&current[..at], blocks.collect())
        }
    };
    let cursor = region.find(CURSOR)?;
    Some(Scene {
        path: path.to_owned(),
        before: before.to_owned(),
        region: region.replacen(CURSOR, "", 1),
        cursor,
        after: after.to_owned(),
        earlier: None,
        steps: history::read(history.strip_prefix(HISTORY).unwrap_or_default()),
    })
}

pub(super) fn write_conflict(scene: &Scene, new: &str) -> String {
    let new = if new == scene.region { format!("{NO_EDITS}\n") } else { ended(unix(new)) };
    new + UPDATED
}

/// Writes the whole region as blocks between its numbered markers.
pub(super) fn write_numbered(scene: &Scene, new: &str) -> String {
    if new == scene.region {
        return mark(1) + &mark(1);
    }
    let blocks = bounds(&scene.region).len() - 1;
    let (first, rest) = (unix(new), (2..=blocks + 1).map(mark).collect::<Vec<String>>());
    // The first block holds all the text, and the others are empty.
    [mark(1), first, rest.concat()].concat()
}
