//! Models that were trained to predict edits: what each is shown, and how its reply is read.
//!
//! They are no chat models. Each knows one form of prompt, its [dialect](EditDialect), and writes the new
//! text of one region around the cursor, from which the edits follow. Which models know which dialect is data
//! ([`crate::config::models`]).
//!
//! A dialect is a file with four functions: `render` shows a [`Scene`], `read` makes edits of a reply, and
//! `parse` and `write` are their inverses, for engines that answer without a model. Readers are strict: what
//! is not the region's new text for certain is refused. A scene that has a dialect's own marks in it is not
//! shown in that dialect.
//!
//! | dialect | what the form was taken from |
//! |---|---|
//! | `zeta2`, `zeta2.1` | the model cards of `zed-industries/zeta-2` and `zeta-2.1`, and `crates/zeta_prompt` of Zed, whose published bindings (`zed-zeta-bindings` 1.10.2) gave the bytes to compare with: formats `V0211SeedCoder` and `V0318SeedMultiRegions` |
//! | `sweep` | Sweep's article on its open weights ("Our format"), its extension `vscode-nes` and `cursortab.nvim`, and `edit_prediction` of Zed, which agree |
//! | `mercury` | Inception's API reference (`/v1/edit/completions`), and Zed, `cursortab.nvim` and Kilo Code, which agree on the tags and the fence |
//!
//! Experimental: no model was asked with them, since neither weights nor a key were at hand.

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

/// The prompt that shows a scene; `None` if the scene has the dialect's own marks in it.
pub fn render(dialect: EditDialect, scene: &Scene) -> Option<Rendered> {
    match dialect {
        EditDialect::Zeta2 => zeta::render(zeta::Marks::Conflict, scene),
        EditDialect::Zeta21 => zeta::render(zeta::Marks::Numbered, scene),
        EditDialect::Sweep => sweep::render(scene),
        EditDialect::Mercury => mercury::render(scene),
    }
}

/// What a prompt quotes of other files.
///
/// A project's rules are left out: such a model takes no instructions.
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

/// The edits of a scene's region (bytes of it) that a whole reply asks for.
///
/// None if it leaves the region as it is.
///
/// # Errors
///
/// [`Refusal`] when the reply is not in the dialect's form, or not the region's new text for certain.
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

/// Whether a reply ends with a mark of its own, so that a cut one is known by itself.
pub fn marks_its_end(dialect: EditDialect) -> bool {
    dialect != EditDialect::Sweep
}

/// The scene that a prompt shows, without the files that it quotes.
///
/// `None` if it is in no dialect.
pub fn parse(prompt: &str) -> Option<(EditDialect, Scene)> {
    let parsed = |dialect, scene: Option<Scene>| Some((dialect, scene?));
    parsed(EditDialect::Zeta2, zeta::parse(zeta::Marks::Conflict, prompt))
        .or_else(|| parsed(EditDialect::Zeta21, zeta::parse(zeta::Marks::Numbered, prompt)))
        .or_else(|| parsed(EditDialect::Sweep, sweep::parse(prompt)))
        .or_else(|| parsed(EditDialect::Mercury, mercury::parse(prompt)))
}

/// The reply that makes `new` of a scene's region.
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
