//! Whether a model's next edit may be shown.

use std::ops::Range;
use std::sync::Arc;

use super::super::excerpt::Excerpt;
use super::{Hunk, Situation, follow, repair, whole_lines};
use crate::assist::confidence::Confidence;
use crate::assist::names::{self, Unknown};
use crate::document::Document;
use crate::edit::guard::{self, Checks};
use crate::edit::{Edit, Refusal, apply, diff};
use crate::grammar::QueryKind;
use crate::index::Index;
use crate::route::Gear;
use crate::snapshot::RecentEdit;

/// Steps that an edit may not take back.
const STEPS: usize = 3;
/// Bytes of one hunk; what is larger is no next edit.
const LARGEST: usize = 2 * 1024;
/// Lines around the cursor in which an edit needs no other reason.
const NEAR_LINES: usize = 10;
/// Bytes that an edit may take away without a doubt, where it takes most of what was there. As Cody has it, measured on
/// 1,778 edits that people made: 2.8 % take away more.
const REMOVED: usize = 300;

/// The hunks that edits of an excerpt make, those around the cursor first.
///
/// # Errors
///
/// Why none of them may be shown.
pub(super) fn hunks(
    situation: &Situation,
    excerpt: &Excerpt,
    index: &Index,
    edits: Vec<Edit>,
) -> Result<Vec<Hunk>, Refusal> {
    let mut passed = Vec::new();
    let mut refused = None;
    for group in groups(&excerpt.text, edits) {
        match check(situation, excerpt, index, &group) {
            Ok(()) => passed.push(group),
            Err(refusal) => refused = Some(refusal),
        }
    }
    match refused {
        Some(refusal) if passed.is_empty() => return Err(refusal),
        _ => {}
    }
    let mut hunks: Vec<Hunk> = passed.iter().map(|group| hunk(situation, excerpt, group)).collect();
    let cursor = situation.cursor;
    // What is above the cursor is behind the user.
    hunks.sort_by_key(|hunk| (hunk.edit.span.end < cursor, hunk.edit.span.start));
    Ok(hunks)
}

/// Edits on neighbouring lines belong together: one cannot be understood without the other.
fn groups(text: &str, mut edits: Vec<Edit>) -> Vec<Vec<Edit>> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut groups: Vec<Vec<Edit>> = Vec::new();
    for edit in edits {
        let joins = groups.last().and_then(|group| group.last()).is_some_and(|last| {
            text[last.span.end..edit.span.start.max(last.span.end)].matches('\n').count() <= 1
        });
        match groups.last_mut() {
            Some(group) if joins => group.push(edit),
            _ => groups.push(vec![edit]),
        }
    }
    groups
}

/// One edit that does what all of a group do.
fn hunk(situation: &Situation, excerpt: &Excerpt, group: &[Edit]) -> Hunk {
    let document = Arc::clone(&situation.snapshot.document);
    let (start, end) = bounds(group);
    let inside: Vec<Edit> = group
        .iter()
        .map(|edit| Edit::new(edit.span.start - start..edit.span.end - start, edit.text.as_str()))
        .collect();
    let new = apply(&excerpt.text[start..end], &inside);
    let edit = Edit::new(excerpt.start + start..excerpt.start + end, new);
    let edit = whole_lines::aligned(&document, edit);
    let old = document.slice(edit.span.clone());
    Hunk { document, edit, old, gear: Gear::Fast, repeats: false }
}

fn bounds(group: &[Edit]) -> (usize, usize) {
    let start = group.first().map_or(0, |edit| edit.span.start);
    (start, group.last().map_or(start, |edit| edit.span.end))
}

fn check(situation: &Situation, excerpt: &Excerpt, index: &Index, group: &[Edit]) -> Result<(), Refusal> {
    let document = &*situation.snapshot.document;
    let (start, end) = bounds(group);
    let hunk = hunk(situation, excerpt, group);
    if hunk.old.len().max(hunk.edit.text.len()) > LARGEST {
        return Err(Refusal::TooLarge { what: "the edit has more bytes", limit: LARGEST });
    }
    let part = excerpt.parts.iter().find(|part| part.start <= start && end <= part.end);
    let part = part.cloned().unwrap_or(0..0);
    // The parser looks at the whole file below.
    let allow_invisible = situation.snapshot.settings.allow_invisible_characters;
    let checks = Checks { before: &excerpt.text, range: Some(&part), allow_invisible, ..Checks::default() };
    guard::check(&checks, group)?;
    reversal(situation, excerpt, group, &hunk.edit)?;
    doubled_step(situation, excerpt, group)?;
    in_comments_or_imports(situation, document, &hunk.edit)?;
    guard::syntax(document, std::slice::from_ref(&hunk.edit))?;
    sure(situation, excerpt, index, group, &hunk)
}

/// Refuses what is less sure than the user wants those edits to be that nobody asked for.
fn sure(
    situation: &Situation,
    excerpt: &Excerpt,
    index: &Index,
    group: &[Edit],
    hunk: &Hunk,
) -> Result<(), Refusal> {
    let document = &*situation.snapshot.document;
    let least = Confidence::least(situation.eagerness, situation.is_invoked);
    if least == Confidence::Low {
        return Ok(());
    }
    let in_steps = |name: &str| situation.steps.iter().any(|step| step.new.contains(name));
    match names::unknown(index, document, &excerpt.text, group, &in_steps) {
        Some(Unknown::Here(_)) if least < Confidence::High => {}
        Some(unknown) => return Err(Refusal::UnknownName { name: unknown.names().swap_remove(0) }),
        None => {}
    }
    let line = |byte: usize| document.text().byte_to_line(byte.min(document.text().len_bytes()));
    let (first, last) = (line(hunk.edit.span.start), line(hunk.edit.span.end));
    let cursor = line(situation.cursor);
    let is_near = first <= cursor + NEAR_LINES && cursor <= last + NEAR_LINES;
    let is_reported = situation.problems.iter().any(|it| (first..=last).contains(&line(it.span.start)));
    let lines = document.whole_lines(hunk.edit.span.clone());
    let follows = is_reported || follows(situation, &[&document.slice(lines), &hunk.edit.text]);
    let confidence = match (follows, is_near) {
        (true, _) => Confidence::High,
        (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    };
    if confidence < least {
        return Err(Refusal::Unsure { why: "it has nothing to do with what was changed" });
    }
    let (old, new) = (hunk.old.len(), hunk.edit.text.len());
    if least == Confidence::High && old.saturating_sub(new) > REMOVED && new * 10 < old * 7 {
        return Err(Refusal::Unsure { why: "it takes much away" });
    }
    Ok(())
}

/// Whether one of the texts has a name that follows from the last steps.
fn follows(situation: &Situation, texts: &[&str]) -> bool {
    follow::names(situation)
        .iter()
        .any(|name| texts.iter().any(|text| follow::words(text).any(|word| word == name)))
}

/// Refuses what takes back one of the user's last steps.
///
/// What mends a step that broke the syntax may be shown, and so may whatever was asked for explicitly.
fn reversal(situation: &Situation, excerpt: &Excerpt, group: &[Edit], edit: &Edit) -> Result<(), Refusal> {
    if situation.is_invoked {
        return Ok(());
    }
    let document = &*situation.snapshot.document;
    for (step, at) in last_steps(situation) {
        let Some(start) = at.start.checked_sub(excerpt.start + step.offset) else { continue };
        let whole = start..start + step.merged.1.len();
        for (span, old) in
            [(start + step.offset..start + step.offset + at.len(), &step.old), (whole, &step.merged.0)]
        {
            if excerpt.text.get(span.clone()).is_none() {
                continue;
            }
            let previous = apply(&excerpt.text, &[Edit::new(span.clone(), old.as_str())]);
            let judged = guard::reversal(&previous, &excerpt.text, group)
                .and_then(|()| brings_back(&previous, excerpt, group));
            let span = excerpt.start + span.start..excerpt.start + span.end;
            if judged.is_err() && !repair::is_repair(document, &span, old, situation.cursor, edit) {
                return judged;
            }
        }
    }
    Ok(())
}

/// The last steps in the file at hand whose places are known, the newest first.
fn last_steps(situation: &Situation) -> impl Iterator<Item = (&RecentEdit, &Range<usize>)> {
    let id = situation.snapshot.document.id();
    let own = situation.steps.iter().rev().filter(move |step| step.document == *id);
    own.take(STEPS).filter_map(|step| Some((&**step, step.at.as_ref()?)))
}

/// Refuses an edit that puts in beside a step's new words what these say already: `await await`.
fn doubled_step(situation: &Situation, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    if situation.is_invoked {
        return Ok(());
    }
    let document = &*situation.snapshot.document;
    for (step, at) in last_steps(situation) {
        let mut shift = 0_isize;
        for part in diff::minimal(&step.old, &step.new) {
            let start = (at.start + part.span.start).saturating_add_signed(shift);
            shift += part.growth();
            let (bare, end) = (part.text.trim(), start + part.text.len());
            let is_beside = |place: usize| {
                let between = end.min(place)..start.max(place);
                let is_inside = (start..=end).contains(&place);
                is_inside || document.slice(between).trim().is_empty()
            };
            let doubles = |edit: &Edit| {
                edit.span.is_empty() && edit.text.trim() == bare && is_beside(excerpt.start + edit.span.start)
            };
            if !bare.is_empty() && group.iter().any(doubles) {
                return Err(Refusal::Doubled { line: bare.to_owned() });
            }
        }
    }
    Ok(())
}

/// Refuses an edit after which a line is again as it was before a step, though it may do more besides.
fn brings_back(previous: &str, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    let after = apply(&excerpt.text, group);
    let has = |text: &str, line: &str| text.lines().any(|it| it == line);
    let changed = previous.lines().filter(|line| line.trim().len() > 2 && !has(&excerpt.text, line));
    let back = changed.filter(|line| has(&after, line)).count();
    if back > 0 { Err(Refusal::Reversal) } else { Ok(()) }
}

/// Refuses an edit of nothing but imports or comments, unless that is what the user is at.
fn in_comments_or_imports(situation: &Situation, document: &Document, edit: &Edit) -> Result<(), Refusal> {
    let Some((tree, grammar)) = document.syntax().zip(document.grammar()) else { return Ok(()) };
    let trimmed = trimmed(document, edit);
    let is_comment = |byte: usize| {
        let node = tree.root_node().descendant_for_byte_range(byte, byte + 1);
        node.is_some_and(|node| node.kind().contains("comment"))
    };
    let inside_comment = if trimmed.is_empty() {
        trimmed.start > 0 && is_comment(trimmed.start - 1) && !edit.text.contains('\n')
    } else {
        is_comment(trimmed.start) && is_comment(trimmed.end - 1)
    };
    let text = |node: tree_sitter::Node<'_>| {
        document.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes)
    };
    let line = document.line_start(trimmed.start)..document.next_line_start(trimmed.end);
    let imports = grammar.matches(QueryKind::Imports, tree.root_node(), line, text);
    let covers = |byte: usize| imports.iter().any(|it| it.node.byte_range().contains(&byte));
    let within = !trimmed.is_empty() && covers(trimmed.start) && covers(trimmed.end - 1);
    let adds_import =
        trimmed.is_empty() && !edit.text.trim().is_empty() && is_import(document, grammar, edit);
    let user_is_at_it = situation.steps.last().is_some_and(|step| {
        let is_inside = |at: &Range<usize>| {
            at.start <= edit.span.start && edit.span.end <= at.end && edit.span.start < at.end
        };
        step.at.as_ref().is_some_and(is_inside)
    });
    // A problem may ask for an import.
    let reported = !situation.problems.is_empty();
    if user_is_at_it {
        return Ok(());
    }
    if inside_comment || trimmed.is_empty() && is_comment_only(document, edit) {
        return Err(Refusal::Noise { what: "comments" });
    }
    if !reported && (adds_import || within) {
        return Err(Refusal::Noise { what: "imports" });
    }
    Ok(())
}

/// Whether new lines are comments and nothing else.
fn is_comment_only(document: &Document, edit: &Edit) -> bool {
    let after = document.with(edit.span.clone(), &edit.text);
    let Some(tree) = after.syntax() else { return false };
    let is_comment = |byte: usize| {
        let mut node = tree.root_node().descendant_for_byte_range(byte, byte + 1);
        while let Some(it) = node.filter(|it| !it.kind().contains("comment")) {
            node = it.parent();
        }
        node.is_some()
    };
    let mut at = edit.span.start;
    let mut any = false;
    edit.text.split_inclusive('\n').all(|line| {
        let first = at + (line.len() - line.trim_start().len());
        at += line.len();
        any |= !line.trim().is_empty();
        line.trim().is_empty() || is_comment(first)
    }) && any
}

/// Whether new lines are imports and nothing else.
fn is_import(document: &Document, grammar: &'static crate::grammar::Grammar, edit: &Edit) -> bool {
    let after = document.with(edit.span.clone(), &edit.text);
    let Some(tree) = after.syntax() else { return false };
    let lead = edit.text.len() - edit.text.trim_start().len();
    let new = edit.span.start + lead..edit.span.start + edit.text.trim_end().len();
    let text =
        |node: tree_sitter::Node<'_>| after.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    let imports = grammar.matches(QueryKind::Imports, tree.root_node(), new.clone(), text);
    let covered = |byte: usize| imports.iter().any(|it| it.node.byte_range().contains(&byte));
    !new.is_empty() && covered(new.start) && covered(new.end - 1)
}

/// The replaced bytes without blanks at their ends.
fn trimmed(document: &Document, edit: &Edit) -> Range<usize> {
    let old = document.slice(edit.span.clone());
    let lead = old.len() - old.trim_start().len();
    let start = edit.span.start + lead;
    start..start.max(edit.span.start + old.trim_end().len())
}
