//! Recognizes a missing name that the file has in another role: what is missing there is `self.` or `e->`, and no import.

use super::certain::Fix;
use super::file_view::FileView;
use super::meant::{is_declaration, is_member};
use super::problem::{Problem, unknown_name};
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::nodes_at;
use crate::text::ident;

/// What names the object whose method this is.
pub(super) const RECEIVERS: [&str; 4] = ["cls.", "self.", "this->", "this."];
/// Names in lower case of C's library that are neither functions nor types.
const VALUES: [&str; 11] =
    ["bool", "environ", "errno", "false", "optarg", "opterr", "optind", "stderr", "stdin", "stdout", "true"];

/// Whether a fix imports a name that is a member where it is missing, that the file has as a member or declares, or
/// that is a function of C's library which is not called.
pub(super) fn imports_own(file: &FileView<'_>, problem: &Problem<'_>, fix: &Fix) -> bool {
    let Some((name, span)) = unknown_name(file, problem) else { return false };
    let before = file.slice(file.line_start(span.start)..span.start);
    let behind = file.slice(span.end..file.next_line_start(span.end));
    let is_include = fix.edits.iter().any(|it| it.text.contains("#include"));
    let is_imported = is_include || fix.edits.iter().any(|it| ident::has_word(&it.text, &name));
    // A path begins or continues there, which no variable or member does.
    if !is_imported || before.ends_with("::") || behind.starts_with("::") {
        return false;
    }
    let mut places = file.names().get(name.as_str()).into_iter().flatten().take(SCOPE_PLACES);
    is_member(file, span.start)
        || fix.edits.iter().any(|it| it.text.trim_end().ends_with(".h>"))
            && is_uncalled(file, &name, span.start, &behind)
        || places.any(|at| {
            is_assigned(file, *at, &name)
                || *at != span.start && !file.is_import(*at) && has_other_role(file, *at)
        })
}

/// Whether the name at a byte is a member of this object or of a structure, or is declared.
fn has_other_role(file: &FileView<'_>, at: usize) -> bool {
    let nodes = nodes_at(file.document(), at);
    let [node, parent, ..] = nodes.as_slice() else { return false };
    let kind = parent.kind();
    // There, the field called `name` holds a use.
    let is_use =
        ["annotation", "decorator", "jsx_", "qualified", "template_"].iter().any(|it| kind.contains(it));
    let before = file.slice(file.line_start(at)..at);
    let is_field = node.kind() == "field_identifier"
        || node.kind().contains("identifier") && kind.contains("field_definition")
        || node.kind().contains("property_identifier") && kind == "property_signature";
    is_field || RECEIVERS.iter().any(|it| before.ends_with(it)) || !is_use && is_declaration(&nodes)
}

/// Whether the name at a byte is assigned there.
fn is_assigned(file: &FileView<'_>, at: usize, name: &str) -> bool {
    nodes_at(file.document(), at).into_iter().take(3).any(|around| {
        let left = around.child_by_field_name("left").filter(|_| around.kind().contains("assign"));
        left.is_some_and(|it| it.byte_range() == (at..at + name.len()))
    })
}

/// Whether a name of C's library that is neither a type nor a constant is not called.
fn is_uncalled(file: &FileView<'_>, name: &str, at: usize, behind: &str) -> bool {
    let is_identifier = nodes_at(file.document(), at).first().is_some_and(|it| it.kind() == "identifier");
    is_identifier
        && !name.contains(char::is_uppercase)
        && !VALUES.contains(&name)
        && !behind.trim_start().starts_with('(')
}
