use super::*;
use expect_test::{Expect, expect};

/// The keys are put together here, so that this file has none.
fn key(start: &str, length: usize) -> String {
    format!("{start}{}", "A1b2C3d4E5f6G7h8Zy9".repeat(8).chars().take(length).collect::<String>())
}

/// Shows what is found: `«kind»` in place of each, with `!` if it is sure.
fn marked(text: &str) -> String {
    let mut shown = text.to_owned();
    for Secret { span, kind, sure } in find(text).into_iter().rev() {
        shown.replace_range(span, &format!("«{kind}{}»", if sure { "!" } else { "" }));
    }
    shown
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&marked(text));
}

#[test]
fn builds_its_automata() {
    assert!(BEGINNINGS.is_some() && NAMED.is_some());
}

#[test]
fn finds_tokens() {
    let tokens: Vec<String> = TOKENS
        .iter()
        .map(|(start, follows, least, _)| {
            let upper = follows(b'_') || follows(b'a');
            let token = key(start, *least);
            if upper { token } else { token.to_uppercase() }
        })
        .collect();
    for token in &tokens {
        assert_ne!(marked(token), *token, "{token}");
        assert_eq!(
            marked(&format!("猫 \"{token}\";")).replace("!", ""),
            format!("猫 \"{}\";", marked(token).replace("!", ""))
        );
    }
    let jwt = format!("{}.{}.{}", key("eyJ", 20), key("eyJ", 20), key("", 30));
    check(&format!("h = \"Bearer {jwt}\""), expect![[r#"h = "Bearer «a signed web token!»""#]]);
    check(&format!("task-{}", key("", 24)), expect!["task-A1b2C3d4E5f6G7h8Zy9A1b2C"]);
}

#[test]
fn finds_private_keys_whole_or_cut() {
    let body = format!("{}\n", key("", 64)).repeat(4);
    check(
        &format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\nb\n"),
        expect![[r#"
            a
            -----BEGIN RSA PRIVATE KEY-----
            «a private key!»-----END RSA PRIVATE KEY-----
            b
        "#]],
    );
    check(
        &format!("-----BEGIN PRIVATE KEY-----\n{body}"),
        expect![[r#"
            -----BEGIN PRIVATE KEY-----
            «a private key!»"#]],
    );
    check(
        &format!("{body}-----END PRIVATE KEY-----\nb\n"),
        expect![[r#"
        «an encoded block»-----END PRIVATE KEY-----
        b
    "#]],
    );
    let escaped = format!(
        "{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n\"}}",
        key("", 64)
    );
    check(
        &escaped,
        expect![[
            r#"{"private_key": "-----BEGIN PRIVATE KEY-----\n«a private key!»\n-----END PRIVATE KEY-----\n"}"#
        ]],
    );
    check(
        "if (s.startsWith(\"-----BEGIN PRIVATE KEY-----\")) {",
        expect![[r#"if (s.startsWith("-----BEGIN PRIVATE KEY-----")) {"#]],
    );
}

#[test]
fn finds_what_is_given_to_a_name() {
    for (text, expect) in [
        (format!("password = \"{}\"", key("", 20)), expect![[r#"password = "«a password or key!»""#]]),
        ("password = \"hunter2\"".to_owned(), expect![[r#"password = "«a password or key»""#]]),
        ("let pwd: &str = 'hunter2';".to_owned(), expect!["let pwd: &str = '«a password or key»';"]),
        ("DB_PASSWORD=hunter2hunter2 # prod".to_owned(), expect!["DB_PASSWORD=«a password or key» # prod"]),
        ("  api-key: a1b2c3d4e5f6".to_owned(), expect!["  api-key: «a password or key»"]),
        ("{\"token\": \"a1b2c3\"}".to_owned(), expect![[r#"{"token": "«a password or key»"}"#]]),
        (
            "config[\"secret\"] = b\"s3cr3ts\"".to_owned(),
            expect![[r#"config["secret"] = b"«a password or key»""#]],
        ),
        (
            "url = \"postgres://me:hunter2@db.example.org/x\"".to_owned(),
            expect![[r#"url = "postgres://me:«a password in a URL»@db.example.org/x""#]],
        ),
        (
            format!("-H 'Authorization: Basic {}'", key("", 24)),
            expect!["-H 'Authorization: Basic «a credential of a header»'"],
        ),
        (
            format!("const SEED: &str = \"{}\";", key("", 40)),
            expect![[r#"const SEED: &str = "«a random text»";"#]],
        ),
    ] {
        check(&text, expect);
    }
}

#[test]
fn leaves_the_rest() {
    for text in [
        "password = input(\"your password here please\")",
        "let secret = \"${SECRET_FROM_ENVIRONMENT_1}\";",
        "api_key = os.environ[\"API_KEY_FOR_TESTS_1\"]",
        "secret_name = compute(1)",
        "<input type=\"password\" name=\"a\">",
        "fn token(text: &str) -> Token {",
        "let token = self.next_token2();",
        "token: String,",
        "password: str = None",
        "git = \"https://github.com/a/b\", rev = \"0123456789abcdef0123456789abcdef01234567\"",
        "\"integrity\": \"sha512-abcABC0123456789abcABC0123456789abcABC0123456789==\"",
        "url = \"postgres://me:${PASSWORD}@db/x\"",
        "url = \"http://localhost:8080/a@b\"",
        "const ALPHABET: &str = \"abcdefghijklmnopqrstuvwxyz0123456789\";",
    ] {
        assert_eq!(marked(text), text);
    }
}
