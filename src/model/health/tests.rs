//! Failures as a table: the events, line by line, and the resulting retries.

use super::*;
use expect_test::{Expect, expect};

pub(crate) fn error(kind: ErrorKind, retry_after: Option<Duration>) -> ModelError {
    let provider = "p".to_owned();
    match kind {
        ErrorKind::Offline => ModelError::Offline { provider, url: "u".to_owned(), why: "w".into() },
        ErrorKind::Closed => ModelError::Closed { provider },
        _ => ModelError::Refused {
            provider,
            kind,
            status: None,
            param: None,
            message: "no".into(),
            retry_after,
        },
    }
}

/// Plays events, one per line: seconds, event, kind of failure, and how long the server asks to
/// wait. Shows after each event what is tried when.
fn check(script: &str, expect: Expect) {
    let start = Instant::now();
    let mut health = EndpointHealth::default();
    let mut shown = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let now = start + Duration::from_secs_f64(words.next().unwrap().parse().unwrap());
        let what = words.next().unwrap();
        let kind = words
            .next()
            .and_then(|name| ErrorKind::ALL.iter().find(|kind| format!("{kind:?}") == name).copied());
        let retry_after = words.next().map(|it| Duration::from_secs_f64(it.parse().unwrap()));
        let failure = || error(kind.unwrap(), retry_after);
        let look_after = Duration::from_secs(300);
        let news = match what {
            "answered" => health.answered(false),
            "answered-on-socket" => health.answered(true),
            "failed" => {
                health.failed(&failure(), now);
                false
            }
            "connected" => {
                health.connected();
                false
            }
            "cannot-connect" => health.could_not_connect(&failure(), now, look_after),
            "failed-on-socket" => health.failed_on_socket(kind.unwrap(), now, look_after),
            "hurry" => {
                health.clear_connect_backoff();
                false
            }
            "then" => false,
            _ => panic!("{line}"),
        };
        let in_seconds = |at: Option<Instant>| match at.map(|at| at.saturating_duration_since(now)) {
            Some(wait) if !wait.is_zero() => format!(" for {} s", wait.as_secs_f64()),
            _ => String::new(),
        };
        let standing = match health.standing() {
            Standing::Untried => "untried".to_owned(),
            Standing::Answers => "answers".to_owned(),
            Standing::Unavailable(_) => format!("away{}", in_seconds(health.due_at())),
            Standing::Refused(_) => format!("refused{}", in_seconds(health.due_at())),
        };
        let typing = if health.stops_typing(now).is_some() { "no" } else { "yes" };
        let connecting = format!("{:?}{}", health.connecting(now), in_seconds(health.connect_at()));
        let transport = health.transport(now);
        let news = if news { " (news)" } else { "" };
        shown.push_str(&format!("{line}{news}: {standing}, typing {typing}, {transport:?}, {connecting}\n"));
    }
    expect.assert_eq(&shown);
}

#[test]
fn failures_that_may_pass_are_waited_for_twice_as_long_each_time() {
    check(
        "
        0 failed Offline
        2 failed Offline
        6 failed Offline
        200 failed Offline
        300 failed Offline
        400 failed Offline
        500 answered
        500 failed RateLimited
        501 failed Invalid
        502 then",
        expect![[r#"
            0 failed Offline: away for 2 s, typing no, Sockets, NoReserve
            2 failed Offline: away for 4 s, typing no, Sockets, NoReserve
            6 failed Offline: away for 8 s, typing no, Sockets, NoReserve
            200 failed Offline: away for 16 s, typing no, Sockets, NoReserve
            300 failed Offline: away for 32 s, typing no, Sockets, NoReserve
            400 failed Offline: away for 60 s, typing no, Sockets, NoReserve
            500 answered (news): answers, typing yes, Sockets, NoReserve
            500 failed RateLimited: away for 2 s, typing no, Sockets, NoReserve
            501 failed Invalid: away for 1 s, typing no, Sockets, NoReserve
            502 then: away, typing yes, Sockets, NoReserve
        "#]],
    );
}

#[test]
fn refused_endpoint_is_left_alone_for_minutes() {
    check(
        "
        0 failed Unauthorized
        301 then
        302 answered
        302 failed QuotaUsedUp 60
        361 then
        363 then
        363 connected
        363 failed Policy",
        expect![[r#"
            0 failed Unauthorized: refused for 300 s, typing no, Sockets, NoReserve
            301 then: refused, typing no, Sockets, NoReserve
            302 answered (news): answers, typing yes, Sockets, NoReserve
            302 failed QuotaUsedUp 60: refused for 60 s, typing no, Sockets, NoReserve
            361 then: refused for 1 s, typing no, Sockets, NoReserve
            363 then: refused, typing yes, Sockets, NoReserve
            363 connected: refused, typing yes, Sockets, Reserve
            363 failed Policy: refused, typing yes, Sockets, Reserve
        "#]],
    );
}

#[test]
fn zero_wait_is_believed_once() {
    check(
        "
        0 failed RateLimited 0
        0 failed RateLimited 0
        0 answered
        0 failed QuotaUsedUp 0
        0 failed QuotaUsedUp 0",
        expect![[r#"
            0 failed RateLimited 0: away, typing yes, Sockets, NoReserve
            0 failed RateLimited 0: away for 4 s, typing no, Sockets, NoReserve
            0 answered (news): answers, typing yes, Sockets, NoReserve
            0 failed QuotaUsedUp 0: refused, typing yes, Sockets, NoReserve
            0 failed QuotaUsedUp 0: refused for 300 s, typing no, Sockets, NoReserve
        "#]],
    );
}

#[test]
fn connecting_backs_off_and_leaves_the_reserve_out() {
    check(
        "
        0 then
        0 cannot-connect RateLimited 7
        0 cannot-connect RateLimited 7
        6 then
        6 hurry
        6 cannot-connect RateLimited
        8 connected
        8 cannot-connect Forbidden
        8 hurry
        8 connected",
        expect![[r#"
            0 then: untried, typing yes, Sockets, NoReserve
            0 cannot-connect RateLimited 7: untried, typing yes, Sockets, No for 7 s
            0 cannot-connect RateLimited 7: untried, typing yes, Sockets, No for 7 s
            6 then: untried, typing yes, Sockets, No for 1 s
            6 hurry: untried, typing yes, Sockets, One
            6 cannot-connect RateLimited: untried, typing yes, Sockets, No for 0.4 s
            8 connected: untried, typing yes, Sockets, Reserve
            8 cannot-connect Forbidden: untried, typing yes, Sockets, No for 3 s
            8 hurry: untried, typing yes, Sockets, One
            8 connected: untried, typing yes, Sockets, Reserve
        "#]],
    );
}

#[test]
fn sockets_that_do_not_work_are_given_up_and_looked_for() {
    check(
        "
        0 cannot-connect NotFound
        299 then
        300 then
        301 then
        900 then
        9000 then
        99000 then
        99001 connected
        99001 cannot-connect ServerError
        99002 cannot-connect ServerError
        99003 cannot-connect ServerError",
        expect![[r#"
            0 cannot-connect NotFound (news): untried, typing yes, Http, No for 0.2 s
            299 then: untried, typing yes, Http, No
            300 then: untried, typing yes, HttpAndProbe, No
            301 then: untried, typing yes, Http, No
            900 then: untried, typing yes, HttpAndProbe, No
            9000 then: untried, typing yes, HttpAndProbe, No
            99000 then: untried, typing yes, HttpAndProbe, No
            99001 connected: untried, typing yes, Sockets, Reserve
            99001 cannot-connect ServerError: untried, typing yes, Sockets, No for 0.2 s
            99002 cannot-connect ServerError: untried, typing yes, Sockets, No for 0.4 s
            99003 cannot-connect ServerError (news): untried, typing yes, Http, No for 0.8 s
        "#]],
    );
}

#[test]
fn requests_that_fail_on_sockets_give_them_up_unless_one_is_answered() {
    check(
        "
        0 connected
        0 failed-on-socket Closed
        0 failed-on-socket Policy
        0 failed-on-socket IdleTimeout
        0 failed-on-socket Mismatched
        0 answered-on-socket
        0 failed-on-socket Closed
        0 failed-on-socket Closed
        0 failed-on-socket Closed
        0 answered
        0 failed-on-socket Closed",
        expect![[r#"
            0 connected: untried, typing yes, Sockets, Reserve
            0 failed-on-socket Closed: untried, typing yes, Sockets, Reserve
            0 failed-on-socket Policy: untried, typing yes, Sockets, Reserve
            0 failed-on-socket IdleTimeout: untried, typing yes, Sockets, Reserve
            0 failed-on-socket Mismatched: untried, typing yes, Sockets, Reserve
            0 answered-on-socket (news): answers, typing yes, Sockets, Reserve
            0 failed-on-socket Closed: answers, typing yes, Sockets, Reserve
            0 failed-on-socket Closed: answers, typing yes, Sockets, Reserve
            0 failed-on-socket Closed: answers, typing yes, Sockets, Reserve
            0 answered: answers, typing yes, Sockets, Reserve
            0 failed-on-socket Closed (news): answers, typing yes, Http, No
        "#]],
    );
}

#[test]
fn endpoint_that_is_reached_is_no_longer_offline() {
    check(
        "
        0 answered
        0 failed Offline
        0 connected
        0 failed Closed
        0 connected",
        expect![[r#"
            0 answered (news): answers, typing yes, Sockets, NoReserve
            0 failed Offline: away for 2 s, typing no, Sockets, NoReserve
            0 connected: untried, typing yes, Sockets, Reserve
            0 failed Closed: away for 2 s, typing yes, Sockets, Reserve
            0 connected: away for 2 s, typing yes, Sockets, Reserve
        "#]],
    );
}
