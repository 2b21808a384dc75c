//! Replies in every format for one file, with the resulting text.

mod calls;
mod diffs;
mod search_replace;

use super::*;
use crate::edit::{Flag, Request, apply, in_order};

/// Reads a reply for the file `src/main.rs`, as a whole and character by character.
///
/// `«…»` in the file marks the requested range. `expected` is the resulting file, or `refused: code`.
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
            assert!(in_order(&file, &outcome.edits.0), "{:?}", outcome.edits);
            assert_eq!(apply(&file, &outcome.edits.0), expected, "{outcome:?}");
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
            assert!(yielded.without(&outcome.edits).is_empty(), "more was yielded than {outcome:?}");
        }
    }
}

const FILE: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

#[track_caller]
fn check_two(reply: &str) {
    check(FILE, reply, &FILE.replace("two", "three"));
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
    // The byte-order mark stays at the start and is not part of the first line.
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
    // Skipped text is not copied and takes no stack space.
    let thoughts = "<think></think>".repeat(100_000) + "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let outcome = read(Request { text: "a\n", ..Request::default() }, &thoughts);
    assert_eq!(outcome.map(|outcome| outcome.edits.0.len()), Ok(1));
    let mut reader = Reader::new(Request { text: "a\n", ..Request::default() });
    let chunk = "x".repeat(1024 * 1024);
    for _ in 0..64 {
        reader.push(&chunk);
    }
    assert_eq!(reader.finish().map_err(|refusal| refusal.code()), Err("too-large"));
}
