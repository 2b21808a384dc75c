use std::collections::BTreeSet;

use super::all;
use super::builtin::BUILTIN;
use super::registry::read_entries;

#[test]
fn every_listed_language_is_in_the_table_and_in_the_registry() {
    let entries = read_entries().unwrap();
    let table: BTreeSet<&str> = BUILTIN.iter().map(|builtin| builtin.id).collect();
    assert_eq!(table.len(), BUILTIN.len(), "an id is in the table twice");
    assert_eq!(table, entries.keys().map(String::as_str).collect());
    for (id, entry) in &entries {
        for ancestor in &entry.inherits {
            assert!(table.contains(ancestor.as_str()), "{id} inherits from {ancestor}, which does not exist");
        }
    }
    let linked = BUILTIN.iter().filter(|builtin| builtin.language.is_some()).count();
    assert_eq!(all().count(), linked);
    #[cfg(feature = "common")]
    assert_eq!(linked, 20);
}
