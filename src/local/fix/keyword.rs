//! A misspelt keyword, or one with a letter in the wrong case: `synchronizEd`.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::near_names::{has_same_letters, is_one_letter};
use super::other_token::has_open_quote;
use super::problem::{Problem, lines_of, quoted, unknown_name};
use super::unknown::{UNKNOWN, before_offer, says};
use crate::edit::Edit;
use crate::grammar;
use crate::local::limits::FIXED_FILE_BYTES;
use crate::local::syntax::node_at;
use crate::text::ident;

/// The minimum number of letters of a keyword and of its misspelling; shorter ones resemble each other.
const LETTERS: usize = 4;

/// Replaces the one name of the reported line that a keyword resembles, if the keyword leaves no syntax error.
///
/// A parser that takes the misspelling for a name reports it as unknown, or reports the token after it.
pub(super) fn misspelt(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let errors = file.errors()?;
    // Behind a lost quote, the words of a text are read as code.
    let start = problem.span.start.min(file.text().len_bytes());
    if file.text().len_bytes() > FIXED_FILE_BYTES || has_open_quote(file, start) {
        return None;
    }
    let line = lines_of(file, &(start..start));
    let names: Vec<(&str, usize)> = match unknown_name(file, problem) {
        // It is used only here.
        Some((name, _)) if says(&problem.said.to_lowercase(), UNKNOWN) => {
            let name = ident::names(&line).find(|it| *it == name);
            name.and_then(|name| Some((name, file.only_place_of(name)?))).into_iter().collect()
        }
        _ if errors == 0 => return None,
        _ => ident::names(&line).filter_map(|name| Some((name, file.only_place_of(name)?))).collect(),
    };
    let offered = quoted(&problem.said[before_offer(&problem.said).len()..]).next();
    let alike = names.into_iter().filter(|(name, _)| name.len() >= LETTERS).flat_map(|(name, at)| {
        let keywords = file.keywords().iter().copied();
        let keywords = keywords.filter(move |it| is_misspelling(name, it, offered == Some(*it)));
        keywords.map(move |keyword| (name, at, keyword))
    });
    let is_keyword_there = |name: &str, at: usize, keyword: &str| {
        let Some(tried) = file.tried_instead(at..at + name.len(), keyword) else { return false };
        // A word that is a keyword in some places alone is a name in the others.
        tried.syntax_errors() == Some(0) && node_at(&tried, at).is_some_and(|it| it.kind() == keyword)
    };
    let mut found = alike.filter(|(name, at, keyword)| is_keyword_there(name, *at, keyword));
    let (name, at, keyword) = found.next()?;
    if found.any(|(.., other)| other != keyword) || file.others().can_import(name) {
        return None;
    }
    let title = format!("change `{name}` to `{keyword}`");
    Some(Fix::new(Kind::MisspeltName, title, vec![Edit::new(at..at + name.len(), keyword)]))
}

/// Replaces `else if` by `elif` at the start of a reported line, where the language has that keyword.
pub(super) fn else_if(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = file.line_start(problem.span.start.min(file.text().len_bytes()));
    let line = file.slice(start..file.next_line_start(start));
    let at = start + line.len() - line.trim_start().len();
    let is_long = file.text().len_bytes() > FIXED_FILE_BYTES;
    if is_long || !line.trim_start().starts_with("else if ") || !file.keywords().contains(&"elif") {
        return None;
    }
    let span = at..at + "else if".len();
    let is_sound = file.tried_instead(span.clone(), "elif")?.syntax_errors() == Some(0);
    let fix = || Fix::new(Kind::MissingToken, "write `elif`".to_owned(), vec![Edit::new(span, "elif")]);
    is_sound.then(fix)
}

/// Whether a name is no word, and differs from a keyword by one letter between the first and the last, by two swapped
/// letters, or by the case of one letter, but not by a capital at the start, as a type has. If the tool offers the keyword,
/// any letter may be wrong.
fn is_misspelling(name: &str, keyword: &str, is_offered: bool) -> bool {
    let ends = |text: &str| (text.bytes().next(), text.bytes().next_back());
    let is_case = name.eq_ignore_ascii_case(keyword);
    // The distance takes longer to compute than all of this.
    name != keyword
        && (!name.starts_with(char::is_uppercase) || keyword.starts_with(char::is_uppercase))
        && keyword.len() >= LETTERS
        && keyword.len().abs_diff(name.len()) <= 1
        && (is_case || is_offered || ends(name) == ends(keyword) || has_same_letters(name, keyword))
        && is_one_letter(name, keyword)
        && (is_case || !grammar::is_word(name))
}
