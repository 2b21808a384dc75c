//! Processes many items on all cores.

use std::thread;

use crate::lock::Mutex;

/// Processes each item, and returns the results in the order of the items.
///
/// As many items are held at a time as there are cores. After an error, later items may not be processed.
pub(super) fn in_parallel<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut done: Vec<Option<Result<R, E>>> = items.iter().map(|_| None).collect();
    let next = Mutex::new(items.into_iter().zip(&mut done));
    // Only the iterator runs under the lock, so it is consistent even if another thread panicked.
    let take = || next.lock().next();
    let end = || next.lock().by_ref().for_each(drop);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((item, place)) = take() {
                    let result = work(item);
                    if result.is_err() {
                        end();
                    }
                    *place = Some(result);
                }
            });
        }
    });
    done.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let slow_first = |item: u64| {
            thread::sleep(std::time::Duration::from_millis(20 - item));
            Ok::<_, ()>(item * 2)
        };
        assert_eq!(in_parallel((0..20).collect(), slow_first), Ok((0..20).map(|it| it * 2).collect()));
        assert_eq!(in_parallel(Vec::new(), slow_first), Ok(Vec::new()));
    }

    #[test]
    fn first_failure_counts() {
        let fail = |item: u64| if item < 5 { Ok(item) } else { Err(item) };
        assert_eq!(in_parallel((0..20).collect(), fail), Err(5));
    }
}
