//! Text inside strings of several lines, where blanks are content.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::syntax::{MOST_PARSED, places};
use crate::edit::parse::fence;
use crate::edit::strings::{self, Strings};
use crate::edit::{Edit, Refusal, apply, line};
use crate::grammar::Grammar;

/// Refuses edits whose reply was moved to another indentation where that changes a string.
///
/// Inside a string, a new line must have the blanks of the reply, unless an old line of the same string shows that the
/// reply moved the string together with the code around it, or the language takes the blanks away.
///
/// The error is [`Refusal::Malformed`] with the line.
pub(in crate::edit) fn moved_string(
    grammar: Option<&Grammar>,
    before: &str,
    edits: &[Edit],
    reply: &str,
) -> Result<(), Refusal> {
    let Some(grammar) = grammar.filter(|it| !it.is_prose() && before.len() <= MOST_PARSED) else {
        return Ok(());
    };
    if edits.iter().all(|edit| line::is_blank(&edit.text)) {
        return Ok(());
    }
    let given = Given::of(reply);
    let after = apply(before, edits);
    let moved: Vec<usize> = new_lines(&after, edits)
        .into_iter()
        .filter(|start| given.is_moved(line::first_partial(&after[*start..])))
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let Some(tree) = grammar.parse_str(&after) else { return Ok(()) };
    let strings = Strings::of(&tree);
    let old: HashSet<&str> = line::split_iter(before).map(line::body).collect();
    let mut settled = None;
    for start in moved {
        let text = line::body(line::first_partial(&after[start..]));
        let Some(string) = strings.around(start).filter(|_| !old.contains(text)) else { continue };
        if strings::loses_indentation(&after, string) {
            continue;
        }
        if settled != Some(string.start) {
            let mut inside = line::split_iter(&after[string.clone()]).skip(1).map(line::body);
            if !inside.any(|line| old.contains(line) && given.is_moved(line)) {
                let line = text.trim();
                return Err(Refusal::malformed(format!(
                    "it is not indented as the file is, and moving it would change the string at `{line}`"
                )));
            }
            settled = Some(string.start);
        }
    }
    Ok(())
}

/// The blanks that a reply gives each text of a line.
struct Given<'r>(HashMap<&'r str, HashSet<&'r str>>);

impl<'r> Given<'r> {
    fn of(reply: &'r str) -> Self {
        let mut given: HashMap<&str, HashSet<&str>> = HashMap::new();
        let mut add = |line: &'r str| _ = given.entry(line.trim()).or_default().insert(line::indent(line));
        for whole in line::split_iter(reply) {
            add(whole);
            // A string of JSON has its lines on one.
            whole.split("\\n").filter(|part| part.len() < whole.len()).for_each(&mut add);
            // A line of a diff has a marker.
            if let Some(rest) = whole.strip_prefix(['+', '-', ' ']) {
                add(rest);
            }
        }
        // A fence in a list is indented as a whole.
        for fence in fence::blocks(reply).iter().filter(|fence| !fence.indent.is_empty()) {
            for line in line::split_iter(&reply[fence.inside.clone()]) {
                add(line.strip_prefix(fence.indent).unwrap_or(line));
            }
        }
        Self(given)
    }

    /// Whether the reply has a line with other blanks only.
    fn is_moved(&self, line: &str) -> bool {
        let blanks = line::indent(line);
        self.0.get(line.trim()).is_some_and(|given| !line::is_blank(line) && !given.contains(blanks))
    }
}

/// The starts of the lines that edits touch, in the new text. Several edits may be on one long line.
fn new_lines(after: &str, edits: &[Edit]) -> Vec<usize> {
    let bytes = after.as_bytes();
    let starts = |from: usize, to: usize| (from..to).filter(|at| bytes[at - 1] == b'\n');
    let mut found = Vec::new();
    let mut last = 0;
    for (_, Range { start, end }) in places(edits) {
        found.extend((last..=start).rev().find(|at| *at == 0 || bytes[at - 1] == b'\n'));
        found.extend(starts(start + 1, end));
        last = end.max(start + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept, apply};
    use crate::grammar;

    /// Checks what a fenced reply makes of the range between `«` and `»`.
    #[track_caller]
    fn check(language: &str, marked: &str, reply: &str, expected: &str) {
        let range = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let text = &marked.replace(['«', '»'], "");
        let grammar = grammar::by_language_id(language);
        let request = Request { text, range: Some(range), grammar, ..Request::default() };
        let outcome = match accept(&request, &format!("```\n{reply}```\n")) {
            Ok(accepted) => apply(text, &accepted.edits),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn blanks_inside_of_strings() {
        let file = "class A:\n«    def f(self):\n        return 1\n»";
        let moved = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        let reply = "def f(self):\n    return '''\n      a:\n        b\n    '''\n";
        check("python", file, reply, "refused: malformed");
        let plain = "def f(self):\n    a = '''b'''\n    return a\n";
        check("python", file, plain, &format!("class A:\n{}", moved(plain)));
        let beside = "def f(self):\n    return (\n        'a'\n        'b'\n    )\n";
        check("python", file, beside, &format!("class A:\n{}", moved(beside)));
        let documented = "def f(self):\n    \"\"\"Does f.\n\n    Well.\n    \"\"\"\n    return 1\n";
        let expected = format!("class A:\n{}", moved(documented)).replace("    \n", "\n");
        check("python", file, documented, &expected);
    }

    #[test]
    fn string_that_moves_with_the_code() {
        let file = "class A:\n«    def f(self):\n        return '''\n          a\n        '''\n»";
        let reply = "def f(self):\n    return '''\n      a\n      b\n    '''\n";
        let expected =
            "class A:\n    def f(self):\n        return '''\n          a\n          b\n        '''\n";
        check("python", file, reply, expected);
    }
}
