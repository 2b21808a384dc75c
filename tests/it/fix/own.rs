//! Quick fixes for errors that no other server reports, and reverting accepted text that causes more errors.

use serde_json::{Value, json};

use super::{URI, actions, diagnostic};
use crate::support::{Editor, Setup, apply_edit, at_cursor};

fn titles(listed: &Value) -> Vec<&str> {
    listed.as_array().unwrap().iter().filter_map(|it| it["title"].as_str()).collect()
}

#[tokio::test]
async fn what_the_parser_misses_is_offered_on_request_only() {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let text =
        "fn area(width: u32) -> u32 {\n    let half = width / 2;\n    let total = half\n    total * 2\n}\n";
    editor.open_only(URI, "rust", text);
    let listed = actions(&mut editor, Some("quickfix"), &[]).await;
    assert_eq!(titles(&listed), ["Tandem: add the missing `;`"]);
    assert_eq!(apply_edit(text, &listed[0]["edit"]), text.replace("= half\n", "= half;\n"));
    assert_eq!(listed[0].get("isPreferred"), None, "no tool confirms it");
    // An automatic request, or a diagnostic of another server.
    assert_eq!(actions(&mut editor, None, &[]).await, json!([]));
    assert_eq!(actions(&mut editor, Some("quickfix"), &[diagnostic(2, 4, 7, "odd")]).await, json!([]));
    // A save does not insert missing tokens without a request.
    assert_eq!(actions(&mut editor, Some("source.fixAll.tandem"), &[]).await, json!([]));
    editor.finish().await;
}

#[tokio::test]
async fn accepted_text_can_be_taken_back_where_errors_came_with_it() {
    let (text, line, column) =
        at_cursor("fn set(&mut self) {\n    self.width = width;\n    self.height = ˇ\n}\n");
    let report = |editor: &mut Editor, version: i32, diagnostics: &[Value]| {
        let params = json!({ "uri": URI, "version": version, "diagnostics": diagnostics });
        editor.driver.notify("tandem/diagnostics", params);
    };
    let unknown = diagnostic(2, 18, 24, "there is no value `height` here");
    let old = diagnostic(0, 0, 2, "an error from before");
    for (before, now, is_offered) in [
        (vec![], vec![unknown.clone()], true),
        (vec![old.clone()], vec![old.clone(), unknown.clone()], true),
        (vec![old.clone()], vec![unknown.clone()], false),
        (vec![], vec![old.clone()], false),
    ] {
        let mut editor = Editor::start().await;
        editor.open(URI, "rust", &text);
        report(&mut editor, 1, &before);
        let items = editor.complete(URI, line, column).await;
        let inserted = items[0]["insertText"].as_str().unwrap();
        editor.change(URI, 2, [line, column, line, column], inserted);
        editor.driver.request("workspace/executeCommand", items[0]["command"].clone()).await.unwrap();
        report(&mut editor, 2, &now);
        let listed = actions(&mut editor, Some("quickfix"), &now).await;
        let title = "Tandem: revert what was accepted last: 1 more error since";
        let revert = listed.as_array().unwrap().iter().find(|it| it["title"] == title);
        assert_eq!(revert.is_some(), is_offered, "{before:?} {now:?} {listed}");
        if let Some(revert) = revert {
            let whole = text.replace("height = ", &format!("height = {inserted}"));
            assert_eq!(apply_edit(&whole, &revert["edit"]), text);
        }
        // After further typing, that may have caused the errors.
        editor.change(URI, 3, [0, 0, 0, 0], "// ");
        let listed = actions(&mut editor, Some("quickfix"), &now).await;
        assert!(!titles(&listed).contains(&title), "{listed}");
        editor.finish().await;
    }
}
