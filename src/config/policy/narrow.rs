//! Narrows settings by the rules of a policy: of each pair of limits, the stricter one holds.

use std::collections::BTreeMap;
use std::fmt::Display;

use globset::GlobBuilder;

use super::document::{ModelRules, PolicyDocument};
use super::report::Narrowed;
use super::switches::{OFF, ON};
use super::urls;
use crate::config::options::{self, Header, Options, Telemetry};
use crate::config::prices::price_at;
use crate::config::resolve_lease::fix_lease;
use crate::config::{Endpoint, Role, Secret, Settings, UnavailableCandidate};

/// The headers for a receiver.
pub(super) type ReceiverHeaders = BTreeMap<String, Option<Header>>;

/// Replaces the options that a policy sets rather than limits, and returns those that the user had set otherwise.
///
/// `offered` are the headers that the policy offers for a collector and for the bill: a receiver that it fixes has them.
pub(super) fn fix(
    options: &mut Options,
    rules: &PolicyDocument,
    offered: [ReceiverHeaders; 2],
) -> Vec<Narrowed> {
    let [of_telemetry, of_bill] = offered;
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
    let lease = &rules.budget.lease;
    fix_lease(&mut options.budget.lease, lease);
    // One that the user has as well is named, too: the user cannot remove it.
    if lease.database.is_some()
        || lease.team.is_some()
        || lease.user.is_some()
        || lease.away_dollars.is_some()
    {
        let team = lease.team.as_ref().map_or_else(String::new, |team| format!(" of the team {team}"));
        let effect = match lease.database {
            Some(_) => format!("what is spent is leased from the company's budget{team}"),
            None => format!("if there is a lease, it is as the policy says{team}"),
        };
        narrowed.push(Narrowed::new("budget.lease", effect, "budget.lease"));
    }
    let locked = |url: &String| Some(Secret::new(url.clone())).filter(|it| it.expose() != "none");
    if let Some(url) = &rules.locked.bill {
        let locked = locked(url);
        if options.bill.url != locked {
            narrowed.push(Narrowed::new("bill.url", url, "locked.bill"));
            // A header of the user's goes to the URL that the user named, and to no other.
            options.bill.headers = of_bill;
        }
        options.bill.url = locked;
    }
    if let Some(url) = &rules.locked.telemetry {
        let endpoint = locked(url);
        // A collector that the user did not set is named as well.
        if options.telemetry.endpoint != endpoint {
            narrowed.push(Narrowed::new("telemetry.endpoint", url, "locked.telemetry"));
        }
        options.telemetry = Telemetry { endpoint, headers: of_telemetry };
    }
    narrowed
}

/// Whether the dollars that a model may cost are limited.
fn has_ceiling(rules: &PolicyDocument) -> bool {
    let options::Budget { day_dollars, session_dollars, lease, .. } = &rules.budget;
    day_dollars.is_some() || session_dollars.is_some() || lease.database.is_some()
}

/// Narrows settings, and returns what has changed.
pub(super) fn narrow(settings: &mut Settings, rules: &PolicyDocument) -> Vec<Narrowed> {
    let mut narrowed = Vec::new();
    let canary = settings.canary.as_mut().map(|it| ("fast.canary", &mut it.role));
    let gears = [("fast", &mut settings.fast), ("deep", &mut settings.deep)].into_iter().chain(canary);
    // A model without a price would cost nothing, whatever it costs.
    let is_counted = |it: &Endpoint| !has_ceiling(rules) || price_at(&settings.prices, it, None).is_some();
    for (gear, role) in gears {
        restrict(gear, role, &rules.models, &is_counted, &mut narrowed);
    }
    settings.canary = settings.canary.take().filter(|it| !it.role.candidates.is_empty());
    let (own, most) = (&mut settings.budget, &rules.budget);
    lower("budget.session_dollars", &mut own.session_dollars, most.session_dollars, &mut narrowed);
    lower("budget.day_dollars", &mut own.day_dollars, most.day_dollars, &mut narrowed);
    lower("budget.session_tokens", &mut own.session_tokens, most.session_tokens, &mut narrowed);
    lower("budget.day_tokens", &mut own.day_tokens, most.day_tokens, &mut narrowed);
    own.is_of_policy =
        most.day_dollars.is_some() || most.day_tokens.is_some() || most.lease.database.is_some();
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
fn restrict(
    gear: &str,
    role: &mut Role,
    rules: &ModelRules,
    is_counted: &dyn Fn(&Endpoint) -> bool,
    narrowed: &mut Vec<Narrowed>,
) {
    let is_named = |glob: &String, model: &str| {
        let glob = GlobBuilder::new(glob).case_insensitive(true).build();
        glob.is_ok_and(|it| it.compile_matcher().is_match(model))
    };
    let is_listed = |list: &Option<Vec<String>>, is_it: &dyn Fn(&String) -> bool| {
        list.as_ref().is_none_or(|list| list.iter().any(is_it))
    };
    for it in std::mem::take(&mut role.candidates) {
        let why = if !is_listed(&rules.allow, &|glob| is_named(glob, &it.model)) {
            ("models.allow", "does not allow it")
        } else if !is_listed(&rules.urls, &|rule| urls::covers(rule, &it.base_url)) {
            ("models.urls", "does not allow its URL")
        } else if !is_listed(&rules.urls, &|rule| {
            // With HTTPS, too: one that the user's `ca_file` vouches for could stand in for the host.
            it.proxy.as_ref().is_none_or(|proxy| urls::covers(rule, proxy.expose()))
        }) {
            ("models.urls", "does not allow its proxy")
        } else if !is_counted(&it) {
            ("budget", "limits dollars and has no price for it")
        } else {
            role.candidates.push(it);
            continue;
        };
        let (rule, why) = why;
        let Endpoint { provider, model, .. } = it;
        let effect = format!("without {model} of {provider}");
        narrowed.push(Narrowed::new(&format!("{gear}.candidates"), effect, rule));
        let why = format!("the company's policy {why} (`{rule}`)");
        role.left_out.push(UnavailableCandidate { provider, model, why, variable: None });
    }
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
