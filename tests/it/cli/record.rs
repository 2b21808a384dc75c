//! `tandem record` and `tandem usage`.

use expect_test::expect;
use tandem::record::entry::{DOCUMENT_TYPE, VERSION};
use tandem::record::{AnswerEntry, Entry, Event, ring};

use super::Shell;

/// Writes a recording of one accepted suggestion, and a file of another version beside it.
fn write_recording(shell: &Shell) {
    let folder = ring::folder(&shell.folder.path().join("state"));
    std::fs::create_dir_all(&folder).unwrap();
    let header = |tandem| Event::Header {
        document_type: DOCUMENT_TYPE.to_owned(),
        repo_root_uri: "file:///secret-folder".to_owned(),
        uuid: "u".to_owned(),
        tandem,
        program: String::new(),
    };
    let (job, model) = (|| "completion".to_owned(), || "m".to_owned());
    let gear = || "fast".to_owned();
    let events = [
        (0, header(VERSION)),
        (
            0,
            Event::DocumentEncountered {
                id: 1,
                relative_path: "hidden.rs".to_owned(),
                language: "rust".to_owned(),
            },
        ),
        (0, Event::SetContent { id: 1, v: 1, content: "let a = ;".to_owned() }),
        (
            1,
            Event::Requested {
                request: 1,
                id: 1,
                job: job(),
                gear: gear(),
                model: model(),
                at: 8,
                instructions: String::new(),
                input: "let a = hidden_prompt".to_owned(),
                fim: None,
                max_tokens: 9,
                inputs: None,
            },
        ),
        (
            1,
            Event::Answered(AnswerEntry {
                request: 1,
                chunks: vec![(150, "height".to_owned())],
                end: "done".to_owned(),
                input_tokens: 1_000,
                output_tokens: 10,
                took: 1,
                ..AnswerEntry::default()
            }),
        ),
        (
            1,
            Event::Decided {
                id: 1,
                job: job(),
                explicit: false,
                code: "shown".to_owned(),
                began: 1_795_737_600_500,
            },
        ),
        (
            1,
            Event::Shown {
                id: 1,
                suggestion: 5,
                job: job(),
                edit: vec![(8, 8, "height".to_owned())],
                gear: gear(),
                model: Some(model()),
            },
        ),
        (2, Event::Changed { id: 1, edit: vec![(8, 8, "height".to_owned())], v: 2 }),
        (2, Event::Accepted { suggestion: 5, units: None }),
        (60, Event::Saved { id: 1 }),
    ];
    let line = |(second, event): (u64, Event)| {
        let time = 1_795_737_600_000 + second * 1_000;
        serde_json::to_string(&Entry { time, event }).unwrap() + "\n"
    };
    let other = line((0, header(VERSION + 1)));
    let text: String = events.into_iter().map(line).collect();
    std::fs::write(folder.join("1-1-0001.jsonl"), text + "{\"cut").unwrap();
    std::fs::write(folder.join("2-1-0001.jsonl"), other).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn recorder_is_switched_in_the_configuration() {
    let shell = Shell::new(None).await;
    let config = shell.folder.path().join("config.toml");
    std::fs::write(&config, "style = \"short\"\n").unwrap();
    let read = || std::fs::read_to_string(&config).unwrap();
    assert!(shell.run(&["record", "on"]).await.status.success());
    assert_eq!(read(), "record = true\nstyle = \"short\"\n");
    assert!(shell.run(&["record", "off"]).await.status.success());
    assert_eq!(read(), "style = \"short\"\n");
    let empty = shell.run(&["record", "bundle", "--yes"]).await;
    let said = String::from_utf8(empty.stderr).unwrap();
    assert_eq!(
        said,
        "tandem: nothing is recorded yet, and the recorder is off; `tandem record on` switches it on\n"
    );
    shell
        .check(
            &["usage"],
            expect![[r#"
                Nothing is recorded yet, and the recorder is off; `tandem record on` switches it on.
                Today (UTC), recorded or not: 0 requests, 0 tokens, $0.0000.
                exit 0"#]],
        )
        .await;
    let day = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    let usage = shell.folder.path().join("state").join("usage");
    std::fs::create_dir_all(&usage).unwrap();
    let count = r#"{"requests":1,"jobs":{"plan":{"m":{"requests":1,"outputTokens":7}}}}"#;
    for ago in [0, 1, 9] {
        std::fs::write(usage.join(format!("{}.1.json", day - ago)), count).unwrap();
    }
    let bill = shell.run(&["usage", "--ndjson", "--days", "2"]).await;
    let lines = String::from_utf8(bill.stdout).unwrap();
    let is_line = |line: &str| line.contains(r#""feature":"plan","model":"m","output_tokens_sum":7"#);
    assert!(lines.lines().count() == 2 && lines.lines().all(is_line), "{lines}");
    assert_eq!(shell.run(&["usage", "--ndjson", "--by", "job"]).await.status.code(), Some(2));
    assert!(shell.run(&["record", "on"]).await.status.success());
    let bundle = shell.run(&["record", "bundle", "--yes"]).await;
    assert_eq!(bundle.status.code(), Some(1));
    let said = String::from_utf8(bundle.stderr).unwrap();
    assert_eq!(said, "tandem: nothing is recorded yet, and the recorder is on\n");
    let usage = shell.run(&["usage", "--by", "day"]).await;
    let shown = String::from_utf8(usage.stdout).unwrap();
    assert!(shown.starts_with("Nothing is recorded yet, and the recorder is on.\n"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_of_a_recording_are_shown() {
    let shell = Shell::new(Some("")).await;
    write_recording(&shell);
    let output = shell.run(&["usage", "--by", "model"]).await;
    let [printed, said] = [&output.stdout, &output.stderr].map(|it| String::from_utf8(it.clone()).unwrap());
    assert!(
        printed.starts_with("6 characters kept in 1 pause (6.0 each); $0.00 per 1,000 kept characters.\n"),
        "{printed}"
    );
    assert!(said.contains("is of another version and is passed over"), "{said}");
    assert!(said.contains("1 line of ") && said.matches("note:").count() == 2, "{said}");
    let output = shell.run(&["usage", "--by", "language", "--json"]).await;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rust = &json["groups"]["rust"];
    assert_eq!((rust["whole"].as_u64(), rust["keptPerOpportunity"].as_f64()), (Some(1), Some(6.0)), "{json}");
    assert_eq!((rust["p50"].as_u64(), rust["after"]["30"]["kept"].as_u64()), (Some(150), Some(6)), "{json}");
}

#[tokio::test(flavor = "multi_thread")]
async fn report_says_what_it_has_and_has_no_text() {
    let shell = Shell::new(None).await;
    write_recording(&shell);
    let unasked = shell.run(&["record", "bundle", "report.jsonl"]).await;
    assert_eq!(unasked.status.code(), Some(2), "there is no terminal to ask at");
    let report = shell.folder.path().join("report.jsonl");
    assert!(!report.exists());
    let output = shell.run(&["record", "bundle", "report.jsonl", "--yes"]).await;
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("no code, no prompt, no answer, no path"), "{printed}");
    let written = std::fs::read_to_string(&report).unwrap();
    assert_eq!(written.lines().count(), 10, "{written}");
    for text in ["let a", "height", "hidden", "secret-folder"] {
        assert!(!written.contains(text), "{text} in {written}");
    }
    let again = shell.run(&["record", "bundle", "report.jsonl", "--yes"]).await;
    assert_eq!(again.status.code(), Some(1), "what is there is not replaced");
    assert!(shell.run(&["record", "delete"]).await.status.success());
    let shown = shell.run(&["record", "show"]).await;
    assert!(String::from_utf8(shown.stdout).unwrap().contains("Nothing is recorded in "));
}
