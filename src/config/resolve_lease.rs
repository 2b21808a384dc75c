//! Resolves the settings of leases.

use std::sync::Arc;

use super::lease::{LeaseDatabase, LeaseSettings};
use super::limits::NAME_BYTES;
use super::obstacle::{Kind, Obstacle};
use super::options::{self, Options, Provider};
use super::read::Problem;
use super::resolve_requester::user;
use super::resolve_token::Environment;
use super::secret::Secret;

/// The lease of a company's budget, if one is configured.
///
/// One that cannot be taken is kept with the reason: without it, nothing would limit the spending. `password` gets the
/// key of a provider.
pub(super) fn lease(
    options: &Options,
    environment: Environment<'_>,
    password: &mut dyn FnMut(&Provider) -> Result<Option<Secret>, Obstacle>,
    problems: &mut Vec<Problem>,
) -> Option<Arc<LeaseSettings>> {
    let written = &options.budget.lease;
    let url = written.database.as_ref()?;
    let mut known = (String::new(), String::new());
    let mut resolved = || {
        let user = written.user.clone().map_or_else(|| user(environment.variable), Ok)?;
        known = (name("team", written.team.clone().unwrap_or_default())?, name("user", user)?);
        let parsed = LeaseDatabase::parse(url);
        let mut database = parsed.map_err(|why| Obstacle::mistake(format!("`database` {why}")))?;
        database.password = password(&Provider {
            api_key_env: written.password_env.clone(),
            api_key_command: written.password_command.clone(),
            ..Provider::default()
        })?;
        let ca_file = written.ca_file.as_ref().or(options.ca_file.as_ref());
        database.ca_file = ca_file.map(|path| environment.absolute(path));
        Ok(database)
    };
    let database = resolved().map_err(|Obstacle { why, kind, .. }| {
        if kind != Kind::Pending {
            problems.push(Problem::new("", "budget.lease", format!("no lease can be taken: {why}")));
        }
        why
    });
    let (team, user) = known;
    let away_dollars = written.away_dollars.unwrap_or_default();
    Some(Arc::new(LeaseSettings { database, team, user, away_dollars }))
}

fn name(setting: &str, name: String) -> Result<String, Obstacle> {
    let why = match name.trim() {
        "" => "is missing",
        // They stand for a team as a whole, and for each of its users.
        "*" => "must be the name of one user or team",
        trimmed if trimmed.len() > NAME_BYTES || trimmed.contains(char::is_control) => {
            "is longer than 200 bytes, or has a character that no name has"
        }
        trimmed => return Ok(trimmed.to_owned()),
    };
    Err(Obstacle::mistake(format!("`{setting}` {why}")))
}

/// Applies what a policy sets of the lease; what it leaves open is the user's.
pub(super) fn fix_lease(own: &mut options::Lease, rule: &options::Lease) {
    if rule.database.is_some() {
        // A password of the user's goes to the database that the user named, and to no other.
        let own_password = own.database == rule.database;
        own.password_env = rule.password_env.clone().or(own.password_env.take().filter(|_| own_password));
        own.password_command = own.password_command.take().filter(|_| own_password);
        own.database.clone_from(&rule.database);
    }
    if rule.database.is_some() || rule.away_dollars.is_some() {
        let most = rule.away_dollars.unwrap_or(0.0);
        // Unset, it is what the company set with its database, and nothing with another one.
        let unset = if rule.database.is_some() { most } else { 0.0 };
        own.away_dollars = Some(own.away_dollars.unwrap_or(unset).min(most));
    }
    for (own, rule) in [(&mut own.team, &rule.team), (&mut own.user, &rule.user)] {
        *own = rule.clone().or(own.take());
    }
    own.ca_file = rule.ca_file.clone().or(own.ca_file.take());
}
