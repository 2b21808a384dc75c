//! The command that runs the tests among changed files, found by the manifests in their folders.
//!
//! It is shown but never run.

use std::path::Path;

use crate::edit::EditSet;
use crate::edit::plan::{Files, Kind};
use crate::grammar::{self, Grammar, TestRunner};
use crate::workspace::is_named_as_test;

/// The command for the tests in a set. Reads files.
pub(super) fn test_command<F: Files + ?Sized>(files: &F, set: &EditSet) -> Option<String> {
    let changed = set.files().iter().filter(|file| !file.is_unchanged());
    let tests: Vec<Tests<'_>> = changed
        .filter_map(|file| {
            let (path, text) = (file.new_path()?, file.new_text()?.into_owned());
            let grammar = grammar::by_path(Path::new(path))?;
            holds_tests(grammar, path, &text).then_some(Tests { path, text, grammar })
        })
        .collect();
    let first = tests.first()?;
    // A language without test runners uses those of the language that its family is named after.
    let family = first.grammar.family();
    let is_head = |grammar: &&'static Grammar| grammar.id() == family;
    let said = Some(first.grammar).filter(|it| !it.facts().test_runners.is_empty());
    let runners = &said.or_else(|| grammar::all().find(is_head))?.facts().test_runners;
    runners.iter().find_map(|runner| {
        let home = home(runner, files, first)?;
        let is_of_it = |it: &&Tests<'_>| below(it.path, home).is_some() && it.grammar.family() == family;
        let paths: Vec<&str> = tests.iter().filter(is_of_it).map(|it| it.path).collect();
        command(runner, home, &paths)
    })
}

struct Tests<'a> {
    path: &'a str,
    text: String,
    grammar: &'static Grammar,
}

/// The folder in which a runner's command runs, if the runner fits these tests.
fn home<'a, F: Files + ?Sized>(runner: &TestRunner, files: &F, tests: &Tests<'a>) -> Option<&'a str> {
    if !tests.text.contains(&runner.tests_say) {
        return None;
    }
    let Some(manifest) = &runner.manifest else { return Some("") };
    folders(tests.path).find(|folder| {
        let place = if folder.is_empty() { manifest.clone() } else { format!("{folder}/{manifest}") };
        let entry = files.entry(&place).ok().flatten().filter(|entry| entry.kind == Kind::File);
        let base = entry.and_then(|entry| files.open(&entry).ok());
        base.is_some_and(|base| base.text.contains(&runner.manifest_says))
    })
}

/// The command for these files, whose names are quoted as needed.
fn command(runner: &TestRunner, home: &str, paths: &[&str]) -> Option<String> {
    let quote = |word: &str| shlex::try_quote(word).ok().map(std::borrow::Cow::into_owned);
    // A name with a leading dash would be parsed as an option.
    let inside: Vec<String> = paths
        .iter()
        .filter_map(|path| below(path, home))
        .map(|path| if path.starts_with('-') { format!("./{path}") } else { path.to_owned() })
        .collect();
    let first = inside.first()?;
    let folder = first.rsplit_once('/').map_or("./".to_owned(), |(folder, _)| format!("./{folder}"));
    let stem = Path::new(first).file_stem()?.to_str()?;
    let mut command = String::new();
    // Placeholders are expanded only in the command: a file name may look like one.
    for (at, part) in runner.command.split('{').enumerate() {
        let (name, rest) = if at == 0 { ("", part) } else { part.split_once('}')? };
        match name {
            "" => {}
            "target" => command.push_str(&words(&cargo_target(first))?),
            "files" => command.push_str(words(&inside)?.trim_start()),
            "folder" => command.push_str(&quote(&folder)?),
            "stem" => command.push_str(&quote(stem)?),
            _ => return None,
        }
        command.push_str(rest);
    }
    if home.is_empty() { Some(command) } else { Some(format!("cd {} && {command}", quote(home)?)) }
}

/// Quotes arguments and joins them, each after a space.
fn words(words: &[String]) -> Option<String> {
    words.iter().map(|word| Some(format!(" {}", shlex::try_quote(word).ok()?))).collect()
}

/// The Cargo arguments that run the tests of a package's file.
fn cargo_target(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["tests", target, ..] => vec!["--test".to_owned(), (*target).to_owned()],
        ["src", module @ ..] => {
            let module = match module {
                [above @ .., "mod"] => above,
                ["lib" | "main"] | ["bin", ..] => &[],
                module => module,
            };
            if module.is_empty() { Vec::new() } else { vec![module.join("::")] }
        }
        _ => Vec::new(),
    }
}

/// The folders of a path, from the innermost to the root, which is empty.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/').map(|it| it.0).or(Some("")), |folder| {
        if folder.is_empty() { None } else { Some(folder.rsplit_once('/').map_or("", |it| it.0)) }
    })
}

/// A path relative to a folder; `None` if it is not below it.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// Whether a file contains tests: by its text, or by its name.
fn holds_tests(grammar: &Grammar, path: &str, text: &str) -> bool {
    let marks = &grammar.facts().test_marks;
    if !marks.is_empty() {
        return marks.iter().any(|mark| text.contains(mark));
    }
    let mut parts = path.split('/').rev();
    parts.next().is_some_and(is_named_as_test) || parts.any(|folder| folder == "__tests__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::plan::{Permissions, plan};
    use crate::privacy::Verdict;
    use crate::workspace::Folder;

    /// Checks the command after a patch that adds these files to the existing ones.
    #[track_caller]
    fn check(there: &[(&str, &str)], added: &[(&str, &str)], expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in there {
            let place = folder.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        let add = |(path, text): &(&str, &str)| {
            let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
            format!("*** Add File: {path}\n{lines}")
        };
        let patch = format!("*** Begin Patch\n{}*** End Patch\n", added.iter().map(add).collect::<String>());
        let files = Folder::new(folder.path(), 1 << 20).unwrap();
        let permissions = Permissions { access: &|_| Verdict::Open, instruction: "", allow_invisible: false };
        let set = plan(&patch, &files, permissions).unwrap();
        assert_eq!(test_command(&files, &set).as_deref().unwrap_or("none"), expected);
    }

    #[cfg(feature = "common")]
    #[test]
    fn command_is_that_of_the_project() {
        let cargo = ("Cargo.toml", "[package]\nname = \"a\"\n");
        let test = "#[test]\nfn one() {}\n";
        check(&[cargo], &[("src/a/b.rs", test)], "cargo test a::b");
        check(&[cargo], &[("src/a/mod.rs", test)], "cargo test a");
        check(&[cargo], &[("src/lib.rs", test)], "cargo test");
        check(&[cargo], &[("tests/it.rs", test)], "cargo test --test it");
        check(&[cargo], &[("tests/it/more.rs", test)], "cargo test --test it");
        check(&[cargo], &[("src/a.rs", "fn one() {}\n")], "none");
        check(&[], &[("src/a.rs", test)], "none");
        let member = ("crates/a/Cargo.toml", cargo.1);
        let workspace = ("Cargo.toml", "[workspace]\n");
        check(&[workspace, member], &[("crates/a/src/b.rs", test)], "cd crates/a && cargo test b");
        let pytest = "def test_a():\n    assert True\n";
        check(&[], &[("tests/test_a.py", pytest), ("a.py", "a = 1\n")], "python -m pytest tests/test_a.py");
        let both = [("test_a.py", pytest), ("b_test.py", pytest)];
        check(&[], &both, "python -m pytest b_test.py test_a.py");
        check(&[], &[("test_a.py", "import unittest\n")], "python -m unittest test_a.py");
        check(&[("go.mod", "module a\n")], &[("a/b_test.go", "package a\n")], "go test ./a");
        let package = |words: &'static str| [("web/package.json", words)];
        let script = [("web/src/a.test.ts", "test('a', () => {});\n")];
        check(&package("{\"vitest\": \"3\"}"), &script, "cd web && npx vitest run src/a.test.ts");
        check(&package("{\"jest\": \"30\"}"), &script, "cd web && npx jest src/a.test.ts");
        check(&package("{\"scripts\": {\"test\": \"x\"}}"), &script, "cd web && npm test");
        check(&package("{}"), &script, "none");
        check(&[], &[("a.test.mjs", "import test from 'node:test';\n")], "node --test a.test.mjs");
        check(
            &[("pom.xml", "<project/>\n")],
            &[("src/ATest.java", "class ATest {}\n")],
            "mvn test -Dtest=ATest",
        );
        check(&[], &[("a.md", "test\n")], "none");
    }

    #[test]
    fn name_of_a_file_is_no_command() {
        let test = "def test_a():\n    pass\n";
        check(&[], &[("test_a;rm -rf x.py", test)], "python -m pytest 'test_a;rm -rf x.py'");
        check(&[], &[("test_$(a)/test_b.py", test)], "python -m pytest 'test_$(a)/test_b.py'");
        check(&[], &[("-p_test.py", test)], "python -m pytest ./-p_test.py");
        let package = [("a b/package.json", "{\"jest\": \"30\"}")];
        check(&[], &[("test_{stem}.py", test)], "python -m pytest 'test_{stem}.py'");
        check(&package, &[("a b/it's.test.js", "x;\n")], "cd 'a b' && npx jest \"it's.test.js\"");
    }
}
