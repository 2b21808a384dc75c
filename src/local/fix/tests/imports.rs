//! Missing imports.

use std::sync::Arc;

use super::super::*;
use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::apply;

#[test]
fn missing_imports() {
    check(
        "rust",
        "use std::fmt;\n\nfn f() -> «HashMap»<u8, u8> {}\n",
        "cannot find type `HashMap` in this scope",
        &["use std::collections::{BTreeMap, HashMap};\n"],
        Some((
            "add `use std::collections::HashMap;`",
            "use std::collections::HashMap;\nuse std::fmt;\n\nfn f() -> HashMap<u8, u8> {}\n",
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
    // Two meanings, a path that is valid only near the other file, or no import at all.
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
fn library_import_is_added_if_one_module_provides_it() {
    check(
        "python",
        "\"\"\"Text.\"\"\"\n\nprint(«json».loads(a))\n",
        "Undefined name `json`",
        &[],
        Some(("add `import json`", "\"\"\"Text.\"\"\"\n\nimport json\n\nprint(json.loads(a))\n")),
    );
    check(
        "python",
        "from __future__ import annotations\n\nfrom util import a\n\nprint(«json».loads(a))\n",
        "Undefined name `json`",
        &[],
        Some((
            "add `import json`",
            "from __future__ import annotations\n\nimport json\n\nfrom util import a\n\nprint(json.loads(a))\n",
        )),
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
fn import_is_sorted_among_those_of_its_package() {
    // The blank line ends the lines of `std`; the position is `‸`.
    let check_rust = |imports: &str| {
        let text = imports.replace('‸', "") + "\nfn f() -> «HashMap»<u8, u8> {}\n";
        let expected =
            imports.replace('‸', "use std::collections::HashMap;\n") + "\nfn f() -> HashMap<u8, u8> {}\n";
        let said = "cannot find type `HashMap` in this scope";
        let title = "add `use std::collections::HashMap;`";
        check("rust", &text, said, &["use std::collections::HashMap;\n"], Some((title, &expected)));
    };
    check_rust("use std::borrow::Cow;\n‸use std::fmt;\n\nuse serde::Serialize;\n\nuse crate::a::B;\n");
    check_rust("use std::borrow::Cow;\n‸\nuse serde::Serialize;\n");
    check_rust("use std::fmt;\nuse std::borrow::Cow;\n‸use serde::Serialize;\n");
    check_rust("#[cfg(unix)]\nuse std::fmt;\n‸\nuse serde::Serialize;\n");
    check_rust("use serde::Serialize;\nuse crate::a::B;\n‸");
    check(
        "c",
        "#include <stdio.h>\n#include <string.h>\n\n#include \"own.h\"\n\nvoid f(void) { «abort»(); }\n",
        "implicit declaration of function ‘abort’; include ‘<stdlib.h>’ or provide a declaration of ‘abort’",
        &[],
        Some((
            "add `#include <stdlib.h>`",
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#include \"own.h\"\n\nvoid f(void) { abort(); }\n",
        )),
    );
    check(
        "java",
        "package a;\n\nimport java.io.File;\nimport java.util.Set;\n\nimport org.x.Y;\n\nclass A {\n    «List»<File> a;\n}\n",
        "cannot find symbol\n  symbol:   class List\n  location: class A",
        &["package b;\n\nimport java.util.List;\n\nclass B {\n    List a;\n}\n"],
        Some((
            "add `import java.util.List;`",
            "package a;\n\nimport java.io.File;\nimport java.util.List;\nimport java.util.Set;\n\nimport org.x.Y;\n\nclass A {\n    List<File> a;\n}\n",
        )),
    );
}

#[test]
fn module_of_a_package_is_imported_with_it() {
    let text = "def f(url):\n    return «urllib».parse.quote(url)\n";
    let expected = "import urllib.parse\n\ndef f(url):\n    return urllib.parse.quote(url)\n";
    for others in [&[][..], &["import urllib\n"], &["import urllib.request\n"]] {
        check(
            "python",
            text,
            "\"urllib\" is not defined",
            others,
            Some(("add `import urllib.parse`", expected)),
        );
    }
}

#[test]
fn import_in_another_function_does_not_count() {
    check(
        "python",
        "import re\n\n\ndef f():\n    import os\n    return os.name\n\n\ndef g():\n    return «os».sep, re\n",
        "Undefined name `os`",
        &[],
        Some((
            "add `import os`",
            "import os\nimport re\n\n\ndef f():\n    import os\n    return os.name\n\n\ndef g():\n    return os.sep, re\n",
        )),
    );
}

#[test]
fn first_import_is_inserted_before_the_documentation_of_the_first_item() {
    check(
        "rust",
        "//! Texts.\n\n/// A map.\npub type A = «HashMap»<u8, u8>;\n",
        "cannot find type `HashMap` in this scope",
        &["use std::collections::HashMap;\n"],
        Some((
            "add `use std::collections::HashMap;`",
            "//! Texts.\n\nuse std::collections::HashMap;\n\n/// A map.\npub type A = HashMap<u8, u8>;\n",
        )),
    );
}

#[test]
fn statement_with_several_names_is_not_copied() {
    let said = "'equal' is not defined.";
    let one = "var equal = require('fast-deep-equal');\n";
    let fixed = format!("{one}\nequal(1, 2);\n");
    check(
        "javascript",
        "«equal»(1, 2);\n",
        said,
        &[one],
        Some(("add `var equal = require('fast-deep-equal');`", &fixed)),
    );
    let several = "var uri = require('uri-js')\n  , equal = require('fast-deep-equal');\n";
    check("javascript", "«equal»(1, 2);\n", said, &[several], None);
}

#[test]
fn include_is_inserted_within_the_guard_of_a_header() {
    let said = "implicit declaration of function 'strlen'";
    let title = "add `#include <string.h>`";
    let function = "static inline int f(const char *s) { return (int) strlen(s); }\n";
    let marked = function.replace("strlen", "«strlen»");
    let include = "#include <string.h>\n";
    for (above, included, below) in [
        ("#pragma once\n", "", ""),
        ("// A header.\n#ifndef Z_H\n#define Z_H\n", "", "#endif\n"),
        ("#ifndef Z_H\n#define Z_H\n", "#include <stdio.h>\n", "#endif // Z_H\n"),
        ("#pragma once\n", "#include <stdio.h>\n", ""),
    ] {
        let gap = if included.is_empty() { "\n" } else { "" };
        let expected = format!("{above}{included}{include}{gap}{function}{below}");
        check("c", &format!("{above}{included}{marked}{below}"), said, &[], Some((title, &expected)));
    }
}

#[test]
fn variable_in_the_wrong_case_needs_no_import() {
    let said = "Undefined name `Path`";
    check("python", "def f(path):\n    if «Path» is None:\n        return 1\n", said, &[], None);
    let told = "class A:\n    # The Path of it.\n    def f(self, path):\n        return «Path»\n";
    check("python", told, said, &[], None);
    for used in ["path = «Path»(1)\n", "path: «Path» = 1\n", "path = isinstance(a, «Path»)\n"] {
        let expected = format!("from pathlib import Path\n\n{}", used.replace(['«', '»'], ""));
        check("python", used, said, &[], Some(("add `from pathlib import Path`", &expected)));
    }
}

#[test]
fn module_named_like_a_variable_is_recognized_by_its_member() {
    let said = "Undefined name `select`";
    check(
        "python",
        "import os\n\nready = «select».select(a, b, c)\n",
        said,
        &[],
        Some(("add `import select`", "import os\nimport select\n\nready = select.select(a, b, c)\n")),
    );
    check("python", "ready = «select».one_of(a)\n", said, &[], None);
    check("python", "ready = «select»(a)\n", said, &[], None);
}

#[test]
fn name_that_is_offered_in_another_case_is_not_imported() {
    let said = "Cannot find name 'Scheduler'. Did you mean 'scheduler'?";
    let others = ["import { Scheduler } from \"/scheduler\";\n"];
    let text = "function f(scheduler) {\n  return «Scheduler».frame + scheduler.frame;\n}\n";
    check("typescript", text, said, &others, None);
}

/// `others` are the paths and texts of other files; the file is `/p/src/scan.c`.
#[track_caller]
fn check_header(marked: &str, message: &str, others: &[(&str, &str)], expected: Option<&str>) {
    let start = marked.find('«').expect("a place");
    let end = marked.find('»').expect("a place") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = Document::new(DocumentId::new("file:///p/src/scan.c"), "c", 0, &text);
    let read = |(path, text): &(&str, &str)| {
        let uri = format!("file:///p/{path}");
        Arc::new(OtherFile::read(&Document::new(DocumentId::new(&uri), "", 0, text)))
    };
    let others: Vec<Arc<OtherFile>> = others.iter().map(read).collect();
    let file = FileView::beside(&document, |_: &str| others.clone());
    let found = fix(&file, &Problem::new(start..end, message)).map(|it| apply(&text, &it.edits));
    assert_eq!(found.as_deref(), expected, "{message}\n{marked}");
}

#[test]
fn header_that_defines_a_name_is_included() {
    let header =
        "#ifndef P_H\n#define P_H\ntypedef struct Lexer Lexer;\nstruct Lexer { int eof; };\n#endif\n";
    let (marked, said) = ("#include <a.h>\n\nint f(«Lexer» *it);\n", "unknown type name ‘Lexer’");
    let added = |path: &str| format!("#include <a.h>\n#include \"{path}\"\n\nint f(Lexer *it);\n");
    check_header(marked, said, &[("src/t/parser.h", header)], Some(&added("t/parser.h")));
    // The path is the one that the project uses.
    let user = ("src/other.c", "#include \"x/parser.h\"\nint g(Lexer *it);\n");
    check_header(marked, said, &[("include/x/parser.h", header), user], Some(&added("x/parser.h")));
    let elsewhere = ("lib/other.c", user.1);
    check_header(marked, said, &[("include/x/parser.h", header), elsewhere], None);
    let of_library = ("src/other.c", "#include \"t/public.h\"\nint g(Lexer *it);\n");
    check_header(marked, said, &[("src/t/parser.h", header), of_library], None);
    // Two headers have the name, or none that this file can reach; a source file is not included.
    check_header(marked, said, &[("src/t/parser.h", header), ("src/u/parser.h", header)], None);
    check_header(marked, said, &[("include/parser.h", header)], None);
    check_header(marked, said, &[("src/parser.c", header)], None);
    // A member has no header of its own. An included header has the name only under a condition.
    check_header(
        &marked.replace("Lexer", "eof"),
        &said.replace("Lexer", "eof"),
        &[("src/p.h", header)],
        None,
    );
    let there = marked.replace("<a.h>", "\"t/parser.h\"");
    check_header(&there, said, &[("src/t/parser.h", header)], None);
}

#[test]
fn missing_name_is_not_imported_from_its_own_module() {
    let others = ["use crate::one::Kind;\n"];
    let text = "use std::fmt;\n\ntrait Knd {}\n\nfn f(_: «Kind») {}\n";
    check("rust", text, "cannot find type `Kind` in this scope", &others, None);
}

#[test]
fn built_in_type_in_the_wrong_case_needs_no_import() {
    let said = "\"Tuple\" is not defined";
    check("python", "norm = «Tuple»(count), b\n", said, &[], None);
    let annotated = "def f() -> «Tuple»[int, int]: ...\n";
    let expected = format!("from typing import Tuple\n\n{}", annotated.replace(['«', '»'], ""));
    check("python", annotated, said, &[], Some(("add `from typing import Tuple`", &expected)));
}

#[test]
fn file_that_is_not_a_module_may_share_the_name_of_its_import() {
    // The file's name is `one`.
    check(
        "go",
        "package a\n\nimport \"os\"\n\nvar _ = «one».F(os.Args)\n",
        "undefined: one",
        &["package b\n\nimport \"x.org/one\"\n"],
        Some((
            "add `import \"x.org/one\"`",
            "package a\n\nimport \"os\"\nimport \"x.org/one\"\n\nvar _ = one.F(os.Args)\n",
        )),
    );
    check(
        "typescript",
        "import { a } from \"a\";\n\n«useOne»(a);\n",
        "Cannot find name 'useOne'.",
        &["import { useOne } from \"one\";\n"],
        Some((
            "add `import { useOne } from \"one\";`",
            "import { a } from \"a\";\nimport { useOne } from \"one\";\n\nuseOne(a);\n",
        )),
    );
}

#[test]
fn name_of_a_broken_import_needs_no_other_one() {
    let others = ["import { Shape } from \"shapes\";\n"];
    let said = "Cannot find name 'Shape'.";
    let line = "import { Shape } from \"shapes\";";
    let fixed = format!("{line}\n\nlet x: Shape;\n");
    let title = format!("add `{line}`");
    check("typescript", "let x: «Shape»;\n", said, &others, Some((&title, &fixed)));
    check("typescript", "import  A, Shape } from \"shapes\";\n\nlet x: «Shape»;\n", said, &others, None);
}

#[test]
fn header_is_not_included_for_a_function_of_the_project() {
    let said = "include ‘<math.h>’ or provide a declaration of ‘log’";
    let text = |call: &str| format!("#include <stdio.h>\n\nvoid f(void) {{\n  {call};\n}}\n");
    let included = format!("#include <math.h>\n{}", text("log(2)"));
    check("c", &text("«log»(2)"), said, &[], Some(("add `#include <math.h>`", &included)));
    check("c", &text("«log»(\"opened\")"), said, &[], None);
    check("c", &text("«log»(2)"), said, &["static void log(int level) {}\n"], None);
}

#[test]
fn name_that_the_file_has_in_another_role_is_not_imported() {
    let own = |language: &str, missing: &str, others: &[&str], said: &str, import: &str| {
        let start = missing.find('«').expect("a place");
        let end = missing.find('»').expect("a place") - '«'.len_utf8();
        let kind = |text: &str| {
            let document = |uri: &str, text: &str| Document::new(DocumentId::new(uri), language, 0, text);
            let own = document("file:///a/one", &text.replace(['«', '»'], ""));
            let read = Arc::new(OtherFile::read(&document("file:///a/two", import)));
            let file = FileView::beside(&own, |_: &str| vec![Arc::clone(&read)]);
            fix(&file, &Problem::new(start..end, said)).map(|it| it.kind)
        };
        assert_eq!(kind(missing), Some(Kind::MissingImport), "{missing}");
        others.iter().for_each(|other| assert_eq!(kind(&format!("{missing}{other}")), None, "{other}"));
    };
    own(
        "python",
        "def pick(cards):\n    return «random».choice(cards)\n",
        &[
            "class Deck:\n    def __init__(self, seed):\n        self.random = seed\n",
            "class Deck:\n    class random:\n        pass\n",
            "class Deck:\n    def random(self):\n        pass\n",
            "def seed(random):\n    random.seed(1)\n",
            "def seed(cards):\n    for random in cards:\n        random.seed(1)\n",
            "def seed(cards):\n    with cards as random:\n        random.seed(1)\n",
            "def seed(cards):\n    random = cards\n",
        ],
        "Undefined name `random`",
        "import random\n",
    );
    own(
        "typescript",
        "f(«total»(1));\n",
        &[
            "class Cart {\n  total() {}\n}\n",
            "class Cart {\n  total = 1;\n}\n",
            "interface Cart {\n  total: number;\n}\n",
            "class Cart {\n  f() {\n    this.total = 1;\n  }\n}\n",
            "function f() {\n  function total() {}\n}\n",
        ],
        "Cannot find name 'total'.",
        "import { total } from \"sums\";\n",
    );
    own(
        "rust",
        "fn f() {\n    «total»()\n}\n",
        &["impl Cart {\n    fn total(&self) {}\n}\n", "fn g(a: Cart) {\n    a.total();\n}\n"],
        "cannot find function `total`",
        "use sums::total;\n",
    );
    // A path begins with no method.
    own("rust", "fn f() -> «fmt»::Result {}\n", &[], "use of undeclared module `fmt`", "use std::fmt;\n");
    let text = "impl Debug for A {\n    fn fmt(&self) -> «fmt»::Result {}\n}\n";
    own("rust", text, &[], "use of undeclared module `fmt`", "use std::fmt;\n");
    own(
        "go",
        "package a\n\nfunc f() { g(«time».Now()) }\n",
        &["type A struct{ time int }\n", "func g(time int) {}\n", "func g(a A) { h(a.time) }\n"],
        "undefined: time",
        "package b\n\nimport \"time\"\n",
    );
    let said = "implicit declaration of function 'round'";
    own("c", "int f(void) { return «round»(3); }\n", &["int round(int a) { return a; }\n"], said, "");
    let said = "'time' undeclared (first use in this function)";
    own("c", "int f(void) { return «time»(0); }\n", &["struct ev { int time; };\n"], said, "");
    // A function is called, and a member is not imported.
    check("c", "int f(void) { return «time» + 1; }\n", said, &[], None);
    let said = "\"Counter\" has no attribute \"incr\"";
    check("python", "«Counter».incr()\n", said, &["from collections import Counter\n"], None);
    let said = "Module \"models\" has no attribute \"Invoice\"";
    check("python", "«from models import Invoice»\n", said, &["import models\n"], None);
    let said = "'Node' has no member named 'weight'";
    check("c", "int f(void *p) { return ((Node *)p)->«weight»; }\n", said, &["#include \"node.h\"\n"], None);
}

#[test]
fn header_is_not_included_for_a_call_with_other_arguments() {
    let called = |call: &str, header: &str, is_mended: bool| {
        let name = &call[..call.find('(').unwrap()];
        let code = call.replacen(name, &format!("«{name}»"), 1);
        let marked = format!("void f(struct list *list, int item)\n{{\n\t{code};\n}}\n");
        let fixed = format!("#include <{header}>\n\n{}", marked.replace(['«', '»'], ""));
        let title = format!("add `#include <{header}>`");
        let expected = is_mended.then_some((title.as_str(), fixed.as_str()));
        let said = format!("implicit declaration of function ‘{name}’");
        check("c", &marked, &said, &[], expected);
        let said = format!("{said}\nnote: include ‘<{header}>’ or provide a declaration of ‘{name}’");
        check("c", &marked, &said, &[], expected);
    };
    called("remove(list, item)", "stdio.h", false);
    called("time(list, 3)", "time.h", false);
    called("clock(list)", "time.h", false);
    called("signal(list)", "signal.h", false);
    called("raise(list, item)", "signal.h", false);
    called("remove(\"a\")", "stdio.h", true);
    called("time(NULL)", "time.h", true);
    called("printf(\"%d %d\", item, item)", "stdio.h", true);
    // The compiler alone knows them.
    let offered = |call: &str| format!("void f(int a)\n{{\n\t{call};\n}}\n");
    let said = "implicit declaration of function ‘gamma’\nnote: include ‘<math.h>’ or provide a declaration of ‘gamma’";
    check("c", &offered("«gamma»(a, 2)"), said, &[], None);
    let said = "implicit declaration of function ‘index_all’\nnote: include ‘<strings.h>’";
    check("c", &offered("«index_all»(a)"), said, &[], None);
}
