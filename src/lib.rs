//! Tandem: a language server that pairs with you.
//!
//! It mirrors the buffers that an editor has open, sends the smallest possible request to a **fast** model
//! over a socket that is kept open, and hands the answer back as ghost text or as a code action. Without a
//! model a **local** engine answers from the code at hand. This page is the map of the house; each module's own page says
//! more.
//!
//! # The layers
//!
//! ```text
//!            main ──► cli ──► lsp        cli also: simulate, lsp_client
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
//! Arrows point one way. `tests/it/layers.rs` holds the table of who may use whom, and reads the sources to
//! check it. Only [`lsp`] knows the protocol's types; only [`cli`], [`lsp`], [`assist`], [`model`], [`deflate`],
//! [`simulate`], [`lsp_client`], [`disk`], the walk of [`index`] and the loading half of [`config`] wait or do I/O.
//! The rest is tested as plain functions, text in and text out.
//!
//! # Words
//!
//! * *Access*: whether a model may be shown a file, by its name and by ignore files ([`privacy`]).
//! * *Block*: a part of a window with a tag, which a reply can replace ([`context`], [`prompt`]).
//! * *Call*: one request to a model for ghost text; it may outlive the editor's request that began it.
//! * *Candidate*: one model in the ordered list of a gear ([`model::fallback`]).
//! * *Completion point*: the cursor, and the selected entry of the editor's menu if that is open.
//! * *Continuation*: what follows a suggestion, requested before that is accepted.
//! * *Diagnostic*: what another server, such as a compiler's, reports for a file.
//! * *Document*: one version of a file's text, with its tree ([`document`]).
//! * *Explicit* request: one that the user makes; LSP calls it *invoked*. Others are *automatic*.
//! * *Gear*: who answers: the local engine, the fast models or the deep ones ([`route`]).
//! * *Ghost text*: a suggestion at the cursor, drawn but not inserted ([`session::ghost`]).
//! * *Job*: a kind of work: completion, next edit, rewrite, fix ([`job`], [`assist`]).
//! * *Next edit*: an edit elsewhere that follows from recent edits ([`session::next_edit`]).
//! * *Prediction*: what the local engine says at once, shown while a model is asked ([`assist::Prediction`]).
//! * *Reason*: why a job has no result ([`job::Reason`]); a *refusal* is one by the edit engine.
//! * *Recent edit*: adjacent changes of the user, as lines before and after ([`snapshot::RecentEdit`]).
//! * *Session*: what is open in one editor ([`session`]).
//! * *Snapshot*: one file at one moment, from which a job works ([`snapshot`]).
//! * *Source*: the gear and the model that made a suggestion.
//! * *Suggestion*: what a call makes: a text at a point, shown part by part.
//! * *Tracked* file: an open file whose text is in sync and not too large.
//! * *Window*: the part of a file that a model is shown ([`context`]).
//!
//! # What happens
//!
//! **A key is typed.** [`lsp`] reads `textDocument/didChange` and, before it reads the next message, replaces
//! the [`document::Document`] by a new one, which shares the rope and the edited tree with it: that takes
//! microseconds whatever the file's size. The suggestion on screen ([`session::ghost`]) is carried over the
//! change or dropped. A parse is scheduled for a pause in the typing; nothing waits for it.
//!
//! **Ghost text is requested.** Under one lock the handler takes a [`snapshot::Snapshot`], answers at once if
//! the user is typing what is on screen, and aborts the older request for the same file. In a task of its
//! own, [`assist`] cuts a window at the edges of scopes ([`context`]), renders a prompt ([`prompt`]), streams
//! the answer from the gear that [`route`] chose ([`model`], or [`local`]), and trims it while it arrives
//! ([`edit::trim`]). The session keeps the suggestion as it grows and wakes the request that waits for it. If
//! the document has changed by then, the answer is an empty list, and the suggestion serves the next request
//! if it still fits. While a model is asked a prediction of the local engine may be on screen, which the model's
//! suggestion replaces only if it goes on with it.
//!
//! **Code is rewritten.** A code action is offered for every `ai:` comment, without a model. When it is
//! picked the model is asked for the range's new text; [`edit::reply`] reads whatever it wrote,
//! [`edit::diff`] makes the smallest edits of it, [`edit::guard`] looks for damage, and [`edit::rebase`]
//! carries them over what was typed meanwhile. They leave with the document's version, for editors that check
//! it.
//!
//! **Settings change.** The files are read again, or the editor sends others. A running request keeps the
//! settings and the model that it began with; the next one gets the new ones. Only changed models connect
//! anew.
//!
//! # What always holds
//!
//! * A document is a value: a version is kept for as long as something holds it, and never changed.
//! * What is open lives behind one lock, around [`session::Session`]. Its guard lives for a few lines and
//!   never across an `.await`. Nothing is parsed, rendered or logged under it, nothing that can lock is
//!   called, and no `Drop` takes it.
//! * A request takes its snapshot before it first waits. A notification does not wait at all.
//! * Every request gets exactly one answer; cancelled work is dropped, down to the call on the wire.
//! * Bytes inside; lines and columns exist in [`document::position`] and at the editor's edge.
//! * Every edit knows the version it was made from. What does not fit is refused, with the reason; nothing is
//!   guessed.
//! * Absence has a reason ([`job::Reason`]).
//! * A key is a [`config::Secret`] and prints as `***`. No text of a file is logged.
//! * What lies in a workspace is read by [`disk`]: regular files, in bounds, on threads that may get stuck.
//! * What others wrote is shown to people through [`text::printable`]: nothing in it acts on a terminal or hides.
//!
//! # Locks
//!
//! All locks of the server, outermost first. A lock is taken only while those listed before it are held, if
//! any; the leaves take none. No guard lives across an `.await`, except the turn to parse, which is a
//! semaphore.
//!
//! ```text
//! lsp/background_parse.rs   the turn to parse: held during a parse, before the session's
//! lsp/state.rs              where settings come from: held while they are read anew
//! model/sockets.rs          the sockets of an endpoint
//! model/endpoint.rs         the health of an endpoint
//! model/fallback/shared.rs  the candidates of a gear, and whose turn it is
//! leaves:
//! lsp/session_lock.rs       the session
//! lsp/serving.rs            the current models: held while an `Arc` is copied or replaced
//! lsp/editor.rs             the messages that were shown, and those that wait for `initialized`
//! lsp/cancel.rs             the operations that the user can cancel
//! lsp/call_signals.rs       the signals of the calls that requests wait for
//! disk/readers.rs           the threads that read workspaces
//! disk/ignore_files.rs      the ignore files that were read
//! index.rs                  the names of the workspace: held for one look-up or one file
//! assist/predictions.rs     what the local engine learned: a request that finds it held goes without
//! assist/validate.rs        the suggestions of one call that were validated
//! model/capability.rs       the request fields that a model refused
//! model/nonce.rs            whether an endpoint echoes what names a request
//! model/http/client.rs      the duration of the last connection
//! model/usage/meter.rs      the day's spending
//! ```
//!
//! # What is deliberately absent
//!
//! No file is written while an editor is served: changes go through the editor. No state outlives the process
//! but the figures of the day's spending ([`model::usage`]). No model's name decides anything: what is known of
//! families of models is data ([`model::capability`]). No telemetry. No thread but the one that serves, the
//! blocking pool, one for a command that prints a key, as long as it runs, and one for a folder, as long as it is
//! read.

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

pub mod lsp_client;
pub mod simulate;
