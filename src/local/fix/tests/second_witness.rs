//! Misspelt names whose correction something else proves: the grammar, a file's name, the library, another report.

use super::super::*;
use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::apply;
use crate::text::ident;

#[test]
fn misspelt_keyword() {
    for (language, marked, said, fixed) in [
        ("python", "def f(a):\n    retrun «a»\n", "Expected a newline", "def f(a):\n    return a\n"),
        ("javascript", "fucntion «f»() {}\n", "Parsing error: Unexpected token f", "function f() {}\n"),
        ("python", "def f(a):\n    retrun «a»\n", "invalid syntax", "def f(a):\n    return a\n"),
        (
            "python",
            "if a:\n    b()\nelfi «c»:\n    b()\n",
            "invalid syntax",
            "if a:\n    b()\nelif c:\n    b()\n",
        ),
        ("javascript", "cosnt «a» = 1;\n", "Unexpected identifier 'a'", "const a = 1;\n"),
        (
            "go",
            "package a\n\n«fucn» f() {}\n",
            "syntax error: non-declaration statement outside function body",
            "package a\n\nfunc f() {}\n",
        ),
        (
            "c",
            "void f(void) {\n  «retrun» a;\n}\n",
            "unknown type name ‘retrun’",
            "void f(void) {\n  return a;\n}\n",
        ),
        (
            "java",
            "class A {\n  void f() {\n    synchronizEd (this) «{»\n    }\n  }\n}\n",
            "';' expected",
            "class A {\n  void f() {\n    synchronized (this) {\n    }\n  }\n}\n",
        ),
        (
            "java",
            "class A {\n  «losg» a;\n}\n",
            "cannot find symbol\nsymbol: class losg",
            "class A {\n  long a;\n}\n",
        ),
    ] {
        let text = marked.replace(['«', '»'], "");
        let word = ident::names(&text).find(|it| !ident::has_word(fixed, it)).unwrap_or_default();
        let keyword = ident::names(fixed).find(|it| !ident::has_word(&text, it)).unwrap_or_default();
        let title = format!("change `{word}` to `{keyword}`");
        check(language, marked, said, &[], Some((&title, fixed)));
    }
    // A word is not a misspelling, nor is a name that the file has elsewhere, or that an import can provide.
    check("java", "class A {\n  «loss» a;\n}\n", "cannot find symbol\nsymbol: class loss", &[], None);
    let twice = "void f(void) {\n  «retrun» a;\n  retrun b;\n}\n";
    check("c", twice, "unknown type name ‘retrun’", &[], None);
    check("typescript", "let a: «Any»;\n", "Cannot find name 'Any'.", &["export class Any {}\n"], None);
}

#[test]
fn else_if_is_one_word_where_the_language_has_one() {
    let text = "if a:\n    b()\nelse «if» c:\n    b()\n";
    let fixed = "if a:\n    b()\nelif c:\n    b()\n";
    check("python", text, "expected ':'", &[], Some(("write `elif`", fixed)));
    // The condition may belong to a line of its own.
    check("python", "if a:\n    b()\nelse «if» c\n", "expected ':'", &[], None);
}

#[test]
fn names_that_the_name_of_a_file_or_class_proves() {
    let document =
        |text: &str| Document::new(DocumentId::new("file:///a/PortException.java"), "java", 0, text);
    let check = |text: &str, said: &str, expected: Option<&str>| {
        let document = document(text);
        let at = text.find("(String").unwrap_or_default();
        let found = fix(&FileView::new(&document), &Problem::new(at..at, said));
        assert_eq!(found.map(|it| apply(text, &it.edits)).as_deref(), expected, "{text}");
    };
    let right = "public class PortException {\n  public PortException(String a) {}\n}\n";
    let said = "invalid method declaration; return type required";
    check(&right.replacen("PortException", "portException", 1), said, Some(right));
    check(&right.replacen("PortException", "PortExeption", 1), said, Some(right));
    check(&right.replace("PortException(", "PortExeption("), said, Some(right));
    // Another name is another class.
    check(&right.replacen("PortException", "HostException", 1), said, None);
    check(&right.replacen("PortException", "PortExceptions", 1), said, None);
}

#[test]
fn misspelt_package_of_the_library() {
    check(
        "java",
        "import java.til«.»List;\n",
        "package java.til does not exist",
        &[],
        Some(("import from `java.util` and not `java.til`", "import java.util.List;\n")),
    );
    check("java", "import com.til«.»List;\n", "package com.til does not exist", &[], None);
}

/// The first message is at `«…»`, the others elsewhere; `expected` is the resulting text.
#[track_caller]
fn check_among(language: &str, marked: &str, messages: &[&str], expected: Option<&str>) {
    let start = marked.find('«').expect("a place");
    let end = marked.find('»').expect("a place") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = Document::new(DocumentId::new("file:///a"), language, 0, &text);
    let file = FileView::new(&document).with_reported(messages.iter().map(|it| (0, *it)));
    let found = fix(&file, &Problem::new(start..end, messages[0]));
    assert_eq!(found.map(|it| apply(&text, &it.edits)).as_deref(), expected, "{marked}");
}

#[test]
fn name_that_is_missed_and_one_that_is_unused_are_one() {
    let missed = "'object' is not defined.";
    check_among(
        "javascript",
        "function f(ibject) {\n  return «object»;\n}\n",
        &[missed, "'ibject' is defined but never used."],
        Some("function f(object) {\n  return object;\n}\n"),
    );
    let missed = "'irappedNext' is not defined.";
    let text = "function f(wrappedNext) {\n  return «irappedNext»;\n}\n";
    check_among("javascript", text, &[missed], None);
    let unused = "'wrappedNext' is defined but never used.";
    let fixed = "function f(wrappedNext) {\n  return wrappedNext;\n}\n";
    check_among("javascript", text, &[missed, unused], Some(fixed));
    // Two words, of which either may be meant; and two candidates.
    let missed = "'caps' is not defined.";
    let unused = "'raps' is assigned a value but never used.";
    check_among("javascript", "let raps = 1;\nf(«caps»);\n", &[missed, unused], None);
    let missed = "'irappedNext' is not defined.";
    let unused = ["'wrappedNext' is defined but never used.", "'trappedNext' is defined but never used."];
    let text = "function f(wrappedNext, trappedNext) {\n  return «irappedNext»;\n}\n";
    check_among("javascript", text, &[missed, unused[0], unused[1]], None);
    // A function that is never called and is missed in another case.
    let missed = "'isQuality' is not defined.";
    let fixed = "function isQuality(a) {}\nisQuality(1);\nisQuality(2);\n";
    let text = "function IsQuality(a) {}\n«isQuality»(1);\nisQuality(2);\n";
    check_among("javascript", text, &[missed], Some(fixed));
}

#[test]
fn import_that_the_library_lacks_and_the_code_needs() {
    let text = "from types import GeneriAclias\n\na = «GenericAlias»(list)\n";
    let missed = "\"GenericAlias\" is not defined";
    let lacking = "\"GeneriAclias\" is unknown import symbol";
    let fixed = "from types import GenericAlias\n\na = GenericAlias(list)\n";
    check_among("python", text, &[missed, lacking], Some(fixed));
    // Both versions may exist.
    let text = "from types import parse_v1\n\na = «parse_v2»(list)\n";
    let messages = ["\"parse_v2\" is not defined", "\"parse_v1\" is unknown import symbol"];
    check_among("python", text, &messages, None);
}

#[test]
fn variable_that_the_compiler_could_not_read_is_not_changed() {
    // `bool` is unknown without its header, and with it the variable.
    let text = "void f(int c) {\n  bool is_wspace = iswspace(c);\n  g(«is_wspace»);\n}\n";
    check("c", text, "use of undeclared identifier 'is_wspace'; did you mean 'iswspace'?", &[], None);
}

#[test]
fn import_under_another_name_is_kept_while_its_own_is_missed() {
    let text = "use crate::{Extend as _, «Truncate as _»};\n\npub trait Extend {}\npub trait Tauncate {}\n";
    let messages = ["unused import: `Truncate as _`", "cannot find trait `Truncate` in this scope"];
    check_among("rust", text, &messages, None);
    check_among("rust", text, &messages[..1], Some(&text.replace(", «Truncate as _»", "")));
}

#[test]
fn variable_is_not_changed_to_the_class_that_is_imported() {
    let text = "import { AsapScheduler } from './a';\n\nexport const other = new AsapScheduler(1);\nexport const asap = «asapScheduler»;\n";
    check_among(
        "typescript",
        text,
        &["Cannot find name 'asapScheduler'. Did you mean 'AsapScheduler'?"],
        None,
    );
}

#[test]
fn keyword_that_the_compiler_calls_unknown() {
    let said = |keyword: &str| format!("Unknown keyword or identifier. Did you mean '{keyword}'?");
    let mended = |marked: &str, old: &str, keyword: &str| {
        let fixed = marked.replace(&format!("«{old}»"), keyword);
        let title = format!("change `{old}` to `{keyword}`");
        check("typescript", marked, &said(keyword), &[], Some((&title, &fixed)));
    };
    mended("function f(a: number) {\n  «cosnt» b = a;\n  return b;\n}\n", "cosnt", "const");
    mended("function f(a: number) {\n  «retrun» a;\n}\n", "retrun", "return");
    mended("class A {\n  «sttaic» x = 1;\n}\n", "sttaic", "static");
    mended("class A {\n  «privat» tasks: B[] = [];\n}\n", "privat", "private");
}
