//! Ranks the files of a workspace by relevance to a natural-language text.
//!
//! A word counts by its most significant location in a file (the file's name, its definitions, doc lines,
//! folder, or text), and by how few files have it. Relatives of a likely file get a share of its score: its
//! tests, the files that import it, and the files it imports.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::index::File;
use super::question_words::{Question, Word, terms};
use super::store::Workspace;
use super::symbols::Kind;
use crate::text::hash::Fnv32;
use crate::text::ident;

/// The weight of a word in a file's name …
const IN_STEM: f32 = 3.0;
/// … in names of its definitions, plus this for each further one …
const IN_NAME: f32 = 2.0;
const IN_FURTHER_NAME: f32 = 0.2;
/// … up to this many …
const MOST_FURTHER: usize = 5;
/// … in doc lines, in the names of its folders, and anywhere else.
const IN_DOC: f32 = 1.0;
const IN_FOLDER: f32 = 0.8;
const IN_TEXT: f32 = 0.6;
/// Maximum number of files whose relatives are scored.
const MOST_LIKELY: usize = 8;
/// The share of a file's score for a file of the same stem, such as its tests …
const SAME_STEM: f32 = 0.5;
/// … and for a file that imports it or is imported by it.
const IMPORTED: f32 = 0.25;
/// In projects with more files than this, imports are not counted.
const MOST_COUNTED: usize = 4_000;

/// A file and its relevance to a text.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// The file's path.
    pub path: Arc<Path>,
    /// 0 for a file unrelated to the text.
    pub score: f32,
}

impl Workspace {
    /// All files, the most relevant to a natural-language text first.
    ///
    /// Unrelated files are ordered by how many files import them.
    pub fn rank(&self, text: &str) -> Vec<RankedFile> {
        let question = Question::new(text);
        let mut scores = with_relatives(self, own_scores(self, &question));
        scores.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| b.importers.cmp(&a.importers))
                .then_with(|| a.path.cmp(&b.path))
        });
        scores.into_iter().map(|Scored { path, score, .. }| RankedFile { path, score }).collect()
    }
}

pub(super) struct Scored {
    id: u32,
    pub(super) path: Arc<Path>,
    pub(super) score: f32,
    importers: u32,
}

/// Scores each file by the weights of its words. The index is locked for one file at a time.
pub(super) fn own_scores(workspace: &Workspace, question: &Question) -> Vec<Scored> {
    let ids = workspace.index().ids().into_iter();
    let counted: Vec<(u32, Arc<Path>, Vec<f32>)> = ids
        .filter_map(|id| {
            let index = workspace.index();
            let file = index.file(id)?;
            let words = FileWords::of(file);
            let counts = question.words.iter().map(|word| words.count(word, file)).collect();
            Some((id, Arc::clone(&file.path), counts))
        })
        .collect();
    let files = counted.len() as f32;
    let rarity: Vec<f32> = (0..question.words.len())
        .map(|at| {
            let having = counted.iter().filter(|(_, _, counts)| counts[at] > 0.0).count() as f32;
            (1.0 + (files - having + 0.5) / (having + 0.5)).ln()
        })
        .collect();
    counted
        .into_iter()
        .map(|(id, path, counts)| {
            let score = counts.iter().zip(&rarity).map(|(count, rarity)| count * rarity).sum();
            Scored { id, path, score, importers: 0 }
        })
        .collect()
}

/// The words of a file by location, in lowercase.
struct FileWords {
    stem: Vec<String>,
    folders: Vec<String>,
    names: Vec<Vec<String>>,
    docs: Vec<String>,
}

impl FileWords {
    fn of(file: &File) -> Self {
        let words = |text: &str| ident::names(text).flat_map(terms).collect::<Vec<_>>();
        let mut parts = file.path.iter().rev().filter_map(|part| part.to_str());
        let stem = parts.next().map(|name| words(name.split('.').next().unwrap_or_default()));
        let definitions = || file.facts.symbols.definitions().filter(|it| it.kind != Kind::Heading);
        Self {
            stem: stem.unwrap_or_default(),
            folders: parts.take(3).flat_map(words).collect(),
            names: definitions().map(|it| terms(it.name)).collect(),
            docs: file.facts.symbols.definitions().flat_map(|it| words(it.doc)).collect(),
        }
    }

    fn count(&self, word: &Word, file: &File) -> f32 {
        let in_names = self.names.iter().filter(|name| word.is_in(name)).take(MOST_FURTHER + 1).count();
        let mut best: f32 = 0.0;
        if in_names > 0 {
            best = IN_NAME + IN_FURTHER_NAME * (in_names - 1) as f32;
        }
        if word.is_in(&self.stem) {
            best = best.max(IN_STEM) + best.min(IN_STEM) / 4.0;
        }
        if word.is_in(&self.docs) {
            best = best.max(IN_DOC);
        }
        if word.is_in(&self.folders) {
            best = best.max(IN_FOLDER);
        }
        let is_in_text = || spellings(word).any(|it| file.facts.names.binary_search(&it).is_ok());
        if best < IN_TEXT && is_in_text() {
            best = IN_TEXT;
        }
        best
    }
}

/// The hashes of the spellings under which a word may be a name.
fn spellings(word: &Word) -> impl Iterator<Item = u32> {
    word.forms().flat_map(|form| {
        let mut letters = form.chars();
        let first = letters.next().map(char::to_uppercase);
        let capital: String = first.into_iter().flatten().chain(letters).collect();
        let (upper, plural) = (form.to_uppercase(), format!("{form}s"));
        [form, capital, upper, plural].map(|it| Fnv32::of(&it))
    })
}

/// Adds the shares of relatives to the scores.
fn with_relatives(workspace: &Workspace, mut scores: Vec<Scored>) -> Vec<Scored> {
    let mut imports: Vec<(u32, u32)> = Vec::new();
    if scores.len() <= MOST_COUNTED {
        for id in scores.iter().map(|it| it.id) {
            let index = workspace.index();
            let Some(file) = index.file(id) else { continue };
            let symbols = &file.facts.symbols;
            let found = symbols.imports().flat_map(|import| index.imported(file, &import));
            imports.extend(found.filter(|other| *other != id).map(|other| (id, other)));
        }
        imports.sort_unstable();
        imports.dedup();
    }
    let mut likeliest: Vec<&Scored> = scores.iter().filter(|it| it.score > 0.0).collect();
    likeliest.sort_by(|a, b| b.score.total_cmp(&a.score));
    likeliest.truncate(MOST_LIKELY);
    let mut shares: HashMap<u32, f32> = HashMap::new();
    let mut give = |id: u32, share: f32| {
        let given = shares.entry(id).or_default();
        *given = given.max(share);
    };
    for likely in &likeliest {
        let stem = own_stem(&likely.path);
        for other in scores.iter().filter(|it| it.id != likely.id && own_stem(&it.path) == stem) {
            give(other.id, SAME_STEM * likely.score);
        }
        for (from, to) in imports.iter().filter(|(from, to)| *from == likely.id || *to == likely.id) {
            give(if *from == likely.id { *to } else { *from }, IMPORTED * likely.score);
        }
    }
    let mut importers: HashMap<u32, u32> = HashMap::new();
    for (_, to) in imports {
        *importers.entry(to).or_default() += 1;
    }
    for it in &mut scores {
        it.score += shares.get(&it.id).copied().unwrap_or_default();
        it.importers = importers.get(&it.id).copied().unwrap_or_default();
    }
    scores
}

/// A file's stem without affixes that mark it as a test.
fn own_stem(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let stem = stem.strip_prefix("test_").unwrap_or(&stem);
    ["_test", "_spec", "tests", "test"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the most relevant files for a text, best first.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let workspace = Workspace::of(&[
            ("base.py", "class Base:\n    pass\n"),
            (
                "order.py",
                "from base import Base\n\n\nclass OrderQueue(Base):\n    \"\"\"Carries parcels.\"\"\"\n",
            ),
            ("invoice.py", "from base import Base\n\n\ndef total():\n    return discount()\n"),
            ("tests/test_order.py", "def test_it():\n    pass\n"),
        ]);
        let ranked = workspace.rank(text);
        assert_eq!(ranked.len(), 4);
        let likely = ranked.iter().filter(|it| it.score > 0.0);
        assert_eq!(likely.map(|it| it.path.to_str().unwrap()).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn files_are_found_by_name_definition_doc_line_and_text() {
        check("sort the orders", &["order.py", "tests/test_order.py", "base.py"]);
        check("who carries parcels", &["order.py", "tests/test_order.py", "base.py"]);
        check("a discount for all", &["invoice.py", "base.py"]);
        check("kubernetes", &[]);
    }

    #[test]
    fn without_a_word_in_common_the_most_imported_come_first() {
        let workspace = Workspace::of(&[("a.py", "import b\n"), ("b.py", "x = 1\n"), ("c.py", "import b\n")]);
        let ranked = workspace.rank("");
        assert_eq!(
            ranked.iter().map(|it| it.path.to_str().unwrap()).collect::<Vec<_>>(),
            ["b.py", "a.py", "c.py"]
        );
    }
}
