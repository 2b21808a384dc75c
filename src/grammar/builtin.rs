//! The table of linked parsers and their queries: one line per language.

use tree_sitter_language::LanguageFn;

use super::query::QueryKind;

/// The compiled-in parts of one language.
pub(super) struct Builtin {
    /// The language's folder in `grammars/` and its key in `languages.toml`.
    pub(super) id: &'static str,
    /// `None` without the language's cargo feature.
    ///
    /// The queries are kept regardless, since other languages may inherit them.
    pub(super) language: Option<LanguageFn>,
    /// The language's own queries: the name of a [`QueryKind`], and the source.
    pub(super) queries: &'static [(&'static str, &'static str)],
}

impl Builtin {
    /// The source of the language's own query of a kind.
    pub(super) fn source(&self, kind: QueryKind) -> Option<&'static str> {
        self.queries.iter().find(|(name, _)| *name == kind.name()).map(|(_, source)| *source)
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
            queries: &[$((
                stringify!($query),
                include_str!(concat!("../../grammars/", $id, "/", stringify!($query), ".scm")),
            )),*],
        }),*];
    };
}

builtin! {
    "bash", "lang-bash", tree_sitter_bash::LANGUAGE, [definitions scopes];
    "c", "lang-c", tree_sitter_c::LANGUAGE, [definitions references scopes imports];
    "cpp", "lang-cpp", tree_sitter_cpp::LANGUAGE, [definitions references scopes imports];
    "csharp", "lang-csharp", tree_sitter_c_sharp::LANGUAGE, [definitions scopes];
    "css", "lang-css", tree_sitter_css::LANGUAGE, [definitions scopes];
    "go", "lang-go", tree_sitter_go::LANGUAGE, [definitions references scopes imports];
    "html", "lang-html", tree_sitter_html::LANGUAGE, [definitions scopes];
    "java", "lang-java", tree_sitter_java::LANGUAGE, [definitions references scopes imports];
    "javascript", "lang-javascript", tree_sitter_javascript::LANGUAGE, [definitions references scopes imports];
    "json", "lang-json", tree_sitter_json::LANGUAGE, [definitions scopes];
    "lua", "lang-lua", tree_sitter_lua::LANGUAGE, [definitions scopes];
    "markdown", "lang-markdown", tree_sitter_md::LANGUAGE, [definitions scopes];
    "php", "lang-php", tree_sitter_php::LANGUAGE_PHP, [definitions scopes];
    "python", "lang-python", tree_sitter_python::LANGUAGE, [definitions references scopes imports];
    "ruby", "lang-ruby", tree_sitter_ruby::LANGUAGE, [definitions scopes];
    "rust", "lang-rust", tree_sitter_rust::LANGUAGE, [definitions references scopes imports];
    "toml", "lang-toml", tree_sitter_toml_ng::LANGUAGE, [definitions scopes];
    "tsx", "lang-typescript", tree_sitter_typescript::LANGUAGE_TSX, [];
    "typescript", "lang-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, [definitions references scopes imports];
    "yaml", "lang-yaml", tree_sitter_yaml::LANGUAGE, [definitions scopes];
}
