//! Reads and edits the text of a configuration file, preserving everything else in it.

mod choice;
mod entry;
mod profile;

use toml_edit::{DocumentMut, Item};

pub(super) use choice::{Choice, Key, with, with_first};
pub(super) use profile::{profiles, with_profile, with_record};

/// The reason that a choice cannot be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwritable {
    /// The file has a syntax error.
    #[error("it is not valid TOML: {0}")]
    Syntax(String),
    /// The file has a value where a table is needed.
    #[error("`{0}` is not a table")]
    NotATable(String),
    /// The file has a table where a value is needed.
    #[error("`{0}` is a table, not a value")]
    NotAValue(String),
    /// The model to put first is not among the candidates.
    #[error("`{path}.candidates` has no {model} of `{provider}`; {next_step}")]
    NoCandidate { path: String, provider: String, model: String, next_step: &'static str },
    /// The provider's name is taken.
    #[error("`providers.{name}` is another place already, {base_url}; choose another name with --name")]
    Taken { name: String, base_url: String },
}

/// Whether this provider name can be used for this URL: it is unused, or already has that URL.
pub(super) fn is_free(text: &str, provider: &str, base_url: &str) -> Result<bool, Unwritable> {
    let document = parse(text)?;
    let table = document.get("providers").and_then(|it| it.get(provider));
    let taken = table.and_then(|it| it.get("base_url")).and_then(Item::as_str);
    Ok(taken.is_none_or(|taken| is_same_place(taken, base_url)))
}

fn is_same_place(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Whether the text configures the provider's key.
pub(super) fn has_key(text: &str, provider: &str) -> Result<bool, Unwritable> {
    let document = parse(text)?;
    let table = document.get("providers").and_then(|it| it.get(provider)).and_then(Item::as_table_like);
    Ok(table.is_some_and(|it| it.contains_key("api_key_env") || it.contains_key("api_key_command")))
}

/// Whether the text has candidates for a role (`fast`, `deep`).
pub(super) fn has_candidates(text: &str, role: &str) -> Result<bool, Unwritable> {
    let document = parse(text)?;
    let candidates = document.get(role).and_then(|it| it.get("candidates"));
    Ok(candidates.is_some_and(|it| {
        it.as_array().is_some_and(|it| !it.is_empty())
            || it.as_array_of_tables().is_some_and(|it| !it.is_empty())
    }))
}

fn parse(text: &str) -> Result<DocumentMut, Unwritable> {
    text.parse().map_err(|error| syntax(text, &error))
}

fn syntax(text: &str, error: &toml_edit::TomlError) -> Unwritable {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Unwritable::Syntax(format!("line {line}, column {column}: {}", error.message()))
}

fn line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// The text of an edited document, with the line ends of the text that it was read from: toml_edit writes `\n`.
fn written(document: &DocumentMut, text: &str) -> String {
    document.to_string().replace("\r\n", "\n").replace('\n', line_end(text))
}
