//! The database of leases gets a password over TLS, or not at all.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tandem::config::{LeaseDatabase, LeaseSettings};
use tandem::model::leases::{LeaseAnswer, LeaseFailure, LeaseStore, store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::database::{World, connect, database, first, holder, server};

/// The certificate of the authority that signed the server's, which is for `localhost`.
const AUTHORITY: &str = "TANDEM_TEST_CA";

fn store_of(database: LeaseDatabase) -> Arc<dyn LeaseStore> {
    let (team, user) = ("core".to_owned(), "ann".to_owned());
    store(&LeaseSettings { database: Ok(database), team, user, away_dollars: 0.0 })
}

/// The answer to a first request: `granted`, or why not.
async fn asked(url: &str, ca_file: Option<PathBuf>) -> String {
    let store = store_of(LeaseDatabase { ca_file, ..database(url) });
    match store.lease(&holder("ann", 1), first(1)).await {
        Ok(LeaseAnswer::Granted { .. }) => "granted".to_owned(),
        Ok(refused) => format!("{refused:?}"),
        // What is away is asked again and again in silence.
        Err(LeaseFailure::Denied(why)) => why,
        Err(failure) => panic!("{failure:?}"),
    }
}

#[tokio::test]
async fn server_without_tls_gets_no_password() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // Another host's name, with the address of this test; and a password that looks like a mode.
    for url in [
        format!("postgres://ann:sslmode=disable@db.test:{port}/x?hostaddr=127.0.0.1"),
        format!("postgres://ann:secret@localhost:{port}/x?application_name=x&sslmode=require"),
    ] {
        let answered = async {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut request = [0; 8];
            tcp.read_exact(&mut request).await.unwrap();
            tcp.write_all(b"N").await.unwrap();
            let mut rest = Vec::new();
            tcp.read_to_end(&mut rest).await.unwrap();
            (request, rest)
        };
        let (why, (request, rest)) = tokio::join!(asked(&url, None), answered);
        assert_eq!(why, "no password is sent without TLS: server does not support TLS");
        // PostgreSQL's SSLRequest, and nothing after it.
        assert_eq!((request, rest), ([0, 0, 0, 8, 4, 210, 22, 47], Vec::new()));
    }
}

#[tokio::test]
async fn mode_that_may_go_without_tls_is_for_this_machine_only() {
    let check = async |host: &str, query: &str, expected: &str| {
        let why = asked(&format!("postgres://ann:secret@{host}/x?{query}"), None).await;
        assert!(why.contains(expected), "{host} {query}: {why}");
        assert!(!why.contains("secret"));
    };
    for host in ["db.test", "127.db.test", "localhost,db.test"] {
        check(host, "sslmode=disable", "in plain text").await;
    }
    check("localhost", "host=db.test&sslmode=disable", "in plain text").await;
    check("localhost", "hostaddr=192.0.2.1&sslmode=disable", "in plain text").await;
    check("localhost", "sslmode=prefer", "use `verify-full`").await;
    check("localhost", "sslmode=disable&sslmode=allow", "use `verify-full`").await;
    check("db.test", "sslmode=off", "other than").await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: tests/scale/leases.sh"]
async fn password_goes_to_the_host_that_a_trusted_certificate_names() {
    let world = World::new("encrypted").await;
    world.set("", 10.0).await;
    // The script's pg_hba.conf admits this role with its password over TLS, and not otherwise.
    let role = "do $$ begin create role guarded login password 'secret'; exception when duplicate_object then end $$;
                grant usage on schema tandem to guarded;
                grant execute on function tandem.lease, tandem.give_back to guarded";
    world.admin.batch_execute(role).await.unwrap();
    let ca_file = Some(PathBuf::from(std::env::var(AUTHORITY).unwrap()));
    let port = server().rsplit(':').next().unwrap().to_owned();
    let at = |host: &str, mode: &str| format!("postgres://guarded:secret@{host}:{port}/encrypted?{mode}");
    let check = async |host: &str, mode: &str, ca_file: Option<PathBuf>, expected: &str| {
        let why = asked(&at(host, mode), ca_file).await;
        assert!(why.contains(expected), "{host} {mode}: {why}");
    };
    for mode in ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"] {
        check("localhost", mode, ca_file.clone(), "granted").await;
        check("localhost", mode, None, "`budget.lease.ca_file`").await;
        check("127.0.0.1", mode, ca_file.clone(), "not valid for name").await;
    }
    check("localhost", "", ca_file.clone(), "no encryption").await;
    let wrong = at("localhost", "sslmode=require").replace("secret", "guess");
    assert!(asked(&wrong, ca_file.clone()).await.contains("password authentication failed"));
    let set = async |is_on: &str| {
        world.admin.batch_execute(&format!("alter system set ssl = {is_on}")).await.unwrap();
        world.admin.batch_execute("select pg_reload_conf()").await.unwrap();
        loop {
            let another = connect(&format!("{}/postgres", server())).await;
            if another.query_one("show ssl", &[]).await.unwrap().get::<_, &str>(0) == is_on {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    set("off").await;
    let without = asked(&at("localhost", "sslmode=require"), ca_file.clone()).await;
    set("on").await;
    assert!(without.contains("no password is sent without TLS"), "{without}");
    check("localhost", "sslmode=require", ca_file, "granted").await;
}
