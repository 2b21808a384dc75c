//! The counts, and how they are printed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Outcomes of the suggestions in some files.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tally {
    /// Keys needed to type the files.
    pub(crate) keys: usize,
    shown: usize,
    exact: usize,
    first_right: usize,
    saved: usize,
    /// The time of each answer.
    pub(crate) times: Vec<Duration>,
}

impl Tally {
    /// Counts a suggestion against the rest of its line. Returns how many bytes are accepted.
    pub(crate) fn shown(&mut self, text: &str, rest: &str) -> usize {
        let exact = rest.starts_with(text);
        self.shown += 1;
        self.first_right += usize::from(rest.starts_with(first_token(text)));
        if !exact {
            return 0;
        }
        self.exact += 1;
        self.saved += text.chars().count() - 1;
        text.len()
    }

    fn add(&mut self, other: &Self) {
        self.keys += other.keys;
        self.shown += other.shown;
        self.exact += other.exact;
        self.first_right += other.first_right;
        self.saved += other.saved;
        self.times.extend(&other.times);
    }

    /// The printed row, relative to `keys` in total.
    pub(crate) fn row(&self, keys: usize) -> String {
        format!("{:>7.1} {:>7} {:>8.1}", percent(self.saved, keys), self.shown, self.exact())
    }

    fn net(&self) -> f64 {
        percent(self.saved, self.keys)
    }

    fn exact(&self) -> f64 {
        percent(self.exact, self.shown)
    }
}

/// A word with the whitespace before it, or one other character.
pub(crate) fn first_token(text: &str) -> &str {
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    let token = text.trim_start();
    let len = token.find(|it| !is_word(it)).unwrap_or(token.len());
    let len = if len == 0 { token.chars().next().map_or(0, char::len_utf8) } else { len };
    &text[..text.len() - token.len() + len]
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The tallies of one engine, by language.
#[derive(Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, Tally>);

impl Figures {
    /// The names of the columns.
    pub(crate) const HEAD: &'static str =
        "  net %   shown  exact %  first %  wrong %  p50 µs  p99 µs   net@exact by language";

    /// The tally of a language.
    pub(crate) fn of(&mut self, language: &str) -> &mut Tally {
        self.0.entry(language.to_owned()).or_default()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = Tally::default();
        self.0.values().for_each(|tally| all.add(tally));
        let first = percent(all.first_right, all.shown);
        let [median, last] = percentiles(&mut all.times);
        write!(
            f,
            "{:>7.1} {:>7} {:>8.1} {first:>8.1} {:>8.1} {median:>7.0} {last:>7.0}  ",
            all.net(),
            all.shown,
            all.exact(),
            100.0 - first,
        )?;
        for (language, tally) in &self.0 {
            write!(f, " {language} {:.1}@{:.0}", tally.net(), tally.exact())?;
        }
        Ok(())
    }
}

/// The median and the 99th percentile, in microseconds.
pub(crate) fn percentiles(times: &mut [Duration]) -> [f64; 2] {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).map_or(0.0, |it| it.as_secs_f64() * 1e6);
    [at(50), at(99)]
}
