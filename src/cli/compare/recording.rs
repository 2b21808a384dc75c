//! The user's recording as the source of a comparison: its positions, and the recorded rules against today's.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use super::super::record::each_entry;
use super::super::spinner;
use super::super::terminal::say;
use super::side::recorded_answer;
use super::task::Task;
use crate::compare::places::HeldOutPosition;
use crate::compare::result::Pair;
use crate::config::Settings;
use crate::lsp::file_path;
use crate::record::ring;
use crate::replay::{Completions, RecordedCompletion, RecordedResult, Replayed, Replayer};
use crate::text::Day;
use crate::text::words::counted;

/// The maximum number of completions that are replayed: the figures of each stay in memory.
const MOST: usize = 100_000;
/// The maximum number of differences that are kept, and that are printed.
const KEPT: usize = 100;
const PRINTED: usize = 10;
/// Characters of a prompt's line that are shown.
const LINE: usize = 120;

/// The positions of a recording at which something was typed: the newest, by session.
pub(super) fn tasks(folder: &Path, most: usize) -> anyhow::Result<Vec<Task>> {
    let mut tasks = VecDeque::new();
    each_completion(folder, usize::MAX, |completion| {
        let is_typed = |it: &String| it.contains(char::is_alphanumeric);
        let Some(written) = completion.written.clone().filter(is_typed) else { return };
        if completion.inputs.variant > 0 {
            return;
        }
        if tasks.len() >= most {
            tasks.pop_front();
        }
        let (text, cursor) = (completion.text.to_string(), completion.cursor);
        tasks.push_back(Task {
            cluster: cluster(completion),
            path: completion.path.clone(),
            language: completion.language.clone(),
            place: HeldOutPosition { text, cursor, written },
            recorded: Some((Box::new(completion.clone()), root(&completion.root_uri))),
        });
    })?;
    let mut tasks = Vec::from(tasks);
    // The files of two servers are interleaved.
    tasks.sort_by(|a, b| a.cluster.cmp(&b.cluster));
    Ok(tasks)
}

fn root(uri: &str) -> PathBuf {
    file_path(uri).unwrap_or_default()
}

/// Replays a recording by the rules of this version. Returns the pairs of recorded and new results, too.
pub(super) fn replay(settings: &Settings, folder: &Path) -> anyhow::Result<(ReplayReport, Vec<Pair>)> {
    let (mut report, mut pairs, mut replayer) = (ReplayReport::default(), Vec::new(), Replayer::default());
    let progress = spinner::spinner();
    let skipped = each_completion(folder, MOST, |completion| {
        let replayed = block_in_place(|| Handle::current().block_on(replayer.replay(completion)));
        if let Some(pair) = pair(settings, completion, &replayed) {
            pairs.push(pair);
        }
        report.add(completion, replayed);
        progress.set_message(format!("{} replayed", report.count));
    })?;
    progress.finish_and_clear();
    report.skipped = skipped;
    pairs.sort_by(|a, b| a.cluster.cmp(&b.cluster));
    Ok((report, pairs))
}

/// Calls `each` with at most `most` completions of a recording. Returns how many requests have to be left out, by the
/// reason.
fn each_completion(
    folder: &Path,
    most: usize,
    mut each: impl FnMut(&RecordedCompletion),
) -> anyhow::Result<BTreeMap<&'static str, usize>> {
    let (mut completions, mut count) = (Completions::default(), 0);
    let mut next = |completions: &mut Completions| {
        for completion in completions.ready() {
            count += 1;
            if count <= most {
                each(&completion);
            }
        }
        count
    };
    for file in ring::files(folder)? {
        each_entry(std::slice::from_ref(&file), |entry| {
            completions.take(entry);
            next(&mut completions);
        })?;
        if next(&mut completions) >= most {
            say(format_args!("note: only the first {most} requests for ghost text are replayed"));
            break;
        }
    }
    completions.end();
    next(&mut completions);
    Ok(completions.skipped().clone())
}

/// The pair of the recorded and the replayed result, if it is known what was typed. Equal texts are not kept.
fn pair(settings: &Settings, completion: &RecordedCompletion, replayed: &Replayed) -> Option<Pair> {
    let written = completion.written.clone()?;
    let last = completion.answer.chunks.last().map_or(0, |(at, _)| *at);
    let mut answers = [(&completion.result, last), (&replayed.result, replayed.milliseconds)]
        .map(|(result, milliseconds)| recorded_answer(settings, completion, result, milliseconds));
    let is_equal = answers[0].text == answers[1].text;
    if is_equal {
        answers.iter_mut().for_each(|answer| answer.text.clear());
    }
    let kept = |text: String| if is_equal { String::new() } else { text };
    Some(Pair {
        cluster: cluster(completion),
        path: completion.path.clone(),
        language: completion.language.clone(),
        before: kept(line_before(completion)),
        written: kept(written),
        answers,
    })
}

/// The work on one file in one session: what is typed in it hangs together.
fn cluster(completion: &RecordedCompletion) -> String {
    format!("{} {}", minute(completion.session), completion.path)
}

/// A time in milliseconds since 1970, to the minute.
fn minute(time: u64) -> String {
    let minutes = time / 60_000 % (24 * 60);
    format!("{} {:02}:{:02}", Day(time / 86_400_000), minutes / 60, minutes % 60)
}

fn line_before(completion: &RecordedCompletion) -> String {
    let text = &completion.text;
    let cursor = text.byte_to_char(completion.cursor);
    text.slice(text.line_to_char(text.char_to_line(cursor))..cursor).to_string()
}

/// What a replay found.
#[derive(Default)]
pub(super) struct ReplayReport {
    /// The completions that were replayed, and those of them that came out differently.
    pub(super) count: usize,
    pub(super) different: usize,
    /// Those whose prompt shows the part of the file that was recorded, not what the rules would show.
    as_shown: usize,
    differences: Vec<Difference>,
    skipped: BTreeMap<&'static str, usize>,
}

/// A completion that comes out differently.
struct Difference {
    /// The time, the path, and the line and column from 1.
    place: String,
    what: &'static str,
    recorded: String,
    now: String,
}

impl ReplayReport {
    fn add(&mut self, completion: &RecordedCompletion, replayed: Replayed) {
        self.count += 1;
        self.as_shown += usize::from(replayed.has_recorded_windows);
        if replayed.is_equal(completion) {
            return;
        }
        self.different += 1;
        if self.differences.len() < KEPT {
            self.differences.push(Difference::of(completion, replayed));
        }
    }

    /// The result in one sentence.
    pub(super) fn sentence(&self) -> String {
        match (self.count, self.different) {
            (0, _) => "nothing recorded can be replayed".to_owned(),
            (count, 0) => format!("{} came out as recorded", counted(count, "completion")),
            (count, different) => {
                format!("{different} of {} came out differently", counted(count, "completion"))
            }
        }
    }

    /// The requests that were not replayed.
    pub(super) fn left_out(&self) -> String {
        let of = |(why, count): (&&str, &usize)| format!("{} {why}", counted(*count, "request"));
        let left_out: Vec<String> = self.skipped.iter().map(of).collect();
        let as_shown = match self.as_shown {
            0 => String::new(),
            count => format!("; {} cut where the recording says", counted(count, "prompt")),
        };
        match left_out.as_slice() {
            [] => as_shown,
            _ => format!("{as_shown}; left out: {}", left_out.join(", ")),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}{}.\n", self.sentence(), self.left_out());
        for Difference { place, what, recorded, now } in self.differences.iter().take(PRINTED) {
            // Writing to a string does not fail.
            _ = write!(text, "{place}: {what}\n{}\n{}\n", quoted("recorded", recorded), quoted("now", now));
        }
        if self.different > PRINTED {
            _ = writeln!(text, "and {} more; --json has up to {KEPT}", self.different - PRINTED);
        }
        text
    }

    pub(super) fn in_json(&self) -> Value {
        let differences = self
            .differences
            .iter()
            .map(|it| json!({ "place": it.place, "what": it.what, "recorded": it.recorded, "now": it.now }));
        json!({
            "completions": self.count, "different": self.different, "asShown": self.as_shown,
            "leftOut": self.skipped,
            "differences": differences.collect::<Vec<_>>(),
        })
    }
}

impl Difference {
    fn of(completion: &RecordedCompletion, replayed: Replayed) -> Self {
        let text = &completion.text;
        let line = text.byte_to_line(completion.cursor);
        let column = line_before(completion).chars().count();
        let place = format!("{} {}:{}:{}", minute(completion.time), completion.path, line + 1, column + 1);
        let (what, [recorded, now]) = match replayed {
            Replayed { prompts: Some(prompts), .. } => ("another prompt", first_difference(prompts)),
            Replayed { reads_on: true, .. } => {
                let whole: String = completion.answer.chunks.iter().map(|(_, text)| text.as_str()).collect();
                ("more of the answer is read than was recorded", [whole, String::new()])
            }
            Replayed { result, .. } => ("another result", [shown(&completion.result), shown(&result)]),
        };
        Self { place, what, recorded, now }
    }
}

fn shown(RecordedResult { code, text, shown, is_doubtful }: &RecordedResult) -> String {
    let doubt = if *is_doubtful { ", doubtful" } else { "" };
    match text {
        Some(text) => format!("{code}, {shown} units first{doubt}:\n{text}"),
        None => code.clone(),
    }
}

/// The first lines in which two prompts differ.
fn first_difference([recorded, now]: [String; 2]) -> [String; 2] {
    let same = recorded.lines().zip(now.lines()).take_while(|(a, b)| a == b).count();
    [recorded, now].map(|text| text.lines().nth(same).unwrap_or_default().chars().take(LINE).collect())
}

/// A text below others, with its name.
pub(super) fn quoted(name: &str, text: &str) -> String {
    let mut lines = text.lines();
    let mut quoted = format!("  {name:<9}{}", lines.next().unwrap_or("(nothing)").trim());
    lines.for_each(|line| quoted += &format!("\n           {line}"));
    quoted
}
