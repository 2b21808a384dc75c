//! The file of a machine's administrator: where its policy is, and whose signature it has.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::envelope::KEY_BYTES;
use crate::config::limits::CONFIG_FILE_BYTES;
use crate::config::network::{self, BaseUrl};
use crate::config::resolve_telemetry::basic_authorization;
use crate::config::{Endpoint, Secret};
use crate::disk::{self, Links, Unreadable};
use crate::lock::Mutex;

/// The administrator's file.
///
/// No variable of the environment has a part in the path: a user sets those. On Windows, `%ProgramData%` is one.
const SYSTEM_FILE: &str = if cfg!(windows) {
    r"C:\ProgramData\tandem\policy.toml"
} else if cfg!(target_os = "macos") {
    "/Library/Application Support/tandem/policy.toml"
} else {
    "/etc/tandem/policy.toml"
};

/// Where a policy is found on this machine.
#[derive(Debug, Clone)]
pub struct PolicyFiles {
    /// The administrator's file, which need not exist.
    pub machine: PathBuf,
    /// The folder in which the last good policy is kept.
    pub state: Option<PathBuf>,
    /// The wall clock.
    pub clock: fn() -> SystemTime,
    /// The note about the last good policy, if it could not be written.
    pub(super) unwritten: Arc<Mutex<Option<UnwrittenNote>>>,
}

/// A note that is in memory alone.
#[derive(Debug, Clone)]
pub(super) struct UnwrittenNote {
    /// The note.
    pub(super) text: String,
    /// Why it could not be written.
    pub(super) why: String,
}

impl PolicyFiles {
    /// The administrator's file at the one path of this system, and the user's state folder.
    pub fn of_system(state: Option<PathBuf>) -> Self {
        Self::at(SYSTEM_FILE.into(), state, SystemTime::now)
    }

    /// An administrator's file at another path, as tests have it.
    pub fn at(machine: PathBuf, state: Option<PathBuf>, clock: fn() -> SystemTime) -> Self {
        Self { machine, state, clock, unwritten: Arc::default() }
    }
}

/// What the administrator's file says.
#[derive(Debug, Clone)]
pub(super) struct PolicySource {
    /// Where the policy is fetched.
    pub(super) endpoint: Endpoint,
    /// The keys of which one has signed it.
    pub(super) keys: Vec<Vec<u8>>,
    /// Whether no model is asked without a valid policy.
    pub(super) is_required: bool,
    /// Tells policies apart: one of another place or key is no successor.
    pub(super) identity: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    url: String,
    public_key: String,
    next_public_key: Option<String>,
    required: Option<bool>,
    proxy: Option<String>,
    ca_file: Option<PathBuf>,
}

/// Reads the administrator's file; `None` if there is none. An error continues a sentence about the file.
pub(super) fn read(
    path: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<PolicySource>, String> {
    match disk::text(path, CONFIG_FILE_BYTES, Links::Follow) {
        Ok(text) => parse(&text, variable).map(Some),
        Err(Unreadable::Missing) => match path.ancestors().find_map(disk::obstacle) {
            Some(why) => Err(format!("cannot be read: {why}")),
            None => Ok(None),
        },
        Err(why) => Err(format!("cannot be read: {why}")),
    }
}

fn parse(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<PolicySource, String> {
    let wrong = |error: toml::de::Error| {
        let line = error.span().and_then(|it| text.get(..it.start)).map_or(0, |it| it.matches('\n').count());
        format!("line {}: {}", line + 1, error.message())
    };
    let file: MachineFile = toml::from_str(text).map_err(wrong)?;
    let url = BaseUrl::parse(&file.url).map_err(|why| format!("`url` {why}"))?;
    let is_plain_here = url.base.starts_with("http://") && url.is_local();
    if !is_plain_here && !url.base.starts_with("https://") {
        return Err("`url` must begin with https://".to_owned());
    }
    let key = |name: &str, text: &str| {
        let key = BASE64_STANDARD.decode(text.trim()).ok().filter(|it| it.len() == KEY_BYTES);
        key.ok_or_else(|| format!("`{name}` is no Ed25519 key in Base64; `tandem policy sign` prints it"))
    };
    let mut keys = vec![key("public_key", &file.public_key)?];
    if let Some(next) = &file.next_public_key {
        keys.push(key("next_public_key", next)?);
    }
    let proxy = network::proxy(&url, file.proxy.as_deref(), None, variable)?;
    let endpoint = Endpoint {
        provider: "the policy's server".to_owned(),
        base_url: url.base,
        query: url.query.map(Secret::new),
        headers: url.user.map(basic_authorization).into_iter().collect(),
        proxy: proxy.map(Secret::new),
        ca_file: file.ca_file,
        ..Endpoint::default()
    };
    // A second key announces a change of keys, which leaves the policy the same.
    let identity = format!("{} {}", endpoint.base_url, file.public_key.trim());
    Ok(PolicySource { endpoint, keys, is_required: file.required.unwrap_or(true), identity })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn file_is_read_or_its_defect_named() {
        let check = |text: &str, expect: Expect| {
            let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
            let text = text.replace("KEY", &format!("public_key = \"{key}\""));
            let variable = |name: &str| (name == "HTTPS_PROXY").then(|| "proxy.test:3128".to_owned());
            let shown = parse(&text, &variable).map(|it| {
                let proxy = it.endpoint.proxy.as_ref().map_or("none", Secret::expose);
                format!("{}, {} keys, required {}, proxy {proxy}", it.identity, it.keys.len(), it.is_required)
            });
            expect.assert_eq(&shown.unwrap_or_else(|why| why));
        };
        check(
            "url = \"https://a.test/policy.toml\"\nKEY",
            expect![
                "https://a.test/policy.toml 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=, 1 keys, required true, proxy http://proxy.test:3128"
            ],
        );
        check(
            "url = \"http://127.0.0.1:1/p?key=canary\"\nrequired = false\nKEY",
            expect![
                "http://127.0.0.1:1/p 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=, 1 keys, required false, proxy none"
            ],
        );
        check("url = \"http://a.test/p\"\nKEY", expect!["`url` must begin with https://"]);
        check("url = \"wss://a.test/p\"\nKEY", expect!["`url` must begin with https://"]);
        check("url = \"a.test\"\nKEY", expect!["`url` must begin with http:// or https://"]);
        check(
            "url = \"https://a.test\"\npublic_key = \"AAAA\"",
            expect!["`public_key` is no Ed25519 key in Base64; `tandem policy sign` prints it"],
        );
        check(
            "url = \"https://a.test\"\nKEY\nnext_public_key = \"x\"",
            expect!["`next_public_key` is no Ed25519 key in Base64; `tandem policy sign` prints it"],
        );
        check("url = 1", expect!["line 1: invalid type: integer `1`, expected a string"]);
        check("", expect!["line 1: missing field `url`"]);
        check(
            "url = \"https://a.test\"\nKEY\nneeded = false",
            expect![
                "line 3: unknown field `needed`, expected one of `url`, `public_key`, `next_public_key`, `required`, `proxy`, `ca_file`"
            ],
        );
    }

    #[cfg(unix)]
    #[test]
    fn file_that_is_meant_to_be_there_is_not_absent() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(path("gone"), path("link")).unwrap();
        std::fs::write(path("file"), "").unwrap();
        let check = |path: PathBuf, expected: &str| {
            let shown = match read(&path, &|_| None) {
                Ok(found) => format!("found: {}", found.is_some()),
                Err(why) => why.replace(&folder.path().display().to_string(), ""),
            };
            assert_eq!(shown, expected);
        };
        check(path("gone"), "found: false");
        check(path("gone").join("policy.toml"), "found: false");
        check(path("link"), "cannot be read: /link is a link to a file that is not there");
        check(
            path("link").join("policy.toml"),
            "cannot be read: /link is a link to a file that is not there",
        );
        check(path("file").join("policy.toml"), "cannot be read: /file is no folder");
    }
}
