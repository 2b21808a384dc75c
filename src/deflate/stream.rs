//! Both directions around a stream.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::inbound::Inbound;
use super::outbound::Outbound;
use super::{Side, Terms};

/// Bytes read at a time.
const CHUNK_BYTES: usize = 16 << 10;
/// What ends the head of an HTTP message.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// A longer head is no business of ours, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// A stream below a WebSocket. It passes on all bytes as they are until
/// [`Deflated::begin`].
#[derive(Debug)]
pub struct Deflated<S> {
    stream: S,
    phase: Phase,
    /// What was read and not yet handed on.
    ready: Vec<u8>,
    /// What was written and not yet sent.
    unsent: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    /// The head of the server's answer to an upgrade is awaited, of which this is there.
    /// What follows it in the same packet may be compressed already, so it is kept back.
    Head(Vec<u8>),
    /// All passes as it is.
    Plain,
    Coded(Box<Codec>),
}

#[derive(Debug)]
struct Codec {
    inbound: Inbound,
    /// `None` if the other side wants a window that we cannot keep to: messages may be
    /// sent as they are.
    outbound: Option<Outbound>,
    chunk: Box<[u8]>,
}

impl<S> Deflated<S> {
    /// A stream on which a client is going to ask for an upgrade.
    pub fn before_handshake(stream: S) -> Self {
        Self { stream, phase: Phase::Head(Vec::new()), ready: Vec::new(), unsent: Vec::new() }
    }

    /// A stream on which frames come next.
    pub fn after_handshake(stream: S) -> Self {
        Self { stream, phase: Phase::Plain, ready: Vec::new(), unsent: Vec::new() }
    }

    /// Begins with what was agreed on in the handshake, if anything was: right after it,
    /// before any frame.
    ///
    /// # Errors
    ///
    /// As of [`AsyncRead`], for what came along with the handshake.
    pub fn begin(&mut self, terms: Option<Terms>, side: Side) -> io::Result<()> {
        let Some(terms) = terms else {
            self.phase = Phase::Plain;
            return Ok(());
        };
        let (ours, theirs) = match side {
            Side::Client => (terms.client, terms.server),
            Side::Server => (terms.server, terms.client),
        };
        let mut inbound = Inbound::new(theirs);
        let early = std::mem::take(&mut self.ready);
        inbound.push(&early, &mut self.ready)?;
        let outbound = ours.can_be_kept().then(|| Outbound::new(ours));
        let chunk = vec![0; CHUNK_BYTES].into_boxed_slice();
        self.phase = Phase::Coded(Box::new(Codec { inbound, outbound, chunk }));
        Ok(())
    }

    /// Bytes that compression has saved in what was written so far.
    pub fn saved(&self) -> u64 {
        match &self.phase {
            Phase::Coded(codec) => codec.outbound.as_ref().map_or(0, Outbound::saved),
            Phase::Head(_) | Phase::Plain => 0,
        }
    }

    /// Hands on what is there, as far as it fits.
    fn hand_on(&mut self, buffer: &mut ReadBuf<'_>) {
        let length = self.ready.len().min(buffer.remaining());
        buffer.put_slice(&self.ready[..length]);
        self.ready.drain(..length);
    }
}

/// How much of what has come of an HTTP answer the WebSocket may see: all, unless it is
/// an upgrade that was granted (RFC 6455 §4.1), whose head ends within. `None` if that
/// cannot be said yet.
fn visible(head: &[u8]) -> Option<usize> {
    let is_granted = head.get(..12).is_some_and(|it| it.starts_with(b"HTTP/1.1 101"));
    match head.windows(END_OF_HEAD.len()).position(|it| it == END_OF_HEAD) {
        Some(at) if is_granted => Some(at + END_OF_HEAD.len()),
        Some(_) => Some(head.len()),
        None => (head.len() > HEAD_BYTES).then_some(head.len()),
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Deflated<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.phase {
                Phase::Plain if this.ready.is_empty() => {
                    return Pin::new(&mut this.stream).poll_read(context, buffer);
                }
                Phase::Coded(codec) if this.ready.is_empty() => {
                    let mut chunk = ReadBuf::new(&mut codec.chunk);
                    ready!(Pin::new(&mut this.stream).poll_read(context, &mut chunk))?;
                    if chunk.filled().is_empty() {
                        return Poll::Ready(Ok(()));
                    }
                    codec.inbound.push(chunk.filled(), &mut this.ready)?;
                }
                Phase::Plain | Phase::Coded(_) => {
                    this.hand_on(buffer);
                    return Poll::Ready(Ok(()));
                }
                Phase::Head(head) => {
                    let had = buffer.filled().len();
                    ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
                    let new = buffer.filled().len() - had;
                    let before = head.len();
                    head.extend_from_slice(&buffer.filled()[had..]);
                    let Some(end) = visible(head) else { return Poll::Ready(Ok(())) };
                    // The end of the head is among the new bytes: what is before them has been looked at.
                    let shown = end.saturating_sub(before).min(new);
                    this.ready = head.split_off(before + shown);
                    buffer.set_filled(had + shown);
                    this.phase = Phase::Plain;
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> Deflated<S> {
    /// Sends what was written.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(context, &self.unsent))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.drain(..sent);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Deflated<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // What was compressed has to go first, and is not heaped up.
        ready!(this.poll_send(context))?;
        let Phase::Coded(codec) = &mut this.phase else {
            return Pin::new(&mut this.stream).poll_write(context, bytes);
        };
        let Some(outbound) = &mut codec.outbound else {
            return Pin::new(&mut this.stream).poll_write(context, bytes);
        };
        outbound.push(bytes, &mut this.unsent)?;
        match this.poll_send(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // What is left is sent by the next call.
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(context))?;
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
