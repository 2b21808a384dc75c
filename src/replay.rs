//! Replays the ghost text of a recording: the recorded answers of the models, read again by the rules of this version.
//!
//! [`Completions`] collects the requests of a recording, each with its text and the answer as it arrived. A
//! [`Replayer`] runs them through [`Assist`], which the server uses, too: routing, the window and the prompt, the
//! filters, trimming and validation are those of this version, and no model is called. With the rules that made the
//! recording, the prompts and the results are the same, byte for byte.
//!
//! What the rules depend on besides the file is part of the recording: settings, the model's speeds, the outline and
//! the parts of other files (both in the prompt), where the file was cut, and which words of the answer the project lacks.

mod completions;
mod recorded;
mod recorded_model;

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

use crate::assist::{Assist, CompletionParams, Models, Partial};
use crate::config::{Privacy, Settings};
use crate::document::{Document, DocumentId};
use crate::privacy::Verdict;
use crate::prompt;
use crate::record::{Inputs, PROGRAM};
use crate::snapshot::{Related, Snapshot};
use crate::text::ident;
use crate::workspace::Workspace;
pub use completions::Completions;
pub use recorded::{RecordedCompletion, RecordedResult};
use recorded_model::RecordedModel;

/// Names of a project so large that a missing name is significant ([`Workspace::is_reliable_for`]).
const MANY_NAMES: usize = 5_000;

/// Replays completions, one after the other.
pub struct Replayer {
    assist: Assist,
    /// Settings that no recording has.
    settings: Settings,
    /// The project of each language, whose names are those that the current answer has.
    projects: HashMap<&'static str, Arc<Workspace>>,
}

impl Default for Replayer {
    fn default() -> Self {
        Self {
            assist: Assist::new(Models::default(), &Privacy::default()),
            settings: Settings::default(),
            projects: HashMap::new(),
        }
    }
}

/// What a completion comes to by the rules of this version.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The result.
    pub result: RecordedResult,
    /// The recorded prompt and that of this version, if they differ.
    pub prompts: Option<[String; 2]>,
    /// Whether the answer was read further than it was recorded.
    pub reads_on: bool,
    /// Milliseconds from the request to the last chunk that was read.
    pub milliseconds: u64,
    /// Whether the recording, and not the rules, decided which part of the file the prompt shows.
    pub has_recorded_windows: bool,
}

impl Replayed {
    /// Whether the prompt and the result are the recorded ones.
    pub fn is_equal(&self, recorded: &RecordedCompletion) -> bool {
        self.prompts.is_none() && !self.reads_on && self.result == recorded.result
    }
}

impl Replayer {
    /// Replays a completion.
    pub async fn replay(&mut self, recorded: &RecordedCompletion) -> Replayed {
        let Inputs { max_lines, invisible, style, .. } = &recorded.inputs;
        let settings = Settings {
            max_ghost_lines: *max_lines,
            allow_invisible_characters: *invisible,
            style: style.clone(),
            ..self.settings.clone()
        };
        let id = DocumentId::new(&format!("untitled:{}", recorded.path));
        let document = Document::new(id, &recorded.language, 0, &recorded.text.to_string());
        let workspace = self.project(&document, recorded);
        let path = recorded.path.as_str();
        let snapshot = Snapshot {
            language_id: recorded.language.as_str().into(),
            outline: prompt::complete::outline(&recorded.input).unwrap_or_default().into(),
            related: related(&recorded.input),
            ..Snapshot::of_file(document, path, Arc::new(settings), Verdict::Open, workspace)
        };
        let params = recorded.params();
        // Where the file is cut follows the tree that was at hand: none right after opening, mostly a complete one,
        // and rarely one that the parser would not make of this text alone, since it is made of an earlier one with
        // an error. That is not recorded, but the cuts are. Other rules may cut elsewhere.
        let unparsed = self.run(&snapshot, params, recorded, &[]).await;
        if unparsed.is_equal(recorded) {
            return unparsed;
        }
        snapshot.document.syntax();
        let parsed = self.run(&snapshot, params, recorded, &[]).await;
        if parsed.prompts.is_none() || recorded.program != PROGRAM {
            return parsed;
        }
        let as_shown = self.run(&snapshot, params, recorded, &recorded.windows).await;
        if as_shown.is_equal(recorded) { Replayed { has_recorded_windows: true, ..as_shown } } else { parsed }
    }

    async fn run(
        &self,
        snapshot: &Snapshot,
        params: CompletionParams,
        recorded: &RecordedCompletion,
        windows: &[Range<usize>],
    ) -> Replayed {
        let model = Arc::new(RecordedModel::new(recorded));
        let models = Models { fast: Some(Arc::clone(&model) as Arc<dyn crate::model::Model>), deep: None };
        let assist = self.assist.with(models, &Privacy::default()).showing(windows.to_vec());
        let mut progress = |_: Partial<'_>| ControlFlow::Continue(());
        let made = assist.complete(snapshot, params, &mut progress).await;
        let result = match made {
            Ok((made, _)) => RecordedResult {
                code: "shown".to_owned(),
                shown: made.text[..made.shown].encode_utf16().count(),
                text: Some(made.text),
                is_doubtful: made.is_doubtful,
            },
            Err(reason) => RecordedResult { code: reason.code().to_owned(), ..RecordedResult::default() },
        };
        let (prompts, reads_on, milliseconds) = model.seen();
        Replayed { result, prompts, reads_on, milliseconds, has_recorded_windows: false }
    }

    /// A project that has all words of the answer but those that were unknown.
    fn project(&mut self, document: &Document, recorded: &RecordedCompletion) -> Arc<Workspace> {
        let (Some(grammar), Some(unknown)) = (document.grammar(), &recorded.answer.unknown) else {
            return Arc::default();
        };
        let project = self.projects.entry(grammar.id()).or_insert_with(|| {
            let project = Workspace::default();
            let names: String = (0..MANY_NAMES).map(|at| format!("recorded_name_{at} ")).collect();
            project.put(Path::new("many"), grammar, &names);
            project.complete();
            Arc::new(project)
        });
        let text = recorded.answer_in_words();
        let words = ident::words_with_dollars(&text).map(|(_, word)| word);
        let known: Vec<&str> = words.filter(|word| !unknown.iter().any(|it| it == word)).collect();
        project.put(Path::new("answer"), grammar, &known.join(" "));
        Arc::clone(project)
    }
}

/// The parts of other files that a recorded input shows.
pub fn related(input: &str) -> Arc<Related> {
    Arc::new(Related { parts: prompt::related::parts(input), ..Related::default() })
}
