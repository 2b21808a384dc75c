//! Inception's Mercury Edit, over `/edit/completions`.
//!
//! The prompt is one user message of tagged parts: snippets of other files, the current file with
//! the region and the cursor marked, and the recent edits as unified diffs. The endpoint adds its
//! own instructions and refuses a system message; it does not stream. It replies with the region's
//! new text in a code fence, optionally inside the region's tags, or with the word `None`.

use super::history;
use super::scene::{Rendered, Scene, ended, free_of, on_one_line, unix};
use crate::edit::End;
use crate::edit::{Refusal, Unchecked};
use crate::grammar::Grammar;

const SNIPPETS: [&str; 2] = ["<|recently_viewed_code_snippets|>\n", "<|/recently_viewed_code_snippets|>\n"];
const SNIPPET: [&str; 2] = ["<|recently_viewed_code_snippet|>\n", "<|/recently_viewed_code_snippet|>\n"];
const FILE: [&str; 2] = ["<|current_file_content|>\n", "<|/current_file_content|>\n"];
const REGION: [&str; 2] = ["<|code_to_edit|>\n", "<|/code_to_edit|>\n"];
const HISTORY: [&str; 2] = ["<|edit_diff_history|>\n", "<|/edit_diff_history|>\n"];
const CURSOR: &str = "<|cursor|>";
/// Prefixes of its tags, and the tokens for the cursor and the end of the text.
const MARKS: [&str; 10] = [
    "<|recently_viewed_",
    "<|/recently_viewed_",
    "<|current_file_",
    "<|/current_file_",
    "<|code_to_edit",
    "<|/code_to_edit",
    "<|edit_diff_history",
    "<|/edit_diff_history",
    CURSOR,
    "<|endoftext|>",
];
/// The reply for "nothing to change".
const NONE: &str = "None";
const FENCE: &str = "```";

pub(super) fn render(scene: &Scene) -> Option<Rendered> {
    if scene.has_one_of(&MARKS) {
        return None;
    }
    let path = on_one_line(&scene.path);
    let (before, after) = (unix(&scene.before), unix(&scene.after));
    let after = if after.is_empty() { after } else { ended(after) };
    let (region, history) = (scene.marked(CURSOR), history::write(&scene.steps));
    let tail = [
        SNIPPETS[1],
        FILE[0],
        &format!("current_file_path: {path}\n"),
        &before,
        REGION[0],
        &region,
        REGION[1],
        &after,
        FILE[1],
        HISTORY[0],
        &history,
        HISTORY[1],
    ];
    Some(Rendered { head: SNIPPETS[0].to_owned(), tail: tail.concat(), stop: &[] })
}

pub(super) fn quote(files: &[(&str, String)]) -> String {
    let files = files.iter().filter(|(_, text)| !MARKS.iter().any(|mark| text.contains(mark)));
    let quoted = files.map(|(path, text)| {
        let heading = format!("code_snippet_file_path: {}\n", on_one_line(path));
        [SNIPPET[0], &heading, &ended(unix(text)), SNIPPET[1]].concat()
    });
    quoted.collect()
}

pub(super) fn read(scene: &Scene, grammar: Option<&Grammar>, reply: &str) -> Result<Unchecked, Refusal> {
    let reply = reply.trim();
    if reply == NONE {
        return Ok(Unchecked::default());
    }
    if reply.is_empty() {
        return Err(Refusal::Empty);
    }
    let malformed = |detail: &str| Refusal::malformed(detail);
    let Some((opening, rest)) = reply.split_once('\n').filter(|(opening, _)| opening.starts_with(FENCE))
    else {
        return Err(match reply.contains(FENCE) {
            true => malformed("there are words before its code fence"),
            false => Refusal::Prose,
        });
    };
    let mark = &opening[..opening.len() - opening.trim_start_matches('`').len()];
    let (inside, closing) = rest.rsplit_once('\n').unwrap_or(("", rest));
    if closing.trim_end() != mark {
        return Err(match rest.lines().any(|line| line.trim_end() == mark) {
            true => malformed("there are words behind its code fence"),
            false => Refusal::Truncated { inside: "a code fence" },
        });
    }
    // The region's fences come in pairs: an odd one is the closing fence of the reply. If the
    // region has no fences, fences inside mean several answers.
    let fences = |text: &str| text.lines().filter(|line| line.trim_start().starts_with(FENCE)).count();
    let (own, new) = (fences(&scene.region), fences(inside));
    if own % 2 != new % 2 || own == 0 && new > 0 {
        return Err(malformed("the code fences in it do not match"));
    }
    let tags = REGION.map(str::trim_end);
    let inside = match (inside.strip_prefix(tags[0]), inside.trim_end().ends_with(tags[1])) {
        (Some(tagged), true) => tagged.trim_end().strip_suffix(tags[1]).unwrap_or(tagged),
        (None, false) => inside,
        _ => return Err(malformed("it has one of the region's two tags")),
    };
    if inside.trim() == NONE && scene.region.trim() != NONE {
        return Ok(Unchecked::default());
    }
    free_of(inside, &MARKS)?;
    scene.literal(grammar, End::Fence).edits(inside)
}

pub(super) fn parse(prompt: &str) -> Option<Scene> {
    let between = |text: &'_ str, tags: [&str; 2]| -> Option<(usize, usize)> {
        let start = text.find(tags[0])? + tags[0].len();
        Some((start, start + text[start..].find(tags[1])?))
    };
    let (start, end) = between(prompt, FILE)?;
    let (path, content) = prompt[start..end].strip_prefix("current_file_path: ")?.split_once('\n')?;
    let (from, to) = between(content, REGION)?;
    let region = &content[from..to];
    let cursor = region.find(CURSOR)?;
    let (start, end) = between(prompt, HISTORY)?;
    Some(Scene {
        path: path.to_owned(),
        before: content[..from - REGION[0].len()].to_owned(),
        region: region.replacen(CURSOR, "", 1),
        cursor,
        after: content[to + REGION[1].len()..].to_owned(),
        earlier: None,
        steps: history::read(&prompt[start..end]),
    })
}

pub(super) fn write(scene: &Scene, new: &str) -> String {
    if new == scene.region {
        return NONE.to_owned();
    }
    format!("{FENCE}\n{}{FENCE}", ended(unix(new)))
}
