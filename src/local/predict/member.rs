//! Checks assignments to a member of the own object: `self.width = `, `this.width = `, `@width = `.
//!
//! The lines above suggest assigning a value of the member's own name. The function's parameters show whether
//! such a name exists.

use crate::text::ident::{is_part, occurrences};

/// Prefixes of the object's members in its own functions.
const OBJECTS: [&str; 3] = ["self.", "this.", "@"];
/// Parameters that are the object itself.
const RECEIVERS: [&str; 4] = ["self", "this", "cls", "mut"];
/// What members that are not public begin with.
const MARKS: [&str; 2] = ["", "_"];
/// Words that begin a block other than a function.
const CONTROL: [&str; 12] =
    ["if", "elif", "else", "for", "while", "switch", "catch", "with", "try", "unless", "match", "case"];
/// Modifiers that make a parameter a member, which needs no separate assignment.
const MEMBER_WORDS: [&str; 4] = ["private", "public", "protected", "readonly"];

/// The verdict on a guess.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is no objection.
    AsGuessed,
    /// The guess uses an unknown name.
    Unknown,
    /// Without a guess: the rest of the parameter with the member's name, and of its line.
    Parameter(String),
}

/// Judges a continuation of the line after `before`, with its guess, if any.
pub(super) fn judge(before: &str, guess: Option<&str>) -> Verdict {
    let (above, line) = before.split_at(before.rfind('\n').map_or(0, |end| end + 1));
    let Some((member, stem)) = assignment(line) else { return Verdict::AsGuessed };
    let Some(parameters) = parameters_above(above, depth(line)) else { return Verdict::AsGuessed };
    let name = member.trim_start_matches('_');
    let is_parameter = names(parameters).any(|it| it == name);
    match guess {
        Some(guess) => {
            let said = format!("{stem}{guess}");
            let is_same =
                said.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|it| is_part(it) || it == '('));
            // A parameter that has no use yet is what a member of its name gets.
            let is_missed =
                is_parameter && !said.starts_with(name) && !is_bare(body(above, parameters), name);
            match name.strip_prefix(stem) {
                _ if is_same && !is_parameter && !is_bare(above, name) => Verdict::Unknown,
                Some(rest) if is_missed && !rest.is_empty() => Verdict::parameter(rest, above),
                _ => Verdict::AsGuessed,
            }
        }
        None => match name.strip_prefix(stem).filter(|rest| is_parameter && !rest.is_empty()) {
            Some(rest) => Verdict::parameter(rest, above),
            None => Verdict::AsGuessed,
        },
    }
}

impl Verdict {
    fn parameter(rest: &str, above: &str) -> Self {
        Self::Parameter(format!("{rest}{}", end_of_lines(above)))
    }
}

/// The rest of the assignment of the next parameter, where those before it were assigned in their order:
/// `self.b = b` below `self.a = a`.
pub(super) fn next_assignment(before: &str) -> Option<String> {
    let (above, line) = before.split_at(before.rfind('\n').map_or(0, |end| end + 1));
    let (object, stem) = OBJECTS.iter().find_map(|it| Some((*it, line.trim_start().strip_prefix(it)?)))?;
    let parameters = parameters_above(above, depth(line)).filter(|_| stem.chars().all(is_part))?;
    let body = body(above, parameters);
    let names: Vec<&str> = names(parameters).filter(|it| !RECEIVERS.contains(it)).collect();
    let mark = |name: &str| {
        let is_there = |mark: &&&str| {
            let assignment = format!("{object}{mark}{name} = {name}");
            body.lines().any(|line| line.trim().trim_end_matches(';') == assignment)
        };
        MARKS.iter().find(is_there)
    };
    let last = names.iter().rposition(|name| mark(name).is_some())?;
    let (next, mark) = names.get(last + 1).zip(mark(names[last]))?;
    if is_bare(body, next) {
        return None;
    }
    let whole = format!("{mark}{next}");
    let rest = whole.strip_prefix(stem)?;
    Some(format!("{rest} = {next}{}", end_of_lines(above)))
}

/// What is between the parameters of a function and the end of the text.
fn body<'a>(above: &'a str, parameters: &str) -> &'a str {
    let start = parameters.as_ptr() as usize - above.as_ptr() as usize + parameters.len();
    let rest = &above[start..];
    // Behind the head, which may go on with the type of the result.
    rest.find('\n').map_or("", |end| &rest[end..])
}

/// The statement terminator, by the nearest statement above: `;` or nothing.
fn end_of_lines(above: &str) -> &'static str {
    let opens = |line: &&str| line.is_empty() || line.ends_with(['{', '}', '(', ',', ':', '/']);
    let statement = above.lines().rev().map(str::trim).find(|line| !opens(line));
    if statement.is_some_and(|line| line.ends_with(';')) { ";" } else { "" }
}

/// The member that a line is about to assign, and the typed part of the value.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let rest = OBJECTS.iter().find_map(|it| line.trim_start().strip_prefix(it))?;
    let (member, rest) = rest.split_at(rest.find(|it| !is_part(it))?);
    // A type may lie between.
    let (declared, stem) = rest.split_once("= ")?;
    let is_plain = declared.trim().is_empty() || declared.starts_with(": ") && !declared.contains('=');
    (!member.is_empty() && is_plain && stem.chars().all(is_part)).then_some((member, stem))
}

/// The parameter list, as written, of the enclosing function.
fn parameters_above(above: &str, depth_below: usize) -> Option<&str> {
    let mut depth_below = depth_below;
    let mut end = above.len();
    while let Some(body) = above[..end].strip_suffix('\n') {
        let start = body.rfind('\n').map_or(0, |at| at + 1);
        let line = &above[start..body.len()];
        end = start;
        let indentation = depth(line);
        if line.trim().is_empty() || indentation >= depth_below {
            continue;
        }
        depth_below = indentation;
        let text = line.trim();
        let head = match text.strip_prefix(')') {
            // The parameters are on separate lines.
            Some(_) => {
                let opens = |it: &&str| depth(it) == indentation && it.trim_end().ends_with('(');
                let first = above[..start].lines().rev().find(opens)?;
                &above[first.as_ptr() as usize - above.as_ptr() as usize..body.len()]
            }
            None => line,
        };
        let first_word = head.trim_start().split(|it| !is_part(it)).next().unwrap_or_default();
        if CONTROL.contains(&first_word) || text.starts_with('}') {
            continue;
        }
        let is_open = text.ends_with(['{', ':']) || first_word == "def";
        let open = head.find('(').filter(|at| is_open && head[..*at].ends_with(is_part))?;
        return (first_word != "class").then(|| within(&head[open + 1..]))?;
    }
    None
}

/// The text up to the closing bracket.
fn within(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(&text[..at]),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The names of parameters. A type precedes or follows them, depending on the language.
fn names(parameters: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let mut last = ' ';
    let pieces = parameters.split(move |it| {
        match it {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if last == '=' || last == '-' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = it;
        it == ',' && depth == 0
    });
    pieces.filter_map(|piece| {
        let declared = piece.split([':', '=']).next().unwrap_or_default();
        let mut words = declared.split(|it| !is_part(it)).filter(|it| !it.is_empty());
        let is_member = words.clone().any(|it| MEMBER_WORDS.contains(&it));
        words.next_back().filter(|_| !is_member)
    })
}

/// Whether a name occurs on its own, and not as an object's member.
fn is_bare(text: &str, name: &str) -> bool {
    occurrences(text, name).any(|at| !text[..at].ends_with(['.', '@', '"', '\'']))
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the verdict on a guess at the end of a text; `-` for no guess.
    #[track_caller]
    fn check(before: &str, guess: &str, expected: &str) {
        let verdict = match judge(before, Some(guess).filter(|it| *it != "-")) {
            Verdict::AsGuessed => "as guessed".to_owned(),
            Verdict::Unknown => "unknown".to_owned(),
            Verdict::Parameter(text) => text,
        };
        assert_eq!(verdict, expected, "{before}");
    }

    #[test]
    fn guess_of_the_members_name_needs_a_parameter() {
        let python =
            "class Cart:\n    def __init__(self, basket, size: int = 1):\n        self.basket = basket\n";
        check(&format!("{python}        self.paid = "), "paid", "unknown");
        check(&format!("{python}        self.open = "), "open", "unknown");
        check(&format!("{python}        self.open = "), "open(basket)", "as guessed");
        check(&format!("{python}        self.paid = "), "paid_by(1)", "as guessed");
        check(&format!("{python}        self.paid = p"), "aid", "unknown");
        check(&format!("{python}        self.paid = "), "False", "as guessed");
        check(&format!("{python}        self.size = "), "size", "as guessed");
        check(&format!("{python}        paid = 1\n        self.paid = "), "paid", "as guessed");
        check(&format!("{python}\npaid = "), "paid", "as guessed");
        check("self.paid = ", "paid", "as guessed");
    }

    #[test]
    fn parameter_without_a_use_is_what_a_member_of_its_name_gets() {
        let python = "    def __init__(self, basket, size=1):\n        self.basket = basket\n";
        check(&format!("{python}        self.size = "), "basket", "size");
        check(&format!("{python}        self.size = s"), "um", "ize");
        check(&format!("{python}        self.size = "), "size or 1", "as guessed");
        check(&format!("{python}        check(size)\n        self.size = "), "0", "as guessed");
    }

    #[test]
    fn parameters_are_assigned_in_their_order() {
        let check = |before: &str, expected: &str| {
            assert_eq!(next_assignment(before).as_deref().unwrap_or("-"), expected, "{before}");
        };
        let python = "    def __init__(self, basket, size: int = 1, *rest):\n        self.basket = basket\n";
        check(&format!("{python}        self."), "size = size");
        check(&format!("{python}        self.si"), "ze = size");
        check(&format!("{python}        self.other"), "-");
        check(&format!("{python}        print(size)\n        self."), "-");
        check(&format!("{python}        self.size = size\n        self."), "rest = rest");
        check("    def __init__(self, basket):\n        self.", "-");
        let marked = "    def __init__(self, basket, size):\n        self._basket = basket\n        self.";
        check(marked, "_size = size");
        let java = "    Cart(int size, List<Item> items) {\n        this.size = size;\n        this.";
        check(java, "items = items;");
        check("  def initialize(name, size: 1)\n    @name = name\n    @", "size = size");
    }

    #[test]
    fn parameter_with_the_members_name_is_known_without_a_guess() {
        let python = "    def __init__(self, basket, size: Dict[str, int] = 1, *rest):\n";
        check(&format!("{python}        self.basket = "), "-", "basket");
        check(&format!("{python}        self.size: Dict[str, int] = si"), "-", "ze");
        check(&format!("{python}        self._rest = "), "-", "rest");
        check(&format!("{python}        self.other = "), "-", "as guessed");
        check(&format!("{python}        self.int = "), "-", "as guessed");
        check(&format!("{python}        if basket:\n            self.basket = "), "-", "basket");
        let apart =
            "    def __init__(\n        self,\n        basket: int,\n    ) -> None:\n        self.a = 1\n";
        check(&format!("{apart}        self.basket = "), "-", "basket");
        check("  constructor(a: (x: T) => void, private b: B, c?: C) {\n    this.c = ", "-", "c");
        check("  constructor(a: (x: T) => void, private b: B, c?: C) {\n    this.b = ", "-", "as guessed");
        check("    Cart(final Map<String, Item> items, int size) {\n        this.items = ", "-", "items");
        check("  def initialize(name, size:, kind: 1)\n    @size = ", "-", "size");
        check("class Cart(Base):\n    self.Base = ", "-", "as guessed");
        check("  run(() => {\n    this.run = ", "-", "as guessed");
        check("    def f(self, a):\n        self.a == ", "-", "as guessed");
        let rust = "    fn grow(&mut self, width: u32, height: u32) {\n        self.width += width;\n";
        check(&format!("{rust}        self.height = "), "-", "height;");
        let java = "    int size;\n\n    Cart(int size) {\n";
        check(&format!("{java}        this.size = si"), "-", "ze;");
    }
}
