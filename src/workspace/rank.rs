//! Ranks the files of a workspace by how likely a text in words is about them.
//!
//! A word counts by the best place where a file has it (its own name, what it defines, its doc lines, its
//! folder, its text), and by how few files have it. What goes with a likely file gets a share: its tests, what
//! imports it and what it imports.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::index::File;
use super::search::{Question, has, terms};
use super::store::Workspace;
use super::symbols::Kind;
use crate::text::hash::Fnv32;
use crate::text::ident;

/// What a word counts in a file's own name …
const IN_STEM: f32 = 3.0;
/// … in names of what it defines, with this for each further one …
const IN_NAME: f32 = 2.0;
const IN_FURTHER_NAME: f32 = 0.2;
/// … up to so many …
const MOST_FURTHER: usize = 5;
/// … in doc lines, in the names of its folders, and anywhere in it.
const IN_DOC: f32 = 1.0;
const IN_FOLDER: f32 = 0.8;
const IN_TEXT: f32 = 0.6;
/// Files whose relatives are looked for.
const MOST_LIKELY: usize = 8;
/// The share of a file's score that a file of the same stem gets, such as its tests …
const SAME_STEM: f32 = 0.5;
/// … and one that imports it or is imported by it.
const IMPORTED: f32 = 0.25;
/// In larger projects (files) it is not counted which files are imported most.
const MOST_COUNTED: usize = 4_000;

/// A file, and how likely a text is about it.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// Where.
    pub path: Arc<Path>,
    /// 0 for a file that has nothing to do with the text.
    pub score: f32,
}

impl Workspace {
    /// All files, those first that a text in words is likeliest about.
    ///
    /// Files that have nothing to do with it come by how many files import them.
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

struct Scored {
    id: u32,
    path: Arc<Path>,
    score: f32,
    importers: u32,
}

/// What each word counts in each file, and what that makes. The index is held for one file at a time.
fn own_scores(workspace: &Workspace, question: &Question) -> Vec<Scored> {
    let ids = 0..workspace.index().files.len() as u32;
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

/// The words of a file by where they are, in small letters.
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

    fn count(&self, word: &str, file: &File) -> f32 {
        let in_names = self.names.iter().filter(|name| has(name, word)).take(MOST_FURTHER + 1).count();
        let mut best: f32 = 0.0;
        if in_names > 0 {
            best = IN_NAME + IN_FURTHER_NAME * (in_names - 1) as f32;
        }
        if has(&self.stem, word) {
            best = best.max(IN_STEM) + best.min(IN_STEM) / 4.0;
        }
        if has(&self.docs, word) {
            best = best.max(IN_DOC);
        }
        if has(&self.folders, word) {
            best = best.max(IN_FOLDER);
        }
        if best < IN_TEXT && spellings(word).iter().any(|it| file.facts.names.binary_search(it).is_ok()) {
            best = IN_TEXT;
        }
        best
    }
}

/// The hashes of the names that a word may be as it is.
fn spellings(word: &str) -> [u32; 4] {
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    let capital: String = first.into_iter().flatten().chain(letters).collect();
    [word.to_owned(), capital, word.to_uppercase(), format!("{word}s")].map(|it| Fnv32::of(&it))
}

/// The scores with the shares that relatives get.
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

/// A file's name without what makes it a test of another file.
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

    /// The files that a text in words is likeliest about, the likeliest first.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let workspace = Workspace::default();
        for (path, text) in [
            ("base.py", "class Base:\n    pass\n"),
            (
                "order.py",
                "from base import Base\n\n\nclass OrderQueue(Base):\n    \"\"\"Carries parcels.\"\"\"\n",
            ),
            ("invoice.py", "from base import Base\n\n\ndef total():\n    return discount()\n"),
            ("tests/test_order.py", "def test_it():\n    pass\n"),
        ] {
            let grammar = crate::grammar::by_path(Path::new(path)).unwrap();
            workspace.put(Path::new(path), grammar, text);
        }
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
        let workspace = Workspace::default();
        for (path, text) in [("a.py", "import b\n"), ("b.py", "x = 1\n"), ("c.py", "import b\n")] {
            workspace.put(Path::new(path), crate::grammar::by_path(Path::new(path)).unwrap(), text);
        }
        let ranked = workspace.rank("");
        assert_eq!(
            ranked.iter().map(|it| it.path.to_str().unwrap()).collect::<Vec<_>>(),
            ["b.py", "a.py", "c.py"]
        );
    }
}
