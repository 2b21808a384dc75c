//! Unified diffs and patches.

use super::{FILE, check, check_two};

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
fn diffs_in_a_mail() {
    let diff = "diff --git a/src/main.rs b/src/main.rs\nindex 1..2 100644\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -5,2 +5,2 @@\n fn b() {\n-    two();\n+    three();\n";
    let head = "From 8f2b Mon Sep 17 00:00:00 2001\nFrom: A <a@b.org>\nSubject: [PATCH] Rename\n\n---\n src/main.rs | 2 +-\n\n";
    check_two(&format!("{head}{diff}-- \n2.43.0\n\n"));
    check_two(&format!("{head}{diff}--\n2.39.5 (Apple Git-154)"));
    check_two(&format!("{head}{diff}-- \n"));
    check_two(&format!("```diff\n{head}{diff}-- \n2.43.0\n```\n"));
    // Without a version it is a line of the diff, unless the diff is complete.
    check("a\n- \nb\n", "@@ -1,3 +1,3 @@\n a\n-- \n+c\n b\n", "a\nc\nb\n");
    check(FILE, &format!("{diff}-- \nThat is all.\n"), "refused: not-found");
}

#[test]
fn context_diffs() {
    let head = "*** src/main.rs.orig\t2025-03-03\n--- src/main.rs\t2025-03-03\n";
    let (old, new) = ("  fn b() {\n!     two();\n  }\n", "  fn b() {\n!     three();\n  }\n");
    let hunk = |old: &str, new: &str, (from, to): (&str, &str)| {
        format!("***************\n*** {from} ****\n{old}--- {to} ----\n{new}")
    };
    check_two(&format!("{head}{}", hunk(old, new, ("5,7", "5,7"))));
    check_two(&format!("```\n{head}{}```\nDone.\n", hunk(old, new, ("5,7", "5,7"))));
    let less = FILE.replace("    two();\n", "");
    let gone = old.replace('!', "-");
    check(FILE, &format!("{head}{}", hunk(&gone, "", ("5,7", "5,6"))), &less);
    check(FILE, &format!("{head}{}That is all.\n", hunk(&gone, "", ("5,7", "5,6"))), &less);
    let more = FILE.replace("    one();\n", "    one();\n    more();\n");
    let first = hunk("", "  fn a() {\n      one();\n+     more();\n  }\n", ("1,3", "1,4"));
    check(FILE, &format!("{head}{first}"), &more);
    let both = format!("{head}{first}{}", hunk(old, new, ("5,7", "6,8")));
    check(FILE, &both, &more.replace("two", "three"));
    // Truncated, with wrong counts, and for another file.
    for end in
        [both.len() - 4, both.len() - 8, both.rfind("--- 6,8").unwrap(), both.rfind("*** 5,7").unwrap()]
    {
        check(FILE, &both[..end], "refused: truncated");
    }
    check(FILE, &format!("{head}{}", hunk(&gone, "", ("5,7", "5,7"))), "refused: truncated");
    check(FILE, &format!("{head}{}", hunk(old, new, ("5,8", "5,7"))), "refused: truncated");
    let other = new.replace("  }", "  )");
    check(FILE, &format!("{head}{}", hunk(old, &other, ("5,7", "5,7"))), "refused: truncated");
    let last = hunk("  fn b() {\n!     two();\n", "  fn b() {\n!     three();\n", ("5,6", "5,6"));
    check_two(&format!("{head}{last}"));
    check(FILE, format!("{head}{last}").trim_end(), "refused: truncated");
    let blank = format!("{head}{}\n\n", hunk(&gone, "", ("5,7", "5,6")));
    check(FILE, &blank, &less);
    check(FILE, &both.replace("main", "lib"), "refused: other-file");
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
    // Both positions are in the definition that both hunks name.
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
