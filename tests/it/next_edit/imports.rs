//! Imported names: followed within their file where an import is renamed, and into the importing files where the
//! imported item is renamed.
//!
//! In the files `«old→new»` is typed by the user, and `‹old→new›` an edit that must follow; no other edit may.

use serde_json::{Value, json};

use crate::support::{Editor, Setup};

struct Case {
    kind: &'static str,
    language: &'static str,
    /// Their paths and texts.
    files: &'static [(&'static str, &'static str)],
}

const fn case(
    kind: &'static str,
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
) -> Case {
    Case { kind, language, files }
}

const OWN: &str = "an import";
const ALIAS: &str = "an alias";
const BEHIND_ALIAS: &str = "the original name behind an alias";
const IMPORTED: &str = "what others import";
const ALIASED: &str = "what others import by another name";
const PASSED_ON: &str = "what others import from a third file";

const METHOD: &str = "a method that others call";

const CASES: &[Case] = &[
    case(
        OWN,
        "python",
        &[(
            "a.py",
            "from json import dumps, «loads→parse»\n\n\ndef f(x):\n    return ‹loads→parse›(dumps(x)) + ‹loads→parse›(x) + x.loads\n",
        )],
    ),
    case(
        OWN,
        "rust",
        &[(
            "a.rs",
            "use std::collections::«HashMap→BTreeMap»;\n\nfn f() -> ‹HashMap→BTreeMap›<u8, u8> {\n    ‹HashMap→BTreeMap›::new()\n}\n",
        )],
    ),
    case(
        OWN,
        "rust",
        &[("b.rs", "use a::{first, «Old→New»};\n\nfn f(it: ‹Old→New›) -> u8 {\n    first(it)\n}\n")],
    ),
    case(
        OWN,
        "typescript",
        &[(
            "a.ts",
            "import { first, «load→read» } from \"./b\";\n\nexport const a = ‹load→read›(first.load);\nconst b = { load: ‹load→read› };\n",
        )],
    ),
    case(
        OWN,
        "typescriptreact",
        &[("a.tsx", "import «Old→New» from \"./b\";\n\nexport const a = <‹Old→New› name=\"Old\" />;\n")],
    ),
    case(
        OWN,
        "javascript",
        &[("a.js", "const { «load→read» } = require(\"./b\");\n\nmodule.exports = ‹load→read›(1);\n")],
    ),
    case(
        OWN,
        "java",
        &[(
            "A.java",
            "import shop.«Basket→Cart»;\n\nclass A {\n    ‹Basket→Cart› made = new ‹Basket→Cart›();\n}\n",
        )],
    ),
    case(
        OWN,
        "cpp",
        &[("a.cpp", "#include <list>\n\nusing std::«vector→list»;\n\n‹vector→list›<int> f();\n")],
    ),
    case(ALIAS, "python", &[("a.py", "import numpy as «np→num»\n\nx = ‹np→num›.zeros(1) + y.np\n")]),
    case(ALIAS, "rust", &[("a.rs", "use a::b as «first→second»;\n\nfn f() {\n    ‹first→second›();\n}\n")]),
    case(ALIAS, "typescript", &[("a.ts", "import * as «fs→files» from \"fs\";\n\n‹fs→files›.read();\n")]),
    case(
        ALIAS,
        "typescript",
        &[("a.ts", "import { a as «first→second» } from \"./a\";\n\n‹first→second›();\n")],
    ),
    case(
        ALIAS,
        "go",
        &[("a.go", "package a\n\nimport «f→format» \"fmt\"\n\nfunc main() {\n\t‹f→format›.Println()\n}\n")],
    ),
    case(
        BEHIND_ALIAS,
        "python",
        &[("a.py", "from json import «loads→parse» as read\n\nloads = read(1)\nprint(loads)\n")],
    ),
    case(
        BEHIND_ALIAS,
        "typescript",
        &[("a.ts", "import { «load→read» as get } from \"./b\";\n\nget(load);\n")],
    ),
    case(
        IMPORTED,
        "python",
        &[
            ("basket.py", "class «Basket→Cart»:\n    pass\n"),
            (
                "invoice.py",
                "from basket import ‹Basket→Cart›\n\n\ndef show(basket: ‹Basket→Cart›):\n    return ‹Basket→Cart›(basket)\n",
            ),
            (
                "report.py",
                "from os import path\nfrom basket import ‹Basket→Cart›\n\nempty = ‹Basket→Cart›()\n",
            ),
        ],
    ),
    case(
        IMPORTED,
        "rust",
        &[
            ("src/basket.rs", "pub struct «Basket→Cart»;\n"),
            (
                "src/invoice.rs",
                "use crate::basket::‹Basket→Cart›;\n\npub fn show(basket: &‹Basket→Cart›) -> ‹Basket→Cart› {\n    ‹Basket→Cart›\n}\n",
            ),
        ],
    ),
    case(
        IMPORTED,
        "typescript",
        &[
            ("basket.ts", "export class «Basket→Cart» {\n}\n"),
            (
                "invoice.ts",
                "import { ‹Basket→Cart› } from \"./basket\";\n\nexport const empty: ‹Basket→Cart› = new ‹Basket→Cart›();\n",
            ),
        ],
    ),
    case(
        IMPORTED,
        "javascript",
        &[
            ("basket.js", "class «Basket→Cart» {\n}\n\nmodule.exports = { ‹Basket→Cart› };\n"),
            ("use.js", "const { ‹Basket→Cart› } = require(\"./basket\");\n\nnew ‹Basket→Cart›();\n"),
        ],
    ),
    case(
        IMPORTED,
        "go",
        &[
            ("shop/basket.go", "package shop\n\nfunc «Empty→Fresh»() int {\n\treturn 0\n}\n"),
            (
                "main.go",
                "package main\n\nimport \"example.com/shop\"\n\nfunc main() {\n\tshop.‹Empty→Fresh›()\n}\n",
            ),
        ],
    ),
    case(
        IMPORTED,
        "java",
        &[
            ("shop/Basket.java", "package shop;\n\npublic class «Basket→Cart» {\n}\n"),
            (
                "Main.java",
                "import shop.‹Basket→Cart›;\n\nclass Main {\n    ‹Basket→Cart› empty = new ‹Basket→Cart›();\n}\n",
            ),
        ],
    ),
    case(
        IMPORTED,
        "cpp",
        &[
            ("basket.h", "int «total→gross»(int basket);\n"),
            ("main.cpp", "#include \"basket.h\"\n\nint main() {\n  return ‹total→gross›(1);\n}\n"),
        ],
    ),
    case(
        ALIASED,
        "python",
        &[
            ("basket.py", "class «Basket→Cart»:\n    pass\n"),
            ("invoice.py", "from basket import ‹Basket→Cart› as B\n\nempty = B()\n"),
        ],
    ),
    case(
        ALIASED,
        "rust",
        &[
            ("src/basket.rs", "pub struct «Basket→Cart»;\n"),
            ("src/invoice.rs", "use crate::basket::‹Basket→Cart› as B;\n\npub const EMPTY: B = B;\n"),
        ],
    ),
    case(
        ALIASED,
        "typescript",
        &[
            ("basket.ts", "export class «Basket→Cart» {\n}\n"),
            (
                "invoice.ts",
                "import { ‹Basket→Cart› as B } from \"./basket\";\n\nexport const empty = new B();\n",
            ),
        ],
    ),
    case(
        PASSED_ON,
        "python",
        &[
            ("shop/basket.py", "class «Basket→Cart»:\n    pass\n"),
            ("shop/__init__.py", "from .basket import ‹Basket→Cart›\n"),
            ("main.py", "from shop import ‹Basket→Cart›\n\nempty = ‹Basket→Cart›()\n"),
        ],
    ),
    case(
        PASSED_ON,
        "typescript",
        &[
            ("shop/basket.ts", "export class «Basket→Cart» {\n}\n"),
            ("shop/index.ts", "export { ‹Basket→Cart› } from \"./basket\";\n"),
            (
                "main.ts",
                "import { ‹Basket→Cart› } from \"./shop\";\n\nexport const empty = new ‹Basket→Cart›();\n",
            ),
        ],
    ),
    case(
        PASSED_ON,
        "rust",
        &[
            ("src/basket.rs", "pub struct «Basket→Cart»;\n"),
            ("src/lib.rs", "mod basket;\n\npub use basket::‹Basket→Cart›;\n"),
            (
                "src/invoice.rs",
                "use crate::‹Basket→Cart›;\n\npub const EMPTY: ‹Basket→Cart› = ‹Basket→Cart›;\n",
            ),
        ],
    ),
    case(
        METHOD,
        "python",
        &[
            (
                "basket.py",
                "class Basket:\n    def «total→gross»(self, tax):\n        return tax\n\n    def twice(self):\n        return self.‹total→gross›(1) * 2\n",
            ),
            (
                "invoice.py",
                "from basket import Basket\n\n\ndef show(basket: Basket, order):\n    return basket.‹total→gross›(19) + order.total(1) + basket.total_of(2)\n",
            ),
            (
                "report.py",
                "from basket import Basket\n\nempty = Basket()\nprint(empty.‹total→gross›(7), empty.total)\n",
            ),
            ("other.py", "from shelf import Basket\n\nempty = Basket()\nprint(empty.total(7))\n"),
        ],
    ),
    case(
        METHOD,
        "rust",
        &[
            (
                "src/basket.rs",
                "pub struct Basket;\n\nimpl Basket {\n    pub fn «total→gross»(&self) -> u32 {\n        1\n    }\n}\n",
            ),
            (
                "src/invoice.rs",
                "use crate::basket::Basket;\n\npub fn show(basket: &Basket, order: &Order) -> u32 {\n    let made = Basket::new();\n    basket.‹total→gross›() + made.‹total→gross›() + order.total() + Basket::‹total→gross›(&made)\n}\n",
            ),
        ],
    ),
    case(
        METHOD,
        "typescript",
        &[
            ("basket.ts", "export class Basket {\n  «total→gross»(): number {\n    return 1;\n  }\n}\n"),
            (
                "invoice.ts",
                "import { Basket } from \"./basket\";\n\nconst made = new Basket();\n\nexport function show(basket: Basket, other: Order): number {\n  return basket.‹total→gross›() + made.‹total→gross›() + other.total();\n}\n",
            ),
        ],
    ),
    case(
        METHOD,
        "go",
        &[
            (
                "shop/basket.go",
                "package shop\n\ntype Basket struct{}\n\nfunc (b *Basket) «Total→Gross»() int {\n\treturn 1\n}\n",
            ),
            (
                "shop/invoice.go",
                "package shop\n\nfunc show(basket *Basket, order *Order) int {\n\treturn basket.‹Total→Gross›() + order.Total()\n}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"example.com/shop\"\n\nfunc show(basket *shop.Basket) int {\n\treturn basket.‹Total→Gross›()\n}\n",
            ),
        ],
    ),
    case(
        METHOD,
        "java",
        &[
            (
                "shop/Basket.java",
                "package shop;\n\npublic class Basket {\n    public int «total→gross»() {\n        return 1;\n    }\n}\n",
            ),
            (
                "Main.java",
                "import shop.Basket;\n\nclass Main {\n    int show(Basket basket, Order order) {\n        return basket.‹total→gross›() + order.total();\n    }\n}\n",
            ),
        ],
    ),
    case(
        METHOD,
        "cpp",
        &[
            ("basket.h", "class Basket {\n public:\n  int «total→gross»() { return 1; }\n};\n"),
            (
                "main.cpp",
                "#include \"basket.h\"\n\nint show(Basket& basket, Basket* other, Order& order) {\n  return basket.‹total→gross›() + other->‹total→gross›() + order.total();\n}\n",
            ),
        ],
    ),
];

/// A file in the editor's state.
struct File {
    uri: String,
    text: String,
    version: i32,
}

/// The text with the old or the new side of each mark, and the first step with its offset in the text before.
fn read(marked: &str, is_new: bool) -> (String, Option<(usize, String, String)>) {
    let (mut text, mut step, mut rest) = (String::new(), None, marked);
    while let Some(at) = rest.find(['«', '‹']) {
        let is_step = rest[at..].starts_with('«');
        let (open, close) = if is_step { ("«", "»") } else { ("‹", "›") };
        text += &rest[..at];
        let (inside, after) = rest[at + open.len()..].split_once(close).unwrap();
        let (old, new) = inside.split_once('→').unwrap();
        if is_step {
            step = Some((text.len(), old.to_owned(), new.to_owned()));
        }
        text += if is_new { new } else { old };
        rest = after;
    }
    (text + rest, step)
}

fn position(text: &str, byte: usize) -> [u32; 2] {
    let before = &text[..byte];
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    [before.matches('\n').count() as u32, column as u32]
}

fn byte(text: &str, at: &Value) -> usize {
    let line = usize::try_from(at["line"].as_u64().unwrap()).unwrap();
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    start + usize::try_from(at["character"].as_u64().unwrap()).unwrap()
}

fn splice(editor: &mut Editor, file: &mut File, start: usize, end: usize, new: &str) {
    let ([line, column], [end_line, end_column]) = (position(&file.text, start), position(&file.text, end));
    file.version += 1;
    editor.change(&file.uri, file.version, [line, column, end_line, end_column], new);
    file.text.replace_range(start..end, new);
}

/// The files after all edits that follow were accepted, in every file that they lead to.
async fn play(case: &Case) -> Vec<String> {
    let mut editor = Editor::with(Setup { simulator: None, ..Setup::default() }).await;
    let mut files = Vec::new();
    let mut here = 0;
    let mut step = None;
    for (number, (path, marked)) in case.files.iter().enumerate() {
        let (text, its_step) = read(marked, false);
        let uri = format!("file:///no-such-folder/{path}");
        editor.open_only(&uri, case.language, &text);
        files.push(File { uri, text, version: 1 });
        if its_step.is_some() {
            (here, step) = (number, its_step);
        }
    }
    let (mut at, old, new) = step.unwrap();
    let mut end = at + old.len();
    for key in new.chars() {
        splice(&mut editor, &mut files[here], at, end, &key.to_string());
        at += key.len_utf8();
        end = at;
    }
    for _ in 0..20 {
        let [line, character] = position(&files[here].text, at);
        let params = json!({
            "textDocument": { "uri": files[here].uri },
            "position": { "line": line, "character": character },
            "context": { "triggerKind": 1 },
        });
        let edits = editor.driver.request("tandem/nextEdit", params).await.unwrap()["edits"].clone();
        let Some(edit) = edits.get(0) else { break };
        here = files.iter().position(|file| file.uri == edit["textDocument"]["uri"]).unwrap();
        let file = &mut files[here];
        let (start, end) =
            (byte(&file.text, &edit["range"]["start"]), byte(&file.text, &edit["range"]["end"]));
        let text = edit["text"].as_str().unwrap();
        splice(&mut editor, file, start, end, text);
        at = start + text.len();
        editor.driver.request("workspace/executeCommand", edit["command"].clone()).await.unwrap();
    }
    editor.finish().await;
    files.into_iter().map(|file| file.text).collect()
}

#[tokio::test]
async fn imported_names_are_followed_in_every_file_and_nothing_else_is() {
    let mut report = String::new();
    for case in CASES {
        let got = play(case).await;
        for ((path, marked), got) in case.files.iter().zip(&got) {
            let (expected, _) = read(marked, true);
            if *got != expected {
                report += &format!("--- {}, {}: {path}\n{got}", case.kind, case.language);
            }
        }
    }
    assert_eq!(report, "");
}
