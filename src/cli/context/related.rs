//! Gathers the parts of other files for a prompt as the server does, and lists them with their reasons.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::limits::BYTES_PER_TOKEN;
use super::super::{project, terminal};
use crate::config::{ContextScope, Scoped, Settings};
use crate::context::related::{Query, gather};
use crate::disk::IgnoreFiles;
use crate::lsp::{project_rules, shown_file};
use crate::snapshot::{OmittedPart, Related, RelatedKind, RelatedPart, Snapshot, heading_bytes};
use crate::text::line::list_words;

/// The maximum number of reasons shown per file.
const MOST_REASONS: usize = 3;

pub(super) struct FileParts<'a> {
    path: &'a str,
    kind: RelatedKind,
    parts: Vec<&'a RelatedPart>,
    bytes: usize,
    /// The reasons, without duplicates.
    why: Vec<&'a str>,
}

impl FileParts<'_> {
    fn tokens(&self) -> usize {
        self.bytes.div_ceil(BYTES_PER_TOKEN)
    }

    /// The line number of each part's first line.
    fn lines(&self) -> Vec<usize> {
        self.parts.iter().map(|it| it.line).collect()
    }

    pub(super) fn json(&self) -> Value {
        let parts = self
            .parts
            .iter()
            .map(|it| json!({ "line": it.line, "text": it.text, "why": &*it.why, "needs": it.needs }));
        json!({
            "path": self.path, "kind": self.kind.to_string(), "lines": self.lines(), "bytes": self.bytes,
            "tokens": self.tokens(), "why": self.why, "parts": parts.collect::<Vec<_>>(),
        })
    }
}

/// Groups consecutive parts by file and kind.
pub(super) fn files(related: &[RelatedPart]) -> Vec<FileParts<'_>> {
    let mut files: Vec<FileParts<'_>> = Vec::new();
    for part in related {
        if files.last().is_none_or(|last| (last.path, last.kind) != (&part.path, part.kind)) {
            let bytes = heading_bytes(&part.path);
            files.push(FileParts {
                path: &part.path,
                kind: part.kind,
                parts: Vec::new(),
                bytes,
                why: Vec::new(),
            });
        }
        let Some(file) = files.last_mut() else { continue };
        file.parts.push(part);
        file.bytes += part.text.len();
        if !file.why.contains(&&*part.why) {
            file.why.push(&part.why);
        }
    }
    files
}

/// Prints the parts of other files with their reasons, and what was left out.
pub(super) fn show(settings: &Settings, shown: &[FileParts<'_>], room: usize, left_out: &[OmittedPart]) {
    let bytes: usize = shown.iter().map(|it| it.bytes).sum();
    let [used, most] = [bytes, room].map(|it| it.div_ceil(BYTES_PER_TOKEN));
    terminal::print(format_args!("\n== other files: {used} of {most} tokens"));
    for file in shown {
        let (kind, tokens, lines) = (file.kind, file.tokens(), list_words(&file.lines()));
        terminal::print(format_args!("{}: {kind}, {tokens} tokens, {lines}", file.path));
        for why in file.why.iter().take(MOST_REASONS) {
            terminal::print(format_args!("    {why}"));
        }
        match file.why.len().saturating_sub(MOST_REASONS) {
            0 => {}
            1 => terminal::print("    and one more reason"),
            more => terminal::print(format_args!("    and {more} more reasons")),
        }
    }
    if shown.is_empty() {
        let why = match settings.privacy.context {
            ContextScope::File => "`privacy.context` is `file`",
            ContextScope::Open => "`privacy.context` is `open`, and no editor has any open",
            ContextScope::Workspace => "none of the project's files is related to this place",
        };
        terminal::print(format_args!("none: {why}"));
    }
    for OmittedPart { path, line, text, why } in left_out {
        let text = if text.is_empty() { String::new() } else { format!(" `{text}`") };
        terminal::print(format_args!("left out: {path}:{line}{text}: {why}"));
    }
}

/// Gathers related parts for a position from the file's repository, or else from the current folder.
pub(super) fn gathered(
    path: &Path,
    snapshot: &Snapshot,
    cursor: usize,
    settings: &Scoped,
    folders: &[PathBuf],
) -> Related {
    let Ok(path) = std::fs::canonicalize(path) else { return Related::default() };
    // There is no editor, so no files are open.
    let only: Option<&[PathBuf]> = match snapshot.settings.privacy.context {
        ContextScope::File => return Related::default(),
        ContextScope::Open => Some(&[]),
        ContextScope::Workspace => None,
    };
    let repository = path.ancestors().find(|folder| folder.join(".git").exists());
    let here =
        || folders.iter().filter_map(|it| std::fs::canonicalize(it).ok()).find(|it| path.starts_with(it));
    let Some(root) = repository.map(Path::to_owned).or_else(here) else { return Related::default() };
    let (roots, workspace) = ([root], &*snapshot.workspace);
    project::index(workspace, &roots, settings);
    snapshot.document.syntax();
    workspace.open(&path, &snapshot.document, || false);
    gather(&Query {
        document: &snapshot.document,
        path: &path,
        cursor,
        workspace,
        rules: &project_rules(&roots[0], &path, settings, &roots, &IgnoreFiles::default()),
        recent: &[],
        only,
        before: &Related::default(),
        shown: &|path| shown_file(path, &roots).into(),
        cancelled: &|| false,
    })
}
