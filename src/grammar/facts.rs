//! What `grammars/languages.toml` says of a language.

use serde::Deserialize;

/// One entry of `languages.toml`.
///
/// It says how a language is named, and what other layers ask about it.
///
/// A language that says nothing of a fact has the default, which is what most languages do.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Facts {
    /// The name for people.
    pub name: String,
    /// What editors send as LSP `languageId`.
    pub editor_ids: Vec<String>,
    /// The endings of files, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole names of files, which win over endings.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Languages whose queries come before this one's own.
    #[serde(default)]
    pub inherits: Vec<String>,
    /// The name that it shares with languages whose files use its definitions.
    ///
    /// Without one it is its own id.
    #[serde(default)]
    pub family: Option<String>,
    /// The tokens that make a comment.
    #[serde(default)]
    pub comments: Comments,
    /// Whether an error that the parser sees is one of the code's.
    ///
    /// It is false where macros hide the syntax.
    #[serde(default = "yes")]
    pub errors_reliable: bool,
    /// Whether most of a file is text for people: quotes pair as they please.
    #[serde(default)]
    pub prose: bool,
    /// Whether its files are commands for a shell.
    #[serde(default)]
    pub shell: bool,
    /// Closing words that the parser takes for a name where they close nothing.
    #[serde(default)]
    pub stray_closers: Vec<String>,
    /// The nodes that must hold a statement, where the parser lets them be empty.
    #[serde(default)]
    pub filled_blocks: Vec<String>,
    /// The statement that does nothing, which stands in such a block.
    #[serde(default)]
    pub empty_statement: Option<String>,
    /// Whether `'` opens strings of any length.
    ///
    /// Where it also marks lifetimes or digits, it holds one character at most.
    #[serde(default = "yes")]
    pub single_quoted_strings: bool,
    /// Whether a line of nothing but dots can be code wherever it stands.
    #[serde(default = "yes")]
    pub dots_are_code: bool,
    /// Whether plain strings name variables in braces, as in Rust's `"{name}"`.
    #[serde(default)]
    pub brace_placeholders: bool,
    /// Whether `->` leads to a member as `.` does.
    #[serde(default)]
    pub arrow_members: bool,
    /// Whether a block that is no function's hides its names from the code around it.
    #[serde(default = "yes")]
    pub block_scopes: bool,
    /// Whether methods of the same object are called by their name alone.
    #[serde(default)]
    pub implicit_receiver: bool,
    /// Files, without their ending, that are the module of their folder, such as `index`.
    #[serde(default)]
    pub folder_files: Vec<String>,
    /// Files, without their ending, that are the root of a package.
    ///
    /// Its other files call it `crate`.
    #[serde(default)]
    pub root_files: Vec<String>,
    /// Whether the files of a folder are one package, called after it.
    ///
    /// They need no imports of each other then.
    #[serde(default)]
    pub folder_packages: bool,
    /// Whether an import that lists no names brings in all of a file, as `#include` does.
    #[serde(default)]
    pub imports_whole_files: bool,
    /// How its imports name files; nothing where they do not, or it is not known.
    #[serde(default)]
    pub modules: Option<Modules>,
    /// The statements that import a name.
    #[serde(default)]
    pub import_forms: ImportForms,
    /// Whether files of it say where the modules of a project are.
    #[serde(default)]
    pub manifests: bool,
    /// What stands in a file with tests, where tests stand in files of any name.
    #[serde(default)]
    pub test_marks: Vec<String>,
    /// How tests are run, the first that fits; none where the language of its family says it.
    #[serde(default)]
    pub test_runners: Vec<TestRunner>,
}

/// A way in which tests are run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TestRunner {
    /// The file that tells of it, in the folder of the tests or above.
    ///
    /// Without one, the folder is the root.
    pub manifest: Option<String>,
    /// What stands in that file.
    #[serde(default)]
    pub manifest_says: String,
    /// What stands in the tests.
    #[serde(default)]
    pub tests_say: String,
    /// The command in the manifest's folder.
    ///
    /// `{files}` are the paths, `{folder}` is the folder of the first, `{stem}` its name without the ending,
    /// and `{target}` the arguments by which Cargo runs it alone.
    pub command: String,
}

/// How the imports of a language name files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modules {
    /// `a::b` is `a/b.rs` or `a/b/mod.rs`, from the root of the crate or from the file.
    Rust,
    /// `a.b` is `a/b.py` or `a/b/__init__.py`; leading dots are for the folder of the file.
    Python,
    /// `./a` is a file without its ending, or `index` in a folder.
    Javascript,
    /// A path is a folder.
    Go,
    /// A path is a file beside this one, or in a folder for headers.
    C,
    /// `a.B` is `a/B` with the ending, and `a` a folder.
    Java,
}

/// How a language writes comments; both lists are empty for a language that has none.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comments {
    /// Tokens that start a comment up to the end of the line; the first is the one to write.
    #[serde(default)]
    pub line: Vec<String>,
    /// Tokens that open and close a comment.
    #[serde(default)]
    pub block: Vec<(String, String)>,
}

/// The statement that imports one name, by the form in which another file imports it.
///
/// In each, `$name` is the name, `$path` where it comes from, and `$statement` the other file's statement
/// without a semicolon; `$end` is that semicolon, if the other file has one. A form without a text is not
/// offered.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportForms {
    /// The name stands in a list in braces.
    pub listed: Option<String>,
    /// The statement names it otherwise.
    pub named: Option<String>,
    /// The statement names a module alone, which the name is the last part of.
    pub module: Option<String>,
}

fn yes() -> bool {
    true
}
