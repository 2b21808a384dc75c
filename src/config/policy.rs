//! A company's policy: signed rules that narrow the user's settings and never widen them.
//!
//! The administrator of a machine puts down a [file](machine) that says where the policy is and whose signature it has.
//! The policy itself is a [document] in an [envelope] with its signature. The last good one is
//! [kept] in the user's state folder. Each load verifies it again, and [applies](mod@in_force) it by
//! [narrowing](narrow) the settings. Only `model` fetches it.

mod document;
mod envelope;
mod in_force;
mod kept;
mod machine;
mod moment;
mod narrow;
mod report;
mod switches;
mod urls;

pub use super::limits::POLICY_AGAIN;
pub use envelope::sign;
pub use in_force::examine;
pub(super) use in_force::in_force;
pub use kept::{PolicyAnswer, PolicyQuestion};
pub use machine::PolicyFiles;
pub use report::{AppliedPolicy, Narrowed, PolicyReport, PolicyState};
