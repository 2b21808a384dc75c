//! Loads the configuration.
//!
//! The sources are, from lowest to highest precedence: what a company's policy offers, the user's file, its active
//! profile, the editor's options, and each project's file. The policy's rules narrow the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::fail_closed::FailClosed;
use super::key::KeyCommand;
use super::keys::Keys;
use super::limits::{CONFIG_FILE_BYTES, DISK_TIMEOUT};
use super::node::{self, Node, RawValue};
use super::options::{Options, Profiles};
use super::policy::{PolicyFiles, in_force};
use super::read::{Merge, Problem, Reading};
use super::resolve::{Keyring, resolve};
use super::resolve_token::Environment;
use super::{Scoped, Settings, project};
use crate::disk::{self, Links, Readers, Stamp, Unreadable};
use crate::text::did_you_mean;

/// The file with a project's settings, in its workspace folder.
pub const PROJECT_FILE: &str = ".tandem.toml";

/// The sources of the settings. Later sources override earlier ones.
pub struct Sources<'a> {
    /// The company's policy. Only tests have none, or one of another place.
    pub policy: Option<&'a PolicyFiles>,
    /// The user's file; it may be missing.
    pub file: Option<&'a Path>,
    /// The editor's settings, `initializationOptions` first.
    pub editor: &'a [Value],
    /// The workspace folders, each of which may have a [`PROJECT_FILE`].
    pub folders: &'a [PathBuf],
    /// Looks up an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Reads the workspace folders, whose disks may be slow.
    pub readers: &'a Readers,
}

/// The settings, and the problems in their sources.
#[derive(Debug)]
pub struct Loaded {
    /// Every valid value, and defaults for the rest.
    pub settings: Scoped,
    /// The values that were left out, by name.
    pub problems: Vec<Problem>,
    /// The commands that print keys and have not been run yet.
    pub pending: Vec<KeyCommand>,
    /// The files as they were, each with its workspace folder if it has one.
    stamps: Vec<(Option<PathBuf>, PathBuf, Option<Stamp>)>,
    readers: Readers,
    /// Each source as it was read, by name, to restore values that can no longer be read.
    sources: Vec<(String, Node)>,
}

impl Loaded {
    /// Whether a file that was read, or was missing, has changed since. Accesses the file system.
    pub fn is_stale(&self) -> bool {
        self.stamps.iter().any(|(folder, path, stamp)| {
            let now = match folder {
                None => self::stamp(path),
                Some(folder) => {
                    let path = path.clone();
                    let look = move || self::stamp(&path);
                    // A disk that does not respond counts as unchanged.
                    match self.readers.within(folder, DISK_TIMEOUT, look) {
                        Ok(now) => now,
                        Err(_) => return false,
                    }
                }
            };
            now != *stamp
        })
    }

    /// A source as it was read. All settings from the editor count as one source.
    fn source(&self, name: &str) -> Option<&Node> {
        let find = |name: &str| self.sources.iter().find(|(it, _)| it == name).map(|(_, node)| node);
        find(name).or_else(|| if name == EDITOR_LATER { find(EDITOR) } else { None })
    }
}

/// The names of the editor's settings: those sent at first, and later ones.
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
    if let Some(path) = sources.file {
        stamps.push((None, path.to_owned(), stamp(path)));
    }
    stamps.extend(sources.policy.map(|it| (None, it.machine.clone(), stamp(&it.machine))));
    let mut policy = sources.policy.and_then(|it| in_force(it, sources.variable, &mut problems));
    let (mut layers, is_trusted) = user_layers(sources, before, &mut problems);
    let offered = policy.as_mut().and_then(|it| it.offered(&mut problems));
    layers.splice(..0, offered.map(|(source, text, node)| Layer { text, node, ..Layer::empty(source) }));
    let mut options = options(&mut layers, before, &mut problems);
    policy.iter_mut().for_each(|it| it.fix(&mut options));
    let layers_are_broken = layers.iter().any(|layer| layer.is_broken);
    let mut read = Vec::new();
    let mut keep = |layer: Layer| read.extend(layer.is_whole.then_some((layer.source, layer.node)));
    layers.into_iter().for_each(&mut keep);
    let folder = sources.file.and_then(Path::parent);
    let environment = Environment { folder, variable: sources.variable };
    let mut keyring = Keyring { environment, keys, run, pending: Vec::new() };
    // What follows from a file that could not be read whole is no mistake of its own.
    let mut implied = Vec::new();
    let mut settings = resolve(&options, &mut keyring, &mut implied);
    problems.extend(implied.into_iter().filter(|_| !layers_are_broken));
    withhold(&mut settings, &problems);
    if !is_trusted {
        // The command would run code from the workspace.
        settings.verify = None;
    }
    if let Some(policy) = policy {
        policy.narrow(&mut settings);
    }
    let pending = keyring.pending;
    let mut scoped = Scoped::from(Arc::new(settings));
    for folder in sources.folders.iter().filter(|_| is_trusted) {
        let path = folder.join(PROJECT_FILE);
        let known = problems.len();
        let (stamp, text) = project_file(sources.readers, folder, &path);
        stamps.push((Some(folder.clone()), path.clone(), stamp));
        let Some(mut layer) = Layer::of_file(&path, text, before, &mut problems) else { continue };
        let mut settings = project_settings(&mut layer, scoped.everywhere(), before, &mut problems);
        withhold(&mut settings, &problems[known..]);
        scoped.add(folder.clone(), Arc::new(settings));
        keep(layer);
    }
    let readers = sources.readers.clone();
    Loaded { settings: scoped, problems, pending, stamps, readers, sources: read }
}

/// Keeps all models from being asked while a mistake leaves open what may be sent or spent.
///
/// The local engine keeps working.
fn withhold(settings: &mut Settings, problems: &[Problem]) {
    let why = |it: &Problem| format!("correct this first: {it}");
    if let Some(problem) = problems.iter().find(|it| it.doubt.is_some()) {
        settings.fast.withhold(&why(problem));
        settings.deep.withhold(&why(problem));
        settings.correction = Some(problem.place().into());
        settings.canary = None;
    }
    if let Some(problem) = problems.iter().find(|it| it.doubt == Some(FailClosed::Shown)) {
        let rules = std::mem::take(&mut settings.privacy.path_rules);
        settings.privacy.path_rules = rules.closed(&why(problem));
    }
}

/// The layers of the user's file and of the editor, and whether the project is trusted.
fn user_layers(
    sources: &Sources<'_>,
    before: Option<&Loaded>,
    problems: &mut Vec<Problem>,
) -> (Vec<Layer>, bool) {
    let mut layers = Vec::new();
    if let Some(path) = sources.file {
        let layer = Layer::of_file(path, read(path), before, problems);
        let none = || Layer { is_whole: false, ..Layer::empty(path.display().to_string()) };
        layers.push(layer.unwrap_or_else(none));
    }
    let trust_editor = layers.first().and_then(|layer| layer.node.get("trust_editor")).is_none_or(is_granted);
    let mut trusted = None;
    for (at, sent) in sources.editor.iter().enumerate() {
        let source = if at == 0 { EDITOR } else { EDITOR_LATER };
        let mut layer = Layer { node: sent.into(), from_editor: true, ..Layer::empty(source.to_owned()) };
        trusted = layer.node.take("trusted").as_ref().map(is_granted).or(trusted);
        project::refuse_commands(&mut layer.node, &mut Reading::new(source, "", problems));
        layers.push(layer);
    }
    let is_trusted = trusted != Some(false);
    // An editor's settings may come from the project, as the editor itself or the user states.
    if !is_trusted || !trust_editor {
        for layer in layers.iter_mut().filter(|layer| layer.from_editor) {
            project::restrict(&mut layer.node, &mut Reading::new(&layer.source, "", problems));
        }
    }
    (layers, is_trusted)
}

/// Merges the user's layers. An invalid value is replaced by its predecessor from `before`.
fn options(layers: &mut [Layer], before: Option<&Loaded>, problems: &mut Vec<Problem>) -> Options {
    let (options, bad) = merge(layers, problems);
    let Some(before) = before.filter(|_| !bad.is_empty()) else { return options };
    for (at, path) in bad {
        let layer = &mut layers[at];
        layer.node.put_back(whole(&path), before.source(&layer.source));
    }
    // The problems were reported the first time.
    merge(layers, &mut Vec::new()).0
}

/// The user's settings, overridden by those of a project.
///
/// An invalid value is replaced by its predecessor from `before`.
fn project_settings(
    layer: &mut Layer,
    user: &Settings,
    before: Option<&Loaded>,
    problems: &mut Vec<Problem>,
) -> Settings {
    let mut doubtful = Vec::new();
    let problems = if layer.is_broken { &mut doubtful } else { problems };
    let mut reading = Reading::new(&layer.source, &layer.text, problems);
    project::restrict(&mut layer.node, &mut reading);
    let settings = project::over(user, layer.node.clone(), &mut reading);
    let bad = reading.bad;
    let Some(before) = before.filter(|_| !bad.is_empty()) else { return settings };
    for path in bad {
        layer.node.put_back(whole(&path), before.source(&layer.source));
    }
    // The problems were reported the first time.
    let mut reported = Vec::new();
    project::over(user, layer.node.clone(), &mut Reading::new(&layer.source, "", &mut reported))
}

/// Widens a path within a provider to the whole provider.
///
/// An old key must never be sent to a new URL.
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
    /// The text, to find line numbers; empty for an editor's settings.
    text: String,
    node: Node,
    from_editor: bool,
    /// Whether it is the complete source, so that it can replace a later version that cannot be read.
    is_whole: bool,
    /// Whether it has a syntax error, so that what it seems to say may not be what it says.
    is_broken: bool,
}

impl Layer {
    fn empty(source: String) -> Self {
        let node = Node { at: Some(0), value: RawValue::Table(Vec::new()) };
        Self { source, text: String::new(), node, from_editor: false, is_whole: true, is_broken: false }
    }

    /// Parses a file; `None` if it does not exist.
    ///
    /// An unreadable file keeps its previous state. Without one, its contents count as unknown.
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
                let doubt = known.is_none().then_some(FailClosed::Shown);
                problems.push(Problem::new(&source, "", format!("cannot be read: {why}")).in_doubt(doubt));
                let empty = Self::empty(source);
                return Some(match known {
                    Some(known) => Self { node: known.clone(), ..empty },
                    None => Self { is_whole: false, is_broken: true, ..empty },
                });
            }
        };
        let (mut node, errors) = node::parse(&text);
        let mut reading = Reading::new(&source, &text, problems);
        let is_sound = errors.is_empty();
        for (at, what) in errors {
            reading.wrong_text(at, what, known.is_none().then_some(FailClosed::Shown));
        }
        if let Some(known) = known.filter(|_| !is_sound) {
            reading.wrong_in("", None, "its previous settings stay active until this is fixed");
            node = known.clone();
        }
        let is_whole = is_sound || known.is_some();
        Some(Self { text, node, is_whole, is_broken: !is_whole, ..Self::empty(source) })
    }
}

/// Reads a switch that grants something. Only `true` does; any other value does not.
fn is_granted(node: &Node) -> bool {
    matches!(node.value, RawValue::Switch(true))
}

/// Merges the sources, each followed by its own chosen profile.
///
/// Also returns the paths of the values that could not be read, each with the number of its source.
fn merge(layers: &[Layer], problems: &mut Vec<Problem>) -> (Options, Vec<(usize, Vec<String>)>) {
    let mut options = Options::default();
    let mut bad = Vec::new();
    let mut chosen: Option<String> = None;
    let mut read = Vec::new();
    // A syntax error may put a setting below the wrong heading.
    let mut doubtful = Vec::new();
    for (at, layer) in layers.iter().enumerate() {
        let mut node = layer.node.clone();
        let problems = if layer.is_broken { &mut doubtful } else { &mut *problems };
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        let mut profiles = Profiles::default();
        for (name, target) in [("profile", &mut chosen as &mut dyn Merge), ("profiles", &mut profiles)] {
            if let Some(node) = node.take(name) {
                reading.below(name, |reading| target.merge_from(node, reading));
            }
        }
        bad.extend(reading.bad.into_iter().map(|path| (at, path)));
        read.push((layer, node, profiles.0));
    }
    let chosen = chosen.unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (at, (layer, node, profiles)) in read.into_iter().enumerate() {
        let problems = if layer.is_broken { &mut doubtful } else { &mut *problems };
        let mut reading = Reading::new(&layer.source, &layer.text, problems);
        let verify = options.verify.clone();
        options.merge_from(node, &mut reading);
        for (name, profile) in profiles {
            // Inactive profiles are read as well, so that their problems are reported early.
            let mut unused = Options::default();
            let into = |options: &mut Options, reading: &mut Reading<'_>| {
                reading.below("profiles", |reading| {
                    reading.below(&name, |reading| options.merge_from(profile, reading))
                })
            };
            match name == chosen {
                true => into(&mut options, &mut reading),
                false => reading.unused(|reading| into(&mut unused, reading)),
            }
            names.push(name);
        }
        // An editor's settings may come from the project.
        if layer.from_editor && format!("{verify:?}") != format!("{:?}", options.verify) {
            options.verify = verify;
            reading.wrong_in("verify", None, "ignored: it is set in the configuration file alone");
        }
        bad.extend(reading.bad.into_iter().map(|path| (at, path)));
    }
    let known = |name: &str| names.iter().any(|it| it == name);
    if !chosen.is_empty() && chosen != "default" && !known(&chosen) {
        let guess = did_you_mean(&chosen, names.iter().map(String::as_str));
        let what = format!("there is no `[profiles.{chosen}]`{guess}");
        problems.push(Problem::new("", "profile", what).in_doubt(Some(FailClosed::Shown)));
    }
    (options, bad)
}

/// A file's text; `None` if it does not exist.
type Text = Result<Option<String>, Unreadable>;

fn read(path: &Path) -> Text {
    match disk::text(path, CONFIG_FILE_BYTES, Links::Follow) {
        Ok(text) => Ok(Some(text)),
        Err(Unreadable::Missing) => Ok(None),
        Err(why) => Err(why),
    }
}

/// A project's file, which may be on an untrusted or remote disk.
fn project_file(readers: &Readers, folder: &Path, path: &Path) -> (Option<Stamp>, Text) {
    let path = path.to_owned();
    let read = move || (stamp(&path), read(&path));
    readers.within(folder, DISK_TIMEOUT, read).unwrap_or_else(|stuck| (None, Err(stuck.into())))
}

/// The state of a file; one that cannot be examined counts as missing, until that changes.
fn stamp(path: &Path) -> Option<Stamp> {
    disk::stamp(path).ok().flatten()
}

#[cfg(test)]
mod tests;
