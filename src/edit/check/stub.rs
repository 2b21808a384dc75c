//! Code that a retyped text replaces by a stub.

use std::collections::HashSet;

use super::elision::is_comment;
use crate::edit::Refusal;
use crate::edit::runs::{Run, has_word_chars, runs, visible};
use crate::text::ident;

/// The beginnings of statements that only fail, or do nothing, in lower case.
const STUBS: [&str; 14] = [
    "pass",
    "...",
    "todo!(",
    "todo(",
    "unimplemented!(",
    "raise notimplementederror",
    "raise notimplementedexception",
    "throw new unsupportedoperationexception",
    "throw new notimplementedexception",
    "panic(\"not implemented",
    "panic(\"unimplemented",
    "throw new error(\"not implemented",
    "throw new error(\"method not implemented",
    "fatalerror()",
];

/// Words of an instruction that asks for stubs.
const ASKING: [&str; 8] =
    ["abstract", "body", "bodies", "empty", "implemented", "placeholder", "skeleton", "todo"];

/// Refuses a text in which one change makes a stub of code, beside other changes.
///
/// A model writes so of the functions that it was not asked about. Code that occurs elsewhere in the new text has
/// moved. Of the new texts of 244 commits in four projects, none has such a change.
///
/// The error is [`Refusal::Elision`] with the line.
pub(in crate::edit) fn stub(instruction: &str, before: &str, after: &str) -> Result<(), Refusal> {
    let said = instruction.to_lowercase();
    let asks = || ident::words(&said).any(|word| word.starts_with("stub") || ASKING.contains(&word));
    let (old, new) = (visible(before), visible(after));
    let known: HashSet<&str> = old.iter().copied().collect();
    let may_be_one = |line: &&&str| {
        !known.contains(**line)
            && (is_stub(line)
                || is_result(line)
                || emptied(line).is_some()
                || is_comment(line)
                || hides_body(line))
    };
    if !new.iter().any(|line| may_be_one(&line)) || asks() {
        return Ok(());
    }
    if let Some(line) = new.iter().find(|line| hides_body(line) && !known.contains(*line)) {
        return Err(Refusal::Elision { line: (*line).to_owned() });
    }
    let there: HashSet<&str> = new.iter().copied().collect();
    let all = runs(&old, &new);
    let heads = |run: &Run<'_>| run.at.checked_sub(1).and_then(|at| old.get(at)).copied().unwrap_or_default();
    // A function that the instruction names may come to do nothing.
    let is_named = |run: &Run<'_>| {
        ident::names(heads(run)).any(|name| name.len() > 2 && ident::has_word(instruction, name))
    };
    let found = all.iter().find_map(|run| {
        replaced_by_stub(run, &known, &there)
            .or_else(|| replaced_by_little(run, &known, &there).filter(|_| !is_named(run)))
    });
    match found.filter(|_| all.len() > 1) {
        Some(line) => Err(Refusal::Elision { line: line.to_owned() }),
        None => Ok(()),
    }
}

/// The stub that is the only new code of a run, whose old code is gone.
fn replaced_by_stub<'t>(run: &Run<'t>, known: &HashSet<&str>, there: &HashSet<&str>) -> Option<&'t str> {
    let is_code = |line: &&&str| (has_word_chars(line) || is_stub(line)) && !is_comment(line);
    let mut new = run.new.iter().filter(is_code);
    let (stub, None) = (new.next()?, new.next()) else { return None };
    let gone = run.old.iter().filter(is_code).filter(|line| !there.contains(**line)).count();
    let has_head = |head: &str| run.old.contains(&head);
    let is_emptied = emptied(stub).is_some_and(has_head);
    let is_new =
        (is_stub(stub) || is_emptied) && !known.contains(stub) && !run.old.iter().any(|line| is_stub(line));
    (is_new && gone > 0 && gone * 2 > run.old.iter().filter(is_code).count()).then_some(*stub)
}

/// The comment, or the trivial result, that is all in the place of the code of a run.
fn replaced_by_little<'t>(run: &Run<'t>, known: &HashSet<&str>, there: &HashSet<&str>) -> Option<&'t str> {
    const MOST_WORDS: usize = 6;
    let is_code = |line: &&&str| has_word_chars(line) && !is_comment(line);
    let gone = run.old.iter().filter(is_code).filter(|line| !there.contains(**line)).count();
    let mut code = run.new.iter().filter(is_code);
    let last = run.new.iter().rfind(|line| has_word_chars(line))?;
    match (code.next(), code.next()) {
        (None, _) if gone > 0 && is_comment(last) && ident::words(last).count() <= MOST_WORDS => Some(last),
        (Some(only), None) if gone > 1 && is_result(only) => Some(only),
        _ => None,
    }
    .copied()
    .filter(|line| !known.contains(line))
}

/// Whether a line returns nothing that was worked out.
fn is_result(line: &str) -> bool {
    const NOTHING: [&str; 13] =
        ["", "\"\"", "''", "...", "0", "[]", "false", "nil", "none", "null", "true", "undefined", "{}"];
    let text = line.trim().trim_end_matches(';').to_lowercase();
    text.strip_prefix("return").is_some_and(|rest| NOTHING.contains(&rest.trim()))
}

/// Whether a line has a body of which a comment says that it is left out: `{ /* ... */ }`.
fn hides_body(line: &str) -> bool {
    ["/* ... */", "/* … */", "/*...*/"].iter().any(|it| line.contains(it))
}

/// The line that opened a block, in a line that closes it at once: `"a": {` of `"a": {},`.
fn emptied(line: &str) -> Option<&str> {
    let head = line.trim_end_matches([',', ';']).strip_suffix(['}', ']'])?;
    head.ends_with(['{', '[']).then_some(head)
}

/// Whether a line is a stub, or a header with a stub as its body on the same line.
fn is_stub(line: &str) -> bool {
    let text = line.trim().to_lowercase();
    let body =
        text.rsplit_once(": ").filter(|(head, _)| head.ends_with([')', '"', ']']) || head.contains("->"));
    let is_end = |sign: char| !(sign.is_alphanumeric() || "_.(".contains(sign));
    let begins = |text: &str| {
        STUBS.iter().any(|stub| {
            let rest = text.strip_prefix(stub);
            rest.is_some_and(|rest| stub.len() > "pass".len() || rest.is_empty() || rest.starts_with(is_end))
        })
    };
    begins(&text) || body.is_some_and(|(head, body)| head.starts_with("def ") && begins(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(instruction: &str, before: &str, after: &str, is_sound: bool) {
        let judged = stub(instruction, before, after);
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn stubs_beside_the_change() {
        let python = "def a(b):\n    c(b)\n    return d\n\n\ndef e(f):\n    g(f)\n    return h\n";
        for stub in ["pass", "...", "raise NotImplementedError", "# as it is\n    pass"] {
            let stubbed = python.replace("g(f)\n    return h", stub);
            check("Call `i`", python, &stubbed.replace("c(b)", "i(b)"), false);
            check("Call `i`", python, &stubbed, true);
            check("Make `e` a stub", python, &stubbed.replace("c(b)", "i(b)"), true);
            check("Call `i`", &stubbed, &stubbed.replace("c(b)", "i(b)"), true);
        }
        let headed = python.replace(":\n    g(f)\n    return h", ": ...").replace("c(b)", "i(b)");
        check("", python, &headed, false);
        let moved =
            python.replace("    g(f)\n    return h", "    pass").replace("c(b)", "g(f)\n    return h");
        check("", python, &moved, true);
        let rust = "fn a() {\n    b();\n}\n\nfn c() {\n    d();\n}\n";
        check("", rust, &rust.replace("b()", "e()").replace("d();", "todo!()"), false);
        check("", rust, &rust.replace("b()", "e()").replace("d();", "d(); todo!()"), true);
        check("", "a\nb\nc = pass_it\n", "d\nb\npassword\n", true);
        let other = "fn one() {\n    first();\n}\n\nfn two() {\n    second();\n    third();\n}\n";
        for stub in ["// as before", "return;", "return null;"] {
            let after = other.replace("first()", "last()").replace("second();\n    third();", stub);
            check("Call `last`", other, &after, false);
            check("Let `two` do nothing", other, &after, true);
        }
        check("", rust, &rust.replace("b()", "e()").replace("{\n    d();\n}", "{ /* ... */ }"), false);
        let json = "{\n  \"a\": 1,\n  \"d\": true,\n  \"b\": {\n    \"c\": 2\n  }\n}\n";
        let emptied = json.replace("{\n    \"c\": 2\n  }", "{}");
        check("", json, &emptied.replace('1', "3"), false);
        check("", json, &emptied, true);
        check("Leave `b` empty", json, &emptied.replace('1', "3"), true);
    }
}
