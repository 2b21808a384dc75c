//! A reply that is one definition of a file, where the whole file was asked for.

use std::ops::Range;

use super::check::{Definition, definitions, is_comment};
use super::normalize::extract::Code;
use super::normalize::label::strip_label;
use super::parse::fence;
use super::{Request, line};
use crate::document::{Document, DocumentId};
use crate::grammar::Grammar;
use crate::text::ident;

/// Returns the lines of the file (bytes) of which the only new code in a reply is another version.
///
/// The code must be one definition, and the file must have exactly one of the same kind and name, or with the same first
/// line. The words before and behind it on its lines must be the same. Attributes and comments above it stay where the reply shows none; the first that
/// it shows must be there.
pub(super) fn lines_to_replace(request: &Request<'_>, reply: &str) -> Option<Range<usize>> {
    let grammar = request.grammar.filter(|it| request.range.is_none() && !it.is_prose())?;
    let mut codes: Vec<String> = fence::blocks(reply).iter().map(|fence| fence.text(reply)).collect();
    if codes.len() > 1 {
        // Quotes of the old code.
        codes.retain(|code| !request.text.contains(code.trim()));
    }
    let [text] = <[String; 1]>::try_from(codes).ok()?;
    let code = strip_label(Code { text, has_end: true }, request).ok()?.text;
    let own = definitions_in(grammar, "", request.text, "");
    // A method alone is no code in some languages.
    let [open, close] = &grammar.facts().class_lines;
    let (old, new) = [("", ""), (open, close)].into_iter().find_map(|(open, close)| {
        let new = definitions_in(grammar, open, &code, close).into_iter().next()?;
        let is_method = has_object(&new, &code);
        let is_same = |it: &&Definition| {
            it.kind == new.kind && it.name == new.name && has_object(it, request.text) == is_method
        };
        let same = own.iter().filter(is_same);
        only_like(same.collect(), request.text, &code[new.span.clone()]).map(|old| (old, new))
    })?;
    let (lines, new_lines) = (whole_lines(request.text, &old.span), whole_lines(&code, &new.span));
    let beside = |text: &str, lines: &Range<usize>, span: &Range<usize>| {
        [text[lines.start..span.start].trim().to_owned(), text[span.end..lines.end].trim().to_owned()]
    };
    let is_alike = beside(request.text, &lines, &old.span) == beside(&code, &new_lines, &new.span);
    if !is_alike || !line::is_blank(&code[new_lines.end..]) {
        return None;
    }
    let start = match line::split_iter(&code[..new_lines.start]).map(str::trim).find(|line| !line.is_empty())
    {
        None => lines.start,
        Some(first) => start_of_leading(&request.text[..lines.start], first)?,
    };
    Some(start..lines.end)
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

/// The start of the attributes and comments directly above a definition, if `first` begins them.
///
/// A comment above a definition without any is new.
fn start_of_leading(above: &str, first: &str) -> Option<usize> {
    let mut start = above.len();
    for line in line::split(above).into_iter().rev() {
        let text = line.trim();
        if !(is_comment(text) || text.starts_with(['@', '#', '[', '*'])) {
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
    fn other_parts_are_refused() {
        // A class that lacks a method, an unknown decorator, code below the definition, an unknown name, a moved string.
        for reply in [
            "class Order:\n    def send(self):\n        post(self.parcel)\n        self.is_sent = True\n",
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
