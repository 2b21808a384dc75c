//! A request for ghost text that is prepared before it is due.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tandem::assist::{Assist, CompletionParams, Models, Partial};
use tandem::config::{Eagerness, Privacy, Scoped, Settings};
use tandem::document::DocumentId;
use tandem::document::position::Encoding;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::session::Session;
use tokio::time::Instant;

/// A model that records when it is asked.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Vec<Instant>>>);

impl Model for Watch {
    fn name(&self) -> String {
        "watch".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        self.0.lock().unwrap().push(Instant::now());
        stream::iter([Ok(Chunk::Text("b();".to_owned())), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

/// Requests ghost text that is due in 50 ms. Returns the text shown, or the reason for none, and when the model was
/// asked.
async fn check(flow: ControlFlow<()>) -> (String, Vec<Duration>) {
    let id = DocumentId::new("file:///no-such-folder/src/a.rs");
    let mut session = Session::new(Encoding::Utf8, Vec::new(), Scoped::from(Arc::new(Settings::default())));
    session.open(id.clone(), "rust", 0, "fn b() {\n    \n}\n", "src/a.rs");
    let watch = Watch::default();
    let models = Models { fast: Some(Arc::new(watch.clone())), deep: None };
    let assist = Assist::new(models, &Privacy::default());
    let began = Instant::now();
    let params = CompletionParams {
        cursor: 13,
        eagerness: Eagerness::Medium,
        variant: 0,
        invoked: false,
        not_before: Some(began + Duration::from_millis(50)),
    };
    let mut progress =
        |partial: Partial<'_>| if partial.text.is_empty() { flow } else { ControlFlow::Continue(()) };
    let made = assist.complete(&session.snapshot(&id).unwrap(), params, &mut progress).await;
    let shown = made.map_or_else(|reason| reason.code().to_owned(), |(suggestion, _)| suggestion.text);
    let asked = watch.0.lock().unwrap().iter().map(|at| *at - began).collect();
    (shown, asked)
}

#[tokio::test(start_paused = true)]
async fn request_leaves_when_it_is_due() {
    let (shown, asked) = check(ControlFlow::Continue(())).await;
    assert_eq!(shown, "b();");
    assert!(matches!(asked[..], [at] if (50..=52).contains(&at.as_millis())), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn request_for_an_older_text_does_not_leave() {
    assert_eq!(check(ControlFlow::Break(())).await, ("superseded".to_owned(), vec![]));
}
