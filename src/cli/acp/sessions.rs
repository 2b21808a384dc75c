//! The sessions of an editor, open and recorded.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::history::{self, Exchange};
use super::written::Written;
use crate::cli::jsonrpc::{Answer, INTERNAL_ERROR, INVALID_PARAMS};
use crate::cli::limits::{FILE_BYTES, FOLDER_TIMEOUT};
use crate::disk::{Purpose, Readers};
use crate::lock::Mutex;
use crate::workspace::Folder;

/// A folder that the editor has opened.
pub(super) struct Session {
    pub(super) folder: Folder,
    /// The folder as the editor names it.
    pub(super) cwd: PathBuf,
    /// The number of turns so far.
    pub(super) turns: usize,
    /// The unfinished turn. Its guard is held for a single statement.
    pub(super) running: Arc<Mutex<Option<Running>>>,
    pub(super) written: Written,
}

/// A turn whose prompt is not answered yet.
pub(super) struct Running {
    /// The id of the request that it answers.
    pub(super) prompt: Value,
    /// Taken when the turn is cancelled.
    pub(super) cancel: Option<oneshot::Sender<()>>,
}

impl Session {
    fn new(folder: Folder, cwd: PathBuf) -> Self {
        Self { folder, cwd, turns: 0, running: Arc::default(), written: Written::default() }
    }

    /// Cancels the running turn, if any.
    pub(super) fn cancel(&self) {
        self.cancel_if(|_| true);
    }

    /// Cancels the running turn if `is_meant` holds for its request id.
    pub(super) fn cancel_if(&self, is_meant: impl Fn(&Value) -> bool) {
        let mut running = self.running.lock();
        let running = running.as_mut().filter(|running| is_meant(&running.prompt));
        if let Some(cancel) = running.and_then(|running| running.cancel.take()) {
            // The send fails if the turn is already writing.
            cancel.send(()).ok();
        }
    }
}

pub(super) struct Sessions {
    open: HashMap<String, Session>,
    readers: Readers,
    /// The folder of the recorded sessions.
    history: Option<PathBuf>,
    /// The prefix of the session ids of this process.
    run: String,
    begun: usize,
}

impl Sessions {
    pub(super) fn new(readers: Readers) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let run = format!("{started:x}-{}", std::process::id());
        Self { open: HashMap::new(), readers, history: history::folder(), run, begun: 0 }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Session> {
        self.open.values()
    }

    /// The open session that a request names.
    pub(super) fn get(&mut self, params: &Value) -> Result<&mut Session, (i64, String)> {
        let id = id_of(params);
        self.open.get_mut(id).ok_or_else(|| (INVALID_PARAMS, format!("there is no session `{id}`")))
    }

    /// Starts a session.
    pub(super) fn begin(&mut self, params: &Value) -> Answer {
        let (folder, cwd) = self.folder(params)?;
        self.begun += 1;
        let id = format!("{}-{}", self.run, self.begun);
        self.open.insert(id.clone(), Session::new(folder, cwd));
        Ok(json!({ "sessionId": id }))
    }

    /// Reopens a recorded session; returns its turns.
    pub(super) fn reopen(&mut self, params: &Value) -> Result<Vec<Exchange>, (i64, String)> {
        let (folder, cwd) = self.folder(params)?;
        let id = id_of(params).to_owned();
        let looked_up = id.clone();
        let recorded = self.history(move |history| history::read(history, &looked_up))?;
        if recorded.cwd != cwd {
            let why = format!("the session `{id}` is one of {}", recorded.cwd.display());
            return Err((INVALID_PARAMS, why));
        }
        let session = self.open.entry(id).or_insert_with(|| Session::new(folder, cwd));
        // The ids of tool calls contain the turn's number, so numbers must not repeat.
        session.turns = session.turns.max(recorded.turns.len());
        Ok(recorded.turns)
    }

    /// The recorded sessions in the format of `session/list`.
    pub(super) fn list(&self, params: &Value) -> Answer {
        let cwd = params["cwd"].as_str().map(PathBuf::from);
        let sessions = self.history(move |history| history::list(history, cwd.as_deref()))?;
        Ok(json!({ "sessions": sessions }))
    }

    /// Closes a session; its record is kept.
    pub(super) fn close(&mut self, params: &Value) -> Answer {
        self.get(params)?.cancel();
        self.open.remove(id_of(params));
        Ok(json!({}))
    }

    /// Closes a session and deletes its record.
    pub(super) fn delete(&mut self, params: &Value) -> Answer {
        if let Some(session) = self.open.remove(id_of(params)) {
            session.cancel();
        }
        let id = id_of(params).to_owned();
        self.history(move |history| history::remove(history, &id))?;
        Ok(json!({}))
    }

    /// Opens the folder that a request names; returns its path as well.
    fn folder(&self, params: &Value) -> Result<(Folder, PathBuf), (i64, String)> {
        let wrong = |why: String| (INVALID_PARAMS, why);
        let cwd = params["cwd"].as_str().map(Path::new).filter(|cwd| cwd.is_absolute());
        let cwd =
            cwd.ok_or_else(|| wrong("`cwd` is the absolute path of the workspace's folder".to_owned()))?;
        let looked_at = cwd.to_owned();
        let folder = self
            .looked(cwd, move || Folder::new(&looked_at, FILE_BYTES))
            .map_err(|error| wrong(format!("cannot open the workspace {}: {error}", cwd.display())))?;
        Ok((folder, cwd.to_owned()))
    }

    /// Accesses the folder of the recorded sessions.
    fn history<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, (i64, String)> {
        let nowhere = || (INTERNAL_ERROR, "there is no folder to keep sessions in".to_owned());
        let folder = self.history.clone().ok_or_else(nowhere)?;
        self.looked(&folder.clone(), move || look(&folder)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => (INVALID_PARAMS, "there is no such session".to_owned()),
            _ => (INTERNAL_ERROR, format!("the sessions cannot be read: {error}")),
        })
    }

    /// Runs a disk access with a timeout, in the folder's lane.
    fn looked<T: Send + 'static>(
        &self,
        folder: &Path,
        look: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let looked = self.readers.within(&Purpose::Aside.lane(folder), FOLDER_TIMEOUT, look);
        looked.map_err(io::Error::other).flatten()
    }
}

fn id_of(params: &Value) -> &str {
    params["sessionId"].as_str().unwrap_or_default()
}
