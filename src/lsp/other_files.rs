//! Looks up the imports and definitions of names in other files.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::convert;
use super::limits::{IMPORTED_NAME_BYTES, IMPORTING_FILE_BYTES, IMPORTING_FILES};
use crate::assist::{FileView, OtherFile, Packages, Surroundings};
use crate::document::Document;
use crate::snapshot::Diagnostic;
use crate::text::ident;
use crate::workspace::{FileDefinition, FileSymbols, Kind, Workspace};

/// The files around a document.
struct Around<'a, 'd> {
    files: &'d OtherFiles<'a>,
    document: &'d Document,
}

impl Surroundings for Around<'_, '_> {
    fn with_name(&self, name: &str) -> Vec<Arc<OtherFile>> {
        self.files.with_name(self.document, name)
    }

    fn is_evidence(&self, uri: &str) -> bool {
        let own = convert::file_path(self.document.id().as_str());
        let find = || Packages::among(self.files.workspace.paths().iter().map(|it| &**it));
        let packages = self.files.packages.get_or_init(find);
        // A document that is no file belongs to no package.
        convert::file_path(uri).zip(own).is_none_or(|(other, own)| packages.is_evidence(&other, &own))
    }

    fn has(&self, name: &str) -> bool {
        self.files.has(self.document, name)
    }

    fn definers(&self, name: &str) -> Option<Vec<String>> {
        Some(self.files.definers(self.document, name))
    }

    fn module(&self, name: &str) -> Option<Vec<String>> {
        self.files.module(self.document, name)
    }

    fn loaded_by(&self, module: &str) -> Vec<String> {
        let found = self.files.of_module(self.document, module);
        let loads = |it: &Arc<FileSymbols>| -> Vec<String> {
            let last = |path: &str| ident::names(path).next_back().map(str::to_owned);
            it.imports().flat_map(|it| last(it.path).into_iter().chain([it.name.to_owned()])).collect()
        };
        found.iter().flat_map(loads).collect()
    }

    fn has_folder(&self, name: &str) -> bool {
        let is_named = |path: &Path| path.parent().and_then(Path::file_name).is_some_and(|it| it == name);
        self.files.workspace.paths().iter().any(|path| is_named(path))
    }

    fn is_in_other_cells(&self, name: &str) -> bool {
        let may_have = |it: &&Arc<Document>| it.shares_names_with(self.document) && it.may_have_name(name);
        self.files.open.iter().filter(may_have).any(|it| ident::has_word(&it.text().to_string(), name))
    }
}

/// The other open files, each read at most once, and the index of the workspace.
pub(super) struct OtherFiles<'a> {
    open: &'a [Arc<Document>],
    workspace: &'a Workspace,
    /// The diagnostics of the file that is being fixed.
    reported: &'a [Diagnostic],
    /// The files that were read, by their index in `open`.
    read: RefCell<HashMap<usize, Arc<OtherFile>>>,
    packages: OnceCell<Packages>,
}

impl<'a> OtherFiles<'a> {
    pub(super) fn new(
        open: &'a [Arc<Document>],
        workspace: &'a Workspace,
        reported: &'a [Diagnostic],
    ) -> Self {
        Self { open, workspace, reported, read: RefCell::default(), packages: OnceCell::new() }
    }

    /// The rules' view of a document, with the other files around it.
    pub(super) fn view<'d>(&'d self, document: &'d Document) -> FileView<'d> {
        let messages = self.reported.iter().map(|it| (it.span.start, it.message.as_str()));
        FileView::beside(document, Around { files: self, document }).with_reported(messages)
    }

    /// The open files of the same language that contain a name.
    fn with_name(&self, document: &Document, name: &str) -> Vec<Arc<OtherFile>> {
        if name.is_empty() || name.len() > IMPORTED_NAME_BYTES {
            return Vec::new();
        }
        let has_name = |other: &Document| {
            other.text().len_bytes() <= IMPORTING_FILE_BYTES
                && other.grammar() == document.grammar()
                && other.contains(name)
        };
        let found = self.open.iter().enumerate().filter(|(_, other)| has_name(other)).take(IMPORTING_FILES);
        found.map(|(at, other)| self.read(at, other)).collect()
    }

    /// Whether another file of the same language defines a name, or an open one defines or imports it.
    fn has(&self, document: &Document, name: &str) -> bool {
        let Some(grammar) = document.grammar() else { return false };
        let own = convert::file_path(document.id().as_str());
        let known = self.workspace.definitions(grammar, name);
        let is_other = |it: &FileDefinition| own.as_deref() != Some(&**it.path());
        known.iter().any(is_other) || self.with_name(document, name).iter().any(|it| it.has(name))
    }

    /// The URIs of the workspace's other files that define a name as something other than a member.
    fn definers(&self, document: &Document, name: &str) -> Vec<String> {
        let Some(grammar) = document.grammar() else { return Vec::new() };
        let own = convert::file_path(document.id().as_str());
        let known = self.workspace.definitions(grammar, name);
        let is_other = |it: &&FileDefinition| {
            let is_member = matches!(it.definition().kind, Kind::Field | Kind::Method);
            // `const a = require("a")` imports it.
            let symbols = self.workspace.symbols(it.path());
            let imports = || symbols.is_some_and(|it| it.imports().any(|it| it.name == name));
            !is_member && own.as_deref() != Some(&**it.path()) && !imports()
        };
        let mut found: Vec<String> =
            known.iter().filter(is_other).filter_map(|it| convert::file_uri(it.path())).collect();
        found.dedup();
        found
    }

    /// The names that can be imported from the files that a module name can mean; `None` if there is no such
    /// file.
    fn module(&self, document: &Document, name: &str) -> Option<Vec<String>> {
        let found = self.of_module(document, name);
        let names = |it: &Arc<FileSymbols>| -> Vec<String> {
            let top = it.definitions().filter(|it| !matches!(it.kind, Kind::Field | Kind::Method));
            let defined = top.map(|it| it.name.to_owned());
            defined.chain(it.imports().map(|it| it.name.to_owned())).collect()
        };
        (!found.is_empty()).then(|| found.iter().flat_map(names).collect())
    }

    /// The files that a module name can mean.
    fn of_module(&self, document: &Document, name: &str) -> Vec<Arc<FileSymbols>> {
        let Some(grammar) = document.grammar() else { return Vec::new() };
        let folders = &grammar.facts().folder_files;
        let own = convert::file_path(document.id().as_str());
        let stem = |path: &Path| path.file_stem().is_some_and(|stem| stem == name);
        let is_of_folder = |path: &Path| {
            let is_index = folders.iter().any(|it| path.file_stem().is_some_and(|stem| *stem == **it));
            is_index && path.parent().is_some_and(stem)
        };
        let paths = self.workspace.paths().into_iter().filter(|path| own.as_deref() != Some(&**path));
        let paths = paths.filter(|path| stem(path) || is_of_folder(path));
        paths.filter_map(|path| self.workspace.symbols(&path)).collect()
    }

    fn read(&self, at: usize, other: &Document) -> Arc<OtherFile> {
        // A tree that is built only for this is not kept.
        let read = || Arc::new(OtherFile::read(&other.detached()));
        Arc::clone(self.read.borrow_mut().entry(at).or_insert_with(read))
    }
}
