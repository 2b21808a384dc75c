//! Whatever goes wrong with the model: one answer for each request, no wrong text, and full recovery afterwards.

use serde_json::{Value, json};
use tandem::simulate::{Fault, Options, Script};

use crate::support::{Editor, Setup, complete_params};

const ROUNDS: usize = 175;
const FILES: usize = 12;
/// The number of rounds that one set of faults lasts.
const SPELL: usize = 3;
const SEED: u64 = 0x5eed_ba5e;
const REPLY: &str = "alpha(beta, gamma);";
const TEXT: &str = "fn f() {\n    // ai: say it\n    let a = \n}\n";
/// Faults that run into a time limit, of which one run can afford few.
const SLOW: [Fault; 4] = [Fault::Hang, Fault::HangMidStream, Fault::HangUpgrade, Fault::SlowFirstToken];

/// Random numbers that are the same in each run (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).unwrap()).unwrap()
    }
}

fn faults(dice: &mut Dice, round: usize) -> Vec<Fault> {
    let all: Vec<Fault> = Fault::ALL.to_vec();
    let slow_too = round.is_multiple_of(20 * SPELL);
    let usual: Vec<Fault> = all.into_iter().filter(|it| slow_too || !SLOW.contains(it)).collect();
    (0..dice.below(3)).map(|_| usual[dice.below(usual.len())]).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_has_one_answer_whatever_goes_wrong() {
    let script = Script::parse(&json!({ "reply": REPLY }).to_string()).unwrap();
    let options = Options { script, ..Options::default() };
    let mut editor = Editor::with(Setup {
        simulator: Some(options),
        options: json!({ "eagerness": "high" }),
        ..Setup::default()
    })
    .await;
    let uris: Vec<String> = (0..FILES).map(|number| format!("file:///no-such-folder/{number}.rs")).collect();
    for uri in &uris {
        editor.open(uri, "rust", TEXT);
    }
    let mut dice = Dice(SEED);
    let (mut version, mut requests, mut shown, mut failed) = (1, 0, 0, 0);
    for round in 0..ROUNDS {
        if round.is_multiple_of(SPELL) {
            let faults = faults(&mut dice, round);
            editor.simulator.as_ref().unwrap().set_faults(faults);
        }
        version += 1;
        let mut asked = Vec::new();
        for uri in &uris {
            // A name that did not occur before, so that no earlier answer fits.
            editor.change(
                uri,
                version,
                [2, 8, 2, if version == 2 { 9 } else { 15 }],
                &format!("a{version:06}"),
            );
            let mut params = complete_params(uri, 2, 18);
            params["context"]["triggerKind"] = json!(1 + dice.below(2));
            asked.push(editor.driver.ask("textDocument/inlineCompletion", params));
            requests += 1;
        }
        for id in asked {
            let answer = editor.driver.answer(id).await.unwrap();
            match &answer["result"] {
                Value::Array(items) => {
                    shown += usize::from(!items.is_empty());
                    for item in items {
                        // A late answer is shown as far as it has arrived.
                        let text = item["insertText"].as_str().unwrap();
                        assert!(!text.is_empty() && REPLY.starts_with(text), "round {round}: {answer}");
                    }
                }
                _ => failed += 1,
            }
        }
    }
    assert!(requests >= 2_000 && failed == 0, "{requests} requests, {failed} failed");
    editor.simulator.as_ref().unwrap().clear_faults();
    version += 1;
    editor.change(&uris[0], version, [2, 8, 2, 15], &format!("a{version:06}"));
    let mut params = complete_params(&uris[0], 2, 18);
    params["context"]["triggerKind"] = json!(1);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    assert_eq!(items[0]["insertText"], REPLY, "the first explicit request after all is well: {items}");
    assert!(shown > requests / 10, "only {shown} of {requests} requests had an answer: nothing was tested");
    // The server's messages about failures need not be read here.
    editor.driver.finish().await.unwrap();
}
