//! Tests of the whole server over a pipe, against the simulator or a scripted socket.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod ask;
mod bad_input;
mod canary;
mod chaos;
mod cli;
mod commit_ghost;
mod complete;
mod due;
mod duel;
mod eagerness;
mod edit;
mod fix;
mod guarantees;
mod hostile;
mod items;
mod language_server;
mod layers;
mod leases;
mod lifecycle;
mod mcp;
mod messages;
mod neighbors;
mod next_edit;
mod notebook;
mod order;
mod plan;
mod policy;
mod prices;
mod privacy;
mod protocol_page;
mod quiet;
mod recording;
mod recovery;
mod related;
mod replay;
mod reuse;
mod rewrite;
mod secure;
mod settings;
#[cfg(unix)]
mod shared;
mod slow;
mod socket;
mod socket_life;
mod status;
mod support;
#[cfg(unix)]
mod tokens;
mod vendors;
mod wires;
mod write;
