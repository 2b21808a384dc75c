//! Diff markers must not end up in the file.

use super::changed::runs;
use crate::edit::{Edit, Refusal, line};

/// Refuses edits whose new lines have diff markers in their first column.
///
/// That is a `+`, with only markers and spaces below and above it. No language needs such a line, and many
/// parsers accept the marker as the sign of a number.
///
/// A file that has such lines may get more of them. A `+` and a single space are a list bullet.
///
/// The error is [`Refusal::Marker`] with the line.
pub(super) fn diff_marks(before: &str, edits: &[Edit]) -> Result<(), Refusal> {
    if !edits.iter().any(|edit| edit.text.contains('+')) || line::split_iter(before).any(is_added) {
        return Ok(());
    }
    for run in runs(before, edits) {
        let mut new = line::split_iter(&run.new).filter(|line| !line::is_blank(line));
        let marked = line::split_iter(&run.new).find(|line| is_added(line));
        if let Some(line) = marked.filter(|_| new.all(|line| line.starts_with(['+', '-', ' ']))) {
            return Err(Refusal::Marker { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

fn is_added(line: &str) -> bool {
    let is_point = |rest: &str| rest.starts_with(' ') && !rest.starts_with("  ");
    line.strip_prefix('+')
        .is_some_and(|rest| !line::is_blank(rest) && !rest.starts_with('+') && !is_point(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff;

    #[track_caller]
    fn check(before: &str, after: &str, is_sound: bool) {
        let judged = diff_marks(before, &diff::minimal(before, after));
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn marked_lines() {
        let file = "f() {\n    a();\n    b();\n}\n";
        check(file, "f() {\n    a();\n+    c();\n    b();\n}\n", false);
        check(file, "f() {\n-    a();\n+    c();\n    b();\n}\n", false);
        check(file, "f() {\n     a();\n+    c();\n     b();\n}\n", false);
        check("a\nb\n", "a\n+b2\n", false);
        check("a\n\tb\n", "a\n+\tc\n\tb\n", false);
        check("", "+a\n+b\n", false);
    }

    #[test]
    fn signs_of_the_text() {
        check("a\n", "a\n+ b\n+ c\n", true);
        check("a\n", "a\n+++ b\n", true);
        check("a\n", "a\n    + b\n", true);
        check("+a\n", "+a\n+b\n", true);
        check("a\n", "a\ndiff = '''\n-b\n+c\n'''\n", true);
        check("- a\n", "- a\n- b\n", true);
        check("x = a\n", "x = a + b\n", true);
    }
}
