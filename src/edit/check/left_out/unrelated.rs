//! Changes beside the one that was asked for.
//!
//! A retyped text may differ in a number, a name or a condition far from the place of the task. The result parses, and
//! reads as it did before.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::comparison::Comparison;
use super::instruction::has_word_of;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// Changes that are at most so many lines apart are one, unless they are in two functions.
const NEAR: usize = 4;

/// Texts with more changes are not judged: they are changed by a rule.
const MOST_RUNS: usize = 40;

/// How many types that the instruction names are looked at.
const MOST_NAMED: usize = 20;

/// The shortest word that relates two changes.
const LEAST_WORD: usize = 3;

/// A word that occurs more often relates no changes.
const MOST_USES: usize = 12;

/// Words that relate no changes.
const KEYWORDS: [&str; 24] = [
    "None", "break", "const", "continue", "def", "else", "err", "false", "for", "func", "function", "let",
    "nil", "not", "null", "return", "self", "string", "this", "throw", "true", "val", "var", "while",
];

/// Words of an instruction that say where or how, not what.
const COMMON: [&str; 43] = [
    "add", "all", "and", "are", "but", "can", "change", "code", "don", "file", "fix", "for", "from",
    "function", "get", "has", "have", "into", "its", "make", "method", "new", "not", "now", "one", "only",
    "please", "return", "set", "should", "that", "the", "them", "then", "this", "too", "update", "use",
    "value", "when", "which", "with", "you",
];

/// Stems of words in an instruction about all of a text.
const EVERYWHERE: [&str; 22] = [
    "all",
    "any",
    "both",
    "clean",
    "comment",
    "consistent",
    "doc",
    "each",
    "every",
    "format",
    "improv",
    "lint",
    "moderni",
    "polish",
    "quot",
    "refactor",
    "review",
    "style",
    "tidy",
    "typo",
    "warning",
    "whole",
];

/// Changes of the same kind in so many places are one.
const SEVERAL: usize = 3;

/// Larger changes have consequences that no word shows.
const MOST_LINES: usize = 80;

/// The first old line of a file that changes or goes although neither the instruction nor another change is about it.
///
/// A change is about the instruction if a word of it is in the changed words or in the name of the function around them;
/// if no change is, a word in the lines counts, too. It is about another change if both change a word, or if both are
/// in one function or near each other. Without any change that is about the instruction, nothing is known. New lines
/// alone harm nothing. A range is what the user wants to change, whatever is in it.
pub(super) fn line(compared: &Comparison<'_>) -> Option<String> {
    let runs = compared.runs();
    let asked = instruction_stems(compared.asked.instruction);
    if !compared.is_whole
        || runs.len() < 2
        || runs.len() > MOST_RUNS
        || asked.is_empty()
        || is_everywhere(compared.asked.instruction) && !names_function(compared)
    {
        return None;
    }
    let lines: usize = runs.iter().map(|run| run.old.len() + run.new.len()).sum();
    if lines > MOST_LINES {
        return None;
    }
    let changes = changes(compared);
    let is_asked = |word: &str| stems(word).any(|stem| asked.contains(&stem));
    let anchors_by = |is_about: &dyn Fn(&ChangedRun<'_>) -> bool| -> Vec<usize> {
        (0..changes.len()).filter(|at| is_about(&changes[*at])).collect()
    };
    let mut anchors = anchors_by(&|it| {
        it.telling().iter().any(|word| is_asked(word))
            || it.function.is_some_and(|(_, name)| is_asked(name))
            || it.is_in_named_type
    });
    if anchors.is_empty() {
        anchors = anchors_by(&|it| it.all.iter().any(|word| is_asked(word)));
    }
    if anchors.is_empty() {
        return None;
    }
    let related = related(&changes, anchors);
    let mentions = compared.mentions();
    let is_said = |it: &ChangedRun<'_>| it.changed.iter().any(|word| mentions.prose_has(word));
    let stray = (0..changes.len()).find(|at| {
        let it = &changes[*at];
        let is_one_of_several = || changes.iter().filter(|other| other.kind == it.kind).count() >= SEVERAL;
        !related.contains(at)
            && !it.run.old.is_empty()
            && it.loses
            && !it.is_dropped_import()
            && !is_said(it)
            && !is_one_of_several()
    })?;
    changes[stray].run.old.first().map(|line| (*line).to_owned())
}

/// A run of lines with what it changes.
struct ChangedRun<'t> {
    run: &'t Run<'t>,
    /// The words that it adds or takes away.
    changed: HashSet<&'t str>,
    /// All words of its lines.
    all: HashSet<&'t str>,
    /// Whether an old line goes or changes.
    loses: bool,
    /// The kinds of the tokens that it takes away and adds: numbers, words, and each sign.
    kind: Vec<(bool, char)>,
    /// The function around it, by its first byte, and its name.
    function: Option<(usize, &'t str)>,
    /// Whether the instruction names the type around it: `Update CartTest`.
    is_in_named_type: bool,
    /// Whether all old lines are imports.
    is_import: bool,
}

impl<'t> ChangedRun<'t> {
    /// Whether imports go. What is still used of them is judged elsewhere.
    fn is_dropped_import(&self) -> bool {
        self.is_import && self.run.new.is_empty()
    }

    /// The words that relate it to the instruction: those that change, or all words of its lines, if only signs or short
    /// words change, or an import.
    fn telling(&self) -> &HashSet<&'t str> {
        if self.changed.is_empty() || self.is_import { &self.all } else { &self.changed }
    }
}

fn changes<'c>(compared: &'c Comparison<'_>) -> Vec<ChangedRun<'c>> {
    let starts = compared.before.starts();
    let is_named = |name: &str| name.len() >= LEAST_WORD && ident::has_word(compared.asked.instruction, name);
    let types = compared.before.definitions().iter().filter(|it| !it.is_callable() && is_named(&it.name));
    let named: Vec<&Range<usize>> = types.map(|it| &it.span).take(MOST_NAMED).collect();
    let functions: Vec<_> = compared.before.definitions().iter().filter(|it| it.is_callable()).collect();
    compared
        .runs()
        .iter()
        .map(|run| {
            let counts = |lines: &[&'c str]| {
                let mut counts: HashMap<&'c str, isize> = HashMap::new();
                lines.iter().flat_map(|line| tokens(line)).for_each(|it| *counts.entry(it).or_default() += 1);
                counts
            };
            let (old, mut new) = (counts(&run.old), counts(&run.new));
            old.iter().for_each(|(word, count)| *new.entry(word).or_default() -= count);
            let loses = run.old.iter().any(|line| has_word_chars(line) && !run.new.contains(line));
            let differing = new.iter().filter(|(_, surplus)| **surplus != 0);
            let mut kind: Vec<_> = differing.map(|(token, surplus)| (*surplus > 0, kind(token))).collect();
            kind.sort_unstable();
            let is_word = |word: &&str| word.len() >= LEAST_WORD && word.starts_with(ident::is_part);
            // A word of many lines relates none of them.
            let is_rare =
                |word: &&str| compared.before.words().count(word) <= MOST_USES && !KEYWORDS.contains(word);
            let changed =
                new.iter().filter(|(_, surplus)| **surplus != 0).map(|(word, _)| *word).filter(is_rare);
            let at = starts.get(run.at).copied().unwrap_or(compared.before.text.len());
            let around = functions[..functions.partition_point(|it| it.span.start <= at)].last();
            let function = around.filter(|it| at < it.span.end).map(|it| (it.span.start, it.name.as_str()));
            let is_import = !run.old.is_empty() && (0..run.old.len()).all(|at| compared.is_import(run, at));
            ChangedRun {
                run,
                changed: changed.filter(is_word).collect(),
                all: new.keys().copied().filter(is_word).collect(),
                loses,
                kind,
                function,
                is_in_named_type: named.iter().any(|span| span.contains(&at)),
                is_import,
            }
        })
        .collect()
}

/// The changes that are about one of those given, directly or by others.
fn related(changes: &[ChangedRun<'_>], anchors: Vec<usize>) -> HashSet<usize> {
    let is_near = |a: &ChangedRun<'_>, b: &ChangedRun<'_>| {
        let [first, second] = if a.run.at <= b.run.at { [a, b] } else { [b, a] };
        second.run.at <= first.run.at + first.run.old.len() + NEAR
    };
    let are_related = |a: &ChangedRun<'_>, b: &ChangedRun<'_>| {
        let is_one_place = match (a.function, b.function) {
            (Some(a), Some(b)) => a == b,
            _ => is_near(a, b),
        };
        is_one_place || !a.changed.is_disjoint(&b.changed)
    };
    let mut found: HashSet<usize> = anchors.iter().copied().collect();
    let mut open = VecDeque::from(anchors);
    while let Some(at) = open.pop_front() {
        for other in 0..changes.len() {
            if !found.contains(&other) && are_related(&changes[at], &changes[other]) {
                found.insert(other);
                open.push_back(other);
            }
        }
    }
    found
}

/// The kind of a token: a number, a word, or the sign.
fn kind(token: &str) -> char {
    match token.chars().next() {
        Some(first) if first.is_numeric() => '0',
        Some(first) if ident::is_part(first) => 'a',
        first => first.unwrap_or_default(),
    }
}

/// The words and signs of a line.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = &str> {
    ident::tokens(line).into_iter().map(|token| &line[token])
}

/// The stems of the words in an instruction that may be about code.
pub(super) fn instruction_stems(instruction: &str) -> HashSet<String> {
    let is_common = |word: &str| COMMON.contains(&word.to_lowercase().as_str());
    let words = ident::words(instruction).filter(|word| !is_common(word)).flat_map(ident::parts);
    let long = words.filter(|part| part.text.len() >= LEAST_WORD && !is_common(part.text));
    long.map(|part| stem(&part.text.to_lowercase())).collect()
}

/// Whether the instruction names a function: "refactor" is about that one then.
fn names_function(compared: &Comparison<'_>) -> bool {
    let is_named = |name: &str| name.len() >= LEAST_WORD && ident::has_word(compared.asked.instruction, name);
    compared.before.definitions().iter().any(|it| it.is_callable() && is_named(&it.name))
}

pub(super) fn is_everywhere(instruction: &str) -> bool {
    has_word_of(instruction, &EVERYWHERE)
}

/// The stems of the words in a name, in lower case.
pub(super) fn stems(name: &str) -> impl Iterator<Item = String> {
    ident::parts(name).into_iter().map(|part| stem(&part.text.to_lowercase()))
}

/// A word without the endings of its forms.
fn stem(word: &str) -> String {
    const ENDINGS: [&str; 7] = ["ation", "ing", "ies", "ed", "es", "s", "e"];
    const LEAST_STEM: usize = 3;
    let ending = ENDINGS.iter().find(|it| word.len() >= it.len() + LEAST_STEM && word.ends_with(**it));
    ending.map_or(word, |it| &word[..word.len() - it.len()]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "def total(prices):\n    tax = 7\n    return sum(prices) + tax\n\n\ndef mail(user):\n    text = greet(user)\n    wait(30)\n    send(user.address, text)\n\n\ndef drop(user):\n            close(user)\n    log(user.name)\n";

    /// Checks the old line that changes beside the others.
    #[track_caller]
    fn check(changes: &[[&str; 2]], instruction: &str, expected: Option<&str>) {
        let mut after = FILE.to_owned();
        for [old, new] in changes {
            assert!(after.contains(old), "{old}");
            after = after.replacen(old, new, 1);
        }
        let asked = Asked { instruction, reply: &after };
        assert_eq!(compared("python", [FILE, &after], asked, line).as_deref(), expected, "{after}");
    }

    #[test]
    fn change_in_another_function_is_unrelated() {
        let asked = ["tax = 7", "tax = 19"];
        check(&[asked, ["wait(30)", "wait(60)"]], "raise the tax", Some("wait(30)"));
        check(&[asked, ["    wait(30)\n", ""]], "raise the tax", Some("wait(30)"));
        check(&[asked, ["wait(30)", "wait(60)"]], "raise the tax and wait longer", None);
        check(&[asked, ["wait(30)", "wait(60)"]], "raise it", None);
        check(&[asked, ["wait(30)", "wait(60)"]], "raise the tax everywhere", None);
        check(&[asked, ["wait(30)", "wait(30)\n    rest()"]], "raise the tax", None);
        check(&[asked, ["wait(30)", "wait(60)"]], "clean up the tax", None);
        check(&[asked, ["wait(30)", "wait(60)"]], "clean up total", Some("wait(30)"));
        let several = [asked, ["wait(30)", "wait(60)"], ["log(user.name)", "log(user.name, 1)"]];
        check(&several, "raise the tax", Some("wait(30)"));
        let several = [asked, ["wait(30)", "wait(60)"], ["close(user)", "close(user, 1)"]];
        check(&several, "raise the tax", Some("wait(30)"));
    }

    #[test]
    fn imports_and_signs_tell_little() {
        let check = |[old, new]: [&str; 2], instruction: &str, expected: Option<&str>| {
            let filler = "pass\n".repeat(NEAR + 1);
            let file = format!("from a import b\nfrom c import d\nMOST = (1)\n{filler}{FILE}");
            let before = file.replace("tax = 7", "tax = 7  # 7");
            let after = file.replacen(old, new, 1).replace("tax = 7", "tax = 8  # 7");
            let asked = Asked { instruction, reply: &after };
            assert_eq!(compared("python", [&before, &after], asked, line).as_deref(), expected, "{after}");
        };
        check(["from a import b\n", ""], "raise the tax", None);
        check(["from a import b", "from e import b"], "raise the tax", Some("from a import b"));
        check(["MOST = (1)", "MOST = 1"], "raise the tax", Some("MOST = (1)"));
        check(["MOST = (1)", "MOST = 1"], "raise the tax, and most", None);
    }

    #[test]
    fn changes_are_related_by_what_they_change() {
        let parameter = ["def mail(user):", "def mail(user, delay):"];
        check(&[["tax = 7", "tax = 19"], parameter], "raise the tax", Some("def mail(user):"));
        check(&[parameter, ["log(user.name)", "log(user.name, delay)"]], "give mail a delay", None);
        check(
            &[["greet(user)", "hello(user)"], ["send(user.address", "push(user.address"]],
            "say hello",
            None,
        );
        check(&[["close(user)", "end(user)"], ["tax = 7", "tax = 8"]], "use `end`", Some("tax = 7"));
    }

    #[test]
    fn instruction_names_the_type() {
        let file = "class Cart:\n    def fill(self):\n        a(1)\n\n    def drop(self):\n        b(1)\n";
        let after = file.replace('1', "2");
        let check = |instruction: &str, expected: Option<&str>| {
            let asked = Asked { instruction, reply: &after };
            assert_eq!(compared("python", [file, &after], asked, line).as_deref(), expected);
        };
        check("update fill", Some("b(1)"));
        check("update Cart", None);
    }

    #[test]
    fn texts_without_functions() {
        let file = "FROM base\n# needed at start\nRUN apt-get\nWORKDIR /a\nEXPOSE 80\nUSER b\nENV C=1\nCMD [\"d\", \"--workers\", \"4\"]\n";
        let after = file.replace("# needed at start\n", "").replace("\"4\"", "\"8\"");
        let reply = format!("```dockerfile\n{after}```\n");
        let asked = Asked { instruction: "use 8 workers", reply: &reply };
        let found = compared("dockerfile", [file, &after], asked, line);
        assert_eq!(found.as_deref(), Some("# needed at start"));
    }
}
