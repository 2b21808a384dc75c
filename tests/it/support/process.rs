//! Running programs to their end.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs a command with this standard input, and returns its output.
pub(crate) fn output_of(command: &mut Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that exits early does not read the rest.
    _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}
