[
  (block)
  (class_definition)
  (function_definition)
] @scope
