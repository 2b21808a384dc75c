//! The beginning of an answer that is shown before the answer ends.

use std::time::Duration;

use tokio::time::Instant;

use super::site::Site;
use crate::assist::validate::Validated;
use crate::edit::trim::{Ghost, Reach};

/// How long to wait for the rest of a suggestion of several statements once the first is complete.
const WHOLE_WAIT: Duration = Duration::from_millis(200);

/// The beginning of an answer that can be shown before the answer ends.
#[derive(Default)]
pub(super) struct Early {
    pub(super) ready: String,
    /// The longest beginning validated so far.
    validated: String,
    /// When the first statement was complete.
    since: Option<Instant>,
}

impl Early {
    /// Takes the part of the answer that has arrived, if nothing can be shown yet.
    pub(super) async fn take_beginning(&mut self, site: &Site<'_>, ghost: &Ghost<'_>) {
        if self.ready.is_empty()
            && let Some(beginning) = site.beginning(ghost).await
        {
            self.ready = beginning;
        }
    }

    /// Checks whether a new beginning can be shown.
    pub(super) async fn update(&mut self, site: &Site<'_>, ghost: &Ghost<'_>) {
        let Some(first) = ghost.complete_statements(Reach::Statement) else { return };
        let is_late = self.since.get_or_insert_with(Instant::now).elapsed() > WHOLE_WAIT;
        let unit = match site.reach(ghost) {
            Reach::Statement => first,
            Reach::Whole if is_late => ghost.complete_statements(Reach::Whole).unwrap_or(first),
            Reach::Whole => return,
        };
        // A beginning that is valid only with the rest is not shown without it.
        if unit.len() > self.validated.len() {
            self.validated.clone_from(&unit);
            if let Ok(Validated { text, doubt }) = site.validator.validate(unit).await
                && text == self.validated
                && doubt.is_none()
            {
                self.ready = text;
            }
        }
    }
}
