//! How properties are tested, the same in the crate's own tests and in these.

use proptest::test_runner::{Config, FileFailurePersistence};

/// The configuration of every `proptest!`.
///
/// A case that failed is kept in one file for all of them, and tried first from then on. Tests run in the
/// crate's folder, which the path starts from.
pub(crate) fn config() -> Config {
    let kept = FileFailurePersistence::Direct("tests/proptest-regressions.txt");
    Config { failure_persistence: Some(Box::new(kept)), ..Config::default() }
}
