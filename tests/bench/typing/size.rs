//! Memory, and latency in a large file.

use std::time::Instant;

use tandem::document::DocumentId;
use tandem::local::predict::{Level, Predictor};

use crate::corpus::Sample;
use crate::engine::{id, tail};
use crate::figures::percentiles;
use crate::typist::{Asks, go_through};

const LARGE_LINES: usize = 20_000;
const OPEN_FILES: usize = 50;

/// Prints the predictor's memory and latency.
pub(crate) fn measure(samples: &[Sample]) {
    let Some(first) = samples.first() else { return };
    let same: Vec<&Sample> = samples.iter().filter(|it| it.language == first.language).collect();
    let text: String = same.iter().map(|it| [&*it.above, &it.typed, &it.below].concat()).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    println!();
    for count in [1_000, LARGE_LINES] {
        let text: String = lines.iter().cycle().take(count).copied().collect();
        let mut predictor = Predictor::default();
        let started = Instant::now();
        predictor.learn(&id(), "", &text, "");
        let (learned, bytes) = (started.elapsed(), predictor.bytes());
        let mut times = Vec::new();
        for sample in &same {
            let above = [&text, &*sample.above].concat();
            let sample = Sample {
                language: String::new(),
                above,
                typed: sample.typed.clone(),
                below: String::new(),
                neighbors: [].into(),
            };
            go_through(&sample, Asks::Keys, |before, _| {
                let started = Instant::now();
                predictor.predict(&id(), tail(before), "", Level::MEDIUM);
                times.push(started.elapsed());
                0
            });
        }
        let [median, last] = percentiles(&mut times);
        println!(
            "{count:>6} lines: {:.0} kB for 1,000 lines, learned in {:.1} ms; a query p50 {median:.0} µs, p99 {last:.0} µs",
            bytes as f64 / count as f64,
            learned.as_secs_f64() * 1e3,
        );
    }
    let mut predictor = Predictor::default();
    let known = |predictor: &Predictor| (0..OPEN_FILES).filter(|it| predictor.knows(&file(*it))).count();
    for number in 0..OPEN_FILES {
        let text: String = lines.iter().cycle().skip(number * 1_000).take(1_000).copied().collect();
        predictor.learn(&file(number), "", &text, "");
    }
    println!(
        "{OPEN_FILES} files of 1,000 lines: {:.1} MB for the {} that are kept",
        predictor.bytes() as f64 / 1e6,
        known(&predictor),
    );
}

fn file(number: usize) -> DocumentId {
    DocumentId::new(&format!("file {number}"))
}
