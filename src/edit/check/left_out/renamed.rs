//! What changes beside the name that an instruction asks to rename.
//!
//! "Rename `a` to `b`" says of each line how it reads afterwards, so any other change of a line is a slip.

use std::collections::HashMap;

use super::comparison::Comparison;
use super::unrelated::tokens;
use crate::edit::check::is_comment;
use crate::edit::runs::{has_word_chars, runs};
use crate::text::ident;

/// The first old line that goes, or changes beside the name, if the instruction asks for another name and nothing else.
///
/// Comments, line breaks and commas may change, and so may names that contain one of the two.
pub(super) fn line(compared: &Comparison<'_>) -> Option<String> {
    let [from, to] = names(compared.asked.instruction)?;
    let old = compared.before.lines();
    let renamed: Vec<String> = old.iter().map(|line| replaced(line, from, to)).collect();
    let renamed: Vec<&str> = renamed.iter().map(String::as_str).collect();
    if renamed == old {
        return None;
    }
    let names = [from, to].map(str::to_lowercase);
    let is_other = |token: &str| {
        let token = token.to_lowercase();
        token != "," && !names.iter().any(|name| token.contains(name.as_str()))
    };
    let runs = runs(&renamed, compared.after.lines());
    let stray = runs.iter().find(|run| {
        let mut surplus: HashMap<&str, isize> = HashMap::new();
        for (lines, sign) in [(&run.old, 1), (&run.new, -1)] {
            let code = lines.iter().filter(|line| !is_comment(line));
            code.flat_map(|line| tokens(line)).for_each(|it| *surplus.entry(it).or_default() += sign);
        }
        let has_code = run.old.iter().any(|line| has_word_chars(line) && !is_comment(line));
        has_code && surplus.iter().any(|(token, surplus)| *surplus != 0 && is_other(token))
    })?;
    let lines = old.iter().skip(stray.at).take(stray.old.len());
    let changed =
        lines.zip(&stray.old).find(|(_, line)| has_word_chars(line) && !stray.new.contains(line))?;
    Some((*changed.0).to_owned())
}

/// The old and the new name, if an instruction asks to rename one to the other and for nothing else.
fn names(instruction: &str) -> Option<[&str; 2]> {
    const ENDS: [&str; 8] = ["and", "also", "but", "then", "use", "with", "while", "so"];
    let bare = |word| str::trim_matches(word, |sign: char| !ident::is_part(sign));
    let mut words =
        instruction.split_whitespace().map(bare).skip_while(|it| it.eq_ignore_ascii_case("please"));
    if !words.next()?.eq_ignore_ascii_case("rename") {
        return None;
    }
    let words: Vec<&str> = words.collect();
    let at = words.iter().position(|it| matches!(*it, "to" | "into" | "as"))?;
    let (from, to) = (*words[..at].last()?, *words.get(at + 1)?);
    let is_more = words[at + 2..].iter().any(|word| ENDS.contains(&word.to_lowercase().as_str()));
    (!is_more && at <= 3 && ident::is_name(from) && ident::is_name(to)).then_some([from, to])
}

/// A line in which a name is another one, except as part of longer names.
fn replaced(line: &str, from: &str, to: &str) -> String {
    let (mut new, mut end) = (String::new(), 0);
    for at in ident::occurrences(line, from) {
        new.push_str(&line[end..at]);
        new.push_str(to);
        end = at + from.len();
    }
    new + &line[end..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "func login(user string) bool {\n\t// Of user.\n\tif !known(user) {\n\t\tlog(\"user\")\n\t\treturn false\n\t}\n\treturn check(user, users)\n}\n";

    /// Checks the old line that changes beside the name.
    #[track_caller]
    fn check(changes: &[[&str; 2]], instruction: &str, expected: Option<&str>) {
        let mut after = FILE.to_owned();
        for [old, new] in changes {
            assert!(after.contains(old), "{old}");
            after = after.replace(old, new);
        }
        let asked = Asked { instruction, reply: &after };
        assert_eq!(compared("go", [FILE, &after], asked, line).as_deref(), expected, "{after}");
    }

    #[test]
    fn only_the_name_changes() {
        let renamed = ["user", "name"];
        check(&[renamed], "rename user to name", None);
        check(&[renamed, ["// Of", "// The"]], "Rename `user` to `name`.", None);
        check(&[renamed, ["\"name\"", "\"user\""], ["names", "users"]], "rename user to name", None);
        check(&[renamed, ["(name string)", "(\n\t\tname string,\n\t)"]], "rename user to name", None);
        let gone = ["\t\treturn false\n", ""];
        check(&[renamed, gone], "please rename the user to name in login", Some("return false"));
        check(&[renamed, ["!known", "known"]], "rename user to name", Some("if !known(user) {"));
        check(&[renamed, gone], "rename user to name and never return false", None);
        check(&[renamed, gone], "rename others to name", None);
        check(&[gone], "log it", None);
    }
}
