//! Tool calls as documented by providers.

use serde_json::json;

use super::{FILE, check, check_two};

const DIFF: &str = "@@ fn b() {\n-    two();\n+    three();\n }";

#[test]
fn operations_of_a_patch_tool() {
    let call = |operation: serde_json::Value| json!({ "type": "apply_patch_call", "call_id": "c1", "operation": operation });
    let update = call(json!({ "type": "update_file", "path": "src/main.rs", "diff": DIFF }));
    check_two(&update.to_string());
    check_two(&json!([{ "type": "reasoning", "summary": [] }, update]).to_string());
    check_two(&json!({ "output": [update] }).to_string());
    check_two(&format!("{update}\n"));
    let other = call(json!({ "type": "update_file", "path": "src/lib.rs", "diff": DIFF }));
    check(FILE, &other.to_string(), "refused: other-file");
    let create = call(json!({ "type": "create_file", "path": "src/main.rs", "diff": "+a\n+b\n" }));
    check(FILE, &create.to_string(), "refused: file-operation");
    let delete = call(json!({ "type": "delete_file", "path": "src/main.rs" }));
    check(FILE, &delete.to_string(), "refused: file-operation");
    let empty = call(json!({ "type": "update_file", "path": "src/main.rs", "diff": "" }));
    check(FILE, &empty.to_string(), "refused: malformed");
}

#[test]
fn patches_as_the_input_of_a_tool() {
    let patch = format!("*** Begin Patch\n*** Update File: src/main.rs\n{DIFF}\n*** End Patch");
    let input = json!({ "input": patch }).to_string();
    check_two(&json!({ "type": "custom_tool_call", "name": "apply_patch", "input": patch }).to_string());
    check_two(&json!([{ "type": "function_call", "name": "apply_patch", "arguments": input }]).to_string());
    check_two(&json!({ "name": "shell", "arguments": { "command": ["apply_patch", patch] } }).to_string());
    check_two(&json!({ "path": "src/main.rs", "diff": "------- SEARCH\n    two();\n=======\n    three();\n+++++++ REPLACE\n" }).to_string());
}

#[test]
fn commands_of_a_text_editor() {
    let call = |input: serde_json::Value| json!({ "type": "tool_use", "name": "str_replace_based_edit_tool", "input": input });
    let path = "/home/me/src/main.rs";
    let replace = json!({ "command": "str_replace", "path": path, "old_str": "two", "new_str": "three" });
    check_two(&replace.to_string());
    check_two(&call(replace).to_string());
    let insert = |line: usize, text: &str| json!({ "command": "insert", "path": path, "insert_line": line, "insert_text": text });
    check(FILE, &call(insert(0, "use c;\n")).to_string(), &format!("use c;\n{FILE}"));
    check(FILE, &insert(2, "    more();").to_string(), &FILE.replace("one();\n", "one();\n    more();\n"));
    check(FILE, &insert(7, "// End.\n").to_string(), &format!("{FILE}// End.\n"));
    check(FILE, &insert(70, "// End.\n").to_string(), "refused: no-old-text");
    // The line number may refer to the file before the first call or after it.
    check(FILE, &json!([insert(1, "a\n"), insert(5, "b\n")]).to_string(), "refused: malformed");
    let create = json!({ "command": "create", "path": path, "file_text": "x\n" });
    check(FILE, &create.to_string(), "refused: file-operation");
    let write = |text: &str| json!({ "name": "Write", "input": { "file_path": path, "content": text } });
    check_two(&write(&FILE.replace("two", "three")).to_string());
    check(FILE, &write("fn a() {\n").to_string(), "refused: too-much-removed");
}

#[test]
fn whole_texts_of_files() {
    let three = FILE.replace("two", "three");
    for object in [
        json!({ "file_path": "src/main.rs", "content": three }),
        json!({ "filePath": "src/main.rs", "content": three, "explanation": "It is new." }),
        json!({ "files": [{ "path": "src/main.rs", "content": three }] }),
    ] {
        check_two(&object.to_string());
    }
    check(FILE, &json!({ "path": "src/lib.rs", "content": three }).to_string(), "refused: other-file");
    // The result of a search, not an edit.
    check(FILE, &json!({ "path": "src/main.rs", "text": three }).to_string(), "refused: malformed");
    for (open, close) in [
        ("<file path=\"src/main.rs\">", "</file>"),
        ("<boltAction type=\"file\" filePath=\"src/main.rs\">", "</boltAction>"),
        ("<lov-write file_path=\"src/main.rs\">", "</lov-write>"),
    ] {
        check_two(&format!("It is renamed.\n\n<all>\n{open}\n{three}{close}\n</all>\n"));
        check(FILE, &format!("{open}\n{three}"), "refused: truncated");
        check(FILE, &format!("{open}\n{three}{close}\n").replace("main", "lib"), "refused: other-file");
        // The text may end at the first tag or at the last one.
        check(FILE, &format!("{open}\n{three}{close}\n}}\n{close}\n"), "refused: malformed");
        let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
        check_two(&format!("{open}\n{block}{close}\n"));
    }
    let progress = "<task_progress>\n- [x] Read\n</task_progress>\n";
    let path = "<path>src/main.rs</path>";
    check_two(&format!(
        "<write_to_file>\n{path}\n<content>\n{three}</content>\n{progress}</write_to_file>\n"
    ));
}

#[test]
fn search_blocks_in_a_call() {
    let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    let input = json!({ "file_path": "src/main.rs", "content": block });
    check_two(&json!({ "name": "search_replace", "arguments": input }).to_string());
    check_two(&input.to_string());
    let cut = json!({ "file_path": "src/main.rs", "content": &block[..block.len() - 9] });
    check(FILE, &cut.to_string(), "refused: truncated");
}

#[test]
fn numbers_of_places() {
    let edit = |times: usize, old: &str, new: &str| {
        let input = json!({ "file_path": "src/main.rs", "old_string": old, "new_string": new, "expected_replacements": times });
        json!({ "name": "replace", "args": input }).to_string()
    };
    check(FILE, &edit(2, "fn", "pub fn"), &FILE.replace("fn", "pub fn"));
    check(FILE, &edit(2, "}\n", "};\n"), &FILE.replace('}', "};"));
    check(FILE, &edit(3, "fn", "pub fn"), "refused: malformed");
    check(FILE, &edit(1, "fn", "pub fn"), "refused: ambiguous");
    check_two(&edit(1, "two", "three"));
    check(FILE, &edit(2, "two", "three"), "refused: malformed");
    check(FILE, &edit(2, "    two();\n", "    three();\n"), "refused: malformed");
}

#[test]
fn an_expression_is_no_text() {
    let search = |flag: &str| {
        format!(
            "<search_and_replace>\n<path>src/main.rs</path>\n<search>two</search>\n<replace>three</replace>\n\
             <use_regex>{flag}</use_regex>\n</search_and_replace>\n"
        )
    };
    check_two(&search("false"));
    check(FILE, &search("true"), "refused: malformed");
}

#[test]
fn parameters_in_tags() {
    for (open, close) in [
        ("<invoke name=\"edit\">", "</invoke>"),
        ("<function_calls>\n<invoke name=\"edit\">", "</invoke>\n</function_calls>"),
        ("<x:function_calls>\n<x:invoke name=\"edit\">", "</x:invoke>\n</x:function_calls>"),
    ] {
        let prefix = if open.contains("x:") { "x:" } else { "" };
        let parameter = |name: &str, text: &str| {
            format!("<{prefix}parameter name=\"{name}\">{text}</{prefix}parameter>\n")
        };
        let call = |old: &str, new: &str| {
            let texts = parameter("old_string", old) + &parameter("new_string", new);
            format!("I will rename it.\n\n{open}\n{}{texts}{close}\n", parameter("file_path", "src/main.rs"))
        };
        check_two(&call("two", "three"));
        check_two(&call("fn b() {\n    two();\n}", "fn b() {\n    three();\n}"));
        check(FILE, &call("two", "</parameter>"), &FILE.replace("two", "</parameter>"));
        check(FILE, call("two", "three").split(close).next().unwrap(), "refused: truncated");
        check(FILE, &call("two", "three").replace("file_path", "old_string"), "refused: malformed");
        check(FILE, &call("two", "three").replace("src/main", "src/lib"), "refused: other-file");
    }
    let qwen = |parameters: &[(&str, &str)]| {
        let parameters =
            parameters.iter().map(|(name, text)| format!("<parameter={name}>\n{text}\n</parameter>\n"));
        format!("<tool_call>\n<function=edit>\n{}</function>\n</tool_call>", parameters.collect::<String>())
    };
    let path = ("path", "src/main.rs");
    check_two(&qwen(&[path, ("old_str", "    two();"), ("new_str", "    three();")]));
    let edits = r#"[{"old_string": "two", "new_string": "three"}]"#;
    check_two(&qwen(&[path, ("edits", edits)]));
    check_two(&qwen(&[(
        "input",
        &format!("*** Begin Patch\n*** Update File: src/main.rs\n{DIFF}\n*** End Patch"),
    )]));
    check(FILE, &qwen(&[path, ("view_range", "[1, 2]")]), "refused: malformed");
    let insert = qwen(&[("command", "insert"), path, ("insert_line", "0"), ("insert_text", "use c;")]);
    check(FILE, &insert, &format!("use c;\n{FILE}"));
    let hermes = json!({ "name": "edit", "arguments": { "path": "src/main.rs", "old_str": "two", "new_str": "three" } });
    check_two(&format!("<tool_call>\n{hermes}\n</tool_call>\n"));
    check_two(&format!("<tool_call>{hermes}</tool_call>"));
    check_two(&format!("Sure! <tool_call>{hermes}</tool_call>\n"));
    check_two(
        "<function_calls><invoke name=\"edit\"><parameter name=\"old_str\">two</parameter>\
         <parameter name=\"new_str\">three</parameter></invoke></function_calls>",
    );
    check(FILE, "Use `<tool_call>{}</tool_call>` for that.\n", FILE);
    check(FILE, "<tool_call>\n{\"name\": \n</tool_call>\n", "refused: malformed");
}

#[test]
fn all_text_in_a_call_belongs_to_its_parameters() {
    let old = "<parameter name=\"old_str\">two</parameter>";
    let call = |new: &str, behind: &str| {
        format!(
            "<invoke name=\"edit\">\n{old}\n<parameter name=\"new_str\">{new}</parameter>{behind}\n</invoke>\n"
        )
    };
    for new in [
        "<all><parameter>b</parameter></all>",
        "<parameter>a</parameter>\n<parameter name=\"c\">b</parameter>",
        "</parameter></all>",
        "<parameter name=\"c\"/>",
    ] {
        check(FILE, &call(new, ""), &FILE.replace("two", new));
    }
    for (new, behind) in
        [("three", "rest"), ("three", "</all>"), ("<parameter>b", ""), ("three", "\n</function>")]
    {
        check(FILE, &call(new, behind), "refused: malformed");
    }
}

#[test]
fn strings_are_replaced_one_after_the_other() {
    let edits = |pairs: &[(&str, &str)]| {
        let edits: Vec<_> =
            pairs.iter().map(|(old, new)| json!({ "old_string": old, "new_string": new })).collect();
        json!({ "file_path": "src/main.rs", "edits": edits }).to_string()
    };
    check_two(&edits(&[("two", "second"), ("second();", "three();")]));
    check_two(&edits(&[("two();", "two(1);\n    more();"), ("(1);\n    more", ""), ("two", "three")]));
    // Both refer to the original text.
    let both = FILE.replace("two", "three").replace("one", "two");
    check(FILE, &edits(&[("one", "two"), ("two", "three")]), &both);
    // An edit that fits nowhere, a contradiction, and a change that is there already.
    check(FILE, &edits(&[("two", "second"), ("third", "x")]), "refused: not-found");
    check(FILE, &edits(&[("two", "second"), ("two", "third")]), "refused: overlapping");
    check(FILE, &edits(&[("two", "one"), ("one", "x"), ("made up", "y")]), "refused: not-found");
}

#[test]
fn numbers_that_a_tool_showed_before_the_lines() {
    let numbered = |text: &str| -> String {
        text.lines().zip(5..).map(|(line, number)| format!("{number:6}\u{2192}{line}\n")).collect()
    };
    let edit = |old: &str, new: &str| {
        json!({ "old_string": numbered(old), "new_string": numbered(new) }).to_string()
    };
    check_two(&edit("fn b() {\n    two();\n}\n", "fn b() {\n    three();\n}\n"));
    check_two(&edit("fn b() {\n    two();\n}", "fn b() {\n    three();\n}").replace('\u{2192}', "\\t"));
}

#[test]
fn no_change_beside_those_that_are_read_is_lost() {
    let call = |old: &str, new: &str| {
        json!({ "name": "replace", "args": { "path": "src/main.rs", "old_string": old, "new_string": new } })
            .to_string()
    };
    let (first, second) = (call("one", "zero"), call("two", "three"));
    check(FILE, &format!("1. {first}\n{second}\n"), "refused: malformed");
    check(FILE, &format!("{first}\n\n{}", &second[..second.len() - 12]), "refused: truncated");
    let misspelt = second.replace("old_string", "olds_tring");
    check(FILE, &format!("{first}\n{misspelt}\n"), "refused: malformed");
    let block = "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n";
    let diff =
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -5,3 +5,3 @@\n fn b() {\n-    two();\n+    three();\n }\n";
    for edits in [block, diff, &second] {
        let beside = |prose: &str, code: &str| format!("{edits}\n{prose}\n\n```rust\n{code}\n```\n");
        check(FILE, &beside("And change `a`:", "fn a() {\n    zero();\n}"), "refused: malformed");
        check(FILE, &beside("Also add this import:", "use c;"), "refused: malformed");
        check_two(&beside("The function is now:", "fn b() {\n    three();\n}"));
        check_two(&beside("It was:", "fn b() {\n    two();\n}"));
    }
    let pair = "<old>\n    two();\n</old>\n<new>\n    three();\n</new>\n";
    check_two(pair);
    check(
        FILE,
        &format!("{pair}<olde>\n    one();\n</old>\n<new>\n    zero();\n</new>\n"),
        "refused: malformed",
    );
}

#[test]
fn call_follows_another_one_without_a_line_break() {
    let call = |old: &str, new: &str| {
        format!(
            "<invoke name=\"str_replace\">\n<parameter name=\"path\">src/main.rs</parameter>\n\
             <parameter name=\"old_str\">{old}</parameter>\n<parameter name=\"new_str\">{new}</parameter>\n</invoke>"
        )
    };
    let both = FILE.replace("two", "three").replace("one", "zero");
    check(FILE, &format!("{}{}\n", call("one", "zero"), call("two", "three")), &both);
    check(FILE, &format!("{}<|end|>\n{}\n", call("one", "zero"), call("two", "three")), &both);
}
