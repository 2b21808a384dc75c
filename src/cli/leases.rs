//! `tandem leases`: sets up the database of a company's budgets, for its administrator.

use std::process::ExitCode;

use super::exit::FAILED;
use super::{exit, settings, terminal};
use crate::config::{LeaseDatabase, Secret};
use crate::model::leases::admin;

/// Set up the database from which machines lease a company's budget, set budgets, and show what is spent
///
/// `editors/companies.md` describes leases. The role of an administrator owns the tables; the password may be in
/// PGPASSWORD.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: LeasesAction,
    /// The database, such as postgres://admin@db.example.com/budgets (by default that of `budget.lease`)
    #[arg(long, value_name = "URL", env = "TANDEM_LEASES_DATABASE", hide_env_values = true, global = true)]
    database: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum LeasesAction {
    /// Bring the tables and functions to this version
    Migrate,
    /// Set the budget of a team, or of its users, in US dollars a day
    Set {
        /// The team
        team: String,
        /// US dollars a day, or `none` to take the budget away
        #[arg(value_parser = dollars)]
        dollars: Dollars,
        /// The user whose budget it is; `*` for each user without one
        #[arg(long, default_value = "", hide_default_value = true)]
        user: String,
        /// The database's role whose members alone may lease from the team's budget
        #[arg(long, conflicts_with = "user")]
        role: Option<String>,
    },
    /// Show the budgets, and what is taken of them today (UTC)
    Show {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A budget, if there is one.
#[derive(Debug, Clone, Copy)]
struct Dollars(Option<f64>);

fn dollars(written: &str) -> Result<Dollars, String> {
    if written == "none" {
        return Ok(Dollars(None));
    }
    let dollars = written.parse::<f64>().ok().filter(|it| (0.0..=1e9).contains(it));
    dollars.map(|it| Dollars(Some(it))).ok_or_else(|| "it is an amount such as 250, or `none`".to_owned())
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let database = match database(arguments.database) {
        Ok(database) => database,
        Err(why) => return exit::end(FAILED, why),
    };
    match act(&database, arguments.action).await {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(why) => exit::end(FAILED, format_args!("{}: {why}", database.shown)),
    }
}

/// The database that is named, or that of the settings.
fn database(url: Option<String>) -> Result<LeaseDatabase, String> {
    let mut database = match url {
        Some(url) => LeaseDatabase::parse(&Secret::new(url)).map_err(|why| format!("--database {why}"))?,
        None => {
            let loaded = settings::read(None, &[], &[], true);
            let lease = loaded.settings.everywhere().lease.clone();
            lease
                .ok_or("name the database with --database, or set `budget.lease.database`")?
                .database
                .clone()?
        }
    };
    database.password = database.password.or_else(|| std::env::var("PGPASSWORD").ok().map(Secret::new));
    Ok(database)
}

async fn act(database: &LeaseDatabase, action: LeasesAction) -> Result<(), String> {
    match action {
        LeasesAction::Migrate => match admin::migrate(database).await?.as_slice() {
            [] => terminal::print("the database is up to date"),
            done => terminal::print(format_args!("applied {}", done.join(", "))),
        },
        LeasesAction::Set { team, dollars: Dollars(dollars), user, role } => {
            admin::set(database, (&team, &user), dollars, role.as_deref()).await?;
        }
        LeasesAction::Show { json } => {
            let lines = admin::show(database).await?;
            if json {
                let lines = lines.iter().map(|it| {
                    serde_json::json!({
                        "team": it.team, "user": it.user, "budget": it.budget, "spent": it.spent,
                        "leased": it.leased, "leases": it.leases,
                    })
                });
                return terminal::json(&lines.collect::<Vec<_>>(), true).map_err(|error| error.to_string());
            }
            for it in lines {
                let user = if it.user.is_empty() { String::new() } else { format!(" / {}", it.user) };
                let budget = it
                    .budget
                    .map_or_else(|| "no budget of its own".to_owned(), |it| format!("${it:.2} a day"));
                terminal::print(format_args!(
                    "{}{user}: {budget}; today (UTC) ${:.2} spent, ${:.2} out on {} leases",
                    it.team, it.spent, it.leased, it.leases
                ));
            }
        }
    }
    Ok(())
}
