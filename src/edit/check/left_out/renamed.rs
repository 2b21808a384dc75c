//! What changes beside the names that an instruction asks to rename.
//!
//! "Rename `a` to `b`" says of each line how it reads afterwards, so any other change of a line is a slip.

use std::collections::HashMap;

use super::comparison::Comparison;
use super::unrelated::tokens;
use crate::edit::check::is_comment;
use crate::edit::runs::{has_word_chars, runs};
use crate::text::ident;

/// The first old line that goes, or changes beside the names, if the instruction asks for other names and nothing else.
///
/// Comments, line breaks and commas may change, and so may names that contain one of those.
pub(super) fn line(compared: &Comparison<'_>) -> Option<String> {
    let renames = renames(compared.asked.instruction)?;
    let old = compared.before.lines();
    let renamed: Vec<String> = old.iter().map(|line| renamed(line, &renames)).collect();
    let renamed: Vec<&str> = renamed.iter().map(String::as_str).collect();
    if renamed == old {
        return None;
    }
    let names: Vec<String> = renames.iter().flatten().map(|name| name.to_lowercase()).collect();
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

/// The old and new names, if an instruction asks to rename some and for nothing else: "rename `a` to `b`, and c to d".
fn renames(instruction: &str) -> Option<Vec<[&str; 2]>> {
    /// How many words may say what the name is of: "the local variable".
    const MOST_BEFORE: usize = 3;
    const PLACES: [&str; 7] = ["across", "everywhere", "here", "in", "inside", "throughout", "within"];
    let bare = |word| str::trim_matches(word, |sign: char| !ident::is_part(sign));
    let clauses = instruction.split([',', ';']).flat_map(|clause| clause.split(" and "));
    let mut found = Vec::new();
    for (at, clause) in clauses.map(str::trim).filter(|clause| !clause.is_empty()).enumerate() {
        let mut words: Vec<&str> = clause.split_whitespace().map(bare).collect();
        words.retain(|word| !matches!(*word, "please" | "Please" | "and"));
        let is_verb = words.first()?.eq_ignore_ascii_case("rename");
        let words = if is_verb { &words[1..] } else { &words[..] };
        let to = words.iter().position(|it| matches!(*it, "to" | "into" | "as"))?;
        let (from, name) = (words[..to].last()?, words.get(to + 1)?);
        let is_placed = words.get(to + 2).is_none_or(|word| PLACES.contains(word));
        let is_rename = (is_verb || at > 0) && is_placed && to <= MOST_BEFORE + 1;
        found.push((is_rename && ident::is_name(from) && ident::is_name(name)).then_some([*from, *name])?);
    }
    Some(found)
}

/// A line with the new names.
fn renamed(line: &str, renames: &[[&str; 2]]) -> String {
    let (mut new, mut end) = (String::new(), 0);
    for token in ident::tokens(line) {
        if let Some([_, name]) = renames.iter().find(|[from, _]| *from == &line[token.clone()]) {
            new.push_str(&line[end..token.start]);
            new.push_str(name);
            end = token.end;
        }
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
        let both = [renamed, ["known", "seen"]];
        check(&both, "rename user to name, known to seen", None);
        check(&both, "rename `user` to `name`, and the function known to seen", None);
        check(&both, "rename user to name", Some("if !known(user) {"));
        check(&[both[0], both[1], gone], "rename user to name and known to seen", Some("return false"));
        check(&[both[0], both[1], gone], "rename user to name, and tidy up", None);
        check(&[renamed, gone], "rename user to name so that it is clear", None);
    }
}
