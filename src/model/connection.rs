//! The task that owns one socket: writes frames and passes on the replies.
//!
//! Between calls it keeps reading, so that pings are answered and a close is noticed at once
//! ([keeping sockets](super#keeping-sockets)).

mod failures;
mod upkeep;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{Error as WsError, Message};

use super::ModelError;
use super::attempt::Failure;
use super::base_response::{self, BaseResponses};
use super::connect::Socket;
use super::dialect::event::{self, Event, Frame};
use super::dialect::responses::{self, Part};
use super::endpoint::EndpointContext;
use super::exchange::{Call, EventOutcome, Exchange};
use super::fields::Field;
use super::limits::{DRAIN_TIME, LANE_NAMES, PROOF_OF_LIFE};
use super::pool::SocketId;
use super::sockets::{Lanes, SharedSockets};
use crate::config::Known;
use crate::text::random::{random_id, random_share};

/// Why a socket is closed.
enum End {
    /// The socket was in use, or will be: another one replaces it.
    Replace,
    /// The socket is not needed.
    Close,
}

struct Connection<'a> {
    shared: &'a Arc<SharedSockets>,
    context: Arc<EndpointContext>,
    id: SocketId,
    socket: Socket,
    /// The number of the token that the socket was opened with, and updates about later tokens.
    token: Option<(u64, watch::Receiver<Known>)>,
    /// The model that the server named in the handshake.
    served: Option<String>,
    exchanges: Vec<Exchange>,
    bases: BaseResponses,
    /// Calls that could not be made on this socket.
    left: Vec<Call>,
    heard_at: (Instant, SystemTime),
    pinged_at: Option<Instant>,
    looked_at: Instant,
    rotate_at: Instant,
    ages: bool,
}

/// Serves calls until the socket is gone.
///
/// Returns the queue of calls, whether another socket is to replace this one, and the calls that could not be made.
pub(super) async fn run(
    shared: &Arc<SharedSockets>,
    id: SocketId,
    (socket, token): (Socket, Option<u64>),
    served: Option<String>,
    mut calls: mpsc::UnboundedReceiver<Call>,
) -> (mpsc::UnboundedReceiver<Call>, bool, Vec<Call>) {
    let now = Instant::now();
    let (least, most) = shared.context.timing.rotate;
    let life = least + most.saturating_sub(least).mul_f64(random_share());
    let mut connection = Connection {
        shared,
        context: Arc::clone(&shared.context),
        id,
        socket,
        token: shared.context.endpoint.token.as_ref().zip(token).map(|(it, number)| (number, it.subscribe())),
        served,
        exchanges: Vec::new(),
        bases: BaseResponses::default(),
        left: Vec::new(),
        heard_at: (now, (shared.context.timing.wall)()),
        pinged_at: None,
        looked_at: now,
        rotate_at: now + life,
        ages: false,
    };
    let end = connection.serve(&mut calls).await;
    for exchange in &mut connection.exchanges {
        exchange.fail(Failure::closed(&connection.context.endpoint), &connection.context);
    }
    let replace = match end {
        End::Replace => true,
        End::Close => {
            // A clean close, if possible at once.
            let closed = timeout(PROOF_OF_LIFE, connection.socket.close(None)).await;
            tracing::trace!(id, closed = closed.is_ok(), "closed");
            false
        }
    };
    (calls, replace, connection.left)
}

impl Connection<'_> {
    async fn serve(&mut self, calls: &mut mpsc::UnboundedReceiver<Call>) -> End {
        loop {
            let wake = self.next_wake();
            let (socket, exchanges, token) = (&mut self.socket, &mut self.exchanges, &mut self.token);
            let end = tokio::select! {
                biased;
                // Before the next call is made here, since this may close the socket.
                index = unwanted(exchanges) => self.let_go(index),
                call = calls.recv() => match call {
                    Some(call) => self.begin(call).await,
                    // The model was dropped.
                    None => Err(End::Close),
                },
                message = socket.next() => self.read(message).await,
                () = has_later_token(token), if !self.ages => {
                    tracing::debug!(id = self.id, "opened with an older token");
                    self.age();
                    Ok(())
                }
                () = sleep_until(wake) => self.look().await,
            };
            if let Err(end) = end {
                return end;
            }
        }
    }

    /// Makes a call, unless it was abandoned or withdrawn.
    async fn begin(&mut self, call: Call) -> Result<(), End> {
        if call.is_unwanted() || !call.send_state.send() {
            self.shared.state.lock().answered(self.id);
            return Ok(());
        }
        if self.exchanges.is_empty() && self.is_stale() && !self.lives().await {
            tracing::debug!(id = self.id, "a dead socket");
            call.send_state.again();
            self.left.push(call);
            return Err(End::Replace);
        }
        self.send(call, true).await
    }

    /// Writes a call's frame: the whole request, or only what a base response lacks.
    async fn send(&mut self, mut call: Call, may_fork: bool) -> Result<(), End> {
        let (lanes, no_bases) = {
            let state = self.shared.state.lock();
            (state.lanes, state.no_bases)
        };
        let lane = match lanes {
            Lanes::None => None,
            // The refusal of a lane must not be mistaken for the refusal of a warm-up.
            _ if call.is_warm_up || !self.context.fields.takes(Field::StreamId) => None,
            Lanes::Unknown | Lanes::Work => self.free_lane(),
        };
        let bases = lanes == Lanes::Work && lane.is_some() && !no_bases && may_fork;
        let key = self.bases.key(&call.request).filter(|_| bases);
        let id = key.and_then(|key| self.bases.find(key));
        let part = match id.as_deref() {
            Some(id) => Part::Fork(id),
            None if call.is_warm_up => Part::WarmUp,
            None => Part::Whole,
        };
        let (endpoint, fields) = (&self.context.endpoint, &self.context.fields);
        let nonce = fields.takes(Field::Metadata).then(random_id);
        let made = responses::frame(endpoint, fields, &call.request, lane.as_deref(), part, nonce.as_deref());
        let silence = self.context.timing.silence(&call.request);
        let base = key.filter(|_| id.is_some());
        let deadline = Instant::now() + silence;
        let frame = match made {
            Ok(frame) => frame,
            Err(refusal) => {
                let mut exchange = Exchange::new(call, lane, base, deadline, None, nonce);
                let error = ModelError::refused(endpoint, refusal);
                exchange.fail(Failure::of_request(error), &self.context);
                self.shared.state.lock().answered(self.id);
                return Ok(());
            }
        };
        call.bytes_up += frame.len() as u64;
        let saved = self.socket.get_ref().saved();
        // A base is made when its beginning is seen a second time, so that no base is made in vain.
        let wants_base = key.filter(|key| id.is_none() && self.bases.is_worth(*key));
        let new_base = wants_base.and_then(|key| {
            let lane = self.bases.begin(key);
            let made = responses::frame(endpoint, fields, &call.request, Some(&lane), Part::Base, None);
            made.map_err(|refusal| tracing::debug!(kind = ?refusal.kind, "no base")).ok()
        });
        self.exchanges.push(Exchange::new(call, lane, base, deadline, self.served.as_ref(), nonce));
        self.write(Message::text(frame), silence).await?;
        let saved = self.socket.get_ref().saved() - saved;
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.call.bytes_up -= saved;
        }
        if let Some(frame) = new_base {
            let (length, saved) = (frame.len() as u64, self.socket.get_ref().saved());
            self.write(Message::text(frame), silence).await?;
            self.bases.sent(length - (self.socket.get_ref().saved() - saved));
        }
        Ok(())
    }

    async fn write(&mut self, message: Message, within: Duration) -> Result<(), End> {
        match timeout(within, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(self.broken(Some(&error))),
            Err(_) => Err(End::Replace),
        }
    }

    /// A lane without a pending request.
    fn free_lane(&self) -> Option<String> {
        let mut names = (0..LANE_NAMES).map(|number| format!("ask-{number}"));
        names.find(|name| self.exchanges.iter().all(|exchange| exchange.lane.as_deref() != Some(name)))
    }

    /// Handles a message from the server.
    async fn read(&mut self, message: Option<Result<Message, WsError>>) -> Result<(), End> {
        self.heard_at = (Instant::now(), (self.context.timing.wall)());
        self.pinged_at = None;
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Pings are answered by reading.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_))) => {
                return Ok(());
            }
            Some(Ok(Message::Close(frame))) => return Err(self.closed(frame.as_ref())),
            Some(Err(error)) => return Err(self.broken(Some(&error))),
            None => return Err(self.broken(None)),
        };
        let frame = match event::read(&text) {
            Ok(frame) => frame,
            Err(error) => {
                tracing::debug!(%error, bytes = text.len(), "a frame that is no event");
                return Ok(());
            }
        };
        if frame.lane.as_ref().is_some_and(|lane| self.bases.is_lane(lane)) {
            self.take_base(frame);
            return Ok(());
        }
        let of_lane = self.exchanges.iter().position(|exchange| exchange.lane == frame.lane);
        let index = match of_lane {
            Some(index) => index,
            // A server without support for lanes answers without them.
            None if frame.lane.is_none() && self.exchanges.len() == 1 => 0,
            None => return self.unasked(frame),
        };
        let exchange = &mut self.exchanges[index];
        exchange.deadline = match exchange.wanted && !exchange.is_settling() {
            true => self.heard_at.0 + self.context.timing.silence(&exchange.call.request),
            false => exchange.deadline,
        };
        if matches!(frame.event, Event::Created { .. }) && exchange.lane.is_some() {
            let lanes = if frame.lane.is_some() { Lanes::Work } else { Lanes::None };
            self.shared.learn_lanes(lanes);
            exchange.lane.clone_from(&frame.lane);
        }
        match exchange.take(frame, &self.context) {
            EventOutcome::GoesOn => Ok(()),
            EventOutcome::Ended => {
                self.ended(index);
                Ok(())
            }
            EventOutcome::Failed(refusal) => self.fail(index, refusal).await,
        }
    }

    /// Removes an exchange whose answer is complete.
    fn ended(&mut self, index: usize) {
        let exchange = self.exchanges.swap_remove(index);
        let mut state = self.shared.state.lock();
        if !exchange.call.is_warm_up {
            state.drain_policy.ended(exchange.tokens, exchange.wanted, true);
        }
        state.answered(self.id);
    }

    /// Handles an event that belongs to no pending request.
    ///
    /// It is the tail of an older response, a failure of the connection, or an unrequested
    /// response. After an unrequested response, the order of events is no longer reliable.
    fn unasked(&mut self, frame: Frame) -> Result<(), End> {
        match frame.event {
            Event::Failed(refusal) if frame.lane.is_none() => self.fail_all(&refusal),
            Event::Created { .. } => {
                tracing::info!(id = self.id, "a response that was not asked for");
                self.shared.on_unrequested_response();
                if self.exchanges.iter().any(|exchange| exchange.wanted) {
                    self.age();
                    return Ok(());
                }
                Err(End::Replace)
            }
            _ => {
                tracing::debug!(id = self.id, "an event of no response that is being read");
                Ok(())
            }
        }
    }

    /// Marks the socket to be replaced by another one as soon as no request is pending on it.
    fn age(&mut self) {
        self.ages = true;
        let mut state = self.shared.state.lock();
        state.pool.ages(self.id);
        self.shared.connect_if_wanted(&mut state);
    }

    fn take_base(&mut self, frame: Frame) {
        let lane = frame.lane.unwrap_or_default();
        match frame.event {
            Event::Completed { usage, .. } => {
                if let Some(usage) = self.bases.made(&lane, frame.response, usage) {
                    self.context.tell(super::WireEvent::Abandoned {
                        asker: 0,
                        job: base_response::JOB,
                        usage,
                    });
                }
            }
            Event::Failed(refusal) => {
                // Its message may quote the request.
                tracing::debug!(id = self.id, kind = ?refusal.kind, "no base response");
                self.bases.failed(&lane);
                self.shared.state.lock().no_bases = true;
            }
            _ => {}
        }
    }

    /// Drains an abandoned answer, or closes the socket.
    fn let_go(&mut self, index: usize) -> Result<(), End> {
        let now = Instant::now();
        let exchange = &mut self.exchanges[index];
        exchange.wanted = false;
        exchange.deadline = now + DRAIN_TIME;
        let (seen, most) = (exchange.tokens, exchange.call.request.max_output_tokens);
        let is_alone = self.exchanges.iter().all(|exchange| !exchange.wanted);
        let mut state = self.shared.state.lock();
        if is_alone && !state.drain_policy.reads_on(seen, most, now) {
            return Err(End::Replace);
        }
        Ok(())
    }
}

/// Waits for a later token than the one that the socket was opened with.
async fn has_later_token(token: &mut Option<(u64, watch::Receiver<Known>)>) {
    if let Some((number, changes)) = token
        && changes.wait_for(|it| it.issued.as_ref().is_some_and(|it| it.number > *number)).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Waits until an exchange is abandoned and returns its index.
async fn unwanted(exchanges: &mut [Exchange]) -> usize {
    poll_fn(|context| {
        for (index, exchange) in exchanges.iter_mut().enumerate() {
            if exchange.wanted && Pin::new(&mut exchange.call.unwanted).poll(context).is_ready() {
                return Poll::Ready(index);
            }
        }
        Poll::Pending
    })
    .await
}
