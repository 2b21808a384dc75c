mod tolerance;
mod work;

use super::*;
use crate::edit::apply;
use crate::edit::parse::block::{Times, lines_of_halves};

fn block(old: &str, new: &str) -> Block {
    let halves: (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    Block { number: 1, readings: vec![lines_of_halves(&halves.0, &halves.1)], ..Block::default() }
}

#[track_caller]
fn check_block(file: &str, block: &Block, expected: &str, level: &str) {
    match place(&FileText::new(file, None, None), block) {
        Ok(placed) => {
            assert_eq!(apply(file, &placed.edits), expected);
            assert_eq!(placed.level.code(), level);
        }
        Err(refusal) => assert_eq!(format!("refused: {}", refusal.code()), expected, "{refusal}"),
    }
}

/// Replaces the lines `old` by `new` in `file`.
#[track_caller]
fn check(file: &str, old: &str, new: &str, expected: &str, level: &str) {
    check_block(file, &block(old, new), expected, level);
}

#[test]
fn exact() {
    check("a\nb\nc\n", "b", "B", "a\nB\nc\n", "exact");
    check("a\nb\nc\n", "a\nb\nc", "a\nx\nb\nc", "a\nx\nb\nc\n", "exact");
    check("a\r\nb\r\nc", "b\nc", "x\ny", "a\r\nx\r\ny", "exact");
    check("\u{feff}a\nb\n", "a", "x", "\u{feff}x\nb\n", "exact");
    check("a\nb", "b", "b\nc", "a\nb\nc", "exact");
    check("a\nb", "a\nb", "a", "a", "exact");
    check("a\nb\n", "a\nb", "b", "b\n", "exact");
}

#[test]
fn the_strictest_level_counts() {
    check("    x = 1\nx = 1\n", "x = 1", "x = 2", "    x = 1\nx = 2\n", "exact");
    check("x = 1  \n    x = 1\n", "x = 1", "x = 2", "x = 2\n    x = 1\n", "trailing-blanks");
}

#[test]
fn context_keeps_the_files_bytes() {
    check("a  \n“b”\nc\n", "a\n\"b\"\nc", "a\n\"b\"\nd", "a  \n“b”\nd\n", "folded");
    check("// don’t x\n", "// don't x", "// don't y", "// don’t y\n", "folded");
}

#[test]
fn indentation_is_mapped() {
    check(
        "fn f() {\n    a();\n    b();\n}\n",
        "a();\nb();",
        "a();\nif x {\n    c();\n}\nb();",
        "fn f() {\n    a();\n    if x {\n        c();\n    }\n    b();\n}\n",
        "indentation",
    );
    check(
        "{\n\ta\n\t\tb\n}\n",
        "    a\n        b",
        "    a\n        c\n            d",
        "{\n\ta\n\t\tc\n\t\t\td\n}\n",
        "indentation",
    );
    check("{\n    a\n      b\n}\n", "\ta\n\t  b", "\ta\n\t  c", "{\n    a\n      c\n}\n", "indentation");
    check(
        "    def f():\n        return 1\n",
        "def f():\n        return 1",
        "def f():\n        return 2",
        "    def f():\n        return 2\n",
        "indentation",
    );
    check("  a\n    b\n", "      a\n    b", "      a\n    c", "refused: not-found", "");
}

#[test]
fn halves_in_different_columns() {
    let file = "def f():\n    for a in b:\n        c(a)\n    return d\n";
    let wrapped = "def f():\n    for a in b:\n        if a:\n            c(a)\n    return d\n";
    let flush = "if a:\n    c(a)";
    check(file, "        c(a)", flush, wrapped, "exact");
    check(file, "c(a)", "        if a:\n            c(a)", wrapped, "indentation");
    check(file, "        c(a)", "if a:\n            c(a)", wrapped, "exact");
    check(file, "c(a)", flush, wrapped, "indentation");
    let ruby = "def f\n  for a in b\n    c(a)\n  end\nend\n";
    let wrapped = "def f\n  for a in b\n    if a\n      c(a)\n    end\n  end\nend\n";
    check(ruby, "    c(a)", "if a\n  c(a)\nend", wrapped, "exact");
    check(ruby, "c(a)", "if a\n      c(a)\n    end", wrapped, "indentation");
    check(ruby, "    c(a)", "if a\n      c(a)\n    end", wrapped, "exact");
    check("f {\n\ta();\n}\n", "\ta();", "b {\n    a();\n}", "f {\n\tb {\n\t\ta();\n\t}\n}\n", "exact");
    let yaml = "a:\n  - b\n  - d\n";
    check(yaml, "- b", "- b\n  - c", "a:\n  - b\n  - c\n  - d\n", "indentation");
}

#[test]
fn lines_in_their_columns_decide() {
    let file = "f {\n  a();\n  b();\n}\n";
    let done = "f {\n  a();\n  if c {\n    d();\n  }\n  b();\n}\n";
    let added = "  if c {\n    d();\n  }\n";
    check(file, " f {\n  a();\n  b();", &format!(" f {{\n  a();\n{added}  b();"), done, "indentation");
    check(file, "f {\n   a();\n  b();", &format!("f {{\n   a();\n{added}  b();"), done, "indentation");
    check(file, " f {\n  a();\n  b();", " g {\n  a();\n  b();", "refused: not-found", "");
}

#[test]
fn definition_that_the_file_lacks() {
    let file = "class A:\n    def add(self, k):\n        self.n += k\n\nsize = call(f)\n";
    let check = |anchor: &str, is_there: bool| {
        let anchors = vec![anchor.to_owned()];
        let block = Block { anchors, ..block("        self.n += k", "        self.n += abs(k)") };
        let target = FileText::new(file, None, crate::grammar::by_language_id("python"));
        assert_eq!(place(&target, &block).is_ok(), is_there, "{anchor}");
    };
    for anchor in ["def add(self, k):", "def add", "class A", "class A(Base):", "def add(self, other):"] {
        check(anchor, true);
    }
    for anchor in ["in the method total", "total", "class of all boxes", "self.total()", "def size():"] {
        check(anchor, true);
    }
    for anchor in ["def total(self):", "class B", "async def call(f):", "export class B extends A {"] {
        check(anchor, false);
    }
}

#[test]
fn new_lines_that_are_outdented_on_purpose() {
    let file = "class A:\n    def f(self):\n        return 1\n\n\nx = 1\n";
    let old = "    def f(self):\n        return 1";
    check(file, old, "\ndef f():\n    return 1", "class A:\n\ndef f():\n    return 1\n\n\nx = 1\n", "exact");
    check("if a:\n    b()\n    c()\n", "    c()", "c()", "if a:\n    b()\nc()\n", "exact");
    check(
        "f {\n    a();\n    b();\n    c();\n",
        "    b();",
        "}\n\ng {",
        "f {\n    a();\n}\n\ng {\n    c();\n",
        "exact",
    );
}

#[test]
fn the_files_unit_decides_where_one_line_shows_none() {
    let file = "f {\n\ta();\n}\n";
    check(file, "a();", "a();\n    b();", "f {\n\ta();\n\tb();\n}\n", "indentation");
    check(file, "a();", "if a {\n    b();\n}", "f {\n\tif a {\n\t\tb();\n\t}\n}\n", "indentation");
    check("f {\n    a();\n}\n", "a();", "a();\n\tb();", "f {\n    a();\n    b();\n}\n", "indentation");
    check(file, "a();", "a();\n    b();\n\tc();", "refused: not-found", "");
    check(file, "a();", "a();\n   b();", "refused: not-found", "");
}

#[test]
fn lines_without_old_text_go_where_the_reply_says() {
    let added = |text: &str| Block {
        number: 1,
        readings: vec![text.lines().map(|line| Line::new(Role::Add, line)).collect()],
        ..Block::default()
    };
    let before = |number: usize| Block { before: Some(number), hint: Some(number), ..added("new") };
    check_block("a\nb\n", &before(2), "a\nnew\nb\n", "exact");
    check_block("a\nb\n", &before(3), "a\nb\nnew\n", "exact");
    check_block("a\nb\n", &before(4), "refused: no-old-text", "");
    check_block("a\nnew\nb\n", &before(2), "a\nnew\nb\n", "exact");
    let below = |anchor: &str, text: &str| Block { anchors: vec![anchor.to_owned()], ..added(text) };
    let file = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";
    let done = file.replacen("b() {\n", "b() {\n    y();\n", 1);
    check_block(file, &below("fn b() {", "    y();"), &done, "exact");
    check_block(file, &below("fn b()", "    y();"), &done, "exact");
    check_block(file, &below("fn c() {", "    y();"), "refused: no-old-text", "");
    check_block(file, &below("fn b() {", "fn c() {}"), "refused: no-old-text", "");
    check_block(
        "def f():\n    \"\"\"Text.\"\"\"\n",
        &below("def f():", "    x = 1"),
        "refused: no-old-text",
        "",
    );
    check_block("def f(\n    a,\n):\n    pass\n", &below("def f(", "    x = 1"), "refused: no-old-text", "");
}

#[test]
fn changes_side_by_side_are_written_at_one_place() {
    let hunk = |lines: &str| {
        let line = |text: &str| match text.split_at(1) {
            ("-", text) => Line::new(Role::Delete, text),
            ("+", text) => Line::new(Role::Add, text),
            (_, text) => Line::new(Role::Keep, text),
        };
        Block {
            number: 1,
            readings: vec![lines.lines().map(line).collect()],
            is_hunk: true,
            ..Block::default()
        }
    };
    // The upper half matches one location and the lower half another: a line of each near copy has changed.
    let file = "first one\nold line\nchanged\n\n\n\n\nchanged\nold line\nlast one\n";
    check_block(file, &hunk(" first one\n-old line\n+new line\n last one\n"), "refused: not-found", "");
    let file =
        "first one\nold line\nkept one\nkept two\nchanged\n\n\n\n\nchanged\nkept one\nkept two\nother line\n";
    let torn = hunk(" first one\n-old line\n+new line\n kept one\n kept two\n-other line\n+another\n");
    check_block(file, &torn, "refused: not-found", "");
    // Two hunks without the header between them.
    let file = "aaa 1\nbbb 2\nccc 3\n1\n2\n3\n4\n5\nddd 4\neee 5\nfff 6\n";
    let joined = hunk(" aaa 1\n-bbb 2\n+xxx\n ccc 3\n ddd 4\n-eee 5\n+yyy\n fff 6\n");
    check_block(file, &joined, &file.replace("bbb 2", "xxx").replace("eee 5", "yyy"), "exact");
    let adding = hunk(" aaa 1\n-bbb 2\n+xxx\n ccc 3\n ddd 4\n+yyy\n eee 5\n fff 6\n");
    check_block(file, &adding, "refused: not-found", "");
}

#[test]
fn several_places_are_a_tie() {
    let file = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";
    check(file, "    x();", "    y();", "refused: ambiguous", "");
    let second = "fn a() {\n    x();\n}\nfn b() {\n    y();\n}\n";
    check_block(file, &Block { hint: Some(5), ..block("    x();", "    y();") }, second, "exact");
    check_block(file, &Block { hint: Some(4), ..block("    x();", "    y();") }, "refused: ambiguous", "");
    let anchors = |name: &str| vec![name.to_owned()];
    check_block(
        file,
        &Block { anchors: anchors("fn b() {"), ..block("    x();", "    y();") },
        second,
        "exact",
    );
    check_block(
        file,
        &Block { anchors: anchors("fn c() {"), ..block("    x();", "    y();") },
        "refused: ambiguous",
        "",
    );
    // Both matches lie in the named definition.
    let twice = "fn b() {\n    x();\n    z();\n    x();\n}\n";
    check_block(
        twice,
        &Block { anchors: anchors("fn b() {"), ..block("    x();", "    y();") },
        "refused: ambiguous",
        "",
    );
    // A heading has no body that shows where its section ends.
    check_block(
        "## B\n\nx\nz\nx\n",
        &Block { anchors: anchors("## B"), ..block("x", "y") },
        "refused: ambiguous",
        "",
    );
    let changed = "fn a() {\n    x();\n}\nfn b() {\n    z();\n}\nfn c() {\n    x();\n}\n";
    check_block(
        changed,
        &Block { anchors: anchors("fn b() {"), ..block("    x();", "    y();") },
        "refused: ambiguous",
        "",
    );
    check_block("x\na\nx\n", &Block { at_end: true, ..block("x", "y") }, "x\na\ny\n", "exact");
    check_block("x\na\nb\n", &Block { at_end: true, ..block("x", "y") }, "refused: not-found", "");
    let both = "fn a() {\n    y();\n}\nfn b() {\n    y();\n}\n";
    check_block(file, &Block { times: Times::All, ..block("    x();", "    y();") }, both, "exact");
}

#[test]
fn parts_of_lines() {
    let inline = |old: &str, new: &str, hint| {
        let inline = Some((old.to_owned(), new.to_owned()));
        Block { inline, hint, ..block(old, new) }
    };
    check_block("é = f(a)\n", &inline("f(a", "g(b", None), "é = g(b)\n", "exact");
    check_block("f(a)\nf(a)\n", &inline("f(a", "g(b", Some(2)), "f(a)\ng(b)\n", "exact");
    check_block("x\nf(a) f(a)\n", &inline("f(a", "g(b", Some(2)), "refused: ambiguous", "");
    check_block("a\r\nb;\nc\r\n", &inline("b;", "x;\ny;", None), "a\r\nx;\ny;\nc\r\n", "exact");
    // A line is deleted with its ending; overlapping matches count.
    check_block("a\nb\nc\n", &inline("b", "", None), "a\nc\n", "exact");
    check_block("a\nf(b)\nc\n", &inline("(b)", "", None), "a\nf\nc\n", "exact");
    check_block("t\nt\nt\n", &inline("t\nt", "u", None), "refused: ambiguous", "");
    check_block("t\nt\nt\n", &inline("t\nt", "u", Some(2)), "t\nu\n", "exact");
    // Several lines are whole ones; each is written with its ending, and no line ending is split.
    check_block("x }\na\n}\na\n", &inline("}\na", "}\nb", None), "x }\na\n}\nb\n", "exact");
    check_block("a\r\n\r\nb\nc\n", &inline("\nb\nc", "\nb\nd", None), "a\r\n\r\nb\nd\n", "exact");
    check_block("a\n\r\nb\nc\n", &inline("\nb", "b", None), "a\nb\nc\n", "exact");
    // Part of a word is a different word.
    check_block("limit = 10\n", &inline("limit = 1", "limit = 7", None), "refused: not-found", "");
    check_block("relimit = 1;\n", &inline("limit = 1", "limit = 7", None), "refused: not-found", "");
    check_block("a = 10\na = 1\n", &inline("a = 1", "a = 7", None), "a = 10\na = 7\n", "exact");
    check_block("他喜欢苹果。\n", &inline("苹果", "梨", None), "他喜欢梨。\n", "exact");
    // New lines below a line without its indentation.
    let two = "    a();\n    b();\n";
    check_block("    a();\n", &inline("a();", "a();\nb();", None), two, "indentation");
    check_block("    a();\n", &inline("a();", "a();\n    b();", None), two, "indentation");
    check_block("    a();\n", &inline("a();", "a()\n    .b();", None), "refused: not-found", "");
    let nested = "    if a {\n        b();\n    }\n";
    check_block("    a();\n", &inline("a();", "if a {\n    b();\n}", None), nested, "indentation");
    check_block("    a();\n", &inline("a();", "if a {\n        b();\n    }", None), nested, "indentation");
    // A half without the indentation of the whole lines, with or without a line ending.
    for end in ["", "\n"] {
        let ended = |text: &str| format!("{text}{end}");
        check_block(
            two,
            &inline(&ended("a();"), &ended("    c();"), None),
            "    c();\n    b();\n",
            "indentation",
        );
        check_block(two, &inline(&ended("    a();"), &ended("c();"), None), "    c();\n    b();\n", "exact");
        let added = inline(&ended("a();"), &ended("a();\nc();"), None);
        check_block(two, &added, "    a();\n    c();\n    b();\n", "indentation");
    }
    let many = "f(a)\n".repeat(2000);
    let everywhere = Block { times: Times::All, ..inline("f(a", "f(b", None) };
    check_block(&many, &everywhere, &many.replace('a', "b"), "exact");
}

#[test]
fn a_line_that_stands_amid_another_one() {
    let file = "let x = first(a, b) + 1;\nlet y = other(a);\n";
    check(file, "first(a, b)", "second(b)", &file.replace("first(a, b)", "second(b)"), "exact");
    // The line may have grown, or be part of a word, or occur twice.
    check(file, "let y", "let z", "refused: not-found", "");
    check(file, "other(a);", "more(a);", "refused: not-found", "");
    check(file, "irst(a, b)", "second(b)", "refused: not-found", "");
    check(&file.repeat(2), "first(a, b)", "second(b)", "refused: not-found", "");
    check("a { b(c); } d\n", "b(c);", "e();", "refused: not-found", "");
}

#[test]
fn what_is_done_is_not_done_again() {
    // A deleted line that is not there: the block is about another text, or was applied.
    check("a\nbetter\nc\n", "a\nbad\nc", "a\nbetter\nc", "refused: not-found", "");
    check("better\n", "made up", "better", "refused: not-found", "");
    check("aaa\nbbb\n", "aaa\nghost\nbbb", "aaa\nbbb", "refused: not-found", "");
    check("aaa\nbbb\n", "aaa\nbbb", "aaa\nbbb", "aaa\nbbb\n", "exact");
    check("aaa\nbbb\n", "aaa\nghost", "aaa\nghost", "refused: not-found", "");
    check("import a\nimport b\n", "import a", "import a\nimport b", "import a\nimport b\n", "exact");
    check("import a\nimport b\n", "import b", "import a\nimport b", "import a\nimport b\n", "exact");
    let inline = |old: &str, new: &str| {
        let inline = Some((old.to_owned(), new.to_owned()));
        Block { inline, ..block(old, new) }
    };
    check_block("f(a).b()\n", &inline("f(a)", "f(a).b()"), "f(a).b()\n", "exact");
    check_block("a();\nb();\nc();\n", &inline("a();", "a();\nb();\nc();"), "a();\nb();\nc();\n", "exact");
    check_block("a();\nb();\n", &inline("a();", "a();\n"), "a();\n\nb();\n", "exact");
    check_block("é-a\nb\n", &inline("-a\nb", "x-a\nb"), "éx-a\nb\n", "exact");
}

#[test]
fn a_divider_that_stands_in_the_file_is_text() {
    let halves = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let readings = (0..lines.len()).filter(|&at| lines[at] == "===");
        let readings = readings.map(|at| lines_of_halves(&lines[..at], &lines[at + 1..])).collect();
        Block { number: 1, readings, ..Block::default() }
    };
    let file = "one\n===\nwords\n\ntwo\n===\nwords\n";
    check_block(
        file,
        &halves("one\n===\nwords\n===\none\n===\nother"),
        &file.replacen("words", "other", 1),
        "exact",
    );
    check_block(
        file,
        &halves("===\nwords\n\n===\n===\nother\n"),
        &file.replacen("words\n\n", "other\n", 1),
        "exact",
    );
    check_block(file, &halves("words\n===\nother"), "refused: ambiguous", "");
}

#[test]
fn lines_before_the_definition_that_is_named() {
    let anchored = |anchor: &str| Block { anchors: vec![anchor.to_owned()], ..block("    x();", "    y();") };
    let file = "fn a() {\n    x();\n}\nfn b() {\n    z();\n}\nb();\n";
    let done = file.replace("x()", "y()");
    check_block(file, &anchored("fn b() {"), "refused: malformed", "");
    check_block(file, &anchored("fn b()"), "refused: malformed", "");
    check_block(file, &anchored("fn a() {"), &done, "exact");
    // Missing where the language is unknown, or not a definition.
    check_block(file, &anchored("fn c() {"), &done, "exact");
    check_block(file, &anchored("b();"), &done, "exact");
    // The definition may be part of the context.
    let above = Block { anchors: vec!["fn b() {".to_owned()], ..block("}\nfn b() {", "}\n\nfn b() {") };
    check_block(file, &above, &file.replace("}\nfn b", "}\n\nfn b"), "exact");
}

#[test]
fn definitions_within_others() {
    let class = |name: &str| {
        format!("class {name}:\n    def r(self):\n        x()\n\n    def s(self):\n        x()\n\n")
    };
    let file = ["A", "B", "C"].map(class).concat();
    let named = |anchors: &[&str]| Block {
        anchors: anchors.iter().map(|it| (*it).to_owned()).collect(),
        ..block("        x()", "        y()")
    };
    for (number, name) in ["A", "B", "C"].into_iter().enumerate() {
        for (inner, method) in ["r", "s"].into_iter().enumerate() {
            let at = file.match_indices("x()").nth(2 * number + inner).unwrap().0;
            let expected = format!("{}y(){}", &file[..at], &file[at + 3..]);
            let (outer, inner) = (format!("class {name}"), format!("def {method}"));
            check_block(&file, &named(&[&outer, &inner]), &expected, "exact");
            check_block(
                &file,
                &named(&[&format!("{outer}:"), &format!("{inner}(self):")]),
                &expected,
                "exact",
            );
        }
    }
    check_block(&file, &named(&["class A"]), "refused: ambiguous", "");
    check_block(&file, &named(&["def r"]), "refused: ambiguous", "");
    check_block(&file, &named(&["class A", "def t"]), "refused: ambiguous", "");
}
