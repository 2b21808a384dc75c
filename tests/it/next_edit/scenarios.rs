//! Scenarios: the user's edits, the model's reply, and the permitted suggestions.
//!
//! A suggestion that should not be shown costs as much as a missing one, so both are counted.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tandem::assist::{Assist, Models, NextEditParams};
use tandem::config::{Eagerness, Privacy, Scoped, Settings};
use tandem::document::position::{Encoding, position_at};
use tandem::document::{Change, DocumentId};
use tandem::edit::{Edit, apply};
use tandem::session::Session;
use tandem::snapshot::{Diagnostic, Severity};

use crate::support::answering::Answering;
use crate::support::answering::Reply::{self, *};

type Pairs = &'static [(&'static str, &'static str)];

struct Scenario {
    name: &'static str,
    language: &'static str,
    text: &'static str,
    /// The user's replacements, in order.
    done: Pairs,
    /// A diagnostic of another server: the marked text, and the message.
    problem: Option<(&'static str, &'static str)>,
    /// The model's reply; `None` if no model is configured.
    reply: Option<Reply>,
    /// The replacements that all suggestions make; empty if none may be shown.
    shown: Pairs,
}

/// A scenario in which the model is asked.
const fn asked(
    name: &'static str,
    language: &'static str,
    text: &'static str,
    done: Pairs,
    reply: Reply,
    shown: Pairs,
) -> Scenario {
    Scenario { name, language, text, done, problem: None, reply: Some(reply), shown }
}

/// A scenario without a model.
const fn alone(
    name: &'static str,
    language: &'static str,
    text: &'static str,
    done: Pairs,
    shown: Pairs,
) -> Scenario {
    Scenario { name, language, text, done, problem: None, reply: None, shown }
}

const AREA: &str = "fn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n\nfn main() {\n    let a = area(2, 3);\n    println!(\"{a}\");\n}\n";
const KIND: &str = "enum Kind {\n    Red,\n    Blue,\n}\n\nfn name(kind: Kind) -> &'static str {\n    match kind {\n        Kind::Red => \"red\",\n        Kind::Blue => \"blue\",\n    }\n}\n";
const POINT: &str = "struct Point {\n    x: i32,\n    y: i32,\n}\n\nfn origin() -> Point {\n    Point { x: 0, y: 0 }\n}\n\nfn shift(p: Point) -> Point {\n    Point { x: p.x + 1, y: p.y }\n}\n";
const LOAD_PY: &str = "import json\n\ndef load(path):\n    with open(path) as file:\n        return json.load(file)\n\ndef main():\n    config = load(\"a.json\")\n    print(config)\n";
const FETCH_TS: &str = "export function load(id: string): User {\n  const user = find(id);\n  return user;\n}\n\nfunction show(id: string) {\n  const user = load(id);\n  print(user.name);\n}\n";
const GO: &str = "package a\n\nfunc find(id string) *User {\n\treturn users[id]\n}\n\nfunc show(id string) {\n\tuser := find(id)\n\tprint(user.Name)\n}\n";
const JAVA: &str = "class Cart {\n    private int total;\n\n    Cart(int total) {\n        this.total = total;\n    }\n\n    int total() {\n        return total;\n    }\n}\n";

const SCENARIOS: &[Scenario] = &[
    // Renames.
    alone(
        "rename a parameter",
        "rust",
        AREA,
        &[("width: u32", "breadth: u32")],
        &[("    width *", "    breadth *")],
    ),
    alone("rename a function", "rust", AREA, &[("fn area", "fn surface")], &[("area(2", "surface(2")]),
    alone(
        "rename a Python function",
        "python",
        LOAD_PY,
        &[("def load", "def read")],
        &[("= load(\"", "= read(\"")],
    ),
    alone(
        "rename a TypeScript variable",
        "typescript",
        FETCH_TS,
        &[("const user = find", "const found = find")],
        &[("return user", "return found")],
    ),
    alone(
        "rename a Go parameter",
        "go",
        GO,
        &[("find(id string)", "find(key string)")],
        &[("users[id]", "users[key]")],
    ),
    alone(
        "rename a type",
        "rust",
        POINT,
        &[("struct Point", "struct Dot")],
        &[
            ("origin() -> Point", "origin() -> Dot"),
            ("    Point { x: 0", "    Dot { x: 0"),
            ("shift(p: Point) -> Point", "shift(p: Dot) -> Dot"),
            ("    Point { x: p", "    Dot { x: p"),
        ],
    ),
    alone(
        "rename with a pause in the word",
        "rust",
        AREA,
        &[("width: u32", "bre: u32"), ("bre: u32", "breadth: u32")],
        &[("    width *", "    breadth *")],
    ),
    asked(
        "rename a field, of this object first",
        "java",
        JAVA,
        &[("private int total", "private int sum")],
        Blocks(&[("return total", "return sum")]),
        &[("this.total", "this.sum"), ("return total", "return sum")],
    ),
    // Repetitions.
    alone(
        "an argument for every call",
        "rust",
        "fn f() {\n    draw(a);\n    draw(b);\n    draw(c);\n    draw(d);\n}\n",
        &[("draw(a)", "draw(a, 1)"), ("draw(b)", "draw(b, 1)"), ("draw(c)", "draw(c, 1)")],
        &[("draw(d)", "draw(d, 1)")],
    ),
    alone(
        "await every call",
        "javascript",
        "async function f() {\n  a = load(1);\n  b = load(2);\n  c = load(3);\n  d = load(4);\n}\n",
        &[
            ("= load(1)", "= await load(1)"),
            ("= load(2)", "= await load(2)"),
            ("= load(3)", "= await load(3)"),
        ],
        &[("= load(4)", "= await load(4)")],
    ),
    alone(
        "a wider type",
        "go",
        "package a\n\ntype T struct {\n\tA int32\n\tB int32\n\tC int32\n\tD int32\n}\n",
        &[("A int32", "A int64"), ("B int32", "B int64"), ("C int32", "C int64")],
        &[("D int32", "D int64")],
    ),
    alone(
        "a question mark for every unwrap",
        "rust",
        "fn f() -> R {\n    a().unwrap();\n    b().unwrap();\n    c().unwrap();\n    Ok(())\n}\n",
        &[("a().unwrap()", "a()?"), ("b().unwrap()", "b()?")],
        &[("c().unwrap()", "c()?")],
    ),
    // Signatures, types, fields, arms, async: changes that require a model.
    asked(
        "a new parameter",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, scale: u32)")],
        Blocks(&[("width * height", "width * height * scale"), ("area(2, 3)", "area(2, 3, 1)")]),
        &[("width * height", "width * height * scale"), ("area(2, 3)", "area(2, 3, 1)")],
    ),
    asked(
        "a new parameter, chatty",
        "python",
        LOAD_PY,
        &[("def load(path)", "def load(path, mode)")],
        Chatty(&[("open(path)", "open(path, mode)")]),
        &[("open(path)", "open(path, mode)")],
    ),
    asked(
        "a parameter less",
        "rust",
        AREA,
        &[("width: u32, height: u32", "side: u32")],
        Shouting(&[("width * height", "side * side"), ("area(2, 3)", "area(2)")]),
        &[("width * height", "side * side"), ("area(2, 3)", "area(2)")],
    ),
    asked(
        "a new return type",
        "rust",
        AREA,
        &[("-> u32", "-> u64")],
        Blocks(&[("width * height", "u64::from(width) * u64::from(height)")]),
        &[("width * height", "u64::from(width) * u64::from(height)")],
    ),
    asked(
        "a return type that may fail",
        "typescript",
        FETCH_TS,
        &[("): User", "): User | null")],
        Blocks(&[("print(user.name)", "print(user?.name)")]),
        &[("print(user.name)", "print(user?.name)")],
    ),
    asked(
        "a new field",
        "rust",
        POINT,
        &[("    y: i32,\n", "    y: i32,\n    z: i32,\n")],
        Blocks(&[("y: 0 }", "y: 0, z: 0 }"), ("y: p.y }", "y: p.y, z: p.z }")]),
        &[("y: 0 }", "y: 0, z: 0 }"), ("y: p.y }", "y: p.y, z: p.z }")],
    ),
    asked(
        "a new field, as a patch",
        "rust",
        POINT,
        &[("    y: i32,\n", "    y: i32,\n    z: i32,\n")],
        Patch(&[("    Point { x: 0, y: 0 }", "    Point { x: 0, y: 0, z: 0 }")]),
        &[("y: 0 }", "y: 0, z: 0 }")],
    ),
    asked(
        "a new variant",
        "rust",
        KIND,
        &[("    Blue,\n", "    Blue,\n    Green,\n")],
        Blocks(&[(
            "        Kind::Blue => \"blue\",\n",
            "        Kind::Blue => \"blue\",\n        Kind::Green => \"green\",\n",
        )]),
        &[("=> \"blue\",\n", "=> \"blue\",\n        Kind::Green => \"green\",\n")],
    ),
    asked(
        "a new variant, as search and replace",
        "rust",
        KIND,
        &[("    Blue,\n", "    Blue,\n    Green,\n")],
        Search(&[(
            "        Kind::Blue => \"blue\",",
            "        Kind::Blue => \"blue\",\n        Kind::Green => \"green\",",
        )]),
        &[("=> \"blue\",\n", "=> \"blue\",\n        Kind::Green => \"green\",\n")],
    ),
    asked(
        "sync to async",
        "typescript",
        FETCH_TS,
        &[(
            "export function load(id: string): User {",
            "export async function load(id: string): Promise<User> {",
        )],
        Blocks(&[(
            "function show(id: string) {\n  const user = load(id)",
            "async function show(id: string) {\n  const user = await load(id)",
        )]),
        &[("function show", "async function show"), ("= load(id)", "= await load(id)")],
    ),
    asked(
        "async in Python",
        "python",
        LOAD_PY,
        &[("def load(path)", "async def load(path)")],
        Blocks(&[("def main():\n    config = load", "async def main():\n    config = await load")]),
        &[("def main", "async def main"), ("= load(\"", "= await load(\"")],
    ),
    asked(
        "an error is returned now",
        "go",
        GO,
        &[("*User {", "(*User, error) {")],
        Blocks(&[("return users[id]", "return users[id], nil"), ("user := find(id)", "user, _ := find(id)")]),
        &[("return users[id]", "return users[id], nil"), ("user := find(id)", "user, _ := find(id)")],
    ),
    Scenario {
        name: "what a problem needs",
        language: "rust",
        text: AREA,
        done: &[("let a = area", "let b = area")],
        problem: Some(("{a}", "cannot find value `a` in this scope")),
        reply: Some(Blocks(&[("{a}", "{b}")])),
        shown: &[("{a}", "{b}")],
    },
    Scenario {
        name: "an import that a problem needs",
        language: "python",
        text: LOAD_PY,
        done: &[("print(config)", "sys.stdout.write(config)")],
        problem: Some(("sys", "\"sys\" is not defined")),
        reply: Some(Blocks(&[("import json\n", "import json\nimport sys\n")])),
        shown: &[("import json\n", "import json\nimport sys\n")],
    },
    asked(
        "a getter for a new field",
        "java",
        JAVA,
        &[("private int total;\n", "private int total;\n    private int count;\n")],
        Blocks(&[(
            "    int total() {\n        return total;\n    }\n",
            "    int total() {\n        return total;\n    }\n\n    int count() {\n        return count;\n    }\n",
        )]),
        &[(
            "        return total;\n    }\n",
            "        return total;\n    }\n\n    int count() {\n        return count;\n    }\n",
        )],
    ),
    asked(
        "an argument in a second call, by the model",
        "python",
        "def f(a, b):\n    return a + b\n\nx = f(1)\ny = f(2)\n",
        &[("f(1)", "f(1, 0)")],
        Blocks(&[("f(2)", "f(2, 0)")]),
        &[("f(2)", "f(2, 0)")],
    ),
    // Nothing may be shown.
    asked("nothing follows", "rust", AREA, &[("(2, 3)", "(2, 4)")], NoEdits, &[]),
    alone("a value was changed", "rust", AREA, &[("(2, 3)", "(2, 4)")], &[]),
    alone(
        "a word in a comment",
        "python",
        "# the first of them\nfirst = 1\nprint(first)\n",
        &[("# the first", "# the last")],
        &[],
    ),
    alone("taken back", "rust", AREA, &[("width: u32", "breadth: u32"), ("breadth: u32", "width: u32")], &[]),
    asked(
        "taken back, and the model goes on",
        "rust",
        AREA,
        &[("-> u32", "-> u64"), ("-> u64", "-> u32")],
        Blocks(&[("width * height", "u64::from(width) * u64::from(height)")]),
        &[],
    ),
    alone("blanks are taken away", "rust", AREA, &[("    width * height", "    width*height")], &[]),
    alone(
        "blanks are taken away twice",
        "go",
        "package a\n\nfunc f() {\n\tx = a + b\n\ty = c + d\n\tz = e + g\n}\n",
        &[("a + b", "a+b"), ("c + d", "c+d")],
        &[],
    ),
    alone(
        "a local that is shadowed",
        "rust",
        "fn f() {\n    let size = 1;\n    for i in 0..size {\n        let size = i;\n        g(size);\n    }\n    g(size);\n}\n",
        &[("let size = 1", "let count = 1")],
        &[("0..size", "0..count"), ("    }\n    g(size)", "    }\n    g(count)")],
    ),
    alone(
        "a shadowing parameter",
        "typescript",
        "const user = find();\nlist.map((user) => user.name);\nprint(user);\n",
        &[("const user", "const owner")],
        &[("print(user)", "print(owner)")],
    ),
    alone("a word in a string", "python", LOAD_PY, &[("\"a.json\"", "\"config.json\"")], &[]),
    alone(
        "the same word in two strings",
        "python",
        "a = \"red apple\"\nb = \"red pear\"\nred = \"red\"\n",
        &[("red apple", "green apple")],
        &[],
    ),
    alone(
        "typing a comment",
        "rust",
        AREA,
        &[
            ("    width *", "    // The width times\n    width *"),
            ("The width times", "The width times the height"),
        ],
        &[],
    ),
    alone(
        "a method that other types may have",
        "rust",
        "impl List {\n    fn len(&self) -> usize {\n        self.0\n    }\n}\n\nfn f(s: &str) -> usize {\n    s.len()\n}\n",
        &[("fn len", "fn size")],
        &[],
    ),
    alone(
        "a name's first letters",
        "python",
        "def load(path):\n    return path\n\nload_all = 1\nprint(load_all)\n",
        &[("load_all = 1", "load_any = 1"), ("def load", "def read")],
        &[],
    ),
    asked(
        "a comment of the model's own",
        "rust",
        AREA,
        &[("(2, 3)", "(2, 4)")],
        Blocks(&[("    println!", "    // Print the area.\n    println!")]),
        &[],
    ),
    asked(
        "something else, far away",
        "rust",
        "fn f() {\n    g(1);\n}\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nfn other() {\n    h(5);\n}\n",
        &[("g(1)", "g(2)")],
        Blocks(&[("h(5)", "h(6)")]),
        &[],
    ),
    asked(
        "what was accepted is made better",
        "rust",
        AREA,
        &[("    width * height", "    let area = width * height;\n    area")],
        Blocks(&[("    let area = width * height;\n    area", "    width * height")]),
        &[],
    ),
    alone(
        "pub for two fields",
        "rust",
        "struct A {\n    a: u8,\n    b: u8,\n    c: u8,\n}\n",
        &[("    a: u8", "    pub a: u8"), ("    b: u8", "    pub b: u8")],
        &[],
    ),
    alone(
        "a wider type for two fields",
        "go",
        "package a\n\ntype T struct {\n\tA int32\n\tB int32\n\tC int32\n}\n",
        &[("A int32", "A int64"), ("B int32", "B int64")],
        &[],
    ),
    alone("another variable is used", "rust", AREA, &[("    width * height", "    height * height")], &[]),
    alone("the new name is taken", "rust", AREA, &[("width: u32", "height: u32")], &[]),
    asked("talk", "rust", AREA, &[("(2, 3)", "(2, 4)")], Words("The code looks good to me."), &[]),
    asked("silence", "rust", AREA, &[("(2, 3)", "(2, 4)")], Words(""), &[]),
    asked("a reversal", "rust", AREA, &[("-> u32", "-> u64")], Blocks(&[("-> u64", "-> u32")]), &[]),
    asked(
        "a reversal with something more",
        "rust",
        AREA,
        &[("-> u32", "-> u64")],
        Blocks(&[("-> u64 {\n    width * height", "-> u32 {\n    width * height * 1")]),
        &[],
    ),
    asked(
        "a reversal of the step before",
        "rust",
        AREA,
        &[("-> u32", "-> u64"), ("(2, 3)", "(2, 4)")],
        Blocks(&[("-> u64", "-> u32")]),
        &[],
    ),
    asked(
        "a deleted line comes back",
        "rust",
        AREA,
        &[("    println!(\"{a}\");\n", "")],
        Blocks(&[("    let a = area(2, 3);\n", "    let a = area(2, 3);\n    println!(\"{a}\");\n")]),
        &[],
    ),
    asked(
        "imports only",
        "python",
        LOAD_PY,
        &[("\"a.json\"", "\"b.json\"")],
        Blocks(&[("import json\n", "import json\nimport os\n")]),
        &[],
    ),
    asked(
        "an import is sorted away",
        "rust",
        "use a::B;\nuse a::C;\n\nfn f() {\n    g(1);\n}\n",
        &[("g(1)", "g(2)")],
        Blocks(&[("use a::B;\nuse a::C;\n", "use a::{B, C};\n")]),
        &[],
    ),
    asked(
        "blanks only",
        "rust",
        AREA,
        &[("(2, 3)", "(2, 4)")],
        Blocks(&[("    width * height", "    width  *  height")]),
        &[],
    ),
    asked(
        "a comment is polished",
        "rust",
        "fn f() {\n    // Does a thing\n    g(1);\n}\n",
        &[("g(1)", "g(2)")],
        Blocks(&[("// Does a thing", "// Does a thing.")]),
        &[],
    ),
    asked(
        "a made-up tag",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, s: u32)")],
        MadeUpTag(&[("area(2, 3)", "area(2, 3, 1)")]),
        &[],
    ),
    asked(
        "tags the wrong way around",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, s: u32)")],
        Reversed(&[("area(2, 3)", "area(2, 3, 1)")]),
        &[],
    ),
    asked(
        "an answer that breaks off",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, s: u32)")],
        Cut(&[("area(2, 3)", "area(2, 3, 1)")]),
        &[],
    ),
    asked(
        "a place that is not there",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, s: u32)")],
        Search(&[("    let b = area(5, 6);", "    let b = area(5, 6, 1);")]),
        &[],
    ),
    asked(
        "code that does not parse",
        "rust",
        AREA,
        &[("height: u32)", "height: u32, s: u32)")],
        Blocks(&[("area(2, 3)", "area(2, 3, (1)")]),
        &[],
    ),
    asked(
        "code that is left out",
        "rust",
        KIND,
        &[("    Blue,\n", "    Blue,\n    Green,\n")],
        Blocks(&[("        Kind::Red => \"red\",\n", "        // ... existing code ...\n")]),
        &[],
    ),
    asked(
        "a doubled line",
        "rust",
        KIND,
        &[("    Blue,\n", "    Blue,\n    Green,\n")],
        Blocks(&[(
            "        Kind::Red => \"red\",\n",
            "        Kind::Red => \"red\",\n        Kind::Red => \"red\",\n",
        )]),
        &[],
    ),
    asked(
        "a key",
        "python",
        LOAD_PY,
        &[("\"a.json\"", "\"b.json\"")],
        Blocks(&[("    print(config)", "    print(config, \"sk-proj-Zk3vR8nQ1xT6yW2uP9sD4fG7hJ0kL5aB\")")]),
        &[],
    ),
    asked(
        "the whole block as it is",
        "rust",
        AREA,
        &[("(2, 3)", "(2, 4)")],
        Words("```rust\nfn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n```"),
        &[],
    ),
];

/// The text after all suggestions for a scenario were applied; `None` if there is none.
async fn play(scenario: &Scenario) -> (String, Option<String>, String) {
    let id = DocumentId::new("file:///no-such-folder/src/a");
    let settings = Arc::new(Settings::default());
    let mut session = Session::new(Encoding::Utf8, Vec::new(), Scoped::from(settings));
    session.open(id.clone(), scenario.language, 0, scenario.text, "src/a");
    let mut text = scenario.text.to_owned();
    let mut now = Instant::now();
    let mut cursor = 0;
    for (version, (old, new)) in (1..).zip(scenario.done) {
        let start = text.find(old).unwrap_or_else(|| panic!("{}: no {old:?}", scenario.name));
        let document = Arc::clone(session.tracked(&id).unwrap().document());
        let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
        let change =
            Change { range: Some(position(start)..position(start + old.len())), text: (*new).to_owned() };
        now += Duration::from_secs(3);
        session.change(&id, Some(version), &[change], now);
        text.replace_range(start..start + old.len(), new);
        cursor = start + new.len();
    }
    if let Some((marked, words)) = scenario.problem {
        let at = text.find(marked).unwrap();
        let found = vec![Diagnostic::new(at..at + marked.len(), Severity::Error, words)];
        session.tracked_mut(&id).unwrap().set_diagnostics(found);
    }
    // An automatic request returns no edit after an undo.
    if session.ends_in_undo(&id) {
        return (text, None, "after-undo".to_owned());
    }
    let params = NextEditParams {
        snapshot: session.snapshot(&id).unwrap(),
        cursor,
        recent_edits: session.recent_edits(&id),
        withheld: Vec::new(),
        diagnostics: session.tracked(&id).unwrap().diagnostics_near(cursor),
        eagerness: Eagerness::Medium,
        is_invoked: false,
        other_files: Vec::new(),
        unopened: None,
    };
    let fast = scenario.reply.map(|reply| Arc::new(Answering(reply)) as _);
    let mut edits: Vec<Edit> = Vec::new();
    let outcome = Assist::new(Models { fast, deep: None }, &Privacy::default())
        .next_edit(Arc::new(params), |hunks| {
            edits.extend(hunks.into_iter().map(|hunk| hunk.edit));
            true
        })
        .await;
    let why = match outcome {
        Ok((origin, _)) => origin.gear.to_string(),
        Err(reason) => reason.code().to_owned(),
    };
    edits.sort_by_key(|edit| edit.span.start);
    let shown = (!edits.is_empty()).then(|| apply(&text, &edits));
    (text, shown, why)
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are printed on request, or kept in the target's folder")]
async fn right_ones_are_shown_and_nothing_else() {
    let (mut wanted, mut shown, mut quiet, mut silent, mut report) = (0, 0, 0, 0, String::new());
    for scenario in SCENARIOS {
        let (mut expected, got, why) = play(scenario).await;
        for (old, new) in scenario.shown {
            let at = expected.rfind(old).unwrap_or_else(|| panic!("{}: no {old:?}", scenario.name));
            expected.replace_range(at..at + old.len(), new);
        }
        let right = if scenario.shown.is_empty() {
            quiet += 1;
            silent += usize::from(got.is_none());
            got.is_none()
        } else {
            wanted += 1;
            shown += usize::from(got.as_ref() == Some(&expected));
            got.as_ref() == Some(&expected)
        };
        let mark = if right { "ok " } else { "BAD" };
        report += &format!("{mark} {:44} {why}\n", scenario.name);
        if !right {
            report += &format!("{}\n", got.unwrap_or_else(|| "nothing\n".to_owned()));
        }
    }
    let all = wanted + quiet;
    report += &format!(
        "next edits: {all} scenarios, score {:.2}, shown {shown} of {wanted} ({:.2}), quiet {silent} of {quiet} ({:.2})\n",
        (shown + silent) as f64 / all as f64,
        shown as f64 / wanted as f64,
        silent as f64 / quiet as f64,
    );
    println!("{report}");
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("next-edits.txt"), &report).unwrap();
    assert!(all >= 60 && quiet * 3 >= all, "the table has lost its measure");
    assert_eq!((shown, silent), (wanted, quiet), "{report}");
}
