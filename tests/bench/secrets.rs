//! Recognizing secrets: the time of a scan, and the rate of false alarms.
//!
//! `cargo bench --bench secrets` times scans of 4 KB. `cargo bench --bench secrets -- DIR…` reads the sources below
//! folders that contain no secrets, and prints the false alarms, by kind and per thousand lines.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tandem::privacy::{TextKind, find, find_in};

/// Maximum size of a file, in bytes.
const FILE_BYTES: usize = 1_000_000;
/// Printed samples of each kind.
const SAMPLES: usize = 12;

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|it| !it.starts_with("--")).map(PathBuf::from).collect();
    if folders.is_empty() {
        times();
    } else {
        alarms(folders);
    }
}

/// Prints the shortest of many times, for texts of 4 KB and a hostile text of a megabyte.
fn times() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["src/assist/complete.rs", "src/privacy/path_rules.rs", "README.md", "Cargo.toml"] {
        let mut text = std::fs::read_to_string(root.join(name)).unwrap();
        let end = (0..=text.len().min(4096)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
        println!("{name:<26} {:>6} bytes {:>10.1?}", text.len(), shortest(2_000, &text));
    }
    let hostile = "password=\"".repeat(100_000);
    println!("{:<26} {:>6} bytes {:>10.1?}", "one hostile line", hostile.len(), shortest(5, &hostile));
}

fn shortest(rounds: usize, text: &str) -> Duration {
    let time = || {
        let started = Instant::now();
        black_box(find(black_box(text)));
        started.elapsed()
    };
    (0..rounds).map(|_| time()).min().unwrap_or_default()
}

/// Prints the findings in all files below these folders.
fn alarms(mut folders: Vec<PathBuf>) {
    let (mut files, mut lines, mut count) = (0_usize, 0_usize, 0_usize);
    let mut kinds: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    while let Some(path) = folders.pop() {
        if path.is_symlink() {
            continue;
        }
        if let Ok(entries) = std::fs::read_dir(&path) {
            folders.extend(entries.filter_map(|it| Some(it.ok()?.path())));
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > FILE_BYTES || text.contains('\0') {
            continue;
        }
        files += 1;
        lines += text.lines().count();
        for secret in find_in(&text, TextKind::of(&path.to_string_lossy(), "")) {
            count += 1;
            let (of_kind, samples) = kinds.entry(secret.kind).or_default();
            *of_kind += 1;
            if samples.len() < SAMPLES {
                let line = text[..secret.span.start].matches('\n').count() + 1;
                let found: String = text[secret.span].chars().take(60).collect();
                samples.push(format!("{}:{line}: {}", path.display(), found.escape_debug()));
            }
        }
    }
    for (kind, (of_kind, samples)) in kinds {
        println!("{kind}: {of_kind}");
        samples.iter().for_each(|sample| println!("    {sample}"));
    }
    let in_thousand = count as f64 * 1000.0 / lines.max(1) as f64;
    println!("{files} files, {lines} lines: {count} alarms, {in_thousand:.3} in a thousand lines");
}
