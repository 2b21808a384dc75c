//! Resolves the paths of a plan, and rejects two changes of one file.

use std::collections::HashMap;

use super::files::{Entry, Files, Identity, Kind};
use super::git_folder;
use super::new_file::are_near;
use crate::edit::Refusal;
use crate::edit::edit_set::Base;
use crate::edit::parse;
use crate::privacy::Verdict;

/// The files of a project whose rules keep other files from models: a model that changes them could open any.
const RULE_FILES: [&str; 3] = [".aiignore", ".tandemignore", ".tandem.toml"];

/// Whether a path leads to an existing entry.
pub(super) fn is_there<F: Files + ?Sized>(files: &F, path: &str) -> bool {
    matches!(files.entry(path), Ok(Some(_)))
}

/// Identifies the file at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// An existing file.
    Known(Identity),
    /// A new file, by its case-folded real path.
    New(String),
}

/// A resolved path.
#[derive(Debug, Clone)]
pub struct ResolvedPath {
    /// The path below the root after links are followed.
    pub real: String,
    /// The existing entry, if any.
    pub entry: Option<Entry>,
}

impl ResolvedPath {
    fn key(&self) -> Key {
        match &self.entry {
            Some(entry) => Key::Known(entry.identity),
            None => Key::New(git_folder::folded(&self.real)),
        }
    }
}

/// The paths that a plan has claimed.
pub struct Claims<'a, F: ?Sized> {
    files: &'a F,
    access: &'a dyn Fn(&str) -> Verdict,
    /// Each with the path that was stated first for it.
    claimed: HashMap<Key, String>,
}

impl<'a, F: Files + ?Sized> Claims<'a, F> {
    /// Creates an empty set of claims. `access` judges a real path.
    pub fn new(files: &'a F, access: &'a dyn Fn(&str) -> Verdict) -> Self {
        Self { files, access, claimed: HashMap::new() }
    }

    /// Resolves a stated path, if files may change there.
    ///
    /// # Errors
    ///
    /// [`Refusal::OutsideRoot`], [`Refusal::Protected`], and failed lookups.
    pub fn place(&self, stated: &str) -> Result<ResolvedPath, F::Error> {
        self.place_unless(stated, "")
    }

    /// As [`Claims::place`], where the file at `gone` is about to move.
    ///
    /// The new name may differ from `gone` in case alone.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn place_unless(&self, stated: &str, gone: &str) -> Result<ResolvedPath, F::Error> {
        let outside = || Refusal::OutsideRoot { path: stated.to_owned() };
        let below = parse::below_root(stated, self.files.root_path(), |path| is_there(self.files, path));
        let below = below.ok_or_else(outside)?;
        self.judge(stated, &below)?;
        let entry = self.files.entry(&below)?;
        let real = match &entry {
            Some(entry) => entry.real.clone(),
            None => self.real_of_new(stated, &below, gone)?,
        };
        if real.is_empty() {
            return Err(outside().into());
        }
        self.judge(stated, &real)?;
        Ok(ResolvedPath { real, entry })
    }

    /// Refuses version control's own files, the rules for what models see, and secrets.
    fn judge(&self, stated: &str, path: &str) -> Result<(), Refusal> {
        let why = if path.split('/').any(git_folder::is_dot_git) {
            "it belongs to version control".to_owned()
        } else if path.rsplit('/').next().is_some_and(|name| RULE_FILES.contains(&&*git_folder::folded(name)))
        {
            "it says what models may see".to_owned()
        } else if let Verdict::Secret(why) = (self.access)(path) {
            why.to_string()
        } else {
            return Ok(());
        };
        Err(Refusal::Protected { path: stated.to_owned(), why })
    }

    /// The real path of a new file: below its nearest existing folder.
    ///
    /// On a case-insensitive disk, a name that differs from another one in case alone is that one.
    fn real_of_new(&self, stated: &str, below: &str, gone: &str) -> Result<String, F::Error> {
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
                return Err(Refusal::operation(format!("make `{stated}` below the file `{above}`")).into());
            }
            let rest = below[above.len()..].trim_start_matches('/');
            let at = |name: &str| match entry.real.as_str() {
                "" => name.to_owned(),
                folder => format!("{folder}/{name}"),
            };
            let first = rest.split('/').next().unwrap_or(rest);
            let is_alike =
                |name: &String| git_folder::folded(name) == git_folder::folded(first) && at(name) != gone;
            if let Some(other) = self.files.names(&entry.real)?.iter().find(|name| is_alike(name)) {
                let detail = format!("make `{stated}` beside `{}`, which differs in case alone", at(other));
                return Err(Refusal::operation(detail).into());
            }
            return Ok(at(rest));
        }
    }

    /// The paths of the files beside a new one, by names that may be meant by its own.
    ///
    /// # Errors
    ///
    /// Failed lookups.
    pub(super) fn near(&self, stated: &str) -> Result<Vec<String>, F::Error> {
        let (folder, own) = stated.rsplit_once('/').unwrap_or(("", stated));
        let Some(entry) = self.files.entry(folder)?.filter(|entry| entry.kind == Kind::Folder) else {
            return Ok(Vec::new());
        };
        let mut names = self.files.names(&entry.real)?;
        names.retain(|name| are_near(own, name));
        names.sort_unstable();
        let at = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
        Ok(names.into_iter().map(at).collect())
    }

    /// Records that the reply changes a file.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the reply has claimed it before, under any name, or needs a file to be a folder.
    pub fn claim(&mut self, stated: &str, place: &ResolvedPath) -> Result<(), Refusal> {
        let key = place.key();
        if let Some(first) = self.claimed.get(&key) {
            let detail = match first == stated {
                true => format!("it wants two things of `{stated}`"),
                false => format!("`{first}` and `{stated}` are the same file"),
            };
            return Err(Refusal::malformed(detail));
        }
        if let Key::New(path) = &key {
            let below = |path: &str, folder: &str| {
                path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
            };
            let clash = self.claimed.iter().find(
                |(other, _)| matches!(other, Key::New(other) if below(path, other) || below(other, path)),
            );
            if let Some((_, other)) = clash {
                return Err(Refusal::operation(format!(
                    "make one of `{other}` and `{stated}` below the other"
                )));
            }
        }
        self.claimed.insert(key, stated.to_owned());
        Ok(())
    }

    /// Reads the file at a resolved path.
    ///
    /// # Errors
    ///
    /// [`Refusal`] of anything but a regular file, and failures to read.
    pub fn open(&self, stated: &str, entry: &Entry) -> Result<Base, F::Error> {
        match entry.kind {
            Kind::File => self.files.open(entry),
            Kind::Folder => Err(Refusal::operation(format!("change `{stated}`, which is a folder")).into()),
            Kind::Other => {
                let why = "it is not a regular file".to_owned();
                Err(Refusal::Protected { path: stated.to_owned(), why }.into())
            }
        }
    }
}
