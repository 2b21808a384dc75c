//! Parses a prompt into the work to do.

use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::assist::plan::{Action, Plan, Step, text};
use crate::text::line::range_words;

/// The slash commands: name, description, and the hint for their argument.
pub(super) const COMMANDS: [(&str, &str, &str); 3] = [
    ("ask", "Answer a question about the project, each place looked up", "question"),
    ("plan", "Show the plan and change nothing; sent back, it is carried out", "what is to be done"),
    ("edit", "Change the files that are mentioned, without a plan", "what is to be done in @file"),
];

/// A parsed prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) work: Work,
    /// The whole prompt, with mentioned files by their paths.
    pub(super) written: String,
    /// The prompt without its command, with mentioned files by their paths.
    pub(super) text: String,
    /// The mentioned files below the workspace, each once.
    pub(super) mentioned: Vec<Mention>,
}

/// The kind of work that a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Work {
    /// Answer a question.
    Ask,
    /// Make a plan and carry it out.
    Change,
    /// Make a plan and show it.
    Show,
    /// Carry out this plan.
    CarryOut(Plan),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The path relative to the workspace, with `/` as the separator.
    pub(super) path: String,
    /// The mentioned lines, from 1; none for the whole file.
    pub(super) lines: Vec<RangeInclusive<usize>>,
}

impl Mention {
    /// Adds another mention of the same file.
    fn add(&mut self, lines: Vec<RangeInclusive<usize>>) {
        if self.lines.is_empty() || lines.is_empty() {
            self.lines.clear();
        } else {
            self.lines.extend(lines);
            self.lines.sort_by_key(|it| *it.start());
            self.lines.dedup();
        }
    }
}

impl Prompt {
    /// Parses the content blocks of a prompt. `roots` are the paths of the workspace's folder. The error is a
    /// sentence.
    pub(super) fn read(blocks: &Value, roots: &[&Path]) -> Result<Self, String> {
        let (mut text, mut mentioned) = (String::new(), Vec::<Mention>::new());
        for block in blocks.as_array().map(Vec::as_slice).unwrap_or_default() {
            let link = match block["type"].as_str().unwrap_or_default() {
                "text" => {
                    text.push_str(block["text"].as_str().unwrap_or_default());
                    continue;
                }
                "resource_link" => block,
                "resource" => &block["resource"],
                other => return Err(format!("a prompt has text and files, no `{other}`")),
            };
            let uri = link["uri"].as_str().unwrap_or_default();
            match mention(uri, roots) {
                Some(mention) => {
                    text.push_str(&format!("`{}`", mention.path));
                    match mentioned.iter_mut().find(|it| it.path == mention.path) {
                        Some(known) => known.add(mention.lines),
                        None => mentioned.push(mention),
                    }
                }
                // Paths outside the workspace are not disclosed to a model.
                None => text.push_str(link["name"].as_str().unwrap_or("a file outside of the workspace")),
            }
        }
        let written = text.trim().to_owned();
        let (command, rest) = command(&written);
        let text = rest.to_owned();
        let work = match command {
            Some("ask") => Work::Ask,
            Some("plan") => Work::Show,
            Some("edit") if mentioned.is_empty() => {
                return Err("mention the files that are to be changed, as in `/edit @file …`".to_owned());
            }
            Some("edit") => Work::CarryOut(edits(&text, &mentioned)),
            Some(other) => {
                return Err(format!("there is no command `/{other}`; there are /ask, /plan and /edit"));
            }
            None => match text::read(&text) {
                Ok(plan) if !plan.steps.is_empty() => Work::CarryOut(plan),
                _ if text.ends_with('?') && !is_request(&text) => Work::Ask,
                _ => Work::Change,
            },
        };
        if text.is_empty() {
            return Err("the prompt has no text".to_owned());
        }
        Ok(Self { work, written, text, mentioned })
    }
}

/// Whether a text with a question mark is a request: `Can you add a mode?`.
fn is_request(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "please").collect();
    // Requests for information change nothing.
    let is_told = ["explain", "tell", "show", "say", "describe", "find", "list"];
    match words[..] {
        ["can" | "could" | "would" | "will", "you", verb, ..] => !is_told.contains(&verb),
        _ => false,
    }
}

/// Splits a leading slash command from a text. A path is not a command.
fn command(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix('/') else { return (None, text) };
    let end = rest.find(|it: char| !it.is_ascii_lowercase() && it != '-').unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    match name.is_empty() || !after.is_empty() && !after.starts_with(char::is_whitespace) {
        true => (None, text),
        false => (Some(name), after.trim_start()),
    }
}

/// A plan with one edit step per mentioned file, each with the text as its intent.
fn edits(text: &str, mentioned: &[Mention]) -> Plan {
    let steps = (1..).zip(mentioned).map(|(number, mention)| Step {
        number,
        path: mention.path.clone(),
        action: Action::Edit,
        intent: {
            let ranges = mention.lines.iter().map(|it| range_words(*it.start(), *it.end()));
            match ranges.collect::<Vec<_>>().join(" and ") {
                ranges if ranges.is_empty() => text.to_owned(),
                ranges => format!("{text}\n\nChange only {ranges}."),
            }
        },
        tag: None,
        after: Vec::new(),
    });
    Plan { instruction: text.to_owned(), steps: steps.collect() }
}

/// The file named by a URI, if it lies below one of the roots.
fn mention(uri: &str, roots: &[&Path]) -> Option<Mention> {
    let uri = uri.strip_prefix("file://")?;
    let (path, fragment) = uri.split_once('#').unwrap_or((uri, ""));
    let path = path.split('?').next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // The path of a URI with a drive is `/C:/…`.
    let has_drive = cfg!(windows) && path.get(2..3) == Some(":");
    let path = PathBuf::from(if has_drive { &path[1..] } else { &path });
    let below = roots.iter().find_map(|root| path.strip_prefix(root).ok())?;
    let parts = below.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let parts: Vec<&str> = parts.collect::<Option<_>>()?;
    (!parts.is_empty())
        .then(|| Mention { path: parts.join("/"), lines: lines(fragment).into_iter().collect() })
}

/// Parses a line range: `L3:9`, `L3-L9`, `L3-9` or `L3`.
fn lines(fragment: &str) -> Option<RangeInclusive<usize>> {
    let span = fragment.strip_prefix('L')?;
    let (from, to) = span.split_once([':', '-']).unwrap_or((span, span));
    let number = |digits: &str| digits.trim_start_matches('L').parse().ok().filter(|it: &usize| *it > 0);
    let (from, to) = (number(from)?, number(to)?);
    (from <= to).then_some(from..=to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks the parsed prompt: its work, its text, and its mentions.
    #[track_caller]
    fn check(blocks: Value, expected: &str) {
        let root = Path::new("/home/me/shop");
        let shown = match Prompt::read(&blocks, &[root]) {
            Err(why) => format!("error: {why}"),
            Ok(Prompt { work, text, mentioned, .. }) => {
                let work = match work {
                    Work::CarryOut(plan) => text::write(&plan).replace('\n', "|"),
                    other => format!("{other:?}"),
                };
                let mentioned: String =
                    mentioned.iter().map(|it| format!("; {} {:?}", it.path, it.lines)).collect();
                format!("{work}: {text}{mentioned}")
            }
        };
        assert_eq!(shown, expected);
    }

    fn said(text: &str) -> Value {
        json!([{ "type": "text", "text": text }])
    }

    fn link(uri: &str) -> Value {
        json!([
            { "type": "text", "text": "change " },
            { "type": "resource_link", "uri": uri, "name": "it.py" },
            { "type": "text", "text": " a bit" },
        ])
    }

    #[test]
    fn text_is_work_of_a_kind() {
        check(said("prices with tax\n"), "Change: prices with tax");
        check(said("where are prices?"), "Ask: where are prices?");
        check(said("Can you add a mode?"), "Change: Can you add a mode?");
        check(said("can you explain the modes?"), "Ask: can you explain the modes?");
        check(said("/ask where are prices"), "Ask: where are prices");
        check(said("/plan\nprices with tax?"), "Show: prices with tax?");
        check(said("/usr/lib is read"), "Change: /usr/lib is read");
        check(said("/rm all"), "error: there is no command `/rm`; there are /ask, /plan and /edit");
        check(said(" \n"), "error: the prompt has no text");
        check(said("/ask"), "error: the prompt has no text");
        check(json!([{ "type": "image", "data": "" }]), "error: a prompt has text and files, no `image`");
        check(json!(null), "error: the prompt has no text");
    }

    #[test]
    fn plan_that_is_sent_back_is_carried_out() {
        let plan = "# tax\n\n1. delete `a.py`\n";
        check(said(plan), "# tax||1. delete `a.py`|: # tax\n\n1. delete `a.py`");
    }

    #[test]
    fn link_is_a_file_of_the_workspace_or_a_name() {
        check(link("file:///home/me/shop/a%20b/c.py"), "Change: change `a b/c.py` a bit; a b/c.py []");
        for fragment in ["L3:9", "L3-L9", "L3-9"] {
            let uri = format!("file:///home/me/shop/c.py?x#{fragment}");
            check(link(&uri), "Change: change `c.py` a bit; c.py [3..=9]");
        }
        check(link("file:///home/me/shop/c.py#L9:3"), "Change: change `c.py` a bit; c.py []");
        for outside in
            ["file:///etc/passwd", "file:///home/me/shop/../x", "file:///home/me/shop", "https://a.b/c"]
        {
            check(link(outside), "Change: change it.py a bit");
        }
        check(link("file:///home/me/shop/%2e%2e/x"), "Change: change it.py a bit");
    }

    #[test]
    fn all_mentions_of_a_file_count() {
        let mentions = |fragments: &[&str]| {
            let link = |fragment: &&str| {
                let uri = format!("file:///home/me/shop/a.py{fragment}");
                json!({ "type": "resource_link", "uri": uri, "name": "a.py" })
            };
            let begin = json!({ "type": "text", "text": "/edit " });
            Value::Array([begin].into_iter().chain(fragments.iter().map(link)).collect())
        };
        check(
            mentions(&["#L20:22", "#L2:4", "#L2:4"]),
            "# `a.py``a.py``a.py`||1. edit `a.py`||   `a.py``a.py``a.py`||   Change only lines 2-4 and lines 20-22.|: `a.py``a.py``a.py`; a.py [2..=4, 20..=22]",
        );
        check(
            mentions(&["#L2:4", ""]),
            "# `a.py``a.py`||1. edit `a.py`||   `a.py``a.py`|: `a.py``a.py`; a.py []",
        );
    }

    #[test]
    fn edit_changes_the_files_that_are_mentioned() {
        check(
            said("/edit all of it"),
            "error: mention the files that are to be changed, as in `/edit @file …`",
        );
        check(
            json!([
                { "type": "text", "text": "/edit " },
                { "type": "resource", "resource": { "uri": "file:///home/me/shop/a.py#L2", "text": "x" } },
                { "type": "text", "text": " more" },
            ]),
            "# `a.py` more||1. edit `a.py`||   `a.py` more||   Change only line 2.|: `a.py` more; a.py [2..=2]",
        );
    }
}
