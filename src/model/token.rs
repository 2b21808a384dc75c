//! Fetches expiring tokens: one fetch for all that wait, and ahead of the expiry.
//!
//! A token that is renewed in time causes no wait. It is renewed as long as an endpoint uses it,
//! even without requests, so that the first request after a pause has a valid token. A refused
//! token is replaced once per request ([`super::client`]). If no token is available, the reason
//! becomes the request's error, and requests a few seconds later try again.

mod exchange;

use std::thread;
use std::time::{Duration, SystemTime};

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::ModelError;
use super::limits::{
    MESSAGE_CHARACTERS, TOKEN_AGAIN, TOKEN_AHEAD_AGAIN, TOKEN_AHEAD_MOST, TOKEN_AHEAD_PART, TOKEN_LIFE_LEAST,
};
use crate::config::token_answer::{self, TokenAnswer, TokenEnd};
use crate::config::{Endpoint, Issued, KeyCommand, Token, TokenSource, WeakToken};
use crate::text::random::random_share;

/// The wall clock.
pub(super) type Wall = fn() -> SystemTime;

/// Returns the token to send to an endpoint now; `None` if it takes none.
pub(super) async fn get(endpoint: &Endpoint, wall: Wall) -> Result<Option<Issued>, ModelError> {
    let Some(token) = &endpoint.token else { return Ok(None) };
    let none = |why: &str| {
        let why = endpoint.hide(why).shortened(MESSAGE_CHARACTERS);
        ModelError::NoToken { provider: endpoint.provider.clone(), why }
    };
    let mut changes = token.subscribe();
    let known = changes.borrow_and_update().clone();
    if let Some(issued) = known.issued.filter(|it| it.is_valid(wall())) {
        // The monotonic clock may have stopped while the machine slept.
        if issued.is_due(wall()) && known.failure.is_none_or(|(_, at)| at.elapsed() >= TOKEN_AHEAD_AGAIN) {
            renew(token, wall);
        }
        return Ok(Some(issued));
    }
    if let Some((why, at)) = known.failure.filter(|_| !known.is_asked_for)
        && at.elapsed() < TOKEN_AGAIN
    {
        return Err(none(&why));
    }
    renew(token, wall);
    let known = changes.wait_for(|known| !known.is_asked_for).await;
    let known = known.map_err(|_| none("what gives it is gone"))?;
    match (&known.failure, &known.issued) {
        (Some((why, _)), _) => Err(none(why)),
        (None, Some(issued)) => Ok(Some(issued.clone())),
        (None, None) => Err(none("it did not come")),
    }
}

/// Records that an endpoint refused the token with this number, so that it is not sent again.
pub(super) fn refused(endpoint: &Endpoint, number: Option<u64>) {
    let (Some(token), Some(number)) = (&endpoint.token, number) else { return };
    token.change(|known| {
        let newest = known.issued.as_mut().filter(|it| it.number == number);
        newest.is_some_and(|it| !std::mem::replace(&mut it.is_refused, true))
    });
}

/// Fetches another token in the background, unless a fetch is in progress.
fn renew(token: &Token, wall: Wall) {
    if !token.change(|known| !std::mem::replace(&mut known.is_asked_for, true)) {
        return;
    }
    let token = token.clone();
    tokio::spawn(async move {
        let source = token.source().clone();
        // In a separate task, so that a panic is reported to the waiters as a failure.
        let fetched = tokio::spawn(async move { fetch(&source).await }).await;
        let fetched = fetched.unwrap_or_else(|panic| Err(panic.to_string()));
        if let Err(why) = &fetched {
            tracing::warn!(source = ?token.source(), why, "no token");
        }
        if let Some((number, wait)) = note(&token, fetched, wall) {
            tokio::spawn(renew_ahead(token.downgrade(), number, wait, wall));
        }
    });
}

/// Renews a token after a while if it is still the latest one and in use.
async fn renew_ahead(token: WeakToken, number: u64, wait: Duration, wall: Wall) {
    sleep(wait).await;
    if let Some(token) = token.upgrade()
        && token.known().issued.as_ref().is_some_and(|it| it.number == number)
    {
        renew(&token, wall);
    }
}

/// Records the result of a fetch; returns the number of the token to renew, and the time until then.
///
/// A failed fetch is retried as long as the previous token is valid. After that, requests trigger it.
fn note(token: &Token, fetched: Result<TokenAnswer, String>, wall: Wall) -> Option<(u64, Duration)> {
    let mut next = None;
    token.change(|known| {
        known.is_asked_for = false;
        match fetched {
            Ok(answer) => {
                let before = known.issued.take();
                let number = before.as_ref().map_or(0, |it| it.number + 1);
                let issued = issued(answer, number, wall(), random_share());
                next = issued.renew_after.map(|after| (number, after));
                known.before = before.map(|it| it.secret);
                (known.issued, known.failure) = (Some(issued), None);
            }
            Err(why) => {
                let valid = known.issued.as_ref().filter(|it| it.life.is_some() && it.is_valid(wall()));
                next = valid.map(|it| (it.number, TOKEN_AHEAD_AGAIN));
                known.failure = Some((why, Instant::now()));
            }
        }
        true
    });
    next
}

/// Creates a token that has just arrived.
///
/// A token that has expired by this machine's clock is sent for a moment nevertheless, since the clock may be
/// wrong. `chance`, from 0 to 1, spreads the renewals of many clients whose tokens expire together.
fn issued(answer: TokenAnswer, number: u64, wall: SystemTime, chance: f64) -> Issued {
    let said = match answer.end {
        TokenEnd::After(life) => Some(life),
        TokenEnd::At(end) => Some(end.duration_since(wall).unwrap_or_default()),
        TokenEnd::Unknown => None,
    };
    let life = said.map(|life| life.max(TOKEN_LIFE_LEAST));
    let ahead = |life: Duration| (life / TOKEN_AHEAD_PART).min(TOKEN_AHEAD_MOST).mul_f64(0.5 + chance / 2.0);
    Issued {
        secret: answer.token,
        number,
        came: (Instant::now(), wall),
        life,
        renew_after: life.map(|life| life - ahead(life)),
        is_late: said.is_some_and(|life| life.is_zero()),
        is_refused: false,
    }
}

/// Fetches a token. The error is one clause, with a remedy.
async fn fetch(source: &TokenSource) -> Result<TokenAnswer, String> {
    match source {
        TokenSource::Command(command) => {
            let text = run(command.clone()).await?;
            let wrong = |what| format!("`{command:?}` {what}; run it in a terminal to see what it prints");
            token_answer::read(&text).map_err(wrong)
        }
        TokenSource::Exchange(exchange) => exchange::fetch(exchange).await,
    }
}

/// Runs a command in a separate thread: the few threads of the blocking pool are for parsing.
async fn run(command: KeyCommand) -> Result<zeroize::Zeroizing<String>, String> {
    let (done, printed) = oneshot::channel();
    // The receiver is dropped only together with the fetch.
    let run = move || drop(done.send(command.print()));
    let started = thread::Builder::new().name("token".to_owned()).spawn(run);
    started.map_err(|error| format!("no thread for its command ({})", error.kind()))?;
    printed.await.unwrap_or_else(|_| Err("its command could not be followed".to_owned()))
}

#[cfg(test)]
mod tests;
