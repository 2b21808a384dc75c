(call_expression
  function: (identifier) @name) @reference.call

(call_expression
  function: (selector_expression
    field: (field_identifier) @name)) @reference.call

; The places where a type is used; the name of a definition is a type identifier too, and not among them.
(_
  type: (type_identifier) @name @reference.type)

(_
  result: (type_identifier) @name @reference.type)

(_
  element: (type_identifier) @name @reference.type)

(map_type
  key: (type_identifier) @name @reference.type)

(map_type
  value: (type_identifier) @name @reference.type)

(channel_type
  value: (type_identifier) @name @reference.type)

(pointer_type
  (type_identifier) @name @reference.type)

(type_elem
  (type_identifier) @name @reference.type)

(qualified_type
  name: (type_identifier) @name @reference.type)
