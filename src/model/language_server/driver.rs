//! Drives a server: starts it when needed, asks it, and starts it again after a failure.
//!
//! One task owns all of its state, so nothing is locked.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

use super::command::{Command, number};
use super::server::{Server, ServerEvent};
use crate::config::{Endpoint, ServerCommand};
use crate::model::limits::{
    MESSAGE_CHARACTERS, SERVER_AGAIN_FIRST, SERVER_AGAIN_MOST, SERVER_FAILURES, SERVER_GIVEN_UP,
    SERVER_SAYINGS,
};
use crate::model::{ErrorKind, Listener, ModelError, WireEvent};

/// The task that drives one server.
pub(super) struct Driver {
    command: ServerCommand,
    endpoint: Endpoint,
    listener: Listener,
    server: Option<Server>,
    /// Failures in a row, without an answer in between.
    failures: u32,
    /// The last failure, and when the server may be started again.
    trouble: Option<(String, Instant)>,
    /// Whether a request failed with it. Otherwise the next one does, so that other candidates are asked.
    is_told: bool,
    said: BTreeSet<String>,
}

impl Driver {
    pub(super) fn new(command: ServerCommand, endpoint: Endpoint, listener: Listener) -> Self {
        Self {
            command,
            endpoint,
            listener,
            server: None,
            failures: 0,
            trouble: None,
            is_told: true,
            said: BTreeSet::new(),
        }
    }

    /// Serves the commands until the model is dropped.
    pub(super) async fn run(mut self, mut commands: UnboundedReceiver<Command>) {
        loop {
            let deadline = self.server.as_ref().and_then(Server::deadline);
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::End(done)) => {
                        self.end().await;
                        // The caller may have stopped waiting.
                        _ = done.send(());
                    }
                    Some(command) => self.take(command),
                    None => break,
                },
                message = next(&mut self.server) => self.receive(message).await,
                () = due(deadline) => self.be_late().await,
            }
            let is_stuck = self.server.as_ref().and_then(Server::is_stuck);
            if let Some(why) = is_stuck {
                self.fail(why.to_owned());
            }
        }
        self.end().await;
    }

    async fn end(&mut self) {
        if let Some(server) = self.server.take() {
            server.connection.shut_down(number()).await;
        }
    }

    fn take(&mut self, command: Command) {
        if !matches!(command, Command::Cancel(_) | Command::Tell(_)) {
            self.start();
        }
        match (&mut self.server, command) {
            (Some(server), command) => server.take(command),
            (None, Command::Ask { answer, .. } | Command::Check(answer)) => {
                self.is_told = true;
                // The receiver may be gone.
                drop(answer.send(Err(self.error())));
            }
            (None, Command::Start | Command::Cancel(_) | Command::Tell(_) | Command::End(_)) => {}
        }
    }

    /// Starts the server, unless it runs or has just failed.
    fn start(&mut self) {
        let waits = self.trouble.as_ref().is_some_and(|(_, until)| Instant::now() < *until || !self.is_told);
        if self.server.is_some() || waits {
            return;
        }
        match Server::start(&self.command) {
            Ok(server) => self.server = Some(server),
            Err(why) => {
                self.is_told = false;
                self.fail_with(why);
            }
        }
    }

    async fn receive(&mut self, message: Option<Result<Value, String>>) {
        let Some(server) = &mut self.server else { return };
        let event = match message {
            Some(Ok(message)) => server.receive(&message),
            Some(Err(why)) => return self.fail(why),
            None => {
                let why = server.connection.end().await;
                return self.fail(why);
            }
        };
        match event {
            ServerEvent::Nothing => {}
            ServerEvent::Began(took) => (self.listener)(WireEvent::Connected(took)),
            ServerEvent::Says(text) => self.say(&text),
            ServerEvent::Fails(why) => self.fail(why),
            ServerEvent::Answered(answer, Ok(item)) => {
                (self.failures, self.trouble) = (0, None);
                drop(answer.send(Ok(item)));
            }
            ServerEvent::Answered(answer, Err((kind, why))) => {
                drop(answer.send(Err(self.error_of(kind, &why, None))))
            }
        }
    }

    async fn be_late(&mut self) {
        let Some(server) = &mut self.server else { return };
        if server.is_ready() {
            let (checks, status) = server.settle();
            for check in checks {
                let answer = match &status {
                    Some(status) => Err(self.error_of(ErrorKind::NoToken, status, None)),
                    None => Ok(None),
                };
                drop(check.send(answer));
            }
        } else {
            self.fail("did not begin in time".to_owned());
        }
    }

    /// Shows the user a message of the server, once.
    fn say(&mut self, text: &str) {
        let text = self.endpoint.hide(text).shortened(MESSAGE_CHARACTERS).into_string();
        if self.said.len() < SERVER_SAYINGS && self.said.insert(text.clone()) {
            (self.listener)(WireEvent::Said(text));
        }
    }

    /// Kills the server, because it `why`.
    fn fail(&mut self, why: String) {
        let why = format!("`{}` {why}", self.command.program());
        let left = self.server.take().map(Server::into_waiting).unwrap_or_default();
        self.fail_with(why);
        self.is_told = false;
        for answer in left {
            self.is_told |= answer.send(Err(self.error())).is_ok();
        }
    }

    fn fail_with(&mut self, why: String) {
        let doubled = SERVER_AGAIN_FIRST.saturating_mul(1 << self.failures.min(10)).min(SERVER_AGAIN_MOST);
        self.failures += 1;
        let (why, wait) = match self.failures {
            SERVER_FAILURES.. => (format!("{why} ({} failures in a row)", self.failures), SERVER_GIVEN_UP),
            _ => (why, doubled),
        };
        tracing::warn!(provider = self.endpoint.provider, why, ?wait, "a language server failed");
        self.trouble = Some((why, Instant::now() + wait));
    }

    /// The last failure, as an error.
    fn error(&self) -> ModelError {
        let (why, until) = match &self.trouble {
            Some((why, until)) => (why.as_str(), *until),
            None => ("it does not run", Instant::now()),
        };
        let wait = until.saturating_duration_since(Instant::now());
        self.error_of(ErrorKind::Offline, why, Some(wait))
    }

    fn error_of(&self, kind: ErrorKind, why: &str, retry_after: Option<Duration>) -> ModelError {
        let why = self.endpoint.hide(why.trim_end_matches('.')).shortened(MESSAGE_CHARACTERS);
        ModelError::LanguageServer { provider: self.endpoint.provider.clone(), kind, why, retry_after }
    }
}

async fn next(server: &mut Option<Server>) -> Option<Result<Value, String>> {
    match server {
        Some(server) => server.connection.next().await,
        None => std::future::pending().await,
    }
}

async fn due(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
