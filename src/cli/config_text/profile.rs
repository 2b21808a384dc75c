//! Reads and edits the top-level keys of a configuration file: the active profile and the recorder.

use toml_edit::{Item, Value};

use super::{Unwritable, parse};

/// Sets the active profile; `None` removes it.
pub(in crate::cli) fn with_profile(text: &str, profile: Option<&str>) -> Result<String, Unwritable> {
    with_root(text, "profile", profile.map(Value::from))
}

/// Switches the flight recorder on or off.
pub(in crate::cli) fn with_record(text: &str, is_on: bool) -> Result<String, Unwritable> {
    with_root(text, "record", is_on.then(|| true.into()))
}

/// Sets the value of a top-level key; `None` removes it.
fn with_root(text: &str, key: &str, value: Option<Value>) -> Result<String, Unwritable> {
    let mut document = parse(text)?;
    match (value, document.get_mut(key).and_then(Item::as_value_mut)) {
        (None, _) => drop(document.remove(key)),
        (Some(new), Some(value)) => {
            let decor = value.decor().clone();
            *value = new;
            *value.decor_mut() = decor;
        }
        // A top-level key must precede the first table.
        (Some(new), None) => {
            let (heading, rest) = text.split_at(heading_bytes(text));
            let gap = if heading.is_empty() || !rest.starts_with('[') { "" } else { "\n" };
            return Ok(format!("{heading}{key} = {new}\n{gap}{rest}"));
        }
    }
    Ok(document.to_string())
}

/// The length of the comment at the beginning of a file, with the blank lines after it.
///
/// A comment without a blank line after it belongs to what follows.
fn heading_bytes(text: &str) -> usize {
    let lines = text.split_inclusive('\n');
    let comment: usize = lines.take_while(|it| it.starts_with('#')).map(str::len).sum();
    let blank = text[comment..].split_inclusive('\n').take_while(|it| it.trim().is_empty());
    let blank: usize = blank.map(str::len).sum();
    if blank == 0 || comment == 0 { 0 } else { comment + blank }
}

/// The names of the profiles, and the active one.
pub(in crate::cli) fn profiles(text: &str) -> Result<(Vec<String>, Option<String>), Unwritable> {
    let document = parse(text)?;
    let table = document.get("profiles").and_then(Item::as_table_like);
    let names = table.map(|it| it.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default();
    Ok((names, document.get("profile").and_then(Item::as_str).map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn profile_is_switched_in_its_place() {
        let check = |text: &str, profile: Option<&str>, expect: Expect| {
            expect.assert_eq(&with_profile(text, profile).unwrap());
        };
        check(
            "profile = \"a\" # now\nstyle = \"x\"\n",
            Some("b"),
            expect![[r#"
            profile = "b" # now
            style = "x"
        "#]],
        );
        check(
            "# mine\n[fast]\n",
            Some("b"),
            expect![[r#"
            profile = "b"
            # mine
            [fast]
        "#]],
        );
        check(
            "profile = \"a\"\n[fast]\n",
            None,
            expect![[r#"
            [fast]
        "#]],
        );
        check(
            "# The settings of Tandem.\n# Mine.\n\n[fast]\n",
            Some("b"),
            expect![[r#"
                # The settings of Tandem.
                # Mine.

                profile = "b"

                [fast]
            "#]],
        );
        let on = with_record("style = \"x\"\n[fast]\n", true).unwrap();
        assert_eq!(on, "record = true\nstyle = \"x\"\n[fast]\n");
        assert_eq!(with_record(&on, true).unwrap(), on);
        assert_eq!(with_record(&on, false).unwrap(), "style = \"x\"\n[fast]\n");
        assert_eq!(
            profiles("profile = \"a\"\n[profiles.a]\n[profiles.b]\n").unwrap(),
            (vec!["a".to_owned(), "b".to_owned()], Some("a".to_owned()))
        );
    }
}
