//! The server as a process: started as an editor starts it, monitored from outside.

use std::io::{BufRead as _, BufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, mem, thread};

use anyhow::{Context as _, Result, bail};
use tandem::lsp_client::LspClient;
use tokio::net::unix::pipe;

/// The timeout for the server's exit.
const FAREWELL: Duration = Duration::from_secs(10);

/// The process. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    /// Unread lines of stderr.
    words: Arc<Mutex<Vec<String>>>,
    hearing: thread::JoinHandle<()>,
}

/// Starts the server with the model at `base_url` and none of the user's settings.
pub(crate) fn start(binary: &Path, base_url: &str, home: &Path) -> Result<(Server, LspClient)> {
    let config = home.join("tandem.toml");
    let settings = format!(
        "[providers.soak]\nbase_url = \"{base_url}\"\n\
         [fast]\ncandidates = [{{ provider = \"soak\", model = \"soak-model\" }}]\n"
    );
    fs::write(&config, settings)?;
    let mut child = Command::new(binary)
        .arg("lsp")
        .env("TANDEM_CONFIG", config)
        // The reason for an empty answer is only logged.
        .env("TANDEM_LOG", "warn,tandem::lsp::jobs=debug")
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let input = pipe::Sender::from_owned_fd(OwnedFd::from(child.stdin.take().context("no stdin")?))?;
    let output = pipe::Receiver::from_owned_fd(OwnedFd::from(child.stdout.take().context("no stdout")?))?;
    let errors = child.stderr.take().context("no stderr")?;
    let words = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&words);
    let hearing = thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    });
    Ok((Server { child, words, hearing }, LspClient::new(output, input)))
}

impl Server {
    /// The lines written to stderr since the last call.
    pub(crate) fn take_words(&self) -> Vec<String> {
        mem::take(&mut *self.words.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resident memory in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.context("no VmRSS")?.trim().trim_end_matches(" kB");
        Ok(kilobytes.parse::<u64>()? * 1024)
    }

    /// The exit status, if the process has ended.
    pub(crate) fn ended(&mut self) -> Result<Option<String>> {
        Ok(self.child.try_wait()?.map(|status| status.to_string()))
    }

    /// Waits for the process to end; returns the exit status.
    pub(crate) fn wait(&mut self) -> Result<String> {
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            // Once its end of the pipe is closed the listener ends too, and has read everything.
            if let Some(status) = self.ended()?
                && self.hearing.is_finished()
            {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        bail!("the server did not end within {FAREWELL:?} of `exit`")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Either may fail because the process has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
