//! Repeats the rename of an instance variable of Ruby, which its assignment declares: `@name = 1`.

use std::ops::Range;

use super::uses::Unsure;
use crate::document::Document;
use crate::edit::Edit;
use crate::local::walk::Walk;
use crate::text::ident::{has_word, occurrences};

/// Methods that name instance variables as text, or run a block on another object.
const DYNAMIC: [&str; 5] =
    ["class_eval", "instance_eval", "instance_exec", "instance_variable_get", "instance_variable_set"];

/// The object that an instance variable belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    /// The class or module around the variable.
    class: Range<usize>,
    /// An instance of the class; else the class itself.
    is_instance: bool,
}

/// The owner of the instance variable that is assigned to, given the byte offset of its name behind `@`.
pub(super) fn assigned(document: &Document, at: usize) -> Option<Owner> {
    let mut walk = Walk::new(document)?;
    walk.go_to(at);
    let parent = walk.parent()?;
    let is_assigned = match parent.kind() {
        "left_assignment_list" => true,
        "assignment" | "operator_assignment" => parent.child_by_field_name("left") == Some(walk.node()),
        _ => false,
    };
    owner(&walk).filter(|_| is_assigned)
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
                self::owner(walk).as_ref() == Some(owner)
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
    Ok(places(old).into_iter().map(|at| Edit::new(at..at + old.len(), new)).collect())
}

/// The owner of the instance variable at the walk's position, if there is one.
fn owner(walk: &Walk<'_>) -> Option<Owner> {
    if walk.node().kind() != "instance_variable" {
        return None;
    }
    let is_class = |kind: &str| ["class", "module", "singleton_class"].contains(&kind);
    let class = walk.around().find(|it| is_class(it.kind()))?;
    let is_instance = walk.around().take_while(|it| *it != class).any(|it| it.kind() == "method");
    Some(Owner { class: class.byte_range(), is_instance })
}
