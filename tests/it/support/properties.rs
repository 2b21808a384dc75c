//! The settings of property tests, shared by the crate's own tests and these.

use proptest::test_runner::{Config, FileFailurePersistence};

/// The configuration of every `proptest!`.
///
/// Failed cases of all of them are kept in one file, and run first from then on. Tests run in the crate's folder, to
/// which the path is relative.
pub(crate) fn config() -> Config {
    let kept = FileFailurePersistence::Direct("tests/proptest-regressions.txt");
    Config { failure_persistence: Some(Box::new(kept)), ..Config::default() }
}
