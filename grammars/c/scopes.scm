; C++ inherits this file. A `struct A` may be a mere use of the type, so the scope is its list of members.
[
  (compound_statement)
  (enumerator_list)
  (field_declaration_list)
  (function_definition)
] @scope
