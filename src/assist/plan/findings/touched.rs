//! Judges by the changed places alone whether a change may leave uses of what it takes away.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use crate::edit::{Edit, apply};
use crate::text::ident;
use crate::workspace::{Definition, FileSymbols, Workspace};

/// Limit on the names that are looked for, each in its function.
const MOST_NAMES: usize = 64;

/// Whether edits touch the head of a definition or an import, or take away what may be the declaration of a name.
///
/// Most edits do neither, and the index of a large project takes long to copy. They do if the workspace lacks the file.
pub fn may_leave_uses(workspace: &Workspace, path: &Path, text: &str, edits: &[Edit]) -> bool {
    workspace.symbols(path).is_none_or(|symbols| {
        touches(&seen_elsewhere(&symbols, text), edits)
            || takes_away(&symbols, text, edits, &apply(text, edits))
    })
}

/// The ranges, in order, of what other code depends on: the imports with their lines, and the heads of definitions.
fn seen_elsewhere(symbols: &FileSymbols, text: &str) -> Vec<Range<usize>> {
    let line_end = |at: usize| text.get(at..).and_then(|it| it.find('\n')).map_or(text.len(), |it| at + it);
    let visible = symbols.definitions().filter(|it| is_visible(symbols, it));
    let heads = visible.map(|it| it.start..head_end(text, &it));
    let mut ranges: Vec<_> = symbols.imports().map(|it| it.start..line_end(it.start)).chain(heads).collect();
    ranges.sort_by_key(|it| it.start);
    ranges
}

/// Whether other files may use a definition: it is not within a function.
pub(super) fn is_visible(symbols: &FileSymbols, definition: &Definition<'_>) -> bool {
    let parent = definition.parent.and_then(|at| symbols.definition(at));
    parent.is_none_or(|it| !it.kind.is_callable())
}

/// The end of a definition's head: its signature has the same characters but for blanks.
fn head_end(text: &str, definition: &Definition<'_>) -> usize {
    let is_visible = |it: &char| !it.is_whitespace();
    let name = definition.signature.find(definition.name).unwrap_or(0);
    let length = definition.signature[name..].chars().filter(is_visible).count();
    let rest = text.get(definition.name_start..definition.end).unwrap_or_default();
    let last = rest.char_indices().filter(|(_, it)| is_visible(it)).nth(length.saturating_sub(1));
    last.map_or(definition.end, |(at, it)| definition.name_start + at + it.len_utf8())
}

/// Whether an edit touches one of the ranges; both are in order.
fn touches(ranges: &[Range<usize>], edits: &[Edit]) -> bool {
    let mut ranges = ranges.iter().peekable();
    edits.iter().any(|Edit { span, .. }| {
        while ranges.next_if(|it| it.end < span.start).is_some() {}
        ranges.peek().is_some_and(|it| it.start <= span.end)
    })
}

/// Whether an edit takes away the first place of a name in its function, perhaps a declaration, and the new text still
/// has the name.
fn takes_away(symbols: &FileSymbols, text: &str, edits: &[Edit], new: &str) -> bool {
    let whole = |edit: &Edit| {
        let before = ident::last_partial(&text[..edit.span.start]).len();
        edit.span.start - before..edit.span.end + ident::first_partial(&text[edit.span.end..]).len()
    };
    let inserted = |edit: &Edit| {
        let Range { start, end } = whole(edit);
        [&text[start..edit.span.start], &edit.text, &text[edit.span.end..end]].concat()
    };
    let inserted: Vec<String> = edits.iter().map(inserted).collect();
    let kept: HashSet<&str> = inserted.iter().flat_map(|it| ident::names(it)).collect();
    let mut gone: HashMap<&str, usize> = HashMap::new();
    for edit in edits {
        let old = whole(edit);
        for name in ident::names(&text[old.clone()]).filter(|it| !kept.contains(it)) {
            gone.entry(name).or_insert(old.start);
        }
    }
    let left: HashSet<&str> = ident::names(new).filter(|it| gone.contains_key(it)).collect();
    let is_first = |name: &&str| {
        let at = gone[name];
        let around = symbols.definitions().filter(|it| it.start <= at && at < it.end);
        let function = around.filter(|it| it.kind.is_callable()).map(|it| it.start).max().unwrap_or(0);
        !ident::has_word(&text[function..at], name)
    };
    left.len() > MOST_NAMES || left.iter().any(is_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff;

    #[test]
    fn change_within_a_body_leaves_no_uses() {
        let path = Path::new("a.py");
        let text = "from b import c\n\nMOST = 1\n\ndef area(\n    width,\n    height,\n):\n    total = width * height\n    return total\n";
        let workspace = Workspace::default();
        workspace.put(path, crate::grammar::by_path(path).unwrap(), text);
        let check = |old: &str, new: &str, expected: bool| {
            let edits = diff::minimal(text, &text.replace(old, new));
            assert_eq!(may_leave_uses(&workspace, path, text, &edits), expected, "{old} -> {new}");
        };
        check("    total = width * height", "    total = height * width + 1", false);
        check("    return total", "    return total + width", false);
        check("    return total", "    return width", false);
        // The file still has `total`.
        check("    total = width * height", "    sum = width * height", true);
        check("    height,", "    height, depth,", true);
        check("def area(", "def areas(", true);
        check("from b import c", "from b import c, d", true);
        // Other files may import it.
        check("MOST = 1", "LIMIT = 1", true);
    }
}
