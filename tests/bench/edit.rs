//! The speed of the edit engine: readers in MB/s, the delay from the last byte of an edit to the edit, diff and
//! rebase beside their floors, and ghost text on the keystroke path.
//!
//! `cargo bench --bench edit`, or `-- diff` for one group.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use similar::{Algorithm, capture_diff_slices};
use tandem::edit::trim::{CursorContext, CursorFacts, Ghost};
use tandem::edit::{Edit, Outcome, Reader, Refusal, Request, apply, diff, rebase, span};

/// A file of `lines` distinct lines.
fn file(lines: usize) -> String {
    (0..lines)
        .map(|n| match n % 5 {
            0 => format!("fn function_{n}(input: &Input) -> Output {{\n"),
            1 => format!("    let value_{n} = input.field_{n}.compute(\"text {n}\");\n"),
            2 => format!("    if value_{n} > {n} {{ return Output::new(value_{n}); }}\n"),
            3 => format!("    Output::default_{n}()\n"),
            _ => format!("}} // {n}\n"),
        })
        .collect()
}

/// The file with every `step`th line changed.
fn changed(text: &str, step: usize) -> String {
    let mut result = String::with_capacity(text.len());
    for (n, line) in text.split_inclusive('\n').enumerate() {
        result.push_str(&if n % step == step / 2 { line.replace("_", "_new_") } else { line.to_owned() });
    }
    result
}

/// One reply per format that changes every 40th line of a file.
fn replies(text: &str) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut search, mut unified, mut patch, mut json) =
        (String::new(), String::new(), String::new(), Vec::new());
    for at in (20..lines.len() - 4).step_by(40) {
        let (before, old, after) = (lines[at - 3..at].concat(), lines[at], lines[at + 1..at + 4].concat());
        let new = old.replace("_", "_new_");
        let mark = |text: &str| text.split_inclusive('\n').map(|line| format!(" {line}")).collect::<String>();
        let hunk = format!("{}-{old}+{new}{}", mark(&before), mark(&after));
        search +=
            &format!("<<<<<<< SEARCH\n{before}{old}{after}=======\n{before}{new}{after}>>>>>>> REPLACE\n");
        unified += &format!("@@ -{},7 +{},7 @@\n{hunk}", at - 2, at - 2);
        patch += &format!("@@\n{hunk}");
        json.push(serde_json::json!({ "old_string": old, "new_string": new }));
    }
    let window = span::cut(text, 0..text.len());
    let tags = &window.tags;
    let middle = tags.len() / 2;
    let spans: String = tags[..middle]
        .chunks_exact(2)
        .map(|pair| {
            format!(
                "<@{}>\n{}<@{}>\n",
                pair[0].0,
                text[pair[0].1..pair[1].1].replace("_", "_new_"),
                pair[1].0
            )
        })
        .collect();
    vec![
        ("search-replace", search),
        ("unified", format!("```diff\n--- a/x\n+++ b/x\n{unified}```\n")),
        ("patch", format!("*** Begin Patch\n*** Update File: x\n{patch}*** End Patch\n")),
        ("json", serde_json::Value::Array(json).to_string()),
        ("span", spans),
        ("whole", format!("```\n{}```\n", changed(text, 40))),
    ]
}

fn read(request: Request<'_>, reply: &str) -> Result<Outcome, Refusal> {
    let mut reader = Reader::new(request);
    reader.push(reply);
    reader.finish()
}

fn readers(c: &mut Criterion) {
    let text = file(4_000);
    let mut group = c.benchmark_group("read");
    for (format, reply) in replies(&text) {
        let request = || Request { text: &text, ..Request::default() };
        assert!(read(request(), &reply).is_ok_and(|outcome| !outcome.edits.is_empty()), "{format}");
        group.throughput(Throughput::Bytes(reply.len() as u64));
        group.bench_function(format, |b| b.iter(|| read(request(), black_box(&reply))));
    }
    group.finish();
}

/// The delay from the last byte of an edit to the edit, in files of several sizes that were not inspected before the
/// reply began.
fn last_byte(c: &mut Criterion) {
    let mut group = c.benchmark_group("last byte to edit");
    for lines in [1_000, 10_000, 100_000] {
        let text = file(lines);
        for (format, reply) in replies(&file(200))
            .into_iter()
            .filter(|(format, _)| matches!(*format, "search-replace" | "unified"))
        {
            // The first edit is complete with the line that closes it, or with the first line of the next edit.
            let end = match format {
                "search-replace" => reply.find(">>>>>>> REPLACE\n").map(|at| at + 16),
                _ => reply
                    .match_indices("@@ -")
                    .nth(1)
                    .and_then(|(at, _)| Some(at + reply[at..].find('\n')? + 1)),
            };
            let end = end.unwrap();
            let start = |reply: &str| {
                let mut reader = Reader::new(Request { text: &text, ..Request::default() });
                assert!(reader.push(&reply[..end - 1]).is_empty());
                reader
            };
            group.bench_function(BenchmarkId::new(format, lines), |b| {
                b.iter_batched(
                    || start(&reply),
                    |mut reader| {
                        let edits = reader.push(&reply[end - 1..end]);
                        assert!(!edits.is_empty());
                        (reader, edits)
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

fn diffs(c: &mut Criterion) {
    let mut group = c.benchmark_group("diff");
    for lines in [1_000, 10_000, 100_000] {
        let old = file(lines);
        let new = changed(&old, 50);
        group.throughput(Throughput::Bytes(old.len() as u64));
        group.bench_function(BenchmarkId::new("minimal", lines), |b| {
            b.iter(|| diff::minimal(black_box(&old), black_box(&new)))
        });
        group.bench_function(BenchmarkId::new("similar alone", lines), |b| {
            b.iter(|| {
                let (old, new): (Vec<&str>, Vec<&str>) =
                    (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
                capture_diff_slices(Algorithm::Patience, black_box(&old), black_box(&new))
            });
        });
        group.bench_function(BenchmarkId::new("copy", lines), |b| b.iter(|| black_box(&new).clone()));
    }
    group.finish();
}

fn rebases(c: &mut Criterion) {
    let mut group = c.benchmark_group("rebase");
    for lines in [1_000, 10_000, 100_000] {
        let text = file(lines);
        let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let edits: Vec<Edit> =
            starts.iter().step_by(10).map(|at| Edit::new(*at..*at, "new line\n")).collect();
        let typed: Vec<Edit> =
            starts.iter().skip(5).step_by(10).map(|at| Edit::new(*at..*at, "typed\n")).collect();
        group.bench_function(BenchmarkId::new("over", lines), |b| {
            b.iter(|| rebase::over(black_box(&edits), black_box(&typed)))
        });
        group.bench_function(BenchmarkId::new("copy", lines), |b| b.iter(|| black_box(&edits).clone()));
        group.bench_function(BenchmarkId::new("apply", lines), |b| {
            b.iter(|| apply(black_box(&text), black_box(&edits)))
        });
    }
    group.finish();
}

fn ghosts(c: &mut Criterion) {
    let before = file(80) + "fn wanted(input: &Input) -> Output {\n    ";
    let after = format!("\n}}\n\n{}", file(40));
    let reply = "let total = input.items.iter().map(|item| item.price * item.count).sum();\n    if total > input.limit {\n        \
        return Output::refused(total);\n    }\n    Output::new(total, input.currency.clone())\n}\n";
    let place = CursorContext {
        before: &before,
        after: &after,
        grammar: None,
        max_lines: 10,
        facts: &CursorFacts::default(),
    };
    let tokens: Vec<&str> = reply.split_inclusive(' ').collect();
    let run = |pieces: &[&str]| {
        let mut ghost = Ghost::new(place);
        for piece in pieces {
            if ghost.push(piece).is_break() {
                break;
            }
        }
        ghost.finish(true)
    };
    assert!(run(&tokens).is_ok_and(|text| text.ends_with("clone())")), "{:?}", run(&tokens));
    let mut group = c.benchmark_group("ghost text");
    group.bench_function("in one piece", |b| b.iter(|| run(black_box(&[reply]))));
    group.bench_function("token by token", |b| b.iter(|| run(black_box(&tokens))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = readers, last_byte, diffs, rebases, ghosts
}
criterion_main!(benches);
