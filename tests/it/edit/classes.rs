//! The ways in which replies go wrong, one function each: it writes a true edit down and breaks it.

mod beside;
mod brief;
mod calls;
mod columns;
mod cut;
mod draft;
mod formats;
mod forms;
mod guards;
mod harm;
mod json;
mod lazy;
mod marks;
mod namesakes;
mod near;
mod odd;
mod pairs;
mod parts;
mod places;
mod prose;
mod records;
mod region;
mod slips;
mod whole;

use std::ops::Range;

use tandem::grammar::Grammar;

use super::corpus::{Case, Rng};

/// The expected result of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Must {
    /// The meaning is certain: only the true edit is right.
    Apply,
    /// The meaning is not certain: the file must stay unchanged.
    Refuse,
    /// Both are right.
    Either,
}

/// One reply, and its expected result.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) path: &'static str,
    pub(super) grammar: Option<&'static Grammar>,
    pub(super) file: String,
    pub(super) target: String,
    pub(super) range: Option<Range<usize>>,
    pub(super) reply: String,
    /// What the model was asked to do; empty if unknown.
    pub(super) instruction: String,
    /// Whether a reply that may be truncated is refused.
    pub(super) strict: bool,
}

/// Makes a sample of a true edit.
pub(super) type Make = dyn Fn(&Case, &mut Rng) -> Option<Sample>;

/// A class: its name, the expected result, and the function that makes a sample.
type Class = (&'static str, Must, fn(&Case, &mut Rng) -> Option<Sample>);

/// All classes, with the share of the seeds that each is run with.
pub(super) fn all() -> Vec<(String, Must, Box<Make>, u64)> {
    let tables = [CLASSES, cut::CLASSES, forms::CLASSES, json::CLASSES, lazy::CLASSES, near::CLASSES];
    let tables = tables
        .into_iter()
        .chain([
            beside::CLASSES,
            columns::CLASSES,
            namesakes::CLASSES,
            prose::CLASSES,
            records::CLASSES,
            region::CLASSES,
            whole::CLASSES,
        ])
        .flatten();
    let alone = tables.map(|(name, must, make)| ((*name).to_owned(), *must, Box::new(*make) as Box<Make>, 1));
    alone.chain(pairs::classes().map(|(name, make)| (name, Must::Apply, make, 5))).collect()
}

const CLASSES: &[Class] = &[
    // Well-formed replies, and text around them.
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
    ("unified diff header missing, unsure", Must::Either, formats::unified_joined_any),
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
    ("json trailing commas", Must::Apply, formats::json_commas),
    ("json raw line ends", Must::Apply, formats::json_raw),
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
    // Little old text, and no context.
    ("brief: one line", Must::Apply, brief::one_line),
    ("brief: line outdented", Must::Apply, brief::line_outdented),
    ("brief: first blanks lost", Must::Either, brief::first_blanks_lost),
    ("brief: part of a word", Must::Refuse, brief::part_of_word),
    ("brief: overlapping copies", Must::Refuse, brief::overlapping_copies),
    ("brief: added already", Must::Refuse, brief::added_already),
    ("brief: definition behind", Must::Refuse, brief::definition_behind),
    // Rarer slips.
    ("odd: carriage returns", Must::Apply, odd::carriage_returns),
    ("odd: mixed ends", Must::Apply, odd::mixed_ends),
    ("odd: mixed ends in range", Must::Apply, odd::mixed_ends_in_range),
    ("odd: mark before reply", Must::Apply, odd::mark_before_reply),
    ("odd: markdown blocks", Must::Apply, odd::markdown_blocks),
    ("odd: markdown whole", Must::Apply, odd::markdown_whole),
    ("odd: markdown region", Must::Apply, odd::markdown_region),
    ("odd: markdown in tags", Must::Apply, odd::markdown_in_tags),
    ("odd: markdown bare", Must::Either, odd::markdown_bare),
    ("odd: diff in pieces", Must::Apply, odd::diff_in_pieces),
    ("odd: diff and result", Must::Apply, odd::diff_and_result),
    ("odd: blocks and usage", Must::Apply, odd::blocks_and_usage),
    ("odd: paths dressed", Must::Apply, odd::paths_dressed),
    ("odd: git headers", Must::Apply, odd::git_headers),
    ("odd: decomposed", Must::Apply, odd::decomposed),
    ("odd: html diff", Must::Apply, odd::html_diff),
    ("odd: html region", Must::Apply, odd::html_region),
    ("odd: json and code", Must::Apply, odd::json_and_code),
    ("odd: region after prompt", Must::Apply, odd::region_after_prompt),
    ("odd: region twice", Must::Apply, odd::region_twice),
    ("odd: marks two wide", Must::Either, odd::marks_two_wide),
    ("odd: diff indented", Must::Either, odd::diff_indented),
    ("odd: diff outdented by one", Must::Either, odd::diff_outdented_by_one),
    ("odd: zero width", Must::Either, odd::zero_width),
    ("odd: trailing commas", Must::Either, odd::trailing_commas),
    ("odd: raw newlines", Must::Either, odd::raw_newlines),
    ("odd: indentation lost", Must::Either, odd::indentation_lost),
    ("odd: whole restyled", Must::Either, odd::whole_restyled),
    ("odd: region restyled", Must::Either, odd::region_restyled),
    ("odd: region and remarks", Must::Either, odd::region_and_remarks),
    ("odd: region and other", Must::Either, odd::region_and_other),
    ("odd: region closed only", Must::Either, odd::region_closed_only),
    ("odd: numbers in new lines", Must::Either, odd::numbers_in_new_lines),
    ("odd: blank in deleted", Must::Refuse, odd::blank_in_deleted),
    ("odd: look alike in deleted", Must::Refuse, odd::look_alike_in_deleted),
    ("odd: case in deleted", Must::Refuse, odd::case_in_deleted),
    ("odd: marker half written", Must::Refuse, odd::marker_half_written),
    ("odd: patch without end", Must::Refuse, odd::patch_without_end),
    ("odd: rename and edit", Must::Refuse, odd::rename_and_edit),
    ("odd: opener twice", Must::Refuse, odd::opener_twice),
    ("odd: conflict markers", Must::Refuse, odd::conflict_markers),
    ("odd: two options", Must::Refuse, odd::two_options),
    // Damage that a parser need not notice, and code in wrappers.
    ("guard: invisible in new line", Must::Refuse, guards::invisible),
    ("guard: invisible was there", Must::Apply, guards::invisible_kept),
    ("guard: escapes in new line", Must::Refuse, guards::escapes),
    ("guard: html in the new half", Must::Refuse, slips::html_in_new),
    ("guard: region marked as a diff", Must::Refuse, guards::marked_region),
    ("guard: region of added lines", Must::Refuse, guards::added_region),
    ("guard: region in curly quotes", Must::Refuse, guards::curly_region),
    ("guard: region in one line", Must::Refuse, guards::one_line_region),
    ("guard: region in json", Must::Apply, guards::json_region),
    ("guard: region in json and words", Must::Refuse, guards::json_and_words),
    ("guard: region numbered", Must::Apply, guards::numbered_region),
    ("guard: region numbered throughout", Must::Refuse, guards::numbered_throughout),
    ("guard: nothing as code", Must::Refuse, guards::nothing),
    ("guard: loop at the end", Must::Refuse, guards::loop_at_the_end),
    ("guard: stand-in in new lines", Must::Refuse, guards::stand_in),
    ("guard: stand-in for a region", Must::Refuse, guards::stand_in_region),
    ("guard: c broken in new lines", Must::Refuse, guards::broken_c),
    ("guard: bare region stripped", Must::Apply, guards::bare_stripped),
    ("guard: region in a here-document", Must::Apply, guards::heredoc_region),
    ("guard: talk for a region", Must::Refuse, guards::talk_for_region),
    ("guard: talk in a fence", Must::Refuse, guards::talk_in_a_fence),
    ("guard: numbers of places", Must::Refuse, guards::numbers_of_places),
    // Misspelt marks, and lines that belong to no block.
    ("marks: patch indented", Must::Apply, marks::patch_indented),
    ("marks: section padded", Must::Apply, marks::section_padded),
    ("marks: all sections padded", Must::Apply, marks::sections_padded),
    ("marks: section without stars", Must::Apply, marks::section_bare),
    ("marks: end padded", Must::Apply, marks::end_padded),
    ("marks: closer twice", Must::Apply, marks::closer_twice),
    ("marks: pairs on one line", Must::Apply, marks::pairs_on_a_line),
    ("marks: no section", Must::Either, marks::no_section),
    ("marks: second section unread", Must::Refuse, marks::second_section_unread),
    ("marks: opener unread", Must::Refuse, marks::opener_unread),
    ("marks: talk between hunks", Must::Refuse, marks::talk_between),
    ("marks: item unread", Must::Refuse, marks::item_unread),
    ("marks: two formats", Must::Refuse, marks::two_formats),
    ("marks: empty section", Must::Refuse, marks::empty_section),
    ("marks: kept lines not there", Must::Refuse, marks::kept_not_there),
    // Evidence for where lines belong.
    ("places: torn hunk", Must::Refuse, places::torn_hunk),
    ("places: torn pair", Must::Refuse, places::torn_pair),
    ("places: added below", Must::Apply, places::added_below),
    ("places: first line kept", Must::Apply, places::first_line_kept),
    ("places: mark and new line", Must::Apply, places::mark_and_new_line),
    ("places: mark repeated", Must::Apply, places::mark_repeated),
    ("places: folder of another", Must::Refuse, places::other_folder),
    ("places: folder longer", Must::Apply, places::longer_folder),
    ("places: taken from a copy", Must::Refuse, places::taken_from_a_copy),
    ("places: written on", Must::Refuse, places::written_on),
    ("places: json inserts", Must::Apply, places::json_inserts),
    ("places: below a definition", Must::Apply, places::below_definition),
    ("places: blanks for a tab", Must::Either, places::blanks_for_a_tab),
    ("places: deleted is not there", Must::Refuse, places::deleted_not_there),
    // Tool calls.
    ("calls: patch operation", Must::Apply, calls::patch_operation),
    ("calls: patch operation on a file", Must::Refuse, calls::patch_operation_on_file),
    ("calls: patch as input", Must::Apply, calls::patch_input),
    ("calls: text editor", Must::Apply, calls::text_editor),
    ("calls: text editor inserts", Must::Apply, calls::text_editor_insert),
    ("calls: text editor creates", Must::Refuse, calls::text_editor_create),
    ("calls: write", Must::Apply, calls::write),
    ("calls: parameters in tags", Must::Apply, calls::parameters_in_tags),
    ("calls: tags in a text", Must::Apply, calls::tags_in_a_text),
    ("calls: tags cut", Must::Refuse, calls::tags_cut),
    ("calls: json in tags", Must::Apply, calls::hermes),
    ("calls: one after the other", Must::Apply, calls::one_after_the_other),
    ("calls: one after another text", Must::Refuse, calls::one_after_another_text),
    ("calls: numbers as shown", Must::Apply, calls::shown_numbers),
    ("calls: nested headers", Must::Apply, calls::nested_headers),
    ("calls: amid a line", Must::Apply, calls::amid_a_line),
    // Parts instead of the whole, and remarks instead of code.
    ("parts: lines to add", Must::Refuse, parts::lines_to_add),
    ("parts: whole with additions", Must::Apply, parts::whole_with_additions),
    ("parts: in parts", Must::Refuse, parts::in_parts),
    ("parts: too little", Must::Refuse, parts::too_little),
    ("parts: remark for code", Must::Refuse, parts::remark_for_code),
    ("parts: remark beside code", Must::Apply, parts::remark_beside_code),
    ("parts: head left out", Must::Refuse, parts::head_left_out),
    ("parts: placeholder folders", Must::Apply, parts::placeholder_folders),
    ("parts: garbled", Must::Refuse, parts::garbled),
    ("parts: residue", Must::Refuse, parts::residue),
    ("parts: near copy of context", Must::Refuse, parts::near_copy_of_context),
    // Truncated where no end mark is required.
    ("cut: bare region", Must::Refuse, cut::bare_region),
    ("cut: bare region of text", Must::Refuse, cut::bare_text),
    ("cut: bare whole file", Must::Refuse, cut::bare_whole),
    ("cut: last line of a diff", Must::Refuse, cut::last_line),
    ("cut: half a fence", Must::Refuse, cut::half_a_fence),
    ("cut: region with fences", Must::Refuse, cut::region_with_fences),
    ("cut: next header", Must::Refuse, cut::next_header),
    ("cut: counts", Must::Refuse, cut::counts),
    ("cut: file header", Must::Refuse, cut::file_header),
    // Nothing to do.
    ("already applied", Must::Refuse, harm::already_applied),
    ("identical halves", Must::Refuse, harm::identical),
    ("no edits", Must::Refuse, harm::no_edits),
    ("talk", Must::Refuse, harm::talk),
    // Nothing that may be applied.
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
