(call
  function: (identifier) @name) @reference.call

(call
  function: (attribute
    attribute: (identifier) @name)) @reference.call

(decorator
  (identifier) @name) @reference.call

(decorator
  (attribute
    attribute: (identifier) @name)) @reference.call

(type
  (identifier) @name @reference.type)

(type
  (attribute
    attribute: (identifier) @name) @reference.type)

(type
  (subscript
    value: (attribute
      attribute: (identifier) @name) @reference.type))

(generic_type
  .
  (identifier) @name @reference.type)

(class_definition
  superclasses: (argument_list
    (identifier) @name @reference.type))

(class_definition
  superclasses: (argument_list
    (attribute
      attribute: (identifier) @name) @reference.type))

(except_clause
  value: (identifier) @name @reference.type)

(except_clause
  value: (as_pattern
    .
    (identifier) @name @reference.type))
