//! The cost of the wire to the model besides the answers: connections, and the first completion of a session.

use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::rig::{Rig, Setup, Subject, Wire};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};

const WIRES: [(Wire, &str); 3] = [
    (Wire::Socket, "over a socket"),
    (Wire::PlainSocket, "over a socket without metadata"),
    (Wire::Chat, "over HTTP"),
];
/// The time between the start of a session and its first completion.
const AT_REST: Duration = Duration::from_secs(1);
const COMPLETIONS: usize = 100;

/// The first completion of each session, and the number of connections that a hundred more open.
///
/// The floor keeps its one connection.
pub(crate) fn wires(setup: &Setup) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (wire, name) in WIRES {
        let setup = &Setup { wire, ..setup.clone() };
        let [mut first, mut connections] = <[Samples; 2]>::default();
        for _ in 0..setup.rounds(10) {
            let mut rig = Rig::start(Subject::Tandem, setup)?;
            let mut typist = rig.open(Source::rust(1_000, 1))?;
            thread::sleep(AT_REST);
            first.push(rig.complete(&mut typist)?.overhead());
            let before = rig.mock.connections();
            for pause in (0..3).cycle().take(COMPLETIONS) {
                thread::sleep(Duration::from_millis(pause * 4));
                rig.complete(&mut typist)?;
            }
            connections.push((rig.mock.connections() - before) as f64);
        }
        let row = |figure: &str, unit, tandem| Row {
            figure: format!("{figure} {name}"),
            unit,
            show: Show::Worst,
            detail: false,
            floor: None,
            tandem,
        };
        rows.push(row("first completion, 1 s after the start,", Unit::Milliseconds, first));
        rows.push(row("connections made by 100 completions", Unit::Count, connections));
    }
    Ok(rows)
}
