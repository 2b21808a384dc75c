(function_definition
  name: (identifier) @name
  body: (block
    .
    (expression_statement
      (string) @doc)?) @body) @definition.function

; What is defined in a class body is a method; this comes after the general case and so wins.
(class_definition
  body: (block
    (function_definition
      name: (identifier) @name
      body: (block
        .
        (expression_statement
          (string) @doc)?) @body) @definition.method))

(class_definition
  body: (block
    (decorated_definition
      definition: (function_definition
        name: (identifier) @name
        body: (block
          .
          (expression_statement
            (string) @doc)?) @body) @definition.method)))

(class_definition
  name: (identifier) @name
  body: (block
    .
    (expression_statement
      (string) @doc)?) @body) @definition.class

(type_alias_statement
  left: (type) @name) @definition.type

(module
  (expression_statement
    (assignment
      left: (identifier) @name) @definition.variable))

; PEP 8 writes constants in capitals.
(module
  (expression_statement
    (assignment
      left: (identifier) @name) @definition.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

(class_definition
  body: (block
    (expression_statement
      (assignment
        left: (identifier) @name) @definition.field)))
