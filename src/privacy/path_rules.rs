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
    "*.env",
    ".envrc",
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
    ".aws/*",
    ".azure/*",
    ".ssh/*",
    ".gnupg/*",
    ".kube/config",
    "kubeconfig",
    "*.kubeconfig",
    ".config/gcloud/*",
    ".config/gh/hosts.yml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    "gradle.properties",
    ".terraformrc",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
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
    ".psql_history",
    ".mysql_history",
    ".rediscli_history",
    ".python_history",
    ".node_repl_history",
];

/// Files that match a glob above but contain only examples or code.
const HARMLESS: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env.defaults",
    "*.pub",
    "secrets.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
    "secret.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
    "credentials.{rs,py,js,ts,jsx,tsx,go,java,kt,rb,php,cs,c,cpp,h,hpp,swift,scala,md}",
];

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
    let own = |globs: &[&str]| Globs::new(globs, &mut Vec::new());
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
    /// An invalid glob is ignored. `deny` takes precedence over `allow`, and `allow` over the built-in globs.
    pub fn new(deny: &[String], allow: &[String]) -> (Self, Vec<BadGlob>) {
        let mut bad = Vec::new();
        let mut users =
            |globs: &[String]| Globs::new(&globs.iter().map(String::as_str).collect::<Vec<_>>(), &mut bad);
        let rules = Self { deny: users(deny), allow: users(allow), local_only: users(&[]), closed: None };
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
        Self { allow: Globs::new(&[], &mut Vec::new()), ..self.clone() }
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

/// Globs that match a path or any suffix of it.
#[derive(Clone)]
struct Globs {
    written: Arc<[String]>,
    set: GlobSet,
}

impl Globs {
    fn new(globs: &[&str], bad: &mut Vec<BadGlob>) -> Self {
        let mut written = Vec::new();
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let below = glob.trim_start_matches("./").trim_start_matches('/');
            // The name of a folder matches everything in it.
            let below = if below.ends_with('/') { format!("{below}**") } else { below.to_owned() };
            let anywhere = if below.starts_with("**/") { below } else { format!("**/{below}") };
            // Both sides are in lower case: a case-insensitive set would build an automaton from every name and
            // extension, which takes milliseconds at startup.
            match GlobBuilder::new(&anywhere.to_lowercase()).literal_separator(true).build() {
                Ok(built) => {
                    set.add(built);
                    written.push((*glob).to_owned());
                }
                Err(error) => bad.push(BadGlob { glob: (*glob).to_owned(), why: error.kind().to_string() }),
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
        let at = self.set.matches(path.to_lowercase()).into_iter().next()?;
        self.written.get(at).map(String::as_str)
    }
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
            /home/me/.ssh/config: files called `.ssh/*` hold secrets
            deploy/id_rsa.pub: open
            certs/Server.KEY: files called `*.key` hold secrets
            .aws/credentials: files called `.aws/*` hold secrets
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
