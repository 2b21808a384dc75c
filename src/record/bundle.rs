//! Removes the texts from entries, for a report to others.
//!
//! A text becomes its length, its number of lines and a hash with a salt that is discarded: equal texts of one report
//! can be recognized, and none can be guessed. Times, kinds, codes, token counts and the names of models remain.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use serde_json::{Value, json};

use super::entry::{Entry, Event, Replacement};

/// Removes the texts from the entries of one report.
#[derive(Debug, Default)]
pub struct Anonymizer(RandomState);

impl Anonymizer {
    /// Returns an entry as JSON without its texts.
    pub fn of(&self, entry: &Entry) -> Value {
        let mut twin = match &entry.event {
            Event::Header { document_type, repo_root_uri: _, uuid, tandem, program } => json!({
                "documentType": document_type, "uuid": self.hash(uuid), "tandem": tandem, "program": program,
            }),
            Event::DocumentEncountered { id, relative_path, language } => json!({
                "id": self.number(*id), "path": self.text(relative_path), "language": language,
                "extension": Path::new(relative_path).extension().and_then(|it| it.to_str()),
            }),
            Event::SetContent { id, v, content } => {
                json!({ "id": self.number(*id), "v": v, "content": self.text(content) })
            }
            Event::Changed { id, edit, v } => {
                json!({ "id": self.number(*id), "v": v, "edit": self.edit(edit) })
            }
            Event::SelectionChanged { id, selection } => {
                json!({ "id": self.number(*id), "selection": selection })
            }
            Event::Closed { id } | Event::Saved { id } => json!({ "id": self.number(*id) }),
            Event::BranchChanged => json!({}),
            Event::Decided { id, job, explicit, code, began } => json!({
                "id": self.number(*id), "job": job, "explicit": explicit, "code": code, "began": began,
            }),
            Event::Requested {
                request,
                id,
                job,
                gear,
                model,
                at,
                instructions,
                input,
                fim,
                max_tokens,
                inputs,
            } => {
                json!({
                    "request": request, "id": self.number(*id), "job": job, "gear": gear, "model": model,
                    "at": at, "maxTokens": max_tokens,
                    "instructions": self.text(instructions), "input": self.text(input),
                    "fim": fim.as_ref().map(|(before, after)| [self.text(before), self.text(after)]),
                    "inputs": inputs.as_ref().map(|it| json!({
                        "variant": it.variant, "explicit": it.explicit, "eagerness": it.eagerness,
                        "maxLines": it.max_lines, "invisible": it.invisible, "isRedacted": it.is_redacted,
                        "style": it.style.as_ref().map(|style| self.text(style)),
                        "unread": it.unread, "pace": it.pace, "edit": self.edit(&it.edit),
                        "windows": it.windows,
                    })),
                })
            }
            Event::Answered(it) => json!({
                "request": it.request, "end": it.end, "model": it.model, "inputTokens": it.input_tokens,
                "cachedTokens": it.cached_tokens, "cacheWriteTokens": it.cache_write_tokens,
                "outputTokens": it.output_tokens, "took": it.took,
                "unknown": it.unknown.as_ref().map(Vec::len),
                "chunks": it.chunks.iter().map(|(at, text)| json!([at, self.text(text)])).collect::<Vec<_>>(),
            }),
            Event::Ended { request, code, text, shown, doubtful } => json!({
                "request": request, "code": code, "shown": shown, "doubtful": doubtful,
                "text": text.as_ref().map(|text| self.text(text)),
            }),
            Event::Shown { id, suggestion, job, edit, gear, model } => json!({
                "id": self.number(*id), "suggestion": suggestion, "job": job, "gear": gear, "model": model,
                "edit": self.edit(edit),
            }),
            Event::Drawn { suggestion } | Event::Dismissed { suggestion } => {
                json!({ "suggestion": suggestion })
            }
            Event::Accepted { suggestion, units } => json!({ "suggestion": suggestion, "units": units }),
            Event::Lost { notes } => json!({ "notes": notes }),
        };
        twin["time"] = entry.time.into();
        twin["kind"] = entry.event.kind().into();
        twin
    }

    fn text(&self, text: &str) -> Value {
        json!({ "units": text.encode_utf16().count(), "lines": text.lines().count(), "hash": self.hash(text) })
    }

    fn edit(&self, edit: &[Replacement]) -> Value {
        edit.iter().map(|(start, end, text)| json!([start, end, self.text(text)])).collect()
    }

    /// The number of a file, hashed because it is derived from the file's name.
    fn number(&self, id: u64) -> String {
        format!("{:016x}", self.0.hash_one(id))
    }

    fn hash(&self, text: &str) -> String {
        format!("{:016x}", self.0.hash_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{AnswerEntry, Inputs};

    /// One entry of each kind that has texts, with the canary in each text field.
    fn entries(canary: &str) -> Vec<Entry> {
        let text = || canary.to_owned();
        let edit = vec![(0, 1, text())];
        let events = vec![
            Event::Header {
                document_type: "d".to_owned(),
                repo_root_uri: text(),
                uuid: text(),
                tandem: 1,
                program: "0.1.0".to_owned(),
            },
            Event::DocumentEncountered {
                id: 77_001,
                relative_path: text() + "/a.rs",
                language: "rust".to_owned(),
            },
            Event::SetContent { id: 77_001, v: 1, content: text() },
            Event::Changed { id: 77_001, edit: edit.clone(), v: 2 },
            Event::Requested {
                request: 1,
                id: 77_001,
                job: "completion".to_owned(),
                gear: "fast".to_owned(),
                model: "m".to_owned(),
                at: 3,
                instructions: text(),
                input: text(),
                fim: Some((text(), text())),
                max_tokens: 9,
                inputs: Some(Box::new(Inputs {
                    style: Some(text()),
                    edit: edit.clone(),
                    ..Inputs::default()
                })),
            },
            Event::Answered(AnswerEntry {
                request: 1,
                chunks: vec![(5, text())],
                end: "done".to_owned(),
                input_tokens: 1,
                output_tokens: 2,
                took: 9,
                unknown: Some(vec![text()]),
                ..AnswerEntry::default()
            }),
            Event::Ended {
                request: 1,
                code: "shown".to_owned(),
                text: Some(text()),
                shown: 1,
                doubtful: false,
            },
            Event::Shown {
                id: 77_001,
                suggestion: 4,
                job: "completion".to_owned(),
                edit,
                gear: "fast".to_owned(),
                model: None,
            },
        ];
        events.into_iter().map(|event| Entry { time: 6, event }).collect()
    }

    #[test]
    fn report_has_no_text_and_tells_equal_ones() {
        let anonymizer = Anonymizer::default();
        let twin =
            |canary: &str| -> Vec<Value> { entries(canary).iter().map(|it| anonymizer.of(it)).collect() };
        let all = twin("purple monkey");
        let printed = serde_json::to_string(&all).unwrap();
        for secret in ["purple", "monkey", "77001"] {
            assert!(!printed.contains(secret), "{printed}");
        }
        assert_eq!(all[3]["edit"][0][2], all[5]["chunks"][0][1], "equal texts have equal twins");
        assert_ne!(all[3]["edit"], twin("purple donkey")[3]["edit"]);
        assert_eq!((all[1]["extension"].as_str(), all[7]["suggestion"].as_u64()), (Some("rs"), Some(4)));
        let other = Anonymizer::default().of(&entries("purple monkey")[2]);
        assert_ne!(other["content"], all[2]["content"], "another report has another salt");
    }
}
