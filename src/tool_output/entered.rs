//! The folders that make and ninja enter: the paths that tools print there are relative to them.

use std::path::Path;

use super::diagnostic::Diagnostic;

/// Maximum number of nested folders.
const LEVELS: usize = 64;
/// Maximum size in bytes of a line that reports a folder.
const LINE_BYTES: usize = 4096;

/// The folders that were entered and not left yet, the innermost last.
#[derive(Default)]
pub(super) struct Entered(Vec<String>);

impl Entered {
    /// Whether a line reports that a folder is entered or left, as in `make[1]: Entering directory '/src'`.
    pub(super) fn follow(&mut self, line: &str) -> bool {
        let Some((program, said)) = line.get(..line.len().min(LINE_BYTES)).and_then(|it| it.split_once(": "))
        else {
            return false;
        };
        let (enters, quoted) =
            match (said.strip_prefix("Entering directory "), said.strip_prefix("Leaving directory ")) {
                (Some(quoted), _) => (true, quoted),
                (None, Some(quoted)) => (false, quoted),
                (None, None) => return false,
            };
        if program.contains(char::is_whitespace) {
            return false;
        }
        // Older versions quote as `so'.
        let folder = quoted.trim().trim_matches(['\'', '`', '"']);
        if !enters {
            if let Some(at) = self.0.iter().rposition(|it| it == folder) {
                self.0.truncate(at);
            }
        } else if self.0.len() < LEVELS {
            self.0.push(folder.to_owned());
        }
        true
    }

    /// Makes the paths of new diagnostics relative to where make was started.
    pub(super) fn place(&self, diagnostics: &mut [Diagnostic]) {
        let Some(folder) = self.0.last() else { return };
        let place = |path: &mut String| {
            if !Path::new(path.as_str()).is_absolute() {
                *path = format!("{folder}/{path}");
            }
        };
        for it in diagnostics {
            place(&mut it.path);
            it.fixes
                .iter_mut()
                .flat_map(|fix| &mut fix.edits)
                .filter_map(|edit| edit.path.as_mut())
                .for_each(place);
        }
    }
}
