(function_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.function

(method_declaration
  name: (field_identifier) @name
  body: (_)? @body) @definition.method

(method_elem
  name: (field_identifier) @name) @definition.method

; `type A …` is a definition as a whole, and in `type (A …; B …)` each entry is one.
(type_declaration
  (type_spec
    name: (type_identifier) @name)) @definition.type

(type_declaration
  "("
  (type_spec
    name: (type_identifier) @name) @definition.type)

(type_declaration
  (type_spec
    name: (type_identifier) @name
    type: (struct_type
      (field_declaration_list) @body))) @definition.struct

(type_declaration
  "("
  (type_spec
    name: (type_identifier) @name
    type: (struct_type
      (field_declaration_list) @body)) @definition.struct)

(type_declaration
  (type_spec
    name: (type_identifier) @name
    type: (interface_type) @body)) @definition.interface

(type_declaration
  "("
  (type_spec
    name: (type_identifier) @name
    type: (interface_type) @body) @definition.interface)

(type_alias
  name: (type_identifier) @name) @definition.type

(field_declaration
  name: (field_identifier) @name) @definition.field

(source_file
  (const_declaration
    (const_spec
      name: (identifier) @name) @definition.constant))

(source_file
  (var_declaration
    (var_spec
      name: (identifier) @name) @definition.variable))

(source_file
  (var_declaration
    (var_spec_list
      (var_spec
        name: (identifier) @name) @definition.variable)))
