//! Decides when to call a model for ghost text: now, after a delay, or not at all. A pure function.
//!
//! Every call costs money, and a suggestion may distract. So few calls are made in the middle of a run of keys
//! ([`pause`](super::pause)). The delay before the editor's own request counts in full.

use std::time::Duration;

use super::pause::Pace;
use super::typing::EditKind;
use crate::config::{CommentOrString, Eagerness};
use crate::job::{Reason, SuppressionReason};
use crate::privacy;
use crate::session::limits::rejection_pause;
use crate::text::{bracket, ident};

/// The position of the cursor in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Between two word characters.
    MidWord,
    /// Before code that is more than closers.
    MidLine,
    /// After a word that may be incomplete.
    WordEnd,
    /// Any other position at the end of a line.
    LineEnd,
}

impl Column {
    /// The column between the two parts of a line.
    pub fn of(before: &str, after: &str) -> Self {
        let word_left = before.ends_with(ident::is_part);
        if word_left && after.starts_with(ident::is_part) {
            return Self::MidWord;
        }
        match after.trim_matches(bracket::is_trailing).is_empty() {
            false => Self::MidLine,
            true if word_left => Self::WordEnd,
            true => Self::LineEnd,
        }
    }
}

/// The input to the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerContext {
    /// Whether the user requested a suggestion explicitly (LSP: *invoked*).
    pub is_explicit: bool,
    /// The setting `eagerness`.
    pub eagerness: Eagerness,
    /// Whether suggestions are enabled for the language.
    pub is_enabled: bool,
    /// The setting `disable_in`.
    pub disable_in: Vec<CommentOrString>,
    /// The comment or string that the cursor is in.
    pub part: Option<CommentOrString>,
    /// Whether the cursor is in a string that is assigned to a secret's name.
    pub is_secret: bool,
    /// The position of the cursor in its line.
    pub column: Column,
    /// The user's recent activity.
    pub activity: UserActivity,
    /// Whether a model would be called.
    ///
    /// The local engine takes microseconds, so its answers have no delay.
    pub asks_a_model: bool,
    /// Whether a pause is likely at the cursor.
    pub is_pause_likely: bool,
    /// Whether an earlier call is running that may still fit.
    pub is_call_running: bool,
}

/// The user's recent activity.
#[derive(Debug, Clone, PartialEq)]
pub struct UserActivity {
    /// The last edit of the file.
    pub last_edit: EditKind,
    /// Whether it was an undo or a redo.
    pub is_undo: bool,
    /// How long ago it was made.
    pub since_edit: Option<Duration>,
    /// The median gap between two keys of a run.
    pub key_gap: Option<Duration>,
    /// How long the gear usually takes to produce something worth showing.
    pub latency: Option<Duration>,
    /// The factor on the delay from accepted and rejected suggestions.
    pub delay_factor: f64,
    /// How many calls in a row led to no accepted suggestion.
    pub unused_calls: u32,
    /// How long ago a suggestion was rejected.
    pub since_rejection: Option<Duration>,
    /// Whether automatic suggestions are snoozed.
    pub is_snoozed: bool,
}

/// Whether and when to call a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    /// Call now.
    Now,
    /// Call after this time, unless the text changes first.
    After(Duration),
    /// Do not call.
    Never(Reason),
}

/// Decides whether and when to call a model.
pub fn decide(context: &TriggerContext) -> Trigger {
    if !context.is_enabled {
        return Trigger::Never(Reason::Quiet(SuppressionReason::Language));
    }
    if context.is_explicit {
        return Trigger::Now;
    }
    if context.activity.is_snoozed {
        return Trigger::Never(Reason::Snoozed);
    }
    if let Some(quiet) = suppression(context) {
        return Trigger::Never(Reason::Quiet(quiet));
    }
    if !context.asks_a_model {
        return Trigger::Now;
    }
    let delay = delay(context).saturating_sub(context.activity.since_edit.unwrap_or(Duration::MAX));
    if delay.is_zero() { Trigger::Now } else { Trigger::After(delay) }
}

/// The reason for no automatic suggestion, if any.
fn suppression(context: &TriggerContext) -> Option<SuppressionReason> {
    let activity = &context.activity;
    let pause = rejection_pause(context.eagerness);
    let rules = [
        (context.part.is_some_and(|part| context.disable_in.contains(&part)), SuppressionReason::Part),
        (context.is_secret, SuppressionReason::Secret),
        (activity.last_edit == EditKind::None, SuppressionReason::Untouched),
        (activity.is_undo, SuppressionReason::Undone),
        // After one or two deleted characters the user is about to type others; after more, the code is meant
        // to change.
        (matches!(activity.last_edit, EditKind::Deleted(1 | 2)), SuppressionReason::Deleted),
        (activity.last_edit == EditKind::Bulk, SuppressionReason::Bulk),
        (context.column == Column::MidWord, SuppressionReason::MidWord),
        (
            context.column == Column::MidLine && context.eagerness == Eagerness::Low,
            SuppressionReason::MidLine,
        ),
        (activity.since_rejection.is_some_and(|since| since < pause), SuppressionReason::CoolDown),
    ];
    rules.into_iter().find_map(|(holds, quiet)| holds.then_some(quiet))
}

/// Whether existing suggestions are shown although `reason` prevents a call.
pub fn shows_existing(reason: &Reason) -> bool {
    let forbidden = [
        SuppressionReason::Language,
        SuppressionReason::Part,
        SuppressionReason::Secret,
        SuppressionReason::Undone,
    ]
    .map(Reason::Quiet);
    *reason != Reason::Snoozed && !forbidden.contains(reason)
}

/// How long until the next key is overdue.
///
/// Until then, it is likely to be typed and to make an answer useless.
pub fn until_pause(activity: &UserActivity) -> Duration {
    let Some(since_edit) = activity.since_edit.filter(|_| activity.last_edit == EditKind::Typed) else {
        return Duration::ZERO;
    };
    let pace = Pace {
        key_gap: activity.key_gap,
        latency: None,
        is_pause_likely: false,
        is_call_running: false,
        unused_calls: activity.unused_calls,
        factor: 1.0,
    };
    pace.wait().saturating_sub(since_edit)
}

/// How long after the last key to call a model.
fn delay(context: &TriggerContext) -> Duration {
    let activity = &context.activity;
    let by_eagerness = match context.eagerness {
        Eagerness::Low => 2.0,
        Eagerness::Medium => 1.0,
        Eagerness::High => 0.8,
    };
    let pace = Pace {
        key_gap: activity.key_gap,
        latency: activity.latency,
        is_pause_likely: context.is_pause_likely,
        is_call_running: context.is_call_running,
        unused_calls: activity.unused_calls,
        factor: by_eagerness * activity.delay_factor,
    };
    pace.wait()
}

/// Whether the cursor is in a string that is assigned to a name such as `password`.
///
/// Judged from the line alone.
pub fn is_secret_string(before: &str) -> bool {
    let Some(quote) = open_quote(before) else { return false };
    let name = before[..quote].to_lowercase();
    let assigned = name.trim_end().ends_with(['=', ':', '(', ',', '>']);
    assigned && privacy::has_secret_name(&name)
}

/// The start of the string that is open at the end of a line.
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

    fn context() -> TriggerContext {
        TriggerContext {
            is_explicit: false,
            eagerness: Eagerness::Medium,
            is_enabled: true,
            disable_in: Vec::new(),
            part: None,
            is_secret: false,
            column: Column::LineEnd,
            activity: UserActivity {
                last_edit: EditKind::Typed,
                is_undo: false,
                since_edit: Some(Duration::ZERO),
                key_gap: Some(Duration::from_millis(100)),
                latency: Some(Duration::from_millis(600)),
                delay_factor: 1.0,
                unused_calls: 0,
                since_rejection: None,
                is_snoozed: false,
            },
            asks_a_model: true,
            is_pause_likely: false,
            is_call_running: false,
        }
    }

    fn check(change: impl FnOnce(&mut TriggerContext), expect: Expect) {
        let mut context = context();
        change(&mut context);
        expect.assert_eq(&format!("{:?}", decide(&context)));
    }

    #[test]
    fn editors_own_delay_is_subtracted() {
        check(|it| it.activity.since_edit = Some(Duration::from_millis(60)), expect!["After(65ms)"]);
        check(|it| it.activity.since_edit = Some(Duration::from_millis(200)), expect!["Now"]);
        check(|it| it.activity.since_edit = None, expect!["Now"]);
    }

    #[test]
    fn outcomes_eagerness_and_place_change_the_delay() {
        check(|it| it.eagerness = Eagerness::Low, expect!["After(250ms)"]);
        check(|it| it.eagerness = Eagerness::High, expect!["After(100ms)"]);
        check(|it| it.activity.delay_factor = 3.0, expect!["After(375ms)"]);
        check(|it| it.activity.latency = Some(Duration::from_millis(240)), expect!["After(110ms)"]);
        check(|it| it.is_pause_likely = true, expect!["Now"]);
        check(
            |it| {
                it.is_pause_likely = true;
                it.is_call_running = true;
            },
            expect!["After(125ms)"],
        );
    }

    #[test]
    fn automatic_request_is_suppressed_with_reason() {
        check(|it| it.is_enabled = false, expect!["Never(Quiet(Language))"]);
        check(|it| it.activity.is_snoozed = true, expect!["Never(Snoozed)"]);
        check(|it| it.is_secret = true, expect!["Never(Quiet(Secret))"]);
        check(|it| it.activity.last_edit = EditKind::None, expect!["Never(Quiet(Untouched))"]);
        check(|it| it.activity.is_undo = true, expect!["Never(Quiet(Undone))"]);
        check(|it| it.activity.last_edit = EditKind::Deleted(1), expect!["Never(Quiet(Deleted))"]);
        check(|it| it.activity.last_edit = EditKind::Deleted(3), expect!["After(125ms)"]);
        check(|it| it.activity.last_edit = EditKind::Bulk, expect!["Never(Quiet(Bulk))"]);
        check(|it| it.column = Column::MidWord, expect!["Never(Quiet(MidWord))"]);
        check(
            |it| it.activity.since_rejection = Some(Duration::from_secs(4)),
            expect!["Never(Quiet(CoolDown))"],
        );
        check(|it| it.activity.since_rejection = Some(Duration::from_secs(6)), expect!["After(125ms)"]);
        let in_comment = |it: &mut TriggerContext| it.part = Some(CommentOrString::Comment);
        check(in_comment, expect!["After(125ms)"]);
        check(
            |it| {
                in_comment(it);
                it.disable_in = vec![CommentOrString::Comment];
            },
            expect!["Never(Quiet(Part))"],
        );
    }

    #[test]
    fn explicit_request_always_triggers() {
        check(
            |it| {
                it.is_explicit = true;
                it.activity.is_snoozed = true;
                it.activity.is_undo = true;
                it.activity.last_edit = EditKind::Deleted(1);
                it.activity.since_rejection = Some(Duration::ZERO);
            },
            expect!["Now"],
        );
    }

    #[test]
    fn column_is_read_from_both_sides() {
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
    fn local_engine_has_no_delay() {
        check(|it| it.asks_a_model = false, expect!["Now"]);
        check(
            |it| {
                it.asks_a_model = false;
                it.column = Column::MidWord;
            },
            expect!["Never(Quiet(MidWord))"],
        );
    }

    #[test]
    fn string_assigned_to_secret_name_is_secret() {
        let check = |before: &str, expected| assert_eq!(is_secret_string(before), expected, "{before}");
        check("password = \"", true);
        check("  \"apiKey\": \"sk-", true);
        check("client.set_token('", true);
        check("password = \"x\"; name = \"", true);
        check("password = \"x\"", false);
        check("println!(\"no token for ", false);
        check("let name = \"", false);
    }
}
