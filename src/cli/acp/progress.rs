//! Shows the progress of a turn in the editor: the plan's entries, and a tool call for each step.
//!
//! The call of a step ends when its change is written, or when it is certain that it will not be written.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::client::Client;
use crate::assist::plan::{Action, Event, Outcome, Plan, Run, Status, Step, Verification};
use crate::edit::effect::{Effect, effects};
use crate::lock::Mutex;
use crate::text::{printable, printable_lines};

/// Reports the progress of one turn to the editor.
pub(super) struct Progress {
    pub(super) client: Arc<Client>,
    pub(super) session: String,
    /// The turn's number, which distinguishes the calls of the session's turns.
    pub(super) turn: usize,
    /// The folder as the editor names it.
    pub(super) cwd: PathBuf,
    /// What is shown now. Its guard is held while an event is reported.
    pub(super) shown: Mutex<Shown>,
}

#[derive(Default)]
pub(super) struct Shown {
    entries: Vec<StepEntry>,
    /// The calls that have begun and not ended.
    open: Vec<String>,
    /// The number of questions whether the user's command may run.
    asked: usize,
    /// The text of the answer so far.
    said: String,
}

/// The user's answer to a request for permission.
pub(super) enum Picked {
    /// The option with this id.
    Option(String),
    /// The turn was cancelled instead.
    Cancelled,
}

struct StepEntry {
    step: u32,
    content: String,
    status: &'static str,
}

impl Progress {
    /// Sends a paragraph of the answer.
    pub(super) fn say(&self, text: &str) {
        self.part(&format!("{}\n\n", printable_lines(text.trim_end())));
    }

    /// Sends a chunk of the answer.
    pub(super) fn part(&self, text: &str) {
        self.shown.lock().said.push_str(text);
        let content = json!({ "type": "text", "text": text });
        self.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
    }

    /// The text of the answer so far.
    pub(super) fn said(&self) -> String {
        self.shown.lock().said.clone()
    }

    /// Shows a plan that is about to be carried out.
    pub(super) fn plan(&self, plan: &Plan) {
        let mut shown = self.shown.lock();
        shown.entries = plan.steps.iter().map(StepEntry::of).collect();
        self.show_entries(&shown);
    }

    /// Reports an event of a plan that is being carried out.
    pub(super) fn event(&self, event: Event<'_>) {
        let mut shown = self.shown.lock();
        match event {
            Event::Asked { step, .. } => self.begin_step(&mut shown, step),
            Event::Unusable { step, why } => {
                self.change(&self.step_call(step.number), json!({ "content": [text(&printable(why))] }));
            }
            Event::Ended { step, status } => self.end_step(&mut shown, step, status),
            Event::Correcting { .. } => {
                let thought = format!("{}\n\n", sentence(&event.words().unwrap_or_default()));
                let content = json!({ "type": "text", "text": thought });
                self.update(json!({ "sessionUpdate": "agent_thought_chunk", "content": content }));
            }
            Event::Verifying { said: "", .. } => {
                let call = json!({ "title": event.words(), "kind": "execute" });
                self.begin(&mut shown, self.check_call(), call);
            }
            Event::Verifying { .. } | Event::Stage { .. } => {}
        }
    }

    /// Shows the result of a run: the diffs of its steps, and the output of the user's command.
    pub(super) fn made(&self, run: &Run) {
        let mut shown = self.shown.lock();
        let effects = effects(&run.set);
        for report in &run.steps {
            let diffs: Vec<Value> = effects
                .iter()
                .filter(|effect| report.step.paths().any(|path| path == effect.path))
                .map(|effect| self.diff(effect))
                .collect();
            if !diffs.is_empty() && matches!(report.status, Status::Done) {
                self.change(&self.step_call(report.step.number), json!({ "content": diffs }));
            }
        }
        // A command that the user did not allow has no call.
        let has_begun = shown.open.contains(&self.check_call());
        if let Some(verification) = run.verification.as_ref().filter(|_| has_begun) {
            let Verification { outcome, said, .. } = verification;
            let status = if *outcome == Outcome::Passed { "completed" } else { "failed" };
            let told = format!("{said}\n{verification}");
            self.end(&mut shown, &self.check_call(), status, json!({ "content": [text(told.trim())] }));
        }
    }

    /// The tool call for writing all changes, with all diffs, for the request for permission.
    pub(super) fn writing(&self, title: &str, changed: &[&Effect<'_>]) -> Value {
        self.asked_for(format!("{}-write", self.turn), "edit", title, changed)
    }

    /// The tool call for running the user's command on a change, with all diffs.
    pub(super) fn running(&self, title: &str, changed: &[&Effect<'_>]) -> Value {
        let asked = {
            let mut shown = self.shown.lock();
            shown.asked += 1;
            shown.asked
        };
        self.asked_for(format!("{}-run-{asked}", self.turn), "execute", title, changed)
    }

    /// Asks for permission, with options by id, name and kind.
    pub(super) async fn permission(&self, call: Value, options: &[[&str; 3]]) -> Result<Picked, String> {
        let option = |[id, name, kind]: &[&str; 3]| json!({ "optionId": id, "name": name, "kind": kind });
        let options: Vec<Value> = options.iter().map(option).collect();
        let params = json!({ "sessionId": self.session, "toolCall": call, "options": options });
        let answer = self.client.request("session/request_permission", params).await?;
        Ok(match (answer["outcome"]["outcome"].as_str(), answer["outcome"]["optionId"].as_str()) {
            (Some("selected"), Some(option)) => Picked::Option(option.to_owned()),
            (Some("cancelled"), _) => Picked::Cancelled,
            _ => Picked::Option(String::new()),
        })
    }

    fn asked_for(&self, id: String, kind: &str, title: &str, changed: &[&Effect<'_>]) -> Value {
        let call = json!({ "title": title, "kind": kind, "status": "pending" });
        self.begin(&mut self.shown.lock(), id.clone(), call.clone());
        let content: Vec<Value> = changed.iter().map(|effect| self.diff(effect)).collect();
        let locations: Vec<Value> =
            changed.iter().map(|effect| json!({ "path": self.cwd.join(effect.path) })).collect();
        merged(call, json!({ "toolCallId": id, "content": content, "locations": locations }))
    }

    /// Ends all open calls: everything was written, or nothing.
    pub(super) fn end_all(&self, is_written: bool) {
        let mut shown = self.shown.lock();
        for id in std::mem::take(&mut shown.open) {
            self.change(&id, json!({ "status": if is_written { "completed" } else { "failed" } }));
        }
    }

    fn begin_step(&self, shown: &mut Shown, step: &Step) {
        if shown.open.contains(&self.step_call(step.number)) {
            return;
        }
        let kind = match step.action {
            Action::Edit | Action::Create => "edit",
            Action::Rename { .. } => "move",
            Action::Delete => "delete",
        };
        let locations: Vec<Value> = step.paths().map(|path| json!({ "path": self.cwd.join(path) })).collect();
        let call = json!({ "title": step.head(), "kind": kind, "locations": locations });
        self.begin(shown, self.step_call(step.number), call);
        self.show_entry(shown, step, "in_progress");
    }

    fn end_step(&self, shown: &mut Shown, step: &Step, status: &Status) {
        self.begin_step(shown, step);
        let call = self.step_call(step.number);
        let is_done = matches!(status, Status::Done | Status::Unchanged);
        // The call of a completed edit stays open until the edit is written.
        if let Some(why) = status.why() {
            let ended = if is_done { "completed" } else { "failed" };
            self.end(shown, &call, ended, json!({ "content": [text(&why)] }));
        }
        self.show_entry(shown, step, if is_done { "completed" } else { "pending" });
    }

    /// Updates the status of a step's entry; a revised plan may add entries.
    fn show_entry(&self, shown: &mut Shown, step: &Step, status: &'static str) {
        match shown.entries.iter_mut().find(|entry| entry.step == step.number) {
            Some(entry) => *entry = StepEntry { status, ..StepEntry::of(step) },
            None => shown.entries.push(StepEntry { status, ..StepEntry::of(step) }),
        }
        self.show_entries(shown);
    }

    fn show_entries(&self, shown: &Shown) {
        let entries: Vec<Value> = shown
            .entries
            .iter()
            .map(|it| json!({ "content": it.content, "priority": "medium", "status": it.status }))
            .collect();
        self.update(json!({ "sessionUpdate": "plan", "entries": entries }));
    }

    fn begin(&self, shown: &mut Shown, id: String, call: Value) {
        if shown.open.contains(&id) {
            return;
        }
        let update = json!({ "sessionUpdate": "tool_call", "toolCallId": id, "status": "in_progress" });
        self.update(merged(update, call));
        shown.open.push(id);
    }

    fn end(&self, shown: &mut Shown, id: &str, status: &str, with: Value) {
        shown.open.retain(|it| it != id);
        self.change(id, merged(json!({ "status": status }), with));
    }

    fn change(&self, id: &str, fields: Value) {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": id });
        self.update(merged(update, fields));
    }

    fn diff(&self, effect: &Effect<'_>) -> Value {
        let new = effect.new.as_deref().unwrap_or_default();
        json!({ "type": "diff", "path": self.cwd.join(effect.path), "oldText": effect.old, "newText": new })
    }

    fn step_call(&self, step: u32) -> String {
        format!("{}-step-{step}", self.turn)
    }

    fn check_call(&self) -> String {
        format!("{}-check", self.turn)
    }

    fn update(&self, update: Value) {
        self.client.update(&self.session, update);
    }
}

impl StepEntry {
    fn of(step: &Step) -> Self {
        let intent = step.intent.split_whitespace().collect::<Vec<_>>().join(" ");
        let head = step.head();
        let content = if intent.is_empty() { head } else { format!("{head}: {intent}") };
        Self { step: step.number, content: printable(&content).into_owned(), status: "pending" }
    }
}

fn text(said: &str) -> Value {
    json!({ "type": "content", "content": { "type": "text", "text": said } })
}

/// Merges the fields of an object into another.
fn merged(mut object: Value, fields: Value) -> Value {
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
        object.extend(fields);
    }
    object
}

pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(|it| it.to_uppercase().collect()).unwrap_or_default();
    let end = if clause.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
