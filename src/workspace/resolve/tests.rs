//! Name resolution in small projects: files in, definitions out.

mod monorepo;

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::document::{Document, DocumentId};
use crate::grammar::by_path;

/// A project of files that each begin with `//- path`; one contains the cursor, `ˇ`.
fn project(files: &str) -> (Workspace, Option<(String, usize)>) {
    let workspace = Workspace::default();
    let mut place = None;
    for file in files.split("//- ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap();
        let path = format!("/w/{name}");
        if let Some(at) = text.find('ˇ') {
            place = Some((path.clone(), at));
        }
        workspace.put(Path::new(&path), by_path(Path::new(name)).unwrap(), &text.replace('ˇ', ""));
    }
    (workspace, place)
}

/// Checks the candidate definitions of the name at `ˇ`.
fn check(files: &str, expect: Expect) {
    let (workspace, place) = project(files);
    let (path, at) = place.unwrap();
    let text = files.split("//- ").find(|it| it.contains('ˇ')).unwrap().split_once('\n').unwrap().1;
    let language = by_path(Path::new(&path)).unwrap().id();
    let document = Document::new(DocumentId::new(&path), language, 0, &text.replace('ˇ', ""));
    let mut shown = String::new();
    for Resolved { place, why } in workspace.resolve_at(Path::new(&path), &document, at) {
        let path = place.path().strip_prefix("/w").unwrap().display();
        let it = place.definition();
        writeln!(shown, "{path}:{} `{}` ({why})", it.line + 1, it.signature).unwrap();
    }
    expect.assert_eq(&shown);
}

const RUST: &str = "\
//- src/lib.rs
pub mod config;
pub mod shop;
pub use config::load;
//- src/config.rs
/// Reads it.
pub fn load(path: &str) -> Settings { todo() }
pub struct Settings { pub name: String }
impl Settings {
    pub fn new() -> Self { todo() }
}
pub enum Level { Low, High }
//- src/shop/mod.rs
pub mod item;
pub fn helper() {}
//- src/shop/item.rs
pub struct Item;
impl Item {
    pub fn new() -> Self { Item }
    pub fn price(&self) -> u32 { 1 }
}
fn helper() {}
//- src/other.rs
pub fn load() {}
pub fn price() {}
";

fn rust(file: &str, expect: Expect) {
    check(&format!("{RUST}//- {file}"), expect);
}

#[test]
fn rust_names_by_scope_and_imports() {
    rust(
        "src/a.rs\nuse crate::config::load;\nfn f() { loˇad(1) }\n",
        expect![[r#"
        src/config.rs:2 `pub fn load(path: &str) -> Settings` (imported)
        src/other.rs:1 `pub fn load()` (in the same folder)
    "#]],
    );
    rust(
        "src/b.rs\nuse crate::config::load as read;\nfn f() { reaˇd(1) }\n",
        expect![[r#"
        src/config.rs:2 `pub fn load(path: &str) -> Settings` (imported)
    "#]],
    );
    rust(
        "src/c.rs\nuse crate::config::{self, Settings as S};\nfn f() { config::loadˇ(1) }\n",
        expect![[r#"
        src/config.rs:2 `pub fn load(path: &str) -> Settings` (imported)
    "#]],
    );
    rust(
        "src/d.rs\nuse crate::config::{Settings};\nfn f() { Settings::neˇw() }\n",
        expect![[r#"
        src/config.rs:5 `pub fn new() -> Self` (imported)
    "#]],
    );
    rust(
        "src/e.rs\nfn f() { crate::shop::item::Item::neˇw() }\n",
        expect![[r#"
        src/shop/item.rs:3 `pub fn new() -> Self` (imported)
    "#]],
    );
    rust(
        "src/f.rs\nuse crate::load;\nfn f() { loˇad() }\n",
        expect![[r#"
        src/config.rs:2 `pub fn load(path: &str) -> Settings` (imported through /w/src/lib.rs)
        src/other.rs:1 `pub fn load()` (in the same folder)
    "#]],
    );
    rust(
        "src/shop/g.rs\nuse super::item::*;\nfn f(i: Itˇem) {}\n",
        expect![[r#"
        src/shop/item.rs:1 `pub struct Item` (imported)
        src/shop/item.rs:2 `impl Item` (imported)
    "#]],
    );
    rust(
        "src/shop/h.rs\nfn f(i: u8) { i.prˇice() }\n",
        expect![[r#"
        src/shop/item.rs:4 `pub fn price(&self) -> u32` (in the same folder)
    "#]],
    );
    rust(
        "src/shop/i.rs\nfn f() { helˇper() }\n",
        expect![[r#"
        src/shop/item.rs:6 `fn helper()` (in the same folder)
        src/shop/mod.rs:2 `pub fn helper()` (in the same folder)
    "#]],
    );
    rust(
        "src/j.rs\nstruct A;\nimpl A {\n    fn g(&self) { self.pˇrice() }\n    fn price(&self) {}\n}\n",
        expect![[r#"
        src/j.rs:4 `fn price(&self)` (defined in this file)
    "#]],
    );
    rust("src/k.rs\nfn f() { nothiˇng() }\n", expect![[""]]);
}

const PYTHON: &str = "\
//- app/__init__.py
from .config import load
//- app/config.py
def load(path):
    \"\"\"Reads it.\"\"\"
class Settings:
    def save(self): pass
//- app/shop/__init__.py
//- app/shop/item.py
class Item:
    def save(self): pass
def load(): pass
";

#[test]
fn python_names_by_scope_and_imports() {
    let python = |file: &str, expect: Expect| check(&format!("{PYTHON}//- {file}"), expect);
    python(
        "app/a.py\nfrom .config import load as l\nlˇ(1)\n",
        expect![[r#"
        app/config.py:1 `def load(path):` (imported)
    "#]],
    );
    python(
        "app/shop/b.py\nfrom ..config import load\nloaˇd(1)\n",
        expect![[r#"
        app/config.py:1 `def load(path):` (imported)
        app/shop/item.py:3 `def load():` (in the same folder)
    "#]],
    );
    python(
        "main.py\nfrom app import load\nloadˇ(1)\n",
        expect![[r#"
        app/config.py:1 `def load(path):` (imported through /w/app/__init__.py)
        app/shop/item.py:3 `def load():` (in the workspace)
    "#]],
    );
    python(
        "main.py\nimport app.config\napp.config.loadˇ(1)\n",
        expect![[r#"
        app/config.py:1 `def load(path):` (imported)
    "#]],
    );
    python(
        "main.py\nfrom app import config as c\nc.loadˇ(1)\n",
        expect![[r#"
        app/config.py:1 `def load(path):` (imported)
    "#]],
    );
    python(
        "main.py\nfrom app.config import Settings\nSettings.savˇe()\n",
        expect![[r#"
        app/config.py:4 `def save(self):` (imported)
    "#]],
    );
    python(
        "app/shop/c.py\nx.savˇe()\n",
        expect![[r#"
        app/shop/item.py:2 `def save(self):` (in the same folder)
        app/config.py:4 `def save(self):` (in the workspace)
    "#]],
    );
    python(
        "app/shop/d.py\nloaˇd()\n",
        expect![[r#"
        app/shop/item.py:3 `def load():` (in the same folder)
        app/config.py:1 `def load(path):` (in the workspace)
    "#]],
    );
}

const SCRIPT: &str = "\
//- src/config.ts
/** Reads it. */
export function load(path: string): Settings { return x }
export interface Settings { name: string }
export default class Store { open() {} }
//- src/index.ts
export { load as read } from './config';
export * from './shop/item';
//- src/shop/item.tsx
export const price = (n: number) => n;
export function load() {}
";

#[test]
fn typescript_names_by_scope_and_imports() {
    let script = |file: &str, expect: Expect| check(&format!("{SCRIPT}//- {file}"), expect);
    script(
        "src/a.ts\nimport { load as l } from './config';\nlˇ(1);\n",
        expect![[r#"
        src/config.ts:2 `export function load(path: string): Settings` (imported)
    "#]],
    );
    script(
        "src/shop/b.ts\nimport { load } from '../config.js';\nloadˇ(1);\n",
        expect![[r#"
        src/config.ts:2 `export function load(path: string): Settings` (imported)
        src/shop/item.tsx:2 `export function load()` (in the same folder)
    "#]],
    );
    script(
        "src/c.ts\nimport { read } from '.';\nreaˇd(1);\n",
        expect![[r#"
        src/config.ts:2 `export function load(path: string): Settings` (imported through /w/src/index.ts)
    "#]],
    );
    script(
        "src/d.ts\nimport { price } from './index';\npriˇce(1);\n",
        expect![[r#"
        src/shop/item.tsx:1 `export const price = (n: number)` (imported through /w/src/index.ts)
    "#]],
    );
    script(
        "src/e.ts\nimport * as config from './config';\nconfig.loˇad(1);\n",
        expect![[r#"
        src/config.ts:2 `export function load(path: string): Settings` (imported)
    "#]],
    );
    script(
        "src/f.ts\nimport Shop from './config';\nnew Shoˇp();\n",
        expect![[r#"
        src/config.ts:4 `export default class Store` (imported)
    "#]],
    );
    script(
        "src/shop/g.ts\nlet s: Settinˇgs;\n",
        expect![[r#"
        src/config.ts:3 `export interface Settings` (in the workspace)
    "#]],
    );
    script(
        "src/h.ts\nthing.opeˇn();\n",
        expect![[r#"
        src/config.ts:4 `open()` (in the same folder)
    "#]],
    );
}

const GO: &str = "\
//- shop/shop.go
package shop
// Shop sells.
type Shop struct { name string }
func (s *Shop) Open() {}
func New() *Shop { return nil }
//- bank/bank.go
package bank
type Bank struct {}
func (b Bank) Open() {}
func New() {}
";

#[test]
fn go_names_by_scope_and_imports() {
    let go = |file: &str, expect: Expect| check(&format!("{GO}//- {file}"), expect);
    go(
        "main.go\npackage main\nimport \"example.com/m/shop\"\nfunc main() { shop.Neˇw() }\n",
        expect![[r#"
        shop/shop.go:5 `func New() *Shop` (imported)
    "#]],
    );
    go(
        "main.go\npackage main\nimport b \"example.com/m/bank\"\nfunc main() { b.Neˇw() }\n",
        expect![[r#"
        bank/bank.go:4 `func New()` (imported)
    "#]],
    );
    go(
        "shop/a.go\npackage shop\nfunc f() { Neˇw() }\n",
        expect![[r#"
        shop/shop.go:5 `func New() *Shop` (in the same folder)
        bank/bank.go:4 `func New()` (in the workspace)
    "#]],
    );
    go(
        "shop/b.go\npackage shop\nfunc (s *Shop) f() { s.Opeˇn() }\n",
        expect![[r#"
        shop/shop.go:4 `func (s *Shop) Open()` (in the same folder)
        bank/bank.go:3 `func (b Bank) Open()` (in the workspace)
    "#]],
    );
    go(
        "shop/c.go\npackage shop\nfunc f() { Shop.Opeˇn() }\n",
        expect![[r#"
        shop/shop.go:4 `func (s *Shop) Open()` (in the same folder)
    "#]],
    );
}

#[test]
fn file_beside_the_manifest_begins_a_crate_of_its_own() {
    let files = "//- Cargo.toml\n[package]\n//- src/lib.rs\npub mod util;\n//- src/util.rs\npub fn load() {}\n\
        //- src/shop/tests/one.rs\nuse crate::util::load;\n//- tests/all.rs\nmod util;\nmod index;\n\
        //- tests/util.rs\npub fn load() {}\n//- tests/index/mod.rs\nmod one;\n//- tests/index/one.rs\nuse crate::util::load;\n";
    let (workspace, _) = project(files);
    let imports = |path: &str| {
        let names = workspace.importers(Path::new(path));
        names.iter().map(|it| it.strip_prefix("/w").unwrap().display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(imports("/w/src/util.rs"), ["src/shop/tests/one.rs"]);
    assert_eq!(imports("/w/tests/util.rs"), ["tests/index/one.rs"]);
    let knows = |path: &str| workspace.knows_crate_root(Path::new(path));
    assert!(knows("/w/src/shop/tests/one.rs") && !knows("/w/tests/index/one.rs"));
}

#[test]
fn files_that_import_a_file_are_found() {
    let imports = |files: &str, path: &str| {
        let (workspace, _) = project(files);
        let names = workspace.importers(Path::new(path));
        names.iter().map(|it| it.strip_prefix("/w").unwrap().display().to_string()).collect::<Vec<_>>()
    };
    let rust = format!("{RUST}//- src/a.rs\nuse crate::config::load;\n//- src/b.rs\nuse super::config;\n");
    assert_eq!(imports(&rust, "/w/src/config.rs"), ["src/a.rs", "src/b.rs", "src/lib.rs"]);
    assert_eq!(imports(PYTHON, "/w/app/config.py"), ["app/__init__.py"]);
    assert_eq!(imports(SCRIPT, "/w/src/config.ts"), ["src/index.ts"]);
    let go = format!("{GO}//- main.go\npackage main\nimport \"example.com/m/shop\"\n");
    assert_eq!(imports(&go, "/w/shop/shop.go"), ["main.go"]);
}

#[test]
fn a_name_is_found_where_it_is_used() {
    let files = format!("{PYTHON}//- main.py\nfrom app import load\nload(1)\nx = 'load'\nload(2)\n");
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::default();
    for file in files.split("//- ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap();
        let path = crate::folder::write(folder.path(), name, text);
        workspace.put(&path, by_path(&path).unwrap(), text);
    }
    let python = by_path(Path::new("a.py")).unwrap();
    let found = workspace.references(python, "load", &|| false);
    let shown: Vec<_> =
        found.iter().map(|it| (it.path.file_name().unwrap().to_str().unwrap(), it.line)).collect();
    assert_eq!(shown, [("main.py", 1), ("main.py", 3)]);
    assert!(workspace.references(python, "load", &|| true).is_empty());
}
