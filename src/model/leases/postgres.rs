//! Leases from PostgreSQL. Each request has a connection of its own for a moment: 100,000 clients cannot each keep one.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

use super::connect::{ConnectError, connect};
use super::store::{BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars};
use crate::config::LeaseDatabase;

/// The version of the functions in `migrations`. A database with another one says so.
const PROTOCOL: i32 = 1;

/// The leases of a database.
#[derive(Debug)]
pub(super) struct PostgresStore {
    database: LeaseDatabase,
}

impl PostgresStore {
    pub(super) fn new(database: LeaseDatabase) -> Self {
        Self { database }
    }

    /// Calls a function, whose first parameters are the version and the holder.
    async fn query(
        &self,
        call: &str,
        holder: &Leaseholder,
        others: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, LeaseFailure> {
        let client = connect(&self.database).await.map_err(|error| failure(&error))?;
        let mut parameters: Vec<(&(dyn ToSql + Sync), Type)> = vec![
            (&PROTOCOL, Type::INT4),
            (&holder.team, Type::TEXT),
            (&holder.user, Type::TEXT),
            (&holder.client, Type::INT8),
        ];
        parameters.extend(others.iter().cloned());
        // Without a prepared statement, so that a pool of connections for transactions can be between.
        let rows = client.query_typed(call, &parameters).await;
        rows.map_err(|error| failure(&ConnectError::Database(error)))
    }
}

impl LeaseStore for PostgresStore {
    fn lease<'a>(
        &'a self,
        holder: &'a Leaseholder,
        ask: LeaseAsk,
    ) -> BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>> {
        async move {
            let LeaseAsk { number, spent, keep, want } = ask;
            let of_ask: [(&(dyn ToSql + Sync), Type); 4] =
                [(&number, Type::INT4), (&spent, Type::INT8), (&keep, Type::INT8), (&want, Type::INT8)];
            let lease =
                "select amount, milliseconds, refused from tandem.lease($1, $2, $3, $4, $5, $6, $7, $8)";
            let rows = self.query(lease, holder, &of_ask).await?;
            let strange = || LeaseFailure::Schema("it does not answer as this version expects".to_owned());
            let row = rows.first().ok_or_else(strange)?;
            let amount: MicroDollars = row.try_get(0).map_err(|_| strange())?;
            let milliseconds: i64 = row.try_get(1).map_err(|_| strange())?;
            let refused: Option<String> = row.try_get(2).map_err(|_| strange())?;
            let time = Duration::from_millis(milliseconds.max(0).cast_unsigned());
            Ok(match refused.as_deref() {
                None => LeaseAnswer::Granted { amount, term: time },
                Some("user") => LeaseAnswer::Refused { of: BudgetOwner::User, next_day: time },
                Some(_) => LeaseAnswer::Refused { of: BudgetOwner::Team, next_day: time },
            })
        }
        .boxed()
    }

    fn give_back<'a>(
        &'a self,
        holder: &'a Leaseholder,
        number: i32,
        spent: MicroDollars,
    ) -> BoxFuture<'a, Result<(), LeaseFailure>> {
        async move {
            let of_lease: [(&(dyn ToSql + Sync), Type); 2] = [(&number, Type::INT4), (&spent, Type::INT8)];
            self.query("select tandem.give_back($1, $2, $3, $4, $5, $6)", holder, &of_lease).await.map(drop)
        }
        .boxed()
    }
}

fn failure(error: &ConnectError) -> LeaseFailure {
    let why = error.words();
    let ConnectError::Database(error) = error else { return LeaseFailure::Denied(why) };
    match error.code() {
        Some(code) if *code == SqlState::UNDEFINED_FUNCTION || *code == SqlState::INVALID_SCHEMA_NAME => {
            LeaseFailure::Schema(
                "it has no leases of this version; `tandem leases migrate` brings them".to_owned(),
            )
        }
        Some(code) if code.code() == "TD001" => LeaseFailure::Schema(why),
        Some(code)
            if code.code() == "TD002"
                || [
                    SqlState::INSUFFICIENT_PRIVILEGE,
                    SqlState::INVALID_PASSWORD,
                    SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                    SqlState::INVALID_CATALOG_NAME,
                ]
                .contains(code) =>
        {
            LeaseFailure::Denied(why)
        }
        _ => LeaseFailure::Away(why),
    }
}
