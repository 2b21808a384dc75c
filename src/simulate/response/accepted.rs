//! A validated request with its faults and its scripted reply.

use crate::local;
use crate::simulate::{
    ANOTHER_MODEL, Fault, Server, engine,
    fault::Shape,
    request::{Create, Item, Refusal, Role},
    script::{Reply, Scripted},
};

/// A validated request with its faults and its scripted reply.
pub(in crate::simulate) struct AcceptedRequest {
    pub(in crate::simulate) create: Create,
    /// Whether the request was sent over HTTP.
    pub(in crate::simulate) is_http: bool,
    /// Whether responses of its dialect consist of several items.
    pub(in crate::simulate) has_items: bool,
    /// The model that serves the request.
    model: String,
    pub(super) items: Vec<Item>,
    told: String,
    pub(super) script: Scripted,
    faults: Vec<Fault>,
}

impl AcceptedRequest {
    /// Accepts a request. `earlier` are the items of the response that it continues from.
    pub(in crate::simulate) fn new(server: &Server, create: Create, earlier: &[Item]) -> Self {
        let items = [earlier, &create.input].concat();
        let told = told(&items);
        let is_said =
            create.generate.then(|| server.script.reply_to(&format!("{}\n{told}", create.instructions)));
        let script = is_said.flatten().unwrap_or_default();
        let faults = server.faults().into_iter().chain(script.fault).collect();
        let model = server.options.serve_as.clone().unwrap_or_else(|| create.model.clone());
        Self { create, is_http: false, has_items: true, model, items, told, script, faults }
    }

    pub(in crate::simulate) fn has_fault(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Whether the fault applies and the request generates output.
    pub(super) fn affects_output(&self, fault: Fault) -> bool {
        self.create.generate && self.has_fault(fault)
    }

    /// Like [`Self::affects_output`], for faults that need the WebSocket.
    pub(super) fn affects_socket_output(&self, fault: Fault) -> bool {
        self.affects_output(fault) && !self.is_http
    }

    /// The refusal that a fault demands, and its form.
    pub(in crate::simulate) fn refusal(&self) -> Option<(Refusal, Shape)> {
        let strikes = |fault: &Fault| match fault {
            Fault::UnsupportedField => self.create.has_cache_key,
            Fault::UnsupportedValue => self.create.echoed.get("service_tier").is_some_and(|it| it == "fast"),
            Fault::PreviousNotFound => self.create.previous_response_id.is_some(),
            _ => self.create.generate,
        };
        self.faults.iter().filter(|fault| strikes(fault)).find_map(|fault| fault.request_refusal())
    }

    /// The model that the response names.
    pub(in crate::simulate) fn model(&self) -> &str {
        if self.has_fault(Fault::RerouteModel) { ANOTHER_MODEL } else { &self.model }
    }

    /// The reply: from the script, or else from the engine.
    pub(super) fn reply(&self) -> Reply {
        if let Some(reply) = &self.script.reply {
            return reply.clone();
        }
        let prompt = self.create.fim.as_ref().map_or(&self.told, |(before, _)| before);
        if let Some(edited) = engine::edited(prompt) {
            return Reply::Text(edited);
        }
        Reply::Text(match &self.create.fim {
            // A fill-in-the-middle model answers with no text if there is nothing to insert.
            Some((before, after)) => local::complete(before, after).unwrap_or_default(),
            None => engine::answer(&self.create.instructions, &self.told),
        })
    }

    /// The text that counts as input: the instructions and both sides of the conversation.
    pub(super) fn whole_prompt(&self) -> String {
        let texts = self.items.iter().map(|item| item.text.as_str());
        [self.create.instructions.as_str()].into_iter().chain(texts).collect::<Vec<_>>().join("\n")
    }

    /// The length in bytes of the whole prompt up to its last breakpoint.
    pub(super) fn last_breakpoint(&self) -> Option<usize> {
        let mut start = self.create.instructions.len() + 1;
        let mut last = None;
        for item in &self.items {
            last = item.breakpoint.map(|at| start + at).or(last);
            start += item.text.len() + 1;
        }
        last
    }
}

/// The input of the engine: the text of all items except the model's own.
fn told(items: &[Item]) -> String {
    let mut told = String::new();
    for item in items.iter().filter(|item| item.role == Role::Input) {
        // After a final line end the next text follows directly: both may be parts of one text.
        if !told.is_empty() && !told.ends_with('\n') {
            told.push('\n');
        }
        told.push_str(&item.text);
    }
    told
}
