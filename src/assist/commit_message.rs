//! The message in a model's answer about a commit.
//!
//! Models that chat put words before it, or a fence around it. What is left must look like a message: a wrong
//! one would stay in the history.

use crate::job::Reason;

/// The longest subject. The model is asked for 72 characters, and some count badly.
const SUBJECT_CHARACTERS: usize = 100;
/// Characters of a reply that are quoted where it is refused.
const QUOTED_CHARACTERS: usize = 60;
/// Words that begin an answer to a person, and no subject in the imperative.
const TALK: [&str; 10] =
    ["i", "you", "your", "sure", "here", "okay", "certainly", "sorry", "unfortunately", "based"];

/// The message in an answer: its subject, and its body behind a blank line.
pub(super) fn read(answer: &str) -> Result<String, Reason> {
    let text = without_lead(fenced(answer).unwrap_or(answer).trim());
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let subject = bare(first);
    let body = match rest.split_once('\n').unwrap_or((rest, "")) {
        (blank, body) if blank.trim().is_empty() => Some(body.trim_matches('\n')),
        // Points may follow the subject at once; a sentence that goes on is no subject.
        (next, _) if next.trim_start().starts_with(['-', '*']) => Some(rest),
        _ => None,
    };
    let word = subject.split([' ', ',', '!', '\'', '’']).next().unwrap_or_default().to_lowercase();
    let is_subject = !word.is_empty()
        && !TALK.contains(&word.as_str())
        && !subject.ends_with(['?', ':', '!'])
        && !["# ", "## ", "```", "<", "{"].iter().any(|sign| subject.starts_with(sign))
        && subject.chars().count() <= SUBJECT_CHARACTERS;
    match body.filter(|_| is_subject) {
        Some("") => Ok(format!("{subject}\n")),
        Some(body) => Ok(format!("{subject}\n\n{}\n", body.trim_end())),
        None => Err(refused(first)),
    }
}

/// What stands in the one fence of an answer, behind one line at most. Code in a message's body is behind more.
fn fenced(answer: &str) -> Option<&str> {
    let (before, rest) = answer.split_once("```")?;
    if before.trim().lines().count() > 1 {
        return None;
    }
    let (inner, after) = rest.split_once('\n')?.1.split_once("```")?;
    (!after.contains("```")).then_some(inner)
}

/// A text without the line that announces it: `Here is the commit message:`.
fn without_lead(text: &str) -> &str {
    match text.split_once('\n') {
        Some((lead, rest)) if lead.trim_end_matches(['*', ' ']).ends_with(':') => rest.trim_start(),
        _ => text,
    }
}

/// A subject without what models put around it: a heading's signs, quotes, a label, a dot at the end.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let without = |sign| line.strip_prefix(sign)?.strip_suffix(sign).filter(|it| !it.contains(sign));
    let line = ["**", "\"", "`"].into_iter().find_map(without).unwrap_or(line);
    let plain = line.trim_start_matches('*');
    let is_label = |label: &&str| plain.get(..label.len()).is_some_and(|it| it.eq_ignore_ascii_case(label));
    let label = ["subject:", "commit message:"].into_iter().find(is_label);
    let line = label.map_or(line, |label| plain[label.len()..].trim_start_matches(['*', ' ']));
    line.strip_suffix('.').filter(|it| !it.ends_with('.')).unwrap_or(line)
}

fn refused(line: &str) -> Reason {
    let whole = line.trim();
    let mut line: String = whole.chars().take(QUOTED_CHARACTERS).collect();
    if line.len() < whole.len() {
        line.push('…');
    }
    let why = format!(
        "the model talks instead of writing a commit message: `{line}`; try again, or choose another model with \
         `tandem setup`"
    );
    Reason::Unusable { code: "prose", why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &str, expected: &str) {
        let read = read(answer).unwrap_or_else(|reason| format!("refused: {}", reason.code()));
        assert_eq!(read, expected, "{answer}");
    }

    #[test]
    fn message_by_itself_is_kept() {
        check("Read the file once", "Read the file once\n");
        check("Read the file once.\n\nIt was read\ntwice.\n", "Read the file once\n\nIt was read\ntwice.\n");
        check("Add `...` to calls...", "Add `...` to calls...\n");
        check("parser: accept a dot", "parser: accept a dot\n");
        check("Show the path of `foo`", "Show the path of `foo`\n");
        check("Show it\n\nAs in:\n```\ncode\n```", "Show it\n\nAs in:\n```\ncode\n```\n");
        check("Read once\n- drop a\n- drop b", "Read once\n\n- drop a\n- drop b\n");
    }

    #[test]
    fn message_is_taken_out_of_talk() {
        check("Here is the commit message:\n\nRead once\n\nIt was slow.", "Read once\n\nIt was slow.\n");
        check("Sure! Here you go:\n```text\nRead once\n\nWhy.\n```\nLet me know!", "Read once\n\nWhy.\n");
        check("**Subject:** Read once", "Read once\n");
        check("**Commit message:**\n\n\"Read once\"", "Read once\n");
    }

    #[test]
    fn talk_alone_is_refused() {
        for talk in [
            "I cannot see any changes in this diff",
            "Sure, I can help with that.",
            "Here's what changed\n\nA lot.",
            "Would you like me to write it?",
            "The change reads the file once,\nwhich makes it faster.",
            "You’re right",
            "# Changes\n\n- one",
            "a:\n",
        ] {
            check(talk, "refused: prose");
        }
        check(&format!("The change {}", "does much ".repeat(10)), "refused: prose");
    }

    #[test]
    fn refusal_quotes_the_talk() {
        let why = read("I can help with that.").unwrap_err().to_string();
        assert!(why.contains("`I can help with that.`") && why.contains("`tandem setup`"), "{why}");
    }
}
