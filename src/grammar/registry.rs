//! Joins the table of linked parsers with `grammars/languages.toml`.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Once};

use serde::Deserialize;
use tree_sitter::Language;

use super::builtin::{BUILTIN, Builtin};
use super::{Comments, Grammar, QueryKind};

/// The languages of this program, read once.
pub(super) fn linked() -> &'static [Grammar] {
    static LINKED: LazyLock<Vec<Grammar>> = LazyLock::new(|| match read_entries() {
        Ok(mut entries) => BUILTIN
            .iter()
            .filter_map(|builtin| {
                let entry = entries.remove(builtin.id)?;
                Grammar::new(builtin, entry)
            })
            .collect(),
        // The text is part of the program and a test reads it, so this message is for its editor.
        Err(error) => {
            tracing::error!(%error, "grammars/languages.toml cannot be read: no language is known");
            Vec::new()
        }
    });
    &LINKED
}

/// The entries of `languages.toml` by id.
///
/// # Errors
///
/// What is wrong with the file, and where.
pub(super) fn read_entries() -> Result<BTreeMap<String, Entry>, toml::de::Error> {
    toml::from_str(include_str!("../../grammars/languages.toml"))
}

/// A language as `languages.toml` describes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) editor_ids: Vec<String>,
    #[serde(default)]
    pub(super) extensions: Vec<String>,
    #[serde(default)]
    pub(super) file_names: Vec<String>,
    #[serde(default)]
    pub(super) line_comments: Vec<String>,
    #[serde(default)]
    pub(super) block_comments: Vec<(String, String)>,
    /// Languages whose queries come before this one's own.
    #[serde(default)]
    pub(super) inherits: Vec<String>,
    /// Whether an error that the parser sees is one of the code's.
    #[serde(default = "yes")]
    pub(super) errors_reliable: bool,
    /// Whether most of a file is text for people.
    #[serde(default)]
    pub(super) prose: bool,
}

fn yes() -> bool {
    true
}

impl Grammar {
    /// `None` if the parser is not linked into this program.
    pub(super) fn new(builtin: &'static Builtin, entry: Entry) -> Option<Grammar> {
        let language = Language::new(builtin.language?);
        let ancestors =
            entry.inherits.iter().filter_map(|id| BUILTIN.iter().find(|ancestor| ancestor.id == id));
        let family: Vec<&Builtin> = ancestors.chain([builtin]).collect();
        let sources =
            QueryKind::ALL.map(|kind| family.iter().filter_map(|member| member.source(kind)).collect());
        Some(Grammar {
            id: builtin.id,
            // Made once per language and kept for good, like the grammar itself.
            name: entry.name.leak(),
            editor_ids: entry.editor_ids,
            extensions: entry.extensions,
            file_names: entry.file_names,
            comments: Comments { line: entry.line_comments, block: entry.block_comments },
            errors_reliable: entry.errors_reliable,
            prose: entry.prose,
            language,
            sources,
            queries: Default::default(),
            refused: Once::new(),
        })
    }
}
