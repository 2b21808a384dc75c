//! Ghost text: window, prompt, stream, trim.

mod early;
mod site;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use tokio::time::sleep_until;

use super::Assist;
use super::completion_params::CompletionParams;
use super::outcome::{Completion, Origin};
use super::pipeline::{self, AnswerStream, Task};
use super::predictions::{self, Predictions};
use super::validate::{Confidence, Requirements, Validator};
use crate::context::{NearbySecrets, Window, WindowSize};
use crate::edit::Refusal;
use crate::edit::trim::{CursorContext, CursorFacts, Ghost};
use crate::job::{Job, Reason};
use crate::local;
use crate::model::{Chunk, Fim, OpenDocument, Request, Urgency, Usage};
use crate::prompt::{self, Prompt};
use crate::route::{Availability, Gear, RouteInput};
use crate::snapshot::Snapshot;
use early::Early;
use site::Site;

/// Bytes by which a suggestion grows before it is parsed again while it streams.
const FOLLOWED_BYTES: usize = 12;

/// The reason for nothing if only the beginning of a long construct may be shown, which is no code by itself.
const CAPPED: Refusal =
    Refusal::Truncated { inside: "a construct of more lines than `max_ghost_lines` allows" };

/// A suggestion while it is being written.
#[derive(Debug, Clone, Copy)]
pub struct Partial<'a> {
    /// The text so far.
    pub text: &'a str,
    /// The beginning of it that can be shown already; empty until there is one.
    pub ready: &'a str,
}

/// Called each time a suggestion has grown, and once, with empty text, when a request that had to
/// [wait](CompletionParams::not_before) is about to be sent. `Break` ends the call.
pub type OnPartial<'a> = dyn FnMut(Partial<'_>) -> ControlFlow<()> + Send + 'a;

impl Assist {
    /// Ghost text. `progress` sees it as it grows, and can end the call.
    ///
    /// # Errors
    ///
    /// The reason why there is no result.
    pub async fn complete(
        &self,
        snapshot: &Snapshot,
        params: CompletionParams,
        progress: &mut OnPartial<'_>,
    ) -> Result<(Completion, Origin), Reason> {
        let Self { pipeline, predictions, parse_cache, windows } = self;
        let (whole, start) = snapshot.with_cells();
        let (snapshot, params) = (&*whole, CompletionParams { cursor: start + params.cursor, ..params });
        let CompletionParams { cursor, eagerness, invoked, .. } = params;
        let document = &snapshot.document;
        let (path, outline) = (snapshot.path.to_string(), &*snapshot.outline);
        let secrets = Window::secrets(document, cursor);
        let window = match windows.first() {
            Some(span) => Window::showing(document, span.clone(), cursor, path, outline),
            None => Window::with_secrets(document, cursor, path, outline, &secrets),
        };
        let window = Arc::new(window);
        let max_lines = snapshot.settings.max_ghost_lines;
        let facts = Arc::<CursorFacts>::default();
        let place = CursorContext {
            before: &window.before,
            after: &window.after,
            grammar: document.grammar(),
            max_lines,
            facts: &facts,
        };
        // An explicit request shows doubtful text, too; at `Confidence::Low` no doubt would be found.
        let least = if invoked { Confidence::Medium } else { Confidence::least(eagerness, false) };
        let index = &snapshot.workspace;
        let requirements = Requirements { max_lines, least, index, parse_cache };
        let validator = Validator::new(document, cursor, &window, &facts, requirements);
        let allow_invisible = snapshot.settings.allow_invisible_characters;
        let site = Site { place, eagerness, invoked, validator, allow_invisible };
        let task = CompletionTask {
            site,
            params,
            snapshot,
            window: &window,
            secrets,
            smaller: None,
            sizes: WindowSize::SMALLER.iter(),
            given: windows,
            shown: vec![window.span(cursor)],
            predictions,
            progress,
        };
        pipeline.run(snapshot, task).await
    }
}

/// The task of one call.
struct CompletionTask<'a> {
    site: Site<'a>,
    params: CompletionParams,
    snapshot: &'a Snapshot,
    window: &'a Window,
    secrets: NearbySecrets,
    /// The window for a model that cannot read the whole window in time.
    smaller: Option<Window>,
    /// The sizes that have not been tried yet.
    sizes: std::slice::Iter<'static, WindowSize>,
    /// The windows to use, instead of those that the rules cut.
    given: &'a [Range<usize>],
    /// The windows that were tried.
    shown: Vec<Range<usize>>,
    predictions: &'a Predictions,
    progress: &'a mut OnPartial<'a>,
}

impl CompletionTask<'_> {
    fn shown(&self) -> &Window {
        self.smaller.as_ref().unwrap_or(self.window)
    }
}

/// A suggestion whose end is not trimmed yet.
struct Untrimmed<'a> {
    ghost: Ghost<'a>,
    /// Whether it ended on its own or was ended on purpose, rather than by a limit.
    is_complete: bool,
    /// Whether that limit was the deadline.
    is_late: bool,
    /// Whether it is a prediction with a calibrated probability of being correct.
    is_prediction: bool,
}

impl<'a> Task for CompletionTask<'a> {
    const JOB: Job = Job::Complete;
    type Shown = ();
    type Draft = Untrimmed<'a>;
    type Output = Completion;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        let CompletionParams { invoked, variant, .. } = self.params;
        // An explicit request does not wait for the next probe of a model that failed: it tries the model once.
        match facts.fast {
            Availability::Down if invoked && variant == 0 => {
                RouteInput { fast: Availability::Ready, ..facts }
            }
            _ => facts,
        }
    }

    fn target(&self) -> Range<usize> {
        self.params.cursor..self.params.cursor
    }

    fn secrets(&self) -> Option<&NearbySecrets> {
        Some(&self.secrets)
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        Ok((prompt::complete::render(self.shown()), ()))
    }

    fn request(&self, mut request: Request) -> Request {
        let CompletionParams { invoked, variant, .. } = self.params;
        if variant > 0 {
            request.instructions.to_mut().push_str(&prompt::complete::variant(variant + 1));
        }
        let urgency = if invoked { Urgency::Invoked } else { Urgency::Typing };
        Request { urgency, ..request }
    }

    fn fim(&self) -> Option<Fim> {
        let Window { before, after, path, .. } = self.shown();
        Some(Fim {
            prefix: before.clone(),
            suffix: after.clone(),
            path: path.clone(),
            extra: Vec::new(),
            is_variant: self.params.variant > 0,
        })
    }

    fn document(&self) -> Option<Box<OpenDocument>> {
        let (document, cursor) = (&self.snapshot.document, self.params.cursor);
        Some(Box::new(OpenDocument {
            uri: document.id().as_str().to_owned(),
            language_id: self.snapshot.language_id.to_string(),
            before: document.slice(0..cursor),
            after: document.slice(cursor..document.text().len_bytes()),
            is_variant: self.params.variant > 0,
        }))
    }

    fn completion(&self) -> Option<CompletionParams> {
        Some(self.params)
    }

    fn windows(&self) -> &[Range<usize>] {
        &self.shown
    }

    fn completed(output: &Completion) -> Option<&Completion> {
        Some(output)
    }

    fn shrink(&mut self) -> bool {
        let Some(size) = self.sizes.next() else { return false };
        let cursor = self.params.cursor;
        let document = &self.snapshot.document;
        let smaller = match self.given.get(self.shown.len()) {
            Some(span) => Window::showing(document, span.clone(), cursor, self.window.path.clone(), ""),
            None => self.window.smaller(document, cursor, *size),
        };
        self.shown.push(smaller.span(cursor));
        self.smaller = Some(smaller);
        true
    }

    async fn until_due(&mut self) -> Result<(), Reason> {
        let Some(due) = self.params.not_before else { return Ok(()) };
        sleep_until(due).await;
        match (self.progress)(Partial { text: "", ready: "" }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Reason::Superseded),
        }
    }

    /// Reads the answer until it ends or the rest no longer matters.
    async fn read(&mut self, (): (), mut answer: AnswerStream) -> Result<(Untrimmed<'a>, Usage), Reason> {
        self.site.validator.prepare();
        let mut draft =
            Untrimmed { ghost: self.site.ghost(), is_complete: false, is_late: false, is_prediction: false };
        draft.ghost.prepare();
        let mut early = Early::default();
        // Bytes of the suggestion that have been parsed.
        let mut followed = 0;
        let mut item = None;
        loop {
            let chunk = match answer.ready() {
                Some(chunk) => chunk,
                None => {
                    // Nothing waits for this parse, and the final validation can reuse it.
                    let text = draft.ghost.so_far();
                    if text.len() >= followed + FOLLOWED_BYTES {
                        self.site.validator.parse_partial(text);
                        followed = text.len();
                    }
                    match answer.next_or_timeout().await {
                        Some(chunk) => chunk,
                        None => {
                            // The part that arrives later is kept for this position.
                            early.take_beginning(&self.site, &draft.ghost).await;
                            let text = draft.ghost.so_far();
                            if (self.progress)(Partial { text, ready: &early.ready }).is_break() {
                                return Err(Reason::Superseded);
                            }
                            continue;
                        }
                    }
                }
            };
            match chunk {
                Ok(Some(Chunk::Text(piece))) => {
                    if draft.ghost.push(&piece).is_break() {
                        return Ok((
                            Untrimmed { is_complete: true, ..draft },
                            Usage { item, ..Usage::default() },
                        ));
                    }
                    early.update(&self.site, &draft.ghost).await;
                    let text = draft.ghost.so_far();
                    if (self.progress)(Partial { text, ready: &early.ready }).is_break() {
                        return Err(Reason::Superseded);
                    }
                }
                // The beginning may be on screen already; it is dropped with its call.
                Ok(Some(Chunk::Restart)) if !early.ready.is_empty() => return Err(pipeline::restarted()),
                Ok(Some(Chunk::Restart)) => {
                    draft.ghost = self.site.ghost();
                    early = Early::default();
                    followed = 0;
                }
                Ok(Some(Chunk::Done(usage))) => {
                    return Ok((
                        Untrimmed { is_complete: !usage.truncated, ..draft },
                        Usage { item, ..usage },
                    ));
                }
                // Only models that predict edits report the format that they write.
                Ok(Some(Chunk::Dialect(_))) => {}
                Ok(Some(Chunk::Item(number))) => item = Some(number),
                // A stream without an end marker was cut off; the text before that may still be useful.
                Ok(None) | Err(Reason::Deadline) if !draft.ghost.is_empty() => {
                    return Ok((Untrimmed { is_late: chunk.is_err(), ..draft }, Usage::default()));
                }
                Ok(None) => return Err(Reason::NothingToAdd),
                Err(reason) => return Err(reason),
            }
        }
    }

    /// A prediction, or else the suggestion of a rule.
    ///
    /// Explicit requests, and files that the local engine does not learn, also get less certain suggestions.
    fn local(&mut self, withheld: Option<Reason>) -> Result<Untrimmed<'a>, Reason> {
        let CompletionParams { cursor, eagerness, variant, invoked, .. } = self.params;
        if variant > 0 {
            return Err(Reason::NothingToAdd);
        }
        let predictions = withheld.is_none().then_some(self.predictions);
        let level = predictions::level(eagerness, invoked);
        let predicted = predictions.and_then(|it| it.predict(self.snapshot, cursor, level));
        let is_prediction = predicted.is_some();
        let rule = match predictions {
            Some(_) if !invoked => local::complete_surely,
            _ => local::complete,
        };
        let text = predicted.or_else(|| rule(&self.window.before, &self.window.after));
        let text = text.ok_or(withheld.unwrap_or(Reason::NothingToAdd))?;
        let mut ghost = self.site.ghost();
        // A break only drops later text, and there is no later text.
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = ghost.push(&text);
        Ok(Untrimmed { ghost, is_complete: true, is_late: false, is_prediction })
    }

    fn has_fallback(&self) -> bool {
        self.params.variant == 0
    }

    async fn validate(&mut self, draft: Untrimmed<'a>) -> Result<Completion, Reason> {
        let Untrimmed { ghost, is_complete, is_late, is_prediction } = draft;
        let reach = self.site.reach(&ghost);
        if !is_prediction
            && let Some(text) = ghost.as_written(is_complete)
            && self.site.validator.leaves_no_error(text.clone()).await?
        {
            return self.site.suggestion(text, is_complete, reach).await;
        }
        let text = match is_prediction {
            true => ghost.finish_as_is()?.to_owned(),
            false => match ghost.finish(is_complete) {
                Err(cut @ Refusal::Truncated { .. }) if self.params.invoked => {
                    // A retry may be quicker, so the answer is not at fault.
                    let otherwise = || if is_late { Reason::Deadline } else { cut.into() };
                    let text = self.site.beginning(&ghost).await.ok_or_else(otherwise)?;
                    return Ok(Completion { shown: text.len(), text, is_doubtful: true });
                }
                text => text?,
            },
        };
        match text {
            text if text.is_empty() => Err(Reason::NothingToAdd),
            // It may end inside a statement; its chance of being right is known better than a parse can show.
            text if is_prediction => Ok(Completion { shown: text.len(), text, is_doubtful: false }),
            text => self.site.suggestion(text, is_complete, reach).await.map_err(|reason| match reason {
                Reason::Refused(Refusal::Syntax { .. }) if ghost.is_capped() => CAPPED.into(),
                reason => reason,
            }),
        }
    }
}
