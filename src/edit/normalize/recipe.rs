//! The tabs before the recipes of a makefile, which models write as spaces.

use crate::edit::{Edit, line};
use crate::text::ident;

/// Begins the new lines of recipes with tabs, in a file that is a makefile by its name.
///
/// A line that is indented by spaces below a rule is one of its recipe. Conditionals, assignments and the lines that
/// continue another one stay.
pub(in crate::edit) fn with_tabs(path: Option<&str>, text: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
    if !path.is_some_and(is_makefile) || text.contains(".RECIPEPREFIX") {
        return edits;
    }
    let (mut result, mut kept) = (String::with_capacity(text.len()), 0);
    for edit in &mut edits {
        result.push_str(&text[kept..edit.span.start]);
        kept = edit.span.end;
        let start = result.len();
        for line in line::split_iter(&edit.text) {
            let is_whole = result.is_empty() || result.ends_with(['\n', '\r']);
            if is_whole && line.starts_with(' ') && is_command(line) && is_in_rule(&result) {
                result.push('\t');
                result.push_str(line.trim_start_matches(' '));
            } else {
                result.push_str(line);
            }
        }
        result[start..].clone_into(&mut edit.text);
    }
    edits
}

fn is_makefile(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    ["Makefile", "makefile", "GNUmakefile"].contains(&name) || name.ends_with(".mk")
}

const CONDITIONALS: [&str; 6] = ["else", "endif", "ifdef", "ifeq", "ifndef", "ifneq"];

/// Whether an indented line is no conditional, assignment or other directive.
fn is_command(line: &str) -> bool {
    let text = line.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_directive =
        CONDITIONALS.contains(&first) || ["-include", "define", "endef", "include"].contains(&first);
    let assigns =
        text.split_whitespace().nth(1).is_some_and(|sign| ["=", ":=", "::=", "?=", "+="].contains(&sign));
    !text.is_empty() && !is_directive && !assigns
}

/// Whether the next line of a makefile is one of a recipe if it is indented.
fn is_in_rule(above: &str) -> bool {
    if above.trim_end_matches(['\n', '\r']).ends_with('\\') {
        return false;
    }
    for line in above.lines().rev() {
        let first = ident::words(line).next().unwrap_or_default();
        let says_nothing =
            line::is_blank(line) || line.starts_with([' ', '#']) || CONDITIONALS.contains(&first);
        if !says_nothing {
            let (target, rest) = line.split_once(':').unwrap_or((line, "="));
            let is_rule = !target.contains('=') && !rest.trim_start_matches(':').starts_with('=');
            return line.starts_with('\t') || is_rule;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{apply, diff};

    /// Checks the makefile after `new` replaces the part between `«` and `»`.
    #[track_caller]
    fn check(marked: &str, new: &str, expected: &str) {
        let (old, after) = (marked.replace(['«', '»'], ""), marked.replace("«»", new));
        let edits = with_tabs(Some("src/Makefile"), &old, diff::minimal(&old, &after));
        assert_eq!(apply(&old, &edits), expected, "{marked}");
        assert_eq!(apply(&old, &with_tabs(Some("a.txt"), &old, diff::minimal(&old, &after))), after);
    }

    #[test]
    fn commands_begin_with_a_tab() {
        check("all: a\n\tcc a\n«»", "    cc b\n", "all: a\n\tcc a\n\tcc b\n");
        check("all: a\n«»", "    cc b\n    cc c\n", "all: a\n\tcc b\n\tcc c\n");
        check("A = 1\n«»", "\nall:\n  cc b\n", "A = 1\n\nall:\n\tcc b\n");
        check(
            "all:\n\tif a; then \\\n«»",
            "        b; \\\n    fi\n",
            "all:\n\tif a; then \\\n        b; \\\n    fi\n",
        );
        check("all:\nifdef A\n«»endif\n", "  cc a\n", "all:\nifdef A\n\tcc a\nendif\n");
    }

    #[test]
    fn other_lines_stay() {
        for (marked, new) in [
            ("all:\n\ta\n\n«»", "ifdef B\n  C = d\nendif\n"),
            ("A := b:c \\\n«»", "  d\n"),
            ("A = b:c\n«»", "  d e\n"),
            ("A ::= b\n«»", "  $(info d)\n"),
            (".RECIPEPREFIX = >\nall:\n«»", "  >d\n"),
        ] {
            check(marked, new, &marked.replace("«»", new));
        }
    }
}
