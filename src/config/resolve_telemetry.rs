//! Resolves the collector of telemetry.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::network::{self, BaseUrl};
use super::obstacle::Obstacle;
use super::options::{self, Options};
use super::read::Problem;
use super::resolve_requester::requester;
use super::resolve_token::absolute;
use super::{Endpoint, Secret};

/// The collector of telemetry, if one is configured.
pub(super) fn telemetry(
    options: &Options,
    folder: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Option<Endpoint> {
    let written = options.telemetry.endpoint.as_ref()?;
    let resolved = || {
        let url = BaseUrl::parse(written.expose())
            .map_err(|why| Obstacle::mistake(format!("telemetry.endpoint {why}")))?;
        let common = options.proxy.as_ref().map(Secret::expose);
        let proxy = network::proxy(&url, None, common, variable).map_err(Obstacle::mistake)?;
        let as_provider =
            options::Provider { headers: options.telemetry.headers.clone(), ..options::Provider::default() };
        let (mut headers, _) = requester("telemetry", &as_provider, variable)?;
        headers.extend(url.user.map(basic_authorization));
        Ok(Endpoint {
            provider: "telemetry".to_owned(),
            base_url: url.base,
            query: url.query.map(Secret::new),
            headers,
            proxy: proxy.map(Secret::new),
            ca_file: options.ca_file.as_ref().map(|path| absolute(path, folder, variable)),
            ..Endpoint::default()
        })
    };
    match resolved() {
        Ok(endpoint) => Some(endpoint),
        Err(Obstacle { why, .. }) => {
            problems.push(Problem::new("", "telemetry", format!("nothing is reported: {why}")));
            None
        }
    }
}

/// The header with the user and the password of a URL.
pub(super) fn basic_authorization(user: Vec<u8>) -> (String, Secret) {
    ("Authorization".to_owned(), Secret::new(format!("Basic {}", BASE64_STANDARD.encode(user))))
}
