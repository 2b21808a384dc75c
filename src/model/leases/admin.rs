//! What an administrator does in the database of leases: sets it up, sets budgets, and looks at a day.

use refinery::{Migration, Runner};

use super::connect::{ConnectError, connect};
use super::store::MicroDollars;
use crate::config::LeaseDatabase;

/// The migrations, in order. One that was applied somewhere never changes.
const MIGRATIONS: [(&str, &str); 1] = [("V1__leases", include_str!("migrations/V1__leases.sql"))];

/// The budget of a team or a user, and what is taken of it today (UTC).
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetLine {
    /// The team.
    pub team: String,
    /// The user; empty for the team as a whole, `*` for each user without a budget of their own.
    pub user: String,
    /// The budget in US dollars a day; `None` for users without one.
    pub budget: Option<f64>,
    /// US dollars that are spent.
    pub spent: f64,
    /// US dollars that are out on leases.
    pub leased: f64,
    /// The number of these leases.
    pub leases: i32,
}

/// Brings the tables and functions to this version. Returns the migrations that were applied.
///
/// # Errors
///
/// The reason, without the password.
pub async fn migrate(database: &LeaseDatabase) -> Result<Vec<String>, String> {
    let mut client = connect(database).await.map_err(|error| error.words())?;
    let said = |error: tokio_postgres::Error| ConnectError::from(error).words();
    // Two administrators at once would both find nothing applied. The lock ends with the connection.
    client.batch_execute("select pg_advisory_lock(hashtext('tandem leases'))").await.map_err(said)?;
    client.batch_execute("create schema if not exists tandem").await.map_err(said)?;
    let made = MIGRATIONS.map(|(name, sql)| Migration::unapplied(name, sql));
    let made: Vec<Migration> =
        made.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let mut runner = Runner::new(&made);
    runner.set_migration_table_name("tandem.migrations");
    let done = runner.run_async(&mut client).await.map_err(|error| {
        let source = std::error::Error::source(&error);
        source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
    })?;
    Ok(done.applied_migrations().iter().map(ToString::to_string).collect())
}

/// Sets the budget of a team or, if `user` is not empty, of its users; `None` takes it away. `role` is the only one that
/// may lease from the team's.
///
/// # Errors
///
/// The reason, without the password.
pub async fn set(
    database: &LeaseDatabase,
    (team, user): (&str, &str),
    dollars: Option<f64>,
    role: Option<&str>,
) -> Result<(), String> {
    let client = connect(database).await.map_err(|error| error.words())?;
    let done = match dollars {
        Some(dollars) => {
            let amount = (dollars * 1e6) as MicroDollars;
            let sql = "insert into tandem.budgets as it (team, member, micro_dollars, role) values ($1, $2, $3, $4::text)
                       on conflict (team, member) do update set micro_dollars = excluded.micro_dollars,
                       role = coalesce(excluded.role, it.role), changed = now(), changed_by = session_user";
            client.execute(sql, &[&team, &user, &amount, &role]).await
        }
        None => {
            client
                .execute("delete from tandem.budgets where team = $1 and member = $2", &[&team, &user])
                .await
        }
    };
    done.map(drop).map_err(|error| ConnectError::from(error).words())
}

/// The budgets, and what is taken of them today (UTC), by team and user.
///
/// # Errors
///
/// The reason, without the password.
pub async fn show(database: &LeaseDatabase) -> Result<Vec<BudgetLine>, String> {
    let client = connect(database).await.map_err(|error| error.words())?;
    let sql = "select coalesce(b.team, d.team), coalesce(b.member, d.member), b.micro_dollars,
                      coalesce(d.spent, 0), coalesce(d.leased, 0), coalesce(d.live, 0)
               from tandem.budgets b
               full join (select * from tandem.days where day = (now() at time zone 'utc')::date) d
                   on d.team = b.team and d.member = b.member
               order by 1, 2";
    let rows = client.query(sql, &[]).await.map_err(|error| ConnectError::from(error).words())?;
    let dollars = |amount: MicroDollars| amount as f64 / 1e6;
    let line = |row: &tokio_postgres::Row| -> Result<BudgetLine, tokio_postgres::Error> {
        Ok(BudgetLine {
            team: row.try_get(0)?,
            user: row.try_get(1)?,
            budget: row.try_get::<_, Option<MicroDollars>>(2)?.map(dollars),
            spent: dollars(row.try_get(3)?),
            leased: dollars(row.try_get(4)?),
            leases: row.try_get(5)?,
        })
    };
    rows.iter().map(line).collect::<Result<_, _>>().map_err(|error| ConnectError::from(error).words())
}
