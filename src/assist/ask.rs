//! Questions about the project: context, prompt, and answer.
//!
//! The locations in an answer are checked while it arrives.
//!
//! A model may cite a location that does not exist. So each cited location is looked up. A remark follows each
//! missing location, and each paragraph without a citation. Every location that is listed exists.

mod answer;
mod cite;
mod places;
mod request;

use std::path::Path;

use super::Assist;
use super::outcome::Origin;
use super::pipeline::{AnswerStream, Pipeline, Task, reading, restarted};
use crate::budget;
use crate::context::question::{Question, gather};
use crate::job::{Job, Reason};
use crate::model::{Chunk, Usage};
use crate::prompt::{self, Prompt};
use crate::route::{Gear, RouteInput};
pub use answer::{CheckedAnswer, CitedLocation};
use cite::Reader;
use places::Places;
pub use request::{AskRequest, ShowPath};

/// The lane for questions, which concern all folders.
const LANE: &str = "*ask*";
/// Appended to an answer that was longer than allowed.
const CUT_OFF: &str = "\n[the answer was longer than allowed and ends here]";

impl Assist {
    /// A model's answer to a question about the project.
    ///
    /// `said` receives the answer as it grows, with a remark after each location that is wrong.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer.
    pub async fn ask(
        &self,
        request: &AskRequest,
        said: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(CheckedAnswer, Origin), Reason> {
        let task = AskTask { pipeline: &self.pipeline, request, said };
        self.pipeline.run(&request.snapshot(), task).await
    }
}

struct AskTask<'a> {
    pipeline: &'a Pipeline,
    request: &'a AskRequest,
    said: &'a mut (dyn FnMut(&str) + Send),
}

impl Task for AskTask<'_> {
    const JOB: Job = Job::Ask;
    type Shown = ();
    type Draft = CheckedAnswer;
    type Output = CheckedAnswer;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        RouteInput { forced: self.request.gear, instruction: &self.request.question, ..facts }
    }

    async fn prompt(&mut self, gear: Gear) -> Result<(Prompt, ()), Reason> {
        let request = self.request.clone();
        let room = self.pipeline.models.of(gear).map(|model| self.pipeline.room(Job::Ask, model, gear));
        let readers = request.readers.clone();
        let found = reading(Job::Ask, (&readers, Path::new(LANE)), move || {
            gather(&Question {
                text: &request.question,
                workspace: &request.workspace,
                may_show: &|path| request.may_show(path),
                shown: &*request.shown,
                room: room.unwrap_or_default(),
                cancelled: &|| budget::is_over(1),
            })
        })
        .await?;
        if found.parts.is_empty() && found.paths.is_empty() {
            let why = "there is no file that a model may be shown for this; see `privacy.context`".to_owned();
            return Err(Reason::Unusable { code: "nothing-to-show", why });
        }
        let question: Vec<&str> = self.request.question.split_whitespace().collect();
        Ok((prompt::ask::render(&found.parts, &found.paths, &question.join(" ")), ()))
    }

    async fn read(&mut self, (): (), mut answer: AnswerStream) -> Result<(CheckedAnswer, Usage), Reason> {
        let readers = self.request.readers.clone();
        let begin = || Reader::new(Places::new(self.request.clone()));
        let mut reader = begin();
        let mut has_said = false;
        loop {
            let (text, usage) = match answer.next().await? {
                Some(Chunk::Text(text)) => (text, None),
                Some(Chunk::Restart) if has_said => return Err(restarted()),
                Some(Chunk::Restart) => {
                    reader = begin();
                    continue;
                }
                Some(Chunk::Dialect(_) | Chunk::Item(_)) => continue,
                Some(Chunk::Done(usage)) => (String::new(), Some(usage)),
                None => {
                    let why = "the connection broke off in the middle of the answer; try again";
                    return Err(Reason::Model(why.to_owned()));
                }
            };
            let is_cut = usage.as_ref().is_some_and(|usage| usage.truncated);
            let is_end = usage.is_some();
            // Locations are looked up on disk.
            let (after, said) = reading(Job::Ask, (&readers, Path::new(LANE)), move || {
                let mut said = reader.push(&text);
                if is_end {
                    said.push_str(&reader.finish());
                }
                if is_cut {
                    said.push_str(&reader.add(CUT_OFF));
                }
                (reader, said)
            })
            .await?;
            reader = after;
            if !said.is_empty() {
                has_said = true;
                (self.said)(&said);
            }
            if let Some(usage) = usage {
                let answer = reader.answer;
                if answer.text.trim().is_empty() {
                    let why = "the model gave no answer; put the question in other words".to_owned();
                    return Err(Reason::NoAnswer { code: "empty", why });
                }
                return Ok((answer, usage));
            }
        }
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<CheckedAnswer, Reason> {
        Err(withheld.unwrap_or(Reason::NoModel))
    }

    async fn validate(&mut self, draft: CheckedAnswer) -> Result<CheckedAnswer, Reason> {
        Ok(draft)
    }
}
