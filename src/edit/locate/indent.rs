//! The indentation mapping between a block and the file.
//!
//! It determines the indentation to remove from each line, and its replacement.

use super::FileText;
use super::respell::{self, Part};
use crate::edit::parse::block::{Line, Role};
use crate::edit::{line, strings};
use crate::text::bracket::closes_block;
use crate::text::ident;

/// The mapping of the block's indentation to the file's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    rule: Rule,
    /// The conversion of indentation by the character, tab or space, that the file does not use.
    ///
    /// It is applied before the rule.
    foreign: Option<Foreign>,
    /// The file's indentation of the block's first line, which lost its own.
    first: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// One prefix is replaced by another.
    Prefix { strip: String, put: String },
    /// `columns` columns of the block are one `unit` of the file, a tab or spaces.
    ///
    /// `base` is the difference in depth.
    Unit { columns: usize, unit: String, base: isize },
}

/// Indentation by the other character: `width` of it are one step of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Foreign {
    sign: char,
    width: usize,
    unit: String,
}

impl Foreign {
    /// Detects new lines that are indented by another character than the file's line.
    ///
    /// They have spaces where it has tabs, or tabs where it has spaces. Their least indentation is one step.
    /// `None` if they mix both or have no clear step; `Some(None)` if they are not indented by the other one.
    fn of(target: &FileText<'_>, lines: &[Line], file: &str) -> Option<Option<Self>> {
        let (sign, unit) = match file.chars().next() {
            Some('\t') => (' ', "\t".to_owned()),
            Some(_) => ('\t', " ".repeat(file_step(target))),
            None => return Some(None),
        };
        let blanks = lines.iter().filter(|line| line.role != Role::Delete && !line::is_blank(&line.text));
        let blanks: Vec<&str> =
            blanks.map(|line| line::indent(&line.text)).filter(|blanks| !blanks.is_empty()).collect();
        if !blanks.iter().any(|blanks| blanks.starts_with(sign)) {
            return Some(None);
        }
        let all = blanks.iter().all(|blanks| blanks.chars().all(|it| it == sign));
        let least = blanks.iter().map(|blanks| blanks.len()).min()?;
        let width = if sign == ' ' { least } else { 1 };
        let sound = all && matches!((sign, width), ('\t', _) | (' ', 2 | 4 | 8));
        sound.then_some(Some(Self { sign, width, unit }))
    }

    fn convert(&self, blanks: &str) -> Option<String> {
        if !blanks.starts_with(self.sign) {
            return Some(blanks.to_owned());
        }
        (blanks.len().is_multiple_of(self.width)).then(|| self.unit.repeat(blanks.len() / self.width))
    }
}

/// The mapping from the block's old lines to the file's lines from `start` on.
///
/// `None` unless exactly one fits.
pub(super) fn mapping(target: &FileText<'_>, lines: &[Line], start: usize) -> Option<Mapping> {
    let old = || {
        let both = lines.iter().filter(|line| line.is_old()).zip(&target.lines[start..]);
        both.filter(|(line, _)| !line::is_blank(&line.text))
    };
    if old().any(|(line, file)| line.is_fixed && line.text.trim_end() != file.trim_end()) {
        return None;
    }
    let pairs: Vec<(&str, &str)> = old()
        .filter(|(line, _)| !line.is_fixed)
        .map(|(line, file)| (line::indent(&line.text), line::indent(file)))
        .collect();
    let code: Vec<Line> = lines.iter().filter(|line| !line.is_fixed).cloned().collect();
    let lines = &*code;
    let (first, rest) = pairs.split_first()?;
    // A single line without its indentation does not show the reply's unit: the file's own decides.
    let foreign =
        if rest.is_empty() && first.0.is_empty() { Foreign::of(target, lines, first.1)? } else { None };
    let own: Option<Vec<Line>> = foreign.as_ref().map_or_else(
        || Some(code.clone()),
        |foreign| {
            let converted = |line: &Line| {
                let blanks = line::indent(&line.text);
                Some(Line::new(line.role, foreign.convert(blanks)? + &line.text[blanks.len()..]))
            };
            lines.iter().map(converted).collect()
        },
    );
    let own = own?;
    if is_in_columns_of_file(&own, &pairs) || has_stray_blank(&own, &pairs) {
        return Some(Mapping { rule: Rule::unchanged(), foreign: None, first: None });
    }
    let is_flush = rest.is_empty() && first.0.is_empty() && !first.1.is_empty();
    let lost = || apart(target, &own, start).unwrap_or_else(|| lost(&own, first.1));
    match if is_flush { lost() } else { Lost::All } {
        Lost::All => {}
        Lost::Unclear => return None,
        Lost::First => {
            return Some(Mapping { foreign, ..Mapping::of_first(first.1) });
        }
    }
    if let Some(rule) = rule(target, &own, &pairs) {
        return Some(Mapping { rule, foreign, first: None });
    }
    // A model that trims its block loses the first line's indentation only.
    let trimmed = first.0.is_empty()
        && !first.1.is_empty()
        && lines.first().is_some_and(|line| line.text == line.text.trim_start());
    let rule = if trimmed && !rest.is_empty() { rule(target, lines, rest)? } else { return None };
    Some(Mapping { rule, foreign: None, first: Some(first.1.to_owned()) })
}

/// Whether the new lines are in the file's columns, unlike the old ones.
///
/// They begin in the column of the file's first line, and none of them is less indented than all of the file's.
fn is_in_columns_of_file(lines: &[Line], pairs: &[(&str, &str)]) -> bool {
    let visible = || lines.iter().filter(|line| line.role != Role::Delete && !line::is_blank(&line.text));
    let least = pairs.iter().map(|(_, file)| *file).min_by_key(|file| file.len()).unwrap_or_default();
    let begins_there = |(block, file): &(&str, &str)| {
        block != file && visible().next().is_some_and(|line| line::indent(&line.text) == *file)
    };
    pairs.first().is_some_and(begins_there)
        && visible().all(|line| line.role == Role::Add && line.text.starts_with(least))
}

/// Whether the old lines are in the file's columns but for a single kept one, which has one blank more or less.
///
/// One line in its own column behind blanks shows that no other mapping is meant.
fn has_stray_blank(lines: &[Line], pairs: &[(&str, &str)]) -> bool {
    let old = lines.iter().filter(|line| line.is_old() && !line::is_blank(&line.text));
    let mut apart = old.zip(pairs).filter(|(_, (block, file))| block != file);
    let (Some((line, (block, file))), None) = (apart.next(), apart.next()) else { return false };
    let is_exact = |(block, file): &(&str, &str)| block == file && !block.is_empty();
    line.role == Role::Keep
        && (block.strip_prefix(file) == Some(" ") || file.strip_prefix(block) == Some(" "))
        && pairs.iter().any(is_exact)
}

/// The lines of a block that lost their indentation.
pub(super) enum Lost {
    First,
    All,
    /// Either, with different results.
    Unclear,
}

/// What the new lines lost by a definition in column zero below them, or a key of YAML.
///
/// Below a blank line, and where the file's outermost block ends with the replaced line, it is in its own column. Else,
/// it may belong there or in the block. `None` if no line shows that, or if brackets tell anyway.
fn apart(target: &FileText<'_>, lines: &[Line], start: usize) -> Option<Lost> {
    const DEFINING: [&str; 17] = [
        "@",
        "async ",
        "class ",
        "def ",
        "enum ",
        "export ",
        "fn ",
        "func ",
        "function ",
        "impl ",
        "interface ",
        "local function ",
        "module ",
        "pub ",
        "struct ",
        "trait ",
        "type ",
    ];
    let facts = target.grammar.map(|grammar| grammar.facts());
    let has_keys = facts.is_some_and(|it| it.keys_by_column);
    let has_blocks = facts.is_some_and(|it| !it.aligned_blocks.is_empty());
    let is_key = |line: &str| {
        let (key, rest) = line.split_once(':').unwrap_or_default();
        !key.is_empty()
            && key.chars().all(|sign| ident::is_part(sign) || sign == '-')
            && !rest.starts_with(':')
    };
    let begins = |line: &str| match has_keys {
        true => is_key(line),
        false => DEFINING.iter().any(|word| line.starts_with(word)),
    };
    let new: Vec<&str> =
        lines.iter().filter(|line| line.role != Role::Delete).map(|line| line.text.as_str()).collect();
    let first = new.iter().position(|line| !line::is_blank(line))?;
    let at = (first + 1..new.len()).find(|at| begins(new[*at]))?;
    let behind = target.lines.get(start + 1..)?.iter().find(|line| !line::is_blank(line));
    let is_end = behind.is_none_or(|line| line::indent(line).is_empty());
    if !has_keys && begins(new[first]) {
        return None;
    }
    let is_method = ["(self", "(cls"].iter().any(|it| new[at].contains(it));
    if is_end && line::is_blank(new[at - 1]) && !is_method {
        return Some(Lost::First);
    }
    (has_blocks || has_keys && is_end).then_some(Lost::Unclear)
}

/// Determines which of the new lines lost their indentation, where the file's line is indented by `column`.
///
/// Lines below the first one that are as deep as the file's line did not lose it, unless they could be nested in it.
pub(super) fn lost(lines: &[Line], column: &str) -> Lost {
    let mut new = lines
        .iter()
        .filter(|line| line.role != Role::Delete && !line::is_blank(&line.text))
        .map(|line| line.text.trim_end());
    let (Some(head), Some(second)) = (new.next(), new.clone().next()) else { return Lost::All };
    let last = new.clone().next_back().unwrap_or(second);
    if !line::indent(head).is_empty() || !new.all(|line| line.starts_with(column)) {
        return Lost::All;
    }
    let deeper = line::indent(second).len() > column.len();
    if head.ends_with(['{', '(', '[', ':']) {
        // Labels may share a column or be nested.
        let labels = head.ends_with(':') && second.ends_with(':');
        return match deeper {
            true => Lost::First,
            false if labels => Lost::Unclear,
            false => Lost::All,
        };
    }
    if line::indent(last) == column && closes_block(last) {
        return Lost::First;
    }
    let begins = |letter: char| letter.is_alphanumeric() || "_$@#/<\"'".contains(letter);
    let is_like_first = second.trim_start().chars().next() == head.chars().next();
    let goes_on = !(is_like_first || second.trim_start().starts_with(begins))
        || head.ends_with([',', '=', '+', '|', '&', '\\']);
    if deeper || goes_on { Lost::Unclear } else { Lost::First }
}

impl Mapping {
    /// The first line alone moves to a column.
    pub(super) fn of_first(column: &str) -> Self {
        Self { rule: Rule::unchanged(), foreign: None, first: Some(column.to_owned()) }
    }

    /// All lines move to a column. `None` if they are indented by the character that the file does not use, and by no
    /// clear step.
    pub(super) fn of_all(target: &FileText<'_>, lines: &[Line], column: &str) -> Option<Self> {
        let rule = Rule::Prefix { strip: String::new(), put: column.to_owned() };
        Some(Self { rule, foreign: Foreign::of(target, lines, column)?, first: None })
    }

    /// Returns the text of each added line. `None` if one of them does not fit the mapping.
    pub(super) fn added(&self, target: &FileText<'_>, lines: &[Line], at: &[usize]) -> Option<Vec<String>> {
        let spelled = respell::added(target, lines, at, Part::Content);
        let first_added =
            lines.iter().take_while(|line| line.role != Role::Keep).position(|line| line.role == Role::Add);
        let added = lines.iter().enumerate().filter(|(_, line)| line.role == Role::Add);
        added
            .zip(spelled)
            .map(|((number, line), content)| {
                if line.is_fixed {
                    return Some(line.text.clone());
                }
                if line::is_blank(&line.text) {
                    return Some(String::new());
                }
                let blanks = line::indent(&line.text);
                let own = match &self.foreign {
                    Some(foreign) => foreign.convert(blanks)?,
                    None => blanks.to_owned(),
                };
                let indent = match &self.first {
                    Some(first) if blanks.is_empty() && first_added == Some(number) => first.clone(),
                    _ => self.rule.indent(&own)?,
                };
                // Tabs and spaces are mixed only in an indentation that the file or the reply already mixes.
                let mixed = |blanks: &str| blanks.contains('\t') && blanks.contains(' ');
                let known = mixed(blanks) || at.iter().any(|at| mixed(line::indent(target.lines[*at])));
                (known || !mixed(&indent)).then(|| indent + &content)
            })
            .collect()
    }
}

impl Rule {
    fn unchanged() -> Self {
        Self::Prefix { strip: String::new(), put: String::new() }
    }

    fn indent(&self, blanks: &str) -> Option<String> {
        match self {
            Self::Prefix { strip, put } => {
                blanks.strip_prefix(strip.as_str()).map(|rest| format!("{put}{rest}"))
            }
            Self::Unit { columns, unit, base } => {
                let width = columns_of(blanks, *columns)?;
                let depth = base.checked_add((width / columns) as isize)?;
                let rest = width % columns;
                (depth >= 0 && rest == 0).then(|| unit.repeat(depth as usize))
            }
        }
    }

    fn explains(&self, pairs: &[(&str, &str)]) -> bool {
        pairs.iter().all(|(block, file)| self.indent(block).as_deref() == Some(*file))
    }
}

/// The rule that explains all pairs and, if possible, covers every added line.
fn rule(target: &FileText<'_>, lines: &[Line], pairs: &[(&str, &str)]) -> Option<Rule> {
    let added: Vec<&str> = lines
        .iter()
        .filter(|line| line.role == Role::Add && !line::is_blank(&line.text))
        .map(|line| line::indent(&line.text))
        .collect();
    let fits = |rule: &Rule| rule.explains(pairs);
    let prefix = prefix_rule(pairs).filter(fits);
    let other_kind =
        |file: &str, block: &str| file.contains('\t') != block.contains('\t') && !block.is_empty();
    let mixed = pairs.iter().any(|(block, file)| other_kind(file, block));
    let units: Vec<Rule> = unit_rules(target, pairs).into_iter().filter(fits).collect();
    let says_all = |rule: &&Rule| added.iter().all(|blanks| rule.indent(blanks).is_some());
    if !mixed && let Some(prefix) = prefix.clone() {
        // The reply's step may be smaller than the file's, which a single depth does not show.
        let step = file_step(target);
        let whole =
            |rule: &Rule| added.iter().all(|blanks| rule.indent(blanks).is_some_and(|i| i.len() % step == 0));
        let scaled = units.iter().find(|unit| !whole(&prefix) && whole(unit));
        return Some(scaled.cloned().unwrap_or(prefix));
    }
    units.iter().find(says_all).or(units.first()).cloned().or(prefix)
}

/// Replaces the prefix that differs in the pair with the least indentation.
fn prefix_rule(pairs: &[(&str, &str)]) -> Option<Rule> {
    let (block, file) = pairs.iter().min_by_key(|(block, file)| block.len() + file.len())?;
    let shared = block.bytes().rev().zip(file.bytes().rev()).take_while(|(a, b)| a == b).count();
    let (strip, put) = (&block[..block.len() - shared], &file[..file.len() - shared]);
    Some(Rule::Prefix { strip: strip.to_owned(), put: put.to_owned() })
}

/// Rules that change the unit of indentation, likeliest first. None if a line is indented as in the file: it is in the
/// file's unit.
fn unit_rules(target: &FileText<'_>, pairs: &[(&str, &str)]) -> Vec<Rule> {
    if pairs.iter().any(|(block, file)| block == file && !block.is_empty()) {
        return Vec::new();
    }
    let tabs = pairs.iter().any(|(_, file)| file.contains('\t'));
    let unit = if tabs { "\t".to_owned() } else { " ".repeat(file_step(target)) };
    let depth = |file: &str| file.len() / unit.len();
    let mut rules = Vec::new();
    for columns in [4, 2, 8, 3, 1] {
        let Some((block, file)) = pairs.iter().max_by_key(|(block, _)| block.len()) else { continue };
        let Some(width) = columns_of(block, columns) else { continue };
        let base = depth(file) as isize - (width / columns) as isize;
        rules.push(Rule::Unit { columns, unit: unit.clone(), base });
    }
    // Rules without an offset are likelier: spaces for tabs is the common case.
    rules.sort_by_key(|rule| matches!(rule, Rule::Unit { base, .. } if *base != 0));
    rules
}

/// The width of an indentation in columns, where a tab is one unit of the reply.
fn columns_of(blanks: &str, unit: usize) -> Option<usize> {
    let tabs = blanks.matches('\t').count();
    let spaces = blanks.len() - tabs;
    // Tabs and spaces mixed have no certain width.
    (tabs == 0 || spaces == 0).then_some(tabs * unit + spaces)
}

/// The file's usual indentation step in spaces.
fn file_step(target: &FileText<'_>) -> usize {
    let mut counts = [0_usize; 9];
    let mut last = 0;
    for line in target.lines.iter().filter(|line| !line::is_blank(line)).take(2000) {
        let blanks = line::indent(line);
        if blanks.contains('\t') {
            continue;
        }
        let step = blanks.len().saturating_sub(last);
        if (2..=8).contains(&step) {
            counts[step] += 1;
        }
        last = blanks.len();
    }
    (2..=8).max_by_key(|step| (counts[*step], 8 - step)).filter(|step| counts[*step] > 0).unwrap_or(4)
}
/// Marks the lines of strings that keep their blanks when the block moves to the file's line `at`.
pub(super) fn with_fixed_strings(target: &FileText<'_>, lines: &[Line], at: usize) -> Vec<Line> {
    let count = lines.iter().filter(|line| line.is_old()).count();
    let old = target.lines[at..target.lines.len().min(at + count)].concat();
    let mut marked = lines.to_vec();
    for half in [Role::Delete, Role::Add] {
        let is_in = |line: &&Line| line.role == Role::Keep || line.role == half;
        let code: String = lines.iter().filter(is_in).flat_map(|line| [line.text.as_str(), "\n"]).collect();
        let mut strings = strings::fixed(target.grammar, &code, &old).into_iter().peekable();
        if strings.peek().is_none() {
            continue;
        }
        let mut start = 0;
        for line in marked.iter_mut().filter(|line| is_in(&&**line)) {
            while strings.next_if(|string| string.end <= start).is_some() {}
            line.is_fixed |= strings.peek().is_some_and(|string| string.start < start);
            start += line.text.len() + 1;
        }
    }
    marked
}
