//! What was counted, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;

/// What became of the hunks that repeat an earlier one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Repeated {
    pub(crate) all: usize,
    pub(crate) offered: usize,
}

/// What became of the offers of one rule.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offers {
    pub(crate) all: usize,
    pub(crate) right: usize,
}

/// The figures of some commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    pub(crate) commits: usize,
    pub(crate) hunks: usize,
    /// Hunks of which nothing had to be typed.
    pub(crate) offered: usize,
    /// Offers that lie on a shortest way to the commit's text, and others.
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    /// The hunks that repeat an earlier one, by what they do.
    pub(crate) repeated: BTreeMap<&'static str, Repeated>,
    /// The same, by how many hunks did it before.
    pub(crate) before: BTreeMap<&'static str, Repeated>,
    /// The offers, by what they follow from.
    pub(crate) rules: BTreeMap<String, Offers>,
}

impl Figures {
    pub(crate) const HEAD: &str =
        "               commits  hunks  offered  shown    right          repeat  offered";

    pub(crate) fn add(&mut self, other: &Self) {
        self.commits += other.commits;
        self.hunks += other.hunks;
        self.offered += other.offered;
        self.right += other.right;
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
        }
    }

    /// Counts an offer of a rule.
    pub(crate) fn count(&mut self, rule: &str, is_right: bool) {
        let offers = self.rules.entry(rule.to_owned()).or_default();
        offers.all += 1;
        offers.right += usize::from(is_right);
        *(if is_right { &mut self.right } else { &mut self.wrong }) += 1;
    }

    /// The repeating hunks by what they do, and by how many did it before; and the offers by what they follow
    /// from.
    pub(crate) fn classes(&self) -> String {
        let row = |name: &str, all: usize, part: usize| {
            format!("{name:<50} {all:>6} {part:>6} {:>6.1} %\n", percent(part, all))
        };
        let repeated = self.repeated.iter().chain(&self.before);
        let repeated: String = repeated.map(|(name, it)| row(name, it.all, it.offered)).collect();
        let rules: String = self.rules.iter().map(|(name, it)| row(name, it.all, it.right)).collect();
        format!("repeating hunks, and those offered\n{repeated}\noffers, and those that are right\n{rules}")
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
            "{:>7} {:>6} {:>8} {shown:>6} {:>8} {:>5.1} % {all:>6} {offered:>8} {:>5.1} %",
            self.commits,
            self.hunks,
            self.offered,
            self.right,
            percent(self.right, shown),
            percent(offered, all),
        )
    }
}
