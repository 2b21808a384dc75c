//! Turns a reply about several files into an [`EditSet`], or refuses all of it. No I/O: files stand behind [`Files`].
//!
//! * **A file is planned once, by its identity.** Two names of one file (a link, another spelling on a disk that
//!   ignores case) in one reply are a conflict, since the second edit would be made from a text that is no more.
//! * **A path is judged where it really leads.** Whether it lies below the root, in `.git`, or holds secrets is asked
//!   of the path once links are followed and prefixes healed, and for every operation alike.
//! * **All or nothing.** The first file that cannot be planned refuses the whole reply.

mod git_folder;

use std::collections::HashMap;

use super::edit_set::{Base, Change, EditSet, FileEdit};
use super::guard::{self, Checks};
use super::reply::{self, FileChange, FilesReply, Flag, Operation, WholeLines};
use super::{Edit, Refusal, line};
use crate::document::{Document, DocumentId};
use crate::grammar;
use crate::privacy::Verdict;

/// Distinguishes the files of one [`Files`]: equal for two names of the same file, a hard link's included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub u64, pub u64);

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a socket, a device.
    Other,
}

/// Something that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root once all links are followed, with `/` between its parts; empty for the root itself.
    pub real: String,
    /// What it is.
    pub kind: Kind,
    /// Which file it is.
    pub identity: Identity,
    /// Whether the asked path is itself a link to it.
    pub is_link: bool,
}

/// The files below a root: a folder on disk, or documents that an editor has open.
pub trait Files {
    /// Why a look at the files failed.
    type Error: From<Refusal>;

    /// Looks at what a path below the root leads to; `None` if nothing has that name. The empty path is the root.
    ///
    /// # Errors
    ///
    /// [`Refusal::OutsideRoot`] for a path that links lead out of the root or nowhere, and failures to look.
    fn entry(&self, path: &str) -> Result<Option<Entry>, Self::Error>;

    /// Reads a regular file. Another kind is never opened.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotText`], [`Refusal::TooLarge`], and failures to read.
    fn open(&self, entry: &Entry) -> Result<Base, Self::Error>;
}

/// What a plan may do.
#[derive(Clone, Copy)]
pub struct Permissions<'a> {
    /// Judges a real path.
    pub access: &'a dyn Fn(&str) -> Verdict,
    /// Whether new text may bring in characters that cannot be seen.
    pub allow_invisible: bool,
}

/// Works out what becomes of every file that a reply is about.
///
/// # Errors
///
/// The first [`Refusal`] of a file, or a failure to read one.
pub fn plan<F: Files>(reply: &str, files: &F, permissions: Permissions<'_>) -> Result<EditSet, F::Error> {
    let names_file = |path: &str| {
        let below = reply::below_root(path, |path| is_there(files, path));
        let entry = below.and_then(|path| files.entry(&path).ok().flatten());
        entry.is_some_and(|entry| entry.kind == Kind::File)
    };
    let FilesReply { changes, quotes } = reply::files(reply, &names_file)?;
    let whole_lines = WholeLines::of(&changes);
    let mut planner =
        Planner { files, permissions, whole_lines, claimed: HashMap::new(), planned: Vec::new() };
    for (number, change) in changes.into_iter().enumerate() {
        planner.add(number, change)?;
    }
    let set = EditSet::of_distinct(planner.planned);
    if !quotes.iter().all(|quote| is_quoted(quote, &set)) {
        return Err(reply::nameless().into());
    }
    Ok(set)
}

/// Whether lines stand together in a file of the set, before or afterwards.
fn is_quoted(quote: &str, set: &EditSet) -> bool {
    let visible = |text: &str| -> Vec<String> {
        line::split_iter(text).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let wanted = visible(quote);
    let has = |text: &str| visible(text).windows(wanted.len()).any(|lines| lines == wanted);
    let stands =
        |file: &FileEdit| file.old_text().is_some_and(has) || file.new_text().is_some_and(|it| has(&it));
    wanted.is_empty() || set.files().iter().any(stands)
}

fn is_there<F: Files>(files: &F, path: &str) -> bool {
    matches!(files.entry(path), Ok(Some(_)))
}

/// What tells one place for a file from another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// A file that is there.
    Known(Identity),
    /// A file to come, by its real path as a disk that ignores case would have it.
    New(String),
}

/// A stated path, and where it leads.
struct Place {
    real: String,
    entry: Option<Entry>,
}

impl Place {
    fn key(&self) -> Key {
        match &self.entry {
            Some(entry) => Key::Known(entry.identity),
            None => Key::New(git_folder::folded(&self.real)),
        }
    }
}

struct Planner<'a, F> {
    files: &'a F,
    permissions: Permissions<'a>,
    whole_lines: WholeLines,
    /// The places that the reply has spoken of, each with the path that it stated first.
    claimed: HashMap<Key, String>,
    planned: Vec<FileEdit>,
}

impl<F: Files> Planner<'_, F> {
    fn add(&mut self, number: usize, change: FileChange) -> Result<(), F::Error> {
        let stated = change.path.as_str();
        let place = self.place(stated)?;
        self.claim(stated, &place)?;
        let (path, change, flags) = match (change.operation, place.entry) {
            (Operation::Create(_), Some(_)) => {
                return Err(operation(format!("create `{stated}`, which is there already")).into());
            }
            (Operation::Create(text), None) => self.create(place.real, text)?,
            (Operation::Write(whole), None) => self.create(place.real, whole.new_file()?)?,
            (Operation::Edit { blocks, move_to: None }, None) => match blocks.new_file()? {
                Some(text) => self.create(place.real, text)?,
                None => return Err(Refusal::OtherFile { path: stated.to_owned() }.into()),
            },
            (Operation::Edit { .. } | Operation::Delete(_), None) => {
                return Err(Refusal::OtherFile { path: stated.to_owned() }.into());
            }
            (Operation::Write(whole), Some(entry)) => {
                let base = self.open(stated, &entry)?;
                let is_elsewhere = |line: &str| self.whole_lines.are_beside(number, line);
                let edits = whole.edits(&base.text, &is_elsewhere)?;
                let flags = self.check(&entry.real, &base.text, &edits, true)?;
                (entry.real, Change::Edit { base, edits }, flags)
            }
            (Operation::Delete(shown), Some(entry)) => {
                not_a_link(stated, &entry, "delete")?;
                let base = self.open(stated, &entry)?;
                shown.place(&base.text, grammar::by_path(entry.real.as_ref()))?;
                (entry.real, Change::Delete { base }, Vec::new())
            }
            (Operation::Edit { blocks, move_to }, Some(entry)) => {
                let base = self.open(stated, &entry)?;
                let edits = blocks.place(&base.text, grammar::by_path(entry.real.as_ref()))?;
                let flags = self.check(&entry.real, &base.text, &edits, false)?;
                match move_to.filter(|to| to != stated) {
                    None => (entry.real, Change::Edit { base, edits }, flags),
                    Some(to) => {
                        not_a_link(stated, &entry, "move")?;
                        let goal = self.place(&to)?;
                        if goal.entry.is_some() {
                            return Err(operation(format!("move `{stated}` over `{to}`")).into());
                        }
                        self.claim(&to, &goal)?;
                        (entry.real, Change::Rename { base, edits, to: goal.real }, flags)
                    }
                }
            }
        };
        self.planned.push(FileEdit { path, change, flags });
        Ok(())
    }

    /// Where a stated path leads, if that is a place where files may change.
    fn place(&self, stated: &str) -> Result<Place, F::Error> {
        let outside = || Refusal::OutsideRoot { path: stated.to_owned() };
        let below = reply::below_root(stated, |path| is_there(self.files, path)).ok_or_else(outside)?;
        let entry = self.files.entry(&below)?;
        let real = match &entry {
            Some(entry) => entry.real.clone(),
            None => self.real_of_new(stated, &below)?,
        };
        if real.is_empty() {
            return Err(outside().into());
        }
        for path in [&below, &real] {
            if path.split('/').any(git_folder::is_one) {
                let why = "it belongs to version control".to_owned();
                return Err(Refusal::Protected { path: stated.to_owned(), why }.into());
            }
            if let Verdict::Secret(why) = (self.permissions.access)(path) {
                return Err(Refusal::Protected { path: stated.to_owned(), why: why.to_string() }.into());
            }
        }
        Ok(Place { real, entry })
    }

    /// The real path of a file that is not there: below the nearest folder that is.
    fn real_of_new(&self, stated: &str, below: &str) -> Result<String, F::Error> {
        let mut above = below;
        loop {
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
            let Some(entry) = self.files.entry(above)? else {
                if above.is_empty() {
                    return Err(Refusal::OutsideRoot { path: stated.to_owned() }.into());
                }
                continue;
            };
            if entry.kind != Kind::Folder {
                return Err(operation(format!("make `{stated}` below the file `{above}`")).into());
            }
            let rest = below[above.len()..].trim_start_matches('/');
            let joint = if entry.real.is_empty() { "" } else { "/" };
            return Ok(format!("{}{joint}{rest}", entry.real));
        }
    }

    /// Notes that the reply speaks of a place.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if it did so before, under whatever name, or needs a file to be a folder.
    fn claim(&mut self, stated: &str, place: &Place) -> Result<(), Refusal> {
        let key = place.key();
        if let Some(first) = self.claimed.get(&key) {
            let detail = match first == stated {
                true => format!("it wants two things of `{stated}`"),
                false => format!("`{first}` and `{stated}` are the same file"),
            };
            return Err(Refusal::Malformed { detail });
        }
        if let Key::New(path) = &key {
            let below = |path: &str, folder: &str| {
                path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
            };
            let clash = self.claimed.iter().find(
                |(other, _)| matches!(other, Key::New(other) if below(path, other) || below(other, path)),
            );
            if let Some((_, other)) = clash {
                return Err(operation(format!("make one of `{other}` and `{stated}` below the other")));
            }
        }
        self.claimed.insert(key, stated.to_owned());
        Ok(())
    }

    fn open(&self, stated: &str, entry: &Entry) -> Result<Base, F::Error> {
        match entry.kind {
            Kind::File => self.files.open(entry),
            Kind::Folder => Err(operation(format!("change `{stated}`, which is a folder")).into()),
            Kind::Other => {
                let why = "it is not a regular file".to_owned();
                Err(Refusal::Protected { path: stated.to_owned(), why }.into())
            }
        }
    }

    /// Runs the guards over the edits of a file, which the reply may have as a whole.
    fn check(&self, path: &str, before: &str, edits: &[Edit], is_whole: bool) -> Result<Vec<Flag>, Refusal> {
        let checks = Checks {
            before,
            grammar: grammar::by_path(path.as_ref()),
            // A reply says itself what it wants, so a change of blanks is taken at its word.
            blanks_count: true,
            allow_invisible: self.permissions.allow_invisible,
            is_whole,
            ..Checks::default()
        };
        guard::check(&checks, edits)
    }

    fn create(&self, path: String, text: String) -> Result<(String, Change, Vec<Flag>), Refusal> {
        let flags = check_new(&path, &text, self.permissions.allow_invisible)?;
        Ok((path, Change::Create { text }, flags))
    }
}

/// Runs the guards over a new file. Its syntax is only flagged, since there is no text before to compare it with.
fn check_new(path: &str, text: &str, allow_invisible: bool) -> Result<Vec<Flag>, Refusal> {
    let grammar = grammar::by_path(path.as_ref());
    guard::elision("", text)?;
    guard::marker(grammar, "", text)?;
    guard::check_new(text, allow_invisible)?;
    let document = grammar.map(|grammar| Document::new(DocumentId::new(path), grammar.id(), 0, text));
    let errors = document.and_then(|document| guard::syntax_errors(&document)).unwrap_or(0);
    Ok(if errors > 0 { vec![Flag::Syntax] } else { Vec::new() })
}

/// To delete or move a link would do so to the file behind it.
fn not_a_link(stated: &str, entry: &Entry, what: &str) -> Result<(), Refusal> {
    if entry.is_link { Err(operation(format!("{what} `{stated}`, which is a link"))) } else { Ok(()) }
}

fn operation(detail: String) -> Refusal {
    Refusal::FileOperation { detail }
}

#[cfg(test)]
mod tests;
