//! The edit engine against replies written after the manuals of other editors and agents.
//!
//! `work` makes true edits of real files; `formats` holds how each tool wants an edit written; `slips` breaks the
//! written reply, as models do; `special` has cases that fit no table. Each case states which results are right. A
//! reply that names its file is applied twice: as a reply about that file, and as one about a folder.
//!
//! `TANDEM_TOOLS_SEEDS` sets the number of seeds for all classes: without it, one class runs of those that differ
//! only in their format. `TANDEM_TOOLS_CASES` sets the number of cases per class and seed, `TANDEM_TOOLS_ONLY`
//! selects the classes whose names contain the text. `TANDEM_TOOLS_TABLE` names a file for the counts and the
//! shortest example of each failure.

mod folders;
mod formats;
mod several;
mod slips;
mod special;
mod template;
mod tree;
mod work;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tandem::edit::plan::{self, Permissions};
use tandem::edit::{Exceptions, Refusal, Request, accept, apply};
use tandem::grammar;
use tandem::privacy::Verdict as Access;

use super::corpus::Rng;
use slips::Slip;
use tree::Tree;

/// The expected result of a class of replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Must {
    /// The meaning is certain.
    Apply,
    /// The meaning is not certain, or the edit is harmful.
    Refuse,
    /// The true edit and a refusal are both right.
    May,
}

/// A reply, the files that it is applied to, and the results that are right.
#[derive(Clone)]
struct Case {
    /// Distinguishes the case from others of its class, for output.
    kind: String,
    files: Tree,
    /// The file that the reply is about; `None` for a reply about a folder.
    path: Option<String>,
    /// The requested lines, as a byte range.
    range: Option<std::ops::Range<usize>>,
    reply: String,
    /// The right results. If empty, the reply must be refused.
    right: Vec<Tree>,
    may_refuse: bool,
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Right,
    /// Refused although it had to be applied.
    Missed(String),
    /// A wrong result, or reported as already applied.
    Wrong(String),
}

/// Makes the cases of a reply.
type Make = Box<dyn Fn(&mut Rng) -> Option<Vec<Case>>>;

/// A class: its name, and the function that makes its cases.
struct Class {
    name: String,
    make: Make,
}

/// The result of applying a reply to a case's files.
fn result(case: &Case) -> Result<Tree, String> {
    match &case.path {
        Some(path) => of_file(case, path).map_err(|refusal| refusal.code().to_owned()),
        None => {
            let permissions =
                Permissions { access: &|_| Access::Open, instruction: "", allow_invisible: false };
            let set = plan::plan(&case.reply, &case.files, permissions)
                .map_err(|refusal| refusal.code().to_owned())?;
            let mut files = case.files.clone();
            for file in set.files().iter().filter(|file| file.new_path() != Some(&file.path)) {
                files.0.remove(&file.path);
            }
            for file in set.files() {
                if let (Some(path), Some(text)) = (file.new_path(), file.new_text()) {
                    files.0.insert(path.to_owned(), text.into_owned());
                }
            }
            Ok(files)
        }
    }
}

/// The result of `tandem apply --file`.
fn of_file(case: &Case, path: &str) -> Result<Tree, Refusal> {
    let text = &case.files.0[path];
    let request = Request {
        text,
        path: Some(path),
        range: case.range.clone(),
        grammar: grammar::by_path(Path::new(path)),
        allowed: Exceptions { blanks: true, ..Exceptions::default() },
        ..Request::default()
    };
    let edits = accept(&request, &case.reply)?.edits;
    let mut files = case.files.clone();
    files.0.insert(path.to_owned(), apply(text, &edits));
    Ok(files)
}

fn judge(case: &Case) -> Outcome {
    let Ok(result) = catch_unwind(AssertUnwindSafe(|| result(case))) else {
        return Outcome::Wrong("a panic".to_owned());
    };
    match result {
        Ok(files) if case.right.contains(&files) => Outcome::Right,
        Ok(files) if files == case.files && !case.right.is_empty() && case.may_refuse => Outcome::Right,
        Ok(files) if files == case.files && !case.right.is_empty() => Outcome::Missed("unchanged".to_owned()),
        // A reply that must be refused must not be reported as already applied.
        Ok(files) if files == case.files => Outcome::Wrong("said to be there already".to_owned()),
        Ok(files) => Outcome::Wrong(files.changes(&case.files)),
        Err(_) if case.may_refuse => Outcome::Right,
        Err(code) => Outcome::Missed(code),
    }
}

/// The classes: all, or one of each set that differs only in its format.
fn classes(are_all: bool) -> Vec<Class> {
    let some = |name: &str, among: &'static [&'static str]| {
        let one = name.len() % among.len();
        if are_all { among } else { &among[one..=one] }
    };
    let mut classes = Vec::new();
    for (name, must, template) in formats::FORMATS.iter() {
        let make = move |rng: &mut Rng| written(template, *must, rng, None);
        classes.push(Class { name: (*name).to_owned(), make: Box::new(make) });
    }
    for (name, must, among, slip) in slips::SLIPS {
        for format in some(name, among) {
            let template = formats::named(format);
            let make = move |rng: &mut Rng| written(template, *must, rng, Some(slip));
            classes.push(Class { name: format!("{name} / {format}"), make: Box::new(make) });
        }
    }
    for (name, among, make) in special::SPECIAL_IN.iter().chain(folders::FOLDERS).chain(several::SEVERAL) {
        for format in some(name, among) {
            let make = move |rng: &mut Rng| make(format, rng);
            classes.push(Class { name: format!("{name} / {format}"), make: Box::new(make) });
        }
    }
    for (name, make) in special::SPECIAL {
        classes.push(Class { name: (*name).to_owned(), make: Box::new(make) });
    }
    classes
}

/// The cases of a true edit that is written in a format, with a slip.
fn written(template: &'static str, must: Must, rng: &mut Rng, slip: Option<&Slip>) -> Option<Vec<Case>> {
    let hunks = if template::holds_many(template) { 3 } else { 1 };
    let whole = work::draft(rng, hunks)?;
    let mut draft = whole.clone();
    if let Some(Slip::Draft(slip)) = slip
        && !slip(&mut draft, rng)
    {
        return None;
    }
    let mut reply = template::render(template, &draft);
    if let Some(Slip::Reply(slip)) = slip {
        reply = slip(&draft, &reply, rng)?;
    }
    // The parse is the most expensive part, so it comes last; a refused edit need not parse.
    (must == Must::Refuse || work::is_sound(&whole.work)).then(|| cases(&draft, template, must, reply))
}

/// The cases of a reply: about its file and, if it names the file, about the folder.
fn cases(draft: &work::Draft, template: &str, must: Must, reply: String) -> Vec<Case> {
    let path = &draft.work.path;
    let tree = |text: String| Tree(BTreeMap::from([(path.clone(), text)]));
    let right: Vec<String> = match must {
        Must::Refuse => Vec::new(),
        _ => [&[draft.work.target()], &draft.also[..]].concat(),
    };
    let alone = Case {
        kind: String::new(),
        files: tree(draft.work.file()),
        path: Some(path.clone()),
        range: None,
        reply,
        right: right.into_iter().map(tree).collect(),
        may_refuse: must != Must::Apply,
    };
    let mut cases = vec![alone.clone()];
    if template::names_path(template) {
        let beside = |tree: &Tree| {
            tree.with(&[("README.md", "# Shop\n\nIt sells.\n"), ("src/other.rs", "fn other() {}\n")])
        };
        cases.push(Case {
            files: beside(&alone.files),
            path: None,
            right: alone.right.iter().map(beside).collect(),
            ..alone
        });
    }
    cases
}

/// Counts of one class, or of one seed.
#[derive(Default, Clone)]
struct Row {
    right: usize,
    missed: usize,
    wrong: usize,
    /// The number of cases that must be applied.
    due: usize,
    reasons: BTreeMap<String, usize>,
    example: Option<String>,
}

impl Row {
    fn count(&mut self, case: &Case, outcome: &Outcome) {
        self.due += usize::from(!case.may_refuse);
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong(_) => self.wrong += 1,
            Outcome::Missed(code) => {
                self.missed += 1;
                *self.reasons.entry(code.clone()).or_default() += 1;
            }
        }
    }

    fn all(&self) -> usize {
        self.right + self.missed + self.wrong
    }

    fn line(&self) -> String {
        let reasons: Vec<String> =
            self.reasons.iter().map(|(code, count)| format!("{code} {count}")).collect();
        format!(
            "right {:>4}  missed {:>4}  wrong {:>4}  {}",
            self.right,
            self.missed,
            self.wrong,
            reasons.join(", ")
        )
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn example(name: &str, seed: u64, case: &Case, outcome: &Outcome) -> String {
    let door = case.path.as_deref().unwrap_or("a folder");
    let mut text =
        format!("=== {name} {}, seed {seed}, about {door}\n--- reply\n{}\n", case.kind, case.reply);
    match outcome {
        Outcome::Wrong(changes) => writeln!(text, "--- wrong\n{changes}"),
        Outcome::Missed(code) => writeln!(text, "--- missed: {code}"),
        Outcome::Right => Ok(()),
    }
    .unwrap();
    match case.right.first() {
        Some(right) => writeln!(text, "--- right\n{}", right.changes(&case.files)),
        None => writeln!(text, "--- has to be refused"),
    }
    .unwrap();
    text
}

/// The counts of a run.
#[derive(Default)]
struct Report {
    /// A row for each class, and one for each seed.
    table: String,
    /// The shortest example of each class that fails.
    examples: String,
    missed: usize,
    wrong: usize,
    due: usize,
}

/// Runs `count` cases of each class for each seed.
fn run(seeds: u64, count: u64, are_all: bool, only: &str) -> Report {
    let mut report = Report::default();
    let mut totals = vec![Row::default(); seeds as usize];
    let classes = classes(are_all);
    for class in classes.iter().filter(|class| class.name.contains(only)) {
        let mut row = Row::default();
        for seed in 0..seeds {
            for number in 0..count {
                let mut rng = seeded(&class.name, seed * 10_000 + number);
                for case in work::until(|| (class.make)(&mut rng)).into_iter().flatten() {
                    let outcome = judge(&case);
                    report.due += usize::from(!case.may_refuse);
                    totals[seed as usize].count(&case, &outcome);
                    row.count(&case, &outcome);
                    if outcome != Outcome::Right {
                        let shown = example(&class.name, seed, &case, &outcome);
                        // The shortest example is the quickest to read.
                        if row.example.as_ref().is_none_or(|example| example.len() > shown.len()) {
                            row.example = Some(shown);
                        }
                    }
                }
            }
        }
        assert!(row.all() as u64 * 2 >= seeds * count, "{} has only {} cases", class.name, row.all());
        writeln!(report.table, "{:<48} {}", class.name, row.line()).unwrap();
        report.missed += row.missed;
        report.wrong += row.wrong;
        report.examples.extend(row.example);
    }
    for (seed, total) in totals.iter().enumerate() {
        writeln!(report.table, "seed {seed}: {} cases of {} due, {}", total.all(), total.due, total.line())
            .unwrap();
    }
    writeln!(report.table, "{} classes", classes.len()).unwrap();
    report
}

#[test]
fn replies_of_every_tool_end_in_a_right_result() {
    let only = std::env::var("TANDEM_TOOLS_ONLY").unwrap_or_default();
    let is_long = std::env::var_os("TANDEM_TOOLS_SEEDS").is_some();
    let (seeds, count) = (number("TANDEM_TOOLS_SEEDS", 1), number("TANDEM_TOOLS_CASES", 1));
    let Report { table, examples, missed, wrong, due } = run(seeds, count, is_long, &only);
    if let Some(path) = std::env::var_os("TANDEM_TOOLS_TABLE") {
        std::fs::write(path, format!("{table}\n{examples}")).unwrap();
    }
    assert!(wrong == 0 && missed * 1000 <= due * 2, "{table}\n{examples}");
}

/// The random numbers for a class and a seed.
fn seeded(class: &str, seed: u64) -> Rng {
    let hash =
        class.bytes().fold(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let mut rng = Rng::new(hash);
    for _ in 0..16 {
        rng.below(2);
    }
    rng
}
