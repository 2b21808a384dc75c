//! Recognizes test files by their names and folders.

use std::path::Path;

/// Whether a file is named as test runners name tests: `test_a.py`, `a_test.go`, `ATest.java`, `a.spec.ts`.
pub fn is_named_as_test(file: &str) -> bool {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let inner = file.rsplit_once('.').map_or(file, |(inner, _)| inner);
    stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
        || [".test", ".spec"].iter().any(|end| inner.ends_with(end))
}

/// Whether a file holds tests, examples or benchmarks, by its name and the folders above it.
///
/// The folders above all files of the workspace say nothing.
pub fn is_beside_the_code(path: &Path) -> bool {
    const FOLDERS: [&str; 18] = [
        "__mocks__",
        "__tests__",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "demo",
        "example",
        "examples",
        "_examples",
        "fixtures",
        "fuzz",
        "mocks",
        "spec",
        "specs",
        "test",
        "testdata",
        "tests",
    ];
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split_once('.').map_or(&*file, |(stem, _)| stem);
    let name = |it: &std::ffi::OsStr| it.to_string_lossy().to_lowercase();
    let mut folders = path.parent().into_iter().flat_map(Path::iter).map(name);
    is_named_as_test(&file)
        || ["test", "tests", "conftest"].contains(&stem)
        || folders
            .any(|it| FOLDERS.contains(&it.as_str()) || it.starts_with("test-") || it.ends_with("-tests"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_names() {
        for file in
            ["test_a.py", "a_test.go", "a_spec.rb", "ATest.java", "ATests.cs", "a.test.ts", "a.b.spec.tsx"]
        {
            assert!(is_named_as_test(file), "{file}");
        }
        for file in ["a.py", "latest.rs", "testing.go", "contest.py", "spec.rb", "a.ts", ""] {
            assert!(!is_named_as_test(file), "{file}");
        }
    }
}
