(chunk
  (variable_declaration
    (assignment_statement
      (variable_list
        name: (identifier) @name))) @definition.variable)

(chunk
  (assignment_statement
    (variable_list
      name: (identifier) @name)) @definition.variable)

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression
      field: (identifier) @name)
  ]
  body: (_)? @body) @definition.function

(function_declaration
  name: (method_index_expression
    method: (identifier) @name)
  body: (_)? @body) @definition.method

; A variable that holds a function is a function; this comes after the general case and so wins.
(variable_declaration
  (assignment_statement
    (variable_list
      .
      name: (identifier) @name .)
    (expression_list
      value: (function_definition
        body: (_)? @body)))) @definition.function

(assignment_statement
  (variable_list
    .
    name: (dot_index_expression
      field: (identifier) @name) .)
  (expression_list
    value: (function_definition
      body: (_)? @body))) @definition.function

(field
  name: (identifier) @name
  value: (function_definition
    body: (_)? @body)) @definition.method
