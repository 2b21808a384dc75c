//! Loading: the user's file, a profile of it, what the editor sent, and the file of each project, one over the other.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::key::Keys;
use super::node::{self, Node, Written};
use super::options::{Options, Profiles};
use super::read::{Lay, Problem, Reading, nearest};
use super::resolve::{Keyring, resolve};
use super::{Scoped, project};

/// The file with a project's settings, in its workspace folder.
pub const PROJECT_FILE: &str = ".tandem.toml";
/// Bytes of a configuration file that are read at most.
const LONGEST: u64 = 256 * 1024;

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
}

/// Settings, and what was wrong on the way to them.
#[derive(Debug)]
pub struct Loaded {
    /// What is in force: every good value, and defaults for the rest.
    pub settings: Scoped,
    /// What was left out, by name.
    pub problems: Vec<Problem>,
    /// Whether the command for a key has yet to be run.
    pub pending: bool,
    stamps: Vec<(PathBuf, Stamp)>,
}

/// By what a file is known to be the same: when it was written and its length; `None` if it is not there.
type Stamp = Option<(SystemTime, u64)>;

impl Loaded {
    /// Whether a file that was read, or was not there, has changed since. Asks the file system.
    pub fn is_stale(&self) -> bool {
        self.stamps.iter().any(|(path, stamp)| self::stamp(path) != *stamp)
    }
}

/// Loads everything. Reads files; with `run`, also runs the commands that print keys, which may take a minute.
pub fn load(sources: &Sources<'_>, keys: &mut Keys, run: bool) -> Loaded {
    let mut problems = Vec::new();
    let mut stamps = Vec::new();
    let mut layers = Vec::new();
    let text;
    let name = sources.file.map_or_else(String::new, |path| path.display().to_string());
    if let Some(path) = sources.file {
        stamps.push((path.to_owned(), stamp(path)));
        text = read(path, &name, &mut problems).unwrap_or_default();
        let node = parse(&name, &text, &mut problems);
        layers.push(Layer { source: &name, text: &text, node, from_editor: false });
    }
    let trust_editor = switch(layers.first_mut(), "trust_editor").unwrap_or(true);
    let mut trusted = None;
    for (at, sent) in sources.editor.iter().enumerate() {
        let source = if at == 0 { "initializationOptions" } else { "the editor's settings" };
        let mut layer = Layer { source, text: "", node: sent.into(), from_editor: true };
        trusted = switch(Some(&mut layer), "trusted").or(trusted);
        layers.push(layer);
    }
    // What an editor sends may come from the project: it says so itself, or the user does not rely on its care.
    if trusted == Some(false) || !trust_editor {
        for layer in layers.iter_mut().filter(|layer| layer.from_editor) {
            project::restrict(&mut layer.node, &mut Reading::new(layer.source, "", &mut problems));
        }
    }
    let options = lay(layers, &mut problems);
    let mut keyring = Keyring { variable: sources.variable, keys, run, pending: false };
    let settings = resolve(&options, sources.file, &mut keyring, &mut problems);
    let pending = keyring.pending;
    let mut scoped = Scoped::from(Arc::new(settings));
    if trusted != Some(false) {
        for folder in sources.folders {
            let path = folder.join(PROJECT_FILE);
            stamps.push((path.clone(), stamp(&path)));
            let name = path.display().to_string();
            if let Some(text) = read(&path, &name, &mut problems) {
                let mut node = parse(&name, &text, &mut problems);
                let mut reading = Reading::new(&name, &text, &mut problems);
                project::restrict(&mut node, &mut reading);
                let settings = project::over(scoped.everywhere(), node, &mut reading);
                scoped.add(folder.clone(), Arc::new(settings));
            }
        }
    }
    Loaded { settings: scoped, problems, pending, stamps }
}

/// One source.
struct Layer<'a> {
    source: &'a str,
    text: &'a str,
    node: Node,
    from_editor: bool,
}

/// Takes a switch out of a layer that is for the loader alone.
fn switch(layer: Option<&mut Layer<'_>>, name: &str) -> Option<bool> {
    match layer?.node.take(name)?.value {
        Written::Switch(it) => Some(it),
        // Whoever writes something else here does not mean to grant anything.
        _ => Some(false),
    }
}

/// Lays the sources over each other, each with the chosen profile of its own right behind it.
fn lay(layers: Vec<Layer<'_>>, problems: &mut Vec<Problem>) -> Options {
    let mut options = Options::default();
    let mut chosen: Option<String> = None;
    let mut read = Vec::new();
    for Layer { source, text, mut node, .. } in layers {
        let mut reading = Reading::new(source, text, problems);
        let mut profiles = Profiles::default();
        for (name, lay) in [("profile", &mut chosen as &mut dyn Lay), ("profiles", &mut profiles)] {
            if let Some(node) = node.take(name) {
                reading.below(name, |reading| lay.lay(node, reading));
            }
        }
        read.push((source, text, node, profiles.0));
    }
    let chosen = chosen.unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (source, text, node, profiles) in read {
        options.lay(node, &mut Reading::new(source, text, problems));
        for (name, profile) in profiles {
            let mut reading = Reading::new(source, text, problems);
            // The other ones are read as well, so that what is wrong in them is known before they are needed.
            let mut unused = Options::default();
            let options = if name == chosen { &mut options } else { &mut unused };
            reading
                .below("profiles", |reading| reading.below(&name, |reading| options.lay(profile, reading)));
            names.push(name);
        }
    }
    let known = |name: &str| names.iter().any(|it| it == name);
    if !chosen.is_empty() && chosen != "default" && !known(&chosen) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let guess = nearest(&chosen, &names).map(|it| format!("; did you mean `{it}`?"));
        let what = format!("there is no `[profiles.{chosen}]`{}", guess.unwrap_or_default());
        problems.push(Problem::new("", "profile", what));
    }
    options
}

fn parse(source: &str, text: &str, problems: &mut Vec<Problem>) -> Node {
    let (node, errors) = node::parse(text);
    let mut reading = Reading::new(source, text, problems);
    for (at, what) in errors {
        reading.wrong(Some(at), what);
    }
    node
}

/// Reads a file; a missing one is no problem. Neither a device nor a file without end keeps the server.
fn read(path: &Path, name: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let read = || {
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let mut text = String::new();
        std::fs::File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            return Err(io::Error::other(format!("it has more than {LONGEST} bytes")));
        }
        Ok(text)
    };
    match read() {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            problems.push(Problem::new(name, "", format!("cannot be read: {error}")));
            None
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests;
