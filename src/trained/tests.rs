//! Prompts and replies as text: the rendered scene, and the region after a reply.

use expect_test::{Expect, expect};

use super::*;
use crate::edit::{Request, accept_edits, apply};
use crate::prompt::next_edit::ShownStep;

const REGION: &str = "fn area(w: u32) -> u32 {\n    let half = w / 2;\n    half * w\n}\n";

/// The scene's recent edits, as a diff.
const HISTORY: &str = "--- a/src/猫.rs\n+++ b/src/猫.rs\n@@ -5,1 +5,1 @@\n-cat(1);\n+cat(2);\n// User accepted prediction:\n\
                       --- a/src/shape.rs\n+++ b/src/shape.rs\n@@ -4,2 +4,2 @@\n \n-fn area(width: u32)\n+fn area(w: u32)\n";

fn step(path: &str, lines: &[(char, &str)], is_accepted: bool) -> ShownStep {
    let lines = lines.iter().map(|(sign, line)| (*sign, (*line).to_owned())).collect();
    ShownStep { path: path.to_owned(), line: 5, lines, is_accepted }
}

fn scene() -> Scene {
    Scene {
        path: "src/shape.rs".to_owned(),
        before: "use std::fmt;\n\n".to_owned(),
        region: REGION.to_owned(),
        cursor: REGION.find("half * w").unwrap(),
        after: "\nfn edge() {}\n".to_owned(),
        earlier: Some(REGION.replace("(w", "(width")),
        steps: vec![
            step("src/猫.rs", &[('-', "cat(1);"), ('+', "cat(2);")], false),
            step("src/shape.rs", &[(' ', ""), ('-', "fn area(width: u32)"), ('+', "fn area(w: u32)")], true),
        ],
    }
}

fn part(kind: RelatedKind, path: &str, text: &str) -> RelatedPart {
    RelatedPart { path: path.into(), line: 1, text: text.to_owned(), kind, why: "".into(), needs: 0 }
}

/// Renders the scene with a quoted file.
///
/// Also checks that the prompt is parsed back into that scene.
#[track_caller]
fn prompt(dialect: EditDialect) -> String {
    let (excerpt, rules) =
        (part(RelatedKind::Excerpt, "src/b.rs", "fn b();\n"), part(RelatedKind::Rules, "AGENTS.md", "Be.\n"));
    let rendered = render(dialect, &scene()).unwrap();
    let prompt = [rendered.head.clone(), quote(dialect, &[&rules, &excerpt]), rendered.tail.clone()].concat();
    let (as_dialect, parsed) = parse(&prompt).unwrap();
    assert_eq!(as_dialect, dialect);
    assert_eq!((&parsed.path, &parsed.region), (&scene().path, &scene().region));
    assert_eq!(parsed.steps.len(), 2);
    let bare = parse(&[rendered.head, rendered.tail].concat());
    assert_eq!(bare.map(|(_, scene)| scene.region), Some(REGION.to_owned()), "without other files");
    prompt
}

#[track_caller]
fn check_prompt(dialect: EditDialect, expect: Expect) {
    expect.assert_eq(&prompt(dialect).replace(HISTORY, "HISTORY\n"));
}

#[test]
fn zeta2_shows_one_side_of_a_conflict() {
    check_prompt(
        EditDialect::Zeta2,
        expect![[r#"
            <[fim-suffix]>
            fn edge() {}
            <[fim-prefix]><filename>src/b.rs
            fn b();
            ...

            <filename>edit_history
            HISTORY

            <filename>src/shape.rs
            use std::fmt;

            <<<<<<< CURRENT
            fn area(w: u32) -> u32 {
                let half = w / 2;
                <|user_cursor|>half * w
            }
            =======
            <[fim-middle]>"#]],
    );
}

#[test]
fn zeta21_numbers_the_blocks_and_is_else_like_zeta2() {
    let (older, newer) = (prompt(EditDialect::Zeta2), prompt(EditDialect::Zeta21));
    let (shared, own) = newer.split_at(newer.find("<|marker_1|>").unwrap());
    assert!(older.starts_with(shared), "{newer}");
    expect![[r#"
        <|marker_1|>fn area(w: u32) -> u32 {
            let half = w / 2;
            <|user_cursor|>half * w
        }
        <|marker_2|>
        <[fim-middle]>"#]]
    .assert_eq(own);
}

#[test]
fn sweep_shows_before_and_after() {
    check_prompt(
        EditDialect::Sweep,
        expect![[r#"
            <|file_sep|>src/b.rs
            fn b();
            <|file_sep|>src/猫.rs.diff
            original:
            cat(1);
            updated:
            cat(2);
            <|file_sep|>src/shape.rs.diff
            original:

            fn area(width: u32)
            updated:

            fn area(w: u32)
            <|file_sep|>original/src/shape.rs
            fn area(width: u32) -> u32 {
                let half = w / 2;
                half * w
            }
            <|file_sep|>current/src/shape.rs
            fn area(w: u32) -> u32 {
                let half = w / 2;
                half * w
            }
            <|file_sep|>updated/src/shape.rs
        "#]],
    );
}

#[test]
fn mercury_shows_tagged_parts() {
    check_prompt(
        EditDialect::Mercury,
        expect![[r#"
            <|recently_viewed_code_snippets|>
            <|recently_viewed_code_snippet|>
            code_snippet_file_path: src/b.rs
            fn b();
            <|/recently_viewed_code_snippet|>
            <|/recently_viewed_code_snippets|>
            <|current_file_content|>
            current_file_path: src/shape.rs
            use std::fmt;

            <|code_to_edit|>
            fn area(w: u32) -> u32 {
                let half = w / 2;
                <|cursor|>half * w
            }
            <|/code_to_edit|>

            fn edge() {}
            <|/current_file_content|>
            <|edit_diff_history|>
            HISTORY
            <|/edit_diff_history|>
        "#]],
    );
}

#[test]
fn scene_with_a_dialects_marks_is_not_shown_in_it() {
    let check = |dialect: EditDialect, text: &str, expected: bool| {
        for scene in [
            Scene { region: format!("a\n{text}\n"), ..scene() },
            Scene { after: format!("a\n{text}\n"), ..scene() },
            Scene { steps: vec![step("a", &[('+', text)], false)], ..scene() },
        ] {
            assert_eq!(render(dialect, &scene).is_some(), expected, "{dialect:?} {text}");
        }
        let quoted = part(RelatedKind::Excerpt, "b", &format!("{text}\n"));
        assert_eq!(!quote(dialect, &[&quoted]).is_empty(), expected, "{dialect:?} {text}");
    };
    check(EditDialect::Zeta2, "the <filename> is", false);
    check(EditDialect::Zeta2, "<|file_sep|>", true);
    check(EditDialect::Zeta21, "<|marker_3|>", false);
    check(EditDialect::Sweep, "x <|file_sep|>", false);
    check(EditDialect::Sweep, "the <filename> is", true);
    check(EditDialect::Mercury, "<|cursor|>", false);
    let conflict = Scene { region: "a\n=======\nb\n".to_owned(), ..scene() };
    assert_eq!(render(EditDialect::Zeta2, &conflict), None);
    assert!(render(EditDialect::Zeta21, &conflict).is_some());
}

/// The region after a reply, or the reason why it was refused.
fn made(dialect: EditDialect, scene: &Scene, reply: &str) -> String {
    let request = Request { text: &scene.region, ..Request::default() };
    match read(dialect, scene, None, reply).and_then(|edits| accept_edits(&request, edits)) {
        Ok((edits, _)) => apply(&scene.region, &edits),
        Err(refusal) => format!("refused: {}", refusal.code()),
    }
}

#[track_caller]
fn check(dialect: EditDialect, reply: &str, expected: &str) {
    assert_eq!(made(dialect, &scene(), reply), expected, "{dialect:?} {reply:?}");
}

#[test]
fn reply_that_is_written_is_read() {
    let texts = [
        REGION.to_owned(),
        REGION.replace("half * w", "half * w.pow(2)"),
        REGION.replace("    let half = w / 2;\n", ""),
        format!("/// The area.\n{REGION}"),
        REGION.replace("}\n", "}\n\nfn twice() -> u32 {\n    2 * area(1)\n}\n"),
    ];
    for dialect in EditDialect::ALL {
        for new in &texts {
            assert_eq!(&made(dialect, &scene(), &write(dialect, &scene(), new)), new, "{dialect:?}");
        }
        let dos = Scene { region: REGION.replace('\n', "\r\n"), ..scene() };
        let new = REGION.replace("half * w", "half").replace('\n', "\r\n");
        assert_eq!(made(dialect, &dos, &write(dialect, &dos, &new)), new, "{dialect:?}");
    }
}

#[test]
fn zeta2_reply_is_read_strictly() {
    let check = |reply: &str, expected: &str| check(EditDialect::Zeta2, reply, expected);
    let new = REGION.replace("half * w", "half");
    check(&format!("{new}>>>>>>> UPDATED\n"), &new);
    check(&format!("{new}>>>>>>> UPDATED<[end▁of▁sentence]>"), "refused: truncated");
    check(&format!("{new}>>>>>>> UPDATED\n<[end▁of▁sentence]>"), &new);
    check(&format!("{}>>>>>>> UPDATED\n", new.replace("half\n", "half<|user_cursor|>\n")), &new);
    check("NO_EDITS\n>>>>>>> UPDATED\n", REGION);
    check(&format!("{REGION}>>>>>>> UPDATED\n"), REGION);
    check("", "refused: empty");
    check(">>>>>>> UPDATED\n", "refused: empty");
    check(&new, "refused: truncated");
    check(&format!("{}>>>>>>> UPD", &new[..20]), "refused: truncated");
    check(&format!("{new}>>>>>>> UPDATED\n{new}>>>>>>> UPDATED\n"), "refused: malformed");
    check(&format!("<<<<<<< CURRENT\n{new}=======\n{new}>>>>>>> UPDATED\n"), "refused: marker");
    check(&format!("{new}=======\n>>>>>>> UPDATED\n"), "refused: marker");
    check(&format!("<|user_cursor|>{new}<|user_cursor|>\n>>>>>>> UPDATED\n"), "refused: malformed");
    check(&format!("{new}<filename>src/other.rs\n>>>>>>> UPDATED\n"), "refused: marker");
    let around = format!("use std::fmt;\n\n{new}\nfn edge() {{}}\n>>>>>>> UPDATED\n");
    check(&around, &new);
}

#[test]
fn zeta21_reply_is_read_strictly() {
    let region: String = (0..3).map(|n| format!("fn f{n}() {{\n    a();\n    b();\n}}\n\n")).collect();
    let scene = Scene { region: region.clone(), cursor: 5, ..scene() };
    let check = |reply: &str, expected: &str| {
        assert_eq!(made(EditDialect::Zeta21, &scene, reply), expected, "{reply:?}");
    };
    let second = "fn f1() {\n    c();\n}\n\n";
    let new = region.replacen("fn f1() {\n    a();\n    b();\n}\n\n", second, 1);
    check(&format!("<|marker_2|>{second}<|marker_3|>"), &new);
    check(&format!("<|marker_2|>{second}<|marker_3|><[end▁of▁sentence]>"), &new);
    check(&format!("<|marker_2|>{}<|marker_3|>", second.replace("c()", "c(<|user_cursor|>)")), &new);
    check(
        &format!("<|marker_2|>{second}<|marker_3|>fn f2() {{}}\n<|marker_4|>"),
        &(new[..new.find("fn f2").unwrap()].to_owned() + "fn f2() {}\n"),
    );
    check("<|marker_1|><|marker_1|>", &region);
    check("", "refused: empty");
    check(second, "refused: malformed");
    check("<|marker_", "refused: truncated");
    check(&format!("<|marker_2|>{second}"), "refused: truncated");
    check(&format!("<|marker_2|>{second}<|marker_3|>fn f2() {{"), "refused: truncated");
    check(&format!("Sure: <|marker_2|>{second}<|marker_3|>"), "refused: malformed");
    check(&format!("<|marker_3|>{second}<|marker_2|>"), "refused: malformed");
    check(&format!("<|marker_1|>{second}<|marker_3|>"), "refused: malformed");
    check(&format!("<|marker_2|>{second}<|marker_2|>"), "refused: malformed");
    check(&format!("<|marker_4|>{second}<|marker_5|>"), "refused: malformed");
    check(&format!("<|marker_2|>\n{second}<|marker_3|>"), "refused: malformed");
    check(&format!("<|marker_2|><|user_cursor|>{second}<|user_cursor|><|marker_3|>"), "refused: malformed");
}

#[test]
fn sweep_reply_is_read_strictly() {
    let check = |reply: &str, expected: &str| check(EditDialect::Sweep, reply, expected);
    let new = REGION.replace("half * w", "half");
    check(&new, &new);
    check(new.trim_end(), &new);
    check(&format!("\n{new}\n\n"), &new);
    check(&format!("{new}<|file_sep|>src/other.rs\nfn other() {{}}\n"), &new);
    check(&format!("{new}<|endoftext|>"), &new);
    check(REGION, REGION);
    check("", "refused: empty");
    check("<|file_sep|>", "refused: empty");
    check("fn area(w: u32) -> u32 {\n    let half = w / 2;\n", "refused: truncated");
    check("fn area(w: u64) -> u32 {\n    let half = w / 2;\n    half * w\n", "refused: truncated");
    check("fn area(w: u64) -> u32 {\n    let hal", "refused: truncated");
    check("The code looks fine, so nothing has to change here.", "refused: prose");
    check(&new.replace("half\n", "half<|cursor|>\n"), "refused: marker");
    check(&format!("use std::fmt;\n\n{new}\nfn edge() {{}}\n"), &new);
    check(&"    half * w\n".repeat(20), "refused: repetition");
}

#[test]
fn mercury_reply_is_read_strictly() {
    let check = |reply: &str, expected: &str| check(EditDialect::Mercury, reply, expected);
    let new = REGION.replace("half * w", "half");
    check(&format!("```\n{new}```"), &new);
    check(&format!("```rust\n{}\n```\n", new.trim_end()), &new);
    check(&format!("```\n<|code_to_edit|>\n{new}<|/code_to_edit|>\n```"), &new);
    check("None", REGION);
    check("```\nNone\n```", REGION);
    check(&format!("```\n{REGION}```"), REGION);
    check("", "refused: empty");
    check("```\n```", "refused: empty");
    check(&format!("```\n{new}"), "refused: truncated");
    check(&format!("```\n{}", &new[..30]), "refused: truncated");
    check(&new, "refused: prose");
    check("I would not change anything here.", "refused: prose");
    check(&format!("Here it is:\n```\n{new}```"), "refused: malformed");
    check(&format!("```\n{new}```\nThat is all."), "refused: malformed");
    check(&format!("```\n{new}```\n```\n{new}```"), "refused: malformed");
    check(&format!("```\n<|code_to_edit|>\n{new}```"), "refused: malformed");
    check(&format!("```\n{}```", new.replace("half\n", "half<|cursor|>\n")), "refused: marker");
    check("```\nThere is nothing to change in this function.\n```", "refused: prose");
    check(&format!("```\nuse std::fmt;\n\n{new}\nfn edge() {{}}\n```"), &new);
    check(&format!("```\nuse std::fmt;\n\n{new}\nfn corner() {{}}\n```"), "refused: malformed");
    check(&format!("```\nuse std::fmt;\n\n{new}```"), "refused: malformed");
}

#[test]
fn mercury_reply_may_have_the_regions_own_fences() {
    let region = "# Use\n\n```sh\nls\n```\n".to_owned();
    let scene = Scene { path: "a.md".to_owned(), region, cursor: 0, ..Scene::default() };
    let check = |reply: &str, expected: &str| assert_eq!(made(EditDialect::Mercury, &scene, reply), expected);
    check("```\n# Use\n\n```sh\nls -l\n```\n```", "# Use\n\n```sh\nls -l\n```\n");
    check("```\n# Use\n\n```sh\nls -l\n```", "refused: malformed");
    check("```\n# Use\n\n```sh\nls -l\n", "refused: truncated");
}
