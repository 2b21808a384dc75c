//! Detects VS Code and the editors derived from it.

use std::path::PathBuf;

use super::places::{Places, names_in, read};
use crate::cli::doctor::findings::{Editor, Problem};

/// VS Code and its derivatives: the name, the program, the folder with extensions below the home folder, and the
/// settings folder below the configuration folder.
const CODES: &[(&str, &str, &str, &str)] = &[
    ("VS Code", "code", ".vscode", "Code"),
    ("VS Code, remote", "", ".vscode-server", ""),
    ("VS Code Insiders", "code-insiders", ".vscode-insiders", "Code - Insiders"),
    ("VSCodium", "codium", ".vscode-oss", "VSCodium"),
    ("Cursor", "cursor", ".cursor", "Cursor"),
    ("Windsurf", "windsurf", ".windsurf", "Windsurf"),
];

/// Other extensions with ghost text, and the setting that turns it off.
const OTHER_EXTENSIONS: &[(&str, Option<&str>)] = &[
    ("github.copilot", Some("\"github.copilot.enable\":{\"*\":false")),
    ("codeium.codeium", None),
    ("continue.continue", Some("\"continue.enableTabAutocomplete\":false")),
    ("tabnine.tabnine-vscode", None),
    ("supermaven.supermaven", None),
    ("tabbyml.vscode-tabby", Some("\"tabby.inlineCompletion.triggerMode\":\"manual\"")),
    ("amazonwebservices.amazon-q-vscode", None),
    ("augment.vscode-augment", None),
];

/// The installed ones of these editors.
pub(super) fn find(places: &Places) -> Vec<Editor> {
    CODES.iter().filter_map(|it| look(places, it)).collect()
}

/// Inspects one of these editors; `None` if it is not installed. It makes its extensions folder when it first runs.
fn look(
    places: &Places,
    (name, program, folder, settings): &(&'static str, &str, &str, &str),
) -> Option<Editor> {
    let installed = names_in(&places.home.join(folder).join("extensions"));
    let installed = installed.or_else(|| places.has(program).then(Vec::new))?;
    let has = |id: &str| installed.iter().any(|it| is_extension(it, id));
    let settings: Vec<PathBuf> = match settings {
        &"" => vec![places.home.join(folder).join("data").join("Machine")],
        settings => {
            let mac = places.home.join("Library").join("Application Support").join(settings);
            vec![places.config.join(settings).join("User"), mac.join("User")]
        }
    };
    let text = |file: &str| -> String {
        settings.iter().filter_map(|it| read(&it.join(file))).map(|it| squeezed(&it)).collect()
    };
    let (settings, keys) = (text("settings.json"), text("keybindings.json"));
    let mut remarks = Vec::new();
    if !has("tandem-ls.tandem") {
        let vsix = places.plugin("tandem.vsix", "editors/vscode/tandem.vsix");
        remarks.push(Problem::new(
            "the extension is not installed",
            format!("Extensions: Install from VSIX… in the palette, with {vsix}"),
        ));
        return Some(Editor { name, has_plugin: false, remarks });
    }
    if settings.contains("\"tandem.enabled\":false") {
        remarks.push(Problem::new("Tandem is turned off", "set `tandem.enabled` to true"));
    }
    let is_off = |setting: &str| settings.contains(&format!("\"{setting}\":false"));
    let draws = !is_off("tandem.ghostText") && !is_off("editor.inlineSuggest.enabled");
    if is_off("editor.inlineSuggest.enabled") {
        remarks
            .push(Problem::new("VS Code shows no ghost text", "set `editor.inlineSuggest.enabled` to true"));
    }
    for (id, off) in OTHER_EXTENSIONS {
        if draws && has(id) && !off.is_some_and(|it| settings.contains(it)) {
            remarks.push(Problem::new(
                format!("{id} draws ghost text, too, and VS Code shows one of the two"),
                "turn one of them off; Tandem's with `\"tandem.ghostText\": false`",
            ));
        }
    }
    let is_unbound = |command: &str| keys.contains(&format!("\"-{command}\""));
    let by_tab = !is_unbound("tandem.nextEdit.jump") && !is_unbound("tandem.nextEdit.accept");
    let by_own = !is_unbound("tandem.nextEdit.go") || keys.contains("\"tandem.nextEdit.go\"");
    if !by_tab && !by_own {
        remarks.push(Problem::new(
            "no key takes next edits",
            "bind `tandem.nextEdit.go` under Preferences: Open Keyboard Shortcuts",
        ));
    }
    Some(Editor { name, has_plugin: true, remarks })
}

/// Whether a folder name is that of this extension: `publisher.name-1.2.3`, perhaps with a platform.
fn is_extension(folder: &str, id: &str) -> bool {
    let folder = folder.to_ascii_lowercase();
    let version = folder.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
    version.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// JSON without comments and white space, so that a setting can be found by substring.
fn squeezed(json: &str) -> String {
    let lines = json.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(str::chars).filter(|it| !it.is_whitespace()).collect()
}
