//! Blocks that occur at many positions, at none, or nearly match one.

use super::Case;
use super::replies::read_and_check;
use crate::Prepared;
use crate::text::{assignments, lines, marked};

fn block(language: &'static str, text: String, old: &str, new: &str) -> Prepared {
    let reply = format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n");
    read_and_check(language, text, None, reply)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("place: equal lines in twice as many", 500, |n| {
            block("plain", "row\n".repeat(2 * n), &"row\n".repeat(n), "one\n")
        }),
        Case::new("place: equal lines and one that differs", 500, |n| {
            let text = "row\n".repeat(2 * n);
            block("plain", text, &("row\n".repeat(n) + "end\n"), "one\n")
        }),
        Case::new("place: equal lines as a hunk", 500, |n| {
            let old = "row\n".repeat(n);
            let reply = format!("@@ -1,{n} +1,1 @@\n{} a\n-b\n+c\n", marked(' ', &old));
            read_and_check("plain", "row\n".repeat(2 * n), None, reply)
        }),
        Case::new("place: two lines in turn", 500, |n| {
            block("plain", "a\nb\n".repeat(2 * n), &"a\nb\n".repeat(n / 2), "one\n")
        }),
        Case::new("place: everywhere, as JSON", 500, |n| {
            let edit = serde_json::json!([{ "old_string": "row", "new_string": "one", "replace_all": true }]);
            read_and_check("plain", "row 1\n".repeat(n), None, edit.to_string())
        }),
        Case::new("place: a string in one line of many equal", 500, |n| {
            let edit = serde_json::json!([{ "old_string": "ow 1\nr", "new_string": "one" }]);
            read_and_check("plain", "row 1\n".repeat(n), None, edit.to_string())
        }),
        Case::new("place: overlapping strings", 2_000, |n| {
            let edit = serde_json::json!([{ "old_string": "a".repeat(n / 2), "new_string": "one" }]);
            read_and_check("plain", "a".repeat(n) + "\n", None, edit.to_string())
        }),
        Case::new("place: lines that are nowhere", 500, |n| {
            let text = lines(n);
            block("rust", text.clone(), &(text + "nowhere\n"), "one\n")
        }),
        Case::new("place: many blocks that are nowhere", 100, |n| {
            let reply: String = (0..n)
                .map(|n| format!("<<<<<<< SEARCH\nnowhere_{n}\n=======\none\n>>>>>>> REPLACE\n"))
                .collect();
            read_and_check("rust", lines(10 * n), None, reply)
        }),
        Case::new("place: lines in another order", 500, |n| {
            let text = assignments(n);
            let mut old: Vec<&str> = text.split_inclusive('\n').collect();
            old.reverse();
            block("python", text.clone(), &old.concat(), "one = 1\n")
        }),
        Case::new("place: lines with blank ones left out", 250, |n| {
            let text = assignments(n).replace('\n', "\n\n");
            block("python", text, "value_3 = compute(3)\nvalue_4 = compute(4)\n", "one = 1\n")
        }),
        Case::new("place: first line in many places", 500, |n| {
            let text = "begin\n\nmiddle\n".repeat(n);
            block("plain", text, "begin\nmiddle\nlast\n", "one\n")
        }),
        Case::new("place: long block with a letter wrong", 500, |n| {
            let text = assignments(n);
            block("python", text.clone(), &text.replace("value_7 ", "valu_7 "), "one = 1\n")
        }),
        Case::new("place: indented otherwise", 500, |n| {
            let text = lines(n);
            let inner: String = text.split_inclusive('\n').map(|line| format!("        {line}")).collect();
            block("rust", inner, &text, &text.replacen("function_0", "first", 1))
        }),
        Case::new("place: lines in tabs", 500, |n| {
            let text: String = (0..n).map(|n| format!("\trow_{n};\n")).collect();
            let new: String = (0..n).map(|n| format!("    line_{n};\n")).collect();
            block("plain", text.clone(), &text, &new)
        }),
        Case::new("place: a hunk with gaps", 200, |n| {
            let text = lines(n * 10);
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let part = |part: &[&str]| {
                let new = part[1].replacen('_', "_new_", 1);
                format!(" {}-{}+{new} {} ...\n", part[0], part[1], part[2])
            };
            let hunks: String = all.chunks(10).map(part).collect();
            read_and_check("rust", text.clone(), None, format!("```diff\n@@ -1 +1 @@\n{hunks}```\n"))
        }),
        Case::new("place: hunks behind definitions", 200, |n| {
            let text = lines(n * 5);
            let hunk = |n: usize| {
                let n = n * 5;
                format!("@@ fn function_{n}(\n-    Output::default_{0}()\n+    Output::new_{0}()\n", n + 3)
            };
            let hunks: String = (0..n).map(hunk).collect();
            read_and_check(
                "rust",
                text,
                None,
                format!("*** Begin Patch\n*** Update File: x\n{hunks}*** End Patch\n"),
            )
        }),
        Case::new("place: blocks in equal lines, told by numbers", 200, |n| {
            let hunks: String =
                (0..n).map(|n| format!("@@ -{0} +{0} @@\n-row\n+line\n", n * 10 + 1)).collect();
            read_and_check(
                "plain",
                "row\n".repeat(n * 10),
                None,
                format!("```diff\n--- a/x\n+++ b/x\n{hunks}```\n"),
            )
        }),
        Case::new("place: one change in equal lines", 1_000, |n| {
            let text = "row\n".repeat(n);
            let new = format!("{}one\n{}", "row\n".repeat(n / 2), "row\n".repeat(n / 2));
            read_and_check("plain", text, None, format!("```\n{new}```\n"))
        }),
        Case::new("place: old lines replaced by as many", 1_000, |n| {
            let (text, new) = (assignments(n), assignments(n).replace("value", "row"));
            read_and_check("python", text, None, format!("```\n{new}```\n"))
        }),
        Case::new("place: few different lines, shuffled", 1_000, |n| {
            let row = |n: usize| format!("row({});\n", n * 7919 % 13);
            let text: String = (0..n).map(row).collect();
            let new: String = (0..n).map(|n| row(n * 31 + n / 7)).collect();
            read_and_check("plain", text, Some(0..0), format!("```\n{new}```\n"))
        }),
        Case::new("place: lines moved far", 1_000, |n| {
            let text = assignments(n);
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let (first, second) = all.split_at(n / 2);
            let new = second.concat() + &first.concat();
            read_and_check("python", text.clone(), None, format!("```\n{new}```\n"))
        }),
    ]
}
