//! Reads the lines outside of all blocks: prose, fences, thinking, and the lines that open a block.

use super::{OpenFence, Parser, State, draft};
use crate::edit::parse::context::{self, Context};
use crate::edit::parse::event::Event;
use crate::edit::parse::fence::Mark;
use crate::edit::parse::line_kind::{heredoc_end, is_numbered_hunk, is_part_of_format, opens_change};
use crate::edit::parse::patch::{self, Patch};
use crate::edit::parse::quote::Quote;
use crate::edit::parse::unified::Unified;
use crate::edit::parse::{Format, call_tags, header_path, json, path, prose, search, span, tags, thinking};
use crate::edit::{Refusal, line};

impl Parser<'_> {
    /// Reads a line outside of any format.
    pub(super) fn outside(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let Some(whole) = self.skip_thinking(whole)? else { return Ok(()) };
        if self.is_part_of_text(whole) {
            if self.fence.is_some() {
                self.fence_line(whole);
            }
            return Ok(());
        }
        if let Some(at) = call_tags::amid(whole).filter(|_| self.calls.is_some() && self.fence.is_none()) {
            self.outside(&whole[..at], out)?;
            return self.read(&whole[at..], out);
        }
        let minus = self.minus.take();
        if let Some(minus) = minus.as_deref().filter(|_| whole.starts_with("+++ ")) {
            self.begin(State::Unified(Unified::default()), Format::UnifiedDiff)?;
            self.read(minus, out)?;
            return self.read(whole, out);
        }
        if context::announces(whole) && (minus.is_some() || self.format == Some(Format::UnifiedDiff)) {
            self.path =
                minus.map(|line| header_path::of_git_header(&line[4..]).into_owned()).or(self.path.take());
            self.file_of_block(out);
            self.begin(State::Context(Context::default()), Format::UnifiedDiff)?;
            return self.read(whole, out);
        }
        let begins = self.file_closer.is_some() || self.fence.as_ref().is_none_or(|fence| fence.is_empty);
        let file_closer = call_tags::opens_file(whole).filter(|_| begins);
        if let Some(fence) = &mut self.fence {
            fence.is_empty &= line::is_blank(whole);
            if let Some(code) = fence.code.as_mut().filter(|_| Mark::of(whole).is_none()) {
                code.push_str(whole);
            }
        }
        if let Some(block) = search::opens(whole) {
            self.file_of_block(out);
            self.begin(State::Search(block), Format::SearchReplace)?;
        } else if patch::opens(whole) {
            self.begin(State::Patch(Patch::new(whole)), Format::Patch)?;
            return self.read(whole, out);
        } else if let Some(open) = span::opens(whole) {
            if self.after_span {
                return Err(Refusal::malformed("text between two marked spans"));
            }
            self.begin(State::Span(open), Format::Span)?;
        } else if tags::opens(whole) {
            self.file_of_block(out);
            self.begin(State::Tags(whole.to_owned()), Format::SearchReplace)?;
            return self.close_tags(out);
        } else if let Some(closer) = call_tags::opens(whole).or(file_closer).filter(|_| self.calls.is_some())
        {
            self.begin(State::Call(String::new(), closer), Format::Json)?;
            return self.read(whole, out);
        } else if whole.starts_with("diff --git ") || is_numbered_hunk(whole) {
            self.file_of_block(out);
            self.begin(State::Unified(Unified::default()), Format::UnifiedDiff)?;
            return self.read(whole, out);
        } else if self.fence_line(whole) {
        } else if self.fence.as_ref().is_some_and(|fence| fence.diff.is_some()) {
            return self.in_diff_fence(whole, out);
        } else if whole.starts_with("--- ") && !whole.trim_end().ends_with(" ---") {
            self.minus = Some(whole.to_owned());
        } else {
            self.remember(whole);
        }
        Ok(())
    }

    /// Whether a line belongs to the new text, although it may look like an edit.
    ///
    /// From its first line that does, the rest of the fence is text, and so is that of a reply which begins like the
    /// old text.
    fn is_part_of_text(&mut self, whole: &str) -> bool {
        if self.format.is_some() || line::is_blank(whole) {
            return self.fence.as_ref().is_some_and(|fence| fence.is_text);
        }
        let begins_like_old =
            *self.begins_like_old.get_or_insert_with(|| self.fence.is_none() && self.old.begins_with(whole));
        if let Some(fence) = &mut self.fence {
            fence.holds_fence |= Mark::of(whole).is_some() && !fence.is_closed_by(whole);
        }
        let is_text = self.is_text || self.fence.as_ref().is_some_and(|fence| fence.is_text);
        // Nearly all lines begin otherwise.
        let may_open = whole.trim_start().starts_with(['<', '-', '*', '@', 'd']);
        if is_text || !may_open || !(opens_change(whole) || span::opens(whole).is_some()) {
            return is_text;
        }
        let is_first = self.old.begins_with(whole);
        // Old text on the line of its tags is no line of the file.
        let is_known = tags::opens(whole) && whole.contains("</") && self.old.has(whole);
        self.is_text = begins_like_old && !is_first && self.old.has(whole);
        if let Some(fence) = &mut self.fence {
            let above = fence.code.as_deref().unwrap_or_default();
            let is_nested = fence.holds_fence && self.old.has(whole);
            fence.is_text = is_known || is_nested || self.old.has_below(above, whole);
            self.may_be_text |= is_first && !fence.is_text;
            return self.is_text || fence.is_text;
        }
        self.may_be_text |= is_first && begins_like_old;
        self.is_text
    }

    /// Adds the file of the next block if the previous line named it.
    fn file_of_block(&mut self, out: &mut Vec<Event>) {
        out.extend(self.path.take().map(Event::File));
    }

    fn remember(&mut self, whole: &str) {
        if line::is_blank(whole) {
            return;
        }
        let repeats = self.closer.take().is_some_and(|closer| closer == whole.trim());
        let closes_file = self.file_closer.is_some_and(|closer| whole.trim() == closer);
        let is_edit_in_json = self.fence.is_none() && self.json.at.is_none() && json::mentions_edits(whole);
        self.has_other_json |= is_edit_in_json;
        let is_inner = self.fence.is_none() && self.format.is_some() && tags::is_inner(whole, true);
        if repeats || closes_file || is_edit_in_json || is_inner || is_part_of_format(whole) {
            self.path = None;
            if !repeats {
                self.stray.get_or_insert_with(|| whole.to_owned());
            }
            return;
        }
        self.after_span |= self.format == Some(Format::Span);
        let is_prose = self.fence.is_none();
        if is_prose {
            self.prose.line(whole);
            whole.trim().clone_into(&mut self.above);
        }
        if !path::is_between(whole) && !is_rule(whole) {
            let path = path::of_line(whole).or_else(|| prose::file_below(whole).filter(|_| is_prose));
            self.path = path.map(str::to_owned);
        }
        if let Some(word) = heredoc_end(whole) {
            self.heredoc = (!word.is_empty()).then(|| word.to_owned());
        }
    }

    /// Opens or closes a fence; returns whether the line did.
    fn fence_line(&mut self, whole: &str) -> bool {
        let Some(mark) = Mark::of(whole) else { return false };
        if let Some(fence) = &self.fence {
            let closes = fence.is_closed_by(whole);
            if closes {
                let code = self.fence.take().and_then(|fence| fence.code).filter(|code| !holds_json(code));
                self.quotes.extend(code.map(|code| Quote { above: std::mem::take(&mut self.above), code }));
                self.prose.quote();
            }
            return closes;
        }
        if let Some(path) = path::of_info(mark.info) {
            self.path = Some(path.to_owned());
        }
        self.fence = Some(OpenFence::new(whole, mark));
        true
    }

    /// Reads a line in a diff fence; the diff starts at the first line with a marker.
    fn in_diff_fence(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let Some(held) = self.fence.as_mut().and_then(|fence| fence.hold(whole)) else { return Ok(()) };
        self.file_of_block(out);
        self.begin(State::Unified(Unified::default()), Format::UnifiedDiff)?;
        let named = held
            .first()
            .filter(|line| held.len() > 1 && !line.starts_with(' '))
            .and_then(|line| path::of_line(line));
        let skip = usize::from(named.is_some());
        out.extend(named.map(|path| Event::File(path.to_owned())));
        held[skip..].iter().try_for_each(|line| self.read(line, out))
    }

    /// Skips thinking; returns the rest of the line, if any.
    fn skip_thinking<'l>(&mut self, whole: &'l str) -> Result<Option<&'l str>, Refusal> {
        let mut rest = whole;
        loop {
            if self.thinking.is_none() {
                if let Some(tag) = thinking::opened(rest) {
                    self.thinking = Some(format!("</{tag}>"));
                } else if thinking::closes(rest.trim_start()) {
                    // The opening tag is missing: everything before was a draft. Edits in JSON are not
                    // applied before the end, so they can be dropped.
                    if self.format.is_some() {
                        return Err(draft());
                    }
                    let old = std::mem::take(&mut self.old);
                    *self = Self { consumed: self.consumed, calls: self.calls, old, ..Self::default() };
                    return Ok(None);
                }
            }
            let Some(close) = &self.thinking else { return Ok(Some(rest)) };
            let Some((_, after)) = rest.split_once(close.as_str()) else { return Ok(None) };
            self.thinking = None;
            if self.format.is_none() {
                self.json.look(after, self.consumed + whole.len() - after.len());
            }
            if line::is_blank(after) {
                return Ok(None);
            }
            rest = after;
        }
    }
}

/// Whether code is JSON, which is read apart.
fn holds_json(code: &str) -> bool {
    code.trim_start().starts_with(['{', '['])
}

/// Whether a line is only a rule, as svn puts it below the path: `=====`.
fn is_rule(line: &str) -> bool {
    line.trim().chars().all(|sign| sign == '=' || sign == '-')
}
