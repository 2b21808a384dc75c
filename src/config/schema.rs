//! Generates the JSON schema of the configuration from the option types, and checks that the schema, the pages'
//! tables and the settings that are read agree.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::options::{CommandLine, Header, Options, Profiles};
use super::{Secret, Wire};
use crate::disk::Readers;

macro_rules! schema {
    ($($type:ty, $name:literal, $make:expr;)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let make: fn(&mut SchemaGenerator) -> Schema = $make;
                make(generator)
            }
        }
    )*};
}

schema! {
    Secret, "Secret", |_| json_schema!({ "type": "string" });
    CommandLine, "CommandLine", |_| json_schema!({
        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }],
    });
    Header, "Header", |_| json_schema!({
        "anyOf": [
            { "type": "string" },
            { "type": "object", "properties": { "env": { "type": "string" } }, "required": ["env"],
              "additionalProperties": false },
        ],
    });
    Wire, "Wire", |_| json_schema!({ "type": "string", "enum": Wire::ALL.map(Wire::name) });
    Profiles, "Profiles", |generator| {
        let options = generator.subschema_for::<Options>();
        json_schema!({ "type": "object", "additionalProperties": options })
    };
}

fn schema() -> Value {
    let mut schema = schemars::schema_for!(Options).to_value();
    schema["title"] = "Tandem's configuration".into();
    // Required values of a type have defaults: no table is required.
    let tables = schema["$defs"].as_object_mut().into_iter().flat_map(|tables| tables.values_mut());
    tables.filter_map(Value::as_object_mut).for_each(|table| drop(table.remove("required")));
    schema.as_object_mut().unwrap().remove("required");
    schema
}

/// The names of all settings: `providers.NAME.base_url`, `fast.candidates`.
fn settings(schema: &Value) -> BTreeSet<String> {
    fn walk(root: &Value, node: &Value, name: &str, found: &mut BTreeSet<String>) {
        if let Some(reference) = node["$ref"].as_str() {
            let target = root.pointer(&reference[1..]).unwrap_or(root);
            // A profile contains the configuration itself.
            if reference == "#" {
                found.insert(name.to_owned());
            } else {
                walk(root, target, name, found);
            }
            return;
        }
        let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        let items = &node["items"];
        if let Some(reference) = items["$ref"]
            .as_str()
            .filter(|it| root.pointer(&it[1..]).is_some_and(|it| it["type"] == "object"))
        {
            found.insert(name.to_owned());
            walk(root, root.pointer(&reference[1..]).unwrap_or(root), &format!("{name}[]"), found);
        } else if let Some(properties) = node["properties"].as_object() {
            for (key, node) in properties {
                walk(root, node, &below(key), found);
            }
        } else if let Some(entries) = node.get("additionalProperties").filter(|it| it.is_object()) {
            walk(root, entries, &below("NAME"), found);
        } else {
            found.insert(name.to_owned());
        }
    }
    let mut found = BTreeSet::new();
    walk(schema, schema, "", &mut found);
    found
}

fn repository(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The schema file for editors is the generated one. `UPDATE_EXPECT=1` writes it.
#[test]
fn the_schema_is_up_to_date() {
    let schema = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    expect_test::expect_file!["../../editors/tandem.schema.json"].assert_eq(&schema);
}

/// The names in the first column of the tables below a heading.
fn documented(page: &str, heading: &str) -> BTreeSet<String> {
    let section = page.split(heading).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    cells.flat_map(|cell| cell.split(',')).map(|name| name.trim().trim_matches('`').to_owned()).collect()
}

/// Every setting is documented, and every documented name is a setting.
#[test]
fn the_page_on_configuration_has_every_setting() {
    let documented = documented(&repository("editors/configuration.md"), "\n## Settings\n");
    let settings = settings(&schema());
    let missing: Vec<_> = settings.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&settings).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "not on the page: {missing:#?}\nnot settings: {unknown:#?}"
    );
}

/// The configurations shown on the pages can be loaded.
#[test]
fn the_examples_of_the_pages_load() {
    let mut examples = 0;
    for page in ["README.md", "editors/configuration.md", "editors/protocol.md"] {
        let text = repository(page);
        for example in text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
            // Another program's configuration.
            if example.contains("[language-server") {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let project = example.starts_with("# .tandem.toml");
            let path = folder.path().join(if project { super::PROJECT_FILE } else { "config.toml" });
            std::fs::write(&path, example).unwrap();
            let file = folder.path().join("config.toml");
            let folders = [folder.path().to_owned()];
            let variable = |_: &str| Some("key".to_owned());
            let sources = super::Sources {
                policy: None,
                file: Some(&file),
                editor: &[],
                folders: &folders,
                variable: &variable,
                readers: &Readers::default(),
            };
            let loaded = super::load(&sources, &mut super::Keys::default(), false);
            assert_eq!(loaded.problems, [], "{page}:\n{example}");
            examples += 1;
        }
    }
    assert!(examples >= 4, "{examples} examples");
}
