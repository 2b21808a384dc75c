; Blocks and lists of members.
[
  (colon_block)
  (compound_statement)
  (declaration_list)
  (enum_declaration_list)
  (match_block)
  (switch_block)
] @scope

; Definitions.
[
  (class_declaration)
  (enum_declaration)
  (function_definition)
  (interface_declaration)
  (method_declaration)
  (trait_declaration)
] @scope
