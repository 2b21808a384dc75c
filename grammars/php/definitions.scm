(function_definition
  name: (name) @name
  body: (_) @body) @definition.function

(method_declaration
  name: (name) @name
  body: (_)? @body) @definition.method

(class_declaration
  name: (name) @name
  body: (_) @body) @definition.class

(trait_declaration
  name: (name) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (name) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (name) @name
  body: (_) @body) @definition.enum

(enum_case
  name: (name) @name) @definition.field

(namespace_definition
  name: (namespace_name) @name
  body: (_)? @body) @definition.module

(const_declaration
  (const_element
    (name) @name)) @definition.constant

(property_declaration
  (property_element
    name: (variable_name) @name)) @definition.field

; `__construct(private int $a)` declares a field.
(property_promotion_parameter
  name: (variable_name) @name) @definition.field
