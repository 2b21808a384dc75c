//! Which other files show what a file can import: those of its package, and no tests unless it is one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::grammar;
use crate::workspace::is_beside_the_code;

/// The folders that hold a package, by the manifest in them.
#[derive(Debug)]
pub struct Packages(HashSet<PathBuf>);

impl Packages {
    /// Those among the paths of a workspace.
    pub fn among<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let runners = || grammar::all().flat_map(|it| &it.facts().test_runners);
        let manifests: HashSet<&str> = runners().filter_map(|it| it.manifest.as_deref()).collect();
        let is_manifest = |path: &&Path| {
            path.file_name().and_then(|it| it.to_str()).is_some_and(|it| manifests.contains(it))
        };
        Self(paths.filter(is_manifest).filter_map(Path::parent).map(Path::to_path_buf).collect())
    }

    /// Whether what one file imports can be imported in another one, too.
    ///
    /// Another package may lack the dependency, and code may not depend on what its tests use.
    pub fn is_evidence(&self, other: &Path, own: &Path) -> bool {
        let shared = other.iter().zip(own.iter()).take_while(|(a, b)| a == b).count();
        let is_beside = |path: &Path| is_beside_the_code(&path.iter().skip(shared).collect::<PathBuf>());
        self.around(other) == self.around(own) && (!is_beside(other) || is_beside(own))
    }

    fn around<'f>(&self, file: &'f Path) -> Option<&'f Path> {
        file.ancestors().skip(1).find(|it| self.0.contains(*it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], other: &str, own: &str, expected: bool) {
        let packages = Packages::among(paths.iter().map(Path::new));
        assert_eq!(packages.is_evidence(Path::new(other), Path::new(own)), expected, "{other} for {own}");
    }

    #[test]
    fn file_of_another_package_is_no_evidence() {
        let paths = ["/r/Cargo.toml", "/r/a/Cargo.toml", "/r/web/package.json", "/r/web/src/package.rs"];
        check(&paths, "/r/a/src/lib.rs", "/r/a/src/b/c.rs", true);
        check(&paths, "/r/a/src/lib.rs", "/r/b/src/lib.rs", false);
        check(&paths, "/r/src/lib.rs", "/r/b/src/lib.rs", true);
        check(&paths, "/r/web/src/a.ts", "/r/a.ts", false);
        check(&[], "/r/web/src/a.ts", "/r/a.ts", true);
    }

    #[test]
    fn test_is_evidence_for_tests_alone() {
        check(&[], "/r/tests/a.py", "/r/src/a.py", false);
        check(&[], "/r/src/test_a.py", "/r/src/a.py", false);
        check(&[], "/r/src/a.py", "/r/tests/a.py", true);
        check(&[], "/r/tests/a.py", "/r/tests/b/c.py", true);
        check(&[], "/r/tests/a.py", "/r/src/a_test.py", true);
        // The whole workspace is below a folder of this name.
        check(&[], "/tests/r/src/a.py", "/tests/r/src/b.py", true);
    }
}
