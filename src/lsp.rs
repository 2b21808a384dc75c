//! The Language Server Protocol: the only module that knows its messages.
//!
//! [`server`] holds the table of all methods that the server answers. [`backend`] decodes each message and
//! passes it, with the parts of the server that the method needs, to the method's file in [`requests`].
//! Handlers rely on these rules:
//!
//! * a notification's body ends before the next message is read ([`transport`]), so the session follows the
//!   order of the messages;
//! * a request takes its snapshot before its first `.await`;
//! * work runs in a task that is aborted with its request ([`task`]); a panic in it becomes one error answer.
//!
//! [`state`] lists the parts of the server. Each part is a cheaply cloneable handle with its own lock, if it
//! needs one; a handler receives the handles that it uses.

mod access;
mod backend;
mod background_fixes;
mod background_parse;
mod call_signals;
mod canary;
mod cancel;
mod capabilities;
mod clock;
mod convert;
mod duel_file;
mod editor;
mod errors;
mod file_report;
mod indexing;
mod limits;
mod neighbors;
mod open_files;
mod other_files;
mod parent;
mod prepared_fixes;
mod progress;
mod protocol;
mod recording;
mod related;
mod request_outcome;
mod requests;
mod saved_session;
mod server;
mod serving;
mod session_lock;
mod settings;
mod state;
mod status_report;
mod suggestion_ids;
mod task;
mod transport;
#[cfg(unix)]
mod window;
mod workspace_walk;

pub(crate) use convert::{file_path, file_uri, shown_file};
pub(crate) use duel_file::DuelFile;
pub(crate) use related::project_rules;
pub use server::serve;
pub use serving::Start;
pub use transport::Ended;
#[cfg(unix)]
pub(crate) use window::{Connect, FromServer, ToServer, serve_window};
