//! Tool calls, as providers document them.

use serde_json::{Value, json};

use super::Sample;
use super::formats::{block, definition, json_edits, marked, patch_text, text};
use crate::edit::corpus::{Case, Hunk, Rng};

/// The operation of a patch tool, wrapped as in a response.
pub(super) fn patch_operation(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let diff: String = case.hunks.iter().map(|hunk| format!("@@\n{}", marked(case, hunk, 3))).collect();
    let operation = json!({ "type": "update_file", "path": case.path, "diff": diff });
    let call = json!({ "type": "apply_patch_call", "id": "a1", "call_id": "c1", "operation": operation });
    case.sample(match rng.below(3) {
        0 => call.to_string(),
        1 => format!("{:#}", json!([{ "type": "reasoning", "id": "r1", "summary": [] }, call])),
        _ => format!("I will change it.\n\n{call}\n"),
    })
}

pub(super) fn patch_operation_on_file(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let operation = match rng.below(2) {
        0 => json!({ "type": "delete_file", "path": case.path }),
        _ => json!({ "type": "create_file", "path": case.path, "diff": "+new\n" }),
    };
    case.refusal(json!({ "type": "apply_patch_call", "operation": operation }).to_string())
}

pub(super) fn patch_input(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let patch = patch_text(case);
    case.sample(match rng.below(3) {
        0 => json!({ "type": "custom_tool_call", "name": "apply_patch", "input": patch }).to_string(),
        1 => {
            let arguments = json!({ "input": patch }).to_string();
            json!([{ "type": "function_call", "name": "apply_patch", "arguments": arguments }]).to_string()
        }
        _ => json!({ "name": "shell", "arguments": { "command": ["apply_patch", patch] } }).to_string(),
    })
}

/// The texts of a call that replaces one with the other.
fn replacement(case: &Case, hunk: &Hunk) -> (String, String) {
    let (old, new) = case.halves(hunk, 3);
    (old.join("\n"), new.join("\n"))
}

/// The arguments of an editor's calls, one for each hunk.
fn editor_calls(case: &Case) -> Vec<Vec<(&'static str, String)>> {
    let calls = case.hunks.iter().map(|hunk| {
        let (old, new) = replacement(case, hunk);
        vec![
            ("command", "str_replace".to_owned()),
            ("path", case.path.to_owned()),
            ("old_str", old),
            ("new_str", new),
        ]
    });
    calls.collect()
}

pub(super) fn text_editor(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let calls = editor_calls(case).into_iter().map(|call| {
        let input =
            Value::Object(call.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect());
        json!({ "type": "tool_use", "id": "t1", "name": "str_replace_based_edit_tool", "input": input })
    });
    let calls: Vec<Value> = calls.collect();
    case.sample(match rng.below(2) {
        0 => Value::Array(calls).to_string(),
        _ => calls.iter().map(|call| format!("{call}\n")).collect(),
    })
}

pub(super) fn text_editor_insert(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    hunk.old.is_empty().then_some(())?;
    let inserted = match rng.below(2) {
        0 => text(&hunk.new),
        _ => hunk.new.join("\n"),
    };
    let key = ["insert_text", "new_str"][rng.below(2)];
    case.sample(
        json!({ "command": "insert", "path": case.path, "insert_line": hunk.at, key: inserted }).to_string(),
    )
}

pub(super) fn text_editor_create(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.refusal(json!({ "command": "create", "path": case.path, "file_text": case.target() }).to_string())
}

pub(super) fn write(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (name, path) = [("Write", "file_path"), ("write_file", "path")][rng.below(2)];
    case.sample(json!({ "name": name, "input": { path: case.path, "content": case.target() } }).to_string())
}

/// Calls whose parameters are in tags.
fn tagged(calls: &[Vec<(&str, String)>], rng: &mut Rng) -> String {
    let style = rng.below(3);
    let parameter = |(name, text): &(&str, String)| match style {
        0 => format!("<parameter name=\"{name}\">{text}</parameter>\n"),
        1 => format!("<x:parameter name=\"{name}\">{text}</x:parameter>\n"),
        _ => format!("<parameter={name}>\n{text}\n</parameter>\n"),
    };
    let call = |parameters: &Vec<(&str, String)>| {
        let inside: String = parameters.iter().map(parameter).collect();
        match style {
            0 => format!("<invoke name=\"edit\">\n{inside}</invoke>\n"),
            1 => format!("<x:invoke name=\"edit\">\n{inside}</x:invoke>\n"),
            _ => format!("<tool_call>\n<function=edit>\n{inside}</function>\n</tool_call>\n"),
        }
    };
    let calls: String = calls.iter().map(call).collect();
    let prose = ["", "Let me change that.\n\n"][rng.below(2)];
    match style {
        0 => format!("{prose}<function_calls>\n{calls}</function_calls>\n"),
        _ => format!("{prose}{calls}"),
    }
}

pub(super) fn parameters_in_tags(case: &Case, rng: &mut Rng) -> Option<Sample> {
    // A line end at the end of a text could belong to the tags.
    let calls = editor_calls(case);
    let is_lines = |text: &String| text.starts_with('\n') || text.ends_with('\n');
    let sound = calls.iter().flatten().all(|(_, text)| !is_lines(text));
    sound.then(|| case.sample(tagged(&calls, rng)))?
}

/// A text that holds the tags of the call's own parameters.
pub(super) fn tags_in_a_text(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.altered()?;
    let tag = rng.of(&["parameter", "content", "replace", "search", "path"]);
    let inner =
        rng.of(&["<T>b</T>\n<T>c</T>", "<all>\n<T>b</T>\n</all>", "<T>b</T></all>\nrest", "</T></all>"]);
    let inner = inner.replace('T', tag);
    let mut case = case.plain();
    case.hunks[0].new.extend(inner.lines().map(str::to_owned));
    let (old, new) = replacement(&case, &case.hunks[0]);
    let is_lines = |text: &String| text.starts_with('\n') || text.ends_with('\n');
    (!is_lines(&old) && !is_lines(&new) && hunk.at > 0).then_some(())?;
    let path = case.path;
    case.sample(match rng.below(3) {
        0 => tagged(&editor_calls(&case), rng),
        1 => format!(
            "<search_and_replace>\n<path>{path}</path>\n<search>{old}</search>\n<replace>{new}</replace>\n\
             </search_and_replace>\n"
        ),
        _ => format!(
            "<write_to_file>\n<path>{path}</path>\n<content>\n{}</content>\n</write_to_file>\n",
            case.target()
        ),
    })
}

pub(super) fn tags_cut(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = tagged(&editor_calls(case), rng);
    let end = whole.rfind("parameter>")?;
    let start = whole.rfind("<invoke").or(whole.rfind("<x:invoke")).or(whole.rfind("<function="))?;
    let mut at = start + 18 + rng.below(end - start - 18);
    while !whole.is_char_boundary(at) {
        at -= 1;
    }
    case.refusal(&whole[..at])
}

pub(super) fn hermes(case: &Case, _: &mut Rng) -> Option<Sample> {
    let calls = json_edits(case).into_iter().map(|mut edit| {
        edit["path"] = case.path.into();
        format!("<tool_call>\n{}\n</tool_call>\n", json!({ "name": "edit", "arguments": edit }))
    });
    case.sample(calls.collect::<String>())
}

/// Each edit applies to the result of the one before it.
pub(super) fn one_after_the_other(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    if hunk.old.is_empty() || hunk.new.is_empty() {
        return None;
    }
    let (before, after) = case.around(hunk, 3);
    let halfway = vec!["    something_between(1);".to_owned()];
    let whole = |lines: &[String]| [before, lines, after].concat().join("\n");
    let pairs = match rng.below(2) {
        0 => vec![(whole(&hunk.old), whole(&halfway)), (halfway.join("\n"), hunk.new.join("\n"))],
        _ => vec![
            (whole(&hunk.old), whole(&[&halfway[..], &hunk.new].concat())),
            (format!("{}\n", halfway.join("\n")), String::new()),
        ],
    };
    let edits = pairs.iter().map(|(old, new)| json!({ "old_string": old, "new_string": new }));
    case.sample(json!({ "file_path": case.path, "edits": edits.collect::<Vec<_>>() }).to_string())
}

/// The second edit applies to a text that the first one does not produce.
pub(super) fn one_after_another_text(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (old, new) = replacement(case, hunk);
    let edits = json!([
        { "old_string": old, "new_string": new },
        { "old_string": "something_between(1);", "new_string": "something_else(2);" },
    ]);
    case.refusal(json!({ "file_path": case.path, "edits": edits }).to_string())
}

/// The line numbers and the separator that tools show before lines.
pub(super) fn shown_numbers(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mark = ["\u{2192}", "\t"][rng.below(2)];
    let edits = case.hunks.iter().map(|hunk| {
        let first = hunk.at - case.around(hunk, 3).0.len() + 1;
        let numbered = |lines: &[String]| {
            let lines = lines.iter().zip(first..).map(|(line, number)| format!("{number:6}{mark}{line}"));
            lines.collect::<Vec<_>>().join("\n")
        };
        let (old, new) = case.halves(hunk, 3);
        json!({ "old_string": numbered(&old), "new_string": numbered(&new) })
    });
    case.sample(json!({ "file_path": case.path, "edits": edits.collect::<Vec<_>>() }).to_string())
}

/// Two consecutive headers: a definition, and a nested one whose name also occurs elsewhere in the file.
pub(super) fn nested_headers(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let inner = definition(case, hunk)?.clone();
    let at = case.lines.iter().position(|line| *line == inner)?;
    let end = hunk.at + hunk.old.len() + 3;
    if inner.starts_with(' ') || end > case.lines.len() || !inner.ends_with(['{', ':']) {
        return None;
    }
    // The definition is copied into several similar ones.
    let indent = |line: &String| if line.is_empty() { String::new() } else { format!("    {line}") };
    let lines: Vec<String> = case.lines[at..end].iter().map(indent).collect();
    let depth = |line: &String| line.len() - line.trim_start().len();
    lines[1..].iter().all(|line| line.is_empty() || depth(line) > 4).then_some(())?;
    let names = ["FirstOfAll", "SecondOfAll", "ThirdOfAll"];
    let mut more = Case { grammar: None, lines: Vec::new(), ..case.clone() };
    let mut starts = Vec::new();
    for name in names {
        more.lines.push(format!("class {name}:"));
        starts.push(more.lines.len());
        more.lines.extend(lines.clone());
        more.lines.push(String::new());
    }
    let which = hunk.at % names.len();
    let all = |lines: &[String]| lines.iter().map(indent).collect::<Vec<_>>();
    let hunk = Hunk { at: starts[which] + hunk.at - at, old: all(&hunk.old), new: all(&hunk.new) };
    let body = marked(&more, &hunk, 3);
    more.hunks = vec![hunk];
    let (outer, inner, path) = (names[which], inner.trim(), more.path);
    more.sample(format!(
        "*** Begin Patch\n*** Update File: {path}\n@@ class {outer}\n@@ {inner}\n{body}*** End Patch\n"
    ))
}

/// A part of a line, between markers for whole lines.
pub(super) fn amid_a_line(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let ([old], [new]) = (hunk.old.as_slice(), hunk.new.as_slice()) else { return None };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: Vec<&str> = old.split(|letter| !is_word(letter)).filter(|word| word.len() > 3).collect();
    let word = words.into_iter().find(|word| case.file().matches(word).count() == 1)?;
    let (head, tail) = old.split_once(word)?;
    let changed = new.strip_prefix(head)?.strip_suffix(tail)?;
    let amid = !head.trim().is_empty() && !tail.trim().is_empty() && changed != word;
    amid.then(|| case.sample(block(&[word.to_owned()], &[changed.to_owned()])))?
}
