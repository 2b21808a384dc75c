//! Values of settings that are more than a number, a word or a list.

use crate::config::node::{Node, RawValue};
use crate::config::read::{Merge, Read, Reading, Word};
use crate::config::{CommentOrString, ContextScope, Eagerness, EditDialect, FimDialect, Secret, Wire};
use crate::text::named;

/// A table that is used only if all of it can be read: without its proxy, for example, it would mean something else.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub(in crate::config) struct Checked<T> {
    pub(in crate::config) table: T,
    /// Whether something in it could not be read.
    #[cfg_attr(test, schemars(skip))]
    pub(in crate::config) is_broken: bool,
}

impl<T: Merge> Merge for Checked<T> {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        let before = reading.problems();
        self.table.merge_from(node, reading);
        self.is_broken |= reading.problems() > before;
    }
}

/// Sets of settings, which are read once the active one is known.
#[derive(Debug, Clone, Default)]
pub(in crate::config) struct Profiles(pub(in crate::config) Vec<(String, Node)>);

impl Merge for Profiles {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        match node.value {
            RawValue::Table(entries) => self.0.extend(entries),
            RawValue::Nothing => {}
            _ => reading.expected("a table", &node),
        }
    }
}

/// Globs that sources can only add to: what one hides, no other shows.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub(in crate::config) struct Globs(pub(in crate::config) Vec<String>);

impl Merge for Globs {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        let mut globs: Option<Vec<String>> = None;
        globs.merge_from(node, reading);
        self.0.extend(globs.unwrap_or_default());
    }
}

/// A command and its arguments: a list, or a string that is split as a shell would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) struct CommandLine(pub(in crate::config) Vec<String>);

impl Read for CommandLine {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let at = node.at;
        let words = match node.value {
            RawValue::Text(line) => shlex::split(&line),
            RawValue::List(_) => Vec::read(node, reading),
            _ => {
                reading.expected("a string or a list of strings", &node);
                return None;
            }
        };
        let words = words.filter(|words| !words.is_empty());
        if words.is_none() {
            reading.wrong(at, "expected a command; is there a quote without its end?");
        }
        words.map(Self)
    }
}

/// A header's value: as written, or from the environment.
#[derive(Debug, Clone)]
pub(in crate::config) enum Header {
    Text(Secret),
    Variable(String),
}

impl Read for Header {
    fn read(mut node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        match node.take("env") {
            Some(variable) => String::read(variable, reading).map(Self::Variable),
            None if matches!(node.value, RawValue::Table(_)) => {
                reading.wrong(node.at, "expected a string, or { env = \"VARIABLE\" }");
                None
            }
            None => Secret::read(node, reading).map(Self::Text),
        }
    }
}

/// Enums whose names are the words.
macro_rules! words {
    ($($type:ty),+) => {$(
        impl Word for $type {
            fn words() -> Vec<(&'static str, Self)> {
                Self::ALL.map(|it| (it.name(), it)).into()
            }
        }
    )+};
}

words!(CommentOrString, ContextScope, Eagerness, EditDialectName, FimDialect, Wire);

named! {
    /// The form in which a model predicts edits.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
    pub(in crate::config) enum EditDialectName {
        None = "none",
        Zeta2 = "zeta2",
        #[cfg_attr(test, schemars(rename = "zeta2.1"))]
        Zeta21 = "zeta2.1",
        Sweep = "sweep",
        Mercury = "mercury",
    }
}

impl EditDialectName {
    pub(in crate::config) fn dialect(self) -> Option<EditDialect> {
        EditDialect::by_name(self.name())
    }
}
