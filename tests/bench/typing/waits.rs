//! The delay after each key before the server asks a model: the current rule compared with the former one.
//!
//! A replay of keys against the function that decides, without a clock: the samples are typed at several paces, with
//! stops after words.

use std::time::{Duration, Instant};

use tandem::local::predict::Level;
use tandem::session::ghost::pause::{self, Pace};
use tandem::session::ghost::{TypingRate, trigger::Column};

use crate::corpus::Sample;
use crate::engine::{id, learned, tail};

/// Median gaps between keys, in milliseconds.
const PACES: [u64; 4] = [60, 120, 200, 300];
/// Latencies of models, in milliseconds.
const LATENCIES: [u64; 2] = [150, 400];
/// The spread of the gaps, which are log-normal like a person's.
const SPREAD: f64 = 0.3;
/// One in this many words is followed by a stop.
const WORDS_PER_STOP: u64 = 4;
/// Durations of stops, in milliseconds.
const STOPS: [u64; 3] = [500, 800, 1_500];
/// Replayed samples, evenly chosen.
const SAMPLES: usize = 60;

/// A key, as far as the rules depend on it.
struct Key {
    column: Column,
    is_pause_likely: bool,
    /// Whether a word ends here, after which the user may stop.
    ends_word: bool,
}

/// Replays the samples and prints the distributions.
pub(crate) fn measure(samples: &[Sample]) {
    let step = samples.len().div_ceil(SAMPLES).max(1);
    let keys: Vec<Key> = samples.iter().step_by(step).flat_map(keys).collect();
    println!("{} keys. Waits in ms: after each key, and at stops. Calls: of a hundred keys.", keys.len());
    println!("In time: stops of 500 ms in which an answer came.\n");
    println!("rule      model ms  key ms |  p50  p95 | stops p50  p95 |  calls  in time");
    for latency in LATENCIES {
        let mut all: [Vec<Waits>; 3] = Default::default();
        for pace in PACES {
            for (rules, name) in all.iter_mut().zip(RULES) {
                let waits = replay(&keys, pace, latency, name);
                println!("{name:<9} {latency:>8} {pace:>7} | {waits}");
                rules.push(waits);
            }
        }
        for (rules, name) in all.into_iter().zip(RULES) {
            println!("{name:<9} {latency:>8} {:>7} | {}", "all", rules.into_iter().sum::<Waits>());
        }
    }
    println!(
        "\nA stop behind each word that lasts until the answer is read: waits at the 1st, 10th and 100th stop, ms"
    );
    for name in ["former", "now"] {
        let stops = wait_for_answers(&keys, name);
        println!("{name:<9} {:>5} {:>5} {:>5}", stops[0], stops[9], stops[99]);
    }
}

/// The keys of a sample.
fn keys(sample: &Sample) -> Vec<Key> {
    let mut predictor = learned(sample);
    let mut before = sample.above.clone();
    let mut keys = Vec::new();
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut letters = sample.typed.chars().peekable();
    while let Some(letter) = letters.next() {
        before.push(letter);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let word = line.len() - line.trim_end_matches(is_word).len();
        let is_whole = word > 0 && predictor.has_learned(&line[line.len() - word..]);
        let is_unclear = is_whole && predictor.predict(&id(), tail(&before), "", Level::MEDIUM).is_none();
        keys.push(Key {
            column: Column::of(line, ""),
            is_pause_likely: pause::is_likely(line) || is_unclear,
            ends_word: word > 0 && letters.peek().is_none_or(|next| !is_word(*next)),
        });
    }
    keys
}

/// The state of a rule.
enum Rule {
    Former(FormerRate),
    /// `is_used`: suggestions are sometimes accepted.
    Now {
        rate: TypingRate,
        is_used: bool,
    },
}

/// The former rule; the current rule, and the same for a user who never accepts anything.
const RULES: [&str; 3] = ["former", "now", "unused"];

impl Rule {
    fn new(name: &str) -> Self {
        match name {
            "former" => Self::Former(FormerRate::default()),
            name => Self::Now { rate: TypingRate::default(), is_used: name == "now" },
        }
    }

    /// The delay after a key that was typed at `now`.
    ///
    /// `calls`: requests made so far.
    fn wait(
        &mut self,
        key: &Key,
        now: Instant,
        latency: Duration,
        is_call_running: bool,
        calls: usize,
    ) -> Duration {
        match self {
            Self::Former(rate) => {
                rate.record_key(now);
                rate.wait(key.column, latency)
            }
            Self::Now { rate, is_used } => {
                rate.record_key(now);
                let pace = Pace {
                    key_gap: rate.median_gap(),
                    latency: Some(latency),
                    is_pause_likely: key.is_pause_likely,
                    is_call_running,
                    unused_calls: if *is_used { 0 } else { calls as u32 },
                    factor: 1.0,
                };
                pace.wait()
            }
        }
    }
}

/// The figures of a replay.
#[derive(Default)]
struct Waits {
    /// In milliseconds.
    keys: Vec<u64>,
    stops: Vec<u64>,
    calls: usize,
    short_stops: usize,
    in_time: usize,
}

impl std::iter::Sum for Waits {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, it| {
            sum.keys.extend(it.keys);
            sum.stops.extend(it.stops);
            sum.calls += it.calls;
            sum.short_stops += it.short_stops;
            sum.in_time += it.in_time;
            sum
        })
    }
}

impl std::fmt::Display for Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percentile = |waits: &[u64], percent: usize| {
            let mut waits = waits.to_vec();
            waits.sort_unstable();
            waits.get(waits.len() * percent / 100).copied().unwrap_or_default()
        };
        write!(
            f,
            "{:>4} {:>4} | {:>9} {:>4} | {:>6.1} {:>4} of {}",
            percentile(&self.keys, 50),
            percentile(&self.keys, 95),
            percentile(&self.stops, 50),
            percentile(&self.stops, 95),
            100.0 * self.calls as f64 / self.keys.len().max(1) as f64,
            self.in_time,
            self.short_stops,
        )
    }
}

/// Types the keys at a pace, with stops whose length is independent of the suggestions.
fn replay(keys: &[Key], pace: u64, latency: u64, name: &str) -> Waits {
    let mut rule = Rule::new(name);
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut waits = Waits::default();
    let latency = Duration::from_millis(latency);
    let mut now = Instant::now();
    let mut call_ends = now;
    for key in keys {
        let wait = rule.wait(key, now, latency, now < call_ends, waits.calls);
        waits.keys.push(millis(wait));
        let stop = (key.ends_word && dice.next().is_multiple_of(WORDS_PER_STOP))
            .then(|| STOPS[(dice.next() % STOPS.len() as u64) as usize]);
        let gap = stop.map_or_else(|| dice.gap(pace), Duration::from_millis);
        if let Some(stop) = stop {
            waits.stops.push(millis(wait));
            if stop == STOPS[0] {
                waits.short_stops += 1;
                waits.in_time += usize::from(wait + latency <= gap);
            }
        }
        if wait < gap {
            waits.calls += 1;
            call_ends = now + wait + latency;
        }
        now += gap;
    }
    waits
}

/// Types at 100 ms a key and stops after each word until the answer of a model is read. Returns the delays at stops.
fn wait_for_answers(keys: &[Key], name: &str) -> Vec<u64> {
    let latency = Duration::from_millis(LATENCIES[0]);
    let reading = Duration::from_millis(300);
    let mut rule = Rule::new(name);
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut now = Instant::now();
    let mut stops = Vec::new();
    for key in keys {
        let wait = rule.wait(key, now, latency, false, 0);
        now += if key.ends_word { wait + latency + reading } else { dice.gap(100) };
        if key.ends_word {
            stops.push(millis(wait));
        }
    }
    stops
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

/// Random numbers that are the same on each run (xorshift).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A gap between keys: log-normal around a median in milliseconds.
    fn gap(&mut self, median: u64) -> Duration {
        let mut uniform = || (self.next() >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON;
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        Duration::from_secs_f64(median as f64 / 1e3 * (SPREAD * normal).exp())
    }
}

/// The former rule: a moving average of all gaps below a second, and of their deviation from it.
#[derive(Default)]
struct FormerRate {
    last: Option<Instant>,
    interval: Option<(Duration, Duration)>,
}

impl FormerRate {
    fn record_key(&mut self, now: Instant) {
        let gap = self.last.replace(now).map(|last| now - last).filter(|gap| gap.as_millis() < 1_000);
        let mix = |old: Duration, new: Duration| old.mul_f64(0.75) + new.mul_f64(0.25);
        self.interval = match (self.interval, gap) {
            (Some((mean, deviation)), Some(gap)) => {
                Some((mix(mean, gap), mix(deviation, mean.abs_diff(gap))))
            }
            (None, Some(gap)) => Some((gap, gap / 4)),
            (interval, None) => interval,
        };
    }

    fn wait(&self, column: Column, latency: Duration) -> Duration {
        let default = (Duration::from_millis(120), Duration::from_millis(30));
        let (mean, deviation) = self.interval.unwrap_or(default);
        let mean = mean.clamp(Duration::from_millis(30), Duration::from_millis(400));
        let overdue = (mean + deviation.min(mean) * 3).max(mean.mul_f64(1.5));
        let by_column = if column == Column::LineEnd { 1.5 } else { 2.0 };
        mean.mul_f64(by_column).saturating_sub(latency).max(overdue).min(Duration::from_millis(1_500))
    }
}
