//! Text in, text out: the cursor is `ˇ`.

use super::*;

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

/// Asks at the cursor of a file that was learned as it stands.
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

/// How sure the first cut is after a prediction, once the text has become `then`.
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

proptest::proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn any_text_gets_an_answer(lines in proptest::collection::vec("[ \\ta-c1(),.é🦀]{0,12}", 0..40), cut in 0usize..300) {
        let text = lines.join("\n");
        let mut cut = cut.min(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut predictor = learned(&text[..cut], &text[cut..]);
        if let Some(prediction) = predictor.predict(&file(), &text[..cut], "", SURE) {
            proptest::prop_assert!(!prediction.text.contains('\n') && !prediction.text.is_empty());
        }
    }
}
