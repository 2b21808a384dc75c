//! Definitions that a reply leaves out.
//!
//! A model that is asked for a whole text may write only the definitions that it changes. Taken as the whole,
//! such a reply would delete all the others. It is read as a part if each of its definitions is one of the old
//! text; otherwise the reply is refused, with the names of what it lacks.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::surroundings::Surroundings;
use crate::document::{Document, DocumentId};
use crate::edit::check::{has_word_chars, visible};
use crate::edit::{Edit, Refusal, apply, line};
use crate::grammar::{Grammar, QueryKind};
use crate::text::ident;

/// Texts longer than this (bytes) are not parsed.
const MOST_PARSED: usize = 4 * 1024 * 1024;

/// Minimum number of lines outside of all definitions that a reply does not delete in passing.
const HEAD_LINES: usize = 2;

/// Minimum percentage of the words that a renamed definition keeps.
const SAME_PERCENT: usize = 60;

/// The facts by which a reply is judged that states a text as a whole.
#[derive(Clone, Copy)]
pub(in crate::edit) struct Judged<'a> {
    /// The language, if known.
    pub(in crate::edit) grammar: Option<&'a Grammar>,
    /// What the model was asked to do; empty if that is unknown.
    pub(in crate::edit) instruction: &'a str,
    /// Whether the reply moves a line to another file.
    pub(in crate::edit) is_elsewhere: &'a dyn Fn(&str) -> bool,
    /// Whether the reply's end is marked. Otherwise, what it lacks may have been cut off.
    pub(in crate::edit) has_end: bool,
}

impl<'a> Judged<'a> {
    /// A reply in a language and for an instruction.
    pub(in crate::edit) fn new(grammar: Option<&'a Grammar>, instruction: &'a str) -> Self {
        Self { grammar, instruction, is_elsewhere: &|_| false, has_end: true }
    }
}

/// How a text that a reply states as a whole is to be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WholeOrPart {
    /// As the whole.
    Whole,
    /// As a part; this is the whole that results from it.
    Part(String),
    /// Not at all.
    Refused(Refusal),
}

/// Reads `new` as the new text of the range, or as a part of it.
pub(super) fn read(judged: Judged<'_>, place: Surroundings<'_>, new: &str) -> WholeOrPart {
    let Surroundings { before, range, after } = place;
    let Some(grammar) = judged.grammar.filter(|it| !it.is_prose()) else { return WholeOrPart::Whole };
    let size = before.len() + after.len() + range.len().max(new.len());
    if size > MOST_PARSED || new == range || asks_to_remove(judged.instruction) {
        return WholeOrPart::Whole;
    }
    let side = |text: &str| {
        let span = before.len()..before.len() + text.len();
        Version::new(grammar, [before, text, after].concat(), span)
    };
    let (old, new) = (side(range), side(new));
    // A syntax error can hide definitions, and is refused for itself.
    if new.is_broken && !old.is_broken && grammar.errors_are_reliable() {
        return WholeOrPart::Whole;
    }
    let lost = lost(&old, &new, judged);
    let is_headless = || lost.is_empty() && loses_head(&old, &new);
    if lost.is_empty() && !is_headless() {
        return WholeOrPart::Whole;
    }
    if judged.has_end
        && let Some(text) = merge(&old, &new)
    {
        let whole = side(&text);
        if !whole.is_broken && self::lost(&old, &whole, judged).is_empty() {
            return WholeOrPart::Part(text);
        }
    }
    match lost.is_empty() {
        true => WholeOrPart::Whole,
        false => WholeOrPart::Refused(Refusal::LeftOut { names: lost }),
    }
}

/// Whether an instruction asks for something that removes definitions.
fn asks_to_remove(instruction: &str) -> bool {
    const STEMS: [&str; 24] = [
        "clean",
        "collaps",
        "combin",
        "consolidat",
        "dedup",
        "delet",
        "discard",
        "drop",
        "eliminat",
        "extract",
        "inlin",
        "merg",
        "refactor",
        "remov",
        "renam",
        "reorgani",
        "replac",
        "restructur",
        "simplif",
        "split",
        "strip",
        "unif",
        "unus",
        "move",
    ];
    const WORDS: [&str; 3] = ["dead", "moving", "rid"];
    let said = instruction.to_lowercase();
    let mut words = said.split(|sign: char| !sign.is_alphanumeric());
    words.any(|word| WORDS.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem)))
}

/// Whether an instruction names a definition: `total_price`, `Cart.total_price` or `the total price`.
fn names(instruction: &str, name: &str) -> bool {
    const MOST_WORDS: usize = 6;
    let plain = |text: &str| text.to_lowercase().replace('_', "");
    let said: Vec<String> = instruction
        .split(|sign: char| !ident::is_part(sign))
        .filter(|it| !it.is_empty())
        .map(plain)
        .collect();
    let wanted = plain(name);
    (0..said.len()).any(|from| {
        let mut joined = String::new();
        said[from..].iter().take(MOST_WORDS).any(|word| {
            joined.push_str(word);
            joined == wanted
        })
    })
}

/// A definition that can be seen from outside: of a function, a type or a module.
struct Definition {
    /// Its name behind those of the definitions around it.
    path: String,
    name: String,
    is_callable: bool,
    /// Its bytes, without decorators above it.
    span: Range<usize>,
    /// Where its decorators start.
    outer: usize,
    /// The index of the definition around it.
    parent: Option<usize>,
}

/// The text before or after the change.
struct Version {
    text: String,
    /// The bytes that the reply is about.
    range: Range<usize>,
    definitions: Vec<Definition>,
    is_broken: bool,
    /// The beginnings of lines that are comments or decorators.
    marks: Vec<String>,
}

impl Version {
    fn new(grammar: &Grammar, text: String, range: Range<usize>) -> Self {
        let document = Document::new(DocumentId::new(""), grammar.id(), 0, &text);
        let is_broken = document.syntax().is_none_or(|tree| tree.root_node().has_error());
        let definitions = definitions(&document, &text);
        let comments = grammar.comments();
        let openers = comments.block.iter().map(|(opener, _)| opener);
        let mut marks: Vec<String> = comments.line.iter().chain(openers).cloned().collect();
        marks.extend(["@", "#[", "*"].map(str::to_owned));
        Self { text, range, definitions, is_broken, marks }
    }

    fn text_of(&self, it: &Definition) -> &str {
        &self.text[it.span.clone()]
    }

    fn is_inside(&self, it: &Definition) -> bool {
        self.range.start <= it.span.start && it.span.end <= self.range.end
    }

    /// The definitions in the range that no other one in the range contains.
    fn outermost(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(|it| {
            let parent = it.parent.map(|at| &self.definitions[at]);
            self.is_inside(it) && parent.is_none_or(|parent| !self.is_inside(parent))
        })
    }

    /// The whole lines of a definition, and where the comments and decorators above it start.
    ///
    /// `None` if it shares a line with other code.
    fn lines_of(&self, it: &Definition) -> Option<(Range<usize>, usize)> {
        let text = &self.text;
        let start = text[..it.span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[it.span.end..].find('\n').map_or(text.len(), |at| it.span.end + at + 1);
        let is_word = |sign: char| ident::is_part(sign) || sign.is_whitespace();
        let is_alone = text[start..it.span.start].chars().all(is_word)
            && text[it.span.end..end].trim().chars().all(|sign| matches!(sign, ';' | ',' | ')' | '}'));
        let indent = line::indent(&text[start..]);
        let outer = text[..it.outer].rfind('\n').map_or(0, |at| at + 1);
        let mut head = outer.clamp(self.range.start.min(start), start);
        while head > self.range.start {
            let above = text[..head - 1].rfind('\n').map_or(0, |at| at + 1);
            let said = text[above..head].trim();
            let is_mark = self.marks.iter().any(|mark| said.starts_with(mark.as_str()));
            if !is_mark || !text[above..].starts_with(indent) || above < self.range.start {
                break;
            }
            head = above;
        }
        (is_alone && self.range.start <= start && end <= self.range.end).then_some((start..end, head))
    }

    /// The visible lines of the range outside of these lines.
    fn outside(&self, lines: &[Range<usize>]) -> Vec<&str> {
        let mut at = self.range.start;
        let mut found = Vec::new();
        for taken in lines.iter().chain([&(self.range.end..self.range.end)]) {
            found.extend(visible(&self.text[at..taken.start.max(at)]));
            at = taken.end.max(at);
        }
        found
    }
}

/// The definitions of a text, without those within functions.
fn definitions(document: &Document, text: &str) -> Vec<Definition> {
    const KINDS: [&str; 10] = [
        "class",
        "enum",
        "function",
        "implementation",
        "interface",
        "macro",
        "method",
        "module",
        "struct",
        "type",
    ];
    let mut found: Vec<Definition> = Vec::new();
    let mut around: Vec<(usize, Option<usize>)> = Vec::new();
    for it in document.matches(QueryKind::Definitions, 0..text.len()) {
        let Some(name) = it.name.filter(|_| KINDS.contains(&it.kind)) else { continue };
        let (start, end) = (it.node.start_byte(), it.node.end_byte());
        // A declaration in one line is no code that a model would leave out for its length.
        if it.body.is_none() && !text[start..end].contains('\n') {
            continue;
        }
        while around.last().is_some_and(|(end, _)| *end <= start) {
            around.pop();
        }
        let is_callable = matches!(it.kind, "function" | "method" | "macro");
        let parent = around.last().map(|(_, at)| *at);
        // `None` stands for a function, and for all that it contains.
        if parent == Some(None) {
            continue;
        }
        let parent = parent.flatten();
        around.push((end, (!is_callable).then_some(found.len())));
        let name = text[name.byte_range()].split('<').next().unwrap_or_default().trim().to_owned();
        // Go and C++ define methods outside of their types.
        let before = &text[start..start.max(it.name.map_or(start, |name| name.start_byte()))];
        let owner =
            if it.kind == "method" && parent.is_none() { ident::words(before).next_back() } else { None };
        let owner = parent.map(|at| found[at].path.as_str()).or(owner);
        let path = owner.map_or_else(|| name.clone(), |owner| format!("{owner}.{name}"));
        found.push(Definition {
            path,
            name,
            is_callable,
            span: start..end,
            outer: outer_start(it.node),
            parent,
        });
    }
    found
}

/// Where the statement of a definition starts: with its decorators, and with words such as `export`.
fn outer_start(node: Node<'_>) -> usize {
    const AROUND: [&str; 3] = ["decorated", "export", "template_declaration"];
    let mut node = node;
    while let Some(parent) = node.parent().filter(|it| AROUND.iter().any(|word| it.kind().contains(word))) {
        node = parent;
    }
    node.start_byte()
}

/// The names of the old definitions that the new text lacks and nobody asked to remove, without those within
/// others.
///
/// A definition is not lost if it was moved, renamed or inlined.
fn lost(old: &Version, new: &Version, judged: Judged<'_>) -> Vec<String> {
    let paths = |side: &Version| side.definitions.iter().map(|it| it.path.clone()).collect::<HashSet<_>>();
    let (had, has) = (paths(old), paths(new));
    let mut fresh: Vec<&Definition> = new.definitions.iter().filter(|it| !had.contains(&it.path)).collect();
    let mut gone: HashSet<usize> = HashSet::new();
    let mut lost = Vec::new();
    for (at, it) in old.definitions.iter().enumerate() {
        if has.contains(&it.path) {
            continue;
        }
        if it.parent.is_some_and(|parent| gone.contains(&parent)) {
            gone.insert(at);
            continue;
        }
        let moved = fresh.iter().position(|now| now.name == it.name && now.is_callable == it.is_callable);
        let is_renamed = |now: &&Definition| {
            now.is_callable == it.is_callable
                && is_like((old.text_of(it), &it.name), (new.text_of(now), &now.name))
        };
        if let Some(now) = moved.or_else(|| fresh.iter().position(is_renamed)) {
            fresh.swap_remove(now);
            continue;
        }
        // What it contains goes with it.
        gone.insert(at);
        let is_known = names(judged.instruction, &it.name) || is_inlined(old, it, new);
        if !is_known && !is_moved_away(old.text_of(it), judged.is_elsewhere) {
            lost.push(it.path.clone());
        }
    }
    lost
}

/// Whether two definitions are one under two names.
fn is_like((old, old_name): (&str, &str), (new, new_name): (&str, &str)) -> bool {
    let words = |text, name| ident::words(text).filter(|word| *word != name).collect::<HashSet<&str>>();
    let (old, new) = (words(old, old_name), words(new, new_name));
    old.intersection(&new).count() * 100 >= old.len() * SAME_PERCENT
}

/// Whether most lines of a definition's body are elsewhere in the new text, and were not there before.
fn is_inlined(old: &Version, it: &Definition, new: &Version) -> bool {
    let rest: HashSet<&str> =
        visible(&old.text[..it.span.start]).into_iter().chain(visible(&old.text[it.span.end..])).collect();
    let now: HashSet<&str> = visible(&new.text).into_iter().collect();
    let body = visible(old.text_of(it));
    let own: Vec<&&str> =
        body.iter().skip(1).filter(|it| has_word_chars(it) && !rest.contains(**it)).collect();
    let kept = own.iter().filter(|it| now.contains(***it)).count();
    kept > 0 && kept * 2 >= own.len()
}

/// Whether the reply puts most lines of a definition into another file.
fn is_moved_away(text: &str, is_elsewhere: &dyn Fn(&str) -> bool) -> bool {
    let lines: Vec<&str> = visible(text).into_iter().filter(|it| has_word_chars(it)).collect();
    lines.iter().filter(|it| is_elsewhere(it)).count() * 2 > lines.len()
}

/// Whether the reply consists of old definitions alone, and lacks all of several lines beside them.
fn loses_head(old: &Version, new: &Version) -> bool {
    let lines = |side: &Version| {
        let taken = side.outermost().map(|it| side.lines_of(it).map(|(lines, head)| head..lines.end));
        taken.collect::<Option<Vec<_>>>()
    };
    let (Some(old_lines), Some(new_lines)) = (lines(old), lines(new)) else { return false };
    let beside = old.outside(&old_lines).into_iter().filter(|it| has_word_chars(it)).count();
    beside >= HEAD_LINES && !new_lines.is_empty() && new.outside(&new_lines).is_empty()
}

/// Puts the definitions of the reply in place of the old ones; `None` unless each of them replaces one.
///
/// What the reply has beside them must be in the old text, too.
fn merge(old: &Version, new: &Version) -> Option<String> {
    let mut places: HashMap<&str, Vec<&Definition>> = HashMap::new();
    for it in old.outermost() {
        places.entry(&it.path).or_default().push(it);
    }
    let mut written: HashMap<&str, usize> = HashMap::new();
    let mut edits = Vec::new();
    let mut taken = Vec::new();
    for it in new.outermost() {
        let number = written.entry(&it.path).or_default();
        let (old_lines, old_head) = old.lines_of(places.get(it.path.as_str())?.get(*number)?)?;
        *number += 1;
        let (lines, head) = new.lines_of(it)?;
        taken.push(head..lines.end);
        // Comments and decorators that the reply does not repeat stay.
        let start = if head < lines.start { old_head } else { old_lines.start };
        let written = &new.text[head..lines.end];
        // Decorators of a definition that was left out would go to the next one.
        let own = visible(&old.text[old_head..old_lines.end]);
        let all = visible(&old.text);
        let marks = visible(&new.text[head..lines.start]);
        if marks.iter().any(|it| all.contains(it) && !own.contains(it)) {
            return None;
        }
        let text = match (old.text[..old_lines.end].ends_with('\n'), written.ends_with('\n')) {
            (true, false) => format!("{written}\n"),
            (false, true) => written.trim_end_matches(['\n', '\r']).to_owned(),
            _ => written.to_owned(),
        };
        edits.push(Edit::new(start..old_lines.end, text));
    }
    if edits.is_empty() || written.iter().any(|(path, count)| places[path].len() != *count) {
        return None;
    }
    edits.sort_by_key(|edit| edit.span.start);
    if edits.windows(2).any(|pair| pair[0].span.end > pair[1].span.start) {
        return None;
    }
    let kept: Vec<Range<usize>> = edits.iter().map(|edit| edit.span.clone()).collect();
    let known: HashSet<&str> = old.outside(&kept).into_iter().collect();
    if !new.outside(&taken).iter().all(|it| known.contains(it)) {
        return None;
    }
    let whole = apply(&old.text, &edits);
    let after = old.text.len() - old.range.end;
    Some(whole[old.range.start..whole.len() - after].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    const FILE: &str = "import os\n\nLIMIT = 3\n\n\n# What is bought.\nclass Cart:\n    def total(self):\n        return sum(self.prices)\n\n    def clear(self):\n        self.prices.clear()\n        self.log(os.getpid())\n\n\nclass Order:\n    def send(self):\n        post(self.address, self.parcel)\n        self.is_sent = True\n";

    /// Checks how a text for a whole file is read: as `whole`, as a part with this result, or the names that it
    /// lacks.
    #[track_caller]
    fn check_asked(instruction: &str, old: &str, new: &str, expected: &str) {
        let grammar = grammar::by_language_id("python");
        let read = match read(Judged::new(grammar, instruction), Surroundings::none(old), new) {
            WholeOrPart::Whole => "whole".to_owned(),
            WholeOrPart::Part(text) => text,
            WholeOrPart::Refused(Refusal::LeftOut { names }) => format!("lacks {}", names.join(", ")),
            WholeOrPart::Refused(refusal) => refusal.to_string(),
        };
        assert_eq!(read, expected, "{new}");
    }

    #[track_caller]
    fn check(new: &str, expected: &str) {
        check_asked("add up the prices with a loop", FILE, new, expected);
    }

    fn cart() -> &'static str {
        FILE.split("# What")
            .nth(1)
            .and_then(|it| it.split_once('\n'))
            .unwrap()
            .1
            .split("\n\n\nclass Order")
            .next()
            .unwrap()
    }

    #[test]
    fn definitions_that_a_part_leaves_out_stay() {
        let new = cart().replace("sum(self.prices)", "add(self.prices)");
        let whole = FILE.replace("sum(self.prices)", "add(self.prices)");
        check(&format!("{new}\n"), &whole);
        check(&format!("import os\n\n\n{new}\n"), &whole);
        check(
            &format!("import os\n\n\n# Now with a loop.\n{new}\n"),
            &whole.replace("What is bought", "Now with a loop"),
        );
        check(&whole, "whole");
    }

    #[test]
    fn reply_that_is_neither_whole_nor_part_is_refused() {
        let new = cart().replace("sum(self.prices)", "add(self.prices)");
        check(&format!("import re\n\n\n{new}\n"), "lacks Order");
        check(&format!("{new}\n\n\ndef add(them):\n    return sum(them)\n"), "lacks Order");
        let short = FILE
            .replace("        self.prices.clear()\n        self.log(os.getpid())\n\n", "")
            .replace("    def clear(self):\n", "");
        check(&short, "lacks Cart.clear");
    }

    #[test]
    fn what_the_instruction_is_about_may_go() {
        let short = FILE.split("\n\n\nclass Order").next().unwrap().to_owned() + "\n";
        for instruction in
            ["we need no order any more", "Remove what is unused", "inline it", "merge both classes"]
        {
            check_asked(instruction, FILE, &short, "whole");
        }
        check_asked("make the border red", FILE, &short, FILE);
        let of_two_words = FILE.replace("class Order", "class SentOrder");
        let short = of_two_words.split("\n\n\nclass Sent").next().unwrap().to_owned() + "\n";
        check_asked("the sent order is obsolete", &of_two_words, &short, "whole");
    }

    #[test]
    fn definition_under_another_name_or_in_another_place_is_not_lost() {
        check(&FILE.replace("class Order", "class Purchase"), "whole");
        check(&FILE.replace("def send", "def ship").replace("clear", "empty"), "whole");
        let method =
            "    def send(self):\n        post(self.address, self.parcel)\n        self.is_sent = True\n";
        let function = "def send(order):\n    post(self.address, self.parcel)\n    self.is_sent = True\n";
        check(&FILE.replace(&format!("class Order:\n{method}"), function), "whole");
        let inlined =
            FILE.replace("    def clear(self):\n", "").replace("        return sum(self.prices)\n\n", "");
        check(&inlined, "whole");
    }

    #[test]
    fn lines_above_the_definitions_stay() {
        let only = "def a():\n    return b()\n\n\ndef b():\n    return 1\n";
        let old = format!("import os\nimport re\n\n{only}");
        check_asked("", &old, &only.replace('1', "2"), &old.replace('1', "2"));
        check_asked("", &old, &format!("import os\n\n{only}"), "whole");
        check_asked("remove the imports", &old, only, "whole");
    }

    #[test]
    fn decorators_stay_with_their_definitions() {
        let [load, total] =
            ["def load(path):\n    return read(path)\n", "def total(items):\n    return sum(items)\n"];
        let old = format!(
            "{load}\n\n@app.command(\n    name=\"total\",\n)\n{total}\n\n{}",
            load.replace("load", "last")
        );
        check_asked("", &old, &total.replace("sum", "fsum"), &old.replace("sum", "fsum"));
        check_asked(
            "",
            &old,
            &format!("@app.command()\n{total}"),
            &old.replace("(\n    name=\"total\",\n)", "()"),
        );
        let old = format!("@cached\n{load}\n\n{total}");
        check_asked("", &old, &format!("@cached\n\n\n{total}"), "lacks load");
    }

    #[test]
    fn range_keeps_its_definitions() {
        let (before, range, after) = (
            "class A:\n    x = 1\n\n",
            "    def b(self):\n        return 1\n\n    def c(self):\n        return 2\n",
            "\n    def d(self):\n        return 3\n",
        );
        let place = Surroundings { before, range, after };
        let judged = Judged::new(grammar::by_language_id("python"), "");
        let part = read(judged, place, "    def c(self):\n        return 9\n");
        assert_eq!(part, WholeOrPart::Part(range.replace('2', "9")));
        let cut = read(Judged { has_end: false, ..judged }, place, "    def c(self):\n        return 9\n");
        assert_eq!(cut, WholeOrPart::Refused(Refusal::LeftOut { names: vec!["A.b".to_owned()] }));
        assert_eq!(read(judged, place, &range.replace("def b", "def bb")), WholeOrPart::Whole);
    }

    #[test]
    fn methods_outside_of_their_types_are_told_apart() {
        let old = "package a\n\nfunc (a *A) Open() error {\n\treturn a.first()\n}\n\nfunc (b B) Open() error {\n\treturn b.second()\n}\n";
        let new = old.split("\nfunc (b").next().unwrap();
        let judged = Judged::new(grammar::by_language_id("go"), "wrap the error");
        let place = Surroundings::none(old);
        assert_eq!(
            read(judged, place, &new.replace("first", "third")),
            WholeOrPart::Part(old.replace("first", "third"))
        );
        assert_eq!(read(judged, place, &old.replace("(a *A)", "(a A)")), WholeOrPart::Whole);
    }
}
