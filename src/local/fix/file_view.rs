//! One file as the rules see it: what several rules need is computed once for all diagnostics.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::Arc;

use super::certain::Fix;
use super::imports;
use super::near_names::NearNames;
use super::other_file::OtherFile;
use super::unknown::{UNRESOLVED, missed_names, says};
use super::unused::unused_names;
use crate::document::Document;
use crate::grammar::{Grammar, Match};
use crate::local::limits::{SCOPE_PLACES, TRIALS};
use crate::local::syntax::{is_function, nodes_at};
use crate::text::ident;

/// The byte order mark.
pub(super) const MARK: char = '\u{feff}';
/// Minimum size in bytes of each half of a joined name.
const HALF_BYTES: usize = 2;
/// Maximum number of positions at which a joined name is split.
const NAME_BYTES: usize = 128;

/// The other files of a project, as the rules query them.
pub trait Surroundings {
    /// The nearest other files that contain a name; their imports of it are candidates.
    fn with_name(&self, name: &str) -> Vec<Arc<OtherFile>>;

    /// Whether another file shows what this one can import.
    fn is_evidence(&self, _uri: &str) -> bool {
        true
    }

    /// Whether another file defines or imports a name.
    fn has(&self, name: &str) -> bool {
        self.with_name(name).iter().any(|it| it.has(name))
    }

    /// The URIs of all other files that define a name as something other than a member, each once.
    ///
    /// `None` if too many files have the name to know.
    fn definers(&self, name: &str) -> Option<Vec<String>> {
        let found = self.with_name(name);
        Some(found.iter().filter(|it| it.defines(name)).map(|it| it.uri().to_owned()).collect())
    }

    /// Whether an import could bring a name into this file: another file defines or imports it.
    ///
    /// Also true if too many files have the name to know.
    fn can_import(&self, name: &str) -> bool {
        self.definers(name).is_none_or(|it| !it.is_empty())
            || self.with_name(name).iter().any(|it| it.imports(name))
    }

    /// The names that can be imported from the project's module with this last part of its path: no members of its
    /// classes. `None` if there is no such module.
    fn module(&self, _name: &str) -> Option<Vec<String>> {
        None
    }

    /// What the project's modules with this last part of their paths import as they are loaded: the last parts of the
    /// paths, and the names.
    fn loaded_by(&self, _module: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a folder of the project has a name.
    fn has_folder(&self, name: &str) -> bool {
        self.with_name(name).iter().any(|it| it.folder_name() == Some(name))
    }

    /// Whether another cell of the same notebook has a name.
    fn is_in_other_cells(&self, _name: &str) -> bool {
        false
    }
}

impl<F: Fn(&str) -> Vec<Arc<OtherFile>>> Surroundings for F {
    fn with_name(&self, name: &str) -> Vec<Arc<OtherFile>> {
        self(name)
    }
}

/// A document, and what the rules need to know about it.
///
/// Its methods wait for the parse.
pub struct FileView<'d> {
    document: &'d Document,
    others: Box<dyn Surroundings + 'd>,
    /// The messages of the file's diagnostics.
    messages: Vec<(usize, &'d str)>,
    /// The names that are reported as unknown.
    missed: OnceCell<HashSet<Rc<str>>>,
    /// The names that are reported as unused.
    unused: OnceCell<NearNames>,
    /// The names among them that imports have.
    missed_imports: OnceCell<Vec<Rc<str>>>,
    near_missed: OnceCell<NearNames>,
    joined: OnceCell<HashSet<Rc<str>>>,
    contents: OnceCell<String>,
    errors: OnceCell<Option<usize>>,
    imports: OnceCell<Vec<Match<'d>>>,
    import_spans: OnceCell<Vec<Range<usize>>>,
    imported: OnceCell<Vec<(usize, String)>>,
    statements: OnceCell<HashSet<String>>,
    names: OnceCell<HashMap<Rc<str>, Vec<usize>>>,
    near_names: OnceCell<NearNames>,
    words: OnceCell<HashMap<String, usize>>,
    missing_brace: OnceCell<Option<Fix>>,
    keywords: OnceCell<Vec<&'static str>>,
    /// What modules of the project load: each look-up passes over all files.
    loaded: RefCell<HashMap<String, Rc<[String]>>>,
    trials: Cell<usize>,
}

impl<'d> FileView<'d> {
    /// A view of a file without any others.
    pub fn new(document: &'d Document) -> Self {
        Self::beside(document, |_: &str| Vec::new())
    }

    /// A view of a file with other files around it.
    pub fn beside(document: &'d Document, others: impl Surroundings + 'd) -> Self {
        Self {
            document,
            others: Box::new(others),
            messages: Vec::new(),
            missed: OnceCell::new(),
            unused: OnceCell::new(),
            missed_imports: OnceCell::new(),
            near_missed: OnceCell::new(),
            joined: OnceCell::new(),
            contents: OnceCell::new(),
            errors: OnceCell::new(),
            imports: OnceCell::new(),
            import_spans: OnceCell::new(),
            imported: OnceCell::new(),
            statements: OnceCell::new(),
            names: OnceCell::new(),
            near_names: OnceCell::new(),
            words: OnceCell::new(),
            missing_brace: OnceCell::new(),
            keywords: OnceCell::new(),
            loaded: RefCell::default(),
            trials: Cell::new(TRIALS),
        }
    }

    /// The same view with the messages of the file's diagnostics.
    ///
    /// No fix then removes a name that one of them [misses](missed_names).
    #[must_use]
    pub fn with_reported(self, messages: impl Iterator<Item = (usize, &'d str)>) -> Self {
        Self { messages: messages.collect(), ..self }
    }

    /// The document itself.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// The whole text.
    pub(super) fn contents(&self) -> &str {
        self.contents.get_or_init(|| self.document.text().to_string())
    }

    /// The number of syntax errors; `None` without a grammar.
    pub(super) fn errors(&self) -> Option<usize> {
        *self.errors.get_or_init(|| self.document.syntax_errors())
    }

    /// The keywords of the language.
    pub(super) fn keywords(&self) -> &[&'static str] {
        self.keywords
            .get_or_init(|| self.document.grammar().into_iter().flat_map(Grammar::keywords).collect())
    }

    /// The imports, in order.
    pub(super) fn imports(&self) -> &[Match<'d>] {
        self.imports.get_or_init(|| imports::imports(self.document))
    }

    /// Whether a byte is in an import.
    ///
    /// Unless all imports are known, only those at the byte are queried.
    pub(super) fn is_import(&self, byte: usize) -> bool {
        if self.imports.get().is_none() {
            return imports::is_import(self.document, byte);
        }
        let spans = self.import_spans.get_or_init(|| {
            let mut spans: Vec<Range<usize>> = Vec::new();
            for span in self.imports().iter().map(|it| it.node.byte_range()) {
                match spans.last_mut() {
                    Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                    _ => spans.push(span),
                }
            }
            spans
        });
        let next = spans.partition_point(|span| span.start <= byte);
        next.checked_sub(1).is_some_and(|at| spans[at].contains(&byte))
    }

    /// The names that the imports in a range bring in, before and after a renaming; of an import without a name,
    /// the ends of its path.
    pub(super) fn imported_in(&self, span: &Range<usize>) -> impl Iterator<Item = &str> {
        let all = self.imported.get_or_init(|| {
            let mut all: Vec<(usize, String)> = Vec::new();
            let is_folder = self.document.grammar().is_some_and(|it| it.facts().folder_packages);
            for it in self.imports() {
                let node = it.identifying_node();
                let text = self.document.slice(node.byte_range());
                match it.name {
                    Some(_) => {
                        let original = it.original.map(|node| self.document.slice(node.byte_range()));
                        all.extend(original.map(|original| (node.start_byte(), original)));
                        all.push((node.start_byte(), text));
                    }
                    None => {
                        let ends = ends(&text, is_folder).map(|end| (node.start_byte(), end.to_owned()));
                        all.extend(ends);
                    }
                }
            }
            all.sort();
            all
        });
        let first = all.partition_point(|(at, _)| *at < span.start);
        all[first..].iter().take_while(|(at, _)| *at < span.end).map(|(_, name)| name.as_str())
    }

    /// Whether an import brings a name into scope at a byte: imports of another function do not count.
    pub(super) fn has_import(&self, name: &str, wanted: usize) -> bool {
        self.names().get(name).is_some_and(|places| {
            let reaches = |at: usize| {
                let function = nodes_at(self.document, at).into_iter().find(|it| is_function(*it));
                function.is_none_or(|it| it.byte_range().contains(&wanted))
            };
            let is_there = |at: &usize| self.imported_in(&(*at..at + 1)).any(|it| it == name) && reaches(*at);
            places.iter().any(is_there)
        })
    }

    /// Whether a line of the file is exactly this statement, without indentation.
    pub(super) fn has_statement(&self, statement: &str) -> bool {
        let read = || self.contents().lines().map(|line| line.trim_end().to_owned()).collect();
        self.statements.get_or_init(read).contains(statement)
    }

    /// The names, which may contain `$`, each with the positions (bytes) where it begins.
    pub(super) fn names(&self) -> &HashMap<Rc<str>, Vec<usize>> {
        self.names.get_or_init(|| {
            let mut names: HashMap<Rc<str>, Vec<usize>> = HashMap::new();
            for (end, word) in ident::words_with_dollars(self.contents()) {
                if word.starts_with(char::is_numeric) {
                    continue;
                }
                let start = end - word.len();
                match names.get_mut(word) {
                    Some(starts) => starts.push(start),
                    None => _ = names.insert(Rc::from(word), vec![start]),
                }
            }
            names
        })
    }

    /// Where a name begins (bytes), if it occurs only once in the file.
    pub(super) fn only_place_of(&self, name: &str) -> Option<usize> {
        match self.names().get(name)?.as_slice() {
            [at] => Some(*at),
            _ => None,
        }
    }

    /// The positions where a name can be split into two names that the file has.
    pub(super) fn halves<'n>(&'n self, name: &'n str) -> impl Iterator<Item = usize> + 'n {
        let is_known = |half: &str| half.len() >= HALF_BYTES && self.names().contains_key(half);
        let places = name.char_indices().map(|(at, _)| at).take(NAME_BYTES);
        places.filter(move |at| is_known(&name[..*at]) && is_known(&name[*at..]))
    }

    /// How often a name occurs in a part of the file, including comments and strings.
    pub(super) fn count_in(&self, name: &str, span: &Range<usize>) -> usize {
        let Some(places) = self.names().get(name) else { return 0 };
        places.partition_point(|at| *at < span.end) - places.partition_point(|at| *at < span.start)
    }

    /// Whether the file also has a name with a lower-case first letter: a variable beside a type.
    pub(super) fn has_without_capital(&self, name: &str) -> bool {
        let mut letters = name.chars();
        let first = letters.next().filter(|first| first.is_uppercase());
        first.is_some_and(|first| {
            let variable: String = first.to_lowercase().chain(letters).collect();
            self.names().contains_key(variable.as_str())
        })
    }

    /// The other names of the file that are one letter away.
    pub(super) fn near(&self, name: &str) -> Vec<&str> {
        self.near_names.get_or_init(|| NearNames::of(self.names().keys().cloned())).near(name)
    }

    /// Whether several words of the file, including its comments, contain a part of a name.
    pub(super) fn has_word(&self, part: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let mut words: HashMap<String, usize> = HashMap::new();
            for name in self.names().keys() {
                for part in ident::parts(name) {
                    *words.entry(part.text.to_lowercase()).or_default() += 1;
                }
            }
            words
        });
        words.get(&part.to_lowercase()).is_some_and(|names| *names > 1)
    }

    /// The names that are reported as unknown.
    fn missed(&self) -> &HashSet<Rc<str>> {
        let names = || self.messages.iter().flat_map(|(_, it)| missed_names(it)).map(Rc::from).collect();
        self.missed.get_or_init(names)
    }

    /// What the project's modules of a name import as they are loaded, as [`Surroundings::loaded_by`].
    pub(super) fn loaded_by(&self, module: &str) -> Rc<[String]> {
        let mut loaded = self.loaded.borrow_mut();
        let look = || Rc::from(self.others.loaded_by(module));
        Rc::clone(loaded.entry(module.to_owned()).or_insert_with(look))
    }

    /// Whether any name is reported as unknown.
    pub(super) fn has_missed(&self) -> bool {
        !self.missed().is_empty()
    }

    /// Whether any name is reported as unknown, or a member or a type of which members depend.
    pub(super) fn has_unresolved(&self) -> bool {
        self.has_missed() || self.messages.iter().any(|(_, it)| says(&it.to_lowercase(), UNRESOLVED))
    }

    /// Whether a name is reported as unknown.
    pub(super) fn is_missed(&self, name: &str) -> bool {
        self.missed().contains(name)
    }

    /// Whether a name in an import that is reported as unknown ends with this name: `alloc::borrowToOwned`.
    pub(super) fn ends_missed_import(&self, name: &str) -> bool {
        let is_imported = |it: &&Rc<str>| {
            let places = self.names().get(&***it).into_iter().flatten().take(SCOPE_PLACES);
            places.into_iter().any(|at| self.is_import(*at))
        };
        let find = || self.missed().iter().filter(is_imported).cloned().collect();
        let missed: &Vec<Rc<str>> = self.missed_imports.get_or_init(find);
        missed.iter().any(|it| it.len() > name.len() && it.ends_with(name))
    }

    fn near_missed(&self) -> &NearNames {
        self.near_missed.get_or_init(|| NearNames::of(self.missed().iter().cloned()))
    }

    /// Whether a name is reported as unknown, is one letter away from such a name, or is a half of one.
    pub(super) fn is_near_missed(&self, name: &str) -> bool {
        let near = self.near_missed();
        let joined = self.joined.get_or_init(|| {
            let halves =
                |name| self.halves(name).flat_map(move |at| [&name[..at], &name[at..]]).map(Rc::from);
            self.missed().iter().flat_map(|it| halves(&**it)).collect()
        });
        self.is_missed(name) || !near.near(name).is_empty() || joined.contains(name)
    }

    /// Whether anything but an unused name is reported in a span.
    pub(super) fn is_wrong_in(&self, span: &Range<usize>) -> bool {
        let mut here = self.messages.iter().filter(|(at, _)| span.contains(at));
        here.any(|(_, message)| unused_names(message).is_empty())
    }

    /// Whether one name is reported as missing and another as unused, with no third one similar to either of them.
    ///
    /// One of the two then misspells the other.
    pub(super) fn are_one_name(&self, missed: &str, unused: &str) -> bool {
        let reported = || self.messages.iter().flat_map(|(_, it)| unused_names(it)).map(Rc::from);
        let all_unused =
            self.unused.get_or_init(|| NearNames::of(reported().collect::<HashSet<_>>().into_iter()));
        self.is_missed(missed)
            && all_unused.near(missed) == [unused]
            && self.near_missed().near(unused) == [missed]
    }

    /// The fix for the file's one missing brace. `find` looks for it once, for all diagnostics.
    pub(super) fn missing_brace(&self, find: impl FnOnce(&Document) -> Option<Fix>) -> Option<&Fix> {
        self.missing_brace.get_or_init(|| find(self.document)).as_ref()
    }

    /// The document with a text inserted, for a trial parse. `None` once the file's trials are used up.
    pub(super) fn tried(&self, at: usize, text: &str) -> Option<Document> {
        self.tried_instead(at..at, text)
    }

    /// The file with a text in place of a span, with the limit of [`FileView::tried`].
    pub(super) fn tried_instead(&self, span: Range<usize>, text: &str) -> Option<Document> {
        self.trials.set(self.trials.get().checked_sub(1)?);
        Some(self.document.with(span, text))
    }

    /// Whether the file's trials are not used up.
    pub(super) fn has_trials(&self) -> bool {
        self.trials.get() > 0
    }

    /// Whether another cell of the same notebook has a name.
    pub fn is_in_other_cells(&self, name: &str) -> bool {
        self.document.is_cell() && self.others.is_in_other_cells(name)
    }

    /// The other files.
    pub(super) fn others(&self) -> &dyn Surroundings {
        &*self.others
    }
}

/// The first and the last name of a path; only the last one if it is the path of a folder.
fn ends(path: &str, is_folder: bool) -> impl Iterator<Item = &str> {
    let mut names = ident::names(path);
    let last = names.next_back();
    let first = names.next().filter(|_| !is_folder);
    first.into_iter().chain(last)
}

impl Deref for FileView<'_> {
    type Target = Document;

    fn deref(&self) -> &Document {
        self.document
    }
}
