[
  (array)
  (object)
] @scope
