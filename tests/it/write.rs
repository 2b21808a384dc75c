//! Writes of many files that a signal interrupts at any step, concurrent changes by others, and folders that are
//! replaced with links meanwhile.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
#[cfg(debug_assertions)]
use std::io::{BufRead as _, BufReader, Write as _};
#[cfg(target_os = "linux")]
use std::os::unix::fs::symlink;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
#[cfg(debug_assertions)]
use std::process::{Child, ChildStdout, Stdio};
use std::process::{Command, Output};
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

#[cfg(debug_assertions)]
use rustix::process::{Pid, Signal};
#[cfg(debug_assertions)]
use serde_json::Value;
#[cfg(any(debug_assertions, target_os = "linux"))]
use serde_json::json;
use tempfile::TempDir;

use crate::support::process::output_of;

/// A variable that makes the tests of this file exhaustive, which takes minutes.
const THOROUGH: &str = "TANDEM_TEST_THOROUGH";

const FILES: u32 = 40;

/// A project, and its own state folder beside it.
struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Project {
    /// Files with every property that a file can have besides its text.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("project");
        let project = Self { folder, root };
        project.fill();
        project
    }

    fn fill(&self) {
        drop(fs::remove_dir_all(&self.root));
        for number in 0..FILES {
            let path = self.root.join(format!("src/part{}/f{number}.txt", number % 3));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("old {number}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640 + 0o11 * (number % 2))).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
            if number % 4 == 0 {
                fs::hard_link(&path, self.root.join(format!("other_name{number}"))).unwrap();
            }
            // Not every file system supports extended attributes.
            let flags = rustix::fs::XattrFlags::empty();
            _ = rustix::fs::setxattr(&path, "user.colour", number.to_string().as_bytes(), flags);
        }
    }

    fn tandem(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(arguments).current_dir(&self.root).env_remove("TANDEM_LOG");
        command.env("TANDEM_CONFIG", "").env("XDG_CONFIG_HOME", self.folder.path().join("none"));
        command.env("TANDEM_STATE", self.folder.path().join("state"));
        command
    }

    /// Applies the edit, with a signal at a step of it.
    fn write(&self, signal: &str) -> Output {
        let mut command = self.tandem(&["apply", "--root", ".", "--write"]);
        output_of(command.env("TANDEM_TEST_SIGNAL", signal), edit().as_bytes())
    }

    /// The next start of a command that may write.
    fn start(&self) -> String {
        let output = output_of(&mut self.tandem(&["mcp", "--write"]), b"");
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    /// All files and folders, with the properties that must not change when a write is undone.
    fn state(&self) -> BTreeMap<String, String> {
        let mut state = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let metadata = fs::symlink_metadata(&path).unwrap();
                let name = path.strip_prefix(&self.root).unwrap().to_str().unwrap().to_owned();
                if metadata.is_dir() {
                    state.insert(name, "folder".to_owned());
                    folders.push(path);
                    continue;
                }
                let mut colour = [0; 8];
                let colour = rustix::fs::getxattr(&path, "user.colour", &mut colour).map(|_| colour);
                let text = fs::read_to_string(&path).unwrap();
                let (mode, links, owner) = (metadata.mode(), metadata.nlink(), metadata.uid());
                let (number, modified) = (metadata.ino(), metadata.modified().unwrap());
                state.insert(
                    name,
                    format!("{text:?} {mode:o} {links} {owner} {number} {modified:?} {colour:?}"),
                );
            }
        }
        state
    }

    fn texts(&self) -> BTreeMap<String, String> {
        let texts = self.state().into_iter();
        texts.map(|(name, state)| (name, state.split(' ').take(2).collect())).collect()
    }

    /// The number of remaining journals.
    fn journals(&self) -> usize {
        let Ok(entries) = fs::read_dir(self.folder.path().join("state/writes")) else { return 0 };
        entries.filter(|it| it.as_ref().unwrap().file_name() != "lock").count()
    }
}

/// An edit that changes, creates, renames and deletes files.
fn edit() -> String {
    let mut edit = "*** Begin Patch\n".to_owned();
    for number in 0..FILES {
        let path = format!("src/part{}/f{number}.txt", number % 3);
        edit.push_str(&match number % 4 {
            0 | 1 => format!("*** Update File: {path}\n@@\n-old {number}\n+new {number}\n"),
            2 => format!("*** Delete File: {path}\n*** Add File: fresh/{number}/f.txt\n+made {number}\n"),
            _ => format!(
                "*** Update File: {path}\n*** Move to: moved/f{number}.txt\n@@\n-old {number}\n+new {number}\n"
            ),
        });
    }
    edit + "*** End Patch\n"
}

/// Whether this process was started with a signal ignored. Only known on Linux.
#[cfg(debug_assertions)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

#[cfg(debug_assertions)]
#[test]
fn signal_at_any_step_leaves_all_or_none() {
    use std::os::unix::process::ExitStatusExt as _;

    const KILL: i32 = 9;
    let project = Project::new();
    let before = project.texts();
    assert!(project.write("9@0").status.success());
    let after = project.texts();
    assert_eq!((after.len(), project.journals()), (66, 0), "{after:?}");
    project.fill();
    let is_thorough = std::env::var_os(THOROUGH).is_some();
    // A background process may inherit ignored signals, and keeps ignoring them.
    let mut signals = vec![KILL, 15, 2, 1];
    signals.retain(|signal| *signal == KILL || !is_ignored(*signal));
    let mut kinds = [0; 2];
    let mut steps = 0;
    loop {
        steps += 1;
        let signals = if is_thorough { signals.clone() } else { vec![signals[steps % signals.len()]] };
        let mut is_reached = true;
        for signal in signals {
            let unchanged = project.state();
            let output = project.write(&format!("{signal}@{steps}"));
            is_reached = output.status.signal() == Some(signal);
            assert!(is_reached || output.status.success(), "{steps}: {output:?}");
            if signal == KILL {
                project.start();
            }
            let state = project.state();
            let texts = project.texts();
            let is_all = texts == after;
            assert!(is_all || state == unchanged, "signal {signal} at step {steps}: {texts:?}");
            assert!(is_all || texts == before);
            assert_eq!(project.journals(), 0, "signal {signal} at step {steps}");
            kinds[usize::from(is_all)] += 1;
            if is_all {
                project.fill();
            }
        }
        if !is_reached {
            break;
        }
    }
    assert!(steps > 200 && kinds[0] > 80 && kinds[1] > 20, "{steps} {kinds:?}");
}

#[cfg(debug_assertions)]
#[test]
fn what_was_changed_after_a_kill_is_kept() {
    let project = Project::new();
    let mine = project.root.join("src/part0/f0.txt");
    let mut is_told = 0;
    for step in (96..184).step_by(8) {
        project.fill();
        project.write(&format!("9@{step}"));
        fs::write(&mine, "mine\n").unwrap();
        let said = project.start();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine\n", "{step}");
        is_told += usize::from(said.contains("f0.txt: it was changed since; what it was is in .tandem-"));
        assert_eq!(project.journals(), 0);
    }
    assert!(is_told > 0);
}

/// A server of the project that answers one line at a time.
#[cfg(debug_assertions)]
struct Server {
    child: Child,
    answers: BufReader<ChildStdout>,
}

#[cfg(debug_assertions)]
impl Server {
    /// Starts a server that receives a signal at a step of its writes. It has started once this returns.
    fn new(project: &Project, signal: &str) -> Self {
        let mut command = project.tandem(&["mcp", "--write"]);
        let mut child = command
            .env("TANDEM_TEST_SIGNAL", signal)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, answers };
        server.send("initialize", &json!({ "protocolVersion": "2025-06-18" }));
        server.answer();
        server
    }

    fn send(&mut self, method: &str, params: &Value) {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
    }

    fn send_edit(&mut self, edit: &str) {
        let arguments = json!({ "edit": edit, "write": true });
        self.send("tools/call", &json!({ "name": "apply_edit", "arguments": arguments }));
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Waits until a process has stopped itself.
#[cfg(debug_assertions)]
fn wait_until_stopped(child: &Child) {
    use rustix::process::{WaitOptions, waitpid};

    let (_, status) = waitpid(Some(Pid::from_child(child)), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(status.stopped(), "{status:?}");
}

#[cfg(debug_assertions)]
fn resume(child: &Child) {
    rustix::process::kill_process(Pid::from_child(child), Signal::CONT).unwrap();
}

/// Steps of a write: every `each`-th, or all of them.
#[cfg(debug_assertions)]
fn steps(each: usize) -> impl Iterator<Item = usize> {
    (1..300).step_by(if std::env::var_os(THOROUGH).is_some() { 1 } else { each })
}

#[cfg(debug_assertions)]
#[test]
fn what_is_written_after_a_failed_undo_is_kept() {
    let add = "*** Begin Patch\n*** Add File: sub/f\n+text\n*** End Patch\n";
    for by_server in [true, false] {
        let project = Project::new();
        let [sub, aside, outside] = ["sub", "aside", "../outside"].map(|name| project.root.join(name));
        fs::create_dir(&sub).unwrap();
        fs::create_dir(&outside).unwrap();
        // The folder is replaced with a link before the first file is staged, and restored after the undo.
        let mut server = Server::new(&project, &format!("{}@1", Signal::STOP.as_raw()));
        server.send_edit(add);
        wait_until_stopped(&server.child);
        fs::rename(&sub, &aside).unwrap();
        std::os::unix::fs::symlink(&outside, &sub).unwrap();
        resume(&server.child);
        let answer = server.answer();
        assert!(answer.contains("could not take back"), "{answer}");
        fs::remove_file(&sub).unwrap();
        fs::rename(&aside, &sub).unwrap();
        assert_eq!(project.journals(), 1);
        if by_server {
            server.send_edit(add);
            let answer = server.answer();
            assert!(answer.contains("1 file written"), "{answer}");
        } else {
            fs::write(sub.join("f"), "text\n").unwrap();
        }
        server.end();
        project.start();
        let names: Vec<_> = fs::read_dir(&sub).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["f"], "by the server: {by_server}");
        assert_eq!((fs::read_dir(&outside).unwrap().count(), project.journals()), (0, 0));
    }
}

#[cfg(debug_assertions)]
#[test]
fn same_text_that_another_writes_after_a_kill_is_kept() {
    let (project, done) = (Project::new(), Project::new());
    assert!(done.write("9@0").status.success());
    let after = done.texts();
    let mut kept = 0;
    for step in steps(11) {
        project.fill();
        if project.write(&format!("9@{step}")).status.success() {
            break;
        }
        let before = project.texts();
        let by_hand =
            after.iter().filter(|(name, text)| *text != "folder" && before.get(*name) != Some(text));
        let by_hand: Vec<&String> = by_hand.map(|(name, _)| name).collect();
        for name in &by_hand {
            let path = project.root.join(name);
            drop(fs::remove_file(&path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(done.root.join(name), &path).unwrap();
        }
        project.start();
        let texts = project.texts();
        for name in &by_hand {
            assert_eq!(texts.get(*name), after.get(*name), "{name} at step {step}");
        }
        kept += by_hand.len();
        assert_eq!(project.journals(), 0);
    }
    assert!(kept > 100, "{kept}");
}

#[cfg(debug_assertions)]
#[test]
fn running_server_undoes_a_killed_write_before_its_own() {
    let project = Project::new();
    project.write("9@0");
    let after = project.texts();
    for step in steps(23) {
        project.fill();
        let mut server = Server::new(&project, "9@0");
        let is_over = project.write(&format!("9@{step}")).status.success();
        server.send_edit(&edit());
        server.answer();
        server.end();
        assert!(project.texts() == after && project.journals() == 0, "step {step}: {:?}", project.texts());
        assert_eq!(project.start(), "");
        assert_eq!(project.texts(), after, "step {step}");
        if is_over {
            break;
        }
    }
}

#[cfg(debug_assertions)]
#[test]
fn start_of_any_command_undoes_a_killed_write() {
    let project = Project::new();
    let commands: [&[&str]; 6] = [
        &["lsp"],
        &["mcp"],
        &["review"],
        &["apply", "--root", "."],
        &["fix", "src/part0/f0.txt"],
        &["context", "src/part0/f0.txt:1:1"],
    ];
    for arguments in commands {
        let whole = project.state();
        project.write("9@150");
        assert_ne!(project.state(), whole);
        output_of(&mut project.tandem(arguments), b"");
        assert_eq!(project.state(), whole, "{arguments:?}");
        assert_eq!(project.journals(), 0);
    }
}

#[cfg(debug_assertions)]
#[test]
fn start_leaves_a_write_that_goes_on() {
    let project = Project::new();
    project.write("9@0");
    let after = project.texts();
    for step in [1, 20, 100, 150, 190] {
        project.fill();
        let mut command = project.tandem(&["apply", "--root", ".", "--write"]);
        command.env("TANDEM_TEST_SIGNAL", format!("{}@{step}", Signal::STOP.as_raw()));
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(edit().as_bytes()).unwrap();
        wait_until_stopped(&child);
        let half_done = project.state();
        assert_eq!(project.start(), "");
        assert_eq!(project.state(), half_done, "step {step}");
        resume(&child);
        assert!(child.wait().unwrap().success());
        assert_eq!((project.texts(), project.journals()), (after.clone(), 0), "step {step}");
    }
}

/// Swaps a folder with a link that leads outside, and back, repeatedly while `work` runs.
#[cfg(target_os = "linux")]
fn while_swapped(folder: &Path, outside: &Path, work: impl FnOnce()) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (link, is_over) = (folder.with_extension("link"), AtomicBool::new(false));
    symlink(outside, &link).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                for _ in 0..2 {
                    renameat_with(CWD, folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            }
        });
        work();
        is_over.store(true, Ordering::SeqCst);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn folder_that_turns_into_a_link_leads_nowhere() {
    let writes = if std::env::var_os(THOROUGH).is_some() { 100_000 } else { 400 };
    let project = Project::new();
    let outside = project.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(project.root.join("sub")).unwrap();
    let begin = json!({ "jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": { "protocolVersion": "2025-06-18" } });
    let calls: String = (0..writes)
        .map(|number| {
            let edit = format!("*** Begin Patch\n*** Add File: sub/f{number}\n+text\n*** End Patch\n");
            let params = json!({ "name": "apply_edit", "arguments": { "edit": edit, "write": true } });
            json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params }).to_string()
                + "\n"
        })
        .collect();
    let [requests, answers] = ["requests", "answers"].map(|name| project.folder.path().join(name));
    let mut command = project.tandem(&["mcp", "--write"]);
    let mut written = 0;
    while_swapped(&project.root.join("sub"), &outside, || {
        fs::write(&requests, format!("{begin}\n{calls}")).unwrap();
        command.stdin(fs::File::open(&requests).unwrap()).stdout(fs::File::create(&answers).unwrap());
        assert!(command.status().unwrap().success());
        let answers = fs::read_to_string(&answers).unwrap();
        assert_eq!(answers.lines().count(), writes + 1);
        written = answers.matches("1 file written").count();
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(fs::read_dir(project.root.join("sub")).unwrap().count(), written);
    assert!(written > 0);
}
