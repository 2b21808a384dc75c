//! Repeats a rewrite of lines that was made alike twice, in the remaining places here and in other files.
//!
//! `for i := 0; i < n; i++ {` became `for i := range n {`, and `for j := …` as well. The removed and added
//! words are the same in both. The text between them may differ from place to place where it differed between
//! these two, and is kept. The tokens nearest to the changes must be the same as in both.
//!
//! White space is ignored, and indentation is that of the place.

mod code;
mod example;
mod rule;

use super::change::EditStep;
use crate::edit::Edit;
use crate::local::limits::TYPE_PLACES;
use code::Code;
use example::{Example, examples};
use rule::Rule;

/// The examples of rewritten lines in the steps.
#[derive(Debug)]
pub(super) struct Patterns {
    examples: Vec<Example>,
    /// The number of steps.
    steps: usize,
}

impl Patterns {
    /// Compares the lines before and after each step, oldest step first.
    pub(super) fn of(steps: &[EditStep<'_>]) -> Self {
        Self { examples: steps.iter().enumerate().flat_map(examples).collect(), steps: steps.len() }
    }

    /// The edits that rewrite other places of a text like the last step and an earlier one.
    ///
    /// `is_other`: the steps were made in other files.
    pub(super) fn find(&self, text: &str, is_other: bool) -> Vec<Edit> {
        let mut page = None;
        let of_last = |it: &Example| it.step + 1 == self.steps;
        for at in (0..self.examples.len()).rev().take_while(|at| self.examples.get(*at).is_some_and(of_last))
        {
            let Some(rule) = rule_at(&self.examples, at, is_other).filter(|rule| rule.may_be_in(text)) else {
                continue;
            };
            let edits = rule.edits(page.get_or_insert_with(|| Code::new(text)), text.len());
            if !edits.is_empty() {
                return edits;
            }
        }
        Vec::new()
    }
}

/// The rule that generalizes an example.
fn rule_at(known: &[Example], at: usize, is_other: bool) -> Option<Rule<'_>> {
    let example = known.get(at)?;
    if let Some(pin) = Rule::of_pin(example) {
        return Some(pin);
    }
    let same: Vec<&Example> = known.iter().filter(|it| it.has_changes_of(example)).collect();
    // The lines of one step were changed at once, so two of them count as one change.
    let is_confirmed = same.len() > 2 || same.iter().any(|it| it.step != example.step);
    // A single change in another file is identified by less context.
    let is_enough = !is_other || example.changes.len() > 1 || same.len() >= TYPE_PLACES;
    if is_confirmed && is_enough { Rule::of(&same, example, is_other) } else { None }
}
