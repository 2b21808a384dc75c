//! Files that hold edits as data or as an example: their new version is no list of edits.

use std::path::Path;

use tandem::grammar;

use super::{Class, Must, Sample};
use crate::edit::corpus::{Case, Rng};

pub(super) const CLASSES: &[Class] = &[
    ("records: whole file", Must::Apply, |_, rng| {
        let (path, text) = rng.of(FILES);
        changed(path, text, rng, None)
    }),
    ("records: whole file bare", Must::Either, |_, rng| {
        let (path, text) = rng.of(FILES);
        let sample = changed(path, text, rng, None)?;
        Some(Sample { reply: sample.target.clone(), ..sample })
    }),
    ("records: range", Must::Apply, |_, rng| {
        let (path, text) = rng.of(FILES);
        let lines = text.lines().count();
        let start = 2 + rng.below(2);
        changed(path, text, rng, Some((start, lines - 1)))
    }),
    ("records: range of one", Must::Either, |_, rng| {
        let (path, text) = rng.of(FILES);
        let at = text.lines().position(|line| line.contains("delta"))?;
        let lines = (at.saturating_sub(rng.below(3)), at + 1 + rng.below(3));
        changed(path, text, rng, Some(lines))
    }),
    ("records: edited in json", Must::Either, |_, rng| {
        let (path, text) = rng.of(FILES);
        let sample = changed(path, text, rng, None)?;
        let line = |text: &str, word: &str| text.lines().find(|line| line.contains(word)).map(str::to_owned);
        let (old, new) = (line(&sample.file, "delta")?, line(&sample.target, "omega")?);
        let [old_key, new_key] = rng.of(&[["old_string", "new_string"], ["find", "replace"]]);
        Some(Sample { reply: serde_json::json!([{ old_key: old, new_key: new }]).to_string(), ..sample })
    }),
    ("records: edited in blocks", Must::Either, |_, rng| {
        let (path, text) = rng.of(FILES);
        let sample = changed(path, text, rng, None)?;
        let around = |text: &str, word: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| line.contains(word))?;
            Some(format!("{}\n{}\n", lines[at.checked_sub(1)?], lines[at]))
        };
        let (old, new) = (around(&sample.file, "delta")?, around(&sample.target, "omega")?);
        let reply = format!("```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n");
        Some(Sample { reply, ..sample })
    }),
];

/// A file in which one word changes, and the new version of all of it or of some lines.
fn changed(path: &'static str, text: &str, rng: &mut Rng, lines: Option<(usize, usize)>) -> Option<Sample> {
    let text = text.replace("alpha", rng.of(&["alpha", "first", "colour"]));
    let case = Case {
        path,
        grammar: grammar::by_path(Path::new(path)),
        lines: text.lines().map(str::to_owned).collect(),
        hunks: Vec::new(),
    };
    let at = case.lines.iter().position(|line| line.contains("delta"))?;
    let case = Case {
        grammar: case.grammar,
        ..case.with(at, &case.lines[at..=at], &[case.lines[at].replace("delta", "omega")])
    };
    let lines = lines.map(|(start, end)| start..end.min(case.lines.len()));
    let new = match &lines {
        Some(lines) => case.new_lines(lines).iter().map(|line| format!("{line}\n")).collect(),
        None => case.target(),
    };
    let tag = rng.of(&["", path.rsplit_once('.')?.1]);
    let sample = case.sample(format!("````{tag}\n{new}````\n"))?;
    match lines {
        Some(lines) => sample.about(lines),
        None => Some(sample),
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "r.json",
        "[\n  { \"old\": \"/alpha\", \"new\": \"/beta\" },\n  { \"old\": \"/gamma\", \"new\": \"/delta\" },\n  { \"old\": \"/e\", \"new\": \"/f\" }\n]\n",
    ),
    (
        "r.json",
        "[\n  {\n    \"before\": \"alpha\",\n    \"after\": \"beta\"\n  },\n  {\n    \"before\": \"gamma\",\n    \"after\": \"delta\"\n  }\n]\n",
    ),
    (
        "r.json",
        "{\n  \"rules\": [\n    { \"find\": \"alpha\", \"replace\": \"beta\" },\n    { \"find\": \"gamma\", \"replace\": \"delta\" },\n    { \"find\": \"e\", \"replace\": \"f\" }\n  ]\n}\n",
    ),
    (
        "r.json",
        "[\n  {\"old_string\": \"alpha\", \"new_string\": \"beta\"},\n  {\"old_string\": \"gamma\", \"new_string\": \"delta\"}\n]\n",
    ),
    (
        "r.xml",
        "<rules>\n  <rule>\n    <find>alpha</find>\n    <replace>beta</replace>\n  </rule>\n  <rule>\n    <find>gamma</find>\n    <replace>delta</replace>\n  </rule>\n</rules>\n",
    ),
    (
        "r.md",
        "# Blocks\n\nA block of alpha looks like this:\n\n```\n<<<<<<< SEARCH\nalpha\n=======\nbeta\n>>>>>>> REPLACE\n```\n\nOne block is made for each delta.\nThe order does not matter.\n",
    ),
    (
        "r.md",
        "# Patches\n\nA patch of alpha:\n\n```\n*** Begin Patch\n*** Update File: a.py\n@@\n-alpha\n+beta\n*** End Patch\n```\n\nThe delta is applied at once.\nThen comes the next.\n",
    ),
    (
        "r.py",
        "import os\n\nALPHA = 'alpha'\nPATCH = '''\n*** Begin Patch\n*** Update File: r.py\n@@\n-alpha\n+beta\n*** End Patch\n'''\n\n\ndef run(delta):\n    return os.name + delta\n",
    ),
    (
        "r.py",
        "import os\n\nALPHA = 'alpha'\nCALL = '''\n<invoke name=\"Edit\">\n<parameter name=\"path\">r.py</parameter>\n<parameter name=\"old_string\">alpha</parameter>\n<parameter name=\"new_string\">beta</parameter>\n</invoke>\n'''\n\n\ndef run(delta):\n    return os.name\n",
    ),
    (
        "r.html",
        "<html>\n<body>\n<main>alpha</main>\n<search>\n  <form action=\"/delta\"></form>\n</search>\n</body>\n</html>\n",
    ),
];
