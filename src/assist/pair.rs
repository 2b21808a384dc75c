//! The other jobs of a pair programmer, as a table: the prompt of each, and the code that it may change.
//!
//! A job that changes code is an instruction for a rewrite or a plan, which do the rest. The others produce
//! text.

use std::ops::Range;
use std::time::Duration;

use tokio::sync::watch;

use super::Assist;
use super::commit_message;
use super::outcome::Origin;
use super::pace;
use super::pipeline::{AnswerStream, Task, WholeAnswer};
use crate::edit::{self, Refusal};
use crate::job::{Job, Reason};
use crate::model::{Request, Urgency, Usage};
use crate::prompt::Prompt;
use crate::prompt::pair::{CodeTextContext, render};
use crate::route::{Gear, RouteInput};
use crate::snapshot::Snapshot;

/// Limit on the bytes of code or of a diff that a text is about.
pub const MOST_BYTES: usize = 96 * 1024;

/// A job.
#[derive(Debug)]
pub struct PairJob {
    /// Its name in commands and arguments.
    pub name: &'static str,
    /// The title of the code action for selected code; `None` if the job is about something else.
    pub title: Option<&'static str>,
    /// The code that the job may change.
    pub touches: Touches,
    /// The instruction of a rewrite or a plan, or the whole instructions if nothing changes.
    pub words: &'static str,
    /// Extracts the result from an answer.
    read: fn(&str) -> Result<String, Reason>,
}

/// The code that a job may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touches {
    /// Nothing: the job produces text.
    Nothing,
    /// The selected code.
    Selection,
    /// Files of the project.
    Project,
}

/// All jobs.
pub const JOBS: &[PairJob] = &[
    PairJob {
        name: "explain",
        title: Some("explain this code"),
        touches: Touches::Nothing,
        words: "You explain code to a colleague who reads it for the first time. The input shows where it is from after \
            <|what|> and the code after <|code|> (marks may be numbered, as in <|code-1|>). Say first what it is for in one \
            sentence, then how it does that, and last what is easy to miss: conditions, side effects, failures. Plain \
            sentences, at most fifteen lines of Markdown, no code except names. Do not repeat the code line by line.",
        read: as_written,
    },
    PairJob {
        name: "document",
        title: Some("document this code"),
        touches: Touches::Selection,
        words: "Document this code in the doc comments of its language: what each definition is for, and its parameters, \
            results and failures where they are not obvious from the names. Change no code, and keep what comments say that \
            is right.",
        read: as_written,
    },
    PairJob {
        name: "simplify",
        title: Some("simplify this code"),
        touches: Touches::Selection,
        words: "Simplify this code without changing what it does: fewer branches, less nesting, no repetition, no dead code. \
            Keep its names and signatures, its comments that still hold, and its style.",
        read: as_written,
    },
    PairJob {
        name: "tests",
        title: Some("write tests for this code"),
        touches: Touches::Project,
        words: "Write tests for the code that the user looks at. Find where this project has its tests, and how they are \
            written; extend the file that tests this code if there is one, else create one where such files are. Test what \
            the code promises, at its edges and in its failures too. Change nothing but tests, and what has to name a new \
            test file.",
        read: as_written,
    },
    PairJob {
        name: "review",
        title: Some("review this code"),
        touches: Touches::Nothing,
        words: "You review code before others see it. The input shows where it is from after <|what|> and the code after \
            <|code|> (marks may be numbered, as in <|code-1|>), each line behind its number in its file; in a change, `+` \
            marks lines that are new, and `-` those that went, and lines of other files that call what changed may \
            follow. Report what is wrong: bugs, broken callers, races, leaks, failures that are ignored, holes in \
            security, tests that prove nothing. No praise, no taste, nothing that a compiler or a formatter says. Write \
            each finding as one line, with path and number as they are shown:\n\
            src/a.rs:12: what goes wrong, and when\n\
            Where the right correction is small and certain, let one block follow the line:\n\
            <<<<<<< SEARCH\n\
            the current lines, without numbers and signs\n\
            =======\n\
            the new lines\n\
            >>>>>>> REPLACE\n\
            If nothing is wrong, reply NO_FINDINGS.",
        read: as_written,
    },
    PairJob {
        name: "commit-message",
        title: None,
        touches: Touches::Nothing,
        words: "You write the message of a commit. The input shows its diff after <|code|> and, after <|earlier|>, the \
            subjects of the project's last commits, if it has any (marks may be numbered, as in <|code-1|>). Reply with \
            the message alone: a subject of at most 72 characters, without a dot at its end, a blank line, and, unless the \
            subject says all, a body wrapped at 72 characters that says why and what a reader of the diff would not see. \
            Write the subject as the earlier ones are written: their mood, their capitals, their language, and a prefix \
            such as `fix:` or `parser:` only where most of them have one. Without earlier ones, write in the imperative, \
            with a capital and without a prefix. Take over no number of an issue. Invent no reason that the diff does \
            not show.",
        read: commit_message::read,
    },
    PairJob {
        name: "commit-ghost",
        title: None,
        touches: Touches::Nothing,
        words: "You finish the message of a commit while its author writes it. The input shows the commit's diff after \
            <|code|>, what the author has written after <|begun|>, if that is anything, and after <|earlier|> the \
            subjects of the project's last commits, if it has any (marks may be numbered, as in <|code-1|>). Reply with \
            the message alone, and begin it with exactly what the author has written. If that is nothing or a part of \
            the first line, reply with the first line alone: a subject of at most 72 characters, without a dot at its \
            end. Otherwise a body follows the subject and a blank line, wrapped at 72 characters, that says in a few \
            lines why, and what a reader of the diff would not see. Write the subject as the earlier ones are written: \
            their mood, their capitals, their language, and a prefix such as `fix:` or `parser:` only where most of \
            them have one. Without earlier ones, write in the imperative, with a capital and without a prefix. Take \
            over no number of an issue. Invent no reason that the diff does not show.",
        read: commit_message::read,
    },
];

/// The job with this name.
pub fn job(name: &str) -> Option<&'static PairJob> {
    JOBS.iter().find(|job| job.name == name)
}

/// The subject of a text.
#[derive(Debug, Clone, Default)]
pub struct PairSubject {
    /// The file's path, or another description of the code.
    pub what: String,
    /// The code, or a diff; at most [`MOST_BYTES`] of it are shown.
    pub code: String,
    /// Earlier texts of the same kind, whose style is to be followed.
    pub earlier: String,
    /// What the user is writing of the text; `None` if the user asks for it and waits.
    pub begun: Option<String>,
    /// The span of the code in the snapshot's document (bytes).
    pub span: Range<usize>,
}

impl Assist {
    /// A text about code: one of the [`pair`](self) jobs that change nothing.
    ///
    /// `said` receives a message about how long a slow model is expected to take.
    ///
    /// # Errors
    ///
    /// The reason why there is no result.
    pub async fn answer(
        &self,
        snapshot: &Snapshot,
        job: &'static PairJob,
        subject: PairSubject,
        said: Option<&watch::Sender<String>>,
    ) -> Result<(String, Origin), Reason> {
        if subject.code.len() > MOST_BYTES {
            let why = format!("it has more than {} KiB; take a part of it", MOST_BYTES / 1024);
            return Err(Reason::Unusable { code: "too-long", why });
        }
        self.pipeline.run(snapshot, PairTask { job, subject, said }).await
    }
}

struct PairTask<'a> {
    job: &'static PairJob,
    subject: PairSubject,
    said: Option<&'a watch::Sender<String>>,
}

impl Task for PairTask<'_> {
    const JOB: Job = Job::Answer;
    type Shown = ();
    type Draft = WholeAnswer;
    type Output = String;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        // Text that appears while the user types never waits for a deep model.
        let forced = self.subject.begun.as_ref().map(|_| Gear::Fast).or(facts.forced);
        RouteInput { instruction: self.job.name, code: &self.subject.code, forced, ..facts }
    }

    fn request(&self, request: Request) -> Request {
        let urgency = if self.subject.begun.is_some() { Urgency::Typing } else { request.urgency };
        Request { urgency, ..request }
    }

    fn target(&self) -> Range<usize> {
        self.subject.span.clone()
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        let PairSubject { what, code, earlier, begun, .. } = &self.subject;
        let begun = begun.as_deref().unwrap_or_default();
        Ok((render(CodeTextContext { instructions: self.job.words, what, earlier, code, begun }), ()))
    }

    fn expects(&mut self, expected: Duration) {
        if let Some(said) = self.said {
            said.send_replace(pace::expected(expected));
        }
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(WholeAnswer, Usage), Reason> {
        answer.whole().await
    }

    async fn validate(&mut self, answer: WholeAnswer) -> Result<String, Reason> {
        if !answer.has_ended {
            return Err(Refusal::MayBeCut.into());
        }
        let text = unfenced(edit::without_thinking(&answer.text)?).trim();
        if text.is_empty() {
            return Err(Refusal::Empty.into());
        }
        (self.job.read)(text)
    }
}

/// The trimmed text with a final newline.
fn as_written(text: &str) -> Result<String, Reason> {
    Ok(format!("{}\n", text.trim()))
}

/// A text without the fence that encloses all of it.
fn unfenced(text: &str) -> &str {
    let inner = || {
        let (_, rest) = text.trim().strip_prefix("```")?.split_once('\n')?;
        let inner = rest.strip_suffix("```")?;
        (!inner.contains("```")).then_some(inner)
    };
    inner().unwrap_or(text)
}

/// Prefixes each line of a part of a file with its number; the first line has the number `first`.
pub fn numbered(text: &str, first: usize) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{:>5} {line}\n", first + at)).collect()
}

/// Prefixes each line of a unified diff with its number in the new file.
pub fn numbered_diff(diff: &str) -> String {
    let mut shown = String::with_capacity(diff.len() * 5 / 4);
    // The next line's number, and the old and new lines left in the hunk.
    let (mut number, mut left) = (0, (0, 0));
    for line in diff.lines() {
        match line.as_bytes().first() {
            Some(b'+') if left.1 > 0 => {
                left.1 -= 1;
                shown.push_str(&format!("{number:>5} {line}\n"));
                number += 1;
            }
            Some(b'-') if left.0 > 0 => {
                left.0 -= 1;
                shown.push_str(&format!("      {line}\n"));
            }
            // Some tools omit the blank of an empty line.
            Some(b' ') | None if left.0 > 0 && left.1 > 0 => {
                left = (left.0 - 1, left.1 - 1);
                shown.push_str(&format!("{number:>5} {line}\n"));
                number += 1;
            }
            _ => {
                if let Some((old, (start, new))) = hunk(line) {
                    (number, left) = (start, (old, new));
                }
                shown.push_str(line);
                shown.push('\n');
            }
        }
    }
    shown
}

/// The old count, and the new start and count, of a hunk header: `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<(usize, (usize, usize))> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    Some((range(old)?.1, range(new)?))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn diff_has_the_numbers_of_its_new_lines() {
        let diff = "--- a/a.sql\n+++ b/a.sql\n@@ -3,3 +3,3 @@ fn a\n one\n--- two\n+++ zwei\n\n\
            @@ -9 +9,2 @@\n-x\n+y\n+z\n\\ No newline at end of file\n";
        expect![[r#"
            --- a/a.sql
            +++ b/a.sql
            @@ -3,3 +3,3 @@ fn a
                3  one
                  --- two
                4 +++ zwei
                5 
            @@ -9 +9,2 @@
                  -x
                9 +y
               10 +z
            \ No newline at end of file
        "#]]
        .assert_eq(&numbered_diff(diff));
    }

    #[test]
    fn names_and_marks_of_the_jobs_hold() {
        for (at, it) in JOBS.iter().enumerate() {
            assert!(JOBS[..at].iter().all(|other| other.name != it.name));
            let is_text = it.touches == Touches::Nothing;
            assert_eq!(it.words.contains("<|code|>"), is_text, "{}", it.name);
        }
    }

    #[test]
    fn fence_around_all_of_a_text_goes() {
        assert_eq!(unfenced("```text\nFix it\n```\n"), "Fix it\n");
        assert_eq!(unfenced("Run ```\nmake\n```"), "Run ```\nmake\n```");
        assert_eq!(unfenced("```\na\n```\nand\n```\nb\n```"), "```\na\n```\nand\n```\nb\n```");
    }
}
