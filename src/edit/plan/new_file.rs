//! New files that are not meant as such: a version of another file, or a part of one.

use std::collections::HashSet;

use crate::edit::{Refusal, line, runs};
use crate::grammar;
use crate::text::is_typo;

/// Refuses a new file whose code begins inside of something: it is a part of another file.
pub(super) fn not_a_part(stated: &str, text: &str) -> Result<(), Refusal> {
    let is_code = grammar::by_path(stated.as_ref()).is_some_and(|it| !it.is_prose());
    match line::split_iter(text).find(|line| !line::is_blank(line)) {
        Some(first) if is_code && first.starts_with([' ', '\t']) => Err(Refusal::malformed(format!(
            "`{stated}` is not there, and its text begins inside of other code"
        ))),
        _ => Ok(()),
    }
}

/// Whether a file's name may be a slip for that of another one. Names with numbers are those of a series.
pub(super) fn are_near(name: &str, other: &str) -> bool {
    const LEAST_NAME: usize = 4;
    let stems = [name, other].map(|it| it.split_once('.').unwrap_or((it, "")));
    let [(stem, ending), (other, other_ending)] = stems;
    let is_judged = |it: &str| it.chars().count() >= LEAST_NAME && !it.contains(char::is_numeric);
    ending == other_ending && is_judged(stem) && is_judged(other) && is_typo(stem, other)
}

/// Whether most lines of a new text are lines of an old one.
pub(super) fn are_versions(old: &str, new: &str) -> bool {
    let lines = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| runs::has_word_chars(line));
    let known: HashSet<&str> = lines(old).collect();
    let (count, same) = (lines(new).count(), lines(new).filter(|line| known.contains(line)).count());
    same * 2 > count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_share_most_lines() {
        assert!(are_versions("import os\n\nfirst()\nsecond()\n", "import os\nfirst()\nthird()\n"));
        assert!(!are_versions("import os\n\nfirst()\nsecond()\n", "import os\nother()\nthird()\n"));
    }

    #[test]
    fn names_with_a_slip_are_near() {
        assert!(are_near("parecls.py", "parcels.py"));
        assert!(are_near("parcel_ordrs.rb", "parcel_orders.rb"));
        assert!(!are_near("report.py", "report.rb"));
        assert!(!are_near("v1.sql", "v2.sql"));
        assert!(!are_near("report2.py", "report.py"));
        assert!(!are_near("import.py", "report.py"));
    }

    #[test]
    fn code_begins_in_the_first_column() {
        let check = |path: &str, text: &str| not_a_part(path, text).map_err(|refusal| refusal.code());
        assert_eq!(check("a.ts", "\n  b() {\n  }\n"), Err("malformed"));
        assert_eq!(check("a.ts", "\nb() {\n}\n"), Ok(()));
        assert_eq!(check("a.md", "    b\n"), Ok(()));
        assert_eq!(check("a.unknown", "    b\n"), Ok(()));
    }
}
