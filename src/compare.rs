//! Which of two models is better on one's own code: the parts that send no request.
//!
//! [`places`] makes places to ask about of the commits of a folder, [`statistics`] says what the answers show, and
//! [`result`] puts it in words, and [`page`] on a page. The command asks. In a [`duel`] the server compares them live;
//! [`trial`] says which ones.

pub mod duel;
pub mod page;
pub mod places;
pub mod result;
pub mod statistics;
pub mod trial;
