//! The figure for a typist who does not pause: every key sends a request, and the next key cancels it.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::mock::{Exchange, Pace, Script};
use crate::rig::{Rig, Setup, Subject, milliseconds};
use crate::source::Source;
use crate::table::{Row, Samples, Show, Unit};
use crate::typing::sleep_until;

const KEYS: usize = 200;
const TOKENS: usize = 64;
const BETWEEN_KEYS: Duration = Duration::from_millis(30);
const PACE: Pace = Pace { first_token: Duration::from_millis(100), per_token: Duration::from_millis(1) };

/// Types 200 keys, one every 30 ms, each with a request that the next key cancels.
///
/// The model is slower than the typist. The floor would make every request wait for the one before, so it is left
/// out.
pub(crate) fn cancelled(setup: &Setup) -> Result<Vec<Row>> {
    let mut seen = Seen::default();
    for _ in 0..setup.rounds(5) {
        let mut rig = Rig::start(Subject::Tandem, setup)?;
        one_run(&mut rig, &mut seen)?;
    }
    let row = |figure: &str, unit, show, tandem| Row {
        figure: format!("key, request, cancel every 30 ms: {figure}"),
        unit,
        show,
        detail: false,
        floor: None,
        tandem,
    };
    Ok(vec![
        row("connections made", Unit::Count, Show::Worst, seen.connections),
        row("requests that waited for one", Unit::Count, Show::Worst, seen.waited),
        row("request → frame", Unit::Milliseconds, Show::Percentiles, seen.way_in).into_detail(),
        row("requests not sent", Unit::Count, Show::Worst, seen.unsent).into_detail(),
        row("tokens for nobody", Unit::Count, Show::Worst, seen.wasted),
        row("last key → text over the model's time", Unit::Milliseconds, Show::Worst, seen.last_key),
    ])
}

#[derive(Default)]
struct Seen {
    connections: Samples,
    waited: Samples,
    unsent: Samples,
    wasted: Samples,
    way_in: Samples,
    last_key: Samples,
}

fn one_run(rig: &mut Rig, seen: &mut Seen) -> Result<()> {
    let mut typist = rig.open(Source::rust(1_000, 1))?;
    for _ in 0..10 {
        rig.complete(&mut typist)?;
    }
    let mut tokens: Vec<_> = (0..TOKENS).map(|token| format!("_m{token}")).collect();
    "Quartz".clone_into(&mut tokens[0]);
    ";".clone_into(&mut tokens[TOKENS - 1]);
    rig.mock.set_script(Script { tokens, pace: Some(PACE) });
    rig.begin_pass(&mut typist)?;
    let passed = typist.typed().to_owned();
    let connections = rig.mock.connections();
    drop(rig.mock.ended());

    let line = one_line(KEYS);
    let mut requests = Vec::with_capacity(KEYS);
    let mut last_key = Instant::now();
    let start = last_key;
    for (round, key) in line.char_indices() {
        sleep_until(start + BETWEEN_KEYS * round as u32);
        let change = typist.press(&key.to_string());
        last_key = rig.change(change)?;
        if let Some((last, _)) = requests.last() {
            rig.driver.notify("$/cancelRequest", json!({ "id": last }))?;
        }
        requests.push(rig.request_completion(&typist)?);
    }
    let (last, _) = *requests.last().context("nothing was typed")?;
    let answer = rig.answer(last)?;
    rig.check_text(&answer)?;
    for (id, _) in &requests[..KEYS - 1] {
        // Cancelled or not, each request has exactly one answer; the driver fails on a second one.
        rig.answer(*id)?;
    }
    // Waits for abandoned generations to end.
    thread::sleep(Duration::from_millis(500));

    let mut sent = [false; KEYS];
    let (mut waited, mut wasted) = (0, 0);
    let mut last_exchange = None;
    for exchange in rig.mock.ended() {
        let round = round_of(&exchange, &passed, &line)?;
        sent[round] = true;
        let asked = requests[round].1;
        seen.way_in.push(milliseconds(asked, exchange.received));
        waited += usize::from(exchange.connected > asked);
        if round == KEYS - 1 {
            rig.check_prompt(&exchange, &typist)?;
            last_exchange = Some(exchange);
        } else {
            wasted += exchange.tokens;
        }
    }
    let model = last_exchange.with_context(|| format!("{}: the last was not asked", rig.explanation()))?;
    let model_time = milliseconds(model.received, model.last_sent);
    seen.last_key.push(milliseconds(last_key, answer.read) - model_time);
    seen.connections.push((rig.mock.connections() - connections) as f64);
    seen.waited.push(waited as f64);
    seen.unsent.push(sent.iter().filter(|sent| !**sent).count() as f64);
    seen.wasted.push(wasted as f64);
    Ok(())
}

/// A name of `length` characters on one line: the part of it in a prompt identifies the key, and the model's text is
/// valid after each key.
fn one_line(length: usize) -> String {
    let terms = (1..).flat_map(|term| format!("_and_side_{term}").into_bytes()).map(char::from);
    "width".chars().chain(terms).take(length).collect()
}

/// The key of `line` after which a request was made.
fn round_of(exchange: &Exchange, passed: &str, line: &str) -> Result<usize> {
    let prompt = exchange.prompt()?;
    let start = prompt.find(passed).context("a prompt without the line that is typed")? + passed.len();
    let same = prompt[start..].bytes().zip(line.bytes()).take_while(|(seen, typed)| seen == typed).count();
    same.checked_sub(1).context("a prompt from before the first key")
}
