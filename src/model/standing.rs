//! How the candidates of a gear stand, and whose turn it is: plain data, with the time handed in.
//!
//! The first candidate that nothing speaks against is asked, before anything is known of it. One that fails for a
//! reason of its own is passed over for a while and tried again in the background; one whose request was at fault is
//! not blamed.

use std::time::{Duration, Instant};

use super::{Condition, ModelError};

/// The first wait after a failure that may pass by itself; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// The longest such wait.
const LAST_WAIT: Duration = Duration::from_secs(60);
/// How long a model that was refused for good is left alone: keys and accounts are mended by people.
const REFUSED_FOR: Duration = Duration::from_secs(5 * 60);

/// How one candidate stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing is known of it yet.
    Untried,
    /// It answered the last time.
    Answers,
    /// It failed; it may be back any moment.
    Away { why: ModelError, until: Instant, failures: u32 },
    /// It does not take our requests, and will not before somebody changes something.
    Refused { why: ModelError, until: Instant },
}

/// Whose fault a failure was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The request's: another one may do well, and this one would do no better elsewhere.
    Request,
    /// The candidate's, for now.
    Away,
    /// The candidate's, until somebody changes something.
    Refused,
}

pub(super) fn blame(error: &ModelError) -> Blame {
    match error {
        ModelError::Offline { .. } | ModelError::Closed { .. } | ModelError::Silent { .. } => Blame::Away,
        ModelError::Capped { .. } | ModelError::Garbled(_) => Blame::Request,
        ModelError::Refused { condition, .. } => match condition {
            Condition::Unauthorized
            | Condition::Forbidden
            | Condition::NoSuchRoad
            | Condition::QuotaUsedUp
            | Condition::UnsupportedModel => Blame::Refused,
            Condition::RateLimited
            | Condition::Overloaded
            | Condition::ServerError
            | Condition::Offline
            | Condition::Closed
            | Condition::Silent => Blame::Away,
            Condition::ContextTooLong
            | Condition::Policy
            | Condition::PreviousNotFound
            | Condition::ConnectionLimit
            | Condition::UnsupportedField
            | Condition::TooLarge
            | Condition::Invalid => Blame::Request,
        },
    }
}

/// The candidates of one gear, the preferred one first.
#[derive(Debug, Clone)]
pub(super) struct Rungs(Vec<Standing>);

impl Rungs {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![Standing::Untried; count])
    }

    pub(super) fn of(&self, rung: usize) -> &Standing {
        &self.0[rung]
    }

    /// The candidate to ask; `None` if none of them answers at the moment.
    pub(super) fn turn(&self) -> Option<usize> {
        self.0.iter().position(|it| matches!(it, Standing::Untried | Standing::Answers))
    }

    /// The candidates to ask, one after the other until one answers. Where somebody waits, even those that failed the
    /// last time are asked rather than nobody.
    pub(super) fn order(&self, somebody_waits: bool) -> Vec<usize> {
        let answers = |rung: &usize| matches!(self.0[*rung], Standing::Untried | Standing::Answers);
        let (mut order, rest): (Vec<usize>, Vec<usize>) = (0..self.0.len()).partition(answers);
        if somebody_waits {
            order.extend(rest);
        }
        order
    }

    /// A candidate answered. True if that is news.
    pub(super) fn answered(&mut self, rung: usize) -> bool {
        let before = std::mem::replace(&mut self.0[rung], Standing::Answers);
        before != Standing::Answers
    }

    /// A candidate can be reached, though it has not answered anything yet. What refused it still does.
    pub(super) fn reached(&mut self, rung: usize) -> bool {
        let away = matches!(&self.0[rung], Standing::Away { why: ModelError::Offline { .. }, .. });
        if away {
            self.0[rung] = Standing::Untried;
        }
        away
    }

    /// A candidate failed. True if another one's turn came by that, or nobody's.
    pub(super) fn failed(&mut self, rung: usize, error: &ModelError, now: Instant) -> bool {
        let before = self.turn();
        // Who says "at once" and refuses again would be asked for ever: that is believed once.
        let is_again = matches!(&self.0[rung], Standing::Away { .. } | Standing::Refused { .. });
        let asked_for = error.retry_after().filter(|wait| !is_again || *wait >= FIRST_WAIT);
        let failures = match &self.0[rung] {
            Standing::Away { failures, .. } => failures + 1,
            _ => 0,
        };
        let wait = FIRST_WAIT.saturating_mul(1 << failures.min(10)).min(LAST_WAIT);
        self.0[rung] = match blame(error) {
            Blame::Request => return false,
            Blame::Away => {
                Standing::Away { why: error.clone(), until: now + asked_for.unwrap_or(wait), failures }
            }
            Blame::Refused => {
                Standing::Refused { why: error.clone(), until: now + asked_for.unwrap_or(REFUSED_FOR) }
            }
        };
        self.turn() != before
    }

    /// The candidate to be tried in the background now: the one whose turn it is, if nothing is known of it, or a
    /// better one that was left alone for long enough.
    pub(super) fn due(&self, now: Instant) -> Option<usize> {
        let turn = self.turn().unwrap_or(self.0.len());
        (0..self.0.len().min(turn + 1)).find(|rung| match &self.0[*rung] {
            Standing::Untried => true,
            Standing::Answers => false,
            Standing::Away { until, .. } | Standing::Refused { until, .. } => *until <= now,
        })
    }

    /// When the next one is due; `None` if there is nothing to find out.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let turn = self.turn().unwrap_or(self.0.len());
        let until = |it: &Standing| match it {
            Standing::Away { until, .. } | Standing::Refused { until, .. } => Some(*until),
            _ => None,
        };
        self.0[..turn].iter().filter_map(until).min()
    }

    /// Why none of them answers: the preferred one's reason.
    pub(super) fn why_none(&self) -> Option<&ModelError> {
        match self.0.first()? {
            Standing::Away { why, .. } | Standing::Refused { why, .. } => Some(why),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offline() -> ModelError {
        ModelError::Offline { provider: "p".to_owned(), url: "u".to_owned(), why: "w".into() }
    }

    fn refused(condition: Condition, retry_after: Option<u64>) -> ModelError {
        ModelError::Refused {
            provider: "p".to_owned(),
            condition,
            status: Some(400),
            param: None,
            message: "no".into(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    #[test]
    fn the_first_that_answers_serves() {
        let now = Instant::now();
        let mut it = Rungs::new(3);
        assert_eq!((it.turn(), it.due(now)), (Some(0), Some(0)), "the first is asked before it is known");
        assert!(it.failed(0, &refused(Condition::UnsupportedModel, None), now));
        assert_eq!(it.turn(), Some(1));
        assert!(it.answered(1) && !it.answered(1));
        assert_eq!(it.due(now), None);
        assert_eq!(it.next_due(), Some(now + REFUSED_FOR));
        assert_eq!(it.due(now + REFUSED_FOR), Some(0), "it is tried again");
        assert!(it.answered(0));
        assert_eq!((it.turn(), it.next_due()), (Some(0), None));
    }

    #[test]
    fn who_waits_is_answered_by_whoever_can() {
        let now = Instant::now();
        let mut it = Rungs::new(2);
        assert!(it.failed(0, &offline(), now));
        assert_eq!((it.order(false), it.order(true)), (vec![1], vec![1, 0]));
        assert!(it.failed(1, &offline(), now));
        assert_eq!((it.turn(), it.order(false), it.order(true)), (None, vec![], vec![0, 1]));
        assert_eq!(it.due(now + FIRST_WAIT), Some(0));
    }

    #[test]
    fn waits_grow_and_a_server_may_say_how_long() {
        let now = Instant::now();
        let mut it = Rungs::new(1);
        for (failure, seconds) in [2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
            assert_eq!(it.failed(0, &offline(), now), failure == 0, "only the first is news");
            assert_eq!(it.next_due(), Some(now + Duration::from_secs(seconds)));
        }
        it.failed(0, &refused(Condition::RateLimited, Some(7)), now);
        assert_eq!(it.next_due(), Some(now + Duration::from_secs(7)));
        assert!(!it.reached(0), "a rate limit does not end with a connection");
        it.failed(0, &offline(), now);
        assert!(it.reached(0));
        assert_eq!(it.turn(), Some(0));
    }

    #[test]
    fn who_refuses_for_no_time_at_all_is_not_asked_in_a_circle() {
        let now = Instant::now();
        for (condition, wait) in
            [(Condition::RateLimited, 2 * FIRST_WAIT), (Condition::QuotaUsedUp, REFUSED_FOR)]
        {
            let mut it = Rungs::new(1);
            it.failed(0, &refused(condition, Some(0)), now);
            assert_eq!(it.due(now), Some(0), "once");
            it.failed(0, &refused(condition, Some(0)), now);
            assert_eq!((it.due(now), it.next_due()), (None, Some(now + wait)));
        }
    }

    #[test]
    fn a_request_at_fault_blames_nobody() {
        let mut it = Rungs::new(1);
        for condition in [Condition::Policy, Condition::ContextTooLong, Condition::Invalid] {
            assert!(!it.failed(0, &refused(condition, None), Instant::now()));
        }
        assert_eq!(it.of(0), &Standing::Untried);
    }
}
