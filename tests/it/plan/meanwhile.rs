//! Plans that are cancelled, files that change meanwhile, and steps that run at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use tandem::assist::plan::{Event, Plan, Project, Run, Status, text};
use tandem::assist::{Assist, Models};
use tandem::config::Scoped;
use tandem::job::Reason;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::privacy::Verdict;
use tandem::workspace::{Folder, Workspace};
use tempfile::TempDir;
use tokio::sync::Barrier;

/// Long enough for any machine. A test that passes does not wait for it.
const LONG: Duration = Duration::from_secs(120);

/// A model that answers each step with a new text of its file, once all have reached the barrier.
struct Zero {
    /// Called for each request, with its input.
    asked: Box<dyn Fn(&str) + Send + Sync>,
    /// The barrier that all requests reach before they are answered.
    barrier: Option<Arc<Barrier>>,
}

impl Model for Zero {
    fn name(&self) -> String {
        "zero".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        (self.asked)(&request.input);
        let barrier = self.barrier.clone();
        let answer = async move {
            if let Some(barrier) = barrier {
                barrier.wait().await;
            }
            Ok(Chunk::Text("```python\nnumber = 0\nsame = 1\n```\n".to_owned()))
        };
        stream::once(answer).chain(stream::iter([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A folder of `count` files, and a plan that changes them all, renames one and deletes one.
fn project(count: usize) -> (TempDir, Project, Plan) {
    let folder = TempDir::new().unwrap();
    for n in 0..count + 2 {
        fs::write(folder.path().join(format!("f{n}.py")), format!("number = {}\nsame = 1\n", n + 1)).unwrap();
    }
    let disk = Folder::new(folder.path(), 1 << 20).unwrap();
    let project = Project {
        root: disk.root().to_owned(),
        files: Arc::new(disk),
        workspace: Arc::new(Workspace::default()),
        settings: Scoped::default(),
        access: Arc::new(|_| Verdict::Open),
        permission: Arc::new(tandem::assist::plan::NeverRun),
        readers: tandem::disk::Readers::default(),
    };
    let edits: String =
        (0..count).map(|n| format!("{}. edit `f{n}.py`: make it zero\n   gear: fast\n", n + 1)).collect();
    let (rename, delete) = (count + 1, count + 2);
    let rest = format!(
        "{rename}. rename `f{count}.py` to `g.py`\n   gear: local\n{delete}. delete `f{}.py`\n   gear: local\n",
        count + 1
    );
    (folder, project, text::read(&format!("{edits}{rest}")).unwrap())
}

async fn run(model: Zero, project: &Project, plan: Plan) -> Result<Run, Reason> {
    let models = Models { fast: Some(Arc::new(model)), deep: None };
    let assist = Assist::new(models, &Default::default());
    tokio::time::timeout(LONG, assist.carry_out(project, plan, &|_| {})).await.unwrap()
}

#[tokio::test]
async fn eight_steps_run_at_once() {
    let (_folder, project, plan) = project(8);
    // No request is answered before all eight are sent.
    let model = Zero { asked: Box::new(|_| {}), barrier: Some(Arc::new(Barrier::new(8))) };
    let run = run(model, &project, plan).await.unwrap();
    assert!(run.is_whole());
    assert_eq!(run.set.files().len(), 10);
}

#[tokio::test]
async fn run_that_is_cancelled_at_any_step_changes_nothing() {
    let (_folder, project, plan) = project(6);
    let before = files(&project.root);
    for stop_at in 1..=14 {
        let events = AtomicUsize::new(0);
        let stopped = tokio::sync::Notify::new();
        let model = Zero { asked: Box::new(|_| {}), barrier: None };
        let assist = Assist::new(Models { fast: Some(Arc::new(model)), deep: None }, &Default::default());
        let on_event = |event: Event<'_>| {
            let counts = matches!(event, Event::Asked { .. } | Event::Ended { .. });
            if counts && events.fetch_add(1, Ordering::SeqCst) + 1 == stop_at {
                stopped.notify_one();
            }
        };
        let carried_out = assist.carry_out(&project, plan.clone(), &on_event);
        tokio::select! {
            biased;
            () = stopped.notified() => {}
            done = carried_out => assert!(done.unwrap().is_whole()),
        }
        assert!(events.load(Ordering::SeqCst) >= stop_at, "event {stop_at} happens");
        assert_eq!(files(&project.root), before, "cancelled at event {stop_at}");
    }
}

/// The result of a plan whose file changes while a model is asked.
async fn meddled(meddle: impl Fn(&Path) + Send + Sync + 'static) -> Result<Run, Reason> {
    let (_folder, project, plan) = project(2);
    let root = project.root.clone();
    let once = Mutex::new(Some(meddle));
    let asked = move |_: &str| {
        if let Some(meddle) = once.lock().unwrap().take() {
            meddle(&root);
        }
    };
    run(Zero { asked: Box::new(asked), barrier: None }, &project, plan).await
}

#[tokio::test]
async fn file_that_changes_meanwhile_refuses_the_whole() {
    let code = |outcome: Result<Run, Reason>| outcome.map(|_| ()).map_err(|reason| reason.to_string());
    let changed =
        |path: &str| Err(format!("`{path}` was changed meanwhile; nothing of it is applied, try again"));
    let edited = meddled(|root| fs::write(root.join("f1.py"), "mine = 1\n").unwrap()).await;
    assert_eq!(code(edited), changed("f1.py"));
    let gone = meddled(|root| fs::remove_file(root.join("f0.py")).unwrap()).await;
    assert_eq!(code(gone), changed("f0.py"));
    let renamed = meddled(|root| fs::rename(root.join("f0.py"), root.join("x.py")).unwrap()).await;
    assert_eq!(code(renamed), changed("f0.py"));
    let deleted = meddled(|root| fs::write(root.join("f3.py"), "mine = 1\n").unwrap()).await;
    assert_eq!(code(deleted), changed("f3.py"), "a file that is to go");
    let taken = meddled(|root| fs::write(root.join("g.py"), "").unwrap()).await;
    assert_eq!(
        code(taken),
        Err("the reply would move `f2.py` over `g.py`, where an edit was asked for".to_owned())
    );
    let other = meddled(|root| fs::write(root.join("other.py"), "mine = 1\n").unwrap()).await.unwrap();
    assert!(other.is_whole(), "what the plan does not name is none of its business");
    assert!(other.steps.iter().all(|step| step.status == Status::Done));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn interrupt_cancels_the_command_and_changes_nothing() {
    use std::process::{Command, Stdio};

    let fixture = super::fixture::Fixture::new(
        "//- a.py\none = 1\n//- b.py\ntwo = 2\n\
         //= deep: You plan\n```\n1. edit `a.py`: count\n2. edit `b.py`: count\n```\n\
         //= fast: The file: a.py\n```python\none = 0\n```\n//! fast, hang: The file: b.py\n",
    )
    .await;
    let before = fixture.contents();
    let mut command = fixture.command(&["x", "--write"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let waiting = async {
        while fixture.requests() < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, waiting).await.unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    let shown = fixture.shown(&output, &before);
    assert!(shown.starts_with("exit 1\nstderr:\n"), "{shown}");
    assert!(shown.ends_with("tandem: cancelled; nothing was changed\n"), "{shown}");
}
