//! Module locations from project manifests.
//!
//! The manifests are `tsconfig.json` and `package.json`.
//!
//! They are recognised by their contents, since they have other names, too, such as `tsconfig.base.json`.

use std::borrow::Cow;

use serde_json::Value;

use crate::text::named;

/// Maximum size of a manifest in bytes; a larger file is data.
const MOST_BYTES: usize = 64 * 1024;
/// Maximum number of entries per file.
const MOST_ENTRIES: usize = 200;
/// Conditions of a package's `exports`, the likeliest source first.
const CONDITIONS: [&str; 8] =
    ["source", "types", "import", "module", "default", "require", "node", "browser"];

named! {
    /// The role of an entry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Role {
        /// Another manifest that supplies defaults.
        Extends = "extends",
        /// The base folder for modules.
        Base = "base",
        /// A module pattern and its location.
        Path = "path",
        /// A path within a package (`.` is the package itself) and its file.
        Export = "export",
    }
}

/// One module entry of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) role: Role,
    /// The module, or a pattern of modules.
    pub(super) key: String,
    /// Its file or folder, as written.
    pub(super) target: String,
}

/// The module settings of a manifest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The package's name and its byte offset.
    pub(super) package: Option<(String, usize)>,
    pub(super) entries: Vec<Entry>,
}

/// Parses a text as a manifest; `None` if it is not one.
pub(super) fn read(text: &str) -> Option<Manifest> {
    let has = |name: &str| text.contains(name);
    let is_config = has("\"compilerOptions\"") || has("\"extends\"");
    let is_package = has("\"name\"") && !has("\"lockfileVersion\"");
    if text.len() > MOST_BYTES || !is_config && !is_package {
        return None;
    }
    let value: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let mut manifest = Manifest::default();
    if let Some(options) = value.get("compilerOptions") {
        manifest.add(Role::Base, "", options.get("baseUrl"));
        for (key, targets) in options.get("paths").and_then(Value::as_object).into_iter().flatten() {
            for target in targets.as_array().into_iter().flatten() {
                manifest.add(Role::Path, key, Some(target));
            }
        }
    }
    match value.get("extends") {
        Some(Value::Array(all)) => all.iter().for_each(|it| manifest.add(Role::Extends, "", Some(it))),
        one => manifest.add(Role::Extends, "", one),
    }
    if let Some(name) = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) {
        let at = text.find(&format!("\"{name}\"")).map(|at| at + 1)?;
        manifest.package = Some((name.to_owned(), at));
        manifest.exports(&value);
    }
    let is_empty = manifest.entries.is_empty() && manifest.package.is_none();
    (!is_empty).then_some(manifest)
}

impl Manifest {
    fn add(&mut self, role: Role, key: &str, target: Option<&Value>) {
        if let Some(target) = target.and_then(Value::as_str).filter(|_| self.entries.len() < MOST_ENTRIES) {
            self.entries.push(Entry { role, key: key.to_owned(), target: target.to_owned() });
        }
    }

    fn exports(&mut self, package: &Value) {
        match package.get("exports") {
            Some(Value::Object(all)) if all.keys().any(|key| key.starts_with('.')) => {
                for (key, it) in all {
                    // Otherwise it would look like a relative import of the package itself.
                    let key = if key == "." { key } else { key.trim_start_matches("./") };
                    self.add(Role::Export, key, condition(it));
                }
            }
            Some(one) => self.add(Role::Export, ".", condition(one)),
            None => {}
        }
        for name in ["source", "types", "module", "main"] {
            self.add(Role::Export, ".", package.get(name));
        }
    }
}

/// The likeliest source among the files named for one path.
fn condition(value: &Value) -> Option<&Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Object(all) => CONDITIONS.iter().find_map(|name| condition(all.get(*name)?)),
        Value::Array(all) => all.iter().find_map(condition),
        _ => None,
    }
}

/// Removes comments and trailing commas.
///
/// Manifests may have both.
fn without_comments(text: &str) -> Cow<'_, str> {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if letter == '"' {
            string_length(rest)
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").map_or(rest.len(), |end| end + 2)..];
            continue;
        } else {
            letter.len_utf8()
        };
        if matches!(letter, '}' | ']') {
            let kept = clean.trim_end();
            if kept.ends_with(',') {
                clean.truncate(kept.len() - 1);
            }
        }
        clean.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    clean.into()
}

/// The length in bytes of the string literal at the start of a text, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let shown = read(text).map_or("none\n".to_owned(), |Manifest { package, entries }| {
            let package = package.map(|(name, at)| format!("{name} at {at}\n"));
            let entry = |it: &Entry| format!("{} {:?} {:?}\n", it.role.name(), it.key, it.target);
            package.unwrap_or_default() + &entries.iter().map(entry).collect::<String>()
        });
        expect.assert_eq(&shown);
    }

    #[test]
    fn settings_with_comments_are_read() {
        check(
            "{\n  // see \"docs\"\n  \"extends\": \"../base.json\",\n  \"compilerOptions\": {\n    /* \"baseUrl\": \"x\" */ \"baseUrl\": \"./src\",\n    \"paths\": { \"@app/*\": [\"app/*\", \"gen/*\",], \"a//b\\\"\": [\"c\"] },\n  },\n}\n",
            expect![[r#"
                base "" "./src"
                path "@app/*" "app/*"
                path "@app/*" "gen/*"
                path "a//b\"" "c"
                extends "" "../base.json"
            "#]],
        );
    }

    #[test]
    fn exports_of_a_package_are_read() {
        check(
            r#"{ "name": "@acme/ui", "main": "dist/index.js", "exports": { ".": { "import": { "types": "./a.d.ts", "default": "./a.js" } }, "./forms": "./src/forms.ts", "./no": null } }"#,
            expect![[r#"
                @acme/ui at 11
                export "." "./a.d.ts"
                export "forms" "./src/forms.ts"
                export "." "dist/index.js"
            "#]],
        );
        check(
            r#"{"name": "b", "exports": "./b.js"}"#,
            expect![[r#"
                b at 10
                export "." "./b.js"
            "#]],
        );
    }

    #[test]
    fn what_is_about_no_modules_is_nothing() {
        check("{\"name\": \"a\", \"lockfileVersion\": 3}", expect![["none\n"]]);
        check("{\"compilerOptions\": {}}", expect![["none\n"]]);
        check("{\"compilerOptions\": ", expect![["none\n"]]);
        check("[1, 2]", expect![["none\n"]]);
    }
}
