(class_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(record_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(struct_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.struct

(interface_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.enum

(enum_member_declaration
  name: (identifier) @name) @definition.field

(namespace_declaration
  name: (_) @name
  body: (_) @body) @definition.module

(file_scoped_namespace_declaration
  name: (_) @name) @definition.module

(method_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(destructor_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(local_function_statement
  name: (identifier) @name
  body: (_)? @body) @definition.function

(delegate_declaration
  name: (identifier) @name) @definition.type

(property_declaration
  name: (identifier) @name
  accessors: (_)? @body) @definition.field

(field_declaration
  (variable_declaration
    (variable_declarator
      name: (identifier) @name))) @definition.field

(event_field_declaration
  (variable_declaration
    (variable_declarator
      name: (identifier) @name))) @definition.field

(field_declaration
  (modifier) @_modifier
  (variable_declaration
    (variable_declarator
      name: (identifier) @name))
  (#eq? @_modifier "const")) @definition.constant
