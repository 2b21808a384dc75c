//! Hostile repositories: no setting, name or link in one causes a program to run, a file from outside to be sent, or
//! a command to block.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::acp::{Editor, User};
use super::fixture::Fixture;

/// A committed project, then changed in `b.py`.
///
/// A model that is shown files from outside reports it.
const PROJECT: &str = "//- a.py
one = 1
same = 1
//- b.py
two = 2
//- c.txt
three
//= fast: CANARY
b.py:1: leaked
//= deep: CANARY
b.py:1: leaked
//= deep: You plan
```
1. edit `a.py`: count from zero
```
//= fast: The file: a.py
```python
one = 0
same = 1
```
//= fast: You review
b.py:1: reviewed
//= deep: You review
b.py:1: reviewed
//= fast: <|what|>
Count in two
//= deep: <|what|>
Count in two
";

/// The committed text of `a.py`.
const COMMITTED: &str = "one = 1\nsame = 1\n";

/// The results of the commands in a harmless repository.
const DONE: &str = "review: 0 b.py:1: reviewed | 1 finding
commit-message: 0 Count in two
acp: one = 0
plan --write: 0 one = 0
";

/// A repository, and a program that writes a marker file when it runs.
struct Hostile {
    fixture: Fixture,
    program: PathBuf,
    mark: PathBuf,
}

impl Hostile {
    async fn new() -> Self {
        let fixture = Fixture::new(PROJECT).await;
        let beside = fs::canonicalize(fixture.root()).unwrap().parent().unwrap().to_owned();
        let (program, mark) = (beside.join("program"), beside.join("mark"));
        fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", mark.display())).unwrap();
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let hostile = Self { fixture, program, mark };
        hostile.shell(
            "git init -q; git config user.name a; git config user.email a@b; git add .; git commit -qm first
             echo 'two = 22' > b.py; git add b.py
             mkdir ../elsewhere; echo CANARY > ../elsewhere/b.py; cd ../elsewhere; git init -q; git add .
             git -c user.name=a -c user.email=a@b commit -qm elsewhere",
        );
        hostile
    }

    /// Runs a script in the project; `$P` is the program.
    fn shell(&self, script: &str) {
        let mut command = Command::new("sh");
        command.args(["-euc", script]).current_dir(self.fixture.root()).env("P", &self.program);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs all commands that call git, with these variables: the exit status of each, and its output or its edit.
    async fn commands(&self, variables: &[(&str, &Path)]) -> String {
        let run = async |arguments: &[&str]| {
            let mut command = self.fixture.program(arguments);
            command.envs(variables.iter().copied());
            let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
            let text = |bytes| String::from_utf8(bytes).unwrap().replace("tandem: ", "");
            (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
        };
        let mut shown = String::new();
        for name in ["review", "commit-message"] {
            let (code, printed, said) = run(&[name]).await;
            let said = format!("{printed}{said}").trim_end().replace('\n', " | ");
            shown.push_str(&format!("{name}: {code} {said}\n"));
        }
        let mut editor = Editor::start(&self.fixture, &[], &[]);
        let turn = editor.prompt("x", User::Allows);
        editor.leave();
        shown.push_str(&format!("acp: {}\n", self.made(&format!("{}{}", turn.said(), turn.ended()))));
        let (code, _, said) = run(&["plan", "x", "--write"]).await;
        shown.push_str(&format!("plan --write: {code} {}\n", self.made(&said)));
        shown
    }

    /// The text that a plan made of a file, which is then restored; otherwise the last message.
    fn made(&self, said: &str) -> String {
        let file = self.fixture.root().join("a.py");
        let text = fs::read_to_string(&file).unwrap();
        if text == COMMITTED {
            return said.trim_end().lines().last().unwrap_or_default().to_owned();
        }
        fs::write(&file, COMMITTED).unwrap();
        text.lines().next().unwrap_or_default().to_owned()
    }

    /// Checks the results of all commands, and that none of them runs the program.
    async fn check(&self, expected: &str, of: &str) {
        self.check_with(&[], expected, of).await;
    }

    async fn check_with(&self, variables: &[(&str, &Path)], expected: &str, of: &str) {
        drop(fs::remove_file(&self.mark));
        let shown = self.commands(variables).await;
        let beside = self.program.parent().unwrap().to_string_lossy();
        assert_eq!(shown.replace(&*beside, "…"), expected, "{of}");
        let ran = fs::read_to_string(&self.mark).unwrap_or_default();
        assert!(ran.is_empty(), "{of}: {ran}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn harmless_repository_is_read() {
    Hostile::new().await.check(DONE, "harmless").await;
}

/// The results of the commands where each file has a filter.
const FILTERED: &str = "review: 0 note: b.py is left out: its filter `x` is not run | \
nothing was changed since HEAD that a model may see
commit-message: 0 Count in two
acp: one = 0
plan --write: 0 one = 0
";

/// The results of the commands where the last commit's text of `b.py` is missing.
const MISSING: &str = "review: 1 git fails: fatal: unable to read c9ca69c742af72ced66005b64687b534691f19b3
commit-message: 1 git fails: fatal: unable to read c9ca69c742af72ced66005b64687b534691f19b3
acp: one = 0
plan --write: 0 one = 0
";

/// All keys that git lists, with a name in each placeholder. Old versions list none, and no version lists all.
fn keys() -> BTreeSet<String> {
    let known = "core.fsmonitor core.hooksPath core.pager core.editor core.sshCommand core.askPass \
        core.gitProxy core.attributesFile core.excludesFile core.alternateRefsCommand diff.external diff.orderFile \
        diff.x.command diff.x.textconv filter.x.clean filter.x.smudge filter.x.process filter.x.required \
        merge.x.driver include.path includeIf.gitdir:/**.path gpg.program remote.x.url remote.x.uploadpack \
        remote.x.promisor remote.x.vcs protocol.ext.allow credential.helper alias.diff alias.status \
        extensions.partialClone uploadpack.packObjectsHook submodule.x.update submodule.x.url";
    let listed = Command::new("git").args(["help", "-c"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let named = |key: &str| {
        let name = |part: &str| if part.contains(['<', '*']) { "x".to_owned() } else { part.to_owned() };
        key.trim().split('.').map(name).collect::<Vec<_>>().join(".")
    };
    // git lists some keys, such as `gitweb.remote_heads`, that its own reader refuses.
    let keys = listed.lines().map(named).filter(|key| key.contains('.') && !key.contains([' ', '_']));
    keys.chain(known.split_whitespace().map(str::to_owned)).collect()
}

/// Whether a key is for a program, a path or an address, by its name.
fn names_something(key: &str) -> bool {
    let words = "command cmd program path url file clean smudge process textconv driver editor pager proxy \
        helper fsmonitor vcs askpass external tool uploadpack receivepack dir hook target alias.";
    words.split_whitespace().any(|word| key.to_lowercase().contains(word))
}

/// Whether a key may have any value: the work tree has another test, and the keys for comparing texts have fixed
/// values.
fn is_open(key: &str) -> bool {
    let compared = ["core.autocrlf", "core.eol", "core.filemode", "core.longpaths", "core.precomposeunicode"];
    let key = key.to_lowercase();
    !compared.contains(&&*key) && key != "core.symlinks" && key != "core.worktree"
}

/// A configuration with this value for all keys.
fn configuration<'a>(keys: impl Iterator<Item = &'a str>, value: &str) -> String {
    let one = |key: &str| {
        let (section, rest) = key.split_once('.').unwrap();
        match rest.rsplit_once('.') {
            Some((subsection, name)) => format!("[{section} \"{subsection}\"]\n\t{name} = \"{value}\"\n"),
            None => format!("[{section}]\n\t{rest} = \"{value}\"\n"),
        }
    };
    keys.map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_of_a_configuration_is_obeyed() {
    let all = keys();
    let count = all.iter().filter(|key| names_something(key)).count();
    assert!(count > 30, "{count} keys of {}", all.len());
    // git itself fails at the first invalid boolean, so the other keys are also tested alone.
    for is_asked in [names_something as fn(&str) -> bool, |_| true] {
        for form in ["", "ext::"] {
            let hostile = Hostile::new().await;
            hostile.shell(
                "mkdir -p .git/info; echo '* filter=x diff=x merge=x' > .git/info/attributes; touch c.txt",
            );
            let keys = all.iter().map(String::as_str).filter(|key| is_open(key) && is_asked(key));
            let text = configuration(keys, &format!("{form}{}", hostile.program.display()));
            fs::write(hostile.fixture.root().join(".git/config"), &text).unwrap();
            hostile.check(FILTERED, &text).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_program_is_named_in_another_way() {
    // Where the drivers are configured, and where the attributes that use them are.
    let named = |arguments: &str| {
        format!(
            "for key in filter.x.clean filter.x.process diff.x.textconv diff.x.command core.fsmonitor
            do git config {arguments} $key \"$P\"; done; touch c.txt"
        )
    };
    let asked = |list: &str| format!("mkdir -p .git/info; echo '* filter=x diff=x' > {list}");
    let (here, more) = (named(""), named("--file ../more"));
    let (tree, info) = (asked(".gitattributes"), asked(".git/info/attributes"));
    let list = asked("../list");
    for (script, expected) in [
        (format!("{here}; {tree}"), FILTERED),
        (format!("{here}; {info}"), FILTERED),
        // A list of attributes elsewhere is not read, and without it there is no filter.
        (format!("{here}; {list}; git config core.attributesFile \"$PWD/../list\""), DONE),
        (format!("{more}; {tree}; git config include.path ../../more"), FILTERED),
        (format!("{more}; {tree}; git config includeIf.gitdir:/**.path ../../more"), FILTERED),
        (format!("git config extensions.worktreeConfig true; {}; {tree}", named("--worktree")), FILTERED),
        (format!("{here}; {tree}; mv .git kept; echo gitdir: ./kept > .git"), FILTERED),
        (
            format!(
                "git init -q sub; cd sub; git config user.name a; git config user.email a@b; echo 1 > c.txt
                git add .; git commit -qm sub; cd ..; git add sub 2> /dev/null; git commit -qm sub -- sub
                cd sub; {here}; {tree}"
            ),
            DONE,
        ),
        // A promisor remote, from which git fetches missing objects.
        (
            "git config remote.x.url \"ext::$P\"; git config remote.x.promisor true
            git config protocol.ext.allow always; git config extensions.partialClone x
            git config core.repositoryformatversion 1
            rm -f $(git rev-parse HEAD:b.py | sed 's|^..|.git/objects/&/|')"
                .to_owned(),
            MISSING,
        ),
    ] {
        let hostile = Hostile::new().await;
        hostile.shell(&script);
        let mut git = Command::new("git");
        // It may fail at the program's output.
        drop(git.args(["diff", "HEAD"]).current_dir(hostile.fixture.root()).output().unwrap());
        assert!(fs::remove_file(&hostile.mark).is_ok(), "git alone runs the program: {script}");
        hostile.check(expected, &script).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_from_elsewhere_is_sent() {
    let refused = |why: &str| {
        let acp = format!("{}{}.", why[..1].to_uppercase(), &why[1..]);
        format!("review: 1 {why}\ncommit-message: 1 {why}\nacp: error: {acp}\nplan --write: 1 {why}\n")
    };
    for (script, why) in [
        (
            "git config core.worktree ../../elsewhere",
            "`core.worktree` of the repository leads to …/project/.git/../../elsewhere, which is another folder",
        ),
        (
            "rm -r .git; echo gitdir: ../elsewhere/.git > .git",
            "`.git` leads to …/elsewhere/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that",
        ),
    ] {
        let hostile = Hostile::new().await;
        hostile.shell(script);
        hostile.check(&refused(why), script).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_of_a_configuration_is_waited_for() {
    for made in ["mkfifo ../endless", "ln -s /dev/zero ../endless"] {
        let hostile = Hostile::new().await;
        hostile.shell(&format!(
            "{made}; for key in core.excludesFile core.attributesFile diff.orderFile mailmap.file include.path
            do git config --file .git/config $key \"$PWD/../endless\"; done"
        ));
        hostile.check(DONE, made).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn environment_names_no_other_repository() {
    let hostile = Hostile::new().await;
    let elsewhere = hostile.program.parent().unwrap().join("elsewhere");
    let folder = elsewhere.join(".git");
    let (index, objects) = (folder.join("index"), folder.join("objects"));
    let variables: &[(&str, &Path)] = &[
        ("GIT_DIR", &folder),
        ("GIT_WORK_TREE", &elsewhere),
        ("GIT_INDEX_FILE", &index),
        ("GIT_OBJECT_DIRECTORY", &objects),
        ("GIT_EXTERNAL_DIFF", &hostile.program),
        ("GIT_TRACE", &hostile.mark),
    ];
    hostile.check_with(variables, DONE, "variables").await;
    hostile.shell("git update-index --assume-unchanged a.py; echo 'one = 11' > a.py");
    let mut command = hostile.fixture.program(&["plan", "x", "--write"]);
    command.envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(fs::read_to_string(hostile.fixture.root().join("a.py")).unwrap(), "one = 11\n");
}
