//! The change of a step's file in a model's answer: parsed, located, guarded and checked for syntax.

use std::ffi::OsStr;
use std::path::Path;

use super::input::StepInput;
use crate::assist::pipeline::WholeAnswer;
use crate::assist::plan::steps::Action;
use crate::document::{Document, DocumentId};
use crate::edit::edit_set::{Base, Change, FileEdit};
use crate::edit::plan::{self, Entry, Files, Identity, Kind, Permissions};
use crate::edit::{self, Exceptions, Flag, Format, Refusal, Request, UnmarkedEnd, apply};
use crate::grammar;
use crate::privacy::Verdict;

/// The change of a step's file in an answer. A defect may be that the answer is unreadable, cannot be located, is for
/// another file, or that a guard refuses it.
pub(super) fn change(
    input: StepInput,
    answer: &WholeAnswer,
    allow_invisible: bool,
) -> Result<FileEdit, Refusal> {
    let StepInput { step, base, goal, .. } = input;
    let instruction = &format!("{goal}\n{}", step.intent);
    let allowed = Exceptions {
        // The plan may ask for blanks only.
        blanks: true,
        invisible: allow_invisible,
        unmarked_end: UnmarkedEnd::allowed_if(answer.has_ended),
        ..Exceptions::default()
    };
    let Some(base) = base else {
        let (text, flags) = new_text(&step.path, &step.intent, answer, allowed)?;
        return Ok(FileEdit { path: step.path, change: Change::Create { text }, flags });
    };
    let grammar = grammar::by_path(Path::new(&step.path));
    let request = Request {
        text: &base.text,
        path: Some(&step.path),
        grammar,
        instruction,
        allowed,
        ..Request::default()
    };
    let accepted = edit::accept(&request, &answer.text)?;
    let (edits, mut flags) = (accepted.edits, accepted.flags);
    // An unchanged file needs no flag for that.
    flags.retain(|flag| *flag != Flag::Unchanged);
    let change = match step.action {
        Action::Rename(to) => Change::Rename { base, edits, to },
        _ => Change::Edit { base, edits },
    };
    Ok(FileEdit { path: step.path, change, flags })
}

/// The text of a new file in an answer.
///
/// It may be in any format that names the file, or be the only code in the answer.
fn new_text(
    path: &str,
    intent: &str,
    answer: &WholeAnswer,
    allowed: Exceptions,
) -> Result<(String, Vec<Flag>), Refusal> {
    let permissions =
        Permissions { access: &|_| Verdict::Open, instruction: "", allow_invisible: allowed.invisible };
    match plan::plan(&answer.text, &EmptyFolder, permissions) {
        Ok(set) => {
            let other = set.files().iter().find(|file| file.path != path);
            if let Some(file) = other {
                return Err(Refusal::OtherFile { path: file.path.clone() });
            }
            let file = set.into_files().pop().ok_or(Refusal::Empty)?;
            let text = file.new_text().map(std::borrow::Cow::into_owned).ok_or(Refusal::Empty)?;
            return sound(path, text, file.flags);
        }
        // Code without a file name can only be this file's.
        Err(Refusal::Malformed { .. } | Refusal::Prose) => {}
        Err(refusal) => return Err(refusal),
    }
    let accepted = edit::accept_new_file(path, &answer.text, allowed)?;
    let text = apply("", &accepted.edits);
    // An empty fence is the whole text of a file that may be empty.
    if text.is_empty() && !(accepted.format == Format::Region && may_be_empty(path, intent)) {
        return Err(Refusal::Empty);
    }
    sound(path, text, accepted.flags)
}

/// Whether a new file may be empty: by the plan's words, or by its name.
///
/// Files that only mark their folder are its module, or have names such as `.gitkeep` and `py.typed`.
fn may_be_empty(path: &str, intent: &str) -> bool {
    let path = Path::new(path);
    let of = |part: Option<&OsStr>| part.and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let (name, stem) = (of(path.file_name()), of(path.file_stem()));
    let is_module = || grammar::by_path(path).is_some_and(|it| it.facts().folder_files.contains(&stem));
    intent.to_lowercase().contains("empty") || name.ends_with("keep") || name == "py.typed" || is_module()
}

/// Refuses a new file with syntax errors, if the grammar is reliable.
///
/// The file can be requested again.
fn sound(path: &str, text: String, flags: Vec<Flag>) -> Result<(String, Vec<Flag>), Refusal> {
    match grammar::by_path(Path::new(path)) {
        Some(grammar) if grammar.errors_are_reliable() && flags.contains(&Flag::Syntax) => {
            let document = Document::new(DocumentId::new(path), grammar.id(), 0, &text);
            let after = document.syntax_errors().unwrap_or(1);
            Err(Refusal::Syntax { before: 0, after })
        }
        _ => Ok((text, flags)),
    }
}

/// An empty folder, against which a new file is read.
struct EmptyFolder;

impl Files for EmptyFolder {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let root =
            Entry { real: String::new(), kind: Kind::Folder, identity: Identity(0, 0), is_link: false };
        Ok(path.is_empty().then_some(root))
    }

    fn names(&self, _: &str) -> Result<Vec<String>, Refusal> {
        Ok(Vec::new())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        Err(Refusal::OtherFile { path: entry.real.clone() })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::assist::plan::steps::Step;
    use crate::edit::edit_set::Revision;

    /// Checks the change of the file `a.rs`, with this text, by an answer to a step.
    ///
    /// Without a text the file is new.
    fn check(action: Action, text: Option<&str>, answer: &str, expect: Expect) {
        let base = text.map(|text| Base { text: text.to_owned(), revision: Revision::Version(1) });
        let (path, intent) = ("a.rs".to_owned(), "do it".to_owned());
        let step = Step { number: 1, path, action, intent, tag: None, after: Vec::new() };
        let input = StepInput { step, base, goal: "".into(), around: "".into() };
        let shown = match change(input, &WholeAnswer { text: answer.to_owned(), has_ended: true }, false) {
            Ok(file) => {
                let name = |flag: &Flag| format!(" ({})", flag.code());
                let flags: String = file.flags.iter().map(name).collect();
                format!("{}{flags}\n{}", file.new_path().unwrap(), file.new_text().unwrap())
            }
            Err(refusal) => format!("{}: {refusal}\n", refusal.code()),
        };
        expect.assert_eq(&shown);
    }

    const TEXT: &str = "fn a() {\n    one();\n}\n";

    #[test]
    fn edit_in_any_format_is_read() {
        let edited = || {
            expect![[r#"
                a.rs
                fn a() {
                    two();
                }
            "#]]
        };
        let check = |answer: &str, expect| check(Action::Edit, Some(TEXT), answer, expect);
        check("<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n", edited());
        check("a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n", edited());
        check("```rust\nfn a() {\n    two();\n}\n```\n", edited());
        check(
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-    one();\n+    two();\n*** End Patch\n",
            edited(),
        );
        check(
            "NO_EDITS",
            expect![[r#"
                a.rs
                fn a() {
                    one();
                }
            "#]],
        );
    }

    #[test]
    fn answer_that_drifts_is_refused() {
        let check = |answer: &str, expect| check(Action::Edit, Some(TEXT), answer, expect);
        check(
            "*** Begin Patch\n*** Update File: b.rs\n@@\n-    one();\n+    two();\n*** End Patch\n",
            expect!["other-file: the reply is for another file, `b.rs`\n"],
        );
        check(
            "*** Begin Patch\n*** Delete File: a.rs\n*** End Patch\n",
            expect![[r#"
                file-operation: the reply would delete the file, where an edit was asked for
            "#]],
        );
        check("I would call two.", expect!["prose: the reply is prose, not code\n"]);
        check(
            "```rust\nfn a() {\n    two(;\n}\n```\n",
            expect!["syntax: the result would have 1 syntax error where there were 0\n"],
        );
        check(
            "<<<<<<< SEARCH\n    three();\n=======\n    two();\n>>>>>>> REPLACE\n",
            expect!["not-found: block 1 looks for `three();`, which is not in the file\n"],
        );
    }

    #[test]
    fn new_file_in_any_format_is_read() {
        let made = || {
            expect![[r#"
                a.rs
                pub fn a() {}
            "#]]
        };
        let check = |answer: &str, expect| check(Action::Create, None, answer, expect);
        check("```rust\npub fn a() {}\n```\n", made());
        check("Here it is:\n\n`a.rs`\n```rust\npub fn a() {}\n```\n", made());
        check("*** Begin Patch\n*** Add File: a.rs\n+pub fn a() {}\n*** End Patch\n", made());
        check(
            "```rust\npub fn a() {\n```\n",
            expect!["syntax: the result would have 1 syntax error where there were 0\n"],
        );
        check(
            "`b.rs`\n```rust\npub fn a() {}\n```\n",
            expect!["other-file: the reply is for another file, `b.rs`\n"],
        );
        check("NO_EDITS", expect!["empty: the reply is empty\n"]);
        check("I need to see more.", expect!["prose: the reply is prose, not code\n"]);
    }

    #[test]
    fn new_file_has_nothing_in_it_only_where_that_is_meant() {
        let made = |path: &str, intent: &str, answer: &str| {
            let (path, intent) = (path.to_owned(), intent.to_owned());
            let step = Step { number: 1, path, action: Action::Create, intent, tag: None, after: Vec::new() };
            let input = StepInput { step, base: None, goal: "".into(), around: "".into() };
            let answer = WholeAnswer { text: answer.to_owned(), has_ended: true };
            match change(input, &answer, false) {
                Ok(file) => file.new_text().unwrap().into_owned(),
                Err(refusal) => format!("refused: {}", refusal.code()),
            }
        };
        let fence = "```python\n```\n";
        for path in ["pkg/__init__.py", "pkg/.gitkeep", "pkg/py.typed"] {
            assert_eq!(made(path, "Make it a package.", fence), "", "{path}");
            assert_eq!(made(path, "Make it a package.", "NO_EDITS"), "refused: empty", "{path}");
        }
        assert_eq!(made("a.py", "Create an empty module.", fence), "");
        assert_eq!(made("a.py", "Create the module.", fence), "refused: empty");
    }

    #[test]
    fn rename_with_a_change_keeps_both() {
        let action = || Action::Rename("b.rs".to_owned());
        check(
            action(),
            Some(TEXT),
            "<<<<<<< SEARCH\nfn a() {\n=======\nfn b() {\n>>>>>>> REPLACE\n",
            expect![[r#"
                b.rs
                fn b() {
                    one();
                }
            "#]],
        );
    }
}
