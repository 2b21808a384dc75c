//! Indications that a change needs a deep model: names, statements and words.

use crate::text::ident;

/// Path words that mark security-sensitive code.
const CRITICAL_PATHS: &[&str] = &[
    "acl",
    "auth",
    "authentication",
    "authorization",
    "authorize",
    "authn",
    "authz",
    "crypto",
    "cryptography",
    "csrf",
    "credential",
    "credentials",
    "encryption",
    "jwt",
    "login",
    "oauth",
    "oauth2",
    "passwd",
    "password",
    "passwords",
    "permission",
    "permissions",
    "sanitize",
    "sanitizer",
    "secret",
    "secrets",
    "security",
    "sso",
    "tls",
    "validation",
    "validator",
    "validators",
];
/// Words that only occur in names of security-sensitive code.
const CRITICAL_SYMBOLS: &[&str] = &[
    "authenticate",
    "authenticated",
    "authorize",
    "authorized",
    "bcrypt",
    "argon2",
    "cipher",
    "credential",
    "credentials",
    "csrf",
    "decrypt",
    "encrypt",
    "hmac",
    "jwt",
    "oauth",
    "passwd",
    "password",
    "passwords",
    "sanitize",
    "scrypt",
];
/// Statements that change a database's schema.
const SCHEMA_CHANGES: &[&str] =
    &["alter table", "create table", "drop table", "drop column", "rename column", "truncate table"];
/// Path words of files that change a database's schema.
const MIGRATION_PATHS: &[&str] = &["migration", "migrations", "migrate", "alembic", "flyway", "liquibase"];

/// Whether a path contains a word that marks security-sensitive code.
pub fn is_critical_path(path: &str) -> bool {
    words(path).any(|word| contains(CRITICAL_PATHS, word))
}

/// Whether a path, or a statement in the code, changes a database's schema.
pub fn is_migration(path: &str, code: &str) -> bool {
    words(path).any(|word| contains(MIGRATION_PATHS, word)) || {
        let code = code.to_ascii_lowercase();
        SCHEMA_CHANGES.iter().any(|statement| code.contains(statement))
    }
}

/// The first name in the code that marks it as security-sensitive.
pub fn critical_symbol(code: &str) -> Option<&str> {
    ident::words(code).find(|name| words(name).any(|word| contains(CRITICAL_SYMBOLS, word)))
}

/// Whether an instruction lists several steps: list items, or consecutive clauses.
pub(super) fn asks_for_steps(instruction: &str) -> bool {
    let is_item = |line: &&str| {
        let line = line.trim_start();
        let rest = line.trim_start_matches(|it: char| it.is_ascii_digit());
        let numbered = rest.len() < line.len() && rest.starts_with(['.', ')']);
        numbered || line.starts_with("- ") || line.starts_with("* ")
    };
    let lower = instruction.to_lowercase();
    let clauses = [", then ", " and then ", "; ", ". then ", ", finally ", ". finally ", " after that"];
    let turns: usize = clauses.iter().map(|clause| lower.matches(clause).count()).sum();
    instruction.lines().filter(is_item).count() >= 2 || turns >= 2
}

fn contains(list: &[&str], word: &str) -> bool {
    list.iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// Splits a path or a name into words: `hashPassword` has `hash` and `Password`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric()).flat_map(humps).filter(|word| !word.is_empty())
}

/// A name, and its parts: it is split before each capital that follows a lower-case letter.
///
/// The whole name is included for cases such as `OAuth`.
fn humps(name: &str) -> impl Iterator<Item = &str> {
    let mut cuts = vec![0];
    let mut last_is_small = false;
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && last_is_small {
            cuts.push(at);
        }
        last_is_small = letter.is_lowercase();
    }
    cuts.push(name.len());
    let parts: Vec<&str> = cuts.windows(2).map(|cut| &name[cut[0]..cut[1]]).collect();
    std::iter::once(name).chain(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_paths_by_words() {
        for path in ["auth/session.rs", "src/OAuth.ts", "lib/user_password.py", "app/LoginForm.tsx", "tls.c"]
        {
            assert!(is_critical_path(path), "{path}");
        }
        // None of these has such a word, though parts of their words resemble one.
        for path in ["src/author.rs", "src/tokens.rs", "titles.py", "lib/session.rs", "blogin.rs"] {
            assert!(!is_critical_path(path), "{path}");
        }
    }

    #[test]
    fn names_the_symbol() {
        assert_eq!(critical_symbol("let x = hashPassword(a);"), Some("hashPassword"));
        assert_eq!(critical_symbol("fn hmac_of(data: &[u8]) {}"), Some("hmac_of"));
        assert_eq!(critical_symbol("fn area(width: u32) -> u32 { width * 猫 }"), None);
    }

    #[test]
    fn counts_steps() {
        let steps = [
            "1. add a field\n2. use it",
            "- split it\n- test it",
            "make it async, then add a timeout, and then log it",
            "add a cache; use it in `load`; drop the old one",
        ];
        for text in steps {
            assert!(asks_for_steps(text), "{text}");
        }
        for text in ["return a Result instead of panicking", "if it fails, then return None", "use v1.2; ok"]
        {
            assert!(!asks_for_steps(text), "{text}");
        }
    }

    #[test]
    fn knows_migrations() {
        assert!(is_migration("db/migrate/001.rb", ""));
        assert!(is_migration("a.py", "op.execute('ALTER TABLE a ADD b int')"));
        assert!(!is_migration("a.py", "table.alter(b)"));
    }
}
