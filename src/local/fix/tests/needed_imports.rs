//! Imports that a tool calls unused and that stay.

use std::sync::Arc;

use super::check;
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, apply};
use crate::local::fix::{FileView, OtherFile, Problem, Suggestion, fix};

/// Checks that the import of `X` stays above the given code, and goes above the same code without that name.
#[track_caller]
fn check_kept(language: &str, import: &str, said: &str, below: &str) {
    check(language, &format!("{import}\n{below}"), said, &[], None);
    let without = below.replace('X', "Y");
    let title = "remove the unused import `X`";
    check(language, &format!("{import}\n{without}"), said, &[], Some((title, &without)));
}

#[test]
fn import_that_a_comment_or_a_string_names_is_kept() {
    let python = |below| check_kept("python", "from a import «X»", "`a.X` imported but unused", below);
    python("def f(a):\n    # type: (X) -> None\n    pass\n");
    python("def f(a: \"list[X]\"):\n    pass\n");
    python("def f():\n    \"\"\"Copies.\n\n    >>> X(1)\n    \"\"\"\n");
    python("__all__ = [\"f\"]\n__all__ += [\"X\"]\n");
    let java = |below| check_kept("java", "import a.«X»;", "Unused import - a.X.", below);
    java("/** Like {@link X}. */\nclass A {}\n");
    java("/**\n * Copies.\n *\n * @see X\n */\nclass A {}\n");
    let said = "'X' is declared but its value is never read.";
    let script = |below| check_kept("typescript", "import { «X» } from \"./x\";", said, below);
    script("/** Like {@link X}. */\nf();\n");
    script("/** @type {X} */\nlet a = f();\n");
    let rust = |below| check_kept("rust", "use a::«X»;", "unused import: `a::X`", below);
    rust("/// Like [`X`].\npub fn f() {}\n");
    let embedding = "package a\n\nimport (\n\t«\"embed\"»\n)\n\n//go:embed b.txt\nvar b string\n";
    check("go", embedding, "\"embed\" imported and not used", &[], None);
}

#[test]
fn import_under_a_condition_is_kept() {
    let said = "`os` imported but unused";
    check("python", "try:\n    import «os»\nexcept ImportError:\n    a()\n", said, &[], None);
    check("python", "if TYPE_CHECKING:\n    import «os»\n\na = 1\n", said, &[], None);
    // A function may import a module of the project for what that does.
    check(
        "python",
        "def ready():\n    from . import «signals»\n    a()\n",
        "`.signals` imported but unused",
        &[],
        None,
    );
    check(
        "javascript",
        "if (a) {\n  const «b» = require(\"b\");\n}\n",
        "'b' is defined but never used.",
        &[],
        None,
    );
}

#[test]
fn import_in_a_file_that_uses_names_unseen_is_kept() {
    let said = "`os` imported but unused";
    for code in ["a(globals())", "a = eval(b)", "a = sys.modules[__name__]", "__all__ = b.__all__"] {
        check("python", &format!("import «os»\n\n{code}\n"), said, &[], None);
    }
    for code in ["a = model.eval()", "retrieval(a)", "os_dir()", "a = sys.modules[b]", "a()  # not eval()"] {
        let fixed = format!("\n{code}\n");
        check(
            "python",
            &format!("import «os»\n\n{code}\n"),
            said,
            &[],
            Some(("remove the unused import `os`", &fixed)),
        );
    }
}

#[test]
fn file_of_fixtures_keeps_its_imports() {
    let said = "`.db.session` imported but unused";
    let check_at = |path: &str, expected: Option<&str>| {
        let text = "from .db import session\n\nx = 1\n";
        let own = Document::new(DocumentId::new(path), "python", 0, text);
        let file = FileView::beside(&own, |_: &str| Vec::<Arc<OtherFile>>::new());
        let found = fix(&file, &Problem::new(16..23, said));
        assert_eq!(found.map(|it| apply(text, &it.edits)).as_deref(), expected, "{path}");
    };
    check_at("file:///a/conftest.py", None);
    check_at("file:///a/contest.py", Some("\nx = 1\n"));
}

#[test]
fn import_for_other_files_or_for_an_effect_is_kept() {
    for (language, text, said) in [
        ("python", "from a import b as «b»\n\nx = 1\n", "`a.b` imported but unused"),
        ("python", "import «readline»\n\nx = 1\n", "`readline` imported but unused"),
        ("rust", "pub use «a::b»;\n\nfn f() {}\n", "unused import: `a::b`"),
        ("rust", "pub(crate) use «a::b»;\n\nfn f() {}\n", "unused import: `a::b`"),
        (
            "go",
            "package a\n\nimport (\n\t\"image\"\n\t«\"image/png\"»\n)\n\nvar a image.Image\n",
            "\"image/png\" imported and not used",
        ),
        (
            "go",
            "package a\n\nimport (\n\t\"database/sql\"\n\t«\"x.org/pq\"»\n)\n\nvar a sql.DB\n",
            "\"x.org/pq\" imported and not used",
        ),
        (
            "go",
            "package a\n\nimport (\n\t\"image\"\n\t«\"x.org/webp\"»\n)\n\nvar a image.Image\n",
            "\"x.org/webp\" imported and not used",
        ),
        ("javascript", "const «a» = require(\"./a\");\n", "'a' is declared but its value is never read."),
        (
            "javascript",
            "import «React» from \"react\";\n\nconst a = <p />;\n",
            "'React' is defined but never used.",
        ),
    ] {
        check(language, text, said, &[], None);
    }
    check(
        "go",
        "package a\n\nimport (\n\t\"fmt\"\n\t«\"x.org/pq\"»\n)\n\nvar a fmt.Stringer\n",
        "\"x.org/pq\" imported and not used",
        &[],
        Some((
            "remove the unused import `x.org/pq`",
            "package a\n\nimport (\n\t\"fmt\"\n)\n\nvar a fmt.Stringer\n",
        )),
    );
}

#[test]
fn script_loads_a_module_still() {
    let said = "'a' is defined but never used.";
    let title = "remove the unused import `a`";
    for (import, left) in [
        ("import «a» from \"b\";\n", "import \"b\";\n"),
        ("import { «a» } from './b.js'\n", "import './b.js'\n"),
        ("import * as «a» from \"b\";\n", "import \"b\";\n"),
        ("import «a» from \"fs\";\n", ""),
        ("import «a», { c } from \"b\";\n", "import { c } from \"b\";\n"),
    ] {
        check("javascript", &format!("{import}c();\n"), said, &[], Some((title, &format!("{left}c();\n"))));
    }
    // The compiler of types leaves the import out.
    check("typescript", "import «a» from \"b\";\nc();\n", said, &[], Some((title, "c();\n")));
}

#[test]
fn import_that_another_file_uses_through_this_module_is_kept() {
    let said = "`os` imported but unused";
    let text = "import «os»\n\nx = 1\n";
    for other in
        ["import one\n\none.os.getcwd()\n", "patch(\"b.one.os\")\n", "import b.one as c\n\nc.os.sep\n"]
    {
        check("python", text, said, &[other], None);
    }
    let other = "import two\n\ntwo.os.getcwd()\none = two.os\n";
    check("python", text, said, &[other], Some(("remove the unused import `os`", "\nx = 1\n")));
}

#[test]
fn trait_is_kept_where_a_build_leaves_code_out() {
    let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";
    let check_rust = |path: &str, name: &str, below: &str, is_removed: bool| {
        let said = format!("unused import: `{path}`");
        let title = format!("remove the unused import `{name}`");
        let expected = is_removed.then_some((title.as_str(), below));
        check("rust", &format!("use «{path}»;\n{below}"), &said, &[], expected);
    };
    check_rust("std::io::Write", "Write", tests, false);
    check_rust("std::io::Write", "Write", "fn f() {}\n", true);
    // Only methods of traits are used without a name.
    check_rust("std::collections::HashMap", "HashMap", tests, true);
    check_rust("std::io", "io", tests, true);
    // The tests are in another file.
    check_rust("std::io", "io", "#[cfg(test)]\nmod tests;\n", false);
    check_rust("std::io", "io", "#[cfg(test)]\n#[path = \"b.rs\"]\nmod tests;\n", false);
    check_rust("std::io", "io", "#[cfg(unix)]\nfn f() {}\n\nmod tests;\n", true);
}

#[test]
fn edit_of_a_tool_keeps_a_needed_import() {
    let fixed = |text: &str, span: std::ops::Range<usize>, new: &str| {
        let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, text);
        let edits = vec![Edit::new(span, new)];
        let offers = [Suggestion { title: "Remove unused import".to_owned(), is_safe: true, edits }];
        let problem = Problem::new(14..15, "`a.X` imported but unused").with(&[], &offers);
        fix(&FileView::new(&document), &problem).is_some()
    };
    assert!(fixed("from a import X, b\n\nb()\n", 0..18, "from a import b"));
    assert!(!fixed("from a import X, b\n\nb() # type: X\n", 0..18, "from a import b"));
    assert!(!fixed("from a import X\n\nb() # type: X\n", 0..16, ""));
    // The other statement stays.
    assert!(fixed("from a import X\nfrom a import X\n\nb(X)\n", 0..16, ""));
    assert!(!fixed("from a import X\n\ndef f():\n    from a import X\n\nb(X)\n", 0..16, ""));
}

#[test]
fn trait_is_kept_while_a_member_or_a_macro_is_unresolved() {
    let text = |import: &str, below: &str| format!("use {import};\n\nfn f() {{\n    {below};\n}}\n");
    let is_removed = |import: &str, below: &str, other: &str| {
        let text = text(import, below);
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
        let unused = format!("unused import: `{import}`");
        let messages = [(4, unused.as_str()), (0, other)];
        let edits = vec![Edit::new(0..text.find('\n').unwrap() + 1, "")];
        let offers = [Suggestion { title: "remove the whole `use` item".to_owned(), is_safe: true, edits }];
        let file = FileView::new(&document).with_reported(messages.into_iter());
        let problem = |offers| Problem::new(4..4 + import.len(), &unused).with(&[], offers);
        let [one, other] = [fix(&file, &problem(&offers)), fix(&file, &problem(&[]))].map(|it| it.is_some());
        assert_eq!(one, other, "{import}");
        one
    };
    let method = "no method named `flsh` found for struct `Stdout` in the current scope";
    let function =
        "no function or associated item named `form_str` found for type `i32` in the current scope";
    let missing = "cannot find macro `wirte` in this scope";
    for (import, below, said) in [
        ("std::io::Write", "out.flsh()", method),
        ("std::io::Write as _", "out.flsh()", method),
        ("std::io::BufRead", "a.lock().line()", "no method named `line` found for struct `StdinLock`"),
        ("std::str::FromStr", "i32::form_str(a)", function),
        ("std::fmt::Write", "wirte!(a, \"b\")", missing),
        ("std::io::Write", "a(b).flush()", "cannot find function `a` in this scope"),
        ("std::io::Write", "Vec::new()", "type annotations needed for `Vec<_>`"),
    ] {
        assert!(!is_removed(import, below, said), "{import}");
    }
    assert!(is_removed("std::io::Write", "a(1)", "mismatched types"));
    assert!(is_removed("std::collections::HashMap", "out.flsh()", method));
}
