; C++ inherits this file.

; A function may return a pointer, or a pointer to one; the star belongs to the declarator.
(function_definition
  declarator: [
    (function_declarator
      declarator: (identifier) @name)
    (pointer_declarator
      declarator: (function_declarator
        declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator
        declarator: (function_declarator
          declarator: (identifier) @name)))
  ]
  body: (_) @body) @definition.function

(declaration
  declarator: [
    (function_declarator
      declarator: (identifier) @name)
    (pointer_declarator
      declarator: (function_declarator
        declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator
        declarator: (function_declarator
          declarator: (identifier) @name)))
  ]) @definition.function

(struct_specifier
  name: (_) @name
  body: (_) @body) @definition.struct

(union_specifier
  name: (_) @name
  body: (_) @body) @definition.struct

(enum_specifier
  name: (_) @name
  body: (_) @body) @definition.enum

(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator
      declarator: (type_identifier) @name)
    (array_declarator
      declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator
          declarator: (type_identifier) @name)))
  ]) @definition.type

; `typedef struct { … } A;`
(type_definition
  type: (struct_specifier
    !name
    body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (enum_specifier
    !name
    body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum

(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator
      declarator: (field_identifier) @name)
    (array_declarator
      declarator: (field_identifier) @name)
  ]) @definition.field

(enumerator
  name: (identifier) @name) @definition.field

; A definition without a value is a switch, such as the guard of a header.
(preproc_def
  name: (identifier) @name
  value: (_)) @definition.constant

(preproc_function_def
  name: (identifier) @name) @definition.macro

(translation_unit
  (declaration
    declarator: [
      (identifier) @name
      (pointer_declarator
        declarator: (identifier) @name)
      (array_declarator
        declarator: (identifier) @name)
      (init_declarator
        declarator: [
          (identifier) @name
          (pointer_declarator
            declarator: (identifier) @name)
          (array_declarator
            declarator: (identifier) @name)
          (pointer_declarator
            declarator: (array_declarator
              declarator: (identifier) @name))
        ])
    ]) @definition.variable)

; The contents of a header stand inside its guard.
(preproc_ifdef
  (declaration
    declarator: [
      (identifier) @name
      (pointer_declarator
        declarator: (identifier) @name)
      (array_declarator
        declarator: (identifier) @name)
    ]) @definition.variable)
