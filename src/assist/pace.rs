//! What a slow model is asked for, and how long it is waited for.
//!
//! Deadlines are made for models that read at once. One that reads a hundred tokens a second gets the time
//! that it is expected to need where the user waits for its answer, and is not asked at all where that would
//! come too late.

use std::time::Duration;

use crate::job::{Job, Quiet, Reason};
use crate::model::{Model, Pace, Request, Urgency};
use crate::route::Decision;

/// How many times the expected time is waited for: machines that run models are busy with other things, too.
const PATIENCE: u32 = 3;
/// The longest time that is waited for an answer.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Ghost text is waited for this many times as long as it should take. It keeps its place, and is shown there
/// if it still fits.
const LATEST: u32 = 4;
/// Tokens of the shortest answer that is of use, such as a next edit.
const SHORT_ANSWER: f64 = 40.0;
/// Bytes of a token in code that is written anew.
const TOKEN_BYTES: usize = 3;

/// Cuts a request to what a slow model can do, and gives the time after which its answer is given up.
///
/// `target` is the length of the code that the job is about, in bytes.
///
/// # Errors
///
/// The answer would come too late to be of use.
pub(super) fn fit(
    job: Job,
    pace: &Pace,
    model: &dyn Model,
    request: &mut Request,
    decision: &Decision,
    target: usize,
) -> Result<Duration, Reason> {
    let unread = model.unread(request);
    request.silence = pace.time(unread, 0.0);
    if job == Job::Complete {
        let most = request.max_output_tokens;
        request.max_output_tokens = pace.writable(request.urgency, unread, most);
        let expected = pace.time(unread, f64::from(request.max_output_tokens));
        let latest = pace.wait(Urgency::Invoked) * LATEST;
        return Ok((expected * PATIENCE).clamp(decision.deadline, latest.max(decision.deadline)));
    }
    if request.urgency == Urgency::Typing {
        let expected = pace.time(unread, SHORT_ANSWER);
        let is_late = expected > decision.deadline;
        return if is_late { Err(Reason::Quiet(Quiet::SlowModel)) } else { Ok(decision.deadline) };
    }
    let answer = (target / TOKEN_BYTES) as f64 * 1.5 + SHORT_ANSWER;
    Ok((pace.time(unread, answer) * PATIENCE).clamp(decision.deadline, LONGEST.max(decision.deadline)))
}
