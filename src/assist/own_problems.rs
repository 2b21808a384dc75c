//! Problems in a file that are found without a tool: by the parser, the files beside it and the index.
//!
//! They are not published as diagnostics, since the language's own server reports the same problems better.
//! They serve where no other tool is asked: `tandem fix` without reports, and the quick fixes that a user
//! requests on a line without a diagnostic. Saving does not use them, since that would complete half-written
//! code unasked.

use std::ops::Range;
use std::path::Path;

use tree_sitter::Node;

use super::fix_file::{CertainFix, FileView, FixKind, Reported};
use super::unresolved_imports::{ImportedFolders, unresolved_imports};
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::names::unknown_names;
use crate::text::ident;
use crate::workspace::Workspace;

/// Limit on the syntax errors of a file.
///
/// With more, one of them causes the others.
const OWN_ERRORS: usize = 8;

/// Missing tokens that the parser reports, and relative imports that lead to no file.
///
/// Waits for the parse.
pub fn own_problems(document: &Document, path: Option<&Path>, folders: &ImportedFolders) -> Vec<Reported> {
    let lost = path.map(|path| unresolved_imports(document, path, folders));
    broken_syntax(document).into_iter().chain(lost.into_iter().flatten()).collect()
}

/// Missing tokens that the parser reports.
///
/// These are the end of a statement, the colon before a block, and a closing brace.
///
/// Empty if the grammar reports errors in valid code. Waits for the parse.
fn broken_syntax(document: &Document) -> Vec<Reported> {
    let is_reliable = document.grammar().is_some_and(crate::grammar::Grammar::errors_are_reliable);
    let errors = document.syntax_errors().unwrap_or(0);
    let Some(tree) = document.syntax().filter(|_| is_reliable && (1..=OWN_ERRORS).contains(&errors)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    collect_missing(tree.root_node(), &mut found);
    found.into_iter().map(|(at, message)| Reported::own(at..at, &message)).collect()
}

/// The certain fixes of problems on the lines of a span that no tool reports.
///
/// They cover [`own_problems`], and calls of unknown functions for which exactly one known name differs by one
/// character.
///
/// `path` is the file's path in the workspace; names that `is_known` accepts need no fix. Waits for the parse.
pub fn own_fixes(
    document: &Document,
    span: &Range<usize>,
    workspace: &Workspace,
    path: Option<&Path>,
    folders: &ImportedFolders,
    is_known: &dyn Fn(&str) -> bool,
) -> Vec<CertainFix> {
    let lines = document.whole_lines(span.start..span.end.max(span.start));
    let is_here =
        |it: &Reported| lines.contains(&it.diagnostic.span.start) || it.diagnostic.span.start == lines.end;
    let file = FileView::new(document);
    let certain =
        own_problems(document, path, folders).into_iter().filter(is_here).filter_map(|it| it.fix(&file));
    let unknown =
        unknown_on(document, &lines, workspace, path).into_iter().filter(|(name, _)| !is_known(name));
    let misspelt = unknown.filter_map(|(name, at)| {
        let fix = Reported::own(at, &format!("cannot find `{name}`")).fix(&file)?;
        let [edit] = fix.edits.as_slice() else { return None };
        let is_letter = fix.kind == FixKind::MisspeltName && strsim::osa_distance(&name, &edit.text) == 1;
        is_letter.then_some(fix)
    });
    certain.chain(misspelt).collect()
}

/// The unknown names that are called on some lines.
///
/// Neither the rest of the file nor the workspace contains them.
fn unknown_on(
    document: &Document,
    lines: &Range<usize>,
    workspace: &Workspace,
    path: Option<&Path>,
) -> Vec<(String, Range<usize>)> {
    let Some(grammar) = document.grammar().filter(|grammar| workspace.is_reliable_for(grammar)) else {
        return Vec::new();
    };
    let Some(tree) = document.syntax() else { return Vec::new() };
    let here = document.slice(lines.clone());
    let rest = document.slice(0..lines.start) + &document.slice(lines.end..document.text().len_bytes());
    let is_known = |name: &str| workspace.knows_beside(path, grammar, name);
    let edits = [Edit::new(lines.start..lines.start, here.as_str())];
    let names = unknown_names(grammar, &rest, &edits, Some(tree), &is_known).into_iter();
    let place = |name: String| {
        let start = lines.start + ident::occurrences(&here, &name).next()?;
        let span = start..start + name.len();
        Some((name, span))
    };
    names.filter_map(place).collect()
}

fn collect_missing(node: Node<'_>, found: &mut Vec<(usize, String)>) {
    if !node.has_error() {
        return;
    }
    if node.is_missing() {
        match node.kind() {
            "}" => found.push((node.start_byte(), "unclosed delimiter".to_owned())),
            sign @ (";" | ":") => found.push((node.start_byte(), format!("missing `{sign}`"))),
            _ => {}
        }
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).for_each(|child| collect_missing(child, found));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// Checks the titles of the fixes on the line of `ˇ`.
    ///
    /// Another file of the workspace defines `load_users`.
    #[track_caller]
    fn check(marked: &str, expected: &[&str]) {
        let at = marked.find('ˇ').unwrap();
        let document = Document::new(DocumentId::new("a"), "rust", 0, &marked.replace('ˇ', ""));
        let workspace = Workspace::default();
        let grammar = document.grammar().unwrap();
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        workspace.put(Path::new("b.rs"), grammar, &format!("pub fn load_users() {{}}\n// {many}"));
        // The file itself is indexed, too, with its mistakes.
        workspace.put(Path::new("a.rs"), grammar, &document.text().to_string());
        workspace.complete();
        let fixes = own_fixes(
            &document,
            &(at..at),
            &workspace,
            Some(Path::new("a.rs")),
            &ImportedFolders::default(),
            &|_| false,
        );
        let titles: Vec<_> = fixes.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(titles, expected);
    }

    #[test]
    fn misspelt_call_is_found_where_one_letter_is_wrong() {
        let imports = "use crate::b::load_users;\n";
        check(
            &format!("{imports}fn f() {{\n    load_usrs();ˇ\n}}\n"),
            &["change `load_usrs` to `load_users`"],
        );
        check(&format!("{imports}fn f() {{ˇ\n    load_usrs();\n}}\n"), &[]);
        check(&format!("{imports}fn f() {{\n    load_users();ˇ\n}}\n"), &[]);
        check(&format!("{imports}fn load_user() {{ˇ\n    load_users();\n}}\n"), &[]);
        check(&format!("{imports}fn f() {{\n    loads_user();ˇ\n}}\n"), &[]);
        // The singular is a different name, not a misspelling.
        check(&format!("{imports}fn f() {{\n    load_user();ˇ\n}}\n"), &[]);
        check("fn f() {\n    drop_all();ˇ\n}\n", &[]);
    }

    #[test]
    fn missing_token_is_found_on_its_line() {
        check("fn f() {\n    let a = 1ˇ\n    let b = 2;\n}\n", &["add the missing `;`"]);
        check("fn f() {\n    let a = 1\n    let b = 2;ˇ\n}\n", &[]);
    }
}
