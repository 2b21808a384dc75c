//! Keys from commands such as `pass show openai`, run once, with a timeout, and without showing output.
//!
//! A command for a [token](super::token) runs the same way, whenever the token must be renewed.

use std::fmt;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use zeroize::Zeroizing;

use super::limits::{KEY_COMMAND_TIMEOUT, KEY_OUTPUT_BYTES};
use super::obstacle::{holds_itself, is_secret};
use super::secret::Secret;
use crate::text::named;

/// The defect of a text that is not a key, to follow "it has".
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

    /// Runs the command and returns the first line of its output.
    ///
    /// Blocks for up to a minute: not to be called on a thread that serves requests or that others wait for.
    ///
    /// # Errors
    ///
    /// Why there is no key, in a clause without any of the command's output.
    pub fn run(&self) -> Result<Secret, String> {
        run(&self.0, KEY_COMMAND_TIMEOUT)
    }

    /// Runs the command for a token, and returns all of its output.
    ///
    /// Since it may run at any time, it has no access to the terminal: a command that reads from it is stopped by
    /// the system, and killed after a minute with all its children.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`]; also if the output is longer than a token can be.
    pub fn print(&self) -> Result<Zeroizing<String>, String> {
        output(&self.0, Purpose::Renewal, KEY_COMMAND_TIMEOUT)
    }
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Purpose {
        /// A key, while a user may be waiting who can type a passphrase.
        Once = "key",
        /// A token, at any time.
        Renewal = "token",
    }
}

impl Purpose {
    /// The setting with the command.
    fn setting(self) -> &'static str {
        match self {
            Self::Once => "api_key_command",
            Self::Renewal => "token_command",
        }
    }
}

/// Shows the program only: its arguments may be secret.
impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.first().map_or("", String::as_str))
    }
}

/// Runs a command and returns the first line of its output.
fn run(command: &[String], timeout: Duration) -> Result<Secret, String> {
    let output = output(command, Purpose::Once, timeout)?;
    Ok(Secret::new(output.lines().next().unwrap_or_default().trim().to_owned()))
}

/// Runs a command and returns its output, whose first line must not be empty.
fn output(command: &[String], purpose: Purpose, timeout: Duration) -> Result<Zeroizing<String>, String> {
    let (program, arguments) = command.split_first().ok_or("the command is empty")?;
    // Arguments may be secret, and so may all output, including standard error.
    let failed = |what: &str| format!("`{program}` {what}; run it in a terminal to see why");
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    if purpose == Purpose::Renewal {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if is_secret(program) => {
            holds_itself(purpose.setting(), purpose.name(), "a command that prints it")
        }
        io::ErrorKind::NotFound if Path::new(program).components().count() > 1 => {
            format!("there is no program `{program}`; correct the path")
        }
        io::ErrorKind::NotFound => {
            format!("`{program}` was not found on the PATH; install it, or write its whole path")
        }
        kind => failed(&format!("cannot be run ({kind})")),
    })?;
    let output = read(&mut child, timeout);
    let is_too_long = purpose == Purpose::Renewal
        && matches!(&output, Some(Ok(text)) if text.len() as u64 == KEY_OUTPUT_BYTES);
    if output.is_none() || is_too_long {
        end(&mut child, purpose);
    }
    let status = child.wait().map_err(|error| failed(&format!("cannot be waited for ({})", error.kind())))?;
    let output = output
        .ok_or_else(|| failed(&format!("printed no {} within {} s", purpose.name(), timeout.as_secs())))?
        .map_err(|error| failed(&format!("cannot be read ({})", error.kind())))?;
    if is_too_long {
        return Err(failed(&format!("printed more than {} KiB", KEY_OUTPUT_BYTES >> 10)));
    }
    if !status.success() {
        return Err(failed(&format!("failed ({status})")));
    }
    if output.lines().next().unwrap_or_default().trim().is_empty() {
        return Err(failed(&format!("printed no {}", purpose.name())));
    }
    Ok(output)
}

/// Kills a command; one in its own process group is killed with its children.
fn end(child: &mut Child, purpose: Purpose) {
    #[cfg(unix)]
    if purpose == Purpose::Renewal
        && let Some(leader) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
    {
        // Fails if no process is left.
        _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    // The process may just have ended.
    drop(child.kill());
}

/// Reads the command's output until it is closed; `None` on timeout.
fn read(child: &mut Child, timeout: Duration) -> Option<io::Result<Zeroizing<String>>> {
    let stdout = child.stdout.take()?;
    let (done, output) = mpsc::channel();
    // On a separate thread: a grandchild may keep the output open for ever, and the thread is then abandoned.
    thread::spawn(move || {
        let mut text = Zeroizing::new(String::new());
        let read = stdout.take(KEY_OUTPUT_BYTES).read_to_string(&mut text);
        // The receiver is gone after a timeout.
        drop(done.send(read.map(|_| text)));
    });
    output.recv_timeout(timeout).ok()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(script: &str, timeout: Duration, expect: Expect) {
        let command = ["sh", "-c", script].map(str::to_owned);
        let said = match run(&command, timeout) {
            Ok(key) => format!("key {}", key.expose()),
            Err(why) => why,
        };
        expect.assert_eq(&said);
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
        let key = concat!("sk-", "proj-Zk3vQ8pLr2TnX7yWb5MdJh9CsWe4GfAa").to_owned();
        expect!["`api_key_command` seems to hold the key itself; name a command that prints it"]
            .assert_eq(&run(&[key], KEY_COMMAND_TIMEOUT).unwrap_err());
    }

    #[test]
    fn a_command_for_a_token_is_bounded_and_has_no_terminal() {
        let check = |script: &str, timeout: Duration, expect: Expect| {
            let began = std::time::Instant::now();
            let command = ["sh", "-c", script].map(str::to_owned);
            let said = match output(&command, Purpose::Renewal, timeout) {
                Ok(text) => format!("{} bytes", text.len()),
                Err(why) => why,
            };
            expect.assert_eq(&said);
            assert!(began.elapsed() < KEY_COMMAND_TIMEOUT);
        };
        check("echo a; echo b", KEY_COMMAND_TIMEOUT, expect!["4 bytes"]);
        check(
            "yes canary | head -c 1000000; sleep 600",
            KEY_COMMAND_TIMEOUT,
            expect!["`sh` printed more than 64 KiB; run it in a terminal to see why"],
        );
        check(
            "head -c 1000 /dev/urandom",
            KEY_COMMAND_TIMEOUT,
            expect!["`sh` cannot be read (invalid data); run it in a terminal to see why"],
        );
        // The child process keeps the output open, and is killed with the command.
        check(
            "(sleep 600; true) & sleep 600",
            Duration::from_millis(100),
            expect!["`sh` printed no token within 0 s; run it in a terminal to see why"],
        );
        // Input from the terminal, with or without a terminal.
        check(
            "read answer && echo $answer",
            KEY_COMMAND_TIMEOUT,
            expect!["`sh` failed (exit status: 1); run it in a terminal to see why"],
        );
    }
}
