//! The ways in which replies go wrong, one function each: it writes a true edit down and breaks it.

mod formats;
mod harm;
mod slips;

use std::ops::Range;

use tandem::grammar::Grammar;

use super::corpus::{Case, Rng};

/// What is right for a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Must {
    /// The meaning is certain: the true edit, and nothing else.
    Apply,
    /// The meaning is not certain: the file stays.
    Refuse,
    /// Both are right.
    Either,
}

/// One reply, and what it should lead to.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) path: &'static str,
    pub(super) grammar: Option<&'static Grammar>,
    pub(super) file: String,
    pub(super) target: String,
    pub(super) range: Option<Range<usize>>,
    pub(super) reply: String,
}

type Make = fn(&Case, &mut Rng) -> Option<Sample>;

/// All classes: name, what is right, how a sample is made.
pub(super) const CLASSES: &[(&str, Must, Make)] = &[
    // Formats as they should be, and what stands around them.
    ("search-replace", Must::Apply, formats::search_replace),
    ("search-replace prose", Must::Apply, formats::search_prose),
    ("search-replace fences", Must::Apply, formats::search_fences),
    ("search-replace fence open", Must::Apply, formats::search_fence_open),
    ("search-replace dialects", Must::Apply, formats::search_dialects),
    ("search-replace path", Must::Apply, formats::search_path),
    ("search-replace tags", Must::Apply, formats::search_tags),
    ("search-replace in a list", Must::Apply, formats::search_indented),
    ("search-replace divider in text", Must::Apply, formats::search_divider),
    ("unified diff", Must::Apply, formats::unified),
    ("unified diff wrong numbers", Must::Apply, formats::unified_numbers),
    ("unified diff wrong counts", Must::Apply, formats::unified_counts),
    ("unified diff no header", Must::Apply, formats::unified_bare),
    ("unified diff header missing between", Must::Apply, formats::unified_joined),
    ("unified diff odd header", Must::Apply, formats::unified_odd),
    ("unified diff prose", Must::Apply, formats::unified_prose),
    ("unified diff unmarked context", Must::Apply, formats::unified_unmarked),
    ("unified diff here-document", Must::Apply, formats::unified_heredoc),
    ("patch", Must::Apply, formats::patch),
    ("patch fenced", Must::Apply, formats::patch_fenced),
    ("patch unmarked context", Must::Apply, formats::patch_unmarked),
    ("patch here-document", Must::Apply, formats::patch_heredoc),
    ("patch in json", Must::Apply, formats::patch_json),
    ("patch definition", Must::Apply, formats::patch_definition),
    ("json", Must::Apply, formats::json),
    ("json fenced", Must::Apply, formats::json_fenced),
    ("json line numbers", Must::Apply, formats::json_lines),
    ("marked span", Must::Apply, formats::span),
    ("marked span prose", Must::Apply, formats::span_prose),
    ("region fence", Must::Apply, formats::region),
    ("region bare", Must::Apply, formats::region_bare),
    ("region prose", Must::Apply, formats::region_prose),
    ("region quoted first", Must::Apply, formats::region_quoted),
    ("region in wrappings", Must::Apply, formats::region_wrapped),
    ("whole file blank ends", Must::Apply, formats::whole_blank_ends),
    ("region as a diff", Must::Apply, formats::region_diff),
    ("region as a whole file", Must::Apply, formats::region_whole),
    ("whole file", Must::Apply, formats::whole),
    ("whole file prose", Must::Apply, formats::whole_prose),
    // Slips whose meaning is certain.
    ("crlf file", Must::Apply, slips::crlf_file),
    ("crlf reply", Must::Apply, slips::crlf_reply),
    ("byte-order mark", Must::Apply, slips::byte_order_mark),
    ("no final newline", Must::Apply, slips::no_final_newline),
    ("trailing blanks", Must::Apply, slips::trailing_blanks),
    ("typographic quotes", Must::Apply, slips::typographic),
    ("typographic throughout", Must::Either, slips::typographic_throughout),
    ("no-break blanks", Must::Apply, slips::no_break_blanks),
    ("outdented", Must::Apply, slips::outdented),
    ("tabs for spaces", Must::Apply, slips::tabs_for_spaces),
    ("first indentation lost", Must::Apply, slips::first_indentation),
    ("blocks out of order", Must::Apply, slips::reversed),
    ("the same block twice", Must::Apply, slips::twice),
    ("draft in thinking", Must::Apply, slips::thinking),
    ("file changed elsewhere", Must::Apply, slips::changed_elsewhere),
    ("exact and indented copy", Must::Apply, slips::indented_copy),
    ("number settles a tie", Must::Apply, slips::number_settles),
    ("definition settles a tie", Must::Apply, slips::definition_settles),
    ("end of file settles a tie", Must::Apply, slips::end_settles),
    ("html-escaped", Must::Apply, slips::html),
    ("line numbers copied", Must::Apply, slips::line_numbers),
    ("lines like a diff's", Must::Apply, slips::diff_like),
    ("dots in both halves", Must::Apply, slips::dots),
    ("dots that are code", Must::Apply, slips::dots_of_code),
    ("region outdented", Must::Apply, slips::region_outdented),
    ("region overlap", Must::Apply, slips::region_overlap),
    ("whole file with gaps", Must::Either, slips::whole_with_gaps),
    ("blank line left out", Must::Either, slips::blank_left_out),
    ("comment left out", Must::Either, slips::comment_left_out),
    ("letter wrong in context", Must::Either, slips::letter_in_context),
    ("written-out newlines", Must::Either, slips::written_newlines),
    ("several slips", Must::Apply, slips::several),
    // Nothing to do.
    ("already applied", Must::Refuse, harm::already_applied),
    ("identical halves", Must::Refuse, harm::identical),
    ("no edits", Must::Refuse, harm::no_edits),
    ("talk", Must::Refuse, harm::talk),
    // Nothing that may be done.
    ("cut search-replace", Must::Refuse, harm::cut_search),
    ("cut diff in a fence", Must::Refuse, harm::cut_diff),
    ("cut patch", Must::Refuse, harm::cut_patch),
    ("cut json", Must::Refuse, harm::cut_json),
    ("cut region", Must::Refuse, harm::cut_region),
    ("cut region prose", Must::Refuse, harm::cut_region_prose),
    ("cut whole file", Must::Refuse, harm::cut_whole),
    ("cut span", Must::Refuse, harm::cut_span),
    ("cut bare diff", Must::Either, harm::cut_bare_diff),
    ("another file", Must::Refuse, harm::other_file),
    ("file operations", Must::Refuse, harm::operations),
    ("a tie", Must::Refuse, harm::tie),
    ("a tie and a number between", Must::Refuse, harm::tie_between),
    ("two wills", Must::Refuse, harm::two_wills),
    ("letter wrong in a deleted line", Must::Refuse, harm::letter_in_deleted),
    ("digit wrong in a deleted line", Must::Refuse, harm::digit_in_deleted),
    ("stale and a near copy", Must::Refuse, harm::near_copy),
    ("invented lines", Must::Refuse, harm::invented),
    ("lazy replacement", Must::Refuse, harm::lazy),
    ("lazy region", Must::Either, harm::lazy_region),
    ("loop", Must::Refuse, harm::looping),
    ("divider missing", Must::Refuse, harm::divider_missing),
    ("line range without old text", Must::Refuse, harm::range_without_old),
    ("empty search", Must::Refuse, harm::empty_search),
    ("empty whole file", Must::Refuse, harm::empty_whole),
    ("fragment as whole file", Must::Refuse, harm::fragment),
    ("outside the range", Must::Refuse, harm::outside),
    ("whole file with a change outside", Must::Refuse, harm::whole_outside),
    ("unknown tag", Must::Refuse, harm::unknown_tag),
    ("end of file elsewhere", Must::Refuse, harm::end_elsewhere),
];
