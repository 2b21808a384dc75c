//! Names that are misspelt.

use super::super::*;
use super::check;
use crate::document::DocumentId;

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
fn name_that_is_not_defined_yet_is_left() {
    // Words, which no slip makes, and names of a library that is not imported.
    for (language, text, said) in [
        ("python", "def f(count, items):\n    return «{}»(items)\n", "Undefined name `{}`"),
        ("rust", "fn f(count: u32, items: u32) -> u32 {\n    «{}»(items)\n}\n", "cannot find `{}`"),
        ("go", "package a\n\nfunc f(count int, items int) int {\n\treturn «{}»(items)\n}\n", "undefined: {}"),
        (
            "java",
            "class A {\n  int f(int count, int items) {\n    return «{}»(items);\n  }\n}\n",
            "cannot find symbol\nsymbol: method {}",
        ),
        ("typescript", "function f(count, items) {\n  return «{}»(items);\n}\n", "Cannot find name '{}'."),
        ("c", "int f(int count, int items) {\n  return «{}»(items);\n}\n", "‘{}’ undeclared"),
    ] {
        let words = [
            "silent",
            "account",
            "change",
            "grant",
            "session",
            "width",
            "item",
            "counts",
            "mount",
            "form",
            "current_app",
            "shaped",
            "fielno",
        ];
        for word in words {
            check(language, &text.replace("{}", word), &said.replace("{}", word), &[], None);
        }
    }
    // The tool itself may offer it.
    let said = "Cannot find name 'items'. Did you mean 'item'?";
    check("typescript", "function f(item) {\n  return «items»;\n}\n", said, &[], None);
}

#[test]
fn builtin_is_meant_where_nothing_else_is() {
    let said = "name 'pirnt' is not defined";
    check("python", "«pirnt»(1)\n", said, &[], Some(("change `pirnt` to `print`", "print(1)\n")));
    // What the tool misses as well cannot be meant.
    let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, "subtotl = 1\nx = subtotal\n");
    let problem = Problem::new(16..24, "Undefined name `subtotal`");
    let file = FileView::new(&document).with_reported(["Undefined name `subtotl`"].into_iter());
    assert_eq!(fix(&file, &problem), None);
}

#[test]
fn name_that_the_project_defines_is_not_changed() {
    let said = "Cannot find name 'Ruoter'. Did you mean 'Router'?";
    let text = "import { Router } from \"./a\";\nnew «Ruoter»(Router);\n";
    check("typescript", text, said, &["export class Ruoter {}\n"], None);
    check(
        "typescript",
        text,
        said,
        &["export class Other {}\n"],
        Some(("change `Ruoter` to `Router`", "import { Router } from \"./a\";\nnew Router(Router);\n")),
    );
    // The import that is missing has it.
    let said = "cannot find value `subtotl` in this scope";
    let text = "fn f(subtotal: u8) -> u8 {\n    «subtotl»\n}\n";
    check("rust", text, said, &["use a::subtotl;\nuse b::subtotal;\n", "use c::subtotl;\n"], None);
}

#[test]
fn all_uses_are_changed_where_the_compiler_reports_the_first() {
    check(
        "c",
        "int f(int subtotal) {\n  return «subtotl» + a.subtotl + subtotl;\n}\nint g(int subtotl) { return subtotl; }\n",
        "‘subtotl’ undeclared (first use in this function); did you mean ‘subtotal’?",
        &[],
        Some((
            "change `subtotl` to `subtotal`",
            "int f(int subtotal) {\n  return subtotal + a.subtotl + subtotal;\n}\nint g(int subtotl) { return subtotl; }\n",
        )),
    );
}

#[test]
fn report_of_another_text_changes_nothing() {
    check("python", "«import sys»\n\nsys.exit()\n", "`os` imported but unused", &[], None);
    check("python", "def f(subtotal):\n    return «subtota»\n", "Undefined name `subtotl`", &[], None);
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
        "typescript",
        "import { b } from «\"./b\"»;\n",
        "Relative import paths need explicit file extensions in ECMAScript imports. Did you mean './b.js'?",
        &[],
        Some(("change `./b` to `./b.js`", "import { b } from \"./b.js\";\n")),
    );
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
        "from collections import «OrdredDict»\n\na = OrdredDict()\nb.OrdredDict = 1\n# OrdredDict\n",
        "Module \"collections\" has no attribute \"OrdredDict\"; maybe \"OrderedDict\"?",
        &[],
        Some((
            "change `OrdredDict` to `OrderedDict`",
            "from collections import OrderedDict\n\na = OrderedDict()\nb.OrdredDict = 1\n# OrdredDict\n",
        )),
    );
}
