//! Indexes the files of a workspace, on several threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::cache::{Cache, Known, UNSETTLED};
use super::file::FileFacts;
use super::index::{File, Layer};
use super::listing::{Listed, Listing, MOST_FILE_BYTES, Scope, Walked, list, not_indexed};
use super::shared::WalkTurn;
use super::store::Workspace;
use crate::disk::{self, Links, Unreadable};
use crate::lock::Mutex;

/// Maximum number of threads that read and parse.
const MOST_THREADS: usize = 4;
/// A shared layer is made anew once more than one in so many files has changed.
const RENEWED_SHARE: usize = 8;

/// The outcome of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub walked: Walked,
    /// The number of indexed files.
    pub files: usize,
    /// The number of those that came from the cache, and were not parsed.
    pub known: usize,
    /// The number of unreadable files and folders.
    pub unreadable: usize,
}

/// Indexes the files below the roots into a workspace. Blocks on the disk.
///
/// Files in `cache` are not parsed again; afterwards the cache is updated. Only a walk that saw everything
/// makes the workspace complete.
pub fn walk(workspace: &Workspace, scope: Scope<'_>, cache: Option<&Cache>) -> Report {
    // Results of a walk with older rules are not indexed by a newer one.
    let (started, number) = (SystemTime::now(), workspace.current_walk());
    let cancelled = |unreadable| Report { walked: Walked::Cancelled, files: 0, known: 0, unreadable };
    let root = scope.roots.first().map_or(Path::new(""), PathBuf::as_path);
    let turn = match &workspace.shared {
        Some(shared) => match shared.turn(root, scope.cancelled) {
            Some(turn) => Some(turn),
            None => return cancelled(0),
        },
        None => None,
    };
    let Listing { files, walked, unreadable, .. } = list(scope);
    if walked == Walked::Cancelled {
        return cancelled(unreadable);
    }
    let layer = turn.as_ref().and_then(WalkTurn::layer);
    let known = OnceLock::new();
    let sources = KnownFacts {
        layer: layer.as_deref(),
        cached: &|| known.get_or_init(|| cache.map(Cache::read).unwrap_or_default()),
    };
    let counts = WalkCounts::default();
    each(&files, scope, |listed| take_in(workspace, number, listed, &sources, &counts));
    let [taken, reused, failed] =
        [&counts.taken, &counts.known, &counts.failed].map(|it| it.load(Ordering::Relaxed));
    let report = |walked| Report { walked, files: taken, known: reused, unreadable: unreadable + failed };
    if (scope.cancelled)() {
        return report(Walked::Cancelled);
    }
    let shared = std::mem::take(&mut *counts.shared.lock());
    if let Some(layer) = &layer {
        workspace.adopt(number, layer, &shared);
    }
    let is_outdated = layer.is_none() || (taken - shared.len()) * RENEWED_SHARE > taken;
    if let Some(turn) = turn.as_ref().filter(|_| is_outdated) {
        let is_settled = |it: &&Listed| it.stamp.modified().is_some_and(|at| at + UNSETTLED < started);
        let settled = files.iter().filter(is_settled);
        let made = Arc::new(Layer::of(settled.filter_map(|it| workspace.as_stamped(it))));
        workspace.hand_over(number, &made, layer.as_ref());
        turn.leave(&made);
    }
    drop(turn);
    if walked == Walked::Complete && workspace.is_current(number) {
        workspace.complete();
    }
    // A cache that was not read needs no update: the walk that made the layer wrote it.
    if let (Some(cache), Some(known)) = (cache, known.get())
        && (reused != taken || known.len() != taken)
        && let Err(error) = cache.write(&files, workspace, started)
    {
        tracing::info!(%error, "the workspace's symbols are not kept for the next start");
    }
    report(walked)
}

/// Where the facts of files that have not changed come from.
struct KnownFacts<'a> {
    layer: Option<&'a Layer>,
    cached: &'a (dyn Fn() -> &'a Known + Sync),
}

#[derive(Default)]
struct WalkCounts {
    /// The files that are as the shared layer has them.
    shared: Mutex<HashSet<Arc<Path>>>,
    taken: AtomicUsize,
    known: AtomicUsize,
    failed: AtomicUsize,
}

/// Calls `work` on each file, on several threads.
pub fn each(files: &[Listed], scope: Scope<'_>, work: impl Fn(&Listed) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let next = AtomicUsize::new(0);
    std::thread::scope(|threads_of| {
        for _ in 0..threads.min(files.len()) {
            threads_of.spawn(|| {
                if scope.is_background {
                    yield_to_others();
                }
                while let Some(listed) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if (scope.cancelled)() {
                        return;
                    }
                    work(listed);
                }
            });
        }
    });
}

/// Lowers the thread's priority: a keystroke must not wait for the walk.
#[cfg(target_os = "linux")]
fn yield_to_others() {
    // On Linux this affects only the thread.
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "the walk runs at the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn yield_to_others() {}

fn take_in(
    workspace: &Workspace,
    number: u64,
    listed: &Listed,
    sources: &KnownFacts<'_>,
    counts: &WalkCounts,
) {
    let count = |counter: &AtomicUsize| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let stamp = listed.stamp.digest();
    let is_same = |it: &&File| it.grammar == listed.grammar && it.stamp == Some(stamp);
    if let Some(file) = sources.layer.and_then(|it| it.by_path(&listed.path)).filter(is_same) {
        [&counts.taken, &counts.known].into_iter().for_each(count);
        counts.shared.lock().insert(Arc::clone(&file.path));
        return;
    }
    let known = (sources.cached)();
    let facts = if let Some(facts) = known.by_stamp(&listed.path, listed.grammar, stamp) {
        count(&counts.known);
        facts
    } else {
        let text = match disk::text(&listed.path, MOST_FILE_BYTES, Links::Refuse) {
            Ok(text) if !text.contains('\0') => text,
            // It may have been deleted since its folder was read.
            Ok(_) | Err(Unreadable::Missing) => return,
            Err(why) => {
                not_indexed(&listed.path, &why);
                return count(&counts.failed);
            }
        };
        // Git rewrites files when branches change, often with their earlier text.
        match known.by_content(&listed.path, listed.grammar, &text) {
            Some(facts) => {
                count(&counts.known);
                facts
            }
            None => FileFacts::of(listed.grammar, &text),
        }
    };
    workspace.put_from_disk(number, &listed.path, listed.grammar, facts, stamp);
    count(&counts.taken);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder;
    use crate::grammar::by_language_id;
    use crate::workspace::SharedIndexes;

    /// Walks roots with a predicate for denied files.
    fn walk(
        workspace: &Workspace,
        roots: &[PathBuf],
        denied: &(dyn Fn(&Path) -> bool + Sync),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Walked {
        super::walk(workspace, Scope { roots, denied, cancelled, is_background: false }, None).walked
    }

    #[test]
    fn a_walk_that_another_has_overtaken_says_nothing() {
        let root = folder(&[("a.rs", "fn a() {}")]);
        let index = Workspace::default();
        let first = index.begin();
        // The folders or rules change while the walk reads its only file.
        let denied = |_: &Path| index.begin() > 1_000;
        let roots = [root.path().to_owned()];
        let cancelled = || !index.is_current(first);
        let scope = Scope { roots: &roots, denied: &denied, cancelled: &cancelled, is_background: false };
        assert_eq!(super::walk(&index, scope, None).walked, Walked::Cancelled);
    }

    #[test]
    fn takes_in_the_workspaces_own_files() {
        let root = folder(&[
            ("src/a.rs", "fn wanted() {}"),
            ("src/é.rs", "fn accented() {}"),
            (".gitignore", "target/\n"),
            ("target/b.rs", "fn ignored() {}"),
            ("denied.rs", "fn denied() {}"),
            ("notes.bin", "fn binary() {}"),
            ("null.rs", "fn null() {}\0"),
        ]);
        let outside = folder(&[("c.rs", "fn outside() {}")]);
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        let index = Workspace::default();
        let denied = |path: &Path| path.ends_with("denied.rs");
        let walked = walk(&index, &[root.path().to_owned()], &denied, &|| false);
        assert_eq!(walked, Walked::Complete);
        let rust = by_language_id("rust").unwrap();
        for (name, known) in [
            ("wanted", true),
            ("accented", true),
            ("ignored", false),
            ("denied", false),
            ("binary", false),
            ("null", false),
            ("outside", false),
        ] {
            assert_eq!(index.knows(rust, name), known, "{name}");
        }
        assert_eq!(index.size().0, 2);
        drop(outside);
    }

    #[test]
    fn minds_the_ignore_files_of_every_folder_and_of_the_repository_alone() {
        let root = folder(&[
            (".gitignore", "*.gen.rs\n/build\n"),
            ("a.gen.rs", "fn generated() {}"),
            ("build/b.rs", "fn built() {}"),
            ("in/build/c.rs", "fn wanted() {}"),
            ("in/.tandemignore", "private.rs\n"),
            ("in/private.rs", "fn private() {}"),
            ("other/.git/HEAD", ""),
            ("other/d.gen.rs", "fn other() {}"),
            (".hidden/e.rs", "fn hidden() {}"),
        ]);
        let index = Workspace::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| false), Walked::Complete);
        let rust = by_language_id("rust").unwrap();
        let names = ["generated", "built", "wanted", "private", "other", "hidden"];
        assert_eq!(names.map(|name| index.knows(rust, name)), [false, false, true, false, true, false]);
    }

    /// A folder whose ignore rules are unknown is left out, and the index does not claim to be complete.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_keeps_no_walk() {
        use std::os::unix::fs::symlink;

        let root =
            folder(&[("a.rs", "fn wanted() {}"), ("endless/b.rs", "fn b() {}"), ("pipe/c.rs", "fn c() {}")]);
        let path = |name: &str| root.path().join(name);
        symlink("/dev/zero", path("endless/.gitignore")).unwrap();
        symlink("/dev/zero", path("zero.rs")).unwrap();
        for name in ["pipe/.gitignore", "pipe.rs", "pipe/.ignore"] {
            disk::pipe(path(name));
        }
        let index = Workspace::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| false), Walked::Unknown);
        let rust = by_language_id("rust").unwrap();
        assert_eq!(["wanted", "b", "c"].map(|name| index.knows(rust, name)), [true, false, false]);
        assert!(!index.is_reliable_for(rust));
    }

    #[test]
    fn a_file_that_vanishes_during_the_walk_is_counted() {
        let root = folder(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
        let roots = [root.path().to_owned()];
        // Called for each file while the files are listed.
        let denied = |path: &Path| {
            if path.ends_with("a.rs") {
                std::fs::write(path, [0xff]).unwrap();
            }
            false
        };
        let workspace = Workspace::default();
        let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
        let report = super::walk(&workspace, scope, None);
        assert_eq!(report, Report { walked: Walked::Complete, files: 1, known: 0, unreadable: 1 });
    }

    #[test]
    fn a_folder_that_vanishes_during_the_walk_has_no_files() {
        let root = folder(&[("a.rs", "fn a() {}"), ("in/b.rs", "fn b() {}"), ("in/in/c.rs", "fn c() {}")]);
        let roots = [root.path().to_owned()];
        // Called for the first file, before the folders below are listed.
        let denied = |path: &Path| {
            if path.ends_with("a.rs") {
                std::fs::remove_dir_all(root.path().join("in")).unwrap();
            }
            false
        };
        let workspace = Workspace::default();
        let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
        let report = super::walk(&workspace, scope, None);
        assert_eq!((report.walked, report.files), (Walked::Complete, 1));
    }

    /// Walks a folder with a workspace's own rules; returns the names of its functions, and how many files it parsed.
    fn seen(workspace: &Workspace, root: &Path, denied: &str) -> String {
        let rust = by_language_id("rust").unwrap();
        workspace.begin();
        let denied = |path: &Path| path.ends_with(denied);
        let roots = [root.to_owned()];
        let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
        let report = super::walk(workspace, scope, None);
        let names = ["one", "two", "three", "open", "new"];
        let known: Vec<&str> = names.into_iter().filter(|name| workspace.knows(rust, name)).collect();
        assert!(known.iter().all(|name| workspace.definitions(rust, name).len() == 1), "{known:?}");
        let (files, _) = workspace.size();
        assert_eq!(files, workspace.paths().len());
        format!("{} ({files} files, {} parsed)", known.join(" "), report.files - report.known)
    }

    #[test]
    fn workspaces_share_the_files_on_disk_and_nothing_else() {
        let root = folder(&[("a.rs", "fn one() {}"), ("b.rs", "fn two() {}"), ("c.rs", "fn three() {}")]);
        let path = |name: &str| root.path().join(name);
        let old = SystemTime::now() - std::time::Duration::from_secs(60);
        for name in ["a.rs", "b.rs", "c.rs"] {
            std::fs::File::options().append(true).open(path(name)).unwrap().set_modified(old).unwrap();
        }
        let indexes = SharedIndexes::default();
        let [first, second, third] = [(); 3].map(|()| Workspace::sharing(indexes.clone()));
        assert_eq!(seen(&first, root.path(), "none.rs"), "one two three (3 files, 3 parsed)");
        assert_eq!(seen(&second, root.path(), "none.rs"), "one two three (3 files, 0 parsed)");
        let own = |workspace: &Workspace| workspace.symbols(&path("a.rs")).unwrap();
        assert!(Arc::ptr_eq(&own(&first), &own(&second)), "in memory once");
        // Its own rules hold, whatever others see.
        assert_eq!(seen(&third, root.path(), "b.rs"), "one three (2 files, 0 parsed)");
        let rust = by_language_id("rust").unwrap();
        assert_eq!(third.symbols(&path("b.rs")), None);
        // What is open in one editor, changed or gone is no matter of the others.
        let id = crate::document::DocumentId::new("file:///c.rs");
        let open = crate::document::Document::new(id, "rust", 1, "fn open() {}");
        first.open(&path("c.rs"), &open, || false);
        second.remove(&path("a.rs"));
        let knows = |workspace: &Workspace| ["one", "three", "open"].map(|name| workspace.knows(rust, name));
        assert_eq!(
            [&first, &second, &third].map(knows),
            [[true, false, true], [false, true, false], [true, true, false],]
        );
        // A changed file is parsed by the one that walks next, and the others go on with what they have.
        std::fs::write(path("a.rs"), "fn new() {}").unwrap();
        assert_eq!(seen(&second, root.path(), "none.rs"), "two three new (3 files, 1 parsed)");
        assert_eq!(seen(&third, root.path(), "none.rs"), "two three new (3 files, 1 parsed)");
        assert_eq!(knows(&first), [true, false, true]);
        drop([first, second, third]);
        let fourth = Workspace::sharing(indexes);
        assert_eq!(seen(&fourth, root.path(), "none.rs"), "two three new (3 files, 3 parsed)");
    }

    #[test]
    fn stops_when_told_to() {
        let root = folder(&[("a.rs", "fn wanted() {}")]);
        let index = Workspace::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| true), Walked::Cancelled);
        assert!(!index.is_reliable_for(by_language_id("rust").unwrap()));
    }
}
