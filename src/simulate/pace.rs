//! The schedule of output tokens.

use std::time::Duration;

use tokio::time::Instant;

/// The simulated speed of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Time to the first token, including the time to read the prompt.
    pub(super) ttft: Duration,
    /// Tokens per second after the first; 0 means as fast as possible.
    pub(super) tokens_per_second: u32,
}

impl Pace {
    /// The moment at which the token with this index is due. It is computed from the start, so that the timer's
    /// resolution (1 ms) delays single tokens but does not add up.
    fn due(self, start: Instant, index: u64) -> Instant {
        let speaking = match self.tokens_per_second {
            0 => 0.0,
            rate => index as f64 / f64::from(rate),
        };
        start + self.ttft + Duration::from_secs_f64(speaking)
    }

    /// Waits until the token with this index is due. Returns at once if it is late, so that tokens due within the same
    /// timer tick are sent together.
    pub(super) async fn wait(self, start: Instant, index: u64) {
        let due = self.due(start, index);
        if due > Instant::now() {
            tokio::time::sleep_until(due).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_due_at_even_distances_from_the_start() {
        let start = Instant::now();
        let due = |ttft, tokens_per_second, index| {
            let pace = Pace { ttft: Duration::from_millis(ttft), tokens_per_second };
            pace.due(start, index).duration_since(start).as_micros()
        };
        assert_eq!(due(200, 1000, 0), 200_000);
        assert_eq!(due(200, 1000, 1), 201_000);
        assert_eq!(due(0, 3000, 3_000_000), 1_000_000_000);
        assert_eq!(due(5, 0, 1_000), 5_000);
    }
}
