//! True edits of real source files, cut into the blocks that replies are made of.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use tandem::edit::{Exceptions, Request, accept_edits, apply, diff};
use tandem::grammar;

use crate::edit::corpus::{Hunk, KEYWORDS, Rng, declares};

/// Real files in many languages, without the edit engine's own.
const SOURCES: [(&str, &str); 27] = [
    ("src/route.rs", include_str!("../../../../src/route.rs")),
    ("src/job.rs", include_str!("../../../../src/job.rs")),
    ("src/cli/apply/folder.rs", include_str!("../../../../src/cli/apply/folder.rs")),
    ("src/session/folder.rs", include_str!("../../../../src/workspace/folder.rs")),
    ("bench/render.rs", include_str!("../../../bench/patches/render.rs")),
    ("tools/library.py", include_str!("../../../../grammars/library.py")),
    ("checks/sdk.py", include_str!("../../../sdk/check.py")),
    ("checks/corpus.py", include_str!("../../../fix/corpus.py")),
    ("lua/tandem/next_edit.lua", include_str!("../../../../editors/neovim/lua/tandem/next_edit.lua")),
    ("lua/tandem/status.lua", include_str!("../../../../editors/neovim/lua/tandem/status.lua")),
    ("vscode/src/ghost.ts", include_str!("../../../../editors/vscode/src/ghost.ts")),
    ("vscode/src/server.ts", include_str!("../../../../editors/vscode/src/server.ts")),
    ("vscode/package.json", include_str!("../../../../editors/vscode/package.json")),
    ("grammars/languages.toml", include_str!("../../../../grammars/languages.toml")),
    (".ci/ci.yml", include_str!("../../../../.github/workflows/ci.yml")),
    ("scripts/run.sh", include_str!("../../../run")),
    ("docs/protocol.md", include_str!("../../../../editors/protocol.md")),
    ("shop/order.go", include_str!("../../../../grammars/go/sample.go")),
    ("shop/order.js", include_str!("../../../../grammars/javascript/sample.js")),
    ("shop/view.tsx", include_str!("../../../../grammars/tsx/sample.tsx")),
    ("shop/Order.java", include_str!("../../../../grammars/java/sample.java")),
    ("shop/ring.c", include_str!("../../../../grammars/c/sample.c")),
    ("shop/ring.cpp", include_str!("../../../../grammars/cpp/sample.cpp")),
    ("shop/Order.cs", include_str!("../../../../grammars/csharp/sample.cs")),
    ("shop/order.rb", include_str!("../../../../grammars/ruby/sample.rb")),
    ("shop/order.php", include_str!("../../../../grammars/php/sample.php")),
    ("shop/style.css", include_str!("../../../../grammars/css/sample.css")),
];

/// A file, and a true edit of it.
#[derive(Clone)]
pub(super) struct Work {
    pub(super) path: String,
    /// The lines without ends.
    pub(super) lines: Vec<String>,
    pub(super) hunks: Vec<Hunk>,
    /// The line end.
    pub(super) end: &'static str,
    /// Whether the last line has an end.
    pub(super) is_closed: bool,
    /// Whether the file begins with a byte-order mark.
    pub(super) has_mark: bool,
    /// The folded lines, if already computed.
    pub(super) folded: Option<Arc<[String]>>,
}

/// A real file: its path, its lines, and the folded lines.
struct Source {
    path: &'static str,
    lines: Vec<String>,
    folded: Arc<[String]>,
}

static READ: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let read = |(path, text): (&'static str, &str)| {
        // Samples carry marks below their lines.
        let lines: Vec<String> =
            text.lines().filter(|line| !line.trim_start().starts_with('^')).map(str::to_owned).collect();
        let folded = lines.iter().map(|line| fold(line)).collect();
        Source { path, lines, folded }
    };
    SOURCES.into_iter().map(read).collect()
});

/// An edit's location with the lines around it, as a reply spells them.
#[derive(Clone)]
pub(super) struct Block {
    /// The first line in the old file, from 0.
    pub(super) at: usize,
    /// The number of lines that earlier blocks have added.
    pub(super) shift: isize,
    pub(super) before: Vec<String>,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) after: Vec<String>,
    /// The lines to search for, and the lines to write, where a slip has changed them.
    pub(super) halves: (Option<Vec<String>>, Option<Vec<String>>),
}

impl Block {
    /// The lines to search for.
    pub(super) fn search(&self) -> Vec<String> {
        self.halves.0.clone().unwrap_or_else(|| [&self.before[..], &self.old, &self.after].concat())
    }

    /// The lines to write.
    pub(super) fn replace(&self) -> Vec<String> {
        self.halves.1.clone().unwrap_or_else(|| [&self.before[..], &self.new, &self.after].concat())
    }

    /// Every line of the block, context included.
    pub(super) fn lines_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.before.iter_mut().chain(&mut self.old).chain(&mut self.new).chain(&mut self.after)
    }

    /// The unchanged lines.
    pub(super) fn context_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.before.iter_mut().chain(&mut self.after)
    }
}

/// An edit with its blocks, to be changed by slips before it is written down.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) work: Work,
    pub(super) blocks: Vec<Block>,
    /// Further results that are right.
    pub(super) also: Vec<String>,
}

impl Work {
    pub(super) fn file(&self) -> String {
        self.text(&self.lines)
    }

    /// The lines of the file after the edit.
    pub(super) fn new_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut at = 0;
        for hunk in &self.hunks {
            lines.extend_from_slice(&self.lines[at..hunk.at]);
            lines.extend_from_slice(&hunk.new);
            at = hunk.at + hunk.old.len();
        }
        lines.extend_from_slice(&self.lines[at..]);
        lines
    }

    pub(super) fn target(&self) -> String {
        self.text(&self.new_lines())
    }

    /// Joins lines with this file's line ends.
    pub(super) fn text(&self, lines: &[String]) -> String {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let last = if self.is_closed && !lines.is_empty() { self.end } else { "" };
        format!("{mark}{}{last}", lines.join(self.end))
    }

    /// Inserts lines before a line outside all hunks, and moves the later hunks.
    pub(super) fn insert(&mut self, at: usize, lines: &[String]) {
        self.lines.splice(at..at, lines.iter().cloned());
        for hunk in self.hunks.iter_mut().filter(|hunk| hunk.at >= at) {
            hunk.at += lines.len();
        }
    }

    /// Cuts the edit into blocks with unique locations, with `context` lines around or more.
    pub(super) fn blocks(&self, context: usize) -> Option<Vec<Block>> {
        let folded =
            self.folded.clone().unwrap_or_else(|| self.lines.iter().map(|line| fold(line)).collect());
        let mut shift = 0;
        let mut end = 0;
        let mut blocks = Vec::new();
        for (number, hunk) in self.hunks.iter().enumerate() {
            let next = self.hunks.get(number + 1).map_or(self.lines.len(), |next| next.at);
            let block = (context..context + 5).find_map(|context| {
                let block = self.block(hunk, context, shift);
                let search: Vec<String> = block.search().iter().map(|line| fold(line)).collect();
                let is_sure = search.iter().any(|line| line.len() > 3)
                    && folded.windows(search.len()).filter(|window| **window == search).count() == 1;
                is_sure.then_some(block)
            })?;
            let last = hunk.at + hunk.old.len() + block.after.len();
            // Blocks that touch would be written as one.
            if block.at < end || last > next {
                return None;
            }
            let new = block.replace();
            if self.lines.windows(new.len().max(1)).any(|window| window == new) {
                return None;
            }
            end = last + 1;
            shift += hunk.new.len() as isize - hunk.old.len() as isize;
            blocks.push(block);
        }
        Some(blocks)
    }

    fn block(&self, hunk: &Hunk, context: usize, shift: isize) -> Block {
        let at = hunk.at.saturating_sub(context);
        let end = hunk.at + hunk.old.len();
        Block {
            at,
            shift,
            before: self.lines[at..hunk.at].to_vec(),
            old: hunk.old.clone(),
            new: hunk.new.clone(),
            after: self.lines[end..(end + context).min(self.lines.len())].to_vec(),
            halves: (None, None),
        }
    }
}

/// A line without whitespace, in lower case.
pub(super) fn fold(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// A draft of at most `hunks` hunks, with one to three lines of context.
pub(super) fn draft(rng: &mut Rng, hunks: usize) -> Option<Draft> {
    let hunks = 1 + rng.below(hunks);
    let work = work(rng, hunks)?;
    let context = 1 + rng.below(3);
    let blocks = work.blocks(context)?;
    Some(Draft { work, blocks, also: Vec::new() })
}

/// Repeats until something is made.
pub(super) fn until<T>(mut make: impl FnMut() -> Option<T>) -> Option<T> {
    (0..4000).find_map(|_| make())
}

/// A real file with a true edit of `hunks` hunks.
pub(super) fn work(rng: &mut Rng, hunks: usize) -> Option<Work> {
    // Shorter files are read faster, and are chosen more often.
    let (one, other) = (&READ[rng.below(READ.len())], &READ[rng.below(READ.len())]);
    let source = if one.lines.len() < other.lines.len() { one } else { other };
    let work = edit(source.path, source.lines.clone(), hunks, rng)?;
    Some(Work { folded: Some(source.folded.clone()), ..work })
}

/// A file of two thousand lines: real files of a language, one after another.
pub(super) fn long_work(rng: &mut Rng, hunks: usize) -> Option<Work> {
    let ending = [".rs", ".py", ".ts", ".lua"][rng.below(4)];
    let texts: Vec<&str> = SOURCES.iter().filter(|it| it.0.ends_with(ending)).map(|it| it.1).collect();
    let mut lines: Vec<String> = Vec::new();
    for round in 0.. {
        for text in &texts {
            // The words of each round are unique.
            lines.extend(text.lines().map(|line| {
                match round {
                    0 => line.to_owned(),
                    _ => line
                        .replace("self", &format!("self{round}"))
                        .replace("local ", &format!("local r{round}_")),
                }
            }));
        }
        if lines.len() > 2000 {
            break;
        }
    }
    lines.truncate(2400);
    edit(&format!("long/all{ending}"), lines, hunks, rng)
}

/// A true edit of a file's lines.
pub(super) fn edit(path: &str, lines: Vec<String>, hunks: usize, rng: &mut Rng) -> Option<Work> {
    let mut work = Work {
        path: path.to_owned(),
        lines,
        hunks: Vec::new(),
        end: "\n",
        is_closed: true,
        has_mark: false,
        folded: None,
    };
    let mut from = 1;
    for left in (1..=hunks).rev() {
        let room = work.lines.len().checked_sub(from + 16 * left)?;
        let hunk = hunk(&work.lines, from + rng.below(room), rng)?;
        from = hunk.at + hunk.old.len() + 14;
        work.hunks.push(hunk);
    }
    Some(work)
}

/// A change to a line as a person might make it.
pub(super) fn hunk(lines: &[String], at: usize, rng: &mut Rng) -> Option<Hunk> {
    let some = |from: usize, count: usize| Some(lines.get(from..from + count)?.to_vec());
    let changed = |lines: &[String], rng: &mut Rng| -> Option<Vec<String>> {
        lines.iter().map(|line| reworded(line, rng)).collect()
    };
    let (old, new) = match rng.below(8) {
        0 | 1 => {
            let old = some(at, 1)?;
            (old.clone(), changed(&old, rng)?)
        }
        2 => {
            let old = some(at, 2 + rng.below(2))?;
            (old.clone(), changed(&old, rng)?)
        }
        3 => (Vec::new(), changed(&some(at, 1 + rng.below(2))?, rng)?),
        4 => (some(at, 1 + rng.below(2))?, Vec::new()),
        5 => {
            let old = some(at, 1)?;
            let more = [changed(&old, rng)?, changed(&old, rng)?].concat();
            (old, more)
        }
        6 => {
            let old = some(at, 2)?;
            let new = vec![old[1].clone(), old[0].clone()];
            (old, new)
        }
        _ => {
            let old = some(at, 3)?;
            let first = changed(&old[..1], rng)?;
            let new = [&first[..], &old[1..2], &changed(&old[2..], rng)?].concat();
            (old, new)
        }
    };
    let at = if old.is_empty() { at + 1 } else { at };
    // Unchanged lines at the ends belong to the context.
    let is_minimal = old.first() != new.first() && (old.len() < 2 || old.last() != new.last());
    let has_words = old.iter().chain(&new).all(|line| fold(line).len() > 2);
    let drops_declaration = new.is_empty() && old.iter().any(|line| declares(line));
    (is_minimal && has_words && !drops_declaration && at < lines.len()).then_some(Hunk { at, old, new })
}

/// The line with one of its words or numbers changed.
pub(super) fn reworded(line: &str, rng: &mut Rng) -> Option<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        match (letter.is_ascii_alphanumeric() || letter == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    let is_name =
        |word: &str| word.len() >= 4 && word.as_bytes()[0].is_ascii_lowercase() && !KEYWORDS.contains(&word);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 6;
    words.retain(|word| is_name(&line[word.clone()]) || is_number(&line[word.clone()]));
    let word = words.get(rng.below(words.len()))?.clone();
    let old = &line[word.clone()];
    let new = match old.parse::<u32>() {
        Ok(number) => (number + 1 + rng.below(7) as u32).to_string(),
        Err(_) => format!("{}{old}", ["new_", "old_", "my_", "raw_", "last_"][rng.below(5)]),
    };
    Some(format!("{}{new}{}", &line[..word.start], &line[word.end..]))
}

/// Whether a person could have made the edit: the result parses as well as the file.
pub(super) fn is_sound(work: &Work) -> bool {
    let (file, target) = (work.file(), work.target());
    let edits = diff::minimal(&file, &target);
    let grammar = grammar::by_path(Path::new(&work.path));
    let allowed = Exceptions { blanks: true, ..Exceptions::default() };
    let request = Request { text: &file, grammar, allowed, ..Request::default() };
    file != target
        && apply(&file, &edits) == target
        && accept_edits(&request, edits).is_ok_and(|(_, flags)| flags.is_empty())
}
