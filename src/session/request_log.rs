//! Recent request outcomes of each file, shown by `tandem.why`.

use std::collections::VecDeque;

use crate::document::DocumentId;
use crate::job::{Job, Reason};
use crate::session::limits::{RECORDED_FILES, RECORDS_PER_FILE};

/// The outcome of one request, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRecord {
    /// When it was answered, in milliseconds since the Unix epoch (1970).
    pub at: u64,
    /// The line of the request, from 0.
    pub line: u32,
    /// The requested job.
    pub job: Job,
    /// Whether the user requested it explicitly.
    pub invoked: bool,
    /// The reason for an empty answer; `None` if there was something to show.
    pub nothing: Option<Reason>,
    /// The reason why something else was not shown alongside.
    pub also_refused: Option<Reason>,
    /// The reason for the choice of the gear, if it was routed for this request.
    pub route: Option<String>,
    /// The gear that answered.
    pub gear: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// How long it took.
    pub milliseconds: u64,
}

impl RequestRecord {
    /// A stable identifier of the outcome.
    pub fn code(&self) -> &'static str {
        self.nothing.as_ref().map_or("shown", Reason::code)
    }

    /// A one-clause explanation for the user.
    pub fn why(&self) -> String {
        let mut why = match (&self.nothing, &self.route, &self.gear) {
            (Some(reason), ..) => reason.to_string(),
            (None, Some(route), _) => route.clone(),
            (None, None, Some(gear)) => format!("the {gear} gear made it"),
            (None, None, None) => "it was on screen already".to_owned(),
        };
        if let Some(reason) = &self.also_refused {
            why += &format!("; more was not shown: {reason}");
        }
        why
    }

    /// Whether it repeats an earlier record.
    ///
    /// Each key press makes a request, mostly with the same outcome.
    fn repeats(&self, earlier: &Self) -> bool {
        (self.line, self.job, self.invoked, self.code(), &self.gear)
            == (earlier.line, earlier.job, earlier.invoked, earlier.code(), &earlier.gear)
    }
}

/// The records of a session by file, the file of the latest request first.
#[derive(Debug, Default)]
pub(super) struct RequestLog {
    files: VecDeque<(DocumentId, VecDeque<RequestRecord>)>,
}

impl RequestLog {
    /// Adds a record. A record that repeats the last one replaces it.
    pub(super) fn push(&mut self, id: &DocumentId, record: RequestRecord) {
        let at = self.files.iter().position(|(it, _)| it == id);
        let mut file =
            at.and_then(|at| self.files.remove(at)).unwrap_or_else(|| (id.clone(), VecDeque::new()));
        if file.1.front().is_some_and(|last| record.repeats(last)) {
            file.1.pop_front();
        }
        file.1.push_front(record);
        file.1.truncate(RECORDS_PER_FILE);
        self.files.push_front(file);
        self.files.truncate(RECORDED_FILES);
    }

    /// The newest records of one file or of all files, at most ten.
    pub(super) fn newest(&self, id: Option<&DocumentId>) -> Vec<(DocumentId, RequestRecord)> {
        let wanted = self.files.iter().filter(|(it, _)| id.is_none_or(|id| it == id));
        let mut all: Vec<(DocumentId, RequestRecord)> =
            wanted.flat_map(|(id, list)| list.iter().map(|it| (id.clone(), it.clone()))).collect();
        all.sort_by_key(|(_, record)| std::cmp::Reverse(record.at));
        all.truncate(RECORDS_PER_FILE);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at: u64, line: u32, nothing: Option<Reason>) -> RequestRecord {
        RequestRecord {
            at,
            line,
            job: Job::Complete,
            invoked: false,
            nothing,
            also_refused: None,
            route: None,
            gear: None,
            model: None,
            milliseconds: 1,
        }
    }

    #[test]
    fn repeated_outcome_is_logged_once() {
        let mut log = RequestLog::default();
        let [a, b] = ["file:///a", "file:///b"].map(DocumentId::new);
        for at in 0..5 {
            log.push(&a, record(at, 0, Some(Reason::Superseded)));
        }
        log.push(&b, record(7, 0, None));
        log.push(&a, record(8, 1, Some(Reason::NothingToAdd)));
        let shown = |id| -> Vec<(u64, &'static str)> {
            log.newest(id).iter().map(|(_, it)| (it.at, it.code())).collect()
        };
        assert_eq!(shown(Some(&a)), [(8, "nothing-to-add"), (4, "superseded")]);
        assert_eq!(shown(None), [(8, "nothing-to-add"), (7, "shown"), (4, "superseded")]);
    }

    #[test]
    fn reason_beside_what_was_shown_is_told() {
        let mut shown = RequestRecord { gear: Some("local".to_owned()), ..record(1, 0, None) };
        assert_eq!(shown.why(), "the local gear made it");
        shown.also_refused =
            Some(Reason::Unusable { code: "syntax", why: "it breaks the syntax".to_owned() });
        assert_eq!(shown.why(), "the local gear made it; more was not shown: it breaks the syntax");
        let log = &mut RequestLog::default();
        let id = DocumentId::new("file:///a");
        log.push(&id, RequestRecord { also_refused: None, ..shown.clone() });
        log.push(&id, shown);
        let records = log.newest(Some(&id));
        assert_eq!(
            (records.len(), records[0].1.also_refused.is_some()),
            (1, true),
            "the later one replaces it"
        );
    }

    #[test]
    fn log_of_many_files_is_bounded() {
        let mut log = RequestLog::default();
        for at in 0..1_000 {
            let id = DocumentId::new(&format!("file:///{}", at % 50));
            log.push(&id, record(at, at as u32, None));
        }
        assert_eq!(log.files.len(), RECORDED_FILES);
        assert!(log.files.iter().all(|(_, list)| list.len() <= RECORDS_PER_FILE));
        assert_eq!(log.newest(None).len(), RECORDS_PER_FILE);
    }
}
