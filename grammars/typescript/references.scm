; The places where a type is used; the name of a definition is a type identifier too, and not among them.
[
  (array_type
    (type_identifier) @name @reference.type)
  (as_expression
    (type_identifier) @name @reference.type)
  (conditional_type
    (type_identifier) @name @reference.type)
  (constraint
    (type_identifier) @name @reference.type)
  (default_type
    (type_identifier) @name @reference.type)
  (extends_type_clause
    (type_identifier) @name @reference.type)
  (implements_clause
    (type_identifier) @name @reference.type)
  (index_type_query
    (type_identifier) @name @reference.type)
  (intersection_type
    (type_identifier) @name @reference.type)
  (lookup_type
    (type_identifier) @name @reference.type)
  (optional_type
    (type_identifier) @name @reference.type)
  (parenthesized_type
    (type_identifier) @name @reference.type)
  (readonly_type
    (type_identifier) @name @reference.type)
  (rest_type
    (type_identifier) @name @reference.type)
  (satisfies_expression
    (type_identifier) @name @reference.type)
  (tuple_type
    (type_identifier) @name @reference.type)
  (type_annotation
    (type_identifier) @name @reference.type)
  (type_arguments
    (type_identifier) @name @reference.type)
  (type_predicate
    (type_identifier) @name @reference.type)
  (union_type
    (type_identifier) @name @reference.type)
  (function_type
    return_type: (type_identifier) @name @reference.type)
  (generic_type
    name: (type_identifier) @name @reference.type)
  (nested_type_identifier
    name: (type_identifier) @name @reference.type)
  (type_alias_declaration
    value: (type_identifier) @name @reference.type)
]
