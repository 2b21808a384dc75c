//! Misspelt names.

use super::super::*;
use super::check;
use crate::document::{Document, DocumentId};

#[test]
fn misspelt_name_is_changed_to_the_only_near_one() {
    let undefined = "undefined name `subtotl`";
    check(
        "python",
        "def f(a):\n    subtotal = a\n    return «subtotl»\n",
        undefined,
        &[],
        Some(("change `subtotl` to `subtotal`", "def f(a):\n    subtotal = a\n    return subtotal\n")),
    );
    // Another function's variable, a member and a keyword cannot be meant.
    check("python", "def g():\n    subtotal = 1\n\ndef f(a):\n    return «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a.subtotal + «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a(subtotal=1) + «subtotl»\n", undefined, &[], None);
    // Two names are equally near.
    check("python", "def f(subtota, subtotal):\n    return «subtotl»\n", undefined, &[], None);
    check(
        "javascript",
        "if (a) {\n  const subtotal = 1;\n}\nb(«subtotl»);\n",
        "'subtotl' is not defined.",
        &[],
        None,
    );
    // It is spelled as in the library.
    check(
        "java",
        "class A {\n  «Error» x;\n  int error;\n}\n",
        "cannot find symbol\nsymbol: class Error",
        &[],
        None,
    );
}

#[test]
fn name_out_of_scope_is_not_meant() {
    let kept = |language: &str, text: &str| {
        let said = "undefined: entyr";
        check(language, text, said, &[], None);
        let said = format!("{said}; did you mean 'entry'?");
        check(language, text, &said, &[], None);
    };
    let changed = |language: &str, text: &str| {
        let fixed = text.replace("«entyr»", "entry");
        check(language, text, "undefined: entyr", &[], Some(("change `entyr` to `entry`", &fixed)));
    };
    // A name is not in scope in its own value, except in a function there.
    kept("c", "int f(int n) {\n  int entry = «entyr» + n;\n  return entry;\n}\n");
    kept("c", "int f(char *n) {\n  char *entry = g(«entyr», n);\n  return *entry;\n}\n");
    kept("go", "package a\n\nfunc f() int {\n\tentry := «entyr» + 1\n\treturn entry\n}\n");
    kept("rust", "fn f(a: u8) -> u8 {\n    let entry = «entyr» + a;\n    entry\n}\n");
    kept("javascript", "function f(a) {\n  const entry = «entyr» + a;\n  return entry;\n}\n");
    kept("python", "def f(a):\n    entry = «entyr» + a\n    return entry\n");
    kept("python", "def f(a):\n    for entry in «entyr»:\n        a(entry)\n");
    changed("javascript", "function f(a) {\n  const entry = g(() => a(«entyr»));\n  return entry;\n}\n");
    changed("python", "def f(entry):\n    entry = «entyr» + 1\n    return entry\n");
    // A statement's head declares names for the statement.
    for body in [
        "for (int entry : a) g(entry);\n    return «entyr»;",
        "if (a instanceof Integer entry) g(entry);\n    return «entyr»;",
        "try { g(a); } catch (E entry) { g(entry); }\n    return «entyr»;",
        "try (var entry = g(a)) { g(entry); }\n    return «entyr»;",
        "return switch (a) { case String entry -> g(entry); default -> «entyr»; };",
    ] {
        kept("java", &format!("class A {{\n  int f(Object a) {{\n    {body}\n  }}\n}}\n"));
    }
    changed(
        "java",
        "class A {\n  int f(int[] a) {\n    for (int entry : a) g(«entyr»);\n    return 1;\n  }\n}\n",
    );
    for body in [
        "if entry, ok := a[1]; ok {\n\t\tg(entry)\n\t}\n\tg(«entyr»)",
        "switch entry := a.(type) {\n\tcase int:\n\t\tg(entry)\n\t}\n\tg(«entyr»)",
        "select {\n\tcase entry := <-a:\n\t\tg(entry)\n\tcase b := <-c:\n\t\tg(«entyr», b)\n\t}",
    ] {
        kept("go", &format!("package a\n\nfunc f() {{\n\t{body}\n}}\n"));
    }
    changed("go", "package a\n\nfunc f() {\n\tif entry, ok := a[1]; ok {\n\t\tg(«entyr»)\n\t}\n}\n");
    for body in [
        "match a {\n        Some(entry) => entry,\n        None => «entyr»,\n    }",
        "if let Some(entry) = a {\n        g(entry);\n    }\n    «entyr»",
        "while let Some(entry) = a {\n        g(entry);\n    }\n    «entyr»",
    ] {
        kept("rust", &format!("fn f(a: Option<u8>) -> u8 {{\n    {body}\n}}\n"));
    }
    changed(
        "rust",
        "fn f(a: Option<u8>) -> u8 {\n    match a {\n        Some(entry) => «entyr»,\n        None => 1,\n    }\n}\n",
    );
    kept(
        "rust",
        "mod b {\n    pub const ENTRY: u8 = 1;\n    pub fn entry() {}\n}\n\nfn f() {\n    «entyr»();\n}\n",
    );
    kept("javascript", "function f(a) {\n  try { a(); } catch (entry) { a(entry); }\n  return «entyr»;\n}\n");
    kept(
        "python",
        "def f(a):\n    try:\n        a()\n    except E as entry:\n        a(entry)\n    a(«entyr»)\n",
    );
    kept("python", "def f(entry):\n    del entry\n    return «entyr»\n");
}

#[test]
fn name_that_is_not_defined_yet_is_not_changed() {
    // These are words, or names of a library that is not imported; none of them is a slip.
    for (language, text, said) in [
        ("python", "def f(count, items):\n    return «{}»(items)\n", "Undefined name `{}`"),
        ("rust", "fn f(count: u32, items: u32) -> u32 {\n    «{}»(items)\n}\n", "cannot find `{}`"),
        ("go", "package a\n\nfunc f(count int, items int) int {\n\treturn «{}»(items)\n}\n", "undefined: {}"),
        (
            "java",
            "class A {\n  int f(int count, int items) {\n    return «{}»(items);\n  }\n}\n",
            "cannot find symbol\nsymbol: method {}",
        ),
        ("typescript", "function f(count, items) {\n  return «{}»(items);\n}\n", "Cannot find name '{}'."),
        ("c", "int f(int count, int items) {\n  return «{}»(items);\n}\n", "‘{}’ undeclared"),
    ] {
        let words = [
            "silent",
            "account",
            "change",
            "grant",
            "session",
            "width",
            "item",
            "counts",
            "mount",
            "form",
            "current_app",
            "shaped",
            "fielno",
        ];
        for word in words {
            check(language, &text.replace("{}", word), &said.replace("{}", word), &[], None);
        }
    }
    // The tool itself may offer the name.
    let said = "Cannot find name 'items'. Did you mean 'item'?";
    check("typescript", "function f(item) {\n  return «items»;\n}\n", said, &[], None);
}

/// Undefined names that look like an existing one, as each tool reports them.
#[test]
fn word_is_not_changed_to_a_similar_one() {
    let pairs = "\
        host post|cached cache|parse parser|count mount|text test|fill file|tokens token|\
        idx ids|lhs rhs|min_x min_y|hosts posts|curl curr|prev_id prev_idx|start stars|\
        node_a node_b|argc argv|ctx ctr|widths width|height weight|bound round|colon color|\
        batch match_|buffed buffer|cursor cursed|unlock lock|regex reget|subnet subset|\
        kwargs args|vertex vortex|tensor censor|logits digits|sched schema|socket rocket|\
        packet pocket|payload paylord|ledger lodger|invoice invoke|basket casket|vouchers voucher|\
        dst dest|cfg cfg2|recv send|len2 len1|tmp temp|usr user|utf8 utf16|month north|\
        deploy employ|stable table|layer player|trials trail|datax datay|qpush lpush|state stat|\
        sort_keys sortikeys";
    for (language, text, said) in [
        ("python", "def f({new}):\n    return {new} + «{old}»\n", "Undefined name `{old}`"),
        (
            "python",
            "class A:\n    {new} = 1\n\n    def f(self):\n        return self.«{old}»\n",
            "Cannot access attribute \"{old}\" for class \"A*\"",
        ),
        (
            "rust",
            "fn f({new}: u32) -> u32 {\n    {new} + «{old}»\n}\n",
            "cannot find value `{old}` in this scope\nhelp: a local variable with a similar name exists: `{new}`",
        ),
        ("go", "package a\n\nfunc f({new} int) int {\n\treturn {new} + «{old}»\n}\n", "undefined: {old}"),
        (
            "java",
            "class A {\n  int {new} = 1;\n\n  int f() {\n    return this.«{old}»;\n  }\n}\n",
            "cannot find symbol\nsymbol: variable {old}",
        ),
        (
            "typescript",
            "function f({new}: number) {\n  return {new} + «{old}»;\n}\n",
            "Cannot find name '{old}'. Did you mean '{new}'?",
        ),
        (
            "c",
            "int f(int {new}) {\n  return {new} + «{old}»;\n}\n",
            "‘{old}’ undeclared (first use in this function); did you mean ‘{new}’?",
        ),
        (
            "c",
            "struct a {\n  int {new};\n};\nint f(struct a *a) {\n  return a->«{old}»;\n}\n",
            "no member named '{old}' in 'struct a'; did you mean '{new}'?",
        ),
    ] {
        for (old, new) in pairs.split('|').filter_map(|pair| pair.split_once(' ')) {
            let filled = |text: &str| text.replace("{old}", old).replace("{new}", new);
            check(language, &filled(text), &filled(said), &[], None);
        }
    }
}

#[test]
fn misspelt_declaration_is_changed_to_match_its_uses() {
    let undefined = "Undefined name `payload`";
    check(
        "python",
        "class A:\n    def f(self):\n        paylod = 1\n        return «payload», payload\n",
        undefined,
        &[],
        Some((
            "declare `payload` and not `paylod`",
            "class A:\n    def f(self):\n        payload = 1\n        return payload, payload\n",
        )),
    );
    check(
        "rust",
        "impl A {\n    fn f(&self, resposne: u8) -> u8 {\n        «response»\n    }\n}\n",
        "cannot find value `response` in this scope",
        &[],
        Some((
            "declare `response` and not `resposne`",
            "impl A {\n    fn f(&self, response: u8) -> u8 {\n        response\n    }\n}\n",
        )),
    );
    check(
        "c",
        "int f(void) {\n  int langUage = 1;\n  return «language»;\n}\n",
        "‘language’ undeclared (first use in this function); did you mean ‘langUage’?",
        &[],
        Some((
            "declare `language` and not `langUage`",
            "int f(void) {\n  int language = 1;\n  return language;\n}\n",
        )),
    );
    check(
        "python",
        "def f(*, sortikeys):\n    return a.b(sort_keys=«sort_keys»)\n",
        "Undefined name `sort_keys`",
        &[],
        Some((
            "declare `sort_keys` and not `sortikeys`",
            "def f(*, sort_keys):\n    return a.b(sort_keys=sort_keys)\n",
        )),
    );
    // It is the proper spelling, whatever the uses are.
    for (language, wrong, proper, said) in [
        ("python", "userid", "user_id", "Undefined name `userid`"),
        ("python", "filename", "file_name", "Undefined name `filename`"),
        ("javascript", "userid", "userId", "'userid' is not defined."),
    ] {
        let text = match language {
            "python" => format!("def f({proper}, b):\n    g(«{wrong}», b)\n    return {wrong}\n"),
            _ => format!("function f({proper}, b) {{\n  g(«{wrong}», b);\n  return {wrong};\n}}\n"),
        };
        let (head, _) = text.split_once('\n').unwrap();
        let document =
            Document::new(DocumentId::new("file:///a"), language, 0, &text.replace(['«', '»'], ""));
        let at = text.find('«').unwrap();
        let found = fix(&FileView::new(&document), &Problem::new(at..at + wrong.len(), said));
        assert!(found.is_none_or(|it| it.edits.iter().all(|edit| edit.span.start > head.len())), "{text}");
    }
    // It is used, is a word, is declared elsewhere, or declares nothing; a type is not a variable.
    check("python", "def f(paylod):\n    return paylod + «payload»\n", undefined, &[], None);
    check("python", "def f(mount):\n    return «count»\n", "Undefined name `count`", &[], None);
    check("python", "def f(paylod):\n    pass\n\ndef g():\n    return «payload»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a(paylod) + «payload»\n", undefined, &[], None);
    check(
        "python",
        "class Subtotal:\n    pass\n\nf(«subtotal»)\ng(subtotal)\n",
        "Undefined name `subtotal`",
        &[],
        None,
    );
}

#[test]
fn member_is_not_changed_to_a_library_type() {
    let said = "cannot find symbol\nsymbol: variable deque";
    check(
        "java",
        "class A {\n  int dequeue = 1;\n  int f() {\n    return this.«deque»;\n  }\n}\n",
        said,
        &[],
        None,
    );
}

#[test]
fn type_in_front_of_a_member_is_not_changed_to_a_variable() {
    let text = "class A {\n  int f(Base bidiBase) {\n    return «BidiBase».x() + bidiBase.y();\n  }\n}\n";
    check("java", text, "cannot find symbol\nsymbol: variable BidiBase", &[], None);
}

#[test]
fn name_is_not_changed_to_a_misspelt_one() {
    // Only the declaration has the other name, and neither is more like a word. Callers may name a parameter.
    let check_neither = |language: &str, text: &str, said: &str| check(language, text, said, &[], None);
    check(
        "python",
        "def f():\n    compame = g()\n    return «compname»\n",
        "Undefined name `compname`",
        &[],
        Some(("change `compname` to `compame`", "def f():\n    compame = g()\n    return compame\n")),
    );
    check_neither("python", "def f(compame):\n    return «compname»\n", "Undefined name `compname`");
    // A method is called, and a field is not.
    check_neither(
        "go",
        "package a\n\nfunc f(a *A) string {\n\treturn a.«Password»() + a.password\n}\n",
        "a.Password undefined (type *A has no field or method Password, but does have password)",
    );
}

#[test]
fn name_in_a_comment_has_no_role() {
    let said = "Cannot find name 'Subtotal'. Did you mean 'subtotal'?";
    let text =
        "/*\n * Of subtotal.\n */\nfunction f(subtotal: number) {\n  return subtotal + «Subtotal»;\n}\n";
    let mended = text.replace("«Subtotal»", "subtotal");
    check("typescript", text, said, &[], Some(("change `Subtotal` to `subtotal`", &mended)));
}

#[test]
fn local_variable_of_a_method_is_a_candidate() {
    check(
        "python",
        "class A:\n    def f(self, subtotal):\n        return «subtotl» + subtotal\n",
        "\"subtotl\" is not defined",
        &[],
        Some((
            "change `subtotl` to `subtotal`",
            "class A:\n    def f(self, subtotal):\n        return subtotal + subtotal\n",
        )),
    );
    // A member is not a candidate, nor a comprehension's own variable, nor a parameter of another function.
    let text = "int f(int subtotal) { return subtotal; }\nint g(void) { return «subtotl»; }\n";
    check("c", text, "‘subtotl’ undeclared (first use in this function)", &[], None);
    let said = "\"subtotl\" is not defined";
    check(
        "python",
        "class A:\n    subtotal = 1\n\n    def f(self):\n        return «subtotl»\n",
        said,
        &[],
        None,
    );
    check(
        "python",
        "def f(a):\n    b = [subtotal for subtotal in a]\n    return «subtotl», b\n",
        said,
        &[],
        None,
    );
}

#[test]
fn builtin_is_a_candidate_if_there_is_no_other() {
    let said = "name 'pirnt' is not defined";
    check("python", "«pirnt»(1)\n", said, &[], Some(("change `pirnt` to `print`", "print(1)\n")));
    // A name that a tool misses as well is not a candidate.
    let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, "subtotl = 1\nx = subtotal\n");
    let problem = Problem::new(16..24, "Undefined name `subtotal`");
    let file = FileView::new(&document).with_reported([(0, "Undefined name `subtotl`")].into_iter());
    assert_eq!(fix(&file, &problem), None);
}

#[test]
fn name_that_the_project_defines_is_not_changed() {
    let said = "Cannot find name 'Ruoter'. Did you mean 'Router'?";
    let text = "import { Router } from \"./a\";\nnew «Ruoter»(Router);\n";
    check("typescript", text, said, &["export class Ruoter {}\n"], None);
    check(
        "typescript",
        text,
        said,
        &["export class Other {}\n"],
        Some(("change `Ruoter` to `Router`", "import { Router } from \"./a\";\nnew Router(Router);\n")),
    );
    // The missing import has the name.
    let said = "cannot find value `subtotl` in this scope";
    let text = "fn f(subtotal: u8) -> u8 {\n    «subtotl»\n}\n";
    check("rust", text, said, &["use a::subtotl;\nuse b::subtotal;\n", "use c::subtotl;\n"], None);
}

#[test]
fn all_uses_are_changed_if_the_compiler_reports_only_the_first() {
    check(
        "c",
        "int f(int subtotal) {\n  return «subtotl» + a.subtotl + subtotl;\n}\nint g(int subtotl) { return subtotl; }\n",
        "‘subtotl’ undeclared (first use in this function); did you mean ‘subtotal’?",
        &[],
        Some((
            "change `subtotl` to `subtotal`",
            "int f(int subtotal) {\n  return subtotal + a.subtotl + subtotal;\n}\nint g(int subtotl) { return subtotl; }\n",
        )),
    );
}

#[test]
fn report_about_another_text_changes_nothing() {
    check("python", "«import sys»\n\nsys.exit()\n", "`os` imported but unused", &[], None);
    check("python", "def f(subtotal):\n    return «subtota»\n", "Undefined name `subtotl`", &[], None);
}

#[test]
fn quoted_type_is_no_report_of_a_name() {
    let message = "Type 'string | undefined' is not assignable to type 'string'.";
    let text = "function g(strings: string[]) {\n  return strings[0];\n}\n";
    let document = Document::new(DocumentId::new("file:///a"), "typescript", 0, text);
    let at = text.find("return").unwrap();
    assert!(!is_of_other_text(&document, &Problem::new(at..at + 6, message)));
    check("typescript", "const a = «strng»;\nlet string = 1;\n", message, &[], None);
}

#[test]
fn single_offer_of_a_tool_is_applied() {
    check(
        "typescript",
        "a.«balence»;\n",
        "Property 'balence' does not exist on type 'A'. Did you mean 'balance'?",
        &[],
        Some(("change `balence` to `balance`", "a.balance;\n")),
    );
    check(
        "python",
        "«x = a.uper() + upper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\"?",
        &[],
        Some(("change `uper` to `upper`", "x = a.upper() + upper\n")),
    );
    check(
        "python",
        "«a.uper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\" or \"super\"?",
        &[],
        None,
    );
    check("python", "«uper(uper)»\n", "name 'uper' is not defined. Did you mean: 'upper'?", &[], None);
    check(
        "typescript",
        "import { b } from «\"./b\"»;\n",
        "Relative import paths need explicit file extensions in ECMAScript imports. Did you mean './b.js'?",
        &[],
        Some(("change `./b` to `./b.js`", "import { b } from \"./b.js\";\n")),
    );
    check(
        "c",
        "int f(struct a *b) { return b«.»c; }\n",
        "‘b’ is a pointer; did you mean to use ‘->’?",
        &[],
        Some(("change `.` to `->`", "int f(struct a *b) { return b->c; }\n")),
    );
}

#[test]
fn imported_name_is_changed_at_all_uses() {
    check(
        "python",
        "from collections import «OrdredDict»\n\na = OrdredDict()\nb.OrdredDict = 1\n# OrdredDict\n",
        "Module \"collections\" has no attribute \"OrdredDict\"; maybe \"OrderedDict\"?",
        &[],
        Some((
            "change `OrdredDict` to `OrderedDict`",
            "from collections import OrderedDict\n\na = OrderedDict()\nb.OrdredDict = 1\n# OrdredDict\n",
        )),
    );
}

#[test]
fn name_with_another_case_and_another_letter_is_not_changed() {
    let text = "const f = (observable, x) => {\n  return x instanceof «Obseovable» ? observable : x;\n};\n";
    check("typescript", text, "Cannot find name 'Obseovable'. Did you mean 'observable'?", &[], None);
}

#[test]
fn member_of_a_misspelt_variable_is_not_changed() {
    let go = |receiver: &str| {
        format!(
            "package a\n\ntype Client struct {{\n\tMutex int\n}}\n\nfunc f(client Client) int {{\n\t\
             return {receiver}.«mutex»\n}}\n"
        )
    };
    check("go", &go("Client"), "Client.mutex undefined (type Client has no method mutex)", &[], None);
}

#[test]
fn misspelt_import_of_a_library_module_is_corrected() {
    check(
        "python",
        "import heapq\nimport tmie\n\nnow = «time».time()\n",
        "Undefined name `time`",
        &[],
        Some(("import `time` and not `tmie`", "import heapq\nimport time\n\nnow = time.time()\n")),
    );
}

#[test]
fn raised_error_in_the_wrong_case_is_corrected() {
    check(
        "python",
        "def f(a):\n    raise «valueError»(a)\n",
        "\"valueError\" is not defined",
        &[],
        Some(("change `valueError` to `ValueError`", "def f(a):\n    raise ValueError(a)\n")),
    );
    // It may be a variable or a function.
    check("python", "def f(a):\n    return a + «valueError»\n", "\"valueError\" is not defined", &[], None);
    check("python", "def f(a):\n    return «Map»(a)\n", "\"Map\" is not defined", &[], None);
}

#[test]
fn misspelt_declaration_is_changed_though_another_file_has_such_a_member() {
    let text =
        "function f(rest) {\n  const sCheduler = pop(rest);\n  run(«scheduler»);\n  return scheduler;\n}\n";
    let said = "Cannot find name 'scheduler'. Did you mean 'sCheduler'?";
    let field = "class A {\n  scheduler = 1;\n}\n";
    let expected = text.replace("sCheduler", "scheduler").replace(['«', '»'], "");
    let title = "declare `scheduler` and not `sCheduler`";
    check("typescript", text, said, &[field], Some((title, &expected)));
    // The name may be imported.
    check("typescript", text, said, &["export const scheduler = 1;\n"], None);
}

#[test]
fn offer_of_a_static_member_replaces_the_object() {
    let said = "Property 'create' does not exist on type 'Box'. Did you mean to access the static member \
                'Box.create' instead?";
    let code = |object: &str| format!("const a = {object}(1);\n");
    for (object, is_mended) in [("this", true), ("box", true), ("a.box", false), ("f()", false)] {
        let title = format!("change `{object}.create` to `Box.create`");
        let fixed = code("Box.create");
        let expected = is_mended.then_some((title.as_str(), fixed.as_str()));
        check("typescript", &code(&format!("{object}.«create»")), said, &[], expected);
    }
}

#[test]
fn function_that_is_not_written_yet_is_none_of_the_library() {
    let offered = |code: &str, new: &str, is_mended: bool| {
        let old = &code[code.find('«').unwrap() + 2..code.find('»').unwrap()];
        let said = format!("‘{old}’ was not declared in this scope; did you mean ‘{new}’?");
        let marked = format!("void f(V p) {{\n  {code};\n}}\n");
        let fixed = marked.replace(&format!("«{old}»"), new);
        let title = format!("change `{old}` to `{new}`");
        check("cpp", &marked, &said, &[], is_mended.then_some((title.as_str(), &fixed)));
    };
    for (code, new) in [
        ("a += «distance»(p[0], p[1])", "std::distance"),
        ("«rotate»(p, 90)", "std::_V2::rotate"),
        ("«find»(p)", "std::find"),
        ("a = (int)«size»", "std::size"),
        ("«max»(p)", "std::max"),
        ("«move»(p)", "std::move"),
        ("«list» s", "std::list"),
        ("a = «hex»", "std::hex"),
    ] {
        offered(code, new, false);
    }
    for (code, new) in [
        ("«cout» << p", "std::cout"),
        ("a << «endl»", "std::endl"),
        ("a = «max»(p, 1)", "std::max"),
        ("a = «make_unique»<A>(p)", "std::make_unique"),
        ("«string» s", "std::string"),
        ("«vector»<int> s", "std::vector"),
        ("throw «runtime_error»(p)", "std::runtime_error"),
    ] {
        offered(code, new, true);
    }
}
