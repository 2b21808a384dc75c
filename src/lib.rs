//! Tandem: a language server that pairs with you.

pub mod config;
pub mod grammar;
pub mod document;
pub mod edit;
pub mod job;
pub mod snapshot;
pub mod session;
pub mod local;
pub mod context;
pub mod prompt;
pub mod route;
pub mod model;
pub mod assist;
pub mod simulate;
pub mod driver;
pub mod lsp;
pub mod cli;
