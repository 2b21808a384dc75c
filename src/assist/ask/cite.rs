//! Reads an answer word by word while it arrives.
//!
//! Adds a remark after each location that does not exist.

use std::ops::Range;

use super::answer::{CheckedAnswer, CitedLocation};
use super::places::{LookedUp, Places};
use crate::grammar;
use crate::text::ident;

/// Longest word that is inspected (bytes): no location is longer.
const MOST_WORD: usize = 400;
/// Fewest words of a paragraph that makes a claim.
const CLAIM_WORDS: usize = 4;
/// Appended to a paragraph that cites no location.
const NO_PLACE: &str = " [cites no line]";

/// Reads and checks an answer.
pub(super) struct Reader {
    places: Places,
    pub(super) answer: CheckedAnswer,
    /// The word that has not ended yet. A span in backticks is one word.
    word: String,
    is_code: bool,
    /// Line ends and the blanks after them, held back until the next word.
    gap: String,
    is_fenced: bool,
    paragraph: Paragraph,
}

/// The state of the current paragraph.
#[derive(Default)]
struct Paragraph {
    words: usize,
    has_place: bool,
    /// A heading, a table row, or code.
    is_exempt: bool,
    /// It ends with a colon or an ellipsis, and so introduces the next paragraph.
    ends_open: bool,
}

impl Reader {
    pub(super) fn new(places: Places) -> Self {
        Self {
            places,
            answer: CheckedAnswer::default(),
            word: String::new(),
            is_code: false,
            gap: String::new(),
            is_fenced: false,
            paragraph: Paragraph::default(),
        }
    }

    /// Reads more of the answer; returns the text that can be shown now. Blocks on disk reads.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for letter in text.chars() {
            if letter == '\n' || letter.is_whitespace() && !self.is_code {
                self.end_word(&mut shown);
                self.is_code &= letter != '\n';
                if letter == '\n' || !self.gap.is_empty() {
                    self.gap.push(letter);
                } else {
                    shown.push(letter);
                }
                continue;
            }
            self.is_code ^= letter == '`' && !self.is_fenced;
            self.word.push(letter);
            if self.word.len() > MOST_WORD {
                self.is_code = false;
                self.end_word(&mut shown);
            }
        }
        self.answer.text.push_str(&shown);
        shown
    }

    /// Ends the answer; returns the rest of the text to show. Blocks on disk reads.
    pub(super) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown);
        self.end_paragraph(&mut shown);
        self.gap.clear();
        self.add(&shown)
    }

    /// Appends text that is not the model's.
    pub(super) fn add(&mut self, text: &str) -> String {
        self.answer.text.push_str(text);
        text.to_owned()
    }

    fn end_word(&mut self, shown: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let is_first = !self.gap.is_empty() || self.answer.text.is_empty() && shown.is_empty();
        if is_first {
            let is_fence = word.starts_with("```");
            if is_fence || begins_block(&word) || self.gap.matches('\n').count() > 1 {
                self.end_paragraph(shown);
            }
            shown.push_str(&std::mem::take(&mut self.gap));
            self.is_fenced ^= is_fence;
            self.paragraph.is_exempt |= is_fence || word.starts_with(['#', '|']);
        }
        self.paragraph.is_exempt |= self.is_fenced;
        self.paragraph.words += usize::from(word.contains(char::is_alphabetic));
        self.paragraph.ends_open = word.ends_with([':', '…']);
        shown.push_str(&word);
        let mentions = mentions(&word, &mut self.places);
        if mentions.is_empty() && self.names_no_file(&word) {
            self.answer.missing += 1;
            shown.push_str(" [not found]");
        }
        for Mention { path, lines } in mentions {
            for line in
                [Some(lines.start), (lines.end > lines.start).then_some(lines.end)].into_iter().flatten()
            {
                self.look_up(&path, line, shown);
            }
        }
    }

    fn look_up(&mut self, path: &str, line: usize, shown: &mut String) {
        let wrong = match self.places.look_up(path, line) {
            LookedUp::Exists(place) => {
                self.paragraph.has_place = true;
                let is_same = |it: &CitedLocation| (&it.path, it.line) == (&place.path, place.line);
                if !self.answer.places.iter().any(is_same) {
                    self.answer.places.push(place);
                }
                return;
            }
            LookedUp::NoFile => " [not found]".to_owned(),
            LookedUp::NoLine(1) => format!(" [no line {line}: it has one]"),
            LookedUp::NoLine(lines) => format!(" [no line {line}: it has {lines}]"),
            LookedUp::Several(files) => format!(" [{files} files are called so]"),
        };
        self.answer.missing += 1;
        shown.push_str(&wrong);
    }

    /// Whether a word is the path of a source file that does not exist.
    fn names_no_file(&mut self, word: &str) -> bool {
        let path = word.trim_matches(|it: char| !it.is_alphanumeric() && !"./_-".contains(it));
        let path = path.trim_end_matches(['.', '/']);
        let is_path = path.contains('/')
            && !path.contains("//")
            && !path.contains(['*', '{', '<', '$'])
            && grammar::by_path(path.as_ref()).is_some();
        is_path && !self.places.is_file(path)
    }

    fn end_paragraph(&mut self, shown: &mut String) {
        let Paragraph { words, has_place, is_exempt, ends_open } = std::mem::take(&mut self.paragraph);
        if words >= CLAIM_WORDS && !has_place && !is_exempt && !ends_open {
            self.answer.uncited_paragraphs += 1;
            shown.push_str(NO_PLACE);
        }
    }
}

/// Whether a line that begins with this word begins a new paragraph.
fn begins_block(word: &str) -> bool {
    let digits = word.trim_start_matches(|it: char| it.is_ascii_digit());
    let is_number = digits.len() < word.len() && [".", ")"].contains(&digits);
    word.starts_with(['#', '>', '|']) || ["-", "*", "+", "•"].contains(&word) || is_number
}

/// A location as written: a path, and its first and last line.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    path: String,
    lines: Range<usize>,
}

/// The locations in a word, inside any brackets.
///
/// They are written `a.rs:3`, `a.rs:3-5`, `a.rs:3:7` or `a.rs#L3`.
///
/// A path may contain brackets, so the longest known path wins.
fn mentions(word: &str, places: &mut Places) -> Vec<Mention> {
    let (mut found, mut from) = (Vec::new(), 0);
    let mut at = 0;
    while let Some(next) = word[at..].find([':', '#']).map(|it| at + it) {
        at = next + 1;
        let rest = word[next..].strip_prefix(':').or_else(|| word[next..].strip_prefix("#L"));
        let Some((lines, behind)) = rest.and_then(read_lines) else { continue };
        let before = &word[from..next];
        let starts = before.char_indices().filter(|(_, it)| "`([{<\"'*,;=|".contains(*it));
        let paths: Vec<&str> = std::iter::once(before)
            .chain(starts.map(|(at, letter)| &before[at + letter.len_utf8()..]))
            .filter(|path| !path.is_empty())
            .collect();
        let known = paths.iter().find(|path| places.is_known(path));
        let path =
            known.or_else(|| paths.last().filter(|path| looks_like_path(path) || places.is_file(path)));
        let Some(path) = path else { continue };
        found.push(Mention { path: (*path).to_owned(), lines });
        from = word.len() - behind.len();
        at = from;
    }
    found
}

/// Reads `3`, `3-5` or `3:7`; returns the lines and the rest of the text.
fn read_lines(text: &str) -> Option<(Range<usize>, &str)> {
    let number = |text: &str| -> Option<(usize, usize)> {
        let digits = text.len() - text.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        Some((text.get(..digits)?.parse().ok()?, digits))
    };
    let (first, digits) = number(text)?;
    let rest = &text[digits..];
    let last = rest.strip_prefix(['-', '–']).map(|it| it.trim_start_matches('L')).and_then(|to| {
        let (last, digits) = number(to)?;
        Some((last, &to[digits..]))
    });
    let column = rest.strip_prefix(':').and_then(|to| Some(&to[number(to)?.1..]));
    let (last, rest) = last.unwrap_or((first, column.unwrap_or(rest)));
    let goes_on = rest.starts_with(ident::is_part);
    (!goes_on).then_some((first..last, rest))
}

/// Whether this is a path rather than a time, a host or a word.
fn looks_like_path(path: &str) -> bool {
    !path.contains("//")
        && (path.contains('/') || path.starts_with('.') || grammar::by_path(path.as_ref()).is_some())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::request::AskRequest;
    use super::*;
    use crate::config::{Scoped, Settings};
    use crate::privacy::Verdict;
    use crate::workspace::Workspace;
    use expect_test::{Expect, expect};

    /// Checks an answer as shown, in one piece and character by character, followed by its locations.
    fn check(answer: &str, expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Arc::new(Workspace::default());
        for (name, text) in [
            ("src/a.rs", "fn a() {\n}\n"),
            ("src/b.rs", "fn b() {}\n"),
            ("test/b.rs", "fn b() {}\n"),
            ("app/[id]/(x)/page.tsx", "let page;\n"),
            ("notes.txt", "one\ntwo\n"),
            (".env", "KEY=1\n"),
        ] {
            workspace.read_again(0, &crate::folder::write(folder.path(), name, text));
        }
        let root = folder.path().to_owned();
        let read = |pieces: &[&str]| {
            let root = root.clone();
            let request = AskRequest {
                question: String::new(),
                gear: None,
                roots: vec![root.clone()],
                workspace: Arc::clone(&workspace),
                settings: Scoped::from(Arc::new(Settings::default())),
                open: Vec::new(),
                access: Arc::new(|path| match path.ends_with(".env") {
                    true => Verdict::Secret("it is".into()),
                    false => Verdict::Open,
                }),
                shown: Arc::new(move |path| path.strip_prefix(&root).unwrap().to_str().unwrap().into()),
                readers: crate::disk::Readers::default(),
            };
            let mut reader = Reader::new(Places::new(request));
            let mut shown: String = pieces.iter().map(|piece| reader.push(piece)).collect();
            shown += &reader.finish();
            let answer = reader.answer;
            assert_eq!(shown, answer.text, "what is shown is what is kept");
            answer
        };
        let whole = read(&[answer]);
        let letters: Vec<String> = answer.chars().map(String::from).collect();
        assert_eq!(read(&letters.iter().map(String::as_str).collect::<Vec<_>>()), whole);
        let places: String =
            whole.places.iter().map(|it| format!("\n= {}:{}: {}", it.path, it.line, it.text)).collect();
        let CheckedAnswer { text, missing, uncited_paragraphs, .. } = &whole;
        expect.assert_eq(&format!("{text}\n--{missing} {uncited_paragraphs}{places}\n"));
    }

    #[test]
    fn place_that_exists_is_shown_as_it_is() {
        check(
            "It is begun in `src/a.rs:1` (see [src/a.rs:2](src/a.rs#L2)), a.rs:1-2.",
            expect![[r#"
                It is begun in `src/a.rs:1` (see [src/a.rs:2](src/a.rs#L2)), a.rs:1-2.
                --0 0
                = src/a.rs:1: fn a() {
                = src/a.rs:2: }
            "#]],
        );
        check(
            "The page is at app/[id]/(x)/page.tsx:1:3, the note at notes.txt:2",
            expect![[r#"
                The page is at app/[id]/(x)/page.tsx:1:3, the note at notes.txt:2
                --0 0
                = app/[id]/(x)/page.tsx:1: let page;
                = notes.txt:2: two
            "#]],
        );
    }

    #[test]
    fn place_that_does_not_exist_is_said_to_be_so() {
        check(
            "One is in src/a.rs:9, one in `src/made/up.rs:3`, one in b.rs:1 and one in ../x.rs:1 or /etc/passwd:1.",
            expect![[r#"
                One is in src/a.rs:9, [no line 9: it has 2] one in `src/made/up.rs:3`, [not found] one in b.rs:1 [2 files are called so] and one in ../x.rs:1 [not found] or /etc/passwd:1. [not found] [cites no line]
                --5 1
            "#]],
        );
        check(
            "It is in src/a.rs:0 and in .env:1 and in src/gone.rs too",
            expect![[r#"
                It is in src/a.rs:0 [no line 0: it has 2] and in .env:1 [not found] and in src/gone.rs [not found] too [cites no line]
                --3 1
            "#]],
        );
    }

    #[test]
    fn paragraph_without_a_place_is_marked() {
        check(
            "## The answer in a heading\n\nThese two things are true:\n- it is fast and\n  small, src/a.rs:1\n- it is never ever wrong\n\nYes indeed.\n",
            expect![[r#"
                ## The answer in a heading

                These two things are true:
                - it is fast and
                  small, src/a.rs:1
                - it is never ever wrong [cites no line]

                Yes indeed.
                --0 1
                = src/a.rs:1: fn a() {
            "#]],
        );
        check(
            "Look at this code here, src/a.rs:1\n```rust\nlet one = two + three + four;\n```\n1. It is so because it is\n",
            expect![[r#"
                Look at this code here, src/a.rs:1
                ```rust
                let one = two + three + four;
                ```
                1. It is so because it is [cites no line]
                --0 1
                = src/a.rs:1: fn a() {
            "#]],
        );
    }

    #[test]
    fn what_is_no_place_is_left_alone() {
        check(
            "at 12:30 http://localhost:8080/a std::x:3 key:1 and/or: src/*.rs `a b`",
            expect![[r#"
                at 12:30 http://localhost:8080/a std::x:3 key:1 and/or: src/*.rs `a b` [cites no line]
                --0 1
            "#]],
        );
    }
}
