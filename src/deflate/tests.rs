//! Frames passed through both directions.

use proptest::prelude::*;
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Control, Data, OpCode};

use super::inbound::Inbound;
use super::negotiation::Half;
use super::outbound::Outbound;
use super::*;

/// Encodes a frame as a client or a server sends it.
fn frame(payload: &[u8], opcode: OpCode, is_final: bool, side: Side) -> Vec<u8> {
    let key = (side == Side::Client).then_some([1, 2, 3, 4]);
    let mut bytes = Vec::new();
    let header = FrameHeader { is_final, opcode, mask: key, ..FrameHeader::default() };
    header.format(payload.len() as u64, &mut bytes).unwrap();
    let start = bytes.len();
    bytes.extend(payload);
    mask(&mut bytes[start..], key);
    bytes
}

/// Removes the masks from frames.
fn unmasked(bytes: &[u8]) -> Vec<u8> {
    let mut cursor = io::Cursor::new(bytes);
    let mut result = Vec::new();
    while let Ok(Some((header, length))) = FrameHeader::parse(&mut cursor) {
        let start = cursor.position() as usize;
        let mut payload = bytes[start..start + length as usize].to_vec();
        mask(&mut payload, header.mask);
        FrameHeader { mask: None, ..header }.format(length, &mut result).unwrap();
        result.extend(payload);
        cursor.set_position(start as u64 + length);
    }
    assert_eq!(cursor.position() as usize, bytes.len(), "whole frames");
    result
}

/// Passes bytes through one direction in pieces.
fn in_pieces<E>(
    bytes: &[u8],
    sizes: &[usize],
    mut push: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), E>,
) -> Result<Vec<u8>, E> {
    let (mut out, mut rest, mut sizes) = (Vec::new(), bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        push(piece, &mut out)?;
        rest = more;
    }
    Ok(out)
}

fn half(window_bits: u8, no_context_takeover: bool) -> Half {
    Half { window_bits, no_context_takeover }
}

const FREE: Half = Half { window_bits: 15, no_context_takeover: false };

fn messages() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    let text =
        prop::collection::vec("(let |self\\.|width|[a-z]{1,5}|\n){0,200}".prop_map(String::into_bytes), 0..4)
            .prop_map(|parts| parts.concat());
    let noise = prop::collection::vec(any::<u8>(), 0..5000);
    prop::collection::vec((0..4_u8, prop_oneof![text, noise]), 1..8)
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn what_goes_out_comes_in(
        messages in messages(),
        bits in 9..=15_u8,
        no_context_takeover: bool,
        is_client: bool,
        sizes in prop::collection::vec(1..400_usize, 1..6),
    ) {
        let side = if is_client { Side::Client } else { Side::Server };
        let sent: Vec<u8> = messages
            .iter()
            .flat_map(|(kind, payload)| match kind {
                0 => frame(payload, OpCode::Data(Data::Text), true, side),
                1 => frame(payload, OpCode::Data(Data::Binary), true, side),
                2 => frame(&payload[..payload.len().min(125)], OpCode::Control(Control::Ping), true, side),
                // A message in two frames is sent uncompressed.
                _ => [
                    frame(payload, OpCode::Data(Data::Text), false, side),
                    frame(payload, OpCode::Data(Data::Continue), true, side),
                ]
                .concat(),
            })
            .collect();
        let how = half(bits, no_context_takeover);
        let (mut outbound, mut inbound) = (Outbound::new(how), Inbound::new(how));
        let wire = in_pieces(&sent, &sizes, |piece, out| outbound.push(piece, out)).unwrap();
        let come = in_pieces(&wire, &sizes, |piece, out| inbound.push(piece, out)).unwrap();
        prop_assert_eq!(unmasked(&come), unmasked(&sent));
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..3000), sizes in prop::collection::vec(1..400_usize, 1..6)) {
        let mut inbound = Inbound::new(FREE);
        // In either case: no panic, no endless loop, and no more output than allowed.
        if let Ok(out) = in_pieces(&bytes, &sizes, |piece, out| inbound.push(piece, out)) {
            prop_assert!(out.len() <= bytes.len() * 1100 + 64);
        }
    }
}

/// A compressed message from a server.
fn compressed(payload: &[u8]) -> Vec<u8> {
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    let mut short = Vec::with_capacity(payload.len() / 2 + 64);
    deflate.compress_vec(payload, &mut short, flate2::FlushCompress::Sync).unwrap();
    short.truncate(short.len() - TAIL.len());
    let mut wire = Vec::new();
    let header = FrameHeader { rsv1: true, opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
    header.format(short.len() as u64, &mut wire).unwrap();
    wire.extend(short);
    wire
}

#[test]
fn what_was_said_before_costs_next_to_nothing() {
    let request: String =
        (0..200).map(|it| format!("    let value_{it} = compute({});\n", it * it)).collect();
    let mut outbound = Outbound::new(FREE);
    let mut sizes = [0; 2];
    for size in &mut sizes {
        let mut out = Vec::new();
        let bytes = frame(request.as_bytes(), OpCode::Data(Data::Text), true, Side::Client);
        outbound.push(&bytes, &mut out).unwrap();
        *size = out.len();
    }
    assert!(sizes[0] * 3 < request.len(), "{sizes:?} of {}", request.len());
    assert!(sizes[1] * 20 < request.len(), "{sizes:?} of {}", request.len());
    assert_eq!(outbound.saved() as usize, 2 * request.len() - sizes[0] - sizes[1] + 2 * 8);
}

/// The example of RFC 7692 §7.2.3.1, in one frame and in two.
#[test]
fn the_examples_of_the_specification() {
    let check = |wire: &[u8]| {
        let mut out = Vec::new();
        Inbound::new(FREE).push(wire, &mut out).unwrap();
        let payloads: Vec<u8> = out.into_iter().filter(u8::is_ascii_alphabetic).collect();
        assert_eq!(payloads, b"Hello");
    };
    check(&[0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]);
    check(&[0x41, 0x03, 0xf2, 0x48, 0xcd, 0x80, 0x04, 0xc9, 0xc9, 0x07, 0x00]);
    // A block without compression (§7.2.3.3), and one with the final bit set (§7.2.3.4).
    check(&[0xc1, 0x0b, 0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]);
    check(&[0xc1, 0x08, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]);
}

#[test]
fn what_is_damaged_or_too_long_is_refused() {
    let check = |wire: &[u8], expected| {
        assert_eq!(Inbound::new(FREE).push(wire, &mut Vec::new()), Err(expected));
    };
    check(&[0xc1, 0x03, 0xff, 0xff, 0xff], Violation::Damaged);
    // Refers to data before the beginning.
    check(&[0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00], Violation::Damaged);
    let longest = vec![b'a'; MESSAGE_BYTES];
    assert_eq!(Inbound::new(FREE).push(&compressed(&longest), &mut Vec::new()), Ok(()));
    let bomb = compressed(&[&longest[..], b"a"].concat());
    assert!(bomb.len() < MESSAGE_BYTES / 500);
    check(&bomb, Violation::TooLong);
    let mut huge = vec![0xc1, 0x7f];
    huge.extend((MESSAGE_BYTES as u64 + 1).to_be_bytes());
    check(&huge, Violation::TooLong);
}

/// Returns the head and the rest that a client reads from a server that sends `wire`, with
/// compression started after the handshake.
async fn seen(wire: &[u8], terms: Option<Terms>, capacity: usize) -> (Vec<u8>, Vec<u8>) {
    let (ours, mut theirs) = tokio::io::duplex(capacity);
    let mut ours = Deflated::before_handshake(ours);
    let reads = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            assert_ne!(ours.read_buf(&mut head).await.unwrap(), 0, "{head:?}");
        }
        ours.begin(terms, Side::Client).unwrap();
        let mut rest = Vec::new();
        ours.read_to_end(&mut rest).await.unwrap();
        (head, rest)
    };
    let writes = async move {
        theirs.write_all(wire).await.unwrap();
    };
    tokio::join!(reads, writes).0
}

#[tokio::test]
async fn what_comes_along_with_the_handshake_is_not_lost() {
    let head = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n";
    let plain = frame(b"Hello", OpCode::Data(Data::Text), true, Side::Server);
    let check = async |wire: &[u8], terms| {
        // In small pieces, and in one packet.
        for capacity in [7, 1000] {
            let (seen_head, rest) = seen(&[head, wire].concat(), terms, capacity).await;
            assert_eq!((&seen_head[..], &rest[..]), (&head[..], &plain[..]));
        }
    };
    check(&plain, None).await;
    check(&compressed(b"Hello"), Terms::answered(["permessage-deflate"]).unwrap()).await;
}

#[tokio::test]
async fn what_a_refusal_says_is_seen_at_once() {
    let refusal = b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 5\r\n\r\nwrong";
    let (ours, mut theirs) = tokio::io::duplex(1000);
    theirs.write_all(refusal).await.unwrap();
    let mut seen = Vec::new();
    Deflated::before_handshake(ours).read_buf(&mut seen).await.unwrap();
    assert_eq!(seen, refusal);
}

#[tokio::test]
async fn a_slow_network_is_waited_for() {
    let (client, server) = tokio::io::duplex(5);
    let (mut client, mut server) = (Deflated::after_handshake(client), Deflated::after_handshake(server));
    let terms = Terms::answered(["permessage-deflate"]).unwrap();
    client.begin(terms, Side::Client).unwrap();
    server.begin(terms, Side::Server).unwrap();
    let text = "fn area(width: u32, height: u32) -> u32 { width * height }\n".repeat(40);
    let sent = frame(text.as_bytes(), OpCode::Data(Data::Text), true, Side::Client);
    let mut come = vec![0; sent.len()];
    let (written, read) = tokio::join!(
        async {
            client.write_all(&sent).await?;
            client.flush().await
        },
        server.read_exact(&mut come)
    );
    written.unwrap();
    read.unwrap();
    assert_eq!(unmasked(&come), unmasked(&sent));
    assert!(client.saved() > 2000);
}
