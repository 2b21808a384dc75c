//! True edits of real source files: this project's own, and the samples of its languages.

use std::path::Path;

use tandem::edit::guard::{self, Checks};
use tandem::edit::{apply, diff};
use tandem::grammar::{self, Grammar};

use super::classes::Sample;

/// The files that edits are made of.
pub(super) const SOURCES: [(&str, &str); 16] = [
    ("src/edit/diff.rs", include_str!("../../../src/edit/diff.rs")),
    ("src/edit/rebase.rs", include_str!("../../../src/edit/rebase.rs")),
    ("src/edit/refusal.rs", include_str!("../../../src/edit/refusal.rs")),
    ("src/edit/trim/lexer.rs", include_str!("../../../src/edit/trim/lexer.rs")),
    ("src/edit/guard/elision.rs", include_str!("../../../src/edit/guard/elision.rs")),
    ("sample.rs", include_str!("../../../grammars/rust/sample.rs")),
    ("sample.py", include_str!("../../../grammars/python/sample.py")),
    ("sample.go", include_str!("../../../grammars/go/sample.go")),
    ("sample.ts", include_str!("../../../grammars/typescript/sample.ts")),
    ("sample.tsx", include_str!("../../../grammars/tsx/sample.tsx")),
    ("sample.js", include_str!("../../../grammars/javascript/sample.js")),
    ("sample.java", include_str!("../../../grammars/java/sample.java")),
    ("sample.c", include_str!("../../../grammars/c/sample.c")),
    ("sample.cs", include_str!("../../../grammars/csharp/sample.cs")),
    ("sample.rb", include_str!("../../../grammars/ruby/sample.rb")),
    ("sample.php", include_str!("../../../grammars/php/sample.php")),
];

/// Lines of context that make a block's place unique.
const CONTEXT: usize = 3;

/// Numbers that look random and are the same in every run.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }
}

/// Lines that go and come at one place.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    /// The first line that goes, from 0; or the line before which new ones come.
    pub(super) at: usize,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
}

/// A true edit of a real file.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) path: &'static str,
    pub(super) grammar: Option<&'static Grammar>,
    /// The file's lines, without ends.
    pub(super) lines: Vec<String>,
    pub(super) hunks: Vec<Hunk>,
}

impl Case {
    pub(super) fn file(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub(super) fn target(&self) -> String {
        let mut lines = Vec::new();
        let mut at = 0;
        for hunk in &self.hunks {
            lines.extend_from_slice(&self.lines[at..hunk.at]);
            lines.extend_from_slice(&hunk.new);
            at = hunk.at + hunk.old.len();
        }
        lines.extend_from_slice(&self.lines[at..]);
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// The lines around a hunk, up to so many on either side: (before, after).
    pub(super) fn around(&self, hunk: &Hunk, context: usize) -> (&[String], &[String]) {
        let end = hunk.at + hunk.old.len();
        (
            &self.lines[hunk.at.saturating_sub(context)..hunk.at],
            &self.lines[end..(end + context).min(self.lines.len())],
        )
    }

    /// The old and new lines of a hunk with context.
    pub(super) fn halves(&self, hunk: &Hunk, context: usize) -> (Vec<String>, Vec<String>) {
        let (before, after) = self.around(hunk, context);
        ([before, &hunk.old, after].concat(), [before, &hunk.new, after].concat())
    }

    /// The same edit as a sample with this reply.
    pub(super) fn sample(&self, reply: impl Into<String>) -> Option<Sample> {
        Some(Sample {
            path: self.path,
            grammar: self.grammar,
            file: self.file(),
            target: self.target(),
            range: None,
            reply: reply.into(),
            strict: false,
        })
    }

    /// A reply that asks for nothing certain: the file must stay.
    pub(super) fn refusal(&self, reply: impl Into<String>) -> Option<Sample> {
        self.sample(reply).map(|sample| Sample { target: sample.file.clone(), ..sample })
    }
}

/// Makes the sample of a class for a seed, trying until the class can be made of an edit.
pub(super) fn sample(class: &str, seed: u64, make: fn(&Case, &mut Rng) -> Option<Sample>) -> Option<Sample> {
    let name = class
        .bytes()
        .fold(seed.wrapping_mul(1_000_003), |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = Rng::new(name);
    for _ in 0..20 {
        (0..10).for_each(|_| _ = rng.below(2));
    }
    (0..3000).find_map(|_| {
        let case = case(&mut rng)?;
        // The parse is the dearest part, so it comes last.
        make(&case, &mut rng).filter(|_| is_sound(&case))
    })
}

fn case(rng: &mut Rng) -> Option<Case> {
    let (path, text) = SOURCES[rng.below(SOURCES.len())];
    // The samples carry marks below their lines.
    let lines: Vec<String> =
        text.lines().filter(|line| !line.trim_start().starts_with('^')).map(str::to_owned).collect();
    let count = 1 + rng.below(3);
    let mut case = Case { path, grammar: grammar::by_path(Path::new(path)), lines, hunks: Vec::new() };
    let mut from = 0;
    for left in (1..=count).rev() {
        let room = case.lines.len().checked_sub(from + 12 * left)?;
        let at = from + 4 + rng.below(room);
        let hunk = hunk(&case.lines, at, rng)?;
        from = hunk.at + hunk.old.len() + 2 * CONTEXT;
        case.hunks.push(hunk);
    }
    Some(case)
}

/// A change that a person might make at a line.
fn hunk(lines: &[String], at: usize, rng: &mut Rng) -> Option<Hunk> {
    let line = lines.get(at)?;
    let changed = |line: &String, rng: &mut Rng| reworded(line, rng);
    match rng.below(6) {
        0 | 1 => Some(Hunk { at, old: vec![line.clone()], new: vec![changed(line, rng)?] }),
        2 => Some(Hunk { at: at + 1, old: Vec::new(), new: vec![changed(line, rng)?] }),
        3 => Some(Hunk { at, old: vec![line.clone()], new: Vec::new() }),
        4 => {
            let next = lines.get(at + 1)?;
            Some(Hunk {
                at,
                old: vec![line.clone(), next.clone()],
                new: vec![changed(line, rng)?, changed(next, rng)?],
            })
        }
        _ => {
            let more = changed(line, rng)?;
            Some(Hunk { at, old: vec![line.clone()], new: vec![changed(line, rng)?, more] })
        }
    }
    .filter(|hunk| {
        hunk.old != hunk.new && hunk.old.iter().chain(&hunk.new).any(|line| !line.trim().is_empty())
    })
}

/// The line with one of its words or numbers changed.
fn reworded(line: &str, rng: &mut Rng) -> Option<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        match (letter.is_ascii_alphanumeric() || letter == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                if at - from >= 4 && line.as_bytes()[from].is_ascii_lowercase() {
                    words.push(from..at);
                }
                start = None;
            }
            _ => {}
        }
    }
    let word = words.get(rng.below(words.len()))?.clone();
    let ending = ["_next", "_all", "ed", "_2", "_of_it"][rng.below(5)];
    Some(format!("{}{ending}{}", &line[..word.end], &line[word.end..]))
}

/// Whether the edit has one place for three lines of context, and could have been made by a person.
fn is_sound(case: &Case) -> bool {
    let unique = |hunk: &Hunk| {
        let (old, new) = case.halves(hunk, CONTEXT);
        case.lines.windows(old.len()).filter(|window| **window == old).count() == 1
            && !case.lines.windows(new.len().max(1)).any(|window| window == new)
    };
    let (file, target) = (case.file(), case.target());
    let edits = diff::minimal(&file, &target);
    let checks = Checks { before: &file, grammar: case.grammar, blanks_count: true, ..Checks::default() };
    case.hunks.iter().all(unique)
        && apply(&file, &edits) == target
        && guard::check(&checks, &edits).is_ok_and(|flags| flags.is_empty())
}
