//! The first and last lines of a file that a reply leaves out.
//!
//! A reply with only the changed part of a file lacks what is around that part: the package, imports that are
//! used, the code that runs at the end. Taken as the whole file, it would delete them.

use std::collections::HashSet;
use std::ops::Range;

use super::comparison::Comparison;
use super::mentions::WordCounts;
use crate::document::Document;
use crate::edit::check::is_comment;
use crate::edit::line;
use crate::edit::runs::{has_word_chars, visible};
use crate::grammar::{Grammar, Match, Modules, QueryKind};
use crate::text::ident;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;
/// Words of fewer characters name nothing in an instruction.
const LEAST_NAME: usize = 3;

/// The first of the lines that a new text of a file lacks: those above the line that it begins with, and those below
/// the line that it ends with.
///
/// Comments may go, and so may imports and definitions that the new text does not need, and whatever the instruction
/// or the reply's prose names. Definitions of several lines are judged elsewhere.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    let (before, after) = (compared.before.text, compared.after.text);
    let ends = if compared.is_whole { ends(before, after) } else { Vec::new() };
    let mut lost = Vec::new();
    if ends.is_empty() {
        return lost;
    }
    let document = compared.before.document();
    let remaining: HashSet<&str> = compared.after.lines().iter().copied().collect();
    let (in_old, in_new) = (compared.before.words(), compared.after.words());
    let (mentions, known) = (compared.mentions(), compared.after.declared());
    let has_names = document.grammar().map(Grammar::facts).is_none_or(|it| it.modules != Some(Modules::C));
    let several = compared.before.definitions();
    let kept = several.iter().filter(|it| in_new.count(&it.name) > 0);
    let mut kept: Vec<(usize, usize)> = kept.map(|it| (it.span.end, it.span.start)).collect();
    kept.sort_unstable();
    let several = NamesInNodes::new(several.iter().map(|it| it.span.clone()).collect());
    for end in ends {
        // The closer of a definition that begins above is lost.
        let closes = |lines: &Range<usize>| {
            let first = kept.partition_point(|(span_end, _)| *span_end <= lines.start);
            kept.get(first).is_some_and(|(span_end, start)| *span_end <= lines.end && *start < end.start)
        };
        let in_end = WordCounts::of(&before[end.clone()]);
        let imports = NamesInNodes::of(document, before, QueryKind::Imports, &end);
        let defined = NamesInNodes::of(document, before, QueryKind::Definitions, &end);
        for (lines, text) in lines(before, &end) {
            let is_note = is_comment(text) && !directs(text);
            if !text.is_empty() && !has_word_chars(text) && closes(&lines) {
                lost.push(text.to_owned());
                continue;
            }
            if text.is_empty() || is_note || remaining.contains(text) || several.at(&lines).is_some() {
                continue;
            }
            let is_used = |name: &str| in_new.count(name) > 0 && !known.contains(name);
            let is_own = |name: &str| in_old.count(name) == in_end.count(name);
            let is_needed = match (imports.at(&lines), defined.at(&lines)) {
                // It changes the meaning of the file, and is not used by name.
                (Some(_), _) if text.starts_with("from __future__") => true,
                (Some(names), _) => !has_names || names.iter().any(|(_, it)| is_used(it)),
                (None, Some(names)) => names.iter().any(|(_, it)| is_own(it) || is_used(it)),
                (None, None) => true,
            };
            let mut words = ident::names(text).filter(|it| it.chars().count() >= LEAST_NAME);
            // A fence names its language, as this line does.
            if is_needed
                && (["<?", "#!", "</"].iter().any(|it| text.starts_with(it))
                    || !words.any(|it| mentions.has(it)))
            {
                lost.push(text.to_owned());
            }
        }
    }
    lost.truncate(QUOTED);
    lost
}

/// Whether a comment is an instruction to a tool, or states who may use the file.
fn directs(comment: &str) -> bool {
    const MARKS: [&str; 11] = [
        "//go:",
        "// +build",
        "# frozen_string_literal",
        "-*-",
        "coding:",
        "@ts-",
        "eslint-",
        "# type:",
        "SPDX-",
        "Copyright",
        "License",
    ];
    comment.starts_with("#!") || MARKS.iter().any(|mark| comment.contains(mark))
}

/// The part of a text above the first line of another, and the part below the last line.
fn ends(before: &str, after: &str) -> Vec<Range<usize>> {
    let is_visible = |(_, text): &(Range<usize>, &str)| !text.is_empty();
    let old: Vec<_> = lines(before, &(0..before.len())).filter(is_visible).collect();
    let new = visible(after);
    let (Some(first), Some(last)) = (new.first(), new.last()) else { return Vec::new() };
    let head = old.iter().find(|(_, text)| text == first).map(|(lines, _)| 0..lines.start);
    let tail = old.iter().rfind(|(_, text)| text == last).map(|(lines, _)| lines.end..before.len());
    [head, tail].into_iter().flatten().filter(|it| !line::is_blank(&before[it.clone()])).collect()
}

/// The lines of a part of a text, trimmed, each with its bytes.
fn lines<'t>(text: &'t str, part: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &'t str)> {
    let mut at = part.start;
    line::split_iter(&text[part.clone()]).map(move |line| {
        let start = at;
        at += line.len();
        (start..at, line.trim())
    })
}

/// Some nodes and the names in them, in order.
struct NamesInNodes<'t> {
    /// The bytes of the outermost nodes.
    nodes: Vec<Range<usize>>,
    /// Each name with its first byte.
    names: Vec<(usize, &'t str)>,
}

impl<'t> NamesInNodes<'t> {
    fn of(document: &Document, text: &'t str, kind: QueryKind, part: &Range<usize>) -> Self {
        let found = document.matches(kind, part.clone());
        let of_one = |it: &Match<'_>| {
            let span = it.identifying_node().byte_range();
            ident::names(&text[span.clone()]).map(move |name| (span.start, name))
        };
        let mut names: Vec<(usize, &str)> = found.iter().flat_map(of_one).collect();
        names.sort_unstable();
        Self { names, ..Self::new(found.iter().map(|it| it.node.byte_range()).collect()) }
    }

    fn new(mut nodes: Vec<Range<usize>>) -> Self {
        nodes.sort_by_key(|node| node.start);
        nodes.dedup_by(|node, before| {
            let is_within = node.start < before.end;
            if is_within {
                before.end = before.end.max(node.end);
            }
            is_within
        });
        Self { nodes, names: Vec::new() }
    }

    /// The names in some lines; `None` if no node is there.
    fn at(&self, lines: &Range<usize>) -> Option<&[(usize, &'t str)]> {
        let first = self.nodes.partition_point(|node| node.end <= lines.start);
        self.nodes.get(first).filter(|node| node.start < lines.end)?;
        let below = |byte: usize| self.names.partition_point(|(at, _)| *at < byte);
        Some(&self.names[below(lines.start)..below(lines.end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    /// Checks the lines that a reply with only `after` leaves out of `before`.
    #[track_caller]
    fn check(language: &str, instruction: &str, before: &str, after: &str, expected: &[&str]) {
        let asked = Asked { instruction, reply: after };
        assert_eq!(compared(language, [before, after], asked, lost), expected, "{after}");
    }

    #[test]
    fn closers_and_directives_are_kept() {
        let old = "//go:build linux\n\n// Greets.\npackage a\n\nfunc f() int {\n\tg()\n\treturn 1\n}\n";
        let package = &old[old.find("package").unwrap()..];
        check("go", "", old, package, &["//go:build linux"]);
        check("go", "", old, &old.replace("return 1\n}\n", "return 1\n"), &["}"]);
        check("go", "", old, &old.replace("\treturn 1\n}\n", "}\n"), &[]);
        let future = "from __future__ import annotations\n\n\ndef f():\n    return 1\n";
        let f = &future[future.find("def").unwrap()..];
        check("python", "", future, &f.replace('1', "2"), &["from __future__ import annotations"]);
        let shell = "#!/usr/bin/env bash\nset -e\necho a\n";
        check("bash", "Keep to bash", shell, "set -e\necho b\n", &["#!/usr/bin/env bash"]);
        let php = "<?php\n\nfunction f() {\n    return 1;\n}\n";
        check("php", "", php, &php["<?php\n\n".len()..], &["<?php"]);
        let page = "<html>\n<p>a</p>\n<hr>\n</html>\n";
        check("html", "Say b in the html", page, "<html>\n<p>b</p>\n<hr>\n", &["</html>"]);
    }

    #[test]
    fn reply_with_only_the_changed_part_is_none_of_the_file() {
        let old = "package main\n\nimport \"fmt\"\n\nfunc greet(name string) {\n\tfmt.Println(\"hello\", name)\n}\n";
        let new = "func greet(name string) {\n\tif name == \"\" {\n\t\tname = \"world\"\n\t}\n\tfmt.Println(\"hello\", name)\n}\n";
        check("go", "", old, new, &["package main", "import \"fmt\""]);
        let old = "#include <stdio.h>\n\nint f(char c) {\n    puts(\"a\");\n    return c;\n}\n";
        check(
            "c",
            "",
            old,
            &old["#include <stdio.h>\n\n".len()..].replace("\"a\"", "\"b\""),
            &["#include <stdio.h>"],
        );
        let old = "//! Counting.\nuse std::fmt::Debug;\n\npub fn show(it: &dyn Debug) -> String {\n    format!(\"{it:?}\")\n}\n";
        check(
            "rust",
            "",
            old,
            &old["//! Counting.\nuse std::fmt::Debug;\n\n".len()..].replace("{it:?}", "{it:#?}"),
            &["use std::fmt::Debug;"],
        );
        let old = "import sys\n\n\ndef main():\n    print(sys.argv)\n    return 1\n\n\nmain()\n";
        check("python", "", old, &old.replace("\n\n\nmain()", "").replace("argv", "argv[1:]"), &["main()"]);
        check(
            "python",
            "",
            old,
            &old.replace("import sys\n\n\n", "").replace("return 1", "return 2"),
            &["import sys"],
        );
        let old = "FROM python:3.12\nWORKDIR /app\nRUN a\nCMD [\"python\"]\n";
        check(
            "dockerfile",
            "",
            old,
            "RUN a\nRUN b\nCMD [\"python\"]\n",
            &["FROM python:3.12", "WORKDIR /app"],
        );
        let old = "export interface User {\n  id: number;\n}\n\nexport const users: User[] = [];\n";
        check(
            "typescript",
            "",
            old,
            "export interface User {\n  id: number;\n  name: string;\n}\n",
            &["export const users: User[] = [];"],
        );
    }

    #[test]
    fn lines_that_are_not_needed_may_go() {
        let old = "# Licence.\nimport os\nimport sys\n\n\ndef main():\n    print(sys.argv)\n\n\nLEVEL = 2\n";
        check("python", "", old, &old.replace("# Licence.\nimport os\n", ""), &[]);
        check("python", "run `main` by the LEVEL", old, &old.replace("\n\nLEVEL = 2\n", ""), &[]);
        let old = "import os\n\n\ndef main():\n    print(size)\n\n\nsize = 2\n";
        check("python", "", old, &old.replace("print(size)", "print(3)").replace("\n\nsize = 2\n", ""), &[]);
    }
}
