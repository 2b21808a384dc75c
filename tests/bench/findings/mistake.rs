//! Mistakes that models make, planted in the new text of a commit.

use std::path::Path;

use tandem::grammar::{self, QueryKind};

use crate::git::{Changed, Commit};

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mistake {
    /// A used import is removed.
    DroppedImport,
    /// A variable is misspelt at one of its uses.
    MisspeltVariable,
    /// A function that is called elsewhere gets another parameter.
    ParameterMore,
    /// A function that is called elsewhere is renamed.
    Renamed,
}

impl Mistake {
    pub(crate) const ALL: [Self; 4] =
        [Self::DroppedImport, Self::MisspeltVariable, Self::ParameterMore, Self::Renamed];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DroppedImport => "import dropped though used",
            Self::MisspeltVariable => "variable misspelt",
            Self::ParameterMore => "one parameter more",
            Self::Renamed => "renamed without its calls",
        }
    }

    /// The changes of a commit with the mistake planted, and its location; `None` if it does not fit.
    pub(crate) fn plant(self, commit: &Commit) -> Option<(Vec<Changed>, String)> {
        (0..commit.files.len()).find_map(|at| {
            let (path, text) = commit.files[at].new.as_ref()?;
            let (new, what) = self.spoilt(path, text)?;
            let mut files = commit.files.clone();
            files[at].new = Some((path.clone(), new));
            Some((files, format!("{path}: {what}")))
        })
    }

    fn spoilt(self, path: &str, text: &str) -> Option<(String, String)> {
        let grammar = grammar::by_path(Path::new(path)).filter(|it| it.facts().modules.is_some())?;
        let tree = grammar.parse_str(text)?;
        if tree.root_node().has_error() {
            return None;
        }
        let found = |kind| grammar.matches(kind, tree.root_node(), 0..text.len(), text.as_bytes());
        let without = |from: usize, to: usize| [&text[..from], &text[to..]].concat();
        let is_called = |name: &str| {
            let calls = found(QueryKind::References);
            calls.iter().filter(|it| it.name.is_some_and(|it| &text[it.byte_range()] == name)).count() > 0
        };
        match self {
            Self::DroppedImport => found(QueryKind::Imports).into_iter().find_map(|it| {
                let name = text.get(it.name?.byte_range())?;
                let (start, end) = (it.node.start_byte(), it.node.end_byte());
                let is_alone =
                    !text[start..end].contains([',', '{', '(', '\n']) && text[end..].starts_with('\n');
                (is_alone && is_called(name)).then(|| (without(start, end + 1), format!("import of {name}")))
            }),
            Self::MisspeltVariable => {
                let root = tree.root_node();
                let mut cursor = root.walk();
                let mut open: Vec<_> = root.children(&mut cursor).collect();
                while let Some(node) = open.pop() {
                    let mut cursor = node.walk();
                    open.extend(node.children(&mut cursor));
                    let name = &text[node.byte_range()];
                    let is_argument = node.kind() == "identifier"
                        && node
                            .parent()
                            .is_some_and(|it| ["argument_list", "arguments"].contains(&it.kind()));
                    if is_argument && name.len() > 3 && text.matches(name).count() > 2 {
                        let at = node.end_byte();
                        let new = [&text[..at], "zz", &text[at..]].concat();
                        return Some((new, format!("{name} in line {}", node.start_position().row + 1)));
                    }
                }
                None
            }
            Self::ParameterMore | Self::Renamed => found(QueryKind::Definitions).into_iter().find_map(|it| {
                let name = it.name?;
                let called = text.get(name.byte_range())?;
                let from = name.end_byte();
                if it.kind != "function" || !is_called(called) || !text[from..].starts_with('(') {
                    return None;
                }
                let (at, new) = match self {
                    Self::Renamed => (from, "Zz"),
                    _ if text[from..].starts_with("()") => (from + 1, parameter(path)),
                    _ => (from + 1, &*format!("{}, ", parameter(path))),
                };
                Some(([&text[..at], new, &text[at..]].concat(), format!("of {called}")))
            }),
        }
    }
}

/// A parameter without a default.
fn parameter(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "rs" | "ts" | "tsx" => "zz: number",
        "go" => "zz int",
        "java" => "int zz",
        _ => "zz",
    }
}
