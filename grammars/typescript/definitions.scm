(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(enum_body
  name: (_) @name @definition.field)

(enum_assignment
  name: (_) @name) @definition.field

(type_alias_declaration
  name: (_) @name) @definition.type

; `namespace a {}`
(internal_module
  name: (_) @name
  body: (_) @body) @definition.module

; `declare module "a" {}`
(module
  name: (_) @name
  body: (_) @body) @definition.module

(function_signature
  name: (_) @name) @definition.function

(method_signature
  name: (_) @name) @definition.method

(abstract_method_signature
  name: (_) @name) @definition.method

(public_field_definition
  name: (_) @name) @definition.field

(property_signature
  name: (_) @name) @definition.field

; `constructor(private name: string)` declares a field.
(required_parameter
  (accessibility_modifier)
  pattern: (identifier) @name) @definition.field
