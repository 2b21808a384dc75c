//! Missing imports with more than one provider.

use std::sync::Arc;

use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::apply;
use crate::local::fix::{FileView, OtherFile, Problem, Surroundings, fix};

/// The other files of a project.
struct Project(Vec<Arc<OtherFile>>);

impl Surroundings for Project {
    fn with_name(&self, _: &str) -> Vec<Arc<OtherFile>> {
        self.0.clone()
    }

    fn is_evidence(&self, uri: &str) -> bool {
        !uri.contains("/tests/")
    }

    fn module(&self, name: &str) -> Option<Vec<String>> {
        let file = self.0.iter().find(|it| it.uri().ends_with(&format!("/{name}.py")))?;
        Some(file.exports().map(str::to_owned).collect())
    }

    fn loaded_by(&self, module: &str) -> Vec<String> {
        let is_module = |it: &&Arc<OtherFile>| it.uri().ends_with(&format!("/{module}.py"));
        self.0.iter().filter(is_module).flat_map(|it| it.loads()).map(str::to_owned).collect()
    }
}

/// Checks the fix of a report on `«…»` in a file at a path, beside files with these paths.
#[track_caller]
fn check_beside(path: &str, marked: &str, said: &str, others: &[(&str, &str)], expected: Option<&str>) {
    let open =
        |path: &str, text: &str| Document::new(DocumentId::new(&format!("file:///p/{path}")), "", 0, text);
    let start = marked.find('«').expect("a place");
    let end = marked.find('»').expect("a place") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = open(path, &text);
    let read = |(path, text): &(&str, &str)| Arc::new(OtherFile::read(&open(path, text)));
    let file = FileView::beside(&document, Project(others.iter().map(read).collect()));
    let found = fix(&file, &Problem::new(start..end, said)).map(|it| apply(&text, &it.edits));
    assert_eq!(found.as_deref(), expected, "{said}\n{marked}");
}

#[test]
fn import_that_closes_a_circle_is_not_added() {
    let (text, said) = ("def f():\n    return «load»()\n", "\"load\" is not defined");
    let user = ("a/user.py", "from .store import load\n");
    let fixed = Some("from .store import load\n\ndef f():\n    return load()\n");
    let check = |store: &str, base: &str, expected: Option<&str>| {
        let store = format!("{store}\n\ndef load():\n    pass\n");
        check_beside("a/own.py", text, said, &[user, ("a/store.py", &store), ("a/base.py", base)], expected);
    };
    check("", "", fixed);
    check("from . import base", "import os\n", fixed);
    check("from .own import f", "", None);
    check("from . import base", "from a.own import f\n", None);
    check("from .base import C", "from . import own\n", None);
    // It is loaded later, or by a checker of types alone.
    check("from .base import C", "def g():\n    from . import own\n", fixed);
    check("from .base import C", "if TYPE_CHECKING:\n    from . import own\n", fixed);
}

#[test]
fn module_of_the_project_that_may_register_something_stays_imported() {
    let views = ("a/views.py", "from a.app import app\n\n@app.route\ndef index():\n    pass\n");
    for (text, said) in [
        ("from a import «views»\n", "`a.views` imported but unused"),
        ("import «a.views»\n", "`a.views` imported but unused"),
    ] {
        check_beside("a/own.py", text, said, &[views], None);
        check_beside("a/own.py", text, said, &[("a/other.py", "x = 1\n")], Some(""));
    }
    let said = "`a.views.index` imported but unused";
    check_beside("a/own.py", "from a.views import «index»\n", said, &[views], None);
    let loading = ("a/b.py", "from .views import index\n");
    check_beside("a/own.py", "from a.views import «index»\n", said, &[views, loading], Some(""));
    let left = Some("from a.views import b\n\nb()\n");
    check_beside("a/own.py", "from a.views import b, «index»\n\nb()\n", said, &[views], left);
}

#[test]
fn module_that_lacks_the_member_is_not_imported() {
    let other = "package b\n\nimport \"errors\"\n";
    for member in ["Wrap", "Cause"] {
        let text = format!("package a\n\nvar a = «errors».{member}(b, \"c\")\n");
        check("go", &text, "undefined: errors", &[], None);
        check("go", &text, "undefined: errors", &[other], None);
    }
    check("go", "package a\n\nfunc f() { «log».Infof(\"b\") }\n", "undefined: log", &[], None);
    check(
        "go",
        "package a\n\nvar a = «errors».New(\"c\")\n",
        "undefined: errors",
        &[],
        Some(("add `import \"errors\"`", "package a\n\nimport \"errors\"\n\nvar a = errors.New(\"c\")\n")),
    );
    // The project uses another package of that name.
    let other = "package b\n\nimport \"x.org/pkg/errors\"\n";
    check(
        "go",
        "package a\n\nvar a = «errors».Wrap(b, \"c\")\n",
        "undefined: errors",
        &[other],
        Some((
            "add `import \"x.org/pkg/errors\"`",
            "package a\n\nimport \"x.org/pkg/errors\"\n\nvar a = errors.Wrap(b, \"c\")\n",
        )),
    );
}

#[test]
fn name_with_several_providers_is_not_imported_as_in_another_file() {
    let (text, other) = ("fn f(_: «Error») {}\n", "use std::io::Error;\n");
    let said = "cannot find type `Error` in this scope";
    let fixed = "use std::io::Error;\n\nfn f(_: Error) {}\n";
    check("rust", text, said, &[other], Some(("add `use std::io::Error;`", fixed)));
    let said = format!("{said}\nconsider importing one of these structs");
    check("rust", text, &said, &[other], None);
}

#[test]
fn trait_is_not_imported_for_a_macro() {
    let others = ["use types::Sequence;\n", "use log::warn;\n"];
    let said = |name: &str| format!("cannot find macro `{name}` in this scope");
    check("rust", "fn f() {\n    «Sequence»!();\n}\n", &said("Sequence"), &others, None);
    let fixed = Some(("add `use log::warn;`", "use log::warn;\n\nfn f() {\n    warn!();\n}\n"));
    check("rust", "fn f() {\n    «warn»!();\n}\n", &said("warn"), &others, fixed);
}

#[test]
fn class_of_the_project_is_a_rival_of_the_library() {
    let said = "cannot find symbol\n  symbol:   class List\n  location: class A";
    let text = "package a;\n\nclass A {\n    «List» b;\n}\n";
    let own = ("src/c/List.java", "package c;\n\npublic class List {}\n");
    let user = ("src/d/D.java", "package d;\n\nimport c.List;\n\nclass D {\n    List a;\n}\n");
    let user_of_library =
        ("src/d/D.java", "package d;\n\nimport java.util.List;\n\nclass D {\n    List a;\n}\n");
    let with =
        |path: &str| Some(format!("package a;\n\nimport {path}.List;\n\nclass A {{\n    List b;\n}}\n"));
    check_beside("src/a/A.java", text, said, &[], with("java.util").as_deref());
    check_beside("src/a/A.java", text, said, &[own], None);
    check_beside("src/a/A.java", text, said, &[own, user_of_library], None);
    check_beside("src/a/A.java", text, said, &[own, user], with("c").as_deref());
    let python = "class A:\n    a: «Counter»\n";
    let said = "Undefined name `Counter`";
    let own = ("b/metrics.py", "class Counter:\n    pass\n");
    let imported = format!("from collections import Counter\n\n{}", python.replace(['«', '»'], ""));
    check_beside("b/c.py", python, said, &[], Some(&imported));
    check_beside("b/c.py", python, said, &[own], None);
}

#[test]
fn package_that_may_import_this_one_is_not_imported() {
    let said = "undefined: store";
    let text = "package api\n\nvar a = «store».Open()\n";
    let fixed = "package api\n\nimport \"x.org/p/store\"\n\nvar a = store.Open()\n";
    let package = ("store/open.go", "package store\n\nimport \"x.org/p/api\"\n\nfunc Open() api.A {}\n");
    let main = ("main.go", "package main\n\nimport \"x.org/p/store\"\n\nvar _ = store.Open()\n");
    let beside = ("api/more.go", "package api\n\nimport \"x.org/p/store\"\n\nvar _ = store.Open()\n");
    check_beside("api/one.go", text, said, &[package, main], None);
    check_beside("api/one.go", text, said, &[package, main, beside], Some(fixed));
    check_beside("api/one.go", text, said, &[main], Some(fixed));
}

#[test]
fn name_that_another_file_defines_is_not_imported_from_elsewhere() {
    let said = "Cannot find name 'Shape'.";
    let text = "let a: «Shape»;\n";
    let fixed = |path: &str| Some(format!("import {{ Shape }} from \"{path}\";\n\nlet a: Shape;\n"));
    let user = |text| ("src/d.ts", text);
    let own = ("src/geo/shape.ts", "export class Shape {}\n");
    let near = user("import { Shape } from \"./geo/shape\";\n");
    let of_folder = user("import { Shape } from \"./geo\";\n");
    let far = user("import { Shape } from \"shapes\";\n");
    check_beside("src/a.ts", text, said, &[own, near], fixed("./geo/shape").as_deref());
    check_beside("src/a.ts", text, said, &[own, of_folder], fixed("./geo").as_deref());
    check_beside("src/a.ts", text, said, &[far], fixed("shapes").as_deref());
    check_beside("src/a.ts", text, said, &[own, far], None);
    let said = "cannot find type `Shape` in this scope";
    let text = "fn f(_: «Shape») {}\n";
    let own = ("geo-kit/src/flat.rs", "pub struct Shape;\n");
    for (path, is_own) in [("geo_kit::flat", true), ("geo_kit", true), ("shapes", false)] {
        let user = format!("use {path}::Shape;\n");
        let fixed = format!("{user}\nfn f(_: Shape) {{}}\n");
        let others = [own, ("app/src/d.rs", user.as_str())];
        check_beside("app/src/a.rs", text, said, &others, is_own.then_some(&*fixed));
    }
}

#[test]
fn name_that_is_likelier_something_else_is_not_imported() {
    // The class of the module is meant, or the module of the class.
    let said = "\"datetime\" is not defined";
    let of_class = ["from datetime import datetime\n"];
    check("python", "a = «datetime».datetime.now()\n", said, &of_class, None);
    // A parameter is missing, or a fixture.
    let said = "\"monkeypatch\" is not defined";
    check(
        "python",
        "def f():\n    «monkeypatch».setenv()\n",
        said,
        &["from _pytest import monkeypatch\n"],
        None,
    );
    // The import is there, and misspelt.
    let said = "\"httpx\" is not defined";
    check("python", "import htpx\n\na = «httpx».get()\n", said, &["import httpx\n"], None);
    // A variable is missing, and no function.
    let said = "cannot find value `max` in this scope";
    check("rust", "fn f(a: u8) -> u8 {\n    a + «max»\n}\n", said, &[], None);
    // `crypto/rand` has it, too.
    let other = "package b\n\nimport \"math/rand\"\n";
    check("go", "package a\n\nvar a, b = «rand».Read(c)\n", "undefined: rand", &[other], None);
    check("go", "package a\n\nvar a = «pe».Get(c)\n", "undefined: pe", &[], None);
    let other = "package b\n\nimport json \"x.org/json\"\n";
    check("go", "package a\n\nvar a, b = «json».Marshal(c)\n", "undefined: json", &[other], None);
    // The index of the folder has it from this file, where it is declared by a misspelt name.
    let other = "import { start } from \".\";\n";
    check("typescript", "const a = «start»();\n", "Cannot find name 'start'.", &[other], None);
    // A script of `module.exports` has no `import`, whatever its comments say.
    let other = "import { Err } from \"./error.js\";\n";
    let text = "// How to import it.\nthrow new «Err»();\nmodule.exports = a;\n";
    check("javascript", text, "'Err' is not defined.", &[other], None);
    // A class of the same package needs no import: the line of the package is wrong.
    let user = ("q/B.java", "package q;\n\nimport a.C;\n\nclass B extends C {}\n");
    let said = "cannot find symbol\n  symbol: class C";
    check_beside("a/A.java", "package a;\n\nclass A extends «C» {}\n", said, &[user], None);
    check_beside(
        "z/A.java",
        "package z;\n\nclass A extends «C» {}\n",
        said,
        &[user],
        Some("package z;\n\nimport a.C;\n\nclass A extends C {}\n"),
    );
}

#[test]
fn file_that_is_no_evidence_shows_no_import() {
    let (text, said) = ("def f():\n    return «patch»()\n", "\"patch\" is not defined");
    let other = "from unittest.mock import patch\n";
    let fixed = Some("from unittest.mock import patch\n\ndef f():\n    return patch()\n");
    check_beside("a/own.py", text, said, &[("a/b.py", other)], fixed);
    check_beside("a/own.py", text, said, &[("tests/b.py", other)], None);
    let (text, said) = ("int f(void) { return «PORT»; }\n", "'PORT' undeclared (first use in this function)");
    let fixed = Some("#include \"b.h\"\n\nint f(void) { return PORT; }\n");
    check_beside("a.c", text, said, &[("b.h", "#define PORT 9\n")], fixed);
    check_beside("a.c", text, said, &[("tests/b.h", "#define PORT 9\n")], None);
}

#[test]
fn name_of_a_module_is_not_changed_to_another_name_of_it() {
    let store =
        ("store.py", "START_X = 1\nstart_x = 1\nPORT_A = 1\ndef set_item(a): ...\ndef load_data(): ...\n");
    let task = ("task.py", "class Task:\n    status: int = 0\n    def close(self): ...\n");
    let said = |name: &str| format!("\"{name}\" is unknown import symbol");
    let lacks = |name: &str, text: &str, expected: Option<&str>| {
        check_beside("a.py", text, &said(name), &[store, task], expected);
    };
    lacks("get_item", "from store import «get_item», set_item\n\nset_item(get_item(1))\n", None);
    lacks("get_item", "from store import «get_item»\n\nget_item(1)\n", None);
    lacks("start_y", "from store import start_x, «start_y»\n\nf(start_x, start_y)\n", None);
    lacks("PORT_B", "from store import «PORT_B»\n\nf(PORT_A)\n", None);
    lacks("Status", "from task import Task, «Status»\n\nf(Task(Status))\n", None);
    lacks("clse", "from task import «clse»\n\nclse()\n", None);
    lacks("laod_data", "from store import load_data, «laod_data»\n\nlaod_data()\n", None);
    lacks(
        "laod_data",
        "from store import «laod_data»\n\nlaod_data()\n",
        Some("from store import load_data\n\nload_data()\n"),
    );
}

#[test]
fn value_in_lower_case_is_not_imported_into_a_function() {
    let settings = ("settings.py", "config = Config()\ndef helper(): ...\n");
    let main = ("main.py", "from settings import config, helper\nfrom pages import views\n");
    let views = ("pages/views.py", "def show(): ...\n");
    let undefined = |name: &str, marked: &str, expected: Option<&str>| {
        let said = format!("Undefined name `{name}`");
        check_beside("a.py", marked, &said, &[settings, main, views], expected);
    };
    undefined("config", "def run(cfg, args):\n    if «config».debug:\n        print(args)\n", None);
    undefined("config", "def run():\n    cfg = a()\n    return «config»\n", None);
    let added = "from settings import helper\n\ndef run(a):\n    return helper(a)\n";
    undefined("helper", "def run(a):\n    return «helper»(a)\n", Some(added));
    let added = "from pages import views\n\ndef run(a):\n    return views.show(a)\n";
    undefined("views", "def run(a):\n    return «views».show(a)\n", Some(added));
    let added = "from settings import config\n\na = config.debug\n";
    undefined("config", "a = «config».debug\n", Some(added));
    let said = "'config' is not defined.";
    let other = ("main.js", "import { config } from \"#settings\";\n");
    let text = "export function run(options) {\n  return «config».debug;\n}\n";
    check_beside("run.js", text, said, &[other], None);
}
