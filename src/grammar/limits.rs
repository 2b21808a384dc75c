//! Time limits of a parse.

use std::time::Duration;

/// Base time limit of a parse.
///
/// Code takes 0.1 µs per byte, broken or not. Half a megabyte of random characters took 23 s (measured,
/// TypeScript): error recovery tries to skip any of them.
pub(super) const STUCK_PARSE_TIME: Duration = Duration::from_secs(2);
/// Additional time for each byte read: twenty times what code takes.
pub(super) const PARSE_TIME_PER_BYTE: Duration = Duration::from_micros(2);
/// Units of a [budget](crate::budget) charged per progress callback, which the parser calls every hundred of its steps.
pub(super) const UNITS_PER_CALLBACK: usize = 1_000;
/// Progress callbacks per reading of the clock, which is a system call.
pub(super) const CALLBACKS_PER_CLOCK_READ: usize = 16;
