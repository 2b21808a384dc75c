//! Recognizes code that changes a variable, and so needs its `mut`.

use super::certain::Fix;
use super::file_view::FileView;
use super::meant::is_member;
use super::suggested::body_around;
use crate::edit::Edit;
use crate::local::limits::SCOPE_PLACES;
use crate::text::ident;

/// The first words of methods that change what they are called on.
const CHANGES: [&str; 37] = [
    "add",
    "append",
    "as_mut",
    "by_ref",
    "clear",
    "dedup",
    "drain",
    "entry",
    "extend",
    "fill",
    "flush",
    "get_or_insert",
    "insert",
    "make",
    "next",
    "pop",
    "push",
    "put",
    "read",
    "recv",
    "remove",
    "replace",
    "reserve",
    "resize",
    "retain",
    "reverse",
    "rotate",
    "send",
    "set",
    "shrink",
    "shuffle",
    "sort",
    "split_off",
    "swap",
    "take",
    "truncate",
    "write",
];
/// The macros that change their first argument.
const MACROS: [&str; 2] = ["write!(", "writeln!("];
/// The signs between a variable and the value that it is assigned.
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<<=", ">>="];

/// Whether a fix removes the `mut` of a variable that its function changes.
///
/// The compiler's report that nothing changes it is then about an older text.
pub(super) fn removes_needed_mut(file: &FileView<'_>, fix: &Fix) -> bool {
    let is_mut = |edit: &&Edit| edit.text.is_empty() && file.slice(edit.span.clone()) == "mut ";
    fix.edits.iter().filter(is_mut).any(|edit| is_changed(file, edit.span.end))
}

/// Whether the function around a declaration, whose name begins at a byte, changes the variable.
fn is_changed(file: &FileView<'_>, declared: usize) -> bool {
    let text = file.contents();
    let name = ident::first_partial(&text[declared..]);
    let body = body_around(file, declared);
    let is_change = |at: &usize| {
        let before = text[..*at].trim_end();
        let is_declared = ["let", "mut", "ref"].contains(&ident::last_partial(before));
        let is_borrowed = before.strip_suffix("mut").is_some_and(|it| it.trim_end().ends_with('&'));
        let is_written = MACROS.iter().any(|it| before.ends_with(it));
        is_borrowed || is_written || !is_declared && is_changed_by(text, &text[at + name.len()..])
    };
    let places =
        file.names().get(name).into_iter().flatten().filter(|at| body.contains(at) && **at > declared);
    places.filter(|at| !is_member(file, **at)).take(SCOPE_PLACES).any(is_change)
}

/// Whether the code behind a variable assigns it, calls it, or calls a method that changes it.
fn is_changed_by(text: &str, mut behind: &str) -> bool {
    // A closure that changes something is called by its name.
    if behind.starts_with('(') {
        return true;
    }
    loop {
        behind = behind.trim_start();
        if let Some(member) = behind.strip_prefix('.').filter(|it| !it.starts_with('.')) {
            let member = member.trim_start();
            let name = ident::first_partial(member);
            behind = &member[name.len()..];
            if behind.starts_with(['(', ':']) {
                return changes(text, name);
            }
        } else if let Some(inside) = behind.strip_prefix('[') {
            let Some(end) = closing(inside) else { return true };
            behind = &inside[end + 1..];
        } else {
            let is_sign =
                |sign: &str| behind.strip_prefix(sign).is_some_and(|it| !it.starts_with(['=', '>']));
            return ASSIGNMENTS.iter().any(|sign| is_sign(sign));
        }
    }
}

/// Whether a method changes its receiver, by its name or by its declaration in this file.
fn changes(text: &str, method: &str) -> bool {
    let is_of_word =
        |word: &str| method.strip_prefix(word).is_some_and(|it| it.is_empty() || it.starts_with('_'));
    method.ends_with("_mut")
        || CHANGES.iter().any(|word| is_of_word(word))
        || text.contains(&format!("fn {method}(&mut self"))
}

/// The position of the bracket that closes an index.
fn closing(inside: &str) -> Option<usize> {
    let mut depth = 0_usize;
    inside.char_indices().find_map(|(at, sign)| {
        match sign {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
        None
    })
}
