[
  (array)
  (inline_table)
  (table)
  (table_array_element)
] @scope
