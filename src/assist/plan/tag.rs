//! Chooses the gear of a step.
//!
//! The fast gear makes changes that are quick to make and to check in one file; the deep gear makes the rest.

use super::steps::{Action, Plan, Step, Tag};
use crate::grammar::{self, QueryKind};
use crate::route::{Gear, fits_fast_window, risk};

/// The facts on which the choice depends.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The step.
    pub step: &'a Step,
    /// The size of the file's text in bytes; 0 for a new file.
    pub bytes: usize,
    /// The fast model's limit on input and output tokens together.
    pub fast_window: u32,
}

/// A rule of the table.
struct Rule {
    applies: fn(Facts<'_>) -> bool,
    gear: Gear,
    why: &'static str,
}

/// Longest intent (bytes) that is unlikely to combine several tasks.
const LONG_INTENT: usize = 1_200;
/// Path words of schemas, which other files are written against.
const SCHEMAS: &[&str] =
    &["avsc", "graphql", "openapi", "proto", "schema", "schemas", "swagger", "thrift", "xsd"];
/// Path words of tests, which no other file uses.
const TESTS: &[&str] = &["spec", "specs", "test", "tests"];

/// The rules, of which the first that applies counts.
const RULES: &[Rule] = &[
    Rule { applies: |it| !it.step.needs_model(), gear: Gear::Local, why: "needs no model" },
    Rule { applies: is_critical, gear: Gear::Deep, why: "security" },
    Rule { applies: is_migration, gear: Gear::Deep, why: "a database migration" },
    Rule { applies: |it| has_word(it.step, SCHEMAS), gear: Gear::Deep, why: "a strict schema" },
    Rule {
        applies: |it| !fits_fast_window(it.bytes, it.fast_window),
        gear: Gear::Deep,
        why: "larger than the fast model's window",
    },
    Rule { applies: is_new_module, gear: Gear::Deep, why: "a new module" },
    Rule { applies: |it| it.step.intent.len() > LONG_INTENT, gear: Gear::Deep, why: "many things at once" },
    Rule { applies: |_| true, gear: Gear::Fast, why: "one file, quick to check" },
];

/// The gear for a step by the rules.
pub fn rule(facts: Facts<'_>) -> Tag {
    let rule = RULES.iter().find(|rule| (rule.applies)(facts));
    let (gear, why) = rule.map_or((Gear::Deep, ""), |rule| (rule.gear, rule.why));
    Tag { gear, why: why.to_owned() }
}

/// Tags the steps of a model's plan, given the sizes of their files in bytes.
///
/// The model may choose a deeper gear than the rules, but not a faster one.
pub fn settle(plan: &mut Plan, fast_window: u32, bytes: impl Fn(&Step) -> usize) {
    for step in &mut plan.steps {
        let rule = rule(Facts { step, bytes: bytes(step), fast_window });
        let is_kept = step.tag.as_ref().is_some_and(|tag| tag.gear == Gear::Deep) && rule.gear == Gear::Fast;
        if !is_kept {
            step.tag = Some(rule);
        }
    }
}

/// Tags the steps without a tag; the user's choices are kept.
pub fn fill(plan: &mut Plan, fast_window: u32, bytes: impl Fn(&Step) -> usize) {
    for step in &mut plan.steps {
        if step.tag.is_none() {
            step.tag = Some(rule(Facts { step, bytes: bytes(step), fast_window }));
        }
    }
}

fn is_critical(facts: Facts<'_>) -> bool {
    facts.step.paths().any(risk::is_critical_path) || risk::critical_symbol(&facts.step.intent).is_some()
}

fn is_migration(facts: Facts<'_>) -> bool {
    facts.step.paths().any(|path| risk::is_migration(path, &facts.step.intent))
}

fn is_new_module(facts: Facts<'_>) -> bool {
    // In a language without calls, a new file is not a new module.
    let grammar = grammar::by_path(facts.step.path.as_ref());
    let is_code = grammar.is_some_and(|grammar| grammar.query(QueryKind::References).is_some());
    facts.step.action == Action::Create && is_code && !has_word(facts.step, TESTS)
}

/// Whether one of the step's paths contains one of these words.
fn has_word(step: &Step, words: &[&str]) -> bool {
    let mut parts = step.paths().flat_map(|path| path.split(|it: char| !it.is_alphanumeric()));
    parts.any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::text;
    use super::*;

    /// Checks the tags of the steps, each of a file of `bytes` bytes.
    fn check(bytes: usize, steps: &str, expect: Expect) {
        let mut plan = text::read(steps).unwrap();
        settle(&mut plan, 128_000, |_| bytes);
        let tag = |step: &Step| step.tag.as_ref().map(|tag| format!("{}: {}\n", tag.gear, tag.why)).unwrap();
        expect.assert_eq(&plan.steps.iter().map(tag).collect::<String>());
    }

    #[test]
    fn each_row_of_the_table_applies() {
        check(
            1_000,
            "1. edit src/a.rs: x\n2. delete a\n3. rename a to b\n4. rename a to b: x\n5. edit src/auth/a.rs: x\n\
             6. edit a.rs: hash the password\n7. edit db/migrate/1.rb: x\n8. edit api/user.proto: x\n\
             9. create src/new.rs: x\n10. create tests/new.rs: x\n11. create notes.md: x\n",
            expect![[r#"
                fast: one file, quick to check
                local: needs no model
                local: needs no model
                fast: one file, quick to check
                deep: security
                deep: security
                deep: a database migration
                deep: a strict schema
                deep: a new module
                fast: one file, quick to check
                fast: one file, quick to check
            "#]],
        );
        check(1 << 20, "1. edit a: x\n", expect!["deep: larger than the fast model's window\n"]);
        let long = "all of it. ".repeat(200);
        check(10, &format!("1. edit a: {long}\n"), expect!["deep: many things at once\n"]);
    }

    #[test]
    fn model_asks_for_more_thought_and_never_for_less() {
        check(
            10,
            "1. edit a: x\n   gear: deep (subtle)\n2. edit auth/a: x\n   gear: fast\n3. edit a: x\n   gear: local\n4. delete a\n   gear: deep\n",
            expect![[r#"
                deep: subtle
                deep: security
                fast: one file, quick to check
                local: needs no model
            "#]],
        );
    }

    #[test]
    fn choice_of_the_user_stays() {
        let mut plan = text::read("1. edit auth/a: x\n   gear: fast\n2. edit auth/b: x\n").unwrap();
        fill(&mut plan, 128_000, |_| 1);
        let gears: Vec<Gear> = plan.steps.iter().filter_map(|it| Some(it.tag.as_ref()?.gear)).collect();
        assert_eq!(gears, [Gear::Fast, Gear::Deep]);
    }
}
