//! Replies whose prose says which file they are for, or that a block is not to be applied.

use super::Must::{Apply, Refuse};
use super::formats::{block, blocks, text};
use super::{Class, Sample};
use crate::edit::corpus::Case;

/// The path of another file, without its extension.
const OTHER: &str = "src/elsewhere_9";

pub(super) const CLASSES: &[Class] = &[
    ("prose: a comment names another file", Refuse, |case, rng| {
        let label = rng.of(&[
            "// {}",
            "# {}",
            "/* {} */",
            "// File: {}",
            "# path: {}",
            "// {} (new file)",
            "// === {} ===",
        ]);
        case.refused(format!("```\n{}\n{}```\n", label.replace("{}", &other(case)?), case.target()))
    }),
    ("prose: a comment names the file", Apply, |case, rng| {
        let label = rng.of(&["// {}", "// File: {}", "// {} (updated)"]);
        case.sample(format!("```\n{}\n{}```\n", label.replace("{}", case.path), case.target()))
    }),
    ("prose: a sentence names another file", Refuse, |case, rng| {
        let sentence = rng.of(&[
            "Create a new file `{}` with:",
            "Save this as {}:",
            "Here is the new `{}`:",
            "Put this into **{}**:",
            "{} (new file)",
            "--- {} ---",
            "**File:** `{}`",
        ]);
        let sentence = sentence.replace("{}", &other(case)?);
        let reply = if rng.below(2) == 0 { fenced(&case.target()) } else { blocks(case).concat() };
        case.refused(format!("Sure.\n\n{sentence}\n\n{reply}"))
    }),
    ("prose: a sentence mentions another file", Apply, |case, rng| {
        let sentence = rng.of(&[
            "This uses the helper from `{}`:",
            "The same check is done by `{}`, so I kept it short.",
            "Since it moved away from {}, the call changes:",
        ]);
        let sentence = sentence.replace("{}", &other(case)?);
        let reply = if rng.below(2) == 0 { fenced(&case.target()) } else { blocks(case).concat() };
        case.sample(format!("{sentence}\n\n{reply}"))
    }),
    ("prose: a fence or a command names another file", Refuse, |case, rng| {
        let other = other(case)?;
        let target = case.target();
        case.refused(match rng.below(4) {
            0 => format!("```{other}\n{target}```\n"),
            1 => format!("```text title=\"{other}\"\n{target}```\n"),
            2 => format!("```sh\ncat > {other} <<'EOF'\n{target}EOF\n```\n"),
            _ => format!("cat > {other} <<'EOF'\n{target}EOF\n"),
        })
    }),
    ("prose: a rejected block", Refuse, |case, rng| {
        let words = rng.of(&[
            "Do NOT do this:",
            "It is tempting, but wrong. Don't do that:",
            "Avoid this:",
            "**Wrong:**",
            "Instead of this:",
            "The previous commit was:",
            "The failed attempt:",
            "This would break things:",
            "The old code was:",
            "To undo:",
        ]);
        case.refused(format!("I see.\n\n{words}\n\n{}", blocks(case).concat()))
    }),
    ("prose: a block that is taken back", Refuse, |case, rng| {
        let words = rng.of(&[
            "Ignore the block above.",
            "On second thought, that would break the callers.",
            "Please do not apply the edit above.",
            "I would keep the file as it is.",
            "Actually, it is right already. No change is needed.",
        ]);
        let reply = if rng.below(2) == 0 { fenced(&case.target()) } else { blocks(case).concat() };
        case.refused(format!("{reply}\n{words}\n"))
    }),
    ("prose: a block that the next one corrects", Refuse, |case, rng| {
        (case.hunks.len() > 1).then_some(())?;
        let words = rng.of(&[
            "Wait, that's the wrong function. Here is the right one:",
            "Sorry, wrong function:",
            "My mistake. It should be:",
            "Correction:",
            "Let me try again:",
            "Use this instead:",
            "Or just:",
            "Version 2 (safer):",
            "Oops:",
        ]);
        case.refused(blocks(case).join(&format!("\n{words}\n\n")))
    }),
    ("prose: a comment with the name that was asked for", Refuse, |case, rng| {
        let hunk = case.lone()?;
        let (old, new) = case.halves(hunk, 3);
        let label = case.comment(hunk.at, case.path);
        let asked = rng.of(&["Add a comment with the name of the file", "Put the file's path at the top"]);
        let sample = case.refused(block(&old, &[&[label], &new[..]].concat()))?;
        (hunk.at > 3).then(|| Sample { instruction: asked.to_owned(), ..sample })
    }),
    ("prose: a comment with the name alone", Apply, |case, _| {
        let label = case.comment(0, case.path);
        let case = case.with(0, &[], std::slice::from_ref(&label));
        let first = case.lines.first().filter(|line| line.contains(char::is_alphanumeric))?.clone();
        let is_unique = case.lines.iter().filter(|line| **line == first).count() == 1;
        is_unique.then(|| case.sample(block(std::slice::from_ref(&first), &[label, first.clone()])))?
    }),
    ("prose: a choice of blocks", Refuse, |case, rng| {
        (case.hunks.len() > 1).then_some(())?;
        let (first, second) = rng.of(&[
            ("Option A:", "Option B:"),
            ("### Approach 1", "### Approach 2"),
            ("This is the least:", "Alternatively, if speed matters:"),
            ("Like this:", "Or, if you prefer:"),
        ]);
        let mut blocks = blocks(case).into_iter();
        case.refused(format!("{first}\n\n{}\n{second}\n\n{}", blocks.next()?, blocks.collect::<String>()))
    }),
    ("prose: another change as code beside blocks", Refuse, |case, rng| {
        let sentence = rng.of(&[
            "Also add this import at the top:",
            "Then change this:",
            "Don't forget to define this:",
        ]);
        let (code, blocks) = (fenced("one_more_9(import)\n"), blocks(case).concat());
        case.refused(match rng.below(2) {
            0 => format!("{blocks}\n{sentence}\n\n{code}"),
            _ => format!("{sentence}\n\n{code}\n{blocks}"),
        })
    }),
    ("prose: code that stays is quoted beside blocks", Apply, |case, rng| {
        let lone = case.lone()?;
        let (sentence, lines) =
            if rng.below(2) == 0 { ("It was:", &lone.old) } else { ("It is now:", &lone.new) };
        let (code, blocks) = (fenced(&text(lines)), blocks(case).concat());
        case.sample(format!("{blocks}\n{sentence}\n\n{code}"))
    }),
    ("prose: words that reject nothing", Apply, |case, rng| {
        let words = rng.of(&[
            "Don't forget to run the tests:",
            "The previous edit missed a case, so:",
            "Instead of the loop, this uses an iterator:",
            "This does not change the behaviour:",
            "The options are read here now:",
        ]);
        let below = rng.of(&["", "\nNo other changes are needed.\n", "\nThe signature stays as it is.\n"]);
        case.sample(format!("{words}\n\n{}{below}", blocks(case).join(&format!("\n{words}\n\n"))))
    }),
    ("prose: rejected code, then the right one", Apply, |case, rng| {
        let (wrong, right) =
            rng.of(&[("Do not do this:", "Do this:"), ("Wrong:", "Right:"), ("Instead of this:", "Write:")]);
        let bad: Vec<String> = case.lone()?.new.iter().map(|line| format!("{line} wrong(")).collect();
        case.sample(format!("{wrong}\n{}\n{right}\n{}", fenced(&text(&bad)), fenced(&case.target())))
    }),
];

/// The path of another file of the same kind.
fn other(case: &Case) -> Option<String> {
    let (_, ending) = case.path.rsplit_once('.')?;
    Some(format!("{OTHER}.{ending}"))
}

fn fenced(text: &str) -> String {
    format!("~~~\n{text}~~~\n")
}
