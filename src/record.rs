//! The flight recorder: writes what was typed, requested, answered and shown to files that belong to the user and
//! that only the user passes on.
//!
//! It is off unless the user's configuration has `record = true`. [`Recorder`] takes notes from the server at the
//! cost of a message to a thread; that thread turns them into [`Entry`]s, masks probable keys, and writes the
//! entries to a [ring of files](ring). [`outcomes`] derives the outcome of each suggestion from them, and [`bundle`]
//! makes a report without their texts.
//!
//! `editors/recording.md` describes the format.

pub mod bundle;
pub mod entry;
pub mod figures;
pub mod kept;
mod mask;
mod note;
pub mod outcomes;
mod recorder;
pub mod ring;
mod writer;

pub use entry::{AnswerEntry, Entry, Event, Inputs, PROGRAM};
pub use note::{Note, document_number, milliseconds, utf16_span};
pub use recorder::Recorder;
