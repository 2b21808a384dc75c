//! Loading: the user's file, a profile of it, what the editor sent, and the file of each project, one over the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::key::{KeyCommand, Keys};
use super::node::{self, Node, Written};
use super::options::{Options, Profiles};
use super::read::{Lay, Problem, Reading, nearest};
use super::resolve::{Keyring, resolve};
use super::{Scoped, project};
use crate::disk::{self, Links, Readers, Stamp, Unreadable};

/// The file with a project's settings, in its workspace folder.
pub const PROJECT_FILE: &str = ".tandem.toml";
/// Bytes of a configuration file that are read at most.
const LONGEST: u64 = 256 * 1024;
/// How long a project's file is waited for: whoever loads settings may hold up an editor. One whose disk does not answer
/// cannot be read, and is looked at again when the disk is back.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where settings come from. Later ones are laid over earlier ones.
pub struct Sources<'a> {
    /// The user's file; a missing one is no problem.
    pub file: Option<&'a Path>,
    /// What the editor sent, `initializationOptions` first.
    pub editor: &'a [Value],
    /// The workspace folders, each of which may have a [`PROJECT_FILE`].
    pub folders: &'a [PathBuf],
    /// The environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// What waits for the folders' disks.
    pub readers: &'a Readers,
}

/// Settings, and what was wrong on the way to them.
#[derive(Debug)]
pub struct Loaded {
    /// What is in force: every good value, and defaults for the rest.
    pub settings: Scoped,
    /// What was left out, by name.
    pub problems: Vec<Problem>,
    /// The commands for keys that have yet to be run.
    pub pending: Vec<KeyCommand>,
    /// The files as they were; with the workspace folder that one is in.
    stamps: Vec<(Option<PathBuf>, PathBuf, Option<Stamp>)>,
    readers: Readers,
    /// What each source came to, by name: what is put back where something new cannot be read.
    sources: Vec<(String, Node)>,
}

impl Loaded {
    /// Whether a file that was read, or was not there, has changed since. Asks the file system.
    pub fn is_stale(&self) -> bool {
        self.stamps.iter().any(|(folder, path, stamp)| {
            let now = match folder {
                None => self::stamp(path),
                Some(folder) => {
                    let path = path.clone();
                    let look = move || self::stamp(&path);
                    // What cannot be asked for now has not changed, as far as one can tell.
                    match self.readers.within(folder, PATIENCE, look) {
                        Ok(now) => now,
                        Err(_) => return false,
                    }
                }
            };
            now != *stamp
        })
    }

    /// What a source came to. What an editor sends is one, whichever message it came in.
    fn source(&self, name: &str) -> Option<&Node> {
        let find = |name: &str| self.sources.iter().find(|(it, _)| it == name).map(|(_, node)| node);
        find(name).or_else(|| if name == EDITOR_LATER { find(EDITOR) } else { None })
    }
}

/// The names of what an editor sends, at first and later.
const EDITOR: &str = "initializationOptions";
const EDITOR_LATER: &str = "the editor's settings";

/// Loads everything. Reads files; with `run`, also runs the commands that print keys, which may take a minute.
pub fn load(sources: &Sources<'_>, keys: &mut Keys, run: bool) -> Loaded {
    load_over(sources, None, keys, run)
}

/// Loads everything again, and runs no commands. Where a value cannot be read, the one from `before` stays in force; a
/// file with a mistake in its grammar, or one that cannot be read, stays in force whole: nobody can tell what is
/// missing from it.
pub fn reload(sources: &Sources<'_>, before: &Loaded, keys: &mut Keys) -> Loaded {
    load_over(sources, Some(before), keys, false)
}

fn load_over(sources: &Sources<'_>, before: Option<&Loaded>, keys: &mut Keys, run: bool) -> Loaded {
    let mut problems = Vec::new();
    let mut stamps = Vec::new();
    let mut layers = Vec::new();
    if let Some(path) = sources.file {
        stamps.push((None, path.to_owned(), stamp(path)));
        let layer = Layer::of_file(path, read(path), before, &mut problems);
        layers.push(layer.unwrap_or_else(|| Layer::empty(path.display().to_string())));
    }
    let trust_editor = layers.first().and_then(|layer| layer.node.get("trust_editor")).is_none_or(is_granted);
    let mut trusted = None;
    for (at, sent) in sources.editor.iter().enumerate() {
        let source = if at == 0 { EDITOR } else { EDITOR_LATER };
        let mut layer = Layer { node: sent.into(), from_editor: true, ..Layer::empty(source.to_owned()) };
        trusted = layer.node.take("trusted").as_ref().map(is_granted).or(trusted);
        layers.push(layer);
    }
    // What an editor sends may come from the project: it says so itself, or the user does not rely on its care.
    if trusted == Some(false) || !trust_editor {
        for layer in layers.iter_mut().filter(|layer| layer.from_editor) {
            project::restrict(&mut layer.node, &mut Reading::new(&layer.source, "", &mut problems));
        }
    }
    let (mut options, bad) = lay(&layers, &mut problems);
    if let Some(before) = before.filter(|_| !bad.is_empty()) {
        for (at, path) in bad {
            let layer = &mut layers[at];
            layer.node.put_back(whole(&path), before.source(&layer.source));
        }
        // What is wrong was said.
        options = lay(&layers, &mut Vec::new()).0;
    }
    let mut read: Vec<(String, Node)> = layers.into_iter().map(|it| (it.source, it.node)).collect();
    let mut keyring = Keyring { variable: sources.variable, keys, run, pending: Vec::new() };
    let settings = resolve(&options, sources.file, &mut keyring, &mut problems);
    let pending = keyring.pending;
    let mut scoped = Scoped::from(Arc::new(settings));
    if trusted != Some(false) {
        for folder in sources.folders {
            let path = folder.join(PROJECT_FILE);
            let (stamp, text) = project_file(sources.readers, folder, &path);
            stamps.push((Some(folder.clone()), path.clone(), stamp));
            let Some(mut layer) = Layer::of_file(&path, text, before, &mut problems) else { continue };
            let mut reading = Reading::new(&layer.source, &layer.text, &mut problems);
            project::restrict(&mut layer.node, &mut reading);
            let mut settings = project::over(scoped.everywhere(), layer.node.clone(), &mut reading);
            let bad = reading.into_bad();
            if let Some(before) = before.filter(|_| !bad.is_empty()) {
                for path in bad {
                    layer.node.put_back(whole(&path), before.source(&layer.source));
                }
                let mut said = Vec::new();
                let mut reading = Reading::new(&layer.source, "", &mut said);
                settings = project::over(scoped.everywhere(), layer.node.clone(), &mut reading);
            }
            scoped.add(folder.clone(), Arc::new(settings));
            read.push((layer.source, layer.node));
        }
    }
    let readers = sources.readers.clone();
    Loaded { settings: scoped, problems, pending, stamps, readers, sources: read }
}

/// The path of what must not be put together from old and new. With the address of one and the key of the other, a
/// provider would be sent what is not meant for it.
fn whole(path: &[String]) -> &[String] {
    let at = match path {
        [first, ..] if first == "providers" => 2,
        [first, _, third, ..] if first == "profiles" && third == "providers" => 4,
        _ => path.len(),
    };
    &path[..at.min(path.len())]
}

/// One source.
struct Layer {
    source: String,
    /// To tell lines by; empty for an editor's message.
    text: String,
    node: Node,
    from_editor: bool,
}

impl Layer {
    fn empty(source: String) -> Self {
        let node = Node { at: Some(0), value: Written::Table(Vec::new()) };
        Self { source, text: String::new(), node, from_editor: false }
    }

    /// A file by what was read of it; `None` if there is none. One that cannot be read stays as it was.
    fn of_file(
        path: &Path,
        text: Text,
        before: Option<&Loaded>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let source = path.display().to_string();
        let known = before.and_then(|it| it.source(&source));
        let text = match text {
            Ok(text) => text?,
            Err(why) => {
                problems.push(Problem::new(&source, "", format!("cannot be read: {why}")));
                return known.map(|node| Self { node: node.clone(), ..Self::empty(source) });
            }
        };
        let (mut node, errors) = node::parse(&text);
        let mut reading = Reading::new(&source, &text, problems);
        let is_sound = errors.is_empty();
        for (at, what) in errors {
            reading.wrong(Some(at), what);
        }
        if let Some(known) = known.filter(|_| !is_sound) {
            reading.wrong(None, "until that is mended, what it said before stays in force");
            node = known.clone();
        }
        Some(Self { text, node, ..Self::empty(source) })
    }
}

/// Reads a switch that grants something. Whoever writes something else there does not mean to grant anything.
fn is_granted(node: &Node) -> bool {
    matches!(node.value, Written::Switch(true))
}

/// Lays the sources over each other, each with the chosen profile of its own right behind it. Also where something
/// could not be read: the source's number, and the names that lead there.
fn lay(layers: &[Layer], problems: &mut Vec<Problem>) -> (Options, Vec<(usize, Vec<String>)>) {
    let mut options = Options::default();
    let mut bad = Vec::new();
    let mut chosen: Option<String> = None;
    let mut read = Vec::new();
    for (at, layer) in layers.iter().enumerate() {
        let mut node = layer.node.clone();
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        let mut profiles = Profiles::default();
        for (name, lay) in [("profile", &mut chosen as &mut dyn Lay), ("profiles", &mut profiles)] {
            if let Some(node) = node.take(name) {
                reading.below(name, |reading| lay.lay(node, reading));
            }
        }
        bad.extend(reading.into_bad().into_iter().map(|path| (at, path)));
        read.push((layer, node, profiles.0));
    }
    let chosen = chosen.unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (at, (layer, node, profiles)) in read.into_iter().enumerate() {
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        options.lay(node, &mut reading);
        for (name, profile) in profiles {
            // The other ones are read as well, so that what is wrong in them is known before they are needed.
            let mut unused = Options::default();
            let options = if name == chosen { &mut options } else { &mut unused };
            reading
                .below("profiles", |reading| reading.below(&name, |reading| options.lay(profile, reading)));
            names.push(name);
        }
        bad.extend(reading.into_bad().into_iter().map(|path| (at, path)));
    }
    let known = |name: &str| names.iter().any(|it| it == name);
    if !chosen.is_empty() && chosen != "default" && !known(&chosen) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let guess = nearest(&chosen, &names).map(|it| format!("; did you mean `{it}`?"));
        let what = format!("there is no `[profiles.{chosen}]`{}", guess.unwrap_or_default());
        problems.push(Problem::new("", "profile", what));
    }
    (options, bad)
}

/// A file's text; `None` if it is not there.
type Text = Result<Option<String>, Unreadable>;

fn read(path: &Path) -> Text {
    match disk::text(path, LONGEST, Links::Follow) {
        Ok(text) => Ok(Some(text)),
        Err(Unreadable::Missing) => Ok(None),
        Err(why) => Err(why),
    }
}

/// The file of a project, whose disk may be anybody's.
fn project_file(readers: &Readers, folder: &Path, path: &Path) -> (Option<Stamp>, Text) {
    let path = path.to_owned();
    let read = move || (stamp(&path), read(&path));
    readers.within(folder, PATIENCE, read).unwrap_or_else(|stuck| (None, Err(stuck.into())))
}

/// What cannot be asked for is not there, until it changes.
fn stamp(path: &Path) -> Option<Stamp> {
    disk::stamp(path).ok().flatten()
}

#[cfg(test)]
mod tests;
