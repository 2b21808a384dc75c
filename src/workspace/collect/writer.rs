//! Builds a file's symbols from its matches.
//!
//! Their texts are stored consecutively, bounded in length and without keys.

use tree_sitter::Node;

use super::documentation;
use super::query::{FoundDefinition, FoundImport};
use super::unchanged::UnchangedNode;
use crate::grammar::Comments;
use crate::workspace::manifest::{Entry, Manifest};
use crate::workspace::symbols::{FileSymbols, Kind, NO_PARENT, StoredDefinition, StoredImport};
use crate::{privacy, text};

/// Maximum size in bytes of a name, a signature, a doc line or an import's path.
///
/// Each length is stored in one byte.
const MOST_TEXT_BYTES: usize = 200;

/// Builds a file's symbols, with their texts stored consecutively.
#[derive(Default)]
pub(super) struct Writer<'a> {
    source: &'a str,
    text: String,
    definitions: Vec<StoredDefinition>,
    imports: Vec<StoredImport>,
    /// The enclosing definitions of the next one, as indices.
    around: Vec<usize>,
}

impl<'a> Writer<'a> {
    /// Creates a writer for the symbols of `source`.
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, ..Self::default() }
    }

    /// Adds the entries of a project manifest.
    ///
    /// A package is a definition; each entry is kept as an import, with its key as the path, its target as
    /// the name, and its role as the original.
    pub(super) fn manifest(&mut self, manifest: Manifest) {
        if let Some((name, start)) = manifest.package {
            let text = small(self.text.len());
            let name_len = self.add(&name);
            let signature_len = self.add(&format!("package {name}"));
            let doc_len = self.add("");
            self.definitions.push(StoredDefinition {
                start: small(start),
                end: small(start + name.len()),
                name_start: small(start),
                line: small(self.source.get(..start).map_or(0, |it| it.matches('\n').count())),
                parent: NO_PARENT,
                text,
                name_len,
                signature_len,
                doc_len,
                kind: Kind::Module,
            });
        }
        for Entry { role, key, target } in manifest.entries {
            let text = small(self.text.len());
            let path_len = self.add(&key);
            let name_len = self.add(&target);
            let original_len = self.add(role.name());
            self.imports.push(StoredImport { start: 0, text, path_len, name_len, original_len });
        }
    }

    /// Adds a definition, after its enclosing definitions.
    pub(super) fn definition(&mut self, found: &FoundDefinition<'_>, comments: &Comments) {
        let source = self.source;
        let name = documentation::first_line(source.get(found.name.byte_range()).unwrap_or_default());
        if name.is_empty() {
            return;
        }
        let start = found.node.start_byte();
        let line_start = start.saturating_sub(found.node.start_position().column);
        let doc = match found.doc {
            Some(doc) => documentation::docstring(source.get(doc.byte_range()).unwrap_or_default()),
            None => documentation::comment_above(source.get(..line_start).unwrap_or_default(), comments),
        };
        let text = small(self.text.len());
        let name_len = self.add(name);
        let signature_len = self.add(&signature(source, line_start, found));
        let doc_len = self.add(doc);
        let ends = |at: &usize| self.definitions.get(*at).is_none_or(|it| (it.end as usize) <= start);
        while self.around.last().is_some_and(ends) {
            self.around.pop();
        }
        let parent = self.around.last().map_or(NO_PARENT, |at| small(*at));
        self.around.push(self.definitions.len());
        self.definitions.push(StoredDefinition {
            start: small(start),
            end: small(found.node.end_byte()),
            name_start: small(found.name.start_byte()),
            line: small(found.name.start_position().row),
            parent,
            text,
            name_len,
            signature_len,
            doc_len,
            kind: found.kind,
        });
    }

    /// Adds an import.
    pub(super) fn import(&mut self, found: &FoundImport<'_>) {
        let part = |node: &Node<'_>| self.source.get(node.byte_range()).unwrap_or_default();
        // Only languages with `::` nest their imports.
        let mut path = found.path.iter().map(part).collect::<Vec<_>>().join("::");
        let mut name = found.name.as_ref().map(part).unwrap_or_default().to_owned();
        let mut original = found.original.as_ref().map_or(&*name, part).to_owned();
        // `a::b::{self}` is `a::b`.
        if original == "self" && !path.is_empty() {
            let (above, last) = path.rsplit_once("::").unwrap_or(("", &path));
            if name == "self" {
                name = last.to_owned();
            }
            (original, path) = (last.to_owned(), above.to_owned());
        }
        let text = small(self.text.len());
        let path_len = self.add(&path);
        let name_len = self.add(&name);
        let original_len = self.add(&original);
        let start = small(found.node.start_byte());
        self.imports.push(StoredImport { start, text, path_len, name_len, original_len });
    }

    /// Adds the definitions of a node that an earlier version has, too.
    pub(super) fn unchanged_definitions(&mut self, node: &UnchangedNode<'_>) {
        let moved = |at: u32| small((at as usize).saturating_add_signed(node.moved.bytes));
        let first = self.definitions.len();
        for stored in &node.symbols.definitions[node.definitions.clone()] {
            let it = node.symbols.read(stored);
            let parent = it.parent.and_then(|at| at.checked_sub(node.definitions.start));
            let text = self.add_all([it.name, it.signature, it.doc]);
            self.definitions.push(StoredDefinition {
                start: moved(stored.start),
                end: moved(stored.end),
                name_start: moved(stored.name_start),
                line: small(it.line.saturating_add_signed(node.moved.lines)),
                parent: parent.map_or(NO_PARENT, |at| small(first + at)),
                text,
                ..*stored
            });
        }
    }

    /// Adds the imports of a node that an earlier version has, too.
    pub(super) fn unchanged_imports(&mut self, node: &UnchangedNode<'_>) {
        let stored = node.symbols.imports.iter().zip(node.symbols.imports());
        for (stored, it) in stored.take(node.imports.end).skip(node.imports.start) {
            let text = self.add_all([it.path, it.name, it.original]);
            let start = small((stored.start as usize).saturating_add_signed(node.moved.bytes));
            self.imports.push(StoredImport { start, text, ..*stored });
        }
    }

    /// Appends texts that are short enough; returns where they start.
    fn add_all(&mut self, texts: [&str; 3]) -> u32 {
        let start = small(self.text.len());
        for text in texts {
            self.add(text);
        }
        start
    }

    /// Appends a text and a line end; returns the number of bytes kept.
    fn add(&mut self, text: &str) -> u8 {
        let text = cut(text);
        self.text.push_str(text);
        self.text.push('\n');
        u8::try_from(text.len()).unwrap_or_default()
    }

    /// Returns the symbols, with keys redacted from their texts.
    pub(super) fn finish(mut self) -> FileSymbols {
        // A key in a signature is not kept, in memory or on disk. All offsets stay valid.
        for secret in privacy::find(&self.text) {
            let stars: String = self.text[secret.span.clone()]
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { '*' })
                .collect();
            self.text.replace_range(secret.span, &stars);
        }
        FileSymbols {
            text: self.text.into(),
            definitions: self.definitions.into(),
            imports: self.imports.into(),
        }
    }
}

/// Converts an offset in a file, whose size is limited far below 2^32.
fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn cut(text: &str) -> &str {
    &text[..text::floor_boundary(text, MOST_TEXT_BYTES)]
}

/// The text up to the body, or to the end of the first line, joined on one line.
///
/// A prefix on the same line, such as `export default`, is included.
fn signature(source: &str, line_start: usize, found: &FoundDefinition<'_>) -> String {
    let start = found.node.start_byte();
    let before = source.get(line_start..start).unwrap_or_default();
    let is_part = before.chars().all(|it| it.is_alphanumeric() || it.is_whitespace());
    let start = if is_part { line_start } else { start };
    let end = found.body.map_or(found.node.end_byte(), |body| body.start_byte());
    // A literal may be long.
    let end = text::floor_boundary(source, end.min(start + 4 * MOST_TEXT_BYTES));
    let head = source.get(start..end).unwrap_or_default();
    let is_whole = found.body.is_some() || found.kind.is_callable();
    let head = if is_whole { head } else { documentation::first_line(head) };
    let mut line = String::new();
    for word in head.split_whitespace() {
        if line.len() > MOST_TEXT_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches("=>").trim_end_matches([' ', '{', ';', ',']).len();
    line.truncate(end);
    line
}
