//! A spinner on the terminal while a model works.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::watch;

/// A spinner with a message and the elapsed time. It draws on a terminal only.
pub(super) fn spinner() -> ProgressBar {
    let progress = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(80));
    progress
}

/// Awaits `work` beside a spinner, which shows the latest message of `said`: the expected time of a slow model.
pub(super) async fn beside<T>(
    what: &str,
    mut said: watch::Receiver<String>,
    work: impl Future<Output = T>,
) -> T {
    let progress = spinner();
    progress.set_message(what.to_owned());
    let mut work = std::pin::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            Ok(()) = said.changed() => progress.set_message(message(what, &said.borrow_and_update())),
        }
    };
    progress.finish_and_clear();
    done
}

fn message(what: &str, said: &str) -> String {
    if said.is_empty() { what.to_owned() } else { format!("{what}, {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_ends_whether_it_says_something_or_not() {
        let (say, said) = watch::channel(String::new());
        let work = async {
            say.send_replace("about 40 s expected".to_owned());
            tokio::task::yield_now().await;
            7
        };
        assert_eq!(beside("working", said, work).await, 7);
        // The sender is gone.
        let (_, said) = watch::channel(String::new());
        assert_eq!(beside("working", said, async { tokio::task::yield_now().await }).await, ());
        assert_eq!(message("working", "about 40 s expected"), "working, about 40 s expected");
        assert_eq!(message("working", ""), "working");
    }
}
