//! Text in, text out: the cursor is `ˇ`.

use super::*;

const SURE: Level = Level { target: 0.65, least_chars: 1 };

fn predict(predictor: &mut Predictor, before: &str) -> String {
    predictor.predict(before, SURE).map_or("(nothing)".to_owned(), |it| it.text)
}

/// Asks at the cursor of a file that was learned as it stands.
fn check(text: &str, expected: &str) {
    let (before, after) = text.split_once('ˇ').unwrap();
    let mut predictor = Predictor::of_file(before, after);
    assert_eq!(predict(&mut predictor, before), expected, "{text}");
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
fn word_goes_on_from_its_letters() {
    let lines = "let configuration = load();\nrun(configuration);\nstop(configuration);\n".repeat(2);
    check(&format!("{lines}drop(confiˇ"), "guration);");
}

#[test]
fn nothing_is_known_of_an_empty_file() {
    check("ˇ", "(nothing)");
    check("\n\n  ˇ\n", "(nothing)");
    check("zebra quokkaˇ", "(nothing)");
}

#[test]
fn white_space_that_is_typed_is_not_repeated() {
    let lines = "if ready == true {\n}\n".repeat(4);
    check(&format!("{lines}if ready ==ˇ\n"), " true {");
    check(&format!("{lines}if ready == ˇ\n"), "true {");
}

#[test]
fn lines_typed_since_are_learned_once_each() {
    let mut predictor = Predictor::of_file("", "");
    let mut text = String::new();
    for name in ["one", "two", "three", "four"] {
        text += &format!("    emit(&mut {name}, buffer);\n");
        predict(&mut predictor, &text);
    }
    let tokens = predictor.file.len();
    predict(&mut predictor, &text);
    assert_eq!(predictor.file.len(), tokens);
    assert_eq!(predict(&mut predictor, &format!("{text}    emit(&m")), "ut ");
}

#[test]
fn neighbor_is_asked_where_the_file_knows_nothing() {
    let mut predictor = Predictor::of_file("", "");
    predictor.learn_neighbor(&"let settings = Settings::load(path)?;\n".repeat(4));
    assert_eq!(predict(&mut predictor, "let settings = Se"), "ttings::load(path)?;");
}

#[test]
fn refused_predictions_have_to_be_surer() {
    let text = "a.b(c);\na.b(d);\na.b(c);\na.b(";
    let mut predictor = Predictor::of_file(text, "");
    let chance = |predictor: &mut Predictor| predictor.cuts(text).1.first().map_or(0.0, Cut::chance);
    let before = chance(&mut predictor);
    predictor.refuse();
    let refused = chance(&mut predictor);
    predictor.accept();
    assert!(refused < before && refused < chance(&mut predictor));
}

#[test]
fn hostile_text_is_bounded() {
    let mut predictor = Predictor::default();
    let long = "x".repeat(1 << 20);
    predictor.learn_file(&format!("{long}\n"), "");
    assert_eq!(predictor.file.len(), 1, "a line without end is not learned");
    let many = "a b c d e f g h i j\n".repeat(60_000);
    predictor.learn_file(&many, "");
    assert!(predictor.is_full() || predictor.file.len() <= FILE_TOKENS);
    predictor.learn_neighbor(&many);
    for place in [&*long, "\0\0", "ˇ ⟦ 🦀", "\r\n\r", "((((((((((((((((((((((((((("] {
        predictor.predict(place, SURE);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gets_an_answer(lines in proptest::collection::vec("[ \\ta-c1(),.é🦀]{0,12}", 0..40), cut in 0usize..300) {
        let text = lines.join("\n");
        let mut cut = cut.min(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut predictor = Predictor::of_file(&text[..cut], &text[cut..]);
        if let Some(prediction) = predictor.predict(&text[..cut], SURE) {
            proptest::prop_assert!(!prediction.text.contains('\n') && !prediction.text.is_empty());
        }
    }
}
