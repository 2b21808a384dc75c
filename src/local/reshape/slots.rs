//! The parameters or fields of a definition.

use tree_sitter::Node;

use crate::text::words::blank_free;

/// Levels between a name and the node that has its parameters or fields.
const LEVELS: usize = 3;
/// Decorators whose class is built from its fields.
const DATA_CLASSES: [&str; 4] = ["dataclass", "dataclasses.dataclass", "attrs.define", "define"];
/// Decorators that leave the parameters of a function as they are.
const PLAIN_DECORATORS: [&str; 5] =
    ["staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "override"];

/// A parameter or a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) name: String,
    /// Its type, without blanks; empty without one.
    pub(super) kind: String,
    /// Whether it may be left out.
    pub(super) is_optional: bool,
}

/// How values are given for the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As the arguments of a call.
    Call,
    /// As the arguments of a constructor, by the name of its type.
    New,
    /// In a literal.
    Literal,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotChange {
    pub(super) form: Form,
    /// Whether a call by path passes the receiver first.
    pub(super) has_receiver: bool,
    pub(super) old: Vec<Slot>,
    pub(super) new: Vec<Slot>,
    /// For each of the new ones, which of the old ones it is; `None` if it was added.
    pub(super) from: Vec<Option<usize>>,
}

impl SlotChange {
    /// The change from one list to another, each with its text; `None` if it is not certain, or if nothing was added,
    /// removed, moved or renamed.
    pub(super) fn between((was, before): (&List<'_>, &str), (now, text): (&List<'_>, &str)) -> Option<Self> {
        let (old, new) = (slots(was, before)?, slots(now, text)?);
        let from = mapping(&old, &new)?;
        Some(Self { form: now.form, has_receiver: now.has_receiver, old, new, from })
    }

    /// Whether the slots are the same, perhaps by other names and in another order.
    pub(super) fn is_move(&self) -> bool {
        self.old.len() == self.new.len() && self.from.iter().all(Option::is_some)
    }
}

/// For each of the new slots, which of the old ones it is; `None` for all if that is not certain, or if nothing
/// was added, removed, moved or renamed.
fn mapping(old: &[Slot], new: &[Slot]) -> Option<Vec<Option<usize>>> {
    let is_unique = |slots: &[Slot]| {
        slots.iter().enumerate().all(|(at, it)| slots[..at].iter().all(|other| other.name != it.name))
    };
    if !is_unique(old) || !is_unique(new) {
        return None;
    }
    let place = |slot: &Slot| old.iter().position(|it| it.name == slot.name);
    let mut from: Vec<Option<usize>> = new.iter().map(place).collect();
    let gone: Vec<usize> = (0..old.len()).filter(|at| !from.contains(&Some(*at))).collect();
    let added: Vec<usize> = (0..new.len()).filter(|at| from[*at].is_none()).collect();
    match (&gone[..], &added[..]) {
        ([], _) | (_, []) => {}
        // One that was renamed where it stands.
        ([was], [is]) if was == is && old.len() == new.len() && old[*was].kind == new[*is].kind => {
            from[*is] = Some(*was);
        }
        _ => return None,
    }
    let is_same = old.len() == new.len()
        && from.iter().enumerate().all(|(at, it)| *it == Some(at) && old[at].name == new[at].name);
    (!is_same).then_some(from)
}

/// The list of the slots of a definition.
pub(super) struct List<'t> {
    pub(super) node: Node<'t>,
    /// The definition that has the list.
    pub(super) definition: Node<'t>,
    pub(super) form: Form,
    /// Whether it is a method or a constructor, within its type.
    pub(super) is_member: bool,
    /// Whether the first parameter is the receiver, written like the others.
    has_object: bool,
    /// Whether a call by path passes the receiver first.
    has_receiver: bool,
}

/// The parameters or fields of the definition with this name.
pub(super) fn list<'t>(name: Node<'t>, text: &str) -> Option<List<'t>> {
    let word = text.get(name.byte_range())?;
    let mut around = std::iter::successors(name.parent(), Node::parent).take(LEVELS);
    around.find_map(|node| callable(node, word, text).or_else(|| of_fields(node, text)))
}

fn callable<'t>(node: Node<'t>, name: &str, text: &str) -> Option<List<'t>> {
    let parameters = |node: Node<'t>| node.child_by_field_name("parameters");
    let value = || ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
    let function = Some(node).filter(|it| parameters(*it).is_some());
    let function = function.or_else(|| value().filter(|it| parameters(*it).is_some()))?;
    let list = parameters(function)?;
    let is_record = function.kind() == "record_declaration";
    let class = type_around(function);
    let decorators = decorators(function, text);
    if !decorators.iter().all(|it| PLAIN_DECORATORS.contains(it)) {
        return None;
    }
    let is_constructor =
        function.kind().contains("constructor") || matches!(name, "constructor" | "__init__");
    let mut cursor = list.walk();
    let has_receiver = list.named_children(&mut cursor).any(|it| it.kind() == "self_parameter");
    Some(List {
        node: list,
        definition: function,
        form: if is_record || is_constructor { Form::New } else { Form::Call },
        is_member: !is_record && (class.is_some() || function.child_by_field_name("receiver").is_some()),
        has_object: class.is_some()
            && list.kind() == "parameters"
            && !decorators.contains(&"staticmethod")
            && function.kind() == "function_definition",
        has_receiver,
    })
}

fn of_fields<'t>(node: Node<'t>, text: &str) -> Option<List<'t>> {
    let found = |list: Node<'t>, form| {
        Some(List {
            node: list,
            definition: node,
            form,
            is_member: false,
            has_object: false,
            has_receiver: false,
        })
    };
    let body = || node.child_by_field_name("body");
    match node.kind() {
        "struct_item" | "struct_specifier" => {
            found(body().filter(|it| it.kind() == "field_declaration_list")?, Form::Literal)
        }
        "type_spec" => {
            let body = node.child_by_field_name("type").filter(|it| it.kind() == "struct_type")?;
            found(body.named_child(0).filter(|it| it.kind() == "field_declaration_list")?, Form::Literal)
        }
        "type_definition" => {
            let body = node.child_by_field_name("type").filter(|it| it.kind() == "struct_specifier")?;
            found(body.child_by_field_name("body")?, Form::Literal)
        }
        "interface_declaration" => {
            found(body().filter(|it| matches!(it.kind(), "interface_body" | "object_type"))?, Form::Literal)
        }
        "type_alias_declaration" => {
            found(node.child_by_field_name("value").filter(|it| it.kind() == "object_type")?, Form::Literal)
        }
        "class_definition" => {
            let is_data = match &decorators(node, text)[..] {
                [only] => DATA_CLASSES.contains(&only.split('(').next().unwrap_or_default()),
                _ => false,
            };
            // A class that inherits has the fields of others, too.
            found(
                body().filter(|_| is_data && node.child_by_field_name("superclasses").is_none())?,
                Form::New,
            )
        }
        _ => None,
    }
}

/// The type around a function that belongs to it.
fn type_around(function: Node<'_>) -> Option<Node<'_>> {
    let mut around = std::iter::successors(function.parent(), Node::parent).skip_while(|it| {
        matches!(it.kind(), "decorated_definition" | "block" | "declaration_list" | "class_body")
    });
    around.next().filter(|it| {
        it.kind().contains("class") || matches!(it.kind(), "impl_item" | "trait_item" | "record_declaration")
    })
}

fn decorators<'a>(definition: Node<'_>, text: &'a str) -> Vec<&'a str> {
    let Some(around) = definition.parent().filter(|it| it.kind() == "decorated_definition") else {
        return Vec::new();
    };
    let mut cursor = around.walk();
    let decorators = around.children(&mut cursor).filter(|it| it.kind() == "decorator");
    decorators.map(|it| text[it.byte_range()].trim_start_matches('@').trim()).collect()
}

/// The slots of a list; `None` if one of them has no plain name, or any number of values.
fn slots(list: &List<'_>, text: &str) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    let mut cursor = list.node.walk();
    for node in list.node.named_children(&mut cursor) {
        of_node(list, node, text, &mut slots)?;
    }
    if list.has_object && !slots.is_empty() {
        slots.remove(0);
    }
    Some(slots)
}

fn of_node(list: &List<'_>, node: Node<'_>, text: &str, slots: &mut Vec<Slot>) -> Option<()> {
    let field = |name| node.child_by_field_name(name);
    let word = |node: Node<'_>| text[node.byte_range()].to_owned();
    let kind = || field("type").map_or(String::new(), |it| blank_free(&text[it.byte_range()]));
    let mut add = |name: Node<'_>, is_optional: bool| -> Option<()> {
        let is_name = name.kind().contains("identifier") && name.named_child_count() == 0;
        let slot = Slot { name: word(name), kind: kind(), is_optional };
        is_name.then(|| slots.push(slot))
    };
    match node.kind() {
        kind if kind.contains("comment") => Some(()),
        "attribute_item" | "self_parameter" | "receiver_parameter" | "visibility_modifier" => Some(()),
        "parameter" | "formal_parameter" | "property_signature" => {
            let mut cursor = node.walk();
            let is_optional = node.children(&mut cursor).any(|it| it.kind() == "?");
            add(field("pattern").or_else(|| field("name"))?, is_optional || field("value").is_some())
        }
        "required_parameter" | "optional_parameter" => {
            let name = field("pattern").or_else(|| field("name"))?;
            if name.kind() == "this" {
                return Some(());
            }
            add(name, node.kind() == "optional_parameter" || field("value").is_some())
        }
        "identifier" => add(node, false),
        "assignment_pattern" => add(field("left")?, true),
        "typed_parameter" => add(node.named_child(0)?, false),
        "default_parameter" | "typed_default_parameter" => add(field("name")?, true),
        "parameter_declaration" if field("declarator").is_none() && field("name").is_none() => {
            // `(void)` in C has none.
            (text[node.byte_range()].trim() == "void").then_some(())
        }
        "parameter_declaration" | "field_declaration" => {
            let names = |name| node.children_by_field_name(name, &mut node.walk()).collect::<Vec<_>>();
            let mut all = names("name");
            all.extend(names("declarator").into_iter().map(innermost));
            if all.is_empty() {
                return None;
            }
            all.into_iter().try_for_each(|name| add(name, false))
        }
        // The fields of a data class.
        "expression_statement" if list.form == Form::New => match node.named_child(0) {
            Some(it) if it.kind() == "assignment" && it.child_by_field_name("type").is_some() => {
                let kind = it.child_by_field_name("type").map(|kind| blank_free(&text[kind.byte_range()]));
                let name = it.child_by_field_name("left").filter(|it| it.kind() == "identifier")?;
                let is_optional = it.child_by_field_name("right").is_some();
                slots.push(Slot { name: word(name), kind: kind.unwrap_or_default(), is_optional });
                Some(())
            }
            _ => Some(()),
        },
        "function_definition" | "decorated_definition" | "pass_statement" if list.form == Form::New => {
            Some(())
        }
        _ => None,
    }
}

/// The name that a C declarator declares.
fn innermost(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator;
    while let Some(inner) = node.child_by_field_name("declarator") {
        node = inner;
    }
    node
}
