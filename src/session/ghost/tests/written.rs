//! Suggestions that are typed as they are shown count as used.

use super::*;

/// Plays the steps; each time something is on screen, the editor says that it drew it, unless it `hides` it.
///
/// Returns how many suggestions were shown, accepted and rejected.
fn counts(steps: &[Step], hides: bool) -> (u64, u64, u64) {
    let mut play = Play::start("let x = ˇ;\n");
    for step in steps {
        play.step(step);
        let point = CompletionPoint::at(play.cursor);
        let (numbers, now) = (&mut play.numbers, play.now);
        let items = play.session.ghost(&play.id).expect("the file is open").show(&point, 1, now, || {
            *numbers += 1;
            *numbers
        });
        for item in items.iter().filter(|_| !hides) {
            assert!(play.session.feedback().mark_drawn(item.id));
        }
    }
    let counts = play.session.user().counts().values();
    counts.fold((0, 0, 0), |sum, it| (sum.0 + it.shown, sum.1 + it.accepted, sum.2 + it.rejected))
}

#[test]
fn suggestion_typed_as_shown_is_accepted() {
    let asked = [Ask(1), Done(1, "load(db)", "load(db)"), Wait(200)];
    let count = |more: &[Step]| {
        let steps: Vec<Step> = asked.iter().chain(more).cloned().collect();
        counts(&steps, false)
    };
    assert_eq!(count(&[Type("load"), Type("("), Type("db"), Type(")")]), (1, 1, 0));
    // An editor that pairs brackets.
    assert_eq!(count(&[Type("load"), Type("("), Pair(")"), Type("db")]), (1, 1, 0));
    // The report of an accepted one comes after its change, and counts once.
    assert_eq!(count(&[Type("load(db)"), Accept(1)]), (1, 1, 0));
    // Taken back and typed again.
    assert_eq!(count(&[Type("load(db)"), Back(3), Type("db)")]), (1, 1, 0));
    assert_eq!(count(&[Type("load"), Type("(id)")]), (1, 0, 0));
    assert_eq!(count(&[Type("lo")]), (1, 0, 0));
}

#[test]
fn suggestion_that_was_not_read_is_not_accepted_by_typing() {
    let typed = [Type("load"), Type("(db)")];
    let steps = |asked: &[Step]| -> Vec<Step> { asked.iter().chain(&typed).cloned().collect() };
    let asked = [Ask(1), Done(1, "load(db)", "load(db)"), Wait(200)];
    assert_eq!(counts(&steps(&asked), true), (0, 0, 0));
    // The keys came sooner than the eyes.
    assert_eq!(counts(&steps(&asked[..2]), false), (1, 0, 0));
    // A bracket is typed without being read.
    let short = [Ask(1), Done(1, "a)", "a)"), Wait(200), Type("a)")];
    assert_eq!(counts(&short, false), (1, 0, 0));
}
