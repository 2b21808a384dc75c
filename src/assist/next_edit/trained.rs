//! The input of models that were trained to predict edits.
//!
//! Their answers are read as edits of a region.

use std::sync::Arc;

use super::super::excerpt::Excerpt;
use super::params::NextEditParams;
use super::steps;
use crate::config::EditDialect;
use crate::context::next_edit;
use crate::edit::{Edit, Refusal, Unchecked, apply};
use crate::model::{EditPrompt, Usage};
use crate::trained::{self, Scene};

/// The input of such a model: the region around the cursor, and the recent steps.
#[derive(Clone)]
pub(super) struct TrainedScene {
    scene: Arc<Scene>,
    /// The region, which is the only part that may change.
    pub(super) excerpt: Arc<Excerpt>,
}

impl TrainedScene {
    /// The scene at the cursor; `None` if no region can be shown.
    pub(super) fn of(params: &NextEditParams) -> Option<Self> {
        let document = &params.snapshot.document;
        let (shown, region) = next_edit::region(document, params.cursor)?;
        let excerpt = Excerpt::of(document, vec![region.clone()]);
        let scene = Scene {
            path: params.snapshot.path.to_string(),
            before: document.slice(shown.start..region.start),
            region: excerpt.text.clone(),
            cursor: params.cursor - region.start,
            after: document.slice(region.end..shown.end),
            earlier: earlier(params, &excerpt),
            steps: steps::steps(params),
        };
        Some(Self { scene: Arc::new(scene), excerpt: Arc::new(excerpt) })
    }

    /// The prompts that show it, in the dialects that can.
    pub(super) fn prompts(&self, dialects: &[EditDialect]) -> Vec<EditPrompt> {
        let prompt = |dialect: &EditDialect| {
            let rendered = trained::render(*dialect, &self.scene)?;
            Some(EditPrompt {
                dialect: *dialect,
                head: rendered.head,
                quoted: String::new(),
                tail: rendered.tail,
                stop: rendered.stop.iter().map(|stop| (*stop).to_owned()).collect(),
            })
        };
        dialects.iter().filter_map(prompt).collect()
    }

    /// The edits of the excerpt in an answer; `usage` is `Some` if the answer ended on its own. An answer that was
    /// cut off or is not certain is refused.
    pub(super) fn read(
        &self,
        params: &NextEditParams,
        dialect: EditDialect,
        answer: &str,
        usage: Option<&Usage>,
    ) -> Result<Unchecked, Refusal> {
        let usage = usage.filter(|usage| !usage.truncated);
        let Some(usage) = usage else { return Err(Refusal::Truncated { inside: "the new lines" }) };
        let edits = trained::read(dialect, &self.scene, params.snapshot.document.grammar(), answer)?;
        if usage.unexplained && !trained::marks_its_end(dialect) && !edits.is_empty() {
            return Err(Refusal::MayBeCut);
        }
        Ok(edits)
    }
}

/// The region before the user's last step in the file, if that step was in it.
fn earlier(params: &NextEditParams, excerpt: &Excerpt) -> Option<String> {
    let id = params.snapshot.document.id();
    let step = params.recent_edits.iter().rev().find(|step| step.document == *id)?;
    let start = step.at.as_ref()?.start.checked_sub(excerpt.start + step.offset)?;
    let span = start..start + step.merged.1.len();
    let is_there = excerpt.text.get(span.clone()) == Some(step.merged.1.as_str());
    is_there.then(|| apply(&excerpt.text, &[Edit::new(span, step.merged.0.as_str())]))
}
