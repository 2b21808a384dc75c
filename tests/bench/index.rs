//! Indexing a workspace: its time compared with a bare parse of the same files, and its memory.
//!
//! `cargo bench --bench index -- DIR…` reads the sources below the folders; by default the project's own. The floor
//! is walking, reading and parsing the same files on the same number of threads. A start with a cache is timed in the
//! same process; the memory is that of a separate process after such a start.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tandem::disk::{self, Links};
use tandem::workspace::{Cache, MOST_FILE_BYTES, Scope, Workspace, each, list, walk};

/// Rounds per measurement, in turn; the shortest time counts.
const ROUNDS: usize = 3;
/// The argument of a process that measures memory, followed by the cache's folder.
const RESIDENT: &str = "--resident";

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| it != "--bench" && it != "--test").collect();
    let cache = arguments.iter().position(|it| it == RESIDENT).map(|at| {
        arguments.remove(at);
        PathBuf::from(arguments.remove(at))
    });
    let mut roots: Vec<PathBuf> = arguments.iter().filter_map(|it| std::fs::canonicalize(it).ok()).collect();
    if roots.is_empty() {
        roots.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    }
    match cache {
        Some(caches) => resident(&roots, &Cache::new(&caches, &roots)),
        None => times(&roots, &arguments),
    }
}

fn scope(roots: &[PathBuf]) -> Scope<'_> {
    Scope { roots, denied: &|_| false, cancelled: &|| false, is_background: false }
}

fn times(roots: &[PathBuf], arguments: &[String]) {
    let mut least = [Duration::MAX; 3];
    let mut time = |at: usize, work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        least[at] = least[at].min(started.elapsed());
    };
    let caches = tempfile::tempdir().unwrap();
    let cache = Cache::new(caches.path(), roots);
    let (mut lines, mut sizes) = (0, (0, 0));
    for _ in 0..ROUNDS {
        time(0, &mut || lines = floor(roots));
        time(1, &mut || {
            let workspace = Workspace::default();
            println!("{:?}", walk(&workspace, scope(roots), None));
            sizes = workspace.size();
        });
    }
    walk(&Workspace::default(), scope(roots), Some(&cache));
    for _ in 0..ROUNDS {
        time(2, &mut || println!("{:?}", walk(&Workspace::default(), scope(roots), Some(&cache))));
    }
    let [floor, index, warm] = least.map(|it| it.as_secs_f64());
    let (files, bytes) = sizes;
    println!("{files} files, {lines} lines");
    println!("walk and parse      {floor:8.2} s");
    println!("index               {index:8.2} s   {:.2} times as long", index / floor);
    println!("start with a cache  {warm:8.2} s");
    println!("memory, reckoned    {:8.1} bytes a line", bytes as f64 / lines as f64);
    let process = std::process::Command::new(std::env::current_exe().unwrap())
        .arg(RESIDENT)
        .arg(caches.path())
        .args(arguments)
        .output()
        .unwrap();
    if let Ok(bytes) = String::from_utf8(process.stdout).unwrap().trim().parse::<usize>() {
        println!("memory, resident    {:8.1} bytes a line", bytes as f64 / lines as f64);
    }
}

/// Walks, reads and parses; returns the number of lines.
fn floor(roots: &[PathBuf]) -> usize {
    let lines = AtomicUsize::new(0);
    each(&list(scope(roots)).files, scope(roots), |listed| {
        let Ok(text) = disk::text(&listed.path, MOST_FILE_BYTES, Links::Refuse) else { return };
        lines.fetch_add(text.lines().count(), Ordering::Relaxed);
        black_box(listed.grammar.parse_str(&text));
    });
    lines.into_inner()
}

/// Prints the memory that the process gains by reading a workspace from its cache.
fn resident(roots: &[PathBuf], cache: &Cache) {
    let before = resident_bytes();
    let workspace = Workspace::default();
    walk(&workspace, scope(roots), Some(cache));
    if let (Some(before), Some(after)) = (before, resident_bytes()) {
        println!("{}", after.saturating_sub(before));
    }
    drop(workspace);
}

/// The resident memory on Linux; `None` elsewhere.
fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<usize>().ok()? * 1024)
}
