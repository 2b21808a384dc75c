//! What the prose around a block says about it: which file it is for, and whether it is to be applied at all.

use super::path;
use crate::edit::Refusal;

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

/// A word in lower case, without markup and punctuation. Apostrophes stay.
fn bare(word: &str) -> String {
    word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// Whether a line may be a sentence, as most lines of code cannot.
fn may_be_prose(line: &str) -> bool {
    const LONGEST: usize = 400;
    const ENDS_OF_CODE: [char; 9] = [';', '{', '}', ',', '(', '[', ']', '=', '>'];
    let text = line.trim_end();
    let is_indented = text.starts_with('\t') || text.starts_with("    ");
    !text.is_empty() && text.len() <= LONGEST && !is_indented && !text.ends_with(ENDS_OF_CODE)
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
}

impl Prose {
    /// Reads the next line of prose.
    pub(super) fn line(&mut self, line: &str) {
        let sentences = sentences(line);
        let Some(last) = sentences.last() else { return };
        self.rejecting = rejects_below(last).then(|| line.trim().to_owned());
        if sentences.iter().any(|it| retracts(it)) {
            self.retracting.get_or_insert_with(|| line.trim().to_owned());
        }
        self.is_choice |= sentences.iter().any(|it| offers_choice(it));
    }

    /// Reads the beginning of a block. `is_first` if no other block precedes it.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the prose rejects the block, or offers it as one of several.
    pub(super) fn block(&mut self, is_first: bool) -> Result<(), Refusal> {
        if std::mem::take(&mut self.is_choice) && !is_first {
            return Err(Refusal::SeveralAnswers { count: 2 });
        }
        self.rejecting.take().map_or(Ok(()), |line| Err(not_to_apply(&line)))
    }

    /// Reads the end of a fence that holds no block: what is said above it is about it.
    pub(super) fn quote(&mut self) {
        self.rejecting = None;
    }

    /// Ends the reply.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if a line takes back the blocks.
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

/// Returns the line that takes back what is in a reply.
pub(super) fn retraction<'t>(mut talk: impl Iterator<Item = &'t str>) -> Result<(), Refusal> {
    match talk.find(|line| sentences(line).iter().any(|it| retracts(it))) {
        Some(line) => Err(not_to_apply(line.trim())),
        None => Ok(()),
    }
}

fn not_to_apply(line: &str) -> Refusal {
    Refusal::Malformed { detail: format!("`{line}` says that its edit is not to be applied") }
}

/// The words of one sentence in lower case, and whether it ends in a colon.
struct Sentence {
    words: Vec<String>,
    is_leading: bool,
}

/// Splits a line into sentences. Quoted code counts as one word.
fn sentences(line: &str) -> Vec<Sentence> {
    if !may_be_prose(line) {
        return Vec::new();
    }
    let plain = line.split('`').step_by(2).collect::<Vec<_>>().join(" code ");
    let plain = plain.trim().trim_end_matches(['*', '_']);
    let parts = plain.split_inclusive(['.', '!', '?', ';']);
    let sentences = parts.map(|part| Sentence {
        words: part.split([' ', '\t', '(', ')', '—', '–']).map(bare).filter(|it| !it.is_empty()).collect(),
        is_leading: part.ends_with(':'),
    });
    sentences.filter(|it| !it.words.is_empty()).collect()
}

impl Sentence {
    /// Whether the sentence starts with one of some phrases.
    fn starts(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.rest(phrase).is_some())
    }

    /// The words after a phrase at the start.
    fn rest(&self, phrase: &str) -> Option<&[String]> {
        phrase.split(' ').try_fold(self.words.as_slice(), |words, expected| {
            words.split_first().and_then(|(word, rest)| (word == expected).then_some(rest))
        })
    }

    /// Whether the sentence contains one of some phrases.
    fn has(&self, phrases: &[&str]) -> bool {
        let text = format!(" {} ", self.words.join(" "));
        phrases.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
    }
}

/// Whether a sentence above a block rejects it, or quotes it for reference: `Do not do this:`, `The commit was:`.
fn rejects_below(said: &Sentence) -> bool {
    const NEGATIONS: [&str; 8] =
        ["do not", "don't", "never", "avoid", "not", "please don't", "please do not", "you should not"];
    const VERBS: [&str; 9] = ["do", "use", "apply", "write", "make", "change", "add", "try", "like"];
    const LABELS: [&str; 10] = [
        "wrong",
        "bad",
        "incorrect",
        "before",
        "old",
        "original",
        "previously",
        "currently",
        "current",
        "was",
    ];
    const NOUNS: [&str; 6] = ["code", "version", "file", "text", "way", "approach"];
    const LONGEST: usize = 6;
    let points = |words: &[String]| {
        matches!(words.first().map(String::as_str), Some("this" | "these" | "that"))
            || words.starts_with(&["the".to_owned(), "following".to_owned()])
    };
    let is_negated = NEGATIONS.iter().filter_map(|it| said.rest(it)).any(|rest| {
        let verb = rest.first().is_some_and(|it| VERBS.contains(&it.as_str()));
        points(rest) || verb && points(&rest[1..])
    });
    let label = said.rest("the").unwrap_or(&said.words);
    let is_label = match label {
        [label] => LABELS.contains(&label.as_str()),
        [label, noun] => LABELS.contains(&label.as_str()) && NOUNS.contains(&noun.as_str()),
        _ => false,
    };
    let is_exchanged = ["instead of", "rather than"]
        .iter()
        .filter_map(|it| said.rest(it))
        .any(|rest| rest.is_empty() || points(rest));
    let is_history =
        said.has(&["commit was", "commit did", "commit changed", "commit did this", "commit looked like"])
            || said.has(&["previous", "earlier", "last"])
                && said.has(&["change was", "edit was", "diff was", "patch was", "version was"]);
    is_negated && said.words.len() <= LONGEST || said.is_leading && (is_label || is_exchanged || is_history)
}

/// Whether a sentence takes back the blocks: `Ignore the block above.`, `Keep the file as it is.`
fn retracts(said: &Sentence) -> bool {
    const OBJECTS: [&str; 8] = ["above", "that", "this", "it", "previous", "block", "blocks", "edit"];
    let is_withdrawn =
        said.starts(&["ignore", "please ignore", "disregard", "please disregard", "scratch that"])
            || said.starts(&["do not apply", "don't apply", "please do not apply", "please don't apply"]);
    let is_kept = said.has(&[
        "keep the file as",
        "leave the file as",
        "leave the file unchanged",
        "keep the file unchanged",
    ]);
    let none = said.starts(&[
        "no change is",
        "no changes are",
        "no change",
        "no changes",
        "no edit is",
        "no edits are",
    ]);
    let is_needless = none
        && said.words.last().is_some_and(|it| ["needed", "required", "necessary"].contains(&it.as_str()));
    is_withdrawn && said.has(&OBJECTS)
        || is_kept
        || is_needless
        || said.starts(&["on second thought", "scratch that"])
}

/// Whether a sentence offers the block below as one of several: `Option B:`, `Or, if you prefer`.
fn offers_choice(said: &Sentence) -> bool {
    const KINDS: [&str; 6] = ["option", "alternative", "approach", "variant", "solution", "choice"];
    let numbered =
        |word: &String| word.len() == 1 || ["one", "two", "three", "four"].contains(&word.as_str());
    let is_numbered =
        KINDS.iter().filter_map(|it| said.rest(it)).any(|rest| rest.first().is_some_and(numbered));
    is_numbered
        || said.starts(&["alternatively", "alternative", "another option", "another way", "another approach"])
        || said.starts(&["if you prefer", "if you would rather", "if you'd rather"])
        || said.starts(&["or if you", "or alternatively", "or else", "or you could", "or you can"])
        || said.is_leading && said.rest("or").is_some_and(|rest| rest.is_empty())
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
        ] {
            check(line, "rejects");
        }
        for line in [
            "Ignore the block above.",
            "On second thought, that is wrong.",
            "Please do not apply the edit above.",
            "I would keep the file as it is.",
            "No change is needed.",
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
        ] {
            check(line, "");
        }
    }
}
