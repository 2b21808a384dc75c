//! The editors on this machine: whether Tandem is installed in them, and which settings get in its way.
//!
//! Only reads, and only from the default locations of plugins and settings. Editors that are not installed are not
//! reported.

mod neovim;
mod places;
mod vs_code;

use super::findings::{Editor, Problem};
use places::read;

pub(super) use places::Places;

/// The installed editors.
pub(super) fn editors(places: &Places) -> Vec<Editor> {
    let mut editors = vs_code::find(places);
    editors.extend(neovim::find(places));
    let by_settings = [
        ("hx", "Helix", "helix/languages.toml", "editors/helix.md"),
        ("zed", "Zed", "zed/settings.json", "editors/zed.md"),
        ("kak", "Kakoune", "kak-lsp/kak-lsp.toml", "editors/kakoune.md"),
    ];
    for (program, name, settings, page) in by_settings {
        let text = read(&places.config.join(settings));
        if text.is_some() || places.has(program) {
            let knows = text.is_some_and(|it| it.contains("tandem"));
            let next_step = format!("add `tandem lsp` as a language server: {page}");
            editors.push(set_up_by_name(name, knows, settings, next_step));
        }
    }
    if places.has("emacs") {
        let start = ["emacs/init.el", "../.emacs.d/init.el", "../.emacs"];
        let knows =
            start.iter().any(|it| read(&places.config.join(it)).is_some_and(|it| it.contains("tandem")));
        let next_step = "start `tandem lsp` from lsp-mode or Eglot: editors/emacs.md".to_owned();
        editors.push(set_up_by_name("Emacs", knows, "its start-up file", next_step));
    }
    editors
}

/// An editor without a plugin, whose `settings` only need to name Tandem.
fn set_up_by_name(name: &'static str, is_named: bool, settings: &str, next_step: String) -> Editor {
    let missing = || Problem::new(format!("{settings} does not name Tandem"), next_step);
    Editor { name, has_plugin: is_named, remarks: (!is_named).then(missing).into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tempfile::TempDir;

    use super::*;

    /// Checks the report for a home with these files; a name that ends in `/` is a folder.
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
        for Editor { name, has_plugin, remarks } in editors(&places) {
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
                ("bin/codium", ""),
                (".vscode/extensions/rust-lang.rust-analyzer-0.3/", ""),
            ],
            expect![[r#"
                VS Code: no
                  the extension is not installed
                    Extensions: Install from VSIX… in the palette, with /path/to/tandem/editors/vscode/tandem.vsix
                VSCodium: no
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
        let set_up = "vim.opt.runtimepath:append('~/tandem/editors/neovim')\nrequire('tandem').setup()\n";
        check(
            &[("bin/nvim", ""), (".config/nvim/init.lua", set_up)],
            expect![[r#"
            Neovim: no
              the plugin is set up from ~/tandem/editors/neovim, where it is not
                correct the path in init.lua: the folder editors/neovim of Tandem
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
