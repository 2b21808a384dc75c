//! Declarations and assignments that do not match.

use super::check;
use crate::document::{Document, DocumentId};
use crate::local::fix::{FileView, Problem, fix};

#[test]
fn assignment_and_declaration_are_made_to_match() {
    let said = "Cannot assign to 'a' because it is a constant.";
    check(
        "typescript",
        "const a = 1;\n«a» = 2;\n",
        said,
        &[],
        Some(("declare `a` with `let`", "let a = 1;\na = 2;\n")),
    );
    check(
        "typescript",
        "const a = 1;\n«a» = a * b;\n",
        said,
        &[],
        Some(("declare `a` with `let`", "let a = 1;\na = a * b;\n")),
    );
    check("typescript", "const a = 1, b = 2;\n«a» = 2;\n", said, &[], None);
    // `.value` may be missing.
    for value in ["ref(0)", "document.querySelector(\"#a\")", "{ b: 1 }", "null", "1.5 + b"] {
        check("typescript", &format!("const a = {value};\n«a» = 0;\n"), said, &[], None);
    }
    check("typescript", "const a = 1;\n«a» = b;\n", said, &[], None);
    let said_of_limit = "Cannot assign to 'LIMIT' because it is a constant.";
    check("typescript", "const LIMIT = 1;\n«LIMIT» = 2;\n", said_of_limit, &[], None);
    check("typescript", "const a = 1;\nfunction f() {\n  const a = 1;\n  «a» = 2;\n}\n", said, &[], None);
    check(
        "go",
        "package a\n\nfunc f() {\n\ta := 1\n\ta «:=» 2\n}\n",
        "no new variables on left side of :=",
        &[],
        Some(("assign with `=`", "package a\n\nfunc f() {\n\ta := 1\n\ta = 2\n}\n")),
    );
    let said = "no new variables on left side of :=";
    check("go", "package a\n\nfunc f(b int) {\n\ta, b «:=» 1, 2\n\ta, b := 2, 3\n}\n", said, &[], None);
}

/// Whether the `:=` at `«:=»` in a function becomes `=`.
fn is_assigned(code: &str) -> bool {
    let marked = format!("package a\n\nfunc (r R) f(n int, m map[string]int) (err error) {{\n{code}\n}}\n");
    let (start, end) = (marked.find('«').expect("a place"), marked.find('»').expect("a place"));
    let text = marked.replace(['«', '»'], "");
    let document = Document::new(DocumentId::new("file:///a.go"), "go", 0, &text);
    let span = start..end - '«'.len_utf8();
    fix(&FileView::new(&document), &Problem::new(span, "no new variables on left side of :=")).is_some()
}

#[test]
fn variable_of_the_same_type_is_assigned() {
    for code in [
        "\ta := 1\n\ta «:=» 2",
        "\ta := 1\n\ta «:=» len(b) + 1",
        "\tvar a int\n\ta «:=» 2",
        "\tvar (\n\t\tb string\n\t\ta = 1\n\t)\n\ta «:=» a * c",
        "\tn «:=» 2",
        "\ta := f(1)\n\ta «:=» f(2)",
        "\ta, b := f(1)\n\ta, b «:=» f(2)",
        "\t_, ok := m[1]\n\t_, ok «:=» m[2]",
        "\terr := f(1)\n\terr «:=» g(2)",
        "\terr «:=» g(2)",
        "\ta := []int{}\n\ta «:=» append(a, 1)",
        "\ta := &A{1}\n\ta «:=» &A{2}",
        "\ta := make([]int, 1)\n\ta «:=» []int{1}",
    ] {
        assert!(is_assigned(code), "{code}");
    }
}

#[test]
fn variable_of_another_type_or_scope_is_not_assigned() {
    for code in [
        "\ta := 1\n\ta «:=» \"b\"",
        "\ta := 1\n\ta «:=» 1.5",
        "\ta := 1\n\ta «:=» a == 2",
        "\ta := f(1)\n\ta «:=» g(2)",
        "\ta, err := f(1)\n\ta, err «:=» g(2)",
        "\tvar a string\n\ta «:=» 2",
        "\tconst a = 1\n\ta «:=» 2",
        "\tm «:=» 2",
        "\tif b {\n\t\ta := 1\n\t}\n\ta «:=» 2",
        "\ta := 1\n\tif b {\n\t\ta «:=» 2\n\t}",
        "\tg := func(a int) {}\n\ta «:=» 2",
        "\tn := 1\n\tg := func() {\n\t\tn «:=» 2\n\t}",
    ] {
        assert!(!is_assigned(code), "{code}");
    }
}

#[test]
fn constant_that_a_condition_assigns_stays_one() {
    let said = "Cannot assign to 'a' because it is a constant.";
    let declared = "const a = 1;\n";
    for code in ["if («a» = 2) {\n  b();\n}\n", "while («a» = b());\n", "b(«a» = 2);\n", "c = «a» = 2;\n"]
    {
        check("typescript", &format!("{declared}{code}"), said, &[], None);
    }
    // The type would be wrong.
    check("typescript", &format!("{declared}«a» = 'b';\n"), said, &[], None);
    // Another place compares.
    check("typescript", &format!("{declared}«a» = 2;\nif (a = 2) b();\n"), said, &[], None);
    for code in ["«a» += 2;\n", "«a»++;\n", "for (; b; «a»++) c();\n", "if (b) «a» = 2;\n"] {
        let fixed = format!("let a = 1;\n{}", code.replace(['«', '»'], ""));
        check(
            "typescript",
            &format!("{declared}{code}"),
            said,
            &[],
            Some(("declare `a` with `let`", &fixed)),
        );
    }
}
