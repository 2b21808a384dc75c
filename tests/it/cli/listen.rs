//! What leaves the machine while work is recorded and models are compared: the kernel counts it.
//!
//! All runs in a network namespace whose default route leads nowhere, so that its counters hold every attempt.

use std::path::Path;
use std::process::{Command, Output};

/// Runs a script in a namespace of its own with `$TANDEM`, and prints the counters after it: TCP connections opened
/// and accepted, and datagrams sent.
fn in_namespace(folder: &Path, script: &str) -> Output {
    let script = format!(
        r#"
        set -e
        ip link set lo up
        ip route add default dev lo
        ip -6 route add default dev lo 2>/dev/null || true
        {script}
        awk '/^Tcp:/ && n++ {{ print "opened", $6; print "accepted", $7 }} /^Udp:/ && m++ {{ print "datagrams", $5 }}' /proc/net/snmp
        awk '/^Udp6OutDatagrams/ {{ print "datagrams6", $2 }}' /proc/net/snmp6
        "#
    );
    let mut command = Command::new("unshare");
    command.args(["--net", "--map-root-user", "sh", "-c", &script]).current_dir(folder);
    command.env("TANDEM", env!("CARGO_BIN_EXE_tandem")).env_remove("TANDEM_LOG");
    command.env("TANDEM_CONFIG", folder.join("config.toml")).env("TANDEM_STATE", folder.join("state"));
    command.output().unwrap()
}

fn counted(output: &Output, name: &str) -> u64 {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name}: {output:?}")).parse().unwrap()
}

/// A history of 24 commits (the first has no text before it), and the configuration of two simulated models.
fn prepare(folder: &Path) {
    let config = "[providers.one]\nbase_url = \"http://127.0.0.1:18001/v1\"\n\
                  [providers.two]\nbase_url = \"http://127.0.0.1:18002/v1\"\n\
                  [fast]\ncandidates = [{ provider = \"one\", model = \"m\" }, { provider = \"two\", model = \"m\" }]\n";
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let git = |arguments: &[&str]| super::compare::git(folder, arguments);
    git(&["init", "-q"]);
    let mut text = String::new();
    for at in 0..24 {
        text += &format!("value_{at} = compute(number, {at})\n");
        std::fs::write(folder.join("values.py"), &text).unwrap();
        git(&["add", "values.py"]);
        git(&["commit", "-q", "-m", "a value"]);
    }
}

/// Records, compares two models, and writes a report.
const WORK: &str = r#"
    "$TANDEM" simulate --listen 127.0.0.1:18001 --model m > one & one=$!
    "$TANDEM" simulate --listen 127.0.0.1:18002 --model m > two & two=$!
    until grep -q listening one && grep -q listening two; do sleep 0.05; done
    "$TANDEM" record on
    timeout 60 "$TANDEM" compare one/m two/m --yes --again --html page.html || true
    "$TANDEM" record show || true
    "$TANDEM" record bundle --yes || true
    kill $one $two
"#;

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says why")]
fn only_requests_to_the_models_leave() {
    let can = Command::new("unshare").args(["--net", "--map-root-user", "ip", "link"]).output();
    if !can.is_ok_and(|it| it.status.success()) && std::env::var_os("CI").is_none() {
        eprintln!("skipped: this system has no network namespaces for users, or no `ip`");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let output = in_namespace(folder.path(), WORK);
    let said = format!("{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("23 pairs"), "{said}");
    let [opened, accepted] = ["opened", "accepted"].map(|name| counted(&output, name));
    // Only the simulators listen there, so that whatever is accepted is a connection to a model.
    assert!(opened > 0 && opened == accepted, "{said}");
    assert_eq!([counted(&output, "datagrams"), counted(&output, "datagrams6")], [0, 0], "{said}");

    // The same counters notice a server elsewhere, and a name that is looked up.
    let config = std::fs::read_to_string(folder.path().join("config.toml")).unwrap();
    let moved = config.replace("127.0.0.1:18002", "192.0.2.1:9");
    std::fs::write(folder.path().join("config.toml"), moved).unwrap();
    let output = in_namespace(folder.path(), &WORK.replace("timeout 60", "timeout 10"));
    let [opened, accepted] = ["opened", "accepted"].map(|name| counted(&output, name));
    assert!(opened > accepted, "{output:?}");
}
