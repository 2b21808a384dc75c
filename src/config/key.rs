//! Keys from commands such as `pass show openai`: asked for once, in time, and in silence.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::Secret;

/// How long a command may take: long enough to type a passphrase.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of output that are read. Keys are far shorter.
const LONGEST: u64 = 64 * 1024;

/// The keys that commands gave. Each command runs once; one that failed runs again when it is next asked for.
#[derive(Debug, Default)]
pub struct Keys {
    known: HashMap<Vec<String>, Secret>,
}

impl Keys {
    /// The key that a command gave already.
    pub(super) fn known(&self, command: &[String]) -> Option<&Secret> {
        self.known.get(command)
    }

    /// The key that a command gives. Waits for it: not for a thread that serves.
    ///
    /// # Errors
    ///
    /// Why there is none, in a clause that has nothing of what the command printed.
    pub(super) fn ask(&mut self, command: &[String]) -> Result<Secret, String> {
        if let Some(key) = self.known.get(command) {
            return Ok(key.clone());
        }
        let key = run(command, PATIENCE)?;
        self.known.insert(command.to_vec(), key.clone());
        Ok(key)
    }
}

/// Runs a command and takes the first line that it prints.
fn run(command: &[String], patience: Duration) -> Result<Secret, String> {
    let (program, arguments) = command.split_first().ok_or("the command is empty")?;
    // Arguments may be secret, and so may whatever it prints, to standard error as well.
    let failed = |what: &str| format!("`{program}` {what}; run it in a terminal to see why");
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("cannot be run ({})", error.kind())))?;
    let output = read(&mut child, patience);
    if output.is_none() {
        // It may have ended by itself just now.
        drop(child.kill());
    }
    let status = child.wait().map_err(|error| failed(&format!("cannot be waited for ({})", error.kind())))?;
    let output = output
        .ok_or_else(|| failed(&format!("printed no key within {} s", patience.as_secs())))?
        .map_err(|error| failed(&format!("cannot be read ({})", error.kind())))?;
    if !status.success() {
        return Err(failed(&format!("failed ({status})")));
    }
    let line = output.lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(failed("printed no key"));
    }
    Ok(Secret::new(line.to_owned()))
}

/// What the command prints until it closes its output; `None` if that takes too long.
fn read(child: &mut Child, patience: Duration) -> Option<io::Result<zeroize::Zeroizing<String>>> {
    let stdout = child.stdout.take()?;
    let (done, output) = mpsc::channel();
    // A thread of its own: a grandchild may hold the output open for ever, and then nobody waits for this one.
    thread::spawn(move || {
        let mut text = zeroize::Zeroizing::new(String::new());
        let read = stdout.take(LONGEST).read_to_string(&mut text);
        // Nobody listens any more if it took too long.
        drop(done.send(read.map(|_| text)));
    });
    output.recv_timeout(patience).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(script: &str, patience: Duration, expect: Expect) {
        let command = ["sh", "-c", script].map(str::to_owned);
        let shown = match run(&command, patience) {
            Ok(key) => format!("key {}", key.expose()),
            Err(why) => why,
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn takes_the_first_line_or_says_why_not() {
        check("echo sk-1; echo login: me", PATIENCE, expect!["key sk-1"]);
        check(
            "echo canary >&2; exit 3",
            PATIENCE,
            expect!["`sh` failed (exit status: 3); run it in a terminal to see why"],
        );
        check(
            "echo canary; exit 1",
            PATIENCE,
            expect!["`sh` failed (exit status: 1); run it in a terminal to see why"],
        );
        check("true", PATIENCE, expect!["`sh` printed no key; run it in a terminal to see why"]);
        check(
            "exec sleep 600",
            Duration::ZERO,
            expect!["`sh` printed no key within 0 s; run it in a terminal to see why"],
        );
        let missing = run(&["/no/such/program".to_owned(), "canary".to_owned()], PATIENCE).unwrap_err();
        expect!["`/no/such/program` cannot be run (entity not found); run it in a terminal to see why"]
            .assert_eq(&missing);
    }

    #[test]
    fn runs_a_command_once() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let script = format!("echo x >> {}; echo sk-1", count.display());
        let command = ["sh", "-c", &script].map(str::to_owned);
        let mut keys = Keys::default();
        for _ in 0..3 {
            assert_eq!(keys.ask(&command).unwrap().expose(), "sk-1");
        }
        assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    }
}
