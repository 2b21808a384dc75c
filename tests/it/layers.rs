//! Checks the dependencies between the modules, as drawn in the crate's documentation, against the sources.

mod disk;
mod imports;
mod names;
mod network;
mod plugins;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each module, and the modules that it may use. Rows name only rows above them, so there are no cycles.
const ARROWS: &[(&str, &[&str])] = &[
    ("budget", &[]),
    ("lock", &[]),
    ("text", &[]),
    ("privacy", &["lock", "text"]),
    ("deflate", &[]),
    ("disk", &["budget", "lock", "privacy", "text"]),
    ("background", &["disk", "lock"]),
    ("config", &["disk", "lock", "privacy", "text"]),
    ("grammar", &["budget", "text"]),
    ("document", &["budget", "grammar", "text"]),
    ("record", &["disk", "document", "privacy", "text"]),
    ("compare", &["config", "text"]),
    ("edit", &["budget", "document", "grammar", "privacy", "text"]),
    ("job", &["edit", "text"]),
    ("workspace", &["disk", "document", "edit", "grammar", "lock", "privacy", "text"]),
    ("local", &["document", "edit", "grammar", "text"]),
    ("snapshot", &["config", "document", "privacy", "text", "workspace"]),
    ("tool_output", &["document", "edit", "snapshot", "text"]),
    ("session", &["config", "document", "edit", "job", "privacy", "snapshot", "text", "workspace"]),
    ("context", &["config", "document", "grammar", "privacy", "snapshot", "text", "workspace"]),
    ("prompt", &["context", "snapshot", "text"]),
    ("trained", &["config", "edit", "grammar", "prompt", "snapshot"]),
    ("route", &["job", "text"]),
    ("model", &["config", "deflate", "disk", "lock", "privacy", "text"]),
    (
        "assist",
        &[
            "background",
            "budget",
            "config",
            "context",
            "disk",
            "document",
            "edit",
            "grammar",
            "job",
            "local",
            "lock",
            "model",
            "privacy",
            "prompt",
            "route",
            "snapshot",
            "text",
            "tool_output",
            "trained",
            "workspace",
        ],
    ),
    (
        "replay",
        &[
            "assist",
            "config",
            "document",
            "lock",
            "model",
            "privacy",
            "prompt",
            "record",
            "snapshot",
            "text",
            "workspace",
        ],
    ),
    ("simulate", &["deflate", "document", "edit", "grammar", "local", "lock", "prompt", "text", "trained"]),
    ("lsp_client", &[]),
    (
        "lsp",
        &[
            "assist",
            "background",
            "budget",
            "compare",
            "config",
            "context",
            "disk",
            "document",
            "edit",
            "grammar",
            "job",
            "lock",
            "model",
            "privacy",
            "record",
            "route",
            "session",
            "snapshot",
            "text",
            "workspace",
        ],
    ),
    (
        "cli",
        &[
            "assist",
            "budget",
            "compare",
            "config",
            "context",
            "disk",
            "document",
            "lsp_client",
            "edit",
            "grammar",
            "job",
            "lock",
            "lsp",
            "model",
            "privacy",
            "record",
            "replay",
            "route",
            "session",
            "simulate",
            "snapshot",
            "text",
            "tool_output",
            "workspace",
        ],
    ),
];

/// Files that are only compiled for tests.
const TEST_FILES: &[&str] = &["tests.rs", "config/schema.rs", "grammar/samples.rs", "model/scripted.rs"];

/// Every source file, with the name of its module.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("tests")).then_some(path));
            } else if path.extension().is_some_and(|it| it == "rs")
                && !TEST_FILES.iter().any(|it| path.ends_with(it))
            {
                let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
                let module = first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
                files.push((module, path));
            }
        }
    }
    files
}

/// A source without its tests, which may use any module.
fn without_tests(source: &str) -> &str {
    source.split("\nmod tests {").next().unwrap()
}

/// The modules named after `crate::` in a source: `crate::a::b`, `crate::{a::b, c}`.
fn used(source: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for (at, _) in source.match_indices("crate::") {
        let path = &source[at + "crate::".len()..];
        let names: Vec<&str> = match path.strip_prefix('{') {
            Some(list) => list[..list.find("};").unwrap_or(0)].split(',').collect(),
            None => vec![path],
        };
        for name in names {
            let name: String =
                name.trim().chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
            if !name.is_empty() {
                modules.insert(name);
            }
        }
    }
    modules
}

#[test]
fn arrows_point_one_way() {
    let mut wrong = Vec::new();
    for (module, path) in sources() {
        if module == "main" || module == "lib" {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: the module `{module}` is not in the table", path.display()));
            continue;
        };
        for other in used(without_tests(&source)) {
            let known = ARROWS.iter().any(|(name, _)| *name == other);
            if known && other != module && !allowed.contains(&other.as_str()) {
                wrong.push(format!("{}: `{module}` uses `{other}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_circles() {
    for (at, (module, uses)) in ARROWS.iter().enumerate() {
        for other in *uses {
            let above = ARROWS[..at].iter().any(|(name, _)| name == other);
            assert!(above, "`{module}` uses `{other}`, which does not stand above it");
        }
    }
}

/// Groups of files that still import each other in a cycle. The list only shrinks: remove a group once its cycle is
/// broken.
const CIRCLES: &[&[&str]] = &[];

/// Within modules as between them, no file uses another one that leads back to it.
#[test]
fn files_have_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources().into_iter().map(|(_, path)| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        (name, std::fs::read_to_string(&path).unwrap())
    });
    let sources = imports::Crate::new(files);
    let circles = sources.circles();
    let is_within = |files: &BTreeSet<&str>, allowed: &[&str]| files.iter().all(|it| allowed.contains(it));
    let mut wrong = Vec::new();
    for (files, shown) in &circles {
        if !CIRCLES.iter().any(|allowed| is_within(files, allowed)) {
            let list = files.iter().copied().collect::<Vec<_>>().join(", ");
            wrong.push(format!("a circle of {} files ({list}):\n{shown}", files.len()));
        }
    }
    for allowed in CIRCLES {
        if !circles.iter().any(|(files, _)| is_within(files, allowed)) {
            wrong.push(format!("this circle is open, so take it out of `CIRCLES`: {allowed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The public names of `edit`'s submodules. None of them makes edits of a reply without checks.
const OPEN: &[(&str, &[&str])] = &[
    ("edit/check.rs", &["invisible", "is_stuck", "reversal", "syntax", "syntax_of"]),
    ("edit/locate.rs", &["Level"]),
    ("edit/normalize.rs", &["End", "Literal", "NO_EDITS"]),
    ("edit/parse.rs", &["Format", "Outcome", "Reader", "Unchecked", "span", "without_thinking"]),
    (
        "edit/plan.rs",
        &[
            "Claims",
            "Entry",
            "Files",
            "Identity",
            "Kind",
            "Permissions",
            "ResolvedPath",
            "assemble",
            "is_git_folder",
            "plan",
        ],
    ),
];

/// The names of a file that are visible outside its parent.
fn opened(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in source.match_indices("\npub") {
        let rest = &source[at + "\npub".len()..];
        let rest = rest.strip_prefix("(crate)").unwrap_or(rest);
        let Some((kind, rest)) = rest.strip_prefix(' ').and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let list = match (kind, rest.split(';').next().unwrap()) {
            ("use", path) => path.split_once('{').map_or(path, |(_, list)| list.trim_end_matches('}')),
            _ => &rest[..rest.find(|sign: char| !is_part(sign)).unwrap()],
        };
        names.extend(
            list.split(',')
                .map(|name| name.trim().rsplit(|sign: char| !is_part(sign)).next().unwrap().to_owned()),
        );
    }
    names.remove("");
    names
}

/// Outside of `edit`, there are no readers that return unchecked edits, and no checks assembled from parts.
#[test]
fn edits_come_out_of_one_door() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    for (name, expected) in OPEN {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(opened(without_tests(&read(name))), expected, "what {name} has for others");
    }
    let rooms = opened(without_tests(&read("edit.rs")));
    for room in ["locate", "normalize", "parse"] {
        assert!(!rooms.contains(room), "`edit::{room}` is open to all");
    }
    for (module, path) in sources().into_iter().filter(|(module, _)| module != "edit") {
        let source = std::fs::read_to_string(&path).unwrap();
        for sign in ["Checks {", "edit::parse", "edit::normalize", "edit::locate"] {
            let found = without_tests(&source).contains(sign);
            assert!(!found, "{} (`{module}`) has `{sign}`", path.display());
        }
    }
}

/// The crate's documentation lists every file of the server that has a lock, and no other.
#[test]
fn every_lock_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = std::fs::read_to_string(root.join("lib.rs")).unwrap();
    let list = page.split("//! # Locks\n").nth(1).unwrap().split("//! # ").next().unwrap();
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.strip_prefix("//! ")?.split_whitespace().next())
        .filter(|word| word.ends_with(".rs"))
        .map(str::to_owned)
        .collect();
    let others = ["cli", "lock", "lsp_client", "simulate", "lib", "main"];
    let mut locking = BTreeSet::new();
    for (module, path) in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let has_lock = without_tests(&source)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .any(|line| ["Mutex<", "RwLock<", "Semaphore>"].iter().any(|lock| line.contains(lock)));
        if has_lock && !others.contains(&module.as_str()) {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            locking.insert(name);
        }
    }
    assert_eq!(listed, locking, "the locks that `src/lib.rs` lists, and the files that have one");
}

/// Properties of a language are read from its entry in `grammars/languages.toml`. No other module compares names of
/// languages, so that an added one is treated like any other.
#[test]
fn languages_are_named_in_one_place() {
    // Marks of code blocks, a format of replies, a keyword, the language of a sample, and endings of settings files,
    // most of which have no grammar.
    let exempt = [
        ("edit", "bash"),
        ("edit", "json"),
        ("local", "go"),
        ("cli", "rust"),
        ("privacy", "bash"),
        ("privacy", "yaml"),
    ];
    let ids: Vec<&str> = tandem::grammar::all().map(|grammar| grammar.id()).collect();
    let mut named = Vec::new();
    for (module, path) in sources().into_iter().filter(|(module, _)| module != "grammar") {
        if path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for id in ids.iter().filter(|id| !exempt.contains(&(&module, id))) {
            if without_tests(&source).contains(&format!("\"{id}\"")) {
                named.push(format!("{} names the language `{id}`", path.display()));
            }
        }
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

/// The walkthroughs in the crate's documentation name existing files, each once.
#[test]
fn walks_name_each_file_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = std::fs::read_to_string(root.join("lib.rs")).unwrap();
    let walks = page.split("//! # What happens\n").nth(1).unwrap().split("//! # ").next().unwrap();
    let walks: Vec<&str> = walks.split("//! ```text\n").skip(1).collect();
    assert_eq!(walks.len(), 3);
    for walk in walks {
        let lines = walk.split("//! ```\n").next().unwrap().lines();
        let files: Vec<&str> = lines.filter_map(|line| line.split_whitespace().nth(1)).collect();
        let distinct: BTreeSet<&str> = files.iter().copied().collect();
        assert_eq!(files.len(), distinct.len(), "{walk}");
        for file in files {
            assert!(root.join(file).is_file(), "{file} does not exist");
        }
    }
}

/// Everything below `lsp` is independent of the protocol's types, and of its framework.
#[test]
fn protocol_types_stay_at_the_edge() {
    for (module, path) in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let speaks = source.contains("tower_lsp");
        assert!(!speaks || module == "lsp", "{} names the protocol's framework", path.display());
    }
}

/// Only some modules do I/O or wait.
#[test]
fn the_core_does_no_io() {
    let allowed = [
        "assist",
        "background",
        "cli",
        "config",
        "deflate",
        "disk",
        "lsp_client",
        "lib",
        "lsp",
        "main",
        "model",
        "record",
        "replay",
        "simulate",
        "workspace",
    ];
    for (module, path) in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let code = without_tests(&source);
        for sign in ["std::fs", "std::net", "tokio::", "async fn", ".await"] {
            let found = code.contains(sign);
            assert!(!found || allowed.contains(&module.as_str()), "{} has `{sign}`", path.display());
        }
    }
}

/// Jobs ask models only in the pipeline, which redacts secrets and checks access.
#[test]
fn models_are_asked_in_one_place() {
    let asks = |path: &Path| without_tests(&std::fs::read_to_string(path).unwrap()).contains(".stream(");
    let asking: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|(module, path)| ["assist", "lsp", "cli"].contains(&module.as_str()) && asks(path))
        .map(|(_, path)| path)
        .collect();
    assert!(matches!(&asking[..], [path] if path.ends_with("assist/pipeline.rs")), "{asking:?}");
}

/// Only one module writes to the terminal; it shows foreign text safely.
#[test]
fn the_terminal_is_written_in_one_place() {
    for (_, path) in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let writes = without_tests(&source).contains("anstream");
        assert!(!writes || path.ends_with("cli/terminal.rs"), "{} writes to the terminal", path.display());
    }
}

/// git is started in one place, where no configuration of a repository is in effect.
#[test]
fn git_is_started_in_one_place() {
    let starts = |path: &Path| {
        let source = std::fs::read_to_string(path).unwrap();
        without_tests(&source).contains("Command::new(\"git\")") && !path.ends_with("tests.rs")
    };
    let starting: Vec<PathBuf> =
        sources().into_iter().map(|(_, path)| path).filter(|path| starts(path)).collect();
    assert!(matches!(&starting[..], [path] if path.ends_with("workspace/git/program.rs")), "{starting:?}");
}
