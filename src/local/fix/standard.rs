//! Decides whether a name is the one of C's or C++'s library, or a function of the project that is not written yet.
//!
//! Short words such as `remove`, `find` and `distance` name functions of any program. A call means the library's function
//! only if it has its number of arguments; the name of a template, which takes anything, means nothing without its types.

use std::ops::Range;

use tree_sitter::Node;

use super::file_view::FileView;
use crate::grammar::Grammar;
use crate::local::syntax::nodes_at;
use crate::text::ident;

/// Names of C++'s library that are no words of other programs: the objects of its streams, and the like.
const OBJECTS: [&str; 11] =
    ["boolalpha", "cerr", "cin", "clog", "cout", "endl", "noboolalpha", "nullopt", "wcerr", "wcin", "wcout"];
/// The types of C++'s library that are no templates.
const TYPES: [&str; 22] = [
    "exception",
    "fstream",
    "ifstream",
    "invalid_argument",
    "iostream",
    "istream",
    "istringstream",
    "logic_error",
    "mutex",
    "ofstream",
    "ostream",
    "ostringstream",
    "out_of_range",
    "range_error",
    "runtime_error",
    "size_t",
    "string",
    "string_view",
    "stringstream",
    "thread",
    "wstring",
    "wstring_view",
];
/// Functions of C++'s library whose names say what they do, with their numbers of arguments.
const FUNCTIONS: [(&str, usize); 10] = [
    ("getline", 2),
    ("make_pair", 2),
    ("max", 2),
    ("min", 2),
    ("setfill", 1),
    ("setprecision", 1),
    ("setw", 1),
    ("stod", 1),
    ("stoi", 1),
    ("to_string", 1),
];

/// Whether `std` is meant as the namespace of a bare name: that of a type, of a template with its types, of an object,
/// or of a known function with its number of arguments.
pub(super) fn is_meant(file: &FileView<'_>, span: &Range<usize>, name: &str) -> bool {
    let has_types = file.slice(span.end..file.next_line_start(span.end)).starts_with('<');
    let is_known = match arguments(&nodes_at(file, span.start)) {
        Some(count) => FUNCTIONS.contains(&(name, count)),
        None => OBJECTS.contains(&name),
    };
    is_known || TYPES.contains(&name) || has_types && ident::is_name(name) && !name.starts_with('_')
}

/// Whether a call does not fit the function of C's library that a header declares.
///
/// A function of a C header whose arguments are not known fits no call.
pub(super) fn is_other_call(file: &FileView<'_>, span: &Range<usize>, name: &str, statement: &str) -> bool {
    let nodes = nodes_at(file, span.start);
    let Some(count) = arguments(&nodes) else { return false };
    let is_type = name.ends_with("_t") || name.contains(char::is_uppercase);
    match Grammar::arguments(name) {
        Some((least, most)) => count < least || most.is_some_and(|it| it < count),
        None => !is_type && statement.ends_with(".h>"),
    }
}

/// The number of arguments of the call of the function that the first node names.
fn arguments(nodes: &[Node<'_>]) -> Option<usize> {
    let [name, call, ..] = nodes else { return None };
    let arguments = call.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let count = arguments.named_children(&mut cursor).filter(|it| !it.is_extra()).count();
    (call.child_by_field_name("function") == Some(*name)).then_some(count)
}
