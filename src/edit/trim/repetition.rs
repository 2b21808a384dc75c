//! Ends a suggestion where it starts to repeat itself.

use super::View;
use crate::edit::line;
use crate::text::ident;

/// How many times a block of lines must occur in a row to be a loop.
const TIMES: usize = 3;
/// Maximum number of lines in a repeated block.
const LONGEST_BLOCK: usize = 4;
/// Minimum length of a tail that repeats within one line (bytes).
const LEAST_TAIL: usize = 30;
/// Minimum number of repetitions in such a tail.
const TAIL_TIMES: usize = 6;

/// Returns the offset at which the second copy begins.
///
/// Zero if the suggestion only repeats the line above.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let own = view.prefix.trim_start();
    let repeats = |above: &str| {
        ident::has_part(above)
            && above.trim().strip_prefix(own) == Some(text.trim())
            && line::width(above) == line::width(view.prefix).max(line::width(text))
    };
    if view.above.is_some_and(repeats) && !repeats_in_file(view, text) {
        return 0;
    }
    let lines: Vec<&str> = line::split_iter(text).collect();
    for size in 1..=LONGEST_BLOCK {
        for start in 0..(lines.len() + 1).saturating_sub(size * TIMES) {
            let block = &lines[start..start + size];
            let repeats =
                (1..TIMES).all(|time| same(block, &lines[start + time * size..start + (time + 1) * size]));
            if repeats && block.iter().any(|line| ident::has_part(line)) && !repeats_in_file(view, block[0]) {
                let kept: usize = lines[..start + size].iter().map(|line| line.len()).sum();
                return text[..kept].trim_end_matches(['\n', '\r']).len();
            }
        }
    }
    text.len()
}

/// Whether two blocks are equal. Closers such as `end` may follow each other, but each in another column.
fn same(block: &[&str], other: &[&str]) -> bool {
    block.iter().zip(other).all(|(line, other)| line.trim_end() == other.trim_end())
}

/// Whether the file itself repeats this line, as tables do.
fn repeats_in_file(view: &View<'_>, line: &str) -> bool {
    let line = line.trim();
    line::split_iter(view.context.before).filter(|above| above.trim() == line).nth(1).is_some()
}

/// Whether the text ends in many copies of one pattern.
pub(super) fn is_loop(text: &str) -> bool {
    let bytes = text.as_bytes();
    (3..=40).any(|size| {
        let Some(pattern) = bytes.len().checked_sub(size).map(|start| &bytes[start..]) else {
            return false;
        };
        let times = bytes.rchunks(size).take_while(|chunk| *chunk == pattern).count();
        times >= TAIL_TIMES && times * size >= LEAST_TAIL && pattern.iter().any(u8::is_ascii_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn lines() {
        check("ˇ", "a();\nb();\nb();\nb();\nb();\n", "a();\nb();");
        check("ˇ", "a();\nb();\na();\nb();\na();\nb();\n", "a();\nb();");
        check("ˇ", "a();\nb();\nb();\n", "a();\nb();\nb();");
    }

    #[test]
    fn closers_in_other_columns_are_no_loop() {
        let html = "<div>\n  <div>\n    <div>\n    </div>\n  </div>\n</div>";
        check("ˇ", html, html);
        let ruby = "a do\n  b do\n    c do\n      d\n    end\n  end\nend";
        check("ˇ", ruby, ruby);
        check("def f\n  if a\n    b\n  end\nˇ", "end", "end");
    }

    #[test]
    fn the_line_above() {
        check("work(1);\nˇ", "work(1);", "refused: nothing-new");
        check("x(0),\nx(0),\nˇ", "x(0),", "x(0),");
    }

    #[test]
    fn inside_a_line() {
        check("ˇ", "let a = very very very very very very very very very ", "refused: repetition");
        check("x = ˇ", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
    }
}
