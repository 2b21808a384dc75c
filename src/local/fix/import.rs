//! Adds missing imports, as another file or the language's library suggests.

use std::ops::Range;
use std::path::Path;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::import_place;
use super::meant::is_member;
use super::other_file;
use super::other_token::has_open_quote;
use super::problem::{Problem, unknown_name};
use super::rival_provider;
use super::standard;
use super::unknown::before_offer;
use super::unlikely::is_common_script;
use crate::edit::Edit;
use crate::grammar::{self, Grammar, Match, Modules};
use crate::local::limits::{SCOPE_PLACES, TITLE_CHARS};
use crate::local::syntax::node_at;
use crate::text::ident;

/// The extensions of header files.
pub(super) const HEADER_ENDINGS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Adds the import of an unknown name, if the other files agree on its statement.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    // The compiler knows several providers, whatever the other files use.
    let has_rivals = problem.said.contains("importing one of these");
    let is_global = || file.grammar().is_some_and(|it| it.has_global(&name) == Some(true));
    let is_other = is_misspelt_variable(file, &name) || is_offered(problem, &name) || is_global();
    if file.has_import(&name, span.start) || has_rivals || is_other {
        return None;
    }
    let lines = of_others(file, &name);
    let [line] = lines.as_slice() else { return None };
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let is_doubtful = of_member(file.grammar()?, &name, &behind).is_some_and(|it| it != line)
        || rival_provider::is_other_thing(file, &name, line, &behind, span.start)
        || rival_provider::is_value(file, &name, line, span.start)
        || rival_provider::lacks_member(file, line, &behind)
        || rival_provider::is_defined_elsewhere(file, &name, line)
        || rival_provider::may_close_circle(file, &name, line)
        || rival_provider::closes_circle(file, line);
    if is_doubtful { None } else { added(file, line, span.start) }
}

/// The statements by which other files import a name, each once.
fn of_others(file: &FileView<'_>, name: &str) -> Vec<String> {
    let Some(grammar) = file.grammar() else { return Vec::new() };
    let folder = other_file::folder(file.id().as_str());
    let mut lines: Vec<String> = file
        .others()
        .with_name(name)
        .iter()
        .filter(|other| other.grammar == Some(grammar) && file.others().is_evidence(other.uri()))
        .flat_map(|other| other.statements(grammar, folder, name))
        .filter(|statement| !is_of_own_module(file, statement))
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Adds the import of an unknown name that the language's library has.
pub(super) fn of_library(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let grammar = file.grammar()?;
    let (name, span) = unknown_name(file, problem)?;
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let before = file.slice(file.line_start(span.start)..span.start);
    // A member needs no import of its own, except one of `std`.
    if is_member(file, span.start) && !before.ends_with("std::") {
        return None;
    }
    // In `std::vector`, the namespace may be unknown, or its member.
    let is_space = behind.starts_with("::");
    let key = if is_space {
        format!("{name}::{}", ident::first_partial(&behind[2..]))
    } else if behind.starts_with('.') {
        format!("{name}.")
    } else if before.ends_with("std::") {
        format!("std::{name}")
    } else {
        name.clone()
    };
    let of_member = of_member(grammar, &name, &behind);
    let statement = of_member.or_else(|| grammar.provider(&key)).or_else(|| grammar.provider(&name))?;
    // `Tuple(a)` is a misspelt `tuple(a)`: a call means the built-in, not the library's name in another case.
    let is_other_case = |it: &str| it != name && it.eq_ignore_ascii_case(&name);
    if behind.starts_with('(') && grammar.prelude().any(is_other_case) {
        return None;
    }
    let is_there = file.has_import(&name, span.start) || file.has_statement(statement);
    // A variable of one letter more or less is likelier than a package whose members are unknown.
    let path = statement.strip_prefix("import ").map(|it| it.trim_matches('"'));
    if path.is_some_and(|path| !grammar.lists_members(path)) {
        return None;
    }
    // `std::` says whose name it is.
    let is_doubtful = !before.ends_with("std::")
        && !is_space
        && (rival_provider::is_other_thing(file, &name, statement, &behind, span.start)
            || is_other_function(file, &span, &name, statement)
            || rival_provider::lacks_member(file, statement, &behind)
            || rival_provider::is_of_project(file, &name, &behind)
            || of_others(file, &name).iter().any(|it| !is_for(it, statement)));
    if is_there || is_doubtful || is_misspelt_variable(file, &name) {
        return None;
    }
    added(file, statement, span.start)
}

/// The import of a module of the library that is known to have the member which follows its name.
///
/// `stat` and `select` may also be variables: a known member shows that the module is meant. And `import urllib` does not
/// load `urllib.parse`.
fn of_member(grammar: &Grammar, name: &str, behind: &str) -> Option<&'static str> {
    let member = ident::first_partial(behind.strip_prefix('.')?);
    grammar.provider(&format!("{name}.{member}"))
}

/// Whether another file's statement is the one of the library, or imports only the package of its module.
fn is_for(line: &str, statement: &str) -> bool {
    statement.strip_prefix(line).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a capitalized name is used only as a plain value, and the file has it in lower case, too.
///
/// `Path` in `if Path is None` is a misspelt `path`, not a missing import.
fn is_misspelt_variable(file: &FileView<'_>, name: &str) -> bool {
    let is_value = |at: &usize| {
        // A name in a comment is not a use.
        let Some(node) = node_at(file, *at).filter(|it| it.kind().contains("identifier")) else {
            return true;
        };
        let above = node.parent().map_or("", |it| it.kind());
        let is_type =
            node.kind().contains("type") || ["type", "argument", "class"].iter().any(|it| above.contains(it));
        let behind = file.slice(at + name.len()..file.next_line_start(*at));
        !is_type && !behind.starts_with(['(', '.', '[', '<', '{', ':', '!'])
    };
    let mut places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    file.has_without_capital(name) && places.all(is_value)
}

/// Whether a statement imports from the file's own module, where the name would have to be declared.
fn is_of_own_module(file: &FileView<'_>, statement: &str) -> bool {
    let modules = file.grammar().and_then(|it| it.facts().modules);
    let (_, own) = file.id().as_str().rsplit_once('/').unwrap_or_default();
    let own = own.split('.').next().unwrap_or_default();
    // A Go file is not a module, and a JavaScript path without a dot leads to a package.
    let is_module = |path: &str| match modules {
        Some(Modules::Go) => false,
        Some(Modules::Javascript) => path.starts_with('.'),
        _ => true,
    };
    let is_own = |path: &str| {
        let is_script = grammar::by_path(Path::new(path)).is_some_and(|it| it.facts().modules == modules);
        let stem = path.rsplit_once('.').filter(|_| is_script && modules == Some(Modules::Javascript));
        let path = stem.map_or(path, |(stem, _)| stem);
        path.strip_suffix(own).is_some_and(|head| head.is_empty() || head.ends_with(['.', ':', '/']))
    };
    let is_path = |it: char| ident::is_part(it) || ".:/-@".contains(it);
    let mut paths = statement.split(|it| !is_path(it)).filter(|path| !path.is_empty() && is_module(path));
    // In `crate::kind::Error`, the module is the part before the last one.
    !own.is_empty()
        && paths.any(|path| is_own(path) || path.rsplit_once("::").is_some_and(|(module, _)| is_own(module)))
}

/// Whether the tool offers the name in another case: `scheduler` is as likely as an import of `Scheduler`.
fn is_offered(problem: &Problem<'_>, name: &str) -> bool {
    let offered = &problem.said[before_offer(&problem.said).len()..];
    ident::words(offered).any(|it| it != name && it.eq_ignore_ascii_case(name))
}

/// Adds the include of the only header in the project that defines an unknown name.
pub(super) fn of_project_header(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    file.grammar().filter(|it| it.facts().modules == Some(Modules::C))?;
    let (name, span) = unknown_name(file, problem)?;
    // A header of the project may replace what the library has.
    let is_of_library = file.grammar().is_some_and(|it| it.provider(&name).is_some());
    if is_of_library || is_member(file, span.start) || is_misspelt_variable(file, &name) {
        return None;
    }
    let definers = file.others().definers(&name)?;
    let [header] = definers.as_slice() else { return None };
    let (_, ending) = header.rsplit_once('.')?;
    if !HEADER_ENDINGS.contains(&ending) || !file.others().is_evidence(header) {
        return None;
    }
    // The path is the one that other files of this folder use; elsewhere, another path may lead to the header.
    let own = other_file::folder(file.id().as_str());
    let mut others = file.others().with_name(&name);
    others.retain(|it| other_file::folder(it.uri()) == own);
    let is_header = |path: &&str| {
        let path = path.trim_start_matches("./");
        header.strip_suffix(path).is_some_and(|folder| folder.ends_with('/'))
    };
    if others.iter().flat_map(|it| it.nested_paths()).any(|it| is_header(&it)) {
        return None;
    }
    let mut paths: Vec<&str> = others.iter().flat_map(|it| it.import_paths()).filter(is_header).collect();
    paths.sort_unstable();
    paths.dedup();
    let path = match paths.as_slice() {
        [] => {
            let path = header.strip_prefix(own)?.strip_prefix('/')?;
            // Of a library's headers, the one that the files beside this one include is the public one.
            let mut included = others.iter().flat_map(|it| it.import_paths());
            let is_beside = |it: &str| it.contains('/') && other_file::folder(it) == other_file::folder(path);
            if included.any(is_beside) {
                return None;
            }
            path
        }
        [path] => path,
        _ => return None,
    };
    // If the header is included already, it probably defines the name only under a condition.
    let is_there = |it: &Match<'_>| {
        let path = it.path.map(|path| file.slice(path.byte_range())).unwrap_or_default();
        is_header(&path.trim_matches(['"', '<', '>']))
    };
    if path.contains('%') || file.imports().iter().any(is_there) {
        return None;
    }
    added(file, &format!("#include \"{path}\""), span.start)
}

/// Adds the include of a header that a compiler names.
pub(super) fn of_header(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let said = &problem.said;
    let start = said.find("include ")? + "include ".len();
    let quoted = said[start..].trim_start_matches(['\'', '‘', '"', '`']);
    let name = quoted.strip_prefix('<')?.split_once('>')?.0;
    let is_header =
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_./+-".contains(&it));
    let statement = format!("#include <{name}>");
    let is_own = || {
        let Some((function, span)) = unknown_name(file, problem) else { return false };
        let behind = file.slice(span.end..file.next_line_start(span.end));
        is_other_function(file, &span, &function, &statement)
            || rival_provider::is_of_project(file, &function, &behind)
    };
    if !is_header || file.has_statement(&statement) || is_own() {
        return None;
    }
    added(file, &statement, problem.span.start.min(file.text().len_bytes()))
}

/// Whether a call is of another function than the one that a header declares: of another number of arguments, or with a
/// text, of which those of mathematics, such as `log` and `round`, take none.
fn is_other_function(file: &FileView<'_>, span: &Range<usize>, name: &str, statement: &str) -> bool {
    let before = file.slice(file.line_start(span.start)..span.start);
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let arguments = behind.trim_start().strip_prefix('(');
    let takes_no_text =
        statement.ends_with("<math.h>") && arguments.is_some_and(|it| it.trim_start().starts_with('"'));
    let is_header = statement.starts_with("#include") && !before.ends_with("std::");
    takes_no_text || is_header && standard::is_other_call(file, span, name, statement)
}

/// Whether a line that begins as an import has the name that a report misses, while the file has syntax errors: the
/// statement is broken, and its correction makes the name known.
pub(super) fn is_in_broken_import(file: &FileView<'_>, problem: &Problem<'_>) -> bool {
    let Some((name, span)) = unknown_name(file, problem) else { return false };
    let begins = |at: &usize| file.slice(file.line_start(*at)..*at).trim_start().starts_with("import ");
    let mut places = file.names().get(name.as_str()).into_iter().flatten().take(SCOPE_PLACES);
    let is_broken = |at: &usize| *at != span.start && (begins(at) || has_open_quote(file, *at));
    file.errors() > Some(0) && places.any(is_broken)
}

/// Adds an import statement for a use at a byte, at the appropriate position.
fn added(file: &FileView<'_>, statement: &str, used: usize) -> Option<Fix> {
    if statement.starts_with("import ") && is_common_script(file) {
        return None;
    }
    let ending = if file.text().line(0).to_string().ends_with("\r\n") { "\r\n" } else { "\n" };
    let (at, line, is_first) = import_place::place(file, statement, used)?;
    let parted = file.slice(at..file.next_line_start(at)).starts_with(['\n', '\r']);
    let gap = if is_first && !parted { ending } else { "" };
    let edit = Edit::new(at..at, format!("{line}{ending}{gap}"));
    Some(Fix::new(Kind::MissingImport, format!("add `{}`", short(statement)), vec![edit]))
}

/// The first line of a text, cut to the length of a title.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(TITLE_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
