//! Finds the key for a setup, asks for it, replaces a refused one, and stores it.

use std::io::BufRead as _;

use anyhow::Context as _;

use super::arguments::Arguments;
use super::choosing::Setup;
use super::keychain::Keychain;
use super::questions::Questions;
use crate::cli::config_text::Key;
use crate::cli::environment::line_to_set;
use crate::cli::terminal;
use crate::config::providers::other_owner;
use crate::config::{NO_KEY_HAS, Secret, is_key, is_on_this_machine};

/// The variable for the key of a provider that usually needs none, such as a server on this machine.
const OTHER_VARIABLE: &str = "TANDEM_API_KEY";

impl Setup {
    /// Finds the key, or asks for it. Returns false if there is none, which has been reported.
    pub(super) fn take_key(
        &mut self,
        arguments: &Arguments,
        questions: Option<&mut Questions>,
    ) -> anyhow::Result<bool> {
        let is_optional = !self.provider.needs_key() && self.choice.key == Key::None;
        if is_optional {
            if let Some(questions) = questions {
                self.offer_key(questions)?;
            }
            return Ok(true);
        }
        let Key::Variable(variable) = self.choice.key.clone() else { return Ok(true) };
        if arguments.key_stdin {
            let mut line = zeroize::Zeroizing::new(String::new());
            terminal::input("the key").read_line(&mut line).context("cannot read the key")?;
            let key = Secret::new(line.trim().to_owned());
            if key.expose().is_empty() {
                self.report.wrong("standard input held no key");
                return Ok(false);
            }
            if !is_key(key.expose()) {
                self.report.wrong(format_args!("the key on standard input has {NO_KEY_HAS}"));
                return Ok(false);
            }
            self.typed = Some(key);
        } else if std::env::var_os(&variable).is_some_and(|it| !it.is_empty()) {
            self.report.line(format_args!("The key is the one in {variable}."));
        } else if let Some(questions) = questions {
            if let Some(page) = self.provider.key_page() {
                self.report.line(format_args!("Get a key at {page}"));
            }
            return self.ask_key(questions, &variable);
        }
        let has_key = self.typed.is_some() || std::env::var_os(&variable).is_some_and(|it| !it.is_empty());
        self.say_other_owner();
        if !has_key {
            let page = self.provider.key_page().map_or(String::new(), |it| format!(". Get a key at {it}"));
            self.report.wrong(format_args!(
                "the variable {variable} holds no key; set it, or pass the key with --key-stdin{page}"
            ));
        }
        Ok(has_key)
    }

    /// Asks for the key until one is given that may be this provider's. Returns true if there is one.
    ///
    /// Of a key that looks like one of another provider, the user says whether it is to be tried.
    fn ask_key(&mut self, questions: &mut Questions, variable: &str) -> anyhow::Result<bool> {
        let question = format!("Key for {}", self.provider.name);
        loop {
            let typed = questions.needed_secret(&question, variable)?;
            self.typed = Some(typed);
            let Some(owner) = self.other_owner() else { return Ok(true) };
            let anyway =
                format!("That key seems to be one of {owner}. Use it for {} anyway?", self.provider.name);
            if questions.confirm(&anyway, false)? {
                return Ok(true);
            }
        }
    }

    /// Reports if the key seems to belong to another provider.
    fn say_other_owner(&mut self) {
        if let Some(owner) = self.other_owner() {
            self.report.line(format_args!("That key seems to be one of {owner}."));
        }
    }

    /// The name of another provider that the key seems to belong to.
    fn other_owner(&self) -> Option<&'static str> {
        let Key::Variable(variable) = &self.choice.key else { return None };
        let set = || std::env::var(variable).ok().map(Secret::new);
        let key = self.typed.clone().or_else(set);
        key.and_then(|key| other_owner(key.expose(), &self.choice.base_url)).map(|owner| owner.name.as_str())
    }

    /// Asks for an optional key. A server on this machine is assumed to need none until it refuses a request.
    pub(super) fn offer_key(&mut self, questions: &mut Questions) -> anyhow::Result<()> {
        let is_here = is_on_this_machine(&self.choice.base_url);
        if self.provider.needs_key() || is_here || self.choice.key != Key::None {
            return Ok(());
        }
        let question = format!("Key for {} (Enter gives none)", self.choice.base_url);
        self.take_typed(questions.secret(&question)?);
        Ok(())
    }

    /// Asks for a key to replace a refused one. Returns false if none is given.
    pub(super) fn take_other_key(&mut self, questions: &mut Questions) -> anyhow::Result<bool> {
        let question = if self.choice.key == Key::None { "Its key" } else { "Another key" };
        let typed = questions.secret(&format!("{question} (Enter gives none)"))?;
        let is_given = typed.is_some();
        self.take_typed(typed);
        Ok(is_given)
    }

    fn take_typed(&mut self, typed: Option<Secret>) {
        if typed.is_none() {
            return;
        }
        self.typed = typed;
        if !matches!(self.choice.key, Key::Variable(_)) {
            let usual = self.provider.key_variable.as_deref().unwrap_or(OTHER_VARIABLE);
            self.choice.key = Key::Variable(usual.to_owned());
        }
    }

    /// The next step for a refused key, as a clause. It is shown on the terminal before asking for another key, to
    /// editors, and to users of command-line arguments.
    pub(super) fn how_to_give_other_key(&self, on_terminal: bool) -> String {
        let page = self.provider.key_page().map_or(String::new(), |it| format!("; get one at {it}"));
        let variable = match &self.choice.key {
            Key::Variable(variable) => variable,
            _ => self.provider.key_variable.as_deref().unwrap_or(OTHER_VARIABLE),
        };
        match on_terminal || self.report.is_json {
            true if self.choice.key == Key::None => format!("it needs a key{page}"),
            true => format!("give it another key{page}"),
            false => format!(
                "pass another key with --key-stdin, or set {variable} and name it with --key-variable{page}"
            ),
        }
    }

    /// Stores a typed key in the keychain. If that is not possible, returns a line for the shell's profile.
    pub(super) fn store_key(&mut self) -> Option<String> {
        let (Key::Variable(variable), Some(typed)) = (&self.choice.key, &self.typed) else { return None };
        let profile = line_to_set(variable);
        let Some(keychain) = Keychain::find(&std::env::var_os("PATH").unwrap_or_default()) else {
            return Some(profile);
        };
        match keychain.keep(&self.choice.provider, typed) {
            Ok(()) => {
                self.report.line("The key is in the system's keychain.");
                self.report.outcome.in_keychain = true;
                self.choice.key = Key::Command(keychain.lookup(&self.choice.provider));
                None
            }
            Err(why) => {
                self.report.line(format_args!("The key cannot be stored in the system's keychain: {why}."));
                Some(profile)
            }
        }
    }
}
