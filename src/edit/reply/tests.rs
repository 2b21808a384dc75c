use super::*;
use crate::edit::{apply, in_order};

/// Reads a reply for the file `src/main.rs`, as a whole and cut at every character. `«…»` in the file marks
/// the asked range. `expected` is the resulting file, or `refused: code`.
#[track_caller]
fn check(marked: &str, reply: &str, expected: &str) {
    let (file, range) = match (marked.find('«'), marked.find('»')) {
        (Some(start), Some(end)) => (marked.replace(['«', '»'], ""), Some(start..end - '«'.len_utf8())),
        _ => (marked.to_owned(), None),
    };
    let request =
        || Request { text: &file, path: Some("src/main.rs"), range: range.clone(), ..Request::default() };
    let outcome = read(request(), reply);
    match &outcome {
        Ok(outcome) => {
            assert!(in_order(&file, &outcome.edits), "{:?}", outcome.edits);
            assert_eq!(apply(&file, &outcome.edits), expected, "{outcome:?}");
        }
        Err(refusal) => assert_eq!(format!("refused: {}", refusal.code()), expected, "{refusal}"),
    }
    for (cut, _) in reply.char_indices() {
        let mut reader = Reader::new(request());
        let mut yielded = reader.push(&reply[..cut]);
        yielded.extend(reader.push(&reply[cut..]));
        let streamed = reader.finish();
        assert_eq!(streamed, outcome, "cut at {cut}");
        if let Ok(outcome) = &outcome {
            assert!(yielded.iter().all(|edit| outcome.edits.contains(edit)), "yielded {yielded:?}");
        }
    }
}

const FILE: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

#[track_caller]
fn check_two(reply: &str) {
    check(FILE, reply, &FILE.replace("two", "three"));
}

#[test]
fn search_replace_in_all_dialects() {
    check_two(
        "src/main.rs\n```rust\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n```\n",
    );
    check_two("<<<<< search\n    two();\n=====\n    three();\n>>>>> replace");
    check_two("Sure.\n\n------- SEARCH\n    two();\n=======\n    three();\n+++++++ REPLACE\nDone.");
    check_two("<<<<<<< ORIGINAL\n    two();\n=======\n    three();\n>>>>>>> UPDATED\n");
    check_two("<<<<<<< SEARCH>\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
    check_two("<<<<<<< SEARCH\n:start_line:6\n-------\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
    check_two(
        "1. Do it:\n   <<<<<<< SEARCH\n       two();\n   =======\n       three();\n   >>>>>>> REPLACE\n",
    );
    check_two("<old_text>\n    two();\n</old_text>\n<new_text>\n    three();\n</new_text>\n");
    check_two("<old_text>two</old_text><new_text>three</new_text>");
    check_two("```\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
}

#[test]
fn search_replace_that_is_not_certain() {
    check(FILE, "<<<<<<< SEARCH\n}\n=======\n};\n>>>>>>> REPLACE\n", "refused: ambiguous");
    check(FILE, "<<<<<<< SEARCH\n    two();\n    three();\n>>>>>>> REPLACE\n", "refused: malformed");
    check(FILE, "<<<<<<< SEARCH\n    two();\n=======\n    three();\n", "refused: truncated");
    check(FILE, "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPL", "refused: truncated");
    check(
        FILE,
        "<<<<<<< SEARCH\n    two();\n=======\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "refused: truncated",
    );
    check(FILE, "<<<<<<< SEARCH\n=======\n    three();\n>>>>>>> REPLACE\n", "refused: no-old-text");
    check(
        FILE,
        "src/lib.rs\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n",
        "refused: other-file",
    );
    check("", "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n", "new\n");
    let block = |new: &str| format!("<<<<<<< SEARCH\n    two();\n=======\n    {new};\n>>>>>>> REPLACE\n");
    check_two(&(block("three()") + &block("three()")));
    check(FILE, &(block("three()") + &block("four()")), "refused: overlapping");
    check(FILE, &block("two()"), FILE);
}

#[test]
fn the_next_edit_may_be_cut_off() {
    let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    for next in ["<<<<", "<<<<<<< SEA", "\n```rust", "\n```rust\n"] {
        check(FILE, &format!("{block}{next}"), "refused: truncated");
    }
    check_two(&format!("{block}```sh\ncargo test"));
    check_two(&format!("{block}---"));
    let hunk = "--- a/main.rs\n+++ b/main.rs\n@@ @@\n fn b() {\n-    two();\n+    three();\n";
    check_two(hunk);
    check(FILE, hunk.trim_end(), "refused: truncated");
    check_two(&format!("{hunk} }}"));
    for next in ["@@ -1,2 +1,2 @@\n", "@@ @@\n fn a() {\n", "@@ -1,3 +1,3 @@\n fn a() {\n     one"] {
        check(FILE, &format!("{hunk}{next}"), "refused: truncated");
    }
}

#[test]
fn a_divider_too_many() {
    let block = |new: &str| format!("<<<<<<< SEARCH\n    two();\n=======\n{new}>>>>>>> REPLACE\n");
    check(FILE, &block("    three();\n=======\n"), "refused: not-found");
    check(FILE, &block("=======\n    three();\n"), "refused: not-found");
    let old = "one\n===\n\nwords\n".replace("===", "=====");
    check(
        &old,
        "<<<<<<< SEARCH\none\n=====\n=======\nfour\n======\n>>>>>>> REPLACE\n",
        "four\n======\n\nwords\n",
    );
}

#[test]
fn a_divider_that_is_also_text() {
    let file = "Title\n=======\n\ntext\n";
    check(
        file,
        "<<<<<<< SEARCH\nTitle\n=======\n=======\nHeading\n=======\n>>>>>>> REPLACE\n",
        "Heading\n=======\n\ntext\n",
    );
    check(
        file,
        "<<<<<<< SEARCH\ntext\n=======\nMore\n=======\nend\n>>>>>>> REPLACE\n",
        "Title\n=======\n\nMore\n=======\nend\n",
    );
}

#[test]
fn unified_diffs() {
    check_two(
        "```diff\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -5,3 +5,3 @@\n fn b() {\n-    two();\n+    three();\n }\n```\n",
    );
    check_two(
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -50,3 +70,3 @@ fn x\n fn b() {\n-    two();\n+    three();\n }\n",
    );
    check_two(
        "--- src/main.rs\n+++ src/main.rs\n@@ ... @@\n fn b() {\n-    two();\n+    three();\n }\n\nThat does it.\n",
    );
    check_two("```diff\n fn b() {\n-    two();\n+    three();\n }\n```");
    check_two("```diff\nfn b() {\n-    two();\n+    three();\n}\n```");
    check_two(
        "diff --git a/src/main.rs b/src/main.rs\nindex 1..2 100644\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -6 +6 @@\n-    two();\n+    three();\n",
    );
    check_two(
        "git apply <<'EOF'\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -6 +6 @@\n-    two();\n+    three();\nEOF\n",
    );
    check(FILE, "```diff\n-    two();\n+    three();\n", "refused: truncated");
    check(
        FILE,
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -5,3 +5,4 @@\n fn b() {\n-    two();\n+    thr",
        "refused: truncated",
    );
    check(
        FILE,
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -6 +6 @@\n-    two();\n+    three();\n",
        "refused: other-file",
    );
    check(FILE, "--- a/src/main.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-fn a() {\n", "refused: file-operation");
}

#[test]
fn lines_that_look_like_a_diff() {
    let file = "-- a\n++ b\n@@ c\n";
    check(file, "```diff\n@@ -1,3 +1,3 @@\n--- a\n+-- x\n ++ b\n @@ c\n```\n", "-- x\n++ b\n@@ c\n");
    check("x\n", "```diff\n@@ -1 +1,3 @@\n-x\n+-- y\n+++ z\n```\n", "-- y\n++ z\n");
}

#[test]
fn patches() {
    check_two(
        "*** Begin Patch\n*** Update File: src/main.rs\n@@ fn b() {\n-    two();\n+    three();\n*** End Patch\n",
    );
    check_two(
        "```\n*** Begin Patch\n*** Update File: main.rs\n fn b() {\n-    two();\n+    three();\n }\n*** End Patch\n```",
    );
    check_two(
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\nfn b() {\n-    two();\n+    three();\n}\n*** End Patch\n",
    );
    check_two(
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/main.rs\n@@\n-    two();\n+    three();\n*** End Patch\nEOF\n",
    );
    check_two(
        "{\"input\": \"*** Begin Patch\\n*** Update File: src/main.rs\\n@@\\n-    two();\\n+    three();\\n*** End Patch\\n\"}",
    );
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\n-    two();\n+    three();\n",
        "refused: truncated",
    );
    check(FILE, "*** Begin Patch\n*** Delete File: src/main.rs\n*** End Patch\n", "refused: file-operation");
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n*** Move to: src/x.rs\n@@\n-    two();\n+    t();\n*** End Patch\n",
        "refused: file-operation",
    );
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\n+fn c() {}\n*** End Patch\n",
        "refused: no-old-text",
    );
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\n+fn c() {}\n*** End of File\n*** End Patch\n",
        &(FILE.to_owned() + "fn c() {}\n"),
    );
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n@@ fn a() {\n-}\n+};\n*** End Patch\n",
        &FILE.replacen("}\n", "};\n", 1),
    );
    check(
        FILE,
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\n-}\n+};\n*** End of File\n*** End Patch\n",
        "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n};\n",
    );
}

#[test]
fn marks_that_are_written_otherwise() {
    let hunk = "@@\n fn b() {\n-    two();\n+    three();\n";
    let patch = |mark: &str, end: &str| format!("*** Begin Patch\n{mark}{hunk}{end}");
    check_two(&patch("  *** Update File: src/main.rs\n", "*** End Patch\n"));
    check_two(&patch("Update File: src/main.rs\n", "*** End Patch\n"));
    check_two(&patch("", "*** End Patch\n"));
    for end in ["  *** End Patch\n", " *** End Patch", "End Patch\n\nThat is all.\n"] {
        check_two(&patch("*** Update File: src/main.rs\n", end));
    }
    let all: String = patch("*** Update File: src/main.rs\n", "*** End Patch\n")
        .lines()
        .map(|line| format!("   {line}\n"))
        .collect();
    check_two(&format!("1. So:\n{all}"));
    let two = |second: &str| {
        patch(
            "*** Update File: src/main.rs\n",
            &format!("{second}@@\n-    one();\n+    four();\n*** End Patch\n"),
        )
    };
    check(FILE, &two("  *** Update File: src/main.rs\n"), "refused: not-found");
    check(FILE, &two("Update File: src/lib.rs\n"), "refused: not-found");
}

#[test]
fn no_line_of_a_reply_is_lost() {
    let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    for stray in [
        "SEARCH\n    one();\n=======\n    x();\n>>>>>>> REPLACE\n",
        "@@ ... @@\n-    one();\n+    x();\n",
        "{\"old_string\": \"one\", \"new_string\": \"x\"}\n",
        "one\n</old_text>\n<new_text>\nx\n</new_text>\n",
        "*** End of File\n",
    ] {
        check(FILE, &format!("{block}\n{stray}"), "refused: malformed");
        check(FILE, &format!("{stray}\n{block}"), "refused: malformed");
    }
    check_two(&format!("{block}>>>>>>> REPLACE\n"));
    check(FILE, "*** Begin Patch\n*** Update File: src/main.rs\n*** End Patch\n", "refused: malformed");
    check(FILE, "*** Begin Patch\nHello.\n*** End Patch\n", "refused: malformed");
    check(FILE, "*** Begin Patch\n*** End Patch\n", "refused: malformed");
    check(FILE, "```diff\n@@ -1,2 +1,2 @@\n```\n", "refused: malformed");
    check(FILE, "```diff\n@@\n nothing like it\n```\n", "refused: not-found");
    check(
        FILE,
        &format!("{block}<<<<<<< SEARCH\nghost\n=======\nghost\n>>>>>>> REPLACE\n"),
        "refused: not-found",
    );
    check(FILE, "diff --git a/src/main.rs b/src/main.rs\nBinary files differ\n", "refused: file-operation");
}

#[test]
fn another_files_folders() {
    let patch = |path: &str| {
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n-    two();\n+    three();\n*** End Patch\n")
    };
    for path in ["main.rs", "a/src/main.rs", "/home/me/x/src/main.rs", "./src/main.rs"] {
        check_two(&patch(path));
    }
    for path in ["tests/main.rs", "src/bin/main.rs", "/home/me/x/main.rs"] {
        check(FILE, &patch(path), "refused: other-file");
    }
    check(FILE, &format!("tests/main.rs\n```\n{}```\n", FILE.replace("two", "three")), "refused: other-file");
}

#[test]
fn replies_that_may_be_cut() {
    let flags = |range: Option<std::ops::Range<usize>>, reply: &str| {
        let request = Request { text: FILE, range, ..Request::default() };
        read(request, reply).map(|outcome| outcome.flags.iter().map(Flag::code).collect::<Vec<_>>())
    };
    let hunk = "@@ -5,3 +5,3 @@\n fn b() {\n-    two();\n+    three();\n }\n";
    let diff = format!("--- a/src/main.rs\n+++ b/src/main.rs\n{hunk}");
    let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    let open = Ok(vec!["may-be-cut"]);
    assert_eq!(flags(Some(9..20), "    two();\n"), open);
    assert_eq!(flags(Some(9..20), "```\n    two();\n```\n"), Ok(Vec::new()));
    assert_eq!(flags(Some(9..20), "    one();\n"), Ok(vec!["unchanged"]));
    assert_eq!(flags(None, &FILE.replace("two", "three")), open);
    assert_eq!(flags(None, &diff), Ok(Vec::new()));
    assert_eq!(flags(None, &diff.replace("-5,3 +5,3", "...")), open);
    assert_eq!(flags(None, &format!("```diff\n{diff}```\n")), Ok(Vec::new()));
    assert_eq!(flags(None, block), Ok(Vec::new()));
    assert_eq!(flags(None, &format!("```\n{block}")), open);
    for next in ["@@", "@", "@@ -1,2 ", "@@ -1,2 +1,2 @@\n", "--- a/x.rs\n+++ b/x.rs\n"] {
        check(FILE, &format!("{diff}{next}"), "refused: truncated");
    }
}

#[test]
fn a_hunk_with_more_context_than_it_ends_with_goes_on() {
    let file = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
    let diff = |counts: &str, after: &str| {
        format!("--- a/src/main.rs\n+++ b/src/main.rs\n@@ {counts} @@\n a\n b\n c\n-d\n+x\n{after}")
    };
    check(file, &diff("-1,11 +1,11", " e\n f\n g\n h\n"), "refused: truncated");
    check(file, &diff("-1,11 +1,11", " e\n f\n g\n"), &file.replace('d', "x"));
    check(file, &diff("-1,8 +1,8", " e\n f\n g\n h\n"), &file.replace('d', "x"));
}

#[test]
fn hunks_for_other_lines_are_not_the_same_one() {
    let file = "fn f() {\n    a();\n    x();\n    b();\n}\n";
    let hunk = |at: usize, lines: &str| format!("@@ -{at} +{at} @@ fn f() {{\n{lines}");
    let diff = |second: &str| format!("{}{second}", hunk(2, "     a();\n-    x();\n+    y();\n"));
    let done = file.replace("x()", "y()");
    check(file, &diff(&hunk(2, "     a();\n-    x();\n+    y();\n     b();\n")), &done);
    check(file, &diff(&hunk(30, "-    x();\n+    y();\n     b();\n")), "refused: overlapping");
    // Both places lie in the definition that both hunks name.
    let twice = file.replace("    b();\n", "    b();\n    x();\n    b();\n");
    check(&twice, &hunk(40, "-    x();\n+    y();\n     b();\n"), "refused: ambiguous");
}

#[test]
fn a_number_decides_only_where_none_is_wrong() {
    let file = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\nfn c() {\n    z();\n}\n";
    let one = |at: usize| format!("@@ -{at} +{at} @@\n-    x();\n+    y();\n");
    let other = |at: usize| format!("@@ -{at} +{at} @@\n-    z();\n+    w();\n");
    let done = "fn a() {\n    x();\n}\nfn b() {\n    y();\n}\nfn c() {\n    w();\n}\n";
    check(file, &[one(5), other(8)].concat(), done);
    check(file, &[other(8), one(5)].concat(), done);
    check(file, &[one(5), other(11)].concat(), "refused: malformed");
    check(file, &[other(11), one(5)].concat(), "refused: malformed");
    check(file, &other(11), &file.replace("z()", "w()"));
}

#[test]
fn json_edits() {
    check_two("{\"path\": \"src/main.rs\", \"old_string\": \"two\", \"new_string\": \"three\"}");
    check_two("```json\n[{\"old_str\": \"    two();\\n\", \"new_str\": \"    three();\\n\"}]\n```");
    check_two("{\"edits\": [{\"start_line\": 6, \"old_text\": \"two();\", \"new_text\": \"three();\"}]}");
    check(FILE, "{\"old_string\": \"()\", \"new_string\": \"(x)\"}", "refused: ambiguous");
    check(
        FILE,
        "{\"old_string\": \"()\", \"new_string\": \"(x)\", \"replace_all\": true}",
        &FILE.replace("()", "(x)"),
    );
    check(FILE, "{\"old_string\": \"two\", \"new_string\": \"thr", "refused: truncated");
    check(FILE, "{\"start_line\": 6, \"end_line\": 6, \"new_text\": \"x\"}", "refused: no-old-text");
    check(FILE, "{\"edits\": []}", FILE);
}

#[test]
fn marked_spans() {
    let window = span::cut(FILE, 0..FILE.len());
    let tag = |at: usize| format!("<@{}>\n", window.tags[at].0);
    check_two(&format!("{}fn b() {{\n    three();\n}}\n{}", tag(1), tag(2)));
    check_two(&format!("Here:\n{}```rust\nfn b() {{\n    three();\n}}\n```\n{}Done.", tag(1), tag(2)));
    check(FILE, &format!("{}{}", tag(1), tag(2)), "fn a() {\n    one();\n}\n\n");
    check(FILE, &format!("{}fn b() {{\n    thr", tag(1)), "refused: truncated");
    check(FILE, &format!("{}fn b() {{}}\n<@0000>\n", tag(1)), "refused: malformed");
    check(FILE, "NO_EDITS", FILE);
}

#[test]
fn regions() {
    let file = "fn a() {\n«    one();\n»}\n";
    check(file, "```rust\n    two();\n```", "fn a() {\n    two();\n}\n");
    check(file, "two();\n", "fn a() {\n    two();\n}\n");
    check(file, "```\nfn a() {\n    two();\n}\n```", "fn a() {\n    two();\n}\n");
    check(file, "I cannot see what you mean.", "fn a() {\n    one();\n}\n");
    check(file, "```\n    two();\n", "refused: truncated");
    check(file, "<think>```\n```</think>\n```\n    two();\n```", "fn a() {\n    two();\n}\n");
    check(
        file,
        "<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n",
        "fn a() {\n    two();\n}\n",
    );
    check(file, "<<<<<<< SEARCH\nfn a() {\n=======\nfn b() {\n>>>>>>> REPLACE\n", "refused: out-of-scope");
    let file = "use x;\n\nfn a() {\n«    one();\n»}\n\nfn c() {}\n";
    let whole = |inner: &str, last: &str| {
        format!("```\nuse x;\n\nfn a() {{\n    {inner};\n}}\n\nfn {last}() {{}}\n```")
    };
    check(file, &whole("two()", "c"), "use x;\n\nfn a() {\n    two();\n}\n\nfn c() {}\n");
}

#[test]
fn whole_files() {
    check_two("src/main.rs\n```rust\nfn a() {\n    one();\n}\n\nfn b() {\n    three();\n}\n```\n");
    check(
        FILE,
        "src/lib.rs\n```rust\nfn a() {\n    one();\n}\n\nfn b() {\n    three();\n}\n```\n",
        "refused: other-file",
    );
    check(FILE, "```rust\nfn a() {\n    one();\n}\n\nfn b() {\n    thr", "refused: truncated");
    check(FILE, "```\nfn b() {\n    three();\n}\n```", "refused: too-much-removed");
    check(FILE, "", "refused: empty");
    check(FILE, "It is fine as it is, I think.", FILE);
}

#[test]
fn thinking_and_drafts() {
    let edit = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    check_two(&format!("<think>\n{}</think>\n{edit}", edit.replace("three", "four")));
    check_two(&format!("The code is:\n```rust\nfn b() {{\n    two();\n}}\n```\nSo:\n{edit}"));
    check(FILE, &format!("<think>\n{edit}"), "refused: truncated");
}

#[test]
fn lazy_comments_are_never_written() {
    check(
        FILE,
        "<<<<<<< SEARCH\n    two();\n=======\n    three();\n    // ... existing code ...\n>>>>>>> REPLACE\n",
        "refused: elision",
    );
    check_two("```rust\n// ... existing code ...\n\nfn b() {\n    three();\n}\n```");
}

#[test]
fn files_keep_their_form() {
    check("a\r\nb\r\nc", "```diff\n-b\n+x\n```", "a\r\nx\r\nc");
    check("\u{feff}a\nb\n", "```diff\n-a\n+x\n b\n```", "\u{feff}x\nb\n");
    // The mark stays at the start, and is no part of the first line.
    for reply in [
        "```\nx\na\nb\n```",
        "```\n\u{feff}x\na\nb\n```",
        "```diff\n+\u{feff}x\n \u{feff}a\n```",
        "{\"old_string\": \"\u{feff}a\", \"new_string\": \"x\\na\"}",
    ] {
        check("\u{feff}a\nb\n", reply, "\u{feff}x\na\nb\n");
        check("«\u{feff}a\nb\n»", reply, "\u{feff}x\na\nb\n");
    }
    for empty in ["«»\u{feff}a\n", "\u{feff}«»a\n"] {
        check(empty, "```\nx\n```", "\u{feff}x\na\n");
    }
    check("\u{feff}", "```\naa\n```", "\u{feff}aa\n");
    check("a\nb", "```diff\n a\n-b\n+c\n+d\n```", "a\nc\nd");
    check("a\nb", "```diff\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n```", "a\nc\n");
}

#[test]
fn floods_are_refused() {
    let hunks = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(10_000);
    let refused = read(Request { text: "a\n", ..Request::default() }, &hunks);
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("too-large"));
    // What is skipped is not copied, and takes no place on the stack.
    let thoughts = "<think></think>".repeat(100_000) + "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let outcome = read(Request { text: "a\n", ..Request::default() }, &thoughts);
    assert_eq!(outcome.map(|outcome| outcome.edits.len()), Ok(1));
    let mut reader = Reader::new(Request { text: "a\n", ..Request::default() });
    let chunk = "x".repeat(1024 * 1024);
    for _ in 0..64 {
        reader.push(&chunk);
    }
    assert_eq!(reader.finish().map_err(|refusal| refusal.code()), Err("too-large"));
}
