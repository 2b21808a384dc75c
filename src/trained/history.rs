//! Recent edits as unified diffs, the form that Zeta and Mercury were trained on.

use crate::prompt::next_edit::ShownStep;

use super::scene::on_one_line;

/// The line before an edit that was an accepted suggestion.
const ACCEPTED: &str = "// User accepted prediction:\n";

/// Writes the edits, oldest first, each below the header of its file.
pub(super) fn write(steps: &[ShownStep]) -> String {
    let mut history = String::new();
    for step in steps {
        if step.is_accepted {
            history.push_str(ACCEPTED);
        }
        let path = on_one_line(&step.path);
        let count = |sign: char| step.lines.iter().filter(|(it, _)| *it == sign || *it == ' ').count();
        let (old, new) = (count('-'), count('+'));
        // `step.line` is the line of the first change, but a hunk starts at its first context line.
        let lead = step.lines.iter().take_while(|(sign, _)| *sign == ' ').count();
        let start = step.line.saturating_sub(lead).max(1);
        history += &format!("--- a/{path}\n+++ b/{path}\n@@ -{start},{old} +{start},{new} @@\n");
        history.extend(step.lines.iter().map(|(sign, line)| format!("{sign}{line}\n")));
    }
    history
}

/// Parses the output of [`write`].
pub(super) fn read(history: &str) -> Vec<ShownStep> {
    let mut steps: Vec<ShownStep> = Vec::new();
    let mut is_accepted = false;
    let mut lines = history.lines().peekable();
    while let Some(line) = lines.next() {
        if line == ACCEPTED.trim_end() {
            is_accepted = true;
        } else if let Some(path) = line.strip_prefix("--- a/")
            && let Some(_) = lines.next_if(|next| next.starts_with("+++ b/"))
        {
            let is_accepted = std::mem::take(&mut is_accepted);
            steps.push(ShownStep { path: path.to_owned(), is_accepted, ..ShownStep::default() });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("@@ -").and_then(|rest| rest.split_once(',')) {
                Some((start, _)) => step.line = start.parse().unwrap_or(1),
                None => step.lines.extend(signed(line)),
            }
        }
    }
    for step in &mut steps {
        step.line += step.lines.iter().take_while(|(sign, _)| *sign == ' ').count();
    }
    steps
}

fn signed(line: &str) -> Option<(char, String)> {
    let sign = line.chars().next().filter(|sign| matches!(sign, ' ' | '-' | '+'))?;
    Some((sign, line[1..].to_owned()))
}
