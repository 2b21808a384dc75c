//! A project and its models, defined by one text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use serde_json::{Value, json};
use tandem::simulate::{self, Options, Script, Simulator};
use tempfile::TempDir;

/// A project in a folder, and a fast and a deep model that answer from a script.
pub(super) struct Fixture {
    folder: TempDir,
    simulators: [Simulator; 2],
}

impl Fixture {
    /// Reads a text of sections. `//- path` begins a file; `//= gear: words` the answer of a gear to prompts that
    /// contain these words, and `//! gear, fault: words` a fault of the gear.
    pub(super) async fn new(text: &str) -> Self {
        Self::with_settings(text, "").await
    }

    /// The same, with more in the configuration file.
    pub(super) async fn with_settings(text: &str, settings: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        let mut scripts = [String::new(), String::new()];
        let mut script = |gear: &str, line: Value| {
            scripts[usize::from(gear == "deep")].push_str(&format!("{line}\n"));
        };
        for section in sections(text) {
            let (head, body) = section.split_once('\n').unwrap_or((section, ""));
            if let Some(path) = head.strip_prefix("//- ") {
                write(&folder.path().join("project").join(path), body);
            } else if let Some((gear, when)) = head.strip_prefix("//= ").and_then(|it| it.split_once(": ")) {
                script(gear, json!({ "when": when, "reply": body }));
            } else if let Some((what, when)) = head.strip_prefix("//! ").and_then(|it| it.split_once(": ")) {
                let (gear, fault) = what.split_once(", ").unwrap();
                script(gear, json!({ "when": when, "fault": fault }));
            }
        }
        let start = |script: &str| {
            simulate::start(Options { script: Script::parse(script).unwrap(), ..Options::default() })
        };
        let simulators = [start(&scripts[0]).await.unwrap(), start(&scripts[1]).await.unwrap()];
        let mut config = settings.to_owned();
        for (gear, simulator) in ["fast", "deep"].into_iter().zip(&simulators) {
            config.push_str(&format!(
                "[providers.{gear}er]\nbase_url = \"{}\"\n[{gear}]\ncandidates = [{{ provider = \"{gear}er\", model = \"{gear}-model\" }}]\n",
                simulator.base_url()
            ));
        }
        write(&folder.path().join("config.toml"), &config);
        Self { folder, simulators }
    }

    /// The project's folder.
    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    /// The number of requests to the models.
    pub(super) fn requests(&self) -> u64 {
        self.simulators.iter().map(|it| it.stats().requests).sum()
    }

    pub(super) fn git(&self, arguments: &[&str]) {
        let status = Command::new("git").args(arguments).current_dir(self.root()).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    /// The command, ready to be run in the project.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.program(&[&["plan"], arguments].concat())
    }

    /// The program, ready to be run in the project.
    pub(super) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null());
        command.env("TANDEM_CONFIG", self.folder.path().join("config.toml")).env_remove("TANDEM_LOG");
        command
            .env("TANDEM_STATE", self.folder.path().join("state"))
            .env_remove("VISUAL")
            .env_remove("EDITOR");
        command
    }

    /// Runs the command; shows its output, and the changes.
    pub(super) async fn run(&self, arguments: &[&str]) -> String {
        self.run_with(arguments, &[]).await
    }

    async fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let before = self.contents();
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        self.shown(&output, &before)
    }

    /// The output of a run, and the changes since.
    pub(super) fn shown(&self, output: &Output, before: &BTreeMap<String, String>) -> String {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut shown = format!("exit {}\n{}", output.status.code().unwrap(), text(&output.stdout));
        shown.push_str("stderr:\n");
        shown.push_str(&without_figures(&text(&output.stderr)));
        let after = self.contents();
        for path in before.keys().chain(after.keys().filter(|path| !before.contains_key(*path))) {
            match (before.get(path), after.get(path)) {
                (old, new) if old == new => {}
                (_, Some(new)) => shown.push_str(&format!("{path} is now:\n{new}")),
                (_, None) => shown.push_str(&format!("{path} is gone\n")),
            }
        }
        // Of a kept plan, the path is random.
        let kept = shown.split_once("the plan is kept in ").and_then(|(_, rest)| rest.split_once(", and"));
        if let Some((path, _)) = kept.map(|(path, rest)| (path.to_owned(), rest.len())) {
            shown = shown.replace(&path, "PLAN");
        }
        // A trailing space would be lost in the expectations.
        shown.replace(" \n", "␣\n")
    }

    /// Runs the command; returns its JSON report and its exit code.
    pub(super) async fn report(&self, arguments: &[&str]) -> (Value, i32) {
        let mut command = self.command(arguments);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let report = serde_json::from_slice(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        (report.unwrap_or_else(|error| panic!("{error}: {said}")), output.status.code().unwrap())
    }

    pub(super) async fn check(&self, arguments: &[&str], expect: Expect) {
        expect.assert_eq(&self.run(arguments).await);
    }

    /// Checks the exit code and the messages besides the plan and the changes.
    pub(super) async fn check_said(&self, arguments: &[&str], expect: Expect) {
        let shown = self.run(arguments).await;
        let (code, said) = (shown.lines().next().unwrap(), shown.split_once("\nstderr:\n").unwrap().1);
        let is_said = |line: &&str| line.starts_with("tandem: ") && *line != "tandem: the plan:";
        let said: String = said.lines().filter(is_said).map(|line| format!("{line}\n")).collect();
        expect.assert_eq(&format!("{code}\n{said}"));
    }

    pub(super) async fn check_with(&self, arguments: &[&str], variables: &[(&str, &str)], expect: Expect) {
        expect.assert_eq(&self.run_with(arguments, variables).await);
    }

    /// All files of the project except git's own.
    pub(super) fn contents(&self) -> BTreeMap<String, String> {
        let root = self.root();
        let entries = ignore::WalkBuilder::new(&root).standard_filters(false).build().map(Result::unwrap);
        let files =
            entries.filter(|entry| entry.path().is_file() && !entry.path().starts_with(root.join(".git")));
        files
            .map(|entry| {
                let path = entry.path().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                (path, fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }
}

/// The sections of a text, each with its header.
fn sections(text: &str) -> Vec<&str> {
    let heads = ["//- ", "//= ", "//! "];
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if heads.iter().any(|head| line.starts_with(head)) {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    starts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The messages with masked figures: tokens are an estimate, and seconds depend on the machine.
pub(super) fn without_figures(said: &str) -> String {
    let mut shown = String::new();
    for line in said.split_inclusive('\n') {
        let line = match line.split_once(" requests, ").or_else(|| line.split_once(" request, ")) {
            Some((before, _)) => format!("{before} requests, …\n"),
            None if line.ends_with(" s\n") && line.starts_with("tandem: ") && line.contains('.') => {
                "tandem: … s\n".to_owned()
            }
            None => line.to_owned(),
        };
        shown.push_str(&line);
    }
    shown
}
