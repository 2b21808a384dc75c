; An empty block has no node, so what holds it is a scope as well.
[
  (block)
  (do_statement)
  (for_statement)
  (function_declaration)
  (function_definition)
  (if_statement)
  (repeat_statement)
  (while_statement)
] @scope
