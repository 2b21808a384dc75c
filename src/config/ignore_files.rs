//! The ignore files on the way to a file, and what they say of it.

use std::io;
use std::path::{Path, PathBuf};

use crate::privacy::{Gate, IGNORE_FILES, IgnoreFile, Verdict, ignored};

/// Judges a file by its path, by the path that a link leads to, and by the ignore files above it: up to the
/// repository that it is in, else up to the workspace folder. Reads files; not for a thread that serves.
pub fn judge(file: &Path, folders: &[PathBuf], gate: &Gate) -> Verdict {
    let mut paths = vec![file.to_owned()];
    // A link with a harmless name may lead to a key. A file that is not on disk leads nowhere.
    paths.extend(std::fs::canonicalize(file).ok().filter(|real| real != file));
    let mut verdict = Verdict::Open;
    for path in &paths {
        let shown = slashed(path);
        match gate.verdict(&shown) {
            secret @ Verdict::Secret(_) => return secret,
            _ if gate.allows(&shown) => {}
            _ => {
                let why = match collect(path, folders) {
                    Ok(files) => ignored(path, &files),
                    // What it says is not known, so the worst is assumed.
                    Err((name, error)) => Some(format!("`{name}` cannot be read ({})", error.kind())),
                };
                if let Some(why) = why {
                    verdict = Verdict::Ignored(why.into());
                }
            }
        }
    }
    verdict
}

/// A path with `/` between its parts.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// All ignore files above a file, the outermost first.
fn collect(file: &Path, folders: &[PathBuf]) -> Result<Vec<IgnoreFile>, (String, io::Error)> {
    let repository = file.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    let folder =
        folders.iter().filter(|folder| file.starts_with(folder)).min_by_key(|it| it.components().count());
    let Some(root) = repository.or(folder.map(PathBuf::as_path)) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    let mut add = |folder: &Path, path: &Path, name: &str| match std::fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.push(IgnoreFile { folder: folder.to_owned(), name: name.to_owned(), text });
            Ok(())
        }
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => Ok(()),
            _ => Err((name.to_owned(), error)),
        },
    };
    // The user's own rules for all repositories, where git looks for them unless told otherwise.
    if let Some(home) = super::configuration_folder() {
        add(root, &home.join("git/ignore"), "git/ignore")?;
    }
    add(root, &root.join(".git/info/exclude"), ".git/info/exclude")?;
    let mut inner: Vec<&Path> = file.ancestors().skip(1).take_while(|it| it.starts_with(root)).collect();
    inner.reverse();
    for folder in inner {
        for name in IGNORE_FILES {
            add(folder, &folder.join(name), name)?;
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(names: &[&str], expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        // Somewhere else than where links lead is no difference to be found here.
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("repository/.git/info/exclude", "private.md\n");
        write("repository/.gitignore", "/target\n*.local\n");
        write("repository/app/.tandemignore", "vendor/\n");
        write("plain/.gitignore", "*.local\n");
        write("outside/.gitignore", "*\n");
        write("home/id_rsa", "canary");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("home/id_rsa"), root.join("plain/notes.txt")).unwrap();
        let folders = [root.join("repository/app"), root.join("plain")];
        let gate = Gate::new(&[], &["b.local".to_owned()]).0;
        let shown: String = names
            .iter()
            .map(|name| {
                let verdict = judge(&root.join(name), &folders, &gate);
                format!("{name}: {} ({verdict})\n", verdict.code())
            })
            .collect();
        expect.assert_eq(&shown);
    }

    #[test]
    fn reads_the_files_on_the_way() {
        let names = [
            "repository/app/src/a.rs",
            "repository/app/a.local",
            "repository/app/b.local",
            "repository/app/vendor/x/a.rs",
            "repository/target/a.rs",
            "repository/private.md",
            "plain/a.local",
            "plain/.env",
            "plain/notes.txt",
            "outside/a.rs",
        ];
        check(
            &names,
            expect![[r#"
            repository/app/src/a.rs: open (it may be shown to a model)
            repository/app/a.local: ignored (`.gitignore` has `*.local`)
            repository/app/b.local: open (it may be shown to a model)
            repository/app/vendor/x/a.rs: ignored (`.tandemignore` has `vendor/`)
            repository/target/a.rs: ignored (`.gitignore` has `/target`)
            repository/private.md: ignored (`.git/info/exclude` has `private.md`)
            plain/a.local: ignored (`.gitignore` has `*.local`)
            plain/.env: secret (files called `.env` hold secrets)
            plain/notes.txt: secret (files called `id_rsa*` hold secrets)
            outside/a.rs: open (it may be shown to a model)
        "#]],
        );
    }
}
