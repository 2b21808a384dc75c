//! The share of the identifiers needed at a position that a prompt's context from other files contains.
//!
//! `cargo bench --bench context -- [--places N] DIR…` takes random positions in real code. The file is cut there, as
//! if it were being written. The identifiers of the next three lines that occur in another file of the project and
//! not in this one are searched for in the context of the prompt. Tandem's context is compared with others of as many
//! tokens each: nothing but the file itself, the heads of other files of its folder, and the windows of all files
//! that are most similar to the last lines by Jaccard similarity, in windows of 20 and of 60 lines.
//!
//! The share is not a goal in itself: isolated lines that a model cannot read contain the most names.
//! `tests/bench/likelihood` asks a model.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use tandem::context::related::{Query, gather};
use tandem::context::{Window, outline};
use tandem::document::{Document, DocumentId};
use tandem::grammar::Grammar;
use tandem::prompt;
use tandem::snapshot::Related;
use tandem::text::ident;
use tandem::workspace::{Scope, Workspace, list, walk};

/// Positions for each project, without `--places`.
const PLACES: usize = 120;
/// Bytes per token.
const TOKEN: usize = 4;
/// Budgets for the context from other files, in tokens.
const BUDGETS: [usize; 3] = [1_000, 2_000, 6_000];
/// Lines after the position whose identifiers are needed.
const NEXT: usize = 3;
/// Minimum number of lines before a position.
const LEAST_BEFORE: usize = 15;
/// Number of files of the same folder that count as recently edited or viewed.
const RECENT: usize = 5;
const METHODS: [&str; 5] = ["nothing", "heads", "jaccard 20", "jaccard 60", "tandem"];

fn main() {
    let mut places = PLACES;
    let mut roots = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|it| it != "--bench" && it != "--test");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--places" => places = arguments.next().unwrap().parse().unwrap(),
            _ => roots.extend(std::fs::canonicalize(argument).ok()),
        }
    }
    if roots.is_empty() {
        roots.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    }
    for root in roots {
        measure(&root, places);
    }
}

/// One file of a project.
struct File {
    path: Arc<Path>,
    grammar: &'static Grammar,
    text: String,
    /// The names of each line, as ids.
    lines: Vec<Vec<u32>>,
}

struct Project {
    files: Vec<File>,
    numbers: HashMap<String, u32>,
    /// The number of files that contain a name.
    spread: HashMap<u32, usize>,
}

/// A position: a file up to a byte, and the identifiers needed there.
struct Place {
    file: usize,
    cursor: usize,
    /// The line, from 0.
    line: usize,
    wanted: HashSet<String>,
}

#[derive(Default)]
struct Score {
    found: usize,
    wanted: usize,
}

fn measure(root: &Path, places: usize) {
    let roots = [root.to_owned()];
    let scope = Scope { roots: &roots, denied: &|_| false, cancelled: &|| false, is_background: false };
    let workspace = Workspace::default();
    walk(&workspace, scope, None);
    let project = Project::read(list(scope).files.iter().map(|it| (Arc::clone(&it.path), it.grammar)));
    let lines: usize = project.files.iter().map(|it| it.lines.len()).sum();
    println!("\n{} ({} files, {lines} lines)", root.display(), project.files.len());
    let mut random = SmallRng::seed_from_u64(7);
    let mut scores: BTreeMap<(usize, usize), Score> = BTreeMap::new();
    let mut by_kind: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut stable = Stable::default();
    let (mut took, mut longest, mut count) = (Duration::ZERO, Duration::ZERO, 0);
    for _ in 0..places * 30 {
        if count == places {
            break;
        }
        let Some(place) = project.place(&mut random) else { continue };
        count += 1;
        let recent = project.recent(&place, &mut random);
        let (gathered, time) = tandem(&project, &workspace, &place, &recent, root, &Related::default());
        took += time;
        longest = longest.max(time);
        let own = own_prompt(&project.files[place.file], place.cursor, root);
        stable.add(&project, &workspace, &place, &recent, root, &gathered);
        for (at, budget) in BUDGETS.iter().enumerate() {
            let bytes = budget * TOKEN;
            let parts = gathered.within(bytes);
            let shown: Vec<String> = vec![
                String::new(),
                project.heads(&recent, bytes),
                project.jaccard(&place, 20, bytes),
                project.jaccard(&place, 60, bytes),
                parts.iter().map(|it| it.text.as_str()).collect(),
            ];
            for (method, shown) in shown.iter().enumerate() {
                let names: HashSet<&str> = words(shown).chain(words(&own)).collect();
                let score = scores.entry((method, at)).or_default();
                score.wanted += place.wanted.len();
                score.found += place.wanted.iter().filter(|it| names.contains(it.as_str())).count();
            }
            if at == 1 {
                for part in parts {
                    let names: HashSet<&str> = words(&part.text).collect();
                    let entry = by_kind.entry(format!("{}: {}", part.kind, reason(&part.why))).or_default();
                    entry.0 += part.text.len();
                    entry.1 += place.wanted.iter().filter(|it| names.contains(it.as_str())).count();
                }
            }
        }
    }
    println!("the same in two prompts, of all bytes: {}", stable.shown());
    let wanted = scores.get(&(0, 0)).map_or(0, |it| it.wanted);
    println!(
        "{count} places, {wanted} identifiers; gathered in {:.1} ms, {:.1} ms at most",
        took.as_secs_f64() * 1e3 / count.max(1) as f64,
        longest.as_secs_f64() * 1e3
    );
    println!("{:12} {}", "tokens", BUDGETS.map(|it| format!("{it:>8}")).join(""));
    for (method, name) in METHODS.iter().enumerate() {
        let share = |at: usize| {
            let score = &scores[&(method, at)];
            format!("{:7.1}%", 100.0 * score.found as f64 / score.wanted.max(1) as f64)
        };
        println!("{name:12} {}", (0..BUDGETS.len()).map(share).collect::<String>());
    }
    for (kind, (bytes, found)) in by_kind {
        println!("  {:6.1} bytes a place, {found:4} found  {kind}", bytes as f64 / count as f64);
    }
}

/// The reason with its names removed.
fn reason(why: &str) -> String {
    why.split('`').step_by(2).collect::<Vec<_>>().join("…")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    ident::words_with_dollars(text).map(|(_, word)| word)
}

/// The length of the common prefix of two prompts for a file.
#[derive(Default)]
struct Stable {
    /// From one key to the next, and over `LATER` lines of typing: the bytes in common, and all bytes.
    keys: (usize, usize),
    minutes: (usize, usize),
}

/// Lines that are typed in two minutes.
const LATER: usize = 12;

impl Stable {
    fn add(
        &mut self,
        project: &Project,
        workspace: &Workspace,
        place: &Place,
        recent: &[usize],
        root: &Path,
        gathered: &Related,
    ) {
        let file = &project.files[place.file];
        let input = |cursor: usize, related: &Related| {
            let document = cut(file, cursor);
            let window = Window::around(&document, cursor, "a".to_owned(), &outline::of(&document));
            prompt::related::block(&related.within(BUDGETS[1] * TOKEN))
                + &prompt::complete::render(&window).input
        };
        let later = file.text[place.cursor..].match_indices('\n').nth(LATER);
        let Some(later) = later.map(|(at, _)| place.cursor + at) else { return };
        let next_key = file.text[place.cursor..].chars().next().map_or(0, char::len_utf8);
        let first = input(place.cursor, gathered);
        add_shared(&mut self.keys, &first, &input(place.cursor + next_key, gathered));
        let moved =
            Place { file: place.file, cursor: later, line: place.line + LATER, wanted: HashSet::new() };
        let (again, _) = tandem(project, workspace, &moved, recent, root, gathered);
        add_shared(&mut self.minutes, &first, &input(later, &again));
    }

    fn shown(&self) -> String {
        let share = |(same, all): (usize, usize)| 100.0 * same as f64 / all.max(1) as f64;
        format!("{:.0}% between two keys, {:.0}% over {LATER} lines", share(self.keys), share(self.minutes))
    }
}

fn add_shared(sum: &mut (usize, usize), first: &str, second: &str) {
    sum.0 += first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
    sum.1 += second.len();
}

/// The part of the prompt that shows the file itself.
fn own_prompt(file: &File, cursor: usize, root: &Path) -> String {
    let document = cut(file, cursor);
    let path = file.path.strip_prefix(root).unwrap().display().to_string();
    let window = Window::around(&document, cursor, path, &outline::of(&document));
    format!("{}\n{}\n{}", window.outline, window.before, window.after)
}

fn cut(file: &File, cursor: usize) -> Document {
    let id = DocumentId::new(&format!("file://{}", file.path.display()));
    Document::new(id, file.grammar.id(), 0, &file.text[..cursor])
}

fn tandem(
    project: &Project,
    workspace: &Workspace,
    place: &Place,
    recent: &[usize],
    root: &Path,
    before: &Related,
) -> (Related, Duration) {
    let file = &project.files[place.file];
    let document = cut(file, place.cursor);
    document.syntax();
    workspace.close(&file.path);
    workspace.open(&file.path, &document, || false);
    let recent: Vec<PathBuf> = recent.iter().map(|it| project.files[*it].path.to_path_buf()).collect();
    let started = Instant::now();
    let gathered = gather(&Query {
        document: &document,
        path: &file.path,
        cursor: place.cursor,
        workspace,
        rules: &[],
        recent: &recent,
        only: None,
        before,
        shown: &|path| path.strip_prefix(root).unwrap_or(path).display().to_string().into(),
        cancelled: &|| false,
    });
    let took = started.elapsed();
    workspace.close(&file.path);
    workspace.read_again(workspace.current_walk(), &file.path);
    (gathered, took)
}

impl Project {
    fn read(listed: impl Iterator<Item = (Arc<Path>, &'static Grammar)>) -> Self {
        let mut project = Self { files: Vec::new(), numbers: HashMap::new(), spread: HashMap::new() };
        for (path, grammar) in listed {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if !grammar.id().chars().all(|it| it.is_ascii_lowercase()) || DATA.contains(&grammar.id()) {
                continue;
            }
            let numbers = &mut project.numbers;
            let lines: Vec<Vec<u32>> = text
                .split_inclusive('\n')
                .map(|line| {
                    words(line)
                        .filter(|it| it.len() > 1)
                        .map(|word| match numbers.get(word) {
                            Some(number) => *number,
                            None => {
                                let number = numbers.len() as u32;
                                numbers.insert(word.to_owned(), number);
                                number
                            }
                        })
                        .collect()
                })
                .collect();
            for name in lines.iter().flatten().collect::<HashSet<_>>() {
                *project.spread.entry(*name).or_default() += 1;
            }
            project.files.push(File { path, grammar, text, lines });
        }
        project
    }

    /// A random position at which some identifier is needed.
    fn place(&self, random: &mut SmallRng) -> Option<Place> {
        let total: usize = self.files.iter().map(|it| it.lines.len()).sum();
        let mut line = random.random_range(0..total.max(1));
        let file = self.files.iter().position(|it| {
            let is_here = line < it.lines.len();
            line -= if is_here { 0 } else { it.lines.len() };
            is_here
        })?;
        let File { text, lines, grammar, .. } = &self.files[file];
        if line < LEAST_BEFORE || line + NEXT > lines.len() {
            return None;
        }
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let start = starts[line];
        let end = starts.get(line + NEXT).copied().unwrap_or(text.len());
        let first = text[start..].lines().next()?;
        // Between two words of the line, or before the first one.
        let indent = first.len() - first.trim_start().len();
        let stops: Vec<usize> = std::iter::once(indent)
            .chain(ident::words_with_dollars(first).map(|(end, _)| end).filter(|end| *end < first.len()))
            .collect();
        let cursor = start + stops.choose(random)?;
        let before: HashSet<&str> = words(&text[..cursor]).collect();
        let tree = grammar.parse_str(text)?;
        let mut wanted = HashSet::new();
        let mut walker = tree.walk();
        loop {
            let node = walker.node();
            let is_near = node.start_byte() < end && node.end_byte() > cursor;
            if is_near && node.child_count() == 0 && node.kind().contains("identifier") {
                let name = &text[node.byte_range()];
                if node.start_byte() >= cursor && name.len() > 1 && !before.contains(name) {
                    wanted.insert(name.to_owned());
                }
            }
            if is_near && walker.goto_first_child() {
                continue;
            }
            while !walker.goto_next_sibling() {
                if !walker.goto_parent() {
                    let own: HashSet<&u32> = lines.iter().flatten().collect();
                    wanted.retain(|name| {
                        self.numbers.get(name).is_some_and(|it| {
                            self.spread.get(it).copied().unwrap_or(0) > usize::from(own.contains(it))
                        })
                    });
                    return (!wanted.is_empty()).then_some(Place { file, cursor, line, wanted });
                }
            }
        }
    }

    /// Other files of the same folder.
    fn recent(&self, place: &Place, random: &mut SmallRng) -> Vec<usize> {
        let folder = self.files[place.file].path.parent();
        let mut others: Vec<usize> = (0..self.files.len())
            .filter(|at| *at != place.file && self.files[*at].path.parent() == folder)
            .collect();
        others.shuffle(random);
        others.truncate(RECENT);
        others
    }

    /// The beginnings of some files, of equal size.
    fn heads(&self, files: &[usize], bytes: usize) -> String {
        let each = bytes / files.len().max(1);
        let mut shown = String::new();
        for file in files {
            let text = &self.files[*file].text;
            let mut end = each.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            shown.push_str(&text[..end]);
            shown.push('\n');
        }
        shown
    }

    /// The windows of other files that are most similar to the last lines.
    fn jaccard(&self, place: &Place, size: usize, bytes: usize) -> String {
        let own = &self.files[place.file];
        let query: HashSet<u32> =
            own.lines[place.line.saturating_sub(size)..place.line].iter().flatten().copied().collect();
        let mut windows: Vec<(f64, usize, usize)> = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            if at == place.file || file.grammar.family() != own.grammar.family() {
                continue;
            }
            for start in (0..file.lines.len()).step_by(size / 2) {
                let lines = &file.lines[start..(start + size).min(file.lines.len())];
                let names: HashSet<u32> = lines.iter().flatten().copied().collect();
                let shared = names.intersection(&query).count();
                if shared > 0 {
                    let all = names.len() + query.len() - shared;
                    windows.push((shared as f64 / all as f64, at, start));
                }
            }
        }
        windows.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut shown = String::new();
        let mut taken: HashSet<(usize, usize)> = HashSet::new();
        for (_, at, start) in windows {
            let file = &self.files[at];
            for (line, text) in file.text.split_inclusive('\n').enumerate().skip(start).take(size) {
                if shown.len() + text.len() > bytes {
                    return shown;
                }
                if taken.insert((at, line)) {
                    shown.push_str(text);
                }
            }
        }
        shown
    }
}

/// Languages of data and prose.
const DATA: [&str; 6] = ["json", "yaml", "toml", "markdown", "html", "css"];
