//! The tools: their schemas and their implementations.

use serde_json::{Value, json};

use super::arguments::{self, Arguments};
use crate::assist::plan::{self, Project};
use crate::cli::{project, write};
use crate::config::Scoped;
use crate::disk::Readers;
use crate::edit::effect;
use crate::edit::plan::{Permissions, plan as read_edit};
use crate::edit::{EditSet, Refusal};
use crate::text::words::counted;
use crate::workspace::{Folder, FolderError};

/// The tools of one folder.
pub(super) struct Tools {
    pub(super) folder: Folder,
    pub(super) settings: Scoped,
    pub(super) may_write: bool,
}

/// The text that a tool returns to the model, for success and for failure.
///
/// There is no structured content: some clients would forward it instead of the text, with each line of a diff
/// escaped.
type Said = Result<String, String>;

/// A tool as it is listed and called.
struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The JSON schema of its arguments.
    schema: Value,
    writes: bool,
    run: fn(&Tools, &Arguments) -> Said,
}

impl Tools {
    fn all(&self) -> [Tool; 3] {
        let edit = json!({
            "type": "string",
            "description": "The edit: apply_patch, a unified diff, search/replace blocks, whole files in fences, or \
                JSON. It names its files by paths below the project's folder.",
        });
        let write =
            json!({ "type": "boolean", "description": "Whether to write the result; else it is only shown" });
        [
            Tool {
                name: "apply_edit",
                title: "Apply an edit",
                description: "Applies an edit of one file or several, all of it or nothing. A place that is not \
                    certain is refused with the reason, never guessed.",
                schema: object(json!({ "edit": edit, "write": write }), &["edit"]),
                writes: self.may_write,
                run: Self::apply_edit,
            },
            Tool {
                name: "check",
                title: "Check an edit",
                description: "Says what an edit would break: syntax, names known nowhere, imports that lead nowhere, \
                    callers of a changed signature that are left. Writes nothing.",
                schema: object(json!({ "edit": edit }), &["edit"]),
                writes: false,
                run: Self::check,
            },
            Tool {
                name: "context",
                title: "Show the project",
                description: "The project's files and what they define, those that the words name first. Files that \
                    hold secrets or are ignored are left out.",
                schema: object(
                    json!({ "words": { "type": "string", "description": "Words of the topic, names best: definitions that match are shown" } }),
                    &[],
                ),
                writes: false,
                run: Self::context,
            },
        ]
    }

    /// The tools as the protocol lists them.
    pub(super) fn list(&self) -> Value {
        let tools = self.all().into_iter().map(|tool| {
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.schema,
                "annotations": {
                    "readOnlyHint": !tool.writes,
                    "destructiveHint": tool.writes,
                    "openWorldHint": false,
                },
            })
        });
        tools.collect()
    }

    /// Calls a tool. The error is about the request itself, as opposed to a failure of the tool.
    pub(super) fn call(&self, params: &Value) -> Result<Value, String> {
        // Another process may have been killed during a write since the server started.
        write::recover();
        let name = params["name"].as_str().ok_or("a call has the `name` of a tool")?;
        let tool = self.all().into_iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| format!("there is no tool `{name}`"))?;
        let none = Arguments::new();
        let arguments = match &params["arguments"] {
            Value::Null => &none,
            Value::Object(arguments) => arguments,
            _ => return Err("the `arguments` of a call are an object".to_owned()),
        };
        let said = arguments::check(arguments, &tool.schema).and_then(|()| (tool.run)(self, arguments));
        let failed = said.is_err();
        let text = said.unwrap_or_else(|why| why);
        Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": failed }))
    }

    fn apply_edit(&self, arguments: &Arguments) -> Said {
        let writes = arguments.get("write").and_then(Value::as_bool).unwrap_or(false);
        if writes && !self.may_write {
            return Err("nothing is written: the server was started without --write".to_owned());
        }
        let set = self.read(text(arguments, "edit"))?;
        let flags = set.files().iter().flat_map(|file| file.flags.iter().map(|it| (&file.path, it)));
        let notes: String = flags.map(|(path, flag)| format!("note: {path}: {flag}\n")).collect();
        let diff = effect::unified(&set);
        if diff.is_empty() {
            return Ok(format!("{notes}nothing is to be changed\n"));
        }
        let done = match writes {
            true => {
                let files = write::edit_set(&self.folder, &set).map_err(|error| format!("{error:#}"))?;
                format!("{} written", counted(files, "file"))
            }
            false => "nothing is written yet; this is what `write` would do".to_owned(),
        };
        Ok(format!("{notes}{done}\n\n{diff}"))
    }

    fn check(&self, arguments: &Arguments) -> Said {
        let set = self.read(text(arguments, "edit"))?;
        let findings = plan::check(&self.project(), &set);
        if findings.is_empty() {
            return Ok("nothing was found\n".to_owned());
        }
        Ok(findings.iter().map(|it| format!("{it}\n")).collect())
    }

    fn context(&self, arguments: &Arguments) -> Said {
        Ok(plan::overview(&self.project(), text(arguments, "words")))
    }

    fn project(&self) -> Project {
        project::project(Readers::default(), &self.folder, &self.settings)
    }

    /// Parses an edit and resolves it against the current files.
    fn read(&self, edit: &str) -> Result<EditSet, String> {
        let access = |real: &str| self.settings.verdict(&self.folder.place(real));
        let allow_invisible = self.settings.of(Some(self.folder.root())).allow_invisible_characters;
        let refused = |refusal: &Refusal| format!("refused ({}): {refusal}", refusal.code());
        read_edit(edit, &self.folder, Permissions { access: &access, instruction: "", allow_invisible })
            .map_err(|error| match error {
                FolderError::Refused(refusal) => refused(&refusal),
                error => error.to_string(),
            })
    }
}

/// The schema of an object with only these properties.
fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}
