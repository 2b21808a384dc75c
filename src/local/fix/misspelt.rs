//! Names with a letter too many, too few or wrong.

use std::ops::Range;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::imports::is_import;
use super::problem::{Problem, only_place, quoted, unknown_name};
use crate::document::Document;
use crate::edit::Edit;
use crate::local::syntax::{node_at, nodes_at};
use crate::text::ident;

/// Bytes of a name at least: shorter ones have neighbours everywhere.
const NAME_BYTES: usize = 3;
/// The words before a name that a tool offers.
const OFFERS: [&str; 7] = [
    "did you mean",
    "; maybe ",
    "similar name exists: ",
    "but does have ",
    "Did you mean",
    "perhaps you meant",
    "with a similar name: ",
];

/// Replaces a name by the one that the tool offers for it.
pub(super) fn offered(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let said = &problem.said;
    let (at, words) = OFFERS.iter().filter_map(|words| Some((said.find(words)?, *words))).min()?;
    let (before, behind) = (&said[..at], said[at + words.len()..].lines().next()?);
    let mut offers = quoted(behind);
    let new = match offers.next() {
        Some(new) if offers.next().is_none() => new,
        Some(_) => return None,
        // Go quotes no names.
        None => behind.trim_end_matches([')', '.', '?']).rsplit(' ').next()?,
    };
    if new == "->" || new == "." {
        return pointer(file, problem, new);
    }
    // The name that is wrong is the last one before that is written here.
    let names: Vec<&str> = quoted(before).chain(ident::words(before)).collect();
    let last = ident::last_partial(new);
    if !ident::is_name(last) || !new.chars().all(|it| ident::is_part_or_dollar(it) || it == ':' || it == '.')
    {
        return None;
    }
    let candidates = names.into_iter().filter(|it| {
        ident::is_name(it) && *it != last
            || new.ends_with(&format!(":{it}"))
            || new.ends_with(&format!(".{it}"))
    });
    let (old, span) = candidates
        .filter(|it| is_near(it, last))
        .find_map(|it| Some((it, only_place(file, &problem.span, it)?)))?;
    (old != new).then(|| replaced(file, span, old, new))
}

/// `a.b` for a pointer is `a->b`, and the other way round.
fn pointer(file: &FileView<'_>, problem: &Problem<'_>, new: &str) -> Option<Fix> {
    let old = if new == "->" { "." } else { "->" };
    let line = problem.span.start..file.next_line_start(problem.span.start);
    let text = file.slice(line.clone());
    let at = if text.starts_with(old) { 0 } else { ident::first_partial(&text).len() };
    text[at..].starts_with(old).then(|| {
        let start = line.start + at;
        Fix::new(
            Kind::MisspeltName,
            format!("change `{old}` to `{new}`"),
            vec![Edit::new(start..start + old.len(), new)],
        )
    })
}

/// Replaces a name that is not known by the only one that is like it.
pub(super) fn unknown(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    // A tool that knows where the name comes from does not take it for a mistake.
    if problem.said.contains("importing") {
        return None;
    }
    let (mut name, mut span) = unknown_name(file, problem)?;
    // Of `a.b`, tools mark both and name one.
    let behind = file.slice(span.end..file.next_line_start(span.end));
    if let Some(member) = behind.strip_prefix('.').map(ident::first_partial)
        && problem.said.contains(&format!("{name}.{member}"))
        && ident::is_name(member)
    {
        let start = span.end + 1;
        (name, span) = (member.to_owned(), start..start + member.len());
    }
    let new = only_candidate(file, &span, &name)?;
    Some(replaced(file, span, &name, &new))
}

fn replaced(file: &FileView<'_>, span: Range<usize>, old: &str, new: &str) -> Fix {
    let edits = everywhere(file, &span, old, new).unwrap_or_else(|| vec![Edit::new(span, new)]);
    Fix::new(Kind::MisspeltName, format!("change `{old}` to `{new}`"), edits)
}

/// The edits for a name that an import brings into the file: whatever uses it is misspelt as well. `None` if
/// the place is not in an import.
pub(super) fn everywhere(
    file: &FileView<'_>,
    span: &Range<usize>,
    old: &str,
    new: &str,
) -> Option<Vec<Edit>> {
    if !is_import(file, span.start) {
        return None;
    }
    let text = file.contents();
    let is_used = |at: &usize| {
        let is_member = text[..*at].ends_with(['.', '>']) && !is_import(file, *at);
        let is_name = node_at(file, *at).is_some_and(|node| node.kind().contains("identifier"));
        *at == span.start || is_name && !is_member
    };
    let places = ident::occurrences(text, old).filter(is_used);
    Some(places.map(|at| Edit::new(at..at + old.len(), new)).collect())
}

/// Whether two names differ as much as one that is misspelt does from the one that is meant.
pub(super) fn is_near(old: &str, new: &str) -> bool {
    old.eq_ignore_ascii_case(new) || distance(old, new) <= limit(old)
}

fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}

/// The distance of two names if it is no more than `most`. Most names of a file are told from another by
/// their length.
fn distance_within(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.is_ascii() && b.is_ascii() && a.len().abs_diff(b.len()) > most {
        return None;
    }
    Some(distance(a, b)).filter(|far| *far <= most)
}

/// How many letters of a name may be wrong.
fn limit(name: &str) -> usize {
    match name.len() {
        0..=4 => 1,
        5..=9 => 2,
        _ => 3,
    }
}

/// Whether no other name of the file is as near, nor one of the library where that can be meant.
pub(super) fn is_certain(file: &FileView<'_>, old: &str, new: &str, may_be_of_library: bool) -> bool {
    let (old, new) = (old.trim_end_matches('!'), new.trim_end_matches('!'));
    let best = distance(old, new);
    let is_rival = |it: &str| it != old && it != new && distance_within(old, it, best).is_some();
    let of_library = || file.grammar().is_some_and(|grammar| grammar.library().any(is_rival));
    let has_rival = file.names().keys().flat_map(|it| ident::names(it)).any(is_rival)
        || may_be_of_library && of_library();
    !has_rival
}

/// The one name that can stand at a place, and is near to another.
fn only_candidate(file: &FileView<'_>, span: &Range<usize>, name: &str) -> Option<String> {
    let grammar = file.grammar()?;
    if name.len() < NAME_BYTES || grammar.has_in_library(name) {
        return None;
    }
    let before = file.slice(file.line_start(span.start)..span.start);
    let is_member = ["::", "->", "."].iter().any(|it| before.ends_with(it));
    // Of a member's type nothing is known, so that it must be evident.
    let most = if is_member { 1 } else { limit(name) };
    let is_capital = |it: &str| it.starts_with(char::is_uppercase);
    let near = |it: &str| {
        // What is a type is no function.
        let is_alike = is_capital(it) == is_capital(name) || is_member;
        let is_alike = is_alike && it != name && it.len() >= NAME_BYTES;
        if is_alike { distance_within(it, name, most) } else { None }
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    found.extend(file.names().keys().filter_map(|it| Some((near(it)?, it.as_str()))));
    found.extend(grammar.library().filter_map(|it| Some((near(it)?, it))));
    found.sort_unstable();
    found.dedup();
    let (one, is_only) = match found.as_slice() {
        [] => return None,
        [(_, one)] => (*one, true),
        [(best, one), (next, _), ..] => (*one, best < next),
    };
    let places = || file.names().get(one).into_iter().flatten();
    let is_there =
        || grammar.has_in_library(one) || places().any(|at| can_stand(file, *at, span.start, is_member));
    (is_only && is_there()).then(|| one.to_owned())
}

/// Whether the name at a byte can be meant at another.
fn can_stand(file: &FileView<'_>, at: usize, wanted: usize, is_member: bool) -> bool {
    let nodes = nodes_at(file, at);
    let Some(node) = nodes.first().filter(|node| node.kind().contains("identifier")) else {
        return false;
    };
    let parent = nodes.get(1);
    let before = file.slice(file.line_start(at)..at);
    let is_behind = ["::", "->", "."].iter().any(|it| before.ends_with(it));
    let is_of_type = ["property", "field", "method"]
        .iter()
        .any(|it| node.kind().contains(it) || parent.is_some_and(|parent| parent.kind().contains(it)));
    if is_member {
        return is_behind || is_of_type;
    }
    // What an import names last, it brings into the file.
    let is_last = || {
        let behind = file.slice(node.end_byte()..file.next_line_start(at));
        !behind.starts_with("::") && !behind.starts_with('.')
    };
    let is_imported = is_behind && is_last() && is_import(file, at);
    if is_behind && !is_imported || node.kind().contains("property") || node.kind().contains("field") {
        return false;
    }
    // A keyword argument is another function's name.
    if parent.is_some_and(|it| it.kind() == "keyword_argument" && it.start_byte() == node.start_byte()) {
        return false;
    }
    is_visible(file, &nodes, wanted)
}

/// Whether the scope that a name belongs to reaches a place. `nodes` are the name and what is around it.
fn is_visible(document: &Document, nodes: &[Node<'_>], wanted: usize) -> bool {
    let facts = document.grammar().map(crate::grammar::Grammar::facts);
    let (blocks, members) = facts.map_or((true, false), |it| (it.block_scopes, it.implicit_receiver));
    for pair in nodes.windows(2) {
        let [child, parent] = pair else { continue };
        let kind = parent.kind();
        let names = |field: &str| parent.child_by_field_name(field) == Some(*child);
        // The name of a definition belongs to what is around that.
        let is_own_name = names("name") || names("declarator") && child.kind().contains("function");
        let is_function =
            ["function", "method", "lambda", "closure", "arrow"].iter().any(|it| kind.contains(it))
                && !kind.contains("declarator")
                && !kind.contains("call");
        let is_block =
            blocks && (kind.contains("block") || kind == "compound_statement" || kind.starts_with("for_"));
        let is_type = kind.starts_with("class") || kind.contains("impl_item");
        if is_type && !members && !is_own_name && !kind.contains("name") {
            return false;
        }
        if (is_function || is_block) && !is_own_name && !parent.byte_range().contains(&wanted) {
            return false;
        }
    }
    true
}
