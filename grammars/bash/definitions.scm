(function_definition
  name: (word) @name
  body: (_) @body) @definition.function

(program
  (variable_assignment
    name: (variable_name) @name) @definition.variable)

(program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name)) @definition.variable)

(program
  (declaration_command
    "readonly"
    (variable_assignment
      name: (variable_name) @name)) @definition.constant)
