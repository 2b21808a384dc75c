//! What the server and the commands show of a policy, and what the commands sign.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{KEY, OTHER_KEY, PUBLIC, Reply, Server, machine, policy, signed};
use crate::support::process::output_of;
use crate::support::{Editor, MARKED, Setup};

/// An editor on a machine with a policy that this server has.
async fn editor(folder: &Path, server: &Server) -> Editor {
    Editor::with(Setup { policy: Some(machine(folder, server)), ..Setup::default() }).await
}

async fn until(editor: &mut Editor, wanted: impl Fn(&Value) -> bool) -> Value {
    // One minute, which only a failure takes.
    for _ in 0..3_000 {
        let status = editor.driver.request("tandem/status", json!({})).await.unwrap();
        if wanted(&status) {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the status did not come about");
}

#[tokio::test]
async fn editor_gets_its_models_once_the_policy_is_there() {
    let rules = "[models]\nallow = [\"test-*\"]\n[locked]\noff = [\"next_edit\"]\n";
    let server = Server::start(Reply::Policy(policy(7, 1, rules))).await;
    let folder = TempDir::new().unwrap();
    let mut editor = editor(folder.path(), &server).await;
    let status = until(&mut editor, |it| it["policy"]["state"] == "fresh" && it["state"] != "local").await;
    let mut policy = status["policy"].clone();
    assert!(policy["expires"].as_u64() > policy["issued"].as_u64());
    for name in ["issued", "expires", "url"] {
        policy.as_object_mut().unwrap().remove(name);
    }
    expect![[r#"{"narrowed":[{"effect":"off","rule":"locked.off","setting":"next_edit"}],"serial":7,"state":"fresh","why":null}"#]].assert_eq(&policy.to_string());
    assert_eq!(status["gears"]["fast"]["asked"], "test-model");
    editor.driver.finish().await.unwrap();
}

#[tokio::test]
async fn editor_is_told_once_that_a_policy_is_refused_and_asks_no_model() {
    let server = Server::start(Reply::Policy(signed(7, 1, "", OTHER_KEY))).await;
    let folder = TempDir::new().unwrap();
    let mut editor = editor(folder.path(), &server).await;
    let message = editor.driver.expect("window/showMessage").await.unwrap();
    expect!["Tandem's settings: URL: no model is asked without the company's policy: its signature is wrong: it was changed, or signed with another key"].assert_eq(&message["params"]["message"].as_str().unwrap().replace(&server.url, "URL"));
    let status = until(&mut editor, |it| it["policy"]["state"] == "missing").await;
    expect!["local engine: no model is asked without the company's policy: its signature is wrong: it was changed, or signed with another key"].assert_eq(&status["text"].as_str().unwrap().replace(&server.url, "URL"));
    // The local engine still answers.
    let (line, column) = editor.open_at("file:///w/a.rs", MARKED);
    editor.complete("file:///w/a.rs", line, column).await;
    let unread = editor.driver.finish().await.unwrap();
    let again = unread.iter().filter(|it| it["method"] == "window/showMessage").count();
    assert_eq!(again, 0, "{unread:?}");
}

/// What a script prints that sees this file as the administrator's, in a mount namespace of its own, with the program's
/// path in `$TANDEM`; `None` where there are no such namespaces.
fn administered(folder: &Path, server: &Server, script: &str) -> Option<String> {
    let etc = folder.join("etc");
    std::fs::create_dir_all(etc.join("tandem")).unwrap();
    std::fs::write(
        etc.join("tandem/policy.toml"),
        format!("url = \"{}\"\npublic_key = \"{PUBLIC}\"\n", server.url),
    )
    .unwrap();
    let script = format!("mount --bind '{}' /etc && {script}", etc.display());
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.env("TANDEM_STATE", folder.join("state")).env("TANDEM_CONFIG", folder.join("config.toml"));
        command.env("TANDEM", env!("CARGO_BIN_EXE_tandem")).env("HOME", folder).current_dir(folder);
        command
    };
    let works = unshare("mount --bind /etc /etc").output().is_ok_and(|it| it.status.success());
    let output = works.then(|| output_of(&mut unshare(&script), b""))?;
    Some(String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_status_name_the_policy_and_its_rules() {
    let rules = "[models]\nallow = [\"gpt-*\"]\n[budget]\nday_dollars = 5\n\
                 [settings]\neagerness = \"low\"\nproviders.gw = { base_url = \"http://127.0.0.1:9/v1\" }\n";
    let server = Server::start(Reply::Policy(policy(7, 49, rules))).await;
    let folder = TempDir::new().unwrap();
    let config = "[providers.p]\nbase_url = \"http://127.0.0.1:9/v1\"\n\
                  [fast]\ncandidates = [{ provider = \"p\", model = \"own\" }]\n[budget]\nday_dollars = 20\n";
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    let run = |arguments: &'static str| {
        let script = format!("exec \"$TANDEM\" {arguments}");
        let said = tokio::task::block_in_place(|| administered(folder.path(), &server, &script))?;
        let lines = said.lines().map(|line| match line.split_once(", ends ") {
            Some((before, after)) => format!("{before}, ends …{}", &after[after.find(';').unwrap()..]),
            None => line.to_owned(),
        });
        Some(
            lines
                .collect::<Vec<_>>()
                .join("\n")
                .replace(&server.url, "URL")
                .replace(folder.path().to_str().unwrap(), ""),
        )
    };
    let Some(doctor) = run("doctor --requests 0 --local none=9") else { return };
    let part = doctor.split("Editors").next().unwrap().split("Budget").next().unwrap();
    expect![[r#"

        Configuration
          ✓ /config.toml

        Policy of your company
          ✓ URL: serial 7, issued 2 days ago, ends …; up to date
            eagerness: offered; what you set yourself comes first (`settings`)
            providers.gw: offered; what you set yourself comes first (`settings`)
            fast.candidates: without own of p (`models.allow`)
            budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)

        Fast gear: ghost text, next edits, rewrites
          ✗ own at p: the company's policy does not allow it (`models.allow`)
            → correct it in the configuration, or remove the candidate

        Deep gear: work that needs reasoning
          off: no model is configured for it"#]]
    .assert_eq(part.trim_end());
    expect![[r#"
        configuration: /config.toml
        policy: URL: serial 7, issued 2 days ago, ends …; up to date
          eagerness: offered; what you set yourself comes first (`settings`)
          providers.gw: offered; what you set yourself comes first (`settings`)
          fast.candidates: without own of p (`models.allow`)
          budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)
        fast: no model; the local engine answers
          own of p: not used: the company's policy does not allow it (`models.allow`)
        deep: no model
        today: 0 requests, 0 tokens, $0.00
        recorder: off
        reports: none"#]]
    .assert_eq(&run("status").unwrap());
    server.replies(Reply::Policy(signed(8, 0, "", OTHER_KEY)));
    let doctor = run("doctor --requests 0 --local none=9").unwrap();
    let part = doctor[doctor.find("Policy of").unwrap()..].split("Fast gear").next().unwrap();
    expect![[r#"
        Policy of your company
          ✗ URL: serial 7, issued 2 days ago, ends …; what its server has now is refused: its signature is wrong: it was changed, or signed with another key
            → tell the administrator of this machine
            eagerness: offered; what you set yourself comes first (`settings`)
            providers.gw: offered; what you set yourself comes first (`settings`)
            fast.candidates: without own of p (`models.allow`)
            budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)"#]]
    .assert_eq(part.trim_end());
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_for_agents_follow_a_policy_that_changes() {
    let deny = |serial, file| Reply::Policy(policy(serial, 1, &format!("[privacy]\ndeny = [\"{file}\"]\n")));
    let server = Server::start(deny(7, "one.py")).await;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("project")).unwrap();
    for name in ["config.toml", "project/one.py", "project/two.py"] {
        std::fs::write(path(name), if name.ends_with("py") { "def f():\n    return 1\n" } else { "" })
            .unwrap();
    }
    let line = |id: u32, method: &str, params: Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    let call = |id| line(id, "tools/call", json!({ "name": "context", "arguments": {} }));
    let first = line(1, "initialize", json!({ "protocolVersion": "2025-06-18" })) + &call(2);
    std::fs::write(path("first"), first).unwrap();
    std::fs::write(path("second"), call(3)).unwrap();
    // Between both calls, another process of the user fetches a new policy.
    let (reply, changed, answers) = (Arc::clone(&server.reply), path("changed"), path("answers"));
    let change = std::thread::spawn(move || {
        let is_answered = || std::fs::read_to_string(&answers).is_ok_and(|it| it.contains("\"id\":2"));
        (0..3_000).take_while(|_| !is_answered()).for_each(|_| std::thread::sleep(Duration::from_millis(20)));
        *reply.lock().unwrap() = deny(8, "two.py");
        std::fs::write(changed, "").unwrap();
    });
    let script = "{ cat first; until [ -e changed ]; do sleep 0.02; done; \"$TANDEM\" doctor --requests 0 --local none=9 \
                  >doctor 2>&1; cat second; } | \"$TANDEM\" mcp --root project >answers";
    if tokio::task::block_in_place(|| administered(folder.path(), &server, script)).is_none() {
        return;
    }
    change.join().unwrap();
    let answers = std::fs::read_to_string(path("answers")).unwrap();
    let listed = |file: &str| {
        let all = answers.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
        let texts = all.filter(|it| it["id"] != 1).map(|it| it["result"]["content"][0]["text"].to_string());
        texts.map(|it| it.contains(file)).collect::<Vec<_>>()
    };
    assert_eq!((listed("one.py"), listed("two.py")), (vec![false, true], vec![true, false]), "{answers}");
}

#[test]
fn policy_is_checked_before_it_is_signed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(
        path("key.pem"),
        format!("-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n"),
    )
    .unwrap();
    let run = |text: &str| {
        std::fs::write(path("policy.toml"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        let output =
            output_of(command.args(["policy", "sign", &path("policy.toml"), "--key", &path("key.pem")]), b"");
        let [said, told] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (said, told.replace(&format!("{}/", folder.path().display()), ""), output.status.code().unwrap())
    };
    let good = policy(7, 0, "[settings]\neagerness = \"low\"\n");
    let document = good.split_once('\n').unwrap().1;
    for written in [document, &good] {
        let (said, told, code) = run(written);
        assert_eq!((said.as_str(), code), (good.as_str(), 0), "{told}");
        assert!(told.contains(&format!("public_key = \"{PUBLIC}\"")) && told.contains("serial 7"), "{told}");
    }
    for wrong in [
        document.replace("version = 1", "version = 2"),
        document.replace("eagerness", "eagernes"),
        document.replace("low", "lw"),
        format!("{document}[budgt]\n"),
        policy(7, 24 * 400, "").split_once('\n').unwrap().1.to_owned(),
    ] {
        let (said, told, code) = run(&wrong);
        assert!(said.is_empty() && code == 1 && told.len() > 20, "{said}{told}{code}");
    }
}
