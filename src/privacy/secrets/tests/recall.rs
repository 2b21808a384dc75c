//! Measures how many kinds of secrets, in how many contexts, are found completely.
//!
//! The values are random, so that no file contains a key; each kind and context is tried with several values.

mod files;
mod forms;
mod more;

use std::ops::Range;

use super::super::find;
use crate::privacy::{Known, TextKind, redact};

/// The number of random values for each kind in each context.
const DRAWS: u64 = 8;

/// Kinds: a name, and a text.
///
/// The text between `«` and `»` is secret; `{A20}` is replaced by random characters.
#[rustfmt::skip]
const KINDS: &[(&str, &str)] = &[
    // Tokens of services.
    ("aws id", "key = «AKIA{U16}»"),
    ("aws secret", "aws_secret_access_key = «{b40}»"),
    ("github", "git clone with «ghp_{A36}»"),
    ("github fine", "«github_pat_{A22}_{A59}»"),
    ("gitlab", "GITLAB=«glpat-{A20}»"),
    ("openai", "OpenAI(«sk-proj-{A60}»)"),
    ("anthropic", "x(\"«sk-ant-api03-{w93}AA»\")"),
    ("openrouter", "«sk-or-v1-{h64}»"),
    ("stripe", "stripe.key = «sk_live_{A24}»"),
    ("stripe webhook", "«whsec_{A32}»"),
    ("slack", "«xoxb-{d11}-{d12}-{A24}»"),
    ("slack webhook", "url: https://«hooks.slack.com/services/T{U8}/B{U10}/{A24}»"),
    ("discord webhook", "url: https://«discord.com/api/webhooks/{d18}/{w68}»"),
    ("google", "maps(\"«AIza{A35}»\")"),
    ("google oauth", "«GOCSPX-{A28}»"),
    ("npm", "//registry.npmjs.org/:_authToken=«npm_{A36}»"),
    ("npm old", "//registry.npmjs.org/:_authToken=«{h8}-{h4}-4{h3}-a{h3}-{h12}»"),
    ("pypi", "password = «pypi-AgEIcHlwaS5vcmc{w120}»"),
    ("docker", "«dckr_pat_{A27}»"),
    ("hugging face", "«hf_{A34}»"),
    ("sendgrid", "send(\"«SG.{A22}.{A43}»\")"),
    ("twilio", "client('«SK{h32}»')"),
    ("mailgun", "api:«key-{h32}»"),
    ("mailchimp", "use «{h32}-us12»"),
    ("telegram", "bot «{d10}:AA{A33}»"),
    ("telegram url", "https://api.telegram.org/bot«{d10}:AA{A33}»/getMe"),
    ("vault", "X-Vault: «hvs.{A95}»"),
    ("shopify", "«shpat_{h32}»"),
    ("cloudflare", "«v1.0-{h24}-{h146}»"),
    ("digitalocean", "«dop_v1_{h64}»"),
    ("databricks", "«dapi{h32}»"),
    ("grafana", "«glsa_{A32}_{h8}»"),
    ("sentry", "«sntryu_{h64}»"),
    ("linear", "«lin_api_{A40}»"),
    ("notion", "«ntn_{A46}»"),
    ("atlassian", "«ATATT3{A180}»"),
    ("postman", "«PMAK-{h24}-{h34}»"),
    ("age", "«AGE-SECRET-KEY-1{U58}»"),
    ("azure client", "id «{A3}8Q~{A34}»"),
    ("terraform cloud", "«{A14}.atlasv1.{A67}»"),
    ("tailscale", "tailscale up --auth-key «tskey-auth-{A17}-{A32}»"),
    ("jwt", "t = «eyJ{A30}.eyJ{A40}.{A43}»"),
    // Headers and URLs.
    ("bearer", "Authorization: Bearer «{A40}»"),
    ("basic", "Authorization: Basic «{A24}»"),
    ("header key", "X-Api-Key: «{A32}»"),
    ("private token", "PRIVATE-TOKEN: «{A20}»"),
    ("url password", "postgres://bob:«{A12}»@db.internal:5432/app"),
    ("url password of letters", "redis://:«{l12}»@cache:6379/0"),
    ("amqp", "amqp://app:«{A9}»@mq/vhost"),
    ("query password", "connect(\"https://h.internal/login?user=bob&password=«{A12}»\")"),
    ("query password and more", "GET /login?password=«{A12}»&next=home"),
    ("query token", "https://h.internal/feed?access_token=«{A32}»"),
    ("sas", "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=«{A43}%3D»"),
    ("aws presigned", "https://b.s3.amazonaws.com/o?X-Amz-Expires=60&X-Amz-Signature=«{h64}»"),
    // Connection strings.
    ("account key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«{b86}==»;EndpointSuffix=core.windows.net"),
    ("shared access key", "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«{b43}=»"),
    ("connection string", "Server=db;Database=app;User Id=bob;Password=«{A10}»;Encrypt=true"),
    ("connection string pwd", "Driver={ODBC};Server=db;Uid=bob;Pwd=«{L10}»;"),
    ("libpq", "host=db user=bob password=«{A10}» dbname=app"),
    ("jdbc", "jdbc:mysql://db/app?user=bob&password=«{A10}»"),
    // Assignments.
    ("rust const", "const DB_PASSWORD: &'static str = \"«{A12}»\";"),
    ("rust let", "let password = String::from(\"«{l9}»\");"),
    ("typescript", "private readonly password: string = '«{A12}»';"),
    ("python", "db_password = '«{l7}»'"),
    ("python keyword", "connect(host, password=\"«{l10}»\", port=1)"),
    ("go", "password := \"«{A10}»\""),
    ("php array", "'password' => '«{A10}»',"),
    ("ruby symbol", ":password => \"«{A10}»\","),
    ("json", "{\"user\": \"bob\", \"password\": \"«{l10}»\"}"),
    ("json key", "{\"apiKey\": \"«{A24}»\"}"),
    ("kotlin", "val dbPass: String = \"«{l8}»\""),
    ("c define", "#define DB_PASSWORD \"«{l10}»\""),
    ("java", "private static final String SECRET_KEY = \"«{h64}»\";"),
    ("hex of 64", "signing_key = \"«{h64}»\""),
    ("swift", "let apiSecret = \"«{A32}»\""),
    ("index", "config[\"db_password\"] = \"«{l9}»\""),
    ("comparison", "if password == \"«{A9}»\":"),
    ("db_pass", "db_pass = \"«{l8}»\""),
    ("german", "passwort = \"«{l9}»\""),
    ("french", "mot_de_passe: \"«{l9}»\""),
    ("spanish", "contraseña = \"«{l9}»\""),
    ("portuguese", "senha=\"«{l9}»\""),
    ("dutch", "wachtwoord = '«{l9}»'"),
    ("polish", "haslo = '«{l9}»'"),
    ("phrase", "passphrase = \"«{l7} {l6} {l9} {l5}»\""),
    ("short", "password = \"«{l5}»\""),
    ("letters alone", "password = \"«{L20}»\""),
    ("signs", "SECRET_KEY = '«k$({l6}{#w{A14}{d3}%&*»'"),
    ("django", "SECRET_KEY = 'django-insecure-«{w20}$(&{w20}»'"),
    ("setter", "client.set_password(\"«{l9}»\")"),
    ("builder", ".password(\"«{A9}»\")"),
    ("getenv default", "os.getenv(\"DB_PASSWORD\", \"«{l9}»\")"),
    ("or default", "os.environ.get(\"DB_PASSWORD\") or \"«{l9}»\""),
    ("node default", "const p = process.env.DB_PASSWORD || '«{l9}»'"),
    ("setenv", "setenv(\"DB_PASSWORD\", \"«{l9}»\", 1)"),
    ("shell default", "PASS=${DB_PASSWORD:-«{l9}»}"),
    ("pair", "auth = (\"bob\", \"«{l9}»\")"),
    ("basic auth", "client.basic_auth(\"bob\", \"«{A9}»\")"),
    ("network credential", "new NetworkCredential(\"bob\", \"«{A9}»\")"),
    ("joined", "password = \"«{A8}»\" + \"«{A8}»\""),
    ("joined over lines", "password = (\n    \"«{A8}»\"\n    \"«{A8}»\"\n)"),
    ("token joined", "t = \"«ghp_{A18}»\" + \"«{A18}»\""),
    ("on the next line", "let api_key =\n    \"«{A40}»\";"),
    // Configurations.
    ("env", "DB_PASSWORD=«{l9}»"),
    ("env of letters", "DB_PASSWORD=«{L20}»"),
    ("export", "export SMTP_PASS=«{A9}»"),
    ("env of signs", "DB_PASSWORD=«{l4}#{l4}!$x»"),
    ("ini", "[database]\nuser = bob\npassword = «{l9}»"),
    ("ini with signs", "[db]\nuser = bob\npassword = «a$#@{l4}»"),
    ("properties", "spring.datasource.password=«{l9}»"),
    ("yaml", "db:\n  user: bob\n  password: «{l9}»"),
    ("yaml quoted", "db:\n  password: '«{l9}»'"),
    ("yaml block", "db:\n  password: |\n    «{l9}»\n  user: bob"),
    ("yaml phrase", "db:\n  user: bob\n  passphrase: «{l7} {l6} {l9} {l5}»"),
    ("kubernetes env", "env:\n- name: DB_PASSWORD\n  value: «{l9}»"),
    ("kubernetes key", "    client-key-data: «{b400}»"),
    ("compose", "environment:\n  - POSTGRES_PASSWORD=«{l9}»"),
    ("dockerfile", "ENV DB_PASSWORD «{l9}»"),
    ("terraform variable", "variable \"db_password\" {\n  type = string\n  default = \"«{l9}»\"\n}"),
    ("terraform", "resource \"x\" \"y\" {\n  password = \"«{l9}»\"\n}"),
    ("xml element", "<db><password>«{l9}»</password></db>"),
    ("xml attribute", "<db user=\"bob\" password=\"«{l9}»\"/>"),
    ("xml property", "<property name=\"password\" value=\"«{l9}»\"/>"),
    ("netrc", "machine h.internal login bob password «{l9}»"),
    ("pgpass", "db.internal:5432:app:bob:«{l9}»"),
    ("npmrc", "_password=«{A24}»"),
    ("toml", "[db]\npassword = \"«{l9}»\""),
    // Command lines and SQL.
    ("curl user", "curl -u bob:«{l9}» https://h.internal"),
    ("curl header", "curl -H \"X-Api-Key: «{A32}»\" https://h.internal"),
    ("mysql", "mysql -u bob -p«{l9}» app"),
    ("password flag", "deploy --user bob --password «{l9}»"),
    ("password flag with sign", "deploy --password=«{l9}»"),
    ("token flag", "deploy --token «{A32}»"),
    ("sshpass", "sshpass -p «{l9}» ssh bob@h.internal"),
    ("docker login", "docker login -u bob -p «{l9}»"),
    ("pgpassword", "PGPASSWORD=«{l9}» psql -h db"),
    ("redis", "redis-cli -h h -a «{A9}»"),
    ("openssl", "openssl enc -aes-256-cbc -pass pass:«{l9}» -in a"),
    ("identified by", "CREATE USER bob IDENTIFIED BY '«{l9}»';"),
    ("sql password", "ALTER ROLE bob WITH PASSWORD '«{l9}»';"),
    // Private keys.
    ("pem", "-----BEGIN RSA PRIVATE KEY-----\n«{b64}»\n«{b64}»\n«{b64}»\n-----END RSA PRIVATE KEY-----"),
    ("pem on one line", "{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n«{b64}\\n{b64}»\\n-----END PRIVATE KEY-----\\n\"}"),
    ("openssh", "-----BEGIN OPENSSH PRIVATE KEY-----\n«{b70}»\n«{b70}»\n-----END OPENSSH PRIVATE KEY-----"),
    ("pem in base64", "cert: «LS0tLS1CRUdJTiBSU0Eg{b300}»"),
    ("random literal", "seal(\"«{A44}»\")"),
];

fn kinds() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    KINDS.iter().chain(more::MORE).chain(forms::FORMS)
}

/// Puts a text into a context.
type Put = fn(&str) -> String;

/// Contexts in which a text may appear.
const PLACES: &[(&str, Put)] = &[
    ("code", |text| format!("fn before() {{}}\n\n{text}\n\nfn after() {{}}\n")),
    ("comment", |text| prefixed(text, "# ")),
    ("slashes", |text| prefixed(text, "// ")),
    ("step", |text| format!("@@ -1,2 +1,2 @@\n context\n-was\n{}", prefixed(text, "+"))),
    ("string", |text| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("let text = \"{escaped}\";\n")
    }),
    ("message", |text| format!("error: cannot read `{text}` in this place")),
    ("instruction", |text| format!("Write a test for this:\n\n{text}\n\nand say why.")),
    ("indented", |text| format!("steps:\n  - run:\n{}", prefixed(text, "      "))),
];

/// Known misses, and why.
#[rustfmt::skip]
const MISSED: &[(&str, &str, &str)] = &[
];

fn prefixed(text: &str, with: &str) -> String {
    text.lines().map(|line| format!("{with}{line}\n")).collect()
}

/// Pseudorandom numbers from a seed (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// Fills a template with random characters.
///
/// `A` is letters and digits, `L` letters, `l` lower-case letters, and so on.
pub(super) fn draw(template: &str, random: &mut Random) -> String {
    let mut drawn = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (kind, length) = match rest[open + 1..].split_once('}') {
            Some(("u", _)) => (b'u', 36),
            Some((inner, _)) if inner.len() >= 2 && inner[1..].bytes().all(|it| it.is_ascii_digit()) => {
                (inner.as_bytes()[0], inner[1..].parse::<usize>().unwrap())
            }
            _ => {
                drawn.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
                continue;
            }
        };
        drawn.push_str(&rest[..open]);
        let letters: &[u8] = match kind {
            b'A' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            b'L' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            b'l' => b"abcdefghijklmnopqrstuvwxyz",
            b'a' => b"abcdefghijklmnopqrstuvwxyz0123456789",
            b'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            b'd' => b"123456789",
            b'h' => b"0123456789abcdef",
            b'u' => b"0123456789abcdef",
            b'w' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            b'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            other => panic!("no kind of letters: {}", char::from(other)),
        };
        let mut part: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len())]).collect();
        // A short value may have no digit by chance, which services do not issue.
        for dash in [8, 13, 18, 23].into_iter().filter(|_| kind == b'u') {
            part[dash] = b'-';
        }
        if matches!(kind, b'A' | b'a' | b'h' | b'b' | b'w' | b'U') && length >= 3 {
            part[length / 2] = b'7';
            part[length / 3] = if kind == b'U' { b'K' } else { b'c' };
        }
        drawn.push_str(std::str::from_utf8(&part).unwrap());
        rest = &rest[open + inner_length(&rest[open..])..];
    }
    drawn + rest
}

fn inner_length(rest: &str) -> usize {
    rest.find('}').unwrap() + 1
}

/// The text without its marks, and the spans that were between them.
fn unmarked(marked: &str) -> (String, Vec<Range<usize>>) {
    let (mut text, mut spans, mut start) = (String::new(), Vec::new(), 0);
    for it in marked.chars() {
        match it {
            '«' => start = text.len(),
            '»' => spans.push(start..text.len()),
            other => text.push(other),
        }
    }
    (text, spans)
}

#[test]
fn secrets_of_every_kind_are_found_in_every_place() {
    let mut missed: Vec<(String, String)> = Vec::new();
    for (kind, template) in kinds() {
        for (place, put) in PLACES {
            for seed in 0..DRAWS {
                let drawn = draw(template, &mut Random(seed));
                let (text, secrets) = unmarked(&put(&drawn));
                assert!(!secrets.is_empty(), "{kind}");
                let found = find(&text);
                let covered = |at: usize| found.iter().any(|it| it.span.contains(&at));
                let whole = secrets.iter().all(|span| span.clone().all(covered));
                let expected = MISSED.iter().any(|(a, b, _)| a == kind && (*b == "*" || b == place));
                if !whole && !expected {
                    let near = found.iter().map(|it| &text[it.span.clone()]).collect::<Vec<_>>();
                    missed.push((format!("{kind} / {place}"), format!("{text}\n  found {near:?}")));
                }
            }
        }
    }
    let mut shown: Vec<String> = Vec::new();
    for (name, text) in &missed {
        if !shown.iter().any(|it| it.starts_with(&format!("{name}:"))) {
            let times = missed.iter().filter(|(it, _)| it == name).count();
            shown.push(format!("{name}: {times} of {DRAWS}: {text}"));
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", shown.len(), shown.join("\n"));
    for (kind, ..) in MISSED {
        assert!(kinds().any(|(it, _)| it == kind), "{kind} is no kind");
    }
}

/// A request shows the text before and after a cursor, together with a mark between them or each by itself.
#[test]
fn secrets_are_removed_wherever_a_request_divides_a_file() {
    for (kind, template) in kinds() {
        let drawn = draw(template, &mut Random(0));
        let (text, secrets) = unmarked(&format!("let before = 1;\n\n{drawn}\n\nlet after = 2;\n"));
        let found = find(&text);
        let known = Known::of(&text, &found);
        let is_apart = |at: &usize| !found.iter().any(|it| it.span.start <= *at && *at <= it.span.end);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).filter(is_apart) {
            let (whole, (before, after)) = (&text, text.split_at(at));
            let mut shown = [format!("{before}<|cursor|>{after}"), before.to_owned(), after.to_owned()];
            redact(&mut shown.iter_mut().collect::<Vec<_>>(), (&known, TextKind::Code), &mut 0);
            for text in &shown {
                let left = secrets.iter().find(|it| text.contains(&whole[(*it).clone()]));
                assert!(left.is_none(), "{kind}, divided behind {before:?}: {text}");
            }
        }
    }
}
