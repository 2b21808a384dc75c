//! The destination of a request: parsed URLs, and the proxy.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;

/// A parsed URL, split into the part that can be shown and those that may contain a key.
pub(super) struct BaseUrl {
    /// Scheme, host and path, without a slash at the end.
    pub(super) base: String,
    /// `user:password`, decoded.
    pub(super) user: Option<Vec<u8>>,
    /// The text after the `?`.
    pub(super) query: Option<String>,
}

impl BaseUrl {
    /// Parses a provider's URL.
    pub(super) fn parse(written: &str) -> Result<Self, &'static str> {
        let known = |scheme: &str| ["http", "https", "ws", "wss"].contains(&scheme);
        let (scheme, rest) = written
            .split_once("://")
            .filter(|(scheme, _)| known(scheme))
            .ok_or("must begin with http:// or https://")?;
        // Parsers of browsers, as the HTTP client has one, take a backslash as a slash, which ends the host.
        if !written.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
            return Err("has a character that no URL has");
        }
        let (rest, _fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query.to_owned())),
            None => (rest, None),
        };
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let (user, host) = match host.rsplit_once('@') {
            Some((user, host)) => (Some(percent_decode_str(user).collect()), host),
            None => (None, host),
        };
        if host.is_empty() {
            return Err("names no host");
        }
        // The asterisk is that of a policy's rules, and a database may have several hosts. The client decodes percent
        // signs.
        if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]*,".contains(&byte)) {
            return Err("has a host with a character that no host has");
        }
        Ok(Self { base: format!("{scheme}://{host}{}", path.trim_end_matches('/')), user, query })
    }

    fn is_encrypted(&self) -> bool {
        self.base.starts_with("https:") || self.base.starts_with("wss:")
    }

    /// The host without its port.
    fn host(&self) -> &str {
        let rest = self.base.split_once("://").map_or(&*self.base, |(_, rest)| rest);
        let host = rest.split('/').next().unwrap_or_default();
        match host.strip_prefix('[').and_then(|it| it.split_once(']')) {
            Some((address, _)) => address,
            None => host.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether the host is this machine.
    pub(super) fn is_local(&self) -> bool {
        is_this_machine(self.host())
    }
}

/// Whether the name or address of a host is one of this machine.
pub fn is_this_machine(host: &str) -> bool {
    // A name such as `127.example.com` is not one.
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}

/// Whether a provider's URL refers to this machine.
pub fn is_on_this_machine(url: &str) -> bool {
    BaseUrl::parse(url).is_ok_and(|url| url.is_local())
}

/// Completes a provider's URL as a user writes it.
///
/// Without a scheme, it is plain HTTP on this machine, else HTTPS.
///
/// # Errors
///
/// The defect of the URL, without the URL itself.
pub fn complete_url(written: &str) -> Result<String, &'static str> {
    let written = written.trim();
    let plain = format!("http://{written}");
    let url = match written.contains("://") {
        true => written.to_owned(),
        false if is_on_this_machine(&plain) => plain,
        false => format!("https://{written}"),
    };
    BaseUrl::parse(&url).map(|_| url)
}

/// The value that disables the proxy.
const NONE: &str = "none";

/// The proxy for `url`: the provider's own, else the common one, else the environment's. The latter two do not apply
/// to this machine. The error has no URL, which may contain a password. There is no fallback to a direct connection.
pub(super) fn proxy(
    url: &BaseUrl,
    provider: Option<&str>,
    common: Option<&str>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, String> {
    let either = |name: &str| {
        let value = variable(name).or_else(|| variable(&name.to_ascii_lowercase()));
        value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let (chosen, name) = match (provider, common) {
        (Some(own), _) => (Some(own.to_owned()), "its `proxy`"),
        (None, _) if url.is_local() => (None, ""),
        (None, Some(common)) => (Some(common.to_owned()), "`proxy`"),
        (None, None) if either("NO_PROXY").is_some_and(|list| is_listed(url.host(), &list)) => (None, ""),
        (None, None) => {
            let names =
                if url.is_encrypted() { ["HTTPS_PROXY", "ALL_PROXY"] } else { ["HTTP_PROXY", "ALL_PROXY"] };
            (names.iter().find_map(|name| either(name)), "the environment's proxy")
        }
    };
    let Some(chosen) = chosen.filter(|it| it != NONE) else { return Ok(None) };
    // By convention, a proxy may be given without a scheme.
    let chosen = if chosen.contains("://") { chosen } else { format!("http://{chosen}") };
    let wrong = match BaseUrl::parse(&chosen) {
        _ if !chosen.starts_with("http://") => "is not an http:// proxy",
        Err(why) => why,
        Ok(_) => return Ok(Some(chosen)),
    };
    Err(format!("{name} {wrong}; set `proxy = \"{NONE}\"` to go without"))
}

/// Whether `NO_PROXY` lists the host: as `*`, a name, or a domain suffix.
fn is_listed(host: &str, list: &str) -> bool {
    list.split(',').map(str::trim).filter(|it| !it.is_empty()).any(|entry| {
        let entry =
            entry.split(':').next().unwrap_or_default().trim_start_matches("*.").trim_start_matches('.');
        entry == "*"
            || host.eq_ignore_ascii_case(entry)
            || host.len() > entry.len()
                && host.is_char_boundary(host.len() - entry.len())
                && host[host.len() - entry.len()..].eq_ignore_ascii_case(entry)
                && host[..host.len() - entry.len()].ends_with('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn takes_urls_apart() {
        let check = |written: &str, expect: Expect| {
            let parts = BaseUrl::parse(written).map(|url| {
                let user = url.user.map(|it| String::from_utf8(it).unwrap());
                format!("{} {user:?} {:?}", url.base, url.query)
            });
            expect.assert_eq(&parts.unwrap_or_else(str::to_owned));
        };
        check("https://api.openai.com/v1/", expect!["https://api.openai.com/v1 None None"]);
        check(
            "https://me:p%40ss@host:8443/v1?api-version=1#x",
            expect![[r#"https://host:8443/v1 Some("me:p@ss") Some("api-version=1")"#]],
        );
        check("ftp://a", expect!["must begin with http:// or https://"]);
        check("api.openai.com/v1", expect!["must begin with http:// or https://"]);
        check("https://user@/v1", expect!["names no host"]);
        check("https://a b", expect!["has a character that no URL has"]);
    }

    fn check(
        url: &str,
        provider: Option<&str>,
        common: Option<&str>,
        environment: &[(&str, &str)],
        expect: Expect,
    ) {
        let variable =
            |name: &str| environment.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
        let url = BaseUrl::parse(url).unwrap();
        expect.assert_eq(&format!("{:?}", proxy(&url, provider, common, &variable)));
    }

    #[test]
    fn picks_the_proxy() {
        let environment =
            [("HTTPS_PROXY", "http://e:1"), ("http_proxy", "h:2"), ("NO_PROXY", "a.com, .b.org")];
        let api = "https://api.openai.com/v1";
        check(api, None, None, &environment, expect![[r#"Ok(Some("http://e:1"))"#]]);
        check("http://x.org", None, None, &environment, expect![[r#"Ok(Some("http://h:2"))"#]]);
        check("https://a.com", None, None, &environment, expect!["Ok(None)"]);
        check("https://c.b.org:1/v1", None, None, &environment, expect!["Ok(None)"]);
        check("https://notb.org", None, None, &environment, expect![[r#"Ok(Some("http://e:1"))"#]]);
        check("http://127.0.0.1:11434/v1", None, Some("http://c:3"), &environment, expect!["Ok(None)"]);
        check(
            "http://[::1]:1/v1",
            Some("http://p:4"),
            None,
            &environment,
            expect![[r#"Ok(Some("http://p:4"))"#]],
        );
        check(api, None, Some("none"), &environment, expect!["Ok(None)"]);
        check(api, Some("none"), Some("http://c:3"), &environment, expect!["Ok(None)"]);
        check(
            api,
            None,
            None,
            &[("ALL_PROXY", "socks5://me:canary@s:5")],
            expect![[
                r#"Err("the environment's proxy is not an http:// proxy; set `proxy = \"none\"` to go without")"#
            ]],
        );
    }

    #[test]
    fn url_without_a_scheme_gets_one() {
        let check = |written: &str, expected: Result<&str, &'static str>| {
            assert_eq!(complete_url(written).as_deref(), expected.as_deref(), "{written}");
        };
        check("localhost:7878", Ok("http://localhost:7878"));
        check(" 127.0.0.1:8080/v1 ", Ok("http://127.0.0.1:8080/v1"));
        check("models.example.com/v1", Ok("https://models.example.com/v1"));
        check("http://models.example.com", Ok("http://models.example.com"));
        check("ftp://a", Err("must begin with http:// or https://"));
        check("my server", Err("has a character that no URL has"));
        check("", Err("names no host"));
    }
}
