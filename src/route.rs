//! Which gear a job goes to, and what it may cost: a pure function of the job and a few facts.

use std::fmt;
use std::time::Duration;

use crate::job::Job;

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gear {
    /// The embedded engine: no model, no network.
    Local,
    /// The fast model.
    Fast,
}

impl fmt::Display for Gear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "local",
            Self::Fast => "fast",
        })
    }
}

/// What the router looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Whether a fast model is configured.
    pub fast_model: bool,
    /// Bytes of text that the job is about: the range of a rewrite, nothing for a completion.
    pub range_bytes: usize,
}

/// What was decided, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Who does it.
    pub gear: Gear,
    /// When an answer is no longer of use.
    pub deadline: Duration,
    /// Tokens that the answer may have.
    pub max_output_tokens: u32,
    /// For the user: `fast: one file`.
    pub reason: &'static str,
}

/// Ghost text is a few lines; what goes on for longer was not asked for.
const COMPLETION_TOKENS: u32 = 128;
/// Room for a rewrite to add to what it rewrites.
const REWRITE_MARGIN: u32 = 1_024;
/// A cap for what a fast model writes in one answer, of its window of 128k tokens.
const REWRITE_CAP: u32 = 16_384;

/// Whether a rewrite of so many bytes can be answered at all: its new text is about as long as the old one.
pub fn fits(range_bytes: usize) -> bool {
    // A token is about three bytes of code.
    range_bytes / 3 < REWRITE_CAP as usize
}

/// Decides.
pub fn route(job: Job, facts: Facts) -> Decision {
    let (gear, reason) = match facts.fast_model {
        true => (Gear::Fast, "one file, quick to check"),
        false => (Gear::Local, "no model is configured"),
    };
    match job {
        Job::Complete => {
            Decision { gear, deadline: Duration::from_secs(2), max_output_tokens: COMPLETION_TOKENS, reason }
        }
        Job::Rewrite => {
            // A token is about three bytes of code; half as much again is room enough for most changes.
            let tokens = u32::try_from(facts.range_bytes / 2).unwrap_or(u32::MAX);
            Decision {
                gear,
                // A slow fallback model still gets to finish a function.
                deadline: Duration::from_secs(30),
                max_output_tokens: tokens.saturating_add(REWRITE_MARGIN).min(REWRITE_CAP),
                reason,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(job: Job, fast_model: bool, range_bytes: usize, expect: Expect) {
        let it = route(job, Facts { fast_model, range_bytes });
        let text = format!("{}: {}, {:?}, {} tokens", it.gear, it.reason, it.deadline, it.max_output_tokens);
        expect.assert_eq(&text);
    }

    #[test]
    fn routes() {
        check(Job::Complete, false, 0, expect!["local: no model is configured, 2s, 128 tokens"]);
        check(Job::Complete, true, 0, expect!["fast: one file, quick to check, 2s, 128 tokens"]);
        check(Job::Rewrite, true, 2_000, expect!["fast: one file, quick to check, 30s, 2024 tokens"]);
        check(Job::Rewrite, true, 1 << 40, expect!["fast: one file, quick to check, 30s, 16384 tokens"]);
    }
}
