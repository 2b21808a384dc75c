//! The gears that have models, and the one count of what they take: what a server or a command sets up once.

use std::sync::Arc;

use super::ladder::{Ladder, Notices};
use super::usage::Meter;
use super::{Model, connect_to};
use crate::config::{LeftOut, Role, Settings};

/// The models of all gears.
#[derive(Debug, Clone)]
pub struct Gears {
    /// What must not take long; `None` if nothing is configured for it.
    pub fast: Option<Arc<Ladder>>,
    /// What may think first.
    pub deep: Option<Arc<Ladder>>,
    /// The candidates of each that the configuration names and that cannot be asked.
    pub left_out: [Vec<LeftOut>; 2],
    /// What they take together.
    pub meter: Arc<Meter>,
}

impl Gears {
    /// The gears of these settings. Opens nothing yet.
    pub fn new(settings: &Settings, meter: Arc<Meter>, notices: &Notices) -> Self {
        let ladder = |gear, role: &Role| {
            Ladder::new(gear, role, connect_to, Arc::clone(&meter), Arc::clone(notices)).map(Arc::new)
        };
        let (fast, deep) = (ladder("fast", &settings.fast), ladder("deep", &settings.deep));
        let left_out = [settings.fast.left_out.clone(), settings.deep.left_out.clone()];
        Self { fast, deep, left_out, meter }
    }

    /// No models at all.
    pub fn none() -> Self {
        let meter = Arc::new(Meter::new(Default::default(), Default::default(), None));
        Self::new(&Settings::default(), meter, &(Arc::new(|_| ()) as Notices))
    }

    /// The fast and the deep one as models.
    pub fn models(&self) -> [Option<Arc<dyn Model>>; 2] {
        [&self.fast, &self.deep].map(|it| it.clone().map(|ladder| ladder as Arc<dyn Model>))
    }

    /// What the user set that has no effect, one clause each.
    pub fn set_in_vain(&self) -> Vec<String> {
        let both = [&self.fast, &self.deep].into_iter().flatten();
        let mut all: Vec<String> = both.flat_map(|ladder| ladder.set_in_vain()).collect();
        // A model may stand in both ladders.
        all.dedup();
        all
    }
}
