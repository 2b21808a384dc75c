//! The keys and tokens of a process, so that no command runs twice, and what names one of its sessions.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;

use tokio::sync::watch;

use super::key::KeyCommand;
use super::secret::Secret;
use super::token::{Token, TokenSource, WeakToken};
use crate::lock::Mutex;
use crate::text::random::random_id;

/// What one session asks with. Clones are the same.
#[derive(Debug, Clone)]
pub struct Keys {
    /// What the sessions of a process share: a command runs once for all.
    known: Arc<Mutex<KnownKeys>>,
    session: String,
}

#[derive(Debug, Default)]
struct KnownKeys {
    answers: HashMap<KeyCommand, Result<Secret, String>>,
    /// The commands that are running. Each channel ends with its command.
    running: HashMap<KeyCommand, watch::Receiver<()>>,
    /// The tokens in use.
    tokens: Vec<WeakToken>,
}

impl Default for Keys {
    fn default() -> Self {
        Self { known: Arc::default(), session: random_id() }
    }
}

impl Keys {
    /// The same keys for another session.
    pub fn of_another_session(&self) -> Self {
        Self { known: Arc::clone(&self.known), session: random_id() }
    }

    /// The random name of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Continues an earlier session.
    pub fn set_session(&mut self, session: String) {
        self.session = session;
    }

    /// A command's earlier result: its key, or why there is none.
    pub(super) fn known(&self, command: &KeyCommand) -> Option<Result<Secret, String>> {
        self.known.lock().answers.get(command).cloned()
    }

    /// A command's result. Runs the command unless it has already succeeded.
    pub(super) fn ask(&self, command: &KeyCommand) -> Result<Secret, String> {
        if let Some(Ok(key)) = self.known(command) {
            return Ok(key);
        }
        let answer = command.run();
        self.note(command.clone(), answer.clone());
        answer
    }

    /// Runs a command in a separate thread, unless one runs it already, and waits for the result.
    pub async fn fetch(&self, command: &KeyCommand) {
        let mut running = {
            let mut known = self.known.lock();
            let running = known.running.get(command).cloned();
            running.unwrap_or_else(|| {
                let (ended, running) = watch::channel(());
                known.running.insert(command.clone(), running.clone());
                let (keys, command) = (self.clone(), command.clone());
                let run = move || {
                    keys.note(command.clone(), command.run());
                    drop(ended);
                };
                if let Err(error) = thread::Builder::new().name("key".to_owned()).spawn(run) {
                    tracing::error!(%error, "no thread for the command for a key");
                }
                running
            })
        };
        while running.changed().await.is_ok() {}
        // Its thread did not start, or has panicked.
        let is_unfinished = |it: &watch::Receiver<()>| it.same_channel(&running);
        if self.known.lock().running.get(command).is_some_and(is_unfinished) {
            self.note(command.clone(), Err("the command for its key could not be followed".to_owned()));
        }
    }

    /// Stores a command's result.
    pub fn note(&self, command: KeyCommand, answer: Result<Secret, String>) {
        let mut known = self.known.lock();
        known.running.remove(&command);
        known.answers.insert(command, answer);
    }

    /// The token from this source, shared by all providers that name it.
    pub(super) fn token(&self, source: TokenSource) -> Token {
        let tokens = &mut self.known.lock().tokens;
        let mut in_use: Vec<Token> = tokens.iter().filter_map(WeakToken::upgrade).collect();
        let token = match in_use.iter().find(|it| *it.source() == source) {
            Some(token) => token.clone(),
            None => {
                in_use.push(Token::new(source));
                in_use[in_use.len() - 1].clone()
            }
        };
        *tokens = in_use.iter().map(Token::downgrade).collect();
        token
    }

    /// Lets failed commands run again.
    pub fn forget_failures(&self) {
        self.known.lock().answers.retain(|_, answer| answer.is_ok());
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// A command that counts its runs in this file, and prints a key after a moment.
    fn counting(folder: &tempfile::TempDir) -> KeyCommand {
        let count = folder.path().join("count");
        let script = format!("echo x >> {}; sleep 0.1; echo sk-1", count.display());
        KeyCommand::new(["sh", "-c", &script].map(str::to_owned).to_vec())
    }

    fn runs(folder: &tempfile::TempDir) -> String {
        std::fs::read_to_string(folder.path().join("count")).unwrap()
    }

    #[test]
    fn runs_a_command_once() {
        let folder = tempfile::tempdir().unwrap();
        let (command, keys) = (counting(&folder), Keys::default());
        for _ in 0..3 {
            assert_eq!(keys.ask(&command).unwrap().expose(), "sk-1");
        }
        assert_eq!(runs(&folder), "x\n");
    }

    #[tokio::test]
    async fn sessions_of_one_process_run_a_command_once_together() {
        let folder = tempfile::tempdir().unwrap();
        let (command, keys) = (counting(&folder), Keys::default());
        let other = keys.of_another_session();
        tokio::join!(keys.fetch(&command), other.fetch(&command));
        for keys in [&keys, &other] {
            assert_eq!(keys.known(&command).unwrap().unwrap().expose(), "sk-1");
        }
        assert_eq!(runs(&folder), "x\n");
        assert_ne!(keys.session(), other.session());
    }

    #[test]
    fn a_token_is_the_same_for_all_that_name_its_source_while_it_is_in_use() {
        let command = |name: &str| TokenSource::Command(KeyCommand::new(vec![name.to_owned()]));
        let keys = Keys::default();
        let token = keys.token(command("a"));
        token.change(|known| std::mem::replace(&mut known.is_asked_for, true));
        assert!(keys.of_another_session().token(command("a")).known().is_asked_for);
        assert!(!keys.token(command("b")).known().is_asked_for);
        drop(token);
        assert!(!keys.token(command("a")).known().is_asked_for);
    }
}
