//! The candidates of one gear and whose turn it is: plain data, with the time handed in.
//!
//! The first candidate without a known failure is asked, even before it has ever answered. One that fails
//! for a reason of its own is passed over for a while and tried again in the background; one whose request
//! was at fault is not blamed. For how long is decided by its [`EndpointHealth`].

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

    /// How one of them stands.
    pub(super) fn standing(&self, candidate: usize) -> Standing<'_> {
        self.0[candidate].standing()
    }

    fn is_asked(&self, candidate: usize) -> bool {
        matches!(self.standing(candidate), Standing::Untried | Standing::Answers)
    }

    /// The candidate to ask; `None` if none of them answers at the moment.
    pub(super) fn turn(&self) -> Option<usize> {
        (0..self.0.len()).find(|candidate| self.is_asked(*candidate))
    }

    /// The candidates to ask, one after the other until one answers. For an explicit
    /// request even those that failed the last time are asked, after the others.
    pub(super) fn order(&self, explicit: bool) -> Vec<usize> {
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..self.0.len()).partition(|candidate| self.is_asked(*candidate));
        if explicit {
            order.extend(rest);
        }
        order
    }

    /// A candidate answered. True if that is news.
    pub(super) fn answered(&mut self, candidate: usize) -> bool {
        self.0[candidate].answered(false)
    }

    /// A candidate can be reached, though it has not answered anything yet. True if that
    /// is news.
    pub(super) fn reached(&mut self, candidate: usize) -> bool {
        self.0[candidate].reached()
    }

    /// A candidate failed. True if that changes whose turn it is.
    pub(super) fn failed(&mut self, candidate: usize, error: &ModelError, now: Instant) -> bool {
        let before = self.turn();
        self.0[candidate].failed(error, now);
        self.turn() != before
    }

    /// The candidate to be tried in the background now: the one whose turn it is, if
    /// nothing is known of it, or a better one that was left alone for long enough.
    pub(super) fn due(&self, now: Instant) -> Option<usize> {
        let turn = self.turn().unwrap_or(self.0.len());
        (0..self.0.len().min(turn + 1)).find(|candidate| match self.standing(*candidate) {
            Standing::Untried => true,
            Standing::Answers => false,
            Standing::Away(_) | Standing::Refused(_) => {
                self.0[*candidate].due_at().is_some_and(|due| due <= now)
            }
        })
    }

    /// When the next one is due; `None` if there is nothing to find out.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let turn = self.turn().unwrap_or(self.0.len());
        self.0[..turn].iter().filter_map(EndpointHealth::due_at).min()
    }

    /// Why none of them answers: the preferred one's reason.
    pub(super) fn why_none(&self) -> Option<&ModelError> {
        match self.0.first()?.standing() {
            Standing::Away(why) | Standing::Refused(why) => Some(why),
            Standing::Untried | Standing::Answers => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_kind::ErrorKind;
    use crate::model::limits::{AWAY_FIRST, REFUSED_FOR};

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
        assert_eq!((it.turn(), it.due(now)), (Some(0), Some(0)), "the first is asked before it is known");
        assert!(it.failed(0, &refused(ErrorKind::UnsupportedModel), now));
        assert_eq!(it.turn(), Some(1));
        assert!(it.answered(1) && !it.answered(1));
        assert_eq!(it.due(now), None);
        assert_eq!(it.next_due(), Some(now + REFUSED_FOR));
        assert_eq!(it.due(now + REFUSED_FOR), Some(0), "it is tried again");
        assert!(it.answered(0));
        assert_eq!((it.turn(), it.next_due()), (Some(0), None));
    }

    #[test]
    fn explicit_request_asks_failed_candidates_last() {
        let now = Instant::now();
        let mut it = Candidates::new(2);
        assert!(it.failed(0, &offline(), now));
        assert!(!it.failed(0, &offline(), now), "only the first is news");
        assert_eq!((it.order(false), it.order(true)), (vec![1], vec![1, 0]));
        assert!(it.failed(1, &offline(), now));
        assert_eq!((it.turn(), it.order(false), it.order(true)), (None, vec![], vec![0, 1]));
        assert_eq!(it.due(now + AWAY_FIRST), Some(1));
        assert!(it.reached(0));
        assert_eq!(it.turn(), Some(0));
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
