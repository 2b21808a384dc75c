//! The counts of a replay, and how they are printed.

use std::collections::BTreeMap;
use std::fmt;

use crate::judge::Verdict;

/// Outcomes of the hunks that repeat an earlier one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Repeated {
    pub(crate) all: usize,
    pub(crate) offered: usize,
}

/// Outcomes of the offers of one rule.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offers {
    pub(crate) all: usize,
    pub(crate) right: usize,
    /// Offers on a shortest path to the commit's text.
    pub(crate) near: usize,
}

/// The counts of one or more commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    pub(crate) commits: usize,
    pub(crate) hunks: usize,
    /// Hunks that were offered whole, before any of their text was typed.
    pub(crate) offered: usize,
    /// Offers that match the commit; of these, offers on a shortest path to its text; and all others.
    pub(crate) right: usize,
    pub(crate) near: usize,
    pub(crate) wrong: usize,
    /// Repeating hunks, by kind of change.
    pub(crate) repeated: BTreeMap<&'static str, Repeated>,
    /// Repeating hunks, by the number of earlier hunks with the same changes.
    pub(crate) before: BTreeMap<&'static str, Repeated>,
    /// Offers, by the rule that made them.
    pub(crate) rules: BTreeMap<String, Offers>,
}

impl Figures {
    pub(crate) const HEAD: &str =
        "               commits  hunks  offered  shown    right             near   repeat  offered";

    pub(crate) fn add(&mut self, other: &Self) {
        self.commits += other.commits;
        self.hunks += other.hunks;
        self.offered += other.offered;
        self.right += other.right;
        self.near += other.near;
        self.wrong += other.wrong;
        for (own, others) in [(&mut self.repeated, &other.repeated), (&mut self.before, &other.before)] {
            for (class, more) in others {
                let repeated = own.entry(class).or_default();
                repeated.all += more.all;
                repeated.offered += more.offered;
            }
        }
        for (rule, more) in &other.rules {
            let offers = self.rules.entry(rule.clone()).or_default();
            offers.all += more.all;
            offers.right += more.right;
            offers.near += more.near;
        }
    }

    /// Counts an offer of a rule.
    pub(crate) fn count(&mut self, rule: &str, verdict: Verdict) {
        let offers = self.rules.entry(rule.to_owned()).or_default();
        let (is_right, is_near) = (verdict != Verdict::Wrong, verdict == Verdict::Near);
        offers.all += 1;
        offers.right += usize::from(is_right);
        offers.near += usize::from(is_near);
        self.right += usize::from(is_right);
        self.near += usize::from(is_near);
        self.wrong += usize::from(!is_right);
    }

    /// The repeating hunks by kind of change and by number of earlier occurrences; and the offers by rule.
    pub(crate) fn classes(&self) -> String {
        let row = |name: &str, all: usize, part: usize| {
            format!("{name:<50} {all:>6} {part:>6} {:>6.1} %\n", percent(part, all))
        };
        let repeated = self.repeated.iter().chain(&self.before);
        let repeated: String = repeated.map(|(name, it)| row(name, it.all, it.offered)).collect();
        let rules = self.rules.iter().map(|(name, it)| {
            format!("{} {:>6.1} %\n", row(name, it.all, it.right).trim_end(), percent(it.near, it.all))
        });
        let rules: String = rules.collect();
        format!(
            "repeating hunks, and those offered\n{repeated}\noffers, those that are right, and by a shortest way\n{rules}"
        )
    }
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let repeated = self.repeated.values();
        let (all, offered) = repeated.fold((0, 0), |sum, it| (sum.0 + it.all, sum.1 + it.offered));
        let shown = self.right + self.wrong;
        write!(
            f,
            "{:>7} {:>6} {:>8} {shown:>6} {:>8} {:>5.1} % {:>6.1} % {all:>8} {offered:>8} {:>5.1} %",
            self.commits,
            self.hunks,
            self.offered,
            self.right,
            percent(self.right, shown),
            percent(self.near, shown),
            percent(offered, all),
        )
    }
}
