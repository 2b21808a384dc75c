//! Ghost text at positions in real files, from answers as sloppy as models write them: the accepted text breaks no
//! code, and is indented like the file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use tandem::assist::{Assist, CompletionParams, Models, Partial};
use tandem::config::{Eagerness, Privacy, Scoped, Settings};
use tandem::document::position::Encoding;
use tandem::document::{Document, DocumentId};
use tandem::edit::trim::{CursorContext, CursorFacts, Errors, Ghost, sound};
use tandem::grammar::{self, Grammar};
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::session::Session;

use super::corpus::{Rng, SOURCES};

/// The number of positions cut in each file, in each way.
const PLACES: usize = 6;
/// Lines of a true answer.
const ANSWER: usize = 3;

/// A position in a file, and the text that was cut there.
struct Cut {
    before: String,
    gone: String,
    after: String,
}

/// The file indented with tabs.
fn with_tabs(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let unit = text.lines().map(blanks).filter(|blanks| *blanks > 1).min().unwrap_or(4);
    text.lines()
        .map(|line| format!("{}{}\n", "\t".repeat(blanks(line) / unit), line.trim_start_matches(' ')))
        .collect()
}

/// Cuts some lines, from the first letter or from the middle of the first one. Without paired brackets the rest of
/// the line is cut, too; with them the closing brackets of what the line opened stay.
fn cut(text: &str, paired: bool, rng: &mut Rng) -> Option<Cut> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = 3 + rng.below(lines.len().checked_sub(ANSWER + 6)?);
    let line = lines[at];
    let blanks = line.len() - line.trim_start().len();
    if line.trim().len() < 8 {
        return None;
    }
    let words: Vec<usize> =
        line.match_indices([' ', '(', '.']).map(|(at, _)| at + 1).filter(|at| *at > blanks).collect();
    let column = if rng.below(2) == 0 { blanks } else { *words.get(rng.below(words.len()))? };
    let count = 1 + rng.below(ANSWER);
    let gone = lines[at..at + count].concat();
    let start: usize = lines[..at].iter().map(|line| line.len()).sum();
    let mut after = text[start + gone.len()..].to_owned();
    let open = line[..column].matches('(').count().saturating_sub(line[..column].matches(')').count());
    let closers = if paired { ")".repeat(open) } else { String::new() };
    after.insert_str(0, &(closers + "\n"));
    Some(Cut { before: text[..start + column].to_owned(), gone: gone[column..].trim_end().to_owned(), after })
}

/// The answer in the ways that models write it: the way's name, and the text.
fn answers(cut: &Cut) -> Vec<(&'static str, String)> {
    let gone = &cut.gone;
    let below: String = cut.after.lines().skip(1).take(4).map(|line| format!("{line}\n")).collect();
    let line_start = cut.before.rfind('\n').map_or(0, |at| at + 1);
    let outdented: String = gone.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    vec![
        ("plain", gone.clone()),
        ("goes on into what follows", format!("{gone}\n{below}")),
        ("closes too much", format!("{gone}\n}}\n}}\n")),
        ("closes on the line", format!("{gone})}}")),
        ("indentation lost", outdented),
        ("other blanks", gone.replace("    ", "\t")),
        ("in a fence", format!("```\n{gone}\n```\n")),
        ("fence and talk", format!("```\n{gone}\n```\nThis completes the code.")),
        ("repeats the line", format!("{}{gone}", &cut.before[line_start..])),
        ("half a block", format!("{gone}\nif (ready) {{\n    work(1,\n")),
        ("stops amid a string", format!("{gone}\nlet name = \"unfin")),
        ("in a loop", format!("{gone}\n{}", "again();\n".repeat(30))),
    ]
}

fn errors(grammar: &Grammar, parts: &[&str]) -> Option<usize> {
    Document::new(DocumentId::new(""), grammar.id(), 0, &parts.concat()).syntax_errors()
}

/// Asserts that the text can be accepted: the parser finds no new error, and the lines are indented like those of the
/// file, which has tabs only, or some.
fn harmless(
    grammar: &Grammar,
    cut: &Cut,
    text: &str,
    (only_tabs, has_tabs): (bool, bool),
    known: usize,
    what: &str,
) {
    let now = errors(grammar, &[&cut.before, text, &cut.after]).unwrap();
    let (before, after) = (&cut.before, &cut.after);
    let start = before.char_indices().rev().nth(200).map_or(0, |(at, _)| at);
    let end = after.char_indices().nth(80).map_or(after.len(), |(at, _)| at);
    let what = || format!("{what}\n{}⟦{text}⟧{}", &before[start..], &after[..end]);
    assert!(now <= known, "{now} errors after {known}: {}", what());
    let own = |line: &str| !only_tabs || !line.starts_with("    ");
    assert!(text.lines().skip(1).all(own), "blanks in a file with tabs: {}", what());
    let own = |line: &str| has_tabs || !line.starts_with('\t');
    assert!(text.lines().skip(1).all(own), "tabs in a file with blanks: {}", what());
}

/// A model that gives this reply, a few letters at a time.
struct Says(String);

impl Model for Says {
    fn name(&self) -> String {
        "says".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let letters: Vec<char> = self.0.chars().collect();
        let pieces: Vec<_> = letters.chunks(5).map(|it| Ok(Chunk::Text(it.iter().collect()))).collect();
        stream::iter(pieces.into_iter().chain([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

/// The same through the whole path of a request: window, stream, early display, parser.
#[tokio::test]
async fn ghost_text_on_its_whole_way_breaks_no_code() {
    let mut rng = Rng::new(11);
    let (mut places, mut shown, mut asked, mut early) = (0, 0, 0, 0);
    let id = DocumentId::new("file:///no-such-folder/cut");
    for (path, text) in SOURCES {
        let grammar = grammar::by_path(Path::new(path)).unwrap();
        let plain: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('^'))
            .map(|line| format!("{line}\n"))
            .collect();
        for (tabs, paired) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = if tabs { with_tabs(&plain) } else { plain.clone() };
            let cuts = std::iter::repeat_with(|| cut(&text, paired, &mut rng)).take(60).flatten();
            for cut in cuts.take(4) {
                places += 1;
                let known = errors(grammar, &[&cut.before, &cut.after]).unwrap();
                let settings = Scoped::from(Arc::new(Settings::default()));
                let mut session = Session::new(Encoding::Utf8, Vec::new(), settings);
                session.open(id.clone(), grammar.id(), 0, &[cut.before.as_str(), &cut.after].concat(), path);
                let snapshot = session.snapshot(&id).unwrap();
                // A third of the ways at each position, to save time.
                let ways = answers(&cut).into_iter().enumerate().skip(places % 3).step_by(3);
                for (at, (way, answer)) in ways {
                    asked += 1;
                    let fast = Arc::new(Says(answer)) as Arc<dyn Model>;
                    let assist = Assist::new(Models { fast: Some(fast), deep: None }, &Privacy::default());
                    let knobs = [Eagerness::Low, Eagerness::Medium, Eagerness::High];
                    let params = CompletionParams {
                        cursor: cut.before.len(),
                        eagerness: knobs[at / 3 % 3],
                        variant: 0,
                        invoked: true,
                        not_before: None,
                    };
                    // Text that could be shown before the end counts, too.
                    let mut texts: Vec<String> = Vec::new();
                    let mut progress = |Partial { ready, .. }: Partial<'_>| {
                        if !ready.is_empty() && texts.last().is_none_or(|last| last != ready) {
                            texts.push(ready.to_owned());
                        }
                        ControlFlow::Continue(())
                    };
                    let done = assist.complete(&snapshot, params, &mut progress).await;
                    early += usize::from(!texts.is_empty());
                    if let Ok((suggestion, _)) = done {
                        shown += 1;
                        texts.extend([suggestion.text[..suggestion.shown].to_owned(), suggestion.text]);
                    }
                    for text in texts {
                        let has_tabs = tabs || plain.contains("\n\t");
                        harmless(grammar, &cut, &text, (tabs, has_tabs), known, &format!("{path}, {way}"));
                    }
                }
            }
        }
    }
    assert!(places >= 200, "{places} places");
    assert!(shown * 10 >= asked * 7 && early * 5 >= asked, "{shown} and early {early} of {asked} were shown");
}

#[test]
fn accepted_ghost_text_breaks_no_code() {
    let mut rng = Rng::new(7);
    let (mut places, mut shown, mut asked) = (0, 0, 0);
    let mut languages = BTreeMap::new();
    let mut ways: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (path, text) in SOURCES {
        let grammar = grammar::by_path(Path::new(path)).unwrap();
        let plain: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('^'))
            .map(|line| format!("{line}\n"))
            .collect();
        for (tabs, paired) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = if tabs { with_tabs(&plain) } else { plain.clone() };
            let cuts = std::iter::repeat_with(|| cut(&text, paired, &mut rng)).take(60).flatten();
            for cut in cuts.take(PLACES) {
                places += 1;
                *languages.entry(grammar.id()).or_insert(0) += 1;
                let place = CursorContext {
                    before: &cut.before,
                    after: &cut.after,
                    grammar: Some(grammar),
                    max_lines: 8,
                    facts: &CursorFacts::default(),
                };
                let known = errors(grammar, &[&cut.before, &cut.after]).unwrap();
                for (way, answer) in answers(&cut) {
                    asked += 1;
                    let mut ghost = Ghost::new(place);
                    if ghost.push(&answer).is_continue() {
                        assert!(ghost.push("").is_continue());
                    }
                    let mut count = |text: &str| {
                        let (at, whole) = (cut.before.len(), [&*cut.before, text, &cut.after].concat());
                        let document = Document::new(DocumentId::new(""), grammar.id(), 0, &whole);
                        let (all, inside) = document.syntax_errors_in(&(at..at + text.len()), true)?;
                        Some(Errors { all, inside })
                    };
                    let Ok(text) = ghost.finish(true).and_then(|text| sound(place, text, &mut count)) else {
                        ways.entry(way).or_default().1 += 1;
                        continue;
                    };
                    if text.is_empty() {
                        continue;
                    }
                    shown += 1;
                    ways.entry(way).or_default().0 += 1;
                    let has_tabs = tabs || plain.contains("\n\t");
                    harmless(grammar, &cut, &text, (tabs, has_tabs), known, &format!("{path}, {way}"));
                }
            }
        }
    }
    assert!(places >= 200 && languages.len() >= 6, "{places} places, {languages:?}");
    // Refusing everything would pass otherwise.
    assert!(shown * 10 >= asked * 7, "only {shown} of {asked} were shown: {ways:?}");
}
