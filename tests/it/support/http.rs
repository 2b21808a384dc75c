//! Reading HTTP requests in a test's own server.

use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// Reads the head of a request, up to the empty line after it; `None` if the client disconnects before.
pub(crate) async fn read_head(tcp: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// Reads a request with a JSON body; `None` if the client disconnects before.
pub(crate) async fn read_request(tcp: &mut TcpStream) -> Option<Value> {
    let head = read_head(tcp).await?.to_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap_or_default();
    let length = length.lines().next().map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    tcp.read_exact(&mut body).await.ok()?;
    Some(serde_json::from_slice(&body).unwrap_or_default())
}
