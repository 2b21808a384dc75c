use super::*;
use crate::grammar::Grammar;

/// Checks the whole chain: the suggestion at `ˇ` for a reply, as one chunk and character by character.
#[track_caller]
pub(super) fn check(marked: &str, reply: &str, expected: &str) {
    check_in(None, marked, reply, expected);
}

#[track_caller]
pub(super) fn check_in(grammar: Option<&'static Grammar>, marked: &str, reply: &str, expected: &str) {
    let (before, after) = marked.split_once('ˇ').unwrap();
    let context = CursorContext { before, after, grammar, max_lines: 8, facts: &CursorFacts::default() };
    let outcome = |pieces: &[&str]| {
        let mut ghost = Ghost::new(context);
        for piece in pieces {
            if ghost.push(piece).is_break() {
                break;
            }
        }
        ghost.finish(true).unwrap_or_else(|refusal| format!("refused: {}", refusal.code()))
    };
    assert_eq!(outcome(&[reply]), expected, "whole");
    let letters: Vec<&str> = reply.split_inclusive(|_| true).collect();
    assert_eq!(outcome(&letters), expected, "letter by letter");
}

#[test]
fn a_plain_suggestion_passes() {
    check("let total = ˇ\n", "price * count;", "price * count;");
    check("fn f() {\n    ˇ\n}\n", "let a = 1;\n    a + 1", "let a = 1;\n    a + 1");
    check("naïve = ˇ", "\"é\"", "\"é\"");
}

#[test]
fn lines_before_code_end_with_their_line() {
    let class = "@es5ClassCompat\n";
    check("ˇexport class T {\n}\n", class, class);
    check("ˇexport class T {\n}\n", "@es5ClassCompat\nexport class T {\n}\n", class);
    check("ˇexport class T {\n}\n", "@a\n@b({\n  c: 1,\n})\n", "@a\n@b({\n  c: 1,\n})\n");
    check("class A {\n    ˇfoo();\n}\n", "bar();\n", "bar();\n    ");
    check("class A {\n    ˇfoo();\n}\n", "bar();\n    foo();\n}", "bar();\n    ");
    check("class A {\r\n\tˇfoo();\r\n}\r\n", "bar();\r\n\tfoo();", "bar();\r\n\t");
    check("ˇfn b() {}\n", "fn a() {}\n\n", "fn a() {}\n\n");
    check("    ˇfoo();\n", "bar();\n    baz", "bar();\n    ");
    check("    ˇfoo();\n    after();\n", "bar();\n    after();\n", "bar();\n    ");
    // A fragment of the code's own line has no line end.
    check("    ˇfoo();\n", "await ", "await ");
    check("let a = ˇfoo();\n", "await \n", "await ");
    check("let a = ˇb\n", "first() +\n", "first() +");
}

#[test]
fn signs_that_cannot_be_seen_are_not_shown() {
    check("let total = ˇ\n", "\"\u{202e}price\";", "refused: invisible-characters");
    check("let total = \"\u{200b}\" + ˇ\n", "\"\u{200b}price\";", "\"\u{200b}price\";");
    let context = CursorContext {
        before: "let a = ",
        after: "\n",
        grammar: None,
        max_lines: 8,
        facts: &CursorFacts::default(),
    };
    for (allow, shown) in [(false, None), (true, Some("f(\"\u{7}\");\n    g();"))] {
        let mut ghost = Ghost::new(context).allowing_invisible(allow);
        assert!(ghost.push("f(\"\u{7}\");\n    g();\n").is_continue());
        assert_eq!(ghost.complete_statements(Reach::Statement).as_deref(), shown);
    }
}

#[test]
fn nothing_has_a_reason() {
    check("let a = ˇ", "", "refused: empty");
    check("let a = ˇ", " \n\n ", "refused: empty");
    check("let a = bˇ", ";", "refused: empty");
}

#[test]
fn a_cut_stream_loses_its_last_line() {
    let context = CursorContext {
        before: "    ",
        after: "",
        grammar: None,
        max_lines: 8,
        facts: &CursorFacts::default(),
    };
    let mut ghost = Ghost::new(context);
    assert!(ghost.push("let a = 1;\n    let b = com").is_continue());
    assert_eq!(ghost.finish(false).as_deref(), Ok("let a = 1;"));
    let mut ghost = Ghost::new(context);
    assert!(ghost.push("let a = com").is_continue());
    assert_eq!(ghost.finish(false), Err(Refusal::Truncated { inside: "its first line" }));
    assert!(ghost.push(&".inner".repeat(9)).is_continue());
    assert_eq!(ghost.finish(false), Err(Refusal::Repetition));
}

#[test]
fn a_line_that_is_being_written_has_beginnings_of_whole_words() {
    let check = |marked: &str, reply: &str, expected: &[&str]| {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let facts = CursorFacts::default();
        let mut ghost =
            Ghost::new(CursorContext { before, after, grammar: None, max_lines: 8, facts: &facts });
        assert!(ghost.push(reply).is_continue());
        let beginnings = ghost.beginnings();
        assert_eq!(beginnings[..beginnings.len().min(3)], *expected, "{reply}");
    };
    check("let a = ˇ\n", "self.due(now_o", &["self.due(", "self.due", "self."]);
    check("let a = ˇ\n", "self.due(now_of) ", &["self.due(now_of)", "self.due(now_of", "self.due("]);
    check("fn f() {ˇ\n}\n", "\n    let naï", &["\n    let"]);
    check("let a = ˇ\n", "compu", &[]);
    check("ˇ\n", "I'm sorry, but I can", &[]);
    check("let a = ˇ\n", &format!("b.{}", "inner.".repeat(9)), &[]);
    // Only whole lines go before code on its own line, so a partial line cannot be shown.
    check("    ˇfoo();\n", "bar(1).b", &[]);
}

#[test]
fn a_stream_is_dropped_once_its_end_is_known() {
    let context = CursorContext {
        before: "fn f() {\n    ",
        after: "\n}\n",
        grammar: None,
        max_lines: 8,
        facts: &CursorFacts::default(),
    };
    let mut ghost = Ghost::new(context);
    assert!(ghost.push("work();\n").is_continue());
    assert!(ghost.push("}\n").is_break());
    assert!(ghost.push("fn other() {}").is_break());
    assert_eq!(ghost.finish(false).as_deref(), Ok("work();"));
}

#[test]
fn endless_replies_are_bounded() {
    let context = CursorContext {
        before: "x = ",
        after: "",
        grammar: None,
        max_lines: 8,
        facts: &CursorFacts::default(),
    };
    let mut ghost = Ghost::new(context);
    let pushed = (0..100_000).take_while(|n| ghost.push(&n.to_string()).is_continue()).count();
    assert!(pushed < MAX_BYTES);
}
