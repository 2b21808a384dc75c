//! Files in a workspace are read and inspected through one module, which knows which callers must not wait.

use std::path::Path;

use super::{sources, without_tests};

/// Files and folders that are exempt, with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("disk/", "the one module"),
    ("cli/", "a command waits for what the user named; but see `SERVING`"),
    ("simulate", "what the user named"),
    ("model/usage/day.rs", "figures in the user's own folder"),
    ("model/bill", "the bill, in the file that the user named, and a note in the user's own folder"),
    ("lsp/duel_file.rs", "a duel's figures in the user's own folder"),
    ("record/ring.rs", "the recording in the user's own folder"),
    ("workspace/cache.rs", "the cache in the user's own folder"),
    ("workspace/scratch.rs", "writes the copy, in the place for temporary files"),
    ("workspace/git/repository.rs", "writes the copy, in the place for temporary files"),
    ("assist/plan/sandbox.rs", "looks at the copy and at the user's own folders, in the lane of a plan"),
    ("assist/plan/processes.rs", "reads `/proc`, which is no disk"),
    ("cli/acp/history.rs", "what was said in sessions, in the user's own folder and its lane"),
];

/// Commands that serve an editor, so that one folder must not block the others.
const SERVING: &[&str] = &["cli/acp"];

/// Source patterns of reads, writes and file system queries.
const SIGNS: &[&str] = &[
    "fs::",
    "File::open",
    "OpenOptions",
    ".canonicalize()",
    ".exists()",
    ".try_exists()",
    ".symlink_metadata()",
    ".read_dir()",
    ".read_link()",
];

/// Methods that both paths and the results of file system queries have; calling them on results is allowed.
const SHARED: &[&str] = &[".metadata()", ".is_file()", ".is_dir()"];

/// Endings of receivers of these methods that are such results.
const LOOKED_AT: &[&str] = &["kind", "metadata", "found", "it", "entry", "file", "id", "id()", "new(uri)"];

/// Imports of result types, and of a system's traits for them.
const TYPES: &[&str] = &[
    "std::fs::{DirEntry, Metadata}",
    "std::fs::DirEntry",
    "std::fs::File;",
    "std::os::unix::fs::",
    "rustix::fs::",
];

/// The lines of a source that bypass the module, each with its number.
fn past(source: &str) -> Vec<String> {
    let is_look = |line: &str| {
        let asked = SHARED.iter().flat_map(|sign| line.match_indices(sign));
        let is_path = |(at, _): (usize, &str)| !LOOKED_AT.iter().any(|name| line[..at].ends_with(name));
        SIGNS.iter().any(|sign| line.contains(sign)) || asked.into_iter().any(is_path)
    };
    let lines = without_tests(source).lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    let code =
        code.map(|(at, line)| (at, TYPES.iter().fold(line.to_owned(), |line, it| line.replace(it, ""))));
    code.filter(|(_, line)| is_look(line)).map(|(at, line)| format!("{}: {}", at + 1, line.trim())).collect()
}

#[test]
fn workspaces_are_read_and_looked_at_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut needed) = (Vec::new(), Vec::new());
    for (_, path) in sources() {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let source = std::fs::read_to_string(&path).unwrap();
        let lines = past(&source);
        let is_serving = SERVING.iter().any(|it| name.starts_with(it));
        let exempt = EXEMPT.iter().find(|(it, _)| *it == name || name.starts_with(it) && !is_serving);
        match exempt {
            Some((exempt, _)) => needed.extend((!lines.is_empty()).then_some(*exempt)),
            None => wrong.extend(lines.iter().map(|line| format!("src/{name}:{line}"))),
        }
    }
    assert!(wrong.is_empty(), "these belong in `disk`:\n{}", wrong.join("\n"));
    for (name, reason) in EXEMPT {
        assert!(needed.contains(name), "`{name}` ({reason}) needs no exemption");
    }
}

#[test]
fn a_look_past_the_module_is_seen() {
    let check = |line: &str, expected: bool| assert_eq!(!past(line).is_empty(), expected, "{line}");
    check("let text = std::fs::read_to_string(path)?;", true);
    check("if root.join(\"a\").exists() {", true);
    check("names.find(|path| path.is_file())", true);
    check("let length = path.metadata()?.len();", true);
    check("kind if kind.is_file() => Kind::File,", false);
    check("let metadata = entry.metadata()?;", false);
    check("let real = disk::real(path)?;", false);
    check("// `fs::read` would wait", false);
}

/// Files that send work to the blocking pool, with its description. Parses and edits wait for the pool's few threads.
const POOL: &[(&str, &str)] = &[
    ("assist/pipeline.rs", "computes, and panics if it looks at a disk"),
    ("lsp/task.rs", "computes, and panics if it looks at a disk"),
    ("background.rs", "waits for a thread that computes"),
    ("assist/validate.rs", "frees a tree"),
    ("assist/plan/verify.rs", "looks through the processes of the system"),
    ("workspace/scratch.rs", "removes a copy, in the place for temporary files"),
    ("lsp/requests/plan.rs", "writes a diff, in the place for temporary files"),
    ("cli/acp/auth.rs", "loads settings, whose files have lanes, and runs the user's commands for keys"),
    ("cli/acp/turn.rs", "loads settings, whose files have lanes, and runs the user's commands for keys"),
    ("model/fallback/watch.rs", "reads a note in the user's own folder"),
    ("model/tls.rs", "reads certificates"),
    ("model/bill.rs", "reads and writes in the user's own folder, and the file that the user named"),
    ("model/policy.rs", "reads and writes a note in the user's own folder"),
    ("model/token/exchange.rs", "reads a token in the user's own folder"),
    ("lsp/canary.rs", "writes figures in the user's own folder"),
    ("model/usage/day_count.rs", "writes figures in the user's own folder"),
];

#[test]
fn what_is_handed_to_the_pool_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut handing = Vec::new();
    for (_, path) in sources() {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let source = std::fs::read_to_string(&path).unwrap();
        let is_command = name.starts_with("cli/") && !SERVING.iter().any(|it| name.starts_with(it));
        if !is_command && without_tests(&source).contains("spawn_blocking(") {
            handing.push(name);
        }
    }
    handing.sort();
    let mut listed: Vec<&str> = POOL.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(handing, listed);
}
