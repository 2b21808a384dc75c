//! The table of linked parsers and their queries: one line per language.

use tree_sitter_language::LanguageFn;

use super::QueryKind;

/// What is compiled into the program for one language.
pub(super) struct Builtin {
    /// The language's folder in `grammars/` and its key in `languages.toml`.
    pub(super) id: &'static str,
    /// `None` without the language's cargo feature. Its queries are kept even so, since another may inherit them.
    pub(super) language: Option<LanguageFn>,
    pub(super) queries: Queries,
}

/// The texts of a language's queries.
pub(super) struct Queries {
    pub(super) definitions: Option<&'static str>,
    pub(super) references: Option<&'static str>,
    pub(super) scopes: Option<&'static str>,
    pub(super) imports: Option<&'static str>,
}

const NO_QUERIES: Queries = Queries { definitions: None, references: None, scopes: None, imports: None };

impl Builtin {
    /// The text of the language's own query of that kind.
    pub(super) fn source(&self, kind: QueryKind) -> Option<&'static str> {
        match kind {
            QueryKind::Definitions => self.queries.definitions,
            QueryKind::References => self.queries.references,
            QueryKind::Scopes => self.queries.scopes,
            QueryKind::Imports => self.queries.imports,
        }
    }
}

/// `"id", "cargo feature", parser, [the queries in grammars/<id>/];`
macro_rules! builtin {
    ($($id:literal, $feature:literal, $language:expr, [$($query:ident)*];)*) => {
        pub(super) static BUILTIN: &[Builtin] = &[$(Builtin {
            id: $id,
            #[cfg(feature = $feature)]
            language: Some($language),
            #[cfg(not(feature = $feature))]
            language: None,
            queries: Queries {
                $($query: Some(include_str!(concat!("../../grammars/", $id, "/", stringify!($query), ".scm"))),)*
                ..NO_QUERIES
            },
        }),*];
    };
}

builtin! {
    "bash", "lang-bash", tree_sitter_bash::LANGUAGE, [];
    "c", "lang-c", tree_sitter_c::LANGUAGE, [];
    "cpp", "lang-cpp", tree_sitter_cpp::LANGUAGE, [];
    "csharp", "lang-csharp", tree_sitter_c_sharp::LANGUAGE, [];
    "css", "lang-css", tree_sitter_css::LANGUAGE, [];
    "go", "lang-go", tree_sitter_go::LANGUAGE, [];
    "html", "lang-html", tree_sitter_html::LANGUAGE, [];
    "java", "lang-java", tree_sitter_java::LANGUAGE, [];
    "javascript", "lang-javascript", tree_sitter_javascript::LANGUAGE, [];
    "json", "lang-json", tree_sitter_json::LANGUAGE, [];
    "lua", "lang-lua", tree_sitter_lua::LANGUAGE, [];
    "markdown", "lang-markdown", tree_sitter_md::LANGUAGE, [];
    "php", "lang-php", tree_sitter_php::LANGUAGE_PHP, [];
    "python", "lang-python", tree_sitter_python::LANGUAGE, [definitions references scopes imports];
    "ruby", "lang-ruby", tree_sitter_ruby::LANGUAGE, [];
    "rust", "lang-rust", tree_sitter_rust::LANGUAGE, [definitions references scopes imports];
    "toml", "lang-toml", tree_sitter_toml_ng::LANGUAGE, [];
    "tsx", "lang-typescript", tree_sitter_typescript::LANGUAGE_TSX, [];
    "typescript", "lang-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, [];
    "yaml", "lang-yaml", tree_sitter_yaml::LANGUAGE, [];
}
