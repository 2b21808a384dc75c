//! Resolves the receivers of reports: the collector of telemetry, and what takes the bill.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::network::{self, BaseUrl};
use super::obstacle::Obstacle;
use super::options::{self, Header, Options};
use super::read::Problem;
use super::resolve_requester::{Asker, requester, team};
use super::resolve_token::Environment;
use super::{Endpoint, Secret, Template};

/// The collector of telemetry, if one is configured.
pub(super) fn telemetry(
    options: &Options,
    environment: Environment<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Endpoint> {
    let written = options.telemetry.endpoint.as_ref()?;
    let headers = &options.telemetry.headers;
    match receiver(("telemetry", "endpoint"), written, headers, options, environment) {
        Ok(mut endpoint) => {
            // Names that the user has not set are not reported.
            let named = [("user.name", &options.bill.user), ("tandem.team", &options.bill.team)];
            let named = named.into_iter().filter_map(|(name, text)| Some((name, text.clone()?)));
            let entry = |(name, text): (&str, _)| (name.to_owned(), Template::verbatim(Secret::new(text)));
            endpoint.requester.metadata.extend(named.map(entry));
            Some(endpoint)
        }
        Err(Obstacle { why, .. }) => {
            problems.push(Problem::new("", "telemetry", format!("nothing is reported: {why}")));
            None
        }
    }
}

/// The endpoint at the URL in `setting` of the table `table`.
pub(super) fn receiver(
    (table, setting): (&str, &str),
    url: &Secret,
    headers: &BTreeMap<String, Option<Header>>,
    options: &Options,
    environment: Environment<'_>,
) -> Result<Endpoint, Obstacle> {
    let url =
        BaseUrl::parse(url.expose()).map_err(|why| Obstacle::mistake(format!("{table}.{setting} {why}")))?;
    let common = options.proxy.as_ref().map(Secret::expose);
    let proxy = network::proxy(&url, None, common, environment.variable).map_err(Obstacle::mistake)?;
    let as_provider = options::Provider { headers: headers.clone(), ..options::Provider::default() };
    let asker = Asker { variable: environment.variable, team: team(options), session: None };
    let (mut headers, _) = requester(table, &as_provider, asker)?;
    headers.extend(url.user.map(basic_authorization));
    Ok(Endpoint {
        provider: table.to_owned(),
        base_url: url.base,
        query: url.query.map(Secret::new),
        headers,
        proxy: proxy.map(Secret::new),
        ca_file: options.ca_file.as_ref().map(|path| environment.absolute(path)),
        ..Endpoint::default()
    })
}

/// The header with the user and the password of a URL.
pub(super) fn basic_authorization(user: Vec<u8>) -> (String, Secret) {
    ("Authorization".to_owned(), Secret::new(format!("Basic {}", BASE64_STANDARD.encode(user))))
}
