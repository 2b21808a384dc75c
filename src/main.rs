//! The `tandem` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tandem::cli::run()
}
