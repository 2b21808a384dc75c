//! Definitions that a new text lacks in a language without a grammar, by the lines that they begin with.

use std::collections::HashMap;

use super::comparison::Comparison;
use crate::edit::runs::visible;
use crate::text::{counts, ident};

/// Words before the name of what a line defines.
const KEYWORDS: [&str; 19] = [
    "actor",
    "class",
    "def",
    "defmodule",
    "defp",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "module",
    "object",
    "proc",
    "protocol",
    "struct",
    "sub",
    "trait",
];

/// Words behind the name.
const CONTINUING: [&str; 12] = [
    "constructor",
    "do",
    "extends",
    "implements",
    "internal",
    "on",
    "private",
    "protected",
    "public",
    "throws",
    "where",
    "with",
];

/// How many of the names are judged.
const MOST_JUDGED: usize = 20;

/// The most words before the name: visibility, `static`, annotations.
const MOST_MODIFIERS: usize = 5;

/// The names that the old text defines more often than the new one.
///
/// A definition may go for the reasons that [count](super::lost_definitions) where a grammar finds it: it is named, it
/// is not used any more, or a new one of its kind may replace it.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if compared.before.document().grammar().is_some() {
        return Vec::new();
    }
    let (before, mentions) = (compared.before.part(), compared.mentions());
    let [old, new] = [before, compared.after.part()].map(heads);
    let mut lost: Vec<&str> =
        old.iter().filter(|(name, count)| new.get(*name) < Some(count)).map(|(name, _)| *name).collect();
    // Each is looked for in the whole text.
    lost.sort_unstable();
    lost.truncate(MOST_JUDGED);
    lost.retain(|name| {
        let is_named = mentions.prose_has(name) || compared.intent.replaces && mentions.instruction_has(name);
        let is_over = mentions.in_new.count(name) == 0 && is_used_beside(before, name);
        !is_named && !is_over
    });
    if lost.len() <= new.keys().filter(|name| !old.contains_key(*name)).count() {
        lost.clear();
    }
    lost.sort_by_key(|name| before.find(name));
    lost.into_iter().map(str::to_owned).collect()
}

/// The names among these that the new text still has, as code does that calls or imports what is not there.
pub(super) fn lost_but_used(compared: &Comparison<'_>) -> Vec<String> {
    let mut lost = lost(compared);
    lost.retain(|name| ident::has_word(compared.after.text, name));
    lost
}

/// Whether a text has a name in a line that does not define it, or only imports it.
fn is_used_beside(text: &str, name: &str) -> bool {
    let is_use = |line: &&str| ident::has_word(line, name);
    let mut all = visible(text).into_iter().filter(is_use);
    all.any(|line| head(line) != Some(name) || line.starts_with("import "))
}

/// The names that the lines of a text define, and how often.
fn heads(text: &str) -> HashMap<&str, usize> {
    counts(visible(text).into_iter().filter_map(head))
}

/// The name in a line that begins a definition, `private fun <T> List<T>.second(): T {`, or imports it.
fn head(line: &str) -> Option<&str> {
    if let Some(path) = line.strip_prefix("import ") {
        let name = ident::last_partial(path.trim_end_matches([';', ' ']));
        return (!name.is_empty()).then_some(name);
    }
    let mut rest = line;
    let mut is_headed = false;
    for _ in 0..=MOST_MODIFIERS {
        let Some((word, behind)) = rest.split_once(' ') else { break };
        let is_keyword = KEYWORDS.contains(&word);
        if is_headed && !is_keyword {
            break;
        }
        if !is_keyword && !word.starts_with(|first: char| first.is_lowercase() || first == '@') {
            return None;
        }
        is_headed |= is_keyword;
        rest = behind.trim_start();
    }
    let rest = rest.strip_prefix('<').and_then(|it| it.split_once('>')).map_or(rest, |(_, rest)| rest);
    let end = rest.find(['(', '{', ':', '=']).unwrap_or(rest.len());
    let mut words = rest[..end].split_whitespace();
    let named = words.next()?;
    let named = if named.ends_with('>') { named.split('<').next().unwrap_or(named) } else { named };
    let name = ident::last_partial(named);
    // Other words are those of a sentence.
    let goes_on = words.next().is_none_or(|word| CONTINUING.contains(&word));
    (is_headed && !name.is_empty() && goes_on).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const KOTLIN: &str = "class Cart(val prices: List<Int>) {\n    fun total(): Int {\n        return prices.sum()\n    }\n\n    \
        private fun <T> List<T>.second(): T = this[1]\n}\n\nobject Shop {\n    fun total(): Int = 0\n}\n";

    #[track_caller]
    fn check([gone, old, new]: [&str; 3], instruction: &str, talk: &str, expected: &[&str]) {
        let after = KOTLIN.replacen(gone, "", 1).replacen(old, new, 1);
        let reply = format!("{talk}\n```kotlin\n{after}```\n");
        let asked = Asked { instruction, reply: &reply };
        assert_eq!(compared("kotlin", [KOTLIN, &after], asked, lost), expected, "{after}");
    }

    #[test]
    fn definitions_are_missed_by_their_first_lines() {
        let total = "    fun total(): Int {\n        return prices.sum()\n    }\n";
        let second = "    private fun <T> List<T>.second(): T = this[1]\n";
        check([total, "= 0", "= 1"], "", "", &["total"]);
        check([second, "sum", "max"], "Take the largest", "", &["second"]);
        check([second, "sum", "max"], "Speed up `second`", "", &["second"]);
        check([second, "sum", "max"], "Use `max` instead of `second`", "", &[]);
        check([second, "sum", "max"], "", "I removed `second`.", &[]);
        check(["object Shop {", "", ""], "", "", &["Shop"]);
        check(["", "fun total", "fun sum"], "", "", &[]);
        check(["", "object Shop", "interface Shop"], "", "", &[]);
        check(["", "prices.sum()", "0"], "", "", &[]);
        let file = "import a.b.C\nimport a.b.D\n\nfun f() = C()\n";
        let lost = |after| compared("kotlin", [file, after], Asked { instruction: "", reply: after }, lost);
        assert_eq!(lost("import a.b.D\n\nfun f() = C(1)\n"), ["C"]);
        assert_eq!(lost("import a.b.C\n\nfun f() = C(1)\n"), [""; 0]);
        let asked = Asked { instruction: "Remove it", reply: "" };
        let lost = |after| compared("kotlin", [file, after], asked, lost_but_used);
        assert_eq!(lost("import a.b.D\n\nfun f() = C(1)\n"), ["C"]);
        assert_eq!(lost("import a.b.D\n"), [""; 0]);
    }

    #[test]
    fn sentences_define_nothing() {
        for line in ["class of service", "Class A {", "fun", "a b c d e f fun g("] {
            assert_eq!(head(line), None, "{line}");
        }
        assert_eq!(head("public final class A<T>: B {"), Some("A"));
        assert_eq!(head("enum class A private constructor("), Some("A"));
        assert_eq!(head("def a(b) do"), Some("a"));
        assert_eq!(head("defmodule A.B do"), Some("B"));
        assert_eq!(head("extension A where B {"), Some("A"));
    }
}
