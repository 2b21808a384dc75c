//! Chooses the gear for a job, and its limits: a pure function of a few facts.

pub mod risk;

use std::borrow::Cow;
use std::time::Duration;

use crate::job::Job;
use crate::text::named;

named! {
    /// The engine that does the work: the local engine, or a class of models.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Gear {
        /// The local engine: no model, no network.
        Local = "local",
        /// The fast model.
        Fast = "fast",
        /// The model that thinks first.
        Deep = "deep",
    }
}

impl Gear {
    /// The option of `tandem setup` that configures it, behind a blank.
    fn option(self) -> &'static str {
        if self == Self::Deep { " --deep" } else { "" }
    }
}

/// An error for a word that names no gear.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no gear `{0}`; there are local, fast and deep")]
pub struct UnknownGear(String);

impl std::str::FromStr for Gear {
    type Err = UnknownGear;

    fn from_str(word: &str) -> Result<Self, UnknownGear> {
        Self::by_name(word).ok_or_else(|| UnknownGear(word.to_owned()))
    }
}

/// Whether a gear's model can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Availability {
    /// No model is configured.
    #[default]
    Off,
    /// A model is configured, and not known to be down.
    Ready,
    /// Models are configured, but none answered the last time.
    Down,
}

/// The facts that a route depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteInput<'a> {
    /// Whether the fast gear can be asked.
    pub fast: Availability,
    /// Whether the deep gear can be asked.
    pub deep: Availability,
    /// Whether no model may be shown the file.
    pub withheld: bool,
    /// The gear that the user chose, if any.
    pub forced: Option<Gear>,
    /// The context window of the fast model: tokens of input and output together.
    pub fast_window: u32,
    /// The file's path as shown.
    pub path: &'a str,
    /// The user's instruction; empty for automatic jobs.
    pub instruction: &'a str,
    /// The code that the job is about: the range of a rewrite, empty for a completion.
    pub code: &'a str,
}

/// The window assumed for a fast model whose window is not known.
pub const FAST_WINDOW: u32 = 128_000;

impl Default for RouteInput<'_> {
    fn default() -> Self {
        Self {
            fast: Availability::Off,
            deep: Availability::Off,
            withheld: false,
            forced: None,
            fast_window: FAST_WINDOW,
            path: "",
            instruction: "",
            code: "",
        }
    }
}

/// The route of a job, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The gear that does the job.
    pub gear: Gear,
    /// The time after which an answer is too late.
    pub deadline: Duration,
    /// The maximum number of tokens in the answer.
    pub max_output_tokens: u32,
    /// Why this gear, as shown to the user: `nothing here calls for the deep gear`.
    pub reason: Cow<'static, str>,
}

/// Ghost text is a few lines; more is not useful.
const COMPLETION_TOKENS: u32 = 128;
/// The time after which ghost text is no longer useful.
const COMPLETION_DEADLINE: Duration = Duration::from_secs(2);
/// A next edit is a few lines between two tags, and may be one of several.
const NEXT_EDIT_TOKENS: u32 = 768;
/// The time after which the user has moved on, and a next edit is no longer useful.
const NEXT_EDIT_DEADLINE: Duration = Duration::from_secs(4);
/// A fix changes a few blocks of one definition.
const FIX_TOKENS: u32 = 2_048;
/// An answer in words fits on a screen or two.
const ANSWER_TOKENS: u32 = 2_048;
/// A plan has a few lines for each step, and at most sixty steps.
const PLAN_TOKENS: u32 = 8_192;
/// A step of a plan may create a file.
const STEP_TOKENS: u32 = 8_192;
/// Enough for a slow fallback model to finish a function.
const FAST_DEADLINE: Duration = Duration::from_secs(30);
/// Enough for a model that thinks first.
const DEEP_DEADLINE: Duration = Duration::from_secs(120);
/// Tokens that a rewrite may add beyond the size of its range.
const REWRITE_MARGIN: u32 = 1_024;
/// Tokens that a fast model may write in one answer.
const FAST_CAP: u32 = 16_384;
/// Tokens that a deep model may write in one answer, its thoughts included.
const DEEP_CAP: u32 = 65_536;
/// Tokens that a deep model may think before it writes.
const THOUGHT: u32 = 16_384;
/// Tokens of a rewrite's prompt besides its range: instructions and surroundings.
const SURROUNDINGS: u32 = 4_096;

/// Whether a gear can answer a rewrite of so many bytes: the new text is about as long.
pub fn fits(gear: Gear, range_bytes: usize) -> bool {
    match gear {
        Gear::Local => true,
        Gear::Fast => tokens(range_bytes) < FAST_CAP,
        Gear::Deep => tokens(range_bytes) < DEEP_CAP - THOUGHT,
    }
}

/// Estimates the tokens in so many bytes of code, at three bytes a token.
fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes / 3).unwrap_or(u32::MAX)
}

/// Routes a job.
pub fn route(job: Job, facts: RouteInput<'_>) -> Decision {
    let (gear, reason) = match job {
        _ if facts.withheld => (Gear::Local, "no model is shown this file".into()),
        Job::Complete | Job::NextEdit => quick(facts),
        Job::Rewrite | Job::Fix | Job::Step | Job::Answer => asked_for(facts, || needs_deep(facts)),
        Job::Plan => asked_for(facts, || Some("it plans for several files".into())),
        Job::Ask => asked_for(facts, || None),
    };
    // Half as much again as the current code is enough for most changes.
    let room = u32::try_from(facts.code.len() / 2).unwrap_or(u32::MAX).saturating_add(REWRITE_MARGIN);
    let (deadline, max_output_tokens) = match (job, gear) {
        (Job::Complete, _) => (COMPLETION_DEADLINE, COMPLETION_TOKENS),
        (Job::NextEdit, _) => (NEXT_EDIT_DEADLINE, NEXT_EDIT_TOKENS),
        (Job::Fix, Gear::Local | Gear::Fast) => (FAST_DEADLINE, room.clamp(FIX_TOKENS, FAST_CAP)),
        (Job::Step, Gear::Local | Gear::Fast) => (FAST_DEADLINE, room.clamp(STEP_TOKENS, FAST_CAP)),
        (Job::Plan, Gear::Local | Gear::Fast) => (FAST_DEADLINE, PLAN_TOKENS),
        (Job::Ask, Gear::Local | Gear::Fast) => (FAST_DEADLINE, ANSWER_TOKENS),
        (Job::Plan, Gear::Deep) => (DEEP_DEADLINE, PLAN_TOKENS + THOUGHT),
        (_, Gear::Deep) => (DEEP_DEADLINE, room.saturating_add(THOUGHT).min(DEEP_CAP)),
        _ => (FAST_DEADLINE, room.min(FAST_CAP)),
    };
    Decision { gear, deadline, max_output_tokens, reason }
}

/// Routes jobs that appear while the user types, which never wait for a deep model.
fn quick(facts: RouteInput<'_>) -> (Gear, Cow<'static, str>) {
    match facts.fast {
        Availability::Ready => (Gear::Fast, "suggestions while you type must be fast".into()),
        Availability::Down => (Gear::Local, "no fast model answers".into()),
        Availability::Off => (Gear::Local, "no model is configured for this".into()),
    }
}

/// Routes an explicit request.
///
/// It goes to the gear that the user chose, or else to the gear that the work calls for, if that is available. A
/// gear that did not answer a moment ago is tried again, since the user is waiting.
fn asked_for(
    facts: RouteInput<'_>,
    needs_deep: impl FnOnce() -> Option<Cow<'static, str>>,
) -> (Gear, Cow<'static, str>) {
    let wanted = match facts.forced {
        Some(gear) => Some((gear, Cow::Borrowed("you asked for it"))),
        None => needs_deep().map(|why| (Gear::Deep, why)),
    };
    let has_fast = facts.fast != Availability::Off;
    let has_deep = facts.deep != Availability::Off;
    match wanted {
        Some((Gear::Local, why)) => (Gear::Local, why),
        Some((Gear::Fast, why)) if has_fast => (Gear::Fast, why),
        Some((Gear::Deep, why)) if has_deep => (Gear::Deep, why),
        Some((missing, why)) => {
            let instead = if has_fast {
                Gear::Fast
            } else if has_deep {
                Gear::Deep
            } else {
                Gear::Local
            };
            let reason = match facts.forced {
                // The user can do something about it.
                Some(_) => format!(
                    "no {missing} model is configured, which `tandem setup{}` changes",
                    missing.option()
                ),
                None => format!("{why}, but no {missing} model is configured"),
            };
            (instead, reason.into())
        }
        None if has_fast && facts.fast == Availability::Down && facts.deep == Availability::Ready => {
            (Gear::Deep, "no fast model answers".into())
        }
        None if has_fast => (Gear::Fast, "nothing here calls for the deep gear".into()),
        None if has_deep => (Gear::Deep, "no fast model is configured".into()),
        None => (Gear::Local, "no model is configured for this".into()),
    }
}

/// Whether the fast model's window has room for so many bytes of input and as many of output.
pub fn fits_fast_window(bytes: usize, fast_window: u32) -> bool {
    let both = tokens(bytes).saturating_mul(2).saturating_add(SURROUNDINGS);
    fits(Gear::Fast, bytes) && both <= fast_window
}

/// Why a rewrite needs a deep model, if it does.
fn needs_deep(facts: RouteInput<'_>) -> Option<Cow<'static, str>> {
    if !fits_fast_window(facts.code.len(), facts.fast_window) {
        return Some("larger than the fast model's window".into());
    }
    if risk::is_migration(facts.path, facts.code) {
        return Some("a database migration".into());
    }
    if risk::is_critical_path(facts.path) {
        return Some(format!("touches {}", facts.path).into());
    }
    if let Some(symbol) = risk::critical_symbol(facts.code) {
        return Some(format!("touches `{symbol}`").into());
    }
    risk::asks_for_steps(facts.instruction).then(|| "several steps asked".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Availability::{Down, Off, Ready};
    use expect_test::{Expect, expect};

    fn check(job: Job, facts: RouteInput<'_>, expect: Expect) {
        let it = route(job, facts);
        expect.assert_eq(&format!(
            "{}: {}, {:?}, {} tokens",
            it.gear, it.reason, it.deadline, it.max_output_tokens
        ));
    }

    fn both<'a>() -> RouteInput<'a> {
        RouteInput { fast: Ready, deep: Ready, path: "src/shape.rs", ..RouteInput::default() }
    }

    #[test]
    fn ghost_text_is_never_worth_a_wait() {
        let check = |fast, deep, expect: Expect| {
            check(
                Job::Complete,
                RouteInput { fast, deep, path: "src/auth/login.rs", ..RouteInput::default() },
                expect,
            );
        };
        check(Off, Off, expect!["local: no model is configured for this, 2s, 128 tokens"]);
        check(Ready, Ready, expect!["fast: suggestions while you type must be fast, 2s, 128 tokens"]);
        check(Down, Ready, expect!["local: no fast model answers, 2s, 128 tokens"]);
        check(Off, Ready, expect!["local: no model is configured for this, 2s, 128 tokens"]);
    }

    #[test]
    fn a_rewrite_is_fast_unless_something_speaks_against_it() {
        let text = "x".repeat(1 << 20);
        let check = |facts, expect| check(Job::Rewrite, facts, expect);
        check(
            RouteInput { code: &text[..2_000], ..both() },
            expect!["fast: nothing here calls for the deep gear, 30s, 2024 tokens"],
        );
        check(
            RouteInput { path: "auth/session.rs", ..both() },
            expect!["deep: touches auth/session.rs, 120s, 17408 tokens"],
        );
        check(
            RouteInput { code: "fn verify_password(hash: &str) {}", ..both() },
            expect!["deep: touches `verify_password`, 120s, 17424 tokens"],
        );
        check(
            RouteInput { path: "db/migrations/0007_users.sql", ..both() },
            expect!["deep: a database migration, 120s, 17408 tokens"],
        );
        check(
            RouteInput { code: "q = \"alter table users drop column age\"", ..both() },
            expect!["deep: a database migration, 120s, 17427 tokens"],
        );
        check(
            RouteInput {
                instruction: "extract a trait, then move it to its own module, then add tests",
                ..both()
            },
            expect!["deep: several steps asked, 120s, 17408 tokens"],
        );
        check(
            RouteInput { code: &text[..60_000], ..both() },
            expect!["deep: larger than the fast model's window, 120s, 47408 tokens"],
        );
        check(
            RouteInput { code: &text[..9_000], fast_window: 8_192, ..both() },
            expect!["deep: larger than the fast model's window, 120s, 21908 tokens"],
        );
        check(
            RouteInput { code: &text[..1 << 20], deep: Off, ..both() },
            expect![
                "fast: larger than the fast model's window, but no deep model is configured, 30s, 16384 tokens"
            ],
        );
    }

    #[test]
    fn a_gear_that_is_missing_is_made_up_for_and_said() {
        let check = |facts, expect| check(Job::Rewrite, facts, expect);
        check(
            RouteInput { path: "auth/session.rs", deep: Off, ..both() },
            expect!["fast: touches auth/session.rs, but no deep model is configured, 30s, 1024 tokens"],
        );
        check(
            RouteInput { path: "auth/session.rs", deep: Off, fast: Off, ..both() },
            expect!["local: touches auth/session.rs, but no deep model is configured, 30s, 1024 tokens"],
        );
        check(
            RouteInput { fast: Off, ..both() },
            expect!["deep: no fast model is configured, 120s, 17408 tokens"],
        );
        check(
            RouteInput { fast: Down, ..both() },
            expect!["deep: no fast model answers, 120s, 17408 tokens"],
        );
        check(
            RouteInput { fast: Down, deep: Off, ..both() },
            expect!["fast: nothing here calls for the deep gear, 30s, 1024 tokens"],
        );
        check(
            RouteInput { fast: Off, deep: Off, ..both() },
            expect!["local: no model is configured for this, 30s, 1024 tokens"],
        );
    }

    #[test]
    fn the_user_may_choose() {
        let check = |facts, expect| check(Job::Rewrite, facts, expect);
        check(
            RouteInput { forced: Some(Gear::Deep), ..both() },
            expect!["deep: you asked for it, 120s, 17408 tokens"],
        );
        check(
            RouteInput { forced: Some(Gear::Fast), path: "auth/session.rs", ..both() },
            expect!["fast: you asked for it, 30s, 1024 tokens"],
        );
        check(
            RouteInput { forced: Some(Gear::Local), path: "auth/session.rs", ..both() },
            expect!["local: you asked for it, 30s, 1024 tokens"],
        );
        check(
            RouteInput { forced: Some(Gear::Deep), deep: Off, ..both() },
            expect![
                "fast: no deep model is configured, which `tandem setup --deep` changes, 30s, 1024 tokens"
            ],
        );
        check(
            RouteInput { forced: Some(Gear::Fast), fast: Off, ..both() },
            expect!["deep: no fast model is configured, which `tandem setup` changes, 120s, 17408 tokens"],
        );
        check(
            RouteInput { forced: Some(Gear::Deep), deep: Off, fast: Off, ..both() },
            expect![
                "local: no deep model is configured, which `tandem setup --deep` changes, 30s, 1024 tokens"
            ],
        );
    }
}
