//! Ghost text: `textDocument/inlineCompletion`.
//!
//! A request is answered from what is there: the suggestion on screen, or one that a model is still writing. A call to
//! a model is no part of the request that began it ([`call`]): it lives as long as what is typed agrees with it, and
//! serves whoever asks next.

mod call;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use serde_json::json;
use tokio::time::Instant;
use tower_lsp::jsonrpc::Result;

use super::super::backend::Shared;
use super::super::capabilities::ACCEPT;
use super::super::wire::{self, Command, InlineItem};
use super::super::{convert, parse, status, task};
use super::MODEL_CAUSE;
use crate::config::Eagerness;
use crate::context::part;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Quiet, Reason};
use crate::route::Gear;
use crate::session::Decision;
use crate::session::ghost::policy::{self, Column, Facts, Verdict};
use crate::session::ghost::{Offer, Progress, Spot};
use crate::snapshot::Snapshot;
use call::Waiting;

/// How many suggestions a request by hand may get, unless the client shows fewer.
const BY_HAND: usize = 3;
/// How long the first of several suggestions waits for the others.
const OTHERS: Duration = Duration::from_millis(300);

/// Ghost text. Never an error unless the server fails: where there is nothing to show, the list is empty, and the
/// reason goes to the log.
pub(in crate::lsp) async fn complete(
    shared: &Arc<Shared>,
    request: wire::InlineCompletion,
) -> Result<Vec<InlineItem>> {
    let started = Instant::now();
    let shown = match begin(shared, &request) {
        Ok(Begun::Shown(items)) => Ok(items),
        Ok(Begun::Asked(request, registration)) => {
            let work = Abortable::new(request.answer(Arc::clone(shared)), registration);
            task::run(work).await?.unwrap_or(Err(Reason::Superseded))
        }
        Err(reason) => Err(reason),
    };
    remember(shared, &request, started, &shown);
    if shown.is_ok() {
        look_ahead(shared, &DocumentId::new(&request.text_document.uri));
    }
    Ok(shown.unwrap_or_else(|reason| nothing(shared, Job::Complete, &reason)))
}

/// Has the local engine learn a file that was opened, in the background.
pub(in crate::lsp) fn learn(shared: &Arc<Shared>, id: &DocumentId) {
    let Ok(snapshot) = shared.session().snapshot(id) else { return };
    let assist = shared.assist();
    tokio::spawn(async move { assist.opened(&snapshot.document, &snapshot.clearance).await });
}

/// Keeps what came of a request, for a user who wonders.
fn remember(
    shared: &Shared,
    request: &wire::InlineCompletion,
    started: Instant,
    shown: &std::result::Result<Vec<InlineItem>, Reason>,
) {
    let first = shown.as_ref().ok().and_then(|items| items.first()?.command.arguments.first()?.as_u64());
    let mut session = shared.session();
    let maker = first.and_then(|id| session.maker(id));
    let decision = Decision {
        at: status::now(),
        line: request.position.line,
        job: Job::Complete,
        invoked: request.is_invoked(),
        nothing: shown.as_ref().err().cloned(),
        route: None,
        gear: maker.as_ref().map(|maker| maker.gear.clone()),
        model: maker.and_then(|maker| maker.model),
        milliseconds: status::milliseconds(started.elapsed()),
    };
    session.decide(&DocumentId::new(&request.text_document.uri), decision);
}

/// Has what follows a suggestion made while it is looked at, if the user wants that.
fn look_ahead(shared: &Arc<Shared>, id: &DocumentId) {
    let eagerness = {
        let session = shared.session();
        let (Ok(snapshot), Ok(tracked)) = (session.snapshot(id), session.tracked(id)) else { return };
        snapshot.settings.speculate.then(|| snapshot.settings.eagerness(tracked.language_id()))
    };
    if let Some(eagerness) = eagerness.filter(|_| shared.assist().model_name(Gear::Fast).is_some()) {
        call::follow(shared, id, eagerness);
    }
}

/// How many suggestions a request by hand gets.
fn by_hand(shared: &Shared) -> usize {
    let shown = shared.client().candidates.and_then(|it| usize::try_from(it).ok());
    shown.map_or(BY_HAND, |shown| shown.clamp(1, BY_HAND))
}

/// How a request for ghost text begins.
enum Begun {
    /// It can be answered at once.
    Shown(Vec<InlineItem>),
    /// It has to wait for a call, or to make one.
    Asked(Box<Asked>, AbortRegistration),
}

/// A request that waits.
struct Asked {
    snapshot: Snapshot,
    spot: Spot,
    encoding: Encoding,
    invoked: bool,
    eagerness: Eagerness,
    indicator_only: bool,
    /// When to ask, if nothing fits until then; or why not to.
    due: std::result::Result<Instant, Reason>,
    /// The calls that it waits for.
    calls: Vec<Waiting>,
    /// Whether it has made calls of its own.
    has_asked: bool,
}

/// Everything that must see the session as it was when the request came: under one lock, with no wait.
fn begin(shared: &Arc<Shared>, request: &wire::InlineCompletion) -> std::result::Result<Begun, Reason> {
    let now = Instant::now();
    let id = DocumentId::new(&request.text_document.uri);
    let (handle, registration) = AbortHandle::new_pair();
    let invoked = request.is_invoked();
    let assist = shared.assist();
    let mut session = shared.session();
    let snapshot = session.snapshot(&id)?;
    let document = &snapshot.document;
    if request.text_document.version.is_some_and(|version| version != document.version()) {
        return Err(Reason::Stale);
    }
    let encoding = session.encoding();
    let spot = spot(document, request, encoding)?;
    // Whoever asked before is answered now, whatever becomes of this request.
    session.supersede(&id, handle);
    let language = session.tracked(&id)?.language_id().to_owned();
    let settings = &snapshot.settings;
    let habits = session.habits(&id, now.into_std());
    let (before, after) = convert::line_around(document, spot.cursor);
    let verdict = policy::decide(&Facts {
        invoked,
        eagerness: settings.eagerness(&language),
        enabled: settings.is_enabled(&language),
        disabled: settings.disable_in.iter().copied().collect(),
        part: part::at(document, spot.cursor),
        secret: policy::is_secret(&before),
        column: Column::of(&before, &after),
        habits,
        asks_a_model: assist.asks_a_model(&snapshot.clearance),
    });
    if let Verdict::No(reason) = &verdict
        && !policy::shows_what_is_there(reason)
    {
        return Err(reason.clone());
    }
    let most = if invoked { by_hand(shared) } else { 1 };
    let by_hand = if invoked { session.asked_by_hand(&id, &spot) } else { 0 };
    let asked = |due| Asked {
        snapshot: snapshot.clone(),
        spot: spot.clone(),
        encoding,
        invoked,
        eagerness: settings.eagerness(&language),
        indicator_only: settings.indicator_only,
        due,
        calls: Vec::new(),
        has_asked: false,
    };
    // What somebody asks for by hand is made now, unless it was made so already.
    if !invoked || by_hand > 0 {
        let offers = session.offers(&id, &spot, most, || shared.next_id());
        if !offers.is_empty() {
            return asked(Ok(now)).show(shared, &mut session, offers).map(Begun::Shown);
        }
    }
    let promising = session.promising(&id, &spot);
    if !invoked
        && promising.is_none()
        && let Some(reason) = session.known_nothing(&id, &spot)
    {
        return Err(reason);
    }
    let due = match verdict {
        Verdict::Ask => Ok(now),
        Verdict::Wait(wait) => Ok(now + wait),
        Verdict::No(reason) => Err(reason),
    };
    let mut asked = asked(due);
    if let Some(call) = promising.filter(|_| !invoked || by_hand > 0) {
        asked.calls.push(Waiting::new(shared, &mut session, document, call));
        asked.has_asked = invoked;
    } else {
        asked.due.clone()?;
    }
    drop(session);
    parse::schedule(shared, &id);
    if asked.calls.is_empty() && asked.due == Ok(now) {
        asked.ask(shared);
    }
    Ok(Begun::Asked(Box::new(asked), registration))
}

/// Where the request wants ghost text.
fn spot(
    document: &Document,
    request: &wire::InlineCompletion,
    encoding: Encoding,
) -> std::result::Result<Spot, Reason> {
    let cursor = convert::byte(document, request.position, encoding);
    let Some(selected) = &request.context.selected_completion_info else { return Ok(Spot::at(cursor)) };
    let span = convert::span(document, selected.range, encoding);
    // An item extends the menu's entry and has its range (LSP 3.18, `SelectedCompletionInfo`), which is on one line.
    let fits = span.end == cursor
        && document.line_start(span.start) == document.line_start(cursor)
        && !selected.text.contains(['\n', '\r']);
    if !fits {
        return Err(Reason::Quiet(Quiet::Menu));
    }
    Ok(Spot { cursor, selected: Some((span.start, selected.text.clone())) })
}

impl Asked {
    /// Waits until there is something to show, or nothing can be any more.
    async fn answer(
        mut self: Box<Self>,
        shared: Arc<Shared>,
    ) -> std::result::Result<Vec<InlineItem>, Reason> {
        let mut first = None;
        loop {
            let mut grown = std::pin::pin!(shared.grown.notified());
            // From here on nothing is missed.
            grown.as_mut().enable();
            let wake = match self.look(&shared, first)? {
                Look::Show(items) => return Ok(items),
                Look::Others => Some(*first.get_or_insert_with(|| Instant::now() + OTHERS)),
                Look::Wait => None,
                Look::Ask => match self.due.clone()? {
                    due if due <= Instant::now() => {
                        self.ask(&shared);
                        continue;
                    }
                    due => Some(due),
                },
            };
            match wake {
                // Which of the two it was is seen by looking again.
                Some(at) => _ = tokio::time::timeout_at(at, grown).await,
                None => grown.await,
            }
        }
    }

    /// Looks whether there is something to show now. `until` is when to stop waiting for more suggestions.
    fn look(&mut self, shared: &Shared, until: Option<Instant>) -> std::result::Result<Look, Reason> {
        let id = self.snapshot.document.id();
        let mut session = shared.session();
        if session.tracked(id)?.document().revision() != self.snapshot.document.revision() {
            return Err(Reason::Stale);
        }
        let states: Vec<Progress> = self.calls.iter().map(|it| session.progress(id, it.call())).collect();
        let is_growing = states.contains(&Progress::Growing);
        if self.invoked && !self.has_asked {
            return Ok(Look::Ask);
        }
        let is_late = until.is_some_and(|until| until <= Instant::now());
        if self.invoked && is_growing && !is_late && session.has_offer(id, &self.spot) {
            return Ok(Look::Others);
        }
        let most = if self.invoked { by_hand(shared) } else { 1 };
        let offers = session.offers(id, &self.spot, most, || shared.next_id());
        if !offers.is_empty() {
            return self.show(shared, &mut session, offers).map(Look::Show);
        }
        if is_growing {
            return Ok(Look::Wait);
        }
        if !self.has_asked {
            return Ok(Look::Ask);
        }
        let reason = states.into_iter().find_map(|it| match it {
            Progress::Nothing(reason) => Some(reason),
            Progress::Growing | Progress::Over => None,
        });
        Err(reason.or_else(|| session.known_nothing(id, &self.spot)).unwrap_or(Reason::Superseded))
    }

    /// Makes the calls.
    fn ask(&mut self, shared: &Arc<Shared>) {
        self.has_asked = true;
        let id = self.snapshot.document.id().clone();
        let has_model = shared.assist().model_name(Gear::Fast).is_some();
        let variants = match self.invoked && has_model {
            false => 0..1,
            true => 0..by_hand(shared),
        };
        // The newest comes first: the most likely one is made last.
        for variant in variants.rev() {
            let begun = call::begin(shared, self, &id, variant);
            self.calls.extend(begun);
        }
    }

    /// The items of some suggestions, which are now on screen.
    fn show(
        &self,
        shared: &Shared,
        session: &mut crate::session::Session,
        mut offers: Vec<Offer>,
    ) -> std::result::Result<Vec<InlineItem>, Reason> {
        if self.indicator_only && !self.invoked {
            session.indicate(self.snapshot.document.id());
            return Err(Reason::Quiet(Quiet::IndicatorOnly));
        }
        let has_room = self.invoked && offers.len() < by_hand(shared) && !shared.client().takes_parts;
        if let Some(first) = offers.first().filter(|_| has_room) {
            let id = self.snapshot.document.id();
            offers.extend(session.first_line(id, first, || shared.next_id()));
        }
        session.sent(&offers);
        let document = &self.snapshot.document;
        Ok(offers.into_iter().map(|offer| item(document, offer, self.encoding)).collect())
    }
}

/// What a request that waits finds.
enum Look {
    /// This is the answer.
    Show(Vec<InlineItem>),
    /// There is a suggestion, but more may come.
    Others,
    /// A call is being made.
    Wait,
    /// A call has to be made.
    Ask,
}

/// An item. As a rule it inserts at the cursor, with an empty range, so that text behind the cursor stays readable
/// (Neovim draws a range that is not empty over the text).
fn item(document: &Document, offer: Offer, encoding: Encoding) -> InlineItem {
    InlineItem {
        insert_text: offer.text,
        range: convert::to_range(document, &offer.span, encoding),
        command: Command {
            title: "Accept".to_owned(),
            command: ACCEPT.to_owned(),
            arguments: vec![json!(offer.id)],
        },
    }
}

/// Notes why there is no ghost text.
fn nothing(shared: &Shared, job: Job, reason: &Reason) -> Vec<InlineItem> {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    if *reason == Reason::Quiet(Quiet::IndicatorOnly) {
        shared.status_changed.notify_one();
    }
    if *reason == Reason::Deadline {
        shared.editor.warn_once(MODEL_CAUSE, format!("Tandem: no ghost text for now: {reason}"));
    }
    Vec::new()
}
