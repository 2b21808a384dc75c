//! The unqualified names that a file uses, and the names that it declares or imports.
//!
//! Scopes are not distinguished: a name declared anywhere in the file counts as declared everywhere. So a name
//! that remains has no declaration at all.

mod role;

use std::collections::{BTreeMap, HashSet};

use tree_sitter::{Node, Tree};

use crate::grammar::{Grammar, Modules, QueryKind};
use crate::text::ident;
use role::{PathNode, Role, is_name, role};

#[derive(Debug, Default)]
pub(super) struct Names {
    /// Declared, in any scope.
    declared: HashSet<String>,
    imported: HashSet<String>,
    /// Exported under names that need not exist in the file, such as those of another module.
    exported: HashSet<String>,
    /// The members of packages that are used, each with the line of its first use, from 0.
    members: BTreeMap<(String, String), usize>,
    /// Used unqualified, with the line of the first use, from 0.
    used: BTreeMap<String, usize>,
    /// Names that occur among the tokens of a macro, which may declare them, or begin a path.
    loose: BTreeMap<String, usize>,
    /// Whether an import brings in names that it does not list.
    pub(super) is_open: bool,
}

impl Names {
    pub(super) fn of(grammar: &'static Grammar, tree: &Tree, text: &str) -> Self {
        let mut names = Self::default();
        let imports = grammar.matches(QueryKind::Imports, tree.root_node(), 0..text.len(), text.as_bytes());
        let mut statements = HashSet::new();
        for import in &imports {
            // A `require` may declare more, and call something; an `export` passes names on.
            if !matches!(
                import.node.kind(),
                "lexical_declaration" | "variable_declaration" | "call_expression" | "export_statement"
            ) {
                statements.insert(import.node.id());
            }
            names.import(grammar, import.name, import.path, import.node, text);
        }
        let mut cursor = tree.walk();
        let mut way: Vec<PathNode<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            way.push(PathNode { node, field: cursor.field_name() });
            let is_import = statements.contains(&node.id());
            if !is_import && cursor.goto_first_child() {
                continue;
            }
            if !is_import && node.is_named() && is_name(node.kind()) {
                names.take(role(&way), &text[node.byte_range()], node);
            }
            if grammar.facts().folder_packages
                && let Some(package) = package_of(node)
            {
                let member = (text[package.byte_range()].to_owned(), text[node.byte_range()].to_owned());
                names.members.entry(member).or_insert(node.start_position().row);
            }
            loop {
                way.pop();
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return names;
                }
            }
        }
    }

    fn import(
        &mut self,
        grammar: &Grammar,
        name: Option<Node<'_>>,
        path: Option<Node<'_>>,
        statement: Node<'_>,
        text: &str,
    ) {
        let mut add = |name: &str| {
            self.imported.insert(name.to_owned());
        };
        match name.map(|name| &text[name.byte_range()]) {
            // `a::{self}` is `a`.
            Some("self") => {}
            Some(name) => return add(name),
            None => {}
        }
        let Some(path) = path else { return };
        let words = || ident::words(&text[path.byte_range()]);
        if name.is_some() {
            words().next_back().into_iter().for_each(add);
        } else if text[statement.byte_range()].contains('*') || has_kind(statement, "wildcard_import") {
            // `use super::*` within a file imports that file's own names.
            self.is_open |= !(text[path.byte_range()] == *"super" && is_nested(statement));
        } else if grammar.facts().folder_packages {
            // A package may be named after any part of its path.
            words().for_each(add);
        } else if grammar.facts().modules != Some(Modules::Javascript) {
            words().next().into_iter().for_each(add);
        }
    }

    fn take(&mut self, role: Role, name: &str, node: Node<'_>) {
        let line = node.start_position().row;
        match role {
            Role::Declared => {
                self.declared.insert(name.to_owned());
            }
            Role::Tag if !name.starts_with(char::is_uppercase) => {}
            Role::Used | Role::Tag => {
                self.used.entry(name.to_owned()).or_insert(line);
            }
            Role::Loose => {
                self.loose.entry(name.to_owned()).or_insert(line);
            }
            Role::Exported => {
                self.exported.insert(name.to_owned());
            }
            Role::Other => {}
        }
    }

    /// Whether another file can import a name from this one: it is declared, imported or re-exported here.
    pub(super) fn exports_name(&self, name: &str) -> bool {
        self.has(name) || self.exported.contains(name)
    }

    /// Whether a name is declared or imported.
    pub(super) fn has(&self, name: &str) -> bool {
        self.declared.contains(name) || self.imported.contains(name)
    }

    /// Whether a name is declared here, rather than only imported.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// The names that another file can import from this one.
    pub(super) fn exported_names(&self) -> impl Iterator<Item = &str> {
        self.declared.union(&self.imported).chain(&self.exported).map(String::as_str)
    }

    /// The members of packages that are used, as `a` and `B` of `a.B`, each with the line of its first use, from 0.
    ///
    /// Only for languages whose packages are folders.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.members.iter().map(|((package, name), line)| (package.as_str(), name.as_str(), *line))
    }

    /// Whether this member of a package is used.
    pub(super) fn uses_member(&self, package: &str, name: &str) -> bool {
        self.members.contains_key(&(package.to_owned(), name.to_owned()))
    }

    pub(super) fn imports(&self, name: &str) -> bool {
        self.imported.contains(name)
    }

    /// Whether a name begins a path, or occurs among the tokens of a macro.
    pub(super) fn is_loose(&self, name: &str) -> bool {
        self.loose.contains_key(name)
    }

    /// Whether a name is used unqualified, and neither declared nor imported.
    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.has(name) && (self.used.contains_key(name) || self.loose.contains_key(name))
    }

    /// The names that are used unqualified, and neither declared nor imported.
    ///
    /// Each comes with the line of its first use, from 0, and whether all its uses are loose.
    pub(super) fn free(&self) -> impl Iterator<Item = (&str, usize, bool)> {
        let used = self.used.iter().map(|(name, line)| (name.as_str(), *line, false));
        let loose = self.loose.iter().filter(|(name, _)| !self.used.contains_key(*name));
        let loose = loose.map(|(name, line)| (name.as_str(), *line, true));
        used.chain(loose).filter(|(name, ..)| !self.has(name))
    }
}

/// The name before the dot, given the last name of `a.B`.
fn package_of(name: Node<'_>) -> Option<Node<'_>> {
    let above = name.parent()?;
    let (of, field) = match above.kind() {
        "selector_expression" => ("operand", "field"),
        "qualified_type" => ("package", "name"),
        _ => return None,
    };
    let of = above.child_by_field_name(of).filter(|it| it.kind().ends_with("identifier"))?;
    (above.child_by_field_name(field) == Some(name)).then_some(of)
}

/// Whether a node is within an item that has a body.
fn is_nested(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|it| it.child_by_field_name("body").is_some())
}

fn has_kind(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    /// Checks the names of a text that nothing in it declares.
    #[track_caller]
    fn check(language: &str, text: &str, expected: &[&str]) {
        let grammar = grammar::by_language_id(language).unwrap();
        let tree = grammar.parse_str(text).unwrap();
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
        let names = Names::of(grammar, &tree, text);
        let mut free: Vec<&str> = names.free().map(|it| it.0).collect();
        free.sort_unstable();
        assert_eq!(free, expected, "{}", tree.root_node().to_sexp());
    }

    #[test]
    fn name_without_a_declaration_is_free() {
        check(
            "python",
            "import os.path, re as r\nfrom a import b, c as d\n\nclass A(Base):\n    x: int = 1\n\n    def f(self, y, *rest, z=zero, **more):\n        global g\n        \
             with open(y) as file, y as (p, q):\n            for i, (j, k) in rest:\n                print(os, r, b, d, c, self.m.n, i, j, k, g, more, file, p, q, f=1)\n        \
             try:\n            pass\n        except E as error:\n            raise error\n        \
             return [w for w in y if (v := w)] + v + (lambda u: u + t)(1)\n",
            &["Base", "E", "c", "int", "open", "print", "t", "zero"],
        );
        check(
            "typescript",
            "import a, { b as c, type D } from './x';\nimport * as e from 'y';\nexport { f } from './z';\nexport { g };\nconst { h, i: j, ...k } = l;\n\
             function m<T extends U>(n: V, o = p, ...q: W[]): X {\n  for (const r of s) { label: for (;;) break label; }\n  try { t(); } catch (u) { u.v.w(a, c, e, h, j, k, r); }\n  \
             return { x, y: z, q, n, o };\n}\nenum Color { Red = 1, Blue = Red }\ntype P<K> = K extends (infer L)[] ? L : D;\n",
            &["U", "V", "W", "X", "g", "l", "p", "s", "t", "x", "z"],
        );
        check(
            "go",
            "package a\n\nimport (\n\t\"fmt\"\n\tyaml \"gopkg.in/yaml.v3\"\n\t\"example.com/go-x/v2\"\n)\n\ntype S[T any] struct{ f T }\n\n\
             func (s *S[T]) m(a, b int, c ...string) (d error) {\n\tfor i, v := range list {\n\t\tfmt.Println(i, v, yaml.X, x.Y, s.f, S[int]{f: a}, other.Z)\n\t}\n\tswitch t := a.(type) {\n\tcase Q:\n\t\treturn t\n\t}\n\tvar w, z = 1, b\n\treturn w + z + q\n}\n",
            &["Q", "any", "error", "int", "list", "other", "q", "string"],
        );
        check(
            "rust",
            "use std::fmt::{self, Write as W};\nuse a::b;\n\n#[derive(Debug)]\nstruct S<T> { f: T }\n\nimpl<T: Bound> S<T> {\n    fn m(&self, (x, y): (u8, Y), z: &dyn W) -> fmt::Result {\n        \
             let S { f, g: h } = c;\n        if let Some(i) = d { e::new(i, x, y, z, f, h, b) }\n        match k { Kind::A(l) | l if l > n => println!(\"{}\", o.p, q = l), _ => vec![|r| r + s] };\n        \
             list.iter().map(|t| t.u).collect::<V>()\n    }\n}\n",
            &["Bound", "Debug", "Kind", "Some", "V", "Y", "c", "d", "e", "k", "list", "n", "o", "s"],
        );
    }
}
