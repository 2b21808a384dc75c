//! Problems of several files' combined changes.
//!
//! All are reported, and none of them blocks.

mod imports;
mod modules;
mod names;
mod touched;
mod undefined;
mod uses;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use tree_sitter::Tree;

use super::finding::{Finding, Problem};
use super::overlay;
use super::project::Project;
use crate::assist::calls::Signature;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::names::unknown_names;
use crate::edit::{Edit, EditSet, Flag};
use crate::grammar::{self, Grammar, Modules};
use crate::text::ident::{has_word, occurrences};
use crate::workspace::{Definition, Workspace};
use names::Names;
pub use touched::may_leave_uses;

/// Limit on the reported findings.
const MOST_FINDINGS: usize = 50;
/// Base time for the parse of one file, in addition to the time per byte.
const PARSE_TIME: Duration = Duration::from_millis(200);

/// Checks a set as if it were applied. Reads files and parses.
pub(super) fn findings(project: &Project, set: &EditSet) -> Vec<Finding> {
    of_set(project, set, false)
}

/// Like [`findings`], but includes names for which too little code is known to confirm a problem.
///
/// A model that sees those would search for mistakes where there are none.
pub fn check(project: &Project, set: &EditSet) -> Vec<Finding> {
    of_set(project, set, true)
}

fn of_set(project: &Project, set: &EditSet, with_doubts: bool) -> Vec<Finding> {
    let after = project.workspace.changed(&overlay::changes(project, set));
    let check = Check::new(project, set, &after, false);
    let mut findings = check.syntax();
    findings.extend(check.unknown_names(with_doubts));
    findings.extend(check.undefined());
    findings.extend(check.lost_imports());
    findings.extend(check.undeclared_modules());
    findings.extend(check.defined_twice());
    findings.extend(check.uses());
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings.dedup();
    findings.truncate(MOST_FINDINGS);
    findings
}

/// The uses of what a set takes away or gives other parameters, where it leaves them as they were.
pub(super) fn uses_left(project: &Project, set: &EditSet) -> Vec<Finding> {
    let after = project.workspace.changed(&overlay::changes(project, set));
    let check = Check::new(project, set, &after, true);
    let mut uses = check.uses();
    let was_there =
        |name: &str| set.files().iter().filter_map(FileEdit::old_text).any(|it| has_word(it, name));
    let is_use = |it: &Finding| match &it.problem {
        Problem::LostImport(_) => set.files().iter().all(|file| file.path != it.path),
        // A definition of the index is reported with each of its uses already.
        Problem::Undefined { name, was_imported } => {
            let is_same =
                |other: &Finding| other.path == it.path && other.problem.changed_name() == Some(name);
            !was_imported && was_there(name) && !uses.iter().any(is_same)
        }
        _ => false,
    };
    let others = check.lost_imports().into_iter().chain(check.undefined());
    let others = others.filter(is_use).collect::<Vec<_>>();
    uses.extend(others);
    uses.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    uses.dedup_by(|a, b| (&a.path, a.line) == (&b.path, b.line));
    uses
}

/// Files by whether they are the version after the change, and by their paths.
type ParsedFiles = HashMap<(bool, PathBuf), Option<Rc<Parsed>>>;

struct Check<'a> {
    project: &'a Project,
    set: &'a EditSet,
    before: &'a Workspace,
    after: &'a Workspace,
    /// Whether every use of a definition counts, in its own file as well.
    counts_uses: bool,
    /// The files parsed so far, before and after the change.
    parsed: RefCell<ParsedFiles>,
}

/// A text with its tree.
struct Parsed {
    grammar: &'static Grammar,
    text: String,
    tree: Tree,
    names: OnceCell<Names>,
}

impl Parsed {
    fn new(path: &Path, text: &str) -> Option<Self> {
        let grammar = grammar::by_path(path)?;
        let tree = grammar.parse_within(text, PARSE_TIME)?;
        Some(Self { grammar, text: text.to_owned(), tree, names: OnceCell::new() })
    }

    /// Whether it has no syntax errors.
    fn is_sound(&self) -> bool {
        !self.tree.root_node().has_error()
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.grammar, &self.tree, &self.text))
    }

    /// The signature of a definition in this text, in languages whose calls are analyzed.
    fn signature(&self, definition: &Definition<'_>) -> Option<Signature> {
        self.grammar.facts().modules.filter(|it| *it != Modules::C)?;
        let span = definition.name_start..definition.name_start + definition.name.len();
        let is_there = self.text.get(span.clone()) == Some(definition.name);
        let name = self.tree.root_node().named_descendant_for_byte_range(span.start, span.end)?;
        if is_there { Signature::of(name, &self.text) } else { None }
    }
}

impl<'a> Check<'a> {
    fn new(project: &'a Project, set: &'a EditSet, after: &'a Workspace, counts_uses: bool) -> Self {
        Self { project, set, before: &project.workspace, after, counts_uses, parsed: RefCell::default() }
    }

    /// A file of one of the workspaces, which is read and parsed once.
    fn parsed(&self, workspace: &Workspace, path: &Path) -> Option<Rc<Parsed>> {
        let key = (std::ptr::eq(workspace, self.after), path.to_owned());
        if let Some(parsed) = self.parsed.borrow().get(&key) {
            return parsed.clone();
        }
        let text = workspace.text(path).ok();
        let parsed = text.and_then(|text| Parsed::new(path, &text)).map(Rc::new);
        self.parsed.borrow_mut().insert(key, parsed.clone());
        parsed
    }

    /// A problem of a file in a line, counted from 0.
    fn finding(&self, path: &Path, line: Option<usize>, problem: Problem) -> Finding {
        Finding { path: self.project.shown(path), line: line.map(|line| line + 1), problem }
    }

    fn syntax(&self) -> Vec<Finding> {
        let broken = self.set.files().iter().filter(|file| file.flags.contains(&Flag::Syntax));
        let paths = broken.filter_map(FileEdit::new_path);
        paths.map(|path| Finding { path: path.to_owned(), line: None, problem: Problem::Syntax }).collect()
    }

    /// Calls of names that neither the project nor another file of the set has, in languages whose files do not
    /// declare the names that they use.
    ///
    /// Calls with a receiver are skipped, since its type is unknown; so are languages that can omit the receiver.
    fn unknown_names(&self, with_doubts: bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files() {
            let Some(path) = file.new_path() else { continue };
            let Some(grammar) = grammar::by_path(Path::new(path)) else { continue };
            let is_reliable = self.after.is_reliable_for(grammar);
            let is_told_otherwise = grammar.has_global("").is_some() || grammar.facts().implicit_receiver;
            if is_told_otherwise || !is_reliable && !with_doubts {
                continue;
            }
            let whole;
            let (text, edits) = match &file.change {
                Change::Create { text } => {
                    whole = [Edit::new(0..0, text.as_str())];
                    ("", whole.as_slice())
                }
                Change::Edit { base, edits } | Change::Rename { base, edits, .. } => {
                    (base.text.as_str(), edits.as_slice())
                }
                Change::Delete { .. } => continue,
            };
            let new_text = file.new_text().unwrap_or_default();
            let is_bare = |name: &str| {
                let mut places = occurrences(&new_text, name);
                places.any(|at| !new_text[..at].trim_end().ends_with(['.', '>', ':']))
            };
            let elsewhere = |name: &str| {
                let mut others = self.set.files().iter().filter(|other| other.path != file.path);
                others.any(|other| other.new_text().is_some_and(|text| text.contains(name)))
            };
            let known = |name: &str| self.before.knows(grammar, name) || elsewhere(name);
            let mut names = unknown_names(grammar, text, edits, None, &known);
            names.retain(|name| is_bare(name));
            if !names.is_empty() {
                let problem =
                    if is_reliable { Problem::UnknownNames(names) } else { Problem::UncheckedNames(names) };
                findings.push(Finding { path: path.to_owned(), line: None, problem });
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests;
