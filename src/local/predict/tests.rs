//! Text in, text out: the cursor is `ˇ`.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::local::limits::CHAIN_TOKENS;

const SURE: Level = Level { target: 0.65, least_chars: 1, is_explicit: true };

fn file() -> DocumentId {
    DocumentId::new("file:///a.rs")
}

fn learned(before: &str, after: &str) -> Predictor {
    let mut predictor = Predictor::default();
    predictor.learn(&file(), "rust", before, after);
    predictor
}

fn predict(predictor: &mut Predictor, before: &str) -> String {
    predictor.predict(&file(), before, "", SURE).map_or("(nothing)".to_owned(), |it| it.text)
}

/// Predicts at the cursor of a file that was learned as is.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (before, after) = text.split_once('ˇ').unwrap();
    assert_eq!(predict(&mut learned(before, after), before), expected, "{text}");
}

#[test]
fn same_tokens_lead_to_what_followed_them() {
    let lines = "    self.queue.push(item);\n    self.queue.push(other);\n".repeat(3);
    check(&format!("{lines}    self.quˇ\n"), "eue.push(");
}

/// Predicts before the closers right of the cursor of a file that was learned as is.
#[track_caller]
fn check_before_closers(text: &str, expected: &str) {
    let (before, after) = text.split_once('ˇ').unwrap();
    let rest = after.split('\n').next().unwrap();
    let predicted = learned(before, after).predict(&file(), before, rest, SURE);
    assert_eq!(predicted.map_or("(nothing)".to_owned(), |it| it.text), expected, "{text}");
}

#[test]
fn what_the_closers_after_the_cursor_close_is_left_to_them() {
    let lines = "    let a = vec![f(1), f(2)];\n".repeat(6);
    check_before_closers(&format!("{lines}    let a = vec![ˇ];\n"), "f(1), f(2)");
    let lines = "    foo(bar(self.items));\n".repeat(6);
    check_before_closers(&format!("{lines}    foo(ˇ)\n"), "bar(self.items)");
    check_before_closers(&format!("{lines}    foo(ˇ);\n"), "bar(self.items)");
    let lines = "    it(\"works\", run);\n".repeat(6);
    check_before_closers(&format!("{lines}    it(\"ˇ\")\n"), "works");
    check_before_closers(&format!("{lines}    it(ˇ)\n"), "\"works\", run");
}

#[test]
fn shape_carries_a_new_name_along() {
    check("self.width = width\nself.depth = depth\nself.color = color\nself.height = ˇ\n", "height");
}

#[test]
fn field_gets_the_type_of_those_above() {
    check("struct Size {\n    width: u32,\n    height: u32,\n    depth: u32,\n    color: ˇ\n}\n", "u32");
}

#[test]
fn word_goes_on_from_its_letters() {
    let lines = "let configuration = load();\nrun(configuration);\nstop(configuration);\n".repeat(2);
    check(&format!("{lines}drop(confiˇ"), "guration);");
}

#[test]
fn what_stands_below_is_known_too() {
    let lines = "    self.queue.push(item);\n".repeat(3);
    check(&format!("    self.queˇ\n{lines}"), "ue");
}

#[test]
fn nothing_is_known_of_an_empty_file() {
    check("ˇ", "(nothing)");
    check("\n\n  ˇ\n", "(nothing)");
    check("zebra quokkaˇ", "(nothing)");
    assert_eq!(predict(&mut Predictor::default(), "a\na\na\n"), "(nothing)", "a file that is not learned");
}

#[test]
fn white_space_that_is_typed_is_not_repeated() {
    let lines = "if ready == true {\n}\n".repeat(4);
    check(&format!("{lines}if ready ==ˇ\n"), " true");
    check(&format!("{lines}if ready == ˇ\n"), "true");
}

#[test]
fn what_stands_behind_the_cursor_is_not_repeated() {
    let lines = "drop(configuration);\n".repeat(6);
    let text = format!("{lines}drop(conf");
    let mut predictor = learned(&text, "");
    for (rest, expected) in
        [("", "iguration);"), (");", "iguration"), (")", "iguration"), (" + 1", "(nothing)")]
    {
        let predicted = predictor.predict(&file(), &text, rest, SURE).map(|it| it.text);
        assert_eq!(predicted.as_deref().unwrap_or("(nothing)"), expected, "{rest}");
    }
}

#[test]
fn lines_typed_since_are_learned_once_each() {
    let mut predictor = learned("", "");
    let mut text = String::new();
    let long = "x + ".repeat(LINE_BYTES);
    for name in ["one", "two", "three", "four"] {
        text += &format!("    emit(&mut {name}, buffer);\n\n{long}\n");
        predict(&mut predictor, &text);
    }
    let tokens = |predictor: &Predictor| predictor.files[&file()].log.tokens.len();
    let before = tokens(&predictor);
    predict(&mut predictor, &text);
    assert_eq!(tokens(&predictor), before);
    assert_eq!(predict(&mut predictor, &format!("{text}    emit(&m")), "ut");
}

#[test]
fn neighbor_is_asked_where_the_file_knows_nothing() {
    let settings = "\nlet settings = Settings::load(path)?;".repeat(4);
    let other = DocumentId::new("b");
    let ask = |predictor: &mut Predictor| predict(predictor, "let settings = Settings");
    for (language, expected) in [("rust", ":"), ("python", "(nothing)")] {
        let mut predictor = learned("", "");
        predictor.learn(&other, language, "", &settings);
        assert_eq!(ask(&mut predictor), expected, "{language}");
        predictor.forget(&other);
        assert_eq!(ask(&mut predictor), "(nothing)", "{language}, forgotten");
    }
}

/// The probability of the first cut after a prediction, once the text has become `then`.
fn chance_after(then: &str) -> f32 {
    let text = "a.b(c);\na.b(d);\na.b(c);\n".repeat(4);
    let mut predictor = learned(&text, "");
    let line = format!("{text}a.");
    assert_eq!(predict(&mut predictor, &line), "b");
    predictor.cuts(&file(), &format!("{text}{then}"));
    predictor.cuts(&file(), &line).map_or(0.0, |(_, cuts)| cuts[0].chance())
}

#[test]
fn refused_prediction_lets_the_next_be_surer() {
    let [asked_again, taken, moved] = ["a.", "a.b", "z"].map(chance_after);
    assert!(chance_after("a.x") < asked_again);
    assert!(asked_again == taken && taken == moved);
}

#[test]
fn files_are_forgotten_beyond_a_bound() {
    let mut predictor = Predictor::default();
    let name = |number: usize| DocumentId::new(&format!("{number}"));
    for number in 0..24 {
        let text: String =
            (0..2500).map(|line| format!("\nlet a_{number} = b.c(d_{line}, {number});")).collect();
        predictor.learn(&name(number), "rust", "", &text);
        assert!(predictor.bytes() <= MEMORY_BYTES);
    }
    assert!(predictor.knows(&name(23)) && !predictor.knows(&name(0)));
    (0..24).for_each(|number| predictor.forget(&name(number)));
    let uses = |word| predictor.vocabulary.uses(word).count;
    assert_eq!(predictor.vocabulary.words("a_", false).map(uses).sum::<u32>(), 0);
}

#[test]
fn files_that_no_other_looks_at_are_forgotten() {
    let mut predictor = Predictor::default();
    let name = |number: usize| DocumentId::new(&format!("{number}"));
    let known = |predictor: &Predictor| (0..13).filter(|it| predictor.knows(&name(*it))).collect::<Vec<_>>();
    // Four of these are inspected: a line has some thirteen tokens.
    let text = "\nlet a = b.c(d, 1);".repeat(1_400);
    (0..12).for_each(|number| predictor.learn(&name(number), "rust", "", &text));
    predictor.learn(&name(12), "python", "", &text);
    assert_eq!(known(&predictor), [7, 8, 9, 10, 11, 12]);
    predictor.learn(&name(7), "rust", "", &text.repeat(8));
    predictor.learn(&name(0), "rust", "", &text);
    assert_eq!(known(&predictor), [0, 7, 8, 9, 10, 11, 12], "the one that was worked on is kept");
    predictor.learn(&name(1), "rust", "", &text);
    assert_eq!(known(&predictor), [0, 1, 9, 10, 11, 12]);
}

#[test]
fn hostile_text_is_bounded() {
    let long = "x y ".repeat(1 << 18);
    let mut predictor = learned(&format!("{long}\n"), &long);
    assert_eq!(predict(&mut predictor, &long), "(nothing)");
    assert_eq!(predictor.vocabulary.words("x", false).count(), 0, "no word of a line without end is learned");
    let many = "a b c d e f g h i j\n".repeat(60_000);
    predictor.learn(&file(), "rust", &many, &many);
    assert!(predictor.knows(&file()), "what is as large as a file may be is not learned again and again");
    for place in [&*long, "\0\0", "ˇ ⟦ 🦀", "\r\n\r", "((((((((((((((((((((((((((("] {
        predict(&mut predictor, place);
    }
}

/// Lines as found in files: code, partial code, data, characters outside the BMP, each with a line end.
fn any_lines() -> impl Strategy<Value = Vec<(String, &'static str)>> {
    let code = vec![
        "let a = b.c(d);",
        "    self.x = x;",
        "if (a",
        "\"é🦀\u{301}\", //",
        "𝒳.𝒴(𝒳);",
        "\u{feff}a\u{200d}b",
        "\t",
    ];
    let code = select(code).prop_map(str::to_owned);
    let data = ("[a-c,0-9]{1,3}", 1_usize..400).prop_map(|(row, times)| row.repeat(times));
    let line = prop_oneof![4 => code, 2 => "[ \\ta-c1(),.é🦀]{0,12}", 1 => data];
    vec((line, select(vec!["\n", "\r\n", "\r"])), 0..30)
}

/// Predicts at each position while lines are typed below `above`. Returns the predictions.
fn typed(predictor: &mut Predictor, above: &str, lines: &[(String, &str)]) -> Vec<Option<String>> {
    let mut before = above.to_owned();
    let mut answers = Vec::new();
    for (line, end) in lines {
        let start = before.len();
        for (at, _) in line.char_indices().take(40).step_by(3) {
            before.truncate(start);
            before.push_str(&line[..at]);
            answers.push(predictor.predict(&file(), &before, "", SURE).map(|it| it.text));
        }
        before.truncate(start);
        before.push_str(line);
        before.push_str(end);
    }
    answers
}

proptest::proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn whatever_is_typed_a_prediction_is_short_and_of_learned_words(
        above in any_lines(),
        below in any_lines(),
        typing in any_lines(),
    ) {
        let text = |lines: &[(String, &str)]| lines.iter().flat_map(|(line, end)| [line, *end]).collect::<String>();
        let (above, below) = (text(&above), text(&below));
        let mut predictor = learned(&above, &below);
        let all = [&*above, &below, &text(&typing)].concat();
        let known: HashSet<&str> = tokens::lex(&all).map(|it| it.text).collect();
        for answer in typed(&mut predictor, &above, &typing).into_iter().flatten() {
            prop_assert!(!answer.is_empty() && !answer.contains(['\n', '\r']), "{answer:?}");
            prop_assert!(answer.len() <= CHAIN_TOKENS * (LINE_BYTES + 1), "{answer:?}");
            // The first piece may be the rest of a partial word.
            let pieces: Vec<_> = tokens::lex(&answer).map(|it| it.text).collect();
            let whole = pieces.iter().skip(1);
            prop_assert!(whole.clone().all(|piece| known.contains(piece)), "{answer:?}");
        }
        prop_assert!(predictor.bytes() <= MEMORY_BYTES);
    }

    #[test]
    fn line_ends_change_nothing(above in any_lines(), typing in any_lines()) {
        let answers = ["\n", "\r\n"].map(|end| {
            let above: String = above.iter().flat_map(|(line, _)| [line, end]).collect();
            let typing: Vec<_> = typing.iter().map(|(line, _)| (line.clone(), end)).collect();
            typed(&mut learned(&above, ""), &above, &typing)
        });
        prop_assert_eq!(&answers[0], &answers[1]);
    }
}

#[test]
fn files_of_the_disk_are_learned_for_an_open_one_while_there_is_room() {
    let settings = "\nlet settings = Settings::load(path)?;\n".repeat(4);
    let other = DocumentId::new("b");
    let mut predictor = learned("", "");
    assert!(!predictor.take_wish_for_neighbors(&other), "it is not open");
    assert!(!predictor.learn_neighbor(&other, &file(), &settings));
    assert!(predictor.take_wish_for_neighbors(&file()));
    assert!(!predictor.take_wish_for_neighbors(&file()), "they are being read");
    assert!(predictor.learn_neighbor(&file(), &other, &settings));
    assert!(!predictor.knows(&other), "what the editor shows is learned when it is opened");
    assert_eq!(predict(&mut predictor, "let settings = Settings"), ":");
    let long =
        |number: usize| (0..4_000).map(|it| format!("a{number} = b{it} + c{it};\n")).collect::<String>();
    let fit = (0..99)
        .take_while(|it| predictor.learn_neighbor(&file(), &DocumentId::new(&format!("{it}")), &long(*it)));
    assert!((1..20).contains(&fit.count()));
    predictor.learn(&other, "rust", &settings, "");
    predictor.forget_neighbors();
    assert_eq!(predictor.files.len(), 2, "only the open ones are left");
    assert!(predictor.take_wish_for_neighbors(&file()), "they may be learned again");
    assert!(predictor.learn_neighbor(&file(), &DocumentId::new("c"), &settings));
    predictor.forget(&file());
    assert_eq!(predictor.files.len(), 2, "`b` is open");
    predictor.forget(&other);
    assert_eq!(predictor.files.len(), 0);
}
