//! Typical mistakes of models, each of which must be found, and similar changes that are correct.

use std::collections::BTreeMap;

use super::*;
use crate::edit::diff::minimal;
use crate::edit::edit_set::Base;

const PYTHON: &str = "\
//- shop/__init__.py
//- shop/price.py
import math

RATE = 2


def price_of(item, day=0):
    return math.floor(item * RATE)


def known():
    return 3
//- shop/cart.py
from shop.price import known, price_of


def total(items):
    amount = 0
    for item in items:
        amount += price_of(item, day=1)
    return amount + known()
";

const SCRIPT: &str = "\
//- src/round.ts
export function down(n: number): number {
  return Math.floor(n);
}
//- src/price.ts
import { down } from './round';

export const RATE = 2;

export function priceOf(item: number, day = 0): number {
  return down(item * RATE);
}

export function known(): number {
  return 3;
}
//- src/cart.ts
import { known, priceOf } from './price';

export function total(items: number[]): number {
  let amount = 0;
  for (const item of items) {
    amount += priceOf(item);
  }
  return amount + known();
}
";

const RUST: &str = "\
//- src/lib.rs
mod cart;
mod price;
//- src/price.rs
use std::fmt;

pub const RATE: u32 = 2;

pub fn price_of(item: u32) -> u32 {
    item * RATE
}

pub fn known() -> u32 {
    3
}

pub fn show(out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_str(\"3\")
}
//- src/cart.rs
use crate::price::{known, price_of};

pub fn total(items: &[u32]) -> u32 {
    let mut amount = 0;
    for item in items {
        amount += price_of(*item) * 2;
    }
    amount + known()
}
";

const GO: &str = "\
//- price/price.go
package price

import \"math\"

const Rate = 2

func Of(item int) int {
	return int(math.Floor(float64(item * Rate)))
}

func Known() int {
	return three()
}
//- price/three.go
package price

func three() int {
	return 3
}
//- cart/cart.go
package cart

import \"example.com/shop/price\"

func Total(items []int) int {
	amount := 0
	for _, item := range items {
		amount += price.Of(item)
	}
	return amount + price.Known()
}
";

const JAVA: &str = "\
//- shop/Price.java
package shop;

import java.util.List;

class Price {
  int priceOf(List<Integer> items, int day) {
    return this.known() + items.size();
  }

  int known() {
    return 3;
  }
}
//- shop/Cart.java
package shop;

import java.util.List;

class Cart {
  int total(Price price, List<Integer> items) {
    return price.priceOf(items, 1);
  }
}
";

/// Files that import a class of another package, and one of their own.
const JAVA_PACKAGE: &str = "\
//- shop/desk/Desk.java
package shop.desk;

import shop.Cart;

class Desk {
  Cart cart;
}
//- shop/Till.java
package shop;

import shop.Cart;

class Till {
  Cart cart;
}
";

/// The findings of a change, as `path:line code`.
///
/// Each edit is a path, a part of the file's text, and its replacement; without the part, the file is new or gone.
fn found(text: &str, edits: &[(&str, &str, &str)]) -> Vec<String> {
    let (_folder, project) = project(text);
    let before: BTreeMap<&str, &str> = files(text).into_iter().collect();
    let mut after: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for (path, old, new) in edits {
        let now = after.get(path).cloned().flatten().or_else(|| before.get(path).map(|it| (*it).to_owned()));
        let new = match (now, *old) {
            (Some(now), old) if !old.is_empty() => {
                assert!(now.contains(old), "{path} has no {old:?}");
                Some(now.replacen(old, new, 1))
            }
            (Some(_), _) => None,
            (None, _) => Some((*new).to_owned()),
        };
        after.insert(path, new);
    }
    let changes = after.into_iter().map(|(path, new)| {
        let base = before.get(path).map(|text| Base {
            text: (*text).to_owned(),
            revision: crate::edit::edit_set::Revision::of_bytes(text.as_bytes()),
        });
        let change = match (base, new) {
            (None, new) => Change::Create { text: new.unwrap() },
            (Some(base), Some(new)) => Change::Edit { edits: minimal(&base.text, &new), base },
            (Some(base), None) => Change::Delete { base },
        };
        FileEdit { path: path.to_owned(), change, flags: Vec::new() }
    });
    let changes = changes.collect();
    let set = project.with_permissions(|permissions| plan::assemble(changes, &*project.files, permissions));
    let shown = |it: &Finding| {
        let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line} {}", it.path, it.problem.code())
    };
    super::findings(&project, &set.unwrap()).iter().map(shown).collect()
}

/// Checks that a mistake is found at a location, among any others.
#[track_caller]
fn planted(text: &str, edits: &[(&str, &str, &str)], expected: &str) {
    let found = found(text, edits);
    assert!(found.iter().any(|it| it == expected), "{expected} is not in {found:?}");
}

/// Checks that nothing is found.
#[track_caller]
fn right(text: &str, edits: &[(&str, &str, &str)]) {
    assert_eq!(found(text, edits), Vec::<String>::new());
}

#[test]
fn caller_that_was_left_is_found_in_a_file_that_was_not_changed() {
    let day = ("shop/price.py", "def price_of(item, day=0)", "def price_of(item, shop, day=0)");
    planted(PYTHON, &[day], "shop/cart.py:7 old-signature");
    let day = ("src/price.ts", "day = 0)", "day: number)");
    planted(SCRIPT, &[day], "src/cart.ts:6 old-signature");
    let day = ("src/price.rs", "item: u32)", "item: u32, day: u32)");
    planted(RUST, &[day], "src/cart.rs:6 old-signature");
    let day = ("price/price.go", "item int)", "item, day int)");
    planted(GO, &[day], "cart/cart.go:8 old-signature");
    let day = ("shop/Price.java", ", int day)", ")");
    planted(JAVA, &[day], "shop/Cart.java:7 old-signature");
}

#[test]
fn caller_that_was_left_is_found_in_a_file_that_was_changed() {
    let day = ("shop/price.py", "def price_of(item, day=0)", "def price_of(item, shop, day=0)");
    planted(PYTHON, &[day, ("shop/cart.py", "amount = 0", "amount = 1")], "shop/cart.py:7 old-signature");
    let day = ("src/price.ts", "day = 0)", "day: number)");
    planted(SCRIPT, &[day, ("src/cart.ts", "amount = 0", "amount = 1")], "src/cart.ts:6 old-signature");
    let day = ("src/price.rs", "item: u32)", "item: u32, day: u32)");
    planted(RUST, &[day, ("src/cart.rs", "amount = 0", "amount = 1")], "src/cart.rs:6 old-signature");
    let day = ("price/price.go", "item int)", "item, day int)");
    planted(GO, &[day, ("cart/cart.go", "amount := 0", "amount := 1")], "cart/cart.go:8 old-signature");
    let same = ("price/three.go", "func three()", "func three(n int)");
    planted(GO, &[same, ("price/price.go", "Rate = 2", "Rate = 3")], "price/price.go:12 old-signature");
}

#[test]
fn import_that_is_dropped_though_used_is_found() {
    planted(PYTHON, &[("shop/cart.py", "known, price_of", "price_of")], "shop/cart.py:8 undefined-name");
    planted(PYTHON, &[("shop/price.py", "import math\n", "")], "shop/price.py:6 undefined-name");
    planted(SCRIPT, &[("src/cart.ts", "known, ", "")], "src/cart.ts:8 undefined-name");
    planted(RUST, &[("src/cart.rs", "{known, price_of}", "price_of")], "src/cart.rs:8 undefined-name");
    planted(RUST, &[("src/price.rs", "use std::fmt;\n", "")], "src/price.rs:12 undefined-name");
    planted(GO, &[("price/price.go", "import \"math\"\n", "")], "price/price.go:7 undefined-name");
    planted(JAVA, &[("shop/Cart.java", "import java.util.List;\n", "")], "shop/Cart.java:5 undefined-name");
    let package = format!("{JAVA}{JAVA_PACKAGE}");
    let lost = |path| [(path, "import shop.Cart;\n", "")];
    planted(&package, &lost("shop/desk/Desk.java"), "shop/desk/Desk.java:5 undefined-name");
    assert_eq!(found(&package, &lost("shop/Till.java")), [""; 0]);
}

#[test]
fn variable_that_nothing_declares_is_found() {
    planted(PYTHON, &[("shop/cart.py", "return amount", "return amuont")], "shop/cart.py:8 undefined-name");
    planted(SCRIPT, &[("src/cart.ts", "return amount", "return amuont")], "src/cart.ts:8 undefined-name");
    planted(
        RUST,
        &[("src/cart.rs", "    amount + known", "    amuont + known")],
        "src/cart.rs:8 undefined-name",
    );
    planted(GO, &[("cart/cart.go", "return amount", "return amuont")], "cart/cart.go:10 undefined-name");
}

#[test]
fn name_that_a_file_never_imported_is_found() {
    let python = "    return os.path.join(amount)";
    planted(PYTHON, &[("shop/cart.py", "    return amount", python)], "shop/cart.py:8 undefined-name");
    planted(
        SCRIPT,
        &[("src/cart.ts", "return amount", "return down(amount)")],
        "src/cart.ts:8 undefined-name",
    );
    planted(
        RUST,
        &[("src/cart.rs", "    amount + known", "    show(amount) + known")],
        "src/cart.rs:8 undefined-name",
    );
    planted(
        GO,
        &[("cart/cart.go", "return amount", "return strings.Count(amount)")],
        "cart/cart.go:10 undefined-name",
    );
}

#[test]
fn caller_that_does_not_wait_is_found() {
    let python = ("shop/price.py", "def price_of", "async def price_of");
    planted(PYTHON, &[python], "shop/cart.py:7 not-awaited");
    let script = ("src/price.ts", "export function known", "export async function known");
    planted(SCRIPT, &[script], "src/cart.ts:8 not-awaited");
    let plain = SCRIPT.replace(".ts", ".js").replace(": number[]", "").replace(": number", "");
    planted(
        &plain,
        &[("src/price.js", "export function known", "export async function known")],
        "src/cart.js:8 not-awaited",
    );
    let rust = ("src/price.rs", "pub fn price_of", "pub async fn price_of");
    planted(RUST, &[rust], "src/cart.rs:6 not-awaited");
}

#[test]
fn import_of_a_name_that_its_module_lacks_is_found() {
    planted(
        PYTHON,
        &[("shop/cart.py", "import known", "import unknown, known")],
        "shop/cart.py:1 lost-import",
    );
    planted(SCRIPT, &[("src/cart.ts", "{ known", "{ unknown, known")], "src/cart.ts:1 lost-import");
    planted(RUST, &[("src/cart.rs", "{known", "{unknown, known")], "src/cart.rs:1 lost-import");
    planted(GO, &[("cart/cart.go", "price.Known()", "price.Unknown()")], "cart/cart.go:10 lost-import");
}

#[test]
fn definition_that_is_gone_and_used_is_found() {
    planted(PYTHON, &[("shop/price.py", "def known", "def knows")], "shop/cart.py:8 gone");
    planted(PYTHON, &[("shop/price.py", "def known", "def knows")], "shop/cart.py:1 lost-import");
    planted(SCRIPT, &[("src/price.ts", "function known", "function knows")], "src/cart.ts:8 gone");
    planted(RUST, &[("src/price.rs", "fn known", "fn knows")], "src/cart.rs:8 gone");
    planted(GO, &[("price/price.go", "func Known", "func Knows")], "cart/cart.go:10 gone");
    planted(GO, &[("price/three.go", "func three", "func four")], "price/price.go:12 gone");
    planted(JAVA, &[("shop/Price.java", "int known", "int knows")], "shop/Price.java:7 gone");
}

#[test]
fn file_that_is_gone_and_imported_is_found() {
    planted(PYTHON, &[("shop/price.py", "", "")], "shop/cart.py:1 lost-import");
    planted(SCRIPT, &[("src/price.ts", "", "")], "src/cart.ts:1 lost-import");
    planted(RUST, &[("src/price.rs", "", "")], "src/lib.rs:2 lost-import");
    planted(GO, &[("price/price.go", "", ""), ("price/three.go", "", "")], "cart/cart.go:3 lost-import");
}

#[test]
fn other_mistakes_are_found() {
    // A removed keyword argument.
    planted(PYTHON, &[("shop/price.py", "item, day=0", "item, when=0")], "shop/cart.py:7 old-signature");
    // A changed return type.
    planted(
        RUST,
        &[("src/price.rs", "item: u32) -> u32", "item: u32) -> Option<u32>")],
        "src/cart.rs:6 old-signature",
    );
    planted(
        GO,
        &[("price/price.go", "Known() int", "Known() (int, error)")],
        "cart/cart.go:10 old-signature",
    );
    planted(RUST, &[("src/tax.rs", "", "pub fn tax() {}\n")], "src/tax.rs undeclared-module");
    planted(RUST, &[("src/tax/mod.rs", "", "pub fn tax() {}\n")], "src/tax/mod.rs undeclared-module");
    planted(
        GO,
        &[("price/more.go", "", "package price\n\nfunc three() {}\n")],
        "price/more.go:3 defined-twice",
    );
}

#[test]
fn change_that_breaks_no_call_is_right() {
    right(PYTHON, &[("shop/price.py", "item, day=0", "item, day=0, shop=None")]);
    right(PYTHON, &[("shop/price.py", "(item, day=0)", "(item: int, day: int = 0) -> int")]);
    right(
        PYTHON,
        &[("shop/price.py", "(item, day=0)", "(thing, day=0)"), ("shop/price.py", "item *", "thing *")],
    );
    right(PYTHON, &[("shop/price.py", "(item, day=0)", "(item, *rest, **more)")]);
    right(SCRIPT, &[("src/price.ts", "day = 0", "day = 0, shop?: string")]);
    right(SCRIPT, &[("src/price.ts", "): number {\n  return down", "): 1 | 2 {\n  return down")]);
    right(RUST, &[("src/price.rs", "item: u32) -> u32 {\n    item", "thing: u64) -> u64 {\n    thing")]);
    right(GO, &[("price/price.go", "Of(item int)", "Of(item int, more ...int)")]);
    right(GO, &[("price/price.go", "Known() int", "Known() (n int)")]);
    right(JAVA, &[("shop/Price.java", "int day)", "final int when)")]);
}

#[test]
fn change_that_is_whole_is_right() {
    let python = ("shop/price.py", "def price_of", "async def price_of");
    let awaits =
        [("shop/cart.py", "def total", "async def total"), ("shop/cart.py", "+= price", "+= await price")];
    right(PYTHON, &[&[python][..], &awaits].concat());
    right(
        PYTHON,
        &[
            ("shop/price.py", "def known():\n    return 3\n", ""),
            ("shop/cart.py", "known, ", ""),
            ("shop/cart.py", " + known()", ""),
        ],
    );
    right(
        PYTHON,
        &[
            ("shop/tax.py", "", "from .price import RATE\n\nTAX = RATE\n"),
            ("shop/cart.py", "\n\ndef", "from .tax import TAX\n\n\ndef"),
            ("shop/cart.py", "known()", "TAX + known()"),
        ],
    );
    right(
        SCRIPT,
        &[
            ("src/cart.ts", "import { known, priceOf } from './price';", "import * as price from './price';"),
            ("src/cart.ts", "priceOf(", "price.priceOf("),
            ("src/cart.ts", "known(", "price.known("),
        ],
    );
    right(
        SCRIPT,
        &[("src/cart.ts", "return amount", "describe('x', () => fetch(window.name));\n  return amount")],
    );
    right(
        RUST,
        &[("src/tax.rs", "", "pub fn tax() {}\n"), ("src/lib.rs", "mod price;", "mod price;\nmod tax;")],
    );
    right(
        RUST,
        &[(
            "src/cart.rs",
            "    amount + known",
            "    println!(\"{amount}\");\n    let rest = items.iter().map(|it| it + 1).sum::<u32>();\n    rest + amount + known",
        )],
    );
    right(
        GO,
        &[
            ("price/more.go", "", "package price\n\nfunc init() {}\n"),
            ("price/three.go", "return 3", "return min(len(\"\"), 3)"),
        ],
    );
    right(GO, &[("price/three.go", "", ""), ("price/price.go", "return three()", "return 3")]);
    right(GO, &[("price/three_windows.go", "", "package price\n\nfunc three() int {\n\treturn 4\n}\n")]);
    right(JAVA, &[("shop/Cart.java", "java.util.List;", "java.util.*;")]);
}
