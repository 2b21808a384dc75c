//! How much the local engine reads, learns and offers.
//!
//! Where no measurement is named, a figure is a judgement: large enough for code that people write, and small
//! enough that an answer takes a millisecond or two.

// Continuing a line by analogy.

/// Bytes of a line that is continued; a longer one is generated, not typed.
pub(super) const TYPED_LINE_BYTES: usize = 1000;
/// Bytes before the cursor that are read …
pub(super) const BYTES_BEFORE: usize = 24 << 10;
/// … and bytes after it.
pub(super) const BYTES_AFTER: usize = 8 << 10;
/// Bytes that are typed of a word, at least, before the vocabulary completes it.
pub(super) const STEM_BYTES: usize = 2;
/// Lines above each of two analogous lines that are compared.
pub(super) const COMPARED_LINES_ABOVE: usize = 4;
/// Analogous lines that are compared, the nearest ones: a table of a thousand rows says no more than its next
/// rows.
pub(super) const COMPARED_LINES: usize = 200;
/// Points for each line above that is alike.
pub(super) const LINE_ABOVE_POINTS: i64 = 20;
/// Points for each sign that is alike; a word counts twice.
pub(super) const TOKEN_POINTS: i64 = 2;
/// Points if the words that differ change the rest of the line.
pub(super) const CHANGE_POINTS: i64 = 15;
/// Points for the same indentation.
pub(super) const INDENT_POINTS: i64 = 6;
/// Points that each word that differs costs.
pub(super) const CHANGED_WORD_POINTS: i64 = 3;
/// Points by which an analogous line is stronger than those that go on otherwise.
pub(super) const RIVAL_POINTS: i64 = 5;
/// Tokens between two neighbours of a list, at most.
pub(super) const LIST_STEP_TOKENS: usize = 6;

// Repeating a change.

/// Bytes of a file in which a change is repeated: trying an offer out means to parse it.
pub(super) const REPEATING_FILE_BYTES: usize = 1024 * 1024;
/// Edits that are offered at once.
pub(super) const REPEATED_EDITS: usize = 64;
/// Lines that are taken as one thing to be replaced.
pub(super) const SAME_LINES: usize = 6;
/// Words and signs of lines that are known again, at least: `let x = 1;` says too little.
pub(super) const SAME_LINE_TOKENS: usize = 6;
/// Words of them that stay, at least: `version = "1"` does not say of what.
pub(super) const SAME_LINE_WORDS: usize = 2;
/// Words and signs of a line beside which others are added again, at least.
pub(super) const LINE_ANCHOR_TOKENS: usize = 3;
/// Places where lines were added or removed before others are: after two, half of the next were right.
pub(super) const MOVED_PLACES: usize = 3;
/// Words and signs of lines that are removed again, at least.
pub(super) const REMOVED_TOKENS: usize = 4;
/// Words and signs that tell a place in another file, at least: with fewer, three of thirteen were right.
pub(super) const OTHER_FILE_TOKENS: usize = 7;
/// Places where words were replaced, some of them in other files, or short ones, before that is repeated: after
/// two, half of the others were right.
pub(super) const UNSURE_PLACES: usize = 3;
/// Bytes of words that are replaced again after two places, at least: 19 of 21 were right.
pub(super) const LONG_WORDS_BYTES: usize = 8;
/// Bytes of a string of several words that is replaced again, at least …
pub(super) const SENTENCE_BYTES: usize = 9;
/// … and of one without blanks.
pub(super) const LONG_STRING_BYTES: usize = 31;
/// Calls that got the same argument before others get it.
pub(super) const ARGUMENT_PLACES: usize = 3;
/// Words and signs beside a replaced text that have to be alike where it is replaced again, if they were so
/// far.
pub(super) const NEIGHBOR_TOKENS_ALIKE: usize = 2;
/// Words and signs of lines that are compared with others, at most …
pub(super) const PATTERN_TOKENS: usize = 200;
/// … and of what may differ between two changes.
pub(super) const HOLE_TOKENS: usize = 40;
/// Places where a type, or words in other files, were exchanged before that is repeated: few others mean the
/// same.
pub(super) const TYPE_PLACES: usize = 3;
/// Comparisons with the words of a text, at most: so many …
pub(super) const MATCH_STEPS: usize = 10_000;
/// … or, of a longer text, so many for each of its words and signs.
pub(super) const STEPS_PER_TOKEN: usize = 16;
/// Letters of a version's hash, at least.
pub(super) const PIN_BYTES: usize = 12;
/// Bytes from which on a member's name is taken as unique; `.len` is not.
pub(super) const UNIQUE_NAME_BYTES: usize = 7;
/// Bytes of another file in which a change is followed: it is parsed for this.
pub(super) const REFERENCING_FILE_BYTES: usize = 256 * 1024;
/// Edits that are offered in another file.
pub(super) const REFERENCE_EDITS: usize = 32;
/// Files in which what was repeated broke the syntax, after which no more are tried.
pub(super) const UNSOUND_FILES: usize = 2;
/// Bytes of a file in which imports are looked for: they stand at its beginning.
pub(super) const IMPORTS_BYTES: usize = 64 * 1024;

// Fixing what a message says.

/// Bytes of a file that is parsed once for each place where a token may be missing.
pub(super) const FIXED_FILE_BYTES: usize = 512 * 1024;
/// Lines above a problem that may lack the token: a parser notices on the next line of code.
pub(super) const FIX_LINES_ABOVE: usize = 3;
/// Lines below it at whose end a bracket may be missing.
pub(super) const FIX_LINES_BELOW: usize = 12;
/// Trials of a file with the parser for all that is reported of it: its time does not grow with the reports.
pub(super) const TRIALS: usize = 512;
/// Trials of fixes together where some break the syntax.
pub(super) const COMPOSE_TRIALS: usize = 64;
/// Places of a name that are looked at for its scope.
pub(super) const SCOPE_PLACES: usize = 64;
/// Bytes of a definition that a fix relies on as a whole; of a longer one it relies on a part.
pub(super) const RELIED_BYTES: usize = 4 * 1024;
/// Characters of code in a fix's title.
pub(super) const TITLE_CHARS: usize = 60;

// Predicting tokens. `cargo bench --bench typing` measures what each change of these saves and costs.

/// Bytes of a line that is learned, or continued; a longer one is data or minified.
pub(super) const LINE_BYTES: usize = 400;
/// Bytes of memory for all files: the largest one, and what is looked at of its neighbors. Beyond, those that were
/// not asked about for the longest time are forgotten.
pub(super) const MEMORY_BYTES: usize = 5 << 20;
/// The part of it for the vocabulary. Beyond, everything is forgotten: words of files that are gone stay.
pub(super) const VOCABULARY_BYTES: usize = MEMORY_BYTES / 2;
/// Tokens that are learned of one file at first, each of about 15 bytes: some 26,000 lines. Half of them may
/// stand below the cursor.
pub(super) const FILE_TOKENS: usize = 250_000;
/// Bytes of text for one token, in the mean.
pub(super) const BYTES_PER_TOKEN: usize = 4;
/// Lines above the cursor that are searched for ones not learned yet: what was typed or pasted since. A
/// caller passes as many.
pub const CATCH_UP_LINES: usize = 200;
/// Lines up to the cursor in which a prediction may stand that was accepted, or its line as it was finished
/// otherwise.
pub(super) const LOOK_BACK_LINES: usize = 3;
/// Files of the same language that are looked at, the ones last asked about …
pub(super) const NEIGHBOR_FILES: usize = 32;
/// … and tokens of theirs.
pub(super) const NEIGHBOR_TOKENS: usize = 80_000;
/// Places of a chain that are looked at, the newest. 200 save 0.3 % more keys and take three times as long.
pub(super) const CHAIN_PLACES: usize = 64;
/// Words that begin with what is typed: how many are looked at …
pub(super) const SEEN_WORDS: usize = 2000;
/// … and how many of the commonest are counted.
pub(super) const COUNTED_WORDS: usize = 32;
/// The part of the belief that what followed last gets beside its share.
pub(super) const LATEST_SHARE: f32 = 0.25;
/// The share from which on a token has most of a context.
pub(super) const MOST_SHARE: f32 = 0.7;
/// Belief below which further contexts change nothing.
pub(super) const LEAST_BELIEF: f32 = 0.01;
/// Tokens of one prediction.
pub(super) const CHAIN_TOKENS: usize = 16;
/// The product of the tokens' chances below which no more is predicted.
pub(super) const LEAST_CHAIN_CHANCE: f32 = 0.12;
/// What a suggestion that is right is worth beyond its length, in keys: being wrong costs attention. The
/// greater, the nearer is what is shown to the target.
pub(super) const PRICE_KEYS: f32 = 150.0;
