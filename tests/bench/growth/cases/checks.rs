//! Guards over edits, with inputs in which every line triggers the guard.

use std::hint::black_box;

use tandem::edit::{Edit, Request, accept_edits, check, diff, names, rebase};
use tandem::grammar;

use super::Case;
use crate::Prepared;
use crate::text::{assignments, changed, lines};

fn check(language: &'static str, before: String, after: String) -> Prepared {
    Box::new(move || {
        let edits = diff::minimal(&before, &after);
        let grammar = grammar::by_language_id(language);
        let request = Request { text: &before, grammar, ..Request::default() };
        _ = black_box(accept_edits(&request, edits));
    })
}

fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Repeats a language's sample, with a word changed in each copy.
fn sample(language: &'static str, count: usize) -> Prepared {
    let grammar = grammar::by_language_id(language).unwrap();
    let extension = &grammar.facts().extensions[0];
    let path = format!("grammars/{language}/sample.{extension}");
    let text = std::fs::read_to_string(path).unwrap();
    // Before and after are made separately, since some samples begin with a header that must come first.
    let before = text.repeat(count);
    let word = ["name", "value", "item", "the", "a"].iter().find(|word| text.contains(**word)).unwrap();
    let after = before.replace(word, &format!("{word}x"));
    check(language, before, after)
}

fn pairs(count: usize, by: usize) -> Vec<Edit> {
    (0..count).map(|n| Edit::new(by + 10 * n..by + 10 * n + 3, format!("{n}"))).collect()
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("guard: python, every second line", 500, |n| {
            check("python", assignments(n), changed(&assignments(n), 2))
        }),
        Case::new("guard: ruby, short words", 500, |n| {
            let text = each(n, |n| format!("a = b\nif c\n  d {n}\nend\n"));
            check("ruby", text.clone(), text.replace("d 7", "e 7"))
        }),
        Case::new("guard: bash, short words", 500, |n| {
            let text = each(n, |n| format!("ls\nif true; then\n  cd {n}\nfi\n"));
            check("bash", text.clone(), text.replace("cd 7", "cd 8"))
        }),
        Case::new("guard: c, broken before", 250, |n| {
            let text = each(n, |n| format!("int f{n}(void) {{ foo bar baz; return {n}; }}\n"));
            check("c", text.clone(), text.replace("return 7", "return 8"))
        }),
        Case::new("guard: nested blocks", 250, |n| {
            let text = "{\n".repeat(n) + "a();\n" + &"}\n".repeat(n);
            check("javascript", text.clone(), text.replace("a()", "b()"))
        }),
        Case::new("guard: nested brackets", 500, |n| {
            let text = format!("a = {}1{}\n", "(".repeat(n), ")".repeat(n));
            check("python", text.clone(), text.replace('1', "2"))
        }),
        Case::new("guard: brackets that stay open", 250, |n| {
            let text = "f(\n".repeat(n);
            check("javascript", text.clone(), text + "1")
        }),
        Case::new("guard: empty blocks", 250, |n| {
            let text = each(n, |n| format!("def f_{n}():\n    pass\n"));
            check("python", text.clone(), text.replace("    pass", "    return"))
        }),
        Case::new("guard: doubled lines", 500, |n| {
            let text = each(n, |n| format!("row {n}\nend\n"));
            check("plain", text.clone(), text.replace("end\n", "end\nend\n"))
        }),
        Case::new("guard: tables of doubled lines", 500, |n| {
            let text = each(n, |n| format!("row {n}\n")) + "end\nend\n";
            check("plain", text.clone(), text.replace("1\n", "1\nend\nend\n"))
        }),
        Case::new("guard: invisible signs", 250, |n| {
            let text = each(n, |n| format!("say \u{200b}{n}\n"));
            check("plain", text.clone(), text.replace("say", "tell"))
        }),
        Case::new("guard: invisible signs, moved", 250, |n| {
            let text = each(n, |n| format!("say \u{200b}{n}\n"));
            let moved: String = text.split_inclusive('\n').rev().collect();
            check("plain", text, moved)
        }),
        Case::new("guard: curly quotes", 250, |n| {
            let text = each(n, |n| format!("say(\"{n}\"); // “{n}”\n"));
            check("rust", text.clone(), text.replace("say", "tell").replace("// “", "// ”“"))
        }),
        Case::new("guard: marks of a diff", 500, |n| {
            let text = each(n, |n| format!("row {n}\n"));
            check("plain", text.clone(), text.replace("row", "x = '''\n+ y\n'''\nrow"))
        }),
        Case::new("guard: elisions", 500, |n| {
            let text = each(n, |n| format!("// ... rest of {n}\nrow {n};\n"));
            check("rust", text.clone(), text.replace("row", "line"))
        }),
        Case::new("guard: stand-ins", 500, |n| {
            let text = each(n, |n| format!("row_{n};\nline_{n};\n// same as above\n"));
            check("rust", text.clone(), text.replace("row", "column"))
        }),
        Case::new("guard: secrets", 100, |n| {
            let text = each(n, |n| format!("key_{n} = \"sk-proj-{:048x}\"\n", n * 7919));
            check("python", text.clone(), text.replace("key_", "token_"))
        }),
        Case::new("guard: blanks alone", 1_000, |n| check("plain", lines(n), lines(n).replace(' ', "  "))),
        Case::new("guard: reversal", 500, |n| {
            let (previous, current) = (assignments(n), changed(&assignments(n), 2));
            Box::new(move || {
                let edits = diff::minimal(&current, &previous);
                _ = black_box(check::reversal(&previous, &current, &edits[1..]));
            })
        }),
        Case::new("guard: unknown names", 250, |n| {
            let before = each(n, |n| format!("fn known_{n}() {{ known_{n}(); }}\n"));
            let after = before.replace(" known_", " unknown_");
            Box::new(move || {
                let grammar = grammar::by_language_id("rust").unwrap();
                let edits = diff::minimal(&before, &after);
                black_box(names::unknown_names(grammar, &before, &edits, None, &|_| false));
            })
        }),
        Case::new("guard: rebase", 5_000, |n| {
            Box::new(move || _ = black_box(rebase::over(&pairs(n, 5), &pairs(n, 0))))
        }),
        Case::new("language: bash", 4, |n| sample("bash", n)),
        Case::new("language: c", 4, |n| sample("c", n)),
        Case::new("language: cpp", 4, |n| sample("cpp", n)),
        Case::new("language: csharp", 4, |n| sample("csharp", n)),
        Case::new("language: css", 8, |n| sample("css", n)),
        Case::new("language: go", 4, |n| sample("go", n)),
        Case::new("language: html", 8, |n| sample("html", n)),
        Case::new("language: java", 4, |n| sample("java", n)),
        Case::new("language: javascript", 4, |n| sample("javascript", n)),
        Case::new("language: json", 16, |n| sample("json", n)),
        Case::new("language: lua", 8, |n| sample("lua", n)),
        Case::new("language: markdown", 8, |n| sample("markdown", n)),
        Case::new("language: php", 4, |n| sample("php", n)),
        Case::new("language: python", 4, |n| sample("python", n)),
        Case::new("language: ruby", 4, |n| sample("ruby", n)),
        Case::new("language: rust", 4, |n| sample("rust", n)),
        Case::new("language: toml", 8, |n| sample("toml", n)),
        Case::new("language: typescript", 4, |n| sample("typescript", n)),
        Case::new("language: tsx", 4, |n| sample("tsx", n)),
        Case::new("language: yaml", 8, |n| sample("yaml", n)),
    ]
}
