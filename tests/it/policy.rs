//! A company's policy, fetched from a server that behaves in every way.

mod shown;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use tandem::config::policy::{PolicyFiles, sign};
use tandem::config::{self, Keys, Loaded, Sources};
use tandem::disk::Readers;
use tandem::model::policy::refresh;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::http::read_head;

/// The keys of the first two test vectors of RFC 8032 §7.1, and the public key of the first.
const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
const OTHER_KEY: &str = "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";
const PUBLIC: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

/// What the server does with a request.
#[derive(Clone)]
enum Reply {
    /// Sends this, or 304 to those who have it.
    Policy(String),
    /// Sends this many bytes, whose number it announces or not.
    Bytes(usize, bool),
    Status(u16),
    /// Says nothing.
    Hang,
}

struct Server {
    url: String,
    reply: Arc<Mutex<Reply>>,
    asked: Arc<Mutex<Vec<&'static str>>>,
    server: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Server {
    async fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/policy.toml", listener.local_addr().unwrap());
        let (reply, asked) = (Arc::new(Mutex::new(reply)), Arc::<Mutex<Vec<&'static str>>>::default());
        let (now, all) = (Arc::clone(&reply), Arc::clone(&asked));
        let server = tokio::spawn(async move {
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(tcp, Arc::clone(&now), Arc::clone(&all)));
            }
        });
        Self { url, reply, asked, server }
    }

    fn replies(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    /// The requests since the last call: `tag` for one with an entity tag, else `-`.
    fn asked(&self) -> String {
        std::mem::take(&mut *self.asked.lock().unwrap()).join(" ")
    }
}

async fn answer(mut tcp: TcpStream, reply: Arc<Mutex<Reply>>, asked: Arc<Mutex<Vec<&'static str>>>) {
    while let Some(head) = read_head(&mut tcp).await {
        let known = head.split_once("if-none-match: ").map(|(_, it)| it.lines().next().unwrap().to_owned());
        asked.lock().unwrap().push(if known.is_some() { "tag" } else { "-" });
        let reply = reply.lock().unwrap().clone();
        let text = match reply {
            Reply::Hang => std::future::pending().await,
            Reply::Status(status) => format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n"),
            Reply::Policy(body) => {
                let etag = format!("\"{}\"", &body["# signature: ".len()..][..12]);
                match known.as_ref() == Some(&etag) {
                    true => format!("HTTP/1.1 304 Not Modified\r\netag: {etag}\r\n\r\n"),
                    false => format!(
                        "HTTP/1.1 200 OK\r\netag: {etag}\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    ),
                }
            }
            Reply::Bytes(count, announced) => {
                let length = if announced { format!("content-length: {count}\r\n") } else { String::new() };
                let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{length}\r\n");
                let mut sent = tcp.write_all(head.as_bytes()).await.is_ok();
                let part = vec![b'#'; 1 << 16];
                for _ in 0..count / part.len() {
                    // The client closes the connection once it has seen enough.
                    sent = sent && tcp.write_all(&part).await.is_ok();
                }
                return;
            }
        };
        if tcp.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A policy that was issued this many hours ago, and ends after a year.
fn policy(serial: u64, hours: i64, rules: &str) -> String {
    signed(serial, hours, rules, KEY)
}

fn signed(serial: u64, hours: i64, rules: &str, key: &str) -> String {
    let at = |hours: i64| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
        let seconds = now - hours * 3_600;
        let of_day = seconds % 86_400;
        let day = tandem::text::Day((seconds / 86_400) as u64);
        format!("{day}T{:02}:{:02}:{:02}Z", of_day / 3_600, of_day / 60 % 60, of_day % 60)
    };
    let (issued, expires) = (at(hours), at(hours - 365 * 24));
    let head = format!("version = 1\nserial = {serial}\nissued = \"{issued}\"\nexpires = \"{expires}\"\n");
    sign(&(head + rules), key).unwrap().0
}

/// A machine whose administrator names the server.
fn machine(folder: &Path, server: &Server) -> PolicyFiles {
    let machine = folder.join("machine.toml");
    std::fs::write(&machine, format!("url = \"{}\"\npublic_key = \"{PUBLIC}\"\n", server.url)).unwrap();
    PolicyFiles::at(machine, Some(folder.join("state")), SystemTime::now)
}

fn load(files: &PolicyFiles, user: &str) -> Loaded {
    let file = files.machine.with_file_name("config.toml");
    std::fs::write(&file, user).unwrap();
    let (policy, readers) = (Some(files), &Readers::default());
    let sources =
        Sources { policy, file: Some(&file), editor: &[], folders: &[], variable: &|_| None, readers };
    config::load(&sources, &mut Keys::default(), false)
}

/// The state after a fetch, the limit of a day, and the problems.
async fn shown(files: &PolicyFiles, server: &Server) -> String {
    refresh(files, Duration::ZERO).await;
    let loaded = load(files, "[budget]\nday_dollars = 9");
    let settings = loaded.settings.everywhere();
    let report = settings.policy.as_ref().unwrap();
    let serial = report.applied.map_or_else(|| "none".to_owned(), |it| it.serial.to_string());
    let dollars = settings.budget.day_dollars.unwrap();
    let mut shown = format!("{serial} {}, ${dollars}, asked {}\n", report.state.name(), server.asked());
    shown.extend(loaded.problems.iter().map(|it| format!("{it}\n")));
    shown.replace(&server.url, "URL")
}

#[tokio::test]
async fn policy_is_fetched_kept_and_asked_for_by_its_tag() {
    let server = Server::start(Reply::Policy(policy(7, 24, "[budget]\nday_dollars = 5"))).await;
    let folder = TempDir::new().unwrap();
    let files = machine(folder.path(), &server);
    let check = async |expect: Expect| expect.assert_eq(&shown(&files, &server).await);
    check(expect![[r#"
        7 fresh, $5, asked -
    "#]])
    .await;
    check(expect![[r#"
        7 fresh, $5, asked tag
    "#]])
    .await;
    server.replies(Reply::Status(503));
    check(expect![[r#"
        7 kept, $5, asked tag
    "#]])
    .await;
    server.replies(Reply::Policy(policy(8, 0, "[budget]\nday_dollars = 50")));
    check(expect![[r#"
        8 fresh, $9, asked tag
    "#]])
    .await;
    server.server.abort();
    refresh(&files, Duration::ZERO).await;
    let loaded = load(&files, "");
    let report = loaded.settings.everywhere().policy.clone().unwrap();
    assert_eq!((report.state.name(), loaded.problems.len()), ("kept", 0));
}

#[tokio::test]
async fn bad_policies_are_refused_with_the_reason_and_the_good_one_stays() {
    let server = Server::start(Reply::Policy(policy(7, 24, "[budget]\nday_dollars = 5"))).await;
    let folder = TempDir::new().unwrap();
    let files = machine(folder.path(), &server);
    let check = async |reply: Reply, expect: Expect| {
        server.replies(reply);
        let shown = shown(&files, &server).await;
        let mut words = shown
            .split(' ')
            .map(|word| if word.len() == 10 && word.starts_with("20") { "DAY" } else { word });
        let shown: Vec<&str> = words
            .by_ref()
            .map(|word| if word.len() == 5 && word.contains(':') { "TIME" } else { word })
            .collect();
        expect.assert_eq(&shown.join(" "));
    };
    let good = policy(7, 24, "[budget]\nday_dollars = 5");
    check(
        Reply::Policy(good.clone()),
        expect![[r#"
        7 fresh, $5, asked -
    "#]],
    )
    .await;
    check(Reply::Policy(signed(8, 0, "", OTHER_KEY)), expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: its signature is wrong: it was changed, or signed with another key; the one with serial 7 applies
    "#]]).await;
    check(
        Reply::Policy(good.replace("= 5", "= 9")),
        expect![[r#"
        7 fresh, $5, asked tag
    "#]],
    )
    .await;
    check(Reply::Policy(policy(6, 0, "")), expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it has serial 6, and serial 7 was there before it; the one with serial 7 applies
    "#]]).await;
    check(Reply::Policy(policy(8, 366 * 24 + 2, "")), expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it ended on DAY TIME UTC: it is to be issued anew; the one with serial 7 applies
    "#]]).await;
    check(Reply::Policy(policy(8, -2, "")), expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it was issued on DAY TIME UTC, which is in the future: set this machine's clock; the one with serial 7 applies
    "#]]).await;
    check(Reply::Policy(sign("version = 2\n", KEY).unwrap().0), expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it has version 2, and this Tandem reads version 1: update Tandem; the one with serial 7 applies
    "#]]).await;
    check(
        Reply::Bytes(50 << 20, true),
        expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it has more than 1024 KiB; the one with serial 7 applies
    "#]],
    )
    .await;
    check(
        Reply::Bytes(50 << 20, false),
        expect![[r#"
        7 refused, $5, asked tag
        URL: the policy is refused: it has more than 1024 KiB; the one with serial 7 applies
    "#]],
    )
    .await;
    check(
        Reply::Status(302),
        expect![[r#"
        7 kept, $5, asked tag
    "#]],
    )
    .await;
    check(
        Reply::Status(304),
        expect![[r#"
        7 fresh, $5, asked tag
    "#]],
    )
    .await;
    // A clock may be off by an hour.
    check(
        Reply::Policy(policy(9, -1, "[budget]\nday_dollars = 4")),
        expect![[r#"
        9 fresh, $4, asked tag
    "#]],
    )
    .await;
}

#[tokio::test]
async fn lease_of_a_policy_cannot_be_taken_away_or_widened() {
    let server = Server::start(Reply::Status(503)).await;
    let folder = TempDir::new().unwrap();
    let files = machine(folder.path(), &server);
    let mut serial = 0;
    let mut check = async |rules: &str, user: &str, expect: Expect| {
        serial += 1;
        server.replies(Reply::Policy(policy(serial, 24, &format!("[budget.lease]\n{rules}"))));
        refresh(&files, Duration::ZERO).await;
        let loaded = load(&files, user);
        let settings = loaded.settings.everywhere();
        let lease = settings.lease.as_ref().map_or_else(
            || "no lease".to_owned(),
            |lease| {
                let database = lease.database.as_ref().map(|it| {
                    let password = it.password.as_ref().map_or("none", |it| it.expose());
                    format!("{} with password {password}", it.shown)
                });
                let database = database.unwrap_or_else(Clone::clone);
                format!("{}/{} at {database}, ${} without it", lease.team, lease.user, lease.away_dollars)
            },
        );
        let narrowed = settings.policy.iter().flat_map(|it| it.rules());
        let lines: Vec<_> = std::iter::once(lease).chain(narrowed).collect();
        expect.assert_eq(&lines.join("\n"));
    };
    let theirs = "database = \"postgres://t@db.corp.test/b\"\n";
    let rule = format!("{theirs}team = \"core\"\naway_dollars = 0.5");
    let own = "[budget.lease]\ndatabase = \"postgres://me@db.corp.test/mine\"\nteam = \"rich\"\nuser = \"ann\"\n\
               away_dollars = 100\npassword_command = [\"echo\", \"secret\"]\n";
    // What a user leaves out, sets otherwise, and sets lower.
    check(
        &rule,
        "[budget.lease]\nuser = \"ann\"",
        expect![[r#"
        core/ann at db.corp.test/b with password none, $0.5 without it
        budget.lease: what is spent is leased from the company's budget of the team core (`budget.lease`)"#]],
    )
    .await;
    check(
        &rule,
        own,
        expect![[r#"
        core/ann at db.corp.test/b with password none, $0.5 without it
        budget.lease: what is spent is leased from the company's budget of the team core (`budget.lease`)"#]],
    )
    .await;
    check(
        &rule,
        &own.replace("= 100", "= 0.1"),
        expect![[r#"
        core/ann at db.corp.test/b with password none, $0.1 without it
        budget.lease: what is spent is leased from the company's budget of the team core (`budget.lease`)"#]],
    )
    .await;
    check(
        theirs,
        own,
        expect![[r#"
        rich/ann at db.corp.test/b with password none, $0 without it
        budget.lease: what is spent is leased from the company's budget (`budget.lease`)"#]],
    )
    .await;
    // A part of it, whatever database the user has.
    check(
        "away_dollars = 2",
        own,
        expect![[r#"
        rich/ann at the command for its key has not answered yet, $2 without it
        budget.lease: if there is a lease, it is as the policy says (`budget.lease`)"#]],
    )
    .await;
    check(
        "team = \"core\"\nuser = \"bob\"",
        own,
        expect![[r#"
        core/bob at the command for its key has not answered yet, $100 without it
        budget.lease: if there is a lease, it is as the policy says of the team core (`budget.lease`)"#]],
    )
    .await;
    let unset = own.replace("away_dollars = 100", "");
    check(
        "away_dollars = 2",
        &unset,
        expect![[r#"
        rich/ann at the command for its key has not answered yet, $0 without it
        budget.lease: if there is a lease, it is as the policy says (`budget.lease`)"#]],
    )
    .await;
    check(
        "away_dollars = 2",
        "",
        expect![[r#"
        no lease
        budget.lease: if there is a lease, it is as the policy says (`budget.lease`)"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn server_of_policies_that_hangs_is_left_after_ten_seconds() {
    let server = Server::start(Reply::Hang).await;
    let folder = TempDir::new().unwrap();
    let files = machine(folder.path(), &server);
    let began = tokio::time::Instant::now();
    refresh(&files, Duration::ZERO).await;
    assert!(began.elapsed() < Duration::from_secs(11), "{:?}", began.elapsed());
    let loaded = load(&files, "");
    let problems: Vec<String> =
        loaded.problems.iter().map(|it| it.to_string().replace(&server.url, "URL")).collect();
    expect!["URL: no model is asked without the company's policy: its server did not answer within 10 s"]
        .assert_eq(&problems.join("\n"));
}
