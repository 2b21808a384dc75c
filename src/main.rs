//! The `tandem` binary.

fn main() {}
