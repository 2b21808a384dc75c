//! A comparison of two models on an invented history, for the demonstration.

use std::path::Path;
use std::time::Duration;

use super::journal::AnswerJournal;
use super::side::{Side, Spending};
use super::task::{Forecast, Task};
use super::{Halt, Limits, ask, of_change, pairs};
use crate::compare::places::HeldOutPosition;
use crate::compare::result::{Comparison, Source};

/// Changes of one file, each as its text before and after.
pub(in crate::cli) struct ExampleHistory(Vec<Task>);

impl ExampleHistory {
    /// The history of a file with these texts, oldest first.
    pub(in crate::cli) fn new(path: &str, texts: &[String]) -> Self {
        let changes = texts.windows(2).enumerate();
        let tasks = changes.flat_map(|(at, pair)| of_change(&at.to_string(), path, &pair[0], &pair[1]));
        Self(tasks.collect())
    }

    /// The line before the cursor and the text that follows it in the history, for each position.
    pub(in crate::cli) fn held_out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|task| {
            let HeldOutPosition { text, cursor, written } = &task.place;
            let before = &text[..*cursor];
            (before.rsplit('\n').next().unwrap_or_default(), written.as_str())
        })
    }

    /// Compares two models of a configuration; the answers are kept in `state`.
    pub(in crate::cli) async fn compare(
        &self,
        config: &Path,
        names: [&str; 2],
        root: &Path,
        state: &Path,
    ) -> anyhow::Result<Comparison> {
        let side = |name| Side::new(Some(config), name, root, Spending::Simulated);
        let [a, b] = [side(names[0])?, side(names[1])?];
        let mut journal = AnswerJournal::open(state, "example", false)?;
        let limits = Limits { time: Duration::from_secs(60), dollars: f64::INFINITY };
        let stopped = ask(&limits, [&a, &b], &self.0, &mut journal, &<[Forecast; 2]>::default()).await?;
        if let Some(Halt { why, .. }) = stopped {
            anyhow::bail!("the comparison stopped: {why}");
        }
        Ok(Comparison::new(Source::History, pairs(&self.0, &journal)))
    }
}
