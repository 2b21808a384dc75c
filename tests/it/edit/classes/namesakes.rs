//! Definitions with the name of another one: a new method of another type, an overload, another implementation.

use std::path::Path;

use tandem::grammar;

use super::{Class, Must, Sample};
use crate::edit::corpus::{Case, Rng};

pub(super) const CLASSES: &[Class] = &[
    ("namesake: new definition", Must::Refuse, |_, rng| {
        let (path, file, reply) = rng.of(NEW);
        written(path, file, reply, rng)?.refused()
    }),
    ("namesake: asked for", Must::Refuse, |_, rng| {
        let (path, file, reply, instruction) = rng.of(ASKED);
        Sample { instruction: instruction.to_owned(), ..written(path, file, reply, rng)? }.refused()
    }),
    ("namesake: new version", Must::Apply, |_, rng| {
        let (path, file, reply, instruction, [old, new]) = rng.of(VERSIONS);
        let sample = written(path, file, reply, rng)?;
        let target = sample.file.replacen(old, new, 1);
        Some(Sample { instruction: instruction.to_owned(), target, ..sample })
    }),
];

/// A file with a definition, below and above others, and a reply with one of the same name.
fn written(path: &'static str, file: &str, reply: &str, rng: &mut Rng) -> Option<Sample> {
    let name = rng.of(&["close", "reset", "write_all", "visit"]);
    let grammar = grammar::by_path(Path::new(path));
    let case = Case { path, grammar, lines: Vec::new(), hunks: Vec::new() };
    let named = |text: &str| text.replace("NAME", name);
    let sample = case.sample(format!("```\n{}```\n", named(reply)))?;
    Some(Sample { file: named(file), ..sample })
}

const GO: &str = "package a\n\ntype A struct {\n\tn int\n}\n\ntype B struct {\n\tn int\n}\n\nfunc (a *A) NAME() int {\n\ta.n = 1\n\treturn a.n\n}\n\nfunc other(b *B) int {\n\treturn b.n\n}\n";
const RUST: &str = "struct A(u8);\n\nstruct B(u8);\n\nimpl A {\n    fn NAME(&self) -> u8 {\n        let n = self.0;\n        n + 1\n    }\n}\n\nimpl B {\n    fn other(&self) -> u8 {\n        self.0\n    }\n}\n\nimpl Display for A {\n    fn fmt(&self, f: &mut Formatter) -> Result {\n        write!(f, \"a {}\", self.0)\n    }\n}\n\nimpl From<u8> for A {\n    fn from(n: u8) -> Self {\n        A(n)\n    }\n}\n";
const JAVA: &str = "class A {\n    private int n;\n\n    int NAME(int by) {\n        n += by;\n        return n;\n    }\n\n    int other() {\n        return n;\n    }\n}\n";
const TYPESCRIPT: &str = "class A {\n  get NAME(): number {\n    const n = this.n;\n    return n + 1;\n  }\n\n  other(): number {\n    return this.n;\n  }\n}\n";
const JAVASCRIPT: &str = "class A {\n  NAME() {\n    const n = this.n;\n    return n + 1;\n  }\n\n  other() {\n    return this.n;\n  }\n}\n";
const CPP: &str = "#include \"a.h\"\n\nint A::NAME(int by) {\n  n += by;\n  return n;\n}\n\nint B::other() {\n  return n;\n}\n";
const LUA: &str = "local A = {}\nlocal B = {}\n\nfunction A.NAME(self)\n  self.n = 1\n  return self.n\nend\n\nfunction B.other(self)\n  return self.n\nend\n";
const PYTHON: &str = "class A:\n    def NAME(self):\n        self.n = 1\n        return self.n\n\n\nclass B:\n    def other(self):\n        return self.n\n\n\ndef run(a, b):\n    return a.other() + b.n\n";

/// Files, and definitions that are no version of any in them.
const NEW: &[(&str, &str, &str)] = &[
    ("a.go", GO, "func (b *B) NAME() int {\n\tb.n = 2\n\treturn b.n\n}\n"),
    (
        "a.rs",
        RUST,
        "impl B {\n    fn NAME(&self) -> u8 {\n        let n = self.0;\n        n + 2\n    }\n}\n",
    ),
    (
        "a.rs",
        RUST,
        "impl Debug for A {\n    fn fmt(&self, f: &mut Formatter) -> Result {\n        write!(f, \"A({})\", self.0)\n    }\n}\n",
    ),
    ("a.rs", RUST, "impl From<u16> for A {\n    fn from(n: u16) -> Self {\n        A(n as u8)\n    }\n}\n"),
    ("a.java", JAVA, "int NAME(long by) {\n    n += (int) by;\n    return n;\n}\n"),
    ("a.java", JAVA, "static int NAME(int by) {\n    total += by;\n    return total;\n}\n"),
    ("a.cs", JAVA, "int NAME(long by) {\n    n += (int) by;\n    return n;\n}\n"),
    ("a.ts", TYPESCRIPT, "set NAME(to: number) {\n  const n = to - 1;\n  this.n = n;\n}\n"),
    ("a.js", JAVASCRIPT, "static NAME() {\n  const n = A.n;\n  return n + 2;\n}\n"),
    ("a.cpp", CPP, "int B::NAME(int by) {\n  n += by;\n  return n + 1;\n}\n"),
    ("a.cpp", CPP, "int A::NAME(double by) {\n  n += (int)by;\n  return n;\n}\n"),
    ("a.lua", LUA, "function B.NAME(self)\n  self.n = 2\n  return self.n\nend\n"),
    ("a.py", PYTHON, "class B:\n    def NAME(self):\n        self.n = 2\n        return self.n\n"),
    ("a.py", PYTHON, "def NAME(self, by):\n    self.n = by\n    return self.n\n"),
];

/// The same, where only the instruction says that the definition is another one.
const ASKED: &[(&str, &str, &str, &str)] = &[
    ("a.py", PYTHON, "def NAME(self):\n    self.n = 2\n    return self.n\n", "Give B the method, too"),
    (
        "a.java",
        JAVA,
        "int NAME(long by) {\n    n += (int) by;\n    return n;\n}\n",
        "Add a close, reset, write_all, visit with a long parameter",
    ),
    (
        "a.java",
        JAVA,
        "int NAME(long by) {\n    n += (int) by;\n    return n;\n}\n",
        "Overload close, reset, write_all, visit",
    ),
];

/// Files, new versions of a definition in them, and what changes with it.
#[rustfmt::skip]
const VERSIONS: &[(&str, &str, &str, &str, [&str; 2])] = &[
    ("a.go", GO, "func (a *A) NAME() int {\n\ta.n = 2\n\treturn a.n\n}\n", "", ["a.n = 1", "a.n = 2"]),
    ("a.rs", RUST, "impl From<u8> for A {\n    fn from(n: u8) -> Self {\n        A(n + 1)\n    }\n}\n", "", ["A(n)", "A(n + 1)"]),
    ("a.java", JAVA, "int NAME(int by) {\n    n -= by;\n    return n;\n}\n", "", ["+=", "-="]),
    ("a.java", JAVA, "int NAME(long by) {\n    n += by;\n    return n;\n}\n", "Let close, reset, write_all and visit take a long", ["int by", "long by"]),
    ("a.java", JAVA, "int NAME(int by, int at) {\n    n += by;\n    return n;\n}\n", "Add a parameter at to close, reset, write_all and visit", ["int by", "int by, int at"]),
    ("a.java", JAVA, "public int NAME(int by) {\n    n += by;\n    return n;\n}\n", "", ["    int ", "    public int "]),
    ("a.js", JAVASCRIPT, "async NAME() {\n  const n = this.n;\n  return n + 1;\n}\n", "", ["  ", "  async "]),
    ("a.js", JAVASCRIPT, "NAME(by) {\n  const n = this.n;\n  return n + 1;\n}\n", "", ["() {", "(by) {"]),
    ("a.py", PYTHON, "class A:\n    def NAME(self, by):\n        self.n = 1\n        return self.n\n", "", ["(self)", "(self, by)"]),
    ("a.py", PYTHON, "def run(a, b, c):\n    return a.other() + b.n\n", "", ["a, b", "a, b, c"]),
];
