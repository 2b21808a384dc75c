//! Fixes of one file that are made together.

use super::super::*;
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, apply};

/// Fixes at `«…»` places of one text, each with its message; shows the text with all that go together.
#[track_caller]
fn check_together(language: &str, marked: &str, messages: &[&str], expected: &str, left: &[SkipReason]) {
    let mut text = String::new();
    let mut places = Vec::new();
    for part in marked.split_inclusive(['«', '»']) {
        text += part.trim_end_matches(['«', '»']);
        if part.ends_with(['«', '»']) {
            places.push(text.len());
        }
    }
    let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
    let file = FileView::new(&document);
    let fixes: Vec<Fix> = places
        .chunks(2)
        .zip(messages)
        .map(|(ends, message)| fix(&file, &Problem::new(ends[0]..ends[1], message)).expect("a fix"))
        .collect();
    let composed = compose(&document, &fixes);
    assert_eq!(apply(&text, &composed.edits), expected);
    assert_eq!(composed.left.iter().map(|(_, why)| *why).collect::<Vec<_>>(), left);
}

#[test]
fn fixes_that_contradict_are_left_out() {
    check_together(
        "python",
        "def f(a):\n    return a + «subtotl»\n\nsubtotal = 1\n",
        &["undefined name `subtotl`"],
        "def f(a):\n    return a + subtotal\n\nsubtotal = 1\n",
        &[],
    );
    // An import that gets its first use is not unused, whichever is reported first.
    check_together(
        "python",
        "from a import «uppercase»\n\nprint(«upperctse»)\n",
        &["`a.uppercase` imported but unused", "undefined name `upperctse`"],
        "from a import uppercase\n\nprint(uppercase)\n",
        &[SkipReason::Contradiction],
    );
    // One tool misses the use of what another knows to be misspelt.
    check_together(
        "javascript",
        "function f(b) {\n  return «subtotl»;\n  const «subtotal» = 1;\n}\n",
        &["'subtotl' is not defined.", "'subtotal' is assigned a value but never used."],
        "function f(b) {\n  return subtotal;\n  const subtotal = 1;\n}\n",
        &[SkipReason::Contradiction],
    );
    check_together(
        "python",
        "print(«json».loads(«json»))\n",
        &["undefined name `json`"],
        "import json\n\nprint(json.loads(json))\n",
        &[],
    );
    // The same from two tools is one.
    check_together(
        "python",
        "a = «json».loads(1)\nb = «json».loads(2)\nc = «sys».argv\nd = «json».loads(3)\n",
        &[
            "undefined name `json`",
            "name \"json\" is not defined",
            "undefined name `sys`",
            "undefined name `json`",
        ],
        "import json\nimport sys\n\na = json.loads(1)\nb = json.loads(2)\nc = sys.argv\nd = json.loads(3)\n",
        &[],
    );
}

#[test]
fn name_that_another_fix_puts_there_is_not_put_behind_it() {
    let text = "struct A<I: Intoiterator>(I::Item);\n";
    let document = Document::new(DocumentId::new("file:///a/one"), "rust", 0, text);
    let at = text.find("Intoiterator").unwrap();
    let name = Fix::new(Kind::MisspeltName, String::new(), vec![Edit::new(at..at + 12, "IntoIterator")]);
    let bound = |text: &str| Fix::new(Kind::OfTool, String::new(), vec![Edit::new(at + 12..at + 12, text)]);
    for (bound, left) in
        [(bound(" + IntoIterator"), vec![(1, SkipReason::Overlap)]), (bound(" + Copy"), vec![])]
    {
        assert_eq!(compose(&document, &[name.clone(), bound]).left, left);
    }
}
