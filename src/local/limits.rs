//! Limits on what the local engine reads, learns and offers.
//!
//! Where no measurement is named, a figure is a judgement: large enough for hand-written code, and small enough
//! for results within a millisecond or two.

// Continuing a line by analogy.

/// Maximum length in bytes of a line that is continued; a longer line is generated, not typed.
pub(super) const TYPED_LINE_BYTES: usize = 1000;
/// Bytes before the cursor that are read …
pub(super) const BYTES_BEFORE: usize = 24 << 10;
/// … and bytes after it.
pub(super) const BYTES_AFTER: usize = 8 << 10;
/// Minimum number of typed bytes of a word before the vocabulary completes it.
pub(super) const STEM_BYTES: usize = 2;
/// Number of lines compared above each of two analogous lines.
pub(super) const COMPARED_LINES_ABOVE: usize = 4;
/// Maximum number of analogous lines compared, nearest first: in a table of a thousand rows, the nearest rows
/// are enough.
pub(super) const COMPARED_LINES: usize = 200;
/// Points for each matching line above.
pub(super) const LINE_ABOVE_POINTS: i64 = 20;
/// Points for each matching token; a word counts twice.
pub(super) const TOKEN_POINTS: i64 = 2;
/// Points if the differing words change the rest of the line.
pub(super) const CHANGE_POINTS: i64 = 15;
/// Points for the same indentation.
pub(super) const INDENT_POINTS: i64 = 6;
/// Penalty for each differing word.
pub(super) const CHANGED_WORD_POINTS: i64 = 3;
/// Minimum lead in points over analogous lines that continue otherwise.
pub(super) const RIVAL_POINTS: i64 = 5;
/// Maximum number of tokens between two neighbours of a list.
pub(super) const LIST_STEP_TOKENS: usize = 6;

// Repeating a change.

/// Maximum size in bytes of a file in which a change is repeated: each trial is a parse.
pub(super) const REPEATING_FILE_BYTES: usize = 1024 * 1024;
/// Maximum number of edits offered at once.
pub(super) const REPEATED_EDITS: usize = 64;
/// Maximum number of lines replaced as a unit.
pub(super) const SAME_LINES: usize = 6;
/// Minimum number of tokens in lines that are matched again: `let x = 1;` is too short.
pub(super) const SAME_LINE_TOKENS: usize = 6;
/// Minimum number of their unchanged words: `version = "1"` does not identify its subject.
pub(super) const SAME_LINE_WORDS: usize = 2;
/// Minimum number of tokens in a line beside which other lines are added again.
pub(super) const LINE_ANCHOR_TOKENS: usize = 3;
/// Places where lines must have been added or removed before it is repeated: after two, half of the next were right.
pub(super) const MOVED_PLACES: usize = 3;
/// Minimum number of tokens in lines that are removed again.
pub(super) const REMOVED_TOKENS: usize = 4;
/// Minimum number of tokens that identify a place in another file: with fewer, three of thirteen were right.
pub(super) const OTHER_FILE_TOKENS: usize = 7;
/// Places where words must have been replaced, if some are in other files or short, before that is repeated:
/// after two, half of the others were right.
pub(super) const UNSURE_PLACES: usize = 3;
/// Minimum length in bytes of words that are replaced again after two places: 19 of 21 were right.
pub(super) const LONG_WORDS_BYTES: usize = 8;
/// Minimum length in bytes of a string of several words that is replaced again …
pub(super) const SENTENCE_BYTES: usize = 9;
/// … and of a string without spaces.
pub(super) const LONG_STRING_BYTES: usize = 31;
/// Calls that must have got the same argument before it is repeated.
pub(super) const ARGUMENT_PLACES: usize = 3;
/// Number of tokens beside a replaced text that must match at a new place, if they matched so far.
pub(super) const NEIGHBOR_TOKENS_ALIKE: usize = 2;
/// Maximum number of tokens in lines that are compared with others …
pub(super) const PATTERN_TOKENS: usize = 200;
/// … and in the parts that may differ between two changes.
pub(super) const HOLE_TOKENS: usize = 40;
/// Places where a type, or words in other files, must have been replaced before that is repeated: few others
/// mean the same.
pub(super) const TYPE_PLACES: usize = 3;
/// Maximum number of comparisons with the words of a text …
pub(super) const MATCH_STEPS: usize = 10_000;
/// … or, in a longer text, per token.
pub(super) const STEPS_PER_TOKEN: usize = 16;
/// Minimum number of digits in a version's hash.
pub(super) const PIN_BYTES: usize = 12;
/// Number of edits before the last one whose renames may still have uses to follow.
pub const OPEN_RENAMES: usize = 4;
/// Maximum number of names whose types are looked for at once.
pub(super) const TYPED_RECEIVERS: usize = 64;
/// Minimum length in bytes of a member's name that counts as unique; `.len` does not.
pub(super) const UNIQUE_NAME_BYTES: usize = 7;
/// Maximum size in bytes of another file that follows a change: it is parsed for this.
pub(super) const REFERENCING_FILE_BYTES: usize = 256 * 1024;
/// Maximum number of edits offered in another file.
pub(super) const REFERENCE_EDITS: usize = 32;
/// Files in which a repeated change broke the syntax, after which no more are tried.
pub(super) const UNSOUND_FILES: usize = 2;
/// Bytes of a file that are searched for imports, which are at its beginning.
pub(super) const IMPORTS_BYTES: usize = 64 * 1024;

// Fixing diagnostics.

/// Maximum size in bytes of a file that is parsed once for each position where a token may be missing.
pub(super) const FIXED_FILE_BYTES: usize = 512 * 1024;
/// Lines above a problem that may lack the token: a parser often reports it on the next line of code.
pub(super) const FIX_LINES_ABOVE: usize = 3;
/// Lines below it at whose end a bracket may be missing.
pub(super) const FIX_LINES_BELOW: usize = 12;
/// Maximum number of trial parses of a file, for all of its diagnostics together.
pub(super) const TRIALS: usize = 512;
/// Maximum number of trials of combined fixes where some break the syntax.
pub(super) const COMPOSE_TRIALS: usize = 64;
/// Maximum number of occurrences of a name inspected for its scope.
pub(super) const SCOPE_PLACES: usize = 64;
/// Maximum size in bytes of a definition that a fix relies on as a whole; of a longer one it relies on a part.
pub(super) const RELIED_BYTES: usize = 4 * 1024;
/// Maximum number of characters of code in a fix's title.
pub(super) const TITLE_CHARS: usize = 60;

// Predicting tokens. `cargo bench --bench typing` measures what each change of these saves and costs.

/// Maximum length in bytes of a line that is learned or continued; a longer line is data or minified.
pub(super) const LINE_BYTES: usize = 400;
/// Memory limit in bytes for all files: the largest one and the inspected parts of its neighbors. Beyond it,
/// the least recently queried files are forgotten.
pub(super) const MEMORY_BYTES: usize = 5 << 20;
/// Its share for the vocabulary. Beyond that, everything is forgotten, since words of closed files remain.
pub(super) const VOCABULARY_BYTES: usize = MEMORY_BYTES / 2;
/// Maximum number of tokens initially learned from a file, each of about 15 bytes: some 26,000 lines. Half of
/// them may lie below the cursor.
pub(super) const FILE_TOKENS: usize = 250_000;
/// Average number of bytes of text per token.
pub(super) const BYTES_PER_TOKEN: usize = 4;
/// Lines above the cursor that are searched for unlearned ones, which were typed or pasted since. A caller
/// passes this many.
pub const CATCH_UP_LINES: usize = 200;
/// Lines up to the cursor that are searched for an accepted prediction, or for its line as finished otherwise.
pub(super) const LOOK_BACK_LINES: usize = 3;
/// Maximum number of inspected files of the same language, the most recently queried …
pub(super) const NEIGHBOR_FILES: usize = 32;
/// … and of their tokens.
pub(super) const NEIGHBOR_TOKENS: usize = 80_000;
/// Maximum number of places of a chain inspected, newest first. 200 save 0.3 % more keys and take three times as long.
pub(super) const CHAIN_PLACES: usize = 64;
/// Words that begin with the typed prefix: how many are inspected …
pub(super) const SEEN_WORDS: usize = 2000;
/// … and how many of the most common are counted.
pub(super) const COUNTED_WORDS: usize = 32;
/// Extra share of the belief for the latest continuation.
pub(super) const LATEST_SHARE: f32 = 0.25;
/// The share from which a token dominates a context.
pub(super) const MOST_SHARE: f32 = 0.7;
/// Belief below which further contexts change nothing.
pub(super) const LEAST_BELIEF: f32 = 0.01;
/// Maximum number of tokens in one prediction.
pub(super) const CHAIN_TOKENS: usize = 16;
/// The product of the tokens' probabilities below which a chain ends.
pub(super) const LEAST_CHAIN_CHANCE: f32 = 0.12;
/// The value of a correct suggestion beyond its length, in keystrokes: a wrong one costs attention. The greater
/// it is, the closer the precision of suggestions is to the target.
pub(super) const CORRECTNESS_BONUS_KEYS: f32 = 150.0;
