//! The uses between source files: read from `use` declarations and from paths in the code, resolved to files.
//!
//! A name is followed through re-exports to the file that defines it. So a parent may declare `mod x;` and
//! `pub use x::Y;` without using the file `x.rs`; it does use it where its own code names `Y`.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// The maximum number of aliases through which a name is followed.
const MAX_ALIASES: usize = 16;

/// The files of a crate and their declarations.
pub(super) struct Crate {
    files: Vec<File>,
    by_module: HashMap<Vec<String>, usize>,
}

/// One source file.
struct File {
    /// Its path below `src`.
    name: String,
    module: Vec<String>,
    /// The paths that `use` declarations import, by local name.
    aliases: HashMap<String, Vec<String>>,
    /// The local names that are re-exported.
    exported: BTreeSet<String>,
    /// The modules imported by a glob.
    globs: Vec<Vec<String>>,
    /// The paths in the code, including single names.
    paths: BTreeSet<Vec<String>>,
    /// The names that the file defines.
    items: BTreeSet<String>,
}

/// The target of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item that a file defines.
    Item(usize),
}

impl Crate {
    /// Reads sources: pairs of a path below `src` and its text.
    pub(super) fn new(sources: impl IntoIterator<Item = (String, String)>) -> Self {
        let files: Vec<File> = sources.into_iter().map(|(name, text)| File::read(name, &text)).collect();
        let by_module = files.iter().enumerate().map(|(at, file)| (file.module.clone(), at)).collect();
        Self { files, by_module }
    }

    /// The files that import each other in a cycle, each group sorted, and a shortest cycle in it for display.
    pub(super) fn circles(&self) -> Vec<(BTreeSet<&str>, String)> {
        let uses: Vec<BTreeMap<usize, String>> = (0..self.files.len()).map(|at| self.uses(at)).collect();
        let reach: Vec<BTreeSet<usize>> = (0..uses.len()).map(|at| reachable(&uses, at)).collect();
        let mut circles = Vec::new();
        let mut seen = BTreeSet::new();
        for at in 0..uses.len() {
            if !reach[at].contains(&at) || !seen.insert(at) {
                continue;
            }
            let group: BTreeSet<usize> =
                reach[at].iter().copied().filter(|it| reach[*it].contains(&at)).collect();
            seen.extend(&group);
            let names = group.iter().map(|it| self.files[*it].name.as_str()).collect();
            circles.push((names, self.shortest(&uses, &group)));
        }
        circles
    }

    /// The shortest cycle among some files, one use per line.
    fn shortest(&self, uses: &[BTreeMap<usize, String>], group: &BTreeSet<usize>) -> String {
        let circles = group.iter().filter_map(|start| {
            let mut before: HashMap<usize, usize> = HashMap::new();
            let mut queue = VecDeque::from([*start]);
            while let Some(at) = queue.pop_front() {
                for next in uses[at].keys().filter(|it| group.contains(it)) {
                    if before.contains_key(next) {
                        continue;
                    }
                    before.insert(*next, at);
                    queue.push_back(*next);
                }
            }
            let mut circle = vec![*start];
            let mut at = *before.get(start)?;
            while at != *start {
                circle.push(at);
                at = before[&at];
            }
            circle.push(*start);
            circle.reverse();
            Some(circle)
        });
        let circle = circles.min_by_key(Vec::len).unwrap_or_default();
        let lines = circle.windows(2).map(|pair| {
            let (from, to) = (pair[0], pair[1]);
            format!("  {} names `{}` of {}", self.files[from].name, uses[from][&to], self.files[to].name)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The other files that a file uses, each with a path by which it does.
    fn uses(&self, at: usize) -> BTreeMap<usize, String> {
        let file = &self.files[at];
        let mut uses = BTreeMap::new();
        let mut add = |path: &[String], target: Option<Target>| {
            if let Some(Target::Item(other)) = target
                && other != at
            {
                uses.entry(other).or_insert_with(|| path.join("::"));
            }
        };
        // An imported module counts where one of its items is named.
        let imported = file.aliases.iter().filter(|(name, _)| !file.exported.contains(*name));
        for (_, path) in imported {
            add(path, self.resolve(at, path, 0));
        }
        for path in &file.paths {
            add(path, self.resolve(at, path, 0));
        }
        for path in &file.globs {
            if let Some(Target::Module(other)) = self.resolve(at, path, 0) {
                add(path, Some(Target::Item(other)));
            }
        }
        uses
    }

    /// The target of a path in a file; `None` if it is not in this crate.
    fn resolve(&self, from: usize, path: &[String], aliases: usize) -> Option<Target> {
        if aliases > MAX_ALIASES {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let module = &self.files[from].module;
        let begin = match first.as_str() {
            "crate" => Target::Module(*self.by_module.get(&Vec::new())?),
            "self" => Target::Module(from),
            "super" => Target::Module(*self.by_module.get(&module[..module.len().checked_sub(1)?])?),
            _ => return self.lookup(from, path, aliases),
        };
        match (begin, rest) {
            (Target::Module(from), [next, ..]) if next == "super" => self.resolve(from, rest, aliases),
            (Target::Module(from), [_, ..]) => self.lookup(from, rest, aliases).or(Some(Target::Item(from))),
            _ => Some(begin),
        }
    }

    /// The target of a path whose first name is looked up in a module.
    fn lookup(&self, module: usize, path: &[String], aliases: usize) -> Option<Target> {
        let file = &self.files[module];
        let (name, rest) = path.split_first()?;
        let child = self.by_module.get(&[&file.module[..], std::slice::from_ref(name)].concat()).copied();
        let alias = file.aliases.get(name);
        // A function may have the name of the module that defines it.
        if let Some(child) = child.filter(|_| alias.is_none() || !rest.is_empty()) {
            return match rest {
                [] => Some(Target::Module(child)),
                _ => self.lookup(child, rest, aliases).or(Some(Target::Item(child))),
            };
        }
        if let Some(alias) = alias {
            return self.resolve(module, &[alias, rest].concat(), aliases + 1);
        }
        if file.items.contains(name) {
            return Some(Target::Item(module));
        }
        file.globs.iter().find_map(|glob| {
            let Target::Module(other) = self.resolve(module, glob, aliases + 1)? else { return None };
            (other != module).then(|| self.lookup(other, path, aliases + 1))?
        })
    }
}

/// The files that a file uses, directly or indirectly.
fn reachable(uses: &[BTreeMap<usize, String>], from: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        open.extend(uses[at].keys().filter(|it| seen.insert(**it)));
    }
    seen
}

impl File {
    fn read(name: String, text: &str) -> Self {
        let module = match name.trim_end_matches(".rs") {
            "lib" => Vec::new(),
            path => path.split('/').map(str::to_owned).collect(),
        };
        let tokens = without_tests(&tokens(text));
        let mut file = Self {
            name,
            module,
            aliases: HashMap::new(),
            exported: BTreeSet::new(),
            globs: Vec::new(),
            paths: BTreeSet::new(),
            items: BTreeSet::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            if token == "use" && tokens.get(at + 1).is_some_and(|next| next != "<") {
                // `pub use`, `pub(super) use`.
                let is_exported = at > 0 && matches!(tokens[at - 1].as_str(), "pub" | ")");
                at = file.read_use(&tokens, at + 1, &[], is_exported);
            } else if is_item(token) && tokens.get(at + 1).is_some_and(|next| is_name(next)) {
                file.items.insert(tokens[at + 1].clone());
                at += 2;
            } else if is_name(token) && !(at > 0 && matches!(tokens[at - 1].as_str(), "." | "mod" | "let")) {
                let mut path = vec![token.to_owned()];
                at += 1;
                while tokens.get(at).is_some_and(|it| it == "::")
                    && tokens.get(at + 1).is_some_and(|it| is_name(it))
                {
                    path.push(tokens[at + 1].clone());
                    at += 2;
                }
                // `name:` is a field or a parameter.
                if path.len() > 1 || tokens.get(at).is_none_or(|it| it != ":") {
                    file.paths.insert(path);
                }
            } else {
                at += 1;
            }
        }
        file
    }

    /// Reads one tree of a `use` declaration that begins at a token; returns its end.
    fn read_use(&mut self, tokens: &[String], mut at: usize, before: &[String], is_exported: bool) -> usize {
        let mut path = before.to_vec();
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while tokens.get(at).is_some_and(|it| it != "}") {
                        at = self.read_use(tokens, at, &path, is_exported);
                        at += usize::from(tokens.get(at).is_some_and(|it| it == ","));
                    }
                    return at + 1;
                }
                "*" => {
                    self.globs.push(path);
                    return at + 1;
                }
                // `a::{self}` is `a`.
                "self" if !path.is_empty() => at += 1,
                "as" => {
                    let name = tokens.get(at + 1).cloned().unwrap_or_default();
                    self.bring_in(name, path, is_exported);
                    return at + 2;
                }
                name if is_name(name) => {
                    path.push(name.to_owned());
                    at += 1;
                }
                _ => break,
            }
        }
        if let Some(name) = path.last().cloned() {
            self.bring_in(name, path, is_exported);
        }
        at
    }

    fn bring_in(&mut self, name: String, path: Vec<String>, is_exported: bool) {
        // `use a::Trait as _` binds no name, but uses the file.
        let name = if name == "_" { format!("_{}", path.join("::")) } else { name };
        if is_exported {
            self.exported.insert(name.clone());
        }
        self.aliases.insert(name, path);
    }
}

fn is_item(token: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const", "static", "union"].contains(&token)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|it: char| it.is_alphabetic() || it == '_')
}

/// Names, `::` and single characters, without comments and string literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if sign.is_alphanumeric() || sign == '_' {
            let length = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !sign.is_whitespace() {
                tokens.push(sign.to_string());
            }
            sign.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the literal at the start of a text: a string, raw or not, a character, or a lifetime's quote.
fn literal(text: &str) -> Option<usize> {
    let raw = text.strip_prefix('b').unwrap_or(text).strip_prefix('r');
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = text.len() - raw.len() + hashes + 1;
            return Some(text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len()));
        }
    }
    let quoted = text.strip_prefix('b').unwrap_or(text);
    let quote = quoted.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let mut escaped = false;
    let mut signs = quoted.char_indices().skip(1);
    let end = signs.find(|(_, sign)| {
        let ends = *sign == quote && !escaped;
        escaped = *sign == '\\' && !escaped;
        ends
    });
    let length = end.map_or(quoted.len(), |(at, _)| at + 1);
    let inside = &quoted[1..length.saturating_sub(1).max(1)];
    if quote == '\'' && !inside.starts_with('\\') && inside.chars().count() != 1 {
        // A lifetime.
        return Some(1);
    }
    Some(text.len() - quoted.len() + length)
}

/// Omits items that are only compiled for tests.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].iter().map(String::as_str).take(TEST.len()).eq(TEST) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0_usize;
        at += TEST.len();
        while at < tokens.len() {
            let token = tokens[at].as_str();
            at += 1;
            match token {
                "{" | "[" | "(" => depth += 1,
                "}" | "]" | ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && matches!(token, "}" | ";") {
                break;
            }
        }
    }
    kept
}

/// Checks the cycles of a crate of these files, `name: text` each.
#[cfg(test)]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let of = Crate::new(sources);
    let circles: Vec<String> = of
        .circles()
        .into_iter()
        .map(|(files, shown)| format!("{}\n{shown}", files.into_iter().collect::<Vec<_>>().join(" ")))
        .collect();
    assert_eq!(circles, expected);
}

#[test]
fn two_files_that_name_each_other_are_a_circle() {
    check(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "fn f(_: super::a::A) {} pub struct B;"),
        ],
        &["a.rs b.rs\n  a.rs names `crate::b::B` of b.rs\n  b.rs names `super::a::A` of a.rs"],
    );
}

#[test]
fn child_that_names_its_parents_item_is_a_circle_if_the_parent_uses_it() {
    let child = ("a/child.rs", "use super::A; pub fn made() -> A {}");
    check(
        &[("lib.rs", "mod a;"), ("a.rs", "mod child; pub use child::made; pub struct A { made: u8 }"), child],
        &[],
    );
    check(
        &[("lib.rs", "mod a;"), ("a.rs", "mod child; pub struct A; fn f() { child::made() }"), child],
        &["a.rs a/child.rs\n  a.rs names `child::made` of a/child.rs\n  a/child.rs names `super::A` of a.rs"],
    );
    check(
        &[("lib.rs", "mod a;"), ("a.rs", "mod child; pub use child::made; pub struct A(made);"), child],
        &["a.rs a/child.rs\n  a.rs names `made` of a/child.rs\n  a/child.rs names `super::A` of a.rs"],
    );
}

#[test]
fn siblings_through_their_parents_re_exports_are_a_circle_without_it() {
    check(
        &[
            ("lib.rs", "mod a;"),
            ("a.rs", "mod x; mod y; pub(crate) use x::*; pub use y::Y as Z;"),
            ("a/x.rs", "use super::Z; pub struct X;"),
            ("a/y.rs", "use crate::a::{self, X as _}; pub struct Y(a::Z);"),
        ],
        &["a/x.rs a/y.rs\n  a/x.rs names `super::Z` of a/y.rs\n  a/y.rs names `crate::a::X` of a/x.rs"],
    );
}

#[test]
fn comments_strings_and_tests_name_nothing() {
    check(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A<'a>(&'a B, char); const C: char = '\"';"),
            (
                "b.rs",
                "// crate::a::A\nconst S: &str = \"crate::a::A\"; /* crate::a::A */ const R: &str = r#\"\" crate::a::A\"#;
                pub struct B; #[cfg(test)] mod tests { use crate::a::A; } #[cfg(test)] use crate::a::A;",
            ),
        ],
        &[],
    );
}
