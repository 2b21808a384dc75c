//! The last step of the demonstration: two models, and which of them is better on a history.

use serde_json::json;
use tempfile::TempDir;

use super::screen;
use crate::cli::compare::example::ExampleHistory;
use crate::simulate::{self, Options, Script, Simulator};

/// Each is a line of the history's file, added by a commit of its own.
const GOODS: [&str; 24] = [
    "tea", "milk", "bread", "rice", "salt", "oil", "sugar", "flour", "beans", "corn", "plums", "pears",
    "soap", "paper", "ink", "rope", "nails", "glue", "paint", "wax", "wool", "silk", "yarn", "thread",
];
const PATH: &str = "src/goods.rs";

/// Asks two simulated models what each commit added, and prints the sentence of the comparison.
pub(super) async fn compared() -> anyhow::Result<()> {
    let changes = ExampleHistory::new(PATH, &history());
    let [good, worse] = [model(&changes, |_| false).await?, model(&changes, |at| at % 2 == 0).await?];
    let folder = TempDir::new()?;
    let provider =
        |name: &str, it: &Simulator| format!("[providers.{name}]\nbase_url = \"{}\"\n", it.base_url());
    let config = folder.path().join("config.toml");
    let candidate = |name: &str| format!("{{ provider = \"{name}\", model = \"{}\" }}", simulate::MODEL);
    let text = format!(
        "{}{}[fast]\ncandidates = [{}, {}]\n",
        provider("one", &good),
        provider("other", &worse),
        candidate("one"),
        candidate("other"),
    );
    std::fs::write(&config, text)?;
    let names = ["one", "other"].map(|it| format!("{it}/{}", simulate::MODEL));
    let names = names.each_ref().map(String::as_str);
    let result = changes.compare(&config, names, folder.path(), &folder.path().join("state")).await;
    screen::step(
        "Compared",
        "ran `tandem compare A B`: what would two models have written in place of your last commits?",
    );
    let result = match result {
        Ok(result) => result,
        // A company's policy may not allow the simulated models.
        Err(why) => {
            screen::fact(&format!("left out here: {why:#}"));
            return Ok(());
        }
    };
    screen::fact(&result.sentence());
    screen::note("The commits are invented, and B is made to be wrong in every second place.");
    Ok(())
}

/// The texts of the file, oldest first.
fn history() -> Vec<String> {
    let line = |(at, name): (usize, &&str)| format!("    let {name} = shelf.price(\"{name}\", {at});\n");
    let lines: Vec<String> = GOODS.iter().enumerate().map(line).collect();
    (0..=lines.len())
        .map(|end| format!("fn fill(shelf: &mut Shelf) {{\n{}}}\n", lines[..end].concat()))
        .collect()
}

/// A model with a prepared reply for each position.
async fn model(changes: &ExampleHistory, is_wrong: fn(usize) -> bool) -> anyhow::Result<Simulator> {
    let reply = |(at, (before, written)): (usize, (&str, &str))| {
        let reply = if is_wrong(at) { "nothing_of_it();" } else { written };
        json!({ "when": before.trim_start(), "reply": reply }).to_string() + "\n"
    };
    // Later lines come first, since a prompt contains the earlier ones, too.
    let lines: Vec<String> = changes.held_out().enumerate().map(reply).collect();
    let script = Script::parse(&lines.into_iter().rev().collect::<String>())?;
    Ok(simulate::start(Options { script, ..Options::default() }).await?)
}
