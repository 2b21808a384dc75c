//! Names that are written in another way than before, as by a slip.

use std::collections::HashMap;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::runs::Run;
use crate::text::ident;
use crate::text::is_typo;

/// The shortest name that is judged: shorter ones are near many others.
const LEAST_NAME: usize = 5;

/// Changes of more lines are not judged.
const MOST_LINES: usize = 60;

/// A name of the old text and what a reply makes of it.
pub(super) struct Slip {
    pub(super) name: String,
    pub(super) meant: String,
}

/// The first line that differs from an old one in one name, where the new name looks like a slip.
///
/// It is in no line of the old text, is declared nowhere, and differs from the old name by a sign or two within it,
/// while the old name is still used. A prefix, an ending or a number makes another name on purpose, and so does what
/// the instruction or the reply's prose says. An instruction with the old name may be about a slip in that one.
pub(super) fn slip(compared: &Comparison<'_>) -> Option<Slip> {
    if !compared.is_code {
        return None;
    }
    let grammar = compared.before.document().grammar();
    let mut changed = compared.runs().iter().flat_map(changed_names);
    let (meant, name) = changed.find(|(meant, name)| {
        are_near(meant, name)
            && compared.before.words().count(name) == 0
            && compared.after.words().count(meant) > 0
            && !compared.mentions().has(name)
            && !compared.mentions().instruction_has(meant)
            && !grammar.is_some_and(|it| it.has_in_library(name))
            && !compared.after.declared().contains(name)
            && !compared.after.words().assigned.contains(name)
    })?;
    Some(Slip { name: name.to_owned(), meant: meant.to_owned() })
}

/// The old and the new name of lines that differ in one name.
fn changed_names<'t>(run: &Run<'t>) -> Vec<(&'t str, &'t str)> {
    if run.old.len().max(run.new.len()) > MOST_LINES {
        return Vec::new();
    }
    let words = |line: &&'t str| ident::words(line).collect::<Vec<_>>();
    let mut old: HashMap<usize, Vec<Vec<&str>>> = HashMap::new();
    run.old.iter().map(words).for_each(|it| old.entry(it.len()).or_default().push(it));
    let mut found = Vec::new();
    for new in run.new.iter().filter(|line| !is_comment(line)).map(words) {
        for old in old.get(&new.len()).into_iter().flatten() {
            let mut differing = old.iter().zip(&new).filter(|(old, new)| old != new);
            if let (Some((old, new)), None) = (differing.next(), differing.next()) {
                found.push((*old, *new));
            }
        }
    }
    found
}

/// Whether two names differ by a slip within them.
fn are_near(old: &str, new: &str) -> bool {
    let is_short = |name: &str| name.chars().count() < LEAST_NAME;
    if is_short(old) || is_short(new) {
        return false;
    }
    let letters = |name: &str| name.to_lowercase().replace(|it: char| it == '_' || it.is_numeric(), "");
    let [old, new] = [old, new].map(letters);
    let is_form =
        old.starts_with(&*new) || new.starts_with(&*old) || old.ends_with(&*new) || new.ends_with(&*old);
    !is_form && is_typo(&old, &new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    /// Checks the slip in a new version of a function.
    #[track_caller]
    fn check([old, new]: [&str; 2], instruction: &str, expected: Option<&str>) {
        let file = "def charge(customer, amount):\n    if amount > customer.limit:\n        return reject(customer)\n    return book(customer, amount)\n";
        assert!(file.contains(old), "{old}");
        let after = file.replacen(old, new, 1);
        let asked = Asked { instruction, reply: &after };
        let found = compared("python", [file, &after], asked, slip);
        assert_eq!(found.map(|it| it.name).as_deref(), expected, "{after}");
    }

    #[test]
    fn names_with_a_slip() {
        check(["reject(customer)", "reject(custmoer)"], "Raise it", Some("custmoer"));
        check(["book(customer, amount)", "book(customer, amuont)"], "Raise it", Some("amuont"));
        check(["book(customer, amount)", "book(customer, amuunt)"], "Use amuunt", None);
        check(["reject(customer)", "reject(customers)"], "Raise it", None);
        check(["reject(customer)", "reject(customer2)"], "Raise it", None);
        check(["reject(customer)", "reject(supplier)"], "Raise it", None);
        check(["reject(customer)", "reject(custmoer)"], "cannot find `customer`", None);
        check(["return reject", "return rejekt"], "Raise it", None);
    }
}
