//! The tools: what they take, and what they answer.

use serde_json::{Value, json};

use crate::assist::plan::{self, Project};
use crate::cli::apply::flags_report;
use crate::cli::{project, write};
use crate::config::Scoped;
use crate::disk::Readers;
use crate::edit::effect::{Effect, effects};
use crate::edit::plan::{Permissions, plan as read_edit};
use crate::edit::{EditSet, Refusal};
use crate::workspace::{Folder, FolderError};

/// The tools of one folder.
pub(super) struct Tools {
    pub(super) folder: Folder,
    pub(super) settings: Scoped,
    pub(super) may_write: bool,
}

/// What a tool says: a text, and the same for programs. A tool that fails says so in its result, for the
/// model to read.
type Said = Result<(String, Value), String>;

impl Tools {
    /// The tools as the protocol lists them.
    pub(super) fn list(&self) -> Value {
        let edit = json!({
            "type": "string",
            "description": "The edit: apply_patch, a unified diff, search/replace blocks, whole files in fences, or \
                JSON. It names its files by paths below the project's folder.",
        });
        let write =
            json!({ "type": "boolean", "description": "Whether to write the result; else it is only shown" });
        json!([
            {
                "name": "apply_edit",
                "description": "Applies an edit of one file or several, all of it or nothing. A place that is not \
                    certain is refused with the reason, never guessed.",
                "inputSchema": {
                    "type": "object",
                    "properties": { "edit": edit, "write": write },
                    "required": ["edit"],
                },
                "annotations": { "readOnlyHint": !self.may_write, "destructiveHint": self.may_write },
            },
            {
                "name": "check",
                "description": "Says what an edit would break: syntax, names known nowhere, imports that lead nowhere, \
                    callers of a changed signature that are left. Writes nothing.",
                "inputSchema": { "type": "object", "properties": { "edit": edit }, "required": ["edit"] },
                "annotations": { "readOnlyHint": true },
            },
            {
                "name": "context",
                "description": "The project's files and what they define, those that the words name first. Files that \
                    hold secrets or are ignored are left out.",
                "inputSchema": {
                    "type": "object",
                    "properties": { "words": { "type": "string", "description": "What it is about" } },
                },
                "annotations": { "readOnlyHint": true },
            },
        ])
    }

    /// Calls a tool.
    pub(super) fn call(&self, params: &Value) -> Result<Value, String> {
        let arguments = &params["arguments"];
        let edit = || arguments["edit"].as_str().ok_or("`edit` is missing".to_owned());
        let said = match params["name"].as_str().unwrap_or_default() {
            "apply_edit" => self.apply_edit(edit()?, arguments["write"].as_bool().unwrap_or(false)),
            "check" => self.check(edit()?),
            "context" => Ok(self.context(arguments["words"].as_str().unwrap_or_default())),
            other => return Err(format!("there is no tool `{other}`")),
        };
        Ok(match said {
            Ok((text, data)) => {
                json!({ "content": [{ "type": "text", "text": text }], "structuredContent": data, "isError": false })
            }
            Err(why) => json!({ "content": [{ "type": "text", "text": why }], "isError": true }),
        })
    }

    fn apply_edit(&self, edit: &str, writes: bool) -> Said {
        if writes && !self.may_write {
            return Err("nothing is written: the server was started without --write".to_owned());
        }
        let set = self.read(edit)?;
        let effects = effects(&set);
        let diff: String = effects.iter().map(Effect::unified).collect();
        let files: Vec<Value> = effects
            .iter()
            .map(
                |it| json!({ "path": it.path, "operation": it.operation(), "flags": flags_report(it.flags) }),
            )
            .collect();
        let written = match writes {
            true => write::edit_set(&self.folder, &set).map_err(|error| format!("{error:#}"))?,
            false => 0,
        };
        let status = if diff.is_empty() { "unchanged" } else { "applied" };
        let data = json!({ "status": status, "files": files, "written": written, "diff": diff });
        Ok((if diff.is_empty() { "nothing is to be changed".to_owned() } else { diff }, data))
    }

    fn check(&self, edit: &str) -> Said {
        let set = self.read(edit)?;
        let findings = plan::check(&self.project(), &set);
        let listed: Vec<Value> = findings
            .iter()
            .map(|it| {
                let (code, message) = (it.problem.code(), it.problem.to_string());
                json!({ "path": it.path, "line": it.line, "code": code, "message": message })
            })
            .collect();
        let text = match findings.as_slice() {
            [] => "nothing was found".to_owned(),
            found => found.iter().map(|it| format!("{it}\n")).collect(),
        };
        Ok((text, json!({ "findings": listed })))
    }

    fn context(&self, words: &str) -> (String, Value) {
        let text = plan::overview(&self.project(), words);
        let data = json!({ "context": text });
        (text, data)
    }

    fn project(&self) -> Project {
        project::project(Readers::default(), &self.folder, &self.settings)
    }

    /// Reads an edit against the files as they are.
    fn read(&self, edit: &str) -> Result<EditSet, String> {
        let access = |real: &str| self.settings.verdict(&self.folder.place(real));
        let allow_invisible = self.settings.of(Some(self.folder.root())).allow_invisible_characters;
        let refused = |refusal: &Refusal| format!("refused ({}): {refusal}", refusal.code());
        read_edit(edit, &self.folder, Permissions { access: &access, allow_invisible }).map_err(|error| {
            match error {
                FolderError::Refused(refusal) => refused(&refusal),
                error => error.to_string(),
            }
        })
    }
}
