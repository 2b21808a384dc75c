//! The configured gears and their common meter, which a server or a command sets up once.

use std::sync::Arc;

use futures_util::future::join_all;

use super::fallback::{Fallback, Notice, Notices};
use super::leases::LeaseNews;
use super::usage::Meter;
use super::{Model, News, SharedModels};
use crate::config::{Role, Settings, UnavailableCandidate};

/// Names of the gears, in messages and in the meter.
const FAST: &str = "fast";
const DEEP: &str = "deep";
/// Name of the gear of the canary, the model on trial.
pub const CANARY: &str = "canary";

/// The models of all gears.
#[derive(Debug, Clone)]
pub struct Gears {
    /// The gear for quick answers; `None` if it has no models.
    pub fast: Option<Arc<Fallback>>,
    /// The gear that may think first.
    pub deep: Option<Arc<Fallback>>,
    /// The canary, which is tried beside the fast models.
    pub canary: Option<Arc<Fallback>>,
    /// The configured candidates of each gear that cannot be asked.
    pub left_out: [Vec<UnavailableCandidate>; 2],
    /// The common meter of all gears.
    pub meter: Arc<Meter>,
    /// The connections, which other sessions may share.
    shared: SharedModels,
}

impl Gears {
    /// Creates the gears of these settings. Opens no connection yet.
    pub fn new(settings: &Settings, meter: Arc<Meter>, notices: &Notices) -> Self {
        Self::sharing(SharedModels::default(), settings, meter, notices)
    }

    /// The same over the connections of other sessions.
    pub fn sharing(shared: SharedModels, settings: &Settings, meter: Arc<Meter>, notices: &Notices) -> Self {
        meter.report_to(settings.telemetry.as_ref());
        meter.lease_from(settings.lease.as_ref(), &lease_news(notices));
        let fast = fallback(FAST, &settings.fast, &shared, &meter, notices);
        let deep = fallback(DEEP, &settings.deep, &shared, &meter, notices);
        let canary = canary(settings, &shared, &meter);
        let gears = Self { fast, deep, canary, left_out: left_out(settings), meter, shared };
        gears.pair();
        gears
    }

    /// Makes the two gears peers, so that failures of both are reported once.
    fn pair(&self) {
        let [fast, deep] = [self.fast.as_deref(), self.deep.as_deref()];
        for (gear, peer) in [(fast, deep), (deep, fast)] {
            if let Some(gear) = gear {
                gear.set_peer(peer);
            }
        }
    }

    /// Returns the gears of settings that differ from `before`, and the names of the new gears. A
    /// gear with the same models keeps its connections and what is known about them. The meter
    /// keeps its counts, under the new caps and prices. Calls in progress are not disturbed.
    pub fn renewed(
        &self,
        before: &Settings,
        settings: &Settings,
        notices: &Notices,
    ) -> (Self, Vec<&'static str>) {
        self.meter.set(settings.budget, settings.prices.clone());
        self.meter.report_to(settings.telemetry.as_ref());
        self.meter.lease_from(settings.lease.as_ref(), &lease_news(notices));
        let mut gears = Self { left_out: left_out(settings), ..self.clone() };
        let is_same = |a: &Role, b: &Role| a.candidates == b.candidates && a.hedge == b.hedge;
        let mut new = Vec::new();
        let both = [
            (FAST, &mut gears.fast, &before.fast, &settings.fast),
            (DEEP, &mut gears.deep, &before.deep, &settings.deep),
        ];
        for (name, gear, _, role) in both.into_iter().filter(|(.., old, new)| !is_same(old, new)) {
            let renewed = fallback(name, role, &self.shared, &self.meter, notices);
            // Keeps measurements of models across a change of the settings.
            if let (Some(renewed), Some(old)) = (&renewed, &*gear) {
                renewed.inherit(old);
            }
            *gear = renewed;
            new.push(name);
        }
        if before.canary != settings.canary {
            gears.canary = canary(settings, &self.shared, &self.meter);
        }
        gears.pair();
        (gears, new)
    }

    /// Gears without any models.
    pub fn none() -> Self {
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        Self::new(&Settings::default(), meter, &(Arc::new(|_| ()) as Notices))
    }

    /// The fast and the deep gear as models.
    pub fn models(&self) -> [Option<Arc<dyn Model>>; 2] {
        [&self.fast, &self.deep].map(|it| it.clone().map(|fallback| fallback as Arc<dyn Model>))
    }

    /// Tells the language servers among the models what became of an item or a document.
    pub fn tell(&self, news: &News) {
        [&self.fast, &self.canary].into_iter().flatten().for_each(|gear| gear.tell(news));
    }

    /// Ends the programs that the models run, if any. Takes a moment at most.
    pub async fn end(&self) {
        let gears = [&self.fast, &self.deep, &self.canary].into_iter().flatten();
        join_all(gears.map(|gear| gear.end())).await;
    }

    /// The user's settings that have no effect, one clause each.
    pub fn ignored_settings(&self) -> Vec<String> {
        let both = [&self.fast, &self.deep].into_iter().flatten();
        let mut all: Vec<String> = both.flat_map(|fallback| fallback.ignored_settings()).collect();
        // A model may be a candidate of both gears.
        all.dedup();
        all
    }
}

/// Tells the user what a lease's database needs, once, and that the status has changed.
fn lease_news(notices: &Notices) -> LeaseNews {
    let notices = Arc::clone(notices);
    Arc::new(move |text| {
        if let Some(text) = text {
            notices(Notice::Say { cause: "lease".to_owned(), text });
        }
        notices(Notice::Changed);
    })
}

fn fallback(
    gear: &'static str,
    role: &Role,
    shared: &SharedModels,
    meter: &Arc<Meter>,
    notices: &Notices,
) -> Option<Arc<Fallback>> {
    let connect = |endpoint, listener| shared.connect(endpoint, listener);
    Fallback::new(gear, role, connect, Arc::clone(meter), Arc::clone(notices)).map(Arc::new)
}

/// Its failures are not reported: the fast model answers instead, and the duel reports its end.
fn canary(settings: &Settings, shared: &SharedModels, meter: &Arc<Meter>) -> Option<Arc<Fallback>> {
    fallback(CANARY, &settings.canary.as_ref()?.role, shared, meter, &(Arc::new(|_| ()) as Notices))
}

fn left_out(settings: &Settings) -> [Vec<UnavailableCandidate>; 2] {
    [settings.fast.left_out.clone(), settings.deep.left_out.clone()]
}
