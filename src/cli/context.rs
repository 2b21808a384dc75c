//! `tandem context`: what a model would be sent, and what is kept from it.
//!
//! No network: the job runs as in the server, with a model that only writes down what it is asked.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use clap::ValueEnum;
use futures_util::stream::{self, StreamExt as _};
use serde_json::json;

use super::{USAGE, edit, terminal};
use crate::assist::{Assist, Listener, Models, Question, Situation, Work, certain_fix, seal, target};
use crate::config::{self, Endpoint, Keys, Privacy, Sources};
use crate::context;
use crate::disk::{self, Links, Readers};
use crate::document::Change;
use crate::document::position::{Encoding, Position, clamped_byte_at};
use crate::job::{Outcome, Reason};
use crate::model::{Chunk, ChunkStream, Model, Request, Usage};
use crate::route::Gear;
use crate::session::{FileInfo, Session};
use crate::snapshot::{Diagnostic, RecentEdit, Severity, Snapshot};
use crate::text::ident;

/// Print exactly what a model would be sent for a place in a file, and what is withheld. Nothing is sent.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The place: line and column from 1, the column in characters
    #[arg(value_name = "FILE:LINE:COL")]
    place: String,
    /// What is asked for there
    #[arg(long, value_enum, default_value_t = Job::Complete)]
    job: Job,
    /// The instruction of a rewrite
    #[arg(long, default_value = "tidy this up")]
    instruction: String,
    /// What a compiler says of the name at the place, for a fix
    #[arg(long, default_value = "cannot find this name in this scope")]
    message: String,
    /// The file as it was before your last step, for a next edit
    #[arg(long, value_name = "FILE")]
    was: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG")]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Job {
    /// Ghost text at the place
    Complete,
    /// A rewrite of the statement or definition that begins on the line
    Rewrite,
    /// The edit that follows from your last step
    NextEdit,
    /// The fix for a problem with the name at the place
    Fix,
}

/// A model that writes down what it is asked, and has nothing to say.
struct Scribe {
    gear: Gear,
    endpoint: Endpoint,
    asked: Arc<Mutex<Option<(Gear, Endpoint, Request)>>>,
}

impl Model for Scribe {
    fn name(&self) -> String {
        self.endpoint.model.clone()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let asked = (self.gear, self.endpoint.clone(), request);
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        stream::iter([Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

/// Nobody looks at the suggestion.
struct Nobody;

impl Listener for Nobody {
    fn grown(&mut self, _: &str, _: &str) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Some((path, position)) = place(&arguments.place) else {
        terminal::say(format_args!(
            "`{}` is no place; write FILE:LINE:COL, such as a.rs:3:9",
            arguments.place
        ));
        return Ok(ExitCode::from(USAGE));
    };
    let text = disk::text(&path, edit::MOST_FILE, Links::Follow)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let folders = [std::env::current_dir()?];
    let variable = |name: &str| std::env::var(name).ok();
    let file = arguments.config.or_else(config::default_path);
    let sources = Sources {
        file: file.as_deref(),
        editor: &[],
        folders: &folders,
        variable: &variable,
        readers: &Readers::default(),
    };
    // No key is needed, so no command is run for one.
    let loaded = config::load(&sources, &mut Keys::default(), false);
    let settings = loaded.settings.everywhere();
    let asked = Arc::new(Mutex::new(None));
    let scribe = |gear, role: &config::Role| {
        let endpoint = role.candidates.first()?.clone();
        Some(Arc::new(Scribe { gear, endpoint, asked: Arc::clone(&asked) }) as Arc<dyn Model>)
    };
    let models =
        Models { fast: scribe(Gear::Fast, &settings.fast), deep: scribe(Gear::Deep, &settings.deep) };
    // The scribe is to see the request before the seal takes keys out of it, to tell what those were.
    let assist = Assist::new(models, &Privacy { redact: false, ..settings.privacy.clone() });
    let was = match &arguments.was {
        Some(was) => {
            std::fs::read_to_string(was).with_context(|| format!("cannot read {}", was.display()))?
        }
        None => text.clone(),
    };
    let mut decision = None;
    let outcome = match edit::snapshot(&path, &text, loaded.settings.clone(), &folders) {
        Err(reason) => Some(reason),
        Ok(mut snapshot) => {
            // As the server has it after the first parse.
            snapshot.outline = context::outline::of(&snapshot.document).into();
            let cursor = clamped_byte_at(snapshot.document.text(), position, Encoding::Utf32);
            let eagerness = snapshot.settings.eagerness;
            match arguments.job {
                Job::Complete => {
                    decision = Some(assist.routing(&snapshot, Work::Complete).await);
                    let question = Question { cursor, eagerness, variant: 0, invoked: false };
                    nothing(assist.complete(&snapshot, question, &mut Nobody).await)
                }
                Job::Rewrite => {
                    let target = target::of_range(&snapshot.document, cursor..cursor);
                    let instruction = &arguments.instruction;
                    let work = Work::Rewrite { target: &target, instruction };
                    decision = Some(assist.routing(&snapshot, work).await);
                    nothing(assist.rewrite(&snapshot, &target, instruction, None).await)
                }
                Job::NextEdit => {
                    decision = Some(assist.routing(&snapshot, Work::NextEdit).await);
                    let situation = Situation {
                        steps: steps(&snapshot, &was, &text),
                        snapshot,
                        cursor,
                        problems: Vec::new(),
                        eagerness,
                        is_invoked: true,
                        elsewhere: Vec::new(),
                    };
                    // What the local engine finds would be shown, and no model asked.
                    nothing(assist.next_edit(Arc::new(situation), |hunks| !hunks.is_empty()).await)
                }
                Job::Fix => {
                    let span = ident::around(&text, cursor);
                    let problem = Diagnostic::new(span, Severity::Error, &arguments.message);
                    decision = Some(assist.routing(&snapshot, Work::Fix { problem: &problem }).await);
                    match certain_fix(&snapshot.document, &problem, &[]) {
                        Some(_) => None,
                        None => nothing(assist.fix(&snapshot, &problem).await),
                    }
                }
            }
        }
    };
    let routed = decision.as_ref().map(|it| format!("{} gear: {}", it.gear, it.reason));
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some((gear, endpoint, request)) = asked else {
        let why = match outcome {
            Some(reason @ (Reason::Withheld { .. } | Reason::Refused { .. })) => reason.to_string(),
            _ if settings.fast.candidates.is_empty() && settings.deep.candidates.is_empty() => {
                "no model is configured, or none whose key is there".to_owned()
            }
            Some(reason) => reason.to_string(),
            None => "the local engine answers".to_owned(),
        };
        if arguments.json {
            terminal::json(&json!({ "sent": null, "why": why }), false)?;
        } else {
            terminal::print(format_args!("Nothing is sent: {why}."));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let (request, withheld) = match settings.privacy.redact {
        true => {
            let (request, redaction) = seal(request);
            (request, redaction.kinds().collect::<Vec<_>>())
        }
        false => (request, Vec::new()),
    };
    let bytes = request.instructions.len() + request.input.len();
    if arguments.json {
        let sent = json!({
            "gear": gear.to_string(), "route": routed, "provider": endpoint.provider, "url": endpoint.base_url, "model": endpoint.model,
            "instructions": request.instructions, "input": request.input, "cacheKey": request.cache_key,
            "stableBytes": request.stable, "maxOutputTokens": request.max_output_tokens,
            "bytes": bytes, "tokens": bytes.div_ceil(BYTES_OF_TOKEN),
        });
        terminal::json(&json!({ "sent": sent, "withheld": withheld }), false)?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print(format_args!(
        "To {} at {}, provider {}.",
        endpoint.model, endpoint.base_url, endpoint.provider
    ));
    if let Some(routed) = routed {
        terminal::print(format_args!("{routed}."));
    }
    if arguments.job == Job::NextEdit && arguments.was.is_none() {
        terminal::print(format_args!(
            "Your last step is not known here; --was FILE names the file as it was before it."
        ));
    }
    terminal::print(format_args!(
        "{bytes} bytes, about {} tokens; the first {} bytes of the input stay the same. Cache key: {}.",
        bytes.div_ceil(BYTES_OF_TOKEN),
        request.stable,
        request.cache_key
    ));
    terminal::print(format_args!(
        "\n== instructions\n{}\n\n== input\n{}",
        request.instructions, request.input
    ));
    terminal::print(format_args!("\n== withheld"));
    for (at, kind) in withheld.iter().enumerate() {
        terminal::print(format_args!("{}. {kind}: it looks like one, and `privacy.redact` is on", at + 1));
    }
    if withheld.is_empty() {
        let why =
            if settings.privacy.redact { "nothing looks like a key" } else { "`privacy.redact` is off" };
        terminal::print(format_args!("nothing: {why}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Bytes of one token, about.
const BYTES_OF_TOKEN: usize = 3;

fn nothing<T>(outcome: Outcome<T>) -> Option<Reason> {
    match outcome {
        Outcome::Done(_) => None,
        Outcome::Nothing(reason) => Some(reason),
    }
}

/// The edit from one text of a file to another, as the server derives it from changes.
fn steps(snapshot: &Snapshot, was: &str, is: &str) -> Vec<Arc<RecentEdit>> {
    let document = &snapshot.document;
    let info = FileInfo { shown: Arc::clone(&snapshot.path), path: None, access: snapshot.access.clone() };
    let mut session = Session::new(Encoding::Utf8, Vec::new(), Arc::clone(&snapshot.settings));
    session.open(document.id().clone(), "", 0, was, info);
    if was != is {
        let change = Change { range: None, text: is.to_owned() };
        session.change(document.id(), Some(1), &[change], Instant::now());
    }
    session.recent_edits(document.id())
}

/// Reads `FILE:LINE:COL`.
fn place(place: &str) -> Option<(PathBuf, Position)> {
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let number = |digits: &str| digits.parse::<u32>().ok()?.checked_sub(1);
    Some((file.into(), Position::new(number(line)?, number(column)?)))
}
