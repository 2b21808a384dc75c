//! The gears that have models, and the one count of what they take: what a server or a
//! command sets up once.

use std::sync::Arc;

use super::fallback::{Fallback, Notices};
use super::usage::Meter;
use super::{Model, connect_to};
use crate::config::{LeftOut, Role, Settings};

/// The gears' names, in messages and in the count.
const FAST: &str = "fast";
const DEEP: &str = "deep";
/// The one of the model on trial.
pub const CANARY: &str = "canary";

/// The models of all gears.
#[derive(Debug, Clone)]
pub struct Gears {
    /// What must not take long; `None` if nothing is configured for it.
    pub fast: Option<Arc<Fallback>>,
    /// What may think first.
    pub deep: Option<Arc<Fallback>>,
    /// The model on trial beside the fast ones.
    pub canary: Option<Arc<Fallback>>,
    /// The candidates of each that the configuration names and that cannot be asked.
    pub left_out: [Vec<LeftOut>; 2],
    /// What they take together.
    pub meter: Arc<Meter>,
}

impl Gears {
    /// The gears of these settings. Opens nothing yet.
    pub fn new(settings: &Settings, meter: Arc<Meter>, notices: &Notices) -> Self {
        let fast = fallback(FAST, &settings.fast, &meter, notices);
        let deep = fallback(DEEP, &settings.deep, &meter, notices);
        let canary = canary(settings, &meter);
        let gears = Self { fast, deep, canary, left_out: left_out(settings), meter };
        gears.pair();
        gears
    }

    /// Has what strikes both gears said once.
    fn pair(&self) {
        let [fast, deep] = [self.fast.as_deref(), self.deep.as_deref()];
        for (gear, peer) in [(fast, deep), (deep, fast)] {
            if let Some(gear) = gear {
                gear.set_peer(peer);
            }
        }
    }

    /// The gears of other settings than `before`, and the names of those that are new.
    /// What has the same models as before goes on with its connections and with what is
    /// known of them; so does the count, under the new caps and prices. Calls that run
    /// are not disturbed.
    pub fn renewed(
        &self,
        before: &Settings,
        settings: &Settings,
        notices: &Notices,
    ) -> (Self, Vec<&'static str>) {
        self.meter.set(settings.budget, settings.prices.clone());
        let mut gears = Self { left_out: left_out(settings), ..self.clone() };
        let is_same = |a: &Role, b: &Role| a.candidates == b.candidates && a.hedge == b.hedge;
        let mut new = Vec::new();
        if !is_same(&before.fast, &settings.fast) {
            gears.fast = fallback(FAST, &settings.fast, &self.meter, notices);
            inherit(gears.fast.as_deref(), self.fast.as_deref());
            new.push(FAST);
        }
        if !is_same(&before.deep, &settings.deep) {
            gears.deep = fallback(DEEP, &settings.deep, &self.meter, notices);
            inherit(gears.deep.as_deref(), self.deep.as_deref());
            new.push(DEEP);
        }
        if before.canary != settings.canary {
            gears.canary = canary(settings, &self.meter);
        }
        gears.pair();
        (gears, new)
    }

    /// No models at all.
    pub fn none() -> Self {
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        Self::new(&Settings::default(), meter, &(Arc::new(|_| ()) as Notices))
    }

    /// The fast and the deep one as models.
    pub fn models(&self) -> [Option<Arc<dyn Model>>; 2] {
        [&self.fast, &self.deep].map(|it| it.clone().map(|fallback| fallback as Arc<dyn Model>))
    }

    /// What the user set that has no effect, one clause each.
    pub fn ignored_settings(&self) -> Vec<String> {
        let both = [&self.fast, &self.deep].into_iter().flatten();
        let mut all: Vec<String> = both.flat_map(|fallback| fallback.ignored_settings()).collect();
        // A model may stand in both ladders.
        all.dedup();
        all
    }
}

fn fallback(gear: &'static str, role: &Role, meter: &Arc<Meter>, notices: &Notices) -> Option<Arc<Fallback>> {
    Fallback::new(gear, role, connect_to, Arc::clone(meter), Arc::clone(notices)).map(Arc::new)
}

/// Its failures are not reported: the fast model answers in its place, and the duel reports its end.
fn canary(settings: &Settings, meter: &Arc<Meter>) -> Option<Arc<Fallback>> {
    fallback(CANARY, &settings.canary.as_ref()?.role, meter, &(Arc::new(|_| ()) as Notices))
}

/// What was measured of a model outlives a change of the settings.
fn inherit(new: Option<&Fallback>, old: Option<&Fallback>) {
    if let (Some(new), Some(old)) = (new, old) {
        new.inherit(old);
    }
}

fn left_out(settings: &Settings) -> [Vec<LeftOut>; 2] {
    [settings.fast.left_out.clone(), settings.deep.left_out.clone()]
}
