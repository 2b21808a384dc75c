//! Declarations and assignments that do not match.

use super::check;

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
    check("typescript", "const a = 1, b = 2;\n«a» = 2;\n", said, &[], None);
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
