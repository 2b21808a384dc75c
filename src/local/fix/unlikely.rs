//! Edits that are no certain fix, whatever rule or tool makes them.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::meant::is_member;
use crate::edit::Edit;
use crate::grammar::{Grammar, Modules};
use crate::local::syntax::{is_function, nodes_at};
use crate::text::ident;

/// What names are declared behind.
const DECLARING: [&str; 9] =
    ["class", "enum", "import", "interface", "module", "namespace", "package", "struct", "trait"];

/// Whether an edit of a fix splits a name, ends a name that is only begun, makes a keyword of one letter, or makes a
/// function call itself.
pub(super) fn is_unlikely(file: &FileView<'_>, fix: &Fix) -> bool {
    fix.edits.iter().any(|edit| splits_name(file, edit))
        || fix.kind == Kind::MissingToken && fix.edits.iter().any(|edit| ends_begun_name(file, edit))
        || matches!(fix.kind, Kind::MisspeltName | Kind::OfTool)
            && fix.edits.iter().any(|edit| is_other_name(file, edit))
}

/// Whether an edit inserts a sign within a name: `a:b` from `ab`; or makes another sign: `:::`.
fn splits_name(file: &FileView<'_>, edit: &Edit) -> bool {
    let at = edit.span.start;
    let is_within = || {
        let before = file.slice(file.line_start(at)..at);
        let behind = file.slice(at..file.next_line_start(at));
        let is_colon = || edit.text == ":" && (before.ends_with(':') || behind.starts_with(':'));
        before.ends_with(ident::is_part) && behind.starts_with(ident::is_part) || is_colon()
    };
    edit.span.is_empty() && [":", ",", ";"].contains(&edit.text.trim()) && is_within()
}

/// Whether an edit adds a token at the end of a line behind a name that is nowhere else: `with pyt` becomes `with pyt:`.
///
/// The name is then likely only begun, and what follows it is missing, too.
fn ends_begun_name(file: &FileView<'_>, edit: &Edit) -> bool {
    let at = edit.span.start;
    let before = file.slice(file.line_start(at)..at);
    let behind = file.slice(edit.span.end..file.next_line_start(edit.span.end));
    let name = ident::last_partial(&before);
    let declares = || ident::names(&before).rev().nth(1).is_some_and(|it| DECLARING.contains(&it));
    let is_of_language = |grammar: &Grammar| {
        grammar.has_in_library(name)
            || grammar.provider(name).is_some()
            || grammar.prelude().any(|it| it == name)
    };
    ident::is_name(name)
        && !edit.text.ends_with(['"', '\''])
        && behind.trim().is_empty()
        && file.only_place_of(name).is_some()
        && !file.keywords().contains(&name)
        && !declares()
        && !file.grammar().is_some_and(is_of_language)
        && !file.others().has(name)
}

/// Whether the old name says too little of the new one, or is that of another definition.
///
/// Tools offer `as` and `if` for variables of one letter. In Go, a function without a capital is another one, which
/// may not be written yet; and a function calls what it wraps, which often has its name in another case.
fn is_other_name(file: &FileView<'_>, edit: &Edit) -> bool {
    let (old, new) = (file.slice(edit.span.clone()), edit.text.as_str());
    if !ident::is_name(&old) || !ident::is_name(new) {
        return false;
    }
    // `in`, `if` and `as` resemble too much.
    if (old.len() == 1 || new.len() < 3) && file.keywords().contains(&new) {
        return true;
    }
    let is_go = file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::Go));
    old != new
        && old.eq_ignore_ascii_case(new)
        && (is_go && new.starts_with(char::is_uppercase) && !is_member(file, edit.span.start)
            || is_name_of_function_around(file, edit.span.start, new))
}

/// Whether a function around a byte has a name.
fn is_name_of_function_around(file: &FileView<'_>, at: usize, name: &str) -> bool {
    nodes_at(file.document(), at).into_iter().filter(|it| is_function(*it)).any(|function| {
        let Some(body) = function.child_by_field_name("body") else { return false };
        let head = file.slice(function.start_byte()..body.start_byte());
        let mut places = ident::occurrences(&head, name);
        places.any(|at| head[at + name.len()..].trim_start().starts_with(['(', '<', '[']))
    })
}

/// Whether a script loads its modules by `require` alone, so that an `import` would be an error.
pub(super) fn is_common_script(file: &FileView<'_>) -> bool {
    let is_script =
        file.grammar().map(Grammar::facts).is_some_and(|it| it.modules == Some(Modules::Javascript));
    let text = file.contents();
    let is_module = || text.lines().any(|line| ["import ", "export "].iter().any(|it| line.starts_with(it)));
    let is_common = ["require(", "module.exports", "exports."].iter().any(|it| text.contains(it));
    is_script && is_common && !is_module()
}
