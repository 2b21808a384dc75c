//! The rules of the database's leases (`src/model/leases/migrations/V1__leases.sql`) in memory. The unit tests of
//! `src/model/leases.rs` include this file, too.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};

use super::{BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars};

/// The length of a lease.
const TERM: Duration = Duration::from_secs(5 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The least lease, unless the budget is smaller than a hundred of them.
const LEAST: MicroDollars = 5_000;

/// Budgets and leases in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryStore(Arc<Mutex<Books>>);

/// What the tables of the database hold.
#[derive(Debug, Default)]
struct Books {
    /// Time since the first day began.
    now: Duration,
    budgets: HashMap<(String, String), MicroDollars>,
    days: HashMap<String, BTreeMap<u64, DayFigures>>,
    /// The last two leases of each client; older ones are settled.
    leases: HashMap<i64, VecDeque<LeaseRow>>,
    /// The leases that are out in each team, by their end.
    out: HashMap<String, VecDeque<(Duration, i64, i32)>>,
}

/// The figures of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DayFigures {
    /// What was spent, including leases that were not given back in time.
    pub(super) spent: MicroDollars,
    /// What is out on leases.
    pub(super) leased: MicroDollars,
    /// The number of those leases.
    pub(super) live: i64,
}

#[derive(Debug)]
struct LeaseRow {
    number: i32,
    holder: Leaseholder,
    day: u64,
    amount: MicroDollars,
    state: LeaseRowState,
    until: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaseRowState {
    Out,
    /// Not given back in time.
    Ended,
    /// With what was spent.
    Settled(MicroDollars),
}

impl MemoryStore {
    /// Sets the budget of a team, or of a user if `user` is not empty; `*` is each user without one.
    pub(super) fn set(&self, team: &str, user: &str, dollars: f64) {
        self.0
            .lock()
            .unwrap()
            .budgets
            .insert((team.to_owned(), user.to_owned()), (dollars * 1e6) as MicroDollars);
    }

    /// Sets the clock, as the time since the first day began.
    pub(super) fn set_time(&self, now: Duration) {
        self.0.lock().unwrap().now = now;
    }

    /// The figures of a day, of a user or, if `user` is empty, of the team.
    #[allow(
        dead_code,
        reason = "the simulation, which runs without the feature `leases`, does not look at it"
    )]
    pub(super) fn day(&self, team: &str, user: &str, day: u64) -> DayFigures {
        let books = self.0.lock().unwrap();
        books.days.get(&key(team, user)).and_then(|it| it.get(&day)).copied().unwrap_or_default()
    }

    /// Takes a lease.
    ///
    /// # Errors
    ///
    /// The team has no budget.
    pub(super) fn take(&self, holder: &Leaseholder, ask: LeaseAsk) -> Result<LeaseAnswer, LeaseFailure> {
        self.0.lock().unwrap().lease(holder, ask)
    }

    /// Settles the last lease of a client that ends.
    pub(super) fn settle_last(&self, holder: &Leaseholder, number: i32, spent: MicroDollars) {
        let mut books = self.0.lock().unwrap();
        let state = |number| {
            books.leases.get(&holder.client)?.iter().find(|it| it.number == number).map(|it| it.state)
        };
        // The answer to the last request was lost: what was spent since is of the next lease.
        match (state(number + 1), state(number)) {
            (Some(_), Some(LeaseRowState::Settled(before))) => {
                books.settle(holder, number + 1, (spent - before).max(0));
            }
            (Some(_), _) => drop(books.settle(holder, number + 1, spent)),
            (None, _) => drop(books.settle(holder, number, spent)),
        }
    }
}

fn key(team: &str, user: &str) -> String {
    format!("{team}\n{user}")
}

impl Books {
    fn count(
        &mut self,
        holder: &Leaseholder,
        day: u64,
        spent: MicroDollars,
        leased: MicroDollars,
        live: i64,
    ) {
        for user in ["", &holder.user] {
            let days = self.days.entry(key(&holder.team, user)).or_default();
            let figures = days.entry(day).or_default();
            figures.spent += spent;
            figures.leased += leased;
            figures.live += live;
        }
    }

    fn today(&self) -> u64 {
        self.now.as_secs() / DAY.as_secs()
    }

    /// Settles a lease, and returns what of it was not spent.
    fn settle(&mut self, holder: &Leaseholder, number: i32, spent: MicroDollars) -> MicroDollars {
        let today = self.today();
        let rows = self.leases.entry(holder.client).or_default();
        let Some(row) = rows.iter_mut().find(|it| it.number == number) else {
            if spent > 0 {
                let (state, until) = (LeaseRowState::Settled(spent), self.now);
                let row = LeaseRow { number, holder: holder.clone(), day: today, amount: 0, state, until };
                rows.push_back(row);
                self.count(holder, today, spent, 0, 0);
            }
            return 0;
        };
        if row.holder != *holder {
            return 0;
        }
        let (day, amount) = (row.day, row.amount);
        if let LeaseRowState::Settled(_) = row.state {
            return 0;
        }
        match std::mem::replace(&mut row.state, LeaseRowState::Settled(spent)) {
            LeaseRowState::Settled(_) => {}
            LeaseRowState::Out => self.count(holder, day, spent, -amount, -1),
            LeaseRowState::Ended => self.count(holder, day, spent - amount, 0, 0),
        }
        (amount - spent).max(0)
    }

    /// Counts leases that were not given back in time as spent in full.
    fn sweep(&mut self, team: &str) {
        for _ in 0..20 {
            let Some(out) = self.out.get_mut(team) else { return };
            let Some((_, client, number)) = out.front().copied().filter(|it| it.0 < self.now) else { return };
            out.pop_front();
            let rows = self.leases.get_mut(&client);
            let row = rows.and_then(|rows| rows.iter_mut().find(|it| it.number == number));
            if let Some(row) = row.filter(|it| it.state == LeaseRowState::Out) {
                row.state = LeaseRowState::Ended;
                let (holder, day, amount) = (row.holder.clone(), row.day, row.amount);
                self.count(&holder, day, amount, -amount, -1);
            }
        }
    }

    fn lease(&mut self, holder: &Leaseholder, ask: LeaseAsk) -> Result<LeaseAnswer, LeaseFailure> {
        let find = |user: &str| self.budgets.get(&(holder.team.clone(), user.to_owned())).copied();
        let own = find(&holder.user).or_else(|| find("*"));
        let Some(budget) = find("") else {
            return Err(LeaseFailure::Denied(format!("there is no budget of a team `{}`", holder.team)));
        };
        let today = self.today();
        let next_day = DAY * (today as u32 + 1) - self.now;
        let known = self.leases.get(&holder.client).into_iter().flatten();
        if let Some(row) = known.filter(|it| it.number >= ask.number).min_by_key(|it| it.number) {
            let is_it = row.number == ask.number && row.amount > 0;
            return Ok(match is_it {
                true => LeaseAnswer::Granted { amount: row.amount, term: row.until.saturating_sub(self.now) },
                false => LeaseAnswer::Refused { of: BudgetOwner::Team, next_day },
            });
        }
        let keep = self.settle(holder, ask.number - 1, ask.spent).min(ask.keep);
        self.sweep(&holder.team);
        let figures = |user: &str| {
            let days = self.days.get(&key(&holder.team, user));
            days.and_then(|it| it.get(&today)).copied().unwrap_or_default()
        };
        let own = own.map(|budget| Left::new(budget, figures(&holder.user)));
        let (amount, of) = granted(&Left::new(budget, figures("")), own.as_ref(), keep, ask.want);
        if amount <= 0 {
            return Ok(LeaseAnswer::Refused { of, next_day });
        }
        let (until, state) = (self.now + TERM, LeaseRowState::Out);
        let row = LeaseRow { number: ask.number, holder: holder.clone(), day: today, amount, state, until };
        let rows = self.leases.entry(holder.client).or_default();
        rows.push_back(row);
        if rows.len() > 2 {
            rows.pop_front();
        }
        self.out.entry(holder.team.clone()).or_default().push_back((until, holder.client, ask.number));
        self.count(holder, today, 0, amount, 1);
        Ok(LeaseAnswer::Granted { amount, term: TERM })
    }
}

/// What is left of a day's budget.
struct Left {
    budget: MicroDollars,
    available: MicroDollars,
    figures: DayFigures,
}

impl Left {
    fn new(budget: MicroDollars, figures: DayFigures) -> Self {
        Self { budget, available: budget - figures.spent - figures.leased, figures }
    }

    /// A twentieth of the budget may be out at a time, so that nobody is refused before 95 % of it is spent.
    fn pool(&self) -> MicroDollars {
        (self.budget / 20 - self.figures.leased).min(self.available)
    }
}

/// The amount of a lease, and whose budget is used up if it is 0.
fn granted(
    team: &Left,
    own: Option<&Left>,
    keep: MicroDollars,
    want: Option<MicroDollars>,
) -> (MicroDollars, BudgetOwner) {
    let fair = team.budget / 20 / (team.figures.live + 1);
    // Leases shrink as the budget runs out, so that little is out when it is used up.
    let shrinking = team.available / 2 / (team.figures.live + 1);
    let mut amount = want.unwrap_or(fair).min(team.budget / 100).min(team.pool() / 8).min(shrinking);
    let mut least = LEAST.min(team.budget / 100);
    let mut available = team.available;
    if let Some(own) = own {
        least = least.min(own.budget / 100);
        available = available.min(own.available);
        amount = amount.min(own.pool() / 2);
    }
    let owner = if team.available <= 0 { BudgetOwner::Team } else { BudgetOwner::User };
    (amount.max(least).min(available).max(keep).max(0), owner)
}

impl LeaseStore for MemoryStore {
    fn lease<'a>(
        &'a self,
        holder: &'a Leaseholder,
        ask: LeaseAsk,
    ) -> BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>> {
        ready(self.take(holder, ask)).boxed()
    }

    fn give_back<'a>(
        &'a self,
        holder: &'a Leaseholder,
        number: i32,
        spent: MicroDollars,
    ) -> BoxFuture<'a, Result<(), LeaseFailure>> {
        self.settle_last(holder, number, spent);
        ready(Ok(())).boxed()
    }
}
