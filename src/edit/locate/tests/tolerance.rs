//! Lines that differ a little from those of the file.

use super::*;

#[test]
fn a_place_that_lacks_another_line_is_as_near_as_one_that_lacks_a_letter() {
    let old = "alpha();\nmode = TRUE\nbeta();";
    let new = "alpha();\nmode = TRUE\ngamma();";
    let place = |mode: &str| format!("alpha();\nmode = {mode}\nbeta();\n");
    let slip = place("TRUEB");
    check(&slip, old, new, &slip.replace("beta", "gamma"), "context-typo");
    for other in ["TRUE_renamed", "false", "TRU"] {
        check(&(slip.clone() + &place(other)), old, new, "refused: ambiguous", "");
        check(&(place(other) + &slip), old, new, "refused: ambiguous", "");
    }
    check(&(place("FALSE") + &place("1")), old, new, "refused: not-found", "");
}

#[test]
fn letters_are_not_forgiven() {
    check("total = 1\n", "totel = 1", "total = 2", "refused: not-found", "");
    check("a\nb\nc1\nd\n", "a\nb\nc2\nd", "a\nB\nc2\nd", "refused: not-found", "");
    check(
        "alpha\nbeta\ngamma\ndelta\n",
        "alpha\nbeta\ngama\ndelta",
        "alpha\nBETA\ngama\ndelta",
        "alpha\nBETA\ngamma\ndelta\n",
        "context-typo",
    );
    // The misspelt line is elsewhere: this location is a near copy.
    check(
        "get_a\nbeta\ndelta\n\nget_b\nother\nmore\nget_c\n",
        "get_c\nbeta\ndelta",
        "get_c\nBETA\ndelta",
        "refused: not-found",
        "",
    );
}

#[test]
fn left_out_blanks_and_comments_stay() {
    check("aa\n\nbb\n// why\ncc\n", "aa\nbb\ncc", "aa\nbb\ndd", "aa\n\nbb\n// why\ndd\n", "aligned");
    check("aa\nbb\n", "aa\n\nbb", "aa\n\nxx", "aa\nxx\n", "aligned");
    check("aa\n// why\nbb\n", "aa\nbb", "aa\nxx\nbb", "refused: not-found", "");
    // The rest of a comment stays if a part of it stays, and is ambiguous if that part is deleted.
    check("aa\n// 1\n// 2\nbb\n", "aa\n// 1\nbb", "aa\n// 1\nxx", "aa\n// 1\n// 2\nxx\n", "aligned");
    for shown in ["1", "2"] {
        check("aa\n// 1\n// 2\nbb\n", &format!("aa\n// {shown}\nbb"), "aa\nbb", "refused: not-found", "");
    }
}

#[test]
fn blank_line_that_the_end_of_the_file_lacks() {
    let file = "aa\nbb\n";
    check(file, "aa\nbb\n\n", "aa\nbb\n\ncc\n\n", "aa\nbb\n\ncc\n", "aligned");
    check(file, "aa\nbb\n\n", "aa\nbb\n\n\ncc\n\n", "aa\nbb\n\n\ncc\n", "aligned");
    check(file, "aa\nbb\n\n", "aa\ncc\n\n", "aa\ncc\n", "aligned");
    check(file, "aa\nbb\n\n", "aa\nbb\n\ncc\n", "aa\nbb\n\ncc\n", "aligned");
    // The same lines amid the file may be meant as well.
    let twice = "aa\nbb\n\naa\nbb\n";
    check(twice, "aa\nbb\n\n", "aa\nbb\n\ncc\n\n", "refused: ambiguous", "");
    check(twice, "aa\nbb\n\naa", "aa\ncc\n\naa", "aa\ncc\n\naa\nbb\n", "exact");
    let at = |hint| Block { hint: Some(hint), ..block("aa\nbb\n\n", "aa\nbb\ncc\n\n") };
    check_block(twice, &at(1), "aa\nbb\ncc\n\naa\nbb\n", "exact");
    check_block(twice, &at(4), "aa\nbb\n\naa\nbb\ncc\n", "aligned");
}

#[test]
fn escaped_replies() {
    check("if a < b {\n", "if a &lt; b {", "if a &gt; b {", "if a > b {\n", "unescaped");
    check("a\nb\n", "a\\nb", "a\\nc", "a\nc\n", "unescaped");
    check("a\nb\nc\n", "2 | b\n3 | c", "2 | b\n3 | d", "a\nb\nd\n", "unescaped");
    check("a\nb\nc\n", "b\nc", "2 | b\n3 | d", "refused: malformed", "");
    check("1: a\n2: b\n", "1: a\n2: b", "1: a\n2: c", "1: a\n2: c\n", "exact");
    check("x = \"&lt;\"\n", "x = \"&lt;\"", "x = \"&gt;\"", "x = \"&gt;\"\n", "exact");
}

#[test]
fn gaps_that_both_halves_have() {
    check("a1\nb1\nc1\nd1\ne1\n", "a1\n...\ne1", "a2\n...\ne2", "a2\nb1\nc1\nd1\ne2\n", "exact");
    check("a1\nb1\na1\nd1\ne1\n", "a1\n...\ne1", "a2\n...\ne2", "refused: ambiguous", "");
    check("def f():\n    ...\n", "def f():\n    ...", "def g():\n    ...", "def g():\n    ...\n", "exact");
}
