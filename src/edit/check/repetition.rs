//! Detects replies of a model that fell into a loop.

use std::collections::HashSet;

/// The minimum number of lines at the end that count as a loop.
const LOOP_LINES: usize = 12;

/// Whether a model fell into a loop.
///
/// That is a run of equal lines, a long text of few distinct lines, or a tail in which a few lines recur, the
/// last of them perhaps cut off.
pub(in crate::edit) fn loops(text: &str) -> bool {
    const RUN: usize = 12;
    const LONG: usize = 60;
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let run = lines.chunk_by(|a, b| a == b).any(|run| run.len() >= RUN);
    let distinct = || lines.iter().collect::<HashSet<_>>().len();
    run || (lines.len() > LONG && distinct() * 4 < lines.len()) || ends_in_loop(&lines, LOOP_LINES)
}

/// Whether a reply that is still streaming is stuck.
///
/// Its end has repeated itself for so long that nothing else is expected. `old` is the code to be replaced,
/// which may be as repetitive, such as a table.
pub(crate) fn is_stuck(reply: &str, old: &str) -> bool {
    const TAIL_LINES: usize = 2 * LOOP_LINES;
    const TAIL_BYTES: usize = 600;
    const LONGEST_PATTERN: usize = 80;
    let mut lines = reply.rsplit(['\n', '\r']).map(str::trim);
    // The last line may be incomplete.
    let last = lines.next().unwrap_or_default();
    let mut tail: Vec<&str> = lines.filter(|line| !line.is_empty()).take(TAIL_LINES).collect();
    tail.reverse();
    let by_lines = tail.len() == TAIL_LINES && ends_in_loop(&tail, TAIL_LINES);
    let by_letters = || {
        let start = last.len().checked_sub(TAIL_BYTES)?;
        let end = &last.as_bytes()[start..];
        Some((1..=LONGEST_PATTERN).any(|size| end.iter().zip(&end[size..]).all(|(one, next)| one == next)))
    };
    (by_lines || by_letters() == Some(true)) && !loops(old)
}

/// Whether at least `least` lines at the end repeat a few lines.
///
/// The last of them may be cut off.
fn ends_in_loop(lines: &[&str], least: usize) -> bool {
    const LONGEST: usize = 6;
    // A pattern of few lines recurs in sound code too.
    const SHORT: usize = 4;
    let last = lines.len().saturating_sub(1);
    (1..=LONGEST).any(|period| {
        let again = |at: &usize| {
            let earlier = lines[at - period];
            earlier == lines[*at] || (*at == last && earlier.starts_with(lines[*at]))
        };
        let repeated = (period..lines.len()).rev().take_while(again).count();
        let times = if period > SHORT { 3 } else { 4 };
        repeated + period >= least.max(period * times)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_that_come_over_and_over() {
        let text: String = (0..200).map(|number| format!("line {number}\n")).collect();
        for period in 1..=6 {
            let part: String = (0..period).map(|number| format!("    again({number});\n")).collect();
            for (times, expected) in [(2, false), (12, true)] {
                let whole = text.clone() + &part.repeat(times);
                assert_eq!(loops(&whole), expected, "{period} lines, {times} times");
                assert_eq!(loops(&whole[..whole.len() - 3]), expected, "{period} lines, {times} times, cut");
            }
        }
        let six: String = (0..6).map(|number| format!("again({number})\n")).collect();
        assert!(loops(&(text.clone() + &six.repeat(3))));
        assert!(!loops(&(text.clone() + &six[..4 * 9].repeat(3))));
        assert!(!loops(&(text.clone() + &"a\n".repeat(11))));
        assert!(!loops(&("a\nb\n".repeat(5) + &text)));
        assert!(!loops(&(text + &"}\n".repeat(8))));
    }

    #[test]
    fn reply_that_only_repeats_itself_is_stuck() {
        let check =
            |reply: &str, old: &str, expected: bool| assert_eq!(is_stuck(reply, old), expected, "{reply}");
        let line = "    total += 1;\n";
        check(&format!("fn f() {{\n{}", line.repeat(40)), "", true);
        check(&format!("fn f() {{\n{}    tot", line.repeat(40)), "", true);
        check(&format!("fn f() {{\n{}", line.repeat(12)), "", false);
        check(&format!("{}}}\n", line.repeat(40)), "", false);
        check(&line.repeat(40), &line.repeat(40), false);
        check(&"fn a() {\n    b();\n}\n\n".repeat(20), "", true);
        check(&format!("[{}", "0x1f, ".repeat(200)), "", true);
        check(&format!("[{}", "0x1f, ".repeat(20)), "", false);
        let table: String = (0..400).map(|at| format!("    {at},\n")).collect();
        check(&table, "", false);
        check("", "", false);
    }
}
