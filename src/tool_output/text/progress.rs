//! Lines in which tools report success or progress.

/// Words at the beginning of a progress line.
const DOING: [&str; 27] = [
    "Adding",
    "Blocking",
    "Building",
    "Checking",
    "Compiling",
    "Documenting",
    "Downloaded",
    "Downloading",
    "Doc-tests",
    "Finished",
    "Fresh",
    "Locking",
    "Running",
    "Updating",
    "cachedir:",
    "collected",
    "configfile:",
    "make:",
    "platform",
    "plugins:",
    "rootdir:",
    "running",
    "test",
    "ok",
    "PASS",
    ">",
    "$",
];

/// Phrases of a line that reports success or the end of a report, in lower case.
const WELL: [&str; 11] = [
    "no issues",
    "no errors",
    "no problems",
    "no warnings",
    "all checks passed",
    "0 error",
    "found 0",
    "up to date",
    "too many errors",
    "success",
    " passed",
];

/// Whether a line reports only success or progress.
pub(super) fn is_known(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let small = line.to_lowercase();
    // pytest's headings and its progress.
    let is_of_pytest = line.starts_with("====") || line.trim_end().ends_with("%]");
    DOING.contains(&first)
        || first.starts_with("make[")
        || is_of_pytest
        || WELL.iter().any(|words| small.contains(words))
}
