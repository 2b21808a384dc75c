//! Slips, real or apparent, in whatever form an edit is written.

use serde_json::json;

use super::Must::{Apply, Either, Refuse};
use super::cut::between;
use super::draft::{ALL, Draft, EACH, Form, SEARCHED, Shown, UNNUMBERED, fenced, reply, with_marks, write};
use super::formats::{block, text};
use super::harm::misspelt;
use super::marks::in_sections;
use super::slips::{dressed, reindented};
use super::{Class, Sample};
use crate::edit::corpus::{Case, Hunk, indent};

pub(super) const CLASSES: &[Class] = &[
    ("form: in a fence", Apply, |case, rng| {
        let own = format!("diff {}", case.path);
        let info = rng.of(&["", "diff", "text", &own]);
        case.sample(fenced(&reply(case, rng, ALL), info))
    }),
    ("form: two formats", Either, |case, rng| {
        let mut forms = [Form::Patch, Form::Diff];
        forms.rotate_left(rng.below(2));
        let [one, other] = forms.map(|form| reply(case, rng, &[form]));
        case.sample(format!("{one}\nOr, in other words:\n\n{}", fenced(&other, "")))
    }),
    ("form: draft not opened", Either, |case, rng| {
        let draft = Draft::new(case, rng, ALL).map("+", |line| format!("{line} // first idea"))?;
        case.sample(format!("Hm.\n{}\n</think>\n\n{}", draft.reply(), reply(case, rng, ALL)))
    }),
    ("form: draft not closed", Either, |case, rng| {
        case.sample(format!("<think>\nI wonder.\n{}", reply(case, rng, ALL)))
    }),
    ("form: a try that breaks off", Either, |case, rng| {
        let whole = reply(case, rng, ALL);
        let piece = between(&whole, whole.len() / 4, whole.len() * 3 / 4, rng);
        case.sample(format!("{piece}\n\nSorry, once more:\n\n{whole}"))
    }),
    // Letters.
    ("form: old lines in curly quotes", Apply, |case, rng| {
        Draft::new(case, rng, EACH).map(" -", dressed)?.sample()
    }),
    ("form: typographic in the file alone", Apply, |case, rng| {
        let case = with_comment(case, 0, "the “old”\u{a0}way – kept")?;
        let plain = |line: &str| line.replace(['“', '”'], "\"").replace('–', "-").replace('\u{a0}', " ");
        Draft::new(&case, rng, EACH).map(" ", plain)?.sample()
    }),
    ("form: line breaks that are none", Apply, |case, rng| {
        let odd = rng.of(&['\u{c}', '\u{b}', '\u{2028}', '\u{2029}', '\u{85}', '\u{1c}', '\u{1e}']);
        let case = with_comment(case, 0, &format!("a{odd}b"))?;
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: return within a line", Either, |case, rng| {
        let case = with_comment(case, 3, "a\rb")?;
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: entities that are code", Apply, |case, rng| {
        let case = adding(case, &["show(\"&lt;b&gt; &amp;amp; &quot;\");"])?;
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: escapes that are code", Apply, |case, rng| {
        let case = adding(case, &["show(\"one\\n\\ttwo\\\\n\");"])?;
        case.sample(reply(&case, rng, EACH))
    }),
    // Whitespace.
    ("form: blanks for tabs", Apply, |case, rng| {
        let unit = rng.of(&["  ", "    ", "        "]);
        let plain = |line: &str| indent(line).replace('\t', unit) + line.trim_start();
        let is_tabbed = case.lines.iter().any(|line| line.starts_with('\t'));
        Draft::new(case, rng, EACH).map(" -+", plain).filter(|_| is_tabbed)?.sample()
    }),
    ("form: blanks in new lines alone", Either, |case, rng| {
        // Below a line that opens a block, four spaces may be one level deeper.
        let opens =
            |hunk: &Hunk| case.lines[..hunk.at].last().is_some_and(|line| line.ends_with([':', '{', '(']));
        let odd = Draft::new(case, rng, EACH).map("+", |line| line.replace('\t', "    "))?;
        (!case.hunks.iter().any(opens)).then(|| odd.sample())?
    }),
    ("form: over-indented", Apply, |case, rng| {
        let more = rng.of(&["  ", "    "]);
        reindented(case, |line| Some(format!("{more}{line}")))
    }),
    ("form: blank edge in the search", Either, |case, rng| {
        let (old, new) = case.halves(case.altered()?, 3);
        let blank = [String::new()];
        let odd = if rng.below(2) == 0 { [&blank[..], &old].concat() } else { [&old[..], &blank].concat() };
        let is_there = case.lines.windows(odd.len()).any(|window| *window == odd);
        (!is_there).then(|| case.sample(block(&odd, &new)))?
    }),
    ("form: lines wrapped in a block", Apply, |case, rng| {
        let (at, line) = code_line(case)?;
        let blanks = indent(line);
        let new = [format!("{blanks}if ready {{"), format!("    {line}"), format!("{blanks}}}")];
        let case = case.with(at, std::slice::from_ref(line), &new);
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: the whole file as context", Apply, |case, _| {
        let [hunk] = case.hunks.as_slice() else { return None };
        case.sample(write(Form::Git, case.path, &[Shown::of(case, hunk, case.lines.len())]))
    }),
    ("form: note of no line end", Apply, |case, _| {
        let hunk = case.altered()?;
        let mut case = case.plain();
        case.lines.truncate(hunk.at + 1);
        let mut part = Shown::of(&case, hunk, 3);
        let (last, rows) = part.rows.split_last_mut()?;
        let note = "\n\\ No newline at end of file";
        last.1.push_str(note);
        rows.last_mut()?.1.push_str(note);
        let counts = Shown::of(&case, hunk, 3);
        let sample =
            case.sample(with_marks(Form::Diff, case.path, &[part], |_| super::draft::header(&counts, 0)))?;
        let open = |text: &str| text.trim_end_matches('\n').to_owned();
        let is_text = !case.lines.last()?.trim().is_empty() && !case.target().ends_with("\n\n");
        is_text.then(|| Sample { file: open(&sample.file), target: open(&sample.target), ..sample })
    }),
    // Marks in the text.
    ("form: merge markers resolved", Apply, |case, rng| {
        let hunk = case.altered()?.clone();
        let old = conflict(&hunk.old[0], &hunk.new[0]);
        let mut case = case.plain();
        case.lines.splice(hunk.at..=hunk.at, old.clone());
        let case = case.with(hunk.at, &old, &hunk.new);
        case.sample(reply(&case, rng, &[Form::Diff, Form::Patch, Form::Strings]))
    }),
    ("form: merge markers elsewhere", Apply, |case, rng| {
        let case = case.with_lines(case.lines.len(), &conflict("one", "two"));
        case.sample(reply(&case, rng, ALL))
    }),
    ("form: marks in new lines", Either, |case, rng| {
        let marks =
            ["```", "</think>", "```python", "*** Update File: x", "<<<<<<< SEARCH", ">>>>>>> REPLACE"];
        let case = adding(case, &["one();", rng.of(&marks), "two();"])?;
        let marked = case.hunks[0].new[1].trim_start().to_owned();
        let form = rng.of(EACH);
        // Marks of the form itself end the block.
        let is_own = marked.starts_with(['<', '>']) && form == Form::Blocks && marked != "</think>";
        (!is_own).then(|| case.sample(reply(&case, rng, &[form])))?
    }),
    ("form: own stand-in of the file", Apply, |case, rng| {
        let words = rng.of(&["... existing code ...", "... rest unchanged", "unchanged"]);
        let case = with_comment(case, 0, words)?;
        case.sample(reply(&case, rng, EACH))
    }),
    // Context shown beside the change.
    ("form: a line more in context", Either, |case, rng| {
        let mut draft = Draft::new(case, rng, SEARCHED);
        let rows = &mut draft.parts[0].rows;
        let at = rng.of(&[0, rows.len()]);
        rows.insert(at, (' ', "    a_line_that_is_not_there();".to_owned()));
        draft.sample()
    }),
    ("form: context that overlaps", Either, |case, rng| {
        let hunk = case.altered()?;
        let at = hunk.at + 2;
        let line = case.lines.get(at).filter(|line| line.trim().len() > 4)?;
        let second = Hunk { at, old: vec![line.clone()], new: vec![format!("{line} // changed")] };
        let case = Case { hunks: vec![hunk.clone(), second], ..case.plain() };
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: one deletes what another keeps", Refuse, |case, rng| {
        let hunk = case.altered()?;
        let below = case.lines.get(hunk.at + 1).filter(|line| !line.trim().is_empty())?;
        let gone = Hunk { at: hunk.at, old: vec![hunk.old[0].clone(), below.clone()], new: Vec::new() };
        let parts = [Shown::of(case, hunk, 3), Shown::of(case, &gone, 3)];
        case.refused(write(rng.of(UNNUMBERED), case.path, &parts))
    }),
    ("form: half of it is there", Either, |case, rng| {
        let [first, second] = case.hunks.as_slice() else { return None };
        let (mine, done) = if rng.below(2) == 0 { (first, second) } else { (second, first) };
        let sample = case.plain().sample(reply(case, rng, EACH))?;
        let file = Case { hunks: vec![done.clone()], ..case.plain() }.target();
        (!mine.old.is_empty()).then_some(Sample { file, ..sample })
    }),
    ("form: there, and a loose copy", Refuse, |case, rng| {
        let (old, _) = case.halves(case.altered()?, 3);
        let deeper = |line: &String| if line.is_empty() { String::new() } else { format!("  {line}") };
        let copy: Vec<String> = old.iter().map(deeper).collect();
        let done = case.with_lines(case.lines.len(), &copy);
        let sample = done.sample(reply(case, rng, UNNUMBERED))?;
        Sample { file: sample.target.clone(), ..sample }.unchanged()
    }),
    ("form: an insertion twice", Apply, |case, rng| {
        case.lone().filter(|hunk| hunk.old.is_empty())?;
        let mut draft = Draft::new(case, rng, EACH);
        draft.parts = vec![draft.parts[0].clone(); 2 + rng.below(2)];
        draft.sample()
    }),
    ("form: a section each", Apply, |case, _| case.sample(in_sections(case)?)),
    ("form: an envelope each", Either, |case, _| {
        let [_, _, ..] = case.hunks.as_slice() else { return None };
        let parts = case.hunks.iter().map(|hunk| write(Form::Patch, case.path, &[Shown::of(case, hunk, 3)]));
        case.sample(parts.collect::<Vec<_>>().join("\n"))
    }),
    ("form: a section of another file", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Patch]);
        let other = "*** Update File: elsewhere.txt\n@@\n one\n-two\n+three\n";
        case.refused(match rng.below(2) {
            0 => whole.replacen("*** Update", &format!("{other}*** Update"), 1),
            _ => whole.replace("*** End Patch", &format!("{other}*** End Patch")),
        })
    }),
    // Damage at a correct location.
    ("form: a bracket lost", Refuse, |case, rng| {
        let hunk = case.altered()?;
        let line = &hunk.new[0];
        let is_text = line.contains(['"', '\'', '`', '/']) || line.trim_start().starts_with(['#', '*']);
        let at = line.rfind(')').filter(|_| !is_text && !line.contains("(|"))?;
        case.grammar.filter(|grammar| grammar.errors_are_reliable())?;
        let mut odd = case.clone();
        odd.hunks[0].new[0].remove(at);
        case.refused(reply(&odd, rng, EACH))
    }),
    ("form: the line below as well", Either, |case, rng| {
        let hunk = case.altered()?;
        let below = case.lines.get(hunk.at + 1).filter(|line| line.trim().len() > 6)?;
        let mut odd = case.clone();
        odd.hunks[0].new.push(below.clone());
        case.sample(reply(&odd, rng, EACH))
    }),
    ("form: a key in new lines", Refuse, |case, rng| {
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let (head, count) = rng.of(&[("ghp_", 36), ("sk-proj-", 44), ("AKIA", 16)]);
        let mut key: String = (0..count).map(|_| rng.of(&letters)).collect();
        if head == "AKIA" {
            key.make_ascii_uppercase();
        }
        let case = adding(case, &[&format!("connect(\"{head}{key}\");")])?;
        case.refused(reply(&case, rng, EACH))
    }),
    ("form: equal lines that are code", Apply, |case, rng| {
        let case = adding(case, &vec!["step();"; 2 + rng.below(7)])?;
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: a table that is code", Apply, |case, rng| {
        let rows: Vec<String> =
            (0..90).map(|row| format!("entry({row}, {});", rng.below(1_000_000))).collect();
        let case = adding(case, &rows.iter().map(String::as_str).collect::<Vec<_>>())?;
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: everything deleted", Either, |case, rng| {
        let case = case.with(0, &case.lines, &[]);
        case.sample(reply(&case, rng, EACH))
    }),
    ("form: a template's own words", Refuse, |case, rng| {
        let words = [
            "<<<<<<< SEARCH\n[exact lines to find]\n=======\n[new lines]\n>>>>>>> REPLACE\n",
            "<<<<<<< SEARCH\n...\n=======\n...\n>>>>>>> REPLACE\n",
            "*** Begin Patch\n*** Update File: path/to/file\n@@\n-old\n+new\n*** End Patch\n",
            "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old line\n+new line\n",
        ];
        case.refusal(rng.of(&words))
    }),
    ("form: diff marks in both halves", Either, |case, rng| {
        let part = Shown::of(case, case.altered()?, 3);
        let marked = |other: char| {
            let rows = part.rows.iter().filter(|(mark, _)| *mark != other);
            rows.map(|(mark, line)| format!("{mark}{line}")).collect::<Vec<_>>()
        };
        let old = if rng.below(2) == 0 { part.old() } else { marked('+') };
        case.sample(block(&old, &marked('-')))
    }),
    ("form: two plus signs", Either, |case, rng| {
        Draft::new(case, rng, &[Form::Diff, Form::Patch]).map("+", |line| format!("+{line}"))?.sample()
    }),
    // Marks of blocks and patches.
    ("form: numbers in a patch", Apply, |case, rng| {
        let draft = Draft::new(case, rng, &[Form::Patch]);
        let first = 1 + rng.below(90);
        let mark = |part: &Shown| format!("@@ -{first},{} +7,3 @@", part.old().len());
        case.sample(with_marks(Form::Patch, case.path, &draft.parts, mark))
    }),
    ("form: update spelled otherwise", Either, |case, rng| {
        let new = rng.of(&[
            "** Update File:",
            "***Update File:",
            "*** Update file:",
            "*** UPDATE FILE:",
            "*** Update:",
        ]);
        case.sample(reply(case, rng, &[Form::Patch]).replace("*** Update File:", new))
    }),
    ("form: marks dressed", Either, |case, rng| {
        let marks = [
            ["**<<<<<<< SEARCH**", "**=======**", "**>>>>>>> REPLACE**"],
            ["<<<<<<< SEARCH (line 12)", "=======", ">>>>>>> REPLACE"],
            ["<<<<<<< HEAD", "=======", ">>>>>>> main"],
            ["<<<<<<<", "=======", ">>>>>>>"],
            ["  <<<<<<< SEARCH", "  =======", "  >>>>>>> REPLACE"],
            ["\t<<<<<<< SEARCH", "\t=======", "\t>>>>>>> REPLACE"],
            ["<<<<<<< SEARCH", "===", ">>>>>>> REPLACE"],
            ["<<<<<<< SEARCH", "====", ">>>>>>> REPLACE"],
            ["<<<<<<< SEARCH", "-------", ">>>>>>> REPLACE"],
        ];
        let [search, divider, replace] = rng.of(&marks);
        let lines = reply(case, rng, &[Form::Blocks]);
        let lines = lines.lines().map(|line| match line {
            "<<<<<<< SEARCH" => search,
            "=======" => divider,
            ">>>>>>> REPLACE" => replace,
            line => line,
        });
        case.sample(lines.map(|line| format!("{line}\n")).collect::<String>())
    }),
    ("form: a fence around each half", Either, |case, _| {
        let (old, new) = case.halves(case.lone()?, 3);
        let half = |lines: &[String]| format!("```\n{}```\n", text(lines));
        case.sample(format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", half(&old), half(&new)))
    }),
    ("form: divider twice", Either, |case, rng| {
        let (old, mut new) = case.halves(case.lone()?, 3);
        new.insert(rng.below(new.len() + 1), "=======".to_owned());
        case.sample(block(&old, &new))
    }),
    ("form: first mark left out", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Blocks]);
        let at = whole.rfind("<<<<<<< SEARCH\n").filter(|at| *at > 0)?;
        case.refused(whole[..at].to_owned() + &whole[at + "<<<<<<< SEARCH\n".len()..])
    }),
    ("form: last mark left out", Either, |case, rng| {
        let whole = reply(case, rng, &[Form::Blocks]);
        (case.hunks.len() > 1).then(|| case.sample(whole.replacen(">>>>>>> REPLACE\n", "", 1)))?
    }),
    ("form: stale under right numbers", Refuse, |case, rng| {
        let mut draft = Draft::new(case, rng, &[Form::Numbered]);
        let row = draft.parts[0].rows.iter_mut().find(|(mark, _)| *mark == '-')?;
        row.1 = misspelt(&row.1, char::is_ascii_lowercase, 'q', rng)?;
        (!case.lines.contains(&row.1)).then(|| draft.refused())?
    }),
    ("form: right under stale numbers", Either, |case, rng| {
        let new: Vec<String> = (0..1 + rng.below(5)).map(|n| format!("// Line {n}.")).collect();
        case.with_lines(0, &new).sample(reply(case, rng, &[Form::Numbered]))
    }),
    ("form: fewer lines than numbers", Either, |case, rng| {
        let (old, new) = case.halves(case.lone()?, 3);
        let part = Shown::of(case, case.lone()?, 3);
        let end = (part.at + old.len() + 2 * rng.below(2)).checked_sub(1)?;
        case.sample(
            json!({
                "start_line": part.at + 1,
                "end_line": end,
                "old_text": old.join("\n"),
                "new_text": new.join("\n"),
            })
            .to_string(),
        )
    }),
];

/// The lines of a merge conflict.
fn conflict(one: &str, other: &str) -> [String; 5] {
    ["<<<<<<< HEAD", one, "=======", other, ">>>>>>> feature"].map(str::to_owned)
}

/// The file with a comment `above` lines above the only hunk.
fn with_comment(case: &Case, above: usize, words: &str) -> Option<Case> {
    let at = case.lone()?.at.checked_sub(above)?;
    Some(case.with_lines(at, &[case.comment(at, words)]))
}

/// The case with these lines added at its only hunk, with the indentation of that line.
fn adding(case: &Case, lines: &[&str]) -> Option<Case> {
    let at = case.lone()?.at;
    let blanks = indent(case.lines.get(at.checked_sub(1)?)?);
    let new: Vec<String> = lines.iter().map(|line| format!("{blanks}{line}")).collect();
    Some(case.with(at, &[], &new))
}

/// A self-contained line of code: its number and text.
fn code_line(case: &Case) -> Option<(usize, &String)> {
    let at = case.altered()?.at;
    let line = &case.lines[at];
    (line.ends_with(';') && !line.contains(['{', '}'])).then_some((at, line))
}
