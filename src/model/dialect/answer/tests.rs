//! Responses as short forms of their events, and the text shown of them.

use proptest::prelude::*;

use super::super::event;
use super::*;

/// Checks the text shown of a response, given its events, one per line. `<` marks a retraction.
fn check(events: &[&str], expected: &str) {
    for assembly in [Assembly::of_socket(), Assembly::default()] {
        check_from(assembly, events, expected);
    }
}

fn check_from(mut assembly: Assembly, events: &[&str], expected: &str) {
    let mut shown = String::new();
    for text in events {
        let frame = event::read(&expand(text)).unwrap();
        assembly.take(frame, |output| match output {
            Output::Text(text) => shown.push_str(&text),
            Output::Restart => shown.push('<'),
            Output::Done(_) => shown.push('|'),
            Output::Failed(refusal) => shown.push_str(&format!("!{}", refusal.message)),
            Output::Stray { .. } => shown.push('?'),
            Output::Begun { .. } | Output::Serves { .. } | Output::Quotas(_) => {}
        });
    }
    assert_eq!(shown, expected, "{events:#?}");
}

/// Short forms of events: `created r`, `added 0 a commentary`, `delta 0 a text`,
/// `done …`, `completed r a:text b:…`.
fn expand(text: &str) -> String {
    let mut words = text.split(' ');
    let mut word = || words.next().unwrap_or_default();
    let kind = word();
    let index = |word: &str| word.parse::<u64>().map_or("null".to_owned(), |it| it.to_string());
    match kind {
        "created" => format!(r#"{{"type":"response.created","response":{{"id":"{}"}}}}"#, word()),
        "added" | "done" => {
            let (at, id, phase) = (index(word()), word(), word());
            let phase = if phase.is_empty() { "null".to_owned() } else { format!("\"{phase}\"") };
            format!(
                r#"{{"type":"response.output_item.{kind}","output_index":{at},"item":{{"type":"message","id":"{id}","phase":{phase}}}}}"#
            )
        }
        "thought" => format!(
            r#"{{"type":"response.output_item.added","output_index":{},"item":{{"type":"reasoning","id":"{}"}}}}"#,
            word(),
            word()
        ),
        "delta" => match (index(word()), word(), word()) {
            (at, "-", text) => {
                format!(r#"{{"type":"response.output_text.delta","output_index":{at},"delta":"{text}"}}"#)
            }
            (at, id, text) => format!(
                r#"{{"type":"response.output_text.delta","output_index":{at},"item_id":"{id}","delta":"{text}"}}"#
            ),
        },
        "completed" => {
            let id = word();
            let items = words.map(|item| {
                let (name, text) = item.split_once(':').unwrap();
                let (name, phase) = match name.strip_suffix('*') {
                    Some(name) => (name, "\"commentary\""),
                    None => (name, "null"),
                };
                format!(
                    r#"{{"type":"message","id":"{name}","phase":{phase},"content":[{{"type":"output_text","text":"{text}"}}]}}"#
                )
            });
            let items = items.collect::<Vec<_>>().join(",");
            format!(r#"{{"type":"response.completed","response":{{"id":"{id}","output":[{items}]}}}}"#)
        }
        _ => panic!("{text}"),
    }
}

#[test]
fn one_message_is_the_answer() {
    check(&["created r", "added 0 a", "delta 0 a x", "delta 0 a y", "done 0 a", "completed r a:xy"], "xy|");
    check(&["created r", "delta - - x", "delta - - y", "completed r"], "xy|");
    check(&["created r", "completed r a:xy"], "xy|");
    check(&["created r", "thought 0 t", "added 1 a", "delta 1 a x", "completed r a:x"], "x|");
    // Streamed text takes precedence over its repetition, and ids that change with each event are meaningless.
    check(&["created r", "added 0 a", "delta 0 b x", "delta 0 c y", "completed r d:xyz"], "xy|");
}

#[test]
fn commentary_is_passed_over() {
    let said = ["created r", "added 0 c commentary", "delta 0 c no"];
    check(&[&said[..], &["added 1 a final_answer", "delta 1 a x", "completed r c*:no a:x"]].concat(), "x|");
    check(&[&said[..], &["added 1 a", "delta 1 a x", "delta 0 c no", "completed r"]].concat(), "x|");
    // After the answer, and between its pieces.
    check(
        &[
            "created r",
            "added 0 a final_answer",
            "delta 0 a x",
            "added 1 c commentary",
            "delta 1 c no",
            "delta 0 a y",
        ],
        "xy",
    );
    check(&[&said[..], &["completed r c*:no"]].concat(), "|");
    // An unknown phase.
    check(&["created r", "added 0 p plan", "delta 0 p no", "added 1 a", "delta 1 a x"], "x");
}

#[test]
fn a_message_before_the_last_is_taken_back() {
    check(
        &[
            "created r",
            "added 0 a",
            "delta 0 a no",
            "added 1 b",
            "delta 1 b x",
            "delta 0 a no",
            "completed r a:no b:x",
        ],
        "no<x|",
    );
    check(&["created r", "delta 0 a no", "delta 1 b x", "delta 0 a no", "delta 1 b y"], "no<xy");
    check(&["created r", "added - a", "delta - a no", "added - b", "delta - a no", "delta - b x"], "no<x");
    check(&["created r", "added 0 a", "delta 0 a no", "completed r a:no b:x"], "no<x|");
    check(&["created r", "completed r a:no b:x"], "x|");
}

#[test]
fn a_message_that_turns_out_to_be_commentary_is_taken_back() {
    check(&["created r", "added 0 a", "delta 0 a no", "done 0 a commentary"], "no<");
    check(
        &["created r", "added 0 a", "delta 0 a no", "done 0 a commentary", "added 1 b", "delta 1 b x"],
        "no<x",
    );
    check(&["created r", "delta 0 a no", "completed r a*:no"], "no<|");
}

#[test]
fn a_message_that_comes_late_keeps_its_place() {
    check(&["created r", "added 1 b", "delta 1 b x", "added 0 a", "delta 0 a no", "delta 1 b y"], "xy");
}

#[test]
fn events_of_an_older_response_are_passed_over() {
    check(&["created r", "delta 0 a x", "completed old z:no", "completed r a:x"], "x|");
    check(&["created r", "delta 0 a x", "created other"], "x?");
    check(&["created r", "created r", "delta 0 a x"], "x");
}

#[test]
fn items_that_began_before_the_response_stay_out() {
    let check = |events: &[&str], expected: &str| check_from(Assembly::of_socket(), events, expected);
    check(&["delta 5 f no", "created r", "delta 5 f no", "added 0 a", "delta 0 a x", "completed r"], "x|");
    check(&["added 0 o", "created r", "delta 0 o no", "delta 0 a x", "delta 0 o no", "delta 0 a y"], "xy");
    check(&["delta 0 o no", "created r", "done 0 o", "delta 0 a x", "completed r o:no a:x"], "x|");
    // Only its repetition is complete.
    check(&["delta 0 a no", "created r", "added 0 a", "delta 0 a no", "completed r a:xy"], "xy|");
    check(
        &["delta 0 a no", "created r", "delta 0 a no", "completed r"],
        "!the beginning of its answer came out of order",
    );
    check(&["delta 0 o no", "created r", "completed r"], "|");
    // The item without an id belongs to the older response.
    check(&["delta 0 - no", "created r", "delta 0 - x", "delta 0 - y", "completed r"], "xy|");
    let many: Vec<String> = (0..=2 * MESSAGES).map(|at| format!("delta 0 o{at} no")).collect();
    let events: Vec<&str> = many.iter().map(String::as_str).chain(["created r", "delta 0 a x"]).collect();
    check(&events, "x");
}

#[test]
fn messages_without_bound_are_refused() {
    let mut events = vec!["created r".to_owned()];
    events.extend((0..=MESSAGES).map(|at| format!("added {at} m{at} commentary")));
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    check(&events, "!the response has too many messages");
}

/// Events of messages in which every piece of text is distinct: `a0a1a2` are the pieces of one message.
/// Also the number of events before the response's beginning: zero for text without item ids, by which
/// text of older items is recognized later.
fn events() -> impl Strategy<Value = (Vec<String>, usize)> {
    let step = (0..10_u8, 0..4_usize, 0..3_usize);
    (prop::collection::vec(step, 0..40), 0..3_u8, 0..10_usize).prop_map(|(steps, form, early)| {
        let mut said = [0; 4];
        let step = |(kind, at, phase): (u8, usize, usize)| {
            let name = ["a", "b", "c", "d"][at];
            let phase = ["", " commentary", " final_answer"][phase];
            let (index, id) = match form {
                0 => (at.to_string(), name),
                1 => (at.to_string(), "-"),
                _ => ("-".to_owned(), name),
            };
            match kind {
                0 | 1 => format!("added {at} {name}{phase}"),
                2 => format!("done {at} {name}{phase}"),
                3 => format!("thought {at} t"),
                4 => "created r".to_owned(),
                5 => "completed old d:no".to_owned(),
                _ => {
                    said[at] += 1;
                    format!("delta {index} {id} {name}{}", said[at] - 1)
                }
            }
        };
        (steps.into_iter().map(step).collect(), if form == 1 { 0 } else { early })
    })
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn the_answer_is_the_text_of_one_message_from_its_beginning(
        (events, early) in events(),
        repeats in any::<bool>(),
    ) {
        let mut assembly = Assembly::of_socket();
        let (mut shown, mut is_done, mut longest) = (String::new(), false, 0);
        let end = if repeats { "completed r a:a* b:b* c:c* d:d*" } else { "completed r" };
        let begin = "created r".to_owned();
        let (before, after) = events.split_at(early.min(events.len()));
        let events = before.iter().chain([&begin]).chain(after);
        for text in events.clone().map(String::as_str).chain([end]) {
            assembly.take(event::read(&expand(text)).unwrap(), |output| match output {
                Output::Text(text) => shown.push_str(&text),
                Output::Restart => shown.clear(),
                Output::Done(_) => is_done = true,
                _ => {}
            });
            longest = longest.max(assembly.messages.len());
            // At any time, not only at the end.
            let name = shown.chars().next();
            let pieces: String = (0..).map_while(|at| name.map(|name| format!("{name}{at}"))).take(50).collect();
            let is_whole = name.is_some_and(|name| shown == format!("{name}*"));
            let events: Vec<_> = events.clone().collect();
            prop_assert!(pieces.starts_with(&shown) || is_whole, "{shown:?} after {text} of {events:#?}");
        }
        prop_assert!(longest <= MESSAGES);
        prop_assert!(is_done || !repeats);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), mut text in ".{0,40}") {
        text.insert_str(0, "{\"type\":\"response.");
        for text in [String::from_utf8_lossy(&bytes).into_owned(), text] {
            let mut assembly = Assembly::default();
            if let Ok(frame) = event::read(&text) {
                assembly.take(frame, |_| ());
            }
        }
    }
}
