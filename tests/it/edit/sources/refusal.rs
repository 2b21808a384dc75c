//! Reasons not to apply a reply.

use std::fmt;

use crate::text::line::list_words;

/// A reason not to apply a reply.
///
/// Each has a stable code for machines and a sentence that a user can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The reply is empty, or nothing is left of it after cleaning.
    Empty,
    /// The reply contains only the end of a block that is closed already.
    ClosesAgain,
    /// The reply only repeats text that is already there.
    NothingNew,
    /// The reply ends before its own end mark.
    Truncated {
        /// The construct that was still open.
        inside: &'static str,
    },
    /// Nothing marks the reply's end, where only a reply that is certainly complete is accepted.
    MayBeCut,
    /// The reply is prose where code was asked for.
    Prose,
    /// A block cannot be read in the format that it is written in.
    Malformed {
        /// The problem, as the end of a sentence.
        detail: String,
    },
    /// The reply contains several answers that differ.
    SeveralAnswers {
        /// How many.
        count: usize,
    },
    /// The lines that a block would change are not in the file.
    NotFound {
        /// The block's number, from 1.
        block: usize,
        /// The first searched line that does not match.
        wanted: String,
        /// The line of the file, from 1, that `wanted` would have to follow. It is set where the file has every
        /// line, but not in one piece.
        after: Option<usize>,
        /// The most similar line of the file: its number from 1, and its text.
        nearest: Option<(usize, String)>,
    },
    /// The lines that a block would change occur more than once in the file.
    Ambiguous {
        /// The block's number, from 1.
        block: usize,
        /// The line numbers of the matches, from 1.
        lines: Vec<usize>,
    },
    /// Two blocks change the same lines in different ways.
    Overlapping {
        /// The blocks' numbers, from 1.
        blocks: (usize, usize),
    },
    /// A block does not state which lines it replaces.
    NoOldText {
        /// The block's number, from 1.
        block: usize,
    },
    /// The reply is about another file.
    OtherFile {
        /// The path in the reply.
        path: String,
    },
    /// The reply changes a file that does not exist.
    NoFile {
        /// The path in the reply.
        path: String,
    },
    /// The reply adds, deletes or moves a file where only an edit was asked for.
    FileOperation {
        /// The operation and its path.
        detail: String,
    },
    /// A path leads out of the workspace.
    OutsideRoot {
        /// The path in the reply.
        path: String,
    },
    /// A path leads to a file that no reply may change.
    ///
    /// These are version control's own files, secrets, and anything but regular files.
    Protected {
        /// The path in the reply.
        path: String,
        /// The reason, as the end of a sentence.
        why: String,
    },
    /// A file has changed since its edit was made.
    Changed {
        /// Its path.
        path: String,
    },
    /// A line is a placeholder for code that the model left out.
    Elision {
        /// The line.
        line: String,
    },
    /// The reply repeats the same text over and over.
    Repetition,
    /// The result would have more syntax errors than the text it comes from.
    Syntax {
        /// Errors and missing tokens before.
        before: usize,
        /// Errors and missing tokens after.
        after: usize,
    },
    /// Text outside the requested range would change.
    OutOfScope {
        /// The first such line, from 1.
        line: usize,
    },
    /// Far more lines would be deleted than by a plausible edit.
    TooMuchRemoved {
        /// Lines before.
        before: usize,
        /// Lines after.
        after: usize,
    },
    /// The reply, or a part of it, exceeds a size limit.
    TooLarge {
        /// What is too large, as the start of a sentence.
        what: &'static str,
        /// The limit, in the unit that `what` names.
        limit: usize,
    },
    /// Placing or checking the reply takes more work than any sound reply needs.
    TooMuchWork,
    /// The old text could be parsed in time, but the result cannot be.
    Unparsed,
    /// A part of the reply's own format would end up in the file.
    Marker {
        /// The line.
        line: String,
    },
    /// Invisible characters would be added to a line that has none of them.
    Invisible {
        /// The first such character.
        sign: char,
    },
    /// Characters garbled by an encoding error would replace the file's.
    Garbled {
        /// The line.
        line: String,
    },
    /// Curly quotes would replace straight ones in code.
    CurlyQuotes {
        /// The line.
        line: String,
    },
    /// The last new line repeats the line below it, or the first the line above.
    Doubled {
        /// The line.
        line: String,
    },
    /// Only whitespace would change.
    BlanksOnly,
    /// Only a change that is not worth suggesting would remain, such as one of imports.
    Noise {
        /// The kind of the change.
        what: &'static str,
    },
    /// The edit uses an unknown name, where only certain edits are wanted.
    UnknownName {
        /// The name.
        name: String,
    },
    /// The edit is not certain enough to be suggested unprompted.
    Unsure {
        /// The reason against it, as the end of a sentence.
        why: &'static str,
    },
    /// The edit undoes the user's last change.
    Reversal,
    /// Something that looks like a key or a password would be added.
    Secret {
        /// The kind of secret that it resembles.
        kind: &'static str,
    },
    /// The file or the reply is not text in UTF-8.
    NotText {
        /// Which of the two.
        what: &'static str,
    },
    /// The document has changed, and the edit no longer fits.
    Stale(super::Conflict),
}

impl Refusal {
    /// The refusal of an operation on a file; `detail` is the end of "the reply would …".
    pub(super) fn operation(detail: String) -> Self {
        Self::FileOperation { detail }
    }

    /// The refusal of a reply without tags, whose location could only be guessed.
    pub(crate) fn untagged() -> Self {
        Self::Malformed { detail: "it does not say which block it is for".to_owned() }
    }

    /// A stable name for logs, counters and machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ClosesAgain => "closes-again",
            Self::NothingNew => "nothing-new",
            Self::Truncated { .. } => "truncated",
            Self::MayBeCut => "may-be-cut",
            Self::Prose => "prose",
            Self::Malformed { .. } => "malformed",
            Self::SeveralAnswers { .. } => "several-answers",
            Self::NotFound { .. } => "not-found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Overlapping { .. } => "overlapping",
            Self::NoOldText { .. } => "no-old-text",
            Self::OtherFile { .. } => "other-file",
            Self::NoFile { .. } => "no-file",
            Self::FileOperation { .. } => "file-operation",
            Self::OutsideRoot { .. } => "outside-root",
            Self::Protected { .. } => "protected",
            Self::Changed { .. } => "changed",
            Self::Elision { .. } => "elision",
            Self::Repetition => "repetition",
            Self::Syntax { .. } => "syntax",
            Self::TooMuchWork => "too-much-work",
            Self::Unparsed => "unparsed",
            Self::OutOfScope { .. } => "out-of-scope",
            Self::TooMuchRemoved { .. } => "too-much-removed",
            Self::TooLarge { .. } => "too-large",
            Self::Marker { .. } => "marker",
            Self::Invisible { .. } => "invisible-characters",
            Self::Garbled { .. } => "garbled",
            Self::CurlyQuotes { .. } => "curly-quotes",
            Self::Doubled { .. } => "doubled-line",
            Self::BlanksOnly => "blanks-only",
            Self::Noise { .. } => "noise",
            Self::UnknownName { .. } => "unknown-name",
            Self::Unsure { .. } => "unsure",
            Self::Reversal => "reversal",
            Self::Secret { .. } => "secret",
            Self::NotText { .. } => "not-text",
            Self::Stale(conflict) => conflict.code(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the reply is empty"),
            Self::ClosesAgain => f.write_str("the reply only closes what is closed already"),
            Self::NothingNew => f.write_str("the reply only repeats what is there already"),
            Self::Truncated { inside } => write!(f, "the reply was cut off inside {inside}"),
            Self::MayBeCut => f.write_str("nothing marks the end of the reply, which may have been cut off"),
            Self::Prose => f.write_str("the reply is talk, not code"),
            Self::Malformed { detail } => write!(f, "the reply cannot be read: {detail}"),
            Self::SeveralAnswers { count } => {
                write!(f, "the reply holds {count} different answers, and does not say which one counts")
            }
            Self::NotFound { block, wanted, after: Some(line), .. } => {
                write!(
                    f,
                    "block {block} looks for `{}` after line {line}, where it is not found",
                    short(wanted)
                )
            }
            Self::NotFound { block, wanted, nearest, .. } => not_found(f, *block, wanted, nearest.as_ref()),
            Self::Ambiguous { block, lines } => ambiguous(f, *block, lines),
            Self::Overlapping { blocks: (first, second) } => {
                write!(f, "blocks {first} and {second} want different things of the same lines")
            }
            Self::NoOldText { block } => {
                write!(f, "block {block} does not say which lines it replaces, and the file is not empty")
            }
            Self::OtherFile { path } => write!(f, "the reply is for another file, `{}`", short(path)),
            Self::NoFile { path } => write!(f, "there is no file `{}`", short(path)),
            Self::FileOperation { detail } => {
                write!(f, "the reply would {detail}, where an edit was asked for")
            }
            Self::OutsideRoot { path } => write!(f, "the path `{}` leads out of the workspace", short(path)),
            Self::Protected { path, why } => write!(f, "`{}` is not changed: {why}", short(path)),
            Self::Changed { path } => {
                write!(f, "`{}` was changed meanwhile; nothing of it is applied, try again", short(path))
            }
            Self::Elision { line } => write!(f, "`{}` is a placeholder for omitted code", short(line)),
            Self::Repetition => f.write_str("the reply repeats itself"),
            Self::TooMuchWork => {
                f.write_str("it takes too much work to place or check it; ask for a smaller change")
            }
            Self::Unparsed => write!(f, "the result is like no code that the parser has seen"),
            Self::Syntax { before, after } => {
                let s = if *after == 1 { "" } else { "s" };
                write!(f, "the result would have {after} syntax error{s} where there were {before}")
            }
            Self::OutOfScope { line } => {
                write!(f, "line {line} would change, which is outside the asked range")
            }
            Self::TooMuchRemoved { before, after } => {
                write!(f, "of {before} lines only {after} would be left, too few for an edit")
            }
            Self::TooLarge { what, limit } => write!(f, "{what} than the limit of {limit}"),
            Self::Marker { line } => {
                write!(f, "`{}` belongs to the reply's format, and would end up in the file", short(line))
            }
            Self::Invisible { sign } => write!(
                f,
                "the edit would add U+{:04X}, which cannot be seen; `allow_invisible_characters` lets such edits pass",
                u32::from(*sign)
            ),
            Self::Garbled { line } => {
                write!(f, "`{}` has signs that were lost where the file has others", short(line))
            }
            Self::CurlyQuotes { line } => {
                write!(f, "`{}` has curly quotes where the code has straight ones", short(line))
            }
            Self::Doubled { line } => write!(f, "`{}` would be duplicated", short(line)),
            Self::BlanksOnly => f.write_str("only blanks would change"),
            Self::Noise { what } => write!(f, "only {what} would change"),
            Self::UnknownName { name } => write!(f, "`{}` is known nowhere", short(name)),
            Self::Unsure { why } => write!(f, "`eagerness` asks for more certainty: {why}"),
            Self::Reversal => f.write_str("the edit would undo your last change"),
            Self::Secret { kind } => write!(f, "the edit would add what looks like {kind}"),
            Self::NotText { what } => write!(f, "{what} is not text in UTF-8"),
            Self::Stale(conflict) => conflict.fmt(f),
        }
    }
}

fn not_found(
    f: &mut fmt::Formatter<'_>,
    block: usize,
    wanted: &str,
    nearest: Option<&(usize, String)>,
) -> fmt::Result {
    write!(f, "block {block} looks for `{}`, which is not in the file", short(wanted))?;
    match nearest {
        Some((line, text)) => write!(f, "; the nearest is line {line}: `{}`", short(text)),
        None => Ok(()),
    }
}

fn ambiguous(f: &mut fmt::Formatter<'_>, block: usize, lines: &[usize]) -> fmt::Result {
    let count = lines.len();
    let shown = list_words(&lines[..count.min(5)]);
    let more = if count > 5 { ", …" } else { "" };
    write!(f, "block {block} fits in {count} places ({shown}{more}); more context is needed")
}

impl std::error::Error for Refusal {}

impl From<super::Conflict> for Refusal {
    fn from(conflict: super::Conflict) -> Self {
        Self::Stale(conflict)
    }
}

/// Shortens a line for a message.
fn short(text: &str) -> &str {
    let text = text.trim();
    match text.char_indices().nth(60) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
