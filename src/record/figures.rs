//! The figures of a recording: sums of the outcomes of suggestions, and their costs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::outcomes::{AFTER, Asked, End, Measure, Opportunity, Outcome, Report};
use crate::text::Day;

/// The attribute by which figures are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The day (UTC).
    Day,
    /// The model. Opportunities have none.
    Model,
    /// The language.
    Language,
    /// The job.
    Job,
}

/// Characters that suggestions change, and how many of them were kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Characters {
    /// Characters that the suggestions change.
    pub suggested: usize,
    /// Characters of these that were kept.
    pub kept: usize,
}

impl Characters {
    fn add(&mut self, measure: &Measure) {
        if let Ok(kept) = measure {
            self.suggested += kept.suggested;
            self.kept += kept.kept;
        }
    }

    /// The share that was kept, from 0 to 1; `None` if nothing was suggested.
    pub fn share(&self) -> Option<f64> {
        (self.suggested > 0).then(|| self.kept as f64 / self.suggested as f64)
    }
}

/// The figures of some suggestions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Pauses in which something could have been shown.
    pub opportunities: usize,
    /// Requests to models.
    pub asked: usize,
    /// Requests that returned a text.
    pub answered: usize,
    /// Suggestions that were shown.
    pub shown: usize,
    /// Suggestions accepted as a whole.
    pub whole: usize,
    /// Suggestions accepted in part.
    pub part: usize,
    /// Suggestions that the user typed as shown.
    pub typed: usize,
    /// Suggestions that were dismissed.
    pub dismissed: usize,
    /// The kept part of the taken suggestions, once the text had settled.
    pub settled: Characters,
    /// The kept part at the times of [`AFTER`].
    pub after: [Characters; AFTER.len()],
    /// The kept part at the file's next save.
    pub at_save: Characters,
    /// Characters that the user changed where a suggestion was shown, until the text settled.
    pub changed: usize,
    /// Characters of these that the suggestion had predicted.
    pub foretold: usize,
    /// Taken suggestions of which no measure could be taken in the end.
    pub void: usize,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// US dollars, for the models that have a price.
    pub dollars: f64,
    /// Requests to models without a price.
    pub unpriced: usize,
    /// Milliseconds from each request to its first text, sorted.
    #[serde(skip)]
    pub waits: Vec<u64>,
}

impl Figures {
    /// Kept characters per opportunity; `None` without an opportunity.
    pub fn kept_per_opportunity(&self) -> Option<f64> {
        (self.opportunities > 0).then(|| self.settled.kept as f64 / self.opportunities as f64)
    }

    /// US dollars per thousand kept characters; `None` if none was kept or a price is unknown.
    pub fn dollars_per_thousand(&self) -> Option<f64> {
        (self.settled.kept > 0 && self.unpriced == 0)
            .then(|| self.dollars * 1_000.0 / self.settled.kept as f64)
    }

    /// The share of the user's changes that was predicted, from 0 to 1.
    pub fn recall(&self) -> Option<f64> {
        (self.changed > 0).then(|| self.foretold as f64 / self.changed as f64)
    }

    /// The quantile of the milliseconds to the first text, for `share` of the requests.
    pub fn wait(&self, share: f64) -> Option<u64> {
        let last = self.waits.len().checked_sub(1)?;
        self.waits.get((last as f64 * share).round() as usize).copied()
    }

    fn add_outcome(&mut self, outcome: &Outcome) {
        self.shown += 1;
        match outcome.end {
            End::Whole => self.whole += 1,
            End::Part => self.part += 1,
            End::Typed => self.typed += 1,
            End::Dismissed => self.dismissed += 1,
            End::Passed => {}
        }
        if let Ok(kept) = outcome.settled {
            self.changed += kept.changed;
            self.foretold += kept.kept.min(kept.changed);
        }
        if !outcome.end.is_taken() {
            return;
        }
        self.settled.add(&outcome.settled);
        self.void += usize::from(outcome.settled.is_err());
        self.after.iter_mut().zip(&outcome.after).for_each(|(sum, measure)| sum.add(measure));
        outcome.at_save.iter().for_each(|measure| self.at_save.add(measure));
    }

    fn add_asked(&mut self, asked: &Asked, dollars: Option<f64>) {
        self.asked += 1;
        self.answered += usize::from(asked.first_text.is_some());
        self.waits.extend(asked.first_text);
        self.input_tokens += asked.tokens[0];
        self.output_tokens += asked.tokens[3];
        self.dollars += dollars.unwrap_or_default();
        self.unpriced += usize::from(dollars.is_none());
    }
}

/// The figures of all suggestions, and those of each group by its name. `price` returns the cost of a request.
pub fn figures(
    report: &Report,
    by: By,
    price: impl Fn(&Asked) -> Option<f64>,
) -> (Figures, BTreeMap<String, Figures>) {
    let (mut all, mut groups) = (Figures::default(), BTreeMap::<String, Figures>::new());
    for outcome in &report.outcomes {
        let model = outcome.model.as_deref().unwrap_or(LOCAL);
        let group = name(by, outcome.time, model, &outcome.language, &outcome.job);
        all.add_outcome(outcome);
        groups.entry(group).or_default().add_outcome(outcome);
    }
    for asked in &report.asked {
        let dollars = price(asked);
        let group = name(by, asked.time, &asked.model, &asked.language, &asked.job);
        all.add_asked(asked, dollars);
        groups.entry(group).or_default().add_asked(asked, dollars);
    }
    for Opportunity { time, language, jobs } in &report.opportunities {
        all.opportunities += 1;
        let named: Vec<String> = match by {
            By::Model => Vec::new(),
            By::Job => jobs.clone(),
            By::Day | By::Language => vec![name(by, *time, "", language, "")],
        };
        for group in named {
            groups.entry(group).or_default().opportunities += 1;
        }
    }
    std::iter::once(&mut all).chain(groups.values_mut()).for_each(|it| it.waits.sort_unstable());
    (all, groups)
}

/// The name used as the model where the local engine answered.
const LOCAL: &str = "local engine";

fn name(by: By, time: u64, model: &str, language: &str, job: &str) -> String {
    match by {
        By::Day => Day(time / 86_400_000).to_string(),
        By::Model => model.to_owned(),
        By::Language => language.to_owned(),
        By::Job => job.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::kept::Kept;
    use crate::record::outcomes::Void;

    fn outcome(model: Option<&str>, end: End, settled: Measure) -> Outcome {
        let after = if end.is_taken() { vec![settled; AFTER.len()] } else { Vec::new() };
        let (language, job) = ("rust".to_owned(), "completion".to_owned());
        Outcome {
            time: 0,
            language,
            job,
            model: model.map(str::to_owned),
            end,
            after,
            at_save: None,
            settled,
        }
    }

    #[test]
    fn sums_count_what_was_taken_and_keep_groups_apart() {
        let kept = |suggested, kept, changed| Ok(Kept { suggested, kept, changed });
        let asked = |model: &str, first_text: u64| Asked {
            time: 0,
            language: "rust".to_owned(),
            job: "completion".to_owned(),
            model: model.to_owned(),
            served: None,
            first_text: Some(first_text),
            tokens: [100, 0, 0, 10],
        };
        let opportunity =
            Opportunity { time: 0, language: "rust".to_owned(), jobs: vec!["completion".to_owned()] };
        let report = Report {
            opportunities: vec![opportunity; 4],
            asked: vec![asked("a", 300), asked("b", 100), asked("a", 200)],
            outcomes: vec![
                outcome(Some("a"), End::Whole, kept(10, 8, 20)),
                outcome(Some("a"), End::Typed, Err(Void::Branch)),
                outcome(Some("b"), End::Dismissed, kept(10, 2, 20)),
                outcome(None, End::Part, kept(4, 4, 4)),
            ],
        };
        let price = |asked: &Asked| (asked.model == "a").then_some(0.006);
        let (all, groups) = figures(&report, By::Model, price);
        assert_eq!(groups.keys().collect::<Vec<_>>(), ["a", "b", LOCAL]);
        assert_eq!((all.shown, all.whole, all.part, all.typed, all.dismissed, all.void), (4, 1, 1, 1, 1, 1));
        assert_eq!((all.settled.suggested, all.settled.kept, all.changed, all.foretold), (14, 12, 44, 14));
        assert_eq!(all.kept_per_opportunity(), Some(3.0));
        assert_eq!((all.wait(0.5), all.wait(0.95)), (Some(200), Some(300)));
        assert_eq!((all.dollars_per_thousand(), all.unpriced), (None, 1), "a price is missing");
        assert_eq!(groups["a"].dollars_per_thousand(), Some(1.5));
        assert_eq!(groups["a"].kept_per_opportunity(), None, "a pause has no model");
        let (_, groups) = figures(&report, By::Job, price);
        assert_eq!(groups["completion"].opportunities, 4);
    }
}
