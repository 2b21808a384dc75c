//! The position at which ghost text is made, and the checks there.

use crate::assist::outcome::Completion;
use crate::assist::validate::{Validated, Validator};
use crate::config::Eagerness;
use crate::edit::Refusal;
use crate::edit::trim::{CursorContext, Ghost, Reach};
use crate::job::Reason;

/// The position of a suggestion, and the checks there.
pub(super) struct Site<'a> {
    pub(super) place: CursorContext<'a>,
    pub(super) eagerness: Eagerness,
    /// Whether the user requested it explicitly.
    pub(super) invoked: bool,
    pub(super) validator: Validator,
    pub(super) allow_invisible: bool,
}

impl<'a> Site<'a> {
    /// A suggestion without any text yet.
    pub(super) fn ghost(&self) -> Ghost<'a> {
        Ghost::new(self.place).allowing_invisible(self.allow_invisible)
    }

    /// How much to show at once.
    pub(super) fn reach(&self, ghost: &Ghost<'_>) -> Reach {
        match self.eagerness {
            Eagerness::Low => Reach::Statement,
            Eagerness::Medium => ghost.reach(),
            Eagerness::High => Reach::Whole,
        }
    }

    /// The longest beginning of an unfinished answer that can be inserted at the cursor.
    ///
    /// It consists of whole lines, or else whole words of the first line. Neither adds a syntax error, except that
    /// the end of a statement may be missing. Brackets that the model has not closed yet are not closed: `f()` is
    /// a different call from the `f(a)` that it was writing.
    pub(super) async fn beginning(&self, ghost: &Ghost<'_>) -> Option<String> {
        if let Ok(lines) = ghost.finish(false)
            && let Ok(Validated { text, .. }) = self.validator.validate(lines).await
        {
            return Some(text).filter(|text| !text.is_empty());
        }
        for words in ghost.beginnings() {
            if let Ok(Validated { text, .. }) = self.validator.validate(words.clone()).await
                && text == words
            {
                return Some(words);
            }
            let ended = [&*words, ";"].concat();
            if self.validator.validate(ended.clone()).await.is_ok_and(|it| it.text == ended) {
                return Some(words);
            }
        }
        None
    }

    /// Validates a text, and its first statement separately if that is to be shown first.
    pub(super) async fn suggestion(
        &self,
        text: String,
        is_complete: bool,
        reach: Reach,
    ) -> Result<Completion, Reason> {
        let Validated { text, doubt } = self.validator.validate(text).await?;
        let unfinished = Refusal::Unsure { why: "the model did not finish its answer" };
        let doubt = if !is_complete && self.validator.needs_the_end() { Some(unfinished) } else { doubt };
        let first = match reach {
            Reach::Statement => &text[..Ghost::new(self.place).first_statement(&text)],
            Reach::Whole => &text,
        };
        let first = match first.len() < text.len() {
            true => self.validator.validate(first.to_owned()).await.ok().filter(|it| it.text == first),
            false => None,
        };
        let shown = first.as_ref().map_or(text.len(), |first| first.text.len());
        match (doubt, first) {
            (None, _) => Ok(Completion { text, shown, is_doubtful: false }),
            (Some(_), _) if self.invoked => Ok(Completion { text, shown, is_doubtful: true }),
            // The first statement may be certain without the rest.
            (Some(_), Some(Validated { text, doubt: None })) => {
                Ok(Completion { text, shown, is_doubtful: false })
            }
            (Some(doubt), _) => Err(doubt.into()),
        }
    }
}
