//! Messages that report unused names.

use super::problem::subjects;
use super::unknown::says;

/// How tools report unused imports.
pub(super) const UNUSED_IMPORT: &[&str] = &[
    "unused+import",
    "imported but unused",
    "imported and not used",
    "imported but not used",
    "declared but its value is never read",
    "declared but never used",
    "is defined but never used",
    "is not accessed+import",
];

/// How tools report unused variables.
pub(super) const UNUSED_VARIABLE: &[&str] = &[
    "unused variable",
    "declared but not used",
    "declared and not used",
    "is assigned to but never used",
    "is assigned a value but never used",
    "declared but its value is never read",
];

pub(super) fn unused_names(message: &str) -> Vec<&str> {
    let said = message.to_lowercase();
    match says(&said, UNUSED_IMPORT) || says(&said, UNUSED_VARIABLE) {
        true => subjects(message),
        false => Vec::new(),
    }
}
