//! The edit that fits the values of a call or a literal to the new slots.

use std::ops::Range;

use tree_sitter::Node;

use super::slots::{Form, Slot, SlotChange};
use crate::edit::{Edit, apply};

/// What a change of the slots means for a list of values.
pub(super) enum Adapted {
    /// It fits as it is.
    Fits,
    /// This edit fits it.
    Edit(Edit),
    /// It does not fit, and what does is not certain.
    Unknown,
}

/// A value in a list.
struct Item<'t> {
    node: Node<'t>,
    key: Option<Node<'t>>,
    /// Whether the key is the value as well.
    is_short: bool,
}

/// The values of a list; `None` if they cannot be counted.
struct Items<'t> {
    by_place: Vec<Item<'t>>,
    by_name: Vec<Item<'t>>,
    /// Whether another value gives the rest, as `..base` does.
    has_rest: bool,
}

fn items(list: Node<'_>) -> Option<Items<'_>> {
    let mut items = Items { by_place: Vec::new(), by_name: Vec::new(), has_rest: false };
    let mut cursor = list.walk();
    for node in list.named_children(&mut cursor) {
        let kind = node.kind();
        let field = |names: [&str; 3]| names.iter().find_map(|name| node.child_by_field_name(name));
        let key = match kind {
            "keyword_argument" | "field_initializer" | "pair" | "keyed_element" => {
                let key = field(["name", "field", "key"]).or_else(|| node.named_child(0));
                key.map(|key| (innermost(key), false))
            }
            "initializer_pair" => node.child_by_field_name("designator").map(|key| (innermost(key), false)),
            "shorthand_field_initializer" => node.named_child(0).map(|key| (key, true)),
            "shorthand_property_identifier" => Some((node, true)),
            "base_field_initializer" | "spread_element" => {
                items.has_rest = true;
                continue;
            }
            kind if kind.contains("comment")
                || kind.contains("splat")
                || kind.contains("variadic")
                || kind.contains("generator")
                || kind == "method_definition" =>
            {
                return None;
            }
            _ => None,
        };
        match key {
            Some((key, is_short)) => items.by_name.push(Item { node, key: Some(key), is_short }),
            None => items.by_place.push(Item { node, key: None, is_short: false }),
        }
    }
    Some(items)
}

/// The name within a key: Go and C wrap it.
fn innermost(key: Node<'_>) -> Node<'_> {
    let mut node = key;
    while node.named_child_count() == 1 {
        let Some(inner) = node.named_child(0) else { break };
        node = inner;
    }
    node
}

/// Fits a list of values to the new slots. `is_path`: the name is called by a path. The edit includes those of
/// `inner` that are within it.
pub(super) fn adapted(
    change: &SlotChange,
    list: Node<'_>,
    is_path: bool,
    text: &str,
    inner: &[Edit],
) -> Adapted {
    let Some(Items { mut by_place, by_name, has_rest }) = items(list) else { return Adapted::Fits };
    let SlotChange { form, has_receiver, old, new, from } = change;
    if is_path && *has_receiver {
        if by_place.is_empty() {
            return Adapted::Fits;
        }
        by_place.remove(0);
    }
    if has_rest && (*form != Form::Literal || !by_place.is_empty()) {
        return Adapted::Fits;
    }
    let key = |item: &Item<'_>| item.key.map_or("", |key| &text[key.byte_range()]);
    let old_at = |name: &str| old.iter().position(|slot| slot.name == name);
    let is_named = |slot: &Slot| by_name.iter().any(|item| key(item) == slot.name);
    let count = by_place.len();
    let is_required = |slot: &&Slot| !slot.is_optional;
    // Fields that are not named keep their zero value, except where all must be given.
    let may_lack = *form == Form::Literal && (has_rest || count == 0 && lacks_freely(list));
    let fits = |slots: &[Slot]| {
        let is_known = |item: &Item<'_>| slots.iter().any(|slot| slot.name == key(item));
        count <= slots.len()
            && by_name.iter().all(is_known)
            && !slots[..count].iter().any(is_named)
            && (may_lack || slots[count..].iter().filter(is_required).all(is_named))
    };
    if !fits(old) {
        return Adapted::Fits;
    }
    if fits(new) && !(change.is_move() && count > 0) {
        return Adapted::Fits;
    }
    // A value that was added is unknown.
    let mut added = new.iter().zip(from).filter(|(slot, from)| from.is_none() && !slot.is_optional);
    if !may_lack && added.any(|(slot, _)| !is_named(slot)) {
        return Adapted::Unknown;
    }
    let mut order = Vec::new();
    let mut is_open = false;
    for from in from {
        match from {
            Some(at) if *at < count => {
                // The arguments before it cannot be left out.
                if is_open {
                    return Adapted::Unknown;
                }
                order.push(*at);
            }
            _ => is_open = true,
        }
    }
    let mut edits = Vec::new();
    for item in &by_name {
        let Some(at) = old_at(key(item)) else { continue };
        match from.iter().position(|it| *it == Some(at)) {
            Some(place) if new[place].name != old[at].name => {
                edits.extend(renamed(item, &new[place].name, text))
            }
            Some(_) => {}
            None if has_effect(item.node) => return Adapted::Unknown,
            None => edits.push(removal(list, item.node, text)),
        }
    }
    if order != (0..count).collect::<Vec<_>>() {
        let dropped = (0..count).filter(|at| !order.contains(at));
        if dropped.into_iter().any(|at| has_effect(by_place[at].node)) {
            return Adapted::Unknown;
        }
        if order.is_sorted() {
            let gone = (0..count).filter(|at| !order.contains(at));
            edits.extend(gone.map(|at| removal(list, by_place[at].node, text)));
        } else {
            edits.push(moved(&by_place, &order, text, inner));
        }
    }
    let is_apart = |it: &&Edit| {
        edits.iter().all(|edit| it.span.end <= edit.span.start || edit.span.end <= it.span.start)
    };
    // Those between the first and the last edit, which become one.
    let ends = edits.iter().map(|it| it.span.start).min().zip(edits.iter().map(|it| it.span.end).max());
    let is_between = |it: &&Edit| ends.is_some_and(|(from, to)| from <= it.span.start && it.span.end <= to);
    let between: Vec<Edit> = inner.iter().filter(is_apart).filter(is_between).cloned().collect();
    edits.extend(between);
    merged(edits, text).map_or(Adapted::Fits, Adapted::Edit)
}

/// Whether fields that a literal does not name have a value of their own: Go's and C's do.
fn lacks_freely(list: Node<'_>) -> bool {
    matches!(list.kind(), "literal_value" | "initializer_list")
}

fn renamed(item: &Item<'_>, name: &str, text: &str) -> Option<Edit> {
    let key = item.key?.byte_range();
    Some(match item.is_short {
        // `{ x }` goes on giving the variable.
        true => Edit::new(key.clone(), format!("{name}: {}", &text[key])),
        false => Edit::new(key, name),
    })
}

/// The edit that removes a value with its comma.
fn removal(list: Node<'_>, node: Node<'_>, text: &str) -> Edit {
    let Range { start, end } = node.byte_range();
    let is_close = |at: usize| at + 1 >= list.end_byte();
    let after = &text[end..list.end_byte()];
    let blank = after.len() - after.trim_start().len();
    if after[blank..].starts_with(',') {
        let comma = end + blank + 1;
        let rest = &text[comma..list.end_byte()];
        let next = comma + rest.len() - rest.trim_start().len();
        // On a line of its own, it goes with the line.
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let is_first_on_line = text[line..start].trim().is_empty();
        let line_end = rest.find('\n').filter(|at| rest[..*at].trim().is_empty()).map(|at| comma + at + 1);
        if let Some(line_end) = line_end.filter(|_| is_first_on_line) {
            return Edit::new(line..line_end, "");
        }
        if !is_close(next) {
            return Edit::new(start..next, "");
        }
        // The last one, with a comma of its own.
        let before = text[list.start_byte()..start].trim_end();
        let from = list.start_byte() + before.len();
        return match before.ends_with(',') {
            true => Edit::new(from..comma, ""),
            false => Edit::new(start..comma, ""),
        };
    }
    let before = text[list.start_byte()..start].trim_end();
    match before.strip_suffix(',') {
        Some(kept) => Edit::new(list.start_byte() + kept.len()..end, ""),
        None => Edit::new(start..end, ""),
    }
}

/// The edit that puts values in another order, and drops the others.
fn moved(items: &[Item<'_>], order: &[usize], text: &str, inner: &[Edit]) -> Edit {
    let span = |at: usize| items[at].node.byte_range();
    let value = |at: usize| {
        let Range { start, end } = span(at);
        let own = inner.iter().filter(|it| start <= it.span.start && it.span.end <= end);
        let own: Vec<Edit> =
            own.map(|it| Edit::new(it.span.start - start..it.span.end - start, it.text.as_str())).collect();
        apply(&text[start..end], &own)
    };
    let mut moved = String::new();
    for (place, at) in order.iter().enumerate() {
        if place > 0 {
            moved.push_str(&text[span(place - 1).end..span(place).start]);
        }
        moved.push_str(&value(*at));
    }
    Edit::new(span(0).start..span(items.len() - 1).end, moved)
}

/// One edit for all of a list. A removal of the last value with the one before it shares a comma.
fn merged(mut edits: Vec<Edit>, text: &str) -> Option<Edit> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut apart: Vec<Edit> = Vec::new();
    for edit in edits {
        match apart.last_mut() {
            Some(last)
                if edit.span.start <= last.span.end && last.text.is_empty() && edit.text.is_empty() =>
            {
                last.span.end = last.span.end.max(edit.span.end);
            }
            _ => apart.push(edit),
        }
    }
    let (start, end) = (apart.first()?.span.start, apart.last()?.span.end);
    if let [only] = &apart[..] {
        return Some(only.clone());
    }
    let inner: Vec<Edit> =
        apart.into_iter().map(|it| Edit::new(it.span.start - start..it.span.end - start, it.text)).collect();
    Some(Edit::new(start..end, apply(&text[start..end], &inner)))
}

/// Whether evaluating a value may do more than that.
fn has_effect(node: Node<'_>) -> bool {
    const SIGNS: [&str; 9] = [
        "call",
        "invocation",
        "await",
        "assignment",
        "update",
        "macro",
        "new_expression",
        "creation",
        "yield",
    ];
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if SIGNS.iter().any(|sign| node.kind().contains(sign)) {
            return true;
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    false
}
