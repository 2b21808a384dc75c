//! Every message of the server, and whether it is allowed.

use anyhow::Result;
use serde_json::{Value, json};

use crate::editor::{Asked, Editor, Expected, Ghost, Pending};
use crate::instruction::{self, Instruction, renamed_in, renamed_somewhere};
use crate::text::Text;

/// Reasons that only a failing model causes.
const MODEL_FAILED: [&str; 4] = ["model", "deadline", "cut-off", "truncated"];

impl Editor {
    /// Handles all messages that have arrived.
    pub(crate) fn pump(&mut self) {
        for message in self.driver.take_unread() {
            self.take(message);
        }
    }

    pub(crate) fn take(&mut self, message: Value) {
        match (message["method"].as_str(), message.get("id")) {
            (None, Some(id)) => {
                let asked = id.as_i64().and_then(|id| self.pending.remove(&id));
                match asked {
                    Some(pending) => self.answered(pending, &message),
                    None => self.report.fail(format!("an answer to no request: {message}")),
                }
            }
            (Some("workspace/applyEdit"), Some(_)) => self.apply_edit(&message),
            (Some("window/showMessage"), None) => self.message(message["params"]["message"].as_str()),
            (Some("window/logMessage"), None) => {
                let text = message["params"]["message"].as_str().unwrap_or_default();
                let bad = text.contains("passed over") || text.contains("not open here");
                self.report.check(!bad, || format!("the server's log says: {text}"));
            }
            _ => self.report.fail(format!("an unexpected message: {message}")),
        }
    }

    fn message(&mut self, text: Option<&str>) {
        let text = text.unwrap_or_default();
        if text.contains("no ghost text for now") {
            self.report.count("messages: no ghost text for now");
        } else if text.contains("did not apply the edit") && self.refused > 0 {
            self.refused -= 1;
            self.report.count("messages: an edit was not applied");
        } else {
            self.report.fail(format!("step {}: the user was told: {text}", self.step));
        }
    }

    fn answered(&mut self, pending: Pending, message: &Value) {
        let took = pending.at.elapsed();
        if let Some(error) = message.get("error") {
            self.refused_with(&pending, error);
            return;
        }
        let result = &message["result"];
        match &pending.asked {
            Asked::Completion { cursor, expected } => {
                self.report.took("completion", took);
                self.completed(&pending, *cursor, expected, result);
            }
            Asked::Offers(instruction) => {
                self.report.took("code actions", took);
                self.offered(&pending, instruction, result);
            }
            Asked::Resolve(instruction) => {
                self.report.took("resolve", took);
                self.resolved(&pending, instruction, result);
            }
            Asked::Rewrite { words, expected } => {
                self.report.took("rewrite", took);
                self.report.count("outcomes: rewrite: done");
                if let Some(ordered) = self.ordered.get_mut(words) {
                    ordered.done = true;
                }
                self.check(*expected != Expected::Nothing, pending.file, || {
                    format!("`{words}` was done in a file that is not open")
                });
            }
            Asked::Audit { words } => {
                self.fail(pending.file, &format!("`{words}` was to change nothing, but got {result}"));
            }
            Asked::Accept => {
                self.check(result.is_null(), pending.file, || format!("an acceptance got {result}"));
            }
        }
    }

    /// Handles an error: only the documented ones are allowed, and only with a cause.
    fn refused_with(&mut self, pending: &Pending, error: &Value) {
        let file = pending.file;
        let (code, reason) = (error["code"].as_i64(), error["data"]["reason"].as_str().unwrap_or_default());
        let kind = match &pending.asked {
            Asked::Completion { .. } => "completion",
            Asked::Offers(_) => "code actions",
            Asked::Resolve(_) => "resolve",
            Asked::Rewrite { .. } => "rewrite",
            Asked::Audit { .. } => "audit",
            Asked::Accept => "accept",
        };
        self.report.count(format!("outcomes: {kind}: {} {reason}", code.unwrap_or_default()));
        let rewrites =
            matches!(pending.asked, Asked::Resolve(_) | Asked::Rewrite { .. } | Asked::Audit { .. });
        let it = &self.files[file];
        let (changed, failing) = (it.epoch != pending.epoch, it.faulty || pending.offline || self.offline);
        let documented = match code {
            Some(-32800) => pending.cancelled,
            Some(-32801) => rewrites && changed,
            Some(-32803) if reason == "not-open" => rewrites && (changed || !it.open),
            Some(-32803) if MODEL_FAILED.contains(&reason) => rewrites && failing,
            Some(-32803) => rewrites && !["", "internal", "out-of-sync", "too-large"].contains(&reason),
            _ => false,
        };
        self.check(documented, file, || {
            let step = pending.step;
            format!("the request of step {step} ({kind}) was answered with {error}; changed since: {changed}")
        });
        match &pending.asked {
            Asked::Audit { words } => {
                let complete = reason == "unchanged" && self.see(words);
                self.check(complete || failing || changed, file, || {
                    format!("`{words}` came to {error}, or the model did not see the file")
                });
            }
            Asked::Resolve(instruction) => self.tidy(file, &instruction.clone()),
            Asked::Rewrite { words, .. } => {
                self.ordered.remove(words);
            }
            _ => {}
        }
    }

    /// Whether the model saw an instruction, according to its record so far.
    fn see(&mut self, words: &str) -> bool {
        if let Err(error) = self.prompts.follow(&mut self.report) {
            self.report.fail(format!("{error:#}"));
        }
        self.prompts.has_seen(words)
    }

    fn completed(&mut self, pending: &Pending, cursor: usize, expected: &Expected, result: &Value) {
        let file = pending.file;
        let items = result.as_array().map(Vec::as_slice);
        let item = match items {
            Some([]) => None,
            Some([item]) => Some(item),
            _ => {
                self.fail(file, &format!("ghost text is {result}"));
                return;
            }
        };
        let text = item.and_then(|item| item["insertText"].as_str());
        self.report.count(if text.is_some() { "ghost texts" } else { "answers without ghost text" });
        match expected {
            Expected::Anything => {}
            Expected::Nothing => {
                self.check(item.is_none(), file, || {
                    format!("there is ghost text for a text that is not there: {result}")
                });
            }
            Expected::Rest(rest) => {
                self.check(text == Some(rest), file, || {
                    format!("typed through, {rest:?} should be left of the ghost text, but it is {result}")
                });
            }
        }
        let Some(item) = item else { return };
        let unwanted = ["<|cursor", "NO_EDITS"];
        let good = text.is_some_and(|it| !it.is_empty() && !unwanted.iter().any(|word| it.contains(word)));
        if !self.check(good, file, || format!("no text to insert: {item}")) {
            return;
        }
        let it = &self.files[file];
        if it.epoch != pending.epoch {
            self.report.count("ghost texts that came too late");
            return;
        }
        let place = it.text.range(cursor..cursor, self.encoding);
        if !self.check(item["range"] == place, file, || format!("asked at {place}, but got {item}")) {
            return;
        }
        let text = text.unwrap_or_default().to_owned();
        if *expected == Expected::Anything {
            self.show_user(file, cursor, &text);
        }
        let (epoch, command) = (pending.epoch, item["command"].clone());
        self.files[file].ghost = Some(Ghost { epoch, at: cursor, text, command });
    }

    /// Keeps the text on the user's screen: three lines, with the suggestion in the last one.
    fn show_user(&mut self, file: usize, cursor: usize, suggestion: &str) {
        let it = &self.files[file];
        let line = it.text.line_of(cursor);
        let before = it.text.slice(it.text.line(line.saturating_sub(2)).start..cursor);
        let after = it.text.slice(cursor..it.text.line_content(line).end.max(cursor));
        self.suggestions.push(format!("{} ({})\n{before}⟦{suggestion}⟧{after}", it.shown, it.language));
    }

    fn offered(&mut self, pending: &Pending, instruction: &Instruction, result: &Value) {
        let file = pending.file;
        let actions = result.as_array().map(Vec::as_slice).unwrap_or_default();
        let ours = actions.iter().find(|it| it["data"]["instruction"] == instruction.words());
        let Some(action) = ours else {
            self.report.count("outcomes: instruction: not offered");
            let comment = instruction.comment.trim();
            self.suggestions.push(format!("not offered: {comment} in {}: {result}", self.files[file].shown));
            self.tidy(file, instruction);
            return;
        };
        self.report.count("outcomes: instruction: offered");
        let it = &self.files[file];
        let without = instruction.without_comment(&it.text);
        let Some((text, _)) = without.filter(|_| it.open) else { return };
        let (shown, action) = (it.shown.clone(), action.clone());
        self.prompts.expect_rewrite(&instruction.words(), &shown, text, false);
        let id = self.ask(file, "codeAction/resolve", action, Asked::Resolve(instruction.clone()));
        if let Some(resolve) = self.pending.get_mut(&id) {
            // Later typing may have invalidated the offer.
            resolve.epoch = pending.epoch;
        }
    }

    fn resolved(&mut self, pending: &Pending, instruction: &Instruction, result: &Value) {
        let file = pending.file;
        let it = &self.files[file];
        let read = instruction::edits(&result["edit"], &it.uri);
        let (version, edits) = match read {
            Ok(read) => read,
            Err(why) => return self.fail(file, &format!("{why}: {result}")),
        };
        if version != it.version || it.life != pending.life || !it.open {
            self.report.count("outcomes: resolve: too late for the editor");
            self.check(version <= self.files[file].version, file, || format!("a version to come: {result}"));
            return self.tidy(file, instruction);
        }
        let resolved = instruction::resolved(&it.text, edits, self.encoding);
        let without = instruction.without_comment(&it.text);
        let (edits, Some((without, line))) = (
            match resolved {
                Ok(edits) => edits,
                Err(why) => return self.fail(file, &format!("{why}: {result}")),
            },
            without,
        ) else {
            self.report.count("outcomes: resolve: the comment was changed meanwhile");
            return;
        };
        let changes: Vec<_> = edits.iter().map(|(range, new)| (range.clone(), new.as_str())).collect();
        let typed_meanwhile = self.files[file].epoch != pending.epoch;
        self.note(file, format!("apply `{}`", instruction.words()));
        self.change(file, &changes);
        self.report.count("outcomes: resolve: applied");
        let names = (instruction.from.as_str(), instruction.to.as_str());
        let right = renamed_somewhere(
            &Text::new(&without),
            &self.files[file].text,
            names,
            Some(line),
            typed_meanwhile,
        );
        self.check(right.is_ok(), file, || format!("{right:?}: {}", result["edit"]));
    }

    /// Removes the comment of an instruction without effect.
    fn tidy(&mut self, file: usize, instruction: &Instruction) {
        let it = &self.files[file];
        let whole = it.text.whole();
        let Some(at) = whole.find(&instruction.comment).filter(|_| it.open) else { return };
        let start = whole[..at].encode_utf16().count();
        let end = start + instruction.comment.encode_utf16().count();
        self.change(file, &[(start..end, "")]);
    }

    fn apply_edit(&mut self, message: &Value) {
        let label = message["params"]["label"].as_str().unwrap_or_default();
        let words = label.strip_prefix("Tandem: ").unwrap_or_default();
        let Some(ordered) = self.ordered.get_mut(words) else {
            self.report.fail(format!("an edit that was not requested: {message}"));
            return;
        };
        ordered.edits += 1;
        let (file, epoch, life) = (ordered.file, ordered.epoch, ordered.life);
        let (lines, from, to) = (ordered.lines.clone(), ordered.from.clone(), ordered.to.clone());
        let it = &self.files[file];
        let refuse = |editor: &mut Self, why: &str| {
            editor.refused += 1;
            editor.report.count(format!("edits not applied: {why}"));
            editor.driver.reply(message, json!({ "applied": false, "failureReason": why }));
        };
        let (version, edits) = match instruction::edits(&message["params"]["edit"], &it.uri) {
            Ok(read) => read,
            Err(why) => return self.fail(file, &format!("{why}: {message}")),
        };
        if version != it.version || life != it.life || !it.open {
            return refuse(self, "the text has changed");
        }
        if self.step.is_multiple_of(10) {
            return refuse(self, "the user said no");
        }
        let edits = match instruction::resolved(&it.text, edits, self.encoding) {
            Ok(edits) => edits,
            Err(why) => return self.fail(file, &format!("{why}: {message}")),
        };
        let names = (from.as_str(), to.as_str());
        let (before, same) = (it.text.clone(), it.epoch == epoch);
        let changes: Vec<_> = edits.iter().map(|(range, new)| (range.clone(), new.as_str())).collect();
        self.note(file, format!("apply `{words}`"));
        self.change(file, &changes);
        self.driver.reply(message, json!({ "applied": true }));
        self.report.count("edits applied");
        let after = &self.files[file].text;
        let right = match lines.filter(|_| same) {
            Some(lines) => renamed_in(&before, after, names, lines),
            None => renamed_somewhere(&before, after, names, None, !same),
        };
        self.check(right.is_ok(), file, || format!("{right:?}: {message}"));
    }

    /// Reads what the server wrote to stderr.
    pub(crate) fn read_log(&mut self, lines: &[String]) {
        for line in lines {
            let value = |key: &str| Some(line.split_once(key)?.1.split_once('"')?.0);
            if let (Some(job), Some(code)) = (value("job=\""), value(" code=\"")) {
                if job == "completion" {
                    self.report.count(format!("outcomes: completion: {code}"));
                }
            } else if line.contains(" WARN ") {
                let model = line.contains("no ghost text for now") || line.contains("did not apply");
                let expected = model || self.offline || line.contains("cannot connect");
                self.report.check(expected, || format!("the server warns: {line}"));
            } else if !line.contains(" DEBUG ") {
                self.report.fail(format!("the server's stderr: {line}"));
            }
        }
    }

    /// Checks that no request is left.
    pub(crate) fn check_all_answered(&mut self) -> Result<()> {
        let left: Vec<_> = self.pending.drain().collect();
        for (id, pending) in left {
            self.fail(pending.file, &format!("request {id} of step {} has no answer", pending.step));
        }
        let ordered: Vec<_> = self.ordered.drain().collect();
        for (words, it) in ordered {
            let edits = it.edits;
            self.check(edits == usize::from(it.done), it.file, || format!("`{words}` led to {edits} edits"));
        }
        self.prompts.follow(&mut self.report)
    }
}
