use crate::edit::{Request, accept, apply};
use crate::grammar;

const FILE: &str = "\
import os


class Cart:
    @property
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices.clear()
        self.log(os.getpid())


class Order:
    def send(self):
        post(self.address, self.parcel)
        self.is_sent = True

    def log(self, what):
        print(what)
        print(self)


def main():
    cart = Cart()
    cart.clear()
";

/// Checks what a fenced reply makes of the file: `old` becomes `new` in it.
#[track_caller]
fn check(reply: &str, old: &str, new: &str) {
    let request = Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
    let outcome = match accept(&request, &format!("Here it is:\n\n```python\n{reply}```\n")) {
        Ok(accepted) => apply(FILE, &accepted.edits),
        Err(refusal) => format!("refused: {}", refusal.code()),
    };
    assert_eq!(outcome, FILE.replace(old, new), "{reply}");
}

#[test]
fn definition_that_stops_early_is_no_version() {
    let refused = |reply: &str| check(reply, FILE, "refused: too-much-removed");
    refused("    def send(self):\n        post(self.address, self.parcel)\n");
    refused("def main():\n    cart = Cart()\n");
    refused("class Order:\n    def send(self):\n        post(self.address, self.parcel)\n");
    let text = FILE.replace("        self.is_sent = True\n", "");
    let reply = "```python\n    def send(self):\n        post(self.address, self.parcel)\n```\n";
    let grammar = grammar::by_language_id("python");
    let request = Request { text: FILE, grammar, instruction: "Remove is_sent", ..Request::default() };
    assert_eq!(accept(&request, reply).map(|it| apply(FILE, &it.edits)), Ok(text));
}

#[test]
fn definition_takes_the_place_of_its_old_version() {
    check("def main():\n    cart = Cart()\n    cart.empty()\n", "    cart.clear()", "    cart.empty()");
    let sent = "        self.is_sent = bool(self.parcel)";
    let send = format!("    def send(self):\n        post(self.address, self.parcel)\n{sent}\n");
    check(&send, "        self.is_sent = True", sent);
    let dedented: String = send.lines().map(|line| format!("{}\n", &line[4..])).collect();
    check(&dedented, "        self.is_sent = True", sent);
    let total = "def total(self):\n    return add(self.prices)\n";
    check(total, "sum(", "add(");
    check(&format!("@property\n{total}"), "sum(", "add(");
    let clear = "def clear(self):\n    self.prices.clear()\n    self.log(os.getppid())\n";
    check(
        &format!("# Empties it.\n{clear}"),
        "    def clear(self):\n        self.prices.clear()\n        self.log(os.getpid())",
        "    # Empties it.\n    def clear(self):\n        self.prices.clear()\n        self.log(os.getppid())",
    );
}

#[test]
fn members_and_implementations() {
    let check = |language: &str, file: &str, reply: &str, expected: &str| {
        let request = Request {
            text: file,
            grammar: grammar::by_language_id(language),
            path: Some("src/a.x"),
            ..Request::default()
        };
        let judged = accept(&request, &format!("```\n{reply}```\n"));
        assert_eq!(judged.map(|it| apply(file, &it.edits)).as_deref(), Ok(expected), "{reply}");
    };
    let class = "export class A {\n  add(b: B): void {\n    this.b.push(b);\n  }\n\n  c(): D {\n    const e = this.b;\n    return e.map(String);\n  }\n}\n";
    let expected = class.replace("push(b)", "push(b.d)");
    check("typescript", class, "  add(b: B): void {\n    this.b.push(b.d);\n  }\n", &expected);
    check("typescript", class, "// src/a.x\nadd(b: B): void {\n  this.b.push(b.d);\n}\n", &expected);
    let java = "class A {\n    private int b;\n\n    A(int b) {\n        this.b = b;\n    }\n\n    int c() {\n        int d = b;\n        return d;\n    }\n}\n";
    check(
        "java",
        java,
        "A(int b) {\n    this.b = b + 1;\n}\n",
        &java.replace("= b;\n    }", "= b + 1;\n    }"),
    );
    let rust = "struct A;\n\nimpl A {\n    fn b() -> u8 {\n        let c = 1;\n        c\n    }\n}\n\nimpl B for A {\n    fn d() -> u8 {\n        2\n    }\n}\n";
    check("rust", rust, "impl B for A {\n    fn d() -> u8 {\n        3\n    }\n}\n", &rust.replace('2', "3"));
}

#[test]
fn several_definitions_in_one_fence_or_in_several() {
    let sent =
        "    def send(self):\n        post(self.address, self.parcel)\n        self.is_sent = bool(self)\n";
    let main = "def main():\n    cart = Cart()\n    cart.empty()\n";
    let request = Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
    let judged = |reply: &str| {
        accept(&request, reply).map(|it| apply(FILE, &it.edits)).map_err(|refusal| refusal.code())
    };
    let expected = FILE.replace("= True", "= bool(self)").replace("cart.clear()", "cart.empty()");
    let fenced = |code: &str| format!("```python\n{code}```\n");
    let both = format!("First `send`:\n\n{}\nAnd `main`:\n\n{}", fenced(sent), fenced(main));
    assert_eq!(judged(&both).as_deref(), Ok(expected.as_str()));
    let swapped = format!("{}\nAnd:\n\n{}", fenced(main), fenced(sent));
    assert_eq!(judged(&swapped).as_deref(), Ok(expected.as_str()));
    let dedented: String = sent.lines().map(|line| format!("{}\n", &line[4..])).collect();
    assert_eq!(judged(&fenced(&format!("{dedented}\n\n{main}"))).as_deref(), Ok(expected.as_str()));
    // A new function, two versions of one, and one that the words reject.
    assert!(judged(&(both.clone() + &fenced("def run():\n    main()\n"))).is_err());
    assert!(judged(&(both.clone() + "Or:\n" + &fenced(&main.replace("empty", "drop")))).is_err());
    let offered = format!("### Option 1\n\n{}\n### Option 2\n\n{}", fenced(sent), fenced(main));
    assert!(judged(&offered).is_err());
    let rejected = format!("{}\nDo NOT do this:\n\n{}", fenced(sent), fenced(main));
    assert_eq!(judged(&rejected).as_deref(), Ok(FILE.replace("= True", "= bool(self)").as_str()));
}

#[test]
fn first_lines_of_a_definition_are_not_all_of_it() {
    let grammar = grammar::by_language_id("python");
    let request = Request { text: FILE, grammar, instruction: "Post itself, too", ..Request::default() };
    let reply = "```python\n    def send(self):\n        post(self.address, self.parcel, self)\n```\n";
    assert!(accept(&request, reply).is_err());
    let request = Request { instruction: "Do not set is_sent", ..request };
    assert!(accept(&request, &reply.replace(", self)", ")")).is_ok());
}

#[test]
fn annotations_stay_above_a_definition_that_is_shown_without_them() {
    let file = "class A {\n    private int b;\n\n    @Get(\"/b\")\n    @Nullable\n    public int c() {\n        d();\n        return b;\n    }\n}\n";
    let request = Request { text: file, grammar: grammar::by_language_id("java"), ..Request::default() };
    let new =
        |code: &str| accept(&request, &format!("```java\n{code}```\n")).map(|it| apply(file, &it.edits));
    let code = "    public int c() {\n        d(1);\n        return b;\n    }\n";
    assert_eq!(new(code), Ok(file.replace("d()", "d(1)")));
    let other = format!("    @Post(\"/b\")\n{code}");
    let expected = file.replace("d()", "d(1)").replace("@Get(\"/b\")\n    @Nullable", "@Post(\"/b\")");
    assert_eq!(new(&other), Ok(expected));
}

#[test]
fn type_around_a_method_stands_for_all_of_it() {
    let request = Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
    let new = |code: &str| accept(&request, code).map(|it| apply(FILE, &it.edits)).ok();
    let send = "class Order:\n    def send(self):\n        post(self.address, self.parcel)\n        self.is_sent = bool(self)\n";
    let expected = Some(FILE.replace("= True", "= bool(self)"));
    assert_eq!(new(&format!("```python\n{send}```\n")), expected);
    assert_eq!(new(&format!("```python\nimport os\n\n{send}```\n")), expected);
    assert_eq!(new(&format!("<think>\n```\nx\n```\n</think>\n```python\n{send}```\n")), expected);
    // Another import, another field.
    assert_eq!(new(&format!("```python\nimport re\n\n{send}```\n")), None);
    assert_eq!(
        new(&format!("```python\n{}```\n", send.replace(":\n    def", ":\n    size = 1\n\n    def"))),
        None
    );
    let rust = "impl A {\n    fn b() -> u8 {\n        c();\n        1\n    }\n\n    fn d() -> u8 {\n        e();\n        2\n    }\n}\n";
    let request = Request { text: rust, grammar: grammar::by_language_id("rust"), ..Request::default() };
    let reply = "```rust\nimpl A {\n    fn d() -> u8 {\n        e();\n        3\n    }\n}\n```\n";
    assert_eq!(accept(&request, reply).map(|it| apply(rust, &it.edits)), Ok(rust.replace('2', "3")));
}

#[test]
fn class_around_one_method_stands_for_all_of_it_in_other_languages() {
    let braced = "    a(1);\n    return b;\n  }\n";
    for (language, open, head, body, close) in [
        ("typescript", "export class A {\n", "  NAME() {\n", braced, "}\n"),
        ("javascript", "class A extends B {\n", "  NAME() {\n", braced, "}\n"),
        ("java", "public class A {\n", "  int NAME() {\n", braced, "}\n"),
        ("csharp", "public class A\n{\n", "  int NAME() {\n", braced, "}\n"),
        ("cpp", "class A {\n public:\n", "  int NAME() {\n", braced, "};\n"),
        ("php", "<?php\n\nclass A\n{\n", "  public function NAME() {\n", braced, "}\n"),
        ("ruby", "class A\n", "  def NAME\n", "    a(1)\n    b\n  end\n", "end\n"),
    ] {
        let [one, two] = ["one", "two"].map(|name| head.replace("NAME", name) + body);
        let file = format!("{open}{one}\n{two}{close}");
        let expected = file.replace(&two, &two.replace("a(1)", "a(2)"));
        let mark = if language == "ruby" { "#" } else { "//" };
        let rest = format!("  {mark} ... existing code ...\n");
        let request =
            Request { text: &file, grammar: grammar::by_language_id(language), ..Request::default() };
        for (above, below) in [("", ""), (&*rest, ""), (&*rest, &*rest)] {
            let reply = format!("```\n{open}{above}{}{below}{close}```\n", two.replace("a(1)", "a(2)"));
            let judged = accept(&request, &reply).map(|it| apply(&file, &it.edits));
            assert_eq!(judged.as_deref(), Ok(expected.as_str()), "{reply}");
        }
        // A comment in place of a part of the method is no other definition.
        let part =
            format!("```\n{open}{}{close}```\n", two.replace("    a(1)", &format!("  {rest}    a(2)")));
        assert!(accept(&request, &part).is_err(), "{part}");
    }
}

#[test]
fn function_of_php_without_its_tag() {
    let file = "<?php\n\nfunction add($a) {\n    $b = $a + 1;\n    return $b;\n}\n\nfunction sub($a) {\n    $b = $a - 1;\n    return $b;\n}\n";
    let request = Request { text: file, grammar: grammar::by_language_id("php"), ..Request::default() };
    let reply = "```php\nfunction sub($a) {\n    $b = $a - 2;\n    return $b;\n}\n```\n";
    let new = accept(&request, reply).map(|it| apply(file, &it.edits));
    assert_eq!(new, Ok(file.replace("- 1", "- 2")));
}

#[test]
fn other_parts_are_refused() {
    // An unknown decorator, code below the definition, an unknown name, a moved string.
    for reply in [
        "@cached\ndef total(self):\n    return add(self.prices)\n",
        "def main():\n    cart = Cart()\n    cart.empty()\n\n\nmain()\n",
        "def run():\n    cart = Cart()\n    cart.empty()\n",
        "def clear(cart):\n    cart.prices.clear()\n    log(cart)\n",
        "def total(self):\n    return '''\n      a\n    '''\n",
    ] {
        let request =
            Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
        assert!(accept(&request, &format!("```python\n{reply}```\n")).is_err(), "{reply}");
    }
}

#[test]
fn definition_stays_in_its_column() {
    let raw = |indent: &str, text: &str| {
        format!("{indent}def raw(self):\n{indent}    return r\"\"\"\n{text}\n\"\"\"\n")
    };
    let file = format!("import os\n\n\nclass A:\n    a = os.name\n\n{}\n    b = 2\n", raw("    ", "one"));
    let request = Request { text: &file, grammar: grammar::by_language_id("python"), ..Request::default() };
    let judged =
        |code: &str| accept(&request, &format!("```python\n{code}```\n")).map(|it| apply(&file, &it.edits));
    assert_eq!(judged(&raw("    ", "two")), Ok(file.replace("one", "two")));
    assert_eq!(judged(&raw("", "two")), Ok(file.replace("one", "two")));
    assert!(judged(&raw("", "    two").replace("\n\"", "\n    \"")).is_err());
}
