; What names something of its own is a definition, with these exceptions.
(_
  !name
  (type_identifier) @name @reference.type)

(generic_type
  name: (type_identifier) @name @reference.type)

(nested_type_identifier
  name: (type_identifier) @name @reference.type)

(type_alias_declaration
  value: (type_identifier) @name @reference.type)
