//! What a model writes around or beside the code of an answer: tags, quotes, talk, the old line.

/// Whether the first or last line only frames the code: a tag without the other one, words in capitals, quotes, or a
/// remark that the reply ends.
///
/// A range with such a line has it as code.
pub(super) fn has_frame(code: &str, range: &str) -> bool {
    const FIRST: [&str; 9] =
        ["ANSWER", "BEGIN", "CODE", "OUTPUT", "START", "[ANSWER]", "[CODE]", "\"\"\"", "'''"];
    const LAST: [&str; 6] = ["END", "STOP", "[DONE]", "data: [DONE]", "\"\"\"", "'''"];
    let lines: Vec<&str> = non_blank_lines(code).map(str::trim).collect();
    let ([first, .., last], true) = (lines.as_slice(), non_blank_lines(range).next().is_some()) else {
        return false;
    };
    let is_new = |line: &str| !non_blank_lines(range).any(|it| it.trim() == line);
    let is_lone = |line: &str, [open, close]: [&str; 2]| {
        let name = line.strip_prefix(open).and_then(|rest| rest.strip_suffix('>'));
        let is_known = |name: &str| {
            range.contains(&format!("{open}{name}>")) || range.contains(&format!("{close}{name}>"))
        };
        name.is_some_and(|name| {
            is_frame_name(name.trim_end_matches(|it: char| it.is_ascii_digit())) && !is_known(name)
        })
    };
    let is_capital = |name: &str| !name.is_empty() && name.chars().all(|sign| sign.is_ascii_uppercase());
    let has_others = |line: &str| lines[1..lines.len() - 1].iter().any(|it| it.contains(line));
    let opens = FIRST.contains(first) || first.strip_prefix("<<<").is_some_and(is_capital);
    let is_talk = first.ends_with('：') || lines[1..].starts_with(&["Copy", "Edit"]);
    let is_tick = last.chars().all(|sign| sign == '`');
    let said = last.to_lowercase();
    let is_cut =
        said.starts_with(['[', '(', '.']) && ["truncated", "continued"].iter().any(|it| said.contains(it));
    // The end of a here-document, or of a block in capitals.
    let ends_other =
        || code.contains("<<") || ["BEGIN", "CASE", "LOOP", "IF "].iter().any(|it| code.contains(it));
    let closes = LAST.contains(last) && !(is_capital(last) && ends_other())
        || last.strip_suffix(">>>").is_some_and(is_capital)
        || is_cut;
    is_new(first) && (is_lone(first, ["<", "</"]) || opens && !has_others(first) || opens_talk(first))
        || is_new(last)
            && (is_lone(last, ["</", "<"]) || is_tick || closes && !has_others(last) || closes_talk(last))
        || is_talk && is_new(first) && is_new(last)
        || lines.iter().any(|line| says_it_goes_on(line) && is_new(line))
}

/// Whether a first line speaks to the user, also where lines are prose.
fn opens_talk(line: &str) -> bool {
    const OPENING: [&str; 13] = [
        "below is",
        "certainly",
        "here are",
        "here is",
        "here you",
        "here's",
        "i changed",
        "i updated",
        "i've",
        "of course",
        "sure",
        "updated text",
        "updated version",
    ];
    const ABOUT: [&str; 9] =
        ["change", "code", "document", "file", "it is", "text", "updated", "version", "you go"];
    let said = line.to_lowercase().replace('’', "'");
    let bare = said.trim_end_matches(['!', '.', ':', ',']);
    let is_said = OPENING.iter().any(|it| said.starts_with(it)) && ABOUT.iter().any(|it| said.contains(it));
    matches!(bare, "certainly" | "of course" | "sure")
        || is_said && line.ends_with([':', '.', '!'])
        || OPENING.iter().any(|it| said.starts_with(it)) && line.ends_with(':')
}

/// Whether a last line speaks to the user, also where lines are prose.
fn closes_talk(line: &str) -> bool {
    const CLOSING: [&str; 9] = [
        "explanation:",
        "feel free to",
        "hope this helps",
        "i added",
        "i changed",
        "i hope this",
        "i updated",
        "let me know",
        "note: i ",
    ];
    const REST: [&str; 2] = ["everything else", "the rest of the"];
    const STAYING: [&str; 4] = ["as before", "remains", "same", "unchanged"];
    let said = line.trim_start_matches(['*', '_', '#', ' ']).to_lowercase();
    let starts = |all: &[&str]| all.iter().any(|it| said.starts_with(it));
    starts(&CLOSING) || starts(&REST) && STAYING.iter().any(|it| said.contains(it))
}

/// Whether a line only says that an answer goes on: `[continued]`, "And here is the remaining part:".
fn says_it_goes_on(line: &str) -> bool {
    const SAYING: [&str; 6] =
        ["cont", "cont'd", "continued", "continuing", "continued from above", "continuing from above"];
    const LEADING: [&str; 6] = ["and ", "continuing ", "here is ", "here's ", "next, ", "now "];
    const PARTS: [&str; 5] = ["part i changed", "part that i changed", "remaining", "rest of ", "the rest:"];
    // Every line is looked at, and most end otherwise.
    if !line.ends_with([']', ')', '.', '…', ':', '*', '_', '-']) {
        return false;
    }
    let said = line.to_lowercase();
    let bare = said.trim_matches(|sign: char| "[]()….*_:- ".contains(sign));
    let leads = || LEADING.iter().any(|it| said.starts_with(it));
    SAYING.contains(&bare) || line.ends_with(':') && leads() && PARTS.iter().any(|it| said.contains(it))
}

/// Whether a tag's name is one that models put around an answer.
fn is_frame_name(name: &str) -> bool {
    const PARTS: [&str; 14] = [
        "answer",
        "code",
        "content",
        "edit",
        "edited",
        "file",
        "output",
        "range",
        "region",
        "replacement",
        "result",
        "rewrite",
        "rewritten",
        "selection",
    ];
    let mut parts = name.split('_').filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some()
        && name.chars().all(|sign| sign.is_ascii_alphabetic() || sign == '_')
        && parts.any(|part| PARTS.contains(&part.to_lowercase().as_str()))
}

/// Whether a comment between the lines says that what follows is the new version of what precedes it.
pub(super) fn shows_both(code: &str, range: &str) -> bool {
    const WORDS: [&str; 6] = ["after", "becomes", "instead", "new", "now", "to"];
    let is_sign = |line: &str| {
        let bare = line.trim().trim_matches(['/', '#', '-', '*', ' ', ':', '>']);
        WORDS.contains(&bare.to_lowercase().as_str()) && bare.len() + 1 < line.trim().len()
    };
    let lines: Vec<&str> = non_blank_lines(code).collect();
    let at = lines.iter().position(|line| is_sign(line));
    at.is_some_and(|at| at > 0 && at + 1 < lines.len()) && !non_blank_lines(range).any(is_sign)
}

/// Whether one line for one line is marked as a bullet or put in quotes, or has the old line before an arrow.
pub(super) fn is_decorated(code: &str, range: &str) -> bool {
    let only = |text| -> Option<&str> {
        let mut lines = non_blank_lines(text).map(str::trim);
        lines.next().filter(|_| lines.next().is_none())
    };
    let Some((new, old)) = only(code).zip(only(range)) else { return false };
    let number = |line: &str| {
        let rest = line.trim_start_matches(|it: char| it.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(": ") || rest.trim_start().starts_with('|'))
    };
    let is_numbered = number(new) && !number(old);
    let is_bullet = ["- ", "* ", "+ "].iter().any(|mark| new.starts_with(mark) && !old.starts_with(mark));
    let is_quoted = ['"', '\'', '`'].iter().any(|mark| {
        let inner = new.strip_prefix(*mark).and_then(|rest| rest.strip_suffix(*mark));
        inner.is_some_and(|inner| inner.contains(*mark)) && !old.starts_with(*mark)
    });
    let is_change = new.strip_prefix(old).is_some_and(|rest| {
        ["->", "=>", "→", "becomes "].iter().any(|arrow| rest.trim_start().starts_with(arrow))
    });
    is_bullet || is_numbered || is_quoted || is_change
}

/// The lines of a text that are not blank.
pub(super) fn non_blank_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r']).filter(|line| !line.trim().is_empty())
}
