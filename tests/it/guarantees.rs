//! The tests and inputs that `tests/guarantees.md` names exist in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../guarantees.md");

/// The tests and classes in the sources, by name.
#[derive(Default)]
struct Found {
    /// Functions that are tests, cases of `bench/growth`, and checks in Python.
    tests: BTreeSet<String>,
    /// Classes of the generators: the first string of a row in their tables.
    classes: BTreeSet<String>,
}

impl Found {
    fn read(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
            if path.is_dir() {
                self.read(&path);
            } else if ["rs", "py"].contains(&ending) {
                self.take(&fs::read_to_string(path).unwrap());
            }
        }
    }

    fn take(&mut self, source: &str) {
        let mut is_test = false;
        for line in source.lines().map(str::trim_start) {
            let named =
                |word: &str| line.split_once(word)?.1.split_once(['(', '"']).map(|it| it.0.to_owned());
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            if line.starts_with("fn ") || line.starts_with("async fn ") {
                self.tests.extend(named("fn ").filter(|_| is_test));
                is_test = false;
            }
            self.tests.extend(
                named("Case::new(\"").or_else(|| line.strip_prefix("def ").and_then(|_| named("def "))),
            );
            self.classes.extend(line.strip_prefix("(\"").and_then(|_| named("(\"")));
        }
    }
}

/// The cells of each row, without those of headers and rulers.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.filter(|row| !row.starts_with("What holds")).map(|row| row.split(" | ").collect())
}

/// The texts between backticks.
fn named(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_test_and_class_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Found::default();
    ["src", "tests"].iter().for_each(|folder| found.read(&root.join(folder)));
    assert!(found.tests.len() > 1_000 && found.classes.len() > 300, "little is found");
    let mut wrong = Vec::new();
    for row in rows() {
        let [holds, tests, inputs] = row[..] else { panic!("a row has three cells: {row:?}") };
        if named(tests).next().is_none() {
            wrong.push(format!("no test pins: {holds}"));
        }
        let is_input = |name: &&str| found.classes.contains(*name) || root.join("tests").join(name).exists();
        let lost = named(tests).filter(|name| !found.tests.contains(*name));
        let lost = lost.chain(named(inputs).filter(|name| !is_input(name)));
        wrong.extend(lost.map(|name| format!("there is no `{name}`: {holds}")));
    }
    assert!(wrong.is_empty() && rows().count() > 50, "{}", wrong.join("\n"));
}

#[test]
fn growth_of_every_request_and_command_is_counted() {
    let server = include_str!("../../src/lsp/server.rs");
    let methods = server.split(".custom_method(\"").skip(1).map(|it| it.split('"').next().unwrap());
    let capabilities = include_str!("../../src/lsp/capabilities.rs");
    let commands = capabilities.split(": &str = \"tandem.").skip(1);
    let commands = commands.map(|it| format!("tandem.{}", it.split('"').next().unwrap()));
    let cases = include_str!("../bench/growth/cases/server.rs");
    let asked: Vec<String> = methods.map(str::to_owned).chain(commands).collect();
    let lost: Vec<&String> = asked.iter().filter(|it| !cases.contains(&format!("\"{it}\""))).collect();
    assert!(lost.is_empty() && asked.len() > 30, "no growth case sends {lost:?}");

    let help = Command::new(env!("CARGO_BIN_EXE_tandem")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let cases = include_str!("../bench/growth/cases/commands.rs");
    let is_counted = |name: &str| cases.contains(&format!("&[\"{name}\""));
    // Commands whose input is never large, and the server, whose requests are above.
    let others = ["", "demo", "help", "leases", "lsp", "policy", "setup"];
    let lost: Vec<&str> = names.filter(|it| !others.contains(it) && !is_counted(it)).collect();
    assert!(lost.is_empty() && listed.lines().count() > 15, "no growth case runs {lost:?}");
}
