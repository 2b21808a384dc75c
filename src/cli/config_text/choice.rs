//! Writes a provider and its model into the text of a configuration file.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::entry::Entry;
use super::{Unwritable, is_same_place, parse, written};

/// A model and its provider: everything that setup writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Choice {
    /// The provider's name in the configuration.
    pub(in crate::cli) provider: String,
    pub(in crate::cli) base_url: String,
    pub(in crate::cli) wire: String,
    pub(in crate::cli) fim_dialect: Option<String>,
    pub(in crate::cli) key: Key,
    pub(in crate::cli) model: String,
    /// `fast`, `deep` or both.
    pub(in crate::cli) roles: Vec<&'static str>,
}

/// The source of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Key {
    /// The provider needs none, or the configured one stays.
    None,
    /// An environment variable.
    Variable(String),
    /// A command that prints the key.
    Command(Vec<String>),
}

/// The header of a new file.
const HEADER: &str = "\
# Tandem's configuration. `tandem doctor` checks it; editors/configuration.md explains every setting.
# Changes apply at once.

";

/// Adds a choice to the text, as the first candidate of its roles.
pub(in crate::cli) fn with(text: &str, choice: &Choice) -> Result<String, Unwritable> {
    let is_new = text.trim().is_empty();
    let mut document = parse(text)?;
    add_provider(&mut document, choice)?;
    for role in &choice.roles {
        let role_table = table(document.as_item_mut(), role, role)?;
        put_first(role_table, role, &choice.provider, &choice.model)?;
    }
    let written = written(&document, text);
    Ok(if is_new { format!("{HEADER}{}", written.trim_start()) } else { written })
}

fn table<'a>(
    parent: &'a mut Item,
    name: &str,
    path: &str,
) -> Result<&'a mut dyn toml_edit::TableLike, Unwritable> {
    let not_a_table = || Unwritable::NotATable(path.to_owned());
    let parent = parent.as_table_like_mut().ok_or_else(not_a_table)?;
    if !parent.contains_key(name) {
        parent.insert(name, Item::Table(Table::new()));
    }
    parent.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(not_a_table)
}

fn add_provider(document: &mut DocumentMut, choice: &Choice) -> Result<(), Unwritable> {
    let root = document.as_item_mut();
    if root.get("providers").is_none() {
        let mut providers = Table::new();
        providers.set_implicit(true);
        root["providers"] = Item::Table(providers);
    }
    let path = format!("providers.{}", choice.provider);
    let provider = table(&mut root["providers"], &choice.provider, &path)?;
    match provider.get("base_url").and_then(Item::as_str) {
        Some(url) if !is_same_place(url, &choice.base_url) => {
            return Err(Unwritable::Taken { name: choice.provider.clone(), base_url: url.to_owned() });
        }
        // The wire of an existing provider is the user's choice, even if it is left out.
        Some(_) => {}
        None => {
            provider.insert("base_url", toml_edit::value(choice.base_url.as_str()));
            provider.insert("wire", toml_edit::value(choice.wire.as_str()));
            if let Some(dialect) = &choice.fim_dialect {
                provider.insert("fim_dialect", toml_edit::value(dialect.as_str()));
            }
        }
    }
    match &choice.key {
        Key::None => {}
        Key::Variable(name) => {
            provider.remove("api_key_command");
            provider.insert("api_key_env", toml_edit::value(name.as_str()));
        }
        Key::Command(command) => {
            provider.remove("api_key_env");
            provider.insert("api_key_command", toml_edit::value(command.iter().collect::<Array>()));
        }
    }
    Ok(())
}

/// Moves one of a role's candidates to the front. If the active profile has candidates of this role, these are
/// changed.
pub(in crate::cli) fn with_first(
    text: &str,
    role: &str,
    provider: &str,
    model: &str,
) -> Result<String, Unwritable> {
    let mut document = parse(text)?;
    let profile = document.get("profile").and_then(Item::as_str).map(str::to_owned);
    let of_profile = |name: &String| document.get("profiles")?.get(name)?.get(role)?.get("candidates");
    let profile = profile.filter(|name| of_profile(name).is_some());
    let root = document.as_item_mut();
    let (root, path) = match &profile {
        Some(name) => (&mut root["profiles"][name], format!("profiles.{name}.{role}")),
        None => (root, role.to_owned()),
    };
    if !put_first(table(root, role, &path)?, &path, provider, model)? {
        let next_step = match role {
            "deep" => "`tandem model` lists the models, and `tandem setup --deep` adds one for hard tasks",
            _ => "`tandem model` lists the models, and `tandem setup` adds one",
        };
        let (provider, model) = (provider.to_owned(), model.to_owned());
        return Err(Unwritable::NoCandidate { path, provider, model, next_step });
    }
    Ok(written(&document, text))
}

/// Puts a model first among a role's candidates; the others become fallbacks. Returns whether it was a candidate.
fn put_first(
    role_table: &mut dyn toml_edit::TableLike,
    role: &str,
    provider: &str,
    model: &str,
) -> Result<bool, Unwritable> {
    let path = format!("{role}.candidates");
    let candidates = role_table.entry("candidates").or_insert_with(|| toml_edit::value(Array::new()));
    let is_it = |get: &dyn Fn(&str) -> Option<String>| {
        get("provider").as_deref() == Some(provider) && get("model").as_deref() == Some(model)
    };
    if let Some(tables) = candidates.as_array_of_tables_mut() {
        // `[[fast.candidates]]`: reordering also moves the comments of the other tables.
        let mut values: Vec<Table> = tables.iter().cloned().collect();
        let position = values
            .iter()
            .position(|it| is_it(&|name| it.get(name).and_then(Item::as_str).map(str::to_owned)));
        tables.clear();
        // A new table, since toml_edit prints a table at its original position. It keeps its other settings.
        let known = position.map(|at| values.remove(at));
        let mut first = Table::new();
        first.insert("provider", toml_edit::value(provider));
        first.insert("model", toml_edit::value(model));
        known.iter().flat_map(Table::iter).for_each(|(name, value)| drop(first.insert(name, value.clone())));
        tables.push(first);
        values.into_iter().for_each(|it| tables.push(it));
        return Ok(position.is_some());
    }
    let array = candidates.as_array_mut().ok_or(Unwritable::NotATable(path))?;
    let mut entries = Entry::of(array);
    let position = entries.iter().position(|it| {
        let table = it.value.as_inline_table();
        table.is_some_and(|it| is_it(&|name| it.get(name).and_then(Value::as_str).map(str::to_owned)))
    });
    // An existing candidate keeps its other settings, such as an effort.
    let first = match position {
        Some(at) => entries.remove(at),
        None => {
            let mut candidate = InlineTable::new();
            candidate.insert("provider", provider.into());
            candidate.insert("model", model.into());
            Entry { lead: String::new(), value: candidate.into(), comment: String::new() }
        }
    };
    entries.insert(0, first);
    Entry::put(entries, array);
    Ok(position.is_some())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn choice(provider: &str, model: &str, key: Key) -> Choice {
        Choice {
            provider: provider.to_owned(),
            base_url: format!("https://{provider}.example/v1"),
            wire: "chat".to_owned(),
            fim_dialect: None,
            key,
            model: model.to_owned(),
            roles: vec!["fast"],
        }
    }

    fn check(text: &str, choice: &Choice, expect: Expect) {
        let shown = match with(text, choice) {
            Ok(written) => {
                assert_eq!(with(&written, choice).unwrap(), written, "a second time changes nothing");
                let windows = |text: &str| text.replace('\n', "\r\n");
                let is_new = text.trim().is_empty();
                assert!(
                    is_new || with(&windows(text), choice).unwrap() == windows(&written),
                    "line ends stay"
                );
                written
            }
            Err(error) => format!("error: {error}"),
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn new_file_holds_the_choice() {
        let both =
            Choice { roles: vec!["fast", "deep"], ..choice("a", "m", Key::Variable("A_KEY".to_owned())) };
        check(
            "",
            &both,
            expect![[r##"
            # Tandem's configuration. `tandem doctor` checks it; editors/configuration.md explains every setting.
            # Changes apply at once.

            [providers.a]
            base_url = "https://a.example/v1"
            wire = "chat"
            api_key_env = "A_KEY"

            [fast]
            candidates = [{ provider = "a", model = "m" }]

            [deep]
            candidates = [{ provider = "a", model = "m" }]
        "##]],
        );
        let command = Key::Command(["pass", "show", "a"].map(str::to_owned).to_vec());
        let fim = Choice {
            wire: "fim".to_owned(),
            fim_dialect: Some("mistral".to_owned()),
            ..choice("b", "n", command)
        };
        check(
            "\n",
            &fim,
            expect![[r##"
            # Tandem's configuration. `tandem doctor` checks it; editors/configuration.md explains every setting.
            # Changes apply at once.

            [providers.b]
            base_url = "https://b.example/v1"
            wire = "fim"
            fim_dialect = "mistral"
            api_key_command = ["pass", "show", "a"]

            [fast]
            candidates = [{ provider = "b", model = "n" }]

        "##]],
        );
    }

    #[test]
    fn text_of_the_user_stays() {
        let old = "\
# mine
eagerness = \"low\" # quiet

[providers.old]   # the first
base_url = \"http://127.0.0.1:1/v1\"

[fast]
# In order.
candidates = [
  { provider = \"old\", model = \"x\", reasoning_effort = \"low\" }, # good
  { provider = \"old\", model = \"y\" },
]
hedge_ms = 300
";
        check(
            old,
            &choice("a", "m", Key::None),
            expect![[r##"
            # mine
            eagerness = "low" # quiet

            [providers.old]   # the first
            base_url = "http://127.0.0.1:1/v1"

            [providers.a]
            base_url = "https://a.example/v1"
            wire = "chat"

            [fast]
            # In order.
            candidates = [
              { provider = "a", model = "m" },
              { provider = "old", model = "x", reasoning_effort = "low" }, # good
              { provider = "old", model = "y" },
            ]
            hedge_ms = 300
        "##]],
        );
        let known = Choice { base_url: "http://127.0.0.1:1/v1/".to_owned(), ..choice("old", "y", Key::None) };
        check(
            old,
            &known,
            expect![[r##"
                # mine
                eagerness = "low" # quiet

                [providers.old]   # the first
                base_url = "http://127.0.0.1:1/v1"

                [fast]
                # In order.
                candidates = [
                  { provider = "old", model = "y" },
                  { provider = "old", model = "x", reasoning_effort = "low" }, # good
                ]
                hedge_ms = 300
            "##]],
        );
        check(
            "fast = { candidates = [] }\n",
            &choice("a", "m", Key::None),
            expect![[r#"
            fast = { candidates = [{ provider = "a", model = "m" }] }

            [providers.a]
            base_url = "https://a.example/v1"
            wire = "chat"
        "#]],
        );
        check(
            "[[fast.candidates]]\nprovider = \"old\"\nmodel = \"x\"\n",
            &choice("a", "m", Key::None),
            expect![[r#"
                [[fast.candidates]]
                provider = "a"
                model = "m"
                [[fast.candidates]]
                provider = "old"
                model = "x"

                [providers.a]
                base_url = "https://a.example/v1"
                wire = "chat"
            "#]],
        );
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        check(
            "fast = [",
            &choice("a", "m", Key::None),
            expect!["error: it is not valid TOML: line 1, column 9: unclosed array, expected `]`"],
        );
        check("fast = 1", &choice("a", "m", Key::None), expect!["error: `fast` is not a table"]);
        check(
            "[fast]\ncandidates = 1",
            &choice("a", "m", Key::None),
            expect!["error: `fast.candidates` is not a table"],
        );
        check(
            "[providers.a]\nbase_url = \"http://b\"",
            &choice("a", "m", Key::None),
            expect![
                "error: `providers.a` is another place already, http://b; choose another name with --name"
            ],
        );
    }
}
