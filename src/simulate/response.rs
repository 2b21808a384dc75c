//! One response, from its first event to its last.

use std::{
    future::pending,
    sync::atomic::Ordering,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, time::Instant};

use crate::local;

use super::{
    ANOTHER_MODEL, Fault, Server,
    bill::Bill,
    engine,
    event::{Emitter, Gone, Outgoing},
    fault::Shape,
    request::{Create, Item, Refusal, Role},
    script::{Reply, Scripted},
    speech::{Message, Piece, REMARK, Speech, end_older, joined},
    tokens::{self, PromptTokens},
};

/// A response that ended, for requests that continue from it.
pub(super) struct Ended {
    pub(super) id: String,
    /// All that the model has seen and said: what a continuing request builds on.
    pub(super) items: Vec<Item>,
}

/// A request as it is about to be answered.
pub(super) struct Part {
    pub(super) create: Create,
    /// Whether it came over HTTP.
    pub(super) is_http: bool,
    /// Whether its dialect tells the items of a response apart.
    pub(super) has_items: bool,
    /// The model that answers to what was asked for.
    model: String,
    items: Vec<Item>,
    told: String,
    script: Scripted,
    faults: Vec<Fault>,
}

impl Part {
    /// Takes a request. `earlier` are the items of the response that it continues from.
    pub(super) fn new(server: &Server, create: Create, earlier: &[Item]) -> Self {
        let items = [earlier, &create.input].concat();
        let told = told(&items);
        let is_said =
            create.generate.then(|| server.script.reply_to(&format!("{}\n{told}", create.instructions)));
        let script = is_said.flatten().unwrap_or_default();
        let faults = server.faults().into_iter().chain(script.fault).collect();
        let model = server.options.serve_as.clone().unwrap_or_else(|| create.model.clone());
        Self { create, is_http: false, has_items: true, model, items, told, script, faults }
    }

    pub(super) fn has_fault(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Whether a response that says something has the fault.
    fn says(&self, fault: Fault) -> bool {
        self.create.generate && self.has_fault(fault)
    }

    /// The same, where the fault is one of the socket's.
    fn says_on_socket(&self, fault: Fault) -> bool {
        self.says(fault) && !self.is_http
    }

    /// Why the request is refused, by a fault, and how.
    pub(super) fn refusal(&self) -> Option<(Refusal, Shape)> {
        let strikes = |fault: &Fault| match fault {
            Fault::UnsupportedField => self.create.has_cache_key,
            Fault::PreviousNotFound => self.create.previous_response_id.is_some(),
            _ => self.create.generate,
        };
        self.faults.iter().filter(|fault| strikes(fault)).find_map(|fault| fault.refuses())
    }

    /// The model that is said to serve.
    pub(super) fn model(&self) -> &str {
        if self.has_fault(Fault::RerouteModel) { ANOTHER_MODEL } else { &self.model }
    }

    fn reply(&self) -> Reply {
        if let Some(reply) = &self.script.reply {
            return reply.clone();
        }
        Reply::Text(match &self.create.fim {
            // A model that fills in the middle says nothing where there is nothing to say.
            Some((before, after)) => local::complete(before, after).unwrap_or_default(),
            None => engine::answer(&self.create.instructions, &self.told),
        })
    }
}

/// Answers one request.
///
/// # Errors
///
/// The client is gone.
pub(super) async fn run(
    server: &Server,
    part: &Part,
    lane: Option<&str>,
    out: &mpsc::Sender<Outgoing>,
) -> Result<Ended, Gone> {
    let start = Instant::now();
    let running = server.stats.run();
    let mut emitter = Emitter::new(out, lane);
    end_first(part, &mut emitter).await?;
    let is_small = server.is_small();
    let _turn = if is_small { Some(server.turn.lock().await) } else { None };
    let start = if is_small { Instant::now() } else { start };
    let (key, whole) = (&part.create.prompt_cache_key, whole_prompt(&part.create, &part.items));
    let prompt = match (server.options.breakpoints, part.create.caches_on_demand) {
        (true, true) => server.cache().read_to(key, &whole, last_breakpoint(&part.create, &part.items)),
        (true, false) => server.cache().read_to(key, &whole, Some(whole.len())),
        (false, _) => server.cache().read(key, &whole, is_small),
    };
    server.stats.cache_write_tokens.fetch_add(prompt.written as u64, Ordering::Relaxed);
    server.stats.input_tokens.fetch_add(prompt.total as u64, Ordering::Relaxed);
    server.stats.cached_tokens.fetch_add(prompt.cached as u64, Ordering::Relaxed);
    let head = Head {
        id: server.next_id("resp"),
        created_at: unix_now(),
        create: &part.create,
        model: part.model(),
        lower_tier: part.has_fault(Fault::LowerTier),
    };
    let mut run = Run { server, part, emitter, head, prompt };
    run.precede().await?;
    run.emitter
        .send("response.created", json!({"response": run.head.object("in_progress", &[], None)}))
        .await?;
    let said = if let Some((refusal, Shape::Failed)) = part.refusal() {
        run.fail(&refusal).await?;
        None
    } else {
        run.answer(start).await?
    };
    running.complete();
    if said.is_some() {
        run.follow().await?;
    }
    let mut items = part.items.clone();
    items.extend(said.map(|text| Item { role: Role::Assistant, text, breakpoint: None }));
    Ok(Ended { id: run.head.id, items })
}

/// Hangs, or ends the connection, where a fault says so before any event.
async fn end_first(part: &Part, emitter: &mut Emitter<'_>) -> Result<(), Gone> {
    if part.says(Fault::Hang) {
        pending::<()>().await;
    }
    let first = [
        (part.says(Fault::CloseFirst), Outgoing::Close(1011)),
        // Over HTTP no frame is too large.
        (part.says_on_socket(Fault::CloseTooLarge), Outgoing::Close(1009)),
        (part.says(Fault::CutFirst), Outgoing::Cut),
    ];
    for (strikes, end) in first {
        if strikes {
            emitter.end(end).await?;
            return Err(Gone);
        }
    }
    Ok(())
}

/// One response that is being sent.
struct Run<'a> {
    server: &'a Server,
    part: &'a Part,
    emitter: Emitter<'a>,
    head: Head<'a>,
    prompt: PromptTokens,
}

impl Run<'_> {
    /// What faults send before the response is created.
    async fn precede(&mut self) -> Result<(), Gone> {
        let (server, part, emitter) = (self.server, self.part, &mut self.emitter);
        if part.has_fault(Fault::UnknownEvents) {
            emitter.send("codex.rate_limits", json!({"rate_limits": {"allowed": true}})).await?;
        }
        if part.has_fault(Fault::QuotaEvent) {
            let window = json!({"used_percent": 100, "window_minutes": 300, "reset_at": unix_now() + 600});
            let limits =
                json!({"allowed": true, "limit_reached": true, "primary": window, "secondary": null});
            emitter.send("codex.rate_limits", json!({"plan_type": "plus", "rate_limits": limits})).await?;
        }
        if part.has_fault(Fault::RerouteEvent) {
            let headers = json!({"OpenAI-Model": ANOTHER_MODEL});
            emitter.send("codex.response.metadata", json!({"headers": headers})).await?;
        }
        if part.says_on_socket(Fault::StrayResponseBefore) {
            stray(server, emitter, &self.head).await?;
        }
        if part.says_on_socket(Fault::LateEvents) {
            let older = Message { id: server.next_id("msg"), index: 0, phase: None };
            emitter.send("response.output_text.delta", older.at(json!({"delta": "older();"}))).await?;
            end_older(emitter).await?;
        }
        Ok(())
    }

    /// What faults send after the response ended.
    async fn follow(&mut self) -> Result<(), Gone> {
        if self.part.says_on_socket(Fault::StrayResponseAfter) {
            stray(self.server, &mut self.emitter, &self.head).await?;
        }
        if self.part.says_on_socket(Fault::CloseAfter) {
            self.emitter.end(Outgoing::Close(1001)).await?;
        }
        Ok(())
    }

    async fn fail(&mut self, refusal: &Refusal) -> Result<(), Gone> {
        let mut response = self.head.object("failed", &[], None);
        response.insert("error".into(), json!({"code": refusal.code, "message": refusal.message}));
        self.emitter.send("response.failed", json!({"response": response})).await
    }

    /// Sends the created response's other events; gives what it said, if it was to say anything.
    async fn answer(&mut self, start: Instant) -> Result<Option<String>, Gone> {
        let in_progress = json!({"response": self.head.object("in_progress", &[], None)});
        self.emitter.send("response.in_progress", in_progress).await?;
        if self.part.has_fault(Fault::UnknownEvents) {
            self.emitter.send("vendor.unheard_of", json!({"payload": [1, 2, 3]})).await?;
        }
        if !self.part.create.generate {
            let response = self.head.object("completed", &[], Some(usage(self.prompt, 0)));
            self.bill(&response, 0);
            self.emitter.send("response.completed", json!({"response": response})).await?;
            return Ok(None);
        }
        let reply = cap(pieces(self.part.reply()), self.part.create.max_output_tokens);
        let (status, kind) = match reply.truncated {
            true => ("incomplete", "response.incomplete"),
            false => ("completed", "response.completed"),
        };
        let output = self.speak(start, &reply.pieces, status).await?;
        let spoken = reply.pieces.iter().map(|piece| piece.tokens).sum();
        let mut response = self.head.object(status, &output, Some(usage(self.prompt, spoken)));
        if self.server.is_small() {
            response.insert("timings".into(), self.timings(start, spoken));
        }
        self.bill(&response, spoken);
        self.emitter.send(kind, json!({"response": response})).await?;
        Ok(Some(joined(&reply.pieces)))
    }

    /// Adds to what all responses cost.
    fn bill(&self, response: &Map<String, Value>, output: usize) {
        let bill = Bill {
            input: self.prompt.total,
            cached: self.prompt.cached,
            written: self.prompt.written,
            output,
            tier: response.get("service_tier").and_then(Value::as_str).unwrap_or_default(),
            is_retained: self.part.create.is_retained,
        };
        let nanodollars = (bill.dollars(&self.server.options.rates) * 1e9).round() as u64;
        self.server.stats.nanodollars.fetch_add(nanodollars, Ordering::Relaxed);
    }

    /// What llama.cpp says of its own times.
    fn timings(&self, start: Instant, spoken: usize) -> Value {
        let reading = self.reading();
        json!({
            "cache_n": self.prompt.cached,
            "prompt_n": self.prompt.total - self.prompt.cached,
            "prompt_ms": reading.as_secs_f64() * 1e3,
            "predicted_n": spoken,
            "predicted_ms": start.elapsed().saturating_sub(reading).as_secs_f64() * 1e3,
        })
    }

    /// What it takes to read what was not read before.
    fn reading(&self) -> Duration {
        let fresh = (self.prompt.total - self.prompt.cached) as f64;
        match self.server.options.reads_per_second {
            0 => Duration::ZERO,
            rate => Duration::from_secs_f64(fresh / f64::from(rate)),
        }
    }

    /// Sends the messages of the response, with a remark beside the answer where a fault says so.
    async fn speak(&mut self, start: Instant, pieces: &[Piece], status: &str) -> Result<Vec<Value>, Gone> {
        let (server, part) = (self.server, self.part);
        let mut message = Message { id: server.next_id("msg"), index: 0, phase: None };
        let mut output = Vec::new();
        let remark_phase = match () {
            () if !part.has_items => None,
            () if part.says(Fault::Commentary) => Some(Some("commentary")),
            () if part.says(Fault::TwoMessages) => Some(None),
            () => None,
        };
        if let Some(phase) = remark_phase {
            let remark = Message { id: server.next_id("msg"), index: 0, phase };
            output.push(remark.say(&mut self.emitter, REMARK).await?);
            message.index = 1;
            message.phase = phase.map(|_| "final_answer");
        }
        let has_remark_between = part.has_items && part.says(Fault::CommentaryBetween);
        if has_remark_between {
            message.phase = Some("final_answer");
        }
        let mut speech = Speech {
            server,
            script: &part.script,
            start,
            late: self.reading() + if part.has_fault(Fault::SlowFirstToken) { LATE } else { Duration::ZERO },
            ends_midway: match () {
                () if part.has_fault(Fault::CloseMidStream) => Some(Outgoing::Close(1011)),
                () if part.has_fault(Fault::Cut) => Some(Outgoing::Cut),
                () => None,
            },
            hangs_midway: part.has_fault(Fault::HangMidStream),
            remark: has_remark_between.then(|| Message {
                id: server.next_id("msg"),
                index: 1,
                phase: Some("commentary"),
            }),
            remarked: None,
            is_late_tail: part.says_on_socket(Fault::LateEvents),
        };
        output.push(speech.speak(&mut self.emitter, &message, pieces, status).await?);
        output.extend(speech.remarked.take());
        Ok(output)
    }
}

/// A whole response that was not asked for: it repeats nothing of the request.
async fn stray(server: &Server, emitter: &mut Emitter<'_>, head: &Head<'_>) -> Result<(), Gone> {
    let object = |id: &str, status: &str, output: &[Value]| {
        let mut object = head.object(status, output, None);
        object.insert("id".into(), id.into());
        object.insert("metadata".into(), json!({}));
        object
    };
    let (id, message) =
        (server.next_id("resp"), Message { id: server.next_id("msg"), index: 0, phase: None });
    let created = object(&id, "in_progress", &[]);
    emitter.send("response.created", json!({"response": created})).await?;
    let item = message.say(emitter, "stray();").await?;
    let completed = object(&id, "completed", &[item]);
    emitter.send("response.completed", json!({"response": completed})).await
}

/// How much later a slow first token is.
const LATE: Duration = Duration::from_secs(5);

/// What the engine reads: everything that was told to it, one item after the other.
fn told(items: &[Item]) -> String {
    let mut told = String::new();
    for item in items.iter().filter(|item| item.role == Role::Told) {
        // A text that ends its last line is followed by the next as it is: together they may be one text in
        // two parts.
        if !told.is_empty() && !told.ends_with('\n') {
            told.push('\n');
        }
        told.push_str(&item.text);
    }
    told
}

/// What is counted as input: instructions and both sides of the conversation.
fn whole_prompt(create: &Create, items: &[Item]) -> String {
    let texts = items.iter().map(|item| item.text.as_str());
    [create.instructions.as_str()].into_iter().chain(texts).collect::<Vec<_>>().join("\n")
}

/// The bytes of the whole prompt up to its last breakpoint.
fn last_breakpoint(create: &Create, items: &[Item]) -> Option<usize> {
    let mut start = create.instructions.len() + 1;
    let mut last = None;
    for item in items {
        last = item.breakpoint.map(|at| start + at).or(last);
        start += item.text.len() + 1;
    }
    last
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

fn usage(prompt: PromptTokens, output: usize) -> Value {
    json!({
        "input_tokens": prompt.total,
        "input_tokens_details": {"cached_tokens": prompt.cached, "cache_write_tokens": prompt.written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt.total + output,
    })
}

/// The part of the response object that stays the same throughout.
struct Head<'a> {
    id: String,
    created_at: u64,
    create: &'a Create,
    /// The model that is said to serve.
    model: &'a str,
    lower_tier: bool,
}

impl Head<'_> {
    fn object(&self, status: &str, output: &[Value], usage: Option<Value>) -> Map<String, Value> {
        let mut object = self.create.echoed.clone();
        let reason = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
        let fields = [
            ("id", json!(self.id)),
            ("object", json!("response")),
            ("created_at", json!(self.created_at)),
            ("status", json!(status)),
            ("background", json!(false)),
            ("error", Value::Null),
            ("incomplete_details", json!(reason)),
            ("model", json!(self.model)),
            ("output", json!(output)),
            ("usage", json!(usage)),
        ];
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
        if self.lower_tier {
            object.insert("service_tier".into(), "default".into());
        }
        object
    }
}

struct Capped {
    pieces: Vec<Piece>,
    truncated: bool,
}

fn pieces(reply: Reply) -> Vec<Piece> {
    match reply {
        Reply::Text(text) => {
            tokens::split(&text).map(|token| Piece { text: token.to_owned(), tokens: 1 }).collect()
        }
        Reply::Deltas(deltas) => {
            deltas.into_iter().map(|text| Piece { tokens: tokens::count(&text), text }).collect()
        }
    }
}

/// Cuts a reply off where the cap on output tokens is reached.
fn cap(pieces: Vec<Piece>, most: Option<usize>) -> Capped {
    let mut left = most.unwrap_or(usize::MAX);
    let mut kept = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if piece.tokens > left {
            if left > 0 {
                let text = tokens::split(&piece.text).take(left).collect();
                kept.push(Piece { text, tokens: left });
            }
            return Capped { pieces: kept, truncated: true };
        }
        left -= piece.tokens;
        kept.push(piece);
    }
    Capped { pieces: kept, truncated: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_cuts_between_tokens() {
        let check = |reply: Reply, most: usize, expected: &str, truncated: bool| {
            let capped = cap(pieces(reply), Some(most));
            assert_eq!((joined(&capped.pieces).as_str(), capped.truncated), (expected, truncated));
            assert!(capped.pieces.iter().map(|piece| piece.tokens).sum::<usize>() <= most);
        };
        let text = || Reply::Text("let a = 1;".into());
        check(text(), 9, "let a = 1;", false);
        check(text(), 5, "let a = 1;", false);
        check(text(), 4, "let a = 1", true);
        let deltas = || Reply::Deltas(vec!["let a".into(), " = 1;".into()]);
        check(deltas(), 3, "let a =", true);
        check(deltas(), 2, "let a", true);
        check(deltas(), 5, "let a = 1;", false);
    }
}
