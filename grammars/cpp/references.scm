(call_expression
  function: [
    (qualified_identifier
      name: [
        (identifier) @name
        (template_function
          name: (identifier) @name)
        (qualified_identifier
          name: [
            (identifier) @name
            (template_function
              name: (identifier) @name)
          ])
      ])
    (template_function
      name: (identifier) @name)
    (field_expression
      field: (template_method
        name: (field_identifier) @name))
  ]) @reference.call

(template_type
  name: (type_identifier) @name @reference.type)

(qualified_identifier
  name: (type_identifier) @name @reference.type)

(base_class_clause
  (type_identifier) @name @reference.type)

; `Circle::area`: what qualifies may be a type or a namespace.
(qualified_identifier
  scope: (namespace_identifier) @name @reference.type
  (#match? @name "^[A-Z]"))
