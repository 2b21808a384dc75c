(call_expression
  function: (identifier) @name) @reference.call

(call_expression
  function: (scoped_identifier
    name: (identifier) @name)) @reference.call

(call_expression
  function: (field_expression
    field: (field_identifier) @name)) @reference.call

(call_expression
  function: (generic_function
    function: [
      (identifier) @name
      (scoped_identifier
        name: (identifier) @name)
      (field_expression
        field: (field_identifier) @name)
    ])) @reference.call

(macro_invocation
  macro: [
    (identifier) @name
    (scoped_identifier
      name: (identifier) @name)
  ]) @reference.call

; A macro's arguments are tokens. A name right before parentheses is a call there, as deep as code is nested in it. The
; arguments of attributes are tokens as well, and no calls.
(macro_invocation
  [
    (token_tree _ @name @reference.call . (token_tree "("))
    (token_tree (token_tree _ @name @reference.call . (token_tree "(")))
    (token_tree (token_tree (token_tree _ @name @reference.call . (token_tree "("))))
    (token_tree (token_tree (token_tree (token_tree _ @name @reference.call . (token_tree "(")))))
  ]
  (#match? @name "^[\\p{L}_]\\w*$")
  (#not-any-of? @name
    "as" "dyn" "else" "fn" "for" "if" "impl" "in" "let" "match" "move" "mut" "pub" "ref" "return" "where" "while"))

; What a macro writes.
(macro_rule
  right: [
    (token_tree _ @name @reference.call . (token_tree "("))
    (token_tree (token_tree _ @name @reference.call . (token_tree "(")))
    (token_tree (token_tree (token_tree _ @name @reference.call . (token_tree "("))))
  ]
  (#match? @name "^[\\p{L}_]\\w*$")
  (#not-any-of? @name
    "as" "dyn" "else" "fn" "for" "if" "impl" "in" "let" "match" "move" "mut" "pub" "ref" "return" "where" "while"))

; The places where a type is used; the name of a definition is a type identifier too, and not among them.
(_
  type: (type_identifier) @name @reference.type)

(_
  return_type: (type_identifier) @name @reference.type)

(_
  trait: (type_identifier) @name @reference.type)

(_
  element: (type_identifier) @name @reference.type)

(type_arguments
  (type_identifier) @name @reference.type)

(trait_bounds
  (type_identifier) @name @reference.type)

(tuple_type
  (type_identifier) @name @reference.type)

(scoped_type_identifier
  name: (type_identifier) @name @reference.type)

(struct_expression
  name: (type_identifier) @name @reference.type)

; `Shape::new`: by convention a type starts with a capital and a module does not.
(scoped_identifier
  path: (identifier) @name @reference.type
  (#match? @name "^[A-Z]"))
