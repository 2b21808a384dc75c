//! Leases of a company's budget: many clients in virtual time, and a real PostgreSQL, over TLS, too.

#[cfg(feature = "leases")]
mod database;
#[cfg(feature = "leases")]
mod encryption;
mod memory;
mod plan;
mod simulation;

use tandem::model::leases::{
    BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars,
};
