//! HTTP as a test's own server reads it.

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// Reads the head of a request, up to the empty line behind it; `None` if the client leaves before.
pub(crate) async fn read_head(tcp: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}
