//! Search/replace blocks in all variants.

use super::{FILE, check, check_two};

#[test]
fn search_replace_in_all_dialects() {
    check_two(
        "src/main.rs\n```rust\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n```\n",
    );
    check_two("<<<<< search\n    two();\n=====\n    three();\n>>>>> replace");
    check_two("Sure.\n\n------- SEARCH\n    two();\n=======\n    three();\n+++++++ REPLACE\nDone.");
    check_two("<<<<<<< ORIGINAL\n    two();\n=======\n    three();\n>>>>>>> UPDATED\n");
    check_two("<<<<<<< SEARCH>\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
    check_two("<<<<<<< SEARCH\n:start_line:6\n-------\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
    check_two(
        "1. Do it:\n   <<<<<<< SEARCH\n       two();\n   =======\n       three();\n   >>>>>>> REPLACE\n",
    );
    check_two("<old_text>\n    two();\n</old_text>\n<new_text>\n    three();\n</new_text>\n");
    check_two("<old_text>two</old_text><new_text>three</new_text>");
    check_two("```\n<<<<<<< SEARCH line=6\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n```\n");
    let pair =
        |old: &str, new: &str| format!("<{old}>\n    two();\n</{old}>\n<{new}>\n    three();\n</{new}>\n");
    check_two(&format!("<modify file=\"src/main.rs\">\n{}</modify>\n", pair("original_code", "new_code")));
    let code = pair("original_code", "new_code");
    check_two(&format!("<code_change>\n<file_path>\nsrc/main.rs\n</file_path>\n{code}</code_change>\n"));
    let patched = pair("original", "patched");
    check_two(&format!("# modification 1\n```\n<file>src/main.rs</file>\n{patched}```\n"));
    for head in
        ["<modify file=\"src/lib.rs\">", "<file>src/lib.rs</file>", "<file_path>\nsrc/lib.rs\n</file_path>"]
    {
        check(FILE, &format!("{head}\n{patched}"), "refused: other-file");
    }
    check_two("```\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n");
}

#[test]
fn search_replace_that_is_not_certain() {
    check(FILE, "<<<<<<< SEARCH\n}\n=======\n};\n>>>>>>> REPLACE\n", "refused: ambiguous");
    check(FILE, "<<<<<<< SEARCH\n    two();\n    three();\n>>>>>>> REPLACE\n", "refused: malformed");
    check(FILE, "<<<<<<< SEARCH\n    two();\n=======\n    three();\n", "refused: truncated");
    check(FILE, "<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPL", "refused: truncated");
    check(
        FILE,
        "<<<<<<< SEARCH\n    two();\n=======\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "refused: truncated",
    );
    check(FILE, "<<<<<<< SEARCH\n=======\n    three();\n>>>>>>> REPLACE\n", "refused: no-old-text");
    check(
        FILE,
        "src/lib.rs\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE\n",
        "refused: other-file",
    );
    check("", "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n", "new\n");
    let block = |new: &str| format!("<<<<<<< SEARCH\n    two();\n=======\n    {new};\n>>>>>>> REPLACE\n");
    check_two(&(block("three()") + &block("three()")));
    check(FILE, &(block("three()") + &block("four()")), "refused: overlapping");
    check(FILE, &block("two()"), FILE);
}

#[test]
fn a_divider_too_many() {
    let block = |new: &str| format!("<<<<<<< SEARCH\n    two();\n=======\n{new}>>>>>>> REPLACE\n");
    check(FILE, &block("    three();\n=======\n"), "refused: not-found");
    check(FILE, &block("=======\n    three();\n"), "refused: not-found");
    let old = "one\n===\n\nwords\n".replace("===", "=====");
    check(
        &old,
        "<<<<<<< SEARCH\none\n=====\n=======\nfour\n======\n>>>>>>> REPLACE\n",
        "four\n======\n\nwords\n",
    );
}

#[test]
fn a_divider_that_is_also_text() {
    let file = "Title\n=======\n\ntext\n";
    check(
        file,
        "<<<<<<< SEARCH\nTitle\n=======\n=======\nHeading\n=======\n>>>>>>> REPLACE\n",
        "Heading\n=======\n\ntext\n",
    );
    check(
        file,
        "<<<<<<< SEARCH\ntext\n=======\nMore\n=======\nend\n>>>>>>> REPLACE\n",
        "Title\n=======\n\nMore\n=======\nend\n",
    );
}
