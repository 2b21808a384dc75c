//! The candidates of one gear and the choice between them: plain data, with the time passed in.
//!
//! The first candidate without a known failure is asked, even before it has ever answered. A
//! candidate that fails is skipped for a while, as decided by its [`EndpointHealth`], and tried
//! again in the background. Failures that the request caused do not count against the candidate.

use std::time::Instant;

use super::ModelError;
use super::health::{EndpointHealth, Standing};

/// The candidates of one gear, the preferred one first.
#[derive(Debug, Clone)]
pub(super) struct Candidates(Vec<EndpointHealth>);

impl Candidates {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![EndpointHealth::default(); count])
    }

    pub(super) fn standing(&self, candidate: usize) -> Standing<'_> {
        self.0[candidate].standing()
    }

    fn is_asked(&self, candidate: usize) -> bool {
        matches!(self.standing(candidate), Standing::Untried | Standing::Answers)
    }

    /// The candidate to ask; `None` if no candidate answers at the moment.
    pub(super) fn active(&self) -> Option<usize> {
        (0..self.0.len()).find(|candidate| self.is_asked(*candidate))
    }

    /// The candidates to ask, in order, until one answers. For an explicit request, candidates that
    /// failed the last time are asked too, after the others.
    pub(super) fn order(&self, explicit: bool) -> Vec<usize> {
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..self.0.len()).partition(|candidate| self.is_asked(*candidate));
        if explicit {
            order.extend(rest);
        }
        order
    }

    /// Records that a candidate answered. Returns true if that is news.
    pub(super) fn answered(&mut self, candidate: usize) -> bool {
        self.0[candidate].answered(false)
    }

    /// Records that a candidate is reachable, even if it has not answered yet. Returns true if that
    /// is news.
    pub(super) fn reached(&mut self, candidate: usize) -> bool {
        self.0[candidate].reached()
    }

    /// Records that a candidate failed. Returns true if that changes which candidate is asked.
    pub(super) fn failed(&mut self, candidate: usize, error: &ModelError, now: Instant) -> bool {
        let before = self.active();
        self.0[candidate].failed(error, now);
        self.active() != before
    }

    /// Whether the candidate refuses all requests.
    pub(super) fn refuses_all(&self, candidate: usize) -> bool {
        self.0[candidate].refuses_all()
    }

    /// The candidate to try in the background now: the one to ask, if it is still untried, or a
    /// preferred one whose waiting time is over.
    pub(super) fn due(&self, now: Instant) -> Option<usize> {
        let turn = self.active().unwrap_or(self.0.len());
        (0..self.0.len().min(turn + 1)).find(|candidate| match self.standing(*candidate) {
            Standing::Untried => true,
            Standing::Answers => false,
            Standing::Unavailable(_) | Standing::Refused(_) => {
                self.0[*candidate].due_at().is_some_and(|due| due <= now)
            }
        })
    }

    /// When the next candidate is due; `None` if there is nothing to find out.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let turn = self.active().unwrap_or(self.0.len());
        self.0[..turn].iter().filter_map(EndpointHealth::due_at).min()
    }

    /// Why no candidate answers: the reason of the preferred one.
    pub(super) fn why_none(&self) -> Option<&ModelError> {
        match self.0.first()?.standing() {
            Standing::Unavailable(why) | Standing::Refused(why) => Some(why),
            Standing::Untried | Standing::Answers => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_kind::ErrorKind;
    use crate::model::limits::{AWAY_FIRST, REFUSALS, REFUSED_FOR};

    fn offline() -> ModelError {
        ModelError::Offline { provider: "p".to_owned(), url: "u".to_owned(), why: "w".into() }
    }

    fn refused(kind: ErrorKind) -> ModelError {
        ModelError::Refused {
            provider: "p".to_owned(),
            kind,
            status: Some(400),
            param: None,
            message: "no".into(),
            retry_after: None,
        }
    }

    #[test]
    fn first_candidate_that_answers_serves() {
        let now = Instant::now();
        let mut it = Candidates::new(3);
        assert_eq!((it.active(), it.due(now)), (Some(0), Some(0)), "the first is asked before it is known");
        assert!(it.failed(0, &refused(ErrorKind::UnsupportedModel), now));
        assert_eq!(it.active(), Some(1));
        assert!(it.answered(1) && !it.answered(1));
        assert_eq!(it.due(now), None);
        assert_eq!(it.next_due(), Some(now + REFUSED_FOR));
        assert_eq!(it.due(now + REFUSED_FOR), Some(0), "it is tried again");
        assert!(it.answered(0));
        assert_eq!((it.active(), it.next_due()), (Some(0), None));
    }

    #[test]
    fn explicit_request_asks_failed_candidates_last() {
        let now = Instant::now();
        let mut it = Candidates::new(2);
        assert!(it.failed(0, &offline(), now));
        assert!(!it.failed(0, &offline(), now), "only the first is news");
        assert_eq!((it.order(false), it.order(true)), (vec![1], vec![1, 0]));
        assert!(it.failed(1, &offline(), now));
        assert_eq!((it.active(), it.order(false), it.order(true)), (None, vec![], vec![0, 1]));
        assert_eq!(it.due(now + AWAY_FIRST), Some(1));
        assert!(it.reached(0));
        assert_eq!(it.active(), Some(0));
    }

    #[test]
    fn candidate_that_refuses_all_requests_is_passed_over() {
        let (mut it, now) = (Candidates::new(2), Instant::now());
        let refuse = |it: &mut Candidates, times: u8| {
            (0..times).map(|_| it.failed(0, &refused(ErrorKind::Invalid), now)).collect::<Vec<_>>()
        };
        assert_eq!(refuse(&mut it, REFUSALS - 1), [false; REFUSALS as usize - 1]);
        assert!(it.answered(0), "it refuses some");
        assert_eq!(refuse(&mut it, REFUSALS).last(), Some(&true));
        assert_eq!((it.active(), it.next_due()), (Some(1), Some(now + REFUSED_FOR)));
        assert!(it.answered(0));
        assert_eq!(it.active(), Some(0));
    }

    #[test]
    fn request_at_fault_blames_no_candidate() {
        let mut it = Candidates::new(1);
        for kind in [ErrorKind::Policy, ErrorKind::ContextTooLong, ErrorKind::Invalid] {
            assert!(!it.failed(0, &refused(kind), Instant::now()));
        }
        assert_eq!(it.standing(0), Standing::Untried);
    }
}
