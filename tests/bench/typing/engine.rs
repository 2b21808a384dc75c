//! The engines that make suggestions.

use tandem::document::DocumentId;
use tandem::local;
use tandem::local::predict::{CATCH_UP_LINES, Expert, Level, Predictor};

use crate::corpus::Sample;
use crate::figures::first_token;

/// An engine that makes suggestions while a file is typed.
pub(crate) trait Engine {
    /// Learns the text that exists before the typing begins.
    fn learn(&mut self, sample: &Sample);

    /// Suggests a continuation of the line after a text.
    fn suggest(&mut self, before: &str) -> Option<String>;
}

/// The predictor.
pub(crate) struct Local {
    predictor: Predictor,
    level: Level,
}

impl Local {
    pub(crate) fn new(level: Level) -> Self {
        Self { predictor: Predictor::default(), level }
    }
}

impl Local {
    /// The expert that predicted the first token of a suggestion: a begun word, a word that may end here, or the next.
    pub(crate) fn dominant_context(&mut self, before: &str, text: &str) -> Option<(Expert, bool)> {
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
        let line = before.rsplit('\n').next().unwrap_or_default();
        let start = line.trim_end_matches(is_part).len();
        let rest = if start < line.len() && !text.starts_with(is_part) { "" } else { first_token(text) };
        let token = [&line[start..], rest].concat();
        let above = &line[..start];
        let blank = token.starts_with(char::is_whitespace)
            || above.ends_with(char::is_whitespace) && !above.trim().is_empty();
        self.predictor.dominant_context(&id(), tail(before), token.trim_start(), blank)
    }
}

impl Engine for Local {
    fn learn(&mut self, sample: &Sample) {
        self.predictor = learned(sample);
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        Some(self.predictor.predict(&id(), tail(before), "", self.level)?.text)
    }
}

/// The rules, used where the predictor has no suggestion.
pub(crate) struct Rules {
    first: Option<Local>,
    below: String,
}

impl Rules {
    /// Bytes that the rules inspect on each side, as in a window around the cursor.
    const BEFORE: usize = 6 * 1024;
    const AFTER: usize = 2 * 1024;

    pub(crate) fn after(first: Option<Local>) -> Self {
        Self { first, below: String::new() }
    }
}

impl Engine for Rules {
    fn learn(&mut self, sample: &Sample) {
        if let Some(first) = &mut self.first {
            first.learn(sample);
        }
        self.below = "\n".to_owned();
        let lines = sample.below.split_inclusive('\n');
        for line in lines.take_while(|line| line.len() < Self::AFTER) {
            self.below.push_str(line);
            if self.below.len() > Self::AFTER {
                break;
            }
        }
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        if let Some(text) = self.first.as_mut().and_then(|first| first.suggest(before)) {
            return Some(text);
        }
        let starts = before.rmatch_indices('\n').map(|(at, _)| at + 1);
        let start = starts.take_while(|start| before.len() - start <= Self::BEFORE).last()?;
        let text = local::complete_surely(&before[start..], &self.below)?;
        (text.chars().count() >= Level::MEDIUM.least_chars).then_some(text)
    }
}

/// A predictor that knows a sample's file and its neighbors.
pub(crate) fn learned(sample: &Sample) -> Predictor {
    let mut predictor = Predictor::default();
    for (number, text) in sample.neighbors.iter().enumerate().rev() {
        predictor.learn(&DocumentId::new(&number.to_string()), &sample.language, "", text);
    }
    predictor.learn(&id(), &sample.language, &sample.above, &sample.below);
    predictor
}

/// The id of the typed file.
pub(crate) fn id() -> DocumentId {
    DocumentId::new("typed")
}

/// The lines that a server passes to the predictor.
pub(crate) fn tail(before: &str) -> &str {
    let start = before.rmatch_indices('\n').nth(CATCH_UP_LINES).map_or(0, |(at, _)| at + 1);
    &before[start..]
}
