//! The facts about a language from `grammars/languages.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One entry of `languages.toml`.
///
/// Names a language, and holds the facts that other layers query.
///
/// An omitted fact has its default, which suits most languages.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Facts {
    /// The display name.
    pub name: String,
    /// The values of `languageId` in LSP.
    pub editor_ids: Vec<String>,
    /// File extensions, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Exact file names, which take precedence over extensions.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Languages whose queries precede this language's own.
    #[serde(default)]
    pub inherits: Vec<String>,
    /// The name shared by languages whose files use each other's definitions.
    ///
    /// Defaults to the language's id.
    #[serde(default)]
    pub family: Option<String>,
    /// The comment tokens.
    #[serde(default)]
    pub comments: Comments,
    /// Whether a syntax error from the parser is a real error in the code.
    ///
    /// False where macros hide the syntax.
    #[serde(default = "yes")]
    pub errors_reliable: bool,
    /// Whether most of a file is prose, in which quotes need not pair up.
    #[serde(default)]
    pub prose: bool,
    /// Whether files hold shell commands.
    #[serde(default)]
    pub shell: bool,
    /// Closing keywords that the parser accepts as names where they close nothing.
    #[serde(default)]
    pub stray_closers: Vec<String>,
    /// Node kinds that must hold a statement although the parser lets them be empty.
    #[serde(default)]
    pub filled_blocks: Vec<String>,
    /// Node kinds whose statements share one column although the parser accepts others.
    #[serde(default)]
    pub aligned_blocks: Vec<String>,
    /// Node kinds that are in the column of their parent although the parser accepts others.
    #[serde(default)]
    pub aligned_parts: Vec<String>,
    /// Kinds of statements that the parser accepts anywhere, each with the nodes of which one must be around it.
    #[serde(default)]
    pub placed_statements: BTreeMap<String, Vec<String>>,
    /// Where names may occur once: the kinds of a list and of its entries, and the field of an entry that holds its name.
    #[serde(default)]
    pub unique_names: Vec<[String; 3]>,
    /// The no-op statement that fills such a block.
    #[serde(default)]
    pub empty_statement: Option<String>,
    /// Whether `'` opens strings of any length.
    ///
    /// Where `'` also marks lifetimes or separates digits, a quoted literal holds one character at most.
    #[serde(default = "yes")]
    pub single_quoted_strings: bool,
    /// Whether a line of only dots can be code anywhere.
    #[serde(default = "yes")]
    pub dots_are_code: bool,
    /// Whether plain strings interpolate variables in braces, as in Rust's `"{name}"`.
    #[serde(default)]
    pub brace_placeholders: bool,
    /// Whether `->` accesses a member, as `.` does.
    #[serde(default)]
    pub arrow_members: bool,
    /// Whether a block other than a function body scopes its names.
    #[serde(default = "yes")]
    pub block_scopes: bool,
    /// Whether methods of the same object can be called by bare name.
    #[serde(default)]
    pub implicit_receiver: bool,
    /// Whether functions with one name differ in their parameters.
    #[serde(default)]
    pub overloads: bool,
    /// Whether the column of a key says what it belongs to.
    #[serde(default)]
    pub keys_by_column: bool,
    /// The lines that enclose a method so that it can be parsed, where it cannot be parsed alone.
    #[serde(default)]
    pub class_lines: [String; 2],
    /// Whether functions see no variables of the code around them.
    #[serde(default)]
    pub isolated_functions: bool,
    /// Names, without extension, of files that are the module of their folder, such as `index`.
    #[serde(default)]
    pub folder_files: Vec<String>,
    /// Names, without extension, of files that are the root of a package.
    ///
    /// Other files of the package refer to it as `crate`.
    #[serde(default)]
    pub root_files: Vec<String>,
    /// Whether the files of a folder form one package, named after the folder.
    ///
    /// Such files do not import each other.
    #[serde(default)]
    pub folder_packages: bool,
    /// Whether other files can import what a file imports.
    #[serde(default)]
    pub imports_reexport: bool,
    /// Whether an import loads its module although nothing uses its names.
    ///
    /// A compiler may leave such imports out.
    #[serde(default)]
    pub unused_imports_load: bool,
    /// Whether an import without a list of names imports the whole file, as `#include` does.
    #[serde(default)]
    pub imports_whole_files: bool,
    /// How imports name files; `None` if they do not, or the scheme is unknown.
    #[serde(default)]
    pub modules: Option<Modules>,
    /// The modules of the runtime that can be imported without an effect, so that an unused import can go.
    #[serde(default)]
    pub effect_free_modules: Vec<String>,
    /// The modules that are imported for an effect, so that an unused import stays.
    #[serde(default)]
    pub effect_modules: Vec<String>,
    /// Marks of code that uses imports without their names, or that a build leaves out.
    #[serde(default)]
    pub hidden_use_marks: Vec<String>,
    /// Names, without extension, of files whose imports a tool uses.
    #[serde(default)]
    pub collected_files: Vec<String>,
    /// The statements that import a name.
    #[serde(default)]
    pub import_forms: ImportForms,
    /// Whether files of this language are manifests, which locate a project's modules.
    #[serde(default)]
    pub manifests: bool,
    /// Strings that mark a file as having tests, where tests may be in any file.
    #[serde(default)]
    pub test_marks: Vec<String>,
    /// Test runners, of which the first that applies is used; empty where another language of the family lists them.
    #[serde(default)]
    pub test_runners: Vec<TestRunner>,
}

/// A way to run tests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TestRunner {
    /// The file that indicates this runner, in the tests' folder or above.
    ///
    /// Without a manifest, the root folder is used.
    pub manifest: Option<String>,
    /// A string that the manifest must contain.
    #[serde(default)]
    pub manifest_says: String,
    /// A string that the tests must contain.
    #[serde(default)]
    pub tests_say: String,
    /// The command, run in the manifest's folder.
    ///
    /// `{files}` stands for the paths, `{folder}` for the folder of the first, `{stem}` for its name without
    /// the extension, and `{target}` for the Cargo arguments that run this file alone.
    pub command: String,
}

/// How the imports of a language name files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modules {
    /// `a::b` is `a/b.rs` or `a/b/mod.rs`, from the root of the crate or from the file.
    Rust,
    /// `a.b` is `a/b.py` or `a/b/__init__.py`; leading dots start from the file's folder.
    Python,
    /// `./a` is a file without its extension, or `index` in a folder.
    Javascript,
    /// A path is a folder.
    Go,
    /// A path is a file beside this one, or in an include folder.
    C,
    /// `a.B` is `a/B` with the extension, and `a` a folder.
    Java,
}

/// The comment syntax; both lists are empty for a language without comments.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comments {
    /// Tokens that start a comment to the end of the line; the first is used for writing.
    #[serde(default)]
    pub line: Vec<String>,
    /// Pairs of tokens that open and close a comment.
    #[serde(default)]
    pub block: Vec<(String, String)>,
}

/// Templates for a statement that imports one name, by how another file imports that name.
///
/// In each, `$name` is the name, `$path` its module, and `$statement` the other file's statement without its
/// semicolon; `$end` is that semicolon, if the other file has one. A form without a template is not offered.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportForms {
    /// The name is listed in braces.
    pub listed: Option<String>,
    /// The statement names it without braces.
    pub named: Option<String>,
    /// The statement names only a module, whose last segment is the name.
    pub module: Option<String>,
}

fn yes() -> bool {
    true
}
