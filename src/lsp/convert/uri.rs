//! Converts between local paths and URIs, and computes the displayed path of a file.

use std::path::{Path, PathBuf};

use tower_lsp::gen_lsp_types::Uri;

use crate::document::DocumentId;
use crate::text::folders::innermost;

/// The path displayed to the user and to a model: relative to its workspace folder, with `/`.
///
/// Outside of all folders it is the file name alone, so that no private path is exposed.
pub(in crate::lsp) fn shown_path(uri: &str, folders: &[PathBuf]) -> String {
    let Some(path) = file_path(uri) else {
        // An unsaved buffer, a notebook cell or a file on another machine: its name alone, for the same reason.
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path);
        return name.split_once(':').map_or(name, |(_, name)| name).to_owned();
    };
    shown_file(&path, folders)
}

/// The displayed path of a local file.
pub(crate) fn shown_file(path: &Path, folders: &[PathBuf]) -> String {
    let shown = innermost(folders, path).and_then(|folder| path.strip_prefix(folder).ok());
    let shown = shown.unwrap_or_else(|| path.file_name().map_or(path, Path::new));
    shown.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The `file:` URI of an absolute path.
pub(crate) fn file_uri(path: &Path) -> Option<String> {
    Some(Uri::from_file_path(path).ok()?.to_string())
}

pub(crate) fn file_path(uri: &str) -> Option<PathBuf> {
    path_in(uri).filter(|_| DocumentId::new(uri).is_file())
}

/// The path in a URI of any scheme, for example of the notebook that a cell belongs to.
///
/// The rules for that path apply to the document, too, but the document is not the file on disk.
pub(in crate::lsp) fn path_in(uri: &str) -> Option<PathBuf> {
    Uri::parse(uri).ok()?.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_paths_below_their_nearest_folder() {
        let folders = [PathBuf::from("/home/me/work"), PathBuf::from("/home/me/work/lib")];
        let check = |uri, expected| assert_eq!(shown_path(uri, &folders), expected);
        check("file:///home/me/work/src/a%20b.rs", "src/a b.rs");
        check("file:///home/me/work/lib/猫.rs", "猫.rs");
        check("file:///home/me/notes/secret/plan.md", "plan.md");
        check("untitled:Untitled-1", "Untitled-1");
        check("vscode-notebook-cell:/home/me/clients/acme/n.ipynb#W0", "n.ipynb");
        check("ssh://host/home/me/a.rs", "a.rs");
        check("git:/home/me/work/src/a.rs?ref=HEAD", "a.rs");
        check("no uri", "no uri");
    }
}
