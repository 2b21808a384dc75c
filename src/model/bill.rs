//! The bill: the usage of each finished day by user, team, job and model, without any text.
//!
//! Each day is delivered once to each place that the settings name: appended to a file, posted to a URL. What cannot be
//! delivered is tried again later, for as long as the day's files are kept. Nothing waits for it.

mod line;
mod note;

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::CONTENT_TYPE;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::http::client::{once, words};
use super::limits::MESSAGE_CHARACTERS;
use super::usage::DayFiles;
use crate::config::{BillSettings, Endpoint};
use crate::text::words::plain_error;

pub use line::lines;
use note::BillNote;

/// The time between two looks whether a day is to be delivered. Those of many machines spread by their starts.
pub const BILL_PAUSE: Duration = Duration::from_secs(15 * 60);
/// The time that the URL has for the lines of one day.
const POST_WITHIN: Duration = Duration::from_secs(10);

/// A place for the bill.
enum Place {
    File(PathBuf),
    Url(Box<Endpoint>),
}

impl Place {
    /// The name of its setting.
    fn setting(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Url(_) => "url",
        }
    }

    /// Delivers the lines of a day. `key` is the same for each attempt.
    async fn take(&self, text: String, key: &str) -> Result<(), String> {
        match self {
            Self::File(path) => {
                let path = path.clone();
                let append = move || {
                    // One write, so that the lines of several users stay whole.
                    OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())
                };
                off(append)
                    .await
                    .map_err(|error| format!("it cannot be written: {}", plain_error(&error.to_string())))
            }
            Self::Url(endpoint) => {
                let why = match timeout(POST_WITHIN, post(endpoint, text, key)).await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(why)) => why,
                    Err(_) => format!("its server did not answer within {} s", POST_WITHIN.as_secs()),
                };
                let why = endpoint.hide(&plain_error(&why));
                Err(why.shortened(MESSAGE_CHARACTERS).into_string())
            }
        }
    }
}

/// Posts the lines of a day. Redirects are not followed.
async fn post(endpoint: &Endpoint, text: String, key: &str) -> Result<(), String> {
    let client = once(endpoint).await.map_err(|error| error.to_string())?;
    let asking = client.post(endpoint.url("").expose());
    let asking = asking.header(CONTENT_TYPE, "application/x-ndjson");
    // draft-ietf-httpapi-idempotency-key-header: a string in quotes.
    let asking = asking.header("Idempotency-Key", format!("\"{key}\""));
    let unreachable = |error| format!("its server cannot be reached: {}", words(error));
    let status = asking.body(text).send().await.map_err(unreachable)?.status();
    match status.is_success() {
        true => Ok(()),
        false => Err(format!("its server answers {status}")),
    }
}

/// Delivers the days that are finished at `now`, unless another process does. `folder` is the user's state folder.
///
/// What a place does not take is logged once, and stays in the note of `folder`.
///
/// # Errors
///
/// Nothing can be delivered: the note of what was delivered cannot be read or written.
pub async fn deliver(bill: &BillSettings, folder: &Path, now: SystemTime) -> io::Result<()> {
    let places = bill
        .file
        .clone()
        .map(Place::File)
        .into_iter()
        .chain(bill.url.clone().map(|it| Place::Url(Box::new(it))));
    let places: Vec<Place> = places.collect();
    if places.is_empty() {
        return Ok(());
    }
    let own = folder.to_owned();
    let Some(mut note) = off(move || BillNote::open(&own)).await? else { return Ok(()) };
    let files = DayFiles::new(folder);
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    for place in places {
        for day in note.progress(place.setting(), now).due(now) {
            let trouble = note.progress(place.setting(), now).attempt(now);
            // What cannot be noted would be delivered again and again.
            note = written(note).await?;
            let (bill, files) = (bill.clone(), files.clone());
            let text = off(move || Ok(lines(&bill, day, &files.of(day)))).await?;
            let taken = match text.is_empty() {
                true => Ok(()),
                false => place.take(text, &note.key(day)).await,
            };
            let progress = note.progress(place.setting(), now);
            match &taken {
                Ok(()) => progress.succeed(day),
                Err(why) => {
                    if trouble.as_ref() != Some(why) {
                        let place = place.setting();
                        tracing::warn!(place, why, "the bill is not taken; it is kept, and offered again");
                    }
                    progress.trouble = Some(why.clone());
                }
            }
            note = written(note).await?;
            if taken.is_err() {
                break;
            }
        }
    }
    written(note).await.map(drop)
}

/// Why the last delivery failed, by the name of the setting.
pub fn troubles(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let places = note::progress(folder)?.places.into_iter();
    Ok(places.filter_map(|(name, it)| Some((name, it.trouble?))).collect())
}

async fn written(note: BillNote) -> io::Result<BillNote> {
    off(move || note.write().map(|()| note)).await
}

/// Works with files off the serving threads.
async fn off<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|panic| Err(io::Error::other(panic)))
}

#[cfg(test)]
mod tests;
