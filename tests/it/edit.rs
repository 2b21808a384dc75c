//! The edit engine against replies as models really write them.
//!
//! `corpus` makes true edits of real source files; `classes` writes each down in some format and breaks it in one way
//! that is typical of models. The engine must produce exactly the true edit, or refuse: a wrong file is never
//! acceptable.

mod classes;
mod corpus;
mod cuts;
mod laws;
mod tools;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tandem::edit::{Exceptions, Request, UnmarkedEnd, accept, apply};

use classes::{Must, Sample};

/// Samples of each class; `TANDEM_CORPUS_SEEDS` sets another number for a long run.
const SEEDS: u64 = 20;

/// The result of reading a sample.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// The true edit.
    Exact,
    /// The unchanged file, with a reason or without any edit.
    Refused(String),
    /// Any other result.
    Wrong(String),
}

fn judge(sample: &Sample) -> Verdict {
    let end = if sample.strict { UnmarkedEnd::Refused } else { UnmarkedEnd::Flagged };
    let request = Request {
        text: &sample.file,
        path: Some(sample.path),
        range: sample.range.clone(),
        grammar: sample.grammar,
        instruction: &sample.instruction,
        allowed: Exceptions { talk: true, blanks: true, unmarked_end: end, ..Exceptions::default() },
        ..Request::default()
    };
    match accept(&request, &sample.reply).map(|accepted| apply(&sample.file, &accepted.edits)) {
        Ok(text) if text == sample.target => Verdict::Exact,
        Ok(text) if text == sample.file => Verdict::Refused("unchanged".to_owned()),
        Ok(text) => Verdict::Wrong(text),
        Err(refusal) => Verdict::Refused(refusal.code().to_owned()),
    }
}

/// Counts of one class.
#[derive(Default)]
struct Row {
    exact: usize,
    refused: usize,
    wrong: usize,
    reasons: BTreeMap<String, usize>,
    example: Option<String>,
}

#[test]
fn replies_end_in_the_true_edit_or_in_a_refusal() {
    let seeds = std::env::var("TANDEM_CORPUS_SEEDS").map_or(SEEDS, |text| text.parse().unwrap());
    let mut table = String::new();
    let (mut total, mut right, mut wrong, mut due, mut missed) = (0, 0, 0, 0, 0);
    let mut examples = String::new();
    // Runs only classes whose names contain one of these words, for closer inspection.
    let only = std::env::var("TANDEM_CORPUS_ONLY").unwrap_or_default();
    let classes = classes::all();
    for (name, must, make, share) in
        classes.iter().filter(|(name, ..)| only.split(',').any(|word| name.contains(word)))
    {
        let mut row = Row::default();
        let seeds = seeds.div_ceil(*share);
        for seed in 0..seeds {
            let Some(sample) = corpus::sample(name, seed, make) else { continue };
            let mut verdict = judge(&sample);
            // A reply that must be refused must not be reported as already applied.
            if verdict == Verdict::Refused("unchanged".to_owned())
                && *must == Must::Refuse
                && sample.target != sample.file
            {
                verdict = Verdict::Wrong("said to be there already".to_owned());
            }
            total += 1;
            due += usize::from(*must == Must::Apply);
            let good = match (&verdict, must) {
                (Verdict::Exact, Must::Apply | Must::Either) => true,
                // A reply to refuse may ask for what the file already contains.
                (Verdict::Exact, Must::Refuse) => sample.target == sample.file,
                (Verdict::Refused(_), Must::Refuse | Must::Either) => true,
                _ => false,
            };
            right += usize::from(good);
            match verdict {
                Verdict::Exact => row.exact += 1,
                Verdict::Refused(reason) => {
                    row.refused += 1;
                    *row.reasons.entry(reason).or_default() += 1;
                    missed += usize::from(*must == Must::Apply);
                }
                Verdict::Wrong(ref text) => {
                    row.wrong += 1;
                    wrong += 1;
                    row.example.get_or_insert_with(|| format!("--- result\n{text}"));
                }
            }
            if !good && row.example.as_ref().is_none_or(|example| !example.contains("--- reply")) {
                let result = row.example.take().unwrap_or_default();
                row.example = Some(format!(
                    "=== {name}, seed {seed}\n--- reply\n{}\n--- file\n{}\n--- target\n{}\n{result}\n",
                    sample.reply, sample.file, sample.target
                ));
            }
        }
        let reasons: Vec<String> =
            row.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        writeln!(
            table,
            "{name:<34} {must:<7?} exact {:>3}  refused {:>3}  wrong {:>3}  {}",
            row.exact,
            row.refused,
            row.wrong,
            reasons.join(", ")
        )
        .unwrap();
        examples.extend(row.example);
        assert!(
            (row.exact + row.refused + row.wrong) as u64 * 2 >= seeds,
            "class {name} has too few samples to say anything"
        );
    }
    writeln!(
        table,
        "{total} samples in {} classes: {right} right, {wrong} wrong, {missed} of {due} missed",
        classes.len()
    )
    .unwrap();
    // Path to write the table to, for reading.
    if let Some(path) = std::env::var_os("TANDEM_CORPUS_TABLE") {
        std::fs::write(path, format!("{table}\n{examples}")).unwrap();
    }
    assert_eq!(wrong, 0, "{table}\n{examples}");
    assert!(missed * 1000 <= due * 2, "{table}\n{examples}");
    assert!(right * 100 >= total * 93, "{table}\n{examples}");
}
