//! The on-disk cache of a workspace's index, for the next start.
//!
//! There is one file per set of folders, in the user's cache folder and never in the project. It holds hashes
//! of names, and the names, signatures and doc lines of definitions; anything that looks like a key has been
//! removed. It can be deleted at any time: a cache that is missing, truncated or of another version is rebuilt.
//! A file that a model may no longer be shown is not looked up, and is dropped at the next write.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::codec::{Encoder, Reader};
use super::file::{FileFacts, digest};
use super::listing::Listed;
use super::store::Workspace;
use crate::disk::{self, Links, Unreadable};
use crate::grammar::{self, Grammar};

/// Incremented when the format changes, or when the same queries find other symbols.
const FORMAT: u64 = 3;
/// Maximum size of a cache file in bytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of cache files; the oldest are deleted.
const MOST_CACHES: usize = 32;
/// A file modified this recently may change again without a new modification time.
pub(super) const UNSETTLED: Duration = Duration::from_secs(2);
const MAGIC: &[u8] = b"tandem symbols\n";

/// The cache of one set of folders.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    path: PathBuf,
}

/// The contents of a cache file.
#[derive(Debug, Default)]
pub(super) struct Known {
    bytes: Vec<u8>,
    files: HashMap<PathBuf, CacheEntry>,
}

#[derive(Debug)]
struct CacheEntry {
    language: Range<usize>,
    /// 0 if the file was modified just before.
    stamp: u64,
    content: u64,
    facts: Range<usize>,
}

impl Cache {
    /// The cache of the workspace folders `roots`, below the user's cache folder.
    pub fn new(caches: &Path, roots: &[PathBuf]) -> Self {
        let mut roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
        roots.sort_unstable();
        let names: Vec<u8> = roots
            .iter()
            .flat_map(|root| root.as_os_str().as_encoded_bytes().iter().copied().chain([0]))
            .collect();
        let folder = caches.join("tandem").join("symbols");
        Self { path: folder.join(format!("{:016x}", digest(&names))), folder }
    }

    /// Reads the cache; empty if its file cannot be read.
    pub(super) fn read(&self) -> Known {
        let bytes = match disk::bytes(&self.path, MOST_BYTES, Links::Refuse) {
            Ok(bytes) => bytes,
            Err(Unreadable::Missing) => return Known::default(),
            Err(why) => {
                tracing::info!(%why, "the cache of the workspace's symbols is not read");
                return Known::default();
            }
        };
        Known::decode(bytes).unwrap_or_else(|| {
            tracing::info!(path = %self.path.display(), "the workspace's symbols are collected anew");
            Known::default()
        })
    }

    /// Writes the facts about the files that were listed at the time `listed`.
    pub(super) fn write(
        &self,
        files: &[Listed],
        workspace: &Workspace,
        listed: SystemTime,
    ) -> io::Result<()> {
        let mut out = Encoder::default();
        out.raw(MAGIC);
        out.fixed(version());
        for Listed { path, grammar, stamp } in files {
            let (Some(name), Some((facts, taken))) = (path.to_str(), workspace.facts(path)) else { continue };
            // The facts of an open file are of the editor's text.
            if taken != Some(stamp.digest()) {
                continue;
            }
            let is_settled = stamp.modified().is_some_and(|it| it + UNSETTLED < listed);
            out.text(name);
            out.text(grammar.id());
            out.fixed(if is_settled { stamp.digest() } else { 0 });
            out.fixed(facts.content);
            out.facts(&facts);
        }
        let mut bytes = out.finish();
        bytes.extend(digest(&bytes).to_le_bytes());
        if bytes.len() as u64 > MOST_BYTES {
            return Err(io::Error::other("there are too many of them"));
        }
        std::fs::create_dir_all(&self.folder)?;
        // Temporary files are readable only by the user.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(&self.path)?;
        self.forget_old();
        Ok(())
    }

    /// Deletes the caches with the oldest writes, if there are too many.
    fn forget_old(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let mut caches: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        caches.sort_unstable_by(|a, b| b.cmp(a));
        for (_, path) in caches.into_iter().skip(MOST_CACHES) {
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::debug!(%error, "an old cache stays");
            }
        }
    }
}

/// A hash of the cache's other inputs.
///
/// They are the format, the program's version, and the symbol queries.
fn version() -> u64 {
    let mut all = format!("{FORMAT} {}\n", env!("CARGO_PKG_VERSION"));
    for grammar in grammar::all() {
        all.push_str(grammar.id());
        all.push_str(&grammar.symbols_source());
    }
    digest(all.as_bytes())
}

impl Known {
    fn decode(bytes: Vec<u8>) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<8>()?;
        if digest(content) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut reader = Reader::new(content);
        if reader.raw(MAGIC.len())? != MAGIC || reader.fixed()? != version() {
            return None;
        }
        let mut files = HashMap::new();
        while !reader.is_done() {
            let path = reader.text()?.to_owned();
            let language = reader.text_range()?;
            let (stamp, content) = (reader.fixed()?, reader.fixed()?);
            let facts = reader.facts_range()?;
            files.insert(path.into(), CacheEntry { language, stamp, content, facts });
        }
        Some(Self { bytes, files })
    }

    /// The number of cached files.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The cached facts of a file whose stamp is unchanged.
    pub(super) fn by_stamp(&self, path: &Path, grammar: &Grammar, stamp: u64) -> Option<FileFacts> {
        self.entry(path, grammar, |entry| entry.stamp != 0 && entry.stamp == stamp)
    }

    /// The cached facts of a file whose text is unchanged.
    pub(super) fn by_content(&self, path: &Path, grammar: &Grammar, text: &str) -> Option<FileFacts> {
        self.entry(path, grammar, |entry| entry.content == digest(text.as_bytes()))
    }

    fn entry(
        &self,
        path: &Path,
        grammar: &Grammar,
        is_same: impl Fn(&CacheEntry) -> bool,
    ) -> Option<FileFacts> {
        let entry = self.files.get(path).filter(|it| is_same(it))?;
        if self.bytes.get(entry.language.clone())? != grammar.id().as_bytes() {
            return None;
        }
        let facts = Reader::new(self.bytes.get(entry.facts.clone())?).facts()?;
        Some(FileFacts { content: entry.content, ..facts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Report, Scope, walk};
    use proptest::prelude::*;

    struct Project {
        root: tempfile::TempDir,
        caches: tempfile::TempDir,
    }

    impl Project {
        fn new() -> Self {
            let it = Self { root: tempfile::tempdir().unwrap(), caches: tempfile::tempdir().unwrap() };
            it.write("a.rs", "/// An A.\npub struct A { x: u8 }\nuse b::c;\n");
            it.write("b.py", "from .a import b\ndef f(x): pass\n");
            it
        }

        fn write(&self, name: &str, text: &str) {
            std::fs::write(self.root.path().join(name), text).unwrap();
        }

        fn cache(&self) -> Cache {
            Cache::new(self.caches.path(), &[self.root.path().to_owned()])
        }

        /// Walks the project; returns the workspace and the number of cached files.
        fn walk(&self) -> (Workspace, usize) {
            let workspace = Workspace::default();
            let roots = [self.root.path().to_owned()];
            let scope =
                Scope { roots: &roots, denied: &|_| false, cancelled: &|| false, is_background: false };
            let Report { known, .. } = walk(&workspace, scope, Some(&self.cache()));
            (workspace, known)
        }

        fn facts(&self, workspace: &Workspace, name: &str) -> FileFacts {
            workspace.facts(&self.root.path().join(name)).unwrap().0
        }
    }

    #[test]
    fn what_was_known_is_known_again() {
        let project = Project::new();
        let (first, known) = project.walk();
        assert_eq!(known, 0);
        let (second, known) = project.walk();
        assert_eq!(known, 2);
        for name in ["a.rs", "b.py"] {
            assert_eq!(project.facts(&first, name), project.facts(&second, name));
        }
        assert_eq!(project.facts(&second, "a.rs").symbols.definitions().len(), 2);
    }

    #[test]
    fn a_changed_file_is_read_and_one_that_is_gone_is_forgotten() {
        let project = Project::new();
        project.walk();
        project.write("b.py", "from .a import b\ndef g(x): pass\n");
        let (changed, known) = project.walk();
        assert_eq!(known, 1);
        let python = grammar::by_language_id("python").unwrap();
        assert_eq!(["f", "g"].map(|name| changed.definitions(python, name).len()), [0, 1]);
        std::fs::remove_file(project.root.path().join("a.rs")).unwrap();
        project.walk();
        assert_eq!(project.cache().read().len(), 1);
    }

    #[test]
    fn a_file_is_known_by_its_stamp_once_it_has_settled() {
        let project = Project::new();
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        let file = std::fs::File::options().write(true).open(project.root.path().join("a.rs")).unwrap();
        file.set_modified(long_ago).unwrap();
        project.walk();
        let known = project.cache().read();
        let stamp = |name: &str| known.files[&project.root.path().join(name)].stamp;
        assert_ne!(stamp("a.rs"), 0);
        assert_eq!(stamp("b.py"), 0, "it may be written again within the same moment");
    }

    #[test]
    fn a_broken_cache_is_made_anew() {
        let project = Project::new();
        project.walk();
        let path = project.cache().path;
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 1, 20, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(project.walk().1, 0, "{length} bytes");
            assert_eq!(std::fs::read(&path).unwrap().len(), whole.len());
        }
        let mut other = whole[..whole.len() - 8].to_vec();
        other[MAGIC.len()] ^= 1;
        other.extend(digest(&other).to_le_bytes());
        std::fs::write(&path, &other).unwrap();
        assert_eq!(project.walk().1, 0, "another version");
    }

    #[test]
    fn only_the_latest_caches_are_kept() {
        let project = Project::new();
        let folder = project.cache().folder;
        std::fs::create_dir_all(&folder).unwrap();
        for old in 0..MOST_CACHES {
            std::fs::write(folder.join(format!("{old}")), "old").unwrap();
        }
        project.walk();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), MOST_CACHES);
        assert!(project.cache().path.exists());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(facts) = Reader::new(&bytes).facts() {
                facts.symbols.outline();
                facts.symbols.imports().count();
            }
        }
    }
}
