use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;

/// The diagnostics of an output, one a line.
fn shown(output: &str) -> String {
    let report = read(output);
    let mut shown = String::new();
    for it in &report.diagnostics {
        let place = |place: &Place| match place {
            Place::Offset(at) => format!("@{at}"),
            Place::Line(line, None) => format!("{}", line + 1),
            Place::Line(line, Some(column)) => format!("{}:{}", line + 1, column + 1),
            Place::Code(line, column) => format!("{}:>{}", line + 1, column + 1),
        };
        let end = it.end.as_ref().map(|end| format!("-{}", place(end))).unwrap_or_default();
        let _ = write!(shown, "{} {}{end} {:?} {:?}", it.path, place(&it.start), it.unit, it.severity);
        let _ = writeln!(
            shown,
            " {}/{}: {}",
            it.source.as_deref().unwrap_or("?"),
            it.code.as_deref().unwrap_or("-"),
            it.message
        );
        for note in &it.notes {
            let _ = writeln!(shown, "    {note}");
        }
        for fix in &it.fixes {
            let _ = write!(shown, "    {:?} {:?}:", fix.safety, fix.title);
            for edit in &fix.edits {
                let _ = write!(shown, " {}-{}={:?}", place(&edit.start), place(&edit.end), edit.text);
            }
            shown.push('\n');
        }
    }
    if report.ignored_lines + report.dropped > 0 || report.is_cut {
        let cut = if report.is_cut { ", cut" } else { "" };
        let _ = writeln!(shown, "{} ignored, {} dropped{cut}", report.ignored_lines, report.dropped);
    }
    shown
}

#[track_caller]
fn check(output: &str, expected: Expect) {
    expected.assert_eq(&shown(output));
    // Escape sequences and other line ends do not change the result.
    let coloured = output.replace("error", "\u{1b}[31merror\u{1b}[0m").replace('\n', "\r\n");
    if !output.contains("\"error\"") {
        assert_eq!(shown(&coloured), shown(output));
    }
}

#[test]
fn paths_are_relative_to_the_folder_that_make_entered() {
    let said = "main.c:3:12: error: no\n";
    let output = format!(
        "make[1]: Entering directory '/w/sub'\n{said}make[2]: Entering directory '/w/sub/in'\n{said}/w/a.c:1:1: error: no\n\
         make[2]: Leaving directory '/w/sub/in'\n{said}make[1]: Leaving directory '/w/sub'\nmake: *** [a] Error 2\n{said}\
         ninja: Entering directory `build'\n{said}"
    );
    check(
        &output,
        expect![[r#"
            /w/sub/main.c 3:12 Bytes Error gcc/-: no
            /w/sub/in/main.c 3:12 Bytes Error gcc/-: no
            /w/a.c 1:1 Bytes Error gcc/-: no
            /w/sub/main.c 3:12 Bytes Error gcc/-: no
            main.c 3:12 Bytes Error gcc/-: no
            build/main.c 3:12 Bytes Error gcc/-: no
            6 ignored, 0 dropped
        "#]],
    );
}

#[test]
fn place_where_a_compiler_stopped_is_no_mistake() {
    check(
        "./a.go:3:5: undefined: x\n./a.go:9:2: too many errors\n",
        expect![[r#"
            ./a.go 3:5 Bytes Error compiler/-: undefined: x
            1 ignored, 0 dropped
        "#]],
    );
}

#[test]
fn line_with_a_byte_order_mark_is_the_one_that_the_tool_shows() {
    let report = &read("b.py:1:8: F401 [*] `sys` imported but unused\n1 | import sys\n  |        ^^^ F401\n")
        .diagnostics[0];
    let text = "\u{feff}import sys\n".into();
    assert!(report.is_of(&text), "{report:?}");
    assert_eq!(report.span(&text), 10..13);
}

#[test]
fn lines_of_pyright_and_of_vet_are_read() {
    check(
        "/w/app.py\n  /w/app.py:3:18 - error: \"parse_lien\" is unknown import symbol (reportAttributeAccessIssue)\n  \
         /w/app.py:4:5 - error: Cannot access attribute \"b\" for class \"A\"\n    Attribute \"b\" is unknown \
         (reportAttributeAccessIssue)\n  /w/app.py:5:1 - warning: no\n2 errors, 1 warning, 0 informations\n",
        expect![[r#"
            /w/app.py 3:18 Utf16 Error pyright/reportAttributeAccessIssue: "parse_lien" is unknown import symbol
            /w/app.py 4:5 Utf16 Error pyright/-: Cannot access attribute "b" for class "A"
                Attribute "b" is unknown (reportAttributeAccessIssue)
            /w/app.py 5:1 Utf16 Warning pyright/-: no
            2 ignored, 0 dropped
        "#]],
    );
    check(
        "# example.com/a\nvet: ./case.go:5:2: undefined: x\n",
        expect![[r#"
            ./case.go 5:2 Bytes Error compiler/-: undefined: x
            1 ignored, 0 dropped
        "#]],
    );
}

#[test]
fn two_tools_in_one_output_are_both_read() {
    check(
        "make: entering\na.c:1:2: error: no\ncase.go:5:2: undefined: x\nmake: *** [all] Error 1\n",
        expect![[r#"
            a.c 1:2 Bytes Error gcc/-: no
            case.go 5:2 Bytes Error compiler/-: undefined: x
            2 ignored, 0 dropped
        "#]],
    );
}

#[test]
fn half_a_document_gives_what_is_complete() {
    check(
        "[{\"filePath\":\"a.js\",\"messages\":[{\"ruleId\":\"semi\",\"severity\":2,\"message\":\"m\",\"line\":1,\"column\":2}]},\n{\"filePath\":\"b.js\",\"mess",
        expect![[r#"
            a.js 1:2 Utf16 Error eslint/semi: m
            0 ignored, 0 dropped, cut
        "#]],
    );
    check(
        "{\"runs\": [{\"results\": [\na.c:1:2: error: no\n",
        expect![[r#"
        a.c 1:2 Bytes Error gcc/-: no
        1 ignored, 0 dropped
    "#]],
    );
}

#[test]
fn choice_between_two_fixes_is_no_fix() {
    let span = |text: &str| {
        format!(
            "{{\"file_name\":\"a.rs\",\"line_start\":1,\"line_end\":1,\"column_start\":1,\"column_end\":1,\"is_primary\":true,\
             \"suggested_replacement\":\"{text}\",\"suggestion_applicability\":\"MaybeIncorrect\"}}"
        )
    };
    let message = |spans: &str| {
        format!(
            "{{\"message\":\"m\",\"level\":\"error\",\"code\":null,\"spans\":[{}],\"children\":[\
             {{\"message\":\"use\",\"level\":\"help\",\"children\":[],\"spans\":[{spans}]}}]}}\n",
            span("").replace("\"suggested_replacement\":\"\",", "")
        )
    };
    check(
        &message(&span("use a;")),
        expect![[r#"
        a.rs 1:1-1:1 Characters Error rustc/-: m
            use
            Unknown "use": 1:1-1:1="use a;"
    "#]],
    );
    check(
        &message(&format!("{},{}", span("use a;"), span("use b;"))),
        expect![[r#"
        a.rs 1:1-1:1 Characters Error rustc/-: m
            use
    "#]],
    );
}

#[test]
fn tracebacks_end_where_the_error_is() {
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    load(1)\n  File \"b.py\", line 2, \
         in load\n    return json.loads(text)\n           ^^^^\nNameError: name 'json' is not defined\n",
        expect![[r#"
            b.py 2:>8-2:>12 Characters Error cpython/NameError: name 'json' is not defined
            1 ignored, 0 dropped
        "#]],
    );
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \
         \"/usr/lib/python3.11/json/x.py\", line 2, in load\n    g()\nValueError\n",
        expect![[r#"
            a.py 4 Characters Error cpython/ValueError: ValueError
            1 ignored, 0 dropped
        "#]],
    );
}

/// Frames without an error are read once, and the text after them as well.
#[test]
fn traceback_without_an_error_is_passed_over() {
    check(
        "  File \"a.py\", line 1\n    a()\na.c:1:2: error: no\n",
        expect![[r#"
            a.c 1:2 Bytes Error gcc/-: no
            2 ignored, 0 dropped
        "#]],
    );
    let frames = "  File \"a.py\", line 1\n".repeat(200_000);
    assert_eq!(read(&frames).ignored_lines, 200_000);
}

#[test]
fn noise_is_counted() {
    check(
        "12:30:45: started\nhttp://host:80: up\n\n{ braces\n[*] 1 fixable\n{}\n",
        expect![[r#"
        5 ignored, 0 dropped
    "#]],
    );
}

#[test]
fn many_diagnostics_are_dropped_beyond_the_limit() {
    let output = "a.c:1:2: error: no\n".repeat(limits::DIAGNOSTICS + 5);
    let report = read(&output);
    assert_eq!((report.diagnostics.len(), report.dropped), (limits::DIAGNOSTICS, 5));
}

/// A frame outside a traceback.
#[test]
fn frame_without_a_traceback_is_passed_over() {
    let report = read("File \"a.py\", line 1\na.c:1:2: error: no\n");
    assert_eq!((report.diagnostics.len(), report.ignored_lines), (1, 1));
}

/// Lines that look like the beginning of a document that never ends.
#[test]
fn unfinished_documents_take_no_more_time_than_text() {
    let output = "{\"a\": \"\n".repeat(200_000);
    assert_eq!(read(&output).ignored_lines, 200_000);
}

mod properties {
    use proptest::prelude::*;

    use super::super::read;

    proptest! {
        /// The reader terminates on any input.
        #[test]
        fn any_text_is_read(text in "(error(\\[E1\\])?: é\n|  --> a.rs:1:2\n|1 \\| x\n|  \\| \\^+ help: a\n|  File \"a.py\", line 1\n|File \"a.py\", line 1\n|a.c:[0-9]{1,30}:2: \\w*\n|\\{\"[a-z]\": ?|\\[\\{|\"\\}\\]?|E   A?Error: |\u{1b}\\[?|\\PC|\n)*") {
            read(&text);
        }
    }
}

#[test]
fn message_about_a_whole_file_is_read() {
    check(
        "conftest.py: error: Duplicate module named \"conftest\" (also at \"./a/conftest.py\")\nFound 1 error in 1 file\n",
        expect![[r#"
            conftest.py 1 Bytes Error mypy/-: Duplicate module named "conftest" (also at "./a/conftest.py")
            1 ignored, 0 dropped
        "#]],
    );
}

#[test]
fn marked_first_line_is_of_its_file() {
    let output = "I001 [*] Import block is un-sorted\n --> m.py:1:1\n  |\n1 | / import sys\n2 | | import os\n  | |_________^\n";
    let report = &read(output).diagnostics[0];
    assert!(report.is_of(&"import sys\nimport os\n".into()), "{report:?}");
    assert!(!report.is_of(&"import os\nimport sys\n".into()), "{report:?}");
}
