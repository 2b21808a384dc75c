//! Next edits depend only on the text, whatever its history: the scenarios of `scenarios/*.txt` over the wire, done
//! once, and done again after an undo, a reload and similar changes. Each way leads to the same result.

use std::time::Duration;

use serde_json::json;

use super::corpus::Scenario;
use super::{Play, URI};
use crate::support::Setup;
use tandem::text::ident::is_name;

/// The user's actions before the steps of the scenario, or instead of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// No other action.
    Plain,
    /// Another name first, undone a moment later.
    Undone,
    /// The same, after pauses that make each change a separate edit.
    UndoneLate,
    /// The same twice.
    UndoneTwice,
    /// Another name first, with all edits that follow, each change undone again.
    UndoneWithAll,
    /// The same, but the original file is reloaded from disk.
    Reloaded,
    /// The same, in an editor that replaces the lines that differ.
    ReloadedInPart,
    /// The typed text is undone and redone.
    Redone,
    /// The editor formats the file afterwards.
    Formatted,
    /// Another name first, of which one use follows before the name is typed.
    RenamedAfterOne,
    /// The same, with all uses.
    RenamedAfterAll,
    /// Something else is typed elsewhere before the first edit is accepted.
    Elsewhere,
}

impl Way {
    /// Whether it is one for renames alone.
    fn is_of_renames(self) -> bool {
        matches!(self, Self::RenamedAfterOne | Self::RenamedAfterAll | Self::Elsewhere)
    }
}

const WAYS: [Way; 11] = [
    Way::Undone,
    Way::UndoneLate,
    Way::UndoneTwice,
    Way::UndoneWithAll,
    Way::Reloaded,
    Way::ReloadedInPart,
    Way::Redone,
    Way::Formatted,
    Way::RenamedAfterOne,
    Way::RenamedAfterAll,
    Way::Elsewhere,
];

const MOST_EDITS: usize = 40;
const PAUSE: Duration = Duration::from_secs(3);
/// Blank lines below the scenario, of which a formatter keeps one.
const BLANK: &str = "\n\n\n";

impl Play {
    /// Types `new` over a span: its first key replaces the selection.
    fn types(&mut self, start: usize, old: usize, new: &str) {
        let mut end = start + old;
        let mut at = start;
        if new.is_empty() {
            self.splice(start, end, "");
        }
        // Whole lines are inserted at once, as from the clipboard.
        let keys: Vec<String> = match new.contains('\n') {
            true => vec![new.to_owned()],
            false => new.chars().map(String::from).collect(),
        };
        for key in keys {
            self.splice(at, end, &key);
            at += key.len();
            end = at;
        }
    }

    /// Replaces the whole text, without a range.
    fn reload(&mut self, text: &str) {
        self.version += 1;
        let params = json!({
            "textDocument": { "uri": URI, "version": self.version },
            "contentChanges": [{ "text": text }],
        });
        self.editor.driver.notify("textDocument/didChange", params);
        self.text = text.to_owned();
    }

    /// Replaces the lines from the first difference to the last.
    fn reload_in_part(&mut self, text: &str) {
        let same = |(one, other): &(&str, &str)| one == other;
        let was: Vec<&str> = self.text.split_inclusive('\n').collect();
        let is: Vec<&str> = text.split_inclusive('\n').collect();
        let head = was.iter().copied().zip(is.iter().copied()).take_while(same).count();
        let tails = was[head..].iter().rev().copied().zip(is[head..].iter().rev().copied());
        let tail = tails.take_while(same).count();
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        let (start, end) = (bytes(&was[..head]), bytes(&was[..was.len() - tail]));
        let new = is[head..is.len() - tail].concat();
        self.splice(start, end, &new);
    }

    /// Accepts all edits that follow, one after the other. Returns their number.
    async fn take_all(&mut self) -> usize {
        for taken in 0..MOST_EDITS {
            let edits = self.ask().await;
            if edits == json!([]) {
                return taken;
            }
            self.take(&edits[0]).await;
        }
        panic!("no end of it");
    }
}

/// The text after all edits that follow were accepted, and their number.
async fn follow(scenario: &Scenario, way: Way) -> (String, usize) {
    let setup = Setup { simulator: None, ..Setup::default() };
    let before = format!("{}{BLANK}", scenario.before);
    let mut play = Play::open(setup, scenario.language, &before).await;
    let mut texts = vec![before.clone()];
    let takes_all = matches!(way, Way::UndoneWithAll | Way::Reloaded | Way::ReloadedInPart);
    if takes_all {
        // Only the first step: the edits that follow from it may move the targets of later steps.
        let step = &scenario.steps[0];
        tokio::time::sleep(PAUSE).await;
        play.types(step.span.start, step.span.len(), &other(&step.text));
        texts.push(play.text.clone());
        loop {
            let edits = play.ask().await;
            if edits == json!([]) || texts.len() > MOST_EDITS {
                break;
            }
            play.take(&edits[0]).await;
            texts.push(play.text.clone());
        }
        tokio::time::sleep(PAUSE).await;
        match way {
            Way::UndoneWithAll => {
                texts.pop();
                while let Some(text) = texts.pop() {
                    play.reload_in_part(&text);
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
            }
            Way::Reloaded => play.reload(&before),
            _ => play.reload_in_part(&before),
        }
    }
    let (mut start, mut length) = (scenario.steps[0].span.start, scenario.steps[0].span.len());
    if matches!(way, Way::RenamedAfterOne | Way::RenamedAfterAll) {
        let name = other(&scenario.steps[0].text);
        tokio::time::sleep(PAUSE).await;
        play.types(start, length, &name);
        length = name.len();
        for _ in 0..if way == Way::RenamedAfterOne { 1 } else { MOST_EDITS } {
            let edits = play.ask().await;
            if edits == json!([]) {
                break;
            }
            let was = play.text.clone();
            play.take(&edits[0]).await;
            // An edit above moves the name.
            if was[..start] != play.text[..start] {
                start = start + play.text.len() - was.len();
            }
        }
    }
    for step in &scenario.steps {
        let was = play.text.clone();
        let times = match way {
            Way::Undone | Way::UndoneLate => 1,
            Way::UndoneTwice => 2,
            _ => 0,
        };
        for _ in 0..times {
            tokio::time::sleep(PAUSE).await;
            play.types(step.span.start, step.span.len(), &other(&step.text));
            if way != Way::Undone {
                tokio::time::sleep(PAUSE).await;
            }
            play.reload_in_part(&was);
        }
        tokio::time::sleep(if way == Way::Undone { Duration::from_millis(300) } else { PAUSE }).await;
        match way.is_of_renames() {
            true => play.types(start, length, &step.text),
            false => play.types(step.span.start, step.span.len(), &step.text),
        }
        if way == Way::Redone {
            let is = play.text.clone();
            tokio::time::sleep(PAUSE).await;
            play.reload_in_part(&was);
            tokio::time::sleep(PAUSE).await;
            play.reload_in_part(&is);
        }
    }
    if way == Way::Elsewhere {
        tokio::time::sleep(PAUSE).await;
        play.types(play.text.len(), 0, comment(scenario.language));
        tokio::time::sleep(PAUSE).await;
    }
    if way == Way::Formatted {
        let formatted = format!("{}\n", play.text.trim_end());
        play.reload(&formatted);
    }
    let taken = play.take_all().await;
    let text = play.text.trim_end().trim_end_matches(comment(scenario.language)).trim_end().to_owned();
    play.editor.finish().await;
    (text, taken)
}

/// Whether the only step replaces one name by another.
fn is_rename(scenario: &Scenario) -> bool {
    let [step] = &scenario.steps[..] else { return false };
    [&scenario.before[step.span.clone()], &step.text].into_iter().all(is_name)
}

fn comment(language: &str) -> &'static str {
    if ["python", "ruby"].contains(&language) { "# zebra" } else { "// zebra" }
}

/// A name that differs from the scenario's.
fn other(new: &str) -> String {
    let ends_in_name = new.chars().next_back().is_some_and(|it| it.is_alphanumeric());
    if ends_in_name { format!("{new}x") } else { new.to_owned() }
}

#[tokio::test(start_paused = true)]
#[expect(clippy::print_stdout, reason = "the figures are read here")]
async fn what_follows_is_the_same_by_whatever_way_the_text_came_about() {
    let (mut report, mut followed, mut bad) = (String::new(), 0, 0);
    let mut counts = [0; WAYS.len()];
    for scenario in Scenario::all().iter().filter(|it| it.before.len() < 2_000) {
        let (plain, taken) = follow(scenario, Way::Plain).await;
        followed += usize::from(taken > 0);
        let ways = WAYS
            .iter()
            .zip(&mut counts)
            .filter(|(way, _)| taken > 0 && is_rename(scenario) || !way.is_of_renames());
        for (way, count) in ways {
            let (text, _) = follow(scenario, *way).await;
            if text != plain {
                *count += 1;
                bad += 1;
                report += &format!(
                    "--- {}, {}, {way:?}\n{text}\n+++ plain\n{plain}\n",
                    scenario.language, scenario.name
                );
            }
        }
    }
    println!("{report}");
    println!("{followed} scenarios in which something follows, {counts:?} not the same by {WAYS:?}");
    assert!(followed >= 25, "{followed}");
    assert_eq!(bad, 0, "{report}");
}
