//! How much of a text is read for secrets, and of ignore files for patterns.
//!
//! Each bounds the work for one byte of a text, so that no text makes a scan slow; a test counts the bytes
//! that are looked at. All are larger than what is found in code that people write.

use std::ops::{Range, RangeInclusive};

/// Patterns of all ignore files on the way to a file.
pub(super) const PATTERNS: usize = 10_000;
/// Those among them that are no plain names: each becomes a part of an automaton, which takes some 20 MB at
/// most.
pub(super) const WILD_PATTERNS: usize = 1_000;
/// Bytes of one pattern: no path is longer.
pub(super) const PATTERN_BYTES: usize = 4_096;

/// Bytes of a token.
pub(super) const TOKEN_BYTES: usize = 16 * 1024;
/// Bytes after which a token ends wherever reading stopped, so that no text is read repeatedly.
pub(super) const CUT_TOKEN_BYTES: usize = 1000;
/// Literals that a token is joined of.
pub(super) const TOKEN_PARTS: usize = 8;
/// Bytes of a private key or a signed token.
pub(super) const KEY_BYTES: usize = 16 * 1024;
/// Bytes of a line in a block of base64: RFC 1421 has 64, RFC 2045 up to 76 …
pub(super) const KEY_BLOCK_LINE_BYTES: Range<usize> = 56..80;
/// … and the fewest such lines that are a block.
pub(super) const KEY_BLOCK_LINES: usize = 3;
/// Bytes of a literal without a name. A longer one is an image, a font or a table.
pub(super) const LITERAL_BYTES: RangeInclusive<usize> = 32..=200;
/// Bytes of a literal that is given to the name of a key …
pub(super) const NAMED_LITERAL_BYTES: RangeInclusive<usize> = 32..=4096;
/// … and of that name, right before it.
pub(super) const NAME_BYTES: usize = 40;

/// Bytes of an identifier on each side of the secret's name in it.
pub(super) const IDENTIFIER_BYTES: usize = 64;
/// Bytes of a quoted value.
pub(super) const QUOTED_BYTES: usize = 4096;
/// Bytes of a value without quotes.
pub(super) const VALUE_BYTES: usize = 4096;
/// Bytes of a value without quotes that may be of any characters.
pub(super) const BARE_WORD_BYTES: usize = 256;
/// Bytes of an expression before the literal that it falls back to.
pub(super) const EXPRESSION_BYTES: usize = 160;
/// Lines of a value that is a block of text.
pub(super) const BLOCK_VALUE_LINES: usize = 24;
/// Bytes between a name and the value that stands beside it in an object.
pub(super) const BESIDE_BYTES: usize = 320;
/// Bytes of a command line.
pub(super) const COMMAND_BYTES: usize = 384;
/// Bytes of a line that are looked back at.
pub(super) const LINE_BYTES: usize = 512;

/// Lines of which is known what they say of secrets: those of the windows that were looked at last, twice.
pub(super) const KEPT_LINES: usize = 1_500;
/// Bytes of some lines of which is known what they say together, at least …
pub(super) const PIECE_BYTES: usize = 512;
/// … and how many of them: those of the same windows.
pub(super) const KEPT_PIECES: usize = 500;
/// Bytes of a text whose lines are kept: a window's, and a prompt's.
pub(super) const KEPT_TEXT_BYTES: usize = 32 * 1024;
/// Texts of which is known what was found in them: those around the edges of the windows of some files.
pub(super) const KEPT_TEXTS: usize = 16;
