//! Tandem: a language server that pairs with you.

pub mod assist;
pub mod cli;
pub mod config;
pub mod context;
pub mod document;
pub mod driver;
pub mod edit;
pub mod grammar;
pub mod job;
pub mod local;
pub mod lsp;
pub mod model;
pub mod prompt;
pub mod route;
pub mod session;
pub mod simulate;
pub mod snapshot;
