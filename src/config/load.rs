//! Loads the configuration.
//!
//! The user's file, a profile of it, the editor's options and each project's file override one another in
//! this order.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::key::{KeyCommand, Keys};
use super::node::{self, Node, RawValue};
use super::options::{Options, Profiles};
use super::read::{Merge, Problem, Reading, nearest};
use super::resolve::{Keyring, resolve};
use super::{Scoped, project};
use crate::disk::{self, Links, Readers, Stamp, Unreadable};

/// The file with a project's settings, in its workspace folder.
pub const PROJECT_FILE: &str = ".tandem.toml";
/// Bytes of a configuration file that are read at most.
const LONGEST: u64 = 256 * 1024;
/// Timeout for reading a project's file.
///
/// Loading settings may block an editor. One whose disk does not answer cannot be read, and is looked at
/// again when the disk is back.
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
    /// The resulting settings: every valid value, and defaults for the rest.
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

/// Loads everything.
///
/// Reads files; with `run`, also runs the commands that print keys, which may take a minute.
pub fn load(sources: &Sources<'_>, keys: &mut Keys, run: bool) -> Loaded {
    load_over(sources, None, keys, run)
}

/// Reloads everything without running commands.
///
/// An invalid value keeps its predecessor from `before`. A file with a syntax error, or one that cannot be
/// read, is kept whole, since it is unknown what is missing from it.
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
    // What an editor sends may come from the project: it says so itself, or the user does not rely on its
    // care.
    if trusted == Some(false) || !trust_editor {
        for layer in layers.iter_mut().filter(|layer| layer.from_editor) {
            project::restrict(&mut layer.node, &mut Reading::new(&layer.source, "", &mut problems));
        }
    }
    let (mut options, bad) = merge(&layers, &mut problems);
    if let Some(before) = before.filter(|_| !bad.is_empty()) {
        for (at, path) in bad {
            let layer = &mut layers[at];
            layer.node.put_back(whole(&path), before.source(&layer.source));
        }
        // What is wrong was said.
        options = merge(&layers, &mut Vec::new()).0;
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

/// Restores a provider as a unit.
///
/// With the address of one and the key of the other, a provider would be sent what is not meant for it.
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
        let node = Node { at: Some(0), value: RawValue::Table(Vec::new()) };
        Self { source, text: String::new(), node, from_editor: false }
    }

    /// The parsed file; `None` if there is none. An unreadable file keeps its previous state.
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

/// Reads a switch that grants something. Only `true` does; any other value grants nothing.
fn is_granted(node: &Node) -> bool {
    matches!(node.value, RawValue::Switch(true))
}

/// Merges the sources, each followed by its own chosen profile.
///
/// Also returns where something could not be read: the source's number, and the names that lead there.
fn merge(layers: &[Layer], problems: &mut Vec<Problem>) -> (Options, Vec<(usize, Vec<String>)>) {
    let mut options = Options::default();
    let mut bad = Vec::new();
    let mut chosen: Option<String> = None;
    let mut read = Vec::new();
    for (at, layer) in layers.iter().enumerate() {
        let mut node = layer.node.clone();
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        let mut profiles = Profiles::default();
        for (name, target) in [("profile", &mut chosen as &mut dyn Merge), ("profiles", &mut profiles)] {
            if let Some(node) = node.take(name) {
                reading.below(name, |reading| target.merge_from(node, reading));
            }
        }
        bad.extend(reading.into_bad().into_iter().map(|path| (at, path)));
        read.push((layer, node, profiles.0));
    }
    let chosen = chosen.unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (at, (layer, node, profiles)) in read.into_iter().enumerate() {
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        options.merge_from(node, &mut reading);
        for (name, profile) in profiles {
            // The other ones are read as well, so that what is wrong in them is known before they are needed.
            let mut unused = Options::default();
            let options = if name == chosen { &mut options } else { &mut unused };
            reading.below("profiles", |reading| {
                reading.below(&name, |reading| options.merge_from(profile, reading))
            });
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

/// A project's file, which may be on an untrusted or remote disk.
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
