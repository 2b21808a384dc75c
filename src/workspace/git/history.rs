//! The texts changed by the last commits.

use std::collections::HashMap;
use std::path::Path;

use super::error::GitError;
use super::is_below;
use super::repository::{Logs, Repository};

/// Maximum size in bytes of a text, before or after.
const MOST_TEXT_BYTES: usize = 256 * 1024;
/// Bytes of the texts that one run of git may print.
const RUN_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of files in a commit; larger commits are machine-made.
const MOST_FILES: usize = 16;

/// A commit with one parent, and the texts it changes in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The commit's hash.
    pub hash: String,
    /// The changed files that are UTF-8 and not large.
    pub files: Vec<ChangedText>,
}

/// A text before and after a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedText {
    /// The path relative to the repository's root.
    pub path: String,
    /// The text before the commit.
    pub old: String,
    /// The text after the commit.
    pub new: String,
}

/// The last commits of the repository at `root`, newest first, with the `wanted` files among their texts.
///
/// Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer.
pub fn history(
    root: &Path,
    most: usize,
    mut wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<Commit>, GitError> {
    let repository = Repository::open(root, Logs::LeftOut)?;
    repository.has_its_objects()?;
    let log = repository.raw_log(most)?;
    let mut commits = raw(&String::from_utf8_lossy(&log));
    commits.iter_mut().for_each(|(_, files)| files.retain(|it| is_below(&it.path) && wanted(&it.path)));
    commits.retain(|(_, files)| (1..=MOST_FILES).contains(&files.len()));
    let names: Vec<&str> =
        commits.iter().flat_map(|(_, files)| files).flat_map(|it| [&*it.old, &*it.new]).collect();
    let mut texts = HashMap::new();
    for names in runs(&repository, &names)? {
        contents(&repository.objects(&names, true)?, &mut texts);
    }
    let commits = commits.into_iter().map(|(hash, files)| {
        let text = |name: &str| texts.get(name).cloned();
        let files = files.into_iter().filter_map(|RawFile { path, old, new }| {
            Some(ChangedText { path, old: text(&old)?, new: text(&new)? })
        });
        Commit { hash, files: files.collect() }
    });
    Ok(commits.filter(|it| !it.files.is_empty()).collect())
}

/// A file of a commit, with the hashes of its blobs.
struct RawFile {
    path: String,
    old: String,
    new: String,
}

/// Parses git's raw format.
fn raw(log: &str) -> Vec<(String, Vec<RawFile>)> {
    let mut commits: Vec<(String, Vec<RawFile>)> = Vec::new();
    let mut fields = log.split('\0').map(|field| field.trim_start_matches('\n'));
    while let Some(field) = fields.next() {
        if let Some(hash) = field.strip_prefix('\u{1}') {
            commits.push((hash.trim().to_owned(), Vec::new()));
        } else if let Some(head) = field.strip_prefix(':')
            && let (Some(path), Some((_, files))) = (fields.next(), commits.last_mut())
            && let [_, "100644" | "100755", old, new, _] = head.split(' ').collect::<Vec<_>>()[..]
        {
            files.push(RawFile { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() });
        }
    }
    commits
}

/// The hashes of the blobs that are not large, batched by size.
fn runs<'a>(repository: &Repository, names: &[&'a str]) -> Result<Vec<Vec<&'a str>>, GitError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let sizes = repository.objects(names, false)?;
    let sizes = String::from_utf8_lossy(&sizes);
    let (mut runs, mut bytes) = (vec![Vec::new()], 0);
    for (name, line) in names.iter().zip(sizes.lines()) {
        let mut parts = line.split(' ').skip(1);
        let (Some("blob"), Some(Ok(size))) = (parts.next(), parts.next().map(str::parse::<usize>)) else {
            continue;
        };
        if size > MOST_TEXT_BYTES {
            continue;
        }
        if bytes + size > RUN_BYTES {
            runs.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(run) = runs.last_mut() {
            run.push(*name);
        }
    }
    runs.retain(|run| !run.is_empty());
    Ok(runs)
}

/// Parses the output of `cat-file --batch`, keeping contents that are UTF-8.
fn contents(mut printed: &[u8], texts: &mut HashMap<String, String>) {
    while let Some(end) = printed.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&printed[..end]).into_owned();
        let mut parts = head.split(' ');
        let (name, size) =
            (parts.next().unwrap_or_default(), parts.nth(1).and_then(|it| it.parse::<usize>().ok()));
        let start = end + 1;
        // A missing object has no size and no contents.
        let Some(text) = size.and_then(|size| printed.get(start..start + size)) else {
            printed = &printed[start..];
            continue;
        };
        if let Ok(text) = std::str::from_utf8(text)
            && !text.contains('\0')
        {
            texts.insert(name.to_owned(), text.to_owned());
        }
        printed = printed.get(start + text.len() + 1..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_log_is_read() {
        let head = |modes: &str| format!(":{modes} {} {} M", "a".repeat(40), "b".repeat(40));
        let log = format!(
            "\u{1}one\0\n{}\0src/a b.rs\0{}\0link\0\u{1}two\0",
            head("100644 100644"),
            head("120000 120000")
        );
        let commits = raw(&log);
        let shown: Vec<(&str, Vec<&str>)> = commits
            .iter()
            .map(|(hash, files)| (hash.as_str(), files.iter().map(|it| it.path.as_str()).collect()))
            .collect();
        assert_eq!(shown, [("one", vec!["src/a b.rs"]), ("two", vec![])]);
    }

    #[test]
    fn objects_are_read_and_those_that_are_missing_or_no_text_are_passed_over() {
        let mut texts = HashMap::new();
        contents(
            b"n1 blob 3\na\nb\nn2 missing\nn3 blob 2\n\xff\xfe\nn4 blob 0\n\nn5 blob 9\ncut",
            &mut texts,
        );
        let mut found: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&**name, &**text)).collect();
        found.sort_unstable();
        assert_eq!(found, [("n1", "a\nb"), ("n4", "")]);
    }
}
