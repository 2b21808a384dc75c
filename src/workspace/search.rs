//! Finds definitions for a natural-language question by names, signatures and doc lines.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::index::FileDefinition;
use super::store::Workspace;
use super::symbols::{FileSymbols, Kind, StoredDefinition};
use super::test_file::is_named_as_test;
use crate::text::ident;

/// Stop words of a question.
const COMMON: [&str; 48] = [
    "a",
    "an",
    "and",
    "are",
    "at",
    "be",
    "by",
    "can",
    "code",
    "define",
    "defined",
    "defines",
    "definition",
    "did",
    "do",
    "does",
    "file",
    "files",
    "find",
    "for",
    "from",
    "function",
    "get",
    "how",
    "i",
    "in",
    "is",
    "it",
    "me",
    "my",
    "of",
    "on",
    "or",
    "own",
    "owned",
    "owns",
    "show",
    "that",
    "the",
    "this",
    "to",
    "us",
    "we",
    "what",
    "where",
    "which",
    "who",
    "with",
];
/// Minimum length in bytes of a word that matches as a prefix.
const LEAST_BEGINNING: usize = 4;
/// Weight of a name that occurs verbatim in the question.
const WHOLE_NAME: f32 = 12.0;

/// The share of the score that is left to tests and examples, if the question is not about them.
const IN_TESTS: f32 = 0.3;
/// Words that make a question one about tests or examples.
const OF_TESTS: [&str; 10] =
    ["assert", "benchmark", "covered", "demo", "example", "fixture", "mock", "spec", "test", "tested"];

/// A definition that matches a question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The definition.
    pub place: FileDefinition,
    /// The words of the question that match it.
    pub words: Vec<String>,
}

/// The search terms of a question.
pub(super) struct Question {
    /// Names as written.
    names: BTreeSet<String>,
    /// The parts of names and all other words, in lowercase: those that are not common, if there are any.
    pub(super) words: Vec<String>,
    /// Whether all words are common ones, which then may be names.
    is_common: bool,
}

impl Question {
    pub(super) fn new(text: &str) -> Self {
        let names: BTreeSet<String> =
            ident::words_with_dollars(text).map(|(_, word)| word.to_owned()).collect();
        let all: BTreeSet<String> = names.iter().flat_map(|name| terms(name)).collect();
        let mut words: Vec<String> =
            all.iter().filter(|word| !COMMON.contains(&word.as_str())).cloned().collect();
        let is_common = words.is_empty();
        if is_common {
            words.extend(all);
        }
        Self { names, words, is_common }
    }

    /// Whether it asks for tests or examples.
    fn is_about_tests(&self) -> bool {
        self.words.iter().any(|word| OF_TESTS.contains(&word.as_str()) || word.starts_with("test"))
    }
}

/// The parts of a name, in lowercase and without a plural `s`.
pub(super) fn terms(name: &str) -> Vec<String> {
    let singular = |word: String| match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    };
    ident::parts(name).into_iter().map(|part| singular(part.text.to_lowercase())).collect()
}

/// Whether two words match: they are equal, or one is a prefix of the other.
fn is_alike(word: &str, other: &str) -> bool {
    let (short, long) = if word.len() <= other.len() { (word, other) } else { (other, word) };
    short == long || short.len() >= LEAST_BEGINNING && long.starts_with(short)
}

pub(super) fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|it| is_alike(it, word))
}

/// The prior weight of a kind of definition.
fn weight(kind: Kind) -> f32 {
    match kind {
        Kind::Field | Kind::Variable => 0.6,
        Kind::Constant | Kind::Heading | Kind::Implementation => 0.8,
        _ => 1.0,
    }
}

/// A file's definitions, and the words of its path.
struct SearchedFile {
    path: Arc<Path>,
    symbols: Arc<FileSymbols>,
    words: Vec<String>,
    /// Whether it holds tests or examples.
    is_beside: bool,
}

/// Whether a file holds tests, examples or benchmarks, by its name and the folders above it.
///
/// The folders above all files of the workspace say nothing.
fn is_beside_the_code(path: &Path) -> bool {
    const FOLDERS: [&str; 18] = [
        "__mocks__",
        "__tests__",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "demo",
        "example",
        "examples",
        "_examples",
        "fixtures",
        "fuzz",
        "mocks",
        "spec",
        "specs",
        "test",
        "testdata",
        "tests",
    ];
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split_once('.').map_or(&*file, |(stem, _)| stem);
    let name = |it: &std::ffi::OsStr| it.to_string_lossy().to_lowercase();
    let mut folders = path.parent().into_iter().flat_map(Path::iter).map(name);
    is_named_as_test(&file)
        || ["test", "tests", "conftest"].contains(&stem)
        || folders
            .any(|it| FOLDERS.contains(&it.as_str()) || it.starts_with("test-") || it.ends_with("-tests"))
}

impl Workspace {
    /// The definitions that match a question, best first.
    pub fn search(&self, question: &str, most: usize) -> Vec<Answer> {
        let question = Question::new(question);
        let files = {
            let index = self.index();
            let files = index.files.iter().flatten();
            files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.facts.symbols))).collect::<Vec<_>>()
        };
        let root = common_folder(files.iter().map(|(path, _)| &**path));
        let files: Vec<SearchedFile> = files
            .into_iter()
            .map(|(path, symbols)| {
                let parts = path.iter().rev().take(3).filter_map(|it| it.to_str());
                let words =
                    parts.flat_map(|it| ident::names(it).flat_map(terms).collect::<Vec<_>>()).collect();
                let is_beside = is_beside_the_code(path.strip_prefix(&root).unwrap_or(&path));
                SearchedFile { is_beside, path, symbols, words }
            })
            .collect();
        let rarity = rarity(&question, &files);
        let mut found: Vec<(f32, FileDefinition, Vec<String>)> = Vec::new();
        for file in &files {
            for stored in &file.symbols.definitions {
                let (score, words) = score(&question, &rarity, file, stored);
                if score > 0.0 {
                    found.push((score, FileDefinition::new(&file.path, &file.symbols, *stored), words));
                }
            }
        }
        found.sort_by(|a, b| {
            let at = |it: &FileDefinition| (Arc::clone(it.path()), it.definition().line);
            b.0.total_cmp(&a.0).then_with(|| at(&a.1).cmp(&at(&b.1)))
        });
        found.truncate(most);
        found.into_iter().map(|(_, place, words)| Answer { place, words }).collect()
    }
}

/// The innermost folder that contains all paths.
fn common_folder<'p>(mut paths: impl Iterator<Item = &'p Path>) -> std::path::PathBuf {
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    let shared = |one: &Path, other: &Path| one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let count = paths.fold(first.iter().count(), |count, path| count.min(shared(first, path)));
    first.iter().take(count).collect()
}

/// The weight of each word of a question: a word that many names have counts little.
fn rarity(question: &Question, files: &[SearchedFile]) -> HashMap<String, f32> {
    let mut counts: HashMap<&str, f32> = question.words.iter().map(|word| (word.as_str(), 1.0)).collect();
    let mut all = 1.0;
    for definition in files.iter().flat_map(|file| file.symbols.definitions()) {
        all += 1.0;
        let terms = terms(definition.name);
        for word in question.words.iter().filter(|word| has(&terms, word)) {
            *counts.entry(word).or_default() += 1.0;
        }
    }
    counts
        .into_iter()
        .map(|(word, count): (&str, f32)| (word.to_owned(), (1.0_f32 + all / count).ln()))
        .collect()
}

fn score(
    question: &Question,
    rarity: &HashMap<String, f32>,
    file: &SearchedFile,
    stored: &StoredDefinition,
) -> (f32, Vec<String>) {
    let definition = file.symbols.read(stored);
    let name = terms(definition.name);
    // An ordinary word may be a function's name by chance.
    let is_telling = name.len() > 1 || question.words.len() == 1 || question.is_common;
    let is_whole = is_telling
        && question.names.contains(definition.name)
        && (question.is_common || !COMMON.contains(&definition.name));
    if question.is_common && !is_whole {
        return (0.0, Vec::new());
    }
    let doc: Vec<String> = ident::names(definition.doc).flat_map(terms).collect();
    let signature: Vec<String> = ident::names(definition.signature).flat_map(terms).collect();
    let (mut sum, mut words, mut in_name) = (0.0, Vec::new(), 0.0);
    for word in &question.words {
        let counts = if has(&name, word) {
            in_name += 1.0;
            3.0
        } else if has(&doc, word) {
            1.0
        } else if has(&file.words, word) {
            0.8
        } else if has(&signature, word) {
            0.6
        } else {
            continue;
        };
        sum += counts * rarity.get(word).copied().unwrap_or_default();
        words.push(word.clone());
    }
    // Matching by path alone would match every definition of a file.
    if !is_whole && in_name == 0.0 && !question.words.iter().any(|word| has(&doc, word)) {
        return (0.0, Vec::new());
    }
    let is_test = || {
        let parents = std::iter::successors(definition.parent, |at| file.symbols.definition(*at)?.parent);
        let mut around = parents.filter_map(|at| file.symbols.definition(at));
        file.is_beside || around.any(|it| it.kind == Kind::Module && ["test", "tests"].contains(&it.name))
    };
    let share = if question.is_about_tests() || !is_test() { 1.0 } else { IN_TESTS };
    let covered = words.len() as f32 / question.words.len().max(1) as f32;
    let besides = (name.len() as f32 - in_name).max(0.0);
    let score = sum * covered * weight(definition.kind) / (1.0 + besides / 4.0);
    ((score + if is_whole { WHOLE_NAME } else { 0.0 }) * share, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the results for a question in a small project, best first.
    #[track_caller]
    fn check(question: &str, expected: &[&str]) {
        let workspace = Workspace::of(&[
            (
                "src/config/load.rs",
                "/// Reads the settings of a project.\npub fn load_settings() {}\npub fn load() {}\n",
            ),
            ("src/config.rs", "pub struct Settings { pub style: String }\n"),
            (
                "src/order.rs",
                "/// Carries parcels.\npub struct OrderQueue;\nimpl OrderQueue {\n    pub fn push(&self) {}\n}\n",
            ),
        ]);
        let found = workspace.search(question, 2);
        let found: Vec<String> = found
            .iter()
            .map(|it| (it.place.path().display(), it.place.definition()))
            .map(|(path, it)| format!("{path}:{} {}", it.line + 1, it.name))
            .collect();
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn names_are_found_as_they_are() {
        check("which file owns OrderQueue?", &["src/order.rs:2 OrderQueue", "src/order.rs:3 OrderQueue"]);
        check("load", &["src/config/load.rs:3 load", "src/config/load.rs:2 load_settings"]);
    }

    #[test]
    fn common_word_is_found_as_a_whole_name() {
        let workspace = Workspace::of(&[("/a.py", "def show(it): pass\ndef show_all(): pass\n")]);
        for (question, expected) in
            [("show", vec!["show"]), ("where is show", vec!["show"]), ("find it", vec![])]
        {
            let found = workspace.search(question, 4);
            let found: Vec<&str> = found.iter().map(|it| it.place.definition().name).collect();
            assert_eq!(found, expected, "{question}");
        }
    }

    #[test]
    fn words_are_found_in_names_and_doc_lines() {
        check(
            "Where are settings loaded?",
            &["src/config/load.rs:2 load_settings", "src/config/load.rs:3 load"],
        );
        check("who carries parcels", &["src/order.rs:2 OrderQueue"]);
        check("load the settings", &["src/config/load.rs:2 load_settings", "src/config/load.rs:3 load"]);
    }

    #[test]
    fn code_comes_before_tests_unless_they_are_asked_for() {
        let check = |question: &str, expected: &[&str]| {
            let workspace = Workspace::of(&[
                (
                    "/tests/app/test_main.py",
                    "def test_follow_redirects(): pass\ndef follow_redirects(): pass\n",
                ),
                ("/tests/app/_client.py", "class Client:\n    def _send_handling_redirects(self): pass\n"),
                ("/tests/app/lib.rs", "mod tests {\n    fn redirect() {}\n}\n"),
            ]);
            let found = workspace.search(question, 4);
            let found: Vec<&str> = found.iter().map(|it| it.place.definition().name).collect();
            assert_eq!(found[..expected.len()], *expected, "{question}");
        };
        check("where are redirects handled", &["_send_handling_redirects"]);
        check("which test is about redirects", &["test_follow_redirects"]);
        check("follow_redirects", &["follow_redirects"]);
    }

    #[test]
    fn a_question_about_nothing_here_finds_nothing() {
        check("the of which", &[]);
        check("", &[]);
        check("kubernetes ingress", &[]);
    }
}
