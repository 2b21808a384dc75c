//! Narrows settings by the rules of a policy: of each pair of limits, the stricter one holds.

use std::fmt::Display;

use globset::GlobBuilder;

use super::document::{ModelRules, PolicyDocument};
use super::report::Narrowed;
use super::switches::{OFF, ON};
use super::urls;
use crate::config::options::{Options, Telemetry};
use crate::config::{Role, Secret, Settings, UnavailableCandidate};

/// Replaces the options that a policy sets rather than limits, and returns those that the user had set otherwise.
pub(super) fn fix(options: &mut Options, rules: &PolicyDocument) -> Vec<Narrowed> {
    let mut narrowed = Vec::new();
    let own = options.prices.len();
    if has_ceiling(rules) {
        // A price of the user's own would move a ceiling in dollars.
        options.prices.clear();
    } else {
        options.prices.retain(|model, _| !rules.prices.contains_key(model));
    }
    if options.prices.len() < own {
        let rule = if has_ceiling(rules) { "budget" } else { "prices" };
        narrowed.push(Narrowed::new("prices", "those of the policy and of Tandem apply", rule));
    }
    options.prices.extend(rules.prices.clone());
    if let Some(url) = &rules.locked.telemetry {
        let endpoint = Some(Secret::new(url.clone())).filter(|it| it.expose() != "none");
        let written = options.telemetry.endpoint.as_ref();
        if written.is_some_and(|it| Some(it.expose()) != endpoint.as_ref().map(Secret::expose)) {
            narrowed.push(Narrowed::new("telemetry.endpoint", url, "locked.telemetry"));
        }
        options.telemetry = Telemetry { endpoint, ..Telemetry::default() };
    }
    narrowed
}

/// Whether the dollars that a model may cost are limited.
fn has_ceiling(rules: &PolicyDocument) -> bool {
    rules.budget.day_dollars.is_some() || rules.budget.session_dollars.is_some()
}

/// Narrows settings, and returns what has changed.
pub(super) fn narrow(settings: &mut Settings, rules: &PolicyDocument) -> Vec<Narrowed> {
    let mut narrowed = Vec::new();
    restrict("fast", &mut settings.fast, &rules.models, &mut narrowed);
    restrict("deep", &mut settings.deep, &rules.models, &mut narrowed);
    if let Some(canary) = &mut settings.canary {
        restrict("fast.canary", &mut canary.role, &rules.models, &mut narrowed);
    }
    settings.canary = settings.canary.take().filter(|it| !it.role.candidates.is_empty());
    let (own, most) = (&mut settings.budget, &rules.budget);
    lower("budget.session_dollars", &mut own.session_dollars, most.session_dollars, &mut narrowed);
    lower("budget.day_dollars", &mut own.day_dollars, most.day_dollars, &mut narrowed);
    lower("budget.session_tokens", &mut own.session_tokens, most.session_tokens, &mut narrowed);
    lower("budget.day_tokens", &mut own.day_tokens, most.day_tokens, &mut narrowed);
    let privacy = &mut settings.privacy;
    if let Some(deny) = rules.privacy.deny.as_ref().filter(|it| !it.is_empty()) {
        privacy.deny.extend(deny.iter().cloned());
        // The policy's globs were checked when it came, and the user's when they were read.
        privacy.path_rules = privacy.path_rules.denying(&privacy.deny).0;
        narrowed.push(Narrowed::new("privacy.deny", format!("adds {}", deny.join(", ")), "privacy.deny"));
    }
    if let Some(globs) = rules.privacy.local_only.as_ref().filter(|it| !it.is_empty()) {
        privacy.path_rules = privacy.path_rules.local_only(globs);
        let effect = format!("no model sees {}", globs.join(", "));
        narrowed.push(Narrowed::new("privacy", effect, "privacy.local_only"));
    }
    if let Some(most) = rules.privacy.context.filter(|most| *most < privacy.context) {
        let effect = format!("`{}` instead of `{}`", most.name(), privacy.context.name());
        narrowed.push(Narrowed::new("privacy.context", effect, "privacy.context"));
        privacy.context = most;
    }
    let locked = [(OFF, &rules.locked.off, "off"), (ON, &rules.locked.on, "on")];
    for (switches, names, position) in locked {
        for (name, set) in switches.iter().filter(|(name, _)| names.iter().flatten().any(|it| it == name)) {
            if set(settings) {
                narrowed.push(Narrowed::new(name, position, &format!("locked.{position}")));
            }
        }
    }
    narrowed
}

/// Leaves out the candidates that the rules do not allow.
fn restrict(gear: &str, role: &mut Role, rules: &ModelRules, narrowed: &mut Vec<Narrowed>) {
    let is_named = |glob: &String, model: &str| {
        let glob = GlobBuilder::new(glob).case_insensitive(true).build();
        glob.is_ok_and(|it| it.compile_matcher().is_match(model))
    };
    let allowed = std::mem::take(&mut role.candidates).into_iter().filter(|it| {
        let by_name =
            rules.allow.as_ref().is_none_or(|globs| globs.iter().any(|glob| is_named(glob, &it.model)));
        let by_url =
            || rules.urls.as_ref().is_none_or(|all| all.iter().any(|rule| urls::covers(rule, &it.base_url)));
        let (rule, what) = match by_name {
            true if by_url() => return true,
            true => ("models.urls", format!("{} of {}", it.base_url, it.provider)),
            false => ("models.allow", format!("{} of {}", it.model, it.provider)),
        };
        role.left_out.push(UnavailableCandidate {
            provider: it.provider.clone(),
            model: it.model.clone(),
            why: format!("the company's policy does not allow it (`{rule}`)"),
            variable: None,
        });
        narrowed.push(Narrowed::new(&format!("{gear}.candidates"), format!("without {what}"), rule));
        false
    });
    role.candidates = allowed.collect();
}

/// Lowers a limit to a ceiling.
fn lower<T: PartialOrd + Copy + Display>(
    name: &str,
    own: &mut Option<T>,
    most: Option<T>,
    narrowed: &mut Vec<Narrowed>,
) {
    let Some(most) = most.filter(|most| own.is_none_or(|own| own > *most)) else { return };
    let before = own.map_or_else(|| "no limit".to_owned(), |own| own.to_string());
    narrowed.push(Narrowed::new(name, format!("{most} instead of {before}"), name));
    *own = Some(most);
}
