//! The definitions and imports of a text.

use std::collections::HashSet;
use std::ops::Range;

use crate::document::Document;
use crate::edit::line;
use crate::grammar::QueryKind;
use crate::text::ident;

/// A definition that is not local to a function.
pub(in crate::edit) struct Definition {
    pub(in crate::edit) name: String,
    /// The bytes of its name, or of the type that names it.
    pub(in crate::edit) name_span: Range<usize>,
    /// The kind by the language's query; all callables are functions.
    pub(in crate::edit) kind: &'static str,
    /// Its bytes.
    pub(in crate::edit) span: Range<usize>,
}

impl Definition {
    pub(in crate::edit) fn is_callable(&self) -> bool {
        self.kind == CALLABLE
    }

    /// Whether it is of more than one line.
    pub(super) fn has_lines(&self, text: &str) -> bool {
        text[self.span.clone()].contains('\n')
    }

    /// The same definition in a text that begins elsewhere.
    pub(in crate::edit) fn shifted(mut self, by: isize) -> Self {
        for span in [&mut self.span, &mut self.name_span] {
            *span = span.start.wrapping_add_signed(by)..span.end.wrapping_add_signed(by);
        }
        self
    }
}

/// The kind of all callables.
const CALLABLE: &str = "function";

/// The definitions of more than one line that lie within a range of a text.
pub(in crate::edit) fn definitions(document: &Document, text: &str, range: &Range<usize>) -> Vec<Definition> {
    let mut found = all_definitions(document, text, range);
    found.retain(|it| it.has_lines(text));
    found
}

/// The [definitions] of more than one line, and the functions of one line with a body that are members of a type or begin
/// in the first column: others may be local.
pub(super) fn all_definitions(document: &Document, text: &str, range: &Range<usize>) -> Vec<Definition> {
    let mut found = Vec::new();
    // The end of the last function; definitions before it are local to it.
    let mut end_of_function = 0;
    // The definitions of several lines around the next one: their ends, and whether they have members.
    let mut around: Vec<(usize, bool)> = Vec::new();
    for it in document.matches(QueryKind::Definitions, range.clone()) {
        let (Some(name), span) = (it.name, it.node.byte_range()) else { continue };
        let is_inside = range.start <= span.start && span.end <= range.end;
        if !is_inside || span.start < end_of_function {
            continue;
        }
        let is_callable = matches!(it.kind, "function" | "method" | "macro");
        if is_callable {
            end_of_function = span.end;
        }
        while around.pop_if(|(end, _)| *end <= span.start).is_some() {}
        let is_flush = || line::indent(line::last_partial(&text[..span.end])).is_empty();
        if text[span.clone()].contains('\n') {
            around.push((span.end, !matches!(it.kind, "constant" | "variable")));
        } else if !is_callable
            || it.node.child_by_field_name("body").is_none()
            || !around.last().map_or_else(is_flush, |(_, has_members)| *has_members)
        {
            continue;
        }
        // A Rust implementation is named by a type, which may have arguments.
        let name_span = name.byte_range();
        let name = ident::words(&text[name_span.clone()]).next().unwrap_or_default().to_owned();
        found.push(Definition { name, name_span, kind: if is_callable { CALLABLE } else { it.kind }, span });
    }
    found
}

/// Definitions in order, each with the name of the one around it, or an empty name.
pub(super) fn with_types(all: &[Definition]) -> impl Iterator<Item = (&Definition, &str)> {
    let mut around: Vec<&Definition> = Vec::new();
    all.iter().map(move |it| {
        while around.pop_if(|outer| outer.span.end <= it.span.start).is_some() {}
        let name = around.last().map_or("", |outer| outer.name.as_str());
        around.push(it);
        (it, name)
    })
}

/// The names that a text imports, and those that it defines by definitions of some kinds, as often as it does.
pub(super) fn declarations<'t>(
    document: &Document,
    text: &'t str,
    is_of_kind: impl Fn(&str) -> bool,
) -> Vec<&'t str> {
    let mut all = document.matches(QueryKind::Definitions, 0..text.len());
    all.retain(|it| is_of_kind(it.kind));
    let all = all.into_iter().chain(document.matches(QueryKind::Imports, 0..text.len()));
    all.flat_map(|it| ident::words(&text[it.identifying_node().byte_range()])).collect()
}

/// Those names, each once.
pub(super) fn declared<'t>(
    document: &Document,
    text: &'t str,
    is_of_kind: impl Fn(&str) -> bool,
) -> HashSet<&'t str> {
    declarations(document, text, is_of_kind).into_iter().collect()
}
