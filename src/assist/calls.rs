//! Matches the parameters of functions with the arguments of calls.

use tree_sitter::Node;

/// Levels between the name of a definition and the node that has its parameters.
const LEVELS: usize = 3;
/// Decorators that leave the parameters as they are.
const PLAIN_DECORATORS: [&str; 6] =
    ["staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "override", "typing.override"];

/// What a function requires of its callers: arguments, an `await`, handling of the returned value.
///
/// Types, defaults and the names of positional parameters do not matter to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    parameters: Vec<Parameter>,
    /// Whether it accepts any number of further positional arguments; `takes_more_names`: keyword arguments.
    takes_more: bool,
    takes_more_names: bool,
    /// Whether the receiver is the first argument of a call by path, as in Rust.
    has_receiver: bool,
    pub(super) is_async: bool,
    pub(super) returns: ReturnKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    /// The keyword that names it; `None` if it is positional only.
    name: Option<String>,
    is_positional: bool,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnKind {
    /// One value, or unknown.
    Value,
    /// A `Result` or an `Option`, which has to be unwrapped.
    Wrapped,
    /// This number of results, as in Go.
    Results(usize),
}

impl Signature {
    /// The signature of the function with this name; `None` if it has no parameters or a decorator may change them.
    pub(super) fn of(name: Node<'_>, text: &str) -> Option<Self> {
        let function =
            std::iter::successors(name.parent(), Node::parent).take(LEVELS).find_map(function_in)?;
        let parameters = function
            .child_by_field_name("parameters")
            .or_else(|| function.child_by_field_name("parameter"))?;
        let mut signature = Self {
            parameters: Vec::new(),
            takes_more: false,
            takes_more_names: false,
            has_receiver: false,
            is_async: is_async(function, text),
            returns: return_kind(function, text),
        };
        if parameters.kind() == "identifier" {
            // `a => …` in JavaScript, where no argument is required.
            signature.takes_more = true;
            return Some(signature);
        }
        let is_free = match decorators(function, text) {
            Some(decorators) => decorators.contains(&"staticmethod") || !is_method(function),
            None => return None,
        };
        signature.read(parameters, text);
        let has_object = parameters.kind() == "parameters" && function.kind() == "function_definition";
        if has_object && !is_free && !signature.parameters.is_empty() {
            signature.parameters.remove(0);
        }
        Some(signature)
    }

    fn read(&mut self, parameters: Node<'_>, text: &str) {
        let mut is_positional = true;
        let mut cursor = parameters.walk();
        for node in parameters.named_children(&mut cursor) {
            let field = |name| node.child_by_field_name(name);
            let inner = |kind: &str| {
                let mut cursor = node.walk();
                node.children(&mut cursor).any(|it| it.kind() == kind)
            };
            let is_script = parameters.kind() == "formal_parameters";
            match node.kind() {
                "comment" | "line_comment" | "block_comment" | "attribute_item" | "receiver_parameter" => {}
                "positional_separator" => self.parameters.iter_mut().for_each(|it| it.name = None),
                "keyword_separator" => is_positional = false,
                "list_splat_pattern" => (self.takes_more, is_positional) = (true, false),
                "dictionary_splat_pattern" => self.takes_more_names = true,
                "typed_parameter" if inner("list_splat_pattern") => {
                    (self.takes_more, is_positional) = (true, false);
                }
                "typed_parameter" if inner("dictionary_splat_pattern") => self.takes_more_names = true,
                "self_parameter" => self.has_receiver = true,
                "variadic_parameter_declaration"
                | "variadic_parameter"
                | "spread_parameter"
                | "rest_pattern" => {
                    self.takes_more = true;
                }
                // TypeScript's; JavaScript parameters are never required.
                "required_parameter" | "optional_parameter" if is_script => {
                    let pattern = field("pattern").or_else(|| field("name"));
                    match pattern.map(|it| it.kind()) {
                        Some("this") => {}
                        Some("rest_pattern") => self.takes_more = true,
                        _ => self.parameters.push(Parameter {
                            name: None,
                            is_positional,
                            is_required: node.kind() == "required_parameter" && field("value").is_none(),
                        }),
                    }
                }
                "formal_parameter" | "parameter" => self.one(None, true),
                "parameter_declaration" => {
                    let mut cursor = node.walk();
                    let names = node.children_by_field_name("name", &mut cursor).count();
                    (0..names.max(1)).for_each(|_| self.one(None, true));
                }
                "identifier" | "typed_parameter" | "default_parameter" | "typed_default_parameter"
                    if !is_script =>
                {
                    let name = field("name").or_else(|| node.named_child(0)).unwrap_or(node);
                    let name = if node.kind() == "identifier" { node } else { name };
                    let is_required = !node.kind().contains("default");
                    let name = Some(text[name.byte_range()].to_owned());
                    self.parameters.push(Parameter { name, is_positional, is_required });
                }
                // Patterns and defaults in JavaScript, and unnamed types in Rust.
                _ if is_script => self.takes_more = true,
                _ => self.one(None, true),
            }
        }
    }

    fn one(&mut self, name: Option<String>, is_required: bool) {
        self.parameters.push(Parameter { name, is_positional: true, is_required });
    }

    /// Whether a call's arguments fit the parameters; true if they cannot be counted.
    pub(super) fn fits(&self, call: &Call<'_>) -> bool {
        let places = match (call.is_path && self.has_receiver, call.positional_args) {
            (true, Some(0)) | (_, None) => return true,
            (true, Some(places)) => places - 1,
            (false, Some(places)) => places,
        };
        let by_place = self.parameters.iter().filter(|it| it.is_positional).count();
        if places > by_place && !self.takes_more {
            return false;
        }
        let is_named =
            |it: &Parameter| it.name.as_ref().is_some_and(|name| call.names.contains(&name.as_str()));
        let is_taken = |name: &&str| self.parameters.iter().any(|it| it.name.as_deref() == Some(*name));
        if !self.takes_more_names && !call.names.iter().all(is_taken) {
            return false;
        }
        let mut left = places;
        self.parameters.iter().all(|it| {
            let is_given = it.is_positional && left > 0;
            left -= usize::from(is_given);
            !it.is_required || is_given || is_named(it)
        })
    }
}

/// The function that a node defines, if any.
fn function_in(node: Node<'_>) -> Option<Node<'_>> {
    let has_parameters = |node: &Node<'_>| {
        node.child_by_field_name("parameters").is_some() || node.child_by_field_name("parameter").is_some()
    };
    let value = || ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
    Some(node).filter(has_parameters).or_else(|| value().filter(has_parameters))
}

/// The decorators of a function; `None` if one of them may change its parameters.
fn decorators<'a>(function: Node<'_>, text: &'a str) -> Option<Vec<&'a str>> {
    let Some(around) = function.parent().filter(|it| it.kind() == "decorated_definition") else {
        return Some(Vec::new());
    };
    let mut cursor = around.walk();
    let decorators = around.children(&mut cursor).filter(|it| it.kind() == "decorator");
    decorators
        .map(|it| text[it.byte_range()].trim_start_matches('@').trim())
        .map(|it| PLAIN_DECORATORS.contains(&it).then_some(it))
        .collect()
}

/// Whether a function is a method of a class.
fn is_method(function: Node<'_>) -> bool {
    let around = std::iter::successors(function.parent(), Node::parent);
    let mut around = around.filter(|it| !matches!(it.kind(), "decorated_definition" | "block"));
    around.next().is_some_and(|it| it.kind().contains("class"))
}

fn is_async(function: Node<'_>, text: &str) -> bool {
    let mut cursor = function.walk();
    let mut heads = function.children(&mut cursor).take_while(|it| it.kind() != "parameters");
    heads.any(|it| {
        it.kind() == "async" || it.kind() == "function_modifiers" && text[it.byte_range()].contains("async")
    })
}

fn return_kind(function: Node<'_>, text: &str) -> ReturnKind {
    if function.kind() == "function_item" {
        let given = function.child_by_field_name("return_type").map(|it| &text[it.byte_range()]);
        let name = given.unwrap_or_default().split('<').next().unwrap_or_default().trim();
        let is_wrapped = name.ends_with("Result") || name.ends_with("Option");
        return if is_wrapped { ReturnKind::Wrapped } else { ReturnKind::Value };
    }
    if !matches!(function.kind(), "function_declaration" | "method_declaration") {
        return ReturnKind::Value;
    }
    match function.child_by_field_name("result") {
        Some(results) if results.kind() == "parameter_list" => {
            let mut cursor = results.walk();
            let counts =
                results.named_children(&mut cursor).filter(|it| it.kind() == "parameter_declaration");
            let count = |it: Node<'_>| it.children_by_field_name("name", &mut it.walk()).count().max(1);
            ReturnKind::Results(counts.map(count).sum())
        }
        results => ReturnKind::Results(usize::from(results.is_some())),
    }
}

/// A call of a function by its name.
#[derive(Debug)]
pub(super) struct Call<'t> {
    /// The whole call; only the name if the call is among the tokens of a macro.
    pub(super) node: Node<'t>,
    /// The receiver or path before the name: `a` of `a.f()`, `a::b` of `a::b::f()`.
    pub(super) receiver: Option<Node<'t>>,
    /// The number of positional arguments; `None` if they cannot be counted.
    positional_args: Option<usize>,
    /// The names of keyword arguments.
    names: Vec<&'t str>,
    /// Whether the receiver is a path of names.
    pub(super) is_path: bool,
}

impl<'t> Call<'t> {
    /// The call of the function with this name, if it is a call.
    pub(super) fn of(name: Node<'t>, text: &'t str) -> Option<Self> {
        let mut callee = name;
        let (mut receiver, mut is_path) = (None, false);
        loop {
            let above = callee.parent()?;
            let is = |field| above.child_by_field_name(field) == Some(callee);
            let first = |fields: &[&str]| fields.iter().find_map(|field| above.child_by_field_name(field));
            match above.kind() {
                "token_tree" => return Self::among_tokens(name, text),
                "call" | "call_expression" if is("function") => {
                    return Some(Self { receiver, is_path, ..Self::given(above, text) });
                }
                "method_invocation" if is("name") => {
                    let receiver = above.child_by_field_name("object");
                    return Some(Self { receiver, ..Self::given(above, text) });
                }
                "attribute" | "member_expression" | "selector_expression" | "field_expression"
                    if is("attribute") || is("property") || is("field") =>
                {
                    receiver = first(&["object", "operand", "value"]);
                }
                "scoped_identifier" if is("name") => {
                    (receiver, is_path) = (above.child_by_field_name("path"), true);
                }
                "generic_function" if is("function") => {}
                _ => return None,
            }
            callee = above;
        }
    }

    fn given(node: Node<'t>, text: &'t str) -> Self {
        let mut call =
            Self { node, receiver: None, positional_args: Some(0), names: Vec::new(), is_path: false };
        let Some(arguments) = node.child_by_field_name("arguments") else {
            return Self { positional_args: None, ..call };
        };
        if !arguments.kind().contains("argument") {
            // A template, or a generator.
            let is_generator = arguments.kind() == "generator_expression";
            return Self { positional_args: is_generator.then_some(1), ..call };
        }
        let mut cursor = arguments.walk();
        let mut places = 0;
        let mut is_counted = !arguments.has_error();
        for argument in arguments.named_children(&mut cursor) {
            match argument.kind() {
                kind if kind.contains("comment") => {}
                kind if kind.contains("splat") || kind.contains("spread") || kind.contains("variadic") => {
                    is_counted = false;
                }
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name");
                    call.names.extend(name.map(|name| &text[name.byte_range()]));
                }
                _ => places += 1,
            }
        }
        // In Go, all results of a call can be passed as arguments.
        let is_one_call = arguments.kind() == "argument_list"
            && node.kind() == "call_expression"
            && places == 1
            && arguments.named_child(0).is_some_and(|it| it.kind() == "call_expression");
        call.positional_args = (is_counted && !is_one_call).then_some(places);
        call
    }

    /// A call among the tokens of a macro: arguments are counted by their commas.
    fn among_tokens(name: Node<'t>, text: &'t str) -> Option<Self> {
        let arguments = name.next_sibling().filter(|it| text[it.byte_range()].starts_with('('))?;
        let before = name.prev_sibling();
        let mark = before.filter(|it| matches!(it.kind(), "." | "::"));
        let (mut places, mut is_empty, mut is_counted) = (0, true, true);
        let mut cursor = arguments.walk();
        let inner = arguments.children(&mut cursor).filter(|it| !matches!(it.kind(), "(" | ")"));
        for token in inner {
            match &text[token.byte_range()] {
                "," => (places, is_empty) = (places + usize::from(!is_empty), true),
                "|" | "<" | "$" => is_counted = false,
                _ => is_empty = false,
            }
        }
        places += usize::from(!is_empty);
        Some(Self {
            node: name,
            receiver: mark.and_then(|mark| mark.prev_sibling()),
            positional_args: is_counted.then_some(places),
            names: Vec::new(),
            is_path: mark.is_some_and(|mark| mark.kind() == "::"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{self, QueryKind};

    /// Checks which calls of `f` fit its signature, as `+` and `-`.
    #[track_caller]
    fn check(language: &str, text: &str, expected: &str) {
        let grammar = grammar::by_language_id(language).unwrap();
        let tree = grammar.parse_str(text).unwrap();
        let all = |kind| {
            let found = grammar.matches(kind, tree.root_node(), 0..text.len(), text.as_bytes());
            let names = found.into_iter().filter_map(|it| it.name);
            names.filter(|it| &text[it.byte_range()] == "f").collect::<Vec<_>>()
        };
        let signature = Signature::of(all(QueryKind::Definitions)[0], text).unwrap();
        let calls = all(QueryKind::References).into_iter().filter_map(|it| Call::of(it, text));
        let shown: String = calls.map(|call| if signature.fits(&call) { '+' } else { '-' }).collect();
        assert_eq!(shown, expected, "{signature:?}");
    }

    #[test]
    fn calls_are_held_against_the_parameters() {
        check(
            "python",
            "def f(a, b=1, *, c, d=2): ...\nf(1, c=1)\nf(1, 2, c=1)\nf(1, 2, 3, c=1)\nf(1)\nf(b=1, a=2, c=3)\nf(1, c=1, e=1)\nf(*x)\nf(x for x in y)\n",
            "++--+-+-",
        );
        check(
            "python",
            "def f(a, /, b, *c, **d): ...\nf(1)\nf(1, 2, 3)\nf(1, b=2, z=3)\nf(a=1, b=2)\n",
            "-++-",
        );
        check("python", "class A:\n    def f(self, a): ...\n\nA().f(1)\nA().f()\nA().f(1, 2)\n", "+--");
        check(
            "typescript",
            "function f(a: A, b?: B, c = 1, ...d: D[]) {}\nf();\nf(1);\nf(1, 2, 3, 4);\nf(...x);\n",
            "-+++",
        );
        check("typescript", "const f = (this: T, a: A): void => {};\nf();\nf(1);\nf(1, 2);\n", "-+-");
        check("javascript", "function f(a, b) {}\nf();\nf(1);\nf(1, 2, 3);\n", "+++");
        check(
            "rust",
            "impl A {\n    fn f(&self, a: u8) {}\n}\nfn g() {\n    a.f(1);\n    a.f();\n    A::f(a, 1);\n    A::f(a);\n    assert!(a.f(1) == a.f(), \"{}\", A::f(a, g(1, 2)));\n}\n",
            "+-+-+-+",
        );
        check(
            "go",
            "package a\n\nfunc f(a, b int, c ...string) {}\n\nfunc g() {\n\tf(1)\n\tf(1, 2)\n\tf(1, 2, \"\", \"\")\n\tf(g())\n}\n",
            "-+++",
        );
        check("java", "class A {\n  void f(int a, int b) {}\n  void g() { f(1); this.f(1, 2); }\n}\n", "-+");
    }
}
