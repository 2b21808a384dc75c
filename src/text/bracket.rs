//! Brackets, and the signs that editors put behind a cursor.

/// The brackets that close.
pub const CLOSERS: [char; 3] = [')', ']', '}'];

/// Whether a character may stand between a cursor and the end of its line while the line is still being
/// written: closing brackets and quotes, separators, and white space.
pub fn is_trailing(letter: char) -> bool {
    CLOSERS.contains(&letter)
        || matches!(letter, '>' | '"' | '\'' | '`' | ';' | ',' | ':')
        || letter.is_whitespace()
}
