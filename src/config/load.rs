//! From what users wrote to settings.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::options::{Options, Role};
use super::{Endpoint, Secret, Settings};

/// Something in the configuration that cannot be used, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    name: String,
    what: String,
}

impl Problem {
    pub(super) fn new(name: &str, what: &str) -> Self {
        Self { name: name.to_owned(), what: what.to_owned() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.what)
    }
}

/// Settings, and what was wrong on the way to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What is in force: every good value, and defaults for the rest.
    pub settings: Settings,
    /// What was left out, by name.
    pub problems: Vec<Problem>,
}

/// Reads the file at `path`, lays the editor's `initialization_options` over it and resolves the result. Keys come
/// from the environment by `variable`. A missing file is no problem: the local engine needs no settings.
pub fn load(
    path: Option<&Path>,
    initialization_options: Option<&Value>,
    variable: impl Fn(&str) -> Option<String>,
) -> Loaded {
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    let name = path.map_or_else(String::new, |path| path.display().to_string());
    if let Some(path) = path {
        match std::fs::read_to_string(path) {
            Ok(text) => match toml::from_str::<Value>(&text) {
                Ok(table) => sources.push((name.as_str(), table)),
                Err(error) => problems.push(Problem::new(&name, error.to_string().trim_end())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => problems.push(Problem::new(&name, &error.to_string())),
        }
    }
    if let Some(options) = initialization_options {
        sources.push(("initializationOptions", options.clone()));
    }
    let options = Options::read(sources, &mut problems);
    let settings = resolve(options, variable, &mut problems);
    Loaded { settings, problems }
}

fn resolve(
    options: Options,
    variable: impl Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Settings {
    let defaults = Settings::default();
    let fast = options.fast.as_ref().and_then(|role| endpoint("fast", role, &options, variable, problems));
    Settings {
        fast,
        max_file_bytes: options.max_file_bytes.unwrap_or(defaults.max_file_bytes),
        max_ghost_lines: options.max_ghost_lines.unwrap_or(defaults.max_ghost_lines).max(1),
    }
}

/// The first candidate of a role that can be reached at all.
fn endpoint(
    name: &str,
    role: &Role,
    options: &Options,
    variable: impl Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Option<Endpoint> {
    for candidate in &role.candidates {
        let Some(provider) = options.providers.get(&candidate.provider) else {
            let what = format!("there is no provider named `{}`", candidate.provider);
            problems.push(Problem::new(name, &what));
            continue;
        };
        if !["http://", "https://", "ws://", "wss://"].iter().any(|it| provider.base_url.starts_with(it)) {
            let what = format!("`{}` must begin with http:// or https://", provider.base_url);
            problems.push(Problem::new(&format!("providers.{}.base_url", candidate.provider), &what));
            continue;
        }
        let key = match &provider.api_key_env {
            None => None,
            Some(name_of_key) => match variable(name_of_key).filter(|key| !key.is_empty()) {
                Some(key) => Some(Secret::new(key)),
                None => {
                    let what = format!(
                        "{} is skipped: the environment variable {name_of_key} holds no key",
                        candidate.model
                    );
                    problems.push(Problem::new(name, &what));
                    continue;
                }
            },
        };
        let super::options::Wire::ResponsesWebsocket = provider.wire;
        return Some(Endpoint {
            provider: candidate.provider.clone(),
            base_url: provider.base_url.trim_end_matches('/').to_owned(),
            key,
            model: candidate.model.clone(),
            reasoning_effort: candidate.reasoning_effort.clone(),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    fn check(file: &str, options: Value, expect: Expect) {
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), file).unwrap();
        let variable = |name: &str| (name == "KEY").then(|| "sk-canary".to_owned());
        let loaded = load(Some(path.path()), Some(&options), variable);
        let mut text = format!("{:#?}\n", loaded.settings);
        for problem in &loaded.problems {
            text.push_str(&format!("{problem}\n").replace(&path.path().display().to_string(), "config.toml"));
        }
        assert!(!text.contains("canary"), "a key was printed");
        expect.assert_eq(&text);
    }

    const OPENAI: &str = r#"
        [providers.openai]
        base_url = "https://api.openai.com/v1/"
        api_key_env = "KEY"
        wire = "responses-websocket"
        [fast]
        candidates = [{ provider = "openai", model = "gpt-5.3-codex-spark", reasoning_effort = "low" }]
    "#;

    #[test]
    fn resolves_the_first_candidate_with_a_key() {
        check(
            OPENAI,
            json!({}),
            expect![[r#"
            Settings {
                fast: Some(
                    Endpoint {
                        provider: "openai",
                        base_url: "https://api.openai.com/v1",
                        key: Some(
                            ***,
                        ),
                        model: "gpt-5.3-codex-spark",
                        reasoning_effort: Some(
                            "low",
                        ),
                    },
                ),
                max_file_bytes: 5242880,
                max_ghost_lines: 12,
            }
        "#]],
        );
    }

    #[test]
    fn keeps_good_values_and_names_bad_ones() {
        let file = OPENAI.replace("KEY", "NO_SUCH_KEY") + "\n[shell]\ncommand = 1\n";
        check(
            &file,
            json!({ "max_file_bytes": "big", "max_ghost_lines": 3, "providers": [] }),
            expect![[r#"
                Settings {
                    fast: None,
                    max_file_bytes: 5242880,
                    max_ghost_lines: 3,
                }
                config.toml: shell: no such setting
                initializationOptions: max_file_bytes: invalid type: string "big", expected usize
                initializationOptions: providers: expected a table, found a list
                fast: gpt-5.3-codex-spark is skipped: the environment variable NO_SUCH_KEY holds no key
            "#]],
        );
    }

    #[test]
    fn lays_the_editors_options_over_the_file() {
        check(
            "max_file_bytes = 10\nfast = { candidates = [] }\n[providers.a]\nbase_url = \"ftp://a\"\n",
            json!({ "max_file_bytes": 20, "fast": { "candidates": [
                { "provider": "a", "model": "m" }, { "provider": "b", "model": "m" } ] } }),
            expect![[r#"
                Settings {
                    fast: None,
                    max_file_bytes: 20,
                    max_ghost_lines: 12,
                }
                providers.a.base_url: `ftp://a` must begin with http:// or https://
                fast: there is no provider named `b`
            "#]],
        );
    }
}
