use super::*;
use crate::document::DocumentId;
use crate::edit::apply;

/// A step whose new lines stand at a byte of a text.
fn step_in<'a>(text: &'a str, old: &'a str, new: &'a str, at: usize) -> Done<'a> {
    let above = text[..at].trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
    Done { old, new, at: Some(at), above: &text[above..at], below: &text[at + new.len()..] }
}

/// Each `«old|new»` is a step that was made, in this order.
///
/// `expected` is the text that the offers lead to; nothing if there is none.
#[track_caller]
fn check(language: &str, marked: &str, expected: Option<&str>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once('«') {
        let (inner, after) = after.split_once('»').expect("a mark is closed");
        let (old, new) = inner.split_once('|').expect("old and new");
        text.push_str(before);
        places.push((text.len(), old, new));
        text.push_str(new);
        rest = after;
    }
    text.push_str(rest);
    let steps: Vec<(String, String, usize)> = places
        .iter()
        .map(|(at, old, new)| {
            let start = text[..*at].rfind('\n').map_or(0, |at| at + 1);
            let end = at + new.len();
            let end = text[end..].find('\n').map_or(text.len(), |next| end + next + 1);
            let line = text[start..end].to_owned();
            let before = [&text[start..*at], old, &text[at + new.len()..end]].concat();
            (before, line, start)
        })
        .collect();
    let done: Vec<Done<'_>> = steps.iter().map(|(old, new, at)| step_in(&text, old, new, *at)).collect();
    let cursor = places.last().map_or(0, |(at, _, new)| at + new.len());
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
    let mut edits = repeat(&document, &done, cursor).edits;
    edits.sort_by_key(|edit| edit.span.start);
    let result = (!edits.is_empty()).then(|| apply(&text, &edits));
    assert_eq!(result.as_deref(), expected);
    let Some(result) = result else { return };
    // Once all of it is taken, the same steps lead to nothing more.
    let moved = |at: usize| {
        let before = edits.iter().filter(|edit| edit.span.start < at);
        at.saturating_add_signed(before.map(Edit::growth).sum())
    };
    let old_lines: Vec<(String, String, usize)> = steps
        .into_iter()
        .map(|(old, new, at)| {
            let (start, end) = (moved(at), moved(at + new.len()));
            let inside = edits.iter().any(|edit| edit.span.start >= at && edit.span.end <= at + new.len());
            // The rest of the line changed besides.
            (old, if inside { result[start..end].to_owned() } else { new }, start)
        })
        .collect();
    let done: Vec<Done<'_>> =
        old_lines.iter().map(|(old, new, at)| step_in(&result, old, new, *at)).collect();
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &result);
    assert_eq!(repeat(&document, &done, 0).edits, [], "after {result}");
}

#[test]
fn a_renamed_parameter() {
    check(
        "rust",
        "fn area(«width|breadth»: u32) -> u32 {\n    let w = width * width;\n    println!(\"{width} {w}\");\n    w\n}\n\nfn other(width: u32) -> u32 {\n    width\n}\n",
        Some(
            "fn area(breadth: u32) -> u32 {\n    let w = breadth * breadth;\n    println!(\"{breadth} {w}\");\n    w\n}\n\nfn other(width: u32) -> u32 {\n    width\n}\n",
        ),
    );
    check(
        "python",
        "def area(«width|breadth»):\n    # the width\n    total = width * 2\n    return total + width\n",
        Some("def area(breadth):\n    # the width\n    total = breadth * 2\n    return total + breadth\n"),
    );
    check(
        "typescript",
        "function area(«width|breadth»: number) {\n  return { width, size: width * o.width };\n}\n",
        Some("function area(breadth: number) {\n  return { width: breadth, size: breadth * o.width };\n}\n"),
    );
    // The field of a shorthand was renamed, and the shorthand after it.
    check(
        "rust",
        "struct A {\n    «width|breadth»: u32,\n}\n\nfn new(width: u32) -> A {\n    A { «|breadth: »width }\n}\n\nimpl A {\n    fn f(&self) -> u32 {\n        self.width\n    }\n}\n",
        Some(
            "struct A {\n    breadth: u32,\n}\n\nfn new(width: u32) -> A {\n    A { breadth: width }\n}\n\nimpl A {\n    fn f(&self) -> u32 {\n        self.breadth\n    }\n}\n",
        ),
    );
    check(
        "go",
        "package a\n\nfunc area(«width|breadth» int) int {\n\treturn width * p.width\n}\n",
        Some("package a\n\nfunc area(breadth int) int {\n\treturn breadth * p.width\n}\n"),
    );
}

#[test]
fn a_renamed_function_or_type() {
    check(
        "rust",
        "fn «load|read_orders»() {}\n\nfn main() {\n    load();\n    self::load();\n    other::load();\n    x.load();\n}\n",
        Some(
            "fn read_orders() {}\n\nfn main() {\n    read_orders();\n    self::read_orders();\n    other::load();\n    x.load();\n}\n",
        ),
    );
    check(
        "java",
        "class A {\n    int «countOrders|orderCount»() { return 1; }\n    int twice() { return 2 * countOrders() + this.countOrders(); }\n}\n",
        Some(
            "class A {\n    int orderCount() { return 1; }\n    int twice() { return 2 * orderCount() + this.orderCount(); }\n}\n",
        ),
    );
    check(
        "rust",
        "struct «Shape|Figure» {}\n\nimpl Shape {\n    fn new() -> Shape {\n        Shape {}\n    }\n}\n",
        Some("struct Figure {}\n\nimpl Figure {\n    fn new() -> Figure {\n        Figure {}\n    }\n}\n"),
    );
}

#[test]
fn a_renamed_member() {
    check(
        "rust",
        "struct A {\n    «unit_price|price»: u32,\n}\n\nfn f(a: A, unit_price: u32) -> A {\n    g(a.unit_price, unit_price);\n    A { unit_price: 1 }\n}\n\nfn h(unit_price: u32) -> A {\n    A { unit_price }\n}\n",
        Some(
            "struct A {\n    price: u32,\n}\n\nfn f(a: A, unit_price: u32) -> A {\n    g(a.price, unit_price);\n    A { price: 1 }\n}\n\nfn h(unit_price: u32) -> A {\n    A { price: unit_price }\n}\n",
        ),
    );
    // Anybody may have a `len`.
    check(
        "rust",
        "impl A {\n    fn «len|size»(&self) -> usize {\n        self.items.len()\n    }\n    fn is_empty(&self) -> bool {\n        self.len() == 0\n    }\n}\n",
        Some(
            "impl A {\n    fn size(&self) -> usize {\n        self.items.len()\n    }\n    fn is_empty(&self) -> bool {\n        self.size() == 0\n    }\n}\n",
        ),
    );
}

#[test]
fn renames_that_are_not_certain() {
    // Another name for it exists, another thing has the name, a use was exchanged, a value was.
    check("rust", "fn f(«a|total»: u8, total: u8) -> u8 {\n    a + total\n}\n", None);
    check("rust", "fn f() {\n    let «a|b» = 1;\n    let a = 2;\n    g(a);\n}\n", None);
    check("rust", "fn f(a: u8, b: u8) -> u8 {\n    g(«a|b»);\n    h(a)\n}\n", None);
    check("rust", "fn f() {\n    let a = «1|2»;\n    let b = 1;\n}\n", None);
    check("rust", "fn f(«a|abc»: u8) {}\n", None);
    check("python", "# «first|second» of all\nfirst = 1\n", None);
    // The old name has come to mean a function.
    check(
        "go",
        "package a\n\nfunc f(v int, «min int) int { return v }|least int) int { return min(v, 1) }»\n\nfunc g() int { return min(1, 2) }\n",
        None,
    );
    // A use beside the declaration.
    check(
        "javascript",
        "const area = («width|breadth») => width * 2;\n",
        Some("const area = (breadth) => breadth * 2;\n"),
    );
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
    // Two calls say little of a third.
    check("rust", "fn f() {\n    draw(a«|, true»);\n    draw(b«|, true»);\n    draw(c);\n}\n", None);
    // The one above may have been left out, the one between was.
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
    // Two places that had another type say little of the third.
    check(
        "typescript",
        "const a: «number|bigint» = f();\nconst b: «number|bigint» = f();\nconst c: number = f();\n",
        None,
    );
    check(
        "javascript",
        "x = «|await »load(1);\ny = «|await »load(2);\nz = load(3);\n",
        Some("x = await load(1);\ny = await load(2);\nz = await load(3);\n"),
    );
    check("rust", "const A: u8 = «1|2»;\nconst B: u8 = «1|2»;\nconst C: u8 = 1;\n", None);
    // The new words begin a line, so that nothing before them tells the places that have them already.
    check(
        "javascript",
        "async function f() {\n  «|await »load(db);\n  «|await »load(id);\n  load(user);\n  if (x) load(y);\n}\n",
        Some(
            "async function f() {\n  await load(db);\n  await load(id);\n  await load(user);\n  if (x) load(y);\n}\n",
        ),
    );
    check(
        "go",
        "package a\n\ntype T struct {\n\tA map[string]«|[]»string\n\tB «|[]»string\n\tC «|[]»string\n\tD []string\n\tE string\n}\n",
        Some(
            "package a\n\ntype T struct {\n\tA map[string][]string\n\tB []string\n\tC []string\n\tD []string\n\tE []string\n}\n",
        ),
    );
    check("rust", "fn f() {\n    a(«x|y»);\n    b(«x|z»);\n    c(x);\n}\n", None);
}

#[test]
fn the_same_end_of_lines_like_these() {
    check(
        "rust",
        "struct A {\n    «|pub »a: u8,\n    «|pub »b: u16,\n    c: u8,\n    /// Words.\n    d: u8,\n    pub e: u8,\n}\n\nstruct B {\n    a: u8,\n}\n",
        Some(
            "struct A {\n    pub a: u8,\n    pub b: u16,\n    pub c: u8,\n    /// Words.\n    pub d: u8,\n    pub e: u8,\n}\n\nstruct B {\n    a: u8,\n}\n",
        ),
    );
    check("javascript", "f(1)«|;»\nf(2)«|;»\nf(3)\n\nf(4)\n", Some("f(1);\nf(2);\nf(3);\n\nf(4)\n"));
}

#[test]
fn the_same_line_with_another_number() {
    check(
        "yaml",
        "a:\n  - uses: x/checkout@«v4|v5»\nb:\n  - uses: x/checkout@v4\n  - uses: y/checkout@v4\n    uses: x/checkout@v4\n",
        Some(
            "a:\n  - uses: x/checkout@v5\nb:\n  - uses: x/checkout@v5\n  - uses: y/checkout@v4\n    uses: x/checkout@v5\n",
        ),
    );
    // A short line says too little, and words are not data.
    check("rust", "fn f() {\n    let a = «1|2»;\n    let a = 1;\n}\n", None);
    check("rust", "fn f() {\n    open(file, «fast|slow»);\n    open(file, fast);\n}\n", None);
}

#[test]
fn a_wrapper_calls_what_it_wraps() {
    check(
        "go",
        "package a\n\nfunc f() {\n\tg(«old|fresh»(1))\n\tg(«old|fresh»(2))\n\tg(old(3))\n}\n\nfunc fresh(n int) int {\n\treturn g(old(n))\n}\n",
        Some(
            "package a\n\nfunc f() {\n\tg(fresh(1))\n\tg(fresh(2))\n\tg(fresh(3))\n}\n\nfunc fresh(n int) int {\n\treturn g(old(n))\n}\n",
        ),
    );
}

#[test]
fn a_method_that_another_type_has_too() {
    check(
        "rust",
        "impl A {\n    fn «matches_into|find_matches»(&self) {}\n}\n\nimpl B {\n    fn matches_into(&self) {}\n}\n\nfn f(b: B) {\n    b.matches_into();\n}\n",
        None,
    );
}

#[test]
fn words_are_replaced_beside_what_was_beside_them() {
    check(
        "yaml",
        "- uses: x/checkout@«main|next»\n- uses: x/checkout@«main|next»\n- name: z\n  uses: x/checkout@main\n- uses: y/cache@main\n",
        Some(
            "- uses: x/checkout@next\n- uses: x/checkout@next\n- name: z\n  uses: x/checkout@next\n- uses: y/cache@main\n",
        ),
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
    // Which functions get a parameter is not known of two of them.
    check(
        "python",
        "def a(runner«|, path»):\n    pass\n\ndef b(runner«|, path»):\n    pass\n\ndef c(runner):\n    pass\n",
        None,
    );
    // What makes the new thing needs the old one.
    check(
        "python",
        "def f(ty):\n    new = k(ty)\n    g(«ty|new»)\n    h(«ty|new»)\n    m(ty)\n",
        Some("def f(ty):\n    new = k(ty)\n    g(new)\n    h(new)\n    m(new)\n"),
    );
}

/// What the steps, each the lines before and after, lead to in another file.
#[track_caller]
fn check_other(language: &str, steps: &[(&str, &str)], text: &str, expected: Option<&str>) {
    let steps: Vec<Done<'_>> =
        steps.iter().map(|(old, new)| Done { old, new, at: None, above: "", below: "" }).collect();
    let document = Document::new(DocumentId::new("untitled:b"), language, 0, text);
    let edits = repeat_elsewhere(std::iter::once(&document), &steps).map_or_else(Vec::new, |it| it.1.edits);
    let result = (!edits.is_empty()).then(|| apply(text, &edits));
    assert_eq!(result.as_deref(), expected);
}

#[test]
fn the_same_lines_in_another_file() {
    let import = [("\t\"x.org/driver/bson\"\n", "\t\"x.org/driver/v2/bson\"\n")];
    check_other(
        "go",
        &import,
        "package a\n\nimport (\n\t\"fmt\"\n\t\"x.org/driver/bson\"\n)\n\nvar s = \"x.org/driver/bson\"\n",
        Some(
            "package a\n\nimport (\n\t\"fmt\"\n\t\"x.org/driver/v2/bson\"\n)\n\nvar s = \"x.org/driver/bson\"\n",
        ),
    );
    // Several lines may come in the place of one, with the indentation of the place.
    check_other(
        "toml",
        &[(
            "a = { version = \"1.2\", default = false }\n",
            "a = { version = \"1.3\", default = false }\nb = 2\n",
        )],
        "[a]\r\n  a = { version = \"1.2\", default = false }\r\n",
        Some("[a]\r\n  a = { version = \"1.3\", default = false }\r\n  b = 2\r\n"),
    );
    let call = ("    stats.as_ref().map(|s| s.clone()),\n", "    stats.as_ref().cloned(),\n");
    let text = "fn f() {\n    g(\n        stats.as_ref().map(|s| s.clone()),\n    );\n}\n";
    check_other("rust", &[call], text, None);
    check_other(
        "rust",
        &[call, call],
        text,
        Some("fn f() {\n    g(\n        stats.as_ref().cloned(),\n    );\n}\n"),
    );
    // Lines that came keep what was there: it would be found again for ever.
    check_other("toml", &[("a = \"x 1\"\n", "a = \"x 1\"\nb = 2\n")], "a = \"x 1\"\n", None);
}

#[test]
fn lines_rewritten_in_several_places_around_what_differs() {
    check(
        "go",
        "package a\n\nfunc f(n int, b []byte) {\n\tfor i := «0; i < n; i++|range n» {\n\t}\n\tfor i := «0; i < len(b); i++|range len(b)» {\n\t}\n\tfor i := 0; i < 3; i++ {\n\t}\n\tfor i := 1; i < n; i++ {\n\t}\n}\n",
        Some(
            "package a\n\nfunc f(n int, b []byte) {\n\tfor i := range n {\n\t}\n\tfor i := range len(b) {\n\t}\n\tfor i := range 3 {\n\t}\n\tfor i := 1; i < n; i++ {\n\t}\n}\n",
        ),
    );
    // Several lines, each with the indentation of its place.
    check(
        "python",
        "def f():\n«    r = run(a)\n    check(r)\n|    check(run(a))\n»    if x:\n«        r = run(b)\n        check(r)\n|        check(run(b))\n»    r = run(c)\n    check(r)\n    r = run(d)\n",
        Some(
            "def f():\n    check(run(a))\n    if x:\n        check(run(b))\n    check(run(c))\n    r = run(d)\n",
        ),
    );
    // The third place between the two was left as it is.
    check(
        "go",
        "package a\n\nfunc f(n int) {\n\tfor i := «0; i < n; i++|range n» {\n\t}\n\tfor i := 0; i < 4; i++ {\n\t}\n\tfor i := «0; i < 3; i++|range 3» {\n\t}\n\tfor i := 0; i < 5; i++ {\n\t}\n}\n",
        None,
    );
}

#[test]
fn hash_of_a_version_is_exchanged_wherever_it_stands() {
    let old = "@b20883b0cd1f46c72ae0ba6d1090936928f9fa30 # v4.32.0";
    let new = "@89a39a4e59826350b863aa6b6252a07ad50cf83e # v4.32.4";
    check(
        "yaml",
        &format!("a:\n  - uses: x/init«{old}|{new}»\n  - uses: x/analyze{old}\n  - uses: y/other@v4\n"),
        Some(&format!("a:\n  - uses: x/init{new}\n  - uses: x/analyze{new}\n  - uses: y/other@v4\n")),
    );
    check_other(
        "yaml",
        &[(&format!("  - uses: x/init{old}\n"), &format!("  - uses: x/init{new}\n"))],
        &format!("b:\n    - uses: x/scan{old}\n"),
        Some(&format!("b:\n    - uses: x/scan{new}\n")),
    );
}

#[test]
fn words_replaced_three_times_are_replaced_in_other_files() {
    let steps = [
        ("\ta := legacy.client.pool.Get(b)\n", "\ta := fetch(b)\n"),
        ("\tc := legacy.client.pool.Get(x)\n", "\tc := fetch(x)\n"),
        ("\td, ok := legacy.client.pool.Get(y)\n", "\td, ok := fetch(y)\n"),
    ];
    let text = "package a\n\nfunc f(b int) int {\n\te := legacy.client.pool.Get(b)\n\treturn e\n}\n";
    check_other(
        "go",
        &steps,
        text,
        Some("package a\n\nfunc f(b int) int {\n\te := fetch(b)\n\treturn e\n}\n"),
    );
    check_other("go", &steps[..2], text, None);
    // A few words are anywhere.
    let few = [
        ("\ta := util.Min(b, c)\n", "\ta := min(b, c)\n"),
        ("\tenv = append(env, util.Min(x, 1))\n", "\tenv = append(env, min(x, 1))\n"),
        ("\treturn util.Min(x, y)\n", "\treturn min(x, y)\n"),
    ];
    check_other("go", &few, "package a\n\nvar a = util.Min(b, 3)\n", None);
}

#[test]
fn pattern_that_fits_in_too_many_ways_is_given_up() {
    let steps = [
        ("f(0, 7, 0, 8, 0, 9, 0);\n", "f(1, 7, 1, 8, 1, 9, 1);\n"),
        ("f(0, 5, 0, 6, 0, 4, 0);\n", "f(1, 5, 1, 6, 1, 4, 1);\n"),
    ];
    let (left, done) = ("f(0, 2, 0, 3, 0, 5, 0);\n", "f(1, 2, 1, 3, 1, 5, 1);\n");
    check_other("javascript", &steps, left, Some(done));
    let table = format!("f({}2);\n", "0, ".repeat(60)).repeat(200);
    check_other("javascript", &steps, &[&table, left].concat(), None);
}

#[test]
fn lines_added_beside_the_same_line() {
    let test = |name: &str, added: &str| {
        format!("func Test{name}(t *testing.T) {{\n{added}\tcheck(t, {name})\n}}\n\n")
    };
    let (mark, line) = ("«|\tt.Parallel()\n»", "\tt.Parallel()\n");
    let tests = |names: [&str; 4]| -> String {
        std::iter::once("package a\n\n".to_owned())
            .chain("ABCD".chars().zip(names).map(|(name, added)| test(&name.to_string(), added)))
            .collect()
    };
    // The third function is one of another kind, and the fourth has the line.
    let others = "func helper(t *testing.T, n int) {\n\tcheck(t, n)\n}\n\n";
    check("go", &(tests([mark, mark, "", line]) + others), Some(&(tests([line, line, line, line]) + others)));
    // With the indentation of the place.
    check(
        "yaml",
        "a:\n  - uses: x/checkout@v4\n«|    with: here\n»  - run: a\nb:\n  - uses: x/checkout@v4\n«|    with: here\n»  - run: b\nc:\n    d:\n      - uses: x/checkout@v4\n      - run: c\n",
        Some(
            "a:\n  - uses: x/checkout@v4\n    with: here\n  - run: a\nb:\n  - uses: x/checkout@v4\n    with: here\n  - run: b\nc:\n    d:\n      - uses: x/checkout@v4\n        with: here\n      - run: c\n",
        ),
    );
    // A bracket is anywhere.
    check("javascript", "a({\n  b,\n«|  c,\n»});\nd({\n  e,\n«|  c,\n»});\nf({\n  g,\n});\n", None);
}

#[test]
fn lines_removed_in_several_places() {
    check(
        "python",
        "def a():\n«    log.debug(\"in\")\n|»    b()\n\ndef c():\n«    log.debug(\"in\")\n|»    d()\n\ndef e():\n    log.debug(\"in\")\n    f()\n",
        Some("def a():\n    b()\n\ndef c():\n    d()\n\ndef e():\n    f()\n"),
    );
}

#[test]
fn line_removed_in_two_files_is_removed_in_others() {
    let step = ("import nock from 'nock';\n", "");
    let text = "import a from 'a';\nimport nock from 'nock';\n";
    check_other("javascript", &[step, step], text, Some("import a from 'a';\n"));
    check_other("javascript", &[step], text, None);
}

#[test]
fn import_that_takes_another_name_is_left_to_each_file() {
    let text = "import {load} from './load.js';\n";
    let moved = ("import {load} from './load.js';\n", "import {load} from './io/load.js';\n");
    check_other("javascript", &[moved], text, Some("import {load} from './io/load.js';\n"));
    let renamed = ("import {load} from './load.js';\n", "import {load, save} from './load.js';\n");
    check_other("javascript", &[renamed], text, None);
}

#[test]
fn sentence_in_quotes_is_replaced_wherever_it_stands() {
    let test = "fn t() {\n    assert_eq!(f(), \"no such file\");\n    g(\"no such file here\");\n}\n";
    let tested = "fn t() {\n    assert_eq!(f(), \"no file like this\");\n    g(\"no such file here\");\n}\n";
    let source = |sentence: &str| format!("fn f() -> &str {{\n    \"no {sentence}\"\n}}\n\n");
    check("rust", &(source("«such file|file like this»") + test), Some(&(source("file like this") + tested)));
    let step = ("    \"no such file\"\n", "    \"no file like this\"\n");
    check_other("rust", &[step], test, Some(tested));
    // A word is anywhere.
    check("python", "f(\"«one|two»\")\ng(\"one\")\n", None);
    // The place above may have been left out.
    check(
        "python",
        "f(\"no such file\")\ng(\"no «such file|file like this»\")\nh(\"no such file\")\n",
        Some("f(\"no such file\")\ng(\"no file like this\")\nh(\"no file like this\")\n"),
    );
}

#[test]
fn line_between_the_same_lines_is_replaced_in_other_files() {
    let document = |text: &str| Document::new(DocumentId::new("untitled:b"), "javascript", 0, text);
    let place = |call: &str| format!("open(db);\nconst user = {call}(db, id);\ncheck(user);\n");
    let (old, new) = ("const user = load(db, id);\n", "const user = fetch(db, id);\n");
    let step = Done { old, new, at: None, above: "open(db);\n", below: "check(user);\n" };
    let other = document(&place("load"));
    let edits = repeat_elsewhere(std::iter::once(&other), &[step]).map_or_else(Vec::new, |it| it.1.edits);
    assert_eq!(apply(&place("load"), &edits), place("fetch"));
    let elsewhere = document(&format!("close(db);\n{old}check(user);\n"));
    assert_eq!(repeat_elsewhere(std::iter::once(&elsewhere), &[step]), None);
}
