//! Texts that are read or cut: tool output, secrets, contexts, and the input that the local engine learns from.

use std::hint::black_box;
use std::path::Path;

use tandem::assist::{FileView, Reported, fix_file};
use tandem::context::complete::Window;
use tandem::context::{self, outline};
use tandem::document::{Document, DocumentId};
use tandem::edit::trim::{CursorContext, CursorFacts, Ghost};
use tandem::grammar::QueryKind;
use tandem::local::repeat::{EditStep, repeat};
use tandem::local::{references, rename};
use tandem::snapshot::{Diagnostic, Severity};
use tandem::workspace::Workspace;
use tandem::{edit, privacy, tool_output};

use super::Case;
use crate::Prepared;
use crate::text::{assignments, changed, lines, long_line};

fn document(language: &str, text: &str) -> Document {
    Document::new(DocumentId::new("untitled:a"), language, 0, text)
}

fn tool(count: usize, begin: &str, one: fn(usize) -> String, end: &str) -> Prepared {
    let output = format!("{begin}{}{end}", (0..count).map(one).collect::<String>());
    Box::new(move || _ = black_box(tool_output::read(&output)))
}

fn windows(text: String, language: &'static str) -> Prepared {
    let document = document(language, &text);
    document.syntax();
    let middle = document.floor_boundary(text.len() / 2);
    Box::new(move || {
        let shown = outline::of(&document);
        black_box(Window::around(&document, middle, "a".to_owned(), &shown));
        black_box(context::fix::parts(&document, middle..middle));
        black_box(context::next_edit::parts(&document, middle, &["value_1".to_owned()]));
        black_box(context::NearbySecrets::around(&document, &(middle..middle), (8 << 10, 8 << 10)));
        black_box(context::syntax_context::at(&document, middle));
    })
}

/// Fixes all diagnostics, a misspelt name in each function.
fn fixes(count: usize) -> Prepared {
    let function = |n: usize| format!("fn number_{n}(a: u32) -> u32 {{\n    let total = a;\n    totl\n}}\n");
    let text: String = (0..count).map(function).collect();
    let message =
        "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`";
    let reported: Vec<Reported> = text
        .match_indices("totl")
        .map(|(at, _)| Reported::from(Diagnostic::new(at..at + 4, Severity::Error, message)))
        .collect();
    Box::new(move || {
        let document = document("rust", &text);
        black_box(fix_file(&FileView::new(&document), &reported));
    })
}

/// Removes all imports, none of which is used: each its own statement, or an entry of one list.
fn unused_imports(count: usize, is_list: bool) -> Prepared {
    let entries: Vec<String> = (0..count).map(|n| format!("name_{n}")).collect();
    let text = match is_list {
        true => format!("import {{ {} }} from \"./a\";\n", entries.join(", ")),
        false => entries.iter().map(|it| format!("import {{ {it} }} from \"./a\";\n")).collect(),
    };
    let report = |name: &String| {
        let at = text.find(&format!(" {name}")).unwrap() + 1;
        let message = format!("'{name}' is declared but its value is never read.");
        Reported::from(Diagnostic::new(at..at + name.len(), Severity::Error, &message))
    };
    let reported: Vec<Reported> = entries.iter().map(report).collect();
    Box::new(move || {
        let document = document("typescript", &text);
        black_box(fix_file(&FileView::new(&document), &reported));
    })
}

/// Runs every query of a language on a text.
fn queries(language: &'static str, text: String) -> Prepared {
    let document = document(language, &text);
    document.syntax();
    Box::new(move || {
        for kind in QueryKind::ALL {
            black_box(document.matches(kind, 0..text.len()));
        }
        let grammar = document.grammar().unwrap();
        Workspace::default().put(Path::new("/w/a"), grammar, &text);
    })
}

/// Names separated by commas.
fn names(count: usize) -> String {
    (0..count).map(|n| format!("name_{n}")).collect::<Vec<_>>().join(", ")
}

/// Streams ghost text.
fn ghost(text: String) -> Prepared {
    Box::new(move || {
        let place = CursorContext {
            before: "fn f() {\n    ",
            after: "\n}\n",
            grammar: None,
            max_lines: 1_000,
            facts: &CursorFacts::default(),
        };
        let mut ghost = Ghost::new(place);
        for piece in text.split_inclusive(' ') {
            if ghost.push(piece).is_break() {
                break;
            }
        }
        _ = black_box(ghost.finish(true));
    })
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("tool: rustc", 200, |n| {
            let one = |n: usize| {
                format!(
                    "error[E0425]: cannot find value `a{n}`\n  --> src/a.rs:{n}:5\n   |\n{n} | let x = a{n};\n   |         ^^ not found\n\n"
                )
            };
            tool(n, "", one, "")
        }),
        Case::new("tool: cargo's JSON", 200, |n| {
            let one = |n: usize| {
                format!(
                    "{{\"reason\":\"compiler-message\",\"message\":{{\"message\":\"unused {n}\",\"code\":null,\"level\":\"warning\",\"spans\":[{{\"file_name\":\"a.rs\",\"line_start\":{n},\"line_end\":{n},\"column_start\":1,\"column_end\":2,\"is_primary\":true}}],\"children\":[],\"rendered\":\"\"}}}}\n"
                )
            };
            tool(n, "", one, "")
        }),
        Case::new("tool: ruff's JSON", 200, |n| {
            let one = |n: usize| {
                format!(
                    "{{\"code\":\"F401\",\"filename\":\"/w/a.py\",\"location\":{{\"row\":{n},\"column\":1}},\"end_location\":{{\"row\":{n},\"column\":9}},\"message\":\"`a{n}` imported but unused\",\"fix\":null}},\n"
                )
            };
            tool(n, "[", one, "{\"code\":null}]\n")
        }),
        Case::new("tool: JSON that is cut", 500, |n| tool(n, "[", |n| format!("{{\"code\": [{n}, {{\n"), "")),
        Case::new("tool: beginnings of JSON", 500, |n| tool(n, "", |n| format!("[{n}, {{\"code\":\n"), "")),
        Case::new("tool: gcc", 500, |n| {
            tool(
                n,
                "",
                |n| format!("a.c:{n}:5: error: unknown type name ‘a{n}’\n  {n} | a{n} b;\n    | ^~\n"),
                "",
            )
        }),
        Case::new("tool: tsc", 500, |n| {
            tool(n, "", |n| format!("src/a.ts({n},5): error TS2304: Cannot find name 'a{n}'.\n"), "")
        }),
        Case::new("tool: eslint", 500, |n| {
            tool(n, "/w/a.js\n", |n| format!("  {n}:5  error  'a{n}' is not defined  no-undef\n"), "\n")
        }),
        Case::new("tool: python", 200, |n| {
            let one = |n: usize| format!("  File \"/w/a.py\", line {n}, in f\n    f({n})\n");
            tool(n, "Traceback (most recent call last):\n", one, "ValueError: 7\n")
        }),
        Case::new("tool: pytest", 200, |n| {
            tool(
                n,
                "",
                |n| {
                    format!(
                        "    def test_{n}():\n>       assert {n} == 1\nE       assert {n} == 1\n\ntest_a.py:{n}: AssertionError\n"
                    )
                },
                "",
            )
        }),
        Case::new("tool: lines that say nothing", 1_000, |n| {
            tool(n, "", |n| format!("   Compiling part-{n} v0.1.0: ready (at {n}:1)\n"), "")
        }),
        Case::new("tool: a long line", 20_000, |n| {
            let output = "a:1: ".repeat(n / 5);
            Box::new(move || _ = black_box(tool_output::read(&output)))
        }),
        Case::new("tool: escapes", 5_000, |n| tool(n, "", |_| "\u{1b}[31mred\u{1b}[0m".to_owned(), "\n")),
        Case::new("secrets: lines of code", 500, |n| {
            let text = lines(n);
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: a long line", 8_000, |n| {
            let text = long_line(n);
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: keys in lines", 100, |n| {
            let text: String = (0..n).map(|n| format!("password_{n} = \"hunter{n}xY7!q\"\n")).collect();
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: keys in one line", 100, |n| {
            let text: String = (0..n).map(|n| format!("password: 'hunter{n}xY7!q', ")).collect();
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: one long word", 8_000, |n| {
            let text = format!("key = \"{}\"\n", "aZ09+/b8".repeat(n / 8));
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: a private key without an end", 500, |n| {
            let text = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n".repeat(n);
            Box::new(move || _ = black_box(privacy::find(&text)))
        }),
        Case::new("secrets: taken out and put back", 100, |n| {
            let text: String = (0..n).map(|n| format!("key = \"sk-proj-{:048x}\"\n", n * 7919)).collect();
            Box::new(move || {
                let (mut one, mut mark) = (text, 0);
                let redaction =
                    privacy::redact(&mut [&mut one], (&Default::default(), Default::default()), &mut mark);
                _ = black_box(redaction.restore(one));
            })
        }),
        Case::new("context: lines", 500, |n| windows(lines(n), "rust")),
        Case::new("context: a long line", 8_000, |n| windows(long_line(n), "javascript")),
        Case::new("context: nested", 250, |n| windows("{\n".repeat(n) + &"}\n".repeat(n), "javascript")),
        Case::new("fix: many reports", 25, fixes),
        Case::new("fix: unused imports", 100, |n| unused_imports(n, false)),
        Case::new("fix: unused imports of one list", 100, |n| unused_imports(n, true)),
        Case::new("queries: names of an import", 250, |n| {
            queries("typescript", format!("import {{ {} }} from \"./a\";\n", names(n)))
        }),
        Case::new("queries: names of an export", 250, |n| {
            queries("typescript", format!("export {{ {} }} from \"./a\";\n", names(n)))
        }),
        Case::new("queries: names that are taken from a module", 250, |n| {
            queries("javascript", format!("const {{ {} }} = require(\"./a\");\n", names(n)))
        }),
        Case::new("queries: names of an import in python", 250, |n| {
            queries("python", format!("from a import ({})\n", names(n)))
        }),
        Case::new("queries: names of a use", 250, |n| queries("rust", format!("use a::{{{}}};\n", names(n)))),
        Case::new("queries: tokens of a macro", 250, |n| {
            queries("rust", format!("fn f() {{ a!({}); }}\n", names(n).replace(',', "(b),")))
        }),
        Case::new("queries: attributes of an element", 250, |n| {
            queries("html", format!("<p {}></p>\n", names(n).replace(',', "=\"a\"")))
        }),
        Case::new("queries: arguments and parameters", 250, |n| {
            queries("python", format!("def f({}):\n    f({})\n", names(n), names(n)))
        }),
        Case::new("queries: members of a class", 250, |n| {
            queries("cpp", format!("class A {{\n{}}};\n", "  int f() { return 1; }\n".repeat(n)))
        }),
        Case::new("queries: values of an enumeration", 250, |n| {
            queries("java", format!("enum A {{ {} }}\n", names(n).to_uppercase()))
        }),
        Case::new("ghost text", 2_000, |n| ghost("let a = b; ".repeat(n / 11))),
        Case::new("ghost text: lines", 200, |n| ghost(lines(n))),
        Case::new("repeat: a word in many lines", 250, |n| {
            let text = assignments(n);
            Box::new(move || {
                let new = text.replacen("compute", "measure", 2);
                let document = document("python", &new);
                let step = |number: usize| {
                    let old = format!("value_{number} = compute({number})\n");
                    (old.replace("compute", "measure"), old)
                };
                let (first, second) = (step(0), step(1));
                let done = |(new, old): &'_ (String, String), at: usize| (old.clone(), new.clone(), at);
                let steps = [done(&first, 0), done(&second, first.0.len())];
                let steps: Vec<EditStep<'_>> = steps
                    .iter()
                    .map(|(old, new, at)| EditStep {
                        old,
                        new,
                        at: Some(*at),
                        above: "",
                        below: "",
                        is_of_definition: false,
                    })
                    .collect();
                black_box(repeat(&document, &steps, 0));
            })
        }),
        Case::new("repeat: lines that were rewritten", 250, |n| {
            let text: String = (0..n).map(|n| format!("    send(page_{n}, {n}, mode=fast)\n")).collect();
            Box::new(move || {
                let old: Vec<&str> = text.split_inclusive('\n').take(2).collect();
                let new: Vec<String> = old.iter().map(|line| line.replace("mode=fast", "speed(1)")).collect();
                let text = new.concat() + &text[old[0].len() + old[1].len()..];
                let document = document("python", &text);
                let steps: Vec<EditStep<'_>> = [0, new[0].len()]
                    .into_iter()
                    .zip(old.iter().zip(&new))
                    .map(|(at, (old, new))| EditStep {
                        old,
                        new,
                        at: Some(at),
                        above: "",
                        below: "",
                        is_of_definition: false,
                    })
                    .collect();
                black_box(repeat(&document, &steps, 0));
            })
        }),
        Case::new("rename: a word in many lines", 500, |n| {
            let text = assignments(n);
            Box::new(move || _ = black_box(rename(&text, "compute", "measure")))
        }),
        Case::new("rename: uses in another file", 250, |n| {
            let text = assignments(n);
            Box::new(move || {
                let (a, b) = (document("python", &text), document("python", &text));
                black_box(references::rename(&a, &b, "compute", "measure"));
            })
        }),
        Case::new("diff: every second line", 1_000, |n| {
            let (old, new) = (assignments(n), changed(&assignments(n), 2));
            Box::new(move || _ = black_box(edit::diff::minimal(&old, &new)))
        }),
        Case::new("document: many changes at once", 250, |n| {
            let text = lines(n);
            Box::new(move || {
                let document = document("rust", &text);
                let edits = edit::diff::minimal(&text, &changed(&text, 2));
                let changes = edits.iter().map(|edit| (edit.span.clone(), edit.text.as_str()));
                black_box(document.with_all(changes).syntax());
            })
        }),
    ]
}
