//! Signatures of what is named around a place.
//!
//! The members of its types and those of imported modules are among them.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::bodies::Named;
use super::choose::Piece;
use super::focus::{Focus, hashes, names};
use super::query::{Expected, Query};
use crate::grammar::Grammar;
use crate::snapshot::RelatedKind;
use crate::text::hash::Fnv32;
use crate::workspace::{Definition, FileSymbols, Mention, Why};

/// Names around the place that are looked up, the nearest first.
const MOST_NAMES: usize = 120;
/// Definitions of one name that are shown.
const MOST_MEANT: usize = 2;
/// A name that so many definitions may be meant by is not looked up any further.
const MOST_AMBIGUOUS: usize = 4;
/// Imported modules whose definitions are looked at.
const MOST_MODULES: usize = 16;
/// What a member of a type counts that stands right before the place.
const MEMBER: f32 = 3.0;
/// What a definition of an imported module counts.
const EXPORT: f32 = 0.6;

/// Adds what definitions let expect, and returns what they name.
///
/// These are their signatures, and the functions of other files that are named, the nearest first.
pub(super) fn pieces(
    query: &Query<'_>,
    grammar: &'static Grammar,
    focus: &Focus,
    expected: &mut Expected,
) -> (Vec<Piece>, Vec<Named>) {
    let mut found =
        Found { query, expected, pieces: Vec::new(), functions: Vec::new(), seen: HashSet::new() };
    let mut looked_up: HashSet<&str> = HashSet::new();
    let (before, after) = focus.text.split_at(focus.cursor);
    let mentions: Vec<(usize, &str)> = names(before).map(|(end, name)| (end - name.len(), name)).collect();
    let behind = names(after).map(|(end, name)| (focus.cursor + end - name.len(), name));
    let nearest_first = mentions.into_iter().rev().chain(behind.take(MOST_NAMES / 4));
    for (at, name) in nearest_first.filter(|it| !grammar_word(it.1)) {
        if !looked_up.insert(name) {
            continue;
        }
        if looked_up.len() > MOST_NAMES || (query.cancelled)() {
            break;
        }
        let line_start = focus.text[..at].rfind('\n').map_or(0, |it| it + 1);
        let mention = Mention {
            path: query.path,
            grammar,
            before: &focus.text[line_start..at],
            name,
            at: focus.start + at,
        };
        let nearness = 1.0 / (1.0 + (looked_up.len() - 1) as f32 / 20.0);
        found.named(mention, nearness);
    }
    for path in query.workspace.imported_files(query.path).into_iter().take(MOST_MODULES) {
        found.module(&path);
    }
    (found.pieces, found.functions)
}

/// Whether it is too short or too common a word to be looked up.
fn grammar_word(name: &str) -> bool {
    name.len() < 3 || ["self", "this", "None", "Some", "true", "false", "return", "super"].contains(&name)
}

struct Found<'a> {
    query: &'a Query<'a>,
    expected: &'a mut Expected,
    pieces: Vec<Piece>,
    functions: Vec<Named>,
    seen: HashSet<(Arc<Path>, usize)>,
}

impl Found<'_> {
    /// The definitions that a name means, and the members of those that are types.
    fn named(&mut self, mention: Mention<'_>, nearness: f32) {
        let workspace = self.query.workspace;
        let mut meant = workspace.resolve(mention);
        let others = meant.iter().filter(|it| it.why == Why::Workspace).count();
        if others > MOST_AMBIGUOUS {
            meant.retain(|it| it.why != Why::Workspace);
        }
        for it in meant.into_iter().take(MOST_MEANT) {
            let path = it.place.path();
            let Some(symbols) = workspace.symbols(path) else { continue };
            let definition = it.place.definition();
            let own = **path == *self.query.path;
            if !own {
                let by = match &it.why {
                    Why::ReExport(by) => format!("imported through {}", (self.query.shown)(by)),
                    why => why.to_string(),
                };
                let why = format!("`{}` is named here; {by}", definition.name).into();
                self.signature(path, &symbols, &definition, &why, Some(nearness));
                if definition.kind.is_callable() && self.query.may_show(path) {
                    self.functions.push(Named {
                        path: Arc::clone(path),
                        name: definition.name.to_owned(),
                        span: definition.start..definition.end,
                        line: definition.line,
                    });
                }
            }
            if !definition.kind.is_type() {
                continue;
            }
            let members = symbols.definitions().enumerate().filter(|(_, it)| {
                let parent = it.parent.and_then(|at| symbols.definition(at));
                parent.is_some_and(|parent| parent.kind.is_type() && parent.name == definition.name)
            });
            let why = format!("a member of `{}`, which is named here", definition.name).into();
            for (_, member) in members {
                *self.expected.entry(Fnv32::of(member.name)).or_default() += MEMBER * nearness;
                if !own {
                    self.signature(path, &symbols, &member, &why, None);
                }
            }
        }
    }

    /// The definitions of an imported module that stand by themselves.
    fn module(&mut self, path: &Arc<Path>) {
        let Some(symbols) = self.query.workspace.symbols(path) else { return };
        let why = "of a module that is imported here".into();
        for definition in symbols.definitions().filter(|it| it.parent.is_none()) {
            *self.expected.entry(Fnv32::of(definition.name)).or_default() += EXPORT;
            self.signature(path, &symbols, &definition, &why, None);
        }
    }

    fn signature(
        &mut self,
        path: &Arc<Path>,
        symbols: &FileSymbols,
        definition: &Definition<'_>,
        why: &Arc<str>,
        is_named: Option<f32>,
    ) {
        if !self.query.may_show(path) || !self.seen.insert((Arc::clone(path), definition.name_start)) {
            return;
        }
        let parent = definition.parent.and_then(|at| symbols.definition(at)).filter(|it| it.kind.is_type());
        let mut text = String::new();
        if let Some(parent) = parent {
            text.push_str(parent.name);
            text.push_str(": ");
        }
        text.push_str(definition.signature);
        if !definition.doc.is_empty() && is_named.is_some() {
            text.push_str("  // ");
            text.push_str(definition.doc);
        }
        text.push('\n');
        self.pieces.push(Piece {
            path: Arc::clone(path),
            line: definition.line,
            names: hashes(&text),
            text,
            kind: RelatedKind::Signatures,
            why: Arc::clone(why),
            is_shown: false,
            is_named,
        });
    }
}
