//! The arrows between the modules, as drawn in the crate's documentation: read from the sources, not believed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each module, and the modules that it may use. Every row names only rows above it, so there are no circles.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("privacy", &["text"]),
    ("deflate", &[]),
    ("disk", &["privacy"]),
    ("config", &["disk", "privacy", "text"]),
    ("grammar", &[]),
    ("job", &[]),
    ("document", &["grammar"]),
    ("edit", &["document", "grammar", "privacy"]),
    ("index", &["disk", "grammar", "privacy"]),
    ("local", &["document", "edit", "grammar"]),
    ("snapshot", &["config", "document", "privacy"]),
    ("session", &["config", "document", "edit", "job", "privacy", "snapshot"]),
    ("context", &["config", "document", "grammar", "privacy", "snapshot"]),
    ("prompt", &["context"]),
    ("route", &["job"]),
    ("model", &["config", "deflate", "disk", "privacy", "text"]),
    (
        "assist",
        &[
            "config", "context", "document", "edit", "grammar", "index", "job", "local", "model", "privacy",
            "prompt", "route", "snapshot",
        ],
    ),
    ("simulate", &["deflate", "document", "edit", "local", "prompt"]),
    ("driver", &[]),
    (
        "lsp",
        &[
            "assist", "config", "context", "disk", "document", "edit", "grammar", "index", "job", "model",
            "privacy", "route", "session", "snapshot", "text",
        ],
    ),
    (
        "cli",
        &[
            "assist", "config", "context", "disk", "document", "driver", "edit", "grammar", "index", "job",
            "lsp", "model", "privacy", "route", "session", "simulate", "snapshot", "text",
        ],
    ),
];

/// Files that are compiled for tests only.
const TEST_FILES: &[&str] = &["tests.rs", "config/schema.rs", "grammar/samples.rs"];

/// Every source file, with the name of its module.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
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

/// A source up to its tests, which may use what they like.
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

/// Everything below `lsp` is free of the protocol's types, and of its framework.
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
        "assist", "cli", "config", "deflate", "disk", "driver", "index", "lib", "lsp", "main", "model",
        "simulate",
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

/// What reads a file names [`disk`](tandem::disk), which reads in bounds; the rest is listed, with the reason.
#[test]
fn files_are_read_in_one_place() {
    // What the user names on the command line is read whole, and what is written is the user's own.
    let exempt = ["src/disk/", "src/cli/", "src/main.rs"];
    for (_, path) in sources() {
        let shown =
            path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_string_lossy().replace('\\', "/");
        if exempt.iter().any(|it| shown.starts_with(it)) {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for sign in ["File::open", "fs::read(", "fs::read_to_string", "OpenOptions"] {
            assert!(!without_tests(&source).contains(sign), "{shown} has `{sign}`");
        }
    }
}

/// What writes to the terminal names the one module that shows others' text safely.
#[test]
fn the_terminal_is_written_in_one_place() {
    for (_, path) in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let writes = without_tests(&source).contains("anstream");
        assert!(!writes || path.ends_with("cli/terminal.rs"), "{} writes to the terminal", path.display());
    }
}
