//! Secrets without quotes, which count by the kind of their file, whatever is around them.

use super::{Random, draw, unmarked};
use crate::privacy::{TextKind, find_in};

/// Names of files, and texts as in [`super::KINDS`].
#[rustfmt::skip]
const FILES: &[(&str, &str)] = &[
    ("values.yaml", "db_password: «{l9}»"),
    ("values.yaml", "password: «Hunter{l3}»"),
    ("values.yaml", "password: «{l5}.{l5}»"),
    ("values.yaml", "  pass: «{l6}{d4}»"),
    ("values.yaml", "- password: «{l9}»"),
    ("values.yaml", "db: {user: bob, password: «{l9}»}"),
    ("values.yaml", "password:\n  «{l9}»"),
    ("values.yaml", "password: |\n  «{l9}»"),
    ("docker-compose.yml", "      POSTGRES_PASSWORD: «hunter{l3}»"),
    ("docker-compose.yml", "      - POSTGRES_PASSWORD=«hunter{l3}»"),
    ("app.properties", "spring.mail.password=«{L9}»"),
    ("app.properties", "spring.mail.password = «{L9}»"),
    ("app.ini", "password = «{l9}»"),
    ("app.cfg", "password=«{l5}.{l5}»"),
    ("redis.conf", "requirepass «{l9}»"),
    ("vpn.conf", "password «{l6}{d1}{l3}»"),
    ("hosts", "web1 ansible_user=bob ansible_password=«{l9}» ansible_port=22"),
    ("Makefile", "DB_PASSWORD := «{l9}»"),
    ("Makefile", "db_password ?= «{l9}»"),
    ("Makefile", "db_password = «{l9}»"),
    ("deploy.sh", "  local password=«{l9}»"),
    ("deploy.sh", "declare -x password=«{l9}»"),
    (".env", "MAIL_PASSWORD=«{l9}»"),
    ("Dockerfile", "ENV DB_PASSWORD=«{l9}» PORT=80"),
];

/// Lines that may be next to a setting.
const NEIGHBOURS: &[&str] = &[
    "",
    "user: bob",
    "user: \"bob\"",
    "note: it's here",
    "# a comment",
    "- item",
    "---",
    "names: [a, b],",
    "end;",
    "[db]",
    "x = 'y'",
    "{",
    "call(a)",
];

/// Values that are no secret in any file.
const HARMLESS: &[(&str, &str)] = &[
    ("values.yaml", "password: ${DB_PASSWORD}"),
    ("values.yaml", "password: {{ .Values.password }}"),
    ("values.yaml", "password: *anchor"),
    ("values.yaml", "password: !vault |"),
    ("values.yaml", "password: \"\""),
    ("values.yaml", "password: changeme"),
    ("values.yaml", "passwordFile: /run/secrets/db"),
    ("values.yaml", "password: string"),
    ("deploy.sh", "password=$1"),
    ("deploy.sh", "password=$(pass show db)"),
    ("deploy.sh", "password=\"${password:-}\""),
    ("Makefile", "DB_PASSWORD := $(shell pass)"),
    (".env", "DB_PASSWORD=<your password>"),
];

fn is_hidden(file: &str, text: &str) -> bool {
    let (text, secrets) = unmarked(text);
    let found = find_in(&text, TextKind::of(file, ""));
    secrets.into_iter().all(|span| span.clone().all(|at| found.iter().any(|it| it.span.contains(&at))))
}

#[test]
fn passwords_in_settings_are_found_whatever_is_beside_them() {
    for (file, template) in FILES {
        for seed in 0..4 {
            let setting = draw(template, &mut Random(seed));
            for above in NEIGHBOURS {
                for below in NEIGHBOURS {
                    let text = format!("{above}\n{setting}\n{below}\n");
                    assert!(is_hidden(file, &text), "{file}: {text}");
                }
            }
            let diff: String = setting.lines().map(|line| format!("+{line}\n")).collect();
            let diff = format!(
                "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1,2 @@\n # x\n{diff}"
            );
            assert!(is_hidden("", &diff), "{diff}");
        }
    }
}

#[test]
fn settings_without_a_secret_are_left() {
    for (file, text) in HARMLESS {
        let text = format!("a: b\n{text}\nc: d\n");
        assert_eq!(find_in(&text, TextKind::of(file, "")), [], "{file}: {text}");
    }
}
