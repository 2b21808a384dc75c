//! Counts the instructions of a case.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::cases::{Case, Work};
use crate::{DOUBLINGS, Prepared};

/// The program whose commands are counted.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tandem");

/// A run of the program.
#[derive(Default)]
pub(crate) struct Call {
    arguments: Vec<String>,
    input: String,
    config: String,
    reply: Option<String>,
}

impl Call {
    pub(crate) fn of(arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(|it| (*it).to_owned()).collect(), ..Self::default() }
    }

    pub(crate) fn and(mut self, arguments: Vec<String>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    pub(crate) fn input(self, input: String) -> Self {
        Self { input, ..self }
    }

    pub(crate) fn config(self, config: String) -> Self {
        Self { config, ..self }
    }

    /// Starts a simulated model that gives this reply to every request.
    pub(crate) fn reply(self, reply: &str) -> Self {
        Self { reply: Some(reply.to_owned()), ..self }
    }
}

/// The instructions of a case, for each size.
pub(crate) fn instructions(case: &Case, from: usize) -> Result<Vec<u64>, String> {
    match case.work {
        Work::Here(_) => of_work(case.name, from),
        Work::Command(prepare) => {
            (0..=DOUBLINGS).map(|doubled| of_command(prepare, from << doubled)).collect()
        }
    }
}

/// Runs work in each size, with a mark before and after the counted part.
pub(crate) fn each_size(prepare: fn(usize) -> Prepared, from: usize) {
    // The first run compiles queries and fills caches. Those of large texts are not needed below some size.
    prepare(2 * from)();
    for doubled in 0..=DOUBLINGS {
        let work = prepare(from << doubled);
        mark();
        work();
        mark();
    }
}

/// Ends the current count.
fn mark() {
    #[cfg(unix)]
    std::hint::black_box(std::os::unix::process::parent_id());
}

/// Runs this program on one case.
fn of_work(name: &str, from: usize) -> Result<Vec<u64>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("count");
    let mut command = callgrind(&out);
    command.arg("--dump-after=getppid").arg(std::env::current_exe().map_err(|error| error.to_string())?);
    let ran = command.args(["--count", name, &from.to_string()]).output();
    let ran = ran.map_err(|error| format!("valgrind: {error}"))?;
    if !ran.status.success() {
        return Err(last_lines(&ran.stderr));
    }
    // Every second count is that of the preparation.
    (0..=DOUBLINGS)
        .map(|doubled| total(Path::new(&format!("{}.{}", out.display(), 2 * doubled + 2))))
        .collect()
}

/// Runs a command once. The count includes the start of the program, which is the same for each size.
fn of_command(prepare: fn(usize, &Path) -> Call, size: usize) -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (root, out) = (folder.path().join("root"), folder.path().join("count"));
    fs::create_dir(&root).map_err(|error| error.to_string())?;
    let mut call = prepare(size, &root);
    let simulator = call.reply.take().map(|reply| Simulator::start(folder.path(), &reply)).transpose()?;
    if let Some(it) = &simulator {
        call.config += &it.config();
    }
    let config = folder.path().join("config.toml");
    fs::write(&config, &call.config).map_err(|error| error.to_string())?;
    let mut command = callgrind(&out);
    command.arg(PROGRAM).args(&call.arguments).current_dir(&root).env_remove("TANDEM_LOG");
    command.env("TANDEM_CONFIG", config).env("TANDEM_STATE", root.join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("valgrind: {error}"))?;
    let (mut stdin, input) = (child.stdin.take(), call.input);
    // A command that exits early does not read the rest.
    let writes = std::thread::spawn(move || stdin.as_mut().map(|it| it.write_all(input.as_bytes())));
    let ran = child.wait_with_output().map_err(|error| error.to_string())?;
    _ = writes.join();
    // Status 1 reports findings; status 2, invalid arguments.
    match ran.status.code() {
        Some(0 | 1) => total(&out),
        _ => Err(format!("{}: {}", ran.status, last_lines(&ran.stderr))),
    }
}

fn callgrind(out: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    command
}

/// Reads the instructions from a file of counts.
fn total(path: &Path) -> Result<u64, String> {
    let counts = fs::read(path).map_err(|error| error.to_string())?;
    let counts = String::from_utf8_lossy(&counts);
    let total = counts.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|it| it.trim().parse().ok()).ok_or_else(|| "no total".to_owned())
}

fn last_lines(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().rev().take(3).collect::<Vec<_>>().join(" / ")
}

/// A `tandem simulate` process, killed on drop.
struct Simulator {
    child: Child,
    address: String,
}

impl Simulator {
    fn start(folder: &Path, reply: &str) -> Result<Self, String> {
        let script = folder.join("script");
        let line = json!({ "when": "", "reply": reply }).to_string();
        fs::write(&script, line).map_err(|error| error.to_string())?;
        let mut command = Command::new(PROGRAM);
        let child = command.arg("simulate").arg("--script").arg(script).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| error.to_string())?;
        let mut first = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut first).map_err(|error| error.to_string())?;
        }
        let address = first.trim().strip_prefix("listening on ").unwrap_or_default().to_owned();
        Ok(Self { child, address })
    }

    /// The configuration of a program that uses it.
    fn config(&self) -> String {
        let candidate = "candidates = [{ provider = \"simulator\", model = \"m\" }, { provider = \"simulator\", model = \"n\" }]";
        format!(
            "[providers.simulator]\nbase_url = \"{}\"\nwire = \"chat\"\n[fast]\n{candidate}\n[deep]\n{candidate}\n",
            self.address
        )
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
