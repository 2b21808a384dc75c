//! The request handlers, one file per method or command.
//!
//! A handler takes the parts of the server that it uses, as arguments or as a `Context`, and never the whole
//! state.

pub(super) mod ask;
pub(super) mod check_plan;
pub(super) mod code_action;
pub(super) mod code_action_resolve;
pub(super) mod diagnostics;
pub(super) mod did_change;
pub(super) mod did_close;
pub(super) mod did_open;
pub(super) mod did_partially_accept;
pub(super) mod did_save;
pub(super) mod did_show;
mod edit_job;
pub(super) mod fix;
pub(super) mod fix_all;
pub(super) mod inline_completion;
mod left_uses;
pub(super) mod models;
pub(super) mod next_edit;
pub(super) mod notebook;
pub(super) mod pair;
pub(super) mod plan;
mod quick_fix;
pub(super) mod raise_budget;
pub(super) mod rewrite;
pub(super) mod snooze;
mod title;
pub(super) mod why;
pub(super) mod will_save;
