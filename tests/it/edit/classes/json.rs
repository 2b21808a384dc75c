//! Edits in JSON: their keys, their line numbers, their damage.

use serde_json::{Value, json};

use super::Class;
use super::Must::{Apply, Either, Refuse};
use super::cut::between;
use super::draft::{Form, reply};
use super::formats::json_edits;
use crate::edit::corpus::{Case, indent};

pub(super) const CLASSES: &[Class] = &[
    ("json: keys", Apply, |case, rng| {
        let keys = [("old_str", "new_str"), ("search", "replace"), ("old", "new"), ("oldText", "newText")];
        let (old, new) = rng.of(&[&keys[..], &[("oldString", "newString")]].concat());
        let edits = texts(case).map(|(from, to)| json!({ old: from, new: to })).collect::<Vec<_>>();
        case.sample(json!({ "edits": edits }).to_string())
    }),
    ("json: comments", Either, |case, _| {
        case.sample(format!("{:#}", json!({ "edits": json_edits(case) })).replacen('{', "{ // the edit", 1))
    }),
    ("json: encoded twice", Either, |case, rng| {
        case.sample(Value::from(reply(case, rng, &[Form::Strings])).to_string())
    }),
    ("json: escaped twice, with escapes in a string", Either, |case, _| {
        let hunk = case.altered()?;
        let line = format!("{}say(\"one\\n\");", indent(&hunk.new[0]));
        let mut case = case.plain();
        case.hunks[0].new.push(line);
        let (old, new) = texts(&case).next()?;
        let twice = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n");
        case.sample(json!({ "old_string": twice(&old), "new_string": twice(&new) }).to_string())
    }),
    ("json: line ends escaped twice, with one in a string", Refuse, |case, _| {
        let hunk = case.altered()?;
        let line = format!("{}say(\"one\\n\");", indent(&hunk.new[0]));
        let mut case = case.plain();
        case.hunks[0].new.push(line);
        let (old, new) = texts(&case).next()?;
        let ends = |text: &str| text.replace('\n', "\\n");
        case.refused(json!({ "old_string": ends(&old), "new_string": ends(&new) }).to_string())
    }),
    ("json: a name replaced everywhere, then a line with it", Apply, |case, _| {
        let hunk = case.altered()?;
        let word = hunk.old[0].split(|letter: char| !letter.is_alphanumeric()).find(|word| word.len() > 4)?;
        let file = case.file();
        (hunk.new[0].contains(word) && file.matches(word).count() == 1).then_some(())?;
        let mut case = case.plain();
        let renamed = |line: &str| line.replace(word, "another_one");
        let (old, new) = (renamed(&hunk.old[0]), renamed(&hunk.new[0]));
        (file.matches(hunk.old[0].as_str()).count() == 1).then_some(())?;
        case.hunks[0].new = vec![new.clone()];
        let edits = json!([
            { "old_string": word, "new_string": "another_one", "replace_all": true },
            { "old_string": old, "new_string": new },
        ]);
        case.sample(json!({ "file_path": case.path, "edits": edits }).to_string())
    }),
    ("json: lists of lines", Either, |case, _| {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let edits = texts(case).map(|(old, new)| json!({ "old_text": lines(&old), "new_text": lines(&new) }));
        case.sample(json!({ "edits": edits.collect::<Vec<_>>() }).to_string())
    }),
    ("json: a line end at one end", Either, |case, _| {
        case.altered()?;
        let (old, new) = texts(case).next()?;
        let has_blank = old.ends_with('\n');
        (!has_blank).then(|| case.sample(json!({ "old_text": old + "\n", "new_text": new }).to_string()))?
    }),
    ("json: wrong kinds", Refuse, |case, rng| {
        let (old, new) = texts(case).next().filter(|(old, new)| old != new)?;
        let edits = [
            json!({ "old_text": old, "new_text": null }),
            json!({ "old_text": null, "new_text": new }),
            json!({ "old_text": 7, "new_text": new }),
            json!({ "old_text": old }),
            json!({ "old_text": old, "new_text": { "text": new } }),
            json!({ "new_text": new }),
        ];
        case.refused(edits[rng.below(edits.len())].to_string())
    }),
    ("json: insertion at one line", Refuse, |case, _| {
        let hunk = case.lone().filter(|hunk| hunk.old.is_empty())?;
        let line = hunk.at + 1;
        let edit =
            json!({ "start_line": line, "end_line": line, "old_text": "", "new_text": hunk.new.join("\n") });
        case.refused(json!({ "edits": [edit] }).to_string())
    }),
    ("json: a file of such keys", Either, |case, rng| {
        let file = json!({ "edits": [{ "old_text": "a", "new_text": "b" }], "name": "demo", "port": 1 });
        let lines: Vec<String> = format!("{file:#}").lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains("port"))?;
        let new = lines[at].replace('1', &(1000 + rng.below(9000)).to_string());
        let case = Case { lines: lines.clone(), path: "settings.json", ..case.clone() };
        let case = case.with(at, &lines[at..=at], &[new]);
        case.sample(format!("```json\n{}```\n", case.target()))
    }),
    // Truncated replies.
    ("json: cut at the last brackets", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Strings, Form::Numbered]);
        let from = whole.rfind(['"', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])? + 1;
        case.refused(&whole[..from + rng.below(whole.len() - from)])
    }),
    ("json: cut in a fence", Refuse, |case, rng| {
        let whole = format!("```json\n{}", reply(case, rng, &[Form::Strings]));
        case.refused(between(&whole, 30, whole.len() - 1, rng))
    }),
];

/// The old and the new text of each hunk, without the last line's end.
fn texts(case: &Case) -> impl Iterator<Item = (String, String)> {
    case.hunks.iter().map(|hunk| {
        let (old, new) = case.halves(hunk, 3);
        (old.join("\n"), new.join("\n"))
    })
}
