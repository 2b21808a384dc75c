//! Sweep's next-edit models (0.5B, 1.5B and 7B), derived from Qwen2.5-Coder.
//!
//! The prompt is a sequence of files, each below a separator: other files, each recent edit as a `.diff` with
//! its lines before and after, the region before the last edit (`original/`), and the region as it is
//! (`current/`). The model continues after `updated/` with the new region. An unchanged region is the only
//! sign that no edit is wanted, and only the end of the text ends the reply.

use super::scene::{Rendered, Scene, ended, free_of, on_one_line, unix};
use crate::edit::End;
use crate::edit::{Refusal, Unchecked};
use crate::grammar::Grammar;
use crate::prompt::next_edit::ShownStep;

const SEPARATOR: &str = "<|file_sep|>";
/// The ends of a reply: the next file, and the token that ends a text in this family of models.
const STOP: [&str; 2] = [SEPARATOR, "<|endoftext|>"];
/// Maximum number of edits shown, the newest ones.
const STEPS: usize = 3;

pub(super) fn render(scene: &Scene) -> Option<Rendered> {
    if scene.has_one_of(&STOP) {
        return None;
    }
    let path = on_one_line(&scene.path);
    let current = scene.marked("");
    let original = scene.earlier.as_deref().map_or_else(|| current.clone(), |text| ended(unix(text)));
    let mut tail = String::new();
    for step in &scene.steps[scene.steps.len().saturating_sub(STEPS)..] {
        let path = on_one_line(&step.path);
        let (old, new) = (side(step, '-'), side(step, '+'));
        tail += &format!("{SEPARATOR}{path}.diff\noriginal:\n{old}updated:\n{new}");
    }
    tail += &format!("{SEPARATOR}original/{path}\n{original}");
    tail += &format!("{SEPARATOR}current/{path}\n{current}");
    tail += &format!("{SEPARATOR}updated/{path}\n");
    Some(Rendered { head: String::new(), tail, stop: &STOP })
}

/// Returns the lines of one side of an edit.
fn side(step: &ShownStep, sign: char) -> String {
    let lines = step.lines.iter().filter(|(it, _)| *it == sign || *it == ' ');
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

pub(super) fn quote(files: &[(&str, String)]) -> String {
    let files = files.iter().filter(|(_, text)| !STOP.iter().any(|mark| text.contains(mark)));
    files.map(|(path, text)| format!("{SEPARATOR}{}\n{}", on_one_line(path), ended(unix(text)))).collect()
}

pub(super) fn read(scene: &Scene, grammar: Option<&Grammar>, reply: &str) -> Result<Unchecked, Refusal> {
    // Servers that do not stop at these tokens print them and continue with another file.
    let end = STOP.iter().filter_map(|mark| reply.find(mark)).min().unwrap_or(reply.len());
    let new = &reply[..end];
    free_of(new, &["<|fim_", "<|cursor|>", "<|user_cursor|>", "<|repo_name|>", "<|im_"])?;
    scene.literal(grammar, End::Open).edits(new)
}

pub(super) fn parse(prompt: &str) -> Option<Scene> {
    let sections: Vec<(&str, &str)> =
        prompt.split(SEPARATOR).skip(1).filter_map(|section| section.split_once('\n')).collect();
    let [earlier @ .., original, current, updated] = sections.as_slice() else { return None };
    let path = updated.0.strip_prefix("updated/").filter(|_| updated.1.is_empty())?;
    (original.0.strip_prefix("original/")? == path && current.0.strip_prefix("current/")? == path)
        .then_some(())?;
    let step = |(name, text): &(&str, &str)| {
        let path = name.strip_suffix(".diff")?;
        let (old, new) = text.strip_prefix("original:\n")?.split_once("updated:\n")?;
        let signed =
            |text: &str, sign| text.lines().map(move |line| (sign, line.to_owned())).collect::<Vec<_>>();
        let lines = [signed(old, '-'), signed(new, '+')].concat();
        Some(ShownStep { path: path.to_owned(), lines, line: 1, is_accepted: false })
    };
    Some(Scene {
        path: path.to_owned(),
        region: current.1.to_owned(),
        earlier: (original.1 != current.1).then(|| original.1.to_owned()),
        steps: earlier.iter().filter_map(step).collect(),
        ..Scene::default()
    })
}

pub(super) fn write(new: &str) -> String {
    ended(unix(new))
}
