//! Methods that slide out of their type, in languages where only the column says what they are in.

use std::collections::HashSet;

use super::comparison::{Comparison, Version};
use crate::edit::line;
use crate::grammar::QueryKind;

/// The first line of a method that the new text has unchanged, but as a function of the file.
///
/// A type that is left out as a whole is judged elsewhere. A method that is moved out of its type on purpose loses the
/// parameter that stands for the object, so that its first line changes.
pub(super) fn method(compared: &Comparison<'_>) -> Option<String> {
    let [methods, new_methods] = [&compared.before, &compared.after].map(|it| heads(it, "method"));
    let gone = || methods.iter().filter(|head| !new_methods.contains(*head));
    gone().next().filter(|_| !new_methods.is_empty())?;
    let functions = heads(&compared.after, "function");
    gone().filter(|head| functions.contains(*head)).min().map(|head| (*head).to_owned())
}

/// The first lines of the definitions of a kind, without their indentation; those of functions that have none.
fn heads<'t>(version: &Version<'t>, kind: &str) -> HashSet<&'t str> {
    let text = version.text;
    let found = version.document().matches(QueryKind::Definitions, 0..text.len());
    let found = found.into_iter().filter(|it| it.kind == kind).map(|it| it.node.start_byte());
    let is_outermost = |at: &usize| kind != "function" || text[..*at].ends_with(['\n', '\r']) || *at == 0;
    found.filter(is_outermost).map(|at| line::body(line::first_partial(&text[at..]))).collect()
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept};
    use crate::grammar;

    #[test]
    fn methods_stay_in_their_type() {
        let file = "class A:\n    def b(self):\n        return self.c\n\n    def d(self):\n        return 1\n\n\ndef e():\n    return A()\n";
        let check = |new: &str, is_sound: bool| {
            let request =
                Request { text: file, grammar: grammar::by_language_id("python"), ..Request::default() };
            let judged = accept(&request, &format!("```python\n{new}```\n"));
            assert_eq!(judged.is_ok(), is_sound, "{new}: {judged:?}");
        };
        let method = "    def d(self):\n        return 1\n";
        check(&file.replace(method, "def d(self):\n    return 1\n"), false);
        check(&file.replace(method, "    def d(self):\n        return 2\n"), true);
        check(&file.replace(method, "def d(a):\n    return 1\n"), true);
    }
}
