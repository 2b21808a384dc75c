//! The cost of typing: of a completion, a key, and a thousand keys at once.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::driver::notification;
use crate::rig::{Completion, Rig, Setup, Subject, Wire, milliseconds};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};
use crate::typist::Typist;

/// Lines of the files, and their labels in the table.
const SIZES: [(usize, &str); 3] = [(1_000, "1k"), (10_000, "10k"), (100_000, "100k")];

/// The label of automatic requests, sent when no further key is expected.
const UNASKED: &str = "unasked, 0.7 s after a key";

/// The two columns of a row.
#[derive(Default)]
struct Columns {
    floor: Samples,
    tandem: Samples,
}

impl Columns {
    fn of(&mut self, subject: Subject) -> &mut Samples {
        match subject {
            Subject::Floor => &mut self.floor,
            Subject::Tandem => &mut self.tandem,
        }
    }

    fn row(self, figure: String, unit: Unit, show: Show) -> Row {
        Row { figure, unit, show, detail: false, floor: Some(self.floor), tandem: self.tandem }
    }
}

/// A place for completions: a source, its lines, its label in the table, and the wire to the model.
struct Place(fn(usize, u64) -> Source, usize, &'static str, Wire);

const PLACES: [Place; 8] = [
    Place(Source::rust, 100, "100 lines", Wire::Socket),
    Place(Source::rust, 1_000, "1k lines", Wire::Socket),
    Place(Source::rust, 10_000, "10k lines", Wire::Socket),
    Place(Source::rust, 100_000, "100k lines", Wire::Socket),
    Place(Source::python, 10_000, "10k lines of Python", Wire::Socket),
    Place(Source::typescript, 10_000, "10k lines of TypeScript", Wire::Socket),
    Place(Source::rust, 1_000, "1k lines over HTTP", Wire::Chat),
    Place(Source::rust, 10_000, "10k lines over HTTP", Wire::Chat),
];

/// The overhead of a completion beyond the model's own time, each after its own key: with the pauses of a fast
/// typist, and back to back, when the parse of one key coincides with the request of the next.
pub(crate) fn completions(setup: &Setup) -> Result<Vec<Row>> {
    const WARM_UP: u32 = 20;
    const PER_ROUND: u32 = 100;
    let mut rows = Vec::new();
    for Place(source, lines, place, wire) in PLACES {
        let setup = &Setup { wire, ..setup.clone() };
        let mut rigs = Rig::start_both(setup, || source(lines, 1))?;
        for (pause, pace) in [(30, "a key every 30 ms"), (0, "back to back"), (700, UNASKED)] {
            let (mut overhead, mut way_in, mut way_out) = <(Columns, Columns, Columns)>::default();
            let (mut cpu, mut frame) = <(Columns, Columns)>::default();
            let unasked = pace == UNASKED;
            // Each of these waits longer than it works.
            let (warm_up, per_round) = if unasked { (2, PER_ROUND / 4) } else { (WARM_UP, PER_ROUND) };
            for _ in 0..setup.rounds(4) {
                for (rig, typist) in &mut rigs {
                    rig.begin_pass(typist)?;
                    let pause = Duration::from_millis(pause);
                    complete_repeatedly(rig, typist, warm_up, pause, unasked)?;
                    let before = rig.cpu.settle()?;
                    let pass = complete_repeatedly(rig, typist, per_round, pause, unasked)?;
                    let used = rig.cpu.settle()?.saturating_sub(before);
                    let subject = rig.subject();
                    cpu.of(subject).push(per_thousand(used, per_round));
                    for completion in &pass {
                        overhead.of(subject).push(completion.overhead());
                        way_in.of(subject).push(completion.way_in());
                        way_out.of(subject).push(completion.way_out());
                        frame.of(subject).push(completion.exchange.frame_bytes() as f64);
                    }
                }
                rigs.reverse();
            }
            let ms = Unit::Milliseconds;
            let name = |what: &str| format!("{what}, {place}, {pace}");
            rows.push(overhead.row(name("completion over the model's time"), ms, Show::Percentiles));
            rows.push(way_in.row(name("request → frame"), ms, Show::Percentiles).into_detail());
            rows.push(way_out.row(name("last event → answer"), ms, Show::Percentiles).into_detail());
            rows.push(cpu.row(name("CPU per 1,000 completions"), ms, Show::Worst).into_detail());
            rows.push(frame.row(name("frame sent up"), Unit::Bytes, Show::Worst).into_detail());
        }
    }
    Ok(rows)
}

/// The pauses between a person's keys, in ms: a longer one after each tenth.
const PERSON: [u64; 10] = [80, 110, 90, 140, 100, 120, 95, 160, 105, 900];

/// A pause in which the server processes the typed text in the background.
const LONG_PAUSE: Duration = Duration::from_secs(3);

/// Processor time of 1,000 changes, up to the end of the work that they cause while the user types; and, for a
/// person, of the work that one long pause after them causes. The slow paces, at which each key may look like the
/// last one for a while, are measured on fewer.
pub(crate) fn changes(setup: &Setup) -> Result<Vec<Row>> {
    const PACES: [(&[u64], u32, &str, usize); 4] = [
        (&PERSON, 100, "at a person's pace", 1),
        (&[200], 50, "one every 200 ms", 1),
        (&[5], 1_000, "one every 5 ms", 3),
        (&[0], 1_000, "at once", 5),
    ];
    let mut rows = Vec::new();
    for (lines, size) in SIZES {
        let mut rigs = Rig::start_both(setup, || Source::rust(lines, 1))?;
        for (pauses, keys, pace, rounds) in PACES {
            let (mut cpu, mut pause_cpu) = <(Columns, Columns)>::default();
            for _ in 0..setup.rounds(rounds) {
                for (rig, typist) in &mut rigs {
                    rig.begin_pass(typist)?;
                    let before = rig.cpu.settle()?;
                    let mut due = Instant::now();
                    for pause in pauses.iter().cycle().take(usize::try_from(keys)?) {
                        sleep_until(due);
                        due += Duration::from_millis(*pause);
                        let change = typist.next_key();
                        rig.change(change)?;
                    }
                    let typed = rig.cpu.settle()?;
                    cpu.of(rig.subject()).push(per_thousand(typed.saturating_sub(before), keys));
                    if *pauses == PERSON {
                        thread::sleep(LONG_PAUSE);
                        let used = rig.cpu.settle()?.saturating_sub(typed);
                        pause_cpu.of(rig.subject()).push(used.as_secs_f64() * 1e3);
                    }
                    // Checks that no key was lost.
                    rig.complete(typist)?;
                }
                rigs.reverse();
            }
            let figure = format!("CPU per 1,000 keys, {size} lines, {pace}");
            rows.push(cpu.row(figure, Unit::Milliseconds, Show::Worst));
            if *pauses == PERSON {
                let figure = format!("CPU of a long pause after typing, {size} lines");
                rows.push(pause_cpu.row(figure, Unit::Milliseconds, Show::Worst));
            }
        }
    }
    Ok(rows)
}

/// A thousand keys as fast as the pipe accepts them, each as its own write as in editors, followed by a completion:
/// the time from the first key to the text, including the model's own, which is close to zero.
pub(crate) fn burst(setup: &Setup) -> Result<Vec<Row>> {
    const KEYS: usize = 1_000;
    let mut rows = Vec::new();
    for (lines, size) in SIZES {
        let mut rigs = Rig::start_both(setup, || Source::rust(lines, 1))?;
        let mut time = Columns::default();
        for _ in 0..setup.rounds(20) {
            for (rig, typist) in &mut rigs {
                rig.begin_pass(typist)?;
                let keys: Vec<_> = std::iter::repeat_with(|| typist.next_key())
                    .take(KEYS)
                    .map(|change| notification("textDocument/didChange", change))
                    .collect();
                let method = "textDocument/inlineCompletion";
                let (id, request) = rig.driver.prepare_request(method, typist.completion());
                let first_key = Instant::now();
                for message in keys.iter().chain([&request]) {
                    rig.driver.write(message)?;
                }
                let completion = rig.finish(id, first_key, typist)?;
                time.of(rig.subject()).push(milliseconds(completion.written, completion.read));
            }
            rigs.reverse();
        }
        let figure = format!("1,000 keys at once, then a completion, {size} lines");
        rows.push(time.row(figure, Unit::Milliseconds, Show::Worst));
    }
    Ok(rows)
}

fn complete_repeatedly(
    rig: &mut Rig,
    typist: &mut Typist,
    count: u32,
    pause: Duration,
    unasked: bool,
) -> Result<Vec<Completion>> {
    let start = Instant::now();
    let one = |index| {
        if unasked {
            return rig.complete_unasked(typist, pause);
        }
        sleep_until(start + pause * index);
        rig.complete(typist)
    };
    (0..count).map(one).collect()
}

/// Processor time in ms per 1,000 items, where `count` items took `used`.
fn per_thousand(used: Duration, count: u32) -> f64 {
    used.as_secs_f64() * 1e6 / f64::from(count)
}

/// Sleeps until `moment`, which may have passed.
pub(crate) fn sleep_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()));
}
