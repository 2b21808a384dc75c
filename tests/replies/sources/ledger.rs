//! Accounts and what moves between them.

use std::collections::BTreeMap;
use std::fmt;

/// Cents; never negative in an account that may not be overdrawn.
pub type Amount = i64;

#[derive(Debug, Clone, PartialEq)]
pub enum LedgerError {
    UnknownAccount(String),
    Overdrawn { account: String, missing: Amount },
}

impl fmt::Display for LedgerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LedgerError::UnknownAccount(name) => write!(out, "no account “{name}”"),
            LedgerError::Overdrawn { account, missing } => {
                write!(out, "{account} lacks {missing} cents")
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct Ledger {
    balances: BTreeMap<String, Amount>,
    journal: Vec<String>,
    limit: Amount,
}

impl Ledger {
    pub fn deposit(&mut self, name: &str, amount: Amount) -> Result<Amount, LedgerError> {
        let balance = self.balances.get_mut(name).ok_or_else(|| unknown(name))?;
        *balance += amount;
        self.journal.push(format!("deposit {name} {amount}"));
        let after = *balance;
        self.check(name, after)?;
        Ok(after)
    }

    pub fn withdraw(&mut self, name: &str, amount: Amount) -> Result<Amount, LedgerError> {
        let balance = self.balances.get_mut(name).ok_or_else(|| unknown(name))?;
        *balance -= amount;
        self.journal.push(format!("withdraw {name} {amount}"));
        let after = *balance;
        self.check(name, after)?;
        Ok(after)
    }

    fn check(&self, name: &str, after: Amount) -> Result<(), LedgerError> {
        if after + self.limit < 0 {
            let missing = -(after + self.limit);
            return Err(LedgerError::Overdrawn { account: name.to_owned(), missing });
        }
        Ok(())
    }
}

fn unknown(name: &str) -> LedgerError {
    LedgerError::UnknownAccount(name.to_owned())
}

/// The sum of all balances.
///
/// ```
/// let ledger = Ledger::default();
/// assert_eq!(total(&ledger), 0);
/// ```
pub fn total(ledger: &Ledger) -> Amount {
    let mut sum = 0;
    for amount in ledger.balances.values() {
        sum += *amount;
    }
    sum
}
