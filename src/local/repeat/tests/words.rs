//! Tests on words changed within lines.

use super::*;

/// The uses of a renamed name are offered for what they refer to; the same word elsewhere may be another name.
#[test]
fn accepted_uses_of_a_renamed_name_are_no_pattern() {
    let text = "fn f() {\n    a()?;\n    b(1)?;\n    c().unwrap();\n}\n";
    let step = |line: &'static str, old: &'static str, is_of_definition| EditStep {
        is_of_definition,
        ..step_in(text, old, line, text.find(line).unwrap())
    };
    let document = Document::new(DocumentId::new("untitled:a"), "rust", 0, text);
    let offered = |is_of_definition| {
        let first = step("    a()?;\n", "    a().unwrap();\n", is_of_definition);
        let steps = [first, step("    b(1)?;\n", "    b(1).unwrap();\n", is_of_definition)];
        !repeat(&document, &steps, text.len()).edits.is_empty()
    };
    assert!(offered(false));
    assert!(!offered(true));
}

#[test]
fn an_argument_for_every_call() {
    check(
        "rust",
        "fn f() {\n    draw(a«|, true»);\n    draw(g(b, c)«|, true»);\n    draw(h«|, true»);\n    draw(\"x, y\");\n    draw(e, false);\n    redraw(a);\n    // draw(x)\n}\n",
        Some(
            "fn f() {\n    draw(a, true);\n    draw(g(b, c), true);\n    draw(h, true);\n    draw(\"x, y\", true);\n    draw(e, false);\n    redraw(a);\n    // draw(x)\n}\n",
        ),
    );
    check(
        "python",
        "draw(«|ctx, »a)\ndraw(«|ctx, »b)\ndraw(«|ctx, »c)\ndraw(d)\n",
        Some("draw(ctx, a)\ndraw(ctx, b)\ndraw(ctx, c)\ndraw(ctx, d)\n"),
    );
    check(
        "go",
        "package a\n\nfunc f() {\n\tg(«|ctx»)\n\tg(«|ctx»)\n\tg(«|ctx»)\n\tg()\n}\n",
        Some("package a\n\nfunc f() {\n\tg(ctx)\n\tg(ctx)\n\tg(ctx)\n\tg(ctx)\n}\n"),
    );
    check("rust", "fn f() {\n    draw(a«|, true»);\n    draw(b«|, false»);\n    draw(c);\n}\n", None);
    // Two calls are weak evidence for a third.
    check("rust", "fn f() {\n    draw(a«|, true»);\n    draw(b«|, true»);\n    draw(c);\n}\n", None);
    // The place above may have been skipped, the one between was.
    check(
        "python",
        "draw(a)\ndraw(«|ctx, »b)\ndraw(«|ctx, »c)\ndraw(«|ctx, »d)\ndraw(e)\n",
        Some("draw(a)\ndraw(ctx, b)\ndraw(ctx, c)\ndraw(ctx, d)\ndraw(ctx, e)\n"),
    );
    check("python", "draw(«|ctx, »b)\ndraw(a)\ndraw(«|ctx, »c)\ndraw(«|ctx, »d)\ndraw(e)\n", None);
}

#[test]
fn the_same_words_elsewhere() {
    check(
        "rust",
        "fn f() {\n    a()«.unwrap()|?»;\n    b(1)«.unwrap()|?»;\n    c().unwrap();\n    d.unwrap_or(1);\n}\n",
        Some("fn f() {\n    a()?;\n    b(1)?;\n    c()?;\n    d.unwrap_or(1);\n}\n"),
    );
    check(
        "typescript",
        "const a: «number|bigint» = f();\nconst b: «number|bigint» = f();\nconst c: «number|bigint» = f();\nconst d: number = f();\nconst number = 1;\n",
        Some(
            "const a: bigint = f();\nconst b: bigint = f();\nconst c: bigint = f();\nconst d: bigint = f();\nconst number = 1;\n",
        ),
    );
    // Two places with another type are weak evidence for the third.
    check(
        "typescript",
        "const a: «number|bigint» = f();\nconst b: «number|bigint» = f();\nconst c: number = f();\n",
        None,
    );
    check(
        "javascript",
        "x = «|await »load(1);\ny = «|await »load(2);\nw = «|await »load(4);\nz = load(3);\n",
        Some("x = await load(1);\ny = await load(2);\nw = await load(4);\nz = await load(3);\n"),
    );
    check("rust", "const A: u8 = «1|2»;\nconst B: u8 = «1|2»;\nconst C: u8 = 1;\n", None);
    // The new words begin a line, so nothing before them distinguishes places that already have them.
    check(
        "javascript",
        "async function f() {\n  «|await »load(db);\n  «|await »load(id);\n  «|await »load(key);\n  load(user);\n  if (x) load(y);\n}\n",
        Some(
            "async function f() {\n  await load(db);\n  await load(id);\n  await load(key);\n  await load(user);\n  if (x) load(y);\n}\n",
        ),
    );
    check(
        "go",
        "package a\n\ntype T struct {\n\tA map[string]«|[]»string\n\tB map[string]«|[]»string\n\tC map[string]«|[]»string\n\tD map[string][]string\n\tE map[string]string\n\tF string\n}\n",
        Some(
            "package a\n\ntype T struct {\n\tA map[string][]string\n\tB map[string][]string\n\tC map[string][]string\n\tD map[string][]string\n\tE map[string][]string\n\tF string\n}\n",
        ),
    );
    check("rust", "fn f() {\n    a(«x|y»);\n    b(«x|z»);\n    c(x);\n}\n", None);
}

#[test]
fn words_are_replaced_beside_what_was_beside_them() {
    check(
        "yaml",
        "- uses: x/checkout@«main|next»\n- uses: x/checkout@«main|next»\n- uses: x/checkout@«main|next»\n- name: z\n  uses: x/checkout@main\n- uses: y/cache@main\n",
        Some(
            "- uses: x/checkout@next\n- uses: x/checkout@next\n- uses: x/checkout@next\n- name: z\n  uses: x/checkout@next\n- uses: y/cache@main\n",
        ),
    );
}

#[test]
fn a_few_words_are_replaced_in_places_like_those_before() {
    // Two places are weak evidence for a short word.
    let notes = |first: &str, last: &str| {
        let note = |number: u32, word: &str| format!("# the {word} one, {number}\n");
        [note(1, "«old|fresh»"), note(2, "«old|fresh»"), note(3, first), note(4, last)].concat()
    };
    check("python", &notes("good", "old"), None);
    let done = notes("fresh", "fresh").replace("«old|fresh»", "fresh");
    check("python", &notes("«old|fresh»", "old"), Some(&done));
    // Other characters are beside the last one.
    check(
        "go",
        "package a\n\nfunc f() {\n\ta(«x.Old|x.New»)\n\ta(«x.Old|x.New»)\n\ta(«x.Old|x.New»)\n\ta(x.Old)\n\tb := x.Old\n}\n",
        Some("package a\n\nfunc f() {\n\ta(x.New)\n\ta(x.New)\n\ta(x.New)\n\ta(x.New)\n\tb := x.Old\n}\n"),
    );
    // The lines changed in other ways as well.
    check(
        "python",
        "«a(first_thing, 1)|b(second_thing, 2)»\n«c(first_thing, 3)|d(second_thing, 4)»\ne(first_thing, 5)\n",
        None,
    );
}

#[test]
fn words_are_replaced_in_the_same_kind_of_code() {
    check(
        "python",
        "class A:\n    def f(self, a: int = 1, b: int = 2, c: int = 3):\n        self.a«: int|» = a\n        self.b«: int|» = b\n        self.c: int = c\n",
        Some(
            "class A:\n    def f(self, a: int = 1, b: int = 2, c: int = 3):\n        self.a = a\n        self.b = b\n        self.c = c\n",
        ),
    );
    // Two functions do not show which others get the parameter.
    check(
        "python",
        "def a(runner«|, path»):\n    pass\n\ndef b(runner«|, path»):\n    pass\n\ndef c(runner):\n    pass\n",
        None,
    );
    // The code that makes the new thing needs the old one.
    check(
        "python",
        "def f(ty):\n    new = k(ty)\n    g(«ty|new»)\n    h(«ty|new»)\n    l(«ty|new»)\n    m(ty)\n",
        Some("def f(ty):\n    new = k(ty)\n    g(new)\n    h(new)\n    l(new)\n    m(new)\n"),
    );
}

#[test]
fn sentence_in_quotes_is_replaced_wherever_it_stands() {
    let test = "fn t() {\n    assert_eq!(f(), \"no such file\");\n    g(\"no such file here\");\n}\n";
    let tested = "fn t() {\n    assert_eq!(f(), \"no file like this\");\n    g(\"no such file here\");\n}\n";
    let source = |sentence: &str| format!("fn f() -> &str {{\n    \"no {sentence}\"\n}}\n\n");
    check("rust", &(source("«such file|file like this»") + test), Some(&(source("file like this") + tested)));
    let step = ("    \"no such file\"\n", "    \"no file like this\"\n");
    check_other("rust", &[step], test, Some(tested));
    // A word may occur anywhere, and a different sentence is meant for this place only.
    check("python", "f(\"«one|two»\")\ng(\"one\")\n", None);
    check("python", "f(\"«no such file|cannot be read»\")\ng(\"no such file\")\n", None);
    // The place above may have been skipped.
    check(
        "python",
        "f(\"no such file\")\ng(\"no «such file|file like this»\")\nh(\"no such file\")\n",
        Some("f(\"no such file\")\ng(\"no file like this\")\nh(\"no file like this\")\n"),
    );
}
