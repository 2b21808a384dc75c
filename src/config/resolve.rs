//! Resolves options to settings.
//!
//! Fills in defaults, joins candidates with their providers and fetches keys.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::fail_closed::FailClosed;
use super::key::{KeyCommand, NO_KEY_HAS, is_key};
use super::keys::Keys;
use super::limits::{LONGEST_VERIFY, LONGEST_WAIT, PLAN_CANDIDATES, VERIFY_TIMEOUT};
use super::network::{self, BaseUrl};
use super::obstacle::{Kind, Obstacle};
use super::options::{self, Checked, CommandLine, Header, Options};
use super::read::Problem;
use super::resolve_bill::bill;
use super::resolve_lease::lease;
use super::resolve_requester::{Asker, requester, team};
use super::resolve_telemetry::{basic_authorization, telemetry};
use super::resolve_token::{Environment, token_source};
use super::{
    Budget, Canary, Endpoint, Language, LongInput, Price, Privacy, Role, Secret, ServerCommand, Settings,
    TierFactor, UnavailableCandidate, Verify, Wire, models,
};
use crate::privacy::{BadGlob, PathRules};
use crate::text::did_you_mean;

/// The sources of keys.
pub(super) struct Keyring<'a> {
    pub(super) environment: Environment<'a>,
    /// The results of commands.
    pub(super) keys: &'a mut Keys,
    /// Whether commands may be run now; otherwise they count as pending.
    pub(super) run: bool,
    /// The commands that have yet to be run.
    pub(super) pending: Vec<KeyCommand>,
}

pub(super) fn resolve(options: &Options, keyring: &mut Keyring<'_>, problems: &mut Vec<Problem>) -> Settings {
    let defaults = Settings::default();
    let mut role = |name: &str, candidates: &Option<_>, hedge_ms| Role {
        hedge: Option::map(hedge_ms, Duration::from_millis),
        ..role(name, candidates, options, keyring, problems)
    };
    let fast = role("fast", &options.fast.candidates, options.fast.hedge_ms);
    let deep = role("deep", &options.deep.candidates, options.deep.hedge_ms);
    let trial = role("fast.canary", &options.fast.canary.candidates, None);
    let canary = canary(&options.fast.canary, trial, &fast, problems);
    let mut prices = defaults.prices;
    for (model, price) in &options.prices {
        let (Some(input), Some(output)) = (price.input, price.output) else {
            let name = format!("prices.\"{model}\"");
            problems.push(Problem::new("", &name, "a price needs both `input` and `output`"));
            continue;
        };
        prices.insert(model.clone(), self::price(model, price, input, output));
    }
    let deny = options.privacy.deny.0.clone();
    let allow = options.privacy.allow.clone().unwrap_or_default();
    let (rules, bad) = PathRules::new(&deny, &allow);
    let bad_glob =
        |bad: &BadGlob| Problem::new("", "privacy", bad.to_string()).in_doubt(Some(FailClosed::Shown));
    problems.extend(bad.iter().map(bad_glob));
    let redact = options.privacy.redact.unwrap_or(defaults.privacy.redact);
    let context = options.privacy.context.unwrap_or(defaults.privacy.context);
    let privacy = Privacy { deny, allow, redact, context, path_rules: rules };
    let language = |(id, it): (&String, &options::Language)| {
        let options::Language { enabled, eagerness, next_edit } = *it;
        (id.clone(), Language { enabled: enabled.unwrap_or(true), eagerness, next_edit })
    };
    let options::Budget { session_dollars, day_dollars, session_tokens, day_tokens, .. } = options.budget;
    let environment = keyring.environment;
    let lease = lease(options, environment, &mut |it| key(it, "password_env", keyring), problems);
    Settings {
        correction: None,
        fast,
        canary,
        deep,
        max_file_bytes: options.max_file_bytes.unwrap_or(defaults.max_file_bytes),
        max_ghost_lines: options.max_ghost_lines.map_or(defaults.max_ghost_lines, Into::into),
        eagerness: options.eagerness.unwrap_or(defaults.eagerness),
        indicator_only: options.indicator_only.unwrap_or(defaults.indicator_only),
        speculate: options.speculate.unwrap_or(defaults.speculate),
        next_edit: options.next_edit.unwrap_or(defaults.next_edit),
        background_fixes: options.background_fixes.unwrap_or(defaults.background_fixes),
        model_fixes_on_save: options.model_fixes_on_save.clone().unwrap_or_default(),
        fix_before_save: options.fix_before_save.unwrap_or(defaults.fix_before_save),
        allow_invisible_characters: options
            .allow_invisible_characters
            .unwrap_or(defaults.allow_invisible_characters),
        languages: options.languages.iter().map(language).collect(),
        disable_in: options.disable_in.iter().flatten().copied().collect(),
        privacy,
        plan_candidates: options
            .plan
            .candidates
            .map_or(defaults.plan_candidates, |it| it.get().min(PLAN_CANDIDATES)),
        verify: verify(options, environment),
        budget: Budget { session_dollars, day_dollars, session_tokens, day_tokens, is_of_policy: false },
        lease,
        prices,
        record: options.record.unwrap_or(defaults.record),
        telemetry: telemetry(options, environment, problems),
        bill: bill(options, environment, problems),
        style: options.style.clone(),
        policy: None,
    }
}

/// A price as written, completed by facts about the model.
fn price(model: &str, written: &options::Price, input: f64, output: f64) -> Price {
    let mut price = models::price(model, input, written.cached.unwrap_or(input), output);
    if let Some(cache_write) = written.cache_write {
        (price.cache_write, price.retained) = (cache_write, cache_write);
    }
    price.retained = written.retained.unwrap_or(price.retained);
    if let Some(above) = written.long_above {
        let known = price.long.map_or((1.0, 1.0), |long| (long.input, long.output));
        let (input, output) = (written.long_input.unwrap_or(known.0), written.long_output.unwrap_or(known.1));
        price.long = Some(LongInput { above, input, output });
    }
    for (tier, factor) in &written.tiers {
        let Some(factor) = *factor else { continue };
        price.tiers.insert(tier.clone(), vec![TierFactor { factor, until: None }]);
    }
    price
}

/// The command that checks changes.
///
/// It gets no variable that contains a key: it runs code that a model has just written.
fn verify(options: &Options, environment: Environment<'_>) -> Option<Verify> {
    let options::Verify { command, timeout_seconds, .. } = &options.verify;
    let CommandLine(command) = command.clone()?;
    let timeout =
        timeout_seconds.map_or(VERIFY_TIMEOUT, |it| Duration::from_secs(it.get() as u64).min(LONGEST_VERIFY));
    let hidden = secret_variables(options);
    let options::Verify { without_asking, variables, sandbox, network, readable, writable, .. } =
        &options.verify;
    let paths = |paths: &Option<Vec<PathBuf>>| {
        paths.iter().flatten().map(|path| environment.absolute(path)).collect()
    };
    Some(Verify {
        command,
        timeout,
        without_asking: paths(without_asking),
        variables: variables.iter().flatten().filter(|it| !hidden.contains(it)).cloned().collect(),
        sandbox: sandbox.unwrap_or(true),
        network: network.unwrap_or(false),
        readable: paths(readable),
        writable: paths(writable),
    })
}

/// The environment variables that the settings take keys and headers from.
fn secret_variables(options: &Options) -> Vec<&String> {
    let mut secret = Vec::new();
    for Checked { table, .. } in options.providers.values() {
        secret.extend(&table.api_key_env);
        let exchange = table.token_exchange.iter();
        secret.extend(exchange.flat_map(|it| it.subject_token_env.iter().chain(&it.client_secret_env)));
        secret.extend(table.headers.values().chain(table.metadata.values()).filter_map(variable_of));
    }
    secret.extend(&options.budget.lease.password_env);
    let receivers = options.telemetry.headers.values().chain(options.bill.headers.values());
    secret.extend(receivers.filter_map(variable_of));
    secret
}

/// The environment variable that a header's value comes from.
fn variable_of(header: &Option<Header>) -> Option<&String> {
    match header {
        Some(Header::Variable(name)) => Some(name),
        _ => None,
    }
}

/// The model on trial, if one is configured and there is a model to compare it with.
fn canary(written: &options::Canary, role: Role, fast: &Role, problems: &mut Vec<Problem>) -> Option<Canary> {
    let options::Canary { share, max_refused, max_p95_ms, dollars, .. } = *written;
    let mut within = |name: &str, value: Option<f64>, default: f64, most: f64| {
        let value = value.unwrap_or(default);
        let is_within = (0.0..=most).contains(&value);
        if !is_within {
            let what = format!("it is from 0 to {most}; {default} is used");
            problems.push(Problem::new("", &format!("fast.canary.{name}"), what));
        }
        if is_within { value } else { default }
    };
    let share = within("share", share, 0.1, 1.0);
    let max_refused = within("max_refused", max_refused, 0.2, 1.0);
    let dollars = within("dollars", dollars, 1.0, 1_000.0);
    let first = role.candidates.first()?;
    let why_not = match fast.candidates.first() {
        None => Some("there is no model in `fast.candidates` to compare it with"),
        Some(fast) if fast == first => Some("it is the model that it is to be compared with"),
        Some(_) => None,
    };
    if let Some(why) = why_not {
        problems.push(Problem::new("", "fast.canary", why));
        return None;
    }
    Some(Canary { role, share, max_refused, max_p95: max_p95_ms.map(Duration::from_millis), dollars })
}

/// A role's candidates, each joined with its provider, or with the reason why it is left out.
fn role(
    name: &str,
    candidates: &Option<Vec<options::Candidate>>,
    options: &Options,
    keyring: &mut Keyring<'_>,
    problems: &mut Vec<Problem>,
) -> Role {
    let mut resolved = Role::default();
    for (at, candidate) in candidates.iter().flatten().enumerate() {
        match endpoint(candidate, options, keyring) {
            Ok(endpoint) => resolved.candidates.push(endpoint),
            Err(Obstacle { why, kind, variable }) => {
                // The missing key of a fallback candidate is reported with the list of candidates.
                let is_absent = kind == Kind::Absence && resolved.candidates.is_empty();
                let problem = Problem::left_out(name, at, &why);
                // A key that several roles lack is missed once.
                let is_known = || problems.iter().any(|it| it.has_same_cause(&problem));
                if kind == Kind::Mistake || is_absent && !is_known() {
                    problems.push(problem);
                }
                let named = |name: &Option<String>| name.clone().unwrap_or_default();
                let (provider, model) = (named(&candidate.provider), named(&candidate.model));
                resolved.left_out.push(UnavailableCandidate { provider, model, why, variable });
            }
        }
    }
    resolved
}

fn endpoint(
    candidate: &options::Candidate,
    options: &Options,
    keyring: &mut Keyring<'_>,
) -> Result<Endpoint, Obstacle> {
    let model = candidate.model.clone().ok_or_else(|| Obstacle::mistake("it has no `model`"))?;
    let name = candidate.provider.as_ref().ok_or_else(|| Obstacle::mistake("it has no `provider`"))?;
    let Some(Checked { table: provider, is_broken }) = options.providers.get(name) else {
        return Err(Obstacle::mistake(unknown_provider(name, options)));
    };
    if *is_broken {
        return Err(Obstacle::mistake(format!("there is a mistake in providers.{name}")));
    }
    if provider.wire == Some(Wire::Lsp) {
        let hidden = secret_variables(options).into_iter().cloned().collect();
        return language_server(name, model, (provider, hidden), keyring.environment);
    }
    let written = provider
        .base_url
        .as_ref()
        .ok_or_else(|| Obstacle::mistake(format!("providers.{name} has no `base_url`")))?;
    let url = BaseUrl::parse(written.expose())
        .map_err(|why| Obstacle::mistake(format!("providers.{name}.base_url {why}")))?;
    let exposed = |it: &Option<Secret>| it.as_ref().map(|it| it.expose().to_owned());
    let (own, common) = (exposed(&provider.proxy), exposed(&options.proxy));
    let environment = keyring.environment;
    let proxy_of =
        |url: &BaseUrl| network::proxy(url, own.as_deref(), common.as_deref(), environment.variable);
    let proxy = proxy_of(&url).map_err(Obstacle::mistake)?;
    let known_dialect = || models::family(&model).and_then(|family| family.edits);
    let edit_dialect = candidate.edit_dialect.map_or_else(known_dialect, |name| name.dialect());
    // On this machine, compression would only cost time.
    let deflate = provider.deflate.unwrap_or(!url.is_local());
    let ca_file = provider.ca_file.as_ref().or(options.ca_file.as_ref());
    let ca_file = ca_file.map(|path| environment.absolute(path));
    let source = token_source(name, provider, environment, &proxy_of, ca_file.as_deref())?;
    let token = source.map(|source| keyring.keys.token(source));
    let key = if token.is_some() { None } else { key(provider, "api_key_env", keyring)? };
    let asker =
        Asker { variable: environment.variable, team: team(options), session: Some(keyring.keys.session()) };
    let (mut headers, requester) = requester(&format!("providers.{name}"), provider, asker)?;
    headers.extend(url.user.filter(|_| key.is_none() && token.is_none()).map(basic_authorization));
    Ok(Endpoint {
        provider: name.clone(),
        wire: match provider.wire.unwrap_or_default() {
            Wire::Fim(_) => Wire::Fim(provider.fim_dialect.unwrap_or_default()),
            wire => wire,
        },
        deflate,
        base_url: url.base,
        command: None,
        query: url.query.map(Secret::new),
        key,
        token,
        headers,
        requester,
        proxy: proxy.map(Secret::new),
        ca_file,
        model,
        reasoning_effort: candidate.reasoning_effort.clone(),
        service_tier: candidate.service_tier.clone(),
        window: candidate.window.map(|it| u32::try_from(it.get()).unwrap_or(u32::MAX)),
        cache_ttl: candidate.cache_ttl.clone(),
        wait: candidate.wait_ms.map(|it| Duration::from_millis(it.get() as u64).min(LONGEST_WAIT)),
        edit_dialect,
    })
}

/// A language server, which reads its own settings.
fn language_server(
    name: &str,
    model: String,
    (provider, hidden_variables): (&options::Provider, Vec<String>),
    environment: Environment<'_>,
) -> Result<Endpoint, Obstacle> {
    let Some(CommandLine(mut words)) = provider.command.clone() else {
        return Err(Obstacle::mistake(format!(
            "providers.{name} has no `command`, which `wire = \"lsp\"` needs"
        )));
    };
    // Without a separator, the program is looked for on the PATH.
    if let Some(program) = words.first_mut().filter(|it| it.contains(std::path::is_separator)) {
        *program = environment.absolute(Path::new(&*program)).to_string_lossy().into_owned();
    }
    let command = ServerCommand { words, folder: environment.folder.map(Path::to_owned), hidden_variables };
    let base_url = format!("lsp:{}", command.program());
    let provider = name.to_owned();
    Ok(Endpoint { provider, wire: Wire::Lsp, base_url, command: Some(command), model, ..Endpoint::default() })
}

/// A message for an unknown provider, with a suggestion.
fn unknown_provider(name: &str, options: &Options) -> String {
    let guess = did_you_mean(name, options.providers.keys().map(String::as_str));
    format!("there is no provider `{name}`{guess}")
}

/// The provider's key, from the environment if it is there, else from its command. `setting` names its variable.
fn key(
    provider: &options::Provider,
    setting: &str,
    keyring: &mut Keyring<'_>,
) -> Result<Option<Secret>, Obstacle> {
    let variable = provider.api_key_env.as_ref();
    let from_variable =
        variable.and_then(|name| (keyring.environment.variable)(name)).filter(|key| !key.trim().is_empty());
    let key = match (from_variable, &provider.api_key_command, variable) {
        (Some(key), ..) => Secret::new(key.trim().to_owned()),
        (None, Some(CommandLine(command)), _) => command_key(command, keyring)?,
        (None, None, Some(name)) => {
            return Err(Obstacle::unset(setting, name, "key"));
        }
        (None, None, None) => return Ok(None),
    };
    if !is_key(key.expose()) {
        return Err(Obstacle::mistake(format!("its key has {NO_KEY_HAS}")));
    }
    Ok(Some(key))
}

/// The key from a command, which may have run already.
fn command_key(command: &[String], keyring: &mut Keyring<'_>) -> Result<Secret, Obstacle> {
    let command = KeyCommand::new(command.to_vec());
    if keyring.run {
        return keyring.keys.ask(&command).map_err(Obstacle::absence);
    }
    if let Some(answer) = keyring.keys.known(&command) {
        return answer.map_err(Obstacle::absence);
    }
    if !keyring.pending.contains(&command) {
        keyring.pending.push(command);
    }
    let why = "the command for its key has not answered yet".to_owned();
    Err(Obstacle { why, kind: Kind::Pending, variable: None })
}
