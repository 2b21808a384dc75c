//! The first and last lines that a new text of a range or a function leaves out.
//!
//! A model that is asked for a function may reply with its first or last lines only. In a language whose blocks end by
//! indentation, nothing else shows that the rest is missing; in others, the reply may have the closing brackets.

use std::collections::{HashMap, HashSet};

use super::comparison::Comparison;
use super::mentions::Form;
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars, runs, visible};
use crate::text::ident;

/// How many lines are judged, each by all new lines.
const MOST_JUDGED: usize = 50;

/// How many of the lines a refusal quotes.
const QUOTED: usize = 5;

/// The lines at both ends of a range, or at the end of a function, that go with no new line in their place.
///
/// The last new line is in the place of the last old one that it resembles, and the first likewise. Lines may go if the
/// reply's prose says that something does, if the instruction asks for simpler code, or if it names what is in them and
/// either asks to replace something or nothing else changes. Without an instruction, any of them may.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if compared.asked.instruction.is_empty() || compared.intent.restructures {
        return Vec::new();
    }
    let runs = compared.runs();
    let mut lost = Vec::new();
    if !compared.is_whole && compared.form != Form::Hunks {
        lost.extend(first_lines(runs));
        lost.extend(last_lines(runs, compared.before.lines().len()));
    }
    if !lost.is_empty() && compared.is_code {
        let gone = whole_definitions_gone(compared);
        lost.retain(|line| !gone.contains(line));
    }
    lost.extend(functions(compared).into_iter().flat_map(last_lines_between));
    let added: HashSet<&str> = compared.added().collect();
    // A range may be one function.
    let mut known = HashSet::new();
    // With a grammar, a lost `end` is a syntax error, which another check finds.
    let is_end = |line: &str| compared.is_code && line == "end";
    lost.retain(|line| !is_comment(line) && !is_end(line) && known.insert(*line));
    let count = lost.len();
    lost.retain(|line| !added.contains(line));
    // Most of them are in another place.
    if lost.len() * 2 <= count && count > 1 {
        return Vec::new();
    }
    if lost.is_empty() {
        return Vec::new();
    }
    lost.truncate(MOST_JUDGED);
    // The result is in another line.
    lost.retain(|line| !added.iter().any(|new| are_results(line, new) && has_most_words(new, line)));
    // `defer unlock()` has all words of `unlock()`.
    let added: Vec<HashSet<&str>> = added.into_iter().map(|line| ident::words(line).collect()).collect();
    lost.retain(|line| !added.iter().any(|words| ident::words(line).all(|word| words.contains(word))));
    let mentions = compared.mentions();
    let is_named = |line: &&str| ident::names(line).any(|name| mentions.instruction_has(name));
    if compared.intent.replaces {
        lost.retain(|line| !is_named(line));
        // Other code is in their place.
        let fresh = added.iter().filter(|words| !words.is_empty()).count();
        if fresh >= lost.len() {
            return Vec::new();
        }
    }
    let is_asked = runs.len() == 1 && lost.iter().all(is_named);
    if mentions.of_removal() || is_asked {
        return Vec::new();
    }
    lost.truncate(QUOTED);
    lost.into_iter().map(str::to_owned).collect()
}

/// The lines of the definitions that go with nearly all of their lines. They are [judged as one](super::lost_definitions).
fn whole_definitions_gone<'t>(compared: &Comparison<'t>) -> HashSet<&'t str> {
    let (names, lines) = (compared.after.declared(), compared.after.lines());
    let lines: HashSet<&str> = lines.iter().copied().collect();
    let mut gone = HashSet::new();
    let lost = compared.before.definitions().iter().filter(|it| !names.contains(it.name.as_str()));
    // Each is read to its end, also those in others.
    for definition in lost.take(MOST_JUDGED) {
        let text: &'t str = compared.before.text;
        let own: Vec<&str> =
            visible(&text[definition.span.clone()]).into_iter().filter(|line| has_word_chars(line)).collect();
        if own.iter().filter(|line| lines.contains(**line)).count() * 4 <= own.len() {
            gone.extend(own);
        }
    }
    gone
}

/// The old and new texts of the functions in the range that both texts have, and that differ.
fn functions<'t>(compared: &Comparison<'t>) -> Vec<[&'t str; 2]> {
    let after: HashMap<_, _> = compared.after.functions().into_iter().collect();
    let pairs = compared.before.functions().into_iter();
    let pairs = pairs.filter_map(|(names, old)| Some([old, *after.get(&names)?]));
    pairs.filter(|[old, new]| old != new).collect()
}

fn last_lines_between(texts: [&str; 2]) -> Vec<&str> {
    let [old, new] = texts.map(visible);
    last_lines(&runs(&old, &new), old.len())
}

fn last_lines<'t>(runs: &[Run<'t>], count: usize) -> Vec<&'t str> {
    let Some(last) = runs.last().filter(|run| run.at + run.old.len() == count) else { return Vec::new() };
    let (old, new) = (code(&last.old), code(&last.new));
    let first = match (new.last(), old.last()) {
        (None, _) | (_, None) => 0,
        (_, Some(result)) if ends_in_result(&new, result) => old.len(),
        (Some(line), Some(result)) => match old.iter().rposition(|it| resembles(it, line)) {
            Some(at) => at + 1,
            // A function that had a result has one.
            None => old.len() - usize::from(result.starts_with("return ")),
        },
    };
    old[first..].to_vec()
}

/// Whether lines end in a statement that ends a function as another one does.
fn ends_in_result(lines: &[&str], result: &str) -> bool {
    let last = lines.iter().rposition(|line| are_results(result, line));
    // The statement may go on in further lines.
    last.is_some_and(|at| {
        at + 1 == lines.len() || lines[at].ends_with(['(', '[', '{', ',', '.', '=', '>', '&', '|'])
    })
}

fn first_lines<'t>(runs: &[Run<'t>]) -> Vec<&'t str> {
    let Some(first) = runs.first().filter(|run| run.at == 0) else { return Vec::new() };
    let old = code(&first.old);
    let end = match first.new.iter().find(|line| has_word_chars(line)) {
        None => old.len(),
        Some(line) => old.iter().position(|it| resembles(it, line)).unwrap_or(0),
    };
    old[..end].to_vec()
}

fn code<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    // `} else {` goes with what is in it, and the links of a chain with its head.
    let is_code = |line: &&str| {
        let is_else = line.trim_matches(['{', '}', ' ', ':']) == "else";
        has_word_chars(line) && !is_else && !line.starts_with('.')
    };
    lines.iter().copied().filter(is_code).collect()
}

/// Whether two lines end a function in the same way.
fn are_results(old: &str, new: &str) -> bool {
    let first = |line| ident::words(line).next().unwrap_or_default();
    matches!(first(old), "raise" | "return" | "throw") && first(old) == first(new)
}

/// Whether a line has three of four words of another.
fn has_most_words(line: &str, other: &str) -> bool {
    let words: HashSet<&str> = ident::words(line).collect();
    let (kept, count) = ident::words(other)
        .fold((0, 0), |(kept, count), it| (kept + usize::from(words.contains(it)), count + 1));
    kept * 4 >= count * 3
}

/// Whether two lines share most of their words.
fn resembles(old: &str, new: &str) -> bool {
    let [old, new] = [old, new].map(|line| ident::words(line).collect::<HashSet<_>>());
    old.intersection(&new).count() * 2 >= old.len().max(new.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared, compared_between};

    /// Checks the first and last lines of a range that a new text of it lacks.
    #[track_caller]
    fn check_range(texts: [&str; 2], asked: Asked<'_>, expected: &[&str]) {
        let found = compared_between("python", ["import x\n\n\n", "\n\nx()\n"], texts, asked, lost);
        assert_eq!(found, expected, "{}", texts[1]);
    }

    /// Checks those of a function `a`.
    #[track_caller]
    fn check(new: &str, instruction: &str, prose: &str, expected: &[&str]) {
        let reply = format!("{prose}\n```\n{new}```\n");
        let old = "def a():\n    bb()\n    cc()\n    dd()\n    ee()\n";
        check_range([old, new], Asked { instruction, reply: &reply }, expected);
    }

    #[test]
    fn last_lines_stay() {
        check("def a():\n    b2()\n    cc()\n", "Call b2", "", &["dd()", "ee()"]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "Call b2, then ee", "", &["ee()"]);
        check("def a():\n    bb()\n    cc()\n", "Call it", "", &["dd()", "ee()"]);
        check("def a():\n    bb()\n    cc()\n    dd(1)\n", "Call it", "", &["ee()"]);
    }

    #[test]
    fn first_lines_stay() {
        check("    bb()\n    cc()\n    dd(1)\n    ee()\n", "Call it", "", &["def a():"]);
        check("    cc(1)\n    dd()\n    ee()\n", "Call it", "", &["def a():", "bb()"]);
        check("def f():\n    bb()\n    cc()\n    dd()\n    ee()\n", "Call it", "", &[]);
        check("bb()\ncc()\ndd()\nee()\n", "Inline the def", "", &[]);
    }

    #[test]
    fn last_lines_of_a_function_stay() {
        let file = "fn a(b: u8) -> u8 {\n    let c = d(b);\n    e(c);\n    f(c, 1)\n}\n\nfn g() {\n    h(1);\n    i();\n}\n";
        let check = |[old, new]: [&str; 2], instruction: &str, expected: &[&str]| {
            assert!(file.contains(old), "{old}");
            let after = file.replacen(old, new, 1).replacen("h(1)", "h(2)", 1);
            let asked = Asked { instruction, reply: &after };
            assert_eq!(compared("rust", [file, &after], asked, lost), expected, "{after}");
        };
        let cut = ["    e(c);\n    f(c, 1)\n", ""];
        check(cut, "Use 2 in g", &["e(c);", "f(c, 1)"]);
        check(["d(b);\n    e(c);\n    f(c, 1)\n", "d(b + 1);\n"], "Use 2 in g", &["e(c);", "f(c, 1)"]);
        check(cut, "", &[]);
        check(cut, "Simplify a", &[]);
        check(["    e(c);\n    f(c, 1)\n", "    e(c)\n"], "Use 2 in g", &["f(c, 1)"]);
        check(["    e(c);\n    f(c, 1)\n", "    jj()\n"], "Use 2 in g", &[]);
        check(["i();", "return i(j(1));"], "Use 2 in g", &[]);
        let file = "func a() b {\n\tc := func() {\n\t\td()\n\t}\n\treturn e.f(c)\n}\n";
        let new = "func a() b {\n\treturn e.f(func() {\n\t\td()\n\t})\n}\n";
        let asked = Asked { instruction: "Update it", reply: new };
        assert_eq!(compared("go", [file, new], asked, lost), [""; 0]);
    }

    #[test]
    fn whole_definition_is_judged_elsewhere() {
        let old = "def a():\n    bb()\n\n\ndef c():\n    dd()\n    ee()\n";
        let check = |new: &str, expected: &[&str]| {
            check_range([old, new], Asked { instruction: "Call it", reply: new }, expected);
        };
        check("def a():\n    b2()\n", &[]);
        check("def a():\n    b2()\n\n\ndef c():\n    dd()\n", &["ee()"]);
    }

    #[test]
    fn function_with_a_result_keeps_one() {
        let file = "def a(b):\n    if b in c:\n        d(b)\n        return 0\n    e(b)\n    return f(b)\n";
        let check = |new: &str, expected: &[&str]| {
            let asked = Asked { instruction: "Log it", reply: new };
            assert_eq!(compared("python", [file, new], asked, lost), expected, "{new}");
        };
        let kept = "def a(b):\n    if b in c:\n        d(b)\n";
        check(&format!("{kept}        log(g)\n"), &["return f(b)"]);
        check(&format!("{kept}        return 0\n    log(g)\n"), &["return f(b)"]);
        check(&format!("{kept}        return 0\n    return log(\n        g,\n    )\n"), &[]);
    }

    #[test]
    fn last_lines_may_go() {
        check("def a():\n    bb()\n    cc()\n", "", "", &[]);
        check("def a():\n    ff(1)\n", "Call it", "", &[]);
        let (old, new) = ("if a(b):\n    return c\nreturn d\n", "return a(b)\n");
        check_range([old, new], Asked { instruction: "Call it", reply: new }, &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "Do not call ee", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n", "warning: unreachable call", "", &[]);
        check("def a():\n    b2()\n    cc()\n    dd()\n", "Call it", "I removed the last call.", &[]);
        check("def a():\n    ee()\n    bb()\n    cc()\n    dd()\n", "Call it", "", &[]);
        check("def a():\n    bb()\n    cc()\n    dd()\n    e2()\n", "Call it", "", &[]);
        let chain = ["let a = b;\nreturn a.c();\n", "return b\n    .e()\n    .f();\n"];
        check_range(chain, Asked { instruction: "In one chain", reply: chain[1] }, &[]);
        let other = ["a(b)\nwith c() as d:\n    e(d)\n", "a(b)\nf(g)\nh()\n"];
        check_range(other, Asked { instruction: "Migrate it", reply: other[1] }, &[]);
        let ruby = ["def a\n  b\nend\n", "def a = b\n"];
        let asked = Asked { instruction: "Endless", reply: ruby[1] };
        assert_eq!(compared("ruby", ruby, asked, lost), [""; 0]);
    }
}
