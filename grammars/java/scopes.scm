; Blocks and lists of members.
[
  (annotation_type_body)
  (block)
  (class_body)
  (constructor_body)
  (enum_body)
  (interface_body)
  (module_body)
  (switch_block)
] @scope

; Definitions.
[
  (annotation_type_declaration)
  (class_declaration)
  (compact_constructor_declaration)
  (constructor_declaration)
  (enum_declaration)
  (interface_declaration)
  (method_declaration)
  (module_declaration)
  (record_declaration)
] @scope
