//! Compares two models on the user's own code: the parts that send no requests.
//!
//! [`places`] derives test cases from the commits of a folder, [`statistics`] evaluates the answers, [`result`]
//! reports them as text and JSON, and [`page`] as HTML. The command sends the requests. In a [`duel`] the server
//! compares two models live; [`trial`] derives the models and the limits from the configuration.

pub mod duel;
pub mod page;
pub mod places;
pub mod result;
pub mod statistics;
pub mod trial;
