//! The names that a language provides: keywords, and its standard library.
//!
//! `grammars/<id>/library.txt` has one name per line, sorted; `grammars/library.py` generates these files from
//! the toolchains.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::Grammar;
use crate::text::ident;

const C: &str = include_str!("../../grammars/c/library.txt");
const CPP: &str = include_str!("../../grammars/cpp/library.txt");
const CSHARP: &str = include_str!("../../grammars/csharp/library.txt");
const GO: &str = include_str!("../../grammars/go/library.txt");
const JAVA: &str = include_str!("../../grammars/java/library.txt");
const JAVASCRIPT: &str = include_str!("../../grammars/javascript/library.txt");
const LUA: &str = include_str!("../../grammars/lua/library.txt");
const PHP: &str = include_str!("../../grammars/php/library.txt");
const PYTHON: &str = include_str!("../../grammars/python/library.txt");
const RUBY: &str = include_str!("../../grammars/ruby/library.txt");
const RUST: &str = include_str!("../../grammars/rust/library.txt");

/// The lists of each language. Names of other languages come only from the workspace.
const LISTS: &[(&str, &[&str])] = &[
    ("c", &[C]),
    ("cpp", &[C, CPP]),
    ("csharp", &[CSHARP]),
    ("go", &[GO]),
    ("java", &[JAVA]),
    ("javascript", &[JAVASCRIPT]),
    ("lua", &[LUA]),
    ("php", &[PHP]),
    ("python", &[PYTHON]),
    ("ruby", &[RUBY]),
    ("rust", &[RUST]),
    ("tsx", &[JAVASCRIPT]),
    ("typescript", &[JAVASCRIPT]),
];

static NAMES: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let names = |lists: &[&'static str]| lists.iter().flat_map(|list| list.lines()).collect();
    LISTS.iter().map(|(id, lists)| (*id, names(lists))).collect()
});

/// The file `grammars/<id>/prelude.txt`: names available without an import, one per line, sorted.
const GO_PRELUDE: &str = include_str!("../../grammars/go/prelude.txt");
const JAVA_PRELUDE: &str = include_str!("../../grammars/java/prelude.txt");
const JAVASCRIPT_PRELUDE: &str = include_str!("../../grammars/javascript/prelude.txt");
const PYTHON_PRELUDE: &str = include_str!("../../grammars/python/prelude.txt");
const RUST_PRELUDE: &str = include_str!("../../grammars/rust/prelude.txt");

/// The names available in every file. The prelude of a language not listed here is unknown.
const PRELUDES: &[(&str, &str)] = &[
    ("go", GO_PRELUDE),
    ("java", JAVA_PRELUDE),
    ("javascript", JAVASCRIPT_PRELUDE),
    ("python", PYTHON_PRELUDE),
    ("rust", RUST_PRELUDE),
    ("tsx", JAVASCRIPT_PRELUDE),
    ("typescript", JAVASCRIPT_PRELUDE),
];

/// The words within the names of all libraries, and the keywords of all languages, in lowercase: `line` of `readLine`.
static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let names = LISTS.iter().flat_map(|(_, lists)| *lists).flat_map(|list| list.lines());
    let names = names.chain(super::all().flat_map(Grammar::keywords));
    let words = names.flat_map(ident::parts).map(|part| part.text.to_lowercase());
    words.filter(|word| word.len() >= WORD_BYTES).collect()
});

/// The file `grammars/words.txt`: words of English and of programming, one per line, sorted, after header lines
/// that begin with `#`.
const DICTIONARY: &str = include_str!("../../grammars/words.txt");

/// Minimum length of a word in bytes; shorter parts are letters of an abbreviation.
const WORD_BYTES: usize = 3;

/// The file `grammars/<id>/globals.txt`: names beyond the prelude that a file may use without an import, one
/// per line, sorted.
///
/// They stem from older versions, and from the hosts and test runners that scripts run in.
const GLOBALS: &[(&str, &[&str])] = &[
    ("go", &[GO_PRELUDE]),
    ("javascript", JAVASCRIPT_GLOBALS),
    ("python", &[PYTHON_PRELUDE, include_str!("../../grammars/python/globals.txt")]),
    ("rust", &[RUST_PRELUDE, include_str!("../../grammars/rust/globals.txt")]),
    ("tsx", JAVASCRIPT_GLOBALS),
    ("typescript", JAVASCRIPT_GLOBALS),
];

const JAVASCRIPT_GLOBALS: &[&str] =
    &[JAVASCRIPT_PRELUDE, include_str!("../../grammars/javascript/globals.txt")];

static GLOBAL_NAMES: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    GLOBALS.iter().map(|(id, lists)| (*id, lists.iter().flat_map(|list| list.lines()).collect())).collect()
});

/// The file `grammars/<id>/providers.txt`: names and the statements that import them.
///
/// A line is a name, a space, and the statement. A name that ends with a dot is a module, whose uses are
/// followed by a dot; a module whose name is also common for variables is listed with each of its members. A
/// name with several providers is listed only with members that one of them alone has.
const C_PROVIDERS: &str = include_str!("../../grammars/c/providers.txt");
const CPP_PROVIDERS: &str = include_str!("../../grammars/cpp/providers.txt");
const GO_PROVIDERS: &str = include_str!("../../grammars/go/providers.txt");
const JAVA_PROVIDERS: &str = include_str!("../../grammars/java/providers.txt");
const PYTHON_PROVIDERS: &str = include_str!("../../grammars/python/providers.txt");

const PROVIDERS: &[(&str, &[&str])] = &[
    ("c", &[C_PROVIDERS]),
    ("cpp", &[C_PROVIDERS, CPP_PROVIDERS]),
    ("go", &[GO_PROVIDERS]),
    ("java", &[JAVA_PROVIDERS]),
    ("python", &[PYTHON_PROVIDERS]),
];

/// The functions of C's library: a line is a name and its number of arguments, with a `+` if there may be more.
const C_ARGUMENTS: &str = include_str!("../../grammars/c/arguments.txt");

/// The members of a library's modules: a line is the path of a module, and the names that it exports.
const MEMBERS: &[(&str, &str)] = &[("go", include_str!("../../grammars/go/members.txt"))];

static STATEMENTS: LazyLock<HashMap<&str, HashMap<&str, &str>>> = LazyLock::new(|| {
    let statements = |lists: &[&'static str]| {
        lists.iter().flat_map(|list| list.lines()).filter_map(|it| it.split_once(' ')).collect()
    };
    PROVIDERS.iter().map(|(id, lists)| (*id, statements(lists))).collect()
});

impl Grammar {
    /// The statement that imports a name of the language's standard library.
    ///
    /// `None` unless exactly one is known.
    ///
    /// A module's name ends with a dot here, and a name within a namespace includes it: `json.`, `std::vector`.
    pub fn provider(&self, name: &str) -> Option<&'static str> {
        STATEMENTS.get(self.id())?.get(name).copied()
    }

    /// The least and the largest number of arguments of a function of C's library, if it is known; some have no largest.
    pub fn arguments(function: &str) -> Option<(usize, Option<usize>)> {
        let mut lines = C_ARGUMENTS.lines().filter_map(|line| line.split_once(' '));
        let (_, count) = lines.find(|(name, _)| *name == function)?;
        let least = count.trim_end_matches('+').parse().ok()?;
        Some((least, (!count.ends_with('+')).then_some(least)))
    }

    /// Whether a module of the library is known not to export a name.
    ///
    /// False for a module whose members are not listed.
    pub fn lacks_member(&self, module: &str, name: &str) -> bool {
        let lists = MEMBERS.iter().filter(|(id, _)| *id == self.id()).flat_map(|(_, list)| list.lines());
        let mut members = lists.filter_map(|line| line.split_once(' ')).filter(|(path, _)| *path == module);
        members.next().is_some_and(|(_, names)| !names.split(' ').any(|it| it == name))
    }

    /// Whether the members of a module of the library are listed, if the language has such lists.
    pub fn lists_members(&self, module: &str) -> bool {
        let mut lists = MEMBERS.iter().filter(|(id, _)| *id == self.id()).peekable();
        let is_listed = |(_, list): &(&str, &str)| {
            list.lines().any(|line| line.split_once(' ').is_some_and(|(path, _)| path == module))
        };
        lists.peek().is_none() || lists.any(is_listed)
    }

    /// The packages that the library's names are imported from, with repetitions: `java.util.function`.
    pub fn provided_paths(&self) -> impl Iterator<Item = &'static str> {
        let statements = STATEMENTS.get(self.id()).into_iter().flat_map(HashMap::values);
        statements.filter_map(|it| it.strip_prefix("import ")?.rsplit_once('.').map(|(path, _)| path))
    }

    /// Whether every file may use a name without a declaration or an import.
    ///
    /// `None` for a language without a list.
    pub fn has_global(&self, name: &str) -> Option<bool> {
        Some(GLOBAL_NAMES.get(self.id())?.contains(name))
    }

    /// The names of the language's standard library, in no particular order.
    pub fn library(&self) -> impl Iterator<Item = &'static str> {
        NAMES.get(self.id()).into_iter().flatten().copied()
    }

    /// The names available without an import, sorted; empty where they are unknown.
    pub fn prelude(&self) -> impl Iterator<Item = &'static str> {
        PRELUDES.iter().find(|(id, _)| *id == self.id()).into_iter().flat_map(|(_, list)| list.lines())
    }

    /// Whether the language's standard library has a function, method, macro or type of this name.
    ///
    /// The list is incomplete: `false` does not rule the name out.
    pub fn has_in_library(&self, name: &str) -> bool {
        NAMES.get(self.id()).is_some_and(|names| names.contains(name))
    }
}

/// Whether a part of a name is a word of a language or a library: `count`, not `conut`.
pub fn is_word(part: &str) -> bool {
    let word = part.to_lowercase();
    let is_one = |word: &str| WORDS.contains(word) || has_line(DICTIONARY, word);
    is_one(&word) || word.strip_suffix('s').is_some_and(is_one)
}

/// Binary search for a line in sorted text, whose header lines sort before all others.
fn has_line(mut lines: &str, wanted: &str) -> bool {
    while !lines.is_empty() {
        // The text is ASCII.
        let start = lines[..lines.len() / 2].rfind('\n').map_or(0, |end| end + 1);
        let line = lines[start..].lines().next().unwrap_or_default();
        match line.cmp(wanted) {
            Ordering::Equal => return true,
            Ordering::Greater => lines = &lines[..start],
            Ordering::Less => lines = lines.get(start + line.len() + 1..).unwrap_or_default(),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    #[test]
    fn every_list_is_sorted_and_of_a_language() {
        for (id, lists) in LISTS {
            for list in *lists {
                let lines: Vec<&str> = list.lines().collect();
                assert!(lines.is_sorted() && lines.len() > 100, "{id}: run grammars/library.py");
            }
        }
    }

    #[test]
    fn words_are_of_any_library_or_language() {
        let words = DICTIONARY.lines().skip_while(|line| line.starts_with('#'));
        assert!(DICTIONARY.is_ascii() && words.is_sorted());
        for word in [
            "fstat",
            "height",
            "Weights",
            "aardvark",
            "zebra",
            "argc",
            DICTIONARY.lines().last().unwrap_or_default(),
        ] {
            assert!(is_word(word), "{word}");
        }
        for other in ["conut", "heigth", "aaaa", "zzzz", "s", ""] {
            assert!(!is_word(other), "{other}");
        }
    }

    #[test]
    fn globals_are_sorted_and_beyond_the_prelude() {
        for (id, lists) in GLOBALS {
            let mut names = HashSet::new();
            for list in *lists {
                assert!(list.lines().is_sorted(), "{id}");
                assert!(list.lines().all(|name| names.insert(name)), "{id}: a name is listed twice");
            }
        }
        let python = grammar::by_language_id("python").unwrap();
        assert_eq!((python.has_global("len"), python.has_global("total")), (Some(true), Some(false)));
        assert_eq!(grammar::by_language_id("ruby").unwrap().has_global("puts"), None);
    }

    #[test]
    fn every_prelude_is_sorted_and_of_a_language_with_a_list() {
        for (id, list) in PRELUDES {
            assert!(LISTS.iter().any(|(other, _)| other == id), "{id}");
            assert!(list.lines().is_sorted() && list.lines().count() > 40, "{id}: run grammars/library.py");
        }
    }

    #[test]
    fn providers_are_sorted_and_each_name_has_one() {
        for (id, lists) in PROVIDERS {
            for list in *lists {
                let lines: Vec<&str> = list.lines().collect();
                assert!(lines.is_sorted(), "{id}");
                let names: HashSet<&str> = lines.iter().filter_map(|it| it.split(' ').next()).collect();
                assert_eq!(names.len(), lines.len(), "{id}: a name stands there twice");
            }
        }
    }

    #[test]
    fn members_of_a_module_are_known() {
        let go = grammar::by_language_id("go").unwrap();
        assert!(!go.lacks_member("errors", "New") && !go.lacks_member("net/http", "StatusOK"));
        assert!(go.lacks_member("errors", "Wrap") && go.lacks_member("log", "Infof"));
        assert!(!go.lacks_member("syscall", "Wrap"), "its members are not listed");
    }

    #[test]
    fn the_usual_names_are_known_and_made_up_ones_are_not() {
        for (id, names) in [
            ("c", "printf strlen malloc qsort memcpy"),
            ("cpp", "push_back emplace_back make_unique printf find_if"),
            (
                "csharp",
                "WriteLine Where ToList TryGetValue ReadAllTextAsync ThrowIfNull IsNullOrEmpty Dictionary",
            ),
            ("go", "len append Errorf Sprintf TrimSpace Unmarshal"),
            ("java", "stream println getOrDefault orElseThrow equals"),
            ("javascript", "filter forEach querySelector setTimeout parse readFileSync"),
            ("lua", "ipairs pcall gsub insert"),
            ("php", "array_map strlen sprintf json_decode mb_substr preg_match getMessage ArrayObject isset"),
            ("python", "len items startswith join loads isinstance mkdir"),
            ("ruby", "each map puts attr_accessor empty include inject each_with_index mkdir_p parse new"),
            ("rust", "filter unwrap_or_default println collect entry or_insert_with read_to_string"),
            ("typescript", "map keys stringify"),
        ] {
            let Some(grammar) = grammar::all().find(|grammar| grammar.id() == id) else { continue };
            let missing: Vec<&str> = names.split(' ').filter(|name| !grammar.has_in_library(name)).collect();
            assert_eq!(missing, [""; 0], "{id}");
            let made_up = ["frobnicate", "loadUserTable", "compute_total"];
            assert!(made_up.iter().all(|name| !grammar.has_in_library(name)), "{id}");
        }
    }
}
