//! Adds missing imports, as another file or the language's library suggests.

use std::ops::Range;
use std::path::Path;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::meant::is_member;
use super::other_file;
use super::problem::{Problem, unknown_name};
use super::rival_provider;
use super::unknown::before_offer;
use super::unlikely::{is_assigned, is_common_script};
use crate::edit::Edit;
use crate::grammar::{self, Match, Modules};
use crate::local::limits::{SCOPE_PLACES, TITLE_CHARS};
use crate::local::syntax::node_at;
use crate::text::{ident, line};

/// The byte order mark, which stays the first character of a file.
const MARK: char = '\u{feff}';
/// The extensions of header files.
const HEADER_ENDINGS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Adds the import of an unknown name, if the other files agree on its statement.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (name, span) = unknown_name(file, problem)?;
    // The compiler knows several providers, whatever the other files use.
    let has_rivals = problem.said.contains("importing one of these");
    let is_other = is_misspelt_variable(file, &name) || is_offered(problem, &name);
    if file.has_import(&name, span.start) || has_rivals || is_other || is_assigned(file, &name) {
        return None;
    }
    let lines = of_others(file, &name);
    let [line] = lines.as_slice() else { return None };
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let is_doubtful = rival_provider::is_other_thing(file, &name, line, &behind, span.start)
        || rival_provider::lacks_member(file, line, &behind)
        || rival_provider::is_defined_elsewhere(file, &name, line)
        || rival_provider::may_close_circle(file, &name, line)
        || rival_provider::closes_circle(file, line);
    if is_doubtful { None } else { added(file, line) }
}

/// The statements by which other files import a name, each once.
fn of_others(file: &FileView<'_>, name: &str) -> Vec<String> {
    let Some(grammar) = file.grammar() else { return Vec::new() };
    let folder = other_file::folder(file.id().as_str());
    let mut lines: Vec<String> = file
        .others()
        .with_name(name)
        .iter()
        .filter(|other| other.grammar == Some(grammar))
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
    // `stat` and `select` may also be variables: a known member shows that the library's module is meant.
    let with_member = || format!("{name}.{}", ident::first_partial(behind.trim_start_matches('.')));
    let member = behind.starts_with('.').then(with_member).and_then(|key| grammar.provider(&key));
    let key = if is_space {
        format!("{name}::{}", ident::first_partial(&behind[2..]))
    } else if behind.starts_with('.') {
        format!("{name}.")
    } else if before.ends_with("std::") {
        format!("std::{name}")
    } else {
        name.clone()
    };
    let statement = member.or_else(|| grammar.provider(&key)).or_else(|| grammar.provider(&name))?;
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
            || takes_no_text(statement, &behind)
            || rival_provider::lacks_member(file, statement, &behind)
            || rival_provider::is_of_project(file, &name, &behind)
            || of_others(file, &name).iter().any(|it| it != statement));
    if is_there || is_doubtful || is_misspelt_variable(file, &name) || is_assigned(file, &name) {
        return None;
    }
    added(file, statement)
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
    if !HEADER_ENDINGS.contains(&ending) {
        return None;
    }
    // The path is the one that other files use, or else relative to this file's folder.
    let others = file.others().with_name(&name);
    let is_header = |path: &&str| {
        let path = path.trim_start_matches("./");
        header.strip_suffix(path).is_some_and(|folder| folder.ends_with('/'))
    };
    let mut paths: Vec<&str> = others.iter().flat_map(|it| it.import_paths()).filter(is_header).collect();
    paths.sort_unstable();
    paths.dedup();
    let path = match paths.as_slice() {
        [] => header.strip_prefix(other_file::folder(file.id().as_str()))?.strip_prefix('/')?,
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
    added(file, &format!("#include \"{path}\""))
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
        takes_no_text(&statement, &behind) || rival_provider::is_of_project(file, &function, &behind)
    };
    if !is_header || file.has_statement(&statement) || is_own() {
        return None;
    }
    added(file, &statement)
}

/// Whether a function is given a text, of which those of mathematics, such as `log` and `round`, take none.
fn takes_no_text(statement: &str, behind: &str) -> bool {
    let arguments = behind.trim_start().strip_prefix('(');
    statement.ends_with("<math.h>") && arguments.is_some_and(|it| it.trim_start().starts_with('"'))
}

/// Whether a line that begins as an import has the name that a report misses, while the file has syntax errors: the
/// statement is broken, and its correction makes the name known.
pub(super) fn is_in_broken_import(file: &FileView<'_>, problem: &Problem<'_>) -> bool {
    let Some((name, span)) = unknown_name(file, problem) else { return false };
    let begins = |at: &usize| file.slice(file.line_start(*at)..*at).trim_start().starts_with("import ");
    let mut places = file.names().get(name.as_str()).into_iter().flatten().take(SCOPE_PLACES);
    file.errors() > Some(0) && places.any(|at| *at != span.start && begins(at))
}

/// Adds an import statement at the appropriate position.
fn added(file: &FileView<'_>, statement: &str) -> Option<Fix> {
    if statement.starts_with("import ") && is_common_script(file) {
        return None;
    }
    let ending = if file.text().line(0).to_string().ends_with("\r\n") { "\r\n" } else { "\n" };
    let (at, line) = match in_group(file, statement) {
        Some(place) => place,
        None => {
            let at = among_standard(file, statement).or_else(|| among_siblings(file, statement));
            (at.or_else(|| place(file))?, statement.to_owned())
        }
    };
    // A blank line separates the first import from the code below.
    let is_first = file.imports().is_empty();
    let parted = file.slice(at..file.next_line_start(at)).starts_with(['\n', '\r']);
    let gap = if is_first && !parted { ending } else { "" };
    let edit = Edit::new(at..at, format!("{line}{ending}{gap}"));
    Some(Fix::new(Kind::MissingImport, format!("add `{}`", short(statement)), vec![edit]))
}

/// The position in a parenthesized list of imports, in the order of its lines, and the line to insert.
fn in_group(file: &FileView<'_>, statement: &str) -> Option<(usize, String)> {
    let entry = statement.strip_prefix("import ").filter(|it| it.starts_with('"'))?;
    let all = file.imports();
    let mut lines: Vec<_> = all
        .iter()
        .filter(|it| it.node.parent().is_some_and(|parent| parent.kind() == "import_spec_list"))
        .map(|it| (file.line_start(it.node.start_byte()), file.slice(it.node.byte_range())))
        .collect();
    lines.sort();
    let last = lines.last()?;
    let next = lines.iter().find(|(_, text)| text.as_str() > entry);
    let at = next.map_or_else(|| file.next_line_start(last.0), |(start, _)| *start);
    let indent = file.slice(last.0..file.next_line_start(last.0));
    let indent: String = indent.chars().take_while(|it| *it == ' ' || *it == '\t').collect();
    Some((at, format!("{indent}{entry}")))
}

/// The position of an import of Python's library: among the others of the library, in isort's order.
fn among_standard(file: &FileView<'_>, statement: &str) -> Option<usize> {
    let grammar = file.grammar().filter(|it| it.facts().modules == Some(Modules::Python))?;
    let key = |statement: &str| -> Option<(bool, String)> {
        let mut words = statement.split_whitespace();
        let is_from = words.next()? == "from";
        let module = words.next()?.trim_end_matches(',');
        let is_standard = grammar.provider(&format!("{}.", module.split('.').next()?)).is_some()
            || grammar.provider(&format!("{module}.")).is_some();
        is_standard.then(|| (is_from, module.to_owned()))
    };
    let new = key(statement)?;
    let top = file.imports().iter().map(|it| it.node);
    let mut known: Vec<(usize, usize, (bool, String))> = top
        .filter(|node| node.parent().is_some_and(|it| it.parent().is_none()))
        .filter_map(|node| Some((node.start_byte(), node.end_byte(), key(&file.slice(node.byte_range()))?)))
        .collect();
    known.dedup_by_key(|it| it.0);
    let next = known.iter().find(|(_, _, key)| *key > new);
    let last = known.last()?;
    Some(
        next.map_or_else(
            || file.whole_lines(last.1.saturating_sub(1)..last.1).end,
            |it| file.line_start(it.0),
        ),
    )
}

/// The position of an import among those of the same package, which are in consecutive lines: in their order if they
/// are sorted, else behind them.
fn among_siblings(file: &FileView<'_>, statement: &str) -> Option<usize> {
    let package = package(statement)?;
    let body = body(file.syntax()?.root_node());
    let mut known: Vec<Range<usize>> = file
        .imports()
        .iter()
        .filter(|it| it.node.parent().is_none_or(|parent| parent.id() == body.id()))
        .map(|it| file.whole_lines(it.node.byte_range()))
        .collect();
    known.sort_by_key(|it| it.start);
    known.dedup();
    let texts: Vec<String> = known.iter().map(|lines| file.slice(lines.clone())).collect();
    let is_sibling = |at: usize| self::package(&texts[at]) == Some(package);
    let first = (0..known.len()).find(|at| is_sibling(*at))?;
    let goes_on = |at: &usize| is_sibling(*at) && known[at - 1].end == known[*at].start;
    let last = (first + 1..known.len()).take_while(goes_on).last().unwrap_or(first);
    let is_sorted = texts[first..=last].is_sorted();
    let next = (first..=last).find(|at| is_sorted && texts[*at].as_str() > statement);
    // The line above the first may be an attribute of it.
    let is_separate = |at: usize| {
        let start = known[at].start;
        at > first || start == 0 || line::is_blank(&file.slice(file.line_start(start - 1)..start))
    };
    next.filter(|at| is_separate(*at)).map(|at| known[at].start).or(Some(known[last].end))
}

/// An import statement up to the end of its path's first part: `use std`, `import java`, `#include <`.
fn package(statement: &str) -> Option<&str> {
    let path = statement.find(' ')? + 1;
    let first = ident::first_partial(&statement[path..]).len();
    let end = match statement[path..].chars().next()? {
        '<' | '"' | '\'' => 1,
        _ if first > 0 => first,
        _ => return None,
    };
    Some(&statement[..path + end])
}

/// The position of a new import: behind the last one.
fn place(file: &FileView<'_>) -> Option<usize> {
    let all = file.imports();
    let body = body(file.syntax()?.root_node());
    let top = |it: &&Match<'_>| it.node.parent().is_none_or(|parent| parent.id() == body.id());
    let last = all.iter().filter(top).map(|it| it.node.end_byte()).max();
    match last {
        Some(end) => Some(file.whole_lines(end.saturating_sub(1)..end).end),
        None => {
            // Before the first code, but behind everything that must be at the start of a file.
            let mut cursor = body.walk();
            let mut first = None;
            for node in body.children(&mut cursor) {
                let kind = node.kind();
                let leads = kind.contains("comment") && !is_documentation(file, node)
                    || kind.contains("package")
                    || kind.contains("inner_attribute")
                    || kind.contains("hash_bang")
                    || kind.contains("shebang")
                    || is_include_guard(file, node)
                    || is_lone_string(node);
                if !leads {
                    first = Some(node.start_byte());
                    break;
                }
            }
            let start = file.line_start(first.unwrap_or(0));
            let mark = if start == 0 && file.contents().starts_with(MARK) { MARK.len_utf8() } else { 0 };
            Some(start + mark)
        }
    }
}

/// The node with the code of a file: in a header, what is between the lines of its include guard.
fn body(root: Node<'_>) -> Node<'_> {
    let mut cursor = root.walk();
    let mut code = root.children(&mut cursor).filter(|it| !it.kind().contains("comment"));
    match (code.next(), code.next()) {
        (Some(only), None) if only.kind() == "preproc_ifdef" => only,
        _ => root,
    }
}

/// Whether a node is a part of the lines that keep a header from being read twice.
fn is_include_guard(file: &FileView<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "#ifndef" => true,
        "identifier" => node.prev_sibling().is_some_and(|it| it.kind() == "#ifndef"),
        "preproc_def" => node.prev_sibling().is_some_and(|it| it.kind() == "identifier"),
        "preproc_call" => file.slice(node.byte_range()).starts_with("#pragma once"),
        _ => false,
    }
}

/// Whether a comment documents the code in the line below it.
fn is_documentation(file: &FileView<'_>, comment: Node<'_>) -> bool {
    let text = file.slice(comment.byte_range());
    let is_outer = text.starts_with("/**") || text.starts_with("///") && !text.starts_with("////");
    let follower = std::iter::successors(comment.next_sibling(), Node::next_sibling)
        .find(|it| !it.kind().contains("comment"));
    let end = file.text().byte_to_line(comment.byte_range().start + text.trim_end().len());
    // In Go and C, any comment may; at the start of a file, it is the file's.
    let modules = file.grammar().and_then(|it| it.facts().modules);
    let is_plain = matches!(modules, Some(Modules::C | Modules::Go)) && comment.prev_sibling().is_some();
    let is_of_package = follower.is_some_and(|it| it.kind().contains("package"));
    (is_outer || is_plain && !is_of_package) && follower.is_some_and(|it| it.start_position().row == end + 1)
}

/// Whether a statement is only a string: documentation or a directive.
fn is_lone_string(node: Node<'_>) -> bool {
    let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
    node.kind() == "expression_statement" && only.is_some_and(|it| it.kind() == "string")
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
