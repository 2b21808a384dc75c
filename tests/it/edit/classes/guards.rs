//! Damage that a parser need not notice, and code in wrappers.

use super::Sample;
use super::formats::{block, in_range, range_of, text};
use super::slips::{any_format, dressed};
use crate::edit::corpus::{Case, Rng};

/// The case with `change` applied to its first new line that is not blank.
fn with_new_line(case: &Case, change: impl FnOnce(&str) -> String) -> Option<Case> {
    let mut case = case.clone();
    let line = case.hunks.iter_mut().flat_map(|hunk| &mut hunk.new).find(|line| !line.trim().is_empty())?;
    *line = change(line);
    Some(case)
}

fn signed(case: &Case, signs: &[&str], rng: &mut Rng) -> Option<Case> {
    let sign = signs[rng.below(signs.len())];
    with_new_line(case, |line| {
        let indent = line.len() - line.trim_start().len();
        let letters: Vec<usize> = line[indent..].char_indices().map(|(at, _)| indent + at).collect();
        let (head, tail) = line.split_at(letters[rng.below(letters.len())]);
        format!("{head}{sign}{tail}")
    })
}

pub(super) fn invisible(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let signs = [
        "\u{202e}",
        "\u{2066}",
        "\u{200f}",
        "\u{200b}",
        "\u{200d}",
        "\u{feff}",
        "\u{ad}",
        "\u{e0041}",
        "\u{2060}",
    ];
    let case = if rng.below(2) == 0 { case.plain() } else { case.clone() };
    let odd = signed(&case, &signs, rng)?;
    case.refusal(any_format(&odd, rng))
}

pub(super) fn escapes(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let odd = signed(&case.plain(), &["\u{1b}[31m", "\u{7}", "\u{8}", "\u{9b}", "\u{7f}", "\u{c}"], rng)?;
    case.plain().refusal(any_format(&odd, rng))
}

pub(super) fn invisible_kept(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.plain();
    let sign = ["👩\u{200d}🔬", "a\u{200c}b", "\u{1b}[0m"][rng.below(3)];
    let hunk = case.hunks.iter().find(|hunk| hunk.old.len() == 1 && hunk.new.len() == 1)?.clone();
    case.lines[hunk.at].push_str(sign);
    for hunk in case.hunks.iter_mut().filter(|it| it.at == hunk.at) {
        hunk.old[0].push_str(sign);
        hunk.new[0].push_str(sign);
    }
    let reply = any_format(&case, rng);
    case.sample(reply)
}

pub(super) fn marked_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let (range, ..) = range_of(&case, 4)?;
    let hunk = &case.hunks[0];
    // The bullets of a list look like marks, too.
    if hunk.old.is_empty() || hunk.old.iter().chain(&hunk.new).any(|line| line.trim().is_empty()) {
        return None;
    }
    let marked = super::formats::marked(&case, hunk, 4);
    let fence = ["```\n", "```text\n", "```yaml\n"][rng.below(3)];
    Some(Sample { range: Some(range), ..case.refusal(format!("{fence}{marked}```\n"))? })
}

pub(super) fn added_region(case: &Case, _: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let sample = in_range(&case, 4, |_, new| {
        let marked: String = new.lines().map(|line| format!("+{line}\n")).collect();
        format!("```\n{marked}```\n")
    })?;
    sample.unchanged()
}

pub(super) fn curly_region(case: &Case, _: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let (_, _, new) = range_of(&case, 4)?;
    let ([old], [line]) = (case.hunks[0].old.as_slice(), case.hunks[0].new.as_slice()) else { return None };
    // Quotes within quotes, or in a comment, are text.
    let quotes = |line: &str| {
        line.matches('"').count() == 2 && !line.contains("\"\"") && !line.contains(['\'', '`', '/', '#', '*'])
    };
    if !quotes(line) || !quotes(old) {
        return None;
    }
    let odd: Vec<String> = new.iter().map(|it| if it == line { dressed(it) } else { it.clone() }).collect();
    in_range(&case, 4, |_, _| format!("```\n{}```\n", text(&odd)))?.unchanged()
}

pub(super) fn one_line_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let end = ["", "\\n"][rng.below(2)];
    in_range(&case, 4, |_, new| format!("```\n{}{end}\n```\n", new.trim_end().replace('\n', "\\n")))?
        .unchanged()
}

pub(super) fn json_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let name = ["code", "new_code", "content", "result"][rng.below(4)];
    let (_, old, _) = range_of(case, 4)?;
    let starts = text(&old).trim_start().starts_with(['{', '[', '"']);
    (!starts).then_some(())?;
    in_range(case, 4, |_, new| match rng.below(3) {
        0 => serde_json::json!({ name: new }).to_string(),
        1 => format!("```json\n{}\n```\n", serde_json::json!({ name: new })),
        _ => serde_json::to_string_pretty(&serde_json::json!({ name: new })).unwrap(),
    })
}

pub(super) fn json_and_words(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (_, old, _) = range_of(case, 4)?;
    let starts = text(&old).trim_start().starts_with(['{', '[', '"']);
    (!starts).then_some(())?;
    let wrapped =
        |_: &str, new: &str| serde_json::json!({ "code": new, "explanation": "Renamed." }).to_string();
    in_range(&case.plain(), 4, wrapped)?.unchanged()
}

fn numbered(case: &Case, mark: &str, new: &str) -> String {
    let first = case.hunks[0].at.saturating_sub(4) + 1;
    let lines = new.lines().enumerate();
    lines.map(|(at, line)| format!("{}{mark}{line}\n", first + at)).collect()
}

/// The answer lacks the blank lines at its ends.
pub(super) fn bare_stripped(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (_, old, new) = range_of(case, 4)?;
    let is_blank = |line: Option<&String>| line.is_some_and(|line| line.is_empty());
    let same_ends =
        is_blank(old.first()) == is_blank(new.first()) && is_blank(old.last()) == is_blank(new.last());
    (same_ends && (is_blank(old.first()) || is_blank(old.last()))).then_some(())?;
    in_range(case, 4, |_, new| new.trim_matches('\n').to_owned())
}

pub(super) fn heredoc_region(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| format!("```bash\ncat > {} <<'EOF'\n{new}EOF\n```\n", case.path))
}

/// Prose that no parser can distinguish from code.
pub(super) fn talk_for_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let words = [
        "1. Open the file\n2. Rename `x` to `y`\n",
        "I would rename `total(x)` here. It is used twice.",
        "The code looks correct; no change is needed.",
        "Here is the new text of `main`:\n",
        "Done!",
        "{\"error\": \"model overloaded\"}",
        "<no_change/>",
    ];
    let reply = words[rng.below(words.len())];
    in_range(&case, 4, |_, _| reply.to_owned())?.unchanged()
}

/// Prose in a fence, in a language whose parser may accept it as code.
pub(super) fn talk_in_a_fence(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let words = [
        "I'm sorry, but I can't help with that.",
        "No changes are needed here.\n\nThe code is right as it is.",
        "1. Rename it\n2. Run the tests",
    ];
    let words = words[rng.below(words.len())];
    in_range(case, 4, |_, _| format!("```\n{words}\n```\n"))?.unchanged()
}

/// New lines with their line numbers, and old lines without.
pub(super) fn numbers_of_places(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut odd = case.plain();
    let hunk = odd.hunks.iter_mut().find(|hunk| hunk.new.iter().any(|line| !line.trim().is_empty()))?;
    let mark = [": ", " | ", "\t"][rng.below(3)];
    for (at, line) in hunk.new.iter_mut().enumerate() {
        *line = format!("{}{mark}{line}", hunk.at + at + 1);
    }
    let number = hunk.at;
    odd.hunks.retain(|hunk| hunk.at == number);
    case.plain().refusal(any_format(&odd, rng))
}

pub(super) fn numbered_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mark = [" ", "\t", ": ", " | "][rng.below(4)];
    in_range(case, 4, |_, new| format!("```\n{}```\n", numbered(case, mark, new)))
}

/// None of the old lines is in the reply, so the numbers may be text.
pub(super) fn numbered_throughout(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let mark = [" ", "\t", ": "][rng.below(3)];
    let new = "entirely();\nother();\nlines();\n";
    in_range(&case, 4, |_, _| format!("```\n{}```\n", numbered(&case, mark, new)))?.unchanged()
}

pub(super) fn nothing(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let words =
        ["None", "[]", "...", "# No change", "// no changes needed", "null", "{}", "# No changes required."];
    let word = words[rng.below(words.len())];
    let (_, old, _) = range_of(&case, 4)?;
    (old.len() > 4).then_some(())?;
    let reply = [word.to_owned(), format!("```\n{word}\n```\n"), format!("```python\n    {word}\n```")];
    in_range(&case, 4, |_, _| reply[rng.below(3)].clone())?.unchanged()
}

pub(super) fn loop_at_the_end(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let period = 2 + rng.below(5);
    let at = rng.below(case.lines.len() - period);
    let part = text(&case.lines[at..at + period]);
    (part.lines().filter(|line| !line.trim().is_empty()).count() == period).then_some(())?;
    let file = case.target() + &part.repeat(4 + rng.below(30) + 12 / period);
    // The last line may be truncated.
    let end = file.len() - 1 - rng.below(2);
    case.refusal(format!("```\n{}\n```\n", &file[..end]))
}

const STAND_INS: [&str; 12] = [
    "// keep the rest as is",
    "# TODO: keep rest",
    "// body unchanged",
    "/* same body */",
    "// existing logic",
    "[rest of function]",
    "// rest of the function",
    "# ... unchanged ...",
    "// keep existing code",
    "// implementation unchanged",
    "# remaining code here",
    "// same logic as before",
];

pub(super) fn stand_in(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let (old, _) = case.halves(&case.hunks[0], 3);
    let mut new = old.clone();
    let line = STAND_INS[rng.below(STAND_INS.len())];
    new.splice(1..old.len(), [format!("    {line}")]);
    case.refusal(block(&old, &new))
}

pub(super) fn stand_in_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = case.plain();
    let line = STAND_INS[rng.below(STAND_INS.len())];
    // The elision has no old line on one side, so the lines it represents are not certain.
    in_range(&case, 4, |_, _| format!("```\nsomething_new();\n    {line}\nmore_of_it();\n```\n"))?.unchanged()
}

pub(super) fn broken_c(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let is_c = case.grammar.is_some_and(|grammar| !grammar.errors_are_reliable());
    let line = hunk.new.iter().find(|line| line.contains('(') && line.trim_end().ends_with(';'))?;
    if !is_c || line.trim_start().starts_with(['/', '*', '#']) {
        return None;
    }
    let broken = [line.replacen('(', "((", 1), line.replacen('(', "", 1), line.replacen('(', "(, ", 1)];
    let broken = &broken[rng.below(3)];
    let mut odd = case.clone();
    odd.hunks[0].new.iter_mut().filter(|it| *it == line).for_each(|it| it.clone_from(broken));
    case.refusal(any_format(&odd, rng))
}
