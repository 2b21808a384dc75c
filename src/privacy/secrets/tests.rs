use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

mod recall;

/// The keys are assembled here, so that this file contains none.
fn key(start: &str, length: usize) -> String {
    format!("{start}{}", "A1b2C3d4E5f6G7h8Zy9".repeat(8).chars().take(length).collect::<String>())
}

/// Marks what is found: `«kind»` instead of each secret, with `!` for high confidence.
fn marked(text: &str) -> String {
    let mut shown = text.to_owned();
    for Secret { span, kind, high_confidence } in find(text).into_iter().rev() {
        shown.replace_range(span, &format!("«{kind}{}»", if high_confidence { "!" } else { "" }));
    }
    shown
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&marked(text));
}

#[test]
fn every_rule_can_be_built() {
    let anchors = ANCHORS.as_ref().unwrap();
    for token in 0..rules::TOKENS.len() {
        let nothing = anchors.rest(token, b"", 0);
        assert!(
            nothing.is_none() && anchors.rests[token].get().unwrap().is_some(),
            "{}",
            rules::TOKENS[token].rest
        );
    }
}

#[test]
fn every_token_is_found_and_what_resembles_it_is_not() {
    for rule in rules::TOKENS {
        assert!(rule.source.contains(':'), "{}: whose page, and which", rule.source);
        for seed in 0..20 {
            let mut random = recall::Random(seed);
            let (is, is_not) = (recall::draw(rule.is, &mut random), recall::draw(rule.is_not, &mut random));
            for text in [is.clone(), format!("猫 \"{is}\";"), format!("f(\"a\\n{is}\\n\")")] {
                let found = find(&text);
                let kinds: Vec<_> = found.iter().map(|it| (it.kind, it.high_confidence)).collect();
                assert!(kinds.contains(&(rule.kind, rule.certainty == Certainty::High)), "{text}: {kinds:?}");
            }
            assert_eq!(marked(&is_not), is_not, "{}", rule.anchors);
        }
    }
    check("sk-proj-NthiSoTnirvaSYpPuqBMYNSFXRyXdcSqsCcXKYzUaew", expect!["«an API key!»"]);
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

#[test]
fn hashes_pins_and_pictures_are_left() {
    let (hex, base64) = ("0123456789abcdef".repeat(4), key("", 86));
    for text in [
        format!("checksum = \"{hex}\""),
        format!("\"integrity\": \"sha512-{base64}==\","),
        format!("github.com/a/b v1.0.0 h1:{}=", key("", 43)),
        format!("    {{file = \"a.whl\", hash = \"sha256:{hex}\"}},"),
        format!("rev = \"{}\"", &hex[..40]),
        "id = \"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"".to_owned(),
        format!("src=\"data:image/png;base64,iVBORw0KGgo{}\"", key("", 150)),
        format!("const LOGO: &str = \"iVBORw0KGgo{}\";", key("", 100)),
        format!("src: url(data:font/woff2;base64,d09GMgABAAAA{})", key("", 150)),
    ] {
        assert_eq!(marked(&text), text);
    }
}

#[test]
fn encoded_literals_count_beside_a_telling_name() {
    let hex = "5bda6a317873a59e01b29a0a9a4d296e948c5a0b1e5bb93e6d63111541f7a139";
    let base64 = key("", 300);
    for name in ["key", "aesKey", "SIGNING_SEED", "private", "\"hmac\"", "webhook"] {
        for (value, sign) in [(hex, "="), (&hex[..32], ":"), (&*base64, " = ")] {
            let text = format!("{name}{sign}\"{value}\"");
            assert_ne!(marked(&text), text);
        }
    }
    check(&format!("aes = bytes.fromhex(\"{hex}\")"), expect![[r#"aes = bytes.fromhex("«a random text»")"#]]);
    for name in
        ["public_key", "cacheKey", "key_hash", "commit", "sha256", "monkey", "keyboard", "sort-key", "x"]
    {
        let text = format!("{name} = \"{hex}\"");
        assert_eq!(marked(&text), text);
    }
    let rising = "0123456789abcdef".repeat(4);
    for text in [format!("key = \"{}\"", "a1".repeat(32)), format!("key = \"{rising}\"")] {
        assert_eq!(marked(&text), text);
    }
}

#[test]
fn passwords_of_command_lines_are_found() {
    for (text, secret) in [
        ("login --user bob --password correcthorse now", "correcthorse"),
        ("run([\"login\", \"--password\", \"sunshine\", \"--quiet\"])", "sunshine"),
        ("curl -ubob:sunshine https://x.org", "sunshine"),
        ("curl --user=bob:sunshine https://x.org", "sunshine"),
        ("call curl -u bob:sunshine for it", "sunshine"),
        ("mysql -h db -u root -p hunter2x and dump", "hunter2x"),
        ("mysql -u root -psunshine shop", "sunshine"),
    ] {
        let found: Vec<&str> = find(text).into_iter().map(|it| &text[it.span]).collect();
        assert_eq!(found, [secret], "{text}");
    }
    for text in [
        "the flag --password reads it from a file",
        "add_argument(\"--password\", \"-p\", help=\"what to log in with\")",
        "mysql -u root -p shop",
        "[\"--password\", \"--verbose\"]",
        "curl --user-agent=a:b https://x.org",
    ] {
        assert_eq!(marked(text), text);
    }
}

#[test]
fn literals_stand_on_one_line() {
    let anchors = ANCHORS.as_ref().unwrap();
    assert!(anchors.kinds.iter().all(|(literal, _)| !literal.contains(['\n', '\r'])));
}

/// The maximum number of bytes that a scan inspects per byte of a text.
///
/// Superlinear work would far exceed it.
const LOOKS: usize = 300;

#[test]
fn hostile_texts_are_looked_at_a_few_times() {
    let parts = [
        "password=",
        "password=\"",
        "password: |\\n ",
        "\"password\",",
        "sk-",
        "eyJ",
        "eyJ.",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nA1b2C3d4A1b2C3d4A1b2C3d4A1b2C3d4",
        "curl -u ",
        "curl ",
        "auth=(\"a\",",
        ":5432:",
        "name: token ",
        "token\n",
        "\"a\" + ",
        "password=\"a\" + \"",
        "ghp_\"+\"",
        "<password>",
        "secret_",
        "api_key ",
        "Bearer ",
        "?sig=",
        "a",
        "\"",
        "\\",
        "\\n",
        "[a]\npassword = ab\n",
        "é",
        "password=password=password=password=\n",
        "user:pass@",
        "MIIEowIBAAKCAQEA",
        "LS0tLS1CRUdJTiBSU0Eg",
        "?sig=A1b2",
        "password = \"token\" + ",
        "<string name=\"token\">",
        "curl -u \"",
        "('password', ",
        "password\n  password: ",
        "passwords=[",
        "passwords={\"a\":",
        "tokens: [\"a\", ",
        "password=<<E\n",
        "insert into a (password) values ('a'",
        "kind: Secret\n",
        "kind: Secret\ndata:\n  a: ",
        "password string ",
        "password = a ? \"b\"",
        "<password>\n",
    ];
    let names =
        rules::PASSWORDS.iter().chain(rules::SHORT_PASSWORDS).chain(rules::KEYS).map(|it| format!("{it}="));
    let tokens = rules::TOKENS.iter().map(|it| it.anchors.split('|').next().unwrap().to_owned());
    let all =
        parts.iter().map(|it| ((*it).to_owned(), 1 << 14)).chain(names.chain(tokens).map(|it| (it, 1 << 12)));
    let mut many: Vec<String> = Vec::new();
    for (part, bytes) in all {
        let text = part.repeat(bytes / part.len());
        text::tests::taken();
        find(&text);
        let looks = text::tests::taken() / text.len();
        if looks > LOOKS {
            many.push(format!("{part:?}: {looks}"));
        }
    }
    assert!(many.is_empty(), "{many:#?}");
}

#[test]
fn lists_of_words_name_nothing_twice() {
    for list in [
        rules::PASSWORDS,
        rules::SHORT_PASSWORDS,
        rules::KEYS,
        rules::CERTAIN,
        rules::OTHER_TAILS,
        rules::OTHER_HEADS,
        rules::ASKING,
        rules::PAIRING,
        rules::WRAPPERS,
        rules::STAND_INS,
        rules::KEY_NAME_WORDS,
        rules::PUBLIC_NAME_WORDS,
        rules::MESSAGE_WORDS,
        rules::LABELS,
        rules::PAIRS,
        rules::HARMLESS_BASE64,
    ] {
        for (at, word) in list.iter().enumerate() {
            assert!(!list[..at].contains(word), "{word}");
        }
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap()
}

/// Parts from which hostile texts are assembled.
const PARTS: &[&str] = &[
    "password",
    "db_pass",
    "secret",
    "token",
    "=",
    ": ",
    " ",
    "\"",
    "'",
    "`",
    "\\",
    "\\n",
    "\n",
    "|",
    "(",
    ")",
    ",",
    "hunter2x",
    "é",
    "猫",
    "\u{feff}",
    "ghp_",
    "A1b2C3d4E5f6G7h8Zy9A1b2C3d4E5f6G7h8Zy9",
    "sk-",
    "eyJ",
    ".",
    "://",
    "a:b@",
    "-----BEGIN PRIVATE KEY-----",
    "-----END",
    "curl ",
    "-u ",
    "mysql ",
    "-p",
    "auth=",
    "[",
    "]",
    "<",
    ">",
    "</",
    "name: ",
    "value",
    "default",
    "+",
    "$",
    "{",
    "}",
    "%",
    "--",
    "&",
    "?sig=",
    ":5432:",
    "#",
    "//",
    "\r\n",
    "Bearer ",
    "SG.",
    "kind: Secret",
    "data:",
    "s = [",
    "<<E",
    "insert into a (",
    ") values (",
    "+++ b.yml\n",
];

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn spans_are_in_order_apart_and_whole(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..60),
        any in ".{0,40}",
        cut in 0_usize..400,
    ) {
        let text = parts.concat() + &any;
        let text = &text[floor(&text, cut.min(text.len()))..];
        let mut end = 0;
        for secret in find(text) {
            prop_assert!(secret.span.start >= end && !secret.span.is_empty(), "{secret:?} in {text:?}");
            prop_assert!(text.get(secret.span.clone()).is_some(), "{secret:?} in {text:?}");
            end = secret.span.end;
        }
    }

    /// A literal that [`Anchors::may_begin`] rules out for a line begins no secret, whatever the other lines are.
    #[test]
    fn what_a_line_rules_out_begins_no_secret(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        let text = parts.concat();
        let anchors = ANCHORS.as_ref().unwrap();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            anchors.find(line.as_bytes(), |literal, at| {
                let mut finder = Finder::new(&text, TextKind::Code);
                finder.read_hit(anchors, literal, start + at);
                let found = merge(finder.found);
                assert!(found.is_empty() || anchors.may_begin(line, literal, at), "{found:?} in {text:?}");
            });
            start += line.len();
        }
    }
}
