//! The output of the demonstration: a buffer with a cursor, ghost text, diffs and times.

use std::fmt;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::cli::terminal::{self, DIM, Styled};

const TITLE: Style = Style::new().bold();
const STEP: Style = AnsiColor::Cyan.on_default().bold();
const GHOST: Style = Style::new().dimmed().italic();
const FACT: Style = AnsiColor::Yellow.on_default();
/// The number of lines shown above and below the cursor's line.
const AROUND: usize = 3;
/// The width of prose, in columns.
const WIDTH: usize = 100;

/// The text being edited. Lines end with `\n` and columns are bytes.
pub(super) struct Buffer {
    text: String,
    cursor: usize,
}

impl Buffer {
    /// A buffer whose cursor is after the first occurrence of `before`.
    pub(super) fn new(text: &str, before: &str) -> Option<Self> {
        let cursor = text.find(before)? + before.len();
        Some(Self { text: text.to_owned(), cursor })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// The cursor's position in LSP form.
    pub(super) fn position(&self) -> Value {
        self.position_at(self.cursor)
    }

    fn position_at(&self, byte: usize) -> Value {
        let before = &self.text[..byte];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        json!({ "line": before.matches('\n').count(), "character": byte - line_start })
    }

    /// The position `bytes` after the start of the first occurrence of `words`.
    pub(super) fn position_behind(&self, words: &str, bytes: usize) -> anyhow::Result<Value> {
        let at = self.text.find(words).ok_or_else(|| anyhow::anyhow!("the sample has lost `{words}`"))?;
        Ok(self.position_at(at + bytes))
    }

    /// The zero-based line of the first occurrence of `words`.
    pub(super) fn line_of(&self, words: &str) -> Option<usize> {
        self.text.lines().position(|line| line.contains(words))
    }

    /// Applies a list of LSP edits, whose ranges refer to the current text.
    pub(super) fn apply(&mut self, edits: &Value) -> anyhow::Result<()> {
        let starts: Vec<usize> =
            std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let byte = |position: &Value| {
            let line = usize::try_from(position["line"].as_u64()?).ok()?;
            Some(starts.get(line)? + usize::try_from(position["character"].as_u64()?).ok()?)
        };
        let edits = edits.as_array().into_iter().flatten();
        let mut spans = edits
            .map(|edit| {
                let range = &edit["range"];
                let text = edit["newText"].as_str()?;
                Some((byte(&range["start"])?, byte(&range["end"])?, text))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| anyhow::anyhow!("the server sent an edit that does not fit"))?;
        spans.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
        for (start, end, text) in spans {
            self.text.replace_range(start..end, text);
        }
        Ok(())
    }

    /// Draws the lines around the cursor, with `ghost` after it.
    pub(super) fn show(&self, path: &str, ghost: &str) {
        let current = self.text[..self.cursor].matches('\n').count();
        let first = current.saturating_sub(AROUND);
        Styled::default().plain("  ").and(DIM, path).print();
        for (number, line) in self.text.lines().enumerate().skip(first).take(2 * AROUND + 1) {
            if number == current {
                let start = self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1);
                let (before, after) = line.split_at(self.cursor - start);
                let mut ghost_lines = ghost.split('\n');
                let head = ghost_lines.next().unwrap_or_default();
                let line = numbered(number).plain(before).plain("▏").and(GHOST, head);
                line.plain(after).print();
                for line in ghost_lines {
                    Styled::new(DIM, "      │").plain(" ").and(GHOST, line).print();
                }
            } else {
                numbered(number).plain(line).print();
            }
        }
    }
}

/// Displays a duration in milliseconds, with two decimals below 10 ms.
pub(super) struct ShownTime(pub(super) Duration);

impl fmt::Display for ShownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_secs_f64() * 1_000.0;
        if millis >= 10.0 { write!(f, "{millis:.0} ms") } else { write!(f, "{millis:.2} ms") }
    }
}

pub(super) fn title(title: &str, words: &str) {
    Styled::new(TITLE, title).print();
    paragraph(words);
}

pub(super) fn step(name: &str, what: &str) {
    Styled::default().plain("\n").and(STEP, name).plain("  ").plain(what).print();
}

pub(super) fn fact(words: &str) {
    Styled::default().plain("      ").and(FACT, format_args!("→ {words}")).print();
}

/// Prints an explanation of a fact.
pub(super) fn note(words: &str) {
    Styled::new(DIM, format_args!("        {words}")).print();
}

/// Prints the prompt for the next step.
pub(super) fn prompt() {
    Styled::new(DIM, "\n      Enter: next step, Ctrl+C: leave").print();
}

/// Prints commands to paste, each with its description.
pub(super) fn next_steps(steps: &[(&str, &str)]) {
    terminal::print("");
    for (command, what) in steps {
        Styled::new(TITLE, format_args!("  {command:<16}")).and(DIM, format_args!("# {what}")).print();
    }
}

pub(super) fn summary(words: &str) {
    terminal::print("");
    paragraph(words);
}

/// The gutter of a line with this zero-based number.
fn numbered(number: usize) -> Styled {
    Styled::new(DIM, format_args!("{:>5} │", number + 1)).plain(" ")
}

/// Prints prose, wrapped between words.
fn paragraph(words: &str) {
    terminal::print(terminal::broken(words, WIDTH));
}
