; An empty body has no node, so what holds it is a scope as well.
[
  (begin)
  (block)
  (body_statement)
  (case)
  (case_match)
  (do)
  (do_block)
  (for)
  (if)
  (then)
  (unless)
  (until)
  (while)
] @scope

; Definitions.
[
  (class)
  (method)
  (module)
  (singleton_class)
  (singleton_method)
] @scope
