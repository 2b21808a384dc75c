//! Models are not asked while a mistake leaves open what may be sent or spent.

use super::*;
use crate::privacy::Verdict;

/// Loads a user's file, an editor's settings and a project's file. Renders the models that may be asked, or why
/// there are none; why a file here or elsewhere may not be shown; and the messages.
fn check_doubt(file: &str, editor: Value, project: Option<&str>, expect: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("{MODEL}{file}");
    let setup = Setup { file: &file, editor: vec![editor], project };
    let loaded = setup.load(folder.path());
    expect.assert_eq(&shown(&loaded, folder.path()));
}

const MODEL: &str =
    "fast.candidates = [{ provider = 'a', model = 'm' }]\nproviders.a.base_url = 'http://a'\n";

fn shown(loaded: &Loaded, folder: &Path) -> String {
    let fast = &loaded.settings.everywhere().fast;
    let mut text: String = fast.candidates.iter().map(|it| format!("asks {}\n", it.model)).collect();
    text.extend(fast.left_out.iter().map(|it| format!("asks no {}: {}\n", it.model, it.why)));
    let of_key_file = loaded.settings.verdict(&folder.join(".env"));
    assert_eq!(
        (of_key_file.code(), &*of_key_file.to_string()),
        ("secret", "files called `.env` hold secrets")
    );
    for path in [folder.join("src/a.rs"), "/elsewhere/a.rs".into()] {
        let verdict = loaded.settings.verdict(&path);
        if verdict != Verdict::Open {
            text += &format!("{} {}: {verdict}\n", path.display(), verdict.code());
        }
    }
    text.extend(loaded.problems.iter().map(|it| format!("! {it}\n")));
    text.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn nothing_is_asked_where_it_is_not_known_what_may_be_sent() {
    check_doubt(
        "[privacy]\ndenied = ['a.rs']\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:1: privacy.denied: no such setting
        src/a.rs ignored: correct this first: config.toml:4:1: privacy.denied: no such setting
        /elsewhere/a.rs ignored: correct this first: config.toml:4:1: privacy.denied: no such setting
        ! config.toml:4:1: privacy.denied: no such setting
    "#]],
    );
    check_doubt(
        "[privacy]\ndeny = [3]\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:9: privacy.deny.0: expected a string, found a number
        src/a.rs ignored: correct this first: config.toml:4:9: privacy.deny.0: expected a string, found a number
        /elsewhere/a.rs ignored: correct this first: config.toml:4:9: privacy.deny.0: expected a string, found a number
        ! config.toml:4:9: privacy.deny.0: expected a string, found a number
    "#]],
    );
    check_doubt(
        "[privacy]\ndeny = ['src/[a']\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: privacy: `src/[a` is no glob: unclosed character class; missing ']'
        src/a.rs ignored: correct this first: privacy: `src/[a` is no glob: unclosed character class; missing ']'
        /elsewhere/a.rs ignored: correct this first: privacy: `src/[a` is no glob: unclosed character class; missing ']'
        ! privacy: `src/[a` is no glob: unclosed character class; missing ']'
    "#]],
    );
    check_doubt(
        "[privacy]\ncontext = 'fil'\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:1: privacy.context: expected one of file, open, workspace; did you mean `file`?
        src/a.rs ignored: correct this first: config.toml:4:1: privacy.context: expected one of file, open, workspace; did you mean `file`?
        /elsewhere/a.rs ignored: correct this first: config.toml:4:1: privacy.context: expected one of file, open, workspace; did you mean `file`?
        ! config.toml:4:1: privacy.context: expected one of file, open, workspace; did you mean `file`?
    "#]],
    );
    check_doubt(
        "[privcy]\ndeny = ['a.rs']\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:3:2: privcy: no such setting; did you mean `privacy`?
        src/a.rs ignored: correct this first: config.toml:3:2: privcy: no such setting; did you mean `privacy`?
        /elsewhere/a.rs ignored: correct this first: config.toml:3:2: privcy: no such setting; did you mean `privacy`?
        ! config.toml:3:2: privcy: no such setting; did you mean `privacy`?
    "#]],
    );
    check_doubt(
        "[privacy]\ndeny = ['a.rs'\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:15: unclosed array, expected `]`
        src/a.rs secret: `privacy.deny` has `a.rs`
        /elsewhere/a.rs secret: `privacy.deny` has `a.rs`
        ! config.toml:4:15: unclosed array, expected `]`
    "#]],
    );
    check_doubt(
        "profile = 'work'\n[profiles.werk.privacy]\ndeny = ['a.rs']\n",
        json!({}),
        None,
        expect![[r#"
            asks no m: correct this first: profile: there is no `[profiles.work]`; did you mean `werk`?
            src/a.rs ignored: correct this first: profile: there is no `[profiles.work]`; did you mean `werk`?
            /elsewhere/a.rs ignored: correct this first: profile: there is no `[profiles.work]`; did you mean `werk`?
            ! profile: there is no `[profiles.work]`; did you mean `werk`?
        "#]],
    );
    check_doubt(
        "",
        json!({ "privacy": { "context": 1 } }),
        None,
        expect![[r#"
        asks no m: correct this first: initializationOptions: privacy.context: expected one of file, open, workspace, found a number
        src/a.rs ignored: correct this first: initializationOptions: privacy.context: expected one of file, open, workspace, found a number
        /elsewhere/a.rs ignored: correct this first: initializationOptions: privacy.context: expected one of file, open, workspace, found a number
        ! initializationOptions: privacy.context: expected one of file, open, workspace, found a number
    "#]],
    );
    check_doubt(
        "",
        json!("privacy"),
        None,
        expect![[r#"
            asks m
            ! initializationOptions: expected a table, found a string
        "#]],
    );
}

#[test]
fn nothing_is_asked_where_it_is_not_known_what_may_be_spent() {
    check_doubt(
        "[budget]\nday_dollars = '1'\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:1: budget.day_dollars: expected a number from 0, found a string
        ! config.toml:4:1: budget.day_dollars: expected a number from 0, found a string
    "#]],
    );
    check_doubt(
        "[budget]\nday_dolars = 1\n",
        json!({}),
        None,
        expect![[r#"
        asks no m: correct this first: config.toml:4:1: budget.day_dolars: no such setting; did you mean `day_dollars`?
        ! config.toml:4:1: budget.day_dolars: no such setting; did you mean `day_dollars`?
    "#]],
    );
    check_doubt(
        "",
        json!({ "budget": 1 }),
        None,
        expect![[r#"
        asks no m: correct this first: initializationOptions: budget: expected a table, found a number
        ! initializationOptions: budget: expected a table, found a number
    "#]],
    );
}

#[test]
fn a_projects_mistake_is_about_its_own_files() {
    check_doubt(
        "",
        json!({}),
        Some("[privacy]\ndenied = ['a.rs']\n"),
        expect![[r#"
        asks m
        src/a.rs ignored: correct this first: .tandem.toml:2:1: privacy.denied: no such setting
        ! .tandem.toml:2:1: privacy.denied: no such setting
    "#]],
    );
    check_doubt(
        "",
        json!({}),
        Some("[privacy\n"),
        expect![[r#"
        asks m
        src/a.rs ignored: correct this first: .tandem.toml:1:9: unclosed table, expected `]`
        ! .tandem.toml:1:9: unclosed table, expected `]`
    "#]],
    );
    check_doubt(
        "",
        json!({}),
        Some("privcy.deny = 'a.rs'\n"),
        expect![[r#"
        asks m
        src/a.rs ignored: correct this first: .tandem.toml:1:1: privcy: no such setting; did you mean `privacy`?
        ! .tandem.toml:1:1: privcy: no such setting; did you mean `privacy`?
    "#]],
    );
    // A setting that a project may not set has no effect, valid or invalid.
    check_doubt(
        "",
        json!({}),
        Some("budget.day_dollars = 'x'\nprivacy.allow = 3\n"),
        expect![[r#"
        asks m
        ! .tandem.toml:1:8: budget.day_dollars: ignored: a project must not decide about your money
        ! .tandem.toml:2:9: privacy.allow: ignored: a project may hide files (`privacy.deny`), not show them
    "#]],
    );
}

#[test]
fn other_mistakes_and_what_is_not_in_use_leave_models_be() {
    let file = "eagerness = 'hgh'\nelsewhere = 1\n[profiles.x.privacy]\ndenied = 1\n";
    check_doubt(
        file,
        json!({ "disable_in": "commentt", "privacy": null }),
        None,
        expect![[r#"
        asks m
        ! config.toml:3:1: eagerness: expected one of low, medium, high; did you mean `high`?
        ! config.toml:4:1: elsewhere: no such setting
        ! config.toml:6:1: profiles.x.privacy.denied: no such setting
        ! initializationOptions: disable_in: expected one of comment, string; did you mean `comment`?
    "#]],
    );
}

#[test]
fn a_lone_string_is_a_list_of_one() {
    let text = "privacy.deny = 'src/a.rs'\n";
    for (file, editor, project) in [
        (text, json!({}), None),
        ("", json!({ "privacy": { "deny": "src/a.rs" } }), None),
        ("", json!({}), Some(text)),
    ] {
        check_doubt(
            file,
            editor,
            project,
            expect![[r#"
            asks m
            src/a.rs secret: `privacy.deny` has `src/a.rs`
        "#]],
        );
    }
}

/// A truncated file is never accepted as complete, however often it is read.
#[test]
fn doubt_lasts_until_it_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let folders = [folder.path().to_owned()];
    let readers = Readers::default();
    let sources = Sources { folders: &folders, ..of_file(&file, &readers) };
    let mut before: Option<Loaded> = None;
    let broken = format!("{MODEL}[privacy\n");
    let (misspelt, whole) = (format!("{MODEL}[privacy]\ndenied = 1\n"), format!("{MODEL}[privacy]\n"));
    let mut text = String::new();
    for written in [&broken, &broken, &misspelt, &misspelt, &whole, &broken, &misspelt, &whole] {
        std::fs::write(&file, written).unwrap();
        let loaded = load_over(&sources, before.as_ref(), &mut Keys::default(), false);
        let asked = !loaded.settings.everywhere().fast.candidates.is_empty();
        text += &format!("{} {asked}\n", written.trim_start_matches(MODEL).replace('\n', " "));
        before = Some(loaded);
    }
    expect![[r#"
        [privacy  false
        [privacy  false
        [privacy] denied = 1  false
        [privacy] denied = 1  false
        [privacy]  true
        [privacy  true
        [privacy] denied = 1  false
        [privacy]  true
    "#]]
    .assert_eq(&text);
}
