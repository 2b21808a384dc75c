//! What fixing on save adds: the request for `source.fixAll.tandem` in a file of 10,000 lines with 200 diagnostics, when
//! nothing was prepared, when all was, and right after a key.
//!
//! `cargo bench --bench save`. Server and editor share one thread and a pipe, so figures are of the work alone.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;

const URI: &str = "file:///work/a.rs";
const LINES: usize = 10_000;
const DIAGNOSTICS: usize = 200;
const ROUNDS: usize = 60;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (text, diagnostics) = file();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (from_us, to_us) = tokio::io::split(theirs);
    tokio::spawn(lsp::serve(from_us, to_us, Start::default()));
    let (from_server, to_server) = tokio::io::split(ours);
    let mut driver = LspClient::new(from_server, to_server);
    driver.initialize(json!({ "capabilities": {} })).await.unwrap();
    let document = json!({ "uri": URI, "languageId": "rust", "version": 0, "text": text });
    driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let params = json!({ "uri": URI, "version": 0, "diagnostics": diagnostics });
    driver.notify("tandem/diagnostics", params);
    println!("{LINES} lines, {DIAGNOSTICS} diagnostics");
    let started = Instant::now();
    let made = save(&mut driver).await;
    println!("nothing prepared: {:.2} ms for {made} fixes", started.elapsed().as_secs_f64() * 1e3);
    // A save that makes nothing itself finds all of them.
    while save(&mut driver).await < DIAGNOSTICS {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut version = 0;
    for (name, line) in [
        ("all prepared", None),
        ("right after a key in a function without a diagnostic", Some(5 * 5 + 1)),
        ("right after a key in a function with one", Some(10 * 5 + 1)),
        ("right after a key in a function with one, 50 ms after another", Some(20 * 5 + 1)),
    ] {
        let (mut times, mut least) = (Vec::with_capacity(ROUNDS), DIAGNOSTICS);
        for round in 0..ROUNDS {
            if let Some(line) = line {
                version += 1;
                type_at(&mut driver, version, line);
            }
            let started = Instant::now();
            least = least.min(save(&mut driver).await);
            times.push(started.elapsed());
            // Some saves come while the background is at work.
            let pause = if line == Some(20 * 5 + 1) { 50 } else { 400 };
            if line.is_some() && round + 1 < ROUNDS {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        times.sort();
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let at = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
        println!("{name}: p50 {}, p99 {}; {least} fixes or more", at(0.5), at(0.99));
    }
}

/// Types a digit at the end of a number.
fn type_at(driver: &mut LspClient, version: i32, line: usize) {
    // `    let total = a + 5;`
    let place = json!({ "line": line, "character": 20 });
    driver.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": URI, "version": version },
            "contentChanges": [{ "range": { "start": place, "end": place }, "text": "1" }],
        }),
    );
}

/// Asks for all fixes, as an editor does before it writes; returns how many edits there are.
async fn save(driver: &mut LspClient) -> usize {
    let end = json!({ "line": LINES, "character": 0 });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": end },
        "context": { "diagnostics": [], "only": ["source.fixAll.tandem"] },
    });
    let actions = driver.request("textDocument/codeAction", params).await.unwrap();
    actions[0]["edit"]["changes"][URI].as_array().map_or(0, Vec::len)
}

/// Functions, some of which have a misspelt name, and what a compiler says of them.
fn file() -> (String, Vec<Value>) {
    let (mut text, mut diagnostics) = (String::new(), Vec::new());
    let functions = LINES / 5;
    for number in 0..functions {
        let is_wrong = number % (functions / DIAGNOSTICS) == 0;
        let name = if is_wrong { "totl" } else { "total" };
        text += &format!(
            "fn number_{number}(a: u32) -> u32 {{\n    let total = a + {number};\n    {name}\n}}\n\n"
        );
        if is_wrong {
            let line = number * 5 + 2;
            diagnostics.push(json!({
                "range": { "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 8 } },
                "severity": 1,
                "source": "rustc",
                "message": "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`",
            }));
        }
    }
    (text, diagnostics)
}
