//! Lanes that get stuck, and those that do not.

use super::*;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(1);

/// Readers with a lane whose work runs until the sender releases it.
fn stuck(lane: &str) -> (Readers, Sender<()>) {
    let readers = Readers::default();
    let (release, released): (_, Receiver<()>) = channel();
    let (begun, has_begun) = channel();
    let wait = move || {
        begun.send(()).unwrap();
        _ = released.recv();
    };
    readers.start(Path::new(lane), wait).unwrap();
    has_begun.recv_timeout(LONG).unwrap();
    assert_eq!(readers.within(Path::new(lane), SHORT, || ()), Err(Stuck));
    (readers, release)
}

/// Drops a wait once its work has begun. The work runs until the sender releases it.
async fn dropped<T>(wait: impl FnOnce(Work) -> T) -> Sender<()>
where
    T: Future,
{
    let (release, released) = channel::<()>();
    let (begun, has_begun) = oneshot::channel();
    let work = move || {
        begun.send(()).unwrap();
        _ = released.recv();
    };
    tokio::select! {
        _ = wait(Box::new(work)) => unreachable!(),
        begun = has_begun => begun.unwrap(),
    }
    release
}

#[test]
fn a_stuck_folder_keeps_no_other_one() {
    let (readers, _release) = stuck("/work/hung");
    for lane in ["/work", "/work/other", "/elsewhere"] {
        assert_eq!(readers.within(Path::new(lane), LONG, || 7), Ok(7), "{lane}");
    }
}

#[test]
fn what_is_in_or_below_a_stuck_folder_is_refused_at_once() {
    let (readers, _release) = stuck("/work/hung");
    for lane in ["/work/hung", "/work/hung/below"] {
        assert_eq!(readers.within(Path::new(lane), LONG, || 7), Err(Stuck), "{lane}");
    }
    assert_eq!(readers.0.lock().threads, 1);
}

#[test]
fn a_folder_that_is_back_is_read_again() {
    let (readers, release) = stuck("/work/hung");
    release.send(()).unwrap();
    while readers.0.lock().threads > 0 {
        std::thread::yield_now();
    }
    assert_eq!(readers.within(Path::new("/work/hung"), LONG, || 7), Ok(7));
}

#[test]
fn all_stuck_folders_together_take_no_more_threads_than_there_are() {
    let readers = Readers::default();
    let (release, released) = channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let (done, count) = channel();
    for at in 0..2 * MOST_THREADS {
        let (released, done) = (Arc::clone(&released), done.clone());
        let work = move || {
            _ = released.lock().recv();
            done.send(()).unwrap();
        };
        readers.start(&PathBuf::from(format!("/{at}")), work).unwrap();
    }
    assert_eq!(readers.0.lock().threads, MOST_THREADS);
    drop(release);
    for _ in 0..2 * MOST_THREADS {
        count.recv_timeout(LONG).unwrap();
    }
}

#[test]
fn work_that_panics_gives_its_lane_back() {
    let readers = Readers::default();
    let lane = Path::new("/work");
    assert_eq!(readers.within(lane, LONG, || panic!("on purpose")), Err::<(), _>(Stuck));
    while readers.0.lock().threads > 0 {
        std::thread::yield_now();
    }
    assert_eq!(readers.within(lane, LONG, || 7), Ok(7));
}

#[test]
fn so_many_works_wait_in_one_lane_at_most() {
    let (readers, release) = stuck("/work/hung");
    readers.0.lock().lanes.get_mut(Path::new("/work/hung")).unwrap().stuck_from = None;
    let start = || readers.start(Path::new("/work/hung"), || {});
    // One waits already.
    assert_eq!((0..2 * MOST_WAITING).filter(|_| start().is_ok()).count(), MOST_WAITING - 1);
    assert_eq!(readers.within(Path::new("/work/other"), LONG, || 7), Ok(7));
    release.send(()).unwrap();
    while readers.0.lock().threads > 0 {
        std::thread::yield_now();
    }
    assert!(readers.0.lock().lanes.is_empty());
}

#[test]
fn purposes_of_a_folder_do_not_wait_for_each_other() {
    let hung = Purpose::Index.lane(Path::new("/work"));
    let (readers, _release) = stuck(hung.to_str().unwrap());
    for purpose in [Purpose::Related, Purpose::Request] {
        assert_eq!(readers.within(&purpose.lane(Path::new("/work")), LONG, || 7), Ok(7), "{purpose:?}");
    }
    assert_eq!(readers.within(&hung, LONG, || 7), Err(Stuck));
    assert_eq!(readers.within(&Purpose::Index.lane(Path::new("/other")), LONG, || 7), Ok(7));
}

#[tokio::test]
async fn only_work_that_takes_too_long_gives_its_lane_up() {
    let (readers, lane) = (Readers::default(), Path::new("/work"));
    let release = dropped(|work| readers.run_within(lane, LONG, work)).await;
    assert!(!readers.0.lock().lanes[lane].is_stuck());
    assert_eq!(readers.run_within(lane, SHORT, || 7).await, Err(Stuck));
    assert!(readers.0.lock().lanes[lane].is_stuck());
    release.send(()).unwrap();
    while readers.0.lock().threads > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(readers.run_within(lane, LONG, || 7).await, Ok(7));
}

#[tokio::test]
async fn a_wait_that_is_dropped_cancels_its_work() {
    let readers = Readers::default();
    let lane = Path::new("/work");
    assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let endless = readers.run(lane, move || {
        begun.send(()).unwrap();
        loop {
            crate::budget::charge(1);
        }
    });
    tokio::select! {
        _ = endless => unreachable!(),
        begun = has_begun => begun.unwrap(),
    }
    // The next work waits for its end, and is not refused.
    assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
}

#[tokio::test]
async fn a_lane_whose_cancelled_work_does_not_end_is_given_up() {
    let (readers, lane) = (Readers::default(), Path::new("/work"));
    let release = dropped(|work| readers.run(lane, work)).await;
    let stuck_from = readers.0.lock().lanes[lane].stuck_from.unwrap();
    assert!(stuck_from <= Instant::now() + CANCEL_TIMEOUT);
    let skipped = readers.run(lane, || panic!("it was cancelled before its turn"));
    assert!(timeout(SHORT, skipped).await.is_err());
    readers.0.lock().lanes.get_mut(lane).unwrap().stuck_from = Some(Instant::now());
    assert_eq!(readers.run(lane, || 7).await, Err(Stuck));
    release.send(()).unwrap();
    while readers.0.lock().threads > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(readers.run(lane, || 7).await, Ok(Some(7)));
}
