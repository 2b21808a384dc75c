//! What one process may spend: its lease, what of it is spent, and when to ask for the next one.
//!
//! A state machine without a clock and without I/O. It never trusts the time of day: a lease has a length, measured
//! by a monotonic clock from the moment of the request. Nothing depends on that clock either: a lease that has ended
//! counts as spent in full, so that its rest can still be spent while the database is away, and comes back when it is
//! settled late.
//!
//! What a request costs is only known after its answer. So one request may cost more than what is left, and while the
//! next lease is on its way, another lease's worth may be spent ahead; both count against the next lease.

use std::time::Duration;

use tokio::time::Instant;

use super::store::{BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, MicroDollars};

/// The share of a lease, in tenths, after which the next one is asked for.
const RENEWED_TENTHS: MicroDollars = 7;
/// The least amount that is asked for, and what an idle process keeps: a few requests for ghost text.
const LEAST: MicroDollars = 5_000;
/// The shortest time from which the speed of spending is extrapolated.
const MEASURED: Duration = Duration::from_secs(30);
/// How much of the expected spending is leased, in tenths: what a client that vanishes had left is lost to its team.
const RESERVE_TENTHS: MicroDollars = 15;
/// The wait after a failure, which doubles up to the longest one.
const AWAY_AGAIN: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));
/// The wait after a refusal, likewise: others may give back meanwhile.
const REFUSED_AGAIN: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(300));

/// The account of one process.
#[derive(Debug)]
pub struct LeaseAccount {
    /// What may be spent without a lease while the database is away.
    allowance: MicroDollars,
    /// From 0 to 1, so that processes which start together do not ask together.
    spread: f64,
    number: i32,
    /// The amount of the lease; 0 without one.
    amount: MicroDollars,
    /// What is spent of it, which may be more.
    spent: MicroDollars,
    began: Instant,
    term: Duration,
    /// Whether a request was made since it began.
    is_used: bool,
    /// What is probably spent in the time of a lease; `None` before the first.
    expected: Option<MicroDollars>,
    /// The request that has no answer yet. It is repeated as it was, since it may have taken effect.
    ask: Option<LeaseAsk>,
    is_asking: bool,
    state: LeaseState,
    /// Failures or refusals in a row, and the earliest time of the next request after them.
    setbacks: u32,
    again: Option<Instant>,
}

/// The state of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseState {
    /// The first lease is yet to come.
    Waiting,
    /// There is a lease.
    Held,
    /// A budget is used up.
    Exhausted(BudgetOwner),
    /// The database gave no answer to the last request.
    Failed(LeaseFailure),
}

impl LeaseAccount {
    /// An account without a lease. `spread` is a random number from 0 to 1.
    pub fn new(allowance: MicroDollars, spread: f64, now: Instant) -> Self {
        Self {
            allowance,
            spread,
            number: 0,
            amount: 0,
            spent: 0,
            began: now,
            term: Duration::ZERO,
            is_used: false,
            expected: None,
            ask: None,
            is_asking: false,
            state: LeaseState::Waiting,
            setbacks: 0,
            again: None,
        }
    }

    /// Whether a request to a model may be made, while others that run may take `reserved`.
    pub fn may_ask(&self, reserved: MicroDollars) -> bool {
        let rest = self.amount - self.spent.saturating_add(reserved);
        rest > 0
            || match &self.state {
                LeaseState::Held => -rest < self.amount,
                LeaseState::Failed(LeaseFailure::Away(_) | LeaseFailure::Schema(_)) => -rest < self.allowance,
                LeaseState::Failed(LeaseFailure::Denied(_))
                | LeaseState::Waiting
                | LeaseState::Exhausted(_) => false,
            }
    }

    /// Notes that a request is made, or would be.
    pub fn used(&mut self) {
        self.is_used = true;
    }

    /// Notes the cost of an answer.
    pub fn spend(&mut self, cost: MicroDollars) {
        self.spent = self.spent.saturating_add(cost.max(0));
        self.is_used = true;
    }

    /// The time at which the next request for a lease is due, if nothing happens meanwhile.
    pub fn due_at(&self, now: Instant) -> Option<Instant> {
        if self.is_asking {
            return None;
        }
        let is_spent = self.spent * 10 >= self.amount * RENEWED_TENTHS;
        let at = match self.state {
            _ if self.ask.is_some() => now,
            LeaseState::Waiting => now,
            LeaseState::Held if is_spent => now,
            // An idle process gives back all but the least amount, and asks for nothing more.
            LeaseState::Held if self.is_used || self.amount - self.spent > LEAST => self.renewed_at(),
            LeaseState::Exhausted(_) | LeaseState::Failed(_) if self.is_used || self.spent > 0 => now,
            LeaseState::Held | LeaseState::Exhausted(_) | LeaseState::Failed(_) => return None,
        };
        Some(self.again.map_or(at, |again| again.max(at)))
    }

    /// From 60 to 30 s before the end of a lease of five minutes.
    fn renewed_at(&self) -> Instant {
        self.began + self.term.mul_f64(0.8 + self.spread / 10.0)
    }

    /// The request that is due. Its answer goes to [`Self::answered`]; until then there is no other.
    pub fn ask(&mut self, now: Instant) -> Option<LeaseAsk> {
        self.due_at(now).filter(|at| *at <= now)?;
        self.is_asking = true;
        if let Some(ask) = self.ask {
            return Some(ask);
        }
        if self.number > 0 {
            let time = now.saturating_duration_since(self.began).max(MEASURED).as_secs_f64();
            let within_term = (self.spent as f64 * self.term.as_secs_f64() / time) as MicroDollars;
            self.expected = Some(within_term.max(self.expected.unwrap_or(0) / 2));
        }
        let want = match self.is_used || self.spent > 0 {
            true => self.expected.map(|it| (it.saturating_mul(RESERVE_TENTHS) / 10).max(LEAST)),
            false => self.expected.map(|_| LEAST),
        };
        let rest = (self.amount - self.spent).max(0);
        let keep = want.map_or(rest, |want| rest.min(want));
        // What is not kept may be another's as soon as the request is out.
        self.amount = self.amount.min(self.spent + keep);
        let ask = LeaseAsk { number: self.number + 1, spent: self.spent, keep, want };
        Some(*self.ask.insert(ask))
    }

    /// Takes the answer to the request that was made at `asked`.
    pub fn answered(&mut self, asked: Instant, now: Instant, answer: Result<LeaseAnswer, LeaseFailure>) {
        self.is_asking = false;
        let state = match answer {
            Ok(LeaseAnswer::Granted { amount, term }) => {
                (self.amount, self.began, self.term) = (amount, asked, term);
                LeaseState::Held
            }
            Ok(LeaseAnswer::Refused { of, .. }) => {
                self.amount = 0;
                LeaseState::Exhausted(of)
            }
            Err(ref failure) => LeaseState::Failed(failure.clone()),
        };
        if let Some(ask) = self.ask.take_if(|_| answer.is_ok()) {
            // What was spent since the request is of the next lease.
            self.spent -= ask.spent;
            self.number = ask.number;
            self.is_used = false;
        }
        // A setback of another kind is the first of its kind.
        if std::mem::discriminant(&state) != std::mem::discriminant(&self.state) {
            self.setbacks = 0;
        }
        let wait = match answer {
            Ok(LeaseAnswer::Granted { .. }) => None,
            Ok(LeaseAnswer::Refused { next_day, .. }) => {
                // Not all at midnight.
                let tomorrow = next_day + Duration::from_secs(60).mul_f64(self.spread);
                Some(self.setback(REFUSED_AGAIN).min(tomorrow))
            }
            Err(_) => Some(self.setback(AWAY_AGAIN)),
        };
        self.again = wait.map(|wait| now + wait);
        self.state = state;
    }

    /// The wait after one more setback, spread by half.
    fn setback(&mut self, (first, most): (Duration, Duration)) -> Duration {
        let wait = first.saturating_mul(1 << self.setbacks.min(16)).min(most);
        self.setbacks = self.setbacks.saturating_add(1);
        wait.mul_f64(0.75 + self.spread / 2.0)
    }

    /// The number of the last lease and what was spent of it, to give back the rest.
    pub fn last(&self) -> (i32, MicroDollars) {
        (self.number, self.spent)
    }

    /// The state.
    pub fn state(&self) -> &LeaseState {
        &self.state
    }

    /// The amount of the lease, and what is spent of it.
    pub fn figures(&self) -> (MicroDollars, MicroDollars) {
        (self.amount, self.spent)
    }

    /// The time until the lease ends.
    pub fn ends_in(&self, now: Instant) -> Duration {
        (self.began + self.term).saturating_duration_since(now)
    }
}
