//! Seeded errors, the compiler's diagnostic, a model's reply, and the expected result.

use std::sync::Arc;

use tandem::assist::{Assist, Models};
use tandem::config::{Privacy, Settings};
use tandem::document::{Document, DocumentId};
use tandem::edit::apply;
use tandem::snapshot::{Diagnostic, Severity, Snapshot};

use crate::support::answering::Answering;
use crate::support::answering::Reply::{self, *};

type Pairs = &'static [(&'static str, &'static str)];

/// The expected result.
enum Expected {
    /// These replacements, without a flag.
    Clean(Pairs),
    /// These replacements, with this flag.
    Flagged(Pairs, &'static str),
    /// No edit, for this reason.
    Refused(&'static str),
}
use Expected::{Clean, Flagged, Refused};

struct Scenario {
    name: &'static str,
    language: &'static str,
    /// `«…»` marks the problem.
    text: &'static str,
    message: &'static str,
    reply: Reply,
    expected: Expected,
}

const fn seeded(
    name: &'static str,
    language: &'static str,
    text: &'static str,
    message: &'static str,
    reply: Reply,
    expected: Expected,
) -> Scenario {
    Scenario { name, language, text, message, reply, expected }
}

const FAR: &str = "use std::fmt;\n\nfn other() {\n    one();\n}\n\nfn f() -> String {\n    let a = 1;\n    «b».to_string()\n}\n";
const MOVED: &str =
    "fn f(names: Vec<String>) -> usize {\n    g(names);\n    «names».len()\n}\n\nfn g(_: Vec<String>) {}\n";

const SCENARIOS: &[Scenario] = &[
    seeded(
        "a misspelled name",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Blocks(&[("b.to", "a.to")]),
        Clean(&[("b.to", "a.to")]),
    ),
    seeded(
        "a moved value",
        "rust",
        MOVED,
        "borrow of moved value: `names`",
        Blocks(&[("g(names)", "g(names.clone())")]),
        Clean(&[("g(names)", "g(names.clone())")]),
    ),
    seeded(
        "mismatched types",
        "rust",
        "fn f() -> u64 {\n    let a: u32 = 1;\n    «a»\n}\n",
        "mismatched types: expected `u64`, found `u32`",
        Blocks(&[("    a\n", "    u64::from(a)\n")]),
        Clean(&[("    a\n", "    u64::from(a)\n")]),
    ),
    seeded(
        "a missing arm",
        "rust",
        "enum A {\n    B,\n    C,\n}\n\nfn f(a: A) -> u8 {\n    match «a» {\n        A::B => 1,\n    }\n}\n",
        "non-exhaustive patterns: `A::C` not covered",
        Blocks(&[("A::B => 1,\n", "A::B => 1,\n        A::C => 2,\n")]),
        Clean(&[("A::B => 1,\n", "A::B => 1,\n        A::C => 2,\n")]),
    ),
    seeded(
        "a missing field",
        "rust",
        "struct P {\n    x: u8,\n    y: u8,\n}\n\nfn f() -> P {\n    «P» { x: 1 }\n}\n",
        "missing field `y` in initializer of `P`",
        Blocks(&[("x: 1 }", "x: 1, y: 0 }")]),
        Clean(&[("x: 1 }", "x: 1, y: 0 }")]),
    ),
    seeded(
        "not mutable",
        "rust",
        "fn f() {\n    let a = Vec::new();\n    «a».push(1);\n}\n",
        "cannot borrow `a` as mutable, as it is not declared as mutable",
        Blocks(&[("let a", "let mut a")]),
        Clean(&[("let a", "let mut a")]),
    ),
    seeded(
        "an import besides",
        "rust",
        "use std::fmt;\n\nfn f() -> «HashMap»<u8, u8> {\n    g()\n}\n",
        "cannot find type `HashMap` in this scope",
        Blocks(&[("use std::fmt;\n", "use std::collections::HashMap;\nuse std::fmt;\n")]),
        Clean(&[("use std::fmt;\n", "use std::collections::HashMap;\nuse std::fmt;\n")]),
    ),
    seeded(
        "too few arguments",
        "python",
        "def f(a, b):\n    return a + b\n\n\ndef g():\n    return f(«1»)\n",
        "Argument missing for parameter \"b\"",
        Blocks(&[("f(1)", "f(1, 0)")]),
        Clean(&[("f(1)", "f(1, 0)")]),
    ),
    seeded(
        "possibly none",
        "python",
        "def f(a: str | None) -> int:\n    return «len»(a)\n",
        "\"None\" is not compatible with \"Sized\"",
        Blocks(&[("return len(a)", "return len(a or \"\")")]),
        Clean(&[("return len(a)", "return len(a or \"\")")]),
    ),
    seeded(
        "a return is missing",
        "python",
        "def f(a) -> int:\n    «a» + 1\n",
        "Expression value is unused",
        Blocks(&[("    a + 1", "    return a + 1")]),
        Clean(&[("    a + 1", "    return a + 1")]),
    ),
    seeded(
        "possibly null",
        "typescript",
        "function f(a: A | null) {\n  return «a».b;\n}\n",
        "Object is possibly 'null'.",
        Blocks(&[("a.b", "a?.b")]),
        Clean(&[("a.b", "a?.b")]),
    ),
    seeded(
        "an await is missing",
        "typescript",
        "async function f() {\n  const a = load();\n  return a.«b»;\n}\n",
        "Property 'b' does not exist on type 'Promise<A>'. Did you forget to use 'await'?",
        Blocks(&[("= load()", "= await load()")]),
        Clean(&[("= load()", "= await load()")]),
    ),
    seeded(
        "a misspelled property",
        "typescript",
        "function f(a: A) {\n  return a.«lenght»;\n}\n",
        "Property 'lenght' does not exist on type 'A'. Did you mean 'length'?",
        Blocks(&[("lenght", "length")]),
        Clean(&[("lenght", "length")]),
    ),
    seeded(
        "an error is not used",
        "go",
        "package a\n\nfunc f() int {\n\tx, «err» := g()\n\treturn x\n}\n",
        "declared and not used: err",
        Blocks(&[("x, err :=", "x, _ :=")]),
        Clean(&[("x, err :=", "x, _ :=")]),
    ),
    seeded(
        "a value too few",
        "go",
        "package a\n\nfunc f() (int, error) {\n\treturn «1»\n}\n",
        "not enough return values\n\thave (number)\n\twant (int, error)",
        Blocks(&[("return 1", "return 1, nil")]),
        Clean(&[("return 1", "return 1, nil")]),
    ),
    seeded(
        "an unhandled exception",
        "java",
        "class A {\n    void f() {\n        «read»();\n    }\n}\n",
        "Unhandled exception type IOException",
        Blocks(&[("void f() {", "void f() throws IOException {")]),
        Clean(&[("void f() {", "void f() throws IOException {")]),
    ),
    // Sloppy, but clear.
    seeded(
        "chatty",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Chatty(&[("b.to", "a.to")]),
        Clean(&[("b.to", "a.to")]),
    ),
    seeded(
        "shouting",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Shouting(&[("b.to", "a.to")]),
        Clean(&[("b.to", "a.to")]),
    ),
    seeded(
        "search and replace",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Search(&[("    b.to_string()", "    a.to_string()")]),
        Clean(&[("b.to", "a.to")]),
    ),
    seeded(
        "a patch",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Patch(&[("    let a = 1;\n    b.to_string()", "    let a = 1;\n    a.to_string()")]),
        Clean(&[("b.to", "a.to")]),
    ),
    seeded(
        "an unknown call",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Blocks(&[("b.to_string()", "a.frobnicate()")]),
        Flagged(&[("b.to_string()", "a.frobnicate()")], "unknown-names"),
    ),
    // Unusable.
    seeded("no fix", "rust", FAR, "cannot find value `b` in this scope", NoEdits, Refused("unchanged")),
    seeded(
        "talk",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Words("You should declare b first."),
        Refused("unchanged"),
    ),
    seeded("silence", "rust", FAR, "cannot find value `b` in this scope", Words(""), Refused("empty")),
    seeded(
        "a made-up tag",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        MadeUpTag(&[("b.to", "a.to")]),
        Refused("malformed"),
    ),
    seeded(
        "tags the wrong way around",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Reversed(&[("b.to", "a.to")]),
        Refused("malformed"),
    ),
    seeded(
        "breaks off",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Cut(&[("b.to", "a.to")]),
        Refused("truncated"),
    ),
    seeded(
        "another function",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Search(&[("    one();", "    two();")]),
        Refused("out-of-scope"),
    ),
    seeded(
        "a bracket too few",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Blocks(&[("b.to_string()", "a.to_string(")]),
        Refused("syntax"),
    ),
    seeded(
        "code left out",
        "rust",
        FAR,
        "cannot find value `b` in this scope",
        Blocks(&[("    let a = 1;\n    b.to_string()\n", "    // ... existing code ...\n")]),
        Refused("unchanged"),
    ),
];

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are printed on request")]
async fn fixes_change_only_what_they_may() {
    assert!(SCENARIOS.len() >= 25);
    let (mut right, mut report) = (0, String::new());
    for scenario in SCENARIOS {
        let start = scenario.text.find('«').unwrap();
        let end = scenario.text.find('»').unwrap() - '«'.len_utf8();
        let text = scenario.text.replace(['«', '»'], "");
        let document =
            Document::new(DocumentId::new("file:///no-such-folder/src/a"), scenario.language, 1, &text);
        let snapshot = Snapshot {
            document: Arc::new(document),
            path: "src/a".into(),
            language_id: scenario.language.into(),
            outline: "".into(),
            settings: Arc::new(Settings::default()),
            access: Default::default(),
            workspace: Default::default(),
            related: Default::default(),
            cells: None,
        };
        let problem = Diagnostic {
            code: Some("E1".into()),
            source: Some("compiler".into()),
            related: vec![("src/b:3".into(), "declared here".into())],
            ..Diagnostic::new(start..end, Severity::Error, scenario.message)
        };
        let fast = Some(Arc::new(Answering(scenario.reply)) as _);
        let assist = Assist::new(Models { fast, deep: None }, &Privacy::default());
        let got = match assist.fix(&snapshot, &problem, None).await {
            Ok((rewrite, _)) => {
                let flags: Vec<&str> = rewrite.flags.iter().map(|flag| flag.code()).collect();
                (apply(&text, &rewrite.edits), flags.join(" "))
            }
            Err(reason) => (String::new(), reason.code().to_owned()),
        };
        let exchanged = |pairs: Pairs| {
            pairs.iter().fold(text.clone(), |text, (old, new)| {
                assert!(text.contains(old), "{}: no {old:?}", scenario.name);
                text.replacen(old, new, 1)
            })
        };
        let expected = match scenario.expected {
            Clean(pairs) => (exchanged(pairs), String::new()),
            Flagged(pairs, flag) => (exchanged(pairs), flag.to_owned()),
            Refused(code) => (String::new(), code.to_owned()),
        };
        right += usize::from(got == expected);
        if got != expected {
            report += &format!("{}: {}\n{}\n", scenario.name, got.1, got.0);
        }
    }
    println!("quick fixes: {right} of {} scenarios as they should be", SCENARIOS.len());
    assert_eq!(right, SCENARIOS.len(), "{report}");
}
