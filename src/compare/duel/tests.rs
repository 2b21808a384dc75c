use expect_test::{Expect, expect};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;

const NAMES: [&str; 2] = ["old", "new"];
const LIMITS: Limits = Limits { max_refused: 0.2, max_p95_ms: Some(800), dollars: 1.0 };

/// Simulates a duel with at most `most` pairs; returns its outcome and the number of pairs.
///
/// The answers differ at the share `differ` of the pauses. There an answer is lost, kept or kept in part. Blocks of
/// pauses go well or badly for both models, and shown answers are kept more often than hidden ones. On average half
/// of an answer is kept, so the canary's answer is also lost as often as the `planted` difference requires.
fn stream(seed: u64, planted: f64, differ: f64, most: usize) -> (Option<End>, usize) {
    let limits = Limits { max_p95_ms: None, ..LIMITS };
    let mut random = StdRng::seed_from_u64(seed);
    let mut duel = Duel::default();
    let mut block = 0.0;
    for at in 0..most {
        if at % 8 == 0 {
            block = (random.random::<f64>() - 0.5) * 0.4;
        }
        let is_canary_shown = random.random::<bool>();
        let is_same = random.random::<f64>() >= differ;
        let score = |random: &mut StdRng, is_shown: bool, besides: f64| {
            let lost = 0.35 + block - if is_shown { 0.1 } else { 0.0 };
            let share = match random.random::<f64>() {
                _ if random.random::<f64>() < besides => 0.0,
                it if it < lost => 0.0,
                it if it < lost + 0.3 => 1.0,
                _ => random.random::<f64>(),
            };
            Score { suggested: 100, kept: (share * 100.0) as usize, milliseconds: Some(100) }
        };
        let model = score(&mut random, !is_canary_shown, 0.0);
        let canary = score(&mut random, is_canary_shown, -planted / differ / 0.5);
        duel.record(&Entry::Pair { is_canary_shown, is_same, scores: [model, canary], dollars: 0.0 });
        if let Some(Entry::Ended { end, .. }) = duel.check_end(&limits, NAMES) {
            return (Some(end), at + 1);
        }
    }
    (None, most)
}

#[test]
fn equal_canary_is_rarely_sent_back_though_it_is_looked_at_after_each_pair() {
    for differ in [0.35, 0.5] {
        let ends: Vec<_> = (0..1_000).map(|seed| stream(seed, 0.0, differ, 300).0).collect();
        let [back, kept] =
            [End::Worse, End::Better].map(|end| ends.iter().filter(|it| **it == Some(end)).count());
        assert!(back <= 50 && kept <= 25, "of 1000 streams {back} ended as worse, and {kept} as better");
    }
}

#[test]
fn loss_of_ten_points_is_mostly_undone_within_150_pairs() {
    let check = |differ: f64, least: usize, latest: usize| {
        let streams: Vec<_> = (0..1_000).map(|seed| stream(seed, -0.1, differ, 150)).collect();
        let undone = streams.iter().filter(|(end, _)| *end == Some(End::Worse)).count();
        let mut pairs: Vec<usize> = streams.iter().map(|(_, pairs)| *pairs).collect();
        pairs.sort_unstable();
        assert!(
            undone >= least && pairs[500] <= latest,
            "{differ}: {undone}, in the middle after {}",
            pairs[500]
        );
        assert!(streams.iter().all(|(end, _)| *end != Some(End::Better)));
    };
    check(0.35, 830, 80);
    check(0.5, 730, 100);
}

fn pair(is_canary_shown: bool, kept: [usize; 2], milliseconds: u64) -> Entry {
    let scores = kept.map(|kept| Score { suggested: 10, kept, milliseconds: Some(milliseconds) });
    Entry::Pair { is_canary_shown, is_same: kept[0] == kept[1], scores, dollars: 0.001 }
}

/// Checks the line of a duel after these entries, and its end.
fn check(entries: impl IntoIterator<Item = Entry>, expect: Expect) {
    let mut duel = Duel::default();
    entries.into_iter().for_each(|entry| duel.record(&entry));
    let mut said = duel.line(&LIMITS, NAMES);
    if let Some(end) = duel.check_end(&LIMITS, NAMES) {
        duel.record(&end);
        said = format!("{said}\n{}", duel.line(&LIMITS, NAMES));
        assert_eq!(duel.check_end(&LIMITS, NAMES), None, "it ends once");
    }
    expect.assert_eq(&said);
}

#[test]
fn it_ends_at_each_limit_with_one_sentence() {
    let refused = |_| Entry::Refused { why: "there is no such model".to_owned(), dollars: 0.0 };
    check([], expect!["canary new: 0 pairs, too few to compare it with old; $0.00 of $1"]);
    check(
        (0..9).map(refused),
        expect!["canary new: 0 pairs, 9 failed, too few to compare it with old; $0.00 of $1"],
    );
    check(
        (0..10).map(refused),
        expect![[r#"
        canary new: 0 pairs, 10 failed, too few to compare it with old; $0.00 of $1
        the canary new is asked no more: 10 of 10 requests came to nothing, the last one since there is no such model; old goes on"#]],
    );
    check(
        (0..30).map(|at| pair(at % 2 == 0, [5, 5], 700 + at * 10)),
        expect![[r#"
        canary new: 30 pairs, it keeps 0 ± 0 points more of its text (30 pairs) than old; $0.03 of $1
        the canary new is asked no more: one in 20 of its answers takes 980 ms or more, and 800 are allowed; old goes on"#]],
    );
    check(
        (0..3).map(|_| Entry::Void { dollars: 0.4 }),
        expect![[r#"
        canary new: 0 pairs, too few to compare it with old; $1.20 of $1
        the canary new is asked no more: it has cost $1.20 of $1; old goes on"#]],
    );
    check(
        (0..40).map(|at| pair(at % 2 == 0, [8 + at as usize % 3, 1], 9)),
        expect![[r#"
            canary new: 40 pairs, it keeps 85 ± 9 points less of its text (40 pairs) than old; $0.04 of $1
            the canary new is asked no more: it keeps 85 points less of its text (40 pairs, wrong in at most 1 of 20 trials); old goes on"#]],
    );
    check(
        (0..40).map(|at| pair(at % 2 == 0, [1, 8 + at as usize % 3], 9)),
        expect![[r#"
        canary new: 40 pairs, it keeps 85 ± 9 points more of its text (40 pairs) than old; $0.04 of $1
        the canary new is asked no more: it keeps 85 ± 9 points more of its text (40 pairs); name it first in `fast.candidates` to keep it; until then old goes on"#]],
    );
}

#[test]
fn coin_alone_makes_no_difference() {
    // The shown answer is kept and the hidden one is not, whichever model made it.
    let shown = |at: u64| if at.is_multiple_of(3) { [2, 9] } else { [9, 2] };
    check(
        (0..200).map(|at| pair(at % 3 == 0, shown(at), 9)),
        expect![
            "canary new: 200 pairs, it keeps 0 ± 2 points more of its text (200 pairs) than old; $0.20 of $1"
        ],
    );
}
