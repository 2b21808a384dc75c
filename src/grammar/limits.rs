//! How much a parse may take.

use std::time::Duration;

/// How long a parse may take that gets nowhere.
///
/// Code takes 0.1 µs a byte, broken or not. Half a megabyte of random signs took 23 s (measured, TypeScript):
/// the parser tries what it could be by leaving any of them out.
pub(super) const STUCK_PARSE_TIME: Duration = Duration::from_secs(2);
/// How much longer it may take for each byte that it has read: twenty times what code takes.
pub(super) const PARSE_TIME_PER_BYTE: Duration = Duration::from_micros(2);
/// Units of a [budget](crate::budget) that a parser takes between two looks at it: a hundred of its steps.
pub(super) const UNITS_A_LOOK: usize = 1_000;
/// Looks between two readings of the clock, which is a call of the system.
pub(super) const LOOKS_A_TIME: usize = 16;
