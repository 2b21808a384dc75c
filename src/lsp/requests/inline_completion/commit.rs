//! Ghost text in the message of a commit: what the staged changes let it say.
//!
//! Editors open the message as a document: of a file in git's folder, or of VS Code's box in Source Control. A model is
//! shown what `tandem commit-message` shows it, within limits that suit a request at each pause.

use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::assist::pair::{self, PairSubject};
use crate::assist::{
    Completion, CompletionParams, OnPartial, Origin, Partial, continuation, earlier_subjects,
    nothing_to_show, visible_changes, with_prefix_as_usual,
};
use crate::config::ContextScope;
use crate::disk::{self, Links, Purpose};
use crate::job::Reason;
use crate::lsp::convert;
use crate::lsp::limits::{COMMIT_DIFF_BYTES, DISK_TIMEOUT};
use crate::lsp::state::ServerState;
use crate::privacy::Verdict;
use crate::snapshot::Snapshot;
use crate::text::floor_boundary;
use crate::workspace::git::Compared;

/// The language of a commit's message: in VS Code's box, in VS Code's editor, and in Vim.
const LANGUAGES: [&str; 3] = ["scminput", "git-commit", "gitcommit"];
/// The scheme of the boxes in VS Code's Source Control, whose query names the repository's folder.
const BOX: &str = "vscode-scm:";
/// Maximum size of a file of git that names a folder, in bytes.
const PATH_BYTES: u64 = 4096;

/// Whether a document is the message of a commit.
pub(super) fn is_message(snapshot: &Snapshot) -> bool {
    LANGUAGES.contains(&&*snapshot.language_id)
}

/// What a commit's message says next.
///
/// # Errors
///
/// The reason why there is no result.
pub(super) async fn complete(
    state: &ServerState,
    snapshot: &Snapshot,
    params: CompletionParams,
    progress: &mut OnPartial<'_>,
) -> Result<(Completion, Origin), Reason> {
    let CompletionParams { cursor, not_before, .. } = params;
    let document = &snapshot.document;
    let begun = document.slice(0..cursor);
    let mut rest = document.slice(cursor..document.text().len_bytes());
    // Git's own comments follow the message.
    rest.truncate(if rest.starts_with('#') { 0 } else { rest.find("\n#").unwrap_or(rest.len()) });
    if !rest.trim().is_empty() || begun.lines().any(|line| line.starts_with('#')) {
        return Err(Reason::NothingToAdd);
    }
    let verdict = snapshot.access.verdict().await;
    if verdict != Verdict::Open {
        return Err(Reason::Withheld { code: verdict.code(), why: verdict.to_string() });
    }
    let uri = document.id().as_str();
    let (place, scoped) = (place(uri).ok_or(Reason::NothingToAdd)?, state.session.lock().scoped().clone());
    let failed = |why: &dyn fmt::Display| Reason::NotRead(why.to_string());
    let lane = Purpose::Request.lane(&place);
    let read = state.readers.run_within(&lane, DISK_TIMEOUT, move || {
        let root = root(&place).ok_or(Reason::NothingToAdd)?;
        let settings = scoped.of(Some(&root)).clone();
        if settings.privacy.context != ContextScope::Workspace {
            let why = "the commit has other files, which `privacy.context` withholds".to_owned();
            return Err(Reason::Withheld { code: "ignored", why });
        }
        let changes = visible_changes(&root, Compared::Staged, &scoped).map_err(|error| failed(&error))?;
        if changes.diff.is_empty() {
            return Err(nothing_to_show(&changes.left_out));
        }
        Ok((settings, changes.diff, earlier_subjects(&root)))
    });
    let (settings, mut code, earlier) = read.await.map_err(|stuck| failed(&stuck))??;
    let most = floor_boundary(&code, COMMIT_DIFF_BYTES);
    if most < code.len() {
        code.truncate(code[..most].rfind('\n').map_or(most, |at| at + 1));
    }
    if let Some(due) = not_before {
        tokio::time::sleep_until(due).await;
        if progress(Partial { text: "", ready: "" }).is_break() {
            return Err(Reason::Superseded);
        }
    }
    let job = pair::job("commit-ghost").ok_or(Reason::Internal)?;
    let about = Snapshot::of_no_file("tandem-diff:", &settings, &snapshot.workspace);
    let subject = PairSubject {
        what: "a diff".to_owned(),
        code,
        earlier: earlier.join("\n"),
        begun: Some(begun.clone()),
        ..PairSubject::default()
    };
    let (mut message, origin) = state.serving.assist().answer(&about, job, subject, None).await?;
    if begun.is_empty() {
        message = with_prefix_as_usual(&message, &earlier);
    }
    let lines = continuation(&message, &begun).split_inclusive('\n');
    let text: String = lines.take(settings.max_ghost_lines).collect();
    match text.trim_end() {
        "" => Err(Reason::NothingToAdd),
        text => {
            let text = text.to_owned();
            Ok((Completion { shown: text.len(), text, is_doubtful: false }, origin))
        }
    }
}

/// The folder of the repository, or the file of the message in git's folder.
fn place(uri: &str) -> Option<PathBuf> {
    let Some(of_box) = uri.strip_prefix(BOX) else { return convert::file_path(uri) };
    let (_, query) = of_box.split_once('?')?;
    let mut query = percent_decode_str(query).decode_utf8().ok()?.into_owned();
    let at = query.find("rootUri=")? + "rootUri=".len();
    let mut named = query.split_off(at);
    if !named.starts_with("file:") {
        named = percent_decode_str(&named).decode_utf8().ok()?.into_owned();
    }
    convert::file_path(&named)
}

/// The work tree of a [place](place). Reads the disk.
fn root(place: &Path) -> Option<PathBuf> {
    let git = place.parent()?;
    if place.file_name()? != "COMMIT_EDITMSG" {
        return Some(place.to_owned());
    }
    if git.file_name()? == ".git" {
        return git.parent().map(Path::to_owned);
    }
    // Git's folder of another work tree names the `.git` there.
    let named = disk::text(&git.join("gitdir"), PATH_BYTES, Links::Refuse).ok()?;
    Path::new(named.trim()).parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_of_the_repository_that_its_document_names() {
        let check = |uri: &str, expected: Option<&str>| {
            let root = place(uri).and_then(|it| root(&it));
            assert_eq!(root, expected.map(PathBuf::from), "{uri}");
        };
        check("file:///w/a%20b/.git/COMMIT_EDITMSG", Some("/w/a b"));
        check("file:///w/.git/modules/sub/COMMIT_EDITMSG", None);
        check("vscode-scm:git/scm0/input?rootUri%3Dfile%253A%252F%252F%252Fw%252Fa%252520b", Some("/w/a b"));
        check("vscode-scm:git/scm0/input?rootUri=file%3A%2F%2F%2Fw%2Fa%2520b", Some("/w/a b"));
        check("vscode-scm:git/scm0/input", None);
        check("untitled:Untitled-1", None);
        let folder = tempfile::TempDir::new().unwrap();
        let git = folder.path().join("worktrees");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("gitdir"), "/w/tree/.git\n").unwrap();
        check(&format!("file://{}/COMMIT_EDITMSG", git.display()), Some("/w/tree"));
    }
}
