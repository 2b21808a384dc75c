//! The figures of an idle server: memory, and the time to start.

use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::driver::PATIENCE;
use crate::process::memory;
use crate::rig::{Rig, Setup, Subject, milliseconds};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};

const MEGABYTE: f64 = 1024.0 * 1024.0;

/// Memory two seconds after the last of some files was opened and completed in once.
pub(crate) fn resident_memory(setup: &Setup) -> Result<Vec<Row>> {
    const IDLE: Duration = Duration::from_secs(2);
    let mut rows = Vec::new();
    for (files, lines, name) in
        [(0, 0, "no file"), (50, 1_000, "50 files of 1k lines"), (1, 100_000, "one file of 100k lines")]
    {
        let [mut resident, mut private, mut proportional] = <[[Samples; 2]; 3]>::default();
        for _ in 0..setup.rounds(3) {
            for (column, subject) in Subject::BOTH.into_iter().enumerate() {
                let mut rig = Rig::start(subject, setup)?;
                for file in 0..files {
                    let mut typist = rig.open(Source::rust(lines, file))?;
                    rig.complete(&mut typist)?;
                }
                thread::sleep(IDLE);
                let memory = memory(rig.driver.process())?;
                resident[column].push(memory.resident as f64 / MEGABYTE);
                private[column].push(memory.private as f64 / MEGABYTE);
                proportional[column].push(memory.proportional as f64 / MEGABYTE);
            }
        }
        rows.push(row(format!("resident memory, {name}"), Unit::Megabytes, resident));
        rows.push(row(format!("private memory, {name}"), Unit::Megabytes, private));
        rows.push(row(format!("proportional memory, {name}"), Unit::Megabytes, proportional).into_detail());
    }
    Ok(rows)
}

/// Memory after hours of typing: four stages of as many keys and completions, measured after each.
pub(crate) fn growth(setup: &Setup) -> Result<Vec<Row>> {
    const STAGES: usize = 4;
    const KEYS: usize = 5_000;
    const COMPLETIONS: usize = 500;
    /// Completions before the typed text is deleted again.
    const A_PASS: usize = 50;
    let mut rigs = Rig::start_both(setup, || Source::rust(10_000, 1))?;
    let (keys, completions) = (setup.rounds(KEYS), setup.rounds(COMPLETIONS));
    let mut rows = Vec::new();
    for stage in 1..=STAGES {
        let [mut resident, mut private] = <[[Samples; 2]; 2]>::default();
        for (column, (rig, typist)) in rigs.iter_mut().enumerate() {
            for completion in 0..completions {
                if completion % A_PASS == 0 {
                    rig.begin_pass(typist)?;
                }
                for _ in 0..(keys * (completion + 1) / completions - keys * completion / completions) {
                    let key = typist.next_key();
                    rig.change(key)?;
                }
                rig.complete(typist)?;
            }
            rig.cpu.settle()?;
            let memory = memory(rig.driver.process())?;
            resident[column].push(memory.resident as f64 / MEGABYTE);
            private[column].push(memory.private as f64 / MEGABYTE);
        }
        let after = format!("after {} keys and {} completions", stage * keys, stage * completions);
        rows.push(row(format!("resident memory, {after}"), Unit::Megabytes, resident));
        rows.push(row(format!("private memory, {after}"), Unit::Megabytes, private));
    }
    Ok(rows)
}

/// The time from process start to the answer to `initialize`, and to the model's socket.
pub(crate) fn start_up(setup: &Setup) -> Result<Vec<Row>> {
    let [mut initialized, mut connected] = <[[Samples; 2]; 2]>::default();
    let runs = setup.rounds(20);
    for run in 0..=runs {
        for (column, subject) in Subject::BOTH.into_iter().enumerate() {
            let rig = Rig::start(subject, setup)?;
            // The first run loads the binaries into memory.
            if run > 0 {
                let spawned = rig.driver.spawned();
                initialized[column].push(milliseconds(spawned, rig.initialized));
                connected[column].push(milliseconds(spawned, rig.mock.wait_for_connection(PATIENCE)?));
            }
        }
    }
    Ok(vec![
        row("spawn → initialized".to_owned(), Unit::Milliseconds, initialized),
        row("spawn → connected to the model".to_owned(), Unit::Milliseconds, connected).into_detail(),
    ])
}

fn row(figure: String, unit: Unit, [floor, tandem]: [Samples; 2]) -> Row {
    Row { figure, unit, show: Show::Worst, detail: false, floor: Some(floor), tandem }
}
