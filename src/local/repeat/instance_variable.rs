//! Repeats the rename of an instance variable that its assignment declares: `@name = 1` in Ruby, and in a constructor
//! of Python or JavaScript `self.name = 1` or `this.name = 1`.

use std::ops::Range;

use tree_sitter::Node;

use super::object::extends;
use super::place::definitions;
use super::receiver::{ShownType, Types};
use super::role::{Role, Roles};
use super::scope::type_around;
use super::uses::Unsure;
use crate::document::Document;
use crate::edit::Edit;
use crate::local::walk::Walk;
use crate::text::ident::{has_word, is_part, occurrences};

/// Names of what has the names of instance variables as text, or runs a block on another object.
const DYNAMIC: [&str; 11] = [
    "__dict__",
    "__slots__",
    "class_eval",
    "getattr",
    "hasattr",
    "instance_eval",
    "instance_exec",
    "instance_variable_get",
    "instance_variable_set",
    "setattr",
    "vars",
];
/// Methods in which the variables of an object get their first value.
const CONSTRUCTORS: [&str; 2] = ["__init__", "constructor"];

/// The object that an instance variable belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    /// The class or module around the variable.
    class: Range<usize>,
    /// The name of the class, if other code reaches its variables by it.
    name: Option<String>,
    /// An instance of the class; else the class itself.
    is_instance: bool,
}

/// The owner of the instance variable that is assigned to, and thereby declared, given the byte offset of its name.
pub(super) fn assigned(document: &Document, text: &str, at: usize) -> Option<Owner> {
    let mut walk = Walk::new(document)?;
    walk.go_to(at);
    let owner = owner(&walk, text)?;
    (is_assigned(&walk) && (owner.name.is_none() || is_in_constructor(&walk, text))).then_some(owner)
}

/// Whether the variable at the walk's position gets a value.
fn is_assigned(walk: &Walk<'_>) -> bool {
    let mut around = walk.around();
    let mut node = around.next();
    let mut parent = around.next();
    if parent.is_some_and(|it| is_member(it)) {
        (node, parent) = (parent, around.next());
    }
    parent.is_some_and(|it| match it.kind() {
        "left_assignment_list" => true,
        "assignment" | "assignment_expression" | "operator_assignment" => {
            it.child_by_field_name("left") == node
        }
        _ => false,
    })
}

fn is_in_constructor(walk: &Walk<'_>, text: &str) -> bool {
    let name = walk.function().and_then(|it| it.child_by_field_name("name"));
    name.is_some_and(|it| CONSTRUCTORS.contains(&&text[it.byte_range()]))
}

fn is_member(node: Node<'_>) -> bool {
    matches!(node.kind(), "attribute" | "member_expression")
}

/// The edits that rename the other uses of an instance variable; `renamed` are the places of the new name.
pub(super) fn uses(
    document: &Document,
    text: &str,
    owner: &Owner,
    [old, new]: [&str; 2],
    renamed: &[usize],
) -> Result<Vec<Edit>, Unsure> {
    let class = &text[owner.class.clone()];
    let places = |name: &str| {
        let mut walk = Walk::new(document);
        let own = occurrences(class, name).map(|at| owner.class.start + at).filter(|at| {
            walk.as_mut().is_some_and(|walk| {
                walk.go_to(*at);
                self::owner(walk, text).as_ref() == Some(owner)
            })
        });
        own.collect::<Vec<usize>>()
    };
    // `attr_reader :name` makes methods of it.
    let is_named = class.contains(&format!(":{old}")) && class.contains("attr_");
    if is_named || DYNAMIC.iter().any(|name| has_word(class, name)) {
        return Err(Unsure::Uses(old.to_owned()));
    }
    if places(new).iter().any(|at| !renamed.contains(at)) {
        return Err(Unsure::IsTaken { old: old.to_owned(), name: new.to_owned() });
    }
    let mut places = places(old);
    if let Some(name) = &owner.name {
        places = of_object(document, text, (owner, name), [old, new], places)?;
        places.sort_unstable();
    }
    Ok(places.into_iter().map(|at| Edit::new(at..at + old.len(), new)).collect())
}

/// The uses of a variable that other code reaches as a member: `own` in its class, and those on objects that are
/// certain to be of the class.
fn of_object(
    document: &Document,
    text: &str,
    (owner, name): (&Owner, &str),
    [old, new]: [&str; 2],
    mut own: Vec<usize>,
) -> Result<Vec<usize>, Unsure> {
    let unsure = || Unsure::Uses(old.to_owned());
    let mut walk = Walk::new(document).ok_or_else(unsure)?;
    // Another value in the constructor declares the old name as before.
    let is_declared = own.iter().any(|at| {
        walk.go_to(*at);
        is_assigned(&walk) && is_in_constructor(&walk, text)
    });
    // A method or property of the class, or of its body.
    let is_in_class = |name: &str| {
        let found = definitions(document, text, owner.class.clone());
        found.iter().any(|(at, it)| {
            matches!(it.kind, "field" | "method")
                && text[*at..].starts_with(name)
                && !text[at + name.len()..].starts_with(is_part)
        })
    };
    if is_declared || is_in_class(old) || is_in_class(new) {
        return Err(unsure());
    }
    let types = Types::new(document, text);
    let mut roles = Roles::new(document, text, old);
    for at in occurrences(text, old) {
        let is_ours = match roles.at(at) {
            Some(Role::Member { of_self: true }) => roles.walk_to(at).is_some_and(|walk| {
                type_around(walk.around()).is_some_and(|class| extends(class, text, name))
            }),
            Some(Role::Member { of_self: false }) => types.of_receiver(at) == ShownType::Type(name),
            _ => false,
        };
        if is_ours {
            own.push(at);
        }
    }
    Ok(own)
}

/// The owner of the instance variable at the walk's position, if there is one.
fn owner(walk: &Walk<'_>, text: &str) -> Option<Owner> {
    if let Some(member) = walk.parent().filter(|it| is_member(*it)) {
        return owner_of_member(walk, member, text);
    }
    if walk.node().kind() != "instance_variable" {
        return None;
    }
    let is_class = |kind: &str| ["class", "module", "singleton_class"].contains(&kind);
    let class = walk.around().find(|it| is_class(it.kind()))?;
    let is_instance = walk.around().take_while(|it| *it != class).any(|it| it.kind() == "method");
    Some(Owner { class: class.byte_range(), name: None, is_instance })
}

/// The owner of `self.name` or `this.name`.
fn owner_of_member(walk: &Walk<'_>, member: Node<'_>, text: &str) -> Option<Owner> {
    let field = |name: &str| member.child_by_field_name(name);
    let is_name = field("attribute").or_else(|| field("property")) == Some(walk.node());
    let object = field("object").filter(|_| is_name)?;
    // In a function of its own, JavaScript's `this` is another object.
    let is_own = match object.kind() {
        "this" => {
            let mut functions = walk
                .around()
                .filter(|it| it.kind().starts_with("function") || it.kind() == "method_definition");
            functions.next().is_some_and(|it| it.kind() == "method_definition")
        }
        _ => text.get(object.byte_range()) == Some("self"),
    };
    let class = walk
        .around()
        .find(|it| it.kind().starts_with("class") && it.child_by_field_name("body").is_some())?;
    let name = class.child_by_field_name("name").filter(|_| is_own)?;
    Some(Owner {
        class: class.byte_range(),
        name: Some(text[name.byte_range()].to_owned()),
        is_instance: true,
    })
}
