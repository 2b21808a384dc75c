//! Prints the findings as text: a mark before each, and the next step after it.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::examine::Bill;
use super::findings::{
    Budget, Candidate, Editor, Findings, Gear, KeyState, Listed, Measured, Problem, capped, is_told,
};
use crate::cli::local_servers::LocalServer;
use crate::cli::terminal::{BAD, DIM, GOOD, Styled};
use crate::model::gears::CANARY;
use crate::model::identity;
use crate::model::usage::Tally;
use crate::text::words::counted;

const NOTE: Style = AnsiColor::Yellow.on_default();
const HEAD: Style = Style::new().bold();

/// Prints the estimated cost of the examination.
pub(super) fn before(bill: &Bill) {
    if bill.requests == 0 {
        return;
    }
    let Bill { requests, tokens, dollars, unpriced } = bill;
    let money = match (*dollars > 0.0, unpriced) {
        (true, false) => format!(", ${dollars:.4}"),
        (true, true) => format!(", ${dollars:.4} plus models of unknown price"),
        (false, true) => ", price unknown".to_owned(),
        (false, false) => ", free".to_owned(),
    };
    let asking = format_args!(
        "Sending {} for one word each: about {tokens} tokens{money}.",
        counted(requests, "request")
    );
    Styled::new(DIM, asking).print();
}

pub(super) fn print(findings: &Findings) {
    head("Configuration");
    match (&findings.config.path, findings.config.exists) {
        (Some(path), true) if findings.config.problems.is_empty() => good(path),
        (Some(path), true) => note(path),
        (Some(path), false) => {
            plain(format_args!("  {path} does not exist; the local engine needs none")).print()
        }
        (None, _) => note("no configuration folder was found: set TANDEM_CONFIG"),
    }
    let mut told = Vec::new();
    for problem in &findings.config.problems {
        let step = match problem.keeps_models_off {
            true => "correct this; until then no model is asked",
            false => "correct this; all other settings apply",
        };
        bad(&problem.what, &problem.what, step, &mut told);
    }
    findings.config.remarks.iter().for_each(|it| note(it));
    if let Some(policy) = &findings.policy {
        head("Policy of your company");
        match &policy.problem {
            Some(problem) => bad(problem, &policy.line, "tell the administrator of this machine", &mut told),
            None => good(&policy.line),
        }
        policy.rules.iter().for_each(|it| plain("    ").and(DIM, it).print());
    }
    for gear in &findings.gears {
        print_gear(gear, &mut told);
    }
    findings.canary.iter().for_each(|it| note(it));
    if !findings.local.is_empty() {
        head("Models on this machine");
        findings.local.iter().for_each(print_local);
    }
    if !findings.editors.is_empty() {
        head("Editors");
        findings.editors.iter().for_each(print_editor);
    }
    if let Some(check) = &findings.verify {
        head("Check of changes");
        if let Some(problem) = &check.problem {
            bad(problem, problem, "correct `verify.command`, or install the program", &mut told);
        }
        match &check.sandbox {
            _ if check.problem.is_some() => {}
            Some(sandbox) => good(&format!("{} runs in a sandbox, {sandbox}", check.command)),
            None if check.wants_sandbox => {
                note(&format!(
                    "{} runs without a sandbox: none works here (on Linux: bubblewrap)",
                    check.command
                ));
            }
            None => note(&format!("{} runs without a sandbox (verify.sandbox = false)", check.command)),
        }
    }
    print_budget(&findings.budget, &mut told);
    plain("").print();
    let problems = match findings.problems().len() {
        0 => None,
        1 => Some("1 problem needs attention, see ✗ above.".to_owned()),
        count => Some(format!("{count} problems need attention, see ✗ above.")),
    };
    let (style, verdict) = match problems {
        // Setup does not write to a file with mistakes, so it is not suggested.
        Some(_) if findings.has_no_model() => {
            (BAD, "No model can be used until the configuration is corrected.")
        }
        None if findings.has_no_model() => {
            (Style::new(), "No model is configured: the local engine answers. `tandem setup` chooses one.")
        }
        None if findings.only_reached() => {
            (GOOD, "Every configured gear can be reached; no model was asked.")
        }
        Some(_) if findings.only_reached() => (NOTE, "No model was asked."),
        Some(_) if findings.answers() => (NOTE, "Every configured gear answers."),
        _ if findings.answers() => (GOOD, "Every configured gear answers."),
        _ => (BAD, "Not every configured gear answers."),
    };
    let problems = problems.map(|it| format!(" {it}")).unwrap_or_default();
    Styled::new(style, verdict).and(BAD, problems).print();
}

fn print_editor(editor: &Editor) {
    if editor.has_plugin {
        good(&format!("{}: Tandem is installed", editor.name));
    }
    for Problem { what, next_step } in &editor.remarks {
        note(&format!("{}: {what}", editor.name));
        plain("    ").and(DIM, "→ ").plain(next_step).print();
    }
}

fn print_gear(gear: &Gear, told: &mut Vec<String>) {
    head(match gear.name {
        "fast" => "Fast gear: ghost text, next edits, rewrites",
        CANARY => "Canary: a model on trial beside the fast gear",
        _ => "Deep gear: work that needs reasoning",
    });
    if gear.candidates.is_empty() {
        plain("  off: no model is configured for it").print();
    }
    let serving = gear.candidates.iter().position(|it| it.answers || it.only_reached);
    for (at, candidate) in gear.candidates.iter().enumerate() {
        print_candidate(candidate, serving == Some(at), told);
    }
}

fn print_candidate(it: &Candidate, serves: bool, told: &mut Vec<String>) {
    let name = name(it);
    let role = if serves { "" } else { ", as a fallback" };
    match &it.problem {
        Some(Problem { what, next_step }) => bad(what, &format!("{name}: {what}"), next_step, told),
        None if it.answers => good(&format!("{name} answers{role}")),
        None if it.only_reached => {
            let how = if it.listed == Some(Listed::Yes) { "listed" } else { "reached" };
            good(&format!("{name}: {how}, not asked{role}"));
        }
        None => note(&format!("{name}: no request was sent")),
    }
    let key = match it.key {
        Some(KeyState::Present) => "key present",
        Some(KeyState::Token) => "with a token that is renewed",
        Some(KeyState::NotNeeded) => "no key needed",
        Some(KeyState::Missing) => "no key configured",
        None => "",
    };
    let listed = match it.listed {
        Some(Listed::Yes) => "listed by the provider",
        Some(Listed::No) => "not listed by the provider",
        Some(Listed::NoList) => "no model list available",
        None => "",
    };
    let parts = [it.url.as_deref(), it.road.as_deref(), Some(key), Some(listed)];
    let parts: Vec<&str> = parts.into_iter().flatten().filter(|it| !it.is_empty()).collect();
    if !parts.is_empty() {
        plain("    ").and(DIM, parts.join(", ")).print();
    }
    if let Some(swapped) = &it.swapped {
        note(&format!("{swapped}: what you pay for is not what you get"));
    }
    if let Some(retires) = &it.retires {
        note(&format!("{} {retires}: choose another model with `tandem setup`", it.model));
    }
    for ignored in &it.in_vain {
        note(ignored);
    }
    // The candidate's problem is not repeated for each wire.
    let is_news = |wire: &&Measured| match (&wire.problem, &it.problem) {
        (Some(of_wire), Some(of_candidate)) => *of_wire != of_candidate.what,
        _ => true,
    };
    it.wires.iter().filter(is_news).for_each(print_wire);
    if let Some(speed) = &it.speed {
        plain("    ").and(DIM, &speed.expectation).print();
    }
    if let [socket, http] = &it.wires[..]
        && let (Some(of_socket), Some(of_http)) = (socket.first_token_ms, http.first_token_ms)
    {
        let http = wire_name(http);
        let (faster, by) = match of_socket <= of_http {
            true => ("the WebSocket", of_http - of_socket),
            false => (&*http, of_socket - of_http),
        };
        plain("    ").and(DIM, format_args!("{faster} is {by:.1} ms faster to the first token")).print();
    }
    if let Some(wire) = it.wires.iter().find(|wire| !wire.quotas.is_empty()) {
        let quotas: Vec<String> = wire.quotas.iter().map(|it| format!("{}: {}", it.name, it.used)).collect();
        plain("    ").and(DIM, format_args!("limits: {}", quotas.join("; "))).print();
    }
}

/// The display name of a candidate. If it was left out, parts of its name may be missing.
fn name(it: &Candidate) -> String {
    match (identity::shown(&it.model), it.provider.as_str()) {
        ("", "") => "a candidate".to_owned(),
        ("", provider) => format!("a candidate at {provider}"),
        (model, "") => model.to_owned(),
        (model, provider) => format!("{model} at {provider}"),
    }
}

fn print_wire(it: &Measured) {
    let ms = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1} ms"));
    match &it.problem {
        Some(problem) if it.requests == 0 => {
            plain(format_args!("    {:<18} ", wire_name(it))).and(DIM, problem).print();
        }
        _ => plain(format_args!(
            "    {:<18} connect {:>9}   first token {:>9}   total {:>9}   ",
            wire_name(it),
            ms(it.connect_ms),
            ms(it.first_token_ms),
            ms(it.total_ms),
        ))
        .and(DIM, format_args!("(median of {})", it.requests))
        .print(),
    }
}

/// The name of a wire with its HTTP version: `HTTP/2, chat`.
fn wire_name(it: &Measured) -> String {
    match &it.http_version {
        Some(version) => it.wire.replacen("HTTP", version.trim_end_matches(".0"), 1),
        None => it.wire.to_owned(),
    }
}

fn print_local(it: &LocalServer) {
    let models = match &it.models[..] {
        [] => "no model loaded".to_owned(),
        models => models.iter().take(5).map(|it| identity::shown(it)).collect::<Vec<_>>().join(", "),
    };
    if it.configured {
        return good(&format!("{} at {}, configured: {models}", it.name, it.base_url));
    }
    note(&format!("{} at {} is not used: {models}", it.name, it.base_url));
    if !it.models.is_empty() {
        let id = it.name.to_lowercase().replace([' ', '.'], "-");
        plain("    ").and(DIM, "to use it: ").plain(format_args!("tandem setup --provider {id}")).print();
    }
}

fn print_budget(it: &Budget, told: &mut Vec<String>) {
    head("Budget");
    plain(format_args!("  this check: {}", tally(&it.here))).print();
    plain(format_args!("  today (UTC): {}", tally(&it.today))).print();
    if let Some(lease) = &it.lease {
        match &lease.problem {
            Some(problem) => {
                bad(problem, &lease.line, "tell the administrator of the budget's database", told)
            }
            None => good(&lease.line),
        }
    }
    match (&it.reached, &it.caps[..]) {
        (None, []) if it.lease.is_some() => {}
        (Some(reached), _) => {
            let (reached, next_step) = capped(reached);
            bad(reached, reached, next_step, told);
        }
        // A setting of the budget that cannot be read was meant as a cap.
        (None, []) if told.iter().any(|it| it.contains("budget")) => {}
        (None, []) => {
            plain("  ").and(DIM, "no cap is set; `day_dollars` under `[budget]` sets one").print();
        }
        (None, caps) => plain(format_args!("  caps: {}", caps.join(", "))).print(),
    }
}

fn tally(it: &Tally) -> String {
    let unpriced = match it.unpriced {
        0 => String::new(),
        count => format!(", {} of unknown price", counted(count, "answer")),
    };
    format!(
        "{}, {} tokens in ({} cached), {} out, ${:.4}{unpriced}",
        counted(it.requests, "request"),
        it.input_tokens,
        it.cached_tokens,
        it.output_tokens,
        it.dollars
    )
}

fn plain(text: impl Display) -> Styled {
    Styled::default().plain(text)
}

fn head(text: &str) {
    plain("\n").and(HEAD, text).print();
}

fn good(text: &str) {
    plain("  ").and(GOOD, "✓").plain(" ").plain(text).print();
}

fn note(text: &str) {
    plain("  ").and(NOTE, "!").plain(" ").plain(text).print();
}

/// Prints a problem with its next step. Another mention of it is a note, so that the signs are as many as the problems.
fn bad(problem: &str, text: &str, next_step: &str, told: &mut Vec<String>) {
    if is_told(problem, told) {
        return note(text);
    }
    plain("  ").and(BAD, "✗").plain(format_args!(" {text}\n    → {next_step}")).print();
    told.push(problem.to_owned());
}
