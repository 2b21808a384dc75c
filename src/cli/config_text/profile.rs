//! Reads and edits the top-level keys of a configuration file: the active profile and the recorder.

use toml_edit::{Document, Item, Value};

use super::{Unwritable, line_end, parse, syntax};

/// Sets the active profile; `None` removes it.
pub(in crate::cli) fn with_profile(text: &str, profile: Option<&str>) -> Result<String, Unwritable> {
    with_root(text, "profile", profile.map(Value::from))
}

/// Switches the flight recorder on or off.
pub(in crate::cli) fn with_record(text: &str, is_on: bool) -> Result<String, Unwritable> {
    with_root(text, "record", is_on.then(|| true.into()))
}

/// Sets the value of a top-level key; `None` removes the key with its line.
///
/// The rest of the text stays byte for byte, so a key that is set and then removed leaves the text as it was.
fn with_root(text: &str, key: &str, value: Option<Value>) -> Result<String, Unwritable> {
    let document = Document::parse(text).map_err(|error| syntax(text, &error))?;
    let Some((name, item)) = document.get_key_value(key) else {
        return Ok(value.map_or_else(|| text.to_owned(), |value| inserted(text, key, &value)));
    };
    let (Some(name), Some(old)) = (name.span(), item.as_value().and_then(Value::span)) else {
        return Err(Unwritable::NotAValue(key.to_owned()));
    };
    Ok(match value {
        Some(value) => format!("{}{value}{}", &text[..old.start], &text[old.end..]),
        None => {
            let start = text[..name.start].rfind('\n').map_or(bom_bytes(text), |at| at + 1);
            let end = text[old.end..].find('\n').map_or(text.len(), |at| old.end + at + 1);
            let (before, after) = (&text[..start], &text[end..]);
            format!("{before}{}", after.strip_prefix(gap(before, after)).unwrap_or(after))
        }
    })
}

/// Adds a top-level key, which must precede the first table: below the comment that begins the text, if any.
fn inserted(text: &str, key: &str, value: &Value) -> String {
    let (before, after) = text.split_at(heading_bytes(text));
    let end = line_end(text);
    let gap = if is_heading(before) && after.starts_with('[') { end } else { "" };
    format!("{before}{key} = {value}{end}{gap}{after}")
}

/// The blank line that was inserted with a key between these texts, if any.
fn gap<'a>(before: &str, after: &'a str) -> &'a str {
    let blank = after.split_inclusive('\n').next().filter(|it| it.trim().is_empty()).unwrap_or_default();
    let is_gap =
        heading_bytes(before) == before.len() && is_heading(before) && after[blank.len()..].starts_with('[');
    if is_gap { blank } else { "" }
}

/// Whether the part of a text that precedes an inserted key is a comment.
fn is_heading(before: &str) -> bool {
    before.len() > bom_bytes(before)
}

/// The length of the comment at the beginning of a file, with the blank lines after it.
///
/// A comment without a blank line after it belongs to what follows.
fn heading_bytes(text: &str) -> usize {
    let start = bom_bytes(text);
    let length = |text: &str, is_part: fn(&str) -> bool| -> usize {
        text.split_inclusive('\n').take_while(|it| it.ends_with('\n') && is_part(it)).map(str::len).sum()
    };
    let comment = length(&text[start..], |it| it.starts_with('#'));
    let blank = length(&text[start + comment..], |it| it.trim().is_empty());
    if blank == 0 || comment == 0 { start } else { start + comment + blank }
}

/// The length of the byte order mark at the beginning of a text.
fn bom_bytes(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
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
    use proptest::prelude::*;

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

    #[test]
    fn own_text_stays() {
        let text = "# My notes\r\n\r\n[fast]\r\ncandidates = []";
        let on = with_record(text, true).unwrap();
        assert_eq!(on, "# My notes\r\n\r\nrecord = true\r\n\r\n[fast]\r\ncandidates = []");
        assert_eq!(with_record(&on, false).unwrap(), text);
        let table = with_record("[record]\nx = 1\n", false).map_err(|error| error.to_string());
        assert_eq!(table, Err("`record` is a table, not a value".to_owned()));
    }

    proptest! {
        /// Text with comments, values, tables, blank lines and either line end.
        #[test]
        fn key_that_is_set_and_removed_leaves_the_text(
            bom in "\u{feff}?",
            root in prop::collection::vec("(# [a-z\u{e9}]{0,3}|  ?|kN = 'x' ?(# y)?|kN = '''\n\n# z''')", 0..5),
            tables in prop::collection::vec(r"(\[tN\]|# [a-z]{1,3}||kN = 3)", 0..4),
            end in "\r?\n",
            is_ended: bool,
            profile in "[a-z '\u{e9}]{0,3}",
        ) {
            let lines = root.iter().chain(&tables).enumerate();
            let lines = lines.map(|(at, it)| it.replace('N', &at.to_string()).replace('\n', &end));
            let mut text = lines.collect::<Vec<_>>().join(&end);
            if is_ended {
                text += &end;
            }
            let text = bom + &text;
            let mut both = text.clone();
            for is_on in [true, false] {
                both = with_profile(&both, is_on.then_some(profile.as_str())).unwrap();
                let named = profiles(&both).unwrap().1;
                prop_assert_eq!(named, is_on.then(|| profile.clone()));
                if is_on {
                    let recorded = with_record(&both, true).unwrap();
                    prop_assert_eq!(with_record(&recorded, false).unwrap(), both.clone());
                    let other_order = with_profile(&recorded, None).unwrap();
                    prop_assert_eq!(with_record(&other_order, false).unwrap(), text.clone());
                    let crlf = both.matches("\r\n").count();
                    prop_assert!(crlf == 0 || crlf == both.matches('\n').count(), "mixed line ends");
                }
            }
            prop_assert_eq!(both, text);
        }
    }
}
