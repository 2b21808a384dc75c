//! Collects the replacements that a reply's blocks make in one file.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::block::Block;
use super::event::Event;
use super::{fence, path, span};
use crate::edit::locate::{self, FileText, Level, Number, Placed};
use crate::edit::normalize::extract::Code;
use crate::edit::normalize::surroundings::{Surroundings, with_ends_of};
use crate::edit::normalize::{label, region, whole};
use crate::edit::{Edit, Refusal, Request, apply, diff, line};
use crate::grammar::Grammar;

/// A block after it was located.
struct PlacedBlock {
    /// The block's number.
    block: usize,
    /// The line number stated by this block, or by another one for the same lines.
    hint: Option<usize>,
    /// The edits of the block.
    edits: Vec<Edit>,
}

/// A contiguous run of lines that a block replaces.
struct BlockLines {
    /// The block's number; 0 for an edit without a block.
    block: usize,
    /// The line number stated by the block.
    hint: Option<usize>,
    edit: Edit,
}

/// The replacements of all blocks so far.
#[derive(Default)]
pub(super) struct Changes {
    runs: Vec<BlockLines>,
    /// The indices of the runs that start at each byte offset.
    starts: HashMap<usize, Vec<usize>>,
    /// The blocks that cover the lines of each byte range as a whole.
    places: HashMap<Range<usize>, PlacedBlock>,
    /// The first block whose position differs from its stated line.
    mismatched_block: Option<usize>,
    /// The first block whose position was chosen by its stated line.
    hint_decided_block: Option<usize>,
    /// The loosest comparison level that was needed to locate a block.
    pub(super) level: Level,
    /// Whether the reply asks for any change; only then can the change be there already.
    pub(super) asked: bool,
    /// The tags of the range, if the request has no window.
    own_window: OnceCell<span::Window>,
}

impl Changes {
    /// Adds the next event of a reply.
    ///
    /// It is an error if the event is not an edit of this file, or its position is ambiguous.
    pub(super) fn take(
        &mut self,
        request: &Request<'_>,
        target: &FileText<'_>,
        event: Event,
    ) -> Result<(), Refusal> {
        let operation = |what: &str| Err(Refusal::FileOperation { detail: what.to_owned() });
        match event {
            Event::File(path) => match request.path {
                Some(own) if !path::means(&path, own) => Err(Refusal::OtherFile { path }),
                _ => Ok(()),
            },
            Event::MoveTo(path) => operation(&format!("move the file to `{path}`")),
            Event::Delete => operation("delete the file"),
            Event::Create | Event::Whole(_) => operation("create a file"),
            Event::CopyOf(path) => operation(&format!("copy `{path}`")),
            Event::Write(text) => {
                let span = line::without_mark(request.text, 0..request.text.len());
                let code = Code { text, has_end: true };
                let new = whole::file(&code, &request.text[span.clone()], &|_| false, request.grammar)?;
                self.add_edit(Edit::new(span, new))
            }
            Event::Block(mut block) => {
                label::strip_from_block(&mut block, request)?;
                self.place(target, &block)
            }
            Event::Span(span) => {
                let edit = span_edit(request, &self.own_window, &span)?;
                self.add_edit(edit)
            }
        }
    }

    /// Locates a block and adds its edits.
    ///
    /// It is an error if its position is ambiguous.
    pub(super) fn place(&mut self, target: &FileText<'_>, block: &Block) -> Result<(), Refusal> {
        self.asked = true;
        if block.lost_indentation() {
            return Err(Refusal::malformed(format!(
                "the new lines of block {} have lost their indentation",
                block.number
            )));
        }
        let Placed { edits, level, lines, number } = locate::place(target, block)?;
        self.level = self.level.max(level);
        self.number(block.number, number)?;
        // Two versions of the same lines are two answers, even if their changes do not overlap. And a block
        // with a different stated line is not a repetition of the same block.
        if let Some(lines) = lines {
            let new = || PlacedBlock { block: block.number, hint: block.hint, edits: edits.clone() };
            let known = self.places.entry(lines).or_insert_with(new);
            if known.edits != edits || differ(known.hint, block.hint) {
                return Err(Refusal::Overlapping { blocks: (known.block, block.number) });
            }
            known.hint = known.hint.or(block.hint);
        }
        let run = |edit| BlockLines { block: block.number, hint: block.hint, edit };
        edits.into_iter().map(run).try_for_each(|run| self.add(run))
    }

    /// Applies each block to the result of the blocks before it; `None` if one of them does not fit.
    ///
    /// Tools replace one string after the other, so an old text may include what an earlier block inserted.
    /// Each old text must occur exactly once in the result so far, ignoring indentation, or as often as its block says.
    pub(super) fn in_turn(text: &str, grammar: Option<&Grammar>, blocks: &[Block]) -> Option<Vec<Edit>> {
        // Each block is searched for in a different text.
        const MOST_BLOCKS: usize = 40;
        let is_string = |block: &Block| block.inline.is_some() && block.hint.is_none();
        if blocks.len() > MOST_BLOCKS || !blocks.iter().all(is_string) {
            return None;
        }
        let mut result = text.to_owned();
        for block in blocks {
            let edits: Vec<Edit> = {
                let target = FileText::new(&result, None, grammar);
                let placed =
                    locate::place(&target, block).ok().filter(|it| it.level <= Level::Indentation)?;
                placed.edits.iter().flat_map(|edit| target.narrow(edit)).collect()
            };
            if edits.is_empty() {
                return None;
            }
            result = apply(&result, &edits);
        }
        Some(diff::minimal(text, &result))
    }

    /// Records how the line number stated by a block relates to its position.
    ///
    /// Where line numbers are provably wrong, another one may match a position by chance. So none of them may
    /// decide between positions.
    ///
    /// The error is [`Refusal::Malformed`] if one is wrong and another one decides.
    fn number(&mut self, block: usize, number: Number) -> Result<(), Refusal> {
        match number {
            Number::Agrees => {}
            Number::IsOff => _ = self.mismatched_block.get_or_insert(block),
            Number::Decides => _ = self.hint_decided_block.get_or_insert(block),
        }
        match (self.mismatched_block, self.hint_decided_block) {
            (Some(off), Some(decided)) => Err(Refusal::malformed(format!(
                "block {decided} fits in several places, and the line that it names says nothing, since that of \
                     block {off} is wrong"
            ))),
            _ => Ok(()),
        }
    }

    /// Adds an edit without a block.
    ///
    /// Fails as [`Changes::take`] does.
    pub(super) fn add_edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        self.add(BlockLines { block: 0, hint: None, edit })
    }

    /// Adds a run, unless it is known already.
    ///
    /// A block that the reply repeats is applied once.
    ///
    /// The error is [`Refusal::Overlapping`] if the same run comes from blocks with different stated lines.
    fn add(&mut self, run: BlockLines) -> Result<(), Refusal> {
        self.asked = true;
        let starts = self.starts.entry(run.edit.span.start).or_default();
        match starts.iter().map(|at| &self.runs[*at]).find(|known| known.edit == run.edit) {
            Some(known) if differ(known.hint, run.hint) => {
                Err(Refusal::Overlapping { blocks: (known.block, run.block) })
            }
            Some(_) => Ok(()),
            None => {
                starts.push(self.runs.len());
                self.runs.push(run);
                Ok(())
            }
        }
    }

    /// Returns the number of runs so far.
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// Returns the edits of all runs from index `number` on, in order of arrival.
    pub(super) fn since(&self, number: usize, target: &FileText<'_>) -> Vec<Edit> {
        self.runs[number..].iter().flat_map(|run| target.narrow(&run.edit)).collect()
    }

    /// Returns all edits, sorted.
    ///
    /// The error is [`Refusal::Overlapping`] if two blocks change the same lines.
    pub(super) fn sorted(mut self, target: &FileText<'_>) -> Result<Vec<Edit>, Refusal> {
        self.runs.sort_by_key(|run| (run.edit.span.start, run.edit.span.end));
        for pair in self.runs.windows(2) {
            if let [BlockLines { block: first, edit: a, .. }, BlockLines { block: second, edit: b, .. }] =
                pair
                && (a.span.end > b.span.start || (a.span == b.span && a.span.is_empty()))
            {
                return Err(Refusal::Overlapping { blocks: (*first.min(second), *first.max(second)) });
            }
        }
        Ok(self.runs.iter().flat_map(|run| target.narrow(&run.edit)).collect())
    }
}

/// Whether two blocks state different lines.
fn differ(one: Option<usize>, other: Option<usize>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// Converts a marked span to an edit. A span without text deletes the lines.
fn span_edit(
    request: &Request<'_>,
    own: &OnceCell<span::Window>,
    span: &span::Span,
) -> Result<Edit, Refusal> {
    let text = request.text;
    let cut = || span::cut(text, request.range.clone().unwrap_or(0..text.len()));
    let bytes = request.window.unwrap_or_else(|| own.get_or_init(cut)).bytes_of(span)?;
    let bytes = line::without_mark(text, bytes);
    if span.text.is_empty() {
        return Ok(Edit::new(bytes, ""));
    }
    let place = Surroundings::of(text, &bytes);
    let fences = fence::blocks(&span.text);
    let code = match fences.as_slice() {
        [only] if only.closed && span.text.trim() == span.text[only.span.clone()].trim() => {
            only.text(&span.text)
        }
        _ => span.text.clone(),
    };
    if line::is_blank(&code) {
        return Ok(Edit::new(bytes.clone(), with_ends_of(&code, place)));
    }
    Ok(Edit::new(bytes, region::fit(&code, place, request.grammar)?))
}
