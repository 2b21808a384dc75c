(function_item
  name: (_) @name
  body: (_) @body) @definition.function

(function_signature_item
  name: (_) @name) @definition.function

; What belongs to a type is a method; this comes after the general case and so wins.
(impl_item
  body: (declaration_list
    (function_item
      name: (_) @name
      body: (_) @body) @definition.method))

(trait_item
  body: (declaration_list
    (function_item
      name: (_) @name
      body: (_) @body) @definition.method))

(trait_item
  body: (declaration_list
    (function_signature_item
      name: (_) @name) @definition.method))

(struct_item
  name: (_) @name
  body: (_)? @body) @definition.struct

(union_item
  name: (_) @name
  body: (_) @body) @definition.struct

(enum_item
  name: (_) @name
  body: (_) @body) @definition.enum

(trait_item
  name: (_) @name
  body: (_) @body) @definition.interface

(impl_item
  type: (_) @name
  body: (_) @body) @definition.implementation

(mod_item
  name: (_) @name
  body: (_)? @body) @definition.module

(const_item
  name: (_) @name) @definition.constant

(static_item
  name: (_) @name) @definition.constant

(type_item
  name: (_) @name) @definition.type

(associated_type
  name: (_) @name) @definition.type

(macro_definition
  name: (_) @name) @definition.macro

(field_declaration
  name: (_) @name) @definition.field

(enum_variant
  name: (_) @name
  body: (_)? @body) @definition.field
