//! One response, from its first event to its last.

mod accepted;
mod cap;
mod head;

use std::{future::pending, time::Duration};

use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, time::Instant};

use super::{
    ANOTHER_MODEL, Fault, Server,
    bill::Bill,
    event::{Emitter, Gone, Outgoing},
    fault::Shape,
    prompt_cache::PromptTokens,
    request::{Item, Refusal, Role},
    speech::{Message, Piece, REMARK, Speech, end_older, joined},
};
use cap::{cap, pieces};
use head::{Head, unix_now, usage};

pub(super) use accepted::AcceptedRequest;

/// The extra delay of a slow first token.
const LATE: Duration = Duration::from_secs(5);

/// A finished response, which later requests may continue from.
pub(super) struct Ended {
    pub(super) id: String,
    /// The whole conversation so far, which a continuing request extends.
    pub(super) items: Vec<Item>,
}

/// Answers one request.
pub(super) async fn run(
    server: &Server,
    accepted: &AcceptedRequest,
    lane: Option<&str>,
    out: &mpsc::Sender<Outgoing>,
) -> Result<Ended, Gone> {
    let start = Instant::now();
    let running = accepted.create.generate.then(|| server.stats.run());
    let mut emitter = Emitter::new(out, lane);
    end_first(accepted, &mut emitter).await?;
    let is_small = server.emulates_llama_cpp();
    let _turn = if is_small { Some(server.turn.lock().await) } else { None };
    let start = if is_small { Instant::now() } else { start };
    let (key, whole) = (&accepted.create.prompt_cache_key, accepted.whole_prompt());
    let prompt = match (server.options.breakpoints, accepted.create.caches_on_demand) {
        // Of the other dialects only the Messages API has breakpoints, and has them always.
        (is_newer, true) if is_newer || !accepted.has_items => {
            server.cache.lock().read_to(key, &whole, accepted.last_breakpoint())
        }
        (true, _) => server.cache.lock().read_to(key, &whole, Some(whole.len())),
        (false, _) => server.cache.lock().read(key, &whole, is_small),
    };
    server.stats.counters().cache_write_tokens += prompt.written as u64;
    server.stats.counters().input_tokens += prompt.total as u64;
    server.stats.counters().cached_tokens += prompt.cached as u64;
    let head = Head {
        id: server.next_id("resp"),
        created_at: unix_now(),
        create: &accepted.create,
        model: accepted.model(),
        lower_tier: accepted.has_fault(Fault::LowerTier),
    };
    let mut run = Run { server, accepted, emitter, head, prompt };
    run.precede().await?;
    // Some of the other dialects report the input at the beginning.
    let read = (!accepted.has_items).then(|| usage(prompt, 0));
    run.emitter
        .send("response.created", json!({"response": run.head.object("in_progress", &[], read)}))
        .await?;
    let said = if let Some((refusal, Shape::Failed)) = accepted.refusal() {
        run.fail(&refusal).await?;
        None
    } else {
        run.answer(start).await?
    };
    if let Some(running) = running {
        running.complete();
    }
    if said.is_some() {
        run.follow().await?;
    }
    let mut items = accepted.items.clone();
    items.extend(said.map(|text| Item { role: Role::Assistant, text, breakpoint: None }));
    Ok(Ended { id: run.head.id, items })
}

/// Hangs, or ends the connection, if a fault demands it before the first event.
async fn end_first(accepted: &AcceptedRequest, emitter: &mut Emitter<'_>) -> Result<(), Gone> {
    if accepted.affects_output(Fault::Hang) {
        pending::<()>().await;
    }
    let first = [
        (accepted.affects_output(Fault::CloseFirst), Outgoing::Close(1011)),
        // HTTP has no frames that could be too large.
        (accepted.affects_socket_output(Fault::CloseTooLarge), Outgoing::Close(1009)),
        (accepted.affects_output(Fault::CutFirst), Outgoing::Cut),
    ];
    for (strikes, end) in first {
        if strikes {
            emitter.end(end).await?;
            return Err(Gone);
        }
    }
    Ok(())
}

/// A response that is being sent.
struct Run<'a> {
    server: &'a Server,
    accepted: &'a AcceptedRequest,
    emitter: Emitter<'a>,
    head: Head<'a>,
    prompt: PromptTokens,
}

impl Run<'_> {
    /// Sends the events that faults place before the response.
    async fn precede(&mut self) -> Result<(), Gone> {
        let (server, accepted, emitter) = (self.server, self.accepted, &mut self.emitter);
        if accepted.has_fault(Fault::UnknownEvents) {
            emitter.send("codex.rate_limits", json!({"rate_limits": {"allowed": true}})).await?;
        }
        if accepted.has_fault(Fault::QuotaEvent) {
            let window = json!({"used_percent": 100, "window_minutes": 300, "reset_at": unix_now() + 600});
            let limits =
                json!({"allowed": true, "limit_reached": true, "primary": window, "secondary": null});
            emitter.send("codex.rate_limits", json!({"plan_type": "plus", "rate_limits": limits})).await?;
        }
        if accepted.has_fault(Fault::RerouteEvent) {
            let headers = json!({"OpenAI-Model": ANOTHER_MODEL});
            emitter.send("codex.response.metadata", json!({"headers": headers})).await?;
        }
        if accepted.affects_socket_output(Fault::StrayResponseBefore) {
            stray(server, emitter, &self.head).await?;
        }
        if accepted.affects_socket_output(Fault::LateEvents) {
            let older = Message { id: server.next_id("msg"), index: 0, phase: None };
            emitter.send("response.output_text.delta", older.at(json!({"delta": "older();"}))).await?;
            end_older(emitter).await?;
        }
        Ok(())
    }

    /// Sends the events that faults place after the response.
    async fn follow(&mut self) -> Result<(), Gone> {
        if self.accepted.affects_socket_output(Fault::StrayResponseAfter) {
            stray(self.server, &mut self.emitter, &self.head).await?;
        }
        if self.accepted.affects_socket_output(Fault::CloseAfter) {
            self.emitter.end(Outgoing::Close(1001)).await?;
        }
        Ok(())
    }

    async fn fail(&mut self, refusal: &Refusal) -> Result<(), Gone> {
        let mut response = self.head.object("failed", &[], None);
        response.insert("error".into(), json!({"code": refusal.code, "message": refusal.message}));
        self.emitter.send("response.failed", json!({"response": response})).await
    }

    /// Sends the events after `response.created`; returns the text of the answer, or `None` for a warm-up.
    async fn answer(&mut self, start: Instant) -> Result<Option<String>, Gone> {
        let in_progress = json!({"response": self.head.object("in_progress", &[], None)});
        self.emitter.send("response.in_progress", in_progress).await?;
        if self.accepted.has_fault(Fault::UnknownEvents) {
            self.emitter.send("vendor.unheard_of", json!({"payload": [1, 2, 3]})).await?;
        }
        if !self.accepted.create.generate {
            let response = self.head.object("completed", &[], Some(usage(self.prompt, 0)));
            self.bill(&response, 0);
            self.emitter.send("response.completed", json!({"response": response})).await?;
            return Ok(None);
        }
        let reply = cap(pieces(self.accepted.reply()), self.accepted.create.max_output_tokens);
        let (status, kind) = match reply.truncated {
            true => ("incomplete", "response.incomplete"),
            false => ("completed", "response.completed"),
        };
        let output = self.speak(start, &reply.pieces, status).await?;
        let spoken = reply.pieces.iter().map(|piece| piece.tokens).sum();
        let mut response = self.head.object(status, &output, Some(usage(self.prompt, spoken)));
        if self.server.emulates_llama_cpp() {
            response.insert("timings".into(), self.timings(start, spoken));
        }
        self.bill(&response, spoken);
        self.emitter.send(kind, json!({"response": response})).await?;
        Ok(Some(joined(&reply.pieces)))
    }

    /// Adds the cost of the response to the statistics.
    fn bill(&self, response: &Map<String, Value>, output: usize) {
        let bill = Bill {
            input: self.prompt.total,
            cached: self.prompt.cached,
            written: self.prompt.written,
            output,
            tier: response.get("service_tier").and_then(Value::as_str).unwrap_or_default(),
            is_retained: self.accepted.create.is_retained,
        };
        let nanodollars = (bill.dollars(&self.server.options.rates) * 1e9).round() as u64;
        self.server.stats.counters().nanodollars += nanodollars;
    }

    /// The `timings` object of llama.cpp.
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

    /// The simulated time to read the tokens of the prompt that are not cached.
    fn reading(&self) -> Duration {
        let fresh = (self.prompt.total - self.prompt.cached) as f64;
        match self.server.options.reads_per_second {
            0 => Duration::ZERO,
            rate => Duration::from_secs_f64(fresh / f64::from(rate)),
        }
    }

    /// Sends the messages of the response, including the remark that a fault may add to the answer.
    async fn speak(&mut self, start: Instant, pieces: &[Piece], status: &str) -> Result<Vec<Value>, Gone> {
        let (server, accepted) = (self.server, self.accepted);
        let mut message = Message { id: server.next_id("msg"), index: 0, phase: None };
        let mut output = Vec::new();
        let remark_phase = match () {
            () if !accepted.has_items => None,
            () if accepted.affects_output(Fault::Commentary) => Some(Some("commentary")),
            () if accepted.affects_output(Fault::TwoMessages) => Some(None),
            () => None,
        };
        if let Some(phase) = remark_phase {
            let remark = Message { id: server.next_id("msg"), index: 0, phase };
            output.push(remark.say(&mut self.emitter, REMARK).await?);
            message.index = 1;
            message.phase = phase.map(|_| "final_answer");
        }
        let has_remark_between = accepted.has_items && accepted.affects_output(Fault::CommentaryBetween);
        if has_remark_between {
            message.phase = Some("final_answer");
        }
        let mut speech = Speech {
            server,
            script: &accepted.script,
            start,
            late: self.reading()
                + if accepted.has_fault(Fault::SlowFirstToken) { LATE } else { Duration::ZERO },
            ends_midway: match () {
                () if accepted.has_fault(Fault::CloseMidStream) => Some(Outgoing::Close(1011)),
                () if accepted.has_fault(Fault::Cut) => Some(Outgoing::Cut),
                () => None,
            },
            hangs_midway: accepted.has_fault(Fault::HangMidStream),
            remark: has_remark_between.then(|| Message {
                id: server.next_id("msg"),
                index: 1,
                phase: Some("commentary"),
            }),
            remarked: None,
            is_late_tail: accepted.affects_socket_output(Fault::LateEvents),
        };
        output.push(speech.speak(&mut self.emitter, &message, pieces, status).await?);
        output.extend(speech.remarked.take());
        Ok(output)
    }
}

/// Sends a complete response that was not requested. It does not echo the request's metadata.
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
