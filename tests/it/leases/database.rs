//! Leases from a real PostgreSQL, which `tests/scale/leases.sh` starts. Each test has a database of its own.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tandem::config::{LeaseDatabase, LeaseSettings, Secret};
use tandem::model::leases::{
    LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars, admin, store,
};
use tokio_postgres::{Client, NoTls};

use super::memory::MemoryStore;

/// Set by the script: the URL of the server without a database.
const SERVER: &str = "TANDEM_TEST_POSTGRES";
/// `pg_ctl` for that server.
const CONTROL: &str = "TANDEM_TEST_CONTROL";
/// Set for a process that takes a lease and waits to be killed.
const CHILD: &str = "TANDEM_TEST_CHILD";

pub(super) fn server() -> String {
    std::env::var(SERVER).unwrap_or_else(|_| panic!("tests/scale/leases.sh runs this"))
}

pub(super) fn database(url: &str) -> LeaseDatabase {
    LeaseDatabase::parse(&Secret::new(url.to_owned())).unwrap()
}

pub(super) struct World {
    pub(super) admin: Client,
    url: String,
    client_url: String,
}

pub(super) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(async move { drop(connection.await) });
    client
}

impl World {
    /// A database with leases, and a role for clients that may only call the functions.
    pub(super) async fn new(name: &str) -> Self {
        let maintenance = connect(&format!("{}/postgres", server())).await;
        maintenance.batch_execute(&format!("drop database if exists {name} with (force)")).await.unwrap();
        maintenance.batch_execute(&format!("create database {name}")).await.unwrap();
        let role = "do $$ begin create role client login; exception when duplicate_object then end $$";
        maintenance.batch_execute(role).await.unwrap();
        let url = format!("{}/{name}", server());
        let applied = admin::migrate(&database(&url)).await.unwrap();
        assert_eq!(applied.len(), 1, "{applied:?}");
        assert!(admin::migrate(&database(&url)).await.unwrap().is_empty(), "a second time changes nothing");
        let admin = connect(&url).await;
        let grants = "grant usage on schema tandem to client; grant execute on function tandem.lease, tandem.give_back to client";
        admin.batch_execute(grants).await.unwrap();
        let client_url = url.replace("admin@", "client@");
        Self { admin, url, client_url }
    }

    pub(super) async fn set(&self, user: &str, dollars: f64) {
        admin::set(&database(&self.url), ("core", user), Some(dollars), None).await.unwrap();
    }

    fn store(&self) -> Arc<dyn LeaseStore> {
        let (team, user) = ("core".to_owned(), "ann".to_owned());
        store(&LeaseSettings { database: Ok(database(&self.client_url)), team, user, away_dollars: 0.0 })
    }

    async fn number(&self, sql: &str) -> i64 {
        self.admin.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// The day's figures are those of the ledger, and no more than the budget is taken.
    async fn is_sound(&self, budget: MicroDollars) {
        let days = "select (spent + leased)::bigint from tandem.days where member = ''";
        let ledger =
            "select sum(case state when 'settled' then spent else amount end)::bigint from tandem.leases";
        let users = "select sum(spent + leased)::bigint from tandem.days where member <> ''";
        let (days, ledger, users) =
            (self.number(days).await, self.number(ledger).await, self.number(users).await);
        assert_eq!((days, days), (ledger, users));
        assert!(days <= budget, "{days} of {budget}");
        let live = "select (select live from tandem.days where member = '') - count(*) from tandem.leases where state = 'out'";
        assert_eq!(self.number(live).await, 0);
    }
}

pub(super) fn holder(user: &str, client: i64) -> Leaseholder {
    Leaseholder { team: "core".to_owned(), user: user.to_owned(), client }
}

pub(super) fn first(number: i32) -> LeaseAsk {
    LeaseAsk { number, spent: 0, keep: 0, want: None }
}

/// One client that spends all it gets, until it is refused. Returns what it spent, and the answers it had.
async fn spends_all(store: Arc<dyn LeaseStore>, holder: Leaseholder) -> (MicroDollars, u32) {
    let (mut ask, mut total, mut answers) = (first(1), 0, 0);
    while answers < 400 {
        match store.lease(&holder, ask).await {
            Ok(LeaseAnswer::Granted { amount, .. }) => {
                total += amount;
                answers += 1;
                ask = LeaseAsk { number: ask.number + 1, spent: amount, keep: 0, want: Some(400_000) };
            }
            Ok(LeaseAnswer::Refused { .. }) => break,
            // The same request again: it may have taken effect.
            Err(LeaseFailure::Away(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(failure) => panic!("{failure:?}"),
        }
    }
    (total, answers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
#[expect(clippy::print_stdout, reason = "the figures are read here")]
async fn sixty_clients_at_once_never_take_more_than_the_budget() {
    let world = World::new("crowd").await;
    world.set("", 20.0).await;
    let started = Instant::now();
    let clients =
        (0..60).map(|it| tokio::spawn(spends_all(world.store(), holder(&format!("u{}", it % 7), it))));
    let done: Vec<_> = join_all(clients).await.into_iter().map(Result::unwrap).collect();
    let answers: u32 = done.iter().map(|it| it.1).sum();
    println!(
        "{:.0} leases a second, with a connection for each",
        f64::from(answers) / started.elapsed().as_secs_f64()
    );
    assert_eq!(
        done.iter().map(|it| it.0).sum::<MicroDollars>(),
        20_000_000,
        "all of the budget, and no more"
    );
    world.is_sound(20_000_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
async fn restart_in_the_middle_loses_and_doubles_nothing() {
    let world = World::new("restarted").await;
    world.set("", 40.0).await;
    let url = world.client_url.clone();
    let clients = (0..50).map(|it| tokio::spawn(spends_all(world.store(), holder("ann", it))));
    let restarts = tokio::task::spawn_blocking(|| {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(150));
            let restart = ["restart", "-m", "immediate"];
            assert!(Command::new(std::env::var(CONTROL).unwrap()).args(restart).status().unwrap().success());
        }
    });
    let done: Vec<_> = join_all(clients).await.into_iter().map(Result::unwrap).collect();
    restarts.await.unwrap();
    assert_eq!(done.iter().map(|it| it.0).sum::<MicroDollars>(), 40_000_000);
    // The administrator's connection broke, too.
    let world = World { admin: connect(&world.url).await, url: world.url, client_url: url };
    world.is_sound(40_000_000).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
async fn database_and_memory_have_the_same_rules() {
    let world = World::new("rules").await;
    let memory = MemoryStore::default();
    for (user, dollars) in [("", 1.5), ("*", 0.7), ("u1", 0.2)] {
        world.set(user, dollars).await;
        memory.set("core", user, dollars);
    }
    let (store, mut rng) = (world.store(), SmallRng::seed_from_u64(3));
    let mut known = [(0_i32, 0 as MicroDollars); 6];
    let mut refusals = 0;
    for step in 0..400 {
        let client = rng.random_range(0..known.len());
        let it = holder(&format!("u{}", client % 3), client as i64);
        let (number, amount) = known[client];
        let spent = if number == 0 { 0 } else { rng.random_range(0..=amount + 1_000) };
        if rng.random_ratio(1, 12) {
            store.give_back(&it, number, spent).await.unwrap();
            memory.settle_last(&it, number, spent);
            known[client].1 = 0;
            continue;
        }
        let keep = rng.random_range(0..=(amount - spent).max(0));
        let want = [None, Some(rng.random_range(0..100_000))][rng.random_range(0..2)];
        let ask = LeaseAsk { number: number + 1, spent, keep, want };
        let granted = |answer: &LeaseAnswer| match answer {
            LeaseAnswer::Granted { amount, .. } => Ok(*amount),
            LeaseAnswer::Refused { of, .. } => Err(*of),
        };
        let (theirs, ours) = (store.lease(&it, ask).await.unwrap(), memory.take(&it, ask).unwrap());
        assert_eq!(granted(&theirs), granted(&ours), "step {step}: {it:?} {ask:?}");
        refusals += u32::from(granted(&ours).is_err());
        known[client] = (number + 1, granted(&ours).unwrap_or(0));
    }
    assert!(refusals > 0, "nothing was refused");
    let day = memory.day("core", "", 0);
    let sql = "select spent * 1000000000 + leased from tandem.days where member = ''";
    assert_eq!(world.number(sql).await, day.spent * 1_000_000_000 + day.leased);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
async fn client_that_is_killed_leaves_one_lease_which_ends() {
    let world = World::new("killed").await;
    world.set("", 10.0).await;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leases::database::child", "--ignored"])
        .env(CHILD, &world.client_url)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let out = "select coalesce(sum(amount), 0)::bigint from tandem.leases where state = 'out'";
    let deadline = Instant::now() + Duration::from_secs(20);
    while world.number(out).await == 0 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let lost = world.number(out).await;
    assert!(lost > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    world.admin.execute("update tandem.leases set until = now() - interval '1 s'", &[]).await.unwrap();
    world.store().lease(&holder("bob", 2), first(1)).await.unwrap();
    assert_eq!(
        world.number("select spent from tandem.days where member = ''").await,
        lost,
        "it counts in full"
    );
    world.is_sound(10_000_000).await;
}

/// The process that is killed.
#[tokio::test]
#[ignore = "a part of another test"]
async fn child() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let (team, user) = ("core".to_owned(), "ann".to_owned());
    let settings = LeaseSettings { database: Ok(database(&url)), team, user, away_dollars: 0.0 };
    let lease = tandem::model::leases::Leases::start(&Arc::new(settings), Arc::new(|_| ()));
    lease.settled().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
async fn bad_databases_are_told_apart_in_bounded_time() {
    let world = World::new("bad").await;
    let store = world.store();
    let ann = holder("ann", 1);
    let refused = store.lease(&ann, first(1)).await.unwrap_err();
    assert_eq!(refused, LeaseFailure::Denied("there is no budget of a team `core`".to_owned()));
    world.set("", 10.0).await;

    let client = connect(&world.client_url).await;
    for sql in [
        "update tandem.budgets set micro_dollars = 1",
        "select * from tandem.leases",
        "select tandem.sweep('core')",
    ] {
        let error = client.batch_execute(sql).await.unwrap_err();
        assert_eq!(error.code().unwrap().code(), "42501", "{sql}: clients only call two functions");
    }
    let newer =
        client.batch_execute("select tandem.lease(2, 'core', 'ann', 1, 1, 0, 0, 0)").await.unwrap_err();
    assert_eq!(newer.code().unwrap().code(), "TD001");

    world.admin.batch_execute("alter role client set default_transaction_read_only = on").await.unwrap();
    let read_only = store.lease(&ann, first(1)).await.unwrap_err();
    assert!(matches!(&read_only, LeaseFailure::Away(why) if why.contains("read-only")), "{read_only:?}");
    world.admin.batch_execute("alter role client reset default_transaction_read_only").await.unwrap();

    // Slow: another transaction has the team's turn.
    world.admin.batch_execute("begin; select from tandem.budgets for update").await.unwrap();
    let started = Instant::now();
    let slow = store.lease(&ann, first(1)).await.unwrap_err();
    assert!(matches!(slow, LeaseFailure::Away(_)) && started.elapsed() < Duration::from_secs(5), "{slow:?}");
    world.admin.batch_execute("rollback").await.unwrap();
    assert!(matches!(store.lease(&ann, first(1)).await, Ok(LeaseAnswer::Granted { .. })));

    admin::set(&database(&world.url), ("core", ""), Some(10.0), Some("pg_monitor")).await.unwrap();
    let stranger = store.lease(&ann, first(2)).await.unwrap_err();
    assert!(matches!(&stranger, LeaseFailure::Denied(why) if why.contains("may not lease")), "{stranger:?}");

    world.admin.batch_execute("alter schema tandem rename to older").await.unwrap();
    let missing = store.lease(&ann, first(2)).await.unwrap_err();
    assert!(
        matches!(&missing, LeaseFailure::Schema(why) if why.contains("tandem leases migrate")),
        "{missing:?}"
    );
}
