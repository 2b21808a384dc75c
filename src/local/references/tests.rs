use super::*;
use crate::document::DocumentId;
use crate::edit::apply;

/// Checks the edits in another file after the step `«old|new»`: `expected` is its resulting text, or `None` for
/// no edits.
#[track_caller]
fn check((path, marked): (&str, &str), (other, there): (&str, &str), expected: Option<&str>) {
    let language = crate::grammar::by_path(std::path::Path::new(path)).unwrap().id();
    let (before, rest) = marked.split_once('«').unwrap();
    let (inner, after) = rest.split_once('»').unwrap();
    let (old, new) = inner.split_once('|').unwrap();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let (line, after_line) = after.split_once('\n').unwrap();
    let (old, new) =
        (format!("{}{old}{line}\n", &before[start..]), format!("{}{new}{line}\n", &before[start..]));
    let text = format!("{}{new}{after_line}", &before[..start]);
    let document = |path: &str, text: &str| Document::new(DocumentId::new(path), language, 0, text);
    let (document, other) = (document(path, &text), document(other, there));
    let result = match changed(
        &document,
        &EditStep { old: &old, new: &new, at: Some(start), above: "", below: "", is_of_definition: false },
    ) {
        None => None,
        Some(Changed { name, old: Some(old), owner: Some(owner), .. }) => {
            let edits = rename_calls(&document, &other, &owner, [&old, &name], false);
            (!edits.is_empty()).then(|| apply(there, &edits))
        }
        Some(Changed { name, old: Some(old), .. }) => {
            let edits = rename(&document, &other, &old, &name);
            (!edits.is_empty()).then(|| apply(there, &edits))
        }
        Some(Changed { name, old: None, .. }) => {
            let uses = uses(&document, &other, &name);
            let mut marked = there.to_owned();
            for place in uses.iter().rev().filter(|it| !it.is_import) {
                marked.insert(place.at, 'ˇ');
            }
            (marked != there).then_some(marked)
        }
    };
    assert_eq!(result.as_deref(), expected);
}

const SHAPE: (&str, &str) = ("file:///w/src/shape.rs", "pub fn «area|surface»(a: u32) -> u32 {\n    a\n}\n");

#[test]
fn a_renamed_function_is_renamed_where_it_is_imported() {
    check(
        SHAPE,
        (
            "file:///w/src/main.rs",
            "use crate::shape::area;\n\nfn main() {\n    // area\n    area(1) + x.area();\n}\n",
        ),
        Some("use crate::shape::surface;\n\nfn main() {\n    // area\n    surface(1) + x.area();\n}\n"),
    );
    check(
        SHAPE,
        (
            "file:///w/src/main.rs",
            "use crate::shape::{self, b};\n\nfn main() {\n    shape::area(1) + other::area(2);\n}\n",
        ),
        Some("use crate::shape::{self, b};\n\nfn main() {\n    shape::surface(1) + other::area(2);\n}\n"),
    );
    check(
        ("file:///w/load.py", "def «load|read»(path):\n    pass\n"),
        ("file:///w/main.py", "from load import load, other\nimport json\n\nx = load(1)\njson.load(2)\n"),
        Some("from load import read, other\nimport json\n\nx = read(1)\njson.load(2)\n"),
    );
    check(
        ("file:///w/user.ts", "export class «User|Person» {\n}\n"),
        ("file:///w/app.tsx", "import { User } from \"./user\";\n\nconst u: User = new User();\n"),
        Some("import { Person } from \"./user\";\n\nconst u: Person = new Person();\n"),
    );
    check(
        ("file:///w/a/find.go", "package a\n\nfunc «find|Find»(id string) int {\n\treturn 1\n}\n"),
        ("file:///w/a/show.go", "package a\n\nfunc show() {\n\tfind(\"find\")\n}\n"),
        Some("package a\n\nfunc show() {\n\tFind(\"find\")\n}\n"),
    );
    check(
        ("file:///w/shape.h", "int «area|surface»(int a);\n"),
        ("file:///w/main.c", "#include \"shape.h\"\n\nint main(void) {\n  return area(1);\n}\n"),
        Some("#include \"shape.h\"\n\nint main(void) {\n  return surface(1);\n}\n"),
    );
}

#[test]
fn a_crate_root_is_used_by_its_files() {
    let root =
        ("file:///w/heck/src/lib.rs", "fn «transform|convert»(s: &str) -> String {\n    s.into()\n}\n");
    check(
        root,
        (
            "file:///w/heck/src/kebab.rs",
            "use crate::{lowercase, transform};\n\nfn f() {\n    transform(lowercase(1));\n    crate::transform(2);\n}\n",
        ),
        Some(
            "use crate::{lowercase, convert};\n\nfn f() {\n    convert(lowercase(1));\n    crate::convert(2);\n}\n",
        ),
    );
    check(
        root,
        ("file:///w/heck/src/a/b.rs", "fn f() {\n    crate::transform(2);\n    crate::a::transform(3);\n}\n"),
        Some("fn f() {\n    crate::convert(2);\n    crate::a::transform(3);\n}\n"),
    );
    check(
        root,
        ("file:///w/heck/tests/all.rs", "use heck::transform;\n\nfn f() {\n    transform(1);\n}\n"),
        Some("use heck::convert;\n\nfn f() {\n    convert(1);\n}\n"),
    );
    check(
        root,
        ("file:///w/heck/src/snake.rs", "use super::transform;\n\nfn f() {\n    transform(1);\n}\n"),
        Some("use super::convert;\n\nfn f() {\n    convert(1);\n}\n"),
    );
    check(
        ("file:///w/src/shape.rs", "pub fn «area|surface»(a: u32) -> u32 {\n    a\n}\n"),
        ("file:///w/src/shape/round.rs", "use super::area;\n\nfn f() {\n    area(1);\n}\n"),
        Some("use super::surface;\n\nfn f() {\n    surface(1);\n}\n"),
    );
    // Another module of the crate, another crate's root, and a module's own `super`.
    check(
        root,
        ("file:///w/heck/src/b.rs", "use crate::other::transform;\n\nfn f() {\n    transform(1);\n}\n"),
        None,
    );
    check(
        root,
        ("file:///w/heck/src/b.rs", "use crate::{other::transform, a};\n\nfn f() {\n    transform(1);\n}\n"),
        None,
    );
    check(
        root,
        ("file:///w/other/src/b.rs", "use crate::transform;\n\nfn f() {\n    transform(1);\n}\n"),
        None,
    );
    check(
        root,
        (
            "file:///w/heck/src/b.rs",
            "mod tests {\n    use super::transform;\n\n    fn f() {\n        transform(1);\n    }\n}\n",
        ),
        None,
    );
    // In Python a `main` is a module as any other.
    check(
        ("file:///w/main.py", "def «load|read»(path):\n    pass\n"),
        ("file:///w/test_main.py", "from main import load\n\nx = load(1)\n"),
        Some("from main import read\n\nx = read(1)\n"),
    );
}

#[test]
fn the_same_name_is_not_the_same_thing() {
    let there = |text| ("file:///w/src/main.rs", text);
    // The name belongs to another file.
    check(SHAPE, there("use crate::other::area;\n\nfn main() {\n    area(1);\n}\n"), None);
    check(SHAPE, there("fn main() {\n    area(1);\n}\n"), None);
    // It has another name there, or the file defines its own.
    check(
        SHAPE,
        there("use crate::shape::area as a;\nuse crate::other::area;\n\nfn main() {\n    area(1);\n}\n"),
        Some("use crate::shape::surface as a;\nuse crate::other::area;\n\nfn main() {\n    area(1);\n}\n"),
    );
    check(SHAPE, there("use crate::shape::area;\n\nfn main() {\n    let area = area(1);\n}\n"), None);
    // The new name is taken.
    check(SHAPE, there("use crate::shape::area;\n\nfn surface() {\n    area(1);\n}\n"), None);
    // A method is not certain where the receiver's type is not shown; a local is private to its file.
    let method = ("file:///w/src/shape.rs", "impl A {\n    pub fn «area|surface»(&self) {}\n}\n");
    check(method, there("use crate::shape::A;\n\nfn main() {\n    a.area();\n}\n"), None);
    check(
        method,
        there("use crate::shape::A;\n\nfn main(a: &A, b: &B) {\n    a.area() + b.area();\n}\n"),
        Some("use crate::shape::A;\n\nfn main(a: &A, b: &B) {\n    a.surface() + b.area();\n}\n"),
    );
    let local = ("file:///w/src/shape.rs", "fn f() {\n    let «area|surface» = 1;\n}\n");
    check(local, there("use crate::shape::area;\n\nfn main() {\n    area(1);\n}\n"), None);
    // Another definition of the old name remains.
    let twice = ("file:///w/a.ts", "function «f|g»() {}\n\nclass A { f() {} }\n\nfunction f() {}\n");
    check(twice, ("file:///w/b.ts", "import { f } from \"./a\";\nf();\n"), None);
}

/// `it` is of another type in each function: the first one is of the type whose method was renamed.
#[test]
fn receiver_counts_by_its_declaration() {
    let check = |method: (&str, &str), path: &str, there: &str| {
        let expected = there.replacen("total", "gross", 1);
        check(method, (path, there), Some(&expected));
    };
    let rust = ("file:///w/src/cart.rs", "impl Cart {\n    pub fn «total|gross»(&self) {}\n}\n");
    check(
        rust,
        "file:///w/src/main.rs",
        "use crate::cart::Cart;\n\nfn f(it: &mut Cart) {\n    it.total();\n}\n\nfn g(it: &Bill) {\n    it.total();\n}\n\nfn h(all: &[Cart]) {\n    all.iter().map(|it| it.total());\n}\n",
    );
    check(
        rust,
        "file:///w/src/main.rs",
        "use crate::cart::Cart;\n\nstruct A {\n    cart: Cart,\n    bill: Bill,\n}\n\nfn f(a: &A) {\n    a.cart.total();\n    a.bill.total();\n}\n",
    );
    let python = ("file:///w/cart.py", "class Cart:\n    def «total|gross»(self):\n        pass\n");
    check(
        python,
        "file:///w/main.py",
        "from cart import Cart\n\n\ndef f():\n    it = None\n    it = Cart(1)\n    return it.total()\n\n\ndef g(all):\n    it = Cart()\n    it = Bill()\n    return it.total() + [it.total() for it in all]\n\n\ndef h(cart: Cart):\n    for it in cart:\n        it.total()\n",
    );
    check(
        python,
        "file:///w/main.py",
        "from cart import Cart\n\n\nclass A:\n    def __init__(self, cart: Cart, bill):\n        self.cart = cart\n        self.bill = bill\n\n    def f(self):\n        return self.cart.total() + self.bill.total()\n",
    );
    check(
        ("file:///w/cart.ts", "export class Cart {\n  «total|gross»() {}\n}\n"),
        "file:///w/main.ts",
        "import { Cart } from \"./cart\";\n\nfunction f(it: Cart | null) {\n  it?.total();\n}\n\nfunction g(it: Cart[], all: Map<string, Cart>) {\n  it.total();\n  all.total();\n}\n",
    );
    check(
        ("file:///w/shop/cart.go", "package shop\n\nfunc (c *Cart) «total|gross»() {}\n"),
        "file:///w/shop/main.go",
        "package shop\n\nfunc f(it *Cart) {\n\tit.total()\n}\n\nfunc g(it []Cart) {\n\tit.total()\n}\n\nfunc h() {\n\tit := &Bill{}\n\tit.total()\n}\n",
    );
}

/// Another folder has a module of the same name.
#[test]
fn path_of_an_import_leads_to_one_file() {
    let check = |definition: (&str, &str), path: &str, [ours, theirs]: [&str; 2]| {
        check(definition, (path, ours), Some(&ours.replace("area", "size")));
        check(definition, (path, theirs), None);
    };
    let python = ("file:///w/a/shape.py", "def «area|size»():\n    pass\n");
    check(python, "file:///w/main.py", ["from a.shape import area\n", "from b.shape import area\n"]);
    check(python, "file:///w/main.py", ["from a.shape import area\n", "from shape import area\n"]);
    check(python, "file:///w/a/main.py", ["from .shape import area\n", "from ..shape import area\n"]);
    check(python, "file:///w/b/main.py", ["from ..a.shape import area\n", "from .shape import area\n"]);
    check(
        python,
        "file:///w/main.py",
        ["import a.shape\na.shape.area()\n", "import b.shape\nb.shape.area()\n"],
    );
    let packaged = ("file:///w/src/a/shape.py", "def «area|size»():\n    pass\n");
    check(packaged, "file:///w/tests/t.py", ["from a.shape import area\n", "from b.shape import area\n"]);
    let script = ("file:///w/a/shape.ts", "export function «area|size»() {}\n");
    let from = |path: &str| format!("import {{ area }} from \"{path}\";\n");
    for (place, ours, theirs) in [
        ("file:///w/main.ts", "./a/shape", "./b/shape"),
        ("file:///w/a/main.ts", "./shape.js", "../shape"),
        ("file:///w/b/main.ts", "../a/shape", "./shape"),
        ("file:///w/b/main.ts", "@/a/shape", "@/b/shape"),
    ] {
        check(script, place, [&from(ours), &from(theirs)]);
    }
    let index = ("file:///w/a/index.ts", "export function «area|size»() {}\n");
    check(index, "file:///w/main.ts", [&from("./a"), &from("./b/a")]);
    check(index, "file:///w/a/b.ts", [&from("./index"), &from("./a")]);
    let rust = ("file:///w/src/a/shape.rs", "pub fn «area|size»() {}\n");
    let using = |path: &str| format!("use {path}::area;\n\nfn f() {{\n    area();\n}}\n");
    for (place, ours, theirs) in [
        ("file:///w/src/main.rs", "crate::a::shape", "crate::b::shape"),
        ("file:///w/src/a/b.rs", "super::shape", "super::super::b::shape"),
        ("file:///w/src/a.rs", "shape", "std::shape"),
        ("file:///w/tests/t.rs", "w::a::shape", "other::shape"),
    ] {
        check(rust, place, [&using(ours), &using(theirs)]);
    }
    check(
        rust,
        "file:///w/src/main.rs",
        ["use crate::{a::shape::{self, area}, b};\n", "use crate::{b::shape::{self, area}, a};\n"],
    );
    let io = ("file:///w/src/io.rs", "pub struct «Error|Failure»;\n");
    super::tests::check(io, ("file:///w/src/main.rs", "use std::io::Error;\n"), None);
    check(
        ("file:///w/a/shape/s.go", "package shape\n\nfunc «area|size»() {}\n"),
        "file:///w/main.go",
        [
            "package main\n\nimport \"example.com/w/a/shape\"\n\nfunc f() {\n\tshape.area()\n}\n",
            "package main\n\nimport \"example.com/w/b/shape\"\n\nfunc f() {\n\tshape.area()\n}\n",
        ],
    );
    check(
        ("file:///w/a/shape.h", "int «area|size»(int a);\n"),
        "file:///w/main.c",
        ["#include \"a/shape.h\"\nint x = area(1);\n", "#include \"b/shape.h\"\nint x = area(1);\n"],
    );
}

#[test]
fn module_of_the_same_name_keeps_it() {
    check(
        ("file:///w/load.py", "def «load|read»(path):\n    pass\n"),
        ("file:///w/main.py", "import load\n\nx = load.load(1)\n"),
        Some("import load\n\nx = load.read(1)\n"),
    );
    check(
        ("file:///w/src/load.rs", "pub fn «load|read»() {}\n"),
        (
            "file:///w/src/main.rs",
            "use crate::load;\nuse crate::load::load;\n\nfn f() {\n    load();\n    load::load();\n    crate::load::load();\n}\n",
        ),
        Some(
            "use crate::load;\nuse crate::load::read;\n\nfn f() {\n    read();\n    load::read();\n    crate::load::read();\n}\n",
        ),
    );
    let script = ("file:///w/load.ts", "export function «load|read»() {}\n");
    check(
        script,
        ("file:///w/main.ts", "import * as load from \"./load\";\n\nload.load();\n"),
        Some("import * as load from \"./load\";\n\nload.read();\n"),
    );
    // The default of a module has a name of its own here.
    check(script, ("file:///w/main.ts", "import load from \"./load\";\n\nload();\n"), None);
}

#[test]
fn a_changed_signature_leads_to_its_calls() {
    let there = ("file:///w/src/main.rs", "use crate::shape::area;\n\nfn main() {\n    area(1);\n}\n");
    let marked = Some("use crate::shape::area;\n\nfn main() {\n    ˇarea(1);\n}\n");
    check(("file:///w/src/shape.rs", "pub fn area(a: u32«|, b: u32») -> u32 {\n    a\n}\n"), there, marked);
    check(("file:///w/src/shape.rs", "pub fn area(a: «u32|u64») -> u32 {\n    a\n}\n"), there, marked);
    let point = (
        "file:///w/src/point.rs",
        "pub struct Point {\n    pub x: i32,\n    pub y: i32,«| pub z: i32,»\n}\n",
    );
    check(
        point,
        (
            "file:///w/src/main.rs",
            "use crate::point::Point;\n\nfn f() -> Point {\n    Point { x: 0, y: 0 }\n}\n",
        ),
        Some("use crate::point::Point;\n\nfn f() -> ˇPoint {\n    ˇPoint { x: 0, y: 0 }\n}\n"),
    );
    // These are not visible elsewhere.
    check(("file:///w/src/shape.rs", "pub fn area(«a|b»: u32) -> u32 {\n    b\n}\n"), there, None);
    check(("file:///w/src/shape.rs", "pub fn area(a: u32) -> u32 {\n    «a|a + 1»\n}\n"), there, None);
    check(("file:///w/src/shape.rs", "pub fn area(a: u32) -> u32 { // «one|two»\n    a\n}\n"), there, None);
}
