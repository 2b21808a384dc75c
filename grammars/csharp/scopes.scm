; Blocks and lists of members. The arms of a switch expression have no node around them.
[
  (accessor_list)
  (block)
  (declaration_list)
  (enum_member_declaration_list)
  (switch_body)
  (switch_expression)
] @scope

; Definitions.
[
  (class_declaration)
  (constructor_declaration)
  (destructor_declaration)
  (enum_declaration)
  (interface_declaration)
  (local_function_statement)
  (method_declaration)
  (namespace_declaration)
  (property_declaration)
  (record_declaration)
  (struct_declaration)
] @scope
