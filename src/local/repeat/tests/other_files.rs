//! Changes of one file that are repeated in another.

use super::*;

#[test]
fn the_same_lines_in_another_file() {
    let import = [("\t\"x.org/driver/bson\"\n", "\t\"x.org/driver/v2/bson\"\n")];
    check_other(
        "go",
        &import,
        "package a\n\nimport (\n\t\"fmt\"\n\t\"x.org/driver/bson\"\n)\n\nvar s = \"x.org/driver/bson\"\n",
        Some(
            "package a\n\nimport (\n\t\"fmt\"\n\t\"x.org/driver/v2/bson\"\n)\n\nvar s = \"x.org/driver/bson\"\n",
        ),
    );
    // Several lines may replace one, with the indentation of the place.
    check_other(
        "toml",
        &[(
            "a = { version = \"1.2\", default = false }\n",
            "a = { version = \"1.3\", default = false }\nb = 2\n",
        )],
        "[a]\r\n  a = { version = \"1.2\", default = false }\r\n",
        Some("[a]\r\n  a = { version = \"1.3\", default = false }\r\n  b = 2\r\n"),
    );
    let call = ("    stats.as_ref().map(|s| s.clone()),\n", "    stats.as_ref().cloned(),\n");
    let text = "fn f() {\n    g(\n        stats.as_ref().map(|s| s.clone()),\n    );\n}\n";
    check_other("rust", &[call], text, None);
    check_other(
        "rust",
        &[call, call],
        text,
        Some("fn f() {\n    g(\n        stats.as_ref().cloned(),\n    );\n}\n"),
    );
    // Added lines keep the old line: it would match again forever.
    check_other("toml", &[("a = \"x 1\"\n", "a = \"x 1\"\nb = 2\n")], "a = \"x 1\"\n", None);
}

#[test]
fn value_that_a_string_inserts_is_not_inserted_elsewhere() {
    let check_string = |old: &str, new: &str, expected: Option<&str>| {
        let [old, new] = [old, new].map(|it| format!("    raise Error({it})\n"));
        let text = "assert str(error) == \"Invalid IPv4 address\"\n";
        let expected = expected.map(|it| format!("assert str(error) == {it}\n"));
        check_other("python", &[(&old, &new)], text, expected.as_deref());
    };
    let old = "\"Invalid IPv4 address\"";
    check_string(old, "\"Invalid IPv4 address.\"", Some("\"Invalid IPv4 address.\""));
    check_string(old, "f\"Invalid IPv4 address: {host!r}\"", None);
}

#[test]
fn words_replaced_three_times_are_replaced_in_other_files() {
    let steps = [
        ("\ta := legacy.client.pool.Get(b)\n", "\ta := fetch(b)\n"),
        ("\tc := legacy.client.pool.Get(x)\n", "\tc := fetch(x)\n"),
        ("\td, ok := legacy.client.pool.Get(y)\n", "\td, ok := fetch(y)\n"),
    ];
    let text = "package a\n\nfunc f(b int) int {\n\te := legacy.client.pool.Get(b)\n\treturn e\n}\n";
    check_other(
        "go",
        &steps,
        text,
        Some("package a\n\nfunc f(b int) int {\n\te := fetch(b)\n\treturn e\n}\n"),
    );
    check_other("go", &steps[..2], text, None);
    // A few words may occur anywhere.
    let few = [
        ("\ta := util.Min(b, c)\n", "\ta := min(b, c)\n"),
        ("\tenv = append(env, util.Min(x, 1))\n", "\tenv = append(env, min(x, 1))\n"),
        ("\treturn util.Min(x, y)\n", "\treturn min(x, y)\n"),
    ];
    check_other("go", &few, "package a\n\nvar a = util.Min(b, 3)\n", None);
}

#[test]
fn line_removed_in_three_files_is_removed_in_others() {
    let step = ("import nock from 'nock';\n", "");
    let text = "import a from 'a';\nimport nock from 'nock';\n";
    check_other("javascript", &[step; 3], text, Some("import a from 'a';\n"));
    check_other("javascript", &[step; 2], text, None);
}

#[test]
fn import_that_takes_another_name_is_left_to_each_file() {
    let text = "import {load} from './load.js';\n";
    let moved = ("import {load} from './load.js';\n", "import {load} from './io/load.js';\n");
    check_other("javascript", &[moved], text, Some("import {load} from './io/load.js';\n"));
    let renamed = ("import {load} from './load.js';\n", "import {load, save} from './load.js';\n");
    check_other("javascript", &[renamed], text, None);
}

#[test]
fn line_between_the_same_lines_is_replaced_in_other_files() {
    let document = |text: &str| Document::new(DocumentId::new("untitled:b"), "javascript", 0, text);
    let place = |call: &str| format!("open(db);\nconst user = {call}(db, id);\ncheck(user);\n");
    let (old, new) = ("const user = load(db, id);\n", "const user = fetch(db, id);\n");
    let step = EditStep {
        old,
        new,
        at: None,
        above: "open(db);\n",
        below: "check(user);\n",
        is_of_definition: false,
    };
    let other = document(&place("load"));
    let edits = repeat_elsewhere(std::iter::once(&other), &[step]).map_or_else(Vec::new, |it| it.1.edits);
    assert_eq!(apply(&place("load"), &edits), place("fetch"));
    let elsewhere = document(&format!("close(db);\n{old}check(user);\n"));
    assert_eq!(repeat_elsewhere(std::iter::once(&elsewhere), &[step]), None);
}

#[test]
fn line_with_a_version_is_left_in_a_lock_file() {
    let step = [("a = [\"b c 0.52.0\", 1]\n", "a = [\"b c 0.61.2\", 1]\n")];
    let (left, done) = step[0];
    check_other_file("file:///Cargo.toml", "toml", &step, left, Some(done));
    check_other_file("file:///Cargo.lock", "toml", &step, left, None);
}
