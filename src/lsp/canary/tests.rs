use expect_test::{Expect, expect};
use tower_lsp::LspService;

use super::*;
use crate::config::Eagerness;
use crate::document::position::Position;
use crate::document::{Change, DocumentId};
use crate::lsp::Start;
use crate::lsp::backend::Backend;
use crate::model::scripted::ScriptedModel;
use crate::session::SyncOutcome;

const ID: &str = "file:///a.rs";

/// Checks the entry for a hidden answer and the canary's shown answer, where `typed` is inserted at the cursor later.
async fn check(hidden: &str, shown: DuelAnswer, typed: &str, expect: Expect) {
    let (service, _socket) =
        LspService::build_with_lifecycle_methods(|client| Backend::new(client, Start::default())).finish();
    let session = service.inner().state.session.clone();
    let id = DocumentId::new(ID);
    let text = "let a = ";
    session.lock().open(id.clone(), "rust", 1, text, "a.rs");
    let params = CompletionParams {
        cursor: text.len(),
        eagerness: Eagerness::Medium,
        variant: 0,
        invoked: false,
        not_before: None,
    };
    let snapshot = session.lock().snapshot(&id).unwrap();
    let place = DuelPlace { snapshot, params, session: session.downgrade() };
    let models =
        Models { fast: Some(Arc::new(ScriptedModel::new([Ok(hidden.to_owned())])) as _), deep: None };
    let assist = Assist::new(models, &crate::config::Privacy::default());
    let (told, heard) = oneshot::channel();
    told.send(shown).unwrap();
    let entry = tokio::spawn(async move { place.entry((&assist, || None), heard, true).await });
    sleep(Duration::from_secs(2)).await;
    let end = Position::new(0, 8);
    let change = Change { range: Some(end..end), text: typed.to_owned() };
    assert_eq!(
        session.lock().change(&id, Some(2), &[change], Instant::now().into_std()),
        SyncOutcome::Tracked
    );
    expect.assert_eq(&format!("{:?}", entry.await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn both_answers_are_measured_once_the_text_has_settled() {
    let text = |it: &str| DuelAnswer::Text(it.to_owned(), Some(7));
    check("width;", text("height;"), "height;", expect!["Pair { is_canary_shown: true, is_same: false, scores: [Score { suggested: 6, kept: 1, milliseconds: Some(0) }, Score { suggested: 7, kept: 7, milliseconds: Some(7) }], dollars: 0.0 }"]).await;
    check("width;", text(""), "width;", expect!["Pair { is_canary_shown: true, is_same: false, scores: [Score { suggested: 6, kept: 6, milliseconds: Some(0) }, Score { suggested: 0, kept: 0, milliseconds: Some(7) }], dollars: 0.0 }"]).await;
    check("width;", text("width;"), "else;", expect!["Pair { is_canary_shown: true, is_same: true, scores: [Score { suggested: 6, kept: 0, milliseconds: Some(0) }, Score { suggested: 6, kept: 0, milliseconds: Some(7) }], dollars: 0.0 }"]).await;
}

#[tokio::test(start_paused = true)]
async fn answer_that_failed_is_compared_with_nothing() {
    check(
        "width;",
        DuelAnswer::Failed("too many requests".to_owned()),
        "a",
        expect![[r#"Refused { why: "too many requests", dollars: 0.0 }"#]],
    )
    .await;
    check("width;", DuelAnswer::Void, "a", expect!["Void { dollars: 0.0 }"]).await;
}
