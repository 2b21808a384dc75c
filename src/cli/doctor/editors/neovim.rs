//! Detects Neovim and its plugins, including those of common plugin managers.

use std::path::{Path, PathBuf};

use super::places::{Places, below, read};
use crate::cli::doctor::findings::{Editor, Problem};

/// The maximum number of configuration files to read.
const FILES: usize = 400;
/// Their maximum depth below the configuration folder.
const DEPTH: usize = 5;

/// Folder names of other Neovim plugins with ghost text.
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

/// Neovim, if it is installed.
pub(super) fn find(places: &Places) -> Option<Editor> {
    let config = places.config.join("nvim");
    if !places.has("nvim") && !config.is_dir() {
        return None;
    }
    let written = lua_below(&config);
    let names = |words: &[&str]| words.iter().any(|it| written.contains(it));
    let folders = plugins(places);
    let is_plugin = |folder: &PathBuf| {
        [folder.clone(), folder.join("editors/neovim")]
            .iter()
            .any(|it| it.join("lua/tandem/init.lua").is_file())
    };
    let is_there = folders.iter().any(is_plugin);
    let named = named_plugins(&written);
    let is_named = |folder: &&str| is_plugin(&places.below_home(folder));
    let is_set_up = names(&["require('tandem').setup", "require(\"tandem\").setup", "require'tandem'.setup"])
        || (names(&["name = 'tandem'", "name = \"tandem\"", "editors/neovim"]) && names(&["opts ="]));
    if !is_set_up {
        let folder = places.plugin("neovim", "editors/neovim");
        let what =
            if is_there { "the plugin is there, but not set up" } else { "the plugin is not installed" };
        let path = if is_there { String::new() } else { format!("vim.opt.runtimepath:append('{folder}'); ") };
        let next_step = format!("in init.lua: {path}require('tandem').setup()");
        let remarks = vec![Problem::new(what, next_step)];
        return Some(Editor { name: "Neovim", has_plugin: false, remarks });
    }
    if let (Some(folder), false) = (named.first(), is_there || named.iter().any(is_named)) {
        let what = format!("the plugin is set up from {folder}, where it is not");
        let remarks =
            vec![Problem::new(what, "correct the path in init.lua: the folder editors/neovim of Tandem")];
        return Some(Editor { name: "Neovim", has_plugin: false, remarks });
    }
    let mut remarks = Vec::new();
    if !names(&["').tab", "\").tab", "tandem-next", "next_edit()", "Tandem next"]) {
        remarks.push(Problem::new(
            "no key takes next edits",
            "in init.lua: vim.keymap.set({ 'i', 's', 'n' }, '<Tab>', require('tandem').tab, { expr = true })",
        ));
    }
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if OTHER_PLUGINS.contains(&&*name) {
            remarks.push(Problem::new(
                format!("{name} draws ghost text, too"),
                "turn one of them off; Tandem's with `ghost_text = false` in setup()",
            ));
        }
    }
    Some(Editor { name: "Neovim", has_plugin: true, remarks })
}

/// The paths in the configuration, from the root or from the home folder, that seem to be the plugin's.
fn named_plugins(written: &str) -> Vec<&str> {
    let quoted = written.lines().flat_map(|line| line.split(['\'', '"']).skip(1).step_by(2));
    let is_path = |it: &&str| {
        it.starts_with(['/', '~'])
            && (it.contains("tandem") || it.trim_end_matches('/').ends_with("editors/neovim"))
    };
    quoted.filter(is_path).collect()
}

/// The folders of Neovim's plugins, from native packages and from plugin managers.
fn plugins(places: &Places) -> Vec<PathBuf> {
    let data = places.data.join("nvim");
    let mut folders = below(&data.join("lazy"));
    for site in [data.join("site"), places.config.join("nvim"), PathBuf::from("/usr/share/nvim/site")] {
        for package in below(&site.join("pack")) {
            folders.extend(["start", "opt"].iter().flat_map(|it| below(&package.join(it))));
        }
    }
    folders.extend(below(&data.join("plugged")));
    folders
}

/// The Lua and Vim script code below a folder, without comment lines.
fn lua_below(folder: &Path) -> String {
    let walk = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .follow_links(true)
        .max_depth(Some(DEPTH))
        .build();
    let is_code = |it: &Path| [".lua", ".vim"].iter().any(|end| it.to_string_lossy().ends_with(end));
    let files = walk.filter_map(Result::ok).map(ignore::DirEntry::into_path).filter(|it| is_code(it));
    let is_comment = |line: &str| line.trim_start().starts_with("--") || line.trim_start().starts_with('"');
    let texts = files.take(FILES).filter_map(|it| read(&it));
    let lines =
        texts.map(|it| it.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n") + "\n");
    lines.collect()
}
