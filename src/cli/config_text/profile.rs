//! The profiles that the text of a configuration file has, and which of them is active.

use toml_edit::{Item, Value};

use super::{Unwritable, parse};

/// The text with another active profile; `None` for none.
pub(in crate::cli) fn with_profile(text: &str, profile: Option<&str>) -> Result<String, Unwritable> {
    let mut document = parse(text)?;
    match profile {
        None => drop(document.remove("profile")),
        Some(name) => match document.get_mut("profile").and_then(Item::as_value_mut) {
            Some(value) => {
                let decor = value.decor().clone();
                *value = name.into();
                *value.decor_mut() = decor;
            }
            // A key of the root must stand before the first table.
            None => return Ok(format!("profile = {}\n{text}", Value::from(name))),
        },
    }
    Ok(document.to_string())
}

/// The names of the profiles in the text, and the active one.
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
        assert_eq!(
            profiles("profile = \"a\"\n[profiles.a]\n[profiles.b]\n").unwrap(),
            (vec!["a".to_owned(), "b".to_owned()], Some("a".to_owned()))
        );
    }
}
