use std::path::{Path, PathBuf};

use super::*;
use crate::document::{Document, DocumentId};
use crate::workspace::Workspace;
use expect_test::{Expect, expect};

/// A project on disk, with the cursor at `ˇ` in its first file.
struct Project {
    root: tempfile::TempDir,
    workspace: Workspace,
    document: Document,
    cursor: usize,
    path: PathBuf,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::default();
        for (name, text) in files {
            workspace.read_again(0, &crate::folder::write(root.path(), name, &text.replace('ˇ', "")));
        }
        let (name, marked) = files[0];
        let path = root.path().join(name);
        let language = crate::grammar::by_path(&path).unwrap().id();
        let id = DocumentId::new(&format!("file://{}", path.display()));
        let document = Document::new(id, language, 0, &marked.replace('ˇ', ""));
        Self { cursor: marked.find('ˇ').unwrap(), workspace, document, path, root }
    }

    fn gather(&self, rules: &[(Arc<str>, String)], only: Option<&[PathBuf]>) -> Related {
        gather(&Query {
            document: &self.document,
            path: &self.path,
            cursor: self.cursor,
            workspace: &self.workspace,
            rules,
            recent: &[],
            only,
            before: &Related::default(),
            shown: &|path| path.strip_prefix(self.root.path()).unwrap().display().to_string().into(),
            cancelled: &|| false,
        })
    }
}

fn listed(parts: &[&RelatedPart]) -> String {
    let line = |it: &&RelatedPart| format!("{}:{} {}: {}", it.path, it.line, it.kind, it.text);
    parts.iter().map(line).collect()
}

/// Checks the context gathered at `ˇ` in the first of some files.
#[track_caller]
fn check(files: &[(&str, &str)], expect: Expect) {
    let gathered = Project::new(files).gather(&[], None);
    expect.assert_eq(&listed(&gathered.within(MOST_BYTES)));
}

#[test]
fn what_is_called_comes_whole_and_last() {
    check(
        &[
            ("app.py", "from settings import load_settings\n\n\ndef main():\n    value = load_settings(ˇ"),
            (
                "settings.py",
                "def load_settings(path, strict=True):\n    \"\"\"Reads the settings.\"\"\"\n    return path\n",
            ),
            ("other.py", "def unrelated(x):\n    return x\n"),
        ],
        expect![[r#"
            other.py:1 excerpt: def unrelated(x):
                return x
            settings.py:1 excerpt: def load_settings(path, strict=True):
                return path
        "#]],
    );
}

#[test]
fn what_is_too_long_or_has_a_key_comes_as_a_signature() {
    let key = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let long = "    step()\n".repeat(31);
    let functions = format!(
        "def short(x):\n    deep(x)\n\n\ndef long(x):\n{long}\n\ndef keyed(x):\n    use(\"{key}\")\n"
    );
    check(
        &[("app.py", "from b import short, long, keyed\n\nkeyed(long(short(ˇ"), ("b.py", &functions)],
        expect![[r#"
            b.py:39 signatures: def keyed(x):
            b.py:5 signatures: def long(x):
            b.py:1 excerpt: def short(x):
                deep(x)
        "#]],
    );
}

#[test]
fn a_type_that_is_named_is_shown_whole() {
    check(
        &[
            (
                "src/main.rs",
                "mod order;\nuse order::Order;\n\nfn total(order: &Order) -> u32 {\n    order.ˇ\n}\n",
            ),
            (
                "src/order.rs",
                "/// An order.\npub struct Order {\n    pub price: u32,\n    pub amount: u32,\n}\n",
            ),
        ],
        expect![[r#"
            src/order.rs:1 excerpt: pub struct Order {
                pub price: u32,
                pub amount: u32,
            }
        "#]],
    );
}

#[test]
fn similar_code_comes_whole_and_the_most_alike_last() {
    check(
        &[
            ("a.py", "def read(path):\n    handle = open_archive(path)\n    ˇ\n"),
            (
                "b.py",
                "def write(path):\n    # Slow.\n    handle = open_archive(path)\n    handle.verify_checksum()\n    \
                 handle.release()\n",
            ),
            ("c.py", "def other(path):\n    handle = path\n    return handle.size()\n"),
        ],
        expect![[r#"
            c.py:1 excerpt: def other(path):
                handle = path
                return handle.size()
            b.py:1 excerpt: def write(path):
                handle = open_archive(path)
                handle.verify_checksum()
                handle.release()
        "#]],
    );
}

#[test]
fn a_comment_is_helped_by_comments() {
    let other = "# The archive is verified before anything is read.\n# A broken one is refused.\nlimit = 3\n";
    let whole = "b.py:1 excerpt: # The archive is verified before anything is read.\n# A broken one is refused.\n\
                 limit = 3\n";
    let check = |text: &str, expected: &str| {
        let gathered = Project::new(&[("a.py", text), ("b.py", other)]).gather(&[], None);
        assert_eq!(listed(&gathered.within(MOST_BYTES)), expected, "{text}");
    };
    check("limit = 2\n# The archive is ˇ\n", whole);
    // The next line may continue the comment.
    check("limit = 2\n# The archive is\nˇ\n", whole);
    let signature = "b.py:3 signatures: limit = 3  // The archive is verified before anything is read.\n";
    check("limit = 2\n# The archive is\n\nˇ\n", signature);
}

#[test]
fn only_files_that_may_be_shown_are() {
    let project = Project::new(&[
        ("a.py", "from b import load\nload(ˇ"),
        ("b.py", "def load(path):\n    return path\n"),
    ]);
    assert!(!project.gather(&[], None).parts.is_empty());
    assert!(project.gather(&[], Some(&[])).parts.is_empty());
    let open = [project.root.path().join("b.py")];
    assert!(!project.gather(&[], Some(&open)).parts.is_empty());
}

#[test]
fn lines_with_a_key_are_left_out() {
    // Assembled here, so that this file contains no key. The key's name is on another line than the key.
    let key = "A1b2C3d4E5f6G7h8".repeat(2);
    let settings = format!(
        "def load(path):\n    password = (\n        \"{key}\"\n    )\n    return connect(password)\n\n\n{}",
        "def load_all(path):\n    one = load(path)\n    two = load(path)\n    return connect(one, two)\n"
            .repeat(5)
    );
    let project = Project::new(&[("a.py", "from b import load\npassword = load(ˇ"), ("b.py", &settings)]);
    let gathered = project.gather(&[], None);
    assert!(gathered.parts.iter().any(|it| it.text.contains("connect")), "{gathered:?}");
    assert!(!format!("{gathered:?}").contains(&key));
}

#[test]
fn rules_are_cut_to_their_share_and_come_first() {
    let project =
        Project::new(&[("a.py", "from b import load\nload(ˇ"), ("b.py", "def load(path):\n    return 1\n")]);
    let rules = [("AGENTS.md".into(), "Use tabs.\n".repeat(1_000))];
    let gathered = project.gather(&rules, None);
    let first = &gathered.parts[0];
    assert_eq!((&*first.path, first.kind), ("AGENTS.md", RelatedKind::Rules));
    assert!((700..=RULES_BYTES).contains(&first.text.len()), "{}", first.text.len());
    assert!(first.text.ends_with("\nUse tabs.\n"));
    assert_eq!(&*gathered.parts[1].path, "b.py");
}

#[test]
fn a_small_budget_gets_what_matters_most() {
    let functions: String =
        (0..400).map(|n| format!("fn wide_{n}(wide: u32) -> u32 {{\n    wide.part_{n}()\n}}\n\n")).collect();
    let project = Project::new(&[
        ("src/main.rs", "mod wide;\nfn f(wide: u32) {\n    wide.ˇ\n}\n"),
        ("src/wide.rs", &functions),
    ]);
    let gathered = project.gather(&[], None);
    let mut before = 0;
    for bytes in [0, 400, 1_000, 4_000, MOST_BYTES] {
        let parts = gathered.within(bytes);
        let text: usize = parts.iter().map(|part| part.text.len()).sum();
        assert!(text <= bytes && parts.len() >= before);
        before = parts.len();
    }
    assert!(before > 10, "{before}");
}

#[test]
fn nothing_is_gathered_for_prose_but_the_rules() {
    let root = Path::new("/nowhere");
    let document = Document::new(DocumentId::new("a"), "klingon", 0, "x");
    let rules = [("AGENTS.md".into(), "Use tabs.".to_owned())];
    let gathered = gather(&Query {
        document: &document,
        path: root,
        cursor: 1,
        workspace: &Workspace::default(),
        rules: &rules,
        recent: &[],
        only: None,
        before: &Related::default(),
        shown: &|_| "a".into(),
        cancelled: &|| false,
    });
    assert_eq!(listed(&gathered.within(MOST_BYTES)), "AGENTS.md:1 rules: Use tabs.\n");
}
