//! For any typing in any text, the offers fit the text and terminate.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Maximum number of consecutive offers before they count as endless.
const MOST_ROUNDS: usize = 40;

/// Lines that resemble one another, so that there is much to repeat: code, partial code, data, other line ends.
fn any_text() -> impl Strategy<Value = String> {
    let line = select(vec![
        "    draw(a);",
        "    draw(b, 1);",
        "    x = load(a);",
        "    draw(a);",
        "fn load(id: string) {",
        "fn area(width: u32) {",
        "}",
        "let a = await load(a);",
        "if (a",
        "\"a long string of words\",",
        "  width: string[],",
        "// é🦀 width",
        "",
        "𝒳(width, 𝒳);",
        "a,b,1,2,3,4,5,6",
    ]);
    let end = select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    vec((line, end), 1..24).prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect())
}

/// Exchanges as made by users: additions, other words, whole lines, deletions.
fn any_exchange() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("load(a)", "load(a, true)"),
        ("(a)", "(a, 🦀)"),
        ("= await", "="),
        ("= load", "= await load"),
        ("load", "read"),
        ("width", "breadth"),
        ("string[]", "string[][]"),
        ("string", "string[]"),
        ("    draw(a);\n", ""),
        ("    draw(a);\n", "    draw(a);\n    draw(c);\n"),
        ("    draw(a);", "    await draw(a);"),
        ("long string of words", "short one"),
        ("u32", "u64"),
        ("é", "("),
        ("\r\n", "\n"),
        ("", "    "),
    ])
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn offers_fit_the_text_and_end(
        text in any_text(),
        language in select(vec!["rust", "typescript", "go", "plaintext"]),
        exchanges in vec((any_exchange(), 1_usize..4), 1..3),
    ) {
        let mut text = text;
        let mut done: Vec<(String, String, usize)> = Vec::new();
        for ((old, new), times) in exchanges {
            let mut from = 0;
            for _ in 0..times {
                let Some(at) = text[from..].find(old).map(|at| from + at) else { break };
                step(&mut text, &Edit::new(at..at + old.len(), new), &mut done);
                from = at + new.len();
            }
        }
        // Accept all offers, one after the other, like a user who trusts them.
        for _ in 0..MOST_ROUNDS {
            let made: Vec<EditStep<'_>> =
                done.iter().filter(|(_, new, at)| text.get(*at..).is_some_and(|rest| rest.starts_with(&**new))).map(|(old, new, at)| step_in(&text, old, new, *at)).collect();
            let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
            let mut edits = repeat(&document, &made, 0).edits;
            prop_assert!(edits.len() <= REPEATED_EDITS);
            edits.sort_by_key(|edit| edit.span.start);
            prop_assert!(crate::edit::in_order(&text, &edits), "{edits:?} in {text:?}");
            let other = repeat_elsewhere(std::iter::once(&document), &made);
            let mut others = other.map_or_else(Vec::new, |it| it.1.edits);
            others.sort_by_key(|edit| edit.span.start);
            prop_assert!(crate::edit::in_order(&text, &others), "{others:?} in {text:?}");
            let Some(first) = edits.first() else { return Ok(()) };
            prop_assert!(text[first.span.clone()] != *first.text, "{first:?} changes nothing in {text:?}");
            step(&mut text, first, &mut done);
        }
        prop_assert!(false, "no end of it: {text:?}");
    }
}

/// Applies an edit, and records it as the lines before and after; earlier steps are shifted.
fn step(text: &mut String, edit: &Edit, done: &mut Vec<(String, String, usize)>) {
    let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[edit.span.end..].find('\n').map_or(text.len(), |at| edit.span.end + at + 1);
    let old = text[start..end].to_owned();
    text.replace_range(edit.span.clone(), &edit.text);
    let new = text[start..end.saturating_add_signed(edit.growth())].to_owned();
    for (_, _, at) in done.iter_mut().filter(|(_, _, at)| *at >= end) {
        *at = at.saturating_add_signed(edit.growth());
    }
    done.push((old, new, start));
}
