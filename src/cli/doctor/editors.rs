//! The editors on this machine: whether Tandem is in them, and what stands in its way there.
//!
//! Only reads, and only where editors keep their plugins and settings by default. An editor that is absent is not
//! mentioned.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::findings::{Editor, Problem};
use crate::disk::{self, Links};

/// Bytes of one file of settings; larger ones are not read.
const FILE_BYTES: u64 = 512 * 1024;
/// Files of an editor's configuration that are read at most.
const FILES: usize = 400;
/// How deep they may lie below its folder.
const DEPTH: usize = 5;

/// Editors like VS Code: the name, the folder of extensions below the home, and that of the settings below the folder
/// of configurations.
const CODES: &[(&str, &str, &str)] = &[
    ("VS Code", ".vscode", "Code"),
    ("VS Code, remote", ".vscode-server", ""),
    ("VS Code Insiders", ".vscode-insiders", "Code - Insiders"),
    ("VSCodium", ".vscode-oss", "VSCodium"),
    ("Cursor", ".cursor", "Cursor"),
    ("Windsurf", ".windsurf", "Windsurf"),
];

/// Extensions with ghost text, and the setting that turns theirs off.
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

/// Folders of Neovim's plugins with ghost text.
const OTHER_PLUGINS: &[&str] = &[
    "copilot.lua",
    "copilot.vim",
    "supermaven-nvim",
    "codeium.nvim",
    "codeium.vim",
    "windsurf.nvim",
    "windsurf.vim",
    "neocodeium",
    "tabnine-nvim",
    "minuet-ai.nvim",
    "llama.vim",
    "llm.nvim",
    "vim-tabby",
];

/// Where editors are looked for.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) home: PathBuf,
    /// The user's configurations, and data.
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
    /// The search path for programs.
    pub(super) path: OsString,
    /// The folder of a package's plugins, if this program came with one.
    pub(super) bundled: Option<PathBuf>,
}

impl Places {
    /// Those of this machine; `None` without a home.
    pub(super) fn of_user() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        let bundled = program.and_then(|it| Some(it.parent()?.parent()?.join("share").join("tandem")));
        Some(Self {
            config: folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            data: folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local").join("share")),
            path: std::env::var_os("PATH").unwrap_or_default(),
            bundled: bundled.filter(|it| it.is_dir()),
            home,
        })
    }

    /// The editors that are there.
    pub(super) fn editors(&self) -> Vec<Editor> {
        let mut editors: Vec<Editor> = CODES.iter().filter_map(|it| self.code(it)).collect();
        editors.extend(self.neovim());
        let by_settings = [
            ("hx", "Helix", "helix/languages.toml", "editors/helix.md"),
            ("zed", "Zed", "zed/settings.json", "editors/zed.md"),
            ("kak", "Kakoune", "kak-lsp/kak-lsp.toml", "editors/kakoune.md"),
        ];
        for (program, name, settings, page) in by_settings {
            let text = read(&self.config.join(settings));
            if text.is_some() || self.has(program) {
                let knows = text.is_some_and(|it| it.contains("tandem"));
                let missing = problem(
                    format!("{settings} does not name Tandem"),
                    format!("add `tandem lsp` as a language server: {page}"),
                );
                editors.push(Editor {
                    name,
                    has_plugin: knows,
                    remarks: if knows { vec![] } else { vec![missing] },
                });
            }
        }
        if self.has("emacs") {
            let start = ["emacs/init.el", "../.emacs.d/init.el", "../.emacs"];
            let knows =
                start.iter().any(|it| read(&self.config.join(it)).is_some_and(|it| it.contains("tandem")));
            let missing = problem(
                "its start-up file does not name Tandem".to_owned(),
                "start `tandem lsp` from lsp-mode or Eglot: editors/emacs.md".to_owned(),
            );
            editors.push(Editor {
                name: "Emacs",
                has_plugin: knows,
                remarks: if knows { vec![] } else { vec![missing] },
            });
        }
        editors
    }

    fn has(&self, program: &str) -> bool {
        let names = [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")];
        std::env::split_paths(&self.path).any(|folder| names.iter().any(|name| folder.join(name).is_file()))
    }

    /// Where a plugin lies, for people.
    fn plugin(&self, name: &str, in_repository: &str) -> String {
        let bundled = self.bundled.as_ref().map(|it| it.join(name)).filter(|it| it.exists());
        bundled.map_or_else(|| format!("/path/to/tandem/{in_repository}"), |it| it.display().to_string())
    }

    fn code(&self, (name, folder, settings): &(&'static str, &str, &str)) -> Option<Editor> {
        let installed = names_in(&self.home.join(folder).join("extensions"))?;
        let has = |id: &str| installed.iter().any(|it| is_extension(it, id));
        let settings: Vec<PathBuf> = match settings {
            &"" => vec![self.home.join(folder).join("data").join("Machine")],
            settings => {
                let mac = self.home.join("Library").join("Application Support").join(settings);
                vec![self.config.join(settings).join("User"), mac.join("User")]
            }
        };
        let text = |file: &str| -> String {
            settings.iter().filter_map(|it| read(&it.join(file))).map(|it| squeezed(&it)).collect()
        };
        let (settings, keys) = (text("settings.json"), text("keybindings.json"));
        let mut remarks = Vec::new();
        if !has("tandem-ls.tandem") {
            let vsix = self.plugin("tandem.vsix", "editors/vscode/tandem.vsix");
            remarks.push(problem(
                "the extension is not installed".to_owned(),
                format!("Extensions: Install from VSIX… in the palette, with {vsix}"),
            ));
            return Some(Editor { name, has_plugin: false, remarks });
        }
        if settings.contains("\"tandem.enabled\":false") {
            remarks
                .push(problem("Tandem is turned off".to_owned(), "set `tandem.enabled` to true".to_owned()));
        }
        let is_off = |setting: &str| settings.contains(&format!("\"{setting}\":false"));
        let draws = !is_off("tandem.ghostText") && !is_off("editor.inlineSuggest.enabled");
        if is_off("editor.inlineSuggest.enabled") {
            remarks.push(problem(
                "VS Code shows no ghost text".to_owned(),
                "set `editor.inlineSuggest.enabled` to true".to_owned(),
            ));
        }
        for (id, off) in OTHER_EXTENSIONS {
            if draws && has(id) && !off.is_some_and(|it| settings.contains(it)) {
                remarks.push(problem(
                    format!("{id} draws ghost text, too, and VS Code shows one of the two"),
                    "turn one of them off; Tandem's with `\"tandem.ghostText\": false`".to_owned(),
                ));
            }
        }
        let is_unbound = |command: &str| keys.contains(&format!("\"-{command}\""));
        let by_tab = !is_unbound("tandem.nextEdit.jump") && !is_unbound("tandem.nextEdit.accept");
        let by_own = !is_unbound("tandem.nextEdit.go") || keys.contains("\"tandem.nextEdit.go\"");
        if !by_tab && !by_own {
            remarks.push(problem(
                "no key takes next edits".to_owned(),
                "bind `tandem.nextEdit.go` under Preferences: Open Keyboard Shortcuts".to_owned(),
            ));
        }
        Some(Editor { name, has_plugin: true, remarks })
    }

    fn neovim(&self) -> Option<Editor> {
        let config = self.config.join("nvim");
        if !self.has("nvim") && !config.is_dir() {
            return None;
        }
        let written = lua_below(&config);
        let names = |words: &[&str]| words.iter().any(|it| written.contains(it));
        let folders = self.neovim_plugins();
        let is_plugin = |folder: &PathBuf| {
            [folder.clone(), folder.join("editors/neovim")]
                .iter()
                .any(|it| it.join("lua/tandem/init.lua").is_file())
        };
        let is_there = folders.iter().any(is_plugin);
        let is_set_up =
            names(&["require('tandem').setup", "require(\"tandem\").setup", "require'tandem'.setup"])
                || (names(&["name = 'tandem'", "name = \"tandem\"", "editors/neovim"]) && names(&["opts ="]));
        let folder = self.plugin("neovim", "editors/neovim");
        let mut remarks = Vec::new();
        if !is_set_up {
            let what =
                if is_there { "the plugin is there, but not set up" } else { "the plugin is not installed" };
            let path =
                if is_there { String::new() } else { format!("vim.opt.runtimepath:append('{folder}'); ") };
            let next_step = format!("in init.lua: {path}require('tandem').setup()");
            return Some(Editor {
                name: "Neovim",
                has_plugin: false,
                remarks: vec![problem(what.to_owned(), next_step)],
            });
        }
        if !names(&["').tab", "\").tab", "tandem-next", "next_edit()", "Tandem next"]) {
            remarks.push(problem(
                "no key takes next edits".to_owned(),
                "in init.lua: vim.keymap.set({ 'i', 's', 'n' }, '<Tab>', require('tandem').tab, { expr = true })"
                    .to_owned(),
            ));
        }
        for folder in &folders {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if OTHER_PLUGINS.contains(&&*name) {
                remarks.push(problem(
                    format!("{name} draws ghost text, too"),
                    "turn one of them off; Tandem's with `ghost_text = false` in setup()".to_owned(),
                ));
            }
        }
        Some(Editor { name: "Neovim", has_plugin: true, remarks })
    }

    /// The folders of Neovim's plugins: of its own packages, and of plugin managers.
    fn neovim_plugins(&self) -> Vec<PathBuf> {
        let data = self.data.join("nvim");
        let mut folders = below(&data.join("lazy"));
        for site in [data.join("site"), self.config.join("nvim"), PathBuf::from("/usr/share/nvim/site")] {
            for package in below(&site.join("pack")) {
                folders.extend(["start", "opt"].iter().flat_map(|it| below(&package.join(it))));
            }
        }
        folders.extend(below(&data.join("plugged")));
        folders
    }
}

fn problem(what: String, next_step: String) -> Problem {
    Problem { what, next_step }
}

fn read(path: &Path) -> Option<String> {
    disk::text(path, FILE_BYTES, Links::Follow).ok()
}

/// The names in a folder, in order; `None` if there is no such folder.
fn names_in(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|it| Some(it.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Some(names)
}

/// What lies in a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    names_in(folder).unwrap_or_default().iter().map(|it| folder.join(it)).collect()
}

/// Whether a folder of extensions holds this one: `publisher.name-1.2.3`, perhaps with a platform.
fn is_extension(folder: &str, id: &str) -> bool {
    let folder = folder.to_ascii_lowercase();
    let version = folder.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
    version.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// JSON with comments, without these and without blanks, so that a setting is found as text.
fn squeezed(json: &str) -> String {
    let lines = json.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(str::chars).filter(|it| !it.is_whitespace()).collect()
}

/// The Lua and Vim script below a folder, without lines that are comments.
fn lua_below(folder: &Path) -> String {
    let mut text = String::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    let mut files = 0;
    while let Some((path, depth)) = waiting.pop() {
        if path.is_dir() {
            if depth < DEPTH {
                waiting.extend(below(&path).into_iter().map(|it| (it, depth + 1)));
            }
            continue;
        }
        let name = path.to_string_lossy();
        let is_code = name.ends_with(".lua") || name.ends_with(".vim");
        if !is_code || files == FILES {
            continue;
        }
        files += 1;
        for line in read(&path).unwrap_or_default().lines() {
            let is_comment = line.trim_start().starts_with("--") || line.trim_start().starts_with('"');
            if !is_comment {
                text += line;
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tempfile::TempDir;

    use super::*;

    /// What is said with these files below the home; a name that ends in `/` is a folder.
    fn check(files: &[(&str, &str)], expect: Expect) {
        let home = TempDir::new().unwrap();
        let at = |name: &str| home.path().join(name);
        for (name, text) in files {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            if name.ends_with('/') {
                std::fs::create_dir_all(at(name)).unwrap();
            } else {
                std::fs::write(at(name), text).unwrap();
            }
        }
        let places = Places {
            home: at(""),
            config: at(".config"),
            data: at(".local/share"),
            path: at("bin").into(),
            bundled: Some(at("share/tandem")).filter(|it| it.is_dir()),
        };
        let mut shown = String::new();
        for Editor { name, has_plugin, remarks } in places.editors() {
            shown += &format!("{name}: {}\n", if has_plugin { "yes" } else { "no" });
            for Problem { what, next_step } in remarks {
                shown += &format!("  {what}\n    {next_step}\n");
            }
        }
        expect.assert_eq(&shown.replace(&home.path().display().to_string(), ""));
    }

    #[test]
    fn absent_editors_are_not_mentioned() {
        check(&[], expect![""]);
        check(&[("bin/unrelated", "")], expect![""]);
    }

    #[test]
    fn editor_without_the_plugin_gets_the_way_to_it() {
        check(
            &[
                ("bin/nvim", ""),
                ("bin/hx", ""),
                ("bin/emacs", ""),
                (".vscode/extensions/rust-lang.rust-analyzer-0.3/", ""),
            ],
            expect![[r#"
                VS Code: no
                  the extension is not installed
                    Extensions: Install from VSIX… in the palette, with /path/to/tandem/editors/vscode/tandem.vsix
                Neovim: no
                  the plugin is not installed
                    in init.lua: vim.opt.runtimepath:append('/path/to/tandem/editors/neovim'); require('tandem').setup()
                Helix: no
                  helix/languages.toml does not name Tandem
                    add `tandem lsp` as a language server: editors/helix.md
                Emacs: no
                  its start-up file does not name Tandem
                    start `tandem lsp` from lsp-mode or Eglot: editors/emacs.md
            "#]],
        );
        check(
            &[
                (".config/nvim/init.lua", "vim.o.number = true\n-- require('tandem').setup()\n"),
                (".vscode/extensions/", ""),
                ("share/tandem/neovim/", ""),
                ("share/tandem/tandem.vsix", ""),
            ],
            expect![[r#"
                VS Code: no
                  the extension is not installed
                    Extensions: Install from VSIX… in the palette, with /share/tandem/tandem.vsix
                Neovim: no
                  the plugin is not installed
                    in init.lua: vim.opt.runtimepath:append('/share/tandem/neovim'); require('tandem').setup()
            "#]],
        );
        let there = ".local/share/nvim/site/pack/core/opt/tandem/editors/neovim/lua/tandem/init.lua";
        check(
            &[("bin/nvim", ""), (there, "")],
            expect![[r#"
            Neovim: no
              the plugin is there, but not set up
                in init.lua: require('tandem').setup()
        "#]],
        );
    }

    #[test]
    fn editor_with_all_of_it_gets_no_remark() {
        let init = "require(\"tandem\").setup()\nvim.keymap.set('n', '<Tab>', require(\"tandem\").tab)\n";
        check(
            &[
                (".config/nvim/lua/plugins/ai.lua", init),
                (".vscode/extensions/tandem-ls.tandem-0.1.0-linux-x64/", ""),
                (".config/helix/languages.toml", "[language-server.tandem]\n"),
            ],
            expect![[r#"
                VS Code: yes
                Neovim: yes
                Helix: yes
            "#]],
        );
    }

    #[test]
    fn what_stands_in_the_way_is_told() {
        let settings = "{\n  // \"tandem.enabled\": false,\n  \"editor.inlineSuggest.enabled\" : false\n}\n";
        check(
            &[
                (".config/nvim/init.lua", "require('tandem').setup()\n"),
                (".local/share/nvim/lazy/copilot.lua/", ""),
                (".cursor/extensions/tandem-ls.tandem-0.1.0/", ""),
                (".config/Cursor/User/settings.json", settings),
                (".vscode/extensions/tandem-ls.tandem-0.1.0/", ""),
                (".vscode/extensions/github.copilot-1.300.0/", ""),
                (".vscode/extensions/github.copilot-chat-0.30.0/", ""),
                (
                    ".config/Code/User/keybindings.json",
                    "[{\"command\": \"-tandem.nextEdit.jump\"}, {\"command\": \"-tandem.nextEdit.go\"}]",
                ),
            ],
            expect![[r#"
                VS Code: yes
                  github.copilot draws ghost text, too, and VS Code shows one of the two
                    turn one of them off; Tandem's with `"tandem.ghostText": false`
                  no key takes next edits
                    bind `tandem.nextEdit.go` under Preferences: Open Keyboard Shortcuts
                Cursor: yes
                  VS Code shows no ghost text
                    set `editor.inlineSuggest.enabled` to true
                Neovim: yes
                  no key takes next edits
                    in init.lua: vim.keymap.set({ 'i', 's', 'n' }, '<Tab>', require('tandem').tab, { expr = true })
                  copilot.lua draws ghost text, too
                    turn one of them off; Tandem's with `ghost_text = false` in setup()
            "#]],
        );
        check(
            &[
                (".vscode/extensions/tandem-ls.tandem-0.1.0/", ""),
                (".vscode/extensions/github.copilot-1.300.0/", ""),
                (".config/Code/User/settings.json", "{ \"github.copilot.enable\": { \"*\": false } }"),
            ],
            expect![[r#"
                VS Code: yes
            "#]],
        );
    }
}
