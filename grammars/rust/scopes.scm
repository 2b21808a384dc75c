; Blocks and lists of members.
[
  (block)
  (declaration_list)
  (enum_variant_list)
  (field_declaration_list)
  (match_block)
] @scope

; Definitions.
[
  (enum_item)
  (function_item)
  (impl_item)
  (macro_definition)
  (mod_item)
  (struct_item)
  (trait_item)
  (union_item)
] @scope
