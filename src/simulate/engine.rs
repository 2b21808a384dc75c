//! The embedded engine that answers in place of a model.
//!
//! It is not a model and does not pretend to be one. It parses this project's own prompts and answers them by
//! rule.

use std::ops::Range;
use std::path::Path;

use crate::document::{Document, DocumentId};
use crate::edit::{Edit, apply, span};
use crate::grammar;
use crate::local;
use crate::local::fix::{FileView, Problem};
use crate::local::repeat::{EditStep, repeat};
use crate::prompt::next_edit::ShownStep;
use crate::prompt::{self, ParsedPrompt};
use crate::text::fence::fenced;
use crate::text::ident;
use crate::trained;

/// The maximum number of lines that an answer cites.
const MOST_HITS: usize = 3;
/// The agreed answer for "nothing to change".
const NO_EDITS: &str = "NO_EDITS";

/// The answer to prompts that are not this project's.
const INTRODUCTION: &str = "This is the simulator of Tandem, and there is no model behind it. It continues lines by \
    analogy with the text around the cursor, carries out `rename A to B`, and has nothing to say about this prompt.";

/// The answer to a request for a plan.
const NO_PLAN: &str =
    "The simulator has no model behind it, and cannot plan. `tandem setup` chooses a model that can.";

/// Answers a prompt. `input` is the text of all input items, concatenated.
pub(super) fn answer(instructions: &str, input: &str) -> String {
    // The instructions may precede the prompt as another input item.
    let begins = input.find("\nFile: ").map_or(input, |at| &input[at + 1..]);
    match prompt::read(input).or_else(|| prompt::read(begins)) {
        Some(shown) => answer_shown(&shown, prompt::related(input)),
        None if prompt::plan::asks_for_plan(instructions) || prompt::plan::asks_for_plan(input) => {
            NO_PLAN.to_owned()
        }
        None if [instructions, input].iter().any(|text| text.contains(NO_EDITS)) => NO_EDITS.to_owned(),
        None => INTRODUCTION.to_owned(),
    }
}

/// Answers a prompt for models trained to predict edits; `None` if the prompt is not in such a format.
pub(super) fn edited(prompt: &str) -> Option<String> {
    let (dialect, scene) = trained::parse(prompt)?;
    let language = grammar::by_path(Path::new(&scene.path)).map_or("", |grammar| grammar.id());
    let document = Document::new(DocumentId::new("untitled:region"), language, 0, &scene.region);
    let side = |step: &ShownStep, sign: char| -> String {
        let lines = step.lines.iter().filter(|(it, _)| *it == sign);
        lines.map(|(_, line)| format!("{line}\n")).collect()
    };
    let sides: Vec<(String, String)> = scene.steps.iter().map(|it| (side(it, '-'), side(it, '+'))).collect();
    let done: Vec<EditStep<'_>> = scene
        .steps
        .iter()
        .zip(&sides)
        .map(|(step, (old, new))| {
            let at = scene.region.find(new.as_str()).filter(|_| step.path == scene.path);
            EditStep { old, new, at, above: "", below: "", is_of_definition: false }
        })
        .collect();
    let edits = repeat(&document, &done, scene.cursor).edits;
    Some(trained::write(dialect, &scene, &apply(&scene.region, &edits)))
}

/// Answers a prompt of this project. `related` is its text from other files.
fn answer_shown(shown: &ParsedPrompt, related: &str) -> String {
    match shown {
        ParsedPrompt::Completion { before, after, .. } => {
            let with_others = || local::complete(&format!("{related}{before}"), after);
            local::complete(before, after).or_else(with_others).unwrap_or_else(|| NO_EDITS.to_owned())
        }
        ParsedPrompt::Rewrite { language, range, instruction, .. } => {
            let rewritten = local::rewrite(range, instruction);
            fenced(language, rewritten.as_deref().unwrap_or(range))
        }
        ParsedPrompt::NextEdit { path, language, steps, window, cursor } => {
            let blocks = Blocks::read(window);
            let document = Document::new(DocumentId::new("untitled:window"), language, 0, &blocks.text);
            let done: Vec<EditStep<'_>> = steps
                .iter()
                .map(|(file, old, new)| {
                    let at = blocks.text.find(new).filter(|_| file == path);
                    EditStep { old, new, at, above: "", below: "", is_of_definition: false }
                })
                .collect();
            let line = cursor.split_once('>').map_or("", |(_, line)| line.trim());
            let cursor = blocks.text.find(line).map_or(0, |at| at + line.len());
            blocks.answer(&repeat(&document, &done, cursor).edits)
        }
        ParsedPrompt::Fix { language, window, problem, marked, line, .. } => {
            let blocks = Blocks::read(window);
            let document = Document::new(DocumentId::new("untitled:window"), language, 0, &blocks.text);
            let Some(start) = blocks.text.find(line.as_str()) else { return NO_EDITS.to_owned() };
            let start = start + line.find(marked.as_str()).unwrap_or(0);
            let fixed = fix_by_rule(&document, start..start + marked.len(), problem);
            fixed.map_or_else(|| NO_EDITS.to_owned(), |edits| blocks.answer(&edits))
        }
        ParsedPrompt::Question { lines, question } => reply_to(question, lines),
    }
}

/// Cites the lines that contain words of the question, each with its path and line number.
fn reply_to(question: &str, lines: &[(String, usize, String)]) -> String {
    let words: Vec<&str> = ident::words(question).filter(|word| word.len() > 3).collect();
    let is_hit = |text: &str| words.iter().any(|word| ident::has_word(text, word));
    let hits = lines.iter().filter(|(_, _, text)| is_hit(text)).take(MOST_HITS);
    let claims: Vec<String> =
        hits.map(|(path, line, text)| format!("`{}` is at {path}:{line}.", text.trim())).collect();
    match claims.is_empty() {
        true => "The lines do not answer this.".to_owned(),
        false => claims.join("\n"),
    }
}

/// Fixes a diagnostic by rule: a certain fix of the local engine, or the similar name that the message suggests.
fn fix_by_rule(document: &Document, span: Range<usize>, problem: &str) -> Option<Vec<Edit>> {
    if let Some(fix) = local::fix::fix(&FileView::new(document), &Problem::new(span.clone(), problem)) {
        return Some(fix.edits);
    }
    // Compilers suggest a name: "a variable with a similar name exists: `total`".
    let (_, hint) =
        ["similar name", "Did you mean", "did you mean"].iter().find_map(|it| problem.split_once(it))?;
    let name = hint.split(['`', '\'', '"']).nth(1)?;
    Some(vec![Edit::new(span, name)])
}

/// A window of tagged blocks, converted back to plain text.
struct Blocks {
    text: String,
    /// Each tag with the start of its block in bytes; a tag that ends a part has an empty block.
    tags: Vec<(String, usize)>,
}

impl Blocks {
    fn read(window: &str) -> Self {
        let mut blocks = Self { text: String::new(), tags: Vec::new() };
        let mut lines = window.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            match span::of_line(line) {
                Some(tag) => {
                    blocks.tags.push((tag.to_owned(), blocks.text.len()));
                    // `...` marks lines that are not shown.
                    lines.next_if(|next| next.trim_end() == "..." && blocks.tags.len() > 1);
                }
                None => blocks.text.push_str(line),
            }
        }
        blocks
    }

    /// The changed blocks, each between its tags, in the order of the edits.
    fn answer(&self, edits: &[Edit]) -> String {
        let mut answered = Vec::new();
        let mut answer = String::new();
        for edit in edits {
            let Some(block) = self.tags.iter().rposition(|(_, start)| *start <= edit.span.start) else {
                continue;
            };
            let Some((next, end)) = self.tags.get(block + 1) else { continue };
            if answered.contains(&block) || edit.span.end > *end {
                continue;
            }
            answered.push(block);
            let (tag, start) = &self.tags[block];
            let mut inside: Vec<Edit> = edits
                .iter()
                .filter(|edit| *start <= edit.span.start && edit.span.end <= *end)
                .map(|edit| Edit::new(edit.span.start - start..edit.span.end - start, edit.text.as_str()))
                .collect();
            inside.sort_by_key(|edit| edit.span.start);
            let new = apply(&self.text[*start..*end], &inside);
            answer += &format!("<@{tag}>\n{new}<@{next}>\n");
        }
        if answer.is_empty() { NO_EDITS.to_owned() } else { answer }
    }
}

#[cfg(test)]
mod tests {
    use crate::context::{Region, Window};

    use super::*;

    /// Asks for a rewrite of the text between `«` and `»`.
    fn rewrite(marked: &str, instruction: &str) -> String {
        let (before, rest) = marked.split_once('«').unwrap();
        let (range, after) = rest.split_once('»').unwrap();
        let region = Region {
            path: "src/a.rs".into(),
            language: "rust".into(),
            before: before.into(),
            range: range.into(),
            after: after.into(),
        };
        let prompt = prompt::rewrite::render(&region, &[], instruction);
        answer(prompt.instructions, &prompt.input)
    }

    /// Asks for a completion at `ˇ`.
    fn complete(marked: &str) -> String {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let window = Window {
            path: "src/a.rs".into(),
            language: "rust".into(),
            outline: "struct Size".into(),
            before: before.into(),
            after: after.into(),
        };
        let prompt = prompt::complete::render(&window);
        answer(prompt.instructions, &prompt.input)
    }

    #[test]
    fn rewrites_what_it_understands_and_returns_the_rest_unchanged() {
        assert_eq!(
            rewrite("a();\n«let a = a + 1;\n»a();\n", "rename a to total"),
            "```rust\nlet total = total + 1;\n```\n"
        );
        assert_eq!(rewrite("«let a = 1;»", "make it faster"), "```rust\nlet a = 1;\n```\n");
        assert_eq!(rewrite("«/// ```\nfn f() {}»", "rename f to g"), "````rust\n/// ```\nfn g() {}\n````\n");
    }

    #[test]
    fn continues_lines_or_says_that_there_is_nothing() {
        assert_eq!(complete("    self.width = width;\n    self.height = heiˇ\n}\n"), "ght;");
        assert_eq!(complete("    mystery(ˇ"), NO_EDITS);
    }

    #[test]
    fn repeats_what_was_done_in_the_blocks_that_are_left() {
        let text = "fn f(total: u8) {\n    g(amount);\n}\n\nfn h() {}\n";
        let window = span::cut(text, 0..text.len());
        let step = prompt::next_edit::ShownStep {
            path: "src/a.rs".into(),
            lines: vec![('-', "fn f(amount: u8) {".into()), ('+', "fn f(total: u8) {".into())],
            ..Default::default()
        };
        let ask = |steps: Vec<prompt::next_edit::ShownStep>| {
            let scene = prompt::next_edit::NextEditInput {
                path: "src/a.rs".into(),
                language: "rust".into(),
                steps,
                window: window.render(text),
                ..Default::default()
            };
            let prompt = prompt::next_edit::render(&scene);
            answer(prompt.instructions, &prompt.input)
        };
        let (first, next) = (&window.tags[0].0, &window.tags[1].0);
        assert_eq!(
            ask(vec![step]),
            format!("<@{first}>\nfn f(total: u8) {{\n    g(total);\n}}\n\n<@{next}>\n")
        );
        assert_eq!(ask(vec![]), NO_EDITS);
    }

    #[test]
    fn is_honest_with_strangers() {
        assert_eq!(answer("", "alpha beta"), INTRODUCTION);
        assert_eq!(answer("You plan a change of a project; others make it. NO_EDITS", ""), NO_PLAN);
        assert_eq!(answer("Answer NO_EDITS if nothing is wrong.", "alpha beta"), NO_EDITS);
    }
}
