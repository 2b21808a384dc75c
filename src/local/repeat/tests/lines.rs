//! Tests on whole lines.

use super::*;

#[test]
fn the_same_line_with_another_number() {
    check(
        "yaml",
        "a:\n  - uses: x/checkout@«v4|v5»\nb:\n  - uses: x/checkout@v4\n  - uses: y/checkout@v4\n    uses: x/checkout@v4\n",
        Some(
            "a:\n  - uses: x/checkout@v5\nb:\n  - uses: x/checkout@v5\n  - uses: y/checkout@v4\n    uses: x/checkout@v5\n",
        ),
    );
    // A short line is not specific enough, and words are not data.
    check("rust", "fn f() {\n    let a = «1|2»;\n    let a = 1;\n}\n", None);
    check("rust", "fn f() {\n    open(file, «fast|slow»);\n    open(file, fast);\n}\n", None);
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
    // Several lines, with the indentation of each place.
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
fn lines_are_broken_where_they_are_as_long() {
    let broken = "«test(\"a long name of it\", 1)|test(\n    \"a long name of it\", 1\n)»;\n";
    let long = "test(\"a long name of all\", 1);\n";
    let (again, short) = (broken.replace("of it", "of them"), "test(\"a name\", 1);\n");
    let done = |name: &str| format!("test(\n    \"a long name of {name}\", 1\n);\n");
    check(
        "javascript",
        &[broken, &again, long, short].concat(),
        Some(&[&done("it"), &done("them"), &done("all"), short].concat()),
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
    let tests = |names: [&str; 5]| -> String {
        std::iter::once("package a\n\n".to_owned())
            .chain("ABCDE".chars().zip(names).map(|(name, added)| test(&name.to_string(), added)))
            .collect()
    };
    // The last function is of another kind, and the one before it has the line.
    let others = "func helper(t *testing.T, n int) {\n\tcheck(t, n)\n}\n\n";
    check("go", &(tests([mark, mark, mark, "", line]) + others), Some(&(tests([line; 5]) + others)));
    check("go", &(tests([mark, mark, "", "", line]) + others), None);
    // With the indentation of the place.
    check(
        "yaml",
        "a:\n  - uses: x/checkout@v4\n«|    with: here\n»  - run: a\nb:\n  - uses: x/checkout@v4\n«|    with: here\n»  - run: b\ne:\n  - uses: x/checkout@v4\n«|    with: here\n»  - run: e\nc:\n    d:\n      - uses: x/checkout@v4\n      - run: c\n",
        Some(
            "a:\n  - uses: x/checkout@v4\n    with: here\n  - run: a\nb:\n  - uses: x/checkout@v4\n    with: here\n  - run: b\ne:\n  - uses: x/checkout@v4\n    with: here\n  - run: e\nc:\n    d:\n      - uses: x/checkout@v4\n        with: here\n      - run: c\n",
        ),
    );
    // A bracket may occur anywhere.
    check(
        "javascript",
        "a({\n  b,\n«|  c,\n»});\nd({\n  e,\n«|  c,\n»});\nh({\n  i,\n«|  c,\n»});\nf({\n  g,\n});\n",
        None,
    );
}

#[test]
fn lines_removed_in_several_places() {
    check(
        "python",
        "def a():\n«    log.debug(\"in\")\n|»    b()\n\ndef c():\n«    log.debug(\"in\")\n|»    d()\n\ndef g():\n«    log.debug(\"in\")\n|»    h()\n\ndef e():\n    log.debug(\"in\")\n    f()\n",
        Some("def a():\n    b()\n\ndef c():\n    d()\n\ndef g():\n    h()\n\ndef e():\n    f()\n"),
    );
}
