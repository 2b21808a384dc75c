//! Resolves where the bill goes, and who is on it.

use super::bill::BillSettings;
use super::network::is_on_this_machine;
use super::obstacle::Obstacle;
use super::options::Options;
use super::read::Problem;
use super::resolve_requester::{team, user};
use super::resolve_telemetry::receiver;
use super::resolve_token::Environment;

/// Resolves the settings of the bill. A URL that cannot be used is left out.
pub(super) fn bill(
    options: &Options,
    environment: Environment<'_>,
    problems: &mut Vec<Problem>,
) -> BillSettings {
    let (written, lease) = (&options.bill, &options.budget.lease);
    let resolved = written.url.as_ref().map(|url| {
        let endpoint = receiver(("bill", "url"), url, &written.headers, options, environment)?;
        let is_plain = !endpoint.base_url.starts_with("https://");
        match is_plain && !is_on_this_machine(&endpoint.base_url) {
            true => Err(Obstacle::mistake("bill.url must begin with https://")),
            false => Ok(endpoint),
        }
    });
    let url = resolved.transpose().unwrap_or_else(|Obstacle { why, .. }| {
        problems.push(Problem::new("", "bill", format!("nothing is sent: {why}")));
        None
    });
    let named = written.user.clone().or_else(|| lease.user.clone());
    BillSettings {
        user: named.or_else(|| user(environment.variable).ok()).unwrap_or_default(),
        team: team(options).cloned(),
        file: written.file.as_ref().map(|path| environment.absolute(path)),
        url,
    }
}
