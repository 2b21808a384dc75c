//! The models of the gears, and their availability.

use std::sync::Arc;

use crate::config::Settings;
use crate::job::Reason;
use crate::model::{Model, RequestKind};
use crate::privacy::Verdict;
use crate::route::{Availability, FAST_WINDOW, Gear, RouteInput};
use crate::snapshot::Snapshot;

/// The models of the gears that have one.
#[derive(Clone, Default)]
pub struct Models {
    /// The model for jobs that must be fast.
    pub fast: Option<Arc<dyn Model>>,
    /// The model that may reason first.
    pub deep: Option<Arc<dyn Model>>,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |gear| self.of(gear).map(Model::name);
        f.debug_struct("Models").field("fast", &name(Gear::Fast)).field("deep", &name(Gear::Deep)).finish()
    }
}

impl Models {
    /// The model of a gear; the local engine has none.
    pub fn of(&self, gear: Gear) -> Option<&dyn Model> {
        match gear {
            Gear::Local => None,
            Gear::Fast => self.fast.as_deref(),
            Gear::Deep => self.deep.as_deref(),
        }
    }

    /// Replaces a reason that states that no model can be asked by one that fits the configuration.
    ///
    /// The reason states that none is configured only if that is true.
    pub(super) fn explain(&self, reason: Reason, kind: RequestKind, settings: &Settings) -> Reason {
        if !reason.is_lack_of_model() {
            return reason;
        }
        let models: Vec<&dyn Model> =
            [&self.fast, &self.deep].into_iter().flatten().map(|it| &**it).collect();
        let does = |kind| models.iter().any(|model| model.answers(kind));
        let mut left_out = settings.fast.left_out.iter().chain(&settings.deep.left_out);
        let why = match (models.is_empty(), left_out.next()) {
            (true, None) => return reason,
            (true, Some(_)) => "no configured model can be asked; `tandem doctor` shows why".to_owned(),
            (false, _) if does(kind) && reason == Reason::NoModel => {
                "the local engine understands `rename A to B` and no other instruction; choose another gear"
                    .to_owned()
            }
            (false, _) if does(kind) => "the local engine cannot do this; choose another gear".to_owned(),
            (false, _) => {
                let done = match (does(RequestKind::Completion), does(RequestKind::NextEdit)) {
                    (true, true) => "ghost text and next edits",
                    (true, false) => "ghost text",
                    (false, _) => "next edits",
                };
                format!(
                    "the configured model writes {done} only, and this needs one that takes instructions; `tandem setup` adds one"
                )
            }
        };
        Reason::UnfitModels(why)
    }

    /// The facts, besides the job, that routing depends on.
    ///
    /// These are the models that answer such a request, and access to the file.
    ///
    /// Waits until access is known.
    pub(super) async fn route_input<'a>(&self, snapshot: &'a Snapshot, kind: RequestKind) -> RouteInput<'a> {
        let availability = |model: Option<&dyn Model>| match model.filter(|model| model.answers(kind)) {
            None => Availability::Off,
            Some(model) if model.is_down() => Availability::Down,
            Some(_) => Availability::Ready,
        };
        let fast = self.fast.as_deref();
        RouteInput {
            withheld: snapshot.access.verdict().await != Verdict::Open,
            path: &snapshot.path,
            fast: availability(fast),
            deep: availability(self.deep.as_deref()),
            fast_window: fast.map_or(FAST_WINDOW, Model::window),
            ..RouteInput::default()
        }
    }
}
