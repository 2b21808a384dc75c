//! Leases of a company's budget: a process takes a small part of the day's budget of its team from a database, spends
//! it without asking again, and gives back the rest.
//!
//! [`account`](LeaseAccount) decides, [`store`](LeaseStore) is the database, and [`Leases`] joins them: it answers
//! whether a request may be made without waiting for anything, while a task in the background keeps the lease. The
//! database's page is `editors/companies.md`.

mod account;
#[cfg(feature = "leases")]
pub mod admin;
#[cfg(feature = "leases")]
mod connect;
#[cfg(feature = "leases")]
mod postgres;
mod store;

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use super::background_tasks::BackgroundTasks;
use crate::config::LeaseSettings;
use crate::lock::Mutex;
use crate::text::random::random_share;

pub use account::{LeaseAccount, LeaseState};
pub use store::{BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars};

/// The time within which a lease has to come.
const LEASE_WITHIN: Duration = Duration::from_secs(5);
/// The time that all processes' leases have to be given back at their end.
const GIVE_BACK_WITHIN: Duration = Duration::from_secs(2);

/// The tasks of this process that keep leases.
static KEEPERS: BackgroundTasks = BackgroundTasks::new();

/// Gives back all leases; for the end of a process.
pub async fn finish() {
    if !KEEPERS.finish(GIVE_BACK_WITHIN).await {
        tracing::warn!("the lease was not given back in time, so that it counts as spent");
    }
}

/// The store of these settings.
pub fn store(settings: &LeaseSettings) -> Arc<dyn LeaseStore> {
    match &settings.database {
        #[cfg(feature = "leases")]
        Ok(database) => Arc::new(postgres::PostgresStore::new(database.clone())),
        #[cfg(not(feature = "leases"))]
        Ok(_) => Arc::new(NoStore("this Tandem is built without leases (the feature `leases`)".to_owned())),
        Err(why) => Arc::new(NoStore(why.clone())),
    }
}

/// A store that cannot be asked.
struct NoStore(String);

impl LeaseStore for NoStore {
    fn lease<'a>(
        &'a self,
        _: &'a Leaseholder,
        _: LeaseAsk,
    ) -> futures_util::future::BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>> {
        Box::pin(async { Err(LeaseFailure::Denied(self.0.clone())) })
    }

    fn give_back<'a>(
        &'a self,
        _: &'a Leaseholder,
        _: i32,
        _: MicroDollars,
    ) -> futures_util::future::BoxFuture<'a, Result<(), LeaseFailure>> {
        Box::pin(async { Ok(()) })
    }
}

/// Called when the state of a lease has changed, with a message for the user if there is one.
pub type LeaseNews = Arc<dyn Fn(Option<String>) + Send + Sync>;

/// The leases of this process, of which there is one for all sessions with the same settings. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SharedLeases(Arc<Mutex<Vec<Weak<Kept>>>>);

impl SharedLeases {
    /// Joins the lease that is kept by these settings, or begins to keep one.
    pub fn start(&self, settings: &Arc<LeaseSettings>, news: LeaseNews) -> Leases {
        let mut all = self.0.lock();
        all.retain(|it| it.strong_count() > 0);
        let joined = all.iter().filter_map(Weak::upgrade).find(|it| *it.settings == **settings);
        let lease = match joined {
            Some(kept) => Leases::of(kept, news),
            None => Leases::start(settings, news),
        };
        if !all.iter().any(|it| it.as_ptr() == Arc::as_ptr(&lease.kept)) {
            all.push(Arc::downgrade(&lease.kept));
        }
        lease
    }
}

/// The lease of this process. The last clone gives it back.
#[derive(Clone)]
pub struct Leases {
    kept: Arc<Kept>,
    /// Told of changes, as long as a clone is left.
    _news: Arc<LeaseNews>,
}

/// A lease that is kept until nothing uses it.
struct Kept {
    settings: Arc<LeaseSettings>,
    keeping: Arc<Keeping>,
    /// Ends the task.
    end: Arc<Notify>,
}

/// What the task and its users share.
struct Keeping {
    account: Mutex<LeaseAccount>,
    /// Wakes the task.
    wake: Notify,
    /// Wakes those that wait for the first answer.
    settled: Notify,
    /// Those that are told of changes.
    news: Mutex<Vec<Weak<LeaseNews>>>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.end.notify_one();
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("team", &self.settings.team).finish_non_exhaustive()
    }
}

impl Leases {
    /// Begins to keep a lease of the database in the settings.
    pub fn start(settings: &Arc<LeaseSettings>, news: LeaseNews) -> Self {
        Self::start_with(settings, store(settings), news)
    }

    /// The same with another store. Outside a runtime there is no lease, and nothing can be spent.
    pub fn start_with(settings: &Arc<LeaseSettings>, store: Arc<dyn LeaseStore>, news: LeaseNews) -> Self {
        let allowance = (settings.away_dollars * 1e6) as MicroDollars;
        let account = LeaseAccount::new(allowance, random_share(), Instant::now());
        let keeping = Arc::new(Keeping {
            account: Mutex::new(account),
            wake: Notify::new(),
            settled: Notify::new(),
            news: Mutex::default(),
        });
        let end = Arc::new(Notify::new());
        let kept =
            Kept { settings: Arc::clone(settings), keeping: Arc::clone(&keeping), end: Arc::clone(&end) };
        let this = Self::of(Arc::new(kept), news);
        if let Ok(runtime) = Handle::try_current() {
            let holder = Leaseholder::new(settings);
            let keeper = Keeper { keeping, store, holder, end: Arc::clone(&end), told: false };
            KEEPERS.push(end, runtime.spawn(keeper.run()));
        }
        this
    }

    fn of(kept: Arc<Kept>, news: LeaseNews) -> Self {
        let news = Arc::new(news);
        let mut all = kept.keeping.news.lock();
        all.retain(|it| it.strong_count() > 0);
        all.push(Arc::downgrade(&news));
        drop(all);
        Self { kept, _news: news }
    }

    /// Whether these are the settings that it was started with.
    pub fn is_of(&self, settings: &LeaseSettings) -> bool {
        *self.kept.settings == *settings
    }

    /// Notes that a request is made, or would be if it were allowed.
    pub fn used(&self) {
        self.kept.keeping.change(LeaseAccount::used);
    }

    /// Notes the cost of an answer.
    pub fn spend(&self, dollars: f64) {
        // Rounded up: many small answers must not cost nothing.
        self.kept.keeping.change(|account| account.spend((dollars * 1e6).ceil() as MicroDollars));
    }

    /// Why no request may be made while others take these dollars, as a sentence for the user; `None` if it may.
    pub fn barred(&self, reserved: f64) -> Option<String> {
        let LeaseSettings { team, user, .. } = &*self.kept.settings;
        let account = self.kept.keeping.account.lock();
        if account.may_ask((reserved * 1e6).ceil() as MicroDollars) {
            return None;
        }
        let whose = format!("the budget of the team `{team}`");
        Some(match account.state() {
            LeaseState::Waiting | LeaseState::Held => {
                format!("waiting for the lease of {whose}; no model is asked until it is there")
            }
            LeaseState::Exhausted(BudgetOwner::Team) => {
                format!("{whose} is used up for today (UTC); no model is asked")
            }
            LeaseState::Exhausted(BudgetOwner::User) => {
                format!(
                    "the budget of `{user}` in the team `{team}` is used up for today (UTC); no model is asked"
                )
            }
            LeaseState::Failed(failure) => {
                format!("no model is asked without a lease of {whose}: {}", failure.why())
            }
        })
    }

    /// Whether the first lease is yet to come.
    pub fn is_waiting(&self) -> bool {
        *self.kept.keeping.account.lock().state() == LeaseState::Waiting
    }

    /// Waits for the answer to the first request, for a few seconds at most.
    pub async fn settled(&self) {
        let settled = async {
            loop {
                let settled = self.kept.keeping.settled.notified();
                if !self.is_waiting() {
                    return;
                }
                settled.await;
            }
        };
        // Without a task, there is no answer.
        if timeout(LEASE_WITHIN + Duration::from_secs(1), settled).await.is_err() {
            tracing::warn!("there is no answer about a lease");
        }
    }

    /// What users are shown.
    pub fn report(&self) -> LeaseReport {
        let account = self.kept.keeping.account.lock();
        let (amount, spent) = account.figures();
        let (state, why) = match account.state() {
            LeaseState::Waiting => ("waiting", None),
            LeaseState::Held => ("held", None),
            LeaseState::Exhausted(_) => ("exhausted", None),
            LeaseState::Failed(failure @ LeaseFailure::Away(_)) => ("away", Some(failure.why())),
            LeaseState::Failed(failure @ LeaseFailure::Schema(_)) => ("schema", Some(failure.why())),
            LeaseState::Failed(failure @ LeaseFailure::Denied(_)) => ("denied", Some(failure.why())),
        };
        LeaseReport {
            team: self.kept.settings.team.clone(),
            user: self.kept.settings.user.clone(),
            database: self.kept.settings.database.as_ref().map(|it| it.shown.clone()).unwrap_or_default(),
            state,
            why: why.map(str::to_owned),
            dollars: amount as f64 / 1e6,
            spent: spent as f64 / 1e6,
            ends_in: account.ends_in(Instant::now()),
        }
    }
}

impl std::fmt::Debug for Leases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leases").field("team", &self.kept.settings.team).finish_non_exhaustive()
    }
}

impl Keeping {
    /// Changes the account, and wakes the task if a request for a lease is due, or comes due at another time.
    fn change(&self, change: impl FnOnce(&mut LeaseAccount)) {
        let now = Instant::now();
        let (before, after) = {
            let mut account = self.account.lock();
            let before = account.due_at(now);
            change(&mut account);
            (before, account.due_at(now))
        };
        if before != after {
            self.wake.notify_one();
        }
    }
}

/// The task that keeps the lease.
struct Keeper {
    keeping: Arc<Keeping>,
    store: Arc<dyn LeaseStore>,
    holder: Leaseholder,
    end: Arc<Notify>,
    /// Whether the user was told that the database cannot be used.
    told: bool,
}

impl Keeper {
    async fn run(mut self) {
        let end = Arc::clone(&self.end);
        tokio::select! {
            () = end.notified() => {}
            () = self.keep() => {}
        }
        let (number, spent) = self.keeping.account.lock().last();
        let settled = timeout(GIVE_BACK_WITHIN, self.store.give_back(&self.holder, number, spent)).await;
        if !matches!(settled, Ok(Ok(()))) {
            tracing::warn!("the lease is not given back, so that it counts as spent in full");
        }
    }

    /// Asks for leases as they are due.
    async fn keep(&mut self) {
        loop {
            let now = Instant::now();
            let (ask, next) = {
                let mut account = self.keeping.account.lock();
                (account.ask(now), account.due_at(now))
            };
            match (ask, next) {
                (Some(ask), _) => {
                    let answer = timeout(LEASE_WITHIN, self.store.lease(&self.holder, ask)).await;
                    let late = || {
                        LeaseFailure::Away(format!("it did not answer within {} s", LEASE_WITHIN.as_secs()))
                    };
                    self.answered(now, answer.unwrap_or_else(|_| Err(late())));
                }
                (None, Some(next)) => tokio::select! {
                    () = self.keeping.wake.notified() => {}
                    () = sleep_until(next) => {}
                },
                (None, None) => self.keeping.wake.notified().await,
            }
        }
    }

    fn answered(&mut self, asked: Instant, answer: Result<LeaseAnswer, LeaseFailure>) {
        let failure = answer.as_ref().err().cloned();
        let is_news = {
            let mut account = self.keeping.account.lock();
            let before = account.state().clone();
            account.answered(asked, Instant::now(), answer);
            *account.state() != before
        };
        self.keeping.settled.notify_waiters();
        if !is_news {
            return;
        }
        if let Some(failure) = &failure {
            tracing::warn!(why = failure.why(), "there is no lease of the company's budget");
        }
        // One that is away comes back by itself; the rest is for somebody to correct.
        let message = match failure {
            Some(LeaseFailure::Schema(why) | LeaseFailure::Denied(why)) if !self.told => {
                self.told = true;
                Some(format!("Tandem: there is no lease of the company's budget: {why}"))
            }
            _ => None,
        };
        let all: Vec<_> = self.keeping.news.lock().iter().filter_map(Weak::upgrade).collect();
        all.iter().for_each(|news| news(message.clone()));
    }
}

/// A lease as users are shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaseReport {
    /// The team whose budget is spent.
    pub team: String,
    /// The user.
    pub user: String,
    /// The host and the name of the database; empty if it cannot be asked.
    pub database: String,
    /// `waiting`, `held`, `exhausted`, `away`, `schema` or `denied`.
    pub state: &'static str,
    /// The reason, if the database gave no lease.
    pub why: Option<String>,
    /// The amount of the lease.
    pub dollars: f64,
    /// What is spent of it.
    pub spent: f64,
    /// The time until it ends.
    pub ends_in: Duration,
}

impl LeaseReport {
    /// One line about it.
    pub fn line(&self) -> String {
        let Self { team, user, state, dollars, spent, .. } = self;
        let seconds = self.ends_in.as_secs();
        let lease = match &self.why {
            None if *state == "held" => {
                format!("${spent:.4} of a lease of ${dollars:.4} spent, which ends in {seconds} s")
            }
            None => format!("no lease ({state})"),
            Some(why) => format!("no new lease ({state}): {why}"),
        };
        format!("team {team}, user {user}: {lease}")
    }

    /// The same for machines; `until` in milliseconds since 1970, by `end_of`.
    pub fn json(&self, end_of: impl FnOnce(Duration) -> u64) -> Value {
        json!({
            "team": self.team,
            "user": self.user,
            "database": self.database,
            "state": self.state,
            "why": self.why,
            "dollars": self.dollars,
            "spent": self.spent,
            "until": (self.state == "held").then(|| end_of(self.ends_in)),
        })
    }
}

#[cfg(test)]
mod tests;
