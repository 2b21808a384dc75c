//! True edits of real source files: this project's own, and the samples of its languages.

use std::ops::Range;
use std::path::Path;

use tandem::edit::{Exceptions, Request, accept_edits, apply, diff};
use tandem::grammar::{self, Grammar};

use super::classes::{Make, Sample};

/// The files to be edited.
pub(super) const SOURCES: [(&str, &str); 16] = [
    ("src/edit/diff.rs", include_str!("../../../src/edit/diff.rs")),
    ("src/edit/names.rs", include_str!("../../../src/edit/names.rs")),
    ("src/edit/edit_set.rs", include_str!("../../../src/edit/edit_set.rs")),
    ("src/edit/lexer.rs", include_str!("../../../src/edit/lexer.rs")),
    ("src/edit/check/elision.rs", include_str!("../../../src/edit/check/elision.rs")),
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

/// Lines of context that make a block's location unique.
const CONTEXT: usize = 3;

/// Random numbers that are the same in every run.
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

    /// A random element.
    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Lines that are deleted and inserted at one position.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    /// The first deleted line, from 0; or the line before which new ones are inserted.
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

    /// The lines around a hunk, up to `context` on either side: (before, after).
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
            instruction: String::new(),
            strict: false,
        })
    }

    /// A reply without a certain edit: the file must stay unchanged.
    pub(super) fn refusal(&self, reply: impl Into<String>) -> Option<Sample> {
        self.sample(reply)?.unchanged()
    }

    /// A reply that must be refused: reporting it as already applied is wrong.
    pub(super) fn refused(&self, reply: impl Into<String>) -> Option<Sample> {
        self.sample(reply)?.refused()
    }

    /// The only hunk.
    pub(super) fn lone(&self) -> Option<&Hunk> {
        let [hunk] = self.hunks.as_slice() else { return None };
        Some(hunk)
    }

    /// The only hunk, if it replaces one line with one.
    pub(super) fn altered(&self) -> Option<&Hunk> {
        self.lone().filter(|hunk| hunk.old.len() == 1 && hunk.new.len() == 1)
    }

    /// The case in a language without a parser.
    pub(super) fn plain(&self) -> Self {
        Self { grammar: None, ..self.clone() }
    }

    /// The same file with another edit.
    pub(super) fn with(&self, at: usize, old: &[String], new: &[String]) -> Self {
        Self { hunks: vec![Hunk { at, old: old.to_vec(), new: new.to_vec() }], ..self.plain() }
    }

    /// The file with these lines inserted before line `at`, as part of the original.
    pub(super) fn with_lines(&self, at: usize, lines: &[String]) -> Self {
        let mut case = self.plain();
        case.lines.splice(at..at, lines.iter().cloned());
        case.hunks.iter_mut().filter(|hunk| hunk.at >= at).for_each(|hunk| hunk.at += lines.len());
        case
    }

    /// A comment in the file's language, with the indentation of line `at`.
    pub(super) fn comment(&self, at: usize, words: &str) -> String {
        let mark =
            if self.path.ends_with("py") || self.path.ends_with("rb") { '#'.into() } else { "//".to_owned() };
        format!("{}{mark} {words}", self.lines.get(at).map_or("", |line| indent(line)))
    }

    /// The lines of the definition that contains the only hunk, from its header to its last line.
    pub(super) fn definition(&self) -> Option<Range<usize>> {
        let words = ["fn ", "def ", "func ", "function ", "class ", "impl ", "struct ", "interface "];
        let hunk = self.lone()?;
        let start = (0..hunk.at).rev().find(|at| words.iter().any(|word| self.lines[*at].contains(word)))?;
        let depth = indent(&self.lines[start]).len();
        let is_out = |line: &String| !line.trim().is_empty() && indent(line).len() <= depth;
        let mut end = start + 1 + self.lines[start + 1..].iter().position(is_out)?;
        if self.lines[end].trim_start().starts_with(['}', 'e']) {
            end += 1;
        }
        while self.lines[end - 1].trim().is_empty() {
            end -= 1;
        }
        let opens = self.lines[start].ends_with(['{', ':']);
        (opens && hunk.at > start && hunk.at + hunk.old.len() < end - 1).then_some(start..end)
    }

    /// The new lines of a range.
    pub(super) fn new_lines(&self, lines: &Range<usize>) -> Vec<String> {
        let change =
            self.hunks.iter().fold(0, |sum, hunk| sum + hunk.new.len() as isize - hunk.old.len() as isize);
        let target = self.target();
        let end = lines.end.saturating_add_signed(change) - lines.start;
        target.lines().skip(lines.start).take(end).map(str::to_owned).collect()
    }
}

impl Sample {
    /// Expects the file to stay unchanged.
    pub(super) fn unchanged(self) -> Option<Self> {
        Some(Self { target: self.file.clone(), ..self })
    }

    /// See [`Case::refused`].
    pub(super) fn refused(self) -> Option<Self> {
        Some(Self { target: "a refusal".to_owned(), ..self })
    }

    /// The same reply as an answer for a range of lines.
    pub(super) fn about(self, lines: Range<usize>) -> Option<Self> {
        let start = |line: usize| self.file.split_inclusive('\n').take(line).map(str::len).sum();
        Some(Self { range: Some(start(lines.start)..start(lines.end)), ..self })
    }
}

/// The indentation of a line.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Makes the sample of a class for a seed, trying edits until one suits the class.
pub(super) fn sample(class: &str, seed: u64, make: &Make) -> Option<Sample> {
    let name = class
        .bytes()
        .fold(seed.wrapping_mul(1_000_003), |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = Rng::new(name);
    for _ in 0..20 {
        (0..10).for_each(|_| _ = rng.below(2));
    }
    (0..3000).find_map(|_| {
        let case = case(&mut rng)?;
        // The parse is the most expensive part, so it comes last.
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

/// A change to a line as a person might make it.
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
    .filter(|hunk| !hunk.new.is_empty() || !hunk.old.iter().any(|line| declares(line)))
    .filter(|hunk| {
        hunk.old != hunk.new && hunk.old.iter().chain(&hunk.new).any(|line| !line.trim().is_empty())
    })
}

/// Whether a line declares a name, opens a block or a statement, or is an attribute: a person does not delete it while
/// the rest of the file needs it.
pub(super) fn declares(line: &str) -> bool {
    let text = line.trim_start();
    let begins = ["use ", "import ", "from ", "#include", "#define", "require ", "@", "#["]
        .iter()
        .any(|it| text.starts_with(it));
    let is_field = || text.ends_with([',', ';']) && !text.contains(['(', '"', '.']);
    let opens = text.ends_with([':', '{', '(', '[', '=']);
    let is_entry = || text.starts_with('"') && text.contains("\": ");
    begins || is_entry() || opens || text.contains(" = ") || text.contains(":=") || is_field()
}

/// Keywords that are not reworded: no person does it.
pub(super) const KEYWORDS: [&str; 24] = [
    "async",
    "await",
    "break",
    "case",
    "class",
    "const",
    "continue",
    "default",
    "define",
    "else",
    "endif",
    "enum",
    "export",
    "from",
    "function",
    "import",
    "include",
    "interface",
    "match",
    "package",
    "return",
    "static",
    "struct",
    "switch",
];

/// The line with one of its words or numbers changed.
pub(super) fn reworded(line: &str, rng: &mut Rng) -> Option<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        match (letter.is_ascii_alphanumeric() || letter == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let is_name =
                    line.as_bytes()[from].is_ascii_lowercase() && !KEYWORDS.contains(&&line[from..at]);
                if at - from >= 4 && is_name {
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

/// Whether the edit has a unique location with three lines of context, and could have been made by a person.
pub(super) fn is_sound(case: &Case) -> bool {
    let unique = |hunk: &Hunk| {
        let (old, new) = case.halves(hunk, CONTEXT);
        case.lines.windows(old.len()).filter(|window| **window == old).count() == 1
            && !case.lines.windows(new.len().max(1)).any(|window| window == new)
    };
    let (file, target) = (case.file(), case.target());
    let edits = diff::minimal(&file, &target);
    let allowed = Exceptions { blanks: true, ..Exceptions::default() };
    let request = Request { text: &file, grammar: case.grammar, allowed, ..Request::default() };
    case.hunks.iter().all(unique)
        && apply(&file, &edits) == target
        && accept_edits(&request, edits).is_ok_and(|(_, flags)| flags.is_empty())
}
