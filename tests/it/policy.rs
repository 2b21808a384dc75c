//! A company's policy, fetched from a server that behaves in every way.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::config::policy::{PolicyFiles, sign};
use tandem::config::{self, Keys, Loaded, Sources};
use tandem::disk::Readers;
use tandem::model::policy::refresh;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::http::read_head;
use crate::support::process::output_of;
use crate::support::{Editor, MARKED, Setup};

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
    PolicyFiles { machine, state: Some(folder.join("state")), clock: SystemTime::now }
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
    expect!["URL: the policy cannot be fetched: its server did not answer within 10 s; no model is asked until there is a valid one"].assert_eq(&problems.join("\n"));
}

/// An editor on a machine with a policy that this server has.
async fn editor(folder: &Path, server: &Server) -> Editor {
    Editor::with(Setup { policy: Some(machine(folder, server)), ..Setup::default() }).await
}

async fn until(editor: &mut Editor, wanted: impl Fn(&Value) -> bool) -> Value {
    // One minute, which only a failure takes.
    for _ in 0..3_000 {
        let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
        if wanted(&status) {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the status did not come about");
}

#[tokio::test]
async fn editor_gets_its_models_once_the_policy_is_there() {
    let rules = "[models]\nallow = [\"test-*\"]\n[locked]\noff = [\"next_edit\"]\n";
    let server = Server::start(Reply::Policy(policy(7, 1, rules))).await;
    let folder = TempDir::new().unwrap();
    let mut editor = editor(folder.path(), &server).await;
    let status = until(&mut editor, |it| it["policy"]["state"] == "fresh" && it["state"] != "local").await;
    let mut policy = status["policy"].clone();
    assert!(policy["expires"].as_u64() > policy["issued"].as_u64());
    for name in ["issued", "expires", "url"] {
        policy.as_object_mut().unwrap().remove(name);
    }
    expect![[r#"{"narrowed":[{"effect":"off","rule":"locked.off","setting":"next_edit"}],"serial":7,"state":"fresh","why":null}"#]].assert_eq(&policy.to_string());
    assert_eq!(status["gears"]["fast"]["asked"], "test-model");
    editor.driver.finish().await.unwrap();
}

#[tokio::test]
async fn editor_is_told_once_that_a_policy_is_refused_and_asks_no_model() {
    let server = Server::start(Reply::Policy(signed(7, 1, "", OTHER_KEY))).await;
    let folder = TempDir::new().unwrap();
    let mut editor = editor(folder.path(), &server).await;
    let message = editor.driver.expect("window/showMessage").await.unwrap();
    expect!["Tandem's settings: URL: the policy is refused: its signature is wrong: it was changed, or signed with another key; no model is asked until there is a valid one"].assert_eq(&message["params"]["message"].as_str().unwrap().replace(&server.url, "URL"));
    let status = until(&mut editor, |it| it["policy"]["state"] == "missing").await;
    expect!["local engine: no model is asked without the company's policy: its signature is wrong: it was changed, or signed with another key"].assert_eq(&status["text"].as_str().unwrap().replace(&server.url, "URL"));
    // The local engine still answers.
    let (line, column) = editor.open_at("file:///w/a.rs", MARKED);
    editor.complete("file:///w/a.rs", line, column).await;
    let unread = editor.driver.finish().await.unwrap();
    let again = unread.iter().filter(|it| it["method"] == "window/showMessage").count();
    assert_eq!(again, 0, "{unread:?}");
}

/// A program that sees this file as the administrator's, in a mount namespace of its own; `None` where there are none.
fn administered(folder: &Path, server: &Server, arguments: &str) -> Option<String> {
    let etc = folder.join("etc");
    std::fs::create_dir_all(etc.join("tandem")).unwrap();
    std::fs::write(
        etc.join("tandem/policy.toml"),
        format!("url = \"{}\"\npublic_key = \"{PUBLIC}\"\n", server.url),
    )
    .unwrap();
    let script = format!(
        "mount --bind '{}' /etc && exec '{}' {arguments}",
        etc.display(),
        env!("CARGO_BIN_EXE_tandem")
    );
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.env("TANDEM_STATE", folder.join("state")).env("TANDEM_CONFIG", folder.join("config.toml"));
        command.env("HOME", folder).current_dir(folder);
        command
    };
    let works = unshare("mount --bind /etc /etc").output().is_ok_and(|it| it.status.success());
    let output = works.then(|| output_of(&mut unshare(&script), b""))?;
    Some(String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_status_name_the_policy_and_its_rules() {
    let rules = "[models]\nallow = [\"gpt-*\"]\n[budget]\nday_dollars = 5\n";
    let server = Server::start(Reply::Policy(policy(7, 49, rules))).await;
    let folder = TempDir::new().unwrap();
    let config = "[providers.p]\nbase_url = \"http://127.0.0.1:9/v1\"\n\
                  [fast]\ncandidates = [{ provider = \"p\", model = \"own\" }]\n[budget]\nday_dollars = 20\n";
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    let run = |arguments: &'static str| {
        let said = tokio::task::block_in_place(|| administered(folder.path(), &server, arguments))?;
        let lines = said.lines().map(|line| match line.split_once(", ends ") {
            Some((before, after)) => format!("{before}, ends …{}", &after[after.find(';').unwrap()..]),
            None => line.to_owned(),
        });
        Some(
            lines
                .collect::<Vec<_>>()
                .join("\n")
                .replace(&server.url, "URL")
                .replace(folder.path().to_str().unwrap(), ""),
        )
    };
    let Some(doctor) = run("doctor --requests 0 --local none=9") else { return };
    let part = doctor.split("Editors").next().unwrap().split("Budget").next().unwrap();
    expect![[r#"

        Configuration
          ✓ /config.toml

        Policy of your company
          ✓ URL: serial 7, issued 2 days ago, ends …; up to date
            fast.candidates: without own of p (`models.allow`)
            budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)

        Fast gear: ghost text, next edits, rewrites
          ✗ own at p: the company's policy does not allow it (`models.allow`)
            → correct it in the configuration, or remove the candidate

        Deep gear: work that needs reasoning
          off: no model is configured for it"#]]
    .assert_eq(part.trim_end());
    expect![[r#"
        configuration: /config.toml
        policy: URL: serial 7, issued 2 days ago, ends …; up to date
          fast.candidates: without own of p (`models.allow`)
          budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)
        fast: no model; the local engine answers
          own of p: not used: the company's policy does not allow it (`models.allow`)
        deep: no model
        today: 0 requests, 0 tokens, $0.00
        recorder: off
        reports: none"#]]
    .assert_eq(&run("status").unwrap());
    server.replies(Reply::Policy(signed(8, 0, "", OTHER_KEY)));
    let doctor = run("doctor --requests 0 --local none=9").unwrap();
    let part = doctor.split("Policy of").nth(1).unwrap().split("Fast gear").next().unwrap();
    expect![[r#"
         your company
          ✗ URL: serial 7, issued 2 days ago, ends …; what its server has now is refused: its signature is wrong: it was changed, or signed with another key
            → tell the administrator of this machine
            fast.candidates: without own of p (`models.allow`)
            budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)"#]].assert_eq(part.trim_end());
}

#[test]
fn policy_is_checked_before_it_is_signed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(
        path("key.pem"),
        format!("-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n"),
    )
    .unwrap();
    let run = |text: &str| {
        std::fs::write(path("policy.toml"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        let output =
            output_of(command.args(["policy", "sign", &path("policy.toml"), "--key", &path("key.pem")]), b"");
        let [said, told] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (said, told.replace(&format!("{}/", folder.path().display()), ""), output.status.code().unwrap())
    };
    let good = policy(7, 0, "[settings]\neagerness = \"low\"\n");
    let document = good.split_once('\n').unwrap().1;
    for written in [document, &good] {
        let (said, told, code) = run(written);
        assert_eq!((said.as_str(), code), (good.as_str(), 0), "{told}");
        assert!(told.contains(&format!("public_key = \"{PUBLIC}\"")) && told.contains("serial 7"), "{told}");
    }
    for wrong in [
        document.replace("version = 1", "version = 2"),
        document.replace("eagerness", "eagernes"),
        document.replace("low", "lw"),
        format!("{document}[budgt]\n"),
        policy(7, 24 * 400, "").split_once('\n').unwrap().1.to_owned(),
    ] {
        let (said, told, code) = run(&wrong);
        assert!(said.is_empty() && code == 1 && told.len() > 20, "{said}{told}{code}");
    }
}
