//! Questions to a person, on the terminal.

use anyhow::Context as _;
use dialoguer::console::{Term, truncate_str};
use dialoguer::theme::ColorfulTheme;
use dialoguer::{Confirm, Input, Password, Select};

use crate::cli::terminal::{GOOD, Styled};
use crate::config::{NO_KEY_HAS, Secret, complete_url, is_key};
use crate::model::identity;
use crate::text::printable;

/// Rows of a list that are shown at once.
const ROWS: usize = 12;
/// The longest list of models to choose from; a name is typed faster than found in a longer one.
const LISTED_MODELS: usize = 60;
/// The most characters of a line in a list.
const LINE: usize = 110;
/// Columns that stand beside a line of a list. A line that wraps would be left on the screen.
const MARK_COLUMNS: usize = 3;

/// Asks on the terminal. Every answer may be that the person gave up, which is an error.
pub(super) struct Questions(ColorfulTheme);

impl Questions {
    pub(super) fn new() -> Self {
        Self(ColorfulTheme::default())
    }

    /// The place in `lines` of the one that is chosen.
    pub(super) fn choose(&mut self, question: &str, lines: &[String]) -> anyhow::Result<usize> {
        let (_, columns) = Term::stderr().size();
        let most = LINE.min(usize::from(columns).saturating_sub(MARK_COLUMNS));
        let lines: Vec<String> =
            lines.iter().map(|it| truncate_str(&printable(it), most, "…").into_owned()).collect();
        let prompt = format!("{question} (↑ ↓ Enter; Esc leaves)");
        let select =
            Select::with_theme(&self.0).with_prompt(prompt).items(&lines).default(0).max_length(ROWS);
        // What is said of the rows was for the choice, and would wrap behind the question.
        let chosen = select.report(false).interact_opt().context("cannot ask")?;
        let chosen = chosen.context("nothing was chosen, and nothing written")?;
        let name = lines[chosen].split(" — ").next().unwrap_or_default();
        Styled::new(GOOD, "✔").plain(format_args!(" {question} · {name}")).print();
        Ok(chosen)
    }

    pub(super) fn confirm(&mut self, question: &str, default: bool) -> anyhow::Result<bool> {
        let confirm = Confirm::with_theme(&self.0).with_prompt(question).default(default);
        confirm.interact_opt().context("cannot ask")?.context("nothing was answered, and nothing written")
    }

    /// A key, which is not shown; `None` if nothing is typed.
    pub(super) fn secret(&mut self, question: &str) -> anyhow::Result<Option<Secret>> {
        let password = Password::with_theme(&self.0).with_prompt(question).allow_empty_password(true);
        let password = password.validate_with(|typed: &String| match is_key(typed.trim()) {
            true => Ok(()),
            false => Err(format!("It has {NO_KEY_HAS}")),
        });
        let typed = zeroize::Zeroizing::new(password.interact().context("cannot ask")?);
        Ok(Some(typed.trim()).filter(|it| !it.is_empty()).map(|it| Secret::new(it.to_owned())))
    }

    /// A text, which may be empty.
    pub(super) fn part(&mut self, question: &str) -> anyhow::Result<String> {
        let input = Input::<String>::with_theme(&self.0).with_prompt(question).allow_empty(true);
        Ok(input.interact_text().context("cannot ask")?.trim().to_owned())
    }

    /// A server's URL, which is like `example`. What is none is asked for again.
    pub(super) fn url(&mut self, example: &str) -> anyhow::Result<String> {
        let question = format!("Base URL, such as {example}");
        let input = Input::<String>::with_theme(&self.0).with_prompt(question);
        let input = input.validate_with(|typed: &String| complete_url(typed).map(drop));
        let typed = input.interact_text().context("cannot ask")?;
        complete_url(&typed).map_err(anyhow::Error::msg)
    }

    /// A model: one of the list where that is short, else a name.
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
        Ok(input.interact_text().context("cannot ask")?.trim().to_owned())
    }
}
