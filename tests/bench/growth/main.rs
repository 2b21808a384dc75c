//! How the work of the server and the commands grows with the sizes of their inputs.
//!
//! `tests/bench/growth/run` builds this and starts it. For each case it runs itself under Valgrind, which counts the
//! instructions for four sizes, each twice the one before, and fits the exponent `e` of `size^e`. Work that grows as
//! `n log n` has an exponent of at most 1.1. A case above [`MOST`] fails.
//!
//! A command is counted from its start to its end. Any other case prepares its input uncounted, and then calls
//! `getppid`, which nothing else does: the counter dumps its count whenever that function of the C library returns.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "the table")]

mod cases;
mod count;
mod text;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cases::Case;

/// The largest exponent that passes.
const MOST: f64 = 1.2;
/// The number of times that the size of an input is doubled.
const DOUBLINGS: u32 = 3;
/// Prepared work, ready to be counted.
type Prepared = Box<dyn FnOnce()>;

/// The result of fitting one case.
struct Fit {
    name: &'static str,
    /// The first size, in the unit of the case.
    from: usize,
    counts: Vec<u64>,
    exponent: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let all = cases::all();
    if let [flag, name, size] = arguments.as_slice()
        && flag == "--count"
    {
        let prepare = all.iter().find(|case| case.name == name).and_then(|case| case.prepare());
        count::each_size(prepare.unwrap(), size.parse().unwrap());
        return ExitCode::SUCCESS;
    }
    let (flags, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|it| it.starts_with("--"));
    let scale = if flags.iter().any(|it| *it == "--long") { 4 } else { 1 };
    let chosen: Vec<&Case> = all
        .iter()
        .filter(|case| names.is_empty() || names.iter().any(|it| case.name.contains(*it)))
        .collect();
    let fits = fit_all(&chosen, scale);
    let failed = chosen.len() - fits.iter().filter(|fit| fit.exponent <= MOST).count();
    println!("{:<44} {:>8} {:>14} {:>14}  exponent", "case", "from", "instructions", "at 8 times");
    for Fit { name, from, counts, exponent } in &fits {
        let verdict = if *exponent <= MOST { String::new() } else { format!("  FAIL {counts:?}") };
        let [first, .., last] = counts[..] else { continue };
        println!("{name:<44} {from:>8} {first:>14} {last:>14}  {exponent:.2}{verdict}");
    }
    println!("{} passed, {failed} failed", chosen.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fits all cases, one per processor at a time. Cases that could not be counted are missing.
fn fit_all(cases: &[&Case], scale: usize) -> Vec<Fit> {
    let (next, fits) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, case)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, cases.get(at)?)))
                {
                    let from = case.from * scale;
                    match count::instructions(case, from) {
                        Ok(counts) => {
                            let exponent = exponent(&counts);
                            let fit = Fit { name: case.name, from, counts, exponent };
                            fits.lock().unwrap().push((at, fit));
                        }
                        Err(why) => println!("FAIL {}: {why}", case.name),
                    }
                }
            });
        }
    });
    let mut fits = fits.into_inner().unwrap();
    fits.sort_by_key(|(at, _)| *at);
    fits.into_iter().map(|(_, fit)| fit).collect()
}

/// The exponent of growth of counts, each for twice the size of the one before.
///
/// It is fitted to the differences, since a constant part would hide it. If the last size takes hardly more than the
/// first one, the exponent is 0.
fn exponent(counts: &[u64]) -> f64 {
    const FLAT: u64 = 2;
    let [first, _, third, last] = counts[..] else { return f64::INFINITY };
    let second = counts[1];
    if last < first * FLAT {
        return 0.0;
    }
    let (before, after) = (third.saturating_sub(second).max(1), last.saturating_sub(third).max(1));
    (after as f64 / before as f64).log2()
}
