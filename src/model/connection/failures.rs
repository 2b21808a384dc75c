//! The consequences of a failure, for one request or for the socket with all its requests.
//!
//! A request may be repeated with less in it on the same socket. [`End`] means that the socket is closed.

use std::sync::Arc;

use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::{Connection, End, Exchange};
use crate::deflate::Violation;
use crate::model::ModelError;
use crate::model::attempt::Failure;
use crate::model::error_kind::{ErrorKind, Refusal};
use crate::model::fields::{Fewer, Field};
use crate::model::recovery::drops_socket;
use crate::model::sockets::Lanes;
use crate::model::token;

impl Connection<'_> {
    /// Handles the failure of a request.
    ///
    /// Repeats the request on this socket if a smaller one may succeed; otherwise passes the failure on.
    pub(super) async fn fail(&mut self, index: usize, refusal: Refusal) -> Result<(), End> {
        let mut exchange = self.exchanges.swap_remove(index);
        if let Some(key) = exchange.base {
            // A request that fails also loses the base that it named.
            let is_useless = self.bases.forget(key, refusal.kind == ErrorKind::PreviousNotFound);
            self.shared.state.lock().no_bases |= is_useless;
        }
        if exchange.wanted
            && exchange.tokens == 0
            && (self.asks_for_fewer(&mut exchange, &refusal) || self.can_retry_reduced(&exchange, &refusal))
        {
            return self.send(exchange.call, false).await;
        }
        let kind = refusal.kind;
        let token =
            self.token.as_ref().map(|(number, _)| *number).filter(|_| kind == ErrorKind::Unauthorized);
        token::refused(&self.context.endpoint, token);
        let is_left = drops_socket(kind) || token.is_some();
        // A failure in one lane does not affect the others: their answers may still complete.
        let is_shared = self.exchanges.iter().any(|exchange| exchange.wanted);
        // Before the request is repeated: the other sockets were opened with the same token.
        if kind == ErrorKind::ConnectionLimit || token.is_some() {
            self.shared.expire();
        }
        if is_left && is_shared {
            self.age();
        }
        let error = ModelError::refused(&self.context.endpoint, refusal);
        self.shared.state.lock().drain_policy.ended(exchange.tokens, exchange.wanted, false);
        exchange.fail(Failure::of_request(error), &self.context);
        if is_left && !is_shared {
            return Err(End::Replace);
        }
        self.shared.state.lock().answered(self.id);
        Ok(())
    }

    /// Lowers a request's output tokens if the refusal asks for that. Returns whether to repeat the request.
    fn asks_for_fewer(&self, exchange: &mut Exchange, refusal: &Refusal) -> bool {
        if !refusal.may_be_of_output() {
            return false;
        }
        let (param, request) = (refusal.param.as_deref(), &mut exchange.call.request);
        let tokens = request.max_output_tokens;
        let fewer = self.context.fields.learn_output(param, &refusal.message, tokens);
        if let Some(Fewer::Here(tokens)) = fewer {
            *request = Arc::new(request.with_output(tokens));
        }
        fewer.is_some()
    }

    /// Whether the same request may succeed on this socket once something is left out of it.
    fn can_retry_reduced(&self, exchange: &Exchange, refusal: &Refusal) -> bool {
        match refusal.kind {
            ErrorKind::PreviousNotFound => exchange.base.is_some(),
            ErrorKind::UnsupportedField | ErrorKind::Invalid => {
                let is_first_lane =
                    exchange.lane.is_some() && self.shared.state.lock().lanes == Lanes::Unknown;
                let learned = self.context.fields.learn(refusal.param.as_deref(), &refusal.message);
                if learned == Some(Field::StreamId) || (is_first_lane && learned.is_none()) {
                    self.shared.learn_lanes(Lanes::None);
                    return true;
                }
                learned.is_some()
            }
            _ => false,
        }
    }

    /// Handles a failure of the connection itself, which fails every request on it.
    pub(super) fn fail_all(&mut self, refusal: &Refusal) -> Result<(), End> {
        if self.exchanges.is_empty() {
            // Either a repeated failure, or the reason why the socket is about to be closed.
            tracing::debug!(id = self.id, kind = ?refusal.kind, "a failure of no request");
            return Ok(());
        }
        for exchange in &mut self.exchanges {
            let error = ModelError::refused(&self.context.endpoint, refusal.clone());
            exchange.fail(Failure::of_request(error), &self.context);
        }
        self.exchanges.clear();
        Err(End::Replace)
    }

    /// Handles a close of the socket by the server.
    pub(super) fn closed(&mut self, frame: Option<&CloseFrame>) -> End {
        if let Some(frame) = frame.filter(|frame| frame.code == CloseCode::Size) {
            for exchange in &mut self.exchanges {
                let message = format!("the request is too large for a socket {}", frame.reason);
                let refusal = Refusal::of(ErrorKind::TooLarge, message);
                let error = ModelError::refused(&self.context.endpoint, refusal);
                exchange.fail(Failure::of_request(error), &self.context);
            }
        }
        self.broken(None)
    }

    /// Handles the loss of the connection and fails its requests.
    ///
    /// An idle socket is reopened when it is needed. A socket that was lost while in use is
    /// replaced at once, so that the next keystroke does not wait for a handshake.
    pub(super) fn broken(&mut self, error: Option<&WsError>) -> End {
        if let Some(error) = error {
            tracing::debug!(id = self.id, %error, "a socket broke");
            if let WsError::Io(error) = error
                && let Some(violation) = Violation::of(error)
            {
                self.context.give_up_deflate(violation);
            }
        }
        let was_idle = self.exchanges.is_empty();
        for exchange in &mut self.exchanges {
            exchange.fail(Failure::closed(&self.context.endpoint), &self.context);
        }
        self.exchanges.clear();
        if was_idle { End::Close } else { End::Replace }
    }
}
