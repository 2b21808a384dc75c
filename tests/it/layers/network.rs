//! Nothing leaves the machine but requests to models, configured reports and the fetch of a policy: no other code can reach the network.

use std::path::Path;

use super::{sources, without_tests};

/// The modules that reach the network, with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("model/", "requests to models, reports and bills to a configured endpoint, and a company's policy"),
    ("simulate", "a server on this machine, for tests and demonstrations"),
];

/// Source patterns of connections, servers and name lookups.
const SIGNS: &[&str] = &[
    "TcpStream",
    "TcpListener",
    "TcpSocket",
    "UdpSocket",
    "ToSocketAddrs",
    "lookup_host",
    "reqwest::",
    "hyper",
];

/// Whether a source reaches the network.
fn reaches_network(source: &str) -> bool {
    let mut code = without_tests(source).lines().filter(|line| !line.trim_start().starts_with("//"));
    code.any(|line| SIGNS.iter().any(|sign| line.contains(sign)))
}

#[test]
fn only_requests_to_models_and_reports_reach_the_network() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut needed) = (Vec::new(), Vec::new());
    for (_, path) in sources() {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        if !reaches_network(&std::fs::read_to_string(&path).unwrap()) {
            continue;
        }
        match ALLOWED.iter().find(|(module, _)| name.starts_with(module)) {
            Some((module, _)) => needed.push(*module),
            None => wrong.push(name),
        }
    }
    assert!(wrong.is_empty(), "these belong in `model`: {wrong:?}");
    for (module, reason) in ALLOWED {
        assert!(needed.contains(module), "`{module}` ({reason}) needs no exemption");
    }
    assert!(reaches_network("use std::net::{Ipv4Addr, UdpSocket};"));
    assert!(!reaches_network("// A `TcpStream` would do."));
}
