//! Determines the role of a name at a position: declared, a member, a key, or plain.
//!
//! A name has a role only where a whole node of the tree is that name, and where that node stands for a variable, a
//! function, a type or a member. Labels, attributes of markup, symbols, the words of a shell command and text have
//! none, whatever they are called.

use std::ops::Range;

use tree_sitter::Node;

use super::object;
use super::place::named;
use crate::document::Document;
use crate::edit::names::declares_within;
use crate::grammar::Grammar;
use crate::local::walk::Walk;
use crate::text::ident::{is_part, last_partial, occurrences};

/// The role of a name at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum Role {
    /// A declaration.
    Declared,
    /// `receiver.name`; `of_self` if the receiver is the object itself.
    Member { of_self: bool },
    /// `path::name`.
    InPath,
    /// The key of a literal, or the name of an argument.
    Key,
    /// Shorthand: both a field's name and the variable with its value.
    Short,
    /// Interpolated in a string: `"{name}"`.
    Shown,
    /// With a mark of its own: `@name`, `#name`.
    Marked,
    /// A plain name.
    Plain,
}

/// What a name stands for where languages keep things of one name apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// A variable with a mark: `$name`.
    Variable,
    /// A function, where a variable may have the same name.
    Function,
    /// A type, or the beginning of a path.
    Type,
    Macro,
    /// Anything else that has a value.
    Value,
    /// Whatever an import brings in.
    Any,
}

impl Space {
    /// Whether a name here may stand for what is declared in `declared`.
    pub(super) fn may_be(self, declared: Self) -> bool {
        self == declared || declared == Self::Any || declared == Self::Type && self == Self::Value
    }
}

/// Determines the role of a name at successive positions; fastest in ascending order.
pub(in crate::local) struct Roles<'d, 't> {
    document: &'d Document,
    text: &'t str,
    name: &'t str,
    walk: Option<Walk<'d>>,
    /// The declarations of the name in the searched part.
    declared: Vec<usize>,
    /// The number of bytes searched for declarations.
    searched: usize,
}

impl<'d, 't> Roles<'d, 't> {
    /// Blocks on the parse.
    pub(in crate::local) fn new(document: &'d Document, text: &'t str, name: &'t str) -> Self {
        let walk = Walk::new(document);
        Self { document, text, name, walk, declared: Vec::new(), searched: 0 }
    }

    /// Whether the name is declared at a byte.
    pub(in crate::local) fn is_declared(&mut self, at: usize) -> bool {
        self.at(at) == Some(Role::Declared)
    }

    /// The role of the name at a byte; `None` in prose, and where it is no name of code.
    pub(in crate::local) fn at(&mut self, at: usize) -> Option<Role> {
        let (before, after) = (&self.text[..at], &self.text[at + self.name.len()..]);
        let facts = self.document.grammar().map(Grammar::facts);
        let walk = self.walk.as_mut()?;
        walk.go_to(at);
        if walk.is_prose() {
            let is_shown = facts.is_some_and(|facts| facts.brace_placeholders) && is_formatted(walk);
            return (is_shown && is_placeholder(before, after)).then_some(Role::Shown);
        }
        let whole = at..at + self.name.len();
        let node = named(walk);
        let parent = walk.around().skip_while(|it| *it != node).nth(1)?;
        let around = || walk.around().skip_while(|it| *it != node).skip(1);
        let leaf = walk.node();
        if leaf.byte_range() != whole {
            return is_marked(leaf, &whole).then(|| match leaf.kind() {
                "private_property_identifier" if parent.kind() != "member_expression" => Role::Declared,
                _ => Role::Marked,
            });
        }
        if !is_name_kind(leaf.kind()) || has_other_meaning(walk, before, after, self.name) {
            return None;
        }
        if node.kind().contains("shorthand") || parent.kind().starts_with("shorthand") {
            let pattern = node.kind().contains("pattern")
                || parent.kind().contains("pattern")
                || parent.kind().starts_with("object_assignment");
            return Some(if pattern { Role::Declared } else { Role::Short });
        }
        if node.kind() == "hash_key_symbol" {
            let is_alone = parent.kind() == "pair" && parent.named_child_count() == 1;
            return Some(if is_alone { Role::Short } else { Role::Key });
        }
        if parent.kind() == "anonymous_object_creation_expression" {
            let is_named = after.trim_start().starts_with('=') && !after.trim_start().starts_with("==");
            let is_value = before.trim_end().ends_with('=');
            return Some(match (is_named, is_value) {
                (true, _) => Role::Key,
                (_, true) => Role::Plain,
                _ => Role::Short,
            });
        }
        let is_variable = node.kind() == "variable_name";
        let lead = lead(before, self.document.grammar().map_or(&[], |it| &it.comments().line));
        if lead.ends_with("::") || is_variable && parent.kind().starts_with("scoped") {
            return Some(Role::InPath);
        }
        let arrow = facts.is_some_and(|facts| facts.arrow_members);
        let receiver = lead
            .strip_suffix("?.")
            .or_else(|| lead.strip_suffix('.'))
            .or_else(|| lead.strip_suffix("->").filter(|_| arrow))
            .filter(|receiver| !receiver.ends_with('.') && !is_variable);
        if let Some(receiver) = receiver {
            let of_self =
                ["self", "this", "cls"].contains(&last_partial(receiver.trim_end_matches(['?', '!', '&'])));
            return Some(Role::Member { of_self });
        }
        if parent.kind() == "method_index_expression" && parent.child_by_field_name("method") == Some(node) {
            return Some(Role::Member { of_self: before.ends_with("self:") });
        }
        if parent.kind() == "token_tree" && object::is_member_of_tokens(node, before, after) {
            return Some(if is_key_of_tokens(after) { Role::Key } else { Role::Short });
        }
        match object::member(walk, self.text) {
            Some(object::Place::Key) => return Some(Role::Key),
            Some(object::Place::OfSelf) => return Some(Role::Member { of_self: true }),
            None => {}
        }
        if leaf.kind() == "property_identifier" {
            let kind = parent.kind();
            let is_declared =
                kind.ends_with("_definition") || kind.ends_with("_signature") || kind.starts_with("enum_");
            return is_declared.then_some(Role::Declared);
        }
        if leaf.kind() == "word" {
            return Some(if parent.kind() == "function_definition" { Role::Declared } else { Role::Plain });
        }
        if leaf.kind() == "implicit_parameter" || is_loop_variable(node, around()) {
            return Some(Role::Declared);
        }
        // A type's name beside a parameter is not a new name.
        let is_type = node.kind() == "type_identifier"
            && (parent.child_by_field_name("name") != Some(node) || parent.kind() == "generic_type");
        // These only look like declarations: the name already exists.
        let again = is_type
            || is_value(node, parent)
            || (parent.kind().contains("assignment_expr") && !is_variable)
            || parent.kind().contains("operator_assignment")
            || parent.kind().contains("augmented")
            || (parent.kind().ends_with("_expression")
                && !parent.kind().contains("function")
                && !is_variable)
            || parent.kind().contains("invocation")
            || ["annotation", "attribute", "field", "marker_annotation", "pair"].contains(&parent.kind())
            || parent.kind().ends_with("_specifier") && parent.child_by_field_name("body").is_none();
        let is_let = parent.kind() == "token_tree" && ["let", "mut"].contains(&last_partial(lead));
        if is_let {
            return Some(Role::Declared);
        }
        if again || !is_declaration(walk) {
            return Some(Role::Plain);
        }
        match assignment(around()) {
            // The names exist already where others are declared with a word of their own.
            Some(Assignment::Plain) => return Some(Role::Plain),
            Some(Assignment::First) => {
                let function = walk.function().map(|it| it.byte_range());
                let is_again = function.is_some_and(|scope| self.is_declared_before(at, &scope));
                return Some(if is_again { Role::Plain } else { Role::Declared });
            }
            None => {}
        }
        Some(Role::Declared)
    }

    /// Whether the name at a byte is assigned to in a way that also declares it if nothing else does.
    pub(super) fn is_assigned(&mut self, at: usize) -> bool {
        let Some(walk) = self.walk.as_mut() else { return false };
        walk.go_to(at);
        let node = named(walk);
        let around = || walk.around().skip_while(|it| *it != node).skip(1);
        is_loop_variable(node, around()) || assignment(around()) == Some(Assignment::First)
    }

    /// What the name at a byte can stand for.
    pub(super) fn space(&mut self, at: usize) -> Space {
        let Some(walk) = self.walk.as_mut() else { return Space::Value };
        walk.go_to(at);
        space(walk, &self.text[at + self.name.len()..])
    }

    /// The nodes around a byte.
    pub(super) fn walk_to(&mut self, at: usize) -> Option<&Walk<'d>> {
        let walk = self.walk.as_mut()?;
        walk.go_to(at);
        Some(walk)
    }

    /// Whether a function assigns to the name earlier (for languages without declarations).
    fn is_declared_before(&mut self, at: usize, function: &Range<usize>) -> bool {
        let Some(walk) = self.walk.as_mut().filter(|_| self.searched < at) else {
            return self.has_declared(at, function);
        };
        for place in occurrences(&self.text[self.searched..at], self.name) {
            walk.go_to(self.searched + place);
            if is_declaration(walk) {
                self.declared.push(self.searched + place);
            }
        }
        self.searched = at;
        self.has_declared(at, function)
    }

    fn has_declared(&self, at: usize, function: &Range<usize>) -> bool {
        let before = self.declared.partition_point(|it| *it < at);
        before.checked_sub(1).is_some_and(|last| self.declared[last] >= function.start)
    }
}

/// The code before a name, without the blanks and the comment lines right before it: a sentence there ends with a dot,
/// too. `tokens` begin comments.
fn lead<'b>(before: &'b str, tokens: &[String]) -> &'b str {
    let mut lead = before.trim_end();
    while before[lead.len()..].contains('\n') {
        let start = lead.rfind('\n').map_or(0, |at| at + 1);
        let comment = tokens.iter().filter_map(|token| lead[start..].find(token.as_str())).min();
        let Some(comment) = comment else { break };
        lead = lead[..start + comment].trim_end();
    }
    lead
}

/// Whether a name is in a declaring position of its language.
fn is_declaration(walk: &Walk<'_>) -> bool {
    let node = named(walk);
    declares_within(node, walk.around().skip_while(|it| *it != node).skip(1))
}

/// What an assignment does to a name that nothing declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assignment {
    /// The first one declares it.
    First,
    /// Nothing: others declare names.
    Plain,
}

/// The assignment to a name, given the nodes around it.
fn assignment<'t>(around: impl Iterator<Item = Node<'t>>) -> Option<Assignment> {
    let around: Vec<Node<'t>> = around.take(4).collect();
    let is_list = |it: &&Node<'t>| {
        let kind = it.kind();
        (kind.contains("list") || kind.contains("pattern")) && !kind.contains("comprehension")
    };
    let at = around.iter().take_while(is_list).count();
    if !around.get(at)?.kind().contains("assignment") {
        return None;
    }
    let outer = around.get(at + 1).map_or("", |it| it.kind());
    match around[at].kind() {
        "assignment" | "variable_assignment" | "assignment_expression" => Some(Assignment::First),
        // Go has `:=` for this; Lua's globals have nothing.
        "assignment_statement" if around[at].child_by_field_name("left").is_some() => Some(Assignment::Plain),
        "assignment_statement" if outer == "chunk" => Some(Assignment::First),
        "assignment_statement" if outer != "variable_declaration" => Some(Assignment::Plain),
        _ => None,
    }
}

/// Whether a loop of PHP or of a shell assigns to a variable.
fn is_loop_variable<'t>(node: Node<'t>, around: impl Iterator<Item = Node<'t>>) -> bool {
    let around: Vec<Node<'t>> = around.take(2).collect();
    node.kind() == "variable_name"
        && match &around[..] {
            [each, ..] if each.kind() == "foreach_statement" => each.named_child(0) != Some(node),
            [pair, each] if pair.kind() == "pair" => each.kind() == "foreach_statement",
            [each, ..] => {
                each.kind() == "for_statement" && each.child_by_field_name("variable") == Some(node)
            }
            [] => false,
        }
}

/// Whether nodes of a kind are names of variables, functions, types or members.
fn is_name_kind(kind: &str) -> bool {
    kind.contains("identifier") && kind != "statement_identifier"
        || ["name", "constant", "hash_key_symbol", "implicit_parameter", "variable_name", "word"]
            .contains(&kind)
}

/// Whether a leaf is the name with a mark before it.
fn is_marked(leaf: Node<'_>, name: &Range<usize>) -> bool {
    let is_mark = leaf.kind().ends_with("_variable") || leaf.kind() == "private_property_identifier";
    is_mark && leaf.end_byte() == name.end && leaf.start_byte() < name.start
}

/// Whether a name is one of a kind that this engine does not follow.
fn has_other_meaning(walk: &Walk<'_>, before: &str, after: &str, name: &str) -> bool {
    const KINDS: [&str; 18] = [
        "attribute_argument",
        "break_statement",
        "continue_statement",
        "element_value_pair",
        "goto_statement",
        "jsx_attribute",
        "jsx_namespace_name",
        "label",
        "label_statement",
        "labeled_statement",
        "lifetime",
        "named_label_statement",
        "namespace_name",
        "namespace_use_clause",
        "package_clause",
        "package_declaration",
        "using_directive",
        "dynamic_variable_name",
    ];
    let (node, Some(parent)) = (walk.node(), walk.parent()) else { return true };
    let kind = parent.kind();
    if KINDS.contains(&kind) {
        // The value of an argument is code like any other.
        let is_argument = kind == "attribute_argument" || kind == "element_value_pair";
        let is_name = ["name", "key"].iter().any(|field| parent.child_by_field_name(field) == Some(node));
        return !is_argument || is_name;
    }
    if node.kind() == "word" {
        return kind != "command_name" && kind != "function_definition";
    }
    if kind.starts_with("jsx_") && kind.ends_with("_element") {
        return name.starts_with(char::is_lowercase);
    }
    let is_package =
        node.kind() == "package_identifier" && !["qualified_type", "import_spec"].contains(&kind);
    if is_package || before.ends_with('\\') {
        return true;
    }
    if walk.around().any(|it| it.kind() == "attribute_item") {
        return true;
    }
    // `println!("{x}", x = y)`
    let rest = after.trim_start();
    kind == "token_tree"
        && before.trim_end().ends_with([',', '('])
        && rest.starts_with('=')
        && !rest.starts_with("==")
        && !rest.starts_with("=>")
}

/// Whether a name is a value or a type beside what is declared there.
fn is_value(node: Node<'_>, parent: Node<'_>) -> bool {
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    let has_default =
        ["default_parameter", "typed_default_parameter", "assignment_pattern", "object_assignment_pattern"]
            .contains(&parent.kind())
            || parent.kind().ends_with("_parameter");
    is("type")
        || is("default_value")
        || parent.kind() == "as_pattern"
        || has_default && (is("value") || is("right"))
}

fn is_key_of_tokens(after: &str) -> bool {
    after.trim_start().starts_with(':')
}

/// Whether a string is formatted by the macro that it is an argument of.
fn is_formatted(walk: &Walk<'_>) -> bool {
    let mut around = walk.around().skip_while(|it| it.kind().contains("string"));
    around.next().is_some_and(|it| it.kind() == "token_tree")
        && !walk.around().any(|it| it.kind() == "attribute_item")
}

/// Whether a name in a string with placeholders is the variable in one: `{name}`, `{:>name$}`.
fn is_placeholder(before: &str, after: &str) -> bool {
    let braces = before.len() - before.trim_end_matches('{').len();
    if braces > 0 {
        return braces % 2 == 1 && after.starts_with(['}', ':']);
    }
    let inside = before.rfind('{').map(|open| &before[open + 1..]);
    after.starts_with('$')
        && inside.is_some_and(|it| !it.contains(['}', '"']) && it.contains(':') && !it.ends_with(is_part))
}

fn space(walk: &Walk<'_>, after: &str) -> Space {
    let node = named(walk);
    let kind = node.kind();
    let Some(parent) = walk.around().skip_while(|it| *it != node).nth(1) else { return Space::Value };
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    match kind {
        "variable_name" => Space::Variable,
        "word" => Space::Function,
        "name" if parent.kind() == "function_call_expression" || parent.kind() == "function_definition" => {
            Space::Function
        }
        "name" | "type_identifier" | "namespace_identifier" | "package_identifier" => Space::Type,
        "identifier" => match parent.kind() {
            "macro_invocation" | "macro_definition" => Space::Macro,
            "token_tree" if after.starts_with('!') && !after.starts_with("!=") => Space::Macro,
            // Java's methods may be called like its variables.
            "method_invocation" | "method_declaration" if is("name") => Space::Function,
            "method_reference" => Space::Function,
            "scoped_identifier" | "scoped_type_identifier" | "qualified_identifier" => Space::Type,
            "type_parameter" => Space::Type,
            _ if after.trim_start().starts_with("::") && !after.trim_start().starts_with("::<") => {
                Space::Type
            }
            _ => Space::Value,
        },
        _ => Space::Value,
    }
}
