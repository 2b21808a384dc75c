; C++ inherits this file.

(call_expression
  function: (identifier) @name) @reference.call

(call_expression
  function: (field_expression
    field: (field_identifier) @name)) @reference.call

(_
  type: (type_identifier) @name @reference.type)

(struct_specifier
  name: (type_identifier) @name @reference.type
  !body)

(union_specifier
  name: (type_identifier) @name @reference.type
  !body)

(enum_specifier
  name: (type_identifier) @name @reference.type
  !body)
