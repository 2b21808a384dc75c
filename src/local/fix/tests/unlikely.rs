//! Fixes that would compile and be wrong.

use super::super::*;
use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::apply;

#[test]
fn function_that_differs_by_case_does_not_call_itself() {
    for (language, marked, said) in [
        (
            "go",
            "package a\n\nfunc (t *T) Close() error { return t.«close»() }\n",
            "t.close undefined (type *T has no field or method close, but does have method Close)",
        ),
        ("go", "package a\n\nfunc RealIP(r R) R { return «realIP»(r) }\n", "undefined: realIP"),
        ("go", "package a\n\nfunc Print() {}\n\nfunc f() { «print2»() }\n", "undefined: print2"),
        ("go", "package a\n\nfunc PrintStack() {}\n\nfunc f() { «printStack»() }\n", "undefined: printStack"),
        (
            "typescript",
            "class A {\n  Render() {\n    return this.«render»();\n  }\n}\n",
            "Property 'render' does not exist on type 'A'. Did you mean 'Render'?",
        ),
        (
            "c",
            "int Foo(int a) { return «foo»(a); }\n",
            "implicit declaration of function ‘foo’; did you mean ‘Foo’?",
        ),
    ] {
        check(language, marked, said, &[], None);
    }
    let local = "package a\n\nfunc f() bool {\n\tfound := false\n\t«Found» = true\n\treturn found\n}\n";
    let fixed = local.replace("«Found»", "found");
    check("go", local, "undefined: Found", &[], Some(("change `Found` to `found`", &fixed)));
    // Another function may be meant.
    check(
        "typescript",
        "class A {\n  Render() {}\n  f() {\n    return this.«render»();\n  }\n}\n",
        "Property 'render' does not exist on type 'A'. Did you mean 'Render'?",
        &[],
        Some((
            "change `render` to `Render`",
            "class A {\n  Render() {}\n  f() {\n    return this.Render();\n  }\n}\n",
        )),
    );
}

#[test]
fn function_of_c_with_other_letters_is_not_meant() {
    let said = |offer: &str| {
        format!(
            "implicit declaration of function ‘strlcpy’; did you mean ‘{offer}’? [-Wimplicit-function-declaration]"
        )
    };
    check("c", "void f(void) {\n  «strlcpy»(a, b, 2);\n}\n", &said("strncpy"), &[], None);
    let said = "implicit declaration of function ‘pritnf’; did you mean ‘printf’?";
    let mended = Some(("change `pritnf` to `printf`", "void f(void) {\n  printf(a);\n}\n"));
    check("c", "void f(void) {\n  «pritnf»(a);\n}\n", said, &[], mended);
}

#[test]
fn field_of_go_is_no_method_in_another_case() {
    let text = "package a\n\ntype L struct{}\n\nfunc (l *L) Prefix() string { return l.«prefix» }\n";
    let said = "l.prefix undefined (type *L has no field or method prefix, but does have method Prefix)";
    check("go", text, said, &[], None);
}

#[test]
fn variable_is_no_type_in_another_case() {
    let text = "from models import User\n\ndef f():\n    return «user».name + User.count\n";
    check("python", text, "\"user\" is not defined", &[], None);
}

#[test]
fn name_that_the_file_assigns_is_not_imported() {
    let other = ["from itertools import count\n"];
    let summed = "def f(xs):\n    for x in xs:\n        count += x\n    return «count»\n";
    check("python", summed, "Undefined name `count`", &other, None);
    check("python", "def f(xs):\n    return «count»(xs)\n", "Undefined name `count`", &other, {
        let fixed = "from itertools import count\n\ndef f(xs):\n    return count(xs)\n";
        Some(("add `from itertools import count`", fixed))
    });
    let other = ["import { total } from \"pkg\";\n"];
    check("typescript", "«total» += 1;\n", "Cannot find name 'total'.", &other, None);
}

#[test]
fn import_of_a_type_alone_or_in_a_function_is_no_evidence() {
    let used = "def f(a: «Env»): ...\n";
    for other in [
        "import typing as t\n\nif t.TYPE_CHECKING:\n    from wsgi import Env\n",
        "def g():\n    from wsgi import Env\n    return Env\n",
    ] {
        check("python", used, "Undefined name `Env`", &[other], None);
    }
    let fixed = Some(("add `from wsgi import Env`", "from wsgi import Env\n\ndef f(a: Env): ...\n"));
    check("python", used, "Undefined name `Env`", &["from wsgi import Env\n"], fixed);
}

#[test]
fn script_of_requires_gets_no_import() {
    let other = ["import { upper } from \"c\";\n"];
    let common = "const fs = require(\"fs\");\nmodule.exports = (s) => «upper»(s);\n";
    check("javascript", common, "'upper' is not defined.", &other, None);
}

#[test]
fn byte_order_mark_stays_first() {
    let text = "\u{feff}def f(s):\n    return os.path.join(s)\n";
    let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, text);
    let at = text.find("os.").unwrap();
    let found = fix(&FileView::new(&document), &Problem::new(at..at + 2, "Undefined name `os`"));
    let fixed = "\u{feff}import os\n\ndef f(s):\n    return os.path.join(s)\n";
    assert_eq!(found.map(|it| apply(text, &it.edits)).as_deref(), Some(fixed));
}

#[test]
fn import_is_put_above_the_comment_of_a_function() {
    let text = "package m\n\n// F prints x.\nfunc F() { «fmt».Println(1) }\n";
    let fixed = "package m\n\nimport \"fmt\"\n\n// F prints x.\nfunc F() { fmt.Println(1) }\n";
    check("go", text, "undefined: fmt", &[], Some(("add `import \"fmt\"`", fixed)));
}

#[test]
fn sign_is_not_put_into_a_name() {
    let text = "def f(a, value, b):\n    return {\"x\": a, valu«e», \"y\": b}\n";
    check("python", text, "':' expected after dictionary key", &[], None);
}

#[test]
fn keyword_is_not_made_of_one_letter() {
    let fixed = |name: &str, keyword: &str| {
        let text = format!("fn f({name}: i32) {{ g({name}) }}\n");
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
        let edits = vec![crate::edit::Edit::new(5..5 + name.len(), keyword)];
        let fix = Fix::new(Kind::OfTool, String::new(), edits);
        !unlikely::is_unlikely(&FileView::new(&document), &fix)
    };
    assert_eq!(
        [fixed("a", "as"), fixed("i", "if"), fixed("a", "_a"), fixed("abc", "self")],
        [false, false, true, true]
    );
}

#[test]
fn misspelt_keyword_gets_no_semicolon() {
    let fix = |kind, edit| Fix::new(kind, String::new(), vec![edit]);
    let keyword = fix(Kind::MisspeltName, crate::edit::Edit::new(0..4, "else"));
    let semicolon = fix(Kind::MissingToken, crate::edit::Edit::new(4..4, ";"));
    for fixes in [[keyword.clone(), semicolon.clone()], [semicolon, keyword]] {
        assert_eq!(join(&fixes).left, [(1, SkipReason::Overlap)]);
    }
}

#[test]
fn token_is_not_added_behind_a_begun_name() {
    let head = |head: &str| format!("import pytest\n\ndef f(user, name):\n    {head}«»\n        g(name)\n");
    let fixed = |code: &str| Some(head(code).replace("«»", ":"));
    let check_head = |code: &str, others: &[&str], expected: Option<String>| {
        let expected = expected.as_deref().map(|it| ("add the missing `:`", it));
        check("python", &head(code), "expected ':'", others, expected);
    };
    check_head("with pyt", &[], None);
    check_head("if user.is_adm", &[], None);
    check_head("if user.is_admin", &["class A:\n    is_admin = 1\n"], fixed("if user.is_admin"));
    check_head("if user", &[], fixed("if user"));
    check_head("if not None", &[], fixed("if not None"));
    check_head("class Own", &[], fixed("class Own"));
    let statement = |end: &str| format!("int f(int count) {{\n  int a = 1;\n  return {end}«»\n}}\n");
    let ended = statement("a + count").replace("«»", ";");
    check(
        "c",
        &statement("a + count"),
        "expected ‘;’ before ‘}’ token",
        &[],
        Some(("add the missing `;`", &ended)),
    );
    check("c", &statement("a + cou"), "expected ‘;’ before ‘}’ token", &[], None);
}

#[test]
fn second_import_is_not_added_beside_a_broken_one() {
    let text = "use alloc::borrowToOwned;\n\nfn f(a: &str) {\n    ToOwned::to_owned(a);\n}\n";
    let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
    let at = text.find("ToOwned::").unwrap();
    let edits = vec![Edit::new(0..0, "use alloc::borrow::ToOwned;\n")];
    let offers = [Suggestion { title: "consider importing this trait".to_owned(), is_safe: true, edits }];
    let said = "cannot find trait `ToOwned` in this scope";
    let is_fixed = |reported: &[(usize, &str)]| {
        let problem = Problem::new(at..at + "ToOwned".len(), said).with(&[], &offers);
        fix(&FileView::new(&document).with_reported(reported.iter().copied()), &problem).is_some()
    };
    assert!(is_fixed(&[(at, said)]));
    assert!(!is_fixed(&[(at, said), (4, "unresolved import `alloc::borrowToOwned`")]));
}

#[test]
fn statement_that_is_only_begun_gets_no_semicolon() {
    let said = "expected `;`, found `a`";
    let text = |code: &str| format!("fn f(a: u8) {{\n    {code}«»\n    a.g();\n}}\n");
    check("rust", &text("let mut a"), said, &[], None);
    let ended = text("let b = a").replace("«»", ";");
    check("rust", &text("let b = a"), said, &[], Some(("add the missing `;`", &ended)));
    let text = |code: &str| format!("void f(int a) {{\n  {code}«»\n}}\n");
    check("c", &text("if (a) a"), "expected ‘;’ before ‘}’ token", &[], None);
    let ended = text("if (a) g(a)").replace("«»", ";");
    check(
        "c",
        &text("if (a) g(a)"),
        "expected ‘;’ before ‘}’ token",
        &[],
        Some(("add the missing `;`", &ended)),
    );
}

#[test]
fn guess_of_rustc_is_not_certain() {
    let text = "fn f(a: &[u8]) {\n    let b = current;\n    g(b, size_of(a));\n}\n";
    let check = |name: &str, title: &str, edit: Edit, is_fixed: bool| {
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
        let at = text.find(name).unwrap();
        let offers = [Suggestion { title: title.to_owned(), is_safe: true, edits: vec![edit] }];
        let said = format!("cannot find value `{name}` in this scope");
        let problem = Problem::new(at..at + name.len(), &said).with(&[], &offers);
        assert_eq!(fix(&FileView::new(&document), &problem).is_some(), is_fixed, "{title}");
    };
    let import = |path: &str| Edit::new(0..0, format!("use std::{path};\n"));
    check("current", "consider importing this function", import("thread::current"), false);
    check("size_of", "consider importing this function", import("mem::size_of"), true);
    check("current", "consider importing this unit variant", import("current"), false);
    check("current", "consider importing this derive macro", import("current"), false);
    check("current", "you might have meant to refer to the method", Edit::new(27..27, "self."), false);
    // The name is misspelt in a path, of which the suggestion imports the rest.
    check("current", "consider importing this module", import("io"), false);
}

#[test]
fn name_behind_a_dot_in_the_line_above_is_no_missing_import() {
    let said = "Undefined name `json`";
    let added = Some(("add `import json`", "import json\n\nx = ...\ny = json.loads(a)\n"));
    check("python", "x = ...\ny = «json».loads(a)\n", said, &[], added);
    let header = "#include <stdio.h>\n\nvoid f(struct A *a) {\n  a->\n  «printf»(1);\n}\n";
    check("c", &header.replace("#include <stdio.h>\n\n", ""), "undeclared identifier 'printf'", &[], None);
}

#[test]
fn closing_token_is_not_added_before_another_that_may_be_the_wrong_one() {
    let text = |line: &str| format!("package a\n\nfunc f(b []int) {{\n\t{line}\n}}\n");
    let said = "syntax error: unexpected } in argument list; possibly missing comma or )";
    check("go", &text("c := g(b...«}»"), said, &[], None);
    let mended = text("c := h{g(b...)}");
    let marked = text("c := h{g(b...«}»");
    check("go", &marked, said, &[], Some(("add the missing `)`", &mended)));
}

#[test]
fn text_behind_a_lost_quote_has_no_keywords() {
    let text = "fn f() {\n    g(\"a \\\"b, \" foo «b»\");\n}\n";
    check("rust", text, "expected one of `)` or `,`, found `foo`", &[], None);
}

#[test]
fn name_of_another_file_is_not_parted() {
    let text = "class A {\n  void f(B b) {\n    int get = 1;\n    Type t = b.getType«)»;\n  }\n}\n";
    let other = "class B {\n  Type getType() { return null; }\n}\n";
    check("java", text, "';' expected", &[other], None);
}

#[test]
fn comma_does_not_join_statements() {
    let text = "function f(keys, tag, c, d) {\n  if (c) {\n    const key = keys.reduce(\n      (acc, k => (d[k] === undefined ? acc : k),\n      tag\n    )\n    «c» = !d[key]\n    e = d[key] ||= (() => {\n      const g = h()\n      return g\n    })()\n  }\n}\n\nfunction h(e) {\n  return e\n}\n";
    check("typescript", text, "',' expected.", &[], None);
    let list = "g(a, b)\nf([\n  a\n  «b»,\n])\n";
    let mended = Some(("add the missing `,`", "g(a, b)\nf([\n  a,\n  b,\n])\n"));
    check("typescript", list, "',' expected.", &[], mended);
}

#[test]
fn arguments_that_are_still_to_be_written_are_not_closed() {
    check("python", "a = 1\nassert list«(»\nb = a\n", "'(' was never closed", &[], None);
    check("python", "b = 1\na = list«[»(b)\n", "'[' was never closed", &[], None);
}

#[test]
fn conversion_for_a_value_of_another_kind_is_not_changed() {
    let text = "void f(void) { printf(\"%d\", a); }\n";
    let document = Document::new(DocumentId::new("file:///a.c"), "c", 0, text);
    let at = text.find("%d").unwrap();
    let check = |old: &str, expected: &str, found: &str, new: &str, is_taken: bool| {
        let said =
            format!("format ‘{old}’ expects argument of type ‘{expected}’, but argument 2 has type {found}");
        let edits = vec![crate::edit::Edit::new(at..at + 2, new)];
        let offers = [Suggestion { title: String::new(), is_safe: false, edits }];
        let offers = offers.map(|it| Suggestion { title: said.clone(), ..it });
        let problem = Problem::new(at..at + 2, &said).with(&[], &offers);
        assert_eq!(fix(&FileView::new(&document), &problem).is_some(), is_taken, "{said}");
    };
    check("%d", "int", "‘long int’", "%ld", true);
    check("%lu", "long unsigned int", "‘unsigned int’", "%u", true);
    check("%f", "double", "‘long double’", "%Lf", true);
    check("%d", "int", "‘int *’", "%ls", false);
    check("%s", "char *", "‘int’", "%d", false);
    check("%x", "unsigned int", "‘char *’", "%s", false);
    check("%d", "int", "‘size_t’ {aka ‘long unsigned int’}", "%ld", false);
    check("%5.2f", "double", "‘int’", "%5d", false);
}

#[test]
fn type_is_no_keyword() {
    check("typescript", "let a: «Unknown»;\n", "Cannot find name 'Unknown'.", &[], None);
    check("typescript", "type A = «Void»;\n", "Cannot find name 'Void'.", &[], None);
    let fixed = Some(("change `vOid` to `void`", "type A = void;\n"));
    check("typescript", "type A = «vOid»;\n", "Cannot find name 'vOid'.", &[], fixed);
}

#[test]
fn method_is_not_used_as_a_field() {
    let said = "c.name undefined (type Cart has no field or method name, but does have method Name)";
    check("go", "package a\n\nfunc f() { g(c.«name») }\n", said, &[], None);
    let fixed = Some(("change `name` to `Name`", "package a\n\nfunc f() { g(c.Name()) }\n"));
    check("go", "package a\n\nfunc f() { g(c.«name»()) }\n", said, &[], fixed);
}

#[test]
fn import_reaches_its_use() {
    let said = "implicit declaration of function 'strlen'";
    let title = "add `#include <string.h>`";
    let used = "int f(const char *s) { return «strlen»(s); }\n";
    let fixed = used.replace(['«', '»'], "");
    let check_c = |before: &str, behind: &str, expected: &str| {
        let expected = format!("{expected}\n{fixed}{behind}");
        check("c", &format!("{before}\n{used}{behind}"), said, &[], Some((title, &expected)));
    };
    check_c("#include \"w.h\"\n", "#include \"w.inc\"\n", "#include \"w.h\"\n#include <string.h>\n");
    check_c("#define _GNU_SOURCE\n", "", "#define _GNU_SOURCE\n\n#include <string.h>\n");
    let said = "Undefined name `zipfile`";
    let fixed = "import zipfile\n\nimport a\n\nX = zipfile.ZipFile(a)\n\nimport json\n";
    let text = "import a\n\nX = «zipfile».ZipFile(a)\n\nimport json\n";
    check("python", text, said, &[], Some(("add `import zipfile`", fixed)));
    let (said, other) = ("cannot find type `HashMap` in this scope", ["use std::collections::HashMap;\n"]);
    let text = |seen: &str| format!("mod tests {{\n{seen}    fn f(_: «HashMap»<u8, u8>) {{}}\n}}\n");
    check("rust", &text(""), said, &other, None);
    let seen = text("    use super::*;\n");
    let fixed = format!("use std::collections::HashMap;\n{}", seen.replace(['«', '»'], ""));
    check("rust", &seen, said, &other, Some(("add `use std::collections::HashMap;`", &fixed)));
}

#[test]
fn include_under_a_condition_is_no_evidence() {
    let (text, said) = ("void f(void) { «g»(); }\n", "implicit declaration of function 'g'");
    let other = "#include \"g.h\"\nvoid h(void) { g(); }\n";
    let fixed = Some(("add `#include \"g.h\"`", "#include \"g.h\"\n\nvoid f(void) { g(); }\n"));
    let check = |other: &str, expected: Option<(&str, &str)>| {
        let own = Document::new(DocumentId::new("file:///a/one.c"), "", 0, &text.replace(['«', '»'], ""));
        let read = |uri: &str, text: &str| {
            std::sync::Arc::new(OtherFile::read(&Document::new(DocumentId::new(uri), "", 0, text)))
        };
        let others = [read("file:///a/two.c", other), read("file:///a/g.h", "void g(void);\n")];
        let file = FileView::beside(&own, |_: &str| others.to_vec());
        let found = fix(&file, &Problem::new(15..16, said));
        let found = found.map(|it| (it.title, apply(file.contents(), &it.edits)));
        assert_eq!(found.as_ref().map(|(title, text)| (title.as_str(), text.as_str())), expected, "{other}");
    };
    check(other, fixed);
    check(&format!("#ifndef A\n#define A\n{other}#endif\n"), fixed);
    check(&other.replacen("\n", "\n#endif\n", 1).replacen("#include", "#ifdef W\n#include", 1), None);
}

#[test]
fn name_of_every_file_is_not_imported() {
    let other = ["import { screen } from \"@testing-library/dom\";\n"];
    check("javascript", "f(«screen».width);\n", "'screen' is not defined.", &other, None);
}
