//! Whether a base URL is one that a policy allows.

use crate::config::network::BaseUrl;

/// Whether `rule` covers a base URL: the same scheme, host and port, and its path or one below.
///
/// The host of a rule may begin with `*.`, for every host of a domain. A program that is a language server has the URL
/// `lsp:PROGRAM`.
pub(super) fn covers(rule: &str, base_url: &str) -> bool {
    if rule.starts_with("lsp:") || base_url.starts_with("lsp:") {
        return rule == base_url;
    }
    let (Some(rule), Some(url)) = (Parts::of(rule), Parts::of(base_url)) else { return false };
    let is_host = match rule.host.strip_prefix('*') {
        Some(domain) if domain.starts_with('.') => {
            url.host.len() > domain.len() && url.host.ends_with(domain)
        }
        _ => rule.host == url.host,
    };
    let below = url.path.strip_prefix(&*rule.path);
    is_host
        && (rule.is_encrypted, rule.port) == (url.is_encrypted, url.port)
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        // A server may resolve such a path to one above.
        && !url.path.contains("/.")
        && !url.path.contains(['%', '\\'])
}

/// Whether it is a URL that a policy can name.
pub(super) fn is_rule(rule: &str) -> bool {
    rule.strip_prefix("lsp:").is_some_and(|program| !program.is_empty()) || Parts::of(rule).is_some()
}

/// A URL taken apart. A WebSocket's scheme counts as that of HTTP.
struct Parts {
    is_encrypted: bool,
    host: String,
    port: u16,
    path: String,
}

impl Parts {
    fn of(url: &str) -> Option<Self> {
        let base = BaseUrl::parse(url).ok()?.base;
        let (scheme, rest) = base.split_once("://")?;
        let is_encrypted = ["https", "wss"].contains(&scheme);
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        // The brackets of an IPv6 address hold colons, too.
        let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (authority, if is_encrypted { 443 } else { 80 }),
        };
        Some(Self { is_encrypted, host: host.to_ascii_lowercase(), port, path: path.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_is_covered_by_its_own_place_and_those_above() {
        let check = |rule: &str, url: &str, expected: bool| {
            assert_eq!(covers(rule, url), expected, "{rule} {url}");
        };
        for url in [
            "https://gw.corp.test/v1",
            "wss://GW.corp.test:443/v1/",
            "https://gw.corp.test/v1/openai",
            "https://me:key@gw.corp.test/v1?x=1",
        ] {
            check("https://gw.corp.test/v1", url, true);
        }
        for url in [
            "http://gw.corp.test/v1",
            "https://gw.corp.test/v2",
            "https://gw.corp.test/v10",
            "https://gw.corp.test",
            "https://gw.corp.test:8443/v1",
            "https://gw.corp.test.evil.test/v1",
            "https://evil.test\\.gw.corp.test/v1",
            "https://evil.test\\@gw.corp.test/v1",
            "https://evil.test%2f.gw.corp.test/v1",
            "https://gw.corp.test@evil.test/v1",
            "https://gw.corp.test/v1/../evil",
            "https://gw.corp.test/v1/%2e%2e/evil",
            "https://gw.corp.test/v1/..\\evil",
            "lsp:gw.corp.test",
            "",
        ] {
            check("https://gw.corp.test/v1", url, false);
        }
        check("https://*.corp.test", "https://a.b.corp.test/x", true);
        check("https://*.corp.test", "https://corp.test/x", false);
        check("https://*.corp.test", "https://evilcorp.test/x", false);
        check("http://[::1]:8080", "http://[::1]:8080/v1", true);
        check("http://[::1]", "http://[::1]:8080/v1", false);
        check("lsp:copilot-language-server", "lsp:copilot-language-server", true);
        check("lsp:copilot-language-server", "lsp:other", false);
        assert!(is_rule("https://a.test") && is_rule("lsp:x"));
        assert!(!is_rule("a.test") && !is_rule("lsp:") && !is_rule("https://a:port"));
    }
}
