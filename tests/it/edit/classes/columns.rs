//! Code that a reply writes in another column than the file.

use std::path::Path;

use serde_json::json;
use tandem::grammar;

use super::Must::{Apply, Either};
use super::formats::{block, text};
use super::{Class, Sample};
use crate::edit::corpus::{Case, Rng, indent, is_sound};

pub(super) const CLASSES: &[Class] = &[
    ("columns: a range wrapped in a block", Apply, |case, rng| {
        let (case, column) = wrapped(case)?;
        let at = case.lone()?.at;
        let new = written(&case.lone()?.new, &column, rng);
        case.sample(format!("```\n{}```\n", text(&new)))?.about(at..at + 1)
    }),
    ("columns: a wrapped range and the line below", Apply, |case, rng| {
        let (case, _) = wrapped(case)?;
        let hunk = case.lone()?;
        let (above, below) = (&case.lines[hunk.at - 1..hunk.at], &case.lines[hunk.at + 1..hunk.at + 2]);
        below[0].contains(char::is_alphanumeric).then_some(())?;
        let new = match rng.below(2) {
            0 => [&hunk.new, below].concat(),
            _ => [above, &hunk.new, below].concat(),
        };
        case.sample(format!("```\n{}```\n", text(&new)))?.about(hunk.at..hunk.at + 1)
    }),
    ("columns: a string below a statement, in column zero", Apply, |case, rng| {
        let (case, column) = with_string(case, rng)?;
        let hunk = case.lone()?;
        let flush = hunk.new.iter().map(|line| line.strip_prefix(&column).unwrap_or(line).to_owned());
        let flush: Vec<String> = flush.collect();
        case.sample(format!("~~~\n{}~~~\n", text(&flush)))?.about(hunk.at..hunk.at + 1)
    }),
    ("columns: new half in column zero", Either, |case, rng| halves(case, rng, false)),
    ("columns: old half in column zero", Either, |case, rng| halves(case, rng, true)),
    ("columns: a definition below the block of a line", Either, |case, rng| {
        let (path, file, old, new) = rng.of(BELOW);
        let case = Case { path, grammar: grammar::by_path(Path::new(path)), ..case.clone() };
        let reply = json!({ "old_string": old, "new_string": new }).to_string();
        Some(Sample { file: file.to_owned(), target: file.replacen(old, new, 1), ..case.sample(reply)? })
    }),
    ("columns: a nested list", Apply, |case, rng| {
        let (file, lines, [old, new], reply) = rng.of(NESTED);
        let lines = lines.0..lines.1;
        let case = Case { path: "a.yaml", grammar: grammar::by_path(Path::new("a.yaml")), ..case.clone() };
        let sample = case.sample(format!("```yaml\n{reply}```\n"))?;
        Sample { file: file.to_owned(), target: file.replacen(old, new, 1), ..sample }.about(lines)
    }),
    ("columns: whole file indented", Apply, |case, rng| {
        let by = rng.of(&["    ", "  ", "\t"]);
        let target = case.target();
        (!target.contains(['`', '"'])).then_some(())?;
        let lines =
            target.lines().map(|line| if line.is_empty() { line.into() } else { format!("{by}{line}") });
        case.sample(format!("~~~\n{}~~~\n", text(&lines.collect::<Vec<_>>())))
    }),
];

/// Files, and texts that add something in column zero below a line of a block.
const BELOW: &[(&str, &str, &str, &str)] = &[
    (
        "a.py",
        "class A:\n    def g(self):\n        return c\n",
        "return c",
        "return c\n\n\ndef h():\n    return 1",
    ),
    (
        "a.py",
        "def g(a):\n    if a:\n        return c\n\n\ndef i():\n    return 2\n",
        "return c",
        "return c\n\n\nclass H:\n    size = 1",
    ),
    (
        "a.py",
        "def g(a):\n    return c\n\n\ndef i():\n    return 2\n",
        "return c",
        "return c\n@one\ndef h():\n    pass",
    ),
    (
        "a.yaml",
        "jobs:\n  build:\n    steps:\n      - uses: a\n        run: make\n",
        "run: make",
        "run: make\non:\n  push: {}",
    ),
    ("a.yaml", "jobs:\n  build:\n    run: make\n", "run: make", "run: make\n\non:\n  push: {}"),
    (
        "a.js",
        "function g() {\n  return c;\n}\n",
        "return c;\n}",
        "return c;\n}\n\nfunction h() {\n  return 1;\n}",
    ),
];

/// Files, lines of them, what changes there, and the new lines in column zero.
type Nested = (&'static str, (usize, usize), [&'static str; 2], &'static str);
const NESTED: &[Nested] = &[
    ("- top\n  - a\n    - b\n  - c\n", (1, 3), ["    - b\n", "    - b2\n"], "- a\n  - b2\n"),
    (
        "containers:\n  - name: web\n    image: nginx:1\n  - name: db\n    image: pg:1\n",
        (1, 3),
        ["nginx:1", "nginx:2"],
        "- name: web\n  image: nginx:2\n",
    ),
    (
        "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\n",
        (1, 4),
        ["    c: 1\n    d: 2\n", "    c: 1\n    d: 4\n"],
        "b:\n  c: 1\n  d: 4\n",
    ),
];

/// The case in which a statement within a block is wrapped in another one, and the statement's indentation.
fn wrapped(case: &Case) -> Option<(Case, String)> {
    let at = case.altered()?.at;
    let (line, above) = (case.lines.get(at)?, case.lines.get(at.checked_sub(1)?)?);
    let column = indent(line);
    let is_statement = line.ends_with(';') && line.trim_start().starts_with(char::is_alphabetic);
    let declares = |word: &&str| line.trim_start().starts_with(*word);
    let is_first =
        !["let ", "const ", "var ", "return", "use ", "import "].iter().any(declares) && line.contains('(');
    (is_statement && is_first && above.ends_with([';', '{', '}', ')']) && case.lines.len() > at + 1)
        .then_some(())?;
    let step = match column.len() {
        0 => return None,
        _ if column.starts_with('\t') => "\t",
        length if length.is_multiple_of(4) => "    ",
        _ => "  ",
    };
    let new = [format!("{column}if (ready) {{"), format!("{step}{line}"), format!("{column}}}")];
    let case = Case { grammar: case.grammar, ..case.with(at, std::slice::from_ref(line), &new) };
    is_sound(&case).then(|| (case, column.to_owned()))
}

/// The case in which a statement within a block is followed by a string whose text is in column zero, and the
/// statement's indentation.
fn with_string(case: &Case, rng: &mut Rng) -> Option<(Case, String)> {
    let at = case.altered()?.at;
    let line = case.lines.get(at)?;
    let column = indent(line).to_owned();
    let (open, close) = match case.grammar?.id() {
        "python" => ("use(\"\"\"", "\"\"\")"),
        "go" => ("use(`", "`)"),
        "javascript" | "typescript" | "tsx" => ("use(`", "`);"),
        "rust" => ("used(r#\"", "\"#);"),
        _ => return None,
    };
    let is_statement = line.ends_with([';', ')']) && line.trim_start().starts_with(char::is_alphabetic);
    (is_statement && !column.is_empty() && !line.contains(['"', '`', '\''])).then_some(())?;
    // Within a block of its own, the text is further out than its statement.
    let step = if column.starts_with('\t') { "\t" } else { "    " };
    let (head, tail) = match case.grammar?.id() {
        "python" => ("if ready:", None),
        "go" | "rust" => ("if ready {", Some("}")),
        _ => ("if (ready) {", Some("}")),
    };
    let words = ["Title", "<b>", "- one", "key: 1"];
    let mut new =
        vec![line.clone(), format!("{column}{head}"), format!("{column}{step}{open}{}", rng.of(&words))];
    new.extend(["and more".to_owned(), format!(" the end{close}")]);
    new.extend(tail.map(|tail| format!("{column}{tail}")));
    let case = Case { grammar: case.grammar, ..case.with(at, std::slice::from_ref(line), &new) };
    is_sound(&case).then_some((case, column))
}

/// Lines in the file's column, in column zero, or with only the first in column zero.
fn written(lines: &[String], column: &str, rng: &mut Rng) -> Vec<String> {
    let outdented = |line: &String| line.strip_prefix(column).unwrap_or(line).to_owned();
    match rng.below(3) {
        0 => lines.to_vec(),
        1 => lines.iter().map(outdented).collect(),
        _ => [&[outdented(&lines[0])], &lines[1..]].concat(),
    }
}

/// A search/replace block whose halves begin in different columns.
fn halves(case: &Case, rng: &mut Rng, is_old_flush: bool) -> Option<Sample> {
    let (case, column) = wrapped(case)?;
    let hunk = case.lone()?;
    let flush = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| line.strip_prefix(&column).unwrap_or(line).to_owned()).collect()
    };
    (case.lines.iter().filter(|line| line.trim() == hunk.old[0].trim()).count() == 1).then_some(())?;
    let (old, new) = match is_old_flush {
        true => (flush(&hunk.old), hunk.new.clone()),
        false => (hunk.old.clone(), written(&hunk.new, &column, rng)),
    };
    case.sample(block(&old, &new))
}
