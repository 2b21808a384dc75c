//! The imports between the files of the editors' plugins: no cycles, as in the crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The names between two delimiters in a text.
fn between(text: &str, before: &str, after: char) -> BTreeSet<String> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|part| Some(part.split_once(after)?.0.to_owned())).collect()
}

/// The files that are in a cycle of imports, or lead to one, with their imports.
fn circular(mut files: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let is_free = |uses: &BTreeSet<String>| uses.iter().all(|it| !files.contains_key(it));
        let free: Vec<String> =
            files.iter().filter(|(_, uses)| is_free(uses)).map(|(name, _)| name.clone()).collect();
        if free.is_empty() {
            return files;
        }
        files.retain(|name, _| !free.contains(name));
    }
}

#[test]
fn plugins_have_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Imports within functions count, too: they only defer a cycle.
    for (folder, ending, before) in
        [("editors/neovim/lua/tandem", "lua", "require('tandem."), ("editors/vscode/src", "ts", "from './")]
    {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == ending) {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                files.insert(name, between(&std::fs::read_to_string(&path).unwrap(), before, '\''));
            }
        }
        assert!(files.values().any(|uses| !uses.is_empty()), "{folder} has no imports");
        let circular = circular(files);
        assert!(circular.is_empty(), "{folder}: {circular:#?}");
    }
}

#[test]
fn circle_is_found_with_what_leads_to_it() {
    let files = |list: &[(&str, &[&str])]| {
        let file = |(name, uses): &(&str, &[&str])| {
            ((*name).to_owned(), uses.iter().map(|it| (*it).to_owned()).collect())
        };
        circular(list.iter().map(file).collect()).into_keys().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(files(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &["other"])]), "");
    assert_eq!(files(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &[])]), "a b c");
}
