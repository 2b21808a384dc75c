//! A call to a model for ghost text, in a task of its own.
//!
//! The session holds the handle that ends it: when what is typed no longer agrees, when the file is closed, when
//! nobody has waited for it for a while.

use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::{AbortHandle, Abortable, Aborted};
use tokio::time::Instant;

use super::super::super::backend::Shared;
use super::super::{MODEL_CAUSE, log_origin};
use super::Asked;
use crate::assist::{Listener, Question};
use crate::config::Eagerness;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Outcome, Reason};
use crate::session::Session;
use crate::session::ghost::{Call, Maker};
use crate::snapshot::Snapshot;

/// A request's wait for a call. It counts as long as this lives.
pub(super) struct Waiting {
    shared: Arc<Shared>,
    id: DocumentId,
    call: u64,
}

impl Waiting {
    pub(super) fn new(shared: &Arc<Shared>, session: &mut Session, document: &Document, call: u64) -> Self {
        session.join(document.id(), call);
        Self { shared: Arc::clone(shared), id: document.id().clone(), call }
    }

    pub(super) fn call(&self) -> u64 {
        self.call
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.session().leave(&self.id, self.call, Instant::now().into_std());
    }
}

/// Begins a call for a request; `None` if its file has moved on.
pub(super) fn begin(shared: &Arc<Shared>, asked: &Asked, id: &DocumentId, variant: usize) -> Option<Waiting> {
    let number = shared.next_id();
    let (handle, registration) = AbortHandle::new_pair();
    let snapshot = &asked.snapshot;
    let waiting = {
        let mut session = shared.session();
        let call = Call { number, handle, by_hand: asked.invoked };
        if !session.begin_call(&snapshot.document, &asked.spot, call) {
            return None;
        }
        Waiting::new(shared, &mut session, &snapshot.document, number)
    };
    // The menu's entry is taken for granted: the model is asked what comes after it.
    let (snapshot, cursor) = match &asked.spot.selected {
        None => (snapshot.clone(), asked.spot.cursor),
        Some((start, text)) => {
            let document = Arc::new(snapshot.document.with(*start..asked.spot.cursor, text));
            (Snapshot { document, ..snapshot.clone() }, start + text.len())
        }
    };
    let question = Question { cursor, eagerness: asked.eagerness, variant, invoked: asked.invoked };
    let made = Err(Reason::Superseded);
    let ending = Ending { shared: Arc::clone(shared), id: id.clone(), call: number, made };
    let work = make(ending, snapshot, question);
    tokio::spawn(async move {
        // Whether it was ended or not, and if before it began, whoever waits is told by `Ending`.
        let (Ok(()) | Err(Aborted)) = Abortable::new(work, registration).await;
    });
    Some(waiting)
}

/// Asks for what follows the suggestion that is on screen in a file, as if that were accepted, so that it is there at
/// once when it is.
pub(super) fn follow(shared: &Arc<Shared>, id: &DocumentId, eagerness: Eagerness) {
    let (handle, registration) = AbortHandle::new_pair();
    let Some((call, snapshot, cursor)) = shared.session().follow(id, handle) else { return };
    let following = Following { shared: Arc::clone(shared), id: id.clone(), call, more: String::new() };
    let question = Question { cursor, eagerness, variant: 0, invoked: false };
    let work = make_more(following, snapshot, question);
    tokio::spawn(async move {
        // Whether it was ended or not, and if before it began, whoever waits is told by `Following`.
        let (Ok(()) | Err(Aborted)) = Abortable::new(work, registration).await;
    });
}

/// Makes what follows and hands it to the session.
async fn make_more(mut following: Following, snapshot: Snapshot, question: Question) {
    let assist = following.shared.assist();
    if let Outcome::Done(suggestion) = assist.complete(&snapshot, question, &mut Whole).await {
        log_origin(Job::Complete, &suggestion.origin);
        following.more = suggestion.text;
    }
}

/// Hands over what follows, also if its making was ended.
struct Following {
    shared: Arc<Shared>,
    id: DocumentId,
    call: u64,
    more: String,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.shared.session().extend(&self.id, self.call, &self.more);
        self.shared.grown.notify_waiters();
    }
}

/// Waits for the whole.
struct Whole;

impl Listener for Whole {
    fn grown(&mut self, _: &str, _: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Makes the suggestion and hands it to the session, piece by piece.
async fn make(mut ending: Ending, snapshot: Snapshot, question: Question) {
    let (shared, id, call) = (Arc::clone(&ending.shared), ending.id.clone(), ending.call);
    let started = Instant::now();
    let mut pieces = Pieces { shared: &shared, id: &id, call, ready: 0, started };
    let made = shared.assist().complete(&snapshot, question, &mut pieces).await;
    ending.made = match made {
        Outcome::Done(suggestion) => {
            shared.editor.recovered(MODEL_CAUSE);
            log_origin(Job::Complete, &suggestion.origin);
            let gear = suggestion.origin.gear;
            let model = suggestion.origin.model.or_else(|| shared.assist().model_name(gear));
            let mut session = shared.session();
            if pieces.ready == 0 {
                session.took(started.elapsed());
            }
            if suggestion.is_doubtful {
                session.doubt(&id, call);
            }
            session.made_by(&id, call, Maker { gear: gear.to_string(), model });
            drop(session);
            Ok((suggestion.text, suggestion.shown))
        }
        Outcome::Nothing(reason) => Err(reason),
    };
}

/// Hands over what came of a call, also if it was ended or panicked.
struct Ending {
    shared: Arc<Shared>,
    id: DocumentId,
    call: u64,
    made: Result<(String, usize), Reason>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.made = Err(Reason::Internal);
        }
        let made = self.made.as_ref().map(|(text, shown)| (text.as_str(), *shown)).map_err(Clone::clone);
        self.shared.session().end_call(&self.id, self.call, made);
        self.shared.grown.notify_waiters();
    }
}

/// Hands over what has come so far.
struct Pieces<'a> {
    shared: &'a Arc<Shared>,
    id: &'a DocumentId,
    call: u64,
    ready: usize,
    started: Instant,
}

impl Listener for Pieces<'_> {
    fn grown(&mut self, text: &str, ready: &str) -> ControlFlow<()> {
        let now = Instant::now();
        let is_news = ready.len() > self.ready;
        let flow = {
            let mut session = self.shared.session();
            if is_news && self.ready == 0 {
                session.took(now - self.started);
            }
            session.grow(self.id, self.call, text, ready, now.into_std())
        };
        self.ready = ready.len();
        if is_news || flow.is_break() {
            self.shared.grown.notify_waiters();
        }
        flow
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tower_lsp::LspService;

    use super::*;
    use crate::document::position::Encoding;
    use crate::lsp::Start;
    use crate::lsp::backend::Backend;
    use crate::session::ghost::Spot;

    #[tokio::test(start_paused = true)]
    async fn who_waits_hears_of_a_call_that_was_ended_before_it_began() {
        let backend = |client| Backend::new(client, Start::default());
        let (service, _socket) = LspService::build_with_lifecycle_methods(backend).finish();
        let shared = Arc::clone(&service.inner().shared);
        let id = DocumentId::new("file:///a.rs");
        shared.session().open(id.clone(), "rust", 1, "let a = ", "a.rs");
        let asked = Asked {
            snapshot: shared.session().snapshot(&id).unwrap(),
            spot: Spot::at(8),
            encoding: Encoding::Utf8,
            invoked: false,
            eagerness: Eagerness::Medium,
            indicator_only: false,
            due: Ok(Instant::now()),
            calls: Vec::new(),
            has_asked: false,
        };
        let mut grown = std::pin::pin!(shared.grown.notified());
        grown.as_mut().enable();
        let waiting = begin(&shared, &asked, &id, 0);
        // Its task is there, and has not run yet.
        shared.session().close(&id);
        assert!(waiting.is_some() && tokio::time::timeout(Duration::from_secs(9), grown).await.is_ok());
    }
}
