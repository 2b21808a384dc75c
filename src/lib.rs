//! Tandem: a language server for AI completion.
//!
//! It mirrors the buffers that an editor has open, sends the smallest possible request to a **fast** model
//! over a socket that is kept open, and hands the answer back as ghost text or as a code action. Without a
//! model a **local** engine answers from the code at hand. This page is an overview; the page of each
//! module has the details.
//!
//! # The layers
//!
//! ```text
//!            main ──► cli ──► lsp        cli also: simulate, lsp_client
//!                              │  decode, one lock, spawn, encode
//!                ┌─────────────┴──────────────┐
//!                ▼                            ▼
//!             session                      assist
//!          what is open now            the jobs: one pipeline, one file each
//!                │        ┌─────────┬────────┼────────┬─────────┐
//!                │        ▼         ▼        ▼        ▼         ▼
//!                │      context ◄─ prompt   route    model     local
//!                └────┬───┘
//!                     ▼
//!                 snapshot ─► workspace edit        workspace: the files around, for context, assist and lsp, too
//!                     │                   │
//!                     └────► document ◄───┘
//!                                │
//!                                ▼
//!                             grammar        config, privacy, disk, text, lock, background, budget: used by all above
//!                                            job: used by all above edit, whose refusals its reasons hold
//!                                            record: the flight recorder, for lsp and cli, over document
//!                                            compare: what the answers of two models show, for lsp and cli
//!                                            replay: recorded answers read by today's rules, for cli, over assist
//!                                            deflate: what model and simulate speak on sockets
//!                                            trained: models made for edits, for assist and simulate, over prompt
//! ```
//!
//! Arrows point one way. `tests/it/layers.rs` holds the table of who may use whom, and reads the sources to
//! check it. Only [`lsp`] knows the protocol's types; only [`cli`], [`lsp`], [`assist`], [`model`], [`deflate`],
//! [`simulate`], [`lsp_client`], [`disk`], [`record`], [`replay`], [`workspace`] and the loading half of [`config`] wait
//! or do I/O.
//! The rest is tested as plain functions, text in and text out.
//!
//! # Words
//!
//! * *Access*: whether a model may be shown a file, by its name and by ignore files ([`privacy`]).
//! * *Bill*: the usage of a day by user, team, job and model, in numbers ([`model::bill`]).
//! * *Block*: a part of a window with a tag, which a reply can replace ([`context`], [`prompt`]).
//! * *Call*: one request to a model for ghost text; it may outlive the editor's request that began it.
//! * *Canary*: a model on trial, asked beside the fast one at a share of the pauses ([`compare::duel`]).
//! * *Candidate*: one model in the ordered list of a gear ([`model::fallback`]).
//! * *Cell*: a part of a notebook, whose text is a document of its own ([`session::NotebookCell`]).
//! * *Certain fix*: one that a rule makes without a model ([`local::fix`]).
//! * *Comparison*: which of two models keeps more of its text at places of one's commits or recording ([`compare`]).
//! * *Completion point*: the cursor, and the selected entry of the editor's menu if that is open.
//! * *Continuation*: what follows a suggestion, requested before that is accepted.
//! * *Diagnostic*: what another server, such as a compiler's, reports for a file, or a tool prints ([`tool_output`]).
//! * *Document*: one version of a file's text, with its tree ([`document`]).
//! * *Duel*: the fast model and a canary asked at one pause, a coin saying whose answer is shown ([`compare::duel`]).
//! * *Edit dialect*: the form in which a model is asked that was trained to predict edits ([`trained`]).
//! * *Explicit* request: one that the user makes; LSP calls it *invoked*. Others are *automatic*.
//! * *Finding*: something that is wrong with the changes of several files taken together ([`assist::plan`]).
//! * *Gear*: who answers: the local engine, the fast models or the deep ones ([`route`]).
//! * *Ghost text*: a suggestion at the cursor, drawn but not inserted ([`session::ghost`]).
//! * *Hint*: what a review found in a line, until that is edited ([`session::ReviewHint`]).
//! * *Item*: a suggestion of a language server that is used as a model ([`model`]).
//! * *Job*: a kind of work: completion, next edit, rewrite, fix, plan, step, question ([`job`], [`assist`]).
//! * *Layer*: the files of a folder as they are on disk, which indexes of one process share
//!   ([`workspace::SharedIndexes`]).
//! * *Lease*: the small part of a company's budget that a process may spend before it asks again ([`model::leases`]).
//! * *Next edit*: an edit elsewhere that follows from recent edits ([`session::next_edit`]).
//! * *Opportunity*: a pause at which something could have been shown, whatever was decided ([`record::outcomes`]).
//! * *Origin*: the gear and the model that made a result, why that gear, and what it took ([`assist`]).
//! * *Plan*: the steps of a change across many files, each about one file ([`assist::plan`]).
//! * *Policy*: a company's signed rules, which narrow the settings ([`config::policy`]).
//! * *Prediction*: a local suggestion that is shown while a model is asked ([`assist::Prediction`]).
//! * *Reason*: why a job has no result ([`job::Reason`]); a *refusal* is one by the edit engine.
//! * *Recent edit*: adjacent changes of the user, as lines before and after ([`snapshot::RecentEdit`]).
//! * *Recording*: what was typed, asked, shown and kept, if the user wants it written down ([`record`]).
//! * *Related* parts: code of other files that bears on a place, kept ready with a file ([`context::related`]).
//! * *Replay*: a recorded answer read again by the rules of this version ([`replay`]).
//! * *Session*: what is open in one editor ([`session`]).
//! * *Snapshot*: one file at one moment, from which a job works ([`snapshot`]).
//! * *Source*: the gear and the model that made a suggestion.
//! * *Stage*: at most twelve steps of a plan, carried out before the deep gear looks at the rest.
//! * *Step*: the change of one file in a plan.
//! * *Suggestion*: what a call makes: a text at a point, shown part by part.
//! * *Symbol*: a definition or an import of a file ([`workspace::FileSymbols`]).
//! * *Task*: a job as the pipeline runs it: its target, its prompt and its reading ([`assist`]).
//! * *Tracked* file: an open file whose text is in sync and not too large.
//! * *Verification*: the result of the user's own command for a plan's changes, in a
//!   [scratch copy](workspace::ScratchCopy).
//! * *Walk*: the search for the files of the workspace folders, by the rules of access ([`workspace`]).
//! * *Window*: the part of a file that a model is shown ([`context`]).
//!
//! # What happens
//!
//! Three walks. Each names a file where the data first reaches it.
//!
//! **A key is typed.** It takes microseconds whatever the file's size, and is done before the next message is
//! read.
//!
//! ```text
//! lsp/backend.rs                             gets textDocument/didChange
//! lsp/requests/did_change.rs                 decodes it, and takes the session's lock
//! session/sync.rs                            finds the file
//! session/tracked.rs                         replaces the document, and moves what refers to its text
//! document.rs                                makes the new version, which shares the rope and the tree
//! session/ghost/suggestions.rs               keeps the suggestions that agree with what is typed
//! session/recent_edits.rs                    adds the change to a recent edit
//! lsp/background_parse.rs                    schedules a parse for a pause; nothing waits for it
//! lsp/related.rs                             has other files looked through after it
//! context/related.rs                         chooses what of them bears on the place
//! ```
//!
//! **Ghost text is requested.** If the document has changed when the suggestion comes, the answer is an empty
//! list, and the suggestion serves the next request if it still fits. While a model is asked, a prediction of the
//! local engine may be on screen; a suggestion replaces it only if that goes on with it.
//!
//! ```text
//! lsp/requests/inline_completion.rs          gets the request
//! lsp/requests/inline_completion/start.rs    takes a snapshot
//! session/ghost/trigger.rs                   decides whether a model is called, and when
//! lsp/requests/inline_completion/pending.rs  waits for a suggestion that fits
//! lsp/requests/inline_completion/call.rs     calls it in a task of its own, which may outlive the request
//! assist/complete.rs                         makes the task
//! context/complete.rs                        cuts a window at the edges of scopes
//! assist/pipeline.rs                         runs the task
//! assist/models.rs                           waits for access to the file
//! route.rs                                   chooses the gear
//! context/secrets.rs                         refuses a cursor inside a key
//! prompt/complete.rs                         renders the prompt
//! assist/redact.rs                           takes keys out of the request, and restores the answer
//! prompt/related.rs                          quotes what was kept ready of other files
//! model/fallback.rs                          asks the candidate whose turn it is
//! edit/trim.rs                               trims the text while it arrives
//! assist/validate.rs                         checks it by the parser and the workspace's names
//! session/ghost.rs                           keeps the suggestion as it grows
//! lsp/call_signals.rs                        wakes the requests that wait for the call
//! lsp/convert.rs                             makes the range of the item
//! ```
//!
//! **A reply becomes an edit.** Here a rewrite's, with what it passes besides the pipeline's files above.
//!
//! ```text
//! lsp/requests/rewrite.rs                    gets the command
//! assist/target.rs                           finds the code that the instruction is about
//! lsp/progress.rs                            shows a bar, which can cancel the job
//! assist/rewrite.rs                          makes the task
//! assist/pipeline.rs                         runs it, and reads the reply to its end
//! context/rewrite.rs                         cuts the surroundings of the range
//! prompt/rewrite.rs                          renders the prompt
//! edit/accept.rs                             lets edits out read, placed and checked, or not at all
//! edit/parse/reader.rs                       reads the reply in whatever format, into blocks
//! edit/locate.rs                             finds the lines that each block means
//! edit/diff.rs                               makes the smallest edits
//! edit/check.rs                              refuses damage
//! lsp/requests/edit_job.rs                   logs the outcome for tandem.why
//! edit/rebase.rs                             carries the edits over what was typed meanwhile
//! lsp/convert/workspace_edit.rs              makes a WorkspaceEdit, with the document's version
//! ```
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
//!   called but the tree of a document, and no `Drop` takes it.
//! * A request takes its snapshot before it first waits. A notification does not wait at all.
//! * Every request gets exactly one answer; cancelled work is dropped, down to the call on the wire and the loops of
//!   the blocking pool ([`budget`]).
//! * No work grows faster than n log n in any size of an input (`tests/bench/growth`); what takes more than a budget of
//!   work, which is counted and not timed, is refused with that reason.
//! * Bytes inside; lines and columns exist in [`document::position`] and at the editor's edge.
//! * Every edit knows the version it was made from. What does not fit is refused, with the reason; nothing is
//!   guessed.
//! * Absence has a reason ([`job::Reason`]).
//! * A key is a [`config::Secret`] and prints as `***`. No text of a file is logged.
//! * What lies in a workspace is read by [`disk`]: regular files, in bounds, on threads that may get stuck, a lane for
//!   each workspace folder and purpose. The blocking pool computes, and waits for no disk.
//! * Of several files all are written or none, whatever ends the process, and below the folder that was judged.
//! * What a model wrote is not run before the user has seen it and allowed that.
//! * What others wrote is shown to people through [`text::printable`]: nothing in it acts on a terminal or
//!   hides.
//!
//! # Locks
//!
//! All locks of the server, outermost first. A lock is taken only while those listed before it are held, if
//! any; the leaves take none. No guard lives across an `.await`, except turns, which are made for that.
//!
//! ```text
//! lsp/background_fixes.rs   the turn to make a fix ahead, and what that may take: held during a call
//! background.rs             the turn of the background thread: held during a work of it
//! lsp/state.rs              the sources of the settings: held while they are read again
//! model/sockets.rs          the sockets of an endpoint
//! model/endpoint.rs         the health of an endpoint
//! model/fallback/shared.rs  the candidates of a gear, and whose turn it is
//! assist/validate/trial.rs  the suggestion that was tried last: held while another is validated
//! lsp/canary.rs             a duel's file, held while it is written, and what is known of that duel
//! lsp/session_lock.rs       the session
//! leaves:
//! document/pending_tree.rs  a tree that is to be moved along with changes: held while it is
//! lsp/serving.rs            the current models: held while an `Arc` is copied or replaced
//! lsp/editor.rs             the messages that were shown, and those that wait for `initialized`
//! lsp/cancel.rs             the operations that the user can cancel
//! lsp/call_signals.rs       the signals of the calls that requests wait for
//! background.rs             the thread for what is made ahead: held while work is handed to it
//! disk/readers.rs           the threads that read workspaces
//! disk/ignore_files.rs      the ignore files that were read
//! config/keys.rs            the keys and tokens of a process
//! config/policy/machine.rs  the note about a policy that could not be written
//! workspace/store.rs        what is known of the workspace: held for one look-up, one file, or while a layer is shared
//! workspace/shared.rs       the layers that workspaces share, and which folders are walked
//! workspace/walk.rs         the files that a walk found in a shared layer
//! assist/predictions.rs     what the local engine learned: skipped by a request while it is locked
//! assist/validate.rs        the suggestions of one call that were validated
//! replay/recorded_model.rs  what was read of a recorded answer
//! privacy/secrets/lines.rs  the secrets found in lines: skipped by callers while locked
//! model/fields.rs           the request fields that a model refused
//! model/dialect/choice.rs   the form in which an endpoint takes code
//! model/shared.rs           the connections of a process, and the sessions that use one
//! model/nonce.rs            whether an endpoint echoes what names a request
//! model/http/client.rs      the duration of the last connection
//! model/usage/meter.rs      the spending of a session, and the day's count that sessions share
//! model/usage/day_count.rs  the usage of a process by day, and the counts that its end writes
//! model/background_tasks.rs the tasks that send reports to a collector, and those that keep leases
//! model/leases.rs           a lease of a company's budget
//! assist/plan/processes.rs  how many runs adopt what loses its parent
//! ```
//!
//! # What is deliberately absent
//!
//! * No file of a project is written while an editor is served: changes go through the editor.
//! * No program is run but git, and the commands of the user's own configuration.
//! * No state outlives the process but the figures of a month's spending ([`model::usage`]), the note of which of its
//!   days were billed ([`model::bill`]), a cache of the workspace's symbols ([`workspace::Cache`]), which can be deleted
//!   at any time, the recording of a user who switched it on ([`record`]), the last good policy ([`config::policy`]),
//!   the answers that `tandem compare` paid for, the figures of duels ([`compare::duel`]), and the journal of a write
//!   that was cut off, which the next start takes back.
//! * No model's name decides anything: what is known of families of models is data ([`model::capability`]).
//! * No telemetry.
//! * No thread but the one that serves, the blocking pool, one for what is made ahead, one for a command that prints a
//!   key or a token, as long as it runs, one for a folder, as long as it is read, one for a run of git, one that writes
//!   the recording while that is on, and up to four that parse the workspace during a walk.
//!
//! No crates below this one. Measured with [`edit`] and its dependencies as a crate of their own: a changed
//! line there costs 0.7 s of processor time to check instead of 2.8 s, and 1.4 s instead of 5.7 s to build
//! its tests. That does not pay for five manifests, the features of the languages passed through each, and
//! five packages to publish; the arrows are held by `tests/it/layers.rs`.

pub mod cli;

pub mod lsp;

pub mod record;
pub mod session;
pub mod snapshot;
pub mod tool_output;
pub mod workspace;

pub mod assist;
pub mod compare;
pub mod context;
pub mod local;
pub mod model;
pub mod prompt;
pub mod replay;
pub mod route;
pub mod trained;

pub mod edit;

pub mod document;
pub mod grammar;

pub mod background;
pub mod budget;
pub mod config;
pub mod deflate;
pub mod disk;
pub mod job;
mod lock;
pub mod privacy;
pub mod text;

pub mod lsp_client;
pub mod simulate;

#[cfg(test)]
#[path = "../tests/it/support/folder.rs"]
mod folder;
#[cfg(test)]
#[path = "../tests/it/support/properties.rs"]
mod properties;
