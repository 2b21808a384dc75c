//! Decides which name is meant where another one is written, by scope, role and the typical forms of a slip.

use std::ops::Range;

use tree_sitter::Node;

use super::file_view::FileView;
use super::imports::is_import;
use super::near_names::is_one_letter;
use super::slip::{is_likely_typo, is_reverse, strange_parts};
use crate::document::Document;
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::{is_function, node_at, nodes_at};
use crate::text::{floor_boundary, ident};

/// Minimum size in bytes of a name: shorter ones have similar names everywhere.
pub(super) const NAME_BYTES: usize = 3;

/// Whether a name is an identifier, and not part of a comment or string.
pub(super) fn is_in_code(file: &FileView<'_>, at: usize) -> bool {
    node_at(file, at).is_some_and(|node| node.kind().contains("identifier"))
}

/// Whether a byte is in the innermost function around a use, but is not the start of that function's name.
pub(super) fn is_in_function_of(file: &FileView<'_>, at: usize, wanted: usize) -> bool {
    let function = nodes_at(file, wanted).into_iter().find(|it| is_function(*it));
    function.is_some_and(|it| {
        let name = it.child_by_field_name("name").map(|it| it.start_byte());
        it.byte_range().contains(&at) && name != Some(at)
    })
}

/// Whether a name is declared at its position. `nodes` are the name and its ancestors.
pub(super) fn is_declaration(nodes: &[Node<'_>]) -> bool {
    const FIELDS: [&str; 6] = ["name", "pattern", "left", "declarator", "parameter", "alias"];
    const VALUES: [&str; 3] = ["type", "value", "default"];
    const USES: [&str; 13] = [
        "access",
        "argument",
        "assignment_",
        "attribute",
        "augmented",
        "binary",
        "boolean",
        "call",
        "comparison",
        "compound",
        "field",
        "invocation",
        "scoped",
    ];
    for pair in nodes.windows(2) {
        let [child, parent] = pair else { break };
        let kind = parent.kind();
        let is_one_of =
            |fields: &[&str]| fields.iter().any(|field| parent.child_by_field_name(field) == Some(*child));
        if USES.iter().any(|it| kind.contains(it)) || is_one_of(&VALUES) {
            return false;
        }
        if is_one_of(&FIELDS) || kind.contains("parameter") {
            return true;
        }
        if !["pattern", "list", "tuple"].iter().any(|it| kind.contains(it)) {
            return false;
        }
    }
    false
}

/// Whether a name is declared at its position and is not a parameter. `nodes` are the name and its ancestors.
fn is_local_variable(nodes: &[Node<'_>]) -> bool {
    let mut within = nodes.iter().take_while(|it| !is_function(**it));
    is_declaration(nodes) && !within.any(|it| it.kind().contains("parameter"))
}

/// The names of the project's module from which the name at a byte is imported.
pub(super) fn module_names(file: &FileView<'_>, at: usize) -> Option<Vec<String>> {
    let import = file.imports().iter().find(|it| it.name.is_some_and(|name| name.start_byte() == at))?;
    let path = file.slice(import.path?.byte_range());
    let stem = ident::names(path.trim_matches(['"', '\'', '`'])).next_back()?;
    // A file's extension is not part of the module's name.
    let path = path.trim_matches(['"', '\'', '`']);
    let stem = match path.rsplit_once('/') {
        Some((_, file)) => ident::names(file).next()?,
        None => stem,
    };
    file.others().module(stem)
}

/// Whether `new` can be meant where `old` is written: `old` is a slip of it, and has no meaning of its own.
///
/// The library and the project's other files must not have `old`, and no report may miss `new`. It must not
/// be `new` that has the slip, in its only occurrence. An import is not changed to what the file has already.
pub(super) fn may_be_meant(file: &FileView<'_>, span: &Range<usize>, old: &str, new: &str) -> bool {
    let is_case = old.eq_ignore_ascii_case(new) && first_letter(old) != first_letter(new);
    // `user` beside a type `User` lacks a parameter more often than a capital.
    let is_capital = new.starts_with(char::is_uppercase) && !is_member(file, span.start);
    if is_case && is_capital && old[1..] == new[1..] && is_value(file, span.start) {
        return false;
    }
    // A type and a variable of that type often differ only in the first letter's case.
    let is_same_role = || match is_member(file, span.start) {
        true => !is_called_otherwise(file, span.start, new) && !is_of_misspelt_variable(file, span.start),
        false => has_role_of(file, span.start, new) && !is_type_with_member(file, span, old),
    };
    // The same wrong case in several places is not a slip.
    let is_written_once = || {
        let places = file.names().get(old).into_iter().flatten().take(SCOPE_PLACES);
        places.filter(|at| is_in_code(file, **at)).count() < 2
    };
    let is_reversed = || {
        let Some([at]) = file.names().get(new).map(Vec::as_slice) else { return false };
        // What every file knows has no declaration that could be misspelt.
        if file.grammar().is_some_and(|it| it.prelude().any(|it| it == new)) {
            return false;
        }
        // Of a local variable used once, either change gives the same code. A parameter's name is known to
        // callers.
        let is_either = || {
            strange_parts(file, new) == strange_parts(file, old)
                && is_in_function_of(file, *at, span.start)
                && is_local_variable(&nodes_at(file, *at))
        };
        is_reverse(file, old, new) && !is_either()
    };
    // A different case and a different letter are two slips.
    let lower = |name: &str| first_letter(name).map(|it| it.to_ascii_lowercase());
    let is_other_case = first_letter(old) != first_letter(new) && lower(old) == lower(new);
    let is_one_slip = !is_other_case || old.eq_ignore_ascii_case(new);
    let is_one_name = || file.are_one_name(old, new);
    let is_stranger = || strange_parts(file, old) > strange_parts(file, new);
    (is_likely_typo(file, old, new) || is_one_name() && is_stranger())
        && is_one_slip
        && is_in_scope(file, new, span.start)
        && !is_declared_here(file, span, old)
        && !(file.is_import(span.start) && has_own(file, new))
        && (!is_case || (is_same_role() || is_one_name()) && is_written_once())
        && !file.is_missed(new)
        && !is_known_elsewhere(file, old)
        && !is_reversed()
}

/// Whether the name at a byte is neither called nor a type.
fn is_value(file: &FileView<'_>, at: usize) -> bool {
    let Some(node) = node_at(file, at) else { return true };
    let above = node.parent().map_or("", |it| it.kind());
    let behind = file.slice(node.end_byte()..file.next_line_start(node.end_byte()));
    !node.kind().contains("type") && !above.contains("type") && !behind.starts_with('(')
}

/// Whether a name is declared in the file in a scope that reaches the place where a tool misses it.
///
/// A compiler misses a variable whose declaration it cannot read: `bool is_space = …` without `<stdbool.h>`.
fn is_declared_here(file: &FileView<'_>, span: &Range<usize>, name: &str) -> bool {
    let mut places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    !is_member(file, span.start)
        && places.any(|at| {
            let is_other = *at != span.start && is_declaration(&nodes_at(file, *at));
            is_other && can_stand(file, *at, span.start, false)
        })
}

/// Whether the file imports or declares a name.
fn has_own(file: &FileView<'_>, name: &str) -> bool {
    let mut places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    places.any(|at| file.is_import(*at) || is_declaration(&nodes_at(file, *at)))
}

/// Whether the name before a member is capitalized, and the file has a variable of that name in lower case.
///
/// `Client.mutex` may then be `client.mutex` as well as `Client.Mutex`.
fn is_of_misspelt_variable(file: &FileView<'_>, member: usize) -> bool {
    let before = file.slice(file.line_start(member)..member);
    let before = ident::last_partial(before.trim_end_matches(['.', ':', '-', '>']));
    file.has_without_capital(before)
}

/// Whether a name is capitalized like a type, and followed by a member.
fn is_type_with_member(file: &FileView<'_>, span: &Range<usize>, name: &str) -> bool {
    let behind = file.slice(span.end..file.next_line_start(span.end));
    name.starts_with(char::is_uppercase) && [".", "::"].iter().any(|it| behind.starts_with(it))
}

/// Whether a member is called at a byte, and another one is never called in the file, or the reverse.
fn is_called_otherwise(file: &FileView<'_>, at: usize, name: &str) -> bool {
    let is_called = |at: usize| {
        let behind = file.slice(at..file.next_line_start(at));
        behind[ident::first_partial(&behind).len()..].starts_with('(')
    };
    let wanted = is_called(at);
    let places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    let mut members = places.filter(|at| is_member(file, **at)).map(|at| is_called(*at)).peekable();
    members.peek().is_some() && !members.any(|it| it == wanted)
}

/// Whether a name exists elsewhere: in the language's library or in the project's other files.
pub(super) fn is_known_elsewhere(file: &FileView<'_>, name: &str) -> bool {
    let in_library =
        |grammar: &crate::grammar::Grammar| grammar.has_in_library(name) || grammar.provider(name).is_some();
    file.grammar().is_some_and(in_library) || file.others().has(name)
}

/// Whether no other name of the file is as near, nor one of the library if such a name can be meant.
pub(super) fn is_certain(file: &FileView<'_>, old: &str, new: &str, may_be_of_library: bool) -> bool {
    let (old, new) = (old.trim_end_matches('!'), new.trim_end_matches('!'));
    let is_rival = |it: &str| it != old && it != new;
    let near_in_library = |it: &str| may_be_of_library && is_rival(it) && is_one_letter(old, it);
    !file.near(old).into_iter().any(is_rival)
        && !file.grammar().is_some_and(|grammar| grammar.library().any(near_in_library))
}

/// The only name near a given one that can be meant at its position.
pub(super) fn only_candidate(file: &FileView<'_>, span: &Range<usize>, name: &str) -> Option<String> {
    let grammar = file.grammar()?;
    if name.len() < NAME_BYTES {
        return None;
    }
    let is_member = is_member(file, span.start);
    // A bare name must be in scope. The type of a member is unknown, so any name of the library can be meant.
    let library = grammar.library().filter(|_| is_member);
    let prelude = grammar.prelude().filter(|_| !is_member);
    // A type is not a member: `deque` is not `Deque`.
    let is_of_other_kind =
        |it: &str| is_member && it.starts_with(char::is_uppercase) && it.eq_ignore_ascii_case(name);
    let known = library.chain(prelude).filter(|it| is_one_letter(name, it) && !is_of_other_kind(it));
    let mut found: Vec<&str> = file.near(name);
    known.for_each(|it| found.push(it));
    found.retain(|it| it.len() >= NAME_BYTES);
    found.sort_unstable();
    found.dedup();
    let [one] = found.as_slice() else { return None };
    let mut places = file.names().get(*one).into_iter().flatten().take(SCOPE_PLACES);
    let is_there = match is_member {
        true => grammar.has_in_library(one),
        false => grammar.prelude().any(|it| it == *one),
    };
    let is_there = is_there || places.any(|at| can_stand(file, *at, span.start, is_member));
    let is_meant = is_there && may_be_meant(file, span, name, one) && !is_of_lacking_module(file, one);
    is_meant.then(|| (*one).to_owned())
}

/// Whether the place of another name can see a name that the file has: its declaration, if one is found.
///
/// A tool may know a name that the file does not have, and every file has those of the prelude.
fn is_in_scope(file: &FileView<'_>, name: &str, wanted: usize) -> bool {
    if is_member(file, wanted) || is_label(&nodes_at(file, wanted)) {
        return true;
    }
    let all = file.names().get(name).map_or(&[][..], Vec::as_slice);
    // The first places, and those around the other name.
    let first = all.len().min(SCOPE_PLACES / 2);
    let near = all.partition_point(|at| *at < wanted).saturating_sub(SCOPE_PLACES / 4).max(first);
    let near = all.iter().skip(near).take(SCOPE_PLACES / 2);
    let places: Vec<usize> = all[..first].iter().chain(near).copied().collect();
    let is_deleted =
        |at: &usize| nodes_at(file, *at).get(1).is_some_and(|it| it.kind() == "delete_statement");
    let declares =
        |at: &usize| is_in_code(file, *at) && (is_declaration(&nodes_at(file, *at)) || is_import(file, *at));
    let declared: Vec<usize> = places.iter().copied().filter(declares).collect();
    let telling = if declared.is_empty() { &places } else { &declared };
    let is_seen = || telling.iter().any(|at| can_stand(file, *at, wanted, false));
    let is_given = || file.grammar().is_some_and(|it| it.prelude().any(|it| it == name));
    places.is_empty() || (is_seen() || declared.is_empty() && is_given()) && !places.iter().any(is_deleted)
}

/// Whether a name is that of a field or of an argument, which is no variable. `nodes` are the name and its ancestors.
fn is_label(nodes: &[Node<'_>]) -> bool {
    let [node, parent, ..] = nodes else { return false };
    let is_argument = parent.kind() == "keyword_argument" && parent.start_byte() == node.start_byte();
    is_argument || node.kind().contains("property") || node.kind().contains("field")
}

/// Whether a name is imported from a module of the project that does not have it.
fn is_of_lacking_module(file: &FileView<'_>, name: &str) -> bool {
    let places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    let mut modules = places.filter_map(|at| module_names(file, *at));
    modules.any(|names| names.iter().all(|it| it != name))
}

pub(super) fn first_letter(name: &str) -> Option<char> {
    name.chars().next()
}

/// Whether the name at a byte follows the operator of a member access.
pub(super) fn is_member(file: &FileView<'_>, at: usize) -> bool {
    let before = &file.contents()[..floor_boundary(file.contents(), at)];
    let code = before.trim_end();
    // Behind a blank, dots without a value before them are a placeholder or a range.
    let has_value = |head: &str| {
        code.len() == before.len() || head.ends_with(|it| ident::is_part(it) || ")]}".contains(it))
    };
    ["::", "->", "."].iter().any(|it| code.strip_suffix(it).is_some_and(has_value))
}

/// Whether a name has the same role somewhere as the one at a byte, such as a call or a type.
fn has_role_of(file: &FileView<'_>, at: usize, name: &str) -> bool {
    let role = |at: usize| {
        let node = node_at(file, at)?;
        // The node may be a comment of several lines.
        let behind = file.slice(node.end_byte()..file.next_line_start(node.end_byte()));
        let parent = node.parent().map_or("", |it| it.kind());
        Some((
            node.kind(),
            behind.starts_with('('),
            parent.contains("new") || parent.contains("object_creation"),
        ))
    };
    let wanted = role(at);
    // An import has no role, and is of a type or of a value.
    let places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    let places = places.filter(|at| !is_import(file, **at));
    let is_type = wanted.is_some_and(|(kind, ..)| kind.contains("type"));
    let in_prelude = || file.grammar().is_some_and(|it| it.prelude().any(|it| it == name));
    let is_capital = name.starts_with(char::is_uppercase);
    // A call of a name like `valueError` is not of a variable; `Map` may be a type that is not declared yet.
    let is_called = wanted.is_some_and(|(_, is_called, _)| is_called);
    let is_of_words = is_called && ident::parts(name).len() > 1;
    wanted.is_some() && places.into_iter().any(|it| role(*it) == wanted)
        || is_capital && (is_type || is_of_words) && in_prelude()
}

/// Whether the name at a byte can be meant at another position.
pub(super) fn can_stand(file: &FileView<'_>, at: usize, wanted: usize, is_member: bool) -> bool {
    let nodes = nodes_at(file, at);
    let Some(node) = nodes.first().filter(|node| node.kind().contains("identifier")) else {
        return false;
    };
    let parent = nodes.get(1);
    let before = file.slice(file.line_start(at)..at);
    let is_behind = ["::", "->", "."].iter().any(|it| before.ends_with(it));
    let is_of_type = ["property", "field", "method"]
        .iter()
        .any(|it| node.kind().contains(it) || parent.is_some_and(|parent| parent.kind().contains(it)));
    if is_member {
        return is_behind || is_of_type || is_method(&nodes);
    }
    // An import brings the last name of its path into the file.
    let is_last = || {
        let behind = file.slice(node.end_byte()..file.next_line_start(at));
        !behind.starts_with("::") && !behind.starts_with('.')
    };
    let is_imported = is_behind && is_last() && file.is_import(at);
    // A keyword argument is a parameter of another function.
    if is_behind && !is_imported || is_label(&nodes) {
        return false;
    }
    is_visible(file, &nodes, wanted)
}

/// Whether a name is that of a function in a class. `nodes` are the name and its ancestors.
fn is_method(nodes: &[Node<'_>]) -> bool {
    let [name, function, _, class, ..] = nodes else { return false };
    is_function(*function)
        && function.child_by_field_name("name") == Some(*name)
        && class.kind().starts_with("class")
}

/// Whether the scope of a name includes a position. `nodes` are the name and its ancestors.
fn is_visible(document: &Document, nodes: &[Node<'_>], wanted: usize) -> bool {
    let facts = document.grammar().map(crate::grammar::Grammar::facts);
    let (blocks, members) = facts.map_or((true, false), |it| (it.block_scopes, it.implicit_receiver));
    if is_in_own_value(document, nodes, wanted) {
        return false;
    }
    let mut is_parameter = false;
    for pair in nodes.windows(2) {
        let [child, parent] = pair else { continue };
        let kind = parent.kind();
        is_parameter |= kind.contains("parameter");
        let names = |field: &str| parent.child_by_field_name(field) == Some(*child);
        // The name of a definition belongs to the enclosing scope.
        let is_declarator = names("declarator") && child.kind().contains("function");
        let is_own_name = !is_parameter && !kind.contains("for_") && (names("name") || is_declarator);
        let is_function =
            ["function", "method", "lambda", "closure", "arrow"].iter().any(|it| kind.contains(it))
                && !kind.contains("declarator")
                && !kind.contains("call");
        let is_block = ["block", "compound_statement", "mod_item"].iter().any(|it| kind.contains(it));
        let is_type = kind.starts_with("class") || kind.contains("impl_item");
        if is_type && !members && !is_own_name && !kind.contains("name") {
            return false;
        }
        let is_comprehension = kind.contains("comprehension") || kind == "generator_expression";
        let is_caught = kind.starts_with("except") && child.kind() != "block";
        let is_scope =
            is_function || is_comprehension || is_caught || blocks && (is_block || is_head(*child, *parent));
        if is_scope && !is_own_name {
            // Enclosing scopes contain both positions.
            return parent.byte_range().contains(&wanted);
        }
    }
    true
}

/// Whether a node is the head of a statement or a case, which declares names for that one alone.
fn is_head(child: Node<'_>, parent: Node<'_>) -> bool {
    let is_before = |field: &&str| parent.child_by_field_name(field).is_some_and(|it| it != child);
    ["_arm", "_case", "_rule", "switch"].iter().any(|it| parent.kind().contains(it))
        || ["body", "consequence"].iter().any(is_before)
}

/// Whether a position is in the value with which a name is declared, but in no function there.
fn is_in_own_value(document: &Document, nodes: &[Node<'_>], wanted: usize) -> bool {
    const NAMES: [&str; 4] = ["declarator", "left", "name", "pattern"];
    let value = |pair: &[Node<'_>]| {
        let [child, parent] = pair else { return None };
        let is_name = NAMES.iter().any(|it| parent.child_by_field_name(it) == Some(*child));
        let value = || parent.child_by_field_name("value").or_else(|| parent.child_by_field_name("right"));
        value().filter(|_| is_name && !parent.kind().ends_with("_arm")).map(|it| it.byte_range())
    };
    let Some(value) = nodes.windows(2).find_map(value).filter(|it| it.contains(&wanted)) else {
        return false;
    };
    let is_within = |it: &Node<'_>| is_function(*it) && value.contains(&it.start_byte());
    is_declaration(nodes) && !nodes_at(document, wanted).iter().any(is_within)
}
