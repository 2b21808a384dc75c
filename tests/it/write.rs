//! Writes of many files that a signal cuts off at any step, and folders that turn into links meanwhile.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
#[cfg(target_os = "linux")]
use std::os::unix::fs::symlink;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
use std::process::{Command, Output};
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

#[cfg(target_os = "linux")]
use serde_json::json;
use tempfile::TempDir;

use crate::support::process::output_of;

/// A variable that has the tests of this file do all that they can, which takes minutes.
const THOROUGH: &str = "TANDEM_TEST_THOROUGH";

const FILES: u32 = 40;

/// A project, and a state folder of its own beside it.
struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Project {
    /// Files with all that a file can have besides its text.
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
            // Not every file system has them.
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

    /// Applies the edit, and has a signal come at a step of it.
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

    /// All files and folders, with what must not change when a write is undone.
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

    /// The journals that are left.
    fn journals(&self) -> usize {
        let Ok(entries) = fs::read_dir(self.folder.path().join("state/writes")) else { return 0 };
        entries.filter(|it| it.as_ref().unwrap().file_name() != "lock").count()
    }
}

/// An edit that changes, makes, renames and removes files.
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

/// Whether this process was started with a signal ignored. Known on Linux alone.
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
    // What runs in the background may ignore some from the start, and goes on doing so.
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

/// Has a folder change places with a link that leads out, and back, as long as `work` goes on.
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
        fs::write(&requests, calls).unwrap();
        command.stdin(fs::File::open(&requests).unwrap()).stdout(fs::File::create(&answers).unwrap());
        assert!(command.status().unwrap().success());
        let answers = fs::read_to_string(&answers).unwrap();
        assert_eq!(answers.lines().count(), writes);
        written = answers.matches("\"written\":1").count();
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(fs::read_dir(project.root.join("sub")).unwrap().count(), written);
    assert!(written > 0);
}
