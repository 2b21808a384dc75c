//! Imports whose file does not exist, where the path determines the file.
//!
//! These are relative imports in JavaScript, TypeScript and Python, and `mod` in Rust. Imports of packages, and
//! of files that a build may make, are ignored.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tree_sitter::Node;

use super::fix_file::Reported;
use crate::disk;
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::{self, Grammar, Modules, QueryKind};
use crate::local::fix::{FileView, Suggestion, is_likely_typo_of_file};

/// Limit on the entries of a folder; larger folders are ignored.
const ENTRIES: usize = 10_000;
/// How the names of files end that a compiler of schemas writes.
const GENERATED: [&str; 3] = ["_pb", "_pb2", "_pb2_grpc"];

/// A name in an import that must be a file or a folder.
#[derive(Debug)]
struct ImportTarget {
    /// The span of the name (bytes).
    span: Range<usize>,
    name: String,
    /// The path as written.
    shown: String,
    /// The folders that may contain it.
    folders: Vec<PathBuf>,
}

/// The imports of a file that refer to files.
#[derive(Debug, Default)]
pub struct FileImports(Vec<ImportTarget>);

impl FileImports {
    /// Collects the imports. `path` is the file's own path. Waits for the parse.
    pub fn of(document: &Document, path: &Path) -> Self {
        Self(import_targets(document, path))
    }

    /// Whether no import refers to a file.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The imports of a file, and the entries of the folders that they refer to.
#[derive(Debug, Default)]
pub struct ImportedFolders {
    imports: FileImports,
    names: HashMap<PathBuf, Vec<Option<String>>>,
}

impl ImportedFolders {
    /// Reads the folders of the imports. Blocks on disk reads.
    pub fn read(imports: FileImports) -> Self {
        let folders: BTreeSet<&PathBuf> = imports.0.iter().flat_map(|it| &it.folders).collect();
        let names = folders.into_iter().map(|folder| (folder.clone(), entries(folder))).collect();
        Self { imports, names }
    }

    /// The names in a folder; contains `None` if the listing is incomplete.
    fn names(&self, folder: &Path) -> &[Option<String>] {
        self.names.get(folder).map_or(&[None], Vec::as_slice)
    }
}

/// The imports of a file that lead to no file. Empty if its folders were not read.
///
/// If the import misspells the name of exactly one file in the folder, that is offered.
///
/// `path` is the file's own path.
pub(super) fn unresolved_imports(
    document: &Document,
    path: &Path,
    folders: &ImportedFolders,
) -> Vec<Reported> {
    let Some(grammar) = document.grammar() else { return Vec::new() };
    let file = FileView::new(document);
    folders.imports.0.iter().filter_map(|it| lost(it, path, grammar, folders, &file)).collect()
}

/// The files that the imports require.
fn import_targets(document: &Document, path: &Path) -> Vec<ImportTarget> {
    let Some((grammar, folder)) = document.grammar().zip(path.parent()) else { return Vec::new() };
    match grammar.facts().modules {
        Some(Modules::Rust) => rust(document, path, folder),
        Some(Modules::Python) => paths(document, |bare| python(bare, folder)),
        Some(Modules::Javascript) => paths(document, |bare| script(bare, folder, grammar)),
        _ => Vec::new(),
    }
}

/// The report on a name that matches nothing in its folders.
fn lost(
    wanted: &ImportTarget,
    path: &Path,
    grammar: &Grammar,
    known: &ImportedFolders,
    file: &FileView<'_>,
) -> Option<Reported> {
    let ImportTarget { span, name, shown, folders } = wanted;
    let own = path.file_name()?.to_str()?;
    let mut near = BTreeSet::new();
    let (bare, ending) = split(name, grammar);
    for entry in folders.iter().flat_map(|folder| known.names(folder)) {
        let entry = entry.as_ref()?;
        // Some file systems ignore case, and some modules are not built from source files.
        let lower = entry.to_lowercase();
        let begins = |name: &str| {
            lower
                .strip_prefix(&name.to_lowercase())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if begins(name) || begins(bare) {
            return None;
        }
        let stem = split(entry, grammar);
        if *entry != own
            && (!stem.1.is_empty() || !entry.contains('.'))
            && is_likely_typo_of_file(file, bare, stem.0)
        {
            near.insert(stem.0.to_owned());
        }
    }
    let mut reported = Reported::own(span.clone(), &format!("`{shown}` leads to no file"));
    let is_generated = GENERATED.iter().any(|end| bare.ends_with(end));
    if let Some(only) = near.pop_first().filter(|_| near.is_empty() && !is_generated) {
        let new = format!("{only}{ending}");
        let title = format!("change `{name}` to `{new}`");
        reported.suggestions.push(Suggestion {
            title,
            is_safe: true,
            edits: vec![Edit::new(span.clone(), new)],
        });
    }
    Some(reported)
}

/// Splits a file name before the extension that its language's source files have.
fn split<'n>(name: &'n str, grammar: &Grammar) -> (&'n str, &'n str) {
    let family = grammar::all().filter(|it| it.family() == grammar.family());
    let endings = family.flat_map(|it| it.facts().extensions.iter());
    let bare =
        endings.filter_map(|it| name.strip_suffix(it.as_str())?.strip_suffix('.')).min_by_key(|it| it.len());
    name.split_at(bare.map_or(name.len(), str::len))
}

/// The names in a folder; contains `None` if the listing is incomplete.
fn entries(folder: &Path) -> Vec<Option<String>> {
    match disk::entries(folder) {
        Ok(entries) => {
            let mut names: Vec<Option<String>> = entries
                .take(ENTRIES + 1)
                .map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
                .collect();
            if names.len() > ENTRIES {
                names.push(None);
            }
            names
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(_) => vec![None],
    }
}

/// The files that the paths of import statements require.
///
/// `find` returns the folder of a path, and the byte offset of its last name.
fn paths(document: &Document, find: impl Fn(&str) -> Option<(PathBuf, usize)>) -> Vec<ImportTarget> {
    let all = document.matches(QueryKind::Imports, 0..document.text().len_bytes());
    let mut nodes: Vec<Node<'_>> = all.iter().filter_map(|it| it.path).collect();
    nodes.dedup();
    let wanted = nodes.into_iter().filter_map(|node| {
        let shown = document.slice(node.byte_range());
        let (folder, at) = find(&shown)?;
        let name = shown.get(at..).filter(|it| !it.is_empty())?.to_owned();
        Some(ImportTarget {
            span: node.start_byte() + at..node.end_byte(),
            name,
            shown,
            folders: vec![folder],
        })
    });
    wanted.collect()
}

/// `./a/b` in JavaScript. Paths with a special meaning to bundlers are left out.
fn script(path: &str, folder: &Path, grammar: &Grammar) -> Option<(PathBuf, usize)> {
    let is_relative = path.starts_with("./") || path.starts_with("../");
    let at = path.rfind('/')? + 1;
    let name = &path[at..];
    let has_ending = |name: &str| !split(name, grammar).1.is_empty();
    let is_source = !name.contains('.') || has_ending(name);
    let is_plain = !path.contains(['?', '#', '!', '*', '\\', '$']);
    (is_relative && is_plain && is_source && name != "..").then(|| (folder.join(&path[..at]), at))
}

/// `.a.b` in Python.
fn python(path: &str, folder: &Path) -> Option<(PathBuf, usize)> {
    let dots = path.bytes().take_while(|byte| *byte == b'.').count();
    let from = folder.ancestors().nth(dots.checked_sub(1)?)?;
    let at = path.rfind('.')? + 1;
    let is_plain = path.bytes().all(|byte| byte == b'.' || byte == b'_' || byte.is_ascii_alphanumeric());
    let between = path.get(dots..at.max(dots)).unwrap_or_default();
    let parts = between.split('.').filter(|part| !part.is_empty());
    is_plain.then(|| (parts.fold(from.to_owned(), |folder, part| folder.join(part)), at))
}

/// `mod a;` in Rust, outside of other modules.
///
/// A `mod` with an attribute is left out, since the attribute may set another path.
fn rust(document: &Document, path: &Path, folder: &Path) -> Vec<ImportTarget> {
    let Some(tree) = document.syntax() else { return Vec::new() };
    let Some(stem) = path.file_stem() else { return Vec::new() };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let is_plain = |node: &Node<'_>| {
        node.kind() == "mod_item"
            && node.child_by_field_name("body").is_none()
            && node.prev_sibling().is_none_or(|it| it.kind() != "attribute_item")
    };
    let names = root.children(&mut cursor).filter(is_plain).filter_map(|it| it.child_by_field_name("name"));
    let wanted = names.map(|node| {
        let name = document.slice(node.byte_range());
        // The modules of a crate root are beside it, whatever its name.
        let folders = vec![folder.to_owned(), folder.join(stem)];
        ImportTarget { span: node.byte_range(), shown: format!("mod {name}"), name, folders }
    });
    wanted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::edit::apply;

    /// Checks the reports on `a/main.…` among other files.
    ///
    /// These are the messages, and the text with the offered fix.
    #[track_caller]
    fn check(ending: &str, text: &str, others: &[&str], expected: &[&str], fixed: &str) {
        let others: Vec<_> = others.iter().map(|path| (*path, "")).collect();
        let root = crate::folder::folder(&others);
        let path = root.path().join(format!("a/main.{ending}"));
        let document = Document::new(DocumentId::new(&format!("file:///a/main.{ending}")), "", 0, text);
        let folders = ImportedFolders::read(FileImports::of(&document, &path));
        let found = unresolved_imports(&document, &path, &folders);
        let said: Vec<&str> = found.iter().map(|it| it.diagnostic.message.as_str()).collect();
        assert_eq!(said, expected);
        let edits: Vec<Edit> =
            found.iter().flat_map(|it| &it.suggestions).flat_map(|it| it.edits.clone()).collect();
        assert_eq!(apply(text, &edits), fixed);
    }

    #[test]
    fn relative_import_without_a_file_is_told_and_mended_if_one_letter_is_wrong() {
        let files = ["a/shape.ts", "a/main.ts", "lib/index.ts", "a/user.store.ts"];
        check(
            "ts",
            "import { a } from \"./shap\";\nimport b from \"../lib\";\n",
            &files,
            &["`./shap` leads to no file"],
            "import { a } from \"./shape\";\nimport b from \"../lib\";\n",
        );
        check(
            "ts",
            "import a from \"./shap.js\";\nimport b from \"./user.store\";\nimport c from \"./user.stora\";\n",
            &files,
            &["`./shap.js` leads to no file"],
            "import a from \"./shape.js\";\nimport b from \"./user.store\";\nimport c from \"./user.stora\";\n",
        );
        check(
            "ts",
            "import a from \"./far/shape\";\n",
            &files,
            &["`./far/shape` leads to no file"],
            "import a from \"./far/shape\";\n",
        );
        check(
            "py",
            "from .shap import a\nfrom ..lib.b import c\n",
            &["a/shape.py", "a/main.py", "lib/b.pyx"],
            &["`.shap` leads to no file"],
            "from .shape import a\nfrom ..lib.b import c\n",
        );
        check(
            "rs",
            "mod shap;\nmod main_parts;\n",
            &["a/shape.rs", "a/main/main_parts/mod.rs"],
            &["`mod shap` leads to no file"],
            "mod shape;\nmod main_parts;\n",
        );
    }

    #[test]
    fn what_is_not_certain_is_left_alone() {
        let same = |ending: &str, text: &str, others: &[&str], expected: &[&str]| {
            check(ending, text, others, expected, text)
        };
        // Packages, and files that a bundler or a build makes.
        same("ts", "import a from \"react\";\nimport \"./a.css\";\nimport b from \"./b?raw\";\n", &[], &[]);
        same("py", "import os.path\nfrom . import shap\n", &["a/shape.py"], &[]);
        same("rs", "#[path = \"b.rs\"]\nmod shap;\nmod own {}\nuse crate::shap;\n", &["a/shape.rs"], &[]);
        // Two candidates, a name that is too short, and a name that case-insensitive file systems find.
        same(
            "ts",
            "import a from \"./shap\";\n",
            &["a/shape.ts", "a/sharp.ts"],
            &["`./shap` leads to no file"],
        );
        same("ts", "import a from \"./ab\";\n", &["a/abc.ts"], &["`./ab` leads to no file"]);
        same("ts", "import a from \"./Shape\";\n", &["a/shape.ts"], &[]);
        // Files that are yet to be written, or that a build makes.
        for (name, other) in [
            ("locale_fr", "locale_fi"),
            ("_ctree", "ctree"),
            ("libfoo", "_libfoo"),
            ("tcp_rx", "tcp_tx"),
            ("tcpd", "tcp"),
            ("msgs_pb2", "msg_pb2"),
            ("odrer_pb2", "order_pb2"),
            ("stmts", "stats"),
            ("qsub", "sub"),
            ("utf_enc", "utf_end"),
        ] {
            let other = format!("a/{other}.py");
            let said = format!("`.{name}` leads to no file");
            same("py", &format!("from .{name} import b\n"), &[&other], &[&said]);
        }
    }
}
