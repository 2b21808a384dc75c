//! The value of ghost text without a model while unseen code is typed, compared with three baselines.
//!
//! ```text |cargo bench --bench typing -- [--quick | --files N] [--half check|fit] [--waits | --fit | --server [EAGERNESS]] [FOLDER…] |```
//!
//! N files of each language are chosen from installed crates, the libraries of Python, Go and Ruby, npm packages, and
//! the folders given; a folder `node_modules` or `site-packages` holds packages. Nothing is downloaded: missing
//! sources are reported. Packages are divided by their names: the constants of the predictor are fitted on one half
//! (`--fit` prints them), and everything is measured on the other.
//!
//! Forty lines are typed at two positions of each file. A suggestion that is wholly right is accepted, which costs
//! one key; any other is ignored. With `--waits` the keys are replayed against the rule that decides when a model is
//! asked, compared with the former rule. With `--server` the program itself is asked, as an editor asks it, and with
//! `--show N` some wrong suggestions are printed.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod baselines;
mod calibrate;
mod corpus;
mod engine;
mod escapes;
mod figures;
mod kinds;
mod packages;
mod server;
mod size;
mod typist;
mod waits;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use tandem::local::predict::Level;

use baselines::{OnlyWord, SuffixCopy, TokenContexts};
use corpus::{Half, Sample};
use engine::{Engine, Local, Rules};
use figures::{Figures, Tally};
use kinds::Kinds;
use server::{Eagerness, Server};
use typist::Asks;

/// Files of each language in a short run.
const QUICK_FILES: usize = 4;

/// What ghost text without a model is worth while foreign code is typed.
#[derive(Parser)]
struct Arguments {
    /// Files of each language.
    #[arg(long, value_name = "N", default_value_t = 16)]
    files: usize,
    /// A minute: four files of each language.
    #[arg(long, conflicts_with = "files")]
    quick: bool,
    /// Which half of the packages; for --fit it is that to fit on.
    #[arg(long)]
    half: Option<Half>,
    /// When a model is asked, instead of what the predictor saves.
    #[arg(long)]
    waits: bool,
    /// Fit the constants of the predictor and print them.
    #[arg(long, conflicts_with = "waits")]
    fit: bool,
    /// Ask the program itself, running as a language server.
    #[arg(long, value_name = "EAGERNESS", num_args = 0..=1, default_missing_value = "medium", conflicts_with_all = ["waits", "fit"])]
    server: Option<Eagerness>,
    /// The program that is asked, instead of the one built with this.
    #[arg(long, value_name = "PATH", default_value = env!("CARGO_BIN_EXE_tandem"))]
    program: PathBuf,
    /// Print the outcomes by the kind of place, and about so many wrong suggestions with what was typed instead.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
    /// Without the neighbors of a file.
    #[arg(long)]
    alone: bool,
    /// Only these languages, with commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Packages, or folders of packages, beside those that are installed.
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// An argument that Cargo adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let files = if arguments.quick { QUICK_FILES } else { arguments.files };
    let half = arguments.half.unwrap_or(if arguments.fit { Half::Fit } else { Half::Check });
    let (mut samples, remarks) = corpus::samples(&arguments.folders, files, half);
    remarks.iter().for_each(|remark| println!("{remark}"));
    samples.retain(|it| arguments.only.is_empty() || arguments.only.contains(&it.language));
    if arguments.alone {
        samples.iter_mut().for_each(|it| it.neighbors = std::rc::Rc::new([]));
    }
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    samples.iter().for_each(|sample| *places.entry(&sample.language).or_default() += 1);
    let places: Vec<String> = places.iter().map(|(language, count)| format!("{language} {count}")).collect();
    if samples.is_empty() {
        println!("There is nothing to type: name folders with source code.");
        return ExitCode::FAILURE;
    }
    println!("{} places: {}.", samples.len(), places.join(", "));
    if arguments.fit {
        escapes::fit(&samples);
        calibrate::fit(&samples);
    } else if let Some(eagerness) = arguments.server {
        if let Err(error) = serve(&samples, (&arguments.program, eagerness), arguments.show) {
            println!("The program cannot be asked: {error}.");
            return ExitCode::FAILURE;
        }
    } else if arguments.waits {
        waits::measure(&samples);
    } else {
        measure(&samples);
        experts(&samples);
        size::measure(&samples);
    }
    println!("\n{:.0} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Types the samples with each engine.
fn measure(samples: &[Sample]) {
    println!("Net: keys saved, less one for each acceptance; first: the first token is right.");
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

/// Types the samples with the program as a server.
fn serve(samples: &[Sample], (program, eagerness): (&Path, Eagerness), show: usize) -> std::io::Result<()> {
    for asks in [Asks::Words, Asks::Keys] {
        println!("\n{asks:<26} {}", Figures::HEAD);
        let mut figures = Figures::default();
        let (mut kinds, mut keys) = (Kinds::default(), 0);
        let mut server = Server::start(program, eagerness)?;
        for sample in samples {
            server.learn(sample);
            let tally = figures.of(&sample.language);
            tally.keys += sample.typed.chars().count();
            keys += sample.typed.chars().count();
            typist::go_through(sample, asks, |before, rest| {
                let started = Instant::now();
                let suggestion = server.suggest(before);
                tally.times.push(started.elapsed());
                let Some(text) = suggestion else { return 0 };
                kinds.shown(&sample.language, before, &text, rest);
                tally.shown(&text, rest)
            });
        }
        println!("{:<26} {figures}", format!("server, {eagerness:?}"));
        if show > 0 {
            kinds.print(keys, show);
        }
    }
    Ok(())
}

const LEVELS: [(&str, Level); 3] = [("low", Level::LOW), ("medium", Level::MEDIUM), ("high", Level::HIGH)];

/// Types the samples with one engine, created again for each.
fn row(name: &str, samples: &[Sample], asks: Asks, engine: &dyn Fn() -> Box<dyn Engine>) {
    let mut figures = Figures::default();
    for sample in samples {
        let mut engine = engine();
        engine.learn(sample);
        typist::type_through(sample, asks, &mut *engine, figures.of(&sample.language));
    }
    println!("{name:<26} {figures}");
}

/// Types the samples, with suggestions at each key, and prints which kind of context predicted the first token.
fn experts(samples: &[Sample]) {
    println!("\nmedium, asked at each key, by what told the first token");
    println!("{:<26}   net %   shown  exact %", "");
    let (mut keys, mut tallies) = (0, BTreeMap::<_, Tally>::new());
    for sample in samples {
        let mut engine = Local::new(Level::MEDIUM);
        engine.learn(sample);
        keys += sample.typed.chars().count();
        typist::go_through(sample, Asks::Keys, |before, rest| {
            let Some(text) = engine.suggest(before) else { return 0 };
            let expert = engine.dominant_context(before, &text);
            tallies.entry(expert).or_default().shown(&text, rest)
        });
    }
    for (expert, tally) in tallies {
        let name = match expert {
            Some((expert, false)) => format!("{expert:?}, of the file"),
            Some((expert, true)) => format!("{expert:?}, of its neighbors"),
            None => "other".to_owned(),
        };
        println!("{name:<26} {}", tally.row(keys));
    }
}
