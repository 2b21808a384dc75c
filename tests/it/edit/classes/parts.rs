//! Answers for a range that contain only a part of it, and lines that represent the rest.

use super::Sample;
use super::formats::{block, in_range, range_of, text};
use crate::edit::corpus::{Case, Hunk, Rng};

/// Lines to be added, and prose that states where.
pub(super) fn lines_to_add(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let line = hunk.at + 1;
    let words = match rng.below(6) {
        0 => format!("Add this line right after line {line}:"),
        1 => format!("Insert the following before line {line}:"),
        2 => format!("After line {line}:"),
        3 => "Right before the last line:".to_owned(),
        4 => "Put this below the first line.".to_owned(),
        _ => "Please add a check here:".to_owned(),
    };
    let code =
        ["    # Checked before.\n", "    check_it();\n", "    check_it();\n    log_it();\n"][rng.below(3)];
    in_range(case, 4, |_, _| format!("{words}\n\n```\n{code}```\n"))?.unchanged()
}

/// The same prose before the whole new text.
pub(super) fn whole_with_additions(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let words = [
        "Add this line as shown:",
        "I added a check before the last line:",
        "Insert the following:",
        "After the change:",
        "Here it is with the new line in place:",
    ];
    let (_, old, _) = range_of(case, 4)?;
    let [hunk] = case.hunks.as_slice() else { return None };
    let says = old.iter().filter(|line| line.chars().any(char::is_alphanumeric)).count();
    (hunk.old.is_empty() && says > 5).then_some(())?;
    in_range(case, 4, |_, new| format!("{}\n\n```\n{new}```\n", words[rng.below(words.len())]))
}

/// The new text in two fences, one for each half.
pub(super) fn in_parts(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (_, _, new) = range_of(case, 4)?;
    let (head, tail) = new.split_at(new.len() / 2);
    let says = |lines: &[String]| lines.iter().any(|line| line.chars().any(char::is_alphanumeric));
    (says(head) && says(tail)).then_some(())?;
    let [one, other] = [
        ["Part 1:", "Part 2:"],
        ["**First half**", "**Second half**"],
        ["Part 1 of 2", "Part 2 of 2"],
        ["", ""],
    ][rng.below(4)];
    let reply = format!("{one}\n```\n{}```\n\n{other}\n```\n{}```\n", text(head), text(tail));
    in_range(case, 4, |_, _| reply)?.unchanged()
}

/// One line, or remarks, for a range of many lines.
pub(super) fn too_little(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (_, old, _) = range_of(case, 4)?;
    let code = |line: &&String| {
        line.chars().any(char::is_alphanumeric) && !line.trim_start().starts_with(['/', '#', '*'])
    };
    (old.iter().filter(code).count() > 6).then_some(())?;
    let lines = [
        "# Checked before.\n",
        "// Done by the caller.\n// So nothing is left.\n",
        "pass_it_on()\n",
        "/* See above. */\n",
    ];
    in_range(case, 4, |_, _| format!("```\n{}```\n", lines[rng.below(lines.len())]))?.unchanged()
}

const REMARKS: [&str; 16] = [
    "-- ... other columns ...",
    "<!-- existing content -->",
    "<!-- ... -->",
    "{/* rest of the component */}",
    "// code elided",
    "# same as your version",
    "// the remainder is identical",
    "// // ...",
    "[truncated]",
    "...",
    "% previous part",
    "; and so on ...",
    "# .. more of it",
    "/* other members */",
    "// (snip)",
    "# (omitted)",
];

/// A remark instead of lines, between markers or in a range.
pub(super) fn remark_for_code(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let remark = REMARKS[rng.below(REMARKS.len())];
    let (_, old, _) = range_of(&case, 6)?;
    let says = |lines: &[String]| lines.iter().filter(|line| line.chars().any(char::is_alphanumeric)).count();
    (old.len() > 11 && says(&old[2..old.len() - 1]) >= 8 && !old[0].trim().is_empty()).then_some(())?;
    let new = [&old[..2], &[format!("    {remark}")], &old[old.len() - 1..]].concat();
    match rng.below(2) {
        0 => case.refusal(block(&old, &new)),
        _ => in_range(&case, 6, |_, _| format!("```\n{}```\n", text(&new)))?.unchanged(),
    }
}

/// A short remark that replaces nothing, or that describes the next line.
pub(super) fn remark_beside_code(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let [hunk] = case.hunks.as_slice() else { return None };
    (hunk.old.len() == 1).then_some(())?;
    let remarks = [
        "// Keeps the other ones.",
        "# Checks what is below.",
        "/* See the original. */",
        "-- the previous one",
    ];
    let line = case.lines.get(hunk.at).filter(|line| line.trim().len() > 5)?.clone();
    let blanks = &line[..line.len() - line.trim_start().len()];
    let remark = format!("{blanks}{}", remarks[rng.below(remarks.len())]);
    let new = match rng.below(2) {
        0 => vec![remark, line.clone()],
        _ => vec![remark, format!("{line} changed")],
    };
    let mut case = case.clone();
    case.hunks = vec![Hunk { at: case.hunks[0].at, old: vec![line], new }];
    let (old, new) = case.halves(&case.hunks[0], 3);
    case.sample(block(&old, &new))
}

/// A part without its head, and a remark for the rest after it: the lines before it are not mentioned.
pub(super) fn head_left_out(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let [hunk] = case.hunks.as_slice() else { return None };
    let (at, end) = (hunk.at, hunk.at + hunk.old.len());
    if at < 12 || end + 12 > case.lines.len() {
        return None;
    }
    let remark = ["# rest unchanged", "// ... existing code ...", "// rest of the file"][rng.below(3)];
    let shown =
        [&case.lines[at - 2..at], &hunk.new, &case.lines[end..end + 3], &[remark.to_owned()]].concat();
    case.refusal(format!("```\n{}```\n", text(&shown)))
}

/// Placeholder names of folders.
pub(super) fn placeholder_folders(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let name = case.path.rsplit('/').next()?;
    let folder = ["path/to", "/path/to", "your/project", "path/to/your/project", "your-repo"][rng.below(5)];
    let path = [name, case.path][rng.below(2)];
    case.sample(super::formats::diff(case).replace(case.path, &format!("{folder}/{path}")))
}

/// Garbled non-ASCII characters in a line that changes.
pub(super) fn garbled(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.plain();
    let (sign, odd) =
        [("é", "Ã©"), ("–", "â€“"), ("’", "â€™"), ("ü", "\u{fffd}"), ("字", "\u{fffd}\u{fffd}")]
            [rng.below(5)];
    let hunk = case.hunks.iter().find(|hunk| hunk.old.len() == 1 && hunk.new.len() == 1)?.clone();
    let with = |line: &str, sign: &str| format!("{line} \"caf{sign}\"");
    case.lines[hunk.at] = with(&case.lines[hunk.at], sign);
    for it in case.hunks.iter_mut().filter(|it| it.at == hunk.at) {
        it.old[0] = with(&it.old[0], sign);
        it.new[0] = with(&it.new[0], odd);
    }
    let reply = super::slips::any_format(&case, rng);
    case.refusal(reply)
}

/// Residue of a chat template, a model's training or another tool, around or in code.
pub(super) fn residue(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let (_, old, _) = range_of(&case, 4)?;
    // Section headings in configuration files, and lists of names, look the same.
    let is_word = |line: &String| line.starts_with('[') || line.trim().chars().all(|it| it.is_alphanumeric());
    (!old.iter().all(is_word) && !case.lines.iter().any(|line| line.starts_with('['))).then_some(())?;
    let choice = rng.below(5);
    in_range(&case, 4, |_, new| match choice {
        0 => format!("```\nassistant\n{new}```\n"),
        1 => format!("```\n[PREFIX]\n{new}```\n"),
        2 => "```\nsed -i 's/a/b/' Makefile\n```\n".to_owned(),
        3 => format!("```\n{}```\n", new.replacen('\n', " [-a-]{+b+}\n", 1)),
        _ => format!("```\n{new}[/CODE]\n```\n"),
    })?
    .unchanged()
}

/// Two locations each differ from the block in a line of context, one of them by a single letter.
pub(super) fn near_copy_of_context(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = super::slips::doubled(case, "// The same once more.")?;
    let hunk = &case.hunks[0];
    let reply = super::slips::any_format_without_numbers(case, rng);
    let (before, after) = case.around(hunk, 3);
    let says = |line: &String| line.chars().filter(|it| it.is_alphabetic()).count() > 4;
    let certain = [before, &hunk.old, after].concat().iter().filter(|line| says(line)).count();
    let which = before.iter().position(says).filter(|_| certain > 3)?;
    let (here, there) = (hunk.at - before.len() + which, copy.at - before.len() + which);
    more.lines[here] = format!("{}_renamed", more.lines[here]);
    more.lines[there].push('q');
    more.refusal(reply)
}
