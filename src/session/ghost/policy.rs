//! When to ask a model for ghost text: now, a little later, or not at all. A pure function of a few facts.
//!
//! Every call costs money and may distract. So nobody is asked while the user is in the middle of a run of keys, and
//! the time that the editor waited itself before it asked counts in full.

use std::time::Duration;

use super::typist::{LastChange, Rhythm};
use crate::config::{Eagerness, Part};
use crate::job::{Quiet, Reason};

/// A typist of whom nothing is known yet types like this.
const USUAL: Rhythm = Rhythm { interval: Duration::from_millis(120), spread: Duration::from_millis(30) };
/// Limits of what a typist is believed to type like.
const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_millis(30)..=Duration::from_millis(400);
/// The longest wait, whatever the facts.
const LONGEST: Duration = Duration::from_millis(1_500);
/// How long nothing is suggested unasked after something was dismissed.
const COOL_DOWN: Duration = Duration::from_secs(5);

/// Where in its line the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Letters stand on both sides.
    MidWord,
    /// Code stands to the right that is more than closers.
    MidLine,
    /// A word was begun and may not be whole.
    WordEnd,
    /// Anything else at the end of a line.
    LineEnd,
}

impl Column {
    /// Reads it off the line's two sides.
    pub fn of(before: &str, after: &str) -> Self {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let word_left = before.ends_with(is_word);
        if word_left && after.starts_with(is_word) {
            return Self::MidWord;
        }
        let is_closer = |it: char| it.is_whitespace() || ")]}>\"'`;,:".contains(it);
        match after.trim_matches(is_closer).is_empty() {
            false => Self::MidLine,
            true if word_left => Self::WordEnd,
            true => Self::LineEnd,
        }
    }
}

/// What the decision is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The user asked by hand.
    pub invoked: bool,
    /// The user's knob.
    pub eagerness: Eagerness,
    /// The language is switched on.
    pub enabled: bool,
    /// The parts in which nothing is suggested.
    pub disabled: Vec<Part>,
    /// The part that the cursor is in.
    pub part: Option<Part>,
    /// The cursor stands in a string that holds a secret.
    pub secret: bool,
    /// Where in its line the cursor is.
    pub column: Column,
    /// What the session knows of the user.
    pub habits: Habits,
    /// A model would answer. The local engine costs nothing, and is not waited for.
    pub asks_a_model: bool,
}

/// What the session knows of the user that bears on the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Habits {
    /// The last change to the file.
    pub last: LastChange,
    /// Whether it brought an earlier text back.
    pub undone: bool,
    /// How long ago it came.
    pub since_change: Option<Duration>,
    /// How the typist's keys follow each other.
    pub rhythm: Option<Rhythm>,
    /// How long the gear usually takes to something worth showing.
    pub latency: Option<Duration>,
    /// How much longer than usual to wait, after what became of the last suggestions.
    pub patience: f64,
    /// How long ago a suggestion was dismissed.
    pub since_rejection: Option<Duration>,
    /// Suggestions are off for a while.
    pub snoozed: bool,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Ask now.
    Ask,
    /// Ask after this time, unless something happens meanwhile.
    Wait(Duration),
    /// Do not ask.
    No(Reason),
}

/// Decides.
pub fn decide(facts: &Facts) -> Verdict {
    if !facts.enabled {
        return Verdict::No(Reason::Quiet(Quiet::Language));
    }
    if facts.invoked {
        return Verdict::Ask;
    }
    if facts.habits.snoozed {
        return Verdict::No(Reason::Snoozed);
    }
    if let Some(quiet) = quiet(facts) {
        return Verdict::No(Reason::Quiet(quiet));
    }
    if !facts.asks_a_model {
        return Verdict::Ask;
    }
    let wait = wait(facts).saturating_sub(facts.habits.since_change.unwrap_or(LONGEST));
    if wait.is_zero() { Verdict::Ask } else { Verdict::Wait(wait) }
}

/// Why nothing is suggested unasked.
fn quiet(facts: &Facts) -> Option<Quiet> {
    let cool_down = match facts.eagerness {
        Eagerness::Low => COOL_DOWN * 3,
        Eagerness::Medium => COOL_DOWN,
        Eagerness::High => COOL_DOWN / 5,
    };
    let rules = [
        (facts.part.is_some_and(|part| facts.disabled.contains(&part)), Quiet::Part),
        (facts.secret, Quiet::Secret),
        (facts.habits.last == LastChange::None, Quiet::Untouched),
        (facts.habits.undone, Quiet::Undone),
        // Somebody who takes one letter back is about to type another one; somebody who goes on wants something else.
        (matches!(facts.habits.last, LastChange::Deleted(1 | 2)), Quiet::Deleted),
        (facts.habits.last == LastChange::Bulk, Quiet::Bulk),
        (facts.column == Column::MidWord, Quiet::MidWord),
        (facts.column == Column::MidLine && facts.eagerness == Eagerness::Low, Quiet::MidLine),
        (facts.habits.since_rejection.is_some_and(|since| since < cool_down), Quiet::CoolDown),
    ];
    rules.into_iter().find_map(|(holds, quiet)| holds.then_some(quiet))
}

/// Whether what is there already is shown all the same, where nobody is asked for this reason.
pub fn shows_what_is_there(reason: &Reason) -> bool {
    let forbidden = [Quiet::Language, Quiet::Part, Quiet::Secret, Quiet::Undone].map(Reason::Quiet);
    *reason != Reason::Snoozed && !forbidden.contains(reason)
}

/// How long it takes from now until the next key is overdue: as long as it is not, it will probably come, and what is
/// asked now is for nobody.
pub fn pause(habits: &Habits) -> Duration {
    match habits.last {
        LastChange::Typed => due(habits).saturating_sub(habits.since_change.unwrap_or(LONGEST)),
        LastChange::None | LastChange::Deleted(_) | LastChange::Bulk => Duration::ZERO,
    }
}

/// How long after a key the next one is overdue.
fn due(habits: &Habits) -> Duration {
    let rhythm = habits.rhythm.unwrap_or(USUAL);
    let interval = interval(&rhythm);
    (interval + rhythm.spread.min(interval) * 3).max(interval.mul_f64(1.5))
}

fn interval(rhythm: &Rhythm) -> Duration {
    rhythm.interval.clamp(*INTERVALS.start(), *INTERVALS.end())
}

/// How long after the last key to ask.
fn wait(facts: &Facts) -> Duration {
    let interval = interval(&facts.habits.rhythm.unwrap_or(USUAL));
    let due = due(&facts.habits);
    let by_place = match facts.column {
        Column::LineEnd => 1.5,
        Column::WordEnd | Column::MidLine | Column::MidWord => 2.0,
    };
    let by_knob = match facts.eagerness {
        Eagerness::Low => 2.0,
        Eagerness::Medium => 1.0,
        Eagerness::High => 0.8,
    };
    // A slow gear is asked earlier, so that its answer is not later than need be.
    let wanted = interval.mul_f64(by_place * by_knob * facts.habits.patience);
    wanted.saturating_sub(facts.habits.latency.unwrap_or_default()).max(due).min(LONGEST)
}

/// Whether the cursor stands in a string that a secret is written into, judged by its line alone.
pub fn is_secret(before: &str) -> bool {
    const NAMES: [&str; 11] = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "api_key",
        "apikey",
        "api-key",
        "private_key",
        "credential",
        "access_key",
    ];
    let Some(quote) = open_quote(before) else { return false };
    let name = before[..quote].to_lowercase();
    let assigned = name.trim_end().ends_with(['=', ':', '(', ',', '>']);
    assigned && NAMES.iter().any(|it| name.contains(it))
}

/// Where the string begins that is open at the end of a line.
fn open_quote(line: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, sign) in line.char_indices() {
        match (sign, open) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            ('"' | '\'' | '`', None) => open = Some((at, sign)),
            (sign, Some((_, quote))) if sign == quote => open = None,
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Somebody who keeps time.
    fn rhythm(milliseconds: u64) -> Rhythm {
        Rhythm { interval: Duration::from_millis(milliseconds), spread: Duration::ZERO }
    }

    fn facts() -> Facts {
        Facts {
            invoked: false,
            eagerness: Eagerness::Medium,
            enabled: true,
            disabled: Vec::new(),
            part: None,
            secret: false,
            column: Column::LineEnd,
            habits: Habits {
                last: LastChange::Typed,
                undone: false,
                since_change: Some(Duration::ZERO),
                rhythm: Some(rhythm(100)),
                latency: None,
                patience: 1.0,
                since_rejection: None,
                snoozed: false,
            },
            asks_a_model: true,
        }
    }

    fn check(change: impl FnOnce(&mut Facts), expect: Expect) {
        let mut facts = facts();
        change(&mut facts);
        expect.assert_eq(&format!("{:?}", decide(&facts)));
    }

    #[test]
    fn waits_until_the_next_key_is_overdue() {
        check(|_| {}, expect!["Wait(150ms)"]);
        check(|it| it.habits.rhythm = Some(rhythm(50)), expect!["Wait(75ms)"]);
        check(|it| it.habits.rhythm = None, expect!["Wait(210ms)"]);
        let uneven = Rhythm { spread: Duration::from_millis(30), ..rhythm(100) };
        check(|it| it.habits.rhythm = Some(uneven), expect!["Wait(190ms)"]);
        check(|it| it.habits.rhythm = Some(rhythm(9_000)), expect!["Wait(600ms)"]);
    }

    #[test]
    fn local_engine_is_not_waited_for() {
        check(|it| it.asks_a_model = false, expect!["Ask"]);
        check(
            |it| {
                it.asks_a_model = false;
                it.column = Column::MidWord;
            },
            expect!["No(Quiet(MidWord))"],
        );
    }

    #[test]
    fn the_editors_own_wait_counts() {
        check(|it| it.habits.since_change = Some(Duration::from_millis(60)), expect!["Wait(90ms)"]);
        check(|it| it.habits.since_change = Some(Duration::from_millis(200)), expect!["Ask"]);
        check(|it| it.habits.since_change = None, expect!["Ask"]);
    }

    #[test]
    fn place_mood_and_gear_change_the_wait() {
        check(|it| it.column = Column::WordEnd, expect!["Wait(200ms)"]);
        check(|it| it.eagerness = Eagerness::Low, expect!["Wait(300ms)"]);
        check(|it| it.eagerness = Eagerness::High, expect!["Wait(150ms)"]);
        check(|it| it.habits.patience = 4.0, expect!["Wait(600ms)"]);
        check(
            |it| {
                it.habits.patience = 4.0;
                it.habits.latency = Some(Duration::from_millis(400));
            },
            expect!["Wait(200ms)"],
        );
        check(
            |it| {
                it.habits.patience = 4.0;
                it.habits.rhythm = Some(rhythm(400));
                it.eagerness = Eagerness::Low;
            },
            expect!["Wait(1.5s)"],
        );
    }

    #[test]
    fn keeps_quiet_for_a_reason() {
        check(|it| it.enabled = false, expect!["No(Quiet(Language))"]);
        check(|it| it.habits.snoozed = true, expect!["No(Snoozed)"]);
        check(|it| it.secret = true, expect!["No(Quiet(Secret))"]);
        check(|it| it.habits.last = LastChange::None, expect!["No(Quiet(Untouched))"]);
        check(|it| it.habits.undone = true, expect!["No(Quiet(Undone))"]);
        check(|it| it.habits.last = LastChange::Deleted(1), expect!["No(Quiet(Deleted))"]);
        check(|it| it.habits.last = LastChange::Deleted(3), expect!["Wait(150ms)"]);
        check(|it| it.habits.last = LastChange::Bulk, expect!["No(Quiet(Bulk))"]);
        check(|it| it.column = Column::MidWord, expect!["No(Quiet(MidWord))"]);
        check(|it| it.habits.since_rejection = Some(Duration::from_secs(4)), expect!["No(Quiet(CoolDown))"]);
        check(|it| it.habits.since_rejection = Some(Duration::from_secs(6)), expect!["Wait(150ms)"]);
        let in_comment = |it: &mut Facts| it.part = Some(Part::Comment);
        check(in_comment, expect!["Wait(150ms)"]);
        check(
            |it| {
                in_comment(it);
                it.disabled = vec![Part::Comment];
            },
            expect!["No(Quiet(Part))"],
        );
    }

    #[test]
    fn a_request_by_hand_always_asks() {
        check(
            |it| {
                it.invoked = true;
                it.habits.snoozed = true;
                it.habits.undone = true;
                it.habits.last = LastChange::Deleted(1);
                it.habits.since_rejection = Some(Duration::ZERO);
            },
            expect!["Ask"],
        );
    }

    #[test]
    fn columns() {
        let check = |marked: &str, expected| {
            let (before, after) = marked.split_once('ˇ').expect("a cursor");
            assert_eq!(Column::of(before, after), expected, "{marked}");
        };
        check("ˇ", Column::LineEnd);
        check("let x = ˇ", Column::LineEnd);
        check("naïˇ", Column::WordEnd);
        check("f(aˇ);", Column::WordEnd);
        check("f(ˇ) {", Column::MidLine);
        check("f(ˇ, b)", Column::MidLine);
        check("naˇïve", Column::MidWord);
    }

    #[test]
    fn strings_that_hold_secrets() {
        let check = |before: &str, expected| assert_eq!(is_secret(before), expected, "{before}");
        check("password = \"", true);
        check("  \"apiKey\": \"sk-", true);
        check("client.set_token('", true);
        check("password = \"x\"; name = \"", true);
        check("password = \"x\"", false);
        check("println!(\"no token for ", false);
        check("let name = \"", false);
    }
}
