use super::*;
use crate::grammar::by_language_id;

#[test]
fn names_come_and_go_with_their_files() {
    let (rust, tsx, javascript) = (
        by_language_id("rust").unwrap(),
        by_language_id("typescriptreact").unwrap(),
        by_language_id("javascript").unwrap(),
    );
    let index = Workspace::default();
    let [a, b, c] = ["a.rs", "b.rs", "c.tsx"].map(Path::new);
    index.put(a, rust, "fn naïve(x1: u8) -> Größe { common() }");
    index.put(b, rust, "common();");
    index.put(c, tsx, "$el.getAll()");
    let knows = |names: &[&str]| names.iter().map(|name| index.knows(rust, name)).collect::<Vec<_>>();
    assert_eq!(knows(&["naïve", "Größe", "x1", "common", "getAll"]), [true, true, true, true, false]);
    assert!(index.knows(javascript, "getAll") && index.knows(javascript, "$el"));
    index.put(a, rust, "other();");
    assert_eq!(knows(&["naïve", "other", "common"]), [false, true, true]);
    index.remove(b);
    assert_eq!(knows(&["common", "other"]), [false, true]);
    index.begin();
    assert_eq!(knows(&["other"]), [false]);
}

#[test]
fn index_is_reliable_once_it_is_complete_and_large() {
    let rust = by_language_id("rust").unwrap();
    let index = Workspace::default();
    index.put(Path::new("a.rs"), rust, "few names");
    index.complete();
    assert!(!index.is_reliable_for(rust));
    let many: String = (0..FEW_NAMES).map(|n| format!("name_{n} ")).collect();
    index.begin();
    index.put(Path::new("a.rs"), rust, &many);
    assert!(!index.is_reliable_for(rust), "more may be to come");
    index.complete();
    assert!(index.is_reliable_for(rust));
    assert!(!index.is_reliable_for(by_language_id("go").unwrap()));
}

#[test]
fn an_open_file_is_known_as_the_editor_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let (rust, path) = (by_language_id("rust").unwrap(), folder.path().join("a.rs"));
    std::fs::write(&path, "fn on_disk() {}").unwrap();
    let workspace = Workspace::default();
    let defined = || ["on_disk", "first", "second"].map(|name| workspace.definitions(rust, name).len());
    let document = |version: i32, text: &str| {
        Document::new(crate::document::DocumentId::new("file:///a.rs"), "rust", version, text)
    };
    let [first, second] = [document(1, "fn first() {}"), document(2, "fn second() {}")];
    workspace.open(&path, &second, || false);
    workspace.open(&path, &first, || false);
    assert_eq!(defined(), [0, 0, 1], "the versions come in any order");
    workspace.read_again(0, &path);
    assert_eq!(defined(), [0, 0, 1], "the editor goes before the disk");
    let walk = workspace.begin();
    workspace.read_again(walk, &path);
    assert_eq!(defined(), [0, 0, 0], "other rules may keep it out");
    workspace.open(&path, &second, || true);
    assert_eq!(defined(), [0, 0, 0], "it was closed, or is judged anew");
    workspace.open(&path, &second, || false);
    assert_eq!(defined(), [0, 0, 1]);
    assert_eq!(workspace.text(&path).unwrap(), "fn second() {}");
    workspace.close(&path);
    workspace.read_again(walk - 1, &path);
    assert_eq!(defined(), [0, 0, 1], "by earlier rules it is not read");
    workspace.read_again(walk, &path);
    assert_eq!(defined(), [1, 0, 0]);
    assert_eq!(workspace.text(&path).unwrap(), "fn on_disk() {}");
    std::fs::remove_file(&path).unwrap();
    workspace.read_again(walk, &path);
    assert_eq!(defined(), [0, 0, 0]);
    assert!(workspace.text(&path).is_err(), "what is not known is not read");
}

#[test]
fn of_an_open_file_that_keeps_no_tree_the_names_are_known() {
    let (rust, path) = (by_language_id("rust").unwrap(), Path::new("a.rs"));
    let workspace = Workspace::default();
    let check = |version: i32, text: &str, definitions: usize| {
        let id = crate::document::DocumentId::new("file:///a.rs");
        workspace.open(path, &Document::new(id, "rust", version, text), || false);
        assert_eq!(workspace.definitions(rust, "made").len(), definitions);
        assert!(workspace.knows(rust, "made"));
    };
    check(1, "fn made() {}", 1);
    check(2, &format!("fn made() {{}}\n{}", "// so on\n".repeat(120_000)), 0);
    check(3, "fn made() {}", 1);
}

#[test]
fn two_thousand_files_take_few_bytes() {
    let rust = by_language_id("rust").unwrap();
    let index = Workspace::default();
    for file in 0..2_000 {
        // Some 400 names per file, 50 of them unique to it, as in this project's sources.
        let text: String = (0..350)
            .map(|n| format!("name_{} ", (file * 37 + n * 11) % 8_000))
            .chain((0..50).map(|n| format!("own_{file}_{n} ")))
            .collect();
        index.put(Path::new(&format!("src/some/folder/file_{file}.rs")), rust, &text);
    }
    let (files, bytes) = index.size();
    assert_eq!(files, 2_000);
    assert!(bytes < 10_000_000, "{bytes}");
}

#[test]
fn tree_of_an_earlier_version_is_brought_up_to_date_and_none_is_made_to_be_kept() {
    let workspace = Workspace::default();
    let open = |document: &Document| {
        workspace.open(Path::new("a.rs"), document, || false);
        document.is_parsed()
    };
    let first = Document::new(crate::document::DocumentId::new("a"), "rust", 1, "fn first() {}");
    assert!(!open(&first));
    first.syntax();
    let second = first.with(3..8, "second");
    assert!(!second.is_parsed() && open(&second));
    let rust = by_language_id("rust").unwrap();
    assert_eq!(["first", "second"].map(|name| workspace.definitions(rust, name).len()), [0, 1]);
}
