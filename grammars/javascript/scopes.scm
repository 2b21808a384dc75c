; TypeScript and TSX inherit this file, so it names only nodes that their parsers have too.

; Blocks and lists of members.
[
  (class_body)
  (statement_block)
  (switch_body)
] @scope

; Definitions.
[
  (class_declaration)
  (function_declaration)
  (generator_function_declaration)
  (method_definition)
] @scope
