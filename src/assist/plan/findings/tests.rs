//! Tests of findings, from the files before a change and the change.

mod planted;

use expect_test::{Expect, expect};

use super::*;
use crate::edit::plan;
use crate::workspace::{Folder, Scope, walk};

/// Splits a text into files, each after a line `//- path`.
fn files(text: &str) -> Vec<(&str, &str)> {
    text.split("//- ").skip(1).map(|file| file.split_once('\n').unwrap()).collect()
}

/// A project of these files, and the folder that contains them.
pub(super) fn project(text: &str) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files(text) {
        let place = folder.path().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }
    let disk = Folder::new(folder.path(), 1 << 20).unwrap();
    let workspace = Workspace::default();
    let roots = [disk.root().to_owned()];
    walk(
        &workspace,
        Scope { roots: &roots, denied: &|_| false, cancelled: &|| false, is_background: false },
        None,
    );
    (folder, Project::open(disk, workspace))
}

/// Checks the findings of a patch to these files.
fn check(files: &str, patch: &str, expect: Expect) {
    let (_folder, project) = project(files);
    let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
    let set = project.with_permissions(|permissions| plan::plan(&patch, &*project.files, permissions));
    let shown: String = super::check(&project, &set.unwrap()).iter().map(|it| format!("{it}\n")).collect();
    expect.assert_eq(&shown);
}

const RUST: &str = "//- src/lib.rs\nmod shape;\nmod page;\n\
    //- src/shape.rs\npub fn area(width: u32) -> u32 {\n    width\n}\n\
    //- src/page.rs\nuse crate::shape::area;\n\nfn draw() -> u32 {\n    area(2)\n}\n";

#[test]
fn caller_of_a_changed_signature_is_told_if_it_was_left() {
    let signature = "*** Update File: src/shape.rs\n@@\n-pub fn area(width: u32) -> u32 {\n\
        +pub fn area(width: u32, height: u32) -> u32 {\n";
    check(
        RUST,
        signature,
        expect![[r#"
            src/page.rs:4: it still uses `area` in the old way; it is now `pub fn area(width: u32, height: u32) -> u32`
        "#]],
    );
    let caller = "*** Update File: src/page.rs\n@@\n-    area(2)\n+    area(2, 3)\n";
    check(RUST, &format!("{signature}{caller}"), expect![""]);
    let body = "*** Update File: src/shape.rs\n@@\n-    width\n+    width * width\n";
    check(RUST, body, expect![""]);
}

#[test]
fn caller_is_told_of_a_definition_named_like_its_module() {
    check(
        "//- Cargo.toml\n[package]\nname = \"shop\"\n//- src/lib.rs\nmod area;\nmod page;\n\
            //- src/area.rs\npub fn area(width: u32) -> u32 {\n    width\n}\n\
            //- src/page.rs\nuse crate::area::area;\n\nfn draw() -> u32 {\n    area(2)\n}\n",
        "*** Update File: src/area.rs\n@@\n-pub fn area(width: u32) -> u32 {\n\
            +pub fn area(width: u32, height: u32) -> u32 {\n",
        expect![[r#"
            src/page.rs:4: it still uses `area` in the old way; it is now `pub fn area(width: u32, height: u32) -> u32`
        "#]],
    );
}

#[test]
fn caller_in_the_arguments_of_a_macro_is_told() {
    let uses = "use crate::shape::area;\n\n#[cfg(area(1))]\nfn draw() {\n    println!(\"area(1) {}\", area(2));\n    \
        assert_eq!(Some(crate::shape::area(2)), all(&[area]));\n    vec![[area(3)]];\n}\n";
    let files = format!(
        "//- src/shape.rs\npub fn area(width: u32) -> u32 {{\n    width\n}}\n//- src/page.rs\n{uses}"
    );
    check(
        &files,
        "*** Update File: src/shape.rs\n@@\n-pub fn area(width: u32) -> u32 {\n\
            +pub fn area(width: u32, height: u32) -> u32 {\n",
        expect![[r#"
            src/page.rs:5: it still uses `area` in the old way; it is now `pub fn area(width: u32, height: u32) -> u32`
            src/page.rs:7: it still uses `area` in the old way; it is now `pub fn area(width: u32, height: u32) -> u32`
        "#]],
    );
}

#[test]
fn import_and_use_of_what_is_gone_are_told() {
    check(
        RUST,
        "*** Delete File: src/shape.rs\n",
        expect![[r#"
            src/lib.rs:1: the import of `shape` leads nowhere
            src/page.rs:1: the import of `crate::shape::area` leads nowhere
            src/page.rs:4: it uses `area`, which is gone
        "#]],
    );
    check(
        RUST,
        "*** Update File: src/shape.rs\n*** Move to: src/form.rs\n",
        expect![[r#"
            src/form.rs: no `mod` declares it, so it is not compiled
            src/lib.rs:1: the import of `shape` leads nowhere
            src/page.rs:1: the import of `crate::shape::area` leads nowhere
        "#]],
    );
    let moved = "*** Update File: src/lib.rs\n@@\n-mod shape;\n+mod form;\n*** Update File: src/shape.rs\n*** Move to: src/form.rs\n\
        *** Update File: src/page.rs\n@@\n-use crate::shape::area;\n+use crate::form::area;\n";
    check(RUST, moved, expect![""]);
    check(RUST, "*** Update File: src/shape.rs\n*** Move to: src/shape/mod.rs\n", expect![""]);
}

#[test]
fn name_of_a_library_or_of_a_class_above_is_not_the_one_that_is_gone() {
    check(
        "//- config.py\nimport ssl\n\n\nclass Context(ssl.Context):\n    pass\n\n\n\
            def create() -> ssl.Context:\n    return ssl.Context()\n\n\n\
            //- page.py\nfrom config import Context\n\ncontext = Context()\n",
        "*** Update File: config.py\n@@\n-class Context(ssl.Context):\n-    pass\n-\n-\n",
        expect![[r#"
            page.py:1: the import of `Context from config` leads nowhere
            page.py:3: it uses `Context`, which is gone
        "#]],
    );
    check(
        "//- session.py\nclass Session(dict):\n    def lookup(self, key):\n        return super().get(key)\n\n    pass\n\
            //- files.py\ndef wrap(above):\n    def lookup(self, key):\n        return super().lookup(key)\n\n    return lookup\n",
        "*** Update File: session.py\n@@\n-    def lookup(self, key):\n-        return super().get(key)\n-\n     pass\n",
        expect![""],
    );
}

#[test]
fn name_that_a_module_passes_on_is_not_lacking() {
    for from in [
        "export { Router } from './router';",
        "export { R as Router } from './router';",
        "export * as Router from './router';",
    ] {
        let files = format!(
            "//- src/router.ts\nexport const method = 1;\n//- src/router/trie/index.ts\n{from}\n\
             //- src/router/trie/router.ts\nexport class Router {{}}\nexport class R {{}}\n\
             //- src/page.ts\nimport {{ method }} from './router';\nmethod;\n"
        );
        let import = "*** Update File: src/page.ts\n@@\n-import { method } from './router';\n+import { method } from './router';\n\
                      +import { Router } from './router/trie';\n method;\n";
        check(&files, import, expect![""]);
    }
    check(
        "//- src/router.ts\nexport class Router {}\n//- src/index.ts\nexport { Router } from './router';\n\
         //- src/page.ts\nimport { Router } from './index';\nnew Router();\n",
        "*** Update File: src/index.ts\n@@\n-export { Router } from './router';\n+export const a = 1;\n",
        expect![[r#"
            src/page.ts:1: the import of `Router from ./index` leads nowhere
        "#]],
    );
}

#[test]
fn element_of_html_and_crate_in_a_path_need_no_declaration() {
    check(
        "//- src/a.tsx\nexport const a = () => [];\n",
        "*** Update File: src/a.tsx\n@@\n-export const a = () => [];\n\
         +export const a = (c) => [<header>a</header>, <main>{c}</main>, <footer />];\n",
        expect![""],
    );
    check(
        "//- src/lib.rs\nuse gix::object::Kind;\nuse gix::{self, Id};\n\npub fn f(_: Kind, _: Id) {\n    gix::discover();\n}\n",
        "*** Update File: src/lib.rs\n@@\n-use gix::{self, Id};\n@@\n-pub fn f(_: Kind, _: Id) {\n+pub fn f(_: Kind) {\n",
        expect![""],
    );
}

#[test]
fn what_another_file_of_a_test_has_is_not_looked_for_in_the_library() {
    let files = "//- Cargo.toml\n[package]\n//- src/lib.rs\npub fn a() {}\n//- tests/all.rs\nmod util;\nmod index;\n\
        pub mod inner {\n    pub struct Root;\n}\n//- tests/util.rs\npub struct Dir;\n";
    check(
        files,
        "*** Add File: tests/index/mod.rs\n+use crate::inner::Root;\n+use crate::util::Dir;\n+\n\
         +pub fn a(_: Root, _: Dir) {}\n",
        expect![""],
    );
}

#[test]
fn class_that_goes_on_in_kotlin_is_not_gone() {
    let files = "//- a/Sink.java\npackage a;\n\npublic class Sink {\n    public void assertLog(int a) {}\n}\n\
        //- a/Use.java\npackage a;\n\nclass Use {\n    void use(Sink sink) {\n        sink.assertLog(1);\n    }\n}\n";
    let gone = "*** Delete File: a/Sink.java\n";
    check(
        files,
        gone,
        expect![[r#"
        a/Use.java:5: it uses `assertLog`, which is gone
    "#]],
    );
    let moved = "*** Add File: a/Sink.kt\n+class Sink {\n+    fun assertLog(a: Int) {}\n+}\n";
    check(files, &format!("{gone}{moved}"), expect![""]);
}

#[test]
fn folder_whose_files_a_macro_declares_takes_another() {
    let files = |declared: &str| {
        format!(
            "//- src/lib.rs\nmod issues;\n//- src/issues.rs\n{declared}\n//- src/issues/one.rs\nfn a() {{}}\n"
        )
    };
    let add = "*** Add File: src/issues/two.rs\n+fn a() {}\n";
    check(&files("automod::dir!(\"src/issues\");"), add, expect![""]);
    check(
        &files("mod one;"),
        add,
        expect![[r#"
        src/issues/two.rs: no `mod` declares it, so it is not compiled
    "#]],
    );
}

#[test]
fn short_name_of_the_same_package_is_declared() {
    check(
        "//- go.mod\nmodule a\n//- utils.go\npackage a\n\ntype H map[string]int\n//- b.go\npackage a\n\nfunc b() {}\n",
        "*** Update File: b.go\n@@\n-func b() {}\n+func b() H { return H{} }\n",
        expect![""],
    );
}

#[test]
fn crate_that_a_path_begins_with_is_not_the_function_that_was_imported() {
    check(
        "//- src/lib.rs\nfn f() {\n    use memchr::memchr;\n    memchr(b'/', b\"a\");\n}\n",
        "*** Update File: src/lib.rs\n@@\n-    use memchr::memchr;\n-    memchr(b'/', b\"a\");\n+    memchr::memchr(b'/', b\"a\");\n",
        expect![""],
    );
}

#[test]
fn new_import_that_leads_nowhere_is_told() {
    let script = "//- src/a.ts\nexport function a() {}\n//- src/b.ts\nimport { a } from './a';\na();\n";
    check(
        script,
        "*** Update File: src/b.ts\n@@\n-import { a } from './a';\n+import { a } from './aa';\n",
        expect![[r#"
            src/b.ts:1: the import of `a from ./aa` leads nowhere
        "#]],
    );
    check(
        script,
        "*** Add File: src/aa.ts\n+export function a() {}\n\
         *** Update File: src/b.ts\n@@\n-import { a } from './a';\n+import { a } from './aa';\n",
        expect![""],
    );
    check(
        RUST,
        "*** Update File: src/page.rs\n@@\n-use crate::shape::area;\n+use crate::shape::volume;\n",
        expect![[r#"
            src/page.rs:1: the import of `crate::shape::volume` leads nowhere
            src/page.rs:4: it uses `area`, whose import is gone
        "#]],
    );
}

#[test]
fn name_that_nothing_declares_is_told_in_a_small_project_too() {
    let call = "*** Update File: src/page.rs\n@@\n-    area(2)\n+    volume(2)\n";
    check(
        RUST,
        call,
        expect![[r#"
        src/page.rs:4: it uses `volume`, which nothing declares
    "#]],
    );
    let defined = "*** Update File: src/shape.rs\n@@\n+pub fn volume(width: u32) -> u32 {\n+    width\n+}\n+\n pub fn area";
    check(
        RUST,
        &format!("{call}{defined}(width: u32) -> u32 {{\n"),
        expect![[r#"
        src/page.rs:4: it uses `volume`, which nothing declares
    "#]],
    );
}

#[test]
fn new_file_with_syntax_errors_is_told() {
    check(
        RUST,
        "*** Add File: src/new.rs\n+pub fn new( {\n",
        expect![[r#"
            src/new.rs: it has syntax errors
            src/new.rs: no `mod` declares it, so it is not compiled
        "#]],
    );
}
