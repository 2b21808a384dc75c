//! The server's status, for `tandem/status` and `tandem/statusChanged`.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::clock::{end_of, milliseconds};
use super::saved_session::SavedSession;
use super::serving::CurrentServing;
use super::session_lock::SessionLock;
use super::state::ServerState;
use crate::config::UnavailableCandidate;
use crate::document::DocumentId;
use crate::lsp::limits::STATUS_INTERVAL;
use crate::model::fallback::{Fallback, Report, State};
use crate::model::usage::Tally;
use crate::privacy::Verdict;
use crate::record::Recorder;
use crate::session::Session;

/// The full status, including the status of the file with the URI `file`.
pub(super) fn status(serving: &CurrentServing, session: &SessionLock, file: Option<&str>) -> Value {
    let serving = serving.get();
    let gears = &serving.gears;
    let fast = gears.fast.as_deref().map(Fallback::report);
    let deep = gears.deep.as_deref().map(Fallback::report);
    let totals = gears.meter.totals();
    let capped = gears.meter.capped();
    let (snoozed, settings, suggestions, available, file) = {
        let session = session.lock();
        let now = Instant::now().into_std();
        let left = session.user().snoozed(now).map(|until| until.saturating_duration_since(now));
        let suggestions = session.user().counts().values().fold([0; 3], |[shown, accepted, rejected], it| {
            [shown + it.shown, accepted + it.accepted, rejected + it.rejected]
        });
        let file = file.map(|uri| file_status(&session, uri));
        (left, Arc::clone(session.settings()), suggestions, session.has_hidden_suggestion(), file)
    };
    let left_out = gears.left_out.iter().flatten().next();
    let summary = summary(fast.as_ref(), deep.as_ref(), snoozed.is_some(), capped.as_deref(), left_out);
    let (state, text) = match (summary, &settings.correction) {
        (("local", _), Some(place)) if left_out.is_none() => {
            ("degraded", format!("local engine: no model is asked until {place} is corrected"))
        }
        (("local", text), Some(_)) => ("degraded", text),
        (summary, _) => summary,
    };
    let [shown, accepted, rejected] = suggestions;
    let [fast_left_out, deep_left_out] = &gears.left_out;
    let mut status = json!({
        "version": 1,
        "state": state,
        "text": text,
        "serverVersion": env!("CARGO_PKG_VERSION"),
        "gears": {
            "local": { "state": "ready" },
            "fast": gear(fast.as_ref(), fast_left_out, capped.is_some()),
            "deep": gear(deep.as_ref(), deep_left_out, capped.is_some()),
        },
        "eagerness": settings.eagerness.name(),
        "snoozedUntil": snoozed.map(end_of),
        "indicatorOnly": settings.indicator_only,
        "available": available,
        "recording": serving.recorder.as_ref().is_some_and(Recorder::is_running),
        "usage": { "session": usage(&totals.session), "day": usage(&totals.day) },
        "caps": { "reached": capped },
        "lease": gears.meter.lease().map(|it| it.json(end_of)),
        "policy": settings.policy.as_ref().map(|it| it.json()),
        "shared": serving.windows.as_ref().map(|windows| {
            json!({ "windows": windows.load(Ordering::Relaxed), "process": std::process::id() })
        }),
        "canary": serving.canary.as_ref().map(|it| it.line()),
        "suggestions": { "shown": shown, "accepted": accepted, "rejected": rejected },
    });
    if let Some(file) = file {
        status["file"] = file;
    }
    status
}

fn file_status(session: &Session, uri: &str) -> Value {
    let (state, why) = match session.tracked(&DocumentId::new(uri)) {
        Ok(tracked) if !session.settings_of(tracked).is_enabled(tracked.language_id()) => {
            ("off", Some(format!("`languages.{}.enabled` is false", tracked.language_id())))
        }
        Ok(tracked) => match tracked.access().known() {
            Some(verdict) if *verdict != Verdict::Open => (verdict.code(), Some(verdict.to_string())),
            _ => ("followed", None),
        },
        Err(reason) => (reason.code(), Some(reason.to_string())),
    };
    json!({ "uri": uri, "state": state, "why": why })
}

/// The state as one word and one line.
fn summary(
    fast: Option<&Report>,
    deep: Option<&Report>,
    snoozed: bool,
    capped: Option<&str>,
    left_out: Option<&UnavailableCandidate>,
) -> (&'static str, String) {
    if let Some(why) = capped {
        return ("capped", why.to_owned());
    }
    if snoozed {
        return ("snoozed", "snoozed: suggestions come only on request for now".to_owned());
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
        (None, State::Starting) => format!("{name}: {} (not asked yet)", report.asked),
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

fn gear(report: Option<&Report>, left_out: &[UnavailableCandidate], is_capped: bool) -> Value {
    let passed_over = report.map_or(&[][..], |report| &report.passed_over);
    let refused: Vec<Value> = left_out
        .iter()
        .chain(passed_over)
        .map(|it| json!({ "provider": it.provider, "model": it.model, "why": it.why }))
        .collect();
    let Some(report) = report else { return json!({ "state": "off", "refused": refused }) };
    json!({
        "state": if is_capped { "capped" } else { report.state.name() },
        "provider": report.provider,
        "wire": report.wire.name(),
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

fn usage(tally: &Tally) -> Value {
    // A millionth of a dollar is precise enough, and free of rounding noise from sums.
    let dollars = (tally.dollars * 1e6).round() / 1e6;
    json!({
        "requests": tally.requests,
        "inputTokens": tally.input_tokens,
        "cachedTokens": tally.cached_tokens,
        "outputTokens": tally.output_tokens,
        "abandonedTokens": tally.abandoned_tokens,
        "bytesUp": tally.bytes_up,
        "dollars": dollars,
        "unpriced": tally.unpriced,
    })
}

/// The part of a status whose changes are reported; changed figures alone are not.
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
        status["policy"]["state"],
        status["lease"]["state"],
        status["available"]
    ])
}

/// Sends changes of the status to an editor that wants them, and what a window of a shared server keeps, until the
/// server ends.
pub(super) async fn report_changes(state: Weak<ServerState>, changed: Arc<tokio::sync::Notify>) {
    let (mut last, mut kept) = (Value::Null, SavedSession::default());
    let mut next = Instant::now();
    loop {
        let is_due = Instant::now() >= next;
        {
            let Some(state) = state.upgrade() else { return };
            if is_due && state.client.get().wants_status {
                let status = status(&state.serving, &state.session, None);
                let essence = essence(&status);
                if essence != last {
                    last = essence;
                    state.editor.status_changed(status);
                }
            }
            // At once: what the window does not have when the server is lost, the next one forgets.
            if state.serving.get().windows.is_some() {
                let saved = SavedSession::of(&state);
                if saved != kept {
                    state.editor.session_state(&saved);
                    kept = saved;
                }
            }
        }
        if is_due {
            next = Instant::now() + STATUS_INTERVAL;
        }
        tokio::select! {
            () = changed.notified() => {}
            () = sleep_until(next), if !is_due => {}
        }
    }
}
