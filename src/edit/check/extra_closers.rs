//! Closing lines behind the end of an answer.
//!
//! They close what only the rest of the file may close.

use crate::edit::line;
use crate::text::bracket::CLOSERS;

/// The most closing lines that are taken off.
const MOST: usize = 3;

/// The new text of a range without the closing lines behind its end.
///
/// There is a text for each line that is taken off, one after the other.
///
/// Only lines that lie behind the end for certain: what stays begins and ends in one column, as a whole block
/// or a run of statements does, and what goes is a lone closer further out, or a second one below the closer
/// that ends it. Whether the code is sound without them is for the parser to say.
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

/// Whether a line does nothing but close.
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
        // An opening line was lost inside: which closer is the odd one is not known.
        check("for i in v {\n        a(i);\n    }\n}\n", &[]);
        check("}\n", &[]);
    }
}
