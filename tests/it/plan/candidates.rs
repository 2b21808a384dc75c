//! Steps for which several answers are requested at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream;
use tandem::assist::plan::{Plan, Project, text};
use tandem::assist::{Assist, Models};
use tandem::config::{Scoped, Settings};
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::privacy::Verdict;
use tandem::workspace::{Folder, Workspace};

/// Answers each request with the next of its replies.
struct InTurn {
    replies: &'static [&'static str],
    asked: AtomicUsize,
}

impl Model for InTurn {
    fn name(&self) -> String {
        "in-turn".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        let reply = self.replies.get(at).copied().unwrap_or("NO_EDITS").to_owned();
        stream::iter([Ok(Chunk::Text(reply)), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

const TEXT: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

/// Checks the resulting file with two functions, and the number of requests to the model.
async fn check(candidates: usize, replies: &'static [&'static str], asked: usize, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), TEXT).unwrap();
    let disk = Folder::new(folder.path(), 1 << 20).unwrap();
    let settings = Settings { plan_candidates: candidates, ..Settings::default() };
    let project = Project {
        root: disk.root().to_owned(),
        files: Arc::new(disk),
        workspace: Arc::new(Workspace::default()),
        settings: Scoped::from(Arc::new(settings)),
        access: Arc::new(|_| Verdict::Open),
        permission: Arc::new(tandem::assist::plan::NeverRun),
        readers: tandem::disk::Readers::default(),
    };
    let plan: Plan = text::read("1. edit `a.py`: count from zero\n   gear: fast\n").unwrap();
    let model = Arc::new(InTurn { replies, asked: AtomicUsize::new(0) });
    let models = Models { fast: Some(Arc::clone(&model) as _), deep: None };
    let run = Assist::new(models, &Default::default()).carry_out(&project, plan, &|_| {}).await.unwrap();
    let text = run.set.files().first().and_then(|file| file.new_text()).unwrap_or_default().into_owned();
    assert_eq!(text, expected);
    assert_eq!(model.asked.load(Ordering::SeqCst), asked);
}

const BOTH: &str = "```python\ndef one():\n    return 0\n\n\ndef two():\n    return 1\n```\n";
const ONE: &str = "<<<<<<< SEARCH\n    return 1\n=======\n    return 0\n>>>>>>> REPLACE\n";
const BROKEN: &str = "<<<<<<< SEARCH\n    return 1\n=======\n    return (0\n>>>>>>> REPLACE\n";

#[tokio::test]
async fn sound_answer_that_changes_least_is_taken() {
    let (one, both) =
        (TEXT.replace("return 1", "return 0"), "def one():\n    return 0\n\n\ndef two():\n    return 1\n");
    check(1, &[BOTH, ONE], 1, both).await;
    check(3, &[BOTH, ONE, BROKEN], 3, &one).await;
    check(3, &[BROKEN, BOTH, "I would rather not."], 3, both).await;
    check(2, &["NO_EDITS", BOTH], 2, both).await;
}

#[tokio::test]
async fn step_is_asked_again_if_none_of_the_answers_can_be_used() {
    check(2, &[BROKEN, BROKEN, BROKEN, ONE], 4, &TEXT.replace("return 1", "return 0")).await;
}
