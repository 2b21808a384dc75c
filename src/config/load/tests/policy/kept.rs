//! Which policy applies: the last good one, however its server, the clock and the user behave.

use super::*;
use crate::config::Endpoint;

#[test]
fn without_a_valid_policy_no_model_is_asked_unless_that_is_allowed() {
    let [strict, lax] = ["", "required = false"].map(Machine::new);
    let user = "[providers.p]\nbase_url = \"https://p.test\"\n[fast]\ncandidates = [{ provider = \"p\", model = \"m\" }]";
    strict.check(
        user,
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
        not m: no model is asked without the company's policy: it is yet to be fetched
    "#]],
    );
    lax.check(
        user,
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
        fast: m at https://p.test
    "#]],
    );
    for machine in [&strict, &lax] {
        machine.answered(PolicyAnswer::Away("its server answers 404 Not Found".to_owned()));
    }
    strict.check(user, expect![[r#"
        https://policy.test/p: none applies; its server answers 404 Not Found
        not m: no model is asked without the company's policy: its server answers 404 Not Found
        ! https://policy.test/p: no model is asked without the company's policy: its server answers 404 Not Found
    "#]]);
    lax.check(
        user,
        expect![[r#"
        https://policy.test/p: none applies; its server answers 404 Not Found
        fast: m at https://p.test
        ! https://policy.test/p: there is no policy: its server answers 404 Not Found; no rule applies
    "#]],
    );
    for machine in [&strict, &lax] {
        machine.comes(7, "2026-11-20", "");
        machine.check(
            user,
            expect![[r#"
            https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
            fast: m at https://p.test
        "#]],
        );
    }
    std::fs::write(&lax.files.machine, "url = 1").unwrap();
    lax.check(user, expect![[r#"
        machine.toml: none applies; line 1: invalid type: integer `1`, expected a string
        not m: no model is asked without the company's policy: line 1: invalid type: integer `1`, expected a string
        ! machine.toml: no model is asked without the company's policy: line 1: invalid type: integer `1`, expected a string
    "#]]);
}

#[test]
fn what_is_refused_leaves_the_last_good_policy() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
    let check = |answer: PolicyAnswer, expect: Expect| {
        machine.answered(answer);
        let loaded = machine.load("", "");
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(loaded.settings.everywhere().budget.day_dollars, Some(5.0));
        expect.assert_eq(&problems.join("\n"));
    };
    check(
        new(8, "2026-11-21", "", OTHER_KEY),
        expect![
            "https://policy.test/p: the policy is refused: its signature is wrong: it was changed, or signed with another key; the one with serial 7 applies"
        ],
    );
    check(
        new(6, "2026-11-21", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it has serial 6, and serial 7 was there before it; the one with serial 7 applies"
        ],
    );
    check(
        new(7, "2026-11-21", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it has the serial 7 of another one: count it up; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2025-11-01", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it ended on 2026-11-01 00:00 UTC: it is to be issued anew; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2026-11-29", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it was issued on 2026-11-29 00:00 UTC, which is in the future: set this machine's clock; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2026-11-21", "[budgets]", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it:5:2: budgets: no such setting; did you mean `budget`?; the one with serial 7 applies"
        ],
    );
    let version = sign("version = 2", KEY).unwrap().0;
    check(
        PolicyAnswer::New(version, None),
        expect![
            "https://policy.test/p: the policy is refused: it has version 2, and this Tandem reads version 1: update Tandem; the one with serial 7 applies"
        ],
    );
    check(
        PolicyAnswer::New("<html>".to_owned(), None),
        expect![
            "https://policy.test/p: the policy is refused: it does not begin with `# signature: BASE64`: sign it; the one with serial 7 applies"
        ],
    );
    check(
        PolicyAnswer::Unfit("it has more than 1024 KiB".to_owned()),
        expect![
            "https://policy.test/p: the policy is refused: it has more than 1024 KiB; the one with serial 7 applies"
        ],
    );
    check(PolicyAnswer::Away("its server did not answer within 10 s".to_owned()), expect![[""]]);
    check(PolicyAnswer::Same, expect![[""]]);
    machine.comes(8, "2026-11-28", "[budget]\nday_dollars = 6");
    machine.check(
        "",
        expect![[r#"
        https://policy.test/p: serial 8, issued today, ends 2027-11-28 00:00 UTC; up to date
          budget.day_dollars: 6 instead of no limit (`budget.day_dollars`)
    "#]],
    );
}

#[test]
fn policy_that_has_ended_narrows_on() {
    for (more, expect) in [
        (
            "",
            expect![[r#"
                https://policy.test/p: serial 7, issued 366 days ago, ends 2027-11-20 00:00 UTC; it ended on 2027-11-20 00:00 UTC: it is to be issued anew
                  budget.day_dollars: 5 instead of 9 (`budget.day_dollars`)
                ! https://policy.test/p: no model is asked without the company's policy: it ended on 2027-11-20 00:00 UTC: it is to be issued anew
            "#]],
        ),
        (
            "required = false",
            expect![[r#"
                https://policy.test/p: serial 7, issued 366 days ago, ends 2027-11-20 00:00 UTC; it ended on 2027-11-20 00:00 UTC: it is to be issued anew
                  budget.day_dollars: 5 instead of 9 (`budget.day_dollars`)
                ! https://policy.test/p: the policy is not valid: it ended on 2027-11-20 00:00 UTC: it is to be issued anew; the one with serial 7 applies
            "#]],
        ),
    ] {
        let mut machine = Machine::new(more);
        machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
        machine.files.clock = || at("2027-11-21");
        machine.check("[budget]\nday_dollars = 9", expect);
    }
}

#[test]
fn server_that_is_away_is_told_with_the_time_and_without_a_problem() {
    let mut machine = Machine::new("");
    machine.comes(7, "2026-11-20", "");
    machine.files.clock = || at("2026-11-30");
    machine.check("", expect![[r#"
        https://policy.test/p: serial 7, issued 10 days ago, ends 2027-11-20 00:00 UTC; kept since 2026-11-28 00:00 UTC: it was not fetched since
    "#]]);
    machine.answered(PolicyAnswer::Away("its server answers 503 Service Unavailable".to_owned()));
    machine.check("", expect![[r#"
        https://policy.test/p: serial 7, issued 10 days ago, ends 2027-11-20 00:00 UTC; kept since 2026-11-28 00:00 UTC: its server answers 503 Service Unavailable
    "#]]);
}

#[test]
fn kept_policy_that_was_changed_counts_for_nothing() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
    let note = machine.folder.path().join("state/policy.json");
    let text = std::fs::read_to_string(&note).unwrap();
    std::fs::write(&note, text.replace("day_dollars = 5", "day_dollars = 9")).unwrap();
    machine.check(
        "",
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
    "#]],
    );
    // It is fetched whole again, and a downgrade is still one.
    assert_eq!(machine.files.question(Duration::ZERO, &|_| None).unwrap().etag, None);
    machine.comes(6, "2026-11-20", "");
    machine.check("", expect![[r#"
        https://policy.test/p: none applies; it has serial 6, and serial 7 was there before it
        ! https://policy.test/p: no model is asked without the company's policy: it has serial 6, and serial 7 was there before it
    "#]]);
    for wrong in ["", "{", "[]", &format!("{{\"tried\": {}}}", u64::MAX)] {
        std::fs::write(&note, wrong).unwrap();
        machine.comes(6, "2026-11-20", "");
        assert!(machine.load("", "").problems.is_empty(), "{wrong}");
    }
}

#[test]
fn fetches_of_several_servers_are_one() {
    let machine = Machine::new("");
    let is_due =
        |minutes: u64| machine.files.question(Duration::from_secs(60 * minutes), &|_| None).is_some();
    assert!(is_due(60), "nothing was fetched");
    machine.comes(7, "2026-11-20", "");
    assert!(!is_due(60) && is_due(0));
    machine.answered(PolicyAnswer::Away("no".to_owned()));
    assert!(!is_due(60));
    let later = machine.files_at(|| at("2026-11-28") + Duration::from_secs(6 * 60));
    assert!(
        later.question(Duration::from_secs(60 * 60), &|_| None).is_some(),
        "a failure is tried again soon"
    );
    let earlier = machine.files_at(|| at("2026-11-27"));
    assert!(earlier.question(Duration::from_secs(60 * 60), &|_| None).is_some(), "the clock was set back");
}

#[test]
fn policy_that_cannot_be_written_applies_to_this_process() {
    let machine = Machine::new("");
    machine.comes(5, "2026-11-20", "");
    let state = machine.files.state.clone().unwrap();
    std::fs::remove_dir_all(&state).unwrap();
    std::fs::write(&state, "no folder").unwrap();
    let question = machine.files.question(Duration::ZERO, &|_| None).unwrap();
    machine.files.note(&question, new(6, "2026-11-21", "[models]\nallow = [\"a\"]", KEY)).unwrap_err();
    let shown = |loaded: &Loaded| {
        let report = loaded.settings.everywhere().policy.clone().unwrap();
        (report.applied.map(|it| it.serial), report.state.name(), loaded.problems.len())
    };
    assert_eq!(shown(&machine.load("", "")), (Some(6), "fresh", 1));
    std::fs::remove_file(&state).unwrap();
    machine.comes(7, "2026-11-22", "");
    assert_eq!(shown(&machine.load("", "")), (Some(7), "fresh", 0));
}

#[test]
fn fixed_receivers_have_the_headers_that_the_policy_offers() {
    let machine = Machine::new("");
    machine.comes(
        7,
        "2026-11-20",
        "[locked]\ntelemetry = \"https://collector.test\"\nbill = \"https://bill.test\"\n\
         [settings.telemetry.headers]\nX-Key = \"collector\"\n[settings.bill.headers]\nX-Key = \"bill\"\n",
    );
    let user = "[telemetry]\nendpoint = \"https://own.test\"\nheaders = { X-Own = \"own\" }\n";
    let loaded = machine.load(user, "");
    let settings = loaded.settings.everywhere();
    let shown = |it: &Option<Endpoint>| {
        let it = it.as_ref().unwrap();
        let headers = it.headers.iter().map(|(name, value)| format!(" {name}: {}", value.expose()));
        format!("{}{}", it.base_url, headers.collect::<String>())
    };
    assert_eq!(shown(&settings.telemetry), "https://collector.test X-Key: collector");
    assert_eq!(shown(&settings.bill.url), "https://bill.test X-Key: bill");
}
