use std::sync::Arc;

use super::*;
use crate::document::Document;
use crate::document::DocumentId;
use crate::edit::apply;

/// The problem stands at `«…»`.
///
/// `expected` is the title and the resulting text; nothing if no fix is certain.
#[track_caller]
fn check(language: &str, marked: &str, message: &str, others: &[&str], expected: Option<(&str, &str)>) {
    let start = marked.find('«').expect("a place");
    let end = marked.find('»').expect("a place") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
    let read = |text: &&str| {
        Arc::new(OtherFile::read(&Document::new(DocumentId::new("file:///b/two"), language, 0, text)))
    };
    let others: Vec<Arc<OtherFile>> = others.iter().map(read).collect();
    let file = FileView::beside(&document, |_| others.clone());
    let found = fix(&file, &Problem::new(start..end, message));
    let found = found.map(|fix| (fix.title, apply(&text, &fix.edits)));
    assert_eq!(found.as_ref().map(|(title, text)| (title.as_str(), text.as_str())), expected);
}

#[test]
fn missing_signs() {
    check(
        "rust",
        "fn f() {\n    let a = 1 // one\n    «let» b = 2;\n}\n",
        "expected `;`, found keyword `let`",
        &[],
        Some(("add the missing `;`", "fn f() {\n    let a = 1; // one\n    let b = 2;\n}\n")),
    );
    check(
        "python",
        "def f(a)«»\n    return a\n",
        "expected ':'",
        &[],
        Some(("add the missing `:`", "def f(a):\n    return a\n")),
    );
    check(
        "python",
        "x = f«(»1, 2\ny = 3\n",
        "\"(\" was never closed",
        &[],
        Some(("add the missing `)`", "x = f(1, 2)\ny = 3\n")),
    );
    check(
        "typescript",
        "const a = [1, 2«;»\nconst b = 3;\n",
        "']' expected.",
        &[],
        Some(("add the missing `]`", "const a = [1, 2];\nconst b = 3;\n")),
    );
    check(
        "go",
        "package a\n\nfunc f() {\n\tg(1\n«}»\n",
        "missing ',' before newline in argument list",
        &[],
        None,
    );
    check(
        "rust",
        "fn f() {\n    a b«;»\n}\n",
        "expected one of `.`, `;`, `?`, `}`, or an operator, found `b`",
        &[],
        None,
    );
    check("rust", "fn f() {\n    g(«1»);\n}\n", "expected `;`", &[], None);
}

#[test]
fn unused_imports() {
    check(
        "rust",
        "use std::fmt;\n«use std::io;»\n\nfn f() {}\n",
        "unused import: `std::io`",
        &[],
        Some(("remove the unused import `io`", "use std::fmt;\n\nfn f() {}\n")),
    );
    check(
        "rust",
        "use std::collections::{BTreeMap, «HashMap», HashSet};\n",
        "unused import: `HashMap`",
        &[],
        Some(("remove the unused import `HashMap`", "use std::collections::{BTreeMap, HashSet};\n")),
    );
    check(
        "python",
        "from os import path, «sep»\n",
        "`os.sep` imported but unused",
        &[],
        Some(("remove the unused import `sep`", "from os import path\n")),
    );
    check(
        "typescript",
        "import { «a», b } from \"./x\";\n",
        "'a' is declared but its value is never read.",
        &[],
        Some(("remove the unused import `a`", "import { b } from \"./x\";\n")),
    );
    check(
        "go",
        "package a\n\nimport (\n\t\"fmt\"\n\t«\"os\"»\n)\n",
        "\"os\" imported and not used",
        &[],
        Some(("remove the unused import `os`", "package a\n\nimport (\n\t\"fmt\"\n)\n")),
    );
    check("typescript", "const «a» = 1;\n", "'a' is declared but its value is never read.", &[], None);
}

#[test]
fn missing_imports() {
    check(
        "rust",
        "use std::fmt;\n\nfn f() -> «HashMap»<u8, u8> {}\n",
        "cannot find type `HashMap` in this scope",
        &["use std::collections::{BTreeMap, HashMap};\n"],
        Some((
            "add `use std::collections::HashMap;`",
            "use std::fmt;\nuse std::collections::HashMap;\n\nfn f() -> HashMap<u8, u8> {}\n",
        )),
    );
    check(
        "python",
        "# Paths.\n\nprint(«Path»(\".\"))\n",
        "\"Path\" is not defined",
        &["from pathlib import Path\n", "from pathlib import PurePath, Path\n"],
        Some((
            "add `from pathlib import Path`",
            "# Paths.\n\nfrom pathlib import Path\n\nprint(Path(\".\"))\n",
        )),
    );
    check(
        "typescript",
        "import { a } from \"a\";\n\n«useState»(1);\n",
        "Cannot find name 'useState'.",
        &["import { useState, useMemo } from \"react\";\n"],
        Some((
            "add `import { useState } from \"react\";`",
            "import { a } from \"a\";\nimport { useState } from \"react\";\n\nuseState(1);\n",
        )),
    );
    check(
        "go",
        "package a\n\nimport \"os\"\n\nvar _ = «strings».ToUpper(os.Args[0])\n",
        "undefined: strings",
        &["package b\n\nimport (\n\t\"io\"\n\t\"strings\"\n)\n"],
        Some((
            "add `import \"strings\"`",
            "package a\n\nimport \"os\"\nimport \"strings\"\n\nvar _ = strings.ToUpper(os.Args[0])\n",
        )),
    );
    // Two meanings, a path that is near the other file only, none at all.
    let (io, fmt) = ("use std::io::Error;\n", "use std::fmt::Error;\n");
    check("rust", "fn f(_: «Error») {}\n", "cannot find type `Error` in this scope", &[io, fmt], None);
    check(
        "rust",
        "fn f(_: «Thing») {}\n",
        "cannot find type `Thing` in this scope",
        &["use super::Thing;\n"],
        None,
    );
    check("rust", "fn f(_: «Thing») {}\n", "cannot find type `Thing` in this scope", &[], None);
}

#[test]
fn braces_are_closed_where_the_indentation_says() {
    check(
        "rust",
        "fn f(n: i32) {\n    if n < 0 {\n        g();\n    h();\n}\n\nfn k() {}\n«»",
        "this file contains an unclosed delimiter",
        &[],
        Some((
            "add the missing `}`",
            "fn f(n: i32) {\n    if n < 0 {\n        g();\n    }\n    h();\n}\n\nfn k() {}\n",
        )),
    );
    check(
        "typescript",
        "class A {\n  f() {\n    g();\n  }\n«»",
        "'}' expected.",
        &[],
        Some(("add the missing `}`", "class A {\n  f() {\n    g();\n  }\n}\n")),
    );
    // Two are missing, or the indentation tells nothing.
    check("rust", "fn f() {\n    if a {\n        if b {\n    g();\n}\n«»", "unclosed delimiter", &[], None);
    check("rust", "fn f() {\nif a {\ng();\n}\n«»", "unclosed delimiter", &[], None);
}

#[test]
fn misspelt_names_have_one_near_candidate() {
    let undefined = "undefined name `subtotl`";
    check(
        "python",
        "def f(a):\n    subtotal = a\n    return «subtotl»\n",
        undefined,
        &[],
        Some(("change `subtotl` to `subtotal`", "def f(a):\n    subtotal = a\n    return subtotal\n")),
    );
    // Another function's variable, a member and a keyword cannot be meant.
    check("python", "def g():\n    subtotal = 1\n\ndef f(a):\n    return «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a.subtotal + «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a(subtotal=1) + «subtotl»\n", undefined, &[], None);
    // Two are as near.
    check("python", "def f(subtota, subtotal):\n    return «subtotl»\n", undefined, &[], None);
    check(
        "javascript",
        "if (a) {\n  const subtotal = 1;\n}\nb(«subtotl»);\n",
        "'subtotl' is not defined.",
        &[],
        None,
    );
    // It is spelled as its library has it.
    check(
        "java",
        "class A {\n  «Error» x;\n  int error;\n}\n",
        "cannot find symbol\nsymbol: class Error",
        &[],
        None,
    );
}

#[test]
fn offers_of_the_tool_are_taken_if_there_is_one() {
    check(
        "typescript",
        "a.«balence»;\n",
        "Property 'balence' does not exist on type 'A'. Did you mean 'balance'?",
        &[],
        Some(("change `balence` to `balance`", "a.balance;\n")),
    );
    check(
        "python",
        "«x = a.uper() + upper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\"?",
        &[],
        Some(("change `uper` to `upper`", "x = a.upper() + upper\n")),
    );
    check(
        "python",
        "«a.uper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\" or \"super\"?",
        &[],
        None,
    );
    check("python", "«uper(uper)»\n", "name 'uper' is not defined. Did you mean: 'upper'?", &[], None);
    check(
        "c",
        "int f(struct a *b) { return b«.»c; }\n",
        "‘b’ is a pointer; did you mean to use ‘->’?",
        &[],
        Some(("change `.` to `->`", "int f(struct a *b) { return b->c; }\n")),
    );
}

#[test]
fn name_of_an_import_is_changed_wherever_it_is_used() {
    check(
        "python",
        "from collections import «OrderedDit»\n\na = OrderedDit()\nb.OrderedDit = 1\n# OrderedDit\n",
        "Module \"collections\" has no attribute \"OrderedDit\"; maybe \"OrderedDict\"?",
        &[],
        Some((
            "change `OrderedDit` to `OrderedDict`",
            "from collections import OrderedDict\n\na = OrderedDict()\nb.OrderedDit = 1\n# OrderedDit\n",
        )),
    );
}

#[test]
fn imports_of_the_library_have_one_provider() {
    check(
        "python",
        "\"\"\"Text.\"\"\"\n\nprint(«json».loads(a))\n",
        "Undefined name `json`",
        &[],
        Some(("add `import json`", "\"\"\"Text.\"\"\"\n\nimport json\n\nprint(json.loads(a))\n")),
    );
    check("python", "print(«json»)\n", "Undefined name `json`", &[], None);
    check(
        "go",
        "package a\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nvar a = «strings».ToUpper(fmt.Sprint(time.Now()))\n",
        "undefined: strings",
        &[],
        Some((
            "add `import \"strings\"`",
            "package a\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\t\"time\"\n)\n\nvar a = \
             strings.ToUpper(fmt.Sprint(time.Now()))\n",
        )),
    );
    check("go", "package a\n\nvar a = «rand».Int()\n", "undefined: rand", &[], None);
}

#[test]
fn unused_variables_go_if_their_value_takes_no_work() {
    let said = "'a' is assigned a value but never used.";
    check(
        "javascript",
        "function f(b) {\n  const «a» = b + 1;\n  return b;\n}\n",
        said,
        &[],
        Some(("remove the unused variable `a`", "function f(b) {\n  return b;\n}\n")),
    );
    check("javascript", "function f(b) {\n  const «a» = b();\n  return b;\n}\n", said, &[], None);
    check("javascript", "function f(b) {\n  let «a» = 1;\n  a = 2;\n  return b;\n}\n", said, &[], None);
    check("javascript", "function f(b) {\n  const «a» = 1, c = 2;\n  return c;\n}\n", said, &[], None);
    // The value's own name would be unused next.
    check(
        "javascript",
        "function f() {\n  const b = 1;\n  const «a» = b;\n  return 2;\n}\n",
        said,
        &[],
        None,
    );
    check("javascript", "function f(b) {\n  const «a» = 1;\n  return (b;\n}\n", said, &[], None);
}

/// Fixes at `«…»` places of one text, each with its message; shows the text with all that go together.
#[track_caller]
fn check_together(language: &str, marked: &str, messages: &[&str], expected: &str, left: &[Left]) {
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
    // One tool misses the use of what another knows to be misspelt.
    check_together(
        "javascript",
        "function f(b) {\n  return «subtotl»;\n  const «subtotal» = 1;\n}\n",
        &["'subtotl' is not defined.", "'subtotal' is assigned a value but never used."],
        "function f(b) {\n  return subtotal;\n  const subtotal = 1;\n}\n",
        &[Left::Contradiction],
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
fn variable_is_declared_as_it_is_assigned() {
    let said = "Unexpected var, use let or const instead.";
    check(
        "javascript",
        "function f() {\n  «var a = 1;»\n  return a;\n}\n",
        said,
        &[],
        Some(("declare `a` with `const`", "function f() {\n  const a = 1;\n  return a;\n}\n")),
    );
    check("javascript", "function f() {\n  «var a = 1;»\n  a += 2;\n}\n", said, &[], None);
    check("javascript", "function f() {\n  «var a = 1;»\n  a++;\n}\n", said, &[], None);
    check("javascript", "function f() {\n  «var a = 1, b = 2;»\n}\n", said, &[], None);
    let said = "Cannot assign to 'a' because it is a constant.";
    check(
        "typescript",
        "const a = 1;\n«a» = 2;\n",
        said,
        &[],
        Some(("declare `a` with `let`", "let a = 1;\na = 2;\n")),
    );
    check("typescript", "const a = 1, b = 2;\n«a» = 2;\n", said, &[], None);
    check("typescript", "const a = 1;\nfunction f() {\n  const a = 1;\n  «a» = 2;\n}\n", said, &[], None);
    check(
        "go",
        "package a\n\nfunc f() {\n\ta := 1\n\ta «:=» 2\n}\n",
        "no new variables on left side of :=",
        &[],
        Some(("assign with `=`", "package a\n\nfunc f() {\n\ta := 1\n\ta = 2\n}\n")),
    );
}
