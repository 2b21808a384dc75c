//! A project's instructions to models: where they are, which files they apply to, and how much is shown.
//!
//! They are quoted in a request and configure nothing. Of the rules that apply to a path, those whose globs
//! name it come first, then the order is that of [`PLACES`]. Of a text that exceeds the available room, the
//! blocks most likely to be relevant to the file are shown.

use std::path::Path;

use globset::GlobBuilder;

use crate::text::printable_lines;

/// Where rules are searched for, below the project's folder, in order of precedence.
pub const PLACES: [RulesPlace; 7] = [
    RulesPlace::Folder(".tandem/instructions", ".md"),
    RulesPlace::Nearest("AGENTS.md"),
    RulesPlace::File(".github/copilot-instructions.md"),
    RulesPlace::Folder(".github/instructions", ".instructions.md"),
    RulesPlace::File("CLAUDE.md"),
    RulesPlace::Folder(".cursor/rules", ".mdc"),
    RulesPlace::File(".cursorrules"),
];
/// Rules files larger than this (bytes) are not read.
pub const MOST_RULES_BYTES: u64 = 64 * 1024;
/// Maximum number of rules files read from one folder.
pub const MOST_RULES_FILES: usize = 32;

/// A location of rules files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulesPlace {
    /// One file.
    File(&'static str),
    /// A file of this name in each folder from the current file's up to the project's, nearest first.
    Nearest(&'static str),
    /// The files of a folder, with this suffix in their names.
    Folder(&'static str, &'static str),
}

/// Rules, as scoped by their front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules<'a> {
    /// The text after the front matter.
    pub body: &'a str,
    /// Whether a glob names the file.
    pub is_named: bool,
}

/// Parses rules for a path below the project's folder; `None` if they do not apply to it.
///
/// The front matter's keys are `applyTo` (Copilot), `globs` and `alwaysApply` (Cursor). A text without these
/// keys applies to all files. With `alwaysApply: false` and without globs it applies to none.
pub fn meant_for<'a>(text: &'a str, path: &str) -> Option<Rules<'a>> {
    let text = text.trim_start_matches('\u{feff}');
    let Some((front, body)) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
        .and_then(|rest| rest.split_once("\n---").map(|(front, body)| (front, body.trim_start_matches('-'))))
    else {
        return Some(Rules { body: text, is_named: false });
    };
    let value = |key: &str| {
        let lines = front.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).next()
    };
    // Lists are written on one line, or one item per line.
    let items = front.lines().filter_map(|line| line.trim_start().strip_prefix("- "));
    let written = value("applyTo").or_else(|| value("globs")).unwrap_or_default();
    let globs: Vec<&str> = written
        .split(',')
        .chain(items)
        .map(|glob| glob.trim().trim_matches(['"', '\'', '[', ']']))
        .filter(|glob| !glob.is_empty())
        .collect();
    let is_named = globs.iter().any(|glob| matches(glob, path));
    let is_for_all = match value("alwaysApply") {
        Some(value) => value == "true",
        None => written.is_empty() && globs.is_empty(),
    };
    (is_named || is_for_all).then_some(Rules { body, is_named: is_named && !is_for_all })
}

/// Whether a glob matches a path. A glob without a folder matches in every folder.
fn matches(glob: &str, path: &str) -> bool {
    let below = glob.trim_start_matches("./").trim_start_matches('/');
    if below.is_empty() {
        return false;
    }
    let glob = if below.contains('/') { below.to_owned() } else { format!("**/{below}") };
    let built = GlobBuilder::new(&glob).literal_separator(true).build();
    built.is_ok_and(|glob| glob.compile_matcher().is_match(Path::new(path)))
}

/// The criteria for weighing blocks: the language and path of the current file.
#[derive(Debug, Clone, Copy)]
pub struct RulesFor<'a> {
    /// The language's name, such as `rust`.
    pub language: &'a str,
    /// The names of other languages.
    pub others: &'a [&'a str],
    /// The file's path below the project's folder.
    pub path: &'a str,
}

/// Words that indicate rules about how code is written …
const OF_CODE: [&str; 18] = [
    "always", "avoid", "don't", "error", "import", "indent", "must", "name", "naming", "never", "not",
    "prefer", "return", "space", "style", "tab", "type", "use",
];
/// … and about other work.
const OF_WORK: [&str; 12] =
    ["branch", "ci", "commit", "deploy", "docker", "install", "issue", "npm", "pr", "pull", "release", "run"];

/// The blocks of a text that fit into `room` bytes, the most relevant to a file, in text order.
pub fn cut(text: &str, about: RulesFor<'_>, room: usize) -> String {
    let text = printable_lines(text);
    // An import of another rules file is useless on its own.
    let lines = text.trim().lines().filter(|line| !line.trim_start().starts_with('@'));
    let text: String = lines.map(|line| line.trim_end().to_owned() + "\n").collect();
    if text.len() <= room {
        return text;
    }
    let blocks = blocks(&text, room);
    let mut ranked: Vec<usize> = (0..blocks.len()).filter(|at| !is_heading(blocks[*at])).collect();
    ranked.sort_by_key(|at| (std::cmp::Reverse(weight(blocks[*at], about)), *at));
    // A block needs its heading.
    let mut last = None;
    let headings: Vec<Option<usize>> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            last = if is_heading(block) { Some(at) } else { last };
            last
        })
        .collect();
    let (mut shown, mut spent) = (vec![false; blocks.len()], 0);
    for at in ranked {
        let heading = headings[at].filter(|it| !shown[*it]);
        let bytes = blocks[at].len() + heading.map_or(0, |it| blocks[it].len());
        if spent + bytes <= room {
            spent += bytes;
            shown[at] = true;
            if let Some(heading) = heading {
                shown[heading] = true;
            }
        }
    }
    blocks.iter().zip(shown).filter(|(_, shown)| *shown).map(|(block, _)| *block).collect()
}

/// Splits a text into blocks: headings, list items with the lines indented below them, paragraphs.
///
/// A paragraph that exceeds `room` is split into lines.
fn blocks(text: &str, room: usize) -> Vec<&str> {
    let mut blocks: Vec<&str> = Vec::new();
    let (mut begin, mut at) = (0, 0);
    let mut close = |begin: usize, end: usize| {
        let block = &text[begin..end];
        if block.len() > room {
            blocks.extend(block.split_inclusive('\n').filter(|line| !line.trim().is_empty()));
        } else if !block.trim().is_empty() {
            blocks.push(block);
        }
    };
    let mut is_heading_before = false;
    for line in text.split_inclusive('\n') {
        let is_item = ["- ", "* ", "+ "].iter().any(|it| line.starts_with(it))
            || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        if is_item || is_heading(line) || is_heading_before || line.trim().is_empty() {
            close(begin, at);
            begin = at;
        }
        is_heading_before = is_heading(line);
        at += line.len();
    }
    close(begin, at);
    blocks
}

fn is_heading(block: &str) -> bool {
    block.trim_start().starts_with('#') && block.trim().lines().count() == 1
}

/// Scores how useful a block is for writing code in a file.
fn weight(block: &str, about: RulesFor<'_>) -> i32 {
    let lower = block.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| !it.is_alphanumeric() && it != '\'').filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.iter().any(|it| *it == word || it.strip_suffix('s') == Some(word));
    let ending = about.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_of_language = has(about.language) || !ending.is_empty() && lower.contains(&format!(".{ending}"));
    let names_path = about.path.split(['/', '.']).any(|part| part.len() > 3 && has(&part.to_lowercase()));
    let mut weight = 0;
    weight += 3 * i32::from(is_of_language) + 2 * i32::from(names_path);
    weight += i32::from(OF_CODE.iter().any(|word| has(word)));
    weight -= 2 * i32::from(!is_of_language && about.others.iter().any(|other| has(other)));
    weight -= 2 * i32::from(OF_WORK.iter().any(|word| has(word))) + i32::from(block.contains("```"));
    weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check_meant(text: &str, path: &str, expect: Expect) {
        expect.assert_eq(&match meant_for(text, path) {
            Some(Rules { body, is_named }) => {
                format!("{}{}", if is_named { "named: " } else { "" }, body.trim())
            }
            None => "not meant".to_owned(),
        });
    }

    #[test]
    fn front_matter_says_for_which_files_rules_are_meant() {
        let copilot = "---\napplyTo: \"**/*.ts,src/api/**\"\n---\nUse tabs.\n";
        check_meant(copilot, "web/a.ts", expect!["named: Use tabs."]);
        check_meant(copilot, "src/api/a.py", expect!["named: Use tabs."]);
        check_meant(copilot, "src/a.py", expect!["not meant"]);
        let cursor = "---\ndescription: Style\nglobs: *.py\nalwaysApply: false\n---\nUse blanks.\n";
        check_meant(cursor, "a/b.py", expect!["named: Use blanks."]);
        check_meant(cursor, "a/b.rs", expect!["not meant"]);
        check_meant("---\nglobs:\nalwaysApply: true\n---\nBe brief.\n", "a.rs", expect!["Be brief."]);
        // Rules that the user must reference explicitly.
        check_meant(
            "---\ndescription: Migrations\nglobs:\nalwaysApply: false\n---\nX\n",
            "a.rs",
            expect!["not meant"],
        );
        check_meant("Use tabs.\n---\nand more\n", "a.rs", expect!["Use tabs.\n---\nand more"]);
        check_meant("---\r\napplyTo: '**'\r\n---\r\nUse tabs.\r\n", "a.rs", expect!["named: Use tabs."]);
        check_meant("---\nglobs: [\n---\nX\n", "a.rs", expect!["not meant"]);
        let list = "---\nglobs:\n  - \"*.py\"\n  - src/**\n---\nUse blanks.\n";
        check_meant(list, "a.py", expect!["named: Use blanks."]);
        check_meant(list, "a.rs", expect!["not meant"]);
    }

    const RULES: &str = "\
# Shop

Run `npm install`, then `npm test`, before each commit.

## Style

- Use tabs, never blanks.
- Python: prefer dataclasses to dicts, and
  annotate every function.
- TypeScript: use `unknown`, never `any`.

## Pull requests

Name the issue in the title of a pull request, and wait for CI.
@docs/more.md
";

    fn check_cut(path: &str, language: &str, room: usize, expect: Expect) {
        let about = RulesFor { language, others: &["python", "typescript"], path };
        let shown = cut(RULES, about, room);
        assert!(shown.len() <= room);
        expect.assert_eq(&shown);
    }

    #[test]
    fn blocks_about_the_file_are_shown_first() {
        check_cut(
            "shop/cart.py",
            "python",
            160,
            expect![[r#"
            ## Style
            - Use tabs, never blanks.
            - Python: prefer dataclasses to dicts, and
              annotate every function.
            - TypeScript: use `unknown`, never `any`.
        "#]],
        );
        check_cut(
            "web/cart.ts",
            "typescript",
            110,
            expect![[r#"
                ## Style
                - Use tabs, never blanks.
                - TypeScript: use `unknown`, never `any`.
            "#]],
        );
        check_cut(
            "a.go",
            "go",
            40,
            expect![[r#"
            ## Style
            - Use tabs, never blanks.
        "#]],
        );
        check_cut("a.go", "go", 20, expect![[""]]);
    }
}
