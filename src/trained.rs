//! Models trained to predict edits: their prompts, and how their replies are read.
//!
//! These are not chat models. Each knows one form of prompt, its [dialect](EditDialect), and replies
//! with the new text of one region around the cursor, from which the edits are derived. The table
//! of models and their dialects is in [`crate::config::models`].
//!
//! A dialect is a file with four functions: `render` builds the prompt for a [`Scene`], `read`
//! turns a reply into edits, and `parse` and `write` are their inverses, for engines that answer
//! without a model. Readers are strict: a reply is refused unless it certainly is the region's new
//! text. A scene that contains a dialect's markers is not rendered in that dialect.
//!
//! | dialect | source of the form |
//! |---|---|
//! | `zeta2`, `zeta2.1` | the model cards of `zed-industries/zeta-2` and `zeta-2.1`, and `crates/zeta_prompt` of Zed, whose published bindings (`zed-zeta-bindings` 1.10.2) gave the bytes to compare with: formats `V0211SeedCoder` and `V0318SeedMultiRegions` |
//! | `sweep` | Sweep's article on its open weights ("Our format"), its extension `vscode-nes` and `cursortab.nvim`, and `edit_prediction` of Zed, which agree |
//! | `mercury` | Inception's API reference (`/v1/edit/completions`), and Zed, `cursortab.nvim` and Kilo Code, which agree on the tags and the fence |
//!
//! Experimental: untested with real models, since neither weights nor an API key were available.

mod history;
mod mercury;
mod scene;
mod sweep;
mod zeta;

use crate::edit::{Refusal, Unchecked};
use crate::grammar::Grammar;
use crate::snapshot::{RelatedKind, RelatedPart};

pub use crate::config::EditDialect;
pub use scene::{Rendered, Scene};

/// Renders the prompt for a scene; `None` if the scene contains the dialect's own markers.
pub fn render(dialect: EditDialect, scene: &Scene) -> Option<Rendered> {
    match dialect {
        EditDialect::Zeta2 => zeta::render(zeta::Marks::Conflict, scene),
        EditDialect::Zeta21 => zeta::render(zeta::Marks::Numbered, scene),
        EditDialect::Sweep => sweep::render(scene),
        EditDialect::Mercury => mercury::render(scene),
    }
}

/// Renders the parts of other files that a prompt quotes.
///
/// Project rules are left out, since these models take no instructions.
pub fn quote(dialect: EditDialect, parts: &[&RelatedPart]) -> String {
    let mut files: Vec<(&str, String)> = Vec::new();
    for part in parts.iter().filter(|part| part.kind != RelatedKind::Rules) {
        match files.last_mut() {
            Some((path, text)) if **path == *part.path => text.push_str(&part.text),
            _ => files.push((&part.path, part.text.clone())),
        }
    }
    match dialect {
        EditDialect::Zeta2 | EditDialect::Zeta21 => zeta::quote(&files),
        EditDialect::Sweep => sweep::quote(&files),
        EditDialect::Mercury => mercury::quote(&files),
    }
}

/// Returns the edits (byte ranges of the scene's region) that a whole reply makes.
///
/// The result is empty if the reply leaves the region unchanged.
///
/// # Errors
///
/// [`Refusal`] when the reply is not in the dialect's form, or may not be the region's new text.
pub fn read(
    dialect: EditDialect,
    scene: &Scene,
    grammar: Option<&Grammar>,
    reply: &str,
) -> Result<Unchecked, Refusal> {
    match dialect {
        EditDialect::Zeta2 => zeta::read_conflict(scene, grammar, reply),
        EditDialect::Zeta21 => zeta::read_numbered(scene, grammar, reply),
        EditDialect::Sweep => sweep::read(scene, grammar, reply),
        EditDialect::Mercury => mercury::read(scene, grammar, reply),
    }
}

/// Whether replies end with a marker, which makes a truncated reply detectable.
pub fn marks_its_end(dialect: EditDialect) -> bool {
    dialect != EditDialect::Sweep
}

/// Parses a prompt back into its scene, without the files that it quotes.
///
/// `None` if the prompt is in no dialect.
pub fn parse(prompt: &str) -> Option<(EditDialect, Scene)> {
    let parsed = |dialect, scene: Option<Scene>| Some((dialect, scene?));
    parsed(EditDialect::Zeta2, zeta::parse(zeta::Marks::Conflict, prompt))
        .or_else(|| parsed(EditDialect::Zeta21, zeta::parse(zeta::Marks::Numbered, prompt)))
        .or_else(|| parsed(EditDialect::Sweep, sweep::parse(prompt)))
        .or_else(|| parsed(EditDialect::Mercury, mercury::parse(prompt)))
}

/// Writes the reply that changes a scene's region to `new`.
pub fn write(dialect: EditDialect, scene: &Scene, new: &str) -> String {
    match dialect {
        EditDialect::Zeta2 => zeta::write_conflict(scene, new),
        EditDialect::Zeta21 => zeta::write_numbered(scene, new),
        EditDialect::Sweep => sweep::write(new),
        EditDialect::Mercury => mercury::write(scene, new),
    }
}

#[cfg(test)]
mod tests;
