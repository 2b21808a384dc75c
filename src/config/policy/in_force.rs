//! The policy that applies now: the last good one, checked against the administrator's file and the current time.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::document::Policy;
use super::kept::{Kept, Trouble};
use super::machine::{self, PolicyFiles};
use super::narrow::{ReceiverHeaders, fix, narrow};
use super::report::{AppliedPolicy, Narrowed, PolicyReport, PolicyState};
use crate::config::Settings;
use crate::config::keys::Keys;
use crate::config::limits::POLICY_FRESH;
use crate::config::node::Node;
use crate::config::options::Options;
use crate::config::project::refuse_programs;
use crate::config::read::{Merge, Problem, Reading};
use crate::config::resolve::{Keyring, resolve};
use crate::config::resolve_token::Environment;

/// A policy that applies, or the reason why none does.
pub(in crate::config) struct InForce {
    url: String,
    policy: Option<Policy>,
    state: PolicyState,
    /// Why no model is asked.
    withheld: Option<String>,
    fixed: Vec<Narrowed>,
    /// The headers that the policy offers for a collector and for the bill.
    headers: [ReceiverHeaders; 2],
}

/// Reads the policy of this machine; `None` if it has none.
pub(in crate::config) fn in_force(
    files: &PolicyFiles,
    variable: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Option<InForce> {
    let source = match machine::read(&files.machine, variable) {
        Ok(source) => source?,
        Err(why) => {
            // Whether it is required cannot be known.
            let url = files.machine.display().to_string();
            problems.push(Problem::of_policy(&url, without(&why)));
            let state = PolicyState::Missing(why.clone());
            return Some(InForce {
                url,
                policy: None,
                state,
                withheld: Some(why),
                fixed: Vec::new(),
                headers: Default::default(),
            });
        }
    };
    let url = source.endpoint.base_url.clone();
    let kept = Kept::read(files, &source);
    let policy = kept.policy(&source);
    let state = match (&policy, &files.state) {
        (None, None) => PolicyState::Missing("there is no folder to keep it in: set HOME".to_owned()),
        _ => state(&kept, policy.as_ref(), (files.clock)()),
    };
    let is_valid = !matches!(state, PolicyState::Invalid(_) | PolicyState::Missing(_));
    let withheld = state.why().filter(|_| source.is_required && !is_valid).map(str::to_owned);
    let rest = match &policy {
        Some(policy) => format!("the one with serial {} applies", policy.serial),
        None => "no rule applies".to_owned(),
    };
    let problem = match (&state, &withheld) {
        // It is about to be fetched, or its server is away for a while.
        (PolicyState::Fresh | PolicyState::Kept(..), _) => None,
        (PolicyState::Missing(_), _) if kept.trouble.is_none() && files.state.is_some() => None,
        (_, Some(why)) => Some(without(why)),
        (PolicyState::Refused(why), None) => Some(format!("the policy is refused: {why}; {rest}")),
        (PolicyState::Invalid(why), None) => Some(format!("the policy is not valid: {why}; {rest}")),
        (PolicyState::Missing(why), None) => Some(format!("there is no policy: {why}; {rest}")),
    };
    let unkept = kept.unwritten.as_ref().filter(|_| policy.is_some()).map(|why| {
        let folder = files.state.as_deref().unwrap_or(Path::new("a folder of yours")).display();
        format!("the policy cannot be kept in {folder}: {why}; it is fetched again at each start")
    });
    problems.extend(problem.or(unkept).map(|what| Problem::of_policy(&url, what)));
    Some(InForce { url, policy, state, withheld, fixed: Vec::new(), headers: Default::default() })
}

/// The message that no model is asked; the settings' problems and the gears share it.
fn without(why: &str) -> String {
    format!("no model is asked without the company's policy: {why}")
}

fn state(kept: &Kept, policy: Option<&Policy>, now: SystemTime) -> PolicyState {
    let checked = UNIX_EPOCH + Duration::from_secs(kept.checked);
    let Some(policy) = policy else {
        return PolicyState::Missing(match &kept.trouble {
            Some(Trouble::Away(why) | Trouble::Refused(why)) => why.clone(),
            None => "it is yet to be fetched".to_owned(),
        });
    };
    if let Err(why) = policy.check_time(now) {
        return PolicyState::Invalid(why);
    }
    match &kept.trouble {
        Some(Trouble::Refused(why)) => PolicyState::Refused(why.clone()),
        Some(Trouble::Away(why)) => PolicyState::Kept(checked, why.clone()),
        None if now.duration_since(checked).is_ok_and(|age| age > POLICY_FRESH) => {
            PolicyState::Kept(checked, "it was not fetched since".to_owned())
        }
        None => PolicyState::Fresh,
    }
}

impl InForce {
    /// The settings that it offers, with their source and the text that they are from. They run no program.
    pub(in crate::config) fn offered(
        &mut self,
        problems: &mut Vec<Problem>,
    ) -> Option<(String, String, Node)> {
        let (mut node, text) = self.policy.as_mut()?.offered.take()?;
        refuse_programs(&mut node, &mut Reading::new(&self.url, &text, problems));
        self.headers = headers(&node, &text);
        let offered = |name| Narrowed::new(name, "offered; what you set yourself comes first", "settings");
        self.fixed.extend(node.settings().iter().map(|name| offered(name)));
        Some((self.url.clone(), text, node))
    }

    /// Replaces the options that it sets.
    pub(in crate::config) fn fix(&mut self, options: &mut Options) {
        if let Some(policy) = &self.policy {
            self.fixed.extend(fix(options, &policy.rules, std::mem::take(&mut self.headers)));
        }
    }

    /// Narrows the user's settings. A project's are narrower still.
    pub(in crate::config) fn narrow(self, settings: &mut Settings) {
        let mut narrowed = self.fixed;
        if let Some(policy) = &self.policy {
            narrowed.extend(narrow(settings, &policy.rules));
        }
        if let Some(why) = &self.withheld {
            let why = without(why);
            settings.fast.withhold(&why);
            settings.deep.withhold(&why);
            settings.canary = None;
            settings.correction.get_or_insert_with(|| "the company's policy".into());
        }
        let applied = self.policy.map(|it| applied(&it));
        settings.policy =
            Some(Arc::new(PolicyReport { url: self.url, applied, state: self.state, narrowed }));
    }
}

fn applied(policy: &Policy) -> AppliedPolicy {
    let Policy { serial, issued, expires, .. } = *policy;
    AppliedPolicy { serial, issued, expires }
}

/// The headers for a collector and for the bill in settings.
fn headers(node: &Node, text: &str) -> [ReceiverHeaders; 2] {
    let mut options = Options::default();
    // Mistakes are reported where the settings are read.
    options.merge_from(node.clone(), &mut Reading::new("", text, &mut Vec::new()));
    [options.telemetry.headers, options.bill.headers]
}

/// Examines a document before it is signed. Returns its contents, and each mistake that a machine without settings of its
/// own would report.
///
/// # Errors
///
/// Why it would be refused, in a clause about it.
pub fn examine(document: &str, now: SystemTime) -> Result<(String, Vec<String>), String> {
    let mut policy = Policy::parse(document)?;
    policy.check_time(now)?;
    let shown = applied(&policy).shown(now);
    let (mut options, mut problems) = (Options::default(), Vec::new());
    let mut offered = Default::default();
    if let Some((mut node, text)) = policy.offered.take() {
        let mut reading = Reading::new("settings", &text, &mut problems);
        refuse_programs(&mut node, &mut reading);
        offered = headers(&node, &text);
        options.merge_from(node, &mut reading);
    }
    if problems.is_empty() {
        fix(&mut options, &policy.rules, offered);
        // Every variable for a key or a header has a value; a proxy's would have to be a URL.
        let variable = |name: &str| (!name.to_lowercase().ends_with("_proxy")).then(|| "a".to_owned());
        let mut keys = Keys::default();
        let environment = Environment { folder: None, variable: &variable };
        let mut keyring = Keyring { environment, keys: &mut keys, run: false, pending: Vec::new() };
        let mut settings = resolve(&options, &mut keyring, &mut problems);
        narrow(&mut settings, &policy.rules);
        let gears = [("fast", &settings.fast), ("deep", &settings.deep)];
        let left_out = gears.into_iter().flat_map(|(gear, it)| it.left_out.iter().map(move |it| (gear, it)));
        problems.extend(left_out.map(|(gear, it)| {
            let what = format!("offers {} of {}, and {}", it.model, it.provider, it.why);
            Problem::new("settings", &format!("{gear}.candidates"), what)
        }));
    }
    Ok((shown, problems.iter().map(ToString::to_string).collect()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::policy::moment;

    #[test]
    fn mistakes_that_a_machine_would_report_are_found_before_the_signature() {
        let check = |rules: &str, expect: Expect| {
            let head = "version = 1\nserial = 7\nissued = \"2026-11-20\"\nexpires = \"2027-02-01\"\n";
            let now = moment::parse("2026-11-21").unwrap();
            let (_, mistakes) = examine(&format!("{head}{rules}"), now).unwrap();
            expect.assert_eq(&mistakes.join("\n"));
        };
        let offered = "[settings.providers.gate]\nbase_url = \"https://gate.test/v1\"\napi_key_env = \"GATE\"\n[settings.fast]\ncandidates = [{ provider = \"gate\", model = \"m1\" }]\n";
        check(&format!("[models]\nallow = [\"m*\"]\n{offered}"), expect![""]);
        check(
            &format!("[models]\nallow = [\"gpt-*\"]\n{offered}"),
            expect![
                "settings: fast.candidates: offers m1 of gate, and the company's policy does not allow it (`models.allow`)"
            ],
        );
        check(
            "[settings]\neagernes = \"low\"",
            expect!["settings:6:1: eagernes: no such setting; did you mean `eagerness`?"],
        );
        check("[prices.m1]\ninput = 1", expect![[r#"prices."m1": a price needs both `input` and `output`"#]]);
        check(
            "[locked]\nbill = \"http://remote.test\"\ntelemetry = \"ftp://x\"",
            expect![[r#"
            telemetry: nothing is reported: telemetry.endpoint must begin with http:// or https://
            bill: nothing is sent: bill.url must begin with https://"#]],
        );
        check("[locked]\nbill = \"none\"\ntelemetry = \"https://collector.test\"", expect![""]);
    }
}
