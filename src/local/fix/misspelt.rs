//! Fixes names with a missing, extra or wrong letter.
//!
//! [`may_be_meant`] documents when such a fix is certain.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::meant::{
    NAME_BYTES, can_stand, first_letter, is_declaration, is_in_code, is_in_function_of, is_known_elsewhere,
    is_member, may_be_meant, module_names, only_candidate,
};
use super::near_names::{has_same_letters, is_one_letter};
use super::problem::{Problem, only_place, quoted, unknown_name};
use super::slip::{is_likely_typo, is_near, strange_parts};
use super::standard;
use super::unknown::{OFFERS, before_offer};
use crate::edit::Edit;
use crate::grammar::{Grammar, Modules};
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::{is_function, nodes_at};
use crate::text::ident;

/// Replaces a name by the one that the tool offers.
pub(super) fn offered(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let said = &problem.said;
    let (at, words) = OFFERS.iter().filter_map(|words| Some((said.find(words)?, *words))).min()?;
    let (before, behind) = (&said[..at], said[at + words.len()..].lines().next()?);
    let mut offers = quoted(behind);
    let new = match offers.next() {
        Some(new) if offers.next().is_none() => new,
        Some(_) => return None,
        // Go does not quote names.
        None => behind.trim_end_matches([')', '.', '?']).rsplit(' ').next()?,
    };
    if new == "->" || new == "." {
        return pointer(file, problem, new);
    }
    if new.starts_with("./") || new.starts_with("../") {
        return path(file, problem, new);
    }
    // The misspelt name is the first name before the offer that is near the offered one and occurs once here.
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
    // For a member that exists, Go offers its exported form, which has a capital.
    let is_there = is_member(file, span.start) && is_exported_form(old, last);
    // `a.b` for `b` only adds a qualifier. Beside a similar name that is uncertain: `delay` may be the
    // parameter `dely` as well as `this.delay`.
    let is_same = old == last && file.near(old).is_empty();
    if is_other_function(file, old, last) || is_there && is_method_for_field(file, said, span.end, last) {
        return None;
    }
    let is_meant = is_same || is_there || may_be_meant(file, &span, old, last);
    if old == new || !is_meant {
        return None;
    }
    match old == last {
        true => qualified(file, span, new),
        false => replaced(file, problem, span, old, new),
    }
}

/// Replaces a bare name, or a member with its object, by the same name with a qualifier: nothing stands before that.
///
/// In C++, the compiler offers whatever `std` has of that name, and names of the library's own namespaces.
fn qualified(file: &FileView<'_>, mut span: Range<usize>, new: &str) -> Option<Fix> {
    if is_member(file, span.start) {
        let before = file.slice(file.line_start(span.start)..span.start);
        let object = ident::last_partial(before.strip_suffix('.')?);
        let is_whole = !before[..before.len() - 1 - object.len()].ends_with(['.', '>', ':', '?', '$']);
        span.start = (is_whole && ident::is_name(object)).then(|| span.start - 1 - object.len())?;
    } else if new.strip_prefix("std::").is_some_and(|name| !standard::is_meant(file, &span, name)) {
        return None;
    }
    let title = format!("change `{}` to `{new}`", file.slice(span.clone()));
    Some(Fix::new(Kind::MisspeltName, title, vec![Edit::new(span, new)]))
}

/// Whether C's library has the name that is offered, with other letters, and the file does not: `strlcpy` is no
/// misspelt `strncpy`.
fn is_other_function(file: &FileView<'_>, old: &str, new: &str) -> bool {
    let is_c = file.grammar().is_some_and(|it| it.facts().modules == Some(Modules::C));
    is_c && !file.names().contains_key(new) && !has_same_letters(old, new)
}

/// Whether a name is not called, and what is offered is a method, as the tool or the file says: a field is missing.
fn is_method_for_field(file: &FileView<'_>, said: &str, end: usize, new: &str) -> bool {
    let is_called = file.slice(end..file.next_line_start(end)).starts_with('(');
    let places = file.names().get(new).into_iter().flatten().take(SCOPE_PLACES);
    !is_called
        && (said.contains("does have method ") || places.into_iter().any(|at| is_name_of_function(file, *at)))
}

fn is_exported_form(old: &str, new: &str) -> bool {
    old.eq_ignore_ascii_case(new)
        && old.starts_with(char::is_lowercase)
        && new.starts_with(char::is_uppercase)
        && old[1..] == new[1..]
}

/// Replaces `.` by `->`, as the compiler offers for a pointer, or `->` by `.`.
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

/// Completes the path of an import with the ending that the tool reports as missing.
fn path(file: &FileView<'_>, problem: &Problem<'_>, new: &str) -> Option<Fix> {
    let line = file.line_start(problem.span.start)..file.next_line_start(problem.span.start);
    let text = file.slice(line.clone());
    let mut places = quoted(&text).filter(|old| !old.is_empty() && new.starts_with(old) && *old != new);
    let old = places.next().filter(|_| places.next().is_none())?;
    let start = line.start + ident_free(&text, old)?;
    let edit = Edit::new(start..start + old.len(), new);
    Some(Fix::new(Kind::OfTool, format!("change `{old}` to `{new}`"), vec![edit]))
}

/// The position of a text in another, if it occurs only once.
fn ident_free(text: &str, part: &str) -> Option<usize> {
    let mut places = text.match_indices(part).map(|(at, _)| at);
    places.next().filter(|_| places.next().is_none())
}

/// Replaces an unknown name by the only similar one.
pub(super) fn unknown(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    // A tool that knows where to import the name from does not consider it misspelt. One that offers another
    // name knows more than this file does.
    if problem.said.contains("importing") || before_offer(&problem.said).len() < problem.said.len() {
        return None;
    }
    let (mut name, mut span) = unknown_name(file, problem)?;
    // A message that names `a.b` is about the member `b`.
    let behind = file.slice(span.end..file.next_line_start(span.end));
    if let Some(member) = behind.strip_prefix('.').map(ident::first_partial)
        && problem.said.contains(&format!("{name}.{member}"))
        && ident::is_name(member)
    {
        let start = span.end + 1;
        (name, span) = (member.to_owned(), start..start + member.len());
    }
    let new = only_candidate(file, &span, &name).filter(|new| !is_other_function(file, &name, new))?;
    replaced(file, problem, span, &name, &new)
}

/// Corrects the misspelt import of an unknown name: the module has that name, and not the imported one.
pub(super) fn in_import(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    if is_member(file, span.start) || file.has_import(&name, span.start) {
        return None;
    }
    let library = |name: &str| file.grammar()?.provider(&format!("{name}."));
    let is_clearer = |wrong: &str, name: &str| {
        is_likely_typo(file, wrong, name) || strange_parts(file, wrong) > strange_parts(file, name)
    };
    let mut found = file.near(&name).into_iter().filter_map(|wrong| {
        // The misspelt name occurs nowhere but in the import.
        let [at] = file.names().get(wrong)?.as_slice() else { return None };
        let is_meant = match module_names(file, *at) {
            Some(names) => names.contains(&name) && names.iter().all(|it| it != wrong),
            // An import of a library's module itself; the project has no module with the misspelt name.
            None => {
                let statement = file.slice(file.line_start(*at)..file.next_line_start(*at));
                let mended = statement.replacen(wrong, &name, 1);
                let is_whole = library(&name).is_some_and(|it| it == mended.trim());
                // The tool has looked into a module of a library, and misses the name there, too.
                let is_missed = || file.is_import(*at) && file.is_missed(wrong) && is_clearer(wrong, &name);
                is_whole && library(wrong).is_none() && file.others().module(wrong).is_none() || is_missed()
            }
        };
        is_meant.then_some((wrong, *at))
    });
    let (wrong, at) = found.next().filter(|_| found.next().is_none())?;
    let edit = Edit::new(at..at + wrong.len(), name.as_str());
    Some(Fix::new(Kind::MisspeltName, format!("import `{name}` and not `{wrong}`"), vec![edit]))
}

/// Whether a misspelt import would otherwise provide the name that a report misses.
///
/// Another report misses the name that the import contains.
pub(super) fn is_of_misspelt_import(file: &FileView<'_>, problem: &Problem<'_>) -> bool {
    unknown_name(file, problem).is_some_and(|(name, span)| {
        file.near(&name).into_iter().any(|near| file.is_missed(near) && file.has_import(near, span.start))
            || file.ends_missed_import(&name)
    })
}

/// Whether a fix inserts a name whose existing import is misspelt, and leaves that import as it is.
///
/// Correcting that import would make the name known.
pub(super) fn adds_misspelt_import(file: &FileView<'_>, fix: &Fix) -> bool {
    let is_replaced = |name: &str| {
        let mut places = file.names().get(name).into_iter().flatten();
        places.any(|at| fix.edits.iter().any(|edit| edit.span.contains(at)))
    };
    let is_misspelt = |name: &str, at: usize| {
        file.near(name)
            .into_iter()
            .any(|near| file.is_missed(near) && file.has_import(near, at) && !is_replaced(near))
    };
    fix.edits.iter().any(|edit| ident::names(&edit.text).any(|name| is_misspelt(name, edit.span.start)))
}

/// Corrects the declaration of a name if it is spelled differently from all uses.
pub(super) fn declared(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    if name.len() < NAME_BYTES || is_member(file, span.start) || file.others().can_import(&name) {
        return None;
    }
    let places = file.names().get(name.as_str()).into_iter().flatten().take(SCOPE_PLACES);
    let uses = places.filter(|at| is_in_code(file, **at)).count();
    let declared = |wrong: &str| -> Option<usize> {
        let [at] = file.names().get(wrong)?.as_slice() else { return None };
        // Names that differ in the case of the first letter may be a type and a value, but not a function.
        let is_called = || file.slice(span.end..file.next_line_start(span.end)).starts_with('(');
        let is_alike = first_letter(wrong) == first_letter(&name)
            || is_in_function_of(file, *at, span.start)
            || is_called() && is_name_of_function(file, *at)
            || file.are_one_name(&name, wrong);
        let is_stranger = || strange_parts(file, wrong) > strange_parts(file, &name);
        let is_alone = || file.are_one_name(&name, wrong) && is_stranger();
        // The proper spelling of several words is not undone for uses that join them: `user_id`, `fileName`.
        let is_proper = has_equal_letters(wrong, &name) && is_divided(file, wrong, &name);
        let is_likelier = || strange_parts(file, wrong) == strange_parts(file, &name) && uses > 1;
        let is_meant = (is_likely_typo(file, wrong, &name) && (is_likelier() || is_stranger()) || is_alone())
            && !is_proper
            && is_alike
            && !file.is_missed(wrong)
            && !is_known_elsewhere(file, wrong)
            // Other files may use it, also as the name of an argument or in a text.
            && file.others().with_name(wrong).is_empty()
            && !file.is_import(*at)
            && is_declaration(&nodes_at(file, *at))
            && can_stand(file, *at, span.start, false);
        is_meant.then_some(*at)
    };
    let mut found = file.near(&name).into_iter().filter_map(|wrong| Some((wrong, declared(wrong)?)));
    let (wrong, at) = found.next().filter(|_| found.next().is_none())?;
    let edit = Edit::new(at..at + wrong.len(), name.as_str());
    Some(Fix::new(Kind::MisspeltName, format!("declare `{name}` and not `{wrong}`"), vec![edit]))
}

/// Whether two names differ only in `_` and in case.
fn has_equal_letters(one: &str, other: &str) -> bool {
    one.replace('_', "").eq_ignore_ascii_case(&other.replace('_', ""))
}

/// Whether a name divides into more parts than another one, and each is a word or too short to tell.
fn is_divided(file: &FileView<'_>, name: &str, other: &str) -> bool {
    let parts = ident::parts(name);
    let is_word = |text: &str| text.len() < NAME_BYTES || strange_parts(file, text) == 0;
    parts.len() > ident::parts(other).len() && parts.iter().all(|it| is_word(it.text))
}

/// Whether the name at a byte is that of a function with a body.
fn is_name_of_function(file: &FileView<'_>, at: usize) -> bool {
    let nodes = nodes_at(file, at);
    // In C, a declarator holds the name.
    nodes.iter().skip(1).take(2).any(|it| is_function(*it) && !it.kind().contains("call"))
}

/// Corrects the name of a type that must be called like its file: `class connectException` in
/// `ConnectException.java`.
pub(super) fn type_of_file(file: &FileView<'_>, _: &Problem<'_>) -> Option<Fix> {
    let (_, own) = file.id().as_str().rsplit_once('/')?;
    let (own, _) = own.split_once('.')?;
    let is_outermost = |at: usize| {
        let nodes = nodes_at(file, at);
        let is_name = |of: &Node<'_>| of.child_by_field_name("name").is_some_and(|it| it.start_byte() == at);
        let parent = nodes.get(1).filter(|it| it.kind().ends_with("_declaration") && is_name(it));
        parent.and_then(|it| it.parent()).is_some_and(|it| it.parent().is_none())
    };
    let mut found = file.near(own).into_iter().filter_map(|wrong| {
        let at = file.only_place_of(wrong).filter(|at| is_outermost(*at))?;
        is_likely_typo(file, wrong, own).then_some((wrong, at))
    });
    let (wrong, at) = found.next().filter(|_| found.next().is_none())?;
    let edit = Edit::new(at..at + wrong.len(), own);
    Some(Fix::new(Kind::MisspeltName, format!("declare `{own}` and not `{wrong}`"), vec![edit]))
}

/// Corrects the name of a constructor, which a compiler takes for a method without a type.
pub(super) fn constructor(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let line = file.slice(file.line_start(problem.span.start)..file.next_line_start(problem.span.start));
    let class = nodes_at(file, problem.span.start).into_iter().find(|it| it.kind() == "class_declaration")?;
    let own = file.slice(class.child_by_field_name("name")?.byte_range());
    let called = ident::names(&line).filter(|it| is_likely_typo(file, it, &own));
    let mut found = called.filter_map(|wrong| {
        let at = only_place(file, &problem.span, wrong)?;
        (file.contents()[at.end..].starts_with('(')).then_some((wrong, at))
    });
    let (wrong, span) = found.next().filter(|_| found.next().is_none())?;
    let edit = Edit::new(span, own.as_str());
    Some(Fix::new(Kind::MisspeltName, format!("change `{wrong}` to `{own}`"), vec![edit]))
}

/// Corrects the path of an import that differs by one letter from one package of the language's library alone.
pub(super) fn package(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (_, said) = problem.message.split_once("package ")?;
    let path = said.split_whitespace().next()?;
    let packages = || file.grammar().into_iter().flat_map(Grammar::provided_paths);
    let near: BTreeSet<&str> = packages().filter(|it| is_one_letter(path, it)).collect();
    let mut near = near.into_iter();
    let new = near.next().filter(|_| near.next().is_none() && !packages().any(|it| it == path))?;
    let line = file.line_start(problem.span.start)..file.next_line_start(problem.span.start);
    let at = line.start + ident_free(&file.slice(line), path)?;
    let edit = Edit::new(at..at + path.len(), new);
    file.is_import(at)
        .then(|| Fix::new(Kind::MisspeltName, format!("import from `{new}` and not `{path}`"), vec![edit]))
}

/// Corrects the import of a name that its module does not have, if the module has one similar name.
///
/// The name is a misspelling of the other one as anywhere else, or the file misses the other one and has this one in the
/// import alone.
pub(super) fn of_module(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    let names = module_names(file, span.start)?;
    if names.contains(&name) {
        return None;
    }
    let mut near: Vec<&String> = names.iter().filter(|it| is_one_letter(&name, it)).collect();
    near.sort();
    near.dedup();
    let [new] = near.as_slice() else { return None };
    let is_needed = file.is_missed(new) && file.only_place_of(&name).is_some();
    (is_needed || may_be_meant(file, &span, &name, new)).then(|| replaced(file, problem, span, &name, new))?
}

fn replaced(
    file: &FileView<'_>,
    problem: &Problem<'_>,
    span: Range<usize>,
    old: &str,
    new: &str,
) -> Option<Fix> {
    let edits = match everywhere(file, &span, old, new) {
        Some(edits) => edits,
        None => uses(file, problem, &span, old)?.map(|span| Edit::new(span, new)).collect(),
    };
    Some(Fix::new(Kind::MisspeltName, format!("change `{old}` to `{new}`"), edits))
}

/// The uses of a name that a report applies to: gcc reports only the first one in a function or in the file.
fn uses(
    file: &FileView<'_>,
    problem: &Problem<'_>,
    span: &Range<usize>,
    name: &str,
) -> Option<impl Iterator<Item = Range<usize>>> {
    let is_first = problem.message.contains("(first use in this function)");
    let is_in_file = problem.message.contains("implicit declaration of function");
    let all = match (is_first, is_in_file) {
        (true, _) => nodes_at(file, span.start).into_iter().find(|it| is_function(*it))?.byte_range(),
        (_, true) => 0..file.text().len_bytes(),
        _ => span.clone(),
    };
    let places = file.names().get(name).map_or(&[][..], Vec::as_slice);
    let (first, last) =
        (places.partition_point(|at| *at < all.start), places.partition_point(|at| *at < all.end));
    let is_use = |at: &usize| *at == span.start || !is_member(file, *at) && is_in_code(file, *at);
    let found: Vec<usize> = match all == *span {
        true => vec![span.start],
        false => places[first..last].iter().copied().filter(is_use).collect(),
    };
    let length = name.len();
    Some(found.into_iter().map(move |at| at..at + length))
}

/// The edits that rename an imported name everywhere in the file, since its uses are misspelt as well.
///
/// `None` if the name is not in an import.
pub(super) fn everywhere(
    file: &FileView<'_>,
    span: &Range<usize>,
    old: &str,
    new: &str,
) -> Option<Vec<Edit>> {
    if !file.is_import(span.start) {
        return None;
    }
    let text = file.contents();
    let is_used = |at: &usize| {
        let is_member = text[..*at].ends_with(['.', '>']) && !file.is_import(*at);
        let is_name = is_in_code(file, *at);
        *at == span.start || is_name && !is_member
    };
    let places = file.names().get(old)?.iter().copied().filter(is_used);
    Some(places.map(|at| Edit::new(at..at + old.len(), new)).collect())
}
