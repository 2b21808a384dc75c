//! Keeps the workspace index in sync with the disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::indexing;
use super::progress::Cancelled;
use super::state::ServerState;
use crate::config::Scoped;
use crate::disk::Purpose;
use crate::grammar;
use crate::privacy::{IGNORE_FILES, Verdict};
use crate::workspace::{Cache, MOST_FILES, Report, Scope, Walked, walk};

/// A walk that is faster than this shows no progress: most are, and the user did not request it.
const QUIET: Duration = Duration::from_secs(2);
/// With more changes at once, for example after switching a branch, the whole workspace is walked again.
const MOST_CHANGES: usize = 200;

/// Indexes the workspace folders in the background.
///
/// Shows progress if it takes long; the user can cancel it.
pub(super) fn index_workspace(state: &ServerState) {
    let workspace = Arc::clone(state.session.lock().workspace());
    // Taken before the rules are read, so that the latest walk uses the latest rules.
    let number = workspace.begin();
    state.serving.assist().forget_neighbors();
    let (folders, settings, open) = {
        let mut session = state.session.lock();
        session.forget_related();
        (session.folders().to_vec(), session.scoped().clone(), session.paths())
    };
    if folders.is_empty() {
        return;
    }
    indexing::start(&state.session, &state.background, open.into_iter().map(|(id, _)| id).collect());
    let roots = outermost(&folders);
    workspace.expect_walks(number, roots.len());
    for (root, within) in roots {
        walk_root(state, number, root, within, settings.clone());
    }
}

/// The outermost folders, each with the folders inside it: a folder that hangs does not affect the others.
fn outermost(folders: &[PathBuf]) -> Vec<(&PathBuf, Vec<PathBuf>)> {
    let mut sorted: Vec<&PathBuf> = folders.iter().collect();
    sorted.sort_unstable();
    let mut outer: Vec<(&PathBuf, Vec<PathBuf>)> = Vec::new();
    for folder in sorted {
        // Paths are sorted by component, so the contents of a folder follow it directly.
        match outer.last_mut() {
            Some((root, within)) if folder.starts_with(root.as_path()) => within.push(folder.clone()),
            _ => outer.push((folder, vec![folder.clone()])),
        }
    }
    outer
}

/// Indexes one folder, with the workspace folders inside it.
///
/// An older walk ends at the next file, so it does not delay the newer one, unless the disk does.
fn walk_root(state: &ServerState, number: u64, root: &Path, folders: Vec<PathBuf>, settings: Scoped) {
    let workspace = Arc::clone(state.session.lock().workspace());
    let cache = state.cache.as_deref().map(|caches| Cache::new(caches, &folders));
    let cancelled = Arc::new(AtomicBool::new(false));
    let (done, report) = oneshot::channel();
    // The walk ends with the server.
    let (session, is_cancelled) = (state.session.downgrade(), Arc::clone(&cancelled));
    let work = move || {
        let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
        let is_over =
            || session.is_gone() || !workspace.is_current(number) || is_cancelled.load(Ordering::Relaxed);
        let scope = Scope { roots: &folders, denied: &denied, cancelled: &is_over, is_background: true };
        let report = walk(&workspace, scope, cache.as_ref());
        let (files, bytes) = workspace.size();
        tracing::debug!(?report, files, bytes, "the workspace was walked");
        // The editor need not be waiting any more.
        _ = done.send(report);
    };
    if let Err(stuck) = state.readers.start(&Purpose::Index.lane(root), work) {
        tracing::warn!(%stuck, root = %root.display(), "a workspace folder is not known");
        return;
    }
    let cause = format!("workspace {}", root.display());
    let (bars, editor, related) = (state.bars.clone(), state.editor.clone(), state.related.clone());
    tokio::spawn(async move {
        let mut report = report;
        let ended = match tokio::time::timeout(QUIET, &mut report).await {
            Ok(ended) => Ok(ended),
            Err(_) => bars.watch("Tandem: reading the workspace".to_owned(), None, report).await,
        };
        match ended {
            Ok(Ok(report)) => {
                related.refresh_all();
                if let Some(message) = remark(&report) {
                    editor.log_once(&cause, message);
                }
            }
            // A newer walk has replaced this one, or the server is shutting down.
            Ok(Err(_)) => {}
            Err(Cancelled) => cancelled.store(true, Ordering::Relaxed),
        }
    });
}

/// A message to the user about a walk that did not cover everything.
fn remark(report: &Report) -> Option<String> {
    let why = match report.walked {
        Walked::Complete | Walked::Cancelled if report.unreadable == 0 => return None,
        Walked::Complete | Walked::Cancelled => {
            format!("{} files or folders cannot be read", report.unreadable)
        }
        Walked::TooMuch => format!("it has more than {MOST_FILES} files, or very many folders"),
        Walked::Unknown => "an ignore file in it cannot be read".to_owned(),
    };
    Some(format!("Tandem knows {} files of the workspace, and not the rest: {why}", report.files))
}

/// Indexes changed files as they are on disk now.
pub(super) fn files_changed(state: &ServerState, paths: Vec<PathBuf>) {
    let changes_rules = |path: &PathBuf| IGNORE_FILES.iter().any(|name| path.ends_with(name));
    let has_rules = paths.iter().any(changes_rules);
    if has_rules {
        state.access.check_all();
    }
    if has_rules || paths.len() > MOST_CHANGES {
        return index_workspace(state);
    }
    let workspace = Arc::clone(state.session.lock().workspace());
    // Taken before the rules are read: if the rules change, a newer walk covers the file.
    let number = workspace.current_walk();
    let (folders, settings) = {
        let session = state.session.lock();
        (session.folders().to_vec(), session.scoped().clone())
    };
    for (root, _) in outermost(&folders) {
        let below: Vec<PathBuf> = paths.iter().filter(|it| it.starts_with(root)).cloned().collect();
        if below.is_empty() {
            continue;
        }
        let (workspace, settings) = (Arc::clone(&workspace), settings.clone());
        let (folders, ignore_files) = (folders.clone(), Arc::clone(&state.access.ignore_files));
        let work = move || {
            for path in below {
                let rules = &settings.of(Some(&path)).privacy.path_rules;
                let may_read =
                    is_walked(&path, &folders) && ignore_files.judge(&path, &folders, rules) == Verdict::Open;
                match may_read {
                    true => workspace.read_again(number, &path),
                    false => workspace.remove(&path),
                }
            }
        };
        if let Err(stuck) = state.readers.start(&Purpose::Index.lane(root), work) {
            tracing::debug!(%stuck, "what changed files have is not known");
        }
    }
}

/// Whether a walk visits the path: it skips names that begin with a dot.
fn is_walked(path: &Path, folders: &[PathBuf]) -> bool {
    let is_hidden = |below: &Path| below.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
    folders.iter().filter_map(|folder| path.strip_prefix(folder).ok()).any(|below| !is_hidden(below))
}

/// The files that the editor is asked to watch for the workspace.
pub(super) fn watchers() -> [Value; 2] {
    let mut endings: Vec<&str> =
        grammar::all().flat_map(|it| &it.facts().extensions).map(String::as_str).collect();
    endings.sort_unstable();
    [format!("**/*.{{{}}}", endings.join(",")), format!("**/{{{}}}", IGNORE_FILES.join(","))]
        .map(|glob| json!({ "globPattern": glob }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_foreign_files_are_not_taken() {
        let folders = [PathBuf::from("/w"), PathBuf::from("/home/me/.config/app")];
        let walked = |path: &str| is_walked(Path::new(path), &folders);
        assert_eq!(["/w/a.rs", "/w/in/a.rs", "/home/me/.config/app/a.rs"].map(walked), [true; 3]);
        assert_eq!(["/w/.git/a.rs", "/w/in/.a.rs", "/other/a.rs", "/wide/a.rs"].map(walked), [false; 4]);
    }

    #[test]
    fn folders_within_others_are_walked_with_them() {
        let folders = ["/w/b", "/a", "/w", "/a", "/wide"].map(PathBuf::from);
        let outer: Vec<&PathBuf> = outermost(&folders).into_iter().map(|(root, _)| root).collect();
        assert_eq!(outer, ["/a", "/w", "/wide"].map(PathBuf::from).iter().collect::<Vec<_>>());
    }

    #[test]
    fn only_an_incomplete_walk_is_remarked_on() {
        let check = |walked: Walked, unreadable: usize, expected: Option<&str>| {
            let report = Report { walked, files: 3, known: 0, unreadable };
            assert_eq!(remark(&report).as_deref(), expected);
        };
        check(Walked::Complete, 0, None);
        check(Walked::Cancelled, 0, None);
        let begin = "Tandem knows 3 files of the workspace, and not the rest: ";
        check(Walked::Complete, 2, Some(&format!("{begin}2 files or folders cannot be read")));
        let many = format!("{begin}it has more than {MOST_FILES} files, or very many folders");
        check(Walked::TooMuch, 1, Some(&many));
        check(Walked::Unknown, 0, Some(&format!("{begin}an ignore file in it cannot be read")));
    }

    #[test]
    fn sources_and_ignore_files_are_watched() {
        let [sources, rules] = watchers().map(|it| it["globPattern"].as_str().unwrap().to_owned());
        assert!(sources.starts_with("**/*.{") && sources.contains(",rs,"), "{sources}");
        assert_eq!(rules, "**/{.gitignore,.aiignore,.tandemignore}");
    }
}
