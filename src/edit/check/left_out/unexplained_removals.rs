//! Lines that go beside another change, though nothing gives a reason.
//!
//! A model that writes a text once more easily drops a comment, an include or a field, and the result still parses.

use std::collections::{HashMap, HashSet};

use super::comments;
use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// The most lines of code that are judged: longer parts go for reasons that no word shows.
const MOST_LINES: usize = 3;

/// The shortest name that relates two changes.
const LEAST_NAME: usize = 3;

/// The lines that a new text lacks although nothing in it makes them needless.
///
/// What became needless has lost a use: if none of the other changes is about a name in these lines, only the instruction
/// or the prose can give a reason. Without an instruction, a name that goes elsewhere is one, too.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if !compared.is_code {
        return Vec::new();
    }
    let runs = compared.runs();
    let judged: Vec<Vec<&str>> = runs.iter().map(gone).collect();
    let is_aside = |(run, gone): (&Run<'_>, &Vec<&str>)| {
        gone.len() == code(&run.old).count() && code(&run.new).next().is_none()
    };
    let changes = runs.iter().zip(&judged).filter(|it| !is_aside(*it)).count();
    let has_gone = judged.iter().any(|gone| !gone.is_empty());
    // What a call needed may go with it.
    let is_call = |line: &&str| line.contains('(') && !opens_block(line) && !is_remark(line);
    let calls = judged.iter().filter(|gone| gone.iter().any(is_call)).count();
    let goes_with_call = calls > 0 && judged.iter().filter(|gone| !gone.is_empty()).count() > 1;
    if changes == 0 || !has_gone || goes_with_call {
        return Vec::new();
    }
    let mentions = compared.mentions();
    if mentions.of_removal() {
        return Vec::new();
    }
    let new: HashSet<&str> = compared.added().collect();
    let mut about: HashSet<&str> = HashSet::new();
    let mut takes_names = false;
    for (run, gone) in runs.iter().zip(&judged) {
        let known: HashSet<&str> = run.new.iter().chain(gone).flat_map(|line| ident::names(line)).collect();
        takes_names |= run.old.iter().flat_map(|line| ident::names(line)).any(|name| !known.contains(name));
        let gone: HashSet<&str> = gone.iter().copied().collect();
        let changed = run.old.iter().filter(|line| !gone.contains(**line)).chain(&run.new);
        about.extend(changed.flat_map(|line| ident::names(line)));
    }
    // An instruction would have said more.
    if takes_names && compared.asked.instruction.is_empty() {
        return Vec::new();
    }
    let has_reason = |line: &str| match is_remark(line) {
        // It may have been about a name that goes.
        true => takes_names || comments::are_mentioned(compared),
        // An include does not say which names it is for.
        false if line.starts_with("#include") && takes_names => true,
        false => {
            let is_long = |name: &str| name.chars().count() >= LEAST_NAME;
            let has_long = ident::names(line).any(is_long);
            let mut names = ident::names(line).filter(|name| is_long(name) || !has_long);
            names.any(|name| about.contains(name) || mentions.has(name))
        }
    };
    let unexplained = judged.into_iter().filter(|gone| {
        let code = gone.iter().filter(|line| !is_remark(line)).count();
        code <= MOST_LINES
            && !gone.iter().any(|line| new.contains(line) || is_judged_elsewhere(line) || has_reason(line))
    });
    unexplained.flatten().take(MOST_LINES).map(str::to_owned).collect()
}

/// Whether a line is no remark and no declaration, setting or import without names.
///
/// What imports names is [judged](super::used) by them. A condition or a loop around code that stays is unwrapped, and an
/// element of a list is data.
fn is_judged_elsewhere(line: &str) -> bool {
    const NAMING: [&str; 3] = ["from ", "import ", "use "];
    const FLOWING: [&str; 14] = [
        "async", "case", "default", "do", "else", "for", "if", "loop", "match", "switch", "try", "unsafe",
        "while", "with",
    ];
    let names = NAMING.iter().any(|it| line.starts_with(it)) && !line.contains('*');
    let flows = opens_block(line) && FLOWING.contains(&first_word(line));
    let is_element = match line.chars().next() {
        Some('"' | '\'') => !line.contains(':'),
        Some('(' | '[' | '{') => line.ends_with(','),
        _ => false,
    };
    !is_remark(line) && (names || flows || is_element)
}

fn opens_block(line: &str) -> bool {
    line.ends_with(['{', '(', '[', ':'])
}

/// The lines of a run that go and have no new line in their place.
fn gone<'t>(run: &Run<'t>) -> Vec<&'t str> {
    let mut in_place: HashMap<&str, usize> = HashMap::new();
    for line in code(&run.new) {
        *in_place.entry(first_word(line)).or_default() += 1;
    }
    let mut takes_place = |line: &&str| {
        let left = in_place.get_mut(first_word(line)).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    let mut gone: Vec<&str> = code(&run.old).filter(|line| !takes_place(line)).collect();
    // New lines without an old one of their kind are in the place of those that go.
    if in_place.values().any(|left| *left > 0) {
        gone.clear();
    }
    gone
}

fn code<'r, 't>(lines: &'r [&'t str]) -> impl Iterator<Item = &'t str> + use<'r, 't> {
    lines.iter().copied().filter(|line| has_word_chars(line))
}

/// The first word of a line of code, and one word for all remarks.
fn first_word(line: &str) -> &str {
    if is_remark(line) { "#" } else { ident::words(line).next().unwrap_or_default() }
}

/// Whether a line is a comment, or a docstring.
fn is_remark(line: &str) -> bool {
    is_comment(line) || ["\"\"\"", "'''"].iter().any(|quotes| line.starts_with(quotes))
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept};
    use crate::grammar;

    /// Checks what a reply with `talk` and the file, in which `gone` is missing and `old` is `new`, leaves out.
    #[track_caller]
    fn check(language: &str, file: &str, gone: &str, [old, new]: [&str; 2], talk: &str, expected: &str) {
        let after = file.replacen(gone, "", 1).replacen(old, new, 1);
        let request =
            Request { text: file, grammar: grammar::by_language_id(language), ..Request::default() };
        let refusal =
            accept(&request, &format!("{talk}\n\n```\n{after}```\n")).err().map(|it| it.to_string());
        let lacks = |lines: &str| format!("the reply leaves out {lines}, which nothing asks to remove");
        assert_eq!(refusal, Some(expected).filter(|it| !it.is_empty()).map(lacks), "{after}");
    }

    const C: &str = "#include <stdio.h>\n#include <string.h>\n\nstruct item {\n    char label[32];\n    int price;\n};\n\n\
        /* Sums up. */\nint total(struct item *all, int count)\n{\n    int sum = 0;\n    for (int i = 0; i < count; i++)\n        sum += all[i].price;\n    return sum;\n}\n";

    #[test]
    fn lines_do_not_go_beside_a_change_that_takes_nothing_away() {
        let other = ["+= all", "+= 2 * all"];
        check("c", C, "#include <string.h>\n", other, "Doubled.", "`#include <string.h>`");
        check("c", C, "    char label[32];\n", other, "Doubled.", "`char label[32];`");
        check("c", C, "/* Sums up. */\n", other, "Doubled.", "`/* Sums up. */`");
        let python = "def load(path):\n    \"\"\"Reads it.\"\"\"\n    return read(path)\n\n\ndef size(path):\n    return measure(path)\n";
        check(
            "python",
            python,
            "    \"\"\"Reads it.\"\"\"\n",
            ["measure(path)", "measure(path) + 1"],
            "",
            "`\"\"\"Reads it.\"\"\"`",
        );
        let json = "{\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"jest\"\n  },\n  \"files\": []\n}\n";
        check(
            "json",
            json,
            ",\n    \"test\": \"jest\"",
            ["\"tsc\"", "\"tsc -p\""],
            "",
            "`\"test\": \"jest\"`",
        );
    }

    #[test]
    fn containers_do_not_go_beside_a_change() {
        let yaml = "services:\n  web:\n    image: nginx:1.20\n    ports: [80]\nvolumes:\n  data: {}\nnetworks:\n  back: {}\n";
        check("yaml", yaml, "volumes:\n  data: {}\n", ["1.20", "1.25"], "", "`volumes:`, `data: {}`");
    }

    #[test]
    fn lines_go_for_a_reason() {
        let other = ["+= all", "+= 2 * all"];
        check("c", C, "#include <string.h>\n", ["return sum", "return sum"], "", "");
        check("c", C, "#include <string.h>\n", ["sum += all[i].price", "add(i)"], "", "");
        check("c", C, "#include <string.h>\n", other, "It needs no `string.h`.", "");
        check("c", C, "#include <string.h>\n", other, "I removed what nothing uses.", "");
        let both = C.replace("int sum = 0", "int sum = strlen(all->label)");
        check("c", &both, "#include <string.h>\n", ["strlen(all->label)", "0"], "", "");
        check("c", C, "/* Sums up. */\n", other, "The comment said nothing.", "");
        let wrapped = "a(b);\na(g);\na(h);\nif c {\n    d(e);\n}\nf(1);\n";
        check("rust", wrapped, "if c {\n", ["    d(e);\n}\nf(1)", "d(e);\nf(2)"], "", "");
        check("c", C, "    char label[32];\n", ["int count)", "int count, char *label)"], "", "");
    }
}
