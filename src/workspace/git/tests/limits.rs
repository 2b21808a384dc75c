//! Limits of the program `git`.

use std::fs;
use std::time::{Duration, Instant};

use super::*;
use crate::workspace::git::program::{LIMIT, MOST_BYTES, Program};

/// git as run in `project`, with a time limit.
fn program(folder: &TempDir, limit: Duration) -> Program {
    let root = folder.path().canonicalize().unwrap().join("project");
    Program {
        git_folder: root.join(".git"),
        objects: root.join(".git/objects"),
        work_tree: root,
        home: Some(folder.path().to_owned()),
        deadline: Instant::now() + limit,
    }
}

#[test]
fn git_that_prints_too_much_is_killed() {
    let script = |bytes| format!("{COMMITTED} head -c {bytes} /dev/zero > a.txt; git hash-object -w a.txt");
    for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
        let (folder, id) = made(&script(bytes));
        let printed = program(&folder, LIMIT).run(&["cat-file", "blob", id.trim()], &[]);
        let printed = printed.map(|it| it.len() as u64).map_err(|error| error.to_string());
        let expected = if is_read { Ok(bytes) } else { Err(GitError::TooLong(MOST_BYTES).to_string()) };
        assert_eq!(printed, expected);
    }
}

#[test]
fn git_that_does_not_end_is_killed() {
    let (folder, _) = made(&format!("{COMMITTED} mkfifo .gitattributes; touch -d 2001-01-01 a.txt"));
    let program = program(&folder, Duration::from_millis(200));
    let outcome = program.run(&["status"], &[]);
    assert!(matches!(outcome, Err(GitError::Slow(_))), "{outcome:?}");
    // Opening the pipe for writing succeeds only if a process waits to read; none is left.
    let pipe = program.work_tree.join(".gitattributes");
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
    let until = Instant::now() + Duration::from_secs(60);
    while rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).is_ok() {
        assert!(Instant::now() < until, "git still reads");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(fs::metadata(&pipe).is_ok());
}
