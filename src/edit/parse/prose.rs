//! What the prose around a block says about it: which file it is for, and whether it is to be applied at all.

mod sentence;

use super::path;
use crate::edit::Refusal;
use sentence::{
    Sentence, announces_output, asks_below, bare, corrects, may_be_prose, offers_choice, rejects_below,
    retracts, sentences,
};

/// The words before the path of the file that a block is for.
const BEFORE_PATH: [&str; 26] = [
    "in", "inside", "into", "as", "to", "of", "for", "at", "is", "file", "called", "named", "create",
    "update", "edit", "modify", "open", "change", "write", "new", "updated", "complete", "full", "the",
    "add", "replace",
];

/// The first words of a sentence that announces a block, other than those of [`BEFORE_PATH`].
const ANNOUNCING: [&str; 10] =
    ["save", "put", "append", "place", "store", "here", "here's", "this", "make", "apply"];

/// Words that may precede the first word of such a sentence.
const FILLERS: [&str; 20] = [
    "now", "then", "next", "also", "finally", "first", "second", "third", "and", "please", "you", "can",
    "should", "need", "i", "i'll", "let's", "will", "we", "lastly",
];

/// Returns the path of the file that a sentence says the block below is for: ``In `src/a.ts`, set:``.
///
/// Other files that it mentions, such as the origin of a helper, are not such a path.
pub(super) fn file_below(line: &str) -> Option<&str> {
    if !may_be_prose(line) {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_opening = |word: &str| ANNOUNCING.contains(&word) || BEFORE_PATH.contains(&word);
    let opening =
        words.iter().map(|word| bare(word)).find(|it| !it.is_empty() && !FILLERS.contains(&it.as_str()))?;
    if !is_opening(&opening) {
        return None;
    }
    words.windows(2).find_map(|pair| {
        let named =
            path::plain(pair[1].trim_end_matches([',', '.', ';', ':', ')', '!'])).trim_start_matches('(');
        (BEFORE_PATH.contains(&bare(pair[0]).as_str()) && path::is_file_name(named)).then_some(named)
    })
}

/// What the prose so far says about the blocks.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// The last line, if it rejects the block below or quotes a block for reference.
    rejecting: Option<String>,
    /// A line that takes back the blocks.
    retracting: Option<String>,
    /// Whether a line since the last block offers a choice.
    is_choice: bool,
    /// A line since the last block that speaks of a better one.
    correcting: Option<String>,
}

impl Prose {
    /// Reads the next line of prose.
    pub(super) fn line(&mut self, line: &str) {
        let sentences = sentences(line);
        let Some(last) = sentences.last() else { return };
        self.rejecting = rejects_below(last).then(|| line.trim().to_owned());
        if sentences.iter().any(retracts) {
            self.retracting.get_or_insert_with(|| line.trim().to_owned());
        }
        self.is_choice |= sentences.iter().any(offers_choice);
        if sentences.iter().any(corrects) {
            self.correcting.get_or_insert_with(|| line.trim().to_owned());
        }
    }

    /// Reads the beginning of a block. `is_first` if no other block precedes it.
    ///
    /// It is an error if the prose rejects the block, or offers it as one of several or instead of the last.
    pub(super) fn block(&mut self, is_first: bool) -> Result<(), Refusal> {
        if std::mem::take(&mut self.is_choice) && !is_first {
            return Err(Refusal::SeveralAnswers { count: 2 });
        }
        if let Some(line) = self.correcting.take().filter(|_| !is_first) {
            return Err(Refusal::malformed(format!("`{line}` says that the edit above it is wrong")));
        }
        self.rejecting.take().map_or(Ok(()), |line| Err(not_to_apply(&line)))
    }

    /// Reads the end of a fence that holds no block: what is said above it is about it.
    pub(super) fn quote(&mut self) {
        self.rejecting = None;
    }

    /// Ends the reply.
    ///
    /// It is an error if a line takes back the blocks.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        self.retracting.take().map_or(Ok(()), |line| Err(not_to_apply(&line)))
    }
}

/// Whether the prose directly above a block rejects it, or quotes it for reference.
pub(in crate::edit) fn rejects(talk: &str) -> bool {
    let mut prose = Prose::default();
    talk.lines().for_each(|line| prose.line(line));
    prose.rejecting.is_some()
}

/// Whether the prose directly above a block announces what the code prints.
pub(in crate::edit) fn shows_output(talk: &str) -> bool {
    last_sentence(talk).is_some_and(|it| announces_output(&it))
}

/// Whether a reply offers a choice between blocks.
pub(in crate::edit) fn has_choice(reply: &str) -> bool {
    reply.lines().any(|line| sentences(line).iter().any(offers_choice))
}

/// Whether the prose directly above some code asks to make a change of it.
pub(super) fn asks_for_change(talk: &str) -> bool {
    last_sentence(talk).is_some_and(|it| asks_below(&it))
}

/// The last sentence of the prose above a block.
fn last_sentence(talk: &str) -> Option<Sentence> {
    let line = talk.lines().rfind(|line| !line.trim().is_empty())?;
    sentences(line).pop()
}

/// Reads all lines of prose of a reply without a format.
///
/// It is an error if a line takes back what the reply shows.
pub(super) fn retraction<'t>(mut talk: impl Iterator<Item = &'t str>) -> Result<(), Refusal> {
    match talk.find(|line| sentences(line).iter().any(retracts)) {
        Some(line) => Err(not_to_apply(line.trim())),
        None => Ok(()),
    }
}

fn not_to_apply(line: &str) -> Refusal {
    Refusal::malformed(format!("`{line}` says that its edit is not to be applied"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_sentence_is_about() {
        let check =
            |line: &str, expected: &str| assert_eq!(file_below(line).unwrap_or_default(), expected, "{line}");
        check("In `src/a.ts`, set:", "src/a.ts");
        check("Now in src/a.ts:", "src/a.ts");
        check("Create a new file `config.prod.ts` with:", "config.prod.ts");
        check("Save this as **config.prod.ts**.", "config.prod.ts");
        check("Here's the updated `config.prod.ts`:", "config.prod.ts");
        check("Then add this to `Makefile`:", "Makefile");
        check("Update `config.ts` to match `config.prod.ts`:", "config.ts");
        check("Here is the code, using the helper from `utils.py`:", "");
        check("In `User.save`, check the result:", "");
        check("Since `parse` moved to `util.ts`, change the import:", "");
        check("Here is the change:", "");
    }

    #[test]
    fn output_is_announced() {
        let check = |talk: &str, expected: bool| assert_eq!(shows_output(talk), expected, "{talk}");
        check("Expected output:\n\n", true);
        check("**Output:**\n", true);
        check("It is safe now.\n\nRunning it prints:\n", true);
        check("The output is sorted now.\n\nHere is the file:\n", false);
        check("Here is the function that prints it:\n", false);
    }

    #[test]
    fn block_is_corrected_by_the_next_one() {
        let check = |line: &str, expected: bool| {
            let mut prose = Prose::default();
            let first = prose.block(true);
            prose.line(line);
            assert_eq!((first, prose.block(false).is_err()), (Ok(()), expected), "{line}");
        };
        for line in [
            "Wait, that's the wrong function. Here is the right one:",
            "Sorry, wrong function:",
            "My mistake. It should be:",
            "Correction:",
            "Let me try again:",
            "Use this instead:",
            "Or just:",
            "Version 2 (safer):",
            "Oops, I missed a case:",
            "Actually, this is simpler:",
            "Hmm, no. This one:",
            "A better version:",
            "Better:",
            "That was incorrect, so:",
            "The block above is wrong, here is the fixed one:",
            "Let me redo that:",
            "Corrected version:",
            "I made an error there. The right edit:",
            "Scratch that:",
            "Second attempt:",
        ] {
            check(line, true);
        }
        for line in [
            "And then:",
            "In `main.rs`:",
            "Now call the helper instead of the loop:",
            "The same mistake is in `b`:",
            "The bound is wrong in `b`, so:",
            "For a better message, also add:",
            "Add a wait between the retries:",
            "This test was incorrect, too:",
            "Next, the version number:",
            "Here the order is actually reversed:",
        ] {
            check(line, false);
        }
    }

    #[test]
    fn blocks_that_are_not_to_be_applied() {
        let check = |line: &str, expected: &str| {
            let mut prose = Prose::default();
            prose.line(line);
            let said = [
                prose.rejecting.map(|_| "rejects"),
                prose.retracting.map(|_| "retracts"),
                prose.is_choice.then_some("choice"),
            ];
            assert_eq!(said.into_iter().flatten().collect::<Vec<_>>().join(" "), expected, "{line}");
        };
        for line in [
            "Do NOT do this:",
            "Don’t use the following:",
            "It is tempting, but it races. Avoid this:",
            "**Wrong:**",
            "Instead of this:",
            "Before:",
            "The previous commit was:",
            "An incorrect version would look like this:",
            "I tried this first, but it doesn't work:",
            "For reference only, not to be applied:",
            "Optional, only if you want it:",
            "A common anti-pattern:",
            "Some would write this, which is wrong:",
            "Will a plain loop do? It will not:",
            "(not required)",
            "The failed attempt:",
            "This would break things:",
            "The old code was:",
            "To undo:",
        ] {
            check(line, "rejects");
        }
        for line in [
            "Ignore the block above.",
            "On second thought, that is wrong.",
            "Please do not apply the edit above.",
            "I would keep the file as it is.",
            "No change is needed.",
            "Actually, scratch that. The original is correct.",
            "EDIT: I take that back; the original line was fine.",
            "Correction: the code above must not be used.",
            "Wait, no. This is wrong.",
        ] {
            check(line, "retracts");
        }
        for line in
            ["### Option B", "**Option 2: a loop**", "Or, if you prefer a loop:", "Alternatively:", "Or:"]
        {
            check(line, "choice");
        }
        for line in [
            "Don't forget the import:",
            "The old check is wrong. It should be:",
            "This removes the anti-pattern:",
            "The bound is incorrect, so I changed it:",
            "This fixes the case in which the count is wrong:",
            "Do not use `x` directly. Use the helper:",
            "Instead of `a`, this calls `b`:",
            "The previous edit missed a case:",
            "Before the loop, a check is added:",
            "Before the loop:",
            "No other changes are needed.",
            "No changes are needed in the tests.",
            "The option is read here:",
            "Here is the change:",
            "This keeps the signature as it is.",
            "Do not apply this twice.",
            "We should avoid the mistake of the original:",
            "I've considered a larger change but decided against it. Here is the small one:",
            "The optional argument is read here:",
            "It would be wrong to leave this as it is, so:",
        ] {
            check(line, "");
        }
    }
}
