//! A reply that is one or several definitions of a file, where the whole file was asked for.

use std::ops::Range;

use super::check::{Definition, definitions, is_comment};
use super::normalize::extract::{self, Code};
use super::normalize::label::strip_label;
use super::parse::{fence, prose};
use super::{Request, line, without_thinking};
use crate::document::{Document, DocumentId};
use crate::grammar::Grammar;
use crate::text::ident;

/// The most definitions in one reply: each is judged in its file.
const MOST: usize = 20;

/// A definition of the file and the code that takes its place.
pub(super) struct Replacement {
    /// The whole lines of the old version (bytes of the file).
    pub(super) lines: Range<usize>,
    pub(super) code: String,
}

/// Whether a type in a reply stands for all of it, or only around the members that it shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    Whole,
    Around,
}

/// Returns the definitions of the file of which all new code in a reply is other versions, in the file's order.
///
/// The code must be definitions alone, but for imports that the file has, and the file must have exactly one of the same
/// kind and name as each, or with the same first line. The words before and behind it on its lines must be the same.
/// Attributes and comments above it stay where the reply shows none; the first that it shows must be there.
pub(super) fn replacements(request: &Request<'_>, reply: &str, types: Types) -> Option<Vec<Replacement>> {
    let grammar = request.grammar.filter(|it| request.range.is_none() && !it.is_prose())?;
    let reply = without_thinking(reply).ok()?;
    if fence::blocks(reply).iter().any(|it| !it.closed) {
        return None;
    }
    let fences = extract::offered(reply, request.text, request.grammar);
    let mut codes: Vec<String> = fences.iter().map(|it| it.text(reply)).collect();
    if codes.len() > 1 {
        // Quotes of the old code. What follows the new code and is in the file may be the rest of it.
        let is_quote = |code: &String| request.text.contains(code.trim());
        if codes.last().is_some_and(is_quote) {
            return None;
        }
        codes.retain(|code| !is_quote(code));
    }
    if codes.is_empty() && fence::blocks(reply).is_empty() {
        codes.push(reply.to_owned());
    }
    if codes.is_empty() || codes.len() > MOST || codes.len() > 1 && prose::has_choice(reply) {
        return None;
    }
    let visible = |text: &str| line::split_iter(text).filter(|line| !line::is_blank(line)).count();
    let is_most = matches!(codes.as_slice(), [only] if visible(only) * 2 > visible(request.text));
    let own = definitions_in(grammar, "", request.text, "");
    let mut found = Vec::new();
    for text in codes {
        let code = strip_label(Code { text, has_end: true }, request).ok()?.text;
        let code = if is_most { &code } else { without_known_imports(&code, request.text) };
        found.extend(in_code(request.text, grammar, &own, code, types)?);
    }
    found.sort_by_key(|it| it.lines.start);
    let are_disjoint = found.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start);
    // Most of the file in one fence is meant as all of it.
    (are_disjoint && found.len() <= MOST && !(is_most && found.len() > 1)).then_some(found)
}

/// Code below the imports that it begins with, if the file has each of them.
fn without_known_imports<'c>(code: &'c str, file: &str) -> &'c str {
    const WORDS: [&str; 6] = ["#include ", "from ", "import ", "package ", "use ", "using "];
    let mut rest = code;
    while let Some(line) = line::split_iter(rest).next() {
        let is_import = WORDS.iter().any(|word| line.starts_with(word));
        let is_known = || line::split_iter(file).any(|it| it.trim_end() == line.trim_end());
        if !(line::is_blank(line) || is_import && is_known()) {
            break;
        }
        rest = &rest[line.len()..];
    }
    rest
}

/// The replacements in some code, if it holds nothing else.
fn in_code(
    file: &str,
    grammar: &Grammar,
    own: &[Definition],
    code: &str,
    types: Types,
) -> Option<Vec<Replacement>> {
    // A method alone is no code in some languages.
    let [open, close] = &grammar.facts().class_lines;
    [("", ""), (open, close)].into_iter().find_map(|(open, close)| {
        let (mut found, mut start) = (Vec::new(), 0);
        for new in definitions_in(grammar, open, code, close) {
            // A member is replaced with its type.
            if new.span.start < start {
                continue;
            }
            if types == Types::Around && !new.is_callable() {
                start = head_of_type(file, own, code, &new, start)?;
                continue;
            }
            let end = whole_lines(code, &new.span).end;
            let span = new.span.start - start..new.span.end - start;
            let (code, name) = (&code[start..end], new.name);
            found.push(in_place(file, own, code, &Definition { name, kind: new.kind, span })?);
            start = end;
        }
        let rest = code[start..].trim();
        let is_end =
            rest.is_empty() || types == Types::Around && rest.chars().all(|sign| "};) \n\r\t".contains(sign));
        (!found.is_empty() && is_end).then_some(found)
    })
}

/// The end of the first line of a type in some code, if the file has that line, and the type in the file's text the
/// members that are shown.
fn head_of_type(file: &str, own: &[Definition], code: &str, new: &Definition, start: usize) -> Option<usize> {
    let lines = whole_lines(code, &new.span);
    let head = line::split_iter(&code[lines.start..]).next()?;
    let is_same = |it: &&Definition| {
        it.kind == new.kind
            && it.name == new.name
            && line::first_partial(&file[it.span.clone()]).trim() == head.trim()
    };
    let has_one = own.iter().filter(is_same).count() == 1;
    (has_one && line::is_blank(&code[start..lines.start])).then_some(lines.start + head.len())
}

/// The lines of the definition of which some code is another version.
fn in_place(file: &str, own: &[Definition], code: &str, new: &Definition) -> Option<Replacement> {
    let is_method = has_object(new, code);
    let is_same =
        |it: &&Definition| it.kind == new.kind && it.name == new.name && has_object(it, file) == is_method;
    let old = only_like(own.iter().filter(is_same).collect(), file, &code[new.span.clone()])?;
    // In some languages, annotations belong to the definition.
    let has_annotation = is_annotation(&code[new.span.clone()]);
    let span = if has_annotation { old.span.clone() } else { without_annotations(file, &old.span) };
    let (lines, new_lines) = (whole_lines(file, &span), whole_lines(code, &new.span));
    let beside = |text: &str, lines: &Range<usize>, span: &Range<usize>| {
        [text[lines.start..span.start].trim().to_owned(), text[span.end..lines.end].trim().to_owned()]
    };
    if beside(file, &lines, &span) != beside(code, &new_lines, &new.span) {
        return None;
    }
    let above = line::split_iter(&code[..new_lines.start]).map(str::trim);
    let leading: Vec<&str> = above.filter(|line| !line.is_empty()).collect();
    if !leading.iter().all(|line| is_leading(line)) {
        return None;
    }
    let start = match leading.first() {
        None => lines.start,
        Some(first) => start_of_leading(&file[..lines.start], first)?,
    };
    Some(Replacement { lines: start..lines.end, code: code.to_owned() })
}

/// The definitions of some code, which may be parsed between two lines.
fn definitions_in(grammar: &Grammar, open: &str, code: &str, close: &str) -> Vec<Definition> {
    let text = if open.is_empty() { code.to_owned() } else { format!("{open}\n{code}\n{close}") };
    let start = if open.is_empty() { 0 } else { open.len() + 1 };
    let document = Document::new(DocumentId::new(""), grammar.id(), 0, &text);
    let mut found = definitions(&document, &text, &(start..start + code.len()));
    for it in &mut found {
        it.span = it.span.start - start..it.span.end - start;
    }
    found
}

/// The only one of some definitions of a name, or the only one that begins with the same line as the new code.
fn only_like<'d>(mut same: Vec<&'d Definition>, text: &str, new: &str) -> Option<&'d Definition> {
    if same.len() > 1 {
        same.retain(|it| line::first_partial(&text[it.span.clone()]) == line::first_partial(new));
    }
    <[_; 1]>::try_from(same).ok().map(|[only]| only)
}

/// Whether a callable names its object among its parameters. A function without is no other version of a method.
fn has_object(definition: &Definition, text: &str) -> bool {
    let head = text[definition.span.clone()].split_once(')').map_or("", |(head, _)| head);
    definition.is_callable() && ident::has_word(head, "self")
}

fn whole_lines(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    start..span.end + line::first_partial(&text[span.end..]).len()
}

/// Whether a line above a definition belongs to it: a comment, or an attribute.
fn is_leading(line: &str) -> bool {
    let is_string = line.starts_with(['"', '\'']);
    !is_string && (is_comment(line) || line.starts_with(['@', '#', '[', '*']))
}

fn is_annotation(line: &str) -> bool {
    line.starts_with(['@', '#'])
}

/// The bytes of a definition below the annotations that it begins with, each on a line.
fn without_annotations(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = span.start;
    while is_annotation(&text[start..span.end]) {
        let line = line::first_partial(&text[start..span.end]);
        let next = start + line.len();
        let rest = &text[next..span.end];
        if !line.trim_end().ends_with([')', ']']) && line.trim_end().contains(['(', '[']) || rest.is_empty() {
            break;
        }
        start = span.end - rest.trim_start().len();
    }
    start..span.end
}

/// The start of the attributes and comments directly above a definition, if `first` begins them.
///
/// A comment above a definition without any is new.
fn start_of_leading(above: &str, first: &str) -> Option<usize> {
    let mut start = above.len();
    for line in line::split(above).into_iter().rev() {
        let text = line.trim();
        if !is_leading(text) {
            return (start == above.len() && is_comment(first)).then_some(start);
        }
        start -= line.len();
        if text == first {
            return Some(start);
        }
    }
    None
}

#[cfg(test)]
mod tests {
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
        let request =
            Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
        let outcome = match accept(&request, &format!("Here it is:\n\n```python\n{reply}```\n")) {
            Ok(accepted) => apply(FILE, &accepted.edits),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, FILE.replace(old, new), "{reply}");
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
        check(
            "rust",
            rust,
            "impl B for A {\n    fn d() -> u8 {\n        3\n    }\n}\n",
            &rust.replace('2', "3"),
        );
    }

    #[test]
    fn several_definitions_in_one_fence_or_in_several() {
        let sent = "    def send(self):\n        post(self.address, self.parcel)\n        self.is_sent = bool(self)\n";
        let main = "def main():\n    cart = Cart()\n    cart.empty()\n";
        let request =
            Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
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
        let request =
            Request { text: FILE, grammar: grammar::by_language_id("python"), ..Request::default() };
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
        let request =
            Request { text: &file, grammar: grammar::by_language_id("python"), ..Request::default() };
        let judged = |code: &str| {
            accept(&request, &format!("```python\n{code}```\n")).map(|it| apply(&file, &it.edits))
        };
        assert_eq!(judged(&raw("    ", "two")), Ok(file.replace("one", "two")));
        assert_eq!(judged(&raw("", "two")), Ok(file.replace("one", "two")));
        assert!(judged(&raw("", "    two").replace("\n\"", "\n    \"")).is_err());
    }
}
