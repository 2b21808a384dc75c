//! Replies in every format: read, located and checked.

use std::hint::black_box;
use std::ops::Range;

use tandem::edit::{Request, accept, apply, span};
use tandem::grammar;

use super::Case;
use crate::Prepared;
use crate::text::{assignments, changed, lines, long_line, marked};

/// Reads a reply about a file, and checks the resulting edits.
pub(super) fn read_and_check(
    language: &'static str,
    text: String,
    range: Option<Range<usize>>,
    reply: String,
) -> Prepared {
    Box::new(move || {
        let grammar = grammar::by_language_id(language);
        let request = Request { text: &text, grammar, range: range.clone(), ..Request::default() };
        if let Ok(accepted) = accept(&request, &reply) {
            black_box(apply(&text, &accepted.edits));
        }
    })
}

/// The old lines, the new lines and the context, one piece for each `step` lines of a text.
fn pieces(text: &str, step: usize) -> impl Iterator<Item = (usize, [String; 4])> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let of = move |at: usize| {
        let around = [lines[at - 3..at].concat(), lines[at + 1..at + 4].concat()];
        let [before, after] = around;
        (at, [before, lines[at].to_owned(), lines[at].replacen('_', "_new_", 1), after])
    };
    let count = text.matches('\n').count();
    (5..count - 4).step_by(step).map(of)
}

fn search(text: &str, step: usize) -> String {
    let block = |(_, [before, old, new, after]): (usize, [String; 4])| {
        format!("<<<<<<< SEARCH\n{before}{old}{after}=======\n{before}{new}{after}>>>>>>> REPLACE\n")
    };
    pieces(text, step).map(block).collect()
}

fn unified(text: &str, step: usize) -> String {
    let hunk = |(at, [before, old, new, after]): (usize, [String; 4])| {
        format!("@@ -{0},7 +{0},7 @@\n{1}-{old}+{new}{2}", at - 2, marked(' ', &before), marked(' ', &after))
    };
    let hunks: String = pieces(text, step).map(hunk).collect();
    format!("```diff\n--- a/x\n+++ b/x\n{hunks}```\n")
}

fn patch(text: &str, step: usize) -> String {
    let hunk = |(_, [before, old, new, after]): (usize, [String; 4])| {
        format!("@@\n{}-{old}+{new}{}", marked(' ', &before), marked(' ', &after))
    };
    let hunks: String = pieces(text, step).map(hunk).collect();
    format!("*** Begin Patch\n*** Update File: x\n{hunks}*** End Patch\n")
}

fn json(text: &str, step: usize) -> String {
    let edit = |(_, [_, old, new, _]): (usize, [String; 4])| serde_json::json!({ "old_string": old, "new_string": new });
    serde_json::Value::Array(pieces(text, step).map(edit).collect()).to_string()
}

fn tags(text: &str, step: usize) -> String {
    let pair = |(_, [_, old, new, _]): (usize, [String; 4])| {
        format!("<old_text>\n{old}</old_text>\n<new_text>\n{new}</new_text>\n")
    };
    pieces(text, step).map(pair).collect()
}

fn spans(text: &str) -> String {
    let window = span::cut(text, 0..text.len());
    let tag = |pair: &[(String, usize)]| {
        let new = text[pair[0].1..pair[1].1].replacen('_', "_new_", 1);
        format!("<@{}>\n{new}<@{}>\n", pair[0].0, pair[1].0)
    };
    window.tags.chunks_exact(2).map(tag).collect()
}

fn of_file(reply: fn(&str, usize) -> String, step: usize, count: usize) -> Prepared {
    let text = lines(count);
    let reply = reply(&text, step);
    read_and_check("rust", text, None, reply)
}

/// Replaces the whole file, or a range that covers it, with another text.
fn anew(language: &'static str, is_range: bool, text: String, new: &str) -> Prepared {
    let range = is_range.then_some(0..text.len());
    let reply = format!("```\n{new}```\n");
    read_and_check(language, text, range, reply)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("reply: search/replace, few lines in a file", 500, |n| of_file(search, 10, 10 * n)),
        Case::new("reply: unified diff", 1_000, |n| of_file(unified, 10, n)),
        Case::new("reply: patch", 1_000, |n| of_file(patch, 10, n)),
        Case::new("reply: JSON", 1_000, |n| of_file(json, 10, n)),
        Case::new("reply: tags", 1_000, |n| of_file(tags, 10, n)),
        Case::new("reply: spans", 1_000, |n| {
            let text = lines(n);
            let reply = spans(&text);
            read_and_check("rust", text, None, reply)
        }),
        Case::new("reply: whole file", 1_000, |n| {
            let text = lines(n);
            anew("rust", false, text.clone(), &changed(&text, 10))
        }),
        Case::new("reply: range", 1_000, |n| {
            let text = lines(n);
            anew("rust", true, text.clone(), &changed(&text, 10))
        }),
        Case::new("reply: whole file, every second line", 1_000, |n| {
            let text = assignments(n);
            anew("python", false, text.clone(), &changed(&text, 2))
        }),
        Case::new("reply: diff of every second line", 250, |n| {
            let text = assignments(n * 8);
            let reply = unified(&text, 8);
            read_and_check("python", text, None, reply)
        }),
        Case::new("reply: whole file, every definition renamed", 1_000, |n| {
            let text = lines(n);
            anew("rust", false, text.clone(), &text.replace("fn function_", "fn other_"))
        }),
        Case::new("reply: range without its nested modules", 100, |n| {
            let (open, close): (String, String) = (0..n).map(|n| (format!("mod a_{n} {{\n"), "}\n")).unzip();
            anew("rust", true, format!("{open}{close}fn last() {{}}\n"), "fn last() {}\n")
        }),
        Case::new("reply: a text without a language", 1_000, |n| {
            let text = assignments(n);
            anew("plain", false, text.clone(), &changed(&text, 2))
        }),
        Case::new("reply: range beside a long line", 8_000, |n| {
            let text = format!("{}let a = 1;\n", long_line(n));
            anew("rust", true, text.clone(), &text.replace("a = 1", "a = 2"))
        }),
        Case::new("reply: whole file beside a long line", 8_000, |n| {
            let text = format!("{}let a = 1;\n", long_line(n));
            anew("javascript", false, text.clone(), &text.replace("a = 1", "a = 2"))
        }),
        Case::new("reply: change in a long line", 8_000, |n| {
            let text = long_line(n);
            anew("javascript", false, text.clone(), &text.replace("100005", "5"))
        }),
        Case::new("reply: many changes in a long line", 8_000, |n| {
            let text = long_line(n);
            anew("javascript", false, text.clone(), &text.replace("5, ", "6, "))
        }),
        Case::new("reply: long line with trailing blanks", 8_000, |n| {
            let text = format!("{}let a = 1;\n", long_line(n).replace(";\n", ";  \n"));
            anew("javascript", true, text.clone(), &text.replace("  \n", "\n").replace("a = 1", "a = 2"))
        }),
        Case::new("reply: long line in other signs", 4_000, |n| {
            let text = format!("// “{}”\nlet a = 1;\n", long_line(n).trim_end());
            let new = text.replace(['“', '”'], "\"").replace("a = 1", "a = 2");
            anew("javascript", true, text, &new)
        }),
        Case::new("reply: search in other signs in a long line", 2_000, |n| {
            let old = format!("// “{}” – 1\n", long_line(n).trim_end());
            let text = format!("{old}let a = 1;\n");
            let plain = old.replace(['“', '”'], "\"").replace('–', "-");
            let new = plain.replace("- 1", "- 2");
            let reply =
                format!("<<<<<<< SEARCH\n{plain}let a = 1;\n=======\n{new}let a = 1;\n>>>>>>> REPLACE\n");
            read_and_check("javascript", text, None, reply)
        }),
        Case::new("reply: lines in other signs", 500, |n| {
            let text: String = (0..n).map(|n| format!("say(“{n}”) – {n};\n")).collect();
            let plain = text.replace(['“', '”'], "\"").replace('–', "-");
            let new = plain.replace("say(", "tell(");
            let reply = format!("<<<<<<< SEARCH\n{plain}=======\n{new}>>>>>>> REPLACE\n");
            read_and_check("plain", text, None, reply)
        }),
        Case::new("reply: strings in a long line, as JSON", 4_000, |n| {
            let text = long_line(n);
            let edits: Vec<_> = (0..n / 80)
                .map(|n| (100_000 + 10 * n, 200_000 + 10 * n))
                .map(|(old, new)| serde_json::json!({ "old_string": format!("{old}, "), "new_string": format!("{new}, ") }))
                .collect();
            read_and_check("javascript", text, None, serde_json::Value::Array(edits).to_string())
        }),
        Case::new("reply: talk without code", 1_000, |n| {
            let talk: String = (0..n).map(|n| format!("I would look at place {n} first.\n")).collect();
            read_and_check("rust", lines(100), Some(0..0), talk)
        }),
        Case::new("reply: thinking before code", 1_000, |n| {
            let talk: String = (0..n).map(|n| format!("Place {n} may be it.\n")).collect();
            let text = lines(100);
            let reply = format!("<think>\n{talk}</think>\n```\n{}```\n", changed(&text, 10));
            read_and_check("rust", text, None, reply)
        }),
        Case::new("reply: fences", 500, |n| {
            let talk: String = (0..n).map(|n| format!("Say:\n```\nlet a_{n} = 1;\n```\n")).collect();
            read_and_check("rust", lines(100), Some(0..0), talk)
        }),
        Case::new("reply: fences beside a large file", 500, |n| {
            read_and_check("rust", lines(n), None, "Instead of this:\n```\nlet a = 1;\n```\n".repeat(n))
        }),
        Case::new("reply: gaps in a whole file", 200, |n| {
            let text = lines(n * 10);
            let part = |part: &[&str]| format!("{}// ... existing code ...\n", part[..4].concat());
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let new: String = all.chunks(10).map(part).collect();
            anew("rust", false, text.clone(), &new)
        }),
        Case::new("reply: a line that never ends", 20_000, |n| {
            read_and_check("rust", lines(100), None, "[{\"old_string\": \"".to_owned() + &"a ".repeat(n))
        }),
        Case::new("reply: nested brackets as JSON", 5_000, |n| {
            read_and_check("rust", lines(100), None, "[".repeat(n))
        }),
        Case::new("reply: dividers", 500, |n| {
            let reply = format!("<<<<<<< SEARCH\n{}>>>>>>> REPLACE\n", "a\n=======\n".repeat(n));
            read_and_check("rust", lines(100), None, reply)
        }),
        Case::new("reply: range moved to another column", 500, |n| {
            let text = lines(n);
            let inner: String = text.split_inclusive('\n').map(|line| format!("    {line}")).collect();
            anew("rust", true, inner, &changed(&text, 10))
        }),
        Case::new("reply: range of equal lines in other columns", 500, |n| {
            let row = |n: usize| format!("{}row(1);\n", " ".repeat(4 + n % 7));
            let text: String = (0..n).map(row).collect();
            let new: String = (0..n).map(|n| format!("{}row(1);\n", " ".repeat(n % 7))).collect();
            anew("plain", true, text, &(new + "end\n"))
        }),
        Case::new("reply: range in tabs for blanks", 500, |n| {
            let text: String = (0..n).map(|n| format!("{}row_{n}(1);\n", "\t".repeat(n % 5))).collect();
            anew("plain", true, text.clone(), &changed(&text.replace('\t', "    "), 10))
        }),
    ]
}
