//! Recognizes test files by their names.

/// Whether a file is named as test runners name tests: `test_a.py`, `a_test.go`, `ATest.java`, `a.spec.ts`.
pub fn is_named_as_test(file: &str) -> bool {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let inner = file.rsplit_once('.').map_or(file, |(inner, _)| inner);
    stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
        || [".test", ".spec"].iter().any(|end| inner.ends_with(end))
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
