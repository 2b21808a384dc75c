(method
  name: (_) @name
  body: (_)? @body) @definition.method

(singleton_method
  name: (_) @name
  body: (_)? @body) @definition.method

; Outside of a class; this comes after the general case and so wins.
(program
  (method
    name: (_) @name
    body: (_)? @body) @definition.function)

(class
  name: [
    (constant) @name
    (scope_resolution
      name: (constant) @name)
  ]
  body: (_)? @body) @definition.class

(module
  name: [
    (constant) @name
    (scope_resolution
      name: (constant) @name)
  ]
  body: (_)? @body) @definition.module

(assignment
  left: (constant) @name) @definition.constant

; `attr_reader :a, :b`
(call
  method: (identifier) @_method
  arguments: (argument_list
    (simple_symbol) @name)
  (#match? @_method "^attr_(accessor|reader|writer)$")) @definition.field
