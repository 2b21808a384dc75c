//! In every language and form of import, only the reported one of several imports is removed.

use super::check;

/// How a tool reports an unused import, with the name in place of `{}`.
const PYTHON: &str = "`{}` imported but unused";
const RUST: &str = "unused import: `{}`";
const SCRIPT: &str = "'{}' is declared but its value is never read.";
const GO: &str = "\"{}\" imported and not used";
const JAVA: &str = "Unused import - {}.";

/// A form of statement with several imports.
struct Form {
    language: &'static str,
    said: &'static str,
    open: &'static str,
    close: &'static str,
    /// The separator of the entries, and whether a comma follows the last one.
    parted: (&'static str, bool),
    /// Each entry as written, as a tool calls it, and as the name that it brings in.
    entries: &'static [[&'static str; 3]],
}

const MODULES: &[[&str; 3]] =
    &[["os", "os", "os"], ["a.b", "a.b", "a.b"], ["os.path as p", "os.path", "p"], ["b", "b", "b"]];
const NAMES: &[[&str; 3]] = &[["a", "m.a", "a"], ["b as c", "m.b", "c"], ["d", "m.d", "d"]];
const USES: &[[&str; 3]] = &[
    ["a", "a", "a"],
    ["b::c", "b::c", "c"],
    ["d as e", "d as e", "e"],
    ["self", "self", "self"],
    ["f::*", "f::*", "f"],
    ["g::{h}", "g::h", "h"],
];
const NESTED: &[[&str; 3]] = &[["a", "a", "a"], ["b::c", "b::c", "c"], ["d as e", "d as e", "e"]];
const SPECIFIERS: &[[&str; 3]] = &[["a", "a", "a"], ["b as c", "c", "c"], ["$d", "$d", "$d"]];
const TYPES: &[[&str; 3]] = &[["type A", "A", "A"], ["b", "b", "b"], ["type C as D", "D", "D"]];
const CLAUSES: &[[&str; 3]] = &[["a", "a", "a"], ["{ b }", "b", "b"]];
const SPACES: &[[&str; 3]] = &[["a", "a", "a"], ["* as b", "b", "b"]];
const PATTERNS: &[[&str; 3]] = &[["a", "a", "a"], ["b: c", "c", "c"], ["d", "d", "d"]];
const REQUIRED: &[[&str; 3]] = &[["a = require(\"fs\")", "a", "a"], ["b = require(\"os\")", "b", "b"]];
const SPECS: &[[&str; 3]] = &[["\"fmt\"", "fmt", "fmt"], ["\"a/b\"", "a/b", "a/b"], ["\"os\"", "os", "os"]];

const fn form(
    language: &'static str,
    said: &'static str,
    [open, close]: [&'static str; 2],
    parted: (&'static str, bool),
    entries: &'static [[&'static str; 3]],
) -> Form {
    Form { language, said, open, close, parted, entries }
}

const LINE: (&str, bool) = (", ", false);
const LINES: (&str, bool) = (",\n    ", false);
const CLOSED: (&str, bool) = (",\n    ", true);

const FORMS: &[Form] = &[
    form("python", PYTHON, ["import ", ""], LINE, MODULES),
    form("python", PYTHON, ["import ", ""], (", \\\n    ", false), MODULES),
    form("python", PYTHON, ["from m import ", ""], LINE, NAMES),
    form("python", PYTHON, ["from m import (", ")"], LINE, NAMES),
    form("python", PYTHON, ["from m import (\n    ", "\n)"], LINES, NAMES),
    form("python", PYTHON, ["from m import (\n    ", "\n)"], CLOSED, NAMES),
    form("rust", RUST, ["use m::{", "};"], LINE, USES),
    form("rust", RUST, ["use m::{\n    ", "\n};"], LINES, USES),
    form("rust", RUST, ["use m::{\n    ", "\n};"], CLOSED, USES),
    form("rust", RUST, ["use n::{m::{", "}};"], LINE, NESTED),
    form("javascript", SCRIPT, ["import { ", " } from \"fs\";"], LINE, SPECIFIERS),
    form("javascript", SCRIPT, ["import {\n    ", "\n} from 'fs'"], LINES, SPECIFIERS),
    form("javascript", SCRIPT, ["import {\n    ", "\n} from \"fs\";"], CLOSED, SPECIFIERS),
    form("javascript", SCRIPT, ["import ", " from \"fs\";"], LINE, CLAUSES),
    form("javascript", SCRIPT, ["import ", " from \"fs\";"], LINE, SPACES),
    form("javascript", SCRIPT, ["const { ", " } = require(\"fs\");"], LINE, PATTERNS),
    form("javascript", SCRIPT, ["const {\n    ", "\n} = require(\"fs\");"], CLOSED, PATTERNS),
    form("javascript", SCRIPT, ["const ", ";"], LINE, REQUIRED),
    form("typescript", SCRIPT, ["import { ", " } from \"m\";"], LINE, TYPES),
    form("typescript", SCRIPT, ["import type { ", " } from \"m\";"], LINE, SPECIFIERS),
    form("tsx", SCRIPT, ["import {\n    ", "\n} from \"m\";"], CLOSED, TYPES),
    form("go", GO, ["import (\n\t", "\n)"], ("\n\t", false), SPECS),
    form("go", GO, ["import ", ""], LINE, &[["\"os\"", "os", "os"]]),
    form("java", JAVA, ["import ", ";"], LINE, &[["java.util.List", "java.util.List", "List"]]),
    form("java", JAVA, ["import static ", ";"], LINE, &[["a.B.c", "a.B.c", "c"]]),
];

impl Form {
    /// The statement with some of its entries; empty without any.
    fn with(&self, entries: &[String]) -> String {
        if entries.is_empty() {
            return String::new();
        }
        let (comma, at_end) = self.parted;
        let last = if at_end { "," } else { "" };
        format!("{}{}{last}{}\n", self.open, entries.join(comma), self.close)
    }

    /// A file with a statement between others; in Go, behind the package clause.
    fn file(&self, statement: &str) -> String {
        let (head, rest) = match self.language {
            "go" => ("package a\n\n", "\nvar x = 1\n"),
            "python" => ("import zlib\n", "import zipfile\n\nx = 1\n"),
            "rust" => ("use zlib;\n", "use zip;\n\nfn x() {}\n"),
            "java" => ("import z.Zip;\n", "import z.Lib;\n\nclass A {}\n"),
            _ => ("import \"zlib\";\n", "import \"zip\";\n\nx();\n"),
        };
        format!("{head}{statement}{rest}")
    }
}

#[test]
fn only_the_reported_import_is_removed() {
    for form in FORMS {
        for first in 0..form.entries.len() {
            for last in first..form.entries.len() {
                let entries = &form.entries[first..=last];
                for at in 0..entries.len() {
                    let [_, called, name] = entries[at];
                    let written = |other: usize| match other == at {
                        true => format!("«{}»", entries[other][0]),
                        false => entries[other][0].to_owned(),
                    };
                    let all: Vec<String> = (0..entries.len()).map(written).collect();
                    let left = [&all[..at], &all[at + 1..]].concat();
                    check(
                        form.language,
                        &form.file(&form.with(&all)),
                        &form.said.replace("{}", called),
                        &[],
                        Some((&format!("remove the unused import `{name}`"), &form.file(&form.with(&left)))),
                    );
                }
            }
        }
    }
}
