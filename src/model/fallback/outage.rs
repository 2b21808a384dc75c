//! Notices about failures: one for all gears that are affected.
//!
//! A server that is down, or that refuses a key, fails every gear that uses it. Each gear detects
//! the failure separately; the user gets one notice about all of them.

use super::Notice;
use super::shared::Shared;
use crate::config::Endpoint;
use crate::model::{ErrorKind, ModelError};

/// The part that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Failed {
    /// The server at this URL does not answer.
    Server(String),
    /// A provider refuses its key.
    Key(String),
    /// One model of a provider.
    Model(String, String),
}

impl Failed {
    /// Returns the part that a failure of an endpoint concerns.
    fn of(endpoint: &Endpoint, kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Offline => Self::Server(endpoint.base_url.clone()),
            kind if kind.is_of_key() => Self::Key(endpoint.provider.clone()),
            _ => Self::Model(endpoint.provider.clone(), endpoint.model.clone()),
        }
    }

    /// All parts that an endpoint depends on.
    fn all_of(endpoint: &Endpoint) -> [Self; 3] {
        [ErrorKind::Offline, ErrorKind::Unauthorized, ErrorKind::UnsupportedModel]
            .map(|kind| Self::of(endpoint, kind))
    }

    fn strikes(&self, endpoint: &Endpoint) -> bool {
        Self::all_of(endpoint).contains(self)
    }

    /// The cause of notices, the same in every gear.
    fn cause(&self) -> String {
        match self {
            Self::Server(url) => format!("server {url}"),
            Self::Key(provider) => format!("key of {provider}"),
            Self::Model(provider, model) => format!("model {model} at {provider}"),
        }
    }
}

/// The gear that the local engine substitutes. It is named first.
const FAST: &str = "fast";

/// A gear that is affected by a failure, and the model, with its provider, that replaces the failed one, if any.
struct AffectedGear {
    gear: &'static str,
    instead: Option<(String, String)>,
}

impl Shared {
    /// Creates the notice about the failure of a candidate.
    pub(super) fn outage(&self, candidate: usize, error: &ModelError) -> Notice {
        let failed = Failed::of(&self.candidates[candidate].endpoint, error.kind());
        let own = self.affected(&failed);
        let is_replaced = own.instead.is_some();
        let peer = self.peer().filter(|peer| peer.asks(&failed)).map(|peer| peer.affected(&failed));
        let mut affected: Vec<AffectedGear> = std::iter::once(own).chain(peer).collect();
        affected.sort_by_key(|it| it.gear != FAST);
        let cause = failed.cause();
        let text = text(&affected, error);
        if is_replaced { Notice::Say { cause, text } } else { Notice::NoneAnswers { cause, text } }
    }

    /// Whether this gear would use the failed part, or has already found it to fail.
    fn asks(&self, failed: &Failed) -> bool {
        match self.state.lock().health.active() {
            Some(turn) => failed.strikes(&self.candidates[turn].endpoint),
            None => self.candidates.iter().any(|it| failed.strikes(&it.endpoint)),
        }
    }

    /// The effect of a failure on this gear.
    fn affected(&self, failed: &Failed) -> AffectedGear {
        let order = self.state.lock().health.order(false);
        let mut left = order.into_iter().map(|at| &self.candidates[at].endpoint);
        let instead = left.find(|it| !failed.strikes(it)).map(|it| (it.model.clone(), it.provider.clone()));
        AffectedGear { gear: self.gear, instead }
    }

    /// Withdraws all notices about a candidate that answers again.
    pub(super) fn over(&self, candidate: usize) {
        for failed in Failed::all_of(&self.candidates[candidate].endpoint) {
            self.tell(Notice::Over(failed.cause()));
        }
    }
}

fn text(affected: &[AffectedGear], error: &ModelError) -> String {
    let without: Vec<&str> = affected.iter().filter(|it| it.instead.is_none()).map(|it| it.gear).collect();
    let mut clauses = Vec::new();
    if !without.is_empty() {
        // If both gears are affected, no gear is named.
        let which = if let [only] = without[..] { format!("{only} model") } else { "model".to_owned() };
        clauses.push(format!("no {which} answers"));
    }
    let replaced: Vec<(&str, &(String, String))> =
        affected.iter().filter_map(|it| Some((it.gear, it.instead.as_ref()?))).collect();
    match replaced[..] {
        [(_, one), (_, other)] if one == other => {
            clauses.push(format!("both gears ask {} at {} from now on", one.0, one.1));
        }
        _ => {
            clauses.extend(replaced.iter().map(|(gear, (model, provider))| {
                format!("the {gear} gear asks {model} at {provider} from now on")
            }));
        }
    }
    let what = clauses.join(", and ");
    let then = match () {
        () if without.contains(&FAST) => {
            ". The local engine answers until this is fixed; run `tandem doctor`"
        }
        () if !without.is_empty() => "; run `tandem doctor`",
        () => "",
    };
    format!("Tandem: {what}: {error}{then}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::{Role, Settings};
    use crate::lock::Mutex;
    use crate::model::error_kind::Refusal;
    use crate::model::fallback::{Fallback, Notices};
    use crate::model::scripted::ScriptedModel;
    use crate::model::usage::Meter;

    /// Parses candidates such as `model@provider`, the preferred one first.
    fn role(candidates: &str) -> Role {
        let endpoint = |it: &str| {
            let (model, provider) = it.split_once('@').unwrap();
            let base_url = format!("http://{provider}");
            Endpoint {
                provider: provider.to_owned(),
                model: model.to_owned(),
                base_url,
                ..Endpoint::default()
            }
        };
        Role { candidates: candidates.split_whitespace().map(endpoint).collect(), ..Role::default() }
    }

    fn error(endpoint: &Endpoint, what: &str) -> ModelError {
        let kind = match what {
            "down" => return ModelError::offline(endpoint, "refused"),
            "key" => ErrorKind::Unauthorized,
            "busy" => ErrorKind::Overloaded,
            other => panic!("{other}"),
        };
        ModelError::refused(endpoint, Refusal::of(kind, what.to_owned()))
    }

    /// Two gears that are each other's peer.
    fn gears(fast: &str, deep: &str, notices: &Notices) -> (Option<Fallback>, Option<Fallback>) {
        let gear = |name, candidates| {
            let connect = |_, _| Arc::new(ScriptedModel::default()) as _;
            let meter = Arc::new(Meter::new(Settings::default().budget, Default::default(), None));
            Fallback::new(name, &role(candidates), connect, meter, Arc::clone(notices))
        };
        let (fast, deep) = (gear("fast", fast), gear("deep", deep));
        for (gear, peer) in [(&fast, &deep), (&deep, &fast)] {
            if let Some(gear) = gear {
                gear.set_peer(peer.as_ref());
            }
        }
        (fast, deep)
    }

    #[test]
    fn gear_is_offline_where_the_other_one_cannot_reach_its_only_server() {
        let check = |deep: &str, expected: &str| {
            let (fast, deep) = gears("m@a", deep, &(Arc::new(|_| ()) as Notices));
            let (fast, deep) = (fast.unwrap(), deep.unwrap());
            fast.shared.failed(0, &error(&fast.shared.candidates[0].endpoint, "down"), true);
            assert_eq!([fast.report().state.name(), deep.report().state.name()], ["offline", expected]);
        };
        check("n@a", "offline");
        check("n@b", "starting");
        check("n@a n@b", "starting");
    }

    /// Checks the notices about events such as `fast 0 down` or `deep 1 answers`: one per cause, as long as it lasts.
    fn check(fast: &str, deep: &str, events: &[&str], expect: Expect) {
        let said: Arc<Mutex<(BTreeSet<String>, String)>> = Arc::default();
        let notices: Notices = {
            let said = Arc::clone(&said);
            Arc::new(move |notice| {
                let (causes, lines) = &mut *said.lock();
                match notice {
                    Notice::Say { cause, text } | Notice::NoneAnswers { cause, text } => {
                        if causes.insert(cause) {
                            *lines += &format!("{text}\n");
                        }
                    }
                    Notice::Over(cause) => drop(causes.remove(&cause)),
                    Notice::Changed => {}
                }
            })
        };
        let (fast, deep) = gears(fast, deep, &notices);
        for event in events {
            let words: Vec<&str> = event.split(' ').collect();
            let gear = if words[0] == "fast" { &fast } else { &deep };
            let shared = &gear.as_ref().unwrap().shared;
            let at = words[1].parse().unwrap();
            match words[2] {
                "answers" => shared.record_first_text(at, std::time::Duration::ZERO),
                what => shared.failed(at, &error(&shared.candidates[at].endpoint, what), true),
            }
        }
        expect.assert_eq(&said.lock().1);
    }

    #[test]
    fn a_server_that_is_down_is_said_once_for_both_gears() {
        let both = ["fast 0 down", "deep 0 down"];
        check(
            "m@a",
            "n@a",
            &both,
            expect![[r#"
            Tandem: no model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a",
            "n@a",
            &["deep 0 down", "fast 0 down"],
            expect![[r#"
            Tandem: no model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a n@a",
            "m@a",
            &["fast 0 down", "fast 1 down", "deep 0 down"],
            expect![[r#"
            Tandem: no model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a",
            "",
            &["fast 0 down"],
            expect![[r#"
            Tandem: no fast model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "",
            "m@a",
            &["deep 0 down"],
            expect![[r#"
            Tandem: no deep model answers: a cannot be reached at http://a: refused; run `tandem doctor`
        "#]],
        );
    }

    #[test]
    fn who_serves_instead_is_named_for_each_gear() {
        check(
            "m@a n@b",
            "m@a",
            &["fast 0 down", "deep 0 down"],
            expect![[r#"
            Tandem: no deep model answers, and the fast gear asks n at b from now on: a cannot be reached at http://a: refused; run `tandem doctor`
        "#]],
        );
        check(
            "m@a",
            "m@a n@b",
            &["deep 0 down", "fast 0 down"],
            expect![[r#"
            Tandem: no fast model answers, and the deep gear asks n at b from now on: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a n@b",
            "m@a n@b",
            &["fast 0 down", "deep 0 down"],
            expect![[r#"
                Tandem: both gears ask n at b from now on: a cannot be reached at http://a: refused
            "#]],
        );
        // A gear that uses another server is not affected.
        check(
            "m@a n@b",
            "n@b",
            &["fast 0 down"],
            expect![[r#"
            Tandem: the fast gear asks n at b from now on: a cannot be reached at http://a: refused
        "#]],
        );
    }

    #[test]
    fn a_refused_key_strikes_a_provider_and_a_busy_model_itself() {
        check(
            "m@a",
            "n@a",
            &["fast 0 key", "deep 0 key"],
            expect![[r#"
            Tandem: no model answers: a refused: key. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a",
            "m@a",
            &["fast 0 busy", "deep 0 busy"],
            expect![[r#"
            Tandem: no model answers: a refused: busy. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
        check(
            "m@a n@a",
            "n@a",
            &["fast 0 busy", "fast 1 busy"],
            expect![[r#"
            Tandem: the fast gear asks n at a from now on: a refused: busy
            Tandem: no model answers: a refused: busy. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
    }

    #[test]
    fn what_comes_back_and_fails_again_is_said_again() {
        let events =
            ["fast 0 down", "deep 0 down", "deep 0 answers", "fast 0 down", "deep 0 down", "deep 0 down"];
        check(
            "m@a",
            "m@a",
            &events,
            expect![[r#"
            Tandem: no model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
            Tandem: no model answers: a cannot be reached at http://a: refused. The local engine answers until this is fixed; run `tandem doctor`
        "#]],
        );
    }
}
