//! Signatures of names near the cursor, grouped under the types that own them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::choose::Piece;
use super::focus::{Focus, names};
use super::query::Query;
use crate::grammar::Grammar;
use crate::snapshot::RelatedKind;
use crate::workspace::{Definition, FileSymbols, Mention, Why};

/// Maximum number of names to look up, nearest first.
const MOST_NAMES: usize = 120;
/// Maximum number of definitions shown for one name.
const MOST_MEANT: usize = 2;
/// A name that no import resolves is shown if it has at most this many definitions.
const MOST_AMBIGUOUS: usize = 1;
/// Maximum number of members shown for a type that is named.
const MOST_MEMBERS: usize = 8;

/// The signatures of the names near the cursor.
pub(super) fn pieces(query: &Query<'_>, grammar: &'static Grammar, focus: &Focus) -> Vec<Piece> {
    let mut found = SignatureGroups { query, groups: HashMap::new() };
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
    found.groups.into_iter().map(|((path, _), group)| group.piece(path)).collect()
}

/// Whether a name is too short or too common to be looked up.
fn grammar_word(name: &str) -> bool {
    name.len() < 3 || ["self", "this", "None", "Some", "true", "false", "return", "super"].contains(&name)
}

struct SignatureGroups<'a> {
    query: &'a Query<'a>,
    /// Keyed by the file, and the start of the group's outermost definition.
    groups: HashMap<(Arc<Path>, usize), Group>,
}

/// A standalone definition, or a type with its members.
struct Group {
    /// The signatures by line, from 0, each with a line end.
    lines: BTreeMap<usize, String>,
    why: Arc<str>,
    nearness: f32,
}

impl Group {
    fn piece(self, path: Arc<Path>) -> Piece {
        let first = self.lines.keys().next().copied().unwrap_or_default();
        let last = self.lines.keys().next_back().copied().unwrap_or_default();
        Piece {
            path,
            lines: first..last + 1,
            text: self.lines.into_values().collect(),
            kind: RelatedKind::Signatures,
            why: self.why,
            worth: self.nearness,
        }
    }
}

impl SignatureGroups<'_> {
    /// Adds the definitions that a name resolves to, and the members of types among them.
    fn named(&mut self, mention: Mention<'_>, nearness: f32) {
        let workspace = self.query.workspace;
        let mut meant = workspace.resolve(mention);
        let others = meant.iter().filter(|it| it.why == Why::Workspace).count();
        if others > MOST_AMBIGUOUS {
            meant.retain(|it| it.why != Why::Workspace);
        }
        for it in meant.into_iter().take(MOST_MEANT) {
            let path = it.place.path();
            let Some(symbols) = workspace.symbols(path).filter(|_| self.query.may_show(path)) else {
                continue;
            };
            let definition = it.place.definition();
            let by = match &it.why {
                Why::ReExport(by) => format!("imported through {}", (self.query.shown)(by)),
                why => why.to_string(),
            };
            let why = format!("`{}` is named here; {by}", definition.name).into();
            self.signature(path, &symbols, &definition, &why, nearness);
            if definition.kind.is_type() {
                let is_member = |it: &Definition<'_>| {
                    let parent = it.parent.and_then(|at| symbols.definition(at));
                    parent.is_some_and(|it| it.start == definition.start)
                };
                for member in symbols.definitions().filter(is_member).take(MOST_MEMBERS) {
                    self.signature(path, &symbols, &member, &why, nearness);
                }
            }
        }
    }

    /// Adds a signature to the group of its type.
    fn signature(
        &mut self,
        path: &Arc<Path>,
        symbols: &FileSymbols,
        definition: &Definition<'_>,
        why: &Arc<str>,
        nearness: f32,
    ) {
        let parent = definition.parent.and_then(|at| symbols.definition(at)).filter(|it| it.kind.is_type());
        let outer = parent.as_ref().unwrap_or(definition);
        let group = self.groups.entry((Arc::clone(path), outer.start)).or_insert_with(|| Group {
            lines: BTreeMap::from([(outer.line, line(outer, ""))]),
            why: Arc::clone(why),
            nearness,
        });
        group.nearness = group.nearness.max(nearness);
        if parent.is_some() {
            group.lines.entry(definition.line).or_insert_with(|| line(definition, "    "));
        }
    }
}

/// A definition's signature, with its doc line if that is a sentence.
fn line(definition: &Definition<'_>, indent: &str) -> String {
    let is_sentence = definition.doc.ends_with(['.', '!', '?']);
    let doc = if is_sentence { format!("  // {}", definition.doc) } else { String::new() };
    format!("{indent}{}{doc}\n", definition.signature)
}
