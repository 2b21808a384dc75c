//! Undoes a write that failed or was interrupted, and cleans up after a completed one.
//!
//! Later changes by others are kept. A temporary file is recognized by its unpredictable name. A file at its target
//! counts as the write's own if it has the identity and the text of the staged file.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::journal::{self, Record, Step};
use super::target::{Dir, Folders, Identity};
use crate::cli::limits::{FILE_BYTES, FOLDER_TIMEOUT};
use crate::cli::terminal;
use crate::disk::{Readers, Unreadable};
use crate::text::hash::{fnv64, fnv64_add};
use crate::text::words::counted;

/// Undoes interrupted writes and reports it. Returns whether one of them had staged all its files.
///
/// Writes in progress in other processes are left alone. A disk that does not respond is skipped after a timeout,
/// since the command may not need it.
pub(in crate::cli) fn recover() -> bool {
    journal::is_any()
        && Readers::default().within(Path::new(""), FOLDER_TIMEOUT, recover_all).unwrap_or(false)
}

fn recover_all() -> bool {
    let mut is_undone = false;
    let recovered = journal::each_left(|record, is_done| {
        // The disk may be mounted again later.
        let Some(root) = record.steps.first().map(|step| step.place.root()).filter(|root| root.is_dir())
        else {
            return false;
        };
        if is_done {
            return clean(&mut Folders::default(), record).is_ok();
        }
        let lost = undo(&mut Folders::default(), record);
        let (files, root) = (counted(record.steps.len(), "file"), root.display());
        terminal::say(format_args!("a write of {files} in {root} was cut off; it has been undone"));
        for lost in &lost {
            terminal::say(format_args!("but not in {lost}"));
        }
        is_undone |= is_final(&lost) && !record.staged.is_empty();
        is_final(&lost)
    });
    if let Err(error) = recovered {
        tracing::warn!(%error, "writes that were cut off cannot be looked for");
    }
    is_undone
}

/// Undoes a write. Returns errors for the files that could not be restored.
pub(super) fn undo(open: &mut Folders, record: &Record) -> Vec<io::Error> {
    let mut lost = Vec::new();
    for (number, step) in record.steps.iter().enumerate().rev() {
        match open.of(&step.place).and_then(|dir| undo_one(&dir, record, number, step)) {
            // The folder is gone, so there is nothing to undo.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => lost.push(step.place.error_with_path(&error)),
            Ok(()) => {}
        }
    }
    for folder in record.folders.iter().rev() {
        // A folder that is not empty stays.
        _ = open.of(folder).and_then(|it| it.remove_folder(folder.name()?));
    }
    lost
}

/// Whether another attempt would not undo more.
pub(super) fn is_final(lost: &[io::Error]) -> bool {
    lost.iter().all(|it| it.kind() == io::ErrorKind::Other)
}

fn undo_one(dir: &Dir, record: &Record, number: usize, step: &Step) -> io::Result<()> {
    let name = step.place.name()?;
    let (new, old) = (record.new_name(number), record.old_name(number));
    let identity = |name: &OsStr| Ok::<_, io::Error>(dir.metadata(name)?.as_ref().map(Identity::of));
    let staged = record.staged.get(number).copied().flatten();
    let is_own = || staged.map_or(Ok(false), |staged| is_written(dir, step, staged));
    if !step.was_there {
        if is_own()? {
            dir.remove(name)?;
        }
    } else if let Some(aside) = identity(&old)? {
        match identity(name) {
            Ok(Some(found)) if found == aside => dir.remove(&old)?,
            Ok(Some(_)) if is_own()? => dir.rename(&old, name)?,
            // The write was interrupted between renaming the old file away and moving the new one in.
            Ok(None) if step.new.is_none() || identity(&new)?.is_some() => dir.rename(&old, name)?,
            Err(error) if error.kind() != io::ErrorKind::Other => return Err(error),
            _ => {
                dir.remove_if_there(&new)?;
                let old = old.to_string_lossy();
                return Err(io::Error::other(format!("it was changed since; what it was is in {old}")));
            }
        }
    }
    dir.remove_if_there(&new)
}

/// Whether the file at a step's target is the staged file, unchanged.
fn is_written(dir: &Dir, step: &Step, staged: Identity) -> io::Result<bool> {
    match dir.read(step.place.name()?, FILE_BYTES) {
        Ok((bytes, metadata)) => {
            let hash = bytes.iter().fold(fnv64(""), |hash, byte| fnv64_add(hash, *byte));
            Ok(Identity::of(&metadata) == staged && step.new == Some(hash))
        }
        Err(Unreadable::Failed(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Removes the temporary files of a completed write.
pub(super) fn clean(open: &mut Folders, record: &Record) -> io::Result<()> {
    for (number, step) in record.steps.iter().enumerate() {
        let beside = if step.was_there { record.old_name(number) } else { record.new_name(number) };
        match open.of(&step.place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            dir => dir?.remove_if_there(&beside)?,
        }
    }
    Ok(())
}
