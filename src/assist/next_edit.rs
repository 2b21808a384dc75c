//! The next edit: the local engine first, then a model, and hunks as they come.

mod filter;
mod hunk;
mod input;
mod noise;
mod other_files;
mod params;
mod repeats;

use std::ops::Range;
use std::sync::Arc;

use super::excerpt::{Excerpt, untagged_reply};
use super::outcome::Origin;
use super::pipeline::{self, Answer, Pipeline, Task, blocking};
use crate::edit::Edit;
use crate::edit::reply::{self, Format, Reader};
use crate::job::{Job, Reason};
use crate::model::{Chunk, Request, Urgency, Usage};
use crate::prompt::{self, Prompt};
use crate::route::Gear;
use crate::workspace::Workspace;
pub use hunk::Hunk;
pub use params::NextEditParams;

/// Finds next edits and hands them on as soon as they are known.
///
/// `found` tells whether one of them can be shown. The local engine's come first, and no model is asked if one
/// of those can be.
pub(super) async fn run(
    pipeline: &Pipeline,
    params: Arc<NextEditParams>,
    mut found: impl FnMut(Vec<Hunk>) -> bool + Send,
) -> Result<Origin, Reason> {
    let index = &Arc::clone(&params.snapshot.workspace);
    let (hunks, why) = {
        let params = Arc::clone(&params);
        blocking(Job::NextEdit, move || by_rule(&params)).await?
    };
    if !hunks.is_empty() && found(hunks) {
        let origin = Origin::local(why);
        origin.log(Job::NextEdit);
        return Ok(origin);
    }
    let nothing = match ask(pipeline, index, Arc::clone(&params), &mut found).await {
        Err(reason @ (Reason::NothingToAdd | Reason::Unchanged | Reason::Refused { .. })) => reason,
        outcome => return outcome,
    };
    match blocking(Job::NextEdit, move || other_files::first_use(&params)).await? {
        // The reason for the file at hand is of more interest than one for another file.
        Some(other) => ask(pipeline, index, Arc::new(other), &mut found).await.map_err(|_| nothing),
        None => Err(nothing),
    }
}

/// What the local engine suggests, and why.
fn by_rule(params: &NextEditParams) -> (Vec<Hunk>, &'static str) {
    match repeats::repeats(params) {
        hunks if hunks.is_empty() => {
            (other_files::renames(params), "a name was changed that another file uses")
        }
        hunks => (hunks, "the same as in other places"),
    }
}

/// Asks a model about one file.
async fn ask(
    pipeline: &Pipeline,
    index: &Arc<Workspace>,
    params: Arc<NextEditParams>,
    found: &mut (impl FnMut(Vec<Hunk>) -> bool + Send),
) -> Result<Origin, Reason> {
    let nothing = Reason::NothingToAdd;
    let search = Search { params: Arc::clone(&params), index, found, has_shown: false, nothing };
    pipeline.run(&params.snapshot, search).await.map(|((), origin)| origin)
}

/// A search in one file.
struct Search<'a, F> {
    params: Arc<NextEditParams>,
    index: &'a Arc<Workspace>,
    found: &'a mut F,
    /// Whether one of the hunks so far can be shown.
    has_shown: bool,
    /// Why there is nothing to show, as far as is known.
    nothing: Reason,
}

impl<F: FnMut(Vec<Hunk>) -> bool + Send> Task for Search<'_, F> {
    const JOB: Job = Job::NextEdit;
    type Shown = Arc<Excerpt>;
    /// Hunks are validated and handed on while they are read.
    type Draft = ();
    type Output = ();

    fn target(&self) -> Range<usize> {
        self.params.cursor..self.params.cursor
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, Arc<Excerpt>), Reason> {
        let params = Arc::clone(&self.params);
        let excerpt = blocking(Job::NextEdit, move || input::excerpt(&params)).await?;
        Ok((prompt::next_edit::render(&input::input(&self.params, &excerpt)), Arc::new(excerpt)))
    }

    fn request(&self, request: Request) -> Request {
        Request { urgency: Urgency::Typing, ..request }
    }

    /// Hands on each hunk as soon as its closing tag is there and it passes the filter.
    async fn read(&mut self, excerpt: Arc<Excerpt>, mut answer: Answer) -> Result<((), Usage), Reason> {
        let params = Arc::clone(&self.params);
        let begin = || {
            Reader::new(reply::Request {
                text: &excerpt.text,
                path: Some(&params.snapshot.path),
                range: Some(0..excerpt.text.len()),
                window: Some(&excerpt.window),
                grammar: params.snapshot.document.grammar(),
            })
        };
        let mut reader = begin();
        let mut read: Vec<Edit> = Vec::new();
        let usage = loop {
            match answer.next().await {
                Ok(Some(Chunk::Text(text))) => {
                    let edits = reader.push(&text);
                    read.extend(edits.iter().cloned());
                    self.hand_on(&excerpt, edits).await;
                }
                Ok(Some(Chunk::Restart)) if self.has_shown => return Err(pipeline::restarted()),
                Ok(Some(Chunk::Restart)) => {
                    (reader, self.nothing) = (begin(), Reason::NothingToAdd);
                    read.clear();
                }
                Ok(Some(Chunk::Done(usage))) => break usage,
                Err(reason) if !self.has_shown => return Err(reason),
                // The edits that came before it broke off are complete.
                Ok(None) | Err(_) => break Usage::default(),
            }
        };
        // Formats without a mark at the end of each edit come out now.
        match reader.finish() {
            Ok(outcome) if matches!(outcome.format, Format::Region | Format::Whole) => {
                self.nothing = untagged_reply().into();
            }
            Ok(outcome) => {
                let rest = outcome.edits.into_iter().filter(|edit| !read.contains(edit)).collect();
                self.hand_on(&excerpt, rest).await;
            }
            Err(refusal) if self.nothing == Reason::NothingToAdd => self.nothing = refusal.into(),
            Err(_) => {}
        }
        if self.has_shown { Ok(((), usage)) } else { Err(self.nothing.clone()) }
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<(), Reason> {
        Err(withheld.unwrap_or(Reason::NothingToAdd))
    }

    async fn validate(&mut self, (): ()) -> Result<(), Reason> {
        Ok(())
    }
}

impl<F: FnMut(Vec<Hunk>) -> bool + Send> Search<'_, F> {
    /// Filters edits, and hands on the hunks that pass.
    async fn hand_on(&mut self, excerpt: &Arc<Excerpt>, edits: Vec<Edit>) {
        if edits.is_empty() {
            return;
        }
        let (params, excerpt, index) =
            (Arc::clone(&self.params), Arc::clone(excerpt), Arc::clone(self.index));
        let hunks = move || filter::hunks(&params, &excerpt, &index, edits);
        match blocking(Job::NextEdit, hunks).await.and_then(|hunks| Ok(hunks?)) {
            Ok(hunks) => self.has_shown |= !hunks.is_empty() && (self.found)(hunks),
            Err(reason) => self.nothing = reason,
        }
    }
}
