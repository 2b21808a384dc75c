//! How much work a thread may do, and whether its result is still wanted.
//!
//! The caller that starts work gives it a [`Budget`]; each loop that may be long [charges](charge) a step before
//! doing it. A charge on a budget that is spent or cancelled unwinds to [`Budget::run`], so the functions in between
//! need not return the reason. No work between two charges may take long. Code that cannot be unwound, such as a
//! call from C, asks [`is_over`].
//!
//! A unit is the comparison of two short lines: some ten nanoseconds. Units are counted instead of time, so that a
//! text is accepted or refused regardless of the machine's load.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Why work ended before it was finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The work took more than its budget.
    Spent,
    /// The result is no longer wanted.
    Cancelled,
}

/// A limit on some work. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct Budget(Arc<State>);

#[derive(Debug)]
struct State {
    left: AtomicUsize,
    is_cancelled: AtomicBool,
}

/// The initial units of a counting budget; the number above it marks a budget that does not count.
const COUNTED: usize = usize::MAX - 1;

thread_local! {
    /// The budgets that apply to this thread's work, outermost first.
    static CURRENT: RefCell<Vec<Budget>> = const { RefCell::new(Vec::new()) };
}

/// The panic payload with which a charge unwinds to the budget at this depth.
struct Unwound {
    depth: usize,
    why: Stopped,
}

impl Default for Budget {
    /// A budget without a limit, which only ends by being cancelled.
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Budget {
    /// A budget of so many units.
    pub fn new(units: usize) -> Self {
        Self(Arc::new(State { left: AtomicUsize::new(units), is_cancelled: AtomicBool::new(false) }))
    }

    /// A budget that is never spent, to [count](Self::counted) the units that some work takes.
    pub fn counting() -> Self {
        Self::new(COUNTED)
    }

    /// Units that were charged on a [counting](Self::counting) budget.
    pub fn counted(&self) -> usize {
        COUNTED.saturating_sub(self.0.left.load(Ordering::Relaxed))
    }

    /// Runs work on this thread, within this budget and those of the caller.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if this budget ended the work.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let depth = CURRENT.with_borrow_mut(|current| {
            current.push(self.clone());
            current.len()
        });
        let done = catch_unwind(AssertUnwindSafe(work));
        CURRENT.with_borrow_mut(|current| current.truncate(depth - 1));
        done.or_else(|panic| match panic.downcast::<Unwound>() {
            Ok(unwound) if unwound.depth == depth => Err(unwound.why),
            Ok(unwound) => resume_unwind(unwound),
            Err(panic) => resume_unwind(panic),
        })
    }

    /// Ends the work at its next charge, on any thread.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// A guard that cancels the budget when dropped, for the future that waits for the work to hold.
    pub fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    fn is_over(&self) -> Option<Stopped> {
        if self.0.is_cancelled.load(Ordering::Relaxed) {
            return Some(Stopped::Cancelled);
        }
        (self.0.left.load(Ordering::Relaxed) == 0).then_some(Stopped::Spent)
    }

    fn spend(&self, units: usize) {
        // Only the thread that runs the work spends, so no update is lost between the load and the store.
        let left = self.0.left.load(Ordering::Relaxed);
        if left != usize::MAX {
            self.0.left.store(left.saturating_sub(units), Ordering::Relaxed);
        }
    }
}

/// Cancels a [`Budget`] when it is dropped.
#[derive(Debug)]
pub struct CancelOnDrop(Budget);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Spends units of the thread's budgets, and unwinds if one of them is then over.
#[inline]
pub fn charge(units: usize) {
    if let Some(unwound) = over(units) {
        resume_unwind(Box::new(unwound));
    }
}

/// Spends units as [`charge`] does, and returns whether a budget is then over: for code that cannot be unwound.
pub fn is_over(units: usize) -> bool {
    over(units).is_some()
}

/// Returns a check of whether one of the thread's budgets is over, for other threads that help with its work.
pub fn watch() -> impl Fn() -> bool + Send + Sync + 'static {
    let budgets = CURRENT.with_borrow(Clone::clone);
    move || budgets.iter().any(|budget| budget.is_over().is_some())
}

fn over(units: usize) -> Option<Unwound> {
    CURRENT.with_borrow(|current| {
        current.iter().enumerate().find_map(|(at, budget)| {
            budget.spend(units);
            budget.is_over().map(|why| Unwound { depth: at + 1, why })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_thread_can_ask_for_the_budgets_of_this_one() {
        let budget = Budget::default();
        let is_over = budget.run(watch).unwrap();
        assert!(!is_over());
        budget.cancel();
        assert!(std::thread::spawn(is_over).join().unwrap());
    }

    #[test]
    fn work_beyond_the_budget_ends_at_the_next_charge() {
        let budget = Budget::new(10);
        let mut done = 0;
        let ended = budget.run(|| {
            (0..100).for_each(|_| {
                charge(3);
                done += 1;
            });
        });
        assert_eq!((ended, done), (Err(Stopped::Spent), 3));
        assert_eq!(Budget::new(10).run(|| charge(9)), Ok(()));
        charge(usize::MAX);
    }

    #[test]
    fn a_counting_budget_counts_its_own_work_alone() {
        let budget = Budget::counting();
        charge(5);
        assert_eq!(budget.run(|| (0..3).for_each(|_| charge(7))), Ok(()));
        charge(5);
        assert_eq!(budget.counted(), 21);
    }

    #[test]
    fn an_inner_budget_does_not_outlive_the_outer_one() {
        let (outer, inner) = (Budget::default(), Budget::new(10));
        let ended = outer.run(|| {
            let ended = inner.run(|| charge(20));
            assert_eq!(ended, Err(Stopped::Spent));
            outer.cancel();
            inner.run(|| unreachable!("{:?}", charge(1)))
        });
        assert_eq!(ended, Err::<Result<(), _>, _>(Stopped::Cancelled));
        assert!(!is_over(1));
    }

    #[test]
    fn cancelled_work_ends_on_its_thread() {
        let budget = Budget::default();
        let guard = budget.cancel_on_drop();
        let works = budget.clone();
        let thread = std::thread::spawn(move || {
            works.run(|| {
                loop {
                    charge(1);
                }
            })
        });
        drop(guard);
        assert_eq!(thread.join().unwrap(), Err::<(), _>(Stopped::Cancelled));
    }

    #[test]
    fn a_panic_passes_through() {
        let panicked = std::panic::catch_unwind(|| Budget::default().run(|| panic!("on purpose")));
        assert!(panicked.is_err());
        charge(1);
    }
}
