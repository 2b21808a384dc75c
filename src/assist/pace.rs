//! The size of requests to a slow model, and how long to wait for its answer.
//!
//! Deadlines are designed for models that read at once. A model that reads a hundred tokens a second gets the
//! time that it is expected to need if the user waits for its answer. It is not asked if the answer would come
//! too late.

use std::time::Duration;

use crate::edit::Refusal;
use crate::job::{Job, Reason, SuppressionReason};
use crate::model::{Model, Pace, Request, RequestKind, Urgency};
use crate::route::Decision;

/// The deadline of an answer, as a multiple of its expected time.
///
/// Machines that run models may be busy with other work.
const PATIENCE: u32 = 3;
/// The longest deadline of an answer.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Limit on the deadline of ghost text, as a multiple of the wait for an explicit request.
///
/// Late ghost text is kept for its position, and is shown there if it still fits.
const LATEST: u32 = 4;
/// The part of its wait after which an explicit request for ghost text shows what has arrived.
const SHOWN_AFTER: f64 = 0.94;
/// Tokens of the shortest useful answer, such as a next edit.
const SHORT_ANSWER: f64 = 40.0;
/// Bytes per token in newly written code.
const TOKEN_BYTES: usize = 3;

/// The schedule of a request to a slow model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// The expected time of the whole answer.
    pub(super) expected: Duration,
    /// The time after which the answer is abandoned.
    pub(super) deadline: Duration,
    /// The time after which the user is shown the part that has arrived.
    pub(super) patience: Option<Duration>,
    /// Bytes that the model has to read.
    pub(super) unread: usize,
}

/// The capability that a job requires of a model.
pub(super) fn kind_of(job: Job) -> RequestKind {
    match job {
        Job::Complete => RequestKind::Completion,
        Job::NextEdit => RequestKind::NextEdit,
        _ => RequestKind::Instruction,
    }
}

/// Limits a request to what a slow model can handle, and schedules its answer.
///
/// `target` is the length of the code that the job is about, in bytes.
pub(super) fn schedule(
    job: Job,
    pace: &Pace,
    model: &dyn Model,
    request: &mut Request,
    decision: &Decision,
    target: usize,
) -> Result<Schedule, Reason> {
    let unread = model.unread(request);
    request.silence = pace.time(unread, 0.0);
    if job == Job::Complete {
        let most = request.max_output_tokens;
        request.max_output_tokens = pace.writable(request.urgency, unread, most);
        let expected = pace.time(unread, f64::from(request.max_output_tokens));
        let latest = pace.wait(Urgency::Invoked) * LATEST;
        let deadline = (expected * PATIENCE).clamp(decision.deadline, latest.max(decision.deadline));
        let wait = pace.wait(request.urgency).mul_f64(SHOWN_AFTER);
        let patience = (request.urgency == Urgency::Invoked).then_some(wait);
        return Ok(Schedule { expected, deadline, patience, unread });
    }
    if request.urgency == Urgency::Typing {
        let expected = pace.time(unread, SHORT_ANSWER);
        let deadline = decision.deadline;
        return match expected > deadline {
            true => Err(Reason::Quiet(SuppressionReason::SlowModel)),
            false => Ok(Schedule { expected, deadline, patience: None, unread }),
        };
    }
    let answer = (target / TOKEN_BYTES) as f64 * 1.5 + SHORT_ANSWER;
    let expected = pace.time(unread, answer);
    if expected > LONGEST {
        let why = format!(
            "{} {}; this would take about {}; choose fewer lines, or a quicker model",
            model.name_for(kind_of(job)),
            pace.speeds(),
            words(expected)
        );
        return Err(Reason::Unusable { code: "slow-model", why });
    }
    let deadline = (expected * PATIENCE).clamp(decision.deadline, LONGEST.max(decision.deadline));
    // Tokens that would arrive after the deadline need not be written.
    let left = deadline.saturating_sub(request.silence).as_secs_f64() * pace.writing;
    request.max_output_tokens = request.max_output_tokens.min((left as u32).max(answer as u32));
    Ok(Schedule { expected, deadline, patience: None, unread })
}

/// The reason why a slow model's answer was abandoned.
pub(super) fn late(pace: &Pace, name: &str, planned: &Schedule) -> Reason {
    Reason::Late(format!(
        "{name} did not answer within {}, where about {} were expected: it usually {}; try fewer lines, or a \
         quicker model",
        words(planned.deadline),
        words(planned.expected),
        pace.speeds()
    ))
}

/// The expected time of an answer, for a progress bar: `about 40 s expected`.
pub(super) fn expected(expected: Duration) -> String {
    format!("about {} expected", words(expected))
}

/// That a model is asked for a better reply, for a progress bar.
pub(super) fn asks_again(refusal: &Refusal) -> String {
    format!("asking again, since {refusal}")
}

/// A time in words: `40 s`, `3 min`.
fn words(time: Duration) -> String {
    match time.as_secs_f64().ceil().max(1.0) {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", (seconds / 60.0).ceil()),
    }
}
