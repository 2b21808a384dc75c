use super::*;
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
    let others: Vec<Document> = others
        .iter()
        .map(|text| Document::new(DocumentId::new("file:///b/two"), language, 0, text))
        .collect();
    let found = fix(&document, start..end, message, &others);
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
            "# Paths.\n\nfrom pathlib import Path\nprint(Path(\".\"))\n",
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
