//! Calls that name a block of code by a string, as tests and routes do: `it("adds", () => {`.

use std::collections::HashMap;

use super::comparison::Comparison;
use super::definitions::Definition;
use crate::edit::runs::visible;
use crate::text::{counts, ident};

/// How a line ends that opens such a block.
const OPENING: [&str; 5] = ["=> {", "{", " do", "|", "=>"];

/// The beginnings of such calls, up to the string, of which the new text has fewer.
///
/// They may go if the instruction or the reply has the string, or if as many new ones may replace them.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    let (asked, after) = (compared.asked, compared.after.part());
    let [old, new] = [compared.before.part(), after].map(calls);
    let mut lost: Vec<&str> =
        old.iter().filter(|(call, count)| new.get(*call) < Some(count)).map(|(call, _)| *call).collect();
    let added = new.keys().filter(|call| !old.contains_key(*call)).count();
    if lost.len() <= added || compared.intent.replaces {
        return Vec::new();
    }
    let is_named = |call: &str| {
        let name = call.split(['"', '\'', '`']).nth(1).unwrap_or_default();
        asked.instruction.contains(name) || asked.reply.matches(name).count() > after.matches(name).count()
    };
    lost.sort_unstable();
    lost.truncate(MOST_JUDGED);
    lost.retain(|call| !is_named(call));
    lost.into_iter().map(|call| format!("{call}…)")).collect()
}

/// Those beginnings, if the instruction asks for a removal and names no definition: what is in one goes with it.
pub(super) fn lost_beside(compared: &Comparison<'_>) -> Vec<String> {
    let named = |it: &Definition| ident::has_word(compared.asked.instruction, &it.name);
    match compared.is_code && compared.before.definitions().iter().any(named) {
        true => Vec::new(),
        false => lost(compared),
    }
}

/// How many of the calls are judged, each by the whole text.
const MOST_JUDGED: usize = 20;

/// The beginnings of calls that open a block, and how often a text has each.
fn calls(text: &str) -> HashMap<&str, usize> {
    counts(visible(text).into_iter().filter_map(call))
}

/// The part of a line up to the end of the string that is a call's first argument, if a block begins behind it.
fn call(line: &str) -> Option<&str> {
    const LEAST_NAME: usize = 3;
    if !OPENING.iter().any(|end| line.ends_with(end)) {
        return None;
    }
    let head = line.find(['(', ' '])?;
    let is_name = |sign: char| sign.is_alphanumeric() || "_.$".contains(sign);
    let quote = line[head + 1..].chars().next().filter(|sign| matches!(sign, '"' | '\'' | '`'))?;
    let start = head + 2;
    let end = start + line[start..].find(quote)?;
    let behind = line[end + 1..].trim_start();
    let is_call = line[..head].chars().all(is_name) && (behind.starts_with(',') || behind.starts_with("do"));
    (is_call && end >= start + LEAST_NAME).then_some(&line[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "describe('cart', () => {\n  it('adds an item', () => {\n    add(1);\n  });\n\n  it('removes an item', async () => {\n    \
        del(1);\n  });\n});\n";

    #[track_caller]
    fn check(instruction: &str, [old, new]: [&str; 2], expected: &[&str]) {
        assert!(FILE.contains(old), "{old}");
        let after = FILE.replacen(old, new, 1);
        let asked = Asked { instruction, reply: &after };
        assert_eq!(compared("", [FILE, &after], asked, lost), expected, "{after}");
    }

    #[test]
    fn tests_stay() {
        let gone = ["  it('removes an item', async () => {\n    del(1);\n  });\n", ""];
        check("Add two", gone, &["it('removes an item'…)"]);
        check("It no longer removes an item", gone, &[]);
        check("Name it", ["removes an item", "deletes"], &[]);
        check("Add two", ["add(1)", "add(2)"], &[]);
    }

    #[test]
    fn calls_that_open_a_block() {
        assert_eq!(call("router.get(\"/tasks\", async (req, res) => {"), Some("router.get(\"/tasks\""));
        assert_eq!(call("it \"adds\" do"), Some("it \"adds\""));
        assert_eq!(call("if (a === \"b\") {"), None);
        assert_eq!(call("log(\"started\");"), None);
    }
}
