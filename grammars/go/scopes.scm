; Blocks and lists of members. The body of a switch has no node of its own.
[
  (block)
  (expression_switch_statement)
  (field_declaration_list)
  (import_spec_list)
  (interface_type)
  (select_statement)
  (type_switch_statement)
] @scope

; Definitions.
[
  (function_declaration)
  (method_declaration)
  (type_declaration)
] @scope
