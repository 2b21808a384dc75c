; Lists of members.
[
  (enum_body)
  (interface_body)
  (object_type)
] @scope

; Definitions.
[
  (abstract_class_declaration)
  (enum_declaration)
  (interface_declaration)
  (internal_module)
  (module)
  (type_alias_declaration)
] @scope
