//! Runs the user's command on a change, in a copy of the workspace.
//!
//! The command comes from the user's own configuration. It runs code that a model has just written, so nothing
//! runs before the user has seen and allowed the change, or has waived the question for this folder. The command
//! is also restricted: no shell, no input, only the environment variables that builds need, a time limit, a cap
//! on the output that is kept, and a [`Sandbox`] if the system has one. The command and all processes that it
//! started are killed at its end, and at once if the user cancels.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};

use super::environment;
use super::permission::{RunAnswer, RunRequest};
use super::processes::{MARK_VARIABLE, Processes};
use super::project::Project;
use super::report::{Event, OnEvent};
use super::sandbox::Sandbox;
use super::verification::{Outcome, Verification, missing_program};
use crate::budget;
use crate::config::Verify;
use crate::edit::EditSet;
use crate::job::{Job, Reason};
use crate::text::printable;
use crate::text::random::random_id;
use crate::tool_output::without_escapes;
use crate::workspace::ScratchCopy;

/// Bytes kept of the beginning of a command's output, where compilers report errors …
const HEAD: usize = 8 * 1024;
/// … and of its end, where test runners report failures.
const TAIL: usize = 16 * 1024;
/// How long to wait for pending output after the command has ended.
const DRAIN: Duration = Duration::from_secs(1);
/// The variable that holds the path of the workspace itself.
///
/// It contains files that git ignores: installed packages, caches.
const WORKSPACE_VARIABLE: &str = "TANDEM_WORKSPACE";

/// Runs the user's command on a change; `None` if none is configured. The only error is [`Reason::Internal`]:
/// problems of the command are in the result.
pub(super) async fn verify(
    project: &Project,
    set: &EditSet,
    is_correction: bool,
    on_event: &OnEvent<'_>,
) -> Result<Option<Verification>, Reason> {
    // A project's settings cannot set the command.
    let settings = Arc::clone(project.settings.everywhere());
    let Some(verify) = &settings.verify else { return Ok(None) };
    let command = verify.shown();
    let not_run =
        |command, why| Ok(Some(Verification { command, outcome: Outcome::NotRun(why), said: String::new() }));
    let asked_of = verify.clone();
    let look = move |project: &Project| {
        let sandbox = if asked_of.sandbox { Sandbox::available() } else { None };
        (sandbox, asked_of.runs_unasked(&project.root))
    };
    let (sandbox, runs_unasked) = project.reading(Job::Plan, look).await?;
    if !runs_unasked {
        let described = sandbox.map(|it| it.describe(verify));
        let request = RunRequest { command: &command, set, sandbox: described.as_deref(), is_correction };
        match project.permission.ask(request).await {
            RunAnswer::Granted => {}
            RunAnswer::Denied(why) => return not_run(command, why),
            RunAnswer::Skipped => return Ok(None),
        }
    }
    on_event(Event::Verifying { command: &command, said: "" });
    let copied = {
        let set = set.clone();
        let copy = move |project: &Project| ScratchCopy::new(&project.root, &set, &|| budget::is_over(1));
        project.reading(Job::Plan, copy).await?
    };
    let copy = match copied {
        Ok(copy) => copy,
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|it| format!(" ({it})")).unwrap_or_default();
            return not_run(command, format!("{error}{cause}"));
        }
    };
    let say = |said: &str| on_event(Event::Verifying { command: &command, said });
    let (asked_of, folder) = (verify.clone(), copy.path().to_owned());
    let prepare = move |project: &Project| prepared(&asked_of, sandbox, &folder, &project.root);
    let (outcome, said) = match project.reading(Job::Plan, prepare).await? {
        Ok(prepared) => {
            let deadline = sleep_until(Instant::now() + verify.timeout);
            run(verify, prepared, copy.path(), &project.root, deadline, &say).await
        }
        Err(why) => (Outcome::NotRun(why), Kept::default()),
    };
    let said = shown(&said, copy.path());
    project.reading(Job::Plan, move |_| drop(copy)).await?;
    Ok(Some(Verification { command, outcome, said }))
}

/// The command in its sandbox, or the reason why it cannot run. Blocks on disk reads.
fn prepared(
    verify: &Verify,
    sandbox: Option<Sandbox>,
    folder: &Path,
    root: &Path,
) -> Result<Command, String> {
    let Some((program, arguments)) = verify.command.split_first() else {
        return Err("it is empty".to_owned());
    };
    let Some(sandbox) = sandbox else {
        let mut command = Command::new(program);
        command.args(arguments);
        return Ok(command);
    };
    if Sandbox::program(verify, folder).is_none() {
        return Err(missing_program(verify));
    }
    let (program, arguments) = sandbox.wrapped(verify, folder, root, &verify.command);
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// Runs a command in a folder until the deadline. `say` receives the last line of its output.
async fn run(
    verify: &Verify,
    mut command: Command,
    folder: &Path,
    root: &Path,
    deadline: impl Future<Output = ()>,
    say: &(dyn Fn(&str) + Sync),
) -> (Outcome, Kept) {
    let mut kept = Kept::default();
    let mark = random_id();
    command.current_dir(folder).kill_on_drop(true);
    command.env_clear().envs(environment::values(verify));
    command.env(WORKSPACE_VARIABLE, root).env(MARK_VARIABLE, &mark);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let mut processes = Processes::new(&mark);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let is_missing = error.kind() == std::io::ErrorKind::NotFound;
            let why = if is_missing { missing_program(verify) } else { error.to_string() };
            return (Outcome::NotRun(why), kept);
        }
    };
    processes.begun(&child);
    let (mut out, mut err) = (Stream::new(child.stdout.take()), Stream::new(child.stderr.take()));
    tokio::pin!(deadline);
    let ended = loop {
        tokio::select! {
            ended = child.wait() => break Some(ended),
            () = &mut deadline => break None,
            bytes = out.read() => kept.push(bytes),
            bytes = err.read() => kept.push(bytes),
        }
        say(&kept.last_line());
    };
    // Processes that it left behind are killed. The search for them reads no disk.
    if let Err(error) = spawn_blocking(move || drop(processes)).await {
        tracing::warn!(%error, "a command may have left something running");
    }
    let outcome = match ended {
        Some(Ok(status)) => of_status(status),
        Some(Err(error)) => Outcome::NotRun(error.to_string()),
        None => {
            drop(child.start_kill());
            drop(timeout(DRAIN, child.wait()).await);
            Outcome::TimedOut(verify.timeout)
        }
    };
    let drain = async {
        while out.is_open() || err.is_open() {
            tokio::select! {
                bytes = out.read() => kept.push(bytes),
                bytes = err.read() => kept.push(bytes),
            }
        }
    };
    // A process that has left the group may keep the pipes open.
    drop(timeout(DRAIN, drain).await);
    (outcome, kept)
}

fn of_status(status: ExitStatus) -> Outcome {
    if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) }
}

/// The output, as shown and sent.
///
/// It has no escape sequences, and paths are relative to the folder.
fn shown(kept: &Kept, folder: &Path) -> String {
    let text = kept.text();
    let folder = folder.to_string_lossy();
    without_escapes(&text)
        .replace("\r\n", "\n")
        .replace(&format!("{folder}{}", std::path::MAIN_SEPARATOR), "")
        .replace(&*folder, ".")
}

/// An output stream of a command.
struct Stream<R> {
    from: Option<R>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(from: Option<R>) -> Self {
        Self { from, buffer: vec![0; 8 * 1024] }
    }

    fn is_open(&self) -> bool {
        self.from.is_some()
    }

    /// The next bytes; empty at the end. Pends forever once the stream is closed.
    async fn read(&mut self) -> &[u8] {
        let Some(from) = &mut self.from else { return std::future::pending().await };
        let count = from.read(&mut self.buffer).await.unwrap_or(0);
        if count == 0 {
            self.from = None;
        }
        &self.buffer[..count]
    }
}

/// The beginning and the end of the output.
#[derive(Debug, Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The number of bytes dropped between them.
    left_out: usize,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.left_out += excess;
    }

    /// The last line that is not blank, as far as it has arrived.
    fn last_line(&self) -> String {
        let mut end: Vec<u8> = self.tail.iter().rev().take(200).copied().collect();
        end.extend(self.head.iter().rev().take(200 - end.len()));
        end.reverse();
        let text = String::from_utf8_lossy(&end);
        let text = without_escapes(&text);
        let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        printable(line.trim()).into_owned()
    }

    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.left_out > 0 {
            text.push_str(&format!("\n… {} bytes are left out …\n", self.left_out));
        }
        let (front, back) = self.tail.as_slices();
        text.push_str(&String::from_utf8_lossy(&[front, back].concat()));
        text
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    const LONG: Duration = Duration::from_secs(120);

    fn script(script: &str) -> Verify {
        Verify::new(["sh", "-c", script].map(str::to_owned).to_vec(), LONG)
    }

    async fn run_script(text: &str) -> (Outcome, String, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let (verify, root) = (script(text), Path::new("/the/workspace"));
        let command = prepared(&verify, None, folder.path(), root).unwrap();
        let (outcome, kept) =
            run(&verify, command, folder.path(), root, std::future::pending(), &|_| {}).await;
        (outcome, shown(&kept, folder.path()), folder)
    }

    async fn check(text: &str, expect: Expect) {
        let (outcome, said, _folder) = run_script(text).await;
        let verification = Verification { command: "check".to_owned(), outcome, said };
        expect.assert_eq(&format!("{verification}\n{}", verification.said));
    }

    #[tokio::test]
    async fn command_passes_or_fails_with_what_it_said() {
        check(
            "echo fine; echo $TANDEM_WORKSPACE $CARGO_MANIFEST_DIR",
            expect![[r#"
            `check` passes
            fine
            /the/workspace
        "#]],
        )
        .await;
        check(
            "printf '\\033[31mtwo tests failed\\033[0m\\n' >&2; exit 3",
            expect![[r#"
            `check` fails (exit status: 3): two tests failed
            two tests failed
        "#]],
        )
        .await;
        check(
            "echo \"$PWD/src/a.rs:3: wrong in $PWD\"; exit 1",
            expect![[r#"
            `check` fails (exit status: 1): src/a.rs:3: wrong in .
            src/a.rs:3: wrong in .
        "#]],
        )
        .await;
        check(
            "read line || echo no input",
            expect![[r#"
            `check` passes
            no input
        "#]],
        )
        .await;
    }

    #[tokio::test]
    async fn program_that_is_not_there_is_not_run() {
        let verify = Verify { command: vec!["/no/such".to_owned()], ..script("") };
        let root = Path::new("/");
        let command = prepared(&verify, None, root, root).unwrap();
        let (outcome, _) = run(&verify, command, root, root, std::future::pending(), &|_| {}).await;
        assert_eq!(outcome, Outcome::NotRun(missing_program(&verify)));
    }

    /// Whether a process is gone: one that was killed may take a moment to exit.
    fn is_gone(folder: &Path) -> bool {
        let id: i32 = std::fs::read_to_string(folder.join("id")).unwrap().trim().parse().unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        let until = std::time::Instant::now() + LONG;
        while std::time::Instant::now() < until {
            // A zombie that no parent reaps still has an entry, but does not run.
            let state = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
            let is_zombie = state.is_ok_and(|it| it.contains(") Z"));
            if is_zombie || rustix::process::test_kill_process(id).is_err() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    const HANGS: &str = "sleep 3600 & echo $! > id; echo begun; wait";

    #[tokio::test]
    async fn command_that_hangs_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let begun = tokio::sync::Notify::new();
        let say = |_: &str| begun.notify_one();
        let (hangs, root) = (script(HANGS), Path::new("/"));
        let command = prepared(&hangs, None, folder.path(), root).unwrap();
        let (outcome, kept) = run(&hangs, command, folder.path(), root, begun.notified(), &say).await;
        assert_eq!(outcome, Outcome::TimedOut(LONG));
        assert_eq!(kept.text(), "begun\n");
        assert!(is_gone(folder.path()));
    }

    #[tokio::test]
    async fn what_a_command_leaves_running_is_killed_at_its_end() {
        let (outcome, _, folder) = run_script("sleep 3600 & echo $! > id").await;
        assert_eq!(outcome, Outcome::Passed);
        assert!(is_gone(folder.path()));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_begins_a_session_of_its_own_is_killed_at_its_end() {
        let leaves = "setsid sh -c 'echo $$ > id; exec sleep 3600' & until [ -s id ]; do sleep 0.01; done";
        let (outcome, _, folder) = run_script(leaves).await;
        assert_eq!(outcome, Outcome::Passed);
        assert!(is_gone(folder.path()));
    }

    #[tokio::test]
    async fn command_of_a_run_that_is_dropped_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let begun = tokio::sync::Notify::new();
        let say = |_: &str| begun.notify_one();
        let (hangs, root) = (script(HANGS), Path::new("/"));
        let command = prepared(&hangs, None, folder.path(), root).unwrap();
        tokio::select! {
            _ = run(&hangs, command, folder.path(), root, std::future::pending(), &say) => {
                panic!("it hangs")
            }
            () = begun.notified() => {}
        }
        assert!(is_gone(folder.path()));
    }

    #[tokio::test]
    async fn flood_is_cut_to_its_beginning_and_its_end() {
        let flood = "echo first; yes filling | head -c 3000000; echo last; exit 1";
        let (outcome, said, _folder) = run_script(flood).await;
        assert_eq!(outcome, Outcome::Failed("exit status: 1".to_owned()));
        assert!(said.starts_with("first\nfilling\n") && said.ends_with("last\n"), "{said}");
        assert!(said.contains("bytes are left out"), "{said}");
        assert!(said.len() < HEAD + TAIL + 100, "{}", said.len());
    }
}
