//! Typing, replayed in virtual time: the text on screen after each key, and the cost.

mod model;
mod typist;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use model::Paced;
use typist::{Habits, Key, Played, every, keys, play};

const FUNCTION: &str = "fn area(width: u32, height: u32) -> u32 {\n    let area = ˇ\n    area\n}\n";

/// A model that knows the text that belongs after `= `, and completes any prefix of it.
fn knows(line: &'static str) -> Paced {
    Paced::fast(move |before| {
        let typed = before.rsplit("= ").next().unwrap_or_default();
        line.strip_prefix(typed).unwrap_or("NO_EDITS").to_owned()
    })
}

/// Plays keys and shows the screen and the calls.
async fn check(marked: &str, habits: Habits, model: &Paced, keys: &[Key], expect: Expect) -> Played {
    check_with(json!({}), marked, habits, model, keys, expect).await
}

/// The same with settings.
async fn check_with(
    settings: Value,
    marked: &str,
    habits: Habits,
    model: &Paced,
    keys: &[Key],
    expect: Expect,
) -> Played {
    let played = play(marked, habits, model, keys, settings).await;
    let calls = model.calls().len();
    expect.assert_eq(&format!("{}{} requests, {calls} calls\n", played.screen, played.requests));
    assert_eq!(played.flickers, 0, "something else than the rest was shown");
    played
}

/// A first key, a pause long enough for a suggestion, and then the rest at ten keys a second.
fn after_a_pause(text: &str) -> Vec<Key> {
    let mut keys = every(100, text);
    keys[1].0 = 600;
    keys
}

#[tokio::test(start_paused = true)]
async fn typing_a_suggestion_asks_no_model_and_never_flickers() {
    let keys = after_a_pause("width * height");
    check(
        FUNCTION,
        Habits::EAGER,
        &knows("width * height;"),
        &keys,
        expect![[r#"
               100 w 
               283   "idth * height;"
               700 i "dth * height;"
               800 d "th * height;"
               900 t "h * height;"
              1000 h " * height;"
              1100   "* height;"
              1200 * " height;"
              1300   "height;"
              1400 h "eight;"
              1500 e "ight;"
              1600 i "ght;"
              1700 g "ht;"
              1800 h "t;"
              1900 t ";"
            14 requests, 1 calls
        "#]],
    )
    .await;
    check(
        FUNCTION,
        Habits::NEOVIM,
        &knows("width * height;"),
        &keys,
        expect![[r#"
               100 w 
               343   "idth * height;"
               700 i "dth * height;"
               800 d "th * height;"
               900 t "h * height;"
              1000 h " * height;"
              1100   "* height;"
              1200 * " height;"
              1300   "height;"
              1400 h "eight;"
              1500 e "ight;"
              1600 i "ght;"
              1700 g "ht;"
              1800 h "t;"
              1900 t ";"
            2 requests, 1 calls
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn closers_that_the_editor_pairs_do_not_disturb() {
    let pairs = Habits { pairs: true, ..Habits::EAGER };
    let keys = after_a_pause("max(width, height)");
    check(
        FUNCTION,
        pairs,
        &knows("max(width, height);"),
        &keys,
        expect![[r#"
               100 m 
               284   "ax(width, height);"
               700 a "x(width, height);"
               800 x "(width, height);"
               900 ( "width, height);"
              1000 w "idth, height);"
              1100 i "dth, height);"
              1200 d "th, height);"
              1300 t "h, height);"
              1400 h ", height);"
              1500 , " height);"
              1600   "height);"
              1700 h "eight);"
              1800 e "ight);"
              1900 i "ght);"
              2000 g "ht);"
              2100 h "t);"
              2200 t ");"
              2300 ) ";"
            18 requests, 1 calls
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_diverges_hides_it_and_a_backspace_brings_it_back() {
    let mut keys = after_a_pause("wix");
    keys.push((100, "⌫".to_owned()));
    keys.extend(every(100, "dth"));
    check(
        FUNCTION,
        Habits::EAGER,
        &knows("width * height;"),
        &keys,
        expect![[r#"
               100 w 
               283   "idth * height;"
               700 i "dth * height;"
               800 x 
               900 ⌫ 
               900   "dth * height;"
              1000 d "th * height;"
              1100 t "h * height;"
              1200 h " * height;"
            7 requests, 1 calls
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_is_joined_by_what_is_typed_meanwhile() {
    // 30 tokens a second: the suggestion grows while it is typed through, and one call provides all of it.
    let model = Paced::new(Duration::from_millis(250), 30, |before| {
        let typed = before.rsplit("= ").next().unwrap_or_default();
        "width.checked_mul(height).unwrap_or(u32::MAX);".strip_prefix(typed).unwrap_or("NO_EDITS").to_owned()
    });
    let mut keys = every(100, "w");
    keys.push((560, "i".to_owned()));
    keys.extend(every(160, "dth.c"));
    check(
        FUNCTION,
        Habits::EAGER,
        &model,
        &keys,
        expect![[r#"
               100 w 
               660 i 
               820 d 
               864   "th.checked_mul(height).unwrap_or(u32::MAX);"
               980 t "h.checked_mul(height).unwrap_or(u32::MAX);"
              1140 h ".checked_mul(height).unwrap_or(u32::MAX);"
              1300 . "checked_mul(height).unwrap_or(u32::MAX);"
              1460 c "hecked_mul(height).unwrap_or(u32::MAX);"
            7 requests, 1 calls
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_first_statement_is_shown_before_the_rest_is_written() {
    // 20 tokens a second: the first statement is complete after half a second, the rest after two more.
    let model = Paced::new(Duration::from_millis(100), 20, |_| {
        "= width * height;\n    let twice = area + area;\n    let more = twice + width * height;\n".to_owned()
    });
    let mut keys = every(100, " ");
    keys.extend([(1_500, "= width * height;".to_owned()), (1_500, "\n".to_owned())]);
    check(
        "fn area() {\n    let areaˇ\n}\n",
        Habits::EAGER,
        &model,
        &keys,
        expect![[r#"
               100   
               540   "= width * height;"
              1600 = width * height; 
              1600   "\n    let twice = area + area;\n    let more = twice + width * height;"
              3100 ⏎ "let twice = area + area;\n    let more = twice + width * height;"
            3 requests, 1 calls
        "#]],
    )
    .await;
}

/// A model that predicts the next line of a list.
fn counts_up() -> Paced {
    Paced::fast(|before| {
        let typed = before.trim_start_matches("fn list() {").trim_start();
        let next = typed.matches(';').count();
        let line = typed.rsplit('\n').next().unwrap_or_default().trim_start();
        let wanted = format!("item({next});");
        match wanted.strip_prefix(line) {
            Some(rest) => rest.to_owned(),
            None => format!("\n    {wanted}"),
        }
    })
}

#[tokio::test(start_paused = true)]
async fn what_follows_is_there_when_a_suggestion_is_accepted() {
    let keys = [(100, "i"), (1_000, "tem(0);"), (300, "\n"), (300, "i"), (300, "tem(1);")];
    let keys: Vec<Key> = keys.map(|(time, key)| (time, key.to_owned())).into();
    let ahead = json!({ "speculate": true });
    let marked = "fn list() {\n    ˇ\n}\n";
    check_with(
        ahead,
        marked,
        Habits::EAGER,
        &counts_up(),
        &keys,
        expect![[r#"
               100 i 
               281   "tem(0);"
              1100 tem(0); 
              1100   "\n    item(1);"
              1400 ⏎ "item(1);"
              1700 i "tem(1);"
              2000 tem(1); 
              2000   "\n    item(2);"
            5 requests, 4 calls
        "#]],
    )
    .await;
    check(
        marked,
        Habits::EAGER,
        &counts_up(),
        &keys,
        expect![[r#"
               100 i 
               281   "tem(0);"
              1100 tem(0); 
              1266   "\n    item(1);"
              1400 ⏎ "item(1);"
              1700 i "tem(1);"
              2000 tem(1); 
              2166   "\n    item(2);"
            5 requests, 3 calls
        "#]],
    )
    .await;
}

/// The cost of a played fixture.
struct Cost {
    calls: usize,
    tokens: u64,
    /// Tokens of calls whose text was never on screen.
    unseen: u64,
}

/// Plays a fixture with a model that is right about the rest of the line in `right` of ten cases.
async fn cost(fixture: &str, habits: Habits, right: u64, settings: Value) -> (Played, Cost) {
    let keys = keys(fixture);
    let target: String = keys.iter().fold(String::new(), |mut text, (_, key)| {
        if key == "⌫" {
            text.pop();
        } else {
            text.push_str(key);
        }
        text
    });
    let lines: Vec<String> = target.lines().map(str::to_owned).collect();
    let model = Paced::fast(move |before| {
        let mut above = before.rsplit('\n');
        let line = above.next().unwrap_or_default().trim_start();
        let last = above.next().unwrap_or_default().trim_start();
        let at = lines.iter().position(|it| it == last).map_or(0, |at| at + 1);
        let mut hasher = DefaultHasher::new();
        (line, last).hash(&mut hasher);
        let dice = hasher.finish();
        match lines.get(at).and_then(|it| it.strip_prefix(line)) {
            Some(rest) if dice % 10 < right => rest.to_owned(),
            // A wrong reply is code as well.
            Some(_) => other_names(&lines[at])[line.len()..].to_owned(),
            None => "NO_EDITS".to_owned(),
        }
    });
    let played = play("fn typed() {\n    ˇ\n}\n", habits, &model, &keys, settings).await;
    let calls = model.calls();
    let seen = |text: &str| played.shown.iter().any(|shown| !text.is_empty() && text.contains(shown.trim()));
    let cost = Cost {
        calls: calls.len(),
        tokens: calls.iter().map(|call| call.tokens).sum(),
        unseen: calls.iter().filter(|call| !seen(&call.text)).map(|call| call.tokens).sum(),
    };
    (played, cost)
}

/// The line with other names.
fn other_names(line: &str) -> String {
    let mut other = String::new();
    for word in line.split_inclusive(|letter: char| !letter.is_ascii_lowercase()) {
        let name = word.trim_end_matches(|letter: char| !letter.is_ascii_lowercase());
        let next = |letter: u8| if letter == b'z' { 'a' } else { char::from(letter + 1) };
        match name {
            "let" | "self" | "mut" | "usize" | "len" | "max" => other += name,
            name => other.extend(name.bytes().map(next)),
        }
        other += &word[name.len()..];
    }
    other
}

/// Plays a fixture with each kind of editor behavior, and shows the cost.
async fn check_cost(fixture: &str, right: u64, expect: Expect) {
    let mut shown = String::new();
    for (name, habits) in [("asks at once", Habits::EAGER), ("waits 200 ms", Habits::NEOVIM)] {
        let (played, cost) = cost(fixture, habits, right, json!({})).await;
        shown += &format!(
            "{name}: {} requests, {} calls, {} tokens, {} of them never shown, {} flickers\n",
            played.requests, cost.calls, cost.tokens, cost.unseen, played.flickers
        );
        // At most one token in ten; where hardly any are spent, one for a hundred keys.
        assert!(cost.unseen * 10 <= cost.tokens || cost.unseen * 100 <= played.requests as u64, "{shown}");
        assert_eq!(played.flickers, 0, "{shown}");
    }
    expect.assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn a_minute_at_20_keys_a_second_without_a_pause() {
    check_cost(
        include_str!("replay/steady.keys"),
        6,
        expect![[r#"
            asks at once: 1200 requests, 9 calls, 27 tokens, 3 of them never shown, 0 flickers
            waits 200 ms: 1 requests, 1 calls, 0 tokens, 0 of them never shown, 0 flickers
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_minute_of_runs_at_20_keys_a_second_with_pauses() {
    check_cost(
        include_str!("replay/human.keys"),
        6,
        expect![[r#"
            asks at once: 772 requests, 28 calls, 186 tokens, 16 of them never shown, 0 flickers
            waits 200 ms: 26 requests, 21 calls, 173 tokens, 6 of them never shown, 0 flickers
        "#]],
    )
    .await;
    check_cost(
        include_str!("replay/human.keys"),
        0,
        expect![[r#"
            asks at once: 772 requests, 33 calls, 205 tokens, 16 of them never shown, 0 flickers
            waits 200 ms: 26 requests, 26 calls, 195 tokens, 6 of them never shown, 0 flickers
        "#]],
    )
    .await;
}

/// Looking ahead wastes more than one token in ten, so it is off by default.
#[tokio::test(start_paused = true)]
async fn a_minute_of_looking_ahead() {
    let fixture = include_str!("replay/human.keys");
    let (_, cost) = cost(fixture, Habits::EAGER, 6, json!({ "speculate": true })).await;
    let shown = format!("{} calls, {} tokens, {} of them never shown", cost.calls, cost.tokens, cost.unseen);
    expect!["47 calls, 198 tokens, 28 of them never shown"].assert_eq(&shown);
}
