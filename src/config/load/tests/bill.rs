//! Where the bill goes.

use super::*;

fn check(file: &str, editor: Value, expect: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let loaded = Setup { file, editor: vec![editor], project: None }.load(folder.path());
    let bill = &loaded.settings.everywhere().bill;
    let url = bill.url.as_ref().map(|it| (it.base_url.as_str(), it.headers.len()));
    let file = bill.file.as_ref().map(|it| it.strip_prefix(folder.path()).unwrap_or(it));
    let mut text = format!("{:?} {:?} {url:?} {file:?}\n", bill.user, bill.team);
    for problem in &loaded.problems {
        text += &problem.to_string().replace(&format!("{}/", folder.path().display()), "");
        text.push('\n');
    }
    expect.assert_eq(&text);
}

#[test]
fn bill_goes_where_the_user_says_and_nowhere_else() {
    let none = || json!({});
    check(
        "",
        none(),
        expect![[r#"
        "" None None None
    "#]],
    );
    check(
        "[bill]\nfile = \"bill.ndjson\"\nurl = \"https://me:canary@bill.test/v1?x=1\"\nuser = \"ann\"\n[bill.headers]\nA = { env = \"KEY\" }",
        none(),
        expect![[r#"
            "ann" None Some(("https://bill.test/v1", 2)) Some("bill.ndjson")
        "#]],
    );
    check(
        "[bill]\nurl = \"http://127.0.0.1:9/\"\nteam = \"core\"\n[budget.lease]\nuser = \"bo\"\nteam = \"web\"",
        none(),
        expect![[r#"
            "bo" Some("core") Some(("http://127.0.0.1:9", 0)) None
        "#]],
    );
    check(
        "[bill]\nurl = \"http://bill.test\"",
        none(),
        expect![[r#"
        "" None None None
        bill: nothing is sent: bill.url must begin with https://
    "#]],
    );
    check(
        "[bill]\nurl = \"bill.test\"",
        none(),
        expect![[r#"
        "" None None None
        bill: nothing is sent: bill.url must begin with http:// or https://
    "#]],
    );
    let editor =
        json!({ "bill": { "file": "/tmp/x" }, "profiles": { "p": { "bill": { "url": "https://x.test" } } } });
    check(
        "",
        editor,
        expect![[r#"
        "" None None None
        initializationOptions: bill: ignored: it is set in the configuration file alone
        initializationOptions: bill: ignored: it is set in the configuration file alone
    "#]],
    );
}
