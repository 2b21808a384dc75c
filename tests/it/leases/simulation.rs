//! A day of many clients in virtual time: they come and go, are killed and cut off, and their database is away, slow,
//! read-only or restarted in the middle of a transaction. Real accounts ask a store with the database's rules.
//!
//! `cargo test --release --test it leases::simulation::hundred -- --ignored --nocapture` is the long form.
//! `tests/scale/leases.py` has the same happen to real processes, and compares the figures.

use std::collections::VecDeque;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tandem::model::leases::{
    LeaseAccount, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseState, Leaseholder, MicroDollars,
};
use tokio::time::Instant;

use super::memory::MemoryStore;
use super::plan::{Plan, Weather};

/// The seconds after which a client gives up a request for a lease.
const LEASE_WITHIN: u32 = 5;
/// Set for [`size_of_the_recipe`]: a [`Plan`] as JSON.
const RECIPE: &str = "TANDEM_TEST_RECIPE";

struct Client {
    account: LeaseAccount,
    holder: Leaseholder,
    /// How far its clock is behind or ahead, in seconds. A monotonic clock stands still or jumps while a machine sleeps.
    clock: i64,
    active_until: u32,
    next_request: u32,
    /// The second in which it next does something, as its entry in the wheel must say.
    next: u32,
    /// Its largest lease, and the most that it had spent beyond a lease at a time. The next lease settles that, so
    /// that it is an overrun only at the end of the budget.
    largest: MicroDollars,
    overdraft: MicroDollars,
    cut_off_until: u32,
}

/// What one run showed.
#[derive(Default)]
struct Outcome {
    asked: u64,
    leases: u64,
    per_second: Vec<u32>,
    refused_requests: u64,
    /// Requests refused before 95 % of the budget was spent, although the database answered.
    falsely_refused: u64,
    /// Requests that waited for the first lease of a process, or for a database that was away.
    unserved: u64,
    served_while_away: u64,
    spent: MicroDollars,
    first_refusal: Option<(u32, MicroDollars)>,
    kills: u64,
    lost_answers: u64,
}

struct Day {
    plan: Plan,
    rng: SmallRng,
    start: Instant,
    store: MemoryStore,
    clients: Vec<Client>,
    wheel: Vec<Vec<u32>>,
    /// The requests that queue for a busy database, and the number that it has answered in this second.
    waiting: VecDeque<Waiting>,
    answered: u32,
    outcome: Outcome,
}

/// A request for a lease: whose it is, and when it was made.
struct Waiting {
    index: usize,
    client: i64,
    second: u32,
    ask: LeaseAsk,
}

impl Day {
    fn new(plan: Plan) -> Self {
        let store = MemoryStore::default();
        store.set("all", "", plan.dollars);
        let (rng, start) = (SmallRng::seed_from_u64(plan.seed), Instant::now());
        let wheel = vec![Vec::new(); plan.seconds as usize + 1];
        let outcome = Outcome { per_second: vec![0; plan.seconds as usize + 1], ..Outcome::default() };
        let (count, begun) = (plan.clients, plan.begun);
        let (clients, waiting) = (Vec::new(), VecDeque::new());
        let mut day = Self { plan, rng, start, store, clients, wheel, waiting, answered: 0, outcome };
        for index in 0..count {
            let begins = day.rng.random_range(0..begun);
            let mut client = day.client(index, 0);
            client.next_request = begins;
            client.active_until = begins.saturating_add(day.after(day.plan.active));
            day.clients.push(client);
            day.schedule(index, begins);
        }
        day
    }

    fn client(&mut self, index: usize, clock: i64) -> Client {
        let holder =
            Leaseholder { team: "all".to_owned(), user: format!("u{index}"), client: self.rng.random() };
        let allowance = (self.plan.away_dollars * 1e6) as MicroDollars;
        Client {
            account: LeaseAccount::new(allowance, self.rng.random(), self.start),
            holder,
            clock,
            active_until: 0,
            next_request: 0,
            next: u32::MAX,
            largest: 0,
            overdraft: 0,
            cut_off_until: 0,
        }
    }

    fn schedule(&mut self, index: usize, second: u32) {
        if second < self.clients[index].next && second <= self.plan.seconds {
            self.clients[index].next = second;
            self.wheel[second as usize].push(index as u32);
        }
    }

    /// An exponentially distributed time of this mean.
    fn after(&mut self, mean: f64) -> u32 {
        (-mean * (1.0 - self.rng.random::<f64>()).ln()).ceil().max(1.0) as u32
    }

    fn run(mut self) -> (Outcome, Vec<Client>) {
        for second in 0..=self.plan.seconds {
            if let Some((within, count)) = self.plan.kills.clone() {
                let at = |index: usize| within.start + (index * within.len() / count) as u32;
                for index in (0..count).filter(|index| at(*index) == second) {
                    self.kill(index);
                    self.schedule(index, self.clients[index].next_request.max(second));
                }
            }
            self.store.set_time(Duration::from_secs(u64::from(second)).min(Duration::from_secs(86_399)));
            self.answer_waiting(second);
            for index in std::mem::take(&mut self.wheel[second as usize]) {
                let client = &mut self.clients[index as usize];
                if client.next == second {
                    client.next = u32::MAX;
                    self.step(index as usize, second);
                }
            }
        }
        (self.outcome, self.clients)
    }

    fn now(&self, index: usize, second: u32) -> Instant {
        self.start
            + Duration::from_secs((i64::from(second) + self.clients[index].clock).max(0).cast_unsigned())
    }

    fn step(&mut self, index: usize, second: u32) {
        self.ask_for_leases(index, second);
        if second >= self.clients[index].next_request {
            self.disturb(index, second);
            self.request(index, second);
            self.ask_for_leases(index, second);
            let mut next = second + self.after(self.plan.pause);
            if next >= self.clients[index].active_until {
                next = second + self.after(self.plan.idle);
                self.clients[index].active_until = next + self.after(self.plan.active);
            }
            self.clients[index].next_request = next;
        }
        self.schedule(index, self.clients[index].next_request);
        self.schedule_lease(index, second);
    }

    /// Has it sleep, be cut off or killed, each once or twice a day.
    fn disturb(&mut self, index: usize, second: u32) {
        let every = self.plan.disturbed;
        if every == 0 {
            return;
        }
        if self.rng.random_ratio(1, every) {
            // Its clock stood still for an hour, or jumps.
            self.clients[index].clock += 3_600;
        }
        if self.rng.random_ratio(1, every) {
            self.clients[index].cut_off_until = second + 900;
        }
        if self.rng.random_ratio(1, every) {
            self.kill(index);
        }
    }

    /// The process ends without a word, and another one begins.
    fn kill(&mut self, index: usize) {
        self.outcome.kills += 1;
        let clock = self.clients[index].clock;
        let new = self.client(index, clock);
        let old = std::mem::replace(&mut self.clients[index], new);
        let client = &mut self.clients[index];
        (client.largest, client.overdraft) = (old.largest, old.overdraft);
        (client.active_until, client.next_request) = (old.active_until, old.next_request);
    }

    fn ask_for_leases(&mut self, index: usize, second: u32) {
        let now = self.now(index, second);
        // An answer that leads to another request at once is possible, a dozen is not.
        for _ in 0..12 {
            let Some(ask) = self.clients[index].account.ask(now) else { return };
            if self.plan.capacity.is_some_and(|most| self.answered >= most) {
                let client = self.clients[index].holder.client;
                return self.waiting.push_back(Waiting { index, client, second, ask });
            }
            let answer = self.answer(index, second, ask);
            self.take(index, second, second, answer);
        }
        panic!("a client asks without end");
    }

    /// Answers the requests that waited, the oldest first.
    fn answer_waiting(&mut self, second: u32) {
        self.answered = 0;
        let most = self.plan.capacity.unwrap_or(u32::MAX);
        let is_late = |it: &Waiting| second - it.second >= LEASE_WITHIN;
        while self.waiting.front().is_some_and(|it| is_late(it) || self.answered < most) {
            let Some(it) = self.waiting.pop_front() else { return };
            let (late, Waiting { index, client, second: asked, ask }) = (is_late(&it), it);
            // Of a process that was killed meanwhile.
            if self.clients[index].holder.client != client {
                continue;
            }
            let answer = match late {
                true => Err(LeaseFailure::Away("it did not answer in time".to_owned())),
                false => self.answer(index, second, ask),
            };
            self.take(index, asked, second, answer);
            self.schedule_lease(index, second);
        }
    }

    fn take(&mut self, index: usize, asked: u32, second: u32, answer: Result<LeaseAnswer, LeaseFailure>) {
        let (asked, now) = (self.now(index, asked), self.now(index, second));
        let client = &mut self.clients[index];
        if let Ok(LeaseAnswer::Granted { amount, .. }) = answer {
            self.outcome.leases += u64::from(amount > 0);
            client.largest = client.largest.max(amount);
        }
        client.account.answered(asked, now, answer);
    }

    /// Has the client act when its next request for a lease is due.
    fn schedule_lease(&mut self, index: usize, second: u32) {
        let now = self.now(index, second);
        if let Some(due) = self.clients[index].account.due_at(now) {
            let wait = due.saturating_duration_since(now).as_secs() as u32;
            self.schedule(index, second + wait.max(1));
        }
    }

    fn answer(&mut self, index: usize, second: u32, ask: LeaseAsk) -> Result<LeaseAnswer, LeaseFailure> {
        let away = |why: &str| Err(LeaseFailure::Away(why.to_owned()));
        let client = &self.clients[index];
        let weather = self.plan.weather(second);
        if matches!(weather, Weather::Away | Weather::ReadOnly) || second < client.cut_off_until {
            return away("it is away");
        }
        self.answered += 1;
        self.outcome.per_second[second as usize] += 1;
        let answer = self.store.take(&client.holder, ask);
        let is_lost = match weather {
            Weather::Restarting => self.rng.random_ratio(1, 2),
            _ => self.rng.random_ratio(1, 1_000),
        };
        if is_lost {
            self.outcome.lost_answers += 1;
            return away("the connection broke");
        }
        answer
    }

    fn request(&mut self, index: usize, second: u32) {
        let cost = match self.rng.random_ratio(1, 100) {
            true => self.plan.dear * self.rng.random_range(self.plan.cost.clone()),
            false => self.rng.random_range(self.plan.cost.clone()),
        };
        let client = &mut self.clients[index];
        client.account.used();
        self.outcome.asked += 1;
        let is_away = self.plan.weather(second) != Weather::Fair || second < client.cut_off_until;
        if client.account.may_ask(0) {
            client.account.spend(cost);
            let (amount, spent) = client.account.figures();
            client.overdraft = client.overdraft.max(spent - amount);
            self.outcome.spent += cost;
            self.outcome.served_while_away += u64::from(is_away);
            return;
        }
        match client.account.state() {
            LeaseState::Exhausted(_) => {
                self.outcome.refused_requests += 1;
                self.outcome.first_refusal.get_or_insert((second, self.outcome.spent));
                self.outcome.falsely_refused += u64::from(self.outcome.spent * 20 < self.plan.budget() * 19);
            }
            // Without the budget, an account that asks in vain is not worse off.
            _ => self.outcome.unserved += u64::from(self.outcome.first_refusal.is_none()),
        }
    }
}

/// Simulates a plan, and prints and checks its figures.
#[expect(clippy::print_stdout, reason = "the figures are read here")]
fn simulate(plan: Plan) -> Outcome {
    let (count, dollars, budget, seconds) = (plan.clients, plan.dollars, plan.budget(), plan.seconds);
    // One lease, a request whose cost was known when it was answered, and what may be spent without the database.
    let beyond = plan.dear * plan.cost.end + (plan.away_dollars * 1e6) as MicroDollars;
    let started = std::time::Instant::now();
    let (outcome, clients) = Day::new(plan).run();
    let peak = outcome.per_second.iter().max().unwrap();
    let overrun = (outcome.spent - budget).max(0);
    println!(
        "{count} clients, ${dollars:.0} a day: {} requests, {} leases ({:.1}/s, peak {peak}/s), {} kills, {} lost answers",
        outcome.asked,
        outcome.leases,
        outcome.leases as f64 / f64::from(seconds),
        outcome.kills,
        outcome.lost_answers,
    );
    println!(
        "spent {:.2} % of the budget (overrun ${:.2}, ${:.4} a client ahead at most); refused {}, of them before 95 %: {}; \
         first refusal at {:?} s and {:.2} %; unserved {}; served without the database {}; {:.1?}",
        outcome.spent as f64 / budget as f64 * 100.0,
        overrun as f64 / 1e6,
        clients.iter().map(|it| it.overdraft).max().unwrap() as f64 / 1e6,
        outcome.refused_requests,
        outcome.falsely_refused,
        outcome.first_refusal.map(|it| it.0),
        outcome.first_refusal.map_or(0.0, |it| it.1 as f64 / budget as f64 * 100.0),
        outcome.unserved,
        outcome.served_while_away,
        started.elapsed(),
    );
    assert_eq!(outcome.falsely_refused, 0, "requests refused before 95 % of the budget was spent");
    assert!(outcome.refused_requests > 0, "the budget was not used up, so that nothing was tested");
    assert!(outcome.served_while_away > 0 && outcome.kills > 0);
    for Client { overdraft, largest, .. } in &clients {
        assert!(*overdraft <= largest + beyond, "a client spent {overdraft} ahead of leases up to {largest}");
    }
    assert!(overrun <= clients.iter().map(|it| it.overdraft).sum(), "more than the clients' last requests");
    // Those whose first lease did not come, or who were cut off for longer than their lease lasted.
    assert!(outcome.unserved * 50 < outcome.asked, "{} of {} unserved", outcome.unserved, outcome.asked);
    outcome
}

#[test]
fn two_thousand_clients_for_a_day() {
    let outcome = simulate(Plan::day(2_000, 7));
    assert!(outcome.lost_answers > 0);
}

/// Takes a minute or two in a release build.
#[test]
#[ignore = "long: a hundred thousand clients, by name only"]
fn hundred_thousand_clients_for_a_day() {
    simulate(Plan::day(100_000, 7));
}

/// The plan of `tests/scale/leases.py`, whose figures it compares with its own.
#[test]
#[ignore = "a part of tests/scale/leases.py"]
#[expect(clippy::print_stdout, reason = "the figures are read by the script")]
fn size_of_the_recipe() {
    let plan: Plan = serde_json::from_str(&std::env::var(RECIPE).unwrap()).unwrap();
    let budget = plan.budget() as f64;
    let it = simulate(plan);
    let figures = serde_json::json!({
        "requests": it.asked - it.refused_requests - it.unserved,
        "leases": it.leases,
        "spent": it.spent as f64 / budget,
        "first_refusal": it.first_refusal.map(|(_, spent)| spent as f64 / budget),
        "falsely_refused": it.falsely_refused,
        "unserved": it.unserved,
        "while_away": it.served_while_away,
    });
    println!("figures {figures}");
}
