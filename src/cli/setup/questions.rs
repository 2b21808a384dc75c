//! Asks questions on the terminal.

use std::io::ErrorKind;

use anyhow::Context as _;
use dialoguer::console::{Term, truncate_str};
use dialoguer::theme::ColorfulTheme;
use dialoguer::{Confirm, Input, Password, Select};

use crate::cli::terminal::{GOOD, Styled};
use crate::config::{NO_KEY_HAS, Secret, complete_url, is_key};
use crate::model::identity;
use crate::text::printable;

/// The maximum number of visible rows of a list.
const ROWS: usize = 12;
/// The maximum number of models to list; with more, typing a name is faster than finding it.
const LISTED_MODELS: usize = 60;
/// The maximum width of a line in a list, in columns.
const LINE: usize = 110;
/// The columns for the marker of a line in a list. A line that wraps would not be erased from the screen.
const MARK_COLUMNS: usize = 3;

/// The answer to a question. An interrupt leaves the cursor of a list hidden, so it is shown again.
fn answered<T>(answer: dialoguer::Result<T>) -> anyhow::Result<T> {
    answer.map_err(|error| {
        let dialoguer::Error::IO(error) = error;
        match (error.kind(), Term::stderr().show_cursor()) {
            (ErrorKind::Interrupted, Ok(())) => anyhow::anyhow!("nothing was chosen, and nothing written"),
            _ => anyhow::Error::new(error).context("cannot ask"),
        }
    })
}

/// Asks questions on the terminal. Cancelling a question is an error.
pub(in crate::cli) struct Questions(ColorfulTheme);

impl Questions {
    pub(in crate::cli) fn new() -> Self {
        Self(ColorfulTheme::default())
    }

    /// Asks for a choice; returns the index of the chosen line.
    pub(in crate::cli) fn choose(&mut self, question: &str, lines: &[String]) -> anyhow::Result<usize> {
        let (_, columns) = Term::stderr().size();
        let most = LINE.min(usize::from(columns).saturating_sub(MARK_COLUMNS));
        let lines: Vec<String> =
            lines.iter().map(|it| truncate_str(&printable(it), most, "…").into_owned()).collect();
        let prompt = format!("{question} (↑ ↓ Enter; Esc leaves)");
        let select =
            Select::with_theme(&self.0).with_prompt(prompt).items(&lines).default(0).max_length(ROWS);
        // Only the name is reported: the details of a row would make the line wrap.
        let chosen = answered(select.report(false).interact_opt())?;
        let chosen = chosen.context("nothing was chosen, and nothing written")?;
        let name = lines[chosen].split(" — ").next().unwrap_or_default();
        Styled::new(GOOD, "✔").plain(format_args!(" {question} · {name}")).print();
        Ok(chosen)
    }

    pub(super) fn confirm(&mut self, question: &str, default: bool) -> anyhow::Result<bool> {
        let confirm = Confirm::with_theme(&self.0).with_prompt(question).default(default);
        answered(confirm.interact_opt())?.context("nothing was answered, and nothing written")
    }

    /// Asks for a key without echoing it, until one is typed. `variable` is where it could be put instead.
    pub(super) fn needed_secret(&mut self, question: &str, variable: &str) -> anyhow::Result<Secret> {
        let password = Password::with_theme(&self.0).with_prompt(question).allow_empty_password(true);
        let password = password.validate_with(|typed: &String| match typed.trim() {
            "" => Err(format!("A key is needed; Ctrl+C leaves, to set {variable} first")),
            typed if is_key(typed) => Ok(()),
            _ => Err(format!("It has {NO_KEY_HAS}")),
        });
        let typed = zeroize::Zeroizing::new(answered(password.interact())?);
        Ok(Secret::new(typed.trim().to_owned()))
    }

    /// Asks for a key without echoing it; `None` if nothing is typed.
    pub(super) fn secret(&mut self, question: &str) -> anyhow::Result<Option<Secret>> {
        let password = Password::with_theme(&self.0).with_prompt(question).allow_empty_password(true);
        let password = password.validate_with(|typed: &String| match is_key(typed.trim()) {
            true => Ok(()),
            false => Err(format!("It has {NO_KEY_HAS}")),
        });
        let typed = zeroize::Zeroizing::new(answered(password.interact())?);
        Ok(Some(typed.trim()).filter(|it| !it.is_empty()).map(|it| Secret::new(it.to_owned())))
    }

    /// Asks for a text, which may be empty.
    pub(super) fn part(&mut self, question: &str) -> anyhow::Result<String> {
        let input = Input::<String>::with_theme(&self.0).with_prompt(question).allow_empty(true);
        Ok(answered(input.interact_text())?.trim().to_owned())
    }

    /// Asks for a server's URL, such as `example`, until it is valid.
    pub(super) fn url(&mut self, example: &str) -> anyhow::Result<String> {
        let question = format!("Base URL, such as {example}");
        let input = Input::<String>::with_theme(&self.0).with_prompt(question);
        let input = input.validate_with(|typed: &String| complete_url(typed).map(drop));
        let typed = answered(input.interact_text())?;
        complete_url(&typed).map_err(anyhow::Error::msg)
    }

    /// Asks for a model: one of the list if it is short, else by name.
    pub(super) fn model(&mut self, listed: &[String], preferred: Option<&str>) -> anyhow::Result<String> {
        if (1..=LISTED_MODELS).contains(&listed.len()) {
            let mut models: Vec<String> = listed.to_vec();
            models.sort_by_key(|it| Some(it.as_str()) != preferred);
            let shown: Vec<String> = models.iter().map(|it| identity::shown(it).to_owned()).collect();
            let chosen = self.choose("Which model?", &shown)?;
            return Ok(models.swap_remove(chosen));
        }
        let mut input = Input::<String>::with_theme(&self.0).with_prompt("Which model?");
        if let Some(preferred) = preferred {
            input = input.default(preferred.to_owned());
        }
        Ok(answered(input.interact_text())?.trim().to_owned())
    }
}
