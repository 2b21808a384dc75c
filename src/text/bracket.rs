//! Brackets, and the characters that editors insert behind a cursor.

use super::ident;

/// The closing brackets.
pub const CLOSERS: [char; 3] = [')', ']', '}'];

/// Whether a line begins by closing a block, with a bracket or with a word as in Ruby and shells.
pub fn closes_block(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(CLOSERS) || matches!(ident::first_partial(text), "end" | "fi" | "done" | "esac")
}

/// Whether a character may follow the cursor in a line that is still being written.
///
/// These are closing brackets and quotes, separators, and white space.
pub fn is_trailing(letter: char) -> bool {
    CLOSERS.contains(&letter)
        || matches!(letter, '>' | '"' | '\'' | '`' | ';' | ',' | ':')
        || letter.is_whitespace()
}
