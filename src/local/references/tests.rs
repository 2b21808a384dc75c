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
        &EditStep { old: &old, new: &new, at: Some(start), above: "", below: "", is_of_rename: false },
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
