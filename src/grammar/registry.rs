//! Joins the table of linked parsers with `grammars/languages.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use super::builtin::BUILTIN;
use super::facts::Facts;
use super::language::Grammar;

/// Finds a language by an editor's `editor_id`, the `languageId` of LSP.
///
/// Case does not matter.
pub fn by_language_id(editor_id: &str) -> Option<&'static Grammar> {
    known().find(|grammar| grammar.facts().editor_ids.iter().any(|id| id.eq_ignore_ascii_case(editor_id)))
}

/// Finds the language of a file by its whole name, else by its extension.
///
/// Does not read the file.
pub fn by_path(path: &Path) -> Option<&'static Grammar> {
    let name = path.file_name()?.to_str()?;
    let named = known().find(|grammar| grammar.facts().file_names.iter().any(|known| known == name));
    named.or_else(|| {
        let extension = path.extension()?.to_str()?;
        known().find(|grammar| {
            grammar.facts().extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        })
    })
}

/// All languages that are linked into this program.
pub fn all() -> impl Iterator<Item = &'static Grammar> {
    linked().iter()
}

/// The `languageId`s of all linked languages.
pub fn language_ids() -> impl Iterator<Item = &'static str> {
    all().flat_map(|grammar| grammar.facts().editor_ids.iter().map(String::as_str))
}

/// All languages, and in tests the language they add.
fn known() -> impl Iterator<Item = &'static Grammar> {
    #[cfg(test)]
    return all().chain(super::tests::added());
    #[cfg(not(test))]
    all()
}

/// The languages of this program, read once.
fn linked() -> &'static [Grammar] {
    static LINKED: LazyLock<Vec<Grammar>> = LazyLock::new(|| match read_entries() {
        Ok(mut entries) => BUILTIN
            .iter()
            .filter_map(|builtin| {
                let entry = entries.remove(builtin.id)?;
                Grammar::new(builtin, entry)
            })
            .collect(),
        // The file is compiled in and covered by a test, so this only fails in development.
        Err(error) => {
            tracing::error!(%error, "grammars/languages.toml cannot be read: no language is known");
            Vec::new()
        }
    });
    &LINKED
}

/// The entries of `languages.toml` by id.
pub(super) fn read_entries() -> Result<BTreeMap<String, Facts>, toml::de::Error> {
    toml::from_str(include_str!("../../grammars/languages.toml"))
}
