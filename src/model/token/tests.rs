use std::fmt::Write as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use expect_test::expect;
use futures_util::future::join_all;
use tokio::time::advance;

use super::*;
use crate::config::Secret;

/// The current time of the tests' clock.
const NOW: Duration = Duration::from_secs(1_795_731_190);

fn wall() -> SystemTime {
    UNIX_EPOCH + NOW
}

#[test]
fn life_of_a_token_is_bounded_and_renewed_ahead() {
    let mut shown = String::new();
    let seconds = Duration::from_secs;
    for (name, end) in [
        ("an hour", TokenEnd::After(seconds(3_600))),
        ("five minutes", TokenEnd::At(wall() + seconds(300))),
        ("a second", TokenEnd::After(seconds(1))),
        ("no time", TokenEnd::After(seconds(0))),
        ("ended an hour ago", TokenEnd::At(wall() - seconds(3_600))),
        ("for ever", TokenEnd::After(Duration::MAX)),
        ("unknown", TokenEnd::Unknown),
    ] {
        let issued = |chance| {
            let token = Secret::new("t".to_owned());
            issued(TokenAnswer { token, end }, 0, wall(), chance)
        };
        let [first, last] = [issued(1.0), issued(0.0)];
        let seconds = |it: Option<Duration>| it.map_or("never".to_owned(), |it| it.as_secs().to_string());
        let (life, late) = (seconds(first.life), if first.is_late { ", late" } else { "" });
        let [first, last] = [first, last].map(|it| seconds(it.renew_after));
        writeln!(shown, "{name}: ends {life}, renewed from {first} to {last}{late}").unwrap();
    }
    expect![[r#"
        an hour: ends 3600, renewed from 3300 to 3450
        five minutes: ends 300, renewed from 240 to 270
        a second: ends 10, renewed from 8 to 9
        no time: ends 10, renewed from 8 to 9, late
        ended an hour ago: ends 10, renewed from 8 to 9, late
        for ever: ends 18446744073709551615, renewed from 18446744073709551315 to 18446744073709551465
        unknown: ends never, renewed from never to never
    "#]]
    .assert_eq(&shown);
}

#[tokio::test]
async fn a_sleep_of_the_machine_counts_as_time() {
    let token = TokenAnswer { token: Secret::new("t".to_owned()), end: TokenEnd::After(NOW) };
    let issued = issued(token, 0, wall(), 0.0);
    assert!(issued.is_valid(wall()) && !issued.is_due(wall()));
    assert!(!issued.is_valid(wall() + NOW) && issued.is_due(wall() + NOW));
    assert!(issued.is_valid(wall() - NOW), "the clock was set back");
}

/// An endpoint whose token is printed by a shell script in a folder.
#[cfg(unix)]
fn endpoint(folder: &Path, script: &str) -> Endpoint {
    let script = format!("cd '{}'; {script}", folder.display());
    let config = format!(
        "[providers.p]\nbase_url = \"http://p.test\"\ntoken_command = ['sh', '-c', \"\"\"{script}\"\"\"]\n\
         [fast]\ncandidates = [{{ provider = 'p', model = 'm' }}]\n"
    );
    let file = folder.join("config.toml");
    std::fs::write(&file, config).unwrap();
    let sources = crate::config::Sources {
        policy: None,
        file: Some(&file),
        editor: &[],
        folders: &[],
        variable: &|_| None,
        readers: &Default::default(),
    };
    let loaded = crate::config::load(&sources, &mut Default::default(), false);
    assert_eq!(loaded.problems, []);
    loaded.settings.everywhere().fast.candidates[0].clone()
}

#[cfg(unix)]
async fn shown(endpoint: &Endpoint) -> String {
    match get(endpoint, wall).await {
        Ok(token) => token.unwrap().secret.expose().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Prints a token with the number of its run, valid for 100 s.
#[cfg(unix)]
const COUNTS: &str = r#"echo x >> runs; echo '{\"token\": \"t'$(wc -l < runs)'\", \"expires_in\": 100}'"#;

#[cfg(unix)]
#[tokio::test]
async fn all_that_wait_get_one_token() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = endpoint(folder.path(), &format!("sleep 0.1; {COUNTS}"));
    let all = join_all((0..20).map(|_| shown(&endpoint))).await;
    assert!(all.iter().all(|it| it == "t1"), "{all:?}");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_ahead_and_no_request_waits() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = endpoint(folder.path(), COUNTS);
    assert_eq!(shown(&endpoint).await, "t1");
    let token = endpoint.token.clone().unwrap();
    for number in 1..=3 {
        let mut changes = token.subscribe();
        // There are no requests meanwhile.
        advance(Duration::from_secs(79)).await;
        assert!(!changes.has_changed().unwrap());
        assert_eq!(shown(&endpoint).await, format!("t{number}"));
        advance(Duration::from_secs(12)).await;
        changes.wait_for(|it| it.issued.as_ref().unwrap().number == number).await.unwrap();
        assert_eq!(shown(&endpoint).await, format!("t{}", number + 1));
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_failure_is_told_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = endpoint(folder.path(), &format!("[ -e signed-in ] || exit 7; {COUNTS}"));
    let failure = "there is no token for p: `sh` failed (exit status: 7); run it in a terminal to see why";
    assert_eq!(shown(&endpoint).await, failure);
    std::fs::write(folder.path().join("signed-in"), "").unwrap();
    assert_eq!(shown(&endpoint).await, failure, "not at once");
    advance(TOKEN_AGAIN).await;
    assert_eq!(shown(&endpoint).await, "t1");
    // The next fetch fails, ahead of this token's expiry.
    std::fs::remove_file(folder.path().join("signed-in")).unwrap();
    let mut changes = endpoint.token.as_ref().unwrap().subscribe();
    advance(Duration::from_secs(91)).await;
    changes.wait_for(|it| it.failure.is_some()).await.unwrap();
    assert_eq!(shown(&endpoint).await, "t1");
    advance(Duration::from_secs(9)).await;
    assert_eq!(shown(&endpoint).await, failure);
}

#[cfg(unix)]
#[tokio::test]
async fn a_token_that_is_refused_is_replaced_once_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = endpoint(folder.path(), COUNTS);
    assert_eq!(shown(&endpoint).await, "t1");
    for _ in 0..3 {
        refused(&endpoint, Some(0));
    }
    let all = join_all((0..20).map(|_| shown(&endpoint))).await;
    assert!(all.iter().all(|it| it == "t2"), "{all:?}");
    // A late refusal of the old token does not affect the new one.
    refused(&endpoint, Some(0));
    assert_eq!(shown(&endpoint).await, "t2");
    assert_eq!(&*endpoint.hide("of t1, t2"), "of t1, t2", "too short to be hidden");
}
