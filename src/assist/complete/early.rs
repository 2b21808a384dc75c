//! The beginning of an answer that is shown before its end.

use std::time::Duration;

use tokio::time::Instant;

use super::site::Site;
use crate::assist::validate::Validated;
use crate::edit::trim::{Ghost, Reach};

/// How long a suggestion of several statements is waited for once its first one is there.
const WHOLE_WAIT: Duration = Duration::from_millis(200);

/// The beginning of an answer that can be shown before its end.
#[derive(Default)]
pub(super) struct Early {
    pub(super) ready: String,
    /// The longest beginning that was validated.
    validated: String,
    /// When there was a first statement.
    since: Option<Instant>,
}

impl Early {
    /// Takes what there is of an answer, where nothing can be shown yet.
    pub(super) async fn take_beginning(&mut self, site: &Site<'_>, ghost: &Ghost<'_>) {
        if self.ready.is_empty()
            && let Some(beginning) = site.beginning(ghost).await
        {
            self.ready = beginning;
        }
    }

    /// Looks whether there is one now.
    pub(super) async fn update(&mut self, site: &Site<'_>, ghost: &Ghost<'_>) {
        let Some(first) = ghost.unit(Reach::Statement) else { return };
        let is_late = self.since.get_or_insert_with(Instant::now).elapsed() > WHOLE_WAIT;
        let unit = match site.reach(ghost) {
            Reach::Statement => first,
            Reach::Whole if is_late => ghost.unit(Reach::Whole).unwrap_or(first),
            Reach::Whole => return,
        };
        // One that only the rest makes sound is not shown without it.
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
