//! Surplus closing lines at the end of an answer.
//!
//! They close blocks that the rest of the file closes.

use crate::edit::line;
use crate::text::bracket::CLOSERS;

/// The maximum number of closing lines that are removed.
const MOST: usize = 3;

/// Returns the new text of a range without surplus closing lines at its end.
///
/// There is one text for each removed line, in turn.
///
/// Only lines that are certainly surplus are removed: the rest begins and ends in one column, as a whole block
/// or a run of statements does, and the removed line is a lone closer further out, or a second one below the
/// closer that ends the rest. The parser decides whether the code is sound without them.
pub(super) fn without(text: &str) -> Vec<&str> {
    let mut shorter = Vec::new();
    let mut kept = text;
    while shorter.len() < MOST {
        let body = kept.trim_end();
        let start = body.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let last = &body[start..];
        kept = &text[..start];
        if !is_closer(last) {
            break;
        }
        let mut lines = line::split_iter(kept).filter(|line| !line::is_blank(line));
        let Some(first) = lines.next() else { break };
        let end = lines.last().unwrap_or(first);
        let (column, base) = (line::indent(last), line::indent(first));
        let further_out = base.len() > column.len() && base.starts_with(column);
        if line::indent(end) == base && (further_out || (column == base && is_closer(end))) {
            shorter.push(kept);
        }
    }
    shorter
}

/// Whether a line only closes blocks.
fn is_closer(line: &str) -> bool {
    let text = line.trim();
    matches!(text, "end" | "end;" | "fi" | "done" | "esac")
        || (text.starts_with(CLOSERS) && text.chars().all(|sign| "})];,".contains(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(without(text), expected);
    }

    #[test]
    fn closers_behind_the_end() {
        check("    a();\n}\n", &["    a();\n"]);
        check("fn f() {\n    a();\n}\n}\n", &["fn f() {\n    a();\n}\n"]);
        check("    a\n  end\nend\n", &["    a\n"]);
        check("  if a\n    b\n  end\nend\n", &["  if a\n    b\n  end\n"]);
        check("        a();\n    });\n}\n", &["        a();\n"]);
        check("        a();\n\n    }\n", &["        a();\n\n"]);
    }

    #[test]
    fn closers_of_its_own_stay() {
        check("fn f() {\n    a();\n}\n", &[]);
        check("a();\n", &[]);
        check("    a(\n        b,\n", &[]);
        // An opening line was lost inside: the surplus closer is ambiguous.
        check("for i in v {\n        a(i);\n    }\n}\n", &[]);
        check("}\n", &[]);
    }
}
