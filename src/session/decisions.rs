//! The last decisions for each file, so that a user can read why there was nothing, or who made what there was.

use std::collections::VecDeque;

use crate::document::DocumentId;
use crate::job::{Job, Reason};

/// Decisions kept of one file.
const OF_A_FILE: usize = 10;
/// Files that decisions are kept of: those decided for last.
const FILES: usize = 32;

/// What came of one request, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// When it was decided, in milliseconds since 1970.
    pub at: u64,
    /// The line that it was about, from 0.
    pub line: u32,
    /// What was asked.
    pub job: Job,
    /// Whether somebody asked for it by hand.
    pub invoked: bool,
    /// Why there was nothing; `None` if there was something.
    pub nothing: Option<Reason>,
    /// Why it went to its gear, where that was decided for this request.
    pub route: Option<String>,
    /// The gear that made it.
    pub gear: Option<String>,
    /// The model that made it.
    pub model: Option<String>,
    /// How long it took.
    pub milliseconds: u64,
}

impl Decision {
    /// A stable name of what came of it.
    pub fn code(&self) -> &'static str {
        self.nothing.as_ref().map_or("shown", Reason::code)
    }

    /// One clause for the user.
    pub fn why(&self) -> String {
        match (&self.nothing, &self.route, &self.gear) {
            (Some(reason), ..) => reason.to_string(),
            (None, Some(route), _) => route.clone(),
            (None, None, Some(gear)) => format!("the {gear} gear made it"),
            (None, None, None) => "it was on screen already".to_owned(),
        }
    }

    /// Whether it says the same as an earlier one: typing asks with every key, and mostly hears the same.
    fn repeats(&self, earlier: &Self) -> bool {
        (self.line, self.job, self.invoked, self.code(), &self.gear)
            == (earlier.line, earlier.job, earlier.invoked, earlier.code(), &earlier.gear)
    }
}

/// The decisions of a session, by file, the file decided for last first.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    files: VecDeque<(DocumentId, VecDeque<Decision>)>,
}

impl Decisions {
    /// Takes in a decision. One that repeats the last takes its place.
    pub(super) fn push(&mut self, id: &DocumentId, decision: Decision) {
        let at = self.files.iter().position(|(it, _)| it == id);
        let mut file =
            at.and_then(|at| self.files.remove(at)).unwrap_or_else(|| (id.clone(), VecDeque::new()));
        if file.1.front().is_some_and(|last| decision.repeats(last)) {
            file.1.pop_front();
        }
        file.1.push_front(decision);
        file.1.truncate(OF_A_FILE);
        self.files.push_front(file);
        self.files.truncate(FILES);
    }

    /// The newest decisions, at most ten, of one file or of all.
    pub(super) fn newest(&self, id: Option<&DocumentId>) -> Vec<(DocumentId, Decision)> {
        let wanted = self.files.iter().filter(|(it, _)| id.is_none_or(|id| it == id));
        let mut all: Vec<(DocumentId, Decision)> =
            wanted.flat_map(|(id, list)| list.iter().map(|it| (id.clone(), it.clone()))).collect();
        all.sort_by_key(|(_, decision)| std::cmp::Reverse(decision.at));
        all.truncate(OF_A_FILE);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(at: u64, line: u32, nothing: Option<Reason>) -> Decision {
        Decision {
            at,
            line,
            job: Job::Complete,
            invoked: false,
            nothing,
            route: None,
            gear: None,
            model: None,
            milliseconds: 1,
        }
    }

    #[test]
    fn keeps_the_newest_and_says_the_same_once() {
        let mut log = Decisions::default();
        let [a, b] = ["file:///a", "file:///b"].map(DocumentId::new);
        for at in 0..5 {
            log.push(&a, decision(at, 0, Some(Reason::Superseded)));
        }
        log.push(&b, decision(7, 0, None));
        log.push(&a, decision(8, 1, Some(Reason::NothingToAdd)));
        let shown = |id| -> Vec<(u64, &'static str)> {
            log.newest(id).iter().map(|(_, it)| (it.at, it.code())).collect()
        };
        assert_eq!(shown(Some(&a)), [(8, "nothing-to-add"), (4, "superseded")]);
        assert_eq!(shown(None), [(8, "nothing-to-add"), (7, "shown"), (4, "superseded")]);
    }

    #[test]
    fn is_bounded() {
        let mut log = Decisions::default();
        for at in 0..1_000 {
            let id = DocumentId::new(&format!("file:///{}", at % 50));
            log.push(&id, decision(at, at as u32, None));
        }
        assert_eq!(log.files.len(), FILES);
        assert!(log.files.iter().all(|(_, list)| list.len() <= OF_A_FILE));
        assert_eq!(log.newest(None).len(), OF_A_FILE);
    }
}
