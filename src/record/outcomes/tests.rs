//! The outcomes of suggestions, from hand-written entries in virtual time.
//!
//! A step is a second and an event: `set TEXT`, `shown N AT TEXT`, `edit START END TEXT`, `accept N`,
//! `part N UNITS`, `dismiss N`, `drawn N`, `save`, `branch`, `close`, `ask`, `wait`.

use expect_test::{Expect, expect};

use super::*;
use crate::record::AnswerEntry;
use crate::record::kept::Kept;

fn event(step: &str) -> Option<Event> {
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    let number = |part: &str| part.parse::<usize>().unwrap();
    let job = || "completion".to_owned();
    Some(match word {
        "set" => Event::SetContent { id: 1, v: 1, content: rest.to_owned() },
        "shown" => {
            let parts: Vec<&str> = rest.splitn(3, ' ').collect();
            let edit = vec![(number(parts[1]), number(parts[1]), parts[2].to_owned())];
            let (suggestion, gear) = (number(parts[0]) as u64, "fast".to_owned());
            Event::Shown { id: 1, suggestion, job: job(), edit, gear, model: Some("m".to_owned()) }
        }
        "edit" => {
            let parts: Vec<&str> = rest.splitn(3, ' ').collect();
            let text = parts.get(2).copied().unwrap_or_default().to_owned();
            Event::Changed { id: 1, edit: vec![(number(parts[0]), number(parts[1]), text)], v: 2 }
        }
        "accept" => Event::Accepted { suggestion: number(rest) as u64, units: None },
        "part" => {
            let (suggestion, units) = rest.split_once(' ').unwrap();
            Event::Accepted { suggestion: number(suggestion) as u64, units: Some(number(units)) }
        }
        "dismiss" => Event::Dismissed { suggestion: number(rest) as u64 },
        "drawn" => Event::Drawn { suggestion: number(rest) as u64 },
        "save" => Event::Saved { id: 1 },
        "branch" => Event::BranchChanged,
        "close" => Event::Closed { id: 1 },
        _ => return None,
    })
}

/// Replays steps, each `SECOND STEP`, and prints the outcomes.
fn check(steps: &str, expect: Expect) {
    let mut replays = Replays::default();
    for line in steps.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (second, step) = line.split_once(' ').unwrap();
        let time = (second.parse::<f64>().unwrap() * 1_000.0) as u64;
        // Time also passes without an event.
        replays.take(Entry { time, event: event(step).unwrap_or(Event::Lost { notes: 0 }) });
    }
    let measure = |measure: &Measure| match measure {
        Ok(Kept { suggested, kept, changed }) => format!("{kept}/{suggested}/{changed}"),
        Err(void) => format!("{void:?}"),
    };
    let mut shown = String::new();
    for outcome in replays.finish().outcomes {
        let after: Vec<String> = outcome.after.iter().map(measure).collect();
        let save = outcome.at_save.as_ref().map_or_else(|| "-".to_owned(), measure);
        shown += &format!(
            "{:?} [{}] save {save} settled {}\n",
            outcome.end,
            after.join(" "),
            measure(&outcome.settled)
        );
    }
    expect.assert_eq(&shown);
}

#[test]
fn whole_suggestion_is_kept_as_long_as_it_stands() {
    check(
        "0 set let a = ;
         1 shown 7 8 height
         2 edit 8 8 height
         2 accept 7
         3 save
         40 edit 8 14 width
         2000 wait",
        expect!["Whole [6/6/6 6/6/6 0/6/5 0/6/5 0/6/5 0/6/5] save 6/6/6 settled 6/6/6\n"],
    );
}

#[test]
fn suggestion_is_typed_through() {
    check(
        "0 set a = ;
         1 shown 7 4 f(x)
         1.1 edit 4 4 f
         1.2 edit 5 5 (
         1.3 edit 6 6 x)
         1.4 edit 8 8  + 1
         60 wait",
        expect!["Typed [4/4/4 4/4/4 Ended Ended Ended Ended] save - settled 4/4/6\n"],
    );
}

#[test]
fn what_is_dismissed_or_passed_over_is_told_with_what_was_typed_instead() {
    check(
        "0 set a = ;
         1 shown 7 4 f(x)
         2 dismiss 7
         3 edit 4 4 g(x)
         30 shown 8 8  or c
         31 wait
         60 wait",
        expect![[r#"
            Dismissed [] save - settled 3/4/4
            Passed [] save - settled 0/3/0
        "#]],
    );
}

#[test]
fn part_of_a_suggestion_counts_against_all_of_it() {
    check(
        "0 set a = ;
         1 shown 7 4 one two
         2 edit 4 4 one
         2 part 7 3
         60 wait",
        expect!["Part [3/6/3 3/6/3 Ended Ended Ended Ended] save - settled 3/6/3\n"],
    );
}

#[test]
fn measure_is_void_after_another_branch_a_formatter_or_the_loss_of_the_place() {
    let taken = "0 set x = ;
         1 shown 7 4 f(a, b)
         2 edit 4 4 f(a, b)
         2 accept 7";
    check(
        &format!("{taken}\n5 branch\n60 wait"),
        expect!["Whole [6/6/6 Branch Ended Ended Ended Ended] save - settled Branch\n"],
    );
    check(
        &format!("{taken}\n5 edit 0 12 x  =  f(a,b);\n60 wait"),
        expect!["Whole [6/6/6 Formatter Ended Ended Ended Ended] save - settled Formatter\n"],
    );
    check(
        &format!("{taken}\n5 edit 0 12 nothing\n60 wait"),
        expect!["Whole [6/6/6 Gone Ended Ended Ended Ended] save - settled Gone\n"],
    );
    let long = "y".repeat(600);
    check(
        &format!("{taken}\n15 edit 6 6 {long}\n60 wait"),
        expect!["Whole [6/6/6 Length Ended Ended Ended Ended] save - settled 6/6/6\n"],
    );
}

#[test]
fn editor_that_pairs_brackets_has_accepted_all_the_same() {
    check(
        "0 set x = ;
         1 shown 7 4 f(a
         2 edit 4 4 f(a)
         2 accept 7
         60 wait",
        expect!["Whole [3/3/4 3/3/4 Ended Ended Ended Ended] save - settled 3/3/4\n"],
    );
}

#[test]
fn what_was_not_drawn_was_not_shown() {
    check(
        "0 set x = ;
         1 shown 7 4 a
         1 drawn 7
         2 shown 8 4 b
         2 shown 7 4 a
         60 wait",
        expect!["Passed [] save - settled 0/1/0\n"],
    );
}

#[test]
fn new_file_of_the_recording_ends_nothing_and_a_closed_one_does() {
    check(
        "0 set x = ;
         1 shown 7 4 a
         2 edit 4 4 a
         3 set x = a;
         60 wait
         61 close
         900 wait",
        expect!["Typed [1/1/1 1/1/1 Ended Ended Ended Ended] save - settled 1/1/1\n"],
    );
}

#[test]
fn pause_is_an_opportunity_whatever_was_decided() {
    let mut replays = Replays::default();
    let mut take = |time: u64, event: Event| replays.take(Entry { time, event });
    let language = "rust".to_owned();
    take(0, Event::DocumentEncountered { id: 1, relative_path: String::new(), language });
    take(0, Event::SetContent { id: 1, v: 1, content: String::new() });
    let key = |v| Event::Changed { id: 1, edit: vec![(0, 0, "a".to_owned())], v };
    let decided = |job: &str, explicit, began| Event::Decided {
        id: 1,
        job: job.to_owned(),
        explicit,
        code: "cool-down".to_owned(),
        began,
    };
    // Typing goes on at once; then a pause with requests for two jobs, twice; then an explicit request.
    for (time, event) in [
        (100, key(1)),
        (101, decided("completion", false, 100)),
        (200, key(2)),
        (201, decided("completion", false, 200)),
        (202, decided("next edit", false, 201)),
        (450, decided("completion", false, 400)),
        (900, key(3)),
        (1_050, key(4)),
        (1_100, decided("completion", true, 901)),
        (1_200, decided("completion", false, 902)),
    ] {
        take(time, event);
    }
    let found = replays.finish().opportunities;
    let jobs: Vec<(u64, String)> = found.iter().map(|it| (it.time, it.jobs.join(", "))).collect();
    assert_eq!(jobs, [(200, "completion, next edit".to_owned()), (901, "completion".to_owned())]);
    assert_eq!(found[0].language, "rust");
}

#[test]
fn request_has_its_answer() {
    let mut replays = Replays::default();
    let (job, gear, model) = ("completion".to_owned(), "fast".to_owned(), "m".to_owned());
    let requested = Event::Requested {
        request: 4,
        id: 1,
        job,
        gear,
        model,
        at: 0,
        instructions: String::new(),
        input: String::new(),
        fim: None,
        max_tokens: 1,
        inputs: None,
    };
    let answered = |request| {
        Event::Answered(AnswerEntry {
            request,
            chunks: vec![(120, "a".to_owned()), (130, "b".to_owned())],
            end: "done".to_owned(),
            model: Some("served".to_owned()),
            input_tokens: 9,
            cached_tokens: 1,
            cache_write_tokens: 2,
            output_tokens: 3,
            ..AnswerEntry::default()
        })
    };
    for event in [requested, answered(4), answered(5)] {
        replays.take(Entry { time: 1, event });
    }
    let asked = replays.finish().asked;
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].first_text, asked[0].tokens), (Some(120), [9, 1, 2, 3]));
}
