//! Counts the instructions of a case.

use std::fs;
use std::process::Command;

use crate::DOUBLINGS;
use crate::cases::Case;

/// Runs a case in each size, with a mark before and behind what is counted.
pub(crate) fn each_size(case: &Case, from: usize) {
    // The first run compiles queries and fills caches.
    (case.prepare)((from / 8).max(1))();
    for doubled in 0..=DOUBLINGS {
        let work = (case.prepare)(from << doubled);
        mark();
        work();
        mark();
    }
}

/// Ends a count.
fn mark() {
    #[cfg(unix)]
    std::hint::black_box(std::os::unix::process::parent_id());
}

/// Runs this program for a case, and returns the instructions for each size.
pub(crate) fn under_valgrind(name: &str, from: usize) -> Result<Vec<u64>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("count");
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-after=getppid", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().map_err(|error| error.to_string())?)
        .args(["--count", name, &from.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        return Err(said.lines().rev().take(3).collect::<Vec<_>>().join(" / "));
    }
    // Every second one is of the preparation.
    let counts = (0..=DOUBLINGS).map(|doubled| {
        let path = format!("{}.{}", out.display(), 2 * doubled + 2);
        let dump = fs::read(path).map_err(|error| error.to_string())?;
        let dump = String::from_utf8_lossy(&dump);
        let total = dump.lines().rev().find_map(|line| line.strip_prefix("totals: "));
        total.and_then(|it| it.trim().parse().ok()).ok_or_else(|| "no total".to_owned())
    });
    counts.collect()
}
