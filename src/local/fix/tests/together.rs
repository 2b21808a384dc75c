//! Fixes of one file that are made together.

use super::super::*;
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, apply};

/// Checks the text after the fixes at all `«…»` are combined, and why some are left out.
#[track_caller]
fn check_together(language: &str, marked: &str, messages: &[&str], expected: &str, left: &[SkipReason]) {
    let mut text = String::new();
    let mut places = Vec::new();
    for part in marked.split_inclusive(['«', '»']) {
        text += part.trim_end_matches(['«', '»']);
        if part.ends_with(['«', '»']) {
            places.push(text.len());
        }
    }
    let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
    let file = FileView::new(&document);
    let fixes: Vec<Fix> = places
        .chunks(2)
        .zip(messages)
        .map(|(ends, message)| fix(&file, &Problem::new(ends[0]..ends[1], message)).expect("a fix"))
        .collect();
    let composed = compose(&document, &fixes);
    assert_eq!(apply(&text, &composed.edits), expected);
    assert_eq!(composed.left.iter().map(|(_, why)| *why).collect::<Vec<_>>(), left);
}

#[test]
fn contradictory_fixes_are_left_out() {
    check_together(
        "python",
        "def f(a):\n    return a + «subtotl»\n\nsubtotal = 1\n",
        &["undefined name `subtotl`"],
        "def f(a):\n    return a + subtotal\n\nsubtotal = 1\n",
        &[],
    );
    // An import that gets its first use is not unused, in whatever order the reports come.
    check_together(
        "python",
        "from a import «uppercase»\n\nprint(«upperctse»)\n",
        &["`a.uppercase` imported but unused", "undefined name `upperctse`"],
        "from a import uppercase\n\nprint(uppercase)\n",
        &[SkipReason::Contradiction],
    );
    // One tool does not count a misspelt use that another tool reports.
    check_together(
        "javascript",
        "function f(b) {\n  return «subtotl»;\n  const «subtotal» = 1;\n}\n",
        &["'subtotl' is not defined.", "'subtotal' is assigned a value but never used."],
        "function f(b) {\n  return subtotal;\n  const subtotal = 1;\n}\n",
        &[SkipReason::Contradiction],
    );
    check_together(
        "python",
        "print(«json».loads(«json»))\n",
        &["undefined name `json`"],
        "import json\n\nprint(json.loads(json))\n",
        &[],
    );
    // The same fix for two tools is made once.
    check_together(
        "python",
        "a = «json».loads(1)\nb = «json».loads(2)\nc = «sys».argv\nd = «json».loads(3)\n",
        &[
            "undefined name `json`",
            "name \"json\" is not defined",
            "undefined name `sys`",
            "undefined name `json`",
        ],
        "import json\nimport sys\n\na = json.loads(1)\nb = json.loads(2)\nc = sys.argv\nd = json.loads(3)\n",
        &[],
    );
}

/// The result is the same whether a rule or the tool removes `«…»`, and in either order.
#[test]
fn import_with_a_misspelt_use_is_kept() {
    for (language, marked, unused, missed) in [
        (
            "python",
            "from a import b«, uppercase»\n\nb(upperctse)\n",
            "`a.uppercase` imported but unused",
            "Undefined name `upperctse`",
        ),
        (
            "rust",
            "use a::{b«, uppercase»};\n\nfn f() {\n    b(upperctse);\n}\n",
            "unused import: `uppercase`",
            "cannot find value `upperctse` in this scope",
        ),
        (
            "typescript",
            "import { b«, uppercase» } from \"a\";\n\nb(upperctse);\n",
            "'uppercase' is declared but its value is never read.",
            "Cannot find name 'upperctse'. Did you mean 'uppercase'?",
        ),
        (
            "java",
            "import a.B;\n«import a.Uppercase;\n»\nclass A {\n  Upperctse a;\n}\n",
            "Unused import - a.Uppercase.",
            "cannot find symbol\nsymbol: class Upperctse",
        ),
        (
            "go",
            "package a\n\nimport (\n\t\"fmt\"\n«\t\"uppercase\"\n»)\n\nvar a = upperctse.B(fmt.C)\n",
            "\"uppercase\" imported and not used",
            "undefined: upperctse",
        ),
    ] {
        let text = marked.replace(['«', '»'], "");
        let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
        let word = |tail: &str| {
            let at = text.find(tail).unwrap();
            at - 1..at + tail.len()
        };
        let taken = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let offer = |is_safe| Suggestion {
            title: "remove the unused import".to_owned(),
            is_safe,
            edits: vec![Edit::new(taken.clone(), "")],
        };
        // No fix of a package's name is certain: the import is kept only if all reports are known.
        let is_mended = language != "go";
        let expected = if is_mended { text.replace("pperctse", "ppercase") } else { text.clone() };
        let alone = is_mended.then(|| FileView::new(&document));
        let among = FileView::new(&document).with_reported([(0, unused), (0, missed)].into_iter());
        for file in alone.into_iter().chain([among]) {
            for offers in [vec![], vec![offer(true)], vec![offer(false)]] {
                let unused = Problem::new(word("ppercase"), unused).with(&[], &offers);
                let missed = Problem::new(word("pperctse"), missed);
                for problems in [[&unused, &missed], [&missed, &unused]] {
                    let fixes: Vec<Fix> = problems.into_iter().filter_map(|it| fix(&file, it)).collect();
                    assert_eq!(apply(&text, &compose(&document, &fixes).edits), expected, "{offers:?}");
                }
            }
        }
    }
}

/// Whatever is fixed in its first lines, a file keeps its mark as the first character.
#[test]
fn byte_order_mark_stays_first_in_all_combinations() {
    let unused = "`os` imported but unused";
    let missed = "Undefined name `json`";
    for (language, head, below, reports) in [
        (
            "python",
            "import os\n",
            "\n\ndef f(x):\n    return json.dumps(x)\n",
            vec![("os", unused), ("json", missed)],
        ),
        ("python", "import os\n", "\n\ndef f(x):\n    return x\n", vec![("os", unused)]),
        (
            "python",
            "import os\n",
            "\nprint(json.dumps(sys.argv, os))\n",
            vec![("json", missed), ("sys", "Undefined name `sys`")],
        ),
        ("python", "", "print(json.dumps(1))\n", vec![("json", missed)]),
        (
            "javascript",
            "import { os } from \"os\";\n",
            "f();\n",
            vec![("os", "'os' is defined but never used.")],
        ),
        (
            "c",
            "",
            "int f(void) { return strlen(\"a\"); }\n",
            vec![("strlen", "implicit declaration of function ‘strlen’")],
        ),
    ] {
        let text = format!("\u{feff}{head}{below}");
        let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
        let problem = |name: &str, said: &'static str| {
            let at = ident::occurrences(&text, name).next().unwrap();
            Problem::new(at..at + name.len(), said)
        };
        let fixes: Vec<Fix> = reports
            .iter()
            .map(|(name, said)| fix(&FileView::new(&document), &problem(name, said)).expect(said))
            .collect();
        for which in 1..1 << fixes.len() {
            let some: Vec<Fix> =
                (0..fixes.len()).filter(|at| which >> at & 1 == 1).map(|at| fixes[at].clone()).collect();
            let composed = compose(&document, &some);
            let fixed = apply(&text, &composed.edits);
            assert!(fixed.starts_with('\u{feff}'), "{fixed:?}");
            assert_eq!(fixed.matches('\u{feff}').count(), 1, "{fixed:?}");
        }
    }
}

#[test]
fn names_do_not_change_places() {
    let text = "let handleDResult: A;\nhandledResult = b;\nc(handledResult);\n";
    let replaced = |at: usize, new: &str| {
        let fix = Fix::new(Kind::MisspeltName, String::new(), vec![Edit::new(at..at + new.len(), new)]);
        let document = Document::new(DocumentId::new("file:///a/one"), "typescript", 0, text);
        with_replaced(&FileView::new(&document), fix)
    };
    let [declaration, use_] = [text.find("handleD").unwrap(), text.rfind("handled").unwrap()];
    let fixes = [replaced(declaration, "handledResult"), replaced(use_, "handleDResult")];
    for fixes in [fixes.clone(), {
        let [one, other] = fixes;
        [other, one]
    }] {
        assert_eq!(join(&fixes).left, [(1, SkipReason::Contradiction)]);
    }
}

#[test]
fn name_inserted_by_one_fix_is_not_inserted_again_behind_it() {
    let text = "struct A<I: Intoiterator>(I::Item);\n";
    let document = Document::new(DocumentId::new("file:///a/one"), "rust", 0, text);
    let at = text.find("Intoiterator").unwrap();
    let name = Fix::new(Kind::MisspeltName, String::new(), vec![Edit::new(at..at + 12, "IntoIterator")]);
    let bound = |text: &str| Fix::new(Kind::OfTool, String::new(), vec![Edit::new(at + 12..at + 12, text)]);
    for (bound, left) in
        [(bound(" + IntoIterator"), vec![(1, SkipReason::Overlap)]), (bound(" + Copy"), vec![])]
    {
        assert_eq!(compose(&document, &[name.clone(), bound]).left, left);
    }
}

#[test]
fn fix_of_the_syntax_does_not_compensate_for_one_that_breaks_it() {
    let text = "fn f() { a(1; }\nfn g() { b(2); }\n";
    let document = Document::new(DocumentId::new("file:///a"), "rust", 0, text);
    let insert = |kind, behind: &str, new: &str| {
        let at = text.find(behind).unwrap() + behind.len();
        Fix::new(kind, String::new(), vec![Edit::new(at..at, new)])
    };
    let mends = insert(Kind::MissingToken, "a(1", ")");
    let breaks = insert(Kind::OfTool, "b(2", "(");
    let composed = compose(&document, &[mends, breaks]);
    assert_eq!((composed.taken, composed.left), (vec![0], vec![(1, SkipReason::Syntax)]));
}
