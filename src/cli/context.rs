//! `tandem context`: shows what a model would be sent, and what is withheld from it.
//!
//! No network is used: the job runs as in the server, with an observer that ends it before its request is sent.

mod recorder;
mod related;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use clap::ValueEnum;
use serde_json::json;

use super::exit::USAGE;
use super::limits::{BYTES_PER_TOKEN, FILE_BYTES};
use super::{edit, settings, terminal};
use crate::assist::{
    Assist, CompletionParams, FileView, Models, NextEditParams, Observer, RewriteParams, certain_fix, target,
};
use crate::config::{self, Endpoint, Settings, Wire};
use crate::context;
use crate::disk::{self, Links};
use crate::document::Change;
use crate::document::position::{Encoding, Position, clamped_byte_at};
use crate::job::Reason;
use crate::model::fallback::Notices;
use crate::model::gears::Gears;
use crate::model::usage::Meter;
use crate::model::{Model, RenderedRequest, RequestKind, SentForm, capability};
use crate::route::Gear;
use crate::session::{FileInfo, Session};
use crate::snapshot::{Diagnostic, OmittedPart, RecentEdit, Severity, Snapshot};
use crate::text::ident;
use recorder::{NO_MODEL, NoModel, Recorder, UnsentRequest};

/// Print exactly what a model would be sent for a position in a file, and what is withheld; nothing is sent
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The position: line and column from 1, the column in characters; by default the end of the line
    #[arg(value_name = "FILE:LINE[:COL]")]
    place: String,
    /// The job at that position
    #[arg(long, value_enum, default_value_t = JobName::Complete)]
    job: JobName,
    /// The instruction, for a rewrite
    #[arg(long, default_value = "tidy this up")]
    instruction: String,
    /// The compiler's message about the name at the position, for a fix
    #[arg(long, default_value = "cannot find this name in this scope")]
    message: String,
    /// The file as it was before your last edit, for a next edit
    #[arg(long, value_name = "FILE")]
    was: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JobName {
    /// Ghost text at the position
    Complete,
    /// A rewrite of the definition that begins on the line, or else of the function around it
    Rewrite,
    /// The edit that follows from your last edit
    NextEdit,
    /// The fix for a diagnostic about the name at the position
    Fix,
}

impl JobName {
    /// The kind of request that the job makes.
    fn kind(self) -> RequestKind {
        match self {
            Self::Complete => RequestKind::Completion,
            Self::NextEdit => RequestKind::NextEdit,
            Self::Rewrite | Self::Fix => RequestKind::Instruction,
        }
    }
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Some((path, line, column)) = place(&arguments.place) else {
        terminal::say(format_args!(
            "`{}` is not a place; write FILE:LINE or FILE:LINE:COL with numbers from 1, such as a.rs:3:9",
            arguments.place
        ));
        return Ok(ExitCode::from(USAGE));
    };
    let text = disk::text(&path, FILE_BYTES, Links::Follow)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let position = Position::new(line, column.unwrap_or_else(|| length_of(&text, line)));
    let before = match &arguments.was {
        Some(was) => disk::text(was, FILE_BYTES, Links::Follow)
            .with_context(|| format!("cannot read {}", was.display()))?,
        None => text.clone(),
    };
    let folders = [std::env::current_dir()?];
    if let Some(end) = past_the_end(&text, position) {
        terminal::say(format_args!("{} has no such position; {end} is taken", path.display()));
    }
    // No key is needed, so no key command is run.
    let loaded = settings::read(arguments.config.as_deref(), &[], &folders, false);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    problems.iter().for_each(terminal::say);
    let settings = loaded.settings;
    let recorder = Arc::new(Recorder::default());
    let mut left_out = Vec::new();
    let reason = match edit::snapshot(&path, &text, settings.clone(), &folders) {
        Err(reason) => Some(reason),
        Ok(mut snapshot) => {
            // The server computes the outline after the first parse.
            snapshot.outline = context::outline::of(&snapshot.document).into();
            let cursor = clamped_byte_at(snapshot.document.text(), position, Encoding::Utf32);
            let related = related::gathered(&path, &snapshot, cursor, &settings, &folders);
            left_out.clone_from(&related.left_out);
            snapshot.related = Arc::new(related);
            let [fast, deep] = gears(settings.everywhere()).models();
            let fast = fast.or_else(|| deep.is_none().then(|| Arc::new(NoModel) as Arc<dyn Model>));
            let assist = Assist::new(Models { fast, deep }, &settings.everywhere().privacy)
                .observed_by(Some(Arc::clone(&recorder) as Arc<dyn Observer>));
            start(&arguments, &assist, snapshot, cursor, &before).await
        }
    };
    match recorder.recorded() {
        Some(recorded) => {
            show(&arguments, settings.everywhere(), recorded, &Beside { left_out, problems })?;
        }
        None => {
            let why = why_nothing(settings.everywhere(), reason);
            if arguments.json {
                terminal::json(&json!({ "sent": null, "why": why, "problems": problems }), false)?;
            } else {
                terminal::print(format_args!("Nothing is sent: {why}."));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Information printed in addition to a request.
struct Beside {
    /// Related code that did not fit into the prompt.
    left_out: Vec<OmittedPart>,
    /// The problems of the configuration.
    problems: Vec<String>,
}

/// The models of the settings, none of which is called. Their meter is in memory only and starts at zero.
fn gears(settings: &Settings) -> Gears {
    let meter = Meter::new(settings.budget, settings.prices.clone(), None);
    Gears::new(settings, Arc::new(meter), &(Arc::new(|_| ()) as Notices))
}

/// Runs the job up to its first request. Returns the reason if the job failed.
async fn start(
    arguments: &Arguments,
    assist: &Assist,
    snapshot: Snapshot,
    cursor: usize,
    before: &str,
) -> Option<Reason> {
    let document = &snapshot.document;
    let eagerness = snapshot.settings.eagerness;
    match arguments.job {
        JobName::Complete => {
            let params = CompletionParams { cursor, eagerness, variant: 0, invoked: false, not_before: None };
            assist.complete(&snapshot, params, &mut |_| ControlFlow::Break(())).await.err()
        }
        JobName::Rewrite => {
            let target = target::of_range(document, cursor..cursor);
            let instruction = &arguments.instruction;
            let params =
                RewriteParams { target: &target, instruction, diagnostics: &[], forced: None, said: None };
            assist.rewrite(&snapshot, params).await.err()
        }
        JobName::NextEdit => {
            let params = NextEditParams {
                recent_edits: recent_edits(&snapshot, before),
                withheld: Vec::new(),
                snapshot,
                cursor,
                diagnostics: Vec::new(),
                eagerness,
                is_invoked: true,
                other_files: Vec::new(),
                unopened: None,
            };
            // If the local engine finds an edit, it would be shown and no model asked.
            assist.next_edit(Arc::new(params), |edits| !edits.is_empty()).await.err()
        }
        JobName::Fix => {
            let span = ident::around(&document.text().to_string(), cursor);
            let diagnostic = Diagnostic::new(span, Severity::Error, &arguments.message);
            match certain_fix(&FileView::new(document), &diagnostic) {
                Some(_) => None,
                None => assist.fix(&snapshot, &diagnostic, None).await.err(),
            }
        }
    }
}

/// Why there is no request.
fn why_nothing(settings: &Settings, reason: Option<Reason>) -> String {
    let has_no_model = settings.fast.candidates.is_empty() && settings.deep.candidates.is_empty();
    match reason {
        Some(reason)
            if reason.is_refusal() || matches!(reason, Reason::Withheld { .. } | Reason::NotRead(_)) =>
        {
            reason.to_string()
        }
        _ if has_no_model => {
            "no model is configured, or none whose key is there; `tandem setup` chooses one".to_owned()
        }
        Some(reason) => reason.to_string(),
        None => "the local engine answers".to_owned(),
    }
}

/// Prints a request and its redactions.
fn show(
    arguments: &Arguments,
    settings: &Settings,
    recorded: &UnsentRequest,
    beside: &Beside,
) -> anyhow::Result<()> {
    let Beside { left_out, problems } = beside;
    let UnsentRequest { route, request, withheld, related: parts, room } = recorded;
    let role = if route.gear == Gear::Deep { &settings.deep } else { &settings.fast };
    let kind = arguments.job.kind();
    let answers = |it: &&Endpoint| capability::answers(it, kind);
    let endpoint = role.candidates.iter().find(answers).or(role.candidates.first());
    let gear = route.gear;
    let routed = format!("{gear} gear: {}", route.reason);
    let text = RenderedRequest::new(request, endpoint);
    // A language server gets the document alone.
    let shown = related::files(if text.form == SentForm::Document { &[] } else { parts });
    let bytes = text.bytes();
    let tokens = bytes.div_ceil(BYTES_PER_TOKEN);
    if arguments.json {
        let sent = json!({
            "gear": gear.to_string(), "route": routed, "provider": endpoint.map(|it| &it.provider),
            "url": endpoint.map(|it| &it.base_url), "model": endpoint.map(|it| &it.model),
            "form": text.form.name(), "prompt": text.part("prompt"), "instructions": text.part("instructions"),
            "input": text.part("input"), "cacheKey": request.cache_key, "stableBytes": request.stable,
            "parts": text.parts.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect::<Vec<_>>(),
            "maxOutputTokens": request.max_output_tokens,
            "bytes": bytes, "tokens": tokens,
        });
        let listed: Vec<_> = shown.iter().map(related::FileParts::json).collect();
        let left_out: Vec<_> = left_out
            .iter()
            .map(|it| json!({ "path": &*it.path, "line": it.line, "text": it.text, "why": it.why }))
            .collect();
        let all = json!({
            "sent": sent, "withheld": withheld, "related": listed, "leftOut": left_out, "problems": problems,
        });
        return Ok(terminal::json(&all, false)?);
    }
    match endpoint {
        Some(Endpoint { model, base_url, provider, .. }) => {
            terminal::print(format_args!("To {model} at {base_url}, provider {provider}."));
        }
        None => terminal::print(format_args!("To {NO_MODEL}. This is what one would be sent.")),
    }
    terminal::print(format_args!("{routed}."));
    if arguments.job == JobName::NextEdit && arguments.was.is_none() {
        terminal::print(format_args!(
            "Your last edit is not known here; --was FILE names the file as it was before that."
        ));
    }
    match text.form {
        SentForm::Instructions => terminal::print(format_args!(
            "{bytes} bytes, about {tokens} tokens; {}% of them, at the start, are the same in the next request. Cache key: {}.",
            (request.instructions.len() + request.stable) * 100 / bytes.max(1),
            request.cache_key
        )),
        SentForm::Code => terminal::print(format_args!(
            "{bytes} bytes, about {tokens} tokens: the code around the cursor as it is, without instructions."
        )),
        SentForm::Document => terminal::print(format_args!(
            "{bytes} bytes: the whole document as the language server gets it, in two parts around the cursor."
        )),
        SentForm::Edits => terminal::print(format_args!(
            "{bytes} bytes, about {tokens} tokens, in the form that the model was trained on."
        )),
    }
    let is_words = text.form == SentForm::Instructions;
    if is_words && kind == RequestKind::Completion && endpoint.is_some_and(may_be_llama_cpp) {
        terminal::print(
            "If this server is llama.cpp and its model reads slowly, the code around the cursor is sent instead, without instructions.",
        );
    }
    related::show(settings, &shown, *room, left_out);
    for (name, text) in &text.parts {
        terminal::print(format_args!("\n== {name}\n{text}"));
    }
    terminal::print(format_args!("\n== withheld"));
    for (at, kind) in withheld.iter().enumerate() {
        terminal::print(format_args!("{}. {kind}: it looks like one, and `privacy.redact` is on", at + 1));
    }
    if withheld.is_empty() {
        let why =
            if settings.privacy.redact { "nothing looks like a key" } else { "`privacy.redact` is off" };
        terminal::print(format_args!("nothing: {why}"));
    }
    Ok(())
}

/// Whether a server may be llama.cpp's, which accepts a better form than that of its wire; its first answer shows it.
fn may_be_llama_cpp(endpoint: &Endpoint) -> bool {
    endpoint.wire == Wire::Chat && config::is_on_this_machine(&endpoint.base_url)
}

/// If a position is past the end of its line or of the text, that end, as `line 3, column 7`.
fn past_the_end(text: &str, position: Position) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let line = usize::try_from(position.line).ok()?;
    let end_of = |line: usize| lines.get(line).map_or(0, |it| it.trim_end_matches('\r').chars().count());
    match lines.get(line) {
        Some(_) if usize::try_from(position.column).is_ok_and(|column| column <= end_of(line)) => None,
        Some(_) => Some(format!("column {} of line {}", end_of(line) + 1, line + 1)),
        None => Some(format!("line {}, column {}", lines.len(), end_of(lines.len() - 1) + 1)),
    }
}

/// The edit that changed the text from `before`, as the server derives it from document changes.
fn recent_edits(snapshot: &Snapshot, before: &str) -> Vec<Arc<RecentEdit>> {
    let document = &snapshot.document;
    let shown = FileInfo::from(&*snapshot.path);
    let info = FileInfo { access: snapshot.access.clone(), ..shown };
    let mut session = Session::new(Encoding::Utf8, Vec::new(), Arc::clone(&snapshot.settings));
    session.open(document.id().clone(), "", 0, before, info);
    let text = document.text().to_string();
    if before != text {
        session.change(document.id(), Some(1), &[Change { range: None, text }], Instant::now());
    }
    session.recent_edits(document.id())
}

/// The number of characters of a line, counted from 0; zero past the end.
fn length_of(text: &str, line: u32) -> u32 {
    let line = usize::try_from(line).ok().and_then(|line| text.lines().nth(line));
    line.map_or(0, |line| u32::try_from(line.chars().count()).unwrap_or(u32::MAX))
}

/// Parses `FILE:LINE` or `FILE:LINE:COL`. Both numbers are one-based; the results are zero-based.
fn place(place: &str) -> Option<(PathBuf, u32, Option<u32>)> {
    let number = |digits: &str| digits.parse::<u32>().ok()?.checked_sub(1);
    let (rest, last) = place.rsplit_once(':')?;
    let last = number(last)?;
    // A file name may contain a colon, as with a Windows drive.
    let with_column = rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?)));
    match with_column.filter(|(file, _)| !file.is_empty()) {
        Some((file, line)) => Some((file.into(), line, Some(last))),
        // Line 0 does not exist, and `:0` is not part of a file's name.
        None if rest.is_empty() || rest.ends_with(":0") => None,
        None => Some((rest.into(), last, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_of_a_place_may_be_left_out() {
        let check = |written: &str, expected: Option<(&str, u32, Option<u32>)>| {
            let read = place(written);
            let read = read.as_ref().map(|(file, line, column)| (file.to_str().unwrap(), *line, *column));
            assert_eq!(read, expected, "{written}");
        };
        check("a.rs:3:9", Some(("a.rs", 2, Some(8))));
        check("a.rs:12", Some(("a.rs", 11, None)));
        check(r"C:\a.rs:12", Some((r"C:\a.rs", 11, None)));
        check(r"C:\a.rs:12:1", Some((r"C:\a.rs", 11, Some(0))));
        for wrong in ["a.rs", "a.rs:", "a.rs:0", "a.rs:x:1:", ":3", "a.rs:3:0", "a.rs:0:1"] {
            check(wrong, None);
        }
        assert_eq!((length_of("é\r\nab\n", 0), length_of("é\r\nab\n", 1), length_of("a", 7)), (1, 2, 0));
    }
}
