//! Finds definitions for a natural-language question by names, signatures, doc lines, and the bodies of functions.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use super::index::FileDefinition;
use super::question_words::{COMMON, Question, Word, terms};
use super::rank;
use super::store::Workspace;
use super::symbols::{Definition, FileSymbols, Kind, StoredDefinition};
use super::test_file::is_beside_the_code;
use crate::text::{floor_boundary, ident};

/// Weight of a name that occurs verbatim in the question.
const WHOLE_NAME: f32 = 12.0;

/// Weight of a word in a body.
const IN_BODY: f32 = 0.7;
/// The numbers of words that are searched for in bodies: one word is used in many, and a pasted text is about half of the
/// names of a project.
const SEARCHED_WORDS: RangeInclusive<usize> = 2..=64;
/// Maximum number of files whose bodies are read, and of bytes of each.
const MOST_READ: usize = 24;
const MOST_FILE_BYTES: usize = 256 * 1024;

/// The share of the score that is left to tests and examples, if the question is not about them.
const IN_TESTS: f32 = 0.3;

/// A definition that matches a question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The definition.
    pub place: FileDefinition,
    /// The words of the question that match it.
    pub words: Vec<String>,
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
    /// Where its text has each word of the question, in bytes; empty for a file that was not read.
    places: Vec<Vec<usize>>,
}

impl SearchedFile {
    /// Whether the body of a function has a word of the question, by its index.
    fn has_in_body(&self, definition: &Definition<'_>, word: usize) -> bool {
        let is_body = matches!(definition.kind, Kind::Function | Kind::Method | Kind::Macro);
        let range = definition.range();
        is_body
            && self.places.get(word).is_some_and(|places| {
                places.get(places.partition_point(|it| *it < range.start)).is_some_and(|it| *it < range.end)
            })
    }
}

/// The bytes at which a text has each of the words.
fn places(text: &str, words: &[Word]) -> Vec<Vec<usize>> {
    let mut alike: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut places = vec![Vec::new(); words.len()];
    for (end, name) in ident::words_with_dollars(text) {
        let alike = alike.entry(name).or_insert_with(|| {
            let terms = terms(name);
            (0..words.len()).filter(|it| words[*it].is_in(&terms)).collect()
        });
        alike.iter().for_each(|word| places[*word].push(end - name.len()));
    }
    places
}

impl Workspace {
    /// The definitions that match a question, best first. Blocks on the disk.
    pub fn search(&self, question: &str, most: usize) -> Vec<Answer> {
        self.matching(question, most, true)
    }

    /// The same by what the index has: without the bodies of functions.
    pub fn search_index(&self, question: &str, most: usize) -> Vec<Answer> {
        self.matching(question, most, false)
    }

    fn matching(&self, question: &str, most: usize, has_bodies: bool) -> Vec<Answer> {
        let question = Question::new(question);
        let files = {
            let index = self.index();
            index
                .files()
                .map(|file| (Arc::clone(&file.path), Arc::clone(&file.facts.symbols)))
                .collect::<Vec<_>>()
        };
        let root = common_folder(files.iter().map(|(path, _)| &**path));
        let mut files: Vec<SearchedFile> = files
            .into_iter()
            .map(|(path, symbols)| {
                let parts = path.iter().rev().take(3).filter_map(|it| it.to_str());
                let words =
                    parts.flat_map(|it| ident::names(it).flat_map(terms).collect::<Vec<_>>()).collect();
                let is_beside = is_beside_the_code(path.strip_prefix(&root).unwrap_or(&path));
                SearchedFile { is_beside, path, symbols, words, places: Vec::new() }
            })
            .collect();
        let is_about_tests = is_about_tests(&question, &files);
        if has_bodies && !question.is_common && SEARCHED_WORDS.contains(&question.words.len()) {
            self.read_likely(&question, &mut files, is_about_tests);
        }
        let rarity = rarity(&question, &files);
        let mut found: Vec<(f32, FileDefinition, Vec<String>)> = Vec::new();
        for file in &files {
            for stored in &file.symbols.definitions {
                let (score, words) = score(&question, &rarity, file, stored, is_about_tests);
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

    /// Finds the question's words in the texts of the files that are most likely about it.
    fn read_likely(&self, question: &Question, files: &mut [SearchedFile], is_about_tests: bool) {
        let scores: HashMap<Arc<Path>, f32> =
            rank::own_scores(self, question).into_iter().map(|it| (it.path, it.score)).collect();
        let score = |file: &SearchedFile| scores.get(&file.path).copied().unwrap_or_default();
        let mut likely: Vec<&mut SearchedFile> =
            files.iter_mut().filter(|it| (is_about_tests || !it.is_beside) && score(it) > 0.0).collect();
        likely.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.path.cmp(&b.path)));
        for file in likely.into_iter().take(MOST_READ) {
            // A file that cannot be read is found by its names.
            let Ok(text) = self.text(&file.path) else { continue };
            let cut = floor_boundary(&text, MOST_FILE_BYTES.min(text.len()));
            file.places = places(&text[..cut], &question.words);
        }
    }
}

/// Whether a question asks for tests or examples, and not for code whose name has the same words (`TestClient`).
fn is_about_tests(question: &Question, files: &[SearchedFile]) -> bool {
    let definitions = || files.iter().filter(|it| !it.is_beside).flat_map(|it| it.symbols.definitions());
    let mut of_tests = question.of_tests();
    of_tests.any(|word| {
        !definitions().any(|definition| {
            let name = terms(definition.name);
            let others = || question.words.iter().filter(|it| it.text != word.text);
            word.is_in(&name) && others().any(|it| it.is_in(&name))
        })
    })
}

/// The innermost folder that contains all paths.
fn common_folder<'p>(mut paths: impl Iterator<Item = &'p Path>) -> std::path::PathBuf {
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    let shared = |one: &Path, other: &Path| one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let count = paths.fold(first.iter().count(), |count, path| count.min(shared(first, path)));
    first.iter().take(count).collect()
}

/// The weight of each word of a question: a word that many names have counts little.
fn rarity(question: &Question, files: &[SearchedFile]) -> Vec<f32> {
    let mut counts = vec![1.0; question.words.len()];
    let mut all = 1.0;
    for definition in files.iter().flat_map(|file| file.symbols.definitions()) {
        all += 1.0;
        let terms = terms(definition.name);
        for (count, _) in counts.iter_mut().zip(&question.words).filter(|(_, word)| word.is_in(&terms)) {
            *count += 1.0;
        }
    }
    counts.into_iter().map(|count| (1.0_f32 + all / count).ln()).collect()
}

fn score(
    question: &Question,
    rarity: &[f32],
    file: &SearchedFile,
    stored: &StoredDefinition,
    is_about_tests: bool,
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
    let (mut sum, mut words, mut in_name, mut in_doc, mut in_body) = (0.0, Vec::new(), 0.0, 0, 0);
    for (at, (word, rarity)) in question.words.iter().zip(rarity).enumerate() {
        let is_in_body = file.has_in_body(&definition, at);
        in_body += usize::from(is_in_body);
        let counts = if word.is_in(&name) {
            in_name += 1.0;
            3.0
        } else if word.is_in(&doc) {
            in_doc += 1;
            1.0
        } else {
            let besides = [(&file.words, 0.8), (&signature, 0.6)];
            let besides = besides.into_iter().find(|(words, _)| word.is_in(words)).map_or(0.0, |it| it.1);
            besides + if is_in_body { IN_BODY } else { 0.0 }
        };
        if counts > 0.0 {
            sum += counts * rarity;
            words.push(word.text.clone());
        }
    }
    // Matching by path alone would match every definition of a file, and a single word is in many bodies.
    let is_mostly_in_body = in_body > 0 && in_body * 2 >= question.words.len();
    if !is_whole && in_name == 0.0 && in_doc == 0 && !is_mostly_in_body {
        return (0.0, Vec::new());
    }
    let is_test = || {
        let parents = std::iter::successors(definition.parent, |at| file.symbols.definition(*at)?.parent);
        let mut around = parents.filter_map(|at| file.symbols.definition(at));
        file.is_beside || around.any(|it| it.kind == Kind::Module && ["test", "tests"].contains(&it.name))
    };
    let share = if is_about_tests || !is_test() { 1.0 } else { IN_TESTS };
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
                ("/tests/app/client.py", "class TestClient:\n    def send(self): pass\n"),
                ("/tests/app/test_client.py", "def test_client_sends(): pass\n"),
            ]);
            let found = workspace.search(question, 4);
            let found: Vec<&str> = found.iter().map(|it| it.place.definition().name).collect();
            assert_eq!(found[..expected.len()], *expected, "{question}");
        };
        check("where are redirects handled", &["_send_handling_redirects"]);
        check("which test is about redirects", &["test_follow_redirects"]);
        check("follow_redirects", &["follow_redirects"]);
        check("how does the test client send?", &["send", "TestClient"]);
    }

    #[test]
    fn words_are_found_in_bodies_of_functions() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::default();
        let files = [
            (
                "sessions.py",
                "class Middleware:\n    def __call__(self, cookie):\n        return self.signer.sign(cookie)\n",
            ),
            ("requests.py", "def session(): pass\n\ndef other():\n    return etag\n"),
        ];
        for (name, text) in files {
            workspace.read_again(0, &crate::folder::write(folder.path(), name, text));
        }
        let check = |question: &str, expected: &[&str]| {
            let found = workspace.search(question, 4);
            let found: Vec<&str> = found.iter().map(|it| it.place.definition().name).collect();
            assert_eq!(found, expected, "{question}");
        };
        check("where is the session cookie signed?", &["__call__", "session"]);
        check("how is an ETag computed?", &["other"]);
        check("where is it signed and sealed with a stamp of wax?", &[]);
    }

    #[test]
    fn a_question_about_nothing_here_finds_nothing() {
        check("the of which", &[]);
        check("", &[]);
        check("kubernetes ingress", &[]);
    }
}
