//! The running count of usage, shared by all gears of a session; that of a day, by all sessions of a process.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::day::{DayFiles, today};
use super::day_count::DayCount;
use super::{Tally, Terms, Usage, price_at, reached};
use crate::config::{Budget, Endpoint, LeaseSettings, Price};
use crate::lock::Mutex;
use crate::model::ModelError;
use crate::model::leases::{LeaseNews, LeaseReport, Leases, SharedLeases};
use crate::model::telemetry::{RequestReport, Telemetry};

/// What the sessions of one process share of budgets: the day's count, and leases. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SharedBudget {
    day: Arc<Mutex<Weak<DayCount>>>,
    leases: SharedLeases,
}

impl SharedBudget {
    /// A session's meter, which starts at zero, plus the day's usage.
    pub fn meter(&self, budget: Budget, prices: BTreeMap<String, Price>, files: Option<DayFiles>) -> Meter {
        let day = {
            let mut shared = self.day.lock();
            shared.upgrade().unwrap_or_else(|| {
                let day = DayCount::new(files);
                *shared = Arc::downgrade(&day);
                day
            })
        };
        let counts = Counts { budget, prices, ..Counts::default() };
        Meter { counts: Mutex::new(counts), day, leases: self.leases.clone() }
    }
}

/// Counts the usage of all gears of a session, and checks the caps.
#[derive(Debug)]
pub struct Meter {
    counts: Mutex<Counts>,
    day: Arc<DayCount>,
    leases: SharedLeases,
}

#[derive(Debug, Default)]
struct Counts {
    budget: Budget,
    /// The day for which the user raised the budget, and how often.
    raised: (u64, u64),
    prices: BTreeMap<String, Price>,
    session: Tally,
    gears: BTreeMap<&'static str, Tally>,
    telemetry: Option<Telemetry>,
    lease: Option<Leases>,
    /// What the session's running requests may take, by their numbers.
    reserved: BTreeMap<u64, Tally>,
}

impl Counts {
    /// The caps that apply today.
    fn budget(&self) -> Budget {
        let (day, times) = self.raised;
        if day == today() { self.budget.for_days(times + 1) } else { self.budget }
    }
}

/// What a running request may take, until it is counted.
///
/// Requests that run at once would else all find the rest of a budget.
#[derive(Debug)]
pub struct Reservation {
    meter: Arc<Meter>,
    number: u64,
    input_tokens: u64,
}

impl Reservation {
    /// Input tokens, as estimated from the bytes of the prompt.
    pub fn input_tokens(&self) -> u64 {
        self.input_tokens
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.meter.counts.lock().reserved.remove(&self.number);
        self.meter.day.release(self.number);
    }
}

/// The sums at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// Since the server's start.
    pub session: Tally,
    /// Today, including other servers of the same user.
    pub day: Tally,
    /// Since the server's start, by gear.
    pub gears: BTreeMap<&'static str, Tally>,
}

impl Meter {
    /// The meter of the only session of a process.
    pub fn new(budget: Budget, prices: BTreeMap<String, Price>, files: Option<DayFiles>) -> Self {
        SharedBudget::default().meter(budget, prices, files)
    }

    /// Replaces the caps and prices; the counts stay.
    pub fn set(&self, budget: Budget, prices: BTreeMap<String, Price>) {
        let mut counts = self.counts.lock();
        (counts.budget, counts.prices) = (budget, prices);
    }

    /// Reports requests to this collector from now on, or to none.
    pub fn report_to(&self, collector: Option<&Endpoint>) {
        let mut counts = self.counts.lock();
        let is_kept = |it: &Telemetry| collector.is_some_and(|collector| it.is_to(collector));
        if !counts.telemetry.as_ref().is_some_and(is_kept) {
            counts.telemetry = collector.and_then(Telemetry::start);
        }
    }

    /// Spends from a lease of this budget from now on, or without one.
    pub fn lease_from(&self, settings: Option<&Arc<LeaseSettings>>, news: &LeaseNews) {
        let mut counts = self.counts.lock();
        let is_kept = |it: &Leases| settings.is_some_and(|settings| it.is_of(settings));
        if !counts.lease.as_ref().is_some_and(is_kept) {
            counts.lease = settings.map(|it| self.leases.start(it, Arc::clone(news)));
        }
    }

    /// The lease that is spent, as users are shown it.
    pub fn lease(&self) -> Option<LeaseReport> {
        let lease = self.counts.lock().lease.clone();
        lease.map(|it| it.report())
    }

    /// The lease, while the answer to its first request is yet to come.
    pub fn awaited_lease(&self) -> Option<Leases> {
        self.counts.lock().lease.clone().filter(Leases::is_waiting)
    }

    /// The cap that keeps a request from being made, as [`Self::capped`] or because of running requests. A lease that
    /// was given back is taken again.
    pub fn refused(&self) -> Option<String> {
        let lease = self.counts.lock().lease.clone();
        lease.iter().for_each(Leases::used);
        self.capped().or_else(|| {
            let (mut day, running) = self.day.with_reserved();
            day.add(&running);
            let counts = self.counts.lock();
            let mut session = counts.session;
            counts.reserved.values().for_each(|it| session.add(it));
            let is_reached = reached(&counts.budget(), &session, &day).is_some()
                || counts.lease.as_ref().is_some_and(|it| it.barred(running.dollars).is_some());
            is_reached.then(|| {
                "running requests may take the rest of the budget; no model is asked until they end"
                    .to_owned()
            })
        })
    }

    /// Reserves what a request may take: its input, and as much output as the job's answers have taken today.
    pub fn reserve(
        self: &Arc<Self>,
        job: &'static str,
        endpoint: &Endpoint,
        input: u64,
        most: u32,
    ) -> Reservation {
        let price = self.price(endpoint);
        let (number, tally) = self.day.reserve(job, most.into(), |output_tokens| {
            let usage = Usage { input_tokens: input, output_tokens, ..Usage::default() };
            Tally::of(&usage, price.as_ref(), Terms::of(endpoint, today()))
        });
        self.counts.lock().reserved.insert(number, tally);
        Reservation { meter: Arc::clone(self), number, input_tokens: input }
    }

    /// Counts a request.
    pub fn asked(self: &Arc<Self>, gear: &'static str, job: &'static str, endpoint: &Endpoint) {
        let tally = Tally { requests: 1, ..Tally::default() };
        self.count(Some(gear), Some((job, &endpoint.model)), &tally);
    }

    /// Counts a suggestion of a model as shown or accepted.
    pub fn reacted(self: &Arc<Self>, job: &'static str, model: &str, is_accepted: bool) {
        let (shown, accepted) = (u64::from(!is_accepted), u64::from(is_accepted));
        self.count(None, Some((job, model)), &Tally { shown, accepted, ..Tally::default() });
    }

    /// Counts a complete answer of an endpoint, wanted or abandoned.
    pub fn answered(
        self: &Arc<Self>,
        gear: &'static str,
        job: &'static str,
        endpoint: &Endpoint,
        usage: &Usage,
    ) {
        let price = price_at(&self.counts.lock().prices, endpoint, usage.model.as_deref());
        let tally = Tally::of(usage, price.as_ref(), Terms::of(endpoint, today()));
        self.count(Some(gear), Some((job, &endpoint.model)), &tally);
        let lease = self.counts.lock().lease.clone();
        lease.iter().for_each(|it| it.spend(tally.dollars));
        self.report((gear, job), endpoint, |report| RequestReport {
            // An abandoned answer has no total time.
            duration: Some(usage.total).filter(|total| !total.is_zero()),
            first_text: usage.first_token,
            response_model: usage.model.clone(),
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            output_tokens: usage.output_tokens,
            dollars: price.is_some().then_some(tally.dollars),
            ..report
        });
    }

    /// Reports a request that failed after this time.
    pub fn failed(
        &self,
        gear: &'static str,
        job: &'static str,
        endpoint: &Endpoint,
        error: &ModelError,
        after: Duration,
    ) {
        self.report((gear, job), endpoint, |report| RequestReport {
            duration: Some(after),
            error: Some(error.kind().name()),
            ..report
        });
    }

    /// Reports a request to the collector, if there is one.
    fn report(
        &self,
        (gear, job): (&'static str, &'static str),
        endpoint: &Endpoint,
        complete: impl FnOnce(RequestReport) -> RequestReport,
    ) {
        if let Some(telemetry) = &self.counts.lock().telemetry {
            telemetry.report(complete(RequestReport::of(gear, job, endpoint)));
        }
    }

    /// Continues a session in which this was spent, as a lost server counted it. The day has it already.
    pub fn resume(&self, session: &Tally) {
        self.counts.lock().session.add(session);
    }

    /// The price of an endpoint's tokens, if known.
    pub fn price(&self, endpoint: &Endpoint) -> Option<Price> {
        price_at(&self.counts.lock().prices, endpoint, None)
    }

    /// Counts tokens of an abandoned answer.
    pub fn abandoned_tokens(self: &Arc<Self>, gear: &'static str, tokens: u64) {
        self.count(Some(gear), None, &Tally { abandoned_tokens: tokens, ..Tally::default() });
    }

    /// The cap that is reached, as a sentence; `None` if no cap is reached.
    pub fn capped(&self) -> Option<String> {
        let day = self.day.today();
        let (reached, lease) = {
            let counts = self.counts.lock();
            (reached(&counts.budget(), &counts.session, &day), counts.lease.clone())
        };
        reached.or_else(|| lease?.barred(0.0))
    }

    /// Adds the day's cap once more until the day ends; returns the caps that then apply.
    ///
    /// # Errors
    ///
    /// Why it is not raised, as a sentence.
    pub fn raise(&self) -> Result<Budget, &'static str> {
        let day = self.day.today();
        let mut counts = self.counts.lock();
        if counts.budget.is_of_policy {
            return Err("a company's policy limits the day's budget, so it cannot be raised here");
        }
        if reached(&counts.budget(), &Tally::default(), &day).is_none() {
            return Err("the day's budget is not reached");
        }
        let now = today();
        let (raised, times) = counts.raised;
        counts.raised = (now, if raised == now { times + 1 } else { 1 });
        Ok(counts.budget())
    }

    /// Whether this share of a cap is used.
    pub fn has_spent(&self, share: f64) -> bool {
        let day = self.day.today();
        let counts = self.counts.lock();
        reached(&counts.budget().share(share), &counts.session, &day).is_some()
    }

    /// The current sums.
    pub fn totals(&self) -> Totals {
        let day = self.day.today();
        let counts = self.counts.lock();
        Totals { session: counts.session, day, gears: counts.gears.clone() }
    }

    /// Writes the day's file now, and reads those of other servers. For the end of a session, as it
    /// blocks.
    pub fn flush(&self) {
        self.day.flush();
    }

    /// Counts for a gear, and for a job and a model, as far as they are known.
    fn count(&self, gear: Option<&'static str>, part: Option<(&'static str, &str)>, tally: &Tally) {
        {
            let mut counts = self.counts.lock();
            counts.session.add(tally);
            if let Some(gear) = gear {
                counts.gears.entry(gear).or_default().add(tally);
            }
        }
        self.day.count(part, tally);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_outlives_a_restart_and_is_shared() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget { day_tokens: Some(100), ..Budget::default() };
        let start = || Arc::new(Meter::new(budget, BTreeMap::new(), Some(DayFiles::new(folder.path()))));
        let usage = Usage { input_tokens: 40, output_tokens: 10, ..Usage::default() };
        let first = start();
        first.asked("fast", "completion", &Endpoint::default());
        first.answered("fast", "completion", &Endpoint::default(), &usage);
        first.flush();
        let second = start();
        assert_eq!((second.totals().session.tokens(), second.totals().day.tokens()), (0, 50));
        assert_eq!(second.capped(), None);
        second.answered("deep", "plan", &Endpoint::default(), &usage);
        assert!(second.capped().is_some());
        second.flush();
        first.flush();
        assert!(first.capped().is_some(), "the other's share is seen");
        assert_eq!(first.totals().gears.keys().collect::<Vec<_>>(), [&"fast"]);
    }

    #[test]
    fn sessions_of_a_process_share_the_day_and_have_limits_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget { day_tokens: Some(100), session_tokens: Some(60), ..Budget::default() };
        let shared = SharedBudget::default();
        let files = || Some(DayFiles::new(folder.path()));
        let [first, second] = [(); 2].map(|()| Arc::new(shared.meter(budget, BTreeMap::new(), files())));
        let usage = Usage { input_tokens: 40, output_tokens: 10, ..Usage::default() };
        let endpoint = Endpoint::default();
        first.answered("fast", "completion", &endpoint, &usage);
        // What runs in one session is reserved in all, at once and without a file.
        let running = first.reserve("completion", &endpoint, 40, 10);
        assert_eq!([&first, &second].map(|it| it.capped()), [None, None]);
        assert!(second.refused().is_some_and(|why| why.starts_with("running requests")));
        drop(running);
        assert_eq!(second.refused(), None);
        second.answered("fast", "completion", &endpoint, &usage);
        let day = "`budget.day_tokens` is reached (100 of 100 tokens today, UTC); raise it under `[budget]`, or wait until midnight UTC";
        assert_eq!([&first, &second].map(|it| it.capped().unwrap()), [day, day]);
        let sessions = [&first, &second].map(|it| it.totals().session.tokens());
        assert_eq!(sessions, [50, 50]);
        drop([first, second]);
        let left = std::fs::read_dir(folder.path().join("usage")).unwrap().count();
        assert_eq!((left, Meter::new(budget, BTreeMap::new(), files()).totals().day.tokens()), (1, 100));
    }

    #[test]
    fn day_is_raised_once_it_is_reached_and_never_beyond_a_policy() {
        let usage = Usage { input_tokens: 40, output_tokens: 10, ..Usage::default() };
        let budget = Budget { day_tokens: Some(50), ..Budget::default() };
        let meter = Arc::new(Meter::new(budget, BTreeMap::new(), None));
        assert_eq!(meter.raise(), Err("the day's budget is not reached"));
        let spend = || meter.answered("fast", "completion", &Endpoint::default(), &usage);
        for limit in [100, 150] {
            spend();
            assert!(meter.capped().is_some());
            assert_eq!(meter.raise().map(|it| it.day_tokens), Ok(Some(limit)));
            assert_eq!(meter.capped(), None);
        }
        spend();
        let why = "`budget.day_tokens` is reached (150 of 150 tokens today, UTC); raise it under `[budget]`, or wait until midnight UTC";
        assert_eq!(meter.capped().as_deref(), Some(why));
        meter.set(Budget { is_of_policy: true, ..budget }, BTreeMap::new());
        assert!(meter.raise().is_err());
        assert!(meter.capped().is_some_and(|why| why.contains("which a company's policy limits")));
    }

    #[test]
    fn burst_of_requests_stays_within_a_cap_and_one_at_a_time_may_use_it_up() {
        let endpoint = Endpoint::default();
        let check = |cap: u64, at_once: usize, expected: (usize, u64)| {
            let budget = Budget { day_tokens: Some(cap), ..Budget::default() };
            let meter = Arc::new(Meter::new(budget, BTreeMap::new(), None));
            let usage = Usage { input_tokens: 40, output_tokens: 10, ..Usage::default() };
            let mut made = 0;
            for _ in 0..20 {
                let mut running = Vec::new();
                for _ in 0..at_once {
                    if meter.refused().is_none() {
                        running.push(meter.reserve("plan", &endpoint, 40, 60));
                        meter.asked("fast", "plan", &endpoint);
                    }
                }
                made += running.len();
                for reserved in running {
                    meter.answered("fast", "plan", &endpoint, &usage);
                    drop(reserved);
                }
            }
            assert_eq!((made, meter.totals().day.tokens()), expected, "{cap} {at_once}");
        };
        check(1_000, 1, (20, 1_000));
        check(500, 1, (10, 500));
        check(500, 8, (10, 500));
        check(510, 8, (11, 550));
    }
}
