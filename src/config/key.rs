//! Keys from commands such as `pass show openai`: asked for once, in time, and in silence.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::limits::{KEY_COMMAND_TIMEOUT, KEY_OUTPUT_BYTES};
use super::secret::Secret;

/// What is wrong with a text that is no key, after "it has".
pub const NO_KEY_HAS: &str = "a blank or another character that no key has";

/// Whether a text could be a key.
pub fn is_key(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A program that prints a key, and its arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct KeyCommand(Vec<String>);

impl KeyCommand {
    pub(super) fn new(command: Vec<String>) -> Self {
        Self(command)
    }

    /// Runs it and takes the first line that it prints.
    ///
    /// Waits for up to a minute: not for a thread that serves, nor for one that others wait for.
    ///
    /// # Errors
    ///
    /// Why there is none, in a clause that has nothing of what the command printed.
    pub fn run(&self) -> Result<Secret, String> {
        run(&self.0, KEY_COMMAND_TIMEOUT)
    }
}

/// The program alone: its arguments may be secret.
impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.first().map_or("", String::as_str))
    }
}

/// What commands gave, so that each runs once.
#[derive(Debug, Default)]
pub struct Keys {
    answers: HashMap<KeyCommand, Result<Secret, String>>,
}

impl Keys {
    /// What a command gave already: its key, or why there is none.
    pub(super) fn known(&self, command: &KeyCommand) -> Option<&Result<Secret, String>> {
        self.answers.get(command)
    }

    /// What a command gives. Runs it if it did not run, or failed.
    pub(super) fn ask(&mut self, command: &KeyCommand) -> Result<Secret, String> {
        if let Some(Ok(key)) = self.answers.get(command) {
            return Ok(key.clone());
        }
        let answer = command.run();
        self.note(command.clone(), answer.clone());
        answer
    }

    /// Notes what a command gave.
    pub fn note(&mut self, command: KeyCommand, answer: Result<Secret, String>) {
        self.answers.insert(command, answer);
    }

    /// Commands that failed may run again.
    pub fn forget_failures(&mut self) {
        self.answers.retain(|_, answer| answer.is_ok());
    }
}

/// Runs a command and takes the first line that it prints.
fn run(command: &[String], timeout: Duration) -> Result<Secret, String> {
    let (program, arguments) = command.split_first().ok_or("the command is empty")?;
    // Arguments may be secret, and so may whatever it prints, to standard error as well.
    let failed = |what: &str| format!("`{program}` {what}; run it in a terminal to see why");
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if Path::new(program).components().count() > 1 => {
                format!("there is no program `{program}`; correct the path")
            }
            io::ErrorKind::NotFound => {
                format!("`{program}` was not found on the PATH; install it, or write its whole path")
            }
            kind => failed(&format!("cannot be run ({kind})")),
        })?;
    let output = read(&mut child, timeout);
    if output.is_none() {
        // It may have ended by itself just now.
        drop(child.kill());
    }
    let status = child.wait().map_err(|error| failed(&format!("cannot be waited for ({})", error.kind())))?;
    let output = output
        .ok_or_else(|| failed(&format!("printed no key within {} s", timeout.as_secs())))?
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
fn read(child: &mut Child, timeout: Duration) -> Option<io::Result<zeroize::Zeroizing<String>>> {
    let stdout = child.stdout.take()?;
    let (done, output) = mpsc::channel();
    // A thread of its own: a grandchild may hold the output open for ever, and this thread is then abandoned.
    thread::spawn(move || {
        let mut text = zeroize::Zeroizing::new(String::new());
        let read = stdout.take(KEY_OUTPUT_BYTES).read_to_string(&mut text);
        // The receiver is gone if it took too long.
        drop(done.send(read.map(|_| text)));
    });
    output.recv_timeout(timeout).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(script: &str, timeout: Duration, expect: Expect) {
        let command = ["sh", "-c", script].map(str::to_owned);
        let shown = match run(&command, timeout) {
            Ok(key) => format!("key {}", key.expose()),
            Err(why) => why,
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn takes_the_first_line_or_says_why_not() {
        check("echo sk-1; echo login: me", KEY_COMMAND_TIMEOUT, expect!["key sk-1"]);
        check(
            "echo canary >&2; exit 3",
            KEY_COMMAND_TIMEOUT,
            expect!["`sh` failed (exit status: 3); run it in a terminal to see why"],
        );
        check(
            "echo canary; exit 1",
            KEY_COMMAND_TIMEOUT,
            expect!["`sh` failed (exit status: 1); run it in a terminal to see why"],
        );
        check("true", KEY_COMMAND_TIMEOUT, expect!["`sh` printed no key; run it in a terminal to see why"]);
        check(
            "exec sleep 600",
            Duration::ZERO,
            expect!["`sh` printed no key within 0 s; run it in a terminal to see why"],
        );
        let missing =
            run(&["/no/such/program".to_owned(), "canary".to_owned()], KEY_COMMAND_TIMEOUT).unwrap_err();
        expect!["there is no program `/no/such/program`; correct the path"].assert_eq(&missing);
    }

    #[test]
    fn runs_a_command_once() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let script = format!("echo x >> {}; echo sk-1", count.display());
        let command = KeyCommand::new(["sh", "-c", &script].map(str::to_owned).to_vec());
        let mut keys = Keys::default();
        for _ in 0..3 {
            assert_eq!(keys.ask(&command).unwrap().expose(), "sk-1");
        }
        assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    }
}
