//! The cost of fixing on save: the request for `source.fixAll.tandem` in a file of 10,000 lines with 200 diagnostics,
//! when no fix, or every fix, is prepared, and right after a key; and the list of quick fixes there.
//!
//! `cargo bench --bench save`. Server and editor share one thread and a pipe, so the figures exclude scheduling.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

#[path = "counts/broken.rs"]
mod broken;

use std::time::{Duration, Instant};

use broken::BrokenFile;
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;

const LINES: usize = 10_000;
const DIAGNOSTICS: usize = 200;
const ROUNDS: usize = 60;

/// An action of the editor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Save,
    /// Sends the diagnostics along, as VS Code does.
    SaveWithDiagnostics,
    List,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (from_us, to_us) = tokio::io::split(theirs);
    tokio::spawn(lsp::serve(from_us, to_us, Start::default()));
    let (from_server, to_server) = tokio::io::split(ours);
    let client = LspClient::new(from_server, to_server);
    let mut file = BrokenFile::open(client, LINES, DIAGNOSTICS).await;
    println!("{LINES} lines, {DIAGNOSTICS} diagnostics");
    let started = Instant::now();
    let made = file.save(false).await;
    println!("nothing prepared: {:.2} ms for {made} fixes", started.elapsed().as_secs_f64() * 1e3);
    // Once a save need not make any fix itself, it finds all of them.
    while file.save(false).await < DIAGNOSTICS {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    // Every tenth function has a diagnostic.
    for (name, act, function, pause) in [
        ("all prepared", Act::Save, None, 0),
        ("all prepared, diagnostics sent along", Act::SaveWithDiagnostics, None, 0),
        ("right after a key in a function without a diagnostic", Act::Save, Some(5), 400),
        ("right after a key in a function with one", Act::Save, Some(10), 400),
        ("the same, diagnostics sent along", Act::SaveWithDiagnostics, Some(30), 400),
        // Some saves arrive while background work runs.
        ("right after a key in a function with one, 50 ms after another", Act::Save, Some(20), 50),
        ("the list of quick fixes, all prepared", Act::List, None, 0),
        ("the list of quick fixes right after a key there", Act::List, Some(0), 400),
    ] {
        let (mut times, mut least) = (Vec::with_capacity(ROUNDS), DIAGNOSTICS);
        for _ in 0..ROUNDS {
            if let Some(function) = function {
                file.key(function);
            }
            let started = Instant::now();
            let made = match act {
                Act::List => file.list(0).await,
                _ => file.save(act == Act::SaveWithDiagnostics).await,
            };
            least = least.min(made);
            times.push(started.elapsed());
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        times.sort();
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let at = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
        println!("{name}: p50 {}, p99 {}; {least} or more", at(0.5), at(0.99));
        if pause > 0 {
            // Until the file is parsed, and the missing fixes are made.
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
    }
}
