//! Turns a reply about several files into an [`EditSet`], or refuses all of it.
//!
//! No I/O: file access goes through [`Files`].
//!
//! * **A file is planned once, by its identity.** Two names of one file (a link, another spelling on a
//!   case-insensitive disk) in one reply are a conflict, since the second edit would be made from outdated
//!   text.
//! * **A path is judged by where it leads.** Whether it lies below the root, in `.git`, or holds secrets is
//!   checked after links are followed and prefixes fixed, and for every operation alike.
//! * **A new name is legible.** A name with invisible characters, or ones that change the text direction, is
//!   not one that a user agreed to.
//! * **All or nothing.** The first file that cannot be planned refuses the whole reply.

mod claims;
mod files;
mod git_folder;
mod new_file;

use std::collections::{HashMap, HashSet};

use super::accept::accept_definitions;
use super::check::{self, Asked, CheckContext, Form};
use super::edit_set::{Base, Change, EditSet, FileEdit};
use super::lone_definition::Types;
use super::normalize::recipe;
use super::parse::{self, Blocks, FileChange, FilesReply, Operation, QuotedFile, WholeFile, WholeLines};
use super::{Edit, Flag, Refusal, Request, apply, diff, line};
use crate::document::{Document, DocumentId};
use crate::grammar::{self, Grammar};
use crate::privacy::Verdict;
use crate::text::occurrences::occurrences;
use claims::is_there;
pub use claims::{Claims, ResolvedPath};
pub use files::{Entry, Files, Identity, Kind};
pub use git_folder::is_dot_git as is_git_folder;
use new_file::{are_versions, not_a_part};

/// The permissions of a plan.
#[derive(Clone, Copy)]
pub struct Permissions<'a> {
    /// Judges a real path.
    pub access: &'a dyn Fn(&str) -> Verdict,
    /// What the model was asked to do: it decides which definitions a whole file may leave out. Empty if unknown.
    pub instruction: &'a str,
    /// Whether new text may contain invisible characters.
    pub allow_invisible: bool,
}

/// Plans the change of every file that a reply is about.
///
/// # Errors
///
/// The first [`Refusal`] of a file, or a failure to read one.
pub fn plan<F: Files + ?Sized>(
    reply: &str,
    files: &F,
    permissions: Permissions<'_>,
) -> Result<EditSet, F::Error> {
    let names_file = |path: &str| {
        let below = parse::below_root(path, files.root_path(), |path| is_there(files, path));
        let entry = below.and_then(|path| files.entry(&path).ok().flatten());
        entry.is_some_and(|entry| entry.kind == Kind::File)
    };
    let FilesReply { changes, quotes, behind } = parse::files(reply, &names_file)?;
    let whole_lines = WholeLines::of(&changes);
    let mut planner = Planner::new(files, permissions);
    planner.stated = changes.iter().map(|it| it.path.clone()).collect();
    for (number, change) in changes.into_iter().enumerate() {
        let is_elsewhere = |line: &str| whole_lines.are_beside(number, line);
        planner.add(change, reply, &is_elsewhere)?;
    }
    planner.add_moves()?;
    let set = EditSet::of_distinct(planner.planned);
    if !quotes.iter().all(|quote| is_quoted(quote, &set)) {
        return Err(parse::nameless().into());
    }
    if behind.is_empty() {
        return Ok(set);
    }
    let texts: Vec<_> = set
        .files()
        .iter()
        .map(|file| (file.old_text().unwrap_or_default(), file.new_text().unwrap_or_default()))
        .collect();
    let files: Vec<QuotedFile<'_>> = texts.iter().map(|(old, new)| QuotedFile::new(old, new)).collect();
    // It is a quotation if it is one of any file.
    let unread = behind.iter().find(|quote| files.iter().all(|file| file.is_changed_by(quote)));
    unread.map_or(Ok(()), |quote| Err(quote.refusal()))?;
    Ok(set)
}

/// Whether the quoted lines occur together in a file of the set, before or after its change.
fn is_quoted(quote: &str, set: &EditSet) -> bool {
    let visible = |text: &str| -> Vec<String> {
        line::split_iter(text).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let wanted = visible(quote);
    let has = |text: &str| !occurrences(&visible(text), &wanted).is_empty();
    let stands =
        |file: &FileEdit| file.old_text().is_some_and(has) || file.new_text().is_some_and(|it| has(&it));
    wanted.is_empty() || set.files().iter().any(stands)
}

/// Combines changes that were made one by one, each from its file's text alone.
///
/// As for a reply, every path is judged, every file is compared with its base, and every text is checked.
///
/// # Errors
///
/// The first [`Refusal`] of a file, [`Refusal::Changed`] among them, or a failure to read one.
pub fn assemble<F: Files + ?Sized>(
    changes: Vec<FileEdit>,
    files: &F,
    permissions: Permissions<'_>,
) -> Result<EditSet, F::Error> {
    let mut planner = Planner::new(files, permissions);
    for change in changes {
        planner.adopt(change)?;
    }
    Ok(EditSet::of_distinct(planner.planned))
}

struct Planner<'a, F: ?Sized> {
    claims: Claims<'a, F>,
    instruction: &'a str,
    allow_invisible: bool,
    /// The paths that the reply states.
    stated: HashSet<String>,
    planned: Vec<FileEdit>,
    /// Renames, kept until all of them are known: one file may take the path of another.
    moves: Vec<Move>,
}

/// A planned rename.
struct Move {
    stated: String,
    entry: Entry,
    base: Base,
    edits: Vec<Edit>,
    flags: Vec<Flag>,
    to: String,
}

impl<'a, F: Files + ?Sized> Planner<'a, F> {
    fn new(files: &'a F, permissions: Permissions<'a>) -> Self {
        let Permissions { access, instruction, allow_invisible } = permissions;
        let claims = Claims::new(files, access);
        let (stated, planned, moves) = (HashSet::new(), Vec::new(), Vec::new());
        Self { claims, instruction, allow_invisible, stated, planned, moves }
    }

    /// Adopts a change that was made elsewhere.
    fn adopt(&mut self, file: FileEdit) -> Result<(), F::Error> {
        let FileEdit { path: stated, change, mut flags } = file;
        let place = self.claims.place(&stated)?;
        self.claims.claim(&stated, &place)?;
        let (path, change, found) = match (change, place.entry) {
            (Change::Create { text }, None) => self.create(place.real, text)?,
            (Change::Create { .. }, Some(_)) => return Err(exists(&stated).into()),
            (_, None) => return Err(Refusal::Changed { path: stated }.into()),
            (change, Some(entry)) => {
                let now = self.claims.open(&stated, &entry)?;
                if change.base().is_some_and(|base| base.revision != now.revision) {
                    return Err(Refusal::Changed { path: stated }.into());
                }
                let found = match &change {
                    Change::Edit { edits, .. } | Change::Rename { edits, .. } => {
                        self.check(&entry.real, &now.text, edits, true)?
                    }
                    Change::Create { .. } | Change::Delete { .. } => Vec::new(),
                };
                let change = match change {
                    Change::Rename { base, edits, to } => {
                        Change::Rename { base, edits, to: self.goal(&stated, &entry, &to)? }
                    }
                    Change::Delete { base } => {
                        not_a_link(&stated, &entry, "delete")?;
                        Change::Delete { base }
                    }
                    change => change,
                };
                (entry.real, change, found)
            }
        };
        flags.extend(found.into_iter().filter(|flag| !flags.contains(flag)).collect::<Vec<_>>());
        self.planned.push(FileEdit { path, change, flags });
        Ok(())
    }

    /// Checks the target of a rename and returns its real path.
    fn goal(&mut self, stated: &str, entry: &Entry, to: &str) -> Result<String, F::Error> {
        not_a_link(stated, entry, "move")?;
        let goal = self.claims.place_unless(to, &entry.real)?;
        if goal.entry.is_some() {
            return Err(Refusal::operation(format!("move `{stated}` over `{to}`")).into());
        }
        self.legible(&goal.real)?;
        self.claims.claim(to, &goal)?;
        Ok(goal.real)
    }

    /// Plans the change that a reply makes to one file.
    ///
    /// `is_elsewhere` reports whether the reply puts a line into another file.
    fn add(
        &mut self,
        change: FileChange,
        reply: &str,
        is_elsewhere: &dyn Fn(&str) -> bool,
    ) -> Result<(), F::Error> {
        let stated = change.path.as_str();
        let place = self.claims.place(stated)?;
        self.claims.claim(stated, &place)?;
        let (path, change, flags) = match (change.operation, place.entry) {
            (Operation::Create(_), Some(_)) => {
                return Err(exists(stated).into());
            }
            (Operation::Create(text), None) => self.create(place.real, text)?,
            (Operation::Write(whole), None) => {
                let text = whole.new_file()?;
                self.not_misplaced(stated, &text)?;
                not_a_part(stated, &text)?;
                self.create(place.real, text)?
            }
            (Operation::Edit { blocks, move_to: None }, None) => match blocks.new_file()? {
                Some(text) => self.create(place.real, text)?,
                None => return Err(Refusal::NoFile { path: stated.to_owned() }.into()),
            },
            (Operation::Copy { .. }, Some(_)) => return Err(exists(stated).into()),
            (Operation::Copy { from, blocks }, None) => {
                let (real, text) = (place.real, self.copy(&from, &blocks)?);
                self.create(real, text)?
            }
            (Operation::Edit { .. } | Operation::Delete(_), None) => {
                return Err(Refusal::NoFile { path: stated.to_owned() }.into());
            }
            (Operation::Write(whole), Some(entry)) => {
                let base = self.claims.open(stated, &entry)?;
                let (edits, flags) = self.write(&entry.real, &base.text, &whole, reply, is_elsewhere)?;
                (entry.real, Change::Edit { base, edits }, flags)
            }
            (Operation::Delete(shown), Some(entry)) => {
                not_a_link(stated, &entry, "delete")?;
                let base = self.claims.open(stated, &entry)?;
                let edits = shown.place(&base.text, grammar::by_path(entry.real.as_ref()))?;
                // Lines that are not shown may be the user's.
                if !edits.is_empty() && !line::is_blank(&apply(&base.text, &edits)) {
                    return Err(Refusal::malformed(format!(
                        "it deletes `{stated}`, and shows only a part of it"
                    ))
                    .into());
                }
                (entry.real, Change::Delete { base }, Vec::new())
            }
            (Operation::Edit { blocks, move_to }, Some(entry)) => {
                let base = self.claims.open(stated, &entry)?;
                let grammar = grammar::by_path(entry.real.as_ref());
                let edits = blocks.place(&base.text, grammar)?;
                let edits = recipe::with_tabs(Some(&entry.real), &base.text, edits);
                let flags = self.check(&entry.real, &base.text, &edits, false)?;
                check::moved_string(grammar, &base.text, &edits, reply)?;
                if let Some(to) = move_to.filter(|to| to != stated) {
                    let stated = stated.to_owned();
                    self.moves.push(Move { stated, entry, base, edits, flags, to });
                    return Ok(());
                }
                (entry.real, Change::Edit { base, edits }, flags)
            }
        };
        self.planned.push(FileEdit { path, change, flags });
        Ok(())
    }

    /// The edits that give a file the text in a reply, or replace the definitions in it where that is less than the file.
    fn write(
        &self,
        path: &str,
        before: &str,
        whole: &WholeFile,
        reply: &str,
        is_elsewhere: &dyn Fn(&str) -> bool,
    ) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
        let grammar = grammar::by_path(path.as_ref());
        let judged = || {
            let edits = recipe::with_tabs(Some(path), before, whole.edits(before, is_elsewhere, grammar)?);
            let flags = self.check(path, before, &edits, true)?;
            let asked = Asked { instruction: self.instruction, reply };
            let document = Document::new(DocumentId::new(""), grammar.map_or("", Grammar::id), 0, before);
            check::stub(self.instruction, before, &apply(before, &edits))?;
            check::left_out(&document, &edits, &(0..before.len()), asked, Form::RetypedFiles)?;
            check::moved_string(document.grammar(), before, &edits, reply)?;
            Ok((edits, flags))
        };
        judged().or_else(|refusal| match refusal {
            Refusal::TooMuchRemoved { .. } | Refusal::LeftOut { .. } | Refusal::Syntax { .. } => {
                let instruction = self.instruction;
                let request =
                    Request { text: before, path: Some(path), grammar, instruction, ..Request::default() };
                let code = whole.as_fence();
                let accepted = [Types::Whole, Types::Around]
                    .into_iter()
                    .find_map(|types| accept_definitions(&request, &code, types));
                accepted.map(|it| (it.edits, it.flags)).ok_or(refusal)
            }
            refusal => Err(refusal),
        })
    }

    /// Refuses a new file that is a version of one whose path is the end of its own, `src/a.py` where `a.py` is, or whose
    /// name is near its own.
    ///
    /// From a file that the reply changes, too, lines may move.
    fn not_misplaced(&self, stated: &str, text: &str) -> Result<(), F::Error> {
        let below = stated.match_indices('/').map(|(at, _)| stated[at + 1..].to_owned());
        for other in below.chain(self.claims.near(stated)?) {
            if self.stated.contains(&other) {
                continue;
            }
            let Some(entry) = self.claims.place(&other)?.entry else { continue };
            if entry.kind == Kind::File && are_versions(&self.claims.open(&other, &entry)?.text, text) {
                return Err(Refusal::malformed(format!(
                    "`{stated}` is not there, and its text is a version of `{other}`"
                ))
                .into());
            }
        }
        Ok(())
    }

    /// The text of another file, with the changes of its copy applied.
    fn copy(&self, from: &str, blocks: &Blocks) -> Result<String, F::Error> {
        let missing = || Refusal::NoFile { path: from.to_owned() };
        let entry = self.claims.place(from)?.entry.ok_or_else(missing)?;
        let base = self.claims.open(from, &entry)?;
        let edits = blocks.place(&base.text, grammar::by_path(entry.real.as_ref()))?;
        Ok(apply(&base.text, &edits))
    }

    /// Plans the renames.
    ///
    /// In a chain of renames, a file whose path is taken by another one gets that one's text; a file whose path
    /// is not taken is deleted. So a set can be applied file by file, in any order.
    fn add_moves(&mut self) -> Result<(), F::Error> {
        let moves = std::mem::take(&mut self.moves);
        let known: HashMap<Identity, usize> =
            moves.iter().enumerate().map(|(at, it)| (it.entry.identity, at)).collect();
        let mut goals = Vec::new();
        for it in &moves {
            let place = self.claims.place_unless(&it.to, &it.entry.real)?;
            let taken = place.entry.and_then(|entry| known.get(&entry.identity).copied());
            goals.push(taken.filter(|at| moves[*at].entry.real != it.entry.real));
        }
        // A move that takes the path of another moved file, or whose path is taken, is not a plain rename.
        let mut takers: HashMap<usize, usize> = HashMap::new();
        for (number, at) in goals.iter().enumerate().filter_map(|(number, at)| Some((number, (*at)?))) {
            if takers.insert(at, number).is_some() {
                return Err(
                    Refusal::malformed(format!("it wants two things of `{}`", moves[number].to)).into()
                );
            }
        }
        for (number, it) in moves.iter().enumerate() {
            let Move { stated, entry, base, edits, flags, .. } = it;
            let (base, flags) = (base.clone(), flags.clone());
            let taker = takers.get(&number).map(|at| &moves[*at]);
            let chained = taker.is_some() || goals[number].is_some();
            let change = match (chained, taker) {
                (false, _) => {
                    Change::Rename { base, edits: edits.clone(), to: self.goal(stated, entry, &it.to)? }
                }
                (true, Some(taker)) => {
                    let edits = diff::minimal(&base.text, &apply(&taker.base.text, &taker.edits));
                    Change::Edit { base, edits }
                }
                (true, None) => Change::Delete { base },
            };
            if chained {
                not_a_link(stated, entry, "move")?;
            }
            if chained && goals[number].is_none() {
                let path = self.goal(stated, entry, &it.to)?;
                let text = apply(&it.base.text, edits);
                self.planned.push(FileEdit { path, change: Change::Create { text }, flags: flags.clone() });
            }
            self.planned.push(FileEdit { path: entry.real.clone(), change, flags });
        }
        Ok(())
    }

    /// Checks the edits of a file. `is_whole` is set if the reply contains the file as a whole.
    fn check(&self, path: &str, before: &str, edits: &[Edit], is_whole: bool) -> Result<Vec<Flag>, Refusal> {
        let checks = CheckContext {
            before,
            grammar: grammar::by_path(path.as_ref()),
            // The reply states its changes explicitly, so a whitespace-only change is accepted.
            allow_whitespace_only: true,
            allow_invisible: self.allow_invisible,
            is_whole,
            ..CheckContext::default()
        };
        check::check(&checks, edits)
    }

    /// Refuses a new name with invisible or misleading characters.
    fn legible(&self, path: &str) -> Result<(), Refusal> {
        let is_blank = |sign: &char| sign.is_whitespace() && *sign != ' ' || *sign == '\u{2800}';
        let odd = || path.chars().find(|sign| sign.is_control() || is_blank(sign));
        // A variation selector is meaningful behind an emoji, but not behind a letter.
        let is_selector = |sign: &char| matches!(sign, '\u{fe0e}' | '\u{fe0f}');
        let behind_letter = || {
            let pairs = path.chars().zip(path.chars().skip(1));
            pairs.filter(|(on, _)| on.is_alphabetic()).map(|(_, sign)| sign).find(is_selector)
        };
        let sign = check::signs(path).next().or_else(odd).or_else(behind_letter);
        sign.filter(|_| !self.allow_invisible).map_or(Ok(()), |sign| Err(Refusal::Invisible { sign }))
    }

    fn create(&self, path: String, text: String) -> Result<(String, Change, Vec<Flag>), Refusal> {
        self.legible(&path)?;
        let text = apply("", &recipe::with_tabs(Some(&path), "", vec![Edit::new(0..0, text)]));
        let flags = check::check_new(&path, &text, self.allow_invisible)?;
        Ok((path, Change::Create { text }, flags))
    }
}

/// Refuses to delete or move a link, which would affect the file behind it.
fn not_a_link(stated: &str, entry: &Entry, what: &str) -> Result<(), Refusal> {
    if entry.is_link {
        Err(Refusal::operation(format!("{what} `{stated}`, which is a link")))
    } else {
        Ok(())
    }
}

fn exists(stated: &str) -> Refusal {
    Refusal::operation(format!("create `{stated}`, which is there already"))
}

#[cfg(test)]
mod tests;
