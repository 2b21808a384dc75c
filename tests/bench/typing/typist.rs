//! The simulated user.

use std::fmt;
use std::time::Instant;

use crate::corpus::Sample;
use crate::engine::Engine;
use crate::figures::Tally;

/// Letters of a word after which a user who asks at words reads the suggestion.
const WORD_LETTERS: usize = 3;

/// When the user reads the suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Where a word begins or has three letters, and after each other character.
    Words,
    /// After each key.
    Keys,
}

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Words => "asked at words",
            Self::Keys => "asked at each key",
        })
    }
}

/// Types a sample key by key. `look` is called where the user reads the suggestion, with the text before the cursor
/// and the rest of the line. It returns how many bytes of the rest it inserts: 0 if the user continues typing.
pub(crate) fn go_through(sample: &Sample, asks: Asks, mut look: impl FnMut(&str, &str) -> usize) {
    let mut before = sample.above.clone();
    for line in sample.typed.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        let indent = body.len() - body.trim_start().len();
        let start = before.len();
        let mut at = 0;
        while at < body.len() {
            let word = body[..at].chars().rev().take_while(|it| it.is_alphanumeric() || *it == '_').count();
            let looks = at >= indent && (asks == Asks::Keys || word == 0 || word == WORD_LETTERS);
            let inserted = if looks { look(&before, &body[at..]) } else { 0 };
            let key = body[at..].chars().next().map_or(1, char::len_utf8);
            at += if inserted > 0 { inserted } else { key };
            before.truncate(start);
            before.push_str(&body[..at]);
        }
        before.truncate(start);
        before.push_str(line);
    }
}

/// Types a sample, and accepts suggestions that are wholly right.
pub(crate) fn type_through(sample: &Sample, asks: Asks, engine: &mut dyn Engine, tally: &mut Tally) {
    tally.keys += sample.typed.chars().count();
    go_through(sample, asks, |before, rest| {
        let started = Instant::now();
        let suggestion = engine.suggest(before);
        tally.times.push(started.elapsed());
        suggestion.map_or(0, |text| tally.shown(&text, rest))
    });
}
