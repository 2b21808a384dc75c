//! `mut`s of variables.

use crate::document::{Document, DocumentId};
use crate::edit::Edit;
use crate::local::fix::{FileView, Problem, Suggestion, fix};

/// Whether the reported `mut` of `x` is removed from a function with this code.
fn is_removed(code: &str) -> bool {
    let text = format!("fn f() {{\n    let mut x = g();\n    {code}\n}}\n");
    let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
    let at = text.find("mut").expect("a place");
    let edits = vec![Edit::new(at..at + 4, "")];
    let offers = [Suggestion { title: "remove this `mut`".to_owned(), is_safe: true, edits }];
    let problem = Problem::new(at..at + 5, "variable does not need to be mutable").with(&[], &offers);
    fix(&FileView::new(&document), &problem).is_some()
}

#[test]
fn mut_of_a_variable_that_changes_is_kept() {
    for code in [
        "x = 1;",
        "x += 1;",
        "x.a.b -= 1;",
        "x[i[0]].a = 1;",
        "x.push(1);",
        "x\n        .push_str(a);",
        "x.a.iter_mut();",
        "x[0].sort_by_key(a);",
        "h(&mut x);",
        "h(&mut x.a);",
        "write!(x, \"{a}\")?;",
        "x();",
        "x.own(1);\n}\n\nimpl A {\n    fn own(&mut self, _: u8) {}",
    ] {
        assert!(!is_removed(code), "{code}");
    }
}

#[test]
fn mut_of_a_variable_that_is_only_read_is_removed() {
    for code in [
        "h(x);",
        "h(&x);",
        "x == 1",
        "x.len() >= 1",
        "match x { _ => 1 }",
        "h(0..x.a);",
        "x.iter().next();",
        "a.x = 1;",
        "let x = 2;",
        "}\n\nfn h(x: A) {\n    x.push(1);",
    ] {
        assert!(is_removed(code), "{code}");
    }
}
