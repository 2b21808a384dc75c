//! Days that are delivered to a server that behaves in every way, and to a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::{Expect, expect};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::lock::Mutex;
use crate::model::usage::{Meter, Usage, today};

const DAY: u64 = 20_000;

/// A state folder, and a server that takes bills.
struct Setup {
    folder: TempDir,
    bill: BillSettings,
    /// The status of the next answers.
    status: Arc<Mutex<u16>>,
    /// The key and the body of each request since the last look.
    got: Arc<Mutex<Vec<String>>>,
}

impl Setup {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/bill", listener.local_addr().unwrap());
        let (status, got) = (Arc::new(Mutex::new(200)), Arc::<Mutex<Vec<String>>>::default());
        let (now, all) = (Arc::clone(&status), Arc::clone(&got));
        tokio::spawn(async move {
            loop {
                let (mut tcp, _) = listener.accept().await.unwrap();
                let mut request = String::new();
                while !is_whole(&request) {
                    let mut bytes = [0; 4096];
                    let count = tcp.read(&mut bytes).await.unwrap();
                    request += std::str::from_utf8(&bytes[..count]).unwrap();
                }
                let (head, body) = request.split_once("\r\n\r\n").unwrap();
                let is_kind =
                    |line: &&str| line.starts_with("idempotency-key") || line.starts_with("content-type");
                let mut kinds: Vec<&str> = head.lines().filter(is_kind).collect();
                kinds.sort_unstable();
                all.lock().push(format!("{}\n{body}", kinds.join("\n")));
                let status = *now.lock();
                let place = if status == 302 { "location: /elsewhere\r\n" } else { "" };
                let answer =
                    format!("HTTP/1.1 {status} x\r\n{place}content-length: 0\r\nconnection: close\r\n\r\n");
                tcp.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let url = Some(Endpoint { base_url, ..Endpoint::default() });
        let bill = BillSettings { user: "ann".to_owned(), team: Some("core".to_owned()), file: None, url };
        Self { folder: tempfile::tempdir().unwrap(), bill, status, got }
    }

    /// A server's usage of a day.
    fn used(&self, day: u64, server: &str, jobs: &str) {
        let folder = self.folder.path().join("usage");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{day}.{server}.json")), format!("{{\"jobs\":{jobs}}}")).unwrap();
    }

    /// Delivers at this minute of a day, and returns what the server got, and what is wrong.
    async fn deliver(&self, day: u64, minute: u64, status: u16) -> String {
        *self.status.lock() = status;
        let now = UNIX_EPOCH + Duration::from_secs(day * 86_400 + minute * 60);
        deliver(&self.bill, self.folder.path(), now).await.unwrap();
        let got = std::mem::take(&mut *self.got.lock());
        let wrong = troubles(self.folder.path()).unwrap();
        let wrong = wrong.iter().map(|(setting, why)| format!("{setting}: {why}\n"));
        let note: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(&std::fs::read(self.folder.path().join("bill.json")).unwrap()).unwrap();
        (got.concat() + &wrong.collect::<String>()).replace(note["id"].as_str().unwrap(), "ID")
    }
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.split_once("content-length: ").and_then(|(_, it)| it.lines().next()?.parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}

const MODELS: &str = r#"{"m": {"requests": 2, "inputTokens": 10, "outputTokens": 3, "dollars": 0.25, "shown": 9, "accepted": 4}}"#;

#[tokio::test]
async fn day_is_sent_once_whatever_happens() {
    let it = Setup::new().await;
    let jobs = format!(r#"{{"completion": {MODELS}}}"#);
    for day in [DAY - 1, DAY, DAY + 2] {
        it.used(day, "a", &jobs);
    }
    let nothing = || expect![""];
    nothing().assert_eq(&it.deliver(DAY, 720, 200).await);
    nothing().assert_eq(&it.deliver(DAY + 1, 9, 200).await);
    // The last count of a server that was late.
    it.used(DAY, "b", &jobs);
    expect![[r#"
        content-type: application/x-ndjson
        idempotency-key: "ID-20000"
        {"code_acceptance_activity_count":8,"code_generation_activity_count":18,"day":"2024-10-04","feature":"code_completion","model":"m","output_tokens_sum":6,"prompt_tokens_sum":20,"request_count":4,"slug":"core","tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.5,"unpriced_count":0},"user_login":"ann"}
        url: its server answers 503 Service Unavailable
    "#]]
    .assert_eq(&it.deliver(DAY + 1, 11, 503).await);
    expect![[r#"
        url: its server answers 503 Service Unavailable
    "#]]
    .assert_eq(&it.deliver(DAY + 1, 12, 200).await);
    expect![[r#"
        content-type: application/x-ndjson
        idempotency-key: "ID-20000"
        {"code_acceptance_activity_count":8,"code_generation_activity_count":18,"day":"2024-10-04","feature":"code_completion","model":"m","output_tokens_sum":6,"prompt_tokens_sum":20,"request_count":4,"slug":"core","tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.5,"unpriced_count":0},"user_login":"ann"}
        url: its server answers 302 Found
    "#]]
    .assert_eq(&it.deliver(DAY + 1, 17, 302).await);
    expect![[r#"
        content-type: application/x-ndjson
        idempotency-key: "ID-20000"
        {"code_acceptance_activity_count":8,"code_generation_activity_count":18,"day":"2024-10-04","feature":"code_completion","model":"m","output_tokens_sum":6,"prompt_tokens_sum":20,"request_count":4,"slug":"core","tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.5,"unpriced_count":0},"user_login":"ann"}
    "#]]
    .assert_eq(&it.deliver(DAY + 1, 28, 200).await);
    nothing().assert_eq(&it.deliver(DAY + 1, 60, 200).await);
    expect![[r#"
        content-type: application/x-ndjson
        idempotency-key: "ID-20002"
        {"code_acceptance_activity_count":4,"code_generation_activity_count":9,"day":"2024-10-06","feature":"code_completion","model":"m","output_tokens_sum":3,"prompt_tokens_sum":10,"request_count":2,"slug":"core","tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.25,"unpriced_count":0},"user_login":"ann"}
    "#]]
    .assert_eq(&it.deliver(DAY + 9, 60, 200).await);
    nothing().assert_eq(&it.deliver(DAY + 9, 90, 200).await);
}

#[tokio::test]
async fn two_processes_send_a_day_once() {
    let it = Setup::new().await;
    it.deliver(DAY, 720, 200).await;
    it.used(DAY, "a", &format!(r#"{{"completion": {MODELS}}}"#));
    let now = UNIX_EPOCH + Duration::from_secs((DAY + 1) * 86_400 + 3_600);
    let one = || deliver(&it.bill, it.folder.path(), now);
    let (a, b, c) = tokio::join!(one(), one(), one());
    assert!([a, b, c].iter().all(Result::is_ok));
    assert_eq!(it.got.lock().len(), 1);
}

#[tokio::test]
async fn file_gets_each_day_behind_what_it_has() {
    let mut it = Setup::new().await;
    let path = it.folder.path().join("bill.ndjson");
    (it.bill.url, it.bill.team, it.bill.file) = (None, None, Some(path.clone()));
    it.deliver(DAY, 720, 200).await;
    it.used(DAY, "a", &format!(r#"{{"next edit": {MODELS}, "plan": {MODELS}}}"#));
    std::fs::create_dir(&path).unwrap();
    let why = it.deliver(DAY + 1, 60, 200).await;
    assert!(why.starts_with("file: it cannot be written: "), "{why}");
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, "{}\n").unwrap();
    for minute in [70, 80, 90] {
        assert_eq!(it.deliver(DAY + 1, minute, 200).await, "");
    }
    expect![[r#"
        {}
        {"code_acceptance_activity_count":4,"code_generation_activity_count":9,"day":"2024-10-04","feature":"next_edit","model":"m","output_tokens_sum":3,"prompt_tokens_sum":10,"request_count":2,"tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.25,"unpriced_count":0},"user_login":"ann"}
        {"day":"2024-10-04","feature":"plan","model":"m","output_tokens_sum":3,"prompt_tokens_sum":10,"request_count":2,"tandem":{"bytes_up_sum":0,"cache_write_tokens_sum":0,"cached_tokens_sum":0,"dollars":0.25,"unpriced_count":0},"user_login":"ann"}
    "#]]
    .assert_eq(&std::fs::read_to_string(&path).unwrap());
}

#[tokio::test]
async fn note_that_cannot_be_read_stops_deliveries() {
    let it = Setup::new().await;
    it.deliver(DAY, 720, 200).await;
    it.used(DAY, "a", &format!(r#"{{"completion": {MODELS}}}"#));
    std::fs::write(it.folder.path().join("bill.json"), "{").unwrap();
    let now = UNIX_EPOCH + Duration::from_secs((DAY + 1) * 86_400 + 3_600);
    assert!(deliver(&it.bill, it.folder.path(), now).await.is_err());
    assert_eq!(it.got.lock().len(), 0);
}

/// What a meter counts of a request to a model that the settings name by its path.
#[tokio::test]
async fn lines_have_no_path_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let files = DayFiles::new(folder.path());
    let meter = Arc::new(Meter::new(Default::default(), BTreeMap::new(), Some(files.clone())));
    let endpoint = Endpoint {
        base_url: "http://127.0.0.1:1/canary".to_owned(),
        model: "/home/canary/coder.gguf".to_owned(),
        provider: "canary".to_owned(),
        ..Endpoint::default()
    };
    let usage = Usage {
        model: Some("/srv/canary.gguf".to_owned()),
        input_tokens: 1_000,
        cached_tokens: 400,
        output_tokens: 50,
        bytes_up: 3_000,
        ..Usage::default()
    };
    meter.asked("fast", "completion", &endpoint);
    meter.answered("fast", "completion", &endpoint, &usage);
    for is_accepted in [false, false, true] {
        meter.reacted("completion", &endpoint.model, is_accepted);
    }
    meter.flush();
    let bill = BillSettings { user: "ann".to_owned(), ..BillSettings::default() };
    let text = lines(&bill, DAY, &files.of(today()));
    expect![[r#"
        {"code_acceptance_activity_count":1,"code_generation_activity_count":2,"day":"2024-10-04","feature":"code_completion","model":"coder.gguf","output_tokens_sum":50,"prompt_tokens_sum":1000,"request_count":1,"tandem":{"bytes_up_sum":3000,"cache_write_tokens_sum":0,"cached_tokens_sum":400,"dollars":0.0,"unpriced_count":0},"user_login":"ann"}
    "#]]
    .assert_eq(&text);
}

#[test]
fn days_are_due_once_they_are_over() {
    let check = |note: &str, day: u64, minute: u64, expect: Expect| {
        let progress: note::PlaceProgress = serde_json::from_str(note).unwrap();
        expect.assert_eq(&format!("{:?}", progress.due(day * 86_400 + minute * 60)));
    };
    check(r#"{"delivered": 19999}"#, DAY, 720, expect!["20000..20000"]);
    check(r#"{"delivered": 19999}"#, DAY + 1, 9, expect!["20000..20000"]);
    check(r#"{"delivered": 19999}"#, DAY + 1, 10, expect!["20000..20001"]);
    // Files are kept for a month.
    check(r#"{"delivered": 100}"#, DAY, 720, expect!["19969..20000"]);
    // A clock that was a year ahead, and is right again.
    check(r#"{"delivered": 20365, "again": 1759622400}"#, DAY, 720, expect!["19999..20000"]);
}
