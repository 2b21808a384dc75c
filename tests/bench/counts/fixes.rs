//! The instructions that fixes take: a save, and the list of quick fixes, in a file with many diagnostics.

use std::time::Duration;

use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;

use super::broken::BrokenFile;
use super::source::Language;
use super::{ROUNDS, WARM_UP, mark};

const LINES: usize = 2_000;
const DIAGNOSTICS: usize = 200;
/// The number of a function with a diagnostic.
const FUNCTION: usize = 100;

pub(super) async fn count() {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (from_us, to_us) = tokio::io::split(theirs);
    tokio::spawn(lsp::serve(from_us, to_us, Start::default()));
    let (from_server, to_server) = tokio::io::split(ours);
    let mut file = BrokenFile::open(LspClient::new(from_server, to_server), LINES, DIAGNOSTICS).await;
    for round in 0..WARM_UP + ROUNDS {
        let mark = |name: &str| {
            if round >= WARM_UP {
                mark(name, Language::Rust, LINES);
            }
        };
        settle(&mut file).await;
        mark("-");
        assert_eq!(file.save(true).await, DIAGNOSTICS);
        mark("save");
        // Work that a save leaves to the background is not a part of the list.
        settle(&mut file).await;
        mark("-");
        file.list(DIAGNOSTICS / 2).await;
        mark("list-fixes");
        file.key(FUNCTION);
        assert_eq!(file.save(false).await, DIAGNOSTICS);
        mark("save-after-key");
    }
}

/// Waits until the background work is done.
async fn settle(file: &mut BrokenFile) {
    file.client.request("tandem/status", serde_json::json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100)).await;
}
