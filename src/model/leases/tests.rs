#[path = "../../../tests/it/leases/memory.rs"]
mod memory;

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;

use super::*;
use crate::config::Secret;
use crate::lock::Mutex;
use memory::{DayFigures, MemoryStore};

const MINUTE: Duration = Duration::from_secs(60);

fn holder(user: &str, client: i64) -> Leaseholder {
    Leaseholder { team: "core".to_owned(), user: user.to_owned(), client }
}

fn ask(number: i32, spent: MicroDollars, keep: MicroDollars, want: Option<MicroDollars>) -> LeaseAsk {
    LeaseAsk { number, spent, keep, want }
}

fn amount(answer: Result<LeaseAnswer, LeaseFailure>) -> MicroDollars {
    match answer.unwrap() {
        LeaseAnswer::Granted { amount, .. } => amount,
        LeaseAnswer::Refused { .. } => 0,
    }
}

#[test]
fn lost_answer_takes_no_second_lease() {
    let store = MemoryStore::default();
    store.set("core", "", 100.0);
    let ann = holder("ann", 1);
    let first = amount(store.take(&ann, ask(1, 0, 0, None)));
    assert_eq!(first, 625_000, "an eighth of what may be out");
    assert_eq!(amount(store.take(&ann, ask(1, 0, 0, None))), first);
    assert_eq!(amount(store.take(&ann, ask(2, 400_000, 100_000, Some(0)))), 100_000, "what is kept stays");
    assert_eq!(amount(store.take(&ann, ask(2, 400_000, 100_000, Some(0)))), 100_000);
    let day = store.day("core", "", 0);
    assert_eq!((day.spent, day.leased, day.live), (400_000, 100_000, 1));
    // The client saw no answer to its second request, and spent 30,000 since.
    store.settle_last(&ann, 1, 430_000);
    assert_eq!(store.day("core", "", 0), DayFigures { spent: 430_000, leased: 0, live: 0 });
    assert_eq!(store.day("core", "ann", 0), store.day("core", "", 0));
}

#[test]
fn lease_that_is_not_given_back_counts_in_full_until_it_is() {
    let store = MemoryStore::default();
    store.set("core", "", 100.0);
    let (ann, bob) = (holder("ann", 1), holder("bob", 2));
    let taken = amount(store.take(&ann, ask(1, 0, 0, None)));
    store.set_time(6 * MINUTE);
    let other = amount(store.take(&bob, ask(1, 0, 0, Some(20_000))));
    assert_eq!(store.day("core", "", 0), DayFigures { spent: taken, leased: other, live: 1 });
    store.settle_last(&ann, 1, 5_000);
    assert_eq!(store.day("core", "", 0), DayFigures { spent: 5_000, leased: other, live: 1 });
}

#[test]
fn budgets_of_users_and_unknown_teams_are_heeded() {
    let store = MemoryStore::default();
    let ann = holder("ann", 1);
    assert!(matches!(store.take(&ann, ask(1, 0, 0, None)), Err(LeaseFailure::Denied(_))));
    store.set("core", "", 100.0);
    store.set("core", "*", 0.0);
    let refused = store.take(&ann, ask(1, 0, 0, None)).unwrap();
    assert!(matches!(refused, LeaseAnswer::Refused { of: BudgetOwner::User, .. }));
    store.set("core", "ann", 1.0);
    assert_eq!(amount(store.take(&ann, ask(2, 0, 0, None))), 25_000, "half of a twentieth");
    assert_eq!(amount(store.take(&holder("ann", 2), ask(1, 0, 0, None))), 12_500);
}

#[test]
fn account_goes_on_without_the_database_then_by_rule() {
    let start = Instant::now();
    let away = || Err(LeaseFailure::Away("no route".to_owned()));
    let mut account = LeaseAccount::new(50_000, 0.5, start);
    assert!(!account.may_ask(0));
    let first = account.ask(start).unwrap();
    assert_eq!((first, account.ask(start)), (ask(1, 0, 0, None), None), "one request at a time");
    let granted = Ok(LeaseAnswer::Granted { amount: 100_000, term: 5 * MINUTE });
    account.answered(start, start, granted);
    account.spend(60_000);
    assert_eq!(account.ask(start + MINUTE), None);
    account.spend(15_000);
    let now = start + MINUTE;
    let second = account.ask(now).unwrap();
    assert_eq!((second.spent, second.keep), (75_000, 25_000));
    assert_eq!(second.want, Some(562_500), "half as much again as five minutes cost at this speed");
    account.answered(now, now, away());
    assert_eq!(account.ask(now), None, "it is asked again later");
    account.spend(25_000);
    assert!(account.may_ask(0), "the allowance");
    account.spend(50_000);
    assert!(!account.may_ask(0));
    assert_eq!(account.ask(now + MINUTE), Some(second), "as it was, since it may have taken effect");
    let granted = Ok(LeaseAnswer::Granted { amount: 750_000, term: 5 * MINUTE });
    account.answered(now + MINUTE, now + MINUTE, granted);
    assert_eq!(account.figures(), (750_000, 75_000), "what was spent meanwhile counts");
}

#[test]
fn idle_account_gives_back_all_but_a_little() {
    let start = Instant::now();
    let mut account = LeaseAccount::new(0, 0.0, start);
    account.ask(start).unwrap();
    account.answered(start, start, Ok(LeaseAnswer::Granted { amount: 900_000, term: 5 * MINUTE }));
    assert_eq!(account.ask(start + 3 * MINUTE), None);
    let shrinking = account.ask(start + 4 * MINUTE).unwrap();
    assert_eq!((shrinking.keep, shrinking.want), (5_000, Some(5_000)));
    let now = start + 4 * MINUTE;
    account.answered(now, now, Ok(LeaseAnswer::Granted { amount: 5_000, term: 5 * MINUTE }));
    assert_eq!(account.due_at(now), None, "nothing more is asked for");
    let morning = now + 600 * MINUTE;
    account.used();
    assert!(account.may_ask(0), "the first request of the morning waits for nothing");
    assert!(account.ask(morning).is_some());
}

/// A store that can be away.
struct Switched(MemoryStore, AtomicBool);

impl LeaseStore for Switched {
    fn lease<'a>(
        &'a self,
        holder: &'a Leaseholder,
        ask: LeaseAsk,
    ) -> BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>> {
        match self.1.load(Ordering::Relaxed) {
            true => Box::pin(async { Err(LeaseFailure::Schema("of another version".to_owned())) }),
            false => self.0.lease(holder, ask),
        }
    }

    fn give_back<'a>(
        &'a self,
        holder: &'a Leaseholder,
        number: i32,
        spent: MicroDollars,
    ) -> BoxFuture<'a, Result<(), LeaseFailure>> {
        self.0.give_back(holder, number, spent)
    }
}

fn settings() -> Arc<LeaseSettings> {
    Arc::new(LeaseSettings {
        database: crate::config::LeaseDatabase::parse(&Secret::new("postgres://x@y/z".to_owned()))
            .map_err(str::to_owned),
        team: "core".to_owned(),
        user: "ann".to_owned(),
        away_dollars: 0.0,
    })
}

#[tokio::test(start_paused = true)]
async fn lease_is_taken_ahead_and_given_back_at_the_end() {
    let store = MemoryStore::default();
    store.set("core", "", 100.0);
    let lease = Leases::start_with(&settings(), Arc::new(store.clone()), Arc::new(|_| ()));
    assert!(lease.barred(0.0).is_some_and(|why| why.starts_with("waiting for the lease")));
    lease.settled().await;
    assert_eq!((lease.barred(0.0), lease.report().state), (None, "held"));
    lease.spend(0.5);
    // The next lease is asked for in the background.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(store.day("core", "", 0).spent, 500_000);
    lease.spend(0.01);
    drop(lease);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(store.day("core", "ann", 0), DayFigures { spent: 510_000, leased: 0, live: 0 });
}

#[tokio::test(start_paused = true)]
async fn database_of_another_schema_is_said_once() {
    let store = MemoryStore::default();
    store.set("core", "", 100.0);
    let switched = Arc::new(Switched(store, AtomicBool::new(true)));
    let said = Arc::new(Mutex::new(Vec::new()));
    let news = Arc::clone(&said);
    let news: LeaseNews = Arc::new(move |text| news.lock().extend(text));
    let lease = Leases::start_with(&settings(), Arc::clone(&switched) as Arc<dyn LeaseStore>, news);
    lease.settled().await;
    assert_eq!(lease.report().state, "schema");
    assert!(lease.barred(0.0).is_some_and(|why| why.ends_with("of another version")));
    tokio::time::sleep(10 * MINUTE).await;
    switched.1.store(false, Ordering::Relaxed);
    tokio::time::sleep(2 * MINUTE).await;
    assert_eq!((lease.report().state, lease.barred(0.0)), ("held", None));
    let said = said.lock();
    assert_eq!(said[..], ["Tandem: there is no lease of the company's budget: of another version"]);
}

#[tokio::test(start_paused = true)]
async fn sessions_of_a_process_have_one_lease_and_each_is_told() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let news = |session: &'static str| -> LeaseNews {
        let said = Arc::clone(&said);
        Arc::new(move |text| said.lock().extend(text.map(|_| session)))
    };
    let refused = || Arc::new(LeaseSettings { database: Err("no URL".to_owned()), ..(*settings()).clone() });
    let all = SharedLeases::default();
    let [first, second, third] =
        ["first", "second", "third"].map(|session| all.start(&refused(), news(session)));
    drop(third);
    first.settled().await;
    assert_eq!(*said.lock(), ["first", "second"]);
    drop(first);
    assert!(second.barred(0.0).is_some_and(|why| why.ends_with("no URL")));
    let other = Arc::new(LeaseSettings { team: "other".to_owned(), ..(*refused()).clone() });
    assert!(all.start(&other, news("fourth")).is_waiting(), "another team's is another lease");
}
