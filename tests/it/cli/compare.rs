//! `tandem compare` over a small history, between two scripted models.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tandem::simulate::{self, Options, Script, Simulator};

/// Commits of the history; fewer than twenty would be too few to compare.
const COMMITS: usize = 30;

struct Desk {
    folder: tempfile::TempDir,
    simulators: [Simulator; 2],
}

/// A model that predicts each line, except for those that `is_wrong` selects.
async fn model(is_wrong: fn(usize) -> bool, record: PathBuf) -> Simulator {
    // The last line of a prompt is the requested one: earlier lines come later in the script.
    let lines = (0..COMMITS).rev().map(|at| {
        let word = if is_wrong(at) { "nothing_of_it" } else { "number" };
        json!({ "when": format!("value_{at} = compute"), "reply": format!("({word}, {at})") }).to_string()
            + "\n"
    });
    let script = Script::parse(&lines.collect::<String>()).unwrap();
    simulate::start(Options { script, record: Some(record), ..Options::default() }).await.unwrap()
}

/// Runs git in a folder.
pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").current_dir(folder).args(who).args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

impl Desk {
    async fn new(is_b_wrong: fn(usize) -> bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let record = |name| folder.path().join(name);
        let simulators =
            [model(|_| false, record("one.sent")).await, model(is_b_wrong, record("two.sent")).await];
        let provider =
            |name: &str, it: &Simulator| format!("[providers.{name}]\nbase_url = \"{}\"\n", it.base_url());
        let config = format!(
            "{}{}[fast]\ncandidates = [{{ provider = \"one\", model = \"m\" }}, {{ provider = \"two\", model = \"m\" }}]\n",
            provider("one", &simulators[0]),
            provider("two", &simulators[1])
        );
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let git = |arguments: &[&str]| git(&work, arguments);
        git(&["init", "-q"]);
        let mut text = "from compute import compute, number\n\n".to_owned();
        for at in 0..=COMMITS {
            std::fs::write(work.join("values.py"), &text).unwrap();
            // Each commit also contains a file that no model may see.
            std::fs::write(work.join(".env"), format!("PASSWORD=hidden{at}\n")).unwrap();
            git(&["add", "."]);
            git(&["commit", "-q", "-m", "a value"]);
            text += &format!("value_{at} = compute(number, {at})\n");
        }
        Self { folder, simulators }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        let root: &Path = self.folder.path();
        command.arg("compare").args(arguments).current_dir(root.join("work"));
        command.env("TANDEM_CONFIG", root.join("config.toml")).env("TANDEM_STATE", root.join("state"));
        command.env_remove("TANDEM_LOG");
        command
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    fn requests(&self) -> u64 {
        self.simulators.iter().map(|it| it.stats().requests).sum()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_is_worse_is_found_and_nothing_is_paid_twice() {
    let desk = Desk::new(|at| at % 2 == 0).await;
    // The command reports the number of requests, and sends none without consent.
    let output = desk.run(&["one/m", "two/m"]).await;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.contains("30 places in 30 commits, 0 of them answered before: at most 60 requests"),
        "{said}"
    );
    assert!(said.contains("Commits are not keystrokes"), "{said}");
    assert_eq!(desk.requests(), 0);
    // Only a part, as if the run had been killed.
    let output = desk.run(&["one/m", "two/m", "--yes", "--pairs", "10"]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("Not sure, since it takes 20 commits: B keeps"), "{output:?}");
    let part = desk.requests();
    assert_eq!(part, 20);
    let output = desk.run(&["one/m", "two/m", "--yes", "--json"]).await;
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pairs = json["difference"]["pairs"].as_u64().unwrap();
    assert_eq!(desk.requests(), pairs * 2, "each place was asked about once");
    assert!(json["difference"]["mean"].as_f64().unwrap() < -0.1, "{json}");
    assert_eq!(
        json["telling"][0]["written"].as_str().map(|it| it.starts_with("(number, ")),
        Some(true),
        "{json}"
    );
    // The result is the same without a request, and on a page.
    let output = desk.run(&["one/m", "two/m", "--yes", "--html", "page.html"]).await;
    let page = std::fs::read_to_string(desk.folder.path().join("work/page.html")).unwrap();
    assert!(page.contains("points less of its text") && page.contains("nothing_of_it"), "{page}");
    assert_eq!((output.status.code(), desk.requests()), (Some(4), pairs * 2), "{output:?}");
    assert!(text(&output.stdout).contains("points less of its text"), "{output:?}");
}

/// The number before a word in what the command says.
fn number_before(said: &str, word: &str) -> f64 {
    let before = said.split(word).next().unwrap();
    before
        .split_whitespace()
        .last()
        .unwrap()
        .parse()
        .unwrap_or_else(|_| panic!("no number before {word}: {said}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_foretold_by_the_first_answers() {
    let desk = Desk::new(|_| false).await;
    let output = desk.run(&["one/m", "two/m", "--yes", "--json"]).await;
    let said = text(&output.stderr);
    let foretold =
        number_before(said.split("after 10 answers of each: at most about").nth(1).unwrap(), " tokens");
    let stats = desk.simulators.iter().map(Simulator::stats);
    let spent: u64 = stats.map(|it| it.input_tokens + it.output_tokens_delivered).sum();
    assert!((foretold / spent as f64 - 1.0).abs() < 0.1, "{foretold} foretold, {spent} spent: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_models_show_no_difference_and_unknown_ones_are_named() {
    let desk = Desk::new(|_| false).await;
    let output = desk.run(&["one/m", "two/m", "--yes"]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        text(&output.stdout)
            .contains("No difference was found: B keeps as much of its text as A, ± 0 points ("),
        "{output:?}"
    );
    let output = desk.run(&["one/m", "three/m", "--yes"]).await;
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("no profile or model is named `three/m`; there are: one/m, two/m"), "{said}");
    std::fs::write(desk.folder.path().join("empty.toml"), "").unwrap();
    let output = desk.run(&["a", "b", "--config", "../empty.toml"]).await;
    let said =
        "tandem: no profile or model is named `a`, nor `b`; none is configured: `tandem setup` adds one\n";
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), (said, Some(2)));
    let output = desk.run(&["one/m", "one/m", "--yes"]).await;
    assert_eq!(output.status.code(), Some(2));
    let output = desk.run(&["one/m", "--recording"]).await;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn comparison_of_nothing_fails_with_the_reason() {
    let desk = Desk::new(|_| false).await;
    let config = std::fs::read_to_string(desk.folder.path().join("config.toml")).unwrap();
    let down = config.replace(&desk.simulators[1].base_url(), "http://127.0.0.1:1/v1");
    std::fs::write(desk.folder.path().join("down.toml"), down).unwrap();
    let output = desk.run(&["one/m", "two/m", "--yes", "--pairs", "2", "--config", "../down.toml"]).await;
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(shown.contains("Nothing was compared.\nNote: two/m does not answer: "), "{shown}");
    assert!(!shown.contains("-0.0"), "{shown}");
    let output = desk.run(&["one/m", "two/m", "--yes", "--recording=none"]).await;
    assert!(text(&output.stderr).contains("`tandem record on` records"), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn comparison_that_is_killed_goes_on_and_asks_for_no_place_twice() {
    let desk = Desk::new(|_| false).await;
    let arguments = ["one/m", "two/m", "--yes", "--json"];
    for more in [7, 15, 31] {
        let mut command = desk.command(&arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while desk.requests() < more {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = desk.run(&arguments).await;
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pairs = json["difference"]["pairs"].as_u64().unwrap();
    // The place of each kill was asked about, and perhaps paid for, but has no answer.
    assert!((COMMITS as u64 - 3..=COMMITS as u64).contains(&pairs), "{json}");
    let requests = desk.requests();
    assert!((pairs * 2..=COMMITS as u64 * 2).contains(&requests), "{requests} for {pairs} pairs");
    desk.run(&arguments).await;
    assert_eq!(desk.requests(), requests, "it is complete");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_the_history_are_not_sent_and_a_large_file_is_left_out() {
    let desk = Desk::new(|_| false).await;
    let work = desk.folder.path().join("work");
    let values = std::fs::read_to_string(work.join("values.py")).unwrap();
    // Put together here, so that no scanner takes it for a real one.
    let secret = ["AKIA", "Z7QK5VJ2M3XW6TRN"].concat();
    std::fs::write(work.join("values.py"), format!("{values}access = compute(\"{secret}\", 1)\n")).unwrap();
    let line = "large = compute(number, 1)\n";
    std::fs::write(work.join("large.py"), line.repeat((100 << 20) / line.len())).unwrap();
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "a secret"]);
    std::fs::write(
        work.join("values.py"),
        format!("{values}access = compute(\"{secret}\", 1)\nlast = compute(number, 2)\n"),
    )
    .unwrap();
    git(&work, &["commit", "-q", "-a", "-m", "below the secret"]);
    let output = desk.run(&["one/m", "two/m", "--yes"]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("No difference was found"), "{output:?}");
    for name in ["one.sent", "two.sent"] {
        let sent = std::fs::read_to_string(desk.folder.path().join(name)).unwrap();
        assert!(!sent.contains("large = compute"), "{name}");
        assert!(sent.contains("last = "), "{name}: {} bytes", sent.len());
        assert!(!sent.contains(&secret), "{name}");
    }
}
