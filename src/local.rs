//! (to be merged)
/// x
pub fn complete(_: &str, _: &str) -> Option<String> { None }
/// x
pub fn rewrite(_: &str, _: &str) -> Option<String> { None }
