//! The user's last steps as a model is shown them: line diffs.
//!
//! Accepted suggestions are distinguished from typed text.

use std::sync::Arc;

use similar::DiffTag;

use super::params::NextEditParams;
use crate::edit::diff;
use crate::prompt::next_edit::ShownStep;
use crate::snapshot::RecentEdit;
use crate::text::line;

/// Limit on the bytes of the steps that are shown, newest first.
const MAX_STEPS_BYTES: usize = 3 * 1024;
/// Unchanged lines that are shown before and after changed ones.
///
/// Changes with more lines between them become two diffs.
const CONTEXT_LINES: usize = 2;

/// The last steps that fit and that a model may be shown, oldest first.
pub(super) fn steps(params: &NextEditParams) -> Vec<ShownStep> {
    let mut room = MAX_STEPS_BYTES;
    let mut shown: Vec<ShownStep> = Vec::new();
    let is_shown = |step: &&Arc<RecentEdit>| {
        (!step.is_merged || step.is_shown_separately) && !params.withheld.contains(&step.document)
    };
    for step in params.recent_edits.iter().rev().filter(is_shown) {
        let diffs = diffs(step);
        let bytes: usize = diffs.iter().flat_map(|diff| &diff.lines).map(|(_, line)| line.len()).sum();
        if bytes > room {
            break;
        }
        room -= bytes;
        shown.extend(diffs.into_iter().rev());
    }
    shown.reverse();
    shown
}

/// The diffs of one step, in line order.
fn diffs(step: &RecentEdit) -> Vec<ShownStep> {
    // An accepted suggestion is distinguished from the user's own typing.
    let (old, new, lead) = match step.is_mixed {
        true => (&step.old, &step.new, 0),
        false => (&step.merged.0, &step.merged.1, step.merged.1[..step.offset].matches('\n').count()),
    };
    // The lines around the last part need not be those around the whole step.
    let is_alone = *new == step.new;
    let around = |text: &'_ str| if is_alone { signed(' ', &line::split(text)) } else { Vec::new() };
    let (above, below) = (around(&step.above), around(&step.below));
    let mut lines = above.clone();
    let (old, new) = (line::split(old), line::split(new));
    for op in diff::ops(&old, &new) {
        match op.tag() {
            DiffTag::Equal => lines.extend(signed(' ', &new[op.new_range()])),
            _ => {
                lines.extend(signed('-', &old[op.old_range()]));
                lines.extend(signed('+', &new[op.new_range()]));
            }
        }
    }
    lines.extend(below);
    let is_change = |(sign, _): &(char, String)| *sign != ' ';
    let changed: Vec<usize> =
        lines.iter().enumerate().filter(|(_, it)| is_change(it)).map(|(at, _)| at).collect();
    let runs = changed.chunk_by(|one, next| next - one <= 2 * CONTEXT_LINES + 1);
    let first_line = step.line + 1 - lead;
    let diffs = runs.filter_map(|run| {
        let (first, last) = (*run.first()?, *run.last()?);
        let before = lines[above.len().min(first)..first].iter().filter(|(sign, _)| *sign != '-').count();
        let shown = first.saturating_sub(CONTEXT_LINES)..(last + 1 + CONTEXT_LINES).min(lines.len());
        Some(ShownStep {
            path: step.path.to_string(),
            line: first_line + before,
            lines: lines[shown].to_vec(),
            is_accepted: step.is_accepted,
        })
    });
    diffs.collect()
}

fn signed(sign: char, lines: &[&str]) -> Vec<(char, String)> {
    lines.iter().map(|text| (sign, line::body(text).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(old: &str, new: &str, is_accepted: bool, expect: Expect) {
        let step = RecentEdit {
            document: DocumentId::new("a"),
            path: "a.rs".into(),
            line: 9,
            old: old.to_owned(),
            new: new.to_owned(),
            merged: (old.to_owned(), new.to_owned()),
            offset: 0,
            is_merged: false,
            is_mixed: false,
            is_shown_separately: false,
            above: "above\n".to_owned(),
            below: "below\n".to_owned(),
            at: None,
            is_accepted,
            ended: std::time::Instant::now(),
        };
        let mut shown = String::new();
        for diff in diffs(&step) {
            let accepted = if diff.is_accepted { " (accepted)" } else { "" };
            shown += &format!("@@ {}{accepted}\n", diff.line);
            shown.extend(diff.lines.iter().map(|(sign, line)| format!("{sign}{line}\n")));
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn lines_between_two_changes_stay_unsigned() {
        check(
            "let a = 1;\ncall(a);\nlet b = 2;\n",
            "let a = 3;\ncall(a);\nlet b = 4;\n",
            true,
            expect![[r#"
                @@ 10 (accepted)
                 above
                -let a = 1;
                +let a = 3;
                 call(a);
                -let b = 2;
                +let b = 4;
                 below
            "#]],
        );
    }

    #[test]
    fn changes_far_apart_are_two_diffs() {
        let same = "1\n2\n3\n4\n5\n6\n";
        check(
            &format!("a\n{same}z\n"),
            &format!("a\nnew\n{same}y\n"),
            false,
            expect![[r#"
                @@ 11
                 above
                 a
                +new
                 1
                 2
                @@ 18
                 5
                 6
                -z
                +y
                 below
            "#]],
        );
    }
}
