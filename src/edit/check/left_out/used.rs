//! Imports, and definitions of one line, that a reply leaves out although it still uses their names.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::comparison::{Comparison, Version};
use super::definitions::declared;
use crate::document::Document;
use crate::edit::line;
use crate::grammar::{Match, QueryKind};
use crate::text::ident;

/// How many of the names are judged, each by all added lines.
const MOST_JUDGED: usize = 20;

/// The names that a range of the old text declares and the new text still uses as often, but no longer declares.
///
/// Names that the instruction or the reply's prose mentions may go, and so may those that as many new names replace.
/// Definitions of several lines are judged elsewhere.
pub(super) fn lost(compared: &Comparison<'_>) -> Vec<String> {
    if !is_judged(compared) {
        return Vec::new();
    }
    let (before, after) = (compared.before.text, compared.after.text);
    let [document, result] = [&compared.before, &compared.after].map(Version::document);
    let old = declarations(document, before, &compared.before.range);
    let is_method_bare = document.grammar().is_some_and(|it| it.facts().implicit_receiver);
    let is_bare = |kind: &str| is_bare_kind(kind) || kind == "method" && is_method_bare;
    let mut lost = undeclared(old.iter().map(|(name, _)| *name), &declared(result, after, is_bare));
    // Nearly always so. What follows reads the whole file.
    if lost.is_empty() {
        return Vec::new();
    }
    let imports = [(document, before), (result, after)].map(|(document, text)| Imports::of(document, text));
    // A wildcard may import any name.
    if imports[1].wildcards > imports[0].wildcards {
        return Vec::new();
    }
    let mentions = compared.mentions();
    let known_lines: HashSet<&str> = line::split_iter(before).collect();
    let added: Vec<&str> = line::split_iter(after).filter(|line| !known_lines.contains(line)).collect();
    let needs_declaration = document.grammar().is_some_and(|it| it.facts().block_scopes);
    let defined = |name: &str| old.iter().filter(|(it, is_import)| *it == name && !is_import).count();
    lost.retain(|name| {
        let before = imports[0].uses(before, name).saturating_sub(defined(name));
        let is_declared = || added.iter().any(|line| declares(line, name, needs_declaration));
        before > 0 && imports[1].uses(after, name) >= before && !mentions.has(name) && !is_declared()
    });
    // As many new names may be the new ones of the same.
    let known: HashSet<&str> = old.iter().map(|(name, _)| *name).collect();
    let new = declarations(result, after, &compared.after.range);
    let is_renamed = |is_import: bool| {
        let lost = lost.iter().filter(|name| old.contains(&(**name, is_import))).count();
        let new = new.iter().filter(|(_, it)| *it == is_import).map(|(name, _)| *name);
        are_replaced(lost, new, &known)
    };
    if is_renamed(true) && is_renamed(false) {
        lost.clear();
    }
    lost.into_iter().map(str::to_owned).collect()
}

/// Whether a range is code with definitions: what a few lines in a function declare is judged [by its line](super::parts).
fn is_judged(compared: &Comparison<'_>) -> bool {
    compared.is_code && (compared.is_whole || !compared.before.definitions().is_empty())
}

/// The names that a text declared and no longer declares, as many as are judged.
fn undeclared<'t>(old: impl Iterator<Item = &'t str>, known: &HashSet<&str>) -> Vec<&'t str> {
    let mut lost: Vec<&str> = old.filter(|name| !known.contains(name)).collect();
    lost.sort_unstable();
    lost.dedup();
    lost.truncate(MOST_JUDGED);
    lost
}

/// Whether there are as many new names as lost ones, of which each may be the new one of the same thing.
fn are_replaced<'t>(lost: usize, new: impl Iterator<Item = &'t str>, known: &HashSet<&str>) -> bool {
    lost <= new.filter(|name| !known.contains(name)).count()
}

/// The fields that a range of the old text declares and the new text still uses as often, but no longer declares.
///
/// As above, names that are mentioned may go, and those that as many new fields replace.
pub(super) fn lost_fields(compared: &Comparison<'_>) -> Vec<String> {
    if !is_judged(compared) {
        return Vec::new();
    }
    let after = compared.after.text;
    let in_new = |name: &str| compared.after.words().count(name);
    let old = fields(&compared.before);
    let mut lost = undeclared(old.iter().copied(), compared.after.declared());
    let is_bare_use = compared.before.document().grammar().is_some_and(|it| it.facts().implicit_receiver);
    lost.retain(|name| {
        let defined = old.iter().filter(|it| *it == name).count();
        let is_use = |at: usize| {
            is_bare_use || after[..at].ends_with(['.', '>']) || after[at + name.len()..].starts_with(": ")
        };
        !compared.mentions().has(name)
            && in_new(name) > 0
            && in_new(name) + defined >= compared.before.words().count(name)
            && ident::occurrences(after, name).any(is_use)
    });
    let known: HashSet<&str> = old.iter().copied().collect();
    if are_replaced(lost.len(), fields(&compared.after).into_iter(), &known) {
        lost.clear();
    }
    lost.into_iter().map(str::to_owned).collect()
}

/// The names of the fields of one line in a range.
fn fields<'t>(version: &Version<'t>) -> Vec<&'t str> {
    let (text, range) = (version.text, &version.range);
    let found = version.document().matches(QueryKind::Definitions, range.clone());
    let is_field = |it: &&Match<'_>| {
        let span = it.node.byte_range();
        it.kind == "field" && range.start <= span.start && span.end <= range.end && !text[span].contains('\n')
    };
    let names = found.iter().filter(is_field).filter_map(|it| it.name);
    names.filter_map(|name| ident::names(&text[name.byte_range()]).next()).collect()
}

/// Whether definitions of a kind are called by their name alone.
fn is_bare_kind(kind: &str) -> bool {
    !matches!(kind, "method" | "field")
}

/// Whether a line assigns a name, and is a declaration where the language needs one: `let a =`, `int a =`, `a :=`.
fn declares(line: &str, name: &str, needs_declaration: bool) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&line[..at], line[at + name.len()..].trim_start());
        let is_whole = ident::last_partial(before).is_empty() && !before.ends_with('.');
        let is_declared =
            before.ends_with(' ') && before.trim_end().ends_with(|it: char| it.is_alphanumeric());
        let is_assigned = behind.starts_with('=') && !behind.starts_with("==");
        is_whole && (behind.starts_with(":=") || is_assigned && (is_declared || !needs_declaration))
    })
}

/// The names that imports and definitions of one line declare in a range, each with whether it is an import.
fn declarations<'t>(document: &Document, text: &'t str, range: &Range<usize>) -> Vec<(&'t str, bool)> {
    let mut found = Vec::new();
    let mut end_of_function = 0;
    for it in document.matches(QueryKind::Definitions, range.clone()) {
        let span = it.node.byte_range();
        if span.start < end_of_function || span.start < range.start || span.end > range.end {
            continue;
        }
        let has_lines = text[span.clone()].contains('\n');
        if has_lines && matches!(it.kind, "function" | "method" | "macro") {
            end_of_function = span.end;
        }
        // The name of a member, such as a field, is often also that of another's.
        if has_lines || !matches!(it.kind, "class" | "constant" | "function" | "macro" | "type" | "variable")
        {
            continue;
        }
        found.extend(
            it.name.and_then(|name| ident::names(&text[name.byte_range()]).next()).map(|name| (name, false)),
        );
    }
    let imports = document.matches(QueryKind::Imports, range.clone());
    let is_inside = |span: &Range<usize>| range.start <= span.start && span.end <= range.end;
    let names = imports.iter().filter(|it| !text[it.node.byte_range()].contains('*'));
    let names = names.map(|it| it.identifying_node().byte_range()).filter(is_inside);
    found.extend(names.filter_map(|span| ident::names(&text[span]).last()).map(|name| (name, true)));
    found
}

/// The imports of a text.
struct Imports<'t> {
    /// How often each bare word occurs in them.
    words: HashMap<&'t str, usize>,
    /// How many import all names of a module.
    wildcards: usize,
}

impl<'t> Imports<'t> {
    fn of(document: &Document, text: &'t str) -> Self {
        let mut found = Self { words: HashMap::new(), wildcards: 0 };
        let mut end = 0;
        for it in document.matches(QueryKind::Imports, 0..text.len()) {
            let span = it.node.byte_range();
            let new = &text[span.start.max(end)..span.end.max(end)];
            found.wildcards += usize::from(new.contains('*'));
            for (end, word) in ident::words_with_dollars(new) {
                *found.words.entry(word).or_default() += usize::from(is_bare(&new[..end - word.len()]));
            }
            end = end.max(span.end);
        }
        found
    }

    /// How often a text uses a name, imports and members of that name not counted.
    fn uses(&self, text: &str, name: &str) -> usize {
        let is_use = |at: usize| is_bare(&text[..at]) && !text[at + name.len()..].starts_with(ident::is_part);
        let all = text.match_indices(name).filter(|(at, _)| is_use(*at)).count();
        all.saturating_sub(self.words.get(name).copied().unwrap_or_default())
    }
}

/// Whether a word behind this text is a whole one, and not the name of a member.
fn is_bare(before: &str) -> bool {
    ident::last_partial(before).is_empty()
        && !before.ends_with('.')
        && !before.ends_with("->")
        && !before.ends_with("::")
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept};
    use crate::grammar;

    /// Checks a reply with `after` as the new text of a file; `expected` is the refusal, if any.
    #[track_caller]
    fn check(language: &str, before: &str, after: &str, expected: &str) {
        let grammar = grammar::by_language_id(language);
        let request = Request { text: before, grammar, ..Request::default() };
        let refusal = accept(&request, &format!("Done.\n```\n{after}```\n")).err().map(|it| it.to_string());
        let lacks = |names: &str| format!("the reply leaves out {names}, which nothing asks to remove");
        let expected = if expected.is_empty() { None } else { Some(lacks(expected)) };
        assert_eq!(refusal, expected, "{after}");
    }

    #[test]
    fn names_that_are_still_used_are_declared() {
        let go = "package a\n\nimport \"fmt\"\n\nvar count = 1\n\nvar other = 2\n\nfunc f() {\n\tcount = count + 1\n\tfmt.Println(count, other)\n}\n";
        let changed = go.replace("+ 1", "+ 2");
        check("go", go, &changed, "");
        check("go", go, &changed.replace("var count = 1\n\n", ""), "`count`");
        check("go", go, &changed.replace("var other = 2\n\n", "").replace(", other", ""), "");
        check("go", go, &changed.replace("var other", "var another"), "");
        let moved = changed.replace("var other = 2\n\n", "").replace("() {\n", "() {\n\tother := 2\n");
        check("go", go, &moved, "");
        let java = "import a.G;\nimport static a.B.c;\n\nclass D {\n  int e() {\n    return c(1);\n  }\n}\n";
        let without = java.replace("import static a.B.c;\n", "");
        check("java", java, &without.replace("c(1)", "c(2)"), "`c`");
        let own = "  int c(int f) {\n    return f;\n  }\n}\n";
        check("java", java, &(without.strip_suffix("}\n").unwrap().to_owned() + own), "");
        let python = "import os\nimport re\nimport sys\n\n\ndef f(a):\n    os.remove(a)\n    return re.match(a, sys.path)\n";
        let changed = python.replace("match", "search");
        check("python", python, &changed.replace("import re\n", ""), "`re`");
        let named = changed.replace("import re\n", "from re import search\n").replace("re.search", "search");
        check("python", python, &named, "");
        let through = python.replace("import os\n", "from os import remove\n").replace("os.remove", "remove");
        check("python", &through, python, "");
        let gone = changed.replace("import re\n", "").replace("re.search(a, sys.path)", "a in sys.path");
        check("python", python, &gone, "");
        let rust = "use std::fmt;\n\nstruct A {\n    b: u8,\n    c: u8,\n}\n\nimpl fmt::Debug for A {\n    fn fmt(&self) -> fmt::Result {\n        d(self.b, 1)\n    }\n}\n";
        let changed = rust.replace('1', "2");
        check("rust", rust, &changed.replace("use std::fmt;\n\n", ""), "`fmt`");
        check("rust", rust, &changed.replace("    b: u8,\n", ""), "`b`");
        check("rust", rust, &changed.replace("    c: u8,\n", "").replace("d(self.b, ", "e(self.b, "), "");
        check("rust", rust, &changed.replace("    b: u8,\n", "    e: u8,\n"), "");
    }
}
