//! Parts of definitions that a retyped text leaves out: attributes, modifiers, and declarations of one line.
//!
//! Such a line is easily lost while a model writes a text once more, and the result still parses.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::line;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// Keywords before a definition that set its kind or its visibility.
const MODIFIERS: [&str; 16] = [
    "abstract",
    "async",
    "default",
    "export",
    "final",
    "internal",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "static",
    "synchronized",
    "unsafe",
    "virtual",
];

/// Words of an instruction that is about modifiers, without their names: "make it synchronous".
const ABOUT_MODIFIERS: [&str; 17] = [
    "api",
    "blocking",
    "commonjs",
    "expose",
    "hidden",
    "hide",
    "instance",
    "module",
    "mutable",
    "named",
    "overridable",
    "private",
    "public",
    "sync",
    "synchronous",
    "visibility",
    "visible",
];

/// Words of an instruction that is about attributes: "make it a plain method".
const ABOUT_ATTRIBUTES: [&str; 11] = [
    "annotation",
    "annotations",
    "attribute",
    "attributes",
    "decorator",
    "decorators",
    "derives",
    "method",
    "normal",
    "plain",
    "regular",
];

/// Attributes that go when what they stand for is over.
const PASSING: [&str; 9] =
    ["allow", "deprecated", "disabled", "expect", "ignore", "skip", "suppress", "todo", "xfail"];

/// How many of the declarations that go are judged, each by all lines.
const MOST_JUDGED: usize = 20;

/// The first attributes, modifiers and declarations that a new text lacks, as they are written.
///
/// An attribute or a modifier may go if the instruction or the prose names it, or if nothing else changes. A
/// declaration may go with the uses of its name.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if !compared.is_code {
        return Vec::new();
    }
    let (runs, before) = (compared.runs(), compared.before.part());
    let (old, new) = (compared.before.lines(), compared.after.lines());
    // Nearly always, nothing is lost, and nothing has to be counted.
    let mentions = || compared.mentions();
    let is_named = |text: &str| ident::names(text).any(|name| name.len() > 2 && mentions().has(name));
    let said = compared.asked.instruction.to_lowercase();
    let is_about = |subjects: &[&str]| ident::words(&said).any(|word| subjects.contains(&word));
    let (is_about_modifiers, is_about_attributes) = (is_about(&ABOUT_MODIFIERS), is_about(&ABOUT_ATTRIBUTES));
    let mut found: Vec<String> = Vec::new();
    let mut others = 0;
    let added = OnceCell::new();
    let is_elsewhere =
        |line: &str| added.get_or_init(|| compared.added().collect::<HashSet<_>>()).contains(line);
    for run in runs {
        let attributes =
            attributes(run, old, &is_elsewhere).filter(|text| !is_about_attributes && !is_named(text));
        // Without anything to await any more, all of it became synchronous.
        let is_over = |modifier: &str| {
            modifier == "async" && mentions().in_new.count("await") == 0 && before.contains("await")
        };
        let modifiers = modifiers(run).filter(|it| !is_about_modifiers && !is_named(it) && !is_over(it));
        match attributes.or(modifiers.map(str::to_owned)) {
            Some(text) => {
                found.push(text);
                let old: HashSet<Vec<&str>> = run.old.iter().map(|line| without_modifiers(line)).collect();
                others += usize::from(run.new.iter().any(|line| !old.contains(&without_modifiers(line))));
            }
            None => others += 1,
        }
    }
    if others == 0 {
        found.clear();
    }
    if found.is_empty() {
        found.extend(declaration(before, [old, new], runs).filter(|text| !is_named(text)));
    }
    found
}

/// The attributes of a definition that a run leaves out while the definition stays.
fn attributes(run: &Run<'_>, old: &[&str], is_elsewhere: &dyn Fn(&str) -> bool) -> Option<String> {
    // The other lines are the members of Ruby, and the rules of CSS.
    let is_attribute = |line: &&&str| {
        line.starts_with("#[")
            || line.starts_with('@') && !line.contains('=') && !line.ends_with(['{', ';', ','])
    };
    let gone = run.old.iter().filter(is_attribute).find(|line| !is_elsewhere(line))?;
    let said = gone.to_lowercase();
    if run.new.iter().any(|line| is_attribute(&line)) || PASSING.iter().any(|word| said.contains(word)) {
        return None;
    }
    let code = |line: &&&str| !is_attribute(line) && !is_comment(line) && has_word_chars(line);
    let below = run.old.iter().skip_while(|line| *line != gone).find(code);
    let stays = match below {
        None => {
            let mut behind = old.iter().skip(run.at + run.old.len());
            behind.find(|line| !is_attribute(line)).is_some_and(|next| code(&next))
        }
        Some(below) => run.new.iter().filter(code).any(|line| header(line).1 == header(below).1),
    };
    stays.then(|| (**gone).to_owned())
}

/// The modifier that the first line of a definition loses.
fn modifiers<'t>(run: &Run<'t>) -> Option<&'t str> {
    let is_head = |line: &&str| has_word_chars(line) && !is_comment(line) && !line.starts_with(['@', '#']);
    let first = |lines: &[&'t str]| lines.iter().copied().find(is_head);
    let (old, new) = (first(&run.old)?, first(&run.new)?);
    let ((had, key), (has, new_key)) = (header(old), header(new));
    let is_less = key == new_key && !key.is_empty() && has.iter().all(|word| had.contains(word));
    had.into_iter().find(|word| is_less && !has.contains(word))
}

/// The modifiers of a line, and what is behind them up to the first sign.
fn header(line: &str) -> (Vec<&str>, Vec<&str>) {
    let head = line.split(['(', '{', '=', ':', '<', ';']).next().unwrap_or_default();
    head.split_whitespace().partition(|word| MODIFIERS.contains(word))
}

fn without_modifiers(line: &str) -> Vec<&str> {
    line.split_whitespace().filter(|word| !MODIFIERS.contains(word)).collect()
}

/// The first line that declares what kept lines use, where no new line may declare it, or another in its place.
fn declaration<'t>(before: &str, [old, new]: [&[&str]; 2], runs: &[Run<'t>]) -> Option<String> {
    let mut gone = Vec::new();
    for run in runs {
        let of = |lines: &[&'t str]| -> HashSet<(&'t str, &'t str)> {
            lines.iter().flat_map(|line| declares(line)).collect()
        };
        if of(&run.new).is_subset(&of(&run.old)) {
            for (at, line) in run.old.iter().enumerate() {
                let above = &old[..(run.at + at).min(old.len())];
                let names =
                    declared(line).into_iter().chain(unpacked(line)).chain(first_assigned(line, above));
                gone.extend(names.map(|name| (run, at, *line, name)));
            }
        }
    }
    let declared_again: HashSet<(&str, &str)> = new.iter().flat_map(|line| declares(line)).collect();
    gone.retain(|(.., it)| !declared_again.contains(it));
    gone.truncate(MOST_JUDGED);
    if gone.is_empty() {
        return None;
    }
    let known: HashSet<&str> = old.iter().copied().collect();
    let kept: HashSet<&str> = new.iter().copied().collect();
    let added: Vec<&str> = new.iter().copied().filter(|line| !known.contains(line)).collect();
    let mut lost = gone.into_iter().filter(|(run, at, _, (owner, name))| {
        let whole = [*owner, *name].concat();
        let is_used = |line: &str| kept.contains(line) && is_bare(line, &whole);
        !added.iter().any(|line| may_declare(line, name))
            && match owner.is_empty() {
                true => block_below(before, run.at + at, run.old.len() - at).any(is_used),
                false => old.iter().any(|line| is_used(line)),
            }
    });
    lost.next().map(|(_, _, line, _)| line.to_owned())
}

/// The lines of a text below one that are in its block, from the one `gone` lines further on.
fn block_below(text: &str, at: usize, gone: usize) -> impl Iterator<Item = &str> {
    let mut lines = line::split_iter(text).filter(|line| !line::is_blank(line)).skip(at).peekable();
    let depth = lines.peek().map_or(0, |line| line::indent(line).len());
    lines.take_while(move |line| line::indent(line).len() >= depth).skip(gone).map(str::trim)
}

/// Whether a line uses a name that is not the member of another.
fn is_bare(line: &str, name: &str) -> bool {
    ident::occurrences(line, name).any(|at| !line[..at].ends_with(['.', '>', ':', '"', '\'']))
}

/// Whether a line may declare a name: as a variable, a parameter, a loop's variable or an import.
fn may_declare(line: &str, name: &str) -> bool {
    const IMPORTING: [&str; 4] = ["import ", "use ", "from ", "global "];
    const OPERATORS: [&str; 12] =
        ["and", "await", "case", "delete", "else", "in", "not", "or", "print", "return", "throw", "yield"];
    let opens = line.ends_with(['{', ':', '(', ',', '|']) || IMPORTING.iter().any(|it| line.starts_with(it));
    ident::occurrences(line, name).any(|at| {
        let behind = line[at + name.len()..].trim_start();
        let is_assigned =
            behind.starts_with(['=', ':']) && !behind.starts_with("==") || behind.starts_with(", ");
        // Behind a keyword or a type: `var a int`, `int a;`
        let before = line[..at].strip_suffix(' ').map(ident::last_partial).unwrap_or_default();
        opens || is_assigned || !before.is_empty() && !OPERATORS.contains(&before)
    })
}

/// All variables and members that a line may declare.
fn declares(line: &str) -> impl Iterator<Item = (&str, &str)> {
    declared(line).into_iter().chain(unpacked(line)).chain(first_assigned(line, &[]))
}

/// The variables that a line declares by a pattern: `const [a, b] =`, `a, b :=`.
fn unpacked(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let pattern = || {
        if let Some((targets, _)) = line.split_once(" := ") {
            return targets.contains(',').then_some(targets);
        }
        let (target, _) = line.split_once(" = ")?;
        let rest = ["const ", "let ", "var "].iter().find_map(|it| target.strip_prefix(it))?;
        rest.strip_prefix(['[', '{', '('])?.strip_suffix([']', '}', ')'])
    };
    pattern().into_iter().flat_map(ident::names).map(|name| ("", name))
}

/// The variable that a line assigns without a declaration, if no line above it has that name.
fn first_assigned<'t>(line: &'t str, above: &[&str]) -> Option<(&'static str, &'t str)> {
    // Each line of a large change looks at those above it.
    const MOST_ABOVE: usize = 50;
    let above = &above[above.len().saturating_sub(MOST_ABOVE)..];
    let (target, value) = line.split_once(" = ")?;
    let is_first = ident::is_name(target) && !above.iter().any(|line| is_bare(line, target));
    (is_first && !value.is_empty()).then_some(("", target))
}

/// The variable that a line declares, or the member that it assigns, with the object before it.
fn declared(line: &str) -> Option<(&str, &str)> {
    const OBJECTS: [&str; 3] = ["self.", "this.", "@"];
    let (target, value) = line.split_once('=')?;
    if value.starts_with(['=', '>'])
        || target.ends_with(['!', '<', '>', '+', '-', '*', '/', '%', '|', '&', '^', '.'])
    {
        return None;
    }
    let target = target.split(": ").next().unwrap_or(target).trim_end();
    let bare = target.trim_end_matches(':').trim_end();
    if let Some(object) = OBJECTS.iter().find(|object| bare.starts_with(**object)) {
        let name = &bare[object.len()..];
        return ident::is_name(name).then_some((&bare[..object.len()], name));
    }
    let name = ident::last_partial(bare);
    let before = bare[..bare.len() - name.len()].trim_end();
    let has_type = before.ends_with(|sign: char| sign.is_alphanumeric() || "]>*".contains(sign));
    let is_new = target.ends_with(':') && before.is_empty()
        || has_type && before.split_whitespace().all(|word| !word.contains(['(', '.', '"', ',']));
    (is_new && ident::is_name(name)).then_some(("", name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    /// Checks the parts that a new text, made by replacing each first text by the second, leaves out.
    #[track_caller]
    fn check(before: &str, changes: &[(&str, &str)], instruction: &str, expected: &[&str]) {
        let mut after = before.to_owned();
        for (old, new) in changes {
            assert!(after.contains(old), "{old}");
            after = after.replacen(old, new, 1);
        }
        let asked = Asked { instruction, reply: &after };
        assert_eq!(compared("rust", [before, &after], asked, lost), expected, "{after}");
    }

    const RUST: &str = "use a;\n\n/// B.\n#[derive(Clone)]\npub struct B {\n    c: u8,\n}\n\n\
        pub fn d() -> u8 {\n    let mut sum = 0;\n    for e in f() {\n        sum += e;\n    }\n    sum\n}\n";

    #[test]
    fn attributes_stay_with_their_definition() {
        let (gone, other) = (("#[derive(Clone)]\n", ""), ("+= e", "+= 2 * e"));
        check(RUST, &[gone, other], "", &["#[derive(Clone)]"]);
        check(RUST, &[gone, ("    c: u8", "    c: u16")], "", &["#[derive(Clone)]"]);
        check(RUST, &[gone, ("pub struct B {", "pub struct B<T> {"), other], "", &["#[derive(Clone)]"]);
        check(RUST, &[gone, other], "Do not derive it", &[]);
        check(RUST, &[gone], "", &[]);
        check(RUST, &[gone, ("pub fn d", "#[derive(Clone)]\nstruct G(u8);\n\npub fn d"), other], "", &[]);
        check(RUST, &[("#[derive(Clone)]", "#[derive(Copy)]"), other], "", &[]);
        let python = "@a.skip\ndef b():\n    c()\n\n\n@property\ndef d(self):\n    e()\n";
        check(python, &[("@a.skip\n", ""), ("e()", "f()")], "", &[]);
        check(python, &[("@property\n", ""), ("c()", "f()")], "", &["@property"]);
        let two = python.replace("@property\n", "@cached\n@property\n");
        check(&two, &[("@cached\n", ""), ("c()", "f()")], "", &["@cached"]);
        check(python, &[("@property\n", ""), ("c()", "f()")], "Make `d` a normal method", &[]);
        check(
            "@import \"a\";\nb {\n  c: 1;\n}\nd {\n  e: 2;\n}\n",
            &[("@import \"a\";\n", ""), ("e: 2", "f: 2")],
            "",
            &[],
        );
        check(python, &[("\n\n@property\ndef d(self):\n    e()\n", ""), ("c()", "f()")], "", &[]);
    }

    #[test]
    fn modifiers_stay() {
        let other = ("+= e", "+= 2 * e");
        check(RUST, &[("pub fn d", "fn d"), other], "", &["pub"]);
        check(RUST, &[("pub fn d() -> u8", "fn d(g: u8) -> u8"), other], "", &["pub"]);
        check(RUST, &[("pub fn d", "fn d")], "", &[]);
        check(RUST, &[("pub fn d", "fn d"), other], "Make `d` private", &[]);
        let sync = "async fn a() {\n    b().await;\n    c();\n}\n";
        check(sync, &[("async fn", "fn"), (".await", "")], "Call the other client", &[]);
        check(sync, &[("async fn", "fn"), ("c()", "d().await")], "Make it synchronous", &[]);
        check(sync, &[("async fn", "fn"), ("c()", "d()")], "Call `d`", &["async"]);
        check("async fn a() {\n    b();\n}\n", &[("async fn", "fn"), ("b()", "c()")], "", &["async"]);
        check(RUST, &[("(Clone)", "(Copy)"), ("pub struct", "struct")], "", &["pub"]);
        let hoisted = "try {\n  const a = b();\n  c(a);\n} finally {\n  d();\n}\n";
        check(hoisted, &[("try", "let a;\ntry"), ("const a", "a")], "Use `a` behind", &[]);
        check(RUST, &[("pub fn d", "pub async fn d"), other], "", &[]);
        check("export const A = 1;\nb();\n", &[("export const", "const"), ("b", "c")], "", &["export"]);
        check("export const A = 1;\nb();\n", &[("export const A", "let B"), ("b", "c")], "", &[]);
    }

    #[test]
    fn declarations_stay_with_their_uses() {
        check(RUST, &[("    let mut sum = 0;\n", "")], "", &["let mut sum = 0;"]);
        check(RUST, &[("    let mut sum = 0;\n", ""), ("+= e", "+= 2 * e")], "", &["let mut sum = 0;"]);
        check(RUST, &[("    let mut sum = 0;\n", ""), ("d()", "d(mut sum: u8)")], "", &[]);
        check(
            RUST,
            &[("    let mut sum = 0;\n", ""), ("        sum += e;\n", ""), ("    sum\n", "")],
            "",
            &[],
        );
        let python = "class A:\n    def __init__(self):\n        self.b = {}\n        self.c = 1\n\n    def d(self):\n        return self.b\n";
        check(python, &[("        self.b = {}\n", ""), ("= 1", "= 2")], "", &["self.b = {}"]);
        check(python, &[("        self.c = 1\n", "")], "", &[]);
        let go = "func a() {\n\tb := 1\n\tc(b)\n}\n\nfunc d(b int) {\n\tc(b)\n}\n";
        check(go, &[("\tb := 1\n", "")], "", &["b := 1"]);
        check(go, &[("\tb := 1\n\tc(b)\n", "")], "", &[]);
        check(go, &[("\tb := 1\n", "\tvar b int\n")], "", &[]);
        check("int a = 1;\nif (a == 2) {\n    f(a);\n}\n", &[("int a = 1;\n", "")], "", &["int a = 1;"]);
        check("a.b(c = 1)\nd(c)\n", &[("a.b(c = 1)\n", "")], "", &[]);
        let python =
            "def a(b):\n    c = d(b)\n    c = e(c)\n    for f in b:\n        c.add(f)\n    return c\n";
        check(python, &[("    c = d(b)\n", "")], "", &[]);
        let python = python.replace("    c = e(c)\n", "");
        check(&python, &[("    c = d(b)\n", ""), ("add(f)", "add(1)")], "", &["c = d(b)"]);
        let go = "rows, err := query(a)\nfor rows.Next() {\n\tscan(rows)\n}\n";
        check(go, &[("rows, err := query(a)\n", "")], "", &["rows, err := query(a)"]);
        let react = "const [a, setA] = b();\nconst c = 1;\nsetA(c);\n";
        check(react, &[("const [a, setA] = b();\n", "")], "", &["const [a, setA] = b();"]);
    }
}
