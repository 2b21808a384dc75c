use super::*;
use crate::document::DocumentId;
use crate::edit::apply;

/// Checks what follows from the step `«old|new»` in its own file: the text after the edits, in which `ˇ` stands
/// before what does not fit.
#[track_caller]
fn check(path: &str, marked: &str, expected: &str) {
    let (document, reshape, _) = made(path, marked);
    let found = reshape.map(|it| within(&document, &it, false, &|_| false)).unwrap_or_default();
    assert_eq!(shown(&document, found), expected);
}

/// The same in another file.
#[track_caller]
fn check_other((path, marked): (&str, &str), (other, there): (&str, &str), expected: &str) {
    let (document, reshape, language) = made(path, marked);
    let other = Document::new(DocumentId::new(other), language, 0, there);
    let found = reshape.map(|it| elsewhere(&document, &other, &it, false, &|_| false)).unwrap_or_default();
    assert_eq!(shown(&other, found), expected);
}

fn made(path: &str, marked: &str) -> (Document, Option<Reshape>, &'static str) {
    let language = crate::grammar::by_path(std::path::Path::new(path)).unwrap().id();
    let (before, rest) = marked.split_once('«').unwrap();
    let (inner, after) = rest.split_once('»').unwrap();
    let (old, new) = inner.split_once('|').unwrap();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(after.len(), |at| at + 1);
    let line = |middle: &str| [&before[start..], middle, &after[..end]].concat();
    let text = [before, new, after].concat();
    let document = Document::new(DocumentId::new(path), language, 0, &text);
    let step = EditStep {
        old: &line(old),
        new: &line(new),
        at: Some(start),
        above: "",
        below: "",
        is_of_definition: false,
    };
    let reshape = reshaped(&document, &step);
    (document, reshape, language)
}

fn shown(document: &Document, found: Affected) -> String {
    let marks = found.unknown.iter().map(|it| Edit::new(it.start..it.start, "ˇ"));
    let mut edits: Vec<Edit> = found.edits.iter().cloned().chain(marks).collect();
    edits.sort_by_key(|edit| edit.span.start);
    apply(&document.text().to_string(), &edits)
}

#[test]
fn calls_in_calls_and_in_macros_follow_at_once() {
    check(
        "a.rs",
        "fn area(«w: u32, h: u32|h: u32, w: u32») -> u32 {\n    w\n}\n\nfn f() {\n    area(area(1, 2), 1 + area(3, 4));\n    println!(\"{}\", area(5, area(6, 7)));\n    assert_eq!(area(g(8), 9), 1);\n}\n",
        "fn area(h: u32, w: u32) -> u32 {\n    w\n}\n\nfn f() {\n    area(1 + area(4, 3), area(2, 1));\n    println!(\"{}\", area(area(7, 6), 5));\n    assert_eq!(area(9, g(8)), 1);\n}\n",
    );
    check(
        "a.py",
        "def area(w«, h|»):\n    return w\n\n\narea(area(1, 2), 3)\narea(w=area(1, h=2), h=3)\n",
        "def area(w):\n    return w\n\n\narea(area(1))\narea(w=area(1))\n",
    );
}

/// An override would have to change, too.
#[test]
fn method_that_another_one_overrides_is_let_be() {
    let text = |list: &str| {
        format!(
            "class Base {{\n  draw({list}) {{}}\n}}\n\nclass Sub extends Base {{\n  draw(a, b) {{\n    super.draw(a, b);\n  }}\n}}\n\nnew Base().draw(1, 2);\n"
        )
    };
    check("a.js", &text("«a, b|b, a»"), &text("b, a"));
}

#[test]
fn removed_parameter_leaves_the_calls() {
    check(
        "a.rs",
        "fn area(w: u32«, h: u32|») -> u32 {\n    w\n}\n\nfn f(x: u32) {\n    area(1, 2);\n    area(x, x + 1);\n    area(g(), g());\n    area(1);\n    a.area(1, 2);\n}\n",
        "fn area(w: u32) -> u32 {\n    w\n}\n\nfn f(x: u32) {\n    area(1);\n    area(x);\n    ˇarea(g(), g());\n    area(1);\n    a.area(1, 2);\n}\n",
    );
    check(
        "a.py",
        "def load(«path, |»mode, size=1):\n    pass\n\nload(1, 2)\nload(1, mode=2)\nload(path=1, mode=2, size=3)\nload(*all)\nload(2)\n",
        "def load(mode, size=1):\n    pass\n\nload(1, 2)\nload(mode=2)\nload(mode=2, size=3)\nload(*all)\nload(2)\n",
    );
    check(
        "a.go",
        "package a\n\nfunc find(id string«, all bool|») int {\n\treturn 1\n}\n\nfunc f() {\n\tfind(\"a\", true)\n\tfind(\n\t\t\"a\",\n\t\ttrue,\n\t)\n}\n",
        "package a\n\nfunc find(id string) int {\n\treturn 1\n}\n\nfunc f() {\n\tfind(\"a\")\n\tfind(\n\t\t\"a\",\n\t)\n}\n",
    );
    check(
        "a.c",
        "int area(int w«, int h|») {\n  return w;\n}\n\nint main(void) {\n  return area(1, 2);\n}\n",
        "int area(int w) {\n  return w;\n}\n\nint main(void) {\n  return area(1);\n}\n",
    );
    check(
        "a.ts",
        "function area(w: number«, h: number|») {\n  return w;\n}\nconst x = area(1, 2);\nconst y = area(1);\n",
        "function area(w: number) {\n  return w;\n}\nconst x = area(1);\nconst y = area(1);\n",
    );
    check(
        "A.java",
        "class A {\n  int area(int w«, int h|») {\n    return w;\n  }\n\n  int f(B b) {\n    return area(1, 2) + this.area(3, 4) + b.area(5, 6);\n  }\n}\n",
        "class A {\n  int area(int w) {\n    return w;\n  }\n\n  int f(B b) {\n    return area(1) + this.area(3) + b.area(5, 6);\n  }\n}\n",
    );
}

#[test]
fn moved_parameters_move_in_the_calls() {
    check(
        "a.rs",
        "fn area(«w: u32, h: u64|h: u64, w: u32») {}\n\nfn f() {\n    area(1, g(2));\n    area(\n        1,\n        2,\n    );\n}\n",
        "fn area(h: u64, w: u32) {}\n\nfn f() {\n    area(g(2), 1);\n    area(\n        2,\n        1,\n    );\n}\n",
    );
    check(
        "a.py",
        "def load(«path, mode|mode, path»):\n    pass\n\nload(1, 2)\nload(1, mode=2)\nload(mode=2, path=1)\n",
        "def load(mode, path):\n    pass\n\nload(2, 1)\nˇload(1, mode=2)\nload(mode=2, path=1)\n",
    );
    check(
        "a.go",
        "package a\n\nfunc find(«id string, all bool|all bool, id string») {}\n\nfunc f() {\n\tfind(\"a\", true)\n}\n",
        "package a\n\nfunc find(all bool, id string) {}\n\nfunc f() {\n\tfind(true, \"a\")\n}\n",
    );
}

#[test]
fn renamed_parameter_renames_keywords_alone() {
    check(
        "a.py",
        "def load(«path|place», mode=1):\n    pass\n\nload(1)\nload(path=1)\nload(path = path, mode=2)\nother(path=1)\n",
        "def load(place, mode=1):\n    pass\n\nload(1)\nload(place=1)\nload(place = path, mode=2)\nother(path=1)\n",
    );
    check(
        "a.rs",
        "fn area(«w|width»: u32) {}\n\nfn f() {\n    area(1);\n}\n",
        "fn area(width: u32) {}\n\nfn f() {\n    area(1);\n}\n",
    );
}

#[test]
fn calls_that_lack_a_new_argument_are_told() {
    check(
        "a.rs",
        "fn area(w: u32«|, h: u32») {}\n\nfn f() {\n    area(1);\n    area(1, 2);\n}\n",
        "fn area(w: u32, h: u32) {}\n\nfn f() {\n    ˇarea(1);\n    area(1, 2);\n}\n",
    );
    check(
        "a.py",
        "def load(path«|, mode=1»):\n    pass\n\nload(1)\n",
        "def load(path, mode=1):\n    pass\n\nload(1)\n",
    );
}

#[test]
fn methods_are_called_through_what_is_certain() {
    check(
        "a.rs",
        "struct P;\n\nimpl P {\n    fn go(&self, x: i32«, y: i32|») {\n        self.go(1, 2);\n        P::go(self, 1, 2);\n    }\n}\n\nfn f(p: P, q: Q) {\n    p.go(1, 2);\n    q.go(1, 2);\n}\n",
        "struct P;\n\nimpl P {\n    fn go(&self, x: i32) {\n        self.go(1);\n        P::go(self, 1);\n    }\n}\n\nfn f(p: P, q: Q) {\n    p.go(1);\n    q.go(1, 2);\n}\n",
    );
    check(
        "a.py",
        "class P:\n    def go(self, x«, y|»):\n        self.go(1, 2)\n\n\np = P()\np.go(1, 2)\nq.go(1, 2)\n",
        "class P:\n    def go(self, x):\n        self.go(1)\n\n\np = P()\np.go(1)\nq.go(1, 2)\n",
    );
    // Another method of the name in the same type: which one is called depends on the arguments.
    check(
        "A.java",
        "class A {\n  void go(int x«, int y|») {}\n  void go() {}\n  void f() {\n    go(1, 2);\n  }\n}\n",
        "class A {\n  void go(int x) {}\n  void go() {}\n  void f() {\n    go(1, 2);\n  }\n}\n",
    );
}

#[test]
fn constructors_are_called_by_the_name_of_their_type() {
    check(
        "a.py",
        "class P:\n    def __init__(self, x«, y|»):\n        self.x = x\n\n\np = P(1, 2)\n",
        "class P:\n    def __init__(self, x):\n        self.x = x\n\n\np = P(1)\n",
    );
    check(
        "a.py",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    x: int\n    «y|z»: int = 1\n\n\np = P(1, y=2)\n",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    x: int\n    z: int = 1\n\n\np = P(1, z=2)\n",
    );
    check(
        "A.java",
        "class P {\n  P(int x«, int y|») {}\n}\n\nclass Q {\n  P p = new P(1, 2);\n}\n",
        "class P {\n  P(int x) {}\n}\n\nclass Q {\n  P p = new P(1);\n}\n",
    );
    check(
        "A.java",
        "record P(int x«, int y|») {}\n\nclass Q {\n  P p = new P(1, 2);\n}\n",
        "record P(int x) {}\n\nclass Q {\n  P p = new P(1);\n}\n",
    );
    check(
        "a.ts",
        "class P {\n  constructor(x: number«, y: number|») {}\n}\nconst p = new P(1, 2);\n",
        "class P {\n  constructor(x: number) {}\n}\nconst p = new P(1);\n",
    );
}

#[test]
fn fields_are_followed_in_literals() {
    check(
        "a.rs",
        "struct P {\n    «x|left»: i32,\n    y: i32,\n}\n\nfn f(x: i32) {\n    P { x: 1, y: 2 };\n    P { x, y: 2 };\n    Q { x: 1, y: 2 };\n}\n",
        "struct P {\n    left: i32,\n    y: i32,\n}\n\nfn f(x: i32) {\n    P { left: 1, y: 2 };\n    P { left: x, y: 2 };\n    Q { x: 1, y: 2 };\n}\n",
    );
    check(
        "a.rs",
        "struct P {\n    x: i32,\n«    y: i32,\n|»}\n\nfn f(x: i32) {\n    P { x: 1, y: 2 };\n    P { y: 2, x };\n    P {\n        x,\n        y: x,\n    };\n    P { y: g(), x: 1 };\n    P { y: 1, ..x };\n}\n",
        "struct P {\n    x: i32,\n}\n\nfn f(x: i32) {\n    P { x: 1 };\n    P { x };\n    P {\n        x,\n    };\n    ˇP { y: g(), x: 1 };\n    P { ..x };\n}\n",
    );
    check(
        "a.rs",
        "struct P {\n    x: i32,\n«|    y: i32,\n»}\n\nfn f(p: P) {\n    P { x: 1 };\n    P { x: 1, ..p };\n    P { x: 1, y: 2 };\n}\n",
        "struct P {\n    x: i32,\n    y: i32,\n}\n\nfn f(p: P) {\n    ˇP { x: 1 };\n    P { x: 1, ..p };\n    P { x: 1, y: 2 };\n}\n",
    );
    check(
        "a.go",
        "package a\n\ntype P struct {\n\tX int\n\t«Y|Z» int\n}\n\nvar p = P{X: 1, Y: 2}\nvar q = P{1, 2}\nvar r = &P{Y: 2}\nvar s = Q{Y: 2}\n",
        "package a\n\ntype P struct {\n\tX int\n\tZ int\n}\n\nvar p = P{X: 1, Z: 2}\nvar q = P{1, 2}\nvar r = &P{Z: 2}\nvar s = Q{Y: 2}\n",
    );
    check(
        "a.go",
        "package a\n\ntype P struct {\n\tX int\n«|\tY int\n»}\n\nvar p = P{X: 1}\nvar q = P{1}\n",
        "package a\n\ntype P struct {\n\tX int\n\tY int\n}\n\nvar p = P{X: 1}\nvar q = ˇP{1}\n",
    );
    check(
        "a.ts",
        "interface P {\n  x: number;\n  «y|z»: number;\n}\nconst p: P = { x: 1, y: 2 };\nconst q = { x: 1, y: 2 };\nconst r: P[] = [{ x: 1, y: 2 }];\n",
        "interface P {\n  x: number;\n  z: number;\n}\nconst p: P = { x: 1, z: 2 };\nconst q = { x: 1, y: 2 };\nconst r: P[] = [{ x: 1, y: 2 }];\n",
    );
    check(
        "a.c",
        "struct p {\n  int x;\n  int «y|z»;\n};\n\nint main(void) {\n  struct p a = {.x = 1, .y = 2};\n  struct q b = {.y = 2};\n  f((struct p){.y = 3});\n}\n",
        "struct p {\n  int x;\n  int z;\n};\n\nint main(void) {\n  struct p a = {.x = 1, .z = 2};\n  struct q b = {.y = 2};\n  f((struct p){.z = 3});\n}\n",
    );
}

#[test]
fn other_files_follow() {
    check_other(
        ("file:///w/src/shape.rs", "pub struct P {\n    pub «x|left»: i32,\n}\n"),
        ("file:///w/src/main.rs", "use crate::shape::P;\n\nfn f() {\n    let p = P { x: 1 };\n    p.x;\n}\n"),
        "use crate::shape::P;\n\nfn f() {\n    let p = P { left: 1 };\n    p.x;\n}\n",
    );
    check_other(
        ("file:///w/src/shape.rs", "pub fn area(w: u32«, h: u32|») {}\n"),
        ("file:///w/src/main.rs", "use crate::shape::area;\n\nfn f() {\n    area(1, 2);\n}\n"),
        "use crate::shape::area;\n\nfn f() {\n    area(1);\n}\n",
    );
    check_other(
        ("file:///w/util.py", "def load(«path|place»):\n    pass\n"),
        ("file:///w/main.py", "from util import load\n\nload(path=1)\n"),
        "from util import load\n\nload(place=1)\n",
    );
    check_other(
        ("file:///w/util.py", "def load(«path|place»):\n    pass\n"),
        ("file:///w/main.py", "from other import load\n\nload(path=1)\n"),
        "from other import load\n\nload(path=1)\n",
    );
    check_other(
        ("file:///w/a/p.go", "package a\n\ntype P struct {\n\tX int\n\tY int«|\n\tZ int»\n}\n"),
        ("file:///w/a/q.go", "package a\n\nvar q = P{1, 2}\n"),
        "package a\n\nvar q = ˇP{1, 2}\n",
    );
}

#[test]
fn what_is_unclear_is_let_be() {
    // The name is declared again.
    let text = "fn area(w: u32«, h: u32|») {}\n\nfn f() {\n    let area = |a, b| a;\n    area(1, 2);\n}\n";
    check("a.rs", text, &text.replace("«, h: u32|»", ""));
    // Another parameter in its place.
    let text = "def f(«a|b, c»):\n    pass\n\nf(1)\n";
    check("a.py", text, "def f(b, c):\n    pass\n\nf(1)\n");
    // Decorators change the parameters.
    let text = "@cached\ndef f(a«, b|»):\n    pass\n\nf(1, 2)\n";
    check("a.py", text, &text.replace("«, b|»", ""));
    // Any number of arguments.
    let text = "def f(a«, b|», *c):\n    pass\n\nf(1, 2)\n";
    check("a.py", text, &text.replace("«, b|»", ""));
    // A broken list.
    let text = "fn area(w: u32«, h: u32|,») {}\n\nfn f() {\n    area(1, 2);\n}\n";
    check("a.rs", text, "fn area(w: u32,) {}\n\nfn f() {\n    area(1);\n}\n");
}
