//! `tandem.why`: recent request outcomes, for users and plugins.

use serde_json::{Value, json};

use crate::config::Eagerness;
use crate::document::DocumentId;
use crate::edit::Refusal;
use crate::job::{Job, Reason, SuppressionReason};
use crate::lsp::clock;
use crate::lsp::protocol::AboutDocument;
use crate::lsp::state::ServerState;
use crate::route::Gear;
use crate::session::Session;
use crate::text::named;

/// The newest request outcomes of one document or of all documents.
pub(in crate::lsp) fn why(state: &ServerState, about: &AboutDocument) -> Value {
    let has_model = state.serving.assist().has_model_of(Gear::Fast);
    let id = about.text_document.as_ref().map(|it| DocumentId::new(&it.uri));
    let session = state.session.lock();
    let records = session.request_log(id.as_ref());
    let now = clock::now();
    let mut text = String::new();
    let listed: Vec<Value> = records
        .into_iter()
        .map(|(id, it)| {
            let trigger = if it.invoked { "invoked" } else { "automatic" };
            let outcome = if it.nothing.is_none() { "shown" } else { "nothing" };
            let seconds = now.saturating_sub(it.at) / 1_000;
            let name = id.as_str().rsplit('/').next().unwrap_or_default();
            let (line, job, ms) = (u64::from(it.line) + 1, it.job.name(), it.milliseconds);
            let source = match (&it.gear, &it.model) {
                (Some(gear), Some(model)) => format!(", {gear}: {model}"),
                (Some(gear), None) => format!(", {gear}"),
                _ => String::new(),
            };
            let why = it.why();
            // A refusal alongside a shown suggestion may be actionable as well.
            let reason = it.also_refused.as_ref().or(it.nothing.as_ref());
            let advice =
                reason.and_then(|reason| Advice::on(it.job, reason, eagerness(&session, &id), has_model));
            // `tandem doctor` shows why a candidate in the settings is not used.
            let has_left_out = !session.settings().fast.left_out.is_empty();
            let advice = match advice {
                Some(Advice::ConfigureModel) if has_left_out => Some(Advice::CheckModel),
                advice => advice,
            };
            let remedy = advice.map_or_else(String::new, |advice| format!("; {}", advice.sentence()));
            text += &format!(
                "{seconds} s ago, {name}:{line}, {job}, {trigger}: {outcome}, {why} ({ms} ms{source}){remedy}\n"
            );
            json!({
                "at": it.at, "uri": id.as_str(), "line": it.line, "job": job, "trigger": trigger,
                "outcome": outcome, "code": it.code(), "why": why,
                "beside": it.also_refused.as_ref().map(Reason::code), "gear": it.gear, "model": it.model,
                "milliseconds": ms, "advice": advice.map(Advice::name),
            })
        })
        .collect();
    if text.is_empty() {
        text.push_str("nothing was decided yet\n");
    }
    json!({ "text": text, "decisions": listed })
}

fn eagerness(session: &Session, id: &DocumentId) -> Eagerness {
    match session.tracked(id) {
        Ok(tracked) => session.settings_of(tracked).eagerness(tracked.language_id()),
        Err(_) => session.settings().eagerness,
    }
}

named! {
    /// What the user can do so that there is a suggestion next time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Advice {
        ConfigureModel = "configure-model",
        CheckModel = "check-model",
        RaiseEagerness = "raise-eagerness",
        EndSnooze = "end-snooze",
    }
}

impl Advice {
    /// The advice on an outcome, by its reason; `None` if there is nothing to change.
    fn on(job: Job, reason: &Reason, eagerness: Eagerness, has_model: bool) -> Option<Self> {
        // The eagerness determines how certain an automatic suggestion must be.
        let can_raise = matches!(job, Job::Complete | Job::NextEdit) && eagerness != Eagerness::High;
        match reason {
            Reason::NothingToAdd
            | Reason::NothingFollows
            | Reason::NoModel
            | Reason::NeedsModel
            | Reason::NoFix
                if !has_model =>
            {
                Some(Self::ConfigureModel)
            }
            Reason::Refused(Refusal::Unsure { .. } | Refusal::UnknownName { .. })
            | Reason::Quiet(SuppressionReason::MidLine)
                if can_raise =>
            {
                Some(Self::RaiseEagerness)
            }
            Reason::Model(_) | Reason::Deadline | Reason::Late(_) => Some(Self::CheckModel),
            Reason::Snoozed => Some(Self::EndSnooze),
            _ => None,
        }
    }

    /// One clause for the user.
    fn sentence(self) -> &'static str {
        match self {
            Self::ConfigureModel => "choose a model with `tandem setup`",
            Self::CheckModel => "check the model with `tandem doctor`",
            Self::RaiseEagerness => "raise `eagerness`",
            Self::EndSnooze => "end the snooze",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_given_where_it_changes_something() {
        let check = |reason: Reason, eagerness, has_model, expected: Option<&str>| {
            let advice = Advice::on(Job::Complete, &reason, eagerness, has_model);
            assert_eq!(advice.map(Advice::name), expected, "{reason}");
        };
        let unsure = || Reason::Refused(Refusal::Unsure { why: "it is far" });
        assert_eq!(Advice::on(Job::Rewrite, &unsure(), Eagerness::Low, true), None);
        check(Reason::NothingToAdd, Eagerness::Medium, false, Some("configure-model"));
        check(Reason::NothingToAdd, Eagerness::Medium, true, None);
        check(Reason::NoModel, Eagerness::High, false, Some("configure-model"));
        check(unsure(), Eagerness::Medium, true, Some("raise-eagerness"));
        check(unsure(), Eagerness::High, true, None);
        check(Reason::Quiet(SuppressionReason::MidLine), Eagerness::Low, true, Some("raise-eagerness"));
        check(Reason::Late("it is slow".to_owned()), Eagerness::Medium, true, Some("check-model"));
        check(Reason::Snoozed, Eagerness::Medium, true, Some("end-snooze"));
        check(Reason::Stale, Eagerness::Low, false, None);
        // The reason is another one than `eagerness`, though its code is the same.
        let taken = "`a` already has a meaning here".to_owned();
        check(Reason::Unusable { code: "unsure", why: taken }, Eagerness::Low, true, None);
    }
}
