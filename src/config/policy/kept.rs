//! The note of the last good policy, in the user's state folder.
//!
//! A user can change or delete it. So the policy in it is verified by each load, and what is lost is fetched again; only
//! the memory of the highest serial is not proved. The servers of one user share the note and thereby one fetch.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::document::Policy;
use super::envelope;
use super::machine::{self, PolicyFiles, PolicySource, UnwrittenNote};
use crate::config::Endpoint;
use crate::config::limits::{POLICY_AGAIN, POLICY_BYTES, POLICY_NOTE_BYTES};
use crate::disk::{self, Links};
use crate::text::words::plain_error;

/// What to fetch.
#[derive(Debug, Clone)]
pub struct PolicyQuestion {
    /// Where the policy is.
    pub endpoint: Endpoint,
    /// The entity tag of the one that is kept, in quotes (RFC 9110 §8.8.3).
    pub etag: Option<String>,
    /// Bytes of an answer at most.
    pub most: usize,
    source: PolicySource,
}

/// The answer of a policy's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyAnswer {
    /// A policy in its envelope, and its entity tag.
    New(String, Option<String>),
    /// The one that is kept is current (304).
    Same,
    /// The answer can be no policy, for this reason, in a clause about it.
    Unfit(String),
    /// There was no answer, for this reason, in a clause.
    Away(String),
}

/// The note.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    /// The place and the key of the policy.
    source: String,
    /// The policy in its envelope.
    envelope: Option<String>,
    etag: Option<String>,
    /// The highest serial of a policy that was valid.
    highest: u64,
    /// The last attempt, and the last one with a good answer, in seconds since 1970.
    tried: u64,
    pub(super) checked: u64,
    /// Why the last attempt failed.
    pub(super) trouble: Option<Trouble>,
    /// Why the note is in memory alone.
    #[serde(skip)]
    pub(super) unwritten: Option<String>,
}

/// Why the last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Trouble {
    /// The server did not answer.
    Away(String),
    /// What it answered is refused.
    Refused(String),
}

impl Kept {
    /// Reads the note: the copy in memory if the file could not be written. Empty if none is about this policy.
    pub(super) fn read(files: &PolicyFiles, source: &PolicySource) -> Self {
        let text = path(files).and_then(|path| disk::text(&path, POLICY_NOTE_BYTES, Links::Refuse).ok());
        let kept: Option<Self> = text.and_then(|text| serde_json::from_str(&text).ok());
        let empty = || Self { source: source.identity.clone(), ..Self::default() };
        let unwritten = files.unwritten.lock().clone().and_then(|it| {
            let note: Self = serde_json::from_str(&it.text).ok()?;
            Some(Self { unwritten: Some(it.why), ..note })
        });
        let all = [unwritten, kept].into_iter().flatten();
        all.filter(|it| it.source == source.identity).max_by_key(|it| it.tried).unwrap_or_else(empty)
    }

    /// The policy that is kept, if its signature is right.
    pub(super) fn policy(&self, source: &PolicySource) -> Option<Policy> {
        Policy::parse(envelope::open(self.envelope.as_deref()?, &source.keys).ok()?).ok()
    }

    /// Whether an attempt is due, with this time between attempts that succeed.
    fn is_due(&self, now: u64, pause: Duration) -> bool {
        let pause = if self.trouble.is_some() { pause.min(POLICY_AGAIN) } else { pause };
        // A clock that was set back must not stop the fetches.
        self.tried > now || now - self.tried >= pause.as_secs()
    }

    /// Takes an answer in.
    fn note(&mut self, source: &PolicySource, answer: PolicyAnswer, now: SystemTime) {
        self.tried = seconds(now);
        let refused = match answer {
            PolicyAnswer::Same => None,
            PolicyAnswer::Unfit(why) => Some(Trouble::Refused(why)),
            PolicyAnswer::Away(why) => Some(Trouble::Away(why)),
            PolicyAnswer::New(text, etag) => match self.examine(&text, source, now) {
                Err(why) => Some(Trouble::Refused(why)),
                Ok(policy) => {
                    self.highest = policy.serial;
                    (self.envelope, self.etag) = (Some(text), etag);
                    None
                }
            },
        };
        if refused.is_none() {
            self.checked = self.tried;
        }
        self.trouble = refused;
    }

    /// Checks a policy that has come.
    fn examine(&self, text: &str, source: &PolicySource, now: SystemTime) -> Result<Policy, String> {
        let policy = Policy::parse(envelope::open(text, &source.keys)?)?;
        policy.check_time(now)?;
        let Policy { serial, .. } = policy;
        if serial < self.highest {
            return Err(format!("it has serial {serial}, and serial {} was there before it", self.highest));
        }
        let is_changed = |kept: &String| {
            let document = |text: &str| text.split_once('\n').map(|(_, document)| document.to_owned());
            document(kept) != document(text)
        };
        if serial == self.highest
            && self.policy(source).is_some()
            && self.envelope.as_ref().is_some_and(is_changed)
        {
            return Err(format!("it has the serial {serial} of another one: count it up"));
        }
        Ok(policy)
    }
}

impl PolicyFiles {
    /// What to fetch, unless this machine has no policy or another server has asked within this time.
    ///
    /// Blocks on files.
    pub fn question(
        &self,
        pause: Duration,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PolicyQuestion> {
        let source = machine::read(&self.machine, variable).ok()??;
        let kept = Kept::read(self, &source);
        if !kept.is_due(seconds((self.clock)()), pause) {
            return None;
        }
        let is_good = kept.policy(&source).is_some();
        let etag = kept.etag.filter(|_| is_good);
        Some(PolicyQuestion { endpoint: source.endpoint.clone(), etag, most: POLICY_BYTES, source })
    }

    /// Notes the answer to a question. A policy that is good replaces the one that is kept.
    ///
    /// Blocks on files.
    ///
    /// # Errors
    ///
    /// The note cannot be written. It then applies to this process.
    pub fn note(&self, question: &PolicyQuestion, answer: PolicyAnswer) -> io::Result<()> {
        // Another server may have written since the question.
        let mut kept = Kept::read(self, &question.source);
        kept.note(&question.source, answer, (self.clock)());
        let text = serde_json::to_string(&kept)?;
        let written = write(self, &text);
        let why = written.as_ref().err().map(|error| plain_error(&error.to_string()));
        *self.unwritten.lock() = why.map(|why| UnwrittenNote { text, why });
        written
    }
}

/// Writes the note as a whole, so that no other server reads half of it.
fn write(files: &PolicyFiles, note: &str) -> io::Result<()> {
    let path = path(files).ok_or(io::ErrorKind::NotFound)?;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    disk::private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(note.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn path(files: &PolicyFiles) -> Option<PathBuf> {
    Some(files.state.as_ref()?.join("policy.json"))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
