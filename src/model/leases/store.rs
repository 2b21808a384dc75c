//! Where leases come from: the database, or a copy of its rules in memory.

use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::config::LeaseSettings;
use crate::text::random::random;

/// Millionths of a US dollar.
pub type MicroDollars = i64;

/// Who leases. Two processes of one user differ in the number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaseholder {
    /// The team whose budget is spent.
    pub team: String,
    /// The name of the user, whose own budget is spent, too, if there is one.
    pub user: String,
    /// A random number of the process.
    pub client: i64,
}

impl Leaseholder {
    /// A new process of the user.
    pub fn new(settings: &LeaseSettings) -> Self {
        let LeaseSettings { team, user, .. } = settings;
        Self { team: team.clone(), user: user.clone(), client: random().cast_signed() }
    }
}

/// A request for a lease, which settles the lease before it in the same transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseAsk {
    /// The number of the lease: one more than that of the one before. A repeated request has the same number.
    pub number: i32,
    /// What was spent of the lease before.
    pub spent: MicroDollars,
    /// The part of its rest that is not given back, since it may be spent until the answer comes.
    pub keep: MicroDollars,
    /// The amount that is probably needed; `None` if that is not known yet.
    pub want: Option<MicroDollars>,
}

/// The answer to a request for a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// The lease.
    Granted {
        /// Its amount, including what was kept.
        amount: MicroDollars,
        /// The time until it ends.
        term: Duration,
    },
    /// A budget is used up.
    Refused {
        /// Whose it is.
        of: BudgetOwner,
        /// The time until the next day (UTC).
        next_day: Duration,
    },
}

/// Whose budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetOwner {
    /// That of the team.
    Team,
    /// That of the user.
    User,
}

/// Why there is no answer. Whether the request took effect is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseFailure {
    /// The database does not answer, or cannot write.
    Away(String),
    /// It has no tables and functions of this version.
    Schema(String),
    /// It does not know the team, or the password is wrong.
    Denied(String),
}

impl LeaseFailure {
    /// The reason, in a clause about the database.
    pub fn why(&self) -> &str {
        match self {
            Self::Away(why) | Self::Schema(why) | Self::Denied(why) => why,
        }
    }
}

/// A source of leases.
pub trait LeaseStore: Send + Sync {
    /// Takes a lease, and settles the one before it.
    fn lease<'a>(
        &'a self,
        holder: &'a Leaseholder,
        ask: LeaseAsk,
    ) -> BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>>;

    /// Settles the last lease: its number, and what was spent of it.
    fn give_back<'a>(
        &'a self,
        holder: &'a Leaseholder,
        number: i32,
        spent: MicroDollars,
    ) -> BoxFuture<'a, Result<(), LeaseFailure>>;
}
