//! Removes only the import that is reported as unused, even if its statement has several.

use std::cmp::Reverse;
use std::ops::Range;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::import::short;
use super::needed_import::is_effect_free;
use super::problem::{Problem, quoted};
use super::removal;
use crate::edit::Edit;
use crate::grammar::Match;
use crate::local::syntax::nodes_at;

/// Removes an unused import: its entry in a list, or the whole statement if that has no other.
pub(super) fn unused(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let (statement, here) = statement_at(file, problem.span.start)?;
    let lines = file.whole_lines(statement.byte_range());
    // In code that is being edited, the parser may separate a list from its statement.
    let near = file.line_start(lines.start.saturating_sub(1))..file.whole_lines(lines.end..lines.end).end;
    if has_errors_in(file.document().syntax()?.root_node(), &near) {
        return None;
    }
    let one = reported(file, problem, here)?;
    let name = file.slice(one.name.byte_range());
    let edits = match one.entry() {
        Some(entry) => removal::of_entry(file, entry),
        None => loading(file, statement, here)
            .map(|edit| vec![edit])
            .or_else(|| removal::of_statement(file, statement)),
    }?;
    let title = format!("remove the unused import `{}`", short(&name));
    Some(Fix::new(Kind::UnusedImport, title, edits).removing(&name))
}

/// Leaves of a statement that it loads its module, which may have an effect: `import "a"`.
fn loading(file: &FileView<'_>, statement: Node<'_>, here: &[Match<'_>]) -> Option<Edit> {
    let facts = file.grammar()?.facts();
    let path = file.slice(here.iter().find_map(|it| it.path)?.byte_range());
    let source = statement.child_by_field_name("source")?;
    let start =
        statement.start_byte() + file.slice(statement.byte_range()).find("import ")? + "import ".len();
    let loads =
        facts.unused_imports_load && start < source.start_byte() && !is_effect_free(file, facts, &path);
    loads.then(|| Edit::new(start..source.start_byte(), ""))
}

/// Removes an unused import of a module without effects that a tool takes for a variable:
/// `const zlib = require("zlib")`.
///
/// Loading any other module may have an effect that the program needs.
pub(super) fn unused_module(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let modules = &file.grammar()?.facts().effect_free_modules;
    let (_, here) = statement_at(file, problem.span.start)?;
    let path = file.slice(here.iter().find_map(|it| it.path)?.byte_range());
    let is_known = modules.iter().any(|it| path.strip_prefix("node:").unwrap_or(&path) == it);
    is_known.then(|| unused(file, problem))?
}

/// The innermost import statement around a byte, with its imports.
fn statement_at<'v, 't>(file: &'v FileView<'t>, at: usize) -> Option<(Node<'t>, &'v [Match<'t>])> {
    let all = file.imports();
    let key = |node: Node<'_>| (node.start_byte(), Reverse(node.end_byte()));
    nodes_at(file.document(), at).into_iter().find_map(|node| {
        let first = all.partition_point(|it| key(it.node) < key(node));
        let last = all.partition_point(|it| key(it.node) <= key(node));
        let here = &all[first..last];
        here.first().filter(|it| it.node == node)?;
        Some((node, here))
    })
}

/// Whether a syntax error touches a span.
fn has_errors_in(node: Node<'_>, span: &Range<usize>) -> bool {
    if !node.has_error() || node.end_byte() < span.start || span.end < node.start_byte() {
        return false;
    }
    let mut cursor = node.walk();
    node.is_error() || node.is_missing() || node.children(&mut cursor).any(|child| has_errors_in(child, span))
}

/// The only import that fits both the message and the range of a report.
fn reported<'t>(file: &FileView<'_>, problem: &Problem<'_>, all: &[Match<'t>]) -> Option<Import<'t>> {
    let end = problem.span.end.max(problem.span.start + 1);
    let first = all.partition_point(|it| it.identifying_node().end_byte() <= problem.span.start);
    let last = all.partition_point(|it| it.identifying_node().start_byte() < end);
    // Some tools mark the keyword, or the original name of a renamed import.
    let candidates = all.get(first..last).filter(|it| !it.is_empty()).unwrap_or(all);
    let said: Vec<&str> = match quoted(problem.message).next() {
        Some(_) => quoted(problem.message).collect(),
        None => problem.message.split_whitespace().map(|it| it.trim_matches(['.', ',', ':', ';'])).collect(),
    };
    let imports = candidates.iter().map(|it| Import { name: it.identifying_node(), statement: it.node });
    [Import::is_called, Import::ends, Import::is_made_of].into_iter().find_map(|is_meant| {
        let mut meant =
            imports.clone().filter(|it| said.iter().any(|said| is_meant(it, file, without_star(said))));
        let one = meant.next()?;
        Some(meant.next().is_none().then_some(one))
    })?
}

/// One of the imports of a statement.
struct Import<'t> {
    /// The name that it brings in, or else the path.
    name: Node<'t>,
    statement: Node<'t>,
}

impl<'t> Import<'t> {
    /// The entry of a list that contains only this import; `None` if the whole statement does.
    fn entry(&self) -> Option<Node<'t>> {
        self.around().find(|it| removal::has_other_entries(*it))
    }

    /// The name and its ancestors in the statement.
    fn around(&self) -> impl Iterator<Item = Node<'t>> {
        let statement = self.statement;
        std::iter::successors(Some(self.name), Node::parent).take_while(move |it| *it != statement)
    }

    /// Whether it has this name, or its source text is the same.
    fn is_called(&self, file: &FileView<'_>, said: &str) -> bool {
        self.around().any(|it| file.slice(it.byte_range()) == said)
    }

    /// Whether a path ends with its name.
    fn ends(&self, file: &FileView<'_>, path: &str) -> bool {
        is_end(path, &file.slice(self.name.byte_range()))
    }

    /// Whether it renames with `as` what this path ends with.
    fn is_made_of(&self, file: &FileView<'_>, path: &str) -> bool {
        let Some(around) = self.around().nth(1) else { return false };
        let written = file.slice(around.byte_range());
        written.split_once(" as ").is_some_and(|(original, _)| is_end(path, original.trim()))
    }
}

/// Whether a path is a name or ends with it.
fn is_end(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':', '/', ' ']))
}

/// A path without the star of a wildcard import.
fn without_star(path: &str) -> &str {
    path.strip_suffix('*').map_or(path, |path| path.trim_end_matches(['.', ':']))
}
