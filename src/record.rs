//! The flight recorder: what was typed, asked, answered and shown, in files of the user's own that leave the machine
//! only by the user's hand.
//!
//! It is off unless the user's configuration says `record = true`. [`Recorder`] takes notes from the server at the
//! price of a message to a thread; that thread turns them into [`Entry`]s, masks what looks like a key, and writes
//! them to a [ring of files](ring). [`fates`] reads off them what became of each suggestion, and [`bundle`] makes a
//! report of them that has no text.
//!
//! `editors/recording.md` describes the format.

pub mod bundle;
pub mod entry;
pub mod fates;
pub mod figures;
pub mod kept;
mod mask;
mod note;
mod recorder;
pub mod ring;
mod writer;

pub use entry::{Entry, Event};
pub use note::{Note, document_number, utf16_span};
pub use recorder::Recorder;
