//! Replies about several files: how they name them, and replies that leave the intended file open.

use super::folders::{MakeIn, case, created, deleted, tree, two};
use super::formats;
use super::template::render;
use super::work::{self, Draft};
use super::{Case, Must};
use Must::{Apply, May, Refuse};

pub(super) const SEVERAL: &[(&str, &[&str], MakeIn)] = &[
    ("prose between files", &["aider diff", "aider whole", "git diff in a fence"], |format, rng| {
        let (first, last, _) = two(format, rng)?;
        let [one, other] = [&first, &last].map(|draft| render(formats::named(format), draft));
        Some(both(
            &first,
            &last,
            format!("First this:\n\n{one}\nThen this:\n\n{other}\nThat is all.\n"),
            Apply,
        ))
    }),
    ("a name that is cut", &["aider diff", "aider whole", "apply_patch", "git diff"], |format, rng| {
        let (first, last, reply) = two(format, rng)?;
        let at = reply.rfind(&last.work.path)? + 1 + rng.below(last.work.path.len());
        Some(both(&first, &last, reply[..at].to_owned(), Refuse))
    }),
    (
        "a name that three folders have",
        &["aider diff", "aider whole", "apply_patch", "git diff"],
        |format, rng| {
            let draft = work::draft(rng, 1).filter(|draft| work::is_sound(&draft.work))?;
            let (path, text) = (&draft.work.path, draft.work.file());
            let name = path.rsplit('/').next().filter(|name| name != path)?;
            let all = |own: String| {
                tree(&[(path, own), (name, text.clone()), (&format!("else/{name}"), text.clone())])
            };
            let reply = render(formats::named(format), &draft);
            Some(case(all(text.clone()), reply, vec![all(draft.work.target())], Apply))
        },
    ),
    ("lines that move to another file", &["aider whole"], |_, rng| {
        let work = work::work(rng, 1)?;
        let at = work.lines.len() / 4 + rng.below(work.lines.len() / 4);
        let (head, tail) = (&work.lines[..at], &work.lines[at + 1..]);
        // A top-level line follows a gap.
        let is_between =
            work.lines[at].is_empty() && !head[at - 1].is_empty() && tail[0].starts_with(char::is_alphabetic);
        (is_between && !work.file().contains("```")).then_some(())?;
        let new = format!("more/{}", work.path);
        let parts = [(work.path.as_str(), work.text(head)), (new.as_str(), work.text(tail))];
        let reply: String =
            parts.iter().map(|(path, text)| format!("{path}\n~~~~\n{text}~~~~\n\n")).collect();
        Some(case(tree(&[(&work.path, work.file())]), reply, vec![tree(&parts)], Apply))
    }),
    ("a name without an ending", &["aider diff", "aider whole"], |format, rng| {
        let draft = work::draft(rng, 1).filter(|draft| work::is_sound(&draft.work))?;
        let name = rng.of(&["Makefile", "CHANGES", "Dockerfile", "bin/deploy", "LICENSE"]);
        let reply = render(formats::named(format), &draft).replace(&draft.work.path, name);
        let [file, right] = [draft.work.file(), draft.work.target()].map(|text| tree(&[(name, text)]));
        Some(case(file, reply, vec![right], Apply))
    }),
    ("names dressed", &["aider diff", "aider whole"], |format, rng| {
        let (first, last, reply) = two(format, rng)?;
        let (open, close) = rng.of(&[
            ("### ", ""),
            ("**", "**"),
            ("`", "`"),
            ("### `", "`"),
            ("", ":"),
            ("File: ", ""),
            ("**`", "`**:"),
        ]);
        let dress = |reply: String, path: &str| {
            reply.replace(&format!("{path}\n"), &format!("{open}{path}{close}\n"))
        };
        Some(both(&first, &last, dress(dress(reply, &first.work.path), &last.work.path), Apply))
    }),
    ("names within fences", &["aider whole"], |_, rng| {
        let (first, last, _) = two("aider whole", rng)?;
        let named = |draft: &Draft| format!("~~~~\n// {}\n{}~~~~\n", draft.work.path, draft.work.target());
        Some(both(&first, &last, format!("{}\n{}", named(&first), named(&last)), May))
    }),
    ("a section's mark spelled otherwise", &["apply_patch"], |format, rng| {
        let (first, last, reply) = two(format, rng)?;
        let path = rng.of(&[first.work.path.as_str(), last.work.path.as_str()]);
        let marks = ["  *** Update File:", "\t*** Update File:", "> *** Update File:", "Update File:"];
        let marks = [&marks[..], &["** Update File:", "*** Update:", "***Update File:"]].concat();
        let odd = format!("{} {path}", rng.of(&marks));
        Some(both(&first, &last, reply.replace(&format!("*** Update File: {path}"), &odd), May))
    }),
    ("a file twice", &["apply_patch", "git diff"], |format, rng| {
        let draft =
            work::draft(rng, 2).filter(|draft| draft.blocks.len() == 2 && work::is_sound(&draft.work))?;
        let [one, other] = [0, 1].map(|at| Draft { blocks: vec![draft.blocks[at].clone()], ..draft.clone() });
        Some(edited(&draft, joined(format, &one, &other), May))
    }),
    ("a file under two spellings", &["aider diff", "apply_patch", "git diff"], |format, rng| {
        let draft =
            work::draft(rng, 2).filter(|draft| draft.blocks.len() == 2 && work::is_sound(&draft.work))?;
        let [one, mut other] =
            [0, 1].map(|at| Draft { blocks: vec![draft.blocks[at].clone()], ..draft.clone() });
        let before = rng.of(&["./", "src/../", "docs/./../"]);
        other.work.path.insert_str(0, before);
        Some(edited(&draft, joined(format, &one, &other), May))
    }),
    ("two wills for a file", &["apply_patch", "git diff"], |format, rng| {
        let draft = work::draft(rng, 1).filter(|draft| !draft.blocks[0].old.is_empty())?;
        let mut other = draft.clone();
        other.blocks[0].new.push("another_will();".to_owned());
        Some(edited(&draft, joined(format, &draft, &other), Refuse))
    }),
    ("a path that git quotes", &["git diff"], |format, rng| {
        let mut draft = work::draft(rng, 1).filter(|draft| work::is_sound(&draft.work))?;
        let (path, quoted) = rng.of(&[
            ("src/größe.txt", r"src/gr\303\266\303\237e.txt"),
            ("src/a\"b.txt", r#"src/a\"b.txt"#),
            ("src/tab\tname.txt", r"src/tab\tname.txt"),
            ("src/日本.txt", r"src/\346\227\245\346\234\254.txt"),
        ]);
        draft.work.path = "PATH".to_owned();
        let reply = render(formats::named(format), &draft);
        let reply =
            reply.replace("a/PATH", &format!("\"a/{quoted}\"")).replace("b/PATH", &format!("\"b/{quoted}\""));
        let [file, right] = [draft.work.file(), draft.work.target()].map(|text| tree(&[(path, text)]));
        Some(case(file, reply, vec![right], Apply))
    }),
    ("edits of no file", &["hunks", "patch", "search and replace alone"], |format, rng| {
        let draft = work::draft(rng, 1).filter(|draft| !draft.blocks[0].old.is_empty())?;
        let template = match format {
            "hunks" => "%hunks%",
            "patch" => "*** Begin Patch\n%patch%*** End Patch\n",
            _ => formats::named(format),
        };
        Some(edited(&draft, render(template, &draft), Refuse))
    }),
    ("a second edit of no file", &["aider without fences"], |format, rng| {
        let (first, last, _) = two("aider diff", rng)?;
        let alone = formats::named("search and replace alone");
        let reply = format!("{}\n{}", render(formats::named(format), &first), render(alone, &last));
        Some(both(&first, &last, reply, Refuse))
    }),
    ("deleted, then added", &["apply_patch", "git diff", "gnu diff"], |format, rng| {
        let draft = work::draft(rng, 1).filter(|draft| work::is_sound(&draft.work))?;
        let path = &draft.work.path;
        let parts = [deleted(format, path, &draft.work.file()), created(format, path, &draft.work.target())];
        Some(edited(&draft, parts.concat().replace("*** End Patch\n*** Begin Patch\n", ""), May))
    }),
    ("deletes what has changed", &["git diff", "gnu diff"], |format, rng| {
        let draft = work::draft(rng, 1).filter(|draft| work::is_sound(&draft.work))?;
        Some(edited(&draft, deleted(format, &draft.work.path, &draft.work.target()), Refuse))
    }),
    ("a mode alone", &["git diff"], |_, rng| {
        let work = work::draft(rng, 1)?.work;
        let files = tree(&[(&work.path, work.file())]);
        let reply = format!("diff --git a/{0} b/{0}\nold mode 100644\nnew mode 100755\n", work.path);
        Some(case(files.clone(), reply, vec![files], May))
    }),
];

/// The cases of a reply about one file of the folder.
fn edited(draft: &Draft, reply: String, must: Must) -> Vec<Case> {
    let [file, right] =
        [draft.work.file(), draft.work.target()].map(|text| tree(&[(&draft.work.path, text)]));
    case(file, reply, vec![right], must)
}

/// The cases of a reply about two files.
fn both(first: &Draft, last: &Draft, reply: String, must: Must) -> Vec<Case> {
    let (a, b) = (&first.work, &last.work);
    let right = tree(&[(&a.path, a.target()), (&b.path, b.target())]);
    case(tree(&[(&a.path, a.file()), (&b.path, b.file())]), reply, vec![right], must)
}

/// Joins two replies into one.
fn joined(format: &str, one: &Draft, other: &Draft) -> String {
    let [one, other] = [one, other].map(|draft| render(formats::named(format), draft));
    format!("{one}{other}").replace("*** End Patch\n*** Begin Patch\n", "")
}
