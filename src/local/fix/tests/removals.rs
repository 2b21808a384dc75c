//! Unused imports and variables.

use std::ops::Range;
use std::sync::Arc;

use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, apply};
use crate::local::fix::{FileView, OtherFile, Problem, Suggestion, fix};

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
    check(
        "go",
        "package a\n\nimport (\n\t\"fmt\"\n\t«\"os\"»\n)\n",
        "\"os\" imported but not used",
        &[],
        Some(("remove the unused import `os`", "package a\n\nimport (\n\t\"fmt\"\n)\n")),
    );
    check("typescript", "const «a» = 1;\n", "'a' is declared but its value is never read.", &[], None);
}

#[test]
fn used_import_is_kept() {
    for (language, text, said) in [
        ("python", "import «sys»\n\nprint(sys.path)\n", "`sys` imported but unused"),
        (
            "typescript",
            "import { «A», b } from \"./x\";\nlet c: A = { b };\n",
            "'A' is declared but never used.",
        ),
        (
            "typescript",
            "import { A, «b» } from \"./x\";\nlet c: A = { b };\n",
            "'b' is declared but never used.",
        ),
        ("rust", "«use std::fmt;»\n\nfn f(_: fmt::Error) {}\n", "unused import: `std::fmt`"),
        ("java", "import java.util.«List»;\n\nclass A { List<A> a; }\n", "Unused import - java.util.List."),
        ("go", "package a\n\nimport «\"os\"»\n\nvar a = os.Args\n", "\"os\" imported and not used"),
    ] {
        check(language, text, said, &[], None);
    }
    // A member of something else and an argument's name are not uses.
    check(
        "python",
        "import «sys»\n\nprint(a.sys)  # of a.sys\n",
        "`sys` imported but unused",
        &[],
        Some(("remove the unused import `sys`", "\nprint(a.sys)  # of a.sys\n")),
    );
    check(
        "typescript",
        "import «a» from \"a\";\nf({ a: 1 });\n",
        "'a' is defined but never used.",
        &[],
        Some(("remove the unused import `a`", "f({ a: 1 });\n")),
    );
}

#[test]
fn edit_of_a_tool_changes_only_the_reported_lines_and_imports() {
    let text = "import sys\nimport os\n\nprint(sys.path, os.name)\n";
    let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, text);
    let check = |span: Range<usize>, new: &str, is_taken: bool| {
        let suggestion = Suggestion {
            title: "Organize imports".to_owned(),
            is_safe: true,
            edits: vec![Edit::new(span.clone(), new)],
        };
        let problem =
            Problem::new(0..10, "Import block is un-sorted").with(&[], std::slice::from_ref(&suggestion));
        assert_eq!(fix(&FileView::new(&document), &problem).is_some(), is_taken, "{span:?}");
    };
    check(0..21, "import os\nimport sys\n", true);
    check(0..21, "from a import os, sys\n", true);
    check(11..21, "import os as a, os\n", true);
    check(11..21, "import a\n", false);
    check(0..text.len(), "x = 1\n", false);
    check(11..text.len(), "import os\n", false);
}

#[test]
fn edit_of_a_report_about_another_text_is_not_made() {
    let check = |language: &str, marked: &str, said: &str, new: &str, is_taken: bool| {
        let (start, end) = (marked.find('«').unwrap(), marked.find('»').unwrap() - '«'.len_utf8());
        let text = marked.replace(['«', '»'], "");
        let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
        let suggestion =
            Suggestion { title: String::new(), is_safe: true, edits: vec![Edit::new(start..end, new)] };
        let problem = Problem::new(start..end, said).with(&[], std::slice::from_ref(&suggestion));
        assert_eq!(fix(&FileView::new(&document), &problem).is_some(), is_taken, "{said}\n{marked}");
    };
    // The line is no longer an import.
    let said = "`os` imported but unused";
    check("python", "«import os\n»a()\n", said, "", true);
    check("python", "«\"os is used here\"\n»a()\n", said, "", false);
    check("python", "«# os\n»a()\n", said, "", false);
    check("python", "«os = 1\n»a()\n", said, "", false);
    // The variable is used now.
    let said = "Local variable `x` is assigned to but never used";
    check("python", "def f():\n    «x = »g()\n    return 1\n\ndef h(x):\n    return x\n", said, "", true);
    check("python", "def f():\n    «x = »g()\n    return x\n", said, "", false);
    check("rust", "fn f() {\n    let «x» = 1;\n    g();\n}\n", "unused variable: `x`", "_x", true);
    check("rust", "fn f() {\n    let «x» = 1;\n    g(x);\n}\n", "unused variable: `x`", "_x", false);
    let said = "unused variable: `import_path`";
    check("rust", "fn f() {\n    let «import_path» = 1;\n    g();\n}\n", said, "_import_path", true);
    // It is a misspelt variant, which as a variable matches everything.
    let arms = "fn f(a: E) {\n    match a {\n        E::Low => {}\n        «tooHigh» => {}\n    }\n}\n";
    check("rust", arms, "unused variable: `tooHigh`", "_tooHigh", false);
    // A token is removed without asking, a call is not.
    check("javascript", "a();«;»\n", "Unnecessary semicolon.", "", true);
    check("javascript", "«a();»\n", "Unnecessary semicolon.", "", false);
}

#[test]
fn one_unused_module_of_several_is_removed() {
    let said = "`os` imported but unused";
    let fixed = |text: &'static str| Some(("remove the unused import `os`", text));
    check("python", "import «os», sys\n", said, &[], fixed("import sys\n"));
    check("python", "import sys, «os»\n", said, &[], fixed("import sys\n"));
    check("python", "«import sys, os»\n", said, &[], fixed("import sys\n"));
    check("python", "import a, «os», b as c\n", said, &[], fixed("import a, b as c\n"));
    let said = "`os.path` imported but unused";
    let fixed = |text: &'static str| Some(("remove the unused import `os.path`", text));
    check("python", "«import os, os.path»\n", said, &[], fixed("import os\n"));
    check("python", "import «os», sys\n", said, &[], None);
    check(
        "python",
        "import «os.path as p», sys\n",
        said,
        &[],
        Some(("remove the unused import `p`", "import sys\n")),
    );
}

#[test]
fn import_that_is_not_reported_is_kept() {
    // The text has changed since the report.
    check("rust", "«use std::io;»\n", "unused import: `std::fs`", &[], None);
    check("rust", "use a::{«b», c};\n", "unused import: `c`", &[], None);
    // Entries that the query does not capture count as well.
    check("rust", "use a::{b::{c::{d, «e»}}, f};\n", "unused import: `e`", &[], None);
    check(
        "rust",
        "use a::{b::{c::{d, e}}, «f»};\n",
        "unused import: `f`",
        &[],
        Some(("remove the unused import `f`", "use a::{b::{c::{d, e}}};\n")),
    );
    check(
        "javascript",
        "const «a» = require(\"fs\"), b = 2;\n",
        "'a' is defined but never used.",
        &[],
        Some(("remove the unused import `a`", "const b = 2;\n")),
    );
}

#[test]
fn attributes_and_documentation_are_removed_with_their_statement() {
    let said = "unused import: `std::fs`";
    let fixed = |text: &'static str| Some(("remove the unused import `fs`", text));
    let (before, after) = ("use std::io;\n", "\nfn main() {}\n");
    let check_rust = |marked: &str, left: &str| {
        let expected = format!("{before}{left}{after}");
        let expected = Some(("remove the unused import `fs`", expected.as_str()));
        check("rust", &format!("{before}{marked}{after}"), said, &[], expected);
    };
    check_rust("#[cfg(test)]\nuse «std::fs»;\n", "");
    check_rust("#[cfg(test)] use «std::fs»;\n", "");
    check_rust("/// Files.\n#[cfg(test)]\n// Why.\n#[allow(deprecated)]\nuse «std::fs»;\n", "");
    check_rust("#[cfg(a)]\nuse a;\n// Files.\nuse «std::fs»;\n", "#[cfg(a)]\nuse a;\n// Files.\n");
    check("rust", "#![allow(b)]\nuse «std::fs»;\nfn f() {}\n", said, &[], fixed("#![allow(b)]\nfn f() {}\n"));
    // A directive for the next line would then apply to another line.
    let said = "'a' is declared but its value is never read.";
    for told in [
        "// @ts-ignore\n",
        "// @ts-expect-error\n// because\n",
        "/* eslint-disable-next-line a/b */\n",
        "// biome-ignore lint: a\n",
        "// prettier-ignore\n",
    ] {
        check("typescript", &format!("{told}import {{ «a» }} from \"./x\";\nf();\n"), said, &[], None);
        check("typescript", &format!("import {{\n  {told}  «a»,\n  b,\n}} from \"./x\";\n"), said, &[], None);
    }
    for (before, after) in
        [("// Letters.\n", ""), ("f(); // @ts-ignore\n", ""), ("// @ts-ignore\n\n", "f();\n")]
    {
        let marked = format!("{before}import {{ «a» }} from \"./x\";\n{after}");
        let expected = format!("{before}{after}");
        check("typescript", &marked, said, &[], Some(("remove the unused import `a`", &expected)));
    }
    let said = "`os` imported but unused";
    check("python", "# pylint: disable-next=a\nimport «os»\nb()\n", said, &[], None);
    check(
        "python",
        "# Note: paths.\nimport «os»\nb()\n",
        said,
        &[],
        Some(("remove the unused import `os`", "# Note: paths.\nb()\n")),
    );
}

#[test]
fn block_that_needs_a_statement_keeps_one() {
    let said = "`os` imported but unused";
    let fixed = |text: &'static str| Some(("remove the unused import `os`", text));
    check(
        "python",
        "def f():\n    # Paths.\n    import «os»\n\na = 1\n",
        said,
        &[],
        fixed("def f():\n    # Paths.\n    pass\n\na = 1\n"),
    );
    check("python", "def f(): import «os»\n", said, &[], fixed("def f(): pass\n"));
    check("python", "def f():\n    import «os»  # Paths.\n", said, &[], None);
    check("python", "def f():\n    import «os»\n    a()\n", said, &[], fixed("def f():\n    a()\n"));
    // The next statement would take its place.
    let said = "'a' is assigned a value but never used.";
    check("javascript", "if (b)\n  var «a» = 1;\nc();\n", said, &[], None);
    check("javascript", "if (b) d();\nelse\n  var «a» = require(\"a\");\nc();\n", said, &[], None);
}

#[test]
fn half_edited_statement_is_kept() {
    let said = "unused import: `HashMap`";
    check("rust", "use std::collections::«HashMap», HashSet};\n\nfn f() {}\n", said, &[], None);
    check("rust", "use std::collections::{«HashMap», HashSet;\n\nfn f() {}\n", said, &[], None);
    let said = "unused import: `std::fs`";
    check("rust", "use std::netuse «std::fs»;\n\nfn f() {}\n", said, &[], None);
    check("rust", "use «std::fs»\nuse std::io;\n\nfn f() {}\n", said, &[], None);
    let said = "'Alpha' is declared but its value is never read.";
    check("typescript", "import «Alpha», Beta } from \"./x\";\nBeta();\n", said, &[], None);
    let said = "\"fmt\" imported and not used";
    check("go", "package a\n\nimport\n\t«\"fmt\"»\n\t\"os\"\n)\n\nfunc f() {}\n", said, &[], None);
    // An error elsewhere does not matter.
    let (said, marked) =
        ("unused import: `std::io`", "use «std::io»;\n\nfn f() {\n    let a = 1\n    a;\n}\n");
    let left = "\nfn f() {\n    let a = 1\n    a;\n}\n";
    check("rust", marked, said, &[], Some(("remove the unused import `io`", left)));
}

#[test]
fn entry_is_removed_with_the_comment_on_its_line() {
    let said = "`os.path` imported but unused";
    let fixed = |text: &'static str| Some(("remove the unused import `path`", text));
    check(
        "python",
        "from os import (\n    «path»,  # the path\n    sep,\n)\n",
        said,
        &[],
        fixed("from os import (\n    sep,\n)\n"),
    );
    check(
        "python",
        "from os import (\n    sep,  # the sign\n    «path»  # the path\n)\n",
        said,
        &[],
        fixed("from os import (\n    sep  # the sign\n)\n"),
    );
    check(
        "python",
        "from os import (\n    sep, «path»,  # both\n    name,\n)\n",
        said,
        &[],
        fixed("from os import (\n    sep,  # both\n    name,\n)\n"),
    );
    let said = "'a' is declared but its value is never read.";
    let fixed = |text: &'static str| Some(("remove the unused import `a`", text));
    check(
        "typescript",
        "import {\n  b,\n  «a», // the a\n} from \"./x\";\n",
        said,
        &[],
        fixed("import {\n  b,\n} from \"./x\";\n"),
    );
    check("typescript", "import { b, /* the a */ «a» } from \"./x\";\n", said, &[], None);
}

#[test]
fn unused_variable_is_removed_if_its_value_has_no_side_effects() {
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
    // The name in the value would become unused.
    check(
        "javascript",
        "function f() {\n  const b = 1;\n  const «a» = b;\n  return 2;\n}\n",
        said,
        &[],
        None,
    );
    check("javascript", "function f(b) {\n  const «a» = 1;\n  return (b;\n}\n", said, &[], None);
}

#[test]
fn unused_variable_is_kept_if_its_value_may_have_an_effect() {
    let in_go = |value: &str| {
        format!("package a\n\nfunc f(b, c int) int {{\n\t«a» := {value}\n\tg(b, c)\n\treturn b + c\n}}\n")
    };
    let in_script = |value: &str| {
        format!("function f(b, c) {{\n  const «a» = {value};\n  g(b, c);\n  return b + c;\n}}\n")
    };
    let in_c = |value: &str| {
        format!(
            "#define line (*port)\nint f(int b, int c) {{\n  int «a» = {value};\n  g(b, c, line, PORT);\n  return b + c + line + PORT;\n}}\n"
        )
    };
    let in_python = |value: &str| {
        format!("def f(b, c):\n    {value}\n    g(b, c)\n    return b + c\n").replace('a', "«a»")
    };
    let in_java = |value: &str| {
        format!(
            "class A {{\n  int f(int b, int c) {{\n    int «a» = {value};\n    g(b, c);\n    return b + c;\n  }}\n}}\n"
        )
    };
    let is_removed = |language: &str, marked: &str| {
        let line = marked.lines().find(|it| it.contains('«')).expect("a place");
        let without = marked.replace(&format!("{line}\n"), "");
        let expected = Some(("remove the unused variable `a`", without.as_str()));
        check(language, marked, "unused variable: 'a'", &[], expected);
    };
    let is_kept = |language: &str, marked: &str| check(language, marked, "unused variable: 'a'", &[], None);
    for value in ["b", "-(b + 1) * c", "\"b\"", "b < c && !true"] {
        is_removed("go", &in_go(value));
    }
    for value in ["<-b", "b.(int)", "*b", "b.c", "b[c]", "g(b)", "b << c"] {
        is_kept("go", &in_go(value));
    }
    for value in ["b", "(b + 1) % -c", "'b'", "null"] {
        is_removed("typescript", &in_script(value));
    }
    for value in ["b = c", "(b += c)", "delete b.c", "b.offsetHeight", "b++", "`${b}`", "[b]", "await b"] {
        is_kept("typescript", &in_script(value));
    }
    for value in ["b", "(b + 1) / c", "'b'"] {
        is_removed("c", &in_c(value));
    }
    for value in ["b = c", "PORT", "line", "b->c", "*b", "b++"] {
        is_kept("c", &in_c(value));
    }
    is_kept("cpp", "int f(int b, int c) {\n  auto «a» = b = c;\n  return b + c;\n}\n");
    is_kept("cpp", "int f(S &b, int c) {\n  auto &«a» = b >> c;\n  return b + c;\n}\n");
    is_removed("java", &in_java("b * c"));
    is_kept("java", &in_java("b = c"));
    for value in ["a = b", "a = -b ** c", "a = not b", "a = None"] {
        is_removed("python", &in_python(value));
    }
    for value in ["a = b = c", "b = a = c", "a = b.c", "a = b >> c", "a: int = (b := c)", "a, b = c, b"] {
        is_kept("python", &in_python(value));
    }
}

#[test]
fn unused_variable_is_kept_if_unparsed_code_has_its_name() {
    let said = "unused variable ‘left’";
    let text = "int f(int a) {\n  int «left» = 1;\n  return a;\n}\n\nEACH(a, {\n";
    let mended = "int f(int a) {\n  return a;\n}\n\nEACH(a, {\n";
    check("c", text, said, &[], Some(("remove the unused variable `left`", mended)));
    // Code that the parser cannot read may use it.
    check("c", "int f(int a) {\n  int «left» = 1;\n  return a;\n}\n\nEACH(left, {\n", said, &[], None);
}

#[test]
fn misspelt_variable_is_kept() {
    for name in ["Offset", "ofset"] {
        let text = format!(
            "def f(a):\n    offset = a\n    if a < 0:\n        g(a)\n        «{name}» = -offset\n    return offset + a\n"
        );
        let said = format!("Local variable `{name}` is assigned to but never used");
        check("python", &text, &said, &[], None);
    }
}

#[test]
fn import_for_other_files_is_kept() {
    let said = "`.b.helper` imported but unused";
    let check_at = |path: &str, other: &str, expected: Option<&str>| {
        let document = |path: &str, text: &str| Document::new(DocumentId::new(path), "python", 0, text);
        let text = "from .b import helper\n\nx = 1\n";
        let own = document(path, text);
        let other = Arc::new(OtherFile::read(&document("file:///a/main.py", other)));
        let file = FileView::beside(&own, |_: &str| vec![Arc::clone(&other)]);
        let found = fix(&file, &Problem::new(15..21, said));
        assert_eq!(found.map(|it| apply(text, &it.edits)).as_deref(), expected, "{path}");
    };
    let removed = Some("\nx = 1\n");
    check_at("file:///a/p/c.py", "import os\n", removed);
    check_at("file:///a/p/c.py", "from p.b import helper\n", removed);
    check_at("file:///a/p/c.py", "from p.c import helper\n", None);
    check_at("file:///a/p/c.py", "from .c import helper\n", None);
    // What a package's own file imports is what the package offers.
    check_at("file:///a/p/__init__.py", "import os\n", None);
}

#[test]
fn doubtful_reports_have_no_fix() {
    let said = "`Limits` may be undefined, or defined from star imports";
    check("python", "from a import *\n\nx = «Limits»\n", said, &["from b import Limits\n"], None);
    let said =
        "`a.b` imported but unused; consider removing, adding to `__all__`, or using a redundant alias";
    check("python", "from a import «b»\n\nx = 1\n", said, &[], None);
}

#[test]
fn variable_whose_statement_is_wrong_is_kept() {
    let text = "function f(b) {\n  const a: number = '3';\n  return b;\n}\n";
    let unused = "'a' is declared but its value is never read.";
    let wrong = "Type 'string' is not assignable to type 'number'.";
    let document = Document::new(DocumentId::new("file:///a.ts"), "typescript", 0, text);
    let at = text.find("a:").expect("a place");
    let fixed = |reported: &[(usize, &str)]| {
        let file = FileView::new(&document).with_reported(reported.iter().copied());
        fix(&file, &Problem::new(at..at + 1, unused)).map(|it| apply(text, &it.edits))
    };
    let removed = Some("function f(b) {\n  return b;\n}\n".to_owned());
    assert_eq!(fixed(&[(at, unused)]), removed);
    assert_eq!(fixed(&[(at, unused), (0, wrong)]), removed);
    assert_eq!(fixed(&[(at, unused), (at, wrong)]), None);
}

#[test]
fn offer_that_can_panic_or_that_makes_a_trait_object_is_not_taken() {
    let text = "fn f(a: &[u8]) -> u32 {\n    a.len()\n}\n";
    let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
    let at = text.find("a.len").expect("a place");
    let fixed = |before: &str, behind: &str| {
        let edits = vec![Edit::new(at..at, before), Edit::new(at + 7..at + 7, behind)];
        let offers = [Suggestion { title: "convert it".to_owned(), is_safe: true, edits }];
        let problem = Problem::new(at..at + 7, "mismatched types").with(&[], &offers);
        fix(&FileView::new(&document), &problem).is_some()
    };
    assert!(fixed("(", ") as u32"));
    assert!(!fixed("", ".try_into().unwrap()"));
    assert!(!fixed("<dyn ", ">"));
}

#[test]
fn missing_trait_is_not_the_associated_type_of_its_name() {
    let text = "trait Called {\n    type Future: Future<Output = u8>;\n}\n";
    let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
    let at = text.find("Future<").expect("a place");
    let fixed = |said: &str| {
        let edits = vec![Edit::new(at..at, "Self::")];
        let title = "you might have meant to use the associated type".to_owned();
        let offers = [Suggestion { title, is_safe: true, edits }];
        let problem = Problem::new(at..at + 6, said).with(&[], &offers);
        fix(&FileView::new(&document), &problem).is_some()
    };
    assert!(!fixed("cannot find trait `Future` in this scope"));
    assert!(fixed("cannot find type `Future` in this scope"));
}

#[test]
fn variable_that_hides_another_one_is_kept() {
    let removed = |language: &str, marked: &str, is_removed: bool| {
        let line = marked.lines().find(|it| it.contains('«')).expect("a place");
        let without = marked.replace(&format!("{line}\n"), "");
        let expected = is_removed.then_some(("remove the unused variable `total`", without.as_str()));
        check(language, marked, "unused variable: 'total'", &[], expected);
    };
    let local = "def f(a):\n    «total» = 0\n    return a\n";
    removed("python", &format!("def g(total):\n    return total\n\n\n{local}"), true);
    removed("python", &format!("total = 1\n\n\n{local}"), false);
    removed("python", &format!("from b import total\n\n\n{local}"), false);
    let method = "    def f(self, a):\n        «total» = 0\n        return a\n";
    removed("python", &format!("class A:\n    def g(self):\n        self.total = 1\n\n{method}"), false);
    removed("python", &format!("class A:\n    total: int = 1\n\n{method}"), false);
    let inner = "    def g():\n        «total» = 1\n        return 2\n    return g, total\n";
    removed("python", &format!("def f():\n    total = 0\n{inner}"), false);
    let function = "int f(int a) {\n  int «total» = 1;\n  return a;\n}\n";
    removed("c", &format!("static int total;\n\n{function}"), false);
    removed("c", &format!("int g(int total) {{ return total; }}\n\n{function}"), true);
    removed("cpp", &format!("class A {{\n  int total;\n  {function}}};\n"), false);
    removed("cpp", &format!("struct A {{\n  int total;\n  int f(int a);\n}};\n\n{function}"), false);
    let script = "function f(a) {\n  const «total» = 1;\n  return a;\n}\n";
    removed("javascript", &format!("let total = 1;\n{script}"), false);
    removed("javascript", &format!("class A {{\n  g() {{ this.total = 1; }}\n}}\n{script}"), false);
    removed("javascript", &format!("function g(b) {{ const total = b; return total; }}\n{script}"), true);
}

#[test]
fn offer_of_rustc_that_hides_a_mistake_is_not_taken() {
    let offered = |title: &str, new: &str| {
        let text = "fn f(amount: u32, factor: u32) -> u32 {\n    amount * amount\n}\n";
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
        let at = text.find("factor").expect("a place");
        let edits = vec![Edit::new(at..at + 6, new)];
        let offers = [Suggestion { title: title.to_owned(), is_safe: true, edits }];
        let problem = Problem::new(at..at + 6, "unused variable: `factor`").with(&[], &offers);
        fix(&FileView::new(&document), &problem).is_some()
    };
    assert!(!offered("if this is intentional, prefix it with an underscore", "_factor"));
    assert!(!offered("try ignoring the field", "factor: _"));
    assert!(!offered("use the `?` operator to extract the value", "factor?"));
}
