use super::*;
use crate::grammar;

/// Checks a change in a language without a parser.
#[track_caller]
fn check(before: &str, after: &str, is_sound: bool) {
    check_in("", before, after, is_sound);
}

#[track_caller]
fn check_in(language: &str, before: &str, after: &str, is_sound: bool) {
    let judged = placeholder_comment(grammar::by_language_id(language), before, after);
    assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
}

#[test]
fn what_only_looks_like_a_comment_in_the_place_of_code() {
    let before = "f {\n    a();\n    c();\n    d();\n    e();\n    g();\n    h();\n}\n";
    let after = "f {\n    ;[here].forEach(rest)\n}\n";
    check_in("javascript", before, after, true);
    check_in("clojure", before, "f {\n    ; the rest\n}\n", false);
    let documented = |text: &str| format!("// Use:\n{text}//\nfunc f() {{\n}}\n");
    let old = documented("//  a := b()\n//  c(a)\n//  // the rest\n//  d(a)\n");
    check_in("go", &old, &documented("//\ta := b()\n//\t// the rest\n"), true);
}

#[test]
fn comments_in_the_place_of_code() {
    for words in [
        "same as above",
        "as before",
        "snip",
        "previous code",
        "implementation stays the same",
        "the remaining lines are not changed",
        "the rest of it is not modified",
        "No further changes.",
        "... other columns ...",
        "code elided",
        "same as your version",
        "the remainder is identical",
        "// ...",
        "and so on ...",
    ] {
        for (open, close) in
            [("// ", ""), ("# ", ""), ("-- ", ""), ("<!-- ", " -->"), ("{/* ", " */}"), ("% ", "")]
        {
            let after = format!("f {{\n    b();\n    {open}{words}{close}\n}}\n");
            check("f {\n    a();\n    c();\n    d();\n}\n", &after, false);
            check("f {\n    a();\n}\n", &after, true);
            check("f {\n}\n", &after, true);
        }
    }
}

#[test]
fn dots_and_remarks_in_the_place_of_values_and_bodies() {
    let body = "def f(a):\n    a += 1\n    a *= 2\n    a -= 1\n    return a\n";
    check_in("python", body, "def f(a, b):\n    # old body here\n    return a\n", false);
    check_in("python", body, &format!("def g(): ...\n\n\n{body}\n\ndef h():\n    ...\n"), true);
    let yaml = "a:\n  image: b\n  ports: [1]\n  command: c\nd: 1\n";
    check_in("yaml", yaml, "a: ...\nd: 2\n", false);
    check_in("yaml", yaml, &yaml.replace("c\n", "...\n"), true);
    let json = "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 2,\n    \"d\": 3\n  },\n  \"e\": 1\n}\n";
    check_in("json", json, "{\n  \"a\": {\n    \"...\": \"...\"\n  },\n  \"e\": 2\n}\n", false);
    check_in("json", json, "{\n  \"a\": \"...\",\n  \"e\": 2\n}\n", false);
    let listed = "f {\n    name();\n    email();\n    age();\n}\n";
    check(listed, "f {\n    // name, email and age unchanged\n}\n", false);
    check(listed, "f {\n    // Before the name, say hello\n    name();\n}\n", true);
    let text = "# A\n\nRun it.\nRead it.\n\nSee it.\n\n# B\n";
    for remark in ["(unchanged)", "*[This section remains the same]*", "_(same as before)_"] {
        check_in("markdown", text, &format!("# A and more\n\n{remark}\n\n# B\n"), false);
    }
    for line in ["pass  # unchanged", "...", "return  # same as before"] {
        check_in("python", body, &format!("def f(a, b):\n    {line}\n"), false);
    }
    check_in("python", body, "def f(a, b):\n    return  # never called\n", true);
    check_in("yaml", yaml, "a: # same as before\nd: 2\n", false);
    check_in("json", json, "{\n  \"// ...\": \"unchanged\",\n  \"e\": 2\n}\n", false);
    let rust = "fn f() {\n    a();\n    b();\n    c();\n}\n";
    check_in("rust", rust, "fn f() {\n    todo!(\"unchanged\")\n}\n", false);
    check_in("rust", rust, "fn f() {\n    todo!(\"read the file\")\n}\n", true);
    check_in("java", rust, "fn f() {\n    throw new Error(\"same as before\");\n}\n", false);
    check_in("java", rust, "fn f() {\n    return null; // unchanged\n}\n", false);
    let one = "def f\n  g(1)\n  h\nend\n";
    check_in("ruby", one, "def f\n  nil # unchanged\n  k\nend\n", false);
    check_in("ruby", one, "def f\n  i = j(g, k) # unchanged\n  k\nend\n", false);
    check_in("ruby", one, "def f\n  g(1) # unchanged\n  k\nend\n", true);
    check_in("ruby", one, "def f\n  g(2) # unchanged since then\n  h\nend\n", true);
    check_in("java", rust, "fn f() {\n    throw new Error(\"the rest failed to load\");\n}\n", true);
}

#[test]
fn bare_remarks_in_the_place_of_one_line() {
    let before = "f {\n    a();\n    b();\n    c();\n}\n";
    for remark in [
        "// snip",
        "// etc",
        "/* your code here */",
        "// ... same",
        "// same loop as above",
        ": \"the rest\"",
    ] {
        check(before, &format!("f {{\n    a();\n    {remark}\n    c();\n}}\n"), false);
        check(before, &format!("f {{\n    {remark}\n    d();\n    c();\n}}\n"), false);
        check(before, &format!("f {{\n    a();\n    {remark}\n    b();\n    c();\n}}\n"), true);
    }
    check(before, "f {\n    a();\n    // The rest is up to the caller.\n    c();\n}\n", true);
    check(before, "f {\n    a();\n    // Waiting ...\n    c();\n}\n", true);
    let json = "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 1\n}\n";
    check_in("json", json, "{\n  \"a\": { \"unchanged\": \"...\" },\n  \"c\": 2\n}\n", false);
    let python = "def f():\n    a()\n    b()\n    c()\n    return 1\n";
    check_in("python", python, "def f():\n    ...\n    c(2)\n    return 1\n", false);
}

#[test]
fn comments_behind_as_much_new_code() {
    let before = "f {\n    a();\n    c();\n}\n";
    check(before, "f {\n    g();\n    h();\n    // snip\n}\n", false);
    check(before, "f {\n    g();\n    h();\n    # previous code\n}\n", false);
    check(before, "f {\n    g();\n    h();\n    // as said in the manual\n}\n", true);
    check(before, "f {\n    a();\n    c();\n    // snip\n}\n", true);
    check(before, "f {\n    a();\n    // Read what\n    // the original said.\n    c();\n}\n", true);
}

#[test]
fn any_short_comment_in_the_place_of_many_lines() {
    let rows: String = (0..10).map(|at| format!("    column_{at} int,\n")).collect();
    let before = format!("create (\n{rows})\n");
    for line in ["-- columns", "<!-- the table -->", "# See the file", "[truncated]", "..."] {
        check(&before, &format!("create (\n    {line}\n)\n"), false);
        check(&before, &format!("create (\n{rows}    {line}\n)\n"), true);
    }
    // A comment is about the code that follows; a heading and an attribute are not comments.
    check(&before, "create (\n    -- columns\n    all_columns()\n)\n", true);
    check_in("markdown", &before, "create (\n## Columns\n)\n", true);
    check(&before, "create (\n#[columns]\n)\n", true);
    check(&before, "create (\n    ...columns,\n)\n", true);
    check_in("python", &before, "create (\n    ...\n)\n", false);
    check_in("html", &before, "create (\n    ...\n)\n", false);
}

#[test]
fn comments_that_say_more() {
    let before = "f {\n    a();\n    c();\n    d();\n}\n";
    check(before, "f {\n    // same as above, but slower\n    g();\n}\n", true);
    check(before, "f {\n    // the previous code was slow\n    g();\n}\n", true);
    check(&format!("// snip\n{before}"), "// snip\nf {\n    g();\n    // snip\n}\n", true);
}

#[test]
fn rest_of_a_wrapped_comment() {
    let old = "f {\n    a();\n    c();\n    d();\n}\n";
    let long = "// The generator runs in the context of the request, and so does what it yields from the";
    let check = |comment: &str, is_sound| check(old, &format!("f {{\n    {comment}\n}}\n"), is_sound);
    check(&format!("{long}\n    // context of the original iterator"), true);
    check(&format!("{long}.\n    // rest of the method unchanged"), false);
    check(&format!("{long}\n    // ... rest of the method"), false);
    check(".. versionchanged:: 3.1", true);
    check("// It yields\n    // from the original iterator", false);
}
