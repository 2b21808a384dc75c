//! Reloading: the changes that are detected, and the values kept if new ones cannot be read.

use super::*;

#[test]
fn notices_changes_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let folders = [folder.path().to_owned()];
    let readers = Readers::default();
    let sources = Sources { folders: &folders, ..of_file(&file, &readers) };
    let again = || load(&sources, &mut Keys::default(), false);
    let before = again();
    assert!(!before.is_stale());
    std::fs::write(&file, "max_ghost_lines = 1\n").unwrap();
    assert!(before.is_stale(), "it is there now");
    let before = again();
    std::fs::write(folder.path().join(PROJECT_FILE), "").unwrap();
    assert!(before.is_stale());
    assert!(!again().is_stale());
}

/// Loads one file, replaces it by another, and checks the resulting settings and messages.
fn check_again(first: &str, second: &str, expect: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let variable = |_: &str| Some("sk-canary".to_owned());
    let readers = Readers::default();
    let sources = Sources { variable: &variable, ..of_file(&file, &readers) };
    std::fs::write(&file, first).unwrap();
    let mut keys = Keys::default();
    let before = load(&sources, &mut keys, false);
    std::fs::write(&file, second).unwrap();
    let after = reload(&sources, &before, &mut keys);
    let it = after.settings.everywhere();
    let fast: Vec<String> =
        it.fast.candidates.iter().map(|it| format!("{} at {}", it.model, it.base_url)).collect();
    let mut text = format!(
        "ghost {} eagerness {:?} next_edit {} deny {:?} fast {fast:?} day {:?}\n",
        it.max_ghost_lines, it.eagerness, it.next_edit, it.privacy.deny, it.budget.day_dollars
    );
    for problem in &after.problems {
        text += &format!("! {}\n", problem.to_string().replace(&format!("{}/", folder.path().display()), ""));
    }
    expect.assert_eq(&text);
}

const BEFORE: &str = r#"
max_ghost_lines = 3
eagerness = "low"
next_edit = false
[privacy]
deny = ["*.sql"]
[providers.a]
base_url = "https://old/v1"
api_key_env = "OLD"
[fast]
candidates = [{ provider = "a", model = "m" }]
[budget]
day_dollars = 1.0
"#;

#[test]
fn what_cannot_be_read_anew_stays_as_it_was() {
    // Invalid values are kept as before, valid ones apply, and removed ones are gone.
    let after = r#"
max_ghost_lines = "many"
eagerness = "high"
[privacy]
deny = 5
[providers.a]
base_url = "https://old/v1"
[fast]
candidates = [{ provider = "a", model = "n" }]
[budget]
day_dollars = -5
"#;
    check_again(
        BEFORE,
        after,
        expect![[r#"
            ghost 3 eagerness High next_edit true deny ["*.sql"] fast [] day Some(1.0)
            ! config.toml:2:1: max_ghost_lines: expected a whole number from 0, found a string
            ! config.toml:5:1: privacy.deny: expected a list, found a number
            ! config.toml:11:1: budget.day_dollars: expected a number from 0, found -5
        "#]],
    );
    // A provider is never combined from old and new values.
    let after = r#"
[providers.a]
base_url = "https://new/v1"
api_key_env = 3
[fast]
candidates = [{ provider = "a", model = "m" }]
"#;
    check_again(
        BEFORE,
        after,
        expect![[r#"
            ghost 12 eagerness Medium next_edit true deny [] fast ["m at https://old/v1"] day None
            ! config.toml:4:1: providers.a.api_key_env: expected a string, found a number
        "#]],
    );
    // A file that ends early leaves the rest unknown.
    check_again(
        BEFORE,
        "max_ghost_lines = 9\n[privacy\n",
        expect![[r#"
            ghost 3 eagerness Low next_edit false deny ["*.sql"] fast ["m at https://old/v1"] day Some(1.0)
            ! config.toml:2:9: unclosed table, expected `]`
            ! config.toml: its previous settings stay active until this is fixed
        "#]],
    );
    let whole = |text: &str| format!("{text}{}", "# x\n".repeat(100_000));
    check_again(
        BEFORE,
        &whole("max_ghost_lines = 9\n"),
        expect![[r#"
            ghost 3 eagerness Low next_edit false deny ["*.sql"] fast ["m at https://old/v1"] day Some(1.0)
            ! config.toml: cannot be read: it has more than 262144 bytes
        "#]],
    );
    check_again(
        BEFORE,
        "",
        expect![[r#"
        ghost 12 eagerness Medium next_edit true deny [] fast [] day None
    "#]],
    );
}

/// An editor that was not trusted does not become trusted by a typo.
#[test]
fn trust_is_not_granted_by_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let editor = [json!({ "proxy": "http://evil:1" })];
    let readers = Readers::default();
    let sources = Sources { editor: &editor, ..of_file(&file, &readers) };
    let mut before: Option<Loaded> = None;
    for text in ["trust_editor = false\n", "trust_editor = false\n[x\n", "[x\n", "trust_editor = 'canary'\n"]
    {
        std::fs::write(&file, text).unwrap();
        let loaded = load_over(&sources, before.as_ref(), &mut Keys::default(), false);
        let said = loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(said.contains("proxy: ignored: a project must not redirect"), "{text}: {said}");
        before = Some(loaded);
    }
}

#[test]
fn what_an_editor_sends_later_takes_the_place_of_what_it_sent_first() {
    let file = "";
    Setup {
        file,
        editor: vec![json!({}), json!({ "eagerness": "hihg", "next_edit": false })],
        project: None,
    }
    .check(expect![[r#"
            next_edit: false,
            ! the editor's settings: eagerness: expected one of low, medium, high; did you mean `high`?
        "#]]);
    let readers = Readers::default();
    let with = |editor: &[Value], before: Option<&Loaded>| {
        let sources = Sources { file: None, editor, ..of_file(Path::new(""), &readers) };
        load_over(&sources, before, &mut Keys::default(), false)
    };
    let first = with(&[json!({ "eagerness": "low" })], None);
    let then = with(&[json!({}), json!({ "eagerness": 3 })], Some(&first));
    assert_eq!(then.settings.everywhere().eagerness, crate::config::Eagerness::Low);
    let gone = with(&[json!({}), json!({})], Some(&then));
    assert_eq!(gone.settings.everywhere().eagerness, crate::config::Eagerness::Medium);
}
