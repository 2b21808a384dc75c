//! Chains of next edits that follow from a change of parameters or fields, without a model.

use std::collections::HashMap;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::lsp_client::LspClientError;

use super::left::{Project, alone};
use crate::support::uri;

/// Steps after which a chain counts as endless.
const MOST_STEPS: usize = 12;

/// Checks what follows from a change of the first file, of which each edit is accepted: the line that it leads to,
/// and what is left in the end.
async fn check(language: &str, files: &[(&str, &str)], done: [&str; 2], expect: Expect) {
    let mut project = Project::new(alone(), language, files).await;
    project.replace(done[0], done[1]);
    // The index learns of other files in the background.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let shown = chain(&mut project, language).await.unwrap();
    expect.assert_eq(&shown);
    project.editor.finish().await;
}

async fn chain(project: &mut Project, language: &str) -> Result<String, LspClientError> {
    let root = std::fs::canonicalize(project.folder.path()).unwrap();
    let mut open = HashMap::from([(project.open.clone(), (project.version, project.text.clone()))]);
    let mut current = project.open.clone();
    let mut shown = String::new();
    for _ in 0..MOST_STEPS {
        let params = json!({
            "textDocument": { "uri": current },
            "position": { "line": 0, "character": 0 },
            "context": { "triggerKind": 1 },
        });
        let answer = project.editor.driver.request("tandem/nextEdit", params).await?;
        let Some(edit) = answer["edits"].get(0) else {
            let left = project.told(&answer);
            shown.push_str(&if left.is_empty() { String::new() } else { format!("left: {left}\n") });
            return Ok(shown);
        };
        current = edit["textDocument"]["uri"].as_str().unwrap().to_owned();
        if !open.contains_key(&current) {
            let name = current.strip_prefix(&uri(&root)).unwrap();
            let text = std::fs::read_to_string(root.join(&name[1..])).unwrap();
            project.editor.open_only(&current, language, &text);
            open.insert(current.clone(), (1, text));
        }
        let (version, text) = open.get_mut(&current).unwrap();
        *version += 1;
        let number = |at: &str| edit["range"].pointer(at).and_then(Value::as_u64).unwrap() as u32;
        let range = [
            number("/start/line"),
            number("/start/character"),
            number("/end/line"),
            number("/end/character"),
        ];
        let new = edit["text"].as_str().unwrap();
        project.editor.change(&current, *version, range, new);
        let byte = |line: u32, column: u32| {
            text.split_inclusive('\n').take(line as usize).map(str::len).sum::<usize>() + column as usize
        };
        text.replace_range(byte(range[0], range[1])..byte(range[2], range[3]), new);
        let line = text.lines().nth(range[0] as usize).unwrap().trim();
        let name = current.rsplit('/').next().unwrap();
        shown.push_str(&format!("{name}:{}: {line}\n", range[0] + 1));
        project.editor.driver.request("workspace/executeCommand", edit["command"].clone()).await?;
    }
    Ok(shown + "and so on\n")
}

const SHAPE: &str = "pub fn area(width: u32, height: u32) -> u32 {\n    width\n}\n\npub fn f() -> u32 {\n    area(4, 1) + area(5, 2)\n}\n";
const USER: &str = "use crate::shape::area;\n\nfn g() -> u32 {\n    area(2, 6)\n}\n";
const RUST: [(&str, &str); 3] = [("src/shape.rs", SHAPE), ("src/one.rs", USER), ("src/two.rs", USER)];

#[tokio::test]
async fn removed_parameter_leads_to_all_calls() {
    check(
        "rust",
        &RUST,
        ["width: u32, height: u32", "width: u32"],
        expect![[r#"
        shape.rs:6: area(4) + area(5, 2)
        shape.rs:6: area(4) + area(5)
        one.rs:4: area(2)
        two.rs:4: area(2)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn moved_parameters_lead_to_each_call_once() {
    check(
        "rust",
        &RUST,
        ["width: u32, height: u32", "height: u32, width: u32"],
        expect![[r#"
        shape.rs:6: area(1, 4) + area(5, 2)
        shape.rs:6: area(1, 4) + area(2, 5)
        one.rs:4: area(6, 2)
        two.rs:4: area(6, 2)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn added_parameter_tells_what_is_left() {
    check(
        "rust",
        &RUST,
        ["height: u32)", "height: u32, depth: u32)"],
        expect![[r#"
        left: src/shape.rs:5:4, src/shape.rs:5:17, src/one.rs:3:4, src/two.rs:3:4
    "#]],
    )
    .await;
}

const UTIL: &str = "def load(path, mode=1):\n    return mode\n\n\ndef f():\n    return load(path=1)\n";
const MAIN: &str = "from util import load\n\n\ndef g():\n    return load(path=2, mode=3)\n";

#[tokio::test]
async fn renamed_parameter_leads_to_keywords_in_python() {
    let files = [("util.py", UTIL), ("main.py", MAIN)];
    check(
        "python",
        &files,
        ["load(path,", "load(place,"],
        expect![[r#"
        util.py:6: return load(place=1)
        main.py:5: return load(place=2, mode=3)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fields_of_a_data_class_are_keywords() {
    let point = "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n    y: int\n\n\ndef f():\n    return Point(x=1, y=2)\n";
    let main = "from point import Point\n\np = Point(3, y=4)\n";
    let files = [("point.py", point), ("main.py", main)];
    check(
        "python",
        &files,
        ["    y: int", "    height: int"],
        expect![[r#"
        point.py:11: return Point(x=1, height=2)
        main.py:3: p = Point(3, height=4)
    "#]],
    )
    .await;
    check(
        "python",
        &files,
        ["    y: int\n", "    y: int\n    z: int\n"],
        expect![[r#"
        left: point.py:11:11, main.py:2:4
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fields_are_followed_in_literals_of_rust() {
    let point = "pub struct Point {\n    pub x: i32,\n    pub y: i32,\n}\n\npub fn f() -> Point {\n    Point { x: 0, y: 0 }\n}\n";
    let user = "use crate::point::Point;\n\nfn g() -> Point {\n    Point { x: 1, y: 2 }\n}\n";
    let files = [("src/point.rs", point), ("src/one.rs", user), ("src/two.rs", user)];
    check(
        "rust",
        &files,
        ["pub x", "pub left"],
        expect![[r#"
        point.rs:7: Point { left: 0, y: 0 }
        one.rs:4: Point { left: 1, y: 2 }
        two.rs:4: Point { left: 1, y: 2 }
    "#]],
    )
    .await;
    check(
        "rust",
        &files,
        ["    pub y: i32,\n", ""],
        expect![[r#"
        point.rs:6: Point { x: 0 }
        one.rs:4: Point { x: 1 }
        two.rs:4: Point { x: 1 }
    "#]],
    )
    .await;
    check(
        "rust",
        &files,
        ["    pub y: i32,\n", "    pub y: i32,\n    pub z: i32,\n"],
        expect![[r#"
        left: src/point.rs:7:4, src/one.rs:3:4, src/two.rs:3:4
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fields_are_followed_in_literals_of_go() {
    let point = "package a\n\ntype Point struct {\n\tX int\n\tY int\n}\n\nfunc f() Point {\n\treturn Point{X: 1, Y: 2}\n}\n";
    let user = "package a\n\nfunc g() *Point {\n\treturn &Point{Y: 2}\n}\n\nvar h = Point{1, 2}\n";
    let files = [("point.go", point), ("user.go", user)];
    check(
        "go",
        &files,
        ["\tY int", "\tHeight int"],
        expect![[r#"
        point.go:9: return Point{X: 1, Height: 2}
        user.go:4: return &Point{Height: 2}
    "#]],
    )
    .await;
    check(
        "go",
        &files,
        ["\tY int\n", "\tY int\n\tZ int\n"],
        expect![[r#"
        left: user.go:6:8
    "#]],
    )
    .await;
}

#[tokio::test]
async fn properties_are_followed_in_typed_objects() {
    let point = "export interface Point {\n  x: number;\n  y: number;\n}\n\nexport const f = () => {\n  const p: Point = { x: 1, y: 2 };\n  return p;\n};\n";
    let main = "import { Point } from './point';\n\nexport const p: Point = { x: 1, y: 2 };\nexport const q = { x: 1, y: 2 };\n";
    let files = [("point.ts", point), ("main.ts", main)];
    check(
        "typescript",
        &files,
        ["  y: number", "  z: number"],
        expect![[r#"
        point.ts:7: const p: Point = { x: 1, z: 2 };
        main.ts:3: export const p: Point = { x: 1, z: 2 };
    "#]],
    )
    .await;
    check(
        "typescript",
        &files,
        ["  y: number;\n", "  y: number;\n  z: number;\n"],
        expect![[r#"
        left: point.ts:7:11, main.ts:2:16
    "#]],
    )
    .await;
}

#[tokio::test]
async fn java_methods_and_constructors_are_followed() {
    let cart = "class Cart {\n  Cart(int size, int limit) {}\n\n  int add(int price, int count) {\n    return price;\n  }\n\n  int f() {\n    return add(1, 2) + this.add(3, 4);\n  }\n}\n";
    let shop =
        "class Shop {\n  int g() {\n    Cart cart = new Cart(5, 6);\n    return cart.add(7, 8);\n  }\n}\n";
    let files = [("shop/Cart.java", cart), ("shop/Shop.java", shop)];
    check(
        "java",
        &files,
        ["int price, int count", "int price"],
        expect![[r#"
        Cart.java:9: return add(1) + this.add(3, 4);
        Cart.java:9: return add(1) + this.add(3);
    "#]],
    )
    .await;
    check("java", &files, ["int size, int limit", "int limit, int size"], expect![""]).await;
}

#[tokio::test]
async fn c_functions_and_structs_are_followed() {
    let shape = "struct point {\n  int x;\n  int y;\n};\n\nint area(int w, int h) {\n  return w;\n}\n\nint f(void) {\n  struct point p = {.x = 1, .y = 2};\n  return area(p.x, 3);\n}\n";
    let files = [("shape.c", shape)];
    check(
        "c",
        &files,
        ["int w, int h", "int w"],
        expect![[r#"
        shape.c:12: return area(p.x);
    "#]],
    )
    .await;
    check(
        "c",
        &files,
        ["  int y;", "  int z;"],
        expect![[r#"
        shape.c:11: struct point p = {.x = 1, .z = 2};
    "#]],
    )
    .await;
}
