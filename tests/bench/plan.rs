//! The time that carrying out a plan adds to the models' own: eight fast steps that run at once, in a workspace of
//! 200 files.
//!
//! `cargo bench --bench plan`. The models only wait, so that their time is known: the floor is the slowest of them.
//! The aim is at most 1.3 times the floor on a quiet machine; no time makes it fail.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "its figures")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use tandem::assist::plan::{Plan, Project, text};
use tandem::assist::{Assist, Models};
use tandem::config::Scoped;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::privacy::Verdict;
use tandem::workspace::{Folder, Scope, Workspace, walk};

const FILES: usize = 200;
const FUNCTIONS: usize = 60;
const STEPS: usize = 8;
const ROUNDS: usize = 20;

/// Answers each step after a delay, and records the duration of each answer.
#[derive(Default)]
struct Waits {
    took: Arc<Mutex<Vec<Duration>>>,
}

impl Model for Waits {
    fn name(&self) -> String {
        "waits".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let number = (0..STEPS).find(|n| request.input.contains(&format!("The file: src/f{n}.rs"))).unwrap();
        let (began, took) = (Instant::now(), Arc::clone(&self.took));
        let answer = async move {
            tokio::time::sleep(Duration::from_millis(300 + 50 * number as u64)).await;
            Ok(Chunk::Text(reply(number)))
        };
        let end = async move {
            took.lock().unwrap().push(began.elapsed());
            Ok(Chunk::Done(Usage::default()))
        };
        stream::once(answer).chain(stream::once(end)).boxed()
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let (project, lines) = project(folder.path());
    println!("{FILES} files, {lines} lines; {STEPS} steps, {ROUNDS} rounds");
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let model = Arc::new(Waits::default());
        let models = Models { fast: Some(Arc::clone(&model) as _), deep: None };
        let assist = Assist::new(models, &Default::default());
        let began = Instant::now();
        let run = assist.carry_out(&project, plan(), &|_| {}).await.unwrap();
        let wall = began.elapsed();
        assert!(run.is_whole() && run.set.files().len() == STEPS, "{run:?}");
        let took = model.took.lock().unwrap().clone();
        rounds.push((wall, took.iter().copied().max().unwrap(), took.iter().sum::<Duration>()));
    }
    rounds.sort_by_key(|(wall, slowest, _)| wall.saturating_sub(*slowest));
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    for (name, at) in [("p50", ROUNDS / 2), ("worst", ROUNDS - 1)] {
        let (wall, slowest, sum) = rounds[at];
        let (added, times) = (wall.saturating_sub(slowest), wall.as_secs_f64() / slowest.as_secs_f64());
        println!(
            "{name}: {} for the plan; floor, the slowest step's model: {}; added {}, {times:.2} times; one by one: {}",
            ms(wall),
            ms(slowest),
            ms(added),
            ms(sum)
        );
    }
}

/// A plan with one step for each of the first files; each changes the body of one function.
fn plan() -> Plan {
    let steps = (0..STEPS).map(|n| {
        let number = n + 1;
        format!("{number}. edit `src/f{n}.rs`\n   gear: fast\n\n   Let `f{n}_7` begin at zero, as `f{n}_8` does.\n\n")
    });
    text::read(&steps.collect::<String>()).unwrap()
}

fn reply(file: usize) -> String {
    let header = format!("pub fn f{file}_7(start: u32) -> u32 {{");
    format!(
        "<<<<<<< SEARCH\n{header}\n    let total = start + 7;\n=======\n{header}\n    let total = start;\n>>>>>>> REPLACE\n"
    )
}

/// Files whose functions use each other, and those of the file before.
fn project(folder: &Path) -> (Project, usize) {
    let mut lines = 0;
    fs::create_dir(folder.join("src")).unwrap();
    for file in 0..FILES {
        let before = file.saturating_sub(1);
        let mut text = format!("use crate::f{before}::f{before}_0;\n\n");
        for function in 0..FUNCTIONS {
            text += &format!(
                "pub fn f{file}_{function}(start: u32) -> u32 {{\n    let total = start + {function};\n    \
                 f{before}_0(total)\n}}\n\n"
            );
        }
        lines += text.lines().count();
        fs::write(folder.join(format!("src/f{file}.rs")), text).unwrap();
    }
    let disk = Folder::new(folder, 1 << 20).unwrap();
    let (root, workspace) = (disk.root().to_owned(), Workspace::default());
    let roots = [root.clone()];
    let scope = Scope { roots: &roots, denied: &|_| false, cancelled: &|| false, is_background: false };
    walk(&workspace, scope, None);
    let project = Project {
        root,
        files: Arc::new(disk),
        workspace: Arc::new(workspace),
        settings: Scoped::default(),
        access: Arc::new(|_| Verdict::Open),
        permission: Arc::new(tandem::assist::plan::NeverRun),
        readers: tandem::disk::Readers::default(),
    };
    (project, lines)
}
