//! Summarizes the answers of two models in words, as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::statistics::{Cluster, FEWEST, Interval};
use crate::text::words::counted;

/// The minimum number of pairs for a language to be mentioned.
const FEWEST_OF_A_LANGUAGE: usize = 20;
/// The number of most telling pairs that are shown.
const TELLING: usize = 10;

/// The answer of one model at one position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text that would have been shown; empty if none.
    pub text: String,
    /// The number of its characters, without white space.
    pub suggested: usize,
    /// The number of its characters that are in the text of the commit, or the user's.
    pub kept: usize,
    /// Milliseconds until something could be shown, or the answer was known to be empty.
    pub milliseconds: u64,
    /// The cost in US dollars; `None` without a price.
    pub dollars: Option<f64>,
    /// Tokens read and written.
    pub tokens: u64,
}

impl Answer {
    fn share(&self) -> f64 {
        self.kept as f64 / self.suggested.max(1) as f64
    }
}

/// Where the positions are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The commits of a repository.
    History,
    /// The sessions of a recording, each about one file.
    Recording,
}

impl Source {
    /// The word for a cluster of positions.
    pub fn cluster(self) -> &'static str {
        match self {
            Self::History => "commit",
            Self::Recording => "session",
        }
    }

    /// A cluster's name as shown: of a hash, the first ten digits; of a session, its time without its file.
    pub fn shown(self, cluster: &str) -> String {
        match self {
            Self::History => cluster.chars().take(10).collect(),
            Self::Recording => cluster.chars().take("2026-01-01 00:00".len()).collect(),
        }
    }

    /// The word for the text that the answers are compared with.
    pub fn written(self) -> &'static str {
        match self {
            Self::History => "commit",
            Self::Recording => "typed",
        }
    }
}

/// Both answers at one position.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The commit's hash, or the time at which the session began and its file.
    pub cluster: String,
    /// The file's path.
    pub path: String,
    /// The language's name.
    pub language: String,
    /// The text of the line before the cursor.
    pub before: String,
    /// The text of the commit, or what the user typed.
    pub written: String,
    /// The answers of A and of B.
    pub answers: [Answer; 2],
}

impl Pair {
    /// The kept share of B minus that of A, from -1 to 1.
    pub fn difference(&self) -> f64 {
        let [a, b] = &self.answers;
        b.share() - a.share()
    }
}

/// The interval of the mean difference. Pairs of a commit or session, which must be adjacent, form a cluster.
pub fn interval<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Interval {
    let mut clusters: Vec<(&str, Cluster)> = Vec::new();
    for pair in pairs {
        if clusters.last().is_none_or(|(cluster, _)| *cluster != pair.cluster) {
            clusters.push((&pair.cluster, Cluster::default()));
        }
        if let Some((_, cluster)) = clusters.last_mut() {
            cluster.pairs += 1;
            cluster.sum += pair.difference();
        }
    }
    Interval::of(&clusters.into_iter().map(|(_, cluster)| cluster).collect::<Vec<_>>())
}

/// The totals of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sums {
    /// Answers with text to show.
    pub shown: usize,
    /// The number of their characters, without white space.
    pub suggested: usize,
    /// The number of their characters that are in the texts of the commits, or the user's.
    pub kept: usize,
    /// US dollars; `None` if an answer has no price.
    pub dollars: Option<f64>,
    /// Tokens read and written.
    pub tokens: u64,
    /// The median of the milliseconds until something could be shown.
    pub milliseconds: u64,
}

impl Sums {
    fn of(pairs: &[Pair], side: usize) -> Self {
        let mut sums = Self::default();
        let mut times = Vec::new();
        for answer in pairs.iter().map(|pair| &pair.answers[side]) {
            sums.shown += usize::from(answer.suggested > 0);
            sums.suggested += answer.suggested;
            sums.kept += answer.kept;
            sums.tokens += answer.tokens;
            times.push(answer.milliseconds);
        }
        times.sort_unstable();
        // The sum of nothing is -0.
        sums.dollars =
            pairs.iter().map(|pair| pair.answers[side].dollars).sum::<Option<f64>>().map(|it| it + 0.0);
        sums.milliseconds = times.get(times.len() / 2).copied().unwrap_or_default();
        sums
    }

    fn dollars_per_thousand(&self) -> Option<f64> {
        Some(self.dollars? * 1_000.0 / self.kept.max(1) as f64)
    }
}

/// The comparison of two models.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Where they are from.
    pub source: Source,
    /// The pairs, in the order of their clusters.
    pub pairs: Vec<Pair>,
    /// The interval of the mean difference.
    pub interval: Interval,
    /// The totals of A and of B.
    pub sums: [Sums; 2],
    languages: BTreeMap<String, Interval>,
}

impl Comparison {
    /// Summarizes these pairs, which must be in the order of their clusters.
    pub fn new(source: Source, pairs: Vec<Pair>) -> Self {
        let languages: std::collections::BTreeSet<&str> =
            pairs.iter().map(|it| it.language.as_str()).collect();
        let of = |language: &str| interval(pairs.iter().filter(|it| it.language == language));
        let languages = languages.into_iter().map(|it| (it.to_owned(), of(it))).collect();
        let sums = [0, 1].map(|side| Sums::of(&pairs, side));
        Self { source, interval: interval(pairs.iter()), sums, languages, pairs }
    }

    /// Summarizes the comparison in one sentence.
    pub fn sentence(&self) -> String {
        let Interval { mean, radius, pairs, clusters } = self.interval;
        if pairs == 0 {
            return "Nothing was compared".to_owned();
        }
        let [points, off] = points(&self.interval);
        let more = if mean < 0.0 { "less" } else { "more" };
        let off = radius.map(|_| format!(" ± {off}")).unwrap_or_default();
        let [a, b] = &self.sums;
        let cluster = self.source.cluster();
        let known = match radius {
            None => format!("Not sure, since it takes {FEWEST} {cluster}s: "),
            Some(_) if self.interval.is_sure() => String::new(),
            Some(_) => "No difference was found: ".to_owned(),
        };
        let kept = match radius {
            None if points == "0" => "B keeps as much of its text as A".to_owned(),
            Some(_) if points == "0" => format!("B keeps as much of its text as A,{off} points"),
            _ => format!("B keeps {points}{off} points {more} of its text"),
        };
        let mut sentence =
            format!("{known}{kept} ({}, {})", counted(pairs, "pair"), counted(clusters, cluster),);
        if let (Some(b), Some(a)) = (b.dollars_per_thousand(), a.dollars_per_thousand())
            && a + b > 0.0
        {
            // Writing to a string does not fail.
            _ = write!(sentence, ", {} against {} per 1,000 kept characters", dollars(b), dollars(a));
        }
        match (b.milliseconds, a.milliseconds) {
            (b, a) if b < a => sentence += &format!(", {} ms sooner", a - b),
            (b, a) if b > a => sentence += &format!(", {} ms later", b - a),
            _ => {}
        }
        for (language, it) in &self.languages {
            if it.pairs >= FEWEST_OF_A_LANGUAGE && it.mean * mean < 0.0 {
                let word = if it.mean < 0.0 { "worse" } else { "better" };
                let sure = if it.is_sure() { "" } else { ", not sure" };
                sentence += &format!("; {word} in {language} ({}{sure})", counted(it.pairs, "pair"));
            }
        }
        sentence
    }

    /// The rows of the table: the name of a figure, and its values for A and B.
    pub(super) fn rows(&self) -> Vec<[String; 3]> {
        let [a, b] = &self.sums;
        let share = |it: &Sums| format!("{:.1} %", it.kept as f64 * 100.0 / it.suggested.max(1) as f64);
        let count = self.pairs.len();
        let row = |name: &str, of: &dyn Fn(&Sums) -> String| [name.to_owned(), of(a), of(b)];
        let mut rows = vec![
            row("shown", &|it| format!("{} of {count}", it.shown)),
            row("kept of what was shown", &share),
            row("kept characters", &|it| it.kept.to_string()),
            row("dollars", &|it| it.dollars.map_or_else(|| "no price".to_owned(), |it| format!("{it:.4}"))),
            row("tokens", &|it| it.tokens.to_string()),
            row("median ms to the text", &|it| it.milliseconds.to_string()),
        ];
        for (language, it) in &self.languages {
            let sign = if (it.mean * 100.0).round() < 0.0 { "−" } else { "+" };
            let difference = match (points(it), it.radius) {
                ([points, _], None) => format!("{sign}{points}, not sure"),
                ([points, off], Some(_)) => format!("{sign}{points} ± {off}"),
            };
            rows.push([format!("B − A in {language}"), counted(it.pairs, "pair"), difference]);
        }
        rows
    }

    /// Renders the figures as a table of text, one per line.
    pub fn table(&self) -> String {
        let line = |[name, a, b]: [String; 3]| format!("{name:<28} {a:>12} {b:>12}\n");
        let head = ["", "A", "B"].map(str::to_owned);
        std::iter::once(head).chain(self.rows()).map(line).collect()
    }

    /// The pairs that differ most, at most ten.
    pub fn telling(&self) -> Vec<&Pair> {
        let mut pairs: Vec<&Pair> = self.pairs.iter().filter(|it| it.difference() != 0.0).collect();
        let weight = |pair: &Pair| pair.difference().abs() * pair.written.len() as f64;
        pairs.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        pairs.truncate(TELLING);
        pairs
    }

    /// Renders the comparison as JSON.
    pub fn in_json(&self) -> Value {
        let cluster = self.source.cluster();
        let clusters = format!("{cluster}s");
        let difference = |it: &Interval| json!({ "mean": it.mean, "radius": it.radius, "pairs": it.pairs, &*clusters: it.clusters, "sure": it.is_sure() });
        let languages: serde_json::Map<String, Value> =
            self.languages.iter().map(|(name, it)| (name.clone(), difference(it))).collect();
        let telling = self.telling().into_iter().map(|pair| {
            json!({
                cluster: pair.cluster, "path": pair.path, "before": pair.before, "written": pair.written,
                "a": pair.answers[0].text, "b": pair.answers[1].text,
            })
        });
        json!({
            "sentence": self.sentence(), "difference": difference(&self.interval), "languages": languages,
            "a": self.sums[0], "b": self.sums[1], "telling": telling.collect::<Vec<_>>(),
        })
    }
}

/// The size of a mean difference and its radius in percentage points; a radius that is not known is 0.
///
/// A duel ends as soon as the interval excludes zero, so that whole points often do not show that it does.
pub(super) fn points(interval: &Interval) -> [String; 2] {
    let Interval { mean, radius, .. } = *interval;
    let rounded = |places: usize| {
        let unit = 10_f64.powi(-2 - places as i32);
        let [mean, radius] = [(mean.abs() / unit).round(), (radius.unwrap_or_default() / unit).ceil()];
        let shown = |it: f64| format!("{:.places$}", it * unit * 100.0);
        (mean > radius, [shown(mean), shown(radius)])
    };
    let is_enough = |places: &usize| !interval.is_sure() || rounded(*places).0;
    rounded((0..2).find(is_enough).unwrap_or(2)).1
}

/// US dollars in cents, and small amounts to two digits.
pub fn dollars(amount: f64) -> String {
    let places = if amount > 0.0 && amount < 0.1 { 1 - amount.log10().floor() as i32 } else { 2 };
    format!("${amount:.0$}", places.max(2) as usize)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn answer(kept: usize, milliseconds: u64, dollars: f64) -> Answer {
        Answer {
            text: "x".repeat(10),
            suggested: 10,
            kept,
            milliseconds,
            dollars: Some(dollars),
            tokens: 100,
        }
    }

    /// Commits of two pairs in Rust and one in YAML; B keeps `b[0]` and `b[1]` of ten characters in turn.
    fn comparison(commits: usize, b: [usize; 2]) -> Comparison {
        let pair = |at: usize| {
            let (language, kept) = if at % 3 == 2 { ("YAML", 4 - at % 2) } else { ("Rust", b[at % 2]) };
            Pair {
                cluster: (at / 3).to_string(),
                path: "a".to_owned(),
                language: language.to_owned(),
                before: String::new(),
                written: "w".repeat(at % 5),
                answers: [answer(4, 200, 0.002), answer(kept, 110, 0.001)],
            }
        };
        Comparison::new(Source::History, (0..commits * 3).map(pair).collect())
    }

    fn check(comparison: &Comparison, expect: Expect) {
        expect.assert_eq(&comparison.sentence());
    }

    #[test]
    fn sentence_says_what_is_shown_and_what_is_not() {
        check(
            &comparison(100, [9, 5]),
            expect![
                "B keeps 18 ± 1 points more of its text (300 pairs, 100 commits), $0.17 against $0.50 per 1,000 kept characters, 90 ms sooner; worse in YAML (100 pairs)"
            ],
        );
        check(
            &comparison(10, [9, 5]),
            expect![
                "Not sure, since it takes 20 commits: B keeps 18 points more of its text (30 pairs, 10 commits), $0.17 against $0.50 per 1,000 kept characters, 90 ms sooner"
            ],
        );
        check(
            &comparison(1, [4, 4]),
            expect![
                "Not sure, since it takes 20 commits: B keeps as much of its text as A (3 pairs, 1 commit), $0.25 against $0.50 per 1,000 kept characters, 90 ms sooner"
            ],
        );
        let mut pairs = comparison(20, [9, 5]).pairs;
        pairs[7].answers[1].dollars = None;
        let unpriced = Comparison::new(Source::History, pairs);
        check(
            &unpriced,
            expect![
                "B keeps 18 ± 2 points more of its text (60 pairs, 20 commits), 90 ms sooner; worse in YAML (20 pairs)"
            ],
        );
        assert_eq!(unpriced.rows()[3], ["dollars", "0.1200", "no price"]);
        check(&Comparison::new(Source::Recording, Vec::new()), expect!["Nothing was compared"]);
    }

    #[test]
    fn interval_that_excludes_zero_is_shown_so_and_small_amounts_too() {
        let shown = |mean: f64, radius: Option<f64>| {
            points(&Interval { mean, radius, pairs: 900, clusters: 100 }).join(" ± ")
        };
        assert_eq!(shown(0.18, Some(0.004)), "18 ± 1");
        assert_eq!(shown(-0.0345, Some(0.0331)), "3.5 ± 3.4");
        assert_eq!(shown(0.03452, Some(0.03448)), "3.45 ± 3.45");
        assert_eq!(shown(-0.02, Some(0.05)), "2 ± 5");
        assert_eq!([0.0, 1.234, 0.031, 0.0018].map(dollars), ["$0.00", "$1.23", "$0.031", "$0.0018"]);
    }

    #[test]
    fn most_telling_pairs_come_first() {
        let comparison = comparison(10, [9, 5]);
        let telling = comparison.telling();
        assert_eq!(telling.len(), TELLING);
        let weights: Vec<f64> =
            telling.iter().map(|it| it.difference().abs() * it.written.len() as f64).collect();
        assert!(weights.is_sorted_by(|a, b| a >= b) && weights[0] > 0.0, "{weights:?}");
        assert_eq!(comparison.in_json()["telling"].as_array().unwrap().len(), TELLING);
    }
}
