//! Results of providers' key commands, so that no command runs twice.

use std::collections::HashMap;

use super::key::KeyCommand;
use super::secret::Secret;
use super::token::{Token, TokenSource, WeakToken};

/// Cached results of commands, so that each runs once.
#[derive(Debug, Default)]
pub struct Keys {
    answers: HashMap<KeyCommand, Result<Secret, String>>,
    /// The tokens in use.
    tokens: Vec<WeakToken>,
}

impl Keys {
    /// A command's earlier result: its key, or why there is none.
    pub(super) fn known(&self, command: &KeyCommand) -> Option<&Result<Secret, String>> {
        self.answers.get(command)
    }

    /// A command's result. Runs the command unless it has already succeeded.
    pub(super) fn ask(&mut self, command: &KeyCommand) -> Result<Secret, String> {
        if let Some(Ok(key)) = self.answers.get(command) {
            return Ok(key.clone());
        }
        let answer = command.run();
        self.note(command.clone(), answer.clone());
        answer
    }

    /// Stores a command's result.
    pub fn note(&mut self, command: KeyCommand, answer: Result<Secret, String>) {
        self.answers.insert(command, answer);
    }

    /// The token from this source, shared by all providers that name it.
    pub(super) fn token(&mut self, source: TokenSource) -> Token {
        let mut known: Vec<Token> = self.tokens.iter().filter_map(WeakToken::upgrade).collect();
        let token = match known.iter().find(|it| *it.source() == source) {
            Some(token) => token.clone(),
            None => {
                known.push(Token::new(source));
                known[known.len() - 1].clone()
            }
        };
        self.tokens = known.iter().map(Token::downgrade).collect();
        token
    }

    /// Lets failed commands run again.
    pub fn forget_failures(&mut self) {
        self.answers.retain(|_, answer| answer.is_ok());
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_token_is_the_same_for_all_that_name_its_source_while_it_is_in_use() {
        let command = |name: &str| TokenSource::Command(KeyCommand::new(vec![name.to_owned()]));
        let mut keys = Keys::default();
        let token = keys.token(command("a"));
        token.change(|known| std::mem::replace(&mut known.is_asked_for, true));
        assert!(keys.token(command("a")).known().is_asked_for);
        assert!(!keys.token(command("b")).known().is_asked_for);
        drop(token);
        assert!(!keys.token(command("a")).known().is_asked_for);
    }
}
