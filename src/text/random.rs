//! Random numbers from the seeds of the standard library's hash maps: for ids and chances, not for keys.

use std::hash::{BuildHasher as _, RandomState};

/// A random number.
pub fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// A random name of sixteen digits.
pub fn random_id() -> String {
    format!("{:016x}", random())
}

/// A random number from 0 up to 1.
pub fn random_share() -> f64 {
    // A float holds 53 bits.
    (random() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_below_one_and_ids_differ() {
        assert!((0..100).all(|_| (0.0..1.0).contains(&random_share())));
        assert_ne!(random_id(), random_id());
    }
}
