use super::position::{clamped_byte_at, position_at};
use super::*;
use crate::text::ident::words;
use expect_test::{Expect, expect};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use rand::RngExt as _;

/// A reference implementation without ropes: slow, but simple.
struct Reference {
    text: String,
    encoding: Encoding,
}

impl Reference {
    /// The text range of each line, by LSP's three line ends.
    fn lines(&self) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut lines = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while at < bytes.len() {
            let ends = match bytes[at] {
                b'\n' => 1,
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
                b'\r' => 1,
                _ => 0,
            };
            if ends > 0 {
                lines.push(start..at);
                start = at + ends;
            }
            at += ends.max(1);
        }
        lines.push(start..bytes.len());
        lines
    }

    fn units(&self, text: &str) -> u32 {
        let units = match self.encoding {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
            Encoding::Utf32 => text.chars().count(),
        };
        u32::try_from(units).unwrap()
    }

    /// The position of a byte that does not lie inside a line end.
    fn position(&self, byte: usize) -> Position {
        let lines = self.lines();
        let line = lines.iter().rposition(|line| line.start <= byte).unwrap();
        Position::new(u32::try_from(line).unwrap(), self.units(&self.text[lines[line].start..byte]))
    }

    /// A byte where an editor's cursor can be: on a character boundary, and not inside `\r\n`.
    fn random_place(&self, rng: &mut impl rand::Rng) -> usize {
        loop {
            let byte = rng.random_range(0..=self.text.len());
            if !self.text.is_char_boundary(byte) {
                continue;
            }
            if !(self.text[..byte].ends_with('\r') && self.text[byte..].starts_with('\n')) {
                return byte;
            }
        }
    }
}

const PIECES: &[&str] = &[
    "fn f() {\n",
    "}\n",
    "let x = 1;\r\n",
    "\r",
    "\n",
    "\r\n",
    "猫",
    "🙂",
    "e\u{301}",
    "👩‍👩‍👧",
    "\u{2028}",
    "\u{b}",
    "if a { b }",
    "\"str\"",
    "// note\n",
    "(",
    ")",
    "x",
    " ",
    "\t",
    "struct S { a: u8 }\r",
    "match x { _ => 1 }\n",
    "'",
    "/*",
    "*/",
];

/// Ten thousand edits in each encoding.
///
/// After each, the document must agree with the reference.
#[test]
fn follows_any_edits_in_any_encoding() {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut editor = Reference { text: "fn main() {}\n".to_owned(), encoding };
        let mut document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &editor.text);
        for version in 1..=10_000 {
            let mut changes = Vec::new();
            for _ in 0..rng.random_range(1..3) {
                let start = editor.random_place(&mut rng);
                // Mostly typing; sometimes a deletion or a replacement, mostly short.
                let mut end = start;
                if rng.random_ratio(1, 3) || editor.text.len() > 1_500 {
                    end = editor.random_place(&mut rng);
                    if end < start || end - start > 200 && editor.text.len() < 2_500 {
                        end = start;
                    }
                }
                let text: String =
                    (0..rng.random_range(0..3)).map(|_| PIECES[rng.random_range(0..PIECES.len())]).collect();
                let range = Some(editor.position(start)..editor.position(end));
                editor.text.replace_range(start..end, &text);
                changes.push(Change { range, text });
            }
            if rng.random_ratio(1, 500) {
                changes.push(Change { range: None, text: editor.text.clone() });
            }
            let (next, _) = document.edited(&changes, encoding, version).unwrap();
            document = next;
            assert_eq!(document.text(), &editor.text, "{encoding:?}, version {version}");
            let place = editor.random_place(&mut rng);
            let at = position_at(document.text(), place, encoding);
            assert_eq!(at, editor.position(place), "{encoding:?}, version {version}, byte {place}");
            assert_eq!(clamped_byte_at(document.text(), at, encoding), place);
            // Not at each version, so that trees carry over several edits, and later over many.
            if rng.random_ratio(1, if version < 5_000 { 3 } else { 40 }) {
                check_tree(&document, &editor.text);
            }
        }
    }
}

#[test]
fn columns_of_short_and_long_lines_are_counted_alike() {
    let text = ["plain, ", "猫🙂e\u{301}, "].map(|part| part.repeat(300)).concat();
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        for length in [1, 60, 900, 2_000, text.len()] {
            let length = floor_boundary(&text, length);
            let editor = Reference { text: format!("\n{}\r\n", &text[..length]), encoding };
            let document = Document::new(DocumentId::new("untitled:a"), "", 0, &editor.text);
            for byte in (1..=1 + length).filter(|byte| editor.text.is_char_boundary(*byte)) {
                let at = editor.position(byte);
                assert_eq!(position_at(document.text(), byte, encoding), at, "{encoding:?}, byte {byte}");
                assert_eq!(clamped_byte_at(document.text(), at, encoding), byte, "{encoding:?}, {at:?}");
            }
            let beyond = Position::new(1, u32::MAX);
            assert_eq!(clamped_byte_at(document.text(), beyond, encoding), 1 + length);
        }
    }
}

/// Statements that parse without errors in any order, so that only one tree is right.
const STATEMENTS: &[&str] = &[
    "fn f() {}\n",
    "let x = 1;\r\n",
    "// 猫 e\u{301}\n",
    "struct S { a: u8 }\r",
    "const S: &str = \"🙂\";\r\n",
    "impl S { fn g(&self) -> u8 { self.a } }\n",
    "/* 👩‍👩‍👧 */\r",
    "mod m { use a::b; }\n",
    "match x { _ => 1 };\n",
];

/// Ten thousand edits in each encoding that keep the text free of errors.
///
/// The tree must equal that of a fresh parse each time.
#[test]
fn keeps_the_tree_of_a_fresh_parse() {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut statements = vec![STATEMENTS[0]];
        let mut editor = Reference { text: statements.concat(), encoding };
        let mut document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &editor.text);
        for version in 1..=10_000 {
            let first = rng.random_range(0..=statements.len());
            let most = if statements.len() > 30 { 8 } else { 2 };
            let last = (first + rng.random_range(0..most)).min(statements.len());
            let start = statements[..first].concat().len();
            let end = start + statements[first..last].concat().len();
            let new: Vec<&str> = (0..rng.random_range(0..3))
                .map(|_| STATEMENTS[rng.random_range(0..STATEMENTS.len())])
                .collect();
            let text = new.concat();
            statements.splice(first..last, new);
            let range = Some(editor.position(start)..editor.position(end));
            editor.text.replace_range(start..end, &text);
            document = document.edited(&[Change { range, text }], encoding, version).unwrap().0;
            assert_eq!(document.text(), &editor.text);
            assert!(!document.grammar().unwrap().parse_str(&editor.text).unwrap().root_node().has_error());
            check_tree(&document, &editor.text);
        }
    }
}

/// The tree must equal that of a fresh parse of the text.
///
/// A text with errors has no unique tree: error recovery depends on where the parser starts. Then only the
/// extent and the presence of errors must agree.
fn check_tree(document: &Document, text: &str) {
    let fresh = document.grammar().unwrap().parse_str(text).unwrap();
    let ours = document.syntax().unwrap();
    assert_eq!(ours.root_node().has_error(), fresh.root_node().has_error(), "in {text:?}");
    assert!(ours.root_node().end_byte() <= text.len(), "in {text:?}");
    if !fresh.root_node().has_error() {
        assert_eq!(listing(ours), listing(&fresh), "in {text:?}");
    }
}

/// Every node, with its extent in bytes, rows and columns.
fn listing(tree: &Tree) -> Vec<(&str, tree_sitter::Range)> {
    let mut cursor = tree.walk();
    let mut nodes = Vec::new();
    loop {
        let node = cursor.node();
        nodes.push((node.kind(), node.range()));
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.node().parent().is_none() {
            return nodes;
        }
    }
}

#[track_caller]
fn check_change(text: &str, encoding: Encoding, range: [u32; 4], expect: Expect) {
    let document = Document::new(DocumentId::new("a.rs"), "rust", 1, text);
    let range = Position::new(range[0], range[1])..Position::new(range[2], range[3]);
    let change = Change { range: Some(range), text: "X".to_owned() };
    let shown = match document.edited(&[change], encoding, 2) {
        Ok((next, _)) => next.text().to_string(),
        Err(error) => error.to_string(),
    };
    expect.assert_eq(&shown);
}

#[test]
fn clamps_columns_and_refuses_what_cannot_be() {
    check_change("ab\r\ncd", Encoding::Utf16, [0, 9, 0, 9], expect![["abX\r\ncd"]]);
    check_change("ab\rcd", Encoding::Utf16, [1, 0, 1, 1], expect![["ab\rXd"]]);
    check_change("ab\n", Encoding::Utf16, [2, 0, 2, 0], expect![["ab\nX"]]);
    check_change(
        "ab\n",
        Encoding::Utf16,
        [2, 1, 2, 1],
        expect!["a change is at line 2, but the text has 2 lines"],
    );
    check_change(
        "ab",
        Encoding::Utf16,
        [0, 2, 0, 1],
        expect!["a change has a range that ends before it starts"],
    );
    check_change(
        "🙂",
        Encoding::Utf16,
        [0, 1, 0, 2],
        expect!["a change at line 0 splits a character at column 1"],
    );
    check_change(
        "猫",
        Encoding::Utf8,
        [0, 1, 0, 3],
        expect!["a change at line 0 splits a character at column 1"],
    );
    check_change("猫🙂", Encoding::Utf32, [0, 1, 0, 2], expect!["猫X"]);
}

#[test]
fn refuses_a_version_that_goes_back_unless_the_whole_text_comes() {
    let document = Document::new(DocumentId::new("a.rs"), "rust", 5, "a");
    let at = Position::new(0, 0);
    let typed = Change { range: Some(at..at), text: "b".to_owned() };
    let error = document.edited(std::slice::from_ref(&typed), Encoding::Utf16, 4).unwrap_err();
    assert_eq!(error, OutOfSync::VersionWentBack { old: 5, new: 4 });
    let whole = Change { range: None, text: "c".to_owned() };
    let (next, _) = document.edited(&[whole, typed], Encoding::Utf16, 1).unwrap();
    assert_eq!(next.text(), "bc");
}

#[test]
fn an_old_version_keeps_its_text_and_tree() {
    let old = Document::new(DocumentId::new("a.rs"), "rust", 1, "fn a() {}");
    assert!(old.syntax().is_some());
    let at = Position::new(0, 3);
    let (new, _) =
        old.edited(&[Change { range: Some(at..at), text: "b".into() }], Encoding::Utf8, 2).unwrap();
    assert_eq!((old.text().to_string(), new.text().to_string()), ("fn a() {}".into(), "fn ba() {}".into()));
    assert!(old.is_parsed() && !new.is_parsed());
    let before = listing(old.tree().unwrap());
    assert_eq!(new.tree().unwrap().root_node().end_byte(), 10, "an edited tree is there at once");
    assert_eq!(listing(old.tree().unwrap()), before);
}

#[test]
fn finds_whole_lines() {
    let document = Document::new(DocumentId::new("a"), "", 1, "a\r\nbb\rcc\ndd");
    for (span, lines) in
        [(0..0, 0..3), (1..4, 0..6), (3..6, 3..6), (4..7, 3..9), (9..11, 9..11), (11..11, 9..11)]
    {
        assert_eq!(document.whole_lines(span.clone()), lines, "{span:?}");
    }
}

#[test]
fn parts_begin_and_end_with_whole_characters() {
    let text = "\u{feff}a격é\n".repeat(500);
    let document = Document::new(DocumentId::new("file:///a"), "", 0, &text);
    let floor = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
    for start in (0..text.len() - 40).step_by(7) {
        for end in [start, start + 1, start + 2, start + 37] {
            assert_eq!(document.slice(start..end), text[floor(start)..floor(end)], "{start}..{end}");
        }
    }
    assert_eq!(document.slice(text.len() - 2..text.len()), text[floor(text.len() - 2)..]);
}

#[test]
fn text_across_pieces_of_the_rope_is_contained() {
    let text: String = (0..3_000).map(|number| format!("name_{number:04};\n")).collect();
    let document = Document::new(DocumentId::new("a"), "", 0, &text);
    assert!(document.text().chunks().count() > 10);
    for number in 0..3_000 {
        assert!(document.contains(&format!("name_{number:04}")), "{number}");
    }
    for missing in ["name_3000", "name_0000;\nname_0002", "x"] {
        assert!(!document.contains(missing), "{missing}");
    }
    assert!(document.contains("") && document.contains(&text) && !document.contains(&format!("{text} ")));
}

#[test]
fn names_of_a_large_text_are_known_in_every_later_version() {
    let text: String = (0..30_000).map(|number| format!("name_{number:05} $é_{number};\n")).collect();
    let mut document = Document::new(DocumentId::new("a"), "", 0, &text);
    assert!(document.words.is_some() && document.text().chunks().count() > 100);
    for number in 0..30_000 {
        assert!(document.may_have_name(&format!("name_{number:05}")), "{number}");
        assert!(document.may_have_name(&format!("$é_{number}")), "{number}");
    }
    for missing in ["name_30000", "name_0000", "ame_00000", "$name_30000", "x"] {
        assert!(!document.may_have_name(missing), "{missing}");
    }
    let mut runner = TestRunner::new(Config::with_cases(64));
    let edits = (0..text.len(), 0_usize..20, "[a-z_ ]{0,6}");
    let check = |(start, length, new): (usize, usize, String)| {
        let (start, end) = (document.floor_boundary(start), document.floor_boundary(start + length));
        let edited = document.with(start..end, &new);
        let from = edited.line_start(edited.line_start(start).saturating_sub(1));
        let around = edited.slice(from..edited.next_line_start(start + new.len()));
        for word in words(&around) {
            prop_assert!(edited.may_have_name(word), "{word:?} after {start}..{end} became {new:?}");
        }
        Ok(())
    };
    runner.run(&edits, check).unwrap();
    for number in 0..3_000 {
        document = document.with(0..0, &format!("new_{number} "));
    }
    assert!(document.may_have_name("new_0") && document.may_have_name("new_2999"));
    assert!(!document.may_have_name("new_3000"));
}

#[test]
fn a_tree_parsed_of_an_older_version_is_carried_to_the_current_one() {
    let mut runner = TestRunner::new(Config::with_cases(64));
    let edits = proptest::collection::vec((0usize..40, 0usize..4, "[a-z(){};\n]{0,4}"), 1..12);
    runner
        .run(&edits, |edits| {
            let text = "fn one() { a(); }\nfn two() { b(); }\n";
            let parsed = Document::new(DocumentId::new("a.rs"), "rust", 0, text);
            let mut current = Document::new(DocumentId::new("a.rs"), "rust", 0, text);
            let mut since = Vec::new();
            for (start, removed, inserted) in edits {
                let start = start.min(current.text().len_bytes());
                let end = (start + removed).min(current.text().len_bytes());
                let at = |byte| position_at(current.text(), byte, Encoding::Utf8);
                let change = Change { range: Some(at(start)..at(end)), text: inserted };
                let (next, splices) = current.edited(&[change], Encoding::Utf8, 0).unwrap();
                since.extend(splices);
                current = next;
            }
            assert!(current.tree().is_none());
            parsed.syntax();
            let adopted = current.with_tree(parsed.tree().unwrap(), since.iter());
            check_tree(&adopted, &adopted.text().to_string());
            Ok(())
        })
        .unwrap();
}

#[test]
fn many_changes_at_once_keep_the_tree_of_a_fresh_parse() {
    let text = "fn one() { a(); }\nfn two() { b(); }\n".repeat(30);
    let mut runner = TestRunner::new(Config::with_cases(64));
    let edits = proptest::collection::vec((0_usize..40, 0_usize..4, "[a-z(){};\n]{0,4}"), 1..60);
    let check = |edits: Vec<(usize, usize, String)>| {
        let document = Document::new(DocumentId::new("a.rs"), "rust", 0, &text);
        document.syntax();
        let mut end = 0;
        let changes = edits.iter().map_while(|(gap, removed, new)| {
            let start = end + gap;
            end = start + removed;
            (end <= text.len()).then_some((start..end, new.as_str()))
        });
        let changes: Vec<_> = changes.collect();
        let mut expected = text.clone();
        changes.iter().rev().for_each(|(span, new)| expected.replace_range(span.clone(), new));
        let changed = document.with_all(changes.into_iter());
        prop_assert_eq!(&changed.text().to_string(), &expected);
        check_tree(&changed, &expected);
        Ok(())
    };
    runner.run(&edits, check).unwrap();
}
