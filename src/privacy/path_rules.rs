//! Decides by their path which files may not be shown to models.

use std::fmt;
use std::sync::{Arc, LazyLock};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::Verdict;

/// Names of files that usually contain keys or passwords, in any project.
const SECRET: &[&str] = &[
    // Environments.
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    ".envrc",
    ".envrc.*",
    ".dev.vars",
    // Keys, also of certificates.
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc",
    "*.gpg",
    "*.age",
    "*.pkcs12",
    "*.jceks",
    "*.ovpn",
    "ssh_host_*_key",
    // Credentials stored by tools.
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".docker/config.json",
    ".aws/",
    ".azure/",
    ".ssh/",
    ".gnupg/",
    ".kube/config",
    "kubeconfig",
    "*.kubeconfig",
    "kubeconfig.{yaml,yml,json,conf}",
    ".config/gcloud/",
    ".config/gh/hosts.yml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    "gradle.properties",
    ".terraformrc",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".vault[-_]pass*",
    ".databrickscfg",
    ".s3cfg",
    ".boto",
    "rclone.conf",
    ".mylogin.cnf",
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    "etc/gshadow-",
    ".sentryclirc",
    ".composer/auth.json",
    ".m2/settings.xml",
    // State and variables with secrets in plain text.
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    // Generic names.
    "secrets.*",
    "secret.*",
    "*.secret",
    "*.secrets",
    "credentials",
    "credentials.*",
    "*credentials*.json",
    "service-account*.json",
    "master.key",
    "*.vault",
    // Shell and REPL histories.
    ".bash_history",
    ".zsh_history",
    "fish_history",
    ".psql_history",
    ".mysql_history",
    ".rediscli_history",
    ".python_history",
    ".node_repl_history",
];

/// Files that match a glob above but contain only examples or code.
const HARMLESS: &[&str] = &[
    ".env[-._]{example,sample,template,dist,defaults}",
    "*.pub",
    "secrets.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
    "secret.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
    "credentials.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
];

/// Endings of the copies that editors and people make of a file.
const COPIES: &[&str] = &["~", ".bak", ".old", ".orig", ".swp", ".save"];

/// Judges paths. Cheap to clone.
#[derive(Clone)]
pub struct PathRules {
    deny: Globs,
    allow: Globs,
    /// Files in which the local engine alone works.
    local_only: Globs,
    /// Why no file may be shown, if some rules are unknown.
    closed: Option<Arc<str>>,
}

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| {
    let own = |globs: &[&str]| Globs::new(globs, Covers::Named, &mut Vec::new());
    BuiltIn { secret: own(SECRET), harmless: own(HARMLESS) }
});

/// The built-in globs of this module.
struct BuiltIn {
    secret: Globs,
    harmless: Globs,
}

/// A glob that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no glob: {why}")]
pub struct BadGlob {
    /// The glob as written.
    pub glob: String,
    /// The defect of the glob.
    pub why: String,
}

impl Default for PathRules {
    fn default() -> Self {
        Self::new(&[], &[]).0
    }
}

impl fmt::Debug for PathRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathRules").finish_non_exhaustive()
    }
}

impl Eq for PathRules {}

/// Two sets of rules with the same globs are equal.
impl PartialEq for PathRules {
    fn eq(&self, other: &Self) -> bool {
        self.deny.written == other.deny.written
            && self.allow.written == other.allow.written
            && self.local_only.written == other.local_only.written
            && self.closed == other.closed
    }
}

impl PathRules {
    /// Rules with these globs in addition to the built-in ones, and the invalid globs.
    ///
    /// An invalid glob is ignored. A glob of `deny` that matches a folder covers all below it. `deny` takes precedence over `allow`, and `allow` over the built-in globs.
    pub fn new(deny: &[String], allow: &[String]) -> (Self, Vec<BadGlob>) {
        let mut bad = Vec::new();
        let mut users = |globs: &[String], covers: Covers| {
            Globs::new(&globs.iter().map(String::as_str).collect::<Vec<_>>(), covers, &mut bad)
        };
        let (deny, allow) = (users(deny, Covers::Below), users(allow, Covers::Named));
        let rules = Self { deny, allow, local_only: users(&[], Covers::Below), closed: None };
        (rules, bad)
    }

    /// The same rules with other globs to deny, and the invalid ones among these.
    pub fn denying(&self, deny: &[String]) -> (Self, Vec<BadGlob>) {
        let (rules, bad) = Self::new(deny, &[]);
        (Self { deny: rules.deny, ..self.clone() }, bad)
    }

    /// The same rules without globs to allow.
    #[must_use]
    pub fn allowing_none(&self) -> Self {
        Self { allow: Globs::new(&[], Covers::Named, &mut Vec::new()), ..self.clone() }
    }

    /// The same rules with these globs, which are valid, for files in which the local engine alone works.
    #[must_use]
    pub fn local_only(&self, globs: &[String]) -> Self {
        Self { local_only: Self::new(globs, &[]).0.deny, ..self.clone() }
    }

    /// Marks the rules as incomplete, for this reason: files that they do not hide are not shown to models either.
    #[must_use]
    pub fn closed(self, why: &str) -> Self {
        Self { closed: Some(why.into()), ..self }
    }

    /// Judges a path with `/` between its parts, absolute or not.
    pub fn verdict(&self, path: &str) -> Verdict {
        if let Some(glob) = self.deny.first(path) {
            return Verdict::Secret(format!("`privacy.deny` has `{glob}`").into());
        }
        let open = || match (&self.closed, self.local_only.first(path)) {
            (Some(why), _) => Verdict::Ignored(Arc::clone(why)),
            (None, Some(glob)) => {
                Verdict::Ignored(format!("the company's policy keeps `{glob}` local").into())
            }
            (None, None) => Verdict::Open,
        };
        if self.allow.first(path).is_some() || BUILT_IN.harmless.first(path).is_some() {
            return open();
        }
        match BUILT_IN.secret.first(path) {
            Some(glob) => Verdict::Secret(format!("files called `{glob}` hold secrets").into()),
            None => open(),
        }
    }

    /// Whether the user allows the path by name, so that ignore files do not apply.
    pub fn allows(&self, path: &str) -> bool {
        self.closed.is_none()
            && self.deny.first(path).is_none()
            && self.local_only.first(path).is_none()
            && self.allow.first(path).is_some()
    }
}

/// What a glob covers that matches a folder without being one of a folder by its `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covers {
    /// The files that it matches by name.
    Named,
    /// All below the folder, too, as a line of a `.gitignore`.
    Below,
}

/// Globs that match a path or any suffix of it, or what its file is a copy of.
#[derive(Clone)]
struct Globs {
    written: Arc<[String]>,
    set: GlobSet,
}

impl Globs {
    fn new(globs: &[&str], covers: Covers, bad: &mut Vec<BadGlob>) -> Self {
        let mut written = Vec::new();
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let built = anywhere(glob).and_then(|anywhere| {
                let below = (covers == Covers::Below).then(|| format!("{anywhere}/**"));
                let all = [Some(anywhere), below].into_iter().flatten();
                // Both sides are in lower case: a case-insensitive set would build an automaton from every name and
                // extension, which takes milliseconds at startup.
                let built =
                    all.map(|it| GlobBuilder::new(&it.to_lowercase()).literal_separator(true).build());
                built.collect::<Result<Vec<_>, _>>().map_err(|error| error.kind().to_string())
            });
            match built {
                Ok(built) => {
                    for glob_of in built {
                        set.add(glob_of);
                        written.push((*glob).to_owned());
                    }
                }
                Err(why) => bad.push(BadGlob { glob: (*glob).to_owned(), why }),
            }
        }
        // Each glob was built on its own; together they exceed the limit only by the thousand.
        let set = set.build().unwrap_or_else(|error| {
            bad.push(BadGlob { glob: globs.join(", "), why: error.kind().to_string() });
            GlobSet::empty()
        });
        Self { written: written.into(), set }
    }

    /// The first glob that matches.
    fn first(&self, path: &str) -> Option<&str> {
        let path = path.to_lowercase();
        let original = COPIES.iter().find_map(|ending| path.strip_suffix(ending));
        // `.a.swp` belongs to `a`.
        let hidden = original.and_then(|it| it.rsplit_once('/').unwrap_or(("", it)).1.strip_prefix('.'));
        let at = [Some(&*path), original, hidden]
            .into_iter()
            .flatten()
            .find_map(|it| self.set.matches(it).into_iter().next())?;
        self.written.get(at).map(String::as_str)
    }
}

/// The glob that matches where a user's glob does, in any folder; or why it would match nothing.
fn anywhere(glob: &str) -> Result<String, String> {
    let below = glob.trim_start_matches("./");
    match () {
        () if glob.trim() != glob => return Err("it begins or ends with a blank".to_owned()),
        () if glob.is_empty() => return Err("it is empty".to_owned()),
        () if glob.starts_with('!') => return Err("`!` has no meaning here; use `privacy.allow`".to_owned()),
        () if glob.replace("[$]", "").contains('$') => {
            return Err("variables are not expanded; write `[$]` for the sign".to_owned());
        }
        () if below.split('/').any(|part| part == "..") => return Err("`..` matches no folder".to_owned()),
        () => {}
    }
    let below = match below.strip_prefix("~/") {
        Some(rest) => {
            let home = std::env::home_dir().ok_or("the home folder is not known")?;
            format!("{}/{rest}", globset::escape(&home.to_string_lossy().replace('\\', "/")))
        }
        None => below.to_owned(),
    };
    let below = below.trim_start_matches('/');
    // The name of a folder matches everything in it.
    let below = if below.ends_with('/') { format!("{below}**") } else { below.to_owned() };
    Ok(if below.starts_with("**/") { below } else { format!("**/{below}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(deny: &[&str], allow: &[&str], paths: &[&str], expect: Expect) {
        let owned = |globs: &[&str]| globs.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let (rules, bad) = PathRules::new(&owned(deny), &owned(allow));
        let mut shown: String = paths
            .iter()
            .map(|path| format!("{path}: {}\n", rules.verdict(path).why().unwrap_or("open")))
            .collect();
        shown.extend(bad.iter().map(|it| format!("{it}\n")));
        expect.assert_eq(&shown);
    }

    #[test]
    fn knows_files_that_hold_secrets() {
        let paths = [
            ".env",
            "/home/me/app/.env.production",
            "app/.env.example",
            "app/prod.env",
            "/home/me/.ssh/id_ed25519",
            "/home/me/.ssh/config",
            "deploy/id_rsa.pub",
            "certs/Server.KEY",
            ".aws/credentials",
            ".kube/config",
            "infra/terraform.tfstate.backup",
            "config/secrets.yml",
            "src/secrets.rs",
            "src/credentials.py",
            "google-credentials-prod.json",
            "C:/Users/me/.npmrc",
            "src/environment.ts",
            "src/key.rs",
            "keys.md",
            "config.json",
        ];
        check(
            &[],
            &[],
            &paths,
            expect![[r#"
            .env: files called `.env` hold secrets
            /home/me/app/.env.production: files called `.env.*` hold secrets
            app/.env.example: open
            app/prod.env: files called `*.env` hold secrets
            /home/me/.ssh/id_ed25519: files called `id_ed25519*` hold secrets
            /home/me/.ssh/config: files called `.ssh/` hold secrets
            deploy/id_rsa.pub: open
            certs/Server.KEY: files called `*.key` hold secrets
            .aws/credentials: files called `.aws/` hold secrets
            .kube/config: files called `.kube/config` hold secrets
            infra/terraform.tfstate.backup: files called `*.tfstate.*` hold secrets
            config/secrets.yml: files called `secrets.*` hold secrets
            src/secrets.rs: open
            src/credentials.py: open
            google-credentials-prod.json: files called `*credentials*.json` hold secrets
            C:/Users/me/.npmrc: files called `.npmrc` hold secrets
            src/environment.ts: open
            src/key.rs: open
            keys.md: open
            config.json: open
        "#]],
        );
    }

    #[test]
    fn secret_files_are_told_by_name_alone() {
        let is_secret = |name: &str| matches!(PathRules::default().verdict(name), Verdict::Secret(_));
        for name in [
            "a/.npmrc",
            "id_dsa",
            "key.asc",
            "/home/me/.netrc",
            "/etc/shadow",
            "image/rootfs/etc/gshadow-",
            ".pgpass",
            "kubeconfig",
            "C:/x/.ENV",
            ".kube/config",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["src/secrets.rs", ".env.example", "id_rsa.pub", "a.rs", "config", "src/shadow"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn folders_of_secrets_and_copies_of_their_files_are_secret() {
        let is_secret = |name: &str| matches!(PathRules::default().verdict(name), Verdict::Secret(_));
        for name in [
            "/home/me/.aws/sso/cache/x.json",
            ".ssh/keys/prod",
            ".config/gcloud/legacy_credentials/me/adc.json",
            ".azure/x/y.json",
            ".gnupg/private-keys-v1.d/AB.x",
            ".env~",
            ".env-local",
            ".envrc.local",
            ".npmrc.bak",
            "server.key.bak",
            "key.pem~",
            "config/.secrets.yml.swp",
            ".secrets.yml.swp",
            ".vault_pass",
            "fish_history",
            "kubeconfig.yaml",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "src/main.rs~",
            ".env.example.bak",
            "a/.env-sample",
            "id_rsa.pub.old",
            "notes.bak",
            "a/src/kubeconfig.go",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn denied_folder_covers_all_below_it() {
        let path = "a/customers/north/x.json";
        for glob in [
            "customers/",
            "customers",
            "./customers",
            "customers/*",
            "cust*",
            "**/customers/**",
            "a/customers",
        ] {
            let denied = PathRules::new(&[glob.to_owned()], &[]).0.verdict(path);
            assert!(matches!(denied, Verdict::Secret(_)), "{glob}");
        }
        let allowed = PathRules::new(&[], &["keys".to_owned()]).0;
        assert!(matches!(allowed.verdict("keys/a.pem"), Verdict::Secret(_)));
        let home = std::env::home_dir().unwrap().to_string_lossy().replace('\\', "/");
        let rules = PathRules::new(&["~/customers".to_owned()], &[]).0;
        assert!(matches!(rules.verdict(&format!("{home}/customers/a")), Verdict::Secret(_)));
        assert_eq!(rules.verdict("/srv/customers/a"), Verdict::Open);
    }

    #[test]
    fn globs_that_match_nothing_are_invalid() {
        check(
            &["$HOME/a", "../a", "a/../b", "!a", " a", "a ", "", "a[$]"],
            &[],
            &["a$"],
            expect![[r#"
            a$: `privacy.deny` has `a[$]`
            `$HOME/a` is no glob: variables are not expanded; write `[$]` for the sign
            `../a` is no glob: `..` matches no folder
            `a/../b` is no glob: `..` matches no folder
            `!a` is no glob: `!` has no meaning here; use `privacy.allow`
            ` a` is no glob: it begins or ends with a blank
            `a ` is no glob: it begins or ends with a blank
            `` is no glob: it is empty
        "#]],
        );
    }

    #[test]
    fn lets_the_user_deny_and_allow() {
        let paths = ["a/fixtures/customers/x.json", "a/data.sql", "a/test.pem", "a/b/own.pem", "a/.env"];
        check(
            &["fixtures/customers/", "*.sql", "own.pem", "a{"],
            &["*.pem"],
            &paths,
            expect![[r#"
            a/fixtures/customers/x.json: `privacy.deny` has `fixtures/customers/`
            a/data.sql: `privacy.deny` has `*.sql`
            a/test.pem: open
            a/b/own.pem: `privacy.deny` has `own.pem`
            a/.env: files called `.env` hold secrets
            `a{` is no glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
        "#]],
        );
    }
}
