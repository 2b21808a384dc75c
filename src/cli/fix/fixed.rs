//! Finds and checks the fixes of one file.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::files::{FileToFix, Files, IMPORTING_FILES};
use crate::assist::{
    CertainFix, FileFixes, FileImports, FileView, ImportedFolders, OtherFile, Reported, SkipReason,
    Surroundings, fix_file, own_problems,
};
use crate::document::Document;
use crate::edit::{self, Edit, Exceptions, Request, edited};
use crate::snapshot::Diagnostic;
use crate::text::{coded, ident};

coded! {
    /// What happened to a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum ReportOutcome {
        Fixed = "fixed",
        /// No fix is certain.
        NoRule = "no-rule",
        /// Its fix conflicts with the others.
        Left(SkipReason) = "left",
        /// The guards refused the fixes of the file.
        Refused = "refused",
        /// The file has changed since the report.
        Stale = "stale",
    }
}

/// A file with its fixes.
pub(super) struct Fixed {
    pub(super) work: FileToFix,
    pub(super) reported: Vec<Reported>,
    /// Reports about another version of the file.
    pub(super) stale: Vec<Diagnostic>,
    pub(super) fixes: FileFixes,
    pub(super) new_text: String,
    /// Why the guards refused the combined fixes.
    pub(super) refused: Option<String>,
    /// The remaining syntax errors, if no tool reports them.
    pub(super) broken: Option<Broken>,
}

/// The syntax errors of a text.
pub(super) struct Broken {
    pub(super) errors: usize,
    /// The likeliest line of an error, from 1.
    pub(super) line: usize,
}

impl Broken {
    /// `None` if there are none, or if the grammar's errors are unreliable. Waits for the parse.
    fn of(document: &Document) -> Option<Self> {
        document.grammar().filter(|grammar| grammar.errors_are_reliable())?;
        let errors = document.syntax_errors().filter(|errors| *errors > 0)?;
        Some(Self { errors, line: document.likeliest_error_line()? + 1 })
    }
}

/// The other files below the current folder.
struct Around<'a, 'f> {
    files: &'a Files<'f>,
    work: &'a FileToFix,
}

impl Surroundings for Around<'_, '_> {
    fn with_name(&self, name: &str) -> Vec<Arc<OtherFile>> {
        self.files.with_name(self.work, name, IMPORTING_FILES)
    }

    fn is_evidence(&self, uri: &str) -> bool {
        self.files.is_evidence(self.work, uri)
    }

    fn has(&self, name: &str) -> bool {
        self.files.has(self.work, name)
    }

    fn definers(&self, name: &str) -> Option<Vec<String>> {
        self.files.definers(self.work, name)
    }

    fn module(&self, name: &str) -> Option<Vec<String>> {
        self.files.module(self.work, name)
    }

    fn loaded_by(&self, module: &str) -> Vec<String> {
        self.files.loaded_by(self.work, module)
    }

    fn has_folder(&self, name: &str) -> bool {
        self.files.has_folder(self.work, name)
    }
}

pub(super) fn fix_one(files: &Files<'_>, work: FileToFix) -> Fixed {
    let document = &work.document;
    let (mut reported, mut stale) = (Vec::new(), Vec::new());
    match &work.diagnostics {
        Some(diagnostics) => {
            for diagnostic in diagnostics {
                let it = Reported::of_tool(diagnostic, document);
                let is_stale = !diagnostic.is_of(document.text()) || it.is_of_other_text(document);
                if is_stale { stale.push(it.diagnostic) } else { reported.push(it) }
            }
        }
        None => reported = own(&work),
    }
    let fixes = {
        let message = |it: &Reported| (it.diagnostic.span.start, it.message_with_name());
        let messages = reported.iter().map(message).collect::<Vec<_>>();
        let around = Around { files, work: &work };
        let file = FileView::beside(document, around)
            .with_reported(messages.iter().map(|(at, it)| (*at, it.as_str())));
        let fixes = fix_file(&file, &reported);
        match work.diagnostics.is_some() && add_own(&mut reported, &fixes, &file, &work) {
            true => fix_file(&file, &reported),
            false => fixes,
        }
    };
    Fixed { new_text: work.text.clone(), work, reported, stale, fixes, refused: None, broken: None }
}

/// The problems found in a file itself and in the folders that its imports lead to.
fn own(work: &FileToFix) -> Vec<Reported> {
    let folders = ImportedFolders::read(FileImports::of(&work.document, &work.path));
    own_problems(&work.document, Some(&work.path), &folders)
}

/// Adds fixes found without the tool to its reports on the same lines that have no certain fix.
///
/// Returns whether it added one. The file and its folders can show more than a compiler's report does, for
/// instance which file an import means.
fn add_own(reported: &mut [Reported], fixes: &FileFixes, file: &FileView<'_>, work: &FileToFix) -> bool {
    let fixed: BTreeSet<usize> = fixes.fixes.iter().map(|(of, _)| *of).collect();
    if fixed.len() == reported.len() {
        return false;
    }
    let own = own(work).into_iter();
    let mut own: Vec<_> = own.filter_map(|it| Some((it.diagnostic.span.start, it.fix(file)?))).collect();
    let mut has_added = false;
    for (_, report) in reported.iter_mut().enumerate().filter(|(at, _)| !fixed.contains(at)) {
        let lines = work.document.whole_lines(report.diagnostic.span.clone());
        if let Some(at) = own.iter().position(|(start, _)| lines.contains(start)) {
            report.suggest(own.swap_remove(at).1);
            has_added = true;
        }
    }
    has_added
}

impl Fixed {
    /// The same file without its tree, which is built again where it is needed.
    pub(super) fn without_tree(mut self) -> Self {
        self.work.document = self.work.document.without_tree();
        self
    }

    /// Makes the new text, if the guards accept the combined fixes.
    ///
    /// Without a tool, also counts the remaining syntax errors.
    pub(super) fn check(&mut self) {
        let edits = &self.fixes.composed.edits;
        let document = &self.work.document;
        let request = Request {
            text: &self.work.text,
            document: Some(document),
            grammar: document.grammar(),
            allowed: Exceptions { blanks: true, ..Exceptions::default() },
            ..Request::default()
        };
        match edit::accept_edits(&request, edits.clone()) {
            Ok(_) => self.new_text = edit::apply(&self.work.text, edits),
            Err(refusal) => self.refused = Some(refusal.to_string()),
        }
        if self.work.diagnostics.is_none() {
            self.broken = match self.is_changed() {
                false => Broken::of(&self.work.document),
                true => Broken::of(&edited(&self.work.document, edits)),
            };
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        self.new_text != self.work.text
    }

    /// The edits that make the new text.
    pub(super) fn edits(&self) -> &[Edit] {
        if self.refused.is_some() { &[] } else { &self.fixes.composed.edits }
    }

    /// The fixes that make the new text.
    pub(super) fn taken(&self) -> impl Iterator<Item = &CertainFix> {
        let taken = if self.refused.is_some() { &[][..] } else { self.fixes.composed.taken.as_slice() };
        taken.iter().map(|at| &self.fixes.fixes[*at].1)
    }

    /// What happened to each report.
    pub(super) fn outcomes(&self) -> Vec<ReportOutcome> {
        let mut outcomes = vec![ReportOutcome::NoRule; self.reported.len()];
        let is_refused = self.refused.is_some();
        for (of, _) in &self.fixes.fixes {
            outcomes[*of] = if is_refused { ReportOutcome::Refused } else { ReportOutcome::Fixed };
        }
        for (fix, why) in self.fixes.composed.left.iter().filter(|_| !is_refused) {
            outcomes[self.fixes.fixes[*fix].0] = ReportOutcome::Left(*why);
        }
        for (outcome, reported) in outcomes.iter_mut().zip(&self.reported) {
            if *outcome == ReportOutcome::NoRule && self.changes_what_is_reported(reported) {
                *outcome = ReportOutcome::Fixed;
            }
        }
        outcomes
    }

    /// Whether the fix of another report changes the name that this one is about: both report one mistake.
    fn changes_what_is_reported(&self, Reported { diagnostic, .. }: &Reported) -> bool {
        let edits = self.edits();
        let first = edits.partition_point(|it| it.span.end <= diagnostic.span.start);
        let mut inside = edits[first..].iter().take_while(|it| it.span.start < diagnostic.span.end);
        inside.any(|it| {
            let old = &self.work.text[it.span.clone()];
            ident::is_name(old) && ident::has_word(&diagnostic.message, old)
        })
    }
}
