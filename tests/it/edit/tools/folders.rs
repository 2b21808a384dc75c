//! Replies about a folder: files that are created, deleted and moved, several files at once, and paths outside.

use std::collections::BTreeMap;

use super::formats;
use super::special::with_plus;
use super::template::{json, render};
use super::tree::Tree;
use super::work::{self, Draft, Work};
use super::{Case, Must};
use crate::edit::corpus::{Hunk, Rng};
use Must::{Apply, May, Refuse};

pub(super) type MakeIn = fn(&str, &mut Rng) -> Option<Vec<Case>>;

const CREATE: &[&str] = &[
    "apply_patch",
    "apply_patch_call",
    "git diff",
    "gnu diff",
    "aider diff",
    "aider whole",
    "claude code Edit",
    "claude code Write",
    "anthropic create",
    "gemini write_file",
    "copilot create_file",
    "cline write_to_file",
    "roo write_to_file",
    "invoke Write",
    "qwen write_file",
    "bolt action",
    "lovable write",
    "shell",
];
const DELETE: &[&str] = &["apply_patch", "apply_patch_call", "git diff", "gnu diff"];
const MOVE: &[&str] = &["apply_patch", "git diff"];
const PARTS: &[&str] = &[
    "aider diff",
    "aider diff-fenced",
    "cline replace_in_file",
    "json lines of edits",
    "invoke Edit",
    "qwen edit",
    "git diff",
    "git diff in a fence",
    "aider udiff",
    "apply_patch",
    "git format-patch",
    "context diff",
    "roo apply_diff of files",
    "sweep modify",
    "autocoderover",
    "vibe search_replace",
];

pub(super) const FOLDERS: &[(&str, &[&str], MakeIn)] = &[
    ("create", CREATE, create),
    ("create over a file", CREATE, create_over),
    (
        "create outside",
        &["apply_patch", "git diff", "claude code Write", "aider whole", "cline write_to_file"],
        create_outside,
    ),
    (
        "create below a file",
        &["apply_patch", "git diff", "claude code Write", "aider whole"],
        create_below_file,
    ),
    ("delete", DELETE, delete),
    ("delete what is not there", DELETE, delete_missing),
    ("move and edit", MOVE, move_and_edit),
    ("move alone", MOVE, move_alone),
    ("move onto a file", MOVE, move_onto),
    ("copy", &["git diff"], copy),
    ("two files", PARTS, two_files),
    (
        "two whole files",
        &[
            "aider whole",
            "cline write_to_file",
            "invoke Write",
            "claude code Write",
            "bolt action",
            "lovable write",
            "file tag",
            "whole file in a shell",
        ],
        two_files,
    ),
    ("two files, one changed meanwhile", PARTS, two_files_one_stale),
    (
        "two files, the last one cut",
        &["aider diff", "git diff", "apply_patch", "json lines of edits", "context diff", "sweep modify"],
        two_files_cut,
    ),
    ("edit, create and delete", MOVE, all_at_once),
    ("delete and edit", &["apply_patch"], delete_and_edit),
    ("a file that is not there", PARTS, missing),
    (
        "a name that two folders have",
        &["aider diff", "apply_patch", "claude code MultiEdit", "git diff"],
        name_of_two,
    ),
    ("a path in other case", &["aider diff", "apply_patch", "claude code MultiEdit"], other_case),
];

/// Other files beside those of an edit.
const BESIDE: [(&str, &str); 3] = [
    ("README.md", "# Shop\n\nIt sells.\n"),
    ("src/other.rs", "fn other() {}\n"),
    ("docs/guide.md", "# Guide\n\nRead it.\n"),
];

pub(super) fn tree(files: &[(&str, String)]) -> Tree {
    Tree(files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect::<BTreeMap<_, _>>())
        .with(&BESIDE)
}

pub(super) fn case(files: Tree, reply: String, right: Vec<Tree>, must: Must) -> Vec<Case> {
    let right = if must == Refuse { Vec::new() } else { right };
    vec![Case {
        kind: String::new(),
        files,
        path: None,
        range: None,
        reply,
        right,
        may_refuse: must != Apply,
    }]
}

/// A file of real code that parses on its own.
fn whole(rng: &mut Rng) -> Option<Work> {
    let mut made = work::work(rng, 1)?;
    made.hunks = vec![Hunk { at: 0, old: Vec::new(), new: made.lines.clone() }];
    made.lines.clear();
    made.folded = None;
    let is_plain = made.hunks[0].new.len() < 260 && !made.target().contains("```");
    (is_plain && work::is_sound(&made)).then_some(made)
}

/// The notation of a format for creating a file.
pub(super) fn created(format: &str, path: &str, text: &str) -> String {
    let all: Vec<String> = text.lines().map(str::to_owned).collect();
    let plus = with_plus(&all);
    match format {
        "apply_patch" => format!("*** Begin Patch\n*** Add File: {path}\n{plus}*** End Patch\n"),
        "apply_patch_call" => format!(
            "{{\"type\": \"apply_patch_call\", \"call_id\": \"call_4\", \"status\": \"completed\", \
             \"operation\": {{\"type\": \
             \"create_file\", \"path\": \"{path}\", \"diff\": \"{}\"}}}}",
            json(&plus)
        ),
        "git diff" => format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\nindex 0000000..a9c2f07\n--- /dev/null\n\
             +++ b/{path}\n@@ -0,0 \
             +1,{} @@\n{plus}",
            all.len()
        ),
        "gnu diff" => format!(
            "--- /dev/null\t1970-01-01 01:00:00.000000000 +0100\n\
             +++ {path}\t2025-03-03 10:12:13.000000000 +0100\n@@ -0,0 +1,{} \
             @@\n{plus}",
            all.len()
        ),
        "aider diff" => format!("{path}\n```\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n```\n"),
        "claude code Edit" => {
            format!("{{\"file_path\": \"{path}\", \"old_string\": \"\", \"new_string\": \"{}\"}}", json(text))
        }
        "shell" => format!("```bash\ncat > {path} <<'EOF'\n{text}EOF\n```\n"),
        _ => {
            let work = Work {
                path: path.to_owned(),
                lines: all,
                hunks: Vec::new(),
                end: "\n",
                is_closed: true,
                has_mark: false,
                folded: None,
            };
            render(formats::named(format), &Draft { work, blocks: Vec::new(), also: Vec::new() })
        }
    }
}

/// The notation of a format for deleting a file.
pub(super) fn deleted(format: &str, path: &str, text: &str) -> String {
    let count = text.lines().count();
    let minus: String = text.lines().map(|line| format!("-{line}\n")).collect();
    match format {
        "apply_patch" => format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
        "apply_patch_call" => format!(
            "{{\"type\": \"apply_patch_call\", \"call_id\": \"call_5\", \"status\": \"completed\", \
             \"operation\": {{\"type\": \
             \"delete_file\", \"path\": \"{path}\"}}}}"
        ),
        "git diff" => format!(
            "diff --git a/{path} b/{path}\ndeleted file mode 100644\nindex a9c2f07..0000000\n--- a/{path}\n\
             +++ /dev/null\n@@ \
             -1,{count} +0,0 @@\n{minus}"
        ),
        _ => format!(
            "--- {path}\t2025-03-03 10:11:12.000000000 +0100\n\
             +++ /dev/null\t1970-01-01 01:00:00.000000000 +0100\n@@ -1,{count} \
             +0,0 @@\n{minus}"
        ),
    }
}

fn create(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let made = whole(rng)?;
    let text = made.target();
    let open = text.strip_suffix('\n')?.to_owned();
    let right = [text.clone(), open].map(|text| tree(&[(&made.path, text)])).to_vec();
    // A file in a folder that is new as well.
    Some(case(tree(&[]), created(format, &made.path, &text), right, Apply))
}

fn create_over(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (made, there) = (whole(rng)?, whole(rng)?);
    let text = made.target();
    let open = text.strip_suffix('\n')?.to_owned();
    let right = [text.clone(), open].map(|text| tree(&[(&made.path, text)])).to_vec();
    // A tool that writes whole files overwrites an existing one; for the other tools that is a mistake.
    let files = tree(&[(&made.path, there.target())]);
    (there.target() != text).then(|| case(files, created(format, &made.path, &text), right, May))
}

fn create_outside(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let made = whole(rng)?;
    let name = made.path.rsplit('/').next()?;
    let path = [
        format!("../{name}"),
        format!("src/../../{name}"),
        format!("/etc/{name}"),
        format!(".git/hooks/{name}"),
        format!("~/{name}"),
        format!("src/.git/{name}"),
    ][rng.below(6)]
    .clone();
    Some(case(tree(&[]), created(format, &path, &made.target()), Vec::new(), Refuse))
}

fn create_below_file(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let made = whole(rng)?;
    let name = made.path.rsplit('/').next()?;
    Some(case(tree(&[]), created(format, &format!("README.md/{name}"), &made.target()), Vec::new(), Refuse))
}

fn delete(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let made = whole(rng)?;
    let text = made.target();
    Some(case(
        tree(&[(&made.path, text.clone())]),
        deleted(format, &made.path, &text),
        vec![tree(&[])],
        Apply,
    ))
}

fn delete_missing(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let made = whole(rng)?;
    Some(case(tree(&[]), deleted(format, &made.path, &made.target()), Vec::new(), Refuse))
}

/// An edit and the new name of its file.
fn moved(format: &str, rng: &mut Rng, is_edited: bool) -> Option<(Draft, String, String)> {
    let draft = work::draft(rng, 2)?;
    let path = draft.work.path.clone();
    let (folder, name) = path.rsplit_once('/')?;
    let new = [format!("{folder}/moved/{name}"), format!("{folder}/new_{name}"), format!("core/{name}")]
        [rng.below(3)]
    .clone();
    let patch = if is_edited { render("%patch%", &draft) } else { String::new() };
    let hunks = if is_edited {
        format!("index 3b18e51..a9c2f07 100644\n--- a/{path}\n+++ b/{new}\n{}", render("%hunks%", &draft))
    } else {
        String::new()
    };
    let share = if is_edited { 96 } else { 100 };
    let reply = match format {
        "apply_patch" => {
            format!("*** Begin Patch\n*** Update File: {path}\n*** Move to: {new}\n{patch}*** End Patch\n")
        }
        _ => format!(
            "diff --git a/{path} b/{new}\nsimilarity index {share}%\nrename from {path}\nrename to {new}\n\
             {hunks}"
        ),
    };
    work::is_sound(&draft.work).then_some((draft, new, reply))
}

fn move_and_edit(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (draft, new, reply) = moved(format, rng, true)?;
    let files = tree(&[(&draft.work.path, draft.work.file())]);
    Some(case(files, reply, vec![tree(&[(&new, draft.work.target())])], Apply))
}

fn move_alone(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (draft, new, reply) = moved(format, rng, false)?;
    let files = tree(&[(&draft.work.path, draft.work.file())]);
    Some(case(files, reply, vec![tree(&[(&new, draft.work.file())])], Apply))
}

fn move_onto(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (draft, new, reply) = moved(format, rng, true)?;
    let files = tree(&[(&draft.work.path, draft.work.file()), (&new, "other text\n".to_owned())]);
    Some(case(files, reply, Vec::new(), Refuse))
}

fn copy(_: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 1)?;
    let path = draft.work.path.clone();
    let new = format!("core/{}", path.rsplit('/').next()?);
    let reply = format!(
        "diff --git a/{path} b/{new}\nsimilarity index 96%\ncopy from {path}\ncopy to {new}\n\
         index 3b18e51..a9c2f07 100644\n--- \
         a/{path}\n+++ b/{new}\n{}",
        render("%hunks%", &draft)
    );
    let files = tree(&[(&path, draft.work.file())]);
    let right = tree(&[(&path, draft.work.file()), (&new, draft.work.target())]);
    work::is_sound(&draft.work).then(|| case(files, reply, vec![right], May))
}

/// Edits of two files, in one reply.
pub(super) fn two(format: &str, rng: &mut Rng) -> Option<(Draft, Draft, String)> {
    let template = formats::named(format);
    let hunks = if super::template::holds_many(template) { 2 } else { 1 };
    let (first, last) = (work::draft(rng, hunks)?, work::draft(rng, hunks)?);
    let (one, other) = (render(template, &first), render(template, &last));
    let reply = match format {
        "apply_patch" => one.replace("*** End Patch\n", "") + &other.replace("*** Begin Patch\n", ""),
        "git diff" | "json lines of edits" => one + &other,
        _ => format!("{one}\n{other}"),
    };
    let is_sound =
        first.work.path != last.work.path && work::is_sound(&first.work) && work::is_sound(&last.work);
    is_sound.then_some((first, last, reply))
}

fn two_files(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (first, last, reply) = two(format, rng)?;
    let (a, b) = (&first.work, &last.work);
    let files = tree(&[(&a.path, a.file()), (&b.path, b.file())]);
    Some(case(files, reply, vec![tree(&[(&a.path, a.target()), (&b.path, b.target())])], Apply))
}

fn two_files_one_stale(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (first, last, reply) = two(format, rng)?;
    let (a, mut b) = (first.work, last.work);
    if b.hunks[0].old.is_empty() {
        return None;
    }
    let at = b.hunks[0].at;
    let changed = work::reworded(&b.lines[at], rng)?;
    let is_changed = changed != b.lines[at] && b.hunks[0].new.first() != Some(&changed);
    b.lines[at] = changed;
    let files = tree(&[(&a.path, a.file()), (&b.path, b.file())]);
    is_changed.then(|| case(files, reply, Vec::new(), Refuse))
}

fn two_files_cut(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (first, last, reply) = two(format, rng)?;
    let (a, b) = (&first.work, &last.work);
    let line = last.blocks[0].search().into_iter().find(|line| work::fold(line).len() > 5)?;
    let from =
        reply.rfind(line.trim()).or_else(|| reply.rfind(json(line.trim()).as_str()))? + line.trim().len();
    let end = reply.trim_end().len().checked_sub(if format == "aider diff" { 12 } else { 8 })?;
    let at = from + rng.below(end.checked_sub(from)?);
    let files = tree(&[(&a.path, a.file()), (&b.path, b.file())]);
    let is_one = last.blocks.len() == 1 && reply.is_char_boundary(at) && !reply[..at].ends_with('\n');
    is_one.then(|| case(files, reply[..at].to_owned(), Vec::new(), Refuse))
}

fn all_at_once(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 2)?;
    let made = whole(rng)?;
    let path = draft.work.path.clone();
    let guide = BESIDE[2].1;
    let parts = [
        render(formats::named(format), &draft),
        created(format, &made.path, &made.target()),
        deleted(format, "docs/guide.md", guide),
    ];
    let reply = match format {
        "apply_patch" => {
            let inner: String = parts
                .iter()
                .map(|part| part.replace("*** Begin Patch\n", "").replace("*** End Patch\n", ""))
                .collect();
            format!("*** Begin Patch\n{inner}*** End Patch\n")
        }
        _ => parts.concat(),
    };
    let mut right = tree(&[(&path, draft.work.target()), (&made.path, made.target())]);
    right.0.remove("docs/guide.md");
    let is_sound = path != made.path && work::is_sound(&draft.work);
    is_sound.then(|| case(tree(&[(&path, draft.work.file())]), reply, vec![right], Apply))
}

fn delete_and_edit(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 1)?;
    let path = &draft.work.path;
    let edit = render(formats::named(format), &draft);
    let reply = edit.replace("*** End Patch\n", &format!("*** Delete File: {path}\n*** End Patch\n"));
    Some(case(tree(&[(path, draft.work.file())]), reply, Vec::new(), Refuse))
}

fn missing(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 1)?;
    (!draft.blocks[0].old.is_empty()).then(|| {
        let reply = render(formats::named(format), &draft);
        case(tree(&[]), reply, Vec::new(), Refuse)
    })
}

fn name_of_two(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 1)?;
    let name = draft.work.path.rsplit('/').next()?.to_owned();
    let mut other = draft.clone();
    other.work.path.clone_from(&name);
    let reply = render(formats::named(format), &other);
    let text = draft.work.file();
    let files = tree(&[(&draft.work.path, text.clone()), (&format!("elsewhere/{name}"), text)]);
    (draft.work.path != name).then(|| case(files, reply, Vec::new(), Refuse))
}

fn other_case(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 1)?;
    let mut other = draft.clone();
    other.work.path = draft.work.path.to_uppercase();
    let reply = render(formats::named(format), &other);
    let files = tree(&[(&draft.work.path, draft.work.file())]);
    let right = tree(&[(&draft.work.path, draft.work.target())]);
    work::is_sound(&draft.work).then(|| case(files, reply, vec![right], May))
}
