//! The cost of recording a request: the copy of its prompt, and the message to the writer thread.
//!
//! `cargo bench --bench record` prints the shortest time of many rounds for a prompt of 33 KB, beside the bare copy.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tandem::disk::Readers;
use tandem::record::{Event, Recorder};

/// Events per round: fewer than the capacity of the thread's queue.
const EVENTS: u32 = 50;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("recording");
    let recorder =
        Recorder::start(place, String::new(), &[], Readers::default(), |why| println!("{why}")).unwrap();
    let input = "let a = 1;\n".repeat(3_000);
    println!("copy of the prompt  {:>10.1?}", shortest(|| _ = black_box(input.clone())));
    println!("request recorded    {:>10.1?}", shortest(|| recorder.event(request(&input))));
}

fn request(input: &str) -> Event {
    Event::Requested {
        request: 1,
        id: 1,
        job: "completion".to_owned(),
        gear: "fast".to_owned(),
        model: "m".to_owned(),
        at: 0,
        instructions: String::new(),
        input: input.to_owned(),
        fim: None,
        max_tokens: 1,
        inputs: None,
    }
}

fn shortest(mut each: impl FnMut()) -> Duration {
    let mut round = || {
        let began = Instant::now();
        (0..EVENTS).for_each(|_| each());
        let took = began.elapsed() / EVENTS;
        // Lets the thread drain its queue.
        std::thread::sleep(Duration::from_millis(2));
        took
    };
    (0..200).map(|_| round()).min().unwrap_or_default()
}
