; The branches of an `if` or a `case` have no node of their own.
[
  (case_statement)
  (compound_statement)
  (do_group)
  (elif_clause)
  (else_clause)
  (function_definition)
  (if_statement)
  (subshell)
] @scope
