; TypeScript and TSX inherit this file, so it names only nodes that their parsers have too.

(call_expression
  function: (identifier) @name) @reference.call

(call_expression
  function: (member_expression
    property: (_) @name)) @reference.call

(new_expression
  constructor: (identifier) @name) @reference.call

(new_expression
  constructor: (member_expression
    property: (_) @name)) @reference.call

(decorator
  [
    (identifier) @name
    (member_expression
      property: (_) @name)
  ]) @reference.call

; The base class: in a clause of its own in TypeScript, and not in JavaScript.
(_
  "extends"
  .
  (identifier) @name @reference.type)

(_
  "extends"
  .
  (member_expression
    property: (_) @name) @reference.type)

; A component in JSX, which has a capital where an element has none. Plain TypeScript has no JSX nodes to name.
(_
  .
  "<"
  .
  name: [
    (identifier) @name
    (member_expression
      property: (_) @name)
  ]
  (#match? @name "^[A-Z]")) @reference.call
