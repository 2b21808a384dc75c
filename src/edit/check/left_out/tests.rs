use super::*;
use crate::document::DocumentId;
use crate::edit::diff;

const FILE: &str = "\
import os


class Cart:
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices.clear()
        self.log(os.getpid())


class Order:
    def send(self):
        post(self.address, self.parcel)
        self.is_sent = True
";

fn judged(before: &str, after: &str, asked: Asked<'_>) -> Result<(), Refusal> {
    let document = Document::new(DocumentId::new(""), "python", 0, before);
    left_out(&document, &diff::minimal(before, after), &(0..before.len()), asked, Form::Retyped)
}

/// Checks a reply whose code is `after`, with `prose` around it.
#[track_caller]
fn check(instruction: &str, prose: &str, after: &str, expected: &str) {
    let reply = format!("{prose}\n```python\n{after}```\n");
    let asked = Asked { instruction, reply: &reply };
    let outcome = match judged(FILE, after, asked) {
        Ok(()) => String::new(),
        Err(refusal) => refusal.to_string(),
    };
    assert_eq!(outcome, expected, "{instruction}, {after}");
}

fn without_order() -> String {
    FILE.replace("sum(self.prices)", "add(self.prices)").split("\n\n\nclass Order").next().unwrap().to_owned()
        + "\n"
}

#[test]
fn definitions_that_nothing_asks_to_remove_are_kept() {
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    check("add the prices", "", &without_order(), &lacks("`Order`, `send`"));
    check("", "Here is the class:", &without_order(), &lacks("`Order`, `send`"));
    // A call of it is no definition.
    check(
        "",
        "",
        &without_order().replace("self.log(os.getpid())", "Order().send()"),
        &lacks("`Order`, `send`"),
    );
    let short = "def a():\n    b()\n    c()\n\n\ndef d():\n    e()\n    f()\n";
    let alone = "def a():\n    b()\n    g()\n";
    // The new one is the other one, with another name.
    let renamed = "def z():\n    b()\n    c()\n";
    assert!(judged(short, renamed, Asked { instruction: "", reply: renamed }).is_err());
    let said = |reply| judged(short, alone, Asked { instruction: "Add a call", reply }).is_ok();
    assert!(!said("Here is a d or two:") && said("I removed `d`."));
    let method = "    def clear(self):\n        self.prices.clear()\n        self.log(os.getpid())\n";
    check("", "", &FILE.replace(&format!("\n{method}"), ""), &lacks("`clear`"));
    check(
        "",
        "",
        &(without_order() + "\n\ndef add(them):\n    return sum(them)\n"),
        &lacks("`Order`, `send`"),
    );
}

#[test]
fn type_around_a_definition_is_kept() {
    let file = "class Cart:\n    def total(self):\n        add(self)\n        return sum(self.prices)\n";
    let alone = "def total(self):\n    add(self)\n    return sum(self.prices)\n";
    let asked = |instruction| Asked { instruction, reply: alone };
    let lacks = Refusal::LeftOut { names: vec!["Cart".to_owned()] };
    assert_eq!(judged(file, alone, asked("")), Err(lacks));
    assert_eq!(judged(file, alone, asked("make it a function without Cart")), Ok(()));
}

#[test]
fn definitions_that_are_asked_about_may_go() {
    for instruction in
        ["Order is obsolete, and so is send", "Remove what is unused", "merge both classes", "Remove Order"]
    {
        check(instruction, "", &without_order(), "");
    }
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    for instruction in ["Add the prices, but do not remove Order", "Add them but keep Order and send"] {
        check(instruction, "", &without_order(), &lacks("`Order`, `send`"));
    }
    let also = without_order()
        .replace("\n    def clear(self):\n        self.prices.clear()\n        self.log(os.getpid())\n", "");
    check("Remove Order", "", &also, &lacks("`clear`"));
    check("", "`Order` and its method `send` are gone.", &without_order(), "");
}

#[test]
fn definitions_are_kept_that_another_one_shares_its_name_with() {
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    let file = FILE.to_owned()
        + "\n    def clear(self):\n        self.parcel = None\n        self.is_sent = False\n";
    let method = "    def clear(self):\n        self.prices.clear()\n        self.log(os.getpid())\n";
    let reply = file.replace(&format!("\n{method}"), "").replace("sum(", "add(");
    let judged = |after: &str, instruction| {
        let asked = Asked { instruction, reply: after };
        judged(&file, after, asked).err().map(|it| it.to_string()).unwrap_or_default()
    };
    assert_eq!(judged(&reply, "Add the prices"), lacks("`clear`"));
    assert_eq!(judged(&reply, "Remove Cart.clear"), "");
    assert_eq!(judged(&file.replace("class Order", "class Purchase"), "Rename Order"), "");
    assert_eq!(judged(&file.replace("def send", "def clear"), "Rename send to clear"), "");
}

#[test]
fn naming_or_renaming_a_definition_removes_none() {
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    for instruction in [
        "Speed up Order and send",
        "Rename `total` to `sum`",
        "Rename Order and send",
        "Log when one is deleted",
        "Allow users to remove prices",
        "Check the prices in clear, which drops them",
    ] {
        check(instruction, "", &without_order(), &lacks("`Order`, `send`"));
    }
    check("Use a tuple instead of Order and its send", "", &without_order(), "");
}

#[test]
fn helper_that_its_users_need_no_longer_may_go() {
    let helped = FILE.replace("sum(self.prices)", "added(self.prices)")
        + "\n\ndef added(prices):\n    total = 0\n    return sum(prices, total)\n";
    let reply = format!("```python\n{FILE}```\n");
    let asked = Asked { instruction: "", reply: &reply };
    assert_eq!(judged(&helped, FILE, asked), Ok(()));
}

#[test]
fn function_keeps_its_name_without_a_reason() {
    let ship = FILE.replace("def send", "def ship");
    check("Log it", "", &ship, "the reply leaves out `send`, which nothing asks to remove");
    check("Fix the ship", "", &ship, "");
    check("Give it a better name", "", &ship, "");
    check("Improve it", "", &ship, "");
}

#[test]
fn definition_under_another_name_or_in_another_place_is_kept() {
    check("", "", &FILE.replace("class Order", "class Purchase"), "");
    check("", "", &FILE.replace("class Order", "class Purchase").replace("def send", "def ship"), "");
    let imported = without_order().replace("import os", "import os\nfrom orders import Order");
    check("", "", &(imported + "\n\ndef send(order):\n    order.dispatch()\n"), "");
    let inlined =
        "self.log(os.getpid())\n        post(self.address, self.parcel)\n        self.is_sent = True";
    check("", "", &without_order().replace("self.log(os.getpid())", inlined), "");
    check("", "", &(without_order() + "\n\nOrder = record(\n    send=post,\n)\n"), "");
}

/// What a reply leaves out of a file in some language.
fn left_out_of(language: &str, file: &str, after: &str) -> String {
    let document = Document::new(DocumentId::new(""), language, 0, file);
    let asked = Asked { instruction: "", reply: after };
    let judged = left_out(&document, &diff::minimal(file, after), &(0..file.len()), asked, Form::Retyped);
    judged.err().map(|it| it.to_string()).unwrap_or_default()
}

#[test]
fn definition_that_is_still_used_is_not_replaced() {
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    let file = "def parsed(line):\n    key, value = line.split()\n    return key\n\n\ndef keys(lines):\n    return [parsed(it) for it in lines]\n";
    let users = file.split("\n\n\n").nth(1).unwrap();
    let added = "\n\ndef size(lines):\n    return len(keys(lines))\n";
    assert_eq!(left_out_of("python", file, &format!("{users}{added}")), lacks("`parsed`"));
    let renamed = format!("def halves(line):\n    return line.split()[0]\n\n\n{users}");
    assert_eq!(left_out_of("python", file, &renamed.replace("parsed", "halves")), "");
    // A member of another object is no definition.
    let file = "class A:\n    @property\n    def limit(self):\n        return self._limit\n\n    @limit.setter\n    def limit(self, value):\n        self._limit = value\n\n    def load(self):\n        return 1\n";
    let without = "class A:\n    def load(self):\n        return 2\n";
    assert_eq!(left_out_of("python", file, without), lacks("`limit`"));
    let set = format!("{without}\n\na = A()\na.limit = 7\n");
    assert_eq!(left_out_of("python", file, &set), lacks("`limit`"));
}

#[test]
fn functions_of_one_line_are_kept() {
    let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
    let rust = "impl Queue {\n    pub fn len(&self) -> usize { self.jobs.len() }\n    pub fn dropped(&self) -> u64 { self.gone }\n\n    pub fn push(&mut self, job: u32) {\n        self.jobs.push(job);\n    }\n}\n";
    let pushed = rust.replace("push(job);", "push(job + 1);");
    let dropped = "    pub fn dropped(&self) -> u64 { self.gone }\n";
    assert_eq!(left_out_of("rust", rust, &pushed.replace(dropped, "")), lacks("`dropped`"));
    assert_eq!(left_out_of("rust", rust, &pushed.replace("fn dropped", "fn lost")), "");
}
