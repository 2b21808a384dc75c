//! Reads options value by value.
//!
//! An invalid value is reported by name and position, and the previous one is kept.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::Secret;
use super::fail_closed::{self, FailClosed};
use super::limits::QUOTED_NAME_CHARS;
use super::node::{Node, RawValue};
use crate::text::did_you_mean;

/// Something in the configuration that cannot be used, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    place: String,
    name: String,
    what: String,
    /// Whether the list of candidates also reports it, as the reason why one of them is left out.
    is_of_candidate: bool,
    /// Whether it is about the company's policy, which the user cannot correct.
    is_of_policy: bool,
    /// The limit that it leaves open.
    pub(super) doubt: Option<FailClosed>,
}

impl Problem {
    /// `place` is a file with or without a line, or an editor's message; `name` is a setting's.
    pub(super) fn new(place: &str, name: &str, what: impl Into<String>) -> Self {
        let (name, what) = (shown(name), what.into());
        Self { place: place.to_owned(), name, what, is_of_candidate: false, is_of_policy: false, doubt: None }
    }

    /// Marks the problem as leaving a limit open.
    pub(super) fn in_doubt(self, doubt: Option<FailClosed>) -> Self {
        Self { doubt, ..self }
    }

    /// Whether no model is asked until it is corrected, since it leaves open what may be sent or spent.
    pub fn keeps_models_off(&self) -> bool {
        self.doubt.is_some()
    }

    /// Where it is: a file with the line, if that is known, or a setting.
    pub(super) fn place(&self) -> &str {
        if self.place.is_empty() { &self.name } else { &self.place }
    }

    /// A candidate of a role is left out, which its [`UnavailableCandidate`](super::UnavailableCandidate) also reports.
    pub(super) fn left_out(role: &str, at: usize, why: &str) -> Self {
        let problem = Self::new("", &format!("{role}.candidates.{at}"), format!("left out: {why}"));
        Self { is_of_candidate: true, ..problem }
    }

    /// Whether both report a candidate that is left out for the same reason.
    pub(super) fn has_same_cause(&self, other: &Self) -> bool {
        self.is_of_candidate && other.is_of_candidate && self.what == other.what
    }

    /// The company's policy, at this place, does not apply as it should.
    pub(super) fn of_policy(place: &str, what: String) -> Self {
        Self { is_of_policy: true, ..Self::new(place, "", what) }
    }

    /// Whether it is about the company's policy, which a report shows already.
    pub fn is_of_policy(&self) -> bool {
        self.is_of_policy
    }

    /// Whether it only reports that a candidate is left out.
    ///
    /// A list of the candidates then shows it already.
    pub fn is_of_candidate(&self) -> bool {
        self.is_of_candidate
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [&self.place, &self.name] {
            if !part.is_empty() {
                write!(f, "{part}: ")?;
            }
        }
        f.write_str(&self.what)
    }
}

/// Makes a name printable: a file's author may have disguised it.
fn shown(name: &str) -> String {
    name.chars().filter(|it| !it.is_control()).take(QUOTED_NAME_CHARS).collect()
}

/// Names from other tools' settings that users often try first, and the correct setting.
const FIRST_GUESSES: &[(&str, &str)] = &[
    (
        "api_key",
        "a key is never written down here: name the variable that holds it, `api_key_env = \"OPENAI_API_KEY\"`, or a \
         command that prints it, `api_key_command = \"pass show openai\"`",
    ),
    ("model", "models are listed: `candidates = [{ provider = \"NAME\", model = \"MODEL\" }]`"),
    ("url", "the address of an API is its `base_url`"),
];

/// One source of settings while it is read.
pub(super) struct Reading<'a> {
    source: &'a str,
    /// The file's text, to find line numbers; empty for an editor's message.
    text: &'a str,
    /// The names that lead to the current value.
    path: Vec<String>,
    problems: &'a mut Vec<Problem>,
    /// The names of the settings outside of all tables.
    top_level: &'static [&'static str],
    /// The paths of the values that could not be read.
    pub(super) bad: Vec<Vec<String>>,
    /// Whether the current value has no effect for now.
    is_unused: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(source: &'a str, text: &'a str, problems: &'a mut Vec<Problem>) -> Self {
        Self { source, text, path: Vec::new(), problems, top_level: &[], bad: Vec::new(), is_unused: false }
    }

    /// The number of problems so far.
    pub(super) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Reads values that have no effect for now.
    pub(super) fn unused(&mut self, read: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_unused, true);
        read(self);
        self.is_unused = before;
    }

    /// Reports a problem with the current value.
    pub(super) fn wrong(&mut self, at: Option<usize>, what: impl Into<String>) {
        let mut name = String::new();
        for key in &self.path {
            if !name.is_empty() {
                name.push('.');
            }
            // A name with dots in it, such as a model's, is quoted as in TOML.
            name += &if key.contains('.') { format!("\"{key}\"") } else { key.clone() };
        }
        self.bad.push(self.path.clone());
        let doubt = fail_closed::of(&self.path).filter(|_| !self.is_unused);
        self.report(&name, at, what, doubt);
    }

    /// Reports a problem with another setting that leaves no limit open.
    pub(super) fn wrong_in(&mut self, name: &str, at: Option<usize>, what: impl Into<String>) {
        self.report(name, at, what, None);
    }

    /// Reports a syntax error, and the limit that it leaves open.
    pub(super) fn wrong_text(&mut self, at: usize, what: impl Into<String>, doubt: Option<FailClosed>) {
        self.report("", Some(at), what, doubt);
    }

    fn report(&mut self, name: &str, at: Option<usize>, what: impl Into<String>, doubt: Option<FailClosed>) {
        let place = match at.and_then(|at| self.text.get(..at)) {
            Some(before) => {
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                format!("{}:{line}:{column}", self.source)
            }
            None => self.source.to_owned(),
        };
        self.problems.push(Problem::new(&place, name, what).in_doubt(doubt));
    }

    /// Reads the value at the name `key`.
    pub(super) fn below<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let done = read(self);
        self.path.pop();
        done
    }

    /// Reads a table with the known `names`; `entry` returns whether it knows the given name.
    pub(super) fn table(
        &mut self,
        node: Node,
        names: &'static [&'static str],
        mut entry: impl FnMut(&str, Node, &mut Self) -> bool,
    ) {
        if self.path.is_empty() {
            self.top_level = names;
        }
        for (key, node) in self.entries(node) {
            let at = node.at;
            self.below(&key, |reading| {
                if !entry(&key, node, reading) {
                    let first_guess = FIRST_GUESSES.iter().find(|(name, _)| *name == key);
                    let hint = match first_guess {
                        Some((_, instead)) => format!("; {instead}"),
                        // In TOML, a line behind the head of a table belongs to that table.
                        None if reading.top_level.contains(&key.as_str()) => {
                            "; it is a top-level setting: move it above the first `[table]`".to_owned()
                        }
                        None => did_you_mean(&key, names.iter().copied()),
                    };
                    reading.wrong(at, format!("no such setting{hint}"));
                }
            });
        }
    }

    fn entries(&mut self, node: Node) -> Vec<(String, Node)> {
        match node.value {
            RawValue::Table(entries) => entries,
            RawValue::Nothing => Vec::new(),
            _ => {
                self.expected("a table", &node);
                Vec::new()
            }
        }
    }

    /// Reports a value of the wrong type.
    ///
    /// Never quotes the value: it may be a misplaced key.
    pub(super) fn expected(&mut self, what: &str, node: &Node) {
        self.wrong(node.at, format!("expected {what}, found {}", node.kind()));
    }
}

/// A value that is either present or absent.
pub(super) trait Read: Sized {
    /// Whether it is written as a string, so that a single one can be written instead of a list.
    const IS_STRING: bool = false;

    /// Reads the value, or reports that it cannot be read.
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self>;
}

/// A value that later sources are merged into.
pub(super) trait Merge {
    /// Overrides the current value by the written one. An absent value changes nothing.
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>);
}

impl<T: Read> Merge for Option<T> {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        if !matches!(node.value, RawValue::Nothing)
            && let Some(read) = T::read(node, reading)
        {
            *self = Some(read);
        }
    }
}

impl<T: Merge + Default> Merge for BTreeMap<String, T> {
    fn merge_from(&mut self, node: Node, reading: &mut Reading<'_>) {
        for (key, node) in reading.entries(node) {
            reading.below(&key.clone(), |reading| self.entry(key).or_default().merge_from(node, reading));
        }
    }
}

/// A list replaces a list. Elements that cannot be read are left out.
impl<T: Read> Read for Vec<T> {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let list = match node.value {
            RawValue::List(list) => list,
            RawValue::Text(_) if T::IS_STRING => return T::read(node, reading).map(|it| vec![it]),
            _ => {
                reading.expected("a list", &node);
                return None;
            }
        };
        let mut read = Vec::with_capacity(list.len());
        for (at, node) in list.into_iter().enumerate() {
            read.extend(reading.below(&at.to_string(), |reading| T::read(node, reading)));
        }
        Some(read)
    }
}

impl Read for bool {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let RawValue::Switch(it) = node.value else {
            reading.expected("true or false", &node);
            return None;
        };
        Some(it)
    }
}

impl Read for String {
    const IS_STRING: bool = true;

    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let RawValue::Text(it) = node.value else {
            reading.expected("a string", &node);
            return None;
        };
        Some(it)
    }
}

impl Read for Secret {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        String::read(node, reading).map(Self::new)
    }
}

impl Read for PathBuf {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        String::read(node, reading).map(Self::from)
    }
}

impl Read for u64 {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let whole = if let RawValue::Number(it) = &node.value { it.as_u64() } else { None };
        if whole.is_none() {
            reading.wrong(node.at, format!("expected a whole number from 0, found {}", found(&node)));
        }
        whole
    }
}

impl Read for usize {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        u64::read(node, reading).map(|it| Self::try_from(it).unwrap_or(Self::MAX))
    }
}

impl Read for NonZeroUsize {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let at = node.at;
        let read = Self::new(usize::read(node, reading)?);
        if read.is_none() {
            reading.wrong(at, "expected a whole number from 1, found 0");
        }
        read
    }
}

/// An amount, such as of money: finite and not negative.
impl Read for f64 {
    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let number = if let RawValue::Number(it) = &node.value { it.as_f64() } else { None };
        let amount = number.filter(|it| it.is_finite() && *it >= 0.0);
        if amount.is_none() {
            reading.wrong(node.at, format!("expected a number from 0, found {}", found(&node)));
        }
        amount
    }
}

fn found(node: &Node) -> String {
    match &node.value {
        RawValue::Number(number) => number.to_string(),
        _ => node.kind().to_owned(),
    }
}

/// A value that is one of a few words.
pub(super) trait Word: Copy + 'static {
    fn words() -> Vec<(&'static str, Self)>;
}

impl<T: Word> Read for T {
    const IS_STRING: bool = true;

    fn read(node: Node, reading: &mut Reading<'_>) -> Option<Self> {
        let all = T::words();
        let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
        let RawValue::Text(written) = &node.value else {
            reading.expected(&format!("one of {}", words.join(", ")), &node);
            return None;
        };
        let known = all.iter().find(|(word, _)| word == written);
        if known.is_none() {
            let guess = did_you_mean(written, words.iter().copied());
            let what = format!("expected one of {}{guess}", words.join(", "));
            reading.wrong(node.at, what);
        }
        known.map(|(_, it)| *it)
    }
}
