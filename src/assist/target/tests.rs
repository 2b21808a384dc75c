mod ranges;

use super::*;
use crate::document::DocumentId;
use expect_test::{Expect, expect};

/// Checks the instructions at the cursor of `marked`.
///
/// Each is shown with its words, the lines of its target, and their code.
#[track_caller]
fn check(language: &str, marked: &str, expect: Expect) {
    let cursor = marked.find('ˇ').expect("a cursor");
    let text = marked.replace('ˇ', "");
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
    let shown: String = instructions(&document, cursor..cursor)
        .into_iter()
        .map(|Instruction { text, target: RewriteTarget { span, code }, is_for_project }| {
            let lines = document.text().byte_to_line(span.start)..document.text().byte_to_line(span.end);
            let reach = if is_for_project { "everywhere: " } else { "" };
            format!("{reach}{text} @ {lines:?}\n{code}")
        })
        .collect();
    expect.assert_eq(&shown);
}

#[test]
fn comment_for_the_whole_project_is_told_apart() {
    check(
        "rust",
        "// AI!: rename f everywhere\nfn fˇ() {}\n",
        expect![[r#"
            everywhere: rename f everywhere @ 0..2
            fn f() {}
        "#]],
    );
    let document = |text: &str| Document::new(DocumentId::new("untitled:a"), "rust", 0, text);
    assert!(may_have_instructions(&document("// ai!: x\n")));
    assert!(!may_have_instructions(&document("// ai! x\n")));
}

#[test]
fn finds_comments_above_code() {
    check(
        "rust",
        "// ai: be brief\nfn fˇ() {\n    1\n}\nfn g() {}\n",
        expect![[r#"
        be brief @ 0..4
        fn f() {
            1
        }
    "#]],
    );
    check(
        "rust",
        "/// AI: say 猫\n/// and mean it\n#[test]\nfn f() {\n    1ˇ;\n}\n",
        expect![[r#"
        say 猫 @ 0..6
        /// and mean it
        #[test]
        fn f() {
            1;
        }
    "#]],
    );
    check(
        "python",
        "class A:\n    # ai: add a docstring\n    def f(self):\n        return 1ˇ\n\n    def g(self):\n        pass\n",
        expect![[r#"
        add a docstring @ 1..4
            def f(self):
                return 1
    "#]],
    );
    check(
        "typescript",
        "/* ai: make it\n * async */\nfunction f() {ˇ\n}\n",
        expect![[r#"
        make it async @ 0..4
        function f() {
        }
    "#]],
    );
    check(
        "html",
        "<p>a</p>\n<!-- ai: shout -->\n<p>bˇ</p>\n",
        expect![[r#"
        shout @ 1..3
        <p>b</p>
    "#]],
    );
}

#[test]
fn a_comment_goes_on_in_lines_that_are_indented_further_or_come_behind_an_open_end() {
    check(
        "rust",
        "// ai: be\n//   brief\n/// Is f.\nfn f() {}ˇ\n",
        expect![[r#"
            be brief @ 0..4
            /// Is f.
            fn f() {}
        "#]],
    );
    check(
        "python",
        "# ai: be\n# ai: brief\nx = 1ˇ\n",
        expect![[r#"
            be @ 0..3
            # ai: brief
            x = 1
            brief @ 1..3
            x = 1
        "#]],
    );
}

#[test]
fn a_comment_that_stands_below_an_instruction_stays() {
    check(
        "go",
        "package a\n\n// ai: rename amount to cents\n// Show returns the price.\nfunc Show(amount int) {}ˇ\n",
        expect![[r#"
            rename amount to cents @ 2..5
            // Show returns the price.
            func Show(amount int) {}
        "#]],
    );
    check(
        "go",
        "package a\n\n// ai: rename amount to cents,\n// and return it\n// Show returns the price.\nfunc Show(amount int) {}ˇ\n",
        expect![[r#"
            rename amount to cents, and return it @ 2..6
            // Show returns the price.
            func Show(amount int) {}
        "#]],
    );
    check(
        "python",
        "# ai: shout\n#  Two\n#\n#   deep\nx = 1ˇ\n",
        expect![[r#"
        shout @ 0..5
        #  Two
        #
        #   deep
        x = 1
    "#]],
    );
    check(
        "rust",
        "// ai: be brief\n/// Is f.\nfn f() {}ˇ\n",
        expect![[r#"
        be brief @ 0..3
        /// Is f.
        fn f() {}
    "#]],
    );
    check(
        "rust",
        "/// ai: be brief\n///  Is f.\n///\n///     f();\nfn f() {}ˇ\n",
        expect![[r#"
        be brief @ 0..5
        ///  Is f.
        ///
        ///     f();
        fn f() {}
    "#]],
    );
    check(
        "rust",
        "// ai:\n// be\n//\tbrief\n// Is f.\nfn f() {}ˇ\n",
        expect![[r#"
        be brief @ 0..5
        // Is f.
        fn f() {}
    "#]],
    );
    check(
        "rust",
        "/* ai: be\nbrief */\n// Is f.\nfn f() {}ˇ\n",
        expect![[r#"
        be brief @ 0..4
        // Is f.
        fn f() {}
    "#]],
    );
}

#[test]
fn finds_comments_behind_code() {
    check(
        "python",
        "def f(a):  # ai: rename a to b\n    return aˇ\n",
        expect![[r#"
        rename a to b @ 0..2
        def f(a):
            return a
    "#]],
    );
    check(
        "c",
        "int a; /* ai: make it long */ int b;ˇ\n",
        expect![[r#"
        make it long @ 0..1
        int a; int b;
    "#]],
    );
}

#[test]
fn a_comment_above_nothing_asks_for_something_new() {
    check(
        "go",
        "package a\n\n// ai: a function that adds two numbersˇ\n\nfunc f() {}\n",
        expect![[r#"
        a function that adds two numbers @ 2..3
    "#]],
    );
    check(
        "go",
        "package a\n// ai: mainˇ",
        expect![[r#"
        main @ 1..1
    "#]],
    );
}

#[test]
fn stops_at_the_first_statement_of_a_block() {
    check(
        "python",
        "def f():\n    # ai: shoutˇ\n    a = 1\n    b = 2\n    return a\n",
        expect![[r#"
        shout @ 1..3
            a = 1
    "#]],
    );
    check(
        "lua",
        "-- ai: shout\nlocal a = 1ˇ\nlocal b = 2\n",
        expect![[r#"
        shout @ 0..2
        local a = 1
    "#]],
    );
}

#[test]
fn is_not_taken_in_by_strings_and_words() {
    check("rust", "let a = \"// ai: no\";ˇ\n", expect![]);
    check("rust", "// aim: no\n// wait, ai: no\n//ai:\nlet a = 1;ˇ\n", expect![]);
}

#[test]
fn goes_by_paragraphs_without_a_grammar() {
    check(
        "klingon",
        "# ai: shout\nqapla'ˇ\nbatlh\n\nDaH\n",
        expect![[r#"
        shout @ 0..3
        qapla'
        batlh
    "#]],
    );
}
