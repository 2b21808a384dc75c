//! Secrets under names with other words in them, behind types, below their names, and with unusual signs.

/// As [`super::KINDS`].
#[rustfmt::skip]
pub(super) const FORMS: &[(&str, &str)] = &[
    // Passwords that resemble placeholders.
    ("dollar first", "password = \"«$ummer{A6}»\""),
    ("at first", "password = \"«@dm{A8}»\""),
    ("percent first", "password = \"«%{A9}»\""),
    ("question first", "password = \"«?{A9}»\""),
    ("colon first", "password = \"«:{A9}»\""),
    ("brackets inside", "password = \"«x{kQ9}zT4!»\""),
    ("name inside", "password = \"«basaltmountain»\""),
    ("name in it", "password = \"«MySecretPassword»\""),
    ("name and number", "password = \"«Password{d1}!»\""),
    ("word and number", "password = \"«secret{d3}»\""),
    ("your inside", "password = \"«YourDog{d4}»\""),
    ("dots inside", "password = \"«Trustno...{d1}»\""),
    ("stars inside", "password = \"«Tr***y{d2}»\""),
    ("signs alone", "password = \"«!#&%(;)»\""),
    // Names with other words.
    ("name and service", "SMTP_PASSWORD_GMAIL = \"«{l9}»\""),
    ("service behind", "password_github = \"«{l9}»\""),
    ("service in capitals", "const passwordStripe = \"«{l9}»\";"),
    ("client secret", "client_secret_web = \"«{A24}»\""),
    ("key and service", "API_KEY_OPENAI = \"«{A24}»\""),
    ("token and service", "token_slack = \"«{A24}»\""),
    ("session key", "sessionKey: \"«{A24}»\""),
    ("hmac key", "hmacKey = \"«{A24}»\""),
    ("priv key", "priv_key = \"«{A24}»\""),
    ("secret key", "secretkey = \"«{A24}»\""),
    ("api key with dots", "stripe.api.key=«{A24}»"),
    ("DBPASS", "DBPASS=\"«{l9}»\""),
    ("PGPASS", "export PGPASS=«{A9}»"),
    ("pass phrase", "pass_phrase = \"«{l9}»\""),
    // Behind a type, or later in the statement.
    ("go var", "var dbPass string = \"«{l9}»\""),
    ("go const", "const password string = `«{l9}»`"),
    ("c++ initializer", "std::string password{\"«{l9}»\"};"),
    ("c array", "char password[20] = \"«{l9}»\";"),
    ("c++ raw", "auto password = R\"«({l9})»\";"),
    ("rust raw", "let password = r#\"«{l9}»\"#;"),
    ("c# property", "public string Password { get; set; } = \"«{l9}»\";"),
    ("ternary", "const password = isTest ? \"«{l9}»\" : \"«{l8}»\";"),
    ("python ternary", "password = \"«{l9}»\" if debug else \"«{l8}»\""),
    // On lines below the name.
    ("xml lines", "<password>\n  «{l9}»\n</password>"),
    ("terraform heredoc", "password = <<EOT\n«{l9}»\nEOT"),
    ("python triple", "password = \"\"\"\n«{l9}»\n\"\"\""),
    ("yaml long block", "token: |\n  «{A40}»\n  «{A40}»\n  «{A40}»\n  «{A40}»\nuser: bob"),
    // Several, below one name.
    ("json list", "\"tokens\": [\"«{A24}»\", \"«{A24}»\"]"),
    ("python list", "passwords = [\n    \"«{l9}»\",\n    \"«{l8}»\",\n]"),
    ("json map", "\"passwords\": {\"bob\": \"«{l9}»\", \"eve\": \"«{l8}»\"}"),
    ("docker auth", "{\"auths\": {\"h.internal\": {\"auth\": \"«{b18}==»\"}}}"),
    ("sql insert", "INSERT INTO users (name, password) VALUES ('bob', '«{l9}»');"),
    ("sql insert of more", "insert into users(password, name) values ('«{l9}»', 'bob'), ('«{l8}»', 'eve')"),
    // Command lines and URLs.
    ("curl flags", "curl -sku bob:«{l9}» https://h.internal"),
    ("url with a hash", "postgres://bob:«{l5}#{l4}»@db.internal:5432/app"),
    ("url with a slash", "postgres://bob:«{l5}/{l4}»@db.internal:5432/app"),
    ("url with a question", "postgres://bob:«{l5}?{l4}»@db.internal:5432/app"),
    ("url token", "git clone https://«{A32}»@git.internal/x.git"),
];
