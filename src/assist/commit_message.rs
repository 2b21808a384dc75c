//! What a commit message is made from, and its extraction from a model's answer.
//!
//! Chat models put text before it, or a fence around it. The rest must look like a message: a wrong one would
//! stay in the history.

use std::path::Path;

use crate::config::Scoped;
use crate::job::Reason;
use crate::privacy::Verdict;
use crate::text::words::quoted;
use crate::workspace::git::{self, Changes, Compared, GitError};

/// The number of earlier commit subjects in a prompt.
const SUBJECTS: usize = 20;
/// Maximum characters per line, in the subject and in the body.
const LINE: usize = 72;
/// Longest first line that is shortened to a subject rather than refused.
const LONGEST_SUBJECT: usize = 300;
/// Words that begin a chat reply, never a subject in the imperative.
const TALK: [&str; 10] =
    ["i", "you", "your", "sure", "here", "okay", "certainly", "sorry", "unfortunately", "based"];

/// Words that begin a statement about a change, never a subject in the imperative.
const ABOUT: [&str; 6] = ["the", "this", "these", "it", "we", "there"];
/// Phrases that end a chat reply.
const FAREWELLS: [&str; 7] = [
    "let me know",
    "please let me know",
    "feel free",
    "i hope",
    "hope this",
    "would you like",
    "is there anything",
];
/// The prefixes of Conventional Commits.
const CONVENTION: [&str; 11] =
    ["feat", "fix", "docs", "chore", "refactor", "test", "perf", "build", "ci", "style", "revert"];

/// The message in an answer: its subject, then a blank line and its body.
pub(super) fn read(answer: &str) -> Result<String, Reason> {
    let text = without_lead(fenced(answer).unwrap_or(answer).trim());
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let subject = bare(first);
    let body = match rest.split_once('\n').unwrap_or((rest, "")) {
        (blank, body) if blank.trim().is_empty() => Some(body.trim_matches('\n')),
        // A list may follow the subject directly; a sentence that continues is not a subject.
        (next, _) if next.trim_start().starts_with(['-', '*']) => Some(rest),
        _ => None,
    };
    let word = subject.split([' ', ',', '!', '\'', '’']).next().unwrap_or_default().to_lowercase();
    let length = subject.chars().count();
    let is_subject = !word.is_empty()
        && !TALK.contains(&word.as_str())
        && !subject.ends_with(['?', ':', '!'])
        && !["# ", "## ", "```", "<", "{"].iter().any(|sign| subject.starts_with(sign))
        && (length <= LINE || length <= LONGEST_SUBJECT && !ABOUT.contains(&word.as_str()));
    let body = body.filter(|_| is_subject).ok_or_else(|| refused(text))?;
    let (subject, body) = shortened(&number_last(subject), without_farewell(body));
    Ok(match body.trim_end() {
        "" => format!("{subject}\n"),
        body => format!("{subject}\n\n{}\n", beside_comments(body)),
    })
}

/// The changes in the repository at `root` that a model may see.
///
/// Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer, or does not know the revision.
pub fn visible_changes(root: &Path, compared: Compared<'_>, settings: &Scoped) -> Result<Changes, GitError> {
    let access = settings.access(vec![root.to_owned()]);
    git::changes(root, compared, |path| match access(&root.join(path)) {
        Verdict::Open => None,
        why => Some(why.to_string()),
    })
}

/// Why there is no diff to show a model, given the staged files that are left out of it.
pub fn nothing_to_show(left_out: &[(String, String)]) -> Reason {
    let Some((_, why)) = left_out.first() else { return Reason::NothingStaged };
    let why = match left_out {
        [_] => format!("the staged file is withheld: {why}"),
        _ => {
            let rest = if left_out.iter().all(|(_, it)| it == why) { "" } else { ", and others" };
            format!("all {} staged files are withheld: {why}{rest}", left_out.len())
        }
    };
    Reason::Unusable { code: "nothing-staged", why }
}

/// The subjects of the last commits in the repository at `root`. Blocks on git.
pub fn earlier_subjects(root: &Path) -> Vec<String> {
    git::subjects(root, SUBJECTS).unwrap_or_else(|error| {
        // There are none before the first commit.
        tracing::debug!(%error, "no earlier subjects");
        Vec::new()
    })
}

/// What a message adds to its beginning, as the author wrote that: of the subject until that is complete.
///
/// Empty if the message begins otherwise.
pub fn continuation<'a>(message: &'a str, begun: &str) -> &'a str {
    let mut letters = message.chars();
    let is_begun =
        begun.chars().all(|it| letters.next().is_some_and(|own| own.to_lowercase().eq(it.to_lowercase())));
    let rest = if is_begun { letters.as_str() } else { "" };
    let rest = if begun.contains('\n') { rest } else { rest.lines().next().unwrap_or_default() };
    rest.trim_end()
}

/// Removes a prefix such as `feat:` from a message if no earlier subject has one.
pub fn with_prefix_as_usual(message: &str, earlier: &[String]) -> String {
    let is_unusual = !earlier.is_empty() && earlier.iter().all(|subject| convention(subject).is_none());
    let Some(rest) = convention(message).filter(|_| is_unusual) else { return message.to_owned() };
    let capitals = earlier.iter().filter(|subject| subject.starts_with(char::is_uppercase)).count();
    let mut letters = rest.chars();
    match letters.next() {
        Some(first) if capitals * 2 > earlier.len() => first.to_uppercase().chain(letters).collect(),
        _ => rest.to_owned(),
    }
}

/// The text after the convention's prefix in a message: `fix(parser)!: `.
fn convention(message: &str) -> Option<&str> {
    let (prefix, rest) = message.split_once(": ")?;
    let prefix = prefix.strip_suffix('!').unwrap_or(prefix);
    let kind =
        prefix.split_once('(').map_or(Some(prefix), |(kind, scope)| scope.ends_with(')').then_some(kind))?;
    CONVENTION.contains(&kind).then_some(rest)
}

/// A subject that fits in a line, and the body, which begins with the full subject if that was cut.
fn shortened(subject: &str, body: &str) -> (String, String) {
    if subject.chars().count() <= LINE {
        return (subject.to_owned(), body.to_owned());
    }
    let fits: String = subject.chars().take(LINE - 1).collect();
    let clauses = [", ", "; ", " (", " so that ", " because ", " since ", " which ", " and ", " by ", " to "];
    let clause = clauses.iter().filter_map(|it| fits.rfind(it)).max().filter(|at| *at >= LINE / 3);
    let head = match clause {
        Some(at) => fits[..at].trim_end_matches([',', ';']).to_owned(),
        None => format!("{}…", fits.rfind(' ').map_or(&*fits, |at| &fits[..at])),
    };
    let whole = textwrap::fill(&format!("{subject}."), LINE);
    (head, format!("{whole}\n\n{body}"))
}

/// Moves a leading issue number to the end of a subject: git treats a line that begins with `#` as a comment.
fn number_last(subject: &str) -> String {
    let numbered = || {
        let rest = subject.strip_prefix('#')?;
        let end = rest.find(|it: char| !it.is_ascii_digit()).filter(|end| *end > 0)?;
        let (number, rest) = (&rest[..end], rest[end..].trim_start_matches([':', ' ', '-']));
        (!rest.is_empty()).then(|| format!("{rest} (#{number})"))
    };
    numbered().unwrap_or_else(|| subject.to_owned())
}

/// Indents lines of a body that git would treat as comments.
fn beside_comments(body: &str) -> String {
    let lines =
        body.lines().map(|line| if line.starts_with('#') { format!(" {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// A body without a closing paragraph that addresses a reader.
fn without_farewell(body: &str) -> &str {
    let (before, last) = body.trim_end().rsplit_once("\n\n").unwrap_or(("", body));
    let last = last.trim_start().to_lowercase();
    if FAREWELLS.iter().any(|words| last.starts_with(words)) { before } else { body }
}

/// The content of an answer's only fence, after at most one line. A code block in a body comes after more lines.
fn fenced(answer: &str) -> Option<&str> {
    let (before, rest) = answer.split_once("```")?;
    if before.trim().lines().count() > 1 {
        return None;
    }
    let (inner, after) = rest.split_once('\n')?.1.split_once("```")?;
    (!after.contains("```")).then_some(inner)
}

/// Removes the line that announces the message: `Here is the commit message:`.
fn without_lead(text: &str) -> &str {
    match text.split_once('\n') {
        Some((lead, rest)) if lead.trim_end_matches(['*', ' ']).ends_with(':') => rest.trim_start(),
        _ => text,
    }
}

/// A subject without the decoration that models add: heading characters, quotes, a label, a final period.
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

fn refused(answer: &str) -> Reason {
    let why = format!(
        "the model talks instead of writing a commit message: {}; try again, or choose another model with \
         `tandem setup`",
        quoted(answer)
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
        check(&format!("Do {}", "much ".repeat(100)), "refused: prose");
    }

    #[test]
    fn long_subject_is_cut_where_a_clause_ends_and_kept_in_the_body() {
        check(
            "Read the file once when it is opened, since reading it twice takes twice the time.\n\nMore.",
            "Read the file once when it is opened\n\n\
             Read the file once when it is opened, since reading it twice takes twice\nthe time.\n\nMore.\n",
        );
        let word = "x".repeat(60);
        check(&format!("Name {word} {word}"), &format!("Name {word}…\n\nName {word}\n{word}.\n"));
        let fits = "y".repeat(LINE - 2);
        check(&format!("R {fits}"), &format!("R {fits}\n"));
    }

    #[test]
    fn lines_of_issues_are_no_comments_and_farewells_go() {
        check("#12: read once\n\n#13 is fixed, too.", "read once (#12)\n\n #13 is fixed, too.\n");
        check("Read once\n\nWhy.\n\nLet me know if you want\nchanges.", "Read once\n\nWhy.\n");
        check("Read once\n\nFeel free to change it.", "Read once\n");
        check("Read once\n\nLetters are read, too.", "Read once\n\nLetters are read, too.\n");
    }

    #[test]
    fn prefix_is_kept_only_where_earlier_subjects_have_one() {
        let check = |message: &str, earlier: &[&str], expected: &str| {
            let earlier: Vec<String> = earlier.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(with_prefix_as_usual(message, &earlier), expected, "{message}");
        };
        check("fix(io)!: read once\n\nfix: no\n", &["Add a", "Drop b"], "Read once\n\nfix: no\n");
        check("fix: read once\n", &["add a", "drop b"], "read once\n");
        check("fix: read once\n", &["Add a", "feat: b"], "fix: read once\n");
        check("fix: read once\n", &[], "fix: read once\n");
        check("parser: read once\n", &["Add a"], "parser: read once\n");
    }

    #[test]
    fn message_goes_on_where_its_author_is() {
        let check = |begun: &str, expected: &str| {
            assert_eq!(continuation("Read once\n\nIt was\nslow.\n", begun), expected, "{begun}");
        };
        check("", "Read once");
        check("Re", "ad once");
        check("read ", "once");
        check("Read once", "");
        check("Read once\n", "\nIt was\nslow.");
        check("Read once\n\nit", " was\nslow.");
        check("Write", "");
        check("Read  once", "");
        check("Read once\n\nIt was\nslow.\n\nMore", "");
    }

    #[test]
    fn refusal_quotes_the_talk() {
        let why = read("I can help with that.").unwrap_err().to_string();
        assert!(why.contains("`I can help with that.`") && why.contains("`tandem setup`"), "{why}");
        let explained =
            "This server has no model behind it, and nothing to say about commits.\nIt only renames names.";
        let why = read(explained).unwrap_err().to_string();
        assert!(why.contains("about commits. It only renames names.`"), "{why}");
    }
}
