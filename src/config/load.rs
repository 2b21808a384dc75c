//! From what users wrote to settings.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use super::options::{self, Options};
use super::{Budget, Endpoint, Language, LeftOut, Price, Privacy, Role, Secret, Settings, Wire};

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
    let mut role = |name: &str, role: &Option<options::Role>| {
        role.as_ref().map_or_else(Role::default, |it| endpoints(name, it, &options, &variable, problems))
    };
    let fast = role("fast", &options.fast);
    let deep = role("deep", &options.deep);
    let mut prices = defaults.prices;
    for (model, price) in options.prices {
        let options::Price { input, cached, output } = price;
        prices.insert(model, Price { input, cached: cached.unwrap_or(input), output });
    }
    let language = |(id, it): (String, options::Language)| {
        let options::Language { enabled, eagerness, next_edit } = it;
        (id, Language { enabled: enabled.unwrap_or(true), eagerness, next_edit })
    };
    Settings {
        fast,
        deep,
        max_file_bytes: options.max_file_bytes.unwrap_or(defaults.max_file_bytes),
        max_ghost_lines: options.max_ghost_lines.unwrap_or(defaults.max_ghost_lines).max(1),
        eagerness: options.eagerness.unwrap_or(defaults.eagerness),
        indicator_only: options.indicator_only.unwrap_or(defaults.indicator_only),
        speculate: options.speculate.unwrap_or(defaults.speculate),
        next_edit: options.next_edit.unwrap_or(defaults.next_edit),
        languages: options.languages.into_iter().map(language).collect(),
        disable_in: options.disable_in.unwrap_or(defaults.disable_in),
        privacy: Privacy {
            deny: options.privacy.deny.unwrap_or_default(),
            allow: options.privacy.allow.unwrap_or_default(),
            redact: options.privacy.redact.unwrap_or(defaults.privacy.redact),
        },
        budget: Budget {
            session_dollars: options.budget.session_dollars,
            day_dollars: options.budget.day_dollars,
            session_tokens: options.budget.session_tokens,
            day_tokens: options.budget.day_tokens,
        },
        prices,
        style: options.style,
    }
}

/// A role's candidates, each with its provider, or with the reason why it is left out.
fn endpoints(
    name: &str,
    role: &options::Role,
    options: &Options,
    variable: impl Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Role {
    let mut resolved = Role { hedge: role.hedge_ms.map(Duration::from_millis), ..Role::default() };
    for candidate in &role.candidates {
        match endpoint(candidate, options, &variable) {
            Ok(endpoint) => resolved.candidates.push(endpoint),
            Err(why) => {
                problems.push(Problem::new(name, &format!("{} is skipped: {why}", candidate.model)));
                let (provider, model) = (candidate.provider.clone(), candidate.model.clone());
                resolved.left_out.push(LeftOut { provider, model, why });
            }
        }
    }
    resolved
}

fn endpoint(
    candidate: &options::Candidate,
    options: &Options,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Endpoint, String> {
    let name = &candidate.provider;
    let provider = options.providers.get(name).ok_or_else(|| format!("there is no provider `{name}`"))?;
    let url = base_url(provider.base_url.expose())
        .ok_or_else(|| format!("providers.{name}.base_url must begin with http:// or https://"))?;
    let key = match &provider.api_key_env {
        None => None,
        Some(name_of_key) => {
            let key = variable(name_of_key).filter(|key| !key.is_empty());
            Some(key.ok_or_else(|| format!("the environment variable {name_of_key} holds no key"))?)
        }
    };
    let mut headers: Vec<_> = provider.headers.clone().into_iter().collect();
    if let Some(user) = url.user.filter(|_| key.is_none()) {
        headers.push((
            "Authorization".to_owned(),
            Secret::new(format!("Basic {}", BASE64_STANDARD.encode(user))),
        ));
    }
    Ok(Endpoint {
        provider: name.clone(),
        wire: match provider.wire {
            options::Wire::ResponsesWebsocket => Wire::ResponsesWebsocket,
            options::Wire::ResponsesSse => Wire::ResponsesSse,
            options::Wire::Chat => Wire::Chat,
            options::Wire::Fim => Wire::Fim(provider.fim_dialect),
        },
        base_url: url.base,
        query: url.query.map(Secret::new),
        key: key.map(Secret::new),
        headers,
        proxy: provider.proxy.clone().or_else(|| options.proxy.clone()),
        ca_file: provider.ca_file.clone().or_else(|| options.ca_file.clone()),
        model: candidate.model.clone(),
        reasoning_effort: candidate.reasoning_effort.clone(),
        service_tier: candidate.service_tier.clone(),
    })
}

/// A URL in parts: what can be shown, and what may hold a key.
struct BaseUrl {
    base: String,
    user: Option<String>,
    query: Option<String>,
}

fn base_url(written: &str) -> Option<BaseUrl> {
    let (scheme, rest) = written.split_once("://")?;
    if !["http", "https", "ws", "wss"].contains(&scheme) {
        return None;
    }
    let (rest, _fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) =
        rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query.to_owned())));
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let (user, host) =
        host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user.to_owned()), host));
    let base = format!("{scheme}://{host}{}", path.trim_end_matches('/'));
    (!host.is_empty()).then_some(BaseUrl { base, user, query })
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
                    fast: Role {
                        candidates: [
                            Endpoint {
                                provider: "openai",
                                wire: ResponsesWebsocket,
                                base_url: "https://api.openai.com/v1",
                                query: None,
                                key: Some(
                                    ***,
                                ),
                                headers: [],
                                proxy: None,
                                ca_file: None,
                                model: "gpt-5.3-codex-spark",
                                reasoning_effort: Some(
                                    "low",
                                ),
                                service_tier: None,
                            },
                        ],
                        left_out: [],
                        hedge: None,
                    },
                    deep: Role {
                        candidates: [],
                        left_out: [],
                        hedge: None,
                    },
                    max_file_bytes: 5242880,
                    max_ghost_lines: 12,
                    eagerness: Medium,
                    indicator_only: false,
                    speculate: true,
                    next_edit: true,
                    languages: {},
                    disable_in: {},
                    privacy: Privacy {
                        deny: [],
                        allow: [],
                        redact: true,
                    },
                    budget: Budget {
                        session_dollars: None,
                        day_dollars: None,
                        session_tokens: None,
                        day_tokens: None,
                    },
                    prices: {
                        "gpt-5.3-codex-spark": Price {
                            input: 1.75,
                            cached: 1.75,
                            output: 14.0,
                        },
                    },
                    style: None,
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
                    fast: Role {
                        candidates: [],
                        left_out: [
                            LeftOut {
                                provider: "openai",
                                model: "gpt-5.3-codex-spark",
                                why: "the environment variable NO_SUCH_KEY holds no key",
                            },
                        ],
                        hedge: None,
                    },
                    deep: Role {
                        candidates: [],
                        left_out: [],
                        hedge: None,
                    },
                    max_file_bytes: 5242880,
                    max_ghost_lines: 3,
                    eagerness: Medium,
                    indicator_only: false,
                    speculate: true,
                    next_edit: true,
                    languages: {},
                    disable_in: {},
                    privacy: Privacy {
                        deny: [],
                        allow: [],
                        redact: true,
                    },
                    budget: Budget {
                        session_dollars: None,
                        day_dollars: None,
                        session_tokens: None,
                        day_tokens: None,
                    },
                    prices: {
                        "gpt-5.3-codex-spark": Price {
                            input: 1.75,
                            cached: 1.75,
                            output: 14.0,
                        },
                    },
                    style: None,
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
                    fast: Role {
                        candidates: [],
                        left_out: [
                            LeftOut {
                                provider: "a",
                                model: "m",
                                why: "providers.a.base_url must begin with http:// or https://",
                            },
                            LeftOut {
                                provider: "b",
                                model: "m",
                                why: "there is no provider `b`",
                            },
                        ],
                        hedge: None,
                    },
                    deep: Role {
                        candidates: [],
                        left_out: [],
                        hedge: None,
                    },
                    max_file_bytes: 20,
                    max_ghost_lines: 12,
                    eagerness: Medium,
                    indicator_only: false,
                    speculate: true,
                    next_edit: true,
                    languages: {},
                    disable_in: {},
                    privacy: Privacy {
                        deny: [],
                        allow: [],
                        redact: true,
                    },
                    budget: Budget {
                        session_dollars: None,
                        day_dollars: None,
                        session_tokens: None,
                        day_tokens: None,
                    },
                    prices: {
                        "gpt-5.3-codex-spark": Price {
                            input: 1.75,
                            cached: 1.75,
                            output: 14.0,
                        },
                    },
                    style: None,
                }
                fast: m is skipped: providers.a.base_url must begin with http:// or https://
                fast: m is skipped: there is no provider `b`
            "#]],
        );
    }
}
