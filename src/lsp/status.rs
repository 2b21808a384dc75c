//! What the server tells of itself: `tandem/status`, `tandem/statusChanged`, `tandem.why` and `tandem.snooze`.

use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::backend::Shared;
use super::wire;
use crate::config::{Eagerness, FimDialect, LeftOut, Wire};
use crate::document::DocumentId;
use crate::job::Reason;
use crate::model::fallback::{Fallback, Report, State};
use crate::model::usage::Tally;
use crate::privacy::Verdict;

/// The clients that want to be told get two changes a second at most.
const COALESCE: Duration = Duration::from_millis(500);
/// How long a snooze lasts that does not say so, in minutes.
const SNOOZE: f64 = 5.0;

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// As whole milliseconds.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The whole status. `file` is asked about too.
pub(super) fn status(shared: &Shared, file: Option<&str>) -> Value {
    let serving = shared.serving();
    let gears = &serving.gears;
    let fast = gears.fast.as_deref().map(Fallback::report);
    let deep = gears.deep.as_deref().map(Fallback::report);
    let totals = gears.meter.totals();
    let capped = gears.meter.capped();
    let (snoozed, settings, suggestions, available, file) = {
        let session = shared.session();
        let left = session.snoozed(Instant::now().into_std());
        let left = left.map(|until| until.saturating_duration_since(Instant::now().into_std()));
        let suggestions = session.counts().values().fold([0; 3], |[shown, accepted, rejected], it| {
            [shown + it.shown, accepted + it.accepted, rejected + it.rejected]
        });
        let file = file.map(|uri| {
            let id = DocumentId::new(uri);
            let state = session.tracked(&id).map(|tracked| tracked.language_id().to_owned());
            let is_enabled = |language: &String| session.settings().is_enabled(language);
            let (state, why) = match state {
                Ok(language) if !is_enabled(&language) => {
                    ("off", Some(format!("`languages.{language}.enabled` is false")))
                }
                Ok(_) => match session.clearance(&id).and_then(|it| it.known()) {
                    Some(verdict) if *verdict != Verdict::Open => (verdict.code(), Some(verdict.to_string())),
                    _ => ("followed", None),
                },
                Err(reason) => (reason.code(), Some(reason.to_string())),
            };
            json!({ "uri": uri, "state": state, "why": why })
        });
        (left, Arc::clone(session.settings()), suggestions, session.indicates(), file)
    };
    let left_out = gears.left_out.iter().flatten().next();
    let (state, text) = summary(fast.as_ref(), deep.as_ref(), snoozed.is_some(), capped.as_deref(), left_out);
    let [shown, accepted, rejected] = suggestions;
    let [fast_left_out, deep_left_out] = &gears.left_out;
    let mut status = json!({
        "version": 1,
        "state": state,
        "text": text,
        "serverVersion": env!("CARGO_PKG_VERSION"),
        "gears": {
            "local": { "state": "ready" },
            "fast": gear(fast.as_ref(), fast_left_out),
            "deep": gear(deep.as_ref(), deep_left_out),
        },
        "eagerness": eagerness(settings.eagerness),
        // To the second, so that it stays the same as long as it is the same.
        "snoozedUntil": snoozed.map(|left| (now() + milliseconds(left)).div_ceil(1_000) * 1_000),
        "indicatorOnly": settings.indicator_only,
        "available": available,
        "usage": { "session": usage(&totals.session), "day": usage(&totals.day) },
        "caps": { "reached": capped },
        "suggestions": { "shown": shown, "accepted": accepted, "rejected": rejected },
    });
    if let Some(file) = file {
        status["file"] = file;
    }
    status
}

/// The state in one word and one line.
fn summary(
    fast: Option<&Report>,
    deep: Option<&Report>,
    snoozed: bool,
    capped: Option<&str>,
    left_out: Option<&LeftOut>,
) -> (&'static str, String) {
    if let Some(why) = capped {
        return ("capped", why.to_owned());
    }
    if snoozed {
        return ("snoozed", "nothing is suggested unasked for a while".to_owned());
    }
    let (name, report) = match (fast, deep) {
        (Some(fast), _) => ("fast", fast),
        (None, Some(deep)) => ("deep", deep),
        (None, None) => {
            let why = left_out.map_or_else(|| "no model is configured".to_owned(), |it| it.why.clone());
            return ("local", format!("local engine: {why}"));
        }
    };
    let served = || match (&report.degraded, report.state) {
        (Some(why), _) => format!("{name}: {why}"),
        (None, State::Starting) => format!("{name}: {} (not heard of yet)", report.asked),
        (None, _) => format!("{name}: {}", report.asked),
    };
    match report.state {
        State::Starting => ("starting", served()),
        State::Ready => ("ready", served()),
        State::Degraded => ("degraded", served()),
        State::Offline | State::Refused => {
            let why = report.degraded.as_deref().unwrap_or("no reason given");
            ("offline", format!("local engine: no {name} model answers ({why})"))
        }
    }
}

fn gear(report: Option<&Report>, left_out: &[LeftOut]) -> Value {
    let passed_over = report.map_or(&[][..], |report| &report.passed_over);
    let refused: Vec<Value> = left_out
        .iter()
        .chain(passed_over)
        .map(|it| json!({ "provider": it.provider, "model": it.model, "why": it.why }))
        .collect();
    let Some(report) = report else { return json!({ "state": "off", "refused": refused }) };
    json!({
        "state": report.state.name(),
        "provider": report.provider,
        "wire": wire_name(report.wire),
        "asked": report.asked,
        "served": report.served,
        "tier": report.tier,
        "degraded": report.degraded,
        "connectMs": report.connect.map(milliseconds),
        "httpVersion": report.http_version,
        "firstTokenMs": report.first_token.map(milliseconds),
        "totalMs": report.total.map(milliseconds),
        "tokensPerSecond": report.rate.map(|rate| rate.round() as u64),
        "pinned": report.pinned,
        "quotas": report.quotas.iter().map(|(name, it)| json!({ "name": name, "used": it })).collect::<Vec<_>>(),
        "refused": refused,
    })
}

/// The wire's name as users write it.
fn wire_name(wire: Wire) -> &'static str {
    match wire {
        Wire::ResponsesWebsocket => "responses-websocket",
        Wire::ResponsesSse => "responses-sse",
        Wire::Chat => "chat",
        Wire::Fim(FimDialect::Completions | FimDialect::Infill | FimDialect::Mistral) => "fim",
    }
}

fn eagerness(eagerness: Eagerness) -> &'static str {
    match eagerness {
        Eagerness::Low => "low",
        Eagerness::Medium => "medium",
        Eagerness::High => "high",
    }
}

fn usage(tally: &Tally) -> Value {
    // A millionth of a dollar is fine enough, and free of the noise of sums.
    let dollars = (tally.dollars * 1e6).round() / 1e6;
    json!({
        "requests": tally.requests,
        "inputTokens": tally.input_tokens,
        "cachedTokens": tally.cached_tokens,
        "outputTokens": tally.output_tokens,
        "forNobodyTokens": tally.abandoned_tokens,
        "bytesUp": tally.bytes_up,
        "dollars": dollars,
        "unpriced": tally.unpriced,
    })
}

/// What of a status makes a change of it: the figures alone do not.
fn essence(status: &Value) -> Value {
    let gear = |name: &str| {
        let gear = &status["gears"][name];
        json!([gear["state"], gear["degraded"], gear["served"]])
    };
    json!([
        status["state"],
        status["text"],
        gear("fast"),
        gear("deep"),
        status["snoozedUntil"],
        status["available"]
    ])
}

/// Tells the editor of changes for as long as it is served.
pub(super) async fn tell_changes(shared: Weak<Shared>, changed: Arc<tokio::sync::Notify>) {
    let mut last = Value::Null;
    loop {
        {
            let Some(shared) = shared.upgrade() else { return };
            let status = status(&shared, None);
            let essence = essence(&status);
            if essence != last {
                last = essence;
                shared.editor.status_changed(status);
            }
        }
        tokio::time::sleep(COALESCE).await;
        changed.notified().await;
    }
}

/// `tandem.why`: the last decisions, for people and for plugins.
pub(super) fn why(shared: &Shared, arguments: &wire::AboutDocument) -> Value {
    let id = arguments.text_document.as_ref().map(|it| DocumentId::new(&it.uri));
    let decisions = shared.session().decisions(id.as_ref());
    let now = now();
    let mut text = String::new();
    let listed: Vec<Value> = decisions
        .into_iter()
        .map(|(id, it)| {
            let trigger = if it.invoked { "invoked" } else { "automatic" };
            let outcome = if it.nothing.is_none() { "shown" } else { "nothing" };
            let seconds = now.saturating_sub(it.at) / 1_000;
            let name = id.as_str().rsplit('/').next().unwrap_or_default();
            let (line, job, ms) = (u64::from(it.line) + 1, it.job.name(), it.milliseconds);
            let who = match (&it.gear, &it.model) {
                (Some(gear), Some(model)) => format!(", {gear}: {model}"),
                (Some(gear), None) => format!(", {gear}"),
                _ => String::new(),
            };
            let why = it.why();
            text += &format!(
                "{seconds} s ago, {name}:{line}, {job}, {trigger}: {outcome}, {why} ({ms} ms{who})\n"
            );
            json!({
                "at": it.at, "uri": id.as_str(), "line": it.line, "job": job, "trigger": trigger,
                "outcome": outcome, "code": it.code(), "why": why, "gear": it.gear, "model": it.model,
                "milliseconds": ms,
            })
        })
        .collect();
    if text.is_empty() {
        text.push_str("nothing was decided yet\n");
    }
    json!({ "text": text, "decisions": listed })
}

/// `tandem.snooze`: leaves the user alone for so many minutes, or no longer with 0.
pub(super) fn snooze(shared: &Arc<Shared>, arguments: &wire::Snooze) -> Result<Value, Reason> {
    let minutes = arguments.minutes.unwrap_or(SNOOZE);
    let asked = Duration::try_from_secs_f64(minutes * 60.0).ok();
    // A year is for ever; what is longer cannot be added to a clock.
    let asked = asked.filter(|it| *it <= Duration::from_secs(366 * 24 * 60 * 60));
    let Some(lasts) = asked else {
        return Err(Reason::Refused {
            code: "minutes",
            why: format!("`minutes` is {minutes}; it must be from 0 to a year of them"),
        });
    };
    let until = (!lasts.is_zero()).then(|| Instant::now() + lasts);
    shared.session().snooze(until.map(Instant::into_std));
    shared.status_changed.notify_one();
    if let Some(until) = until {
        let shared = Arc::downgrade(shared);
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            if let Some(shared) = shared.upgrade() {
                shared.status_changed.notify_one();
            }
        });
    }
    Ok(json!({ "snoozedUntil": until.map(|_| now() + milliseconds(lasts)) }))
}
