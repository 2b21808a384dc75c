//! Laws of the edit engine, on random texts.

use proptest::prelude::*;
use tandem::edit::trim::{CursorContext, CursorFacts, Ghost};
use tandem::edit::{
    Edit, Outcome, Reader, Refusal, Request, Unchecked, accept, apply, diff, in_order, rebase,
};
use tandem::grammar;

/// Texts with recurring lines, with line ends of all kinds and letters of several bytes.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "é",
        "let x = 1;",
        "}",
        "    ",
        "\t",
        "foo(bar)",
        "“",
        "𝄞",
        "e\u{301}",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Disjoint edits of a text that do not touch each other.
fn edits(text: &str) -> impl Strategy<Value = Vec<Edit>> + use<> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let cut =
        prop::collection::vec((0..ends.len(), prop::sample::select(vec!["", "x", "yz", "\n", "é"])), 0..6);
    cut.prop_map(move |cuts| {
        let mut places: Vec<usize> = cuts.iter().map(|(at, _)| ends[*at]).collect();
        places.sort_unstable();
        let mut edits: Vec<Edit> = Vec::new();
        for (pair, (_, text)) in places.chunks(2).zip(&cuts) {
            let edit = Edit::new(pair[0]..*pair.last().unwrap(), *text);
            if edits.last().is_none_or(|last| last.span.end < edit.span.start) {
                edits.push(edit);
            }
        }
        edits
    })
}

/// Replies made of the lines that formats consist of.
fn reply() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "*** Begin Patch\n",
        "*** Update File: a.rs\n",
        "*** End Patch\n",
        "*** End of File\n",
        "*** Delete File: a.rs\n",
        "--- a/a.rs\n",
        "+++ b/a.rs\n",
        "@@ -1,2 +1,2 @@\n",
        "@@\n",
        "-one\n",
        "+two\n",
        " one\n",
        "one\n",
        "two\n",
        "three\r\n",
        "\n",
        "```\n",
        "```diff\n",
        "~~~\n",
        "<think>\n",
        "</think>\n",
        "NO_EDITS\n",
        "a.rs\n",
        "{\"old_string\": \"one\", \"new_string\": \"é\"}\n",
        "[{\"old_string\": \"two\",\n",
        "\"new_string\": \"x\"}]\n",
        "{\n",
        "}\n",
        "<@0000>\n",
        "<old_text>one</old_text><new_text>é</new_text>\n",
        "// ... existing code ...\n",
        "Here is the change.\n",
        "Add this line after line 2:\n",
        "Part 1:\n",
        "<invoke name=\"edit\">\n",
        "<parameter name=\"old_string\">one</parameter>\n",
        "<parameter name=\"new_string\">é</parameter>\n",
        "</invoke>\n",
        "<tool_call>{\"old_str\": \"two\", \"new_str\": \"x\"}</tool_call>\n",
        "{\"type\": \"update_file\", \"path\": \"a.rs\", \"diff\": \"@@\\n-one\\n+x\"}\n",
        "[{\"old_string\": \"four\", \"new_string\": \"x\"}, {\"old_string\": \"x\", \"new_string\": \"y\"}]\n",
        "apply_patch <<'EOF'\n",
        "EOF\n",
        "é",
        "\u{feff}",
    ]);
    prop::collection::vec(line, 0..16).prop_map(|lines| lines.concat())
}

/// A file whose parts resemble each other, and a hunk with one run of changed lines: its old lines, and all its
/// lines.
fn near_copies() -> impl Strategy<Value = (String, usize, String)> {
    let line = || prop::sample::select(vec!["alpha one", "beta two", "gamma three", "delta four", "}", ""]);
    let lines = |least: usize, most: usize| prop::collection::vec(line(), least..most);
    (lines(4, 40), lines(0, 4), lines(0, 3), 1..3_usize, lines(0, 4)).prop_map(
        |(file, before, gone, count, after)| {
            let marked = |mark: &str, lines: &[&str]| -> String {
                lines.iter().map(|line| format!("{mark}{line}\n")).collect()
            };
            let new = vec!["new line"; count];
            let hunk =
                [marked(" ", &before), marked("-", &gone), marked("+", &new), marked(" ", &after)].concat();
            (marked("", &file), before.len() + gone.len() + after.len(), hunk)
        },
    )
}

const FILE: &str = "one\ntwo\nthree\n\none\nfour\n";

/// Splits a text into pieces, at character boundaries.
fn pieces<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut places: Vec<usize> = cuts.iter().map(|cut| ends[cut.index(ends.len())]).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// The result of reading a reply in these pieces, and the edits that were yielded before its end.
fn read(request: Request<'_>, pieces: &[&str]) -> (Result<Outcome, Refusal>, Unchecked) {
    let mut reader = Reader::new(request);
    let mut yielded = Unchecked::default();
    for piece in pieces {
        yielded.extend(reader.push(piece));
    }
    (reader.finish(), yielded)
}

proptest! {
    #![proptest_config(crate::support::properties::config())]

    #[test]
    fn applying_a_diff_gives_the_new_text(old in text(), new in text()) {
        let edits = diff::minimal(&old, &new);
        prop_assert!(in_order(&old, &edits));
        prop_assert_eq!(apply(&old, &edits), new);
        for edit in &edits {
            for at in [edit.span.start, edit.span.end] {
                prop_assert!(!(old[..at].ends_with('\r') && old[at..].starts_with('\n')), "inside a line end: {:?}", edit);
            }
        }
        prop_assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        prop_assert!(diff::minimal(&old, &old).is_empty());
    }

    #[test]
    fn rebasing_over_nothing_changes_nothing((_, edits) in text().prop_flat_map(|text| { let edits = edits(&text); (Just(text), edits) })) {
        prop_assert_eq!(rebase::over(&edits, &[]), Ok(edits));
    }

    #[test]
    fn disjoint_edits_commute(
        (text, mine, theirs) in text().prop_flat_map(|text| { let (mine, theirs) = (edits(&text), edits(&text)); (Just(text), mine, theirs) })
    ) {
        if let (Ok(after), Ok(before)) = (rebase::over(&mine, &theirs), rebase::over(&theirs, &mine)) {
            prop_assert_eq!(apply(&apply(&text, &theirs), &after), apply(&apply(&text, &mine), &before));
        }
    }

    #[test]
    fn rebasing_in_two_steps_is_rebasing_over_both(
        (text, mine, first, second) in text().prop_flat_map(|text| {
            let (mine, first, second) = (edits(&text), edits(&text), edits(&text));
            (Just(text), mine, first, second)
        })
    ) {
        // Two changes that do not touch, as one set and as two steps.
        let apart = first.iter().all(|a| second.iter().all(|b| a.span.end < b.span.start || b.span.end < a.span.start));
        if let (true, Ok(then)) = (apart, rebase::over(&second, &first)) {
            let mut both = [first.clone(), second].concat();
            both.sort_by_key(|edit| edit.span.start);
            let at_once = rebase::over(&mine, &both);
            let in_steps = rebase::over(&mine, &first).and_then(|mine| rebase::over(&mine, &then));
            if let (Ok(at_once), Ok(in_steps)) = (&at_once, &in_steps) {
                let changed = apply(&text, &both);
                prop_assert_eq!(apply(&changed, at_once), apply(&changed, in_steps));
            }
            prop_assert_eq!(at_once.is_ok(), in_steps.is_ok());
        }
    }

    #[test]
    fn what_is_typed_toward_an_edit_leads_to_it(before in text(), typed in text(), rest in text(), after in text()) {
        let old = format!("{before}{after}");
        let edit = [Edit::new(before.len()..before.len(), format!("{typed}{rest}"))];
        let change = [Edit::new(before.len()..before.len(), typed)];
        let rebased = rebase::over(&edit, &change).unwrap();
        prop_assert_eq!(apply(&apply(&old, &change), &rebased), apply(&old, &edit));
    }

    #[test]
    fn how_a_reply_is_cut_does_not_matter(
        reply in reply(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        range in prop::option::of(0..4_usize),
    ) {
        let starts = [0, 4, 8, 14];
        let range = range.map(|line| starts[line]..FILE.len());
        let request = || Request { text: FILE, path: Some("a.rs"), range: range.clone(), ..Request::default() };
        let (whole, _) = read(request(), &[&reply]);
        let (outcome, yielded) = read(request(), &pieces(&reply, &cuts));
        prop_assert_eq!(&outcome, &whole);
        if let Ok(outcome) = outcome {
            let more = yielded.without(&outcome.edits);
            prop_assert!(more.is_empty(), "yielded also {:?}", more);
        }
    }

    #[test]
    fn lines_changed_side_by_side_are_written_at_one_place((file, old, hunk) in near_copies()) {
        // The number of lines of the file that a hunk may omit.
        const SKIPPED: usize = 4;
        for reply in [
            format!("*** Begin Patch\n*** Update File: a\n@@\n{hunk}*** End Patch\n"),
            format!("```diff\n@@ ... @@\n{hunk}```\n"),
        ] {
            let (outcome, _) = read(Request { text: &file, ..Request::default() }, &[&reply]);
            if let Ok(Outcome { edits, .. }) = outcome {
                let lines = file[edits.span()].matches('\n').count();
                prop_assert!(lines <= old + SKIPPED, "{lines} lines for a hunk of {old}: {edits:?}");
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(file in text(), reply in "\\PC*|(.|\n){0,200}") {
        if let Ok(accepted) = accept(&Request { text: &file, ..Request::default() }, &reply) {
            prop_assert!(in_order(&file, &accepted.edits));
        }
    }

    #[test]
    fn how_a_suggestion_is_cut_does_not_matter(
        before in text(),
        after in text(),
        reply in text(),
        grammar in prop::sample::select(vec![None, grammar::by_language_id("javascript")]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let place = CursorContext { before: &before, after: &after, grammar, max_lines: 6, facts: &CursorFacts::default() };
        let mut whole = Ghost::new(place);
        _ = whole.push(&reply);
        let mut streamed = Ghost::new(place);
        for piece in pieces(&reply, &cuts) {
            if streamed.push(piece).is_break() {
                break;
            }
        }
        prop_assert_eq!(streamed.finish(true), whole.finish(true));
        prop_assert_eq!(streamed.as_written(true), whole.as_written(true));
    }
}
