//! The sentences around blocks: whether one rejects a block, takes one back, or offers a choice.

/// Whether a line may be a sentence, as most lines of code cannot.
pub(super) fn may_be_prose(line: &str) -> bool {
    const LONGEST: usize = 400;
    const ENDS_OF_CODE: [char; 9] = [';', '{', '}', ',', '(', '[', ']', '=', '>'];
    let text = line.trim_end();
    let is_indented = text.starts_with('\t') || text.starts_with("    ");
    !text.is_empty() && text.len() <= LONGEST && !is_indented && !text.ends_with(ENDS_OF_CODE)
}

/// A word in lower case, without markup and punctuation. Apostrophes stay.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// The words of one sentence in lower case.
pub(super) struct Sentence {
    words: Vec<String>,
    /// The words with a space before and behind each.
    text: String,
    /// Whether the sentence ends in a colon or a question mark, or is in parentheses.
    is_leading: bool,
}

/// Splits a line into sentences. Quoted code counts as one word.
pub(super) fn sentences(line: &str) -> Vec<Sentence> {
    if !may_be_prose(line) {
        return Vec::new();
    }
    let plain = line.split('`').step_by(2).collect::<Vec<_>>().join(" code ");
    let plain = plain.trim().trim_end_matches(['*', '_']);
    let sentence = |part: &str| {
        let words = part.split([' ', '\t', '(', ')', '—', '–']).map(bare).filter(|it| !it.is_empty());
        let words: Vec<String> = words.collect();
        Sentence {
            text: format!(" {} ", words.join(" ")),
            is_leading: part.ends_with([':', '?', ')']),
            words,
        }
    };
    let parts = plain.split_inclusive(['.', '!', '?', ';']).map(sentence);
    parts.filter(|it| !it.words.is_empty()).collect()
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
        let is_in = |phrase: &&str| {
            self.text.match_indices(*phrase).any(|(at, _)| {
                self.text[..at].ends_with(' ') && self.text[at + phrase.len()..].starts_with(' ')
            })
        };
        phrases.iter().any(is_in)
    }
}

/// Whether a sentence announces what the code prints.
pub(super) fn announces_output(sentence: &Sentence) -> bool {
    const LAST: [&str; 6] = ["output", "prints", "outputs", "logs", "printed", "result"];
    sentence.is_leading && sentence.words.last().is_some_and(|word| LAST.contains(&word.as_str()))
}

/// Whether a sentence asks to make a change of the code below: "Also add this import:".
pub(super) fn asks_below(sentence: &Sentence) -> bool {
    const ASKING: [&str; 14] = [
        "add", "append", "change", "declare", "define", "forget", "import", "include", "insert", "modify",
        "put", "replace", "set", "update",
    ];
    sentence.is_leading && sentence.words.iter().any(|word| ASKING.contains(&word.as_str()))
}

/// What a sentence that leads to a block says if the block is not to be applied.
const REJECTIONS: [&str; 41] = [
    "failed attempt",
    "would not make",
    "not to be applied",
    "not be applied",
    "decided against this",
    "tempting but",
    "you should avoid",
    "must not change it",
    "incorrect version",
    "wrong version",
    "buggy version",
    "broken version",
    "would be a bug",
    "doesn't work",
    "does not work",
    "didn't work",
    "did not work",
    "hypothetically",
    "what not to do",
    "not recommended",
    "an anti-pattern",
    "let's not",
    "discarded",
    "rejected",
    "for reference only",
    "is pseudocode",
    "not the real",
    "haven't applied",
    "not applied",
    "left the file as",
    "before applying",
    "want me to",
    "shall i",
    "previous attempt",
    "first attempt",
    "first idea",
    "is optional",
    "not required",
    "only if you",
    "asked for no changes",
    "is the buggy",
];

/// What a sentence says if it takes back a block.
const RETRACTIONS: [&str; 24] = [
    "scratch that",
    "take that back",
    "take it back",
    "i retract",
    "must not be used",
    "not to be used",
    "don't use this version",
    "do not use this version",
    "not making the change",
    "not making this change",
    "what not to do",
    "forget the above",
    "needs no change",
    "original is correct",
    "original is right",
    "original line was fine",
    "for another project",
    "not change this file at all",
    "keep the original",
    "so skip it",
    "keep the file as",
    "leave the file as",
    "leave the file unchanged",
    "keep the file unchanged",
];

/// What may not be done with a block that is to be applied once.
const REPEATED: [&str; 2] = ["twice", "again"];

/// Whole sentences that take back a block.
const OBJECTIONS: [&str; 8] = [
    " this is wrong ",
    " that is wrong ",
    " that was wrong ",
    " wait no ",
    " that doesn't work ",
    " that does not work ",
    " drop it ",
    " leave it ",
];

/// What a sentence that leads to a block says of it, unless it speaks of a correction: `…, which is wrong:`.
const JUDGEMENTS: [&str; 17] = [
    "would break",
    "would fail",
    "anti pattern",
    "anti-pattern",
    "antipattern",
    "are incorrect",
    "are wrong",
    "be skipped",
    "don't think you",
    "is bad",
    "is incorrect",
    "is unsafe",
    "is wrong",
    "naive approach",
    "naive version",
    "not safe",
    "tempting to",
];

/// Words of a sentence that speaks of a correction.
const CORRECTING: [&str; 28] = [
    "change",
    "changed",
    "changes",
    "correct",
    "corrected",
    "corrects",
    "fix",
    "fixed",
    "fixes",
    "instead",
    "replace",
    "replaced",
    "replaces",
    "avoid",
    "avoids",
    "leave",
    "leaves",
    "no",
    "remove",
    "removed",
    "removes",
    "right",
    "should be",
    "so",
    "update",
    "updated",
    "use",
    "with",
];

/// Whether a sentence judges the block below to be wrong.
fn judges_wrong(said: &Sentence) -> bool {
    let ends_in_no = matches!(said.words.as_slice(), [.., verb, no]
        if no == "not" && ["would", "will", "does", "did", "do"].contains(&verb.as_str()));
    said.is_leading && (said.has(&JUDGEMENTS) || ends_in_no) && !said.has(&CORRECTING)
}

/// Whether a sentence above a block rejects it, or quotes it for reference: `Do not do this:`, `The commit was:`.
pub(super) fn rejects_below(said: &Sentence) -> bool {
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
    let is_rejected = said.has(&REJECTIONS)
        || said.starts(&["optional", "optionally", "draft", "unnecessary", "to undo", "to revert"]);
    let ends_in_was = said.words.last().is_some_and(|word| word == "was");
    let is_history =
        said.has(&["commit was", "commit did", "commit changed", "commit did this", "commit looked like"])
            || said.has(&["previous", "earlier", "last"])
                && said.has(&["change was", "edit was", "diff was", "patch was", "version was"])
            || ends_in_was && said.has(&["old", "original", "previous", "earlier", "former"]);
    is_negated && said.words.len() <= LONGEST && !said.has(&REPEATED)
        || said.is_leading && (is_label || is_exchanged || is_history || is_rejected)
        || judges_wrong(said)
}

/// Whether a sentence takes back the blocks: `Ignore the block above.`, `Keep the file as it is.`
pub(super) fn retracts(said: &Sentence) -> bool {
    const OBJECTS: [&str; 8] = ["above", "that", "this", "it", "previous", "block", "blocks", "edit"];
    let is_withdrawn =
        said.starts(&["ignore", "please ignore", "disregard", "please disregard", "scratch that"])
            || said.starts(&["do not apply", "don't apply", "please do not apply", "please don't apply"]);
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
    is_withdrawn && said.has(&OBJECTS) && !said.has(&REPEATED)
        || is_needless
        || said.has(&RETRACTIONS)
        || OBJECTIONS.contains(&said.text.as_str())
        || said.starts(&["on second thought", "sorry please disregard"])
}

/// Whether a sentence between two blocks says that the second one corrects the first: `Wait, wrong function:`
pub(super) fn corrects(said: &Sentence) -> bool {
    const ANYWHERE: [&str; 20] = [
        "apologies",
        "better one",
        "better version",
        "hold on",
        "let me redo",
        "made a mistake",
        "made an error",
        "my bad",
        "my mistake",
        "no wait",
        "oops",
        "redo that",
        "redo this",
        "safer version",
        "simpler version",
        "sorry",
        "start over",
        "try again",
        "try that again",
        "whoops",
    ];
    const FIRST: [&str; 15] = [
        "actually",
        "better yet",
        "corrected version",
        "correction",
        "final version",
        "fixed version",
        "hmm",
        "improved version",
        "never mind",
        "nevermind",
        "on reflection",
        "or",
        "scratch that",
        "second attempt",
        "wait",
    ];
    const ALONE: [&str; 5] = ["better", "corrected", "improved", "instead", "revised"];
    const BLOCK: [&str; 6] = ["that", "that's", "this was", "the first", "the previous", "wrong"];
    const LONGEST: usize = 6;
    let is_short = said.words.len() <= LONGEST;
    let is_about_block =
        said.has(&["above", "wrong function", "wrong place", "wrong one"]) || is_short && said.starts(&BLOCK);
    let is_label =
        ["version", "attempt"].iter().filter_map(|it| said.rest(it)).any(|rest| (1..4).contains(&rest.len()));
    let is_exchange = is_short && said.starts(&["use this", "use the following", "apply this"]);
    said.has(&ANYWHERE)
        || said.starts(&FIRST) && !said.starts(&["wait for", "wait until"])
        || matches!(said.words.as_slice(), [word] if ALONE.contains(&word.as_str()))
        || is_about_block && said.has(&["wrong", "incorrect", "not right", "not correct"])
        || is_label && said.is_leading
        || is_exchange && said.has(&["instead"])
}

/// Whether a sentence offers the block below as one of several: `Option B:`, `Or, if you prefer`.
pub(super) fn offers_choice(said: &Sentence) -> bool {
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
