; A definition is named by an identifier and used by a type identifier.
(type_identifier) @name @reference.type

(marker_annotation
  name: [
    (identifier) @name
    (scoped_identifier
      name: (identifier) @name)
  ]) @reference.type

(annotation
  name: [
    (identifier) @name
    (scoped_identifier
      name: (identifier) @name)
  ]) @reference.type

; `Shape.of()`, `Kind.ROUND`: by convention a type starts with a capital and a variable does not.
(method_invocation
  object: (identifier) @name @reference.type
  (#match? @name "^[A-Z]"))

(field_access
  object: (identifier) @name @reference.type
  (#match? @name "^[A-Z]"))

(method_invocation
  name: (identifier) @name) @reference.call

; `Shape::area`
(method_reference
  "::"
  .
  (identifier) @name) @reference.call

(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type
      (type_identifier) @name)
    (scoped_type_identifier
      (type_identifier) @name .)
  ]) @reference.call
