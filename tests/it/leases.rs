//! Leases of a company's budget: many clients in virtual time, and a real PostgreSQL.

#[cfg(feature = "leases")]
mod database;
mod simulation;
