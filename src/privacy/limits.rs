//! Limits on the reading of texts for secrets, and of ignore files for patterns.
//!
//! They bound the work per byte of a text, so that no text makes a scan slow; a test counts the inspected bytes. All
//! are larger than anything found in code that people write.

use std::ops::{Range, RangeInclusive};

/// Patterns of all ignore files above a file.
pub(super) const PATTERNS: usize = 10_000;
/// Patterns with wildcards among these: they are compiled to an automaton, which takes some 20 MB at most.
pub(super) const WILD_PATTERNS: usize = 1_000;
/// Bytes of one pattern: paths are not longer.
pub(super) const PATTERN_BYTES: usize = 4_096;

/// Bytes of a token.
pub(super) const TOKEN_BYTES: usize = 16 * 1024;
/// Bytes after which a token that was cut off is treated as complete, so that no text is read repeatedly.
pub(super) const CUT_TOKEN_BYTES: usize = 1000;
/// String literals that a token may be concatenated from.
pub(super) const TOKEN_PARTS: usize = 8;
/// Bytes of a private key or a signed token.
pub(super) const KEY_BYTES: usize = 16 * 1024;
/// Bytes of a line in a base64 block: RFC 1421 has 64, RFC 2045 up to 76 …
pub(super) const KEY_BLOCK_LINE_BYTES: Range<usize> = 56..80;
/// … and the minimum number of such lines in a block.
pub(super) const KEY_BLOCK_LINES: usize = 3;
/// Bytes of a literal without a name. Longer ones are images, fonts or tables.
pub(super) const LITERAL_BYTES: RangeInclusive<usize> = 32..=200;
/// Bytes of a literal assigned to the name of a key …
pub(super) const NAMED_LITERAL_BYTES: RangeInclusive<usize> = 32..=4096;
/// … and bytes right before it that are searched for that name.
pub(super) const NAME_BYTES: usize = 40;

/// Bytes of an identifier on each side of the secret's name that it contains.
pub(super) const IDENTIFIER_BYTES: usize = 64;
/// Bytes of a quoted value.
pub(super) const QUOTED_BYTES: usize = 4096;
/// Bytes of a value without quotes.
pub(super) const VALUE_BYTES: usize = 4096;
/// Bytes of a value without quotes that may contain any characters.
pub(super) const BARE_WORD_BYTES: usize = 256;
/// Bytes of an expression before its fallback literal.
pub(super) const EXPRESSION_BYTES: usize = 160;
/// The minimum number of bytes of a key in a list: shorter texts are rather words and numbers.
pub(super) const LISTED_KEY_BYTES: usize = 16;
/// Bytes of a value of several lines.
pub(super) const BLOCK_VALUE_BYTES: usize = 16 * 1024;
/// Its lines before the first one that looks like a secret.
pub(super) const BLOCK_LEAD_LINES: usize = 8;
/// Bytes of a passphrase with blanks.
pub(super) const PHRASE_BYTES: usize = 80;
/// Bytes between a name and a value in the same object.
pub(super) const BESIDE_BYTES: usize = 320;
/// Bytes of the rows behind a column of SQL.
pub(super) const INSERTED_BYTES: usize = 2048;
/// Bytes of a Kubernetes manifest before and after the line that says its kind.
pub(super) const MANIFEST_BYTES: usize = 16 * 1024;
/// Bytes of a command line.
pub(super) const COMMAND_BYTES: usize = 384;
/// Bytes of a line that are inspected backwards.
pub(super) const LINE_BYTES: usize = 512;

/// Lines whose facts are cached: those of the last windows, twice.
pub(super) const KEPT_LINES: usize = 1_500;
/// The minimum size in bytes of a run of lines whose facts are cached together …
pub(super) const PIECE_BYTES: usize = 512;
/// … and the number of such runs: those of the same windows.
pub(super) const KEPT_PIECES: usize = 500;
/// Bytes of a text whose lines are cached: a window's, a prompt's, and half of a file that a language server gets whole.
pub(super) const KEPT_TEXT_BYTES: usize = 64 * 1024;
