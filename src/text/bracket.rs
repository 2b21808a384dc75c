//! Brackets, and the characters that editors insert behind a cursor.

/// The closing brackets.
pub const CLOSERS: [char; 3] = [')', ']', '}'];

/// Whether a character may follow the cursor in a line that is still being written.
///
/// These are closing brackets and quotes, separators, and white space.
pub fn is_trailing(letter: char) -> bool {
    CLOSERS.contains(&letter)
        || matches!(letter, '>' | '"' | '\'' | '`' | ';' | ',' | ':')
        || letter.is_whitespace()
}
