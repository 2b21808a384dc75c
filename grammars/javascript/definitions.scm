; TypeScript and TSX inherit this file, so it names only nodes that their parsers have too.

(program
  (lexical_declaration
    kind: "const"
    (variable_declarator
      name: (identifier) @name)) @definition.constant)

(program
  (export_statement
    declaration: (lexical_declaration
      kind: "const"
      (variable_declarator
        name: (identifier) @name)) @definition.constant))

(program
  (lexical_declaration
    kind: "let"
    (variable_declarator
      name: (identifier) @name)) @definition.variable)

(program
  (variable_declaration
    (variable_declarator
      name: (identifier) @name)) @definition.variable)

; A constant that holds a function is a function; this comes after the general case and so wins.
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function
        body: (_) @body)
      (function_expression
        body: (_) @body)
    ])) @definition.function

(assignment_expression
  left: (member_expression
    property: (property_identifier) @name)
  right: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
  ]) @definition.function

(function_declaration
  name: (identifier) @name
  body: (_) @body) @definition.function

(generator_function_declaration
  name: (identifier) @name
  body: (_) @body) @definition.function

(class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(method_definition
  name: (_) @name
  body: (_) @body) @definition.method

(pair
  key: (property_identifier) @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
  ]) @definition.method

; A field of a class. The parser of TypeScript calls the node and its name otherwise.
(class_body
  (_
    property: (_) @name) @definition.field)
