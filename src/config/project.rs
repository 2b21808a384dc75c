//! Limits the settings of a project's file.
//!
//! It comes with the code, so its author may be hostile (an attacker who wants keys, for example). It can make
//! Tandem quieter and more private, and describe the style of its code.

use super::Settings;
use super::limits::{NAMED_REFUSALS, PROJECT_STYLE_BYTES};
use super::node::{Node, RawValue};
use super::options::Options;
use super::read::{Merge as _, Reading};
use crate::text::did_you_mean;

/// The settings that a project may have. `privacy` only in part.
const ALLOWED: [&str; 8] = [
    "style",
    "languages",
    "eagerness",
    "disable_in",
    "next_edit",
    "background_fixes",
    "privacy",
    "max_ghost_lines",
];

/// Why a project may not have this setting.
fn refusal(name: &str) -> Option<&'static str> {
    Some(match name {
        "providers" => "a project must not say where your code and keys go",
        "fast" | "deep" => "a project must not choose the models",
        "proxy" | "ca_file" => "a project must not redirect the traffic",
        "budget" | "prices" | "plan" => "a project must not decide about your money",
        "verify" => "a project must not run commands",
        "profile" | "profiles" => "a project must not switch profiles",
        "trusted" | "trust_editor" => "a project must not decide whether it is trusted",
        "allow_invisible_characters" => "a project must not let in what cannot be seen",
        "record" => "a project must not have you recorded",
        "telemetry" | "bill" => "a project must not say where reports about you go",
        "max_file_bytes" | "indicator_only" | "speculate" | "model_fixes_on_save" | "fix_before_save" => {
            "this is for you to set, not for a project"
        }
        "privacy.allow" | "privacy.redact" => "a project may hide files (`privacy.deny`), not show them",
        _ => return None,
    })
}

/// Removes, and reports by name, the settings that a project may not have.
pub(super) fn restrict(node: &mut Node, reading: &mut Reading<'_>) {
    let RawValue::Table(entries) = &mut node.value else { return };
    let mut refused = Vec::new();
    entries.retain_mut(|(key, node)| {
        if key == "privacy"
            && let RawValue::Table(parts) = &mut node.value
        {
            parts.retain(|(part, node)| {
                let name = format!("{key}.{part}");
                refusal(&name).is_none_or(|why| {
                    refused.push((name, node.at, why));
                    false
                })
            });
        }
        let Some(why) = refusal(key) else { return true };
        let mut leaves = Vec::new();
        node.leaves(key, &mut leaves);
        refused.extend(leaves.into_iter().map(|(name, at)| (name, at, why)));
        false
    });
    let more = refused.len().saturating_sub(NAMED_REFUSALS);
    for (name, at, why) in refused.into_iter().take(NAMED_REFUSALS) {
        reading.wrong_in(&name, at, format!("ignored: {why}"));
    }
    if more > 0 {
        reading.wrong_in("", None, format!("{more} more settings are ignored"));
    }
    // A misspelling of a permitted setting must not be reported as one of a forbidden setting.
    entries.retain(|(key, node)| {
        let known = ALLOWED.contains(&key.as_str());
        if !known {
            let guess = did_you_mean(key, ALLOWED);
            reading.below(key, |reading| reading.wrong(node.at, format!("no such setting{guess}")));
        }
        known
    });
}

/// Removes from an editor's settings, and reports, the providers with a setting that produces tokens or starts a
/// server, and the bill. The settings may come from the project, and would send a command's output to a URL of their
/// choice, run a program, or add to a file of theirs.
pub(super) fn refuse_commands(node: &mut Node, reading: &mut Reading<'_>) {
    refuse_providers(node, &["command", "token_command", "token_exchange"], reading);
    with_profiles(node, &mut |node| {
        if let Some(bill) = node.take("bill") {
            reading.wrong_in("bill", bill.at, "ignored: it is set in the configuration file alone");
        }
    });
}

/// Removes from the settings that a policy offers, and reports, what would run a program.
///
/// Who signs it says where code goes, and runs nothing.
pub(super) fn refuse_programs(node: &mut Node, reading: &mut Reading<'_>) {
    refuse_providers(node, &["command", "token_command", "api_key_command"], reading);
    let what = "ignored: it is set in the configuration file alone";
    with_profiles(node, &mut |node| {
        if let Some(verify) = node.take("verify") {
            reading.wrong_in("verify", verify.at, what);
        }
        let lease = node.get_mut("budget").and_then(|it| it.get_mut("lease"));
        if let Some(command) = lease.and_then(|it| it.take("password_command")) {
            reading.wrong_in("budget.lease.password_command", command.at, what);
        }
        // A line that is added to a shell's start-up file would be run.
        if let Some(file) = node.get_mut("bill").and_then(|it| it.take("file")) {
            reading.wrong_in("bill.file", file.at, what);
        }
    });
}

/// Visits the settings, and those of each profile.
fn with_profiles(node: &mut Node, visit: &mut dyn FnMut(&mut Node)) {
    if let Some(RawValue::Table(profiles)) = node.get_mut("profiles").map(|it| &mut it.value) {
        profiles.iter_mut().for_each(|(_, profile)| visit(profile));
    }
    visit(node);
}

/// Removes, and reports, the providers with one of these settings.
///
/// Such a provider is removed as a whole, so that no token is sent to another URL.
fn refuse_providers(node: &mut Node, settings: &[&str], reading: &mut Reading<'_>) {
    let RawValue::Table(entries) = &mut node.value else { return };
    for (key, node) in entries {
        let RawValue::Table(entries) = &mut node.value else { continue };
        match key.as_str() {
            "profiles" => {
                for (name, profile) in entries {
                    reading.below(key, |reading| {
                        reading.below(name, |reading| refuse_providers(profile, settings, reading))
                    });
                }
            }
            "providers" => entries.retain(|(name, provider)| {
                let set = settings.iter().find(|it| provider.get(it).is_some());
                if let Some(set) = set {
                    let what = format!("ignored: `{set}` is set in the configuration file alone");
                    reading.below(key, |reading| reading.below(name, |reading| reading.wrong(None, what)));
                }
                set.is_none()
            }),
            _ => {}
        }
    }
}

/// The user's settings, overridden by those of a project.
pub(super) fn over(user: &Settings, node: Node, reading: &mut Reading<'_>) -> Settings {
    let mut options = Options::default();
    options.merge_from(node, reading);
    let mut settings = user.clone();
    if !options.privacy.deny.0.is_empty() {
        let privacy = &mut settings.privacy;
        privacy.deny.extend(options.privacy.deny.0);
        let (rules, bad) = privacy.path_rules.denying(&privacy.deny);
        privacy.path_rules = rules;
        for bad in bad {
            let wrong = |reading: &mut Reading<'_>| reading.wrong(None, bad.to_string());
            reading.below("privacy", |reading| reading.below("deny", wrong));
        }
    }
    // The scope can only be narrowed.
    settings.privacy.context =
        options.privacy.context.map_or(user.privacy.context, |it| it.min(user.privacy.context));
    settings.eagerness = options.eagerness.unwrap_or(user.eagerness);
    settings.max_ghost_lines = options.max_ghost_lines.map_or(user.max_ghost_lines, Into::into);
    // What the user turned off stays off.
    settings.disable_in.extend(options.disable_in.into_iter().flatten());
    settings.next_edit = user.next_edit && options.next_edit.unwrap_or(true);
    settings.background_fixes = user.background_fixes && options.background_fixes.unwrap_or(true);
    for (id, it) in options.languages {
        let language = settings.languages.entry(id).or_default();
        language.enabled &= it.enabled.unwrap_or(true);
        language.eagerness = it.eagerness.or(language.eagerness);
        language.next_edit = match (language.next_edit, it.next_edit) {
            (Some(false), _) => Some(false),
            (theirs, None) => theirs,
            (_, ours) => ours.map(|ours| ours && user.next_edit),
        };
    }
    match options.style {
        Some(style) if style.len() > PROJECT_STYLE_BYTES => {
            reading.wrong_in(
                "style",
                None,
                format!("ignored: {} bytes are more than {PROJECT_STYLE_BYTES}", style.len()),
            );
        }
        style => settings.style = style.or(settings.style),
    }
    settings
}
