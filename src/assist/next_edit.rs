//! The next edit: from the local engine first, then from a model, whose edits are shown as they arrive.

mod aligned;
mod filter;
mod follow;
mod noise;
mod other_files;
mod params;
mod remaining_uses;
mod repeats;
mod reshaped;
mod reversal;
mod steps;
mod suggested_edit;
mod trained;
mod unopened;

use std::ops::Range;
use std::sync::Arc;

use super::excerpt::Excerpt;
use super::outcome::Origin;
use super::pipeline::{self, AnswerStream, Pipeline, Task, blocking};
use crate::config::EditDialect;
use crate::context;
use crate::edit::{Format, Reader, Refusal, Unchecked};
use crate::job::{Job, Reason};
use crate::local::repeat::{Renamed, Repeats};
use crate::model::{Chunk, Model, Request, Urgency, Usage};
use crate::prompt::next_edit::NextEditInput;
use crate::prompt::{self, Prompt};
use crate::route::Gear;
use crate::snapshot::{Rename, Snapshot};
use crate::workspace::Workspace;
use filter::Passing;
pub use params::{DescribeUnopened, NextEditParams, UnopenedFile, UnopenedFiles};
pub(super) use remaining_uses::remaining_uses;
pub use remaining_uses::{FileLocation, Remnants};
use reshaped::Reshaped;
pub use suggested_edit::SuggestedEdit;
use trained::TrainedScene;
use unopened::Unopened;

/// Finds next edits and passes them on as soon as they are known.
///
/// `found` returns whether one of its edits can be shown. The local engine's edits come first. Unless they are
/// certain, a model is asked as well, since it may find more. The result also contains the reason why other
/// edits were not shown.
pub(super) async fn run(
    pipeline: &Pipeline,
    params: Arc<NextEditParams>,
    mut found: impl FnMut(Vec<SuggestedEdit>) -> bool + Send,
) -> Result<(Origin, Option<Reason>), Reason> {
    let index = &Arc::clone(&params.snapshot.workspace);
    let LocalEdits { edits, why, is_certain, unsure } = local_edits(&params).await?;
    if !edits.is_empty() && found(edits.clone()) {
        let origin = Origin::local(why);
        origin.log(Job::NextEdit);
        if is_certain {
            return Ok((origin, None));
        }
        // Edits on the lines of the shown edits either repeat or contradict them.
        let mut others = |more: Vec<SuggestedEdit>| {
            let is_other = |edit: &SuggestedEdit| !edits.iter().any(|shown| shown.shares_a_line(edit));
            let more: Vec<SuggestedEdit> = more.into_iter().filter(is_other).collect();
            !more.is_empty() && found(more)
        };
        let asked = ask(pipeline, index, params, &mut others).await;
        return Ok(asked.unwrap_or_else(|reason| (origin, Some(reason))));
    }
    let nothing = match ask(pipeline, index, Arc::clone(&params), &mut found).await {
        Err(Reason::NothingFollows) => match unsure {
            Some(why) => Reason::Unusable { code: "unsure", why },
            None => Reason::NothingFollows,
        },
        Err(reason) if reason.is_lasting() => reason,
        outcome => return outcome,
    };
    match first_use(&params).await? {
        // The reason for the current file is more useful than one for another file.
        Some(other) => ask(pipeline, index, Arc::new(other), &mut found).await.map_err(|_| nothing),
        None if nothing == Reason::NothingFollows => {
            Err(blocking(Job::NextEdit, move || reshaped::lack(&params)).await?.unwrap_or(nothing))
        }
        None => Err(nothing),
    }
}

/// The local engine's suggestions, and their reason.
struct LocalEdits {
    edits: Vec<SuggestedEdit>,
    why: &'static str,
    /// Whether a model has nothing to add.
    is_certain: bool,
    /// Why a rename leads to none.
    unsure: Option<String>,
}

impl LocalEdits {
    fn of_rename(edits: Vec<SuggestedEdit>) -> Self {
        Self { edits, why: "its declaration was renamed in another file", is_certain: true, unsure: None }
    }

    /// A model may have more to say: of the body, or of a value that is unknown here.
    fn of_reshape(edits: Vec<SuggestedEdit>) -> Self {
        Self { edits, why: reshaped::WHY, is_certain: false, unsure: None }
    }
}

async fn local_edits(params: &Arc<NextEditParams>) -> Result<LocalEdits, Reason> {
    let these = Arc::clone(params);
    let (local, unopened) = blocking(Job::NextEdit, move || by_rule(&these)).await?;
    let Some(unopened) = unopened else { return Ok(local) };
    Ok(match unopened {
        Follow::Rename(files) => {
            files.first(params, other_files::renames).await.map_or(local, LocalEdits::of_rename)
        }
        Follow::Reshape(files) => {
            files.first(params, reshaped::in_files).await.map_or(local, LocalEdits::of_reshape)
        }
    })
}

/// The unopened files that may have to follow a change.
enum Follow {
    Rename(Unopened),
    Reshape(Unopened),
}

/// The local engine's suggestions for open files, and the unopened files that must be read for more.
fn by_rule(params: &NextEditParams) -> (LocalEdits, Option<Follow>) {
    let change = Reshaped::of(params);
    let Repeats { edits, renamed, why, unsure } =
        repeats::repeats(params, change.as_ref().map(|it| it.edits));
    if (renamed.is_none() || edits.is_empty())
        && let Some(edits) = change.as_ref().and_then(|it| it.here(params))
    {
        return (LocalEdits::of_reshape(edits), None);
    }
    if edits.is_empty() {
        if let Some(edits) = other_files::renames(params, &mut other_files::open(params)) {
            return (LocalEdits::of_rename(edits), None);
        }
        if let Some(edits) = change.as_ref().and_then(|it| it.in_open_files(params)) {
            return (LocalEdits::of_reshape(edits), None);
        }
        let (edits, why) = other_files::same_lines(params).unwrap_or_default();
        let renamed = other_files::with_old_name(params);
        let unsure = unsure
            .map(|it| it.to_string())
            .or_else(|| other_files::unsure(params, renamed.is_some()))
            .filter(|_| edits.is_empty());
        let follow = renamed.map(Follow::Rename).or_else(|| {
            let change = change.filter(|_| edits.is_empty())?;
            change.unopened(params).map(Follow::Reshape)
        });
        return (LocalEdits { edits, why, is_certain: false, unsure }, follow);
    }
    let document = &params.snapshot.document;
    let rename = renamed.map(|Renamed { from, to, at }| {
        let at = at..at + to.len();
        Arc::new(Rename { document: document.id().clone(), revision: document.revision(), from, to, at })
    });
    let edit = |edit| SuggestedEdit::local(document, edit, rename.as_ref());
    let edits = edits.into_iter().map(edit).collect();
    (LocalEdits { edits, why, is_certain: rename.is_some(), unsure: None }, None)
}

/// The request about another file than the current one, open files first.
async fn first_use(params: &Arc<NextEditParams>) -> Result<Option<NextEditParams>, Reason> {
    let these = Arc::clone(params);
    let in_open = move || match other_files::first_use(&these, &mut other_files::open(&these)) {
        Some(other) => (Some(other), None),
        None => (None, other_files::with_new_name(&these)),
    };
    let (other, unopened) = blocking(Job::NextEdit, in_open).await?;
    Ok(match unopened {
        Some(files) => {
            let shown = |params: &NextEditParams, files: &mut dyn Iterator<Item = Snapshot>| {
                other_files::first_use(params, &mut files.filter(unopened::may_be_shown))
            };
            files.first(params, shown).await
        }
        None => other,
    })
}

/// Asks a model about one file.
async fn ask(
    pipeline: &Pipeline,
    index: &Arc<Workspace>,
    params: Arc<NextEditParams>,
    found: &mut (impl FnMut(Vec<SuggestedEdit>) -> bool + Send),
) -> Result<(Origin, Option<Reason>), Reason> {
    let nothing = Reason::NothingFollows;
    let dialects = pipeline.models.of(Gear::Fast).map_or(Vec::new(), Model::edit_dialects);
    let search = NextEditTask {
        params: Arc::clone(&params),
        index,
        found,
        has_shown: false,
        nothing,
        dialects,
        trained: None,
    };
    pipeline.run(&params.snapshot, search).await.map(|(beside, origin)| (origin, beside))
}

/// A search in one file.
struct NextEditTask<'a, F> {
    params: Arc<NextEditParams>,
    index: &'a Arc<Workspace>,
    found: &'a mut F,
    /// Whether one of the edits so far can be shown.
    has_shown: bool,
    /// The best reason so far for showing nothing, or nothing more.
    nothing: Reason,
    /// The formats of models that were trained to predict edits.
    dialects: Vec<EditDialect>,
    /// The input for such models.
    trained: Option<TrainedScene>,
}

impl<F: FnMut(Vec<SuggestedEdit>) -> bool + Send> Task for NextEditTask<'_, F> {
    const JOB: Job = Job::NextEdit;
    type Shown = Arc<Excerpt>;
    /// Edits are validated and passed on while they are read. What remains is why some were not.
    type Draft = Option<Reason>;
    type Output = Option<Reason>;

    fn target(&self) -> Range<usize> {
        self.params.cursor..self.params.cursor
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, Arc<Excerpt>), Reason> {
        let (params, is_trained) = (Arc::clone(&self.params), !self.dialects.is_empty());
        let cut = move || {
            let trained = if is_trained { TrainedScene::of(&params) } else { None };
            (excerpt(&params), trained)
        };
        let (excerpt, trained) = blocking(Job::NextEdit, cut).await?;
        self.trained = trained;
        Ok((prompt::next_edit::render(&input(&self.params, &excerpt)), Arc::new(excerpt)))
    }

    fn request(&self, request: Request) -> Request {
        let edits = self.trained.as_ref().map_or(Vec::new(), |scene| scene.prompts(&self.dialects));
        Request { urgency: Urgency::Typing, edits, ..request }
    }

    /// Passes each edit on as soon as its closing tag has arrived and it passes the filter.
    async fn read(
        &mut self,
        excerpt: Arc<Excerpt>,
        mut answer: AnswerStream,
    ) -> Result<(Option<Reason>, Usage), Reason> {
        let params = Arc::clone(&self.params);
        let begin = || Reader::new(excerpt.request(&params.snapshot));
        let mut reader = begin();
        let mut read = Unchecked::default();
        // The answer of a model that writes a whole region.
        let mut whole = String::new();
        let usage = loop {
            match answer.next().await {
                Ok(Some(Chunk::Text(text))) if answer.dialect.is_some() => whole.push_str(&text),
                Ok(Some(Chunk::Text(text))) => {
                    let edits = reader.push(&text);
                    read.extend(edits.clone());
                    self.hand_on(&excerpt, edits).await;
                }
                Ok(Some(Chunk::Restart)) if self.has_shown => return Err(pipeline::restarted()),
                Ok(Some(Chunk::Restart)) => {
                    (reader, self.nothing) = (begin(), Reason::NothingFollows);
                    read = Unchecked::default();
                    whole.clear();
                }
                Ok(Some(Chunk::Dialect(_) | Chunk::Item(_))) => {}
                Ok(Some(Chunk::Done(usage))) => break Some(usage),
                Err(reason) if !self.has_shown => return Err(reason),
                // The edits before the stream broke off are complete.
                Ok(None) | Err(_) => break None,
            }
        };
        if let Some((dialect, scene)) = answer.dialect.zip(self.trained.clone()) {
            let edits = scene.read(&params, dialect, &whole, usage.as_ref())?;
            self.hand_on(&scene.excerpt, edits).await;
            return self.outcome(usage);
        }
        // Edits in formats without an end marker are known only now.
        match reader.finish() {
            Ok(outcome) if matches!(outcome.format, Format::Region | Format::Whole) => {
                self.nothing = Refusal::untagged().into();
            }
            Ok(outcome) => {
                self.hand_on(&excerpt, outcome.edits.without(&read)).await;
            }
            Err(refusal) if !self.has_shown && self.nothing == Reason::NothingFollows => {
                self.nothing = refusal.into()
            }
            Err(_) => {}
        }
        self.outcome(usage)
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<Option<Reason>, Reason> {
        Err(withheld.unwrap_or(Reason::NothingFollows))
    }

    async fn validate(&mut self, refused: Option<Reason>) -> Result<Option<Reason>, Reason> {
        Ok(refused)
    }
}

impl<F: FnMut(Vec<SuggestedEdit>) -> bool + Send> NextEditTask<'_, F> {
    /// The outcome of an answer whose edits were passed on.
    fn outcome(&self, usage: Option<Usage>) -> Result<(Option<Reason>, Usage), Reason> {
        let nothing = self.nothing.clone();
        if self.has_shown {
            Ok(((nothing != Reason::NothingFollows).then_some(nothing), usage.unwrap_or_default()))
        } else {
            Err(nothing)
        }
    }

    /// Passes on the edits that pass the checks and the filter.
    async fn hand_on(&mut self, excerpt: &Arc<Excerpt>, edits: Unchecked) {
        if edits.is_empty() {
            return;
        }
        let (params, excerpt, index) =
            (Arc::clone(&self.params), Arc::clone(excerpt), Arc::clone(self.index));
        let passing = move || filter::passing(&params, &excerpt, &index, edits);
        match blocking(Job::NextEdit, passing).await.and_then(|passing| Ok(passing?)) {
            Ok(Passing { edits, refused }) => {
                self.has_shown |= !edits.is_empty() && (self.found)(edits);
                if let Some(refusal) = refused {
                    self.nothing = refusal.into();
                }
            }
            Err(reason) => self.nothing = reason,
        }
    }
}

/// The part of the file in which the next edit may be.
fn excerpt(params: &NextEditParams) -> Excerpt {
    let document = &params.snapshot.document;
    Excerpt::of(document, context::next_edit::parts(document, params.cursor, &follow::names(params)))
}

/// The input of the prompt.
fn input(params: &NextEditParams, excerpt: &Excerpt) -> NextEditInput {
    let document = &params.snapshot.document;
    let line = document.line_start(params.cursor)..document.next_line_start(params.cursor);
    let cursor =
        excerpt.tag_at(params.cursor).map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
    NextEditInput {
        path: params.snapshot.path.to_string(),
        language: document.language_name().to_owned(),
        steps: steps::steps(params),
        problems: params.diagnostics.iter().map(|it| it.prompt_line(document)).collect(),
        window: excerpt.window.render(&excerpt.text),
        cursor: cursor.unwrap_or_default(),
    }
}
