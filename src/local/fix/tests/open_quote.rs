//! Strings that lack a quote.

use super::check;

#[test]
fn quote_of_the_only_open_string() {
    let check_one =
        |language: &str, before: &str, line: &str, below: &str, said: &str, expected: Option<&str>| {
            let marked = format!("{before}«»{line}{below}");
            let sign = if line.contains('"') { '"' } else { '\'' };
            let title = format!("add the missing `{sign}`");
            let fixed = expected.map(|it| format!("{before}{it}{below}"));
            check(language, &marked, said, &[], fixed.as_deref().map(|it| (title.as_str(), it)));
        };
    let python = |line, expected| {
        check_one(
            "python",
            "a = 1\n",
            line,
            "\nb = a\n",
            "unterminated string literal (detected at line 2)",
            expected,
        );
    };
    python("x = \"hello world", Some("x = \"hello world\""));
    python("print(\"hello world)", Some("print(\"hello world\")"));
    python("print('hello. Then more)", Some("print('hello. Then more')"));
    python("print(a, \"it is\", \"b)", Some("print(a, \"it is\", \"b\")"));
    python("x = [a[\"key]]", Some("x = [a[\"key\"]]"));
    python("x = hello world\"", Some("x = \"hello world\""));
    python("print(hello\")", Some("print(\"hello\")"));
    python("with open(a, \"r) as f: pass", Some("with open(a, \"r\") as f: pass"));
    python("x = f/{a}\"", None);
    python("x = bHello\"", None);
    python("x = by hand\"", Some("x = \"by hand\""));
    python("x =  1\"", None);
    python("f(a: str = \", b=1)", None);
    python("x = \".join(a)", None);
    python("f(a, {\"a: a, \"b\": b})", None);
    // The comma may be in the string, or behind it.
    python("print(\"hello, world)", None);
    python("print(hello, world\")", None);
    python("x = \"salt and pepper", None);
    python("x = \"\"\"hello", None);
    let list = |line, expected| {
        let said = "missing closing quote in string literal";
        check_one("python", "x = [\n    \"a\",\n", line, "\n    \"c\",\n]\n", said, expected);
    };
    list("    \"b,", Some("    \"b\","));
    let script = |line, expected| {
        check_one(
            "typescript",
            "let a = 1;\n",
            line,
            "\nlet b = a;\n",
            "Unterminated string literal.",
            expected,
        );
    };
    script("let x = 'hello;", Some("let x = 'hello';"));
    script("f('hello);", Some("f('hello');"));
    check_one(
        "c",
        "void f(void) {\n",
        "  puts(\"hello);",
        "\n}\n",
        "missing terminating \" character",
        Some("  puts(\"hello\");"),
    );
    check_one(
        "go",
        "package a\n\nfunc f() {\n",
        "\tg(\"hello)",
        "\n}\n",
        "newline in string",
        Some("\tg(\"hello\")"),
    );
}

#[test]
fn string_that_ends_in_the_next_line_gets_no_quote() {
    let said = "unterminated string literal (detected at line 1)";
    check("python", "«»x = \"usage: a\n    -v verbose\"\n", said, &[], None);
    let fixed = Some(("add the missing `\"`", "x = \"usage: a\"\ny = \"b\"\n"));
    check("python", "«»x = \"usage: a\ny = \"b\"\n", said, &[], fixed);
}
