//! What ghost text without a model is worth while foreign code is typed, beside three baselines.
//!
//! `cargo bench --bench typing -- [--files N] [--lists FIT TEST] [--fit | --waits] [DIR...]`. Without lists,
//! N files of each language (24) are chosen from installed crates, Python's library and the folders given. A
//! list has a file a line: language, path and the folder that its neighbors are in, with tabs between. Forty
//! lines are typed at two places of each file; a suggestion that is wholly right is accepted, for which one
//! key is charged, and every other one is typed past.
//!
//! With `--waits` the keys are replayed against the rule that decides when a model is asked, beside the rule
//! before. With `--fit` the constants of the predictor are fitted on the files (with `--lists` on those of
//! FIT) and printed.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

mod baselines;
mod calibrate;
mod corpus;
mod engine;
mod escapes;
mod figures;
mod size;
mod typist;
mod waits;

use tandem::local::predict::Level;

use baselines::{OnlyWord, SuffixCopy, TokenContexts};
use corpus::Sample;
use engine::{Engine, Local, Rules};
use figures::Figures;
use typist::Asks;

fn main() {
    // Cargo adds an argument of its own.
    let mut args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let mut takes = |flag: &str| args.iter().position(|it| it == flag).map(|at| args.remove(at)).is_some();
    let (fit, waits) = (takes("--fit"), takes("--waits"));
    let lists = args.iter().position(|it| it == "--lists").map(|at| {
        let lists: Vec<String> = args.drain(at..at + 3).skip(1).collect();
        lists[usize::from(!fit)].clone()
    });
    let files = args.iter().position(|it| it == "--files").map(|at| {
        let files: Vec<String> = args.drain(at..at + 2).collect();
        files[1].parse().unwrap()
    });
    let samples = match lists {
        Some(list) => corpus::listed(&list),
        None => corpus::installed(&args, files.unwrap_or(corpus::FILES)),
    };
    if fit {
        escapes::fit(&samples);
        calibrate::fit(&samples);
    } else if waits {
        waits::measure(&samples);
    } else {
        measure(&samples);
        size::measure(&samples);
    }
}

/// Types the samples with each engine.
fn measure(samples: &[Sample]) {
    println!(
        "{} places. Net: keys saved, less one for each acceptance; first: the first token is right.",
        samples.len()
    );
    for asks in [Asks::Words, Asks::Keys] {
        println!("\n{asks:<26} {}", Figures::HEAD);
        for (name, level) in LEVELS {
            row(&format!("predictor, {name}"), samples, asks, &|| Box::new(Local::new(level)));
        }
        row("medium, then rules", samples, asks, &|| Box::new(Rules::after(Some(Local::new(Level::MEDIUM)))));
        row("rules alone", samples, asks, &|| Box::new(Rules::after(None)));
        row("baseline: suffix copy", samples, asks, &|| Box::new(SuffixCopy::default()));
        row("baseline: only word", samples, asks, &|| Box::new(OnlyWord::default()));
        row("baseline: 6 tokens", samples, asks, &|| Box::new(TokenContexts::default()));
    }
}

const LEVELS: [(&str, Level); 3] = [("low", Level::LOW), ("medium", Level::MEDIUM), ("high", Level::HIGH)];

/// Types the samples with one engine, made anew for each.
fn row(name: &str, samples: &[Sample], asks: Asks, engine: &dyn Fn() -> Box<dyn Engine>) {
    let mut figures = Figures::default();
    for sample in samples {
        let mut engine = engine();
        engine.learn(sample);
        typist::type_through(sample, asks, &mut *engine, figures.of(&sample.language));
    }
    println!("{name:<26} {figures}");
}
