//! The target of a rewrite at a cursor, and for a selection.

use super::*;

/// Checks the target of a rewrite at the cursor, or for the selection `«…»`.
///
/// It is shown by its heading and its lines.
#[track_caller]
fn check_range(language: &str, marked: &str, expect: Expect) {
    let start = marked.find(['ˇ', '«']).expect("a cursor or a selection");
    let end = marked.find('»').map_or(start, |at| at - '«'.len_utf8());
    let text = marked.replace(['ˇ', '«', '»'], "");
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
    let target = of_range(&document, start..end);
    let shown = format!("{:?}\n{}", heading(&document, &target.span), document.slice(target.span));
    expect.assert_eq(&shown);
}

#[test]
fn cursor_means_the_definition_on_its_line_or_the_function_around() {
    let shape = "impl Shape {\n    /// Doc.\n    #[inline]\n    pub fn area(&self) -> u32 {\n        let a = 1;\n        a\n    }\n}\n";
    for marked in [shape.replace("let a", "let ˇa"), shape.replace("pub fn", "pubˇ fn")] {
        check_range(
            "rust",
            &marked,
            expect![[r#"
                Some("pub fn area")
                    pub fn area(&self) -> u32 {
                        let a = 1;
                        a
                    }
            "#]],
        );
    }
    check_range(
        "rust",
        &shape.replace("#[inline]", "#[ˇinline]"),
        expect![[r#"
        Some("pub fn area")
            #[inline]
            pub fn area(&self) -> u32 {
                let a = 1;
                a
            }
    "#]],
    );
    check_range(
        "rust",
        &shape.replace("impl", "imˇpl"),
        expect![[r#"
        Some("impl Shape")
        impl Shape {
            /// Doc.
            #[inline]
            pub fn area(&self) -> u32 {
                let a = 1;
                a
            }
        }
    "#]],
    );
    check_range(
        "rust",
        "fn first() {\n    one();\nˇ\n    two();\n}\n",
        expect![[r#"
        Some("fn first")
        fn first() {
            one();

            two();
        }
    "#]],
    );
    check_range(
        "rust",
        "struct S {\n    width: ˇu32,\n}\n",
        expect![[r#"
        None
            width: u32,
    "#]],
    );
    check_range(
        "rust",
        "use a;\nlet ˇx = 1;\n",
        expect![[r#"
        None
        let x = 1;
    "#]],
    );
    check_range(
        "python",
        "class A:\n    @cached\n    def b(self):\n        if c:\n            ˇd()\n",
        expect![[r#"
        Some("def b")
            def b(self):
                if c:
                    d()
    "#]],
    );
    check_range(
        "typescript",
        "export function f(a: number) {\n  return g(() => {\n    ˇh();\n  });\n}\n",
        expect![[r#"
        Some("function f")
        export function f(a: number) {
          return g(() => {
            h();
          });
        }
    "#]],
    );
    check_range(
        "c",
        "static int\nfirst(int a)\n{\n    ˇreturn a;\n}\n",
        expect![[r#"
        Some("static int first")
        static int
        first(int a)
        {
            return a;
        }
    "#]],
    );
}

#[test]
fn selection_means_its_lines() {
    check_range(
        "rust",
        "fn first() {\n    «one();\n    two»();\n}\n",
        expect![[r#"
        None
            one();
            two();
    "#]],
    );
    check_range(
        "rust",
        "«fn first() {\n    one();\n}»\nfn second() {}\n",
        expect![[r#"
        Some("fn first")
        fn first() {
            one();
        }
    "#]],
    );
    check_range(
        "rust",
        "«fn first() {}\nfn second() {}»\n",
        expect![[r#"
        None
        fn first() {}
        fn second() {}
    "#]],
    );
}

#[test]
fn long_function_is_not_taken_as_a_whole() {
    let text = format!("fn long() {{\n{}    ˇend();\n}}\n", "    middle();\n".repeat(800));
    check_range(
        "rust",
        &text,
        expect![[r#"
        None
            end();
    "#]],
    );
}
