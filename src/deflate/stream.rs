//! A stream that compresses in both directions.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::inbound::Inbound;
use super::outbound::Outbound;
use super::{Side, Terms};

/// Bytes per read.
const CHUNK_BYTES: usize = 16 << 10;
/// The end of an HTTP message's head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Maximum size of a response head, in bytes; a longer response is passed on unchanged.
const HEAD_BYTES: usize = 64 << 10;

/// A stream below a WebSocket. Passes all bytes through unchanged until [`Deflated::begin`].
#[derive(Debug)]
pub struct Deflated<S> {
    stream: S,
    phase: Phase,
    /// Bytes read and not yet handed on.
    ready: Vec<u8>,
    /// Bytes written and not yet sent.
    unsent: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    /// Waiting for the rest of the server's response head to an upgrade, of which this much has arrived.
    /// Bytes that follow the head in the same packet may be compressed, so they are held back.
    Head(Vec<u8>),
    /// Everything passes through unchanged.
    Plain,
    Coded(Box<Codec>),
}

#[derive(Debug)]
struct Codec {
    inbound: Inbound,
    /// `None` if the other side requires a window that zlib cannot use; messages may be sent
    /// uncompressed.
    outbound: Option<Outbound>,
    chunk: Box<[u8]>,
}

impl<S> Deflated<S> {
    /// Wraps a stream on which a client is about to request an upgrade.
    pub fn before_handshake(stream: S) -> Self {
        Self { stream, phase: Phase::Head(Vec::new()), ready: Vec::new(), unsent: Vec::new() }
    }

    /// Wraps a stream whose next bytes are frames.
    pub fn after_handshake(stream: S) -> Self {
        Self { stream, phase: Phase::Plain, ready: Vec::new(), unsent: Vec::new() }
    }

    /// Starts the compression agreed on in the handshake, if any. To be called right after the
    /// handshake, before any frame.
    ///
    /// # Errors
    ///
    /// As for [`AsyncRead`], for data that arrived with the handshake.
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

    /// Bytes saved by compression in everything written so far.
    pub fn saved(&self) -> u64 {
        match &self.phase {
            Phase::Coded(codec) => codec.outbound.as_ref().map_or(0, Outbound::saved),
            Phase::Head(_) | Phase::Plain => 0,
        }
    }

    /// Hands on bytes that are ready, as far as they fit.
    fn hand_on(&mut self, buffer: &mut ReadBuf<'_>) {
        let length = self.ready.len().min(buffer.remaining());
        buffer.put_slice(&self.ready[..length]);
        self.ready.drain(..length);
    }
}

/// Returns how many bytes of an HTTP response the WebSocket may see: all of them, or only the head
/// if the response grants an upgrade (RFC 6455 §4.1). Returns `None` if the head is not complete
/// yet.
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
                    // The head ends within the new bytes: the earlier ones were already inspected.
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
    /// Sends all written bytes.
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
        // Compressed bytes are sent first, so that they do not pile up.
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
            // The next call sends the rest.
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
