use std::time::Duration;

use super::limits::{TREE_TEXT_BYTES, TREE_TIME};
use super::*;
use crate::document::Change;
use crate::document::position::Position;
use crate::privacy::ModelAccess;
use crate::session::limits::RELATED_FILES;
use crate::snapshot::Related;
use expect_test::{Expect, expect};
use futures_util::future::AbortHandle;

const A: &str = "file:///a.rs";

fn session(max_file_bytes: usize) -> Session {
    let settings = Settings { max_file_bytes, ..Settings::default() };
    Session::new(Encoding::Utf16, Vec::new(), Arc::new(settings))
}

fn id() -> DocumentId {
    DocumentId::new(A)
}

fn typed(line: u32, column: u32, text: &str) -> Change {
    let at = Position::new(line, column);
    Change { range: Some(at..at), text: text.to_owned() }
}

fn whole(text: &str) -> Change {
    Change { range: None, text: text.to_owned() }
}

#[test]
fn what_was_done_in_a_closed_file_is_shown_by_its_verdict() {
    let [ignored, open] = [Verdict::Ignored("`.gitignore` has it".into()), Verdict::Open];
    let pending = || ModelAccess::pending(std::future::pending());
    // The access at opening, the verdict that arrives after closing, and the shown counts.
    let check = |access: ModelAccess, later: Option<Verdict>, shown: [usize; 2]| {
        let (mut session, id, other) = (session(100), DocumentId::new("file:///a.log"), id());
        let place = FileInfo { access: access.clone(), ..FileInfo::from("a.log") };
        session.open(id.clone(), "", 1, "a", place);
        session.change(&id, Some(2), &[typed(0, 0, "x")], Instant::now());
        let before = session.recent_edits(&other).len();
        session.close(&id);
        assert!(access.is_revoked());
        if let Some(verdict) = later {
            assert!(session.resolve_access(&id, &access, verdict));
        }
        assert_eq!([before, session.recent_edits(&other).len()], shown);
        session.forget_verdicts();
        assert_eq!(session.recent_edits(&other), [], "other rules may not allow it");
    };
    check(ModelAccess::settled(open.clone()), None, [1, 1]);
    check(ModelAccess::settled(ignored.clone()), None, [0, 0]);
    check(pending(), None, [0, 0]);
    check(pending(), Some(ignored), [0, 0]);
    check(pending(), Some(open), [0, 1]);
}

#[test]
fn closed_files_are_forgotten_with_their_edits() {
    let mut session = session(100);
    for number in 0..50 {
        let id = DocumentId::new(&format!("file:///{number}.rs"));
        session.open(id.clone(), "rust", 1, "a", "a.rs");
        session.change(&id, Some(2), &[typed(0, 0, "x")], Instant::now());
        session.close(&id);
    }
    assert!(session.closed.len() < 20, "{}", session.closed.len());
}

#[test]
fn opening_an_ignored_file_drops_nothing_that_was_gathered() {
    let mut session = session(100);
    session.open(id(), "rust", 1, "", "a.rs");
    let related = Related { cursor: 7, ..Related::default() };
    session.keep_related(&id(), session.related_generation(), Arc::new(related));
    let (other, pending) = (DocumentId::new("file:///b.rs"), ModelAccess::pending(std::future::pending()));
    session.open(
        other.clone(),
        "rust",
        1,
        "",
        FileInfo { access: pending.clone(), ..FileInfo::from("b.rs") },
    );
    assert!(session.resolve_access(&other, &pending, Verdict::Ignored("`.gitignore` has it".into())));
    assert_eq!(session.tracked(&id()).unwrap().related().cursor, 7);
    // A file that was shown before may be part of the gathered context.
    session.open(other.clone(), "rust", 1, "", "b.rs");
    session.set_access(&other, ModelAccess::settled(Verdict::Secret("`privacy.deny` has it".into())));
    assert_eq!(session.tracked(&id()).unwrap().related().cursor, 0);
}

#[test]
fn older_version_of_a_file_is_not_the_file() {
    let mut session = session(100);
    let place = || FileInfo { path: Some("/w/a.rs".into()), ..FileInfo::from("a.rs") };
    let ids = ["file:///w/a.rs", "git:/w/a.rs?ref=HEAD"].map(DocumentId::new);
    for id in &ids {
        session.open(id.clone(), "rust", 1, "a", place());
    }
    let of = |files: Vec<(DocumentId, Option<PathBuf>)>| -> Vec<bool> {
        ids.iter().map(|id| files.iter().any(|(it, path)| it == id && path.is_some())).collect()
    };
    assert_eq!(of(session.paths()), [true, false]);
    assert_eq!(of(session.places()), [true, true]);
    assert_eq!(session.paths_by_use(), [PathBuf::from("/w/a.rs")]);
}

#[test]
fn verdict_by_outdated_rules_is_ignored() {
    let mut session = session(100);
    let [first, second] = [(); 2].map(|()| ModelAccess::pending(std::future::pending()));
    let place = FileInfo { access: first.clone(), ..FileInfo::from("a.rs") };
    session.open(id(), "rust", 1, "a", place);
    session.set_access(&id(), second.clone());
    assert!(!session.resolve_access(&id(), &first, Verdict::Open));
    assert_eq!(session.access(&id()).unwrap().known(), None);
    let denied = Verdict::Secret("`privacy.deny` has it".into());
    assert!(session.resolve_access(&id(), &second, denied.clone()));
    assert!(!session.resolve_access(&id(), &first, Verdict::Open));
    assert_eq!(session.access(&id()).unwrap().known(), Some(&denied));
}

#[test]
fn edits_in_text_replaced_beyond_the_log_lose_their_place() {
    let mut session = session(usize::MAX);
    let line = "let a = 1;\n";
    session.open(id(), "rust", 1, &line.repeat(50_000), "a.rs");
    let changes = [typed(49_999, 0, "x"), whole(&line.repeat(25_000)), typed(0, 0, "y")];
    for (version, change) in (2..).zip(changes) {
        let sync = session.change(&id(), Some(version), &[change], Instant::now());
        assert_eq!(sync, SyncOutcome::Tracked, "version {version}");
    }
    let places: Vec<_> = session.recent_edits(&id()).iter().map(|step| step.at.clone()).collect();
    assert_eq!(places, [None, Some(0..line.len() + 1)]);
}

/// Opens a file and applies the changes.
///
/// Shows the outcomes and the final state of the session.
fn check(max_file_bytes: usize, text: &str, changes: &[&[Change]], expect: Expect) {
    let mut session = session(max_file_bytes);
    let mut shown = format!("{:?}\n", session.open(id(), "rust", 1, text, "a.rs"));
    for (version, changes) in (2..).zip(changes) {
        shown += &format!("{:?}\n", session.change(&id(), Some(version), changes, Instant::now()));
    }
    shown += &match session.snapshot(&id()) {
        Ok(snapshot) => format!("{:?}", snapshot.document.text().to_string()),
        Err(reason) => reason.to_string(),
    };
    expect.assert_eq(&shown);
}

#[test]
fn file_out_of_sync_is_forgotten_until_its_whole_text_arrives() {
    check(
        100,
        "a",
        &[&[typed(7, 0, "x")], &[typed(0, 0, "y")]],
        expect![[r#"
            Tracked
            OutOfSync(LineMissing { line: 7, lines: 1 })
            Ignored
            the server lost track of the file; close and open it again"#]],
    );
    check(
        100,
        "a",
        &[&[typed(7, 0, "x")], &[typed(9, 9, "z"), whole("b"), typed(0, 1, "c")]],
        expect![[r#"
            Tracked
            OutOfSync(LineMissing { line: 7, lines: 1 })
            Regained
            "bc""#]],
    );
}

#[test]
fn file_over_limit_is_declined_when_opened_or_grown() {
    check(
        3,
        "abcd",
        &[&[typed(0, 0, "x")]],
        expect![[r#"
            TooLarge { bytes: 4 }
            Ignored
            the file is larger than `max_file_bytes`; raise that to work in it"#]],
    );
    check(
        3,
        "abc",
        &[&[typed(0, 0, "x")], &[typed(0, 0, "x")]],
        expect![[r#"
            Tracked
            TooLarge { bytes: 4 }
            Ignored
            the file is larger than `max_file_bytes`; raise that to work in it"#]],
    );
}

#[test]
fn unopened_file_is_not_open() {
    let mut session = session(100);
    assert_eq!(session.change(&id(), Some(1), &[whole("a")], Instant::now()), SyncOutcome::NotOpen);
    assert_eq!(session.snapshot(&id()).err(), Some(Reason::NotOpen));
    assert!(!session.close(&id()));
}

#[test]
fn closed_file_stops_requests_and_frees_its_text() {
    let mut session = session(100);
    session.open(id(), "rust", 1, "a", "a.rs");
    let document = Arc::downgrade(&session.snapshot(&id()).unwrap().document);
    let (job, _registration) = AbortHandle::new_pair();
    session.tracked_mut(&id()).unwrap().replace_running(job.clone());
    assert!(session.close(&id()));
    assert!(job.is_aborted());
    assert!(document.upgrade().is_none(), "no copy of the text is left");
    assert_eq!(session.files.by_id.len(), 0);
}

#[test]
fn newer_request_stops_the_one_before_it() {
    let mut session = session(100);
    session.open(id(), "rust", 1, "a", "a.rs");
    let (older, _a) = AbortHandle::new_pair();
    let (newer, _b) = AbortHandle::new_pair();
    session.tracked_mut(&id()).unwrap().replace_running(older.clone());
    session.tracked_mut(&id()).unwrap().replace_running(newer.clone());
    assert_eq!((older.is_aborted(), newer.is_aborted()), (true, false));
}

/// Checks which of eight files, four of which fit into the budget, keep their trees if one is parsed `every` so often.
#[track_caller]
fn check_trees(every: Duration, expected: [bool; 8]) {
    let mut session = session(TREE_TEXT_BYTES);
    let text = "fn f() {}\n".repeat(TREE_TEXT_BYTES / 40);
    let ids: Vec<_> = (0..8).map(|at| DocumentId::new(&format!("file:///{at}.rs"))).collect();
    let mut now = Instant::now();
    for id in &ids {
        now += every;
        session.open(id.clone(), "rust", 1, &text, "a.rs");
        assert!(session.snapshot(id).unwrap().document.syntax().is_some());
        session.keep_tree(id, now);
    }
    let has_tree = |id| session.snapshot(id).unwrap().document.tree().is_some();
    let kept: Vec<_> = ids.iter().map(has_tree).collect();
    assert_eq!(kept, expected);
}

#[test]
fn trees_made_by_jobs_are_kept_within_the_budget() {
    check_trees(Duration::ZERO, [false, false, false, false, true, true, true, true]);
}

#[test]
fn tree_that_is_not_used_is_dropped() {
    check_trees(TREE_TIME / 2, [false, false, false, false, false, false, true, true]);
    check_trees(TREE_TIME, [false, false, false, false, false, false, false, true]);
}

#[test]
fn tree_that_the_budget_does_not_know_is_dropped() {
    let mut session = session(100);
    let ids = ["file:///a.rs", "file:///b.rs", "file:///c.rs"].map(DocumentId::new);
    for id in &ids {
        session.open(id.clone(), "rust", 1, "fn f() {}\n", "a.rs");
        session.snapshot(id).unwrap().document.syntax();
    }
    let others = session.other_snapshots(&ids[2], 2);
    session.keep_tree(&ids[2], Instant::now());
    let has_tree = |id| session.snapshot(id).unwrap().document.tree().is_some();
    assert_eq!(ids.each_ref().map(has_tree), [false, false, true]);
    assert!(others.iter().all(|it| it.document.is_parsed()), "earlier snapshots keep their trees");
    session.other_snapshots(&ids[2], 2).iter().for_each(|it| drop(it.document.syntax().cloned()));
    assert_eq!(ids.each_ref().map(has_tree), [false, false, true]);
}

#[test]
fn what_was_gathered_of_other_files_is_kept_for_a_few() {
    let mut session = session(100);
    let ids: Vec<_> = (0..RELATED_FILES + 2).map(|at| DocumentId::new(&format!("file:///{at}.rs"))).collect();
    for id in &ids {
        session.open(id.clone(), "rust", 1, "", "a.rs");
        let related = Related { cursor: 7, ..Related::default() };
        session.keep_related(id, session.related_generation(), Arc::new(related));
    }
    let kept = ids.iter().filter(|id| session.tracked(id).unwrap().related().cursor == 7).count();
    assert_eq!(kept, RELATED_FILES);
    let mut is_due = |id| session.tracked_mut(id).unwrap().take_dropped_related();
    assert!(is_due(&ids[1]) && !is_due(&ids[1]) && !is_due(&ids[2]));
    session.forget_related();
    assert!(session.tracked_mut(&ids[2]).unwrap().take_dropped_related());
}

#[test]
fn hurried_parse_leaves_the_pause_where_it_is() {
    let mut session = session(TREE_TEXT_BYTES);
    let id = DocumentId::new("file:///a.rs");
    session.open(id.clone(), "rust", 1, "fn f() {}\n", "a.rs");
    let now = Instant::now();
    let pause = now + Duration::from_secs(1);
    let tracked = session.tracked_mut(&id).unwrap();
    assert_eq!(tracked.pause(), None, "nothing was typed");
    assert!(tracked.begin_parse_at_pause(pause));
    assert!(!tracked.begin_parse(now), "one task serves a file");
    assert!(!tracked.is_parsed_since(None));
    assert_eq!(tracked.pause(), Some(pause));
    assert!(tracked.is_parsed_since(Some(tracked.document().revision())));
}

#[test]
fn dropped_tree_is_not_parsed_again_in_the_background() {
    let mut session = session(TREE_TEXT_BYTES);
    let text = "fn f() {}\n".repeat(TREE_TEXT_BYTES / 20);
    let ids = ["file:///a.rs", "file:///b.rs", "file:///c.rs"].map(DocumentId::new);
    let mut revisions = Vec::new();
    for id in &ids {
        session.open(id.clone(), "rust", 1, &text, "a.rs");
        assert!(session.tracked_mut(id).unwrap().begin_parse(Instant::now()));
        let document = session.snapshot(id).unwrap().document;
        document.syntax();
        session.adopt_tree(&document, None, Instant::now());
        revisions.push(document.revision());
    }
    assert!(session.snapshot(&ids[0]).unwrap().document.tree().is_none(), "the budget holds two");
    assert!(session.tracked_mut(&ids[0]).unwrap().end_parse_if_current(revisions[0]));
    session.change(&ids[1], Some(2), &[typed(0, 0, " ")], Instant::now());
    assert!(
        !session.tracked_mut(&ids[1]).unwrap().end_parse_if_current(revisions[1]),
        "what changed is parsed again"
    );
}
