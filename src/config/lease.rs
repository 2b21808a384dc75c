//! The settings of leases: where a company's budget is, and whose part of it is leased.

use std::path::PathBuf;

use super::network::BaseUrl;
use super::secret::Secret;

/// The part of a company's budget that this user leases.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaseSettings {
    /// The database with the budgets, or the reason why it cannot be asked.
    pub database: Result<LeaseDatabase, String>,
    /// The team whose budget is spent.
    pub team: String,
    /// The name of the user within the team.
    pub user: String,
    /// US dollars that may be spent without a lease while the database does not answer.
    pub away_dollars: f64,
}

/// A PostgreSQL database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseDatabase {
    /// Its URL, `postgres://USER@HOST/NAME`.
    pub url: Secret,
    /// The host and the name, to show.
    pub shown: String,
    /// The password, unless the URL has it or none is needed.
    pub password: Option<Secret>,
    /// PEM certificates to trust in addition to the default ones.
    pub ca_file: Option<PathBuf>,
}

impl LeaseDatabase {
    /// Parses the URL of a database, as far as it is shown.
    ///
    /// # Errors
    ///
    /// The defect of the URL, without the URL itself.
    pub fn parse(url: &Secret) -> Result<Self, &'static str> {
        let rest = ["postgres://", "postgresql://"].iter().find_map(|it| url.expose().strip_prefix(it));
        let parsed = BaseUrl::parse(&format!("https://{}", rest.ok_or("must begin with postgres://")?))?;
        Ok(Self {
            url: url.clone(),
            shown: parsed.base.trim_start_matches("https://").to_owned(),
            password: None,
            ca_file: None,
        })
    }
}
