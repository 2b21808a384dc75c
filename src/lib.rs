//! Tandem: a language server that pairs with you.
//!
//! It mirrors the buffers that an editor has open, sends the smallest possible request to a **fast** model over a
//! socket that is kept open, and hands the answer back as ghost text or as a code action. Without a model a **local**
//! engine answers from the code at hand. This page is the map of the house; each module's own page says more.
//!
//! # The layers
//!
//! ```text
//!            main ──► cli ──► lsp        cli also: simulate, driver
//!                              │  decode, one lock, spawn, encode
//!                ┌─────────────┴──────────────┐
//!                ▼                            ▼
//!             session                      assist
//!          what is open now            the jobs, one file each
//!                │        ┌─────────┬────────┼────────┬─────────┐
//!                │        ▼         ▼        ▼        ▼         ▼
//!                │      context ◄─ prompt   route    model     local
//!                └────┬───┘
//!                     ▼
//!                 snapshot              edit        index: the workspace's names, for assist and lsp
//!                     │                   │
//!                     └────► document ◄───┘
//!                                │
//!                                ▼
//!                             grammar        job, config, privacy, disk, text: used by all above
//!                                            deflate: what model and simulate speak on sockets
//! ```
//!
//! Arrows point one way. `tests/it/layers.rs` holds the table of who may use whom, and reads the sources to check it.
//! Only [`lsp`] knows the protocol's types; only [`cli`], [`lsp`], [`assist`], [`model`], [`deflate`], [`simulate`], [`driver`],
//! [`disk`], the walk of [`index`] and the loading half of [`config`] wait or do I/O. The rest is tested as plain functions, text in and text out.
//!
//! # What happens
//!
//! **A key is typed.** [`lsp`] reads `textDocument/didChange` and, before it reads the next message, puts a new
//! [`document::Document`] in the place of the old one: the rope and the edited tree are shared with it, so that takes
//! microseconds whatever the file's size. The suggestion on screen ([`session::ghost`]) is carried over the change or
//! dropped. A parse is scheduled for a pause in the typing; nothing waits for it.
//!
//! **Ghost text is asked for.** Under one lock the handler takes a [`snapshot::Snapshot`], looks whether the user is
//! typing what is on screen (then that is the answer), and stops the older request for the same file. In a task that
//! dies with the request, [`assist`] cuts a window at the edges of scopes ([`context`]), renders a prompt
//! ([`prompt`]), streams the answer from the gear that [`route`] chose ([`model`], or [`local`]), and trims it while it
//! comes ([`edit::trim`]). If the document has moved on by then, the answer is an empty list, and the suggestion is
//! kept for the next request if it still fits.
//!
//! **Code is rewritten.** A code action is offered for every `ai:` comment, without asking anybody. When it is picked
//! the model is asked for the range's new text; [`edit::reply`] reads whatever it wrote, [`edit::diff`] makes the
//! smallest edits of it, [`edit::guard`] looks for damage, and [`edit::rebase`] carries them over what was typed
//! meanwhile. They leave with the document's version, for editors that check it.
//!
//! **Settings change.** The files are read again, or the editor sends others; what begins next finds them in force, and what
//! runs ends with the settings and the model that it began with. Only what has other models than before connects anew.
//!
//! # What always holds
//!
//! * A document is a value. Whoever holds a version keeps it; nobody changes it.
//! * One lock, around [`session::Session`]; its guard lives for a few lines, never across an `.await`, and nothing is
//!   parsed, rendered or logged under it. Where settings come from has one of its own, taken first. What the local
//!   engine has learned has one as well, taken under no other; a request that finds it held goes without.
//! * A request takes its snapshot before it first waits. A notification does not wait at all.
//! * Every request gets exactly one answer; cancelled work is dropped, down to the call on the wire.
//! * Bytes inside; lines and columns exist in [`document::position`] and at the editor's edge.
//! * Every edit knows the version it was made from. What does not fit is refused, with the reason; nothing is guessed.
//! * Absence has a reason ([`job::Reason`]).
//! * A key is a [`config::Secret`] and prints as `***`. No text of a file is logged.
//! * What lies in a workspace is read by [`disk`]: regular files, in bounds, on threads that may get stuck.
//! * What others wrote is shown to people through [`text::printable`]: nothing in it acts on a terminal or hides.
//!
//! # What is deliberately absent
//!
//! No file is written while an editor is served: changes go through the editor. No state outlives the
//! process but the figures of the day's spending ([`model::usage`]). No model's name decides anything: what is known of
//! families of models is data ([`model::capability`]). No telemetry. No thread but the one that serves, the blocking
//! pool, one for a command that prints a key, as long as it runs, and one for a folder, as long as it is read.

pub mod cli;

pub mod lsp;

pub mod session;
pub mod snapshot;

pub mod assist;
pub mod context;
pub mod local;
pub mod model;
pub mod prompt;
pub mod route;

pub mod edit;

pub mod document;
pub mod grammar;
pub mod index;

pub mod config;
pub mod deflate;
pub mod disk;
pub mod job;
pub mod privacy;
pub mod text;

pub mod driver;
pub mod simulate;
