//! Reasons not to apply a reply.

use crate::text::coded;
use crate::text::line::list_words;
use crate::text::words::counted;

coded! {
    /// A reason not to apply a reply.
    ///
    /// Each has a stable code for machines and a sentence that a user can act on.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Refusal {
        /// The reply is empty, or nothing is left of it after cleaning.
        #[error("the reply is empty")]
        Empty = "empty",
        /// The reply contains only the end of a block that is closed already.
        #[error("the reply only closes what is closed already")]
        ClosesAgain = "closes-again",
        /// The reply only repeats text that is already there.
        #[error("the reply only repeats what is there already")]
        NothingNew = "nothing-new",
        /// The reply ends before its own end mark.
        #[error("the reply was cut off inside {inside}")]
        Truncated {
            /// The construct that was still open.
            inside: &'static str,
        } = "truncated",
        /// Nothing marks the reply's end, where only a reply that is certainly complete is accepted.
        #[error("nothing marks the end of the reply, which may have been cut off")]
        MayBeCut = "may-be-cut",
        /// The reply is prose where code was asked for.
        #[error("the reply is prose, not code")]
        Prose = "prose",
        /// A block cannot be read in the format that it is written in.
        #[error("the reply cannot be read: {detail}")]
        Malformed {
            /// The problem, as the end of a sentence.
            detail: String,
        } = "malformed",
        /// The reply contains several answers that differ.
        #[error("the reply holds {count} different answers, and does not say which one counts")]
        SeveralAnswers {
            /// How many.
            count: usize,
        } = "several-answers",
        /// The lines that a block would change are not in the file.
        #[error("block {block} looks for `{}`{}", short(.wanted), whereabouts(*.after, .nearest.as_ref()))]
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
        } = "not-found",
        /// The lines that a block would change occur more than once in the file.
        #[error("block {block} fits in {} places ({}); more context is needed", .lines.len(), first_few(.lines))]
        Ambiguous {
            /// The block's number, from 1.
            block: usize,
            /// The line numbers of the matches, from 1.
            lines: Vec<usize>,
        } = "ambiguous",
        /// Two blocks change the same lines in different ways.
        #[error("blocks {} and {} want different things of the same lines", .blocks.0, .blocks.1)]
        Overlapping {
            /// The blocks' numbers, from 1.
            blocks: (usize, usize),
        } = "overlapping",
        /// A block does not state which lines it replaces.
        #[error("block {block} does not say which lines it replaces, and the file is not empty")]
        NoOldText {
            /// The block's number, from 1.
            block: usize,
        } = "no-old-text",
        /// The reply is about another file.
        #[error("the reply is for another file, `{}`", short(.path))]
        OtherFile {
            /// The path in the reply.
            path: String,
        } = "other-file",
        /// The reply changes a file that does not exist.
        #[error("there is no file `{}`", short(.path))]
        NoFile {
            /// The path in the reply.
            path: String,
        } = "no-file",
        /// The reply adds, deletes or moves a file where only an edit was asked for.
        #[error("the reply would {detail}, where an edit was asked for")]
        FileOperation {
            /// The operation and its path.
            detail: String,
        } = "file-operation",
        /// A path leads out of the workspace.
        #[error("the path `{}` leads out of the workspace", short(.path))]
        OutsideRoot {
            /// The path in the reply.
            path: String,
        } = "outside-root",
        /// A path leads to a file that no reply may change.
        ///
        /// These are version control's own files, secrets, and anything but regular files.
        #[error("`{}` is not changed: {why}", short(.path))]
        Protected {
            /// The path in the reply.
            path: String,
            /// The reason, as the end of a sentence.
            why: String,
        } = "protected",
        /// A file has changed since its edit was made.
        #[error("`{}` was changed meanwhile; nothing of it is applied, try again", short(.path))]
        Changed {
            /// Its path.
            path: String,
        } = "changed",
        /// The reply gives a whole text without definitions, or first or last lines, that nothing asks to remove.
        #[error("the reply leaves out {}, which nothing asks to remove", few(.names))]
        LeftOut {
            /// Their names, or the lines.
            names: Vec<String>,
        } = "left-out",
        /// A line is a placeholder for code that the model left out.
        #[error("`{}` is a placeholder for omitted code", short(.line))]
        Elision {
            /// The line.
            line: String,
        } = "elision",
        /// The reply repeats the same text over and over.
        #[error("the reply repeats itself")]
        Repetition = "repetition",
        /// The result would have more syntax errors than the text it comes from.
        #[error("the result would have {} where there were {before}", counted(.after, "syntax error"))]
        Syntax {
            /// Errors and missing tokens before.
            before: usize,
            /// Errors and missing tokens after.
            after: usize,
        } = "syntax",
        /// Text outside the requested range would change.
        #[error("line {line} would change, which is outside the asked range")]
        OutOfScope {
            /// The first such line, from 1.
            line: usize,
        } = "out-of-scope",
        /// A name of the old text is written in another way, as by a slip.
        #[error("`{}` may be a slip for `{}`: nothing has that name", short(.name), short(.meant))]
        Misspelt {
            /// The name in the reply.
            name: String,
            /// The name in the old text.
            meant: String,
        } = "misspelt",
        /// A line would change that has nothing to do with the instruction or with the other changes.
        #[error("`{}` would change, which has nothing to do with the instruction", short(.line))]
        Unrelated {
            /// The old line.
            line: String,
        } = "unrelated",
        /// Far more lines would be deleted than by a plausible edit.
        #[error("the reply keeps only {after} of {before} lines that are not blank, so it may be a part of the text")]
        TooMuchRemoved {
            /// Lines before.
            before: usize,
            /// Lines after.
            after: usize,
        } = "too-much-removed",
        /// The reply, or a part of it, exceeds a size limit.
        #[error("{what} than the limit of {limit}")]
        TooLarge {
            /// What is too large, as the start of a sentence.
            what: &'static str,
            /// The limit, in the unit that `what` names.
            limit: usize,
        } = "too-large",
        /// Placing or checking the reply takes more work than any sound reply needs.
        #[error("it takes too much work to place or check it; ask for a smaller change")]
        TooMuchWork = "too-much-work",
        /// The old text could be parsed in time, but the result cannot be.
        #[error("the result is like no code that the parser has seen")]
        Unparsed = "unparsed",
        /// A part of the reply's own format would end up in the file.
        #[error("`{}` belongs to the reply's format, and would end up in the file", short(.line))]
        Marker {
            /// The line.
            line: String,
        } = "marker",
        /// Invisible characters would be added to a line that has none of them.
        #[error("the edit would add U+{:04X}, which cannot be seen; `allow_invisible_characters` lets such edits pass", u32::from(*.sign))]
        Invisible {
            /// The first such character.
            sign: char,
        } = "invisible-characters",
        /// Characters garbled by an encoding error would replace the file's.
        #[error("`{}` has signs that were lost where the file has others", short(.line))]
        Garbled {
            /// The line.
            line: String,
        } = "garbled",
        /// Curly quotes would replace straight ones in code.
        #[error("`{}` has curly quotes where the code has straight ones", short(.line))]
        CurlyQuotes {
            /// The line.
            line: String,
        } = "curly-quotes",
        /// The last new line repeats the line below it, or the first the line above.
        #[error("`{}` would be duplicated", short(.line))]
        Doubled {
            /// The line.
            line: String,
        } = "doubled-line",
        /// A new statement leaves the block before this line, or the line is new behind such a statement.
        #[error("`{}` would never be run", short(.line))]
        Unreachable {
            /// The line.
            line: String,
        } = "unreachable",
        /// Only whitespace would change.
        #[error("only blanks would change")]
        BlanksOnly = "blanks-only",
        /// Only a change that is not worth suggesting would remain, such as one of imports.
        #[error("only {what} would change")]
        Noise {
            /// The kind of the change.
            what: &'static str,
        } = "noise",
        /// The edit uses an unknown name, where only certain edits are wanted.
        #[error("`{}` is known nowhere", short(.name))]
        UnknownName {
            /// The name.
            name: String,
        } = "unknown-name",
        /// The edit is not certain enough to be suggested unprompted.
        #[error("`eagerness` asks for more certainty: {why}")]
        Unsure {
            /// The reason against it, as the end of a sentence.
            why: &'static str,
        } = "unsure",
        /// The edit undoes the user's last change.
        #[error("the edit would undo your last change")]
        Reversal = "reversal",
        /// A place would have two definitions of one name.
        #[error("`{name}` would be defined twice in one place")]
        DefinedTwice {
            /// The name, or the first line of the definition.
            name: String,
        } = "defined-twice",
        /// Something that looks like a key or a password would be added.
        #[error("the edit would add what looks like {kind}")]
        Secret {
            /// The kind of secret that it resembles.
            kind: &'static str,
        } = "secret",
        /// The file or the reply is not text in UTF-8.
        #[error("{what} is not text in UTF-8")]
        NotText {
            /// Which of the two.
            what: &'static str,
        } = "not-text",
        /// The document has changed, and the edit no longer fits.
        #[error(transparent)]
        Stale(#[from] super::Conflict),
    } match {
        Self::Stale(conflict) => conflict.code(),
    }
}

impl Refusal {
    /// Whether a model that reads the reason can be expected to reply without the fault.
    pub(crate) fn is_correctable(&self) -> bool {
        !matches!(
            self,
            // The text, or a setting, is the cause.
            Self::Changed { .. } | Self::Stale(_) | Self::NotText { .. } | Self::Unparsed | Self::Unsure { .. }
            // The reply is sound, and there is nothing in it.
            | Self::BlanksOnly | Self::Noise { .. } | Self::NothingNew | Self::Reversal
            // More of the same would follow.
            | Self::TooLarge { .. } | Self::TooMuchWork
        )
    }

    /// The refusal of an operation on a file; `detail` is the end of "the reply would …".
    pub(super) fn operation(detail: String) -> Self {
        Self::FileOperation { detail }
    }

    /// The refusal of a reply that cannot be read; `detail` is the end of "the reply cannot be read: …".
    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::Malformed { detail: detail.into() }
    }

    /// The refusal of a reply without tags, whose location could only be guessed.
    pub(crate) fn untagged() -> Self {
        Self::malformed("it does not say which block it is for")
    }
}

/// Where a line is not found, as the end of a sentence.
fn whereabouts(after: Option<usize>, nearest: Option<&(usize, String)>) -> String {
    match (after, nearest) {
        (Some(line), _) => format!(" after line {line}, where it is not found"),
        (None, Some((line, text))) => {
            format!(", which is not in the file; the nearest is line {line}: `{}`", short(text))
        }
        (None, None) => ", which is not in the file".to_owned(),
    }
}

/// The first numbers of a list, as words.
fn first_few(lines: &[usize]) -> String {
    let more = if lines.len() > 5 { ", …" } else { "" };
    format!("{}{more}", list_words(&lines[..lines.len().min(5)]))
}

/// The first names of a list.
fn few(names: &[String]) -> String {
    const MOST: usize = 5;
    let more = if names.len() > MOST { " and more" } else { "" };
    format!("`{}`{more}", names[..names.len().min(MOST)].join("`, `"))
}

/// Shortens a line for a message.
fn short(text: &str) -> &str {
    let text = text.trim();
    match text.char_indices().nth(60) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
