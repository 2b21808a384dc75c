//! All certain fixes of one file, as one set of edits.

use std::collections::HashSet;
use std::ops::Range;

use crate::document::Document;
pub use crate::local::fix::{
    Composed, FileView, Fix as CertainFix, Kind as FixKind, OtherFile, SkipReason, Surroundings,
    compose as compose_fixes, join as join_fixes, relies_on,
};
use crate::local::fix::{Problem, Suggestion, fix, is_of_other_text, missed_names, untried_fix};
use crate::snapshot::{Diagnostic, Severity};
use crate::tool_output::{self, Safety};

/// Limit on fixes that are tried alone after all together broke the syntax.
const FIXES_TRIED: usize = 64;

/// A diagnostic with its tool's notes and fixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The diagnostic, located in the file.
    pub diagnostic: Diagnostic,
    /// Helps and notes.
    pub notes: Vec<String>,
    /// Fixes that the tool suggests.
    pub suggestions: Vec<Suggestion>,
}

impl Reported {
    /// An error found without a tool.
    pub(super) fn own(span: Range<usize>, message: &str) -> Self {
        let source = Some("tandem".to_owned());
        Self::from(Diagnostic { source, ..Diagnostic::new(span, Severity::Error, message) })
    }

    /// Locates a tool's diagnostic in a file.
    ///
    /// The caller must check that it is [of this version](tool_output::Diagnostic::is_of).
    pub fn of_tool(it: &tool_output::Diagnostic, document: &Document) -> Self {
        let text = document.text();
        let suggestions = it.fixes.iter().filter_map(|fix| {
            let own = fix.edits.iter().all(|edit| edit.path.is_none());
            let edits = fix.edits.iter().map(|edit| edit.edit(text, it.unit)).collect::<Option<Vec<_>>>()?;
            let is_safe = fix.safety == Safety::Safe;
            own.then(|| Suggestion { title: fix.title.clone(), is_safe, edits })
        });
        let diagnostic = Diagnostic {
            span: it.span(text),
            severity: it.severity,
            message: it.message.clone(),
            code: it.code.clone(),
            source: it.source.clone(),
            related: Vec::new(),
        };
        Self { diagnostic, notes: it.notes.clone(), suggestions: suggestions.collect() }
    }

    /// Adds a fix that something other than the report makes certain.
    pub fn suggest(&mut self, fix: CertainFix) {
        self.suggestions.push(Suggestion { title: fix.title, is_safe: true, edits: fix.edits });
    }

    /// The message, followed by the note that names the symbol, as javac prints it.
    pub fn message_with_name(&self) -> String {
        let name = self.notes.iter().find(|note| note.contains("symbol:"));
        let message = &self.diagnostic.message;
        name.map_or_else(|| message.clone(), |name| format!("{message}\n{name}"))
    }

    /// The first line of the message, with the symbol that javac names below it.
    pub fn summary(&self) -> String {
        let first = self.diagnostic.message.lines().next().unwrap_or_default();
        let symbol = self.notes.iter().find_map(|note| note.trim().strip_prefix("symbol:"));
        match symbol {
            Some(symbol) => format!("{first}: {}", symbol.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => first.to_owned(),
        }
    }

    fn is_of_rustc(&self) -> bool {
        self.diagnostic.source.as_deref() == Some("rustc")
    }

    /// Whether it is about a name that is not known.
    fn reports_missing_name(&self) -> bool {
        !missed_names(&self.diagnostic.message).is_empty()
    }

    /// Whether the diagnostic is about names of another version of the text.
    pub fn is_of_other_text(&self, document: &Document) -> bool {
        is_of_other_text(document, &self.problem())
    }

    /// The certain fix. Waits for the parse.
    pub fn fix(&self, file: &FileView<'_>) -> Option<CertainFix> {
        fix(file, &self.problem())
    }

    /// The certain fix without the parser's trial, for fixes that are tried together.
    ///
    /// Waits for the parse.
    pub fn untried_fix(&self, file: &FileView<'_>) -> Option<CertainFix> {
        untried_fix(file, &self.problem())
    }

    fn problem(&self) -> Problem<'_> {
        let message = &self.diagnostic.message;
        Problem::new(self.diagnostic.span.clone(), message).with(&self.notes, &self.suggestions)
    }
}

impl From<Diagnostic> for Reported {
    /// Converts an editor's diagnostic: messages of related locations become notes.
    fn from(diagnostic: Diagnostic) -> Self {
        let notes = diagnostic.related.iter().map(|(_, message)| message.clone()).collect();
        Self { diagnostic, notes, suggestions: Vec::new() }
    }
}

/// The fixes of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFixes {
    /// Each fix with the index of its diagnostic.
    pub fixes: Vec<(usize, CertainFix)>,
    /// The fixes that can be combined, by their index in `fixes`.
    pub composed: Composed,
}

/// Finds the certain fix of each diagnostic, and combines the fixes.
///
/// Errors precede warnings; otherwise file order decides. All fixes are tried together first. A fix is retried
/// alone, and then with other rules, only if that trial shows that it breaks the syntax.
///
/// Waits for the parse.
pub fn fix_file(file: &FileView<'_>, reported: &[Reported]) -> FileFixes {
    let mut order: Vec<usize> = (0..reported.len()).collect();
    order.sort_by_key(|at| (reported[*at].diagnostic.severity, reported[*at].diagnostic.span.start, *at));
    let mut fixes: Vec<(usize, CertainFix)> = Vec::new();
    for at in order {
        let it = &reported[at];
        if it.diagnostic.severity <= Severity::Warning || !it.suggestions.is_empty() {
            fixes.extend(it.untried_fix(file).map(|fix| (at, fix)));
        }
    }
    // While a name is unresolved, rustc's errors about types and ownership may only follow from that.
    if reported.iter().any(|it| it.is_of_rustc() && it.reports_missing_name()) {
        fixes.retain(|(at, fix)| {
            let it = &reported[*at];
            let is_error = it.diagnostic.severity == Severity::Error;
            !(fix.kind == FixKind::OfTool && is_error && it.is_of_rustc()) || it.reports_missing_name()
        });
    }
    // A line with an error was not written to its end: what a tool finds superfluous there may be needed.
    let line = |it: &Reported| file.line_start(it.diagnostic.span.start.min(file.text().len_bytes()));
    let of_severity = |severity| reported.iter().filter(move |it| it.diagnostic.severity == severity);
    let wrong: HashSet<usize> = of_severity(Severity::Error).map(line).collect();
    fixes.retain(|(at, fix)| {
        let is_warning = reported[*at].diagnostic.severity == Severity::Warning;
        fix.kind != FixKind::OfTool || !is_warning || !wrong.contains(&line(&reported[*at]))
    });
    // What is unused may be what the author misspelt, or has half renamed.
    let is_fixed = |at: usize| fixes.iter().any(|(fixed, _)| *fixed == at);
    if (0..reported.len()).any(|at| reported[at].reports_missing_name() && !is_fixed(at)) {
        fixes.retain(|(_, fix)| !matches!(fix.kind, FixKind::UnusedImport | FixKind::UnusedVariable));
    }
    let compose = |fixes: &[(usize, CertainFix)]| {
        let only: Vec<CertainFix> = fixes.iter().map(|(_, fix)| fix.clone()).collect();
        compose_fixes(file, &only)
    };
    let composed = compose(&fixes);
    let breaking = composed.left.iter().filter(|(_, why)| *why == SkipReason::Syntax).take(FIXES_TRIED);
    let breaking: Vec<usize> = breaking.map(|(fix, _)| *fix).collect();
    if breaking.is_empty() {
        return FileFixes { composed, fixes };
    }
    for fix in breaking.into_iter().rev() {
        match reported[fixes[fix].0].fix(file) {
            Some(other) => fixes[fix].1 = other,
            None => drop(fixes.remove(fix)),
        }
    }
    FileFixes { composed: compose(&fixes), fixes }
}

/// The fix for a diagnostic that needs no model, if one is certain.
///
/// Waits for the parse.
pub fn certain_fix(file: &FileView<'_>, diagnostic: &Diagnostic) -> Option<CertainFix> {
    Reported::from(diagnostic.clone()).fix(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::edit;

    #[test]
    fn offer_of_rustc_waits_until_all_names_are_known() {
        let text = "#[derive(Cpoy)]\nstruct A;\nfn f(a: &A) -> A {\n    *a\n}\n";
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
        let of_rustc = |span: Range<usize>, message: &str, edit: edit::Edit| {
            let source = Some("rustc".to_owned());
            let diagnostic = Diagnostic { source, ..Diagnostic::new(span, Severity::Error, message) };
            let title = "a fix".to_owned();
            let suggestions = vec![Suggestion { title, is_safe: true, edits: vec![edit] }];
            Reported { suggestions, ..Reported::from(diagnostic) }
        };
        let at = text.find("*a").unwrap();
        let moved = of_rustc(at..at + 2, "cannot move out of `*a`", edit::Edit::new(at..at + 2, "&*a"));
        let missed = "cannot find derive macro `Cpoy` in this scope";
        let missed = of_rustc(9..13, missed, edit::Edit::new(9..13, "Copy"));
        let file = FileView::new(&document);
        let fixed = |reported: &[Reported]| fix_file(&file, reported).composed.edits.len();
        assert_eq!([fixed(std::slice::from_ref(&moved)), fixed(&[missed, moved])], [1, 1]);
    }

    #[test]
    fn import_is_kept_while_a_name_is_unknown() {
        let text = "import numpy as np\n\nnumpy.zeros(3)\n";
        let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, text);
        let unused = Reported::own(7..18, "`numpy` imported but unused");
        let at = text.find("numpy.").unwrap();
        let missed = Reported::own(at..at + 5, "Undefined name `zeroes`");
        let file = FileView::new(&document);
        let fixes = |reported: &[Reported]| fix_file(&file, reported).fixes.len();
        let alone = fixes(std::slice::from_ref(&unused));
        assert_eq!((alone, fixes(&[unused, missed])), (1, 0));
    }

    #[test]
    fn import_is_kept_for_a_name_that_stands_in_a_note() {
        let text = "import java.util.HashMap;\n\nclass A {\n  HashMapp a;\n}\n";
        let document = Document::new(DocumentId::new("file:///A.java"), "java", 0, text);
        let unused = Reported::own(0..25, "Unused import - java.util.HashMap.");
        let missed = |name: &str| {
            let notes = vec![format!("symbol:   class {name}")];
            Reported { notes, ..Reported::own(39..47, "cannot find symbol") }.message_with_name()
        };
        let fix =
            |missed: &str| unused.fix(&FileView::new(&document).with_reported([(39, missed)].into_iter()));
        assert_eq!(fix(&missed("HashMapp")), None);
        assert!(fix(&missed("Other")).is_some());
    }
}
