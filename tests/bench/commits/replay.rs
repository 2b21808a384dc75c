//! Replays one commit, hunk by hunk, in a session.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tandem::assist::{Assist, Models, NextEditParams, SuggestedEdit};
use tandem::config::{Eagerness, Privacy, Settings};
use tandem::document::position::{Encoding, position_at};
use tandem::document::{Change as Typed, DocumentId};
use tandem::edit::Edit;
use tandem::grammar;
use tandem::session::Session;
use tandem::session::ghost::Source;
use tandem::session::next_edit::NextEdit;

use crate::figures::Figures;
use crate::git::{Changed, Commit};
use crate::hunks::{self, Change, Hunk};
use crate::judge::{self, Verdict};

/// Maximum size of a file in bytes, before and after the commit.
const FILE_BYTES: usize = 256 * 1024;
/// Maximum number of hunks of a commit: larger commits are machine-made.
const HUNKS: usize = 150;
/// Other open files that are searched for a next edit, as in the server.
const SEARCHED_FILES: usize = 16;
/// Maximum number of offers after one hunk.
const OFFERS: usize = 200;
/// The time between two hunks, long enough to keep them separate edits; and the time before an offer is accepted.
const NEXT_HUNK: Duration = Duration::from_secs(3);
const ACCEPT: Duration = Duration::from_millis(500);

/// A file of the commit.
struct File {
    id: DocumentId,
    language: String,
    /// The file's text in the commit.
    target: String,
    /// The hunks of the commit.
    hunks: Vec<Repeating>,
    /// The typed parts, as byte ranges of the target.
    typed: Vec<Range<usize>>,
}

/// A hunk of the commit, and the earlier changes that it repeats.
struct Repeating {
    hunk: Hunk,
    /// The kind of change, if earlier hunks made all of it, and the number of these hunks.
    class: Option<(&'static str, usize)>,
    /// The text to print for `--show`.
    shown: String,
}

pub(crate) struct Replay<'a> {
    commit: &'a str,
    show: &'a str,
    session: Session,
    assist: Assist,
    files: Vec<File>,
    version: i32,
    now: Instant,
    number: u64,
    /// The reason of each offer, by the first id of its search.
    rules: BTreeMap<u64, String>,
    figures: Figures,
}

impl<'a> Replay<'a> {
    /// `None` if there is nothing to predict: the commit has one hunk of code.
    pub(crate) fn new(commit: &'a Commit, show: &'a str) -> Option<Self> {
        let settings: Arc<Settings> = Arc::default();
        let mut session = Session::new(Encoding::Utf8, Vec::new(), settings);
        let mut files = Vec::new();
        let mut seen = BTreeMap::new();
        for Changed { old, new } in &commit.files {
            let (Some((path, before)), Some((new_path, after))) = (old, new) else { continue };
            let Some(grammar) = grammar::by_path(Path::new(path)) else { continue };
            if path != new_path || before.len().max(after.len()) > FILE_BYTES || grammar.is_prose() {
                continue;
            }
            let id = DocumentId::new(&format!("file:///work/{path}"));
            session.open(id.clone(), grammar.id(), 0, before, path.as_str());
            let hunks = hunks::hunks(before, after);
            let hunks = hunks.into_iter().map(|hunk| repeating(&hunk, before, after, &mut seen));
            let hunks = hunks.collect();
            let language = grammar.id().to_owned();
            files.push(File { id, language, target: after.clone(), hunks, typed: Vec::new() });
        }
        let count: usize = files.iter().map(|file| file.hunks.len()).sum();
        let assist = Assist::new(Models::default(), &Privacy::default());
        let (version, now, number, figures) = (0, Instant::now(), 0, Figures::default());
        (2..=HUNKS).contains(&count).then_some(Self {
            commit: &commit.hash,
            show,
            session,
            assist,
            files,
            version,
            now,
            number,
            rules: BTreeMap::new(),
            figures,
        })
    }

    /// Types the commit. Returns the language of its first file, and the counts.
    pub(crate) async fn run(mut self) -> (String, Figures) {
        for file in 0..self.files.len() {
            let mut from = 0;
            loop {
                let text = self.text(file);
                let left = hunks::hunks(&text, &self.files[file].target);
                let Some(next) = left.iter().find(|hunk| hunk.old.start >= from).or(left.first()) else {
                    break;
                };
                let new = self.files[file].target[next.new.clone()].to_owned();
                from = next.old.start + new.len();
                self.files[file].typed.push(next.new.clone());
                self.now += NEXT_HUNK;
                self.change(file, &narrowed(&text, next.old.clone(), &new));
                self.follow(file, from).await;
            }
        }
        self.count();
        (self.files[0].language.clone(), self.figures)
    }

    fn text(&self, file: usize) -> String {
        self.session.tracked(&self.files[file].id).unwrap().document().text().to_string()
    }

    fn change(&mut self, file: usize, edit: &Edit) {
        let id = self.files[file].id.clone();
        let document = Arc::clone(self.session.tracked(&id).unwrap().document());
        let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
        let range = Some(position(edit.span.start)..position(edit.span.end));
        self.version += 1;
        let typed = Typed { range, text: edit.text.clone() };
        self.session.change(&id, Some(self.version), &[typed], self.now);
    }

    /// Accepts offers until there is none, or until the commit does not have one.
    async fn follow(&mut self, file: usize, cursor: usize) {
        let (mut file, mut cursor) = (file, cursor);
        for _ in 0..OFFERS {
            if self.session.ends_in_undo(&self.files[file].id) {
                return;
            }
            let Some((place, next)) = self.offer(file, cursor).await else { return };
            let (text, target) = (self.text(place), &self.files[place].target);
            let verdict = judge::verdict(&text, target, &next.edit);
            let is_right = verdict != Verdict::Wrong;
            self.figures.count(&self.rule(next.id), verdict);
            self.show_offer(place, &text, &next, verdict);
            let id = self.files[place].id.clone();
            if !is_right {
                self.session.feedback().reject(next.id, self.now);
                return;
            }
            self.now += ACCEPT;
            self.change(place, &next.edit);
            self.session.feedback().accept(next.id, self.now);
            assert_eq!(id, self.files[place].id);
            (file, cursor) = (place, next.edit.span.start + next.edit.text.len());
        }
    }

    /// The edit that is shown, and its file.
    async fn offer(&mut self, file: usize, cursor: usize) -> Option<(usize, NextEdit)> {
        if let Some(queued) = self.queued(file) {
            return Some(queued);
        }
        let id = self.files[file].id.clone();
        let params = NextEditParams {
            snapshot: self.session.snapshot(&id).ok()?,
            cursor,
            recent_edits: self.session.recent_edits(&id),
            withheld: Vec::new(),
            diagnostics: Vec::new(),
            eagerness: Eagerness::Medium,
            is_invoked: false,
            other_files: self.session.other_snapshots(&id, SEARCHED_FILES),
            unopened: None,
        };
        let first = self.number + 1;
        let (session, number) = (&mut self.session, &mut self.number);
        let mut append = false;
        let found = |edits: Vec<SuggestedEdit>| {
            let Some(document) = edits.first().map(|it| Arc::clone(&it.document)) else { return false };
            let edits = edits.into_iter().map(|it| {
                *number += 1;
                let source = Source { gear: it.gear.to_string(), model: None };
                NextEdit {
                    id: *number,
                    edit: it.edit,
                    old: it.old,
                    repeats: it.repeats,
                    rename: it.rename,
                    source,
                }
            });
            session.next_edits(document.id()).unwrap().queue(&document, edits.collect(), append);
            append = true;
            let has_edit = session.next_edit(document.id()).is_some();
            if has_edit && *document.id() != id {
                session.next_edits(&id).unwrap().lead_to(document.id());
            }
            has_edit
        };
        // The reason for an empty answer is irrelevant here.
        if let Ok((origin, _)) = self.assist.next_edit(Arc::new(params), found).await {
            self.rules.insert(first, origin.reason.into_owned());
        }
        self.session.keep_tree(&id, std::time::Instant::now());
        self.queued(file)
    }

    fn queued(&self, file: usize) -> Option<(usize, NextEdit)> {
        let id = &self.files[file].id;
        let own = self.session.next_edit(id).map(|next| (id, next));
        let (id, next) = own.or_else(|| {
            let other = self.session.next_edit_in_other_file(id)?;
            Some((other, self.session.next_edit(other)?))
        })?;
        let place = self.files.iter().position(|file| file.id == *id)?;
        Some((place, next.clone()))
    }

    /// The reason of an offer.
    fn rule(&self, id: u64) -> String {
        self.rules.range(..=id).next_back().map_or_else(String::new, |(_, rule)| rule.clone())
    }

    fn show_offer(&self, place: usize, text: &str, next: &NextEdit, verdict: Verdict) {
        let word = verdict.word();
        if self.show != word {
            return;
        }
        let edit = &next.edit;
        let rule = self.rule(next.id);
        let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[edit.span.end..].find('\n').map_or(text.len(), |at| edit.span.end + at);
        println!(
            "{word}, {rule}: {} {}\n  {}«{}|{}»{}",
            self.commit,
            self.files[place].id,
            &text[start..edit.span.start],
            &text[edit.span.clone()],
            edit.text,
            &text[edit.span.end..end],
        );
        let target = &self.files[place].target;
        for hunk in hunks::hunks(text, target) {
            if hunk.old.start <= edit.span.end && edit.span.start <= hunk.old.end {
                print!("{}", marked("<", &text[hunk.old]) + &marked(">", &target[hunk.new]));
            }
        }
        let steps = self.session.recent_edits(&self.files[place].id);
        for step in steps.iter().rev().take(6) {
            println!(
                "  after{} -{}  +{}",
                if step.is_accepted { " accepted" } else { "" },
                step.old,
                step.new
            );
        }
    }

    /// Updates the counts by the hunks of all files.
    fn count(&mut self) {
        let figures = &mut self.figures;
        figures.commits += 1;
        for file in &self.files {
            for it in &file.hunks {
                let (new, touches) = (&it.hunk.new, |typed: &Range<usize>| {
                    typed.start <= it.hunk.new.end && it.hunk.new.start <= typed.end
                });
                // Pure deletions have no bytes in the target.
                let overlaps = |typed: &Range<usize>| match new.is_empty() || typed.is_empty() {
                    true => touches(typed),
                    false => typed.start < new.end && new.start < typed.end,
                };
                let offered = usize::from(!file.typed.iter().any(overlaps));
                figures.hunks += 1;
                figures.offered += offered;
                let Some((class, times)) = it.class else { continue };
                let before =
                    if times == 1 { "what was done once before" } else { "what was done more often" };
                for repeated in
                    [figures.repeated.entry(class).or_default(), figures.before.entry(before).or_default()]
                {
                    repeated.all += 1;
                    repeated.offered += offered;
                }
                if offered == 0 && self.show == "missed" {
                    println!("missed, {class}, {times} before: {} {}\n{}", self.commit, file.id, it.shown);
                }
            }
        }
    }
}

/// Looks up the changes of a hunk among the earlier ones in `seen`.
fn repeating(hunk: &Hunk, before: &str, after: &str, seen: &mut BTreeMap<Change, usize>) -> Repeating {
    let (old, new) = (&before[hunk.old.clone()], &after[hunk.new.clone()]);
    let changes = hunks::changes(old, new);
    let says_something = |text: &str| text.contains(char::is_alphabetic);
    let repeats = !changes.is_empty()
        && changes.iter().all(|change| seen.contains_key(change))
        && changes.iter().any(|change| says_something(&change.old) || says_something(&change.new));
    let times = changes.iter().filter_map(|change| seen.get(change)).min();
    let class = times.filter(|_| repeats).map(|times| (class(&changes, old, new), *times));
    for change in changes.into_iter().collect::<BTreeSet<_>>() {
        *seen.entry(change).or_default() += 1;
    }
    Repeating { hunk: hunk.clone(), class, shown: marked("-", old) + &marked("+", new) }
}

fn marked(sign: &str, text: &str) -> String {
    text.lines().map(|line| format!("  {sign}{line}\n")).collect()
}

/// The kind of change of a hunk.
fn class(changes: &[Change], old: &str, new: &str) -> &'static str {
    let is_word = |text: &str| hunks::tokens(text).len() == 1;
    match changes {
        _ if old.is_empty() => "lines added",
        _ if new.is_empty() => "lines removed",
        [one] if is_word(&one.old) && is_word(&one.new) => "a word for another",
        [one] if one.old.is_empty() => "words added",
        [one] if one.new.is_empty() => "words removed",
        [_] => "words for others",
        _ if changes.windows(2).all(|pair| pair[0] == pair[1]) => "the same several times",
        _ => "several changes",
    }
}

/// Shrinks a replacement of whole lines to the part that differs.
fn narrowed(text: &str, span: Range<usize>, new: &str) -> Edit {
    let old = &text[span.clone()];
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let bytes = |pair: (char, char)| pair.0.len_utf8();
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(bytes).sum();
    let (rest, new) = (&old[head..], &new[head..]);
    let tail: usize = rest.chars().rev().zip(new.chars().rev()).take_while(same).map(bytes).sum();
    Edit::new(span.start + head..span.end - tail, &new[..new.len() - tail])
}
