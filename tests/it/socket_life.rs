//! The lifetime of a socket: until it is old, idle or dead, and never without a check that it is alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tandem::config::Endpoint;
use tandem::model::{self, Model, Timing, Urgency};
use tandem::simulate::{self, Fault, Options, Script, Simulator};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::socket::{accept, completed, created, delta, listen, read, request, send, until};

const MS: fn(u64) -> Duration = Duration::from_millis;
/// Longer than any test.
const NEVER: Duration = Duration::from_secs(3_600);

/// All timers are disabled; a test enables those that it is about.
fn timing() -> Timing {
    Timing {
        ping_every: NEVER,
        fresh: NEVER,
        pong_within: MS(300),
        socket_budget: NEVER,
        ..Timing::default()
    }
}

fn connect(base_url: String, timing: Timing) -> Arc<dyn Model> {
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    model::connect_with(endpoint, Arc::new(|_| ()), timing)
}

async fn simulator(options: Options) -> Simulator {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    simulate::start(Options { script, ..options }).await.unwrap()
}

/// The next message to the server; reading it answers a ping.
async fn next(socket: &mut WebSocketStream<TcpStream>) -> Option<Message> {
    timeout(Duration::from_secs(120), socket.next()).await.unwrap().and_then(Result::ok)
}

/// Answers the next request, and returns the messages before it.
async fn answer(socket: &mut WebSocketStream<TcpStream>) -> Vec<Message> {
    let mut before = Vec::new();
    loop {
        match next(socket).await.unwrap() {
            Message::Text(_) => break,
            other => before.push(other),
        }
    }
    for event in [created("r"), delta("ok"), completed("r")] {
        send(socket, event).await;
    }
    before
}

/// A model with two sockets to the test's own server, one of which has answered a request.
struct Pair {
    model: Arc<dyn Model>,
    listener: tokio::net::TcpListener,
    used: WebSocketStream<TcpStream>,
    spare: WebSocketStream<TcpStream>,
}

impl Pair {
    async fn new(timing: Timing) -> Self {
        let (listener, base_url) = listen().await;
        let model = connect(base_url, timing);
        let answered = tokio::spawn(read(model.stream(request(64))));
        let mut used = accept(&listener).await;
        let spare = accept(&listener).await;
        answer(&mut used).await;
        assert_eq!(answered.await.unwrap().0, "ok");
        Self { model, listener, used, spare }
    }
}

#[tokio::test]
async fn an_idle_socket_is_pinged_and_kept_while_it_answers() {
    let mut pair = Pair::new(Timing { ping_every: MS(20), ..timing() }).await;
    for _ in 0..5 {
        assert!(matches!(next(&mut pair.used).await, Some(Message::Ping(_))));
    }
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    // The other socket does not answer its pings, since it is not read here.
    answer(&mut pair.used).await;
    assert_eq!(answered.await.unwrap().0, "ok");
}

#[tokio::test]
async fn an_idle_socket_whose_ping_is_not_answered_is_replaced() {
    let Pair { model, listener, used, spare } = Pair::new(Timing { ping_every: MS(20), ..timing() }).await;
    // Neither is read any more, as after a network failure: both are open, and dead. Later sockets are alive.
    let opened = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&opened);
    let server = tokio::spawn(async move {
        let mut sockets = JoinSet::new();
        loop {
            let mut socket = accept(&listener).await;
            counter.fetch_add(1, Ordering::Relaxed);
            sockets.spawn(async move {
                loop {
                    answer(&mut socket).await;
                }
            });
        }
    });
    // While one of them counts as alive, it suffices as the reserve.
    until("another socket", || opened.load(Ordering::Relaxed) > 0).await;
    for mut dead in [used, spare] {
        while let Some(message) = next(&mut dead).await {
            assert!(!message.is_text(), "a request on a dead socket");
        }
    }
    assert_eq!(read(model.stream(request(64))).await.0, "ok");
    server.abort();
}

#[tokio::test]
async fn a_socket_that_was_idle_is_pinged_before_it_is_used() {
    let mut pair = Pair::new(Timing { fresh: MS(2_000), ..timing() }).await;
    sleep(MS(2_100)).await;
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    let before = answer(&mut pair.used).await;
    assert!(matches!(before[..], [Message::Ping(_)]), "{before:?}");
    assert_eq!(answered.await.unwrap().0, "ok");
    // Immediately afterwards, it is not pinged again.
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    assert_eq!(answer(&mut pair.used).await, []);
    assert_eq!(answered.await.unwrap().0, "ok");
}

#[tokio::test]
async fn a_dead_socket_costs_a_request_a_moment_and_is_not_asked() {
    let mut pair = Pair::new(Timing { fresh: MS(50), ..timing() }).await;
    sleep(MS(80)).await;
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    // The first socket is not read; the second answers its ping.
    answer(&mut pair.spare).await;
    let (text, end) = answered.await.unwrap();
    let usage = end.unwrap();
    assert_eq!(text, "ok");
    assert!(usage.total < Duration::from_secs(60), "{:?}", usage.total);
    while let Some(message) = next(&mut pair.used).await {
        assert!(!message.is_text(), "a request on a dead socket");
    }
}

/// The number of seconds that the wall clock has run ahead.
static SLEPT_SECONDS: AtomicU64 = AtomicU64::new(0);

fn after_sleep() -> SystemTime {
    SystemTime::now() + Duration::from_secs(SLEPT_SECONDS.load(Ordering::Relaxed))
}

#[tokio::test]
async fn after_a_sleep_of_the_machine_a_socket_is_pinged_before_it_is_used() {
    // The monotonic clock stops during the sleep.
    let mut pair = Pair::new(Timing { fresh: Duration::from_secs(30), wall: after_sleep, ..timing() }).await;
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    assert_eq!(answer(&mut pair.used).await, [], "it was used a moment ago");
    assert_eq!(answered.await.unwrap().0, "ok");
    SLEPT_SECONDS.store(3_600, Ordering::Relaxed);
    let answered = tokio::spawn(read(pair.model.stream(request(64))));
    // The first socket died in the sleep, and is not read; the other one is alive.
    let before = answer(&mut pair.spare).await;
    assert!(matches!(before[..], [Message::Ping(_)]), "{before:?}");
    assert_eq!(answered.await.unwrap().0, "ok");
    while let Some(message) = next(&mut pair.used).await {
        assert!(!message.is_text(), "a request on a dead socket");
    }
}

#[tokio::test]
async fn sockets_are_replaced_before_the_server_calls_them_too_old() {
    let simulator = simulator(Options { connection_life: Some(MS(20_000)), ..Options::default() }).await;
    // Scaled down from 50 to 55 minutes of 60.
    let timing = Timing { rotate: (MS(200), MS(300)), fresh: MS(20), ping_every: MS(50), ..timing() };
    let model = connect(simulator.base_url(), timing);
    for _ in 0..60 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        sleep(MS(40)).await;
    }
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.responses_completed), (60, 60), "none was refused");
    assert!(stats.connections > 6 && stats.connections_open <= 4, "{stats:?}");
}

#[tokio::test]
async fn a_socket_that_the_server_calls_too_old_costs_one_more_attempt() {
    let simulator = simulator(Options { connection_life: Some(MS(100)), ..Options::default() }).await;
    let model = connect(simulator.base_url(), timing());
    for _ in 0..15 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        sleep(MS(40)).await;
    }
    let stats = simulator.stats();
    assert_eq!(stats.responses_completed, 15);
    assert!((16..=30).contains(&stats.requests), "{stats:?}");
}

#[tokio::test]
async fn there_are_never_more_sockets_than_providers_grant() {
    let options = Options { faults: vec![Fault::IgnoreLanes], ttft: MS(50), ..Options::default() };
    let simulator = simulator(options).await;
    let model = connect(simulator.base_url(), timing());
    let answers = (0..40).map(|_| model.stream(model::Request { urgency: Urgency::Asked, ..request(64) }));
    let texts = join_all(answers.map(read).collect::<Vec<_>>()).await;
    assert!(texts.iter().all(|(text, _)| text == "ok"), "{texts:?}");
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.connections), (40, 8));
}

#[tokio::test]
async fn whether_lanes_work_is_found_out_once() {
    for (fault, refused) in [(None, 0), (Some(Fault::NoLanes), 1), (Some(Fault::IgnoreLanes), 0)] {
        let faults = fault.into_iter().collect();
        let simulator = simulator(Options { faults, ttft: MS(30), ..Options::default() }).await;
        let model = connect(simulator.base_url(), timing());
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        for _ in 0..3 {
            // On several sockets, where there are no lanes.
            let texts = join_all((0..4).map(|_| read(model.stream(request(64))))).await;
            assert!(texts.iter().all(|(text, _)| text == "ok"), "{texts:?}");
        }
        let stats = simulator.stats();
        assert_eq!(stats.requests, 13 + refused, "{fault:?}");
        match fault {
            None => assert_eq!(stats.connections, 2, "one, and one in reserve"),
            Some(_) => assert!(stats.connections >= 4, "{fault:?}: {stats:?}"),
        }
        until("the end of the answers", || simulator.stats().responses_completed == 13).await;
    }
}
