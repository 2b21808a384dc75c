//! Collects the symbols of one file from its tree.

mod documentation;
mod query;
mod unchanged;
mod writer;

use std::time::Duration;

use tree_sitter::Tree;

use super::manifest;
use super::symbols::FileSymbols;
use crate::grammar::Grammar;
use query::SymbolQuery;
pub(super) use unchanged::Earlier;
use unchanged::Unchanged;
use writer::Writer;

/// Base time limit for parsing one file, to which the time per byte is added.
const PARSE_TIME: Duration = Duration::from_millis(200);

/// Parses a text and collects its symbols.
///
/// Empty for a language whose queries define only data, and for a text that is not parsed in time.
pub(super) fn of_text(grammar: &'static Grammar, text: &str) -> FileSymbols {
    if grammar.facts().manifests {
        return of_manifest(text);
    }
    let Some(query) = SymbolQuery::of(grammar) else { return FileSymbols::default() };
    match grammar.parse_within(text, PARSE_TIME) {
        Some(tree) => run(grammar, &query, &tree, text, None).0,
        None => FileSymbols::default(),
    }
}

pub(crate) fn of_tree(grammar: &'static Grammar, tree: &Tree, text: &str) -> FileSymbols {
    since(grammar, tree, text, None).0
}

/// The same, with what is known of an earlier version; and whether this version can be such a one.
pub(super) fn since(
    grammar: &'static Grammar,
    tree: &Tree,
    text: &str,
    earlier: Option<Earlier<'_>>,
) -> (FileSymbols, bool) {
    if grammar.facts().manifests {
        return (of_manifest(text), false);
    }
    match SymbolQuery::of(grammar) {
        Some(query) => run(grammar, &query, tree, text, earlier),
        None => (FileSymbols::default(), false),
    }
}

fn run(
    grammar: &Grammar,
    query: &SymbolQuery,
    tree: &Tree,
    text: &str,
    earlier: Option<Earlier<'_>>,
) -> (FileSymbols, bool) {
    let earlier = earlier.map(|it| Unchanged::new(it, text));
    let found = query.find(tree, text, earlier.as_ref());
    let mut writer = Writer::new(text);
    let mut nodes = found.unchanged.iter().peekable();
    for definition in &found.definitions {
        while let Some(node) = nodes.next_if(|it| it.span.start < definition.node.start_byte()) {
            writer.unchanged_definitions(node);
        }
        writer.definition(definition, grammar.comments());
    }
    nodes.for_each(|node| writer.unchanged_definitions(node));
    let mut nodes = found.unchanged.iter().peekable();
    for import in &found.imports {
        while let Some(node) = nodes.next_if(|it| it.span.start < import.node.start_byte()) {
            writer.unchanged_imports(node);
        }
        writer.import(import);
    }
    nodes.for_each(|node| writer.unchanged_imports(node));
    (writer.finish(), found.is_whole && !tree.root_node().has_error())
}

fn of_manifest(text: &str) -> FileSymbols {
    let mut writer = Writer::new(text);
    if let Some(manifest) = manifest::read(text) {
        writer.manifest(manifest);
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::by_path;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;
    use std::path::Path;

    fn check(path: &str, text: &str, expect: Expect) {
        let symbols = of_text(by_path(Path::new(path)).unwrap(), text);
        let mut shown = String::new();
        for it in symbols.definitions() {
            let depth = std::iter::successors(it.parent, |at| symbols.definition(*at)?.parent).count();
            let indent = "  ".repeat(depth);
            writeln!(
                shown,
                "{indent}{} {} at {}: `{}` ({})",
                it.kind.name(),
                it.name,
                it.line,
                it.signature,
                it.doc
            )
            .unwrap();
            assert!(text[it.name_start..].starts_with(it.name));
        }
        for it in symbols.imports() {
            writeln!(shown, "import {} as {} from {}", it.original, it.name, it.path).unwrap();
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn rust_definitions_and_imports() {
        check(
            "a.rs",
            "use std::{fmt, io::{self, Read as R}};\nuse crate::a::b as c;\nuse super::x::*;\nuse y::{z, w::*};\n\n\
             /// A 猫.\n///\n/// More.\n#[derive(Debug)]\npub struct Cat<'a> {\n    name: &'a str, // a name\n}\n\n\
             impl Cat<'_> {\n    /** Says it. */\n    pub fn meow<T>(\n        &self,\n        times: T,\n    ) -> String {\n        \
             fn inner() {}\n        todo()\n    }\n}\n\n// A key.\nconst KEY: &str = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\";\n",
            expect![[r#"
                struct Cat at 9: `pub struct Cat<'a>` (A 猫.)
                  field name at 10: `name: &'a str` ()
                implementation Cat<'_> at 13: `impl Cat<'_>` ()
                  method meow at 15: `pub fn meow<T>( &self, times: T, ) -> String` (Says it.)
                constant KEY at 25: `const KEY: &str = "****************************************"` (A key.)
                import fmt as fmt from std
                import io as io from std
                import Read as R from std::io
                import c as c from crate::a::b
                import  as  from super::x
                import z as z from y
                import  as  from y::w
            "#]],
        );
    }

    #[test]
    fn python_definitions_and_imports() {
        check(
            "a.py",
            "import os.path as p\nimport re, json.decoder, numpy as np\nfrom .config import load as l, save\nfrom . import x\n\n\
             LIMIT = 3\n\nclass A(B):\n    \"\"\"\n    An A.\n    \"\"\"\n    @property\n    def f(self, x=1):\n        '''Does.'''\n        def g(): pass\n        return x\n",
            expect![[r#"
                constant LIMIT at 5: `LIMIT = 3` ()
                class A at 7: `class A(B):` (An A.)
                  method f at 12: `def f(self, x=1):` (Does.)
                import p as p from os.path
                import  as  from re
                import  as  from json.decoder
                import np as np from numpy
                import load as l from .config
                import save as save from .config
                import x as x from .
            "#]],
        );
    }

    #[test]
    fn typescript_definitions_and_imports() {
        check(
            "a.ts",
            "import d, { b, c as e } from './x';\nimport * as n from 'y';\nexport { f as g } from './z';\nexport * from './w';\n\n\
             /**\n * A shop.\n */\nexport default class Shop {\n  constructor(private name: string) {}\n  open(day: Day): void {}\n}\n\
             export const make = (n: string) => new Shop(n);\n\
             const { p, q: r } = require('./v'), { s } = d, { t } = require('./u');\nexport { d };\n",
            expect![[r#"
                class Shop at 8: `export default class Shop` (A shop.)
                  method constructor at 9: `constructor(private name: string)` ()
                    field name at 9: `private name: string` ()
                  method open at 10: `open(day: Day): void` ()
                function make at 12: `export const make = (n: string)` ()
                import d as d from ./x
                import b as b from ./x
                import c as e from ./x
                import n as n from y
                import f as g from ./z
                import  as  from ./w
                import p as p from ./v
                import q as r from ./v
                import t as t from ./u
            "#]],
        );
    }

    #[test]
    fn go_definitions_and_imports() {
        check(
            "a.go",
            "package a\n\nimport (\n\t\"fmt\"\n\tx \"example.com/m/pkg\"\n)\n\n// Shop sells.\ntype Shop struct {\n\tname string\n}\n\n\
             // Open opens.\nfunc (s *Shop) Open(day int) error {\n\treturn nil\n}\n",
            expect![[r#"
                struct Shop at 8: `type Shop struct` (Shop sells.)
                  field name at 9: `name string` ()
                method Open at 13: `func (s *Shop) Open(day int) error` (Open opens.)
                import  as  from fmt
                import x as x from example.com/m/pkg
            "#]],
        );
    }

    #[test]
    fn data_has_no_symbols() {
        check("a.json", "{\"a\": 1}", expect![[""]]);
        check(
            "a.md",
            "# Title\n\n## Part\n",
            expect![[r#"
            heading Title at 0: `# Title` ()
              heading Part at 2: `## Part` ()
        "#]],
        );
    }

    /// Checks that the symbols of a text whose first `old` becomes `new` are the same, whether an earlier version is
    /// known or not. Returns how many children of the root were not searched.
    #[track_caller]
    fn check_since(path: &str, text: &str, old: &str, new: &str) -> usize {
        let grammar = by_path(Path::new(path)).unwrap();
        let changed = text.replacen(old, new, 1);
        let [before, after] = [text, &changed].map(|text| grammar.parse_str(text).unwrap());
        let (symbols, is_sound) = since(grammar, &before, text, None);
        assert_eq!(is_sound, !before.root_node().has_error());
        let earlier = is_sound.then_some(Earlier { text, symbols: &symbols });
        let made = since(grammar, &after, &changed, earlier).0;
        assert!(made == of_tree(grammar, &after, &changed), "{old:?} becomes {new:?}");
        let unchanged = earlier.map(|it| Unchanged::new(it, &changed));
        let found = SymbolQuery::of(grammar).unwrap().find(&after, &changed, unchanged.as_ref());
        found.unchanged.len()
    }

    #[test]
    fn only_changed_definitions_are_searched() {
        let items = |item: &dyn Fn(usize) -> String| (0..60).map(item).collect::<String>();
        let rust = items(&|n| {
            format!(
                "use a::{{b{n}, c}};\n\n/// One {n}.\n#[d]\nimpl A{n} {{\n    fn f{n}(&self) {{}}\n}}\n\nfn g{n}() {{}}\n\n"
            )
        });
        let unsearched = |old: &str, new: &str| check_since("a.rs", &rust, old, new);
        assert!(unsearched("fn g30()", "fn renamed(猫: u8)\n\n") > 200);
        assert!(unsearched("/// One 30.", "/// Other.\n/// More.") > 200);
        assert!(unsearched("fn g30", "mod m {}\nfn g30") > 200);
        assert!(unsearched("a::{b30, c}", "e") > 200);
        unsearched("fn g0() {}", "fn g0() {");
        // Functions that were methods, in another definition, or in none.
        unsearched("impl A10 {", "");
        unsearched("impl A10 {\n    fn f10(&self) {}\n}", "fn f10(&self) {}");
        check_since(
            "a.rs",
            &rust.replacen("fn g0", "mod m {\n fn g0", 1).replacen("fn g59() {}", "}", 1),
            "mod m {",
            "",
        );
        check_since("a.rs", &(rust.clone() + "}\n"), "use a", "mod m {\nuse a");
        let python = items(&|n| {
            format!(
                "from a import b{n}\n\nX{n} = 1\n\n@c\nclass A{n}:\n    def f(self):\n        \"\"\"Doc.\"\"\"\n\ndef g{n}(): pass\n\n"
            )
        });
        for (old, new) in [("X30 = 1", "Y, Z = 1, 2"), ("def g30", "if 1:\n  def g30"), ("class A30:\n", "")]
        {
            check_since("a.py", &python, old, new);
        }
        assert!(check_since("a.py", &python, "X30 = 1", "Y = 2\n") > 200);
        let typescript = items(&|n| {
            format!(
                "import {{ a{n} as b }} from 'c';\n\n/* Long.\n\n*/\nexport class A{n} {{\n  f() {{}}\n}}\n\nexport const g{n} = () => {{}};\n\n"
            )
        });
        for (old, new) in
            [("Long", "Longer"), ("const g30", "function h() {}\nconst g30"), ("f() {}", "f() {")]
        {
            check_since("a.ts", &typescript, old, new);
        }
    }
}
