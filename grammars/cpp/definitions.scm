(class_specifier
  name: (_) @name
  body: (_) @body) @definition.class

(namespace_definition
  name: (_) @name
  body: (_) @body) @definition.module

(alias_declaration
  name: (type_identifier) @name) @definition.type

(concept_definition
  name: (identifier) @name) @definition.interface

; A variable of a namespace.
(declaration_list
  (declaration
    declarator: [
      (identifier) @name
      (init_declarator
        declarator: (identifier) @name)
    ]) @definition.variable)

; A function that returns a reference, or that is an operator.
(function_definition
  declarator: [
    (reference_declarator
      (function_declarator
        declarator: [
          (identifier)
          (operator_name)
        ] @name))
    (function_declarator
      declarator: (operator_name) @name)
  ]
  body: (_) @body) @definition.function

(declaration
  declarator: [
    (reference_declarator
      (function_declarator
        declarator: [
          (identifier)
          (operator_name)
        ] @name))
    (function_declarator
      declarator: (operator_name) @name)
  ]) @definition.function

; A method with its body, in its class or outside (`Circle::area`).
(field_declaration_list
  (function_definition
    declarator: (function_declarator
      declarator: [
        (field_identifier)
        (identifier)
        (operator_name)
        (destructor_name)
      ] @name)
    body: (_) @body) @definition.method)

(field_declaration_list
  (function_definition
    declarator: (_
      (function_declarator
        declarator: [
          (field_identifier)
          (operator_name)
        ] @name))
    body: (_) @body) @definition.method)

(field_declaration_list
  (template_declaration
    (function_definition
      declarator: (function_declarator
        declarator: [
          (field_identifier)
          (identifier)
        ] @name)
      body: (_) @body) @definition.method))

(function_definition
  declarator: [
    (function_declarator
      declarator: (qualified_identifier
        name: [
          (identifier)
          (operator_name)
          (destructor_name)
        ] @name))
    (_
      (function_declarator
        declarator: (qualified_identifier
          name: [
            (identifier)
            (operator_name)
          ] @name)))
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          name: [
            (identifier)
            (operator_name)
            (destructor_name)
          ] @name)))
  ]
  body: (_) @body) @definition.method

; A method without its body.
(field_declaration
  declarator: [
    (function_declarator
      declarator: [
        (field_identifier)
        (operator_name)
      ] @name)
    (_
      (function_declarator
        declarator: [
          (field_identifier)
          (operator_name)
        ] @name))
  ]) @definition.method

; `Circle();`, `~Circle() = default;`
(field_declaration_list
  (declaration
    declarator: (function_declarator
      declarator: [
        (identifier)
        (destructor_name)
      ] @name)) @definition.method)

(field_declaration_list
  (function_definition
    declarator: (function_declarator
      declarator: [
        (field_identifier)
        (identifier)
        (operator_name)
        (destructor_name)
      ] @name)
    [
      (default_method_clause)
      (delete_method_clause)
    ]) @definition.method)

; `Shape &next;`
(field_declaration
  declarator: (reference_declarator
    (field_identifier) @name)) @definition.field
